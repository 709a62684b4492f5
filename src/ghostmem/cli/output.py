"""Printing: data on standard output, everything else on standard error."""

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import click

from ghostmem.model import Memory, Record, plain
from ghostmem.text.excerpt import first_line, visible

_CONTROLS = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}  # JSON lets them through, and a terminal may obey them


class Output:
    """Print values as text for people or as JSON for programs."""

    def __init__(self, as_json: bool, color: str) -> None:
        self.as_json = as_json
        self._color = {"auto": None, "always": True, "never": False}[color]

    def line(self, text: str = "") -> None:
        """Print one line of data."""
        click.echo(text, color=self._color)

    def raw(self, text: str) -> None:
        """Print a memory's own text: to the byte into a pipe or file, harmless on a terminal."""
        if sys.stdout.isatty():
            click.echo(visible(text), color=self._color)
        else:
            sys.stdout.write(text + "\n")

    def note(self, text: str) -> None:
        """Print one line beside the data."""
        click.echo(text, err=True, color=self._color)

    def json(self, value: Any) -> None:
        """Print a value as one line of JSON."""
        import json

        click.echo(json.dumps(plain(value), ensure_ascii=False).translate(_CONTROLS))

    def one(self, value: Record | dict[str, Any], text: str) -> None:
        """Print one value: JSON, or the given text."""
        self.json(value) if self.as_json else self.line(text)

    def many(self, values: Iterable[Any], text: Callable[[Any], str], nothing: str = "") -> None:
        """Print values one per line; when there are none, say so beside the data."""
        empty = True
        for value in values:
            empty = False
            self.json(value) if self.as_json else self.line(text(value))
        if empty and nothing and not self.as_json:
            self.note(nothing)

    def confirm(self, question: str, yes: bool) -> None:
        """Ask on a terminal; elsewhere the command itself is the word."""
        if yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return
        if not click.confirm(question, err=True):
            self.note("nothing was changed")
            raise click.exceptions.Exit(1)

    def progress(self, label: str) -> Callable[[int], None]:
        """Return a function that shows a count on a terminal once the work takes longer than a second."""
        began = time.monotonic()

        def show(done: int) -> None:
            if sys.stderr.isatty() and time.monotonic() - began > 1:
                click.echo(f"\r{label}: {done:,}", nl=False, err=True)

        return show


def dim(text: str) -> str:
    """Style what is beside the point."""
    return click.style(text, dim=True)


def bold(text: str) -> str:
    """Style what matters."""
    return click.style(text, bold=True)


def named(memory: Memory) -> str:
    """Return `ns/key` with the key standing out."""
    return f"{dim(memory.ns + '/')}{bold(visible(memory.key))}"


def described(memory: Memory) -> str:
    """Return a memory's particulars in one short text."""
    parts = [str(memory.kind), str(memory.tier)]
    if memory.priority != "normal":
        parts.append(str(memory.priority))
    parts += ["pinned"] if memory.pinned else []
    parts += [f"#{visible(tag)}" for tag in memory.tags]
    return " ".join(parts)


def row(memory: Memory) -> str:
    """Return a memory as a line of a listing: name, particulars, date, start of the text."""
    about = f"{memory.created_at:%Y-%m-%d}  v{memory.version} {described(memory)}"
    return f"{named(memory)}  {dim(about)}\n    {first_line(memory.content, 110)}"


def plural(count: int, noun: str) -> str:
    """Return `1 memory`, `2 memories`."""
    if count == 1:
        return f"1 {noun}"
    if noun == "child":
        return f"{count:,} children"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("ry") else f"{count:,} {noun}s"


def size(count: int) -> str:
    """Return a size in bytes as a person reads it."""
    value = float(count)
    for unit in ("bytes", "KB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
