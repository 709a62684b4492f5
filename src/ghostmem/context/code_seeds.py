"""Memories about the code at hand and about its callers: further seeds of a context."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ghostmem.context.request import ContextRequest
from ghostmem.errors import GhostError, NotFoundError
from ghostmem.grouping import grouped
from ghostmem.model import Memory, SymbolRef
from ghostmem.outline.graph import OutlineNode
from ghostmem.outline.languages.table import detected_languages
from ghostmem.outline.project_graph import CodeGraph, code_graphs, unknown_symbol
from ghostmem.outline.stale import CodeSymbols, SymbolState
from ghostmem.outline.stored_graph import StoredGraph
from ghostmem.outline.symbols import in_project, relative_path
from ghostmem.store import Store, validate

CALLER_SHARE = 0.3  # weight of a memory about a caller; one about the code itself has 1


class CodeSeed(NamedTuple):
    """A memory about code at hand, its weight, and the reason."""

    memory: Memory
    share: float
    note: str


def code_seeds(store: Store, request: ContextRequest) -> tuple[list[CodeSeed], list[str]]:
    """Return memories about files and symbols of a project and their direct callers, and notes.

    A project that cannot be read is no error: then the names that memories give their symbols are
    compared."""
    files, symbols = request.files, request.symbols
    home = os.path.realpath(
        os.path.expanduser(
            validate.text("." if request.root is None else str(request.root), "root")
        )
    )
    paths = {relative_path(home, file): file for file in files}
    with store.engine.read(request.filter_.ns) as tx:
        linked = tx.listing.select(replace(request.filter_, code=home))
        spellings = tuple(
            spelling for path in paths for spelling in (path, f"./{path}", f"{home}/{path}")
        )
        about_files = tx.listing.select(replace(request.filter_, paths=spellings)) if paths else []
    seeds = [CodeSeed(memory, 1.0, f"about {_file(memory, home, paths)}") for memory in about_files]
    refs = [(memory, ref) for memory in linked for ref in memory.symbols if ref.root == home]
    if not refs:
        return seeds, [f"no memory is about symbols of {home}"] if symbols else []
    # the language named, those of the files, or those that memories are linked to
    languages = [request.language] if request.language else detected_languages(files)
    languages = languages or sorted({ref.language for _, ref in refs})
    by_language, notes = _read(store, home, languages, symbols, paths, [ref for _, ref in refs])
    seeds += [
        CodeSeed(memory, *reason)
        for memory, ref in refs
        if (reason := _reason(ref, by_language.get(ref.language), symbols, paths)) is not None
    ]
    return seeds, notes


def _file(memory: Memory, home: str, paths: dict[str, str]) -> str:
    """Return the file at hand that a memory is about, as the caller spelled it."""
    return next(
        (paths[path] for file in memory.files if (path := relative_path(home, file.path)) in paths),
        memory.files[0].path,
    )


class _CodeAtHand(NamedTuple):
    """The code at hand in one language."""

    states: dict[SymbolRef, SymbolState]
    targets: set[str]  # ids of the named nodes
    callers: dict[str, str]  # by the id of a caller: the name of what it calls
    unknown: dict[str, NotFoundError]  # by symbol


def _read(
    store: Store,
    home: str,
    languages: Sequence[str],
    symbols: Sequence[str],
    paths: Iterable[str],
    refs: Sequence[SymbolRef],
) -> tuple[dict[str, _CodeAtHand], list[str]]:
    """Read a project in some languages; notes name languages and symbols that were not found."""
    by_language: dict[str, _CodeAtHand] = {}
    notes: list[str] = []
    for language in languages:
        try:
            with code_graphs(store, home, [language]) as [graph]:
                by_language[graph.language] = _select(graph, symbols, paths, refs)
        except (GhostError, ImportError, OSError, ValueError) as error:
            hint = f"; {error.hint}" if isinstance(error, GhostError) else ""
            notes.append(f"the {language} code of {home} was not read: {error}{hint}")
    for name in symbols:
        errors = [at_hand.unknown.get(name) for at_hand in by_language.values()]
        if errors and errors[0] and all(errors):
            notes.append(f"{errors[0].message}; {errors[0].hint}")
    return by_language, notes


def _select(
    graph: CodeGraph, symbols: Sequence[str], paths: Iterable[str], refs: Sequence[SymbolRef]
) -> _CodeAtHand:
    """Return the nodes of some files and symbols, their direct callers, and what refs refer to."""
    code = CodeSymbols(graph, [ref for ref in refs if ref.language == graph.language])
    by_symbol = {symbol: in_project(graph, symbol) for symbol in symbols}
    targets: dict[int, OutlineNode] = {}
    for nodes in (*map(code.in_file, paths), *by_symbol.values()):
        targets |= nodes
    return _CodeAtHand(
        {ref: code.judge(ref) for ref in code.refs},
        {node.id for node in targets.values()},
        _callers(graph.stored, targets),
        {
            symbol: unknown_symbol([graph], symbol)
            for symbol, nodes in by_symbol.items()
            if not nodes
        },
    )


def _callers(graph: StoredGraph, targets: Mapping[int, OutlineNode]) -> dict[str, str]:
    """Return the direct callers of some nodes by id, with the name of what each calls first."""
    graph.load(targets)
    calls = grouped(
        (caller, (line, node.id, node.name))
        for number, node in targets.items()
        for caller, (line, _) in graph.relations[number].get("calledBy", {}).items()
        if caller not in targets
    )
    nodes = graph.nodes(calls)
    return {nodes[caller].id: min(lines)[2] for caller, lines in calls.items()}


def _reason(
    ref: SymbolRef, at_hand: _CodeAtHand | None, symbols: Sequence[str], paths: Iterable[str]
) -> tuple[float, str] | None:
    """Return the weight of a link to a symbol and the reason; None if it is not about the code."""
    judged = at_hand.states[ref] if at_hand else None
    id_ = judged.node.id if judged and judged.node else None
    mark = f" ({judged.mark})" if judged and judged.mark else ""
    if ref.name in symbols or ref.path in paths or (at_hand and id_ in at_hand.targets):
        return 1.0, f"about {ref.name}{mark}"
    if at_hand and id_ in at_hand.callers:
        return CALLER_SHARE, f"about {ref.name}{mark}, which calls {at_hand.callers[id_]}"
    return None
