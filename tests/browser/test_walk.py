"""One morning with the viewer, as a person would have it: look, open, correct, be overtaken, take back, follow links, settle"""

from typing import TYPE_CHECKING

from browser.steps import confirmed, expect, undone

if TYPE_CHECKING:
    from conftest import Viewer

SHOP, ME = "project:shop", "agent:me"


def versions(viewer: "Viewer", ns: str, key: str) -> list[str]:
    """Return what a memory has said, as the store has it."""
    with viewer.store() as ghost:
        return [memory.content for memory in ghost.history(ns, key)]


def test_a_morning_with_the_viewer(viewer: "Viewer") -> None:
    """Everything is done in the page, and each step is looked up in the store by another hand."""
    page = viewer.page
    page.keyboard.press("Escape")
    page.locator(".nav a", has_text="Search").click()
    expect(page.locator("#query")).to_be_focused()

    # what do we know about releases? the receipt says why it is there
    page.keyboard.type("when do releases go out")
    hit = page.locator(".hit", has_text="release-friday").first
    expect(hit).to_contain_text("Tuesdays")
    expect(hit.locator("mark").first).to_be_visible()
    hit.locator(".why-button").click()
    expect(hit.locator(".receipt")).to_contain_text("score")

    # it opens, with its history: it used to be Wednesdays
    hit.locator(".memory-link").click()
    expect(page.locator("h1").first).to_have_text("release-friday")
    expect(page.locator(".compared")).to_contain_text("Wednesdays")

    # the hour is wrong; while it is corrected, an agent writes too, and the page says so instead of overwriting it
    page.keyboard.press("e")
    box = page.locator("dialog[open] textarea")
    box.fill("Releases go out on Tuesdays at 09:00.")
    viewer.ghost("put", "-n", SHOP, "-k", "release-friday", "Releases go out on Mondays at 10:00.")
    page.locator("dialog[open]").get_by_role("button", name="Save as version 3").click()
    dialog = page.locator("dialog[open]", has_text="Someone else has changed it")
    expect(dialog).to_contain_text("Releases go out on Mondays at 10:00.")
    expect(dialog).to_contain_text("Releases go out on Tuesdays at 09:00.")
    assert len(versions(viewer, SHOP, "release-friday")) == 3
    dialog.get_by_label("Keep mine").check()
    confirmed(page, "Go on")
    expect(page.locator(".memory-text")).to_contain_text("Tuesdays at 09:00")
    assert versions(viewer, SHOP, "release-friday")[2:] == [
        "Releases go out on Mondays at 10:00.",
        "Releases go out on Tuesdays at 09:00.",
    ]

    # on second thoughts they were right: taking it back leaves their text, as one more version
    undone(page, "u")
    expect(page.locator(".memory-text")).to_contain_text("Mondays at 10:00")
    assert versions(viewer, SHOP, "release-friday")[-1] == "Releases go out on Mondays at 10:00."

    # pin it, and take that back too
    page.keyboard.press("p")
    confirmed(page, "Pin")
    expect(page.locator("[data-act=pin]")).to_have_text("Unpin")
    with viewer.store() as ghost:
        assert ghost.get(SHOP, "release-friday").pinned
    undone(page, "u")
    expect(page.locator("[data-act=pin]")).to_have_text("Pin")

    # what it hangs together with: a neighbour on its page, and the map around it
    page.locator(".memory-main .memory-link", has_text="black-friday").first.click()
    expect(page.locator("h1").first).to_have_text("black-friday")
    page.go_back()
    expect(page.locator("h1").first).to_have_text("release-friday")
    page.locator(".memory-main").get_by_role("link", name="Graph").click()
    page.wait_for_function("() => document.querySelector('#graph')?.dataset.settled === 'true'")
    expect(page.locator(".graph-panel")).to_contain_text("release-friday")

    # what an agent would be handed for a task, now that this is said
    page.locator(".nav a", has_text="Context").click()
    page.locator("#question").fill("plan the next release")
    page.keyboard.press("Enter")
    expect(page.locator(".packed-card[data-key=release-friday]")).to_contain_text(
        "Mondays at 10:00"
    )
    used = page.locator(".budget-head h2").inner_text()
    assert "of 1,000 tokens" in used

    # the agent says something else meanwhile, and the pack follows by itself
    viewer.ghost(
        "put",
        "-n",
        SHOP,
        "-k",
        "release-notes",
        "Every release has notes, written by the one who planned it.",
    )
    expect(page.locator(".packed-card[data-key=release-notes]")).to_be_visible()

    # two contradictions wait: one is settled, taken back, and settled for good; the other stays
    page.locator(".nav a", has_text="Decisions").click()
    both = page.locator(".decision", has_text="session-store-db")
    expect(page.locator(".decision", has_text="coffee")).to_have_count(1)
    for last in (False, True):
        both.locator("[data-choice='1']").click()
        page.wait_for_selector("dialog[open]")
        page.locator("dialog[open] button[type=submit]").click()
        page.wait_for_selector("dialog", state="detached")
        expect(both).to_have_count(0)
        if not last:
            undone(page, "u")
            expect(both).to_have_count(1)
    with viewer.store() as ghost:
        assert [conflict.key for conflict in ghost.conflicts(SHOP).conflicts] == []
        assert len(ghost.conflicts(ME).conflicts) == 1
        assert ghost.search("where are sessions kept", SHOP)[0].key == "session-store-db"

    # somebody's page of a memory that is removed says so, and brings it back
    page.goto(f"{viewer.base}/#/memory/team%3Ashared/coffee-machine")
    page.locator(".banner").get_by_role("button", name="Restore").click()
    page.wait_for_selector("dialog[open]")
    page.locator("dialog[open] button[type=submit]").click()
    expect(page.locator(".memory-actions")).to_be_visible()
    with viewer.store() as ghost:
        assert (
            ghost.get("team:shared", "coffee-machine").content
            == "The coffee machine on the third floor is broken."
        )
    viewer.problems[:] = [
        one for one in viewer.problems if "409" not in one
    ]  # the one that was overtaken
