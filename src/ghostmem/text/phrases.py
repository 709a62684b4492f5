"""Find the patterns of a table that a text may match, by words that every match contains."""

from collections.abc import Iterable
from typing import Generic, TypeVar

from ghostmem.grouping import grouped

Row = TypeVar("Row")


class PhraseTable(Generic[Row]):
    """Rows with the words, separated by `|`, of which a text that matches contains one.

    Most texts contain none of them, so that no pattern is compiled or searched for."""

    def __init__(self, rows: Iterable[tuple[str, Row]]) -> None:
        table = list(rows)
        self._rows = [row for _, row in table]
        self._places = grouped(
            (word, place) for place, (words, _) in enumerate(table) for word in words.split("|")
        )

    def likely(self, text: str) -> list[Row]:
        """Return the rows that a text may match, in the order of the table."""
        words = [word for word in self._places if word in text]
        if not words:
            return []
        places = {place for word in words for place in self._places[word]}
        return [self._rows[place] for place in sorted(places)]
