"""Index terms of the key and the tags of a memory."""

from collections.abc import Iterable, Sequence

from ghostmem.model import CAPTURED, MACHINE_TAGS, MINED, Sort
from ghostmem.text.terms import index_terms


def label_terms(label: str) -> list[str]:
    """Return the terms of a key or a tag, without short numbers, which are only counters."""
    return [term for term in index_terms(label) if term.isalpha() or len(term) > 4]


def tag_terms(tags: Iterable[str]) -> list[str]:
    """Return the terms of the tags that users set, each once."""
    return list(dict.fromkeys(term for tag in chosen_tags(tags) for term in label_terms(tag)))


def chosen_tags(tags: Iterable[str]) -> Sequence[str]:
    """Return the tags without those that Ghost sets itself, which many memories share."""
    all_tags = tuple(tags)
    if MACHINE_TAGS.isdisjoint(all_tags):
        return all_tags
    is_captured = CAPTURED in all_tags or MINED in all_tags
    own = MACHINE_TAGS | frozenset(Sort) if is_captured else MACHINE_TAGS
    return [tag for tag in all_tags if tag not in own]


def with_tags(terms: str, extra: Iterable[str]) -> str:
    """Return the terms of a chunk with the terms of tags that it does not have."""
    present = dict.fromkeys(terms.split())
    return " ".join([*terms.split(), *(term for term in extra if term not in present)])
