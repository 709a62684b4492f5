"""The walk over a file: what it must remember, and the steps it takes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.ecma_.tables import EcmaTables
from ghostmem.outline.languages.shared.steps import Step
from ghostmem.outline.languages.shared.tables import bind, new_symbol

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(slots=True)
class EcmaWalk:
    """A walk under way: its tables, and what it must remember."""

    tables: EcmaTables
    late: list[Step] = field(default_factory=list)
    modules: set[int] = field(default_factory=lambda: {0})  # the scopes whose variables are symbols
    bodies: dict[int, int] = field(default_factory=dict)  # scope: the function it is the body of
    pending: dict[tuple[int, str], list[Any]] = field(
        default_factory=dict
    )  # overloads waiting for their last

    def function_at(self, scope: int) -> int:
        """Return the function that a scope is in, -1 when in none."""
        while scope >= 0 and scope not in self.bodies:
            scope = self.tables.scopes[scope][0]
        return self.bodies.get(scope, -1)


Handler = Callable[[EcmaWalk, "Node", int, int], list[Step]]


def fields(node: "Node", names: Iterable[str], scope: int, owner: int) -> list[Step]:
    """Return the steps to some fields of a node."""
    found = (node.child_by_field_name(name) for name in names)
    return [(one, scope, owner) for one in found if one]


def add_symbol(
    walk: EcmaWalk, name: str, kind: str, parent: int, node: "Node", **detail: Any
) -> int:
    """Add a symbol and return its number."""
    head = (node.text or b"")[:400].decode("utf-8", "replace").split("\n", 1)[0].strip()
    return new_symbol(walk.tables, name, kind, parent, node, head, detail)


def declare_type(
    walk: EcmaWalk, name: str, kind: str, parent: int, node: "Node", scope: int, value: bool
) -> int:
    """Declare a type; `value` says that it is there when the program runs."""
    sym = add_symbol(walk, name, kind, parent, node)
    bind(walk.tables, scope, "^" + name, ["s", sym])
    if value:
        bind(walk.tables, scope, name, ["s", sym])
    return sym
