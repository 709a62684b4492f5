"""context: select the memories that an agent should read now, within an exact token budget."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from os import PathLike
from typing import TYPE_CHECKING

from ghostmem.clock import as_time
from ghostmem.context.duplicates import spread_out, without_duplicates
from ghostmem.context.expansion import Expansion
from ghostmem.context.packer import (
    OVERHEAD,
    ContextItem,
    Packer,
    Relations,
    Unplaced,
    packed_memories,
    shortened,
)
from ghostmem.context.request import ContextRequest, token_cap, token_counter
from ghostmem.context.search_results import MAX_LEFT_OUT, MAX_SEEDS, SearchResults
from ghostmem.grouping import grouped
from ghostmem.model import LeftOut, Memory, Pack, Stage
from ghostmem.notes.refresh import refresh
from ghostmem.search.corrections import reachable
from ghostmem.search.query import match_terms, read_query, search_filter
from ghostmem.search.rank import waits_for_model
from ghostmem.store import Narrow, Store, Transaction, again, bookkeep, validate
from ghostmem.truth.annotations import maybe_stale
from ghostmem.truth.as_of import store_at
from ghostmem.truth.contradictions import find_user_statements

if TYPE_CHECKING:
    from ghostmem.context.code_seeds import CodeSeed

BUDGET = 4000
MIN_FILLED = 2.0  # further search results are added until all of them would fill this many budgets
WHOLE_PART = 4  # a namespace that takes at most this part of the budget is given whole
STRENGTHEN = 0.05  # share of the missing weight that an edge gains when both its ends are packed
SPREAD_AT = 4  # the place of the candidate that `min_spread` compares with the best one
STAGES = (
    "pinned",
    "search",
    "file",
    "edge",
    "correction",
    "own words",
    "parent",
    "child",
    "namespace",
)

FROM_SEARCH = ("search", "file")  # stages of memories that the question or a file found
UNASKED = ("pinned", "namespace")  # stages that do not depend on the question
SAME = "says the same as another memory"


@again
@waits_for_model
def context(
    store: Store,
    query: str,
    ns: str | None = None,
    *,
    budget: int = BUDGET,
    tiers: Iterable[str] | None = None,
    include_all: bool = False,
    files: Iterable[str] | None = None,
    symbols: Iterable[str] | None = None,
    root: str | PathLike[str] | None = None,
    language: str | None = None,
    exclude_pinned: bool = False,
    min_score: float | None = None,
    min_spread: float | None = None,
    max_memory_tokens: int | None = None,
    expand: bool | None = None,
    whole: bool | None = None,
    tokens: Callable[[str], int] | None = None,
    now: datetime | str | None = None,
    as_of: datetime | str | None = None,
    for_user: str | None = None,
    for_scope: str | None = None,
    kind: str | None = None,
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    pinned: bool | None = None,
    source_user: str | None = None,
    source_kind: str | None = None,
    source_scope: str | None = None,
    source_client: str | None = None,
    after: datetime | str | None = None,
    before: datetime | str | None = None,
    valid_at: datetime | str | None = None,
    file: str | None = None,
    file_rel: str | None = None,
) -> Pack:
    """Return the memories to read for a task, packed into a token budget, each with its reason.

    Pinned memories come first, up to a third of the budget; then search results, most relevant
    first; then memories that edges lead to. Duplicates are packed once, with their count.
    Memories whose validity has ended are listed in `left_out`.

    Args:
        query: Description of the task.
        ns: Namespace, prefix such as "agent:*", or None for all.
        budget: Maximum number of tokens.
        tiers: Tiers to search; default: all but "dormant" and "sensory".
        include_all: Search every tier.
        files: Paths of open files; memories about them are added.
        symbols: Symbols of code in use; memories about them and their callers are added.
        root: Project folder of the symbols; default: the working directory.
        language: Language of the symbols, if the files do not show it.
        exclude_pinned: Leave pinned memories out.
        min_score: Minimum score of a memory.
        min_spread: Keep only the best when the scores are closer together than this.
        max_memory_tokens: Maximum number of tokens of one memory; -1: no limit.
        expand: Follow edges; default: the setting `edge_expansion`.
        whole: Return the whole namespace if it is small; default: the setting `context_whole`.
        tokens: Function that counts the tokens of a text, instead of the estimate.
        now: Time that words such as "yesterday" count from; default: the clock.
        as_of: Use the store as it was at this time.
        for_user: Person whose statements count more.
        for_scope: Conversation or place whose statements count more.
        kind: "semantic", "episodic" or "procedural".
        tags: Tags that a memory must all have.
        priority: "low", "normal", "high" or "critical".
        pinned: True for pinned memories only, False for all others.
        source_user: Name of the person who said it.
        source_kind: "stated", "observed", "self", "peer" or "import".
        source_scope: Conversation, session or place it comes from.
        source_client: Program that stored it.
        after: Created at or after this time.
        before: Created at or before this time.
        valid_at: True at this time.
        file: Path of a file that a memory is about.
        file_rel: What was done to the file: "modified", "created", "deleted" or "read".

    Returns:
        The packed memories with `used` tokens, `stages` and `left_out`. `relevant` is False
        when nothing matched the query. `render` writes the pack as text.
    """
    store = store_at(store, ns, as_of)
    text, settings = validate.text(query, "query"), store.settings
    moment = store.clock() if now is None else as_time(now, "now")
    filter_ = search_filter(
        ns,
        moment,
        tiers,
        include_all,
        Narrow(
            kind=kind,
            tags=tags,
            priority=priority,
            pinned=pinned,
            source_user=source_user,
            source_kind=source_kind,
            source_scope=source_scope,
            source_client=source_client,
            after=after,
            before=before,
            valid_at=valid_at,
            file=file,
            file_rel=file_rel,
        ),
    )
    with_pinned = not exclude_pinned and filter_.pinned is not False
    request = ContextRequest(
        query=read_query(text, moment, MAX_SEEDS),
        filter_=filter_ if with_pinned else replace(filter_, pinned=False),
        budget=validate.positive(budget, "budget"),
        cap=token_cap(
            settings.max_memory_tokens if max_memory_tokens is None else max_memory_tokens
        ),
        count_tokens=token_counter(tokens),
        min_score=validate.number(
            settings.min_score or None if min_score is None else min_score, "min_score"
        ),
        min_spread=validate.number(
            settings.min_spread or None if min_spread is None else min_spread, "min_spread"
        ),
        for_user=validate.label(for_user, "for_user"),
        for_scope=validate.label(for_scope, "for_scope"),
        files=validate.texts(files, "files", "file path"),
        symbols=validate.texts(symbols, "symbols", "symbol"),
        root=root,
        language=language,
        with_pinned=with_pinned,
        follow_edges=settings.edge_expansion if expand is None else expand,
        # the specified scoring packs search results only
        whole=settings.context_score == "relevance"
        and (settings.context_whole if whole is None else whole),
    )
    return _assemble(store, request)


@again
@waits_for_model
def context_for_task(
    store: Store, prompt: str, ns: str, *, budget: int, max_memory_tokens: int
) -> Pack:
    """Return only the memories that matter for a prompt, which is often an order.

    Nothing is given whatever the prompt is: no pinned memories, no whole namespace."""
    settings, now = store.settings, store.clock()
    return _assemble(
        store,
        ContextRequest(
            query=read_query(prompt, now, MAX_SEEDS),
            filter_=search_filter(ns, now, None, False, Narrow()),
            budget=budget,
            cap=token_cap(max_memory_tokens),
            min_score=settings.min_score or None,
            min_spread=settings.min_spread or None,
            follow_edges=settings.edge_expansion,
            for_task=True,
        ),
    )


def _assemble(store: Store, request: ContextRequest) -> Pack:
    """Gather candidates, suppress duplicates, pack the rest, and add the notes."""
    settings = store.settings
    synced = refresh(store, request.filter_.ns)
    code, code_notes = _code_seeds(store, request)
    with store.engine.read(request.filter_.ns) as tx:
        pinned = _pinned(tx, request)
        results = SearchResults(store, tx, request)
        seeds = results.with_at_hand(results.next(), _at_hand(tx, request, code))
        expansion = Expansion(tx, settings, request)
        expansion.run(seeds, pinned)
        _fill_up(tx, request, results, expansion)
        statements = _add_statements(tx, request, expansion)
        doubts = maybe_stale(
            tx,
            [item.memory for item in (*expansion.items.values(), *pinned)],
            request.query.now,
            expansion.edges,
        )
        ended = [*results.expired(), *results.superseded()]
    relations = expansion.relations()
    contradictions = relations.refuters
    relations = _with_statements(relations, statements)
    packer = Packer(
        request.budget, request.cap, request.count_tokens, match_terms(request.query.text)
    )
    candidates = sorted(expansion.items.values(), key=lambda item: item.order)
    selected = _above_floor(
        candidates, relations, request, results.floor, {item.id for item in pinned}
    )
    items = [item for item in candidates if item.id in selected]
    copies: dict[str, list[ContextItem]] = {}
    if settings.context_score == "relevance":
        items, relations, copies = without_duplicates(pinned, items, relations)
        if sum(packer.cost(item) for item in (*pinned, *items)) > request.budget:
            items = shortened(spread_out(items, results.strong_score))
    packer.pack(pinned, items, relations, settings.containment == "roomy")
    left = _left_out(
        packer, copies, [item for item in candidates if item.id not in selected], ended
    )
    # neighbours of results are not what was asked about
    compaction = expansion.compaction({item.id for item in items if item.stage in FROM_SEARCH})
    packed = packed_memories(
        packer.placed,
        contradictions,
        _remarks(code, doubts, statements, contradictions),
        {id_: expansion.children(id_) for id_ in packer.placed},
        copies,
    )
    _record_use(store, [entry.item for entry in packer.placed.values()])
    return Pack(
        packer.budget,
        packer.used,
        packed,
        len(left),
        bool(compaction),
        compaction,
        tuple(left[:MAX_LEFT_OUT]),
        _stages(packer, (*expansion.items.values(), *pinned)),
        (*synced, *code_notes, *results.notes, *_pinned_notes(pinned, packer)),
        relevant=bool(seeds) and any(entry.why.stage not in UNASKED for entry in packed),
    )


def _pinned(tx: Transaction, request: ContextRequest) -> list[ContextItem]:
    """Return the pinned memories by importance: valid ones are packed whatever the question is."""
    if not request.with_pinned:
        return []
    return [
        ContextItem(memory, memory.importance, "pinned", parts={"importance": memory.importance})
        for memory in tx.listing.pinned(request.filter_.ns, request.query.now)
        if request.filter_.valid_at is None or memory.held_at(request.filter_.valid_at)
    ]


def _at_hand(
    tx: Transaction, request: ContextRequest, code: "Sequence[CodeSeed]"
) -> Iterable[tuple[Memory, float]]:
    """Return the memories about files and code at hand, each with its weight."""
    about_files = (
        memory
        for path in request.files
        for memory in tx.listing.select(replace(request.filter_, file=path), limit=MAX_SEEDS)
    )
    return [*((m, 1.0) for m in about_files), *((seed.memory, seed.share) for seed in code)]


def _fill_up(
    tx: Transaction, request: ContextRequest, results: SearchResults, expansion: Expansion
) -> None:
    """Add further search results while they may fit, and all memories of a small namespace."""
    while (
        sum(item.memory.est_tokens for item in expansion.items.values())
        < request.budget * MIN_FILLED
    ) and (later := results.next()):
        expansion.add(later)
    if request.whole and (everything := _whole_namespace(tx, request)) is not None:
        expansion.add(results.whole(everything))


def _add_statements(
    tx: Transaction, request: ContextRequest, expansion: Expansion
) -> dict[str, list[Memory]]:
    """Add the user's own statements about the same as a candidate, and return them by its id."""
    memories = [
        item.memory for item in sorted(expansion.items.values(), key=lambda item: item.order)
    ]
    statements = find_user_statements(tx, memories, request.filter_, request.query.now)
    for id_, stated in statements.items():
        for memory in stated:
            if memory.id not in expansion.pinned:
                expansion.add([ContextItem(memory, expansion.items[id_].score, "own words")])
    return statements


def _whole_namespace(tx: Transaction, request: ContextRequest) -> list[Memory] | None:
    """Return all unpinned memories that pass the filter, if all take a quarter of the budget."""
    filter_, tokens = request.filter_, request.budget // WHOLE_PART
    if not filter_.ns or filter_.ns.is_prefix or tx.listing.exceeds(filter_, tokens // OVERHEAD):
        return None
    memories = tx.listing.select(filter_)
    return (
        None
        if sum(memory.est_tokens for memory in memories) > tokens
        else [memory for memory in memories if not memory.pinned]
    )


def _with_statements(relations: Relations, statements: Mapping[str, Sequence[Memory]]) -> Relations:
    """Let the user's own statements be packed before the memories about the same."""
    refuters = {
        id_: [*relations.refuters.get(id_, ()), *(memory.id for memory in statements.get(id_, ()))]
        for id_ in (*relations.refuters, *statements)
    }
    return replace(
        relations, refuters={id_: list(dict.fromkeys(others)) for id_, others in refuters.items()}
    )


def _code_seeds(store: Store, request: ContextRequest) -> "tuple[list[CodeSeed], list[str]]":
    """Return memories about code at hand; code is read only if a symbol or a project is named."""
    if not request.symbols and (not request.files or request.root is None):
        return [], []
    from ghostmem.context.code_seeds import code_seeds

    return code_seeds(store, request)


def _above_floor(
    items: Sequence[ContextItem],
    relations: Relations,
    request: ContextRequest,
    floor: float | None,
    pinned: set[str],
) -> set[str]:
    """Return the ids of the candidates that score enough.

    The built-in `floor` concerns search results only; a caller's `min_score` replaces it and
    concerns everything. A memory reached over a typed edge stays with the memory it was reached
    from, and a correction with the memory that it corrects."""
    minimum = floor if request.min_score is None else request.min_score
    enough = {
        item.id
        for item in items
        if minimum is None
        or item.score >= minimum
        or (request.min_score is None and item.stage != "search")
    }
    selected = _with_linked(items, enough)
    results = [
        item for item in items if item.id in selected and item.stage in (*FROM_SEARCH, "edge")
    ]
    scores = [item.score for item in results[: SPREAD_AT + 1]]
    if (
        request.min_spread is not None
        and len(scores) > 1
        and scores[0] - scores[-1] < request.min_spread
    ):
        selected &= _with_linked(items, {results[0].id})
    return selected | (reachable(selected | pinned, relations.refuters).keys() - pinned)


def _with_linked(items: Sequence[ContextItem], selected: set[str]) -> set[str]:
    """Add the memories that typed edges lead to, directly or through each other."""
    return (
        selected
        | reachable(selected, grouped((item.origin, item.id) for item in items if item.firm)).keys()
    )


def _left_out(
    packer: Packer,
    copies: Mapping[str, Sequence[ContextItem]],
    low: Sequence[ContextItem],
    ended: Sequence[Unplaced],
) -> list[LeftOut]:
    """Return the memories that are not in the pack and why, best first."""
    entries = [
        *packer.left_out.values(),
        *(
            Unplaced(item, SAME, packer.placed[id_].item.memory.key)
            for id_, same in copies.items()
            if id_ in packer.placed
            for item in same
        ),
        *ended,
        *(
            Unplaced(item, "floor")
            for item in low
            if item.id not in packer.placed and item.stage != "child"
        ),
    ]
    return [
        LeftOut(item.memory.ns, item.memory.key, round(item.score, 4), reason, by)
        for item, reason, by in sorted(entries, key=lambda entry: entry.item.order)
    ]


def _pinned_notes(pinned: Sequence[ContextItem], packer: Packer) -> list[str]:
    """Name the pinned memories that did not fit into their part of the budget."""
    keys = [item.memory.key for item in pinned if item.id not in packer.placed]
    note = f"{len(keys)} pinned not shown, a third of the budget is theirs: {', '.join(keys[:5])}"
    return [note] if keys else []


def _remarks(
    code: "Sequence[CodeSeed]",
    doubts: Mapping[str, str],
    statements: Mapping[str, Sequence[Memory]],
    contradictions: Mapping[str, Sequence[str]],
) -> list[tuple[str, str]]:
    """Return notes with ids of memories: the code they are about, doubts, the user's statements."""
    by_id = {seed.memory.id: seed.note for seed in sorted(code, key=lambda seed: seed.share)}
    others = (
        (id_, [memory.key for memory in stated if memory.id not in contradictions.get(id_, ())])
        for id_, stated in statements.items()
    )
    stated = ((id_, f"the user's own statement: {', '.join(keys)}") for id_, keys in others if keys)
    return [*by_id.items(), *doubts.items(), *stated]


def _stages(packer: Packer, items: Iterable[ContextItem]) -> dict[str, Stage]:
    """Return, for each stage, the numbers of candidates and of packed memories and their tokens."""
    stages: dict[str, list[int]] = {name: [] for name in STAGES}  # tokens of each candidate
    for item in {item.id: item for item in items}.values():
        placed = packer.placed.get(item.id)
        stages[placed.item.stage if placed else item.stage].append(placed.tokens if placed else 0)
    return {
        name: Stage(len(tokens), sum(map(bool, tokens)), sum(tokens))
        for name, tokens in stages.items()
        if tokens
    }


def _record_use(store: Store, items: Sequence[ContextItem]) -> None:
    """Count the packed memories as shown, and strengthen the edges between them."""
    if not items:
        return
    now = store.clock()
    together = grouped((item.memory.ns, item.id) for item in items if item.stage != "pinned")

    def write(tx: Transaction) -> None:
        tx.memories.touch([item.memory for item in items], now, used=False)
        for ns, ids in together.items():
            if len(ids) > 1:
                tx.of(ns).graph.strengthen(ids, STRENGTHEN, now)

    bookkeep(store, write)
