"""Symbols that a memory is about: from the names that somebody typed to what they are in a
project's code.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import FileRef, FileRel, SymbolRef
from ghostmem.outline.find import find, nearest
from ghostmem.outline.graph import PROJECT, Node
from ghostmem.outline.languages.table import LANGUAGES
from ghostmem.outline.project_graph import CodeGraph, code_graph, shown
from ghostmem.store import validate
from ghostmem.store.store import Store

# told without importing the languages; a header is C's unless C++ is named
SUFFIXES = {
    "go": "go",
    "py": "python",
    "pyi": "python",
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), "javascript"),
    **dict.fromkeys(("ts", "tsx", "mts", "cts"), "typescript"),
    "rs": "rust",
    "java": "java",
    **dict.fromkeys(("c", "h"), "c"),
    **dict.fromkeys(("cc", "cpp", "cxx", "hh", "hpp", "hxx"), "cpp"),
    **dict.fromkeys(("rb", "rake", "gemspec"), "ruby"),
    "cs": "csharp",
    **dict.fromkeys(("php", "phtml"), "php"),
    **dict.fromkeys(("kt", "kts"), "kotlin"),
}
_SHOWN = 5  # candidates that a note names

Named = SymbolRef | str | tuple[str, str]


@dataclass(slots=True)
class Resolved:
    """What names came to: symbols, the files of names that several have, and what is to be said
    about those.
    """

    symbols: list[SymbolRef] = field(default_factory=list)
    files: list[FileRef] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def resolve(
    store: Store,
    names: Iterable[Named],
    language: str | None,
    root: str | Path | None,
    files: Sequence[str] = (),
) -> Resolved:
    """Find symbols by name, whole or in part.

    A name that several have stands for their files, one that nobody has is an error.

    A file that is named beside them decides between several.
    """
    found, graph = Resolved(), None
    for name in names:
        if isinstance(name, SymbolRef):
            found.symbols.append(name)
            continue
        symbol, rel = (name, None) if isinstance(name, str) else name
        how = validate.choice(rel, FileRel, "symbol relation") or FileRel.MODIFIED
        if not validate.text(symbol, "symbol").strip():
            raise InvalidInputError("the symbol is empty", "name one, such as shop.cart.Cart.add")
        graph = graph or code_graph(store, _root(root), language or _language(files))
        _add(found, graph, symbol, how, files)
    return found


def languages_of(files: Iterable[str]) -> list[str]:
    """Return the languages of files, told by their endings."""
    return sorted(
        {SUFFIXES[end] for path in files if (end := path.rpartition(".")[2].lower()) in SUFFIXES}
    )


def below(root: str, file: str) -> str:
    """Return a file's path from a project's root, however it was spelled.

    One that is elsewhere stays what it is.
    """
    real = os.path.realpath(os.path.join(root, os.path.expanduser(file)))
    return (
        os.path.relpath(real, root).replace(os.sep, "/")
        if real.startswith(f"{root.rstrip('/')}/")
        else file
    )


def in_project(graph: CodeGraph, symbol: str) -> list[Node]:
    """Return the project's own symbols of a name."""
    return [node for node in find(graph.linked, symbol) if node.origin == PROJECT]


def unknown(graph: CodeGraph, symbol: str) -> NotFoundError:
    """Return the error that says that there is no such symbol, and what comes close."""
    close = nearest(graph.linked, symbol)
    hint = (
        f"the nearest names: {', '.join(close)}"
        if close
        else "`ghost outline project` lists what there is"
    )
    broken = f"; {len(graph.errors)} files could not be parsed fully" if graph.errors else ""
    return NotFoundError(
        f"there is no symbol {shown(symbol)} in the {graph.language} code of {graph.root}{broken}",
        hint,
    )


def _root(root: str | Path | None) -> str:
    return validate.text("." if root is None else str(root), "root")


def _language(files: Sequence[str]) -> str:
    told = languages_of(files)
    if len(told) == 1:
        return told[0]
    why = f"the files are of {' and '.join(told)}" if told else "no file tells it"
    raise InvalidInputError(
        f"the language of the symbols is required: {why}", f"name it: {', '.join(LANGUAGES)}"
    )


def _add(
    found: Resolved, graph: CodeGraph, symbol: str, rel: FileRel, files: Sequence[str]
) -> None:
    nodes = in_project(graph, symbol)
    if len(nodes) > 1:
        places = {below(graph.root, file) for file in files}
        nodes = [node for node in nodes if node.file in places] or nodes
    if not nodes:
        raise unknown(graph, symbol)
    if len(nodes) == 1:
        node = nodes[0]
        found.symbols.append(
            SymbolRef(node.name, graph.language, node.file, graph.root, node.body, rel)
        )
        return
    found.files += [FileRef(path, rel) for path in dict.fromkeys(node.file for node in nodes)]
    listed = [f"{node.name} ({node.file}:{node.line})" for node in nodes[:_SHOWN]]
    listed += [f"{len(nodes) - _SHOWN} more"] if len(nodes) > _SHOWN else []
    found.notes.append(
        f"{len(nodes)} symbols match {shown(symbol)}, so it is linked by file: {', '.join(listed)}"
    )
