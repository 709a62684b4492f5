"""Which words a memory is found by besides its text: those of its key and its tags."""

from collections.abc import Iterable, Sequence

from ghostmem.model import CAPTURED, MACHINE_TAGS, MINED, Sort
from ghostmem.text.terms import index_terms


def label_terms(label: str) -> list[str]:
    """Return the terms of a key or a tag, without short numbers: those are counters, not what a
    question names.
    """
    return [term for term in index_terms(label) if term.isalpha() or len(term) > 4]


def tag_terms(tags: Iterable[str]) -> list[str]:
    """Return the terms of those tags that somebody chose, each once."""
    return list(dict.fromkeys(term for tag in chosen_tags(tags) for term in label_terms(tag)))


def chosen_tags(tags: Iterable[str]) -> Sequence[str]:
    """Leave out the tags that Ghost sets itself: they say how a memory came here, and many memories
    share them.
    """
    given = tuple(tags)
    if MACHINE_TAGS.isdisjoint(given):
        return given
    kinds: frozenset[str] = frozenset()
    if CAPTURED in given or MINED in given:
        kinds = frozenset(Sort)
    return [tag for tag in given if tag not in MACHINE_TAGS and tag not in kinds]


def with_tags(terms: str, extra: Iterable[str]) -> str:
    """Add terms of tags to a chunk's terms, as far as it does not have them already."""
    known = terms.split()
    return " ".join([*known, *(term for term in extra if term not in set(known))])
