"""brief: select the memories that an agent should read when a session begins."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from ghostmem.context.composite import PRIORITY_IMPORTANCE, composite, total
from ghostmem.context.packer import ContextItem, Packer, Relations, packed_memories
from ghostmem.context.request import estimated_tokens
from ghostmem.grouping import grouped
from ghostmem.model import TRANSCRIPT, Kind, Memory, NsFilter, Pack, Priority, Rel, Tier
from ghostmem.search.query import ACTIVE_TIERS
from ghostmem.store import Filter, Store, Transaction, count, validate
from ghostmem.truth.contradictions import Contradictions, find_contradictions
from ghostmem.truth.corrections import precedence, prevails

MAX_NEWEST, MAX_CHANGED, MAX_LONG_TERM, MAX_RULES = 100, 100, 200, 200  # candidates read
RELEVANCE = 0.5  # without a question all memories are equally relevant

PINNED, RULE, CHANGED, BRIEF = GROUPS = ("pinned", "rule", "changed", "brief")
# Capture writes the first four (see `Sort`), people and agents the others.
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
    """Return the most important memories of a project, packed into a token budget.

    Pinned memories come first, up to a third of the budget; then decisions and standing rules, by
    importance; then memories created or updated after `since`, and then the rest, both by
    importance, age and use. The stage of each memory's `why` names its group. Sections of notes,
    turns of recorded conversations and memories that have ended are left out; a correction comes
    before the memory that it corrects; of identical texts one is shown.

    Args:
        ns: The namespace of the project.
        budget: Maximum number of tokens.
        max_memory_tokens: Maximum number of tokens of one memory; longer ones are cut.
        since: When the previous session of the project was last active, if there was one.
    """
    validate.namespace(ns)
    budget = validate.positive(budget, "budget")
    now = store.clock()
    filter_ = Filter(NsFilter(ns), now, tiers=ACTIVE_TIERS, closed=False, noted=False)
    with store.engine.read(ns) as tx:
        candidates = {
            memory.id: memory
            for memory in tx.listing.pinned(filter_.ns, now)
            if memory.is_open(now)
        } | _candidates(tx, filter_, since)
        corrections = find_contradictions(tx, candidates, filter_, now)
        candidates |= {memory.id: memory for newer in corrections.values() for memory in newer}
        unique, newer_ids = _without_duplicates(candidates, corrections)
        summaries = grouped(
            (tie.to_id, tie.from_id)
            for tie in tx.graph.touching(sorted(unique), [Rel.CONTAINS])
            if tie.from_id in unique and tie.to_id in unique
        )
    items = [_item(memory, now, since) for memory in unique.values()]
    packer = Packer(budget, max_memory_tokens, estimated_tokens)
    packer.pack(
        [item for item in items if item.stage == PINNED],
        sorted((item for item in items if item.stage != PINNED), key=_order),
        Relations(newer_ids, summaries),
        roomy=False,
    )
    packed = [entry.item for entry in packer.placed.values()]
    memories = packed_memories(
        packer.placed,
        newer_ids,
        [(item.id, rule_reason(item.memory)) for item in packed if item.stage == RULE],
    )
    count(store, [item.memory for item in packed], now, used=False)
    return Pack(packer.budget, packer.used, memories, len(packer.left_out))


def rule_reason(memory: Memory) -> str:
    """Return the reason why a memory is a decision or a rule; empty if it is none."""
    tag = next((tag for tag in memory.tags if tag in RULE_TAGS), None)
    if tag is not None:
        return f"tag {tag}"
    if memory.kind is Kind.PROCEDURAL:
        return "kind procedural"
    if memory.priority in RULE_PRIORITIES:
        return f"priority {memory.priority}"
    return f"importance {memory.importance:g}" if memory.importance >= RULE_IMPORTANCE else ""


def _candidates(tx: Transaction, filter_: Filter, since: datetime | None) -> dict[str, Memory]:
    """Return the memories of each group, and of the rest the newest and the promoted ones."""
    listing = tx.listing
    memories = listing.decisions(filter_, RULE_TAGS, RULE_IMPORTANCE, MAX_RULES)
    if since is not None:
        memories += listing.select(replace(filter_, recorded_after=since), limit=MAX_CHANGED)
    memories += listing.select(filter_, limit=MAX_NEWEST)
    memories += listing.select(replace(filter_, tiers=(Tier.LTM,)), limit=MAX_LONG_TERM)
    return {memory.id: memory for memory in memories if TRANSCRIPT not in memory.tags}


def _without_duplicates(
    memories: Mapping[str, Memory], corrections: Contradictions
) -> tuple[dict[str, Memory], dict[str, list[str]]]:
    """Keep one memory of each text (pinned, or else the latest), with the corrections of all.

    The corrections are ids of kept memories by the id of the kept memory that they correct."""
    texts = {id_: " ".join(memory.content.split()) for id_, memory in memories.items()}
    by_text = {
        text: max(same, key=lambda m: (m.pinned, precedence(m)))
        for text, same in grouped((texts[id_], m) for id_, m in memories.items()).items()
    }
    pairs = (
        (by_text[texts[id_]], by_text[texts[newer.id]])
        for id_, prevailing in corrections.items()
        if id_ in memories
        for newer in prevailing
    )
    # the latest statement of a text may be newer than the correction of an earlier one
    newer_ids = grouped(
        dict.fromkeys(
            (memory.id, newer.id)
            for memory, newer in pairs
            if newer.id != memory.id and prevails(newer, memory)
        )
    )
    unique = {id_: memory for id_, memory in memories.items() if by_text[texts[id_]].id == id_}
    return unique, newer_ids


def _item(memory: Memory, now: datetime, since: datetime | None) -> ContextItem:
    if memory.pinned:
        return ContextItem(memory, memory.importance, PINNED)
    is_changed = since is not None and memory.written_at > since
    group = RULE if rule_reason(memory) else CHANGED if is_changed else BRIEF
    parts = composite(memory, RELEVANCE, now)
    return ContextItem(memory, total(parts), group, parts=parts)


def _order(item: ContextItem) -> tuple[int, float, tuple[bool, float, float, str, str]]:
    """Return the sort key; a rule does not lose its place with age.

    It is at least as important as its high or critical priority."""
    memory, is_rule = item.memory, item.stage == RULE
    importance = memory.importance if is_rule else 0.0
    if is_rule and memory.priority in RULE_PRIORITIES:
        importance = max(importance, PRIORITY_IMPORTANCE[memory.priority])
    return GROUPS.index(item.stage), -importance, item.order
