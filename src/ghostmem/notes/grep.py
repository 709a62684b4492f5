"""Search files for a phrase, regardless of case, with the lines around it, newest file first.

It uses neither index nor store: every search reads the files."""

import os
import re
import time
from calendar import timegm
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import Folder
from ghostmem.notes.files import decode, file_names, note_day
from ghostmem.notes.layouts import layout_named
from ghostmem.notes.scan import scan
from ghostmem.text.excerpt import visible

CONTEXT = 3  # lines before and after a match
MAX_LINE_CHARS = 2_000
MAX_RESULTS = 10
LONG_TERM = "MEMORY.md"
FOLDERS = ("memory", "daily")


@dataclass(frozen=True, slots=True)
class MatchBlock:
    """Lines of a file around one or more matches.

    `path` is below the root, `line` is the line number of the first match, `start` that of the
    first line. `when` is the time of the file, by which blocks of several roots are sorted."""

    path: str
    line: int
    start: int
    lines: tuple[str, ...]
    when: float = field(default=0.0, compare=False)

    @property
    def text(self) -> str:
        """Return the lines as one text, without a final line end."""
        return "\n".join(self.lines)


class Blocks(list[MatchBlock]):
    """Blocks, newest first, and the files that could not be read with the reason."""

    def __init__(self, blocks: Iterable[MatchBlock] = (), unread: Sequence[str] = ()) -> None:
        super().__init__(blocks)
        self.unread = tuple(unread)


def memory_files(root: Path) -> list[Path]:
    """Return the memory files of a workspace or memory folder, without links that lead out."""
    root = Path(root)
    if not root.is_dir():
        raise NotFoundError(
            f"there is no folder {root}",
            "give the workspace: the folder that contains memory/ or MEMORY.md",
        )
    files = _markdown(root)
    # The folder of the notes itself, not the workspace above it.
    is_memory_folder = not (root / "memory").is_dir() and (
        Path(os.path.abspath(root)).name == "memory" or any(note_day(path.name) for path in files)
    )
    if not is_memory_folder:
        files = [path for path in files if path.name == LONG_TERM]
    return _inside(root, [*files, *(path for name in FOLDERS for path in _markdown(root / name))])


def grep(
    root: Path, query: str, max_results: int = MAX_RESULTS, files: Iterable[Path] | None = None
) -> Blocks:
    """Return up to `max_results` blocks that contain the query.

    `files`, paths below the root, are searched instead of all memory files."""
    root = Path(root)
    needle = query.strip("\r\n").casefold()
    if not needle.strip():
        raise InvalidInputError("the query is empty", "give a word or a phrase to look for")
    if max_results < 1:
        raise InvalidInputError(f"max_results {max_results} is too small", "give at least 1")
    blocks = Blocks()
    chosen = memory_files(root) if files is None else _inside(root, [root / path for path in files])
    for path in sorted(sorted(chosen), key=_when, reverse=True):
        home = root if path.is_relative_to(root) else os.path.realpath(root)
        name = Path(os.path.relpath(path, home)).as_posix()
        try:
            text = decode(path.read_bytes()).text
        except OSError as error:
            blocks.unread = (*blocks.unread, f"{name}: {error.strerror}")
            continue
        blocks += _blocks(name, text, needle, _when(path))[: max_results - len(blocks)]
        if len(blocks) >= max_results:
            break
    return blocks


def grep_notes(places: Sequence[Folder | Path], query: str, limit: int) -> Blocks:
    """Search the notes of added folders, and the memory files of other paths."""
    results = [_grep_place(place, query, limit) for place in places]
    blocks = sorted((block for part in results for block in part), key=lambda block: -block.when)
    return Blocks(blocks[:limit], [path for part in results for path in part.unread])


def _grep_place(place: Folder | Path, query: str, limit: int) -> Blocks:
    if isinstance(place, Path):
        return grep(place, query, limit)
    root = Path(place.root)
    try:
        files = scan(root, layout_named(place.layout)).files
    except NotFoundError as error:
        return Blocks((), [error.message])
    return grep(root, query, limit, [Path(path) for path in files])


def format_blocks(blocks: Sequence[MatchBlock], query: str) -> str:
    """Return blocks as text for an agent, followed by the files that could not be read."""
    notes = [
        f"note: could not read {_one_line(problem)}" for problem in getattr(blocks, "unread", ())
    ]
    if not blocks:
        return "\n".join([f'No matches found for "{query}".', *notes])
    parts = [
        f"--- {_one_line(block.path)} (line {block.line}) ---\n{block.text}\n---\n"
        for block in blocks
    ]
    return "".join([*parts, *(f"{note}\n" for note in notes)])


def _markdown(folder: Path) -> list[Path]:
    """Return the markdown files of a folder, links last."""
    names = [name for name in file_names(folder) if name.lower().endswith(".md") and name[0] != "."]
    return sorted((folder / name for name in names), key=os.path.islink)


def _inside(root: Path, paths: Iterable[Path]) -> list[Path]:
    """Return the paths of files inside the root, each file once."""
    home = Path(os.path.realpath(root))
    by_target: dict[Path, Path] = {}
    for path in sorted(paths, key=os.path.islink):
        real = Path(os.path.realpath(path))
        # A missing file was named by the caller, so it is reported as unreadable later.
        if real.is_relative_to(home) and (real.is_file() or not os.path.lexists(path)):
            by_target.setdefault(real, path)
    return sorted(by_target.values())


def _when(path: Path) -> float:
    """Return the end of a daily note's day, or the modification time of another file."""
    day = note_day(path.name)
    if day is None:
        try:
            return path.stat().st_mtime
        except OSError:
            return 0.0
    end = (day.year, day.month, day.day, 23, 59, 59, 0, 0, -1)
    try:
        return time.mktime(end)
    except OverflowError:  # some systems have no local time for early years
        return float(timegm(end))


def _blocks(name: str, text: str, needle: str, when: float) -> list[MatchBlock]:
    folded = text.casefold()  # keeps the number of lines
    if needle not in folded:
        return []
    lines = text.removesuffix("\n").split("\n")
    groups: list[list[int]] = []  # matches whose contexts overlap or touch
    for number, line in enumerate(folded.removesuffix("\n").split("\n")):
        if needle in line:
            if groups and number - groups[-1][-1] <= 2 * CONTEXT + 1:
                groups[-1].append(number)
            else:
                groups.append([number])
    return [
        MatchBlock(
            name,
            group[0] + 1,
            (start := max(0, group[0] - CONTEXT)) + 1,
            tuple(
                _clipped(line.removesuffix("\r"), needle)
                for line in lines[start : group[-1] + CONTEXT + 1]
            ),
            when,
        )
        for group in groups
    ]


def _clipped(line: str, needle: str) -> str:
    """Return a line, or the part of a very long line around its first match."""
    if len(line) <= MAX_LINE_CHARS:
        return line
    # Letters whose case changes the length, such as ß, are not found in the line as it is written.
    match = re.search(re.escape(needle), line, re.IGNORECASE)
    first, length = (match.start(), len(needle)) if match else (0, 0)
    start = min(max(0, first - max(0, MAX_LINE_CHARS - length) // 2), len(line) - MAX_LINE_CHARS)
    stop = start + MAX_LINE_CHARS
    return f"{'…' if start else ''}{line[start:stop]}{'…' if stop < len(line) else ''}"


def _one_line(path: str) -> str:
    """Return a path as one line, whatever bytes it contains."""
    return visible(path.encode(errors="surrogateescape").decode(errors="replace")).replace(
        "\n", "␊"
    )
