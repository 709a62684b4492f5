"""Take the screenshots of the viewer for the docs: every screen, light and dark, desktop and phone.

A store with realistic content (`demo_store.py`) is made and served at a fixed time, so that two
runs give the same pictures. Needs Chromium and playwright: `make screenshots`, or
`python tools/screenshots.py --only graph,memory`."""

import argparse
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Literal

from playwright.sync_api import Browser, Error, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).parent)]

from demo_store import fill_demo  # noqa: E402
from png import smaller  # noqa: E402

from browser.conftest import CHROMIUM, FLAGS  # noqa: E402
from ghostmem import Ghost, ids  # noqa: E402
from ghostmem.settings import Settings  # noqa: E402

NOW = datetime(2026, 3, 12, 14, 20, tzinfo=UTC)
SIZES: Mapping[str, ViewportSize] = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PATIENCE = 30_000  # milliseconds
LIVE = "#live-state[data-state=live]"
STILL = (
    "() => ![...document.querySelectorAll('#main .skeleton, #main "
    "[aria-busy=true]')].some((node) => node.checkVisibility())"
)
# the default provider, and a judge that is never cut short, so that the pictures stay the same
SETTINGS = Settings(embed_provider="local", rerank="on", rerank_deadline=60.0)


def _nothing(_: Page) -> None:
    """Do nothing before the picture."""


@dataclass(frozen=True)
class Screen:
    """A screen: its address, the element to wait for, and the actions before the screenshot."""

    place: str
    ready: str
    prepare: Callable[[Page], None] = _nothing
    store: str = "full"
    signed_in: bool = True
    ns: str = ""


def _diff(page: Page) -> None:
    page.locator(".compare").scroll_into_view_if_needed()
    page.evaluate("() => document.querySelector('.compare').scrollIntoView({block: 'center'})")


def _edit(page: Page) -> None:
    page.keyboard.press("e")
    page.wait_for_selector("dialog[open] textarea")
    for button in page.get_by_role("button", name="Use the stored text").all():
        button.click()  # the draft of the picture before
    text = page.locator("dialog[open] textarea").first
    text.fill(text.input_value().replace("10:00", "09:00"))


def _why(page: Page) -> None:
    page.locator(".why-button").first.click()


def _settled(page: Page) -> None:
    """Wait until the graph stops moving."""
    page.wait_for_function("() => document.querySelector('#graph')?.dataset.settled === 'true'")
    page.wait_for_function("() => document.querySelector('#graph').scene.view().full")


def _ask(page: Page) -> None:
    page.wait_for_timeout(300)


SCREENS: Mapping[str, Screen] = {
    "home": Screen("#/home", ".home-score"),
    "search": Screen("#/search?q=how do payments work", ".hit"),
    "receipt": Screen("#/search?q=how do payments work", ".hit", _why),
    "memory": Screen("#/memory/project%3Ashop/deploy", ".memory-text"),
    "versions": Screen("#/memory/project%3Ashop/release-friday", ".compare", _diff),
    "edit": Screen("#/memory/project%3Ashop/release-friday", ".memory-text", _edit),
    "timeline": Screen("#/timeline", ".time-place[aria-busy=false]"),
    "graph": Screen("#/graph?ns=project%3Ashop&colour=tag", "#graph", _settled, ns="project:shop"),
    "context": Screen(
        "#/context?q=how do payments work&budget=600",
        ".packed-card",
        _ask,
        ns="project:shop",
    ),
    "lifecycle": Screen("#/lifecycle", "#main[data-screen=lifecycle]", _ask),
    "settle": Screen("#/settle", ".decision"),
    "health": Screen("#/health", ".health-report[aria-busy=false]"),
    "empty": Screen("#/search", ".state", store="empty"),
    "error": Screen("#/memory/project%3Ashop/delivery", ".state.bad"),
    "sign-in": Screen("", "form", signed_in=False),
}


@contextmanager
def served(path: Path) -> Iterator[Callable[[], str]]:
    """Serve a store at the fixed time; return a function that makes an address that signs in."""
    from ghostmem.web.app import make_app
    from ghostmem.web.auth import ALWAYS
    from ghostmem.web.serve import address_of, listen, make_server
    from ghostmem.web.session import WebSessions

    sessions = WebSessions(strict=True)
    with Ghost.open(str(path), settings=SETTINGS, clock=lambda: NOW) as ghost:
        listening = listen("127.0.0.1", 0)
        server = make_server(
            make_app(ghost, require_tokens=ALWAYS, sessions=sessions, log=lambda _: None)
        )
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield lambda: f"{address_of(listening)}/?token={sessions.ticket()}"
        finally:
            server.should_exit = True
            thread.join()
            listening.close()


@contextmanager
def room(browser: Browser, address: str | None) -> Iterator[Page]:
    """Open a page with a fixed clock, signed in if an address is given."""
    found = browser.new_context(reduced_motion="reduce", locale="en-GB", timezone_id="UTC")
    found.set_default_timeout(PATIENCE)
    try:
        found.clock.set_fixed_time(NOW)
        page = found.new_page()
        if address:
            page.goto(address)
            page.wait_for_selector(LIVE, state="attached")
        yield page
    finally:
        found.close()


def pictures(page: Page, screen: Screen, base: str) -> Iterator[tuple[str, bytes]]:
    """Show a screen in every size and theme, and return the pictures with their names."""
    for size, viewport in SIZES.items():
        page.set_viewport_size(viewport)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            if screen.signed_in and page.locator("#ns").input_value() != screen.ns:
                page.select_option("#ns", screen.ns)
            page.goto("about:blank")
            page.goto(base + screen.place)
            page.wait_for_selector(screen.ready)
            if screen.signed_in:
                page.wait_for_selector(LIVE, state="attached")
                page.wait_for_function(STILL)
            screen.prepare(page)
            page.wait_for_timeout(250)
            yield f"{size}-{theme}", page.screenshot(animations="disabled", caret="hide")


def take(out: Path, only: set[str]) -> Iterator[tuple[Path, int]]:
    """Take the pictures and return each file with its size."""
    folder = Path(tempfile.mkdtemp(prefix="ghost-screens-"))
    stores = {"full": folder / "memory.db", "empty": folder / "new" / "memory.db"}
    stores["empty"].parent.mkdir()
    try:
        ids.os = SimpleNamespace(urandom=Random(11).randbytes, getpid=os.getpid)  # type: ignore[attr-defined, assignment]  # the pictures show ids
        fill_demo(str(stores["full"]), NOW)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=CHROMIUM, args=[*FLAGS, "--font-render-hinting=none"], headless=True
            )
            for kind, path in stores.items():
                with served(path) as address:
                    for inside in (True, False):
                        wanted = {
                            name: screen
                            for name, screen in SCREENS.items()
                            if (screen.store, screen.signed_in) == (kind, inside)
                            and (not only or name in only)
                        }
                        if not wanted:
                            continue
                        with room(browser, address() if inside else None) as page:
                            for name, screen in wanted.items():
                                try:
                                    for which, made in pictures(
                                        page, screen, address().partition("?")[0]
                                    ):
                                        file = out / f"viewer-{name}-{which}.png"
                                        file.write_bytes(smaller(made))
                                        yield file, file.stat().st_size
                                except Error as error:
                                    yield out / f"viewer-{name}: {error.message.splitlines()[0]}", 0
            browser.close()
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """Take the pictures that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument(
        "--only", default="", help=f"names, separated by commas: {', '.join(SCREENS)}"
    )
    given = parser.parse_args()
    only = {name for name in given.only.split(",") if name}
    if unknown := only - set(SCREENS):
        parser.error(f"there is no screen {min(unknown)}")
    given.out.mkdir(parents=True, exist_ok=True)
    total, failed = 0, False
    for file, size in take(given.out, only):
        total += size
        failed = failed or not size
        print(
            f"{size / 1000:7.1f} KB  {file.name}" if size else f"   failed  {file.name}", flush=True
        )
    print(f"{total / 1e6:7.2f} MB  in all")
    sys.exit(failed)


if __name__ == "__main__":
    main()
