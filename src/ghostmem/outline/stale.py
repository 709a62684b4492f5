"""Find memories whose code has changed since; computed on request, never stored."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ghostmem.errors import GhostError
from ghostmem.frozen import frozen
from ghostmem.model import Memory, Record, SymbolRef, optional
from ghostmem.outline.graph import PROJECT, OutlineNode
from ghostmem.outline.parse import normalized
from ghostmem.outline.project_graph import CodeGraph, code_graph
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store

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
        return mark(self.state, self.now)


class SymbolState(NamedTuple):
    """The state of a symbol, and the node that it is now or may be."""

    state: str
    node: OutlineNode | None = None

    @property
    def now(self) -> str:
        """Return the new name of a renamed symbol."""
        return self.node.name if self.node and self.state == RENAMED else ""

    @property
    def mark(self) -> str:
        """Return the state in words."""
        return mark(self.state, self.now)


def mark(state: str, now: str = "") -> str:
    """Return a state in words, empty if the symbol is unchanged."""
    words = {
        CURRENT: "",
        CHANGED: "code changed since",
        RENAMED: f"renamed to {now}?",
        GONE: "symbol gone",
    }
    return words.get(state, f"cannot be checked: {now}")


def stale(
    store: Store, ns: str | None = None, *, root: str | Path | None = None, everything: bool = False
) -> list[Stale]:
    """Return the symbols of memories whose code has changed since.

    Args:
        ns: Namespace, prefix such as "agent:*", or None for all.
        root: Project folder; default: every project that memories are linked to.
        everything: Also return symbols whose code is unchanged.
    """
    home = (
        None
        if root is None
        else os.path.realpath(os.path.expanduser(validate.text(str(root), "root")))
    )
    with store.engine.read() as tx:
        memories = tx.listing.select(
            Filter(ns=validate.ns_filter(ns), now=store.clock(), code=home or "")
        )
    codes: dict[tuple[str, str], CodeSymbols | str] = {}
    states = []
    for memory, ref in _links(memories, home):
        place = (ref.root, ref.language)
        if place not in codes:
            codes[place] = _code(store, *place, trusted=home is not None)
        state = _state(memory, ref, codes[place])
        if everything or state.state != CURRENT:
            states.append(state)
    return states


def _links(memories: Iterable[Memory], home: str | None) -> list[tuple[Memory, SymbolRef]]:
    ordered = sorted(memories, key=lambda memory: (memory.ns, memory.key))
    return [
        (memory, ref) for memory in ordered for ref in memory.symbols if home in (None, ref.root)
    ]


def _state(memory: Memory, ref: SymbolRef, code: "CodeSymbols | str") -> Stale:
    if isinstance(code, str):
        return Stale(memory.ns, memory.key, ref.name, ref.path, UNKNOWN, code, ref.root)
    symbol = code.judge(ref)
    path = symbol.node.file if symbol.node else ref.path
    return Stale(memory.ns, memory.key, ref.name, path, symbol.state, symbol.now, ref.root)


def _code(store: Store, root: str, language: str, trusted: bool) -> "CodeSymbols | str":
    """Read a project, or return the reason why that is not possible.

    A root from an import is not trusted: it must not make Ghost read the whole disk."""
    if not trusted and (
        not os.path.isabs(root)
        or Path(os.path.realpath(Path.home())).is_relative_to(os.path.realpath(root))
    ):
        return f"{root} is not a project folder; give it with --root to read it anyway"
    try:
        return CodeSymbols(code_graph(store, root, language))
    except (GhostError, ImportError, OSError, ValueError) as error:
        return str(error)


class CodeSymbols:
    """The current symbols of a project, by name, text and file."""

    def __init__(self, graph: CodeGraph) -> None:
        self.graph = graph
        self._named: dict[str, list[OutlineNode]] = defaultdict(list)
        self._bodies: dict[str, list[OutlineNode]] = defaultdict(list)
        self._files: dict[str, list[OutlineNode]] = defaultdict(list)
        for node in graph.columns.nodes():
            if node.origin == PROJECT and node.kind not in ("file", "module"):
                self._named[node.name].append(node)
                self._bodies[node.body].append(node)
                self._files[node.file].append(node)

    def judge(self, ref: SymbolRef) -> SymbolState:
        """Return the state of a symbol; it is renamed if exactly one other has its text."""
        known = sorted(
            self._named.get(ref.name, ()),
            key=lambda node: (node.body != ref.hash, node.file != ref.path, node.line),
        )
        if known:
            return SymbolState(CURRENT if known[0].body == ref.hash else CHANGED, known[0])
        same = list(self._same_text(ref).values()) if ref.hash else []
        return SymbolState(RENAMED, same[0]) if len(same) == 1 else SymbolState(GONE)

    def in_file(self, path: str) -> list[OutlineNode]:
        """Return the symbols of a file."""
        return self._files.get(path, [])

    def _same_text(self, ref: SymbolRef) -> dict[str, OutlineNode]:
        """Return the symbols with the same text, by id.

        A text may contain its own name, so symbols of the file are compared with the old name."""
        same = {node.id: node for node in self._bodies.get(ref.hash, ())}
        here = self.in_file(ref.path)
        source = _source(self.graph.root, ref.path) if here else b""
        same |= {node.id: node for node in here if _hash_as(node, source, ref.name) == ref.hash}
        return same


def _source(root: str, path: str) -> bytes:
    try:
        return normalized((Path(root) / path).read_bytes())
    except OSError:
        return b""


def _hash_as(node: OutlineNode, source: bytes, name: str) -> str:
    """Return the hash of a symbol's text with another name in it."""
    new, old = re.findall(r"\w+", node.name), re.findall(r"\w+", name)
    back = {
        mine.encode(): theirs.encode()
        for mine, theirs in zip(new, old, strict=False)
        if mine != theirs
    }
    text = _text(node, source) if len(new) == len(old) and back else b""
    if not text:
        return ""
    words = re.compile(
        rb"(?<![\w\x80-\xff])(?:" + b"|".join(map(re.escape, back)) + rb")(?![\w\x80-\xff])"
    )
    return sha256(words.sub(lambda match: back[match[0]], text)).hexdigest()


def _text(node: OutlineNode, source: bytes) -> bytes:
    """Return the text of a symbol: its id has the start, and the hash gives the end."""
    place = node.id.rpartition("@")[2]
    lines = [line + b"\n" for line in source.split(b"\n")]
    if not place.isdecimal() or not node.line <= node.end_line <= len(lines):
        return b""
    start, low = int(place), sum(map(len, lines[: node.end_line - 1]))
    low = max(start, low)
    before = sha256(source[start:low])
    for stop in range(low, min(len(source), low + len(lines[node.end_line - 1])) + 1):
        hashed = before.copy()
        hashed.update(source[low:stop])
        if hashed.hexdigest() == node.body:
            return source[start:stop]
    return b""
