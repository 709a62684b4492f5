"""Role files: what each role in a team of agents has learnt, in one folder, one markdown file
`<role>.md` per role.

Every section is appended as `## title`, its local time as `_YYYY-MM-DD HH:MM_`, an empty line and
the text. The first section of a day moves what the file held before to `<role>/YYYY-MM-DD.md`,
named after the day the file was last written."""

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from ghostmem.clock import as_time
from ghostmem.clock import now as this_moment
from ghostmem.errors import InvalidInputError
from ghostmem.model import Record, optional
from ghostmem.notes.lock import locked
from ghostmem.notes.role_text import guarded, is_left_open, sections
from ghostmem.notes.write import (
    BOM,
    append,
    decode,
    inside,
    read_bytes,
    read_file,
    remove_file,
    replace_file,
)
from ghostmem.settings import load
from ghostmem.text.entries import bm25_scores, keyword_scores

SHARED = "shared"
CONTEXT_DAYS = 7
SCORES = {"keyword": keyword_scores, "bm25": bm25_scores}

_TIME = re.compile(r"(?:[ \t\r]*\n)*_(\d{4}-\d\d-\d\d \d\d:\d\d)_[ \t\r]*\n", re.ASCII)
_DATED = re.compile(r"(\d{4}-\d\d-\d\d)\.md", re.ASCII)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE | re.DOTALL)
_UNSAFE = (
    "Cc",
    "Cs",
    "Zl",
    "Zp",
)  # control characters, halves of characters, and what breaks a line
_LONGEST_ROLE = 128


@dataclass(frozen=True, eq=False, repr=False)
class MemoryEntry(Record):
    """A section of a role's file.

    The time is as it is written there, and empty where there is none.
    """

    role: str
    section: str
    timestamp: str
    content: str


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult(Record):
    """An entry and how well it answers."""

    entry: MemoryEntry
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Return the entry's fields with the score beside them."""
        return {**self.entry.to_dict(), "score": self.score}


@dataclass(frozen=True, eq=False, repr=False)
class Written(Record):
    """What an append did: the section, where it stands, and what it moved or removed for it."""

    role: str
    section: str
    timestamp: str
    path: str
    archive: str = optional("")
    purged: tuple[str, ...] = optional(())


def parse_memory_entries(content: str, role: str) -> list[MemoryEntry]:
    """Return the sections of a role's file in order.

    What stands before the first, or under an empty title, belongs to none.
    """
    found = []
    for title, body in sections(content.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"):
        told = _TIME.match(body)
        text = body[told.end() :] if told else body
        found.append(MemoryEntry(role, title, told[1] if told else "", text.strip()))
    return found


def list_memory_files(folder: str | Path | None = None) -> list[str]:
    """Return the roles that have a file or archives in a folder.

    One that does not exist has none.
    """
    home = _folder(folder)
    found = {
        path.name.removesuffix(".md")
        for path in _listed(home)
        if path.name.endswith(".md") and path.is_file()
    }
    found |= {path.name for path in _listed(home) if path.is_dir() and _archives(home, path.name)}
    return sorted(role for role in found if _is_role(role))


def all_memory_entries(
    folder: str | Path | None = None, role_filter: str = ""
) -> list[MemoryEntry]:
    """Return the entries of all roles, or of one: by role, archives first, in the order they were
    written.
    """
    home = _folder(folder)
    roles = [check_role(role_filter)] if role_filter else list_memory_files(home)
    return [
        entry
        for role in roles
        for text in _texts(home, role)
        for entry in parse_memory_entries(text, role)
    ]


def memory_bytes(role: str = SHARED, folder: str | Path | None = None) -> bytes:
    """Return what a role's present file holds; one that does not exist holds nothing."""
    return _bytes(_file(_folder(folder), check_role(role)))


def read_memory(role: str = SHARED, folder: str | Path | None = None) -> str:
    """Return the text of a role's present file as it is.

    What is no UTF-8 in it becomes replacement characters.
    """
    return memory_bytes(role, folder).decode(errors="replace")


def append_memory(
    section: str,
    content: str,
    role: str = SHARED,
    folder: str | Path | None = None,
    now: datetime | str | None = None,
    retention: int | None = None,
) -> Written:
    """Add a section to a role's file, whole or not at all, after putting away what is there from
    another day.

    Archives of more than `retention` days ago are removed when a file is put away; 0 keeps them
    all."""
    role, title, text = check_role(role), _title(section), _text(content)
    home, at = _folder(folder), as_time(now or this_moment()).astimezone()
    days = load().memory_retention_days if retention is None else retention
    stamp = at.isoformat(" ", "minutes")[:16]
    with locked(home):
        path = _file(home, role)
        known = read_file(path)
        day = _written_on(path) if known.text else at.date()
        stale = day != at.date()
        hanging = not stale and is_left_open(known.text)
        entry = f"\n## {title}\n_{stamp}_\n\n{guarded(text, hanging)}\n"
        if not stale:
            append(path, entry)
            return Written(role, title, stamp, str(path))
        archive = _put_away(home, role, path, day)
        purged = _purge(home, role, at.date(), day, days)
        # in place, so that the file keeps its manner and mode, and only if it is still what was put
        # away
        replace_file(path, known.encode(entry), known.digest)
        return Written(role, title, stamp, str(path), str(archive), purged)


def memory_context(
    role: str = SHARED,
    days: int = CONTEXT_DAYS,
    folder: str | Path | None = None,
    now: datetime | str | None = None,
) -> str:
    """Return what a role should know: shared memory, then its own, each with the archives of the
    last days.
    """
    home, today = _folder(folder), as_time(now or this_moment()).astimezone().date()
    parts = []
    for name in dict.fromkeys([SHARED, check_role(role)]):
        text = "\n".join(_texts(home, name, today, days))
        if text:
            parts.append(f"# {'Shared' if name == SHARED else name} Memory\n\n{text}\n")
    return "\n".join(parts)


def search_memory(
    query: str,
    role_filter: str = "",
    limit: int = 0,
    folder: str | Path | None = None,
    mode: str = "keyword",
) -> list[SearchResult]:
    """Return the entries that hold a question's words, best first, then newest first.

    A limit of 0 or less is none.

    By meaning too is another floor's work: `ghostmem.search.note_entries`.
    """
    if mode not in SCORES:
        raise InvalidInputError(
            f"there is no mode {mode!r}", f"must be one of: {', '.join(SCORES)}"
        )
    entries = all_memory_entries(folder, role_filter)
    scores = SCORES[mode](query, [(entry.section, entry.content) for entry in entries])
    found = [
        SearchResult(entry, score)
        for entry, score in zip(entries, scores, strict=True)
        if score > 0
    ]
    # entries come by role and place, and equals stay as they came
    found.sort(key=lambda one: (one.score, one.entry.timestamp), reverse=True)
    return found[:limit] if limit > 0 else found


def format_search_results(results: Sequence[SearchResult]) -> str:
    """Write results as blocks with a blank line between them."""
    return "\n".join(
        f"--- [{one.entry.role}] {one.entry.section} ({one.entry.timestamp}) "
        f"score:{one.score:.1f} ---\n{one.entry.content}\n"
        for one in results
    )


def format_memory_list(entries: Sequence[MemoryEntry]) -> str:
    """Write entries as a row each: role, section, time."""
    return "".join(f"{entry.role:<10} {entry.section:<36} {entry.timestamp}\n" for entry in entries)


def check_role(role: str) -> str:
    """Accept the name of a role: one that is a safe file name on every system."""
    if not _is_role(role):
        hint = (
            "use a short name such as shared, build or edit: no / \\ : or dot in "
            f"front, at most {_LONGEST_ROLE} bytes"
        )
        raise InvalidInputError(f"{role!r} cannot name a role", hint)
    return role


def _is_role(role: str) -> bool:
    plain = not any(char in "/\\:" or unicodedata.category(char) in _UNSAFE for char in role)
    if not plain or not role or role != role.strip() or role.startswith("."):
        return False
    return len(role.encode()) <= _LONGEST_ROLE and _DEVICE.fullmatch(role) is None


def _title(section: str) -> str:
    broken = any(unicodedata.category(char) in _UNSAFE for char in section)
    if broken or not section.strip():
        raise InvalidInputError(
            f"{section!r} cannot be a section's title", "a title is one line of text"
        )
    return section.strip()


def _text(content: str) -> str:
    """Accept a section's text, with line feeds only: the file's own line ends are put in when it is
    written.
    """
    try:
        content.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"the text is not valid Unicode (position {error.start})", "send UTF-8"
        ) from None
    if not content.strip():
        raise InvalidInputError("the text is empty", "pass it as an argument, or on standard input")
    return content.replace("\r\n", "\n").replace("\r", "\n")


def _folder(folder: str | Path | None) -> Path:
    given = str(load().memory_dir if folder is None else folder)
    if not given.strip() or "\0" in given:
        raise InvalidInputError(
            f"{given!r} cannot name a folder",
            "name the folder of the role files with --dir or BUS_MEMORY_DIR",
        )
    return Path(os.path.expanduser(given))


def _file(home: Path, role: str) -> Path:
    return inside(home, f"{role}.md")


def _archive(home: Path, role: str, day: date) -> Path:
    return inside(home, f"{role}/{day.isoformat()}.md")


def _archives(home: Path, role: str) -> list[date]:
    """Return the days that a role has archives of, oldest first."""
    found = []
    for path in _listed(home / role):
        named = _DATED.fullmatch(path.name)
        try:
            found += [date.fromisoformat(named[1])] if named and path.is_file() else []
        except ValueError:  # the 30th of February
            continue
    return sorted(found)


def _listed(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InvalidInputError(
            f"cannot read {folder}: {error.strerror}", "check its permissions"
        ) from None


def _bytes(path: Path) -> bytes:
    return read_bytes(path) or b""


def _texts(home: Path, role: str, today: date | None = None, days: int = 0) -> list[str]:
    """Return the text of a role's archives, of all or of the last days, oldest first, and of its
    present file.

    The present file is read first: what is put away meanwhile is then met twice, and counted once,
    not missed."""
    present = _bytes(_file(home, role))
    archives = _archives(home, role)
    kept = archives if today is None else [day for day in archives if (today - day).days <= days]
    found = [_bytes(_archive(home, role, day)) for day in kept]
    if not any(_holds(raw, present) for raw in found):
        found.append(present)
    return [text for raw in found if (text := decode(raw).text)]


def _written_on(path: Path) -> date:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).astimezone().date()


def _put_away(home: Path, role: str, path: Path, day: date) -> Path:
    """Copy a role's file to its archive of a day, unless a run that was killed has done so, and
    return the archive.
    """
    archive = _archive(home, role, day)
    before, raw = _bytes(archive), _bytes(path)
    if not _holds(before, raw):
        gap = b"\n" if before and not before.endswith(b"\n") else b""
        replace_file(archive, before + gap + raw.removeprefix(BOM) if before else raw)
        if not before:
            archive.chmod(path.stat().st_mode & 0o777)
    return archive


def _holds(archive: bytes, raw: bytes) -> bool:
    """Say whether an archive ends with what a file holds."""
    return raw != b"" and (archive == raw or archive.endswith(b"\n" + raw.removeprefix(BOM)))


def _purge(home: Path, role: str, today: date, put_away: date, days: int) -> tuple[str, ...]:
    """Remove a role's archives of more than so many days ago, but never the one that was just made;
    0 keeps them all.
    """
    old = [
        day
        for day in _archives(home, role)
        if days and (today - day).days > days and day != put_away
    ]
    paths = [_archive(home, role, day) for day in old]
    for path in paths:
        remove_file(path)
    return tuple(str(path) for path in paths)
