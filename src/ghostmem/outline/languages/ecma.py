"""What a JavaScript or TypeScript file says: a walk without recursion over its tree, one function a kind of node."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import FILE, Facts, Ref, Symbol
from ghostmem.outline.languages import ecma_classes, ecma_modules
from ghostmem.outline.languages.ecma_declare import Walk, declare_function, declare_object, declare_variables, function_body
from ghostmem.outline.languages.ecma_terms import (
    CLASSES,
    FUNCTIONS,
    Tables,
    bind,
    bind_pattern,
    expression,
    line_of,
    module_import,
    new_scope,
    reference,
    row,
    short,
    text_of,
    type_parameters,
)

if TYPE_CHECKING:
    from tree_sitter import Node

Step = tuple["Node", int, int]  # a node, its scope, its owner
PATTERNS = {"object_pattern", "array_pattern", "rest_pattern", "assignment_pattern", "object_assignment_pattern", "pair_pattern"}


def extract(root: "Node", source: bytes, path: str) -> Facts:
    """Return what a file says."""
    walk = Walk(Tables(source), path)
    stack: list[Step] = [(root, 0, FILE)]
    while stack or walk.late:
        if not stack:  # members hung on something from outside are declared once everything else is
            node, scope, owner = walk.late.pop(0)
            stack.extend(reversed(ecma_modules.declare_member(walk, node, scope, owner)))
            continue
        node, scope, owner = stack.pop()
        handler = HANDLERS.get(node.type)
        stack.extend(reversed(handler(walk, node, scope, owner) if handler else _inside(node, scope, owner)))
    return _facts(walk, root)


def _facts(walk: Walk, root: "Node") -> Facts:
    tables = walk.tables
    for one in tables.rows:
        if one[0] == "cls":
            one[1] = tables.named.get(one[1], -1)
    refs = [one for one in tables.refs if not _is_local(tables, one)]
    detail = {
        "scopes": tables.scopes, "rows": tables.rows, "functions": tables.functions, "exports": tables.exports,
        "stars": tables.stars,
    }  # fmt: skip
    symbols = [Symbol(**one) for one in tables.symbols]
    return Facts("", symbols, tables.imports, refs, detail, error_lines(root))


def _is_local(tables: Tables, ref: Ref) -> bool:
    """Say whether a read or write is of a local, which the linker has no use for."""
    if ref.kind not in {"accesses", "assigns"} or tables.rows[ref.detail[0]][0] != "id":
        return False
    _, name, scope = tables.rows[ref.detail[0]]
    while scope >= 0:
        if name in tables.scopes[scope][2]:
            return bool(tables.scopes[scope][2][name][0][0] == "v")
        scope = tables.scopes[scope][0]
    return False


def error_lines(root: "Node") -> list[int]:
    """Return the lines that could not be parsed."""
    found: set[int] = set()
    stack = [root]
    while stack and len(found) < 100:
        node = stack.pop()
        if node.is_error or node.is_missing:
            found.add(line_of(node))
        elif node.has_error:
            stack.extend(node.children)
    return sorted(found)


def _inside(node: "Node", scope: int, owner: int) -> list[Step]:
    return [(one, scope, owner) for one in node.named_children]


def _fields(node: "Node", names: Iterable[str], scope: int, owner: int) -> list[Step]:
    found = (node.child_by_field_name(name) for name in names)
    return [(one, scope, owner) for one in found if one]


def _nothing(_walk: Walk, _node: "Node", _scope: int, _owner: int) -> list[Step]:
    return []


def _block(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    inner = new_scope(walk.tables, scope)
    return _inside(node, inner, owner)


def _for_in(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    inner = new_scope(walk.tables, scope)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    declared = node.child_by_field_name("kind") is not None
    if left and declared:
        over = any(one.type == "of" for one in node.children)
        value = row(walk.tables, "el", expression(walk.tables, right, scope)) if over else row(walk.tables, "lit", "String")
        bind_pattern(walk.tables, left, inner, value)
    elif left:
        _write(walk, left, scope, owner)
    return [*_fields(node, ["right"], scope, owner), *_fields(node, ["body"], inner, owner)]


def _catch(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    inner = new_scope(walk.tables, scope)
    name = node.child_by_field_name("parameter")
    if name:
        bind_pattern(walk.tables, name, inner, row(walk.tables, "?"))
    return _fields(node, ["body"], inner, owner)


def _function(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    return function_body(walk, node, scope, owner)


def _function_declaration(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    name = text_of(node.child_by_field_name("name"))
    if node.type == "function_signature" and _is_overloaded(node, name):
        walk.pending.setdefault((scope, name), []).append(node)
        return []
    sym = declare_function(walk, name, "function", owner, node, node, scope)
    overloads = walk.pending.pop((scope, name), [])
    walk.tables.symbols[sym]["detail"]["over"] = bool(overloads)
    extra = [step for one in overloads for step in _generic(walk, one, scope, sym)]
    return extra + function_body(walk, node, scope, owner)


def _is_overloaded(node: "Node", name: str) -> bool:
    outer = node.parent if node.parent and node.parent.type in {"export_statement", "ambient_declaration"} else node
    after = outer.next_named_sibling if outer else None
    while after and after.type == "comment":
        after = after.next_named_sibling
    while after and after.type in {"export_statement", "ambient_declaration"}:
        after = next((one for one in after.named_children if one.type in FUNCTIONS or one.type == "ambient_declaration"), None)
    return bool(after and after.type in FUNCTIONS and text_of(after.child_by_field_name("name")) == name)


def _return(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    value = next((one for one in node.named_children if one.type != "comment"), None)
    number = walk.function_at(scope)
    if value and number >= 0:
        declare_object(walk, value, scope, owner)
        walk.tables.functions[number]["rets"].append(expression(walk.tables, value, scope))
    return _inside(node, scope, owner)


def _declaration(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    return declare_variables(walk, node, scope, owner)


def _parameter(_walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    steps = [(one, scope, owner) for one in node.named_children if one.type == "decorator"]
    return steps + _fields(node, ["pattern", "type", "value"], scope, owner)


def _pattern(_walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Walk only what a pattern evaluates: defaults and computed keys."""
    steps: list[Step] = []
    stack = [node]
    while stack:
        one = stack.pop()
        steps += _fields(one, ["right"], scope, owner) if "assignment" in one.type else []
        stack += [part for part in one.named_children if part.type in PATTERNS]
    return steps


def _formal_parameters(_walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    return [(one, scope, owner) for one in node.named_children if one.type != "identifier"]


def _required(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    return [step for step in _parameter(walk, node, scope, owner) if step[0].type not in {"identifier", "this"}] + _default(
        node, scope, owner
    )


def _default(node: "Node", scope: int, owner: int) -> list[Step]:
    value = node.child_by_field_name("value")  # left out above when it is a bare name, which is a read
    return [(value, scope, owner)] if value and value.type in {"identifier", "this"} else []


def _call(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    tables = walk.tables
    number = expression(tables, node, scope)
    made = tables.rows[number] if number >= 0 else None
    callee = node.child_by_field_name("function")
    rest = _fields(node, ["arguments", "type_arguments"], scope, owner)
    if made and made[0] == "req":
        module_import(tables, node, made[1], "", "", owner)
        return rest
    if callee:
        reference(tables, "calls", owner, callee, [expression(tables, callee, scope), "call", number])
        rest = [*_target(walk, callee, scope, owner), *rest]
    return rest


def _new(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    made = node.child_by_field_name("constructor")
    rest = _fields(node, ["arguments", "type_arguments"], scope, owner)
    expression(walk.tables, node, scope)
    if made:
        reference(walk.tables, "calls", owner, made, [expression(walk.tables, made, scope), "new", -1])
        rest = [*_target(walk, made, scope, owner), *rest]
    return rest


def _target(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Walk what is called without counting its name as read."""
    if node.type in {"identifier", "this", "super", "import"}:
        return []
    if node.type == "member_expression":
        return _object_of(walk, node, scope, owner)
    return [(node, scope, owner)]


def _object_of(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    target = node.child_by_field_name("object")
    if target and target.type == "identifier":
        reference(walk.tables, "accesses", owner, target, [expression(walk.tables, target, scope), "root"])
        return []
    return [(target, scope, owner)] if target else []


def _identifier(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    reference(walk.tables, "accesses", owner, node, [expression(walk.tables, node, scope), "alone"])
    return []


def _member(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    number = expression(walk.tables, node, scope)
    if number >= 0:
        reference(walk.tables, "accesses", owner, node, [number, "member"])
    return _object_of(walk, node, scope, owner)


def _write(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Record what is written to, and return what must be walked to reach it."""
    if node.type in {"identifier", "shorthand_property_identifier_pattern"}:
        number = row(walk.tables, "id", text_of(node), scope)
        reference(walk.tables, "assigns", owner, node, [number, "alone"])
        return []
    if node.type == "member_expression":
        number = expression(walk.tables, node, scope)
        if number >= 0:
            reference(walk.tables, "assigns", owner, node, [number, "member"])
        return _object_of(walk, node, scope, owner)
    if node.type in PATTERNS:
        steps = []
        for one in node.named_children:
            if one.type not in {"property_identifier", "string", "computed_property_name"}:
                steps += (
                    _write(walk, one, scope, owner) if one.type in PATTERNS or "identifier" in one.type else [(one, scope, owner)]
                )
        return steps
    return [(node, scope, owner)]


def _assignment(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return _inside(node, scope, owner)
    if left.type == "member_expression":
        taken = ecma_modules.member_assignment(walk, node, left, right, scope, owner)
        if taken is not None:
            return taken
    return [*_write(walk, left, scope, owner), (right, scope, owner)]


def _augmented(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    left = node.child_by_field_name("left") or node.child_by_field_name("argument")
    steps = _fields(node, ["right"], scope, owner)
    if left:
        _write(walk, left, scope, owner)
        steps.append((left, scope, owner))
    return steps


def _type_name(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    reference(walk.tables, "uses", owner, node, [["n", short(node).replace(" ", ""), []], scope])
    return []


def _type_parameter(_walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    return _fields(node, ["constraint", "value"], scope, owner)


def _generic(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Walk a signature whose type parameters are known in it only."""
    inner = new_scope(walk.tables, scope)
    type_parameters(walk.tables, node, inner)
    return [(one, inner, owner) for one in node.named_children if one.type not in {"identifier", "property_identifier"}]


def _conditional_type(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Bind what a type infers."""
    inner = new_scope(walk.tables, scope)
    stack = [node]
    while stack:
        one = stack.pop()
        if one.type == "infer_type" and one.named_children:
            bind(walk.tables, inner, "^" + text_of(one.named_children[0]), ["t", None])
        stack += one.named_children
    return _inside(node, inner, owner)


def _mapped(_walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    return [(one, scope, owner) for one in node.named_children if one != node.child_by_field_name("name")]


def _index_signature(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    held = [one for one in node.named_children if one.type == "mapped_type_clause"]
    inner = new_scope(walk.tables, scope) if held else scope
    for one in held:
        bind(walk.tables, inner, "^" + text_of(one.child_by_field_name("name")), ["t", None])
    return [(one, inner, owner) for one in node.named_children if one.type != "identifier"]


def _type_predicate(_walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    return _fields(node, ["type"], scope, owner)


def _decorator(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    what = next(iter(node.named_children), None)
    if what and what.type in {"identifier", "member_expression"}:
        reference(walk.tables, "calls", owner, what, [expression(walk.tables, what, scope), "call", -1])
        return _target(walk, what, scope, owner)
    return _inside(node, scope, owner)


def _jsx(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    name = node.child_by_field_name("name")
    rest = [(one, scope, owner) for one in node.named_children if name is None or one.id != name.id]
    if name and (name.type == "member_expression" or (name.type == "identifier" and text_of(name)[:1].isupper())):
        reference(walk.tables, "calls", owner, name, [expression(walk.tables, name, scope), "jsx", -1])
        rest = [*_target(walk, name, scope, owner), *rest]
    return rest


def _import_alias(walk: Walk, node: "Node", scope: int, owner: int) -> list[Step]:
    return ecma_modules.declare_import(walk, node, scope, owner)


Handler = Callable[[Walk, Any, int, int], list[Step]]
HANDLERS: dict[str, Handler] = {
    "import_statement": _import_alias,
    "import_alias": ecma_modules.declare_alias,
    "export_statement": ecma_modules.declare_export,
    "lexical_declaration": _declaration,
    "variable_declaration": _declaration,
    "interface_declaration": ecma_classes.declare_interface,
    "type_alias_declaration": ecma_classes.declare_alias,
    "enum_declaration": ecma_classes.declare_enum,
    "internal_module": ecma_classes.declare_namespace,
    "module": ecma_classes.declare_namespace,
    "statement_block": _block,
    "for_statement": _block,
    "switch_body": _block,
    "for_in_statement": _for_in,
    "catch_clause": _catch,
    "return_statement": _return,
    "call_expression": _call,
    "new_expression": _new,
    "member_expression": _member,
    "identifier": _identifier,
    "shorthand_property_identifier": _identifier,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "update_expression": _augmented,
    "type_identifier": _type_name,
    "nested_type_identifier": _type_name,
    "type_parameter": _type_parameter,
    "type_predicate": _type_predicate,
    "function_type": _generic,
    "constructor_type": _generic,
    "conditional_type": _conditional_type,
    "infer_type": _nothing,
    "index_signature": _index_signature,
    "mapped_type_clause": _mapped,
    "type_query": _nothing,
    "comment": _nothing,
    "formal_parameters": _formal_parameters,
    "required_parameter": _required,
    "optional_parameter": _required,
    "decorator": _decorator,
    "jsx_opening_element": _jsx,
    "jsx_self_closing_element": _jsx,
    "jsx_closing_element": _nothing,
    **dict.fromkeys(PATTERNS, _pattern),
    **dict.fromkeys(CLASSES, ecma_classes.declare_class),
    **dict.fromkeys(FUNCTIONS - {"function_declaration", "generator_function_declaration", "function_signature"}, _function),
    **dict.fromkeys(("function_declaration", "generator_function_declaration", "function_signature"), _function_declaration),
}
