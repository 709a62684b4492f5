"""A real headless Chromium on a real `ghost web` process, over a store that looks like somebody's."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import apsw
import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

CHROMIUM = os.environ.get("CHROMIUM") or next(
    (
        found
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    None,
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TIMEOUT = 30_000  # milliseconds; the machine may be busy


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start the browser once; each test gets a fresh profile of its own in it."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install '.[dev]'"
    )
    if CHROMIUM is None:
        pytest.skip(
            "there is no Chromium here: install Debian's `chromium`, or name one with CHROMIUM"
        )
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS, headless=True)
        yield browser
        browser.close()


@dataclass
class Viewer:
    """A running `ghost web`, and a page that is signed in to it."""

    url: str
    path: Path
    process: "subprocess.Popen[str]"
    page: Any
    problems: list[str] = field(default_factory=list)

    @property
    def base(self) -> str:
        """Return the address without the one-time token."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def show(self, place: str) -> Any:
        """Go to a screen, such as `#/search?q=tea`, and return the page."""
        self.page.goto("about:blank")  # so that nothing of the screen before is taken for this one
        self.page.goto(f"{self.base}/{place}")
        self.page.wait_for_selector("#main[data-screen], #main > .state")
        return self.page

    def store(self) -> Ghost:
        """Open the store beside the server, as another process would."""
        return Ghost.open(str(self.path), settings=Settings(embed_provider="none"))

    def ghost(self, *args: str) -> str:
        """Run the command in another process on the same store."""
        line = [sys.executable, "-m", "ghostmem", "--db", str(self.path), *args]
        return subprocess.run(
            line,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env=environment(self.path),
        ).stdout


def environment(path: Path, provider: str = "none") -> dict[str, str]:
    """Return what a process of ours may see: a home of its own, and an embedding provider."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    return {**kept, "HOME": str(path.parent), "GHOST_EMBED_PROVIDER": provider}


@pytest.fixture(scope="session")
def believable_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the store once; tests work on copies of it."""
    from browser.believable import fill

    path = tmp_path_factory.mktemp("store") / "memory.db"
    fill(str(path), datetime.now(UTC))
    return path


def run_web(
    path: Path, *options: str, provider: str = "none"
) -> "tuple[subprocess.Popen[str], str]":
    """Run `ghost web` on a store; return the process and the address it printed."""
    line = [
        sys.executable,
        "-m",
        "ghostmem",
        "--db",
        str(path),
        "--json",
        "web",
        "--no-open",
        *options,
    ]
    process = subprocess.Popen(
        line, stdout=subprocess.PIPE, text=True, env=environment(path, provider)
    )
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())["url"]


def stop(process: "subprocess.Popen[str]") -> None:
    """Stop a server, which must end well."""
    process.terminate()
    assert process.wait(60) == 0
    process.stdout.close()  # type: ignore[union-attr]


def new_page(chromium: Any, viewer: Viewer, **context: Any) -> None:
    """Give a viewer a page with a fresh profile, and note everything that goes wrong on it."""
    room = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **context})
    room.set_default_timeout(TIMEOUT)
    viewer.page = page = room.new_page()
    page.on("pageerror", lambda error: viewer.problems.append(str(error)))
    page.on(
        "console", lambda said: viewer.problems.append(said.text) if said.type == "error" else None
    )

    def refuse(box: Any) -> None:
        viewer.problems.append(f"a dialog of the browser: {box.message}")
        box.dismiss()

    page.on("dialog", refuse)


@contextmanager
def served(folder: Path, store: Path, chromium: Any, provider: str = "none") -> Iterator[Viewer]:
    """Serve a copy of a store until the block ends, with a page that is signed in."""
    path = folder / "memory.db"
    shutil.copy(store, path)
    process, url = run_web(path, provider=provider)
    viewer = Viewer(url, path, process, None)
    new_page(chromium, viewer)
    viewer.page.goto(url)
    viewer.page.wait_for_selector(".nav")
    yield viewer
    viewer.page.context.close()
    stop(process)


@pytest.fixture(scope="session")
def spare_server(
    tmp_path_factory: pytest.TempPathFactory, believable_store: Path, chromium: Any
) -> Iterator[Viewer]:
    """Serve a copy of the believable store for tests that change it, one after the other, each from the beginning."""
    with served(tmp_path_factory.mktemp("spare"), believable_store, chromium) as viewer:
        yield viewer


def begin_again(path: Path, store: Path) -> None:
    """Make a store under a running server what another one is."""
    with (
        closing(apsw.Connection(str(path))) as into,
        closing(apsw.Connection(str(store))) as source,
    ):
        into.set_busy_timeout(30_000)
        with into.backup("main", source, "main") as copy:
            copy.step()


@pytest.fixture
def open_viewer(
    request: pytest.FixtureRequest, tmp_path: Path, believable_store: Path, chromium: Any
) -> Iterator[Callable[..., Viewer]]:
    """Return a function that serves a store with `ghost web` and opens its page; nothing it did may have gone wrong unseen."""
    opened: list[Viewer] = []
    spare: Viewer | None = None

    def run(
        *options: str,
        store: Path | None = None,
        sign_in: bool = True,
        own: bool = False,
        **context: Any,
    ) -> Viewer:
        nonlocal spare
        if (
            not (options or store or own or opened) and sign_in
        ):  # starting a server takes longer than most tests
            spare = request.getfixturevalue("spare_server")
            begin_again(spare.path, believable_store)
            viewer = Viewer(spare.url, spare.path, spare.process, None)
            opened.append(viewer)
            new_page(chromium, viewer, **context)
            viewer.page.context.add_cookies(spare.page.context.cookies())
            viewer.page.goto(viewer.base)
            viewer.page.wait_for_selector(".nav")
            return viewer
        path = tmp_path / f"store{len(opened)}" / "memory.db"
        path.parent.mkdir()
        shutil.copy(store or believable_store, path)
        process, url = run_web(path, *options)
        viewer = Viewer(url, path, process, None)
        opened.append(viewer)
        new_page(chromium, viewer, **context)
        if sign_in:
            viewer.page.goto(url)
            viewer.page.wait_for_selector(".nav")
        return viewer

    yield run
    for viewer in opened:
        viewer.page.context.close()
        if spare is None or viewer.process is not spare.process:
            stop(viewer.process)
        assert viewer.problems == []
        with viewer.store() as ghost:
            assert ghost.admin.check().problems == ()


@pytest.fixture
def viewer(open_viewer: Callable[..., Viewer]) -> Viewer:
    """Open the page on a copy of the believable store, signed in, at 1280 by 800: for tests that change something."""
    return open_viewer()


@pytest.fixture(scope="session")
def shared_server(
    tmp_path_factory: pytest.TempPathFactory, believable_store: Path, chromium: Any
) -> Iterator[Viewer]:
    """Serve the believable store once for all tests that only look."""
    with served(tmp_path_factory.mktemp("shared"), believable_store, chromium) as viewer:
        yield viewer


@pytest.fixture
def open_look(shared_server: Viewer, chromium: Any) -> Iterator[Callable[..., Viewer]]:
    """Return a function that opens a page on the shared server, signed in; the test must change nothing there."""
    opened: list[Viewer] = []
    with shared_server.store() as ghost:
        before = ghost.admin.verify_log().head

    def run(**context: Any) -> Viewer:
        viewer = Viewer(shared_server.url, shared_server.path, shared_server.process, None)
        new_page(chromium, viewer, **context)
        viewer.page.context.add_cookies(shared_server.page.context.cookies())
        opened.append(viewer)
        return viewer

    yield run
    for viewer in opened:
        viewer.page.context.close()
        assert viewer.problems == []
    with shared_server.store() as ghost:
        assert ghost.admin.verify_log().head == before, (
            "a test that only looks has changed the store"
        )


@pytest.fixture
def look(open_look: Callable[..., Viewer]) -> Viewer:
    """Open a page on the shared server at 1280 by 800: for tests that change nothing, which is much faster than `viewer`."""
    return open_look()
