"""Signs that a text may tell of a change, looked for without a pattern: most texts have none, and
nothing more is loaded then.
"""

FIRST = 3_000
"""How many characters of a text are judged."""

_SIGNS = (  # no word of change without one of these; a space before one means that a word starts so
    " instead|o longer|any longer|any more|anymore| in place of| used to | away from| "
    "switched| moved| migrated| changed"
    "| upgraded| downgraded| updated| renamed| transferred| converted| transitioned| "
    "ported | shifted|rescheduled| postponed"
    "|relocated| rolled| raised| lowered| increased| decreased| reduced| bumped| extended| "
    "shortened| delayed| promoted| demoted"
    "| replac| dropped| drops | stopp| dropping| quit| abandon| ditch| retired| sunset| "
    "scrapped| gave up| rid of| broke up"
    "| fell | left| went | goes | rose | grew | climbed | sank |superseded| deprecated| "
    "discontinued| archived| gone| obsolete"
    "| sold| shut down| decommission| been | now| as of | from now| going forward| going "
    "with| henceforth| since | these days"
    "| got | new | handed| hands | took over| back from| ya no | en lugar| en vez| dej| a "
    "partir| ahora| se mud| se camb| cambi"
    "| paso a |statt | anstelle| mehr| wurde | jetzt| neuerdings| ab sofort| umge| "
    "gewechselt| seit | fue ree|relicensed| swapped"
    "| reassigned| scaled| passed| brought|rewritten|renewed|cancel| terminated| resigned| "
    "stepped down| pushed| put | grown "
    "| risen | fallen | shrunk | update:| update :| correction:| correction :| edit:| edit :"
).split("|")
_HAN = frozenset("不改换搬升迁转调切涨降增减推提延变更新现目如今已从以放停弃离辞退告取代替被作に")
_MARKS = str.maketrans(dict.fromkeys("(\"'[*_\n\t,;", " "))


def may_change(text: str) -> bool:
    """Say whether a text may tell of a change.

    One that does not for sure has no word of change in it.
    """
    plain = f" {text[:FIRST].translate(_MARKS).lower()} "
    if any(sign in plain for sign in _SIGNS):
        return True
    return not plain.isascii() and not _HAN.isdisjoint(plain)
