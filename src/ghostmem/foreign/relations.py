"""The relations of other tools in our nine words."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ghostmem.edges import EDGE_WEIGHTS
from ghostmem.foreign.base import ForeignEdge
from ghostmem.model import Rel

_BETWEEN = re.compile(r"[\W_]+")

# word: our relation, and whether it is said from the other end. A part is no child that a whole could stand for in a context,
# so `contains` and `part of` are plain relations here; the tool's own word stays in `meta`.
_WORDS: dict[str, tuple[Rel, bool]] = {
    **{word: (Rel.CONTRADICTS, False) for word in ("contradicts", "conflicts with", "disagrees with", "contradicted by")},
    **{word: (Rel.DEPENDS_ON, False) for word in ("depends on", "requires", "needs", "relies on")},
    **{word: (Rel.DEPENDS_ON, True) for word in ("required by", "needed by", "dependency of")},
    **{word: (Rel.REFINES, False) for word in ("refines", "extends", "elaborates", "improves")},
    **{word: (Rel.REFINES, True) for word in ("refined by", "extended by", "improved by")},
    **{word: (Rel.CAUSED_BY, False) for word in ("caused by", "results from")},
    **{word: (Rel.CAUSED_BY, True) for word in ("causes", "leads to", "results in")},
    **{word: (Rel.PREVENTS, False) for word in ("prevents", "blocks", "avoids")},
    **{word: (Rel.PREVENTS, True) for word in ("prevented by", "blocked by")},
    **{word: (Rel.IMPLIES, False) for word in ("implies", "means")},
    "implied by": (Rel.IMPLIES, True),
}


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
