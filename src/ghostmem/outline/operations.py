"""outline: what code is and how its symbols relate, beside what is remembered about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import Record
from ghostmem.outline.find import find, nearest
from ghostmem.outline.graph import file_id
from ghostmem.outline.project_graph import CodeGraph, code_graph, shown
from ghostmem.outline.render import Stats, to_json, to_text
from ghostmem.outline.sources import inside
from ghostmem.outline.tree import Options, build
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from typing import TypedDict

    from ghostmem.outline.graph import Linked, Node

    class OutlineFields(TypedDict, total=False):
        """What an outline may be narrowed by."""

        depth: int
        relations: Iterable[str]
        omit_native: bool
        max_nodes: int
        include_tests: bool
        include_memories: bool


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
    """Return the relation tree of a symbol by its name, whole or in part.

    Of every one that has it, in order of files.
    """
    if not isinstance(symbol, str) or not symbol.strip():
        raise InvalidInputError(
            "the symbol is empty", "name one, such as RegisterExtractor or outline.Manager.Register"
        )
    options = Options.checked(**_options(fields))
    graph = code_graph(store, root, language)
    path = "" if file is None else _file(graph, file)
    found = find(graph.linked, symbol, path)
    if not found:
        raise _unknown(graph, symbol, path)
    return _outline(
        store, graph, found, options, {"symbol": symbol, **({"file": path} if path else {})}, fields
    )


def outline_file(
    store: Store, file: str, language: str, *, root: str | Path = ".", **fields: Any
) -> Outline:
    """Return the relation tree of every symbol that a file declares."""
    options = Options.checked(**_options(fields))
    graph = code_graph(store, root, language)
    path = _file(graph, file)
    roots = [
        *_symbols(graph, path),
        graph.linked.nodes[file_id(path)],
    ]  # the file itself last, for what it imports
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


def _symbols(graph: CodeGraph, path: str = "") -> list[Node]:
    """Return the symbols of a file, or of all, in order.

    What stands inside another is shown there.
    """
    found = graph.linked.once("outermost", _outermost)
    return [node for node in found if node.file == path] if path else found


def _outermost(linked: Linked) -> list[Node]:
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


def _unknown(graph: CodeGraph, symbol: str, path: str) -> NotFoundError:
    where = f" in {path}" if path else ""
    close = nearest(graph.linked, symbol)
    hint = (
        f"the nearest names: {', '.join(close)}"
        if close
        else "`ghost outline project` lists what there is"
    )
    broken = f"; {len(graph.errors)} files could not be parsed fully" if graph.errors else ""
    return NotFoundError(
        f"there is no symbol {shown(symbol)}{where} in the {graph.language} code of "
        f"{graph.root}{broken}",
        hint,
    )


def _outline(
    store: Store,
    graph: CodeGraph,
    roots: list[Node],
    options: Options,
    query: dict[str, Any],
    fields: dict[str, Any],
) -> Outline:
    memories = None
    if fields.get("include_memories"):
        from ghostmem.outline.memories import memories_of

        memories = memories_of(store, graph, graph.linked.nodes.values())
    tree = build(graph.linked, roots, options)
    made = Stats(
        graph.files,
        graph.parsed,
        graph.cached,
        tuple(graph.errors),
        tuple(graph.skipped.items()),
        graph.digest[:12],
    )
    asked = {
        **query,
        **{name: value for name, value in fields.items() if value not in (None, [], ())},
    }
    text = to_text(tree, symbol=query.get("symbol", ""), memories=memories, stats=made)
    return Outline(
        text,
        to_json(
            tree,
            language=graph.language,
            root=graph.root,
            query=asked,
            memories=memories,
            stats=made,
        ),
    )
