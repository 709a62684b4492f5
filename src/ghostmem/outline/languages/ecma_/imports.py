"""What a file brings in."""

from typing import TYPE_CHECKING

from ghostmem.outline.languages.ecma_.expressions import expression
from ghostmem.outline.languages.ecma_.tables import module_import, string_value
from ghostmem.outline.languages.ecma_.terms import type_term
from ghostmem.outline.languages.ecma_.walk import EcmaWalk
from ghostmem.outline.languages.shared.steps import Step
from ghostmem.outline.languages.shared.syntax import text_of
from ghostmem.outline.languages.shared.tables import bind

if TYPE_CHECKING:
    from tree_sitter import Node


def source_of(node: "Node") -> str:
    """Return the module that a statement imports or exports from."""
    return string_value(node.child_by_field_name("source"))


def declare_import(walk: EcmaWalk, node: "Node", scope: int, _owner: int) -> list[Step]:
    """Declare what an import statement brings in."""
    path, taken = source_of(node), False
    for clause in node.named_children:
        if clause.type == "import_require_clause":
            path, taken = source_of(clause), True
            name = text_of(
                next((one for one in clause.named_children if one.type == "identifier"), None)
            )
            bind(walk.tables, scope, name, ["i", module_import(walk.tables, node, path, "=", name)])
        for one in clause.named_children if clause.type == "import_clause" else []:
            if one.type == "identifier":
                taken = _imported(walk, one, path, "default", text_of(one), scope)
            elif one.type == "namespace_import":
                taken = _imported(
                    walk, one, path, "*", text_of(next(iter(one.named_children), None)), scope
                )
            elif one.type == "named_imports":
                taken = _named(walk, one, path, scope) or taken
    if path and not taken:
        module_import(walk.tables, node, path, "", "")
    return []


def _named(walk: EcmaWalk, node: "Node", path: str, scope: int) -> bool:
    taken = False
    for one in node.named_children:
        if one.type == "import_specifier":
            name = text_of(one.child_by_field_name("name")).strip("\"'")
            taken = _imported(
                walk, one, path, name, text_of(one.child_by_field_name("alias")) or name, scope
            )
    return taken


def _imported(walk: EcmaWalk, node: "Node", path: str, name: str, alias: str, scope: int) -> bool:
    bind(walk.tables, scope, alias, ["i", module_import(walk.tables, node, path, name, alias)])
    return True


def declare_alias(walk: EcmaWalk, node: "Node", scope: int, _owner: int) -> list[Step]:
    """Declare `import a = b.c`."""
    parts = node.named_children
    if len(parts) == 2:
        number = expression(walk.tables, parts[1], scope)
        bind(walk.tables, scope, text_of(parts[0]), ["v", type_term(parts[1]), number])
    return []
