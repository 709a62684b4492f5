"""infer_edges: ask a model how alike memories bear on each other, and keep what it says as
edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.errors import ModelError
from ghostmem.graph.edges import seed_keys
from ghostmem.model import EDGE_WEIGHTS, REASONING, Edge, Memory, Record
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.store import Store
from ghostmem.text.infer import NONE, Answer, pair_prompt, read_answer

if TYPE_CHECKING:
    from ghostmem.graph.ask.base import Asker
    from ghostmem.store.protocol import Transaction

STRIKES = 3  # failures in a row after which asking on is no use


@dataclass(frozen=True, eq=False, repr=False)
class Inference(Record):
    """What a model said about one pair, in the direction it holds, and whether it is stored now."""

    from_key: str
    to_key: str
    rel: str
    reason: str
    applied: bool


@dataclass(frozen=True, eq=False, repr=False)
class InferReport(Record):
    """What a run asked and stored; in a dry run, what it would have stored."""

    dry_run: bool
    model: str
    pairs_examined: int
    edges_created: int
    edges_skipped: int
    remaining: int
    stopped: bool
    errors: tuple[str, ...]
    inferences: tuple[Inference, ...]


def infer_edges(
    store: Store,
    ns: str,
    *,
    max_pairs: int = 100,
    seed: Iterable[str] | None = None,
    again: bool = False,
    dry_run: bool = False,
    ask: Asker | Callable[[str], str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> InferReport:
    """Ask a model whether memories that relate also cause, prevent or imply one another, heaviest
    pairs first.

    Each answer is stored at once, so that a run that is stopped goes on where it was and nothing is
    asked twice; `again` also asks about pairs that were answered with none. `seed` names keys of
    which a pair must have one. `ask` takes a prompt and returns an answer, and defaults to the
    settings' choice. A dry run asks, and stores nothing."""
    validate.namespace(ns)
    validate.positive(max_pairs, "max pairs")
    seeds = seed_keys(seed)
    if ask is None:
        from ghostmem.graph.ask.choose import choose

        ask = choose(store.settings)
    model = str(
        getattr(ask, "name", None) or f"own:{getattr(ask, '__qualname__', type(ask).__name__)}"
    )
    pairs = _pairs(store, ns, seeds, again)
    if not dry_run:
        with (
            store.engine.write()
        ):  # a store that cannot be written fails here, not after the first answer was paid for
            pass
    done: list[Inference] = []
    errors: list[str] = []
    kept = strikes = 0
    for asked, (start, to) in enumerate(pairs[:max_pairs], 1):
        try:
            text = ask(pair_prompt(start, to))
            strikes = 0
            answer = read_answer(text)
        except ModelError as error:
            errors.append(f"{start.key} → {to.key}: {error.message}")
            strikes += 1
            if strikes == STRIKES:
                errors.append(f"stopped after {STRIKES} failures in a row; {error.hint}")
                break
        except ValueError as error:
            errors.append(f"{start.key} → {to.key}: {error}")
        else:
            stored = dry_run or _store(store, start, to, answer, model)
            kept += stored
            done.append(_inference(start, to, answer, stored and not dry_run))
        if progress is not None:
            progress(asked)
    none = sum(one.rel == NONE for one in done)
    typed = sum(one.rel != NONE and (one.applied or dry_run) for one in done)
    left = len(pairs) - kept
    return InferReport(
        dry_run, model, len(done), typed, none, left, strikes == STRIKES, tuple(errors), tuple(done)
    )


def _pairs(store: Store, ns: str, seeds: list[str], again: bool) -> list[tuple[Memory, Memory]]:
    now = store.clock()
    with store.engine.read() as tx:
        for key in seeds:
            find(tx, ns, key, now)
        return [
            (start, to)
            for start, to, _ in tx.graph.undecided(ns, now, seeds, again=again)
            if to.ns == ns
        ]


def _store(store: Store, start: Memory, to: Memory, answer: Answer, model: str) -> bool:
    """Store one answer and that it was given; False when it is about something that is no more."""
    at = store.clock()
    with store.engine.write(within=(start.ns,)) as tx:
        if not _open(tx, start, to, at):
            return False
        if answer.rel is not None:
            first, second = (to, start) if answer.reverse else (start, to)
            tx.graph.put_edge(Edge(first.id, second.id, answer.rel, EDGE_WEIGHTS[answer.rel], at))
        tx.graph.note_inference(start.id, to.id, answer.rel or NONE, model, at)
    return True


def _open(tx: Transaction, start: Memory, to: Memory, now: datetime) -> bool:
    """Say whether both versions are still current and nobody has related them meanwhile."""
    found = tx.memories.by_ids([start.id, to.id])
    if len(found) < 2 or not all(memory.is_current(now) for memory in found.values()):
        return False
    ends = {start.id, to.id}
    return not any(
        edge.rel in REASONING and {edge.from_id, edge.to_id} == ends
        for edge in tx.graph.edges(start.id)
    )


def _inference(start: Memory, to: Memory, answer: Answer, stored: bool) -> Inference:
    if answer.rel is None:
        return Inference(start.key, to.key, NONE, answer.reason, False)
    first, second = (to, start) if answer.reverse else (start, to)
    return Inference(first.key, second.key, answer.rel.value, answer.reason, stored)
