"""The tables beside memories: both engines hold the same values in them; what only PostgreSQL has is tested here alone."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any, cast

import numpy as np
import psycopg
import pytest

from conftest import START, Clock
from ghostmem import Ghost
from ghostmem.model import Alias, Held, Note, NsFilter, Place, Rule, Run, SourceKind, Stat, Token
from ghostmem.settings import Settings
from ghostmem.store.outline import GraphRows
from ghostmem.store.postgres.check import tidy
from ghostmem.store.postgres.connect import WRITERS, Connection
from ghostmem.store.postgres.engine import PostgresEngine
from ghostmem.store.postgres.migrate import migrate
from ghostmem.store.postgres.schema import OF_NAMESPACE
from ghostmem.store.postgres.search import CONTAINING, POSTINGS
from ghostmem.store.postgres.transaction import PostgresTransaction
from ghostmem.store.rows import AuditEntry
from ghostmem.store.small_tables import HookSession, MirrorItem
from ghostmem.store.sqlite.transaction import SqliteTransaction
from ghostmem.store.tally import Tally
from servers import Databases

NS, OTHER = "agent:a", "agent:b"
LATER = START + timedelta(hours=1)
LONG = "x" * 5000  # more than an index of PostgreSQL takes
LARGEST = (
    2**64 - 1
)  # inodes of some file systems use all 64 bits, which SQLite's numbers do not reach


@pytest.fixture(params=["sqlite", "postgres"])
def both(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Ghost]:
    """Open a store on either engine."""
    target = (
        request.getfixturevalue("pg_url")
        if request.param == "postgres"
        else str(tmp_path / "memory.db")
    )
    with Ghost.open(target, settings=Settings(embed_provider="none"), clock=clock) as found:
        yield found
        assert found.admin.check().problems == ()


@pytest.fixture
def pg(pg_url: str, clock: Clock) -> Iterator[Ghost]:
    """Open a store on PostgreSQL."""
    with Ghost.open(pg_url, settings=Settings(embed_provider="none"), clock=clock) as found:
        yield found


def engine_of(ghost: Ghost) -> PostgresEngine:
    """Return the engine as what it is."""
    assert isinstance(ghost.store.engine, PostgresEngine)
    return ghost.store.engine


def change(ghost: Ghost, sql: str) -> None:
    """Change rows behind the engine's back, without the database's own checks."""
    with engine_of(ghost).write() as tx:
        tx.db.run("SET LOCAL session_replication_role = replica")
        tx.db.run(sql)


def test_rules_are_kept_and_built_in_ones_may_be_replaced(both: Ghost) -> None:
    """A rule comes back as it went in; a user's rule is not written over, a built-in one is, once."""
    mine = Rule(
        "r1",
        "mine",
        "DECAY",
        START,
        NS,
        97,
        cond_age_gt_hours=1.5,
        cond_access_lt=3,
        action_params={"min": 0.1, "ö": []},
    )
    with both.store.engine.write() as tx:
        builtin = tx.rules.all()
        assert tx.rules.put(mine)
        assert not tx.rules.put(mine)
        assert tx.rules.put(Rule(builtin[0].id, "changed", "DELETE", LATER, rule_expires_at=LATER))
    with both.store.engine.read() as tx:
        assert len(builtin) == 8
        assert tx.rules.get("r1") == mine == tx.rules.all()[0]
        changed = tx.rules.get(builtin[0].id)
        assert changed is not None
        assert (changed.name, changed.created_by, changed.rule_expires_at, changed.cond_tier) == (
            "changed",
            "user",
            LATER,
            None,
        )
        assert tx.rules.get("none") is None
    with both.store.engine.write() as tx:
        assert tx.rules.delete("r1")
        assert not tx.rules.delete("r1")


def entry(ns: str, subject: str, op: str = "DEMOTE") -> AuditEntry:
    """Return a planned change."""
    return AuditEntry(0, ns, subject, "rule", op, "hash", {"tier": "ltm", "ü": None}, None)


def test_a_run_numbers_its_changes_over_all_namespaces(both: Ghost) -> None:
    """Plans of several namespaces follow each other; what is done is done, what is left out is told apart."""
    with both.store.engine.write() as tx:
        tx.runs.begin(Run("run1", "reflect full", "", START), "host 1")
        tx.runs.plan("run1", [entry(NS, "m1"), entry(NS, "m2", "LINK")])
        tx.runs.plan("run1", [entry(OTHER, "m3"), entry(NS, "m4")])
        tx.runs.plan("run1", [])
    with both.store.engine.write() as tx:
        todo = tx.runs.todo("run1", 3)
        assert todo == [entry(ns, m, op)._replace(seq=n) for n, ns, m, op in
                        ((1, NS, "m1", "DEMOTE"), (2, NS, "m2", "LINK"), (3, OTHER, "m3", "DEMOTE"))]  # fmt: skip
        tx.runs.done("run1", [one._replace(done=1 if one.ns == NS else 2) for one in todo])
    with both.store.engine.write() as tx:
        tx.runs.done("run1", [entry(NS, "m4")._replace(seq=4, done=1)])
        assert tx.runs.todo("run1", 10) == []
        assert [(one.seq, one.done) for one in tx.runs.entries("run1")] == [
            (1, 1),
            (2, 1),
            (4, 1),
            (3, 2),
        ]  # by namespace
        assert [one.seq for one in tx.runs.entries("run1", newest_first=True)] == [3, 4, 2, 1]
        assert tx.runs.moved(START) == {"m1": 1, "m4": 1}
        assert tx.runs.moved(LATER) == {}


def test_runs_are_found_again_until_they_are_finished_and_forgotten(both: Ghost) -> None:
    """An unfinished run says where it was; counts add up; forgetting takes the changes along."""
    with both.store.engine.write() as tx:
        tx.runs.begin(Run("run1", "reflect full", "agent:*", START), "host 1")
        tx.runs.begin(Run("run2", "reflections", "agent:*", START), "")
        tx.runs.plan("run1", [entry(NS, "m1")])
        assert tx.runs.tallied("run1") == Tally(0, 0, [], [])
        tx.runs.tally("run1", Tally(5, 2, [(OTHER, ("a", "b"))]))
        tx.runs.tally("run1", Tally(1, 1, [(NS, ("c", "é")), (NS, ("a", "c"))]))
        tx.runs.update("run1", place=NS, holder="host 2")
    with both.store.engine.read() as tx:
        groups = [(NS, ["c", "é"]), (NS, ["a", "c"]), (OTHER, ["a", "b"])]
        assert tx.runs.tallied("run1") == Tally(6, 3, groups, [])
        assert tx.runs.holders() == {"run1": "host 2", "run2": ""}
        found = tx.runs.unfinished("reflect", "agent:*")
        assert found == (Run("run1", "reflect full", "agent:*", START, 1), NS)
        assert tx.runs.unfinished("reflect", "") is None
        assert tx.runs.get("run3") is None
    with both.store.engine.write() as tx:
        tx.runs.update("run1", finished_at=LATER, undone_at=LATER)
        assert [run.id for run in tx.runs.all(10)] == ["run2", "run1"]
        assert [run.id for run in tx.runs.all(1)] == ["run2"]
        assert tx.runs.get("run1") == Run("run1", "reflect full", "agent:*", START, 1, LATER, LATER)
        assert tx.runs.forget(START) == 0
        assert tx.runs.forget(LATER) == 1
        assert (tx.runs.get("run1"), tx.runs.entries("run1")) == (None, [])


def test_tokens_are_kept_with_the_hash_of_their_secret(both: Ghost) -> None:
    """A token comes back with its grants and times."""
    token = Token("t1", "ci", ("agent:*:read", "b:write"), START, LATER)
    with both.store.engine.write() as tx:
        assert not tx.tokens.any()
        tx.tokens.add(token, "digest")
        tx.tokens.add(Token("t0", "older", (), START - timedelta(1)), "other")
    with both.store.engine.write() as tx:
        assert tx.tokens.any()
        assert tx.tokens.get("t1") == (token, "digest")
        assert [one.id for one in tx.tokens.all()] == ["t0", "t1"]
        tx.tokens.used("t1", LATER)
        tx.tokens.revoke("t1", LATER)
        found = tx.tokens.get("t1")
        assert found is not None
        assert (found[0].revoked_at, found[0].last_used_at) == (LATER, LATER)
        assert tx.tokens.get("t2") is None


def test_mirrors_remember_what_was_agreed_on(both: Ghost) -> None:
    """A folder has one mirror; what is agreed on is written over and dropped by key."""
    with both.store.engine.write() as tx:
        mirror = tx.mirrors.add("/notes", "plain", NS, START)
        assert tx.mirrors.add("/notes", "plain", OTHER, LATER) == mirror == tx.mirrors.all()[0]
        tx.mirrors.put_item(
            mirror.id, MirrorItem("k", "a.md", "h1", frozenset({"b", "a"}), "about")
        )
        tx.mirrors.put_item(mirror.id, MirrorItem("k", "b.md", "h2"))
        tx.mirrors.put_item(mirror.id, MirrorItem("j", "c.md", "h3", frozenset({"ö"})))
        assert tx.mirrors.item(mirror.id, "k") == MirrorItem("k", "b.md", "h2")
        assert tx.mirrors.items(mirror.id)["j"].tags == {"ö"}
        tx.mirrors.drop_item(mirror.id, "k")
        assert tx.mirrors.item(mirror.id, "k") is None
        assert list(tx.mirrors.items(mirror.id)) == ["j"]


def test_wordings_belong_to_a_memory_and_go_with_it(both: Ghost) -> None:
    """A wording is kept once, handed on unless the next version has it, and removed alone; long ones too."""
    one, two = both.put(NS, "one", "first"), both.put(NS, "two", "second")
    far = both.put(OTHER, "far", "third")
    said, long = (
        Alias("in other words", START, "ada", SourceKind.STATED, "s1", "cli"),
        Alias(LONG, LATER),
    )
    with both.store.engine.write() as tx:
        assert tx.aliases.add(one.id, said)
        assert not tx.aliases.add(one.id, said)
        assert tx.aliases.add(one.id, long)
        assert tx.aliases.add(two.id, Alias(LONG, START))
        assert tx.aliases.add(far.id, long)
        assert tx.aliases.of(one.id) == (said, long)
        assert tx.aliases.texts(far.id) == (LONG,)
        assert tx.aliases.of("nowhere") == ()
        tx.aliases.carry(one.id, two.id)
        assert tx.aliases.of(one.id) == (long,)
        assert tx.aliases.of(two.id) == (said, Alias(LONG, START))
        assert sorted(id_ for id_, _ in tx.aliases.all()) == sorted(
            [one.id, two.id, two.id, far.id]
        )
        assert tx.aliases.forget(one.id, LONG)
        assert not tx.aliases.forget(one.id, LONG)


def test_what_is_held_is_listed_by_namespace(both: Ghost) -> None:
    """Quarantine holds by id, lists by namespace oldest first, and drops for good."""
    held = Held("h1", NS, "k", "text", {"kind": "semantic", "n": 1}, ("why", "ünd"), LATER)
    with both.store.engine.write() as tx:
        tx.quarantine.add(Held("h1", NS, "k", "before", {}, (), START))
        tx.quarantine.add(held)
        tx.quarantine.add(Held("h2", OTHER, "k", "text", {}, (), START))
        assert tx.quarantine.get("h1") == held
        assert [one.id for one in tx.quarantine.all(NsFilter("agent:*"))] == ["h2", "h1"]
        assert [one.id for one in tx.quarantine.all(NsFilter(NS))] == ["h1"]
        assert [one.id for one in tx.quarantine.all(NsFilter())] == ["h2", "h1"]
        assert tx.quarantine.drop("h1")
        assert not tx.quarantine.drop("h1")
        assert tx.quarantine.get("h1") is None


def test_copies_and_sessions_are_remembered(both: Ghost) -> None:
    """The last word on a path or a session is kept; sessions that are long over are forgotten."""
    session = HookSession("s1", NS, LATER, ("m1", "m2"), 3, 4)
    with both.store.engine.write() as tx:
        tx.backups.add("/b", START)
        tx.backups.add("/a", START)
        tx.backups.add("/b", LATER)
        assert list(tx.backups.all().items()) == [("/a", START), ("/b", LATER)]
        tx.sessions.put(HookSession("s1", OTHER, START))
        tx.sessions.put(session)
        tx.sessions.put(HookSession("s2", NS, START))
        found = tx.sessions.get("s1")
        assert found is not None
        assert vars(found) == vars(session)
        assert tx.sessions.prune(LATER) == 1
        assert tx.sessions.get("s2") is None


def test_an_outline_is_a_cache_by_content(both: Ghost, tmp_path: Path) -> None:
    """Files and facts are replaced in place; an older extractor's facts go; what no file has is pruned."""
    root, gone = str(tmp_path), str(tmp_path / "gone")
    seen = {"a.py": (Stat(1, 2, 3), 9, "ha"), f"{LONG}.py": (Stat(2, 2**62, 3), 9, "hb")}
    with both.store.engine.write() as tx:
        tx.outline.put_files(root, "python", {**seen, "lost.py": (Stat(1, 1, 1), 1, "hc")}, [])
        tx.outline.put_files(
            root, "python", {"a.py": (Stat(5, 6, 7), 10, "ha")}, ["lost.py", "never.py"]
        )
        tx.outline.put_files(gone, "python", {"b.py": (Stat(1, 1, 1), 1, "hd")}, [])
        assert tx.outline.files(root, "python") == {**seen, "a.py": (Stat(5, 6, 7), 10, "ha")}
        assert tx.outline.files(root, "go") == {}
        tx.outline.put_facts({"ha": b"\0old", "hb": b"old"}, "python 1")
        tx.outline.put_facts({"ha": b"other"}, "go 1")
        tx.outline.put_facts({"ha": b"\0new", "hd": b"d", "hx": b"x"}, "python 2")
        assert dict(tx.outline.facts(["ha", "hb", "hd", "none"], "python 2")) == {
            "ha": b"\0new",
            "hd": b"d",
        }
        assert dict(tx.outline.facts(["ha", "hb"], "python 1")) == {"hb": b"old"}
        for place, language in ((root, "python"), (gone, "python"), (root, "go")):
            tx.outline.put_graph(place, language, "1", "{}", GraphRows([], [], []))
        tx.outline.prune()
        # a database is shared: the folder may be on another machine
        is_gone = isinstance(tx, SqliteTransaction)
        assert (tx.outline.files(gone, "python") == {}) is is_gone
        assert (tx.outline.graph(gone, "python") is None) is is_gone
        assert tx.outline.graph(root, "go") is None
        assert tx.outline.graph(root, "python") is not None
        facts = dict(tx.outline.facts(["ha", "hd", "hx"], "python 2"))
        assert facts == {"ha": b"\0new", **({} if is_gone else {"hd": b"d"})}
        assert dict(tx.outline.facts(["ha"], "go 1")) == {"ha": b"other"}


def test_the_graph_of_a_project(both: Ghost) -> None:
    """A graph replaces the older one of its project, and each question finds its rows."""
    texts = ("", "def f()", "", f"a.{LONG}", "bb")
    nodes = [
        (0, "len", "function", "native", 0, 0, -1, "native:len", "", "", "", "", 0),
        (1, "a.f", "function", "project", 2, 3, 7, *texts, 1),
        (2, f"{LONG}\0g", "method", "project", 5, 6, 9, *texts, 1),
    ]
    links = [(1, 0, 0, 2, 1), (1, 0, 2, 2, 0), (2, 3, 1, 5, 0)]
    loose = [(0, 1, "calls", "x.g", 3, "g", 1), (1, 2, "uses", LONG, 5, LONG, 0)]
    with both.store.engine.write() as tx:
        outline = tx.outline
        for root in (LONG, "/other"):
            outline.put_graph(root, "go", "1", "{}", GraphRows(nodes, links, loose))
            outline.put_graph(root, "go", "2", '{"a": 1}', GraphRows(nodes, links[:2], loose))
        other = outline.graph("/other", "go")
        outline.put_graph(LONG, "go", "3", "[]", GraphRows(nodes, links, loose))
        row = outline.graph(LONG, "go")
    assert other is not None
    assert other[1:] == ("2", '{"a": 1}')
    assert row is not None
    assert row[1:] == ("3", "[]")
    with both.store.engine.read() as tx:
        outline, project = tx.outline, row[0]
        assert outline.graph("/none", "go") is None
        found = sorted(outline.nodes(project, [0, 1, 2, 3]))
        assert found[:2] == [node[:-1] for node in nodes[:2]]
        assert found[2][1] in (f"{LONG}\0g", f"{LONG}\N{REPLACEMENT CHARACTER}g")
        assert [node[0] for node in outline.nodes_like(project, ["len", "no"], ["bb"])] == [0, 1, 2]
        assert outline.nodes_like(project, ["no"], []) == []
        assert sorted(outline.names(project)) == sorted(node[1] for node in found[1:])
        assert outline.containing(project, "a.") == [1, 2]
        assert outline.containing(project, "a.f") == [1]
        assert outline.alone(project, 0, 3) == [1, 2]
        assert outline.alone(project, 2, 3) == [2]
        assert outline.links(project, [1]) == links
        assert outline.links(project, [0]) == links[:1]
        assert outline.links(other[0], [2]) == links[1:2]
        assert outline.unresolved(project, [1, 2]) == [(each[1], *each[2:]) for each in loose]
        assert outline.unresolved_named(project, LONG) == [("uses", 2)]


def test_notes_are_known_by_path_and_move(both: Ghost) -> None:
    """A note comes back as it was put, keeps its id when it moves, and takes the place of another; a folder takes all along."""
    first = Note("n1", "a.md", Stat(1, 2, 3), "h", ("Ä", "b"), "", None)
    with both.store.engine.write() as tx:
        folder = tx.notes.add_folder("/vault", "plain", NS, START)
        assert tx.notes.add_folder("/vault", "plain", OTHER, LATER) == folder
        assert tx.notes.folders(NsFilter(OTHER)) == []
        tx.notes.reconciled(folder.id, LATER, "")
        tx.notes.reconciled(folder.id, None, "not mounted")
        assert [
            (one.reconciled_at, one.unavailable) for one in tx.notes.folders(NsFilter("agent:*"))
        ] == [(LATER, "not mounted")]
        tx.notes.put(folder.id, first)
        tx.notes.put(folder.id, first._replace(path=LONG, missing_at=LATER, problem="odd"))
        tx.notes.put(folder.id, Note("n2", "b.md", Stat(0, 0, 0), ""))
    with both.store.engine.write() as tx:
        assert tx.notes.at(folder.id, LONG) == first._replace(
            path=LONG, missing_at=LATER, problem="odd"
        )
        assert tx.notes.at(folder.id, "a.md") is None
        assert tx.notes.stats(folder.id) == (
            {"b.md": (0, 0, 0), LONG: (1, 2, 3)},
            {LONG: "odd"},
            True,
        )
        tx.notes.put(folder.id, first._replace(path="b.md"))
        assert {path: note.id for path, note in tx.notes.known(folder.id).items()} == {"b.md": "n1"}
        tx.notes.put(folder.id, Note("n3", "c.md", Stat(0, 0, 0), ""))
    with both.store.engine.write() as tx:
        tx.notes.drop("n1")
        tx.notes.drop("never")
        assert list(tx.notes.known(folder.id)) == ["c.md"]
        assert tx.notes.sections("never") == {}
        tx.notes.drop_folder(folder.id)
        assert tx.notes.folders(NsFilter()) == []
        assert (tx.notes.known(folder.id), tx.notes.stats(folder.id)) == ({}, ({}, {}, False))


def test_sections_and_links_of_notes(both: Ghost) -> None:
    """Sections say where memories lie; links are kept by word and target, however long, until their section goes."""
    one, two = both.put(NS, "one", "first section"), both.put(NS, "two", "second section")
    with both.store.engine.write() as tx:
        folder = tx.notes.add_folder("/vault", "plain", NS, START)
        tx.notes.put(folder.id, Note("n1", "a.md", Stat(1, 2, 3), "h", ("A",)))
        tx.notes.put_section(two.id, "n1", "Two", 7, "hash2")
        tx.notes.put_section(one.id, "n1", "One", 9, "hash1")
        tx.notes.put_section(one.id, "n1", "One", 1, "hash1")
        tx.notes.put_link(one.id, "supports", LONG, None)
        tx.notes.put_link(one.id, "supports", LONG, two.id)
        tx.notes.put_link(one.id, "", "Two", None)
        tx.notes.move_file(one.id, "/vault/a.md", START)
        tx.notes.move_file(one.id, "/vault/b.md", START)
    with both.store.engine.write() as tx:
        assert tx.notes.sections("n1") == {one.id: ("One", 1, "hash1"), two.id: ("Two", 7, "hash2")}
        assert sorted(tx.notes.section_ids(folder.id)) == sorted([one.id, two.id])
        assert tx.notes.places([one.id, "nowhere"]) == {
            one.id: Place(folder.id, "/vault", "a.md", 1)
        }
        assert tx.notes.targets(folder.id) == [
            (one.id, "One", "a.md", ("A",)),
            (two.id, "Two", "a.md", ("A",)),
        ]
        assert tx.notes.links(folder.id) == [
            (one.id, "", "Two", None),
            (one.id, "supports", LONG, two.id),
        ]
        assert sorted(tx.notes.links_of(one.id)) == [("", "Two", None), ("supports", LONG, two.id)]
        assert [ref.path for ref in tx.memories.files([one.id])[one.id]] == ["/vault/b.md"]
        tx.notes.drop_link(one.id, "supports", LONG)
        assert tx.notes.links_of(one.id) == [("", "Two", None)]
        tx.notes.drop_section(one.id)
        assert tx.notes.links_of(one.id) == []
        assert list(tx.notes.sections("n1")) == [two.id]
    both.rm(NS, "one", hard=True)


def test_vectors_of_notes_come_back_with_their_text(both: Ghost) -> None:
    """What left is kept by hash for a while; what is said twice is embedded once."""
    one, two = both.put(NS, "one", "same text"), both.put(NS, "two", "same text ")
    three = both.put(NS, "three", "same text")
    with both.store.engine.write() as tx:
        model = tx.vectors.model("m", 2, next(iter(_chunkers(tx, one.id))))
        tx.vectors.put(
            model, [(NS, tx.index.numbers(one.id)[0], np.array([0.1, 1], np.float16).tobytes())]
        )
        tx.notes.spare(one.id, ["h1", "more"], START)
        tx.notes.spare(one.id, ["h1"], LATER)
        assert tx.notes.reuse(two.id, ["other"], "none") == 0
        assert tx.notes.reuse(two.id, ["h1"], "none") == 1
        assert tx.notes.reuse(two.id, ["h1"], "none") == 1
        folder = tx.notes.add_folder("/vault", "plain", NS, START)
        tx.notes.put(folder.id, Note("n1", "a.md", Stat(1, 2, 3), "h"))
        tx.notes.put_section(one.id, "n1", "One", 1, "section")
        assert tx.notes.reuse(three.id, ["unknown"], "section") == 1
        ids, rows = tx.vectors.after(model, NS, 0)
        assert len(ids) == 3
        assert {row.tobytes() for row in rows} == {np.array([0.1, 1], np.float16).tobytes()}
        assert tx.notes.prune(LATER) == 0
        assert tx.notes.prune(LATER + timedelta(1)) == 1


def _chunkers(tx: Any, memory_id: str) -> set[str]:
    """Return what the chunks of a memory were made by."""
    mark = "%s" if isinstance(tx, PostgresTransaction) else "?"
    return {
        row[0]
        for row in tx.db.rows(f"SELECT chunker FROM chunks WHERE memory_id = {mark}", (memory_id,))
    }


def test_the_largest_inode_stays_a_number(pg: Ghost) -> None:
    """PostgreSQL has no unsigned numbers; what a file system counts with 64 bits comes back as an int all the same."""
    with pg.store.engine.write() as tx:
        folder = tx.notes.add_folder("/vault", "plain", NS, START)
        tx.notes.put(folder.id, Note("n1", "a.md", Stat(1, 2, LARGEST), "h"))
        tx.outline.put_files(
            "/", "go", {"a": (Stat(1, 2, LARGEST), 1, "h"), "b": (Stat(1, 2, 3), 1, "h")}, []
        )
    with pg.store.engine.read() as tx:
        note = tx.notes.at(folder.id, "a.md")
        assert note is not None
        found = [
            note.stat.inode,
            tx.notes.stats(folder.id)[0]["a.md"][2],
            tx.outline.files("/", "go")["a"][0].inode,
        ]
        assert found == [LARGEST] * 3
        assert {type(one) for one in found} == {int}


def test_the_states_of_changes_are_recorded_in_their_namespaces(pg: Ghost) -> None:
    """So that a cluster asks one node for each, as long as the change was read in the transaction."""
    said: list[Any] = []
    with engine_of(pg).write() as tx:
        tx.runs.begin(Run("run1", "reflect", "", START), "holder")
        tx.runs.plan("run1", [entry(NS, "m1", "DEMOTE"), entry(OTHER, "m2", "DEMOTE")])
    with engine_of(pg).write() as tx:
        todo = tx.runs.todo("run1", 10)
        tx.db.watch = said.append
        tx.runs.done("run1", [change._replace(done=1) for change in todo])
    assert [statement.sql for statement in said[:2]] == [
        "UPDATE audit SET done = %s WHERE run_id = %s AND seq = %s AND ns = %s"
    ] * 2


def test_what_belongs_to_a_namespace_is_asked_for_in_it(pg: Ghost) -> None:
    """In a transaction of one namespace, every statement on the tables of a namespace names it."""
    memory = pg.put(NS, "one", "first section")
    said: list[Any] = []
    with engine_of(pg).write(within=(NS,)) as tx:
        folder = tx.notes.add_folder("/vault", "plain", NS, START)
        tx.db.watch = said.append
        tx.notes.put(folder.id, Note("n1", "a.md", Stat(1, 2, 3), "h"))
        tx.notes.put_section(memory.id, "n1", "One", 1, "hash")
        tx.notes.put_link(memory.id, "", "Two", None)
        tx.notes.spare(memory.id, ["h"], START)
        tx.notes.reuse(memory.id, ["h"], "hash")
        tx.notes.move_file(memory.id, "/a", START)
        for reading in (
            tx.notes.known,
            tx.notes.stats,
            tx.notes.section_ids,
            tx.notes.targets,
            tx.notes.links,
        ):
            reading(folder.id)
        tx.notes.at(folder.id, "a.md")
        tx.notes.sections("n1")
        tx.notes.places([memory.id])
        tx.notes.links_of(memory.id)
        tx.notes.drop_link(memory.id, "", "Two")
        tx.notes.drop_section(memory.id)
        tx.notes.drop("n1")
        tx.aliases.add(memory.id, Alias("words", START))
        tx.aliases.of(memory.id)
        tx.aliases.carry(memory.id, memory.id)
        tx.aliases.forget(memory.id, "words")
    statements = [statement.sql for statement in said]
    named = [sql for sql in statements if any(f" {table} " in f"{sql} " for table in OF_NAMESPACE)]
    assert len(named) > 25
    assert [
        sql for sql in named if "ns = %s" not in sql and not ("INSERT" in sql and "(ns, " in sql)
    ] == []


def test_pieces_of_work_are_offered_claimed_and_done(pg: Ghost) -> None:
    """A piece has one holder until his time is over; what is done is gone, what is released is free."""
    soon, late = START + timedelta(minutes=1), START + timedelta(minutes=2)
    pieces = [(NS, "1"), (NS, "2"), (OTHER, "1")]
    with engine_of(pg).write(within=()) as tx:
        assert tx.work.offer("embed", pieces) == 3
        assert tx.work.offer("embed", [*pieces, (OTHER, "2")]) == 1
        assert tx.work.offer("embed", []) == 0
        assert tx.work.claim("reflect", "w1", soon, 10, START) == []
        mine = tx.work.claim("embed", "w1", late, 3, START)
        assert len(mine) == 3
        rest = tx.work.claim("embed", "w2", soon, 3, START)
        assert sorted(mine + rest) == [*pieces, (OTHER, "2")]
        assert tx.work.claim("embed", "w3", soon, 3, START) == []
        assert tx.work.claim("embed", "w3", late, 9, soon) == rest
        assert tx.work.done("embed", *mine[0])
        assert not tx.work.done("embed", *mine[0])
        assert tx.work.release("w1") == 2
        assert sorted(tx.work.claim("embed", "w3", late, 9, START)) == sorted(mine[1:])
        assert tx.work.left("embed") == 3
        assert tx.work.left("reflect") == 0


def test_workers_share_the_work_without_waiting(pg: Ghost) -> None:
    """While one has not said yet that pieces are his, another passes over them; in the end each is done by one."""
    pieces = [(f"agent:{number % 7}", f"{number:03d}") for number in range(60)]
    engine, until = engine_of(pg), START + timedelta(minutes=5)
    with engine.write(within=()) as tx:
        tx.work.offer("embed", pieces)
    with engine.write(within=()) as first:
        held = first.work.claim("embed", "a", until, 10, START)
        with ThreadPoolExecutor(
            1
        ) as pool:  # it would wait for ever here, were the rows not skipped

            def second() -> list[tuple[str, str]]:
                with engine.write(within=(), patience=5) as tx:
                    return tx.work.claim("embed", "b", until, 10, START)

            other = pool.submit(second).result(timeout=30)
    assert (len(held), len(other)) == (10, 10)
    assert not set(held) & set(other)
    start, done = Barrier(4), []

    def worker(name: str) -> None:
        start.wait()
        while True:
            with engine.write(within=()) as tx:
                got = tx.work.claim("embed", name, until, 3, START)
            if not got:
                return
            for ns, item in got:
                with engine.write(within=()) as tx:
                    assert tx.work.done("embed", ns, item)
                done.append((ns, item))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(worker, "cdef"))
    assert sorted(done) == sorted(set(pieces) - set(held) - set(other))


BROKEN = {
    "UPDATE namespaces SET chunks = chunks + 1": "1 namespaces whose counts differ from their chunks",
    "UPDATE chunks SET codes = array_to_tsvector(ARRAY['a'])": "2 chunks whose terms differ from full text",
    "UPDATE chunks SET length = length + 1": "2 chunks whose terms differ from full text",
    "DELETE FROM chunks": "2 live memories without chunks",
    "DELETE FROM namespaces": "1 namespaces without a row",
    "UPDATE threads SET length = length + 1": "1 threads whose counts differ from their chunks",
    "DELETE FROM memories WHERE key = 'two'": "1 rows of chunks point to a missing row of memories",
    "UPDATE memories SET deleted_at = recorded_at WHERE key = 'one'": "1 chunks of memories that are not live",
    "INSERT INTO audit VALUES ('n', 'r', 1, 's', 'r', 'o', 'h')": "1 rows of audit point to a missing row of runs",
    "INSERT INTO notes VALUES ('n', 9, 'p', 'i', 1, 1, 1, 'h')": "1 rows of notes point to a missing row of note_folders",
    "INSERT INTO aliases (ns, memory_id, content, at) VALUES ('n', 'x', '', '')": "1 rows of aliases point to a missing row of memories",
    "INSERT INTO note_links SELECT ns, id, 'w', 't', 'x' FROM memories LIMIT 1": "1 links of notes lead to memories that are gone",
}


@pytest.fixture
def filled(pg: Ghost) -> Ghost:
    """Return a store with two memories, one of a thread, and check that nothing is wrong with it."""
    pg.put(NS, "one", "some words about PostgreSQL and words", tags=["a"], meta={"b": 1})
    pg.put(
        NS,
        "two",
        "日本語 and c++ of a thread",
        kind="episodic",
        source_user="sam",
        source_scope="thread",
    )
    assert pg.admin.check().problems == ()
    return pg


@pytest.mark.parametrize("sql", BROKEN)
def test_check_finds_and_repair_ends(filled: Ghost, sql: str) -> None:
    """Whatever of the indexes is broken is named with how many, and is right again after a repair."""
    change(filled, sql)
    assert BROKEN[sql] in filled.admin.check().problems
    filled.admin.repair()
    assert filled.admin.check().problems == ()


def test_check_names_what_repair_cannot_know(filled: Ghost) -> None:
    """Tags and meta that are not what they should be are counted; nobody can tell what they were."""
    change(filled, "UPDATE memories SET tags = '{}', meta = 'no' WHERE key = 'one'")
    assert filled.admin.check().problems == (
        "tags of memories cannot be read (rows: 1)",
        "meta of memories cannot be read (rows: 1)",
    )


def test_an_invalid_index_is_found_and_built_again(filled: Ghost) -> None:
    """An index whose building was broken off answers nothing until it is built again."""
    mark = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'chunks_codes'::regclass"
    with engine_of(filled).write() as tx:
        tx.db.run(mark)
    assert filled.admin.check().problems == ("index chunks_codes is not valid",)
    filled.admin.repair()
    assert filled.admin.check().problems == ()


def test_repair_retires_a_version_that_is_not_the_last(filled: Ghost) -> None:
    """Of two live versions of a key only the last stays live, and it is found."""
    change(filled, "DROP INDEX memories_live")
    columns = "ns, key, content, created_at, recorded_at"
    change(
        filled,
        f"INSERT INTO memories (id, version, {columns}) SELECT 'x', 2, {columns} FROM memories WHERE key = 'one'",
    )
    assert {
        "1 live versions that are not the last of their key",
        "1 keys with several live versions",
    } < set(filled.admin.check().problems)
    filled.admin.repair()
    assert filled.admin.check().problems == ()
    assert [one.version for one in filled.history(NS, "one") if one.deleted_at is None] == [2]
    assert [hit.key for hit in filled.search("words", ns=NS)] == ["one"]


def test_nothing_is_left_of_what_was_deleted_for_good(filled: Ghost) -> None:
    """Runs forget what they did to it and its key; what they did to others stays."""
    one, two = filled.get(NS, "one"), filled.get(NS, "two")
    filled.rm(NS, "two", hard=True)
    with engine_of(filled).write() as tx:
        tx.runs.begin(Run("run1", "reflect", "", START), "")
        subjects = (
            one.id,
            two.id,
            f"{one.id} {one.id} relates_to",
            f"{one.id} {two.id} relates_to",
        )
        tx.runs.plan("run1", [entry(NS, subject) for subject in subjects])
        tx.runs.tally("run1", Tally(3, 2, [(NS, ("one", "two")), (NS, ("two",))]))
        tidy(tx.db, [NS])
        assert [found.subject for found in tx.runs.entries("run1")] == [subjects[0], subjects[2]]
        assert tx.runs.tallied("run1") == Tally(3, 2, [(NS, ["one"])], [])
        assert tx.db.get("SELECT count(*) FROM threads") == 0


def test_a_new_database_that_another_process_fills_meanwhile_is_opened(
    pg_databases: Databases, clock: Clock
) -> None:
    """Tables that appear while an opening store waits for the lock are those of Ghost."""
    url = pg_databases.fresh(empty=True)
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with psycopg.connect(url) as first, ThreadPoolExecutor() as pool:
        first.execute("SELECT pg_advisory_xact_lock(%s::bigint)", (WRITERS,))
        opening = pool.submit(Ghost.open, url, embedder="none", clock=clock)
        while first.execute(waiting).fetchone() == (0,):
            assert not opening.done()
            time.sleep(0.01)
        migrate(cast("Connection", first), url, START)
        first.commit()
        with opening.result(timeout=30) as ghost:
            assert ghost.put(NS, "tea", "Sam drinks green tea.").version == 1


def test_a_rare_term_is_not_searched_by_reading_the_newest_chunks(pg: Ghost, pg_url: str) -> None:
    """A prepared statement, whose plan does not know the limit, does not read chunks backwards."""
    pg.put_many({"ns": NS, "key": f"k{n}", "content": f"note {n}"} for n in range(500))
    calls = {
        POSTINGS.format(""): f"(ARRAY['note'], '{NS}', 10)",
        CONTAINING: f"('{NS}', '%note%', 10)",
    }
    with psycopg.connect(pg_url, autocommit=True) as db:
        db.execute("ANALYZE")
        db.execute("SET plan_cache_mode = force_generic_plan")
        for number, (sql, values) in enumerate(calls.items()):
            first, *others = sql.split("?")
            numbered = first + "".join(f"${at}{part}" for at, part in enumerate(others, 1))
            db.execute(f"PREPARE read_{number} AS {numbered}")
            plan = [line for (line,) in db.execute(f"EXPLAIN EXECUTE read_{number} {values}")]
            assert plan
            assert not any("Backward" in line for line in plan), plan


def test_statements_are_traced_only_during_a_step(pg: Ghost) -> None:
    """Later statements are not recorded, also if the step fails."""

    def step() -> None:
        tx.db.get("SELECT 1")
        raise LookupError

    with pg.store.engine.read() as tx:
        assert isinstance(tx, PostgresTransaction)
        assert [one.sql for one in tx.statements(lambda: tx.db.get("SELECT 1"))] == ["SELECT 1"]
        with pytest.raises(LookupError):
            tx.statements(step)
        assert tx.db.watch is None
