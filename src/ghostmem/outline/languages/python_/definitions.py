"""Python functions and classes: symbols with scopes of their own."""

from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.python_.expressions import callee, note_call, type_of, using, value
from ghostmem.outline.languages.python_.flow import documented, parameters
from ghostmem.outline.languages.python_.statements import STATEMENTS, suite
from ghostmem.outline.languages.python_.tables import PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node

_INTERFACES = ("Protocol", "ABC", "ABCMeta")


def _decorated(t: PythonTables, node: "Node") -> None:
    decorators = []
    for child in node.named_children:
        inner = nth(child, 0) if child.type == "decorator" else None
        if inner is None:
            continue
        if inner.type == "call":
            decorators.append(value(t, inner))
        else:
            row = callee(t, inner)
            decorators.append(row)
            note_call(t, inner, t.add("c", row, [], [["*", 0]]))
    definition = node.child_by_field_name("definition")
    if definition is not None:
        (_class if definition.type == "class_definition" else _function)(
            t, definition, node, decorators
        )


def _function(
    t: PythonTables, node: "Node", whole: "Node | None" = None, decorators: list[int] | None = None
) -> None:
    word, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if word is None:
        return
    inside = t.scopes[t.scope]["symbol"] if t.scopes[t.scope]["kind"] == "class" else FILE
    detail: dict[str, Any] = {
        "decos": decorators or [],
        "rets": [],
        "yields": [],
        "ret": -1,
        "class": inside,
    }
    detail["async"] = any(child.type == "async" for child in node.children)
    number = t.symbol(
        t.text(word),
        "function" if inside == FILE else "method",
        whole or node,
        _head(t, node, body),
        detail,
    )
    t.bind(t.text(word), "def", node.end_byte, number, -1, number)
    saved = (t.scope, t.block, t.owner, t.function, t.me)
    _type_parameters(t, node)
    scope = t.new_scope("function", t.scope, number)
    detail["scope"] = scope
    detail["params"] = parameters(t, node.child_by_field_name("parameters"), scope, number)
    t.owner = number
    detail["ret"] = type_of(t, node.child_by_field_name("return_type"))
    t.scope, t.block, t.function = scope, t.new_block(-1), detail
    static = any(
        t.exprs[one][-1] == "staticmethod" or t.exprs[one][1:2] == ("staticmethod",)
        for one in detail["decos"]
    )
    detail["static"] = static
    if inside != FILE:
        t.me = (detail["params"][0][0], inside) if detail["params"] and not static else None
    elif t.me is not None and any(one[0] == t.me[0] for one in detail["params"]):
        t.me = None
    detail["docs"] = documented(t, body)
    suite(t, body)
    t.scope, t.block, t.owner, t.function, t.me = saved


def _head(t: PythonTables, node: "Node", body: "Node | None") -> str:
    stop = body.start_byte if body is not None else node.end_byte
    text = t.source[node.start_byte : min(stop, node.start_byte + 2000)].decode("utf-8", "replace")
    return " ".join(text.split()).rstrip(": ")


def _type_parameters(t: PythonTables, node: "Node") -> list[int]:
    listed = node.child_by_field_name("type_parameters")
    if listed is None:
        return []
    t.scope = t.new_scope("comp", t.scope, t.owner)
    rows = []
    for child in listed.named_children:
        inner = nth(child, 0)
        bound = 0
        if inner is not None and inner.type == "constrained_type":
            bound = max(type_of(t, nth(inner, 1)), 0)
            inner = nth(inner, 0)
        while inner is not None and inner.type != "identifier":
            inner = nth(inner, 0)
        if inner is not None:
            rows.append(t.add("tv", t.text(inner), bound))
            t.bind(t.text(inner), "val", 0, rows[-1])
    return rows


def _class(
    t: PythonTables, node: "Node", whole: "Node | None" = None, decorators: list[int] | None = None
) -> None:
    word, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if word is None:
        return
    detail: dict[str, Any] = {"decos": decorators or [], "bases": [], "attrs": {}, "meta": -1}
    number = t.symbol(t.text(word), "type", whole or node, _head(t, node, body), detail)
    t.bind(t.text(word), "def", node.end_byte, number, -1, number)
    saved = (t.scope, t.block, t.owner, t.function, t.me)
    detail["tvs"] = _type_parameters(t, node)
    t.owner = number
    listed = node.child_by_field_name("superclasses")
    for base in listed.named_children if listed is not None else ():
        _base(t, base, detail)
    words = [
        t.exprs[row][-1] if t.exprs[row][0] == "a" else t.exprs[row][1]
        for row in _bare(t, [*detail["bases"], detail["meta"]])
    ]
    if any(one in _INTERFACES for one in words):
        t.facts.symbols[number] = t.facts.symbols[number]._replace(kind="interface")
    t.scope = detail["scope"] = t.new_scope("class", t.scope, number)
    t.block, t.function, t.me = t.new_block(-1), None, None
    suite(t, body)
    t.scope, t.block, t.owner, t.function, t.me = saved


def _bare(t: PythonTables, rows: list[int]) -> list[int]:
    plain = [t.exprs[row][1] if row > 0 and t.exprs[row][0] == "s" else row for row in rows]
    return [row for row in plain if row > 0 and t.exprs[row][0] in ("n", "a")]


def _base(t: PythonTables, node: "Node", detail: dict[str, Any]) -> None:
    if node.type == "keyword_argument":
        word = node.child_by_field_name("name")
        row = using(t, node.child_by_field_name("value"))
        if word is not None and t.text(word) == "metaclass":
            detail["meta"] = row
    elif node.type in ("identifier", "attribute"):
        detail["bases"].append(callee(t, node))
        t.ref("extends", t.short(node), t.at(node), detail["bases"][-1])
    elif node.type == "subscript" and (plain := node.child_by_field_name("value")) is not None:
        base = callee(t, plain)
        t.ref("extends", t.short(plain), t.at(plain), base)
        rows = [type_of(t, child) for child in node.children_by_field_name("subscript")]
        detail["bases"].append(t.index(base, rows))
    elif node.type != "comment":
        detail["bases"].append(value(t, node))


STATEMENTS.update(
    {
        "function_definition": _function,
        "class_definition": _class,
        "decorated_definition": _decorated,
    }
)
