"""Moving a store between engines: nothing is lost, everything is proven, and what cannot be an end is refused."""

import json
import shutil
from collections.abc import Callable, Iterator
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
)
from ghostmem.settings import Settings, config_path, read_config
from ghostmem.store.tables import BY_NAME, DERIVED, LEFT_OUT, TABLES, digest, tables
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
        assert new.check().problems == ()
        assert new.verify_log().ok
        assert new.verify_log().head == old.verify_log().head
        assert new.verify_log(old.verify_log().head).ok
        assert [rule.to_dict() for rule in new.rules()] == [rule.to_dict() for rule in old.rules()]
        assert [token.to_dict() for token in new.tokens()] == [
            token.to_dict() for token in old.tokens()
        ]
        assert [run.to_dict() for run in new.runs()] == [run.to_dict() for run in old.runs()]
        with old.store.engine.read() as ours, new.store.engine.read() as theirs:
            assert theirs.move.get() is None
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
        assert ghost.check().problems == ()
        assert ghost.verify_log().ok
    back = ends("file")
    move(target, back)
    with Ghost.open(back, settings=STATIC, clock=clock) as ghost:
        ghost.put(NS, "tea", "The user drinks no tea.")
        ghost.put("agent:newest", "first", "a first memory")
        assert ghost.check().problems == ()
        assert ghost.verify_log().ok
        assert [one.version for one in ghost.history(NS, "tea")] == [1, 2, 3, 4]


def test_checksums_are_what_both_hold(whole: str, ends: Callable[[str], str], clock: Clock) -> None:
    """The report's checksum of a table is the digest of the rows that the target has."""
    target = ends("postgres")
    done = move(whole, target)
    with Ghost.open(target, settings=NONE, clock=clock) as ghost, ghost.store.engine.read() as tx:
        for one in done.namespaces:
            for part in one.tables:
                rows = tx.copy.rows(BY_NAME[part.table], one.ns)
                assert (part.rows, part.checksum) == (len(rows), digest(rows))


@pytest.mark.parametrize("way", ["file postgres", "postgres file"])
def test_writes_during_the_move_come_over(
    whole: str, ends: Callable[[str], str], clock: Clock, way: str
) -> None:
    """Whatever happens in the source while it is moved is in the target: logged or only counted, new, changed or deleted."""
    source, target = ends(way.split()[0]), ends(way.split()[1])
    move(whole, source)
    seen: list[str] = []
    with Ghost.open(source, settings=STATIC, clock=clock) as writer:

        def interfere(what: str, done: int, total: int) -> None:
            if what in seen or what == "verifying" or (done < total and what != "switching"):
                return  # what happens after the switch stays in the source
            seen.append(what)
            number = len(seen)
            writer.put(NS, "tea", f"The user drinks tea number {number}.")
            writer.put(
                "agent:late", f"key-{number}", f"came while {what}", source_scope=f"chat-{number}"
            )
            writer.edge(NS, "tea", "about", "refines", 0.3)
            writer.search("tea postgres deploy", ns=NS)
            writer.used(NS, ["about"])
            if what == "copying":
                writer.rm(NS, "long", hard=True)
                writer.put("agent:short", "x", "a namespace that comes and goes")
            if what == "comparing":
                writer.rm_namespace("agent:short", hard=True)
                writer.rm("agent:other", "tea")
                writer.create_token("late", ["*:read"])
                writer.set_rule(
                    "late", "PROMOTE", ns=NS, tier="stm", action_params={"to_tier": "ltm"}
                )
                writer.repair()

        done = move(source, target, progress=interfere)
        assert seen == ["copying", "catching up", "comparing", "switching"]
        assert done.caught_up > 0
        expected = list(writer.export())
    assert lines(target, clock) == expected
    with Ghost.open(target, settings=NONE, clock=clock) as ghost:
        assert ghost.check().problems == ()
        assert ghost.verify_log().ok


@pytest.mark.parametrize("kind", ["file", "postgres"])
def test_an_unfinished_target_refuses_ordinary_use(
    whole: str, ends: Callable[[str], str], clock: Clock, kind: str
) -> None:
    """Until a move is done, opening the target is one clear error; the same move again goes on and ends it."""
    target = ends(kind)

    def stop(what: str, done: int, total: int) -> None:
        if what == "comparing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move(whole, target, progress=stop)
    with pytest.raises(EngineError, match="has not finished") as caught:
        Ghost.open(target, settings=NONE)
    assert "ghost migrate --from" in caught.value.hint
    assert move(whole, target, dry_run=True).resumed
    assert move(whole, target).resumed
    assert lines(target, clock) == lines(whole, clock)


def test_a_second_run_takes_over(whole: str, ends: Callable[[str], str], clock: Clock) -> None:
    """Two runs into one target never mix: the later one goes on, the earlier one stops with a clear error."""
    target, inner = ends("postgres"), []

    def again(what: str, done: int, total: int) -> None:
        if what == "copying" and not inner:
            inner.append(move(whole, target))

    with pytest.raises(ConflictError, match="took over"):
        move(whole, target, progress=again)
    assert lines(target, clock) == lines(whole, clock)


def test_what_somebody_else_wrote_is_noticed(
    whole: str, ends: Callable[[str], str], clock: Clock, tmp_path: Path
) -> None:
    """A target that another program changed meanwhile is not used; the configuration stays, and the next run mends it."""
    import psycopg

    target = ends("postgres")

    def meddle(what: str, *_: int) -> None:
        if what == "switching":
            with psycopg.connect(target) as connection:
                connection.execute(
                    "UPDATE memories SET content = 'something else' WHERE key = 'pot'"
                )

    with pytest.raises(CorruptStoreError, match=f"differs from the source in memories of {NS}"):
        move(whole, target, progress=meddle, switch=True)
    assert read_config(config_path())["db"] == whole
    with pytest.raises(EngineError, match="has not finished"):
        Ghost.open(target, settings=NONE)
    assert move(whole, target).resumed
    assert lines(target, clock) == lines(whole, clock)


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
    assert (done.resumed, done.switched, done.differed) == (True, config_path(), 0)
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
        ghost.create_token("mine", ["*:read"])
    for dry_run in (True, False):
        with pytest.raises(ConflictError, match="not empty"):
            move(whole, target, switch=True, dry_run=dry_run)
    assert "db" not in read_config(config_path())
    with Ghost.open(target, settings=NONE, clock=clock) as ghost:
        ghost.revoke_token("mine")
        assert [token.name for token in ghost.tokens()].count("mine") == 1


@pytest.mark.parametrize("how", ["a put", "a token", "a count"])
def test_a_write_between_the_proof_and_the_switch_is_not_lost(
    whole: str, ends: Callable[[str], str], clock: Clock, how: str
) -> None:
    """What happens while a finished target is proven again is in the source alone: the target is not named."""
    target = ends("file")
    move(whole, target)
    with Ghost.open(whole, settings=NONE, clock=clock) as writer:

        def interfere(what: str, done: int, total: int) -> None:
            if (what, done) == ("verifying", total):
                writes = {
                    "a put": lambda: writer.put("agent:late", "late", "came late"),
                    "a token": lambda: writer.revoke_token("there"),
                    "a count": lambda: writer.used(NS, ["tea"]),
                }
                writes[how]()

        with pytest.raises(ConflictError, match="not empty"):
            move(whole, target, switch=True, progress=interfere)
    assert "db" not in read_config(config_path())


def test_a_target_must_be_empty_or_of_the_same_source(
    whole: str, ends: Callable[[str], str], tmp_path: Path, clock: Clock
) -> None:
    """A store that holds something, or that is being filled from elsewhere, is left as it is."""
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
        ghost.set_rule("mine", "PROMOTE", ns="a", tier="stm", action_params={"to_tier": "ltm"})
    with pytest.raises(ConflictError, match="not empty"):
        move(whole, ruled)
    other, target = ends("file"), ends("postgres")
    Ghost.open(other, settings=NONE).close()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move(other, target, progress=stop)
    with pytest.raises(ConflictError, match="is being filled from"):
        move(whole, target)


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
