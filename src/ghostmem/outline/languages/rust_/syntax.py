"""Rust syntax as plain data: types, paths, type parameters and use trees."""

from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.shared.postorder import Walk

DEEPEST = 12
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
    """Return a type as plain data, without references; None when it is not understood."""
    if node is None or depth > DEEPEST:
        return None
    kind = node.type
    if kind in ("reference_type", "pointer_type", "bracketed_type"):
        return type_of(
            walk,
            node.child_by_field_name("type") or next(iter(node.named_children), None),
            depth + 1,
        )
    if kind in (
        "type_identifier",
        "scoped_type_identifier",
        "primitive_type",
        "identifier",
        "scoped_identifier",
    ):
        path = path_of(walk, node)
        return ["path", path, []] if path else None
    if kind == "generic_type":
        path, given = path_of(walk, node), node.child_by_field_name("type_arguments")
        held = (
            [one for one in given.named_children if one.type not in ("lifetime", "type_binding")]
            if given
            else []
        )
        return ["path", path, [type_of(walk, one, depth + 1) for one in held]] if path else None
    if kind == "array_type":
        return ["seq", type_of(walk, node.child_by_field_name("element"), depth + 1)]
    if kind == "tuple_type":
        return ["tuple", [type_of(walk, one, depth + 1) for one in node.named_children]]
    if kind in ("dynamic_type", "abstract_type"):
        inner = type_of(walk, node.child_by_field_name("trait"), depth + 1)
        return inner if inner and inner[0] == "dyn" else ["dyn", [inner] if inner else []]
    if kind == "bounded_type":
        found = [one for kid in node.named_children if (one := type_of(walk, kid, depth + 1))]
        return ["dyn", [part for one in found for part in (one[1] if one[0] == "dyn" else [one])]]
    return (
        ["fn", type_of(walk, node.child_by_field_name("return_type"), depth + 1)]
        if kind == "function_type"
        else None
    )


def bounds_of(walk: Walk, node: Node | None) -> list[Any]:
    """Return the bounds of a parameter or trait."""
    return [one for kid in (node.named_children if node else []) if (one := type_of(walk, kid))]


def generics_of(walk: Walk, node: Node) -> dict[str, list[Any]]:
    """Return the type parameters of an item with their bounds, also those of its where clause."""
    found: dict[str, list[Any]] = {}
    given = node.child_by_field_name("type_parameters")
    for one in given.named_children if given else []:
        if one.type == "type_parameter":
            found[walk.name(one.child_by_field_name("name"))] = bounds_of(
                walk, one.child_by_field_name("bounds")
            )
    for clause in node.named_children:
        for one in clause.named_children if clause.type == "where_clause" else []:
            name = walk.name(one.child_by_field_name("left"))
            if one.type == "where_predicate" and name in found:
                found[name] += bounds_of(walk, one.child_by_field_name("bounds"))
    return found


def use_paths(walk: Walk, root: Node | None) -> Iterator[tuple[list[str], str, bool, Node]]:
    """Yield every path of a use tree: its segments, its alias, whether it is a glob, and where it
    stands.
    """
    stack: list[tuple[Node, list[str]]] = [(root, [])] if root is not None else []
    while stack:
        node, before = stack.pop()
        if node.type == "scoped_use_list":
            front, held = node.child_by_field_name("path"), node.child_by_field_name("list")
            inner = before + ((path_of(walk, front) or []) if front is not None else [])
            stack.extend((one, inner) for one in reversed(held.named_children if held else []))
        elif node.type == "use_list":
            stack.extend((one, before) for one in reversed(node.named_children))
        elif node.type == "use_wildcard":
            front = next(iter(node.named_children), None)
            yield (
                before + ((path_of(walk, front) or []) if front is not None else []),
                "",
                True,
                node,
            )
        elif node.type == "use_as_clause":
            aliased = path_of(walk, node.child_by_field_name("path")) or []
            yield (
                _joined(before, aliased),
                walk.name(node.child_by_field_name("alias")),
                False,
                node,
            )
        elif path := path_of(walk, node):
            yield _joined(before, path), "", False, node


def _joined(before: list[str], path: list[str]) -> list[str]:
    return before if before and path == ["self"] else before + path
