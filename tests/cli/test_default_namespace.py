"""Commands without -n: the namespace of the folder, keys made from the text, and names as printed."""

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost

if TYPE_CHECKING:
    from conftest import GhostCli, Program


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty git repository called shop, without a remote."""
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(folder)
    return folder


def test_doctor_shows_the_namespace(ghost_cli: "GhostCli", shop: Path) -> None:
    """The namespace of this folder is among the findings."""
    assert "✓ namespace: project:shop (the name of the git repository" in ghost_cli.ok("doctor")


# --- names as Ghost prints them


# --- keys made from the text


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
