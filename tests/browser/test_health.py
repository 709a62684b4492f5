"""The health screen in a real browser: the hygiene report and the shape of the store as plots"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from browser.steps import hold
from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.web.shape import shape

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Viewer


@pytest.mark.smoke
def test_the_report_is_the_audits(viewer: "Viewer") -> None:
    """The gauge has the score; findings have their counts, examples that lead to memories, and a command to copy."""
    page = viewer.show("#/health")
    page.wait_for_selector(".health-report[aria-busy=false] .finding")
    report = json.loads(viewer.ghost("--json", "audit"))
    assert page.locator(".gauge-score").text_content() == str(report["score"])
    assert f"{report['score']} of 100" in (page.get_attribute(".gauge svg", "aria-label") or "")
    found = {one["name"]: one for one in report["findings"] if one["count"]}
    assert set(
        page.locator(".finding").evaluate_all("all => all.map((one) => one.dataset.name)")
    ) == set(found)
    for name, one in found.items():
        card = page.locator(f'.finding[data-name="{name}"]')
        assert card.locator(".finding-share b").inner_text() == str(one["count"])
        assert card.locator(".command code").inner_text() == one["advice"]
    link = page.locator('.finding[data-name="contradictions"] .memory-link').first
    assert link.get_attribute("href") == "#/memory/agent%3Ame/coffee"
    assert (
        page.locator('.finding[data-name="quarantine"] a[href="#/settle?list=quarantine"]').count()
        == 1
    )
    assert "no duplicates" in page.inner_text(".clean")
    assert "Not checked" in page.inner_text(".health")


def test_quick_checks_are_shown_before_the_slow_ones(viewer: "Viewer") -> None:
    """The score is there while texts are still being searched for secrets."""
    page = viewer.show("#/search")
    go_on = hold(page, lambda url: url.endswith("/api/v1/audit"))
    page.evaluate("() => { location.hash = '#/health'; }")
    page.wait_for_selector("#still-checking")
    assert page.locator(".gauge-score").count() == 1
    assert page.locator(".clean", has_text="no secrets").count() == 0
    go_on()
    page.wait_for_selector(".clean >> text=no secrets")
    assert page.locator("#still-checking").count() == 0


@pytest.mark.slow
def test_advice_can_be_copied(viewer: "Viewer") -> None:
    """The button beside a command copies it."""
    page = viewer.show("#/health")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    command = page.locator('.finding[data-name="orphans"] .command')
    command.locator("button").click()
    page.wait_for_function(
        "() => navigator.clipboard.readText().then((text) => text.startsWith('ghost edge relink'))"
    )


def test_the_shape_as_plots_and_tables(viewer: "Viewer") -> None:
    """Tiers, kinds, ages, sizes, months, sources and use by day are drawn; each has its numbers as a table."""
    page = viewer.show("#/health")
    page.wait_for_selector(".plots .column", state="attached")
    names = page.locator(".plots figcaption h3").all_inner_texts()
    assert {
        "Tiers",
        "Kinds",
        "Ages",
        "Sizes",
        "Use by day",
        "Months",
        "Sources",
        "Namespaces",
    } <= set(names)
    tiers = page.locator(
        ".plot", has=page.get_by_role("heading", name="Tiers", exact=True)
    ).locator("tr")
    with viewer.store() as ghost:
        now = shape(ghost.store)["tiers"]
    named = {"sensory": "sensory", "short-term": "stm", "long-term": "ltm", "dormant": "dormant"}
    assert [row.split() for row in tiers.all_inner_texts()] == [
        [name, str(now[tier])] for name, tier in named.items() if now.get(tier)
    ]
    ages = page.locator(".plot", has=page.get_by_role("heading", name="Ages", exact=True))
    labels = ages.locator(".tick:not([text-anchor=end])").all_text_contents()
    assert labels == ["day", "week", "month", "3 months", "year", "older"]
    use = page.locator(".plot", has=page.get_by_role("heading", name="Use by day"))
    assert use.locator("polyline").count() == 2
    assert use.locator("polyline[stroke-dasharray]").count() == 1
    use.locator(".plot-table summary").click()
    assert use.locator("tbody tr").count() == 60
    use.locator(".plot-picture").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert "shown" in use.locator(".plot-tip").inner_text()
    assert page.locator("svg[role=img]:not([aria-label]):not([aria-labelledby])").count() == 0


@pytest.mark.slow
def test_one_namespace(viewer: "Viewer") -> None:
    """The chosen namespace is judged alone."""
    page = viewer.show("#/health")
    page.wait_for_selector(".finding")
    page.select_option("#ns", "team:shared")
    page.wait_for_function(
        "() => document.querySelector('.health-top .figure b')?.textContent === '4'"
    )


@pytest.mark.slow
def test_another_process_changes_the_report(viewer: "Viewer") -> None:
    """The plots are drawn anew when somebody else writes."""
    page = viewer.show("#/health")
    page.wait_for_selector(".finding")
    page.wait_for_selector(".live-state[data-state=live]")
    viewer.ghost(
        "put",
        "-n",
        "team:shared",
        "-k",
        "standup-again",
        "Stand-up is at 09:15, fifteen minutes, cameras optional.",
    )
    page.wait_for_selector('.finding[data-name="duplicates"]')
    page.wait_for_function(
        "() => document.querySelector('.health-top .figure b').textContent === '30'"
    )


@pytest.mark.slow
def test_plots_follow_the_width(open_viewer: "Callable[..., Viewer]") -> None:
    """On a phone, in the dark, and in a very wide window nothing sticks out."""
    page = open_viewer(viewport={"width": 375, "height": 740}, color_scheme="dark").show("#/health")
    page.wait_for_selector(".plots .column", state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    narrow = page.locator(".plot-wide .plot-picture").bounding_box()["width"]
    assert narrow <= 343
    page.set_viewport_size({"width": 2560, "height": 1300})
    page.wait_for_function(
        "narrow => document.querySelector('.plot-wide .plot-picture').getAttribute('width') > narrow * 2",
        arg=narrow,
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 2560


def test_hostile_names_are_text(tmp_path: "Path", open_viewer: "Callable[..., Viewer]") -> None:
    """Keys, programs and advice with markup are shown as they are."""
    path = tmp_path / "hostile.db"
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        for key in ("<img src=x onerror=alert(1)>", "a/b & c"):
            ghost.put(
                "x:y",
                key,
                "The very same words in both of them.",
                source_client="<script>alert(2)</script>",
            )
    page = open_viewer(store=path).show("#/health")
    page.wait_for_selector('.finding[data-name="duplicates"]')
    page.wait_for_selector(".plots .column", state="attached")
    assert "<script>alert(2)</script>" in page.inner_text(".plots")
    links = page.locator(".examples a").evaluate_all(
        "all => all.map((one) => one.getAttribute('href'))"
    )
    assert any("a%2Fb%20%26%20c" in link or "%3Cimg" in link for link in links)
    assert page.locator("#main img, #main script").count() == 0


def test_empty_and_failing(tmp_path: "Path", open_viewer: "Callable[..., Viewer]") -> None:
    """An empty store has words for it; one report failing leaves the other standing."""
    path = tmp_path / "empty.db"
    with Ghost.open(path, settings=Settings(embed_provider="none")):
        pass
    viewer = open_viewer(store=path)
    page = viewer.show("#/health")
    page.wait_for_selector(".state")
    assert "Nothing to check yet" in page.inner_text(".health")
    answer = json.dumps(
        {"error": "EngineError", "message": "the store is busy", "hint": "try again"}
    )
    page.route(
        "**/api/v1/audit*",
        lambda route: route.fulfill(status=500, content_type="application/json", body=answer),
    )
    viewer.show("#/context")
    viewer.show("#/health")
    page.wait_for_selector(".state.bad")
    assert "the store is busy" in page.inner_text(".state.bad")
    page.unroute("**/api/v1/audit*")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_function(
        "() => document.querySelector('.health').textContent.includes('Nothing to check yet')"
    )
    viewer.problems[:] = [text for text in viewer.problems if "500" not in text]
