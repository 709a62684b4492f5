"""What is installed where, and whether it works: the server is really started"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ghostmem.admin.doctor import DoctorFinding
from ghostmem.hooks.hosts import HOSTS
from ghostmem.mcp.tools import chosen_tools
from ghostmem.settings import load
from ghostmem.setup.check import check_clients
from ghostmem.setup.clients import CLIENTS
from ghostmem.setup.entry import Launch, command_in, launch, program
from ghostmem.setup.install import install
from ghostmem.setup.listing import Installed, listing
from ghostmem.setup.parts import hooks_in, targets
from ghostmem.setup.probe import probe

pytestmark = pytest.mark.usefixtures("project")
TOOLS = len(chosen_tools(["memory"]))
GHOST = str(Path(sys.executable).with_name("ghost"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return the home folder of the test."""
    return tmp_path / "home"


def put(name: str, how: Launch | None = None, scope: str = "user", hooks: bool = True) -> None:
    """Install a client."""
    install(targets(CLIENTS[name], scope, True, hooks), how or launch(scope))


def findings() -> list[DoctorFinding]:
    """Return what the doctor says about clients."""
    return list(check_clients(load()))


def installed() -> dict[tuple[str, str], Installed]:
    """Return the rows of the listing that are about something."""
    return {
        (row.client, row.scope): row
        for row in listing()
        if (row.server, row.hooks) not in (("none", "none"), ("none", ""))
    }


def script(path: Path, text: str) -> Path:
    """Write a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)
    return path


# ---------------------------------------------------------------- listing


def test_nothing_is_installed_at_first() -> None:
    """Every client has a row for each scope it has."""
    rows = listing()
    assert len(rows) == sum(2 if client.project else 1 for client in CLIENTS.values())
    assert {row.server for row in rows} == {"none"}
    assert {row.client for row in rows if row.hooks == "none"} == {
        "claude-code",
        "cursor",
        "codex",
        "gemini",
        "qwen",
    }


@pytest.mark.wide(keep=4)
@pytest.mark.parametrize("name", CLIENTS)
def test_an_installed_client_is_current(name: str) -> None:
    """Its server is ours, by the path that would be written today; with hooks where it has them."""
    put(name)
    row = installed().pop((name, "user"))
    assert (row.server, row.hooks) == ("current", "current" if CLIENTS[name].hooks else "")
    assert row.command == f"{' '.join(program())} mcp"
    assert list(installed()) == [(name, "user")]


def test_an_old_path_is_told() -> None:
    """After an environment was moved, or with hooks of an older Ghost."""
    put("cursor", Launch(("/old/ghost",)))
    assert (installed()["cursor", "user"].server, installed()["cursor", "user"].hooks) == (
        "old",
        "old",
    )
    put("gemini")
    path = targets(CLIENTS["gemini"], "user", True, True)[0].path
    text = json.loads(path.read_bytes())
    del text["hooks"]["AfterAgent"]
    path.write_text(json.dumps(text), encoding="utf-8")
    assert (installed()["gemini", "user"].server, installed()["gemini", "user"].hooks) == (
        "current",
        "old",
    )


def test_a_project_has_rows_of_its_own(project: Path) -> None:
    """Its files are shared, so the program is called by its name."""
    put("vscode", scope="project")
    row = installed()["vscode", "project"]
    assert (row.server, row.command, row.path) == (
        "current",
        "ghost mcp",
        str(project / ".vscode" / "mcp.json"),
    )


def test_the_home_folder_is_no_project(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There a user's files are not taken for a project's."""
    put("cursor")
    monkeypatch.chdir(home)
    assert list(installed()) == [("cursor", "user")]


def test_a_broken_file_is_broken(home: Path) -> None:
    """And the place is named."""
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{", encoding="utf-8")
    row = installed()["cursor", "user"]
    assert row.server == "broken"
    assert "mcp.json: line 1, column 2: not valid JSON with comments: " in row.problem


# ---------------------------------------------------------------- the doctor


def test_clients_without_ghost_are_not_mentioned(home: Path) -> None:
    """Not even a broken file of theirs."""
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{", encoding="utf-8")
    assert findings() == []


def test_installed_clients_answer(home: Path) -> None:
    """The server is started as each client would, and says its tools; no store is made by looking."""
    for name in CLIENTS:
        put(name)
    found = findings()
    assert {(one.name, one.state) for one in found} == {
        (f"{name} (user)", "ok") for name in CLIENTS
    }
    assert all(f"{TOOLS} tools" in one.detail for one in found)
    assert "with hooks" in found[0].detail
    assert not (home / ".ghost" / "memory.db").exists()


def test_a_program_that_is_gone(tmp_path: Path) -> None:
    """The next step writes the right one."""
    put("cursor", Launch((str(tmp_path / "gone" / "ghost"),)))
    (one,) = findings()
    assert (one.name, one.state, one.fix) == (
        "cursor (user)",
        "problem",
        "ghost setup cursor --hooks",
    )
    assert one.detail.endswith("gone/ghost, which does not exist")


def test_a_program_that_cannot_be_executed(tmp_path: Path) -> None:
    """Its mode is what is wrong."""
    path = script(tmp_path / "bin" / "ghost", "")
    path.chmod(0o644)
    put("codex", Launch((str(path),)))
    assert findings()[0].detail.endswith(f"{path}, which cannot be executed")


def test_a_hook_whose_program_is_gone(home: Path) -> None:
    """Hooks are looked at too."""
    put("claude-code")
    settings = home / ".claude" / "settings.json"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace(GHOST, "/gone/ghost"), encoding="utf-8"
    )
    (one,) = findings()
    assert one.state == "problem"
    assert one.detail.startswith("the hook in ")
    assert one.fix == "ghost setup claude-code --hooks"


@pytest.mark.parametrize("program", [None, "/gone/ghost"])
def test_a_hook_with_other_commands_is_left_to_the_user(home: Path, program: str | None) -> None:
    """Setup does not change it, so it is not advised, and the hook counts as up to date."""
    put("claude-code")
    settings = home / ".claude" / "settings.json"
    document = json.loads(settings.read_text(encoding="utf-8"))
    line = f"cd /srv && {program or GHOST} hook claude Stop"
    document["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": line}]}]
    settings.write_text(json.dumps(document), encoding="utf-8")
    assert installed()["claude-code", "user"].hooks == "current"
    (one,) = findings()
    assert one.state == ("ok" if program is None else "problem")
    assert "by hand" in one.fix or program is None


def test_a_name_that_is_not_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """A project's files call it by its name."""
    put("gemini", scope="project", hooks=False)
    monkeypatch.setenv("PATH", "/nowhere")
    (one,) = findings()
    assert one.detail.endswith("starts ghost, which is not on the PATH")
    assert one.fix == "ghost setup gemini --scope project"


def test_a_file_that_broke_since(home: Path) -> None:
    """It was ours, so it is mentioned."""
    put("cursor", hooks=False)
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": ', encoding="utf-8")
    (one,) = findings()
    assert one.state == "problem"
    assert "line 1, column 16" in one.detail


def test_an_old_program_that_still_works_is_a_warning(tmp_path: Path) -> None:
    """It answers, but it is another one."""
    other = script(
        tmp_path / "old" / "ghost",
        f"import os, sys\nos.execv({GHOST!r}, [{GHOST!r}, *sys.argv[1:]])\n",
    )
    put("windsurf", Launch((str(other),)))
    (one,) = findings()
    assert (one.state, one.fix) == ("warning", "ghost setup windsurf")
    assert f"{TOOLS} tools; it starts a different Ghost" in one.detail


def test_hooks_without_a_server(home: Path) -> None:
    """They add memories, and the agent has no tool to store one."""
    put("cursor")
    (home / ".cursor" / "mcp.json").unlink()
    (one,) = findings()
    assert one.state == "warning"
    assert one.detail.startswith("has hooks, but no server in ")


def test_what_the_server_says_is_what_is_told(home: Path) -> None:
    """A store that cannot be opened is named by the server itself."""
    (home / ".ghost").mkdir(mode=0o700)
    (home / "notes.txt").write_text("no database at all\n" * 100, encoding="utf-8")
    put("goose", launch("user", db=str(home / "notes.txt")))
    (one,) = findings()
    assert one.state == "problem"
    assert "notes.txt" in one.detail


@pytest.mark.parametrize("name", [name for name, client in CLIENTS.items() if client.hooks])
def test_what_setup_installs_the_hook_answers(name: str, project: Path) -> None:
    """Every event is one that the host's hook knows; called as it is written, it ends well and says nothing it should not."""
    put(name)
    hooks = CLIENTS[name].hooks
    assert hooks is not None
    assert all(HOSTS[hooks.host].event(event.name) for event in hooks.events)
    assert {event.name for event in hooks.events} <= set(HOSTS[hooks.host].events)
    file = targets(CLIENTS[name], "user", False, True)[0]
    ((first, *_), *_) = hooks_in(file.path.read_text(encoding="utf-8"), file).values()
    said = json.dumps(
        {"session_id": "s", "cwd": str(project), "hook_event_name": hooks.events[0].name}
    )
    done = subprocess.run(
        command_in(first).words, input=said.encode(), capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")


# ---------------------------------------------------------------- the probe


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("import time\ntime.sleep(600)\n", "did not answer in time"),
        ("print('hello')\ninput()\n", "prints lines that are not JSON: 'hello"),
        ("import sys\nsys.exit('error: no such thing')\n", "no such thing"),
        ("pass\n", "ended without an answer"),
        (
            'print(\'{"id": 1, "error": {"code": 5}}\', flush=True)\ninput()\ninput()\n',
            "answers with an error: {'code': 5}",
        ),
    ],
)
def test_servers_that_do_not_answer(tmp_path: Path, text: str, problem: str) -> None:
    """Each in its own way, and none of them keeps us waiting, or goes on when we leave."""
    path = script(tmp_path / "server", text)
    assert problem in probe([str(path)], {}, timeout=2.0).problem


def test_the_environment_of_the_entry_is_the_servers(tmp_path: Path) -> None:
    """As the client would start it."""
    code = "import json, os\nfor n in (1, 2):\n    print(json.dumps({'id': n, 'result': {'serverInfo': {'name': os.environ['X']}}}), flush=True)\nimport sys\nsys.stdin.read()\n"
    answer = probe([str(script(tmp_path / "server", code))], {"X": "y"}, timeout=30.0)
    assert (answer.name, answer.tools, answer.problem) == ("y", 0, "")


def test_a_program_that_is_not_there() -> None:
    """The system's own words."""
    assert (
        probe(["/nowhere/ghost"], {}).problem
        == "cannot start /nowhere/ghost: No such file or directory"
    )


def test_the_program_is_named_by_its_full_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The one beside the interpreter that runs; by its name on the PATH when that leads to the same."""
    assert program() == (GHOST,)
    link = tmp_path / "bin" / "ghost"
    link.parent.mkdir()
    link.symlink_to(GHOST)
    monkeypatch.setenv("PATH", str(link.parent))
    assert program() == (str(link),)
    script(tmp_path / "other" / "ghost", "")
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    assert program() == (GHOST,)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none" / "python"))
    assert program() == (str(tmp_path / "other" / "ghost"),)
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == (str(tmp_path / "none" / "python"), "-m", "ghostmem")
