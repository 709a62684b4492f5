"""What a JavaScript or TypeScript file says: a walk over its tree, one function a kind of node."""

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
    EcmaWalk,
    Handler,
    Step,
    fields,
    inside,
    nothing,
)
from ghostmem.outline.languages.shared.syntax import error_lines, text_of

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


def _block(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    inner = walk.new_scope(scope)
    return inside(node, inner, owner)


def _for_in(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    inner = walk.new_scope(scope)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    declared = node.child_by_field_name("kind") is not None
    if left and declared:
        over = any(one.type == "of" for one in node.children)
        value = (
            walk.row("el", expression(walk, right, scope)) if over else walk.row("lit", "String")
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
    name = text_of(node.child_by_field_name("name"))
    if node.type == "function_signature" and _is_overloaded(node, name):
        walk.pending.setdefault((scope, name), []).append(node)
        return []
    sym = declare_function(walk, name, owner, node, node, scope)
    overloads = walk.pending.pop((scope, name), [])
    walk.symbols[sym].detail["over"] = bool(overloads)
    extra = [step for one in overloads for step in generic(walk, one, scope, sym)]
    return extra + function_body(walk, node, scope, owner)


def _is_overloaded(node: Node, name: str) -> bool:
    outer = (
        node.parent
        if node.parent and node.parent.type in {"export_statement", "ambient_declaration"}
        else node
    )
    after = outer.next_named_sibling if outer else None
    while after and after.type == "comment":
        after = after.next_named_sibling
    while after and after.type in {"export_statement", "ambient_declaration"}:
        after = next(
            (
                one
                for one in after.named_children
                if one.type in FUNCTIONS or one.type == "ambient_declaration"
            ),
            None,
        )
    return bool(
        after and after.type in FUNCTIONS and text_of(after.child_by_field_name("name")) == name
    )


def _return(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    value = next((one for one in node.named_children if one.type != "comment"), None)
    number = walk.function_at(scope)
    if value and number >= 0:
        declare_object(walk, value, scope, owner)
        walk.functions[number]["rets"].append(expression(walk, value, scope))
    return inside(node, scope, owner)


def _pattern(_walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Walk only what a pattern evaluates: defaults and computed keys."""
    steps: list[Step] = []
    stack = [node]
    while stack:
        one = stack.pop()
        steps += fields(one, ["right"], scope, owner) if "assignment" in one.type else []
        stack += [part for part in one.named_children if part.type in PATTERNS]
    return steps


def _formal_parameters(_walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    return [(one, scope, owner) for one in node.named_children if one.type != "identifier"]


def _required(_walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Walk the parts of a parameter; a plain name is bound by its function."""
    steps = [(one, scope, owner) for one in node.named_children if one.type == "decorator"]
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
    "required_parameter": _required,
    "optional_parameter": _required,
    **dict.fromkeys(PATTERNS, _pattern),
    **dict.fromkeys(CLASSES, classes.declare_class),
    **dict.fromkeys(FUNCTIONS - DECLARED, function_body),
    **dict.fromkeys(DECLARED, _function_declaration),
}


HANDLERS = STATEMENTS | REFERENCES | TYPE_USES


def extract(root: Node, source: bytes, _path: str) -> Facts:
    """Return what a file says."""
    walk = EcmaWalk(source)
    walk.run(HANDLERS, [(root, 0, FILE)])
    while walk.late:  # members hung on something from outside are declared once everything else is
        walk.run(HANDLERS, declare_member(walk, *walk.late.pop(0)))
    for one in walk.rows:
        if one[0] == "cls":
            one[1] = walk.named.get(one[1], -1)
    refs = [one for one in walk.refs if not _is_local(walk, one)]
    detail = {
        name: getattr(walk, name) for name in ("scopes", "rows", "functions", "exports", "stars")
    }
    errors = sorted({*error_lines(root), *walk.cut})
    return Facts("", walk.symbols, walk.imports, refs, detail, errors)


def _is_local(walk: EcmaWalk, ref: Ref) -> bool:
    """Say whether a read or write is of a local, which the linker has no use for."""
    if ref.kind not in {"accesses", "assigns"} or walk.rows[ref.detail[0]][0] != "id":
        return False
    _, name, scope = walk.rows[ref.detail[0]]
    found = walk.names_at(scope, name)
    return found is not None and bool(found[0][0] == "v")
