"""Build the trees of relations that an outline shows, of limited depth and size.

The result does not depend on the order of the nodes in the graph."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.outline.find import bare
from ghostmem.outline.graph import KINDS, NATIVE, PROJECT, REVERSE, Loose, OutlineNode
from ghostmem.outline.stored_graph import StoredGraph
from ghostmem.store import validate

_LIMITS = {"depth": (0, 10), "max_nodes": (1,), "offset": (0,)}
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
    include_memories: bool = False

    @classmethod
    def checked(cls, relations: object = (), **fields: Any) -> "Options":
        """Return options from arguments of any type; a wrong one is an error."""
        for name, number in fields.items():
            if name in _LIMITS:
                validate.positive(number, name, *_LIMITS[name])
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
    truncated: bool = False  # there are more pages, or a single root is too large
    next_offset: int | None = None  # the offset of the next page
    notes: list[str] = field(default_factory=list)

    def branches(self) -> list[Branch]:
        """Return all branches of the trees."""
        found = list(self.matches)
        for branch in found:  # it grows meanwhile
            for children in branch.relations.values():
                found.extend(children)
        return found

    @property
    def relations(self) -> int:
        """Return the number of relations that are shown."""
        return len(self.branches()) - len(self.matches)

    @property
    def unresolved(self) -> int:
        """Return the number of unresolved references that are shown."""
        return sum(len(branch.loose) for branch in self.branches())


_Root = tuple[StoredGraph, int]


def is_test(path: str) -> bool:
    """Tell whether a file is a test, by its path."""
    return bool(_TEST.search(path))


def build(
    parts: Iterable[tuple[StoredGraph, Sequence[int]]], options: Options, *, apart: bool = False
) -> Tree:
    """Return the trees of roots in one or more graphs, as many as fit on one page.

    With `apart` a root is not expanded again below the root that declares it.
    """
    roots: list[_Root] = []
    notes: set[str] = set()
    for graph, numbers in parts:
        chosen = list(dict.fromkeys(numbers))
        if not options.include_tests:
            # tests stay if there are no other roots
            chosen = [root for root in chosen if not is_test(graph.file_of(root))] or chosen
        roots += [(graph, number) for number in chosen]
        notes.update(graph.notes)
    matches, is_cut = _page(roots, _Builder(options, set(roots) if apart else set()))
    stop = options.offset + len(matches)
    next_offset = stop if is_cut and stop < len(roots) else None
    return Tree(matches, options, len(roots), is_cut, next_offset, sorted(notes))


def _page(roots: Sequence[_Root], builder: "_Builder") -> tuple[list[Branch], bool]:
    """Return the trees from the offset on for which there is room, and whether more was to come.

    Only the first tree may be cut."""
    page: list[Branch] = []
    for place in range(builder.options.offset, len(roots)):
        graph, number = roots[place]
        if len(page) % ROOTS_AT_ONCE == 0:
            ahead = roots[place : place + ROOTS_AT_ONCE]
            graph.load(root for each, root in ahead if each is graph)
        branch = builder.root(graph, number)
        if builder.room >= 0 or not page:
            page.append(branch)
        if builder.room < 0:
            return page, True
    return page, False


# a branch to be expanded, its number, its path from the root, and the relation that led to it
_Waiting = tuple[Branch, int, tuple[int, ...], str]


class _Builder:
    """Builds trees, within the room that a page has left."""

    graph: StoredGraph  # of the tree that is built
    expanded: set[int]  # the nodes of this tree with relations

    def __init__(self, options: Options, apart: Set[_Root]) -> None:
        self.options, self.kinds = options, options.kinds
        self.apart = apart  # roots that are not expanded below another
        self.room = options.max_nodes  # below zero if the tree is cut

    def root(self, graph: StoredGraph, number: int) -> Branch:
        """Return the tree of a root."""
        self.graph, self.expanded = graph, set()
        self.room -= 1
        branch = Branch(graph.nodes([number])[number])
        if self.options.depth:
            waiting: deque[_Waiting] = deque([(branch, number, (), "")])
            while waiting and self.room >= 0:
                self.expand(waiting)
            if branch.node.kind != "file" and self.room >= 0:
                branch.missing = self.missing(branch)
        return branch

    def expand(self, waiting: deque[_Waiting]) -> None:
        """Add the relations of the next node; its children wait until their level is complete."""
        branch, number, path, came = waiting.popleft()
        if number in self.expanded:
            branch.mark = SEEN
            return
        self.graph.load([number, *(waits for _, waits, *_ in waiting)])
        branch.loose = [each for each in self.graph.unresolved[number] if each.kind in self.kinds]
        related = self.graph.relations[number]
        path = (*path, number)
        for kind in (kind for kind in self.kinds if kind in related):
            without = path[-2] if kind == BACK.get(came) else None
            ends = self.wanted(end for end in sorted(related[kind]) if end != without)
            nodes = self.graph.nodes(ends[: max(0, self.room)])
            for other in ends:
                self.room -= 1
                if self.room < 0:  # the tree is cut
                    return
                child = Branch(nodes[other], *related[kind][other])
                branch.relations.setdefault(kind, []).append(child)
                if other in path:
                    child.mark = CYCLE
                elif other in self.expanded or (
                    kind == "declares" and (self.graph, other) in self.apart
                ):
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
        references = self.graph.tables.unresolved_named(self.graph.project, bare(branch.node.name))
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
