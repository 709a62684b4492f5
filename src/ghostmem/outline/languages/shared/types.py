"""Types of JavaScript, TypeScript and Java as tuples, for the linkers."""

from typing import Any

MAX_DEPTH = 40  # steps of one inference
Key = tuple[str, int]  # a symbol: its file and number
Env = tuple[tuple[str, Any], ...]  # type parameters and what they stand for
Type = tuple[Any, ...] | None  # begins with its sort; each language has its own


def union(kinds: list[Type]) -> Type:
    """Return one type for several: None as soon as one is unknown, without what is empty."""
    if not kinds or any(one is None for one in kinds):
        return None
    flat = [part for one in kinds if one for part in (one[1] if one[0] == "u" else (one,))]
    real = list(dict.fromkeys(one for one in flat if one[0] != "null"))
    return real[0] if len(real) == 1 else ("u", tuple(real)) if real else ("null",)


def is_shallow(kind: Any, levels: int = 12) -> bool:
    """Say whether a type is of a depth that a person writes.

    A class that extends itself made for itself grows without end.
    """
    if not isinstance(kind, tuple):
        return True
    for one in kind if levels else ():
        if isinstance(one, tuple) and not is_shallow(one, levels - 1):
            return False
    return levels > 0
