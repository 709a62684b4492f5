"""The counts of a lifecycle run that its changes do not show, as the JSON of one column."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass
class Tally:
    """The memories evaluated, the rules applied, groups of similar memories by key, and notes."""

    evaluated: int = 0
    applied: int = 0
    clusters: list[tuple[str, Sequence[str]]] = field(default_factory=list)  # after a namespace
    notes: list[str] = field(default_factory=list)


def tally_of(text: str) -> Tally:
    """Read the counts of a run, with its groups of keys ordered by namespace."""
    tally = _read(text)
    return replace(
        tally,
        clusters=sorted(tally.clusters, key=lambda group: group[0]),
        notes=sorted(tally.notes),
    )


def tally_text(before: str, added: Tally) -> str:
    """Return the counts of a run with some more added."""
    done = _read(before)
    return _text(
        Tally(
            done.evaluated + added.evaluated,
            done.applied + added.applied,
            [*done.clusters, *added.clusters],
            [*done.notes, *added.notes],
        )
    )


def tally_keys(*texts: str) -> dict[str, set[str]]:
    """Return the keys in the groups of runs, by namespace."""
    keys_by_ns: dict[str, set[str]] = {}
    for text in texts:
        for ns, keys in _read(text).clusters:
            keys_by_ns.setdefault(ns, set()).update(keys)
    return keys_by_ns


def tally_without(text: str, gone: Mapping[str, set[str]]) -> str:
    """Return the counts of a run without some keys of some namespaces in its groups.

    The text is unchanged when no group has such a key."""
    tally = _read(text)
    groups = [
        (ns, [key for key in keys if key not in gone.get(ns, ())]) for ns, keys in tally.clusters
    ]
    return (
        text
        if groups == tally.clusters
        else _text(replace(tally, clusters=[group for group in groups if group[1]]))
    )


def _read(text: str) -> Tally:
    """Read a tally: counts, groups, their namespaces, and notes.

    Groups of a run that was recorded without namespaces have an empty one."""
    evaluated, applied, groups, *others = json.loads(text) or (0, 0, [])
    names = others[0] if others and len(others[0]) == len(groups) else [""] * len(groups)
    notes = others[1] if len(others) > 1 else []
    return Tally(evaluated, applied, list(zip(names, groups, strict=True)), notes)


def _text(tally: Tally) -> str:
    names, groups = [ns for ns, _ in tally.clusters], [list(keys) for _, keys in tally.clusters]
    values: list[Any] = [tally.evaluated, tally.applied, groups, names]
    return json.dumps([*values, tally.notes] if tally.notes else values, ensure_ascii=False)
