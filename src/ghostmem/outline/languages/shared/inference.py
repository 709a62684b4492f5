"""The targets of names and the types of expressions of Rust, C and C++."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.shared.postorder import UNKNOWN

MAX_STEPS = 60  # of one inference
OUTSIDE = ("native", "external")  # kinds of things outside the project
Type = tuple[str, Any, tuple[Any, ...]]  # its sort, its name or symbol, its arguments
Kind = TypeVar("Kind")  # the types that a language infers


class Target(NamedTuple):
    """The meaning of a name: a symbol (sym), a namespace (ns) or module (mod), something outside
    (native, external), a parameter (gen).

    When only the first part of a path is known, `left` holds its targets and the rest.
    """

    kind: str
    value: Any


class Found(NamedTuple):
    """The targets of a name and the rung that found them."""

    targets: tuple[Target, ...] = ()
    via: str = ""

    def keys(self) -> list[Any]:
        """Return the symbols among the targets."""
        return [target.value for target in self.targets if target.kind == "sym"]

    @classmethod
    def outside(cls, kind: str, name: str) -> "Found":
        """Return something native or external."""
        return cls((Target(kind, name),), kind)


NOTHING = Found()


def symbols(keys: Any) -> tuple[Target, ...]:
    """Return symbols as targets."""
    return tuple(Target("sym", key) for key in keys)


class Inference(Generic[Kind]):
    """Infer the types of expressions, each once."""

    # by the operation of an expression: from its file, the number of steps and its operands
    handlers: ClassVar[Mapping[str, Callable[..., Any]]] = {}

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        self.memo: dict[tuple[str, int], Kind | None] = {}

    def infer(self, path: str, row: int, depth: int = 0) -> Kind | None:
        """Return the type of an expression of a file."""
        if row == UNKNOWN or depth > MAX_STEPS:
            return None
        if (path, row) not in self.memo:
            self.memo[path, row] = None  # an expression that depends on itself has no type
            op, *operands = self.files[path].detail["exprs"][row]
            if handler := self.handlers.get(op):
                self.memo[path, row] = handler(self, path, depth + 1, *operands)
        return self.memo[path, row]

    def first(self, path: str, depth: int, rows: list[int]) -> Kind | None:
        """Return the type of the first of several expressions that has one."""
        found = (self.infer(path, row, depth) for row in rows)
        return next((kind for kind in found if kind is not None), None)

    def is_closure(self, path: str, binding: int) -> bool:
        """Tell whether a local is a closure or lambda."""
        detail = self.files[path].detail
        value = detail["bindings"][binding][2]
        return bool(value >= 0 and detail["exprs"][value][0] == "closure")


def typed(kind: Any) -> Type | None:
    """Return a type that is known as Any."""
    found: Type | None = kind
    return found
