"""Group similar memories around the most important one, and compare what two texts say."""

import re
from collections.abc import Mapping, Sequence

from ghostmem.model import Memory, Tier
from ghostmem.text.terms import index_terms

# numbers with their sign, words, single signs
_WORDS = r"[-+±]?\d+(?:[.,:/'’-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*[#+]*|\w+|\S"
_PUNCTUATION = frozenset("。、，！：；「」.,;:!\"'’‘“”()[]{}…—–-·*_`#>|~")  # and markup
_FILLERS = frozenset("a an the its also very really quite".split())
# words that change what a sentence says, and that an index leaves out
REVERSING_WORDS = frozenset(
    "no not never none nobody nothing nowhere neither nor without cannot only before after "
    "until since up down on off over under"
    " above below against all both each some any few".split()
)
MIN_DISTINCTIVE_SHARE = 0.7  # of the longer text's distinctive terms, which the shorter has


def groups(
    memories: Sequence[Memory], near: Mapping[str, Mapping[str, float]]
) -> list[list[Memory]]:
    """Return groups of at least two memories: the most important one and all that are near it.

    `near` has the ids of similar memories by id. A memory is in one group at most."""
    by_id = {memory.id: memory for memory in memories}
    grouped: set[str] = set()
    similar_groups: list[list[Memory]] = []
    for pivot in in_order(memories):
        near_ids = [
            id_
            for id_ in (near.get(pivot.id, {}) if pivot.id not in grouped else ())
            if id_ in by_id and id_ not in grouped and id_ != pivot.id
        ]
        if near_ids:
            grouped.update((pivot.id, *near_ids))
            similar_groups.append(
                [pivot, *sorted((by_id[id_] for id_ in near_ids), key=lambda m: m.key)]
            )
    return similar_groups


def in_order(memories: Sequence[Memory]) -> list[Memory]:
    """Return memories by importance, newest first among equals.

    Dormant ones come last: they lose no importance, and would outrank their duplicates in time.
    """
    return sorted(
        memories,
        key=lambda m: (m.tier == Tier.DORMANT, -m.importance, -m.created_at.timestamp(), m.key),
    )


def essence(text: str) -> tuple[str, ...]:
    """Return the words of a text in order, without case, punctuation and filler words.

    Texts with the same essence say the same. All other words count, because a single one can
    reverse a sentence, and no list of such words is complete: a name, a number, a negation, or who
    does it to whom."""
    return tuple(
        token
        for token in re.findall(_WORDS, re.sub(r"n['’]t\b", " not", text.lower()))
        if token not in _PUNCTUATION and token not in _FILLERS
    )


def resembles(text: str, longer: str) -> bool:
    """Say whether another text has all distinctive terms of a text, in the same order.

    Such texts may say the same; this alone does not decide it."""
    own_terms, other_terms = distinctive(text), distinctive(longer)
    if not own_terms or not other_terms:
        return text.split() == longer.split()
    following = iter(other_terms)
    return (
        reversing_words(text) == reversing_words(longer)
        and all(term in following for term in own_terms)
        and len(own_terms) >= MIN_DISTINCTIVE_SHARE * len(other_terms)
    )


def distinctive(text: str) -> list[str]:
    """Return the stemmed words of a text without stop words, then all its numbers, in order."""
    return [
        *index_terms(text),
        *(f"#{number}" for number in re.findall(r"\d+(?:[.:,/-]\d+)*", text)),
    ]


def reversing_words(text: str) -> list[str]:
    """Return the words of a text that can reverse a sentence, in order."""
    return [word for word in essence(text) if word in REVERSING_WORDS]
