"""Find the memories about files and symbols, and how their code has changed since.

Both are computed on request, never stored."""

import os
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ghostmem.caller import CALLER
from ghostmem.errors import GhostError
from ghostmem.frozen import frozen
from ghostmem.grouping import grouped
from ghostmem.model import FileRel, Memory, Record, SymbolRef, optional
from ghostmem.outline.graph import PROJECT, OutlineNode, file_id
from ghostmem.outline.parse import normalized
from ghostmem.outline.project_graph import CodeGraph, code_graphs, project_home
from ghostmem.outline.render import LinkedMemory
from ghostmem.store import Filter, Store, validate

_WORD = re.compile(rb"[\w\x80-\xff]+")

CURRENT, CHANGED, RENAMED, GONE, UNKNOWN = "current", "changed", "renamed", "gone", "unknown"


@frozen
class Stale(Record):
    """The state of a symbol that a memory is about.

    `now` is its probable new name, or the reason why it cannot be checked."""

    ns: str
    key: str
    symbol: str
    path: str
    state: str
    now: str = optional("")
    root: str = optional("")

    @property
    def mark(self) -> str:
        """Return the state in words, empty if the code is unchanged."""
        return SymbolState(self.state, now=self.now).mark


class SymbolState(NamedTuple):
    """The state of a symbol, the node that it is now or may be, and the name of a renamed one."""

    state: str
    node: OutlineNode | None = None
    now: str = ""

    @property
    def mark(self) -> str:
        """Return the state in words, empty if the symbol is unchanged."""
        return {
            CURRENT: "",
            CHANGED: "code changed since",
            RENAMED: f"renamed to {self.now}?",
            GONE: "symbol gone",
        }.get(self.state, f"cannot be checked: {self.now}")


def stale(
    store: Store, ns: str | None = None, *, root: str | Path | None = None, everything: bool = False
) -> list[Stale]:
    """Return the symbols of memories whose code has changed since.

    Args:
        ns: Namespace, prefix such as "agent:*", or None for all.
        root: Project folder; default: every project that memories are linked to.
        everything: Also return symbols whose code is unchanged.
    """
    home = None if root is None else str(project_home(root))
    with store.engine.read() as tx:
        memories = tx.listing.select(
            Filter(ns=validate.ns_filter(ns), now=store.clock(), code=home or "")
        )
    ordered = sorted(memories, key=lambda memory: (memory.ns, memory.key))
    refs = [
        (memory, ref) for memory in ordered for ref in memory.symbols if home in (None, ref.root)
    ]
    by_project = grouped(((ref.root, ref.language), ref) for _, ref in refs)
    states = {
        project: _states(store, *project, project_refs, trusted=home is not None)
        for project, project_refs in by_project.items()
    }
    judged = [(memory, ref, states[ref.root, ref.language][ref]) for memory, ref in refs]
    return [
        Stale(
            memory.ns,
            memory.key,
            ref.name,
            node.file if node else ref.path,
            state,
            now,
            ref.root,
        )
        for memory, ref, (state, node, now) in judged
        if everything or state != CURRENT
    ]


def _states(
    store: Store, root: str, language: str, refs: Sequence[SymbolRef], trusted: bool
) -> dict[SymbolRef, SymbolState]:
    """Return the state of each symbol, or the reason why it cannot be checked.

    A root from an import is not trusted: it must not make Ghost read the whole disk."""
    if not trusted and (
        not os.path.isabs(root)
        or Path(os.path.realpath(Path.home())).is_relative_to(os.path.realpath(root))
    ):
        reason = f"{root} is not a project folder; give it with --root to read it anyway"
        return dict.fromkeys(refs, SymbolState(UNKNOWN, now=reason))
    try:
        with code_graphs(store, root, [language]) as [graph]:
            code = CodeSymbols(graph, refs)
            return {ref: code.judge(ref) for ref in refs}
    except (GhostError, ImportError, OSError, ValueError) as error:
        return dict.fromkeys(refs, SymbolState(UNKNOWN, now=str(error)))


def _is_symbol(node: OutlineNode) -> bool:
    return node.origin == PROJECT and node.kind not in ("file", "module")


class CodeSymbols:
    """The current symbols of a project that may be those of some references."""

    def __init__(self, graph: CodeGraph, refs: Sequence[SymbolRef]) -> None:
        self.graph, self.refs = graph, refs
        names, bodies = {ref.name for ref in refs}, {ref.hash for ref in refs} - {""}
        nodes = graph.stored.nodes_like(names, bodies) if refs else ()
        self._nodes = [node for node in nodes if _is_symbol(node)]
        self._named = grouped((node.name, node) for node in self._nodes)

    def judge(self, ref: SymbolRef) -> SymbolState:
        """Return the state of a symbol; it is renamed if exactly one other has its text."""
        first = min(
            self._named.get(ref.name, ()),
            key=lambda node: (node.body != ref.hash, node.file != ref.path, node.line),
            default=None,
        )
        if first is not None:
            return SymbolState(CURRENT if first.body == ref.hash else CHANGED, first)
        same = list(self._same_text(ref).values()) if ref.hash else []
        return SymbolState(RENAMED, same[0], same[0].name) if len(same) == 1 else SymbolState(GONE)

    def in_file(self, path: str) -> dict[int, OutlineNode]:
        """Return the symbols of a file by number."""
        nodes = self.graph.stored.nodes(self.graph.stored.in_file(path))
        return {number: node for number, node in nodes.items() if _is_symbol(node)}

    def _same_text(self, ref: SymbolRef) -> dict[str, OutlineNode]:
        """Return the symbols with the same text, by id.

        A text may contain its own name, so symbols of the file are compared with the old name."""
        same = {node.id: node for node in self._nodes if node.body == ref.hash}
        try:
            source = normalized(Path(self.graph.root, ref.path).read_bytes())
        except OSError:
            return same
        here = self.in_file(ref.path).values()
        return same | {
            node.id: node for node in here if _hash_as(node, source, ref.name) == ref.hash
        }


def _hash_as(node: OutlineNode, source: bytes, name: str) -> str:
    """Return the hash of a symbol's text with another name in it."""
    new, old = (_WORD.findall(each.encode()) for each in (node.name, name))
    if len(new) != len(old):
        return ""
    back = dict(zip(new, old, strict=True))
    renamed = _WORD.sub(lambda word: back.get(word[0], word[0]), _text(node, source))
    return sha256(renamed).hexdigest()


def _text(node: OutlineNode, source: bytes) -> bytes:
    """Return the text of a symbol from its start to the end of its last line."""
    start = int(node.id.rpartition("@")[2])
    stop = sum(len(line) + 1 for line in source.split(b"\n")[: node.end_line])
    return source[start:stop].rstrip(b" \t\r\n;,")


def memories_of(
    graph: CodeGraph, now: datetime, ns: str | None = None
) -> dict[str, list[LinkedMemory]]:
    """Return the memories about files and symbols by node id, in any order.

    A memory about a renamed symbol is listed with the new one, about a removed symbol with its
    file."""
    places = {
        spelled: path
        for path in graph.stored.files
        for spelled in (path, f"./{path}", f"{graph.root}/{path}")
        if path
    }
    current = Filter(ns=validate.ns_filter(ns), now=now)
    here = replace(current, paths=tuple(sorted(places)))
    about_files = _readable(graph, here) if places else []
    refs = [
        (memory, ref)
        for memory in _readable(graph, replace(current, code=graph.root))
        for ref in memory.symbols
        if (ref.root, ref.language) == (graph.root, graph.language)
    ]
    code = CodeSymbols(graph, [ref for _, ref in refs])
    by_node: dict[str, dict[str, LinkedMemory]] = defaultdict(dict)
    for memory, ref in refs:
        state = code.judge(ref)
        is_named = state.node is not None and state.node.name == ref.name
        note = state.mark if is_named else f"{ref.name}: {state.mark}"
        node = state.node.id if state.node else file_id(ref.path)
        by_node[node].setdefault(memory.id, _mention(memory, ref.rel, note))
    for memory in about_files:
        for file in memory.files:
            if file.path in places:
                mentions = by_node[file_id(places[file.path])]
                mentions.setdefault(memory.id, _mention(memory, file.rel))
    return {node: list(mentions.values()) for node, mentions in by_node.items()}


def _readable(graph: CodeGraph, selection: Filter) -> list[Memory]:
    """Return the memories that pass a filter and that the caller may read."""
    caller = CALLER.get()
    memories = graph.tx.listing.select(selection)
    return [memory for memory in memories if caller.may(memory.ns, "read")]


def _mention(memory: Memory, rel: FileRel, note: str = "") -> LinkedMemory:
    return LinkedMemory(
        str(memory.tier), memory.key, str(rel), f"{memory.created_at:%Y-%m-%d}", memory.pinned, note
    )
