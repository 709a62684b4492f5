"""Functions: their scopes and parameters, and the names that a pattern binds."""

from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.ecma_.tables import EcmaTables, key_of
from ghostmem.outline.languages.ecma_.terms import type_parameters, type_term
from ghostmem.outline.languages.shared.syntax import MAX_DEPTH, text_of
from ghostmem.outline.languages.shared.tables import UNKNOWN, bind, new_scope, row

if TYPE_CHECKING:
    from tree_sitter import Node


def function_of(tables: EcmaTables, node: "Node", scope: int, this: Any = None) -> int:
    """Return the record of a function, made when it is first met: its scope, parameters, and what
    it says it returns.
    """
    if node.id in tables.known:
        return tables.known[node.id]
    inner = new_scope(tables, scope, None if node.type == "arrow_function" else this or ["?"])
    number = len(tables.functions)
    tables.known[node.id] = number
    words = {one.type for one in node.children if not one.is_named}
    record: dict[str, Any] = {
        "scope": inner,
        "types": [],
        "ret": type_term(node.child_by_field_name("return_type")),
        "rets": [],
        "async": "async" in words,
        "gen": "*" in words or "generator" in node.type,
        "sym": -1,
        "ctx": None,
        "tp": type_parameters(tables, node, inner),
        "rest": False,
    }
    tables.functions.append(record)
    _bind_parameters(tables, node, inner, number, record)
    return number


def _bind_parameters(
    tables: EcmaTables, node: "Node", scope: int, number: int, record: dict[str, Any]
) -> None:
    single = node.child_by_field_name("parameter")
    found = node.child_by_field_name("parameters")
    position = 0
    for one in [single] if single else found.named_children if found else []:
        if one.type in {"comment", "decorator"}:
            continue
        pattern, kind = one, None
        if one.type in {"required_parameter", "optional_parameter"}:
            pattern, kind = (
                one.child_by_field_name("pattern") or one,
                type_term(one.child_by_field_name("type")),
            )
        if pattern.type == "this":
            tables.scopes[scope][1] = ["t", kind, scope]
            continue
        record["rest"] = record["rest"] or pattern.type == "rest_pattern"
        record["types"].append(kind)
        bind_pattern(tables, pattern, scope, row(tables, "param", number, position))
        position += 1


def bind_pattern(tables: EcmaTables, node: "Node", scope: int, value: int, depth: int = 0) -> None:
    """Bind the names of a pattern to the parts of a value."""
    if depth > MAX_DEPTH:
        return
    match node.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            part = value if node.type == "identifier" else row(tables, "m", value, text_of(node))
            bind(tables, scope, text_of(node), ["v", None, part])
        case "object_pattern":
            for one in node.named_children:
                if one.type == "pair_pattern":
                    inner = one.child_by_field_name("value")
                    if inner:
                        part = row(tables, "m", value, key_of(one.child_by_field_name("key")))
                        bind_pattern(tables, inner, scope, part, depth + 1)
                else:
                    bind_pattern(tables, one, scope, value, depth + 1)
        case "object_assignment_pattern" | "assignment_pattern":
            left = node.child_by_field_name("left")
            if left:
                bind_pattern(tables, left, scope, value, depth + 1)
        case "array_pattern":
            for at, one in enumerate(node.named_children):
                bind_pattern(tables, one, scope, row(tables, "at", value, at), depth + 1)
        case "rest_pattern":
            whole = tables.rows[value][0] == "param" and depth == 0
            for one in node.named_children:
                bind_pattern(tables, one, scope, value if whole else UNKNOWN, depth + 1)
        case _:
            pass
