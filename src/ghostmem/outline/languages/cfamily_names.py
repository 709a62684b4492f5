"""C and C++: names by includes and namespaces, definitions of declarations, and standard types."""

import posixpath
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from ghostmem.grouping import grouped
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    END,
    FILE,
    Binding,
    CodeSymbol,
    FoundBinding,
    Unit,
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
)

# headers of ISO C, POSIX and ISO C++ with the names that they declare; `@` marks names by meaning
HEADERS = words_of("c.txt")
_PRIVATE = ("static", "hidden")  # definitions that other files do not see


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
    has_tags = False  # types have names of their own; what they declare is visible around them
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
            bindings = resolver.modules[module].get(name, [])
            closure = self.includes.closure(unit.path)
            found = [binding for binding in bindings if binding[0].path in closure]
            types = [binding for binding in found or bindings if _kind(*binding) in TYPES]
            if found or len(types) == 1:  # a type that is only declared here has one definition
                found = types or found
            self.visible[key] = found
        return self.visible[key]

    def module_step(self, unit: Unit, module: str, found: list[FoundBinding]) -> str:
        """Return where a name was found: in this file, in a namespace, or by includes."""
        is_space = any(_kind(*binding) == "module" for binding in found)
        if not is_space and all(other is unit for other, _ in found):
            return "local"
        return "namespace" if module or is_space else "import"

    def exported(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return what a namespace binds a name to, as the file sees it that is asked for."""
        unit = resolver.asking
        return self.module_names(resolver, unit, module, name) if unit is not None else []

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        """Return what a path with a name of a using declaration is."""
        resolver.asking = unit
        term = dotted("::".join(filter(None, (path, member))), "::")
        # with an environment, since the value of a term that is not kept must not be remembered
        return resolver.evaluate(term, Place(unit, 0, END, {}))

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
        is_guest = "guest" in symbol.flags
        if is_guest or (owner is not None and owner.kind in TYPES):
            if symbol.kind == "function" and not is_guest:
                symbol.kind = "method"
            return owner
        place = Place(symbol.unit, symbol.scope, END)
        space = next((one[1] for one in parts(resolver.evaluate(symbol.receiver, place))), None)
        if isinstance(space, str) and space in resolver.modules:
            term: Term = (SYMBOL, symbol.number)
            binding: Binding = (symbol.start, 0, symbol.scope, None, term, symbol.number)
            resolver.modules[space].setdefault(symbol.name, []).append((symbol.unit, binding))
            self.spaces[symbol] = space
        else:
            words = [module_of(symbol), text_of(symbol.receiver, {})]
            self.spaces[symbol] = "::".join(filter(None, words))
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
            home = symbol.unit.symbols[symbol.parent]  # a namespace or a function
        space = self.spaces.get(symbol) or (self._name(home) if home is not None else "")
        return f"{space}::{symbol.name}" if space else symbol.name

    def definitions(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[CodeSymbol, ...]:
        """Return the definitions of a declaration; of several declarations alone, the first."""
        if "declared" not in symbol.flags:
            return (symbol,)
        if symbol not in self.defined:
            same = [
                sibling
                for sibling in self._siblings(resolver, symbol)
                if (sibling.kind in CALLABLES) == (symbol.kind in CALLABLES)
                and (not self.has_signatures or sibling.max_arguments == symbol.max_arguments)
            ]
            matches = self._defined(symbol, same)
            if not matches and "static" not in symbol.flags:
                matches = [
                    sibling
                    for sibling in same
                    if not self.has_signatures or sibling.signature == symbol.signature
                ][:1]
            self.defined[symbol] = tuple(matches) or (symbol,)
        return self.defined[symbol]

    def _siblings(self, resolver: Resolver, symbol: CodeSymbol) -> list[CodeSymbol]:
        """Return the symbols of the same name in the same place."""
        home = home_of(symbol)
        if home is None:
            space = self.spaces.get(symbol, module_of(symbol))
            found = resolver.modules.get(space, {}).get(symbol.name, [])
        else:
            name = self.member_name(symbol, home)
            own = home.unit.scopes[home.inner].names.get(name, [])
            outer = home.outer_members.get(name, [])
            found = [*((home.unit, binding) for binding in own), *outer]
        return [
            unit.symbols[binding[B_SYMBOL]] for unit, binding in found if binding[B_SYMBOL] >= 0
        ]

    def _defined(self, symbol: CodeSymbol, same: list[CodeSymbol]) -> list[CodeSymbol]:
        """Return the definitions of a declaration among symbols of its name."""
        matches = [
            candidate
            for candidate in same
            if "declared" not in candidate.flags
            and (candidate.unit is symbol.unit or candidate.flags.isdisjoint(_PRIVATE))
        ]
        matches = [each for each in matches if "deleted" not in each.flags] or matches
        path, closure = symbol.unit.path, self.includes.closure
        near = [candidate for candidate in matches if path in closure(candidate.unit.path)]
        return near or (matches if len(matches) == 1 else [])

    # --- values

    def iterable(self, resolver: Resolver, value: Value) -> Value:
        """Return a container; other values may be pointers or arrays."""
        if value[0] != INSTANCE or resolver.find(value, self.item_methods[0]):
            return value
        return (LIST, value)

    def outside_element(self, value: Value) -> Value | None:
        """Return an element of a standard container, or what a pointer points to."""
        is_known = any(_is_a(value, group) for group in ("@lists", "@maps", "@pointers"))
        return value[2][-1] if is_known and value[2] else None

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of something outside; smart pointers have those of what they point to."""
        whole = f"{value[1]}::{name}"
        if value[0] != OUTSIDE_INSTANCE or not value[2]:
            return (OUTSIDE, whole)
        is_pointer = _is_a(value, "@pointers")
        if is_pointer and name not in HEADERS["@of_pointers"]:
            return resolver.member(value[2][0], name) if value[2][0] is not None else None
        if is_pointer or name in HEADERS["@elements"]:
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
        """Return the functions that take as many arguments."""
        called = [target.symbol for target in callees if target.symbol is not None]
        homes = {home_of(symbol) for symbol in called if symbol.kind in CALLABLES}
        # of types with one name, each for another system, none is meant surely
        fitting = {symbol for symbol in called if self._takes(symbol, len(arguments), len(homes))}
        return [target for target in callees if target.symbol is None or target.symbol in fitting]

    def _takes(self, symbol: CodeSymbol, arguments: int, homes: int) -> bool:
        if symbol.kind not in CALLABLES:
            return True
        in_range = symbol.min_arguments <= arguments <= symbol.max_arguments
        fits = in_range and "deleted" not in symbol.flags
        return homes == 1 and (fits or not self.has_signatures)


def home_of(symbol: CodeSymbol) -> CodeSymbol | None:
    """Return the type that a symbol belongs to."""
    if symbol.attached_to is not None and "guest" not in symbol.flags:
        return symbol.attached_to
    outer = symbol.unit.symbols[symbol.parent] if symbol.parent != FILE else None
    return outer if outer is not None and outer.kind in TYPES else None


def module_of(symbol: CodeSymbol) -> str:
    """Return the namespace that a symbol is declared in."""
    return symbol.unit.scopes[symbol.scope].module or ""


def _is_a(value: Value, group: str) -> bool:
    """Tell whether a value is of a group of standard types."""
    return value[1].removeprefix("std::") in HEADERS[group]


def _kind(unit: Unit, binding: Binding) -> str:
    return unit.symbols[binding[B_SYMBOL]].kind if binding[B_SYMBOL] >= 0 else ""


def _reached(start: str, following: Mapping[str, list[str]]) -> frozenset[str]:
    reached, pending = {start}, [start]
    while pending:
        for path in following[pending.pop()]:
            if path not in reached:
                reached.add(path)
                pending.append(path)
    return frozenset(reached)
