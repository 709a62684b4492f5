"""Memories about the code at hand and about its callers: further seeds of a context."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ghostmem.context.request import ContextRequest
from ghostmem.errors import GhostError
from ghostmem.model import Memory, SymbolRef
from ghostmem.outline.column_graph import ColumnGraph
from ghostmem.outline.graph import OutlineNode
from ghostmem.outline.project_graph import code_graph
from ghostmem.outline.stale import CodeSymbols
from ghostmem.outline.symbols import in_project, languages_of, relative_path, unknown
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
    root = validate.text("." if request.root is None else str(request.root), "root")
    home = os.path.realpath(os.path.expanduser(root))
    paths = {relative_path(home, file): file for file in files}
    with store.engine.read(request.filter_.ns) as tx:
        linked = tx.listing.select(replace(request.filter_, code=home))
        spellings = tuple(
            spelling for path in paths for spelling in (path, f"./{path}", f"{home}/{path}")
        )
        named = tx.listing.select(replace(request.filter_, paths=spellings)) if paths else []
    seeds = [CodeSeed(memory, 1.0, f"about {_file(memory, home, paths)}") for memory in named]
    refs = [(memory, ref) for memory in linked for ref in memory.symbols if ref.root == home]
    if not refs:
        return seeds, [f"no memory is about symbols of {home}"] if symbols else []
    # the language named, those of the files, or those that memories are linked to
    languages = [request.language] if request.language else languages_of(files)
    languages = languages or sorted({ref.language for _, ref in refs})
    by_language, notes = _read(store, home, languages, symbols, paths)
    for memory, ref in refs:
        if (reason := _reason(ref, by_language.get(ref.language), symbols, paths)) is not None:
            seeds.append(CodeSeed(memory, *reason))
    return seeds, notes


def _file(memory: Memory, home: str, paths: dict[str, str]) -> str:
    """Return the file at hand that a memory is about, as the caller spelled it."""
    return next(
        (paths[path] for file in memory.files if (path := relative_path(home, file.path)) in paths),
        memory.files[0].path,
    )


@dataclass(slots=True)
class _CodeAtHand:
    """The code at hand in one language: the named nodes, and their callers."""

    code: CodeSymbols
    targets: dict[str, OutlineNode]
    callers: dict[str, OutlineNode]  # the called node by the caller's id


def _read(
    store: Store, home: str, languages: Sequence[str], symbols: Sequence[str], paths: Iterable[str]
) -> tuple[dict[str, _CodeAtHand], list[str]]:
    """Read a project in some languages; notes name languages and symbols that were not found."""
    by_language: dict[str, _CodeAtHand] = {}
    notes: list[str] = []
    for language in languages:
        try:
            code = CodeSymbols(code_graph(store, home, language))
        except (GhostError, ImportError, OSError, ValueError) as error:
            hint = f"; {error.hint}" if isinstance(error, GhostError) else ""
            notes.append(f"the {language} code of {home} was not read: {error}{hint}")
            continue
        by_language[code.graph.language] = _select(code, symbols, paths)
    graphs = [at_hand.code.graph for at_hand in by_language.values()]
    for name in symbols:
        if graphs and not any(in_project(graph, name) for graph in graphs):
            lost = unknown(graphs[0], name)
            notes.append(f"{lost.message}; {lost.hint}")
    return by_language, notes


def _select(code: CodeSymbols, symbols: Sequence[str], paths: Iterable[str]) -> _CodeAtHand:
    """Return the nodes of some files and symbols, and their direct callers."""
    nodes = [node for path in paths for node in code.in_file(path)]
    nodes += [node for name in symbols for node in in_project(code.graph, name)]
    targets = {node.id: node for node in nodes}
    return _CodeAtHand(code, targets, _callers(code.graph.columns, targets))


def _callers(graph: ColumnGraph, targets: Mapping[str, OutlineNode]) -> dict[str, OutlineNode]:
    """Return the direct callers of some nodes by id, with what each calls first."""
    first: dict[str, tuple[int, str]] = {}
    for target in targets:
        number = graph.number(target)
        called_by = {} if number is None else graph.related(number).get("calledBy", {})
        for caller, (line, _) in called_by.items():
            id_ = graph.node(caller).id
            if id_ not in targets:
                first[id_] = min(first.get(id_, (line, target)), (line, target))
    return {id_: targets[target] for id_, (_, target) in first.items()}


def _reason(
    ref: SymbolRef, at_hand: _CodeAtHand | None, symbols: Sequence[str], paths: Iterable[str]
) -> tuple[float, str] | None:
    """Return the weight of a link to a symbol and the reason; None if it is not about the code."""
    judged = at_hand.code.judge(ref) if at_hand else None
    id_ = judged.node.id if judged and judged.node else None
    mark = f" ({judged.mark})" if judged and judged.mark else ""
    targets, callers = (at_hand.targets, at_hand.callers) if at_hand else ({}, {})
    if ref.name in symbols or ref.path in paths or id_ in targets:
        return 1.0, f"about {ref.name}{mark}"
    if id_ in callers:
        return CALLER_SHARE, f"about {ref.name}{mark}, which calls {callers[id_].name}"
    return None
