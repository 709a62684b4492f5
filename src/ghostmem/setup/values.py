"""Read a value inside a parsed document."""

from collections.abc import Sequence
from typing import Any


def value_at(document: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of keys, or None."""
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document
