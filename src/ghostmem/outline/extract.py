"""Extract the facts of a file with the query of its language.

The captures of a query have the same meaning in every language:

- `@definition.<kind>`: a symbol, with its `@name` perhaps a `@qualifier` and type `@parameters`.
  A type or module opens a scope; of anything else the `@body`, or all of it, is closed,
- `@scope.package`: a package or namespace with its `@name`, which opens a scope,
- `@scope.opaque`: a region whose definitions are local; `@scope.transparent` is one that is not,
- `@base.extends`, `@base.implements`: a base of the definition `@of`, or of the one around it,
- `@import`, with its `@path` and perhaps a `@prefix` and an `@alias`.

If several patterns match a node, the first of them counts. `#set!` adds settings:

- `name`: the name of a definition, where `%` is the captured one; `absolute`: that name is whole,
- `kind`: the kind of a definition inside of a type, or of an imported symbol,
- `until end`: a package reaches to the end of the node around it,
- `within type`: the match counts only inside of a type,
- `star`: an import of everything; other settings of an import are its options, for the rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.outline.bodies import MAX_TEXT, ROLES, Bodies
from ghostmem.outline.facts import FILE, Facts, Import, Ref, Scope, Symbol
from ghostmem.outline.languages.shared.syntax import (
    MAX_SYMBOL_DEPTH,
    digest,
    error_lines,
    line_of,
    reparsed,
    short,
)
from ghostmem.outline.query import QueryMatch, matches

if TYPE_CHECKING:
    from tree_sitter import Node

    from ghostmem.outline.rules import Rules

OPENING = frozenset({"type", "interface", "module"})  # definitions that open a scope
FUNCTIONS = frozenset({"function", "method"})
MEMBERS = {"function": "method", "variable": "field"}  # kinds inside of a type
# before a definition: @Annotation(...), [Attribute(...)] or #[Attribute]
_ANNOTATION = re.compile(
    r"(?:@(?!interface\b)[\w.:]+(?:\((?:[^()]|\([^()]*\))*\))?|#?\[(?:[^\[\]]|\[[^\[\]]*\])*\])\s*"
)


class Region(NamedTuple):
    """A part of the file, with the scope and the owner of the matches inside of it."""

    start: int
    stop: int
    scope: int
    owner: int
    opaque: bool = False


WHOLE = Region(0, 0, 0, FILE)  # the file, with the first scope


def extract(rules: Rules, root: Node, source: bytes) -> Facts:
    """Return the facts of a file."""
    if root.has_error and rules.repair is not None:
        root = reparsed(root, rules.grammar(), rules.repair(source))
    extraction = Extraction(rules, source)
    for match in matches(rules, root):
        extraction.add(match)
    extraction.bodies.finish()
    facts = extraction.facts
    facts.errors = sorted({*error_lines(root), *extraction.cut})
    return facts


@dataclass(slots=True)
class Extraction:
    """The facts of a file while its matches are added in order."""

    rules: Rules
    source: bytes
    facts: Facts = field(default_factory=lambda: Facts(scopes=[Scope(-1, "package", "", FILE)]))
    regions: list[Region] = field(default_factory=list)
    definitions: dict[int, int] = field(default_factory=dict)  # node: number of the symbol
    depths: list[int] = field(default_factory=lambda: [0])  # of each scope
    cut: set[int] = field(default_factory=set)  # lines of nodes inside of too many scopes
    bodies: Bodies = field(init=False)

    def __post_init__(self) -> None:
        self.bodies = Bodies(self)

    def add(self, match: QueryMatch) -> None:
        """Add the next match."""
        start, regions = match.node.start_byte, self.regions
        while regions and start >= regions[-1].stop:
            regions.pop()
        region = regions[-1] if regions else WHOLE
        if region.start > start:
            region = next((one for one in reversed(regions) if one.start <= start), WHOLE)
        role = match.role
        if role == "import":
            self._import(match)
        elif role == "base" and "of" in match.nodes:
            self._base(match, region)
        elif region.opaque or ("within" in match.settings and region.owner == FILE):
            return
        elif role in ROLES:
            ROLES[role](self.bodies, match, region)
        elif self.depths[region.scope] > MAX_SYMBOL_DEPTH:
            self.cut.add(line_of(match.node))
        elif role == "definition":
            self._define(match, region)
        elif role == "base":
            self._base(match, region)
        else:
            self._scope(match, region)

    def _scope(self, match: QueryMatch, region: Region) -> None:
        if match.kind == "opaque":
            self.regions.append(region._replace(stop=match.node.end_byte, opaque=True))
        elif match.kind == "package":
            self._open_package(match, region)
        elif match.kind == "block":
            scope = Scope(region.scope, "block", "", region.owner)
            self._open(scope, match.node, region.owner)

    def text(self, match: QueryMatch, name: str) -> str:
        """Return the source of a captured node, without quotes around its parts."""
        return self.rules.clean(short(match.get(name), MAX_TEXT))

    def _name(self, match: QueryMatch) -> str:
        name = (match.settings.get("name") or "%").replace("%", self.text(match, "name"))
        return short(match.get("qualifier"), MAX_TEXT) + name

    def _define(self, match: QueryMatch, region: Region) -> None:
        node, kind, scope = match.node, match.kind, self.facts.scopes[region.scope]
        if scope.kind == "type":
            kind = match.settings.get("kind") or MEMBERS.get(kind, kind)
        full = written = self._name(match)
        if "absolute" not in match.settings:
            full = self.rules.qualify(self, scope, written, match)
        number = self.definitions[node.id] = len(self.facts.symbols)
        around = match.get("within")
        owner = region.owner if around is None else self.definitions.get(around.id, region.owner)
        # not .row: with tree-sitter 0.26.0 that of a passing point is freed memory from line 257 on
        self.facts.symbols.append(
            Symbol(
                written.rpartition(self.rules.separator)[2],
                kind,
                owner,
                line_of(node),
                node.end_point[0] + 1,
                node.start_byte,
                node.end_byte,
                _signature(self.source, node),
                full=full,
                body=digest(self.source, node),
                scope=region.scope,
                arity=type_arguments(short(match.get("parameters"), MAX_TEXT)),
            )
        )
        inside = match.get("body") or node
        if self.rules.term is not None:
            self.bodies.define(match, number, region)
            if kind in OPENING or kind in FUNCTIONS:
                symbol = self.facts.symbols[number]
                self.facts.symbols[number] = symbol._replace(inner=len(self.facts.scopes))
                scope_kind = "type" if kind in OPENING else "function"
                self._open(Scope(region.scope, scope_kind, full, number), node, number)
        elif kind in OPENING:
            self._open(Scope(region.scope, "type", full, number), inside, number)
        else:
            closed = Region(inside.start_byte, inside.end_byte, region.scope, number, opaque=True)
            self.regions.append(closed)

    def _open(self, scope: Scope, node: Node, owner: int) -> None:
        """Open a scope in a node."""
        self.facts.scopes.append(scope)
        self.depths.append(self.depths[scope.parent] + 1)
        number = len(self.facts.scopes) - 1
        self.regions.append(Region(node.start_byte, node.end_byte, number, owner))

    def _open_package(self, match: QueryMatch, region: Region) -> None:
        name, around = self._name(match), self.facts.scopes[region.scope].name
        if self.rules.nested_packages and around:
            name = f"{around}{self.rules.separator}{name}"
        node, until_end = match.node, "until" in match.settings and match.node.parent is not None
        outer = node.parent if until_end and node.parent else node
        self._open(Scope(region.scope, "package", name, region.owner), outer, region.owner)
        if until_end:
            self.regions[-1] = self.regions[-1]._replace(start=node.end_byte)
            self.regions.append(region._replace(stop=node.end_byte, opaque=True))

    def _base(self, match: QueryMatch, region: Region) -> None:
        of = match.get("of")
        owner = region.owner if of is None else self.definitions.get(of.id, FILE)
        if owner == FILE:
            return
        scope = region.scope if of is None else self.facts.symbols[owner].scope
        text, line = short(match.node, MAX_TEXT), line_of(match.node)
        term = self.bodies.term(match.get("type"), scope)
        self.facts.refs.append(Ref(match.kind, owner, text, line, scope=scope, term=term))

    def _import(self, match: QueryMatch) -> None:
        path = self.text(match, "path")
        if "prefix" in match.nodes:
            path = f"{self.text(match, 'prefix')}{self.rules.separator}{path}"
        self.regions.append(WHOLE._replace(stop=match.node.end_byte, opaque=True))
        self.facts.imports.append(
            Import(
                path,
                line_of(match.node),
                alias=self.text(match, "alias"),
                star="star" in match.settings,
                kind=match.settings.get("kind") or "",
                options=tuple(sorted(match.settings.keys() - {"star", "kind"})),
            )
        )


def _signature(source: bytes, node: Node) -> str:
    """Return the first line of a definition after its annotations."""
    start = node.start_byte
    raw = source[start : min(node.end_byte, start + 4 * MAX_TEXT)]
    text = raw.decode("utf-8", "replace").lstrip()
    while annotation := _ANNOTATION.match(text):
        text = text[annotation.end() :]
    return text.partition("\n")[0].strip().rstrip("{ ")[:MAX_TEXT]


def type_arguments(text: str) -> int:
    """Return the number of type arguments at the end of a written type: 2 for `A<B>.C<D, E<F>>`."""
    if not text.endswith(">"):
        return 0
    depth = count = 0
    for char in reversed(text):
        depth += (char == ">") - (char == "<")
        count += char == "," and depth == 1
        if not depth:
            break
    return count + 1
