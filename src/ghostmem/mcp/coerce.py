"""Arguments whose meaning is clear although their form is not the schema's.

Models send `"5"` for 5, `"a,b"` for a list, `"yesterday"` for a date, `text` for `content`. Each
such value is turned into the form that the schema asks for; any other value stays as it is, and the
check refuses it.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from ghostmem.clock import format_time
from ghostmem.schema import usual_name
from ghostmem.settings import FALSE, TRUE
from ghostmem.text.calendar import NUMBERS

# by argument: words and the values that they stand for
WORDS: Mapping[str, Mapping[str, Any]] = {
    "importance": {"low": 0.3, "medium": 0.5, "normal": 0.5, "high": 0.8, "critical": 1.0},
    # numbers count as in issue trackers, where 1 is urgent
    "priority": {
        "medium": "normal",
        "default": "normal",
        "0": "critical",
        "1": "high",
        "2": "normal",
        "3": "low",
    },
    "kind": {"fact": "semantic", "event": "episodic", "procedure": "procedural"},
    "tier": {
        "long_term": "ltm",
        "longterm": "ltm",
        "permanent": "ltm",
        "short_term": "stm",
        "shortterm": "stm",
    },
    # ghost_curate has delete, ghost_edge remove
    "op": {"remove": "delete", "delete": "remove", "add": "create"},
    "ttl": {"forever": "never", "none": "never", "permanent": "never"},
}
TIMES = frozenset("after before valid_at as_of created_at valid_from valid_to".split())
# a span without "ago" is in the past for these; "valid_to: 2 weeks" would mean the future
PAST_TIMES = frozenset("after before valid_at as_of".split())
# numbers of results: a larger one means all that there are
COUNTS = frozenset(("limit", "max_pairs"))
# days that a word goes back to the beginning of a day
DAYS_BACK = {"today": 0, "yesterday": 1, "last_week": 7, "last_month": 30, "last_year": 365}
SECONDS = {
    unit: seconds
    for units, seconds in {
        "s sec secs second seconds": 1,
        "m min mins minute minutes": 60,
        "h hr hrs hour hours": 3_600,
        "d day days": 86_400,
        "w week weeks": 604_800,
        "month months": 2_592_000,
        "y year years": 31_536_000,
    }.items()
    for unit in units.split()
}
# by type of the schema: those of values that a text may contain
_TYPES: Mapping[str, Collection[type]] = {
    "integer": (int, float),
    "number": (int, float),
    "object": (dict,),
}
_TTL_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
_SPAN = re.compile(r"(?:(?:the )?(?:last|past) )?(\w+?) ?([a-z]+)(?: ago)?")
_MONTH = re.compile(r"\d{4}-\d\d")
_SLASHES = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")


def coerce(
    arguments: Mapping[str, Any], schema: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """Return arguments in the form of their schemas where their meaning is clear."""
    known = schema.get("properties", {})
    return {
        name: _value(name, value, known[name], now) if name in known else value
        for name, value in _renamed(arguments, known).items()
    }


def _renamed(arguments: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments under their usual names; two names of one argument stay as they are."""
    usual = {name: usual_name(name, known) for name in arguments}
    counts = Counter(usual.values())
    return {
        usual[name] if counts[usual[name]] == 1 else name: value
        for name, value in arguments.items()
    }


def _value(name: str, value: Any, schema: Mapping[str, Any], now: datetime) -> Any:
    kind, choices = str(schema.get("type")), schema.get("enum", ())
    if kind == "boolean":
        return _boolean(value)
    if kind == "array":
        return _list(value)
    if choices and type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        return _within(name, value, schema)
    word, words = _word(value), WORDS.get(name, {})
    if word in words and word not in choices and (not choices or words[word] in choices):
        return words[word]
    if name in TIMES:
        return _time(name, value, now)
    if name == "ttl":
        return _duration(value)
    if choices:
        return word if word in choices else value
    return _within(name, _parsed(value, _TYPES[kind]), schema) if kind in _TYPES else value


def _within(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a number, or the largest possible number of results."""
    return min(value, schema["maximum"]) if name in COUNTS and type(value) is int else value


def _word(text: str) -> str:
    return re.sub(r"[\s-]+", "_", text.strip().lower())


def _boolean(value: Any) -> Any:
    text = str(value).strip().lower() if type(value) in (str, int) else ""
    return True if text in TRUE else False if text in FALSE else value


def _list(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return (
        _parsed(value, (list,))
        if value.strip().startswith("[")
        else [part.strip() for part in value.split(",") if part.strip()]
    )


def _parsed(text: str, types: Collection[type]) -> Any:
    """Return the JSON value in a text if it has one of these types, else the text."""
    try:
        value = json.loads(text.strip())
    except (ValueError, RecursionError):
        return text
    return value if type(value) in types else text


def _span(text: str) -> int | None:
    """Return the seconds of a span such as `1 week`, `3 days ago` or `last 2 hours`."""
    match = _SPAN.fullmatch(" ".join(text.lower().split()))
    if match is None or match[2] not in SECONDS:
        return None
    number = NUMBERS.get(match[1]) or (int(match[1]) if match[1].isdecimal() else 0)
    return number * SECONDS[match[2]] if 0 < number < 10_000 else None


def _duration(text: str) -> str:
    seconds = _span(text)
    if seconds is None or not text.strip()[:1].isalnum() or "ago" in text:
        return text
    return next(f"{seconds // size}{unit}" for unit, size in _TTL_UNITS if seconds % size == 0)


def _time(name: str, text: str, now: datetime) -> str:
    word = _word(text)
    if word == "now":
        return format_time(now)
    if match := _SLASHES.fullmatch(text.strip()):
        return f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}"
    # a day or month is its beginning, which is not when a memory meant "until then" ends
    if name != "valid_to" and word in DAYS_BACK:
        return f"{now - timedelta(days=DAYS_BACK[word]):%Y-%m-%d}"
    if name != "valid_to" and _MONTH.fullmatch(text.strip()):
        return f"{text.strip()}-01"
    seconds = _span(text)
    is_past = word.endswith("_ago") or word.startswith(("last_", "past_", "the_"))
    is_past = is_past or (name in PAST_TIMES and word[:1].isdecimal())
    return format_time(now - timedelta(seconds=seconds)) if seconds and is_past else text
