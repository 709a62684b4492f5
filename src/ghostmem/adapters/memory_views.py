"""Format files and directories as Anthropic's memory tool shows them to a model."""

from collections.abc import Mapping, Sequence

from ghostmem.adapters.memory_paths import MemoryFileError

MAX_LINES = 999_999
_WIDTH = 6  # of a line number
_MAX_DEPTH = 2


def numbered(path: str, text: str, view_range: Sequence[int] | None = None) -> str:
    """Return the lines of a file, or of a range (-1: the end), with their numbers."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise bare(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
    first, last = (1, -1) if view_range is None else (max(1, view_range[0]), view_range[1])
    shown = lines[first - 1 : len(lines) if last == -1 else max(0, last)]
    return "\n".join([f"Here's the content of {path} with line numbers:", *rows(shown, first)])


def rows(lines: Sequence[str], first: int) -> list[str]:
    """Return lines with their numbers."""
    return [f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first)]


def listing(path: str, files: Mapping[str, str]) -> str:
    """List the files of a directory, two levels deep, with sizes; a directory has their sum."""
    sizes: dict[str, int] = {"": 0}
    for name, text in files.items():
        size, parts = len(text.encode()), name.split("/")
        sizes[""] += size
        if any(part.startswith(".") or part == "node_modules" for part in parts):
            continue
        for depth in range(1, min(len(parts), _MAX_DEPTH) + 1):
            shown = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
            sizes[shown] = sizes.get(shown, 0) + size
    head = (
        f"Here're the files and directories up to {_MAX_DEPTH} levels deep in {path}, "
        "excluding hidden items and node_modules:"
    )
    entries = (
        f"{_size(sizes[name])}\t{path}{'/' if name else ''}{name}"
        for name in sorted(sizes, key=_in_order)
    )
    return "\n".join([head, *entries])


def places(text: str, part: str) -> list[int]:
    """Return the positions of a part in a text, also overlapping; none for an empty part."""
    positions, at = [], text.find(part) if part else -1
    while at >= 0:
        positions.append(at)
        at = text.find(part, at + 1)
    return positions


def bare(message: str) -> MemoryFileError:
    """Return an error that is documented without `Error:` before it."""
    return MemoryFileError(message, message)


def _in_order(name: str) -> list[str]:
    """Return a sort key that puts the contents of a directory right after it."""
    return name.rstrip("/").split("/") if name else []


def _size(count: int) -> str:
    """Return a size as `du -h` writes it: 0B, 512B, 1.5K, 2K."""
    value, unit = float(count), "B"
    for unit in "BKMG":
        if value < 1024 or unit == "G":
            break
        value /= 1024
    return f"{value:.0f}{unit}" if value == int(value) else f"{value:.1f}{unit}"
