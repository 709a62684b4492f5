"""The graph in a real browser: what is drawn, how one moves over it, and what a click brings"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.model import Edge, Rel
from ghostmem.settings import Settings
from ghostmem.web.graph_view import graph

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Viewer

PLACE = "#/graph?ns=project%3Ashop"
PAYLOAD = "<img src=x onerror=alert(1)>"


def told(viewer: "Viewer") -> dict[str, Any]:
    """Return what the library says of the same namespace."""
    with viewer.store() as ghost:
        return graph(ghost.store, "project:shop")


def settled(page: Any) -> Any:
    """Wait until the map stands still, and return the page."""
    page.wait_for_function("() => document.querySelector('#graph')?.dataset.settled === 'true'")
    page.wait_for_function("() => document.querySelector('#graph').scene.view().full")
    return page


def looking(page: Any) -> dict[str, float]:
    """Return where the map looks, and how near."""
    return page.evaluate("() => document.querySelector('#graph').scene.view()")  # type: ignore[no-any-return]


def counted(page: Any) -> dict[str, int]:
    """Return how many nodes and edges are drawn."""
    return page.evaluate("() => document.querySelector('#graph').scene.counts()")  # type: ignore[no-any-return]


def spot(page: Any, key: str) -> tuple[float, float]:
    """Return where a node is in the window."""
    at = page.evaluate("key => document.querySelector('#graph').scene.at(key)", key)
    box = page.locator("#graph").bounding_box()
    return box["x"] + at["x"], box["y"] + at["y"]


def ink(page: Any) -> int:
    """Count the pixels of the map that something was drawn on."""
    return page.evaluate(
        """() => {
          const canvas = document.querySelector("#graph");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          let found = 0;
          for (let place = 3; place < data.length; place += 4) if (data[place]) found += 1;
          return found;
        }"""
    )  # type: ignore[no-any-return]


@pytest.mark.smoke
def test_the_map_shows_the_namespace_of_the_rail(viewer: "Viewer") -> None:
    """A graph has one namespace: it is asked for, and the rail and the map agree; the legend names relations."""
    page = viewer.show("#/graph")
    page.locator(".graph-spaces button", has_text="project:shop").click()
    settled(page)
    found = told(viewer)
    assert counted(page) == {"nodes": len(found["nodes"]), "edges": len(found["edges"])}
    expected = (
        f"{len(found['nodes'])} memories, {len(found['edges'])} links, {found['clusters']} clusters"
    )
    assert page.inner_text("#graph-status") == expected
    assert page.locator("#ns").input_value() == "project:shop"
    legend = page.locator(".legend").all_inner_texts()
    assert any("contradicts" in text for text in legend)
    assert any("long-term" in text for text in legend)
    assert page.locator(".legend .sample line[stroke-dasharray]").count() >= 5
    assert ink(page) > 5000


def test_the_same_graph_comes_out_the_same(viewer: "Viewer") -> None:
    """Nothing in the layout is drawn by lot."""
    places = [spot(settled(viewer.show(f"{PLACE}&x={turn}")), "deploy") for turn in (1, 2)]
    assert places[0] == places[1]


def test_a_click_chooses_and_the_panel_tells(viewer: "Viewer") -> None:
    """The side panel has the memory's text, its links, and the way to its page; another click elsewhere lets go."""
    page = settled(viewer.show(PLACE))
    page.mouse.click(*spot(page, "decimal-rule"))
    page.wait_for_selector(".graph-panel .panel-links")
    panel = page.locator(".graph-panel")
    assert "Money is Decimal" in panel.inner_text()
    assert "6 links" in panel.inner_text()
    assert "node=decimal-rule" in page.url
    assert (
        panel.locator("a.button.primary").get_attribute("href")
        == "#/memory/project%3Ashop/decimal-rule"
    )
    panel.locator(".link-row", has_text="vat").click()
    page.wait_for_function(
        "() => document.querySelector('.panel-head h2').textContent.includes('vat')"
    )
    page.keyboard.press("Escape")
    page.wait_for_selector(".graph-panel", state="hidden")
    assert "node=" not in page.url


def test_a_click_brings_neighbours_that_are_not_drawn(viewer: "Viewer") -> None:
    """A map of few nodes grows where one clicks."""
    page = settled(viewer.show(f"{PLACE}&limit=2"))
    assert counted(page)["nodes"] == 2
    page.mouse.click(*spot(page, "decimal-rule"))
    page.wait_for_function("() => document.querySelector('#graph').scene.counts().nodes >= 6")
    assert counted(page)["edges"] >= 6
    settled(page)


def test_only_the_surroundings(viewer: "Viewer") -> None:
    """One memory's surroundings can be shown alone, and everything again."""
    page = settled(viewer.show(f"{PLACE}&node=slow-search"))
    page.get_by_role("button", name="Only its surroundings").click()
    page.wait_for_function(
        "() => document.querySelector('h1').textContent === 'Around slow-search'"
    )
    settled(page)
    assert counted(page)["nodes"] == 2
    page.get_by_role("button", name="All of it").click()
    page.wait_for_function("() => document.querySelector('h1').textContent === 'Graph'")


def test_moving_by_pointer_wheel_and_buttons(viewer: "Viewer") -> None:
    """Dragging pans, the wheel and the buttons zoom, and everything can be shown again."""
    page = settled(viewer.show(PLACE))
    start, box = looking(page), page.locator("#graph").bounding_box()
    x, y = box["x"] + 60, box["y"] + 60
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y + 40, steps=6)
    page.mouse.up()
    moved = looking(page)
    assert moved["x"] < start["x"]
    assert moved["y"] < start["y"]
    assert page.locator(".graph-panel").is_hidden()
    page.mouse.wheel(0, -400)
    page.wait_for_function(
        "scale => document.querySelector('#graph').scene.view().scale > scale * 1.2",
        arg=start["scale"],
    )
    page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("button", name="Show everything").click()
    now = looking(page)
    assert abs(now["x"] - start["x"]) < 1
    assert abs(now["scale"] - start["scale"]) < 0.01


def test_moving_by_keyboard(viewer: "Viewer") -> None:
    """Arrows pan, + and - zoom, j and k choose, o opens the page."""
    page = settled(viewer.show(PLACE))
    start = looking(page)
    page.focus("#graph")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("+")
    now = looking(page)
    assert now["x"] > start["x"]
    assert now["y"] > start["y"]
    assert now["scale"] > start["scale"]
    page.keyboard.press("0")
    page.keyboard.press("j")
    page.wait_for_selector(".panel-head h2")
    assert page.inner_text(".panel-head h2").strip() == "decimal-rule"
    assert page.inner_text("#live") == "decimal-rule, 6 links"
    page.keyboard.press("k")
    page.wait_for_function(
        "() => !document.querySelector('.panel-head h2').textContent.includes('decimal-rule')"
    )
    page.keyboard.press("j")
    page.keyboard.press("o")
    page.wait_for_url("**/#/memory/project%3Ashop/decimal-rule")


def test_two_fingers_zoom(open_viewer: "Callable[..., Viewer]") -> None:
    """On a phone one finger pans, two zoom, and a tap chooses."""
    viewer = open_viewer(viewport={"width": 375, "height": 740}, has_touch=True, is_mobile=True)
    page = settled(viewer.show(PLACE))
    box, start = page.locator("#graph").bounding_box(), looking(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tool = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": px, "y": py, "id": number} for number, (px, py) in enumerate(points)]
        tool.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    touch("touchStart", (x - 20, y), (x + 20, y))
    for far in (40, 60, 80):
        touch("touchMove", (x - far, y), (x + far, y))
    touch("touchEnd")
    page.wait_for_function(
        "scale => document.querySelector('#graph').scene.view().scale > scale * 2",
        arg=start["scale"],
    )
    page.get_by_role("button", name="Show everything").tap()
    page.touchscreen.tap(*spot(page, "deploy"))
    page.wait_for_selector(".panel-head h2")
    assert "deploy" in page.inner_text(".panel-head h2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_filters(viewer: "Viewer") -> None:
    """Relations, tiers, weight and unlinked memories can be left out, one by one."""
    page, found = settled(viewer.show(PLACE)), told(viewer)
    alike, asleep = (
        sum(one["rel"] == "relates_to" for one in found["edges"]),
        sum(one["tier"] == "dormant" for one in found["nodes"]),
    )
    page.locator(".legend", has_text="relates to").click()
    assert counted(page) == {"nodes": 15, "edges": len(found["edges"]) - alike}
    assert page.locator(".legend", has_text="relates to").get_attribute("aria-pressed") == "false"
    page.locator(".legend", has_text="relates to").click()
    page.locator(".legend", has_text="dormant").click()
    assert counted(page)["nodes"] == 15 - asleep
    page.locator(".legend", has_text="dormant").click()
    page.get_by_label("Unlinked memories").uncheck()
    assert counted(page) == {
        "nodes": sum(one["degree"] > 0 for one in found["nodes"]),
        "edges": len(found["edges"]),
    }
    page.get_by_label("Minimum weight of a link").fill("0.7")
    assert 0 < counted(page)["edges"] < len(found["edges"])
    assert page.inner_text("#graph-status").startswith(f"{counted(page)['nodes']} of 15 memories")


def test_finding_a_node(viewer: "Viewer") -> None:
    """The box finds what is drawn and what is not, by keyboard alone."""
    page = settled(viewer.show(f"{PLACE}&limit=2"))
    page.keyboard.press("f")
    page.keyboard.type("trigram")
    page.wait_for_selector('.find-list [data-key="trigram-index"]')
    page.keyboard.press("ArrowDown")
    assert page.get_attribute(".find input", "aria-activedescendant") == "find-0"
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => document.querySelector('.panel-head h2')?.textContent.includes('trigram-index')"
    )
    assert counted(page)["nodes"] > 2


def test_the_list_says_the_same(viewer: "Viewer") -> None:
    """The same nodes and links stand in a list for those who do not look at a map; filters hold there too."""
    page = settled(viewer.show(PLACE))
    page.get_by_role("button", name="List").click()
    rows = page.locator(".node-row")
    assert rows.count() == 15
    first = rows.first
    assert "decimal-rule" in first.inner_text()
    first.locator("summary").click()
    page.wait_for_selector(".node-links li")
    said = first.locator(".node-links").inner_text()
    assert "is caused by" in said
    assert "is summed up by" in said
    page.locator(".legend", has_text="dormant").click()
    assert rows.count() == 15 - sum(one["tier"] == "dormant" for one in told(viewer)["nodes"])
    page.keyboard.press("v")
    assert page.locator("#graph").is_visible()


def test_what_another_process_writes_appears(viewer: "Viewer") -> None:
    """A memory and a link that somebody else stores are drawn, and what was there stays where it was."""
    page = settled(viewer.show(f"{PLACE}&node=deploy"))
    before, links = spot(page, "stack"), len(told(viewer)["edges"])
    page.wait_for_selector(".live-state[data-state=live]")
    viewer.ghost(
        "put", "-n", "project:shop", "-k", "rollback", "To roll back, deploy the tag before."
    )
    viewer.ghost("edge", "add", "-n", "project:shop", "rollback", "deploy", "-r", "depends_on")
    page.wait_for_function(
        "links => document.querySelector('#graph').scene.counts().edges > links", arg=links
    )
    settled(page)
    after = spot(page, "stack")
    assert abs(after[0] - before[0]) < 250
    assert page.inner_text(".panel-head h2").strip() == "deploy"


def test_hostile_names_are_text(tmp_path: "Path", open_viewer: "Callable[..., Viewer]") -> None:
    """Markup in keys, texts and tags is shown as it is, on the map, in the panel, in the box and in the list."""
    path = tmp_path / "hostile.db"
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a:b", PAYLOAD, f"{PAYLOAD} text", tags=["<script>alert(2)</script>"])
        ghost.put("a:b", "other", "Something else.")
        ghost.edge("a:b", PAYLOAD, "other", "refines")
    page = settled(open_viewer(store=path).show("#/graph?ns=a%3Ab"))
    page.mouse.click(*spot(page, PAYLOAD))
    page.wait_for_selector(".panel-links")
    assert PAYLOAD in page.inner_text(".panel-head h2")
    page.fill(".find input", "<img")
    page.wait_for_selector(".find-list [data-key]")
    page.get_by_role("button", name="List").click()
    assert PAYLOAD in page.locator(".node-row").first.inner_text()
    assert page.locator("img, script:not([src])").count() == 0


def test_an_empty_store_says_what_to_do(
    tmp_path: "Path", open_viewer: "Callable[..., Viewer]"
) -> None:
    """Without memories there is no map but a command that makes one; it then draws itself."""
    path = tmp_path / "empty.db"
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a:b", "x", "Soon gone.")
        ghost.rm("a:b", "x")
    viewer = open_viewer(store=path)
    page = viewer.show("#/graph?ns=a%3Ab")
    page.wait_for_selector(".state h2")
    assert "ghost put" in page.inner_text(".state")
    page.wait_for_selector(".live-state[data-state=live]")
    viewer.ghost("put", "-n", "a:b", "-k", "tea", "Green tea.")
    page.wait_for_function("() => document.querySelector('#graph')?.scene?.counts().nodes === 1")


def test_a_failure_is_told_and_can_be_tried_again(viewer: "Viewer") -> None:
    """When the server cannot answer, the page says so and offers to try again."""
    page = viewer.show("#/health")
    answer = json.dumps(
        {"error": "EngineError", "message": "the disk is full", "hint": "make room"}
    )
    page.route(
        "**/api/v1/graph?**",
        lambda route: route.fulfill(status=500, content_type="application/json", body=answer),
    )
    viewer.show(PLACE)
    page.wait_for_selector(".state.bad")
    assert "the disk is full" in page.inner_text(".state.bad")
    page.unroute("**/api/v1/graph?**")
    page.get_by_role("button", name="Try again").click()
    settled(page)
    viewer.problems[:] = [text for text in viewer.problems if "500" not in text]


def test_dark_and_wide(open_viewer: "Callable[..., Viewer]") -> None:
    """The map takes the colours of the theme when it changes, and the width of a large window."""
    page = settled(
        open_viewer(viewport={"width": 2560, "height": 1300}, color_scheme="dark").show(PLACE)
    )
    assert page.locator("#graph").bounding_box()["width"] > 2000
    read = """() => {
      const canvas = document.querySelector("#graph");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let sum = 0, found = 0;
      for (let place = 0; place < data.length; place += 4) if (data[place + 3] > 200) { sum += data[place]; found += 1; }
      return sum / found;
    }"""
    dark = page.evaluate(read)
    page.click("#theme")
    page.wait_for_function(f"dark => ({read})() > dark + 20", arg=dark)


def test_nodes_are_coloured_and_weak_links_are_hidden(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """The colour can mean a tag, a kind or a source, and its legend filters; weak automatic links wait for a switch."""
    path = tmp_path / "weak.db"
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        for number, (tag, who) in enumerate((("red", "ann"), ("red", "bob"), ("blue", "ann"))):
            ghost.put("a:b", f"k{number}", f"Text {number}.", tags=[tag], source_user=who)
        ghost.edge("a:b", "k0", "k1", "relates_to", weight=0.8)
        ids = [ghost.history("a:b", f"k{number}")[-1].id for number in (1, 2)]
        with ghost.store.engine.write(within=("a:b",)) as tx:
            tx.graph.add_edge(Edge(*ids, Rel.RELATES_TO, 0.2, ghost.store.clock(), automatic=True))
    page = settled(open_viewer(store=path).show("#/graph?ns=a%3Ab"))
    status = page.locator("#graph-status")
    assert status.inner_text().startswith("3 memories, 1 of 2 links")
    page.get_by_label("Weak automatic links").check()
    assert status.inner_text().startswith("3 memories, 2 links")
    plain = page.evaluate("() => document.querySelector('#graph').toDataURL()")
    page.get_by_label("Colour by").select_option("tag")
    page.wait_for_function(
        "(old) => document.querySelector('#graph').toDataURL() !== old", arg=plain
    )
    legend = page.locator(".legend[class*=group-]")
    assert [text.split() for text in legend.all_inner_texts()] == [["red", "2"], ["blue", "1"]]
    assert "colour=tag" in page.url
    legend.first.click()
    assert status.inner_text().startswith("1 of 3 memories")
    page.get_by_label("Colour by").select_option("source")
    texts = page.locator(".legend[class*=group-]").all_inner_texts()
    assert [text.split() for text in texts] == [["ann", "2"], ["bob", "1"]]


def test_a_long_namespace_does_not_widen_a_phone(
    open_viewer: Callable[..., "Viewer"], tmp_path: "Path"
) -> None:
    """The list of namespaces is as wide as the screen, whatever their names."""
    path = tmp_path / "long.db"
    with Ghost.open(str(path), settings=Settings(embed_provider="none")) as ghost:
        ghost.put("team:" + "n" * 120, "tea", "Green tea.")
        ghost.put("team:a", "tea", "Green tea.")
    page = open_viewer(store=path, viewport={"width": 390, "height": 844}).show("#/graph")
    page.wait_for_selector(".graph-spaces")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
