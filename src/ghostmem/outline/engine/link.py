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


End = tuple[str, Target | None]  # the kind and the end of a link; None if that is not known


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
        targets = self._defined(
            target
            for target in self._callees(self.targets(plain, Place(symbol.unit, scope, position)))
            if target.symbol is not symbol  # class Error < Error means another one
            and (target.symbol is None or target.symbol.kind in (*TYPES, "module"))
        )
        for target in targets:
            for kind in self.rules.base_relations(relation, symbol, target):
                self._add_target(start, kind, target, line)
        if not targets and relation:
            self._leave(start, relation, plain, line)

    def _add_target(self, start: str, kind: str, target: Target, line: int) -> None:
        """Add a link to a target, unless that is no node."""
        symbol, value = target.symbol, target.value
        if symbol is None and value is not None:
            self.add_outside(start, kind, value[1], line)
        elif symbol is not None and symbol.id:
            is_own = self.rules.strict_uses and kind == "uses" and symbol.id == start
            if not is_own:
                self.add(start, kind, symbol.id, line, target.via)

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
        for end_kind, target in ends:
            if target is None:
                self._leave(owner, end_kind, term, line)
            else:
                self._add_target(owner, end_kind, target, line)

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
        ends: list[End] = self._read_ends("accesses", held)
        callees = self._defined(
            self.rules.overloads(self.resolver, self._callees(targets), arguments, place)
        )
        for callee in callees:
            if callee.symbol is not None:
                ends += self._called_symbol(callee, callee.symbol, arguments, place, sure)
            elif callee.value is not None and term[-1] != HEIR:
                is_type = self.rules.is_outside_type(callee.value[1])
                ends.append(("uses" if is_type else "calls", callee))
                if term[0] == CONSTRUCT:
                    ends.append(("uses", callee))
        is_literal = term[0] == LAMBDA or (
            self.rules.knows_literals
            and any(target.value is not None and target.value[3:] == ("",) for target in targets)
        )
        return ends if callees or not sure or is_literal else [*ends, ("calls", None)]

    def _defined(self, targets: Iterable[Target]) -> list[Target]:
        """Return the definitions of targets; of several each one is conditional."""
        definitions = self.rules.definitions
        found = _unique(
            [
                Target(target.via, symbol) if symbol else target
                for target in targets
                for symbol in (target.symbol and definitions(self.resolver, target.symbol))
                or (None,)
            ]
        )
        if len(found) < 2:
            return found
        symbols = {id(target.symbol) for target in found if target.symbol is not None}
        return found if len(symbols) < 2 else [one._replace(via="conditional") for one in found]

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
                callees += self._called_values(
                    self.resolver.symbol_value(target.symbol), target.via
                )
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
        callee: Target,
        symbol: CodeSymbol,
        arguments: tuple[Term | None, ...],
        place: Place,
        sure: bool,
    ) -> list[End]:
        """Return the ends of a call of a function, or of the constructor of a type."""
        if symbol.kind not in TYPES:
            is_abstract = callee.via in ("type", "receiver") and self._is_of_interface(symbol)
            is_abstract = is_abstract or "pure" in symbol.flags
            return [("calls", callee._replace(via="interface") if is_abstract else callee)]
        ends: list[End] = [("uses", callee)]
        if self.rules.calls_convert:
            return ends
        name = self.rules.constructor + self.rules.call_suffix
        made = self.resolver.own_member(symbol, name)
        if not made and self.rules.inherits_constructors:
            made = self.resolver.find((TYPE, symbol, ()), name)
        constructors = [
            Target(callee.via, unit.symbols[one[B_SYMBOL]])
            for unit, one in made
            if one[B_SYMBOL] >= 0
        ]
        chosen = self._defined(self.rules.overloads(self.resolver, constructors, arguments, place))
        if not chosen and sure and symbol.kind == "type" and "alias" not in symbol.flags:
            ends.append(("calls", callee))
        return ends + [("calls", target) for target in chosen]

    @staticmethod
    def _is_of_interface(symbol: CodeSymbol) -> bool:
        if "static" in symbol.flags or (symbol.attached_to is None and symbol.parent == FILE):
            return False
        return (symbol.attached_to or symbol.unit.symbols[symbol.parent]).kind == "interface"

    def _read(self, kind: str, term: Term, place: Place, sure: bool) -> list[End]:
        """Return the ends of a read, a write or a use of a type."""
        targets = self._defined(self.rules.meant(kind, self.targets(term, place, follow=False)))
        if kind == "uses" and (self.rules.strict_uses or not sure):
            targets = [
                target
                for target in targets
                if (sure if target.symbol is None else target.symbol.kind in TYPES)
            ]
        leaves = sure and not targets and (self.rules.leaves_reads or kind == "uses")
        if leaves and not self._is_known(term, place):
            return [(kind, None)]
        return self._read_ends(kind, targets)

    def _read_ends(self, kind: str, targets: list[Target]) -> list[End]:
        """Return those ends of a read that are relations."""
        found = [(self._read_kind(kind, target), target) for target in targets]
        return [(relation, target) for relation, target in found if relation]

    def _read_kind(self, kind: str, target: Target) -> str:
        """Return the relation that the read of a target is; empty for none."""
        symbol, value = target.symbol, target.value
        if symbol is None:
            is_outside = value is not None and value[0] == OUTSIDE
            return self.rules.outside_kind(kind, value) if value and is_outside else ""
        is_property = "property" in symbol.flags
        if symbol.kind in TYPES:
            return "uses"
        if symbol.kind in CALLABLES and not is_property:
            return "uses" if kind == "accesses" else ""
        if symbol.kind in CALLABLES and self.rules.properties_are_called:
            return "calls"
        return kind if self.rules.is_shared(symbol) else ""

    def _is_known(self, term: Term, place: Place) -> bool:
        """Tell whether a name is a local, or a member of something known."""
        if term[0] == NAME:
            return bool(self.resolver.bindings(term[1], place)[0])
        return term[0] == MEMBER and self.resolver.evaluate(term[1], place) is not None

    def _leave(self, owner: str, kind: str, term: Term, line: int) -> None:
        """Keep a reference that could not be resolved.

        A read of a member only if something of the project has its name."""
        text, name = (
            text_of(term, self.rules.words),
            str(term[2 if term[0] == MEMBER else 1]) if term[0] in (NAME, MEMBER) else "",
        )
        name = name.rpartition(self.rules.separator)[2]
        if suffix := self.rules.call_suffix:
            text, name = text.replace(suffix, ""), name.removesuffix(suffix)
        count = (self.callables if kind == "calls" else self.values)[name]
        is_read = kind in _KINDS.values() and term[0] != NAME
        if not is_read or (count and self.rules.leaves_members):
            self.loose.append(Loose(owner, kind, text, line, name, count))

    # --- targets

    def targets(self, term: Term, place: Place, follow: bool = True) -> list[Target]:
        """Return what a reference means; `follow` says whether values of locals count."""
        return self.rules.candidates(self._targets(term, place, follow), place)

    def _targets(self, term: Term, place: Place, follow: bool) -> list[Target]:
        if term[0] == NAME:
            found, step = self.resolver.bindings(term[1], place)
            if found:
                return self._of_bindings(found, step, follow)
            return self._of_value(self.resolver.beyond(place.unit, term[1]), "import")
        if term[0] == MEMBER:
            targets: list[Target] = []
            for value in self.resolver.owners(term[1], place):
                via = self._member_step(term[1], value, place)
                if found := self.resolver.exports(value, term[2]):
                    targets += self._of_bindings(found, via, follow)
                else:
                    targets += self._of_value(self.resolver.member(value, term[2]), via)
            return _unique(targets)
        if term[0] == IMPORT:
            return self._imported(place.unit, term, 0)
        if term[0] == CONSTRUCT:
            return self.targets(term[1][1] if term[1][0] == GENERIC else term[1], place, follow)
        return self._of_value(self.resolver.evaluate(term, place), "type")

    def _member_step(self, of: Term, value: Value, place: Place) -> str:
        """Return the step that finds a member; of a module, that of the first name of its path."""
        if value[0] != MODULE:
            return "receiver" if of[0] in (THIS, SUPER, OWN_TYPE) else "type"
        while of[0] == MEMBER and of[1] is not None:
            of = of[1]
        found, step = self.resolver.bindings(of[1], place) if of[0] == NAME else ([], "")
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
