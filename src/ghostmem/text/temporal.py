"""Read the time that a question is about: months, days, windows before now, or the newest."""

import re
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import NamedTuple

from ghostmem.text.calendar import AMBIGUOUS_MONTHS, MONTHS, NUMBERS, RECENCY_WORDS, UNITS, WINDOWS
from ghostmem.text.patterns import compiled

# with one of these, `hier` is French for yesterday, not German for here
FRENCH_WORDS = frozenset("qu que quoi fait avons ai est étions était nous j".split())
# words that count back: two weeks ago, vor zwei Wochen, il y a deux semaines
AGO_WORDS = ("ago", "vor", "hace", "il")
# words for a window that ends now: in the past two weeks
PAST_WORDS = ("past", "last", "letzten", "derniers", "últimos")
NEIGHBOUR = 0.8  # of the value of a named day, for the days before and after it
# two weeks ago, in Chinese
NUMERALS = dict(zip("一二三四五六七八九十两兩", [*range(1, 11), 2, 2], strict=True))
_COUNTED_HAN = r"([0-9]{1,3}|[一二三四五六七八九十两兩])\s*(天|日|周|週|个月|個月|年)前"


class Times(NamedTuple):
    """The times that a question names; empty if it names none."""

    months: tuple[tuple[int | None, int], ...] = ()  # (year or None, month)
    days: tuple[tuple[int | None, int, int], ...] = ()  # (year or None, month, day)
    window: tuple[datetime, datetime] | None = None
    recent: bool = False

    @property
    def relative(self) -> bool:
        """Whether the question counts from now."""
        return self.window is not None or self.recent


@cache
def _pattern() -> re.Pattern[str]:
    name = "|".join(sorted(MONTHS, key=len, reverse=True))
    return re.compile(
        rf"(?P<iso>\b(?P<y1>\d{{4}})-(?P<m1>\d\d)(?:-(?P<d1>\d\d))?\b)"
        r"|\b(?P<d5>\d{1,2})\.(?P<m5>\d{1,2})\.(?P<y5>(?:19|20)\d\d)\b"
        r"|(?:(?P<y4>\d{4})年)?(?P<m4>1[0-2]|[1-9])月(?:(?P<d4>\d{1,2})[日号])?"
        r"|\b(?:(?P<d2>\d{1,2})(?:st|nd|rd|th|\.)?(?:\s+of)?\s+)?"
        rf"(?P<name>{name})\b\.?(?:\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d))?"
        r"(?:,?\s+(?P<y3>(?:19|20)\d\d)\b)?",
        re.IGNORECASE,
    )


def times_in(text: str, now: datetime) -> Times:
    """Return the times in a question, counted from `now`."""
    # the pattern takes milliseconds to compile, and most questions name no date
    words = set(_words(text))
    is_dated = any(char.isdecimal() for char in text) or not MONTHS.keys().isdisjoint(words)
    dates = [_parts(match) for match in _pattern().finditer(text)] if is_dated else []
    months = tuple((date[0], date[1]) for date in dates if date)
    days = tuple((year, month, day) for year, month, day in filter(None, dates) if day is not None)
    window = _window(text, now)
    matches = words & RECENCY_WORDS - ({"last"} if "last name" in text.lower() else set())
    asks_newest = bool(matches) or "最近" in text or "最新" in text
    return Times(months, days, window, window is None and asks_newest)


def _parts(match: re.Match[str]) -> tuple[int | None, int, int | None] | None:
    numbered = next((form for form in "145" if match[f"m{form}"]), None)
    if numbered:
        year, month, day = (match[f"{part}{numbered}"] for part in "ymd")
    else:
        word, day = match["name"], match["d3"] or match["d2"]
        after = match.string[match.end() :].lstrip().lower()
        asks = match.start() == 0 and after.startswith(("i ", "we ", "you ", "it ", "they "))
        if word.lower() in AMBIGUOUS_MONTHS and (
            asks or not (word[0].isupper() or day or match["y3"])
        ):
            return None
        year, month = match["y3"], MONTHS[word.lower()]
    number = int(day) if day else None
    if not 1 <= int(month) <= 12 or (number is not None and not 1 <= number <= 31):
        return None
    return int(year) if year else None, int(month), number


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _window(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    words = _words(text)
    joined, lowered = " " + " ".join(words) + " ", text.lower()
    for phrase, (start, stop) in WINDOWS.items():
        plain = phrase.isascii() and phrase.replace(" ", "").isalpha()
        if f" {phrase} " in joined if plain else phrase in lowered:
            return _back(now, start), _back(now, stop)
    if " hier " in joined and FRENCH_WORDS & set(words):
        return _back(now, 2.0), _back(now, 0.5)
    if "前" in text and (match := compiled(_COUNTED_HAN).search(text)):
        return _around(now, UNITS.get(match[2], 1.0), NUMERALS.get(match[1]) or int(match[1]))
    for at, word in enumerate(words):
        near = words[max(0, at - 3) : at + 5]
        unit = next((UNITS[name] for name in near if name in UNITS), None)
        count = _count(near)
        if unit is None or count is None:
            continue
        if word in AGO_WORDS:
            return _around(now, unit, count)
        if word in PAST_WORDS:
            return _back(now, unit * count * 1.1), now
    return None


def _count(near: list[str]) -> int | None:
    """Return the largest number among a few words, or None; an article counts as one."""
    numbers = [
        NUMBERS[word] if word in NUMBERS else int(word)
        for word in near
        if word in NUMBERS or compiled("[0-9]{1,3}").fullmatch(word)
    ]
    return max(numbers, default=None)


def _around(now: datetime, unit: float, count: int) -> tuple[datetime, datetime]:
    """Return the time around a number of units before now; a number of days names one day."""
    middle = _back(now, unit * count)
    if unit == 1:
        middle = middle.replace(hour=12, minute=0, second=0, microsecond=0)
    return _back(middle, unit / 2), min(now, middle + timedelta(days=unit / 2))


def _back(now: datetime, days: float) -> datetime:
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime(1, 1, 1, tzinfo=UTC)


def month_match(times: Times, at: datetime) -> float:
    """Return 1 in a named month and 0.5 in the month after it, else 0."""
    before = (at.year - (at.month == 1), (at.month - 2) % 12 + 1)
    values = [
        value
        for value, (year, month) in ((1.0, (at.year, at.month)), (0.5, before))
        if (year, month) in times.months or (None, month) in times.months
    ]
    return max(values, default=0.0)


def day_match(times: Times, at: datetime) -> float:
    """Return 1 on a named day, 0.8 on its neighbours and 0.5 within the week after it, else 0."""
    gaps = [
        min(
            (_gap(at, y, month, day) for y in ([year] if year else [at.year, at.year - 1])), key=abs
        )
        for year, month, day in times.days
    ]
    values = {-1: NEIGHBOUR, 0: 1.0, 1: NEIGHBOUR} | dict.fromkeys(range(2, 8), 0.5)
    return max((values.get(gap, 0.0) for gap in gaps), default=0.0)


def _gap(at: datetime, year: int, month: int, day: int) -> int:
    try:
        return (at.date() - date(year, month, day)).days
    except ValueError:
        return 10**6


def window_match(times: Times, at: datetime) -> float:
    """Return 1 inside the window; outside, the value halves with each half width of distance."""
    if times.window is None:
        return 0.0
    start, stop = times.window
    if start <= at <= stop:
        return 1.0
    distance = (start - at if at < start else at - stop).total_seconds()
    return float(2 ** (-distance / max(3600.0, (stop - start).total_seconds() / 2)))
