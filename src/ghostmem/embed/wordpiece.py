"""BERT's uncased WordPiece in the standard library, so that the static table needs numpy alone.

It gives the ids of the `tokenizers` library, which `tools/build_models.py --check` verifies, except for scripts added to
Unicode after that library's tables.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final

UNKNOWN: Final = "[UNK]"
CONTINUATION: Final = "##"
LONGEST_WORD: Final = 100
CACHED_WORDS: Final = 32_768
LONGEST_CACHED: Final = 48

_SPACE: Final = "\t\n\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WORD: Final = re.compile(f"[^{_SPACE}]+")
_SPECIAL: Final = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_IDEOGRAPH: Final = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f])"
)
_REMOVED: Final = frozenset({"Cc", "Cf", "Co", "Cs"})


class WordPiece:
    """Turn text into the token ids of one vocabulary."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        """Number the tokens in the order given."""
        self._ids = {token: number for number, token in enumerate(vocabulary)}
        self._longest = max(map(len, self._ids))
        self._unknown = self._ids[UNKNOWN]
        self._cache: dict[str, tuple[int, ...]] = {}

    @classmethod
    def load(cls, path: Path) -> WordPiece:
        """Read a vocabulary file of one token a line."""
        return cls(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))

    @property
    def unknown(self) -> int:
        """Return the id that stands for a word the vocabulary cannot spell."""
        return self._unknown

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without [CLS] and [SEP]."""
        ids: list[int] = []
        cache = self._cache
        for raw in _WORD.findall(text):
            known = cache.get(raw)
            ids += self._remember(raw) if known is None else known
        return ids

    def _remember(self, raw: str) -> tuple[int, ...]:
        """Encode a run between spaces and keep the result while there is room."""
        ids = tuple(self._encode_run(raw))
        if len(raw) <= LONGEST_CACHED:
            # Dropping all at once needs no lock and no order: common words are back after a few lines.
            if len(self._cache) >= CACHED_WORDS:
                self._cache.clear()
            self._cache[raw] = ids
        return ids

    def _encode_run(self, raw: str) -> list[int]:
        """Encode a run between spaces, which may still hold punctuation, ideographs and special tokens."""
        ids: list[int] = []
        for index, part in enumerate(_SPECIAL.split(raw)):
            if index % 2:
                ids.append(self._ids[part])
            else:
                for word in split_words(normalise(part)):
                    ids += self._pieces(word)
        return ids

    def _pieces(self, word: str) -> list[int]:
        """Cut a word into the longest known pieces from the left, or call all of it unknown."""
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        ids: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            ids.append(number)
            start, prefix = end, CONTINUATION
        return ids


def normalise(text: str) -> str:
    """Drop control characters and accents, set ideographs apart and lower the case."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(c for c in text if unicodedata.category(c) not in _REMOVED and c != "\ufffd")
        text = unicodedata.normalize("NFD", _IDEOGRAPH.sub(r" \1 ", text))
        text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    # str.lower() gives a final sigma its own form, the model's tokenizer does not.
    return text.replace("\u03a3", "\u03c3").lower()


def split_words(text: str) -> list[str]:
    """Split at spaces, and make every punctuation mark a word of its own."""
    if text.isalnum():
        return [text]
    return "".join(f" {c} " if _is_punctuation(c) else c for c in text).split(" ")


def _is_punctuation(c: str) -> bool:
    """Tell whether BERT splits at a character: any ASCII symbol, or Unicode punctuation."""
    return not c.isalnum() if " " < c < "\x7f" else unicodedata.category(c).startswith("P")
