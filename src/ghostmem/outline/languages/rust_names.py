"""Rust: modules and their names, members of types, and types of the standard library."""

from collections import defaultdict
from collections.abc import Sequence
from posixpath import dirname, join, normpath

from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    END,
    EXTENSION,
    FILE,
    CodeSymbol,
    FoundBinding,
    Unit,
)
from ghostmem.outline.engine.language import Rules
from ghostmem.outline.engine.link import Linker, Target
from ghostmem.outline.engine.resolve import CALLABLES, Place, Resolver, library_result
from ghostmem.outline.engine.table import groups_of, words_of
from ghostmem.outline.engine.terms import (
    CALLABLE,
    FUNCTION,
    INSTANCE,
    LIST,
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
from ghostmem.outline.graph import file_id
from ghostmem.outline.languages.rust_crates import Crates

MODULE_NAME = "module name"  # a term: a module by a word in another one
DERIVE = "derive"  # a term: a derived trait, as `derive(Trait)`
OPENED = "#[macro_use]"  # bound to the modules whose macros are seen

KNOWN = words_of("rust.txt")
# names that need no import: their full names; a variant has that of its type
IMPLICIT = {
    **{name: name for name in KNOWN["primitives"]},
    **{name: f"{path}::{name}" for name, path in groups_of("rust.txt", "prelude").items()},
    **groups_of("rust.txt", "variants"),
}
DERIVED = groups_of("rust.txt", "derived")  # methods: the trait that deriving implements
DERIVABLE = {
    path.rpartition("::")[2]: path
    for path in (*DERIVED.values(), "std::cmp::Eq", "std::marker::Copy")
}
KNOWN_MACROS = {f"{name}!" for name in KNOWN["macros"]}
GROUPS = {
    name: group
    for group in ("cells", "locks", "once_cells", "holders", "results", "lists", "maps", "pointers")
    for name in KNOWN[group]
}
# what methods give, by the group of the type (see `library_result`)
RESULTS = {group: groups_of("rust.txt", group) for group in (*GROUPS.values(), "own", "types")}
_MAX_GLOBS = 24  # modules that globs lead through


class RustNames(Rules):
    """The rules of Rust: what its names and members mean."""

    builtins = KNOWN["primitives"]
    separator = "::"
    words = {THIS: "self", OWN_TYPE: "Self", DERIVE: ""}  # noqa: RUF012
    strict_uses = merges_modules = knows_literals = True
    containers = dict.fromkeys(KNOWN["pointers"], "last")  # a pointer is taken for its value
    calls_convert = True  # making a tuple struct or a variant only uses it
    leaves_members = inherits_outside = False
    crates: Crates
    outside_impls: dict[tuple[str, str], list[CodeSymbol]]  # by name of a type, and function
    outside_blocks: list[tuple[CodeSymbol, str]]  # impl blocks for types from outside
    globs: set[tuple[str, str]]

    # --- modules

    def begin_linking(self, resolver: Resolver) -> None:
        """Find the crates and modules."""
        self.crates = Crates(resolver.units, resolver.read)
        self.outside_impls, self.outside_blocks = defaultdict(list), []
        self.globs = set()

    def module(self, resolver: Resolver, unit: Unit) -> str:
        """Return the module of a file."""
        return self.crates.module(unit.path)

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
        return value

    def crate(self, unit: Unit, name: str) -> Value | None:
        """Return a crate: of the standard library, of this project, or a dependency."""
        if name in KNOWN["roots"]:
            return (OUTSIDE, name)
        needs = self.crates.needs.get(unit.module.rpartition("/")[0], {})
        library = self.crates.libraries.get(needs.get(name, name))
        if library is not None:
            return (MODULE, library)
        return (OUTSIDE, name) if name in needs else None

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return a name that needs no import: of the prelude, a crate, or a macro around it."""
        if name.endswith("!"):
            return self._macro(resolver, unit, name)
        if name in IMPLICIT:
            return (OUTSIDE, IMPLICIT[name])
        return self.crate(unit, name)

    def _macro(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Look a macro up in the modules around, and in those opened with `#[macro_use]`."""
        module = unit.module
        while module:
            opened = resolver.modules.get(module, {}).get(OPENED, ())
            values = [(MODULE, module), *(resolver.evaluate_binding(*each) for each in opened)]
            places = parts(union(values))
            found = union([resolver.module_member(place[1], name) for place in places])
            if found is not None:
                return found
            module = module.rpartition("::")[0]
        return (OUTSIDE, name) if name[:-1] in KNOWN["macros"] else None

    def imported_ends(
        self, resolver: Resolver, unit: Unit, path: str, member: str
    ) -> Sequence[Unit | CodeSymbol]:
        """Return the files and symbols that an import leads to."""
        ends: list[Unit | CodeSymbol] = []
        for value in parts(self.imported(resolver, unit, path, None)) if member else ():
            found = resolver.exports(value, member)
            ends += [file.symbols[named[B_SYMBOL]] for file, named in found if named[B_SYMBOL] >= 0]
        for value in parts(self.imported(resolver, unit, path, member or None)):
            if value[0] in (TYPE, FUNCTION):
                ends.append(value[1])
            elif value[0] == MODULE:
                ends += resolver.units_of.get(value[1], ())
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
        unit, trait = symbol.unit, ""
        parent = unit.symbols[symbol.parent] if symbol.parent != FILE else None
        if parent is None:
            shown = full = unit.module.rpartition("/")[2]
        elif parent.kind != EXTENSION:
            shown, full = self.canonical(resolver, parent)
        else:
            full, trait = parent.detail
            shown, owner = full, symbol.attached_to
            if owner is not None:
                shown, full = owner.name, self.canonical(resolver, owner)[1]
            path, bracket, arguments = trait.partition("<")
            bare = path.rpartition("::")[2] + bracket + arguments
            shown = f"<{shown} as {bare}>" if trait else full
            full = f"<{full} as {trait}>" if trait else full
        return f"{shown}::{symbol.name}", f"{full}::{symbol.name}"

    def owner_of(
        self, resolver: Resolver, symbol: CodeSymbol, owner: CodeSymbol | None
    ) -> CodeSymbol | None:
        """Note what impl blocks add to types outside of the project."""
        place = Place(symbol.unit, symbol.scope, END)
        for kind in parts(resolver.value_of_type(symbol.receiver, place)) if not owner else ():
            if kind[0] == OUTSIDE_INSTANCE and symbol.kind == EXTENSION:
                self.outside_blocks.append((symbol, kind[1]))
            elif kind[0] == OUTSIDE_INSTANCE:
                self.outside_impls[_last(kind), symbol.name].append(symbol)
        return owner

    def meant(self, kind: str, targets: list[Target]) -> list[Target]:
        """Return the functions that a call means, and the enums of variants."""
        meant = [
            target._replace(symbol=symbol.unit.symbols[symbol.parent])
            if (symbol := target.symbol) and "variant" in symbol.flags
            else target
            for target in targets
        ]
        kinds = CALLABLES if kind == "calls" else ("field",)  # a method may have its name
        of_kind = [target for target in meant if target.symbol and target.symbol.kind in kinds]
        return list(dict.fromkeys(of_kind or meant))

    def outside_kind(self, kind: str, value: Value) -> str:
        """Return the kind of the link to something outside that is read."""
        if kind == "uses":
            return kind if "::" in value[1] else ""
        name = _last(value)
        return kind if name.isupper() and len(name) > 1 else ""

    def is_outside_type(self, name: str) -> bool:
        """Tell whether making a value only uses its type: Some and Ok."""
        return name in ("std::option::Option", "std::result::Result")

    # --- members

    def find_member(self, resolver: Resolver, value: Value, name: str) -> list[FoundBinding] | None:
        """Return a member of a type: its own, or of its traits."""
        for symbol, _ in resolver.order(value[1]):
            members = resolver.own_member(symbol, name)
            outer = symbol.outer_members.get(name, [])
            if found := members if members is outer else [*members, *outer]:
                return found
        return []

    def special_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member that shares its name, or that a type derives."""
        if found := resolver.find(value, name):  # a field may have the name of a method
            return union([resolver.bound([each], value) for each in found])
        for base in resolver.outside_bases(value[1]):
            if base is not None and DERIVED.get(name) == base[1]:
                return (OUTSIDE, f"{base[1]}::{name}", value)
        return None

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of something outside: of the project's impl blocks, or by its name."""
        if symbols := self.outside_impls.get((_last(value), name)):
            return union([(FUNCTION, symbol, value) for symbol in symbols])
        path = name if name in KNOWN_MACROS else f"{value[1]}::{name.removesuffix('!')}"
        return (OUTSIDE, path, value)

    def container_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of a slice or a tuple."""
        if value[0] != TUPLE:
            return (OUTSIDE, f"slice::{name}", value)
        return dict(zip(map(str, range(len(value[1]))), value[1], strict=True)).get(name)

    def outside_element(self, value: Value) -> Value | None:
        """Return an element of a collection of the library; a map gives pairs."""
        group = GROUPS.get(_last(value)) if value[2] else ""
        if group == "maps":
            return (TUPLE, value[2])
        return value[2][0] if group in ("lists", "holders", "results") else None

    # --- evaluation

    def evaluate(self, resolver: Resolver, term: Term, place: Place) -> Value | None:
        """Evaluate a term of Rust."""
        match term[0]:
            case "module name":
                return self._module_named(resolver, place, *term[1:])
            case "derive":
                path = DERIVABLE.get(term[1][7:-1].rpartition("::")[2])
                return (OUTSIDE, path) if path is not None else None
            case "this":  # of an impl block for a type from outside
                return resolver.value_of_type((NAME, "Self"), place)
            case "own":
                return resolver.evaluate((NAME, "Self"), place)
        return None

    @staticmethod
    def _module_named(resolver: Resolver, place: Place, word: str, path: str = "") -> Value | None:
        """Return what self, super, crate or the name of a module in another file means."""
        module = place.unit.scopes[place.scope].module or place.unit.module
        known = {
            "self": module,
            "super": module.rpartition("::")[0] or module,
            "crate": module.partition("::")[0],
            "$crate": module.partition("::")[0],
        }
        inner, beside = f"{module}::{word}", f"{module.rpartition('/')[0]}/{word}"
        names = [known.get(word, inner), beside]
        if path:
            file = resolver.units.get(normpath(join(dirname(place.unit.path), path)))
            names = [file.module] if file is not None else []
        return next(((MODULE, name) for name in names if name in resolver.units_of), None)

    def outside_result(
        self,
        resolver: Resolver,
        value: Value,
        arguments: tuple[Term | None, ...],
        place: Place | None,
    ) -> Value | None:
        """Return what a function of the library gives, of a type or called on a value."""
        if len(value) < 3:
            return None
        name, receiver = _last(value), value[2]
        made, group = resolver.instance(receiver), GROUPS.get(_last(receiver), "")
        if receiver[0] == INSTANCE:
            group = "own"
        elif receiver[0] == LIST:
            made, group = (OUTSIDE_INSTANCE, "std::vec::Vec", (receiver[1],)), "lists"
        meaning = RESULTS.get(group, {}).get(name) or RESULTS["types"].get(name)
        if meaning is None or made is None:
            return None
        argument = resolver.evaluate(arguments[0], place) if arguments and place else None
        return library_result(resolver, made, meaning, argument)

    def outside_parameter(self, resolver: Resolver, value: Value, number: int) -> Value | None:
        """Return what a method of the library passes to a closure: an element of its receiver."""
        if len(value) == 3 and value[1].rpartition("::")[2] in KNOWN["passes"]:
            return (CALLABLE, None, (resolver.element(value[2]),))
        return None

    # --- links

    def finish(self, linker: Linker) -> None:
        """Add the links of impl blocks for types from outside, and of files of modules."""
        for block, name in self.outside_blocks:
            linker.bases(block, linker.outside_end(name, "type"))
        for unit in linker.resolver.units.values():
            for scope, term, line in unit.detail["files"]:
                start = linker.node_of(unit, unit.scopes[scope].symbol)
                for value in parts(linker.resolver.evaluate(term, Place(unit, scope, END))):
                    for file in linker.resolver.units_of[value[1]]:
                        linker.add(start, "declares", file_id(file.path), line, "module")

    def notes(self, resolver: Resolver) -> list[str]:
        """Say how many macros were not parsed."""
        macros = sum(unit.detail["macros"] for unit in resolver.units.values())
        return [f"the arguments of {macros} macro calls were not parsed"] if macros else []


def _last(value: Value) -> str:
    return str(value[1]).rpartition("::")[2]
