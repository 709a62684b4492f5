"""The home page in a real browser: what changed, what waits, and the way to a search"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from browser.payloads import PAYLOADS, assert_harmless
from browser.steps import expect
from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Viewer


@pytest.mark.smoke
def test_it_opens_first_and_shows_what_is_there(look: "Viewer") -> None:
    """Counts, an update with both texts, decisions, health in short and namespaces, from one call and the audit."""
    calls: list[str] = []
    look.page.on("request", lambda request: calls.append(request.url.partition("/api/v1")[2]))
    page = look.show("")
    page.wait_for_selector(".home-score")
    assert page.get_attribute("#main", "data-screen") == "home"
    with look.store() as ghost:
        total = sum(one.keys for one in ghost.admin.namespaces())
        spaces = [one.ns for one in ghost.admin.namespaces() if one.keys]
    assert page.locator(".home-tile b").first.inner_text() == str(total)
    assert sorted(page.locator(".home-space-name").all_inner_texts()) == sorted(spaces)
    row = page.locator(".change-updated", has_text="stack")
    assert row.locator("del").all_inner_texts() == ["5.2"]
    assert row.locator("ins").all_inner_texts() == ["6.0"]
    assert page.locator(".home-part", has_text="Decisions for you").locator(
        "b"
    ).all_inner_texts() == ["2", "2"]
    assert len([one for one in calls if one.startswith("/home")]) == 1


def test_the_question_leads_to_the_search(look: "Viewer") -> None:
    """The cursor stands in the empty box; Enter searches."""
    page = look.show("#/home")
    assert page.evaluate("document.activeElement.id") == "home-query"
    page.keyboard.type("payments")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    assert "q=payments" in page.url


def test_a_namespace_is_chosen_and_a_decision_is_opened(look: "Viewer") -> None:
    """Each entry is a way on: a namespace to its memories, a number of decisions to their list."""
    page = look.show("#/home")
    page.get_by_role("link", name="In quarantine").click()
    page.wait_for_selector(".settle-tab[aria-pressed=true][data-list=quarantine]")
    page.go_back()
    page.locator(".home-space", has_text="team:shared").click()
    page.wait_for_selector("#main[data-screen=search]")
    page.evaluate("() => { location.hash = '#/home'; }")
    expect(page.locator(".home-space")).to_have_count(1)


def test_what_another_process_writes_appears(viewer: "Viewer") -> None:
    """A new memory, an update and a deletion show up, and count as changes of today."""
    page = viewer.show("#/home")
    page.wait_for_selector(".live-state[data-state=live]")
    with viewer.store() as ghost:
        ghost.put("agent:me", "desk", "The desk is at the window.")
        ghost.rm("agent:me", "train")
    expect(
        page.locator(".home-list .home-row", has_text="The desk is at the window.")
    ).to_be_visible()
    expect(page.locator(".change-deleted", has_text="train")).to_be_visible()


def test_an_empty_store_and_hostile_text(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """An empty store says what to do first; payloads in every field run nothing."""
    path = tmp_path / "empty.db"
    Ghost.open(str(path), settings=Settings(embed_provider="none")).close()
    viewer = open_viewer(store=path)
    page = viewer.show("#/home")
    page.wait_for_selector(".state")
    assert "ghost setup claude-code --hooks" in page.inner_text(".state")
    with viewer.store() as ghost:
        for number, payload in enumerate(PAYLOADS):
            ghost.put("agent:x", f"{number} {payload}", payload, source_user=payload)
            ghost.put("agent:x", f"{number} {payload}", f"Not {payload}", source_user=payload)
    page = viewer.show("#/home")
    page.wait_for_selector(".home-row")
    assert_harmless(page)


def test_a_count_that_is_not_complete_is_marked(look: "Viewer") -> None:
    """Where not all logs were read, the parts of the sum are lower bounds too."""

    def more(route: Any) -> None:
        found = route.fetch().json()
        found.update(more=True, today={"added": 12, "updated": 3})
        route.fulfill(json=found)

    look.page.route("**/api/v1/home*", more)
    tile = look.show("#/home").locator(".home-tile").nth(2)
    expect(tile.locator("b")).to_have_text("15+")
    expect(tile.locator("span")).to_have_text("12+ added, 3+ updated")
