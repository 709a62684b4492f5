"""Lower each kind of statement and declaration."""

from typing import TYPE_CHECKING

from ghostmem.outline.languages.go_.lowering import Lowering, Statement, Tree

if TYPE_CHECKING:
    from tree_sitter import Node


def _simple(low: Lowering, node: "Node") -> list[Tree]:
    kids = [one for one in node.named_children if one.type != "comment"]
    found = [tree for one in kids for tree in low.exprs(one)]
    return [["E", found]] if found else []


def _assign(low: Lowering, node: "Node") -> list[Tree]:
    operator = node.child_by_field_name("operator")
    mark = low.text(operator) if operator is not None else "="
    return [
        [
            "A",
            mark,
            low.exprs(node.child_by_field_name("left")),
            low.exprs(node.child_by_field_name("right")),
        ]
    ]


def _names(low: Lowering, node: "Node | None") -> list[str]:
    return (
        [low.text(one) for one in node.named_children if one.type != "comment"]
        if node is not None
        else []
    )


def spec(low: Lowering, node: "Node") -> Tree:
    """Lower one specification of variables or constants."""
    names = [
        low.text(name) for name in node.children_by_field_name("name") if name.type == "identifier"
    ]
    return [
        "V",
        names,
        low.optional(node.child_by_field_name("type")),
        low.exprs(node.child_by_field_name("value")),
    ]


def const_specs(low: Lowering, node: "Node") -> list[tuple["Node", Tree]]:
    """Lower a constant declaration.

    A specification without values repeats those above, marked so that they count once.
    """
    found: list[tuple[Node, Tree]] = []
    above: Tree = ["V", [], None, []]
    for one in node.named_children:
        if one.type != "const_spec":
            continue
        lowered = spec(low, one)
        if lowered[3]:
            above = lowered
        else:
            lowered = ["V", lowered[1], above[2], above[3], 1]
        found.append((one, lowered))
    return found


def _variables(low: Lowering, node: "Node") -> list[Tree]:
    found = []
    for one in node.named_children:
        if one.type == "var_spec":
            found.append(spec(low, one))
        elif one.type == "var_spec_list":
            found.extend(_variables(low, one))
    return found


def type_spec(low: Lowering, node: "Node") -> Tree:
    """Lower one type declaration."""
    name = node.child_by_field_name("name")
    params = low.type_params(node.child_by_field_name("type_parameters"))
    alias = 1 if node.type == "type_alias" else 0
    return [
        "T",
        low.text(name) if name is not None else "_",
        params,
        low.expr(node.child_by_field_name("type")),
        alias,
    ]


def _if(low: Lowering, node: "Node") -> list[Tree]:
    inside = low.statement(node.child_by_field_name("initializer"))
    inside.append(["E", [low.expr(node.child_by_field_name("condition"))]])
    inside.append(["B", low.block(node.child_by_field_name("consequence"))])
    inside.extend(low.statement(node.child_by_field_name("alternative")))
    return [["B", inside]]


def _for(low: Lowering, node: "Node") -> list[Tree]:
    body = low.block(node.child_by_field_name("body"))
    head = next((one for one in node.named_children if one.type not in {"comment", "block"}), None)
    if head is None:
        return [["B", body]]
    if head.type == "range_clause":
        return [_range(low, head, body)]
    if head.type != "for_clause":
        return [["B", [["E", [low.expr(head)]], ["B", body]]]]
    inside = low.statement(head.child_by_field_name("initializer"))
    condition = head.child_by_field_name("condition")
    if condition is not None:
        inside.append(["E", [low.expr(condition)]])
    return [["B", [*inside, *low.statement(head.child_by_field_name("update")), ["B", body]]]]


def _range(low: Lowering, head: "Node", body: list[Tree]) -> Tree:
    defines = 1 if any(one.type == ":=" for one in head.children) else 0
    lefts = low.exprs(head.child_by_field_name("left"))
    return ["R", defines, lefts, low.expr(head.child_by_field_name("right")), body]


def _switch(low: Lowering, node: "Node") -> list[Tree]:
    inside = low.statement(node.child_by_field_name("initializer"))
    value = node.child_by_field_name("value")
    if value is not None:
        inside.append(["E", [low.expr(value)]])
    for case in node.named_children:
        if case.type in {"expression_case", "default_case"}:
            inside.append(["E", low.exprs(case.child_by_field_name("value"))])
            inside.append(["B", _case_body(low, case)])
    return [["B", inside]]


def _case_body(low: Lowering, case: "Node") -> list[Tree]:
    return [
        done
        for one in case.named_children
        if one.type == "statement_list"
        for done in low.block(one)
    ]


def _type_switch(low: Lowering, node: "Node") -> list[Tree]:
    inside = low.statement(node.child_by_field_name("initializer"))
    alias = _names(low, node.child_by_field_name("alias"))
    cases = []
    for case in node.named_children:
        if case.type in {"type_case", "default_case"}:
            types = [low.expr(one) for one in case.children_by_field_name("type") if one.is_named]
            cases.append([types, _case_body(low, case)])
    inside.append(
        ["S", alias[0] if alias else "", low.expr(node.child_by_field_name("value")), cases]
    )
    return [["B", inside]]


def _select(low: Lowering, node: "Node") -> list[Tree]:
    cases = {"communication_case", "default_case"}
    return [
        ["B", [*low.statement(case.child_by_field_name("communication")), *_case_body(low, case)]]
        for case in node.named_children
        if case.type in cases
    ]


def _receive(low: Lowering, node: "Node") -> list[Tree]:
    left = node.child_by_field_name("left")
    rights = low.exprs(node.child_by_field_name("right"))
    if left is None:
        return [["E", rights]]
    if any(one.type == ":=" for one in node.children):
        return [["D", _names(low, left), rights]]
    return [["A", "=", low.exprs(left), rights]]


STATEMENTS: dict[str, Statement] = {
    "expression_statement": _simple,
    "send_statement": _simple,
    "go_statement": _simple,
    "defer_statement": _simple,
    "return_statement": _simple,
    "inc_statement": lambda low, node: [["A", "+=", [low.inner(node)], [["#", "int"]]]],
    "dec_statement": lambda low, node: [["A", "+=", [low.inner(node)], [["#", "int"]]]],
    "assignment_statement": _assign,
    "short_var_declaration": lambda low, node: [
        [
            "D",
            _names(low, node.child_by_field_name("left")),
            low.exprs(node.child_by_field_name("right")),
        ]
    ],
    "receive_statement": _receive,
    "var_declaration": _variables,
    "const_declaration": lambda low, node: [lowered for _, lowered in const_specs(low, node)],
    "type_declaration": lambda low, node: [
        type_spec(low, one)
        for one in node.named_children
        if one.type in {"type_spec", "type_alias"}
    ],
    "block": lambda low, node: [["B", low.block(node)]],
    "if_statement": _if,
    "for_statement": _for,
    "expression_switch_statement": _switch,
    "type_switch_statement": _type_switch,
    "select_statement": _select,
    "labeled_statement": lambda low, node: [
        done
        for one in node.named_children
        if one.type != "label_name"
        for done in low.statement(one)
    ],
}
