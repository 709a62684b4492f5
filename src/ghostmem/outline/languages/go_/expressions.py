"""Lower each kind of expression and type."""

from typing import TYPE_CHECKING

from ghostmem.outline.languages.go_.lowering import Expression, Lowering, Tree

if TYPE_CHECKING:
    from tree_sitter import Node


def _fields(tag: str, *names: str) -> Expression:
    """Lower the fields of a node, one after the other."""
    return lambda low, node: [tag, *[low.expr(node.child_by_field_name(name)) for name in names]]


def _applied(tag: str, name: str, arguments: str) -> Expression:
    """Lower something with a list of arguments."""
    return lambda low, node: [
        tag,
        low.expr(node.child_by_field_name(name)),
        low.exprs(node.child_by_field_name(arguments)),
    ]


def _selected(name: str, selected: str) -> Expression:
    """Lower a name that is selected from a value or a package."""

    def lower(low: Lowering, node: "Node") -> Tree:
        field = node.child_by_field_name(selected)
        if field is None:
            return ["?"]
        owner = low.expr(node.child_by_field_name(name))
        return [".", owner, low.text(field), low.line(field.start_byte)]

    return lower


def _call(low: Lowering, node: "Node") -> Tree:
    called = low.expr(node.child_by_field_name("function"))
    types = node.child_by_field_name("type_arguments")
    if types is not None:
        called = ["[", called, low.exprs(types)]
    return ["(", called, low.exprs(node.child_by_field_name("arguments"))]


def _instantiation(low: Lowering, node: "Node") -> Tree:
    first, *rest = node.named_children
    return ["[", low.expr(first), [low.expr(one) for one in rest]]


def _slice(low: Lowering, node: "Node") -> Tree:
    bounds = [
        low.expr(one)
        for name in ("start", "end", "capacity")
        if (one := node.child_by_field_name(name)) is not None
    ]
    return [":", low.expr(node.child_by_field_name("operand")), bounds]


def _unary(low: Lowering, node: "Node") -> Tree:
    operator = node.child_by_field_name("operator")
    operand = low.expr(node.child_by_field_name("operand"))
    mark = low.text(operator) if operator is not None else "?"
    return ["*", operand] if mark == "*" else ["u", mark, operand]


def _binary(low: Lowering, node: "Node") -> Tree:
    # a sum of a thousand terms nests a thousand deep to the left: walk it flat
    operator = node.child_by_field_name("operator")
    operands = []
    left: Node | None = node
    while left is not None and left.type == "binary_expression":
        operands.append(left.child_by_field_name("right"))
        left = left.child_by_field_name("left")
    operands.append(left)
    return [
        "b",
        low.text(operator) if operator is not None else "?",
        [low.expr(one) for one in reversed(operands)],
    ]


def _composite(low: Lowering, node: "Node") -> Tree:
    value = _literal(low, node.child_by_field_name("body"))
    return ["{", low.expr(node.child_by_field_name("type")), value[2]]


def _literal(low: Lowering, node: "Node | None") -> Tree:
    pairs: list[Tree] = []
    for one in node.named_children if node is not None else ():
        kind = one.type
        if kind == "keyed_element":
            key, value = one.child_by_field_name("key"), one.child_by_field_name("value")
            pairs.append([low.expr(key), low.expr(value)])
        elif kind == "literal_element":
            pairs.append([None, low.inner(one)])
    while pairs and pairs[-1][0] is None and pairs[-1][1][0] == "#":
        pairs.pop()  # constants at the end refer to nothing, and tables have many
    return ["{", None, pairs]


def _array(low: Lowering, node: "Node") -> Tree:
    return [
        "[n",
        low.expr(node.child_by_field_name("element")),
        low.optional(node.child_by_field_name("length")),
    ]


def _struct(low: Lowering, node: "Node") -> Tree:
    fields: list[Tree] = []
    for body in node.named_children:
        for one in body.named_children:
            if one.type != "field_declaration":
                continue
            names = [low.text(name) for name in one.children_by_field_name("name")]
            declared = low.expr(one.child_by_field_name("type"))
            if not names and any(child.type == "*" for child in one.children):
                declared = ["*", declared]
            fields.append([names, declared, 0 if names else 1])
    return ["st", fields]


def _interface(low: Lowering, node: "Node") -> Tree:
    elements: list[Tree] = []
    for one in node.named_children:
        name = one.child_by_field_name("name")
        if one.type == "method_elem" and name is not None:
            elements.append(["M", low.text(name), low.signature(one), low.line(name.start_byte)])
        elif one.type == "type_elem":
            elements.append(
                ["U", [low.expr(part) for part in one.named_children if part.type != "comment"]]
            )
    return ["if", elements]


def _union(low: Lowering, node: "Node") -> Tree:
    parts = [low.expr(one) for one in node.named_children if one.type != "comment"]
    return parts[0] if len(parts) == 1 else ["if", [["U", parts]]]


def _constraint(low: Lowering, node: "Node") -> Tree:
    parts = [low.expr(one) for one in node.named_children if one.type != "comment"]
    return parts[0] if len(parts) == 1 and parts[0][0] != "~" else ["if", [["U", parts]]]


EXPRESSIONS: dict[str, Expression] = {
    "parenthesized_expression": lambda low, node: low.inner(node),
    "parenthesized_type": lambda low, node: low.inner(node),
    "literal_element": lambda low, node: low.inner(node),
    "selector_expression": _selected("operand", "field"),
    "qualified_type": _selected("package", "name"),
    "call_expression": _call,
    "type_conversion_expression": _applied("(", "type", "operand"),
    "index_expression": _applied("[", "operand", "index"),
    "generic_type": _applied("[", "type", "type_arguments"),
    "type_instantiation_expression": _instantiation,
    "slice_expression": _slice,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "type_assertion_expression": _fields("as", "operand", "type"),
    "composite_literal": _composite,
    "literal_value": _literal,
    "func_literal": lambda low, node: [
        "fl",
        low.signature(node),
        low.block(node.child_by_field_name("body")),
    ],
    "pointer_type": lambda low, node: ["*", low.inner(node)],
    "slice_type": _fields("[]", "element"),
    "array_type": _array,
    "implicit_length_array_type": _array,
    "map_type": _fields("m", "key", "value"),
    "channel_type": _fields("ch", "value"),
    "function_type": lambda low, node: low.signature(node),
    "struct_type": _struct,
    "interface_type": _interface,
    "negated_type": lambda low, node: ["~", low.inner(node)],
    "type_elem": _union,
    "type_constraint": _constraint,
    "variadic_argument": lambda low, node: ["u", "...", low.inner(node)],
}
