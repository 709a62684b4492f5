"""What a new text is to an older one, told without a model: the same again, a change, a
contradiction, or something else.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

from ghostmem.model import VerdictKind
from ghostmem.truth.rules.alike import essence
from ghostmem.truth.rules.change import (
    ChangeCue,
    changes,
    is_act,
    is_of,
    is_plan,
    is_question,
    is_unsure,
)
from ghostmem.truth.rules.differ import (
    Aligned,
    align,
    is_opposite,
    is_other_value,
    is_swapped,
    is_turned,
    subject,
)
from ghostmem.truth.rules.said import Said, clauses, said, unlabelled
from ghostmem.truth.rules.signs import FIRST
from ghostmem.truth.rules.slot import ends, is_aside, replaces
from ghostmem.truth.rules.wordings import LIGHT, ROLES

WEAK = (
    "now",
    "jetzt",
    "ahora",
    "现在",
    "目前",
    "如今",
    "these days",
    "nowadays",
)  # cues that tell little by themselves
INSTEAD = (
    "instead of",
    "in place of",
    "replaced",
    "replaces",
    "no longer",
)  # cues that name exactly what is over
LEAST = 0.5  # what part of one text's terms the other must have to be looked at
ALIKE, LIKE = (
    0.75,
    0.67,
)  # and both to say the same: by their words alone, and with vectors that are near
NEAR, FAR = (
    0.85,
    0.6,
)  # cosines from which on vectors are near, and below which two texts do not say the same
SUBJECT = 1.5  # how much two texts must share to be about one thing
SHOWN = 8  # how many shared terms and differences are told


class Judged(NamedTuple):
    """A judgement, how sure it is, and what it rests on."""

    kind: VerdictKind
    confidence: float
    evidence: dict[str, Any]


def judge(new: str, old: str, similarity: float | None) -> Judged:
    """Say what a new text is to an older one; the cosine of their vectors helps where there is one.

    Texts are judged by their first part. Two messages of one template about other things are new to
    each other."""
    new, old = unlabelled(new[:FIRST]), unlabelled(old[:FIRST])
    mine, theirs = said(new), said(old)
    both = frozenset(mine.terms) & frozenset(theirs.terms)
    shared = [term for term in dict.fromkeys(mine.terms) if term in both]
    found = changes(new) if shared and not is_question(new) else ()
    covers = _cover(mine.terms, both), _cover(theirs.terms, both)
    is_far = not found and (
        max(covers) < LEAST or (min(covers) < LEAST and not mine.denials and not theirs.denials)
    )
    aligned = align(mine, theirs) if shared and not is_far else Aligned((), 0.0)

    def told(kind: VerdictKind, confidence: float, cues: Collection[ChangeCue] = ()) -> Judged:
        differs = [
            " ".join(word.plain for word in side)
            for region in aligned.regions
            for side in (region.old, region.new)
        ]
        evidence = {
            "similarity": None if similarity is None else round(similarity, 3),
            "shared": shared[:SHOWN],
            "cues": list(dict.fromkeys(change.cue for change in cues))[:SHOWN],
            "differs": [text for text in differs if text][:SHOWN],
        }
        return Judged(kind, round(confidence, 2), evidence)

    if _is_same(new, old):
        return told(VerdictKind.RESTATEMENT, 1.0)
    if not shared or is_far or (is_question(new) != is_question(old)):
        return told(VerdictKind.NEW, 1.0)
    relevant = [change for change in found if _concerns(change, mine, theirs, similarity)]
    if relevant and _is_told(changes(old), relevant, mine, theirs, aligned):
        relevant = []
    if found and not any(change.over for change in relevant):
        relevant = _by_slot(found, relevant, mine, theirs)
    if (sure := _restates(mine, theirs, aligned, similarity, relevant)) > 0:
        return told(VerdictKind.RESTATEMENT, sure)
    if relevant:
        return told(
            VerdictKind.UPDATE, 0.9 if any(change.over for change in relevant) else 0.75, relevant
        )
    if not found and not is_plan(new) and (sure := _contradicts(mine, theirs, aligned)) > 0:
        return told(VerdictKind.CONFLICT, sure)
    return told(VerdictKind.NEW, 1.0)


def _is_same(new: str, old: str) -> bool:
    if new == old or new.split() == old.split():
        return True
    return set(said(new).terms) == set(said(old).terms) and essence(new) == essence(old) != ()


def weight(terms: Collection[str]) -> float:
    """Return how much some terms say: a Han sign, or a word that anything may share, is half a
    word.
    """
    return sum(
        0.5 if term in LIGHT or (len(term) == 1 and not term.isascii()) else 1.0 for term in terms
    )


def _cover(some: Collection[str], others: Collection[str]) -> float:
    """Return what part of some terms others have."""
    some = set(some)
    return weight(some & set(others)) / max(weight(some), 0.5)


def _restates(
    new: Said,
    old: Said,
    aligned: Aligned,
    similarity: float | None,
    relevant: Collection[ChangeCue],
) -> float:
    """Return how sure it is that a text says nothing that another does not say."""
    mine, theirs = set(new.terms), set(old.terms)
    names = new.names | old.names
    gained, lost = mine - theirs, theirs - mine
    if (
        new.values != old.values
        or gained & names
        or (gained and lost & names)
        or is_swapped(new, old)
    ):
        return 0.0
    if (
        new.denials != old.denials
        or new.is_conditional != old.is_conditional
        or relevant
        or any(map(is_opposite, aligned.regions))
    ):
        return 0.0
    if is_unsure(new.text) != is_unsure(old.text):
        return 0.0
    forth, back = _cover(mine, theirs), _cover(theirs, mine)
    if aligned.common >= 0.3 and _is_replaced(aligned, mine, theirs):
        return 0.0
    if aligned.common >= 0.6 and weight(gained - LIGHT - ROLES) >= 1:
        return 0.0  # the same and something more
    if aligned.common >= 0.6 and any(map(is_turned, aligned.regions)):
        return 0.0
    if min(forth, back) < (LIKE if similarity is not None and similarity >= NEAR else ALIKE):
        return 0.0
    if similarity is None:
        return min(forth, back)
    return max(similarity, min(forth, back)) if similarity >= FAR else 0.0


def _is_replaced(aligned: Aligned, mine: set[str], theirs: set[str]) -> bool:
    """Say whether somewhere a word stands in place of another, and neither text has both."""
    for region in aligned.regions:
        gained = {word.term for word in region.new if word.term} - theirs
        lost = {word.term for word in region.old if word.term} - mine
        if gained and lost:
            return True
    return False


def _concerns(change: ChangeCue, new: Said, old: Said, similarity: float | None) -> bool:
    """Say whether a change that a text tells of is one of what another says."""
    if change.cue in ("instead", "的新") or change.cue.endswith("new"):
        # these tell little by themselves, and a new one may be one more: only the same slot tells
        return False
    theirs = set(old.terms)
    both = weight(change.about & theirs)
    is_named_alike = (
        said(change.cue).values <= old.values
    )  # a cue may name what it changes: moved ticket 5 from
    if is_named_alike and change.cue in INSTEAD and ends(change.over, new, old.text):
        return True
    if not is_named_alike or (not subject(old) <= set(new.terms) and not change.subject <= theirs):
        return False  # the same change, but of another thing
    if both >= 1 and is_of(change, old.text):
        return True
    if change.over:
        said_much = both >= SUBJECT or (similarity or 0) >= 0.5 or _cover(theirs, new.terms) >= 0.5
        # that somebody no longer drinks coffee says nothing about tea
        return (
            _cover(change.over, theirs) >= (0.6 if change.cue == "no longer" else 0.4) and said_much
        )
    if change.cue in WEAK and both < 3 and _cover(new.terms, theirs) < 0.5:
        return False
    if is_act(change) and change.subject & theirs and _cover(change.subject, theirs) <= 0.5:
        return False
    return (
        both >= SUBJECT
        and _cover(theirs, new.terms) >= 0.45
        and (similarity is None or similarity >= 0.35)
    )


def _by_slot(
    found: Collection[ChangeCue], relevant: list[ChangeCue], new: Said, old: Said
) -> list[ChangeCue]:
    """Keep, add or leave out words of change by what the sentences say of what: another value of
    the same thing is changed.
    """
    strong = [change for change in found if change.cue not in WEAK]
    if replaces(new.text, old.text, bool(strong)):
        return relevant or strong or list(found)
    return [] if is_aside(new.text, old.text, bool(strong)) else relevant


def _is_told(
    before: Collection[ChangeCue],
    found: Collection[ChangeCue],
    new: Said,
    old: Said,
    aligned: Aligned,
) -> bool:
    """Say whether an older text tells of the same change already, or of the same change of another
    thing.
    """
    if any(one.over and one.over == other.over for one in before for other in found):
        return True
    if (
        min(_cover(new.terms, old.terms), _cover(old.terms, new.terms)) >= 0.9
        and new.denials == old.denials
    ):
        return True
    if any(_follows(change, before, old) for change in found):
        return False
    ends_alike = not aligned.regions or aligned.regions[-1].at_new + len(
        aligned.regions[-1].new
    ) < len(new.words)
    return bool(before) and aligned.common >= 0.6 and (len(aligned.regions) > 1 or ends_alike)


def _follows(change: ChangeCue, before: Collection[ChangeCue], old: Said) -> bool:
    """Say whether a change ends what an older text says began: from 14 to 15, then from 15
    to 16.
    """
    return bool(change.over.difference(*(other.over for other in before)) & set(old.terms))


def _contradicts(new: Said, old: Said, aligned: Aligned) -> float:
    """Return how sure it is that a text says of the same thing what cannot be true beside the
    other.
    """
    if _is_denied(new, old):
        return 0.85
    forth, back = _cover(new.terms, old.terms), _cover(old.terms, new.terms)
    said_otherwise = [
        region
        for region in aligned.regions
        if any(word.term for word in (*region.new, *region.old))
    ]
    if (
        min(forth, back) >= 0.6
        and new.values == old.values
        and said_otherwise
        and all(map(is_opposite, said_otherwise))
    ):
        return 0.8
    if min(forth, back) >= 0.9 and is_swapped(new, old):
        return 0.7
    return 0.75 if is_other_value(new, old, aligned) else 0.0


def _is_denied(new: Said, old: Said) -> bool:
    """Say whether a clause of one text is a clause of the other with or without a `not`."""
    if not new.denials and not old.denials:
        return False
    pairs = [(new, old)] + [
        (said(one), said(other)) for one in clauses(new.text)[:6] for other in clauses(old.text)[:6]
    ]
    return any(_is_flip(one, other) for one, other in pairs)


def _is_flip(one: Said, other: Said) -> bool:
    """Say whether two texts have the same terms, or one a few more, and only one of them denies."""
    if (
        one.denials % 2 == other.denials % 2
        or one.values != other.values
        or one.is_conditional != other.is_conditional
    ):
        return False
    mine, theirs = set(one.terms), set(other.terms)
    if not mine or not theirs or (mine - theirs - LIGHT and theirs - mine - LIGHT):
        return False
    return min(_cover(mine, theirs), _cover(theirs, mine)) >= 0.75
