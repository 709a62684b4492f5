"""Find the reasons why a text that is not the user's looks like orders to an agent.

A memory is data. The judge decides by meaning; text that is hidden from people, faked roles and
well-known phrases (`data/orders.json`) count with or without it. The judge can veto an English
phrase whose surroundings it has read. A text that only reports what others try is not suspicious.

The judge reads a short text whole, and of every text the paragraphs and sentences with words of
several kinds that orders have (`cues`). The more such sentences a text has, the surer the judge
must be, because each of them is a chance to be wrong about an ordinary document.
"""

import hashlib
import math
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.text.borders import split
from ghostmem.text.capture import sentences
from ghostmem.text.phrases import PhraseTable
from ghostmem.truth.plain import phrases

if TYPE_CHECKING:
    from ghostmem.judge.model import Judge
    from ghostmem.settings import Settings

HIDDEN = "hides text"
ROLE = "fakes a turn or a role of the conversation"
BEACON = "loads a picture that carries data away"
IGNORE = "tells the reader to ignore its instructions"
SEND = "asks to send or reveal data"
_AGREES = 0.5  # the probability from which on the judge agrees with a phrase
_MIN_KNOWN = 0.9  # the least share of known words in a text about which the judge can decide
_MAX_VETOES = 12  # phrases of a text that the judge can veto
_AROUND = 200  # characters on each side of a phrase that the judge reads
_MAX_TEXT = 100_000  # characters at each end of a text among which the judge looks for orders
_MAX_UNIT = 800  # characters that the judge reads at once
_UNIT_SIZE = {"target": _MAX_UNIT, "limit": _MAX_UNIT, "room": _MAX_UNIT}
_MAX_UNITS = 64  # paragraphs and sentences of a text that the judge reads
_MIN_CUES = 2  # kinds of cues in a paragraph or sentence that the judge reads
_MIN_WHOLE = 0.93  # the probability that a short text needs if none of its sentences has cues
_LIKELY = 0.75  # the probability from which on a sentence is also read with its neighbours
# The log odds that a sentence needs: those of a short text, more for each sentence with cues.
_LOG_ODDS_BY_SENTENCES, _MAX_LOG_ODDS = 0.8, 3.5
_PARAGRAPHS = r"\n\s*\n|\n(?=\s*(?:[-*+] |\d+[.)] |#|\|))"
_LINE_MARK = r"^\s*(?:(?:#{1,6}|[-*+]|\d+[.)])\s+|>\s?|\|)+"
_MARKUP = r"[`*]|<!--|-->|</?\w[^>\n]{0,80}>"
_MAX_LINE = 400  # characters around a phrase that say whether it is only reported
_COMMENT = r"<!(?=--)[\s\S]*?(?=-->|\Z)"
_MAX_COMMENT = 2000  # characters of a comment that are read
_GAP = 60  # characters between a verb and what is to be sent, and between that and the place
_SPACED = r"(?<!\w)(?:\w[ .\-_*]{1,3}){10,}+\w?"
_BEACON = r"!\[[^\]\n]{0,200}\]\(\s?https?://[^\s)?]{1,300}\?([^\s)]{1,500})\)?"
_CARRIED = (
    r"\{\{?[\w. ]{1,60}\}?\}|\$\{|<\w+>|%7B|secret|passw|history|memor|prompt|chat|=[^&\s)]{12,}"
)
_UNSEEN = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u180e"
_HIDDEN = (
    # tags, but not those of a flag
    "(?<![\U000e0020-\U000e007f\U0001f3f4])[\U000e0020-\U000e007f]",
    f"[{_UNSEEN}]{{4}}",
    f"(?:[A-Za-z][{_UNSEEN}]{{1,3}}(?=[A-Za-z])[^\n]{{0,30}}?){{3}}",
    "[\u202d\u202e]",  # text that is turned around
)
_LOOKALIKES = str.maketrans(
    "асеорхуіјѕԁһӏАВЕКМНОРСТХІЅοαεικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyijsdhlABEKMHOPCTXISoaeiknptuxABEZHIKMNOPTYX",
)


# Bulk operations judge their texts before the transaction that asks again: others can write.
_SUSPICIONS: dict[tuple[bool, bytes], tuple[str, ...]] = {}
_MAX_REMEMBERED = 20_000  # texts


class Phrase(NamedTuple):
    """A well-known phrase: the reason it gives, its pattern, and whether it is English."""

    reason: str
    pattern: str
    is_english: bool = True


def suspicions(settings: "Settings", text: str, judged: bool = True) -> tuple[str, ...]:
    """Return the reasons why a text looks like orders to an agent; none when it does not.

    If it is `judged`, the judge reads the text too, and can veto a phrase: a report about attacks
    has such phrases."""
    from ghostmem.judge import find_judge

    judge = find_judge(settings) if judged else None
    place = judge is None, hashlib.sha256(text.encode()).digest()
    if place not in _SUSPICIONS:
        if len(_SUSPICIONS) >= _MAX_REMEMBERED:
            _SUSPICIONS.clear()
        _SUSPICIONS[place] = _find_suspicions(judge, text)
    return _SUSPICIONS[place]


def _find_suspicions(judge: "Judge | None", text: str) -> tuple[str, ...]:
    seen = _as_seen(text)
    by_phrases = _phrase_reasons(seen, judge)
    reasons = dict.fromkeys((*_structure_reasons(text, seen), *by_phrases))
    if judge is not None and not by_phrases and (chance := _order_chance(judge, seen)):
        reasons[f"reads like orders to an agent (judge: {chance:.2f})"] = None
    return tuple(reasons)


class _Unit(NamedTuple):
    """A paragraph or a sentence with cues, and a sentence together with each of its neighbours."""

    text: str
    cues: int
    pairs: tuple[str, ...] = ()


def _order_chance(judge: "Judge", text: str) -> float:
    """Return how surely a text or a part of it gives orders; 0 if that is not sure enough."""
    limit = judge.thresholds.attack
    if len(text) <= _MAX_UNIT and judge.known(text) >= _MIN_KNOWN:
        chance = judge.attack(_without_markup(text))
        if chance >= max(limit, _MIN_WHOLE):
            return chance
    units = sorted(_units(text), key=lambda unit: -unit.cues)
    candidates = sum(bool(unit.pairs) for unit in units)
    odds = math.log(limit / (1 - limit)) + _LOG_ODDS_BY_SENTENCES * math.log(max(1, candidates))
    limit = 1 / (1 + math.exp(-min(odds, _MAX_LOG_ODDS)))
    best = max((_unit_chance(judge, unit) for unit in units[:_MAX_UNITS]), default=0.0)
    return best if best >= limit else 0.0


def _unit_chance(judge: "Judge", unit: _Unit) -> float:
    """Return how likely a unit gives orders, at best with a neighbour."""
    chance = judge.attack(unit.text)
    return max([chance, *map(judge.attack, unit.pairs)]) if chance >= _LIKELY else chance


def _units(text: str) -> Iterator[_Unit]:
    """Yield the paragraphs and sentences that have cues, without markup."""
    if len(text) > 2 * _MAX_TEXT:
        text = f"{text[:_MAX_TEXT]}\n\n{text[-_MAX_TEXT:]}"
    for raw in _pattern(_PARAGRAPHS).split(text):
        paragraph = _without_markup(raw)
        if (cues := _count_cues(paragraph)) < _MIN_CUES:
            continue
        pieces = [
            sentence[start:stop]  # a long one in parts
            for sentence in sentences(paragraph)
            for start, stop in split(sentence, 0, len(sentence), **_UNIT_SIZE)
        ]
        if len(pieces) > 1 and len(paragraph) <= _MAX_UNIT:
            yield _Unit(paragraph, cues)
        for number, piece in enumerate(pieces):
            if (cues := _count_cues(piece)) >= _MIN_CUES:
                ends = (max(0, number - 1), number + 1), (number, number + 2)
                yield _Unit(piece, cues, tuple(" ".join(pieces[low:high]) for low, high in ends))


def _without_markup(text: str) -> str:
    """Return a text on one line without marks of Markdown and HTML, which mislead the judge."""
    return " ".join(_pattern(_MARKUP).sub(" ", _pattern(_LINE_MARK).sub("", text)).split())


def _count_cues(text: str) -> int:
    """Return how many kinds of words that orders have occur in a text."""
    lower = text.lower()
    return sum(_pattern(cue).search(lower) is not None for cue in _table()["cues"].values())


def _structure_reasons(text: str, seen: str) -> Iterator[str]:
    """Yield the reasons that show in hidden text, faked roles, pictures and spaced letters."""
    # characters that people do not see, more than languages need
    has_unseen = not text.isascii() and any(_pattern(hidden).search(text) for hidden in _HIDDEN)
    commented = _pattern(_table()["commented"])  # a comment of HTML that addresses an agent
    comments = (match[0][:_MAX_COMMENT].lower() for match in _pattern(_COMMENT).finditer(seen))
    if has_unseen or any(map(commented.search, comments)):
        yield HIDDEN
    roles = (match for role in _roles().likely(seen) for match in _pattern(role).finditer(seen))
    if any(not _is_reported(seen, match) for match in roles):
        yield ROLE
    if any(
        _pattern(_CARRIED).search(match[1].lower())
        for match in (_pattern(_BEACON).finditer(seen) if "![" in seen else ())
    ):
        yield BEACON
    spaced = (re.sub(r"[\W_]", "", match[0]).lower() for match in _pattern(_SPACED).finditer(seen))
    if any(map(_pattern(_table()["spaced"]).search, spaced)):
        yield IGNORE


def _phrase_reasons(seen: str, judge: "Judge | None") -> tuple[str, ...]:
    """Return the reasons that show in well-known phrases which the judge does not veto."""
    text = seen.lower()
    if "\n" in seen:  # a sentence may run over lines
        text = _pattern(r"[ \t]*+\n[ \t]*+(?=[a-z])").sub(" ", seen).lower()
    reasons: dict[str, None] = {}
    vetoes = 0
    for reason, matches, is_english in _phrases(text):
        for match in matches:
            if reason in reasons:
                break
            if _is_reported(text, match):
                continue
            if judge and is_english and vetoes < _MAX_VETOES and _is_vetoed(judge, text, match):
                vetoes += 1
            else:
                reasons[reason] = None
    return tuple(reasons)


def _is_vetoed(judge: "Judge", text: str, match: re.Match[str]) -> bool:
    """Say whether the judge can read what surrounds a phrase, and finds no order there."""
    around = text[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return judge.known(around) >= _MIN_KNOWN and judge.attack(around) < _AGREES


def _phrases(text: str) -> Iterator[tuple[str, Iterator[re.Match[str]], bool]]:
    """Yield the reasons with the matches of their phrases, and whether these are English."""
    for phrase in _orders().likely(text):
        yield phrase.reason, _pattern(phrase.pattern).finditer(text), phrase.is_english
    if any(need in text for need in _table()["send"]["needs"]):
        yield SEND, _sends(text), True


def _sends(text: str) -> Iterator[re.Match[str]]:
    """Yield verbs that are followed by what is private and by a place, all on one line."""
    verb, thing, place = (_pattern(_table()["send"][name]) for name in ("verb", "thing", "place"))
    places = [match.start() for match in place.finditer(text)]
    things = [match.span() for match in thing.finditer(text)] if places else []
    for match in verb.finditer(text) if things else ():
        end = match.end()
        stop = _pattern(r"[.\n]").search(text, end, end + _GAP)
        last = stop.end() if stop else end + _GAP  # the point can be that of .env
        near = things[bisect_left(things, (end,)) : bisect_left(things, (last,))]
        # the first place after each thing
        ends = [(after, bisect_left(places, after)) for _, after in near]
        if any(
            place - after <= _GAP and "\n" not in text[after:place]
            for after, number in ends
            for place in places[number : number + 1]
        ):
            yield match


def _as_seen(text: str) -> str:
    """Return a text as it reads: plain forms, no unseen characters, Latin look-alikes replaced."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(c for c in text if c.isascii() or unicodedata.category(c) != "Cf")
        if _pattern("[A-Za-z]").search(text):
            text = text.translate(_LOOKALIKES)
    return _pattern(r"[ \t]{2,}").sub(" ", text) if "  " in text or "\t" in text else text


def _is_reported(text: str, match: re.Match[str]) -> bool:
    """Say whether the line of a phrase is about such phrases, as what others try.

    A special token of a model needs no more than a line about tokens. Quotation marks do not
    count: whoever wants an order to be read can write them too."""
    low = max(0, match.start() - _MAX_LINE)
    start = text.rfind("\n", low, match.start()) + 1 or low
    stop = text.find("\n", match.end(), match.end() + _MAX_LINE)
    before = text[start : match.start()].lower()
    after = text[match.end() : stop if stop >= 0 else match.end() + _MAX_LINE].lower()
    return bool(_pattern(_table()["talk"]).search(f"{before} {after}")) and (
        match[0].startswith(("<|", "["))
        or _pattern(_table()["reported"]).search(before) is not None
    )


@cache
def _orders() -> PhraseTable[Phrase]:
    return PhraseTable(
        (needs, Phrase(reason, pattern, is_english))
        for name, is_english in (("orders", True), ("orders_in_other_languages", False))
        for reason, rows in _table()[name].items()
        for needs, pattern in rows
    )


@cache
def _roles() -> PhraseTable[str]:
    return PhraseTable((needs, pattern) for needs, pattern in _table()["roles"])


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    table = _table()
    return re.compile(
        pattern.replace("{reader}", table["reader"]).replace("{rules}", table["rules"]),
        re.MULTILINE,
    )


def _table() -> dict[str, Any]:
    return phrases("orders")
