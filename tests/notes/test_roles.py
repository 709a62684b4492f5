"""Role files: the format to the byte, what hostile texts can do to it, search, rotation, and what kills and crowds leave."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.errors import InvalidInputError
from ghostmem.notes import roles
from ghostmem.notes.roles import (
    MemoryEntry,
    SearchResult,
    all_memory_entries,
    append_memory,
    format_memory_list,
    format_search_results,
    list_memory_files,
    memory_context,
    parse_memory_entries,
    read_memory,
    search_memory,
)
from ghostmem.search.note_entries import search_entries
from ghostmem.settings import Settings
from ghostmem.text.entries import bm25_scores, clip, keyword_scores, tokens

GOLDEN = Path(__file__).parent.parent / "data" / "notes" / "roles"
TODAY = datetime(2026, 3, 14, 9, 26).astimezone()
TWO = """
## Build Config
_2026-02-21 14:27_

use pnpm for all builds

## Deploy Notes
_2026-02-21 15:00_

always run cdk diff first
"""


@pytest.fixture(autouse=True)
def no_folder_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no variable and no folder of the machine name the role files."""
    monkeypatch.delenv("BUS_MEMORY_DIR", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return where the role files of a test are, once something makes them."""
    return tmp_path / "memory"


def fill(folder: Path, *entries: tuple[str, str, str]) -> None:
    """Write role files of (role, section, content), all of one minute."""
    folder.mkdir(exist_ok=True)
    for role, section, content in entries:
        with (folder / f"{role}.md").open("a", encoding="utf-8") as file:
            file.write(f"\n## {section}\n_2026-02-21 14:27_\n\n{content}\n")


def date_back(path: Path, **by: float) -> datetime:
    """Let a file look as if it was written so long before TODAY, and return when."""
    at = TODAY - timedelta(**by)
    os.utime(path, (at.timestamp(), at.timestamp()))
    return at


def sections(results: list[SearchResult]) -> list[str]:
    """Return the titles of results."""
    return [result.entry.section for result in results]


# The eleven tests that the specification names


@pytest.mark.requirement("003-006", "003-007", "003-028")
def test_parse_memory_entries() -> None:
    """Two entries are parsed, with the right fields."""
    assert parse_memory_entries(TWO, "shared") == [
        MemoryEntry("shared", "Build Config", "2026-02-21 14:27", "use pnpm for all builds"),
        MemoryEntry("shared", "Deploy Notes", "2026-02-21 15:00", "always run cdk diff first"),
    ]


@pytest.mark.requirement("003-029")
@pytest.mark.parametrize("text", ["", "   \n\n  ", "\ufeff", "no heading at all\n"])
def test_parse_memory_entries_empty(text: str) -> None:
    """A text without sections has no entries."""
    assert parse_memory_entries(text, "build") == []


@pytest.mark.requirement("003-008", "003-030")
def test_parse_memory_entries_multiline_content() -> None:
    """A body of several lines is kept whole, blank lines within it too."""
    body = "line one\n  line two\n\n\nline three"
    found = parse_memory_entries(f"\n## Multi Line\n_2026-02-21 14:27_\n\n{body}\n", "edit")
    assert [entry.content for entry in found] == [body]


@pytest.mark.requirement("003-009", "003-031")
def test_list_memory_files(folder: Path) -> None:
    """A scan of the folder gives the roles: files, and archives without a file; nothing else counts."""
    fill(folder, ("shared", "Section", "text"), ("build", "Section", "text"))
    for name in (
        "deploy/2026-02-20.md",
        "empty/readme.md",
        ".hidden.md",
        ".lock",
        "notes.txt",
        "con.md",
        "folder.md/x",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    assert list_memory_files(folder) == ["build", "deploy", "shared"]


@pytest.mark.requirement("003-010", "003-032")
def test_list_memory_files_empty_dir(tmp_path: Path) -> None:
    """A folder that does not exist holds nothing, is no error, and is not made."""
    assert list_memory_files(tmp_path / "nowhere") == []
    assert all_memory_entries(tmp_path / "nowhere") == []
    assert search_memory("x", folder=tmp_path / "nowhere") == []
    assert memory_context("build", folder=tmp_path / "nowhere") == ""
    assert read_memory("build", tmp_path / "nowhere") == ""
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.requirement("003-012", "003-033")
def test_search_memory_basic_match(folder: Path) -> None:
    """A single term finds the right entry, and only that."""
    fill(
        folder,
        ("build", "Build Config", "use pnpm for all builds"),
        ("shared", "Deploy Notes", "always run cdk diff first"),
    )
    entry = MemoryEntry("build", "Build Config", "2026-02-21 14:27", "use pnpm for all builds")
    assert search_memory("pnpm", folder=folder) == [SearchResult(entry, 1.0)]


@pytest.mark.requirement("003-034")
@pytest.mark.parametrize("mode", ["keyword", "bm25"])
def test_search_memory_header_boost(folder: Path, mode: str) -> None:
    """A match in the title ranks above a match in the text."""
    fill(
        folder,
        ("shared", "Notes", "remember to deploy"),
        ("shared", "Deploy Guide", "run cdk diff"),
    )
    found = search_memory("deploy", folder=folder, mode=mode)
    assert sections(found) == ["Deploy Guide", "Notes"]
    assert found[0].score > found[1].score


@pytest.mark.requirement("003-015", "003-035")
@pytest.mark.parametrize("mode", ["keyword", "bm25"])
def test_search_memory_role_filter(folder: Path, mode: str) -> None:
    """A role keeps the others' entries out."""
    fill(folder, ("build", "Config", "use pnpm"), ("shared", "Config", "use pnpm too"))
    assert [
        found.entry.role for found in search_memory("pnpm", "build", folder=folder, mode=mode)
    ] == ["build"]
    assert [found.entry.role for found in search_memory("pnpm", "", folder=folder, mode=mode)] == [
        "build",
        "shared",
    ]
    assert search_memory("pnpm", "nobody", folder=folder, mode=mode) == []


@pytest.mark.requirement("003-017", "003-036")
@pytest.mark.parametrize(("limit", "count"), [(2, 2), (5, 5), (9, 5), (0, 5), (-1, 5)])
def test_search_memory_limit(folder: Path, limit: int, count: int) -> None:
    """A limit caps the results; 0 or less does not."""
    fill(folder, *(("shared", f"Entry {number}", "common keyword here") for number in range(5)))
    assert len(search_memory("keyword", limit=limit, folder=folder)) == count
    assert len(search_memory("keyword", folder=folder)) == 5


@pytest.mark.requirement("003-016", "003-037")
@pytest.mark.parametrize("query", ["nonexistent", "", "  \t "])
@pytest.mark.parametrize("mode", ["keyword", "bm25"])
def test_search_memory_no_match(folder: Path, query: str, mode: str) -> None:
    """A question without a match, or without a word, has no results."""
    fill(folder, ("build", "Build Config", "use pnpm"))
    assert search_memory(query, folder=folder, mode=mode) == []


@pytest.mark.requirement("003-013", "003-038")
@pytest.mark.parametrize("query", ["pnpm", "PNPM", "PnPm"])
@pytest.mark.parametrize("mode", ["keyword", "bm25"])
def test_search_memory_case_insensitive(folder: Path, query: str, mode: str) -> None:
    """Capitals make no difference on either side."""
    fill(folder, ("build", "Build Config", "use PNPM always"))
    assert sections(search_memory(query, folder=folder, mode=mode)) == ["Build Config"]


# The format, to the byte


@pytest.mark.requirement("003-011", "003-021")
def test_golden_list() -> None:
    """Rows are padded by characters and never cut; a section without a time keeps its columns."""
    expected = (GOLDEN / "expected" / "list.txt").read_text(encoding="utf-8")
    assert format_memory_list(all_memory_entries(GOLDEN / "memory")) == expected
    assert format_memory_list([]) == ""


@pytest.mark.requirement("003-001", "003-012", "003-014", "003-016", "003-020")
def test_golden_search() -> None:
    """Results are blocks: best first, then newest, with a blank line between; archives are searched under their role."""
    expected = (GOLDEN / "expected" / "search-pnpm-build.txt").read_text(encoding="utf-8")
    assert format_search_results(search_memory("pnpm build", folder=GOLDEN / "memory")) == expected
    assert format_search_results([]) == ""


def test_golden_context() -> None:
    """Shared memory comes first, then the role's archives and its file."""
    expected = (GOLDEN / "expected" / "context-deploy.txt").read_text(encoding="utf-8")
    assert (
        memory_context(
            "deploy", folder=GOLDEN / "memory", now=datetime(2026, 2, 21, 16).astimezone()
        )
        == expected
    )


@pytest.mark.requirement("003-020", "003-021")
def test_the_formats_of_the_specification() -> None:
    """Its own example lines come out as they stand there."""
    build = MemoryEntry("shared", "Build Config", "2026-02-21 14:27", "use pnpm for all builds")
    assert format_search_results([SearchResult(build, 4.0)]) == (
        "--- [shared] Build Config (2026-02-21 14:27) score:4.0 ---\nuse pnpm for all builds\n"
    )
    rows = [
        MemoryEntry("shared", "Agent Permissions", "2026-02-21 14:27", ""),
        MemoryEntry("edit", "delegation rules", "2026-02-20 17:30", ""),
    ]
    assert format_memory_list(rows) == (
        "shared     Agent Permissions                    2026-02-21 14:27\n"
        "edit       delegation rules                     2026-02-20 17:30\n"
    )


@pytest.mark.requirement("003-003")
def test_golden_append(folder: Path) -> None:
    """Ordinary texts are written byte for byte, closed code fences and headings within them too."""
    append_memory("Build Config", "use pnpm for all builds", "build", folder, TODAY)
    date_back(folder / "build.md")
    text = "always run\n\n```sh\n## first\ncdk diff\n```"
    done = append_memory("Deploy Notes", text, "build", folder, TODAY + timedelta(minutes=5))
    assert (folder / "build.md").read_bytes() == (GOLDEN / "expected" / "appended.md").read_bytes()
    assert done.to_dict() == {
        "role": "build",
        "section": "Deploy Notes",
        "timestamp": "2026-03-14 09:31",
        "path": str(folder / "build.md"),
    }
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "build.md"]


def test_golden_guard(folder: Path) -> None:
    """What would be misread has a backslash in the file, and none once it is read."""
    text = "## not a section\n\\## was guarded\n  ```sh\nunclosed"
    append_memory("Quoted", text, "build", folder, TODAY)
    assert (folder / "build.md").read_bytes() == (GOLDEN / "expected" / "guarded.md").read_bytes()
    assert [entry.content for entry in all_memory_entries(folder)] == [text]


@pytest.mark.requirement("003-003")
@pytest.mark.parametrize(("zone", "shown"), [("UTC", "09:26"), ("Asia/Tokyo", "18:26")])
def test_times_are_local(
    folder: Path, monkeypatch: pytest.MonkeyPatch, zone: str, shown: str
) -> None:
    """A section has the time of the place where it is written."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        append_memory("A", "x", "build", folder, datetime(2026, 3, 14, 9, 26, tzinfo=UTC))
    time.tzset()
    assert [entry.timestamp for entry in all_memory_entries(folder)] == [f"2026-03-14 {shown}"]


def test_without_a_role_it_is_shared_and_without_a_clock_it_is_now(folder: Path) -> None:
    """The defaults of the functions."""
    before = datetime.now().replace(second=0, microsecond=0)
    append_memory("A", "x", folder=folder)
    (entry,) = all_memory_entries(folder)
    assert entry.role == "shared"
    assert before <= datetime.fromisoformat(entry.timestamp) <= datetime.now()
    assert read_memory(folder=folder) == f"\n## A\n_{entry.timestamp}_\n\nx\n"


@pytest.mark.requirement("003-040")
def test_the_folder_comes_from_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a folder it is BUS_MEMORY_DIR, or .muxcode/memory."""
    append_memory("A", "x")
    assert (tmp_path / ".muxcode" / "memory" / "shared.md").exists()
    monkeypatch.setenv("BUS_MEMORY_DIR", str(tmp_path / "named"))
    assert list_memory_files() == []
    append_memory("A", "x")
    assert (tmp_path / "named" / "shared.md").exists()
    monkeypatch.setenv("GHOST_MEMORY_DIR", "~/own")
    append_memory("A", "x")
    assert (tmp_path / "home" / "own" / "shared.md").exists()


# Reading what others wrote


def test_bytes_that_are_no_utf8_are_read_and_kept(folder: Path) -> None:
    """A broken file can be searched and added to, and keeps every byte."""
    folder.mkdir()
    raw = b"\n## A\n_2026-02-21 14:27_\n\ncaf\xe9 pnpm\n"
    (folder / "old.md").write_bytes(raw)
    assert sections(search_memory("pnpm", folder=folder)) == ["A"]
    append_memory("B", "x", "old", folder)
    kept = [path.read_bytes() for path in sorted(folder.rglob("old*.md"))]
    assert any(part.startswith(raw) for part in kept)


def test_a_link_out_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    """A role's file lies in the folder."""
    (tmp_path / "secret.md").write_text("## Secret\nx", encoding="utf-8")
    folder.mkdir()
    (folder / "build.md").symlink_to(tmp_path / "secret.md")
    for attempt in (
        lambda: append_memory("A", "x", "build", folder),
        lambda: read_memory("build", folder),
    ):
        with pytest.raises(InvalidInputError, match="leads out of"):
            attempt()
    assert (tmp_path / "secret.md").read_text(encoding="utf-8") == "## Secret\nx"


def test_a_link_out_of_the_folder_hides_no_other_file(folder: Path, tmp_path: Path) -> None:
    """Listing and searching all roles ignore it, whether it is a file or an archive."""
    (tmp_path / "secret.md").write_text("## Secret\npnpm", encoding="utf-8")
    append_memory("A", "use pnpm", "edit", folder)
    (folder / "edit").mkdir()
    for link in ("build.md", "edit/2026-02-20.md"):
        (folder / link).symlink_to(tmp_path / "secret.md")
    assert list_memory_files(folder) == ["edit"]
    assert sections(search_memory("pnpm", folder=folder)) == ["A"]
    assert "Secret" not in memory_context("edit", folder=folder)


def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    """A file in the folder's place, or no name at all, is said so."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert list_memory_files(tmp_path / "file") == []
    with pytest.raises(InvalidInputError, match="cannot make the folder"):
        append_memory("A", "x", folder=tmp_path / "file")
    with pytest.raises(InvalidInputError, match="cannot name a folder"):
        list_memory_files("")


# What may come in


@pytest.mark.parametrize(
    "role", ["shared", "code-review", "a.b", "Ünïcode 構成", "r" * 128, "console", "con-1", "~"]
)
def test_safe_roles_are_accepted(folder: Path, role: str) -> None:
    """Other names are the user's business."""
    append_memory("A", "x", role, folder)
    assert list_memory_files(folder) == [role]
    assert [entry.role for entry in all_memory_entries(folder, role)] == [role]


HOSTILE = [
    "## x", "## ", "##", "\\## x", "\\\\## x", " ## x", "### x", "```", "```py", "````", "```a```", "  ```", "\t~~~", "~~~", "~~~~ x",
    "\\```", "  \\~~~", "\\\\```", "_2026-01-01 10:00_", "", " ", "\\", "\r", "\ufeff", "\x0b", "\x85", "\u2028", "plain", "```\t",
]  # fmt: skip
LINES = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=8), max_size=9).map("\n".join)
TITLES = (st.text(max_size=12) | st.sampled_from(HOSTILE)).filter(
    lambda title: (
        title.strip()
        and not any(char in title for char in "\n\r\u2028\u2029")
        and title.isprintable()
    )
)


@pytest.mark.requirement("003-003")
@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(TITLES, LINES.filter(str.strip)), min_size=1, max_size=3),
    LINES,
    st.booleans(),
)
def test_what_is_written_is_what_is_read(
    entries: list[tuple[str, str]], before: str, crlf: bool
) -> None:
    """Whatever a text holds, and whatever a stranger left in the file, sections come back as they were given."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "r.md"
        start = before.replace("\r", "").replace("\n", "\r\n") if crlf else before
        path.write_bytes(start.encode())
        for title, text in entries:
            append_memory(title, text, "r", name)
        written = path.read_bytes()
        found = all_memory_entries(name)[-len(entries) :]
    expected = [
        (title.strip(), text.replace("\r\n", "\n").replace("\r", "\n").strip())
        for title, text in entries
    ]
    assert [(entry.section, entry.content) for entry in found] == expected
    assert written.startswith(start.encode())


@settings(max_examples=200, deadline=None)
@given(LINES, LINES)
def test_reading_anything_is_harmless(first: str, second: str) -> None:
    """Every text can be parsed, and no entry has an empty title."""
    for entry in parse_memory_entries(f"{first}\n## t\n{second}", "r"):
        assert entry.section == entry.section.strip() != ""
        assert entry.content == entry.content.strip()


@pytest.mark.wide(keep=2)
@pytest.mark.parametrize(
    "line", ["```x\n", "~~~\\\n", "\\## \n", " \t" * 50 + "\n", "\\" * 100 + "\n"]
)
def test_a_hostile_file_is_read_in_time(line: str) -> None:
    """A megabyte of beginnings without an end takes no longer than a megabyte of prose."""
    assert (
        len(parse_memory_entries("## A\n" + line * (1_000_000 // len(line)) + "## B\n", "r")) == 2
    )


# Scores


@pytest.mark.requirement("003-004", "003-005")
def test_entries_and_results_have_the_fields_of_the_specification() -> None:
    """MemoryEntry and SearchResult, frozen, and flat as plain data."""
    result = SearchResult(MemoryEntry("r", "s", "t", "c"), 1.5)
    assert (
        result.entry.role,
        result.entry.section,
        result.entry.timestamp,
        result.entry.content,
    ) == ("r", "s", "t", "c")
    assert isinstance(result.score, float)
    assert result.to_dict() == {
        "role": "r",
        "section": "s",
        "timestamp": "t",
        "content": "c",
        "score": 1.5,
    }
    with pytest.raises(AttributeError):
        result.score = 2.0  # type: ignore[misc]


@pytest.mark.requirement("003-013", "003-014", "003-018")
@pytest.mark.parametrize(
    ("query", "title", "text", "score"),
    [
        ("pnpm", "Build", "pnpm, pnpm and PNPM", 3.0),
        ("build", "Rebuild", "building on builds", 4.0),
        ("pnpm\tbuild", "pnpm build", "build", 5.0),
        ("a a", "x", "a", 2.0),
        ("aa", "x", "aaaaa", 2.0),
        ('"pnpm', "x", "pnpm", 0.0),
    ],
)
def test_keyword_scores(query: str, title: str, text: str, score: float) -> None:
    """Parts of words count, apart from each other, each term of the question for itself, double in the title."""
    assert keyword_scores(query, [(title, text)]) == [score]


@pytest.mark.requirement("003-018")
def test_keyword_scores_know_no_rarity() -> None:
    """What an entry scores does not depend on the others."""
    alone = keyword_scores("pnpm", [("A", "pnpm")])
    assert keyword_scores("pnpm", [("A", "pnpm"), ("B", "pnpm"), ("C", "x")])[:1] == alone


@pytest.mark.parametrize(
    ("word", "stem"),
    [("building", "build"), ("deployed", "deploy"), ("configuration", "configura"), ("running", "runn"), ("services", "servic"),
     ("largest", "larg"), ("builds", "build"), ("test", "test"), ("aws", "aws"), ("quickly", "quick"), ("awareness", "aware")],
)  # fmt: skip
def test_stems(word: str, stem: str) -> None:
    """The first ending of the list that leaves two letters comes off, else a plural's s."""
    assert clip(word) == stem


def test_tokens() -> None:
    """Words are letters and digits, without stop words and single letters, but with single characters of other scripts."""
    assert tokens("Build the CDK-deploy_pipeline, a v2 of 構!") == [
        "build",
        "cdk",
        "deploy",
        "pipeline",
        "v2",
        "構",
    ]
    assert tokens("the and is of to in for") == []


def test_bm25_scores() -> None:
    """The formula, with the title double in count and length, and the plain average length."""
    texts = [("Deploy Guide", "deploy services"), ("Notes", "other words")]
    rarity = log((2 - 1 + 0.5) / (1 + 0.5) + 1)
    length, average = 2 * 2 + 2, (4 + 3) / 2
    expected = rarity * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * length / average))
    assert bm25_scores("deployed", texts) == pytest.approx([expected, 0.0])
    assert bm25_scores("deploy deploy", texts) == pytest.approx([2 * expected, 0.0])
    assert bm25_scores("x", []) == []
    assert bm25_scores("x", [("", "")]) == [0.0]


def test_bm25_phrases() -> None:
    """A quoted phrase adds 2.0 where its words stand together, its words count anyway, and alone it makes no score."""
    texts = [
        ("Guide", "always run cdk diff first"),
        ("CDK Notes", "the diff tool is useful"),
        ("Else", "nothing of it"),
    ]
    plain, quoted = bm25_scores("cdk diff", texts), bm25_scores('"cdk diff"', texts)
    assert [b - a for a, b in zip(plain, quoted, strict=True)] == pytest.approx([2.0, 0.0, 0.0])
    assert bm25_scores('run "cdk diff', texts)[0] == pytest.approx(
        bm25_scores('run "cdk diff"', texts)[0]
    )
    assert bm25_scores('""', texts) == [0.0, 0.0, 0.0]


@pytest.mark.requirement("003-019")
def test_scoring_one_entry_is_private() -> None:
    """Public are whole searches, not their parts."""
    import ghostmem

    assert [name for name in ghostmem.__all__ if "score" in name.lower()] == []
    assert [
        name
        for name in vars(roles)
        if "score" in name and name not in ("keyword_scores", "bm25_scores")
    ] == []


HYBRID = [
    MemoryEntry("shared", "Build Config", "2026-02-21 14:27", "use pnpm for all builds"),
    MemoryEntry(
        "edit", "Rules", "2026-02-20 17:30", "Hand big changes to the review agent before merging."
    ),
    MemoryEntry(
        "edit",
        "Coffee \0 time",
        "9999-99-99 99:99",
        "The physician drinks espresso every morning.\0",
    ),
    MemoryEntry("build", "pnpm", "", ""),
]


@pytest.mark.requirement("003-002")
@pytest.mark.parametrize(
    ("provider", "found"),
    [("static", ["Coffee \0 time"]), ("local", ["Coffee \0 time"]), ("none", [])],
)
def test_hybrid_search_finds_by_meaning(provider: str, found: list[str]) -> None:
    """Other words for the same thing find an entry, with the static model's vectors, unless vectors are not wanted."""
    assert (
        keyword_scores("caffeine", [(entry.section, entry.content) for entry in HYBRID])
        == [0.0] * 4
    )
    results, notes = search_entries("caffeine", HYBRID, Settings(embed_provider=provider))
    assert (sections(results)[:1], notes) == (found, ())


@pytest.mark.requirement("003-002")
def test_hybrid_search_is_sorted_and_cut() -> None:
    """Scores go down, words count too, a limit cuts, and a blank question finds nothing."""
    results, _ = search_entries("which pnpm for builds", HYBRID, Settings(embed_provider="none"))
    assert sections(results)[:1] == ["Build Config"]
    assert [result.score for result in results] == sorted(
        (result.score for result in results), reverse=True
    )
    assert (
        sections(search_entries("pnpm", HYBRID, Settings(embed_provider="none"), 1)[0])
        == sections(search_entries("pnpm", HYBRID, Settings(embed_provider="none"))[0])[:1]
    )
    assert search_entries("  ", HYBRID, Settings()) == ([], ())
    assert search_entries("x", [], Settings()) == ([], ())


# Days, archives and what is left of them


def archived(folder: Path, *days: int) -> dict[int, Path]:
    """Make archives of the role build, so many days before TODAY."""
    (folder / "build").mkdir(parents=True)
    found = {day: folder / "build" / f"{TODAY - timedelta(days=day):%Y-%m-%d}.md" for day in days}
    for day, path in found.items():
        path.write_text(f"## {day} days ago\nx\n", encoding="utf-8")
    return found


def test_the_retention_is_a_setting(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GHOST_MEMORY_RETENTION_DAYS is used where none is given."""
    monkeypatch.setenv("GHOST_MEMORY_RETENTION_DAYS", "3")
    paths = archived(folder, 2, 4)
    fill(folder, ("build", "Yesterday", "x"))
    date_back(folder / "build.md", days=1)
    append_memory("New", "x", "build", folder, TODAY)
    assert [path.exists() for path in paths.values()] == [True, False]


# Kills and crowds

APPENDS = """
import sys
from ghostmem.notes.roles import append_memory
folder, name, count = sys.argv[1:]
for number in range(int(count)):
    append_memory(f"{name} {number}", "x" * (number * 37 + 1), "crowd", folder)
"""
ROTATES = """
import os, sys
from ghostmem.notes.roles import append_memory
folder = sys.argv[1]
path = os.path.join(folder, "r.md")
for number in range(10_000):
    append_memory(f"{number}", f"text of {number}\\n" * 50, "r", folder)
    if number % 3:
        os.utime(path, (1_600_000_000 + number % 2 * 86_400,) * 2)
    print(number, flush=True)
"""


@pytest.mark.process
def test_a_crowd_of_writers_loses_nothing(folder: Path) -> None:
    """Eight processes that append at once: every section is there, whole, and each writer's in its order."""
    crowd = [
        subprocess.Popen([sys.executable, "-c", APPENDS, folder, str(name), "25"])
        for name in range(8)
    ]
    assert [process.wait(60) for process in crowd] == [0] * 8
    found = all_memory_entries(folder)
    assert len(found) == 200
    for name in range(8):
        mine = [entry for entry in found if entry.section.split()[0] == str(name)]
        assert [entry.section.split()[1] for entry in mine] == [str(number) for number in range(25)]
        assert [len(entry.content) for entry in mine] == [number * 37 + 1 for number in range(25)]


@pytest.fixture
def killed(folder: Path, request: pytest.FixtureRequest) -> Iterator[int]:
    """Run a writer that puts its file away again and again, kill it, and return the last section it was sure of."""
    env = os.environ | {"GHOST_MEMORY_RETENTION_DAYS": "0"}
    with subprocess.Popen(
        [sys.executable, "-c", ROTATES, folder], stdout=subprocess.PIPE, env=env
    ) as process:
        assert process.stdout is not None
        for _ in range(request.param):
            process.stdout.readline()
        process.kill()
        yield max(
            int(line)
            for line in [b"0", str(request.param - 1).encode(), *process.stdout.read().split()]
        )


@pytest.mark.requirement("003-027")
@pytest.mark.process
@pytest.mark.parametrize("killed", range(5, 45, 5), indirect=True)
def test_a_kill_loses_nothing_and_doubles_nothing(folder: Path, killed: int) -> None:
    """Before and after the next append, every section that was acknowledged is there once, whole; one more may be."""
    for extra in (0, 1):
        found = all_memory_entries(folder)
        numbers = sorted(int(entry.section) for entry in found if entry.section != "after")
        assert numbers in (list(range(killed + 1)), list(range(killed + 2)))
        assert all(
            entry.content == (f"text of {entry.section}\n" * 50).strip()
            for entry in found
            if entry.section != "after"
        )
        assert len(found) - len(numbers) == extra
        if not extra:
            append_memory("after", "x", "r", folder, retention=0)
    assert [path.name for path in folder.rglob("*.tmp")] == []
