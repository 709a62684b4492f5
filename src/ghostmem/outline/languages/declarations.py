"""Shared rules of Ruby, C#, PHP and Kotlin, which have declarations, imports and base types."""

import re
from posixpath import dirname, join, normpath

from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
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

# as the member of an import: everything in it, or a path from the importing file
STAR, FILE_PATH = "*", "file"
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\([^()]*\)|[\s?`]")


class DeclarationRules(Rules):
    """The rules of a language whose bodies are not read."""

    name = ""
    relations: tuple[str, ...] = ("extends", "implements", "declares", "imports")
    natives: frozenset[str] = frozenset()  # types that the language brings, by their whole name
    native_packages: tuple[str, ...] = ()  # all that they have comes with the language
    shows_first_line = members_visible = merges_modules = has_overloads = True
    leaves_imports = True
    imports_in = re.compile(rb"\b(?:require|include|load)")  # in bodies

    # --- extraction

    def symbol(self, walker: Walker, node: Node, form: Form) -> None:
        """Declare a symbol of the kind in the table; in a type, a variable is a field."""
        name = walker.child(node, form, "name")
        if name is not None:
            walker.declare(node, walker.text(name), form.words["kind"])

    def path_term(self, walker: Walker, node: Node, _form: Form | None = None) -> Term:
        """Return the term of the written name of a type, without its type arguments."""
        text = walker.text(node)
        for _ in range(min(1 + text.count("<") + text.count("("), MAX_NESTED_ARGUMENTS)):
            text = _TYPE_ARGUMENTS.sub("", text)
        return dotted(text, self.separator)

    def local_imports(self, walker: Walker, body: Node | None, _form: Form | None = None) -> None:
        """Note the imports in a body, whose declarations are local and not looked at."""
        if body is None or not self.imports_in.search(
            walker.source, body.start_byte, body.end_byte
        ):
            return
        pending = [body]
        while pending:
            node = pending.pop()
            self.note_import(walker, node)
            pending.extend(reversed(node.named_children))

    def note_import(self, walker: Walker, node: Node, _form: Form | None = None) -> None:
        """Note the import that a node may be."""

    def base(self, walker: Walker, symbol: CodeSymbol, relation: str, node: Node) -> None:
        """Note a base type."""
        symbol.bases.append(
            (relation, self.path_term(walker, node), node.start_point[0] + 1, node.start_byte)
        )

    def import_name(self, walker: Walker, node: Node, path: str, alias: str = "") -> None:
        """Note an import, and bind its name."""
        walker.import_path(path, node)
        outer, _, name = path.rpartition(self.separator)
        term: Term = (IMPORT, outer, name) if outer else (IMPORT, path, None)
        walker.bind(alias or name, node.start_byte, None, term)

    def open_module(self, walker: Walker, node: Node, name: str) -> None:
        """Enter a namespace that has no node: it reaches to the end of the file or block."""
        symbol = walker.declare(node, name, "module", "inline")
        walker.inside(MODULE_SCOPE, symbol.number)
        symbol.inner = walker.scope

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
            file = resolver.units.get(self.file_path(unit, path))
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

    def file_path(self, unit: Unit, path: str) -> str:
        """Return the path of a file that another one imports."""
        return normpath(join(dirname(unit.path), path))

    def outside_path(self, resolver: Resolver, unit: Unit, path: str, member: str) -> str:
        """Return the name of something imported; a file that is missing has none."""
        return "" if member == FILE_PATH else path

    def import_kind(self, path: str, member: str) -> str:
        return "module" if member == STAR else "type"

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return a type that the language brings."""
        return (OUTSIDE, name) if name in self.natives else None

    def missing_member(self, resolver: Resolver, module: str, name: str) -> Value | None:
        """Return a module in a module, or a type that the language brings in a module."""
        inner = f"{module}{self.separator}{name}" if module else name
        if inner in resolver.modules:
            return (MODULE, inner)
        return (OUTSIDE, inner) if module and inner in self.natives else None

    def is_native(self, name: str) -> bool:
        """Tell whether something outside belongs to the language."""
        return name in self.natives or name.partition(".")[0] in self.native_packages

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
