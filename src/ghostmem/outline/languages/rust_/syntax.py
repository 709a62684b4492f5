"""Rust syntax as plain data: types, paths, type parameters and use trees."""

from collections.abc import Callable, Iterator
from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.shared.postorder import Walk
from ghostmem.outline.resolve.types import ARRAY

MAX_TYPE_DEPTH = 12
TUPLE, DYN = "tuple", "dyn"  # sorts of types besides "path" and ARRAY
NAMES = frozenset(
    {
        "identifier",
        "type_identifier",
        "self",
        "super",
        "crate",
        "primitive_type",
        "metavariable",
        "field_identifier",
    }
)

NAMED_TYPES = frozenset(
    {
        "type_identifier",
        "scoped_type_identifier",
        "primitive_type",
        "identifier",
        "scoped_identifier",
    }
)


def path_of(walk: Walk, node: Node | None) -> list[str] | None:
    """Return the segments of a path without its type arguments; None when it is no plain path."""
    segments: list[str] = []
    while node is not None:
        if node.type in NAMES:
            return [walk.name(node), *reversed(segments)]
        if node.type in ("generic_type", "generic_type_with_turbofish"):
            node = node.child_by_field_name("type")
            continue
        if node.type not in ("scoped_identifier", "scoped_type_identifier"):
            return None
        segments.append(walk.name(node.child_by_field_name("name")))
        front = node.child_by_field_name("path")
        if front is None:
            return ["", *reversed(segments)]
        node = front
    return None


def type_of(walk: Walk, node: Node | None, depth: int = 0) -> Any:
    """Return a type as its sort, its path and its parts; None when it is not understood.

    References and pointers are left out.
    """
    if node is None or depth > MAX_TYPE_DEPTH:
        return None
    if handler := _TYPES.get(node.type):
        return handler(walk, node, depth + 1)
    path = path_of(walk, node) if node.type in NAMED_TYPES else None
    return ["path", path, []] if path else None


def _inner(walk: Walk, node: Node, depth: int) -> Any:
    inner = node.child_by_field_name("type") or next(iter(node.named_children), None)
    return type_of(walk, inner, depth)


def arguments_of(walk: Walk, node: Node, depth: int = 0) -> list[Any]:
    """Return the type arguments of a generic type or function."""
    given = node.child_by_field_name("type_arguments")
    return [
        type_of(walk, child, depth)
        for child in (given.named_children if given is not None else [])
        if child.type not in ("lifetime", "type_binding")
    ]


def _generic(walk: Walk, node: Node, depth: int) -> Any:
    path = path_of(walk, node)
    return ["path", path, arguments_of(walk, node, depth)] if path else None


def _trait_object(walk: Walk, node: Node, depth: int) -> Any:
    trait = type_of(walk, node.child_by_field_name("trait"), depth)
    return trait if trait and trait[0] == DYN else [DYN, [], [trait] if trait else []]


def _bounded(walk: Walk, node: Node, depth: int) -> Any:
    bounds = [bound for child in node.named_children if (bound := type_of(walk, child, depth))]
    traits = [part for bound in bounds for part in (bound[2] if bound[0] == DYN else [bound])]
    return [DYN, [], traits]


_TYPES: dict[str, Callable[[Walk, Node, int], Any]] = {
    "reference_type": _inner,
    "pointer_type": _inner,
    "bracketed_type": _inner,
    "generic_type": _generic,
    "array_type": lambda walk, node, depth: [
        ARRAY,
        [],
        [type_of(walk, node.child_by_field_name("element"), depth)],
    ],
    "tuple_type": lambda walk, node, depth: [
        TUPLE,
        [],
        [type_of(walk, part, depth) for part in node.named_children],
    ],
    "dynamic_type": _trait_object,
    "abstract_type": _trait_object,
    "bounded_type": _bounded,
}


def bounds_of(walk: Walk, node: Node | None) -> list[Any]:
    """Return the bounds of a parameter or trait."""
    children = node.named_children if node is not None else []
    return [bound for child in children if (bound := type_of(walk, child))]


def generics_of(walk: Walk, node: Node) -> dict[str, list[Any]]:
    """Return the type parameters of an item with their bounds, also those of its where clause."""
    found: dict[str, list[Any]] = {}
    clauses = ("type_parameters", "where_clause")
    parts = [
        part
        for child in node.named_children
        if child.type in clauses
        for part in child.named_children
    ]
    for part in parts:
        is_parameter = part.type == "type_parameter"
        name = walk.name(part.child_by_field_name("name" if is_parameter else "left"))
        if is_parameter or name in found:
            found.setdefault(name, []).extend(bounds_of(walk, part.child_by_field_name("bounds")))
    return found


def use_paths(walk: Walk, root: Node | None) -> Iterator[tuple[list[str], str, bool, Node]]:
    """Yield every path of a use tree: its segments, its alias, whether it is a glob, and where it
    stands.
    """
    stack: list[tuple[Node, list[str]]] = [(root, [])] if root is not None else []
    while stack:
        node, before = stack.pop()
        match node.type:
            case "scoped_use_list" | "use_list":
                parts = node.child_by_field_name("list") or node
                inner = before + (path_of(walk, node.child_by_field_name("path")) or [])
                stack.extend((part, inner) for part in reversed(parts.named_children))
            case "use_wildcard":
                front = next(iter(node.named_children), None)
                yield before + (path_of(walk, front) or []), "", True, node
            case "use_as_clause":
                aliased = path_of(walk, node.child_by_field_name("path")) or []
                alias = walk.name(node.child_by_field_name("alias"))
                yield _joined(before, aliased), alias, False, node
            case _:
                if path := path_of(walk, node):
                    yield _joined(before, path), "", False, node


def _joined(before: list[str], path: list[str]) -> list[str]:
    return before if before and path == ["self"] else before + path


def is_public(node: Node) -> bool:
    """Tell whether an item is visible from outside its module."""
    return any(child.type == "visibility_modifier" for child in node.named_children[:2])


def attributes_of(walk: Walk, node: Node) -> list[str]:
    """Return the attributes that stand before an item."""
    found, before = [], node.prev_named_sibling
    while before is not None and (
        before.type == "attribute_item" or before.type.endswith("comment")
    ):
        raw = walk.source[before.start_byte : before.end_byte]
        found.append(" ".join(raw.decode("utf-8", "replace").split()))
        before = before.prev_named_sibling
    return found


def derives_of(walk: Walk, node: Node) -> list[str]:
    """Return the traits that a type derives."""
    return [
        name.strip()
        for attribute in reversed(attributes_of(walk, node))
        if attribute.startswith("#[derive(")
        for name in attribute[9:].split(")")[0].split(",")
        if name.strip()
    ]
