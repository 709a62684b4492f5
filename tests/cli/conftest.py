"""Ways to run the command line: in this process, fast, with its output caught; and as the installed program, for what needs one."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from ghostmem.cli.main import run

DATA = Path(__file__).parent.parent / "data" / "original"
Input = str | bytes | None
FillOnce = Callable[[Callable[[], None]], None]


@dataclass(frozen=True)
class Result:
    """What one command did."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[Any]:
        """Read standard output as lines of JSON."""
        return [json.loads(line) for line in self.out.split("\n") if line]


@dataclass(frozen=True)
class GhostCli:
    """The command line in this process, with a standard input of bytes."""

    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *args: object, input: Input = None) -> Result:  # noqa: A002
        """Run one command."""
        data = input.encode() if isinstance(input, str) else input or b""
        with self.monkeypatch.context() as patch:
            patch.setattr(
                sys,
                "stdin",
                io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="surrogateescape"),
            )
            self.capsys.readouterr()
            code = run([str(arg) for arg in args])
        out, err = self.capsys.readouterr()
        return Result(code, out, err)

    def ok(self, *args: object, input: Input = None) -> str:  # noqa: A002
        """Run a command that must succeed and return what it printed."""
        result = self(*args, input=input)
        assert result.code == 0, result
        return result.out

    def rows(self, *args: object, input: Input = None) -> list[Any]:  # noqa: A002
        """Run a command that must succeed with --json before its name and return the objects it printed."""
        result = self("--json", *args, input=input)
        assert (result.code, result.err) == (0, ""), result
        return result.rows

    def row(self, *args: object, input: Input = None) -> Any:  # noqa: A002
        """Run a command that must succeed and print exactly one JSON object."""
        found = self.rows(*args, input=input)
        assert len(found) == 1, found
        return found[0]

    def names(self, *args: object) -> list[str]:
        """List memories of all namespaces, or of those after `-n`, as `ns/key`."""
        where = [] if "-n" in args or os.environ.get("GHOST_NS") else ["--all"]
        return self.ok("list", "--keys-only", "-l", "1000", *where, *args).splitlines()

    def fails(self, code: int, *args: object, input: Input = None) -> tuple[str, str]:  # noqa: A002
        """Run a command that must fail with one error and one hint, and nothing else; return both."""
        result = self(*args, input=input)
        assert (result.code, result.out) == (code, ""), result
        lines = result.err.splitlines()
        assert [line.split(" ")[0] for line in lines] == ["error:", "hint:"], result.err
        return lines[0].removeprefix("error: "), lines[1].removeprefix("hint: ")


@pytest.fixture
def ghost_cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> GhostCli:
    """Return the command line, run in this process."""
    return GhostCli(capsys, monkeypatch)


@dataclass(frozen=True)
class Program:
    """The installed program, as another process."""

    folder: Path

    def command(self, *args: object, script: str = "ghost") -> list[str | bytes]:
        """Return the words that start it; bytes go through as they are."""
        program = Path(sys.executable).with_name(script)
        return [str(program), *(arg if isinstance(arg, bytes) else str(arg) for arg in args)]

    def __call__(
        self,
        *args: object,
        input: Input = b"",  # noqa: A002
        script: str = "ghost",
        **env: str,
    ) -> Result:
        """Run it to its end."""
        data = input.encode() if isinstance(input, str) else input
        done = subprocess.run(
            self.command(*args, script=script),
            input=data,
            capture_output=True,
            env=os.environ | env,
            cwd=self.folder,
            timeout=60,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *args: object, **env: str) -> "subprocess.Popen[bytes]":
        """Start it and return at once."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self.command(*args),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=os.environ | env,
            cwd=self.folder,
        )

    def shell(self, script: str) -> Result:
        """Run a line of bash in which the program is called `ghost`."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", script],
            capture_output=True,
            env=os.environ | {"PATH": path},
            cwd=self.folder,
            timeout=60,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Return the installed program."""
    return Program(tmp_path)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return the home folder of the test."""
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Path:
    """Return where the default store of the test is, once something made it."""
    return home / ".ghost" / "memory.db"


_FILLED: dict[str, bytes] = {}


@pytest.fixture
def fill_once(store: Path) -> FillOnce:
    """Return a function that fills the default store, or copies what it stored in another test."""

    def fill(build: Callable[[], None]) -> None:
        name = f"{build.__module__}.{build.__qualname__}"
        if name in _FILLED:
            store.parent.mkdir()
            store.touch(0o600)
            store.write_bytes(_FILLED[name])
        else:
            build()
            assert not store.with_name("memory.db-wal").exists()
            _FILLED[name] = store.read_bytes()

    return fill


@pytest.fixture
def wind(clock: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let commands in this process read the test's clock, and return it."""
    monkeypatch.setattr("ghostmem.ghost.now", clock)
    return clock


@pytest.fixture
def original(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that copies a database of the original Ghost into a folder of its own."""

    def copy(name: str) -> Path:
        folder = tmp_path / "original"
        folder.mkdir()
        for part in DATA.glob(f"{name}*"):
            shutil.copyfile(part, folder / part.name)
        return folder / name

    return copy


@pytest.fixture
def sql() -> Callable[..., list[Any]]:
    """Return a function that runs a statement on a database behind Ghost's back."""

    def execute(path: Path, statement: str, *values: Any) -> list[Any]:
        db = apsw.Connection(str(path))
        try:
            return db.execute(statement, values).fetchall()
        finally:
            db.close()

    return execute


@pytest.fixture
def some(ghost_cli: GhostCli) -> None:
    """Store two memories, one with versions."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    ghost_cli.ok("put", "-n", "a", "-k", "x", "two")
    ghost_cli.ok("put", "-n", "b", "-k", "y", "three")
