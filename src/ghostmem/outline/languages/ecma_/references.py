"""Record calls, reads and writes."""

from tree_sitter import Node

from ghostmem.outline.languages.ecma_.expressions import expression
from ghostmem.outline.languages.ecma_.modules import member_assignment
from ghostmem.outline.languages.ecma_.walk import EcmaWalk, Handler, Step, fields, inside, nothing
from ghostmem.outline.languages.shared.syntax import text_of

PATTERNS = {
    "object_pattern",
    "array_pattern",
    "rest_pattern",
    "assignment_pattern",
    "object_assignment_pattern",
    "pair_pattern",
}
TARGETS = {"identifier", "shorthand_property_identifier_pattern"}
KEYS = {"property_identifier", "string", "computed_property_name"}


def _call(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    number = expression(walk, node, scope)
    rest = fields(node, ["arguments", "type_arguments"], scope, owner)
    if number >= 0 and walk.rows[number][0] == "req":
        walk.module_import(node, walk.rows[number][1], "", "", owner)
        return rest
    return _run(walk, node.child_by_field_name("function"), scope, owner, "call") + rest


def _new(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    expression(walk, node, scope)
    rest = fields(node, ["arguments", "type_arguments"], scope, owner)
    return _run(walk, node.child_by_field_name("constructor"), scope, owner, "new") + rest


def _run(walk: EcmaWalk, node: Node | None, scope: int, owner: int, mode: str) -> list[Step]:
    """Record a call; the name of what is called does not count as read."""
    if node is None:
        return []
    walk.reference("calls", owner, node, [expression(walk, node, scope), mode])
    if node.type in {"identifier", "this", "super", "import"}:
        return []
    if node.type == "member_expression":
        return _object_of(walk, node, scope, owner)
    return [(node, scope, owner)]


def _object_of(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    target = node.child_by_field_name("object")
    if target and target.type == "identifier":
        walk.reference("accesses", owner, target, [expression(walk, target, scope), "root"])
        return []
    return [(target, scope, owner)] if target else []


def _identifier(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    walk.reference("accesses", owner, node, [expression(walk, node, scope), "alone"])
    return []


def _member(
    walk: EcmaWalk, node: Node, scope: int, owner: int, kind: str = "accesses"
) -> list[Step]:
    number = expression(walk, node, scope)
    if number >= 0:
        walk.reference(kind, owner, node, [number, "member"])
    return _object_of(walk, node, scope, owner)


def write(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    """Record an assignment to a target, and return the steps to the rest of it."""
    if node.type in TARGETS:
        number = walk.row("id", text_of(node), scope)
        walk.reference("assigns", owner, node, [number, "alone"])
        return []
    if node.type == "member_expression":
        return _member(walk, node, scope, owner, "assigns")
    if node.type not in PATTERNS:
        return [(node, scope, owner)]
    steps: list[Step] = []
    for child in node.named_children:
        if child.type in PATTERNS or child.type in TARGETS:
            steps += write(walk, child, scope, owner)
        elif child.type not in KEYS:
            steps.append((child, scope, owner))
    return steps


def _assignment(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return inside(node, scope, owner)
    if left.type == "member_expression":
        steps = member_assignment(walk, node, left, right, scope, owner)
        if steps is not None:
            return steps
    return [*write(walk, left, scope, owner), (right, scope, owner)]


def _augmented(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    left = node.child_by_field_name("left") or node.child_by_field_name("argument")
    steps = fields(node, ["right"], scope, owner)
    if left:
        write(walk, left, scope, owner)
        steps.append((left, scope, owner))
    return steps


def _decorator(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    function = next(iter(node.named_children), None)
    if function and function.type in {"identifier", "member_expression"}:
        return _run(walk, function, scope, owner, "call")
    return inside(node, scope, owner)


def _jsx(walk: EcmaWalk, node: Node, scope: int, owner: int) -> list[Step]:
    name = node.child_by_field_name("name")
    rest = [step for step in inside(node, scope, owner) if step[0] != name]
    is_component = name and (
        name.type == "member_expression"
        or (name.type == "identifier" and text_of(name)[:1].isupper())
    )
    return (_run(walk, name, scope, owner, "jsx") if is_component else []) + rest


REFERENCES: dict[str, Handler] = {
    "call_expression": _call,
    "new_expression": _new,
    "member_expression": _member,
    "identifier": _identifier,
    "shorthand_property_identifier": _identifier,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "update_expression": _augmented,
    "decorator": _decorator,
    "jsx_opening_element": _jsx,
    "jsx_self_closing_element": _jsx,
    "jsx_closing_element": nothing,
}
