"""Layouts: which files of a folder are notes, and how a note splits into sections.

A note is read by its headings, as one section, or by the times of role files. A folder has the
first layout of the table that fits."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError
from ghostmem.model import Kind, Tier
from ghostmem.notes.files import note_day
from ghostmem.text.frontmatter import ParsedNote, front_matter, parse_note, words
from ghostmem.text.links import inline_tags, observed_tags, prose_lines, relations, wikilinks
from ghostmem.text.sections import MarkdownSection, cut

SUFFIXES = (".md", ".markdown")
GENERATED = frozenset({"node_modules", "__pycache__"})  # folders that programs fill
BUILD_FOLDERS = GENERATED | {"venv", "target", "dist", "build", "vendor"}


class NoteSection(NamedTuple):
    """A part of a note that is one memory; `line` is the line number of its text."""

    name: str
    text: str
    line: int
    when: datetime
    tags: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()  # (word, target) as written
    kind: Kind = Kind.SEMANTIC
    tier: Tier = Tier.LTM


class Reading(NamedTuple):
    """The sections of a note, and the names other than its path that links may use."""

    sections: tuple[NoteSection, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """One way to arrange notes in a folder.

    `fits` says whether a folder has the layout, `wants` whether a path in it is a note, `enters`
    whether a subfolder can have notes; `read` takes the path, text and modification time of a note.
    A layout that is not `writable` belongs to another program."""

    name: str
    about: str
    fits: Callable[[Path], bool]
    wants: Callable[[str], bool]
    read: Callable[[str, str, datetime], Reading]
    enters: Callable[[str], bool] = lambda _: True
    hidden: tuple[str, ...] = ()  # names with a dot that are entered
    skips: frozenset[str] = GENERATED  # never entered
    home: Callable[[Path], Path] = lambda root: root  # the folder of the notes
    writable: bool = True
    follows_links: bool = False  # to folders


_TIMES = ("created", "date", "created_at", "last_updated", "updated", "modified")
_STAMP = re.compile(r"[^\n]*\n(?:[ \t\r]*\n)*_(\d{4}-\d{2}-\d{2} \d{2}:\d{2})_[ \t\r]*(?:\n|\Z)")


def file_date(path: str) -> datetime | None:
    """Return the day in the name of a file."""
    day = note_day(path)
    return datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None


def front_matter_time(note: ParsedNote) -> datetime | None:
    """Return the time in the front matter of a note."""
    for name in _TIMES:
        value = note.fields.get(name)
        if isinstance(value, str) and value:
            with suppress(InvalidInputError):
                return as_time(value)
    return None


def read_headed(path: str, text: str, modified: datetime) -> Reading:
    """Read a note by its headings; daily notes are episodic and have the time of their day."""
    when = file_date(path)
    kind, tier = (Kind.EPISODIC, Tier.STM) if when else (Kind.SEMANTIC, Tier.LTM)
    # A note with front matter only is one section.
    parts = _filled(text) or [MarkdownSection("", "", text, 1)] if text.strip() else []
    return Reading(
        tuple(
            NoteSection(part.key, part.body, part.line, when or modified, kind=kind, tier=tier)
            for part in parts
        )
    )


def read_vault(path: str, text: str, modified: datetime) -> Reading:
    """Read a note by its headings, with the tags and links of its front matter and text."""
    note = parse_note(text)
    shared = [tag.lstrip("#") for tag in words(note.fields.get("tags") or note.fields.get("tag"))]
    sections = []
    for section in read_headed(path, text, front_matter_time(note) or modified).sections:
        lines = list(prose_lines(section.text))
        tags = tuple(dict.fromkeys([*shared, *inline_tags(lines)]))
        sections.append(section._replace(tags=tags, links=tuple(wikilinks(lines))))
    aliases = words(note.fields.get("aliases") or note.fields.get("alias"))
    return Reading(tuple(sections), (*aliases, *_texts(note, "title")))


def _texts(note: ParsedNote, *names: str) -> tuple[str, ...]:
    values = [note.fields.get(name) for name in names]
    return tuple(value for value in values if isinstance(value, str) and value)


def _has_body(part: MarkdownSection) -> bool:
    body = part.body.strip()
    is_heading = body.startswith("#") and body.lstrip("#")[:1] in ("", " ", "\t")
    return "\n" in body or not (not body or is_heading)


def _filled(text: str, levels: tuple[int, ...] = (1, 2)) -> list[MarkdownSection]:
    """Cut a note at its headings, without parts that are only a heading."""
    return list(filter(_has_body, cut(text, levels)))


def read_whole(_: str, text: str, modified: datetime) -> Reading:
    """Read a note as one section."""
    return Reading((NoteSection("", text, 1, modified),) if text.strip() else ())


def read_topic(path: str, text: str, modified: datetime) -> Reading:
    """Read a topic with its tags and the time of its update; the index by its headings."""
    note = parse_note(text)
    when, name = front_matter_time(note) or modified, path.rpartition("/")[2].rpartition(".")[0]
    if name == "index":
        parts = _filled(text, (2, 3))
        return Reading(tuple(NoteSection(p.key, p.body, p.line, when) for p in parts))
    return _read_body(text, when, words(note.fields.get("tags")), names=(name,))


def read_basic(_: str, text: str, modified: datetime) -> Reading:
    """Read a note of basic-memory with its relations, its tags and those of its observations."""
    note = parse_note(text)
    lines = list(prose_lines(note.body))
    tags = [*words(note.fields.get("tags")), *observed_tags(lines)]
    names = tuple(" ".join(value.split()) for value in _texts(note, "permalink", "title"))
    plain = [tag.lstrip("#") for tag in tags if tag.strip("#")]
    return _read_body(text, front_matter_time(note) or modified, plain, relations(lines), names)


def _read_body(
    text: str,
    when: datetime,
    tags: Iterable[str],
    links: Iterable[tuple[str, str]] = (),
    names: tuple[str, ...] = (),
) -> Reading:
    front = front_matter(text)
    body, line = text[len(front) :], 1 + front.count("\n")
    if not body.strip():
        return Reading(())
    section = NoteSection(
        "", body, line, when, tuple(dict.fromkeys(tags)), tuple(dict.fromkeys(links))
    )
    return Reading((section,), names)


def read_roles(path: str, text: str, modified: datetime) -> Reading:
    """Read the sections of a role, each with its own time and the role as tag."""
    *folders, name = path.split("/")
    role = folders[-1] if folders and note_day(name) else name.rpartition(".")[0]
    return Reading(
        tuple(
            NoteSection(part.key, part.body, part.line, _stamp(part.body) or modified, (role,))
            for part in _filled(text, (2,))
        )
    )


def _stamp(text: str) -> datetime | None:
    match = _STAMP.match(text)
    try:
        return datetime.strptime(match[1], "%Y-%m-%d %H:%M").astimezone(UTC) if match else None
    except (ValueError, OverflowError):
        return None


KNOWLEDGE = ".ai-knowledge"
ROLES = (".muxcode", "memory")
_MAX_PROBED = 50  # files read to recognise a layout
_STAMPED = re.compile(r"^## [^\n]+\n_\d{4}-\d{2}-\d{2} \d{2}:\d{2}_[ \t]*$", re.MULTILINE)
_WORKSPACE = ("USER.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md")


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda path: compiled.fullmatch(path) is not None


def _markdown(path: str) -> bool:
    return path.lower().endswith(SUFFIXES)


def _only(*folders: str) -> Callable[[str], bool]:
    return lambda folder: folder in folders


def _has_file(root: Path, *names: str) -> bool:
    return any((root / name).is_file() for name in names)


def _beginnings(files: Iterable[Path]) -> Iterator[str]:
    for file in islice(
        (file for file in files if file.is_file() and not file.is_symlink()), _MAX_PROBED
    ):
        try:
            with file.open(encoding="utf-8-sig", errors="replace") as stream:
                yield stream.read(4000)
        except OSError:
            continue


def _fits_roles(root: Path) -> bool:
    if root.parts[-2:] == ROLES or root.joinpath(*ROLES).is_dir():
        return True
    # one page that shows the format does not make a folder of documents one of role files
    stamped = [bool(_STAMPED.search(text)) for text in _beginnings(root.glob("*.md"))]
    return any(stamped) and 2 * sum(stamped) >= len(stamped)


def _fits_daily(root: Path) -> bool:
    below = (file for name in ("memory", "daily") for file in (root / name).glob("*.md"))
    if _has_file(root, "MEMORY.md", "memory/MEMORY.md") or any(
        note_day(file.name) for file in below
    ):
        return True
    notes = list(islice(root.glob("*.md"), _MAX_PROBED))
    return bool(notes) and all(note_day(file.name) for file in notes)


LAYOUTS: Mapping[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout(
            "claude-memory",
            "the auto memory below ~/.claude/projects; only read",
            lambda root: root.name == "memory" and {".claude", "projects"} <= set(root.parts),
            _matches(r"[^/]+\.md"),
            read_whole,
            _only(),
            writable=False,
        ),
        Layout(
            "topics",
            "topics with tags in .ai-knowledge/*.mdk, and their index",
            lambda root: root.name == KNOWLEDGE or (root / KNOWLEDGE).is_dir(),
            _matches(rf"(?:{re.escape(KNOWLEDGE)}/)?[^/]+\.mdk"),
            read_topic,
            _only(KNOWLEDGE),
            (KNOWLEDGE,),
        ),
        Layout(
            "roles",
            "sections with a time, one file a role, archives by day",
            _fits_roles,
            _matches(r"[^/.][^/]*(?:/\d{4}-\d{2}-\d{2})?\.md"),
            read_roles,
            lambda folder: "/" not in folder,
            home=lambda root: root.joinpath(*ROLES) if root.joinpath(*ROLES).is_dir() else root,
        ),
        Layout(
            "obsidian",
            "a vault with links and tags",
            lambda root: (root / ".obsidian").is_dir(),
            _markdown,
            read_vault,
        ),
        Layout(
            "openclaw",
            "MEMORY.md, USER.md and everything below memory/",
            lambda root: (
                _has_file(root, *_WORKSPACE)
                and (_has_file(root, "MEMORY.md") or (root / "memory").is_dir())
            ),
            _matches(r"(?:MEMORY|USER)\.md|memory/(?:.*/)?[^/]+\.md"),
            read_headed,
            lambda folder: folder.split("/", 1)[0] == "memory",
        ),
        Layout(
            "daily",
            "MEMORY.md and a note for each day in memory/ or daily/",
            _fits_daily,
            _matches(r"MEMORY\.md|(?:memory|daily)/[^/]+\.md|\d{4}-\d{2}-\d{2}\.md"),
            read_headed,
            _only("memory", "daily"),
        ),
        Layout(
            "claude",
            "CLAUDE.md, also in subfolders, and .claude/rules; only read",
            lambda root: (
                _has_file(root, "CLAUDE.md", "CLAUDE.local.md")
                or (root / ".claude" / "rules").is_dir()
            ),
            _matches(r"(?:.*/)?CLAUDE(?:\.local)?\.md|(?:.*/)?\.claude/rules/(?:.*/)?[^/]+\.md"),
            read_whole,
            lambda folder: re.search(r"(?:^|/)\.claude/(?!rules(?:/|$))", folder) is None,
            (".claude",),
            skips=BUILD_FOLDERS,
            writable=False,
        ),
        Layout(
            "agents",
            "AGENTS.md, also in subfolders",
            lambda root: _has_file(root, "AGENTS.md"),
            _matches(r"(?:.*/)?AGENTS\.md"),
            read_headed,
            skips=BUILD_FOLDERS,
        ),
        Layout(
            "basic-memory",
            "notes with observations and relations",
            lambda root: any(
                "permalink" in parse_note(text).fields
                for text in _beginnings(chain(root.glob("*.md"), root.glob("*/*.md")))
            ),
            _markdown,
            read_basic,
        ),
        Layout(
            "markdown",
            "any other folder of markdown",
            lambda _: True,
            _markdown,
            read_vault,
            skips=BUILD_FOLDERS,
        ),
    )
}


def fitting(root: Path) -> list[Layout]:
    """Return the layouts that fit a folder, best first; the last is plain markdown."""
    return [layout for layout in LAYOUTS.values() if layout.fits(root)]


def layout_named(name: str) -> Layout:
    """Return a layout by its name."""
    if name not in LAYOUTS:
        raise InvalidInputError(
            f"there is no layout {name!r}", f"the layouts are: {', '.join(LAYOUTS)}"
        )
    return LAYOUTS[name]
