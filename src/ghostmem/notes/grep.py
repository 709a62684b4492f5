"""Text search over memory files: a term or phrase, regardless of case, with the lines around it,
the newest file first.

There is no index and no store: every search reads the files as they are.
"""

import os
import re
import time
from bisect import bisect_right
from calendar import timegm
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import accumulate
from pathlib import Path

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.notes.write import decode
from ghostmem.text.excerpt import visible

CONTEXT = 3  # lines before and after a match
LONGEST = 2_000  # characters of one line that are shown
MAX_RESULTS = 10
LONG_TERM = "MEMORY.md"
FOLDERS = ("memory", "daily")

_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})\.md", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a file around one or more matches: its path below the root, the lines of its first
    match and of its start.

    `when` is what time the file is of, by which blocks from several roots are put in order.
    """

    path: str
    line: int
    start: int
    lines: tuple[str, ...]
    when: float = field(default=0.0, compare=False)

    @property
    def text(self) -> str:
        """Return the lines as one text, without a line end behind the last."""
        return "\n".join(self.lines)


class Blocks(list[Block]):
    """Blocks, the newest first, with the files that could not be read and why."""

    def __init__(self, blocks: Iterable[Block] = (), unread: Sequence[str] = ()) -> None:
        super().__init__(blocks)
        self.unread = tuple(unread)


def memory_files(root: Path) -> list[Path]:
    """Return the memory files below a workspace, or in a memory folder itself: each once, and none
    that a link leads out to.
    """
    root = Path(root)
    if not root.is_dir():
        raise NotFoundError(
            f"there is no folder {root}",
            "name the workspace: the folder that has memory/ or MEMORY.md in it",
        )
    own = _markdown(root)
    if not _is_memory_folder(root, own):
        own = [path for path in own if path.name == LONG_TERM]
    return _inside(root, [*own, *(path for name in FOLDERS for path in _markdown(root / name))])


def note_date(path: Path) -> date | None:
    """Return the day that a note is of, by its name, or None when it is not a daily note."""
    found = _DATED.fullmatch(path.name)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def grep(
    root: Path, query: str, max_results: int = MAX_RESULTS, files: Iterable[Path] | None = None
) -> Blocks:
    """Return at most so many blocks that hold the query.

    `files` (below the root) stand in for all memory files.
    """
    root = Path(root)
    needle = query.strip("\r\n").casefold()
    if not needle.strip():
        raise InvalidInputError("the query is empty", "give a word or a phrase to look for")
    if max_results < 1:
        raise InvalidInputError(f"max_results {max_results} is too small", "give at least 1")
    found: list[Block] = []
    unread: list[str] = []
    chosen = memory_files(root) if files is None else _inside(root, [root / path for path in files])
    for path in _newest_first(chosen):
        name = _name(root, path)
        try:
            text = decode(path.read_bytes()).text
        except OSError as error:
            unread.append(f"{name}: {error.strerror}")
            continue
        found += [
            replace(block, when=_when(path))
            for block in _blocks(name, text, needle, max_results - len(found))
        ]
        if len(found) >= max_results:
            break
    return Blocks(found, unread)


def format_blocks(blocks: Sequence[Block], query: str) -> str:
    """Write blocks as an agent reads them, or say that there are none, and after that which files
    could not be read.
    """
    notes = [f"note: could not read {_one_line(told)}" for told in getattr(blocks, "unread", ())]
    if not blocks:
        return "\n".join([f'No matches found for "{query}".', *notes])
    shown = [
        f"--- {_one_line(block.path)} (line {block.line}) ---\n{block.text}\n---\n"
        for block in blocks
    ]
    return "".join([*shown, *(f"{note}\n" for note in notes)])


def _markdown(folder: Path) -> list[Path]:
    """Return the markdown files in a folder, those of which the name is a link last."""
    try:
        names = sorted(
            name
            for name in os.listdir(folder)
            if name.lower().endswith(".md") and not name.startswith(".")
        )
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InvalidInputError(
            f"cannot read the folder {folder}: {error.strerror}", "check its permissions"
        ) from None
    return sorted((folder / name for name in names), key=os.path.islink)


def _is_memory_folder(root: Path, own: Sequence[Path]) -> bool:
    """Say whether a folder is not the workspace but the folder of its notes."""
    if (root / "memory").is_dir():
        return False
    return Path(os.path.abspath(root)).name == "memory" or any(note_date(path) for path in own)


def _inside(root: Path, paths: Iterable[Path]) -> list[Path]:
    """Return paths without those that are no files, lead out of the root, or lead to a file that
    another one names.
    """
    home = Path(os.path.realpath(root))
    found: dict[Path, Path] = {}
    for path in sorted(paths, key=os.path.islink):
        real = Path(os.path.realpath(path))
        # one that is not there at all was named by the caller, who shall hear that it cannot be
        # read
        if real.is_relative_to(home) and (real.is_file() or not os.path.lexists(path)):
            found.setdefault(real, path)
    return sorted(found.values())


def _name(root: Path, path: Path) -> str:
    """Return a file's path below the root, also when the root was reached through a link."""
    if not path.is_relative_to(root):
        root, path = Path(os.path.realpath(root)), Path(os.path.realpath(path))
    return path.relative_to(root).as_posix()


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    return sorted(sorted(paths), key=_when, reverse=True)


def _when(path: Path) -> float:
    """Return what time a file is of: the end of a daily note's day, or when the file was
    changed.
    """
    day = note_date(path)
    if day is None:
        try:
            return path.stat().st_mtime
        except OSError:
            return 0.0
    end = (day.year, day.month, day.day, 23, 59, 59, 0, 0, -1)
    try:
        return time.mktime(end)
    except OverflowError:  # some systems know no local time that long ago
        return float(timegm(end))


def _blocks(name: str, text: str, needle: str, most: int) -> list[Block]:
    folded = text.casefold()  # which neither makes nor takes away a line feed
    if needle not in folded:
        return []
    plain = text.removesuffix("\n").split("\n")
    hits = [
        number
        for number, line in enumerate(folded.removesuffix("\n").split("\n"))
        if needle in line
    ]
    return [_block(name, plain, group, needle) for group in _grouped(hits)[:most]]


def _grouped(hits: Iterable[int]) -> list[list[int]]:
    """Join matches of which the contexts overlap or touch."""
    groups: list[list[int]] = []
    for hit in hits:
        if groups and hit - groups[-1][-1] <= 2 * CONTEXT + 1:
            groups[-1].append(hit)
        else:
            groups.append([hit])
    return groups


def _block(name: str, plain: Sequence[str], hits: Sequence[int], needle: str) -> Block:
    start, stop = max(0, hits[0] - CONTEXT), min(len(plain), hits[-1] + CONTEXT + 1)
    return Block(
        name,
        hits[0] + 1,
        start + 1,
        tuple(_clipped(line.removesuffix("\r"), needle) for line in plain[start:stop]),
    )


def _clipped(line: str, needle: str) -> str:
    """Return a line, or of a very long one the part around its first match."""
    if len(line) <= LONGEST:
        return line
    at, length = _place(line, needle)
    start = min(max(0, at - max(0, LONGEST - length) // 2), len(line) - LONGEST)
    stop = start + LONGEST
    return f"{'…' if start else ''}{line[start:stop]}{'…' if stop < len(line) else ''}"


def _place(line: str, needle: str) -> tuple[int, int]:
    """Return where in a line the first match begins and how long it is, in characters as they are
    written.
    """
    folded = line.casefold()
    at = folded.find(needle)
    if at < 0:
        return 0, 0
    if len(folded) == len(line):
        return at, len(needle)
    ends = list(
        accumulate(len(char.casefold()) for char in line)
    )  # ß, for one, becomes two letters
    first = bisect_right(ends, at)
    return first, bisect_right(ends, at + len(needle) - 1) + 1 - first


def _one_line(path: str) -> str:
    """Return a path that cannot pretend to be more than one line, whatever bytes are in it."""
    return visible(path.encode(errors="surrogateescape").decode(errors="replace")).replace(
        "\n", "␊"
    )
