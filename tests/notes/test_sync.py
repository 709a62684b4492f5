"""Notes in step with their folder: the file is the truth, what was known of it lasts, and nothing is done that need not be."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.errors import LockedError
from ghostmem.notes.scan import ChangingError, read_note
from growth import check_growth, repeated

NS = "notes:lab"
UNIX = pytest.mark.skipif(
    sys.platform == "win32", reason="names, links and modes are those of Unix"
)
LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="looks into /proc or takes capabilities away"
)

THREE = "# Top\n\nintro alpha\n\n## One\n\nbody bravo\n\n## Two\n\nbody charlie\n"


def snapshot(root: Path) -> dict[str, tuple[bytes, int, int, int]]:
    """Return everything below a folder: bytes, modes, times and inodes."""
    found = {}
    for path in [root, *root.rglob("*")]:
        told = path.lstat()
        found[str(path)] = (
            path.read_bytes() if path.is_file() else b"",
            told.st_mode,
            told.st_mtime_ns,
            told.st_ino,
        )
    return found


def numbered(lab: Any, count: int) -> None:
    """Write so many small notes."""
    for number in range(count):
        lab.write(f"n{number:03d}.md", f"# Note {number}\n\nword{number} of the pile\n")


# ---------------------------------------------------------------- the file is the truth


def test_tags_of_a_note_are_words(lab: Any) -> None:
    """A note is found by its tags, also when only they change; its text is not embedded again for that."""
    lab.write("due.md", "---\ntags: [payroll]\n---\n# Due\n\nOn the first.\n")
    lab.ghost.notes.add(lab.root, NS, layout="obsidian")
    assert lab.found("payroll") == ["due.md"]
    lab.vectors.taken()
    lab.write("due.md", "---\ntags: [wages]\n---\n# Due\n\nOn the first.\n")
    lab.sync()
    assert lab.found("wages") == ["due.md"]
    assert [hit.key for hit in lab.ghost.search("payroll", NS, min_score=0.9)] == []
    assert not [text for text in lab.vectors.taken() if "first" in text]
    assert lab.ghost.admin.check().ok


@pytest.mark.requirement("001-001")
def test_reading_touches_nothing(lab: Any) -> None:
    """Adding, searching, syncing, looking and removing change no byte, time, mode or name below the folder."""
    lab.write("crlf.md", b"# A\r\n\r\ntext alpha\r\n")
    lab.write("bom.md", b"\xef\xbb\xbf# B\n\ntext bravo")
    lab.write("bad.md", b"# C\n\ntext \xff\xfe charlie\n\n\n")
    lab.write("deep/er/front.md", "---\nodd: [kept\nother:   spaced\n---\n# D\n\ntext delta\n")
    lab.write(".hidden/x.md", "hidden")
    os.chmod(lab.root / "crlf.md", 0o640)
    before = snapshot(lab.root)
    lab.add()
    lab.found("alpha")
    lab.ghost.context("bravo", NS)
    lab.status()
    lab.sync(full=True)
    lab.ghost.notes.rm(lab.root)
    assert snapshot(lab.root) == before


def test_context_looks_first_too(lab: Any) -> None:
    """A file written a moment ago is in the next context."""
    lab.add(a="alpha\n")
    lab.write("b.md", "the juliet plan is on Friday\n")
    assert [item.key for item in lab.ghost.context("juliet plan", NS, whole=False).memories] == [
        "b.md"
    ]


def test_a_second_process_sees_a_file_written_a_moment_ago(lab: Any) -> None:
    """Another process that opens the store searches the folder as it is now, and this one then knows it too."""
    lab.add(a="alpha\n")
    lab.write("b.md", "kilo was written a moment ago\n")
    program = Path(sys.executable).with_name("ghost")
    words = [str(program), "--db", lab.target, "--json", "search", "-n", NS, "kilo"]
    done = subprocess.run(words, capture_output=True, check=True, timeout=60)
    assert [json.loads(line)["key"] for line in done.stdout.splitlines()] == ["b.md"]
    assert "b.md" in lab.memories()


@pytest.mark.parametrize(
    "raw",
    [
        b"# Top\n\nfirst para\n\n## One\n\nneedle here\n\nand more\n",
        b"# Top\r\n\r\nfirst para\r\n\r\n## One\r\n\r\nneedle here\r\n",
        b"\xef\xbb\xbf---\ntitle: x\ntags: [a]\n---\n\n\n## One\n\nneedle here",
        b"---\nonly: front\nneedle: yes\n---\n",
        b"\n\n\n    needle indented\n",
        b"```\n## not a heading\nneedle in code\n```\n\n## Real\n\nafter\n",
        b"~~~\n# no\n~~~\n\n" + b"filler line of words\n\n" * 60 + b"## Far\n\nneedle\n",
        b"text \xff\n\n## S\n\nneedle\x00after\n",
        b"one\n\n"
        + b"".join(b"paragraph %d with some padding words\n\n" % n for n in range(80))
        + b"needle end\n",
        "# Ü\u2028ber\n\nzeile\x0b\x0c\x85\n\n## Zwei\n\nneedle\n".encode(),
    ],
)
def test_a_hit_points_at_its_text_in_the_file(lab: Any, raw: bytes) -> None:
    """The line that a hit names has the word that matched, whatever the line ends."""
    lab.write("deep/note.md", raw)
    lab.add()
    hit = next(hit for hit in lab.ghost.search("needle", NS) if "needle" in hit.match_chunk)
    assert (hit.root, hit.path) == (str(lab.root), "deep/note.md")
    line = lab.at(hit).partition("\n")[0]
    assert "needle" in line
    assert line.replace("\x00", "\ufffd").strip() in hit.match_chunk


def chunk_line(hit: Any, offset: int) -> int:
    """Return how many line ends of a hit's chunk are before an offset."""
    return hit.match_chunk.count("\n", 0, offset)


@given(
    parts=st.lists(
        st.sampled_from("# T|## H|text||```|~~~|---|- item|  in|\r|wörter|### x".split("|")),
        max_size=30,
    )
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_piece_of_every_file_lies_where_it_is_said_to(
    open_lab: Callable[..., Any], parts: list[str]
) -> None:
    """Whatever is in a file, the line that a hit names is the line of its chunk where the match is."""
    made = open_lab(f"v{time.monotonic_ns()}", f"d{time.monotonic_ns()}.db")
    made.write("n.md", "\n".join(parts))
    made.add()
    for hit in made.ghost.search(
        "text wörter item H T x in", NS, pieces=True, limit=100, min_score=-10
    ):
        chunk = hit.match_chunk.replace("\r\n", "\n")
        rest = chunk.split("\n")
        starts = ["\n".join(rest[number:]).lstrip(" ") for number in range(len(rest))]
        assert any(made.at(hit).lstrip(" ").startswith(start) for start in starts)
        if hit.match_start is not None:
            first = chunk_line(hit, hit.match_start)
            last = chunk_line(hit, hit.match_end - 1)
            assert made.at(hit).partition("\n")[0].strip() in [
                line.strip() for line in rest[first : last + 1]
            ]


# ---------------------------------------------------------------- identity


RENAMES: dict[str, tuple[list[tuple[str, str]], dict[str, str]]] = {
    "file": ([("a.md", "z.md")], {"z.md": "alpha"}),
    "into a folder": ([("a.md", "x/y/a.md")], {"x/y/a.md": "alpha"}),
    "out of a folder": ([("d/c.md", "c.md")], {"c.md": "charlie"}),
    "folder": ([("d", "e")], {"e/c.md": "charlie", "e/f.md": "foxtrot"}),
    "case only": ([("a.md", "A.md")], {"A.md": "alpha"}),
    "case of a folder": ([("d", "D")], {"D/c.md": "charlie"}),
    "exchanged": (
        [("a.md", "t"), ("b.md", "a.md"), ("t", "b.md")],
        {"b.md": "alpha", "a.md": "bravo"},
    ),
    "in a ring": (
        [("a.md", "t"), ("b.md", "a.md"), ("d/c.md", "b.md"), ("t", "d/c.md")],
        {"d/c.md": "alpha", "a.md": "bravo", "b.md": "charlie"},
    ),
    "one moves up": ([("a.md", "z.md"), ("b.md", "a.md")], {"z.md": "alpha", "a.md": "bravo"}),
}


@pytest.mark.parametrize("name", RENAMES)
def test_a_rename_keeps_the_memory(embedding: Any, name: str) -> None:
    """A file that is called otherwise keeps its ids, counts and edges, and nothing of it is embedded again."""
    lab = embedding
    lab.add(
        a="# A\n\nalpha\n\n## S\n\nsub alpine\n",
        b="# B\n\nbravo\n\n## S\n\nsub brine\n",
        d__c="# C\n\ncharlie\n",
        d__f="# F\n\nfoxtrot\n",
    )
    words = ("alpha", "alpine", "bravo", "brine", "charlie", "foxtrot")
    known = {word: lab.id_of(word) for word in words}
    lab.ghost.edge(NS, "a.md", "b.md", "depends_on")
    lab.ghost.get(NS, "a.md")
    lab.ghost.get(NS, "b.md#s")
    edges = {(edge.from_id, edge.to_id, edge.rel) for edge in lab.ghost.edges(NS)}
    lab.vectors.taken()
    moves, there = RENAMES[name]
    for old, new in moves:
        (lab.root / new).parent.mkdir(parents=True, exist_ok=True)
        os.rename(lab.root / old, lab.root / new)
    assert lab.look() == ()
    assert {word: lab.id_of(word) for word in words} == known
    assert lab.vectors.taken() == []
    for path, word in there.items():
        hit = next(hit for hit in lab.ghost.search(word, NS) if hit.id == known[word])
        assert (hit.path, hit.key) == (path, path)
        assert [file.path for file in hit.files] == [str(lab.root / path)]
    counts = {memory.id: memory.access_count for memory in lab.memories().values()}
    assert counts[known["alpha"]] >= 1
    assert counts[known["brine"]] >= 1
    assert {(edge.from_id, edge.to_id, edge.rel) for edge in lab.ghost.edges(NS)} == edges
    assert lab.status().is_clean


def test_a_copy_is_another_note(embedding: Any) -> None:
    """A copy has its own memory; the original keeps its own, and the same text needs no second vector."""
    lab = embedding
    lab.add(a="# A\n\nalpha\n")
    known = lab.ids()["a.md"]
    lab.vectors.taken()
    shutil.copyfile(lab.root / "a.md", lab.root / "b.md")
    lab.look()
    assert lab.ids()["a.md"] == known
    assert lab.ids()["b.md"] != known
    assert lab.vectors.taken() == []
    assert sorted(lab.found("alpha")) == ["a.md", "b.md"]


def test_an_edit_that_is_taken_back_leaves_no_trace(embedding: Any) -> None:
    """There and back again is the same memory, without a new vector."""
    lab = embedding
    lab.add(a=THREE)
    before = {key: (memory.id, memory.content) for key, memory in lab.memories().items()}
    lab.write("a.md", THREE.replace("bravo", "golf"))
    lab.look()
    assert lab.vectors.taken().count("## One\n\nbody golf") == 1
    lab.write("a.md", THREE)
    lab.look()
    assert {key: (memory.id, memory.content) for key, memory in lab.memories().items()} == before
    assert lab.vectors.taken() == []


# ---------------------------------------------------------------- exactly the changed chunks


def long_note(changed: str = "") -> str:
    """Return a note of many sections, some of several chunks."""
    parts = []
    for number in range(12):
        body = "\n\n".join(
            f"Paragraph {part} of section {number} says something {'long ' * 20}here."
            for part in range(number % 4 + 1)
        )
        parts.append(f"## Section {number}\n\n{body}\n")
    return "\n".join(parts) + changed


@pytest.mark.requirement("001-019")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Paragraph 0 of section 5 says", "Paragraph 0 of section 5 whispers"),
        ("Paragraph 2 of section 7 says", "Paragraph 2 of section 7 shouts"),
        ("## Section 3\n", "## Section three\n"),
        ("## Section 4\n", "## Inserted\n\nall new\n\n## Section 4\n"),
    ],
)
def test_exactly_the_changed_chunks_are_embedded(embedding: Any, old: str, new: str) -> None:
    """After an edit those chunks are embedded whose text was not there before, each once, and the next search sees them."""
    lab = embedding
    lab.add(a=long_note(), b="other\n")
    before = Counter(lab.chunks())
    lab.vectors.taken()
    lab.write("a.md", long_note().replace(old, new))
    lab.look()
    wanted = sorted((Counter(lab.chunks()) - before).elements())
    assert wanted
    assert lab.vectors.taken() == wanted
    assert len(wanted) <= 2
    assert lab.ghost.admin.embed_status().pending == 0
    lab.sync()
    lab.sync(full=True)
    assert lab.vectors.taken() == []


def _one_edit_among(lab: Any, count: int) -> None:
    numbered(lab, count)
    lab.add()
    assert len(lab.vectors.taken()) == count
    lab.write("n007.md", "# Note 7\n\nword7 is another now\n")
    lab.look()
    assert lab.vectors.taken() == ["# Note 7\n\nword7 is another now"]


def test_one_edit_among_many_notes(embedding: Any) -> None:
    """One edit among hundreds of notes embeds one chunk."""
    _one_edit_among(embedding, 300)


@pytest.mark.slow
def test_one_edit_among_ten_thousand_notes(embedding: Any) -> None:
    """One edit among ten thousand notes embeds one chunk."""
    _one_edit_among(embedding, 10_000)


@pytest.mark.parametrize(("giver", "taker"), [("a", "b"), ("b", "a"), ("a", "z"), ("z", "a")])
def test_text_that_moves_to_another_file_is_not_embedded_again(
    embedding: Any, giver: str, taker: str
) -> None:
    """A section that is cut here and pasted there keeps its vector, whichever of the files is read first."""
    lab = embedding
    moving = "\n## Moving\n\nthe wandering section\n"
    lab.add(**{giver: "# Giver\n\nsome\n" + moving, taker: "# Taker\n\nother\n"})
    lab.vectors.taken()
    lab.write(f"{giver}.md", "# Giver\n\nsome\n")
    lab.write(f"{taker}.md", "# Taker\n\nother\n" + moving)
    lab.look()
    assert lab.vectors.taken() == []
    assert f"{taker}.md#moving" in lab.found("wandering")
    assert lab.ghost.admin.embed_status().pending == 0


def test_what_comes_back_within_thirty_days_is_as_it_was(embedding: Any) -> None:
    """A note that was deleted and is written again has its counts, its edges and its vectors."""
    lab = embedding
    lab.add(a=THREE, b="other\n")
    lab.ghost.edge(NS, "a.md#one", "b.md", "depends_on")
    lab.ghost.get(NS, "a.md#one")
    lab.ghost.get(NS, "a.md#one")
    counted = lab.memories()["a.md#one"].access_count
    lab.vectors.taken()
    (lab.root / "a.md").unlink()
    assert lab.sync().removed == 1
    assert set(lab.memories()) == {"b.md"}
    lab.clock.forward(days=29)
    lab.sync()
    lab.write("a.md", THREE)
    lab.look()
    assert lab.vectors.taken() == []
    assert lab.memories()["a.md#one"].access_count == counted
    assert [(edge.from_key, edge.to_key, edge.rel) for edge in lab.ghost.edges(NS)] == [
        ("a.md#one", "b.md", "depends_on")
    ]


def test_after_thirty_days_nothing_of_it_is_left(embedding: Any) -> None:
    """Tombstones and spare vectors go at a sync after thirty days; what comes later is new."""
    lab = embedding
    lab.add(a=THREE, b="other\n")
    (lab.root / "a.md").unlink()
    lab.sync()
    lab.clock.forward(days=29)
    lab.sync()
    assert lab.ghost.history(NS, "a.md#one")
    lab.clock.forward(days=2)
    lab.sync()
    exported = [json.loads(line) for line in lab.ghost.export()]
    assert [one["key"] for one in exported if one["type"] == "memory"] == ["b.md"]
    lab.vectors.taken()
    lab.write("a.md", THREE)
    lab.look()
    assert len(lab.vectors.taken()) == 3


def test_many_new_chunks_are_told_as_pending_and_made_by_sync(embedding: Any) -> None:
    """A search does not wait for a hundred vectors: it answers by words, says so, and sync makes them."""
    lab = embedding
    lab.add(a="alpha\n")
    lab.vectors.taken()
    numbered(lab, 100)
    found = lab.ghost.search("word42", NS)
    assert "n042.md" in [hit.key for hit in found]
    assert any(note.startswith("pending_embeddings: 100 ") for note in found.notes)
    lab.vectors.given.remove("word42")
    assert lab.vectors.taken() == []
    assert any("100 chunks" in note for note in lab.look())
    assert lab.sync().embedded == 100
    assert lab.look() == ()
    assert lab.ghost.admin.embed_status().pending == 0


# ---------------------------------------------------------------- deletes


def test_sync_waits_itself_and_believes_the_second_look(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sync looks twice; what is back by then stays, what is not is gone."""
    lab.add(a="alpha\n", b="bravo\n", c="charlie\n")
    (lab.root / "a.md").unlink()
    (lab.root / "b.md").unlink()
    waited: list[float] = []

    def come_back(seconds: float) -> None:
        waited.append(seconds)
        lab.write("b.md", "bravo\n")

    monkeypatch.setattr("ghostmem.notes.sync.time.sleep", come_back)
    done = lab.sync()
    assert waited == [0.5]
    assert done.removed == 1
    assert set(lab.memories()) == {"b.md", "c.md"}


@pytest.mark.parametrize("away", ["gone", "empty", "a file"])
def test_a_root_that_is_away_and_comes_back(embedding: Any, away: str) -> None:
    """A folder that is not there, or an empty one in its place, costs nothing: all is as it was when it is back."""
    lab = embedding
    numbered(lab, 12)
    lab.add()
    known = lab.ids()
    lab.vectors.taken()
    aside = lab.root.with_name("aside")
    os.rename(lab.root, aside)
    if away == "empty":
        lab.root.mkdir()
    elif away == "a file":
        lab.root.write_text("not a folder")
    assert len(lab.look()) == 1
    assert "n003.md" in lab.found("word3")
    lab.clock.forward(seconds=5)
    lab.look()
    done = lab.sync()
    assert done.unavailable
    assert done.removed == 0
    assert lab.status().unavailable
    assert lab.ids() == known
    if away == "empty":
        lab.root.rmdir()
    elif away == "a file":
        lab.root.unlink()
    os.rename(aside, lab.root)
    assert lab.look() == ()
    assert (lab.status().unavailable, lab.status().is_clean) == ("", True)
    assert lab.ids() == known
    assert all(text.startswith("word3") for text in lab.vectors.taken())


def _without_override(code: str, *args: object) -> str:
    """Run code in a process that modes are a matter for, also when this one is root's."""
    drop = "import ctypes\nfor cap in (1, 2): ctypes.CDLL(None).prctl(24, cap, 0, 0, 0)\n"  # out of the bounding set
    again = f"{drop}import os, sys\nos.execv(sys.executable, [sys.executable, '-c', *sys.argv[1:]])"
    done = subprocess.run(
        [sys.executable, "-c", again, code, *map(str, args)],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


UNREADABLE = """
import json, os, sys
from pathlib import Path
from ghostmem import Ghost
from ghostmem.settings import Settings
root, db, what = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
with Ghost.open(db, settings=Settings(embed_provider="none")) as ghost:
    os.chmod(root / what, 0)
    if (root / what).is_file():
        os.utime(root / what, (1, 1))
    done = ghost.notes.sync()[0]
    status = ghost.notes.status()[0]
    told = ghost.search("alpha", "notes:lab")
    os.chmod(root / what, 0o755)
    print(json.dumps([done.to_dict(), status.to_dict(), list(told.notes), sorted(m.key for m in ghost.list("notes:lab"))]))
"""


@LINUX
@pytest.mark.parametrize("what", ["d/c.md", "d", "."])
def test_what_cannot_be_read_is_not_gone(lab: Any, what: str) -> None:
    """A file, a subfolder or the folder itself without permission: the index stays, and everybody is told why."""
    lab.add(a="alpha\n", b="bravo\n", d__c="charlie\n", d__e="echo\n")
    keys = sorted(lab.memories())
    done, status, told, left = json.loads(_without_override(UNREADABLE, lab.root, lab.target, what))
    assert left == keys
    assert done["removed"] == 0
    assert told
    if what == ".":
        assert "Permission denied" in done["unavailable"]
        assert "Permission denied" in status["unavailable"]
    else:
        assert any(
            "Permission denied" in one["reason"] and one["path"].startswith("d")
            for one in done["failed"]
        )
        assert any(
            "Permission denied" in one["reason"] and one["path"].startswith("d")
            for one in status["failed"]
        )
    lab.sync()
    assert lab.status().is_clean
    assert sorted(lab.memories()) == keys


# ---------------------------------------------------------------- what files there are


@UNIX
def test_what_is_no_file_is_no_note(lab: Any, tmp_path: Path) -> None:
    """Pipes, sockets, links out of the folder, dangling and in circles are not read, and links are told of."""
    outside = tmp_path / "outside.md"
    outside.write_text("outside secret\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "x.md").write_text("elsewhere secret\n")
    lab.write("a.md", "alpha\n")
    os.mkfifo(lab.root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(lab.root)
        listener.bind("sock.md")
        os.chdir(here)
    os.symlink(outside, lab.root / "out.md")
    os.symlink(tmp_path / "elsewhere", lab.root / "outdir")
    os.symlink("nowhere.md", lab.root / "dangling.md")
    os.symlink("loop.md", lab.root / "loop.md")
    os.symlink(".", lab.root / "self")
    done = lab.add()
    assert done.notes == 1
    assert {problem.path for problem in done.failed} >= {"out.md", "dangling.md", "loop.md"}
    assert set(lab.memories()) == {"a.md"}
    assert lab.found("secret") == []
    assert {problem.path for problem in lab.status().failed} >= {"out.md", "dangling.md", "loop.md"}
    assert lab.status().is_clean


@UNIX
def test_very_long_paths_of_two_folders(open_lab: Callable[..., Any]) -> None:
    """Paths longer than a key may be are found, also when two folders share them and have long names themselves."""
    name = "/".join(["d" * 100] * 4 + ["note.md"])
    for letter in "ABC":
        made = open_lab(letter * 200)
        made.write(name, f"# Long\n\nword{letter}\n")
        assert made.add().added == 1
    for letter in "ABC":
        assert Path(made.ghost.search(f"word{letter}", NS)[0].root).name[0] == letter
    assert len(made.memories()) == 3


@pytest.mark.wide
def test_a_large_file_is_found_by_its_words_alone(embedding: Any) -> None:
    """More than two megabytes get no vectors and are never pending; a small file beside it does; shrunk, it does too."""
    lab = embedding
    lab.write("large.md", "# Large\n\nvictor\n\n" + ("word " * 100 + "\n\n") * 4_100)
    done = lab.add(small="# Small\n\nwhiskey\n")
    assert (done.embedded, done.pending_embeddings, done.failed) == (1, 0, [])
    assert lab.vectors.taken() == ["# Small\n\nwhiskey"]
    assert lab.found("victor")[0] == "large.md"
    assert lab.look() == ()
    assert lab.ghost.admin.embed_status().pending == 0
    lab.ghost.admin.embed_backfill()
    lab.sync()
    assert lab.vectors.taken() == ["victor"]
    lab.write("large.md", "# Large\n\nvictor\n")
    lab.look()
    assert lab.vectors.taken() == ["# Large\n\nvictor"]


def test_a_file_that_is_too_large_is_told(open_lab: Callable[..., Any]) -> None:
    """More bytes than one memory may have are not indexed, which is reported; made smaller, the file is found."""
    lab = open_lab(max_content_bytes=1000)
    lab.add(a="alpha\n", huge="xray " * 300)
    assert [problem.path for problem in lab.status().failed] == ["huge.md"]
    assert "GHOST_MAX_CONTENT_BYTES" in lab.sync().failed[0].reason
    assert lab.found("xray") == []
    lab.write("huge.md", "xray\n")
    assert lab.found("xray") == ["huge.md"]
    assert lab.status().failed == ()
    lab.write("huge.md", "xray " * 300)
    assert lab.found("xray") == []
    assert [problem.path for problem in lab.status().failed] == ["huge.md"]


@pytest.mark.perf
@pytest.mark.parametrize("line", ["word ", "x", "`", "# ", "[[", "#a "])
def test_one_very_long_line_takes_time_in_proportion(
    open_lab: Callable[..., Any], line: str
) -> None:
    """Four times the length costs about four times as much."""
    numbers = count()

    def work(text: str) -> None:
        number = next(numbers)
        lab = open_lab(f"v{number}", f"m{number}.db")
        lab.write("line.md", text)
        lab.add()
        lab.found("word")

    check_growth(work, repeated(line), 250_000)


@LINUX
def test_a_file_that_never_stands_still_is_left_for_later() -> None:
    """What is read is never as long as its stats say, three times: it is pending. The system's own files are like that."""
    with pytest.raises(ChangingError):
        read_note(Path("/proc/self/status"))


def test_a_file_is_read_as_it_stands(lab: Any) -> None:
    """A quiet file is read with the stats it has."""
    path = lab.write("a.md", b"\xef\xbb\xbfa\r\nb\r\n")
    read = read_note(path)
    assert (read.text.text, read.text.bom, read.text.crlf, read.stat.size) == (
        "a\nb\n",
        True,
        True,
        9,
    )


# ---------------------------------------------------------------- the index can be deleted

QUESTIONS = [
    "apples in autumn", "who waters the garden?", "number 3", "what is planned for spring", "tools", "rake", "compost heap",
    "when do we plant beans", "beans", "the shed key", "frost", "soil 7", "harvest", "neighbour's cat", "roses", "seeds 12",
    "rain barrel", "notes about 5", "greenhouse", "autumn leaves",
]  # fmt: skip


def garden(lab: Any) -> None:
    """Write a small vault."""
    words = (
        "apples|autumn|garden|spring|tools|rake|compost|beans|key|frost|soil|roses|seeds"
    ).split("|")
    for number in range(26):
        a, b, c = (words[(number * step + step) % len(words)] for step in (1, 3, 7))
        lab.write(
            f"plot{number % 5}/n{number}.md",
            f"---\ntags: [{a}]\n---\n# Note {number}\n\nAbout {a} and {b}, see [[n{(number + 1) % 26}]].\n\n"
            f"## Plan {number % 4}\n\nIn {c} we need {a} {number} #{b}\n\n## Rest\n\nthe {b} stays, {c} goes.\n",
        )


def answers(ghost: Ghost) -> list[Any]:
    """Return what the questions find, without what differs between stores, hits of one score in order of their keys."""
    found = []
    for question in QUESTIONS:
        hits = sorted(
            ghost.search(question, NS, limit=200, weak=True), key=lambda hit: (-hit.score, hit.key)
        )
        found.append(
            [
                (hit.key, hit.score, hit.similarity, hit.path, hit.line, hit.match_chunk, hit.tags)
                for hit in hits
            ]
        )
    return found


@pytest.mark.wide
@pytest.mark.parametrize("vectors", [False, True])
def test_an_index_that_is_made_anew_answers_the_same(
    open_lab: Callable[..., Any], vectors: bool
) -> None:
    """Removed and added again, or in another store: the same keys, scores and lines; the files were never touched."""
    lab = open_lab(vectors=vectors)
    garden(lab)
    lab.write("plot0/n0.md", "soon another\n")
    lab.add()
    os.rename(lab.root / "plot1", lab.root / "moved")
    lab.look()
    os.rename(lab.root / "moved", lab.root / "plot1")
    garden(lab)
    lab.sync()
    files = snapshot(lab.root)
    fresh = open_lab(db="fresh.db", vectors=vectors)
    fresh.add()
    wanted = answers(fresh.ghost)
    assert sum(map(len, wanted)) > 100
    assert answers(lab.ghost) == wanted
    removed = lab.ghost.notes.rm(lab.root)
    assert removed.notes == 26
    assert removed.memories == 78
    assert lab.memories() == {}
    lab.add()
    assert answers(lab.ghost) == wanted
    lab.sync(full=True)
    assert answers(lab.ghost) == wanted
    assert snapshot(lab.root) == files


def test_a_namespace_that_was_wiped_heals(lab: Any) -> None:
    """Whatever was removed by force is there again after a full sync."""
    lab.add(a=THREE, b="other [[a]]\n")
    before = {key: memory.content for key, memory in lab.memories().items()}
    for hard in (True, False):
        lab.ghost.admin.rm_namespace(NS, hard=hard, unlock=True)
        assert lab.memories() == {}
        lab.sync(full=True)
        assert {key: memory.content for key, memory in lab.memories().items()} == before
        assert lab.found("bravo") == ["a.md#one"]
        assert len(lab.ghost.edges(NS)) == 1
    lab.ghost.rm(NS, "a.md#one", hard=True, unlock=True)
    lab.sync(full=True)
    assert {key: memory.content for key, memory in lab.memories().items()} == before


# ---------------------------------------------------------------- beside other memories


def test_maintenance_leaves_notes_alone(embedding: Any) -> None:
    """Reflection, collection and deduplication change nothing of notes, however old, alike and unread they are."""
    lab = embedding
    for number in range(12):
        path = lab.write(f"n{number}.md", "# Same\n\nexactly the same words in every one\n")
        os.utime(path, (1_000_000_000, 1_000_000_000))
    lab.write("2020-01-01.md", "# Day\n\nan old episode\n")
    lab.add()
    before = {key: memory.to_dict() for key, memory in lab.memories().items()}
    lab.clock.forward(days=400)
    lab.ghost.reflect(NS)
    lab.ghost.lifecycle.gc(stale="1d", purge_deleted="all")
    lab.ghost.reflect(NS, relink=True)
    assert {key: memory.to_dict() for key, memory in lab.memories().items()} == before
    kept = lab.ghost.put(NS, "mine", "# Same\n\nexactly the same words in every one", dedup=True)
    assert kept.content in [memory.content for memory in lab.memories().values()]
    changed = {key: memory.to_dict() for key, memory in lab.memories().items() if key != "mine"}
    assert {key: one["content"] for key, one in changed.items()} == {
        key: one["content"] for key, one in before.items()
    }
    assert lab.status().is_clean


def test_only_the_file_changes_a_note(lab: Any) -> None:
    """Writers of memories are refused on the key of a note, and the note stays."""
    lab.add(a=THREE)
    known = lab.memories()["a.md#one"]
    diff = "--- a\n+++ b\n@@ -3 +3 @@\n-body bravo\n+body broken\n"
    for wrong in (
        lambda: lab.ghost.put(NS, "a.md#one", "mine now"),
        lambda: lab.ghost.patch(NS, "a.md#one", diff),
        lambda: lab.ghost.rm(NS, "a.md#one"),
        lambda: lab.ghost.curate(NS, "a.md#one", "archive"),
        lambda: lab.ghost.admin.rm_namespace(NS),
    ):
        with pytest.raises(LockedError):
            wrong()
    assert lab.memories()["a.md#one"].content == known.content


def test_two_folders_in_one_namespace(open_lab: Callable[..., Any]) -> None:
    """The same paths in two folders are notes of their own, each changed, renamed and deleted for itself."""
    one, two = open_lab("one"), open_lab("two")
    one.add(a=THREE)
    two.add(a=THREE.replace("bravo", "zulu"))
    places = {
        word: [(Path(hit.root).name, hit.path) for hit in one.ghost.search(word, NS)]
        for word in ("bravo", "zulu")
    }
    assert places == {"bravo": [("one", "a.md")], "zulu": [("two", "a.md")]}
    known = two.id_of("zulu")
    os.rename(two.root / "a.md", two.root / "b.md")
    one.look()
    assert one.id_of("zulu") == known
    one.write("a.md", "gone\n")
    assert [Path(hit.root).name for hit in one.ghost.search("zulu", NS)] == ["two"]
    one.ghost.notes.rm(one.root)
    assert {memory.id for memory in one.memories().values()} == {
        memory.id for memory in two.memories().values()
    }
    assert one.id_of("zulu") == known


def test_an_export_holds_the_notes_and_an_import_overrules_no_file(
    open_lab: Callable[..., Any],
) -> None:
    """Elsewhere the notes are memories until the folder is added there; here an old export does not bring back an old text."""
    lab = open_lab()
    lab.add(a=THREE, b="other [[a]]\n")
    lines = list(lab.ghost.export())
    other = open_lab("elsewhere", "other.db")
    other.ghost.import_(lines, trust=True)
    assert [(hit.key, hit.path) for hit in other.ghost.search("bravo", NS)] == [("a.md#one", None)]
    other.ghost.notes.add(lab.root, NS, layout="markdown")
    assert [(hit.key, hit.path) for hit in other.ghost.search("bravo", NS)] == [
        ("a.md#one", "a.md")
    ]
    assert set(other.memories()) == set(lab.memories())
    lab.write("a.md", THREE.replace("bravo", "golf"))
    assert lab.found("golf") == ["a.md#one"]
    lab.ghost.import_(lines)
    assert lab.found("bravo") == []
    assert lab.found("golf") == ["a.md#one"]
    assert lab.status().is_clean


def test_a_rename_onto_what_an_import_left(open_lab: Callable[..., Any]) -> None:
    """A key that an import brought from another store's notes is no obstacle for the note that has it now."""
    lab = open_lab()
    lab.add(z="# Z\n\nzulu of the other machine\n")
    here = open_lab("here", "here.db")
    here.ghost.import_(lab.ghost.export())
    here.add(a="# A\n\nalpha\n", b="other\n")
    known = here.id_of("alpha")
    os.rename(here.root / "a.md", here.root / "z.md")
    here.look()
    assert here.id_of("alpha") == known
    assert here.status().is_clean
    hit = next(hit for hit in here.ghost.search("alpha", NS, within="notes"))
    assert hit.path == "z.md"


READ_ONLY = """
import json, os, sys
from ghostmem import Ghost
from ghostmem.settings import Settings
os.chmod(sys.argv[1], 0o444)
with Ghost.open(sys.argv[1], settings=Settings(embed_provider="none")) as ghost:
    found = ghost.search("alpha", "notes:lab")
    print(json.dumps([[hit.key for hit in found], list(found.notes)]))
"""


@LINUX
def test_a_store_that_cannot_be_written_says_so(
    open_lab: Callable[..., Any], tmp_path: Path
) -> None:
    """It answers with what it knows, and says that the notes may have changed since."""
    lab = open_lab(db=tmp_path / "memory.db")
    lab.add(a="alpha\n")
    (tmp_path / "read").mkdir()
    lab.ghost.transfer.backup(tmp_path / "read" / "copy.db")
    lab.write("a.md", "bravo\n")
    os.chmod(tmp_path / "read", 0o555)
    keys, told = json.loads(_without_override(READ_ONLY, tmp_path / "read" / "copy.db"))
    os.chmod(tmp_path / "read", 0o755)
    assert keys == ["a.md"]
    assert any("cannot be written" in note for note in told)


@pytest.mark.parametrize(
    "name", ["vim", "vim copy", "in place", "sed", "mv", "replace", "swap files"]
)
def test_save_patterns(lab: Any, name: str) -> None:
    """However an editor saves, the next search sees the new text, the memory is the same, and its helpers are no notes."""
    lab.add(a=THREE, b="other\n")
    path, new = lab.root / "a.md", THREE.replace("body bravo", "body bravo and golf")
    known, keys = lab.id_of("bravo"), set(lab.memories())
    if name == "vim":
        lab.write("4913", "")
        (lab.root / "4913").unlink()
        os.rename(path, lab.root / "a.md~")
        lab.look()
        path.write_text(new)
        (lab.root / "a.md~").unlink()
    elif name == "vim copy":
        shutil.copyfile(path, lab.root / "a.md~")
        path.write_text("")
        lab.look()
        path.write_text(new)
    elif name == "in place":
        with path.open("r+") as stream:
            stream.truncate()
            lab.look()
            assert lab.id_of("bravo") == known
            stream.write(new)
    elif name == "sed":
        if shutil.which("sed") is None:
            new = THREE
        subprocess.run(["sed", "-i", "s/body bravo/body bravo and golf/", str(path)], check=True)
    elif name == "mv":
        (lab.root.parent / "t").write_text(new)
        shutil.move(lab.root.parent / "t", path)
    elif name == "replace":
        lab.write(".a.md.123.tmp", new)
        lab.look()
        os.replace(lab.root / ".a.md.123.tmp", path)
    else:
        for helper in (
            ".a.md.swp",
            ".a.md.swx",
            "a.md~",
            "#a.md#",
            ".#a.md",
            "a.md.tmp",
            ".a.md.un~",
        ):
            lab.write(helper, "a helper of an editor, golf\n")
        path.write_text(new)
    assert lab.found("golf") == ["a.md#one"]
    assert lab.id_of("bravo") == known
    assert set(lab.memories()) == keys
    lab.sync()
    assert lab.id_of("bravo") == known
