"""The counts of a lifecycle run that its changes do not show, as the JSON of one column."""

import json
from collections.abc import Iterable, Mapping, Sequence

# memories evaluated, rules applied, groups of keys that were linked
Tally = tuple[int, int, list[list[str]]]


def tally_of(text: str) -> Tally:
    """Read the counts of a run, with its groups of keys ordered by namespace."""
    evaluated, applied, groups = _counted(text)
    return evaluated, applied, [keys for _, keys in sorted(groups, key=lambda group: group[0])]


def tally_text(
    before: str, ns: str, evaluated: int, applied: int, clusters: Iterable[Sequence[str]]
) -> str:
    """Return the counts of a run with those of one more namespace added."""
    done, used, groups = _counted(before)
    return _tally(
        done + evaluated, used + applied, [*groups, *((ns, list(keys)) for keys in clusters)]
    )


def tally_keys(*texts: str) -> dict[str, set[str]]:
    """Return the keys in the groups of runs, by namespace."""
    keys_by_ns: dict[str, set[str]] = {}
    for text in texts:
        for ns, keys in _counted(text)[2]:
            keys_by_ns.setdefault(ns, set()).update(keys)
    return keys_by_ns


def tally_without(text: str, gone: Mapping[str, set[str]]) -> str:
    """Return the counts of a run without some keys of some namespaces in its groups.

    The text is unchanged when no group has such a key."""
    evaluated, applied, groups = _counted(text)
    remaining = [(ns, [key for key in keys if key not in gone.get(ns, ())]) for ns, keys in groups]
    return (
        text
        if remaining == groups
        else _tally(evaluated, applied, [group for group in remaining if group[1]])
    )


def _counted(text: str) -> tuple[int, int, list[tuple[str, list[str]]]]:
    """Read the memories evaluated, the rules applied, and the groups as (namespace, keys).

    The namespaces follow the groups; groups of a run that was recorded without them have an
    empty namespace."""
    evaluated, applied, groups, *others = json.loads(text) or (0, 0, [])
    names = others[0] if others and len(others[0]) == len(groups) else [""] * len(groups)
    return evaluated, applied, list(zip(names, groups, strict=True))


def _tally(evaluated: int, applied: int, groups: Sequence[tuple[str, list[str]]]) -> str:
    return json.dumps(
        [evaluated, applied, [keys for _, keys in groups], [ns for ns, _ in groups]],
        ensure_ascii=False,
    )
