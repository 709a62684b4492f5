"""GHOST_COMPAT: what scripts for the original Ghost read from standard output"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture
def compat(ghost_cli: "GhostCli") -> "GhostCli":
    """Return the command line as scripts for the original call it, over a few memories."""
    ghost_cli.ok("put", "-n", "a", "-k", "tea", "Sam drinks green tea.", "-t", "drink,home")
    ghost_cli.ok("put", "-n", "a", "-k", "pot", "The pot holds a litre.")
    ghost_cli.monkeypatch.setenv("GHOST_COMPAT", "1")
    return ghost_cli


def read(cli: "GhostCli", *args: object, **given: Any) -> Any:
    """Run a command that names no format, and read all it prints as one JSON value."""
    return json.loads(cli.ok(*args, **given))


def test_lists_are_arrays(compat: "GhostCli") -> None:
    """Also empty ones, and the hits of a search with nothing after them."""
    assert [memory["key"] for memory in read(compat, "list", "-n", "a")] == ["pot", "tea"]
    assert read(compat, "list", "-n", "a", "--keys-only")[0] == {"ns": "a", "key": "pot"}
    assert read(compat, "list", "-n", "nothing") == []
    assert [memory["version"] for memory in read(compat, "history", "-n", "a", "-k", "tea")] == [1]
    [hit] = read(compat, "search", "-n", "a", "green tea")
    assert hit["similarity"] == hit["score"]
    assert read(compat, "search", "-n", "a", "zeppelin", "--explain") == []
    assert read(compat, "ns", "list")[0]["ns"] == "a"
    assert read(compat, "ns", "tree")[0]["ns"] == "a"
    assert {tag["tag"] for tag in read(compat, "tags", "list")} == {"drink", "home"}


def test_objects_have_what_hook_scripts_read(compat: "GhostCli") -> None:
    """The fields that the original's hook scripts take from a context and from a put."""
    pack = read(compat, "context", "green tea", "-n", "a", "--budget", "1500")
    assert {"key", "content"} <= set(pack["memories"][0])
    stored = read(compat, "put", "-n", "a", "-k", "again", "--dedup", "Sam drinks green tea.")
    assert stored["key"] == "tea"
    assert read(compat, "get", "-n", "a", "-k", "tea", "-f", "json")["tags"] == ["drink", "home"]


def test_reading_without_a_namespace_reads_all(compat: "GhostCli") -> None:
    """As the original does, unless the setting `ns` names one."""
    compat.ok("put", "-n", "b", "-k", "cup", "A cup of green tea.")
    assert {memory["ns"] for memory in read(compat, "list")} == {"a", "b"}
    assert {memory["ns"] for memory in read(compat, "search", "green tea")} == {"a", "b"}
    compat.monkeypatch.setenv("GHOST_NS", "b")
    assert {memory["ns"] for memory in read(compat, "list")} == {"b"}


def test_a_format_that_is_named_wins(compat: "GhostCli") -> None:
    """Text is still there for people."""
    assert compat.ok("get", "-n", "a", "tea", "-f", "text") == "Sam drinks green tea.\n"
    assert read(compat, "get", "-n", "a", "tea")["content"] == "Sam drinks green tea."
    compat.monkeypatch.setenv("GHOST_FORMAT", "text")
    assert compat.ok("get", "-n", "a", "tea") == "Sam drinks green tea.\n"


def test_changes_are_confirmed(compat: "GhostCli", tmp_path: Path) -> None:
    """`ok`, and the original's names."""
    renamed = read(compat, "tags", "rename", "home", "house")
    assert (renamed["ok"], renamed["old_tag"], renamed["new_tag"]) == (True, "home", "house")
    assert read(compat, "tags", "rm", "house")["ok"]
    (tmp_path / "n.md").write_text("## One\n\ntext\n", encoding="utf-8")
    done = read(compat, "ingest", tmp_path / "n.md", "-n", "b")
    assert (done["ok"], done["ingested"], done["files"]) == (True, 1, 1)
    array = json.dumps([{"ns": "c", "key": "k", "content": "hello"}])
    done = read(compat, "import", input=array)
    assert (done["ok"], done["imported"]) == (True, 1)
    assert read(compat, "rm", "-n", "a", "-k", "pot")["ok"]
    removed = read(compat, "ns", "rm", "b")
    assert (removed["ok"], removed["action"], removed["deleted"]) == (True, "soft-deleted", 1)


def test_collections_name_their_mode(compat: "GhostCli") -> None:
    """What was or would be deleted, of the kind that was asked for."""
    assert read(compat, "gc")["mode"] == "expired"
    assert read(compat, "gc", "--dry-run")["would_delete"] == 0
    assert read(compat, "gc", "--stale", "30d")["deleted"] == 0
    compat.ok("rm", "-n", "a", "-k", "pot")
    purged = read(compat, "gc", "--purge-deleted", "all")
    assert (purged["mode"], purged["deleted"]) == ("purge_deleted", 1)


def test_rules_and_summaries_have_their_parts(compat: "GhostCli") -> None:
    """Conditions and the action of a rule are objects; a summary is `memory`."""
    rule = read(
        *(compat, "rule", "set", "--name", "r", "--action", "DECAY", "--cond-tier", "stm"),
        *("--action-params", '{"factor": 0.9}'),
    )
    assert rule["cond"] == {"tier": "stm"}
    assert rule["action"] == {"op": "DECAY", "params": {"factor": 0.9}}
    assert all("cond" in rule for rule in read(compat, "rule", "list"))
    made = read(
        *(compat, "consolidate", "-n", "a", "--summary-key", "all", "--keys", "tea,pot"),
        *("--content", "Tea and pot."),
    )
    assert made["memory"]["key"] == "all"
    assert {edge["to_key"] for edge in made["auto_linked"]} == {"tea", "pot"}


def test_captures_and_workflows_are_counted(compat: "GhostCli") -> None:
    """The candidates and sequences are under the original's names."""
    done = read(compat, "capture", "-n", "a", "--source", "s", "I prefer tabs over spaces in Go.")
    assert (done["ns"], done["candidates"], done["stored"]) == ("a", 1, 1)
    [memory] = done["memories"]
    assert (memory["cues"], memory["priority"], memory["tags"][-1]) == (
        ["preference"],
        "normal",
        "s",
    )
    done = read(compat, "mine-procedures", "-n", "a", input="build test\nbuild test\n")
    assert (done["sessions"], done["found"], done["stored"]) == (2, 1, 1)
    assert done["workflows"][0]["steps"] == ["build", "test"]


def test_without_the_setting_nothing_changes(ghost_cli: "GhostCli") -> None:
    """Lines of JSON, and text by default."""
    ghost_cli.ok("put", "-n", "a", "-k", "tea", "Sam drinks green tea.")
    listed = ("list", "-n", "a", "--keys-only")
    assert ghost_cli.ok(*listed) == "a/tea\n"
    assert ghost_cli.ok(*listed, "--json") == '{"ns": "a", "key": "tea"}\n'
