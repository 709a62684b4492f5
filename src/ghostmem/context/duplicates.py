"""Suppress duplicates among the candidates of a context, and spread out similar ones."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from math import ceil

from ghostmem.context.packer import ContextItem, Relations
from ghostmem.grouping import grouped
from ghostmem.search.corrections import reachable
from ghostmem.text.terms import index_terms
from ghostmem.truth.alike import REVERSING_WORDS, distinctive, essence

MAX_SIMILAR = 3  # similar memories that are packed before different ones
MIN_SHARED_TERMS = 0.5  # two memories are similar if they share this part of all their terms
MAX_COMPARED = 2_000  # characters of a text that are compared
MAX_REMEMBERED = 1_024  # texts whose terms are known: a session packs the same memories repeatedly
PERSONS = frozenset(
    "i me my mine you your yours he him his she her hers they them their theirs".split()
)

Fingerprint = tuple[object, ...]


def fingerprint(text: str) -> Fingerprint:
    """Return a value that is equal for texts that say the same.

    Case, punctuation, markup, inflection and function words do not count. Numbers, negations and
    persons do, because one of them can change the meaning of a sentence."""
    start, remainder = text[:MAX_COMPARED], text[MAX_COMPARED:]
    words = essence(start)
    return (
        *(distinctive(start) or words),
        "",
        *[word for word in words if word in REVERSING_WORDS],
        "",
        *[word for word in words if word in PERSONS],
        remainder,
    )


def without_duplicates(
    pinned: Sequence[ContextItem], items: Sequence[ContextItem], relations: Relations
) -> tuple[list[ContextItem], Relations, dict[str, list[ContextItem]]]:
    """Keep one of the items that say the same within a namespace, with the corrections of all.

    Two memories that are linked as contradicting each other are both kept.

    Returns:
        The items that are left, the adapted relations, and the copies by the id of the kept item.
    """
    corrections = {id_ for others in relations.refuters.values() for id_ in others}
    copies: dict[str, list[ContextItem]] = {}
    kept_at: dict[str, ContextItem] = {}  # by the id of the best member of the group
    for group in _saying_the_same((*pinned, *items)):
        kept = _kept(group, corrections)
        dropped = [
            item
            for item in group
            if item.id != kept.id
            and not item.memory.pinned
            and item.id not in relations.refuters.get(kept.id, ())
            and kept.id not in relations.refuters.get(item.id, ())
        ]
        if dropped:
            copies[kept.id] = dropped
            kept_at[next(item for item in group if item.id == kept.id or item in dropped).id] = kept
    if not copies:
        return list(items), relations, {}
    kept_for = {item.id: id_ for id_, dropped in copies.items() for item in dropped}
    return list(_without(items, kept_for, kept_at)), _moved(relations, kept_for), copies


def _saying_the_same(items: Iterable[ContextItem]) -> Iterator[list[ContextItem]]:
    """Yield groups of at least two items that say the same, in the order of their first items."""
    by_terms = grouped(
        ((item.memory.ns, _terms(item.memory.content[:MAX_COMPARED])), item) for item in items
    )
    groups = grouped(
        ((item.memory.ns, fingerprint(item.memory.content)), item)
        for similar in by_terms.values()
        if len(similar) > 1
        for item in similar
    )
    yield from (group for group in groups.values() if len(group) > 1)


def _kept(group: Sequence[ContextItem], corrections: Set[str]) -> ContextItem:
    """Return the item to keep: a pinned one, one that corrects another memory, or the best."""
    best = group[0]
    kept = next((item for item in group if item.id in corrections), best)
    return (
        best
        if best.memory.pinned or kept is best
        else replace(kept, score=best.score, stage=best.stage, ranks=best.ranks, parts=best.parts)
    )


def _without(
    items: Sequence[ContextItem], kept_for: Mapping[str, str], kept_at: Mapping[str, ContextItem]
) -> Iterator[ContextItem]:
    """Yield items in order without copies; a kept item takes the place of its group's best."""
    moved = {item.id for item in kept_at.values()}
    for item in items:
        kept = kept_at.get(item.id)
        if kept is not None and not kept.memory.pinned:
            yield kept
        elif item.id not in kept_for and item.id not in moved:
            yield item


def _moved(relations: Relations, kept_for: Mapping[str, str]) -> Relations:
    """Replace dropped copies in relations by the items that were kept for them."""

    def kept(id_: str) -> str:
        return kept_for.get(id_, id_)

    parents = {kept(id_): above for id_, above in relations.parents.items()}
    companions = _joined(
        (kept(id_), kept(other)) for id_, others in relations.companions.items() for other in others
    )
    refuters = _joined(
        (kept(id_), kept(other))
        for id_, others in relations.refuters.items()
        for other in others
        # a fact that was corrected and holds again: what it corrects in turn does not correct it
        if kept(id_) == id_ or kept(id_) not in map(kept, reachable([other], relations.refuters))
    )
    return Relations(refuters, parents | dict(relations.parents), companions)


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    return grouped(dict.fromkeys((id_, other) for id_, other in pairs if id_ != other))


def spread_out(items: Sequence[ContextItem], strong_score: float) -> list[ContextItem]:
    """Return items so that only a few of a group of similar ones come before different ones.

    Items that score at least `strong_score` stay before the others: the rest of a similar group
    moves behind different items of the same strength, not behind weak ones."""
    # a stable sort: the items of one strength that have enough similar ones come last
    places = [
        (item.score < strong_score, len(list(islice(similar, MAX_SIMILAR))) == MAX_SIMILAR, item)
        for item, similar in with_similar(sorted(items, key=lambda item: item.score < strong_score))
    ]
    return [item for *_, item in sorted(places, key=lambda place: place[:2])]


def with_similar(
    items: Iterable[ContextItem],
) -> Iterator[tuple[ContextItem, Iterator[ContextItem]]]:
    """Yield each item with those before it that share half of all their terms."""
    compared: list[tuple[ContextItem, frozenset[str]]] = []
    holders: dict[str, list[int]] = defaultdict(list)  # the compared items that have a term
    for item in items:
        terms = _terms(item.memory.content[:MAX_COMPARED])
        postings = [holders[term] for term in terms if term in holders]
        # an item that shares enough terms has one of the rarest ones; new terms are the rarest
        rarest = len(postings) - ceil(MIN_SHARED_TERMS * len(terms)) + 1
        earlier = dict.fromkeys(chain.from_iterable(sorted(postings, key=len)[: max(0, rarest)]))
        yield item, _similar(terms, (compared[position] for position in earlier))
        for term in terms:
            holders[term].append(len(compared))
        compared.append((item, terms))


def _similar(
    terms: frozenset[str], candidates: Iterable[tuple[ContextItem, frozenset[str]]]
) -> Iterator[ContextItem]:
    return (
        item
        for item, other in candidates
        if len(terms & other) >= MIN_SHARED_TERMS * len(terms | other)
    )


@lru_cache(MAX_REMEMBERED)
def _terms(text: str) -> frozenset[str]:
    return frozenset(index_terms(text))
