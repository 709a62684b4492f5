"""Find the named entities of a text; memories that share one are linked."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, dropwhile, groupby, starmap
from typing import NamedTuple
from unicodedata import normalize

from ghostmem.text.calendar import MONTHS
from ghostmem.text.patterns import compiled
from ghostmem.text.scripts import UNSPACED
from ghostmem.text.terms import STOP_WORDS, WordMemo

MAX_ENTITIES = 64
"""Only the first entities of a text are returned."""

_MAX_READ = 200_000  # characters; the first names of a longer text tell its topic
_MAX_LENGTH = 80  # characters of a name
_MAX_WORDS = 5  # of a name

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
"""Words that are not names, even with a capital."""

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
    r"|(?P<mail>(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}"
    r"@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5})"
    r"|(?P<mark>(?<![\w@#&/.:])[@#][^\W\d][\w-]{1,62})"
    rf"|(?P<kana>{_KANA}+(?:[・･]{_KANA}+)*)"
    rf"|(?P<chain>(?:(?<![\w./)~])(?:~/|\.{{1,2}}/|/)?\.?)?{_LETTER}+"
    rf"(?:(?:/[.@]?|::|[-.+&'’ʼ]){_LETTER}+)*(?:\(\)|\+\+|#(?!\w))?)"
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
    """A part of a text that may belong to a name, and the text between it and the one before."""

    at: int
    gap: str
    text: str
    is_thing: bool = False


class _Name(NamedTuple):
    """The words of one name; `opens` if it opens a sentence, which explains its capital."""

    at: int
    words: tuple[str, ...]
    opens: bool = False
    is_sure: bool = True


def entities(text: str) -> frozenset[str]:
    """Return the entities of a text in lower case: names, identifiers, paths, hosts, handles."""
    text = text[:_MAX_READ]
    if not text.isascii():
        text = compiled(r"\w[\u0300-\u036f]{1,3}").sub(
            lambda marked: normalize("NFC", marked[0]), text
        )
        # capitals without a lower-case form, as in mathematics
        capitals = [char for char in set(text) if char.isupper() and char.lower() == char]
        text = text.translate({ord(char): normalize("NFKC", char) for char in capitals})
    positions: dict[str, int] = {}
    unsure: list[_Name] = []
    inner: set[str] = set()
    quoted, text = _without_quoted(text)
    for name in chain.from_iterable(starmap(_names, _phrases(_tokens(text)))):
        if name.is_sure:
            positions.setdefault(" ".join(name.words), name.at)
            inner.update(name.words[name.opens :])
            if len(positions) == MAX_ENTITIES:
                break
        else:
            unsure.append(name)
    later = [(name.at, name.words[0]) for name in unsure if name.words[0] in inner]
    for at, word in [*later, *quoted]:
        positions[word] = min(at, positions.get(word, at))
    return frozenset(sorted(positions, key=positions.__getitem__)[:MAX_ENTITIES])


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the parts that may be names, in order: things known by their form, and words."""
    end = 0
    for match in compiled(_TOKEN).finditer(text):
        gap, at, token = text[end : match.start()], match.start(), match[0]
        end = match.end()
        if match.lastgroup != "chain":
            yield _Token(at, gap, _of_form(match.lastgroup or "", token), is_thing=True)
            continue
        if token.isalpha():
            yield _Token(at, gap, token)
            continue
        joined = compiled(_POSSESSIVE).sub("", token)
        thing = _IDENTIFIERS[joined]
        if thing is not None:
            yield _Token(at, gap, thing, is_thing=True)
            continue
        is_single = joined.lower() in _ABBREVIATED or compiled(_INITIALS).fullmatch(joined)
        for part in [joined] if is_single else re.split(r"([/.])", joined):
            if part in ("/", "."):
                gap = part
            elif part:
                yield _Token(at, gap, part)


def _of_form(form: str, token: str) -> str:
    """Return the name in a URL, an e-mail address, a handle, a tag or Katakana, or nothing."""
    match form:
        case "url":
            host = compiled(_HOST).match(token.lower())
            return host[1].removeprefix("www.").rstrip(".") if host else ""
        case "kana":
            return normalize("NFKC", token) if 3 <= len(token) <= _MAX_LENGTH else ""
        case "mark":
            colour = compiled("#(?=[a-f]*[0-9])(?:[0-9a-f]{3}|[0-9a-f]{6})").fullmatch(
                token.lower()
            )
            return "" if colour else token.lower().rstrip("-_")
        case _:
            return token.lower()


def _identifier(joined: str) -> str | None:
    """Return the identifier that joined letters are by their form, or None if they are words."""
    name = joined.removesuffix("()").lower()
    if len(name) > _MAX_LENGTH:
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
    is_formal = any(compiled(form).fullmatch(joined) for form in (_TICKET, _DOTTED, _HIDDEN))
    return name if is_formal or compiled(_VERSION).fullmatch(name) else None


def _path(name: str) -> str | None:
    """Return a path, or the host of an address without scheme; None if the slash means `or`."""
    parts = name.split("/")
    if parts[0].rpartition(".")[2] in _DOMAINS and "." in parts[0].strip("."):
        return parts[0].removeprefix("www.")
    if name.replace("/", "").isdigit():
        return None
    is_path = len(parts) > 2 or parts[0] in ("~", ".", "..") or compiled(_EXTENSION).search(name)
    return name.removeprefix("./") if is_path else None


def _phrases(tokens: Iterable[_Token]) -> Iterator[tuple[list[_Token], bool]]:
    """Yield runs of tokens with only a space between them, and whether they open a sentence."""
    phrase: list[_Token] = []
    opens = True
    for token in tokens:
        before = phrase[-1].text if phrase and token.gap in (". ", ".") else ""
        is_short = (
            (len(before) == 1 and before.isupper() and before != "I")
            or before.lower() in _ABBREVIATED
            or compiled(_INITIALS).fullmatch(before) is not None
        )
        if phrase and not is_short and token.gap not in (" ", "\u00a0"):
            yield phrase, opens
            phrase = []
            opens = token.gap.endswith(_OPENING_QUOTES) or not _ENDS.isdisjoint(token.gap)
        phrase.append(token)
    yield phrase, opens


def _names(phrase: list[_Token], opens: bool) -> Iterator[_Name]:
    """Yield the things of a phrase, and its capitalised words joined to names."""
    if not any(token.is_thing or not token.text.islower() for token in phrase):
        return
    capitals = [
        token.text.lower() for token in phrase if len(token.text) > 1 and token.text.isupper()
    ]
    is_shouted = len(capitals) > 2 and not NOT_NAMES.isdisjoint(capitals)

    def kind_of(token: _Token) -> str:
        if token.is_thing:
            return "thing"
        is_opener = opens and token is phrase[0] and token.text.lower() in _OPENERS
        if is_opener or (is_shouted and token.text.isupper()):
            return ""
        return "name" if token.text in _PARTICLES or _IS_NAME[token.text] else ""

    for kind, group in groupby(phrase, kind_of):
        if kind == "thing":
            for token in group:
                if 1 < len(token.text) <= _MAX_LENGTH:
                    yield _Name(token.at, (token.text,))
        elif kind == "name":
            yield from _joined_name(list(group), phrase[0] if opens else None)


def _joined_name(run: list[_Token], opener: _Token | None) -> Iterator[_Name]:
    """Yield the name of capitalised words without the particles around it, if it has one.

    A single word that opens a sentence is not sure to be a name.
    """
    while run and run[-1].text in _PARTICLES:
        run.pop()
    run = list(dropwhile(lambda token: token.text in _PARTICLES, run))
    words = tuple(token.text.lower() for token in run)
    if 0 < len(words) <= _MAX_WORDS and 1 < len(" ".join(words)) <= _MAX_LENGTH:
        opens = run[0] is opener
        yield _Name(run[0].at, words, opens, not opens or len(words) > 1 or _is_strong(run[0].text))


def _is_name(word: str) -> bool:
    """Say whether a word has a capital and is not in the list of words that are no names."""
    plain = word.lower()
    if not plain.isalnum():
        plain = re.sub("['’ʼ]", "'", plain)
    if word != "US" and not NOT_NAMES.isdisjoint((plain.replace("'", ""), plain.partition("'")[0])):
        return False
    return word[0].isupper() or _is_strong(word)


def _is_strong(word: str) -> bool:
    """Say whether a word has inner capitals or digits, as in GitHub, iPhone, NASA or H200."""
    if word[0].isupper():
        return any(not char.islower() and char not in "-'’ʼ" for char in word[1:])
    return len(word) > 2 and word[0].isalpha() and any(map(str.isupper, word))


def _without_quoted(text: str) -> tuple[list[tuple[int, str]], str]:
    """Return the short names in quotation marks, and the text with commas in their place."""
    names: list[tuple[int, str]] = []

    def take(match: re.Match[str]) -> str:
        name = _quoted_name((match[1] or match[2]).rstrip(",.;:!?"))
        if len(name) < 2:
            return match[0]
        names.append((match.start(), name))
        return "," * len(match[0])

    return names, compiled(_QUOTED).sub(take, text)


def _quoted_name(inside: str) -> str:
    """Return a quoted text in lower case if all its words have capitals, else an empty text."""
    words = compiled(_POSSESSIVE).sub("", inside).removeprefix("The ").split()
    if not 0 < len(words) <= _MAX_WORDS or words[0] in _JOINING or words[-1] in _JOINING:
        return ""
    name = " ".join(words).lower()
    is_name = words[0][:1].isupper() and all(
        word[:1].isupper() or word[:1].isdigit() or word in _JOINING for word in words
    )
    return name if is_name and name not in NOT_NAMES and name not in _OPENERS else ""


_IDENTIFIERS = WordMemo(_identifier)
_IS_NAME = WordMemo(_is_name)
