"""notes grep: text as it is written, newest file first."""

from collections.abc import Sequence
from pathlib import Path

from ghostmem.errors import NotFoundError
from ghostmem.model import Folder
from ghostmem.notes.grep import Blocks, grep
from ghostmem.notes.layouts.table import layout_named
from ghostmem.notes.scan import scan


def grep_notes(places: Sequence[Folder | Path], query: str, limit: int) -> Blocks:
    """Find a text in the notes of folders that were added, and in the memory files of any other."""
    found = [_grep(place, query, limit) for place in places]
    blocks = sorted((block for each in found for block in each), key=lambda block: -block.when)
    return Blocks(blocks[:limit], [path for each in found for path in each.unread])


def _grep(place: Folder | Path, query: str, limit: int) -> Blocks:
    if isinstance(place, Path):
        return grep(place, query, limit)
    root = Path(place.root)
    try:
        files = scan(root, layout_named(place.layout)).files
    except NotFoundError as error:
        return Blocks((), [error.message])
    return grep(root, query, limit, [Path(path) for path in files])
