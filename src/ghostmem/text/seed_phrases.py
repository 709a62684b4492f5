"""Find seed phrases of wallets: 12 to 24 words of the English word list of BIP-39.

The list has ordinary words. So a run of them is a seed phrase only if a word before it names it, or
if nothing else is around it and its last word is the checksum of the others.
"""

import os
from collections.abc import Iterator
from functools import cache

from ghostmem.text.near import SearchedText
from ghostmem.text.patterns import compiled
from ghostmem.text.placed import SecretSpan

_PHRASE_SIZES = (12, 15, 18, 21, 24)
_MIN_LENGTH = 4 * _PHRASE_SIZES[0] - 1
_BETWEEN = r"(?:,?[ \t]{1,3}|,?\s?\n\s{0,4})(?:\d{1,2}[.):]?[ ])?"
_RUN = rf"(?<![A-Za-z0-9])[a-z]{{3,8}}+(?:{_BETWEEN}[a-z]{{3,8}}+(?![A-Za-z0-9])){{2,}}+"
_NAMING = (
    r"(?i)seed|mnemonic|recovery (?:phrase|words)|secret (?:phrase|words)|backup phrase|wallet"
)
_NAMED_WITHIN = 80  # characters before a phrase that may contain a word that names it


@cache
def _numbers() -> dict[str, int]:
    with open(
        os.path.join(os.path.dirname(__file__), "data", "bip39_english.txt"), encoding="ascii"
    ) as file:
        return {word: number for number, word in enumerate(file.read().split())}


@cache
def _tokens() -> frozenset[str]:
    """Return the words of the list and numbers, with the marks that may follow them."""
    numbers = {f"{number}{sign}" for number in range(100) for sign in ("", ".", ")", ":")}
    return frozenset({f"{word}{sign}" for word in _numbers() for sign in ("", ",")} | numbers)


def _may_hold_phrase(text: str) -> bool:
    """Say whether a text may contain a seed phrase, by a sample of its words.

    Punctuation may touch the first and the last word of a phrase. So at least ten words in a row
    are in the list, one of them is in the sample, and the four before or after it are in the list.
    """
    words, listed = text.split(), _tokens()
    return any(
        listed.issuperset(words[at + 1 : at + 5]) or listed.issuperset(words[max(at - 4, 0) : at])
        for at in range(0, len(words), 9)
        if words[at] in listed
    )


def seed_phrases(source: SearchedText) -> Iterator[SecretSpan]:
    """Yield the seed phrases of a text."""
    text = source.text
    if len(text) < _MIN_LENGTH or not _may_hold_phrase(text):
        return
    for run in compiled(_RUN).finditer(text):
        if run.end() - run.start() < _MIN_LENGTH:
            continue
        for words in _listed(text, *run.span()):
            start, stop = words[0][1], words[-1][2]
            is_alone = (start, stop) == run.span()
            is_named = (
                compiled(_NAMING).search(text, max(0, start - _NAMED_WITHIN), start) is not None
            )
            if is_named or (is_alone and _has_checksum([word for word, _, _ in words])):
                yield "seed phrase", start, stop, True


def _listed(text: str, start: int, stop: int) -> Iterator[list[tuple[str, int, int]]]:
    """Yield the runs of at least 12 words of the list, as (word, start, stop)."""
    numbers = _numbers()
    every_twelfth = compiled(r"[a-z]+").findall(text, start, stop)[
        _PHRASE_SIZES[0] - 1 :: _PHRASE_SIZES[0]
    ]
    if numbers.keys().isdisjoint(every_twelfth):  # no twelve words in a row can be in the list
        return
    words: list[tuple[str, int, int]] = []
    for match in compiled(r"[a-z]+").finditer(text, start, stop):
        if match[0] in numbers:
            words.append((match[0], *match.span()))
            continue
        if len(words) >= _PHRASE_SIZES[0]:
            yield words
        words = []
    if len(words) >= _PHRASE_SIZES[0]:
        yield words


def _has_checksum(words: list[str]) -> bool:
    """Say whether the last bits of a phrase are its BIP-39 checksum."""
    from hashlib import sha256

    if len(words) not in _PHRASE_SIZES:
        return False
    bits = "".join(f"{_numbers()[word]:011b}" for word in words)
    size = len(bits) * 32 // 33
    digest = sha256(int(bits[:size], 2).to_bytes(size // 8, "big")).digest()
    return f"{digest[0]:08b}".startswith(bits[size:])
