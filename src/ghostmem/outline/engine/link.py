"""Turn the references of all files into the links of a graph."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ghostmem.outline.engine.extract import deep_recursion
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    B_VALUE,
    END,
    EXTENSION,
    FILE,
    NO_SYMBOL,
    CodeSymbol,
    FoundBinding,
    Reference,
    Unit,
    is_import,
    unfolded,
)
from ghostmem.outline.engine.resolve import CALLABLES, TYPES, Place, Resolver, ResolveRules
from ghostmem.outline.engine.terms import (
    CALLABLE,
    CONSTRUCT,
    FUNCTION,
    GENERIC,
    HEIR,
    IMPORT,
    INSTANCE,
    LAMBDA,
    MEMBER,
    MODULE,
    NAME,
    OUTSIDE,
    OWN_TYPE,
    SUPER,
    THIS,
    TYPE,
    Term,
    Value,
    parts,
    text_of,
)
from ghostmem.outline.graph import (
    EXTERNAL,
    NATIVE,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    file_id,
    outside_id,
    project_id,
)
from ghostmem.outline.languages.base import Facts, Read

MAX_REEXPORTS = 8  # modules that an import may lead through
_OUTSIDE_KINDS = {
    "calls": "function",
    "uses": "type",
    "extends": "type",
    "implements": "type",
    "imports": "module",
}
# links by the kind of a reference; `?` if it may lead nowhere
_KINDS = {
    "uses": "uses", "reads": "accesses", "assigns": "assigns",
    "uses?": "uses", "reads?": "accesses", "assigns?": "assigns",
}  # fmt: skip
# kinds of something outside: the first counts if references disagree
_RANK = {"module": 0, "type": 1, "function": 2, "variable": 3}


class Target(NamedTuple):
    """Where a reference leads: to a symbol of the project or to a value, and how it was found."""

    via: str
    symbol: CodeSymbol | None = None
    value: Value | None = None


class End(NamedTuple):
    """The kind and the end of a link: a symbol or something outside, else unresolved."""

    kind: str
    via: str = ""
    symbol: CodeSymbol | None = None
    outside: str = ""


def link(rules: "LinkRules", files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of all files of a language."""
    with deep_recursion():
        units = {path: Unit.unpacked(path, files[path]) for path in sorted(files)}
        resolver = Resolver(units, rules, read)
        linked = Linker(resolver, rules).link()
        resolver.memo.clear()
        for unit in units.values():  # symbols and files refer to each other
            unit.symbols.clear()
        return linked


class Linker:
    """Collects the links of a project."""

    def __init__(self, resolver: Resolver, rules: "LinkRules") -> None:
        self.resolver, self.rules = resolver, rules
        self.links: list[OutlineLink] = []
        self.loose: list[Loose] = []
        self.outside: dict[str, tuple[str, str, str]] = {}  # by name: origin, node and kind
        self._links: dict[tuple[str, str, str], tuple[int, str]] = {}  # of the present file
        # of names that no function binds, by kind, term, scope and number of arguments
        self._of_scopes: dict[tuple[str, Term, int, int], list[End]] = {}

    def link(self) -> Linked:
        """Return the graph."""
        units = list(self.resolver.units.values())
        nodes = self.nodes = {node.id: node for unit in units for node in self._nodes(unit)}
        symbols = [
            symbol for unit in units for symbol in unit.symbols if "redeclared" not in symbol.flags
        ]
        self.callables = Counter(
            symbol.name for symbol in symbols if self.rules.is_candidate(symbol)
        )
        self.values = Counter(symbol.name for symbol in symbols if symbol.kind != "function")
        self.readable = {
            symbol.name
            for symbol in symbols
            if symbol.kind != "field" or self.rules.is_shared(symbol)
        }
        for unit in units:
            self._structure(unit)
            for reference in unfolded(unit.references):
                self._reference(unit, reference)
            unit.references = b""
            self.resolver.term_memo.clear()
            self._of_scopes.clear()
            self._flush()
        self.rules.finish(self)
        self._flush()
        by_origin = sorted(self.outside.items(), key=lambda item: (item[1][0], item[0]))
        for name, (origin, number, kind) in by_origin:
            where = self.rules.package_of(name) if origin == EXTERNAL else ""
            shown, kind = self.rules.outside_node(name, kind)
            full = name if shown != name else ""
            nodes[number] = OutlineNode(number, shown, kind, origin, where=where, full=full)
        return Linked(nodes, self.links, sorted(self.loose), self.rules.notes(self.resolver))

    def _nodes(self, unit: Unit) -> Iterator[OutlineNode]:
        """Name the symbols of a file, and yield the nodes."""
        last = max((symbol.end_line for symbol in unit.symbols), default=1)
        yield OutlineNode(
            file_id(unit.path), unit.name, "file", file=unit.path, line=1, end_line=last
        )
        for symbol in unit.symbols:
            if not symbol.display:
                symbol.display, symbol.full = self.rules.canonical(self.resolver, symbol)
            if "inline" in symbol.flags:
                continue
            symbol.id = project_id(unit.path, symbol.display, symbol.start)
            yield OutlineNode(
                symbol.id,
                symbol.display,
                symbol.kind,
                file=unit.path,
                line=symbol.line,
                end_line=symbol.end_line,
                signature=symbol.signature,
                full=symbol.full,
                body=symbol.body,
            )

    # --- links

    def _flush(self) -> None:
        self.links += [OutlineLink._make(ends + found) for ends, found in self._links.items()]
        self._links.clear()

    def add(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        """Add a link; of several with the same ends the first line counts."""
        known = self._links.get((start, kind, end))
        if known is None or (line, via) < known:
            self._links[start, kind, end] = (line, via)

    def add_outside(self, start: str, kind: str, name: str, line: int, end_kind: str = "") -> None:
        """Add a link to something outside of the project."""
        end = self.outside_end(name, end_kind or _OUTSIDE_KINDS.get(kind, "variable"))
        self.add(start, kind, end, line, self.outside[name][0])

    def outside_end(self, name: str, kind: str) -> str:
        """Return the node of something outside of the project."""
        known = self.outside.get(name)
        if known is None:
            origin = NATIVE if self.rules.is_native(name) else EXTERNAL
            known = self.outside[name] = (origin, outside_id(origin, name), kind)
        origin, node, known_kind = known
        if _RANK[kind] < _RANK[known_kind]:
            self.outside[name] = (origin, node, kind)
        return node

    def node_of(self, unit: Unit, number: int) -> str:
        """Return the node of a symbol, or of what is around one that is no node."""
        while number != FILE:
            symbol = unit.symbols[number]
            if symbol.id:
                return symbol.id
            number = symbol.parent
        return file_id(unit.path)

    def _structure(self, unit: Unit) -> None:
        """Add the links of declarations: declares, extends, implements, imports."""
        for symbol in unit.symbols:
            owner = symbol.attached_to if "guest" not in symbol.flags else None
            if symbol.kind == EXTENSION and owner is not None:
                self.bases(symbol, owner.id)
            if not symbol.id:
                continue
            around = (owner.unit, owner.number) if owner is not None else (unit, symbol.parent)
            start = self.node_of(*around)
            self.add(start, "declares", symbol.id, symbol.line, "local")
            self.bases(symbol, symbol.id)
        for path, line, member in unit.imports:
            start = file_id(unit.path)
            ends = self.rules.imported_ends(self.resolver, unit, path, member)
            for end in ends:
                symbol_id = end.id if isinstance(end, CodeSymbol) else end
                node = file_id(end.path) if isinstance(end, Unit) else str(symbol_id)
                self.add(start, "imports", node, line, "import")
            if not ends and (name := self.rules.outside_path(self.resolver, unit, path, member)):
                self.add_outside(start, "imports", name, line, self.rules.import_kind(path, member))
            elif not ends and self.rules.leaves_imports:
                last = path.rpartition("/")[2].partition(".")[0]
                self.loose.append(Loose(start, "imports", path, line, last, self.values[last]))

    def bases(self, symbol: CodeSymbol, start: str) -> None:
        """Add the links from the node of a type to the bases that a symbol notes."""
        for relation, term, line, position in symbol.bases:
            self._base(symbol, start, relation, term, line, position)

    def _base(
        self,
        symbol: CodeSymbol,
        start: str,
        relation: str,
        term: Term,
        line: int,
        position: int,
    ) -> None:
        plain = term[1] if term[0] == GENERIC else term
        scope = symbol.inner if self.rules.bases_inside else symbol.scope
        targets = [
            target
            for target in self._callees(self.targets(plain, Place(symbol.unit, scope, position)))
            if target.symbol is not symbol  # class Error < Error means another one
            and (target.symbol is None or target.symbol.kind in (*TYPES, "module"))
        ]
        via = "conditional" if sum(target.symbol is not None for target in targets) > 1 else ""
        for target in targets:
            for kind in self.rules.base_relations(relation, symbol, target):
                if target.symbol is not None:
                    self._add_project(start, kind, target.symbol, line, via or target.via)
                elif target.value is not None:
                    self.add_outside(start, kind, target.value[1], line)
        if not targets and relation:
            last = str(plain[2] if plain[0] == MEMBER else plain[1])
            name = last.rpartition(self.rules.separator)[2]
            text = text_of(plain, self.rules.words)
            self.loose.append(Loose(start, relation, text, line, name, self.values[name]))

    # --- references

    def _reference(self, unit: Unit, reference: Reference) -> None:
        kind, number, scope, term, line, position, arguments = reference
        # of what is declared again, the definition names the same types
        if (term[0] == MEMBER and not self._may_be_linked(unit, kind, term)) or (
            kind == "uses" and number != FILE and "redeclared" in unit.symbols[number].flags
        ):
            return
        key = (kind, term, scope, len(arguments or ())) if position == END else None
        ends = self._of_scopes.get(key) if key is not None else None
        if ends is None:
            place, sure = Place(unit, scope, position), kind[-1] != "?"
            ends = (
                self._call(term, arguments or (), place, sure)
                if kind.startswith("calls")
                else self._read(_KINDS[kind], term, place, sure)
            )
            if key is not None:
                self._of_scopes[key] = ends
        owner = self.node_of(unit, number)
        for end in ends:
            if end.symbol is not None:
                self._add_project(owner, end.kind, end.symbol, line, end.via)
            elif end.outside:
                self.add_outside(owner, end.kind, end.outside, line)
            else:
                self._leave(owner, end.kind, term, line)

    def _may_be_linked(self, unit: Unit, kind: str, term: Term) -> bool:
        """Tell whether a member may be more than a field, which is faster than to look it up."""
        return (
            self.rules.reads_members
            or kind in ("calls", "uses")
            or term[2] in self.readable
            or (term[1][0] == NAME and term[1][1] in unit.scopes[0].names)
        )

    def _call(
        self, term: Term, arguments: tuple[Term | None, ...], place: Place, sure: bool
    ) -> list[End]:
        """Return the ends of a call; one that is not sure is none if it leads nowhere."""
        targets = self.rules.meant("calls", self.targets(term, place))
        held = [target for target in targets if self._holds_callee(target.symbol)]
        ends = [end for target in held if (end := self._read_end("accesses", target)) is not None]
        callees = self._defined(
            self.rules.overloads(self.resolver, self._callees(targets), arguments, place)
        )
        project = {id(target.symbol) for target in callees if target.symbol is not None}
        for callee in callees:
            if callee.symbol is not None:
                via = "conditional" if len(project) > 1 else callee.via
                ends += self._called_symbol(callee.symbol, arguments, place, via, sure)
            elif callee.value is not None and term[-1] != HEIR:
                name = callee.value[1]
                kinds = ["uses" if self.rules.is_outside_type(name) else "calls", "uses"]
                ends += [End(kind, "", None, name) for kind in kinds[: 1 + (term[0] == CONSTRUCT)]]
        is_literal = term[0] == LAMBDA or (
            self.rules.knows_literals
            and any(target.value is not None and target.value[3:] == ("",) for target in targets)
        )
        return ends if callees or not sure or is_literal else [*ends, End("calls")]

    def _defined(self, targets: Iterable[Target]) -> list[Target]:
        """Return the definitions of targets."""
        definitions = self.rules.definitions
        return _unique(
            [
                Target(target.via, symbol) if symbol else target
                for target in targets
                for symbol in (target.symbol and definitions(self.resolver, target.symbol))
                or (None,)
            ]
        )

    @staticmethod
    def _holds_callee(symbol: CodeSymbol | None) -> bool:
        """Tell whether calling a symbol reads it: a variable or a property."""
        return (
            symbol is not None
            and symbol.kind not in (*TYPES, "module")
            and "accessor" not in symbol.flags
            and (symbol.kind not in CALLABLES or "property" in symbol.flags)
        )

    def _callees(self, targets: Iterable[Target]) -> list[Target]:
        """Return the functions and types that targets are, or that variables hold."""
        callees: list[Target] = []
        for target in targets:
            if target.symbol is None:
                callees += self._called_values(target.value, target.via)
            elif self._holds_callee(target.symbol):
                callees += self._called_values(self.value_of(target.symbol), target.via)
            else:
                callees.append(target)
        return _unique(callees)

    def _called_values(self, value: Value | None, via: str) -> Iterator[Target]:
        for part in parts(value):
            if part[0] in (TYPE, FUNCTION):
                yield Target(via, part[1])
            elif part[0] == OUTSIDE:
                yield Target(via, None, part)
            elif part[0] == CALLABLE and len(part) == 4 and part[3]:
                yield Target(via, None, (OUTSIDE, part[3]))
            elif part[0] == INSTANCE:
                for called in parts(self.resolver.member(part, self.rules.call_method)):
                    if called[0] == FUNCTION:
                        yield Target(via, called[1])

    def _called_symbol(
        self,
        symbol: CodeSymbol,
        arguments: tuple[Term | None, ...],
        place: Place,
        via: str,
        sure: bool,
    ) -> list[End]:
        """Return the ends of a call of a function, or of the constructor of a type."""
        if symbol.kind not in TYPES:
            is_abstract = via in self.rules.virtual and self._is_of_interface(symbol)
            via = "interface" if is_abstract or "pure" in symbol.flags else via
            return [End("calls", via, symbol)]
        ends = [End("uses", via, symbol)]
        if self.rules.calls_convert:
            return ends
        name = self.rules.constructor + self.rules.call_suffix
        made = self.resolver.own_member(symbol, name)
        if not made and self.rules.inherits_constructors:
            made = self.resolver.find((TYPE, symbol, ()), name)
        constructors = [
            Target(via, unit.symbols[one[B_SYMBOL]]) for unit, one in made if one[B_SYMBOL] >= 0
        ]
        chosen = self.rules.overloads(self.resolver, constructors, arguments, place)
        if not chosen and sure and symbol.kind == "type" and "alias" not in symbol.flags:
            ends.append(End("calls", via, symbol))
        return ends + [End("calls", via, target.symbol) for target in chosen if target.symbol]

    def _add_project(self, owner: str, kind: str, symbol: CodeSymbol, line: int, via: str) -> None:
        ends = [one.id for one in self.rules.definitions(self.resolver, symbol) if one.id]
        for end in () if self.rules.strict_uses and kind == "uses" and ends == [owner] else ends:
            self.add(owner, kind, end, line, via if len(ends) == 1 else "conditional")

    @staticmethod
    def _is_of_interface(symbol: CodeSymbol) -> bool:
        if "static" in symbol.flags or (symbol.attached_to is None and symbol.parent == FILE):
            return False
        return (symbol.attached_to or symbol.unit.symbols[symbol.parent]).kind == "interface"

    def _read(self, kind: str, term: Term, place: Place, sure: bool) -> list[End]:
        """Return the ends of a read, a write or a use of a type."""
        targets = self._defined(self.rules.meant(kind, self.targets(term, place, follow=False)))
        if len({id(target.symbol) for target in targets if target.symbol is not None}) > 1:
            targets = [target._replace(via="conditional") for target in targets]
        if kind == "uses" and (self.rules.strict_uses or not sure):
            targets = [
                target
                for target in targets
                if (sure if target.symbol is None else target.symbol.kind in TYPES)
            ]
        leaves = sure and not targets and (self.rules.leaves_reads or kind == "uses")
        if leaves and not self._is_known(term, place):
            return [End(kind)]
        return [end for target in targets if (end := self._read_end(kind, target)) is not None]

    def _read_end(self, kind: str, target: Target) -> End | None:
        """Return the end of a read of a target, if that is a relation."""
        symbol, value = target.symbol, target.value
        if symbol is None:
            is_outside = value is not None and value[0] == OUTSIDE
            outside_kind = self.rules.outside_kind(kind, value) if value and is_outside else ""
            return End(outside_kind, "", None, value[1]) if value and outside_kind else None
        is_function, is_property = symbol.kind in CALLABLES, "property" in symbol.flags
        if symbol.kind in TYPES or (is_function and not is_property and kind == "accesses"):
            kind = "uses"
        elif is_function and is_property and self.rules.properties_are_called:
            kind = "calls"
        elif (is_function and not is_property) or not self.rules.is_shared(symbol):
            return None
        return End(kind, target.via, symbol)

    def _is_known(self, term: Term, place: Place) -> bool:
        """Tell whether a name is a local, or a member of something known."""
        if term[0] == NAME:
            return bool(self.resolver.lookup(place.unit, place.scope, term[1], place.position)[0])
        return term[0] == MEMBER and self.resolver.evaluate(term[1], place) is not None

    def _leave(self, owner: str, kind: str, term: Term, line: int) -> None:
        """Keep a reference that could not be resolved.

        A read of a member only if something of the project has its name."""
        text, name = (
            text_of(term, self.rules.words),
            str(term[2 if term[0] == MEMBER else 1]) if term[0] in (NAME, MEMBER) else "",
        )
        if suffix := self.rules.call_suffix:
            text, name = text.replace(suffix, ""), name.removesuffix(suffix)
        count = (self.callables if kind == "calls" else self.values)[name]
        if kind == "calls" or term[0] == NAME or (count and self.rules.leaves_members):
            self.loose.append(Loose(owner, kind, text, line, name, count))

    # --- targets

    def targets(self, term: Term, place: Place, follow: bool = True) -> list[Target]:
        """Return what a reference means; `follow` says whether values of locals count."""
        return self.rules.candidates(self._targets(term, place, follow), place)

    def _targets(self, term: Term, place: Place, follow: bool) -> list[Target]:
        if term[0] == NAME:
            found, step = self.resolver.lookup(place.unit, place.scope, term[1], place.position)
            if found:
                return self.rules.with_steps(self._of_bindings(found, step, follow), place)
            if starred := self.resolver.starred(place.unit, term[1]):
                return self._of_bindings(starred, "import", follow)
            return self._of_value(self.resolver.beyond(place.unit, term[1]), "import")
        if term[0] == MEMBER:
            if term[1] is None:
                return []
            via = "receiver" if term[1][0] in (THIS, SUPER, OWN_TYPE) else "type"
            return _unique(
                [
                    target
                    for value in self.resolver.owners(term[1], place)
                    for target in self._of_member(
                        value,
                        term[2],
                        self._module_step(term, place) if value[0] == MODULE else via,
                        follow,
                    )
                ]
            )
        if term[0] == IMPORT:
            return self._imported(place.unit, term, 0)
        if term[0] == CONSTRUCT:
            return self.targets(term[1][1] if term[1][0] == GENERIC else term[1], place, follow)
        return self._of_value(self.resolver.evaluate(term, place), "type")

    def _of_member(self, value: Value, name: str, via: str, follow: bool) -> list[Target]:
        resolver = self.resolver
        if value[0] in (TYPE, INSTANCE, "bases") or (
            value[0] == FUNCTION and value[1].outer_members
        ):
            if found := resolver.find(value, name):
                return self._of_bindings(found, via, follow)
        elif value[0] == MODULE and (found := self.rules.exported(resolver, value[1], name)):
            return self._of_bindings(found, via, follow)
        return self._of_value(resolver.member(value, name), via)

    def _module_step(self, term: Term, place: Place) -> str:
        """Return the step that found the first name of a path into a module."""
        while term[0] == MEMBER and term[1] is not None:
            term = term[1]
        if term[0] != NAME:
            return "import"
        found, step = self.resolver.lookup(place.unit, place.scope, term[1], place.position)
        return "import" if not found or any(is_import(one) for _, one in found) else step

    def _of_bindings(
        self, found: Iterable[FoundBinding], via: str, follow: bool, depth: int = 0
    ) -> list[Target]:
        targets: list[Target] = []
        for unit, binding in found:
            term = binding[B_VALUE]
            if binding[B_SYMBOL] != NO_SYMBOL:
                targets.append(Target(via, unit.symbols[binding[B_SYMBOL]]))
            elif term is not None and term[0] == IMPORT:
                targets += self._imported(unit, term, depth)
            elif follow:
                targets += self._of_value(self.resolver.evaluate_binding(unit, binding), via)
        return _unique(targets)

    def _imported(self, unit: Unit, term: Term, depth: int) -> list[Target]:
        """Return what an import leads to, through modules that import it in their turn."""
        resolver, member = self.resolver, term[2]
        if member is not None and depth < MAX_REEXPORTS:
            for value in parts(self.rules.imported(resolver, unit, term[1], None)):
                if found := resolver.exports(value, member):
                    return self._of_bindings(found, "import", True, depth + 1)
        return self._of_value(self.rules.imported(resolver, unit, term[1], member), "import")

    @staticmethod
    def _of_value(value: Value | None, via: str) -> list[Target]:
        return [
            Target(via, part[1]) if part[0] in (TYPE, FUNCTION) else Target(via, None, part)
            for part in parts(value)
        ]

    def value_of(self, symbol: CodeSymbol) -> Value | None:
        """Return the value that a variable or property holds."""
        if symbol.kind in CALLABLES:
            return self.resolver.symbol_value(symbol)
        found = [
            (symbol.unit, binding)
            for binding in symbol.unit.scopes[symbol.scope].names.get(symbol.name, ())
            if binding[B_SYMBOL] in (symbol.number, NO_SYMBOL)
        ]
        return self.resolver.evaluate_bindings(found, END)


def _unique(targets: list[Target]) -> list[Target]:
    return list(dict.fromkeys(targets)) if len(targets) > 1 else targets


class LinkRules(ResolveRules):
    """Which links and nodes a language has."""

    def canonical(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        """Return the name of a symbol as shown, and its unique name."""
        return self.separator.join([symbol.unit.name, *symbol.path()]), ""

    def imported_ends(
        self, resolver: Resolver, unit: Unit, path: str, member: str
    ) -> Sequence[Unit | CodeSymbol | str]:
        """Return the files, symbols and nodes that an import leads to."""
        values = parts(self.imported(resolver, unit, path, None))
        modules = [value[1] for value in values if value[0] == MODULE]
        return [file for module in modules for file in resolver.units_of.get(module, ())]

    def import_kind(self, path: str, member: str) -> str:
        """Return the kind of something imported that is not in the project."""
        return "module"

    def outside_path(self, resolver: Resolver, unit: Unit, path: str, member: str) -> str:
        """Return the name of an imported path that is not in the project."""
        return path

    def is_native(self, name: str) -> bool:
        """Tell whether something outside belongs to the language and its standard library."""
        return name in self.builtins

    def meant(self, kind: str, targets: list[Target]) -> list[Target]:
        """Return those of several declarations of a name that a reference of a kind means."""
        return targets

    def outside_kind(self, kind: str, value: Value) -> str:
        """Return the kind of the link to something outside that is read; empty for none."""
        return kind

    def with_steps(self, targets: list[Target], place: Place) -> list[Target]:
        """Return what a name means with the step that found it."""
        return targets

    def package_of(self, name: str) -> str:
        """Return the path that something external is imported from."""
        return name.partition(self.separator)[0]

    def base_relations(self, relation: str, symbol: CodeSymbol, target: Target) -> tuple[str, ...]:
        """Return the kinds of links from a type to one of its bases; "" is no link."""
        return (relation,) if relation else ()

    def is_shared(self, symbol: CodeSymbol) -> bool:
        """Tell whether reading and writing a variable are relations: not of locals and fields."""
        return symbol.kind in ("variable", "constant") or "static" in symbol.flags

    def is_candidate(self, symbol: CodeSymbol) -> bool:
        """Tell whether an unresolved call of its name may mean a symbol."""
        return symbol.kind in CALLABLES or symbol.kind in TYPES

    def overloads(
        self,
        resolver: Resolver,
        callees: list[Target],
        arguments: tuple[Term | None, ...],
        place: Place,
    ) -> list[Target]:
        """Return those of several functions of one name that a call may mean."""
        return callees

    def outside_node(self, name: str, kind: str) -> tuple[str, str]:
        """Return the name and kind that something outside is shown with."""
        return name, kind

    def is_outside_type(self, name: str) -> bool:
        """Tell whether calling something outside is a conversion."""
        return False

    def candidates(self, targets: list[Target], place: Place) -> list[Target]:
        """Return what a reference in a file can mean, of several declarations of one name."""
        return targets

    def definitions(self, resolver: Resolver, symbol: CodeSymbol) -> Sequence[CodeSymbol]:
        """Return the symbols that a declaration stands for: itself, or its definitions."""
        return (symbol,)

    def finish(self, linker: "Linker") -> None:
        """Add links that no reference makes, such as those of structural interfaces."""

    def notes(self, resolver: Resolver) -> list[str]:
        """Return what a reader of the graph should know."""
        return []
