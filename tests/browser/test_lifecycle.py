"""The lifecycle screen in a real browser: tiers over time, looking ahead, running the rules and taking it back"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.web.flow import flow

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Viewer

DREW = ".plot .column"


def flowed(viewer: "Viewer", days: int = 30) -> dict[str, Any]:
    """Return what the library says of the same store."""
    with viewer.store() as ghost:
        return flow(ghost.store, days=days)


def tier(viewer: "Viewer", ns: str, key: str) -> str:
    """Return a memory's tier, without counting it as read."""
    with viewer.store() as ghost:
        return next(str(one.tier) for one in ghost.list(ns, limit=100) if one.key == key)


@pytest.mark.smoke
def test_tiers_over_time(viewer: "Viewer") -> None:
    """Each tier has its number and its course; columns show the changes of each day, a mark the days of runs."""
    page = viewer.show("#/lifecycle")
    page.wait_for_selector(DREW, state="attached")
    found = flowed(viewer)
    tiles = page.locator(".tier-tile")
    assert tiles.locator("b").all_inner_texts() == [
        str(found["tiers"].get(name, 0)) for name in ("stm", "ltm", "dormant")
    ]
    assert tiles.locator(".sparkline").count() == 3
    assert page.locator(".plot .event").count() >= 2
    page.locator(".plot-table summary").click()
    rows = page.locator(".plot-table tbody tr")
    assert rows.count() == 30
    assert [row.locator("td").first.inner_text() for row in rows.all()] == [
        str(day["created"]) for day in found["days"]
    ]


@pytest.mark.slow
def test_the_plot_can_be_read_by_keyboard(viewer: "Viewer") -> None:
    """Arrow keys walk over the days, and each is told with what happened on it."""
    page = viewer.show("#/lifecycle")
    page.wait_for_selector(DREW, state="attached")
    found = flowed(viewer)
    days = [day["day"] for day in found["days"]]
    ran = days.index(found["runs"][0]["run"].at.date().isoformat())  # today or yesterday
    page.focus(".plot-picture")
    page.keyboard.press("End")
    for _ in days[ran + 1 :]:
        page.keyboard.press("ArrowLeft")
    tip = page.locator(".plot-tip")
    assert f"new {found['days'][ran]['created']}" in tip.inner_text().replace("\n", " ")
    assert "1 run" in tip.inner_text()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    page.locator(".plot-picture").hover(position={"x": 300, "y": 60})
    assert tip.is_visible()


@pytest.mark.slow
def test_moves_and_the_time_shown(viewer: "Viewer") -> None:
    """Moves between tiers are counted over the time that is chosen."""
    page = viewer.show("#/lifecycle")
    page.select_option("[aria-label='How far back']", "90")
    page.wait_for_function("() => document.querySelectorAll('.plot-table tbody tr').length === 90")
    moves = [
        move
        for day in flowed(viewer, 90)["days"]
        for move in day.get("moves", ())
        if (move["before"], move["after"]) == ("ltm", "dormant")
    ]
    assert f"long-term → dormant {sum(move['count'] for move in moves)}" in page.inner_text(
        ".moves"
    ).replace("\n", " ")
    assert "days=90" in page.url


def test_looking_ahead_changes_nothing(viewer: "Viewer") -> None:
    """A dry run lists what would change, in words, and leaves the store as it was."""
    page = viewer.show("#/lifecycle")
    with viewer.store() as ghost:
        before = [run.id for run in ghost.lifecycle.runs()]
    page.click("#look")
    page.wait_for_selector("#ahead .change-group")
    said = page.inner_text("#ahead")
    assert "Nothing has happened yet" in said
    assert "demoted" in said
    assert "long-term → dormant" in said
    assert page.locator("#ahead .changes a[href='#/memory/agent%3Ame/review-style']").count() == 1
    with viewer.store() as ghost:
        assert [run.id for run in ghost.lifecycle.runs()] == before


def test_running_asks_once_and_can_be_undone(viewer: "Viewer") -> None:
    """The rules run after one question; the notice takes the run back."""
    page = viewer.show("#/lifecycle")
    page.click("#look")
    page.get_by_role("button", name="Run it").click()
    page.wait_for_selector("dialog[open]")
    page.locator("dialog").get_by_role("button", name="Cancel").click()
    assert tier(viewer, "agent:me", "review-style") == "ltm"
    page.get_by_role("button", name="Run it").click()
    page.locator("dialog button[type=submit]").click()
    page.wait_for_selector(".toast")
    assert tier(viewer, "agent:me", "review-style") == "dormant"
    page.get_by_role("button", name="Undo", exact=True).click()
    page.wait_for_selector(".chip.undone")
    assert tier(viewer, "agent:me", "review-style") == "ltm"


@pytest.mark.slow
def test_a_run_opens_and_is_undone(viewer: "Viewer") -> None:
    """A run shows what it changed when it is opened, and can be taken back from there."""
    page = viewer.show("#/lifecycle")
    page.wait_for_selector(".run")
    first = page.locator(".run").first
    assert " faded" in first.inner_text()
    first.locator("summary").first.click()
    page.wait_for_selector(".run .change-group")
    assert "deleted" in first.inner_text()
    assert "log-noise" in first.inner_text()
    first.get_by_role("button", name="Undo this run").click()
    page.locator("dialog button[type=submit]").click()
    page.wait_for_selector(".chip.undone")
    with viewer.store() as ghost:
        assert ghost.get("project:shop", "log-noise").key == "log-noise"


def test_rules_in_plain_words(viewer: "Viewer") -> None:
    """Each rule is a sentence; one's own rules are told from those that are built in."""
    with viewer.store() as ghost:
        ghost.lifecycle.set_rule("tidy <b>drafts</b>", "ARCHIVE", tag="draft", age_gt_hours=240)
    page = viewer.show("#/lifecycle")
    page.wait_for_selector(".rules li")
    said = page.locator(".rules").inner_text()
    assert "A long-term memory that has not been used for 7 days moves down to dormant." in said
    assert "A memory that is older than 10 days and has the tag “draft” becomes dormant." in said
    assert "tidy <b>drafts</b> · yours" in said
    assert page.locator(".rules b").count() == 0


@pytest.mark.slow
def test_another_process_runs_the_rules(viewer: "Viewer") -> None:
    """What another process does appears: runs, tiers, moves."""
    page = viewer.show("#/lifecycle")
    page.wait_for_selector(".run")
    before, dormant = page.locator(".run").count(), flowed(viewer)["tiers"]["dormant"]
    page.wait_for_selector(".live-state[data-state=live]")
    viewer.ghost("reflect", "-n", "*")
    page.wait_for_function(
        "before => document.querySelectorAll('.run').length > before", arg=before
    )
    page.wait_for_function(
        "dormant => Number(document.querySelector('.tier-tile.tone-dormant b')?.textContent) > dormant",
        arg=dormant,
    )


def test_read_only_shows_but_does_not_run(open_viewer: "Callable[..., Viewer]") -> None:
    """With --read-only one can look ahead, but nothing can be run or undone; the page says how to run the rules."""
    page = open_viewer("--read-only", color_scheme="dark").show("#/lifecycle")
    page.wait_for_selector(".run")
    page.click("#look")
    page.wait_for_selector("#ahead .change-group")
    assert page.get_by_role("button", name="Run it").count() == 0
    assert "ghost reflect -n" in page.inner_text("#ahead .command")
    page.locator(".run summary").first.click()
    page.wait_for_selector(".run .change-group")
    assert page.get_by_role("button", name="Undo this run").count() == 0


@pytest.mark.slow
def test_empty_and_failing(tmp_path: "Path", open_viewer: "Callable[..., Viewer]") -> None:
    """An empty store has words for it; a failure is told and can be tried again."""
    path = tmp_path / "empty.db"
    with Ghost.open(path, settings=Settings(embed_provider="none")):
        pass
    viewer = open_viewer(store=path, viewport={"width": 375, "height": 740})
    page = viewer.show("#/lifecycle")
    page.wait_for_selector(".state")
    assert "No memories yet" in page.inner_text(".lifecycle")
    assert "The rules have not run yet" in page.inner_text(".lifecycle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    answer = json.dumps(
        {"error": "EngineError", "message": "the store is busy", "hint": "try again"}
    )
    page.route(
        "**/api/v1/flow?**",
        lambda route: route.fulfill(status=500, content_type="application/json", body=answer),
    )
    page.select_option("[aria-label='How far back']", "14")
    page.wait_for_selector(".state.bad")
    assert "the store is busy" in page.inner_text(".state.bad")
    viewer.problems[:] = [text for text in viewer.problems if "500" not in text]


def test_the_legend_has_the_colours_of_the_columns(look: "Viewer") -> None:
    """What is pale in the legend and dark in the picture cannot be found there."""
    page = look.show("#/lifecycle")
    page.wait_for_selector(".plot .column")
    colour = "(node) => getComputedStyle(node).fill"
    for tone in ("accent", "dormant"):
        swatch = page.locator(f".swatch.tone-{tone} rect").first.evaluate(colour)
        assert page.locator(f".column.tone-{tone}").first.evaluate(colour) == swatch
