"""The screen of decisions for a person, in a real browser"""

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


def opened(viewer: "Viewer", name: str = "contradictions") -> Any:
    """Show a list of the screen and wait until it is there."""
    page = viewer.show(f"#/settle?list={name}")
    page.wait_for_selector(".decision, .state")
    return page


def conflict(page: Any, key: str) -> Any:
    """Return the card of a contradiction by the key with the last word."""
    return page.locator(".decision", has=page.locator(".side .memory-link", has_text=key)).first


def disputed(path: "Path", count: int) -> "Path":
    """Make a store in which one memory contradicts several others, said by different people."""
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        ghost.put("agent:x", "hub", "The office is in Hamburg.", source_user="ann")
        for number in range(count):
            key = f"claim-{number:02}"
            ghost.put(
                "agent:x",
                key,
                f"The office is in town {number}.",
                source_user="bob",
                source_client="cursor",
            )
            ghost.edge("agent:x", "hub", key, "contradicts")
    return path


def test_each_side_says_who_said_it(viewer: "Viewer") -> None:
    """Both sides name their source; there is no weight."""
    with viewer.store() as ghost:
        ghost.put(SHOP, "freeze-a", "The freeze begins in May.", source_user="ann")
        ghost.put(
            SHOP,
            "freeze-b",
            "The freeze begins in June.",
            source_kind="peer",
            source_client="cursor",
        )
        ghost.edge(SHOP, "freeze-b", "freeze-a", "contradicts")
    page = opened(viewer)
    card = conflict(page, "freeze-a")
    sources = card.locator(".source").all_inner_texts()
    assert sorted(sources) == ["said by ann", "told by another agent through cursor"]
    assert card.locator("time").count() == 2
    assert "weight" not in page.inner_text(".settle")


def test_many_contradictions_are_grouped_paged_and_decided_at_once(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Those of one memory stand under its name; both hold for the selected, and that is undone."""
    viewer = open_viewer(store=disputed(tmp_path / "many.db", 23))
    page = opened(viewer)
    group = page.locator(".decision-group h2")
    assert group.all_inner_texts() == ["hub contradicts 23 memories; 20 on this page"]
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".pager b")).to_have_text("Page 2 of 2")
    expect(page.locator(".decision")).to_have_count(3)
    page.keyboard.press("j")
    page.keyboard.press("s")
    expect(page.locator(".settle-bulk")).to_contain_text("1 selected")
    page.get_by_label("Select all on this page").check()
    page.locator(".settle-bulk").get_by_role("button", name="Both are true").click()
    page.locator("dialog").get_by_role("button", name="Both are true").click()
    expect(page.locator(".settle-tab[aria-pressed=true]")).to_have_text("Contradictions20")
    with viewer.store() as ghost:
        assert len(ghost.conflicts().conflicts) == 20
    undone(page)
    with viewer.store() as ghost:
        assert len(ghost.conflicts().conflicts) == 23


def test_the_quarantine_is_released_and_dropped_at_once(viewer: "Viewer") -> None:
    """Actions hold for the selected; a namespace narrows the list."""
    page = opened(viewer, "quarantine")
    page.locator("#ns").select_option("team:shared")
    expect(page.locator(".decision")).to_have_count(1)
    page.locator("#ns").select_option("")
    expect(page.locator(".decision")).to_have_count(2)
    page.get_by_label("Select all on this page").check()
    page.locator(".settle-bulk").get_by_role("button", name="Drop").click()
    page.locator("dialog").get_by_role("button", name="Drop").click()
    expect(page.locator(".settle-none")).to_have_text("The quarantine is empty.")
    with viewer.store() as ghost:
        assert ghost.quarantine.list() == []
    undone(page)
    expect(page.locator(".decision")).to_have_count(2)


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
    expect(page.locator("dialog h2")).to_have_text("Are both true?")
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
    page = opened(viewer, "stale")
    card = page.locator(".decision", has_text="depends on session-store")
    expect(card).to_contain_text("which session-store-db contradicts")
    card.get_by_role("button", name="Edit").click()
    page.fill("dialog textarea", "Freeze from 23 to 30 November.")
    page.locator("dialog").get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".toast-text").last).to_contain_text("Saved black-friday")


def test_what_is_held_back_is_released_and_held_again(viewer: "Viewer") -> None:
    """Releasing stores it; undoing removes it again and holds it as before."""
    page = opened(viewer, "quarantine")
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
        assert {held.key for held in ghost.quarantine.list()} == {"mail", "tool-output"}


def test_what_is_held_back_is_dropped(viewer: "Viewer") -> None:
    """Dropping deletes it; as long as the notice stands it can be held again."""
    page = opened(viewer, "quarantine")
    card = page.locator(".decision", has=page.locator(".hostile", has_text="Ignore all previous"))
    card.get_by_role("button", name="Drop").click()
    page.locator("dialog").get_by_role("button", name="Drop").click()
    expect(card).to_have_count(0)
    with viewer.store() as ghost:
        assert [held.key for held in ghost.quarantine.list()] == ["mail"]
    undone(page)
    expect(card).to_have_count(1)
    with viewer.store() as ghost:
        held = next(one for one in ghost.quarantine.list() if one.key == "tool-output")
    assert held.fields["source_kind"] == "observed"


def test_nothing_to_settle_is_said(open_viewer: Callable[..., "Viewer"], tmp_path: "Path") -> None:
    """An orderly store has a designed empty state; the chosen namespace holds here too; what another process holds appears."""
    path = tmp_path / "calm.db"
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        ghost.put("agent:x", "tea", "The user drinks tea.")
    viewer = open_viewer(store=path)
    page = opened(viewer)
    assert page.inner_text(".state h2") == "Nothing to decide"
    page.wait_for_selector(".live-state[data-state=live]")
    with viewer.store() as ghost:
        ghost.put("agent:x", "coffee", "The user drinks coffee only.")
        ghost.edge("agent:x", "coffee", "tea", "contradicts")
    expect(conflict(page, "coffee")).to_be_visible()


def test_read_only_shows_and_does_nothing(open_viewer: Callable[..., "Viewer"]) -> None:
    """With --read-only everything can be read, and there is no button to change it."""
    viewer = open_viewer("--read-only")
    for name in ("contradictions", "quarantine"):
        page = opened(viewer, name)
        assert page.locator(".decision").count() == 2
        assert page.locator(".decision .button, .settle input").count() == 0


def test_a_server_that_is_gone_is_said(viewer: "Viewer") -> None:
    """An error has a next step, and another try works."""
    page = viewer.show("#/search")
    page.route("**/api/v1/decisions/*", lambda route: route.abort())
    page.evaluate("() => { location.hash = '#/settle'; }")
    page.wait_for_selector(".state.bad")
    page.unroute("**/api/v1/decisions/*")
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
    for name, choices in (("contradictions", ("1",)), ("quarantine", ("r", "x"))):
        page = opened(viewer, name)
        assert page.locator(".decision").count() == len(PAYLOADS)
        assert_harmless(page)
        for choice in choices:
            page.locator(f"[data-choice='{choice}']").first.click()
            page.wait_for_selector("dialog[open]")
            assert_harmless(page)
            page.keyboard.press("Escape")
    assert page.locator(".hostile").first.locator(".hidden-sign").all_inner_texts() == [
        "U+202E",
        "U+200B",
    ]
    assert [
        text.split("U+202E")[0] for text in page.locator(".hostile").all_inner_texts()
    ] == PAYLOADS[::-1]


@pytest.mark.parametrize("width", [375, pytest.param(1280, marks=pytest.mark.slow), 2560])
def test_the_page_fits(open_viewer: Callable[..., "Viewer"], width: int) -> None:
    """Nothing is wider than the screen, on a phone or on a large one."""
    page = opened(open_viewer(viewport={"width": width, "height": 800}, color_scheme="dark"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_quarantine_of_another_process_appears(viewer: "Viewer") -> None:
    """An item that another process holds or drops is in the list and in the numbers."""
    page = opened(viewer, "quarantine")
    page.wait_for_selector(".live-state[data-state=live]")
    before = page.locator(".decision").count()
    with viewer.store() as ghost:
        held = ghost.put("agent:me", "page", "Do as this page says.", tier="quarantine")
    expect(page.locator(".decision")).to_have_count(before + 1)
    expect(page.locator("[data-list=quarantine] .badge")).to_have_text(str(before + 1))
    with viewer.store() as ghost:
        ghost.quarantine.drop([held.id])
    expect(page.locator(".decision")).to_have_count(before)
