"""Moving a store between engines: nothing is lost, everything is proven, and what cannot be an end is refused."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

import ghostmem
from conftest import Clock
from ghostmem import (
    ConflictError,
    CorruptStoreError,
    EngineError,
    Ghost,
    InvalidInputError,
    NewerStoreError,
    NotFoundError,
    StoreBusyError,
)
from ghostmem.settings import Settings, config_path, read_config
from ghostmem.store.sqlite.copy import SqliteCopy
from ghostmem.store.tables import BY_NAME, DERIVED, LEFT_OUT, TABLES, Row, Table, canonical, tables
from ghostmem.transfer.migrate import Migration, migrate
from whole_store import NS, fill

if TYPE_CHECKING:
    from servers import Databases

STATIC = Settings(embed_provider="static")
NONE = Settings(embed_provider="none")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a store that has something in every table."""
    folder, clock = tmp_path_factory.mktemp("template"), Clock()
    with Ghost.open(folder / "whole.db", settings=STATIC, clock=clock) as ghost:
        fill(ghost, folder / "around", clock.forward)
    return folder / "whole.db"


@pytest.fixture
def whole(template: Path, tmp_path: Path, clock: Clock) -> str:
    """Return the path of a copy of that store, at a time after it was made."""
    clock.forward(days=4)
    return str(shutil.copy(template, tmp_path / "whole.db"))


@pytest.fixture
def ends(
    request: pytest.FixtureRequest, tmp_path: Path, pg_databases: "Databases"
) -> Callable[[str], str]:
    """Return a function that names a new end: a file, a database with tables, or one without."""
    counter = iter(range(100))

    def end(kind: str) -> str:
        return (
            str(tmp_path / f"end-{next(counter)}.db")
            if kind == "file"
            else pg_databases.fresh(empty=kind == "bare")
        )

    return end


def lines(path: str, clock: Clock) -> list[str]:
    """Return the export of a store."""
    with Ghost.open(path, settings=NONE, clock=clock) as ghost:
        return list(ghost.export())


def move(source: str, target: str, **given: object) -> Migration:
    """Migrate without regard to the environment."""
    return migrate(source, target, settings=NONE, **given)  # type: ignore[arg-type]


def test_the_whole_store_has_every_table(whole: str, clock: Clock) -> None:
    """What the tests below move has a row in each table that moves."""
    with Ghost.open(whole, settings=NONE, clock=clock) as ghost, ghost.store.engine.read() as tx:
        assert [
            table.name for table in tables("sqlite", "sqlite") if not tx.copy.counts(table)
        ] == []


def test_every_table_is_described(whole: str, pg_url: str) -> None:
    """Each table of each engine moves, is left out by name, or is an index or ledger; each column moves or is made again."""
    made = {"chunks_fts", "chunks_tri", "migrations", "sqlite_sequence", *DERIVED}
    db = apsw.Connection(whole, flags=apsw.SQLITE_OPEN_READONLY)
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    names = {name for name in names if not name.startswith(("chunks_fts_", "chunks_tri_"))}
    assert names - made - set(LEFT_OUT) == {table.name for table in TABLES if not table.only}
    beside = {"ns", "ns_id", "name", "token", "checksum"}
    for table in tables("sqlite", "sqlite"):
        columns = {row[1] for row in db.execute(f"PRAGMA table_info({table.name})")}
        assert set(table.columns) <= columns
        assert columns - set(table.columns) <= beside, table.name
    db.close()
    import psycopg

    with psycopg.connect(pg_url) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name, is_generated FROM information_schema.columns WHERE table_schema = 'public'"
        ).fetchall()
    assert {name for name, *_ in rows} - {"migrations", *DERIVED} - set(LEFT_OUT) == set(BY_NAME)
    for table in TABLES:
        columns = {
            column
            for name, column, generated in rows
            if name == table.name and generated == "NEVER"
        }
        assert columns - set(table.columns) <= {"ns", "plain", "codes"}, table.name


@pytest.mark.parametrize(
    "way",
    ["postgres", "bare", "file", "postgres postgres", "postgres file", "postgres file postgres"],
)
def test_everything_moves(whole: str, ends: Callable[[str], str], clock: Clock, way: str) -> None:
    """Whatever the way, the export is the same bytes, the log is whole, the check is clean and the checksums are the same."""
    before, store = lines(whole, clock), whole
    sums: set[tuple[str, ...]] = set()
    for kind in way.split():
        target = ends(kind)
        done = move(store, target, clock=clock)
        sums.add(tuple(f"{one.ns} {one.rows} {one.checksum}" for one in done.namespaces))
        store = target
    assert len(sums) == 1
    assert lines(store, clock) == before
    with (
        Ghost.open(whole, settings=NONE, clock=clock) as old,
        Ghost.open(store, settings=NONE, clock=clock) as new,
    ):
        assert new.admin.check().problems == ()
        assert new.admin.verify_log().ok
        assert new.admin.verify_log().head == old.admin.verify_log().head
        assert new.admin.verify_log(head=old.admin.verify_log().head).ok
        assert [rule.to_dict() for rule in new.lifecycle.rules()] == [
            rule.to_dict() for rule in old.lifecycle.rules()
        ]
        assert [token.to_dict() for token in new.admin.tokens()] == [
            token.to_dict() for token in old.admin.tokens()
        ]
        assert [run.to_dict() for run in new.lifecycle.runs()] == [
            run.to_dict() for run in old.lifecycle.runs()
        ]
        with old.store.engine.read() as ours, new.store.engine.read() as theirs:
            assert theirs.copy.counters() == ours.copy.counters()


def test_answers_are_the_same_afterwards(
    whole: str, ends: Callable[[str], str], clock: Clock
) -> None:
    """Search by words, by substrings and by vectors, and context, answer alike on the other engine, and back again."""
    there, back = ends("postgres"), ends("file")
    move(whole, there)
    move(there, back)
    answers, at = [], clock.at
    for path in (whole, there, back):
        clock.at = at
        with Ghost.open(path, settings=STATIC, clock=clock) as ghost:
            hits = [
                [(hit.key, round(hit.score, 6)) for hit in ghost.search(query, ns=ns)]
                for query, ns in (
                    ("white tea", NS),
                    ("壺", NS),
                    ("deploy node 49", NS),
                    ("postgres", None),
                    ("second note", None),
                )
            ]
            packed = ghost.context("how does the user take tea", ns=NS, budget=600)
            answers.append((hits, packed.to_dict()))
    assert answers[0] == answers[1] == answers[2]


def test_the_new_store_goes_on(whole: str, ends: Callable[[str], str], clock: Clock) -> None:
    """New chunks, folders and namespaces get numbers that were never given, and the log's chain goes on."""
    target = ends("postgres")
    move(whole, target)
    with Ghost.open(target, settings=STATIC, clock=clock) as ghost:
        ghost.put(NS, "tea", "The user drinks black tea.")
        ghost.put("agent:new", "first", "a first memory")
        ghost.rm(NS, "long", hard=True)
        assert ghost.admin.check().problems == ()
        assert ghost.admin.verify_log().ok
    back = ends("file")
    move(target, back)
    with Ghost.open(back, settings=STATIC, clock=clock) as ghost:
        ghost.put(NS, "tea", "The user drinks no tea.")
        ghost.put("agent:newest", "first", "a first memory")
        assert ghost.admin.check().problems == ()
        assert ghost.admin.verify_log().ok
        assert [one.version for one in ghost.history(NS, "tea")] == [1, 2, 3, 4]


def test_checksums_are_what_both_hold(whole: str, ends: Callable[[str], str], clock: Clock) -> None:
    """The report's checksum of a table is the digest of the rows that the target has."""
    target = ends("postgres")
    done = move(whole, target)
    with Ghost.open(target, settings=NONE, clock=clock) as ghost, ghost.store.engine.read() as tx:
        for sums in done.namespaces:
            for part in sums.tables:
                entries = tx.copy.rows(BY_NAME[part.table])
                rows = [canonical(row) + b"\n" for ns, row in entries if ns == sums.ns]
                assert part.checksum == sha256(b"".join(rows)).hexdigest()
                assert part.rows == len(rows)


@pytest.mark.parametrize("way", ["file postgres", "postgres file"])
def test_writers_wait_until_the_move_is_finished(
    whole: str, ends: Callable[[str], str], clock: Clock, way: str
) -> None:
    """While a store is moved it can be read, a put waits, and afterwards it is in the source alone."""
    source, target = (ends(kind) for kind in way.split())
    move(whole, source)
    before, late = lines(source, clock), list[threading.Thread]()
    with Ghost.open(source, settings=NONE, clock=clock) as writer:

        def interfere(_phase: str, done: int, total: int) -> None:
            if not late:
                assert writer.get(NS, "tea")
                thread = threading.Thread(target=writer.put, args=(NS, "late", "came late"))
                late.append(thread)
                thread.start()
            assert late[0].is_alive()

        move(source, target, progress=interfere)
        late[0].join(30)
        assert writer.get(NS, "late").content == "came late"
    assert lines(target, clock) == before


@pytest.mark.parametrize("kind", ["file", "postgres"])
def test_an_interrupted_move_leaves_the_target_empty(
    whole: str, ends: Callable[[str], str], clock: Clock, kind: str
) -> None:
    """Nothing is in the target until everything is; the same move again starts anew."""
    target = ends(kind)

    def stop(_phase: str, done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move(whole, target, progress=stop)
    with Ghost.open(target, settings=NONE, clock=clock) as ghost:
        assert len(list(ghost.export())) == 1  # the header
        assert ghost.admin.check().problems == ()
    assert not move(whole, target).resumed
    assert lines(target, clock) == lines(whole, clock)


def test_two_runs_never_mix(whole: str, ends: Callable[[str], str], clock: Clock) -> None:
    """A second move of the same source waits for the first one, and gives up in time."""
    target, errors = ends("postgres"), list[StoreBusyError]()

    def again(*_: object) -> None:
        if not errors:
            with pytest.raises(StoreBusyError) as caught:
                migrate(whole, target, settings=Settings(embed_provider="none", busy_timeout=0.2))
            errors.append(caught.value)

    move(whole, target, progress=again)
    assert lines(target, clock) == lines(whole, clock)


def test_rows_that_arrive_changed_are_noticed(
    whole: str, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target whose checksums differ stays empty, and the configuration stays."""
    target, write = str(tmp_path / "new.db"), SqliteCopy.write

    def lossy(copy: SqliteCopy, table: Table, ns: str, rows: Sequence[Row]) -> None:
        write(copy, table, ns, rows[1:] if table.name == "memory_edges" else rows)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteCopy, "write", lossy)
        with pytest.raises(CorruptStoreError, match="differs from the source in memory_edges"):
            move(whole, target, switch=True)
    assert "db" not in read_config(config_path())
    assert len(lines(target, clock)) == 1
    move(whole, target)
    assert lines(target, clock) == lines(whole, clock)


def test_an_unfinished_target_of_an_older_ghost_is_refused(whole: str, tmp_path: Path) -> None:
    """A target that Ghost 0.15 filled in many transactions may have a part of the rows."""
    target = str(tmp_path / "new.db")
    move(whole, target)
    with closing(apsw.Connection(target)) as db:
        db.execute("INSERT INTO migrations VALUES ('unfinished-move', '2026-01-01', 'source')")
    for use in (lambda: Ghost.open(target, settings=NONE), lambda: move(whole, target)):
        with pytest.raises(EngineError, match="did not finish") as caught:
            use()
        assert "run that `ghost migrate` again" in caught.value.hint


@pytest.mark.parametrize("way", ["file file", "file postgres", "postgres file"])
def test_a_move_killed_before_it_named_the_target_is_ended(
    whole: str, ends: Callable[[str], str], clock: Clock, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The target is ready and the configuration does not name it: the same call sees that, proves it, and ends the switch."""
    source, target = (ends(kind) for kind in way.split())
    move(whole, source)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("ghostmem.transfer.migrate.write_config", killed)
        with pytest.raises(KeyboardInterrupt):
            move(source, target, switch=True)
    assert "db" not in read_config(config_path())
    assert move(source, target, dry_run=True).resumed
    assert "db" not in read_config(config_path())
    done = move(source, target, switch=True)
    assert (done.resumed, done.switched) == (True, config_path())
    assert read_config(config_path())["db"] == target
    assert [one.checksum for one in done.namespaces] == [
        one.checksum for one in move(source, target).namespaces
    ]
    assert lines(target, clock) == lines(source, clock)


@pytest.mark.parametrize("kind", ["file", "postgres"])
def test_a_finished_target_that_went_its_own_way_is_refused(
    whole: str, ends: Callable[[str], str], clock: Clock, kind: str
) -> None:
    """Once one of the two has been used, in whatever way, a move to it would mix two stores."""
    target = ends(kind)
    move(whole, target)
    with Ghost.open(target, settings=NONE, clock=clock) as ghost:
        ghost.admin.create_token("mine", ["*:read"])
    for dry_run in (True, False):
        with pytest.raises(ConflictError, match="not empty"):
            move(whole, target, switch=True, dry_run=dry_run)
    assert "db" not in read_config(config_path())
    with Ghost.open(target, settings=NONE, clock=clock) as ghost:
        ghost.admin.revoke_token("mine")
        assert [token.name for token in ghost.admin.tokens()].count("mine") == 1


def test_a_target_must_be_empty(
    whole: str, ends: Callable[[str], str], tmp_path: Path, clock: Clock
) -> None:
    """A store that holds something is left as it is."""
    for kind in ("file", "postgres"):
        filled = ends(kind)
        with Ghost.open(filled, settings=NONE) as ghost:
            ghost.put("a", "k", "text")
        with pytest.raises(ConflictError, match="not empty"):
            move(whole, filled)
        with pytest.raises(ConflictError, match="not empty"):
            move(whole, filled, dry_run=True)
        with Ghost.open(filled, settings=NONE) as ghost:
            assert ghost.get("a", "k").content == "text"
    ruled = ends("file")
    with Ghost.open(ruled, settings=NONE) as ghost:
        ghost.lifecycle.set_rule(
            "mine", "PROMOTE", ns="a", tier="stm", action_params={"to_tier": "ltm"}
        )
    with pytest.raises(ConflictError, match="not empty"):
        move(whole, ruled)


def test_what_cannot_be_an_end_is_refused(whole: str, tmp_path: Path) -> None:
    """Stores in memory, the same store twice, missing and foreign ones: each has its sentence, and nothing is made."""
    target = str(tmp_path / "new.db")
    for source, to, error in (
        (":memory:", target, InvalidInputError),
        (whole, ":memory:", InvalidInputError),
        (whole, whole, InvalidInputError),
        (whole, f"{Path(whole).parent}/./whole.db", InvalidInputError),
        ("", target, InvalidInputError),
        (whole, "mysql://root:secret@host/x", InvalidInputError),
        (str(tmp_path / "none.db"), target, NotFoundError),
    ):
        with pytest.raises(error) as caught:
            move(source, to)
        assert "secret" not in str(caught.value) + caught.value.hint
        assert caught.value.hint
    text = tmp_path / "text.db"
    text.write_text("no database")
    with pytest.raises(EngineError):
        move(str(text), target)
    assert not Path(target).exists()


@pytest.mark.parametrize("option", ["switch", "dry_run"])
def test_a_text_is_neither_true_nor_false(whole: str, tmp_path: Path, option: str) -> None:
    """The text "false" would count as true."""
    with pytest.raises(InvalidInputError, match=option):
        move(whole, str(tmp_path / "new.db"), **{option: "false"})
    assert not (tmp_path / "new.db").exists()


def test_a_newer_store_is_refused(whole: str, tmp_path: Path) -> None:
    """What a newer Ghost wrote may hold what this one does not know."""
    db = apsw.Connection(whole)
    db.execute("INSERT INTO migrations VALUES ('9999_future', '2030-01-01T00:00:00.000000Z', '9')")
    db.close()
    with pytest.raises(NewerStoreError):
        move(whole, str(tmp_path / "new.db"))


def test_edges_across_namespaces_are_refused(whole: str, pg_url: str) -> None:
    """A row that PostgreSQL's keys do not allow is named before anything moves."""
    db = apsw.Connection(whole)
    here, there = (
        db.execute("SELECT id FROM memories WHERE ns = ? LIMIT 1", (ns,)).get
        for ns in (NS, "agent:other")
    )
    db.execute(
        "INSERT INTO memory_edges (from_id, to_id, rel, created_at) VALUES (?, ?, 'relates_to', 'x')",
        (here, there),
    )
    db.close()
    with pytest.raises(EngineError, match="two namespaces") as caught:
        move(whole, pg_url)
    assert "repair" in caught.value.hint


def test_nul_is_named(whole: str, pg_url: str) -> None:
    """A character that PostgreSQL cannot hold stops the move with the namespace and the key."""
    db = apsw.Connection(whole)
    db.execute("UPDATE memories SET content = 'a' || char(0) || 'b' WHERE key = 'pot'")
    db.close()
    with pytest.raises(InvalidInputError, match=f"{NS}/pot.*NUL"):
        move(whole, pg_url)


def test_dry_run_counts_and_makes_nothing(
    whole: str, tmp_path: Path, ends: Callable[[str], str]
) -> None:
    """A dry run says how many rows there are where, and makes neither a file nor a table."""
    target = tmp_path / "new.db"
    done = move(whole, str(target), dry_run=True)
    assert done.dry_run
    assert done.rows == move(whole, str(target)).rows
    assert done.source_bytes > 0
    bare = ends("bare")
    move(whole, bare, dry_run=True)
    import psycopg

    with psycopg.connect(bare) as connection:
        assert connection.execute("SELECT to_regclass('memories')").fetchone() == (None,)


def test_a_read_only_source_can_be_moved(whole: str, tmp_path: Path, clock: Clock) -> None:
    """A store that nobody can write is copied as it is."""
    before = lines(whole, clock)
    Path(whole).chmod(0o400)
    try:
        move(whole, str(tmp_path / "new.db"))
    finally:
        Path(whole).chmod(0o600)
    assert lines(str(tmp_path / "new.db"), clock) == before


def test_it_is_in_the_library(whole: str, tmp_path: Path) -> None:
    """The package has it as a function, and its report is plain data."""
    done = ghostmem.migrate(whole, str(tmp_path / "new.db"), settings=NONE)
    assert isinstance(done, ghostmem.Migration)
    assert json.loads(json.dumps(done.to_dict()))["rows"] == done.rows


@pytest.fixture
def many(tmp_path: Path, clock: Clock) -> str:
    """Return a store with more rows than one batch, in several namespaces."""
    path = str(tmp_path / "many.db")
    with Ghost.open(path, settings=NONE, clock=clock) as ghost:
        ghost.import_(_many(1700))
    return path


def _many(count: int) -> Iterator[str]:
    yield json.dumps({"type": "ghost", "format": 1})
    for number in range(count):
        at = f"2026-01-01T00:00:{number % 60:02d}.{number:06d}Z"
        memory = {
            "type": "memory",
            "id": f"{number:026d}",
            "ns": f"agent:{number % 2}",
            "key": f"k{number:05d}",
        }
        yield json.dumps(
            {
                **memory,
                "content": f"memory {number}",
                "kind": "semantic",
                "version": 1,
                "created_at": at,
            }
        )


def test_more_than_a_batch(many: str, ends: Callable[[str], str], clock: Clock) -> None:
    """Rows are read and written in batches, without a gap or an overlap at their borders."""
    there, back = ends("postgres"), ends("file")
    first, second = move(many, there), move(there, back)
    assert [one.to_dict() for one in first.namespaces] == [
        one.to_dict() for one in second.namespaces
    ]
    assert lines(back, clock) == lines(many, clock)
