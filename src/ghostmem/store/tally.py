"""The counts of a lifecycle run that its changes do not show, as the JSON of one column."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass
class Tally:
    """The memories evaluated, the rules applied, groups of similar memories by key, and notes."""

    evaluated: int = 0
    applied: int = 0
    clusters: list[Sequence[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Recorded(NamedTuple):
    """A tally with the namespace of each group."""

    evaluated: int
    applied: int
    groups: list[tuple[str, list[str]]]
    notes: list[str]


def tally_of(text: str) -> Tally:
    """Read the counts of a run, with its groups of keys ordered by namespace."""
    evaluated, applied, groups, notes = _read(text)
    clusters: list[Sequence[str]] = [keys for _, keys in sorted(groups, key=lambda group: group[0])]
    return Tally(evaluated, applied, clusters, sorted(notes))


def tally_text(before: str, ns: str, added: Tally) -> str:
    """Return the counts of a run with those of one more namespace added."""
    done = _read(before)
    return _text(
        _Recorded(
            done.evaluated + added.evaluated,
            done.applied + added.applied,
            [*done.groups, *((ns, list(keys)) for keys in added.clusters)],
            [*done.notes, *added.notes],
        )
    )


def tally_keys(*texts: str) -> dict[str, set[str]]:
    """Return the keys in the groups of runs, by namespace."""
    keys_by_ns: dict[str, set[str]] = {}
    for text in texts:
        for ns, keys in _read(text).groups:
            keys_by_ns.setdefault(ns, set()).update(keys)
    return keys_by_ns


def tally_without(text: str, gone: Mapping[str, set[str]]) -> str:
    """Return the counts of a run without some keys of some namespaces in its groups.

    The text is unchanged when no group has such a key."""
    recorded = _read(text)
    groups = recorded.groups
    remaining = [(ns, [key for key in keys if key not in gone.get(ns, ())]) for ns, keys in groups]
    if remaining == groups:
        return text
    return _text(recorded._replace(groups=[group for group in remaining if group[1]]))


def _read(text: str) -> _Recorded:
    """Read a tally: counts, groups, their namespaces, and notes.

    Groups of a run that was recorded without namespaces have an empty one."""
    evaluated, applied, groups, *others = json.loads(text) or (0, 0, [])
    names = others[0] if others and len(others[0]) == len(groups) else [""] * len(groups)
    notes = others[1] if len(others) > 1 else []
    return _Recorded(evaluated, applied, list(zip(names, groups, strict=True)), notes)


def _text(tally: _Recorded) -> str:
    names, groups = [ns for ns, _ in tally.groups], [keys for _, keys in tally.groups]
    values: list[Any] = [tally.evaluated, tally.applied, groups, names]
    return json.dumps([*values, tally.notes] if tally.notes else values, ensure_ascii=False)
