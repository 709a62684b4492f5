"""Run the query of a language on a syntax tree, and put its matches in order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Language as Grammar
from tree_sitter import Query, QueryCursor

if TYPE_CHECKING:
    from tree_sitter import Node

    from ghostmem.outline.rules import Rules

ROLES = (
    *("definition.", "scope.", "base.", "import"),
    *("flag.", "binding.", "skip", "type.", "expression."),
)
CLAIMING = frozenset({"skip", "base", "type", "binding"})  # roles whose node is no expression
CLAIMED = frozenset({"type", "expression", "binding"})  # roles that another may exclude

Settings = dict[str, str | None]


class Pattern(NamedTuple):
    """A pattern of a query: the capture with its role, the parts of its name, and the settings."""

    capture: str
    role: str
    kind: str
    settings: Settings


class QueryMatch(NamedTuple):
    """A match of a pattern: the node with the role, and the nodes of all captures."""

    role: str
    kind: str
    settings: Settings
    node: Node
    nodes: dict[str, list[Node]]

    def get(self, name: str) -> Node | None:
        """Return a captured node."""
        found = self.nodes.get(name)
        return found[0] if found else None


@cache
def _query_of(rules: Rules) -> tuple[Query, dict[int, Pattern]]:
    """Return the compiled query of a language, and the cache of its patterns."""
    path = Path(__file__).parent / "languages" / "queries" / f"{rules.name}.scm"
    return Query(Grammar(rules.grammar()), path.read_text(encoding="utf-8")), {}


def matches(rules: Rules, root: Node) -> Iterator[QueryMatch]:
    """Yield the matches in the order of the source, outer nodes before inner ones.

    Of several matches for one node the first pattern counts; a definition is identified by its
    name.
    """
    query, patterns = _query_of(rules)
    found: list[tuple[int, int, int, int, Node, dict[str, list[Node]]]] = []
    for number, nodes in QueryCursor(query).matches(root):
        if number not in patterns:
            capture = next(name for name in nodes if name.startswith(ROLES))
            role, _, kind = capture.partition(".")
            patterns[number] = Pattern(capture, role, kind, query.pattern_settings(number))
        node = nodes[patterns[number].capture][0]
        start = node.start_byte
        found.append((start, start - node.end_byte, number, len(found), node, nodes))
    found.sort()
    taken: set[tuple[str, int]] = set()  # role and node, of a definition also where its name is
    claimed: set[int] = set()  # nodes that are no expressions
    for _, _, number, _, node, nodes in found:
        _, role, kind, settings = patterns[number]
        place = node.id
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
            yield QueryMatch(role, kind, settings, node, nodes)
