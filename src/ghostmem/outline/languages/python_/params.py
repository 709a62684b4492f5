"""Parameters of Python functions, and the types that docstrings give them."""

import re
from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.python_.expressions import type_of, value
from ghostmem.outline.languages.python_.tables import PythonTables, nth

if TYPE_CHECKING:
    from tree_sitter import Node

_RETURNED = re.compile(r":rtype:[ \t]*([^\n]+)")
_TYPED = re.compile(r":type[ \t]+\*{0,2}(\w+):[ \t]*([^\n]+)")
_PARAM = re.compile(r":param[ \t]+([\w.]+)[ \t]+\*{0,2}(\w+):")
_ROLE = re.compile(r":\w+:`[~!]?([\w.]+)`|`+[~!]?([\w.]+)`+")
_DOTTED = re.compile(r"[A-Za-z_][\w.]*$")


def parameters(t: PythonTables, node: "Node | None", scope: int, function: int) -> list[list[Any]]:
    """Bind the parameters of a function in its scope.

    Return each one's name, star and whether it can be positional.

    Annotations belong to the function, defaults are evaluated where it is defined.
    """
    listed: list[list[Any]] = []
    if node is None:
        return listed
    positional = True
    for child in node.named_children:
        if child.type == "keyword_separator":
            positional = False
            continue
        named = _named(child)
        if named is None:
            continue
        star = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}.get(named.type, "")
        word = nth(named, 0) if star else named
        if word is None or word.type != "identifier":
            continue
        annotation = _annotation(t, child.child_by_field_name("type"), function)
        default = (
            value(t, child.child_by_field_name("value"))
            if child.child_by_field_name("value") is not None
            else -1
        )
        bound = ["par", word.start_byte, -1, [len(listed), star, annotation, default], function, -1]
        t.scopes[scope]["names"].setdefault(t.text(word), []).append(bound)
        listed.append([t.text(word), star, positional])
        positional = positional and not star
    return listed


def _named(node: "Node") -> "Node | None":
    if node.type in ("identifier", "list_splat_pattern", "dictionary_splat_pattern"):
        return node
    if node.type == "typed_parameter":
        return nth(node, 0)
    return (
        node.child_by_field_name("name")
        if node.type in ("default_parameter", "typed_default_parameter")
        else None
    )


def _annotation(t: PythonTables, node: "Node | None", function: int) -> int:
    owner = t.owner
    t.owner = function if function >= 0 else owner
    row = type_of(t, node)
    t.owner = owner
    return row


def documented(t: PythonTables, body: "Node | None") -> dict[str, list[int]]:
    """Return the types that a docstring names: of parameters, and under the empty name of what is
    returned.
    """
    first = nth(body, 0) if body is not None else None
    string = nth(first, 0) if first is not None and first.type == "expression_statement" else None
    if string is None or string.type != "string":
        return {}
    text = t.text(string)
    if ":" not in text:
        return {}
    found = [("", said) for said in _RETURNED.findall(text)] + _TYPED.findall(text)
    found += [(name, said) for said, name in _PARAM.findall(text)]
    types: dict[str, list[int]] = {}
    for name, said in found:
        for one in said.strip().rstrip(".").split(" or "):
            role = _ROLE.fullmatch(one.strip())
            dotted = (role.group(1) or role.group(2)) if role else one.strip()
            if _DOTTED.match(dotted):
                types.setdefault(name, []).append(t.add("doc", dotted))
    return types
