"""Build the trees of relations that an outline shows, of limited depth and size.

The result does not depend on the order of the nodes in the graph."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.outline.find import bare
from ghostmem.outline.graph import KINDS, NATIVE, PROJECT, REVERSE, Loose, OutlineNode
from ghostmem.outline.stored_graph import StoredGraph

MAX_DEPTH = 10
ROOTS_AT_ONCE = 32  # roots whose relations are read together
CYCLE, SEEN = "↩", "…"
BACK = REVERSE | {back: kind for kind, back in REVERSE.items()}
_TEST = re.compile(
    r"(^|/)(tests?|__tests__|spec|testdata)/|\.Tests?/|(^|/)(test_[^/]*|conftest)\.py$"
    r"|[^/]_(test|spec)\.\w+$"
    r"|\.(test|spec)\.\w+$|[^/](Tests?|TestCase)\.(java|kt|cs|php)$"
)


@dataclass(frozen=True)
class Options:
    """The depth and size of an outline, and the relations and nodes that it shows."""

    depth: int = 2
    relations: tuple[str, ...] = ()  # empty: all
    omit_native: bool = False
    max_nodes: int = 2000
    include_tests: bool = True
    offset: int = 0  # roots to skip: those of earlier pages

    @classmethod
    def checked(cls, relations: object = (), **fields: Any) -> "Options":
        """Return options from arguments of any type; a wrong one is an error."""
        for name, least, most in (
            ("depth", 0, MAX_DEPTH),
            ("max_nodes", 1, None),
            ("offset", 0, None),
        ):
            number = fields.get(name, least)
            is_integer = isinstance(number, int) and not isinstance(number, bool)
            if not is_integer or number < least or (most is not None and number > most):
                limit = "" if most is None else f" to {most}"
                raise InvalidInputError(
                    f"{name} is {number!r}", f"{name} is an integer from {least}{limit}"
                )
        several = isinstance(relations, (list, tuple, set, frozenset))
        wanted: Any = relations if several else (relations,) if relations else ()
        if unknown := [kind for kind in wanted if kind not in KINDS]:
            raise InvalidInputError(
                f"unsupported relation {unknown[0]!r}", f"the relations are: {', '.join(KINDS)}"
            )
        return cls(relations=tuple(wanted), **fields)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of relations to show, in their order."""
        return tuple(kind for kind in KINDS if kind in self.relations) if self.relations else KINDS


@dataclass(slots=True)
class Branch:
    """A node in a tree, with the line of the reference that led to it and the rule that resolved
    it.

    A mark says why the node has no relations here. `missing` is set for roots: kinds without
    relations, with the number of unresolved references of that name."""

    node: OutlineNode
    line: int = 0
    via: str = ""
    mark: str = ""
    relations: dict[str, list["Branch"]] = field(default_factory=dict)
    loose: list[Loose] = field(default_factory=list)
    missing: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Tree:
    """The trees of the roots on a page, and figures about them."""

    matches: list[Branch]
    options: Options
    found: int = 0  # roots on all pages
    relations: int = 0
    unresolved: int = 0
    truncated: bool = False  # there are more pages, or a single root is too large
    next_offset: int | None = None  # the offset of the next page
    # by id: the name to print where the canonical one is ambiguous
    labels: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def is_test(path: str) -> bool:
    """Tell whether a file is a test, by its path."""
    return bool(_TEST.search(path))


def build(
    parts: Iterable[tuple[StoredGraph, Sequence[int]]], options: Options, *, apart: bool = False
) -> Tree:
    """Return the trees of roots in one or more graphs, as many as fit on one page.

    With `apart` a root is not expanded again below the root that declares it.
    """
    tree = Tree([], options)
    builders: list[tuple[_Builder, int]] = []
    for graph, roots in parts:
        chosen = list(dict.fromkeys(roots))
        if not options.include_tests:
            # tests stay if there are no other roots
            chosen = [root for root in chosen if not is_test(graph.file_of(root))] or chosen
        builder = _Builder(graph, options, tree)
        builder.apart = set(chosen) if apart else set()
        builders += [(builder, number) for number in chosen]
        tree.notes = sorted({*tree.notes, *graph.notes})
    tree.found = len(builders)
    _fill_page(tree, builders)
    return tree


def _fill_page(tree: Tree, builders: Sequence[tuple["_Builder", int]]) -> None:
    """Add roots from the offset on while there is room; only the first root may be cut."""
    room = tree.options.max_nodes
    for place in range(tree.options.offset, len(builders)):
        builder, number = builders[place]
        before = tree.relations, tree.unresolved
        builder.expanded.clear()
        if (place - tree.options.offset) % ROOTS_AT_ONCE == 0:
            page = builders[place : place + ROOTS_AT_ONCE]
            builder.graph.load(root for each, root in page if each is builder)
        builder.room = room - 1
        branch = builder.root(number)
        if builder.room < 0 and tree.matches:
            tree.relations, tree.unresolved = before
            tree.truncated, tree.next_offset = True, place
            return
        tree.matches.append(branch)
        room = builder.room
        if room < 0:
            tree.truncated = True
            tree.next_offset = place + 1 if place + 1 < len(builders) else None
            return


# a branch to be expanded, its number, its path from the root, and the relation that led to it
_Waiting = tuple[Branch, int, tuple[int, ...], str]


class _Builder:
    """Builds trees of one graph, within the room that a page has left."""

    def __init__(self, graph: StoredGraph, options: Options, tree: Tree) -> None:
        self.graph, self.options, self.tree = graph, options, tree
        self.kinds = options.kinds
        self.expanded: set[int] = set()
        self.apart: set[int] = set()  # roots that are not expanded below another
        self.room = options.max_nodes  # below zero if the tree is cut

    def root(self, number: int) -> Branch:
        """Return the tree of a root."""
        branch = self.branch(number)
        if self.options.depth:
            waiting: deque[_Waiting] = deque([(branch, number, (), "")])
            while waiting and self.room >= 0:
                self.expand(waiting)
            if branch.node.kind != "file" and self.room >= 0:
                branch.missing = self.missing(branch)
        return branch

    def branch(self, number: int, line: int = 0, via: str = "") -> Branch:
        """Return a branch without relations, and remember the label of its node."""
        node = self.graph.nodes([number])[number]
        if label := self.graph.label(node):
            self.tree.labels[node.id] = label
        return Branch(node, line, via)

    def expand(self, waiting: deque[_Waiting]) -> None:
        """Add the relations of the next node; its children wait until their level is complete."""
        branch, number, path, came = waiting.popleft()
        if number in self.expanded:
            branch.mark = SEEN
            return
        self.graph.load([number, *(waits for _, waits, *_ in waiting)])
        branch.loose = [each for each in self.graph.loose(number) if each.kind in self.kinds]
        self.tree.unresolved += len(branch.loose)
        related = self.graph.related(number)
        path = (*path, number)
        for kind in (kind for kind in self.kinds if kind in related):
            without = path[-2] if kind == BACK.get(came) else None
            ends = self.wanted(end for end in sorted(related[kind]) if end != without)
            self.graph.load_nodes(ends[: max(0, self.room)])
            for other in ends:
                self.room -= 1
                if self.room < 0:  # the tree is cut
                    return
                child = self.branch(other, *related[kind][other])
                branch.relations.setdefault(kind, []).append(child)
                self.tree.relations += 1
                if other in path:
                    child.mark = CYCLE
                elif other in self.expanded or (kind == "declares" and other in self.apart):
                    child.mark = SEEN
                elif child.node.origin == PROJECT and len(path) < self.options.depth:
                    waiting.append((child, other, path, kind))
        if branch.relations or branch.loose:
            self.expanded.add(number)

    def wanted(self, numbers: Iterable[int]) -> list[int]:
        """Return the nodes that the options include."""
        tests, native = self.options.include_tests, not self.options.omit_native
        if tests and native:
            return list(numbers)
        return [
            number
            for number, node in self.graph.nodes(numbers).items()
            if (tests or node.origin != PROJECT or not is_test(node.file))
            and (native or node.origin != NATIVE)
        ]

    def missing(self, branch: Branch) -> dict[str, int]:
        """Return the requested kinds without relations, each with the number of unresolved
        references of the node's name.
        """
        references = self.graph.loose_named(bare(branch.node.name))
        owners = set(self.wanted({owner for _, owner in references}))
        named = Counter(
            BACK[kind] for kind, owner in references if kind in BACK and owner in owners
        )
        asked = {*self.options.relations, *named}
        # without known calls there are no callers to miss
        if branch.node.kind in {"function", "method"} and self.graph.knows_calls:
            asked.add("calledBy")
        return {
            kind: named[kind]
            for kind in self.kinds
            if kind in asked and kind not in branch.relations
        }
