"""A walk over a syntax tree without recursion: each step is a node, its scope and its owner."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ghostmem.outline.languages.shared.syntax import DEEPEST, line_of
from ghostmem.outline.languages.shared.tables import Tables

if TYPE_CHECKING:
    from tree_sitter import Node

Step = tuple["Node", int, int]
State = TypeVar("State")


def walk(
    handlers: Mapping[str, Callable[[State, "Node", int, int], list[Step]]],
    state: State,
    steps: list[Step],
    tables: Tables,
) -> None:
    """Take steps in the order of the source.

    A kind of node that no handler takes is walked through.

    What is inside of too many symbols is left out, and its line noted.
    """
    stack = steps[::-1]
    while stack:
        node, scope, owner = stack.pop()
        if tables.depths[owner] > DEEPEST:
            tables.cut.add(line_of(node))
            continue
        handler = handlers.get(node.type)
        if handler is None:
            stack.extend([(one, scope, owner) for one in reversed(node.named_children)])
        elif following := handler(state, node, scope, owner):
            stack.extend(reversed(following))


def inside(node: "Node", scope: int, owner: int) -> list[Step]:
    """Return the steps to all that a node holds."""
    return [(one, scope, owner) for one in node.named_children]


def only(node: "Node | None", scope: int, owner: int) -> list[Step]:
    """Return the step to a node, when it is there."""
    return [(node, scope, owner)] if node else []


def nothing(_state: Any, _node: "Node", _scope: int, _owner: int) -> list[Step]:
    """Leave a node out."""
    return []
