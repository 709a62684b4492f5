"""A bounded tree of relations from some nodes of the graph.

The same whatever order the graph came in.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ghostmem.errors import InvalidInputError
from ghostmem.outline.find import bare
from ghostmem.outline.graph import (
    FORWARD,
    KINDS,
    NATIVE,
    PROJECT,
    REVERSE,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
)

DEEPEST = 10
FORMATS = ("text", "json")
CYCLE, SEEN = "↩", "…"
BACK = REVERSE | {back: kind for kind, back in REVERSE.items()}
_TEST = re.compile(
    r"(^|/)(tests?|__tests__|spec|testdata)/|\.Tests?/|(^|/)(test_[^/]*|conftest)\.py$"
    r"|[^/]_(test|spec)\.\w+$"
    r"|\.(test|spec)\.\w+$|[^/](Tests?|TestCase)\.(java|kt|cs|php)$"
)


@dataclass(frozen=True)
class Options:
    """How far to go, and what to leave out."""

    depth: int = 2
    relations: tuple[str, ...] = ()  # none: all
    omit_native: bool = False
    max_nodes: int = 2000
    include_tests: bool = True
    offset: int = 0  # roots to skip: those of earlier pages

    @classmethod
    def checked(
        cls,
        depth: object = 2,
        relations: object = (),
        omit_native: bool = False,
        max_nodes: object = 2000,
        include_tests: bool = True,
        offset: object = 0,
        *,
        format: object = "text",  # noqa: A002  # the tools call it that
        symbol: str | None = None,
    ) -> "Options":
        """Return options from what somebody typed, or say what cannot be accepted.

        Format and symbol are only looked at.
        """
        if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= DEEPEST:
            raise InvalidInputError(
                f"depth is {depth!r}", f"depth is an integer from 0 to {DEEPEST}"
            )
        for name, number, least in (("max_nodes", max_nodes, 1), ("offset", offset, 0)):
            if isinstance(number, bool) or not isinstance(number, int) or number < least:
                raise InvalidInputError(
                    f"{name} is {number!r}", f"{name} is an integer from {least}"
                )
        wanted = (
            tuple(relations)
            if isinstance(relations, (list, tuple, set, frozenset))
            else (relations,)
            if relations
            else ()
        )
        if unknown := [kind for kind in wanted if kind not in KINDS]:
            raise InvalidInputError(
                f"unsupported relation {unknown[0]!r}", f"the relations are: {', '.join(KINDS)}"
            )
        if format not in FORMATS:
            raise InvalidInputError(f"format is {format!r}", f"format is {' or '.join(FORMATS)}")
        if symbol is not None and not symbol.strip():
            raise InvalidInputError("the symbol is empty", "name a symbol, such as Session.send")
        ordered = tuple(kind for kind in KINDS if kind in wanted)
        flags = bool(omit_native), max_nodes, bool(include_tests), offset
        return cls(depth, ordered, *flags)  # type: ignore[arg-type]  # checked above

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of relations to tell, in their order."""
        return tuple(kind for kind in KINDS if kind in self.relations) if self.relations else KINDS


@dataclass(slots=True)
class Branch:
    """A node in a tree: the line and rung of the reference that led to it, why it stops here, and
    what hangs on it.
    """

    node: OutlineNode
    line: int = 0
    via: str = ""
    mark: str = ""
    relations: dict[str, list["Branch"]] = field(default_factory=dict)
    loose: list[Loose] = field(default_factory=list)
    missing: dict[str, int] = field(
        default_factory=dict
    )  # of a root: an empty kind, and unresolved references of its name


@dataclass(slots=True)
class Tree:
    """The trees of all roots, and what they come to."""

    matches: list[Branch]
    options: Options
    found: int = 0  # the roots there were, also those of other pages
    relations: int = 0
    unresolved: int = 0
    truncated: bool = False  # more follows, or a single root was too large
    next_offset: int | None = None  # the offset of the next page
    labels: dict[str, str] = field(
        default_factory=dict
    )  # by id: the name to print where the canonical one is ambiguous
    notes: list[str] = field(default_factory=list)


def is_test(path: str) -> bool:
    """Tell whether a file is a test, by its path."""
    return bool(_TEST.search(path))


def build(
    linked: Linked, roots: Iterable[OutlineNode], options: Options, *, apart: bool = False
) -> Tree:
    """Return the relations of the roots down to the depth that is asked for, a tree for each."""
    return build_all([(linked, roots)], options, apart=apart)


def build_all(
    parts: Iterable[tuple[Linked, Iterable[OutlineNode]]], options: Options, *, apart: bool = False
) -> Tree:
    """Return the trees of roots in one or more graphs, as many as one page holds.

    With `apart` a root is not expanded again below the root that declares it.
    """
    tree = Tree([], options)
    builders: list[tuple[_Builder, OutlineNode]] = []
    for linked, roots in parts:
        chosen = sorted({node.id: node for node in roots}.values(), key=_root_order)
        if not options.include_tests:
            # a root that is a test stays when nothing else was asked for
            chosen = [node for node in chosen if not is_test(node.file)] or chosen
        builder = _Builder(linked, options, tree)
        builder.apart = {node.id for node in chosen} if apart else set()
        builders += [(builder, node) for node in chosen]
        tree.labels |= linked.once("labels", _labels)
        tree.notes = sorted({*tree.notes, *linked.notes})
    tree.found = len(builders)
    _fill_page(tree, builders)
    return tree


def _fill_page(tree: Tree, builders: Sequence[tuple["_Builder", OutlineNode]]) -> None:
    """Add roots from the offset on while there is room; only a first root is shown in part."""
    room = tree.options.max_nodes
    for at in range(tree.options.offset, len(builders)):
        builder, node = builders[at]
        before = tree.relations, tree.unresolved
        builder.expanded.clear()
        builder.room, builder.is_cut = room, False
        branch = builder.root(node) if builder.has_room() else None
        if builder.is_cut and tree.matches:
            tree.relations, tree.unresolved = before
            tree.truncated, tree.next_offset = True, at
            return
        if branch is not None:
            tree.matches.append(branch)
        room = builder.room
        if builder.is_cut:
            tree.truncated = True
            tree.next_offset = at + 1 if at + 1 < len(builders) else None
            return


class _Builder:
    """The graph by node and kind, and how much of it was told."""

    def __init__(self, linked: Linked, options: Options, tree: Tree) -> None:
        self.linked, self.options, self.tree = linked, options, tree
        self.kinds = options.kinds
        self.leaving, self.arriving = linked.once("by end", _by_end)
        self.loose = linked.once("loose", _by_owner)
        self.expanded: set[str] = set()
        self.apart: set[str] = set()  # roots that are not expanded below another
        self.room = options.max_nodes
        self.is_cut = False

    def has_room(self) -> bool:
        """Take the room of one node, or note that there is none."""
        self.room -= 1
        self.is_cut = self.is_cut or self.room < 0
        return self.room >= 0

    def root(self, node: OutlineNode) -> Branch:
        """Return the tree of a root."""
        branch = Branch(node)
        if self.options.depth:
            self.expand(branch, (), "")
            if node.kind != "file" and not self.is_cut:
                branch.missing = self.missing(branch)
        return branch

    def expand(self, branch: Branch, path: tuple[str, ...], came: str) -> None:
        """Hang on a branch what its node relates to, and so on."""
        node = branch.node
        branch.loose = [one for one in self.loose.get(node.id, ()) if one.kind in self.kinds]
        self.tree.unresolved += len(branch.loose)
        path = (*path, node.id)
        related = self.related(node.id)
        for kind in (kind for kind in self.kinds if kind in related):
            for other, line, via in self.neighbours(
                related[kind], path[-2] if kind == BACK.get(came) else ""
            ):
                if not self.has_room():
                    return
                child = Branch(other, line, via)
                branch.relations.setdefault(kind, []).append(child)
                self.tree.relations += 1
                if other.id in path:
                    child.mark = CYCLE
                elif other.id in self.expanded or (kind == "declares" and other.id in self.apart):
                    child.mark = SEEN
                elif other.origin == PROJECT and len(path) < self.options.depth:
                    self.expand(child, path, kind)
        if branch.relations or branch.loose:
            self.expanded.add(node.id)

    def related(self, key: str) -> dict[str, dict[str, tuple[int, str]]]:
        """Return what a node relates to by kind and id.

        Of several references to one node the first counts.
        """
        ways = [
            (link.kind, link.end, link)
            for link in self.leaving.get(key, ())
            if link.kind in FORWARD
        ]
        ways += [
            (REVERSE[link.kind], link.start, link)
            for link in self.arriving.get(key, ())
            if link.kind in REVERSE
        ]
        found: dict[str, dict[str, tuple[int, str]]] = {}
        for kind, other, link in ways:
            known = found.setdefault(kind, {})
            known[other] = min(known.get(other, (link.line, link.via)), (link.line, link.via))
        return found

    def neighbours(
        self, related: dict[str, tuple[int, str]], without: str
    ) -> list[tuple[OutlineNode, int, str]]:
        """Return nodes in order; not the one from which one came, and not what is unwanted."""
        nodes = self.linked.nodes
        found = [
            (nodes[end], *how) for end, how in related.items() if end != without and end in nodes
        ]
        return sorted(
            (one for one in found if self.is_wanted(one[0])), key=lambda one: _order(one[0])
        )

    def is_wanted(self, node: OutlineNode) -> bool:
        """Tell whether the options let a node in."""
        if self.options.omit_native and node.origin == NATIVE:
            return False
        return self.options.include_tests or node.origin != PROJECT or not is_test(node.file)

    def missing(self, branch: Branch) -> dict[str, int]:
        """Return the kinds that somebody would look for in vain, with the unresolved references
        that might be of them.
        """
        name = bare(branch.node.name)
        owners = self.linked.nodes
        named = Counter(
            BACK[one.kind]
            for one in self.linked.loose
            if one.name == name
            and one.kind in BACK
            and (one.owner not in owners or self.is_wanted(owners[one.owner]))
        )
        asked = {*self.options.relations, *named}
        # a language of which no calls are known has nothing to say about callers
        if branch.node.kind in {"function", "method"} and self.linked.once("calls", _knows_calls):
            asked.add("calledBy")
        return {
            kind: named[kind]
            for kind in self.kinds
            if kind in asked and kind not in branch.relations
        }


def _by_end(linked: Linked) -> tuple[dict[str, list[OutlineLink]], dict[str, list[OutlineLink]]]:
    """Return the links by the node that they leave, and by the one that they reach."""
    leaving: dict[str, list[OutlineLink]] = {}
    arriving: dict[str, list[OutlineLink]] = {}
    for link in linked.links:
        leaving.setdefault(link.start, []).append(link)
        arriving.setdefault(link.end, []).append(link)
    return leaving, arriving


def _by_owner(linked: Linked) -> dict[str, list[Loose]]:
    """Return what stayed loose by who refers to it, in order."""
    found: dict[str, list[Loose]] = {}
    for one in linked.loose:
        found.setdefault(one.owner, []).append(one)
    for some in found.values():
        some.sort(key=lambda one: (one.line, one.text, one.kind, one.name, one.candidates))
    return found


def _knows_calls(linked: Linked) -> bool:
    """Tell whether there is any call, resolved or not."""
    return any(one.kind == "calls" for one in linked.links) or any(
        one.kind == "calls" for one in linked.loose
    )


def _labels(linked: Linked) -> dict[str, str]:
    # Go: where two packages have one name, as much of the import path as tells them apart
    paths: dict[str, set[str]] = defaultdict(set)
    split: dict[str, tuple[str, str, str]] = {}
    for node in linked.nodes.values():
        package, _, local = node.name.partition(".")
        if node.kind not in {"file", "module"} and local and node.full.endswith(f".{local}"):
            path = node.full[: -len(local) - 1]
            split[node.id] = (package, path, local)
            paths[package].add(path)
    short = {
        (package, path): _suffix(
            path.split("/"), [other.split("/") for other in known if other != path]
        )
        for package, known in paths.items()
        if len(known) > 1
        for path in known
    }
    return {
        one: f"{short[package, path]}.{local}"
        for one, (package, path, local) in split.items()
        if (package, path) in short
    }


def _suffix(parts: list[str], others: list[list[str]]) -> str:
    for size in range(1, len(parts)):
        if all(other[-size:] != parts[-size:] for other in others):
            return "/".join(parts[-size:])
    return "/".join(parts)


def _root_order(node: OutlineNode) -> tuple[str, bool, int, str, str]:
    """Order roots by file and line, a file before its symbols."""
    return node.file, node.kind != "file", node.line, node.name, node.id


def _order(node: OutlineNode) -> tuple[str, int, str, str]:
    return node.file, node.line, node.name, node.id
