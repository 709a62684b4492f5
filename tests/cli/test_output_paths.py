"""Paths that a user names for output: devices and pipes are written to, links followed, modes kept, plain files replaced whole"""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem.atomic import sweep

if TYPE_CHECKING:
    from conftest import GhostCli, Program

pytestmark = [
    pytest.mark.usefixtures("some"),
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="devices and pipes are those of Unix"),
]


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Make a named pipe."""
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """Make a device that swallows what it is given, like the system's null device."""
    path = tmp_path / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.write_bytes(b"x")
    except OSError:
        pytest.skip("making devices needs root")
    return path


def test_an_export_to_a_device_leaves_the_device(ghost_cli: "GhostCli", device: Path) -> None:
    """It is written to and stays what it is."""
    before = device.stat()
    ghost_cli.ok("export", "-o", device)
    after = device.stat()
    assert (after.st_ino, after.st_mode, after.st_rdev) == (
        before.st_ino,
        before.st_mode,
        before.st_rdev,
    )


@pytest.mark.parametrize("link", [False, True])
def test_an_export_to_a_pipe_goes_through_it(
    ghost_cli: "GhostCli", pipe: Path, tmp_path: Path, link: bool
) -> None:
    """Its reader gets the whole export, and the pipe stays; also through a link."""
    expected, read = ghost_cli.ok("export"), list[str]()
    output = pipe
    if link:
        output = tmp_path / "link"
        output.symlink_to("pipe")
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    ghost_cli.ok("export", "-o", output)
    os.close(
        os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    )  # ends the reader, should nobody have written
    reader.join(60)
    assert (read, pipe.is_fifo(), output.is_symlink()) == ([expected], True, link)


def test_standard_output_can_be_named(
    program: "Program", ghost_cli: "GhostCli", tmp_path: Path
) -> None:
    """/dev/stdout is the open file, wherever the shell sent it: what was in it before stays."""
    expected = ghost_cli.ok("export")
    done = program.shell("(echo before; ghost export -o /dev/stdout; echo behind) > out.txt")
    assert done.code == 0, done
    assert (tmp_path / "out.txt").read_text() == f"before\n{expected}behind\n"
    assert program.shell("ghost export -o /dev/stdout | cat").out == expected
    assert program.shell("ghost export -o /dev/fd/3 3>&1 >out.txt").out == expected


def test_an_export_follows_links_and_keeps_modes(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """The target of a link is replaced, the link stays; an existing file keeps its mode."""
    expected = ghost_cli.ok("export")
    (tmp_path / "real").mkdir()
    file, link, dangling = (
        tmp_path / "real" / "x.jsonl",
        tmp_path / "x.jsonl",
        tmp_path / "new.jsonl",
    )
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to("real/x.jsonl")
    dangling.symlink_to("real/new.jsonl")
    ghost_cli.ok("export", "-o", link)
    ghost_cli.ok("export", "-o", dangling)
    assert (link.is_symlink(), dangling.is_symlink(), file.read_text()) == (True, True, expected)
    assert file.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "real" / "new.jsonl").read_text() == expected
    assert sorted(path.name for path in (tmp_path / "real").iterdir()) == ["new.jsonl", "x.jsonl"]


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_an_export_never_replaces_the_store(
    ghost_cli: "GhostCli", store: Path, suffix: str
) -> None:
    """Neither the database nor what SQLite keeps beside it."""
    error, _ = ghost_cli.fails(4, "export", "-o", f"{store}{suffix}")
    assert f"memory.db{suffix} belongs to the store itself" in error
    assert ghost_cli.ok("check") == "clean\n"


@pytest.mark.parametrize("flags", [[], ["--force"]])
def test_a_backup_to_a_device_is_refused(
    ghost_cli: "GhostCli", device: Path, flags: list[str]
) -> None:
    """It is no place for a database, and stays what it is."""
    error, _ = ghost_cli.fails(2, "backup", device, *flags)
    assert f"{device} is not a plain file" in error
    assert stat.S_ISCHR(device.stat().st_mode)


@pytest.mark.parametrize(
    "args",
    [
        ["migrate", "--to", "PATH"],
        ["migrate", "--to", "PATH", "--dry-run"],
        ["--db", "PATH", "list"],
    ],
)
def test_a_pipe_is_no_store(program: "Program", pipe: Path, args: list[str]) -> None:
    """It is refused at once instead of waiting for a reader."""
    done = program(*(str(pipe) if arg == "PATH" else arg for arg in args))
    assert (done.code, "is not a plain file" in done.err, pipe.is_fifo()) == (5, True, True), done


def test_the_configuration_may_be_a_link(ghost_cli: "GhostCli", home: Path) -> None:
    """`config set` replaces the target of the link and keeps its mode."""
    (home / "dotfiles").mkdir()
    real, config = home / "dotfiles" / "ghost.toml", home / ".ghost" / "config.toml"
    real.write_text("chunk_target = 300\n")
    real.chmod(0o640)
    config.symlink_to(real)
    ghost_cli.ok("config", "set", "ns", "agent:me")
    assert config.is_symlink()
    assert real.read_text() == 'chunk_target = 300\nns = "agent:me"\n'
    assert real.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in (home / "dotfiles").iterdir()] == ["ghost.toml"]


def test_setup_refuses_a_pipe(program: "Program", pipe: Path) -> None:
    """An AGENTS.md that is a pipe is neither read, which would wait for ever, nor replaced."""
    agents = pipe.with_name("AGENTS.md")
    pipe.rename(agents)
    done = program("setup", "agents-md")
    assert (done.code, "is not a plain file" in done.err, agents.is_fifo()) == (2, True, True), done


def test_a_killed_export_leaves_the_old_file(
    ghost_cli: "GhostCli", tmp_path: Path, store: Path
) -> None:
    """What was there stays whole, and the next export sweeps the unfinished one."""
    script = """
import os, signal, sys
real = os.fsync
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
from ghostmem.cli.main import run
run(["export", "-o", sys.argv[1]])
"""
    target = tmp_path / "out" / "x.jsonl"
    target.parent.mkdir()
    ghost_cli.ok("export", "-o", target)
    before = target.read_bytes()
    ghost_cli.ok("put", "-n", "a", "-k", "new", "new")
    subprocess.run([sys.executable, "-c", script, str(target)], check=False, timeout=60)
    assert (target.read_bytes(), len(list(target.parent.iterdir()))) == (before, 2)
    ghost_cli.ok("export", "-o", target)
    assert [path.name for path in target.parent.iterdir()] == ["x.jsonl"]
    assert target.read_text() == ghost_cli.ok("export")


@pytest.mark.parametrize("moment", ["open", "replace"])
def test_an_export_does_not_remove_the_file_of_another(
    ghost_cli: "GhostCli", tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """One that starts when another has created its temporary file, or is renaming it, leaves it."""
    target = tmp_path / "out" / "x.jsonl"
    target.parent.mkdir()
    real, swept = getattr(os, moment), []

    def interrupted(path: Any, *args: Any) -> Any:
        if moment == "replace" and not swept:
            sweep([target])
            swept.append(path)
        result = real(path, *args)
        if str(path).endswith(".tmp") and not swept:
            swept.append(path)
            sweep([target])
        return result

    monkeypatch.setattr(os, moment, interrupted)
    ghost_cli.ok("export", "-o", target)
    assert swept
    assert [path.name for path in target.parent.iterdir()] == ["x.jsonl"]
    assert target.read_text() == ghost_cli.ok("export")
