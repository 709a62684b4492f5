"""Text search over memory files: the right blocks, in the right order, byte for byte as promised, whatever the files hold."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.notes.grep import (
    CONTEXT,
    MAX_LINE_CHARS,
    Blocks,
    MatchBlock,
    format_blocks,
    grep,
    memory_files,
)

DAILY = Path(__file__).parent.parent / "data" / "notes" / "daily"
EXAMPLE = (
    "--- memory/2026-02-15.md (line 12) ---\n"
    "Set up ErsatzTV skill for Pierce. The API endpoint is at\n"
    "http://100.114.249.118:8409. Created a schedule for the\n"
    "retro cartoons channel running Saturday mornings.\n"
    "---\n"
)


def lay(root: Path, **files: str) -> Path:
    """Write files: `memory__2026_01_01` is memory/2026-01-01.md."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/').replace('_', '-')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root


def names(root: Path) -> list[str]:
    """Return the memory files by their paths below the root."""
    return [path.relative_to(root).as_posix() for path in memory_files(root)]


def places(root: Path, query: str, **more: int) -> list[tuple[str, int]]:
    """Return the file and the line of each block."""
    return [(block.path, block.line) for block in grep(root, query, **more)]


def numbered(count: int, **marked: str) -> str:
    """Return so many lines `line N`, some replaced: `l5` is the fifth."""
    return "".join(
        f"{marked.get(f'l{number}', f'line {number}')}\n" for number in range(1, count + 1)
    )


# ---------------------------------------------------------------- which files


@pytest.mark.requirement("001-008")
def test_a_link_does_not_bring_a_file_twice(tmp_path: Path) -> None:
    """A link to a memory file is that file; the file's own name is the one told."""
    lay(tmp_path, memory__MEMORY="tea\n", memory__2026_02_15="tea\n")
    (tmp_path / "MEMORY.md").symlink_to("memory/MEMORY.md")
    (tmp_path / "memory" / "0-latest.md").symlink_to("2026-02-15.md")
    (tmp_path / "daily").symlink_to("memory")
    found = names(tmp_path)
    assert len(found) == 2
    assert {os.path.realpath(tmp_path / name) for name in found} == {
        os.path.realpath(tmp_path / "memory" / name) for name in ("MEMORY.md", "2026-02-15.md")
    }
    assert len(grep(tmp_path, "tea")) == 2


def test_links_out_of_the_root_are_passed_over(tmp_path: Path) -> None:
    """Neither a file nor a folder elsewhere is read through a link; broken links, loops, folders and pipes are no files."""
    lay(tmp_path, outside__2026_01_01="secret\n", ws__memory__2026_01_02="plain\n")
    memory = tmp_path / "ws" / "memory"
    (memory / "out.md").symlink_to(tmp_path / "outside" / "2026-01-01.md")
    (tmp_path / "ws" / "daily").symlink_to(tmp_path / "outside")
    (memory / "broken.md").symlink_to("nowhere.md")
    (memory / "loop.md").symlink_to("loop.md")
    (memory / "folder.md").mkdir()
    os.mkfifo(memory / "pipe.md")
    assert names(tmp_path / "ws") == ["memory/2026-01-02.md"]
    assert grep(tmp_path / "ws", "secret") == []
    assert (
        grep(tmp_path / "ws", "secret", files=[memory / "out.md", Path("../outside/2026-01-01.md")])
        == []
    )


def test_a_root_that_is_a_link_is_followed(tmp_path: Path) -> None:
    """The workspace itself may be reached through a link, also for files that are named by their real path."""
    lay(tmp_path, ws__memory__2026_01_01="tea\n")
    (tmp_path / "link").symlink_to("ws")
    assert places(tmp_path / "link", "tea") == [("memory/2026-01-01.md", 1)]
    found = grep(tmp_path / "link", "tea", files=[tmp_path / "ws" / "memory" / "2026-01-01.md"])
    assert [block.path for block in found] == ["memory/2026-01-01.md"]


# ---------------------------------------------------------------- what matches


@pytest.fixture
def daily(tmp_path: Path) -> Path:
    """Return a copy of the files in tests/data, MEMORY.md changed at noon of 2026-02-20."""
    root = Path(shutil.copytree(DAILY, tmp_path / "daily"))
    os.utime(root / "MEMORY.md", (1_771_588_800,) * 2)
    return root


@pytest.mark.requirement("001-014", "001-024")
@pytest.mark.parametrize(
    ("query", "golden"), [("ErsatzTV", "ersatztv.txt"), ("api ENDPOINT", "endpoint.txt")]
)
def test_known_files_give_the_right_matches_with_context(
    daily: Path, query: str, golden: str
) -> None:
    """The files in tests/data give exactly the blocks of the golden file, the specification's own text among them."""
    assert format_blocks(grep(daily, query), query).encode() == (DAILY / golden).read_bytes()


@pytest.mark.requirement("001-025")
def test_a_query_without_a_match_gives_no_block(daily: Path) -> None:
    """Nothing is found, and that is said in a sentence."""
    found = grep(daily, "zeppelin")
    assert found == []
    assert format_blocks(found, "zeppelin") == 'No matches found for "zeppelin".'


# ---------------------------------------------------------------- blocks


@pytest.mark.parametrize(
    ("before", "after", "size"),
    [("x", "y", 2_500_000), ("", "y", 5_000_000), ("x", "", 5_000_000), ("ß", "ﬃ", 200_000)],
)
def test_a_very_long_line_is_clipped_around_the_match(
    tmp_path: Path, before: str, after: str, size: int
) -> None:
    """At most 2,000 characters of a line are shown, the match among them, with a mark where it was cut; lines around it too."""
    lay(tmp_path, memory__2026_02_15=f"{'z' * 5_000}\n{before * size}TeA{after * size}\n")
    (block,) = grep(tmp_path, "tea")
    shown = block.lines[1]
    assert "TeA" in shown
    assert len(shown.strip("…")) == MAX_LINE_CHARS
    assert (shown.startswith("…"), shown.endswith("…")) == (bool(before), bool(after))
    assert block.lines[0] == "z" * MAX_LINE_CHARS + "…"


# ---------------------------------------------------------------- order


@pytest.mark.requirement("001-012", "001-026")
def test_the_newest_file_comes_first(tmp_path: Path) -> None:
    """Daily notes by their date, whenever they were touched; other files by when they were changed; lines in order."""
    lay(
        tmp_path,
        memory__2026_02_15="tea\n",
        daily__2026_02_16=numbered(30, l1="tea", l20="tea"),
        memory__2025_11_01="tea\n",
        memory__MEMORY="tea\n",
        memory__2026_02_31="tea\n",
    )
    noon = 1_771_156_800  # 2026-02-15 12:00 UTC
    os.utime(tmp_path / "memory" / "2025-11-01.md", (noon + 10**6, noon + 10**6))
    os.utime(tmp_path / "memory" / "MEMORY.md", (noon - 3 * 86_400, noon - 3 * 86_400))
    os.utime(tmp_path / "memory" / "2026-02-31.md", (noon - 9 * 86_400, noon - 9 * 86_400))
    assert places(tmp_path, "tea") == [
        ("daily/2026-02-16.md", 1),
        ("daily/2026-02-16.md", 20),
        ("memory/2026-02-15.md", 1),
        ("memory/MEMORY.md", 1),
        ("memory/2026-02-31.md", 1),  # no such day: an ordinary file
        ("memory/2025-11-01.md", 1),
    ]


@pytest.mark.requirement("001-012")
def test_a_file_changed_during_a_day_is_older_than_that_days_note(tmp_path: Path) -> None:
    """A day's note is of the end of its day; what was changed on the next day is newer."""
    lay(tmp_path, memory__2026_02_15="tea\n", memory__MEMORY="tea\n")
    for moved, first in ((0, "memory/2026-02-15.md"), (2 * 86_400, "memory/MEMORY.md")):
        os.utime(tmp_path / "memory" / "MEMORY.md", (1_771_156_800 + moved,) * 2)
        assert places(tmp_path, "tea")[0][0] == first


@pytest.mark.requirement("001-002")
def test_an_old_daily_note_is_found(tmp_path: Path) -> None:
    """What was written months or years ago is as searchable as today's note, among many others."""
    lay(
        tmp_path,
        **{
            f"memory__2026_{month:02}_{day:02}": "nothing\n"
            for month in range(1, 13)
            for day in range(1, 28)
        },
    )
    lay(
        tmp_path,
        memory__2025_08_03="The boiler's code is 4711.\n",
        memory__0001_01_01="boiler\n",
        memory__9999_12_31="boiler\n",
    )
    assert places(tmp_path, "boiler") == [
        ("memory/9999-12-31.md", 1),
        ("memory/2025-08-03.md", 1),
        ("memory/0001-01-01.md", 1),
    ]


@pytest.mark.requirement("001-003")
def test_a_large_memory_gives_the_part_that_matters(tmp_path: Path) -> None:
    """Of a MEMORY.md of a megabyte a search returns seven lines."""
    lay(tmp_path, MEMORY=numbered(100_000, l54321="The API key lives in the vault."))
    assert len(format_blocks(grep(tmp_path, "api key"), "api key")) < 200


# ---------------------------------------------------------------- format


@pytest.mark.requirement("001-014")
def test_the_format_is_the_specifications_own_example() -> None:
    """Header, text and closing line to the byte, as the specification shows them."""
    block = MatchBlock("memory/2026-02-15.md", 12, 12, tuple(EXAMPLE.splitlines()[1:-1]))
    assert format_blocks([block], "ErsatzTV") == EXAMPLE
    assert format_blocks([block, block], "ErsatzTV") == 2 * EXAMPLE


def test_the_example_comes_from_a_file_too(tmp_path: Path) -> None:
    """The example's text as a whole file gives the example, on its first line."""
    lay(tmp_path, memory__2026_02_15="".join(EXAMPLE.splitlines(keepends=True)[1:-1]))
    assert format_blocks(grep(tmp_path, "ErsatzTV"), "ErsatzTV") == EXAMPLE.replace(
        "line 12", "line 1"
    )


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """The others are searched, and the text says what is missing."""
    lay(tmp_path, memory__2026_02_15="tea\n")
    found = grep(tmp_path, "tea", files=[Path("memory/2026-02-15.md"), Path("memory/gone.md")])
    assert found.unread == ("memory/gone.md: No such file or directory",)
    note = "note: could not read memory/gone.md: No such file or directory"
    assert (
        format_blocks(found, "tea") == f"--- memory/2026-02-15.md (line 1) ---\ntea\n---\n{note}\n"
    )
    assert format_blocks(Blocks((), found.unread), "x") == f'No matches found for "x".\n{note}'


def test_a_files_name_stays_on_one_line(tmp_path: Path) -> None:
    """A name with a line feed or a broken character cannot forge a header."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a\n--- b.md").write_text("tea\n", encoding="utf-8")
    (tmp_path / "memory" / os.fsdecode(b"c\xff.md")).write_text("tea\n", encoding="utf-8")
    shown = format_blocks(grep(tmp_path, "tea"), "tea")
    assert shown.encode()
    assert sorted(line for line in shown.splitlines() if line.endswith(") ---")) == [
        "--- memory/a␊--- b.md (line 1) ---",
        "--- memory/c\ufffd.md (line 1) ---",
    ]


@pytest.mark.requirement("001-015")
def test_text_search_needs_no_model_no_index_and_no_store(tmp_path: Path) -> None:
    """A process that searches loads neither numpy nor a database, and leaves nothing behind."""
    lay(tmp_path, memory__2026_02_15="tea\n")
    code = (
        "import sys; from ghostmem.notes.grep import grep; assert grep(sys.argv[1], 'tea');"
        "print(*sorted({'numpy', 'apsw', 'sqlite3', 'onnxruntime', 'mcp'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout == "\n"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["2026-02-15.md", "home", "memory"]


# ---------------------------------------------------------------- whatever the files hold

LINES = st.lists(
    st.sampled_from(
        ["", "x", "TEA", "teapot", "İ tea", "ßtea\r", "te", "a", "---", "\u2028tea\u2028", "\x00"]
    ),
    max_size=40,
)


@pytest.mark.requirement("001-010", "001-011")
@given(
    texts=st.lists(LINES, min_size=1, max_size=3),
    newline=st.sampled_from(["\n", "\r\n"]),
    ended=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_every_matching_line_is_in_exactly_one_block(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]], newline: str, ended: bool
) -> None:
    """Each block is a run of the file's own lines, with three around every match, a line between blocks, and nothing besides."""
    root = tmp_path_factory.mktemp("ws")
    files = {}
    for number, lines in enumerate(texts, 1):
        text = newline.join(lines) + (newline if ended and lines else "")
        lay(root, **{f"memory__2026_01_0{number}": text})
        files[f"memory/2026-01-0{number}.md"] = [
            line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")
        ]
    found = grep(root, "Tea", 1_000)
    covered: dict[str, set[int]] = {name: set() for name in files}
    for block in found:
        lines, end = files[block.path], block.start + len(block.lines)
        assert list(block.lines) == lines[block.start - 1 : end - 1]
        hits = [n for n in range(block.start, end) if "tea" in lines[n - 1].casefold()]
        assert block.line == hits[0]
        assert (block.start, end - 1) == (
            max(1, hits[0] - CONTEXT),
            min(len(lines), hits[-1] + CONTEXT),
        )
        assert covered[block.path].isdisjoint(range(block.start - 1, end + 1))
        covered[block.path].update(range(block.start, end))
    for name, lines in files.items():
        assert {n for n, line in enumerate(lines, 1) if "tea" in line.casefold()} <= covered[name]
    order = [(block.path, block.line) for block in found]
    assert order == sorted(
        sorted(order, key=lambda place: place[1]), key=lambda place: place[0], reverse=True
    )


@given(raw=st.binary(max_size=300), query=st.text(min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_no_bytes_are_an_error(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, query: str
) -> None:
    """Whatever lies in a file, a search ends with blocks or with a sentence."""
    root = tmp_path_factory.mktemp("ws")
    (root / "MEMORY.md").write_bytes(raw)
    if query.strip("\r\n").casefold().strip():
        assert format_blocks(grep(root, query), query)
