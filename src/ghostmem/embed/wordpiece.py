"""BERT's uncased WordPiece with the standard library: the token ids of the shipped models.

The ids are those of the `tokenizers` package, as `tools/build_models.py --check` verifies. Only
letters and marks that came after Unicode 8 may differ, because its tables end there.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

MAX_CACHED_RUNS: Final = 32_768
MAX_CACHED_LENGTH: Final = 48  # characters of a run in the cache
MAX_WORD: Final = 100  # characters; a longer word is unknown

# str.split() splits at these, but BERT deletes them; NUL is deleted too and splits nothing.
_FALSE_SPACE: Final = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
_SPECIAL: Final = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_IDEOGRAPHS: Final = (
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)),
    *((0x20000, 0x2A6DF), (0x2A700, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F)),
)

FOLDER = Path(__file__).parent / "data"


class WordPiece:
    """Turn text into the token ids of one vocabulary."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._ids = {token: number for number, token in enumerate(vocabulary)}
        self._longest = max(map(len, self._ids))
        self._cache: dict[str, list[int]] = {}
        self.unknown = self._ids["[UNK]"]

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a vocabulary file with one token per line."""
        return cls(path.read_bytes().decode().removesuffix("\n").split("\n"))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without [CLS] and [SEP]."""
        ids: list[int] = []
        for run in _FALSE_SPACE.sub("\0", text).split():
            cached = self._cache.get(run)
            ids += self._encode_run(run) if cached is None else cached
        return ids

    def _encode_run(self, run: str) -> list[int]:
        """Encode a run without spaces and cache the result."""
        ids: list[int] = []
        for index, part in enumerate(_SPECIAL.split(run)):
            if index % 2:
                ids.append(self._ids[part])
            else:
                for word in split_words(part):
                    ids += self._pieces(word)
        if len(run) <= MAX_CACHED_LENGTH:
            # Clearing all at once needs no lock and no order; common words return soon.
            if len(self._cache) >= MAX_CACHED_RUNS:
                self._cache.clear()
            self._cache[run] = ids
        return ids

    def _pieces(self, word: str) -> list[int]:
        """Split a word into the longest known pieces from the left; without them it is unknown."""
        if len(word) > MAX_WORD:
            return [self.unknown]
        ids: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self.unknown]
            ids.append(number)
            start, prefix = end, "##"
        return ids


class _Clean(dict[int, str | None]):
    """Map a character to itself, with spaces around an ideograph, or to nothing (control)."""

    def __missing__(self, code: int) -> str | None:
        c = chr(code)
        dropped = c == "\ufffd" or unicodedata.category(c) in {"Cc", "Cf", "Co", "Cs"}
        apart = any(low <= code <= high for low, high in _IDEOGRAPHS)
        self[code] = None if dropped else f" {c} " if apart else c
        return self[code]


class _Split(dict[int, str | None]):
    """Map a character to itself, with spaces around punctuation, or to nothing (accent)."""

    def __missing__(self, code: int) -> str | None:
        c = chr(code)
        category = unicodedata.category(c)
        apart = category.startswith("P") or (code < 128 and category.startswith("S"))
        self[code] = None if category in {"Mn", "Cc"} else f" {c} " if apart else c
        return self[code]


_CLEAN: Final = _Clean()
_SPLIT: Final = _Split()


def split_words(run: str) -> list[str]:
    """Return the words of a run in lower case, without accents, punctuation separate."""
    if not run.isascii():
        run = unicodedata.normalize("NFD", run.translate(_CLEAN))
    # A final sigma has a form of its own in str.lower(), not in the model's vocabulary.
    return run.translate(_SPLIT).replace("\u03a3", "\u03c3").lower().split(" ")


@cache
def manifest() -> dict[str, Any]:
    """Return the description of each shipped model."""
    return dict(json.loads((FOLDER / "MODELS.json").read_bytes()))


@cache
def words() -> WordPiece:
    """Return the tokenizer that the shipped models share."""
    return WordPiece.load(FOLDER / "vocab.txt")


def known_share(text: str) -> float:
    """Return the share of the tokens of a text that are in the shipped vocabulary."""
    ids = words().encode(text)
    # the vocabulary has single characters of other scripts, but the models learned nothing of them
    foreign = sum(not char.isascii() and char.isalpha() and ord(char) > 0x24F for char in text)
    letters = sum(char.isalpha() for char in text)
    return (1 - (ids.count(words().unknown) / max(len(ids), 1))) * (1 - foreign / max(letters, 1))
