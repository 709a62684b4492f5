"""Commands without -n: the namespace of the folder, keys made from the text, and names as printed."""

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.notes.project import project_namespace

if TYPE_CHECKING:
    from conftest import GhostCli, Program

NOTE = "namespace project:shop (from this folder; -n selects another)\n"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty git repository called shop, without a remote."""
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def others(ghost_cli: "GhostCli", shop: Path) -> None:
    """Store memories in other namespaces."""
    for number in (1, 2):
        ghost_cli.ok("put", "-n", "agent:x", "-k", f"tea-{number}", f"Green tea number {number}.")
    ghost_cli.ok("put", "-n", "agent:y", "-k", "tea", "--files", "tea.py", "Green tea for guests.")


def test_single_memories_use_the_namespace_of_the_folder(ghost_cli: "GhostCli", shop: Path) -> None:
    """Every command about one memory works without -n, in the namespace that MCP and hooks use."""
    assert project_namespace(str(shop)) == "project:shop"
    assert ghost_cli.row("put", "-k", "a", "alpha")["ns"] == "project:shop"
    ghost_cli.ok("put", "-k", "b", "beta")
    assert ghost_cli.ok("get", "a") == "alpha\n"
    for line in (
        ["history", "a"],
        ["used", "a"],
        ["curate", "a", "--op", "boost"],
        ["edge", "add", "a", "b", "depends_on"],
        ["edge", "list", "a"],
        ["link", "a", "b"],
        ["clusters"],
        ["consolidate", "--summary-key", "sum", "--keys", "a,b", "both"],
        ["expand"],
        ["rm", "a"],
        ["restore", "a"],
        ["capture", "--store", "I prefer green tea."],
        ["timeline", "a"],
    ):
        result = ghost_cli(*line)
        assert (result.code, NOTE in result.err) == (0, False), (line, result)
    with Ghost.open() as ghost:
        assert [info.ns for info in ghost.admin.namespaces()] == ["project:shop"]


def test_reads_use_it_and_all_reads_everything(ghost_cli: "GhostCli", others: None) -> None:
    """search, context, list, peek and files stay in the folder's namespace unless told --all."""
    ghost_cli.ok("put", "-k", "coffee", "--files", "tea.py", "Green coffee in the morning.")
    everything = {"agent:x", "agent:y", "project:shop"}
    for line in (["search", "green"], ["list"], ["files", "tea.py"]):
        assert {row["ns"] for row in ghost_cli.rows(*line)} == {"project:shop"}
    assert {row["ns"] for row in ghost_cli.rows("list", "--all")} == everything
    assert {row["ns"] for row in ghost_cli.rows("search", "--all", "green")} == everything
    assert {memory["ns"] for memory in ghost_cli.row("context", "green")["memories"]} == {
        "project:shop"
    }
    assert len(ghost_cli.row("context", "--all", "green")["memories"]) == 4
    assert ghost_cli.ok("peek").startswith("project:shop: 1 memory")
    assert ghost_cli.ok("peek", "agent:x").startswith("agent:x: 2 memories")
    assert ghost_cli.ok("peek", "--all").startswith("all namespaces: 4 memories")
    assert "both given" in ghost_cli.fails(2, "list", "--all", "-n", "agent:x")[0]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (["search", "tea"], "nothing relevant in project:shop; 2 in agent:x, 1 in agent:y"),
        (["context", "green tea"], "nothing relevant in project:shop; 2 in agent:x, 1 in agent:y"),
        (["list"], "no memories in project:shop; 2 in agent:x, 1 in agent:y"),
        (
            ["list", "--file", "tea.py"],
            "no memories match the filters in project:shop; 1 in agent:y",
        ),
        (["files", "tea.py"], "no memory is about tea.py in project:shop; 1 in agent:y"),
        (["peek"], "no memories in project:shop; 2 in agent:x, 1 in agent:y"),
    ],
    ids=str,
)
def test_a_read_that_finds_nothing_says_where_there_is_something(
    ghost_cli: "GhostCli", others: None, line: list[str], text: str
) -> None:
    """Other namespaces with results are counted, and no memory there counts as shown."""
    result = ghost_cli(*line)
    assert (result.code, result.err) == (0, f"{NOTE}{text} (--all shows them)\n")
    counts = {row["access_count"] for row in ghost_cli.rows("list", "--all")}
    assert counts == {0}


def test_nothing_anywhere_is_said_without_a_hint(ghost_cli: "GhostCli", others: None) -> None:
    """When no namespace has a result, or the caller named one, nothing else is said."""
    assert ghost_cli("search", "zeppelin").err == f"{NOTE}nothing relevant in project:shop\n"
    assert ghost_cli("search", "-n", "agent:y", "zeppelin").err == "nothing relevant\n"
    assert ghost_cli("search", "--all", "zeppelin").err == "nothing relevant\n"


@pytest.mark.parametrize("command", [["list"], ["search", "tea"], ["context", "tea"], ["peek"]])
def test_a_namespace_that_does_not_exist_is_said(
    ghost_cli: "GhostCli", others: None, command: list[str]
) -> None:
    """A misspelt name is not taken for a namespace without an answer."""
    misspelt = ghost_cli(*command, "-n", "agent:xx").err
    assert misspelt.endswith("; there is no namespace agent:xx: did you mean agent:x?\n")
    unknown = ghost_cli(*command, "-n", "team:*").err
    assert unknown.endswith("; there is no namespace team:*: `ghost ns list` shows all\n")
    assert ghost_cli("search", "-n", "agent:*", "zeppelin").err == "nothing relevant\n"


def test_the_namespace_is_not_repeated_to_who_named_it(
    ghost_cli: "GhostCli", shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No note with -n, GHOST_NS, the configuration or JSON; an error stands alone."""
    assert ghost_cli("put", "-n", "project:shop", "-k", "a", "alpha").err == ""
    assert ghost_cli("--json", "get", "a").err == ""
    assert "memory not found: project:shop/nope" in ghost_cli.fails(3, "get", "nope")[0]
    monkeypatch.setenv("GHOST_NS", "agent:env")
    result = ghost_cli("put", "-k", "a", "alpha")
    assert (result.out.split()[1], result.err) == ("agent:env/a", "")


def test_the_namespace_of_the_folder_is_printed_until_something_is_stored(
    ghost_cli: "GhostCli", shop: Path
) -> None:
    """A first put and a read of an empty namespace say which one is used; later ones do not."""
    assert ghost_cli("list").err.startswith(NOTE)
    assert ghost_cli("put", "-k", "a", "alpha").err == NOTE
    for line in (["put", "-k", "b", "beta"], ["list"], ["get", "a"], ["search", "alpha"]):
        assert ghost_cli(*line).err == ""


def test_commands_about_the_store_keep_their_meaning(ghost_cli: "GhostCli", others: None) -> None:
    """stats, export, tags, conflicts and search in notes are about all namespaces."""
    ghost_cli.ok("put", "-n", "agent:x", "-k", "tagged", "-t", "drink", "x")
    assert ghost_cli.row("stats")["active_memories"] == 4
    assert '"agent:x"' in ghost_cli.ok("export")
    assert ghost_cli.row("tags")["tag"] == "drink"
    assert "4 memories checked" in ghost_cli.ok("reflect")


def test_where_says_what_decides(
    ghost_cli: "GhostCli", shop: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder, a remote, a setting or an option: each is named."""
    found = ghost_cli.row("where")
    assert (found["ns"], found["db"]) == ("project:shop", str(store))
    assert "which has no remote" in found["ns_reason"]
    assert "the first put creates it" in found["db_reason"]
    assert not store.exists()
    remote = '[remote "origin"]\n\turl = https://user:secret@example.com/acme/api.git\n'
    (shop / ".git" / "config").write_text(remote)
    found = ghost_cli.row("where")
    assert found["ns"] == "project:acme-api"
    assert "the remote acme/api of the git repository" in found["ns_reason"]
    assert "secret" not in json.dumps(found)
    monkeypatch.setenv("GHOST_NS", "agent:env")
    monkeypatch.setenv("GHOST_DB", "postgresql://ghost:secret@db.example/ghost")
    text = ghost_cli.ok("where")
    assert text.splitlines() == [
        "namespace  agent:env  (GHOST_NS)",
        "store      postgresql://ghost:***@db.example/ghost  (GHOST_DB)",
    ]
    assert ghost_cli.row("--db", "x.db", "where")["db_reason"].startswith("--db")


def test_doctor_shows_the_namespace(ghost_cli: "GhostCli", shop: Path) -> None:
    """The namespace of this folder is among the findings."""
    assert "✓ namespace: project:shop (the name of the git repository" in ghost_cli.ok("doctor")


# --- names as Ghost prints them


def test_a_memory_is_named_as_ghost_prints_it(ghost_cli: "GhostCli", others: None) -> None:
    """ns/key works for get, history, used, curate, edge, rm, restore and resolve."""
    assert ghost_cli.ok("get", "agent:x/tea-1") == "Green tea number 1.\n"
    for line in (
        ["history", "agent:x/tea-1"],
        ["used", "agent:x/tea-1", "agent:x/tea-2"],
        ["curate", "agent:x/tea-1", "--op", "pin"],
        ["edge", "add", "agent:x/tea-1", "tea-2", "contradicts"],
        ["edge", "list", "agent:x/tea-1"],
        ["resolve", "agent:x/tea-1", "agent:x/tea-2"],
        ["rm", "agent:x/tea-2"],
        ["restore", "agent:x/tea-2"],
    ):
        result = ghost_cli(*line)
        assert (result.code, NOTE in result.err) == (0, False), (line, result)
    diff = "@@ -1 +1 @@\n-Green tea for guests.\n+White tea for guests.\n"
    assert ghost_cli("patch", "agent:y/tea", input=diff).code == 0
    error, _ = ghost_cli.fails(2, "used", "agent:x/tea-1", "agent:y/tea")
    assert error == "agent:x and agent:y are different namespaces"


def test_an_exact_key_of_the_default_namespace_wins(ghost_cli: "GhostCli", others: None) -> None:
    """A key with a slash is that key; only what no such key has is read as ns/key."""
    ghost_cli.ok("put", "-n", "docs", "-k", "guide", "in the namespace docs")
    assert ghost_cli.ok("get", "docs/guide") == "in the namespace docs\n"
    assert "-n docs -k guide" in ghost_cli.fails(2, "put", "-k", "docs/guide", "here or there?")[1]
    ghost_cli.ok("put", "-n", "project:shop", "-k", "docs/guide", "in the folder's namespace")
    assert ghost_cli.ok("get", "docs/guide") == "in the folder's namespace\n"
    ghost_cli.ok("rm", "docs/guide")
    assert "project:shop/docs/guide" in ghost_cli.fails(3, "get", "docs/guide")[0]
    assert ghost_cli.ok("restore", "docs/guide").startswith("restored project:shop/docs/guide")
    assert "agent:x/docs/guide" in ghost_cli.fails(3, "get", "-n", "agent:x", "docs/guide")[0]


def test_a_missing_memory_names_others_of_its_key(ghost_cli: "GhostCli", others: None) -> None:
    """The key in another namespace is suggested as it can be typed."""
    for command in ("get", "history"):
        error, hint = ghost_cli.fails(3, command, "tea")
        assert error == "memory not found: project:shop/tea"
        assert hint == "did you mean agent:y/tea?"
    assert "agent:y" not in ghost_cli.fails(3, "get", "-n", "agent:x", "tea")[1]


# --- keys made from the text


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("we use tabs, not spaces", "we-use-tabs-not-spaces"),
        ("Don't push to main!\n\nEver.", "don-t-push-to-main-ever"),
        (
            "The nightly build of the billing service runs at two",
            "the-nightly-build-of-the-billing-service-runs",
        ),
        ("我们总是在星期二部署。", "我们总是在星期二部署"),
        ("🎉", "note"),
        ("x" * 500, "x" * 48),
    ],
)
def test_a_key_is_made_of_the_first_words(
    ghost_cli: "GhostCli", shop: Path, text: str, key: str
) -> None:
    """The key is short and can be read, in any script."""
    assert ghost_cli.row("put", text)["key"] == key


def test_the_key_of_another_memory_is_never_taken(ghost_cli: "GhostCli", shop: Path) -> None:
    """Another text with the same first words gets a number; the same text keeps its key."""
    ghost_cli.ok("put", "-k", "tea-time", "something else")
    keys = [ghost_cli.row("put", text)["key"] for text in ("Tea time.", "tea time", "Tea time.")]
    assert keys == ["tea-time-2", "tea-time-3", "tea-time-2"]
    ghost_cli.ok("rm", "tea-time")
    assert ghost_cli.row("put", "tea: time")["key"] == "tea-time-4"
    ghost_cli.ok("rm", "tea-time-2")
    assert ghost_cli.row("put", "Tea time.")["key"] == "tea-time-2"
    assert ghost_cli.ok("get", "-v", "1", "tea-time") == "something else\n"
    assert "needs a key" in ghost_cli.fails(2, "put", "--base-version", "0", "x")[0]


def test_a_secret_does_not_become_a_key(ghost_cli: "GhostCli", shop: Path) -> None:
    """What is redacted in the text is not in the key either, and the same text is recognised."""
    secret = "sk-ant-api03-" + "Ab3xK9" * 15
    made = [ghost_cli("--json", "put", f"The key is {secret}").rows[0] for _ in range(2)]
    assert [memory["outcome"] for memory in made] == ["created", "reinforced"]
    assert secret.lower()[:20] not in json.dumps(made).lower()


def test_processes_that_put_at_once_do_not_overwrite_each_other(
    program: "Program", shop: Path
) -> None:
    """Six processes store texts with the same first words: six memories, each with version 1."""
    start = "Each of these sentences begins with exactly the same words, number"
    running = [program.start("put", f"{start} {number}") for number in range(6)]
    assert [process.communicate(timeout=60)[0] is not None for process in running] == [True] * 6
    assert {process.returncode for process in running} == {0}
    with Ghost.open() as ghost:
        found = ghost.list("*")
    assert sorted(memory.content for memory in found) == [
        f"{start} {number}" for number in range(6)
    ]
    assert {memory.version for memory in found} == {1}


# --- the kind of a put


def test_a_put_is_semantic_in_every_interface(
    ghost_cli: "GhostCli", shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new memory is a fact on the command line and in the library; a setting changes both."""
    assert ghost_cli.row("put", "-k", "a", "alpha")["kind"] == "semantic"
    assert ghost_cli.row("put", "-k", "b", "--tier", "stm", "beta")["kind"] == "semantic"
    with Ghost.open() as ghost:
        assert ghost.put("project:shop", "c", "gamma").kind == "semantic"
    monkeypatch.setenv("GHOST_DEFAULT_KIND", "procedural")
    assert ghost_cli.row("put", "-k", "d", "delta")["kind"] == "procedural"
    with Ghost.open() as ghost:
        assert ghost.put("project:shop", "e", "epsilon").kind == "procedural"
    monkeypatch.setenv("GHOST_DEFAULT_KIND", "fact")
    assert "'fact' is not one of" in ghost_cli.fails(2, "put", "x")[0]


# --- the first minutes of a newcomer


@pytest.mark.wide(keep=1)
@pytest.mark.smoke
@pytest.mark.parametrize("place", ["empty folder", "git project"])
def test_a_newcomer_needs_no_namespace_and_no_key(
    program: "Program", tmp_path: Path, place: str
) -> None:
    """put, search, get, list and help as one types them, in an empty folder and in a project."""
    folder = tmp_path / "first steps"
    folder.mkdir()
    if place == "git project":
        subprocess.run(["git", "init", "-q", folder], check=True)
    steps: Any = type(program)(folder)
    env = {"GHOST_EMBED_PROVIDER": "static"}
    put = steps("put", "we use tabs, not spaces", **env)
    assert put.out.startswith("created project:first-steps/we-use-tabs-not-spaces v1")
    name = put.out.split()[1]
    found = steps("search", "indentation tabs", **env)
    assert "we use tabs, not spaces" in found.out
    for line in (["get", name], ["get", name.partition("/")[2]]):
        assert steps(*line, **env).out == "we use tabs, not spaces\n"
    assert name in steps("list", **env).out
    assert "Every day:" in steps("--help", **env).out
    everything = [put, found, steps("search", "indentation", **env), steps("list", **env)]
    assert {result.code for result in everything} == {0}
    assert not [result.err for result in everything if "error" in result.err]


def test_a_search_needs_words(ghost_cli: "GhostCli", shop: Path) -> None:
    """Without a question, or with an empty one, the error shows how to ask."""
    for line in (["search"], ["search", ""], ["search", "  "], ["notes", "search", ""]):
        error, hint = ghost_cli.fails(2, *line)
        assert error == "a question is required"
        assert "ghost search" in hint


def test_processes_share_the_namespace_of_a_subfolder(program: "Program", shop: Path) -> None:
    """A subfolder of a repository belongs to the same project."""
    inner = shop / "src" / "deep"
    inner.mkdir(parents=True)
    done = type(program)(inner)("where", "--json")
    assert done.rows[0]["ns"] == "project:shop"


def test_a_put_understands_the_names_that_get_reads(ghost_cli: "GhostCli", others: None) -> None:
    """Its own namespace before a key is removed; another existing one is refused with the way."""
    assert ghost_cli.row("put", "-k", "project:shop/rel", "one")["key"] == "rel"
    assert ghost_cli.ok("get", "project:shop/rel") == "one\n"
    assert ghost_cli.row("put", "-n", "agent:x", "-k", "agent:x/rel", "two")["key"] == "rel"
    assert ghost_cli.ok("get", "-n", "agent:x", "agent:x/rel") == "two\n"
    error, hint = ghost_cli.fails(2, "put", "-k", "agent:y/rel", "three")
    assert error == "`agent:y/` is a namespace"
    assert hint == "write -n agent:y -k rel; with -n project:shop it is a key there"


def test_a_put_keeps_keys_with_a_slash(ghost_cli: "GhostCli", others: None) -> None:
    """A path is a key, and so is an existing one that starts like a namespace."""
    assert ghost_cli.row("put", "-k", "docs/setup", "one")["key"] == "docs/setup"
    ghost_cli.ok("put", "-n", "project:shop", "-k", "agent:y/rel", "two")
    ghost_cli.ok("put", "-n", "docs", "-k", "k", "three")
    for key in ("docs/setup", "agent:y/rel"):
        assert ghost_cli.row("put", "-k", key, "four")["version"] == 2
    assert ghost_cli.row("put", "-k", "docs/more", "five")["ns"] == "project:shop"
