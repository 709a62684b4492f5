"""Writing notes: whole or not at all, only what was asked for, never over what somebody else has written meanwhile."""

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ghostmem.errors import (
    ConflictError,
    InvalidInputError,
    NoteConflictError,
)
from ghostmem.notes.files import (
    MISSING,
    append,
    digest,
    inside,
    read_file,
    remove_file,
    replace_file,
)
from ghostmem.notes.lock import locked, locked_elsewhere
from ghostmem.notes.memory_tools import MemorySave

NS = "notes:lab"
THREE = "---\nodd:   [kept\n---\n\n# Top\n\nintro alpha\n\n\n## One\n\nbody bravo\n\n\n## Two\n\nbody charlie"
UNIX = pytest.mark.skipif(
    sys.platform == "win32", reason="modes, links and limits are those of Unix"
)


def left(folder: Path) -> list[str]:
    """Return the names of temporary files."""
    return sorted(path.name for path in folder.rglob("*.tmp"))


# ---------------------------------------------------------------- one file


def test_a_file_is_replaced_whole_and_nothing_is_left(tmp_path: Path) -> None:
    """A new file, another text, the same again: what was said is there, and beside it nothing."""
    path = tmp_path / "deep" / "er" / "a.md"
    assert replace_file(path, b"one", MISSING)
    assert replace_file(path, b"two", digest(b"one"))
    assert path.read_bytes() == b"two"
    assert [found.name for found in path.parent.iterdir()] == ["a.md"]


def test_the_same_bytes_are_not_written(tmp_path: Path) -> None:
    """A write that says what is there already changes neither the time nor the inode."""
    path = tmp_path / "a.md"
    path.write_bytes(b"one\n")
    os.utime(path, ns=(1_000_000_007, 1_000_000_007))
    before = path.stat()
    assert not replace_file(path, b"one\n")
    assert not replace_file(path, b"one\n", digest(b"one\n"))
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


@UNIX
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755, 0o444])
def test_modes_are_kept(tmp_path: Path, mode: int) -> None:
    """A private note stays private."""
    path = tmp_path / "a.md"
    path.write_bytes(b"one")
    path.chmod(mode)
    replace_file(path, b"two")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize(
    ("base", "there", "wrong"),
    [
        (digest(b"mine"), b"theirs", "changed"),
        (MISSING, b"theirs", "exists"),
        (digest(b"mine"), None, "no longer exists"),
    ],
)
def test_a_conflict_carries_what_is_there(
    tmp_path: Path, base: str, there: bytes | None, wrong: str
) -> None:
    """Another text than the writer knew: nothing is written, and the error has the text and the digest to go on with."""
    path = tmp_path / "a.md"
    if there is not None:
        path.write_bytes(there)
    with pytest.raises(NoteConflictError, match=wrong) as caught:
        replace_file(path, b"new", base)
    assert caught.value.current == (there or b"").decode()
    assert caught.value.digest == (MISSING if there is None else digest(there))
    assert caught.value.exit_code == 4
    assert caught.value.to_dict()["current"] == (there or b"").decode()
    assert (path.read_bytes() if path.exists() else None) == there
    assert replace_file(path, b"new", caught.value.digest)


def test_what_killed_writers_left_goes_with_the_next_write(tmp_path: Path) -> None:
    """Temporary files of writers that are no more are removed by the next that holds the lock; those of other programs stay."""
    mine = [".a[1].md.4711.deadbeef.tmp", ".a[1].md.1.00c0ffee.tmp", ".b.md.4711.deadbeef.tmp"]
    others = ["a[1].md.tmp", ".a[1].md.tmp", ".x.tmp", ".a[1].md.swp"]
    folder = tmp_path / "made"
    folder.mkdir()
    for name in mine + others:
        (folder / name).write_bytes(b"half")
    with locked(folder):
        replace_file(folder / "a[1].md", b"whole")
    assert sorted(os.listdir(folder)) == sorted([".lock", "a[1].md", *others])


def test_a_file_is_deleted_only_as_it_was_known(tmp_path: Path) -> None:
    """Deleting asks for the digest too."""
    path = tmp_path / "a.md"
    path.write_bytes(b"theirs")
    with pytest.raises(NoteConflictError):
        remove_file(path, digest(b"mine"))
    assert remove_file(path, digest(b"theirs"))
    assert not remove_file(path)


@pytest.mark.parametrize("name", ["../x.md", "/etc/x.md", "a/../../x.md", "", ".", "out/x.md"])
def test_no_path_leads_out(tmp_path: Path, name: str) -> None:
    """Whatever a name says, the file lies below the folder."""
    root = tmp_path / "root"
    root.mkdir()
    if hasattr(os, "symlink"):
        (root / "out").symlink_to(tmp_path)
    with pytest.raises(InvalidInputError):
        inside(root, name)


@UNIX
def test_a_linked_note_is_written_through(tmp_path: Path) -> None:
    """A link below the folder stays a link; its target is what is written."""
    (tmp_path / "real.md").write_bytes(b"one")
    (tmp_path / "link.md").symlink_to("real.md")
    path = inside(tmp_path, "link.md")
    with locked(tmp_path):
        append(path, " two")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_bytes() == b"one two"


@pytest.mark.parametrize(
    ("before", "added", "after"),
    [
        (b"", "x\n", b"opening\nx\n"),
        (b"a\r\nb\r\n", "x\ny\n", b"a\r\nb\r\nx\r\ny\r\n"),
        (b"a\r\nb\r\n", "x\r\ny\r\n", b"a\r\nb\r\nx\r\ny\r\n"),
        (b"a\nb\r\n", "x\n", b"a\nb\r\nx\n"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfa\nx\n"),
        (b"bad \xff\xfe\n\n", "x\n", b"bad \xff\xfe\n\nx\n"),
        (b"no end", "\nx\n", b"no end\nx\n"),
    ],
)
def test_an_append_keeps_every_byte_before_it(
    tmp_path: Path, before: bytes, added: str, after: bytes
) -> None:
    """In the file's own line ends, whatever is in it."""
    path = tmp_path / "a.md"
    if before:
        path.write_bytes(before)
    with locked(tmp_path):
        append(path, added, "opening\n")
    assert path.read_bytes() == after


def test_the_lock_keeps_others_out_until_it_goes(tmp_path: Path) -> None:
    """Two at once cannot hold it; a note is never locked itself."""
    folder = tmp_path / "made"
    with locked(folder), pytest.raises(ConflictError), locked(folder, 0.05):
        pass
    with locked(folder, 0):
        pass
    assert os.listdir(folder) == [".lock"]


@UNIX
def test_a_disk_that_is_full_leaves_the_old_file(tmp_path: Path) -> None:
    """A write that does not fit says so, leaves the old text, and no temporary file."""
    path = tmp_path / "made" / "a.md"
    path.parent.mkdir()
    path.write_bytes(b"old\n")
    code = (
        "import resource, sys\nfrom pathlib import Path\nfrom ghostmem.errors import InvalidInputError\n"
        "from ghostmem.notes.files import replace_file\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n    replace_file(Path(sys.argv[1]), b'new' * 4096)\n"
        "except InvalidInputError as error:\n    print(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, timeout=60, check=True
    )
    assert b"cannot write" in done.stdout
    assert path.read_bytes() == b"old\n"
    assert os.listdir(path.parent) == ["a.md"]


@UNIX
@pytest.mark.may_skip
def test_a_small_disk_that_is_full_leaves_the_old_file(tmp_path: Path) -> None:
    """The same on a real file system without space."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)],
        capture_output=True,
        check=False,
    ).returncode:
        pytest.skip("only root can mount a disk")
    try:
        path = disk / "a.md"
        path.write_bytes(b"old\n")
        with pytest.raises(InvalidInputError, match="cannot write"):
            replace_file(path, b"new" * 50_000)
        assert path.read_bytes() == b"old\n"
        assert os.listdir(disk) == ["a.md"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# ---------------------------------------------------------------- a section of a note


@UNIX
def test_a_full_disk_leaves_the_note_and_the_index(lab: Any) -> None:
    """A section that does not fit is not written, and what is found is still what the file says."""
    lab.add(a=THREE)
    code = (
        "import resource, sys\nfrom ghostmem import Ghost\nfrom ghostmem.settings import Settings\n"
        "ghost = Ghost.open(sys.argv[1], settings=Settings(embed_provider='none'))\n"
        "from ghostmem.errors import GhostError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
        "try:\n    ghost.notes.write(sys.argv[2], 'a.md#one', '## One\\n\\n' + 'new ' * 8192)\n"
        "except GhostError as error:\n    print(error.message)\n"
    )
    words = [sys.executable, "-c", code, lab.target, NS]
    done = subprocess.run(words, capture_output=True, timeout=60, check=True)
    assert b"cannot write" in done.stdout
    assert (lab.root / "a.md").read_text() == THREE
    assert left(lab.root) == []
    assert lab.found("bravo") == ["a.md#one"]


# ---------------------------------------------------------------- saving into daily notes


@pytest.mark.parametrize("fence", ["```", "~~~~ python"])
def test_a_saved_text_does_not_leave_a_code_fence_open(
    open_lab: Callable[..., Any], fence: str
) -> None:
    """Later texts would be part of the code."""
    lab = open_lab()
    save = MemorySave(lab.ghost, lab.root)
    save.save(f"## Build\n\n{fence}\nmake", "long_term")
    save.save("## Tests\n\nmake test", "long_term")
    found = {memory.key for memory in lab.ghost.list()}
    assert {"MEMORY.md#build", "MEMORY.md#tests"} <= found


def test_a_redaction_of_a_saved_text_is_told(open_lab: Callable[..., Any]) -> None:
    """The model learns that the note has another text."""
    lab = open_lab()
    told = MemorySave(lab.ghost, lab.root).save("password = hunter2hunter2", "long_term")
    assert told == "Saved to long-term memory (MEMORY.md); line 1: password redacted"


def test_reading_a_note_that_is_not_there(tmp_path: Path) -> None:
    """It is empty, with the digest of nothing; a folder in its place is refused."""
    assert (read_file(tmp_path / "a.md").text, read_file(tmp_path / "a.md").digest) == ("", MISSING)
    with pytest.raises(InvalidInputError):
        read_file(tmp_path)


@pytest.mark.may_skip
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no user ids")
def test_another_user_of_the_machine_has_another_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user cannot open the lock file that another has made in the temporary folder."""
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(os, "getuid", lambda: 1001)
    with locked_elsewhere(tmp_path / "AGENTS.md"):
        with pytest.raises(ConflictError), locked_elsewhere(tmp_path / "AGENTS.md", 0):
            pass
        monkeypatch.setattr(os, "getuid", lambda: 1002)
        with locked_elsewhere(tmp_path / "AGENTS.md", 0):
            assert len(list(tmp_path.glob("ghost-*.lock"))) == 2


@pytest.mark.may_skip
@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_lock_elsewhere_is_held_by_one_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removing the lock file never lets two holders in."""
    places = tmp_path / "temporary"
    places.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(places))
    counter = tmp_path / "counter"
    counter.write_text("0", encoding="utf-8")

    def count() -> None:
        for _ in range(50):
            with locked_elsewhere(counter):
                number = int(counter.read_text(encoding="utf-8"))
                time.sleep(0)
                counter.write_text(str(number + 1), encoding="utf-8")

    threads = [threading.Thread(target=count) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.read_text(encoding="utf-8") == "300"
    assert list(places.iterdir()) == []
