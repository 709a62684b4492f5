"""Bytes of a store that changed on disk: `check` finds them, and what cannot be read is called damaged."""

import random
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from ghostmem import CorruptStoreError, Ghost, GhostError

NS = "agent:a"
Open = Callable[..., Ghost]


def replace_bytes(path: Path, old: bytes, new: bytes) -> None:
    """Change bytes that a file holds once."""
    data = path.read_bytes()
    assert data.count(old) == 1
    path.write_bytes(data.replace(old, new))


@pytest.fixture
def store(open_ghost: Open, tmp_path: Path) -> Path:
    """Return the file of a closed store with a few memories."""
    ghost = open_ghost("m.db")
    for n in range(20):
        ghost.put(NS, f"k{n}", f"Heron number {n} stands in the Water", tags=["bird"])
    ghost.put(NS, "k3", "Heron number three flew away", tags=["bird"])
    ghost.close()
    return tmp_path / "m.db"


def test_a_flipped_byte_in_a_content_is_found(open_ghost: Open, store: Path) -> None:
    """The memory is named, also when it is an older version; a repair does not take the damage for good."""
    replace_bytes(store, b"Heron number 7 stands", b"Heron number 7 stinds")
    replace_bytes(store, b"Heron number 3 stands", b"Heron number 3 stinds")
    ghost = open_ghost("m.db")
    expected = {f"{NS}/k3 v1", f"{NS}/k7 v1"}
    for found in (ghost.admin.check(), ghost.admin.repair(), ghost.admin.check()):
        assert not found.ok
        assert {
            line.split("content of ")[1].split(" differs")[0] for line in found.problems
        } == expected
    ghost.put(NS, "new", "goes on")


def test_a_text_that_is_not_utf8_is_damage(open_ghost: Open, store: Path) -> None:
    """Reading it says that the store is damaged; a check ends and names the memory."""
    replace_bytes(store, b"Heron number 7 stands", b"Heron number 7 st\xffnds")
    ghost = open_ghost("m.db")
    for read in (
        lambda: ghost.get(NS, "k7"),
        lambda: ghost.search("heron number 7", NS),
        lambda: ghost.list(NS, limit=100),
    ):
        with pytest.raises(CorruptStoreError, match="damaged") as caught:
            read()
        assert "backup" in caught.value.hint
    assert ghost.get(NS, "k8").content == "Heron number 8 stands in the Water"
    assert any(
        f"{NS}/k7 v1 differs from its checksum" in line for line in ghost.admin.check().problems
    )


def test_a_value_that_ghost_never_writes_is_damage(open_ghost: Open, store: Path) -> None:
    """A field with an unknown word is found by a check, and reading it is not a crash."""
    db = apsw.Connection(str(store))
    db.execute("UPDATE memories SET kind = 'semintic', created_at = 'soon' WHERE key = 'k7'")
    db.close()
    ghost = open_ghost("m.db")
    with pytest.raises(CorruptStoreError, match="cannot be read"):
        ghost.get(NS, "k7")
    assert "kind of memories cannot be read (rows: 1)" in ghost.admin.check().problems


def test_every_way_of_writing_leaves_checksums(
    open_ghost: Open, tmp_path: Path, store: Path
) -> None:
    """Put, patch, import and notes that are rewritten in place."""
    ghost = open_ghost("m.db")
    lines = list(ghost.export())
    other = open_ghost("other.db")
    other.import_(lines)
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Birds\n\nThe heron is grey.\n")
    other.notes.add(folder, "notes:a")
    (folder / "a.md").write_text("# Birds\n\nThe heron is white.\n")
    other.notes.sync()
    assert other.admin.check().problems == ()
    with other.store.engine.read() as tx:
        assert tx.db.execute("SELECT count(*) FROM memories WHERE checksum IS NULL").get == 0  # type: ignore[attr-defined]


def test_memories_of_an_older_store_get_checksums(open_ghost: Open, store: Path) -> None:
    """The migration computes them, also of a content that is damaged already; a repair those that are missing."""
    db = apsw.Connection(str(store))
    db.execute(
        "DROP INDEX memories_unfinished; ALTER TABLE memories DROP COLUMN checksum;"
        "DELETE FROM migrations WHERE name IN ('0010_checksums', '0017_unfinished')"
    )
    db.close()
    ghost = open_ghost("m.db")
    assert ghost.admin.check().problems == ()
    db = apsw.Connection(str(store))
    assert db.execute("SELECT count(DISTINCT checksum) FROM memories").get == 21
    db.execute("UPDATE memories SET checksum = NULL WHERE key = 'k1'")
    db.close()
    assert ghost.admin.check().problems == ("1 memories without a checksum",)
    assert ghost.admin.repair().ok


def test_random_damage_is_named_and_never_crashes(open_ghost: Open, store: Path) -> None:
    """Whatever bytes are lost: each operation ends, or says that the store is damaged."""
    with open_ghost("m.db") as ghost:
        ghost.graph.link(NS, "k1", "k2", "depends_on")
        ghost.put(NS, "k4", "Heron number 4 eats", files=["a.py"], meta={"seen": 2}, ttl="7d")
    whole = store.read_bytes()
    used = [place for place, byte in enumerate(whole[:-64]) if byte and place >= 4096]
    chance = random.Random(7)
    outcomes: set[str] = set()
    for _ in range(60):
        damaged = bytearray(whole)
        place, size = chance.choice(used), chance.choice([1, 4, 64])
        damaged[place : place + size] = chance.randbytes(size)
        store.write_bytes(damaged)
        outcomes |= {outcome(open_ghost, operation) for operation in OPERATIONS}
    assert outcomes == {"ended", "CorruptStoreError"}


OPERATIONS: tuple[Callable[[Ghost], object], ...] = (
    lambda ghost: ghost.admin.check(),
    lambda ghost: ghost.get(NS, "k7"),
    lambda ghost: ghost.search("heron water", NS),
    lambda ghost: ghost.context("heron water", NS),
    lambda ghost: ghost.list(NS, limit=100),
    lambda ghost: ghost.edges(NS, "k1"),
    lambda ghost: ghost.put(NS, "new", "A stork came"),
    lambda ghost: list(ghost.export()),
    lambda ghost: ghost.history(NS, "k3"),
    lambda ghost: ghost.admin.repair(),
)


def outcome(open_ghost: Open, operation: Callable[[Ghost], object]) -> str:
    """Open the store and use it; return how that ended."""
    try:
        with open_ghost("m.db") as ghost:
            operation(ghost)
    except GhostError as error:
        return type(error).__name__
    return "ended"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memory_edges SET rel = 'conta-ns'",
        "UPDATE memory_files SET rel = 'codified'",
        "UPDATE memories SET created_at = '202p-01-01T00:00:00.000000Z' WHERE key = 'k2'",
        "UPDATE memories SET tags = CAST(x'5b22ff225d' AS TEXT) WHERE key = 'k2'",
        "UPDATE memories SET meta = '[]', tags = '{}' WHERE key = 'k2'",
        "UPDATE reflect_rules SET created_at = 'soon'",
        "UPDATE chunks_fts_config SET v = 0 WHERE k = 'version'",
        "DELETE FROM chunks_tri_data",
    ],
)
def test_a_repair_makes_damaged_fields_and_indexes_usable(
    open_ghost: Open, store: Path, damage: str
) -> None:
    """A check names the damage; after a repair everything can be read, with every text."""
    with open_ghost("m.db") as ghost:
        ghost.graph.link(NS, "k1", "k2", "depends_on")
        ghost.put(NS, "k4", "Heron number 4 eats", files=["a.py"])
    db = apsw.Connection(str(store))
    db.execute(damage)
    db.close()
    ghost = open_ghost("m.db")
    assert not ghost.admin.check().ok
    assert ghost.admin.repair().ok
    assert len(ghost.list(NS, limit=100)) == 20
    assert ghost.search("heron number", NS)
    assert list(ghost.export())
    assert ghost.get(NS, "k2").content.startswith("Heron")


def test_postgres_compares_contents_too(pg_url: str) -> None:
    """The server computes the checksum; a content that changed behind its back is named."""
    import psycopg

    with Ghost.open(pg_url) as ghost:
        ghost.put(NS, "k", "Heron number 7 stands in the Water")
        ghost.put(NS, "k", "Heron number 8 stands in the Water")
        assert ghost.admin.check().ok
        with psycopg.connect(pg_url) as connection:
            connection.execute("ALTER TABLE memories ALTER COLUMN checksum DROP EXPRESSION")
            connection.execute(
                "UPDATE memories SET content = replace(content, 'stands', 'stinds') WHERE version = 1"
            )
        (problem,) = ghost.admin.check().problems
        assert f"the content of {NS}/k v1 differs from its checksum" in problem
