"""What a cold command imports: nothing it does not need"""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

HEAVY = {
    "numpy",
    "onnxruntime",
    "tokenizers",
    "pydantic",
    "mcp",
    "asyncio",
    "logging",
    "importlib.metadata",
    "email",
    "http",
    "socket",
}
WRAPPER = """
import os, sys
before = set(sys.modules)
os._exit = sys.exit  # main leaves without taking the interpreter apart
from ghostmem.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""
PUT = ["put", "-n", "a", "-k", "x", "one two three"]
FEATURES = set("admin capture context graph lifecycle memory notes outline search transfer".split())


def imported(*args: str) -> set[str]:
    """Run a command in a fresh interpreter and return the modules it brought in."""
    done = subprocess.run(
        [sys.executable, "-c", WRAPPER, *args],
        capture_output=True,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return set(done.stderr.decode().splitlines()[-1].split())


@pytest.fixture(autouse=True)
def one_memory(ghost_cli: "GhostCli") -> None:
    """Store a memory, so that reading has something to read."""
    ghost_cli.ok(
        *"put -n a -k tea -t t --files f.py --meta".split(),
        '{"m": 1}',
        "green tea",
    )


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["get", "-n", "a", "tea"], id="get"),
        pytest.param(["get", "-n", "a", "tea", "--json"], id="get-json"),
        pytest.param(PUT, id="put"),
        pytest.param([*PUT, "--json"], id="put-json"),
        pytest.param(
            [*PUT, "-t", "t", "--ttl", "7d", "--meta", '{"a": 1}', "--files", "f.py"],
            id="put-fields",
        ),
        pytest.param(["list", "--all"], id="list"),
        pytest.param(["list", "--all", "--json", "-t", "t"], id="list-json"),
    ],
)
def test_hot_commands_import_nothing_heavy(args: list[str]) -> None:
    """get, put (without embeddings) and list start without any of the modules that cost tens of milliseconds."""
    assert imported(*args) & HEAVY == set()


def test_the_first_put_imports_nothing_heavy(store: Path) -> None:
    """Creating the store costs no more imports than using it."""
    store.unlink()
    assert imported(*PUT) & HEAVY == set()


@pytest.mark.parametrize("args", [["--help"], ["-h"], ["--version"]])
def test_the_overview_imports_no_command(args: list[str]) -> None:
    """`ghost --help` reads the table, not the commands, and opens no engine."""
    modules = imported(*args)
    assert {name for name in modules if name.startswith("ghostmem.cli.commands")} == set()
    assert modules & (HEAVY | {"apsw", "ghostmem.ghost", "ghostmem.store"}) == set()


@pytest.mark.parametrize(
    "args", [["get", "-n", "a", "tea"], PUT, ["list", "--all"]], ids=lambda args: args[0]
)
def test_a_command_imports_no_other(args: list[str]) -> None:
    """One command's module comes in, the other commands stay outside."""
    modules = {name for name in imported(*args) if name.startswith("ghostmem.cli.commands.")}
    assert {name.rsplit(".", 1)[1].strip("_") for name in modules} == {args[0]}


@pytest.mark.parametrize(
    "args", [["version"], ["config", "path"], ["completion", "bash"]], ids=lambda args: args[0]
)
def test_what_needs_no_store_opens_none(args: list[str]) -> None:
    """Commands about Ghost itself do not load the engine."""
    assert imported(*args) & {"apsw", "ghostmem.ghost"} == set()


def test_operations_of_other_commands_stay_outside() -> None:
    """A get loads no feature but its own."""
    loaded = imported("get", "-n", "a", "tea")
    packages = {name.split(".")[1] for name in loaded if name.count(".") > 1}
    assert packages & FEATURES == {"memory"}
    assert not {f"ghostmem.memory.{name}" for name in ("put", "list", "remove")} & set(loaded)
