"""The named things a text is about, by which memories that share them are linked."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, dropwhile, groupby
from typing import NamedTuple

from ghostmem.text.calendar import MONTHS
from ghostmem.text.scripts import UNSPACED
from ghostmem.text.terms import STOP_WORDS

MOST = 64
"""A text has at most this many entities, the first ones."""

_MOST_READ = (
    200_000  # characters; longer texts are books, and their first names tell what they are about
)
_LONGEST = 80
_MOST_WORDS = 5

_NAMELESS = """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat
    sun
    mondays tuesdays wednesdays thursdays fridays saturdays sundays true false none null
    montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi
    samedi dimanche
    wow oh aww woah whoa woohoo haha yo yep bye congrats congratulations btw
    us may ok okay yes yeah nope hi hello hey thanks someone everyone anyone something everything
    anything nothing nobody
    one two three four five six seven eight nine ten mr mrs ms mx dr prof todo fixme note nb warning
    important fyi asap am pm
    der die das ein eine ich wir sie er es und les une je nous vous elle
"""
_OPENING = """
    however therefore meanwhile moreover furthermore besides otherwise instead anyway still yet thus
    hence first firstly second
    secondly third finally next last lastly later earlier today yesterday tomorrow tonight now
    currently recently lately usually
    often sometimes never always maybe perhaps probably please sorry sure sadly luckily actually
    basically since unless whenever
    wherever whatever whoever like unlike despite per via regarding according given every most many
    more much few several another
    other others either neither even else old good great nice cool awesome dear glad absolutely
    definitely anytime adding learning
    add ask avoid build call change check choose clean close commit configure consider copy create
    debug delete deploy disable
    document download edit email enable ensure exclude export extend find finish fix follow forget
    format get give go handle
    help hold ignore implement import improve include install investigate invite join keep launch
    learn leave let list load look
    make meet merge migrate monitor move open ping prefer prepare publish pull push put read
    refactor release remember remind
    remove rename replace reply report request require reset restart restore return review revert
    rewrite run save say schedule
    see send set share ship show sign skip start stop store submit switch sync take talk tell test
    thank treat try turn
    understand update upgrade use validate verify visit wait want watch work write
    added asked built called changed created decided deleted deployed enabled fixed found got
    learned made merged met migrated
    moved opened ran released removed renamed replaced said saw sent started switched told took
    updated upgraded used using
    visited went wrote
"""
NOT_NAMES = STOP_WORDS | frozenset(MONTHS) | frozenset(_NAMELESS.split())
"""Words that name nothing, though they may begin with a capital."""

_OPENERS = frozenset(_OPENING.split())
_PARTICLES = frozenset("van von der den de del della da di du la le bin ibn al".split())
_JOINING = _PARTICLES | set("of the and for in on &".split())
_ABBREVIATED = frozenset("dr mr mrs ms mx prof st jr sr vs cf e.g i.e".split())
_DOMAINS = ("com", "org", "net", "io", "dev", "ai", "app", "edu", "gov")
_ENDS = frozenset(".!?…。！？؟।\n\r\u2028\u2029•")
_OPENING_QUOTES = ('"', "“", "„", "«", "'", "‘", "「", "『")

_LETTER = rf"[^\W{UNSPACED}]"
_KANA = "[\u30a1-\u30fa\u30fc-\u30fe\uff66-\uff9f]"
_TOKEN = (
    r"(?P<url>(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s<>\"'`|]+)"
    r"|(?P<mail>(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5})"
    r"|(?P<mark>(?<![\w@#&/.:])[@#][^\W\d][\w-]{1,62})"
    rf"|(?P<kana>{_KANA}+(?:[・･]{_KANA}+)*)"
    rf"|(?P<chain>(?:(?<![\w./)~])(?:~/|\.{{1,2}}/|/)?\.?)?{_LETTER}+(?:(?:/[.@]?|::|[-.+&'’ʼ]){_LETTER}+)*(?:\(\)|\+\+|#(?!\w))?)"
)
_HOST = r"[a-z0-9+.-]+://(?:[^/?#@]*@)?([\w.-]+)"
_POSSESSIVE = r"['’ʼ][sS](?!\w)"
_VERSION = (
    r"(?!\d\d?\.\d\d?\.\d{4}$)(?:v?\d+(?:\.\d+){2,}|v\d+(?:\.\d+)*)(?:[-+.]?[a-z][a-z0-9.+-]*)?"
)
_TICKET = r"[A-Z][A-Z0-9]{1,9}-\d+"
_DOTTED = r"\.?[^\W\d_][\w-]+(?:\.[^\W\d_][\w-]*)*\.(?=[a-z])(?:[\w-]{2,}|[ch])"
_HIDDEN = r"\.[a-z][a-z0-9_-]{2,}"
_INITIALS = r"(?:[A-Z]\.)+[A-Z]"
_EXTENSION = r"[^/]\.[A-Za-z]\w{0,7}$"
_QUOTED = r"[\"“„«]([^\"”“„»«\n]{2,40})[\"”“»]|(?<!\w)['‘]([^'’‘\n]{2,40})['’](?!\w)"


class _Token(NamedTuple):
    """A part of a text that may be a name or belong to one, and what stands between it and the one
    before.
    """

    at: int
    gap: str
    text: str
    is_thing: bool = False


class _Name(NamedTuple):
    """The words of one name; `opens` if the first may have its capital from the sentence
    it opens.
    """

    at: int
    words: tuple[str, ...]
    opens: bool = False
    is_sure: bool = True


def entities(text: str) -> frozenset[str]:
    """Return the named things of a text in lower case: names, identifiers, paths, hosts, addresses,
    handles and tags.
    """
    text = text[:_MOST_READ]
    if not text.isascii():
        text = _pattern(r"\w[\u0300-\u036f]{1,3}").sub(_composed, text)
        text = text.translate(
            {
                ord(char): _plain(char)
                for char in set(text)
                if char.isupper() and char.lower() == char
            }
        )
    found: dict[str, int] = {}
    unsure: list[_Name] = []
    inner: set[str] = set()
    quoted, text = _without_quoted(text)
    for name in chain.from_iterable(
        _names(phrase, opens) for phrase, opens in _phrases(_tokens(text))
    ):
        if name.is_sure:
            found.setdefault(" ".join(name.words), name.at)
            inner.update(name.words[name.opens :])
            if len(found) == MOST:
                break
        else:
            unsure.append(name)
    later = [(name.at, name.words[0]) for name in unsure if name.words[0] in inner]
    for at, word in [*later, *quoted]:
        found[word] = min(at, found.get(word, at))
    return frozenset(sorted(found, key=found.__getitem__)[:MOST])


def _tokens(text: str) -> Iterator[_Token]:
    """Yield what may be a name, in order: things known by their form, and words."""
    end = 0
    for found in _pattern(_TOKEN).finditer(text):
        gap, at, token = text[end : found.start()], found.start(), found[0]
        end = found.end()
        if found.lastgroup != "chain":
            yield _Token(at, gap, _of_form(found.lastgroup or "", token), is_thing=True)
            continue
        if token.isalpha():
            yield _Token(at, gap, token)
            continue
        joined = _pattern(_POSSESSIVE).sub("", token)
        thing = _identifier(joined)
        if thing is not None:
            yield _Token(at, gap, thing, is_thing=True)
            continue
        is_one = joined.lower() in _ABBREVIATED or _pattern(_INITIALS).fullmatch(joined)
        for part in [joined] if is_one else re.split(r"([/.])", joined):
            if part in ("/", "."):
                gap = part
            elif part:
                yield _Token(at, gap, part)


def _of_form(form: str, token: str) -> str:
    """Return the name in a URL, an e-mail address, a handle, a tag or a run of Katakana.

    Empty if there is none.
    """
    match form:
        case "url":
            host = _pattern(_HOST).match(token.lower())
            return host[1].removeprefix("www.").rstrip(".") if host else ""
        case "kana":
            import unicodedata

            return unicodedata.normalize("NFKC", token) if 3 <= len(token) <= _LONGEST else ""
        case "mark":
            colour = _pattern("#(?=[a-f]*[0-9])(?:[0-9a-f]{3}|[0-9a-f]{6})").fullmatch(
                token.lower()
            )
            return "" if colour else token.lower().rstrip("-_")
        case _:
            return token.lower()


def _identifier(joined: str) -> str | None:
    """Return what a chain of letters and joiners names by its form alone, or None if it is one or
    several words.
    """
    name = joined.removesuffix("()").lower()
    if len(name) > _LONGEST:
        return ""
    if (
        joined.endswith("()")
        or "::" in name
        or "_" in name.strip("_")
        or (name.startswith("__") and name.endswith("__"))
    ):
        return name.removeprefix("./")
    if "/" in name:
        return _path(name)
    is_formal = _pattern(_VERSION).fullmatch(name) or _pattern(_TICKET).fullmatch(joined)
    if is_formal or _pattern(_DOTTED).fullmatch(joined) or _pattern(_HIDDEN).fullmatch(joined):
        return name
    return None


def _path(name: str) -> str | None:
    """Return a path, or the host of an address without its scheme, or None if the slash
    means `or`.
    """
    parts = name.split("/")
    if parts[0].rpartition(".")[2] in _DOMAINS and "." in parts[0].strip("."):
        return parts[0].removeprefix("www.")
    if name.replace("/", "").isdigit():
        return None
    is_path = len(parts) > 2 or parts[0] in ("~", ".", "..") or _pattern(_EXTENSION).search(name)
    return name.removeprefix("./") if is_path else None


def _phrases(tokens: Iterable[_Token]) -> Iterator[tuple[list[_Token], bool]]:
    """Yield the tokens with but a space between them, and whether they open a sentence."""
    phrase: list[_Token] = []
    opens = True
    for token in tokens:
        is_short = (
            token.gap in (". ", ".")
            and phrase
            and (phrase[-1].text.lower() in _ABBREVIATED or _is_initial(phrase[-1].text))
        )
        if phrase and not is_short and token.gap not in (" ", "\u00a0"):
            yield phrase, opens
            phrase, opens = (
                [],
                token.gap.endswith(_OPENING_QUOTES) or not _ENDS.isdisjoint(token.gap),
            )
        phrase.append(token)
    yield phrase, opens


def _names(phrase: list[_Token], opens: bool) -> Iterator[_Name]:
    """Yield the things of a phrase, and its capitalised words joined to names."""
    if not any(token.is_thing or not token.text.islower() for token in phrase):
        return
    loud = [token.text.lower() for token in phrase if len(token.text) > 1 and token.text.isupper()]
    shouts = len(loud) > 2 and not NOT_NAMES.isdisjoint(loud)

    def sort(numbered: tuple[int, _Token]) -> str:
        place, token = numbered
        if token.is_thing:
            return "thing"
        if (shouts and token.text.isupper()) or (
            opens and place == 0 and token.text.lower() in _OPENERS
        ):
            return ""
        return "name" if token.text in _PARTICLES or _is_name(token.text) else ""

    for kind, group in groupby(enumerate(phrase), sort):
        run = list(group)
        if kind == "thing":
            yield from (
                _Name(token.at, (token.text,))
                for _, token in run
                if 1 < len(token.text) <= _LONGEST
            )
        elif kind == "name":
            while run and run[-1][1].text in _PARTICLES:
                run.pop()
            named = list(dropwhile(lambda numbered: numbered[1].text in _PARTICLES, run))
            words = tuple(token.text.lower() for _, token in named)
            if 0 < len(words) <= _MOST_WORDS and 1 < len(" ".join(words)) <= _LONGEST:
                place, first = named[0]
                is_first = opens and place == 0
                yield _Name(
                    first.at,
                    words,
                    is_first,
                    not is_first or len(words) > 1 or _is_strong(first.text),
                )


def _is_name(word: str) -> bool:
    """Say whether a word has a capital and is none that names nothing."""
    plain = re.sub("['’ʼ]", "'", word.lower())
    if word != "US" and not NOT_NAMES.isdisjoint((plain.replace("'", ""), plain.partition("'")[0])):
        return False
    return word[0].isupper() or _is_strong(word)


def _is_strong(word: str) -> bool:
    """Say whether a word is a name wherever it stands: capitals or digits within, as in GitHub,
    iPhone, NASA, H200 or C++.
    """
    if word[0].isupper():
        return any(not char.islower() and char not in "-'’ʼ" for char in word[1:])
    return len(word) > 2 and word[0].isalpha() and any(map(str.isupper, word))


def _is_initial(word: str) -> bool:
    """Say whether a word is a letter, or several with dots, that stands for a name."""
    return (len(word) == 1 and word.isupper() and word != "I") or bool(
        _pattern(_INITIALS).fullmatch(word)
    )


def _without_quoted(text: str) -> tuple[list[tuple[int, str]], str]:
    """Return the short names that stand in quotation marks, and the text with commas in their
    place.
    """
    names: list[tuple[int, str]] = []

    def taken(found: re.Match[str]) -> str:
        name = _quoted_name((found[1] or found[2]).rstrip(",.;:!?"))
        if len(name) < 2:
            return found[0]
        names.append((found.start(), name))
        return "," * len(found[0])

    return names, _pattern(_QUOTED).sub(taken, text)


def _quoted_name(inside: str) -> str:
    """Return what stands in quotation marks in lower case if all its words have capitals as names
    do, else an empty text.
    """
    words = _pattern(_POSSESSIVE).sub("", inside).removeprefix("The ").split()
    if not 0 < len(words) <= _MOST_WORDS or words[0] in _JOINING or words[-1] in _JOINING:
        return ""
    name = " ".join(words).lower()
    is_name = words[0][:1].isupper() and all(
        word[:1].isupper() or word[:1].isdigit() or word in _JOINING for word in words
    )
    return name if is_name and name not in NOT_NAMES and name not in _OPENERS else ""


def _plain(capital: str) -> str:
    """Return the letter that a capital without a small form is a drawing of, as those of
    mathematics are.
    """
    import unicodedata

    return unicodedata.normalize("NFKC", capital)


def _composed(found: re.Match[str]) -> str:
    """Put a letter and its marks together."""
    import unicodedata

    return unicodedata.normalize("NFC", found[0])


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)
