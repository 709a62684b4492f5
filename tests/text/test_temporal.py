"""Times in questions: named months and days, windows counted back from now, and words for the newest."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.text.temporal import Times, day_match, month_match, times_in, window_match

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "months", "days"),
    [
        ("what happened in March?", [(None, 3)], []),
        ("in March 2025", [(2025, 3)], []),
        ("on 8 May", [(None, 5)], [(None, 5, 8)]),
        ("on 8 may", [(None, 5)], [(None, 5, 8)]),
        ("on May 8th", [(None, 5)], [(None, 5, 8)]),
        ("on the 8th of May", [(None, 5)], [(None, 5, 8)]),
        ("May 8, 2023", [(2023, 5)], [(2023, 5, 8)]),
        ("8 May 2023", [(2023, 5)], [(2023, 5, 8)]),
        ("in May 2023", [(2023, 5)], []),
        ("2023-05-08", [(2023, 5)], [(2023, 5, 8)]),
        ("2023-05", [(2023, 5)], []),
        ("between June and August", [(None, 6), (None, 8)], []),
        ("on 3 Sept.", [(None, 9)], [(None, 9, 3)]),
        ("im März", [(None, 3)], []),
        ("am 8. Mai 2023", [(2023, 5)], [(2023, 5, 8)]),
        ("en août", [(None, 8)], []),
        ("le 8 mai", [(None, 5)], [(None, 5, 8)]),
        ("en febrero de 2024", [(None, 2)], []),
        ("a luglio", [(None, 7)], []),
        ("2023年5月8日", [(2023, 5)], [(2023, 5, 8)]),
        ("5月に何をしましたか", [(None, 5)], []),
        ("12月", [(None, 12)], []),
        ("who may enter the room", [], []),
        ("the troops march at dawn", [], []),
        ("what is in the report", [], []),
        ("2023-13-40", [], []),
        ("45 May", [], []),
        ("order 12345", [], []),
        ("", [], []),
    ],
)
def test_named_months_and_days(text: str, months: list[object], days: list[object]) -> None:
    """Months and days are read in the notations of several languages; words that only look like months are not."""
    found = times_in(text, NOW)
    assert (list(found.months), list(found.days)) == (months, days)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("what did we do yesterday?", 1.0, 3.0),
        ("YESTERDAY!", 1.0, 0.2),
        ("what happened today", 0.3, 1.5),
        ("last night", 0.5, 3.0),
        ("last week", 8.0, 1.0),
        ("this week", 3.0, 9.0),
        ("last month", 30.0, 3.0),
        ("last year", 365.0, 30.0),
        ("two days ago", 2.0, 4.0),
        ("2 days ago,", 2.0, 5.0),
        ("a week ago", 7.0, 14.0),
        ("three weeks ago", 21.0, 7.0),
        ("a couple of months ago", 60.0, 10.0),
        ("ten years ago", 3650.0, 365.0),
        ("5 hours ago", 5 / 24, 1.0),
        ("one hour ago", 1 / 24, 1.0),
        ("gestern", 1.0, 3.0),
        ("letzte Woche", 8.0, 1.0),
        ("vor drei Tagen", 3.0, 7.0),
        ("vor 2 Wochen", 14.0, 3.0),
        ("qu'est-ce qu'on a fait hier ?", 1.0, 3.0),
        ("la semaine dernière", 8.0, 1.0),
        ("¿qué hicimos ayer?", 1.0, 3.0),
        ("hace dos días", 2.0, 5.0),
        ("昨天做了什么", 1.0, 3.0),
        ("上周", 8.0, 1.0),
        ("昨日何をしましたか", 1.0, 3.0),
        ("어제 뭐 했어요?", 1.0, 3.0),
    ],
)
def test_windows_count_back_from_now(text: str, inside: float, outside: float) -> None:
    """A window holds the time meant and not another one."""
    found = times_in(text, NOW)
    assert found.window is not None
    assert found.relative
    assert not found.recent
    assert window_match(found, NOW - timedelta(days=inside)) == 1.0
    assert window_match(found, NOW - timedelta(days=outside)) < 1.0


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("an hour ago", 1 / 24, 300.0),
        ("a few weeks ago", 21.0, 5.0),
        ("in the past two weeks", 1.0, 40.0),
        ("in the last 3 days", 1.0, 10.0),
        ("aujourd'hui", 0.3, 2.0),
        ("三天前", 3.0, 10.0),
        ("3日前に何をしましたか", 3.0, 10.0),
        ("il y a trois jours", 3.0, 10.0),
    ],
)
def test_uncommon_windows_are_read(text: str, inside: float, outside: float) -> None:
    """Ways to name a time that need more than a number and a unit."""
    found = times_in(text, NOW)
    assert found.window is not None
    assert window_match(found, NOW - timedelta(days=inside)) == 1.0
    assert window_match(found, NOW - timedelta(days=outside)) < 1.0


@pytest.mark.parametrize(
    "text",
    [
        "the latest release",
        "most recent deploy",
        "what is the newest plan?",
        "die neueste Version",
        "最近怎么样",
        "currently used",
    ],
)
def test_words_for_the_newest(text: str) -> None:
    """They ask for recency rather than a window."""
    found = times_in(text, NOW)
    assert (found.recent, found.window) == (True, None)


@pytest.mark.parametrize(
    "text", ["where does Anna live", "yesterdays", "the agora", "today's-lunch-42x", "agosto"]
)
def test_other_words_are_no_window(text: str) -> None:
    """A word that merely contains a word for a time is not one."""
    assert times_in(text, NOW).window is None or "today" in text


@pytest.mark.parametrize(
    "text",
    [
        "May I use this endpoint?",
        "Was ist hier passiert?",
        "what is Anna's last name?",
        "is it just a test?",
    ],
)
def test_questions_without_a_time(text: str) -> None:
    """Ordinary questions name no time."""
    assert times_in(text, NOW) == Times()


def test_a_month_matches_itself_and_half_the_next() -> None:
    """News of a month is still told in the month after; a named year must be right."""
    march = times_in("in March", NOW)
    assert [month_match(march, datetime(2020, month, 5, tzinfo=UTC)) for month in (2, 3, 4, 5)] == [
        0.0,
        1.0,
        0.5,
        0.0,
    ]
    december = times_in("in December 2024", NOW)
    assert month_match(december, datetime(2024, 12, 5, tzinfo=UTC)) == 1.0
    assert month_match(december, datetime(2025, 1, 5, tzinfo=UTC)) == 0.5
    assert month_match(december, datetime(2023, 12, 5, tzinfo=UTC)) == 0.0
    assert month_match(Times(), NOW) == 0.0


def test_a_day_matches_itself_best_and_half_the_week_after() -> None:
    """A day off is nearly as good, because days end elsewhere earlier; later that week is half."""
    day = times_in("on 8 May", NOW)
    found = [
        day_match(day, datetime(2023, 5, number, tzinfo=UTC)) for number in (6, 7, 8, 9, 10, 15, 16)
    ]
    assert found == [0.0, 0.8, 1.0, 0.8, 0.5, 0.5, 0.0]
    assert day_match(times_in("29 February", NOW), datetime(2023, 2, 28, tzinfo=UTC)) == 0.0
    assert day_match(Times(), NOW) == 0.0


def test_a_day_at_the_turn_of_the_year() -> None:
    """New Year's Eve is a day before New Year, also when no year is named."""
    assert day_match(times_in("on 31 December", NOW), datetime(2026, 1, 1, tzinfo=UTC)) == 0.8


def test_a_window_fades() -> None:
    """Outside of the window the match halves with each half width, and never rises with distance."""
    found = times_in("yesterday", NOW)
    ages = [2.0, 2.75, 3.5, 5.0, 30.0]
    matches = [window_match(found, NOW - timedelta(days=age)) for age in ages]
    assert matches[:3] == pytest.approx([1.0, 0.5, 0.25])
    assert matches == sorted(matches, reverse=True)
    assert window_match(Times(), NOW) == 0.0


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    """No text breaks the reading, and what comes out is in range."""
    found = times_in(text, NOW)
    assert all(1 <= month <= 12 for _, month in found.months)
    assert all(1 <= day <= 31 for _, _, day in found.days)
    if found.window:
        assert found.window[0] <= found.window[1] <= NOW


@pytest.mark.parametrize(
    "text", ["999 years ago", "9999 years ago", "0 days ago", "999 months ago in 9999-12"]
)
def test_far_times_do_not_overflow(text: str) -> None:
    """Counting back past the calendar's beginning stops there."""
    found = times_in(text, datetime(200, 1, 1, tzinfo=UTC))
    assert found.window is None or found.window[0] <= found.window[1]
