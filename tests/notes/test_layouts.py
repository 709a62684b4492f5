"""Folders of every kind: which one it is, what of it is a note, what its sections are, and that nobody else's byte changes"""

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.cli.main import run
from ghostmem.errors import InvalidInputError
from ghostmem.model import Kind, Memory, Tier
from ghostmem.notes.layouts import LAYOUTS, Layout, Reading, fitting
from ghostmem.notes.scan import scan
from ghostmem.settings import Settings
from ghostmem.text.frontmatter import front_matter
from ghostmem.text.sections import cut

DATA = Path(__file__).parents[1] / "data" / "notes" / "layouts"
TOUCHED = datetime(2026, 1, 5, 6, 7, 8, tzinfo=UTC)
NS = "notes:test"


class Part(NamedTuple):
    """A section as it should come out; without a time it is of the file's."""

    key: str
    line: int
    fact: str
    tags: tuple[str, ...] = ()
    when: datetime | None = None
    daily: bool = False


def day(text: str) -> datetime:
    """Return a time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local(text: str) -> datetime:
    """Return a local time."""
    return datetime.fromisoformat(text).astimezone(UTC)


AUTH = ("security", "identity")
EXPECTED: dict[str, tuple[Part, ...]] = {
    "claude-memory": (
        Part("MEMORY.md", 1, "port 8443 behind haproxy"),
        Part("debugging.md", 1, "token clock skews by ninety seconds"),
    ),
    "topics": (
        Part(".ai-knowledge/auth.mdk", 9, "Refresh tokens rotate every eleven days", AUTH, day("2026-02-25T21:28:33")),
        Part(".ai-knowledge/index.mdk", 1, "billing service is written in Elixir"),
        Part(".ai-knowledge/index.mdk#auth", 7, "Sessions, cookies and their lifetimes"),
        Part(".ai-knowledge/index.mdk#invoices", 11, "Numbering and rounding"),
        Part(".ai-knowledge/invoices.mdk", 6, "rounded half to even", ("billing", "money, rounded"), day("2026-03-01T08:00:00")),
    ),
    "roles": (
        Part("deploy.md#staging-host", 2, "machine called heron", ("deploy",), local("2026-02-21T14:05")),
        Part("deploy.md#undated-remark", 7, "kestrel, the old machine", ("deploy",)),
        Part("deploy/2026-02-19.md#certificate", 2, "renewed with acme", ("deploy",), local("2026-02-19T18:30")),
        Part("shared.md#code-sample", 7, "this is no heading", ("shared",), local("2026-02-20T10:40")),
        Part("shared.md#package-manager", 2, "uses pnpm, never npm", ("shared",), local("2026-02-20T09:15")),
    ),
    "obsidian": (
        Part("Home.md", 7, "Everything begins here", ("map",), day("2025-06-01")),
        Part("Home.md#habits", 9, "Reviewed on", ("map", "review/weekly"), day("2025-06-01")),
        Part("Journal/2026-02-07.md", 1, "Visited the science museum", (), day("2026-02-07"), daily=True),
        Part("People/Ada Lovelace.md", 5, "first published algorithm"),
        Part("People/Ada Lovelace.md#letters", 9, "weaving of algebraic patterns", ("source",)),
        Part("Projects/Analytical Engine.md", 1, "mill and store were described"),
        Part("Punch cards.md", 1, "Jacquard's cards"),
    ),
    "openclaw": (
        Part("MEMORY.md", 1, "heated by a heat pump"),
        Part("MEMORY.md#plants", 5, "never stand below seven degrees"),
        Part("USER.md", 1, "Lives in Trondheim"),
        Part("memory/2026-02-07.md", 1, "volcanic grit", (), day("2026-02-07"), daily=True),
        Part("memory/projects/greenhouse.md#sensors", 3, "Zigbee on channel twenty"),
    ),
    "daily": (
        Part("MEMORY.md", 1, "vim keybindings"),
        Part("MEMORY.md#servers", 5, "called osprey"),
        Part("daily/2026-02-07.md", 1, "router to channel eleven", (), day("2026-02-07"), daily=True),
        Part("daily/2026-02-07.md#evening", 5, "film about lighthouses", (), day("2026-02-07"), daily=True),
        Part("daily/2026-02-08.md", 1, "dentist for Thursday", (), day("2026-02-08"), daily=True),
    ),
    "claude": (
        Part(".claude/rules/db/migrations.md", 1, "written by hand, in plain SQL"),
        Part(".claude/rules/testing.md", 1, "frozen with syrupy"),
        Part("CLAUDE.local.md", 1, "called sandpiper"),
        Part("CLAUDE.md", 1, "Use tabs, never spaces"),
        Part("packages/api/CLAUDE.md", 1, "problem details as of RFC 9457"),
    ),
    "agents": (
        Part("AGENTS.md", 1, "Commit messages are imperative"),
        Part("AGENTS.md#setup", 5, "Install with uv and nothing else"),
        Part("web/AGENTS.md", 1, "Components live in src/widgets"),
    ),
    "basic-memory": (
        Part("coffee/Brewing.md", 11, "brings out floral notes", ("coffee", "filter", "temperature"), day("2026-01-10T08:30")),
        Part("coffee/Roasting.md", 8, "first crack comes at 196", ("coffee", "heat")),
        Part("coffee/Water.md", 7, "Hardness below four degrees", ("limescale",)),
    ),
    "markdown": (
        Part("README.md", 1, "Handbook of the allotment"),
        Part("README.md#rules", 3, "Bonfires are allowed in November"),
        Part("plants/seeds.markdown#seeds", 6, "Parsnip seed keeps", ("seed", "spring"), day("2025-04-05")),
    ),
}  # fmt: skip
READ_ONLY = ("claude-memory", "claude")
WRITABLE = tuple(name for name in EXPECTED if name not in READ_ONLY)


def laid(name: str, base: Path) -> Path:
    """Copy the folder of a kind to where such folders lie, all files touched at the same time."""
    root = (
        base / ".claude" / "projects" / "-home-me-app" / "memory"
        if name == "claude-memory"
        else base / "work"
    )
    shutil.copytree(DATA / name, root)
    touch(root)
    return root


def touch(root: Path) -> None:
    """Set the time of every file."""
    for path in root.rglob("*"):
        if path.is_file():
            os.utime(path, (TOUCHED.timestamp(), TOUCHED.timestamp()))


def made(base: Path, files: dict[str, str | bytes]) -> Path:
    """Write a folder of files; a name that ends in a slash is a folder."""
    root = base / "work"
    root.mkdir(parents=True)
    for name, text in files.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    touch(root)
    return root


def snapshot(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Return every file below a folder with its bytes, its time and its inode."""
    return {
        str(path.relative_to(root)): (
            path.read_bytes(),
            path.stat().st_mtime_ns,
            path.stat().st_ino,
        )
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def found(ghost: Ghost, ns: str = NS) -> dict[str, Memory]:
    """Return the memories of a namespace by their keys, in order of these."""
    return {
        memory.key: memory
        for memory in sorted(ghost.list(ns, limit=1000), key=lambda memory: memory.key)
    }


def test_there_is_a_folder_for_every_layout() -> None:
    """The table of this file and that of the program have the same rows."""
    assert set(EXPECTED) == set(LAYOUTS)
    assert {name for name, layout in LAYOUTS.items() if not layout.writable} == set(READ_ONLY)


@pytest.mark.requirement("001-001")
@pytest.mark.parametrize("name", EXPECTED)
def test_a_folder_of_each_kind_is_told_and_read(name: str, tmp_path: Path, store: Ghost) -> None:
    """The layout is found out; exactly its files are notes; sections have their names, lines, times, tags, kinds and tiers."""
    root = laid(name, tmp_path)
    added = store.notes.add(root, NS)
    assert (added.folder.layout, added.detected) == (name, True)
    assert added.report.failed == []
    memories = found(store)
    assert list(memories) == sorted(part.key for part in EXPECTED[name])
    assert added.report.notes == len({part.key.partition("#")[0] for part in EXPECTED[name]})
    for part in EXPECTED[name]:
        memory = memories[part.key]
        assert (part.key, memory.tags) == (part.key, (*part.tags, "locked"))
        assert (part.key, memory.created_at) == (part.key, part.when or TOUCHED)
        kind, tier = (Kind.EPISODIC, Tier.STM) if part.daily else (Kind.SEMANTIC, Tier.LTM)
        assert (part.key, memory.kind, memory.tier) == (part.key, kind, tier)
        path, _, section = part.key.partition("#")
        assert memory.meta == {"note": path, **({"section": section} if section else {})}
        assert [(file.path, str(file.rel)) for file in store.get(NS, part.key).files] == [
            (str(root / path), "read")
        ]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_fact_of_each_section_is_found_where_it_stands(
    name: str, tmp_path: Path, store: Ghost
) -> None:
    """The hit names the file and the line of the fact; its chunk is the file's text at its lines."""
    root = laid(name, tmp_path)
    store.notes.add(root, NS)
    for part in EXPECTED[name]:
        hits = store.search(part.fact, NS, limit=20)
        hit = next(hit for hit in hits if hit.key == part.key)
        assert hits[0].key == part.key, part
        assert (hit.path, hit.root) == (part.key.partition("#")[0], str(root))
        lines = (root / hit.path).read_text(encoding="utf-8").split("\n")
        assert part.fact in lines[hit.line - 1]
        there = "\n".join(lines[part.line + hit.start_line - 2 : part.line + hit.end_line - 1])
        assert hit.match_chunk == there.rstrip()


STYLES: dict[str, Callable[[str], bytes]] = {
    "lf": lambda text: text.encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "bom crlf": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "no end": lambda text: text.rstrip("\n").encode(),
    "spaces": lambda text: text.replace("\n\n", "  \n\n").encode() + b" \t \n\n\n",
}


@pytest.mark.wide(keep=12)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", WRITABLE)
def test_a_write_changes_one_section_and_nothing_else(
    name: str, style: str, tmp_path: Path, store: Ghost
) -> None:
    """Whatever the line ends, marks and spaces: only the bytes of the section are others afterwards."""
    root = laid(name, tmp_path)
    for path in {part.key.partition("#")[0] for part in EXPECTED[name]}:
        (root / path).write_bytes(STYLES[style]((root / path).read_text(encoding="utf-8")))
    store.notes.add(root, NS)
    for part, word in zip(
        EXPECTED[name],
        ("quince", "walnut", "otter", "granite", "saffron", "violin", "meadow"),
        strict=False,
    ):
        path = root / part.key.partition("#")[0]
        before, others = snapshot(root), found(store)
        content = store.get(NS, part.key).content
        fresh = content.split("\n")[0] + f"\n\nQuite another text, ü, on {word}.\n- and an item"
        raw = path.read_bytes()
        end = b"\r\n" if "crlf" in style else b"\n"
        old, new = (text.encode().replace(b"\n", end) for text in (content, fresh))
        assert raw.count(old) == 1
        written = store.notes.write(NS, part.key, fresh)
        assert (written.changed, written.path) == (True, part.key.partition("#")[0])
        assert path.read_bytes() == raw.replace(old, new)
        after = snapshot(root)
        assert set(after) - set(before) <= {".lock", ".ghost.lock"}
        assert {name: after[name] for name in before if root / name != path} == {
            name: kept for name, kept in before.items() if root / name != path
        }
        now = found(store)
        assert now[part.key].content == fresh
        assert now[part.key].id == others[part.key].id
        assert {key: m.content for key, m in now.items() if key != part.key} == {
            key: m.content for key, m in others.items() if key != part.key
        }
        assert store.search(word, NS)[0].path == part.key.partition("#")[0]


@pytest.mark.parametrize("name", WRITABLE)
def test_a_sections_own_text_written_back_changes_nothing(
    name: str, tmp_path: Path, store: Ghost
) -> None:
    """Not a byte, and not the file's time."""
    root = laid(name, tmp_path)
    store.notes.add(root, NS)
    before = snapshot(root)
    for part in EXPECTED[name]:
        assert not store.notes.write(NS, part.key, store.get(NS, part.key).content).changed
    after = snapshot(root)
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("name", READ_ONLY)
def test_what_belongs_to_another_program_is_only_read(
    name: str, tmp_path: Path, store: Ghost
) -> None:
    """A write is refused, and the file is what it was."""
    root = laid(name, tmp_path)
    store.notes.add(root, NS)
    before = snapshot(root)
    for part in EXPECTED[name]:
        with pytest.raises(InvalidInputError, match="only read"):
            store.notes.write(NS, part.key, "Mine now.")
    assert snapshot(root) == before


STAMPED = "\n## Build\n_2026-02-20 10:00_\n\nUse pnpm.\n"
PERMALINK = "---\ntitle: A\npermalink: a\n---\n\nText.\n"
NEAR = [json.loads(line) for line in (DATA.parent / "layouts.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", NEAR, ids=lambda case: case["name"])
def test_near_misses_and_mixtures(case: dict[str, Any], tmp_path: Path) -> None:
    """What a folder is taken for, and which of its files are notes."""
    root = made(tmp_path, case["files"])
    taken = fitting(root)[0]
    assert taken.name == case["layout"]
    assert sorted(scan(taken.home(root), taken).files) == case["notes"]


@pytest.mark.parametrize(
    ("place", "layout"),
    [
        (".claude/projects/-home-me/memory", "claude-memory"),
        (".claude/memory", "daily"),
        ("projects/memory", "daily"),
        (".muxcode/memory", "roles"),
        (".ai-knowledge", "topics"),
        (".claude/projects/-home-me/memories", "daily"),
    ],
)
def test_the_place_of_a_folder_tells(place: str, layout: str, tmp_path: Path) -> None:
    """The same file is something else elsewhere."""
    root = tmp_path / place
    root.mkdir(parents=True)
    (root / "MEMORY.md").write_text("x", encoding="utf-8")
    assert fitting(root)[0].name == layout


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/St_Johns"])
def test_the_time_of_a_role_is_local(
    zone: str, tmp_path: Path, store: Ghost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The times in a role file are local times."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        store.notes.add(made(tmp_path, {"build.md": STAMPED}), NS)
        offset = {"UTC": 0, "Asia/Tokyo": 9, "America/St_Johns": -3.5}[zone]
        told = found(store)["build.md#build"].created_at
        assert (day("2026-02-20T10:00") - told).total_seconds() == offset * 3600
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("\n## T\n_2026-02-20 10:00_\n\nx\n", "2026-02-20T10:00"),
        ("\n## T\n\n\n_2026-02-20 10:00_  \nx\n", "2026-02-20T10:00"),
        ("\n## T\nx\n_2026-02-20 10:00_\n", None),
        ("\n## T\n_2026-02-20_\nx\n", None),
        ("\n## T\n_2026-13-40 10:00_\nx\n", None),
        ("\n## T\n_2026-02-20 25:00_\nx\n", None),
        ("\n## T\n_emphasis_\nx\n", None),
        ("\n## T\n_2026-02-20 10:00_ and more\nx\n", None),
        ("\n## T\n_2026-02-20 10:00_", "2026-02-20T10:00"),
    ],
)
def test_a_time_is_the_first_line_of_a_section_or_none(text: str, when: str | None) -> None:
    """Anything else belongs to the text, which is kept whole."""
    (section,) = LAYOUTS["roles"].read("build.md", text, TOUCHED).sections
    assert section.when == (local(when) if when else TOUCHED)
    assert section.text == text[1:]
    assert section.tags == ("build",)


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("build.md", "build"),
        ("build/2026-02-19.md", "build"),
        ("edit.md", "edit"),
        ("2024team.md", "2024team"),
        ("2026-plan.md", "2026-plan"),
    ],
)
def test_an_archive_carries_the_role(path: str, role: str) -> None:
    """A day's file lies in a folder named after the role; any other file is the role itself."""
    (section,) = LAYOUTS["roles"].read(path, STAMPED, TOUCHED).sections
    assert section.tags == (role,)


def test_a_file_that_vanishes_under_the_scan_is_no_error(tmp_path: Path) -> None:
    """Between the listing and the look somebody may delete it."""
    root = made(tmp_path, {"a.md": "x", "b.md": "y"})

    def wants(path: str) -> bool:
        (root / "b.md").unlink(missing_ok=True)
        return path.endswith(".md")

    layout = Layout("test", "", lambda _: True, wants, lambda *_: Reading(()))
    assert list(scan(root, layout).files) == ["a.md"]


LINES = st.sampled_from([
    "# A", "## A", "## B ##", "### C", "   ## D", "    ## E", "#tag", "##", "# ", "## Untitled",
    "```", "~~~", "````", "```py", "---", "---  ", "title: x", "tags: [a, b]", "permalink: p",
    "", " ", "\t", "text", "  text  ", "- item", "    - deep", "_2026-02-20 10:00_", "[[A]] #t",
    "a\rb", "a\x0cb", "a\u2028b", "\x0c", "é",
])  # fmt: skip
TEXTS = st.tuples(st.lists(LINES, max_size=14), st.sampled_from(["", "\n", "\n\n", " \n"])).map(
    lambda made: "\n".join(made[0]) + made[1]
)
QUICK = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("layout", WRITABLE)
@given(text=TEXTS)
@settings(QUICK)
def test_sections_of_any_text_can_be_read_and_are_the_files(layout: str, text: str) -> None:
    """Names are unique, each text stands in the file at its line, and none overlaps the next."""
    path = ".ai-knowledge/a.mdk" if layout == "topics" else "a.md"
    sections = LAYOUTS[layout].read(path, text, TOUCHED).sections
    assert len({section.name for section in sections}) == len(sections)
    end = 0
    for section in sections:
        start = sum(len(line) + 1 for line in text.split("\n")[: section.line - 1])
        assert text[start : start + len(section.text)] == section.text
        assert start >= end
        end = start + len(section.text)
    if layout != "topics" and sections:
        told = front_matter(text) + "".join(section.text for section in sections)
        lost = [
            piece.body.strip()
            for piece in cut(text)
            if piece.body.strip() and piece.body not in told
        ]
        assert all("\n" not in one and one.startswith("#") for one in lost), (
            "only headings with nothing below are left out"
        )


@given(
    text=TEXTS,
    style=st.sampled_from(sorted(STYLES)),
    layout=st.sampled_from(["markdown", "roles", "basic-memory", "agents"]),
)
@settings(QUICK)
def test_any_sections_own_text_written_back_changes_no_byte(
    text: str, style: str, layout: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever stands in a file, and however it is written."""
    root = tmp_path_factory.mktemp("any")
    path = root / ("AGENTS.md" if layout == "agents" else "a.md")
    raw = STYLES[style](text)
    path.write_bytes(raw)
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        ghost.notes.add(root, NS, layout=layout)
        for key, memory in found(ghost).items():
            assert not ghost.notes.write(NS, key, memory.content).changed
            assert path.read_bytes() == raw
        for key, memory in list(found(ghost).items())[-1:]:
            old = memory.content.encode().replace(
                b"\n", b"\r\n" if b"\r\n" in raw and "\r\n" not in memory.content else b"\n"
            )
            if raw.count(old) == 1:
                ghost.notes.write(NS, key, "plain words")
                assert path.read_bytes() == raw.replace(old, b"plain words")
    shutil.rmtree(root)


# ---------------------------------------------------------------- meaning


def long_note() -> str:
    """Return a note of three sections of four paragraphs each."""
    about = "Paragraph {0} is about its own matter. " + "It goes on about {0}. " * 14
    return "\n".join(
        f"# {section}\n\n" + "\n\n".join(about.format(f"{section}{n}") for n in range(4)) + "\n"
        for section in ("One", "Two", "Three")
    )


@pytest.mark.requirement("001-017", "001-018")
def test_meaning_is_found_with_the_local_model_and_kept_in_the_store(tmp_path: Path) -> None:
    """The local model finds what shares no word; its vectors are rows of the one SQLite file, read without any extension."""
    notes = {
        "MEMORY.md": "# Memory\n\nOur automobile is a Volvo.\n\n## Health\n\nThe physician prescribed a medicine.\n",
        "memory/2026-02-07.md": "Repaired the roof of the shed.\n",
    }
    root = made(tmp_path, notes)
    path = tmp_path / "m.db"
    with Ghost.open(path, settings=Settings(embed_provider="local")) as ghost:
        ghost.notes.add(root, NS)
        hits = ghost.search("which car do we drive", NS)
        assert "Volvo" in hits[0].match_chunk
        assert (hits[0].path, hits[0].line) == ("MEMORY.md", 3)
        assert hits[0].similarity is not None
        assert {"text", "substring"} < set(hits.legs)
        count = sum(len(ghost.chunks(NS, key)) for key in found(ghost))
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*), min(length(vector)) > 0 FROM vectors").fetchone() == (
            count,
            1,
        )
    db.close()


@pytest.mark.requirement("001-018")
def test_notes_are_cut_at_headings_and_paragraphs(tmp_path: Path, store: Ghost) -> None:
    """A chunk never reaches over a heading, begins and ends with a paragraph, and all of them are the note."""
    root = made(tmp_path, {"MEMORY.md": long_note()})
    store.notes.add(root, NS)
    memories = found(store)
    assert list(memories) == ["MEMORY.md", "MEMORY.md#three", "MEMORY.md#two"]
    for key, memory in memories.items():
        chunks = [chunk.text for chunk in store.chunks(NS, key)]
        paragraphs = [part for part in memory.content.split("\n\n") if not part.startswith("#")]
        assert len(chunks) == len(paragraphs) == 4
        assert all(
            chunk.endswith(paragraph.rstrip())
            for chunk, paragraph in zip(chunks, paragraphs, strict=True)
        )


def test_the_command_line_takes_a_layout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ghost notes add --layout` reads a folder as told, and one that is not there is told with those that are."""
    root = laid("obsidian", tmp_path)
    store = ("--db", str(tmp_path / "m.db"))
    assert run([*store, "notes", "add", str(root), "-n", NS, "--layout", "agents"]) == 0
    assert "layout agents" in capsys.readouterr().out
    assert run([*store, "notes", "add", str(root), "-n", NS]) == 0
    assert "layout obsidian (detected" in capsys.readouterr().out
    assert run([*store, "notes", "add", str(root), "-n", NS, "--layout", "vault"]) != 0
    assert "obsidian" in capsys.readouterr().err
