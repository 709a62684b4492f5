"""Expressions and types of JavaScript and TypeScript as plain data, one row an expression, so that chains share parts."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import FILE, Import, Ref

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH = 120  # an expression nested deeper is unknown: no person wrote it, and Python's stack is finite
FUNCTIONS = {
    "function_declaration", "generator_function_declaration", "function_expression", "generator_function", "arrow_function",
    "method_definition", "function_signature", "method_signature", "abstract_method_signature", "function", "construct_signature",
    "call_signature",
}  # fmt: skip
CLASSES = {"class_declaration", "abstract_class_declaration", "class"}
LITERALS = {
    "string": "String",
    "template_string": "String",
    "number": "Number",
    "regex": "RegExp",
    "true": "Boolean",
    "false": "Boolean",
}
EMPTY = {"null", "undefined"}
WRAPPERS = {"parenthesized_expression", "non_null_expression"}
CHOICES = {"||", "&&", "??"}
UNKNOWN = -1


@dataclass(slots=True)
class Tables:
    """What is gathered from one file; `scopes` are [parent, what `this` is, names]."""

    source: bytes
    symbols: list[dict[str, Any]] = field(default_factory=list)
    scopes: list[list[Any]] = field(default_factory=lambda: [[-1, None, {}]])
    rows: list[list[Any]] = field(default_factory=list)
    functions: list[dict[str, Any]] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    refs: list[Ref] = field(default_factory=list)
    exports: dict[str, list[Any]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)  # node: its row
    known: dict[int, int] = field(default_factory=dict)  # function node: its record
    named: dict[int, int] = field(default_factory=dict)  # node of a declaration: its symbol


def text_of(node: "Node | None") -> str:
    """Return a node's source text."""
    return (node.text or b"").decode("utf-8", "replace") if node else ""


def short(node: "Node | None", limit: int = 80) -> str:
    """Return a node's text on one line, cut to a length."""
    return " ".join((node.text or b"")[: limit * 4].decode("utf-8", "replace").split())[:limit] if node else ""


def line_of(node: "Node") -> int:
    """Return the line a node begins on, from 1."""
    return node.start_point[0] + 1


def string_value(node: "Node | None") -> str:
    """Return what a string literal says, without its quotes."""
    return text_of(node)[1:-1] if node and node.type in {"string", "template_string"} else ""


def key_of(node: "Node | None") -> str:
    """Return the name of a property, or nothing when it is computed."""
    if node is None or node.type == "computed_property_name":
        return ""
    return string_value(node) if node.type == "string" else short(node)


def digest(source: bytes, node: "Node") -> str:
    """Return the SHA-256 of a node's bytes."""
    return sha256(source[node.start_byte : node.end_byte]).hexdigest()


def new_scope(tables: Tables, parent: int, this: Any = None) -> int:
    """Open a scope and return its number."""
    tables.scopes.append([parent, this, {}])
    return len(tables.scopes) - 1


def bind(tables: Tables, scope: int, name: str, what: list[Any]) -> None:
    """Give a name a meaning in a scope; several stay several."""
    rows = tables.scopes[scope][2].setdefault(name, [])
    if what not in rows:
        rows.append(what)


def row(tables: Tables, *values: Any) -> int:
    """Add an expression and return its number."""
    tables.rows.append(list(values))
    return len(tables.rows) - 1


def type_term(node: "Node | None", depth: int = 0) -> Any:
    """Return a type as data, None when nothing is known of it."""
    if node is None or depth > MAX_DEPTH:
        return None
    parts = [one for one in node.named_children if one.type != "comment"]
    match node.type:
        case (
            "type_annotation"
            | "parenthesized_type"
            | "readonly_type"
            | "constraint"
            | "default_type"
            | "optional_type"
            | "rest_type"
        ):
            return type_term(parts[0], depth + 1) if parts else None
        case "type_identifier" | "nested_type_identifier" | "identifier" | "member_expression":
            return ["n", short(node).replace(" ", ""), []]
        case "generic_type":
            name = short(node.child_by_field_name("name")).replace(" ", "")
            return ["n", name, type_arguments(node, depth)]
        case "predefined_type":
            return ["p", text_of(node)]
        case "array_type":
            return ["arr", type_term(parts[0], depth + 1) if parts else None]
        case "tuple_type":
            return ["tuple", [type_term(one, depth + 1) for one in parts]]
        case "union_type" | "intersection_type":
            return ["u" if node.type == "union_type" else "&", [type_term(one, depth + 1) for one in parts]]
        case "literal_type":
            kind = parts[0].type if parts else "null"
            return ["p", "null"] if kind in EMPTY else ["p", LITERALS.get(kind, "Number").lower()]
        case "function_type":
            names = node.child_by_field_name("parameters")
            return ["fn", parameter_types(names, depth), type_term(node.child_by_field_name("return_type"), depth + 1)]
        case "object_type":
            return [
                "obj",
                dict(_member_type(one, depth) for one in parts if one.type in {"property_signature", "method_signature"}),
            ]
        case "this_type":
            return ["this"]
        case "type_query":
            return ["typeof", short(parts[0])] if parts else None
        case "lookup_type":
            return ["lookup", type_term(parts[0], depth + 1), text_of(parts[1]).strip("\"'")] if len(parts) > 1 else None
        case _:
            return None


def type_arguments(node: "Node", depth: int = 0) -> list[Any]:
    """Return the type arguments written in a generic type or a call."""
    found = node.child_by_field_name("type_arguments") or next(
        (one for one in node.named_children if one.type == "type_arguments"), None
    )
    return [type_term(one, depth + 1) for one in found.named_children] if found else []


def parameter_types(node: "Node | None", depth: int = 0) -> list[Any]:
    """Return the types of a list of parameters, without `this`."""
    rows = [one for one in node.named_children if one.type in {"required_parameter", "optional_parameter"}] if node else []
    rows = [one for one in rows if text_of(one.child_by_field_name("pattern")) != "this"]
    return [type_term(one.child_by_field_name("type"), depth + 1) for one in rows]


def _member_type(node: "Node", depth: int) -> tuple[str, Any]:
    name = key_of(node.child_by_field_name("name"))
    if node.type == "property_signature":
        return name, type_term(node.child_by_field_name("type"), depth + 1)
    given = parameter_types(node.child_by_field_name("parameters"), depth)
    return name, ["fn", given, type_term(node.child_by_field_name("return_type"), depth + 1)]


def function_of(tables: Tables, node: "Node", scope: int, this: Any = None) -> int:
    """Return the record of a function, made when it is first met: its scope, parameters, and what it says it returns."""
    if node.id in tables.known:
        return tables.known[node.id]
    inner = new_scope(tables, scope, None if node.type == "arrow_function" else this or ["?"])
    number = len(tables.functions)
    tables.known[node.id] = number
    words = {one.type for one in node.children if not one.is_named}
    record: dict[str, Any] = {
        "scope": inner, "types": [], "ret": type_term(node.child_by_field_name("return_type")), "rets": [],
        "async": "async" in words,
        "gen": "*" in words or "generator" in node.type, "sym": -1, "ctx": None,
        "tp": type_parameters(tables, node, inner), "rest": False,
    }  # fmt: skip
    tables.functions.append(record)
    _bind_parameters(tables, node, inner, number, record)
    return number


def type_parameters(tables: Tables, node: "Node", scope: int) -> list[str]:
    """Bind the type parameters of a declaration in its scope and return their names."""
    found = node.child_by_field_name("type_parameters")
    names = []
    for one in found.named_children if found else []:
        if one.type == "type_parameter":
            names.append(text_of(one.child_by_field_name("name")))
            bind(tables, scope, "^" + names[-1], ["t", type_term(one.child_by_field_name("constraint"))])
    return names


def _bind_parameters(tables: Tables, node: "Node", scope: int, number: int, record: dict[str, Any]) -> None:
    single = node.child_by_field_name("parameter")
    found = node.child_by_field_name("parameters")
    position = 0
    for one in [single] if single else found.named_children if found else []:
        if one.type in {"comment", "decorator"}:
            continue
        pattern, kind = one, None
        if one.type in {"required_parameter", "optional_parameter"}:
            pattern, kind = one.child_by_field_name("pattern") or one, type_term(one.child_by_field_name("type"))
        if pattern.type == "this":
            tables.scopes[scope][1] = ["t", kind, scope]
            continue
        record["rest"] = record["rest"] or pattern.type == "rest_pattern"
        record["types"].append(kind)
        bind_pattern(tables, pattern, scope, row(tables, "param", number, position))
        position += 1


def bind_pattern(tables: Tables, node: "Node", scope: int, value: int, depth: int = 0) -> None:
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


def expression(tables: Tables, node: "Node | None", scope: int, depth: int = 0) -> int:
    """Return the row of an expression, -1 when nothing can be said of it."""
    if node is None or depth > MAX_DEPTH:
        return UNKNOWN
    if node.id not in tables.seen:
        found = _expression(tables, node, scope, depth + 1)
        tables.seen.setdefault(node.id, found)
    return tables.seen[node.id]


def _expression(tables: Tables, node: "Node", scope: int, depth: int) -> int:
    kind = node.type
    if kind in LITERALS:
        return row(tables, "lit", LITERALS[kind])
    if kind in FUNCTIONS:
        return row(tables, "f", function_of(tables, node, scope))
    if kind in WRAPPERS:
        return expression(tables, next(iter(node.named_children), None), scope, depth)
    match kind:
        case "identifier" | "shorthand_property_identifier" | "type_identifier" | "nested_identifier":
            return row(tables, "id", text_of(node), scope)
        case "null" | "undefined":
            return row(tables, "lit", "null")
        case "this" | "super":
            return row(tables, kind, scope)
        case "member_expression":
            target = expression(tables, node.child_by_field_name("object"), scope, depth)
            return row(tables, "m", target, text_of(node.child_by_field_name("property")))
        case "subscript_expression":
            index = node.child_by_field_name("index")
            target = expression(tables, node.child_by_field_name("object"), scope, depth)
            if index and index.type == "string":
                return row(tables, "m", target, string_value(index))
            return row(
                tables,
                "at",
                target,
                int(text_of(index)) if index and text_of(index).isdecimal() and len(text_of(index)) < 6 else UNKNOWN,
            )
        case "call_expression":
            return _call(tables, node, scope, depth)
        case "new_expression":
            made = expression(tables, node.child_by_field_name("constructor"), scope, depth)
            number = row(tables, "new", made, type_arguments(node), scope)
            given = node.child_by_field_name("arguments")
            for at, one in enumerate(given.named_children if given else []):
                if one.type in FUNCTIONS:
                    tables.functions[function_of(tables, one, scope)]["ctx"] = [number, at]
            return number
        case "await_expression":
            return row(tables, "aw", expression(tables, next(iter(node.named_children), None), scope, depth))
        case "as_expression" | "satisfies_expression" | "type_assertion":
            return _cast(tables, node, scope, depth)
        case "ternary_expression":
            sides = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
            return row(tables, "u", [expression(tables, one, scope, depth) for one in sides])
        case "binary_expression":
            return _binary(tables, node, scope, depth)
        case "assignment_expression":
            return expression(tables, node.child_by_field_name("right"), scope, depth)
        case "array":
            parts = [one for one in node.named_children if one.type != "spread_element"][:4]
            return row(tables, "arr", [expression(tables, one, scope, depth) for one in parts])
        case "object":
            return _object(tables, node, scope, depth)
        case "class":
            return row(tables, "cls", node.id)
        case _:
            return UNKNOWN


def _cast(tables: Tables, node: "Node", scope: int, depth: int) -> int:
    parts = node.named_children
    if node.type == "type_assertion":
        return row(tables, "as", type_term(parts[0].named_children[0]) if parts and parts[0].named_children else None, scope)
    if len(parts) < 2:  # `as const`
        return expression(tables, next(iter(parts), None), scope, depth)
    if node.type == "satisfies_expression":
        return expression(tables, parts[0], scope, depth)
    return row(tables, "as", type_term(parts[-1]), scope)


def _binary(tables: Tables, node: "Node", scope: int, depth: int) -> int:
    left, sign = node.child_by_field_name("left"), text_of(node.child_by_field_name("operator"))
    right = node.child_by_field_name("right")
    if sign in CHOICES:
        return row(tables, "u", [expression(tables, one, scope, depth) for one in (left, right)])
    return (
        row(tables, "lit", "Boolean") if sign in {"===", "!==", "==", "!=", "<", ">", "<=", ">=", "in", "instanceof"} else UNKNOWN
    )


def _call(tables: Tables, node: "Node", scope: int, depth: int) -> int:
    callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    arguments = [one for one in given.named_children if one.type != "comment"] if given and given.type == "arguments" else []
    if callee and callee.type in {"import", "identifier"} and text_of(callee) in {"require", "import"} and len(arguments) == 1:
        path = string_value(arguments[0])
        if path:
            return row(tables, "req", path, text_of(callee) == "import")
    target = expression(tables, callee, scope, depth)
    number = row(tables, "c", target, [], type_arguments(node), scope)
    for at, one in enumerate(arguments[:8]):
        tables.rows[number][2].append(expression(tables, one, scope, depth) if one.type != "spread_element" else UNKNOWN)
        if one.type in FUNCTIONS:
            tables.functions[function_of(tables, one, scope)]["ctx"] = [number, at]
    return number


def _object(tables: Tables, node: "Node", scope: int, depth: int) -> int:
    number = row(tables, "o", {}, False)
    tables.seen[node.id] = number
    members = tables.rows[number][1]
    for one in node.named_children:
        if one.type == "pair":
            value = one.child_by_field_name("value")
            if value and value.type in FUNCTIONS:
                function_of(tables, value, scope, ["o", number])
            members[key_of(one.child_by_field_name("key"))] = expression(tables, value, scope, depth)
        elif one.type == "method_definition":
            function_of(tables, one, scope, ["o", number])
            getter = any(part.type in {"get", "set"} for part in one.children)
            members[key_of(one.child_by_field_name("name"))] = UNKNOWN if getter else expression(tables, one, scope, depth)
        elif one.type == "shorthand_property_identifier":
            members[text_of(one)] = expression(tables, one, scope, depth)
        elif one.type == "spread_element":
            tables.rows[number][2] = True  # more may be in it than is written
    return number


def reference(tables: Tables, kind: str, owner: int, node: "Node", detail: Any) -> None:
    """Record a place that names something."""
    tables.refs.append(Ref(kind, owner, short(node), line_of(node), detail))


def module_import(tables: Tables, node: "Node", path: str, name: str, alias: str, owner: int = FILE) -> int:
    """Record an import and return its number; the name is `*` for the whole module."""
    tables.imports.append(Import(path, line_of(node), owner, name, alias, name == "*"))
    return len(tables.imports) - 1
