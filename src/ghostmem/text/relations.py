"""Map the relation words of people and other tools to the nine relations."""

import re

from ghostmem.model import Rel

_BETWEEN = re.compile(r"[\W_]+")

# A part is not a child that its whole could replace in a context, so `contains` and `part of` are
# plain relations. The words of the second list have the opposite direction.
_PHRASES: dict[Rel, tuple[tuple[str, ...], tuple[str, ...]]] = {
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
    word: (rel, bool(reverse))
    for rel, directions in _PHRASES.items()
    for reverse, phrases in enumerate(directions)
    for word in phrases
}


def relation_of(word: str) -> tuple[Rel, bool]:
    """Return the relation of a word, and whether it has the opposite direction."""
    return _WORDS.get(_BETWEEN.sub(" ", word).strip().lower(), (Rel.RELATES_TO, False))
