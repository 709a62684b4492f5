"""Show a tour of Ghost in half a minute: `python -m bench.demo` (`make demo`).

Every line after a `$` is a real command, run by the `ghost` program of this Python in a temporary
home. The tour is a table: to show something new, add a chapter or a step."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

GHOST = Path(sys.executable).parent / ("ghost.exe" if os.name == "nt" else "ghost")
BOLD, DIM, GREEN, RED, OFF = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[0m"

FILES = {
    "diary/memory/2026-03-14.md": """\
        ---
        weather: rain
        ---
        # Saturday

        Planted rhubarb along the fence.
    """,
    "section.md": """\
        # Saturday

        Planted rhubarb along the fence. The gate squeaks.
    """,
    "notes.md": """\
        # The web shop

        Sam's shop sells tea. Everything runs on one small server.

        ## How we deploy

        1. Tag the release.
        2. Run `make ship`.
        3. Watch the error log for ten minutes.

        ## Known bugs

        - The cart forgets a coupon when the page is reloaded.
        """,
    "change.diff": """\
        --- how-we-deploy
        +++ how-we-deploy
        @@ -1,3 +1,3 @@
         1. Tag the release.
        -2. Run `make ship`.
        +2. Run `make check`, then `make ship`.
         3. Watch the error log for ten minutes.
        """,
}


@dataclass(frozen=True)
class Step:
    """An explanation, a command, a file to show first, its expected text, and files to compare."""

    why: str
    command: str
    show: str = ""
    expect: str = ""
    same: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chapter:
    """Steps that belong together."""

    title: str
    steps: tuple[Step, ...]


TOUR = (
    Chapter(
        "Remember",
        (
            Step(
                "A fact. Its key is the name to read, change and delete it by.",
                'ghost put -k sams-tea --kind semantic -t user:sam "Sam drinks green tea, '
                'never coffee."',
                expect="created",
            ),
            Step(
                "A procedure, more important than most.",
                'ghost put -k deploy-days --kind procedural --importance 0.8 "We deploy on '
                'Tuesdays, never on Fridays."',
            ),
            Step(
                "An event, with its date.",
                'ghost put -k outage --created-at 2026-03-09 -t project:shop "The shop was '
                'down for an hour: the disk was full."',
            ),
            Step(
                "The identity of the agent: long-term and pinned, so maintenance never changes it.",
                'ghost put -k persona --tier identity -t identity "You are Ada. You are '
                'brief, and you ask when unsure."',
            ),
        ),
    ),
    Chapter(
        "Look",
        (
            Step(
                "All memories, newest first, with version, kind, tier and tags.",
                "ghost list",
                expect="pinned",
            ),
            Step(
                "One memory by its key, exactly as stored.",
                "ghost get sams-tea",
                expect="never coffee",
            ),
            Step(
                "A wrong key gives a suggestion.",
                "ghost get sams-te || true",
                expect="did you mean sams-tea?",
            ),
            Step(
                "Every command can print JSON, one object per line.",
                "ghost tags list --json",
                expect='"user:sam"',
            ),
        ),
    ),
    Chapter(
        "Find",
        (
            Step(
                "A question in other words; `--explain` shows the parts of each score.",
                'ghost search "which beverage does Sam like?" --explain --limit 2',
                expect="agent:ada/sams-tea",
            ),
            Step(
                "A month in the question counts; `missed` lists the nearest memories not shown.",
                'ghost search "why was the shop offline in March?" --explain --limit 1',
                expect="month +",
            ),
            Step(
                "A question without an answer in the store.",
                'ghost search "how tall is the Eiffel tower?"',
                expect="nothing relevant",
            ),
            Step(
                "The embedding model is inside the package; nothing is sent anywhere.",
                "ghost embed status",
                expect="local",
            ),
            Step(
                "A second model is a hundred times faster and almost as good.",
                "ghost config set embed_provider static",
            ),
            Step(
                "Embed everything with it and drop the vectors of the first model.",
                "ghost embed switch",
                expect="were deleted",
            ),
            Step(
                "The answer is the same.",
                'ghost search "which beverage does Sam like?" --limit 1',
                expect="agent:ada/sams-tea",
            ),
        ),
    ),
    Chapter(
        "Give an agent what it needs",
        (
            Step(
                "Two facts that contradict each other, and an edge that says so.",
                'ghost put -k office --kind semantic --created-at 2026-01-10 "The office '
                'is in Berlin, Torstrasse 5."',
            ),
            Step(
                "",
                'ghost put -k move --kind semantic --created-at 2026-03-01 "Everybody '
                'works from Munich since March."',
            ),
            Step("", "ghost edge add move office -r contradicts", expect="0.90"),
            Step(
                "A fact that the first one depends on.",
                'ghost put -k badge "Badges are made by Mrs. Lang."',
            ),
            Step("", "ghost edge add office badge -r depends_on"),
            Step(
                "A context: memories to read now, within a token budget. An outdated fact never "
                "comes without its correction, and each memory shows why it is included.",
                'ghost context "how do I get into the Berlin office?" --budget 150 --explain',
                expect="contradicted by move",
            ),
            Step(
                "The same as text for a prompt: data with its source, never bare instructions.",
                'ghost context "how do I get into the Berlin office?" --budget 100 '
                "--exclude-pinned --render block",
                expect="</ghost-memory>",
            ),
            Step(
                "Mark memories that helped, so that they are kept.",
                "ghost used move badge",
                expect="helped",
            ),
            Step(
                "A summary of several memories, which all stay.",
                'ghost consolidate --summary-key office-facts --keys office,move "Berlin '
                'until March 2026, Munich since."',
                expect="summarises 2",
            ),
            Step(
                "Show the memories behind a summary.",
                "ghost expand office-facts",
                expect="Torstrasse",
            ),
        ),
    ),
    Chapter(
        "Change",
        (
            Step(
                "A put to the same key writes a new version; kind, tags and other fields stay.",
                'ghost put -k sams-tea "Sam drinks black tea since the winter, never coffee."',
                expect="v2",
            ),
            Step(
                "The same text again makes no new version; the memory is reinforced.",
                'ghost put -k sams-tea "Sam drinks black tea since the winter, never coffee."',
                expect="reinforced",
            ),
            Step("Nothing was overwritten.", "ghost history sams-tea", expect="[current]"),
            Step(
                "Old versions can still be read.",
                "ghost get sams-tea --version 1",
                expect="green tea",
            ),
        ),
    ),
    Chapter(
        "Read a file",
        (
            Step(
                "A markdown file becomes one memory per section.",
                "ghost ingest notes.md -t project:shop",
                show="notes.md",
                expect="3 sections",
            ),
            Step(
                "A unified diff changes part of a text if its context matches.",
                "ghost patch how-we-deploy < change.diff",
                show="change.diff",
                expect="v2",
            ),
            Step("The result.", "ghost get how-we-deploy", expect="make check"),
        ),
    ),
    Chapter(
        "Search your notes",
        (
            Step(
                "Ghost indexes a folder of daily notes in place; it only reads the files.",
                "ghost notes add diary -n notes:diary",
                show="diary/memory/2026-03-14.md",
                expect="daily",
            ),
            Step(
                "A hit names the file and the line.",
                'ghost search --in notes -n notes:diary "what grows along the fence?"',
                expect="2026-03-14.md:6",
            ),
            Step(
                "Replace one section of a file and nothing else.",
                "ghost notes write -n notes:diary memory/2026-03-14.md < section.md",
                show="section.md",
                expect="wrote",
            ),
            Step(
                "A change is found at once.",
                "ghost search -n notes:diary gate",
                expect="squeaks",
            ),
        ),
    ),
    Chapter(
        "Remove and restore",
        (
            Step("Deleting hides a memory.", "ghost rm deploy-days", expect="deleted"),
            Step("Restoring brings it back.", "ghost restore deploy-days", expect="restored"),
            Step(
                "A short overview of this agent's memories.",
                "ghost peek",
                expect="topics",
            ),
        ),
    ),
    Chapter(
        "Export and import",
        (
            Step(
                "Export everything as JSON lines, with all versions and counters.",
                "ghost export -o first.jsonl",
            ),
            Step(
                "Import it into a second store of your own.",
                "ghost --db second.db import --trust first.jsonl",
                expect="new",
            ),
            Step(
                "Export again: the bytes are the same.",
                "ghost --db second.db export -o second.jsonl",
                same=("first.jsonl", "second.jsonl"),
            ),
            Step("Check the file, its rows and every index.", "ghost check", expect="clean"),
        ),
    ),
)


class Stop(Exception):  # noqa: N818
    """A step failed or printed something unexpected."""


class Tour:
    """One run: its folder, environment and colours."""

    def __init__(self, folder: Path, colour: bool) -> None:
        self.folder = folder
        self.colour = colour
        self.commands = 0
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GHOST_", "AGENT_MEMORY_"))
        }
        own = {
            "HOME": str(folder),
            "USERPROFILE": str(folder),
            "GHOST_DB": str(folder / "memory.db"),
            "GHOST_NS": "agent:ada",
        }
        self.env = {**kept, **own, "GHOST_COLOR": "always" if colour else "never"}
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(textwrap.dedent(text), encoding="utf-8", newline="\n")

    def say(self, text: str = "", style: str = "") -> None:
        """Print a line."""
        print(f"{style}{text}{OFF}" if style and self.colour else text, flush=True)

    def chapter(self, number: int, chapter: Chapter) -> None:
        """Show a chapter."""
        self.say(f"\n{number}. {chapter.title}", BOLD)
        for step in chapter.steps:
            if step.why:
                self.say(f"\n   {step.why}", DIM)
            if step.show:
                self.say(f"   $ cat {step.show}", GREEN)
                self.say(
                    textwrap.indent(
                        (self.folder / step.show).read_text(encoding="utf-8").rstrip(), "     "
                    )
                )
            self.say(f"   $ {step.command}", GREEN)
            output = self.run(step.command)
            if output:
                self.say(textwrap.indent(output, "     "))
            if step.expect not in re.sub(r"\x1b\[[0-9;]*m", "", output):
                raise Stop(f"`{step.command}` did not print {step.expect!r}")
            if step.same:
                self.compare(*step.same)

    def run(self, line: str) -> str:
        """Run one command and return its output.

        `|| true` allows it to fail, `< FILE` is its input.
        """
        self.commands += 1
        line, _, allowed = line.partition(" || ")
        line, _, source = line.partition(" < ")
        done = subprocess.run(
            [GHOST, *shlex.split(line)[1:]],
            check=False,
            cwd=self.folder,
            env=self.env,
            input=(self.folder / source).read_bytes() if source else b"",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        output = done.stdout.decode().rstrip()
        if done.returncode and not allowed:
            raise Stop(f"`{line}` ended with exit code {done.returncode}:\n{output}")
        return output

    def compare(self, one: str, other: str) -> None:
        """Compare two files byte by byte."""
        first, second = (self.folder / one).read_bytes(), (self.folder / other).read_bytes()
        if first != second:
            raise Stop(f"{one} and {other} differ")
        self.say(f"   ✓ {one} and {other} are the same {len(first):,} bytes", GREEN)


def show(tour: Sequence[Chapter], colour: bool) -> int:
    """Show the tour and return the exit code."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ghost-demo-") as name:
        run = Tour(Path(name).resolve(), colour)
        run.say("Ghost: persistent memory for AI agents", BOLD)
        run.say(f"A tour on a temporary store in {name}; your own memories are not touched.")
        run.say("GHOST_NS is set to agent:ada, so commands need no -n.")
        try:
            for number, chapter in enumerate(tour, 1):
                run.chapter(number, chapter)
        except Stop as stop:
            run.say(f"\nThe tour stopped: {stop}", RED)
            return 1
    spent = time.monotonic() - began
    ghost = GHOST.relative_to(Path.cwd()) if GHOST.is_relative_to(Path.cwd()) else GHOST
    run.say(
        f"\nThat was it: {run.commands} commands in {spent:.1f} seconds. The store is deleted.",
        BOLD,
    )
    run.say(f"Your turn: `{ghost} --help`; the documentation starts at docs/index.md.")
    return 0


def wants_colour() -> bool:
    """Say whether to print in colour."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def main() -> int:
    """Run the tour."""
    if not GHOST.exists():
        print(f"there is no {GHOST}: run `make demo`, which installs it", file=sys.stderr)
        return 1
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        return show(TOUR, wants_colour())
    except BrokenPipeError:  # the reader closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0


if __name__ == "__main__":
    sys.exit(main())
