"""The relations of other tools as edges."""

from collections.abc import Iterable
from typing import NamedTuple

from ghostmem.model import EDGE_WEIGHTS
from ghostmem.text.relations import relation_of
from ghostmem.transfer.formats.base import ForeignEdge


class Said(NamedTuple):
    """A relation as its tool says it: from a memory's key, in a word, to a name."""

    from_key: str
    word: str
    to: str


def edge_of(said: Said, to_key: str) -> ForeignEdge:
    """Return the edge that a relation is in our words, in the direction that these have."""
    rel, turned = relation_of(said.word)
    start, end = (to_key, said.from_key) if turned else (said.from_key, to_key)
    return ForeignEdge(start, rel, end, EDGE_WEIGHTS[rel])


def words_of(said: Iterable[Said]) -> dict[str, dict[str, list[str]]]:
    """Return, for each memory's key, what it said in its tool's own words: word to names."""
    found: dict[str, dict[str, list[str]]] = {}
    for one in dict.fromkeys(said):
        found.setdefault(one.from_key, {}).setdefault(one.word, []).append(one.to)
    return found
