"""Extract bound names, types and expressions, and the references in them.

The captures of a query are:

- `@binding.<kind>`: a name that a scope binds, with its `@type` and its `@value`,
- `@type.name`: the name of a type,
- `@expression.<op>`: an expression with its `@target`, `@name`, `@type`, `@arguments` or parts,
- `@flag.<flag>`: a flag of the definition or binding `@of`,
- `@skip`: a name that is no reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ghostmem.outline.facts import Binding, Expression, Ref, Term
from ghostmem.outline.languages.shared.syntax import MAX_DEPTH, line_of, short, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ghostmem.outline.extract import Extraction, Region
    from ghostmem.outline.query import QueryMatch

MAX_TEXT = 200  # characters of a name, a signature or a base, as written
MAX_REFERENCE = 80  # characters of a reference in a body, as written
UNKNOWN = -1
REPLACED = frozenset({"same", "assign", "update"})  # expressions with the value of another
PLAIN = frozenset({"member", "method"})  # expressions that read or write a member
CALLS = frozenset({"call", "plain_call", "super_call", "new", "constructor", "enum_constant"})


@dataclass(slots=True)
class Bodies:
    """The expressions and bindings of a file while its matches are added in order."""

    extraction: Extraction
    # expressions without their operands, the node of the target, and those of the parts
    drafts: list[tuple[Expression, Node | None, list[Node]]] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)  # node: number of its expression
    same: dict[int, int] = field(default_factory=dict)  # node: the node with its value
    written: dict[int, str] = field(default_factory=dict)  # node: assign or update
    flags: dict[int, list[str]] = field(default_factory=dict)  # node: flags
    values: list[tuple[int, str, Node]] = field(default_factory=list)  # binding, op, node
    flagged: list[tuple[int, int]] = field(default_factory=list)  # node, binding
    declared: dict[int, tuple[int, ...]] = field(default_factory=dict)  # symbol: its nodes
    reads: list[tuple[int, Ref]] = field(default_factory=list)  # node, reference
    lambdas: list[int] = field(default_factory=list)
    terms: dict[tuple[int, int], int] = field(default_factory=dict)

    def add_flag(self, match: QueryMatch, _region: Region) -> None:
        """Add a flag to a node."""
        self.flags.setdefault(match.nodes["of"][0].id, []).append(match.kind)

    def define(self, match: QueryMatch, number: int, region: Region) -> None:
        """Complete a definition: its declared type, its flags, and the base of a nameless one."""
        symbols = self.extraction.facts.symbols
        symbols[number] = symbols[number]._replace(
            term=self.term(match.get("type"), region.scope),
            flags=tuple((match.settings.get("flag") or "").split()),
        )
        name = match.get("name")
        nodes = [match.node, match.get("declaration"), name.parent if name is not None else None]
        self.declared[number] = tuple(node.id for node in nodes if node is not None)
        if "base" in match.settings:
            self._nameless_base(match, number, region)

    def _nameless_base(self, match: QueryMatch, number: int, region: Region) -> None:
        base = match.get("base")
        if base is None:
            terms = self.extraction.facts.terms
            terms.append(Term("own", str(region.owner), region.scope))
            term, text, line = len(terms) - 1, "", line_of(match.node)
        else:
            term, text, line = self.term(base, region.scope), short(base), line_of(base)
        self.extraction.facts.refs.append(
            Ref("extends", number, text, line, match.settings["base"], region.scope, term=term)
        )

    def term(self, node: Node | None, scope: int, depth: int = 0) -> int:
        """Return the number of a written type, UNKNOWN if nothing is known of it."""
        rule = self.extraction.rules.term
        if node is None or rule is None or depth > MAX_DEPTH:
            return UNKNOWN
        if (node.id, scope) not in self.terms:
            made = rule(self, node, scope, depth + 1)
            terms = self.extraction.facts.terms
            if made is not None:
                terms.append(made)
            self.terms[node.id, scope] = len(terms) - 1 if made is not None else UNKNOWN
        return self.terms[node.id, scope]

    def add_type(self, match: QueryMatch, region: Region) -> None:
        """Add a reference to a type; the parts of its name are no references."""
        if match.node.named_child_count:
            closed = region._replace(stop=match.node.end_byte, opaque=True)
            self.extraction.regions.append(closed)
        term = self.term(match.node, region.scope)
        if term != UNKNOWN:
            text, line = short(match.node, MAX_REFERENCE), line_of(match.node)
            ref = Ref("uses", region.owner, text, line, None, region.scope, term=term)
            self.extraction.facts.refs.append(ref)

    def add_binding(self, match: QueryMatch, region: Region) -> None:
        """Add a name that a scope binds."""
        bindings, kind = self.extraction.facts.bindings, match.kind
        term = self.term(match.get("type"), region.scope)
        number, value = len(bindings), match.get("value")
        if kind == "element" and term == UNKNOWN and value is not None:
            self.values.append((number, "element", value))
        elif value is not None and kind != "element":
            self.values.append((number, "", value))
        elif kind == "parameter" and self.lambdas and term == UNKNOWN:
            self.values.append((number, "parameter", match.node))
        name = text_of(match.get("name"))[:MAX_TEXT]
        bindings.append(Binding(region.scope, name, "local" if kind == "element" else kind, term))
        self.flagged.append((match.node.id, number))

    def add_expression(self, match: QueryMatch, region: Region) -> None:
        """Add an expression, and the references in it."""
        nodes, op = match.nodes, match.kind
        if op in REPLACED:
            if "target" in nodes:
                self.same[match.node.id] = nodes["target"][0].id
            if op != "same":
                self.written[nodes["left"][0].id] = op
            return
        number = self.numbers[match.node.id] = len(self.drafts)
        if op == "name":
            name = text_of(match.node)[:MAX_TEXT]
            self.drafts.append((Expression(op, region.scope, name), None, []))
            self._read(match.node, name, region, number)
            return
        parts = [nodes[part][0] for part in ("part", "other") if part in nodes]
        if "arguments" in nodes:
            arguments = nodes["arguments"][0].named_children
            parts = [argument for argument in arguments if "comment" not in argument.type]
        name = match.settings.get("type") or text_of(match.get("name"))[:MAX_TEXT]
        term = self.term(match.get("type"), region.scope)
        expression = Expression(op, region.scope, name, term=term)
        self.drafts.append((expression, match.get("target"), parts))
        if op == "function":
            self.lambdas.append(number)
        elif op in CALLS:
            text, line = self._call_text(match)
            ref = Ref("calls", region.owner, text, line, None, region.scope, number)
            self.extraction.facts.refs.append(ref)
        elif op in PLAIN:
            self._read(match.node, short(match.node, MAX_REFERENCE), region, number)

    def _read(self, node: Node, text: str, region: Region, number: int) -> None:
        text, line = text[:MAX_REFERENCE], line_of(node)
        ref = Ref("accesses", region.owner, text, line, None, region.scope, number)
        self.reads.append((node.id, ref))

    def _call_text(self, match: QueryMatch) -> tuple[str, int]:
        """Return a call as written, without its arguments, and their line."""
        arguments = match.get("arguments")
        if match.kind == "new":
            node = match.nodes["type"][0]
            return short(node, MAX_REFERENCE), line_of(node)
        if match.kind == "constructor":
            return short(match.get("name"), MAX_TEXT), line_of(match.node)
        if match.kind == "enum_constant" or arguments is None:
            return short(match.node, MAX_REFERENCE), line_of(match.node)
        raw = self.extraction.source[match.node.start_byte : arguments.start_byte][:400]
        text = " ".join(raw.decode("utf-8", "replace").split())
        return text[-MAX_REFERENCE:], line_of(arguments)

    def number(self, node: Node | None) -> int:
        """Return the number of a node's expression, UNKNOWN if it has none."""
        if node is None:
            return UNKNOWN
        place, depth = node.id, 0
        while place in self.same and depth < MAX_DEPTH:
            place, depth = self.same[place], depth + 1
        return self.numbers.get(place, UNKNOWN)

    def finish(self) -> None:
        """Replace nodes by numbers, and add flags, reads and writes."""
        facts = self.extraction.facts
        facts.expressions += [
            Expression(*draft[:3], self.number(target), draft.term, tuple(map(self.number, parts)))
            if target is not None or parts
            else draft
            for draft, target, parts in self.drafts
        ]
        self._finish_bindings()
        for number, nodes in self.declared.items():
            flags = [flag for node in nodes for flag in self.flags.get(node, ())]
            symbol = facts.symbols[number]
            facts.symbols[number] = symbol._replace(
                flags=tuple(dict.fromkeys((*symbol.flags, *flags)))
            )
        bound = {(one.scope, one.name) for one in facts.bindings if one.kind != "type"}
        for node, ref in self.reads:
            if self._is_local(facts.expressions[ref.expression], bound):
                continue
            how = self.written.get(node, "")
            if how != "assign":
                facts.refs.append(ref)
            if how:
                facts.refs.append(ref._replace(kind="assigns"))
        if self.extraction.rules.complete is not None:
            self.extraction.rules.complete(facts)

    def _is_local(self, one: Expression, bound: set[tuple[int, str]]) -> bool:
        """Tell whether a plain name is bound in the body around it."""
        scopes, scope = self.extraction.facts.scopes, one.scope
        while one.op == "name" and scopes[scope].kind in ("block", "function"):
            if (scope, one.name) in bound:
                return True
            scope = scopes[scope].parent
        return False

    def _finish_bindings(self) -> None:
        facts = self.extraction.facts
        parameters = self._parameters()
        for number, op, node in self.values:
            value = self.number(node)
            if op == "parameter":
                value = UNKNOWN
                if number in parameters:
                    facts.expressions.append(parameters[number])
                    value = len(facts.expressions) - 1
            elif op == "element" and value != UNKNOWN:
                scope = facts.bindings[number].scope
                facts.expressions.append(Expression("element", scope, target=value))
                value = len(facts.expressions) - 1
            facts.bindings[number] = facts.bindings[number]._replace(value=value)
        for flagged, number in self.flagged:
            if flagged in self.flags:
                flags = tuple(self.flags[flagged])
                facts.bindings[number] = facts.bindings[number]._replace(flags=flags)

    def _parameters(self) -> dict[int, Expression]:
        """Return the expressions of the parameters of function literals, by their bindings."""
        facts = self.extraction.facts
        literals = {facts.expressions[literal].scope: literal for literal in self.lambdas}
        places = Counter[int]()
        found = {}
        for number, one in enumerate(facts.bindings):
            if one.kind == "parameter" and one.scope in literals:
                place = str(places[one.scope])
                found[number] = Expression("parameter", one.scope, place, literals[one.scope])
                places[one.scope] += 1
        return found


# by the role of a match: the method that adds it
ROLES: dict[str, Callable[[Bodies, QueryMatch, Region], None]] = {
    "flag": Bodies.add_flag,
    "type": Bodies.add_type,
    "binding": Bodies.add_binding,
    "expression": Bodies.add_expression,
}
