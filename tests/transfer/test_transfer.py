"""export, import, the original Ghost's databases, ingest and backup."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ghostmem import ConflictError, Ghost, InvalidInputError, NotADatabaseError, NotFoundError
from ghostmem.model import Edge, Link, Rel, Rule

NS = "agent:a"
DATA = Path(__file__).parent.parent / "data" / "original"
EXPECTED = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))
Open = Callable[..., Ghost]


def rich(ghost: Ghost) -> None:
    """Store something of every sort."""
    a = ghost.put(
        NS,
        "a",
        "one\n\n## two\nthree",
        tags=["t", "标签"],
        meta={"z": 1, "a": ["x", None]},
        files=[("f.py", "read")],
    )
    ghost.put(NS, "a", "two", source_user="ann", source_kind="stated", valid_from="2025-01-01")
    b = ghost.put(
        "b:c",
        "b",
        "emoji 🎈 and \u2028 line separator",
        importance=0.1 + 0.2,
        ttl="3650d",
        created_at="2020-02-29",
    )
    c = ghost.put("b:c", "gone", "removed", pinned=True)
    ghost.rm("b:c", "gone")
    ghost.get(NS, "a")
    at = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    with ghost.store.engine.write() as tx:
        tx.graph.add_edge(Edge(b.id, c.id, Rel.CONTRADICTS, 0.123456789, at, 3, at))
        tx.graph.add_link(Link(b.id, c.id, Rel.REFINES, at))
        tx.rules.put(
            Rule("r1", "mine", "DECAY", at, cond_age_gt_hours=1.5, action_params={"factor": 0.9})
        )
    assert a.version == 1


@pytest.mark.requirement("002-053", "002-056", "002-189")
def test_export_import_export_is_byte_identical(open_ghost: Open) -> None:
    """Everything survives the way into an empty store and out again, to the byte; no export time is in it."""
    source, target = open_ghost("a.db"), open_ghost("b.db")
    rich(source)
    lines = list(source.export())
    report = target.import_(lines, trust=True)
    assert (report.imported, report.edges, report.links, report.rules, report.accesses) == (
        4,
        1,
        1,
        1,
        1,
    )
    assert list(target.export()) == lines
    assert target.admin.check().ok
    assert list(source.export()) == lines


def test_import_again_changes_nothing(open_ghost: Open) -> None:
    """What is there already is left alone."""
    ghost = open_ghost()
    rich(ghost)
    lines = list(ghost.export())
    report = ghost.import_(lines)
    assert (report.imported, report.unchanged, report.updated) == (0, 4, 0)
    assert list(ghost.export()) == lines


def test_export_of_one_namespace_takes_only_its_own(open_ghost: Open) -> None:
    """A filter narrows memories and everything that hangs on them."""
    ghost = open_ghost()
    rich(ghost)
    types = [json.loads(line)["type"] for line in ghost.export(NS)]
    assert types == ["ghost", "memory", "memory", "access"]


@pytest.mark.parametrize(
    ("chosen", "names"),
    [(NS, {"own"}), ("agent:*", {"own", "other"}), (None, {"own", "other", "all"})],
)
def test_export_of_a_namespace_has_its_rules(
    open_ghost: Open, chosen: str | None, names: set[str]
) -> None:
    """Also before something is stored there, and none that belongs to the whole store."""
    ghost = open_ghost()
    for name, ns in (("own", NS), ("other", "agent:b"), ("all", "")):
        ghost.lifecycle.set_rule(name, "PIN", ns=ns, tag="keep")
    rows = map(json.loads, ghost.export(chosen))
    assert {row["name"] for row in rows if row["type"] == "rule"} == names


@pytest.mark.parametrize(
    ("policy", "content", "versions"), [("update", "theirs", 2), ("skip", "ours", 1)]
)
def test_import_on_a_key_with_another_history(
    open_ghost: Open, policy: str, content: str, versions: int
) -> None:
    """The imported text becomes the next version, or ours stays, as asked."""
    theirs, ours = open_ghost("a.db"), open_ghost("b.db")
    theirs.put(NS, "k", "theirs")
    ours.put(NS, "k", "ours")
    ours.import_(theirs.export(), on_conflict=policy)
    assert ours.get(NS, "k").content == content
    assert len(ours.history(NS, "k")) == versions
    again = ours.import_(theirs.export(), on_conflict=policy)
    assert again.updated == 0


def test_import_leaves_a_locked_memory_with_another_history_alone(open_ghost: Open) -> None:
    """Its content and its lock stay, and a note says so."""
    theirs, ours = open_ghost("a.db"), open_ghost("b.db")
    ours.put(NS, "k", "ours", tags=["locked"])
    theirs.put(NS, "k", "theirs")
    report = ours.import_(theirs.export(), trust=True)
    assert (report.skipped, report.updated) == (1, 0)
    assert report.notes == [f"left {NS}/k alone: it is locked"]
    kept = ours.get(NS, "k")
    assert (kept.content, kept.tags, kept.version) == ("ours", ("locked",), 1)


def test_import_leaves_the_users_own_statement_alone(open_ghost: Open) -> None:
    """A text from elsewhere does not replace it, a note says so, and the other keys are imported."""
    theirs, ours = open_ghost("a.db"), open_ghost("b.db")
    theirs.put(NS, "k", "theirs", source_kind="observed")
    theirs.put(NS, "z", "more")
    ours.put(NS, "k", "ours", source_kind="stated")
    report = ours.import_(theirs.export())
    assert (report.imported, report.updated, report.skipped) == (1, 0, 1)
    assert f"left {NS}/k alone" in report.notes[0]
    assert (ours.get(NS, "k").content, ours.get(NS, "z").content) == ("ours", "more")


def test_an_import_of_another_tool_leaves_the_users_own_statement_alone(
    open_ghost: Open, tmp_path: Path
) -> None:
    """The other memories are imported, and a note names the key."""
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps([{"id": "1", "memory": "Tea."}, {"id": "2", "memory": "Coffee."}]))
    ghost = open_ghost()
    ghost.put(NS, "tea", "I like tea.", source_kind="stated")
    report = ghost.transfer.import_foreign(file, NS, "mem0")
    assert (report.imported, report.skipped) == (1, 1)
    assert f"left {NS}/tea alone" in report.notes[0]
    assert ghost.get(NS, "tea").content == "I like tea."


@pytest.mark.parametrize("state", [{"pinned": True}, {"tags": ["locked"]}])
def test_a_pinned_or_locked_memory_from_an_import_does_not_expire(
    open_ghost: Open, state: dict[str, Any]
) -> None:
    """It does not inherit the expiry of the memory that it updates."""
    theirs, ours = open_ghost("a.db"), open_ghost("b.db")
    theirs.put(NS, "k", "theirs", **state)
    ours.put(NS, "k", "ours", ttl="30d")
    assert ours.import_(theirs.export(), trust=True).updated == 1
    assert (ours.get(NS, "k").content, ours.get(NS, "k").expires_at) == ("theirs", None)


def test_import_fail_stops_before_writing(open_ghost: Open) -> None:
    """With `fail` a conflict anywhere leaves everything as it was."""
    theirs, ours = open_ghost("a.db"), open_ghost("b.db")
    theirs.put(NS, "a", "new")
    theirs.put(NS, "k", "theirs")
    ours.put(NS, "k", "ours")
    with pytest.raises(ConflictError, match="nothing was imported"):
        ours.import_(theirs.export(), on_conflict="fail")
    assert [m.key for m in ours.list()] == ["k"]


def test_import_continues_a_shared_history(open_ghost: Open) -> None:
    """A copy that went on is caught up with, version by version."""
    ahead, behind = open_ghost("a.db"), open_ghost("b.db")
    ahead.put(NS, "k", "one")
    behind.import_(ahead.export())
    ahead.put(NS, "k", "two")
    ahead.put(NS, "k", "three")
    assert behind.import_(ahead.export()).imported == 2
    assert [m.content for m in behind.history(NS, "k")] == ["one", "two", "three"]
    assert behind.admin.check().ok


def test_the_next_version_of_an_import_keeps_other_wordings(open_ghost: Open) -> None:
    """As a put of the next version does."""
    source, target = open_ghost("a.db"), open_ghost("b.db")
    source.put(NS, "k", "The deploy runs on Friday at noon.")
    target.import_(list(source.export()))
    restated = target.put(NS, "again", "the deploy runs on friday at noon", dedup=True)
    assert restated.key == "k"
    source.put(NS, "k", "The deploy runs on Monday.")
    target.import_(list(source.export()))
    current = target.get(NS, "k")
    assert (current.version, current.aliases) == (2, ("the deploy runs on friday at noon",))


def test_import_on_a_key_with_another_history_keeps_the_validity(open_ghost: Open) -> None:
    """The imported text is the next version, valid for the same time."""
    source, target = open_ghost("a.db"), open_ghost("b.db")
    period = {"valid_from": "2020-01-01", "valid_to": "2021-01-01"}
    imported = source.put(NS, "k", "The office is in Oslo.", **period)
    target.put(NS, "k", "The office is in Bergen.")
    assert target.import_(list(source.export())).updated == 1
    current = target.get(NS, "k")
    assert current.content == "The office is in Oslo."
    assert (current.valid_from, current.valid_to) == (imported.valid_from, imported.valid_to)


def test_import_dry_run_counts_and_writes_nothing(open_ghost: Open) -> None:
    """A dry run says what would come."""
    source, target = open_ghost("a.db"), open_ghost("b.db")
    rich(source)
    assert target.import_(source.export(), dry_run=True).imported == 4
    assert target.list() == []


BROKEN = {
    "": "empty",
    "{": "not JSON",
    '{"type":"other"}': "not an export",
    '{"type":"ghost","format":99}': "newer",
    '{"type":"ghost","format":1}\nnot json': "line 2",
    '{"type":"ghost","format":1}\n[1]': "line 2",
    '{"type":"ghost","format":1}\n{"type":"song"}': "'song'",
    '{"type":"ghost","format":1}\n{"type":{}}': "unknown type {}",
    '{"type":"ghost","format":1}\n{"type":["memory"]}': "unknown type ['memory']",
    '{"type":"ghost","format":1}\n{"type":"memory","ns":"a","key":"k"}': "line 2",
    '{"type":"ghost","format":1}\n{"type":"memory","id":"1","ns":"a","key":"k","content":"c","created_at":"soon"}': "'soon'",
    '{"type":"ghost","format":1}\n{"type":"memory","id":"1","ns":"a","key":"k","content":"c","created_at":"2026-01-01","kind":"x"}': "'x'",
    '{"type":"ghost","format":1}\n{"type":"memory","id":"1","ns":"a","key":"k","content":"c","created_at":"2026-01-01","novel":1}': "novel",
    '{"type":"ghost","format":1}\n{"type":"edge","from_id":"1"}': "line 2",
    "[]": "empty",
    "[1]": "item 1",
    '[{"ns":"a"}]': "item 1",
    '[{"ns":"a","key":"k","content":"c","importance":"high"}]': "'high'",
}


@pytest.mark.parametrize("text", BROKEN)
def test_broken_input_names_the_line_and_imports_nothing(open_ghost: Open, text: str) -> None:
    """The whole input is read first, so that a mistake at the end leaves nothing half done."""
    ghost = open_ghost()
    good = '{"type":"memory","id":"01J00000000000000000000000","ns":"a","key":"ok","content":"c","created_at":"2026-01-01T00:00:00Z"}'
    lines = text.split("\n")
    given = [lines[0], good, *lines[1:]] if len(lines) > 1 else lines
    with pytest.raises(InvalidInputError) as caught:
        ghost.import_(given)
    assert BROKEN[text].replace("line 2", "line") in caught.value.message
    assert ghost.list() == []


@pytest.mark.requirement("002-189")
def test_import_reads_the_originals_json_array(open_ghost: Open) -> None:
    """The original's export is one array of live memories, meta as text, times in seconds."""
    rows = [
        {"id": "01J0000000000000000000000A", "ns": "agent:x", "key": "k", "content": "text", "kind": "semantic", "version": 3,
         "created_at": "2026-04-01T10:00:00Z", "priority": "high", "access_count": 4, "importance": 0.8, "utility_count": 1,
         "tier": "ltm", "pinned": True, "est_tokens": 21, "tags": ["a"], "meta": '{"x":1}', "files": [{"path": "f", "rel": "read"}]},
        {"ns": "agent:x", "key": "bare", "content": "just text"},
        {"ns": "agent:x", "key": "old", "content": "archived", "tier": "archived", "meta": "plain words", "ease": 1.2},
    ]  # fmt: skip
    ghost = open_ghost()
    assert ghost.import_([json.dumps(rows, indent=2)], trust=True).imported == 3
    found = ghost.get("agent:x", "k")
    assert (found.version, found.importance, found.pinned, found.meta, found.access_count) == (
        3,
        0.8,
        True,
        {"x": 1},
        4,
    )
    assert ghost.get("agent:x", "old").tier == "dormant"
    assert ghost.get("agent:x", "old").meta == {"original": "plain words"}


@pytest.mark.parametrize("ns", ["a b", "a*", "_a", "a:"])
def test_an_array_needs_valid_namespaces(open_ghost: Open, ns: str) -> None:
    """A namespace that a put refuses is refused with its item, and nothing is imported."""
    rows = [
        {"ns": "a", "key": "k", "content": "text"},
        {"ns": ns, "key": "k", "content": "text"},
    ]
    ghost = open_ghost()
    with pytest.raises(InvalidInputError, match="item 2: invalid namespace"):
        ghost.import_([json.dumps(rows)])
    assert ghost.list() == []


def test_an_array_without_ids_and_times_can_grow(
    open_ghost: Open, clock: Callable[[], datetime]
) -> None:
    """Such memories are created when they are imported; another process imports only new ones."""
    rows: list[dict[str, object]] = [
        {"ns": "a", "key": f"k{number}", "content": f"text {number}"} for number in range(3)
    ]
    before = clock()
    with open_ghost("m.db") as first:
        assert first.import_([json.dumps(rows)]).imported == 3
        assert all(before < memory.created_at < clock() for memory in first.list("a"))
    rows += [{"ns": "a", "key": "new", "content": "x", "id": None, "created_at": None}]
    with open_ghost("m.db") as second:
        report = second.import_([json.dumps(rows)])
        assert (report.imported, report.unchanged, report.updated) == (1, 3, 0)
        assert len(second.list("a")) == 4


@pytest.mark.parametrize("name", ["head.db", "seed.db", "mid.db", "old.db", "head-wal.db"])
def test_import_from_ghost_brings_everything(open_ghost: Open, tmp_path: Path, name: str) -> None:
    """All versions, contents, tags, counters and files arrive from databases that the original wrote, of every age."""
    folder = tmp_path / "source"
    folder.mkdir()
    for file in DATA.glob(name + "*"):
        shutil.copy(file, folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    ghost = open_ghost()
    report = ghost.transfer.import_ghost(folder / name)
    rows = EXPECTED[name]["memories"]
    assert report.imported == len(rows)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before, (
        "the source is never written to"
    )
    with ghost.store.engine.read() as tx:
        for row in rows:
            memory = tx.memories.by_id(row["id"])
            assert memory is not None
            assert (memory.ns, memory.key, memory.content) == (
                row["ns"],
                row["key"],
                row["content"],
            )
            assert memory.access_count == row["access_count"]
            assert memory.created_at.strftime("%Y-%m-%dT%H:%M:%SZ") == row["created_at"]
        files = {
            i: [f.path for f in refs]
            for i, refs in tx.memories.files(row["id"] for row in rows).items()
        }
    assert sum(map(len, files.values())) == len(EXPECTED[name].get("files", []))
    assert ghost.admin.check().ok
    assert ghost.transfer.import_ghost(folder / name).imported == 0


def test_import_from_ghost_keeps_what_is_current(open_ghost: Open, clock) -> None:  # type: ignore[no-untyped-def]
    """A key is live exactly when the original shows it, with the text the original shows."""
    clock.at = datetime(2026, 11, 15, 3, tzinfo=UTC)
    for name in ("head.db", "seed.db", "mid.db", "old.db"):
        ghost = open_ghost(name)
        ghost.transfer.import_ghost(DATA / name)
        current: dict[tuple[str, str], dict[str, object]] = {}
        for row in EXPECTED[name]["memories"]:
            alive = row["deleted_at"] is None and (
                not row.get("expires_at") or row["expires_at"] > "2026-11-15T03"
            )
            at = (row["ns"], row["key"])
            if alive and (at not in current or row["version"] > current[at]["version"]):
                current[at] = row
        found = {(m.ns, m.key): m.content for m in ghost.list(limit=1000)}
        assert found == {at: row["content"] for at, row in current.items()}


@pytest.mark.requirement("002-045", "002-047", "002-054")
def test_import_from_ghost_turns_links_into_edges(open_ghost: Open) -> None:
    """Legacy links arrive as links and as edges with their relation's weight; weights stay in range, nothing crosses a namespace."""
    ghost = open_ghost()
    report = ghost.transfer.import_ghost(DATA / "mid.db")
    with ghost.store.engine.read() as tx:
        edges, links = list(tx.graph.edges()), list(tx.graph.links())
        weights = {edge.rel: edge.weight for edge in edges}
        assert len(edges) == len(links) == report.links == 3
    assert all(
        weights[rel]
        == {"contradicts": 0.9, "refines": 0.8, "depends_on": 0.7, "relates_to": 0.5}[rel]
        for rel in weights
    )
    ghost = open_ghost("head2.db")
    report = ghost.transfer.import_ghost(DATA / "head.db")
    with ghost.store.engine.read() as tx:
        edges = list(tx.graph.edges())
    assert all(0 <= edge.weight <= 1 for edge in edges)
    assert any(edge.access_count for edge in edges)
    assert report.rules == 4
    assert any("crosses namespaces" in note for note in report.notes)


def test_import_from_something_else_is_refused(open_ghost: Open, tmp_path: Path) -> None:
    """A missing file, a text and our own store are each named."""
    ghost = open_ghost()
    ghost.put(NS, "k", "x")
    text = tmp_path / "notes.txt"
    text.write_text("hello " * 100, encoding="utf-8")
    with pytest.raises(NotFoundError, match="nothing"):
        ghost.transfer.import_ghost(tmp_path / "nothing.db")
    with pytest.raises(NotADatabaseError, match="notes.txt"):
        ghost.transfer.import_ghost(text)
    with pytest.raises(NotADatabaseError, match="not written by the original"):
        ghost.transfer.import_ghost(ghost.store.engine.location)


def test_opening_an_original_database_says_how_to_import(tmp_path: Path) -> None:
    """The original's file is never opened for writing; the hint has the commands."""
    target = tmp_path / "memory.db"
    shutil.copy(DATA / "seed.db", target)
    before = target.read_bytes()
    with pytest.raises(NotADatabaseError, match="original Ghost") as caught:
        Ghost.open(target)
    assert "import --from-ghost" in caught.value.hint
    assert target.read_bytes() == before


@pytest.mark.requirement("002-010")
def test_ingest_a_file_by_level_two_headings(open_ghost: Open, tmp_path: Path) -> None:
    """Each section is one memory; the preamble too; empty sections and fenced headings make none."""
    file = tmp_path / "MEMORY.md"
    file.write_text(
        "---\ntitle: x\n---\n# Notes\nintro\n\n## EV (My Human)\nlikes tea\n\n## Empty\n\n## Code\n```\n## not a heading\n```\n",
        encoding="utf-8",
    )
    ghost = open_ghost()
    report = ghost.ingest(file, NS, tags=["notes"])
    assert (report.files, report.ingested, report.created) == (1, 3, 3)
    assert {m.key for m in ghost.list(NS)} == {"_preamble", "ev-my-human", "code"}
    memory = ghost.get(NS, "ev-my-human")
    assert (memory.content, memory.kind, memory.tags) == ("likes tea", "semantic", ("notes",))
    assert memory.files[0].path == str(file)


def test_ingest_again_updates_instead_of_doubling(open_ghost: Open, tmp_path: Path) -> None:
    """Unchanged sections stay at their version, edited ones get the next."""
    file = tmp_path / "a.md"
    file.write_text("## One\nx\n## Two\ny\n", encoding="utf-8")
    ghost = open_ghost()
    ghost.ingest(file, NS)
    assert ghost.ingest(file, NS).unchanged == 2
    file.write_text("## One\nx\n## Two\nchanged\n", encoding="utf-8")
    report = ghost.ingest(file, NS)
    assert (report.unchanged, report.updated, report.created) == (1, 1, 0)
    assert [m.version for m in ghost.history(NS, "two")] == [1, 2]


@pytest.mark.requirement("002-190")
def test_ingest_a_folder_recursively(open_ghost: Open, tmp_path: Path) -> None:
    """Dated files prefix their keys, hidden folders are passed over, and equal headings of two files do not fight."""
    for name, text in {
        "a.md": "## Setup\nof a\n",
        "sub/b.md": "## Setup\nof b\n",
        "memory/2026-02-15.md": "## Morning Tasks\nran\n",
        ".git/x.md": "## No\nno\n",
        "notes.txt": "## No\nno\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    ghost = open_ghost("store/m.db")
    ghost.ingest(tmp_path, NS)
    assert {m.key: m.content for m in ghost.list(NS)} == {
        "setup": "of a",
        "sub-b:setup": "of b",
        "2026-02-15:morning-tasks": "ran",
    }
    assert ghost.ingest(tmp_path, NS).unchanged == 3
    ghost.ingest(tmp_path / "memory", NS, date_ns=True)
    assert ghost.get(f"{NS}:2026-02-15", "morning-tasks").content == "ran"


def test_ingest_dry_run_and_errors(open_ghost: Open, tmp_path: Path) -> None:
    """A dry run shows what would be stored; what cannot be read is named."""
    file = tmp_path / "a.md"
    file.write_text("## One\nx\n", encoding="utf-8")
    ghost = open_ghost("m.db")
    assert [(m.key, m.content) for m in ghost.ingest(file, NS, dry_run=True).memories] == [
        ("one", "x")
    ]
    assert ghost.list() == []
    with pytest.raises(NotFoundError, match="missing"):
        ghost.ingest(tmp_path / "missing", NS)
    file.write_bytes(b"## One\n\xff\xfe")
    with pytest.raises(InvalidInputError, match="not UTF-8"):
        ghost.ingest(file, NS)
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFoundError, match="no markdown"):
        ghost.ingest(tmp_path / "empty", NS)


def test_backup_is_a_whole_private_copy(open_ghost: Open, tmp_path: Path) -> None:
    """The copy opens as a store with the same export, has mode 0600, and does not replace a file unasked."""
    ghost = open_ghost("m.db")
    rich(ghost)
    target = tmp_path / "copies" / "b.db"
    done = ghost.transfer.backup(target)
    assert done.size_bytes == target.stat().st_size
    assert target.stat().st_mode & 0o777 == 0o600
    with Ghost.open(target) as copy:
        assert list(copy.export()) == list(ghost.export())
        assert copy.admin.check().ok
    with pytest.raises(ConflictError, match="exists already"):
        ghost.transfer.backup(target)
    assert ghost.transfer.backup(target, force=True).path == str(target)
    assert ghost.transfer.backup(tmp_path / "copies").path.endswith("Z.db")
    assert not [p for p in target.parent.iterdir() if p.name.endswith(".tmp")]
