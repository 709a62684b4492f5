"""ghost audit PATH and ghost import --from: files that other tools wrote, judged, brought in, and brought in again"""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

DATA = Path(__file__).parent.parent / "data" / "foreign"
NS = "agent:me"

# tool: what it wrote, memories, edges, a question, the key that answers it
TOOLS: dict[str, tuple[str, int, int, str, str]] = {
    "mem0": (
        "mem0/export.json",
        8,
        0,
        "Stockholm marathon",
        "is-training-for-the-stockholm-marathon-in-june",
    ),
    "server-memory": ("server-memory/memory.jsonl", 6, 6, "pgbouncer port", "postgresql"),
    "basic-memory": ("basic-memory", 4, 5, "hard water acidity", "notes/guides/water-chemistry"),
    "markdown": ("markdown", 3, 0, "gasket", "espresso-machine"),
}


@pytest.fixture(params=TOOLS)
def tool(request: pytest.FixtureRequest) -> str:
    """Return the name of a tool."""
    return str(request.param)


@pytest.fixture
def source(tool: str, tmp_path: Path) -> Path:
    """Return a copy of what it wrote."""
    target = tmp_path / "theirs" / TOOLS[tool][0]
    target.parent.mkdir(parents=True)
    if tool == "markdown":
        target.mkdir()
        (target / "kitchen.md").write_text(
            "Notes on the kitchen.\n\n## Espresso machine\nThe gasket was changed.\n## Oven\nTurns off.\n"
        )
    elif (DATA / TOOLS[tool][0]).is_dir():
        shutil.copytree(DATA / TOOLS[tool][0], target)
    else:
        shutil.copyfile(DATA / TOOLS[tool][0], target)
    return target


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file below a folder with its time."""
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def done(row: dict[str, Any]) -> tuple[int, ...]:
    """Return what an import counted."""
    return tuple(row[name] for name in ("imported", "updated", "unchanged", "skipped", "edges"))


def test_audit_reads_what_a_tool_wrote(
    ghost_cli: "GhostCli", tool: str, source: Path, home: Path
) -> None:
    """It is recognised, scored, and not touched; our own store is not even made."""
    before = state(source.parent)
    report = ghost_cli.row("audit", source)
    _, memories, edges, _, _ = TOOLS[tool]
    assert (report["memories"], report["edges"]) == (memories, edges)
    assert 0 <= report["score"] <= 100
    assert report["source"] == f"{source} ({tool})"
    assert (
        f"stale, never_used, unembedded, expired, rule_churn: {tool} keeps no record of that"
        in report["unjudged"]
    )
    assert state(source.parent) == before
    assert list(home.iterdir()) == []


def test_audit_in_words(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """The score comes first, then each finding with its examples and the next command; what was not judged stands beside."""
    shutil.copytree(DATA / "basic-memory", tmp_path / "notes")
    result = ghost_cli("audit", tmp_path / "notes")
    assert result.code == 0
    lines = result.out.splitlines()
    assert (
        lines[0]
        == f"80 of 100  4 memories in 1 namespace, 5 edges  {tmp_path / 'notes'} (basic-memory)"
    )
    assert lines[1].startswith("contradictions: 1 (25.0%), costs 20  basic-memory/notes/")
    assert (
        lines[2] == f"    → ghost import --from basic-memory {tmp_path / 'notes'} -n basic-memory"
    )
    assert lines[3] == "nothing found: duplicates, orphans, oversized, secrets, quarantine"
    assert "not judged: near duplicates: there are no vectors" in result.err


def test_import_brings_everything_in_once(ghost_cli: "GhostCli", tool: str, source: Path) -> None:
    """A dry run says what will happen, the import does it, and the second one finds nothing to do; the source is only read."""
    before = state(source.parent)
    _, memories, edges, question, answer = TOOLS[tool]
    planned = ghost_cli.row("import", "--from", tool, source, "-n", NS, "--dry-run")
    assert ghost_cli.names() == []
    first = ghost_cli.row("import", "--from", tool, source, "-n", NS)
    assert done(first) == (memories, 0, 0, 0, edges)
    assert first == {**planned, "dry_run": False}
    exported = ghost_cli.ok("export")
    again = ghost_cli.row("import", "--from", tool, source, "-n", NS)
    assert done(again) == (0, 0, memories, 0, 0)
    assert ghost_cli.ok("export") == exported
    assert ghost_cli.rows("search", "-n", NS, question)[0]["key"] == answer
    assert len(ghost_cli.rows("edge", "list", "-n", NS)) == edges
    found = ghost_cli.rows("list", "-n", NS)
    assert all(row["source_kind"] == "import" and row["meta"][tool]["id"] for row in found)
    assert ghost_cli.ok("check") == "clean\n"
    assert state(source.parent) == before


def test_import_makes_vectors_and_keeps_given_edges(
    ghost_cli: "GhostCli", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a provider, what came in can be found by meaning at once."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    ghost_cli.ok(
        "import", "--from", "server-memory", DATA / "server-memory" / "memory.jsonl", "-n", NS
    )
    assert ghost_cli.row("embed", "status")["pending"] == 0
    rels = {
        (row["from_key"], row["rel"], row["to_key"])
        for row in ghost_cli.rows("edge", "list", "-n", NS)
    }
    assert ("billing-service", "depends_on", "postgresql") in rels


def test_what_changed_there_becomes_the_next_version(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A memory is known by its tool's id: a new text keeps the key, another order changes nothing, times are kept."""
    rows = json.loads((DATA / "mem0" / "export.json").read_text("utf-8"))["results"]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(rows), "utf-8")
    ghost_cli.ok("import", "--from", "mem0", path, "-n", NS)
    rows[0]["memory"] = "Drinks tea now."
    path.write_text(json.dumps(rows[::-1]), "utf-8")
    assert done(ghost_cli.row("import", "--from", "mem0", path, "-n", NS)) == (0, 1, 7, 0, 0)
    row = ghost_cli.row("get", "-n", NS, "prefers-dark-roast-coffee-no-sugar")
    assert (row["content"], row["version"], row["source_user"]) == ("Drinks tea now.", 2, "alice")
    assert row["created_at"][:19] == rows[0]["created_at"][:19]


@pytest.mark.parametrize(
    ("policy", "code", "content"), [("update", 0, "y"), ("skip", 0, "mine"), ("fail", 4, "mine")]
)
def test_a_key_that_is_taken_follows_the_policy(
    ghost_cli: "GhostCli", tmp_path: Path, policy: str, code: int, content: str
) -> None:
    """update writes the next version, skip keeps ours and its edges out, fail stops before anything is written."""
    rows = [
        {"type": "entity", "name": name, "entityType": "t", "observations": [text]}
        for name, text in (("a", "x"), ("b", "y"))
    ]
    rows.append({"type": "relation", "from": "a", "to": "b", "relationType": "needs"})  # type: ignore[dict-item]
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    ghost_cli.ok("put", "-n", NS, "-k", "b", "mine")
    result = ghost_cli("import", "--from", "server-memory", path, "-n", NS, "--on-conflict", policy)
    assert result.code == code
    assert ghost_cli.row("get", "-n", NS, "b")["content"] == content
    assert (f"{NS}/a" in ghost_cli.names()) == (code == 0)
    assert len(ghost_cli.rows("edge", "list", "-n", NS)) == (policy == "update")
    if policy == "skip":
        assert "left out the edge a depends_on b: one end was not imported" in result.err


def test_locked_memories_are_left_alone(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A lock holds against an import, which says so."""
    path = tmp_path / "e.json"
    path.write_text('[{"id": "1", "memory": "new text", "categories": ["locked"]}]')
    ghost_cli.ok("import", "--from", "mem0", path, "-n", NS)
    path.write_text(
        '[{"id": "1", "memory": "newer text", "categories": ["locked"], "expiration_date": "2999-01-01"}]'
    )
    result = ghost_cli("import", "--from", "mem0", path, "-n", NS)
    assert "1 skipped" in result.out
    assert result.err == f"left {NS}/new-text alone: it is locked\n"


def test_what_has_expired_there_stays_there(
    ghost_cli: "GhostCli", tmp_path: Path, wind: Any
) -> None:
    """A date in the past leaves a memory out; one to come is its end here too."""
    path = tmp_path / "e.json"
    path.write_text(
        '[{"memory": "gone", "expiration_date": "2026-03-01"}, {"memory": "brief", "expiration_date": "2026-04-01"}]'
    )
    report = ghost_cli.row("import", "--from", "mem0", path, "-n", NS)
    assert (report["imported"], report["notes"]) == (1, ["left out 1 that had expired"])
    assert ghost_cli.row("get", "-n", NS, "brief")["expires_at"].startswith("2026-04-01")


def test_nothing_is_written_when_one_item_is_bad(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Everything is checked before the first write, and the place is named."""
    path = tmp_path / "e.json"
    path.write_text('[{"memory": "good"}, {"memory": "bad \\ud800"}]')
    error, _ = ghost_cli.fails(2, "import", "--from", "mem0", path, "-n", NS)
    assert error.startswith("e.json, item 2: content is not valid Unicode")
    path.write_text(json.dumps([{"memory": "good"}, {"memory": "x", "categories": ["y" * 300]}]))
    error, _ = ghost_cli.fails(2, "import", "--from", "mem0", path, "-n", NS)
    assert error.startswith("e.json, item 2: invalid tag")
    assert ghost_cli.names() == []


def test_errors_say_what_to_do(ghost_cli: "GhostCli", tmp_path: Path, original: Any) -> None:
    """Each wrong call has one sentence and a next step, and stores nothing."""
    export = DATA / "mem0" / "export.json"
    assert "namespace is required" in ghost_cli.fails(2, "import", "--from", "mem0", export)[0]
    assert (
        ghost_cli.fails(2, "import", "--from", "mem0", "-n", NS)[1]
        == "give the file or folder that mem0 wrote"
    )
    assert (
        "two sources"
        in ghost_cli.fails(
            2, "import", "--from", "mem0", "--from-ghost", original("head.db"), "-n", NS
        )[0]
    )
    assert "use it with --from" in ghost_cli.fails(2, "import", __file__, "-n", NS)[1]
    database = tmp_path / "original" / "head.db"
    assert "--from-ghost" in ghost_cli.fails(2, "import", database, "-n", NS)[1]
    assert (
        "invalid namespace"
        in ghost_cli.fails(2, "import", "--from", "mem0", export, "-n", "a b")[0]
    )
    assert (
        "'notion' is not one of"
        in ghost_cli.fails(2, "import", "--from", "notion", export, "-n", NS)[0]
    )
    assert (
        "this is not JSON" in ghost_cli.fails(2, "import", "--from", "mem0", __file__, "-n", NS)[0]
    )
    assert "is a folder" in ghost_cli.fails(2, "import", "--from", "mem0", DATA, "-n", NS)[0]
    assert ghost_cli.fails(3, "import", "--from", "markdown", tmp_path / "none", "-n", NS)[
        0
    ].startswith("there is no file")
    assert ghost_cli.fails(3, "audit", tmp_path / "none")[0].startswith(
        "there is no file or folder"
    )
    assert "leave -n out" in ghost_cli.fails(2, "audit", export, "-n", NS)[1]
    assert ghost_cli.names() == []


def test_audit_of_ones_own_store(ghost_cli: "GhostCli") -> None:
    """Without a path the store is judged, one namespace of it on request, and nothing in it is counted."""
    for ns in (NS, "other"):
        ghost_cli.ok("put", "-n", ns, "-k", "one", "The same text.")
        ghost_cli.ok("put", "-n", ns, "-k", "two", "The same text.")
    before = ghost_cli.ok("export")
    assert ghost_cli.row("audit")["memories"] == 4
    report = ghost_cli.row("audit", "-n", NS)
    assert [
        (one["name"], one["count"], one["examples"]) for one in report["findings"] if one["count"]
    ] == [("duplicates", 1, [f"{NS}/two"])]
    assert ghost_cli.ok("audit", "-n", NS).splitlines()[1:3] == [
        f"duplicates: 1 (50.0%), costs 25  {NS}/two",
        f"    → ghost rm -n {NS} -k two",
    ]
    assert ghost_cli.ok("export") == before


def test_audit_without_a_store(ghost_cli: "GhostCli", home: Path) -> None:
    """A newcomer's empty store is tidy, and none is made."""
    assert ghost_cli.row("audit")["score"] == 100
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("name", ["head.db", "old.db"])
def test_audit_of_the_originals_database(ghost_cli: "GhostCli", original: Any, name: str) -> None:
    """It is judged through the door it would be imported by, and stays as it is."""
    source = original(name)
    before = state(source.parent)
    report = ghost_cli.row("audit", source)
    assert report["source"] == f"{source} (original Ghost)"
    assert report["memories"] > 0
    assert state(source.parent) == before


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        ("mem0/export.json", "mem0"),
        ("server-memory/memory.jsonl", "server-memory"),
        ("basic-memory", "basic-memory"),
    ],
)
def test_the_tool_is_recognised_when_a_namespace_is_given(
    ghost_cli: "GhostCli", path: str, tool: str
) -> None:
    """`ghost import PATH -n NS` reads the file as the tool that wrote it, and says so."""
    result = ghost_cli("import", DATA / path, "-n", NS, "--dry-run")
    assert result.code == 0
    assert f"note: read as {tool}; --from selects another tool" in result.err.splitlines()
    named = ghost_cli.ok("import", DATA / path, "-n", NS, "--dry-run", "--from", tool)
    assert result.out == named
