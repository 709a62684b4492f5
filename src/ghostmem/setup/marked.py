"""Write, replace and remove a block between marks in a text file, and keep every other byte.

An existing file gets one line end before the block (a blank line) and one after it. A file without
a final line end gets two before and none after, so that it still has no final line end. This tells
later which bytes to remove. A file that begins with the block was created for it and is deleted
with it.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from ghostmem.atomic import existing, sweep
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.notes.files import BOM, MISSING, decode, digest, read_bytes, remove_file, replace_file
from ghostmem.notes.lock import locked_elsewhere

# The most that a new file and its new folder allow: others must not change the commands in them.
NEW_MODES = (0o644, 0o755)
_Edit = Callable[[bytes | None], bytes | None]


@dataclass(frozen=True, slots=True)
class FileChange:
    """The bytes of a file before and after a change; None means that there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def action(self) -> str:
        """Return created, updated, deleted or unchanged."""
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "updated"

    @property
    def diff(self) -> str:
        """Return the change as a unified diff; empty if nothing changes."""
        old, new = (
            os.devnull if raw is None else str(self.path) for raw in (self.before, self.after)
        )
        lines = unified_diff(_lines(self.before), _lines(self.after), old, new)
        note = "\n\\ No newline at end of file\n"
        return "".join(line if line.endswith("\n") else line + note for line in lines)


def check_writable(change: FileChange) -> None:
    """Refuse to change a file that is read-only."""
    status = (
        existing(change.path)
        if (change.before is not None and change.action != "unchanged")
        else None
    )
    if status is not None and not status.st_mode & 0o222:
        raise InvalidInputError(
            "the file is read-only", "make it writable, or paste what --print shows"
        )


def write_change(real: Path, change: FileChange) -> None:
    """Write or delete the file at a real path, unless it was changed since it was read."""
    base = MISSING if change.before is None else digest(change.before)
    if change.after is None and change.before is not None:
        remove_file(real, base)
    elif change.after is not None and change.after != change.before:
        replace_file(real, change.after, base, *NEW_MODES)


def check_inside(path: Path, folder: Path) -> None:
    """Refuse a file of a project whose real path is outside the project.

    A cloned repository may contain links to anywhere.

    Args:
        path: the file to be changed.
        folder: a folder of the project. The project is the Git repository around it, or the
            folder itself without one.
    """
    real, start = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    root = next((parent for parent in (start, *start.parents) if (parent / ".git").exists()), start)
    if not real.is_relative_to(root):
        raise InvalidInputError(
            f"{path} is a link to {real}, which is outside the project {root}",
            "remove the link, or use the file it points to; nothing was changed",
        )


def check_utf_8(raw: bytes) -> None:
    """Refuse a file in UTF-16, whose bytes have no ASCII text."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInputError("the file is UTF-16, not UTF-8", "save it as UTF-8 first")


def write_block(path: Path, name: str, body: str, dry_run: bool = False) -> FileChange:
    """Write a block into a file, over the block it has or at its end; links are followed."""
    return _changed(path, lambda raw: with_block(raw, name, body), dry_run)


def remove_block(path: Path, name: str, dry_run: bool = False) -> FileChange:
    """Remove a block from a file, and the file if it was created for the block alone."""
    return _changed(path, lambda raw: None if raw is None else without_block(raw, name), dry_run)


def marked(name: str, body: str) -> str:
    """Return a text between the marks of a block."""
    begin, end = _marks(name)
    return f"{begin.decode()}\n{body.strip()}\n{end.decode()}"


def with_block(raw: bytes | None, name: str, body: str) -> bytes:
    """Return the bytes of a file with a block in them; None means that there is no file."""
    block = marked(name, body).encode()
    if raw is None:
        return block + b"\n"
    if place := _find(raw, name):
        start, stop = place
        return raw[:start] + block.replace(b"\n", _line_end(raw[start:stop])) + raw[stop:]
    line_end = b"\r\n" if decode(raw).crlf else b"\n"
    block = block.replace(b"\n", line_end)
    return (
        raw
        + line_end
        + (
            line_end + block
            if (raw.removeprefix(BOM) and not raw.endswith(b"\n"))
            else block + line_end
        )
    )


def without_block(raw: bytes, name: str) -> bytes | None:
    """Return the bytes of a file without the block, or None if the file was created for it."""
    place = _find(raw, name)
    if place is None:
        return raw
    start, stop = place
    before, after, line_end = raw[:start], raw[stop:], _line_end(raw[start:stop])
    if not before and after in (b"", b"\n", b"\r\n"):
        return None
    for _ in range(1 if after else 2):
        before = before.removesuffix(line_end)
    return before + re.sub(rb"\A\r?\n", b"", after)


def _changed(path: Path, change: _Edit, dry_run: bool) -> FileChange:
    """Change a file under the lock of its folder; a dry run only returns the change."""
    real = Path(os.path.realpath(path))
    if not real.parent.is_dir():
        raise NotFoundError(
            f"there is no folder {real.parent}", "create it first, or choose another file"
        )
    planned = _planned(path, change)
    if not dry_run:
        with locked_elsewhere(real):
            sweep([real])  # under the lock: a writer's file looks abandoned while it is renamed
            planned = _planned(path, change)
            write_change(real, planned)
    return planned


def _planned(path: Path, change: _Edit) -> FileChange:
    before = read_bytes(path)
    try:
        planned = FileChange(path, before, change(before))
        check_writable(planned)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{path}: {error.message}; nothing was changed", error.hint
        ) from None
    return planned


def _marks(name: str) -> tuple[bytes, bytes]:
    return f"<!-- ghost:begin {name} -->".encode(), f"<!-- ghost:end {name} -->".encode()


def _find(raw: bytes, name: str) -> tuple[int, int] | None:
    """Return the span of the block with its marks, or None; refuse marks that are not a pair."""
    check_utf_8(raw)
    begin, end = _marks(name)
    counts = raw.count(begin), raw.count(end)
    if counts == (0, 0):
        return None
    start, stop = raw.find(begin), raw.find(end)
    if counts == (1, 1) and start < stop:
        return start, stop + len(end)
    problem = f"{begin.decode()} occurs {_times(counts[0])}, {end.decode()} {_times(counts[1])}"
    if counts == (1, 1):
        problem = f"{end.decode()} comes before {begin.decode()}"
    raise InvalidInputError(
        problem,
        "keep one of each with the block between them, or delete both and the text between; "
        "then run it again",
    )


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _line_end(block: bytes) -> bytes:
    return b"\r\n" if block.partition(b"-->")[2].startswith(b"\r\n") else b"\n"


def _lines(raw: bytes | None) -> list[str]:
    """Return the lines of a file with their ends; only a line feed ends a line."""
    return [] if raw is None else re.findall(r"[^\n]*\n|[^\n]+", decode(raw).text)
