"""The installed program: exit codes, signals, pipes, encodings, terminals"""

import errno
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from ghostmem import Ghost, __version__
from waiting import until

pty = pytest.importorskip("pty", reason="there are no terminals to open on this system")

if TYPE_CHECKING:
    from conftest import GhostCli, Program

PUT = ("put", "-n", "a", "-k", "x")
LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="looks into /proc or writes to /dev/full"
)


@pytest.fixture
def large(store: Path) -> Path:
    """Return a store whose export does not fit into a pipe."""
    with Ghost.open(store) as ghost:
        for number in range(10):
            ghost.put("a", f"k{number}", f"memory {number} " + "word " * 5000)
    return store


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["list"], 0),
        (["--help"], 0),
        (["nonsense"], 2),
        (["list", "--limit", "x"], 2),
        (["get", "-n", "a", "nope"], 3),
        (["put", "-n", "a", "-k", "x", "--base-version", "3", "t"], 4),
        (["--db", "/", "list"], 5),
    ],
)
def test_exit_codes(program: "Program", args: list[str], code: int) -> None:
    """The process leaves with the code of what happened, and errors are on standard error only."""
    done = program(*args)
    assert done.code == code
    assert "Traceback" not in done.err
    if code:
        assert done.out == ""
        assert done.err.startswith("error: ")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_standard_stream_is_empty(program: "Program", closed: str) -> None:
    """A service may start a command without standard streams."""
    command = f'"$0" -m ghostmem put -n a -k x one {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable],
        capture_output=True,
        text=True,
        cwd=program.folder,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert program("get", "-n", "a", "x").out == "one\n"


@LINUX
@pytest.mark.parametrize("words", [["notes", "add", "."], ["backup", "copy.db"], ["doctor"]])
def test_a_deleted_working_directory_is_named(program: "Program", words: list[str]) -> None:
    """A removed git worktree, for example."""
    assert program(*PUT, "one").code == 0
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" -m ghostmem "$@"'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable, *words],
        capture_output=True,
        text=True,
        cwd=program.folder,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr == (
        "error: the working directory does not exist any more\nhint: cd to another one\n"
    )


@LINUX
@pytest.mark.parametrize("words", [["get", "-n", "a", "x"], [*PUT, "two"]], ids=["get", "put"])
def test_a_store_that_cannot_be_opened_for_lack_of_space_says_so(
    program: "Program", words: list[str]
) -> None:
    """SQLite needs 32 KB to open a store; a limit of file sizes has the effect of a full disk."""
    assert program(*PUT, "one").code == 0
    command = ["sh", "-c", 'ulimit -f 16; exec "$0" -m ghostmem "$@"', sys.executable, *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=program.folder, check=False)
    assert done.returncode == 5
    assert "there is no space left for" in done.stderr
    assert "free some space" in done.stderr


@pytest.mark.smoke
@pytest.mark.parametrize("script", ["ghost", "ghostmem"])
def test_both_names_are_installed(program: "Program", script: str) -> None:
    """`ghost` and `ghostmem` are one program that calls itself by the name it was called."""
    assert program("--help", script=script).out.startswith(f"Usage: {script} ")
    assert program("--version", script=script).out == f"ghost {__version__}\n"


def test_python_m_is_the_program(program: "Program") -> None:
    """`python -m ghostmem` does the same, exit codes included."""
    command = [sys.executable, "-m", "ghostmem"]
    done = subprocess.run(
        [*command, *PUT, "one"], capture_output=True, text=True, cwd=program.folder, check=False
    )
    assert (done.returncode, done.stdout) == (0, "created a/x v1\n")
    done = subprocess.run(
        [*command, "get", "-n", "a", "y"],
        capture_output=True,
        text=True,
        cwd=program.folder,
        check=False,
    )
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "error: memory not found: a/y")


def test_stdin_is_bytes(program: "Program") -> None:
    """Content comes in and goes out as UTF-8, whatever the line ends."""
    content = "喜欢 🍵\r\nsecond\tline\n\nend".encode()
    assert program(*PUT, input=content + b"\n").code == 0
    done = subprocess.run(program.command("get", "-n", "a", "x"), capture_output=True, check=False)
    assert done.stdout == content + b"\n"


@pytest.mark.parametrize(
    "data", [b"\xff\xfe", "latin é".encode("latin-1"), b"ok \xed\xa0\x80 surrogate"]
)
def test_stdin_that_is_not_utf8_is_refused(program: "Program", data: bytes) -> None:
    """Other encodings are named as such, and nothing is stored."""
    done = program(*PUT, input=data)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: content on standard input is not UTF-8 (byte ")
    assert program("list", "--all", "--keys-only").out == ""


def test_an_import_that_is_not_utf8_is_named_as_such(program: "Program") -> None:
    """A pipe in another encoding gets the same words as a file."""

    line = '{"type": "memory", "id": "1", "ns": "a", "key": "k", "content": "caf#", "created_at": "2026-01-01"}'
    done = program(
        "import", input=b'{"type": "ghost", "format": 1}\n' + line.encode().replace(b"#", b"\xe9")
    )
    assert (done.code, done.out) == (2, "")
    assert "is not UTF-8" in done.err


@pytest.mark.parametrize(
    "args",
    [
        [*PUT, b"caf\xe9"],
        ["put", "-n", "a", "-k", b"\xff", "text"],
        ["put", "-n", b"\xff", "-k", "x", "text"],
        [*PUT, "-t", b"\xff", "text"],
        [*PUT, "--files", b"\xff.py", "text"],
        [*PUT, "--meta", b'{"a": "\xff"}', "text"],
        [*PUT, "--source-user", b"\xff", "text"],
        ["get", "-n", "a", b"\xff"],
        ["files", b"\xff.py"],
        ["list", "-n", b"\xff"],
        ["list", "-t", b"\xff"],
        ["list", "--source-user", b"\xff"],
        ["list", "--source-scope", b"\xff"],
        ["list", "--key-prefix", b"\xff"],
        ["config", "set", "ns", b"\xff"],
    ],
    ids=lambda args: " ".join(arg if isinstance(arg, str) else ascii(arg) for arg in args),
)
def test_arguments_that_are_not_utf8_are_refused(
    program: "Program", args: list[str | bytes]
) -> None:
    """Bytes that are no text exit 2 with one error, never with Python's."""

    done = program(*args)
    assert (done.code, done.out) == (2, ""), done.err
    assert len(done.err.splitlines()) == 2


def test_a_store_whose_name_is_not_utf8(program: "Program") -> None:
    """A file name of any bytes works, or is refused in words."""

    done = program("--db", b"\xff.db", "list")
    assert done.code in {0, 2, 5}
    assert "UnicodeEncodeError" not in done.err


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_utf8_under_any_locale(program: "Program", env: dict[str, str]) -> None:
    """Input, output and errors are UTF-8 even where the locale knows only ASCII."""
    program(*PUT, "喜欢", **env)
    assert program(*PUT, input="喜欢 🍵", **env).code == 0
    assert program("get", "-n", "a", "x", **env).out == "喜欢 🍵\n"
    assert '"content": "喜欢 🍵"' in program("get", "-n", "a", "x", "--json", **env).out
    assert program("get", "-n", "a", "茶", **env).err.startswith("error: memory not found: a/茶")


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {
            "LC_ALL": "C",
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
            "PYTHONIOENCODING": "ascii:strict",
        },
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    ],
    ids=["C", "C-ascii", "ascii"],
)
def test_a_store_lies_where_it_was_named_under_any_locale(
    program: "Program", env: dict[str, str]
) -> None:
    """Names of files are UTF-8 as texts are, named with --db or by the home folder, and everything can be read back."""
    path = program.folder / "Größe 🍵" / "m.db"
    home = program.folder / "zu Hause bei Jürgen"
    home.mkdir()
    named = ("--db", os.fsencode(path))
    assert program(*named, "put", "-n", "a", "-k", "tee 🍵", "Grüße 🍵", **env).err == ""
    assert path.is_file()
    assert program(*named, "get", "-n", "a", "tee 🍵", **env).out == "Grüße 🍵\n"
    for command in (
        ["search", "-n", "a", "Grüße"],
        ["list", "-n", "a"],
        ["list", "--all", "--json"],
        ["export"],
    ):
        done = program(*named, *command, **env)
        assert (done.code, done.err) == (0, "")
        assert "tee 🍵" in done.out
        assert "Grüße 🍵" in done.out
    assert (
        f"there is no store {path}ö" in program("--db", os.fsencode(f"{path}ö"), "list", **env).err
    )
    at_home = env | {"HOME": str(home), "GHOST_DB": ""}
    assert program("put", "-n", "a", "-k", "x", "at home", **at_home).code == 0
    assert (home / ".ghost" / "memory.db").is_file()
    assert program("get", "-n", "a", "x", **at_home).out == "at home\n"


@pytest.mark.parametrize("command", ["export", "list --all -l 100 --json"])
def test_a_reader_that_leaves_is_no_error(program: "Program", large: Path, command: str) -> None:
    """`ghost export | head -1` ends quietly with exit 0, as do list and get."""

    done = program.shell(f"ghost {command} | head -1 | cut -c 1; echo ${{PIPESTATUS[0]}}")
    assert (done.out.splitlines()[1:], done.err) == (["0"], "")


@pytest.mark.may_skip
@LINUX
@pytest.mark.parametrize("command", ["export", "list -n a", "get -n a k1", "--help"])
def test_a_full_output_is_an_error(program: "Program", large: Path, command: str) -> None:
    """Output that cannot be written is an error about the output, not a bug to report."""
    done = program.shell(f"ghost {command} > /dev/full")
    message = f"cannot write the output: {os.strerror(errno.ENOSPC)}"
    assert (done.code, done.err.splitlines()[-2]) == (5, f"error: {message}")
    assert "report" not in done.err


@pytest.mark.may_skip
@LINUX
def test_an_export_to_a_full_device_is_an_error(program: "Program", large: Path) -> None:
    """The error names the file."""
    done = program("export", "-o", "/dev/full")
    message = f"cannot write /dev/full: {os.strerror(errno.ENOSPC)}"
    assert (done.code, done.err.splitlines()[0]) == (5, f"error: {message}")


@pytest.mark.smoke
def test_an_interrupt_exits_130_without_a_traceback(program: "Program", large: Path) -> None:
    """Ctrl-C in the middle of the output says one word."""
    process = program.start("export")
    assert process.stdout is not None
    process.stdout.readline()  # it is running, and blocked on a pipe that nobody empties
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.strip()) == (130, b"interrupted")


STARTING = """
import os, signal, sys
from ghostmem.__main__ import main

class Interrupt:
    def find_spec(self, name, *_):
        if name == "ghostmem.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv = ["ghost", "list"]
main()
"""


def test_an_interrupt_while_starting_exits_130_without_a_traceback() -> None:
    """Ctrl-C while the modules are being loaded is an interruption like any other."""
    done = subprocess.run(
        [sys.executable, "-c", STARTING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.may_skip
@LINUX
def test_an_interrupt_while_waiting_for_input_stores_nothing(
    program: "Program", large: Path
) -> None:
    """Ctrl-C while content is still being typed leaves the store as it was."""
    process = program.start("import", "-")
    assert process.stdin is not None
    process.stdin.write(b'{"type": "ghost", "format": 1}\n')
    process.stdin.flush()
    until(lambda: is_waiting_for_input(process.pid))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (130, b"", b"interrupted")


def is_waiting_for_input(pid: int) -> bool:
    """Say whether a process has read all its input and blocks on more; it has the store open by then."""
    with suppress(FileNotFoundError):
        opened = {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state == "S" and any(name.endswith("memory.db") for name in opened)
    return False


@pytest.mark.smoke
def test_export_import_export_through_pipes(
    program: "Program", large: Path, tmp_path: Path
) -> None:
    """Two programs joined by a pipe copy a store so that its export is the same, byte for byte."""
    done = program.shell(
        f"set -o pipefail; ghost export | ghost --db '{tmp_path}/copy.db' import --trust"
        f" && ghost export | cmp - <(ghost --db '{tmp_path}/copy.db' export)"
    )
    assert (done.code, done.out) == (
        0,
        "imported versions: 10 new, 0 updated, 0 unchanged, 0 skipped\n",
    ), done.err


def test_import_reads_a_process_substitution(
    program: "Program", large: Path, tmp_path: Path
) -> None:
    """`ghost import <(zcat old.jsonl.gz)` is a file to the shell, and should be one to us."""

    done = program.shell(f"ghost --db '{tmp_path}/copy.db' import <(ghost export)")
    assert done.code == 0, done.err


def on_a_terminal(
    program: "Program", *args: str, typed: bytes = b"", **env: str
) -> tuple[int, str]:
    """Run the program on a terminal and return its exit code and everything shown."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        program.command(*args),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm"} | env,
    )
    os.close(theirs)
    os.write(ours, typed)
    shown = b""
    try:
        while data := os.read(ours, 4096):
            shown += data
    except OSError:
        pass  # the other end was closed
    finally:
        os.close(ours)
    return process.wait(timeout=60), shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    "command",
    [["rm", "-n", "a", "x", "--hard"], ["ns", "rm", "a"], ["gc", "--purge-deleted", "all"]],
    ids=" ".join,
)
def test_a_terminal_is_asked_before_deleting(
    program: "Program", ghost_cli: "GhostCli", command: list[str]
) -> None:
    """On a terminal what cannot be undone is asked for; no means no, --yes and --dry-run ask nothing."""
    ghost_cli.ok(*PUT, "one")
    ghost_cli.ok("put", "-n", "b", "-k", "gone", "x")
    ghost_cli.ok("rm", "-n", "b", "gone")
    before = ghost_cli.ok("export")
    code, shown = on_a_terminal(program, *command, typed=b"n\n")
    assert code != 0
    assert "[y/N]" in shown
    assert ghost_cli.ok("export") == before
    code, shown = on_a_terminal(program, *command, "--dry-run")
    assert (code, "[y/N]" in shown) == (0, False)
    assert ghost_cli.ok("export") == before
    code, shown = on_a_terminal(program, *command, "--yes")
    assert (code, "[y/N]" in shown) == (0, False)
    assert ghost_cli.ok("export") != before


def test_yes_on_a_terminal_deletes(program: "Program", ghost_cli: "GhostCli") -> None:
    """Answering y goes on."""
    ghost_cli.ok(*PUT, "one")
    code, _ = on_a_terminal(program, "rm", "-n", "a", "x", "--hard", typed=b"y\n")
    assert code == 0
    assert ghost_cli("history", "-n", "a", "x").code == 3


@pytest.mark.parametrize(
    ("args", "needed"),
    [
        (["put", "-n", "a", "-k", "x"], "content"),
        (["import"], "import"),
        (["patch", "-n", "a", "-k", "x"], "diff"),
    ],
    ids=["put", "import", "patch"],
)
def test_a_terminal_is_not_waited_for(program: "Program", args: list[str], needed: str) -> None:
    """Without content on a terminal the program says what it needs instead of sitting there."""
    code, shown = on_a_terminal(program, *args)
    assert code == 2
    assert needed in shown


def test_colour_on_a_terminal(program: "Program", ghost_cli: "GhostCli") -> None:
    """Terminals get colour, unless NO_COLOR, TERM=dumb or --no-color."""
    ghost_cli.ok(*PUT, "one")
    assert "\x1b[" in on_a_terminal(program, "list", "--all")[1]
    assert "\x1b[" not in on_a_terminal(program, "list", "--all", NO_COLOR="1")[1]
    assert "\x1b[" not in on_a_terminal(program, "list", "--all", TERM="dumb")[1]
    assert "\x1b[" not in on_a_terminal(program, "list", "--all", "--no-color")[1]


@pytest.mark.parametrize(
    ("args", "env"), [([], {"NO_COLOR": "1"}), (["--no-color"], {}), ([], {"GHOST_COLOR": "never"})]
)
def test_errors_without_colour_on_a_terminal(
    program: "Program", args: list[str], env: dict[str, str]
) -> None:
    """NO_COLOR, --no-color and GHOST_COLOR=never hold for errors too."""

    assert "\x1b[" not in on_a_terminal(program, "get", "-n", "a", "nope", *args, **env)[1]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["get", "-n", "a", "nope"], 3),
        (["put", "-n", "a", "-k", "", "x"], 2),
        (["--db", "/", "list"], 5),
    ],
    ids=["get", "put", "list"],
)
def test_debug_shows_the_traceback_and_keeps_the_exit_code(
    program: "Program", args: list[str], code: int
) -> None:
    """--debug adds the traceback; scripts that look at the exit code see no difference."""

    done = program("--debug", *args)
    assert "Traceback" in done.err
    assert done.code == code


def test_a_get_does_not_wait_for_a_writer(
    program: "Program", ghost_cli: "GhostCli", store: Path
) -> None:
    """While another process holds the write lock, reading works; counting the read may be left out."""

    ghost_cli.ok(*PUT, "one")
    writer = apsw.Connection(str(store))
    writer.execute("BEGIN IMMEDIATE")
    try:
        for args in (
            ["list", "--all"],
            ["history", "-n", "a", "x"],
            ["export"],
            ["check"],
            ["get", "-n", "a", "x"],
        ):
            done = program(*args, GHOST_BUSY_TIMEOUT="0.1")
            assert (args[0], done.code) == (args[0], 0), done.err
    finally:
        writer.close()


@pytest.mark.smoke
def test_a_put_behind_a_writer_says_who_holds_the_lock(
    program: "Program", ghost_cli: "GhostCli", store: Path
) -> None:
    """After the busy timeout a write exits 5, names the store and the setting, and can be tried again."""
    ghost_cli.ok(*PUT, "one")
    writer = apsw.Connection(str(store))
    writer.execute("BEGIN IMMEDIATE")
    try:
        done = program(*PUT, "two", GHOST_BUSY_TIMEOUT="0.1")
    finally:
        writer.close()
    assert (done.code, done.out) == (5, "")
    assert f"{store} is locked by another process" in done.err
    assert "GHOST_BUSY_TIMEOUT" in done.err
    assert program(*PUT, "two").code == 0
