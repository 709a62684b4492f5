"""A marked block in somebody else's text file: put in, replaced, and taken out so that every other
byte is as it was.

A file that is there gets one line end before the block, so that a blank line sets it apart, and one
behind it; one that does not end in a line end gets two before and none behind, and so again does
not end in one. That tells what to take out again. A file that begins with the block was made for
it, and goes with it."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from ghostmem.atomic import sweep
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.notes.lock import locked_apart
from ghostmem.notes.write import BOM, MISSING, decode, digest, read_bytes, remove_file, replace_file

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_Edit = Callable[[bytes | None], bytes | None]


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to a file: its bytes before and after, None where there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def action(self) -> str:
        """Name what happens in one word."""
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "updated"

    @property
    def diff(self) -> str:
        """Return what happens as a unified diff; nothing when nothing does."""
        old, new = (
            os.devnull if raw is None else str(self.path) for raw in (self.before, self.after)
        )
        return "".join(_ended(unified_diff(_lines(self.before), _lines(self.after), old, new)))


def write_block(path: Path, name: str, body: str, dry_run: bool = False) -> Change:
    """Put a block into a file, in the place of the one it has, or behind all else.

    A link is written through.
    """
    return _changed(path, lambda raw: with_block(raw, name, body), dry_run)


def remove_block(path: Path, name: str, dry_run: bool = False) -> Change:
    """Take a block out of a file.

    The file goes too when it was made for the block and holds nothing else.
    """
    return _changed(path, lambda raw: None if raw is None else without_block(raw, name), dry_run)


def marked(name: str, body: str) -> str:
    """Return a text between the marks of a block."""
    begin, end = _marks(name)
    return f"{begin.decode()}\n{body.strip()}\n{end.decode()}"


def with_block(raw: bytes | None, name: str, body: str) -> bytes:
    """Return a file's bytes with a block in them; None is a file that is not there."""
    block = marked(name, body).encode()
    if raw is None:
        return block + b"\n"
    place = _find(raw, name)
    if place is not None:
        start, stop = place
        return raw[:start] + _with_ends(block, _line_end(raw[start:stop])) + raw[stop:]
    line_end = b"\r\n" if decode(raw).crlf else b"\n"
    block = _with_ends(block, line_end)
    if raw.removeprefix(BOM) and not raw.endswith(b"\n"):
        return raw + 2 * line_end + block
    return raw + line_end + block + line_end


def without_block(raw: bytes, name: str) -> bytes | None:
    """Return a file's bytes without the block, or None when there is nothing left of a file that
    was made for it.
    """
    place = _find(raw, name)
    if place is None:
        return raw
    start, stop = place
    before, after, line_end = raw[:start], raw[stop:], _line_end(raw[start:stop])
    if not before and after in (b"", b"\n", b"\r\n"):
        return None
    for _ in range(1 if after else 2):
        before = before.removesuffix(line_end)
    return before + (
        after.removeprefix(b"\r\n") if after.startswith(b"\r\n") else after.removeprefix(b"\n")
    )


def _changed(path: Path, change: _Edit, dry_run: bool) -> Change:
    """Read, change and write a file under its folder's lock, or only say what would happen."""
    real = Path(os.path.realpath(path))
    if not real.parent.is_dir():
        raise NotFoundError(
            f"there is no folder {real.parent}", "make it first, or name another file"
        )
    planned = _planned(path, change)
    if dry_run:
        return planned
    sweep([real])
    if planned.action == "unchanged":
        return planned
    with locked_apart(real):
        planned = _planned(path, change)
        base = MISSING if planned.before is None else digest(planned.before)
        if planned.after is None:
            remove_file(real, base)
        else:
            replace_file(real, planned.after, base)
    return planned


def _planned(path: Path, change: _Edit) -> Change:
    before = read_bytes(path)
    try:
        return Change(path, before, change(before))
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{path}: {error.message}; nothing was changed", error.hint
        ) from None


def _marks(name: str) -> tuple[bytes, bytes]:
    return f"<!-- ghost:begin {name} -->".encode(), f"<!-- ghost:end {name} -->".encode()


def _find(raw: bytes, name: str) -> tuple[int, int] | None:
    """Return where a file's block starts and stops, marks included, or None.

    Refuse marks that are not one pair.
    """
    if raw.startswith(_UTF_16):
        raise InvalidInputError("the file is UTF-16, not UTF-8", "save it as UTF-8 first")
    begin, end = _marks(name)
    counts = raw.count(begin), raw.count(end)
    if counts == (0, 0):
        return None
    start, stop = raw.find(begin), raw.find(end)
    if counts == (1, 1) and start < stop:
        return start, stop + len(end)
    told = f"{begin.decode()} stands there {_times(counts[0])}, {end.decode()} {_times(counts[1])}"
    if counts == (1, 1):
        told = f"{end.decode()} stands before {begin.decode()}"
    raise InvalidInputError(
        told,
        "leave one of each, the block between them, or delete both and all between; then "
        "run it again",
    )


def _times(count: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _line_end(block: bytes) -> bytes:
    """Return how the lines of a block end."""
    return b"\r\n" if block.partition(b"-->")[2].startswith(b"\r\n") else b"\n"


def _with_ends(block: bytes, line_end: bytes) -> bytes:
    return block.replace(b"\n", line_end)


def _lines(raw: bytes | None) -> list[str]:
    """Return a file's lines with their ends; only the line feed ends one."""
    return [] if raw is None else re.findall(r"[^\n]*\n|[^\n]+", decode(raw).text)


def _ended(lines: Iterable[str]) -> Iterator[str]:
    """Yield a diff's lines, and say where a file does not end in a line end."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
