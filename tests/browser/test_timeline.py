"""The timeline in a real browser"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from browser.believable import Moving
from browser.payloads import PAYLOADS, assert_harmless
from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Viewer

expect = pytest.importorskip("playwright.sync_api").expect
expect.set_options(timeout=30_000)  # the machine may be busy


def opened(viewer: "Viewer", rest: str = "") -> Any:
    """Show the screen and wait until it is drawn."""
    page = viewer.show(f"#/timeline{rest or '?all=1'}")
    page.wait_for_selector(".strip-label, .time-list tr, .state")
    return page


def inked(page: Any) -> str:
    """Return the picture, to tell whether it changed."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    return page.evaluate("() => document.querySelector('.strip-canvas').toDataURL()")  # type: ignore[no-any-return]


def redrawn(page: Any, before: str) -> str:
    """Wait until the picture has changed, and return it."""
    page.wait_for_function(
        "(before) => document.querySelector('.strip-canvas').toDataURL() !== before", arg=before
    )
    return inked(page)


def slide(page: Any, share: int) -> None:
    """Move the slider to so many thousandths."""
    page.locator(".as-of").evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }",
        str(share),
    )


@pytest.mark.smoke
def test_keys_stand_in_rows_with_both_times(viewer: "Viewer") -> None:
    """What changed last comes first; every row is a link that says its times in words."""
    page = opened(viewer)
    expect(page.locator(".time-status")).to_have_text("31 keys, 33 versions")
    label = page.locator(".strip-label", has_text="stack")
    assert "2 versions; version 2: true" in (label.get_attribute("title") or "")
    assert "still true, believed" in (label.get_attribute("title") or "")
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight + 80")


def test_only_what_changed_is_shown_at_first(viewer: "Viewer") -> None:
    """A key with one version that still holds is left out; each row says what changed from what to what."""
    page = viewer.show("#/timeline")
    expect(page.locator(".time-status")).to_have_text("Changed: 5 keys, 7 versions")
    label = page.locator(".strip-label", has=page.locator("b", has_text="stack"))
    assert label.locator(".strip-change").inner_text() == "5.2 → 6.0"
    page.get_by_role("button", name="All memories").click()
    expect(page.locator(".time-status")).to_have_text("31 keys, 33 versions")
    assert "all=1" in page.url


def test_the_first_window_is_that_of_the_valid_times(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Facts of last year that were stored just now: the picture begins last year, not today."""
    path = tmp_path / "old.db"
    then = datetime.now(UTC) - timedelta(days=300)
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        for number in range(3):
            ghost.put(
                "agent:x",
                "folder/2026-09-05.garden" if number else "folder/2026-09-05.work",
                f"Text {number}.",
                created_at=(then + timedelta(days=60 * number)).isoformat(),
            )
    page = opened(open_viewer(store=path))
    page.wait_for_selector(".strip-label")
    box = page.locator(".strip-canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + 14)
    expect(page.locator(".strip-tip")).to_contain_text("true")
    page.set_viewport_size({"width": 390, "height": 844})
    ends = page.locator(".strip-label .middle > span:last-child").all_inner_texts()
    assert sorted(ends) == ["9-05.garden", "09-05.work"] or len(set(ends)) == 2
    clipped = page.locator(".strip-label .middle > span:last-child").evaluate_all(
        "all => all.some((one) => one.getBoundingClientRect().right > one.closest('a').getBoundingClientRect().right)"
    )
    assert not clipped


def test_it_zooms_and_pans_by_key_button_and_pointer(viewer: "Viewer") -> None:
    """Each way moves the picture, and so does 0, which shows all of it."""
    page = opened(viewer)
    now = inked(page)
    for key in ("+", "ArrowLeft", "-", "ArrowRight"):
        page.keyboard.press(key)
        now = redrawn(page, now)
    page.get_by_role("button", name="Zoom in").click()
    now = redrawn(page, now)
    box = page.locator(".strip-canvas").bounding_box()
    page.mouse.move(box["x"] + 600, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 200, steps=4)
    page.mouse.up()
    now = redrawn(page, now)
    page.mouse.wheel(120, 0)
    now = redrawn(page, now)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    now = redrawn(page, now)
    page.keyboard.up("Control")
    page.keyboard.press("0")
    redrawn(page, now)


@pytest.mark.slow
def test_rows_are_walked_by_keyboard(viewer: "Viewer") -> None:
    """j and k or the arrows move among keys, beyond what is on the screen; Enter opens the memory."""
    page = opened(viewer)
    keys = page.locator(".strip-label b").all_text_contents()
    page.keyboard.press("j")
    expect(page.locator(".strip-label:focus b")).to_have_text(keys[0])
    for _ in range(20):
        page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.dataset.place") == "20"
    page.keyboard.press("k")
    name = page.locator(".strip-label:focus b").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "(key) => document.querySelector('.memory-head h1')?.textContent === key", arg=name
    )


def test_a_bar_tells_and_opens_its_version(viewer: "Viewer") -> None:
    """Pointing at a span shows what it says; a click opens that version."""
    page = opened(viewer, "?prefix=stack")
    expect(page.locator(".strip-label")).to_have_count(1)
    box = page.locator(".strip-canvas").bounding_box()
    page.mouse.move(box["x"] + 500, box["y"] + 31)
    expect(page.locator(".strip-tip")).to_contain_text("stack · version 1")
    expect(page.locator(".strip-tip")).to_contain_text("Django 5.2")
    page.mouse.click(box["x"] + 500, box["y"] + 31)
    page.wait_for_selector(".banner")
    assert "version=1" in page.url


def test_as_of_shows_what_was_believed_then(viewer: "Viewer") -> None:
    """The slider asks anew: only what was believed at that moment stays, and leads to a search as of then."""
    page = opened(viewer)
    with page.expect_request(lambda request: "/spans" in request.url and "before=" in request.url):
        slide(page, 500)
    expect(page.locator(".time-status")).to_contain_text("believed at")
    labels = page.locator(".strip-label b")
    expect(labels.filter(has_text="slow-search")).to_have_count(1)
    assert "vat" not in labels.all_inner_texts()
    page.wait_for_function("() => location.hash.includes('as_of=')")
    assert page.locator(".as-of").get_attribute("aria-valuetext") == page.inner_text(".as-of-told")
    link = page.get_by_role("link", name="Search as of then")
    assert "as_of=" in link.get_attribute("href")
    page.reload()
    expect(page.locator(".time-status")).to_contain_text("believed at")
    slide(page, 0)
    expect(page.locator(".state h2")).to_have_text("Nothing was believed yet")
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".time-status")).to_have_text("31 keys, 33 versions")


@pytest.mark.slow
def test_as_of_shows_the_version_of_that_time(viewer: "Viewer") -> None:
    """A memory that was rewritten since stands there with the version that was believed."""
    then = (datetime.now(UTC) - timedelta(days=10)).strftime("%Y-%m-%dT%H:%M:%SZ")
    page = opened(viewer, f"?as_of={then}&list=1&prefix=stack")
    expect(page.locator(".time-list tbody tr")).to_have_count(1)
    assert "Django 5.2" in page.inner_text(".time-list tbody")


@pytest.mark.slow
def test_keys_are_narrowed_by_their_beginning(viewer: "Viewer") -> None:
    """Typing asks the server; what does not exist says so; the namespace of the rail holds too."""
    page = opened(viewer)
    page.get_by_label("Keys that start with").fill("session")
    expect(page.locator(".strip-label b")).to_have_text(["session-store-db", "session-store"])
    page.get_by_label("Keys that start with").fill("zzz")
    expect(page.locator(".state h2")).to_have_text("No key starts with this")
    page.get_by_label("Keys that start with").fill("")
    page.select_option("#ns", "team:shared")
    expect(page.locator(".time-status")).to_contain_text("5 keys")


def test_the_list_tells_the_same(viewer: "Viewer") -> None:
    """For those who listen: a table of the same versions with both times, and links."""
    page = opened(viewer)
    page.get_by_role("button", name="List").click()
    expect(page.locator(".time-list tbody tr")).to_have_count(33)
    row = page.locator(".time-list tr", has_text="Her phone was a Pixel 6.")
    assert "until" in row.inner_text()
    assert "still believed" in row.inner_text()
    page.reload()
    page.wait_for_selector(".time-list")


@pytest.mark.slow
def test_thousands_of_spans_stay_quick(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Only the rows in sight are laid out, down to the last; what the server leaves out is said."""
    path = tmp_path / "many.db"
    clock = Moving(datetime.now(UTC) - timedelta(days=300))
    with Ghost.open(
        str(path), settings=Settings(embed_provider="none", freshness="off"), clock=clock
    ) as ghost:
        for number in range(2500):
            clock.at += timedelta(minutes=30)
            ghost.put("agent:x", f"key-{number:04}", f"fact number {number}")
        for number in range(300):
            clock.at += timedelta(minutes=5)
            ghost.put("agent:x", "often", f"value {number}")
    page = opened(open_viewer(store=path))
    expect(page.locator(".time-status")).to_have_text("2,501 keys, 2,800 versions")
    assert page.locator(".strip-label").count() < 40
    page.locator(".strip-scroll").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
    expect(page.locator(".strip-label b", has_text="key-0000")).to_be_visible()
    assert page.locator(".strip-label").count() < 40
    before = inked(page)
    page.keyboard.press("+")
    assert inked(page) != before


@pytest.mark.slow
def test_a_change_is_shown_before_thousands_of_new_memories(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """A memory that changed is listed, however many memories were stored since."""
    path = tmp_path / "many.db"
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        for number in range(2):
            ghost.put("agent:x", "tea", f"The user drinks tea number {number}.")
        facts = [
            {"ns": "agent:x", "key": f"key-{number}", "content": f"Fact number {number}."}
            for number in range(5001)
        ]
        ghost.put_many(facts, judge=False)
    page = opened(open_viewer(store=path), "?")
    expect(page.locator(".time-status")).to_have_text("Changed: 1 key, 2 versions")
    page.get_by_role("button", name="All memories").click()
    expect(page.locator(".time-status")).to_contain_text("5,000 versions; older versions are left")


@pytest.mark.slow
def test_an_empty_store_and_a_server_that_is_gone(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Nothing stored is a command to copy; no answer is an error with another try; what is written meanwhile appears."""
    path = tmp_path / "empty.db"
    Ghost.open(str(path), settings=Settings(embed_provider="none")).close()
    viewer = open_viewer(store=path)
    page = opened(viewer)
    assert "ghost put" in page.inner_text(".command")
    page.wait_for_selector(".live-state[data-state=live]")
    with viewer.store() as ghost:
        ghost.put("agent:x", "tea", "The user drinks tea.")
    expect(page.locator(".strip-label b")).to_have_text(["tea"])
    page.route("**/api/v1/spans*", lambda route: route.abort())
    page.get_by_label("Keys that start with").fill("t")
    page.wait_for_selector(".state.bad")
    page.unroute("**/api/v1/spans*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".strip-label b")).to_have_text(["tea"])
    viewer.problems[:] = [one for one in viewer.problems if "ERR_FAILED" not in one]


def test_hostile_text_stays_text(open_viewer: Callable[..., "Viewer"], tmp_path: "Path") -> None:
    """Payloads in keys and texts run nothing, in the picture, its notices and the list."""
    path = tmp_path / "hostile.db"
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        for number, payload in enumerate(PAYLOADS):
            ghost.put(
                "agent:x",
                f"{number} {payload}",
                payload,
                source_user=payload,
                valid_from="2020-01-01",
            )
    page = opened(open_viewer(store=path))
    assert sorted(page.locator(".strip-label b").all_text_contents()) == sorted(
        f"{n} {payload}" for n, payload in enumerate(PAYLOADS)
    )
    box = page.locator(".strip-canvas").bounding_box()
    for number in range(len(PAYLOADS)):
        page.mouse.move(box["x"] + 500, box["y"] + 14 + 60 * number)
        expect(page.locator(".strip-tip")).to_be_visible()
        assert_harmless(page)
    page.get_by_role("button", name="List").click()
    page.wait_for_selector(".time-list")
    assert_harmless(page)
    for payload in PAYLOADS:
        page.evaluate(
            "(text) => { location.hash = '#/timeline?prefix=' + encodeURIComponent(text) + '&as_of=' + encodeURIComponent(text); }",
            payload,
        )
        page.wait_for_timeout(100)
        assert_harmless(page)


@pytest.mark.slow
@pytest.mark.parametrize("width", [375, 1280, 2560])
@pytest.mark.parametrize("place", ["", "?list=1&all=1"])
def test_the_page_fits(open_viewer: Callable[..., "Viewer"], width: int, place: str) -> None:
    """Nothing sticks out sideways; the picture takes the whole width; a switch of the theme draws it anew."""
    page = opened(open_viewer(viewport={"width": width, "height": 800}), place)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if not place:
        assert (
            page.evaluate(
                "() => document.querySelector('.strip').clientWidth / document.querySelector('#main').clientWidth"
            )
            > 0.85
        )
        before = inked(page)
        page.locator("#theme").click()
        assert inked(page) != before


@pytest.mark.slow
def test_a_search_as_of_then_finds_what_was_believed(viewer: "Viewer") -> None:
    """The link leads to a search that answers with the versions of that time."""
    then = (datetime.now(UTC) - timedelta(days=10)).strftime("%Y-%m-%dT%H:%M:%SZ")
    page = opened(viewer, f"?as_of={then}")
    page.get_by_role("link", name="Search as of then").click()
    page.fill("#query", "when do releases go out")
    expect(page.locator(".hit-text").first).to_contain_text("Wednesdays")
