"""PHP: types, functions and constants, what a file uses and includes, and what a type is
made from.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Any, NamedTuple

import tree_sitter_php

from ghostmem.outline.facts import Facts, Import
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.plain_.gather import ALIAS, PACKAGE, Gather, Rung, Step
from ghostmem.outline.languages.plain_.link import PlainRules, link_plain

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = ("extends", "implements", "declares", "imports")
TYPES = {
    "class_declaration": "type",
    "trait_declaration": "type",
    "enum_declaration": "type",
    "interface_declaration": "interface",
}
INCLUDES = {
    "require_expression",
    "require_once_expression",
    "include_expression",
    "include_once_expression",
}
NAMES = {"name", "qualified_name", "relative_name"}
NATIVES = frozenset(
    "ArgumentCountError ArithmeticError ArrayAccess ArrayIterator ArrayObject "
    "AssertionError Attribute "
    "BackedEnum BadFunctionCallException BadMethodCallException Closure Countable "
    "DateInterval DateTime "
    "DateTimeImmutable DateTimeInterface DateTimeZone DivisionByZeroError DomainException Error "
    "ErrorException Exception FilterIterator Generator InvalidArgumentException Iterator "
    "IteratorAggregate IteratorIterator JsonException JsonSerializable LengthException "
    "LogicException "
    "OuterIterator OutOfBoundsException OutOfRangeException OverflowException PDO PDOException "
    "PDOStatement php_user_filter RangeException RecursiveIterator ReflectionClass "
    "RuntimeException "
    "SeekableIterator Serializable SessionHandler SessionHandlerInterface SimpleXMLElement "
    "SplFileInfo "
    "SplFileObject SplObjectStorage SplObserver SplSubject stdClass Stringable Throwable "
    "Traversable "
    "TypeError UnderflowException UnexpectedValueException UnitEnum ValueError WeakMap".split()
)


class _PhpState(NamedTuple):
    namespace: str = ""
    type: str = ""
    code: bool = False  # in a body, where only includes count

    @property
    def rungs(self) -> list[Rung]:
        return [[ALIAS, ""], [PACKAGE, self.namespace]]


class _Php(Gather):
    def visit(self, node: "Node", owner: int, state: _PhpState) -> Iterable[Step]:
        """Take a node, and return what is visited next."""
        kind = node.type
        if kind in INCLUDES:
            self.include(node, owner)
        elif state.code:
            pass
        elif kind in {"program", "compound_statement"}:
            return self.block(node, owner, state)
        elif kind == "namespace_use_declaration":
            self.use(node)
            return []
        elif kind in TYPES:
            return self.type(node, owner, state)
        elif kind in {"function_definition", "method_declaration"}:
            return self.function(node, owner, state)
        elif kind in {"const_declaration", "property_declaration", "enum_case"}:
            self.values(node, owner, state)
            return []
        elif kind == "use_declaration":
            self.bases("extends", node, owner, state)
            return []
        elif kind == "function_call_expression":
            self.define(node, owner)
        elif kind in {"anonymous_class", "anonymous_function", "arrow_function"}:
            state = state._replace(code=True)
        return [(child, owner, state) for child in node.named_children]

    def block(self, node: "Node", owner: int, state: _PhpState) -> list[Step]:
        """Put what follows `namespace A;` inside of it, and what `namespace A {}` has in braces."""
        steps: list[Step] = []
        for child in node.named_children:
            if child.type != "namespace_definition":
                steps.append((child, owner, state))
                continue
            inner = _PhpState(self.name(child.child_by_field_name("name")))
            self.packages.add(inner.namespace)
            body = child.child_by_field_name("body")
            if body is None:
                state = inner
            else:
                steps.append((body, owner, inner))
        return steps

    def name(self, node: "Node | None") -> str:
        return self.text(node).replace(" ", "")

    def type(self, node: "Node", owner: int, state: _PhpState) -> list[Step]:
        name = self.name(node.child_by_field_name("name"))
        whole = _join(state.namespace, name)
        at = self.declare(name, whole, TYPES[node.type], owner, node)
        for child in node.named_children:
            if child.type in {"base_clause", "class_interface_clause"}:
                self.bases(
                    "extends" if child.type == "base_clause" else "implements", child, at, state
                )
        body = node.child_by_field_name("body")
        return (
            [(child, at, state._replace(type=whole)) for child in body.named_children]
            if body is not None
            else []
        )

    def bases(self, kind: str, node: "Node", owner: int, state: _PhpState) -> None:
        for one in (child for child in node.named_children if child.type in NAMES):
            if one.type == "relative_name":
                self.base(
                    kind,
                    owner,
                    one,
                    [[PACKAGE, state.namespace]],
                    name=self.name(one).partition("\\")[2],
                )
            else:
                self.base(kind, owner, one, state.rungs)

    def function(self, node: "Node", owner: int, state: _PhpState) -> list[Step]:
        name = self.name(node.child_by_field_name("name"))
        whole = f"{state.type}::{name}" if state.type else _join(state.namespace, name)
        self.declare(name, whole, "method" if state.type else "function", owner, node)
        given = node.child_by_field_name("parameters")
        for one in given.named_children if given is not None and state.type else []:
            if one.type == "property_promotion_parameter":
                self.field(one, owner, state)
        body = node.child_by_field_name("body")
        return [(body, owner, state._replace(code=True))] if body is not None else []

    def field(self, node: "Node", owner: int, state: _PhpState) -> None:
        name = self.name(node.child_by_field_name("name"))
        self.declare(name, f"{state.type}::{name}", "field", owner, node)

    def values(self, node: "Node", owner: int, state: _PhpState) -> None:
        """Declare constants, properties and the cases of an enum."""
        for one in [node] if node.type == "enum_case" else node.named_children:
            if one.type == "property_element":
                self.field(one, owner, state)
            elif one.type in {"const_element", "enum_case"} and one.named_children:
                name = self.name(one.child_by_field_name("name") or one.named_children[0])
                whole = f"{state.type}::{name}" if state.type else _join(state.namespace, name)
                self.declare(name, whole, "constant", owner, one)

    def define(self, node: "Node", owner: int) -> None:
        given = node.child_by_field_name("arguments")
        if (
            self.name(node.child_by_field_name("function")) not in {"define", "\\define"}
            or given is None
            or not given.named_children
        ):
            return
        first = given.named_children[0].named_children
        if (
            first
            and first[0].type in {"string", "encapsed_string"}
            and (name := self.text(first[0])[1:-1])
        ):
            self.declare(name.rpartition("\\")[2], name.lstrip("\\"), "constant", owner, node)

    def use(self, node: "Node") -> None:
        words = {child.type for child in node.children}
        kind = next((word for word in ("function", "const") if word in words), "")
        prefix = next(
            (self.name(child) for child in node.named_children if child.type == "namespace_name"),
            "",
        )
        body = node.child_by_field_name("body")
        for clause in (body or node).named_children:
            if clause.type != "namespace_use_clause":
                continue
            alias = clause.child_by_field_name("alias")
            target = next(
                (
                    child
                    for child in clause.named_children
                    if child.type in NAMES and child != alias
                ),
                None,
            )
            own = next(
                (child.type for child in clause.children if child.type in {"function", "const"}),
                kind,
            )
            more: dict[str, Any] = {"kind": "constant" if own == "const" else own} if own else {}
            self.bring(
                _join(prefix, self.name(target)).lstrip("\\"),
                clause,
                alias=self.name(alias),
                **more,
            )

    def include(self, node: "Node", owner: int) -> None:
        """Take a path that is written out, also after __DIR__."""
        target = node.named_children[0] if node.named_children else None
        while (
            target is not None
            and target.type == "parenthesized_expression"
            and target.named_children
        ):
            target = target.named_children[0]
        here = False
        if target is not None and target.type == "binary_expression":
            here = self.text(target.child_by_field_name("left")) in {"__DIR__", "dirname(__FILE__)"}
            target = target.child_by_field_name("right") if here else None
        if target is None or target.type not in {"string", "encapsed_string"}:
            return
        if all(child.type == "string_content" for child in target.named_children):
            self.bring(self.text(target)[1:-1], node, owner, file=True, relative=True, here=here)


def extract(root: "Node", source: bytes, _path: str) -> Facts:
    """Return what a file says."""
    return _Php(source).walk(root, _PhpState())


def _join(place: str, name: str) -> str:
    return f"{place}\\{name}" if place else name


def _file(one: Import, path: str, files: Mapping[str, Facts]) -> str | None:
    found = normpath(join(dirname(path), one.path.lstrip("/") if one.detail["here"] else one.path))
    return found if found in files else None


RULES = PlainRules("php", "\\", KINDS, NATIVES, NATIVES.__contains__, find_file=_file)
LANGUAGE = Language(
    name="php",
    aliases=(),
    suffixes=(".php", ".phtml"),
    grammar=lambda _path: tree_sitter_php.language_php(),
    package="tree-sitter-php",
    version=1,
    extract=extract,
    link=partial(link_plain, RULES),
    kinds=KINDS,
)
