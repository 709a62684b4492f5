"""context: what an agent should read now, within an exact budget of tokens, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.clock import as_time
from ghostmem.context.alike import spread_out, without_duplicates
from ghostmem.context.expansion import Expansion
from ghostmem.context.found import LEFT_OUT, SEEDS, Found, Near
from ghostmem.context.item import Item
from ghostmem.context.packed import packed
from ghostmem.context.packer import OVERHEAD, Bonds, Left, Packer, shortened
from ghostmem.errors import InvalidInputError
from ghostmem.model import LeftOut, Pack, Stage
from ghostmem.notes.refresh import refresh
from ghostmem.search.query import match_terms, search_filter
from ghostmem.search.rank import waits_for_model
from ghostmem.store import validate
from ghostmem.store.lookup import bookkeep
from ghostmem.store.retry import again
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.truth.standing import maybe_stale
from ghostmem.truth.vouch import vouched

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    from ghostmem.context.code_seeds import Seed
    from ghostmem.model import Memory
    from ghostmem.store.narrowing import Narrow
    from ghostmem.store.protocol import Transaction

    class ContextFields(Narrow, total=False):
        """What a context may be narrowed and shaped by."""

        budget: int
        tiers: Iterable[str] | None
        include_all: bool
        files: Iterable[str] | None
        symbols: Iterable[str] | None
        root: str | Path | None
        language: str | None
        exclude_pinned: bool
        min_score: float | None
        min_spread: float | None
        max_memory_tokens: int | None
        expand: bool | None
        whole: bool | None
        tokens: Callable[[str], int] | None
        now: datetime | str | None
        for_user: str | None
        for_scope: str | None


BUDGET = 4000
AMPLE = 2.0  # when all that was found would not fill this many budgets whole, the search sends more
WHOLE_SHARE = 4  # a namespace that takes at most this part of the budget is given whole
STRENGTHEN = 0.05  # how much of what it lacks an edge gains when both its ends are read together
SPREAD_AT = 4  # which candidate the best one is compared with by `min_spread`
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
UNASKED = ("pinned", "namespace")  # stages that do not depend on the question
SAME = "says the same as another memory"


class Limits(NamedTuple):
    """The floors that a caller may set."""

    min_score: float | None
    min_spread: float | None


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
    root: str | Path | None = None,
    language: str | None = None,
    exclude_pinned: bool = False,
    min_score: float | None = None,
    min_spread: float | None = None,
    max_memory_tokens: int | None = None,
    expand: bool | None = None,
    whole: bool | None = None,
    tokens: Callable[[str], int] | None = None,
    now: datetime | str | None = None,
    for_user: str | None = None,
    for_scope: str | None = None,
    **conditions: Unpack[Narrow],
) -> Pack:
    """Return the memories to read for a task, packed into a budget of tokens, each with the reason
    it is there.

    Pinned memories come first, up to a third of the budget; then what a search finds, most relevant
    first, refined by recency, importance and use; then what edges lead to. Memories that say the
    same are packed once, with their count. When all memories of the namespace take at most a
    quarter of the budget, all of them are given (`whole`, by default as the settings say);
    `relevant` of the result is False when nothing in it matched the question. Dormant and sensory
    memories are left out unless `tiers` or `include_all` asks for them, or a correction or a
    dependency is among them. `files` are paths at hand: memories about them join. So do those about
    `symbols` of the code in `root` (the working folder) and, damped, about what calls these; with a
    `root` about what calls the files' symbols too. `min_score` leaves out what scores less,
    `min_spread` all but the best when the scores lie closer together than this; `max_memory_tokens`
    caps one memory (-1: no cap); `expand` switches the following of edges; `tokens` counts the
    tokens of a text instead of estimating them. What was said by `for_user` or in `for_scope`
    counts more. What no longer holds is left out and listed as superseded; `valid_at` asks for what
    was true at a time."""
    text = validate.text(query, "query")
    validate.positive(budget, "budget")
    limits = Limits(
        validate.number(min_score, "min_score"), validate.number(min_spread, "min_spread")
    )
    at = store.clock() if now is None else as_time(now, "now")
    cap = _cap(store.settings.max_memory_tokens if max_memory_tokens is None else max_memory_tokens)
    which = search_filter(ns, at, tiers, include_all, conditions)
    near = Near(validate.label(for_user, "for_user"), validate.label(for_scope, "for_scope"))
    unpinned = exclude_pinned or which.pinned is False
    which = replace(which, pinned=False) if unpinned else which
    packer = Packer(budget, cap, _counter(tokens), match_terms(text))
    synced = refresh(store, which.ns)
    paths, names = (
        validate.texts(files, "files", "file path"),
        validate.texts(symbols, "symbols", "symbol"),
    )
    code, code_notes = _code(store, which, paths, names, root, language)
    with store.engine.read() as tx:
        pinned = [] if unpinned else _pinned(tx, which, at)
        found = Found(store, tx, text, which, at, near)
        seeds = _with_code(_with_files(tx, found, found.next(SEEDS), paths, which), found, code)
        expansion = Expansion(
            tx,
            store.settings,
            at,
            which,
            store.settings.edge_expansion if expand is None else expand,
        )
        expansion.run(seeds, pinned)
        while expansion.tokens < budget * AMPLE and (later := found.next(SEEDS)):
            expansion.more(later)
        everything = _whole_namespace(tx, which, budget) if _gives_whole(store, whole) else None
        if everything is not None:
            expansion.more(found.others(everything))
        own_words = vouched(
            tx,
            [item.memory for item in sorted(expansion.pool.values(), key=lambda item: item.order)],
            which,
            at,
        )
        for id_, words in own_words.items():
            for memory in words:
                expansion.add(memory, expansion.pool[id_].score, "own words")
        gone = [*found.expired(), *found.superseded()]
        doubts = maybe_stale(tx, [item.memory for item in (*expansion.pool.values(), *pinned)], at)
    bonds = expansion.bonds()
    refuted = bonds.refuters
    bonds = replace(bonds, refuters=joined_ids(refuted, own_words))
    floor = found.floor if everything is None else None
    items, cut = _floored(
        list(expansion.pool.values()), bonds, limits, floor, {item.id for item in pinned}
    )
    copies: dict[str, list[Item]] = {}
    if store.settings.context_score == "relevance":
        items, bonds, copies = without_duplicates(pinned, items, bonds)
        if sum(packer.cost(item) for item in (*pinned, *items)) > budget:
            items = shortened(spread_out(items, found.strong_score))
    packer.pack(pinned, items, bonds, store.settings.containment == "roomy")
    left = [*packer.left.values(), *_same(copies, packer), *gone]
    left += [one for one in cut if one.item.id not in packer.placed]
    notes = (*synced, *code_notes, *found.notes, *_pinned_notes(pinned, packer))
    about = _remarks(code, own_words, refuted, doubts)
    pack = _pack(
        packer,
        left,
        refuted,
        expansion,
        _stages(packer, pinned, expansion.pool),
        notes,
        about,
        copies,
    )
    pack = replace(
        pack, relevant=bool(seeds) and any(one.why.stage not in UNASKED for one in pack.memories)
    )
    _remember(store, [packer.placed[one.id].item for one in pack.memories])
    return pack


def _gives_whole(store: Store, whole: bool | None) -> bool:
    """Say whether all of a small namespace may be given.

    The specified scoring packs only what it finds.
    """
    return store.settings.context_score == "relevance" and (
        store.settings.context_whole if whole is None else whole
    )


def _whole_namespace(tx: Transaction, which: Filter, budget: int) -> list[Memory] | None:
    """Return all that the caller asked for, except what is pinned, when it takes at most a quarter
    of the budget.
    """
    if not which.ns or which.ns.is_prefix:
        return None
    most = budget // WHOLE_SHARE // OVERHEAD
    memories = tx.listing.select(which, limit=most + 1)
    tokens = sum(memory.est_tokens for memory in memories)
    if len(memories) > most or tokens > budget // WHOLE_SHARE:
        return None
    return [memory for memory in memories if not memory.pinned]


def _same(copies: Mapping[str, Sequence[Item]], packer: Packer) -> list[Left]:
    """Return the duplicates of what was packed, as left out."""
    shown = {id_: packer.placed[id_].item.memory.key for id_ in copies if id_ in packer.placed}
    return [Left(item, SAME, key) for id_, key in shown.items() for item in copies[id_]]


def _pinned_notes(pinned: Sequence[Item], packer: Packer) -> list[str]:
    """Name the pinned memories that did not fit their share."""
    over = [item.memory.key for item in pinned if item.id not in packer.placed]
    return (
        [f"{len(over)} pinned not shown, a third of the budget is theirs: {', '.join(over[:5])}"]
        if over
        else []
    )


def _remarks(
    code: Sequence[Seed],
    own_words: Mapping[str, Sequence[Memory]],
    refuted: Mapping[str, Sequence[str]],
    doubts: Mapping[str, str],
) -> dict[str, str]:
    """Return what is to be said about memories, by id: the code they are about, doubts, and the
    user's own words.
    """
    found: dict[str, list[str]] = {}
    for seed in sorted(code, key=lambda seed: seed.share):
        found[seed.memory.id] = [seed.note]
    for id_, doubt in doubts.items():
        found.setdefault(id_, []).append(doubt)
    for id_, words in own_words.items():
        named = set(refuted.get(id_, ()))
        if keys := ", ".join(memory.key for memory in words if memory.id not in named):
            found.setdefault(id_, []).append(f"the user's own word: {keys}")
    return {id_: "; ".join(remarks) for id_, remarks in found.items()}


def _cap(given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or (given < 1 and given != -1):
        raise InvalidInputError(
            f"max_memory_tokens {given!r} is no cap", "give a number of tokens, or -1 for none"
        )
    return given


def _counter(tokens: Callable[[str], int] | None) -> Callable[[str], int]:
    if tokens is None:
        return lambda text: len(text.encode()) // 4
    if not callable(tokens):
        raise InvalidInputError(
            f"tokens {validate.shown(tokens)} is no function",
            "give one that counts the tokens of a text",
        )

    def counted(text: str) -> int:
        found = tokens(text)
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            raise InvalidInputError(
                f"tokens returned {found!r}", "it must return the number of tokens of a text"
            )
        return found

    return counted


def _pinned(tx: Transaction, which: Filter, at: datetime) -> list[Item]:
    """Return the pinned memories by importance.

    They are there whatever is asked, as long as they hold.
    """
    found = [
        m
        for m in tx.listing.pinned(which.ns, at)
        if which.valid_at is None or m.held_at(which.valid_at)
    ]
    return [
        Item(memory, memory.importance, "pinned", parts={"importance": memory.importance})
        for memory in found
    ]


def _with_files(
    tx: Transaction, found: Found, seeds: list[Item], files: Sequence[str], which: Filter
) -> list[Item]:
    """Add what is about the files at hand; what was found as well has the better score of both."""
    pool = {item.id: item for item in seeds}
    for path in files:
        for memory in tx.listing.select(replace(which, file=path), limit=SEEDS):
            _add(pool, found.item_at_hand(memory))
    return list(pool.values())


def _add(pool: dict[str, Item], item: Item) -> None:
    """Add a memory at hand to a pool.

    One that the search found keeps its ranks and takes the better score.
    """
    known = pool.get(item.id)
    if known is None:
        pool[item.id] = item
    elif item.score > known.score:
        pool[item.id] = replace(known, score=item.score, stage="file", parts=item.parts)


def _code(
    store: Store,
    which: Filter,
    files: Sequence[str],
    symbols: Sequence[str],
    root: str | Path | None,
    language: str | None,
) -> tuple[list[Seed], list[str]]:
    """Return what is remembered about code at hand.

    Nothing of it is read unless a symbol or a project is named.
    """
    if not symbols and (not files or root is None):
        return [], []
    from ghostmem.context.code_seeds import code_seeds

    return code_seeds(
        store,
        which,
        files,
        symbols,
        validate.text("." if root is None else str(root), "root"),
        language,
    )


def _with_code(seeds: list[Item], found: Found, code: Sequence[Seed]) -> list[Item]:
    """Add what is about the code at hand, and, damped, about what calls it."""
    pool = {item.id: item for item in seeds}
    for memory, share, _ in code:
        _add(pool, found.item_at_hand(memory, share))
    return list(pool.values())


def _floored(
    items: list[Item], bonds: Bonds, limits: Limits, floor: float | None, pinned: set[str]
) -> tuple[list[Item], list[Left]]:
    """Apply the floors to what was found.

    What came over a typed edge is kept with the memory that it came from.

    The built-in `floor` concerns only what the search found; a caller's `min_score` replaces it and
    concerns everything."""
    items = sorted(items, key=lambda item: item.order)
    kept = {item.id for item in items}
    if limits.min_score is not None:
        kept = _above(items, {item.id for item in items if item.score >= limits.min_score})
    elif floor is not None:
        kept = _above(
            items, {item.id for item in items if item.stage != "search" or item.score >= floor}
        )
    found = [item for item in items if item.id in kept and item.stage in ("search", "file")]
    spread = found[0].score - found[min(SPREAD_AT, len(found) - 1)].score if len(found) > 1 else 0.0
    if limits.min_spread is not None and len(found) > 1 and spread < limits.min_spread:
        kept &= _above(items, {found[0].id})
    kept |= _refuters(kept | pinned, bonds)
    cut = [Left(item, "floor") for item in items if item.id not in kept and item.stage != "child"]
    return [item for item in items if item.id in kept], cut


def _above(items: Sequence[Item], kept: set[str]) -> set[str]:
    """Add to the memories that pass a floor what typed edges lead to from them."""
    return kept | {item.id for item in items if item.firm and item.origin in kept}


def _refuters(ids: set[str], bonds: Bonds) -> set[str]:
    """Return everything newer that contradicts one of these, and what contradicts that."""
    found, todo = set(), list(ids)
    while todo:
        for other in bonds.refuters.get(todo.pop(), ()):
            if other not in found and other not in ids:
                found.add(other)
                todo.append(other)
    return found


def joined_ids(
    refuted: Mapping[str, Sequence[str]], beside: Mapping[str, Sequence[Memory]]
) -> dict[str, list[str]]:
    """Return what must be packed before a memory: what has the last word over it, and the user's
    words about the same.
    """
    found = {id_: list(others) for id_, others in refuted.items()}
    for id_, words in beside.items():
        found[id_] = list(dict.fromkeys([*found.get(id_, ()), *(memory.id for memory in words)]))
    return found


def _pack(
    packer: Packer,
    left: list[Left],
    refuted: Mapping[str, Sequence[str]],
    expansion: Expansion,
    stages: Mapping[str, Stage],
    notes: tuple[str, ...],
    about: Mapping[str, str],
    copies: Mapping[str, Sequence[Item]],
) -> Pack:
    shown = {id_: placed.item.memory for id_, placed in packer.placed.items()}
    corrected: dict[str, list[Memory]] = {}
    for old, found in refuted.items():
        for new in found if old in shown else ():
            corrected.setdefault(new, []).append(shown[old])
    memories = []
    for id_, placed in packer.placed.items():
        newer = [shown[other] for other in refuted.get(id_, ()) if other in shown]
        same = [item.memory.key for item in copies.get(id_, ())]
        memories.append(
            packed(
                placed,
                corrected.get(id_, []),
                newer,
                about.get(id_, ""),
                expansion.children(id_),
                same,
            )
        )
    left.sort(key=lambda one: one.item.order)
    named = tuple(
        LeftOut(
            one.item.memory.ns, one.item.memory.key, round(one.item.score, 4), one.reason, one.by
        )
        for one in left[:LEFT_OUT]
    )
    compaction = expansion.compaction()
    return Pack(
        packer.budget,
        packer.used,
        tuple(memories),
        len(left),
        bool(compaction),
        compaction,
        named,
        stages,
        notes,
    )


def _stages(packer: Packer, pinned: Sequence[Item], pool: Mapping[str, Item]) -> dict[str, Stage]:
    """Count what each stage brought and what came of it."""
    tally = {name: [0, 0, 0] for name in STAGES}
    for item in {item.id: item for item in (*pool.values(), *pinned)}.values():
        placed = packer.placed.get(item.id)
        counts = tally[placed.item.stage if placed else item.stage]
        counts[0] += 1
        if placed:
            counts[1] += 1
            counts[2] += placed.tokens
    return {name: Stage(*counts) for name, counts in tally.items() if counts[0]}


def _remember(store: Store, items: Sequence[Item]) -> None:
    """Count what was shown, and strengthen the edges between what was read together.

    Never in the way of the answer.
    """
    if not items:
        return
    now = store.clock()
    together = [item.id for item in items if item.stage != "pinned"]

    def write(tx: Transaction) -> None:
        tx.memories.touch([item.memory for item in items], now, used=False)
        if len(together) > 1:
            tx.graph.strengthen(together, STRENGTHEN, now)

    bookkeep(store, write)
