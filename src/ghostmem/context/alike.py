"""Memories that say the same, or nearly so, among the candidates of a context: packed once, and
never a flood.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from ghostmem.context.item import Item
from ghostmem.context.packer import Bonds
from ghostmem.text.terms import index_terms
from ghostmem.truth.rules.alike import distinctive, essence, turns

MAX_ALIKE = 3  # alike memories that are packed before different ones had their turn
ALIKE = 0.5  # the share of common terms from which on two memories are alike
READ = 2_000  # characters of a text that are compared
PERSONS = frozenset(
    "i me my mine you your yours he him his she her hers they them their theirs".split()
)

Fingerprint = tuple[object, ...]


def fingerprint(text: str) -> Fingerprint:
    """Return a value that is equal for texts that differ only in case, punctuation, markup,
    inflection and function words.

    Numbers, negations and persons are part of it, because one of them can change what a sentence
    says."""
    start, rest = text[:READ], text[READ:]
    words = essence(start)
    terms = distinctive(start) or words
    return (*terms, "", *turns(start), "", *(word for word in words if word in PERSONS), rest)


def without_duplicates(
    pinned: Sequence[Item], items: Sequence[Item], bonds: Bonds
) -> tuple[list[Item], Bonds, dict[str, list[Item]]]:
    """Keep the first of the items that say the same within a namespace, and let it inherit what
    corrects the others.

    Two memories that somebody has linked as contradicting each other are both kept.

    Return the items that are left, the adapted bonds, and the dropped duplicates by the id of the
    item that stands for them."""
    groups: dict[tuple[str, Fingerprint], list[Item]] = {}
    for item in (*pinned, *items):
        groups.setdefault((item.memory.ns, fingerprint(item.memory.content)), []).append(item)
    corrections = {id_ for others in bonds.refuters.values() for id_ in others}
    stands_for: dict[str, list[Item]] = {}
    place: dict[str, str] = {}
    chosen: dict[str, Item] = {}
    for group in groups.values():
        kept = _chosen(group, corrections)
        copies = [
            item
            for item in group
            if item.id != kept.id and not item.memory.pinned and not _conflict(item, kept, bonds)
        ]
        if copies:
            stands_for[kept.id] = copies
            place |= {item.id: kept.id for item in copies}
            chosen[next(item.id for item in group if item.id == kept.id or item in copies)] = kept
    if not place:
        return list(items), bonds, {}
    return list(_without(items, place, chosen)), _moved(bonds, place), stands_for


def _chosen(group: Sequence[Item], corrections: Set[str]) -> Item:
    """Return the memory that stands for its copies: a pinned one, one that corrects another memory,
    or the best.
    """
    best = group[0]
    if best.memory.pinned:
        return best
    kept = next((item for item in group if item.id in corrections), best)
    return replace(kept, score=best.score, stage=best.stage, legs=best.legs, parts=best.parts)


def _conflict(one: Item, other: Item, bonds: Bonds) -> bool:
    return one.id in bonds.refuters.get(other.id, ()) or other.id in bonds.refuters.get(one.id, ())


def _without(
    items: Sequence[Item], place: Mapping[str, str], chosen: Mapping[str, Item]
) -> Iterator[Item]:
    """Yield items in order without copies.

    The item that stands for a group is where its best member was.
    """
    moved = {item.id for item in chosen.values()}
    for item in items:
        kept = chosen.get(item.id)
        if kept is not None and not kept.memory.pinned:
            yield kept
        elif item.id not in place and item.id not in moved:
            yield item


def _moved(bonds: Bonds, place: Mapping[str, str]) -> Bonds:
    """Let the items that stand for others take over what corrects these, and be named in their
    place.
    """
    children = {
        id_: frozenset(place.get(kid, kid) for kid in kids) for id_, kids in bonds.children.items()
    }
    parents = {place.get(id_, id_): above for id_, above in bonds.parents.items()} | dict(
        bonds.parents
    )
    companions: dict[str, list[str]] = {}
    for id_, others in bonds.companions.items():
        _add(companions, place.get(id_, id_), (place.get(other, other) for other in others))
    refuters: dict[str, list[str]] = {}
    for id_, others in bonds.refuters.items():
        kept = place.get(id_, id_)
        # a fact that was corrected and holds again: what it corrects in turn does not correct it
        _add(
            refuters,
            kept,
            (
                place.get(o, o)
                for o in others
                if kept == id_ or kept not in _corrections_of(o, bonds, place)
            ),
        )
    return Bonds(refuters, parents, children, companions)


def _add(found: dict[str, list[str]], id_: str, others: Iterable[str]) -> None:
    known = found.setdefault(id_, [])
    known += [other for other in dict.fromkeys(others) if other != id_ and other not in known]


def _corrections_of(id_: str, bonds: Bonds, place: Mapping[str, str]) -> set[str]:
    """Return everything that corrects a memory, directly or through others, as the items that stand
    for it.
    """
    found: set[str] = set()
    todo = [id_]
    while todo:
        fresh = [other for other in bonds.refuters.get(todo.pop(), ()) if other not in found]
        found.update(fresh)
        todo += fresh
    return {place.get(other, other) for other in found}


def spread_out(items: Sequence[Item], strong_score: float) -> list[Item]:
    """Return items so that of a group of alike ones only a few come before different ones.

    Items that score at least `strong_score` stay before the others: the rest of an alike group
    moves behind different items of the same strength, not behind weak ones."""
    strong = [item for item in items if item.score >= strong_score]
    weak = [item for item in items if item.score < strong_score]
    seen: list[frozenset[str]] = []
    return [*_few_alike_first(strong, seen), *_few_alike_first(weak, seen)]


def _few_alike_first(items: Iterable[Item], seen: list[frozenset[str]]) -> list[Item]:
    first: list[Item] = []
    later: list[Item] = []
    for item in items:
        terms = frozenset(index_terms(item.memory.content[:READ]))
        alike = sum(_share(terms, other) >= ALIKE for other in seen)
        (later if alike >= MAX_ALIKE else first).append(item)
        seen.append(terms)
    return first + later


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0
