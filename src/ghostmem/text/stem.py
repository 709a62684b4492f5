"""Porter's stemmer ("An algorithm for suffix stripping", 1980), with the later `bli` and `logi`."""

from collections.abc import Iterable
from functools import lru_cache

_SHAPES = str.maketrans("abcdefghijklmnopqrstuvwxyz", "vcccvcccvcccccvcccccvcccyc")
_MAX_CACHED = 100_000  # stems
_MAX_WORD = 80  # letters; longer words are returned as they are

_ENDINGS_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
_ENDINGS_3 = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
_ENDINGS_4 = dict.fromkeys(
    (
        "al",
        "ance",
        "ence",
        "er",
        "ic",
        "able",
        "ible",
        "ant",
        "ement",
        "ment",
        "ent",
        "ion",
        "ou",
        "ism",
        "ate",
        "iti",
        "ous",
        "ive",
        "ize",
    ),
    "",
)
# the endings of a step, their sizes and last letters, and how many syllables must be exceeded
_STEPS = [
    (
        endings,
        range(max(map(len, endings)), min(map(len, endings)) - 1, -1),
        {ending[-1] for ending in endings},
        min_syllables,
    )
    for endings, min_syllables in ((_ENDINGS_2, 0), (_ENDINGS_3, 0), (_ENDINGS_4, 1))
]


@lru_cache(_MAX_CACHED)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word; other, short and long words are unchanged."""
    is_long = 2 < len(word) <= _MAX_WORD
    is_english = is_long and word.isascii() and word.isalpha() and word.islower()
    return _stem(word) if is_english else word


def stems(words: Iterable[str]) -> set[str]:
    """Return the stems of many lower-case English words, without the cache."""
    return {_stem(word) for word in words if len(word) > 2}


def _stem(word: str) -> str:
    shape = _shape(word)
    if word.endswith(("sses", "ies")):  # step 1a
        word = word[:-2]
    elif word[-1] == "s" and not word.endswith("ss"):
        word = word[:-1]
    word, shape = _without_past(word, shape[: len(word)])
    if word[-1] == "y" and "v" in shape[:-1]:
        word, shape = word[:-1] + "i", shape[:-1] + "v"
    for endings, sizes, last_letters, min_syllables in _STEPS:
        if word[-1] in last_letters:
            word, shape = _replaced(word, shape, endings, sizes, min_syllables)
    return _tidied(word, shape)


def _shape(word: str) -> str:
    """Write a word as consonants (c) and vowels (v); y is a vowel after a consonant."""
    shape = word.translate(_SHAPES)
    while (at := shape.find("y")) >= 0:
        shape = shape[:at] + ("v" if at and shape[at - 1] == "c" else "c") + shape[at + 1 :]
    return shape


def _without_past(word: str, shape: str) -> tuple[str, str]:
    """Remove -eed, -ed and -ing, and restore a final -e (step 1b)."""
    if word.endswith("eed"):
        return (word[:-1], shape[:-1]) if "vc" in shape[:-3] else (word, shape)
    cut = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    if not cut or "v" not in shape[:-cut]:
        return word, shape
    word, shape = word[:-cut], shape[:-cut]
    if word.endswith(("at", "bl", "iz")):
        return word + "e", shape + "v"
    if len(word) > 1 and word[-1] == word[-2] and shape[-1] == "c":
        return (word, shape) if word[-1] in "lsz" else (word[:-1], shape[:-1])
    return (
        (word + "e", shape + "v")
        if shape.count("vc") == 1 and _ends_short(word, shape)
        else (word, shape)
    )


def _replaced(
    word: str, shape: str, endings: dict[str, str], sizes: range, min_syllables: int
) -> tuple[str, str]:
    """Replace the longest listed ending if more syllables are before it (steps 2, 3 and 4)."""
    for size in sizes:
        if (new := endings.get(ending := word[-size:])) is not None:
            before = shape[:-size]
            if before.count("vc") > min_syllables and (ending != "ion" or word[-4] in "st"):
                return word[:-size] + new, before + _shape(new)
            break
    return word, shape


def _tidied(word: str, shape: str) -> str:
    """Remove a final -e, and one l of a final -ll (step 5)."""
    if word[-1] == "e":
        measure = shape.count("vc", 0, len(shape) - 1)
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1], shape[:-1])):
            word, shape = word[:-1], shape[:-1]
    if word.endswith("ll") and shape.count("vc") > 1:
        word = word[:-1]
    return word


def _ends_short(word: str, shape: str) -> bool:
    """Say whether a word ends consonant, vowel, consonant, the last not w, x or y."""
    return shape.endswith("cvc") and word[-1] not in "wxy"
