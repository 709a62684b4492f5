"""Extract the facts of a JavaScript or TypeScript file, with one function for a type of node."""

from tree_sitter import Node

from ghostmem.outline.facts import FILE, Facts, Ref
from ghostmem.outline.languages.ecma_ import classes
from ghostmem.outline.languages.ecma_.classes import declare_alias
from ghostmem.outline.languages.ecma_.declarations import (
    declare_function,
    declare_object,
    declare_variables,
    function_body,
)
from ghostmem.outline.languages.ecma_.expressions import bind_pattern, expression
from ghostmem.outline.languages.ecma_.modules import declare_export, declare_import, declare_member
from ghostmem.outline.languages.ecma_.references import PATTERNS, REFERENCES, write
from ghostmem.outline.languages.ecma_.terms import TYPE_USES, generic
from ghostmem.outline.languages.ecma_.walk import (
    CLASSES,
    FUNCTIONS,
    UNKNOWN,
    EcmaWalk,
    Handler,
    Step,
    child_of_type,
    fields,
    inside,
    name_of,
    nothing,
)
from ghostmem.outline.languages.shared.syntax import error_lines

LEAVES = (
    "comment",
    "property_identifier",
    "string",
    "string_fragment",
    "number",
    "regex",
    "predefined_type",
    "true",
    "false",
)
DECLARED = {"function_declaration", "generator_function_declaration", "function_signature"}
MODIFIED = {"export_statement", "ambient_declaration"}  # declarations with `export` or `declare`


def _block(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    return inside(node, walk.new_scope(scope), owner)


def _for_in(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    inner = walk.new_scope(scope)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left and node.child_by_field_name("kind"):  # of its declaration: const, let or var
        is_of = any(child.type == "of" for child in node.children)
        value = (
            walk.row("el", expression(walk, right, scope)) if is_of else walk.row("lit", "String")
        )
        bind_pattern(walk, left, inner, value)
    elif left:
        write(walk, left, scope, owner)
    return [*fields(node, ["right"], scope, owner), *fields(node, ["body"], inner, owner)]


def _catch(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    inner = walk.new_scope(scope)
    name = node.child_by_field_name("parameter")
    if name:
        bind_pattern(walk, name, inner, walk.row("?"))
    return fields(node, ["body"], inner, owner)


def _function_declaration(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    name = name_of(node)
    if node.type == "function_signature" and _is_overload(node, name):
        walk.overloads.setdefault((scope, name), []).append(node)
        return []
    symbol = declare_function(walk, name, owner, node, node, scope)
    overloads = walk.overloads.pop((scope, name), [])
    walk.symbols[symbol].detail["over"] = bool(overloads)
    steps = [step for overload in overloads for step in generic(walk, overload, scope, symbol)]
    return steps + function_body(walk, node, scope, owner)


def _is_overload(node: Node, name: str) -> bool:
    """Tell whether the next statement declares a function of the same name."""
    outer = node.parent if node.parent and node.parent.type in MODIFIED else node
    following = outer.next_named_sibling
    while following and following.type == "comment":
        following = following.next_named_sibling
    while following and following.type in MODIFIED:
        following = child_of_type(following, {*FUNCTIONS, "ambient_declaration"})
    return following is not None and following.type in FUNCTIONS and name_of(following) == name


def _return(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    value = next((child for child in node.named_children if child.type != "comment"), None)
    number = walk.function_at(scope)
    if value and number >= 0:
        declare_object(walk, value, scope, owner)
        walk.functions[number]["rets"].append(expression(walk, value, scope))
    return inside(node, scope, owner)


def _pattern(_walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Walk only the default values of a pattern."""
    steps: list[Step] = []
    stack = [node]
    while stack:
        part = stack.pop()
        steps += fields(part, ["right"], scope, owner) if "assignment" in part.type else []
        stack += [child for child in part.named_children if child.type in PATTERNS]
    return steps


def _formal_parameters(_walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    return [(child, scope, owner) for child in node.named_children if child.type != "identifier"]


def _parameter(_walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Walk the parts of a parameter; a plain name is bound by its function."""
    steps = inside(node, scope, owner, "decorator")
    pattern = fields(node, ["pattern"], scope, owner)
    steps += [step for step in pattern if step[0].type not in {"identifier", "this"}]
    return steps + fields(node, ["type", "value"], scope, owner)


STATEMENTS: dict[str, Handler] = {
    "import_statement": declare_import,
    "import_alias": declare_alias,
    "export_statement": declare_export,
    "lexical_declaration": declare_variables,
    "variable_declaration": declare_variables,
    "interface_declaration": classes.declare_interface,
    "type_alias_declaration": classes.declare_alias,
    "enum_declaration": classes.declare_enum,
    "internal_module": classes.declare_namespace,
    "module": classes.declare_namespace,
    "statement_block": _block,
    "for_statement": _block,
    "switch_body": _block,
    "for_in_statement": _for_in,
    "catch_clause": _catch,
    "return_statement": _return,
    **dict.fromkeys(LEAVES, nothing),
    "formal_parameters": _formal_parameters,
    "required_parameter": _parameter,
    "optional_parameter": _parameter,
    **dict.fromkeys(PATTERNS, _pattern),
    **dict.fromkeys(CLASSES, classes.declare_class),
    **dict.fromkeys(FUNCTIONS - DECLARED, function_body),
    **dict.fromkeys(DECLARED, _function_declaration),
}
HANDLERS = STATEMENTS | REFERENCES | TYPE_USES


def extract(root: Node, source: bytes, _path: str) -> Facts:
    """Return the facts of a file."""
    walk = EcmaWalk(source)
    walk.run(HANDLERS, [(root, 0, FILE)])
    while walk.assignments:
        walk.run(HANDLERS, declare_member(walk, *walk.assignments.pop(0)))
    for row in walk.rows:
        if row[0] == "cls":
            row[1] = walk.class_of.get(row[1], UNKNOWN)
    refs = [ref for ref in walk.refs if not _is_local(walk, ref)]
    detail = {
        name: getattr(walk, name) for name in ("scopes", "rows", "functions", "exports", "stars")
    }
    errors = sorted({*error_lines(root), *walk.cut})
    return Facts("", walk.symbols, walk.imports, refs, detail, errors)


def _is_local(walk: EcmaWalk, ref: Ref) -> bool:
    """Tell whether a reference reads or writes a local variable, which has no symbol."""
    if ref.kind not in {"accesses", "assigns"} or walk.rows[ref.detail[0]][0] != "id":
        return False
    _, name, scope = walk.rows[ref.detail[0]]
    found = walk.names_at(scope, name)
    return found is not None and bool(found[0][0] == "v")
