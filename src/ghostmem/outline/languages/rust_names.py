"""Rust: modules and their names, members of types, and types of the standard library."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from ghostmem.outline.engine.facts import B_SYMBOL, END, FILE, CodeSymbol, FoundBinding, Unit
from ghostmem.outline.engine.language import Rules
from ghostmem.outline.engine.link import Linker, Target
from ghostmem.outline.engine.resolve import CALLABLES, TYPES, Place, Resolver, library_result
from ghostmem.outline.engine.table import groups_of, words_of
from ghostmem.outline.engine.terms import (
    CALLABLE,
    FUNCTION,
    GENERIC,
    INSTANCE,
    LIST,
    MEMBER,
    MODULE,
    NAME,
    OUTSIDE,
    OUTSIDE_INSTANCE,
    OWN_TYPE,
    THIS,
    TUPLE,
    TYPE,
    Term,
    Value,
    parts,
    union,
)
from ghostmem.outline.graph import EXTERNAL, NATIVE, Loose, file_id, outside_id
from ghostmem.outline.languages.rust_crates import Crates, ModuleFile

# terms of Rust: a module by a word in another one; a part that a pattern takes out of a value;
# `value?`
MODULE_NAME, PATTERN_PART, TRY = "module name", "pattern", "try"

KNOWN = words_of("rust.txt")
PRELUDE = {name: f"{path}::{name}" for name, path in groups_of("rust.txt", "prelude").items()}
VARIANTS = groups_of("rust.txt", "variants")  # the type of each
DERIVED = groups_of("rust.txt", "derived")  # methods: the trait that deriving implements
DERIVABLE = {
    path.rsplit("::", 1)[-1]: path
    for path in (*DERIVED.values(), "std::cmp::Eq", "std::marker::Copy")
}
KNOWN_MACROS = {f"{name}!" for name in KNOWN["macros"]}
GROUPS = {
    name: group
    for group in ("cells", "locks", "once_cells", "holders", "results", "lists", "maps")
    for name in KNOWN[group]
}
# what methods give, by the group of the type (see `library_result`)
RESULTS = {group: groups_of("rust.txt", group) for group in (*GROUPS.values(), "own")}
_OPTION, _RESULT = "std::option::Option", "std::result::Result"
_OF_POINTERS = (
    "as_ref",
    "clone",
    "default",
    "from",
    "new",
)  # of a smart pointer itself
_CONSTRUCTORS = ("new", "default", "from", "with_capacity", "from_str", "clone")
_MAX_DEREFS = 8  # types that are dereferenced one after the other
_MAX_GLOBS = 24  # modules that globs lead through


class RustNames(Rules):
    """The rules of Rust: what its names and members mean."""

    builtins = KNOWN["primitives"]
    separator = "::"
    words = {THIS: "self", OWN_TYPE: "Self"}  # noqa: RUF012
    strict_uses = merges_modules = knows_literals = True
    calls_convert = True  # making a tuple struct or a variant only uses it
    leaves_members = False
    virtual = ("type", "receiver")
    crates: Crates
    outside_impls: dict[tuple[str, str], list[CodeSymbol]]  # by name of a type, and function
    has_learned = False
    globs: set[tuple[str, str]]

    # --- modules

    def begin_linking(self, resolver: Resolver) -> None:
        """Find the crates and modules."""
        self.crates = Crates(resolver.units, resolver.read)
        self.outside_impls, self.globs, self.has_learned = defaultdict(list), set(), False

    def module(self, resolver: Resolver, unit: Unit) -> str:
        """Return the module of a file."""
        return self.crates.keys[unit.path]

    def exported(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return what a name of a module is bound to, also by its globs."""
        found = resolver.modules.get(module, {}).get(name, [])
        if found or (module, name) in self.globs or len(self.globs) > _MAX_GLOBS:
            return found
        self.globs.add((module, name))
        for unit in resolver.units_of.get(module, ()):
            for path in unit.stars:
                if unit.scopes[int(path.partition(">")[0])].module == module:
                    for value in parts(self.imported(resolver, unit, path, None)):
                        found = found or resolver.exports(value, name)
        self.globs.discard((module, name))
        return found

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        """Return what a path means in the module of a scope, written `scope>path`."""
        scope, _, outer = path.partition(">")
        first, *more = [name for name in (*outer.split("::"), member) if name] or [""]
        value = resolver.module_member(unit.scopes[int(scope)].module or "", first)
        value = value or self.implicit(resolver, unit, first)
        for name in more:
            value = union([resolver.member(part, name) for part in parts(value)])
        if value is not None and value[0] == OUTSIDE and member in KNOWN_MACROS:
            return (OUTSIDE, member)
        return value

    def crate(self, unit: Unit, name: str) -> Value | None:
        """Return a crate: of the standard library, of this project, or a dependency."""
        if name in KNOWN["roots"]:
            return (OUTSIDE, name)
        needs = self.crates.needs.get(self.crates.crates[unit.path].package, {})
        library = self.crates.libraries.get(needs.get(name, name))
        if library is not None:
            return (MODULE, library)
        return (OUTSIDE, name) if name in needs else None

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return a name that needs no import: of the prelude, a crate, or a macro around it."""
        if name.endswith("!"):
            return self._macro(resolver, unit, name)
        if name in VARIANTS:
            return (OUTSIDE, VARIANTS[name])
        if name in PRELUDE or name in KNOWN["primitives"]:
            return (OUTSIDE, PRELUDE.get(name, name))
        return self.crate(unit, name)

    def _macro(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Look a macro up in the modules around, and in those opened with `#[macro_use]`."""
        module = unit.module
        while module:
            opened = [
                f"{module}::{declared.name}"
                for file in resolver.units_of.get(module, ())
                for declared in (ModuleFile(*row) for row in file.detail["files"])
                if declared.opens_macros and file.module == module
            ]
            for place in (module, *opened):
                macros = [
                    (FUNCTION, file.symbols[binding[B_SYMBOL]], None)
                    for file, binding in resolver.modules.get(place, {}).get(name, ())
                    if binding[B_SYMBOL] >= 0
                ]
                if macros:
                    return union(macros)
            module = module.rpartition("::")[0]
        return (OUTSIDE, name) if name[:-1] in KNOWN["macros"] else None

    def imported_ends(
        self, resolver: Resolver, unit: Unit, path: str, member: str
    ) -> Sequence[Unit | CodeSymbol]:
        """Return the files and symbols that an import leads to."""
        ends: list[Unit | CodeSymbol] = []
        for value in parts(self.imported(resolver, unit, path, None)) if member else ():
            found = [*resolver.exports(value, member), *resolver.exports(value, f"{member}!")]
            ends += [file.symbols[named[B_SYMBOL]] for file, named in found if named[B_SYMBOL] >= 0]
        for value in parts(self.imported(resolver, unit, path, member or None)):
            if value[0] in (TYPE, FUNCTION):
                ends.append(value[1])
            for file in resolver.units_of.get(value[1], ()) if value[0] == MODULE else ():
                numbers = [scope.symbol for scope in file.scopes if scope.module == value[1]]
                ends += [file.symbols[number] if number >= 0 else file for number in numbers]
        return [end for end in dict.fromkeys(ends) if isinstance(end, Unit) or end.id]

    def outside_path(self, resolver: Resolver, unit: Unit, path: str, member: str) -> str:
        """Return the name of something imported that is not in the project."""
        value = self.imported(resolver, unit, path, member or None)
        return value[1] if value is not None and value[0] == OUTSIDE else ""

    def is_native(self, name: str) -> bool:
        """Tell whether something belongs to the language and its standard library."""
        return (
            name.partition("::")[0] in (*KNOWN["roots"], *self.builtins, "slice")
            or name[-1:] == "!"
        )

    # --- names

    def canonical(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        """Return the name of a symbol and, if that is short, the one that tells it apart."""
        self._learn(resolver)
        return self._name(resolver, symbol)

    def _name(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        unit = symbol.unit
        if isinstance(symbol.detail, tuple):
            return self._member_name(resolver, symbol)
        if symbol.parent == FILE:
            module = self.crates.shown(unit, unit.module)
            return f"{module}::{symbol.name}", f"{module}::{symbol.name}"
        shown, full = self._name(resolver, unit.symbols[symbol.parent])
        return f"{shown}::{symbol.name}", f"{full}::{symbol.name}"

    def _member_name(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        _, trait_term, scope, _, written, trait = symbol.detail
        owner, name = symbol.attached_to, symbol.name
        short = home = written
        if owner is not None:
            short, home = owner.name, self._name(resolver, owner)[1]
        if not trait:
            return f"{home}::{name}", f"{home}::{name}"
        whole = trait
        place = Place(symbol.unit, scope, END)
        traits = [
            trait_value[1] for trait_value in parts(resolver.value_of_type(trait_term, place))
        ]
        if len(traits) == 1 and isinstance(traits[0], CodeSymbol):
            whole = self._name(resolver, traits[0])[1]
        bare, bracket, arguments = trait.partition("<")
        shown = bare.rsplit("::", 1)[-1] + bracket + arguments
        return f"<{short} as {shown}>::{name}", f"<{home} as {whole}>::{name}"

    def _learn(self, resolver: Resolver) -> None:
        """Note which types implement which traits, once."""
        if self.has_learned:
            return
        self.has_learned = True
        for unit in resolver.units.values():
            for type_term, trait_term, scope, *_ in unit.detail["impls"]:
                place = Place(unit, scope, END)
                traits = parts(resolver.value_of_type(trait_term, place))
                own = [trait for trait in traits if trait[0] == INSTANCE]
                for kind in parts(resolver.value_of_type(type_term, place)):
                    if kind[0] == INSTANCE:
                        resolver.base_values(kind[1]).extend(own)
            for symbol in unit.symbols:
                if symbol.receiver is not None and symbol.attached_to is None:
                    place = Place(unit, symbol.scope, END)
                    for kind in parts(resolver.value_of_type(symbol.receiver, place)):
                        if kind[0] == OUTSIDE_INSTANCE:
                            self.outside_impls[_last(kind), symbol.name].append(symbol)

    def meant(self, kind: str, targets: list[Target]) -> list[Target]:
        """Return the functions that a call means, and the enums of variants."""
        meant = [
            target._replace(symbol=symbol.unit.symbols[symbol.parent])
            if (symbol := target.symbol) and "variant" in symbol.flags
            else target
            for target in targets
        ]
        wanted = [target for target in meant if target.value is None or target.value[0] != MODULE]
        kinds = CALLABLES if kind == "calls" else ("field",)  # a method may have its name
        of_kind = [target for target in wanted if target.symbol and target.symbol.kind in kinds]
        return list(dict.fromkeys(of_kind or wanted or meant))

    def outside_kind(self, kind: str, value: Value) -> str:
        """Return the kind of the link to something outside that is read."""
        name = value[1].rpartition("::")[2]
        if kind == "uses":
            return "" if "::" not in value[1] and name in self.builtins else "uses"
        if value[1] in (_OPTION, _RESULT):
            return "uses"
        return kind if name.isupper() and len(name) > 1 else ""

    def is_outside_type(self, name: str) -> bool:
        """Tell whether making a value only uses its type: Some and Ok."""
        return name in (_OPTION, _RESULT)

    # --- members

    def find_member(self, resolver: Resolver, value: Value, name: str) -> list[FoundBinding] | None:
        """Return a member of a type: its own, of its traits, or of what it dereferences to."""
        for each in self.opened(resolver, value):
            if each[0] not in (INSTANCE, TYPE):
                break
            for symbol, _ in resolver.order(each[1]):
                members = resolver.own_member(symbol, name)
                outer = symbol.outer_members.get(name, [])
                if found := members if members is outer else [*members, *outer]:
                    return [member for member in found if not _is_of_trait(*member)] or found
        return []

    def opened(self, resolver: Resolver, value: Value | None) -> Iterator[Value]:
        """Yield a value, and those that it dereferences to."""
        for _ in range(_MAX_DEREFS):
            if value is None:
                return
            yield value
            value = self._inner(resolver, value)

    def _inner(self, resolver: Resolver, value: Value) -> Value | None:
        if value[0] == OUTSIDE_INSTANCE and value[2] and _last(value) in KNOWN["pointers"]:
            inner: Value | None = value[2][-1]
            return inner
        if value[0] in (INSTANCE, TYPE) and value[1].underlying is not None:
            meant = resolver.underlying((INSTANCE, *value[1:3]))
            return meant if value[0] == INSTANCE or meant is None else resolver.type_of(meant)
        return None

    def special_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a function that a type derives, or that it has by dereferencing."""
        if value[0] == "bases" or resolver.find(value, name):
            return None
        derives = value[1].detail if isinstance(value[1].detail, list) else []
        if name in DERIVED and DERIVED[name].rsplit("::", 1)[-1] in derives:
            return (OUTSIDE, f"{DERIVED[name]}::{name}", value)
        inner = list(self.opened(resolver, value))[1:]
        outside = next((each for each in inner if each[0] not in (INSTANCE, TYPE)), None)
        return resolver.member(outside, name) if outside is not None else None

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of something outside: of the project's impl blocks, or by its name."""
        if symbols := self.outside_impls.get((_last(value), name)):
            return union([(FUNCTION, symbol, value) for symbol in symbols])
        inner = self._inner(resolver, value)
        if inner is not None and name not in _OF_POINTERS:
            return resolver.member(inner, name)
        return (OUTSIDE, f"{value[1]}::{name.removesuffix('!')}", value)

    def container_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of a slice or a tuple."""
        if value[0] != TUPLE:
            return (OUTSIDE, f"slice::{name}", value)
        return dict(zip(map(str, range(len(value[1]))), value[1], strict=True)).get(name)

    def iterable(self, resolver: Resolver, value: Value) -> Value:
        """Return what is iterated over, behind pointers; a map gives pairs."""
        for each in self.opened(resolver, value):
            group = GROUPS.get(_last(each)) if each[0] == OUTSIDE_INSTANCE and each[2] else ""
            if group == "maps":
                return (LIST, (TUPLE, each[2]))
            if group in ("lists", "holders", "results"):
                return (LIST, each[2][0])
            value = each
        return value

    # --- evaluation

    def evaluate(self, resolver: Resolver, term: Term, place: Place) -> Value | None:
        """Evaluate a term of Rust."""
        match term[0]:
            case "module name":
                return self._module_named(place.unit, term[1], place.scope)
            case "try":
                values = parts(resolver.evaluate(term[1], place))
                return union([self._given(resolver, value, "unwrap") for value in values])
            case "this":  # of an impl block for a type from outside
                return resolver.value_of_type((NAME, "Self"), place)
            case "own":
                return resolver.evaluate((NAME, "Self"), place)
            case "pattern":
                return self._pattern_part(resolver, term, place)
        return None

    def _module_named(self, unit: Unit, word: str, scope: int) -> Value | None:
        """Return what self, super, crate or the name of a module in another file means."""
        module = unit.scopes[scope].module or unit.module
        if word == "self":
            return (MODULE, module)
        if word == "super":
            return (MODULE, module.rpartition("::")[0] or module)
        if word in ("crate", "$crate"):
            return (MODULE, self.crates.crates[unit.path].root)
        path = self.crates.files.get(module, {}).get(word)
        return (MODULE, self.crates.keys[path]) if path is not None else None

    def _pattern_part(self, resolver: Resolver, term: Term, place: Place) -> Value | None:
        """Return the part that a pattern takes out of a struct or variant."""
        _, of, path, name = term
        whole = resolver.evaluate(of, place)
        path = path[1] if path[0] == GENERIC else path
        last = path[2] if path[0] == MEMBER else path[1]
        symbol = self._variant(resolver, path, last, place)
        if symbol is None and last in VARIANTS:
            method = "unwrap_err" if last == "Err" else "unwrap"
            return union([self._given(resolver, value, method) for value in parts(whole)])
        if symbol is not None:
            bindings = symbol.unit.scopes[symbol.inner].names.get(name, [])
            enum = symbol.unit.symbols[symbol.parent]
            arguments = next(
                (value[2] for value in parts(whole) if value[:2] == (INSTANCE, enum)), ()
            )
            env = dict(zip(enum.type_parameters, arguments, strict=False))
            return union(
                [resolver.evaluate_binding(symbol.unit, binding, env) for binding in bindings]
            )
        values = parts(whole) or parts(resolver.value_of_type(path, place))
        return union([resolver.member(value, name) for value in values])

    @staticmethod
    def _variant(resolver: Resolver, path: Term, name: str, place: Place) -> CodeSymbol | None:
        """Return the variant that a path means: its value is of the enum that has its name."""
        symbols = (
            unit.symbols[binding[B_SYMBOL]]
            for value in parts(resolver.evaluate(path, place))
            if value[0] == INSTANCE
            for unit, binding in resolver.own_member(value[1], name)
        )
        return next((symbol for symbol in symbols if "variant" in symbol.flags), None)

    def call_result(
        self, resolver: Resolver, term: Term, callee: Value | None, place: Place
    ) -> Value | None:
        """Return what a method of the library, or making a variant, gives."""
        found: list[Value | None] = []
        if callee is not None and term[1][0] == MEMBER and callee[0] not in (FUNCTION, OUTSIDE):
            methods = [  # a field hides the method of its name
                (FUNCTION, unit.symbols[binding[B_SYMBOL]], base)
                for base in parts(resolver.evaluate(term[1][1], place))
                if base[0] in (TYPE, INSTANCE)
                for unit, binding in resolver.find(base, term[1][2])
                if binding[B_SYMBOL] >= 0 and unit.symbols[binding[B_SYMBOL]].kind in CALLABLES
            ]
            if methods:
                return union([resolver.result(method, term[2], place) for method in methods])
        for value in parts(callee):
            if value[0] == INSTANCE:
                found.append(value)
            elif value[0] == OUTSIDE and len(value) == 3:
                found.append(self._library_result(resolver, value))
            elif value[0] == OUTSIDE and value[1] in (_OPTION, _RESULT):
                given = tuple(resolver.evaluate(argument, place) for argument in term[2][:1])
                found.append((OUTSIDE_INSTANCE, value[1], given))
        return union(found)

    def _library_result(self, resolver: Resolver, value: Value) -> Value | None:
        name, receiver = value[1].rpartition("::")[2], value[2]
        if receiver[0] in (TYPE, OUTSIDE):
            return resolver.instance(receiver) if name in _CONSTRUCTORS else None
        return self._given(resolver, receiver, name)

    def _given(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return what a method of the library gives that is called on a value."""
        for each in self.opened(resolver, value):
            if each[0] == LIST:
                each = (OUTSIDE_INSTANCE, "std::vec::Vec", (each[1],))
            group = "own" if each[0] == INSTANCE else GROUPS.get(_last(each), "")
            if group == "locks" and not self.is_native(each[1]):  # it cannot be poisoned
                group = "cells"
            meaning = RESULTS.get(group, {}).get(name, "")
            if name == "enumerate" and meaning:
                pair = (TUPLE, ((OUTSIDE_INSTANCE, "usize", ()), resolver.element(each)))
                return (OUTSIDE_INSTANCE, "std::slice::Iter", (pair,))
            if meaning:
                return library_result(resolver, each, meaning, None)
        return None

    def outside_parameter(self, resolver: Resolver, value: Value, number: int) -> Value | None:
        """Return what a method of the library passes to a closure: an element of its receiver."""
        if len(value) == 3 and value[1].rpartition("::")[2] in KNOWN["passes"]:
            return (CALLABLE, None, (resolver.element(value[2]),))
        return None

    # --- links

    def finish(self, linker: Linker) -> None:
        """Add the links of impl blocks, derived traits and files of modules."""
        for unit in linker.resolver.units.values():
            for row in unit.detail["impls"]:
                self._link_impl(linker, unit, *row)
            for symbol in unit.symbols:
                for name in symbol.detail if isinstance(symbol.detail, list) else ():
                    bare = name.rsplit("::", 1)[-1]
                    if path := DERIVABLE.get(bare):
                        linker.add_outside(symbol.id, "implements", path, symbol.line, "type")
                    else:
                        self._leave(linker, symbol.id, f"derive({name})", symbol.line, bare)
            for declared in (ModuleFile(*row) for row in unit.detail["files"]):
                scope = unit.scopes[declared.scope]
                path = self.crates.files.get(scope.module or "", {}).get(declared.name)
                if path is not None:
                    start = linker.node_of(unit, scope.symbol)
                    linker.add(start, "declares", file_id(path), declared.line, "module")

    def _leave(self, linker: Linker, owner: str, text: str, line: int, name: str) -> None:
        linker.loose.append(Loose(owner, "implements", text, line, name, linker.values[name]))

    def _link_impl(
        self,
        linker: Linker,
        unit: Unit,
        type_term: Term | None,
        trait_term: Term | None,
        scope: int,
        line: int,
        written: str,
        trait: str,
    ) -> None:
        if not trait:
            return
        place = Place(unit, scope, END)
        start = ""
        for kind in parts(linker.resolver.value_of_type(type_term, place)):
            if kind[0] == INSTANCE:
                start = kind[1].id
            elif kind[0] == OUTSIDE_INSTANCE:
                origin = NATIVE if self.is_native(kind[1]) else EXTERNAL
                start = outside_id(origin, kind[1])
                linker.outside.setdefault(kind[1], (origin, start, "type"))
        plain = trait_term[1] if trait_term and trait_term[0] == "generic" else trait_term
        targets = linker.targets(plain, place) if plain and start else []
        for target in targets:
            if target.symbol is not None and target.symbol.kind in TYPES:
                linker.add(start, "implements", target.symbol.id, line, target.via)
            elif target.value is not None and target.value[0] == OUTSIDE:
                linker.add_outside(start, "implements", target.value[1], line)
        if not targets:
            name = trait.partition("<")[0].rsplit("::", 1)[-1]
            home = linker.node_of(unit, unit.scopes[scope].symbol)
            self._leave(linker, start or home, f"impl {trait} for {written}", line, name)

    def notes(self, resolver: Resolver) -> list[str]:
        """Say how many macros were not parsed."""
        macros = sum(unit.detail["macros"] for unit in resolver.units.values())
        return [f"the arguments of {macros} macro calls were not parsed"] if macros else []


def _last(value: Value) -> str:
    return str(value[1]).rpartition("::")[2]


def _is_of_trait(unit: Unit, binding: Any) -> bool:
    detail = unit.symbols[binding[B_SYMBOL]].detail if binding[B_SYMBOL] >= 0 else None
    return isinstance(detail, tuple) and bool(detail[1])
