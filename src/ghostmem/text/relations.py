"""The relations that people and other tools name, in our nine words."""

import re

from ghostmem.model import Rel

_BETWEEN = re.compile(r"[\W_]+")

# A part is no child that its whole could stand for in a context, so `contains` and `part of` are
# plain relations here. The second list is said from the other end.
_SAYINGS: dict[Rel, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Rel.CONTRADICTS: (("contradicts", "conflicts with", "disagrees with"), ("contradicted by",)),
    Rel.DEPENDS_ON: (
        ("depends on", "requires", "needs", "relies on"),
        ("required by", "needed by", "dependency of"),
    ),
    Rel.REFINES: (
        ("refines", "extends", "elaborates", "improves"),
        ("refined by", "extended by", "improved by"),
    ),
    Rel.CAUSED_BY: (("caused by", "results from"), ("causes", "leads to", "results in")),
    Rel.PREVENTS: (("prevents", "blocks", "avoids"), ("prevented by", "blocked by")),
    Rel.IMPLIES: (("implies", "means"), ("implied by",)),
}
_WORDS = {
    word: (rel, bool(turned))
    for rel, ways in _SAYINGS.items()
    for turned, said in enumerate(ways)
    for word in said
}


def relation_of(word: str) -> tuple[Rel, bool]:
    """Return the relation that a word means, and whether it is said from the other end."""
    return _WORDS.get(_BETWEEN.sub(" ", word).strip().lower(), (Rel.RELATES_TO, False))
