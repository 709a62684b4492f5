"""ghost memory search, list, read, write, write-shared and context"""

import json
import os
import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli, Program

GOLDEN = Path(__file__).parent.parent / "data" / "notes" / "roles"
EXPECTED = GOLDEN / "expected"


@pytest.fixture(autouse=True)
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with role files in their usual place, and return that place."""
    monkeypatch.delenv("BUS_MEMORY_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(GOLDEN / "memory", tmp_path / ".muxcode" / "memory"))


def now() -> str:
    """Return the local time as sections have it."""
    return f"{datetime.now():%Y-%m-%d %H:%M}"


# The documented calls


@pytest.mark.requirement("003-001", "003-023", "003-039", "003-040")
def test_search_with_two_words(ghost_cli: "GhostCli") -> None:
    """`memory search "pnpm build"` on the usual folder returns scored blocks, to the byte; so do two words."""
    expected = (EXPECTED / "search-pnpm-build.txt").read_text(encoding="utf-8")
    assert ghost_cli.ok("memory", "search", "pnpm build") == expected
    assert ghost_cli.ok("memory", "search", "pnpm", "build") == expected


@pytest.mark.requirement("003-001", "003-039", "003-041")
def test_list_everything(ghost_cli: "GhostCli") -> None:
    """`memory list` shows the sections of all files and archives, to the byte."""
    assert ghost_cli.ok("memory", "list") == (EXPECTED / "list.txt").read_text(encoding="utf-8")


# Usage errors


# Modes


@pytest.mark.requirement("003-002")
def test_hybrid(ghost_cli: "GhostCli", home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Meaning finds what the words do not hold; role and limit hold here too, and no store is made."""
    ghost_cli.ok(
        "memory",
        "write",
        "Coffee",
        "The physician drinks espresso every morning.",
        "--role",
        "edit",
    )
    assert ghost_cli.ok("memory", "search", "caffeine", "--mode", "keyword") == ""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    found = ghost_cli.rows("memory", "search", "caffeine", "--mode", "hybrid")
    assert (found[0]["role"], found[0]["section"]) == ("edit", "Coffee")
    out = ghost_cli.ok(
        "memory",
        "search",
        "espresso in the morning",
        *"--mode hybrid --role edit --limit 1".split(),
    )
    assert out.startswith(f"--- [edit] Coffee ({found[0]['timestamp']}) score:")
    assert out.endswith(" ---\nThe physician drinks espresso every morning.\n")
    assert (
        ghost_cli.ok(
            "memory", "search", "espresso", "--mode", "hybrid", "--role", "shared", "--limit", "1"
        )
        == ""
    )
    assert list(home.iterdir()) == []


# Reading and writing


def test_read_is_to_the_byte(program: "Program", memory: Path) -> None:
    """The file comes out as it is, shared by default, whatever its bytes; one that is not there is empty."""
    (memory / "odd.md").write_bytes(b"\xef\xbb\xbf## A\r\ncaf\xe9\x1b[31m\0\r\nno line end")
    for args, file in ([[], "shared.md"], [["edit"], "edit.md"], [["odd"], "odd.md"]):
        done = subprocess.run(
            program.command("memory", "read", *args), capture_output=True, check=True
        )
        assert done.stdout == (memory / str(file)).read_bytes()
    assert program("memory", "read", "nobody").out == ""


@pytest.mark.requirement("003-020", "003-021")
def test_formats_go_through_a_pipe_to_the_byte(program: "Program") -> None:
    """What the program prints is what the golden files hold."""
    for args, file in ((["search", "pnpm build"], "search-pnpm-build.txt"), (["list"], "list.txt")):
        done = subprocess.run(program.command("memory", *args), capture_output=True, check=True)
        assert done.stdout == (EXPECTED / str(file)).read_bytes()


@pytest.mark.may_skip
@pytest.mark.skipif(sys.platform == "win32", reason="terminals are those of Unix")
@pytest.mark.parametrize(
    "args", [["read", "odd"], ["search", "red"], ["list"], ["context", "--role", "odd"]]
)
def test_a_terminal_gets_nothing_harmful(program: "Program", memory: Path, args: list[str]) -> None:
    """Control characters of a file are shown as pictures on a terminal."""
    import pty

    (memory / "odd.md").write_bytes(b"## A\x1b[31m\nred \x07 \xff\n")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        program.command("memory", *args), stdout=theirs, env=os.environ | {"TERM": "xterm"}
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
    assert process.returncode == 0
    assert "A␛[31m".encode() in shown
    assert b"\x1b" not in shown
    assert b"\x07" not in shown


def test_write_tells_what_it_removed(
    ghost_cli: "GhostCli", memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new day puts the file away and removes old archives, which is said; the days are a setting, and 0 keeps all."""
    monkeypatch.setenv("GHOST_MEMORY_RETENTION_DAYS", "0")
    yesterday = datetime.now() - timedelta(days=1)
    os.utime(memory / "deploy.md", (yesterday.timestamp(),) * 2)
    assert ghost_cli("memory", "write", "A", "x", "--role", "deploy").err == ""
    archive = memory / "deploy" / f"{yesterday:%Y-%m-%d}.md"
    assert archive.read_bytes() == (GOLDEN / "memory" / "deploy.md").read_bytes()
    assert ghost_cli.ok("memory", "list", "--role", "deploy").count("\n") == 3
    monkeypatch.delenv("GHOST_MEMORY_RETENTION_DAYS")
    os.utime(memory / "deploy.md", (yesterday.timestamp(),) * 2)
    result = ghost_cli("memory", "write", "B", "x", "--role", "deploy")
    gone = Path(".muxcode/memory/deploy/2026-02-19.md")
    assert (result.code, result.out) == (0, "wrote [deploy] B\n")
    assert result.err == f"note: removed {gone}, which is older than 30 days\n"
    assert not gone.exists()


def test_context(ghost_cli: "GhostCli", memory: Path) -> None:
    """Shared memory first, then the role's own with the archives of the last days."""
    yesterday, long_ago = (datetime.now() - timedelta(days=days) for days in (1, 9))
    for name in (memory / "deploy").iterdir():
        name.unlink()
    for at in (yesterday, long_ago):
        (memory / "deploy" / f"{at:%Y-%m-%d}.md").write_text(
            f"of {at:%Y-%m-%d}\n", encoding="utf-8"
        )
    shared = f"# Shared Memory\n\n{(memory / 'shared.md').read_text(encoding='utf-8')}\n"
    own = (memory / "deploy.md").read_text(encoding="utf-8")
    week = f"{shared}\n# deploy Memory\n\nof {yesterday:%Y-%m-%d}\n\n{own}\n"
    assert ghost_cli.ok("memory", "context", "--role", "deploy") == week
    assert (
        ghost_cli.ok("memory", "context", "--role", "deploy", "--days", "0")
        == f"{shared}\n# deploy Memory\n\n{own}\n"
    )
    assert f"of {long_ago:%Y-%m-%d}" in ghost_cli.ok(
        "memory", "context", "--role", "deploy", "--days", "30"
    )
    assert (
        ghost_cli.ok("memory", "context")
        == ghost_cli.ok("memory", "context", "--role", "nobody")
        == shared
    )


# Where the files are, and in which form the answer comes


def test_no_store_is_opened(ghost_cli: "GhostCli", home: Path, tmp_path: Path) -> None:
    """None of these commands makes or needs a store, not even a broken one."""
    (tmp_path / "broken.db").write_text("no database", encoding="utf-8")
    for args in (
        ["search", "pnpm"],
        ["list"],
        ["read"],
        ["write", "A", "x"],
        ["write-shared", "A", "x"],
        ["context"],
    ):
        assert ghost_cli.ok("memory", *args, "--db", tmp_path / "broken.db")
        assert ghost_cli.ok("memory", *args)
    assert ghost_cli.ok(
        "memory", "search", "pnpm", "--mode", "hybrid", "--db", tmp_path / "broken.db"
    )
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    "args", [["list"], ["search", "pnpm", "--mode", "bm25"], ["write", "A", "x"], ["context"]]
)
def test_a_cold_command_is_light(args: list[str]) -> None:
    """No engine and no numbers library is imported for a few text files."""
    code = (
        "import os, sys, json; os._exit = sys.exit\nfrom ghostmem.cli.main import main\n"
        "try: main(sys.argv[1:])\nfinally: print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "memory", *args], capture_output=True, check=True
    )
    loaded = set(json.loads(done.stderr.decode().splitlines()[-1]))
    assert not loaded & {
        "numpy",
        "apsw",
        "onnxruntime",
        "mcp",
        "asyncio",
        "logging",
        "ghostmem.ghost",
        "ghostmem.store",
    }


@pytest.mark.smoke
def test_a_stranger_on_the_shell(program: "Program") -> None:
    """A whole session with pipes, as it is typed."""
    result = program.shell(
        "cd \"$(mktemp -d)\" && echo 'use pnpm for all builds' | ghost memory write 'Build Config' --role build &&"
        " ghost memory write-shared 'Lint' 'always lint' && ghost memory search pnpm | head -1 | cut -d' ' -f1-4 &&"
        " ghost memory list | cut -c1-23 && ghost memory context --role build | grep -c '^# '"
    )
    assert result.code == 0, result
    assert result.out == (
        "wrote [build] Build Config\nwrote [shared] Lint\n--- [build] Build Config\n"
        "build      Build Config\nshared     Lint        \n2\n"
    )
