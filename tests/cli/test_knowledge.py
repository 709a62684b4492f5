"""ghost knowledge: the eight tools as commands, on the files of a project, without a store"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem.notes import knowledge

if TYPE_CHECKING:
    from conftest import GhostCli, Program

pytestmark = pytest.mark.usefixtures("project")
MEMORIZE = [
    *"knowledge memorize-new-topic auth --tags security,identity --summary".split(),
    "How users sign in.",
]
CONTENT = "# Auth\n\nTokens are checked. 喜欢 🍵\n"
SUBCOMMANDS = [
    "recall-general-memory",
    "recall-memory",
    "search-memories",
    "list-memories",
    "memorize-new-topic",
    "refine-memory",
    "memorize-general-info",
    "forget-memory",
]


@pytest.fixture
def filled(ghost_cli: "GhostCli", project: Path) -> None:
    """Memorize a topic of the project."""
    ghost_cli.ok(*MEMORIZE, input=CONTENT)


def test_the_commands_are_the_tools(ghost_cli: "GhostCli") -> None:
    """There is a command for each tool, in the source's order."""
    section = ghost_cli.ok("knowledge", "--help").split("Commands:\n")[1].split("\n\n")[0]
    assert sorted(line.split()[0] for line in section.splitlines() if line[2] != " ") == sorted(
        SUBCOMMANDS
    )


def test_a_whole_life_of_a_topic(ghost_cli: "GhostCli", project: Path) -> None:
    """Memorize, recall, search, list, refine, forget; each prints the tool's text and nothing else."""
    run = lambda *words: ghost_cli.ok("knowledge", *words)  # noqa: E731
    assert run("recall-general-memory") == "Nothing is memorized yet.\n"
    assert run("list-memories") == "No topics found\n"
    assert ghost_cli.ok(*MEMORIZE, input=CONTENT) == "Memorized the topic auth.\n"
    assert (
        run("memorize-general-info", "A shop", "for tea.")
        == "Memorized the general project information.\n"
    )
    assert run("recall-memory", "auth") == knowledge.recall_memory(project, "auth")
    assert run("recall-memory", "auth").endswith(f"\n\n{CONTENT}")
    assert run("recall-general-memory") == (project / ".ai-knowledge" / "index.mdk").read_text(
        encoding="utf-8"
    )
    assert run("recall-general-memory").startswith(
        "## General Project Knowledge\n\nA shop for tea.\n"
    )
    assert run("search-memories", "nope", "SECURITY") == "auth\n"
    assert run("search-memories", "nope,identity") == "auth\n"
    assert run("search-memories", "nope") == "No topics found\n"
    assert (
        run("refine-memory", "auth", "--add-tags", "new", "--remove-tags", "identity,security")
        == "Refined the topic auth.\n"
    )
    assert "**Tags:** new\n" in run("recall-memory", "auth")
    assert (
        run("refine-memory", "auth", "--summary", "Signing in.", "--content", "Better.")
        == "Refined the topic auth.\n"
    )
    assert run("recall-memory", "auth").endswith("\n\nBetter.\n")
    assert "\n### auth\n\nSigning in.\n" in run("recall-general-memory")
    assert run("list-memories") == "auth\n"
    assert run("forget-memory", "auth", "-y") == "Forgot the topic auth.\n"
    assert run("list-memories") == "No topics found\n"


@pytest.mark.usefixtures("filled")
def test_contents_come_from_standard_input(ghost_cli: "GhostCli") -> None:
    """Without a word, or with a dash, the content is read; line ends of others are understood."""
    ghost_cli.ok("knowledge", "refine-memory", "auth", "--content", "-", input="One.\r\nTwo.\r\n")
    assert ghost_cli.ok("knowledge", "recall-memory", "auth").endswith("\n\nOne.\nTwo.\n")
    ghost_cli.ok("knowledge", "memorize-general-info", "-", input="General.")
    ghost_cli.ok("knowledge", "memorize-general-info", input="More.")
    assert "\n\nMore.\n" in ghost_cli.ok("knowledge", "recall-general-memory")


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_underscores_are_accepted(ghost_cli: "GhostCli", name: str) -> None:
    """A command may be called by the tool's own name."""
    more = {
        "recall-memory": ["auth"],
        "search-memories": ["x"],
        "memorize-new-topic": ["b", "--tags", "", "--summary", "s", "c"],
        "refine-memory": ["auth"],
        "memorize-general-info": ["x"],
        "forget-memory": ["auth"],
    }
    assert ghost_cli.ok("knowledge", name.replace("-", "_"), *more.get(name, []))


@pytest.mark.usefixtures("filled")
def test_json_is_one_object(ghost_cli: "GhostCli", project: Path) -> None:
    """With --json a command prints the text in one object."""
    assert ghost_cli.row("knowledge", "list-memories") == {"text": "auth"}
    assert ghost_cli.row("knowledge", "recall-memory", "auth") == {
        "text": knowledge.recall_memory(project, "auth")
    }
    assert ghost_cli.row("knowledge", "forget-memory", "auth") == {"text": "Forgot the topic auth."}


def test_the_root_may_be_named(ghost_cli: "GhostCli", project: Path, tmp_path: Path) -> None:
    """--root names another folder, which must be there; nothing is written in the working folder."""
    other = tmp_path / "other"
    other.mkdir()
    ghost_cli.ok(*MEMORIZE, "Text.", "--root", other)
    assert ghost_cli.ok("knowledge", "list-memories", "--root", other) == "auth\n"
    assert list(project.iterdir()) == []
    assert (
        "--root" in ghost_cli.fails(2, "knowledge", "list-memories", "--root", tmp_path / "nope")[0]
    )


@pytest.mark.usefixtures("filled")
def test_errors_have_their_exit_codes(ghost_cli: "GhostCli") -> None:
    """What cannot be is 2, what is not there 3, what exists already 4."""
    assert "a/b" in ghost_cli.fails(2, "knowledge", "recall-memory", "a/b")[0]
    assert ghost_cli.fails(3, "knowledge", "recall-memory", "aut") == (
        "there is no topic 'aut'",
        "did you mean auth?",
    )
    assert "exists already" in ghost_cli.fails(4, *MEMORIZE, "Text.")[0]
    assert (
        "--tags"
        in ghost_cli.fails(2, "knowledge", "memorize-new-topic", "b", "--summary", "s", "c")[0]
    )
    assert "TAG" in ghost_cli.fails(2, "knowledge", "search-memories")[0]


def test_no_store_is_opened(ghost_cli: "GhostCli", home: Path, filled: None) -> None:
    """Knowledge lies in the project; no store is made or looked at, whatever --db says."""
    ghost_cli.ok("--db", "/nowhere/at/all.db", "knowledge", "list-memories")
    assert list(home.iterdir()) == []


def test_listing_loads_nothing_heavy(program: "Program", project: Path) -> None:
    """Neither numpy nor a database is imported to list some files."""
    script = (
        "import sys; from ghostmem.cli.main import run; run(['knowledge', 'list-memories']);"
        "print(sorted({'numpy', 'apsw', 'mcp', 'onnxruntime', 'ghostmem.ghost'} & set(sys.modules)))"
    )
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, cwd=project, check=True, timeout=60
    )
    assert done.stdout.decode().splitlines() == ["No topics found", "[]"]
