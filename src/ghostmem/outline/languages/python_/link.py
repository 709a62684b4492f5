"""From the facts of Python files to a graph: every reference becomes a link, or stays loose."""

from collections import Counter
from collections.abc import Mapping

from ghostmem.outline.facts import FILE, Facts, Ref
from ghostmem.outline.graph import (
    EXTERNAL,
    NATIVE,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    file_id,
    outside_id,
    project_id,
)
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.python_.edges import CALLABLE, Edges, PythonResolved, Target
from ghostmem.outline.languages.python_.infer import Key
from ghostmem.outline.languages.python_.modules import origin
from ghostmem.outline.languages.python_.types import PythonInference

ROUNDS = 3  # what calls pass is known after the first, what follows from that after the second
_OUTSIDE = {
    "calls": "function",
    "uses": "type",
    "extends": "type",
    "implements": "type",
    "imports": "module",
}
_RANK = (
    "module",
    "type",
    "function",
    "variable",
)  # what something outside is, when references disagree

Passed = dict[
    tuple[str, int, int], set[tuple[str, int]]
]  # for a parameter: the expressions that calls give it


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of a project's Python files."""
    del read  # everything is in the facts
    return _PythonLinker({path: files[path] for path in sorted(files)}).run()


class _PythonLinker:
    """One linking: the world it infers in, and the links found so far."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        self.world = PythonInference(files)
        self.edges = Edges(self.world)
        self.found: dict[tuple[str, str, str], tuple[int, str]] = {}
        self.loose: list[Loose] = []
        self.outside: dict[tuple[str, str], str] = {}
        self.ids: dict[Key, str] = {}
        self.nodes: dict[str, OutlineNode] = {}
        self.passed: Passed = {}  # by the calls of this round that another may resolve otherwise
        self.settled: Passed = {}  # by those that are resolved for good
        self.pending: dict[str, set[int]] = {}  # by file: the rows of those calls
        symbols = [(one.name, one.kind) for facts in files.values() for one in facts.symbols]
        self.callables = Counter(name for name, kind in symbols if kind in CALLABLE)
        self.values = Counter(name for name, kind in symbols if kind != "function")

    def run(self) -> Linked:
        """Infer in rounds; the last one is kept."""
        for path, facts in self.files.items():
            self._symbols(path, facts)
        for turn in range(ROUNDS - 1):
            self.passed = {}
            for path in self.files:
                self._calls(path, turn)
            for key, rows in self.settled.items():
                self.passed.setdefault(key, set()).update(rows)
            self.world.next_round(self.passed)
        for path in self.files:
            self._references(path)
        for path, facts in self.files.items():
            self._declares(path, facts)
            self._imports(path, facts)
        for (place, name), kind in sorted(self.outside.items()):
            number = outside_id(place, name)
            self.nodes[number] = OutlineNode(
                number, name, kind, place, where=name.split(".")[0] if place == EXTERNAL else ""
            )
        links = [
            OutlineLink(start, kind, end, line, via)
            for (start, kind, end), (line, via) in self.found.items()
        ]
        return Linked(self.nodes, sorted(links), sorted(self.loose))

    def _symbols(self, path: str, facts: Facts) -> None:
        module = self.world.modules.names[path]
        last = max((one.end_line for one in facts.symbols), default=1)
        self.nodes[file_id(path)] = OutlineNode(
            file_id(path), module, "file", file=path, line=1, end_line=last
        )
        names: list[str] = []
        for number, one in enumerate(facts.symbols):
            above = module if one.parent == FILE else names[one.parent]
            names.append(f"{above}.{one.name}")
            mark = self.ids[(path, number)] = project_id(path, names[-1], one.start)
            self.nodes[mark] = OutlineNode(
                mark,
                names[-1],
                one.kind,
                file=path,
                line=one.line,
                end_line=one.end_line,
                signature=one.signature,
                body=one.detail,
            )

    def _declares(self, path: str, facts: Facts) -> None:
        for number, one in enumerate(facts.symbols):
            self._add(
                self._id(path, one.parent), "declares", self.ids[(path, number)], one.line, "local"
            )

    def _id(self, path: str, symbol: int) -> str:
        return file_id(path) if symbol == FILE else self.ids[(path, symbol)]

    def _add(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        known = self.found.get((start, kind, end))
        if known is None or (line, via) < known:
            self.found[(start, kind, end)] = (line, via)

    def _imports(self, path: str, facts: Facts) -> None:
        modules = self.world.modules
        for one in facts.imports:
            ends: list[Target] = []
            for target in modules.find(one.path, path):
                members = self.world.module_member(target, one.name) if one.name else []
                chosen = next((member[1] for member in members if member[0] == "mod"), target)
                if chosen in self.files:
                    ends.append(("file", chosen))
            if not ends:
                dotted = modules.absolute(one.path, path)
                ends = [("out", (origin(dotted), dotted))]
            for end in ends:
                self._link(file_id(path), "imports", end, one.line, "import")

    def _link(self, start: str, kind: str, end: Target, line: int, via: str) -> None:
        if end[0] == "out":
            place, name = end[1]
            wanted = _OUTSIDE.get(kind, "variable")
            known = self.outside.get((place, name), wanted)
            self.outside[(place, name)] = min(known, wanted, key=_RANK.index)
            self._add(
                start, kind, outside_id(place, name), line, NATIVE if place == NATIVE else EXTERNAL
            )
        else:
            self._add(
                start, kind, file_id(end[1]) if end[0] == "file" else self.ids[end[1]], line, via
            )

    def _calls(self, path: str, turn: int) -> None:
        """Resolve the calls of a file, for what they pass.

        One that another round may resolve otherwise is looked at again.
        """
        pending = self.pending.get(path, ())
        again = self.pending[path] = set()
        if turn and not pending:
            return
        table = self.world.tables[path]
        for ref in table.refs:
            if ref.kind != "calls" or (turn and ref.detail not in pending):
                continue
            self.world.doubt = False
            made = self.edges.of(path, ref)
            _, _, args, keywords = table.exprs[ref.detail]
            passed = [
                one for called in made.called for one in self.edges.passed(*called, args, keywords)
            ]
            if self.world.doubt:
                again.add(ref.detail)
            else:
                self._take(path, ref, made)
            into = self.passed if self.world.doubt else self.settled
            for key, row in passed:
                into.setdefault(key, set()).add((path, row))

    def _references(self, path: str) -> None:
        """Resolve what a file refers to, but for the calls that are settled."""
        pending = self.pending[path]
        for ref in self.world.tables[path].refs:
            if ref.kind != "calls" or ref.detail in pending:
                self._take(path, ref, self.edges.of(path, ref))

    def _take(self, path: str, ref: Ref, made: PythonResolved) -> None:
        start = self._id(path, ref.owner)
        for kind, end, via in made.edges:
            self._link(start, kind, end, ref.line, via)
        if not made.whole:
            self._leave(start, path, ref)

    def _leave(self, start: str, path: str, ref: Ref) -> None:
        """Keep a reference that could not be resolved.

        A read only when something of the project goes by that name.
        """
        row = self.world.tables[path].exprs[
            self.world.tables[path].exprs[ref.detail][1] if ref.kind == "calls" else ref.detail
        ]
        name = str(row[2]) if row[0] == "a" else str(row[1]) if row[0] == "n" else ""
        count = (self.callables if ref.kind == "calls" else self.values)[name]
        if count or ref.kind in ("calls", "extends") or row[0] == "n":
            self.loose.append(Loose(start, ref.kind, ref.text, ref.line, name, count))
