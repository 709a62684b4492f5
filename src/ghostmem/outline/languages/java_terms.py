"""Expressions and types of Java as plain data, one row for each expression, so that chains share their parts."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import Import, Ref
from ghostmem.outline.languages.ecma_terms import MAX_DEPTH, digest, line_of, short, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

Step = tuple["Node", int, int]  # a node, its scope, its owner
TYPES = {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration"}
LITERALS = {
    "string_literal": "String", "text_block": "String", "decimal_integer_literal": "int", "hex_integer_literal": "int",
    "octal_integer_literal": "int", "binary_integer_literal": "int", "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double", "true": "boolean", "false": "boolean", "character_literal": "char",
}  # fmt: skip
PRIMITIVES = {"integral_type", "floating_point_type", "boolean_type", "void_type"}
UNKNOWN = -1
__all__ = ["MAX_DEPTH", "digest", "line_of", "short", "text_of"]


@dataclass(slots=True)
class Tables:
    """What is gathered from one file; `scopes` are [parent, the class whose body it is, names]."""

    source: bytes
    package: str = ""
    symbols: list[dict[str, Any]] = field(default_factory=list)
    scopes: list[list[Any]] = field(default_factory=lambda: [[-1, None, {}]])
    rows: list[list[Any]] = field(default_factory=list)
    lambdas: list[dict[str, Any]] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    refs: list[Ref] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)
    known: dict[int, int] = field(default_factory=dict)
    named: dict[int, int] = field(default_factory=dict)


def compact(node: "Node | None") -> str:
    """Return a dotted name without annotations, comments or blanks."""
    return "".join(short(node, 200).split()) if node else ""


def new_scope(tables: Tables, parent: int, sym: int | None = None) -> int:
    """Open a scope and return its number."""
    tables.scopes.append([parent, sym, {}])
    return len(tables.scopes) - 1


def bind(tables: Tables, scope: int, name: str, what: list[Any]) -> None:
    """Give a name a meaning in a scope."""
    rows = tables.scopes[scope][2].setdefault(name, [])
    if what not in rows:
        rows.append(what)


def row(tables: Tables, *values: Any) -> int:
    """Add an expression and return its number."""
    tables.rows.append(list(values))
    return len(tables.rows) - 1


def reference(tables: Tables, kind: str, owner: int, node: "Node", detail: Any, cut: "Node | None" = None) -> None:
    """Record a place that names something; what is from `cut` on is left out of its text."""
    text = short(node, 400)
    if cut:
        text = " ".join(tables.source[node.start_byte : cut.start_byte][:400].decode("utf-8", "replace").split())
    tables.refs.append(Ref(kind, owner, text[-80:] if cut else text[:80], line_of(cut or node), detail))


def add_symbol(tables: Tables, name: str, kind: str, parent: int, node: "Node", **detail: Any) -> int:
    """Add a symbol and return its number."""
    lines = (node.text or b"")[:800].decode("utf-8", "replace").split("\n")
    head = next((one.strip() for one in lines if not one.strip().startswith("@")), "").removesuffix("{").rstrip()
    tables.symbols.append(
        {
            "name": name, "kind": kind, "parent": parent, "line": line_of(node), "end_line": node.end_point[0] + 1,
            "start": node.start_byte, "stop": node.end_byte, "signature": head[:200],
            "detail": {"h": digest(tables.source, node), **detail},
        }
    )  # fmt: skip
    return len(tables.symbols) - 1


def type_parameters(tables: Tables, node: "Node", scope: int) -> list[str]:
    """Bind the type parameters of a declaration in its scope and return their names."""
    found = node.child_by_field_name("type_parameters")
    names = []
    for one in found.named_children if found else []:
        name = next((part for part in one.named_children if part.type in {"type_identifier", "identifier"}), None)
        bound = next((part for part in one.named_children if part.type == "type_bound"), None)
        names.append(text_of(name))
        bind(
            tables, scope, "^" + names[-1], ["t", type_term(bound.named_children[0]) if bound and bound.named_children else None]
        )
    return names


def type_term(node: "Node | None", depth: int = 0) -> Any:
    """Return a type as data, None when nothing is known of it, as with `var`."""
    if node is None or depth > MAX_DEPTH:
        return None
    match node.type:
        case "type_identifier" | "scoped_type_identifier" | "identifier" | "scoped_identifier":
            return ["n", compact(node), []] if compact(node) != "var" else None
        case "generic_type":
            name = compact(next(iter(node.named_children), None))
            given = next((one for one in node.named_children if one.type == "type_arguments"), None)
            return ["n", name, [type_term(one, depth + 1) for one in given.named_children] if given else []]
        case "array_type":
            return ["arr", type_term(node.child_by_field_name("element"), depth + 1)]
        case "annotated_type":
            return type_term(node.named_children[-1], depth + 1) if node.named_children else None
        case "wildcard":
            parts = [one for one in node.named_children if "annotation" not in one.type]
            return type_term(parts[-1], depth + 1) if parts and parts[0].type != "super" else None
        case kind if kind in PRIMITIVES:
            return ["p", text_of(node)]
        case _:
            return None


def lambda_of(tables: Tables, node: "Node", scope: int) -> int:
    """Return the record of a lambda, made when it is first met."""
    if node.id not in tables.known:
        number = tables.known[node.id] = len(tables.lambdas)
        inner = new_scope(tables, scope)
        record: dict[str, Any] = {"scope": inner, "ctx": None, "type": None, "body": UNKNOWN}
        tables.lambdas.append(record)
        given = node.child_by_field_name("parameters")
        rows = [given] if given and given.type == "identifier" else given.named_children if given else []
        for at, one in enumerate(rows):
            name = one if one.type == "identifier" else one.child_by_field_name("name")
            term = type_term(one.child_by_field_name("type")) if one.type == "formal_parameter" else None
            bind(tables, inner, text_of(name), ["v", term, row(tables, "param", number, at)])
        body = node.child_by_field_name("body")
        if body and body.type != "block":
            record["body"] = expression(tables, body, inner)
    return tables.known[node.id]


def expression(tables: Tables, node: "Node | None", scope: int, depth: int = 0) -> int:
    """Return the row of an expression, -1 when nothing can be said of it."""
    if node is None or depth > MAX_DEPTH:
        return UNKNOWN
    if node.id not in tables.seen:
        tables.seen[node.id] = _expression(tables, node, scope, depth + 1)
    return tables.seen[node.id]


def _expression(tables: Tables, node: "Node", scope: int, depth: int) -> int:
    if node.type in LITERALS:
        return row(tables, "lit", LITERALS[node.type])
    match node.type:
        case "identifier":
            return row(tables, "id", text_of(node), scope)
        case "this" | "super":
            return row(tables, node.type, scope)
        case "null_literal":
            return row(tables, "lit", "null")
        case "parenthesized_expression":
            return expression(tables, next(iter(node.named_children), None), scope, depth)
        case "field_access":
            return _field_access(tables, node, scope, depth)
        case "method_invocation":
            return _call(tables, node, scope, depth)
        case "object_creation_expression":
            return row(tables, "new", type_term(node.child_by_field_name("type")), scope)
        case "cast_expression":
            return row(tables, "as", type_term(node.child_by_field_name("type")), scope)
        case "array_access":
            return row(tables, "el", expression(tables, node.child_by_field_name("array"), scope, depth))
        case "array_creation_expression":
            return row(tables, "as", ["arr", type_term(node.child_by_field_name("type"))], scope)
        case "ternary_expression":
            sides = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
            return row(tables, "u", [expression(tables, one, scope, depth) for one in sides])
        case "assignment_expression":
            return expression(tables, node.child_by_field_name("right"), scope, depth)
        case "class_literal":
            return row(tables, "as", ["n", "Class", [type_term(next(iter(node.named_children), None))]], scope)
        case "lambda_expression":
            return row(tables, "lambda", lambda_of(tables, node, scope))
        case "binary_expression":
            return _binary(tables, node, scope, depth)
        case _:
            return UNKNOWN


def _binary(tables: Tables, node: "Node", scope: int, depth: int) -> int:
    """Say of a sum that it is text when it begins or ends with some."""
    if text_of(node.child_by_field_name("operator")) != "+":
        return UNKNOWN
    sides = [expression(tables, node.child_by_field_name(one), scope, depth) for one in ("left", "right")]
    text = any(one >= 0 and tables.rows[one] == ["lit", "String"] for one in sides)
    return row(tables, "lit", "String") if text else UNKNOWN


def _field_access(tables: Tables, node: "Node", scope: int, depth: int) -> int:
    target, name = node.child_by_field_name("object"), node.child_by_field_name("field")
    if name and name.type == "this":
        return row(tables, "as", type_term(target) or ["n", compact(target), []], scope)
    return row(tables, "f", expression(tables, target, scope, depth), text_of(name))


def _call(tables: Tables, node: "Node", scope: int, depth: int) -> int:
    target, name = node.child_by_field_name("object"), text_of(node.child_by_field_name("name"))
    given = node.child_by_field_name("arguments")
    arguments = [one for one in given.named_children if "comment" not in one.type] if given else []
    held: int | None = None
    if target:
        above = any(one.type == "super" for one in node.named_children) and target.type != "super"
        held = row(tables, "as", ["n", compact(target), []], scope) if above else expression(tables, target, scope, depth)
    number = row(tables, "c", held, name, [], scope, len(arguments))
    for at, one in enumerate(arguments[:8]):
        tables.rows[number][3].append(expression(tables, one, scope, depth))
        if one.type == "lambda_expression":
            tables.lambdas[lambda_of(tables, one, scope)]["ctx"] = [number, at]
    return number
