"""A text that is searched for secrets.

Slow patterns read only the parts around the literals that their matches contain.
"""

import re
from collections.abc import Collection, Iterator

from ghostmem.lazy import lazy_property

_WORD_END = re.compile(r"\S*+")
_NEXT_WORDS = re.compile(r"(?:\s++\S*+){0,4}")
LONG_WORD = 15  # characters of the shortest keys and tokens that have a shape of their own
SHORT = 10_000  # characters; it is faster to search a shorter text as a whole


class SearchedText:
    """A text with its lower-case form and its distinct words.

    Whether a long text contains a literal is looked up among its distinct words, which are few.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @lazy_property
    def lower(self) -> str:
        """The text in lower case, with every character at the same position."""
        lower = self.text.lower()
        if len(lower) != len(self.text):  # a few letters become two in lower case
            lower = "".join(low if len(low := char.lower()) == 1 else char for char in self.text)
        return lower

    @lazy_property
    def words(self) -> str:
        """The distinct words of a long text, or a short text itself."""
        return self.text if len(self.text) <= SHORT else " ".join(set(self.text.split()))

    @lazy_property
    def long_words(self) -> str:
        """The words that are long enough for a key or a token, joined by spaces."""
        return " ".join(word for word in self.words.split() if len(word) >= LONG_WORD)

    @lazy_property
    def lower_words(self) -> str:
        """The distinct words in lower case, or a short text itself."""
        return self.words.lower()

    def literals_in(self, literals: Collection[str], lower: bool = False) -> list[str]:
        """Return the literals that the text may contain, or with `lower` the lower-case text."""
        words = self.lower_words if lower else self.words
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
        """Yield the separate parts of the text around the literals, in order, as (start, stop).

        Args:
            literals: the texts to search for.
            before: characters of a part before a literal, at most.
            after: characters of a part after the start of a literal, at least; four words by
                default.
            lower: search the lower-case text.

        A part ends at the end of a word. A short text with a literal is one part.
        """
        present = self.literals_in(literals, lower)
        if not present:
            return
        if len(self.text) <= SHORT:
            yield 0, len(self.text)
            return
        text = self.lower if lower else self.text
        start = stop = 0
        for place, word_end in sorted(
            place for literal in present for place in _places(text, literal)
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
    """Yield the first position of a literal in each word, and the end of the word."""
    at = text.find(literal)
    while at >= 0:
        end = _WORD_END.match(text, at + len(literal)).end()  # type: ignore[union-attr]
        yield at, end
        at = text.find(literal, end)
