"""Whether two sentences give different values to one thing, or say different things of it."""

from ghostmem.text.stem import stem
from ghostmem.truth.rules.frame import HAVE, MOVES, PLACES, TIMED, Frame, frames, sort
from ghostmem.truth.rules.said import Said, said
from ghostmem.truth.rules.wordings import LIGHT, ROLE_SIGNS, ROLES, SINGLE

_SEVERAL = frozenset(
    map(
        stem,
        "speak know learn play read collect teach sell offer include contain cover support".split(),
    )
)
_THIN = LIGHT | {"we"}  # subjects that alone do not tell what a sentence is about
_ALSO = frozenset("also too additionally besides 也 还".split())
_PLACED = frozenset(  # verbs that say where or when something is
    "base host locate live reside work sit meet hold take start run listen store deploy "
    "happen open place".split()
)


def replaces(new: str, old: str, is_strong: bool) -> bool:
    """Say whether a text that tells of a change gives another value to something that an older one
    gives a value to.
    """
    if is_more(new):
        return False
    return any(
        is_same_slot(one, other, is_strong)
        for one in frames(new)
        if not one.is_denied
        for other in frames(old)
    )


def ends(over: frozenset[str], new: Said, old: str) -> bool:
    """Say whether what is over is just what an older text says of something that a new one names
    too.
    """
    mine = set(new.terms)
    return bool(over) and any(
        over <= other.terms and not other.is_denied and bool((other.subject - _THIN) & mine)
        for other in frames(old)
    )


def is_more(text: str) -> bool:
    """Say whether a text adds to what is known: also, too."""
    return not _ALSO.isdisjoint(word.plain for word in said(text).words)


def is_aside(new: str, old: str, is_strong: bool) -> bool:
    """Say whether a text that tells of a change is about something else: a part of what an older
    one is about, or another side.

    It is Postgres, and it is backed up; the office, and the office's chairs; and what there may be
    several of: speaks Greek."""
    if not is_strong and is_more(new):
        return True
    pairs = [(one, other) for one in frames(new) for other in frames(old)]
    if any(
        one.act and one.subject > other.subject and not one.subject - other.subject <= ROLES
        for one, other in pairs
    ):
        return True
    same = (
        [(one, other) for one, other in pairs if one.subject == other.subject]
        if not is_strong
        else []
    )
    if same and all(one.verb != other.verb and not one.terms & other.terms for one, other in same):
        return True
    several = [
        (one, other) for one, other in same if one.verb == other.verb and one.verb in _SEVERAL
    ]
    return any(not one.sorts & other.sorts - {"name"} for one, other in several)


def is_same_slot(new: Frame, old: Frame, is_strong: bool) -> bool:
    """Say whether two sentences say another value of the same thing.

    With words of change that are strong less is asked.

    The subject must be the same. A verb of change fits what has a value of the same sort; otherwise
    the verbs must agree, or what stands beside the values."""
    mine, theirs = new.terms, old.terms
    if not mine - theirs or not (theirs or old.value) or not is_same_subject(new, old):
        return False
    sorts = new.sorts & old.sorts
    if new.act or old.act:
        return _fits(new, old, sorts) if new.act and not old.act else bool(sorts)
    same_by = new.by == old.by or {new.by, old.by} <= PLACES
    if _has_one(new.subject) and new.verb == old.verb == "be" and same_by:
        return True
    is_same_verb = new.verb == old.verb
    if new.verb in _SEVERAL and not is_strong and not sorts - {"name"}:
        return False
    if is_same_verb and len(new.lead) > 1 and new.lead == old.lead:
        return True
    if (
        is_same_verb
        and new.verb != "be"
        and new.by
        and same_by
        and new.subject - _THIN
        and not mine & theirs
    ):
        return True
    if not sorts:
        return (
            is_strong
            and is_same_verb
            and new.verb != "be"
            and same_by
            and bool(new.by or mine & theirs)
        )
    if _is_about_else(new, old):
        return False
    if is_same_verb:
        return same_by and (
            is_strong or new.verb == "be" or new.verb in SINGLE or sorts != {"name"} or bool(new.by)
        )
    return bool(mine & theirs) or (bool(new.by) and same_by)


def _fits(new: Frame, old: Frame, sorts: frozenset[str]) -> bool:
    """Say whether a verb of change fits what another sentence says: what moves was somewhere, what
    is postponed has a date.
    """
    is_placed = old.verb in _PLACED or (
        old.verb == "be" and (old.by in PLACES or new.sorts == old.sorts)
    )
    if new.act in TIMED or (new.act in MOVES and not is_placed):
        return bool(sorts - {"name"})
    if old.verb in HAVE and sorts == {"number"} and _plain(old) - _plain(new):
        return False  # so many of something, and another number
    return bool(sorts or new.terms & old.terms)


def is_same_subject(new: Frame, old: Frame) -> bool:
    """Say whether two sentences are about one thing.

    A word for what it has one of may be left out where numbers follow.
    """
    if new.subject == old.subject:
        return bool(new.subject - _THIN) or bool(
            new.subject and new.verb == old.verb and new.verb != "be"
        )
    if not (new.subject - _THIN and old.subject - _THIN):
        return False
    more = new.subject ^ old.subject
    return (
        (new.subject > old.subject or old.subject > new.subject)
        and more <= ROLES
        and bool(new.sorts & old.sorts - {"name"})
    )


def _has_one(subject: frozenset[str]) -> bool:
    if not subject.isdisjoint(ROLES):
        return True
    return any(all(sign in subject for sign in role) for role in ROLE_SIGNS)


def _is_about_else(new: Frame, old: Frame) -> bool:
    """Say whether both have plain words beside their values that the other has not: the gym on
    Monday, the cinema on Friday.
    """
    mine, theirs = _plain(new), _plain(old)
    return bool(mine - theirs and theirs - mine)


def _plain(frame: Frame) -> set[str]:
    return {word.term for word in frame.value if word.term and not sort(word)} - LIGHT
