"""What a sentence says of what: its subject, its verb and the value, found by small words alone."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ghostmem.text.stem import stem
from ghostmem.truth.rules.said import Said, Word, said, sentences
from ghostmem.truth.rules.signs import FIRST
from ghostmem.truth.rules.wordings import NEGATORS, ROLES, STATES

MOST = 12  # frames that one text may have
LONGEST = 10  # words of a value that are looked at

_BE = frozenset("is are was were am be been ist sind war es son esta fue".split())
HAVE = frozenset("has have had got".split())
_WE = ("we", "i")
_PRONOUNS = frozenset("it he she they this that these those its his her their there".split())
_BETWEEN = frozenset(  # what may stand between a verb and what it says
    "now not no longer only also still just already currently always usually never a an the"
    " all both officially finally back over out off forward up down"
    " recently since then newly currently our my your".split()
)
PLACES = frozenset("in on at near inside".split())
_PREPOSITIONS = PLACES | frozenset(
    "with through by from to into onto via for until till after before under of as "
    "per every".split()
)
_MEANS = frozenset("with through via by from in at on".split())
_HELD = frozenset(
    map(stem, "maintain own lead manage coach".split())
)  # verbs of which there is one subject
_TO = frozenset("to into onto until till".split())
MOVES = frozenset("moved relocated shifted transferred migrated".split())
_PUT, _OFF = (
    frozenset("pushed put brought".split()),
    frozenset("back off forward".split()),
)  # put off, brought forward
TIMED = frozenset("postponed rescheduled delayed extended shortened".split())
_ACTS = (
    MOVES
    | TIMED
    | frozenset(
        "switched changed upgraded downgraded updated renamed converted transitioned "
        "ported raised lowered increased decreased"
        " reduced bumped rewritten scaled swapped reassigned went rose fell dropped grew "
        "passed grown risen fallen"
        " shrunk".split()
    )
)
_PARTICIPLES = frozenset(
    "cut sent built kept held run made done led paid set put sold hung bought taught "
    "caught spent met shut read left lost".split()
)
_PAST = frozenset("sold bought gave left quit took got went became chose began stopped".split())
_NO_PAST = frozenset("need speed indeed".split())
_SAID_OF = frozenset(
    "user we new current now".split()
)  # words of a subject without which it is the same one


class Frame(NamedTuple):
    """What is said of something: the terms of the subject, the verb's, the preposition before the
    value, and the value's words.

    A verb of change has no term of its own: it may change whatever an older sentence says of the
    subject."""

    subject: frozenset[str]
    verb: str
    by: str
    value: tuple[Word, ...]
    act: str = ""
    is_denied: bool = False
    lead: tuple[
        str, ...
    ] = ()  # what stands before the last preposition of the value, and that one itself

    @property
    def terms(self) -> frozenset[str]:
        """Return the terms of the value."""
        return frozenset(word.term for word in self.value if word.term)

    @property
    def sorts(self) -> frozenset[str]:
        """Return what sorts of things the value is made of: times, numbers, names."""
        return frozenset(filter(None, map(sort, self.value)))


def sort(word: Word) -> str:
    """Return what sort of thing a word is: a time, a number, a name, or nothing of these."""
    if not word.term:
        return "number" if word.plain == "one" else ""
    if word.is_time:
        return "time"
    if word.is_value:
        return "number"
    return "name" if word.is_name or (len(word.term) == 1 and not word.term.isascii()) else ""


@lru_cache(64)
def frames(text: str) -> tuple[Frame, ...]:
    """Return what a text says of what, clause by clause.

    A clause without a subject has that of the one before it.
    """
    return tuple(_frames(text[:FIRST]))[:MOST]


@cache
def _clause() -> re.Pattern[str]:
    return re.compile(
        r"[;:,](?=\s)|\s(?:and|but|because|while|und|y|pero|aber)\s|\ssince\s(?=[A-Z])"
        r"|\sinstead of\s|[，；：。]| - |—"
    )


def _frames(text: str) -> Iterator[Frame]:
    subject: frozenset[str] = frozenset()
    for sentence in sentences(text if text.isascii() else _spoken(text)):
        is_new = False
        for part in _clause().split(_opening().sub("", sentence)):
            clause = said(part.strip())
            found = _frame(clause, subject)
            if found is None and is_new:  # a new landlord: Ms. Brandt
                found = Frame(subject, "be", "", _value(clause.words, 0))
            if found is not None:
                is_new = "new" in found.terms and (found.verb in HAVE or found.verb in _PAST)
                subject = _core(found.terms) if is_new else found.subject
                if found.value and not is_new:
                    yield found


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(
        r"^(?:these days|nowadays|now|currently|from now on|as of \w+|since (?:last )?\w+),? ",
        re.IGNORECASE,
    )


def _spoken(text: str) -> str:
    """Return a text with the few Chinese words that say how a sentence is built in English, so that
    it can be read alike.
    """
    for pattern, form in _chinese():
        text = pattern.sub(form, text)
    return text


@cache
def _chinese() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(pattern), f" {form} ")
        for pattern, form in (
            ("现在|目前|如今|已经|已|了|的新|上个?[周月]", ""),
            ("用户", "user"),
            ("(?:搬|迁移|迁|转|切换|挪|移)(?:到|去|至)", "moved to"),
            ("(?:推迟|提前|延期|延长|改)(?:到|至)", "rescheduled to"),
            (
                "改为|改成|改用|换成|换到|换为|变成|变更为|调整为|更新为|升级到|升级为|升级至|(?:涨|降|升|提高|增加|减少|减)(?:到|至|为)",
                "changed to",
            ),
            ("(?:部署|设|放|托管|存放|坐落)在|位于", "is in"),
            ("是", "is"),
            ("通过", "through"),
        )
    )


def _frame(clause: Said, before: frozenset[str]) -> Frame | None:
    words = clause.words
    at = _verb(words)
    if at is None:
        return None
    subject = frozenset(word.term for word in words[:at] if word.term)
    if words[0].plain in _WE:
        subject |= {"we"}
    elif not subject and (at == 0 or words[0].plain in _PRONOUNS):
        subject = before
    verb, rest = words[at], _after(words, at + 1)
    if (
        verb.plain in _BE | HAVE
        and rest < len(words)
        and _is_participle(words, rest, verb.plain in HAVE)
    ):
        if words[rest].plain == "been" and _is_participle(words, _after(words, rest + 1), True):
            rest = _after(words, rest + 1)
        if words[rest].plain != "been":
            verb, rest = words[rest], _after(words, rest + 1)
    if verb.plain in _ACTS or (
        verb.plain in _PUT and any(word.plain in _OFF for word in words[at:rest])
    ):
        return _changed(words, verb, rest, subject)
    by = words[rest].plain if rest < len(words) and words[rest].plain in _PREPOSITIONS else ""
    name = "be" if verb.plain in _BE else verb.term or verb.plain
    is_denied = any(word.plain in NEGATORS for word in words[max(at - 1, 0) : rest])
    value = _value(words, rest)
    is_holder = (
        name == "be"
        and not frozenset(word.term for word in value).isdisjoint(ROLES)
        and _is_definite(words[at:rest])
    )
    if is_holder or (
        name in _HELD and value and subject and not by and verb.plain[-2:] != "ed"
    ):  # Wei maintains the crate, as maintained by Wei
        holder = tuple(word._replace(is_name=True) for word in words[:at] if word.term)
        return Frame(
            _core(frozenset(word.term for word in value)),
            name,
            "" if is_holder else "by",
            holder,
            is_denied=is_denied,
        )
    return Frame(_core(subject), name, by, value, is_denied=is_denied, lead=_lead(words[rest:]))


def _changed(words: Sequence[Word], verb: Word, rest: int, subject: frozenset[str]) -> Frame | None:
    """Read a sentence that tells of a change: what it changes stands before the verb or between it
    and a `to`.
    """
    to = next((at for at in range(rest, len(words)) if words[at].plain in _TO), None)
    if verb.plain == "rewritten" and to is None:
        to = next((at for at in range(rest, len(words)) if words[at].plain == "in"), None)
    between = words[rest : len(words) if to is None else to]
    if any(word.plain == "from" for word in between):
        between = between[: [word.plain for word in between].index("from")]
    subject |= {word.term for word in between if word.term}
    value = () if to is None else _value(words, to + 1)
    return Frame(_core(subject), "", "", value, verb.plain)


def _verb(words: Sequence[Word]) -> int | None:
    """Return where the verb stands: a form of `be` or `have` before any other, a verb of change, or
    a known one.
    """
    known = None
    if words and words[0].plain in _WE:
        return at if (at := _after(words, 1)) < len(words) else None
    for at, word in enumerate(words):
        if word.plain in _BE or (word.plain in HAVE and at):
            return at if known is None or words[known].plain not in _ACTS else known
        if known is not None:
            return known
        if word.plain in STATES or (
            at and (word.plain in _ACTS or word.plain in _PAST or _is_past(word))
        ):
            known = at
    return known


def _is_past(word: Word) -> bool:
    return (
        len(word.plain) > 4
        and word.plain.endswith("ed")
        and not word.is_name
        and word.plain not in _NO_PAST
    )


def _after(words: Sequence[Word], at: int) -> int:
    while at < len(words) and words[at].plain in _BETWEEN:
        at += 1
    return at


def _is_participle(words: Sequence[Word], at: int, perfect: bool) -> bool:
    """Say whether a word is the verb that a form of `be` or `have` belongs to: written, cut from,
    moved.
    """
    if at >= len(words):
        return False
    plain = words[at].plain
    if plain in _ACTS or plain in _PARTICIPLES or (perfect and plain == "been"):
        return True
    return len(plain) > 4 and plain.endswith(("ed", "en")) and not words[at].is_name


def _is_definite(words: Sequence[Word]) -> bool:
    return any(word.plain in ("the", "our", "my") for word in words)


def _lead(words: Sequence[Word]) -> tuple[str, ...]:
    last = max((at for at, word in enumerate(words) if word.plain in _MEANS), default=0)
    return (*(word.term for word in words[:last] if word.term), words[last].plain) if last else ()


def _value(words: Sequence[Word], at: int) -> tuple[Word, ...]:
    return tuple(word for word in words[at:] if word.term or word.plain == "one")[:LONGEST]


def _core(subject: frozenset[str]) -> frozenset[str]:
    return subject - _SAID_OF or subject
