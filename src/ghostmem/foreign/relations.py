"""The relations of other tools in our nine words."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ghostmem.edges import EDGE_WEIGHTS
from ghostmem.foreign.base import ForeignEdge
from ghostmem.model import Rel

_BETWEEN = re.compile(r"[\W_]+")

# A part is no child that its whole could stand for in a context, so `contains` and `part of` are plain relations here;
# the tool's own word stays in `meta`. The second list is said from the other end.
_SAYINGS: dict[Rel, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Rel.CONTRADICTS: (("contradicts", "conflicts with", "disagrees with"), ("contradicted by",)),
    Rel.DEPENDS_ON: (("depends on", "requires", "needs", "relies on"), ("required by", "needed by", "dependency of")),
    Rel.REFINES: (("refines", "extends", "elaborates", "improves"), ("refined by", "extended by", "improved by")),
    Rel.CAUSED_BY: (("caused by", "results from"), ("causes", "leads to", "results in")),
    Rel.PREVENTS: (("prevents", "blocks", "avoids"), ("prevented by", "blocked by")),
    Rel.IMPLIES: (("implies", "means"), ("implied by",)),
}
_WORDS = {word: (rel, bool(turned)) for rel, ways in _SAYINGS.items() for turned, said in enumerate(ways) for word in said}


class Said(NamedTuple):
    """A relation as its tool says it: from a memory's key, in a word, to a name."""

    from_key: str
    word: str
    to: str


def edge_of(said: Said, to_key: str) -> ForeignEdge:
    """Return the edge that a relation is in our words, in the direction that these have."""
    rel, turned = _WORDS.get(_BETWEEN.sub(" ", said.word).strip().lower(), (Rel.RELATES_TO, False))
    start, end = (to_key, said.from_key) if turned else (said.from_key, to_key)
    return ForeignEdge(start, rel, end, EDGE_WEIGHTS[rel])


def words_of(said: Iterable[Said]) -> dict[str, dict[str, list[str]]]:
    """Return, for each memory's key, what it said in its tool's own words: word to names."""
    found: dict[str, dict[str, list[str]]] = {}
    for one in dict.fromkeys(said):
        found.setdefault(one.from_key, {}).setdefault(one.word, []).append(one.to)
    return found
