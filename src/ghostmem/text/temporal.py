"""Which time a question is about: named months and days, windows counted back from now, or simply what is newest."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache

from ghostmem.text.calendar import MONTHS, NUMBERS, RECENT, UNITS, UNSURE, WINDOWS


@dataclass(frozen=True)
class Times:
    """The times a question names; empty where it names none."""

    months: tuple[tuple[int | None, int], ...] = ()  # (year or None, month)
    days: tuple[tuple[int | None, int, int], ...] = ()  # (year or None, month, day)
    window: tuple[datetime, datetime] | None = None
    recent: bool = False

    @property
    def relative(self) -> bool:
        """Say whether the question counts from now."""
        return self.window is not None or self.recent


@cache
def _pattern() -> re.Pattern[str]:
    name = "|".join(sorted(MONTHS, key=len, reverse=True))
    return re.compile(
        rf"(?P<iso>\b(?P<y1>\d{{4}})-(?P<m1>\d\d)(?:-(?P<d1>\d\d))?\b)"
        r"|(?:(?P<y4>\d{4})年)?(?P<m4>1[0-2]|[1-9])月(?:(?P<d4>\d{1,2})[日号])?"
        rf"|\b(?:(?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.)?(?:\s+of)?\s+)?(?P<name>{name})\b\.?(?:\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d))?"
        r"(?:,?\s+(?P<y3>(?:19|20)\d\d)\b)?",
        re.IGNORECASE,
    )


def times_in(text: str, now: datetime) -> Times:
    """Read the times out of a question, counting from a given now."""
    months: list[tuple[int | None, int]] = []
    days: list[tuple[int | None, int, int]] = []
    for found in _pattern().finditer(text):
        parts = _parts(found)
        if parts is None:
            continue
        year, month, day = parts
        months.append((year, month))
        if day is not None:
            days.append((year, month, day))
    window = _window(text, now)
    words = set(_words(text))
    return Times(
        tuple(months), tuple(days), window, window is None and bool(words & RECENT or any(w in text for w in ("最近", "最新")))
    )


def _parts(found: re.Match[str]) -> tuple[int | None, int, int | None] | None:
    if found["m1"]:
        year, month, day = found["y1"], int(found["m1"]), found["d1"]
    elif found["m4"]:
        year, month, day = found["y4"], int(found["m4"]), found["d4"]
    else:
        word, day = found["name"], found["d3"] or found["d2"]
        if word.lower() in UNSURE and not (word[0].isupper() or day or found["y3"]):
            return None
        year, month = found["y3"], MONTHS[word.lower()]
    number = int(day) if day else None
    if not 1 <= month <= 12 or (number is not None and not 1 <= number <= 31):
        return None
    return int(year) if year else None, month, number


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _window(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    words = _words(text)
    joined = " " + " ".join(words) + " "
    for phrase, (start, stop) in WINDOWS.items():
        if (phrase in text) if not phrase.isascii() and len(phrase) < 5 else (f" {phrase} " in joined):
            return _back(now, start), _back(now, stop)
    for at, word in enumerate(words):
        marked = word in ("ago", "vor", "hace", "前") or (word == "past" and at > 0)
        if marked and (window := _counted(words, at, now)) is not None:
            return window
    return None


def _counted(words: list[str], at: int, now: datetime) -> tuple[datetime, datetime] | None:
    """Read `two weeks ago`, `vor drei Tagen`: a number and a unit within three words of the marker."""
    near = words[max(0, at - 3) : at + 4]
    unit = next((UNITS[word] for word in near if word in UNITS), None)
    count = next((int(w) if w.isdigit() else NUMBERS[w] for w in near if w in NUMBERS or (w.isdigit() and len(w) < 4)), None)
    if unit is None or count is None:
        return None
    middle = unit * count
    slack = max(unit * 0.6, middle * 0.2)
    return _back(now, middle + slack), _back(now, max(0.0, middle - slack))


def _back(now: datetime, days: float) -> datetime:
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime(1, 1, 1, tzinfo=UTC)


def month_match(times: Times, at: datetime) -> float:
    """Return 1 for a named month, half for the one after it, when news of it is still told."""
    best = 0.0
    for year, month in times.months:
        if at.month == month and year in (None, at.year):
            return 1.0
        after = (month % 12 + 1, None if year is None else year + (month == 12))
        if at.month == after[0] and after[1] in (None, at.year):
            best = 0.5
    return best


def day_match(times: Times, at: datetime) -> float:
    """Return 1 within a day of a named day, half within the week after it."""
    best = 0.0
    for year, month, day in times.days:
        try:
            gap = (at.date() - date(year or at.year, month, day)).days
        except ValueError:
            continue
        if abs(gap) <= 1:
            return 1.0
        if 1 < gap <= 7:
            best = 0.5
    return best


def window_match(times: Times, at: datetime) -> float:
    """Return 1 inside the window and less the farther outside, halving with each half width."""
    if times.window is None:
        return 0.0
    start, stop = times.window
    if start <= at <= stop:
        return 1.0
    distance = (start - at if at < start else at - stop).total_seconds()
    half = max(3600.0, (stop - start).total_seconds() / 2)
    return float(2 ** (-distance / half))
