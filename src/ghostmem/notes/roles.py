"""Role files: the notes of each role in a team of agents, one file `<role>.md` per role.

A section is appended as `## title`, its local time as `_YYYY-MM-DD HH:MM_`, an empty line and the
text. The first section of a day moves the older text of the file to `<role>/YYYY-MM-DD.md`, named
after the day of the last change. A heading inside a code fence is text, and a fence that is never
closed hides nothing: lines that would be read as a heading or as such a fence are escaped with a
backslash."""

import os
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from ghostmem.clock import as_time
from ghostmem.clock import now as this_moment
from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.model import Record, optional
from ghostmem.notes.files import (
    BOM,
    DEVICE,
    append,
    checked_text,
    decode,
    file_names,
    inside,
    is_text,
    note_day,
    read_bytes,
    read_file,
    remove_file,
    replace_file,
)
from ghostmem.notes.lock import locked
from ghostmem.settings import load
from ghostmem.text.entries import bm25_scores, keyword_scores
from ghostmem.text.sections import FENCE, SectionStyle

SHARED = "shared"
CONTEXT_DAYS = 7
SCORES = {"keyword": keyword_scores, "bm25": bm25_scores}

_TIME = re.compile(r"(?:[ \t\r]*\n)*_(\d{4}-\d\d-\d\d \d\d:\d\d)_[ \t\r]*\n", re.ASCII)
_STYLE = SectionStyle(
    re.compile(rf"^(?:[ \t]+(?=\\*[`~]))?(?P<escape>\\*)(?P<mark>## |{FENCE})", re.MULTILINE),
    str.strip,
)
_MAX_ROLE_BYTES = 128


@frozen
class MemoryEntry(Record):
    """A section of a role's file; the time is as written there, or empty."""

    role: str
    section: str
    timestamp: str
    content: str


@frozen
class SearchResult(Record):
    """An entry with its score."""

    entry: MemoryEntry
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the entry and the score."""
        return {**self.entry.to_dict(), "score": self.score}


@frozen
class SectionWritten(Record):
    """An appended section, its file, the archive it filled and the archives it removed."""

    role: str
    section: str
    timestamp: str
    path: str
    archive: str = optional("")
    purged: tuple[str, ...] = optional(())


def parse_memory_entries(content: str, role: str) -> list[MemoryEntry]:
    """Return the sections of a role's file; text before the first title is left out."""
    entries = []
    text = content.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"
    for title, _, start, end in _STYLE.sections(text):
        body = _STYLE.unescape(text[start:end])
        time = _TIME.match(body)
        below = body[time.end() :] if time else body
        if title:
            entries.append(MemoryEntry(role, title, time[1] if time else "", below.strip()))
    return entries


def list_memory_files(folder: str | Path | None = None) -> list[str]:
    """Return the roles that have a file or archives in a folder, which may not exist.

    Links that lead out of the folder are ignored."""
    home = _folder(folder)
    names = file_names(home)
    roles = {name[:-3] for name in names if name.endswith(".md") and (home / name).is_file()}
    roles |= {name for name in names if (home / name).is_dir() and _archives(home, name)}
    return sorted(
        role for role in roles if _is_role(role) and _is_inside(home, home / f"{role}.md")
    )


def all_memory_entries(
    folder: str | Path | None = None, role_filter: str = ""
) -> list[MemoryEntry]:
    """Return the entries of all roles or of one, by role, oldest first."""
    home = _folder(folder)
    return [
        entry
        for role in ([check_role(role_filter)] if role_filter else list_memory_files(home))
        for text in _texts(home, role)
        for entry in parse_memory_entries(text, role)
    ]


def memory_bytes(role: str = SHARED, folder: str | Path | None = None) -> bytes:
    """Return the bytes of a role's current file, empty if it does not exist."""
    return _bytes(_file(_folder(folder), check_role(role)))


def read_memory(role: str = SHARED, folder: str | Path | None = None) -> str:
    """Return the text of a role's current file; invalid UTF-8 is replaced."""
    return memory_bytes(role, folder).decode(errors="replace")


def append_memory(
    section: str,
    content: str,
    role: str = SHARED,
    folder: str | Path | None = None,
    now: datetime | str | None = None,
    retention: int | None = None,
) -> SectionWritten:
    """Append a section to a role's file, after archiving the text of an earlier day.

    Archiving also removes archives older than `retention` days; 0 keeps them all."""
    role, title = check_role(role), section.strip()
    if not is_text(section) or not title:
        raise InvalidInputError(
            f"{section!r} cannot be a section's title", "a title is one line of text"
        )
    text = checked_text(content, "text", "pass it as an argument, or on standard input")
    home, moment = _folder(folder), as_time(now or this_moment()).astimezone()
    days = load().memory_retention_days if retention is None else retention
    stamp = moment.isoformat(" ", "minutes")[:16]
    with locked(home):
        path = _file(home, role)
        current = read_file(path)
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC) if current.text else moment
        day = changed.astimezone().date()
        is_new_day = day != moment.date()
        in_fence = not is_new_day and _STYLE.has_open_fence(current.text)
        entry = f"\n## {title}\n_{stamp}_\n\n{_STYLE.escape(text, in_fence)}\n"
        if not is_new_day:
            append(path, entry)
            return SectionWritten(role, title, stamp, str(path))
        archive = _archive_file(home, role, path, day)
        purged = _purge(home, role, moment.date(), day, days)
        # Replaced in place, so that it keeps its encoding and mode, and only if it is unchanged.
        replace_file(path, current.encode(entry), current.digest)
        return SectionWritten(role, title, stamp, str(path), str(archive), purged)


def memory_context(
    role: str = SHARED,
    days: int = CONTEXT_DAYS,
    folder: str | Path | None = None,
    now: datetime | str | None = None,
) -> str:
    """Return the shared memory and that of a role, each with the archives of the last days."""
    home, today = _folder(folder), as_time(now or this_moment()).astimezone().date()
    titles = {SHARED: "Shared"}
    titles.setdefault(check_role(role), role)
    texts = {name: "\n".join(_texts(home, name, today, days)) for name in titles}
    return "\n".join(
        f"# {titles[name]} Memory\n\n{texts[name]}\n" for name in titles if texts[name]
    )


def search_memory(
    query: str,
    role_filter: str = "",
    limit: int = 0,
    folder: str | Path | None = None,
    mode: str = "keyword",
) -> list[SearchResult]:
    """Return the entries that contain words of the query, best first, then newest first.

    A limit of 0 or less means no limit. `ghostmem.search.note_entries` also searches by meaning."""
    if mode not in SCORES:
        raise InvalidInputError(
            f"there is no mode {mode!r}", f"must be one of: {', '.join(SCORES)}"
        )
    entries = all_memory_entries(folder, role_filter)
    scores = SCORES[mode](query, [(entry.section, entry.content) for entry in entries])
    results = [
        SearchResult(entry, score)
        for entry, score in zip(entries, scores, strict=True)
        if score > 0
    ]
    # A stable sort: equal results stay in the order of roles and places.
    results.sort(key=lambda result: (result.score, result.entry.timestamp), reverse=True)
    return results[:limit] if limit > 0 else results


def format_search_results(results: Sequence[SearchResult]) -> str:
    """Return results as blocks with a blank line between them."""
    return "\n".join(
        f"--- [{result.entry.role}] {result.entry.section} ({result.entry.timestamp}) "
        f"score:{result.score:.1f} ---\n{result.entry.content}\n"
        for result in results
    )


def format_memory_list(entries: Sequence[MemoryEntry]) -> str:
    """Return entries as rows of role, section and time."""
    return "".join(f"{entry.role:<10} {entry.section:<36} {entry.timestamp}\n" for entry in entries)


def check_role(role: str) -> str:
    """Return the name of a role if it is a safe file name on every system."""
    if not _is_role(role):
        raise InvalidInputError(
            f"{role!r} cannot name a role",
            "use a short name such as shared, build or edit: no / \\ : or dot in "
            f"front, at most {_MAX_ROLE_BYTES} bytes",
        )
    return role


def _is_role(role: str) -> bool:
    is_plain = is_text(role) and not set(role) & set("/\\:") and DEVICE.fullmatch(role) is None
    is_short = role == role.strip() and 0 < len(role.encode(errors="replace")) <= _MAX_ROLE_BYTES
    return is_plain and is_short and not role.startswith(".")


def _folder(folder: str | Path | None) -> Path:
    path = str(load().memory_dir if folder is None else folder)
    if not path.strip() or "\0" in path:
        raise InvalidInputError(
            f"{path!r} cannot name a folder",
            "set the folder of the role files with --dir or BUS_MEMORY_DIR",
        )
    return Path(os.path.expanduser(path))


def _file(home: Path, role: str) -> Path:
    return inside(home, f"{role}.md")


def _archive(home: Path, role: str, day: date) -> Path:
    return inside(home, f"{role}/{day.isoformat()}.md")


def _archives(home: Path, role: str) -> list[date]:
    paths = (home / role / name for name in file_names(home / role))
    days = [(note_day(path.name), path) for path in paths]
    return [day for day, path in days if day and path.is_file() and _is_inside(home, path)]


def _is_inside(home: Path, path: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(home))


def _bytes(path: Path) -> bytes:
    return read_bytes(path) or b""


def _texts(home: Path, role: str, today: date | None = None, days: int = 0) -> list[str]:
    """Return the texts of a role's archives, all or of the last days, then of its current file.

    The current file is read first: text that is archived meanwhile is then read twice and counted
    once, not missed."""
    current = _bytes(_file(home, role))
    archives = [day for day in _archives(home, role) if not today or (today - day).days <= days]
    files = [_bytes(_archive(home, role, day)) for day in archives]
    if not any(_ends_with(raw, current) for raw in files):
        files.append(current)
    return [text for raw in files if (text := decode(raw).text)]


def _archive_file(home: Path, role: str, path: Path, day: date) -> Path:
    """Copy a role's file to its archive of a day, unless a killed run did, and return its path."""
    archive = _archive(home, role, day)
    before, raw = _bytes(archive), _bytes(path)
    if not _ends_with(before, raw):
        gap = b"\n" if before and not before.endswith(b"\n") else b""
        replace_file(archive, before + gap + raw.removeprefix(BOM) if before else raw)
        if not before:
            archive.chmod(path.stat().st_mode & 0o777)
    return archive


def _ends_with(archive: bytes, raw: bytes) -> bool:
    return raw != b"" and (archive == raw or archive.endswith(b"\n" + raw.removeprefix(BOM)))


def _purge(home: Path, role: str, today: date, archived: date, days: int) -> tuple[str, ...]:
    """Remove archives older than `days`, except the one just written; 0 keeps them all."""
    paths = [
        _archive(home, role, day)
        for day in _archives(home, role)
        if days and (today - day).days > days and day != archived
    ]
    for path in paths:
        remove_file(path)
    return tuple(str(path) for path in paths)
