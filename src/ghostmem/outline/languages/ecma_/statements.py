"""Walk statements, functions and patterns."""

from typing import TYPE_CHECKING

from ghostmem.outline.languages.ecma_ import classes
from ghostmem.outline.languages.ecma_.exports import declare_export
from ghostmem.outline.languages.ecma_.expressions import expression
from ghostmem.outline.languages.ecma_.functions import bind_pattern
from ghostmem.outline.languages.ecma_.imports import declare_alias, declare_import
from ghostmem.outline.languages.ecma_.methods import declare_function, declare_object, function_body
from ghostmem.outline.languages.ecma_.references import PATTERNS, write
from ghostmem.outline.languages.ecma_.tables import CLASSES, FUNCTIONS
from ghostmem.outline.languages.ecma_.type_uses import generic
from ghostmem.outline.languages.ecma_.variables import declare_variables
from ghostmem.outline.languages.ecma_.walk import EcmaWalk, Handler, fields
from ghostmem.outline.languages.shared.steps import Step, inside, nothing
from ghostmem.outline.languages.shared.syntax import text_of
from ghostmem.outline.languages.shared.tables import new_scope, row

if TYPE_CHECKING:
    from tree_sitter import Node

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


def _block(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    inner = new_scope(walk.tables, scope)
    return inside(node, inner, owner)


def _for_in(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    inner = new_scope(walk.tables, scope)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    declared = node.child_by_field_name("kind") is not None
    if left and declared:
        over = any(one.type == "of" for one in node.children)
        value = (
            row(walk.tables, "el", expression(walk.tables, right, scope))
            if over
            else row(walk.tables, "lit", "String")
        )
        bind_pattern(walk.tables, left, inner, value)
    elif left:
        write(walk, left, scope, owner)
    return [*fields(node, ["right"], scope, owner), *fields(node, ["body"], inner, owner)]


def _catch(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    inner = new_scope(walk.tables, scope)
    name = node.child_by_field_name("parameter")
    if name:
        bind_pattern(walk.tables, name, inner, row(walk.tables, "?"))
    return fields(node, ["body"], inner, owner)


def _function_declaration(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    name = text_of(node.child_by_field_name("name"))
    if node.type == "function_signature" and _is_overloaded(node, name):
        walk.pending.setdefault((scope, name), []).append(node)
        return []
    sym = declare_function(walk, name, "function", owner, node, node, scope)
    overloads = walk.pending.pop((scope, name), [])
    walk.tables.symbols[sym]["detail"]["over"] = bool(overloads)
    extra = [step for one in overloads for step in generic(walk, one, scope, sym)]
    return extra + function_body(walk, node, scope, owner)


def _is_overloaded(node: "Node", name: str) -> bool:
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


def _return(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    value = next((one for one in node.named_children if one.type != "comment"), None)
    number = walk.function_at(scope)
    if value and number >= 0:
        declare_object(walk, value, scope, owner)
        walk.tables.functions[number]["rets"].append(expression(walk.tables, value, scope))
    return inside(node, scope, owner)


def _parameter(_walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    steps = [(one, scope, owner) for one in node.named_children if one.type == "decorator"]
    return steps + fields(node, ["pattern", "type", "value"], scope, owner)


def _pattern(_walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    """Walk only what a pattern evaluates: defaults and computed keys."""
    steps: list[Step] = []
    stack = [node]
    while stack:
        one = stack.pop()
        steps += fields(one, ["right"], scope, owner) if "assignment" in one.type else []
        stack += [part for part in one.named_children if part.type in PATTERNS]
    return steps


def _formal_parameters(_walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    return [(one, scope, owner) for one in node.named_children if one.type != "identifier"]


def _required(walk: EcmaWalk, node: "Node", scope: int, owner: int) -> list[Step]:
    return [
        step
        for step in _parameter(walk, node, scope, owner)
        if step[0].type not in {"identifier", "this"}
    ] + _default(node, scope, owner)


def _default(node: "Node", scope: int, owner: int) -> list[Step]:
    value = node.child_by_field_name(
        "value"
    )  # left out above when it is a bare name, which is a read
    return [(value, scope, owner)] if value and value.type in {"identifier", "this"} else []


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
