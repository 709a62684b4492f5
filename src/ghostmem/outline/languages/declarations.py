"""Shared rules of Ruby, C#, PHP and Kotlin, which have declarations, imports and base types."""

import re
from collections.abc import Collection
from posixpath import dirname, join, normpath

from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker, plain_children
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    CLASS,
    FILE,
    MODULE_SCOPE,
    CodeSymbol,
    Unit,
)
from ghostmem.outline.engine.language import Rules
from ghostmem.outline.engine.link import Target
from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.table import Form
from ghostmem.outline.engine.terms import (
    IMPORT,
    MAX_NESTED_ARGUMENTS,
    MODULE,
    OUTSIDE,
    Term,
    Value,
    dotted,
    parts,
)
from ghostmem.outline.graph import FORWARD

# as the member of an import: everything in it, a path from the importing file or from a library
STAR, FILE_PATH, LIBRARY = "*", "file", "library"
# kinds of something outside by the member of its import
_IMPORT_KINDS = {STAR: "module", LIBRARY: "module", "function": "function", "const": "variable"}
MEMBERS = {"function": "method", "variable": "field"}  # kinds in a type
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|[\s?`]")
_REQUIRES = re.compile(rb"\b(?:require|include|load)")
_REQUIRED = re.compile(
    rb"((?:require|include)(?:_once|_relative)?|load)\b[\s(]*"
    rb"((?:__DIR__|dirname\(__FILE__\))\s*\.)?\s*[\"']([^\"'#$]*)[\"'][\s)]*\Z"
)
_REQUIRING = {
    *("call", "require_expression", "require_once_expression"),
    *("include_expression", "include_once_expression"),
}


class DeclarationRules(Rules):
    """The rules of a language whose bodies are not read."""

    name = ""
    relations: tuple[str, ...] = ("extends", "implements", "declares", "imports")
    natives: frozenset[str] = frozenset()  # types that the language brings, by their whole name
    native_packages: Collection[str] = ()  # all that they have comes with the language
    implicit_packages: tuple[str, ...] = ()  # packages that every file imports
    shows_first_line = members_visible = merges_modules = has_overloads = True
    leaves_imports = True
    scope_of_types = CLASS
    library_words: tuple[str, ...] = ()  # those that require a file of a library

    # --- extraction

    def symbol(self, walker: Walker, node: Node, form: Form) -> None:
        """Declare what the table says; only the imports in its `body` count."""
        if name := self.label(walker, node, form):
            self.declared(walker, node, name, form.words["kind"])
        walker.visit(walker.child(node, form, "params"))
        self.local_imports(walker, walker.child(node, form, "body"))

    def type_(self, walker: Walker, node: Node, form: Form) -> None:
        """Declare a type; its bases and its members are in its node."""
        is_interface = any(child.type == "interface" for child in node.children)
        if name := self.label(walker, node, form):
            kind = "interface" if is_interface else form.words["kind"]
            symbol = self.declared(walker, node, name, kind)
            walker.type_body(symbol, node, scope_kind=self.scope_of_types)

    def namespace(self, walker: Walker, node: Node, form: Form) -> None:
        """Enter a namespace, which has no node; without a body it reaches to the end of the file.

        Option `top`: or to the next one."""
        walker.scope = 0 if "top" in form.options else walker.scope
        before, body = walker.scope, node.child_by_field_name("body")
        for name in filter(None, self.label(walker, node, form).split(".")):
            symbol = walker.declare(node, name, "module", "inline")
            walker.inside(MODULE_SCOPE, symbol.number)
            symbol.inner = walker.scope
        if body is not None:
            walker.visit_all(body)
            walker.scope = before

    def label(self, walker: Walker, node: Node, form: Form) -> str:
        """Return the name of a declaration; empty if it has none."""
        name = walker.child(node, form, "name")
        return walker.text(name) if name is not None else form.words.get("named", "")

    def declared(self, walker: Walker, node: Node, name: str, kind: str) -> CodeSymbol:
        """Declare a symbol; in a type, a function is a method, and a variable a field.

        Its name may have the quotes of Kotlin."""
        kind = kind if walker.owner == FILE else MEMBERS.get(kind, kind)
        return walker.declare(node, name.replace("`", "") or name, kind)

    def base_types(self, walker: Walker, node: Node, form: Form) -> None:
        """Note the bases of the type around a node, which lists them."""
        for child in plain_children(node):
            self.add_base(walker, child, form.words["kind"])

    def add_base(self, walker: Walker, node: Node, relation: str) -> None:
        """Note a base of the type around a node."""
        if walker.owner != FILE and walker.role(node) != "skip":
            symbol = walker.unit.symbols[walker.owner]
            relation = "extends" if symbol.kind == "interface" else relation
            term = self.type_path(walker, node)
            symbol.bases.append((relation, term, walker.line(node), node.start_byte))

    def type_path(self, walker: Walker, node: Node) -> Term:
        """Return the term of the written name of a type, without its type arguments."""
        text = walker.text(node)
        for _ in range(min(1 + text.count("<"), MAX_NESTED_ARGUMENTS)):
            text = _TYPE_ARGUMENTS.sub("", text)
        return dotted(text, self.separator)

    def local_imports(self, walker: Walker, body: Node | None, _form: Form | None = None) -> None:
        """Note the imports in a body, whose declarations are local and not looked at."""
        if body and _REQUIRES.search(walker.source, body.start_byte, body.end_byte):
            pending = [body]
            while pending:
                node = pending.pop()
                self.required(walker, node)
                pending += node.named_children

    def required(self, walker: Walker, node: Node, _form: Form | None = None) -> None:
        """Note a file that is required by a path that is written out, also after __DIR__."""
        found = _REQUIRED.match(walker.source, node.start_byte, node.end_byte)
        if node.type in _REQUIRING and found is not None:
            word, here, path = (part.decode("utf-8", "replace") for part in found.groups(b""))
            member = LIBRARY if word in self.library_words else FILE_PATH
            walker.import_path(path.lstrip("/") if here else path, node, member)

    def import_name(self, walker: Walker, node: Node, path: str, alias: str = "") -> None:
        """Note an import, and bind its name."""
        walker.import_path(path, node)
        outer, _, name = path.rpartition(self.separator)
        term: Term = (IMPORT, outer, name) if outer else (IMPORT, path, None)
        walker.bind(alias or name, node.start_byte, None, term)

    # --- linking

    def canonical(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        """Return the name of a symbol with those of the types and modules around it."""
        unit, parent = symbol.unit, symbol.parent
        place = unit.module if parent == FILE else unit.symbols[parent].display
        return (
            f"{place}{self.member_separator(symbol)}{symbol.name}" if place else symbol.name
        ), ""

    def module(self, resolver: Resolver, unit: Unit) -> str:
        """Return the package of a file, or the place outside of all modules."""
        return unit.package

    def member_separator(self, symbol: CodeSymbol) -> str:
        """Return the text between the name of a place and of a symbol in it."""
        return self.separator

    def named(self, resolver: Resolver, path: str) -> Value | None:
        """Return the module or type of the project that has a whole name."""
        if path in resolver.modules:
            return (MODULE, path)
        outer, _, name = path.rpartition(self.separator)
        place = self.named(resolver, outer) if outer else (MODULE, "")
        return resolver.member(place, name) if place is not None else None

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        """Return the module or type that a path is."""
        path = f"{path}{self.separator}{member}" if member else path
        return self.named(resolver, path) or (OUTSIDE, path)

    def imported_ends(
        self, resolver: Resolver, unit: Unit, path: str, member: str
    ) -> list[Unit] | list[CodeSymbol]:
        """Return the symbols of a whole name, the files of a package, or the file of a path."""
        if member == FILE_PATH:
            file = resolver.units.get(normpath(join(dirname(unit.path), path)))
            return [file] if file is not None else []
        outer, _, name = path.rpartition(self.separator)
        place = self.named(resolver, outer) if outer else (MODULE, "")
        found = [binding for value in parts(place) for binding in resolver.exports(value, name)]
        symbols = [
            other.symbols[binding[B_SYMBOL]] for other, binding in found if binding[B_SYMBOL] >= 0
        ]
        units = resolver.units_of.get(path, [])
        symbols = [symbol for symbol in symbols if "inline" not in symbol.flags]
        return (units or symbols) if member == STAR else (symbols or units)

    def outside_path(self, resolver: Resolver, unit: Unit, path: str, member: str) -> str:
        """Return the name of something imported; a file that is missing has none."""
        return "" if member == FILE_PATH else path

    def import_kind(self, path: str, member: str) -> str:
        return _IMPORT_KINDS.get(member, "type")

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return what has this whole name, or the type that one package in sight brings."""
        around = {scope.module for scope in unit.scopes if scope.module}
        packages = (*unit.stars, *around, *self.implicit_packages)
        wholes = {f"{package}.{name.partition('`')[0]}" for package in packages} & self.natives
        if len(wholes) == 1:
            return (OUTSIDE, wholes.pop())
        return self.named(resolver, name) or ((OUTSIDE, name) if self.is_native(name) else None)

    def missing_member(self, resolver: Resolver, module: str, name: str) -> Value | None:
        """Return a module in a module, or a type that the language brings in a module."""
        inner = f"{module}{self.separator}{name}" if module else name
        if inner in resolver.modules:
            return (MODULE, inner)
        return (OUTSIDE, inner) if module and inner in self.natives else None

    def is_native(self, name: str) -> bool:
        """Tell whether something outside belongs to the language."""
        return name in self.natives or re.split("[./]", name)[0] in self.native_packages

    def package_of(self, name: str) -> str:
        """Return the package of something external."""
        return name.rpartition(self.separator)[0] or name

    def base_relations(self, relation: str, symbol: CodeSymbol, target: Target) -> tuple[str, ...]:
        """Return `implements` if the base is an interface of the project, else `extends`."""
        if target.symbol is None:
            return (relation,)
        implements = target.symbol.kind == "interface" and symbol.kind != "interface"
        return ("implements" if implements else "extends",)

    def notes(self, resolver: Resolver) -> list[str]:
        """Return the relations that are not looked for."""
        without = ", ".join(kind for kind in FORWARD if kind not in self.relations)
        return [f"{self.name}: {without} are not looked for"]
