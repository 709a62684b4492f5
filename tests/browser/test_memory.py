"""A memory's own page in a real browser"""

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from browser.payloads import PAYLOADS, assert_harmless
from browser.steps import expect, hold
from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Viewer


def opened(viewer: "Viewer", ns: str, key: str, rest: str = "") -> Any:
    """Show a memory's page and wait until it is there."""
    page = viewer.show(f"#/memory/{ns.replace(':', '%3A')}/{key}{rest}")
    page.wait_for_selector(".memory-head h1")
    return page


@pytest.mark.smoke
def test_the_head_says_what_it_is(viewer: "Viewer") -> None:
    """Key, namespace, tier, kind, importance, tokens, tags and marks stand at the top."""
    page = opened(viewer, "agent:me", "allergy")
    head = page.inner_text(".memory-head")
    for said in (
        "agent:me",
        "allergy",
        "long-term",
        "semantic",
        "importance",
        "1.00",
        "tokens",
        "person",
        "pinned",
        "locked",
    ):
        assert said in head
    assert page.inner_text("h1") == "allergy"


def test_the_text_is_laid_out_and_can_be_read_raw(viewer: "Viewer") -> None:
    """Markdown becomes elements; Raw shows it as it was written; the key r does the same."""
    page = opened(viewer, "project:shop", "image-sizes")
    assert page.locator(".memory-text table tbody tr").count() == 3
    page.get_by_role("button", name="Raw").click()
    assert page.inner_text(".memory-text .raw").startswith("| use | width |")
    page.keyboard.press("r")
    assert page.locator(".memory-text table").count() == 1


def test_the_text_can_be_copied(open_viewer: Callable[..., "Viewer"]) -> None:
    """Copy puts the text as it was written onto the clipboard."""
    viewer = open_viewer(permissions=["clipboard-read", "clipboard-write"])
    page = opened(viewer, "project:shop", "image-sizes")
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()").startswith("| use | width |")


def test_versions_are_compared_word_by_word(viewer: "Viewer") -> None:
    """The last change is shown at once; any two versions can be chosen; an old one can be looked at."""
    with viewer.store() as ghost:
        ghost.put(
            "project:shop",
            "stack",
            "The shop runs on Django 6.0.\n\nIt is plain.",
            tags=["architecture", "web"],
        )
    page = opened(viewer, "project:shop", "stack")
    assert page.locator(".version").count() == 3
    assert page.input_value("[name=from]") == "2"
    page.select_option("[name=from]", "1")
    page.select_option("[name=to]", "2")
    assert page.locator(".compared del").first.inner_text() == "5.2"
    assert page.locator(".compared ins").first.inner_text() == "6.0"
    page.select_option("[name=to]", "3")
    assert "architecture, web" in page.inner_text(".field-changes")
    assert page.inner_text(".diff-sum").startswith("−1 +3")
    page.locator(".version-number", has_text="v1").click()
    page.wait_for_selector(".banner")
    assert "Django 5.2" in page.inner_text(".memory-text")
    assert page.locator(".memory-actions").count() == 0
    page.get_by_role("link", name="Show version 3").click()
    page.wait_for_selector(".memory-actions")


def test_a_comparison_of_huge_texts_is_bounded(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Two texts of thousands of other lines are called different rather than compared for ever; folded lines open."""
    path = tmp_path / "huge.db"
    with Ghost.open(
        str(path), settings=Settings(embed_provider="none", max_content_bytes=4_000_000)
    ) as ghost:
        ghost.put("agent:x", "huge", "\n".join(f"line {n} before" for n in range(9000)))
        ghost.put("agent:x", "huge", "\n".join(f"line {n} after it" for n in range(9000)))
        ghost.put("agent:x", "long", "\n".join(f"line {n}" for n in range(3000)))
        ghost.put(
            "agent:x",
            "long",
            "\n".join(f"line {n}{' changed' if n == 1500 else ''}" for n in range(3000)),
        )
    viewer = open_viewer(store=path)
    page = opened(viewer, "agent:x", "huge")
    assert "too different" in page.inner_text(".diff-sum")
    assert page.locator(".diff tr").count() < 4100
    page = opened(viewer, "agent:x", "long")
    assert page.inner_text(".diff-sum") == "−1 +1 lines"
    assert page.locator(".diff tr").count() == 10
    page.locator(".diff-note button").first.click()
    assert page.locator(".diff tr").count() > 1000


def test_links_that_read_the_same_both_ways_are_one_group(look: "Viewer") -> None:
    """A memory that relates to one and is related to by another has one list of both."""
    page = opened(look, "team:shared", "oncall")
    groups = page.locator(".near-group", has_text="relates to")
    assert groups.count() == 1
    assert {"standup", "incident-0311"} <= set(groups.locator(".memory-link").all_inner_texts())


def test_links_stand_in_groups_with_their_weights(viewer: "Viewer") -> None:
    """Both directions, each relation by its name from this end, heaviest first; a link leads on."""
    page = opened(viewer, "project:shop", "decimal-rule")
    groups = page.locator(".near-group h3").all_inner_texts()
    assert [name.split("\n")[0] for name in groups] == [
        "is caused by",
        "prevents",
        "is summed up by",
        "relates to",
    ]
    assert page.locator(".near-group").last.locator(".near").count() == 3
    assert page.locator(".near .weight").first.inner_text().endswith("0.75")
    page.locator(".near .memory-link", has_text="payments").click()
    page.wait_for_function("() => document.querySelector('h1').textContent === 'payments'")


def test_what_is_known_about_it_stands_aside(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Files, symbols, note, other wordings, use, source and both times are told; what ended and what is in doubt says so."""
    path = tmp_path / "rich.db"
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "trip.md").write_text(
        "# Trip\n\n## Hotel\n\nThe hotel in Lund is called Grand.\n", encoding="utf-8"
    )
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        ghost.put(
            "agent:x", "rich", "The parser lives in parse.py.", files=[("parse.py", "created")], source_user="mara", source_kind="stated",
            source_scope="chat 7", source_client="viewer-test", meta={"ticket": 41}, valid_from="2020-01-01", priority="high",
        )  # fmt: skip
        ghost.get("agent:x", "rich")
        ghost.put("agent:x", "base", "The API is at version 1.")
        ghost.put("agent:x", "top", "The client speaks version 1.")
        ghost.edge("agent:x", "top", "base", "depends_on")
        ghost.put("agent:x", "base-2", "The API is at version 2.", supersedes="base")
        ghost.notes.add(notes, ns="agent:x")
        ghost.notes.sync()
        note = next(memory for memory in ghost.list("agent:x") if "Grand" in memory.content)
    viewer = open_viewer(store=path)
    page = opened(viewer, "agent:x", "rich")
    side = page.inner_text(".memory-side")
    for said in (
        "parse.py",
        "created",
        "mara",
        "said by the user",
        "chat 7",
        "viewer-test",
        '"ticket": 41',
        "2020-01-01",
        "still true",
        "still believed",
    ):
        assert said in side
    assert "high priority" in page.inner_text(".memory-head")
    assert page.get_by_role("img", name="Used 1 time").count() == 1
    page = opened(viewer, "agent:x", "base")
    assert "No longer valid" in page.inner_text(".banner")
    assert page.locator(".fact-rows .memory-link").inner_text() == "base-2"
    page = opened(viewer, "agent:x", "top")
    assert "Maybe stale: depends on base" in page.inner_text(".banner")
    page.goto(
        f"{viewer.base}/#/memory/agent%3Ax/{note.key.replace('/', '%2F').replace('#', '%23')}"
    )
    page.wait_for_function(
        "() => document.querySelector('.memory-text')?.textContent.includes('Grand')"
    )
    assert "trip.md:" in page.inner_text(".memory-side")


def test_what_another_process_writes_appears(viewer: "Viewer") -> None:
    """A version that another process writes is shown at once, and what was being compared stays."""
    page = opened(viewer, "agent:me", "tea")
    page.wait_for_selector(".live-state[data-state=live]")
    viewer.ghost("put", "-n", "agent:me", "-k", "tea", "Mara drinks oolong.")
    page.get_by_text("Mara drinks oolong.").first.wait_for()
    page.locator(".version").nth(1).wait_for()


def test_a_removed_memory_says_so_and_an_unknown_one_too(viewer: "Viewer") -> None:
    """A removed memory can still be read and restored; what never was is an error with a next step."""
    page = opened(viewer, "team:shared", "coffee-machine")
    assert page.inner_text(".banner.bad p").endswith("Hidden from search.")
    assert page.locator(".memory-actions").count() == 0
    page = viewer.show("#/memory/agent%3Ame/nothing-of-it")
    page.wait_for_selector(".state.bad")
    assert page.inner_text(".state.bad h2") == "There is no memory 'nothing-of-it' in agent:me"
    assert page.get_by_role("link", name="Search for it").is_visible()
    viewer.problems[:] = [one for one in viewer.problems if "404" not in one]


def test_a_server_that_is_gone_is_said(viewer: "Viewer") -> None:
    """When the server does not answer, the page says so and tries again when asked."""
    page = viewer.show("#/search")
    page.route("**/details*", lambda route: route.abort())
    page.evaluate("() => { location.hash = '#/memory/agent%3Ame/tea'; }")
    page.wait_for_selector(".state.bad")
    page.unroute("**/details*")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".memory-head")
    viewer.problems[:] = [one for one in viewer.problems if "ERR_FAILED" not in one]


def test_hostile_text_in_every_field_stays_text(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Whatever stands in a memory's fields is shown as it was written, on its page, in its versions and in every dialog."""
    path = tmp_path / "hostile.db"
    keys = [f"{number} {payload}" for number, payload in enumerate(PAYLOADS)]
    with Ghost.open(str(path), settings=Settings(embed_provider="none", dedup=True)) as ghost:
        for key, payload in zip(keys, PAYLOADS, strict=True):
            fields: dict[str, Any] = {
                "tags": [payload[:60].replace(",", " ")],
                "meta": {payload: payload, "superseded_by": payload},
                "files": [payload],
            }
            ghost.put("agent:x", key, f"before {payload}", **fields)
            ghost.put(
                "agent:x",
                key,
                f"# {payload}\n\n{payload}",
                source_user=payload,
                source_scope=payload,
                source_client=payload,
            )
        for one, other in pairwise(keys):
            ghost.edge("agent:x", one, other, "relates_to")
    viewer = open_viewer(store=path)
    for key, payload in zip(keys, PAYLOADS, strict=True):
        page = viewer.show("#/search")
        page.evaluate(
            "(key) => { location.hash = '#/memory/agent%3Ax/' + encodeURIComponent(key); }", key
        )
        page.wait_for_function(
            "(key) => document.querySelector('.memory-head h1')?.textContent === key", arg=key
        )
        source = page.locator(".fact", has=page.get_by_role("heading", name="Source", exact=True))
        assert payload in source.text_content()
        assert_harmless(page)
        for act in ("e", "t", "p", "n", "Delete"):
            page.keyboard.press(act)
            page.wait_for_selector("dialog[open]")
            assert_harmless(page)
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog", state="detached")


@pytest.mark.parametrize("width", [375, pytest.param(1280, marks=pytest.mark.slow), 2560])
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_page_fits(open_viewer: Callable[..., "Viewer"], width: int, scheme: str) -> None:
    """Nothing is wider than the screen, on a phone or on a large one."""
    viewer = open_viewer(viewport={"width": width, "height": 800}, color_scheme=scheme)
    for key in ("image-sizes", "stack", "deploy", "decimal-rule"):
        page = opened(viewer, "project:shop", key)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_oldest_version_is_compared_with_the_newest(viewer: "Viewer") -> None:
    """It says until when it was believed, and not that it is still true."""
    page = opened(viewer, "project:shop", "release-friday", "?version=1")
    assert (page.input_value("[name=from]"), page.input_value("[name=to]")) == ("1", "2")
    assert page.locator(".compared ins").count() > 0
    side = page.inner_text(".memory-side")
    assert "still" not in side
    assert "(version 2)" in side
    assert page.title() == "release-friday v1 · project:shop · Ghost"


def test_a_version_is_not_blamed_for_what_the_lifecycle_did(viewer: "Viewer") -> None:
    """A field that changes in place is no change of the version; the comparison shows it and says so."""
    with viewer.store() as ghost:
        ghost.put("agent:me", "faded", "It was one thing.", kind="episodic")
        ghost.put("agent:me", "faded", "It is another thing now.", kind="semantic")
        ghost.curate("agent:me", "faded", "boost")
    page = opened(viewer, "agent:me", "faded")
    assert page.locator(".version-what > span:first-child").all_inner_texts() == [
        "Text changed (+7 characters), kind",
        "First text, 17 characters",
    ]
    assert "importance" in page.inner_text(".field-changes")
    assert "without a new version" in page.inner_text(".compared")


def test_a_wrong_key_links_to_similar_ones(look: "Viewer") -> None:
    """The hint is the same whichever of the two requests fails first, and leads there."""

    go_on = hold(look.page, "**/details*")
    with look.page.expect_response("**/history*"):
        page = look.show("#/memory/project%3Ashop/deploys")
    go_on()
    page.unroute("**/details*")
    page.wait_for_selector(".state.bad")
    assert "Did you mean deploy?" in page.inner_text(".state.bad")
    page.locator(".state .memory-link", has_text="deploy").click()
    expect(page.locator("h1").first).to_have_text("deploy")
    look.problems[:] = [one for one in look.problems if "404" not in one]


def test_an_address_without_a_key_says_so(look: "Viewer") -> None:
    """#/memory/a names no memory."""
    page = look.show("#/memory/a")
    assert page.inner_text(".state.bad h2") == "This address does not contain a memory"


def test_a_list_from_right_to_left(open_viewer: Callable[..., "Viewer"], tmp_path: "Path") -> None:
    """Its marks have room at the right, and code in it runs from left to right."""
    path = tmp_path / "rtl.db"
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a", "k", "- \u05d0\u05d7\u05ea `run()`\n- two\n\n> \u05e9\u05dc\u05d5\u05dd")
    page = open_viewer(store=path).show("#/memory/a/k")
    page.wait_for_selector(".memory-text li")
    styles = page.evaluate(
        "() => ['li', 'ul', 'code', 'blockquote'].map("
        "(name) => getComputedStyle(document.querySelector(`.prose ${name}`)))"
        ".map(({direction, paddingLeft, paddingRight}) => [direction, paddingLeft, paddingRight])"
    )
    item, items, code, quote = styles
    assert (item[0], code[0], quote[0]) == ("rtl", "ltr", "rtl")
    assert items[1:] == ["22px", "22px"]


@pytest.mark.parametrize("width", [320, 390, 660])
def test_the_menu_stays_on_a_narrow_screen(open_look: Callable[..., "Viewer"], width: int) -> None:
    """Every entry can be read, and the page does not become wider."""
    viewer = open_look(viewport={"width": width, "height": 844})
    page = opened(viewer, "project:shop", "deploy")
    page.locator(".menu summary").click()
    box = page.locator(".menu-list").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_saved_text_is_compared_with_the_one_before(viewer: "Viewer") -> None:
    """After each save, Compare shows what that save changed."""
    with viewer.store() as ghost:
        ghost.put("agent:me", "desk", "The desk is at the window.")
    page = viewer.show("#/memory/agent%3Ame/desk")
    for version, text in ((2, "The desk is at the door."), (3, "The desk is in the hall.")):
        page.wait_for_selector("[data-act=edit]")
        page.keyboard.press("e")
        page.locator("dialog[open] textarea").fill(text)
        page.keyboard.press("Control+Enter")
        expect(page.locator(".versions .version")).to_have_count(version)
        expect(page.locator(".compare [name=from]")).to_have_value(str(version - 1))
        expect(page.locator(".compare [name=to]")).to_have_value(str(version))
        expect(page.locator(".compared ins").first).to_be_visible()
