"""The outline operations: symbols of code, their relations, and memories about them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.model import Record
from ghostmem.outline.find import find
from ghostmem.outline.project_graph import (
    CodeGraph,
    code_graphs,
    languages_of_project,
    unknown_symbol,
)
from ghostmem.outline.render import OutlineStats, to_json, to_text
from ghostmem.outline.sources import inside
from ghostmem.outline.stale import memories_of
from ghostmem.outline.tree import Options, build
from ghostmem.store.store import Store


@frozen
class Outline(Record):
    """An outline as text for people and as data for programs."""

    text: str
    data: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the data."""
        return self.data


def outline_symbol(
    store: Store,
    symbol: str,
    *,
    language: str | None = None,
    root: str | Path = ".",
    file: str | None = None,
    depth: int | None = None,
    relations: Iterable[str] | None = None,
    omit_native: bool | None = None,
    max_nodes: int | None = None,
    offset: int | None = None,
    include_tests: bool | None = None,
    include_memories: bool | None = None,
) -> Outline:
    """Return the relation tree of a symbol in the code of a project.

    Args:
        symbol: Full or partial name.
        language: Language of the code; default: detected from the files.
        root: Folder of the project.
        file: Path of the file that declares it.
        depth: Levels of relations, 0 to 10; default: 2.
        relations: Kinds of relations; default: all.
        omit_native: Leave out the standard library and built-ins.
        max_nodes: Maximum number of nodes in one answer; default: 2000.
        offset: Symbols to skip; `next_offset` of the previous answer.
        include_tests: Include test files; default: True.
        include_memories: Show memories about each file and symbol.

    Returns:
        The tree as `text` and as `data`.

    Raises:
        NotFoundError: No symbol has that name.
    """
    if not isinstance(symbol, str) or not symbol.strip():
        raise InvalidInputError(
            "the symbol is empty", "give one, such as RegisterExtractor or outline.Manager.Register"
        )
    options, named = _checked(
        depth=depth,
        relations=relations,
        omit_native=omit_native,
        max_nodes=max_nodes,
        offset=offset,
        include_tests=include_tests,
        include_memories=include_memories,
    )
    with code_graphs(store, root, _languages(root, language, file)) as graphs:
        path = "" if file is None else _file(graphs[0], file)
        matches = [find(graph.stored, symbol, path) for graph in graphs]
        if not any(matches):
            raise unknown_symbol(graphs, symbol, path)
        query = {"symbol": symbol, **({"file": path} if path else {}), **named}
        return _outline(store, graphs, matches, options, query)


def outline_file(
    store: Store,
    file: str,
    *,
    language: str | None = None,
    root: str | Path = ".",
    depth: int | None = None,
    relations: Iterable[str] | None = None,
    omit_native: bool | None = None,
    max_nodes: int | None = None,
    offset: int | None = None,
    include_tests: bool | None = None,
    include_memories: bool | None = None,
) -> Outline:
    """Return the relation tree of every symbol that a source file declares.

    Args:
        file: Path of the file.
        language: Language of the code; default: detected from the files.
        root: Folder of the project.
        depth: Levels of relations, 0 to 10; default: 2.
        relations: Kinds of relations; default: all.
        omit_native: Leave out the standard library and built-ins.
        max_nodes: Maximum number of nodes in one answer; default: 2000.
        offset: Symbols to skip; `next_offset` of the previous answer.
        include_tests: Include test files; default: True.
        include_memories: Show memories about each file and symbol.

    Returns:
        The tree as `text` and as `data`.
    """
    options, named = _checked(
        depth=depth,
        relations=relations,
        omit_native=omit_native,
        max_nodes=max_nodes,
        offset=offset,
        include_tests=include_tests,
        include_memories=include_memories,
    )
    with code_graphs(store, root, _languages(root, language, file)[:1]) as [graph]:
        path = _file(graph, file)
        numbers = graph.stored.in_file(path)
        nodes = graph.stored.nodes(numbers).items()
        files = [number for number, node in nodes if node.kind == "file"]
        roots = [[*files, *graph.stored.shown_alone(numbers)]]
        return _outline(store, [graph], roots, options, {"file": path, **named})


def outline_project(
    store: Store,
    *,
    language: str | None = None,
    root: str | Path = ".",
    depth: int | None = None,
    relations: Iterable[str] | None = None,
    omit_native: bool | None = None,
    max_nodes: int | None = None,
    offset: int | None = None,
    include_tests: bool | None = None,
    include_memories: bool | None = None,
) -> Outline:
    """Return the relation tree of every symbol of a project.

    Args:
        language: Language of the code; default: detected from the files.
        root: Folder of the project.
        depth: Levels of relations, 0 to 10; default: 2.
        relations: Kinds of relations; default: all.
        omit_native: Leave out the standard library and built-ins.
        max_nodes: Maximum number of nodes in one answer; default: 2000.
        offset: Symbols to skip; `next_offset` of the previous answer.
        include_tests: Include test files; default: True.
        include_memories: Show memories about each file and symbol.

    Returns:
        The tree as `text` and as `data`.
    """
    options, named = _checked(
        depth=depth,
        relations=relations,
        omit_native=omit_native,
        max_nodes=max_nodes,
        offset=offset,
        include_tests=include_tests,
        include_memories=include_memories,
    )
    with code_graphs(store, root, _languages(root, language)) as graphs:
        roots = [graph.stored.shown_alone() for graph in graphs]
        return _outline(store, graphs, roots, options, named)


def _languages(root: str | Path, language: str | None, file: str | None = None) -> list[str]:
    return [language] if language is not None else languages_of_project(root, file)


def _file(graph: CodeGraph, file: str) -> str:
    path = inside(Path(graph.root), file)
    if path not in graph.stored.files:
        reason, hint = graph.skipped.get(path), "such files are left out: give another one"
        if reason is None:
            reason = f"it is not a file of {graph.language}, or not part of the project"
            hint = "give a source file of that language"
        raise InvalidInputError(f"{path} cannot be outlined: {reason}", hint)
    return path


def _checked(**given: Any) -> tuple[Options, dict[str, Any]]:
    """Return the options of an outline, and those that the caller named: its data lists these."""
    fields = {name: value for name, value in given.items() if value is not None}
    named = {name: value for name, value in fields.items() if value not in ([], ())}
    return Options.checked(**fields), named


def _outline(
    store: Store,
    graphs: Sequence[CodeGraph],
    roots: Sequence[list[int]],
    options: Options,
    query: dict[str, Any],
) -> Outline:
    """Return the trees of some roots as text and as data."""
    now = store.clock()
    memories = {
        node: mentions
        for graph in graphs
        if options.include_memories
        for node, mentions in memories_of(graph, now).items()
    }
    parts = zip((graph.stored for graph in graphs), roots, strict=True)
    tree = build(parts, options, apart="symbol" not in query)
    digests = "".join(graph.digest for graph in graphs)
    stats = OutlineStats(
        sum(len(graph.hashes) for graph in graphs),
        sum(graph.parsed for graph in graphs),
        tuple(error for graph in graphs for error in graph.stored.errors),
        tuple(skipped for graph in graphs for skipped in graph.skipped.items()),
        digests if len(graphs) == 1 else hashlib.sha256(digests.encode()).hexdigest(),
    )
    data = to_json(
        tree,
        languages=[graph.language for graph in graphs],
        root=graphs[0].root,
        query=query,
        memories=memories,
        stats=stats,
    )
    return Outline(to_text(tree, query.get("symbol", ""), memories, stats), data)
