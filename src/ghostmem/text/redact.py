"""Secrets in a text, and the text without them."""

from collections.abc import Iterator
from math import log2
from typing import NamedTuple

from ghostmem.text.assigned import assigned
from ghostmem.text.headers import in_headers
from ghostmem.text.near import Source
from ghostmem.text.placed import called, in_urls, key_blocks, recovery_codes
from ghostmem.text.secret_values import compiled
from ghostmem.text.secrets import is_mixed, shaped
from ghostmem.text.seed_phrases import seed_phrases

_ROUNDS = 20  # at most: a text without its secrets may show others that they hid
_SHORT = 100_000  # characters that are read again whole
_SURROUNDINGS = (
    2_000  # characters on both sides of a secret that may show another one once it is gone
)
MARK = "[redacted: "
_RUN = r"(?<![A-Za-z0-9+/_=.,:@%-])[A-Za-z0-9+/_-]{32,}+={0,2}(?![.:/@%])"
_KNOWN = (
    "AAAA",
    "MII",
    "sha",
    "pk_",
)  # public keys, certificates, hashes, keys that may be published
_ENTROPY = 4.4  # bits a character from which a mixed text of 32 and more is no name of anything


class Secret(NamedTuple):
    """Where a secret stands, of what kind it is, and whether that is sure.

    What is not is only worth a warning.
    """

    kind: str
    start: int
    stop: int
    sure: bool


def find_secrets(text: str) -> list[Secret]:
    """Return the secrets of a text in order, none over another; high entropy alone is not sure."""
    source = Source(text)
    found = [Secret(*one, True) for one in shaped(source)]
    for search in (key_blocks, in_urls, called, in_headers, recovery_codes, assigned, seed_phrases):
        found += [Secret(*one) for one in search(source)]
    found = _apart(found)
    return _apart([*found, *_random(source)])


def redact(text: str, keep_lines: bool = False) -> tuple[str, list[Secret]]:
    """Return a text with a placeholder for each sure secret, and what was found, as it stood in the
    text.

    With `keep_lines` the text keeps its number of lines. To redact again changes nothing.
    """
    secrets = find_secrets(text)
    sure = [one for one in secrets if one.sure]
    if not sure:
        return text, secrets
    parts, at = [], 0
    for start, stop, inside in _around(text, sure):
        parts += [text[at:start], _redacted(text[start:stop], inside, keep_lines)]
        at = stop
    return "".join([*parts, text[at:]]), secrets


def _around(text: str, sure: list[Secret]) -> Iterator[tuple[int, int, list[Secret]]]:
    """Yield the parts of a text that secrets stand in, with these, so that only they are read
    again; a short text is one part.
    """
    if len(text) <= _SHORT:
        yield 0, len(text), sure
        return
    start, stop, inside = 0, 0, list[Secret]()
    for one in sure:
        if inside and one.start - _SURROUNDINGS > stop:
            yield start, stop, inside
            inside = []
        if not inside:
            # a part begins and ends with a line
            before = max(stop, one.start - _SURROUNDINGS)
            start = max(text.rfind("\n", stop, before) + 1, stop) if before > stop else stop
        end = text.find("\n", min(one.stop + _SURROUNDINGS, len(text)))
        stop = max(stop, len(text) if end < 0 else end)
        inside.append(one._replace(start=one.start - start, stop=one.stop - start))
    if inside:
        yield start, stop, inside


def _redacted(text: str, sure: list[Secret], keep_lines: bool) -> str:
    """Replace secrets by placeholders, and those that show then, for a few rounds."""
    for _ in range(_ROUNDS):
        text = _without(text, sure, keep_lines)
        sure = [one for one in find_secrets(text) if one.sure]
        if not sure:
            break
    return text


def placeholder(kind: str) -> str:
    """Return what stands for a secret of a kind."""
    return f"{MARK}{kind}]"


def _without(text: str, secrets: list[Secret], keep_lines: bool) -> str:
    parts, at = [], 0
    for kind, start, stop, _ in secrets:
        lines = text.count("\n", start, stop) if keep_lines else 0
        parts += [text[at:start], placeholder(kind), "\n" * lines]
        at = stop
    return "".join([*parts, text[at:]])


def _apart(found: list[Secret]) -> list[Secret]:
    """Keep of those that overlap the sure one, then the one that starts first, then the longest."""
    kept: list[Secret] = []
    for one in sorted(found, key=lambda s: (s.start, -s.stop)):
        if kept and one.start < kept[-1].stop:
            last = kept[-1]
            if one.sure and not last.sure:
                kept[-1] = one
            elif one.sure == last.sure and one.stop > last.stop:
                kept[-1] = last._replace(stop=one.stop)
            continue
        kept.append(one)
    return kept


def _random(source: Source) -> Iterator[Secret]:
    """Find what looks random and is nothing known: no hash, no picture, no path, no line of a
    block.
    """
    if compiled(_RUN).search(source.long_words) is None:
        return
    for match in compiled(_RUN).finditer(source.text):
        value = match[0]
        if (
            len(value) > 100
            or len(value) == 64
            or not is_mixed(value)
            or value.count("/") > 2
            or value.startswith(_KNOWN)
        ):
            continue
        if _entropy(value) >= _ENTROPY:
            yield Secret("high entropy", *match.span(), False)


def _entropy(text: str) -> float:
    counts = [text.count(c) for c in set(text)]
    return -sum(n / len(text) * log2(n / len(text)) for n in counts)
