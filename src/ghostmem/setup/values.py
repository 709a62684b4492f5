"""Read a value inside a parsed document."""

from collections.abc import Sequence
from typing import Any


def value_at(document: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of keys, or None.

    In a list of objects, a key is the `name` of an object.
    """
    for key in path:
        if isinstance(document, list):
            document = {
                item["name"]: item
                for item in document
                if isinstance(item, dict) and isinstance(item.get("name"), str)
            }
        document = document.get(key) if isinstance(document, dict) else None
    return document
