"""Times and durations; the only module that reads the machine's clock.

All other code gets a clock passed in, so that tests can cover weeks in milliseconds.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from ghostmem.errors import InvalidInputError

Clock = Callable[[], datetime]

_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_EARLIEST, _LATEST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)


def now() -> datetime:
    """Return the current time in UTC; the default clock."""
    return datetime.now(UTC)


@lru_cache(256)  # a bulk load writes the same few times again and again
def format_time(moment: datetime) -> str:
    """Write a time as RFC 3339 in UTC with microseconds; such texts sort by time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"


def read_time(text: str) -> datetime:
    """Read a time that `format_time` wrote."""
    return datetime.fromisoformat(text)


def as_time(value: datetime | str, what: str = "time") -> datetime:
    """Return a time in UTC: a datetime, RFC 3339, `YYYY-MM-DD` or `YYYY-MM-DD HH:MM[:SS]`."""
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
        if isinstance(moment, datetime):
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        pass  # not a time, or outside the years 1 to 9999 in UTC
    raise InvalidInputError(
        f"{what} {value!r} is not a date or time",
        "write it as 2026-03-14, '2026-03-14 09:30' or 2026-03-14T09:30:00Z",
    )


def parse_ttl(text: str, what: str = "ttl") -> timedelta:
    """Read a duration such as 7d, 24h, 30m or 60s."""
    duration = text.strip() if isinstance(text, str) else ""
    number, unit = duration[:-1], duration[-1:]
    if unit not in _UNITS or not (
        number.isascii() and number.isdigit() and len(number) <= 9 and int(number)
    ):
        raise InvalidInputError(
            f"{what} {text!r} is not a duration",
            "use a whole number from 1 to 999999999 and a unit: 7d, 24h, 30m or 60s",
        )
    return timedelta(seconds=int(number) * _UNITS[unit])


def later(moment: datetime, by: timedelta) -> datetime:
    """Add a duration to a time, stopping at the end of the calendar."""
    return moment + by if by < _LATEST - moment else _LATEST


def earlier(moment: datetime, by: timedelta) -> datetime:
    """Take a duration from a time, stopping at year one."""
    return moment - by if by < moment - _EARLIEST else _EARLIEST


def to_ms(moment: datetime) -> int:
    """Return milliseconds since 1970, never negative."""
    return max(0, int(moment.timestamp() * 1000))


def to_ns(moment: datetime) -> int:
    """Return nanoseconds since 1970, never negative."""
    return max(0, int(moment.timestamp() * 1_000_000) * 1000)
