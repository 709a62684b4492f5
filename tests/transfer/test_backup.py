"""Backups over a file that is in use, was in use, or was removed by hand, and backups that are killed"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from ghostmem import ConflictError, CorruptStoreError, Ghost, InvalidInputError
from ghostmem.settings import Settings
from ghostmem.store.sqlite.replace import write_database

Open = Callable[..., Ghost]
NONE = Settings(embed_provider="none")
SIDES = ("-wal", "-shm", "-journal")
pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="kills and locks are those of Unix"),
]

# Writes to a store until it has a log of many pages, says so, and keeps the store open.
HOLDER = """
import sys
from ghostmem import Ghost
from ghostmem.settings import Settings
with Ghost.open(sys.argv[1], settings=Settings(embed_provider="none")) as ghost:
    for number in range(int(sys.argv[2])):
        ghost.put("held", f"k{number}", f"a text of the old copy, number {number}")
    ghost.get("a", "k1")
    print("open", flush=True)
    sys.stdin.read()
"""

# Makes a backup and stops in the middle of it: "kill" ends the process there, "wait" keeps it waiting.
BREAKING = """
import os, signal, sys
import apsw
from pathlib import Path
from ghostmem import Ghost
from ghostmem.settings import Settings
source, target, how = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
def stop():
    if any(target.parent.glob(f".{target.name}.*.tmp")):
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        print("writing", flush=True)
        sys.stdin.read()
    return False
apsw.connection_hooks.append(lambda db: db.set_progress_handler(stop, 50))
with Ghost.open(source, settings=Settings(embed_provider="none")) as ghost:
    ghost.transfer.backup(target, force=True)
"""


@contextmanager
def process(script: str, *args: object) -> "Iterator[subprocess.Popen[str]]":
    """Start a script, wait for its first line, and kill it at the end."""
    child = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        child.stdout.readline()
        yield child
    finally:
        child.kill()
        child.communicate()


def kill_backup(source: Path, target: Path) -> list[Path]:
    """Kill a backup in the middle and return what it left."""
    with process(BREAKING, source, target, "kill") as child:
        assert child.wait(60) == -signal.SIGKILL
    left = sorted(target.parent.glob(f".{target.name}.*"))
    assert left
    return left


def assert_is(path: Path, keys: set[str]) -> None:
    """Check that a file is a clean store with these keys, alone in its place."""
    with Ghost.open(path, settings=NONE) as ghost:
        assert ghost.admin.check().problems == ()
        assert {memory.key for memory in ghost.list(limit=1000)} == keys
    assert not [side for side in SIDES if os.path.exists(f"{path}{side}")]


@pytest.fixture
def saved(open_ghost: Open, tmp_path: Path) -> Ghost:
    """Return a store with two memories, and a backup of the first beside it."""
    made = open_ghost(busy_timeout=0.2)
    made.put("a", "k1", "one")
    made.transfer.backup(tmp_path / "copy.db")
    made.put("a", "k2", "two")
    return made


@pytest.mark.parametrize("written", [0, 60])
def test_a_file_in_use_is_not_replaced(saved: Ghost, tmp_path: Path, written: int) -> None:
    """The backup is refused, and the program that has the file open goes on as before."""
    copy = tmp_path / "copy.db"
    with process(HOLDER, copy, written) as holder:
        before = copy.stat().st_ino
        with pytest.raises(ConflictError, match=r"copy\.db is in use"):
            saved.transfer.backup(copy, force=True)
        assert copy.stat().st_ino == before
        holder.communicate("", timeout=60)
        assert holder.returncode == 0
    assert_is(copy, {"k1", *(f"k{number}" for number in range(written))})
    saved.transfer.backup(copy, force=True)
    assert_is(copy, {"k1", "k2"})


def test_a_file_open_in_this_process_is_not_replaced(
    saved: Ghost, open_ghost: Open, tmp_path: Path
) -> None:
    """Another store of the same program counts as well."""
    copy = tmp_path / "copy.db"
    other = open_ghost(copy)
    with pytest.raises(ConflictError, match="is in use"):
        saved.transfer.backup(copy, force=True)
    other.put("a", "k3", "three")
    other.close()
    assert_is(copy, {"k1", "k3"})


@pytest.mark.process
@pytest.mark.parametrize("written", [0, 60])
@pytest.mark.parametrize("removed", [False, True])
def test_the_log_of_a_killed_program_is_not_replayed(
    saved: Ghost, tmp_path: Path, written: int, removed: bool
) -> None:
    """Whoever had the old file open was killed; its log stays, also when the file is removed by hand."""
    copy = tmp_path / "copy.db"
    with process(HOLDER, copy, written):
        pass
    assert (tmp_path / "copy.db-wal").exists()
    if removed:
        copy.unlink()
    saved.transfer.backup(copy, force=not removed)
    assert_is(copy, {"k1", "k2"})


def test_a_file_removed_while_it_is_open_is_not_written(saved: Ghost, tmp_path: Path) -> None:
    """The program that has it open would remove the log of the new file at its end."""
    copy = tmp_path / "copy.db"
    with process(HOLDER, copy, 3):
        copy.unlink()
        with pytest.raises(
            ConflictError, match="was removed, but another program still has it open"
        ):
            saved.transfer.backup(copy)
        assert not copy.exists()
    saved.transfer.backup(copy)
    assert_is(copy, {"k1", "k2"})


def test_a_program_that_opened_the_old_file_cannot_write_beside_the_new_one(
    saved: Ghost, tmp_path: Path
) -> None:
    """A connection that has not read yet holds no lock; after the replacement SQLite refuses its writes."""
    copy = tmp_path / "copy.db"
    late = apsw.Connection(str(copy))
    saved.transfer.backup(copy, force=True)
    with pytest.raises(apsw.Error):
        late.execute("PRAGMA journal_mode=WAL; DELETE FROM memories").fetchall()
    late.close()
    assert_is(copy, {"k1", "k2"})


@pytest.mark.parametrize("content", [b"", b"a text\n", b"SQLite format 3\x00" + b"\xff" * 5000])
def test_whatever_is_no_database_is_replaced_by_force(
    saved: Ghost, tmp_path: Path, content: bytes
) -> None:
    """An empty file, a text, and a damaged database are replaced, and logs beside them are not replayed."""
    copy = tmp_path / "other.db"
    copy.write_bytes(content)
    (tmp_path / "other.db-wal").write_bytes(b"x" * 5000)
    saved.transfer.backup(copy, force=True)
    assert_is(copy, {"k1", "k2"})


def test_links_are_followed_and_modes_kept(saved: Ghost, tmp_path: Path) -> None:
    """The link stays, its target is replaced, and the target's mode is kept; a new file is private."""
    (tmp_path / "copy.db").chmod(0o640)
    link, dangling = tmp_path / "link.db", tmp_path / "dangling.db"
    link.symlink_to("copy.db")
    dangling.symlink_to("new.db")
    saved.transfer.backup(link, force=True)
    saved.transfer.backup(dangling)
    assert (link.is_symlink(), dangling.is_symlink()) == (True, True)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("copy.db", "new.db")] == [
        0o640,
        0o600,
    ]
    assert_is(tmp_path / "copy.db", {"k1", "k2"})
    assert_is(tmp_path / "new.db", {"k1", "k2"})


@pytest.mark.parametrize("force", [False, True])
def test_a_pipe_is_refused(saved: Ghost, tmp_path: Path, force: bool) -> None:
    """A backup is a database, which cannot be written to a pipe or a device."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInputError, match="is not a plain file"):
        saved.transfer.backup(tmp_path / "pipe", force=force)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("suffix", ["", *SIDES])
def test_no_file_of_the_store_itself_is_replaced(saved: Ghost, tmp_path: Path, suffix: str) -> None:
    """Neither the database nor what SQLite keeps beside it."""
    with pytest.raises(ConflictError, match="belongs to the store itself"):
        saved.transfer.backup(tmp_path / f"memory.db{suffix}", force=True)
    assert saved.admin.check().problems == ()


# ---------------------------------------------------------------- kills


def test_a_killed_backup_leaves_the_old_one(saved: Ghost, tmp_path: Path) -> None:
    """What was there stays, and the next backup takes its place and sweeps the unfinished copy."""
    copy = tmp_path / "copy.db"
    saved.close()
    for _ in range(2):
        kill_backup(tmp_path / "memory.db", copy)
        assert_is(copy, {"k1"})
    with Ghost.open(tmp_path / "memory.db", settings=NONE) as again:
        again.transfer.backup(copy, force=True)
    assert_is(copy, {"k1", "k2"})
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("sweep", ["rm", "gc", "backup"])
def test_unfinished_copies_are_swept(saved: Ghost, tmp_path: Path, sweep: str) -> None:
    """A hard delete, a collection and the next backup remove them, in whatever folder they are; old names too."""
    folder = tmp_path / "folder"
    folder.mkdir()
    left = kill_backup(tmp_path / "memory.db", folder / "killed.db")
    old = [folder / ".killed.db.123.tmp", folder / ".killed.db.123.tmp-journal"]
    others = [
        folder / name
        for name in (".other.db.123.tmp", "killed.db.tmp", "killed.db.123.tmp", ".killed.db.swp")
    ]
    for path in (*old, *others):
        path.write_bytes(b"one")
    assert saved.rm("a", "k2", hard=True, dry_run=True).backups == ()
    assert all(path.exists() for path in left)
    match sweep:
        case "rm":
            assert saved.rm("a", "k2", hard=True).backups == ()
        case "gc":
            saved.lifecycle.gc()
        case _:
            saved.transfer.backup(folder / "killed.db")
            (folder / "killed.db").unlink()
    assert sorted(folder.iterdir()) == sorted(others)


def test_a_copy_that_is_being_written_is_named(saved: Ghost, tmp_path: Path) -> None:
    """A hard delete cannot look into it, so it counts as one that holds the memory; it is not swept."""
    target = tmp_path / "slow.db"
    with process(BREAKING, tmp_path / "memory.db", target, "wait"):
        (fresh,) = tmp_path.glob(".slow.db.*.tmp")
        planned = saved.rm("a", "k2", hard=True, dry_run=True)
        done = saved.rm("a", "k2", hard=True)
        assert done.backups == planned.backups == (str(fresh),)
        assert fresh.exists()
    assert saved.lifecycle.gc().pending == ""
    assert not fresh.exists()


# ---------------------------------------------------------------- checks


def _rows(path: str, count: int) -> None:
    db = apsw.Connection(path)
    db.execute("CREATE TABLE t (x)")
    db.executemany("INSERT INTO t VALUES (?)", [("x" * 3000,)] * count)
    db.close()


def test_a_copy_that_is_not_whole_is_not_kept(tmp_path: Path) -> None:
    """Too few rows or a damaged page: the old file stays, and nothing is left beside it."""
    target = tmp_path / "here" / "copy.db"
    target.parent.mkdir()

    def short(path: str) -> dict[str, int]:
        _rows(path, 5)
        return {"t": 6}

    def damaged(path: str) -> None:
        _rows(path, 5)
        with open(path, "r+b") as stream:
            stream.seek(4096)
            stream.write(b"\xff" * 4096)

    def whole(path: str) -> dict[str, int]:
        _rows(path, 5)
        return {"t": 5}

    write_database(target, lambda: None, whole)
    before = target.read_bytes()
    for fill in (short, damaged):
        with pytest.raises(CorruptStoreError, match="was not kept"):
            write_database(target, lambda: None, fill)
    assert target.read_bytes() == before
    assert list(target.parent.iterdir()) == [target]


def test_the_copy_before_a_migration_does_not_meet_an_old_log(tmp_path: Path) -> None:
    """Somebody looked into the copy of an earlier upgrade and was killed; the new copy is whole all the same."""
    store, copy = tmp_path / "memory.db", tmp_path / "memory.db.before-0009_words.bak"
    with Ghost.open(store, settings=NONE) as made:
        made.put("a", "k1", "one")
        made.transfer.backup(copy)
        made.put("a", "k2", "two")
    with process(HOLDER, copy, 60):
        pass
    db = apsw.Connection(str(store))
    db.execute("DROP TABLE words; DELETE FROM migrations WHERE name = '0009_words'")
    db.close()
    Ghost.open(store, settings=NONE).close()
    db = apsw.Connection(str(copy))
    assert db.execute("PRAGMA integrity_check").get == "ok"
    assert [key for (key,) in db.execute("SELECT key FROM memories ORDER BY key")] == ["k1", "k2"]
    db.close()


def test_a_store_without_space_can_be_copied_elsewhere(
    tmp_path: Path, open_ghost: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is made, and the result says that the store could not remember it."""
    saved = open_ghost()
    saved.put("a", "k1", "one")
    saved.lifecycle.gc(vacuum=True)
    saved.close()
    monkeypatch.setattr(
        apsw, "connection_hooks", [lambda db: db.execute("PRAGMA max_page_count=1").fetchall()]
    )
    full = open_ghost()
    monkeypatch.undo()
    folder = tmp_path / ("d" * 200)  # long names, so that a few of them fill a page
    done = [full.transfer.backup(folder / f"{number}.db") for number in range(20)]
    assert done[0].pending == ""
    assert "a hard delete will not name it" in done[-1].pending
    assert_is(Path(done[-1].path), {"k1"})
