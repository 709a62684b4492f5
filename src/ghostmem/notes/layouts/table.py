"""The table of layouts; a folder has the first that fits."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path

from ghostmem.errors import InvalidInputError
from ghostmem.notes.layouts.base import BUILD_FOLDERS, SUFFIXES, Layout
from ghostmem.notes.layouts.readers import (
    DATED,
    read_basic,
    read_headed,
    read_roles,
    read_topic,
    read_vault,
    read_whole,
)
from ghostmem.text.frontmatter import parse_note

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
    """Yield the beginnings of a few notes."""
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
        DATED.fullmatch(file.name) for file in below
    ):
        return True
    notes = list(islice(root.glob("*.md"), _MAX_PROBED))
    return bool(notes) and all(DATED.fullmatch(file.name) for file in notes)


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
