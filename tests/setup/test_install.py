"""Files of clients: backup, atomic, idempotent, and every byte back"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.errors import ConflictError, InvalidInputError
from ghostmem.setup.clients import CLIENTS, folders, located
from ghostmem.setup.entry import Launch, command_in, joined, runs_ghost
from ghostmem.setup.install import backup_of, install
from ghostmem.setup.parts import SetupFile, targets
from ghostmem.setup.state import folder, records
from setup_golden import HOW, kinds, target

MINE = b'{\n  "mcpServers": {\n    "a": {"command": "x"}\n  }\n}\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file of Cursor that has a server already."""
    path = tmp_path / "mcp.json"
    path.write_bytes(MINE)
    return path


def cursor(path: Path) -> SetupFile:
    """Return the file as Cursor's."""
    return target("cursor", path)


def servers(path: Path) -> dict[str, object]:
    """Return the servers in a file."""
    found: dict[str, object] = json.loads(path.read_text(encoding="utf-8-sig"))["mcpServers"]
    return found


# ---------------------------------------------------------------- every byte back


odd = st.sampled_from(
    [
        b"",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf{}",
        b"{}",
        b"{ }\r\n",
        b"null",
        b" \n",
        b"// c",
        b"/* c */\n{}\n",
        b'{"mcpServers": {}}',
        b'{"mcpServers": null}',
        b'{\r\n\t"a": 1\r\n}',
        b'{"a": 1,}',
        b'{\n  "mcpServers": {\n    "x": {}, // c\n  },\n}',
        '{"ü": "\u2028"}'.encode(),
    ]
)


@pytest.mark.parametrize("kind", ["cursor", "cursor-hooks", "gemini", "vscode"])
@given(raw=odd)
def test_odd_files_come_back(
    kind: str, raw: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Empty, null, marks, line ends, no last line end, comments only, trailing commas."""
    path = tmp_path_factory.mktemp("odd") / "file.json"
    path.write_bytes(raw)
    assert install([target(kind, path)], HOW)[0].action == "updated"
    assert path.read_bytes().startswith(b"\xef\xbb\xbf") == raw.startswith(b"\xef\xbb\xbf")
    if b"\r\n" in raw:
        assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")
    assert install([target(kind, path)], HOW)[0].action == "unchanged"
    install([target(kind, path)], None)
    assert path.read_bytes() == raw
    assert [left.name for left in path.parent.iterdir()] == ["file.json"]


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("kind", [kind for kind in kinds() if kind != "claude-code-allow"])
def test_an_upgrade_keeps_the_way_back(kind: str, tmp_path: Path) -> None:
    """Another path of the program is written into our entry alone, and the original still comes back."""
    path = tmp_path / "file"
    install([target(kind, path)], HOW)
    first = path.read_bytes()
    assert install([target(kind, path)], Launch(("/new/ghost",)))[0].action == "updated"
    assert path.read_bytes() == first.replace(b"/opt/ghost/bin/ghost", b"/new/ghost")
    assert install([target(kind, path)], None)[0].action == "deleted"


def test_a_file_that_changed_since_loses_only_our_entry(file: Path) -> None:
    """What somebody added stays."""
    install([cursor(file)], HOW)
    file.write_bytes(file.read_bytes().replace(b'"x"}', b'"x"},\n    "b": {"command": "y"}'))
    install([cursor(file)], None)
    assert file.read_bytes() == MINE.replace(b'"x"}', b'"x"},\n    "b": {"command": "y"}')
    assert not backup_of(file).exists()
    assert records() == {}


def test_a_file_that_changed_between_two_installs(file: Path) -> None:
    """The backup is then the file before the last write, and the entry goes alone."""
    install([cursor(file)], HOW)
    changed = file.read_bytes().replace(b'"a"', b'"c"')
    file.write_bytes(changed)
    install([cursor(file)], Launch(("/new/ghost",)))
    assert backup_of(file).read_bytes() == changed
    install([cursor(file)], None)
    assert file.read_bytes() == MINE.replace(b'"a"', b'"c"')


def test_a_file_we_made_and_somebody_filled_stays(tmp_path: Path) -> None:
    """Only what is ours goes, with what we made for it."""
    path = tmp_path / "hooks.json"
    install([target("cursor-hooks", path)], HOW)
    mine = json.loads(path.read_text(encoding="utf-8"))
    mine["hooks"]["stop"].append({"command": "./mine.sh"})
    path.write_text(json.dumps(mine, indent=2), encoding="utf-8")
    install([target("cursor-hooks", path)], None)
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "version": 1,
        "hooks": {"stop": [{"command": "./mine.sh"}]},
    }


def test_a_file_that_went_meanwhile(file: Path) -> None:
    """There is nothing to take out, and what was kept is forgotten; a new install starts anew."""
    install([cursor(file)], HOW)
    file.unlink()
    install([cursor(file)], HOW)
    assert install([cursor(file)], None)[0].action == "deleted"
    install([cursor(file)], HOW)
    file.unlink()
    assert install([cursor(file)], None)[0].action == "unchanged"
    assert records() == {}


def test_hooks_alone_go_and_the_server_stays(tmp_path: Path) -> None:
    """In Gemini's settings both are in one file."""
    path = tmp_path / "settings.json"
    path.write_bytes(b'{"ui": {}}\n')
    client = CLIENTS["gemini"]
    install([target("gemini", path)], HOW)
    install([SetupFile(client, "user", path, client.format, hooks=True)], None)
    assert json.loads(path.read_bytes()) == {
        "ui": {},
        "mcpServers": {"ghost": {"command": HOW.program[0], "args": ["mcp"]}},
    }
    install([target("gemini", path)], None)
    assert path.read_bytes() == b'{"ui": {}}\n'


# ---------------------------------------------------------------- what is there already


def test_another_server_of_our_name_is_not_replaced(tmp_path: Path) -> None:
    """It is somebody's; the error says what it starts."""
    path = tmp_path / "mcp.json"
    raw = b'{"mcpServers": {"ghost": {"command": "npx", "args": ["ghost-blog-mcp"]}}}'
    path.write_bytes(raw)
    with pytest.raises(
        ConflictError, match="mcpServers.ghost exists already and starts npx; nothing was changed"
    ):
        install([cursor(path)], HOW)
    assert install([cursor(path)], None)[0].action == "unchanged"
    assert path.read_bytes() == raw


@pytest.mark.parametrize(
    "command", ["ghost", "/old/bin/ghost", "C:\\\\old\\\\ghost.exe", "ghostmem"]
)
def test_an_entry_that_starts_ghost_already_keeps_what_it_has(tmp_path: Path, command: str) -> None:
    """Its arguments, its environment and unknown keys stay; only the program is the one that runs now."""
    path = tmp_path / "mcp.json"
    text = '{"mcpServers": {"ghost": {"command": "%s", "args": ["mcp", "--tools", "memory,notes"], "env": {"A": "b"}, "x": 1}}}'
    path.write_text(text % command, encoding="utf-8")
    install([cursor(path)], Launch(HOW.program, {"GHOST_NS": "a"}))
    assert servers(path)["ghost"] == {
        "command": HOW.program[0],
        "args": ["mcp", "--tools", "memory,notes"],
        "env": {"A": "b", "GHOST_NS": "a"},
        "x": 1,
    }
    install([cursor(path)], None)
    assert servers(path) == {}


def test_values_of_an_entry_that_somebody_chose_stay(tmp_path: Path) -> None:
    """A timeout with its comment and a description; an entry that is switched off is switched on."""
    path = tmp_path / "config.yaml"
    install([target("goose", path)], HOW)
    text = path.read_text(encoding="utf-8")
    mine = text.replace("timeout: 300", "timeout: 600  # slow disk").replace("that lasts", "of us")
    assert mine.count("600") == mine.count("of us") == 1
    path.write_text(mine.replace("enabled: true", "enabled: false"), encoding="utf-8")
    install([target("goose", path)], HOW)
    assert path.read_text(encoding="utf-8") == mine


def test_another_launcher_is_replaced_with_its_arguments(tmp_path: Path) -> None:
    """They were the launcher's."""
    path = tmp_path / "mcp.json"
    path.write_bytes(b'{"mcpServers": {"ghost": {"command": "uvx", "args": ["ghostmem", "mcp"]}}}')
    install([cursor(path)], HOW)
    assert servers(path)["ghost"] == {"command": HOW.program[0], "args": ["mcp"]}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["uvx", "ghostmem", "mcp", "--tools", "notes"], ["mcp", "--tools", "notes"]),
        (["uvx", "--from", "ghostmem", "ghost", "mcp", "-x"], ["mcp", "-x"]),
        (["/usr/bin/python3.12", "-m", "ghostmem", "mcp", "-x"], ["mcp", "-x"]),
        (["docker", "run", "-i", "ghost", "mcp"], None),
        (["env", "GHOST_NS=a", "ghost", "mcp"], None),
    ],
)
def test_options_of_a_server_stay_and_so_does_another_program_that_starts_it(
    tmp_path: Path, words: list[str], expected: list[str] | None
) -> None:
    """A launcher of Python programs is replaced; docker or env start Ghost for a reason."""
    path = tmp_path / "mcp.json"
    entry = {"command": words[0], "args": words[1:]}
    path.write_text(json.dumps({"mcpServers": {"ghost": entry}}), encoding="utf-8")
    install([cursor(path)], HOW)
    made = {"command": HOW.program[0], "args": expected} if expected else entry
    assert servers(path)["ghost"] == made


@pytest.mark.parametrize("client", ["claude-code-hooks", "codex-hooks"])
@pytest.mark.parametrize(
    "line",
    [
        "ghost hook {host} Stop 2>>/tmp/hook.log",
        "ghost hook {host} Stop; notify-send done",
        "cd /srv && ghost hook {host} Stop --wait",
        "GHOST_NS=agent:me ghost hook {host} Stop",
        "nice -n 10 ghost hook {host} Stop",
        "sh -c 'ghost hook {host} Stop | tee log'",
        'ghost hook {host} Stop --llm "$AGENT -p"',
    ],
)
def test_a_hook_with_more_than_our_command_stays_as_it_is(
    tmp_path: Path, client: str, line: str
) -> None:
    """Its variables, wrappers and other commands cannot be moved into arguments."""
    path = tmp_path / "settings.json"
    file = target(client, path)
    assert file.client.hooks is not None
    mine = {"type": "command", "command": line.format(host=file.client.hooks.host), "timeout": 9}
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [mine]}]}}), encoding="utf-8")
    install([file], HOW)
    hooks = json.loads(path.read_text(encoding="utf-8"))["hooks"]
    assert hooks["Stop"] == [{"hooks": [mine]}]
    assert "SessionStart" in hooks
    with pytest.raises(ConflictError, match=r"hooks\.Stop has the command .* nothing was changed"):
        install([file], Launch(HOW.program, db="/m.db"))


OTHER_COMMANDS = [
    "ghost hook {host} Stop; notify-send done",
    "cd /srv && ghost hook {host} Stop --wait",
    "ghost hook {host} Stop 2>&1 | tee log",
    "sh -c 'ghost hook {host} Stop | tee log'",
    "notify-send done\nghost hook {host} Stop",
]
NO_OTHER_COMMANDS = [
    "ghost hook {host} Stop",
    "ghost hook {host} Stop 2>>/tmp/hook.log || true",
    "'/opt/my tools/ghost' --db 'postgresql://h/db?a=1&b=2' hook {host} Stop >/dev/null 2>&1",
    "GHOST_NS=agent:me ghost hook {host} Stop",
    "nice -n 10 ghost hook {host} Stop",
    "bash -c 'ghost hook {host} Stop; exit 0'",
]


@pytest.mark.parametrize("client", ["claude-code-hooks", "codex-hooks"])
@pytest.mark.parametrize("line", [*OTHER_COMMANDS, *NO_OTHER_COMMANDS])
def test_a_removal_leaves_hooks_with_other_commands(tmp_path: Path, client: str, line: str) -> None:
    """These belong to the user; an installation does not remove them as a second hook either."""
    path = tmp_path / "settings.json"
    file = target(client, path)
    assert file.client.hooks is not None
    host = file.client.hooks.host
    mine = {"type": "command", "command": line.format(host=host)}
    plain = {"type": "command", "command": f"ghost hook {host} Stop"}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [plain]}, {"hooks": [mine]}]}})
    path.write_text(text, encoding="utf-8")
    kept = [{"hooks": [mine]}] if line in OTHER_COMMANDS else []
    install([file], HOW)
    assert json.loads(path.read_text(encoding="utf-8"))["hooks"]["Stop"][1:] == kept
    path.write_text(text, encoding="utf-8")
    install([file], None)
    assert json.loads(path.read_text(encoding="utf-8"))["hooks"]["Stop"] == kept
    assert json.loads(path.read_text(encoding="utf-8"))["hooks"].keys() == {"Stop"}


def test_a_launcher_in_a_hook_is_replaced_and_its_options_stay(tmp_path: Path) -> None:
    """As in the entry of a server."""
    path = tmp_path / "settings.json"
    line = 'uvx --from ghostmem ghost hook claude Stop --llm "claude -p | head"'
    mine = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}}
    path.write_text(json.dumps(mine), encoding="utf-8")
    install([target("claude-code-hooks", path)], HOW)
    made = json.loads(path.read_text(encoding="utf-8"))["hooks"]["Stop"][0]["hooks"][0]
    assert made["args"] == ["hook", "claude", "Stop", "--llm", "claude -p | head"]


@pytest.mark.parametrize("client", ["claude-code-hooks", "codex-hooks"])
def test_hooks_use_the_namespace_and_the_store_of_the_server(tmp_path: Path, client: str) -> None:
    """Otherwise the agent does not find what the hooks captured; other options stay."""
    path = tmp_path / "settings.json"
    file = target(client, path)
    assert file.client.hooks is not None
    host = file.client.hooks.host
    line = f"ghost hook {host} Stop --ns agent:old --llm 'claude -p'"
    mine = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}}
    path.write_text(json.dumps(mine), encoding="utf-8")
    how = Launch(HOW.program, db="/m.db", ns="agent:me")
    install([file], how)
    handlers = json.loads(path.read_text(encoding="utf-8"))["hooks"]
    stop, start = (
        command_in(handlers[name][0]["hooks"][0]).words for name in ("Stop", "SessionStart")
    )
    before = [*HOW.program, "--db", "/m.db", "hook", host]
    assert stop == [*before, "Stop", "--llm", "claude -p", "-n", "agent:me"]
    assert start == [*before, "SessionStart", "-n", "agent:me"]
    assert install([file], how)[0].action == "unchanged"
    assert install([file], HOW)[0].action == "unchanged"


def test_options_of_hooks_stay(tmp_path: Path) -> None:
    """A time-out and a model that somebody chose, and a handler that shares its group; a second one of ours goes."""
    path = tmp_path / "settings.json"
    mine = {
        "hooks": {
            "Stop": [
                {
                    "hooks": [
                        {"type": "command", "command": "say done"},
                        {
                            "type": "command",
                            "command": "ghost --db /m.db hook claude Stop --llm 'claude -p'",
                            "timeout": 99,
                        },
                    ]
                },
                {"hooks": [{"type": "command", "command": "ghost hook claude"}]},
            ]
        }
    }
    path.write_text(json.dumps(mine, indent=2), encoding="utf-8")
    install([target("claude-code-hooks", path)], HOW)
    stop = json.loads(path.read_text(encoding="utf-8"))["hooks"]["Stop"]
    assert stop == [
        {
            "hooks": [
                {"type": "command", "command": "say done"},
                {
                    "type": "command",
                    "command": "/opt/ghost/bin/ghost",
                    "timeout": 99,
                    "args": ["--db", "/m.db", "hook", "claude", "Stop", "--llm", "claude -p"],
                },
            ]
        }
    ]
    assert install([target("claude-code-hooks", path)], HOW)[0].action == "unchanged"
    install([target("claude-code-hooks", path)], None)
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}
    }


def test_a_hook_that_must_not_be_ended_is_no_background_hook(tmp_path: Path) -> None:
    """Ghost 0.4 installed Stop as a background hook, which some clients end at once."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"{}")
    install([target("claude-code-hooks", path)], HOW)
    made = json.loads(path.read_text(encoding="utf-8"))
    made["hooks"]["Stop"][0]["hooks"][0]["async"] = True
    path.write_text(json.dumps(made, indent=2), encoding="utf-8")
    install([target("claude-code-hooks", path)], HOW)
    hooks = json.loads(path.read_text(encoding="utf-8"))["hooks"]
    assert "async" not in hooks["Stop"][0]["hooks"][0]
    assert hooks["PreCompact"][0]["hooks"][0]["async"] is True


# ---------------------------------------------------------------- files that are not plain


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The file it leads to is written; the backup lies beside the link, not in somebody's repository."""
    real = tmp_path / "dotfiles" / "cursor.json"
    real.parent.mkdir()
    real.write_bytes(MINE)
    link = tmp_path / "mcp.json"
    link.symlink_to(real)
    install([cursor(link)], HOW)
    assert link.is_symlink()
    assert "ghost" in servers(real)
    assert [path.name for path in real.parent.iterdir()] == ["cursor.json"]
    install([cursor(link)], None)
    assert link.is_symlink()
    assert real.read_bytes() == MINE
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["mcp.json"]


def test_permissions_stay_and_the_backup_is_private(file: Path) -> None:
    """Such files hold keys."""
    file.chmod(0o640)
    install([cursor(file)], HOW)
    assert file.stat().st_mode & 0o777 == 0o640
    assert backup_of(file).stat().st_mode & 0o777 == 0o600
    assert (folder() / "setup.json").stat().st_mode & 0o777 == 0o600


def test_new_files_cannot_be_written_by_others_whatever_the_umask(tmp_path: Path) -> None:
    """They hold commands that another program runs."""
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    before = os.umask(0)
    try:
        install([cursor(file)], HOW)
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == 0o644
    assert file.parent.stat().st_mode & 0o022 == 0


def test_a_read_only_file_is_refused(file: Path) -> None:
    """Whoever made it so meant it; nothing is left behind."""
    file.chmod(0o444)
    with pytest.raises(InvalidInputError, match="is read-only"):
        install([cursor(file)], HOW)
    assert file.read_bytes() == MINE
    assert not backup_of(file).exists()
    assert records() == {}


def test_a_file_that_somebody_writes_meanwhile(file: Path) -> None:
    """A program that knows no lock wrote between our reading and our writing: its text stays, and nothing is left behind."""
    code = DYING.replace("os._exit(9)", "Path(sys.argv[2]).write_bytes(b'{}')")
    tests = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", code, "install", str(file), "2"],  # while the backup is put in place
        env={**os.environ, "PYTHONPATH": tests},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "ConflictError: " in done.stderr
    assert "was changed while this ran; nothing was written to it" in done.stderr
    assert file.read_bytes() == b"{}"
    assert not backup_of(file).exists()
    assert records() == {}


@pytest.mark.parametrize("raw", ["{}".encode("utf-16"), b'{"a": "\xff"}'])
def test_other_encodings_are_refused(file: Path, raw: bytes) -> None:
    """A file that is not UTF-8 is not guessed at."""
    file.write_bytes(raw)
    with pytest.raises(InvalidInputError, match="UTF-8"):
        install([cursor(file)], HOW)
    assert file.read_bytes() == raw


def test_nothing_is_written_when_one_of_two_files_is_broken(tmp_path: Path) -> None:
    """All files are read before the first is written."""
    one, two = tmp_path / "mcp.json", tmp_path / "hooks.json"
    one.write_bytes(MINE)
    two.write_bytes(b"{")
    with pytest.raises(InvalidInputError, match="hooks.json: line 1, column 2"):
        install([cursor(one), target("cursor-hooks", two)], HOW)
    assert (one.read_bytes(), two.read_bytes()) == (MINE, b"{")
    assert not folder().exists()


@pytest.mark.parametrize("dry_run", [False, True])
def test_nothing_is_written_when_one_of_two_files_is_read_only(
    tmp_path: Path, dry_run: bool
) -> None:
    """The first file is not changed, and a dry run tells it as well."""
    one, two = tmp_path / "mcp.json", tmp_path / "hooks.json"
    one.write_bytes(MINE)
    two.write_bytes(b"{}")
    two.chmod(0o444)
    with pytest.raises(InvalidInputError, match=r"hooks\.json: .*read-only; nothing was changed"):
        install([cursor(one), target("cursor-hooks", two)], HOW, dry_run)
    assert (one.read_bytes(), two.read_bytes()) == (MINE, b"{}")
    assert not folder().exists()


def test_an_error_names_the_files_that_were_changed_before_it(tmp_path: Path) -> None:
    """A folder of the second file cannot be created; a removal needs no such folder."""
    one, two = tmp_path / "mcp.json", tmp_path / "taken" / "hooks.json"
    one.write_bytes(MINE)
    two.parent.write_bytes(b"")
    files = [cursor(one), target("cursor-hooks", two)]
    with pytest.raises(InvalidInputError, match=r"cannot write .*; changed before: .*mcp\.json"):
        install(files, HOW)
    assert [change.action for change in install(files, None)] == ["updated", "unchanged"]
    assert one.read_bytes() == MINE


def test_a_dry_run_makes_nothing(tmp_path: Path, file: Path) -> None:
    """Not even a folder of ours."""
    change = install([cursor(file)], HOW, dry_run=True)[0]
    assert change.action == "updated"
    assert '+    "ghost": {\n' in change.diff
    assert file.read_bytes() == MINE
    assert not folder().exists()


# ---------------------------------------------------------------- faults

DYING = """
import os, sys
from pathlib import Path
from setup_golden import HOW, target
from ghostmem.setup.install import install
left, real = int(sys.argv[3]), os.replace
def replace(*args):
    global left
    left -= 1
    if left == 0:
        os._exit(9)
    real(*args)
os.replace = replace
{"install": lambda files: install(files, HOW), "uninstall": lambda files: install(files, None)}[sys.argv[1]]([target("cursor", Path(sys.argv[2]))])
"""


def dies(verb: str, path: Path, after: int) -> bool:
    """Run in a process that dies instead of putting its n-th file in place; say whether it came to that."""
    tests = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", DYING, verb, str(path), str(after)],
        env={**os.environ, "PYTHONPATH": tests},
        check=False,
    )
    assert done.returncode in (0, 9)
    return done.returncode == 9


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_kill_at_any_step_of_an_install_loses_nothing(file: Path, after: int) -> None:
    """Before what is remembered, before the backup, before the file itself: the original is there, and the next run works."""
    assert dies("install", file, after)
    assert file.read_bytes() == MINE
    assert install([cursor(file)], HOW)[0].action == "updated"
    install([cursor(file)], None)
    assert file.read_bytes() == MINE
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == ["mcp.json"]
    assert list(folder().glob(".*")) == []
    assert records() == {}


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_kill_and_then_a_removal(file: Path, after: int) -> None:
    """Nothing of the broken-off install is left."""
    dies("install", file, after)
    install([cursor(file)], None)
    assert file.read_bytes() == MINE
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == ["mcp.json"]
    assert list(folder().glob(".*")) == []
    assert records() == {}


def test_a_kill_during_a_removal(file: Path) -> None:
    """The file is whole, and the next removal ends what was begun."""
    install([cursor(file)], HOW)
    assert dies("uninstall", file, 1)
    assert "ghost" in servers(file)
    install([cursor(file)], None)
    assert file.read_bytes() == MINE
    assert records() == {}


def test_several_installs_at_once(tmp_path: Path) -> None:
    """Of one client or of several: each entry is there once, and all go again."""
    home = Path(os.environ["HOME"])
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_bytes(MINE)
    program = Path(sys.executable).with_name("ghost")
    names = ["cursor", "cursor", "gemini", "gemini"]
    running = [
        subprocess.Popen([program, "setup", name, "--hooks"], stdout=subprocess.DEVNULL)
        for name in names
    ]
    assert [process.wait(60) for process in running] == [0] * len(names)
    assert list(servers(home / ".cursor" / "mcp.json")) == ["a", "ghost"]
    assert (
        len(json.loads((home / ".gemini" / "settings.json").read_bytes())["hooks"]["SessionStart"])
        == 1
    )
    for name in ("cursor", "gemini"):
        install(targets(CLIENTS[name], "user", True, True), None)
    assert (home / ".cursor" / "mcp.json").read_bytes() == MINE
    assert sorted(path.name for path in home.rglob("*")) == [
        ".cursor",
        ".ghost",
        "mcp.json",
        "setup.lock",
    ]


# ---------------------------------------------------------------- the table


@pytest.mark.parametrize(
    ("platform", "desktop", "code", "goose"),
    [
        (
            "linux",
            "/x/Claude/claude_desktop_config.json",
            "/x/Code/User/mcp.json",
            "/x/goose/config.yaml",
        ),
        (
            "darwin",
            "{}/Library/Application Support/Claude/claude_desktop_config.json",
            "{}/Library/Application Support/Code/User/mcp.json",
            "/x/goose/config.yaml",
        ),
        (
            "win32",
            "/r/Claude/claude_desktop_config.json",
            "/r/Code/User/mcp.json",
            "/r/Block/goose/config/config.yaml",
        ),
    ],
)
def test_where_files_lie(platform: str, desktop: str, code: str, goose: str) -> None:
    """On each system, by its own variables."""
    where = folders({"XDG_CONFIG_HOME": "/x", "APPDATA": "/r"}, platform)
    found = [
        str(located(CLIENTS[name].user, where)) for name in ("claude-desktop", "vscode", "goose")
    ]
    assert found == [name.format(os.environ["HOME"]) for name in (desktop, code, goose)]


def test_variables_of_other_programs_move_their_files() -> None:
    """CODEX_HOME and CLAUDE_CONFIG_DIR."""
    where = folders({"CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/d"}, "linux")
    assert str(located(CLIENTS["codex"].user, where)) == "/c/config.toml"
    assert str(located(CLIENTS["claude-code"].user, where)) == "/d/.claude.json"
    hooks = CLIENTS["claude-code"].hooks
    assert hooks is not None
    assert str(located(hooks.user, where)) == "/d/settings.json"


def test_time_outs_are_in_the_hosts_own_unit() -> None:
    """Seconds in Claude Code, Codex and Cursor, milliseconds in Gemini CLI and Qwen Code; Codex skips what runs in the background."""
    units = {name: client.hooks.per_second for name, client in CLIENTS.items() if client.hooks}
    assert units == {"claude-code": 1, "cursor": 1, "codex": 1, "gemini": 1000, "qwen": 1000}
    codex = CLIENTS["codex"].hooks
    assert codex is not None
    assert not any(event.background for event in codex.events)


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "ghost", "args": ["mcp"]}, True),
        ({"cmd": "/a b/ghost", "args": ["mcp-serve"]}, True),
        ({"command": "python", "args": ["-m", "ghostmem", "mcp"]}, True),
        ({"command": ["ghost", "mcp"]}, True),
        ({"transport": {"command": "ghost", "args": ["mcp"]}}, True),
        ({"command": ["npx", "ghost-blog-mcp"]}, False),
        ({"transport": "ghost mcp"}, False),
        ({"command": "ghost", "args": ["serve"]}, False),
        ({"command": "/bin/ghostwriter", "args": ["mcp"]}, False),
        ({"url": "https://example.com"}, False),
        ("ghost mcp", False),
        (None, False),
    ],
)
def test_which_entries_are_ours(entry: object, ours: bool) -> None:
    """By what they start, not by their name."""
    assert command_in(entry).starts_ghost == ours


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("ghost hook claude", True),
        ("'/a b/ghost' --db x hook claude Stop", True),
        ('"C:\\x\\ghost.exe" hook claude', True),
        ("ghost hook codex", False),
        ("echo ghost; x hook claude", False),
        ("ghostwriter hook claude", False),
        ("ghost hook claude-like", False),
        ("ghost hook claude; true", True),
        ("ghost put", False),
    ],
)
def test_which_hooks_are_ours(line: str, ours: bool) -> None:
    """Those that call this host's hook."""
    assert runs_ghost({"command": line}, "claude") == ours


def test_a_path_with_spaces_is_one_word() -> None:
    """For the shell that reads a hook's line."""
    words = ["/a b/gh'ost", "hook", "codex"]
    assert command_in({"command": joined(words)}).words == words
