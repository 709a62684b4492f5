"""What a person can do to memories, in a real browser: each change asks once, happens, and is really undone"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from browser.steps import confirmed, expect, undone

if TYPE_CHECKING:
    from conftest import Viewer

SHOP, ME = "project:shop", "agent:me"


def opened(viewer: "Viewer", ns: str, key: str) -> Any:
    """Show a memory's page and wait until it can be changed."""
    page = viewer.show(f"#/memory/{ns.replace(':', '%3A')}/{key}")
    page.wait_for_selector(".memory-actions")
    return page


def chosen(page: Any, entry: str) -> None:
    """Choose from the menu of further things to do."""
    page.locator(".menu summary").click()
    page.get_by_role("menuitem", name=entry, exact=True).click()


def get(viewer: "Viewer", ns: str, key: str) -> Any:
    """Read a memory as it is in the store."""
    with viewer.store() as ghost:
        return ghost.history(ns, key)[-1]


@pytest.mark.smoke
def test_an_edit_is_a_new_version_with_a_preview(viewer: "Viewer") -> None:
    """The text is shown as it will be while one types; saving writes a version, undoing writes the old text again."""
    page = opened(viewer, SHOP, "vat")
    page.keyboard.press("e")
    box = page.locator("dialog textarea")
    expect(box).to_be_focused()
    box.fill("VAT in Sweden is **25 %**, on books 6 %, on food 12 %.")
    expect(page.locator(".editor-preview strong")).to_have_text("25 %")
    page.get_by_role("button", name="Changes").click()
    expect(page.locator(".editor-preview ins").last).to_contain_text("on food 12")
    confirmed(page, "Save as version 2")
    expect(page.locator(".memory-text strong")).to_have_text("25 %")
    before = get(viewer, SHOP, "vat")
    assert (before.version, before.tags, before.source_kind) == (2, ("payments",), "observed")
    undone(page)
    expect(page.locator(".memory-text")).to_have_text("VAT in Sweden is 25 %, on books 6 %.")
    after = get(viewer, SHOP, "vat")
    assert (after.version, after.content) == (3, "VAT in Sweden is 25 %, on books 6 %.")


def test_an_edit_that_changes_nothing_or_is_empty_is_not_saved(viewer: "Viewer") -> None:
    """The dialog says why it does not save; a text that was left is offered back."""
    page = opened(viewer, SHOP, "vat")
    page.keyboard.press("e")
    page.keyboard.press("Control+Enter")
    expect(page.locator("dialog .problem")).to_have_text("Nothing has changed.")
    page.fill("dialog textarea", "   ")
    page.keyboard.press("Control+Enter")
    expect(page.locator("dialog .problem")).to_contain_text("cannot be empty")
    page.fill("dialog textarea", "A long thought")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open] h2").last).to_have_text("Discard your changes?")
    page.keyboard.press("Escape")  # no: keep editing
    expect(page.locator("dialog textarea")).to_have_value("A long thought")
    page.locator("dialog").get_by_role("button", name="Cancel").click()
    confirmed(page, "Discard")
    expect(page.locator(".toast.plain .toast-text")).to_have_text("Your changes were discarded")
    page.keyboard.press("u")
    expect(page.locator("dialog textarea")).to_have_value("A long thought")
    assert get(viewer, SHOP, "vat").version == 1


def test_a_draft_survives_leaving_the_page(viewer: "Viewer") -> None:
    """Back closes the editor and keeps the text, which Edit shows again until it is saved; a question that stood open is gone."""
    viewer.show("#/search")
    page = opened(viewer, SHOP, "vat")
    page.evaluate("() => { location.hash = '#/memory/project%3Ashop/deploy'; }")
    page.wait_for_selector(".memory-title h1:has-text('deploy')")
    page.keyboard.press("e")
    page.fill("dialog textarea", "A long thought")
    page.go_back()
    page.wait_for_selector(".memory-title h1:has-text('vat')")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".toast-text")).to_contain_text("draft of deploy is kept")
    page.keyboard.press("Delete")
    page.wait_for_selector("dialog[open]")
    page.go_forward()
    page.wait_for_selector(".memory-title h1:has-text('deploy')")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("e")
    expect(page.locator("dialog textarea")).to_have_value("A long thought")
    page.get_by_role("button", name="Use the stored text").click()
    expect(page.locator("dialog textarea")).not_to_have_value("A long thought")
    page.fill("dialog textarea", "A short thought")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".memory-text")).to_have_text("A short thought")
    page.keyboard.press("e")
    expect(page.locator("dialog textarea")).to_have_value("A short thought")
    expect(page.locator("dialog .draft-note")).to_have_count(0)
    assert get(viewer, SHOP, "vat").deleted_at is None


def test_a_new_memory_is_written_on_the_page(viewer: "Viewer") -> None:
    """The key c asks for namespace, key, kind, tags and text; a key that is there is refused; undoing deletes it."""
    page = opened(viewer, SHOP, "vat")
    page.evaluate("() => { location.hash = '#/memory/project%3Ashop/deploy'; }")
    page.wait_for_selector(".memory-title h1:has-text('deploy')")
    page.keyboard.press("c")
    page.fill("dialog [name=key]", "vat")
    page.fill("dialog [name=ns]", SHOP)
    page.fill("dialog textarea", "We **deploy** on Tuesdays.")
    expect(page.locator(".editor-preview strong")).to_have_text("deploy")
    page.go_back()
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("c")
    expect(page.locator("dialog textarea")).to_have_value("We **deploy** on Tuesdays.")
    page.fill("dialog [name=tags]", "deploy, rules")
    page.locator("dialog").get_by_role("button", name="Store", exact=True).click()
    expect(page.locator("dialog .problem").first).to_contain_text("already a memory “vat”")
    page.fill("dialog [name=key]", "deploy-days")
    page.select_option("dialog [name=kind]", "procedural")
    page.focus("dialog textarea")
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1").first).to_have_text("deploy-days")
    made = get(viewer, SHOP, "deploy-days")
    assert (made.content, made.kind, made.tags) == (
        "We **deploy** on Tuesdays.",
        "procedural",
        ("deploy", "rules"),
    )
    assert get(viewer, SHOP, "vat").version == 1
    undone(page)
    assert get(viewer, SHOP, "deploy-days").deleted_at is not None
    viewer.problems[:] = [one for one in viewer.problems if "409" not in one]


@pytest.mark.parametrize(
    ("choice", "text", "version"),
    [("Keep mine", "mine", 3), ("Keep theirs", "theirs", 2), ("Look at mine again", "both", 3)],
)
def test_when_somebody_else_was_faster_the_person_chooses(
    viewer: "Viewer", choice: str, text: str, version: int
) -> None:
    """Both texts are shown with what differs; nothing is overwritten unless the person says so."""
    page = opened(viewer, SHOP, "vat")
    page.keyboard.press("e")
    page.fill("dialog textarea", "mine")
    with viewer.store() as ghost:
        ghost.put(SHOP, "vat", "theirs")
    confirmed_conflict = page.locator("dialog").get_by_role("button", name="Save as version 2")
    confirmed_conflict.click()
    expect(page.locator(".pane-text")).to_have_text(["mine", "theirs"])
    page.get_by_label(choice).check()
    page.locator("dialog").get_by_role("button", name="Go on").click()
    if text == "both":
        expect(page.locator("dialog textarea")).to_have_value("mine")
        page.fill("dialog textarea", "both")
        confirmed(page, "Save as version 3")
    expect(page.locator(".memory-text")).to_have_text(text)
    assert (get(viewer, SHOP, "vat").content, get(viewer, SHOP, "vat").version) == (text, version)
    viewer.problems[:] = [one for one in viewer.problems if "409" not in one]


def test_a_text_survives_a_server_that_is_gone(viewer: "Viewer") -> None:
    """When saving fails, the dialog opens again with the text and what went wrong."""
    page = opened(viewer, SHOP, "vat")
    page.keyboard.press("e")
    page.fill("dialog textarea", "precious words")
    page.route(
        "**/memories/**",
        lambda route: route.abort() if route.request.method == "PUT" else route.continue_(),
    )
    page.locator("dialog").get_by_role("button", name="Save as version 2").click()
    expect(page.locator("dialog .problem").first).to_contain_text("does not answer")
    expect(page.locator("dialog textarea")).to_have_value("precious words")
    page.unroute("**/memories/**")
    confirmed(page, "Save as version 2")
    expect(page.locator(".memory-text")).to_have_text("precious words")
    viewer.problems[:] = [one for one in viewer.problems if "ERR_FAILED" not in one]


def test_tags_are_added_and_taken_away(viewer: "Viewer") -> None:
    """Both in one dialog; undoing gives the old ones back; the time it was said does not change."""
    page = opened(viewer, SHOP, "decimal-rule")
    said = get(viewer, SHOP, "decimal-rule").created_at
    page.keyboard.press("t")
    page.fill("dialog [name=fresh]", "money, python")
    page.get_by_label("rules").uncheck()
    confirmed(page, "Save tags")
    expect(page.locator(".memory-chips .tag")).to_have_text(["payments", "money", "python"])
    assert get(viewer, SHOP, "decimal-rule").tags == ("payments", "money", "python")
    assert get(viewer, SHOP, "decimal-rule").created_at == said
    undone(page)
    expect(page.locator(".memory-chips .tag")).to_have_text(["payments", "rules"])
    assert get(viewer, SHOP, "decimal-rule").created_at == said


@pytest.mark.parametrize(
    ("keys", "label", "named"), [("p", "Pin", "pinned"), ("l", "Lock", "locked")]
)
def test_pin_and_lock_by_key(viewer: "Viewer", keys: str, label: str, named: str) -> None:
    """One key and one question; the button says how it stands; u undoes."""
    page = opened(viewer, SHOP, "deploy")
    page.keyboard.press(keys)
    confirmed(page, label)
    expect(page.get_by_role("button", name=f"Un{label.lower()}", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    assert getattr(get(viewer, SHOP, "deploy"), named)
    page.keyboard.press("u")
    expect(page.get_by_role("button", name=label, exact=True)).to_have_attribute(
        "aria-pressed", "false"
    )
    assert not getattr(get(viewer, SHOP, "deploy"), named)


def test_no_is_no(viewer: "Viewer") -> None:
    """Cancel and Escape change nothing, and the focus goes back to where it was."""
    page = opened(viewer, SHOP, "deploy")
    button = page.get_by_role("button", name="Pin", exact=True)
    button.click()
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    expect(button).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.locator("dialog").get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog", state="detached")
    assert not get(viewer, SHOP, "deploy").pinned
    assert get(viewer, SHOP, "deploy").deleted_at is None


@pytest.mark.parametrize(
    ("ns", "key", "entry", "confirm"),
    [
        (SHOP, "vat", "Promote", "Promote"),
        (SHOP, "vat", "Demote", "Demote"),
        (ME, "name", "Archive", "Archive"),
        (SHOP, "vat", "Archive", "Archive"),
        (SHOP, "vat", "More important", "Boost"),
        (SHOP, "vat", "Less important", "Diminish"),
        (SHOP, "decimal-rule", "More important", "Boost"),
    ],
)
def test_steps_of_a_life_and_back(
    viewer: "Viewer", ns: str, key: str, entry: str, confirm: str
) -> None:
    """Every step changes what it says, and undoing leads back to the very same tier and importance."""
    before = get(viewer, ns, key)
    page = opened(viewer, ns, key)
    chosen(page, entry)
    confirmed(page, confirm)
    page.wait_for_selector(".toast")
    after = get(viewer, ns, key)
    assert (after.tier, after.importance) != (before.tier, before.importance)
    undone(page)
    back = get(viewer, ns, key)
    assert (back.tier, back.importance, back.content) == (
        before.tier,
        before.importance,
        before.content,
    )


def test_a_link_is_made_by_typing_and_removed_again(viewer: "Viewer") -> None:
    """The other memory is found while one types, by keyboard alone; the link appears, and undoing takes it away."""
    page = opened(viewer, SHOP, "vat")
    page.keyboard.press("n")
    expect(page.locator("dialog [role=combobox]")).to_be_focused()
    page.locator("dialog [role=option]").first.wait_for()
    page.keyboard.press("Escape")  # nothing is typed yet
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("n")
    page.keyboard.type("deci")
    page.select_option("dialog [name=rel]", "depends_on")
    page.locator("dialog [role=combobox]").focus()
    page.locator("dialog [role=option]").first.wait_for()
    expect(page.locator("dialog [role=option][aria-selected=true] b")).to_have_text("decimal-rule")
    page.keyboard.press("Enter")
    expect(page.locator("dialog [role=combobox]")).to_have_value("decimal-rule")
    confirmed(page, "Link")
    expect(page.locator(".near-group h3").first).to_contain_text("depends on")
    undone(page)
    expect(page.locator(".near-group")).to_have_count(1)
    page.get_by_role("button", name="Remove the link to decimal-rule").click()
    confirmed(page, "Remove")
    expect(page.locator(".near-group")).to_have_count(0)
    undone(page)
    with viewer.store() as ghost:
        assert [(edge.rel, edge.weight) for edge in ghost.edges(SHOP, "vat")] == [
            ("relates_to", 0.5)
        ]


def test_a_link_needs_a_memory_that_is_there(viewer: "Viewer") -> None:
    """What is only typed is not a choice."""
    page = opened(viewer, SHOP, "vat")
    chosen(page, "Link to another")
    page.locator("dialog [role=combobox]").fill("zzzz no such thing")
    page.locator("dialog .picker-none").wait_for()
    page.locator("dialog").get_by_role("button", name="Link", exact=True).click()
    expect(page.locator("dialog .problem")).to_have_text("Choose the other memory from the list.")
    page.keyboard.press("Escape")


def test_neighbours_are_consolidated(viewer: "Viewer") -> None:
    """Chosen neighbours and one that is searched for become a summary; undoing removes it."""
    page = opened(viewer, SHOP, "slow-search")
    page.get_by_label("Choose trigram-index").first.check()
    page.get_by_role("button", name="Consolidate these 2").click()
    page.locator("dialog [role=combobox]").press_sequentially("stack")
    page.locator("dialog [role=option] b", has_text="stack").first.wait_for()
    page.keyboard.press("Enter")
    expect(page.locator(".chosen li")).to_have_count(3)
    page.locator("dialog").get_by_role("button", name="Store the summary").click()
    expect(page.locator("dialog .problem")).to_have_text("Give the summary a key.")
    page.fill("dialog [name=key]", "search-speed")
    page.fill("dialog [name=content]", "A trigram index keeps product search fast.")
    confirmed(page, "Store the summary")
    expect(page.locator(".near-group h3", has_text="is summed up by")).to_be_visible()
    with viewer.store() as ghost:
        assert {edge.to_key for edge in ghost.edges(SHOP, "search-speed")} == {
            "slow-search",
            "trigram-index",
            "stack",
        }
    undone(page)
    expect(page.locator(".near-group h3", has_text="is summed up by")).to_have_count(0)


def test_a_summary_that_was_there_gets_its_text_and_sources_back(viewer: "Viewer") -> None:
    """Consolidating into an existing summary is undone to what it was: text and what it stands for."""
    page = opened(viewer, SHOP, "vat")
    chosen(page, "Consolidate with others")
    page.locator("dialog [role=combobox]").press_sequentially("decimal")
    page.locator("dialog [role=option] b", has_text="decimal-rule").first.wait_for()
    page.keyboard.press("Enter")
    page.fill("dialog [name=key]", "payments")
    page.fill("dialog [name=content]", "All about money.")
    confirmed(page, "Store the summary")
    page.wait_for_selector(".toast")
    assert get(viewer, SHOP, "payments").content == "All about money."
    undone(page)
    assert get(viewer, SHOP, "payments").content.startswith("Klarna is the provider")
    with viewer.store() as ghost:
        sources = {edge.to_key for edge in ghost.edges(SHOP, "payments") if edge.rel == "contains"}
    assert sources == {"payment-provider", "webhook-retry", "decimal-rule"}


def test_delete_and_undo(viewer: "Viewer") -> None:
    """A deleted memory says so and is not found; undoing brings it back with its links."""
    page = opened(viewer, SHOP, "vat")
    page.keyboard.press("Delete")
    confirmed(page, "Delete")
    expect(page.locator(".banner.bad")).to_contain_text("Deleted")
    assert get(viewer, SHOP, "vat").deleted_at is not None
    page.keyboard.press("u")
    page.wait_for_selector(".memory-actions")
    with viewer.store() as ghost:
        assert ghost.get(SHOP, "vat").version == 1
        assert len(ghost.edges(SHOP, "vat")) == 1


def test_a_locked_memory_is_changed_only_because_the_person_insists(viewer: "Viewer") -> None:
    """The question says that it is locked; the answer counts; it stays locked."""
    page = opened(viewer, ME, "allergy")
    page.keyboard.press("e")
    expect(page.locator("dialog")).to_contain_text("It is locked")
    page.fill("dialog textarea", "Ylva is allergic to all nuts.")
    confirmed(page, "Save as version 2")
    expect(page.locator(".memory-text")).to_have_text("Ylva is allergic to all nuts.")
    assert get(viewer, ME, "allergy").locked
    page.keyboard.press("Delete")
    confirmed(page, "Delete")
    expect(page.locator(".banner.bad")).to_be_visible()
    undone(page)
    page.wait_for_selector(".memory-actions")


def test_an_earlier_version_comes_back(viewer: "Viewer") -> None:
    """Restoring writes the old version as the newest one; undoing writes what was there before; so for a removed one."""
    page = opened(viewer, SHOP, "release-friday")
    page.get_by_role("button", name="Restore version 1").click()
    confirmed(page, "Restore")
    expect(page.locator(".memory-text")).to_have_text("Releases go out on Wednesdays at 10:00.")
    undone(page)
    expect(page.locator(".memory-text")).to_contain_text("Tuesdays")
    assert get(viewer, SHOP, "release-friday").version == 4
    page = viewer.show("#/memory/team%3Ashared/coffee-machine")
    page.get_by_role("button", name="Restore", exact=True).click()
    confirmed(page, "Restore")
    page.wait_for_selector(".memory-actions")
    undone(page)
    expect(page.locator(".banner.bad")).to_be_visible()


def test_a_memory_that_ended_keeps_its_end_when_it_is_tagged(viewer: "Viewer") -> None:
    """Changing a tag or the text does not make what has ended true again."""
    page = opened(viewer, ME, "old-phone")
    end = get(viewer, ME, "old-phone").valid_to
    assert end is not None
    page.keyboard.press("t")
    page.fill("dialog [name=fresh]", "gadgets")
    confirmed(page, "Save tags")
    expect(page.locator(".memory-chips .tag")).to_have_text(["gadgets"])
    assert get(viewer, ME, "old-phone").valid_to == end


def test_what_fails_says_so(viewer: "Viewer") -> None:
    """A change that somebody else forestalled is a notice, and the page shows what is now."""
    page = opened(viewer, SHOP, "vat")
    page.keyboard.press("t")
    page.fill("dialog [name=fresh]", "late")
    with viewer.store() as ghost:
        ghost.put(SHOP, "vat", "VAT is 24 %.")
    confirmed(page, "Save tags")
    expect(page.locator(".toast.bad")).to_contain_text("version 2")
    expect(page.locator(".memory-text")).to_have_text("VAT is 24 %.")
    viewer.problems[:] = [one for one in viewer.problems if "409" not in one]


def test_read_only_hides_every_action(open_viewer: Callable[..., "Viewer"]) -> None:
    """With --read-only there is nothing to change, and the keys do nothing."""
    viewer = open_viewer("--read-only")
    page = viewer.show("#/memory/project%3Ashop/release-friday")
    page.wait_for_selector(".memory-head h1")
    for gone in (
        ".memory-actions",
        ".near-pick",
        ".version button",
        "[data-act=link]",
        ".near .button",
    ):
        assert page.locator(gone).count() == 0
    for key in ("e", "t", "p", "l", "n", "Delete"):
        page.keyboard.press(key)
    assert page.locator("dialog").count() == 0


def test_the_key_that_stores_works_in_every_field(viewer: "Viewer") -> None:
    """Also where a field was corrected after the text."""
    page = viewer.show("#/search")
    page.wait_for_selector("#results .hit")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.fill("dialog textarea", "The printer is on the second floor.")
    page.fill("dialog [name=ns]", "not valid")
    page.fill("dialog [name=key]", "printer")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("dialog .problem:has-text('invalid namespace')")
    page.fill("dialog [name=ns]", "agent:me")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#main[data-screen=memory]")
    viewer.problems[:] = [one for one in viewer.problems if "400" not in one]
    with viewer.store() as ghost:
        assert ghost.get("agent:me", "printer").content == "The printer is on the second floor."


def test_the_menu_and_the_help_work_by_keyboard(viewer: "Viewer") -> None:
    """The menu opens, moves and closes by arrow keys and Escape; the help names the keys of this page."""
    page = opened(viewer, SHOP, "deploy")
    page.locator(".menu summary").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Link to another")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".menu summary")).to_be_focused()
    page.keyboard.press("?")
    for said in ("edit", "tag", "pin or unpin", "lock or unlock", "link to another", "delete"):
        assert said in page.inner_text("dialog")


def test_a_double_click_confirms_and_reaches_nothing_below(viewer: "Viewer") -> None:
    """The second click does not go to the screen under the dialog; the next click does."""
    page = opened(viewer, SHOP, "vat")
    page.evaluate(
        "() => { window.clicks = 0; document.querySelector('#main').onclick = () => { clicks += 1; }; }"
    )
    page.keyboard.press("p")
    page.locator("dialog[open]").get_by_role("button", name="Pin", exact=True).dblclick()
    expect(page.locator(".toast")).to_contain_text("Pinned vat")
    assert page.evaluate("clicks") == 0
    page.click(".memory h1")
    assert page.evaluate("clicks") == 1


def test_a_page_that_signed_in_again_elsewhere_goes_on(viewer: "Viewer") -> None:
    """Another tab of the browser has a new session: the token of this page is read again."""
    page = opened(viewer, SHOP, "vat")
    page.evaluate("async () => { (await import('/static/js/api.js')).session.csrf = 'old'; }")
    page.keyboard.press("p")
    confirmed(page, "Pin")
    expect(page.locator(".toast")).to_contain_text("Pinned vat")
    assert get(viewer, SHOP, "vat").pinned
    assert ["403" in one for one in viewer.problems] == [True]
    viewer.problems.clear()
