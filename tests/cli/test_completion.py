"""ghost completion, and the protocol behind it"""

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli, Program


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(ghost_cli: "GhostCli", shell: str) -> None:
    """The script calls ghost with the variable that makes it complete."""
    script = ghost_cli.ok("completion", shell)
    assert f"_GHOST_COMPLETE={shell}_complete" in script
    assert ghost_cli.row("completion", shell) == {
        "shell": shell,
        "script": script.removesuffix("\n"),
    }


def test_the_bash_script_is_valid(ghost_cli: "GhostCli") -> None:
    """Bash accepts it."""
    bash = shutil.which("bash")
    assert bash
    assert (
        subprocess.run(
            [bash, "-n"], input=ghost_cli.ok("completion", "bash").encode(), check=False
        ).returncode
        == 0
    )


@pytest.mark.smoke
def test_the_source_variable_prints_the_script(program: "Program") -> None:
    """`_GHOST_COMPLETE=bash_source ghost` is click's own way to the same script."""
    done = program(_GHOST_COMPLETE="bash_source")
    assert done.code == 0
    assert "complete -o nosort -F _ghost_completion ghost" in done.out


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("ghost re", {"resolve", "restore", "repair", "reflect"}),
        ("ghost list --keys", {"--keys-only"}),
        ("ghost ns ", {"list", "tree", "rm"}),
        ("ghost completion z", {"zsh"}),
        ("ghost --js", {"--json"}),
        ("ghost put --kind ", {"semantic", "episodic", "procedural"}),
        ("ghost search --tier l", {"ltm"}),
        ("ghost config set embed_p", {"embed_provider", "embed_put_chunks"}),
    ],
)
def test_words_are_completed(program: "Program", words: str, found: set[str]) -> None:
    """Commands, subcommands, options and choices are offered."""
    count = str(len(words.split(" ")) - 1)
    done = program(_GHOST_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=count)
    assert done.code == 0
    assert {line.split(",")[1] for line in done.out.splitlines()} == found
