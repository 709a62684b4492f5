"""The search screen in a real browser"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from browser.payloads import PAYLOADS, assert_harmless
from browser.steps import expect
from ghostmem import Ghost
from ghostmem.search.cutoff import STRONG
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Viewer


def keys(page: Any) -> list[str]:
    """Return the keys of the results, in order."""
    return page.locator("#results > .hits > .hit .memory-link").all_inner_texts()  # type: ignore[no-any-return]


def test_without_a_question_the_newest_are_shown(look: "Viewer") -> None:
    """The page opens on what was stored last, and says so."""
    page = look.show("#/search")
    page.wait_for_selector(".hit")
    assert re.fullmatch(r"\d+ memories of all tiers, newest first", page.inner_text("#status"))
    assert "payments" in keys(page)
    assert page.evaluate("document.activeElement.id") == "query"


def test_results_come_while_one_types(look: "Viewer") -> None:
    """Each keystroke asks anew; only the answer to the last question is shown, with its words marked."""
    page = look.show("#/search")
    page.locator("#query").press_sequentially("webhook idempotent", delay=15)
    page.wait_for_function(
        "() => location.hash.includes('q=webhook+idempotent') && document.querySelector('#results[aria-busy=false]')"
    )
    assert keys(page)[0] == "webhook-retry"
    assert {text.lower() for text in page.locator(".hit-text mark").all_inner_texts()} >= {
        "webhook",
        "idempotent",
    }
    assert re.fullmatch(r"\d+ results?(, \d+ weaker)?", page.inner_text("#status"))
    assert "q=webhook+idempotent" in page.url
    assert page.inner_text("#live") == page.inner_text("#status")


def test_a_slow_answer_to_an_old_question_is_dropped(look: "Viewer") -> None:
    """An answer that comes after that to a newer question is never shown."""
    page = look.show("#/search")
    page.wait_for_selector(".hit")
    held: list[Any] = []

    def hold(route: Any) -> None:
        if '"tea"' in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/v1/search", hold)
    with page.expect_request("**/api/v1/search"):
        page.fill("#query", "tea")
    page.fill("#query", "standup")
    page.wait_for_function(
        "() => document.querySelector('.hit .memory-link')?.textContent === 'standup'"
    )
    for route in held:
        route.abort()  # the page has already hung up
    page.unroute("**/api/v1/search")
    assert keys(page)[0] == "standup"
    look.problems[:] = [one for one in look.problems if "ERR_FAILED" not in one]


# types texts at once, presses Enter, and returns the questions sent before and after the answers
TYPE = """async (texts) => {
  const asked = [];
  const send = window.fetch;
  window.fetch = (path, options) => {
    if (path.endsWith("/search")) asked.push(JSON.parse(options.body).query);
    return send(path, options);
  };
  const box = document.querySelector("#query");
  for (const text of texts) {
    box.value = text;
    box.dispatchEvent(new Event("input"));
  }
  box.form.requestSubmit();
  const first = [...asked];
  const isBusy = () => document.querySelector("#results").getAttribute("aria-busy") === "true";
  while (isBusy()) await new Promise((done) => requestAnimationFrame(done));
  window.fetch = send;
  return [first, asked];
}"""


def test_one_search_runs_at_a_time(look: "Viewer") -> None:
    """A keystroke asks at once; of what is typed while a search runs, only the last text is asked, and Enter asks nothing twice."""
    page = look.show("#/search")
    page.wait_for_selector("#results[aria-busy=false]")
    assert page.evaluate(TYPE, ["webhook"]) == [["webhook"], ["webhook"]]
    assert page.evaluate(TYPE, ["s", "stand", "standup"]) == [["s"], ["s", "standup"]]
    assert keys(page)[0] == "standup"
    assert "q=standup" in page.url


def test_the_receipt_is_one_click_away(look: "Viewer") -> None:
    """Why a hit is there: its ranks and the parts of its score; a second click closes it."""
    page = look.show("#/search?q=payments webhook")
    page.locator(".why-button").first.click()
    receipt = page.locator(".why").first
    assert receipt.is_visible()
    assert "words in common" in receipt.inner_text()
    assert re.search(r"full text\s+#\d", receipt.inner_text())
    assert page.locator(".why-button").first.get_attribute("aria-expanded") == "true"
    page.locator(".why-button").first.click()
    assert receipt.is_hidden()


@pytest.mark.parametrize(
    ("place", "there", "gone"),
    [
        ("kind=procedural", "deploy", "stack"),
        ("tags=payments%2C%20rules", "decimal-rule", "vat"),
        ("tier=ltm", "review-style", "vat"),
        ("source_user=mara", "tea", "deploy"),
        ("source_kind=observed", "vat", "deploy"),
        ("pinned=1", "allergy", "deploy"),
        ("after=2020-01-01&before=2020-12-31", "", "deploy"),
    ],
)
def test_filters_hold_with_and_without_a_question(
    look: "Viewer", place: str, there: str, gone: str
) -> None:
    """What a filter asks for is there, the rest is not; filters in the address are open and counted."""
    page = look.show(f"#/search?{place}")
    page.wait_for_selector(".hit" if there else ".state")
    found = keys(page)
    assert (there in found) == bool(there)
    assert gone not in found
    assert page.locator("#filters").is_visible()
    assert page.inner_text(".search-form .badge") == ("2" if "before" in place else "1")
    if not there:
        assert "Nothing passes these filters" in page.inner_text(".state")
    page.get_by_role("button", name="Clear filters").click()
    page.wait_for_function("() => document.querySelectorAll('.hit').length > 20")


def test_a_tag_on_a_hit_narrows(look: "Viewer") -> None:
    """A click on a tag filters by it."""
    page = look.show("#/search")
    page.get_by_role("button", name="architecture").first.click()
    page.wait_for_function("() => document.querySelectorAll('.hit').length === 3")
    assert page.input_value("[name=tags]") == "architecture"


def test_a_tag_with_a_comma_narrows(viewer: "Viewer") -> None:
    """It is put into double quotes in the filter, on a hit, beside the results and on its page."""
    with viewer.store() as ghost:
        ghost.put("agent:comma", "john", "John is the plumber.", tags=["Smith, John", "trade"])
        ghost.put("agent:comma", "ann", "Ann is the baker.", tags=["Smith", "John", "trade"])
    page = viewer.show("#/search")
    page.get_by_role("button", name="Smith, John").first.click()
    page.wait_for_function("() => document.querySelectorAll('.hit').length === 1")
    assert page.input_value("[name=tags]") == '"Smith, John"'
    page.locator(".facet", has_text="trade").click()
    page.wait_for_function("() => document.querySelector('[name=tags]').value.includes('trade')")
    assert page.input_value("[name=tags]") == '"Smith, John", trade'
    assert keys(page) == ["john"]
    page = viewer.show("#/memory/agent%3Acomma/john")
    page.locator(".memory-chips .tag", has_text="Smith").click()
    page.wait_for_function("() => document.querySelectorAll('.hit').length === 1")
    assert keys(page) == ["john"]


def test_the_namespace_of_the_rail_holds(look: "Viewer") -> None:
    """Choosing a namespace shows only its memories, and a prefix or one alone is remembered for the tab."""
    page = look.show("#/search")
    page.select_option("#ns", "team:shared")
    foreign = "() => [...document.querySelectorAll('.hit .memory-link')].filter((one) => !one.hash.startsWith('#/memory/team%3Ashared/')).length"
    page.wait_for_function(f"() => ({foreign})() === 0 && document.querySelector('.hit')")
    page.reload()
    page.wait_for_selector(".hit")
    assert page.evaluate(foreign) == 0
    assert page.locator(".hit-ns").count() == 0  # one namespace needs no name on every row


def test_scores_are_bars_and_weak_matches_are_folded(look: "Viewer") -> None:
    """Each hit has a bar of its share of the best score; weaker ones are in a fold that says where the cut is."""
    page = look.show("#/search?q=payment provider webhook body")
    page.wait_for_selector("#results > .hits > .hit")
    shares = page.evaluate(
        "[...document.querySelectorAll('#results > .hits .score b')].map((one) => parseInt(one.style.getPropertyValue('--share')))"
    )
    assert max(shares) == 100
    assert min(shares) >= round(STRONG * 100)
    fold = page.locator("details.aside", has_text="Weaker matches")
    assert fold.locator(".hit").count() == 0
    fold.locator("summary").click()
    fold.locator(".hit").first.wait_for()
    weak = fold.locator(".hit").count()
    assert fold.locator("summary").inner_text() == f"Weaker matches ({weak})"
    assert f"{STRONG:.0%}".replace("%", " %") in fold.locator("p").first.inner_text()
    assert page.inner_text("#status") == f"{len(shares)} results, {weak} weaker"


def test_facets_count_and_narrow(open_look: Callable[..., "Viewer"]) -> None:
    """Kinds, tags and namespaces are counted beside the results; a click narrows, a second one widens; folded on a phone."""
    viewer = open_look()
    with viewer.store() as ghost:
        memories = ghost.list(limit=1000)
    rules = [memory for memory in memories if memory.kind == "procedural"]
    page = viewer.show("#/search")
    button = page.locator(".facet", has_text="procedural")
    assert button.locator(".facet-count").inner_text() == str(len(rules))
    button.click()
    page.wait_for_function(
        "(many) => document.querySelectorAll('.hit').length === many", arg=len(rules)
    )
    assert "kind=procedural" in page.url
    page.wait_for_selector(".facet[aria-pressed=true]:focus")
    page.locator(".facet[aria-pressed=true]").click()
    page.wait_for_function("() => document.querySelectorAll('.hit').length > 20")
    page.locator(".facet", has_text="team:shared").click()
    page.wait_for_function("() => document.querySelector('#ns').value === 'team:shared'")
    page = open_look(viewport={"width": 390, "height": 844}).show("#/search?q=payments")
    page.wait_for_selector(".hit")
    assert page.locator(".facet").first.is_hidden()
    page.get_by_role("button", name="Narrow down").click()
    counts = page.locator(".facet-group", has_text="Kind").locator(".facet-count").all_inner_texts()
    assert sum(map(int, counts)) == sum(map(int, re.findall(r"\d+", page.inner_text("#status"))))


def test_a_screen_holds_many_hits(look: "Viewer") -> None:
    """At 1280 by 800 a dozen memories of one sentence fit; rows name only what is unusual."""
    page = look.show("#/search")
    page.wait_for_selector(".hit")
    seen = "[...document.querySelectorAll('.hit')].filter((one) => one.getBoundingClientRect().bottom <= innerHeight).length"
    assert page.evaluate(seen) >= 10
    chips = set(page.locator(".hits .chip").all_inner_texts())
    assert "short-term" not in chips
    assert {"long-term", "dormant"} <= chips


def test_rows_stand_in_line_on_a_phone(open_look: Callable[..., "Viewer"]) -> None:
    """The name and the Why button share a line, tags, time and score the next one; an open receipt is no wider than the list."""
    page = open_look(viewport={"width": 375, "height": 800}).show("#/search?q=payments")
    page.wait_for_selector("#results .hit")
    page.locator(".why-button").first.click()
    middles = page.evaluate(
        """() => [...document.querySelectorAll("#results > .hits > .hit")].map((hit) =>
          ["h2", ".why-button", ".hit-chips", "time", ".score"].map((part) => {
            const box = hit.querySelector(part).getBoundingClientRect();
            return (box.top + box.bottom) / 2 - hit.getBoundingClientRect().top;
          }))"""
    )
    assert middles
    for name, why, chips, time, score in middles:
        assert abs(name - why) < 6
        assert why + 12 < min(chips, time, score)
        assert max(chips, time, score) - min(chips, time, score) < 6
    width = "(selector) => document.querySelector(selector).getBoundingClientRect().width"
    assert page.evaluate(width, ".why .bars") <= page.evaluate(width, "#results") - 24


def test_snippets_lay_out_markdown(look: "Viewer") -> None:
    """No mark of markdown is left in a snippet, no link and no element of HTML comes of it, and the match stays in it."""
    page = look.show("#/search")
    text = "## Work\n\n- Talked with **Priya** about `orders`.\n\n```python\ndef f9(x):\n    return x\n```\n\n| a | b |\n|---|---|\n| 1 | <img src=x onerror=alert(1)> |\n> see [the wiki](https://wiki.example/x)"
    code = "async (text) => { const m = await import('/static/js/snippet.js'); const box = document.createElement('p'); box.append(...m.snippet(text, ['priya'])); return [box.textContent, [...box.querySelectorAll('*')].map((one) => one.tagName)]; }"
    shown, tags = page.evaluate(code, text)
    assert (
        shown
        == "Work Talked with Priya about orders. def f9(x): return x a · b 1 · <img src=x onerror=alert(1)> see the wiki"
    )
    assert sorted(set(tags)) == ["CODE", "MARK", "STRONG"]
    far = "word " * 400 + "**needle** " + "word " * 400
    place = far.index("needle")
    code = "async ([text, match]) => { const m = await import('/static/js/snippet.js'); const box = document.createElement('p'); box.append(...m.snippet(text, [], match)); return box.textContent; }"
    found = page.evaluate(code, [far, {"match_start": place, "match_end": place + 6}])
    assert "needle" in found
    assert "*" not in found
    assert len(found) < 300


def test_back_leads_to_the_same_place(viewer: "Viewer") -> None:
    """After Back the pages that were loaded, the scroll position and the focus are as they were; titles tell entries apart."""
    with viewer.store() as ghost:
        for number in range(60):
            ghost.put("agent:me", f"fact-{number}", f"The number {number} is a number.")
    page = viewer.show("#/search")
    page.get_by_role("button", name="Show more").click()
    page.wait_for_function("() => document.querySelectorAll('.hit').length > 60")
    link = page.locator(".hits .memory-link", has_text="fact-3").last
    link.scroll_into_view_if_needed()
    page.wait_for_function("() => scrollY > 800")
    page.evaluate("() => new Promise(requestAnimationFrame)")
    key, height = link.inner_text(), page.evaluate("scrollY")
    assert page.title() == "Search · Ghost"
    link.click()
    page.wait_for_selector(".memory-head h1")
    assert page.title() == f"{key} · agent:me · Ghost"
    assert page.evaluate("scrollY") == 0
    page.go_back()
    page.wait_for_function("(height) => Math.abs(scrollY - height) < 3", arg=height)
    assert page.locator(".hit").count() > 60
    assert page.evaluate("document.activeElement.textContent") == key
    page.fill("#query", "payments")
    page.wait_for_function("() => document.title === 'payments · Search · Ghost'")


def test_text_runs_in_its_own_direction(viewer: "Viewer") -> None:
    """Arabic and Hebrew keys, texts and tags run from right to left, in results, on their page and in the editor."""
    with viewer.store() as ghost:
        ghost.put("agent:me", "מפתח", "المستخدم يفضل PostgreSQL.\n\nEnglish here.", tags=["שלום"])
    page = viewer.show("#/search")
    way = "(selector) => getComputedStyle(document.querySelector(selector)).direction"
    page.wait_for_selector(".hit")
    for part in (".hit-text", ".hit .memory-link", ".hit .tag"):
        assert page.evaluate(way, part) == "rtl", part
    page.locator(".hit .memory-link").first.click()
    page.wait_for_selector(".memory-text")
    for part in ("h1", ".memory-text p", ".memory-chips .tag"):
        assert page.evaluate(way, f"#main {part}") == "rtl", part
    assert page.evaluate(way, ".memory-text p + p") == "ltr"
    page.keyboard.press("e")
    page.wait_for_selector("dialog textarea")
    assert page.evaluate(way, "dialog textarea") == "rtl"


def test_the_keyboard_goes_all_the_way(look: "Viewer") -> None:
    """Down from the question, j and k among hits, w for the receipt, Enter opens, Escape and / lead back."""
    page = look.show("#/search?q=payments")
    page.wait_for_selector(".hit")
    focused = "document.activeElement.closest('.hit')?.querySelector('.memory-link').textContent"
    page.press("#query", "ArrowDown")
    first = page.evaluate(focused)
    assert first == keys(page)[0]
    page.keyboard.press("j")
    assert page.evaluate(focused) == keys(page)[1]
    page.keyboard.press("k")
    assert page.evaluate(focused) == first
    page.keyboard.press("w")
    assert page.locator(".why").first.is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.press("Escape")
    assert page.input_value("#query") == "payments"
    page.keyboard.press("j")
    assert page.evaluate(focused) == first
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("?")
    assert "previous" in page.inner_text("dialog")
    page.keyboard.press("Escape")
    assert page.locator("dialog").count() == 0


def test_what_another_process_writes_appears(viewer: "Viewer") -> None:
    """A memory that another process puts is shown without a reload, and so is its namespace."""
    page = viewer.show("#/search")
    page.wait_for_selector(".live-state[data-state=live]")
    page.wait_for_selector(".hit")
    viewer.ghost("put", "-n", "agent:other", "-k", "fresh", "Written while the page is open.")
    page.wait_for_function(
        "() => document.querySelector('.hit .memory-link')?.textContent === 'fresh'"
    )
    page.wait_for_selector("#ns option[value='agent:other']", state="attached")


def test_a_write_that_changes_no_result_leaves_the_rows_alone(viewer: "Viewer") -> None:
    """A row that somebody is about to click is not replaced by an equal one."""
    page = viewer.show("#/search?kind=procedural")
    page.wait_for_selector(".hit")
    page.evaluate("() => { document.querySelector('.hit').dataset.marked = '1'; }")
    with page.expect_response("**/api/v1/memories?*"):
        viewer.ghost("put", "-n", "agent:me", "-k", "pets", "--kind", "semantic", "A cat.")
    page.wait_for_function("() => document.querySelector('#results').ariaBusy === 'false'")
    assert page.locator(".hit[data-marked]").count() == 1
    with page.expect_response("**/api/v1/memories?*"):
        viewer.ghost("put", "-n", "agent:me", "-k", "feed", "--kind", "procedural", "Feed the cat.")
    page.wait_for_selector(".hit:not([data-marked]) >> text=Feed the cat")
    assert page.locator(".hit[data-marked]").count() == 0


def test_a_page_hears_of_a_write_before_its_stream_opened(viewer: "Viewer") -> None:
    """What is written after the first screen was read, and before the stream opens, still appears."""
    page, held = viewer.page, list[Any]()

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/api/v1/events", hold)
    viewer.show("#/search")
    page.wait_for_selector(".hit")
    viewer.ghost("put", "-n", "agent:me", "-k", "parrot", "The parrot speaks Portuguese.")
    held[0].continue_()
    page.wait_for_selector(".hit >> text=The parrot speaks Portuguese")


def test_an_empty_store_says_what_to_do(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Nothing stored: a command to copy; no hits: Ghost says so."""
    path = tmp_path / "empty.db"
    Ghost.open(str(path), settings=Settings(embed_provider="none")).close()
    page = open_viewer(store=path).show("#/search")
    page.wait_for_selector(".state")
    assert "ghost put" in page.inner_text(".command")
    page.fill("#query", "anything")
    page.wait_for_function(
        "() => document.querySelector('.state h2')?.textContent === 'Nothing relevant'"
    )


def test_a_server_that_is_gone_is_an_error_with_a_next_step(look: "Viewer") -> None:
    """When the server does not answer, the page says so and offers another try."""
    page = look.show("#/search")
    page.wait_for_selector(".hit")
    page.route("**/api/v1/search", lambda route: route.abort())
    page.fill("#query", "tea")
    page.wait_for_selector(".state.bad")
    assert "does not answer" in page.inner_text(".state.bad")
    page.unroute("**/api/v1/search")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".hit")
    look.problems[:] = [one for one in look.problems if "ERR_FAILED" not in one]


def test_hostile_text_in_every_field_stays_text(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """Whatever stands in a memory's fields is shown as it was written: no element comes of it, and nothing runs."""
    path = tmp_path / "hostile.db"
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        for number, payload in enumerate(PAYLOADS):
            ghost.put(
                "agent:x", f"{number} {payload}", f"findme {payload}", tags=[payload[:60].replace(",", " ")], meta={payload: payload},
                files=[payload], source_user=payload, source_scope=payload, source_client=payload,
            )  # fmt: skip
    viewer = open_viewer(store=path)
    page = viewer.show("#/search?q=findme")
    page.wait_for_selector(".hit")
    for button in page.locator(".why-button").all():
        button.click()
    assert sorted(keys(page)) == sorted(
        f"{number} {payload}" for number, payload in enumerate(PAYLOADS)
    )
    for payload in PAYLOADS:
        page.fill("#query", payload)
        page.wait_for_timeout(100)
        page.evaluate(
            "(text) => { location.hash = '#/search?tags=' + encodeURIComponent(text); }", payload
        )
        page.wait_for_timeout(100)
    assert_harmless(page)
    page.evaluate("location.hash = '#/<img src=x onerror=alert(1)>/<b>'")
    page.wait_for_selector("#main[data-screen=home]")
    assert_harmless(page)


@pytest.mark.parametrize("width", [375, pytest.param(1280, marks=pytest.mark.slow), 2560])
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_page_fits(open_look: Callable[..., "Viewer"], width: int, scheme: str) -> None:
    """Nothing is wider than the screen, on a phone or on a large one, and the theme follows the system until the user chooses."""
    page = open_look(viewport={"width": width, "height": 800}, color_scheme=scheme).show(
        "#/search?q=payments"
    )
    page.locator(".why-button").first.click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light dark"
    page.locator("#theme").click()
    assert (
        page.evaluate("document.documentElement.dataset.theme")
        == {"light": "dark", "dark": "light"}[scheme]
    )
    page.reload()
    assert (
        page.evaluate("document.documentElement.dataset.theme")
        == {"light": "dark", "dark": "light"}[scheme]
    )


@pytest.mark.smoke
def test_a_hit_can_be_pinned_where_it_is_found(viewer: "Viewer") -> None:
    """The keys of a memory's page work on the result that has the focus, and undo takes it back."""
    page = viewer.show("#/search?q=payments")
    page.wait_for_selector("#results .hit")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".hit :focus")
    key = page.evaluate(
        "document.activeElement.closest('.hit').querySelector('.memory-link').textContent"
    )
    page.keyboard.press("p")
    page.click("dialog[open] .button.primary")
    page.wait_for_selector(".toast")
    with viewer.store() as ghost:
        assert [one.pinned for one in ghost.list(pinned=True) if one.key == key] == [True]
    page.click(".toast button:has-text('Undo')")
    page.wait_for_selector(".toast:has-text('Undone')")
    with viewer.store() as ghost:
        assert not [one for one in ghost.list(pinned=True) if one.key == key]


@pytest.mark.parametrize("place", ["#/", "#/search"])
def test_escape_leaves_the_question(look: "Viewer", place: str) -> None:
    """The pages begin with the focus in the question; Escape lets the keys work."""
    page = look.show(place)
    page.wait_for_selector("input:focus")
    page.keyboard.type("tea")
    page.keyboard.press("Escape")
    assert page.input_value("input[type=search]") == "tea"
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.wait_for_selector("#main[data-screen=health]")


def test_a_long_namespace_does_not_widen_a_phone(viewer: "Viewer") -> None:
    """It is cut in the middle; the text of the result stays on the screen."""
    with viewer.store() as ghost:
        ns = "team:" + ":".join(["a-name-that-goes-on"] * 5)
        ghost.put(ns, "payments", "Payments of this team are checked by hand.")
    viewer.page.set_viewport_size({"width": 375, "height": 740})
    page = viewer.show("#/search?q=payments+checked+by+hand")
    expect(page.locator(".hit-ns", has_text="a-name-that").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_phone_shows_the_namespace_of_a_result(open_look: Callable[..., "Viewer"]) -> None:
    """On the line of the date; no row is wider than the screen."""
    page = open_look(viewport={"width": 390, "height": 844}).show("#/search")
    page.wait_for_selector(".hit")
    name, date = page.locator(".hit-ns").first, page.locator(".hit time").first
    expect(name).to_be_visible()
    upper, lower = name.bounding_box(), date.bounding_box()
    assert upper["y"] < lower["y"] + lower["height"]
    assert lower["y"] < upper["y"] + upper["height"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_click_anywhere_on_a_hit_opens_it(look: "Viewer") -> None:
    """The row is one target, except its buttons and text that is being selected."""
    page = look.show("#/search?q=payments")
    hit = page.locator(".hit").first
    hit.locator(".why-button").click()
    hit.locator(".why").click()
    expect(page.locator("#main[data-screen=search]")).to_be_visible()
    key = hit.locator(".memory-link").inner_text()
    hit.locator(".hit-text").click()
    expect(page.locator("h1").first).to_have_text(key)
    page.go_back()
    page.wait_for_selector(".hit :focus")


def test_the_hint_of_a_key_is_shown_only_where_the_key_works(look: "Viewer") -> None:
    """While somebody types, a slash is a slash."""
    page = look.show("#/search")
    page.wait_for_selector("#query:focus")
    expect(page.locator(".search-box kbd")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".search-box kbd")).to_be_visible()
