"""Write the guidance about memory into AGENTS.md: the files, the tools, when to use them."""

import os
from collections.abc import Collection
from pathlib import Path

from ghostmem.setup.marked import FileChange, check_inside, marked, remove_block, write_block

NAME = "agents-md"
FILE = "AGENTS.md"

# ASCII only: it goes into files of any encoding that has ASCII in it
_FILES = """\
<!-- Written by `ghost setup agents-md`, which also replaces it; `ghost setup agents-md --remove` \
takes it out. -->
## Memory

Your memory outlives every session: memories that you store and find with tools, and a folder of \
markdown files with two
kinds of file:

- **Daily notes** (`memory/YYYY-MM-DD.md` or `daily/YYYY-MM-DD.md`) hold raw events: what was \
done, said, tried and found
  that day, as it happened. Add to today's note; leave the notes of past days as they are.
- **`MEMORY.md`** holds distilled long-term facts: decisions and their reasons, preferences, \
rules, names, addresses, lessons.
  Keep it short enough to be read whole; what is no longer true is corrected there, not repeated.

How to use it:

"""
_MEMORY_TOOLS = """\
- **Search before you answer about the past.** When a question touches earlier work, people, \
dates, decisions or preferences,
  call `ghost_search` first, or `ghost_context` for all that matters to a task, and say so when \
nothing is found. Do not
  answer from what you believe you remember.
- **Save what should last.** Call `ghost_put` when you learn something that a later session will \
need: one fact each, with
  a short key. Put the new fact under the same key when it changes. What is not stored is \
forgotten.
"""
_NOTE_TOOLS = """\
- **Use the note tools for the files.** `memory_search` searches the markdown files; `memory_save` \
writes to them: target
  `daily` for events, target `long_term` for facts that will still be true in months.
"""
_REVIEW = """\
- **Review once a week**, for example during a heartbeat: read the daily notes of the past week \
and consolidate them into
  `MEMORY.md`. `ghost notes consolidate --weekly` proposes what to keep and changes nothing; with \
`--apply` it adds that to
  `MEMORY.md`. Then tidy `MEMORY.md`: merge what says the same, shorten it, strike what is out of \
date.
"""


def guidance(toolsets: Collection[str] = ("memory",)) -> str:
    """Return the guidance, with the names of the tools in some toolsets of the server."""
    memory = _MEMORY_TOOLS if "memory" in toolsets or "notes" not in toolsets else ""
    return _FILES + memory + (_NOTE_TOOLS if "notes" in toolsets else "") + _REVIEW


def agents_file(path: Path | str | None) -> Path:
    """Return the named file, or AGENTS.md in the named folder or the working folder."""
    named = Path(FILE if path is None else path)
    return named / FILE if named.is_dir() else named


def block(toolsets: Collection[str] = ("memory",)) -> str:
    """Return the guidance between its marks."""
    return marked(NAME, guidance(toolsets))


def write(path: Path, dry_run: bool = False, toolsets: Collection[str] = ("memory",)) -> FileChange:
    """Write the guidance into a file; a missing file is created."""
    check_inside(path, _folder(path))
    return write_block(path, NAME, guidance(toolsets), dry_run)


def remove(path: Path, dry_run: bool = False) -> FileChange:
    """Remove the guidance from a file."""
    check_inside(path, _folder(path))
    return remove_block(path, NAME, dry_run)


def _folder(path: Path) -> Path:
    """Return a folder of the file's project: the working folder, or else the file's own folder."""
    here, lexical = Path.cwd(), Path(os.path.abspath(path))
    return here if lexical.is_relative_to(here) else lexical.parent
