"""brief: what an agent should know when a session begins and nothing has been asked yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.engine.rows import Filter
from ghostmem.model import NsFilter, Rel, Tier
from ghostmem.pack import Pack, Packed
from ghostmem.rank.composite import composite, total
from ghostmem.rank.item import Item
from ghostmem.rank.pack import Bonds, Packer
from ghostmem.verbs import accept
from ghostmem.verbs.corrections import refuters
from ghostmem.verbs.get import count
from ghostmem.verbs.packed import packed
from ghostmem.verbs.ranked import AWAKE
from ghostmem.verbs.store import Store

if TYPE_CHECKING:
    from ghostmem.engine.base import Transaction
    from ghostmem.model import Memory

NEWEST, LASTING = 100, 200  # how many are looked at: of all, and of those that were promoted
RELEVANCE = 0.5  # nothing was asked, so everything is as relevant
SAID = "transcript"  # turns of recorded conversations are for searching


def brief(store: Store, ns: str, *, budget: int, max_memory_tokens: int = 400) -> Pack:
    """Return what matters most in a namespace, packed into a budget of tokens: what is pinned, then by importance, age and use.

    Sections of notes and turns of recorded conversations are left out. What no longer holds is too, and a correction stands
    before what it corrects.
    """
    accept.namespace(ns)
    accept.positive(budget, "budget")
    at = store.clock()
    which = Filter(NsFilter(ns), at, tiers=AWAKE, closed=False, noted=False)
    with store.engine.read() as tx:
        pinned = [Item(memory, memory.importance, "pinned") for memory in tx.listing.pinned(which.ns, at) if memory.is_open(at)]
        found = {memory.id: memory for memory in _known(tx, which) if SAID not in memory.tags}
        newer = refuters(tx, [*found, *(item.id for item in pinned)], which, at)
        found |= {memory.id: memory for others in newer.values() for memory in others}
        for item in pinned:
            found.pop(item.id, None)
        summaries = _summaries(tx, found)
    items = sorted((_item(memory, at) for memory in found.values()), key=lambda item: item.order)
    packer = Packer(budget, max_memory_tokens, lambda text: len(text.encode()) // 4)
    packer.pack(pinned, items, Bonds({id_: [one.id for one in others] for id_, others in newer.items()}, summaries), roomy=False)
    pack = Pack(packer.budget, packer.used, tuple(_packed(packer, newer)), len(packer.left))
    count(store, [packer.placed[one.id].item.memory for one in pack.memories], at, used=False)
    return pack


def _known(tx: Transaction, which: Filter) -> Iterable[Memory]:
    """Return the newest memories, and the newest of those that have proved themselves."""
    from dataclasses import replace

    yield from tx.listing.select(which, limit=NEWEST)
    yield from tx.listing.select(replace(which, tiers=(Tier.LTM,)), limit=LASTING)


def _summaries(tx: Transaction, found: Mapping[str, Memory]) -> dict[str, list[str]]:
    """Return which of what was found stands for which."""
    parents: dict[str, list[str]] = {}
    for tie in tx.graph.touching(sorted(found), [Rel.CONTAINS]):
        if tie.from_id in found and tie.to_id in found:
            parents.setdefault(tie.to_id, []).append(tie.from_id)
    return parents


def _item(memory: Memory, at: datetime) -> Item:
    parts = composite(memory, RELEVANCE, at)
    return Item(memory, total(parts), "brief", parts=parts)


def _packed(packer: Packer, newer: Mapping[str, Sequence[Memory]]) -> Iterable[Packed]:
    shown = {id_: placed.item.memory for id_, placed in packer.placed.items()}
    for id_, placed in packer.placed.items():
        above = [other for other in newer.get(id_, ()) if other.id in shown]
        below = [shown[old] for old, others in newer.items() if old in shown and any(other.id == id_ for other in others)]
        yield packed(placed, below, above)
