"""Resolve the names of symbols that a memory is about in the code of a project."""

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import PathLike

from ghostmem.errors import InvalidInputError
from ghostmem.model import FileRef, FileRel, SymbolRef
from ghostmem.outline.find import find
from ghostmem.outline.graph import PROJECT, OutlineNode
from ghostmem.outline.languages.table import LANGUAGES, detected_languages
from ghostmem.outline.project_graph import (
    CodeGraph,
    code_graphs,
    languages_of_project,
    unknown_symbol,
)
from ghostmem.outline.render import MAX_WIDTH
from ghostmem.store import Store, validate

_MAX_SHOWN = 5  # candidates that a note names

Named = SymbolRef | str | tuple[str, str]


@dataclass(slots=True)
class ResolvedSymbols:
    """The symbols of names, the files of ambiguous names, and notes about those."""

    symbols: list[SymbolRef] = field(default_factory=list)
    files: list[FileRef] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def resolve(
    store: Store,
    names: Iterable[Named],
    language: str | None,
    root: str | PathLike[str] | None,
    files: Sequence[str] = (),
) -> ResolvedSymbols:
    """Resolve full or partial names of symbols; an unknown name is an error.

    An ambiguous name stands for the files of all symbols with it, unless one of `files` decides."""
    resolved = ResolvedSymbols()
    graphs: list[CodeGraph] = []
    with ExitStack() as stack:
        for name in names:
            if isinstance(name, SymbolRef):
                resolved.symbols.append(name)
                continue
            symbol, rel = (name, None) if isinstance(name, str) else validate.pair(name, "a symbol")
            relation = validate.choice(rel, FileRel, "symbol relation") or FileRel.MODIFIED
            if not validate.text(symbol, "symbol").strip():
                raise InvalidInputError(
                    "the symbol is empty", "give one, such as shop.cart.Cart.add"
                )
            if not graphs:
                folder = validate.text("." if root is None else str(root), "root")
                graphs = stack.enter_context(
                    code_graphs(store, folder, [language or _language(files, folder)])
                )
            _add(resolved, graphs[0], symbol, relation, files)
    return resolved


def relative_path(root: str, file: str) -> str:
    """Return the path of a file relative to a root; a path outside the root stays unchanged."""
    real = os.path.realpath(os.path.join(root, os.path.expanduser(file)))
    return (
        os.path.relpath(real, root).replace(os.sep, "/")
        if real.startswith(f"{root.rstrip('/')}/")
        else file
    )


def in_project(graph: CodeGraph, symbol: str) -> dict[int, OutlineNode]:
    """Return the symbols of the project itself with a name, by number."""
    nodes = graph.stored.nodes(find(graph.stored, symbol))
    return {number: node for number, node in nodes.items() if node.origin == PROJECT}


def _language(files: Sequence[str], root: str) -> str:
    """Return the one language of the files, or of the project."""
    languages = detected_languages(files) or languages_of_project(root)
    if len(languages) == 1:
        return languages[0]
    raise InvalidInputError(
        f"the language of the symbols is required: the files are of {' and '.join(languages)}",
        f"name it: {', '.join(LANGUAGES)}",
    )


def _add(
    resolved: ResolvedSymbols, graph: CodeGraph, symbol: str, rel: FileRel, files: Sequence[str]
) -> None:
    nodes = list(in_project(graph, symbol).values())
    if len(nodes) > 1:
        places = {relative_path(graph.root, file) for file in files}
        nodes = [node for node in nodes if node.file in places] or nodes
    if not nodes:
        raise unknown_symbol([graph], symbol)
    if len(nodes) == 1:
        node = nodes[0]
        resolved.symbols.append(
            SymbolRef(node.name, graph.language, node.file, graph.root, node.body, rel)
        )
        return
    resolved.files += [FileRef(path, rel) for path in dict.fromkeys(node.file for node in nodes)]
    listed = [f"{node.name} ({node.file}:{node.line})" for node in nodes[:_MAX_SHOWN]]
    listed += [f"{len(nodes) - _MAX_SHOWN} more"] if len(nodes) > _MAX_SHOWN else []
    resolved.notes.append(
        f"{len(nodes)} symbols match {validate.shown(symbol, MAX_WIDTH)}, so it is linked by file: "
        f"{', '.join(listed)}"
    )
