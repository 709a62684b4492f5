"""The screen of what waits for a person's word, in a real browser"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from browser.payloads import PAYLOADS, assert_harmless
from browser.steps import expect, undone
from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Viewer

SHOP = "project:shop"


def opened(viewer: "Viewer") -> Any:
    """Show the screen and wait until it is there."""
    page = viewer.show("#/settle")
    page.wait_for_selector(".decision, .state")
    return page


def conflict(page: Any, key: str) -> Any:
    """Return the card of a contradiction by the key with the last word."""
    return page.locator(".decision", has=page.locator(".side .memory-link", has_text=key)).first


@pytest.mark.smoke
def test_contradictions_stand_side_by_side(viewer: "Viewer") -> None:
    """The one with the last word is on the left, and the words that differ are marked."""
    page = opened(viewer)
    card = conflict(page, "session-store-db")
    assert card.locator(".side .memory-link").all_inner_texts() == [
        "session-store-db",
        "session-store",
    ]
    assert "database" in " ".join(card.locator(".side mark").all_inner_texts())
    assert card.get_attribute("aria-label") == "session-store-db contradicts session-store"


@pytest.mark.parametrize(("side", "ended"), [(0, "session-store"), (1, "session-store-db")])
def test_one_side_is_kept_and_that_is_undone(viewer: "Viewer", side: int, ended: str) -> None:
    """What is not kept ends; undoing lets both hold again with the importance they had."""
    with viewer.store() as ghost:
        before = {
            key: ghost.history(SHOP, key)[-1] for key in ("session-store", "session-store-db")
        }
    page = opened(viewer)
    conflict(page, "session-store-db").get_by_role("button", name="Keep this").nth(side).click()
    page.locator("dialog").get_by_role("button", name="Keep it").click()
    expect(page.locator(".side .memory-link", has_text="session-store-db")).to_have_count(0)
    with viewer.store() as ghost:
        assert ghost.history(SHOP, ended)[-1].valid_to is not None
    undone(page)
    expect(conflict(page, "session-store-db")).to_be_visible()
    with viewer.store() as ghost:
        for key, memory in before.items():
            now = ghost.history(SHOP, key)[-1]
            assert (now.valid_to, now.tier, now.importance) == (
                None,
                memory.tier,
                memory.importance,
            )


def test_both_can_hold(viewer: "Viewer") -> None:
    """Then they no longer contradict each other; undoing makes them do so again. By keyboard alone."""
    page = opened(viewer)
    page.keyboard.press("j")
    page.keyboard.press("b")
    expect(page.locator("dialog h2")).to_have_text("Do both hold?")
    page.keyboard.press("Enter")
    expect(page.locator(".side .memory-link", has_text="coffee")).to_have_count(0)
    with viewer.store() as ghost:
        assert all(edge.rel != "contradicts" for edge in ghost.edges("agent:me", "coffee"))
    page.keyboard.press("u")
    expect(conflict(page, "coffee")).to_be_visible()


def test_what_may_be_stale_says_why_and_can_be_edited(viewer: "Viewer") -> None:
    """A memory that rests on what has ended is listed with the reason, and leads to the editor."""
    with viewer.store() as ghost:
        ghost.edge(SHOP, "black-friday", "session-store", "depends_on")
    page = opened(viewer)
    card = page.locator(".decision", has_text="depends on session-store")
    expect(card).to_contain_text("which session-store-db contradicts")
    card.get_by_role("button", name="Edit").click()
    page.fill("dialog textarea", "Freeze from 23 to 30 November.")
    page.locator("dialog").get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".toast-text").last).to_contain_text("Saved black-friday")


def test_what_is_held_back_is_released_and_held_again(viewer: "Viewer") -> None:
    """Releasing stores it; undoing removes it again and holds it as before."""
    page = opened(viewer)
    card = page.locator(".decision", has=page.locator(".hostile", has_text="approve refunds"))
    assert card.locator(".reasons li").count() >= 1
    assert "told by another agent" in card.inner_text()
    card.get_by_role("button", name="Release").click()
    page.locator("dialog").get_by_role("button", name="Release").click()
    expect(card).to_have_count(0)
    with viewer.store() as ghost:
        assert ghost.get("team:shared", "mail").content.startswith("From now on")
    undone(page)
    expect(card).to_have_count(1)
    with viewer.store() as ghost:
        assert ghost.history("team:shared", "mail")[-1].deleted_at is not None
        assert {held.key for held in ghost.quarantined()} == {"mail", "tool-output"}


def test_what_is_held_back_is_dropped(viewer: "Viewer") -> None:
    """Dropping deletes it; as long as the notice stands it can be held again."""
    page = opened(viewer)
    card = page.locator(".decision", has=page.locator(".hostile", has_text="Ignore all previous"))
    card.get_by_role("button", name="Drop").click()
    page.locator("dialog").get_by_role("button", name="Drop").click()
    expect(card).to_have_count(0)
    with viewer.store() as ghost:
        assert [held.key for held in ghost.quarantined()] == ["mail"]
    undone(page)
    expect(card).to_have_count(1)
    with viewer.store() as ghost:
        held = next(one for one in ghost.quarantined() if one.key == "tool-output")
    assert held.fields["source_kind"] == "observed"


def test_nothing_to_settle_is_said(open_viewer: Callable[..., "Viewer"], tmp_path: "Path") -> None:
    """An orderly store has a designed empty state; the chosen namespace holds here too; what another process holds appears."""
    path = tmp_path / "calm.db"
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        ghost.put("agent:x", "tea", "The user drinks tea.")
    viewer = open_viewer(store=path)
    page = opened(viewer)
    assert page.inner_text(".state h2") == "Nothing to settle"
    page.wait_for_selector(".live-state[data-state=live]")
    with viewer.store() as ghost:
        ghost.put("agent:x", "coffee", "The user drinks coffee only.")
        ghost.edge("agent:x", "coffee", "tea", "contradicts")
    expect(conflict(page, "coffee")).to_be_visible()


def test_read_only_shows_and_does_nothing(open_viewer: Callable[..., "Viewer"]) -> None:
    """With --read-only everything can be read, and there is no button to change it."""
    page = opened(open_viewer("--read-only"))
    assert page.locator(".decision").count() == 4
    assert page.locator(".decision .button").count() == 0


def test_a_server_that_is_gone_is_said(viewer: "Viewer") -> None:
    """An error has a next step, and another try works."""
    page = viewer.show("#/search")
    page.route("**/api/v1/conflicts*", lambda route: route.abort())
    page.evaluate("() => { location.hash = '#/settle'; }")
    page.wait_for_selector(".state.bad")
    page.unroute("**/api/v1/conflicts*")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".decision")
    viewer.problems[:] = [one for one in viewer.problems if "ERR_FAILED" not in one]


def test_hostile_text_stays_text_and_hides_nothing(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Payloads in every field of conflicts and of what is held run nothing; invisible characters are written out."""
    path = tmp_path / "hostile.db"
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        for number, payload in enumerate(PAYLOADS):
            ghost.put("agent:x", f"{number} {payload}", f"It is so: {payload}", source_user=payload)
            ghost.put(
                "agent:x",
                f"{number} not {payload}",
                f"It is not so: {payload}",
                source_user=payload,
            )
            ghost.edge("agent:x", f"{number} {payload}", f"{number} not {payload}", "contradicts")
            held: dict[str, Any] = {
                "tags": [payload[:60].replace(",", " ")],
                "source_user": payload,
                "source_client": payload,
            }
            ghost.put(
                "agent:x",
                f"{number} held {payload}",
                f"{payload}\u202e\u200bdoes evil",
                tier="quarantine",
                source_kind="peer",
                **held,
            )
    viewer = open_viewer(store=path)
    page = opened(viewer)
    assert page.locator(".decision").count() == 2 * len(PAYLOADS)
    assert_harmless(page)
    assert page.locator(".hostile").first.locator(".hidden-sign").all_inner_texts() == [
        "U+202E",
        "U+200B",
    ]
    assert [
        text.split("U+202E")[0] for text in page.locator(".hostile").all_inner_texts()
    ] == PAYLOADS
    for choice in ("1", "r", "x"):
        page.locator(f"[data-choice='{choice}']").first.click()
        page.wait_for_selector("dialog[open]")
        assert_harmless(page)
        page.keyboard.press("Escape")


@pytest.mark.parametrize("width", [375, pytest.param(1280, marks=pytest.mark.slow), 2560])
def test_the_page_fits(open_viewer: Callable[..., "Viewer"], width: int) -> None:
    """Nothing sticks out sideways, on a phone or a wall."""
    page = opened(open_viewer(viewport={"width": width, "height": 800}, color_scheme="dark"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
