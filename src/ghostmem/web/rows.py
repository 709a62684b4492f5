"""Rows of the viewer's pages: fields of memories as they are sent."""

from typing import Any

from ghostmem.model import Memory

Row = dict[str, Any]


def picked(memory: Memory, names: str) -> Row:
    """Return fields of a memory by their names."""
    return {name: getattr(memory, name) for name in names.split()}


def nonempty(memory: Memory, names: str) -> Row:
    """Return the fields of a memory that have a value."""
    return {name: value for name, value in picked(memory, names).items() if value}
