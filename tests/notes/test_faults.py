"""Notes among kills, many writers and editors that save while others search: nothing torn, nothing lost, nothing twice."""

import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ghostmem.notes.files import replace_file
from ghostmem.notes.lock import locked

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="kills and renames are those of Unix"),
]
NS = "notes:lab"

WRITES = """
import sys
from pathlib import Path
from ghostmem.notes.lock import locked
from ghostmem.notes.files import read_file, replace_file
path, first = Path(sys.argv[1]), int(sys.argv[2])
for number in range(first, first + 1000):
    with locked(path.parent):
        known = read_file(path)
        replace_file(path, f"version {number}\\n".encode() * 5000, known.digest)
    print(number, flush=True)
"""

APPENDS = """
import sys
from pathlib import Path
from ghostmem.notes.lock import locked
from ghostmem.notes.files import append
path, who, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    with locked(path.parent):
        append(path, f"\\n## {who} {number}\\n\\n" + f"text of {who} {number}\\n" * 10, "# Shared\\n")
"""

SAVES = """
import json, sys
from ghostmem import Ghost
from ghostmem.notes.memory_tools import MemorySave
from ghostmem.settings import Settings
db, root, who, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
with Ghost.open(db, settings=Settings(embed_provider="none")) as ghost:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        MemorySave(ghost, root).execute(json.dumps({"content": f"## {who} {number}\\n\\nfact {number} of {who}"}))
"""

SEARCHES = """
import sys
from ghostmem import Ghost
from ghostmem.settings import Settings
with Ghost.open(sys.argv[1], settings=Settings(embed_provider="none")) as ghost:
    print("ready", flush=True)
    while True:
        ghost.search("anything", "notes:lab")
"""

SYNCS = """
import sys
from ghostmem import Ghost
from ghostmem.settings import Settings
with Ghost.open(sys.argv[1], settings=Settings(embed_provider="none")) as ghost:
    print("ready", flush=True)
    ghost.notes.sync(full=True)
    print("done", flush=True)
"""

EDITOR = """
import os, sys
from pathlib import Path
path, how, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
other = path.with_name({"vim": path.name + "~", "replace": ".x.tmp"}.get(how, "unused"))
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    text = f"# Diary\\n\\nneedle in version {number}\\n"
    if how == "vim":
        path.with_name("4913").write_text("")
        path.with_name("4913").unlink()
        os.rename(path, other)
        path.write_text(text)
        other.unlink()
    elif how == "replace":
        other.write_text(text)
        os.replace(other, path)
    else:
        with path.open("r+") as stream:
            stream.truncate()
            stream.write(text)
    print(number, flush=True)
"""


def _kill_writers(tmp_path: Path, start: Callable[..., Any], rounds: int) -> None:
    path, chance, first = tmp_path / "notes" / "a.md", random.Random(7), 0
    path.parent.mkdir()
    path.write_text("version -1\n" * 5000)
    seen = set()
    for _ in range(rounds):
        writer = start(path, first, code=WRITES)
        writer.until(lambda writer=writer: writer.out, "the first write")
        time.sleep(chance.random() * 0.03)
        assert writer.end(signal.SIGKILL) == -9
        lines = path.read_bytes().split(b"\n")
        assert len(set(lines[:-1])) == 1
        assert (len(lines), lines[-1]) == (5001, b"")
        there = int(lines[0].split()[1])
        told = [int(line) for line in writer.out.split()]
        assert there in (told[-1], told[-1] + 1)
        assert len(list(path.parent.glob("*.tmp")) + list(path.parent.glob(".*.tmp"))) <= 2
        seen.add(there)
        first = there + 1
    assert len(seen) > 1
    with locked(path.parent):
        replace_file(path, b"last")
    assert sorted(os.listdir(path.parent)) == [".lock", "a.md"]


def test_a_killed_writer_leaves_one_of_the_versions(
    tmp_path: Path, start: Callable[..., Any]
) -> None:
    """Whenever it is killed, the file is the old or the new text, whole, and what was acknowledged is there."""
    _kill_writers(tmp_path, start, 10)


@pytest.mark.slow
def test_a_writer_killed_again_and_again_leaves_one_of_the_versions(
    tmp_path: Path, start: Callable[..., Any]
) -> None:
    """The same until about a thousand writes were made, and many of them killed."""
    _kill_writers(tmp_path, start, 150)


def _go(processes: list[Any]) -> None:
    """Let processes that wait begin at the same time, and wait for their ends."""
    for one in processes:
        one.until(lambda one=one: "ready" in one.out, "a process")
    for one in processes:
        one.process.stdin.write(b"\n")
        one.process.stdin.flush()
    for one in processes:
        assert one.process.wait(300) == 0, one.err


def _append(tmp_path: Path, start: Callable[..., Any], count: int) -> None:
    path = tmp_path / "notes" / "shared.md"
    path.parent.mkdir()
    _go([start(path, f"writer{who}", count, code=APPENDS) for who in range(8)])
    text = path.read_text()
    sections = re.findall(
        r"^\n## (writer\d) (\d+)\n\n((?:text of \1 \2\n){10})", text, re.MULTILINE
    )
    assert len(sections) == 8 * count
    assert len({(who, number) for who, number, _ in sections}) == 8 * count
    assert len(text) == len("# Shared\n") + sum(
        len(f"\n## {who} {number}\n\n{body}") for who, number, body in sections
    )
    for who in range(8):
        assert [int(number) for name, number, _ in sections if name == f"writer{who}"] == list(
            range(count)
        )
    assert sorted(os.listdir(path.parent)) == [".lock", "shared.md"]


def test_eight_writers_append_whole_sections(tmp_path: Path, start: Callable[..., Any]) -> None:
    """Eight processes append to one note: every section is there once, whole, in each one's order."""
    _append(tmp_path, start, 40)


@pytest.mark.slow
def test_eight_writers_append_sixteen_hundred_sections(
    tmp_path: Path, start: Callable[..., Any]
) -> None:
    """The same with two hundred sections each."""
    _append(tmp_path, start, 200)


def test_processes_that_save_at_the_same_time_lose_nothing(
    start: Callable[..., Any], open_lab: Any
) -> None:
    """Four agents with one store and one folder: every fact is in the note and is found."""
    lab = open_lab()
    _go([start(lab.target, lab.root, f"agent{who}", 12, code=SAVES) for who in range(4)])
    found = sorted(lab.root.glob("daily/*.md"))
    assert 1 <= len(found) <= 2  # midnight may pass
    text = "".join(path.read_text() for path in found)
    for who in range(4):
        assert [text.count(f"fact {number} of agent{who}\n") for number in range(12)] == [1] * 12
    folder = lab.ghost.notes.folders()
    assert len(folder) == 1
    lab.ghost.notes.sync()
    for who in range(4):
        hit = lab.ghost.search(f"fact 7 of agent{who}", within="notes")[0]
        assert f"agent{who}" in lab.at(hit).split("\n", 1)[0]
    assert all(status.is_clean for status in lab.ghost.notes.status())


@pytest.mark.parametrize("how", ["vim", "replace", "in place"])
def test_a_note_is_always_found_while_it_is_saved(
    lab: Any, start: Callable[..., Any], how: str
) -> None:
    """Two hundred saves in another process: every search finds the note, in one of its versions, as the same memory."""
    lab.add(a="# Diary\n\nneedle in version -1\n", b="# Other\n\nbeside it\n")
    known = lab.ids()["a.md"]
    editor = start(lab.root / "a.md", how, 200, code=EDITOR)
    editor.until(lambda: "ready" in editor.out, "the editor")
    editor.process.stdin.write(b"\n")
    editor.process.stdin.flush()
    newest, searches, over = -1, 0, False
    while not over:
        over = editor.process.poll() is not None
        hits = [hit for hit in lab.ghost.search("needle version", NS) if "needle" in hit.content]
        assert [(hit.key, hit.id) for hit in hits] == [("a.md", known)]
        version = int(hits[0].content.rsplit(" ", 1)[1])
        assert version >= newest
        newest, searches = version, searches + 1
    assert editor.process.returncode == 0, editor.err
    assert newest == 199
    assert searches > 1
    assert lab.status().is_clean


@pytest.mark.wide
def test_a_sync_that_is_killed_is_finished_by_the_next(
    open_lab: Any, start: Callable[..., Any]
) -> None:
    """A folder of notes is renamed and edited, and the sync that follows is killed somewhere: every memory is kept."""
    lab = open_lab(real=True)
    chance = random.Random(11)
    for number in range(150):
        lab.write(
            f"x0/n{number:03d}.md",
            f"# Note {number}\n\nword{number} here\n\n## Part\n\nmore of {number}.\n",
        )
    lab.add()
    known = {memory.content.split("\n")[2]: memory.id for memory in lab.memories().values()}
    assert len(known) == 300
    for turn in range(5):
        os.rename(lab.root / f"x{turn}", lab.root / f"x{turn + 1}")
        with (lab.root / f"x{turn + 1}" / "n007.md").open("a") as stream:
            stream.write(f"\n## Turn {turn}\n\nturned {turn}\n")
        killed = start(lab.target, code=SYNCS)
        killed.until(lambda killed=killed: "ready" in killed.out, "the sync")
        time.sleep(chance.random() * 0.25)
        killed.kill()
        done = lab.sync()
        assert (done.pending, done.unavailable, done.failed) == (0, "", [])
        now = {memory.content.split("\n")[2]: memory for memory in lab.memories().values()}
        assert {line: now[line].id for line in known} == known
        assert all(memory.key.startswith(f"x{turn + 1}/") for memory in now.values())
        assert len(lab.memories()) == 301 + turn
        assert lab.status().is_clean


def test_many_processes_index_the_same_changes(open_lab: Any, start: Callable[..., Any]) -> None:
    """Four processes search while files are edited and renamed: none fails, and all agree in the end."""
    lab = open_lab(real=True)
    for number in range(6):
        lab.write(f"n{number}.md", f"# Note {number}\n\nword{number}\n")
    lab.add()
    known = {number: lab.id_of(f"word{number}") for number in range(6)}
    others = [start(lab.target, code=SEARCHES) for _ in range(4)]
    for other in others:
        other.until(lambda other=other: "ready" in other.out, "a search")
    place = {number: f"n{number}.md" for number in range(6)}
    chance = random.Random(3)
    for turn in range(40):
        number = chance.randrange(6)
        if turn % 2:
            with (lab.root / place[number]).open("a") as stream:
                stream.write(f"\nturn {turn}\n")
        else:
            os.rename(lab.root / place[number], lab.root / f"m{turn}.md")
            place[number] = f"m{turn}.md"
        lab.look()
        assert [other.err for other in others] == [""] * 4
    assert [other.process.poll() for other in others] == [None] * 4
    for other in others:
        other.kill()
    lab.sync()
    assert {number: lab.id_of(f"word{number}") for number in range(6)} == known
    assert {key: memory.content.split("\n")[2] for key, memory in lab.memories().items()} == {
        place[number]: f"word{number}" for number in range(6)
    }
    assert lab.status().is_clean
