"""Find the memories about the files and symbols of an outline."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from ghostmem.caller import CALLER
from ghostmem.model import FileRel, Memory
from ghostmem.outline.graph import file_id
from ghostmem.outline.project_graph import CodeGraph
from ghostmem.outline.render import LinkedMemory as Mention
from ghostmem.outline.stale import CodeSymbols
from ghostmem.store import validate
from ghostmem.store.rows import Filter

_NodeMemory = tuple[str, Memory, Mention]  # the id of a node, a memory about it, its short form


def memories_of(graph: CodeGraph, now: datetime, ns: str | None = None) -> dict[str, list[Mention]]:
    """Return the memories about files and symbols by node id, in any order.

    A memory about a renamed symbol is listed with the new one, about a removed symbol with its
    file."""
    paths = [path for path in graph.stored.files if path]
    current = Filter(ns=validate.ns_filter(ns), now=now)
    linked = graph.tx.listing.select(replace(current, code=graph.root))
    about_files = (
        graph.tx.listing.select(replace(current, paths=_spellings(graph.root, paths)))
        if paths
        else []
    )
    by_node: dict[str, dict[str, Mention]] = defaultdict(dict)
    for node, memory, mention in (
        *_of_symbols(graph, linked),
        *_of_files(graph.root, paths, about_files),
    ):
        if CALLER.get().may(memory.ns, "read"):
            by_node[node].setdefault(memory.id, mention)
    return {node: list(mentions.values()) for node, mentions in by_node.items()}


def _spellings(root: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the forms in which memories name files: relative to the root, or absolute."""
    return tuple(
        sorted({spelled for path in paths for spelled in (path, f"./{path}", f"{root}/{path}")})
    )


def _of_symbols(graph: CodeGraph, memories: Sequence[Memory]) -> Iterator[_NodeMemory]:
    refs = [
        (memory, ref)
        for memory in memories
        for ref in memory.symbols
        if (ref.root, ref.language) == (graph.root, graph.language)
    ]
    code = CodeSymbols(graph, [ref for _, ref in refs])
    for memory, ref in refs:
        state = code.judge(ref)
        note = state.mark
        if state.node is None or state.node.name != ref.name:
            note = f"{ref.name}: {note}"
        yield (
            state.node.id if state.node else file_id(ref.path),
            memory,
            _mention(memory, ref.rel, note),
        )


def _of_files(root: str, paths: Iterable[str], memories: Sequence[Memory]) -> Iterator[_NodeMemory]:
    places = {spelled: path for path in paths for spelled in _spellings(root, [path])}
    for memory in memories:
        for file in memory.files:
            if file.path in places:
                yield file_id(places[file.path]), memory, _mention(memory, file.rel)


def _mention(memory: Memory, rel: FileRel, note: str = "") -> Mention:
    return Mention(
        str(memory.tier), memory.key, str(rel), f"{memory.created_at:%Y-%m-%d}", memory.pinned, note
    )
