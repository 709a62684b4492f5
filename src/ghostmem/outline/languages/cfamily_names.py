"""C and C++: names by includes and namespaces, definitions of declarations, and standard types."""

import posixpath
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from ghostmem.grouping import grouped
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    B_VALUE,
    END,
    FILE,
    Binding,
    CodeSymbol,
    FoundBinding,
    Unit,
    is_import,
)
from ghostmem.outline.engine.language import Rules
from ghostmem.outline.engine.link import Target
from ghostmem.outline.engine.resolve import CALLABLES, TYPES, Place, Resolver
from ghostmem.outline.engine.table import words_of
from ghostmem.outline.engine.terms import (
    CALLABLE,
    INSTANCE,
    LIST,
    MODULE,
    OUTSIDE,
    OUTSIDE_INSTANCE,
    SYMBOL,
    Term,
    Value,
    dotted,
    parts,
    text_of,
    union,
)

# headers of ISO C, POSIX and ISO C++ with the names that they declare; `@` marks names by meaning
HEADERS = words_of("c.txt")
_OF_POINTERS = frozenset("get reset release swap lock value value_or has_value use_count".split())
_SORTS = {"method": "function", "constant": "variable", "field": "variable"}


class Includes:
    """The files of a project and their includes."""

    def __init__(self, units: Mapping[str, Unit]) -> None:
        self.units = units
        # paths by their last part
        self.named = grouped((posixpath.basename(path), path) for path in units)
        self.following: dict[str, list[str]] = {path: [] for path in units}
        self.outside: dict[str, set[str]] = {path: set() for path in units}
        for path, unit in units.items():
            for included, _line, quote in unit.imports:
                if (target := self.find(path, included, quote)) is None:
                    self.outside[path].add(included)
                else:
                    self.following[path].append(target)
        # a file with everything it includes, directly or not
        self.closure = cache(lambda path: _reached(path, self.following))
        # the headers from outside that are visible in a file
        self.headers = cache(
            lambda path: {name for file in self.closure(path) for name in self.outside[file]}
        )
        self.natives = cache(self._natives)

    def find(self, path: str, included: str, quote: str) -> str | None:
        """Return the file of an include: beside it, from the root, or the only one that ends so."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), included))
        if quote == '"' and beside in self.units:
            return beside
        if quote == "<" and included in HEADERS["@headers"]:
            return None
        wanted = posixpath.normpath(included)
        if wanted in self.units:
            return wanted
        ending = wanted.lstrip("./")
        candidates = self.named.get(posixpath.basename(ending), [])
        hits = [file for file in candidates if file.endswith(f"/{ending}")]
        return hits[0] if len(hits) == 1 else None

    def _natives(self, path: str) -> frozenset[str]:
        """Return the names that the visible headers of the standard library declare."""
        names: set[str] = set()
        for header in self.headers(path):
            of_c = f"{header[1:]}.h"  # cstdio is stdio.h
            names |= HEADERS.get(of_c if header[:1] == "c" and of_c in HEADERS else header, set())
        return frozenset(names)


class FamilyNames(Rules):
    """How C and C++ look names up."""

    separator = "::"
    constructor = "<new>"
    item_methods = ("operator[]",)
    has_overloads = merges_modules = knows_literals = strict_uses = True
    has_signatures = False  # functions differ by their parameters
    includes: Includes
    grammar: Callable[[], object]

    # --- files, namespaces and names

    def begin_linking(self, resolver: Resolver) -> None:
        """Follow the includes; `using namespace` counts where its file is included."""
        self.includes = Includes(resolver.units)
        self.defined: dict[CodeSymbol, tuple[CodeSymbol, ...]] = {}
        self.spaces: dict[CodeSymbol, str] = {}  # a symbol written as space::name: its namespace
        self.visible: dict[tuple[str, str, str], list[FoundBinding]] = {}
        stars = {path: unit.stars for path, unit in resolver.units.items()}
        for path, unit in resolver.units.items():
            closure = sorted(self.includes.closure(path))
            unit.stars = list(dict.fromkeys(star for file in closure for star in stars[file]))

    def module(self, resolver: Resolver, unit: Unit) -> str:
        """Return the global namespace."""
        return ""

    def module_names(
        self, resolver: Resolver, unit: Unit, module: str, name: str
    ) -> list[FoundBinding]:
        """Return what a namespace binds a name to in visible files."""
        key = (unit.path, module, name)
        if key not in self.visible:
            self.visible[key] = []  # for a using declaration that names itself
            bindings = resolver.modules[module].get(name, [])
            closure = self.includes.closure(unit.path)
            matches = [
                (file, binding)
                for file, binding in bindings
                if file.path in closure  # without a using declaration that leads nowhere
                and (
                    not is_import(binding)
                    or resolver.evaluate(binding[B_VALUE], Place(file, 0, END)) is not None
                )
            ]
            if any(_kind(*binding) in TYPES for binding in matches):
                # class EXPORT Name; is no variable
                matches = [
                    binding
                    for binding in matches
                    if _kind(*binding) not in ("variable", "constant")
                ]
            if any(_kind(*binding) == "module" for binding in matches):
                matches = matches[:1]  # every file that opens a namespace binds its name
            self.visible[key] = matches
        return self.visible[key]

    def module_step(self, unit: Unit, module: str, found: list[FoundBinding]) -> str:
        """Return where a name was found: in this file, in a namespace, or by includes."""
        if any(_kind(other, binding) == "module" for other, binding in found):
            return "namespace"
        if all(other is unit for other, _ in found):
            return "local"
        return "namespace" if module else "import"

    def exported(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return what a namespace binds a name to, as the file sees it that is asked for."""
        if resolver.asking is not None:
            return self.module_names(resolver, resolver.asking, module, name)
        return resolver.modules[module].get(name, [])

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        """Return what a name of a using declaration is."""
        value = resolver.evaluate(dotted(path, "::"), Place(unit, 0, END))
        if member is None or value is None:
            return value
        resolver.asking = unit
        return union([resolver.member(part, member) for part in parts(value)])

    def imported_ends(
        self, resolver: Resolver, unit: Unit, path: str, member: str
    ) -> Sequence[Unit | CodeSymbol]:
        """Return the file that is included."""
        target = self.includes.find(unit.path, path, member)
        return [resolver.units[target]] if target is not None else []

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return a name of the standard library, or of a library that is included."""
        if name == "":
            return (MODULE, "")
        if name == "std" or name in self.includes.natives(unit.path):
            return (OUTSIDE, name)
        if "std" in unit.stars and name in HEADERS["@std"]:
            return (OUTSIDE, f"std::{name}")
        headers = self.includes.headers(unit.path)
        is_library = any(header.partition("/")[0] == name for header in headers if "/" in header)
        return (OUTSIDE, name) if is_library else None

    def is_native(self, name: str) -> bool:
        """Tell whether something outside is of the standard library."""
        return (
            name in HEADERS["@headers"]
            or name.startswith("std::")
            or any(name in names for names in HEADERS.values())
        )

    # --- symbols

    def owner_of(
        self, resolver: Resolver, symbol: CodeSymbol, owner: CodeSymbol | None
    ) -> CodeSymbol | None:
        """Put `Class::name` into its class, and `space::name` into its namespace."""
        if owner is not None and owner.kind in TYPES:
            if symbol.kind == "function" and "guest" not in symbol.flags:
                symbol.kind = "method"
            return owner
        for part in parts(
            resolver.evaluate(symbol.receiver, Place(symbol.unit, symbol.scope, END))
        ):
            if part[0] == MODULE:
                term: Term = (SYMBOL, symbol.number)
                binding: Binding = (symbol.start, 0, symbol.scope, None, term, symbol.number)
                resolver.modules[part[1]].setdefault(symbol.name, []).append((symbol.unit, binding))
                self.spaces[symbol] = part[1]
        return None

    def member_name(self, symbol: CodeSymbol, owner: CodeSymbol) -> str:
        return self.constructor if symbol.name == owner.name else symbol.name

    def canonical(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        """Return the name of a symbol with its namespaces and classes."""
        if "declared" in symbol.flags and self.definitions(resolver, symbol) != (symbol,):
            symbol.flags |= {"inline", "redeclared"}
        return self._name(symbol), ""

    def _name(self, symbol: CodeSymbol) -> str:
        home = home_of(symbol)
        if home is None and symbol.parent != FILE:
            home = symbol.unit.symbols[symbol.parent]  # a type inside of a function
        if home is not None and home.kind != "module":
            return f"{self._name(home)}::{symbol.name}"
        is_unknown = symbol not in self.spaces and "guest" not in symbol.flags
        written = text_of(symbol.receiver, {}) if symbol.receiver and is_unknown else ""
        space = self.spaces.get(symbol) or _space(symbol)
        return "::".join(part for part in (space, written, symbol.name) if part)

    def definitions(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[CodeSymbol, ...]:
        """Return the definitions of a declaration; of several declarations alone, the first."""
        if "declared" not in symbol.flags:
            return (symbol,)
        if symbol not in self.defined:
            self.defined[symbol] = (symbol,)
            siblings = self._siblings(resolver, symbol)
            same = [sibling for sibling in siblings if _sort(sibling) == _sort(symbol)]
            matches = self._defined(
                symbol, [sibling for sibling in same if "declared" not in sibling.flags]
            )
            if not matches and "static" not in symbol.flags:
                is_function = self.has_signatures and symbol.kind in CALLABLES
                matches = [
                    sibling
                    for sibling in same
                    if not is_function or sibling.detail == symbol.detail
                ][:1]
            self.defined[symbol] = tuple(matches) or (symbol,)
        return self.defined[symbol]

    def _siblings(self, resolver: Resolver, symbol: CodeSymbol) -> list[CodeSymbol]:
        """Return the symbols of the same name in the same place."""
        home = home_of(symbol)
        if home is None:
            matches = resolver.modules[self.spaces.get(symbol) or _space(symbol)].get(
                symbol.name, []
            )
        else:
            name = self.member_name(symbol, home)
            own = home.unit.scopes[home.inner].names.get(name, [])
            matches = [
                *((home.unit, binding) for binding in own),
                *home.outer_members.get(name, []),
            ]
        return [
            unit.symbols[binding[B_SYMBOL]] for unit, binding in matches if binding[B_SYMBOL] >= 0
        ]

    def _defined(self, symbol: CodeSymbol, real: list[CodeSymbol]) -> list[CodeSymbol]:
        """Return the definitions of a declaration among symbols of its name."""
        path = symbol.unit.path
        including = [
            candidate for candidate in real if path in self.includes.closure(candidate.unit.path)
        ]
        is_private = not symbol.flags.isdisjoint(("static", "hidden")) and home_of(symbol) is None
        matches = [
            candidate
            for candidate in real
            if candidate.unit is symbol.unit
            or (candidate in including if is_private else _is_shared(candidate))
        ]
        if self.has_signatures and symbol.kind in CALLABLES:
            matches = [candidate for candidate in matches if candidate.detail == symbol.detail] or [
                candidate
                for candidate in matches
                if candidate.max_arguments == symbol.max_arguments
            ]
        near = [candidate for candidate in matches if candidate in including]
        return near or (matches if len(matches) == 1 else [])

    # --- values

    def iterable(self, resolver: Resolver, value: Value) -> Value:
        """Return a container; other values may be pointers or arrays."""
        if value[0] != INSTANCE or resolver.find(value, self.item_methods[0]):
            return value
        return (LIST, value)

    def outside_element(self, value: Value) -> Value | None:
        """Return an element of a standard container, or what a pointer points to."""
        is_container = any(_is_a(value, group) for group in ("@lists", "@maps", "@pointers"))
        return value[2][-1] if is_container and value[2] else None

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of something outside; smart pointers have those of what they point to."""
        arguments: tuple[Value | None, ...] = value[2] if value[0] == OUTSIDE_INSTANCE else ()
        is_pointer = bool(arguments) and _is_a(value, "@pointers")
        if is_pointer and name not in _OF_POINTERS:
            return resolver.member(arguments[0], name) if arguments[0] is not None else None
        whole = f"{value[1]}::{name}"
        if is_pointer or (arguments and name in HEADERS["@elements"]):
            return (CALLABLE, self.outside_element(value), (), whole)
        return (OUTSIDE, whole)

    def is_candidate(self, symbol: CodeSymbol) -> bool:
        """Tell whether an unresolved call may mean a symbol: also one that points to a function."""
        return True

    def overloads(
        self,
        resolver: Resolver,
        callees: list[Target],
        arguments: tuple[Term | None, ...],
        place: Place,
    ) -> list[Target]:
        """Return the functions that take as many arguments; a type counts if there is none."""
        functions = [
            target
            for target in callees
            if target.symbol is not None and target.symbol.kind in CALLABLES
        ]
        if not functions:
            return callees
        outside = [target for target in callees if target.symbol is None]
        if len({home_of(target.symbol) for target in functions if target.symbol is not None}) > 1:
            return outside  # of types with one name, each for another system, none is meant surely
        if self.has_signatures:
            functions = [
                target
                for target in functions
                if target.symbol is not None
                and "deleted" not in target.symbol.flags
                and any(
                    each.min_arguments <= len(arguments) <= each.max_arguments
                    for each in (target.symbol, *self.definitions(resolver, target.symbol))
                )
            ]
        return [*functions, *outside]


def home_of(symbol: CodeSymbol) -> CodeSymbol | None:
    """Return the type that a symbol belongs to."""
    if symbol.attached_to is not None and "guest" not in symbol.flags:
        return symbol.attached_to
    outer = symbol.unit.symbols[symbol.parent] if symbol.parent != FILE else None
    return outer if outer is not None and outer.kind in TYPES else None


def _space(symbol: CodeSymbol) -> str:
    """Return the namespace that a symbol is declared in."""
    scope = symbol.scope
    while (module := symbol.unit.scopes[scope].module) is None:
        scope = symbol.unit.scopes[scope].parent
    return module


def _is_a(value: Value, group: str) -> bool:
    """Tell whether a value is of a group of standard types."""
    space, _, name = value[1].rpartition("::")
    return space == "std" and name in HEADERS[group]


def _kind(unit: Unit, binding: Binding) -> str:
    return unit.symbols[binding[B_SYMBOL]].kind if binding[B_SYMBOL] >= 0 else ""


def _is_shared(symbol: CodeSymbol) -> bool:
    """Tell whether a definition can be meant by other files."""
    return (
        not ("static" in symbol.flags and symbol.kind != "method") and "hidden" not in symbol.flags
    )


def _sort(symbol: CodeSymbol) -> str:
    return _SORTS.get(symbol.kind, symbol.kind)


def _reached(start: str, following: Mapping[str, list[str]]) -> frozenset[str]:
    reached, pending = {start}, [start]
    while pending:
        for path in following[pending.pop()]:
            if path not in reached:
                reached.add(path)
                pending.append(path)
    return frozenset(reached)
