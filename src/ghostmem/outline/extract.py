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
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Language as Grammar
from tree_sitter import Query, QueryCursor

from ghostmem.outline.facts import FILE, Facts, Import, Ref, Scope, Symbol
from ghostmem.outline.languages.shared.syntax import DEEPEST, error_lines, line_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ghostmem.outline.rules import Rules

MAX_TEXT = 200  # characters of a signature or a reference, as written
ROLES = ("definition.", "scope.", "base.", "import")
OPENING = frozenset({"type", "interface", "module"})  # definitions that open a scope
MEMBERS = {"function": "method", "variable": "field"}  # kinds inside of a type

Settings = dict[str, str | None]


class Match(NamedTuple):
    """What a pattern found: its role, the node, the other captures, and the settings."""

    start: int
    size: int  # negative, so that the outer of two matches comes first
    pattern: int
    role: str
    node: Node
    captures: dict[str, Node]
    settings: Settings


class Region(NamedTuple):
    """A part of the file, and what a match inside of it belongs to."""

    start: int
    stop: int
    scope: int
    owner: int
    opaque: bool = False


WHOLE = Region(0, 0, 0, FILE)  # the file, with the first scope


@cache
def query_of(rules: Rules) -> tuple[Query, dict[int, Settings]]:
    """Return the compiled query of a language, and where settings of its patterns are kept."""
    path = Path(__file__).parent / "languages" / "queries" / f"{rules.name}.scm"
    query = Query(Grammar(rules.grammar()), path.read_text(encoding="utf-8"))
    return query, {}


def extract(rules: Rules, root: Node, source: bytes) -> Facts:
    """Return the facts of a file."""
    extraction = Extraction(rules, source)
    for match in _matches(*query_of(rules), root):
        extraction.add(match)
    facts = extraction.facts
    facts.errors = sorted({*error_lines(root), *extraction.cut})
    return facts


def _matches(query: Query, settings: dict[int, Settings], root: Node) -> Iterator[Match]:
    """Yield the matches in the order of the source, of several for one node the first."""
    found: list[Match] = []
    for pattern, nodes in QueryCursor(query).matches(root):
        if pattern not in settings:
            settings[pattern] = query.pattern_settings(pattern)
        captures = {name: some[0] for name, some in nodes.items()}
        role = next(name for name in captures if name.startswith(ROLES))
        node = captures[role]
        place = node.start_byte, node.start_byte - node.end_byte, pattern
        found.append(Match(*place, role, node, captures, settings[pattern]))
    taken: dict[tuple[int, str], set[int]] = {}  # node and sort of role: where its names stand
    for match in sorted(found, key=lambda match: match[:3]):
        named = match.captures.get("name")
        at = named.start_byte if named is not None else -1
        names = taken.setdefault((match.node.id, match.role.partition(".")[0]), set())
        if at not in names and not (at == -1 and names):
            names.add(at)
            yield match


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

    def add(self, match: Match) -> None:
        """Take the next match."""
        while self.regions and match.start >= self.regions[-1].stop:
            self.regions.pop()
        region = next((one for one in reversed(self.regions) if one.start <= match.start), WHOLE)
        role, _, kind = match.role.partition(".")
        if role == "import":
            self._import(match)
        elif role == "base" and "of" in match.captures:
            self._base(match, kind, region)
        elif region.opaque or ("within" in match.settings and region.owner == FILE):
            return
        elif self.depths[region.scope] > DEEPEST:
            self.cut.add(line_of(match.node))
        elif role == "definition":
            self._define(match, kind, region)
        elif role == "base":
            self._base(match, kind, region)
        elif kind == "opaque":
            self.regions.append(region._replace(stop=match.node.end_byte, opaque=True))
        elif kind == "package":
            self._open_package(match, region)

    def text(self, node: Node | None) -> str:
        """Return the source of a node on one line, cut when it is long."""
        if node is None:
            return ""
        raw = self.source[node.start_byte : min(node.end_byte, node.start_byte + 4 * MAX_TEXT)]
        return " ".join(raw.decode("utf-8", "replace").split())[:MAX_TEXT]

    def _name(self, match: Match) -> str:
        name = self.rules.clean(self.text(match.captures.get("name")))
        name = (match.settings.get("name") or "%").replace("%", name)
        before = self.text(match.captures.get("qualifier"))
        return f"{before}{name}" if before else name

    def _define(self, match: Match, kind: str, region: Region) -> None:
        node, scope = match.node, self.facts.scopes[region.scope]
        if scope.kind == "type":
            kind = match.settings.get("kind") or MEMBERS.get(kind, kind)
        written = self._name(match)
        full = written
        if "absolute" not in match.settings:
            full = self.rules.qualify(self, scope, written, match)
        raw = self.source[node.start_byte : node.end_byte]
        line = raw[: 4 * MAX_TEXT].decode("utf-8", "replace").strip().split("\n", 1)[0]
        number = len(self.facts.symbols)
        # not .row: with tree-sitter 0.26.0 that of a passing point is freed memory from line 257 on
        self.facts.symbols.append(
            Symbol(
                written.rpartition(self.rules.separator)[2],
                kind,
                region.owner,
                line_of(node),
                node.end_point[0] + 1,
                node.start_byte,
                node.end_byte,
                line.strip().rstrip("{ ")[:MAX_TEXT],
                full=full,
                body=hashlib.sha256(raw).hexdigest(),
                scope=region.scope,
                arity=type_arguments(self.text(match.captures.get("parameters"))),
            )
        )
        self.definitions[node.id] = number
        inside = match.captures.get("body", node)
        if kind in OPENING:
            place = inside.start_byte, inside.end_byte
            self._open(Scope(region.scope, "type", full, number), *place, number)
        else:
            closed = Region(inside.start_byte, inside.end_byte, region.scope, number, opaque=True)
            self.regions.append(closed)

    def _open(self, scope: Scope, start: int, stop: int, owner: int) -> None:
        self.facts.scopes.append(scope)
        self.depths.append(self.depths[scope.parent] + 1)
        self.regions.append(Region(start, stop, len(self.facts.scopes) - 1, owner))

    def _open_package(self, match: Match, region: Region) -> None:
        name, around = self._name(match), self.facts.scopes[region.scope].name
        if self.rules.nested_packages and around:
            name = f"{around}{self.rules.separator}{name}"
        start, outer = match.node.start_byte, match.node
        if "until" in match.settings and match.node.parent is not None:
            start, outer = match.node.end_byte, match.node.parent
        scope = Scope(region.scope, "package", name, region.owner)
        self._open(scope, start, outer.end_byte, region.owner)

    def _base(self, match: Match, kind: str, region: Region) -> None:
        owner, scope = region.owner, region.scope
        if "of" in match.captures:
            owner = self.definitions.get(match.captures["of"].id, FILE)
        if owner == FILE:
            return
        if "of" in match.captures:
            scope = self.facts.symbols[owner].scope
        text, line = self.text(match.node), line_of(match.node)
        self.facts.refs.append(Ref(kind, owner, text, line, scope=scope))

    def _import(self, match: Match) -> None:
        path = self.rules.clean(self.text(match.captures.get("path")))
        if "prefix" in match.captures:
            prefix = self.rules.clean(self.text(match.captures["prefix"]))
            path = f"{prefix}{self.rules.separator}{path}"
        options = tuple(sorted(match.settings.keys() - {"star", "kind"}))
        self.facts.imports.append(
            Import(
                path,
                line_of(match.node),
                alias=self.rules.clean(self.text(match.captures.get("alias"))),
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
