"""Declaring what stands in a file: classes, methods, fields, constants."""

from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import FILE, Import, Ref
from ghostmem.outline.languages.java_.tables import (
    Handler,
    JavaTables,
    add_symbol,
    compact,
    count_of,
    reference,
    type_parameters,
    type_term,
)
from ghostmem.outline.languages.shared.steps import Step, nothing, only
from ghostmem.outline.languages.shared.syntax import line_of, text_of
from ghostmem.outline.languages.shared.tables import bind, new_scope

if TYPE_CHECKING:
    from tree_sitter import Node

TYPES = {
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
}


def _package(tables: JavaTables, node: "Node", _scope: int, _owner: int) -> list[Step]:
    tables.package = next(
        (compact(one) for one in node.named_children if "identifier" in one.type), ""
    )
    return []


def _import(tables: JavaTables, node: "Node", _scope: int, _owner: int) -> list[Step]:
    name = next((compact(one) for one in node.named_children if "identifier" in one.type), "")
    words = {one.type for one in node.children}
    if name:
        last = "" if "asterisk" in words else name.rpartition(".")[2]
        tables.imports.append(
            Import(name, line_of(node), FILE, last, "", "asterisk" in words, "static" in words)
        )
    return []


def _class(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    """Declare a class, an interface, an enum, a record or an annotation, and its members."""
    name = text_of(node.child_by_field_name("name"))
    kind = (
        "interface"
        if node.type in {"interface_declaration", "annotation_type_declaration"}
        else "type"
    )
    sym = add_symbol(tables, name, kind, owner, node, sort=node.type.removesuffix("_declaration"))
    if owner != FILE and tables.symbols[owner]["kind"] == "method":
        bind(tables, scope, "^" + name, ["s", sym])
    inner = new_scope(tables, scope, sym)
    detail: dict[str, Any] = {
        "scope": inner,
        "tp": type_parameters(tables, node, inner),
        "ext": [],
        "impl": [],
    }
    tables.symbols[sym]["detail"].update(detail)
    steps = [
        (one, inner, sym)
        for one in node.named_children
        if one.type in {"modifiers", "type_parameters"}
    ]
    for one in node.named_children:
        if one.type == "superclass":
            steps += _supertypes(tables, one.named_children, inner, sym, "extends", "ext")
        elif one.type in {"super_interfaces", "extends_interfaces"}:
            rows = [part for held in one.named_children for part in held.named_children]
            kind_of = "implements" if one.type == "super_interfaces" else "extends"
            steps += _supertypes(
                tables, rows, inner, sym, kind_of, "impl" if kind_of == "implements" else "ext"
            )
    steps += _components(tables, node, inner, sym)
    body = node.child_by_field_name("body")
    return steps + only(body, inner, sym)


def _supertypes(
    tables: JavaTables, nodes: list["Node"], scope: int, sym: int, kind: str, key: str
) -> list[Step]:
    steps: list[Step] = []
    for one in nodes:
        term = type_term(one)
        tables.symbols[sym]["detail"][key].append(term)
        named = one.named_children[0] if one.type == "generic_type" and one.named_children else one
        reference(tables, kind, sym, named, [term, scope])
        steps += [
            (part, scope, sym) for part in one.named_children if part.type == "type_arguments"
        ]
    return steps


def _components(tables: JavaTables, node: "Node", scope: int, sym: int) -> list[Step]:
    """Declare the components of a record: fields, read by methods of the same name."""
    found = node.child_by_field_name("parameters")
    for one in found.named_children if found else []:
        name = text_of(one.child_by_field_name("name"))
        if name:
            add_symbol(
                tables,
                name,
                "field",
                sym,
                one,
                type=type_term(one.child_by_field_name("type")),
                scope=scope,
                component=True,
            )
    tables.symbols[sym]["detail"]["record"] = found.named_child_count if found else 0
    return only(found, scope, sym)


def _words(node: "Node") -> set[str]:
    held = next((one for one in node.named_children if one.type == "modifiers"), None)
    return {one.type for one in held.children} if held else set()


def _method(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    name = text_of(node.child_by_field_name("name"))
    inner = new_scope(tables, scope)
    given, types, many = node.child_by_field_name("parameters"), [], False
    sym = add_symbol(tables, name, "method", owner, node)
    names = type_parameters(tables, node, inner)
    for one in given.named_children if given else []:
        if one.type not in {"formal_parameter", "spread_parameter"}:
            continue
        term, local = _parameter_of(one)
        many = many or one.type == "spread_parameter"
        types.append(term)
        bind(tables, inner, local, ["v", term, -1])
    if node.type == "compact_constructor_declaration":
        types = [
            one["detail"]["type"]
            for one in tables.symbols
            if one["parent"] == owner and one["detail"].get("component")
        ]
    tables.symbols[sym]["detail"].update(
        {
            "scope": inner,
            "types": types,
            "many": many,
            "ret": _returned(node),
            "static": "static" in _words(node),
            "tp": names,
            "ctor": "constructor" in node.type,
        }
    )
    return [(one, inner, sym) for one in node.named_children if one.type != "identifier"]


def _returned(node: "Node") -> Any:
    term = type_term(node.child_by_field_name("type"))
    return ["arr", term] if node.child_by_field_name("dimensions") and term else term


def _parameter_of(node: "Node") -> tuple[Any, str]:
    if node.type == "spread_parameter":
        kind = next(
            (
                one
                for one in node.named_children
                if one.type not in {"modifiers", "variable_declarator"}
            ),
            None,
        )
        name = next((one for one in node.named_children if one.type == "variable_declarator"), None)
        return ["arr", type_term(kind)], text_of(name.child_by_field_name("name") if name else None)
    return _returned(node), text_of(node.child_by_field_name("name"))


def _fields(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    words, term = _words(node), type_term(node.child_by_field_name("type"))
    within = tables.symbols[owner]["kind"] == "interface" if owner != FILE else False
    static = "static" in words or node.type == "constant_declaration" or within
    final = "final" in words or node.type == "constant_declaration" or within
    rows = [one for one in node.named_children if one.type == "variable_declarator"]
    steps = [
        (one, scope, owner) for one in node.named_children if one.type != "variable_declarator"
    ]
    for one in rows:
        whole = node if len(rows) == 1 else one
        kind = "constant" if static and final else "field"
        held = ["arr", term] if one.child_by_field_name("dimensions") else term
        add_symbol(
            tables,
            text_of(one.child_by_field_name("name")),
            kind,
            owner,
            whole,
            type=held,
            scope=scope,
            static=static,
        )
        steps += only(one.child_by_field_name("value"), scope, owner)
    return steps


def _enum_constant(tables: JavaTables, node: "Node", scope: int, owner: int) -> list[Step]:
    add_symbol(
        tables,
        text_of(node.child_by_field_name("name")),
        "constant",
        owner,
        node,
        static=True,
        enum=True,
    )
    given, body = node.child_by_field_name("arguments"), node.child_by_field_name("body")
    name = text_of(node.child_by_field_name("name"))[:80]
    tables.refs.append(Ref("calls", owner, name, line_of(node), ["enum", owner, count_of(given)]))
    return only(given, scope, owner) + (
        declare_anonymous(tables, body, ["sym", owner], scope, len(tables.symbols) - 1)
        if body
        else []
    )


def declare_anonymous(
    tables: JavaTables, body: "Node", term: Any, scope: int, owner: int
) -> list[Step]:
    """Declare a class without a name."""
    sym = add_symbol(tables, "(anonymous)", "type", owner, body, sort="class")
    inner = new_scope(tables, scope, sym)
    tables.symbols[sym]["detail"].update({"scope": inner, "tp": [], "ext": [term], "impl": []})
    return [(body, inner, sym)]


DECLARATIONS: dict[str, Handler] = {
    "package_declaration": _package,
    "import_declaration": _import,
    "method_declaration": _method,
    "constructor_declaration": _method,
    "compact_constructor_declaration": _method,
    "annotation_type_element_declaration": _method,
    "field_declaration": _fields,
    "constant_declaration": _fields,
    "enum_constant": _enum_constant,
    "module_declaration": nothing,
    **dict.fromkeys(TYPES, _class),
}
