"""A marked block in a text file: in once, out without a trace, and nothing touched that is in doubt; and what AGENTS.md is told"""

import multiprocessing
import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.mcp.tools import chosen_tools
from ghostmem.setup import agents_md
from ghostmem.setup.marked import remove_block, with_block, without_block, write_block

BEGIN, END = b"<!-- ghost:begin x -->", b"<!-- ghost:end x -->"
BODY = "first\nsecond"
TEXTS = [
    b"",
    b"\n",
    b"\r\n",
    b"\r",
    b"one line",
    b"two\nlines\n",
    b"blank lines behind\n\n\n",
    b"windows\r\nlines\r\n",
    b"windows\r\nno end",
    b"mixed\r\nlines\n",
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbfmarked\r\n",
    b"\xef\xbb\xbfmarked",
    b"old mac\rlines\r",
    b"not utf-8 \xe9\xff\x80\n",
    b"\x00binary\x00",
    b"# Title\n\n## Memory\nmy own words\n",
]


@pytest.mark.requirement("001-021")
@pytest.mark.parametrize("raw", TEXTS)
def test_the_original_bytes_come_back(tmp_path: Path, raw: bytes) -> None:
    """In, in again, and out: the file is what it was, in its own line ends meanwhile."""
    path = tmp_path / "AGENTS.md"
    path.write_bytes(raw)
    assert write_block(path, "x", BODY).action == "updated"
    inside = path.read_bytes()
    assert inside.startswith(raw)
    assert inside.count(BEGIN) == inside.count(END) == 1
    assert (b"\r\n" in inside[len(raw) :]) == (
        raw.count(b"\r\n") == raw.count(b"\r") == raw.count(b"\n") > 0
    )
    assert write_block(path, "x", BODY).action == "unchanged"
    assert path.read_bytes() == inside
    assert remove_block(path, "x").action == "updated"
    assert path.read_bytes() == raw
    assert remove_block(path, "x").action == "unchanged"


PIECES = st.lists(
    st.sampled_from(
        [b"\n", b"\r\n", b"\r", b"a", b"b ", b"\xef\xbb\xbf", b"-->", b"<!--", b"\xff"]
    ),
    max_size=12,
)


@given(
    raw=st.binary(max_size=60) | PIECES.map(b"".join),
    body=st.sampled_from([BODY, "x", "", "é\n\n-->\n"]),
)
def test_any_bytes_come_back(raw: bytes, body: str) -> None:
    """Whatever a file holds: with the block and without it again it is the same, and twice is once."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        with pytest.raises(InvalidInputError, match="UTF-16"):
            with_block(raw, "x", body)
        return
    once = with_block(raw, "x", body)
    assert once.startswith(raw)
    assert with_block(once, "x", body) == once
    assert without_block(once, "x") == raw
    longer = with_block(once, "x", "another\ntext")
    assert without_block(longer, "x") == raw
    assert with_block(longer, "x", body) == once


@given(before=PIECES.map(b"".join), after=PIECES.map(b"".join))
def test_what_stands_around_a_block_is_kept(before: bytes, after: bytes) -> None:
    """A user who writes on behind the block loses nothing but the line ends that set it apart."""
    if before.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    left = without_block(with_block(before, "x", BODY) + after, "x") or b""
    assert left.replace(b"\n", b"").replace(b"\r", b"") == (before + after).replace(
        b"\n", b""
    ).replace(b"\r", b"")


def test_a_file_that_was_made_for_the_block_goes_with_it(tmp_path: Path) -> None:
    """It was not there before; an empty one was, and stays; one that got more text stays."""
    path = tmp_path / "AGENTS.md"
    assert write_block(path, "x", BODY).action == "created"
    assert path.read_bytes() == BEGIN + b"\nfirst\nsecond\n" + END + b"\n"
    assert remove_block(path, "x").action == "deleted"
    assert not path.exists()
    write_block(path, "x", BODY)
    with path.open("ab") as stream:
        stream.write(b"mine\n")
    assert remove_block(path, "x").action == "updated"
    assert path.read_bytes() == b"mine\n"


def test_a_block_is_replaced_where_it_stands(tmp_path: Path) -> None:
    """A newer text takes the older's place, wherever the user has moved it, in the line ends it has."""
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"above\r\n" + BEGIN + b"\r\nold\r\n" + END + b"\r\nbelow")
    write_block(path, "x", BODY)
    assert (
        path.read_bytes() == b"above\r\n" + BEGIN + b"\r\nfirst\r\nsecond\r\n" + END + b"\r\nbelow"
    )


def test_blocks_of_other_names_are_let_be(tmp_path: Path) -> None:
    """Two blocks live in one file and go in any order."""
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"mine\n")
    write_block(path, "x", BODY)
    write_block(path, "xy", "other")
    remove_block(path, "x")
    assert b"other" in path.read_bytes()
    remove_block(path, "xy")
    assert path.read_bytes() == b"mine\n"


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (BEGIN + b"\nfirst\n", "occurs once, <!-- ghost:end x --> never"),
        (b"first\n" + END, "never, <!-- ghost:end x --> once"),
        (BEGIN + BEGIN + END, "twice, <!-- ghost:end x --> once"),
        (2 * (BEGIN + b"\n" + END + b"\n"), "twice, <!-- ghost:end x --> twice"),
        (BEGIN + 3 * END, "once, <!-- ghost:end x --> 3 times"),
        (END + b"\n" + BEGIN, "<!-- ghost:end x --> comes before <!-- ghost:begin x -->"),
        ("text".encode("utf-16"), "UTF-16"),
    ],
)
def test_marks_that_are_not_one_pair_are_an_error(tmp_path: Path, raw: bytes, told: str) -> None:
    """Nothing is guessed and nothing is changed: neither by writing nor by removing, nor in a dry run."""
    path = tmp_path / "AGENTS.md"
    path.write_bytes(raw)
    for dry_run in (True, False):
        for change in (
            lambda dry: write_block(path, "x", BODY, dry),
            lambda dry: remove_block(path, "x", dry),
        ):
            with pytest.raises(InvalidInputError, match="nothing was changed") as caught:
                change(dry_run)
            assert told in caught.value.message
            assert str(path) in caught.value.message
            assert caught.value.hint
    assert path.read_bytes() == raw
    assert [file.name for file in tmp_path.iterdir() if file.name != "home"] == ["AGENTS.md"]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    """The link stays a link, its target changes and keeps its mode; a target that is not there yet is made."""
    (tmp_path / "docs").mkdir()
    target = tmp_path / "docs" / "AGENTS.md"
    target.write_bytes(b"mine\n")
    target.chmod(0o640)
    link = tmp_path / "AGENTS.md"
    link.symlink_to("docs/AGENTS.md")
    write_block(link, "x", BODY)
    assert link.is_symlink()
    assert BEGIN in target.read_bytes()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    remove_block(link, "x")
    assert target.read_bytes() == b"mine\n"
    target.unlink()
    assert write_block(link, "x", BODY).action == "created"
    assert link.is_symlink()
    remove_block(link, "x")
    assert not target.exists()
    assert link.is_symlink()


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_read_only_file_is_refused(tmp_path: Path, dry_run: bool) -> None:
    """As with the files of clients; a block that is there already needs no change."""
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"mine\n")
    path.chmod(0o444)
    with pytest.raises(InvalidInputError, match="the file is read-only; nothing was changed"):
        write_block(path, "x", BODY, dry_run)
    assert path.read_bytes() == b"mine\n"
    path.chmod(0o644)
    write_block(path, "x", BODY)
    path.chmod(0o444)
    assert write_block(path, "x", BODY, dry_run).action == "unchanged"
    with pytest.raises(InvalidInputError, match="read-only"):
        remove_block(path, "x", dry_run)


def test_a_dry_run_touches_nothing(tmp_path: Path) -> None:
    """Not the file, not its times, no lock beside it; the change is the one that would be made."""
    path = tmp_path / "AGENTS.md"
    planned = write_block(path, "x", BODY, dry_run=True)
    assert (planned.action, path.exists()) == ("created", False)
    path.write_bytes(b"mine")
    os.utime(path, (0, 0))
    planned = write_block(path, "x", BODY, dry_run=True)
    assert (path.read_bytes(), path.stat().st_mtime) == (b"mine", 0)
    assert [file.name for file in tmp_path.iterdir() if file.name != "home"] == ["AGENTS.md"]
    assert write_block(path, "x", BODY).after == planned.after


def test_writing_the_same_again_does_not_touch_the_file(tmp_path: Path) -> None:
    """The times of a file that is as it should be stay."""
    path = tmp_path / "AGENTS.md"
    write_block(path, "x", BODY)
    os.utime(path, (0, 0))
    write_block(path, "x", BODY)
    assert path.stat().st_mtime == 0


def test_the_diff_tells_the_change(tmp_path: Path) -> None:
    """As `diff -u` writes it, also of files without a last line end."""
    path = tmp_path / "AGENTS.md"
    assert write_block(path, "x", "a", dry_run=True).diff == (
        f"--- {os.devnull}\n+++ {path}\n@@ -0,0 +1,3 @@\n+{BEGIN.decode()}\n+a\n+{END.decode()}\n"
    )
    path.write_bytes(b"mine")
    assert write_block(path, "x", "a").diff.splitlines()[3:] == [
        "-mine",
        "\\ No newline at end of file",
        "+mine",
        "+",
        f"+{BEGIN.decode()}",
        "+a",
        f"+{END.decode()}",
        "\\ No newline at end of file",
    ]
    assert write_block(path, "x", "a").diff == ""


def test_a_folder_is_no_file_and_must_be_there(tmp_path: Path) -> None:
    """A mistyped path makes no folders."""
    with pytest.raises(NotFoundError, match="no folder"):
        write_block(tmp_path / "no" / "AGENTS.md", "x", BODY)
    with pytest.raises(InvalidInputError, match="is a folder"):
        write_block(tmp_path / "home", "x", BODY)
    assert [file.name for file in tmp_path.iterdir()] == ["home"]


def _write_one(path: Path, name: str) -> None:
    write_block(path, name, BODY)


@pytest.mark.process
def test_writers_do_not_lose_each_others_blocks(tmp_path: Path) -> None:
    """Eight processes write a block each into one file at once: all are there, and all come out again."""
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"mine")
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=_write_one, args=(path, f"b{number}")) for number in range(8)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 8
    for number in range(8):
        assert remove_block(path, f"b{number}").action == "updated"
    assert path.read_bytes() == b"mine"


# ---------------------------------------------------------------- the guidance


@pytest.mark.requirement("001-022")
@pytest.mark.parametrize(
    "words",
    [
        "Daily notes",
        "memory/YYYY-MM-DD.md",
        "raw events",
        "`MEMORY.md`** holds distilled long-term facts",
        "once a week",
        "during a heartbeat",
        "consolidate",
        "`ghost notes consolidate --weekly`",
        "`--apply`",
        "before you answer about the past",
        "`ghost_search`",
        "`ghost_context`",
        "`ghost_put`",
        "`ghost setup agents-md --remove`",
    ],
)
def test_the_guidance_says_what_goes_where_and_when(words: str) -> None:
    """Raw events in daily notes, distilled facts in MEMORY.md, a review once a week, search and save by the tools' names."""
    assert words in agents_md.guidance()


@pytest.mark.parametrize("sets", [["memory"], ["notes"], ["memory", "notes"], ["memory", "truth"]])
def test_the_guidance_names_tools_that_the_server_has(sets: list[str]) -> None:
    """And no others: the tools for notes are only in their toolset."""
    named = set(re.findall(r"`((?:ghost|memory)_\w+)`", agents_md.guidance(sets)))
    assert named
    assert named <= set(chosen_tools(sets))
    assert ("memory_save" in named) == ("notes" in sets)
    assert ("ghost_put" in named) == ("memory" in sets)


def test_the_guidance_fits_files_of_any_encoding() -> None:
    """It is plain ASCII, and has no marks of its own inside."""
    assert agents_md.guidance(["memory", "notes"]).isascii()
    assert agents_md.block().count("ghost:begin") == agents_md.block().count("ghost:end") == 1


@pytest.mark.requirement("001-021")
def test_the_guidance_goes_in_and_out(tmp_path: Path) -> None:
    """AGENTS.md of a folder that is named gets the block, and is as before without it."""
    path = agents_md.agents_file(tmp_path)
    assert path == tmp_path / "AGENTS.md"
    path.write_bytes(b"# Agents\n\nBe kind.")
    agents_md.write(path)
    assert agents_md.block() in path.read_text(encoding="utf-8")
    agents_md.remove(path)
    assert path.read_bytes() == b"# Agents\n\nBe kind."
