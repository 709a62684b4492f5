"""Find the secrets in a text, and replace them by placeholders."""

import os
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from math import log2
from typing import NamedTuple

from ghostmem.text.assigned import assigned
from ghostmem.text.patterns import compiled
from ghostmem.text.secrets import SearchedText, is_mixed, shaped

_PHRASE_SIZES = (12, 15, 18, 21, 24)
_BETWEEN = r"(?:,?[ \t]{1,3}|,?\s?\n\s{0,4})(?:\d{1,2}[.):]?[ ])?"
_PHRASE = rf"(?<![A-Za-z0-9])[a-z]{{3,8}}+(?:{_BETWEEN}[a-z]{{3,8}}+(?![A-Za-z0-9])){{11,}}+"
_NAMING = (
    r"(?i)seed|mnemonic|recovery (?:phrase|words)|secret (?:phrase|words)|backup phrase|wallet"
)
_NAMED_WITHIN = 80  # characters before a phrase that may contain a word that names it
# the first digits of an issuer, and digits in a row or in the groups that are printed on cards; a
# date of expiry may follow. Other digits around them belong to an IBAN or another number.
_CARD = (
    r"(?<![\w.,/#+-])(?<!\d[ ])(?=4|5[1-5]|2[2-7]|3(?:[4-9]|0[0-5])|6(?:011|2|4[4-9]|5))"
    r"(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5}|\d{13,19})"
    r"(?![\w-]|[.,/:]\d|[ ]\d(?!\d?/))"
)
_CARD_WORD = r"(?i)card|visa|amex|credit|debit|maestro|kart[ea]|carte|tarjeta|cartão|卡"
_CARD_WITHIN = 60  # characters before a number that may contain a word for a card
_MAX_ROUNDS = 20  # a text without its secrets may reveal others
MARK = "[redacted: "
_RUN = r"(?<![A-Za-z0-9+/_=.,:@%-])[A-Za-z0-9+/_-]{32,}+={0,2}(?![.:/@%])"
_PUBLIC_STARTS = ("AAAA", "MII", "sha", "pk_")  # public keys, certificates, hashes
_MIN_ENTROPY = 4.4  # bits per character of a random text


@cache
def _numbers() -> dict[str, int]:
    with open(
        os.path.join(os.path.dirname(__file__), "data", "bip39_english.txt"), encoding="ascii"
    ) as file:
        return {word: number for number, word in enumerate(file.read().split())}


def seed_phrases(source: SearchedText) -> Iterator[tuple[str, int, int, bool]]:
    """Yield the seed phrases of a text: runs of at least twelve words of the list."""
    text = source.text
    for run in compiled(_PHRASE).finditer(text):
        matches = compiled("[a-z]+").finditer(text, *run.span())
        for _, group in groupby(matches, key=lambda match: match[0] in _numbers()):
            words = list(group)
            if len(words) < _PHRASE_SIZES[0] or words[0][0] not in _numbers():
                continue
            start, stop = words[0].start(), words[-1].end()
            is_alone = (start, stop) == run.span()
            is_named = compiled(_NAMING).search(text, max(0, start - _NAMED_WITHIN), start)
            if is_named or (is_alone and _has_checksum([match[0] for match in words])):
                yield "seed phrase", start, stop, True


def _has_checksum(words: list[str]) -> bool:
    if len(words) not in _PHRASE_SIZES:
        return False
    from hashlib import sha256

    bits = "".join(f"{_numbers()[word]:011b}" for word in words)
    size = len(bits) * 32 // 33
    digest = sha256(int(bits[:size], 2).to_bytes(size // 8, "big")).digest()
    return f"{digest[0]:08b}".startswith(bits[size:])


def card_numbers(source: SearchedText) -> Iterator[tuple[str, int, int, bool]]:
    """Yield the numbers of payment cards; digits in a row are sure only after a word for a card."""
    text = source.text
    for match in compiled(_CARD).finditer(text):
        digits = [int(char) for char in reversed(match[0]) if char.isdigit()]
        doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
        if sum(digits[::2] + doubled) % 10 == 0:  # Luhn's check digit
            before = text[max(0, match.start() - _CARD_WITHIN) : match.start()]
            is_sure = not match[0].isdigit() or bool(compiled(_CARD_WORD).search(before))
            yield "card number", *match.span(), is_sure


class Secret(NamedTuple):
    """The kind and the span of a secret; one that is not `sure` is only worth a warning."""

    kind: str
    start: int
    stop: int
    sure: bool


def find_secrets(text: str) -> list[Secret]:
    """Return the secrets of a text in order, without overlaps; entropy alone is not sure."""
    source = SearchedText(text)
    searches = (shaped, assigned, seed_phrases, card_numbers)
    secrets = [Secret(*span) for search in searches for span in search(source)]
    return _without_overlaps([*_without_overlaps(secrets), *_random(source)])


def redact(text: str, keep_lines: bool = False) -> tuple[str, list[Secret]]:
    """Return a text with a placeholder for each sure secret, and the secrets of the old text.

    With `keep_lines` the text keeps its number of lines. Redacting again changes nothing.
    """
    secrets = remaining = find_secrets(text)
    for _ in range(_MAX_ROUNDS):
        sure = [secret for secret in remaining if secret.sure]
        if not sure:
            break
        text = _without(text, sure, keep_lines)
        remaining = find_secrets(text)
    return text, secrets


def placeholder(kind: str) -> str:
    """Return the placeholder for a secret of a kind."""
    return f"{MARK}{kind}]"


def _without(text: str, secrets: list[Secret], keep_lines: bool) -> str:
    parts, at = [], 0
    for kind, start, stop, _ in secrets:
        lines = text.count("\n", start, stop) if keep_lines else 0
        parts += [text[at:start], placeholder(kind), "\n" * lines]
        at = stop
    return "".join([*parts, text[at:]])


def _without_overlaps(secrets: list[Secret]) -> list[Secret]:
    """Return the secrets in order; of those that overlap, prefer a sure one, then the first."""
    kept: list[Secret] = []
    for secret in sorted(secrets, key=lambda secret: (secret.start, -secret.stop)):
        if not kept or secret.start >= kept[-1].stop:
            kept.append(secret)
            continue
        last = kept[-1]
        if secret.sure and not last.sure:
            kept[-1] = secret
        elif secret.sure == last.sure and secret.stop > last.stop:
            kept[-1] = last._replace(stop=secret.stop)
    return kept


def _random(source: SearchedText) -> Iterator[Secret]:
    """Yield random texts of unknown kind: no hash, no image, no path, no line of a block."""
    if compiled(_RUN).search(source.long_words) is None:
        return
    for match in compiled(_RUN).finditer(source.text):
        value = match[0]
        is_key = len(value) <= 100 and len(value) != 64 and value.count("/") <= 2
        if is_key and is_mixed(value) and not value.startswith(_PUBLIC_STARTS):
            shares = [value.count(char) / len(value) for char in set(value)]
            if -sum(share * log2(share) for share in shares) >= _MIN_ENTROPY:
                yield Secret("high entropy", *match.span(), False)
