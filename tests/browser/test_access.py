"""Everybody gets in: axe finds nothing serious on any screen, the keyboard reaches everything, and nothing moves that should not"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from browser.conftest import Viewer

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 375, "height": 740}
SCREENS = {
    "home": "#/home",
    "search": "#/search?q=payments",
    "filters": "#/search",
    "memory": "#/memory/project%3Ashop/release-friday",
    "removed": "#/memory/team%3Ashared/coffee-machine",
    "missing": "#/memory/project%3Ashop/nope",
    "timeline": "#/timeline",
    "timeline list": "#/timeline?list=1",
    "graph": "#/graph?ns=project%3Ashop&colour=tag",
    "graph list": "#/graph?ns=project%3Ashop&list=1",
    "context": "#/context?q=How do I ship a payment fix?&budget=600",
    "context with links": "#/context?q=payments&budget=200",
    "lifecycle": "#/lifecycle",
    "health": "#/health",
    "settle": "#/settle",
    "quarantine": "#/settle?list=quarantine",
}
STILL = "() => ![...document.querySelectorAll('#main .skeleton, #main [aria-busy=true]')].some((node) => node.checkVisibility())"
# moderate, serious and critical issues, each with where it is and what axe says about it
RUN = """async () => {
  const found = await axe.run(document, {resultTypes: ["violations"]});
  return found.violations.filter((one) => one.impact !== "minor").flatMap((one) => one.nodes.map(
    (node) => `${one.id}: ${node.target.join(" ")}: ${(node.any[0] || node.all[0] || node.none[0] || {}).message || one.help}`));
}"""
FOCUS = """() => {
  const node = document.activeElement;
  if (!node || node === document.body) return null;
  const style = getComputedStyle(node);
  const around = node.closest(".search-box, .hit, .field") || node;
  const outer = getComputedStyle(around);
  const box = node.getBoundingClientRect();
  return {
    name: `${node.tagName.toLowerCase()}${node.id ? "#" + node.id : ""}.${node.className?.baseVal ?? node.className} ${(node.getAttribute("aria-label") || node.textContent || "").trim().slice(0, 30)}`,
    ring: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none" || outer.boxShadow !== "none",
    seen: box.width > 0 && box.height > 0,
    inside: Boolean(node.closest("dialog")),
    place: [...document.querySelectorAll("*")].indexOf(node),
  };
}"""

REACHABLE = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((node) => node.checkVisibility({visibilityProperty: true}) && !node.disabled && node.tabIndex >= 0).length"""


def shown(viewer: "Viewer", place: str) -> Any:
    """Go to a screen and wait until it stands still."""
    page = viewer.show(place)
    page.wait_for_function(STILL)
    return page


def serious(page: Any) -> list[str]:
    """Return what axe finds; it is put in by the test, past the page's own policy."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(RUN)
    return found


@pytest.mark.parametrize(
    ("size", "theme"),
    [
        pytest.param(DESK, "light", id="desk light"),
        pytest.param(PHONE, "dark", id="phone dark"),
        pytest.param(DESK, "dark", id="desk dark", marks=pytest.mark.slow),
        pytest.param(PHONE, "light", id="phone light", marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing_serious(
    open_viewer: Callable[..., "Viewer"], size: dict[str, int], theme: str
) -> None:
    """On every screen, in both themes, at both widths."""
    viewer = open_viewer(viewport=size, color_scheme=theme, reduced_motion="reduce")
    found: dict[str, list[str]] = {}
    for name, place in SCREENS.items():
        page = shown(viewer, place)
        if name == "filters":
            page.locator(".search-form .button").last.click()
        if issues := serious(page):
            found[name] = issues
    shown(viewer, "#/memory/project%3Ashop/release-friday")
    viewer.page.keyboard.press("e")
    viewer.page.wait_for_selector("dialog[open]")
    if issues := serious(viewer.page):
        found["edit"] = issues
    for name, key in (("help", "?"), ("palette", "Control+k"), ("new memory", "c")):
        viewer.page.keyboard.press("Escape")
        viewer.page.keyboard.press(key)
        viewer.page.wait_for_selector("dialog[open]")
        if issues := serious(viewer.page):
            found[name] = issues
    viewer.problems[:] = [
        one for one in viewer.problems if "404" not in one
    ]  # what is missing is asked for, and said to be
    assert found == {}


def test_results_stay_readable_while_others_load(open_look: Callable[..., "Viewer"]) -> None:
    """While new results load, the old ones keep their contrast, also without motion."""
    viewer = open_look(viewport=DESK, color_scheme="light", reduced_motion="reduce")
    for place, busy in (("search", "#results"), ("context", ".packs")):
        page = shown(viewer, SCREENS[place])
        page.evaluate(
            "(name) => document.querySelector(name).setAttribute('aria-busy', true)", busy
        )
        assert serious(page) == [], place


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_at_the_door_and_on_an_empty_store(
    open_viewer: Callable[..., "Viewer"], tmp_path: Path, theme: str
) -> None:
    """The page that says how to get in, and every screen with nothing to show."""
    from ghostmem import Ghost
    from ghostmem.settings import Settings

    empty = tmp_path / "empty.db"
    Ghost.open(str(empty), settings=Settings(embed_provider="none")).close()
    viewer = open_viewer(store=empty, sign_in=False, color_scheme=theme)
    viewer.page.goto(f"{viewer.base}/")
    assert serious(viewer.page) == []
    viewer.problems.clear()  # the door is a refusal
    viewer.page.goto(viewer.url)
    viewer.page.wait_for_selector(".nav")
    for place in (
        "#/search",
        "#/timeline",
        "#/graph",
        "#/context",
        "#/lifecycle",
        "#/health",
        "#/settle",
    ):
        assert serious(shown(viewer, place)) == [], place


@pytest.mark.slow
def test_the_keyboard_reaches_everything_and_shows_where_it_is(viewer: "Viewer") -> None:
    """Tab goes through every link, button and field of a screen, each of them is seen and has a ring, and it comes round."""
    for name, place in SCREENS.items():
        if name in ("removed", "missing", "filters"):
            continue
        page = shown(viewer, place)
        wanted = page.evaluate(REACHABLE)
        page.evaluate("() => { document.activeElement?.blur(); window.scrollTo(0, 0); }")
        reached, dull = set(), []
        for _ in range(min(wanted + 5, 120)):
            page.keyboard.press("Tab")
            at = page.evaluate(FOCUS)
            if at is None:
                continue
            reached.add(at["place"])
            if not (at["ring"] and at["seen"]):
                dull.append(at["name"])
        assert dull == [], name
        assert len(reached) >= min(wanted, 115) * 0.95, (
            name
        )  # what opens on focus may hide something else


@pytest.mark.slow
def test_a_skip_link_comes_first(viewer: "Viewer") -> None:
    """The first Tab offers the way past the rail, and it leads there."""
    page = shown(viewer, "#/health")
    page.evaluate("() => { document.activeElement?.blur(); }")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"


def test_dialogs_hold_the_focus_and_give_it_back(viewer: "Viewer") -> None:
    """Inside a dialog Tab stays inside; Esc closes it, changes nothing, and the button that opened it has the focus again."""
    page = shown(viewer, "#/memory/project%3Ashop/release-friday")
    for act in ("edit", "tag", "pin", "lock"):
        button = page.locator(f"[data-act={act}]")
        button.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open]")
        assert page.evaluate("() => Boolean(document.activeElement.closest('dialog'))"), act
        for _ in range(12):
            page.keyboard.press("Tab")
            at = page.evaluate(FOCUS)
            assert at is None or at["inside"], at
        assert page.locator("dialog[open]").get_attribute("aria-labelledby")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        assert page.evaluate("() => document.activeElement.dataset.act") == act
    with viewer.store() as ghost:
        assert [memory.version for memory in ghost.history("project:shop", "release-friday")] == [
            1,
            2,
        ]


def test_a_closed_dialog_is_removed_before_the_next_key(viewer: "Viewer") -> None:
    """The browser sends `close` later; a key that is pressed before goes to the screen, not to the closed dialog."""
    page = shown(viewer, "#/health")
    left = "() => { CLOSE; return document.querySelectorAll('dialog').length; }"
    cancel = "dispatchEvent(new Event('cancel', { cancelable: true }))"
    for key, way in (("?", cancel), ("Control+k", cancel), ("c", "close()")):
        page.keyboard.press(key)
        page.wait_for_selector("dialog[open]")
        assert page.evaluate(left.replace("CLOSE", f"document.querySelector('dialog').{way}")) == 0


@pytest.mark.slow
def test_the_keyboard_alone_goes_everywhere(viewer: "Viewer") -> None:
    """g and a letter lead to every screen, / to the question, j to the results, Enter into one, Esc back."""
    page = shown(viewer, "#/health")
    for key, name in zip(
        "tgclhds",
        ("timeline", "graph", "context", "lifecycle", "health", "settle", "search"),
        strict=True,
    ):
        page.evaluate("() => { document.activeElement?.blur(); }")
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_selector(f"#main[data-screen={name}]")
        assert page.locator(f".nav a[data-screen={name}]").get_attribute("aria-current") == "page"
    page.keyboard.press("/")
    page.keyboard.type("payments")
    page.wait_for_selector(".hit mark")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("#main[data-screen=memory] .memory-text")
    page.keyboard.press("Escape")
    page.wait_for_selector("#main[data-screen=search] .hit")


@pytest.mark.slow
def test_who_asks_for_less_motion_gets_it(open_viewer: Callable[..., "Viewer"]) -> None:
    """With reduced motion nothing runs for longer than an instant, and colours that canvases read are the theme's own."""
    viewer = open_viewer(reduced_motion="reduce")
    for place in (
        "#/search",
        "#/graph?ns=project%3Ashop",
        "#/timeline",
        "#/lifecycle",
        "#/memory/project%3Ashop/deploy",
    ):
        page = shown(viewer, place)
        long = page.evaluate(
            "() => document.getAnimations().filter((one) => one.effect.getComputedTiming().activeDuration > 10).length"
        )
        assert long == 0, place
    colours = page.evaluate(
        """() => {
          const probe = document.createElement("i");
          document.body.append(probe);
          const found = ["ink", "line", "accent"].map((name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; });
          probe.remove();
          return found;
        }"""
    )
    assert len(set(colours)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("size", [(640, 400), (320, 640)], ids=["twice the size", "narrow"])
def test_nothing_needs_sideways_scrolling(
    open_viewer: Callable[..., "Viewer"], size: tuple[int, int]
) -> None:
    """At 200 % in the window of a desk, and on the narrowest phone, every screen fits the width."""
    viewer = open_viewer(viewport={"width": size[0], "height": size[1]})
    wide = {}
    for name, place in SCREENS.items():
        found = shown(viewer, place).evaluate("() => document.documentElement.scrollWidth")
        if found > size[0]:
            wide[name] = found
    viewer.problems[:] = [one for one in viewer.problems if "404" not in one]
    assert wide == {}
