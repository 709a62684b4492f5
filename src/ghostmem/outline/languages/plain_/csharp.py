"""C#: types and their members, what a file uses, and what a type is made from."""

import re
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import tree_sitter_c_sharp

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.plain_.gather import (
    ALIAS,
    DEEPEST,
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
TYPES = {
    "class_declaration": "type",
    "struct_declaration": "type",
    "record_declaration": "type",
    "record_struct_declaration": "type",
    "enum_declaration": "type",
    "delegate_declaration": "type",
    "interface_declaration": "interface",
}
METHODS = {
    "method_declaration",
    "constructor_declaration",
    "destructor_declaration",
    "operator_declaration",
    "indexer_declaration",
}
NAMESPACES = {"namespace_declaration", "file_scoped_namespace_declaration"}
BODIES = {"block", "arrow_expression_clause", "accessor_list", "attribute_list"}
_INTERFACE = re.compile(r"(?:.*\.)?I[A-Z]")  # the convention that .NET itself keeps
NATIVES = frozenset(
    f"{space}.{name}"
    for space, names in {
        "System": "ApplicationException ArgumentException ArgumentNullException "
        "ArithmeticException Attribute EventArgs "
        "Exception FormatException IAsyncDisposable ICloneable IComparable IConvertible "
        "IDisposable "
        "IEquatable IFormatProvider IFormattable InvalidOperationException IObservable "
        "IObserver IProgress "
        "MarshalByRefObject NotImplementedException NotSupportedException Object "
        "OperationCanceledException "
        "Random SystemException TimeProvider Uri",
        "System.Collections": "CollectionBase ICollection IComparer IDictionary "
        "IEnumerable IEnumerator IEqualityComparer IList",
        "System.Collections.Generic": "Comparer Dictionary EqualityComparer HashSet "
        "IAsyncEnumerable IAsyncEnumerator ICollection IComparer "
        "IDictionary IEnumerable IEnumerator IEqualityComparer IList IReadOnlyCollection "
        "IReadOnlyDictionary "
        "IReadOnlyList ISet List",
        "System.Collections.ObjectModel": "Collection KeyedCollection ObservableCollection "
        "ReadOnlyCollection",
        "System.ComponentModel": "INotifyPropertyChanged TypeConverter",
        "System.IO": "IOException MemoryStream Stream TextReader TextWriter",
        "System.Net.Http": "DelegatingHandler HttpClient HttpMessageHandler",
        "System.Threading": "SynchronizationContext",
        "System.Text.Json.Serialization": "JsonConverter JsonSerializerContext",
    }.items()
    for name in names.split()
)


class _CSharpState(NamedTuple):
    namespaces: tuple[str, ...] = ("",)  # outermost first, each by its whole name
    types: tuple[str, ...] = ()

    @property
    def scope(self) -> str:
        return self.types[-1] if self.types else self.namespaces[-1]

    @property
    def rungs(self) -> list[Rung]:
        inner = [[SCOPE, one] for one in reversed(self.types)]
        return [
            *inner,
            *([PACKAGE, one] for one in reversed(self.namespaces)),
            [ALIAS, ""],
            [STAR, ""],
        ]

    def inside(self, name: str) -> "_CSharpState":
        parts = name.split(".")
        wholes = [
            dotted(self.namespaces[-1], ".".join(parts[:size])) for size in range(1, len(parts) + 1)
        ]
        return _CSharpState((*self.namespaces, *wholes))


class _CSharp(Gather):
    def visit(self, node: "Node", owner: int, state: _CSharpState) -> Iterable[Step]:
        """Take a node, and return what is visited next."""
        kind = node.type
        if kind in BODIES or kind == "base_list" or len(state.namespaces) > DEEPEST:
            return []
        if kind == "using_directive":
            self.using(node)
            return []
        if kind == "compilation_unit":
            return self.unit(node, owner, state)
        if kind in NAMESPACES:
            state = state.inside(self.text(node.child_by_field_name("name")))
            self.packages.add(state.namespaces[-1])
        elif kind in TYPES:
            return self.type(node, owner, state)
        elif kind in METHODS:
            name = self.member(node)
            self.declare(name, dotted(state.scope, name), "method", owner, node)
            return []
        elif kind in {"property_declaration", "event_declaration", "enum_member_declaration"}:
            name = self.member(node)
            self.declare(
                name,
                dotted(state.scope, name),
                "constant" if kind == "enum_member_declaration" else "field",
                owner,
                node,
            )
            return []
        elif kind in {"field_declaration", "event_field_declaration"}:
            self.fields(node, owner, state)
            return []
        return [(child, owner, state) for child in node.named_children]

    def unit(self, node: "Node", owner: int, state: _CSharpState) -> list[Step]:
        """Put what follows `namespace A;` inside of it."""
        steps: list[Step] = []
        for child in node.named_children:
            if child.type == "file_scoped_namespace_declaration":
                state = state.inside(self.text(child.child_by_field_name("name")))
                self.packages.add(state.namespaces[-1])
                steps.extend((one, owner, state) for one in child.named_children)
            else:
                steps.append((child, owner, state))
        return steps

    def member(self, node: "Node") -> str:
        match node.type:
            case "indexer_declaration":
                name = "this[]"
            case "operator_declaration":
                name = f"operator {self.text(node.child_by_field_name('operator'))}"
            case "destructor_declaration":
                name = f"~{self.text(node.child_by_field_name('name'))}"
            case _:
                name = self.text(node.child_by_field_name("name"))
        explicit = next(
            (
                child
                for child in node.named_children
                if child.type == "explicit_interface_specifier"
            ),
            None,
        )
        return f"{self.text(explicit).rstrip('.')}.{name}" if explicit is not None else name

    def fields(self, node: "Node", owner: int, state: _CSharpState) -> None:
        constant = any(
            self.text(child) == "const" for child in node.named_children if child.type == "modifier"
        )
        for group in (
            child for child in node.named_children if child.type == "variable_declaration"
        ):
            for one in (
                child for child in group.named_children if child.type == "variable_declarator"
            ):
                name = self.text(one.child_by_field_name("name"))
                self.declare(
                    name, dotted(state.scope, name), "constant" if constant else "field", owner, one
                )

    def type(self, node: "Node", owner: int, state: _CSharpState) -> list[Step]:
        name = self.text(node.child_by_field_name("name"))
        whole = dotted(state.scope, name)
        generic = next(
            (child for child in node.named_children if child.type == "type_parameter_list"), None
        )
        arity = (
            sum(child.type == "type_parameter" for child in generic.named_children)
            if generic is not None
            else 0
        )
        at = self.declare(name, whole, TYPES[node.type], owner, node, arity=arity)
        inner = state._replace(types=(*state.types, whole))
        for child in node.named_children:
            if child.type == "base_list" and node.type != "enum_declaration":
                self.bases(node, child, at, state)
            elif child.type == "parameter_list" and node.type.startswith("record"):
                self.positions(child, at, whole)
        body = node.child_by_field_name("body")
        return [(body, at, inner)] if body is not None else []

    def positions(self, given: "Node", owner: int, whole: str) -> None:
        """Declare the properties that the parameters of a record are."""
        for one in (child for child in given.named_children if child.type == "parameter"):
            name = self.text(one.child_by_field_name("name"))
            self.declare(name, dotted(whole, name), "field", owner, one)

    def bases(self, node: "Node", given: "Node", owner: int, state: _CSharpState) -> None:
        bases = [
            one.child_by_field_name("type") or one
            for one in given.named_children
            if one.type not in {"argument_list", "comment"}
        ]
        for at, one in enumerate(bases):
            # only the first base of a class can be a class
            must = (
                at > 0
                or "struct" in node.type
                or (node.type == "record_declaration" and self.is_struct(node))
            )
            implements = node.type != "interface_declaration" and (
                must or bool(_INTERFACE.match(self.text(one)))
            )
            kind = "implements" if implements else "extends"
            text = self.text(one)
            more = (
                {"name": text.removeprefix("global::"), "absolute": True}
                if text.startswith("global::")
                else {}
            )
            self.base(kind, owner, one, state.rungs, by_target=True, arity=_arity(one), **more)

    def is_struct(self, node: "Node") -> bool:
        return any(child.type == "struct" for child in node.children)

    def using(self, node: "Node") -> None:
        alias = node.child_by_field_name("name")
        words = {child.type for child in node.children}
        target = next((child for child in reversed(node.named_children) if child != alias), None)
        if target is None:
            return
        path = self.text(target).removeprefix("global::")
        more = {"global": True} if "global" in words else {}
        self.bring(path, node, alias=self.text(alias), star=alias is None, **more)


def extract(root: "Node", source: bytes, _path: str) -> Facts:
    """Return what a file says."""
    return _CSharp(source).walk(root, _CSharpState())


def _arity(node: "Node") -> int:
    # of A.B<int, string>: the last part's
    while node.type == "qualified_name" and (last := node.child_by_field_name("name")) is not None:
        node = last
    given = next(
        (child for child in node.named_children if child.type == "type_argument_list"), None
    )
    return len(given.named_children) if given is not None else 0


RULES = PlainRules(
    "csharp", ".", KINDS, NATIVES, lambda name: name == "System" or name.startswith("System.")
)
LANGUAGE = Language(
    name="csharp",
    aliases=("c#", "cs"),
    suffixes=(".cs",),
    grammar=lambda _path: tree_sitter_c_sharp.language(),
    package="tree-sitter-c-sharp",
    version=1,
    extract=extract,
    link=partial(link_plain, RULES),
    kinds=KINDS,
)
