"""Kotlin: types, functions and properties, what a file imports, and what a type is made from."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import tree_sitter_kotlin

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.plain_.gather import (
    ALIAS,
    PACKAGE,
    SCOPE,
    STAR,
    Gather,
    Rung,
    Step,
    dotted,
)
from ghostmem.outline.languages.plain_.link import PlainRules, link_plain

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = ("extends", "implements", "declares", "imports")
TYPES = {"class_declaration", "object_declaration", "companion_object"}
BODIES = {"class_body", "enum_class_body"}
KOTLIN = ("annotation", "collections", "comparisons", "io", "ranges", "sequences", "text")
STARS = (*(f"kotlin.{one}" for one in KOTLIN), "kotlin", "java.lang")
NATIVES = frozenset(
    f"{space}.{name}"
    for space, names in {
        "kotlin": "Annotation Any ArithmeticException AssertionError AutoCloseable "
        "CharSequence ClassCastException "
        "Comparable Comparator ConcurrentModificationException Enum Error Exception Function "
        "IllegalArgumentException IllegalStateException IndexOutOfBoundsException Lazy "
        "NoSuchElementException "
        "NotImplementedError NullPointerException Number NumberFormatException "
        "RuntimeException Throwable "
        "UnsupportedOperationException",
        "kotlin.collections": "AbstractCollection AbstractIterator "
        "AbstractList AbstractMap AbstractMutableList AbstractMutableMap "
        "AbstractSet ArrayList Collection HashMap HashSet Iterable Iterator LinkedHashMap "
        "LinkedHashSet List "
        "ListIterator Map MutableCollection MutableIterable MutableIterator MutableList "
        "MutableMap MutableSet "
        "Set",
        "kotlin.sequences": "Sequence",
        "kotlin.ranges": "ClosedRange IntRange LongRange OpenEndRange",
        "java.lang": "Cloneable ClassLoader InterruptedException Process Runnable "
        "SecurityException Thread ThreadLocal",
    }.items()
    for name in names.split()
)


class _KotlinState(NamedTuple):
    package: str = ""
    types: tuple[str, ...] = ()

    @property
    def scope(self) -> str:
        return self.types[-1] if self.types else self.package

    @property
    def rungs(self) -> list[Rung]:
        return [
            *([SCOPE, one] for one in reversed(self.types)),
            [ALIAS, ""],
            [PACKAGE, self.package],
            [STAR, ""],
        ]


class _Kotlin(Gather):
    def visit(self, node: "Node", owner: int, state: _KotlinState) -> Iterable[Step]:
        """Take a node, and return what is visited next."""
        match node.type:
            case "package_header":
                return []
            case "import":
                self.imports(node)
                return []
            case kind if kind in TYPES:
                return self.type(node, owner, state)
            case "type_alias":
                name = self.text(node.child_by_field_name("type"))
                self.declare(name, dotted(state.scope, name), "type", owner, node)
                return []
            case "function_declaration":
                name = self.text(node.child_by_field_name("name")).strip("`")
                self.declare(
                    name,
                    dotted(state.scope, name),
                    "method" if state.types else "function",
                    owner,
                    node,
                )
                return []
            case "secondary_constructor":
                self.declare(
                    "constructor", dotted(state.scope, "constructor"), "method", owner, node
                )
                return []
            case "property_declaration":
                self.properties(node, owner, state)
                return []
            case "enum_entry":
                name = self.text(_first(node, "identifier", "simple_identifier"))
                self.declare(name, dotted(state.scope, name), "constant", owner, node)
                return []
            case (
                "anonymous_initializer" | "lambda_literal" | "object_literal" | "getter" | "setter"
            ):
                return []
        return [(child, owner, state) for child in node.named_children]

    def type(self, node: "Node", owner: int, state: _KotlinState) -> list[Step]:
        named = node.child_by_field_name("name") or _first(node, "identifier", "type_identifier")
        name = self.text(named).strip("`") or (
            "Companion" if node.type == "companion_object" else ""
        )
        whole = dotted(state.scope, name)
        kind = "interface" if any(child.type == "interface" for child in node.children) else "type"
        at = self.declare(name, whole, kind, owner, node)
        inner = state._replace(types=(*state.types, whole))
        steps: list[Step] = []
        for child in node.named_children:
            if child.type == "delegation_specifiers":
                self.bases(child, at, kind, state)
            elif child.type == "primary_constructor":
                self.positions(child, at, whole)
            elif child.type in BODIES:
                steps.append((child, at, inner))
        return steps

    def bases(self, given: "Node", owner: int, kind: str, state: _KotlinState) -> None:
        for one in given.named_children:
            inner = (
                _first(one, "constructor_invocation", "explicit_delegation", "user_type")
                if one.type == "delegation_specifier"
                else None
            )
            if inner is None:
                continue
            named = inner if inner.type == "user_type" else _first(inner, "user_type")
            if named is not None:
                # a class is called; what is not called is an interface, or a class that secondary
                # constructors call
                how = (
                    "extends"
                    if inner.type == "constructor_invocation" or kind == "interface"
                    else "implements"
                )
                self.base(how, owner, named, state.rungs, by_target=True)

    def positions(self, given: "Node", owner: int, whole: str) -> None:
        """Declare the properties among the parameters of a class."""
        group = _first(given, "class_parameters") or given
        for one in (child for child in group.named_children if child.type == "class_parameter"):
            if any(child.type in {"val", "var"} for child in one.children):
                name = self.text(_first(one, "identifier", "simple_identifier"))
                self.declare(name, dotted(whole, name), "field", owner, one)

    def properties(self, node: "Node", owner: int, state: _KotlinState) -> None:
        several = _first(node, "multi_variable_declaration")
        marks = self.text(_first(node, "modifiers")).split()
        kind = "constant" if "const" in marks else "field" if state.types else "variable"
        for one in (several or node).named_children:
            if one.type == "variable_declaration":
                name = self.text(_first(one, "identifier", "simple_identifier")).strip("`")
                self.declare(
                    name,
                    dotted(state.scope, name),
                    kind,
                    owner,
                    one if several is not None else node,
                )

    def imports(self, node: "Node") -> None:
        path = (
            self.text(_first(node, "qualified_identifier", "identifier"))
            .replace(" ", "")
            .replace("`", "")
        )
        alias = (
            node.named_children[-1]
            if len(node.named_children) > 1 and node.named_children[-1].type == "identifier"
            else None
        )
        star = any(child.type == "*" for child in node.children) or self.text(node).endswith(".*")
        self.bring(path, node, alias=self.text(alias), star=star)


def extract(root: "Node", source: bytes, _path: str) -> Facts:
    """Return what a file says."""
    kotlin = _Kotlin(source)
    header = _first(root, "package_header")
    package = (
        kotlin.text(_first(header, "qualified_identifier", "identifier")).replace(" ", "")
        if header is not None
        else ""
    )
    kotlin.packages.add(package)
    return kotlin.walk(root, _KotlinState(package))


def _first(node: "Node", *kinds: str) -> "Node | None":
    return next((child for child in node.named_children if child.type in kinds), None)


def _is_native(name: str) -> bool:
    return name.partition(".")[0] in {"kotlin", "java", "javax"} and "." in name


RULES = PlainRules("kotlin", ".", KINDS, NATIVES, _is_native, STARS)
LANGUAGE = Language(
    name="kotlin",
    aliases=("kt",),
    suffixes=(".kt", ".kts"),
    grammar=lambda _path: tree_sitter_kotlin.language(),
    package="tree-sitter-kotlin",
    version=1,
    extract=extract,
    link=partial(link_plain, RULES),
    kinds=KINDS,
)
