"""Windows and macOS, as far as another system can tell: modules, paths, locks, replaced files, encodings, names."""

import ast
import ntpath
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import ModuleType

import pytest

from ghostmem import Ghost, GhostError, Settings
from ghostmem.notes import lock
from ghostmem.notes.files import replace_file
from ghostmem.notes.lock import locked
from ghostmem.settings import config_path, load, write_config
from ghostmem.setup import entry
from ghostmem.setup.clients import CLIENTS, folders
from ghostmem.setup.entry import Launch, command_in, handler, joined, runs_ghost
from ghostmem.setup.install import install
from ghostmem.setup.parts import targets

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src" / "ghostmem").rglob("*.py"))
WINDOWS_HOME = r"C:\Users\Ada Lovelace"
PROGRAM = r"C:\Program Files\ghost\Scripts\ghost.exe"
TEXT = "Grüße aus Łódź: 茶 🫖 café"
RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{name}{number}" for name in ("com", "lpt") for number in range(1, 10)),
}

# every module of ours is imported as on Windows: what only Unix has is not there, and what others need is loaded before
IMPORTS = """
import sys
from importlib import import_module
from pathlib import Path
import asyncio, subprocess, socket, tempfile, shutil, urllib.request, webbrowser, logging, sqlite3, multiprocessing, getpass
for name in "apsw click numpy onnxruntime mcp.server.stdio mcp.server.lowlevel mcp.client.client uvicorn starlette.applications watchfiles psycopg psycopg_pool anyio tree_sitter".split():
    import_module(name)
import click._termui_impl, mcp.server.streamable_http_manager
GONE = {"fcntl", "grp", "pwd", "pty", "resource", "syslog", "termios", "tty", "posixpath_", "curses", "readline", "crypt"}
for name in GONE:
    sys.modules.pop(name, None)
class Windows:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in GONE:
            raise ModuleNotFoundError(f"there is no {name} on Windows", name=name)
sys.meta_path.insert(0, Windows())
sys.modules["msvcrt"] = type(sys)("msvcrt")
sys.platform = "win32"
import signal
for name in ("SIGHUP", "SIGKILL", "SIGALRM", "SIGPIPE", "SIGUSR1", "setitimer", "ITIMER_REAL"):
    if hasattr(signal, name):
        delattr(signal, name)
import os
for name in ("fork", "geteuid", "getuid", "killpg", "setsid", "fchmod", "O_CLOEXEC", "O_NOFOLLOW", "O_DIRECTORY", "register_at_fork"):
    if hasattr(os, name):
        delattr(os, name)
root = Path(sys.argv[1])
count = 0
for path in sorted((root / "ghostmem").rglob("*.py")):
    parts = path.relative_to(root).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    if "adapters" in parts or parts[-1] == "__main__":
        continue  # each adapter needs its own library
    import_module(name)
    count += 1
print(count)
"""


@pytest.mark.process
def test_no_module_needs_what_only_unix_has() -> None:
    """Every module can be imported where there is no fcntl, no pwd, no termios, no resource and no signal but two."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, str(ROOT / "src")],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 200


@pytest.mark.wide
def test_every_text_file_is_opened_as_utf_8() -> None:
    """Nothing leaves the encoding to the system, which on Windows is not UTF-8."""
    wrong = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _is_text_without_encoding(node):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def _is_text_without_encoding(call: ast.Call) -> bool:
    named = {word.arg: word.value for word in call.keywords}
    if "encoding" in named:
        return False
    match call.func:
        case ast.Name(id="open"):
            modes = [*call.args[1:2], *([named["mode"]] if "mode" in named else [])]
            return not any(
                isinstance(mode, ast.Constant) and "b" in str(mode.value) for mode in modes
            )
        case ast.Attribute(attr="read_text", value=value):
            return not call.args and not (isinstance(value, ast.Name) and value.id == "face")
        case ast.Attribute(attr="write_text"):
            return len(call.args) < 2
        case ast.Attribute(attr="run" | "Popen" | "check_output", value=ast.Name(id="subprocess")):
            return "text" in named or "universal_newlines" in named
    return False


# ---------------------------------------------------------------- where files lie


def places(platform: str) -> dict[str, str]:
    """Return the user's file of every client, and of its hooks, on a system."""
    where = folders(
        {"APPDATA": rf"{WINDOWS_HOME}\AppData\Roaming"} if platform == "win32" else {}, platform
    )
    found = {name: client.user.format_map(where) for name, client in CLIENTS.items()}
    return found | {
        f"{n} hooks": c.hooks.user.format_map(where) for n, c in CLIENTS.items() if c.hooks
    }


def test_files_of_clients_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is an absolute path of Windows below the user's own folders."""
    monkeypatch.setenv("HOME", WINDOWS_HOME)
    found = {name: PureWindowsPath(place) for name, place in places("win32").items()}
    home, roaming = (
        PureWindowsPath(WINDOWS_HOME),
        PureWindowsPath(WINDOWS_HOME, "AppData", "Roaming"),
    )
    code = roaming / "Code" / "User" / "globalStorage"
    assert found == {
        "claude-code": home / ".claude.json",
        "claude-code hooks": home / ".claude" / "settings.json",
        "claude-desktop": roaming / "Claude" / "claude_desktop_config.json",
        "cursor": home / ".cursor" / "mcp.json",
        "cursor hooks": home / ".cursor" / "hooks.json",
        "vscode": roaming / "Code" / "User" / "mcp.json",
        "windsurf": home / ".codeium" / "windsurf" / "mcp_config.json",
        "codex": home / ".codex" / "config.toml",
        "codex hooks": home / ".codex" / "hooks.json",
        "gemini": home / ".gemini" / "settings.json",
        "gemini hooks": home / ".gemini" / "settings.json",
        "goose": roaming / "Block" / "goose" / "config" / "config.yaml",
        "opencode": home / ".config" / "opencode" / "opencode.json",
        "qwen": home / ".qwen" / "settings.json",
        "qwen hooks": home / ".qwen" / "settings.json",
        "copilot": home / ".copilot" / "mcp-config.json",
        "amp": home / ".config" / "amp" / "settings.json",
        "cline": home / ".cline" / "data" / "settings" / "cline_mcp_settings.json",
        "droid": home / ".factory" / "mcp.json",
        "zed": roaming / "Zed" / "settings.json",
        "kiro": home / ".kiro" / "settings" / "mcp.json",
        "crush": home / ".config" / "crush" / "crush.json",
        "kilo": home / ".config" / "kilo" / "kilo.jsonc",
        "roo": code / "rooveterinaryinc.roo-cline" / "settings" / "mcp_settings.json",
        "continue": home / ".continue" / "mcpServers" / "ghost.yaml",
        "warp": home / ".warp" / ".mcp.json",
        "junie": home / ".junie" / "mcp" / "mcp.json",
    }
    assert all(path.is_absolute() for path in found.values())


def test_files_of_clients_on_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program keeps in Application Support is there; the rest is where it is on Linux."""
    monkeypatch.setenv("HOME", "/Users/ada")
    found = {name: PurePosixPath(place) for name, place in places("darwin").items()}
    support = PurePosixPath("/Users/ada/Library/Application Support")
    assert found["claude-desktop"] == support / "Claude" / "claude_desktop_config.json"
    assert found["vscode"] == support / "Code" / "User" / "mcp.json"
    linux = places("linux")
    assert {name for name, path in found.items() if str(path) != linux[name]} == {
        "claude-desktop",
        "vscode",
        "roo",
    }


def test_a_path_of_windows_in_the_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Backslashes, a drive and blanks come back from the configuration as they went in, and no drive is taken for a URL."""
    monkeypatch.setattr(os.path, "abspath", ntpath.abspath)
    for store in (rf"{WINDOWS_HOME}\.ghost\memory.db", r"\\server\share\team.db", "D:/memory.db"):
        write_config(config_path(), "db", store)
        found = load()
        assert found.has_file
        assert PureWindowsPath(found.path) == PureWindowsPath(store)
    assert ntpath.join(WINDOWS_HOME, ".ghost") in ntpath.dirname(
        rf"{WINDOWS_HOME}\.ghost\memory.db"
    )


@pytest.mark.parametrize("client", [name for name, client in CLIENTS.items() if client.hooks])
def test_a_hook_is_one_line_for_the_shell_of_windows(
    monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    """A program in a folder with blanks is quoted as cmd reads it, known again as ours, and its options are kept."""
    monkeypatch.setattr(entry.sys, "platform", "win32")
    hooks = CLIENTS[client].hooks
    assert hooks is not None
    made = handler(hooks, hooks.events[0], Launch((PROGRAM,), db=rf"{WINDOWS_HOME}\memory.db"))
    assert command_in(made).words == [
        PROGRAM,
        "--db",
        rf"{WINDOWS_HOME}\memory.db",
        "hook",
        hooks.host,
        hooks.events[0].name,
    ]
    assert runs_ghost(made, hooks.host)
    assert handler(hooks, hooks.events[0], Launch((PROGRAM,)), made) == made
    assert joined([PROGRAM, "hook"]) == f'"{PROGRAM}" hook'


# ---------------------------------------------------------------- locks and replaced files


def test_the_lock_of_windows_keeps_a_second_writer_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It locks one byte far behind the end, so that nobody is kept from reading, and gives it back with the file."""
    import fcntl

    asked: list[tuple[int, int]] = []
    windows = ModuleType("msvcrt")

    def locking(handle: int, mode: int, count: int) -> None:
        asked.append((os.lseek(handle, 0, os.SEEK_CUR), count))
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    windows.__dict__.update(LK_NBLCK=2, locking=locking)
    source = Path(lock.__file__).read_text(encoding="utf-8")
    made = ModuleType("lock_of_windows")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "msvcrt", windows)
        patch.setattr(sys, "platform", "win32")
        exec(compile(source, "lock_of_windows", "exec"), made.__dict__)
    with made.locked(tmp_path):
        assert made.is_locked(tmp_path / ".lock")
        with (
            pytest.raises(GhostError, match="another program holds the lock"),
            made.locked(tmp_path, patience=0.0),
        ):
            pass
    assert not made.is_locked(tmp_path / ".lock")
    assert {*asked} == {(1 << 30, 1)}


def replaced_note(folder: Path) -> tuple[Path, Callable[[], object]]:
    """Return a note, and what writes it."""
    path = folder / "note.md"
    path.write_bytes(b"before\n")

    def write() -> object:
        with locked(folder):
            return replace_file(path, b"after\n")

    return path, write


def replaced_client(folder: Path) -> tuple[Path, Callable[[], object]]:
    """Return the file of a client, and what writes it."""
    path = Path(os.environ["HOME"]) / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(b'{"mcpServers": {}}\n')
    return path, lambda: install(
        targets(CLIENTS["cursor"], "user", True, False), Launch(("ghost",))
    )


def replaced_config(folder: Path) -> tuple[Path, Callable[[], object]]:
    """Return the configuration, and what writes it."""
    path = Path(config_path())
    path.parent.mkdir()
    path.write_bytes(b'ns = "a"\n')
    return path, lambda: write_config(str(path), "ns", "b")


@pytest.mark.parametrize("case", [replaced_note, replaced_client, replaced_config])
def test_a_file_that_is_held_open_stays_whole(
    case: Callable[[Path], tuple[Path, Callable[[], object]]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Windows refuses to replace what another program has open: that is an error, the old file stays, and nothing lies beside it."""
    path, write = case(tmp_path)
    before = path.read_bytes()
    there = sorted(one.name for one in path.parent.iterdir())

    def refuse(source: object, target: object, **_: object) -> None:
        raise PermissionError(13, "Access is denied", str(source), 5, str(target))

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(GhostError) as caught:
            write()
    assert caught.value.hint
    assert path.read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir() if one.name != ".lock") == there
    write()
    assert path.read_bytes() != before


# ---------------------------------------------------------------- encodings, names, lengths


@pytest.mark.process
@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii:strict"},
    ],
    ids=["C", "cp1252", "ascii"],
)
def test_text_survives_any_console(tmp_path: Path, locale: dict[str, str]) -> None:
    """Arguments, input, files and output are UTF-8, whatever the system says."""
    folder = tmp_path / "Größe"
    folder.mkdir()
    (folder / "seite.md").write_text(f"# Über\n\n{TEXT}\n", encoding="utf-8")
    env = {**os.environ, **locale}
    env.pop("LANG", None)

    def ghost(*args: str, data: str = "") -> str:
        command = [
            os.fsencode(sys.executable),
            b"-m",
            b"ghostmem",
            b"--db",
            os.fsencode(folder / "m.db"),
            *(a.encode() for a in args),
        ]
        done = subprocess.run(
            command, input=data.encode(), capture_output=True, env=env, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8")

    ghost("put", "-n", "a", "-k", "grüße", TEXT)
    ghost("put", "-n", "a", "-k", "input", data=TEXT)
    assert ghost("get", "-n", "a", "grüße") == f"{TEXT}\n"
    assert ghost("get", "-n", "a", "input") == f"{TEXT}\n"
    assert TEXT in ghost("search", "-n", "a", "Łódź")
    ghost("ingest", "-n", "b", str(folder / "seite.md"))
    assert TEXT in ghost("search", "-n", "b", "茶")
    ghost("export", "-o", str(folder / "all.jsonl"))
    assert TEXT in (folder / "all.jsonl").read_text(encoding="utf-8") or "\\u" in (
        folder / "all.jsonl"
    ).read_text(encoding="utf-8")


def test_a_long_path_works_or_says_so(tmp_path: Path) -> None:
    """Beyond the 260 characters of old Windows all is well; beyond what SQLite takes, the error says what is wrong."""
    deep = tmp_path
    while len(str(deep)) < 400:
        deep = deep / ("d" * 60)
    deep.mkdir(parents=True)
    with Ghost.open(str(deep / "memory.db"), settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a", "k", "far down")
    with Ghost.open(str(deep / "memory.db"), settings=Settings(embed_provider="none")) as ghost:
        assert ghost.get("a", "k").content == "far down"
    while len(str(deep)) < 1200:
        deep = deep / ("d" * 200)
    deep.mkdir(parents=True)
    with pytest.raises(GhostError) as caught:
        Ghost.open(str(deep / "memory.db"), settings=Settings(embed_provider="none"))
    assert caught.value.hint


def test_every_file_can_lie_on_every_system() -> None:
    """No name is reserved or differs from another only by case, none has a character of Windows' own, and none is too long."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=False
    ).stdout.decode()
    names = [name for name in listed.split("\0") if name] or [
        path.relative_to(ROOT).as_posix() for path in SOURCES
    ]
    folded = [name.casefold() for name in names]
    assert len(set(folded)) == len(folded)
    parts = {part for name in names for part in name.split("/")}
    assert [part for part in parts if part.partition(".")[0].lower() in RESERVED] == []
    assert [
        part for part in parts if set('<>:"|?*\\') & set(part) or part.endswith((".", " "))
    ] == []
    assert max(map(len, names)) <= 140
