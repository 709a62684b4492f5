"""Why a text that does not come from the user looks like orders to the agent that reads it.

A memory is data. The judge decides by meaning; text that is hidden from people, faked roles and
well-known phrases (`data/orders.json`) count with or without it. A text that only reports what
others try is not suspicious."""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ghostmem.settings import Settings

HIDDEN = "hides text"
ROLE = "fakes a turn or a role of the conversation"
BEACON = "loads a picture that carries data away"
_AGREES = 0.5  # the probability from which on the judge agrees with a phrase
_MAX_LINE = 400  # characters around a phrase that say whether it is only reported
_BEACON = r"!\[[^\]\n]{0,200}\]\(\s?https?://[^\s)?]{1,300}\?([^\s)]{1,500})\)?"
_CARRIED = (
    r"\{\{?[\w. ]{1,60}\}?\}|\$\{|<\w+>|%7B|secret|passw|history|memor|prompt|chat|=[^&\s)]{12,}"
)
_UNSEEN = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u180e"
_HIDDEN = (
    # tags, but not those of a flag
    "(?<![\U000e0020-\U000e007f\U0001f3f4])[\U000e0020-\U000e007f]",
    f"[{_UNSEEN}]{{4}}",
    f"(?:[A-Za-z][{_UNSEEN}]{{1,3}}(?=[A-Za-z])[^\n]{{0,30}}?){{3}}",
    "[\u202d\u202e]",  # text that is turned around
)
_LOOKALIKES = str.maketrans(
    "асеорхуіјѕԁһӏАВЕКМНОРСТХІЅοαεικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyijsdhlABEKMHOPCTXISoaeiknptuxABEZHIKMNOPTYX",
)


def suspicions(settings: "Settings", text: str, judged: bool = True) -> tuple[str, ...]:
    """Return the reasons why a text looks like orders to an agent; none when it does not.

    If it is `judged`, a well-known phrase counts only where the judge agrees: a report about
    attacks has such phrases too."""
    from ghostmem.judge import find_judge

    shown = _as_seen(text)
    structure, phrases = _structure_reasons(text, shown), _phrase_reasons(shown)
    judge = find_judge(settings) if judged else None
    if judge is None:
        return (*structure, *phrases)
    chance = judge.attack(text)
    if chance >= judge.thresholds.attack and not phrases:
        return (*structure, f"reads like orders to an agent (judge: {chance:.2f})")
    return (*structure, *phrases) if chance >= _AGREES else structure


def _structure_reasons(text: str, shown: str) -> tuple[str, ...]:
    """Return the reasons that show in hidden text, faked roles and pictures."""
    found = []
    if not text.isascii() and any(_pattern(hidden, 0).search(text) for hidden in _HIDDEN):
        found.append(HIDDEN)
    if any(not _is_reported(shown, match, token=True) for match in _roles().finditer(shown)):
        found.append(ROLE)
    if any(_pattern(_CARRIED).search(match[1]) for match in _pattern(_BEACON).finditer(shown)):
        found.append(BEACON)
    return tuple(found)


def _phrase_reasons(shown: str) -> tuple[str, ...]:
    """Return the reasons that show in well-known phrases."""
    # a sentence may run over lines
    flat = _pattern(r"[ \t]*+\n[ \t]*+(?=[a-z])", 0).sub(" ", shown)
    return tuple(
        reason
        for reason, pattern in _orders()
        if any(not _is_reported(flat, match) for match in pattern.finditer(flat))
    )


def _as_seen(text: str) -> str:
    """Return a text as it reads: plain forms, no unseen characters, Latin look-alikes replaced."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(c for c in text if c.isascii() or unicodedata.category(c) != "Cf")
        if _pattern("[A-Za-z]", 0).search(text):
            text = text.translate(_LOOKALIKES)
    return _pattern(r"[ \t]{2,}", 0).sub(" ", text)


def _is_reported(text: str, match: re.Match[str], token: bool = False) -> bool:
    """Say whether the line of a phrase is about such phrases, as what others try.

    Quotation marks do not count: whoever wants an order to be read can write them too."""
    low = max(0, match.start() - _MAX_LINE)
    start = text.rfind("\n", low, match.start()) + 1 or low
    stop = text.find("\n", match.end(), match.end() + _MAX_LINE)
    before = text[start : match.start()]
    after = text[match.end() : stop if stop >= 0 else match.end() + _MAX_LINE]
    if not _pattern(_table()["talk"]).search(f"{before} {after}"):
        return False
    return token or _pattern(_table()["reported"]).search(before) is not None


@cache
def _pattern(pattern: str, flags: int = re.IGNORECASE | re.MULTILINE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


@cache
def _table() -> dict[str, Any]:
    path = Path(__file__).parent / "data" / "orders.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def _roles() -> re.Pattern[str]:
    return re.compile("|".join(_table()["roles"]), re.MULTILINE)


@cache
def _orders() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(_compiled_orders())


def _compiled_orders() -> Iterator[tuple[str, re.Pattern[str]]]:
    table = _table()
    for reason, phrases in table["orders"].items():
        joined = "|".join(phrases)
        joined = joined.replace("{reader}", table["reader"]).replace("{rules}", table["rules"])
        yield reason, _pattern(joined)
