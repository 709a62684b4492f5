"""ghost import --from-ghost: databases that the original program wrote, against what Python's sqlite3 read in them"""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

NAMES = ["head.db", "seed.db", "mid.db", "old.db", "head-wal.db"]
EXPECTED: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "original" / "expected.json").read_text("utf-8")
)
Row = dict[str, Any]


def name_of(row: Row) -> str:
    """Return a row's namespace and key in one word."""
    return f"{row['ns']}/{row['key']}"


def live(rows: list[Row]) -> dict[str, Row]:
    """Return the original's current row of each key: the highest version among those not deleted."""
    found: dict[str, Row] = {}
    for row in rows:
        if row["deleted_at"] is None and row["version"] >= found.get(name_of(row), row)["version"]:
            found[name_of(row)] = row
    return found


@pytest.fixture(params=NAMES)
def imported(
    request: pytest.FixtureRequest, ghost_cli: "GhostCli", original: Callable[[str], Path]
) -> tuple[Row, list[Row]]:
    """Import one database; return what was in it, and our export."""
    ghost_cli.ok("import", "--from-ghost", original(request.param))
    return EXPECTED[request.param], ghost_cli.rows("export")


def memories(rows: list[Row]) -> list[Row]:
    """Return the memories of an export."""
    return [row for row in rows if row["type"] == "memory"]


def ours(rows: list[Row]) -> dict[str, Row]:
    """Return our live memories by name."""
    return {name_of(row): row for row in memories(rows) if "deleted_at" not in row}


def test_live_keys_and_contents_are_the_originals(imported: tuple[Row, list[Row]]) -> None:
    """What the original would answer to get is what we answer."""
    expected, rows = imported
    assert {name: row["content"] for name, row in ours(rows).items()} == {
        name: row["content"] for name, row in live(expected["memories"]).items()
    }


def test_every_version_is_there(imported: tuple[Row, list[Row]]) -> None:
    """Each key has as many versions as the original's rows, with the same contents and ids."""
    expected, rows = imported
    assert Counter(map(name_of, memories(rows))) == Counter(map(name_of, expected["memories"]))
    assert {row["id"]: row["content"] for row in memories(rows)} == {
        row["id"]: row["content"] for row in expected["memories"]
    }


def test_versions_are_gapless_or_as_they_were(imported: tuple[Row, list[Row]]) -> None:
    """Each key's versions rise one by one, and only the last may be live."""
    _, rows = imported
    chains: dict[str, list[Row]] = {}
    for row in memories(rows):
        chains.setdefault(name_of(row), []).append(row)
    for chain in chains.values():
        assert [row["version"] for row in chain] == list(range(1, len(chain) + 1))
        assert all("deleted_at" in row for row in chain[:-1])


def test_tags_and_times_are_the_originals(imported: tuple[Row, list[Row]]) -> None:
    """Tags in order without empty ones, and creation to the second, of every version."""
    expected, rows = imported
    theirs = {row["id"]: row for row in expected["memories"]}
    for row in memories(rows):
        tags = [tag for tag in json.loads(theirs[row["id"]]["tags"] or "[]") if tag.strip()]
        assert row.get("tags", []) == tags
        assert row["created_at"][:19] == theirs[row["id"]]["created_at"][:19]


def test_files_are_the_originals(imported: tuple[Row, list[Row]]) -> None:
    """Every version keeps its files with their relations."""
    expected, rows = imported
    theirs = {(row["memory_id"], row["path"], row["rel"]) for row in expected["files"]}
    assert {
        (row["id"], file["path"], file["rel"])
        for row in memories(rows)
        for file in row.get("files", [])
    } == theirs


def test_counters_and_standing_are_the_originals(imported: tuple[Row, list[Row]]) -> None:
    """Access and utility counts, importance and pins survive."""
    expected, rows = imported
    theirs = {row["id"]: row for row in expected["memories"]}
    for row in memories(rows):
        was = theirs[row["id"]]
        assert row["access_count"] == was["access_count"]
        assert row["utility_count"] == was.get("utility_count", 0)
        assert row["importance"] == min(1.0, was.get("importance", 0.5))
        assert row["pinned"] == (bool(was.get("pinned")) or was.get("tier") == "identity")


def test_edges_between_live_ends_survive(imported: tuple[Row, list[Row]]) -> None:
    """Every edge is there once, moved to the current version of its ends; self edges and crossings are left out."""
    expected, rows = imported
    names = {row["id"]: name_of(row) for row in expected["memories"]}
    wanted = {
        (names[row["from_id"]], names[row["to_id"]], row["rel"])
        for row in [*expected["edges"], *expected["links"]]
        if names[row["from_id"]] != names[row["to_id"]]
        and names[row["from_id"]].split("/")[0] == names[row["to_id"]].split("/")[0]
    }
    edges = [row for row in rows if row["type"] == "edge"]
    assert {(names[row["from_id"]], names[row["to_id"]], row["rel"]) for row in edges} == wanted
    assert len(edges) == len(wanted)


def test_own_rules_survive_and_built_in_ones_are_ours(imported: tuple[Row, list[Row]]) -> None:
    """Only what a user made is brought over."""
    expected, rows = imported
    own = {
        row["id"]: row["action_op"] for row in expected["rules"] if row["created_by"] != "system"
    }
    assert {row["id"]: row["action_op"] for row in rows if row["type"] == "rule"} == own


@pytest.mark.parametrize("name", NAMES)
def test_the_source_and_its_folder_are_untouched(
    ghost_cli: "GhostCli", original: Callable[[str], Path], name: str
) -> None:
    """Not a byte, not a time and no file beside it changes, twice over; the store is clean and nothing doubles."""
    source = original(name)

    def state() -> dict[str, tuple[bytes, int]]:
        return {
            path.name: (path.read_bytes(), path.stat().st_mtime_ns)
            for path in source.parent.iterdir()
        }

    before = state()
    first = ghost_cli.row("import", "--from-ghost", source)
    assert first["imported"] == EXPECTED[name]["counts"]["memories"]
    exported = ghost_cli.ok("export")
    again = ghost_cli.row("import", "--from-ghost", source)
    assert (again["imported"], again["unchanged"]) == (0, first["imported"])
    assert state() == before
    assert ghost_cli.ok("export") == exported
    assert ghost_cli.ok("check") == "clean\n"


def test_values_of_a_few_known_rows(ghost_cli: "GhostCli", original: Callable[[str], Path]) -> None:
    """The rows that the README of the data describes, read through get."""
    ghost_cli.ok("import", "--from-ghost", original("head.db"))
    theme = ghost_cli.row("get", "-n", "agent:demo", "editor-theme")
    assert (theme["version"], theme["access_count"], theme["utility_count"], theme["priority"]) == (
        4,
        4,
        1,
        "high",
    )
    assert theme["tags"] == ["ui", "editor", "font"]
    deploy = ghost_cli.row("get", "-n", "agent:demo", "deploy-steps")
    assert deploy["meta"]["作者"] == "小明"
    assert ghost_cli.row("get", "-n", "agent:demo", "notes/设计 v2 🚀")["tags"] == ["emoji-🚀"]
    odd = ghost_cli.row("get", "-n", "agent:demo", "odd-enums")
    assert (odd["kind"], odd["priority"]) == ("semantic", "normal")
    assert (odd["meta"]["original_kind"], odd["meta"]["original_priority"]) == ("note", "urgent")
    assert ghost_cli.row("get", "-n", "agent:demo", "persona")["pinned"]


def test_what_only_the_write_ahead_log_knows_comes_along(
    ghost_cli: "GhostCli", original: Callable[[str], Path]
) -> None:
    """A database copied while the original was running is read with its log."""
    ghost_cli.ok("import", "--from-ghost", original("head-wal.db"))
    keys = {key.split("/")[1] for key in ghost_cli.names()}
    assert "in-wal" in keys
    assert "in-main-3" not in keys
    assert ghost_cli.row("get", "-n", "agent:demo", "in-main-2")["version"] == 2


def test_dry_run_counts_and_stores_nothing(
    ghost_cli: "GhostCli", original: Callable[[str], Path]
) -> None:
    """--dry-run reports what the real run then does."""
    source = original("seed.db")
    planned = ghost_cli.row("import", "--from-ghost", source, "--dry-run")
    assert ghost_cli.names() == []
    assert ghost_cli.row("import", "--from-ghost", source) == {**planned, "dry_run": False}


def test_what_is_left_out_is_said_beside_the_data(
    ghost_cli: "GhostCli", original: Callable[[str], Path]
) -> None:
    """Notes go to standard error in text, and into the object in JSON."""
    source = original("seed.db")
    result = ghost_cli("import", "--from-ghost", source)
    assert result.out.count("\n") == 1
    assert "left out 9 built-in rules of the original" in result.err
    notes = ghost_cli.row("--db", ":memory:", "import", "--from-ghost", source)["notes"]
    assert "\n".join(notes) + "\n" == result.err


@pytest.mark.parametrize(
    ("name", "code", "named"),
    [
        ("missing.db", 3, "missing.db"),
        ("folder", 3, "folder"),
        ("text.db", 5, "text.db"),
        ("ours.db", 5, "ours.db"),
        ("foreign.db", 5, "foreign.db"),
        ("empty.db", 5, "empty.db"),
    ],
)
def test_other_files_are_refused(
    ghost_cli: "GhostCli", tmp_path: Path, sql: Callable[..., Any], name: str, code: int, named: str
) -> None:
    """What the original did not write is named and left alone."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text(
        "just text, and long enough to be read as a header of something " * 20
    )
    (tmp_path / "empty.db").write_bytes(b"")
    sql(tmp_path / "foreign.db", "CREATE TABLE t (a)")
    ghost_cli.ok("--db", tmp_path / "ours.db", "put", "-n", "a", "-k", "k", "x")
    source = tmp_path / name
    before = source.read_bytes() if source.is_file() else b""
    error, _ = ghost_cli.fails(code, "import", "--from-ghost", source)
    assert named in error
    assert (source.read_bytes() if source.is_file() else b"") == before
    assert ghost_cli.names() == []


def test_the_namespaces_are_named_and_how_hooks_see_them(
    ghost_cli: "GhostCli",
    original: Callable[[str], Path],
    sql: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Hooks and tools use another namespace; the command that is named makes them use the imported one."""
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    monkeypatch.setenv("GHOST_HOOK_TIMEOUT", "60")  # the machine may be busy
    source = original("mid.db")
    sql(source, "UPDATE memories SET ns = 'agent:claude-code' WHERE ns = 'agent:demo'")
    done = ghost_cli.row("import", "--from-ghost", source)
    names = done["namespaces"]
    assert set(names) == {"agent:claude-code", "project:alpha"}
    listed, seen = done["notes"][-2:]
    assert listed.startswith(f"namespaces: agent:claude-code ({names['agent:claude-code']} mem")
    command = "ghost config set ns agent:claude-code"
    assert ("project:shop in this folder" in seen, seen.endswith(command)) == (True, True)

    event = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup", "cwd": "."}
    assert ghost_cli("hook", "claude", input=json.dumps(event)).out == ""
    ghost_cli.ok(*command.split()[1:])
    event["session_id"] = "t"
    assert "<memory" in ghost_cli("hook", "claude", input=json.dumps(event)).out
    again = ghost_cli.row("import", "--from-ghost", source)["notes"]
    assert again[-1].startswith("namespaces: ")


def test_the_folders_own_namespace_needs_no_setting(
    ghost_cli: "GhostCli",
    original: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """In the project whose namespace was imported, nothing has to be set."""
    (tmp_path / "alpha").mkdir()
    monkeypatch.chdir(tmp_path / "alpha")
    notes = ghost_cli.row("import", "--from-ghost", original("mid.db"), "--dry-run")["notes"]
    assert notes[-1].startswith("namespaces: agent:demo")


def test_rules_of_the_original_that_cannot_run_are_left_out(
    ghost_cli: "GhostCli", original: Callable[[str], Path], sql: Callable[..., Any]
) -> None:
    """One without a tier moves by one tier, `archived` is dormant here, others are named."""
    source = original("head.db")
    for number, (op, params) in enumerate(
        (("PROMOTE", None), ("DEMOTE", '{"to_tier": "archived"}'), ("DEMOTE", '{"to_tier": "x"}'))
    ):
        sql(
            source,
            "INSERT INTO reflect_rules (id, ns, name, priority, scope, created_by, action_op,"
            " action_params, created_at, cond_tier)"
            " VALUES (?, '', ?, 50, 'reflect', 'user', ?, ?, '2026-07-01T08:00:00Z', 'stm')",
            *(f"r{number}", f"rule {number}", op, params),
        )
    notes = ghost_cli.row("import", "--from-ghost", source)["notes"]
    assert "left out the rule 'rule 2': DEMOTE cannot move to the tier 'x'" in notes
    assert "action_params" not in ghost_cli.row("rule", "get", "r0")
    assert ghost_cli.row("rule", "get", "r1")["action_params"] == {"to_tier": "dormant"}
    ghost_cli.fails(3, "rule", "get", "r2")
    ghost_cli.ok("reflect")
