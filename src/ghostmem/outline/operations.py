"""The outline operations: symbols of code, their relations, and memories about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError
from ghostmem.model import Record
from ghostmem.outline.find import find
from ghostmem.outline.graph import file_id
from ghostmem.outline.project_graph import CodeGraph, code_graph, unknown_symbol
from ghostmem.outline.render import OutlineStats, to_json, to_text
from ghostmem.outline.sources import inside
from ghostmem.outline.tree import Options, build
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.outline.graph import Linked, OutlineNode


@dataclass(frozen=True, eq=False, repr=False)
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
    language: str,
    *,
    root: str | Path = ".",
    file: str | None = None,
    **fields: Any,
) -> Outline:
    """Return the relation tree of every symbol with a full or partial name, in order of files."""
    if not isinstance(symbol, str) or not symbol.strip():
        raise InvalidInputError(
            "the symbol is empty", "name one, such as RegisterExtractor or outline.Manager.Register"
        )
    options = Options.checked(**_options(fields))
    graph = code_graph(store, root, language)
    path = "" if file is None else _file(graph, file)
    matches = find(graph.linked, symbol, path)
    if not matches:
        raise unknown_symbol(graph, symbol, path)
    query = {"symbol": symbol, **({"file": path} if path else {})}
    return _outline(store, graph, matches, options, query, fields)


def outline_file(
    store: Store, file: str, language: str, *, root: str | Path = ".", **fields: Any
) -> Outline:
    """Return the relation tree of every symbol that a file declares."""
    options = Options.checked(**_options(fields))
    graph = code_graph(store, root, language)
    path = _file(graph, file)
    # The file itself comes last, for its imports.
    roots = [*_symbols(graph, path), graph.linked.nodes[file_id(path)]]
    return _outline(store, graph, roots, options, {"file": path}, fields)


def outline_project(
    store: Store, language: str, *, root: str | Path = ".", **fields: Any
) -> Outline:
    """Return the relation tree of every symbol of a project."""
    options = Options.checked(**_options(fields))
    graph = code_graph(store, root, language)
    return _outline(store, graph, _symbols(graph), options, {}, fields)


def _options(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "include_memories"}


def _file(graph: CodeGraph, file: str) -> str:
    path = inside(Path(graph.root), file)
    if file_id(path) not in graph.linked.nodes:
        reason = graph.skipped.get(
            path, f"it is no file of {graph.language}, or not part of the project"
        )
        raise InvalidInputError(
            f"{path} cannot be outlined: {reason}", "name a source file of that language"
        )
    return path


def _symbols(graph: CodeGraph, path: str = "") -> list[OutlineNode]:
    """Return the outermost symbols of a file or of all files, in order."""
    nodes = graph.linked.once("outermost", _outermost)
    return [node for node in nodes if node.file == path] if path else nodes


def _outermost(linked: Linked) -> list[OutlineNode]:
    inner = {
        link.end
        for link in linked.links
        if link.kind == "declares" and not link.start.endswith("#")
    }
    nodes = [
        node
        for node in linked.nodes.values()
        if node.origin == "project" and node.kind not in ("file", "module") and node.id not in inner
    ]
    return sorted(nodes, key=lambda node: (node.file, node.line, node.name, node.id))


def _outline(
    store: Store,
    graph: CodeGraph,
    roots: list[OutlineNode],
    options: Options,
    query: dict[str, Any],
    fields: dict[str, Any],
) -> Outline:
    memories = None
    if fields.get("include_memories"):
        from ghostmem.outline.memories import memories_of

        memories = memories_of(store, graph, graph.linked.nodes.values())
    tree = build(graph.linked, roots, options)
    stats = OutlineStats(
        graph.files,
        graph.parsed,
        graph.cached,
        tuple(graph.errors),
        tuple(graph.skipped.items()),
        graph.digest[:12],
    )
    query_fields = {name: value for name, value in fields.items() if value not in (None, [], ())}
    data = to_json(
        tree,
        language=graph.language,
        root=graph.root,
        query={**query, **query_fields},
        memories=memories,
        stats=stats,
    )
    text = to_text(tree, symbol=query.get("symbol", ""), memories=memories, stats=stats)
    return Outline(text, data)
