"""brief: what an agent should know when a session begins and nothing has been asked yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.context.composite import PRIORITY_IMPORTANCE, composite, total
from ghostmem.context.item import ContextItem, Relations
from ghostmem.context.notes import Remark, packed_memories
from ghostmem.context.packer import Packer
from ghostmem.context.request import estimated_tokens
from ghostmem.model import TRANSCRIPT, Kind, NsFilter, Pack, Priority, Rel, Tier
from ghostmem.search.query import ACTIVE_TIERS
from ghostmem.store import validate
from ghostmem.store.lookup import count
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.truth.last_word import last_word, prevails
from ghostmem.truth.refuters import Refuters, refuters

if TYPE_CHECKING:
    from ghostmem.model import Memory
    from ghostmem.store.protocol import Transaction

MAX_NEWEST, MAX_CHANGED, MAX_LONG_TERM, MAX_RULES = 100, 100, 200, 200  # candidates read
RELEVANCE = 0.5  # nothing was asked, so everything is equally relevant

PINNED, RULE, CHANGED, BRIEF = GROUPS = ("pinned", "rule", "changed", "brief")
# Capture writes the first four (`Sort` in capture/rules/capture_cues.py, not imported: its patterns
# take time to compile), people and agents the others.
RULE_TAGS = ("decision", "preference", "correction", "boundary", "rule", "convention")
RULE_PRIORITIES = (Priority.HIGH, Priority.CRITICAL)
RULE_IMPORTANCE = 0.8  # from here on a memory counts as a rule; the default is 0.5


def brief(
    store: Store,
    ns: str,
    *,
    budget: int,
    max_memory_tokens: int = 400,
    since: datetime | None = None,
) -> Pack:
    """Return what a project knows most surely, packed into a budget of tokens.

    Pinned memories come first, up to a third of the budget; then decisions and standing rules, by
    importance; then what was created or updated after `since`, and then the rest, both by
    importance, age and use. The stage of each memory's `why` names its group. Sections of notes,
    turns of recorded conversations and memories that no longer hold are left out; a correction
    comes before what it corrects; of identical texts one is shown.

    Args:
        ns: The namespace of the project.
        budget: Maximum number of tokens.
        max_memory_tokens: Maximum number of tokens of one memory; longer ones are cut.
        since: When the previous session of the project was last active, if there was one.
    """
    validate.namespace(ns)
    validate.positive(budget, "budget")
    now = store.clock()
    filter_ = Filter(NsFilter(ns), now, tiers=ACTIVE_TIERS, closed=False, noted=False)
    with store.engine.read() as tx:
        pinned = [memory for memory in tx.listing.pinned(filter_.ns, now) if memory.is_open(now)]
        found = {memory.id: memory for memory in pinned} | _candidates(tx, filter_, since)
        corrections = refuters(tx, found, filter_, now)
        found |= {memory.id: memory for newer in corrections.values() for memory in newer}
        shown, corrections = _without_duplicates(found, corrections)
        summaries = _summaries(tx, shown)
    newer_ids = {id_: [memory.id for memory in newer] for id_, newer in corrections.items()}
    items = [_item(memory, now, since) for memory in shown.values()]
    packer = Packer(budget, max_memory_tokens, estimated_tokens)
    packer.pack(
        [item for item in items if item.stage == PINNED],
        sorted((item for item in items if item.stage != PINNED), key=_order),
        Relations(newer_ids, summaries),
        roomy=False,
    )
    packed = [entry.item for entry in packer.placed.values()]
    reasons = [Remark(item.id, rule_reason(item.memory)) for item in packed if item.stage == RULE]
    memories = packed_memories(packer.placed, newer_ids, reasons)
    count(store, [item.memory for item in packed], now, used=False)
    return Pack(packer.budget, packer.used, memories, len(packer.left))


def rule_reason(memory: Memory) -> str:
    """Return what makes a memory a decision or a standing rule; empty if nothing does."""
    tag = next((tag for tag in memory.tags if tag in RULE_TAGS), None)
    if tag is not None:
        return f"tag {tag}"
    if memory.kind is Kind.PROCEDURAL:
        return "kind procedural"
    if memory.priority in RULE_PRIORITIES:
        return f"priority {memory.priority}"
    return f"importance {memory.importance:g}" if memory.importance >= RULE_IMPORTANCE else ""


def _candidates(tx: Transaction, which: Filter, since: datetime | None) -> dict[str, Memory]:
    """Return the memories of each group, and of the rest the newest and the promoted ones."""
    listing = tx.listing
    found = listing.decisions(which, RULE_TAGS, RULE_IMPORTANCE, MAX_RULES)
    if since is not None:
        found += listing.select(replace(which, recorded_after=since), limit=MAX_CHANGED)
    found += listing.select(which, limit=MAX_NEWEST)
    found += listing.select(replace(which, tiers=(Tier.LTM,)), limit=MAX_LONG_TERM)
    return {memory.id: memory for memory in found if TRANSCRIPT not in memory.tags}


def _without_duplicates(
    found: Mapping[str, Memory],
    corrections: Refuters,
) -> tuple[dict[str, Memory], Refuters]:
    """Keep one memory of each text (pinned, or else the latest), with the corrections of all."""
    kept: dict[str, Memory] = {}
    for memory in found.values():
        text = " ".join(memory.content.split())
        other = kept.get(text, memory)
        kept[text] = max(memory, other, key=lambda one: (one.pinned, last_word(one)))
    by_id = {id_: kept[" ".join(memory.content.split())] for id_, memory in found.items()}
    joined: dict[str, dict[str, Memory]] = {}
    for id_, others in corrections.items():
        if id_ not in by_id:  # a memory that is corrected need not be among the candidates
            continue
        memory = by_id[id_]
        for other in (by_id[one.id] for one in others):
            # the latest statement of a text may be newer than what corrected an earlier one
            if other.id != memory.id and prevails(other, memory):
                joined.setdefault(memory.id, {})[other.id] = other
    shown = {id_: memory for id_, memory in found.items() if by_id[id_].id == id_}
    return shown, {id_: list(others.values()) for id_, others in joined.items()}


def _summaries(tx: Transaction, found: Mapping[str, Memory]) -> dict[str, list[str]]:
    """Return the summaries of each memory that are among the memories found."""
    parents: dict[str, list[str]] = {}
    for tie in tx.graph.touching(sorted(found), [Rel.CONTAINS]):
        if tie.from_id in found and tie.to_id in found:
            parents.setdefault(tie.to_id, []).append(tie.from_id)
    return parents


def _item(memory: Memory, at: datetime, since: datetime | None) -> ContextItem:
    if memory.pinned:
        return ContextItem(memory, memory.importance, PINNED)
    is_changed = since is not None and (memory.recorded_at or memory.created_at) > since
    group = RULE if rule_reason(memory) else CHANGED if is_changed else BRIEF
    parts = composite(memory, RELEVANCE, at)
    return ContextItem(memory, total(parts), group, parts=parts)


def _order(item: ContextItem) -> tuple[int, float, tuple[bool, float, float, str, str]]:
    """Return what candidates are sorted by: a rule does not lose its place by growing old."""
    importance = _importance(item.memory) if item.stage == RULE else 0.0
    return GROUPS.index(item.stage), -importance, item.order


def _importance(memory: Memory) -> float:
    """Return the importance of a rule; a high or critical priority stands for one too."""
    if memory.priority not in RULE_PRIORITIES:
        return memory.importance
    return max(memory.importance, PRIORITY_IMPORTANCE[memory.priority])
