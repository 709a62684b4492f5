"""Fold letters of any script to a searchable form; ranges of scripts without spaces."""

import re
import unicodedata
from collections.abc import Callable

UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ecd\u0edc-\u0edf"  # Lao
    "\u1000-\u103f\u1050-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
    "\u1100-\u11ff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"  # Hangul
    "\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Kana
    # Han signs, Bopomofo
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3105-\u312f\u31a0-\u31bf"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Ranges for a character class: scripts without spaces between words, or (Hangul) with endings."""

_OPTIONAL_MARKS = (
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points
    "\u0640\u064b-\u0652\u0670]"  # Arabic vowel signs and stretching
)
_SPECIAL_LETTERS = {
    "ß": "ss",
    "ẞ": "SS",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ø": "o",
    "Ø": "O",
    "đ": "d",
    "Đ": "D",
    "ð": "d",
    "Ð": "D",
    "ħ": "h",
    "Ħ": "H",
    "ł": "l",
    "Ł": "L",
    "ı": "i",
    "þ": "th",
    "Þ": "TH",
    "ς": "σ",
    "‘": "'",
    "’": "'",
    "ʼ": "'",
    "ʻ": "'",
    "‐": "-",
    "‑": "-",
    "\u200b": " ",
}
# compatibility forms of these would add letters or dots
_NOT_LETTERS = str.maketrans({"…": " ", "™": " ", "℠": " ", "´": "'"})
_MAX_CACHED = 20_000  # characters
_MAX_MARKS = 30  # in a row
_SAFE_LENGTH = 2_000  # characters; in a shorter text any number of marks is fast


class _CharacterMemo(dict[int, str]):
    """A cache of a function of a character, for `str.translate`."""

    def __init__(self, compute: Callable[[str], str]) -> None:
        self._compute = compute

    def __missing__(self, code: int) -> str:
        if len(self) >= _MAX_CACHED:
            self.clear()
        self[code] = value = self._compute(chr(code))
        return value


def fold(text: str) -> str:
    """Return a text without accents and width, of ASCII, letters, marks, digits and spaces."""
    if text.isascii():
        return text
    if len(text) > _SAFE_LENGTH:
        text = _with_few_marks(text)
    return unicodedata.normalize("NFKC", text.translate(_NOT_LETTERS)).translate(_FOLDS)


def _fold_character(char: str) -> str:
    if char.isascii():
        return char
    if char in _SPECIAL_LETTERS:
        return _SPECIAL_LETTERS[char]
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category[0] in "LMN":
        parts = re.sub(_OPTIONAL_MARKS, "", unicodedata.normalize("NFKD", char))
        return unicodedata.normalize(
            "NFC", "".join(_SPECIAL_LETTERS.get(part, part) for part in parts)
        )
    return "" if category == "Cf" else " "


_FOLDS = _CharacterMemo(_fold_character)
# m for a mark that normalisation may move, else x
_CLASSES = _CharacterMemo(lambda char: "m" if unicodedata.combining(char) else "x")


def _with_few_marks(text: str) -> str:
    """Keep at most 30 marks in a row: normalisation sorts them in quadratic time."""
    classes = text.translate(_CLASSES)
    kept, at = [], 0
    for run in re.finditer(f"m{{{_MAX_MARKS + 1},}}", classes):
        kept.append(text[at : run.start() + _MAX_MARKS])
        at = run.end()
    return "".join([*kept, text[at:]])
