"""The memories that a question or the code at hand finds for a context, with scores."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ghostmem.context.composite import FACTORS, composite, refined, total
from ghostmem.context.packer import ContextItem, Unplaced
from ghostmem.context.request import ContextRequest
from ghostmem.errors import GhostError
from ghostmem.model import Memory, SymbolRef
from ghostmem.outline.graph import OutlineNode
from ghostmem.outline.project_graph import code_graph
from ghostmem.outline.stale import CodeSymbols
from ghostmem.outline.symbols import in_project, languages_of, relative_path, unknown
from ghostmem.search.candidates import ChunkMatch
from ghostmem.search.cutoff import STRONG
from ghostmem.search.rank import rank, rank_superseded
from ghostmem.store import Store, Transaction, validate
from ghostmem.truth.corrections import SUPERSEDED_BY
from ghostmem.truth.sources import Person

MAX_SEEDS = 50  # search results that enter a context at once, from which edges are followed
PREFERRED = 1.8  # factor of memories from the user or in the scope that the caller prefers
FLOOR = 0.5  # results below this share of the best score are not packed, even if there is room
AT_HAND = 0.5  # the relevance of a memory about a file at hand
MAX_LEFT_OUT = 10  # best left-out memories that are named

CALLER_SHARE = 0.3  # weight of a memory about a caller; one about the code itself has 1


class SearchResults:
    """The results of a search, taken a portion at a time, best first."""

    def __init__(self, store: Store, tx: Transaction, request: ContextRequest) -> None:
        self._store, self._tx, self._request = store, tx, request
        self._relevance_first = store.settings.context_score == "relevance"
        user = request.for_user
        self._user = None if user is None else Person(tx, user, request.filter_.ns)
        ranking = rank(store, tx, request.query, request.filter_)
        self.notes = ranking.notes
        self._scores = {match.chunk.memory_id: match.score for match in ranking.matches}
        self._rest = ranking.answers
        self.floor: float | None = None  # results that score less are not packed
        self.strong_score = 0.0
        if self._relevance_first and self._rest and store.settings.fusion == "linear":
            best = max(match.score for match in self._rest)
            self.floor, self.strong_score = FLOOR * best, STRONG * best

    def next(self) -> list[ContextItem]:
        """Return the next best results."""
        portion, self._rest = self._rest[:MAX_SEEDS], self._rest[MAX_SEEDS:]
        return self._items(portion)

    def whole(self, memories: Sequence[Memory]) -> list[ContextItem]:
        """Return memories of a namespace that is given whole, with their scores in the search."""
        self.floor = None
        uses = self._tx.journal.uses([memory.id for memory in memories])
        return [
            self._item(memory, self._scores.get(memory.id, 0.0), "namespace", uses)
            for memory in memories
        ]

    def with_at_hand(
        self, seeds: Iterable[ContextItem], at_hand: Iterable[tuple[Memory, float]]
    ) -> list[ContextItem]:
        """Add memories about files and symbols at hand, each with the share that it counts.

        A search result keeps its ranks and takes the better score."""
        items = {item.id: item for item in seeds}
        for memory, share in at_hand:
            item = self._item(memory, AT_HAND, "file", self._tx.journal.uses([memory.id]))
            parts = {
                name: value if name in FACTORS else value * share
                for name, value in item.parts.items()
            }
            known, score = items.get(memory.id), total(parts)
            if known is None or score > known.score:
                items[memory.id] = replace(known or item, score=score, stage="file", parts=parts)
        return list(items.values())

    def expired(self) -> list[Unplaced]:
        """Return memories that would be results if they had not expired."""
        expired = self._tx.listing.expired_ids(self._request.filter_.ns, self._request.query.now)
        if not expired:
            return []
        timeless = replace(self._request.filter_, now=None)
        matches = rank(self._store, self._tx, self._request.query, timeless).answers
        lost = [match for match in matches if match.chunk.memory_id in expired]
        return [Unplaced(item, "expired") for item in self._items(lost[:MAX_LEFT_OUT])]

    def superseded(self) -> list[Unplaced]:
        """Return memories that would be results if they had not ended."""
        query, filter_ = self._request.query, self._request.filter_
        matches = rank_superseded(self._store, self._tx, query, filter_, MAX_LEFT_OUT)
        return [
            Unplaced(item, "superseded", item.memory.meta.get(SUPERSEDED_BY))
            for item in self._items(matches)
        ]

    def _items(self, matches: Sequence[ChunkMatch]) -> list[ContextItem]:
        ids = [match.chunk.memory_id for match in matches]
        memories, uses = self._tx.memories.by_ids(ids), self._tx.journal.uses(ids)
        items: list[ContextItem] = []
        lowest = 1.0
        for match in matches:
            # a question that asks for several things is not answered in the order of scores: keep
            # the order of the search
            lowest = min(lowest, match.score)
            relevance = lowest if self._relevance_first else match.specified
            item = self._item(memories[match.chunk.memory_id], relevance, "search", uses)
            focus = (match.chunk.start, match.chunk.stop)
            items.append(replace(item, legs=match.ranks, focus=focus))
        return items

    def _item(
        self, memory: Memory, relevance: float, stage: str, uses: Mapping[str, int]
    ) -> ContextItem:
        now = self._request.query.now
        if self._relevance_first:
            parts = refined(memory, relevance, uses.get(memory.id, 0), now)
        else:
            parts = composite(memory, relevance, now)
        if self._is_preferred(memory):
            parts["source"] = PREFERRED
        return ContextItem(memory, total(parts), stage, parts=parts)

    def _is_preferred(self, memory: Memory) -> bool:
        scope = self._request.for_scope
        by_user = self._user is not None and self._user.is_named(memory.ns, memory.source_user)
        return by_user or (scope is not None and memory.source_scope == scope)


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
    with store.engine.read() as tx:
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
    callers = {
        link.start: targets[link.end]
        for link in reversed(code.graph.linked.links)  # the first link of a caller counts
        if link.kind == "calls" and link.end in targets and link.start not in targets
    }
    return _CodeAtHand(code, targets, callers)


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
