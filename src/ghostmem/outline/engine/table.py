"""Read the table of a language: which role each type of syntax node plays."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

Place = str | int  # the name of a field of the grammar, or the number of a named child


class Form(NamedTuple):
    """The role of a type of node, where its parts are, and its options.

    `options` holds words without `=`, and `words` those keys whose value is not a place.
    """

    role: str
    places: dict[str, Place]
    options: frozenset[str]
    words: dict[str, str]


_WORD_KEYS = {"kind", "fn", "type_fn", "is", "named"}


def read_table(text: str) -> dict[str, Form]:
    """Return the forms by type of node.

    A line is `node_type,node_type role key=place ... option ...`; what follows `#` is a comment.
    """
    table = {}
    for line in text.splitlines():
        node_types, *words = line.partition("#")[0].split() or [""]
        if words:
            table.update(dict.fromkeys(node_types.split(","), _form(words)))
    return table


def form(text: str) -> Form:
    """Return a form of its own: `role key=place ... option ...`."""
    return _form(text.split())


def _form(words: list[str]) -> Form:
    pairs = [word.split("=", 1) for word in words[1:] if "=" in word]
    return Form(
        words[0],
        {
            key: int(place) if place.lstrip("-").isdigit() else place
            for key, place in pairs
            if key not in _WORD_KEYS
        },
        frozenset(word for word in words[1:] if "=" not in word),
        {key: word for key, word in pairs if key in _WORD_KEYS},
    )


@cache
def words_of(file: str) -> dict[str, frozenset[str]]:
    """Return the words of a data file by the first word of their line."""
    path = Path(__file__).parent.parent / "languages" / "data" / file
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {row[0]: frozenset(row[1:]) for row in rows if row and row[0] != "#"}


def groups_of(file: str, group: str) -> dict[str, str]:
    """Return the words of lines `group.meaning word ...`, each with its meaning."""
    return {
        word: key.removeprefix(f"{group}.")
        for key, words in words_of(file).items()
        if key.startswith(f"{group}.")
        for word in words
    }


def names_in(file: str) -> frozenset[str]:
    """Return the full names in a data file: each line has a package, or `-`, and names."""
    return frozenset(
        name if package == "-" else f"{package}.{name}"
        for package, names in words_of(file).items()
        for name in names
    )
