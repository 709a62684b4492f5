"""Java: what a file says."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import tree_sitter_java

from ghostmem.outline.facts import FILE, Facts, Import, Ref, Symbol
from ghostmem.outline.graph import FORWARD
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.ecma import error_lines
from ghostmem.outline.languages.java_link import link
from ghostmem.outline.languages.java_terms import (
    TYPES,
    Step,
    Tables,
    add_symbol,
    bind,
    compact,
    expression,
    lambda_of,
    line_of,
    new_scope,
    reference,
    row,
    text_of,
    type_parameters,
    type_term,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def extract(root: "Node", source: bytes, path: str) -> Facts:
    """Return what a file says."""
    del path
    tables = Tables(source)
    stack: list[Step] = [(root, 0, FILE)]
    while stack:
        node, scope, owner = stack.pop()
        handler = HANDLERS.get(node.type)
        stack.extend(reversed(handler(tables, node, scope, owner) if handler else _inside(node, scope, owner)))
    detail = {"scopes": tables.scopes, "rows": tables.rows, "lambdas": tables.lambdas}
    symbols = [Symbol(**one) for one in tables.symbols]
    return Facts(tables.package, symbols, tables.imports, tables.refs, detail, error_lines(root))


def _inside(node: "Node", scope: int, owner: int) -> list[Step]:
    return [(one, scope, owner) for one in node.named_children]


def _nothing(_tables: Tables, _node: "Node", _scope: int, _owner: int) -> list[Step]:
    return []


def _package(tables: Tables, node: "Node", _scope: int, _owner: int) -> list[Step]:
    tables.package = next((compact(one) for one in node.named_children if "identifier" in one.type), "")
    return []


def _import(tables: Tables, node: "Node", _scope: int, _owner: int) -> list[Step]:
    name = next((compact(one) for one in node.named_children if "identifier" in one.type), "")
    words = {one.type for one in node.children}
    if name:
        last = "" if "asterisk" in words else name.rpartition(".")[2]
        tables.imports.append(Import(name, line_of(node), FILE, last, "", "asterisk" in words, "static" in words))
    return []


def _class(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    """Declare a class, an interface, an enum, a record or an annotation, and its members."""
    name = text_of(node.child_by_field_name("name"))
    kind = "interface" if node.type in {"interface_declaration", "annotation_type_declaration"} else "type"
    sym = add_symbol(tables, name, kind, owner, node, sort=node.type.removesuffix("_declaration"))
    if owner != FILE and tables.symbols[owner]["kind"] == "method":
        bind(tables, scope, "^" + name, ["s", sym])
    inner = new_scope(tables, scope, sym)
    detail: dict[str, Any] = {"scope": inner, "tp": type_parameters(tables, node, inner), "ext": [], "impl": []}
    tables.symbols[sym]["detail"].update(detail)
    steps = [(one, inner, sym) for one in node.named_children if one.type in {"modifiers", "type_parameters"}]
    for one in node.named_children:
        if one.type == "superclass":
            steps += _supertypes(tables, one.named_children, inner, sym, "extends", "ext")
        elif one.type in {"super_interfaces", "extends_interfaces"}:
            rows = [part for held in one.named_children for part in held.named_children]
            kind_of = "implements" if one.type == "super_interfaces" else "extends"
            steps += _supertypes(tables, rows, inner, sym, kind_of, "impl" if kind_of == "implements" else "ext")
    steps += _components(tables, node, inner, sym)
    body = node.child_by_field_name("body")
    return steps + ([(body, inner, sym)] if body else [])


def _supertypes(tables: Tables, nodes: list["Node"], scope: int, sym: int, kind: str, key: str) -> list[Step]:
    steps: list[Step] = []
    for one in nodes:
        term = type_term(one)
        tables.symbols[sym]["detail"][key].append(term)
        named = one.named_children[0] if one.type == "generic_type" and one.named_children else one
        reference(tables, kind, sym, named, [term, scope])
        steps += [(part, scope, sym) for part in one.named_children if part.type == "type_arguments"]
    return steps


def _components(tables: Tables, node: "Node", scope: int, sym: int) -> list[Step]:
    """Declare the components of a record: fields, read by methods of the same name."""
    found = node.child_by_field_name("parameters")
    for one in found.named_children if found else []:
        name = text_of(one.child_by_field_name("name"))
        if name:
            add_symbol(
                tables, name, "field", sym, one, type=type_term(one.child_by_field_name("type")), scope=scope, component=True
            )
    tables.symbols[sym]["detail"]["record"] = found.named_child_count if found else 0
    return [(found, scope, sym)] if found else []


def _words(node: "Node") -> set[str]:
    held = next((one for one in node.named_children if one.type == "modifiers"), None)
    return {one.type for one in held.children} if held else set()


def _method(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
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
        held = [one["detail"]["type"] for one in tables.symbols if one["parent"] == owner and one["detail"].get("component")]
        types = held
    tables.symbols[sym]["detail"].update(
        {
            "scope": inner, "types": types, "many": many, "ret": _returned(node), "static": "static" in _words(node), "tp": names,
            "ctor": "constructor" in node.type,
        }
    )  # fmt: skip
    return [(one, inner, sym) for one in node.named_children if one.type != "identifier"]


def _returned(node: "Node") -> Any:
    term = type_term(node.child_by_field_name("type"))
    return ["arr", term] if node.child_by_field_name("dimensions") and term else term


def _parameter_of(node: "Node") -> tuple[Any, str]:
    if node.type == "spread_parameter":
        kind = next((one for one in node.named_children if one.type not in {"modifiers", "variable_declarator"}), None)
        name = next((one for one in node.named_children if one.type == "variable_declarator"), None)
        return ["arr", type_term(kind)], text_of(name.child_by_field_name("name") if name else None)
    return _returned(node), text_of(node.child_by_field_name("name"))


def _fields(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    words, term = _words(node), type_term(node.child_by_field_name("type"))
    within = tables.symbols[owner]["kind"] == "interface" if owner != FILE else False
    static = "static" in words or node.type == "constant_declaration" or within
    final = "final" in words or node.type == "constant_declaration" or within
    rows = [one for one in node.named_children if one.type == "variable_declarator"]
    steps = [(one, scope, owner) for one in node.named_children if one.type != "variable_declarator"]
    for one in rows:
        whole = node if len(rows) == 1 else one
        kind, held = ("constant" if static and final else "field"), term
        held = ["arr", term] if one.child_by_field_name("dimensions") else term
        add_symbol(
            tables, text_of(one.child_by_field_name("name")), kind, owner, whole, type=held, scope=scope, static=static
        )  # fmt: skip
        value = one.child_by_field_name("value")
        steps += [(value, scope, owner)] if value else []
    return steps


def _enum_constant(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    add_symbol(tables, text_of(node.child_by_field_name("name")), "constant", owner, node, static=True, enum=True)
    given, body = node.child_by_field_name("arguments"), node.child_by_field_name("body")
    name = text_of(node.child_by_field_name("name"))[:80]
    tables.refs.append(Ref("calls", owner, name, line_of(node), ["enum", owner, _count(given)]))
    steps = [(given, scope, owner)] if given else []
    return steps + (_anonymous(tables, body, ["sym", owner], scope, len(tables.symbols) - 1) if body else [])


def _anonymous(tables: Tables, body: "Node", term: Any, scope: int, owner: int) -> list[Step]:
    sym = add_symbol(tables, "(anonymous)", "type", owner, body, sort="class")
    inner = new_scope(tables, scope, sym)
    tables.symbols[sym]["detail"].update({"scope": inner, "tp": [], "ext": [term], "impl": []})
    tables.named[body.id] = sym
    return [(body, inner, sym)]


def _locals(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    term = type_term(node.child_by_field_name("type"))
    steps = [(one, scope, owner) for one in node.named_children if one.type != "variable_declarator"]
    for one in node.named_children:
        if one.type == "variable_declarator":
            value = one.child_by_field_name("value")
            held = ["arr", term] if one.child_by_field_name("dimensions") else term
            number = expression(tables, value, scope) if term is None else -1
            if value and value.type == "lambda_expression":
                tables.lambdas[lambda_of(tables, value, scope)]["type"] = [held, scope]
            bind(tables, scope, text_of(one.child_by_field_name("name")), ["v", held, number])
            steps += [(value, scope, owner)] if value else []
    return steps


def _block(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    return _inside(node, new_scope(tables, scope), owner)


def _static_block(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    return _inside(node, new_scope(tables, scope), owner)


def _for_each(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    inner = new_scope(tables, scope)
    term, value = type_term(node.child_by_field_name("type")), node.child_by_field_name("value")
    number = row(tables, "el", expression(tables, value, scope)) if term is None else -1
    bind(tables, inner, text_of(node.child_by_field_name("name")), ["v", term, number])
    return [(one, inner, owner) for one in node.named_children if one != node.child_by_field_name("name")]


def _named_local(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    """Bind a resource, a caught exception, or the name in a pattern."""
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    held = next((one for one in node.named_children if one.type == "catch_type"), None)
    if held and held.named_child_count == 1:
        kind = held.named_children[0]
    if node.type == "type_pattern" and len(node.named_children) > 1:
        kind, name = node.named_children[-2], node.named_children[-1]
    if node.type == "record_pattern_component" and len(node.named_children) > 1:
        kind, name = node.named_children[0], node.named_children[-1]
    term = type_term(kind)
    if name:
        value = node.child_by_field_name("value") if node.type == "resource" else None
        bind(tables, scope, text_of(name), ["v", term, expression(tables, value, scope) if term is None else -1])
    return [(one, scope, owner) for one in node.named_children if one != name]


def _instanceof(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    name = node.child_by_field_name("name")
    if name:
        bind(tables, scope, text_of(name), ["v", type_term(node.child_by_field_name("right")), -1])
    return [(one, scope, owner) for one in node.named_children if one != name]


def _lambda(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    record = tables.lambdas[lambda_of(tables, node, scope)]
    given, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    steps = [(given, record["scope"], owner)] if given and given.type == "formal_parameters" else []
    return steps + ([(body, record["scope"], owner)] if body else [])


def _parameters(_tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    return [(part, scope, owner) for one in node.named_children for part in one.named_children if part.type != "identifier"]


def _call(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    number = expression(tables, node, scope)
    if number >= 0:
        reference(tables, "calls", owner, node, ["call", number], cut=node.child_by_field_name("arguments"))
    target = node.child_by_field_name("object")
    rest = [(one, scope, owner) for one in node.named_children if one.type in {"argument_list", "type_arguments"}]
    return [(target, scope, owner), *rest] if target else rest


def _new(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    given, kind = node.child_by_field_name("arguments"), node.child_by_field_name("type")
    count = _count(given)
    body = next((one for one in node.named_children if one.type == "class_body"), None)
    term = type_term(kind)
    reference(tables, "calls", owner, kind or node, ["new", term, scope, count, body is not None])
    steps = [(one, scope, owner) for one in node.named_children if one.id not in {getattr(kind, "id", 0), getattr(body, "id", 0)}]
    if kind and kind.type == "generic_type":
        steps += [(part, scope, owner) for part in kind.named_children if part.type == "type_arguments"]
    if body is None:
        return steps
    sym = len(tables.symbols)
    steps += _anonymous(tables, body, term, scope, owner)
    reference(tables, "extends", sym, kind or node, [term, scope, "either"])
    return steps


def _count(given: "Node | None") -> int:
    return len([one for one in given.named_children if "comment" not in one.type]) if given else 0


def _constructor_call(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    which = node.child_by_field_name("constructor")
    given = node.child_by_field_name("arguments")
    if which:
        reference(tables, "calls", owner, which, ["ctor", which.type, scope, _count(given)])
    return [(given, scope, owner)] if given else []


def _method_reference(_tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    """Take `A::b`: the method is named, not called here; the class is used."""
    target = next(iter(node.named_children), None)
    return [(target, scope, owner)] if target else []


def _identifier(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    reference(tables, "accesses", owner, node, ["read", expression(tables, node, scope)])
    return []


def _field_access(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    target = node.child_by_field_name("object")
    number = expression(tables, node, scope)
    if number >= 0:
        reference(tables, "accesses", owner, node, ["read", number])
    return [(target, scope, owner)] if target else []


def _write(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    if node.type in {"identifier", "field_access"}:
        number = expression(tables, node, scope)
        if number >= 0:
            reference(tables, "assigns", owner, node, ["read", number])
        target = node.child_by_field_name("object")
        return [(target, scope, owner)] if target else []
    return [(node, scope, owner)]


def _assignment(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return _inside(node, scope, owner)
    steps = _write(tables, left, scope, owner)
    if text_of(node.child_by_field_name("operator")) not in {"=", ""}:
        steps = [(left, scope, owner)]
    return [*steps, (right, scope, owner)]


def _update(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    for one in node.named_children:
        _write(tables, one, scope, owner)
    return _inside(node, scope, owner)


def _type_name(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    if compact(node) != "var":
        reference(tables, "uses", owner, node, [["n", compact(node), []], scope])
    return []


def _annotation(tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    name = node.child_by_field_name("name")
    if name:
        reference(tables, "uses", owner, name, [["n", compact(name), []], scope])
    found = node.child_by_field_name("arguments")
    return [(found, scope, owner)] if found else []


def _pair(_tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    value = node.child_by_field_name("value")
    return [(value, scope, owner)] if value else []


def _type_parameter(_tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    return [(one, scope, owner) for one in node.named_children if one.type == "type_bound"]


def _label(_tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    return [(one, scope, owner) for one in node.named_children if one.type != "identifier"]


def _switch_label(_tables: Tables, node: "Node", scope: int, owner: int) -> list[Step]:
    """Leave out the bare names of a case: of which enum they are is not written there."""
    return [(one, scope, owner) for one in node.named_children if one.type != "identifier"]


def grammar(path: str) -> object:
    """Return the grammar."""
    del path
    return tree_sitter_java.language()


Handler = Callable[[Tables, Any, int, int], list[Step]]
HANDLERS: dict[str, Handler] = {
    "package_declaration": _package,
    "import_declaration": _import,
    "method_declaration": _method,
    "constructor_declaration": _method,
    "compact_constructor_declaration": _method,
    "annotation_type_element_declaration": _method,
    "field_declaration": _fields,
    "constant_declaration": _fields,
    "enum_constant": _enum_constant,
    "local_variable_declaration": _locals,
    "block": _block,
    "constructor_body": _block,
    "for_statement": _block,
    "try_with_resources_statement": _block,
    "switch_block": _block,
    "switch_rule": _block,
    "catch_clause": _block,
    "static_initializer": _static_block,
    "enhanced_for_statement": _for_each,
    "resource": _named_local,
    "catch_formal_parameter": _named_local,
    "type_pattern": _named_local,
    "record_pattern_component": _named_local,
    "instanceof_expression": _instanceof,
    "lambda_expression": _lambda,
    "formal_parameters": _parameters,
    "method_invocation": _call,
    "object_creation_expression": _new,
    "explicit_constructor_invocation": _constructor_call,
    "method_reference": _method_reference,
    "identifier": _identifier,
    "field_access": _field_access,
    "assignment_expression": _assignment,
    "update_expression": _update,
    "type_identifier": _type_name,
    "scoped_type_identifier": _type_name,
    "annotation": _annotation,
    "marker_annotation": _annotation,
    "element_value_pair": _pair,
    "type_parameter": _type_parameter,
    "labeled_statement": _label,
    "break_statement": _nothing,
    "continue_statement": _nothing,
    "switch_label": _switch_label,
    "line_comment": _nothing,
    "block_comment": _nothing,
    "module_declaration": _nothing,
    **dict.fromkeys(TYPES, _class),
}

LANGUAGE = Language("java", (), (".java",), grammar, "tree-sitter-java", 1, extract, link, FORWARD)
