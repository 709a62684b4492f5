"""Link the files of a Go project: nodes, then each body typed in turn, then interfaces."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.graph import FORWARD, LinkColumns, Linked, Loose, OutlineNode, file_id
from ghostmem.outline.halves import Step, halves, run_halves
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.go_ import shapes, walk
from ghostmem.outline.languages.go_.check import Checker
from ghostmem.outline.languages.go_.implement import add_implements
from ghostmem.outline.languages.go_.lookup import GoLookup
from ghostmem.outline.languages.go_.lowering import Tree
from ghostmem.outline.languages.go_.natives import interfaces
from ghostmem.outline.languages.go_.nodes import add_nodes
from ghostmem.outline.languages.go_.operand import Sink
from ghostmem.outline.languages.go_.world import Decl, GoFile, GoWorld

_NUMBERS = {kind: number for number, kind in enumerate(FORWARD)}
_AS_TYPES = {_NUMBERS[kind] for kind in ("uses", "extends", "implements")}
_AS_VALUES = {_NUMBERS[kind] for kind in ("calls", "accesses")}


class _Owner:
    """Takes the references of one owner."""

    def __init__(
        self, world: GoWorld, links: LinkColumns, unresolved: list[Loose], owner: str
    ) -> None:
        self.world = world
        self.unresolved = unresolved
        self.owner = owner
        self._add = links.add
        self._done: set[tuple[str, str]] = set()

    def link(self, kind: str, ids: tuple[str, ...], line: int, via: str) -> None:
        """Take a reference that is resolved; of several alike the first is kept."""
        for one in ids:
            if (kind, one) not in self._done:
                self._done.add((kind, one))
                self._add(self.owner, kind, one, line, via)

    def loose(self, kind: str, tree: Tree, line: int) -> None:
        """Take one that is not."""
        text = shown(tree)
        name = text.rsplit(".", 1)[-1]
        self.unresolved.append(
            Loose(self.owner, kind, text, line, name, self.world.names.get(name, 0))
        )


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of a project's Go files."""
    links = LinkColumns()
    linked = Linked(links=links)
    world = GoWorld(files, read)
    add_nodes(world, linked, links)
    lookup = GoLookup(world, Checker)
    by_path = {file.path: file for file in world.files}
    parts = [[by_path[path] for path in part] for part in halves(files, whole_folders=True)]
    for made in run_halves([partial(_half, world, part) for part in parts]):
        links.join(made.links)
        linked.loose += made.loose
        world.outside = made.outside | world.outside
        lookup.choose(made.choices)
    add_implements(world, lookup, links)
    _finish(world, linked, links)
    if world.files and all(world.module_of(one.folder) is None for one in world.packages.values()):
        linked.notes.append(
            "no go.mod: imports between the project's own packages cannot be told from "
            "external ones"
        )
    return linked


class _Linked(NamedTuple):
    """The links of the bodies of some files."""

    links: LinkColumns
    loose: list[Loose]
    outside: dict[str, OutlineNode]
    choices: dict[str, str]  # see GoLookup


def _half(world: GoWorld, files: list[GoFile]) -> list[Step]:
    return [lambda _known: _link_files(world, files)]


def _link_files(world: GoWorld, files: list[GoFile]) -> _Linked:
    """Type the bodies of some files."""
    links, loose = LinkColumns(), list[Loose]()
    lookup = GoLookup(world, Checker)
    sink = partial(_Owner, world, links, loose)
    for file in files:
        _link_initialisers(lookup, file, sink)
        bodies = iter(file.bodies())
        for index, symbol in enumerate(file.facts.symbols):
            if symbol.parent == FILE:
                _link_symbol(lookup, Decl(file.ids[index], file, symbol, index), bodies, sink)
    return _Linked(links, loose, world.outside, lookup.choices())


def _link_symbol(
    lookup: GoLookup, decl: Decl, bodies: Iterator[list[Tree]], sink: Callable[[str], Sink]
) -> None:
    checker = Checker(lookup, decl.file, [], sink(decl.id), decl.id, walk.function)
    match decl.symbol.kind:
        case "function" | "method":
            _link_function(checker, decl, next(bodies, []))
        case "type" | "interface":
            _link_type(checker, decl)
        case _:
            where, _ = decl.tree()
            checker.type(decl.file.specs[where][2])


def _link_function(checker: Checker, decl: Decl, body: list[Tree]) -> None:
    tree = decl.tree()
    checker.enter_params(decl, tree)
    receiver = tree.get("recv")
    if receiver is not None:
        checker.type(receiver[1])
    for _, constraint in tree["params"]:
        checker.type(constraint)
    checker.type(tree["sig"])
    walk.function(checker, tree["sig"], body, receiver)


def _link_type(checker: Checker, decl: Decl) -> None:
    tree: Any = decl.tree()
    checker.scopes = [
        {name: ("v", f"{decl.file.package.path}.{decl.symbol.name}", name) for name, _ in tree[2]}
    ]
    for _, constraint in tree[2]:
        checker.type(constraint)
    match tree[3][0]:
        case "st":
            shapes.struct(checker, tree[3], "extends")
        case "if":
            shapes.interface(checker, tree[3], "extends")
        case _:
            checker.type(tree[3])


def _link_initialisers(lookup: GoLookup, file: GoFile, sink: Callable[[str], Sink]) -> None:
    key = file_id(file.path)
    checker = Checker(lookup, file, [], sink(key), key, walk.function)
    for spec in file.specs:
        if len(spec) == 4:
            if "_" in spec[1]:
                checker.type(spec[2])
            for one in spec[3]:
                checker.value(one)


def _finish(world: GoWorld, linked: Linked, links: LinkColumns) -> None:
    """Tell types outside from functions by how they are used, keep the nodes outside that are met,
    and of several links of a kind between two nodes the first one.
    """
    ids = list(links.ids)
    pairs = set(zip(links.kinds, links.ends, strict=True))
    types = {end for kind, end in pairs if kind in _AS_TYPES}
    called = {end for kind, end in pairs if kind == _NUMBERS["calls"]}
    outside = {end: world.outside[ids[end]] for _, end in pairs if ids[end] in world.outside}
    outside_types = {end for end in types if end in outside and outside[end].kind == "symbol"}
    for place, (kind, end) in enumerate(zip(links.kinds, links.ends, strict=True)):
        if kind in _AS_VALUES and end in outside_types:
            links.kinds[place] = _NUMBERS["uses"]
    repeated = _repeated(links, outside_types)
    links.keep(place for place in range(len(links)) if place not in repeated)
    linked.loose.sort()
    for end, node in sorted(outside.items(), key=lambda item: item[1].id):
        used_as = "type" if end in types else "function" if end in called else "variable"
        linked.nodes[node.id] = _outside_node(node, used_as)


def _outside_node(node: OutlineNode, used_as: str) -> OutlineNode:
    kind = used_as if node.kind == "symbol" else node.kind
    is_interface = kind == "type" and node.full in interfaces()
    return node._replace(kind="interface" if is_interface else kind)


def _repeated(links: LinkColumns, outside_types: set[int]) -> set[int]:
    """Return the places of links for which there is another with a lower line.

    A body records a link once, so only two imports of a package, or two ways to name a type outside
    can be alike."""
    first: dict[tuple[int, int, int], int] = {}
    repeated: set[int] = set()
    for place, (start, kind, end, line, _) in enumerate(links.rows()):
        if kind == _NUMBERS["imports"] or (kind == _NUMBERS["uses"] and end in outside_types):
            known = first.setdefault((start, kind, end), place)
            if known != place:
                later = known if line < links.lines[known] else place
                first[start, kind, end] = known + place - later
                repeated.add(later)
    return repeated


def shown(tree: Any) -> str:
    """Return a tree about as it was written, without arguments."""
    parts: list[str] = []
    while isinstance(tree, list) and tree and tree[0] in _SHOWN:
        place, form = _SHOWN[tree[0]]
        parts.append(form.format(*tree))
        tree = tree[place] if place else None
    if isinstance(tree, list) and tree:
        parts.append({"{": "{}", "fl": "func"}.get(tree[0], "…"))
    return "".join(reversed(parts))


# by tag: where the inner tree is, 0 for none, and the text after it
_SHOWN = {
    "i": (0, "{1}"),
    ".": (1, ".{2}"),
    "(": (1, "()"),
    "[": (1, "[]"),
    "*": (1, ""),
    ":": (1, ""),
    "as": (1, ""),
    "u": (2, ""),
}
