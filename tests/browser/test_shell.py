"""What all screens share, in a real browser: the door, the rail, dialogs, notices, markdown"""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from browser.steps import expect

if TYPE_CHECKING:
    from conftest import Viewer


def in_module(page: Any, module: str, code: str, *args: Any) -> Any:
    """Run a function with a module of the page: `code` is "(m, ...args) => …"."""
    loaded = f"async (given) => {{ const m = await import('/static/js/{module}'); return ({code})(m, ...given); }}"
    return page.evaluate(loaded, list(args))


def test_the_door_leads_in_once(open_viewer: Callable[..., "Viewer"]) -> None:
    """Without the token a form; the address opens the page once, in this browser, and then no other."""
    viewer = open_viewer(sign_in=False)
    page = viewer.page
    assert page.goto(viewer.base).status == 401
    assert page.locator("form").is_visible()
    assert "401" in viewer.problems.pop()
    page.fill("#token", "wrong")
    page.click("button")
    page.wait_for_selector(".problem")
    page.goto(viewer.url)
    page.wait_for_selector(".home-tile")
    assert page.url.startswith(f"{viewer.base}/#") or page.url == f"{viewer.base}/"
    assert "token" not in page.url
    other = page.context.browser.new_context().new_page()
    assert other.goto(viewer.url).status == 401
    assert "already used" in other.inner_text(".problem")
    other.context.close()
    viewer.problems[:] = [one for one in viewer.problems if "401" not in one]


def test_a_token_is_typed_at_a_server(open_viewer: Callable[..., "Viewer"]) -> None:
    """A token typed into the form opens the page with what that token may see, and no way to change it."""
    viewer = open_viewer(sign_in=False)
    told = json.loads(
        viewer.ghost("--json", "token", "create", "reader", "--grant", "team:shared:read")
    )
    page = viewer.page
    page.goto(f"{viewer.base}/sign-in")
    page.fill("#token", told["secret"])
    page.click("button")
    page.wait_for_selector(".home-row")
    (choice,) = page.locator("#ns option").all_inner_texts()
    assert re.fullmatch(r"team:shared \(\d\)", choice)
    links = page.locator(".home-row .memory-link").all()
    assert {link.get_attribute("href").split("/")[2] for link in links} == {"team%3Ashared"}
    assert page.locator("#new").count() == 0


def test_signing_in_leads_to_the_place_that_was_asked_for(
    open_viewer: Callable[..., "Viewer"],
) -> None:
    """A bookmark of a search works after the session has ended, also after a wrong token."""
    viewer = open_viewer(sign_in=False)
    told = json.loads(viewer.ghost("--json", "token", "create", "reader", "--grant", "*:read"))
    page = viewer.page
    page.goto(f"{viewer.base}/#/search?q=tea")
    for token in ("wrong", told["secret"]):
        page.fill("#token", token)
        page.click("button")
        page.wait_for_selector(".problem, .nav")
    page.wait_for_selector("#main[data-screen=search]")
    assert page.url == f"{viewer.base}/#/search?q=tea"
    viewer.problems[:] = [one for one in viewer.problems if "401" not in one]


def test_the_namespace_picker_counts_memories(viewer: "Viewer") -> None:
    """Every choice has its number of memories, prefixes and all namespaces too, and a write changes it."""
    page = viewer.page
    page.wait_for_selector(".live-state[data-state=live]")
    code = "() => Object.fromEntries([...document.querySelectorAll('#ns option')].map((one) => [one.value, one.textContent]))"
    with viewer.store() as ghost:
        counts = {info.ns: info.count for info in ghost.admin.namespaces()}
        assert page.evaluate(code) == {
            "": f"All namespaces ({sum(counts.values())})",
            **{ns: f"{ns} ({count})" for ns, count in counts.items()},
        }
        ghost.put("team:other", "first", "A second team.")
        ghost.put("team:shared", "chairs", "The new chairs arrive on Friday.")
    size = counts["team:shared"] + 1
    page.wait_for_function(
        "([name, text]) => document.querySelector(`#ns option[value='${name}']`)?.textContent === text",
        arg=["team:*", f"team:* ({size + 1})"],
    )
    assert page.evaluate(code)["team:shared"] == f"team:shared ({size})"


def test_a_page_without_the_proof_cannot_write(viewer: "Viewer") -> None:
    """The browser sends the cookie, but a write without the page's own header is refused, and with it is done."""
    page = viewer.show("#/search")
    code = """async (proof) => (await fetch('/api/v1/memories/agent%3Ame/tea', {method: 'PUT', body: '{"content": "x"}',
        headers: {'Content-Type': 'application/json', ...proof}})).status"""
    assert page.evaluate(code, {}) == 403
    assert page.evaluate(code, {"X-Ghost-CSRF": "guess"}) == 403
    csrf = page.evaluate("async () => (await (await fetch('/api/v1/session')).json()).csrf")
    assert page.evaluate(code, {"X-Ghost-CSRF": csrf}) == 200
    viewer.problems[:] = [one for one in viewer.problems if "403" not in one]


def test_a_page_that_was_signed_out_listens_again(look: "Viewer") -> None:
    """Whoever comes back after signing in in another tab sees what is written."""
    page = look.page
    page.route("**/api/v1/events", lambda route: route.fulfill(status=401))
    look.show("#/search")
    page.wait_for_selector("#live-state[data-state=lost]")
    page.unroute("**/api/v1/events")
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")
    page.wait_for_selector("#live-state[data-state=live]")
    look.problems[:] = [one for one in look.problems if "401" not in one]


def test_a_session_that_ended_is_told(viewer: "Viewer") -> None:
    """When the cookie is gone, the page says how to get in again."""
    page = viewer.show("#/search")
    page.wait_for_selector(".hit")
    page.context.clear_cookies()
    page.fill("#query", "tea")
    page.wait_for_selector(".state.bad")
    assert "You are signed out" in page.inner_text(".state.bad")
    assert "ghost web" in page.inner_text(".state.bad")
    expect(page.locator("#live-state")).to_have_text("signed out")
    viewer.problems[:] = [one for one in viewer.problems if "401" not in one]


def test_read_only_is_shown(open_viewer: Callable[..., "Viewer"]) -> None:
    """The rail says that nothing can be changed."""
    page = open_viewer("--read-only").show("#/search?q=tea")
    page.wait_for_selector(".hit")
    assert "read-only" in page.inner_text(".rail-foot")


def test_nothing_runs_that_is_not_ours(look: "Viewer") -> None:
    """The policy stops inline scripts, handlers, foreign scripts and eval, should text ever become HTML."""
    page = look.show("#/search")
    found = page.evaluate(
        """async () => {
          const stopped = [];
          document.addEventListener('securitypolicyviolation', (event) => stopped.push(event.effectiveDirective));
          const box = document.createElement('div');
          document.body.append(box);
          box.innerHTML = '<img src="http://evil.invalid/x.png"><b onclick="window.ran = 1">x</b><i style="color:red">y</i>';
          box.querySelector('b').click();
          const script = document.createElement('script');
          script.textContent = 'window.ran = 2';
          document.body.append(script);
          const frame = document.createElement('iframe');
          frame.src = 'http://evil.invalid/';
          document.body.append(frame);
          await fetch('http://evil.invalid/').catch(() => {});
          await new Promise((done) => setTimeout(done, 200));
          box.remove();
          return [window.ran === undefined, [...new Set(stopped)].sort()];
        }"""
    )
    assert found[0] is True
    assert set(found[1]) >= {
        "connect-src",
        "frame-src",
        "img-src",
        "script-src-attr",
        "script-src-elem",
        "style-src-attr",
    }
    look.problems.clear()


def test_an_element_cannot_be_made_dangerous(look: "Viewer") -> None:
    """`el` refuses handlers and HTML as text, and drops links that would run something."""
    page = look.show("#/search")
    for props in (
        {"onclick": "alert(1)"},
        {"innerHTML": "<b>"},
        {"srcdoc": "x"},
        {"style": "x"},
        {"ONERROR": "x"},
    ):
        refused = "(m, props) => { try { m.el('a', props); return false; } catch { return true; } }"
        assert in_module(page, "dom.js", refused, props) is True
    link = "(m, href) => m.el('a', {href}).getAttribute('href')"
    for bad in (
        "javascript:alert(1)",
        " JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "vbscript:x",
        "blob:x",
        "\tjavascript:x",
    ):
        assert in_module(page, "dom.js", link, bad) is None, bad
    for good in ("https://a.example/", "#/search", "mailto:a@b.example", "/static/x"):
        assert in_module(page, "dom.js", link, good) == good


MARKDOWN = [
    ("# One\n\nText with *em*, **strong**, `code` and ~~old~~.", "<h2 dir=\"auto\">One</h2><p dir=\"auto\">Text with <em>em</em>, <strong>strong</strong>, <code>code</code> and <del>old</del>.</p>"),
    ("- a\n- b\n  - c\n\n1. x\n2. y", "<ul dir=\"auto\"><li dir=\"auto\">a</li><li dir=\"auto\">b<ul dir=\"auto\"><li dir=\"auto\">c</li></ul></li></ul><ol dir=\"auto\"><li dir=\"auto\">x</li><li dir=\"auto\">y</li></ol>"),
    ("> said\n> so", "<blockquote dir=\"auto\"><p dir=\"auto\">said\nso</p></blockquote>"),
    ("```py\nif a < b:\n    pass\n```", '<pre data-language="py" tabindex="0"><code>if a &lt; b:\n    pass</code></pre>'),
    ("| a | b |\n|---|---|\n| 1 | 2 |", '<div class="table-scroll" tabindex="0"><table><thead><tr><th dir="auto">a</th><th dir="auto">b</th></tr></thead><tbody><tr><td dir="auto">1</td><td dir="auto">2</td></tr></tbody></table></div>'),
    ("[x](https://a.example/p)", '<p dir="auto"><a href="https://a.example/p" rel="noopener noreferrer nofollow" target="_blank">x</a></p>'),
    ("[x](javascript:alert(1))", '<p dir="auto"><span class="dead-link" title="javascript:alert(1">x</span>)</p>'),
    ("![p](https://a.example/p.png)", '<p dir="auto"><a href="https://a.example/p.png" rel="noopener noreferrer nofollow" target="_blank">picture: p</a></p>'),
    ("<b>x</b> & <script>y</script>", "<p dir=\"auto\">&lt;b&gt;x&lt;/b&gt; &amp; &lt;script&gt;y&lt;/script&gt;</p>"),
    ("see https://a.example/x. snake_case_name 2*3*4", '<p dir="auto">see <a href="https://a.example/x" rel="noopener noreferrer nofollow" target="_blank">https://a.example/x</a>. snake_case_name 2<em>3</em>4</p>'),
    ("- [ ] open\n- [x] done", None),
    ("\\*not em\\*", "<p dir=\"auto\">*not em*</p>"),
    ("a  \nb", "<p dir=\"auto\">a<br>b</p>"),
    ("---", "<hr>"),
    ("", ""),
]  # fmt: skip


@pytest.mark.parametrize("page_name", ["search"])
def test_markdown_becomes_nodes(look: "Viewer", page_name: str) -> None:
    """Each form of markdown is laid out; HTML in it stays text."""
    page = look.show(f"#/{page_name}")
    for text, expected in MARKDOWN:
        html = in_module(page, "md.js", "(m, text) => m.markdown(text).innerHTML", text)
        if expected is None:
            assert html.count('type="checkbox"') == 2
        else:
            assert html == expected, text


def test_hostile_markdown_ends_soon(look: "Viewer") -> None:
    """Deep, long and unclosed marks take no time worth noticing and lose no text."""
    page = look.show("#/search")
    texts = [
        "*" * 50_000,
        "[" * 50_000,
        "> " * 5_000 + "x",
        "`" * 50_000,
        "a **" * 10_000,
        "- " * 5_000 + "x",
        "|" * 50_000 + "\n|-|",
        "# " * 20_000,
        "![](" * 10_000,
    ]
    for text in texts:
        code = "(m, text) => { const from = performance.now(); const node = m.markdown(text); return [performance.now() - from, node.textContent.length]; }"
        milliseconds, length = in_module(page, "md.js", code, text)
        assert milliseconds < 5_000, text[:10]
        assert length > 0 or set(text) <= set("# >-*`")


def test_a_question_is_asked_once(look: "Viewer") -> None:
    """A dialog traps the focus, Escape and Cancel mean no, and the focus goes back to where it was."""
    page = look.show("#/search")
    page.wait_for_selector(".hit")
    page.focus("#query")
    asked = "(m, options) => { window.answer = 'none'; m.ask(options).then((value) => { window.answer = value; }); }"
    in_module(
        page,
        "dialog.js",
        asked,
        {
            "title": "Delete <b>tea</b>?",
            "body": "It can be restored.",
            "confirm": "Delete",
            "danger": True,
        },
    )
    assert page.inner_text("dialog h2") == "Delete <b>tea</b>?"
    assert page.evaluate("document.activeElement.textContent") == "Cancel"
    page.keyboard.press("Escape")
    page.wait_for_function("() => window.answer === false")
    assert page.evaluate("document.activeElement.id") == "query"
    in_module(
        page, "dialog.js", asked, {"title": "Pin?", "body": "Always in context.", "confirm": "Pin"}
    )
    page.keyboard.press("Enter")
    page.wait_for_function("() => window.answer === true")


def test_a_notice_offers_a_way_back(look: "Viewer") -> None:
    """The button or the key u takes the last change back; once."""
    page = look.show("#/search")
    page.wait_for_selector(".hit")
    code = "(m) => { window.undone = 0; m.toast('Pinned <i>tea</i>', {undo: async () => { window.undone += 1; }}); }"
    in_module(page, "toast.js", code)
    assert page.inner_text(".toast-text") == "Pinned <i>tea</i>"
    page.press("#query", "ArrowDown")
    page.keyboard.press("u")
    page.wait_for_function("() => window.undone === 1")
    page.keyboard.press("u")
    assert page.evaluate("window.undone") == 1


def test_every_screen_is_in_the_rail(look: "Viewer") -> None:
    """The rail names all screens, the present one is marked, and g with a letter goes to each."""
    page = look.show("#/search")
    page.wait_for_selector(".hit")
    names = page.locator(".nav a > span:first-of-type").all_inner_texts()
    assert names == [
        "Home",
        "Search",
        "Timeline",
        "Graph",
        "Context",
        "Lifecycle",
        "Health",
        "Decisions",
    ]
    assert page.locator(".nav [aria-current=page]").all_inner_texts() == ["Search"]
    page.press("#query", "ArrowDown")
    page.keyboard.press("g")
    page.keyboard.press("s")
    assert page.url.split("#")[1].startswith("/search")


def test_the_rules_of_one_screen_do_not_change_another(look: "Viewer") -> None:
    """Style sheets apply only to the screen that names them: a memory looks the same before and after all other screens."""
    page = look.show("#/memory/project%3Ashop/release-friday")
    box = "() => { const r = document.querySelector('.memory-chips .meter').getBoundingClientRect(); return [r.width, r.height]; }"
    page.wait_for_selector(".meter")
    before = page.evaluate(box)
    for name in ("health", "lifecycle", "settle", "timeline", "context", "search"):
        page.evaluate("(name) => { location.hash = `#/${name}`; }", name)
        page.wait_for_selector(f"#main[data-screen={name}]")
    page.evaluate("() => { location.hash = '#/memory/project%3Ashop/release-friday'; }")
    page.wait_for_selector("#main[data-screen=memory] .meter")
    assert page.evaluate(box) == before
    sheets = "[...document.querySelectorAll('link[data-screen]')].filter((one) => one.sheet && one.media === 'all').map((one) => one.getAttribute('href'))"
    assert page.evaluate(sheets) == ["/static/css/memory.css"]


def test_the_palette_goes_anywhere(look: "Viewer") -> None:
    """Ctrl-K, a few letters and Enter lead to a screen, a namespace, a memory or a search; Escape gives the focus back."""
    page = look.show("#/search")
    page.wait_for_selector(".hit")

    def chosen(text: str) -> str:
        page.keyboard.press("Control+k")
        page.keyboard.type(text)
        at = "() => document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"
        page.wait_for_function(f"() => ({at})()?.getAttribute('aria-selected') === 'true'")
        return page.evaluate(f"() => ({at})().querySelector('.palette-label').textContent")  # type: ignore[no-any-return]

    assert chosen("timel") == "Timeline"
    page.keyboard.press("Enter")
    page.wait_for_selector("#main[data-screen=timeline]")
    assert page.locator("dialog").count() == 0
    assert chosen("when is the standup") == "Search for “when is the standup”"
    page.wait_for_selector(".palette-row .middle:has-text('standup')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("#main[data-screen=memory] h1:has-text('standup')")
    chosen("team:shared")
    page.locator(".palette-row", has=page.locator("text=/^team:shared$/")).last.click()
    page.wait_for_function("() => document.querySelector('#ns').value === 'team:shared'")
    page.focus("#theme")
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate("document.activeElement.id") == "theme"


def test_the_rail_counts_the_decisions_that_wait(viewer: "Viewer") -> None:
    """The badge is the number of contradictions and quarantined memories, and follows what others decide."""
    with viewer.store() as ghost:
        found = ghost.conflicts()
        waiting = len(found.conflicts) + len(ghost.quarantine.list(None))
        conflict = found.conflicts[0]
    page = viewer.show("#/search")
    badge = page.locator(".nav [data-screen=settle] .badge")
    badge.wait_for()
    page.wait_for_selector(".live-state[data-state=live]")
    assert badge.inner_text().split()[0] == str(waiting)
    with viewer.store() as ghost:
        ghost.resolve(conflict.ns, conflict.key, conflict.other)
        found = ghost.conflicts()
        left = len(found.conflicts) + len(ghost.quarantine.list(None))
    assert left < waiting
    page.wait_for_function(
        "(left) => parseInt(document.querySelector('.nav .badge')?.textContent) === left", arg=left
    )


def test_the_backdrop_covers_the_gutter(look: "Viewer") -> None:
    """Behind a dialog the page has the colour of the backdrop where the scroll bar would be."""
    page = look.show("#/search")
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    before = page.evaluate(colour)
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog[open]")
    assert page.evaluate(colour) != before


def test_a_key_is_cut_in_the_middle(look: "Viewer") -> None:
    """Where a key does not fit, its end, in which keys differ, is still shown, and its whole text is there."""
    page = look.show("#/search")
    code = """(m, key) => {
      const box = document.createElement("div");
      box.className = "sized";
      box.append(m.middle(key));
      document.body.append(box);
      box.style.setProperty("width", "150px");
      const [head, tail] = box.querySelectorAll(".middle > span");
      const found = [head.scrollWidth > head.clientWidth, tail.getBoundingClientRect().right <= box.getBoundingClientRect().right + 1, box.textContent];
      box.remove();
      return found;
    }"""
    key = "daily/2026-09-05-a-long-day.md#garden"
    assert in_module(page, "parts.js", code, key) == [True, True, key]


def test_an_address_of_another_namespace_moves_the_rail(look: "Viewer") -> None:
    """The rail names the namespace of the screen, then the chosen one again; choosing leaves another's memory."""
    page = look.show("#/health")
    page.locator("#ns").select_option("project:shop")
    page.evaluate("() => { location.hash = '#/memory/team%3Ashared/standup'; }")
    expect(page.locator("#ns")).to_have_value("team:shared")
    page.go_back()
    expect(page.locator("#ns")).to_have_value("project:shop")
    page.go_forward()
    expect(page.locator("#ns")).to_have_value("team:shared")
    page.locator("#ns").select_option("agent:me")
    page.wait_for_selector("#main[data-screen=search]")
    page.locator("#ns").select_option("project:shop")
    page.evaluate("() => { location.hash = '#/graph?ns=agent%3Ame'; }")
    expect(page.locator("#ns")).to_have_value("agent:me")
    page.locator("#ns").select_option("project:shop")
    page.wait_for_selector("canvas[aria-label='Map of project:shop']")


def test_the_console_stays_empty(look: "Viewer") -> None:
    """No screen makes the browser complain, for example of two elements that want the focus."""
    said: list[str] = []
    look.page.on("console", lambda message: said.append(message.text))
    for place in ("#/home", "#/search", "#/context"):
        look.show(place).wait_for_selector("input:focus")
    assert said == []


def test_the_bar_of_a_phone_does_not_move(open_look: Callable[..., "Viewer"]) -> None:
    """A screen that is not in the bar is marked on More."""
    viewer = open_look(viewport={"width": 390, "height": 844})
    names = []
    for place in ("#/home", "#/health"):
        page = viewer.show(place)
        # Without the number of waiting decisions, which arrives after the page.
        texts = page.locator(".nav > :visible").all_inner_texts()
        names.append([text.splitlines()[0] for text in texts])
    assert names[0] == names[1]
    more = page.locator(".nav-more").evaluate("(node) => getComputedStyle(node).backgroundColor")
    assert more != "rgba(0, 0, 0, 0)"
