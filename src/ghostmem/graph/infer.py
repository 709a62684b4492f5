"""infer_edges: ask a model how similar memories relate, and store its answers as edges."""

from collections.abc import Callable, Iterable

from ghostmem.errors import ModelError
from ghostmem.frozen import frozen
from ghostmem.graph.ask.base import Asker
from ghostmem.graph.edges import seed_keys
from ghostmem.model import EDGE_WEIGHTS, REASONING, Edge, Memory, Record
from ghostmem.store import Store, find, validate
from ghostmem.text.infer import NO_RELATION, RelationAnswer, pair_prompt, read_answer

MAX_FAILURES = 3  # in a row, after which a run stops


@frozen
class EdgeInference(Record):
    """A model's answer about one pair, in the direction it holds, and whether it was stored."""

    from_key: str
    to_key: str
    rel: str
    reason: str
    applied: bool


@frozen
class InferReport(Record):
    """The answers of a run; in a dry run, those that it would have stored."""

    dry_run: bool
    model: str
    pairs_examined: int
    edges_created: int
    edges_skipped: int
    remaining: int
    stopped: bool
    errors: tuple[str, ...]
    inferences: tuple[EdgeInference, ...]


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
    """Ask a language model how similar memories relate, and store each answer at once.

    Args:
        ns: Namespace.
        max_pairs: Maximum number of pairs to ask about.
        seed: Keys; each pair contains one of them.
        again: Also ask about pairs that were answered with "none" before.
        dry_run: Change nothing; report what would happen.
        ask: Function from a prompt to an answer; default: the model of the settings.
        progress: Called with the number of pairs done.

    Raises:
        InvalidInputError: No model is configured.
        ModelError: The model fails.
    """
    validate.flags(again=again, dry_run=dry_run)
    validate.namespace(ns)
    max_pairs = validate.positive(max_pairs, "max pairs")
    seeds = seed_keys(seed)
    if ask is None:
        from ghostmem.graph.ask.choose import choose

        ask = choose(store.settings)
    model = str(
        getattr(ask, "name", None) or f"own:{getattr(ask, '__qualname__', type(ask).__name__)}"
    )
    now = store.clock()
    with store.engine.read(ns) as tx:
        for key in seeds:
            find(tx, ns, key, now)
        undecided = tx.graph.undecided(ns, now, seeds, again=again)
    pairs = [(start, to) for start, to, _ in undecided if to.ns == ns]
    if not dry_run:
        with store.engine.write():
            pass  # a read-only store fails here, not after the first answer was paid for
    inferences: list[EdgeInference] = []
    errors: list[str] = []
    answered = failures = 0
    for asked, (start, to) in enumerate(pairs[:max_pairs], 1):
        try:
            text = ask(pair_prompt(start, to))
            failures = 0
            answer = read_answer(text)
        except ModelError as error:
            errors.append(f"{start.key} → {to.key}: {error.message}")
            failures += 1
            if failures == MAX_FAILURES:
                errors.append(f"stopped after {MAX_FAILURES} failures in a row; {error.hint}")
                break
        except ValueError as error:
            errors.append(f"{start.key} → {to.key}: {error}")
        else:
            stored = dry_run or _store(store, start, to, answer, model)
            answered += stored
            inferences.append(_inference(start, to, answer, stored and not dry_run))
        if progress is not None:
            progress(asked)
    return InferReport(
        dry_run,
        model,
        pairs_examined=len(inferences),
        edges_created=sum(i.rel != NO_RELATION and (i.applied or dry_run) for i in inferences),
        edges_skipped=sum(i.rel == NO_RELATION for i in inferences),
        remaining=len(pairs) - answered,
        stopped=failures == MAX_FAILURES,
        errors=tuple(errors),
        inferences=tuple(inferences),
    )


def _store(store: Store, start: Memory, to: Memory, answer: RelationAnswer, model: str) -> bool:
    """Store an answer; False when one of the memories changed, or the pair has an edge by now."""
    now = store.clock()
    with store.engine.write(within=(start.ns,)) as tx:
        rows = tx.memories.by_ids([start.id, to.id]).values()
        ends = {start.id, to.id}
        if (
            len(rows) < 2
            or not all(memory.is_current(now) for memory in rows)
            or any(
                edge.rel in REASONING and {edge.from_id, edge.to_id} == ends
                for edge in tx.graph.edges(start.id)
            )
        ):
            return False
        if answer.rel is not None:
            first, second = (to, start) if answer.reverse else (start, to)
            tx.graph.put_edge(Edge(first.id, second.id, answer.rel, EDGE_WEIGHTS[answer.rel], now))
        tx.graph.note_inference(start.id, to.id, answer.rel or NO_RELATION, model, now)
    return True


def _inference(start: Memory, to: Memory, answer: RelationAnswer, stored: bool) -> EdgeInference:
    if answer.rel is None:
        return EdgeInference(start.key, to.key, NO_RELATION, answer.reason, False)
    first, second = (to, start) if answer.reverse else (start, to)
    return EdgeInference(first.key, second.key, answer.rel.value, answer.reason, stored)
