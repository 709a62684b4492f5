"""Hard deletes: no byte is left in the store's files, everything else stays, and what still holds it is named"""

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost, NotFoundError
from ghostmem.model import Alias, Held
from ghostmem.settings import Settings
from ghostmem.store.sqlite.scrub import READING, WRITING, owed

OPEN = Callable[..., Ghost]
COMMON = "the house on the hill has a red door and a long garden with apple trees where the children play in summer".split()


class Secrets:
    """Random words that stand nowhere else, and every part of them that must be gone."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.parts: set[bytes] = set()

    def word(self, length: int = 14) -> str:
        """Return a word of rare letters; no six in a row may be left."""
        made = "".join(self.rng.choices("bcdfghjklmnpqrstvwxz", k=length))
        self.parts |= {made[at : at + 6].encode() for at in range(length - 5)}
        return made

    def chinese(self, length: int = 6) -> str:
        """Return rare Chinese characters; no two in a row may be left."""
        made = "".join(chr(self.rng.randrange(0x8D00, 0x9F00)) for _ in range(length))
        self.parts |= {made[at : at + 2].encode() for at in range(length - 1)}
        return made

    def left(self, folder: Path, names: str = "memory.db*") -> list[tuple[str, bytes]]:
        """Return which parts are in which files."""
        found = []
        for path in sorted(folder.glob(names)):
            data = path.read_bytes()
            found += [(path.name, part) for part in sorted(self.parts) if part in data]
        return found


def fill(ghost: Ghost, ns: str = "a") -> None:
    """Store memories of no concern, one with several versions."""
    for number in range(40):
        ghost.put(
            ns,
            f"plain-{number}",
            " ".join(COMMON[number % 7 : number % 7 + 12]) + f" number {number}",
            tags=["house"],
        )
    for number in range(3):
        ghost.put(ns, "plain-0", f"the house has {number} doors")


def poison(ghost: Ghost, secrets: Secrets, ns: str = "b", **fields: Any) -> str:
    """Store a memory of which everything is secret, with all that can hang on one, and return its key."""
    word, key = secrets.word, secrets.word(20)
    for size in (5, 600, 40):
        words = [
            word() if number % 20 == 0 else self_made(secrets, number) for number in range(size)
        ]
        ghost.put(ns, key, f"{' '.join(words)} {secrets.chinese()}\n\n{word()}ing", tags=[word()], meta={word(): word()},
                  files=[f"src/{word()}.py"], source_user=word(), source_scope=word(), **fields)  # fmt: skip
    other = word(20)
    ghost.put(ns, other, f"{word()} {word()}", **fields)
    ghost.edge(ns, key, other, "depends_on")
    ghost.consolidate(ns, f"{word()}-all", f"{word()} in short", [key, other])
    with ghost.store.engine.write() as tx:
        last = tx.memories.last(ns, key)
        assert last is not None
        tx.aliases.add(last.id, Alias(f"{word()} said anew", ghost.store.clock(), word()))
        tx.graph.note_inference(
            last.id, tx.memories.last(ns, other).id, word(), word(), ghost.store.clock()
        )  # type: ignore[union-attr]
        tx.memories.touch([last], ghost.store.clock(), used=True)
    ghost.reflect(ns)
    return key


def self_made(secrets: Secrets, number: int) -> str:
    """Return a word of no concern."""
    return COMMON[number % len(COMMON)]


def vectors(ghost: Ghost, secrets: Secrets, ns: str) -> None:
    """Add the vectors of a namespace to what must be gone."""
    with ghost.store.engine.read() as tx:
        db = tx.db  # type: ignore[attr-defined]
        rows = db.execute(
            "SELECT v.vector FROM vectors v JOIN namespaces n ON n.id = v.ns_id WHERE n.name = ? ORDER BY chunk_id",
            (ns,),
        ).fetchall()
    assert rows
    secrets.parts |= {vector[at : at + 16] for (vector,) in rows for at in (0, 64, 128, 400)}


def everything(ghost: Ghost, ns: str = "a") -> list[str]:
    """Return all that a namespace holds."""
    return list(ghost.export(ns))[1:]  # the first line says when


def drop_all(ghost: Ghost, ns: str = "b") -> list[Any]:
    """Delete every key of a namespace for good, one by one."""
    keys = {memory.key for memory in ghost.list(ns, limit=100)} | {
        memory.key for memory in ghost.list(ns, limit=100)
    }
    return [ghost.rm(ns, key, hard=True, all_versions=True) for key in sorted(keys)]


def expire(ghost: Ghost, clock: Any) -> None:
    """Let time pass and collect."""
    clock.forward(days=2)
    ghost.lifecycle.gc()


WAYS: dict[str, Callable[[Ghost, Any], Any]] = {
    "rm": lambda ghost, clock: drop_all(ghost),
    "ns rm": lambda ghost, clock: ghost.admin.rm_namespace("b", hard=True),
    "expiry": expire,
    "purge": lambda ghost, clock: (
        ghost.admin.rm_namespace("b"),
        ghost.lifecycle.gc(purge_deleted="all"),
    ),
    "forget": lambda ghost, clock: ghost.forget(source_kind="peer", hard=True),
}


@pytest.mark.wide(keep=1)
@pytest.mark.parametrize("provider", ["none", "static"])
@pytest.mark.parametrize("way", WAYS)
def test_no_byte_is_left(
    open_ghost: OPEN, clock: Any, tmp_path: Path, way: str, provider: str
) -> None:
    """Words, their stems and parts, keys, tags, meta, files, scopes, wordings and vectors are in no file of the store."""
    secrets = Secrets(sum(map(ord, way)))
    ghost = open_ghost(embed_provider=provider, synchronous="normal")
    fill(ghost)
    fields: dict[str, Any] = {"expiry": {"ttl": "1d"}, "forget": {"source_kind": "peer"}}.get(
        way, {}
    )
    for _ in range(2):
        poison(ghost, secrets, **fields)
        ghost.put("a", "plain-1", f"the house again {ghost.store.clock()}")
    if provider == "static":
        vectors(ghost, secrets, "b")
    if way == "expiry":  # a summary and a version do not take a life span over
        for memory in ghost.list("b", limit=100):
            ghost.put("b", memory.key, memory.content, ttl="1d")
    order = [hit.memory.key for hit in ghost.search("red door garden", "a", limit=20)]
    before = everything(ghost)
    assert secrets.left(tmp_path)
    WAYS[way](ghost, clock)
    assert secrets.left(tmp_path) == []
    assert ghost.list("b", limit=100) == []
    assert everything(ghost) == before
    assert [hit.memory.key for hit in ghost.search("red door garden", "a", limit=20)] == order
    assert ghost.admin.check().problems == ()
    assert ghost.admin.verify_log().ok
    ghost.close()
    assert secrets.left(tmp_path) == []


@pytest.mark.wide
@pytest.mark.parametrize("seed", range(2))
def test_churn_leaves_no_copies_in_the_gaps_of_pages(
    open_ghost: OPEN, tmp_path: Path, seed: int
) -> None:
    """Rows that moved between pages before they were deleted left copies there, which SQLite's secure_delete does not see."""
    secrets, rng = Secrets(seed), random.Random(seed)
    ghost = open_ghost(synchronous="normal")
    keys: list[str] = []
    for number in range(500):
        words = " ".join(rng.choices(COMMON, k=rng.choice([2, 30, 30, 400])))
        if rng.random() < 0.4:
            keys.append(secrets.word(12))
            ghost.put("a", keys[-1], f"{secrets.word()} {words}")
        elif keys and rng.random() < 0.3:
            ghost.put("a", rng.choice(keys), f"{secrets.word()} {words}")
        else:
            ghost.put("a", f"k{rng.randrange(60)}", f"{words} {number}")
    for key in keys:
        ghost.rm("a", key)
    ghost.lifecycle.gc(purge_deleted="all")
    assert secrets.left(tmp_path) == []
    assert ghost.admin.check().problems == ()


def test_a_soft_delete_keeps_the_text(open_ghost: OPEN, tmp_path: Path) -> None:
    """That is what soft means; and replacing a text keeps the old version."""
    secrets = Secrets(5)
    ghost = open_ghost()
    ghost.put("a", "k", secrets.word())
    ghost.put("a", "k", "other words")
    ghost.rm("a", "k")
    ghost.lifecycle.gc(vacuum=True)
    assert secrets.left(tmp_path)
    assert ghost.rm("a", "k", hard=True, all_versions=True).versions == 2
    assert secrets.left(tmp_path) == []


def test_only_the_latest_version_goes_unless_all(open_ghost: OPEN, tmp_path: Path) -> None:
    """`rm --hard` deletes the bytes of the latest version and keeps those before."""
    old, new = Secrets(6), Secrets(7)
    ghost = open_ghost()
    ghost.put("a", "k", old.word())
    ghost.put("a", "k", new.word())
    ghost.rm("a", "k", hard=True)
    assert (bool(old.left(tmp_path)), new.left(tmp_path)) == (True, [])


def test_a_dry_run_deletes_nothing(open_ghost: OPEN, tmp_path: Path) -> None:
    """A dry run of a hard delete leaves every byte, and nothing is owed."""
    secrets = Secrets(8)
    ghost = open_ghost()
    ghost.put("a", "k", secrets.word())
    assert ghost.rm("a", "k", hard=True, dry_run=True).pending == ""
    assert ghost.get("a", "k").version == 1
    assert secrets.left(tmp_path)
    with ghost.store.engine.read() as tx:
        assert owed(tx.db) == 0  # type: ignore[attr-defined]


def test_quarantine_dropped_leaves_no_byte(open_ghost: OPEN, tmp_path: Path) -> None:
    """What was held in quarantine goes to the last byte too."""
    secrets = Secrets(9)
    ghost = open_ghost()
    fill(ghost)
    held = Held(
        "01HELD00000000000000000000",
        "a",
        secrets.word(),
        secrets.word(),
        {"source_user": secrets.word()},
        (),
        ghost.store.clock(),
    )
    with ghost.store.engine.write() as tx:
        tx.quarantine.add(held)
    assert secrets.left(tmp_path)
    with ghost.store.engine.write() as tx:
        tx.quarantine.drop(held.id)
        tx.owe_scrub()
    assert ghost.store.engine.scrub() == ""
    assert secrets.left(tmp_path) == []


READER = """
import sys, apsw
db = apsw.Connection(sys.argv[1])
db.execute("BEGIN"); db.execute("SELECT count(*) FROM memories").fetchall()
print("reading", flush=True)
sys.stdin.readline()
db.execute("COMMIT")
"""


@pytest.mark.parametrize(("begin", "said"), [("BEGIN", READING), ("BEGIN IMMEDIATE", WRITING)])
def test_another_process_is_named_and_gc_finishes(
    open_ghost: OPEN, tmp_path: Path, begin: str, said: str
) -> None:
    """A reader keeps the log alive: the result says so, and a later collection finishes without being told what."""
    secrets = Secrets(10)
    ghost = open_ghost(busy_timeout=0.2)
    fill(ghost)
    ghost.put("a", "k", secrets.word())
    if begin == "BEGIN IMMEDIATE":  # a writer comes right after the delete
        with ghost.store.engine.write() as tx:
            doomed = tx.memories.history("a", "k")
            tx.index.remove(doomed[0])
            tx.memories.delete(doomed, ghost.store.clock())
            tx.owe_scrub()
    script = READER.replace("BEGIN", begin)
    with subprocess.Popen(
        [sys.executable, "-c", script, tmp_path / "memory.db"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"reading\n"
        pending = (
            ghost.store.engine.scrub()
            if begin == "BEGIN IMMEDIATE"
            else ghost.rm("a", "k", hard=True).pending
        )
        assert pending == said
        assert "ghost gc --vacuum" in pending
        with pytest.raises(NotFoundError):
            ghost.get("a", "k")
        other.communicate(b"\n")
    assert ghost.lifecycle.gc().pending == ""
    assert secrets.left(tmp_path) == []
    assert ghost.admin.check().problems == ()


KILLED = """
import os, signal, sys, apsw
from ghostmem import Ghost
left = [int(sys.argv[2])]
def hook(db):
    def trace(cursor, sql, values):
        if armed and not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= armed
        return True
    db.exec_trace = trace
armed = 0
apsw.connection_hooks.append(hook)
ghost = Ghost.open(sys.argv[1], embedder="none")
armed = 1
ghost.rm("b", "k", hard=True, all_versions=True)
print(left[0])
"""


@pytest.mark.process
def test_killed_in_the_middle_it_is_there_or_can_be_finished(tmp_path: Path, clock: Any) -> None:
    """Whichever statement was the last, the memory is whole, or a second rm or gc leaves no byte of it."""
    secrets = Secrets(11)
    template = tmp_path / "template.db"
    with Ghost.open(template, settings=Settings(embed_provider="none"), clock=clock) as ghost:
        fill(ghost)
        ghost.put("b", "k", " ".join(secrets.word() for _ in range(30)))
        ghost.put("b", "k", " ".join(secrets.word() for _ in range(30)))

    def run(steps: int) -> tuple[Path, "subprocess.CompletedProcess[str]"]:
        folder = tmp_path / str(steps)
        folder.mkdir()
        path = folder / "memory.db"
        path.write_bytes(template.read_bytes())
        done = subprocess.run(
            [sys.executable, "-c", KILLED, path, str(steps)],
            capture_output=True,
            text=True,
            check=False,
        )
        return folder, done

    _, whole = run(10_000)
    total = 10_000 - int(whole.stdout)
    assert total > 20, whole
    outcomes = set()
    for number, steps in enumerate(
        sorted({*range(total - 9, total), *range(4, total - 9, total // 5)})
    ):
        folder, done = run(steps)
        assert done.returncode == -signal.SIGKILL, done
        with Ghost.open(
            folder / "memory.db", settings=Settings(embed_provider="none"), clock=clock
        ) as ghost:
            there = [memory.version for memory in ghost.list("b")]
            outcomes.add(bool(there))
            if there:
                assert ghost.history("b", "k")[0].version == 1
                ghost.rm("b", "k", hard=True, all_versions=True)
            elif number % 2:
                ghost.lifecycle.gc()
            else:
                with pytest.raises(NotFoundError):
                    ghost.rm("b", "k", hard=True)
            assert secrets.left(folder) == []
            assert ghost.admin.check().problems == ()
            assert ghost.admin.verify_log().ok
    assert outcomes == {True, False}


def test_somebody_deleting_meanwhile_is_not_taken_for_done(open_ghost: OPEN) -> None:
    """A scrub settles only what it has seen: each deletion counts by itself."""
    ghost = open_ghost()
    ghost.put("a", "k", "text")
    with ghost.store.engine.write() as tx:
        tx.owe_scrub()
        tx.owe_scrub()
    with ghost.store.engine.read() as tx:
        assert owed(tx.db) == 2  # type: ignore[attr-defined]
    assert ghost.store.engine.scrub() == ""
    with ghost.store.engine.read() as tx:
        assert owed(tx.db) == 0  # type: ignore[attr-defined]


def test_in_memory_too(open_ghost: OPEN) -> None:
    """A store in memory has no file; deleting for good works all the same."""
    ghost = open_ghost(":memory:")
    fill(ghost)
    assert ghost.rm("a", "plain-0", hard=True, all_versions=True).versions == 4
    assert ghost.admin.rm_namespace("a", hard=True).deleted == 39
    assert (ghost.admin.namespaces(), ghost.admin.check().problems) == ([], ())


def names(paths: Iterable[str]) -> list[str]:
    """Return the last parts of paths."""
    return [Path(path).name for path in paths]


def test_backups_that_hold_it_are_named(open_ghost: OPEN, tmp_path: Path, clock: Any) -> None:
    """Copies by `ghost backup` and by migrations are looked into, missing ones are left out, broken ones are named apart."""
    ghost = open_ghost()
    ghost.put("a", "other", "no concern")
    ghost.transfer.backup(tmp_path / "before.db")
    ghost.put("a", "k", "a text")
    for name in ("one.db", "two.db", "gone.db", "broken.db"):
        ghost.transfer.backup(tmp_path / "copies" / name)
    (tmp_path / "copies" / "gone.db").unlink()
    (tmp_path / "copies" / "broken.db").write_bytes(b"SQLite format 3\x00" + b"\x07" * 5000)
    (tmp_path / "memory.db.before-0009_x.bak").write_bytes(
        (tmp_path / "copies" / "one.db").read_bytes()
    )
    (tmp_path / "memory.db.before-0008_x.bak").write_bytes(b"no database")
    planned = ghost.rm("a", "k", hard=True, dry_run=True)
    done = ghost.rm("a", "k", hard=True)
    assert names(done.backups) == ["one.db", "two.db", "memory.db.before-0009_x.bak"]
    assert names(done.unchecked_backups) == ["broken.db", "memory.db.before-0008_x.bak"]
    assert planned.backups == done.backups
    assert planned.unchecked_backups == done.unchecked_backups
    assert ghost.rm("a", "other", hard=True, dry_run=True).backups[0].endswith("before.db")
    assert ghost.rm("a", "other").backups == ()


def test_a_copy_under_another_id_is_known_by_its_words(open_ghost: OPEN, tmp_path: Path) -> None:
    """What was exported and imported again has the same words."""
    ghost = open_ghost()
    ghost.put("a", "k", "a very special text")
    ghost.transfer.backup(tmp_path / "copy.db")
    ghost.rm("a", "k", hard=True)
    ghost.put("a", "k2", "a very special text")
    assert names(ghost.admin.rm_namespace("a", hard=True).backups) == ["copy.db"]


def test_collections_name_backups_too(open_ghost: OPEN, tmp_path: Path, clock: Any) -> None:
    """Expiry deletes for good, so gc says what still holds it."""
    ghost = open_ghost()
    ghost.put("a", "k", "text", ttl="1h")
    ghost.transfer.backup(tmp_path / "copy.db")
    clock.forward(hours=2)
    assert (
        names(ghost.lifecycle.gc(dry_run=True).backups)
        == names(ghost.lifecycle.gc().backups)
        == ["copy.db"]
    )
    assert ghost.lifecycle.gc().backups == ()


def test_backups_that_cannot_be_read_are_named(open_ghost: OPEN, tmp_path: Path) -> None:
    """Every command that deletes for good names them, with or without others."""
    ghost = open_ghost()
    ghost.transfer.backup(tmp_path / "copy.db")
    (tmp_path / "copy.db").write_bytes(b"no database")
    ghost.put("a", "one", "The cup is blue.", source_user="Ada", ttl="1h")
    ghost.put("a", "two", "The gate is red.", tier="quarantine")
    (held,) = ghost.quarantine.list()
    removals = [
        ghost.rm("a", "one", hard=True, dry_run=True),
        ghost.admin.rm_namespace("a", hard=True, dry_run=True),
        ghost.forget(source="Ada", hard=True, dry_run=True),
        ghost.quarantine.drop([held.id], dry_run=True),
    ]
    assert {(done.backups, *names(done.unchecked_backups)) for done in removals} == {
        ((), "copy.db")
    }


def test_notes_that_say_it_are_named(open_ghost: OPEN, tmp_path: Path) -> None:
    """A section of a note is deleted from the store; its file belongs to its owner, and is named."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("# Tea\n\ngreen\n", encoding="utf-8")
    ghost = open_ghost()
    ghost.notes.add(tmp_path / "notes", "notes:here")
    key = ghost.list("notes:here")[0].key
    assert names(ghost.rm("notes:here", key, hard=True, unlock=True).files) == ["tea.md"]


def test_a_removed_namespace_leaves_its_name_nowhere(open_ghost: OPEN, tmp_path: Path) -> None:
    """The name of a namespace that was deleted goes as well; its log stays under a number, and the name can be used again."""
    ghost = open_ghost()
    ghost.put("user:zanzibarik", "k", "text")
    ghost.put("a", "k", "text")
    ghost.admin.rm_namespace("user:zanzibarik", hard=True)
    assert b"zanzibarik" not in (tmp_path / "memory.db").read_bytes()
    assert [(chain.ns, chain.lines) for chain in ghost.admin.verify_log().chains] == [
        ("#1", 2),
        ("a", 1),
    ]
    ghost.put("user:zanzibarik", "k", "text")
    assert [(info.ns, info.sequence) for info in ghost.admin.namespaces()] == [
        ("a", 1),
        ("user:zanzibarik", 1),
    ]


def test_copies_cut_short_by_a_kill_are_removed(open_ghost: OPEN, tmp_path: Path) -> None:
    """A migration that was killed left an unfinished copy beside the store; a scrub takes it away."""
    ghost = open_ghost()
    ghost.put("a", "k", "text")
    left = tmp_path / "memory.db.before-0007_truth.bak.123.tmp"
    left.write_bytes(b"text")
    ghost.rm("a", "k", hard=True)
    assert not left.exists()


def test_backup_records_where_it_went(open_ghost: OPEN, tmp_path: Path, clock: Any) -> None:
    """The store remembers its copies; a copy, opened as a store, is not named as a copy of itself."""
    ghost = open_ghost()
    ghost.put("a", "k", "text")
    ghost.transfer.backup(tmp_path / "copy.db")
    clock.forward(days=1)
    with ghost.store.engine.read() as tx:
        ((path, at),) = tx.backups.all().items()
    assert path == str(tmp_path / "copy.db")
    assert clock.at - at < timedelta(days=2)
    copy = open_ghost(tmp_path / "copy.db")
    copy.put("a", "other", "text")
    assert copy.rm("a", "k", hard=True).backups == ()
