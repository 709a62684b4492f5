"""Tags among the terms of chunks: adding them to older stores, and checking them."""

import json
from collections.abc import Iterable
from typing import Any

from ghostmem.store.index import Index
from ghostmem.text.labels import tag_terms, with_tags

TAGGED = "SELECT ns, id, tags FROM memories WHERE deleted_at IS NULL AND tags IS NOT NULL"
"""Selects the rows that the functions below take: live memories with tags."""

UNINDEXED = "memories that are not found by all their tags"


def index_tags(index: Index, tagged: Iterable[tuple[Any, ...]]) -> None:
    """Add the tags of memories to the terms that their chunks are found by."""
    for ns, memory_id, text in tagged:
        if extra := tag_terms(_read_tags(text)):
            index.reword(
                ns, memory_id, [with_tags(terms, extra) for terms in index.terms(ns, memory_id)]
            )


def count_unindexed(index: Index, tagged: Iterable[tuple[Any, ...]]) -> int:
    """Count the memories that have a chunk which is not found by all their tags."""
    count = 0
    for ns, memory_id, text in tagged:
        if extra := set(tag_terms(_read_tags(text))):
            count += not all(extra.issubset(terms.split()) for terms in index.terms(ns, memory_id))
    return count


def _read_tags(text: str) -> tuple[str, ...]:
    """Read tags; a text that is no list of tags has none, and `ghost check` reports it."""
    try:
        tags = json.loads(text)
    except ValueError:
        return ()
    return tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
