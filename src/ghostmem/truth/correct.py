"""What a put does about what it corrects: link the two, and close the older one if that was asked
for.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.errors import ConflictError, InvalidInputError
from ghostmem.model import EDGE_WEIGHTS, HEARSAY, Edge, Memory, Rel, SourceKind
from ghostmem.store.store import Store
from ghostmem.truth.close import close, refuse_note
from ghostmem.truth.last_word import last_word, prevails

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

CHAIN = 8  # how many that were corrected before are linked to a further correction


def suggest(store: Store, tx: Transaction, new: Memory, old: Memory, now: datetime) -> bool:
    """Record that a memory corrects an older one, as an inference: the newer comes first wherever
    both appear.

    What others say about the user's own words corrects nothing: there, the user's word is recorded
    as contradicting theirs, so that it stands beside and before them."""
    if not new.from_user and old.from_user:
        return contradict(tx, old, [new], now, automatic=True)
    made = contradict(tx, new, [old, *_corrected_by(tx, old, now)], now, automatic=True)
    if store.settings.freshness == "close" and not old.protected and not tx.notes.places([old.id]):
        close(store, tx, old, new, now)
    return made


def supersede(
    store: Store, tx: Transaction, new: Memory, old: Memory, now: datetime, unlock: bool = False
) -> Memory:
    """End a memory at somebody's word, in favour of another."""
    contradict(tx, new, [old, *_corrected_by(tx, old, now)], now, automatic=False)
    return close(store, tx, old, new, now, unlock)


def echo(tx: Transaction, new: Memory, said: Memory, now: datetime) -> None:
    """Let a restatement stand in every dispute that what it restates stands in, so that a false one
    never comes alone.
    """
    ties = tx.graph.touching([said.id], [Rel.CONTRADICTS])
    others = tx.memories.by_ids(
        sorted({end for tie in ties for end in (tie.from_id, tie.to_id)} - {said.id, new.id})
    )
    held = [m for m in others.values() if m.is_current(now) and m.is_open(now) and m.ns == new.ns]
    for other in sorted(held, key=last_word, reverse=True)[:CHAIN]:
        if prevails(new, other):
            contradict(tx, new, [other], now, automatic=True)
        else:
            contradict(tx, other, [new], now, automatic=True)


def may_supersede(tx: Transaction, old: Memory, source: SourceKind | None, key: str) -> None:
    """Refuse what must not end a memory: itself, a file's section, and hearsay about the user's own
    words.
    """
    if old.key == key:
        raise InvalidInputError(
            f"{old.ns}/{key} cannot supersede itself",
            "a put on the same key is its next version anyway",
        )
    refuse_note(tx, old)
    if old.from_user and source in HEARSAY:
        raise ConflictError(
            f"{old.ns}/{old.key} is the user's own word, and what is {source} cannot end it",
            "put it without supersedes, and let the user decide with `ghost resolve`",
        )


def contradict(
    tx: Transaction, one: Memory, others: list[Memory], now: datetime, automatic: bool
) -> bool:
    """Link a memory to those it contradicts.

    A link that is there becomes somebody's word when it was an inference.
    """
    made = False
    for other in others:
        if other.id == one.id:
            continue
        known = tx.graph.edge(one.id, other.id, Rel.CONTRADICTS)
        if known is None or (known.automatic and not automatic):
            tx.graph.put_edge(
                Edge(
                    one.id,
                    other.id,
                    Rel.CONTRADICTS,
                    EDGE_WEIGHTS[Rel.CONTRADICTS],
                    now,
                    automatic=automatic,
                )
            )
            made = True
    return made


def _corrected_by(tx: Transaction, memory: Memory, now: datetime) -> list[Memory]:
    """Return what a memory already corrects, so that a chain of corrections stays whole when a link
    of it goes.
    """
    ties = tx.graph.touching([memory.id], [Rel.CONTRADICTS])
    older = tx.memories.by_ids([tie.to_id for tie in ties if tie.from_id == memory.id])
    found = [other for other in older.values() if other.is_current(now) and other.ns == memory.ns]
    return sorted(found, key=lambda other: other.created_at, reverse=True)[:CHAIN]
