"""Printing: data on standard output, everything else on standard error."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Protocol, TextIO

import click

from ghostmem.model import Memory, Record, Tier, plain
from ghostmem.text.excerpt import first_line, quoted_label, visible

_CONTROLS = {
    code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)
}  # JSON lets them through, and a terminal may obey them

HIDDEN_TIERS = (Tier.SENSORY, Tier.DORMANT)
AT_ONCE = 200  # lines of a list that are printed together


def dim(text: str) -> str:
    """Style secondary text."""
    return click.style(text, dim=True)


def bold(text: str) -> str:
    """Style important text."""
    return click.style(text, bold=True)


def _json_line(value: Any) -> str:
    line = json.dumps(plain(value), ensure_ascii=False)
    return line if line.isascii() and line.isprintable() else line.translate(_CONTROLS)


class Output:
    """Print values as text for people or as JSON for programs."""

    def __init__(self, as_json: bool, color: str) -> None:
        self.as_json = as_json
        # changes what is printed as JSON, and lets a list be one array
        self.shape: Callable[[Any], Any] | None = None
        self._progress: Progress | None = None
        # printed before any other output; a command that fails prints only its error
        self.first_note = ""
        self._color = {"auto": None, "always": True, "never": False}[color]

    def line(self, text: str = "") -> None:
        """Print lines of data as they are."""
        self.prepare()
        click.echo(text, color=self._color)

    def text(self, text: str) -> None:
        """Print text for people, wrapped to the width of a terminal."""
        self.line(_for_people(text, sys.stdout))

    def raw(self, text: str) -> None:
        """Print the text of a memory: unchanged into a pipe or file, escaped on a terminal."""
        self.prepare()
        if sys.stdout.isatty():
            click.echo(visible(text), color=self._color)
        else:
            sys.stdout.write(text + "\n")

    def note(self, text: str) -> None:
        """Print one line on standard error, wrapped to the width of a terminal."""
        self.prepare()
        click.echo(_for_people(text, sys.stderr), err=True, color=self._color)

    def notes(self, texts: Iterable[str], prefix: str = "note: ") -> None:
        """Print notes on standard error, unless the output is JSON, which has them as data."""
        for text in () if self.as_json else texts:
            self.note(f"{prefix}{visible(text)}")

    def json(self, value: Any) -> None:
        """Print a value as one line of JSON."""
        self.prepare()
        click.echo(_json_line(value if self.shape is None else self.shape(plain(value))))

    def show(self, value: Record | dict[str, Any], text: str, verbatim: bool = False) -> None:
        """Print one value, as JSON or as the given text.

        Args:
            value: What is printed as JSON.
            text: What is printed for people.
            verbatim: Whether the text is meant to be copied, and is never wrapped.
        """
        if self.as_json:
            self.json(value)
        else:
            self.line(text) if verbatim else self.text(text)

    def show_all(
        self, values: Iterable[Any], text: Callable[[Any], str], nothing: str = ""
    ) -> None:
        """Print values one per line; without any, print `nothing` on standard error."""
        if self.as_json and self.shape is not None:
            self.json(list(values))
            return
        # what comes bit by bit is shown bit by bit
        size = AT_ONCE if isinstance(values, list) else 1
        line, print_lines = (_json_line, self.line) if self.as_json else (text, self.text)
        remaining = iter(values)
        is_empty = True
        while lines := [line(value) for value in islice(remaining, size)]:
            is_empty = False
            print_lines("\n".join(lines))
        if is_empty and nothing and not self.as_json:
            self.note(nothing)

    def end_progress(self) -> None:
        """Remove the line of the progress."""
        if self._progress is not None:
            self._progress.clear()

    def prepare(self) -> None:
        """Prepare for output: print the first note, and remove the line of the progress."""
        text, self.first_note = self.first_note, ""
        if text and not self.as_json:
            click.echo(dim(text), err=True, color=self._color)
        self.end_progress()

    def confirm(self, question: str, yes: bool) -> None:
        """Ask for confirmation on a terminal; elsewhere the command itself is the confirmation."""
        if yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return
        if not click.confirm(question, err=True):
            self.note("nothing was changed")
            raise click.exceptions.Exit(1)

    def progress(self, label: str) -> "Progress":
        """Return a function that shows a count on a terminal; without one, that work goes on."""
        self.prepare()
        self._progress = Progress(label)
        return self._progress


class Progress:
    """A line on a terminal that shows, after a second, that work goes on and how much is done.

    A phase has its own label and total.
    """

    def __init__(self, label: str, total: int = 0, on_terminal: bool | None = None) -> None:
        self._label, self._total, self._began = label, total, time.monotonic()
        self._on_terminal = sys.stderr.isatty() if on_terminal is None else on_terminal
        self._started, self._done, self._shown = self._began, 0, False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)
        if self._on_terminal:
            self._thread.start()

    def __call__(self, done: int, total: int = 0) -> None:
        """Show the count, and the remaining time if the total is known."""
        self._done, self._total = done, total or self._total
        if self._on_terminal:
            self._draw()

    def _repeat(self) -> None:
        while not self._stop.wait(1.05):
            self._draw()

    def _draw(self) -> None:
        at = time.monotonic()
        if at - self._started > 1:
            line = self.text(self._done, at - self._began)
            click.echo(f"\r\x1b[K{line}", nl=False, err=True, color=True)
            self._shown = True

    def text(self, done: int, passed: float) -> str:
        """Return the line for a count after some seconds."""
        if not self._total:
            return f"{self._label}: {done:,}" if done else f"{self._label} … {_duration(passed)}"
        left = passed / done * max(0, self._total - done) if done else 0.0
        about = f", about {_duration(left)} left" if 0 < done < self._total else ""
        return f"{self._label}: {done:,} of {self._total:,}{about}"

    def phase(self, label: str, total: int) -> "Progress":
        """Start a phase with a known total; later calls count its items."""
        self._label, self._total, self._began, self._done = label, total, time.monotonic(), 0
        return self

    def clear(self) -> None:
        """Remove the line before something else is printed; the next count shows it again."""
        self._stop.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True, color=True)
            self._shown = False


def _duration(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 90
        else f"{seconds / 60:.0f} min"
        if seconds < 5400
        else f"{seconds / 3600:.1f} h"
    )


def _for_people(text: str, stream: TextIO) -> str:
    """Return a text as it is printed: wrapped on a terminal, unchanged elsewhere."""
    if not stream.isatty():
        return text
    from ghostmem.cli.terminal import terminal_size, wrapped

    return wrapped(text, terminal_size()[0])


class HasName(Protocol):
    """Anything with a namespace and a key."""

    @property
    def ns(self) -> str: ...
    @property
    def key(self) -> str: ...


def named(item: HasName) -> str:
    """Return `ns/key` with the key in bold."""
    return f"{dim(item.ns + '/')}{bold(visible(item.key))}"


def labels(memory: Memory) -> list[str]:
    """Return priority and tags of a memory, and the tier where it is hidden by default."""
    parts = [str(memory.tier)] if memory.tier in HIDDEN_TIERS else []
    parts += [str(memory.priority)] if memory.priority != "normal" else []
    parts += ["pinned"] if memory.pinned else []
    return [*parts, *(f"#{quoted_label(tag)}" for tag in memory.tags)]


def row(memory: Memory) -> str:
    """Return a memory as an entry of a list: name, date, labels, first line."""
    about = " ".join((f"{memory.created_at:%Y-%m-%d}  v{memory.version}", *labels(memory)))
    return f"{named(memory)}  {dim(about)}\n    {first_line(memory.content, 110)}"


def bar(share: float, width: int) -> str:
    """Return a bar for a share of the whole."""
    return "█" * max(1, round(share * width)) if share > 0 else ""


def plural(count: int, noun: str) -> str:
    """Return `1 memory`, `2 memories`."""
    if count == 1:
        return f"1 {noun}"
    ending = "es" if noun.endswith("s") else "s"
    regular = f"{noun[:-1]}ies" if noun.endswith("ry") else noun + ending
    return f"{count:,} {'children' if noun == 'child' else regular}"


def size(count: int) -> str:
    """Return a size in bytes as a person reads it."""
    units = {1e9: "GB", 1e6: "MB", 1e3: "KB"}
    large = (f"{count / least:.1f} {unit}" for least, unit in units.items() if count >= least)
    return next(large, f"{count} bytes")
