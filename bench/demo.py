"""Show a tour of Ghost in half a minute: `python -m bench.demo` (`make demo`).

Every line after a `$` is a real command, run by the `ghost` program beside this Python, in a
temporary folder that is its home and that is gone afterwards. The tour is a table: to show
something new, add a chapter or a step."""

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
                "A fact. It has a key, so that it can be read, changed and removed by "
                "name, and tags.",
                'ghost put -k sams-tea --kind semantic -t user:sam "Sam drinks green tea, '
                'never coffee."',
                expect="created",
            ),
            Step(
                "A way of doing things, more important than most.",
                'ghost put -k deploy-days --kind procedural --importance 0.8 "We deploy on '
                'Tuesdays, never on Fridays."',
            ),
            Step(
                "Something that happened, with the day it happened on.",
                'ghost put -k outage --created-at 2026-03-09 -t project:shop "The shop was '
                'down for an hour: the disk was full."',
            ),
            Step(
                "Who the agent is: long-term and pinned, so it neither expires nor is tidied away.",
                'ghost put -k persona --tier identity -t identity "You are Ada. You are '
                'brief, and you ask when unsure."',
            ),
        ),
    ),
    Chapter(
        "Look",
        (
            Step(
                "Everything there is, newest first: version, kind, tier, tags.",
                "ghost list",
                expect="pinned",
            ),
            Step(
                "One memory by its key, exactly as it was put in.",
                "ghost get sams-tea",
                expect="never coffee",
            ),
            Step(
                "A key that is nearly right is an error that helps.",
                "ghost get sams-te || true",
                expect="did you mean sams-tea?",
            ),
            Step(
                "Every command also speaks JSON, one object to a line.",
                "ghost tags list --json",
                expect='"user:sam"',
            ),
        ),
    ),
    Chapter(
        "Find",
        (
            Step(
                "A question in other words than the memory's; `--explain` says what "
                "brought each hit to its place.",
                'ghost search "which beverage does Sam like?" --explain --limit 2',
                expect="agent:ada/sams-tea",
            ),
            Step(
                "A month in the question counts too, and `missed` is what came nearest "
                "without being shown.",
                'ghost search "why was the shop offline in March?" --explain --limit 1',
                expect="month +",
            ),
            Step(
                "A question about something that is not there: nothing is the answer.",
                'ghost search "how tall is the Eiffel tower?"',
                expect="nothing relevant",
            ),
            Step(
                "Meaning comes from a model inside the package; nothing was sent anywhere.",
                "ghost embed status",
                expect="local",
            ),
            Step(
                "A second model is a hundred times faster and almost as good. What it "
                "makes is kept apart until you decide.",
                "ghost config set embed_provider static",
            ),
            Step(
                "Now everything is embedded with it, and the vectors of the other are dropped.",
                "ghost embed switch",
                expect="gone",
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
                "Two facts that cannot both hold; the second says so.",
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
                "And something one has to know to go there.",
                'ghost put -k badge "Badges are made by Mrs. Lang."',
            ),
            Step("", "ghost edge add office badge -r depends_on"),
            Step(
                "A pack: what to read now, in order, within a budget. The stale fact never "
                "comes without its correction,"
                " and each memory says why it is there.",
                'ghost context "how do I get into the Berlin office?" --budget 150 --explain',
                expect="contradicted by move",
            ),
            Step(
                "The same as text that is safe to paste into a prompt: data with its "
                "source, never bare instructions.",
                'ghost context "how do I get into the Berlin office?" --budget 100 '
                "--exclude-pinned --render block",
                expect="</ghost-memory>",
            ),
            Step(
                "What really helped can be said, so that it stays.",
                "ghost used move badge",
                expect="helped",
            ),
            Step(
                "A summary stands for several memories, which all stay.",
                'ghost consolidate --summary-key office-facts --keys office,move "Berlin '
                'until March 2026, Munich since."',
                expect="stands for 2",
            ),
            Step("And opens again.", "ghost expand office-facts", expect="Torstrasse"),
        ),
    ),
    Chapter(
        "Change",
        (
            Step(
                "Putting to the same key writes a new version; kind, tags and the rest stay.",
                'ghost put -k sams-tea "Sam drinks black tea since the winter, never coffee."',
                expect="v2",
            ),
            Step(
                "Saying the same again is no new version: what is known is reinforced.",
                'ghost put -k sams-tea "Sam drinks black tea since the winter, never coffee."',
                expect="reinforced",
            ),
            Step("Nothing was overwritten.", "ghost history sams-tea", expect="[current]"),
            Step(
                "And the old words can still be read.",
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
                "A unified diff changes part of a text, if its context still matches.",
                "ghost patch how-we-deploy < change.diff",
                show="change.diff",
                expect="v2",
            ),
            Step("The result.", "ghost get how-we-deploy", expect="make check"),
        ),
    ),
    Chapter(
        "Notes where they lie",
        (
            Step(
                "A folder of daily notes, as people and agents keep them, is searched "
                "where it lies; its files are only read.",
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
                "One section is replaced, and nothing else of the file.",
                "ghost notes write -n notes:diary memory/2026-03-14.md < section.md",
                show="section.md",
                expect="wrote",
            ),
            Step(
                "What is written now is found now.",
                "ghost search -n notes:diary gate",
                expect="squeaks",
            ),
        ),
    ),
    Chapter(
        "Forget, and think better of it",
        (
            Step("Removing hides a memory.", "ghost rm deploy-days", expect="removed"),
            Step(
                "It is still there, and comes back.", "ghost restore deploy-days", expect="restored"
            ),
            Step(
                "A glance at what this agent knows, cheap enough for every prompt.",
                "ghost peek",
                expect="topics",
            ),
        ),
    ),
    Chapter(
        "Take it elsewhere",
        (
            Step(
                "Everything as lines of JSON, with all versions and counters.",
                "ghost export -o first.jsonl",
            ),
            Step("Into a second store.", "ghost --db second.db import first.jsonl", expect="new"),
            Step(
                "Out again: not a byte has changed on the way.",
                "ghost --db second.db export -o second.jsonl",
                same=("first.jsonl", "second.jsonl"),
            ),
            Step("The file, its rows and every index agree.", "ghost check", expect="clean"),
        ),
    ),
)


class Stop(Exception):  # noqa: N818
    """A step failed or printed something unexpected."""


class Tour:
    """One run: a folder, an environment, and a way of printing."""

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
                raise Stop(f"`{step.command}` did not say {step.expect!r}")
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
        run.say("Ghost: memory for AI agents that lasts", BOLD)
        run.say(f"A tour on a throw-away store in {name}; your own memories are not touched.")
        run.say("GHOST_NS is set to agent:ada, so no command has to name the agent.")
        try:
            for number, chapter in enumerate(tour, 1):
                run.chapter(number, chapter)
        except Stop as stop:
            run.say(f"\nThe tour stopped: {stop}", RED)
            return 1
    spent = time.monotonic() - began
    ghost = GHOST.relative_to(Path.cwd()) if GHOST.is_relative_to(Path.cwd()) else GHOST
    run.say(
        f"\nThat was it: {run.commands} commands in {spent:.1f} seconds, and the store is "
        "gone again.",
        BOLD,
    )
    run.say(f"Your turn: `{ghost} --help`; docs/index.md leads on.")
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
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0


if __name__ == "__main__":
    sys.exit(main())
