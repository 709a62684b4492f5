"""The counts of a lifecycle run that its changes do not show, as the JSON of one column."""

import json
from collections.abc import Iterable, Mapping, Sequence

# memories evaluated, rules applied, groups of keys that were linked
Tally = tuple[int, int, list[list[str]]]


def tally_of(text: str) -> Tally:
    """Read what a run counted, the groups by namespace, in whatever order their namespaces were
    planned.
    """
    evaluated, applied, groups = _counted(text)
    return evaluated, applied, [keys for _, keys in sorted(groups, key=lambda group: group[0])]


def tally_text(
    before: str, ns: str, evaluated: int, applied: int, clusters: Iterable[Sequence[str]]
) -> str:
    """Write what a run counted before with what it counted in a namespace."""
    done, used, groups = _counted(before)
    return _tally(
        done + evaluated, used + applied, [*groups, *((ns, list(keys)) for keys in clusters)]
    )


def tally_keys(*texts: str) -> dict[str, set[str]]:
    """Return the keys in the groups that runs counted, by namespace."""
    found: dict[str, set[str]] = {}
    for text in texts:
        for ns, keys in _counted(text)[2]:
            found.setdefault(ns, set()).update(keys)
    return found


def tally_without(text: str, gone: Mapping[str, set[str]]) -> str:
    """Write what a run counted without these keys of these namespaces in its groups.

    The same text when none is in them.
    """
    evaluated, applied, groups = _counted(text)
    kept = [(ns, [key for key in keys if key not in gone.get(ns, ())]) for ns, keys in groups]
    return (
        text
        if kept == groups
        else _tally(evaluated, applied, [group for group in kept if group[1]])
    )


def _counted(text: str) -> tuple[int, int, list[tuple[str, list[str]]]]:
    """Read how many memories a run evaluated, how many rules it applied, and its groups of keys,
    each with its namespace.

    The namespaces stand behind the groups; a run that was written down without them has groups of
    an empty namespace."""
    evaluated, applied, groups, *rest = json.loads(text) or (0, 0, [])
    names = rest[0] if rest and len(rest[0]) == len(groups) else [""] * len(groups)
    return evaluated, applied, list(zip(names, groups, strict=True))


def _tally(evaluated: int, applied: int, groups: Sequence[tuple[str, list[str]]]) -> str:
    return json.dumps(
        [evaluated, applied, [keys for _, keys in groups], [ns for ns, _ in groups]],
        ensure_ascii=False,
    )
