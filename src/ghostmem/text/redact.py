"""Find the secrets in a text, and replace them by placeholders."""

from collections.abc import Iterator
from math import log2
from typing import NamedTuple

from ghostmem.text.assigned import assigned
from ghostmem.text.headers import in_headers
from ghostmem.text.near import SearchedText
from ghostmem.text.patterns import compiled
from ghostmem.text.placed import called, in_urls, key_blocks, recovery_codes
from ghostmem.text.secrets import is_mixed, shaped
from ghostmem.text.seed_phrases import seed_phrases

_MAX_ROUNDS = 20  # a text without its secrets may reveal others
_SHORT = 100_000  # characters of a text that is searched again as a whole
_SURROUNDINGS = 2_000  # characters on both sides of a secret that are searched again
MARK = "[redacted: "
_RUN = r"(?<![A-Za-z0-9+/_=.,:@%-])[A-Za-z0-9+/_-]{32,}+={0,2}(?![.:/@%])"
_PUBLIC_STARTS = ("AAAA", "MII", "sha", "pk_")  # public keys, certificates, hashes
_MIN_ENTROPY = 4.4  # bits per character of a random text


class Secret(NamedTuple):
    """The kind and the span of a secret; one that is not `sure` is only worth a warning."""

    kind: str
    start: int
    stop: int
    sure: bool


def find_secrets(text: str) -> list[Secret]:
    """Return the secrets of a text in order, without overlaps; entropy alone is not sure."""
    source = SearchedText(text)
    secrets = [Secret(*span, True) for span in shaped(source)]
    for search in (key_blocks, in_urls, called, in_headers, recovery_codes, assigned, seed_phrases):
        secrets += [Secret(*span) for span in search(source)]
    return _without_overlaps([*_without_overlaps(secrets), *_random(source)])


def redact(text: str, keep_lines: bool = False) -> tuple[str, list[Secret]]:
    """Return a text with a placeholder for each sure secret, and the secrets of the old text.

    With `keep_lines` the text keeps its number of lines. Redacting again changes nothing.
    """
    secrets = find_secrets(text)
    sure = [secret for secret in secrets if secret.sure]
    if not sure:
        return text, secrets
    parts, at = [], 0
    for start, stop, inside in _around(text, sure):
        parts += [text[at:start], _redacted(text[start:stop], inside, keep_lines)]
        at = stop
    return "".join([*parts, text[at:]]), secrets


def _around(text: str, sure: list[Secret]) -> Iterator[tuple[int, int, list[Secret]]]:
    """Yield the parts of a text around its secrets, with the secrets inside each part.

    Only these parts are searched again. A short text is one part.
    """
    if len(text) <= _SHORT:
        yield 0, len(text), sure
        return
    start, stop, inside = 0, 0, list[Secret]()
    for secret in sure:
        if inside and secret.start - _SURROUNDINGS > stop:
            yield start, stop, inside
            inside = []
        if not inside:
            # a part begins and ends with a line
            before = max(stop, secret.start - _SURROUNDINGS)
            start = max(text.rfind("\n", stop, before) + 1, stop) if before > stop else stop
        end = text.find("\n", min(secret.stop + _SURROUNDINGS, len(text)))
        stop = max(stop, len(text) if end < 0 else end)
        inside.append(secret._replace(start=secret.start - start, stop=secret.stop - start))
    if inside:
        yield start, stop, inside


def _redacted(text: str, sure: list[Secret], keep_lines: bool) -> str:
    """Replace secrets by placeholders, and those that this reveals, for a few rounds."""
    for _ in range(_MAX_ROUNDS):
        text = _without(text, sure, keep_lines)
        sure = [secret for secret in find_secrets(text) if secret.sure]
        if not sure:
            break
    return text


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
        if (
            len(value) > 100
            or len(value) == 64
            or not is_mixed(value)
            or value.count("/") > 2
            or value.startswith(_PUBLIC_STARTS)
        ):
            continue
        if _entropy(value) >= _MIN_ENTROPY:
            yield Secret("high entropy", *match.span(), False)


def _entropy(text: str) -> float:
    counts = [text.count(c) for c in set(text)]
    return -sum(n / len(text) * log2(n / len(text)) for n in counts)
