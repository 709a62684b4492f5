"""What names and expressions of Rust, C and C++ come to; types are found out once."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.shared.postorder import UNKNOWN

DEEPEST = 60  # steps of one inference
Type = tuple[str, Any, tuple[Any, ...]]  # its sort, what it is, its arguments


class Target(NamedTuple):
    """What a name is: a symbol (sym), a namespace (ns) or module (mod), something outside (native,
    external), a parameter (gen).

    When only the first part of a path is known, `left` holds its targets and the rest.
    """

    kind: str
    value: Any


class Found(NamedTuple):
    """The targets of a name and the rung that found them."""

    targets: tuple[Target, ...] = ()
    via: str = ""


NOTHING = Found()


class Inference(ABC):
    """What is known about the types of a project."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        self.memo: dict[tuple[str, int], Type | None] = {}

    def infer(self, path: str, at: int, depth: int = 0) -> Type | None:
        """Return the type of an expression of a file."""
        if at == UNKNOWN or depth > DEEPEST:
            return None
        if (path, at) not in self.memo:
            self.memo[path, at] = None  # what depends on itself has no type
            self.memo[path, at] = self.infer_one(
                path, self.files[path].detail["exprs"][at], depth + 1
            )
        return self.memo[path, at]

    def is_closure(self, path: str, binding: int) -> bool:
        """Tell whether a local is a closure or lambda."""
        detail = self.files[path].detail
        value = detail["bindings"][binding][2]
        return bool(value >= 0 and detail["exprs"][value][0] == "closure")

    @abstractmethod
    def infer_one(self, path: str, one: list[Any], depth: int) -> Type | None:
        """Return the type of an expression from its row."""


def typed(kind: Any) -> Type | None:
    """Return what is a type, as one."""
    found: Type | None = kind
    return found
