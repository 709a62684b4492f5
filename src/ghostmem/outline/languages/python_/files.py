"""What inference needs of the files of a project, unfolded when it is first asked for.

It stays at hand: inference goes from file to file, so that letting the oldest go again made it
unfold them all the time."""

from collections.abc import Mapping
from sys import intern
from typing import Any, NamedTuple

from ghostmem.outline.facts import Facts, Ref
from ghostmem.outline.languages.python_.scopes import Scopes
from ghostmem.outline.languages.python_.tables import Row


class Loaded(NamedTuple):
    """The tables of one file."""

    refs: list[Ref]
    exprs: list[Row]
    scopes: Scopes
    details: list[dict[str, Any]]  # of its symbols


class PythonFiles(dict[str, Loaded]):
    """The tables of all files, by path."""

    def __init__(self, facts: Mapping[str, Facts]) -> None:
        """Start with nothing at hand."""
        super().__init__()
        self._facts = facts

    def __missing__(self, path: str) -> Loaded:
        """Unfold a file."""
        facts = self._facts[path]
        refs, exprs, scopes, blocks, details = facts.all_of_it() or _NOTHING
        if not isinstance(exprs[0], tuple):  # it made a trip through JSON
            refs, exprs = [Ref(*one) for one in refs], [_row(one) for one in exprs]
        self[path] = found = Loaded(refs, exprs, Scopes(scopes, blocks), details)
        return found


def _row(row: list[Any]) -> Row:
    # a name is written many times and kept once
    if row[0] == "n":
        return ("n", intern(row[1]), *row[2:])
    return ("a", row[1], intern(row[2])) if row[0] == "a" else tuple(row)


# of a file that is no text
_NOTHING: Any = (
    [],
    [("x",)],
    [{"kind": "module", "parent": -1, "symbol": -1, "names": {}, "narrow": {}, "moved": {}}],
    [],
    [],
)
