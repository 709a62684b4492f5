"""A text that is searched for secrets: slow patterns read only what lies around the literals that
they contain.
"""

import re
from collections.abc import Collection, Iterator
from functools import cached_property

_WORD_END = re.compile(r"\S*+")
_NEXT_WORDS = re.compile(r"(?:\s++\S*+){0,4}")
LONG_WORD = 15  # characters of the shortest keys and tokens that are recognised by their form alone
SHORT = 10_000  # characters that are read faster than they are taken apart


class Source:
    """A text, in lower case too, and which literals it holds.

    A long text is asked by its different words, which are few.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lower(self) -> str:
        """The text in lower case, with every character at its old place."""
        lower = self.text.lower()
        if len(lower) != len(self.text):  # a few letters become two
            lower = "".join(low if len(low := char.lower()) == 1 else char for char in self.text)
        return lower

    @cached_property
    def words(self) -> str:
        """The different words of the text, if it is long; else the text."""
        return self.text if len(self.text) <= SHORT else " ".join(set(self.text.split()))

    @cached_property
    def long_words(self) -> str:
        """The words of the text that are long enough for a key or a token, with a space between
        them.
        """
        return " ".join(word for word in self.words.split() if len(word) >= LONG_WORD)

    @cached_property
    def _lower_words(self) -> str:
        return self.words.lower()

    def holding(self, literals: Collection[str], lower: bool = False) -> list[str]:
        """Return those of these literals that the text may hold.

        With `lower` the text in lower case.
        """
        words = self._lower_words if lower else self.words
        if words is self.text or len(self.text) <= SHORT:
            return [literal for literal in literals if literal in words]
        return [literal for literal in literals if all(part in words for part in literal.split())]

    def around(
        self,
        literals: Collection[str],
        before: int = 64,
        after: int | None = None,
        lower: bool = False,
    ) -> Iterator[tuple[int, int]]:
        """Yield the parts of the text that lie around one of these literals, in order and apart, as
        (start, stop).

        Args:
            literals: the texts that are looked for.
            before: how many characters before a literal a part begins at most.
            after: how many characters behind a literal's start a part ends at least; four words by
                default.
            lower: look in the text in lower case.

        A part ends at the end of a word. A short text is one part, if it holds a literal at all.
        """
        found = self.holding(literals, lower)
        if not found:
            return
        if len(self.text) <= SHORT:
            yield 0, len(self.text)
            return
        text = self.lower if lower else self.text
        start = stop = 0
        for place, word_end in sorted(
            place for literal in found for place in _places(text, literal)
        ):
            if place - before > stop:
                if stop:
                    yield start, stop
                start = place - before
            end = (
                _NEXT_WORDS.match(text, word_end)
                if after is None
                else _WORD_END.match(text, min(place + after, len(text)))
            )
            stop = max(stop, end.end() if end else 0)
        if stop:
            yield start, stop


def _places(text: str, literal: str) -> Iterator[tuple[int, int]]:
    """Yield where a literal stands for the first time in a word, and where that word ends."""
    at = text.find(literal)
    while at >= 0:
        end = _WORD_END.match(text, at + len(literal)).end()  # type: ignore[union-attr]
        yield at, end
        at = text.find(literal, end)
