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


@pytest.mark.parametrize("name", ["head.db", "old.db"])
def test_audit_of_the_originals_database(ghost_cli: "GhostCli", original: Any, name: str) -> None:
    """It is judged through the door it would be imported by, and stays as it is."""
    source = original(name)
    before = state(source.parent)
    report = ghost_cli.row("audit", source)
    assert report["source"] == f"{source} (original Ghost)"
    assert report["memories"] > 0
    assert state(source.parent) == before
