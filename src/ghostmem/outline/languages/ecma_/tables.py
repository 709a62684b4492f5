"""What is gathered from one file of JavaScript or TypeScript, and the names of nodes that several
parts of the walk ask for.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import FILE, Import, Ref
from ghostmem.outline.languages.shared import tables
from ghostmem.outline.languages.shared.syntax import line_of, short, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = {
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
    "function_signature",
    "method_signature",
    "abstract_method_signature",
    "function",
    "construct_signature",
    "call_signature",
}
CLASSES = {"class_declaration", "abstract_class_declaration", "class"}


@dataclass(slots=True)
class EcmaTables(tables.Tables):
    """What is gathered from one file; a scope is the body of what `this` is in it."""

    functions: list[dict[str, Any]] = field(default_factory=list)
    exports: dict[str, list[Any]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    named: dict[int, int] = field(default_factory=dict)  # node of a declaration: its symbol


def string_value(node: "Node | None") -> str:
    """Return what a string literal says, without its quotes."""
    return text_of(node)[1:-1] if node and node.type in {"string", "template_string"} else ""


def key_of(node: "Node | None") -> str:
    """Return the name of a property, or nothing when it is computed."""
    if node is None or node.type == "computed_property_name":
        return ""
    return string_value(node) if node.type == "string" else short(node)


def reference(tables: EcmaTables, kind: str, owner: int, node: "Node", detail: Any) -> None:
    """Record a place that names something."""
    tables.refs.append(Ref(kind, owner, short(node), line_of(node), detail))


def module_import(
    tables: EcmaTables, node: "Node", path: str, name: str, alias: str, owner: int = FILE
) -> int:
    """Record an import and return its number; the name is `*` for the whole module."""
    tables.imports.append(Import(path, line_of(node), owner, name, alias, name == "*"))
    return len(tables.imports) - 1
