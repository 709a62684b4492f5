"""The viewer as an app in a host's frame: a real browser, a real store, and a host that only passes messages on"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.mcp.app import html
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.settings import Settings

HOSTILE = '<img src=x onerror="parent.hacked=1"><script>parent.hacked=1</script> [x](javascript:parent.hacked=1) **bold**'
# what a host must enforce when an app declares nothing, put before anything else in the document
POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' 'unsafe-inline';"
    " style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'; object-src 'none'\">"
)
HOST = """<!doctype html><title>host</title><body><script>
window.said = [];
window.context = {theme: "dark"};
const frame = document.createElement("iframe");
frame.sandbox = "allow-scripts";
frame.style.width = "640px";
frame.style.height = "600px";
frame.id = "app";
window.tell = (method, params) => frame.contentWindow.postMessage({jsonrpc: "2.0", method, params}, "*");
window.ask = (method) => new Promise((done) => {
  window.addEventListener("message", (event) => { if (event.data.id === "h1") done(event.data); });
  frame.contentWindow.postMessage({jsonrpc: "2.0", id: "h1", method, params: {}}, "*");
});
window.addEventListener("message", async (event) => {
  if (event.source !== frame.contentWindow) return;
  const {id, method, params} = event.data;
  if (!method) return;
  said.push({method, params});
  const answer = (result) => frame.contentWindow.postMessage({jsonrpc: "2.0", id, result}, "*");
  if (method === "ui/initialize") answer({protocolVersion: "2026-01-26", hostInfo: {name: "test", version: "1"}, hostCapabilities: {}, hostContext: context});
  else if (method === "tools/call") answer(JSON.parse(await callTool(params.name, JSON.stringify(params.arguments))));
  else if (method === "ui/open-link") answer({});
});
window.show = (text) => { frame.srcdoc = text; document.body.append(frame); };
</script>"""


class Host:
    """A page with the app in a frame, and the tools of a store behind it."""

    def __init__(self, page: Any, face: ToolServer) -> None:
        self.page, self.face = page, face
        self.app = page.frame_locator("#app")
        self.calls: list[tuple[str, dict[str, Any]]] = []
        page.expose_function("callTool", self.call)

    def call(self, name: str, arguments: str) -> str:
        """Call a tool, as the host passes it on."""
        given = json.loads(arguments)
        self.calls.append((name, given))
        return json.dumps(self.face.call(name, given))

    def open(self, result: bool = True, **given: str) -> None:
        """Show the app as the view of a call with these arguments."""
        self.page.goto("about:blank")  # a page of its own, not the one before written over
        self.page.set_content(HOST)
        self.page.evaluate("(text) => show(text)", POLICY + html())
        self.page.wait_for_function(
            "() => said.some((one) => one.method === 'ui/notifications/initialized')"
        )
        self.page.evaluate(
            "(given) => tell('ui/notifications/tool-input', {arguments: given})", given
        )
        if result:
            answer = self.face.call("ghost_show", given)
            self.page.evaluate("(answer) => tell('ui/notifications/tool-result', answer)", answer)

    def said(self, method: str) -> list[Any]:
        """Return what the app told the host by one method."""
        found: list[Any] = self.page.evaluate(
            "(method) => said.filter((one) => one.method === method).map((one) => one.params)",
            method,
        )
        return found


@pytest.fixture
def host(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Host]]:
    """Return a host over a store of four memories; nothing may go wrong in the browser unseen."""
    problems: list[str] = []
    room = chromium.new_context(viewport={"width": 700, "height": 700})
    room.set_default_timeout(30_000)
    with Ghost.open(str(tmp_path / "memory.db"), settings=Settings(embed_provider="none")) as ghost:
        ghost.put(
            "agent:me",
            "tea",
            "The user drinks *green tea*.\n\n- in the morning\n- see https://tea.example/green",
            tags=["taste"],
        )
        ghost.put("agent:me", "cup", "The cup is blue.", pinned=True)
        ghost.put("agent:me", "evil", HOSTILE, tags=["<b>tag</b>"])
        ghost.put("agent:other", "far", "Far away there is tea too.")
        ghost.edge("agent:me", "cup", "tea", "depends_on")
        page = room.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console", lambda said: problems.append(said.text) if said.type == "error" else None
        )
        yield Host(page, ToolServer(ghost, folder=str(tmp_path)))
        assert page.evaluate("() => window.hacked") is None
        room.close()
    assert problems == []


@pytest.mark.smoke
def test_the_handshake_and_the_first_result(host: Host) -> None:
    """It says who it is, takes the host's theme, draws the result of the call, and tells its size."""
    host.open(query="green tea", ns="agent:me")
    host.app.locator(".hit").first.wait_for()
    [hello] = host.said("ui/initialize")
    assert hello["appInfo"]["name"] == "ghost"
    assert hello["protocolVersion"] == "2026-01-26"
    assert host.app.locator(".hit h2").all_inner_texts() == ["tea"]
    assert host.app.locator("mark").all_inner_texts() == ["tea", "green", "tea", "tea", "green"]
    assert host.app.locator("#query").input_value() == "green tea"
    assert host.app.locator("html").get_attribute("data-theme") == "dark"
    host.page.wait_for_function(
        "() => said.some((one) => one.method === 'ui/notifications/size-changed')"
    )
    assert host.said("ui/notifications/size-changed")[-1]["height"] > 100
    assert host.calls == []
    host.page.evaluate("() => tell('ui/notifications/host-context-changed', {theme: 'light'})")
    host.app.locator("html[data-theme=light]").wait_for()


def test_searching_opening_and_going_back(host: Host) -> None:
    """A question goes to the server through the host; a hit opens on its own; links lead on; and back again."""
    host.open(query="green tea", ns="agent:me")
    host.app.locator("#query").fill("cup")
    host.app.locator("#query").press("Enter")
    host.app.locator(".hit h2", has_text="cup").wait_for()
    assert host.calls == [("ghost_show", {"ns": "agent:me", "query": "cup"})]
    host.app.locator(".why-button").first.click()
    assert host.app.locator(".receipt").first.is_visible()
    host.app.locator(".hit a", has_text="cup").first.click()
    host.app.locator("h1", has_text="cup").wait_for()
    assert host.calls[-1] == ("ghost_show", {"ns": "agent:me", "key": "cup"})
    host.app.locator(".app-links a", has_text="tea").click()
    host.app.locator("h1", has_text="tea").wait_for()
    assert host.app.locator(".app-text em").inner_text() == "green tea"
    assert host.app.locator(".app-text li").count() == 2
    host.app.get_by_role("button", name="Back to the results").click()
    host.app.locator(".hit h2", has_text="cup").wait_for()


def test_links_are_the_hosts_to_open(host: Host) -> None:
    """A link of the web is handed to the host, and the frame stays where it is."""
    host.open(key="tea", ns="agent:me")
    host.app.locator(".app-text a").click()
    host.page.wait_for_function("() => said.some((one) => one.method === 'ui/open-link')")
    assert host.said("ui/open-link") == [{"url": "https://tea.example/green"}]
    assert host.app.locator("h1").inner_text() == "tea"


@pytest.mark.parametrize(
    "given", [{"key": "evil"}, {"query": "bold"}, {}], ids=["memory", "results", "newest"]
)
def test_hostile_text_stays_text(host: Host, given: dict[str, str]) -> None:
    """Nothing that a memory holds becomes an element, runs, or is a link that does."""
    host.open(ns="agent:me", **given)
    host.app.get_by_text("<img src=x").first.wait_for()
    assert host.app.locator("#app img, #app script, #app b:text('tag')").count() == 0
    assert host.app.locator("a[href^='javascript' i]").count() == 0
    assert host.app.locator(".tag", has_text="<b>tag</b>").count() == 1


def test_nothing_errors_and_cancelling_are_said(host: Host) -> None:
    """No result, a refusal, and a call that was cancelled each have their own words, and one can go on from there."""
    host.open(query="zeppelin", ns="agent:me")
    host.app.get_by_text("Nothing relevant").wait_for()
    host.open(key="nope", ns="agent:me")
    host.app.get_by_text("memory not found: agent:me/nope").wait_for()
    host.app.get_by_role("button", name="Try again").click()
    host.app.get_by_text("memory not found").wait_for()
    assert host.calls[-1] == ("ghost_show", {"ns": "agent:me", "key": "nope"})
    host.open(result=False, query="tea", ns="agent:me")
    host.page.evaluate("() => tell('ui/notifications/tool-cancelled', {reason: 'stopped'})")
    host.app.get_by_text("The call was cancelled").wait_for()
    host.app.locator("#query").press("Enter")
    host.app.locator(".hit").first.wait_for()


def test_it_answers_the_host(host: Host) -> None:
    """A ping and the end are acknowledged, and what it does not know is refused."""
    host.open(ns="agent:me")
    for method, key in (
        ("ping", "result"),
        ("ui/resource-teardown", "result"),
        ("ui/no-such", "error"),
    ):
        assert key in host.page.evaluate("(method) => ask(method)", method)


def test_it_fits_a_narrow_frame(host: Host) -> None:
    """At the width of a phone nothing runs out of the frame."""
    host.open(ns="agent:me", query="tea")
    host.app.locator(".hit").first.wait_for()
    host.page.evaluate("() => { document.querySelector('#app').style.width = '340px'; }")
    widths = "(node) => [node.scrollWidth, node.clientWidth]"
    scroll, client = host.app.locator("html").evaluate(widths)
    assert scroll <= client == 340
