"""Link the files of a Go project: nodes, then each body typed in turn, then interfaces."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.graph import (
    FORWARD,
    FoundLinks,
    LinkColumns,
    Linked,
    Loose,
    OutlineNode,
    file_id,
)
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.go_ import shapes, walk
from ghostmem.outline.languages.go_.check import Checker
from ghostmem.outline.languages.go_.implement import add_implements
from ghostmem.outline.languages.go_.lookup import GoLookup, Scope
from ghostmem.outline.languages.go_.lowering import Tree
from ghostmem.outline.languages.go_.natives import interfaces
from ghostmem.outline.languages.go_.nodes import add_links, index_symbols, nodes_of
from ghostmem.outline.languages.go_.operand import operand
from ghostmem.outline.languages.go_.project import Decl, GoFile, GoProject
from ghostmem.outline.parallel import Step, halves, run_halves

_NUMBERS = {kind: number for number, kind in enumerate(FORWARD)}
_AS_TYPE = sum(1 << _NUMBERS[kind] for kind in ("uses", "extends", "implements"))
_AS_FUNCTION = 1 << _NUMBERS["calls"]
_VALUES = {_NUMBERS[kind] for kind in ("calls", "accesses")}


class _Owner:
    """Takes the references of one owner."""

    def __init__(self, names: Mapping[str, int], unresolved: list[Loose], owner: str) -> None:
        self.names = names
        self.unresolved = unresolved
        self.owner = owner
        self.found: FoundLinks = {}

    def link(self, kind: str, ids: tuple[str, ...], line: int, via: str) -> None:
        """Take a reference that is resolved; of several alike the first is kept."""
        for one in ids:
            if (kind, one) not in self.found:
                self.found[kind, one] = (line, via)

    def loose(self, kind: str, tree: Tree, line: int) -> None:
        """Take one that is not."""
        text = shown(tree)
        name = text.rsplit(".", 1)[-1]
        self.unresolved.append(Loose(self.owner, kind, text, line, name, self.names.get(name, 0)))


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of a project's Go files.

    Nodes are made last, when all that was needed for the links is freed."""
    project = GoProject(files, read)
    index_symbols(project)
    by_path = {file.path: file for file in project.files}
    parts = [[by_path[path] for path in part] for part in halves(files, whole_folders=True)]
    links, loose = _join(project, run_halves([partial(_half, project, part) for part in parts]))
    linked = Linked({}, links, loose)
    if project.files and all(
        project.module_of(one.folder) is None for one in project.packages.values()
    ):
        linked.notes.append(
            "no go.mod: imports between the project's own packages cannot be told from "
            "external ones"
        )
    project.release()
    for node in chain(_outside_nodes(project, links), nodes_of(project)):
        linked.nodes[node.id] = node
    return linked


class _Linked(NamedTuple):
    """The links of the bodies of some files."""

    links: LinkColumns
    loose: list[Loose]
    outside: dict[str, OutlineNode]
    choices: dict[str, str]  # see GoLookup


def _join(project: GoProject, parts: list[_Linked]) -> tuple[LinkColumns, list[Loose]]:
    """Return the links and unresolved references of all files."""
    links, loose = parts[0].links, parts[0].loose
    lookup = GoLookup(project, Checker)
    for part in parts:
        project.outside = part.outside | project.outside
        lookup.choose(part.choices)
    while len(parts) > 1:
        links.join(parts[-1].links)
        loose += parts.pop().loose
    add_implements(project, lookup, links)
    return links, sorted(loose)


def _half(project: GoProject, files: list[GoFile]) -> list[Step]:
    return [lambda _known: _link_files(project, files)]


def _link_files(project: GoProject, files: list[GoFile]) -> _Linked:
    """Type the bodies of some files."""
    links, loose = LinkColumns(), list[Loose]()
    lookup = GoLookup(project, Checker)
    for file in files:
        add_links(project, links, file)
        sink = _Owner(project.names, loose, file_id(file.path))
        _link_initialisers(_checker(lookup, file, sink), file)
        links.add_all(sink.owner, sink.found)
        bodies = iter(file.bodies())
        for key, symbol in zip(file.ids, file.facts.symbols, strict=True):
            if symbol.parent == FILE:
                sink = _Owner(project.names, loose, key)
                _link_symbol(_checker(lookup, file, sink), Decl(key, file, symbol), bodies)
                links.add_all(key, sink.found)
    return _Linked(links, loose, project.outside, lookup.choices())


def _checker(lookup: GoLookup, file: GoFile, sink: _Owner) -> Checker:
    return Checker(lookup, file, [], sink, sink.owner, walk.function)


def _link_symbol(checker: Checker, decl: Decl, bodies: Iterator[list[Tree]]) -> None:
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
    scope: Scope = {}
    if receiver := tree.get("recv"):
        scope[receiver[0]] = operand("value", checker.type(receiver[1]), what="receiver")
    for _, constraint in tree["params"]:
        checker.type(constraint)
    walk.function(checker, tree["sig"], shapes.signature(checker, tree["sig"]), body, scope)


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


def _link_initialisers(checker: Checker, file: GoFile) -> None:
    for spec in file.specs:
        if len(spec) == 4:
            if "_" in spec[1]:
                checker.type(spec[2])
            for one in spec[3]:
                checker.value(one)


def _outside_nodes(project: GoProject, links: LinkColumns) -> Iterator[OutlineNode]:
    """Yield the nodes outside that are met, and tell types from functions by how they are used."""
    met = bytearray(len(links.ids))  # by node: the kinds of the links to it, as bits
    for kind, end in zip(links.kinds, links.ends, strict=True):
        met[end] |= 1 << kind
    types = set()
    for end, key in enumerate(links.ids):
        if node := project.outside.get(key):
            as_type, as_function = met[end] & _AS_TYPE, met[end] & _AS_FUNCTION
            yield _outside_node(
                node, "type" if as_type else "function" if as_function else "variable"
            )
            if as_type and node.kind == "symbol":
                types.add(end)
    for place, (kind, end) in enumerate(zip(links.kinds, links.ends, strict=True)):
        if kind in _VALUES and end in types:
            links.kinds[place] = _NUMBERS["uses"]


def _outside_node(node: OutlineNode, used_as: str) -> OutlineNode:
    kind = used_as if node.kind == "symbol" else node.kind
    is_interface = kind == "type" and node.full in interfaces()
    return node._replace(kind="interface" if is_interface else kind)


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
