"""Texts that want to steer the agent that reads them: orders, faked roles and authority, hidden
text.

A memory is data. What did not come from the user and reads like an order to the agent is suspect;
what only talks about such orders, or gives people orders, is not."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache

from ghostmem.truth.rules.orders import (
    BEACON,
    COMMENTED,
    HIDDEN,
    IGNORE,
    LEAK,
    ORDERS,
    PRIVATE,
    ROLE,
    SEND,
    TARGET,
)

_BEACON = r"!\[[^\]\n]{0,200}\]\(\s?https?://[^\s)?]{1,300}\?([^\s)]{1,500})\)?"
_CARRIES = (
    r"\{\{?[\w. ]{1,60}\}?\}|\$\{|<\w+>|%7B|secret|password|passwd|history|conversation"
    r"|memor|prompt|chat|e-?mail"
    r"|(?:data|payload|exfil|leak|q|d|s)=[^&\s)]{12,}"
)
_ABOUT = (
    r"inject|jailbreak|attack|malicious|payload|phrase|pattern|detect|quarantin|filter"
    r"|strip|reject|blocked|red team|owasp|escap"
    r"|delimit|tokens?\b|called|test case|e\.g\.|such as|example|transcript|chat log|quoted"
    r"|注入|攻击|angriff|attaque|ataque"
)
_TOLD = (
    r"\b(?:tells?|ask(?:s|ed)?|instructs?|tr(?:y|ies)|attempts?|wants?|tricks?"
    r"|convinces?|makes?|get) (?:\w+ ){0,3}(?:to )?$"
)
_SPACED = r"(?<!\w)(?:\w[ .\-_*]{1,3}){10,}+\w?"
_JOINED = (
    r"(?:ignore|disregard|forget|override)(?:all|any|the|your|of|previous|prior"
    r"|above){1,4}(?:instructions|rules|prompt)"
)
_LATIN = str.maketrans(
    "асеорхуіјѕԁһӏАВЕКМНОРСТХІЅοαεικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyijsdhlABEKMHOPCTXISoaeiknptuxABEZHIKMNOPTYX",
)
_UNSEEN = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u180e"
_GAP = 60  # characters between what is to be sent, and where
_AROUND = 400  # characters of a line that are read to see what it is about


@cache
def _compiled(pattern: str, flags: int = re.IGNORECASE | re.MULTILINE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def suspicions(text: str) -> tuple[str, ...]:
    """Return why a text that does not come from the user looks like orders to the agent, or nothing
    when it does not.
    """
    found = dict.fromkeys([HIDDEN] if _hides(text) else [])
    shown = _as_seen(text)
    flat = _compiled(r"[ \t]*+\n[ \t]*+(?=[a-z])", 0).sub(
        " ", shown
    )  # a sentence may run over lines
    lower = flat.lower()
    for reason, needs, pattern in ORDERS:
        if reason in found or not any(need in lower for need in needs.split("|")):
            continue
        subject, flags = (
            (shown, re.MULTILINE) if reason == ROLE else (flat, re.MULTILINE | re.IGNORECASE)
        )
        if any(
            not _is_told(subject, match) for match in _compiled(pattern, flags).finditer(subject)
        ):
            found[reason] = None
    if _sends(flat, lower):
        found[LEAK] = None
    if "![" in shown and any(
        _compiled(_CARRIES).search(match[1]) for match in _compiled(_BEACON).finditer(shown)
    ):
        found[BEACON] = None
    if any(_compiled(COMMENTED).search(comment) for comment in _comments(shown)):
        found[HIDDEN] = None
    if any(
        _compiled(_JOINED).search(re.sub(r"[\W_]", "", match[0]))
        for match in _compiled(_SPACED, 0).finditer(shown)
    ):
        found[IGNORE] = None
    return tuple(found)


def _as_seen(text: str) -> str:
    """Return a text as it reads: compatibility forms plain, unseen characters gone, look-alikes of
    Latin letters replaced.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(c for c in text if c.isascii() or unicodedata.category(c) != "Cf")
        if _compiled("[A-Za-z]", 0).search(text):
            text = text.translate(_LATIN)
    return _compiled(r"[ \t]{2,}", 0).sub(" ", text)


def _hides(text: str) -> bool:
    """Find text that is there for machines only.

    Joiners of emoji and of scripts that need them are not.
    """
    if text.isascii():
        return False
    patterns = (
        # tags, but not those of a flag
        "(?<![\U000e0020-\U000e007f\U0001f3f4])[\U000e0020-\U000e007f]",
        f"[{_UNSEEN}]{{4}}",
        f"(?:[A-Za-z][{_UNSEEN}]{{1,3}}(?=[A-Za-z])[^\n]{{0,30}}?){{3}}",
        "[\u202d\u202e]",  # text that is turned around
    )
    return any(_compiled(pattern, 0).search(text) for pattern in patterns)


def _comments(text: str) -> Iterator[str]:
    """Yield the starts of comments of HTML."""
    at = text.find("<!--")
    while at >= 0:
        stop = text.find("-->", at + 4)
        stop = len(text) if stop < 0 else stop
        yield text[at + 4 : min(stop, at + 2000)]
        at = text.find("<!--", stop)


def _sends(text: str, lower: str) -> bool:
    """Find orders to send what is private somewhere: a verb, a thing and a place, close to each
    other on a line.
    """
    if not any(
        word in lower
        for word in (
            "http",
            "url",
            "hook",
            "mail",
            "@",
            "gist",
            "pastebin",
            "server",
            "address",
            "this ",
        )
    ):
        return False
    private = [match.span() for match in _compiled(PRIVATE).finditer(lower)]
    places = [match.start() for match in _compiled(TARGET).finditer(lower)] if private else []
    starts = [start for start, _ in private]
    for verb in _compiled(SEND).finditer(lower) if places else ():
        thing = bisect_left(starts, verb.end())
        if thing == len(starts) or starts[thing] - verb.end() > _GAP:
            continue
        place = bisect_left(places, private[thing][1])
        if (
            place == len(places)
            or places[place] - private[thing][1] > _GAP
            or "\n" in text[verb.end() : places[place]]
        ):
            continue
        if not _is_told(text, verb):
            return True
    return False


def _is_told(text: str, match: re.Match[str]) -> bool:
    """Say whether somebody only writes about such words: as what others try, on a line that says
    so.

    Quotation marks and a leading `>` do not count: whoever wants an order to be read can write them
    too."""
    start = text.rfind("\n", max(0, match.start() - _AROUND), match.start()) + 1 or max(
        0, match.start() - _AROUND
    )
    stop = text.find("\n", match.end(), match.end() + _AROUND)
    before, after = (
        text[start : match.start()],
        text[match.end() : stop if stop >= 0 else match.end() + _AROUND],
    )
    if not _compiled(_ABOUT).search(f"{before} {after}"):
        return False
    is_token = match[0].startswith(("<|", "["))
    return is_token or _compiled(_TOLD).search(before) is not None
