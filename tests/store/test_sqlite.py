"""The SQLite engine: its file, its modes, its migrations, its check and repair, and several threads and processes."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from ghostmem import (
    CorruptStoreError,
    EngineError,
    Ghost,
    InvalidInputError,
    NewerStoreError,
    NotADatabaseError,
    ReadOnlyStoreError,
    StoreBusyError,
)
from ghostmem.admin.doctor import doctor
from ghostmem.store.sqlite import schema
from ghostmem.store.sqlite.journal import LineCount

NS = "agent:a"
Open = Callable[..., Ghost]


def rows(path: str | Path, sql: str) -> list[tuple[object, ...]]:
    """Ask the file itself."""
    db = apsw.Connection(str(path))
    try:
        return list(db.execute(sql))
    finally:
        db.close()


@pytest.mark.requirement("002-001", "002-048", "002-049")
def test_the_store_is_one_private_file_in_wal_mode(open_ghost: Open, tmp_path: Path) -> None:
    """While open it logs ahead; once closed a single file with mode 0600 in a folder with mode 0700 is left."""
    ghost = open_ghost("deep/er/memory.db")
    ghost.put(NS, "k", "text")
    path = tmp_path / "deep/er/memory.db"
    assert rows(path, "PRAGMA journal_mode") == [("wal",)]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    ghost.close()
    assert [p.name for p in path.parent.iterdir()] == ["memory.db"]


@pytest.mark.requirement("002-051", "002-052", "002-053", "002-054", "002-056")
def test_the_tables_have_the_specifications_names(open_ghost: Open, tmp_path: Path) -> None:
    """Others read the file by these names."""
    open_ghost("m.db")
    tables = {
        name
        for (name,) in rows(
            tmp_path / "m.db", "SELECT name FROM sqlite_schema WHERE type = 'table'"
        )
    }
    named = "memories chunks chunks_fts memory_edges memory_links memory_files reflect_rules namespaces chunks_tri changes accesses migrations"
    assert set(named.split()) <= tables


@pytest.mark.requirement("002-050")
def test_a_version_is_unique(open_ghost: Open, tmp_path: Path) -> None:
    """The database itself refuses a second row of one version, and a second live row of one key."""
    ghost = open_ghost("m.db")
    ghost.put(NS, "k", "text")
    columns = "id, ns, key, content, version, created_at, recorded_at"
    db = apsw.Connection(str(tmp_path / "m.db"))
    for version in (1, 2):
        with pytest.raises(apsw.ConstraintError):
            db.execute(
                f"INSERT INTO memories ({columns}) VALUES ('x', '{NS}', 'k', 'c', {version}, '', '')"
            )
    db.close()


@pytest.mark.requirement("002-057")
def test_opening_again_runs_no_migration_twice(open_ghost: Open, tmp_path: Path) -> None:
    """Migrations are recorded by name and harmless to start again."""
    open_ghost("m.db").close()
    before = rows(tmp_path / "m.db", "SELECT * FROM migrations")
    open_ghost("m.db").close()
    assert rows(tmp_path / "m.db", "SELECT * FROM migrations") == before
    assert [name for name, _, _ in before] == list(schema.MIGRATIONS)


def test_a_store_in_memory_has_the_tables_of_a_file(open_ghost: Open, tmp_path: Path) -> None:
    """The second store in memory, a copy of an empty one, has its own time of creation."""
    tables, made = "SELECT type, name, sql FROM sqlite_schema", "SELECT * FROM migrations"
    open_ghost("m.db").close()
    for _ in range(2):
        with open_ghost(":memory:").store.engine.read() as tx:
            found = tx.graph._db.rows(tables, ())
            dates = {at for _, at, _ in tx.graph._db.rows(made, ())}
        assert sorted(found) == sorted(rows(tmp_path / "m.db", tables))
        assert {at[:10] for at in dates} == {"2026-03-14"}


@pytest.mark.requirement("002-058", "002-198")
def test_a_migration_keeps_data_and_a_copy(
    open_ghost: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older database is copied beside itself, then brought up with everything in it."""
    ghost = open_ghost("m.db")
    ghost.put(NS, "k", "text", tags=["t"])
    lines = list(ghost.export())
    ghost.close()
    monkeypatch.setitem(
        schema.MIGRATIONS,
        "9999_test",
        "ALTER TABLE memories ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",
    )
    newer = open_ghost("m.db")
    assert list(newer.export()) == lines
    newer.close()
    assert rows(tmp_path / "m.db", "SELECT mood FROM memories") == [("calm",)]
    copy = tmp_path / "m.db.before-9999_test.bak"
    assert copy.stat().st_mode & 0o777 == 0o600
    assert rows(copy, "SELECT key FROM memories") == [("k",)]


@pytest.mark.requirement("002-057")
def test_a_failing_migration_changes_nothing(
    open_ghost: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a migration or nothing of it."""
    open_ghost("m.db").close()
    monkeypatch.setitem(
        schema.MIGRATIONS, "9999_test", "CREATE TABLE extra (a); CREATE TABLE memories (b)"
    )
    with pytest.raises(CorruptStoreError, match="already exists"):
        open_ghost("m.db")
    monkeypatch.delitem(schema.MIGRATIONS, "9999_test")
    assert open_ghost("m.db").admin.check().ok
    assert rows(tmp_path / "m.db", "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'") == [
        (0,)
    ]


def test_a_newer_store_is_read_only(open_ghost: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a newer Ghost wrote can be read; writing says to upgrade and changes nothing."""
    monkeypatch.setitem(schema.MIGRATIONS, "9999_future", "CREATE TABLE future (a)")
    ghost = open_ghost("m.db")
    ghost.put(NS, "k", "text")
    ghost.close()
    monkeypatch.delitem(schema.MIGRATIONS, "9999_future")
    old = open_ghost("m.db")
    assert old.get(NS, "k").content == "text"
    with pytest.raises(NewerStoreError, match="9999_future") as caught:
        old.put(NS, "k", "other")
    assert "upgrade" in caught.value.hint
    assert old.get(NS, "k").access_count == 0


def test_what_is_not_a_store_is_refused_untouched(tmp_path: Path) -> None:
    """A folder, a text and another program's database are named and left alone."""
    text = tmp_path / "notes.txt"
    text.write_text("just some notes\n" * 50, encoding="utf-8")
    other = tmp_path / "other.db"
    db = apsw.Connection(str(other))
    db.execute("CREATE TABLE invoices (a)")
    db.close()
    for target in (tmp_path, text, other):
        before = target.read_bytes() if target.is_file() else b""
        with pytest.raises(NotADatabaseError, match=target.name):
            Ghost.open(target)
        assert not target.is_file() or target.read_bytes() == before


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """A path below a file cannot be a store, and the error says so."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(Exception, match="file") as caught:
        Ghost.open(tmp_path / "file" / "sub" / "m.db")
    assert caught.value.exit_code == 5  # type: ignore[attr-defined]


def test_a_read_only_store_reads_and_refuses_writes(
    open_ghost: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without permission to write, reads work and a put says why not."""
    ghost = open_ghost("m.db")
    ghost.put(NS, "k", "text")
    ghost.close()
    before = (tmp_path / "m.db").read_bytes()
    monkeypatch.setattr(os, "access", lambda *_: False)
    frozen = open_ghost("m.db")
    assert frozen.get(NS, "k").content == "text"
    with pytest.raises(ReadOnlyStoreError, match="cannot be written"):
        frozen.put(NS, "k", "other")
    frozen.close()
    assert (tmp_path / "m.db").read_bytes() == before


def test_a_lock_held_too_long_is_busy(open_ghost: Open) -> None:
    """Waiting ends with an error that names the setting, and nothing is written."""
    one, two = open_ghost("m.db"), open_ghost("m.db", busy_timeout=0.05)
    with one.store.engine.write(), pytest.raises(StoreBusyError) as caught:
        two.put(NS, "k", "text")
    assert "GHOST_BUSY_TIMEOUT" in caught.value.hint
    assert two.list() == []


@pytest.mark.parametrize("durable", [True, False])
def test_an_interrupt_while_a_write_begins_leaves_no_lock(
    open_ghost: Open, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    """The transaction that has just begun is rolled back, so that this and other writers go on."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    one, other = open_ghost("m.db"), open_ghost("m.db", busy_timeout=0.1)
    with monkeypatch.context() as patch:
        patch.setattr(LineCount, "begin", interrupt)
        with pytest.raises(KeyboardInterrupt), one.store.engine.write(durable=durable):
            pass
    other.put(NS, "other", "text")
    one.put(NS, "one", "text")
    assert sorted(memory.key for memory in one.list(NS)) == ["one", "other"]


@pytest.mark.requirement("002-022")
@pytest.mark.parametrize("name", [":memory:", "m.db"])
def test_threads_share_a_store(open_ghost: Open, name: str) -> None:
    """Four threads writing and reading one Ghost lose nothing, in memory and in a file."""
    ghost = open_ghost(name)
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for n in range(25):
                ghost.put(NS, f"k{number}-{n}", f"text {number} {n}")
                ghost.get(NS, f"k{number}-{n}")
                ghost.put(NS, "shared", f"text {number} {n}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(ghost.list(NS, limit=1000)) == 101
    assert [m.version for m in ghost.history(NS, "shared")] == list(range(1, 101))
    assert ghost.admin.check().ok


DAMAGE = {
    "full text lost": ("DELETE FROM chunks_fts WHERE rowid = (SELECT min(id) FROM chunks)", "missing from full text"),
    "full text of nothing": ("INSERT INTO chunks_fts (rowid, text) VALUES (999, 'x')", "full-text rows without a chunk"),
    "substring lost": ("DELETE FROM chunks_tri WHERE rowid = (SELECT min(id) FROM chunks)", "missing from the substring index"),
    "chunks lost": ("DELETE FROM chunks WHERE memory_id = (SELECT min(id) FROM memories)", "without chunks"),
    "terms drifted": ("DELETE FROM chunks_fts WHERE rowid = 1; INSERT INTO chunks_fts (rowid, text) VALUES (1, 'a b c d e f g h i j k')", "differ"),
    "orphan edge": ("PRAGMA foreign_keys=OFF; INSERT INTO memory_edges (from_id, to_id, rel, created_at) VALUES ('x', 'y', 'refines', '')", "missing memories"),
    "orphan file": ("PRAGMA foreign_keys=OFF; INSERT INTO memory_files VALUES ('x', 'p', 'read', '')", "missing memories"),
    "namespace lost": ("DELETE FROM namespaces", "namespaces without a row"),
}  # fmt: skip


@pytest.mark.requirement("002-059")
@pytest.mark.parametrize("damage", DAMAGE)
def test_check_finds_damage_and_repair_mends_it(
    open_ghost: Open, tmp_path: Path, damage: str
) -> None:
    """Every index is rebuilt from the rows, orphans go, and no memory changes."""
    ghost = open_ghost("m.db")
    for n in range(3):
        ghost.put(NS, f"k{n}", f"text number {n}")
    lines = list(ghost.export())
    db = apsw.Connection(str(tmp_path / "m.db"))
    db.execute(DAMAGE[damage][0])
    db.close()
    found = ghost.admin.check()
    assert not found.ok
    assert any(DAMAGE[damage][1] in problem for problem in found.problems), found.problems
    diagnosis = doctor(ghost.store.settings, lambda: ghost.store)
    assert [f.fix for f in diagnosis.findings if f.state == "problem"] in ([], ["ghost repair"])
    assert ghost.admin.repair().ok
    assert list(ghost.export()) == lines
    assert ghost.put(NS, "k0", "goes on").version == 2


@pytest.mark.requirement("002-194")
def test_core_verbs_need_no_network(ghost: Ghost, monkeypatch: pytest.MonkeyPatch) -> None:
    """With sockets blocked everything works."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    ghost.put(NS, "k", "text")
    ghost.get(NS, "k")
    ghost.list(NS)
    list(ghost.export())
    ghost.lifecycle.gc()


@pytest.mark.requirement("002-192")
def test_no_system_sqlite_is_needed() -> None:
    """The engine runs on the SQLite inside the apsw wheel; Python's own sqlite3 is never imported."""
    code = "import sys; sys.modules['sqlite3'] = None; from ghostmem import Ghost; g = Ghost.open(':memory:'); print(g.put('a', 'k', 'x').version)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_a_closed_store_says_so(open_ghost: Open) -> None:
    """Using a store after closing it is an error, not a crash."""
    ghost = open_ghost("m.db")
    ghost.close()
    for use in (ghost.list, ghost.admin.check, lambda: list(ghost.export())):
        with pytest.raises(InvalidInputError, match="closed"):
            use()
    ghost.close()


def test_closing_during_a_write_without_a_flush(open_ghost: Open) -> None:
    """A write that does not wait for the disk is told that the store is closed, too."""
    ghost = open_ghost("m.db")

    def write() -> None:
        with ghost.store.engine.write(durable=False) as tx:
            ghost.close()
            tx.memories._db.rows("SELECT 1")

    with pytest.raises(InvalidInputError, match="closed"):
        write()


def test_a_function_that_an_operation_calls_can_use_the_store(tmp_path: Path) -> None:
    """A search goes on after its embedder has used the same store; one in memory is refused."""
    stores: list[Ghost] = []
    seen: list[object] = []

    def embed(texts: list[str]) -> list[list[float]]:
        try:
            seen.append([memory.key for memory in stores[-1].list(NS)])
        except InvalidInputError as error:
            seen.append(error.message)
        return [[1.0, 0.0] for _ in texts]

    for target in (str(tmp_path / "m.db"), ":memory:"):
        with Ghost.open(target, embedder=embed) as ghost:
            stores.append(ghost)
            ghost.put(NS, "tea", "Sam drinks green tea.")
            assert [hit.key for hit in ghost.search("tea", NS)] == ["tea"]
            ghost.put(NS, "cup", "The cup is blue.")
            assert len(ghost.list(NS)) == 2
    assert seen[1] == ["tea"]
    assert "a function that Ghost calls cannot use the same store in memory" in seen


def test_closing_ends_a_statement_of_another_thread(open_ghost: Open) -> None:
    """The other thread is told that the store is closed, and closing does not fail."""
    ghost = open_ghost("m.db")
    started = threading.Event()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    def count() -> None:
        with ghost.store.engine.read() as tx:
            started.set()
            tx.memories._db.rows(endless)

    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(count)
        assert started.wait(60)
        ghost.close()
        with pytest.raises(InvalidInputError, match="closed"):
            counting.result()


def test_the_change_log_tells_what_happened_in_order(ghost: Ghost) -> None:
    """Each namespace has its own gapless sequence of changes."""
    one = ghost.put(NS, "k", "one")
    two = ghost.put(NS, "k", "two")
    ghost.put("other", "k", "x")
    ghost.rm(NS, "k")
    with ghost.store.engine.read() as tx:
        assert [line[:3] for line in tx.journal.latest(NS, 10)] == [
            (4, two.id, "remove"),
            (3, two.id, "put"),
            (2, one.id, "supersede"),
            (1, one.id, "put"),
        ]
        assert [line.seq for line in tx.journal.latest(NS, 10, after=3)] == [4]
        assert len(tx.journal.latest("other", 10)) == 1


def test_edges_are_read_from_memory_to_memory(open_ghost: Open) -> None:
    """The edges of a namespace are looked up by their ends, never for every pair of memories."""
    with open_ghost("m.db").store.engine.read() as tx:
        sql = f"EXPLAIN QUERY PLAN SELECT e.rel {tx.graph._live_edges}"
        steps = [row[3] for row in tx.graph._db.rows(sql, ("a", "", ""))]
    assert [step.split()[:2] for step in steps] == [["SEARCH", name] for name in "aeb"]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_no_other_file_is_read_under_the_name_of_an_open_store(
    open_ghost: Open, tmp_path: Path, is_replaced: bool
) -> None:
    """A deleted store is not created again by a read, and another file is not read instead."""
    ghost = open_ghost("m.db")
    ghost.put(NS, "k", "one")
    ghost.store.engine.flush()
    (tmp_path / "m.db").unlink()
    if is_replaced:
        with Ghost.open(tmp_path / "n.db") as other:
            other.put(NS, "k", "of another store")
        (tmp_path / "n.db").rename(tmp_path / "m.db")
    with ThreadPoolExecutor(1) as pool:
        for read in (ghost.list, ghost.admin.check, lambda: list(ghost.export())):
            for run in (read, lambda read=read: pool.submit(read).result()):
                with pytest.raises(EngineError, match="while open"):
                    run()
    assert (tmp_path / "m.db").exists() is is_replaced
