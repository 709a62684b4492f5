"""Extract the facts of a file with the query of its language.

A query names what it finds by captures that mean the same in every language:

- `@definition.<kind>`: a symbol, with its `@name` perhaps a `@qualifier` and type `@parameters`.
  A type or module opens a scope; of anything else the `@body`, or all of it, is closed,
- `@scope.package`: a package or namespace with its `@name`, which opens a scope,
- `@scope.opaque`: a region whose definitions are local; `@scope.transparent` is one that is not,
- `@base.extends`, `@base.implements`: a base of the definition `@of`, or of the one around it,
- `@import`, with its `@path` and perhaps a `@prefix` and an `@alias`.

A node that several patterns match is what the first of them says. `#set!` adds settings:

- `name`: the name of a definition, where `%` is the captured one; `absolute`: that name is whole,
- `kind`: the kind of a definition inside of a type, or of what is imported,
- `until end`: a package reaches to the end of the node around it,
- `within type`: the match counts only inside of a type,
- `star`: an import of everything; other settings of an import are its options, for the rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Language as Grammar
from tree_sitter import Query, QueryCursor

from ghostmem.outline.bodies import Bodies
from ghostmem.outline.facts import FILE, Facts, Import, Ref, Scope, Symbol
from ghostmem.outline.languages.shared.syntax import DEEPEST, error_lines, line_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ghostmem.outline.rules import Rules

MAX_TEXT = 200  # characters of a signature or a reference, as written
ROLES = (
    *("definition.", "scope.", "base.", "import"),
    *("flag.", "binding.", "skip", "type.", "expression."),
)
CLAIMING = frozenset({"skip", "base", "type", "binding"})  # roles whose node is no expression
CLAIMED = frozenset({"type", "expression", "binding"})  # roles that another may exclude
BODIES = frozenset({"flag", "binding", "type", "expression"})
OPENING = frozenset({"type", "interface", "module"})  # definitions that open a scope
FUNCTIONS = frozenset({"function", "method"})
MEMBERS = {"function": "method", "variable": "field"}  # kinds inside of a type

Settings = dict[str, str | None]


class Pattern(NamedTuple):
    """What a pattern of a query finds: the capture with its role, its parts, and the settings."""

    capture: str
    role: str
    kind: str
    settings: Settings


class QueryMatch(NamedTuple):
    """What a pattern found: the node with the role, and the other captures."""

    pattern: Pattern
    node: Node
    nodes: dict[str, list[Node]]

    @property
    def settings(self) -> Settings:
        """Return the settings of the pattern."""
        return self.pattern.settings

    def get(self, name: str) -> Node | None:
        """Return a captured node."""
        found = self.nodes.get(name)
        return found[0] if found else None


class Region(NamedTuple):
    """A part of the file, and what a match inside of it belongs to."""

    start: int
    stop: int
    scope: int
    owner: int
    opaque: bool = False


WHOLE = Region(0, 0, 0, FILE)  # the file, with the first scope


@cache
def query_of(rules: Rules) -> tuple[Query, dict[int, Pattern]]:
    """Return the compiled query of a language, and where its patterns are kept once known."""
    path = Path(__file__).parent / "languages" / "queries" / f"{rules.name}.scm"
    return Query(Grammar(rules.grammar()), path.read_text(encoding="utf-8")), {}


def extract(rules: Rules, root: Node, source: bytes) -> Facts:
    """Return the facts of a file."""
    extraction = Extraction(rules, source)
    for match in _matches(*query_of(rules), root):
        extraction.add(match)
    extraction.bodies.finish()
    facts = extraction.facts
    facts.errors = sorted({*error_lines(root), *extraction.cut})
    return facts


def _matches(query: Query, patterns: dict[int, Pattern], root: Node) -> Iterator[QueryMatch]:
    """Yield the matches in the order of the source, the outer before the inner ones.

    Of several matches for one node the first pattern counts; a definition is known by its name.
    """
    found: list[tuple[int, int, int, int, Node, dict[str, list[Node]]]] = []
    for number, nodes in QueryCursor(query).matches(root):
        pattern = patterns.get(number) or _pattern(query, patterns, number, nodes)
        node = nodes[pattern.capture][0]
        start = node.start_byte
        found.append((start, start - node.end_byte, number, len(found), node, nodes))
    found.sort()
    taken: set[tuple[str, int]] = set()  # role and node, of a definition also where its name is
    claimed: set[int] = set()  # nodes that are no expressions
    for _, _, number, _, node, nodes in found:
        pattern = patterns[number]
        role, place = pattern.role, node.id
        if place in claimed and role in CLAIMED:
            continue
        named = nodes.get("name")
        if named is not None and role == "definition":
            taken.add((role, place))
            place = ~named[0].start_byte
        if (role, place) in taken:
            continue
        taken.add((role, place))
        if role in CLAIMING:
            claimed.add(node.id)
        if named is not None and role != "scope":
            claimed.add(named[0].id)
        if role != "skip":
            yield QueryMatch(pattern, node, nodes)


def _pattern(
    query: Query, patterns: dict[int, Pattern], number: int, nodes: Iterable[str]
) -> Pattern:
    capture = next(name for name in nodes if name.startswith(ROLES))
    role, _, kind = capture.partition(".")
    patterns[number] = Pattern(capture, role, kind, query.pattern_settings(number))
    return patterns[number]


@dataclass(slots=True)
class Extraction:
    """The facts of a file while its matches are taken in order."""

    rules: Rules
    source: bytes
    facts: Facts = field(default_factory=lambda: Facts(scopes=[Scope(-1, "package", "", FILE)]))
    regions: list[Region] = field(default_factory=list)
    definitions: dict[int, int] = field(default_factory=dict)  # node: number of the symbol
    depths: list[int] = field(default_factory=lambda: [0])  # of each scope
    cut: set[int] = field(default_factory=set)  # lines of what is inside of too many scopes
    bodies: Bodies = field(init=False)

    def __post_init__(self) -> None:
        self.bodies = Bodies(self)

    def add(self, match: QueryMatch) -> None:
        """Take the next match."""
        start, regions = match.node.start_byte, self.regions
        while regions and start >= regions[-1].stop:
            regions.pop()
        region = regions[-1] if regions else WHOLE
        if region.start > start:
            region = next((one for one in reversed(regions) if one.start <= start), WHOLE)
        _, role, kind, settings = match.pattern
        if role == "import":
            self._import(match)
        elif role == "base" and "of" in match.nodes:
            self._base(match, kind, region)
        elif region.opaque or ("within" in settings and region.owner == FILE):
            return
        elif role in BODIES:
            self.bodies.add(match, role, kind, region)
        elif self.depths[region.scope] > DEEPEST:
            self.cut.add(line_of(match.node))
        elif role == "definition":
            self._define(match, kind, region)
        elif role == "base":
            self._base(match, kind, region)
        else:
            self._scope(match, kind, region)

    def _scope(self, match: QueryMatch, kind: str, region: Region) -> None:
        start, stop = match.node.start_byte, match.node.end_byte
        if kind == "opaque":
            self.regions.append(region._replace(stop=stop, opaque=True))
        elif kind == "package":
            self._open_package(match, region)
        elif kind == "block":
            self.open(Scope(region.scope, "block", "", region.owner), start, stop, region.owner)

    def text(self, node: Node | None) -> str:
        """Return the source of a node on one line, cut when it is long."""
        if node is None:
            return ""
        raw = self.source[node.start_byte : min(node.end_byte, node.start_byte + 4 * MAX_TEXT)]
        return " ".join(raw.decode("utf-8", "replace").split())[:MAX_TEXT]

    def identifier(self, node: Node | None) -> str:
        """Return the source of a name, nothing without one."""
        if node is None:
            return ""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")[:MAX_TEXT]

    def _name(self, match: QueryMatch) -> str:
        name = self.rules.clean(self.text(match.get("name")))
        name = (match.settings.get("name") or "%").replace("%", name)
        before = self.text(match.get("qualifier"))
        return f"{before}{name}" if before else name

    def _define(self, match: QueryMatch, kind: str, region: Region) -> None:
        node, scope = match.node, self.facts.scopes[region.scope]
        if scope.kind == "type":
            kind = match.settings.get("kind") or MEMBERS.get(kind, kind)
        written = self._name(match)
        full = written
        if "absolute" not in match.settings:
            full = self.rules.qualify(self, scope, written, match)
        raw = self.source[node.start_byte : node.end_byte]
        lines = raw[: 4 * MAX_TEXT].decode("utf-8", "replace").strip().split("\n")
        line = next((one for one in lines if not one.lstrip().startswith("@")), "")
        number = len(self.facts.symbols)
        within = match.get("within")
        owner = region.owner if within is None else self.definitions.get(within.id, region.owner)
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
                line.strip().rstrip("{ ")[:MAX_TEXT],
                full=full,
                body=hashlib.sha256(raw).hexdigest(),
                scope=region.scope,
                arity=type_arguments(self.text(match.get("parameters"))),
            )
        )
        self.definitions[node.id] = number
        inside = match.get("body") or node
        if self.rules.term is not None:
            self.bodies.define(match, number, region)
            if kind not in OPENING and kind not in FUNCTIONS:
                return
            scope_kind = "type" if kind in OPENING else "function"
            self.facts.symbols[number] = self.facts.symbols[number]._replace(
                inner=len(self.facts.scopes)
            )
            inner = Scope(region.scope, scope_kind, full, number)
            self.open(inner, node.start_byte, node.end_byte, number)
        elif kind in OPENING:
            place = inside.start_byte, inside.end_byte
            self.open(Scope(region.scope, "type", full, number), *place, number)
        else:
            closed = Region(inside.start_byte, inside.end_byte, region.scope, number, opaque=True)
            self.regions.append(closed)

    def open(self, scope: Scope, start: int, stop: int, owner: int) -> None:
        """Open a scope in a part of the file."""
        self.facts.scopes.append(scope)
        self.depths.append(self.depths[scope.parent] + 1)
        self.regions.append(Region(start, stop, len(self.facts.scopes) - 1, owner))

    def _open_package(self, match: QueryMatch, region: Region) -> None:
        name, around = self._name(match), self.facts.scopes[region.scope].name
        if self.rules.nested_packages and around:
            name = f"{around}{self.rules.separator}{name}"
        start, outer = match.node.start_byte, match.node
        if "until" in match.settings and match.node.parent is not None:
            start, outer = match.node.end_byte, match.node.parent
        scope = Scope(region.scope, "package", name, region.owner)
        self.open(scope, start, outer.end_byte, region.owner)
        if start == match.node.end_byte:
            self.regions.append(region._replace(stop=start, opaque=True))

    def _base(self, match: QueryMatch, kind: str, region: Region) -> None:
        owner, scope = region.owner, region.scope
        if "of" in match.nodes:
            owner = self.definitions.get(match.nodes["of"][0].id, FILE)
        if owner == FILE:
            return
        if "of" in match.nodes:
            scope = self.facts.symbols[owner].scope
        text, line = self.text(match.node), line_of(match.node)
        term = self.bodies.term(match.get("type"), scope)
        self.facts.refs.append(Ref(kind, owner, text, line, scope=scope, term=term))

    def _import(self, match: QueryMatch) -> None:
        path = self.rules.clean(self.text(match.get("path")))
        if "prefix" in match.nodes:
            prefix = self.rules.clean(self.text(match.nodes["prefix"][0]))
            path = f"{prefix}{self.rules.separator}{path}"
        options = tuple(sorted(match.settings.keys() - {"star", "kind"}))
        self.regions.append(WHOLE._replace(stop=match.node.end_byte, opaque=True))
        self.facts.imports.append(
            Import(
                path,
                line_of(match.node),
                alias=self.rules.clean(self.text(match.get("alias"))),
                star="star" in match.settings,
                kind=match.settings.get("kind") or "",
                options=options,
            )
        )


def type_arguments(text: str) -> int:
    """Return how many type arguments end a type as written: 2 for `A<B>.C<D, E<F, G>>`."""
    if not text.endswith(">"):
        return 0
    depth = count = 0
    for char in reversed(text):
        depth += (char == ">") - (char == "<")
        count += char == "," and depth == 1
        if not depth:
            break
    return count + 1
