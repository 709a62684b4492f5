"""What is gathered from one file of Java, and the types that are written in it, as plain data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import Ref
from ghostmem.outline.languages.shared import tables
from ghostmem.outline.languages.shared.steps import Step
from ghostmem.outline.languages.shared.syntax import MAX_DEPTH, line_of, short, text_of
from ghostmem.outline.languages.shared.tables import bind, new_symbol

if TYPE_CHECKING:
    from tree_sitter import Node

PRIMITIVES = {"integral_type", "floating_point_type", "boolean_type", "void_type"}


@dataclass(slots=True)
class JavaTables(tables.Tables):
    """What is gathered from one file; a scope may be the body of a class."""

    package: str = ""
    lambdas: list[dict[str, Any]] = field(default_factory=list)


Handler = Callable[[JavaTables, "Node", int, int], list[Step]]


def compact(node: "Node | None") -> str:
    """Return a dotted name without annotations, comments or blanks."""
    return "".join(short(node, 200).split()) if node else ""


def count_of(given: "Node | None") -> int:
    """Return how many arguments are given."""
    return len([one for one in given.named_children if "comment" not in one.type]) if given else 0


def reference(
    tables: JavaTables, kind: str, owner: int, node: "Node", detail: Any, cut: "Node | None" = None
) -> None:
    """Record a place that names something; what is from `cut` on is left out of its text."""
    text = short(node, 400)
    if cut:
        text = " ".join(
            tables.source[node.start_byte : cut.start_byte][:400].decode("utf-8", "replace").split()
        )
    tables.refs.append(
        Ref(kind, owner, text[-80:] if cut else text[:80], line_of(cut or node), detail)
    )


def add_symbol(
    tables: JavaTables, name: str, kind: str, parent: int, node: "Node", **detail: Any
) -> int:
    """Add a symbol and return its number."""
    lines = (node.text or b"")[:800].decode("utf-8", "replace").split("\n")
    head = next((one.strip() for one in lines if not one.strip().startswith("@")), "")
    return new_symbol(tables, name, kind, parent, node, head, detail)


def type_parameters(tables: JavaTables, node: "Node", scope: int) -> list[str]:
    """Bind the type parameters of a declaration in its scope and return their names."""
    found = node.child_by_field_name("type_parameters")
    names = []
    for one in found.named_children if found else []:
        name = next(
            (part for part in one.named_children if part.type in {"type_identifier", "identifier"}),
            None,
        )
        bound = next((part for part in one.named_children if part.type == "type_bound"), None)
        names.append(text_of(name))
        bind(
            tables,
            scope,
            "^" + names[-1],
            ["t", type_term(bound.named_children[0]) if bound and bound.named_children else None],
        )
    return names


def type_term(node: "Node | None", depth: int = 0) -> Any:
    """Return a type as data, None when nothing is known of it, as with `var`."""
    if node is None or depth > MAX_DEPTH:
        return None
    match node.type:
        case "type_identifier" | "scoped_type_identifier" | "identifier" | "scoped_identifier":
            return ["n", compact(node), []] if compact(node) != "var" else None
        case "generic_type":
            name = compact(next(iter(node.named_children), None))
            given = next((one for one in node.named_children if one.type == "type_arguments"), None)
            return [
                "n",
                name,
                [type_term(one, depth + 1) for one in given.named_children] if given else [],
            ]
        case "array_type":
            return ["arr", type_term(node.child_by_field_name("element"), depth + 1)]
        case "annotated_type":
            return type_term(node.named_children[-1], depth + 1) if node.named_children else None
        case "wildcard":
            parts = [one for one in node.named_children if "annotation" not in one.type]
            return type_term(parts[-1], depth + 1) if parts and parts[0].type != "super" else None
        case kind if kind in PRIMITIVES:
            return ["p", text_of(node)]
        case _:
            return None
