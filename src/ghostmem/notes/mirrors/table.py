"""The shapes a mirrored folder can have, as a table."""

from collections.abc import Mapping

from ghostmem.errors import InvalidInputError
from ghostmem.notes.mirrors.base import Shape
from ghostmem.notes.mirrors.daily import DAILY
from ghostmem.notes.mirrors.topics import TOPICS

SHAPES: Mapping[str, Shape] = {shape.name: shape for shape in (TOPICS, DAILY)}


def shape_named(name: str) -> Shape:
    """Return a shape by its name, or say which there are."""
    if name not in SHAPES:
        raise InvalidInputError(
            f"there is no layout {name!r} to mirror in", f"the layouts are: {', '.join(SHAPES)}"
        )
    return SHAPES[name]
