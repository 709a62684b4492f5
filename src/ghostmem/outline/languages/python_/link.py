"""Link the facts of Python files to a graph: every reference becomes a link, or is unresolved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.graph import (
    EXTERNAL,
    NATIVE,
    FoundLinks,
    LinkColumns,
    Linked,
    Loose,
    OutlineNode,
    file_id,
    outside_id,
    project_id,
)
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.python_.edges import CALLABLE, Edges, PythonResolved, Target
from ghostmem.outline.languages.python_.infer import PythonInference
from ghostmem.outline.languages.python_.modules import origin
from ghostmem.outline.languages.python_.tables import PythonRef
from ghostmem.outline.languages.python_.types import Key
from ghostmem.outline.parallel import Step, halves, run_halves

ROUNDS = 3  # arguments of calls are known after the first, types that follow after the second
_OUTSIDE = {
    "calls": "function",
    "uses": "type",
    "extends": "type",
    "implements": "type",
    "imports": "module",
}
# kinds of something outside: the first counts if references disagree
_RANK = ("module", "type", "function", "variable")

# by parameter: the expressions that calls pass for it
Passed = dict[tuple[str, int, int], set[tuple[str, int]]]


class _Resolved(NamedTuple):
    """The links of some files."""

    links: LinkColumns
    loose: list[Loose]
    outside: dict[tuple[str, str], str]  # by origin and name: kind


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of a project's Python files."""
    del read  # everything is in the facts
    project = _Project({path: files[path] for path in sorted(files)})
    parts = [partial(_half, project, paths) for paths in halves(project.files)]
    made: list[_Resolved] = run_halves(parts)
    links, loose, outside = made.pop(0)
    for one in made:
        links.join(one.links)
        loose += one.loose
        for key, kind in one.outside.items():
            _note_outside(outside, key, kind)
    nodes = {node.id: node for node in project.nodes()}
    for (place, name), kind in sorted(outside.items()):
        number = outside_id(place, name)
        nodes[number] = OutlineNode(
            number, name, kind, place, where=name.split(".")[0] if place == EXTERNAL else ""
        )
    return Linked(nodes, links, sorted(loose))


def _half(project: _Project, paths: list[str]) -> list[Step]:
    """Return the steps of linking some files: calls in rounds, then all references."""
    linker = _PythonLinker(project, paths)
    return [*[linker.calls] * (ROUNDS - 1), linker.references]


def _note_outside(outside: dict[tuple[str, str], str], key: tuple[str, str], kind: str) -> None:
    outside[key] = min(outside.get(key, kind), kind, key=_RANK.index)


class _Project:
    """The nodes and names of all files, which every half of a linking has."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        self.inference = PythonInference(files)
        self.ids: dict[Key, str] = {}
        symbols = [(one.name, one.kind) for facts in files.values() for one in facts.symbols]
        self.callables = Counter(name for name, kind in symbols if kind in CALLABLE)
        self.values = Counter(name for name, kind in symbols if kind != "function")
        for path, facts in files.items():
            names = {FILE: self.inference.modules.names[path]}
            for number, one in enumerate(facts.symbols):
                names[number] = f"{names[one.parent]}.{one.name}"
                self.ids[path, number] = project_id(path, names[number], one.start)

    def nodes(self) -> Iterator[OutlineNode]:
        """Yield the nodes of files and symbols."""
        for path, facts in self.files.items():
            module = self.inference.modules.names[path]
            last = max((one.end_line for one in facts.symbols), default=1)
            yield OutlineNode(file_id(path), module, "file", file=path, line=1, end_line=last)
            for number, one in enumerate(facts.symbols):
                mark = self.ids[path, number]
                yield OutlineNode(
                    mark,
                    mark[len(path) + 1 : mark.rindex("@")],
                    one.kind,
                    file=path,
                    line=one.line,
                    end_line=one.end_line,
                    signature=one.signature,
                    body=one.detail,
                )


class _PythonLinker:
    """One linking of some files: its inference, and the links found so far."""

    def __init__(self, project: _Project, paths: list[str]) -> None:
        self.project = project
        self.paths = paths
        self.files = project.files
        self.inference = project.inference.empty_copy()
        self.edges = Edges(self.inference)
        # by file and by the node that they leave: links that are not in the columns yet
        self.found: dict[str, dict[str, FoundLinks]] = {path: {} for path in paths}
        self.made = _Resolved(LinkColumns(), [], {})
        self.ids = project.ids
        self.passed: Passed = {}  # by the calls of this round that another may resolve otherwise
        self.settled: Passed = {}  # by those of this round that are resolved for good
        self.known: Passed = {}  # by those of all rounds and files
        self.pending: dict[str, set[int]] = {}  # by file: the rows of those calls

    def calls(self, shared: list[tuple[Passed, Passed]]) -> tuple[Passed, Passed]:
        """Resolve calls once more, and return the arguments that are provisional and final."""
        self._next_round(shared)
        self.passed, self.settled = {}, {}
        for path in self.paths:
            self.pending[path] = self._calls(path, self.pending.get(path))
        return self.passed, self.settled

    def references(self, shared: list[tuple[Passed, Passed]]) -> _Resolved:
        """Resolve all references that are not settled yet; these results are kept."""
        self._next_round(shared)
        for path in self.paths:
            self._references(path)
            self._flush(path)
        for path in self.paths:
            self._declares(path, self.files[path])
            self._imports(path, self.files[path])
            self._flush(path)
        return self.made

    def _flush(self, path: str) -> None:
        for start, links in self.found[path].items():
            self.made.links.add_all(start, links)
        self.found[path] = {}

    def _next_round(self, shared: list[tuple[Passed, Passed]]) -> None:
        """Start a round with the arguments of the calls of all files."""
        passed: Passed = {}
        for for_now, for_good in shared:
            _join(passed, for_now)
            _join(self.known, for_good)
        if shared:
            _join(passed, self.known)
            self.inference.next_round(passed)

    def _declares(self, path: str, facts: Facts) -> None:
        for number, one in enumerate(facts.symbols):
            start, end = self._id(path, one.parent), self.ids[path, number]
            self._add(path, start, "declares", end, one.line, "local")

    def _id(self, path: str, symbol: int) -> str:
        return file_id(path) if symbol == FILE else self.ids[(path, symbol)]

    def _add(self, path: str, start: str, kind: str, end: str, line: int, via: str) -> None:
        found = self.found[path].setdefault(start, {})
        known = found.get((kind, end))
        if known is None or (line, via) < known:
            found[kind, end] = (line, via)

    def _imports(self, path: str, facts: Facts) -> None:
        modules = self.inference.modules
        for one in facts.imports:
            ends: list[Target] = []
            for target in modules.find(one.path, path):
                members = self.inference.module_member(target, one.name) if one.name else []
                chosen = next((member[1] for member in members if member[0] == "mod"), target)
                if chosen in self.files:
                    ends.append(("file", chosen))
            if not ends:
                dotted = modules.absolute(one.path, path)
                ends = [("out", (origin(dotted), dotted))]
            for end in ends:
                self._link(path, file_id(path), "imports", end, one.line, "import")

    def _link(self, path: str, start: str, kind: str, end: Target, line: int, via: str) -> None:
        if end[0] == "out":
            place, name = end[1]
            _note_outside(self.made.outside, (place, name), _OUTSIDE.get(kind, "variable"))
            mark, via = outside_id(place, name), NATIVE if place == NATIVE else EXTERNAL
        else:
            mark = file_id(end[1]) if end[0] == "file" else self.ids[end[1]]
        self._add(path, start, kind, mark, line, via)

    def _calls(self, path: str, pending: Collection[int] | None) -> set[int]:
        """Resolve the calls of a file, all or those pending, for their arguments.

        Return those that another round may resolve otherwise.
        """
        again: set[int] = set()
        table = self.inference.tables[path]
        for ref in table.refs if pending is None or pending else ():
            if ref.kind != "calls" or (pending is not None and ref.row not in pending):
                continue
            self.inference.is_provisional = False
            made = self.edges.of(path, ref)
            _, _, args, keywords = table.exprs[ref.row]
            passed = [
                one for called in made.called for one in self.edges.passed(*called, args, keywords)
            ]
            if self.inference.is_provisional:
                again.add(ref.row)
            else:
                self._take(path, ref, made)
            into = self.passed if self.inference.is_provisional else self.settled
            for key, row in passed:
                into.setdefault(key, set()).add((path, row))
        return again

    def _references(self, path: str) -> None:
        """Resolve the references of a file, except for the calls that are settled."""
        pending = self.pending[path]
        for ref in self.inference.tables[path].refs:
            if ref.kind != "calls" or ref.row in pending:
                self._take(path, ref, self.edges.of(path, ref))

    def _take(self, path: str, ref: PythonRef, made: PythonResolved) -> None:
        start = self._id(path, ref.owner)
        for kind, end, via in made.edges:
            self._link(path, start, kind, end, ref.line, via)
        if not made.whole:
            self._leave(start, path, ref)

    def _leave(self, start: str, path: str, ref: PythonRef) -> None:
        """Keep a reference that could not be resolved.

        A read only when something of the project goes by that name.
        """
        row = self.inference.tables[path].exprs[
            self.inference.tables[path].exprs[ref.row][1] if ref.kind == "calls" else ref.row
        ]
        name = str(row[2]) if row[0] == "a" else str(row[1]) if row[0] == "n" else ""
        project = self.project
        count = (project.callables if ref.kind == "calls" else project.values)[name]
        if count or ref.kind in ("calls", "extends") or row[0] == "n":
            self.made.loose.append(Loose(start, ref.kind, ref.text, ref.line, name, count))


def _join(into: Passed, more: Passed) -> None:
    for key, rows in more.items():
        into.setdefault(key, set()).update(rows)
