"""ghost setup: clients, and AGENTS.md; sessions/setup.txt has the messages about the guidance"""

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem.setup.clients import CLIENTS

if TYPE_CHECKING:
    from conftest import GhostCli

pytestmark = pytest.mark.usefixtures("project")
MINE = b"# Agents\r\n\r\nBe kind."


def test_a_dry_run_prints_a_diff(ghost_cli: "GhostCli", project: Path) -> None:
    """What would change is shown, and nothing is made."""
    shown = ghost_cli.ok("setup", "agents-md", "--dry-run")
    assert shown.startswith("--- /dev/null\n+++ AGENTS.md\n@@ -0,0 +1,")
    assert "+<!-- ghost:begin agents-md -->\n" in shown
    assert list(project.iterdir()) == []
    assert ghost_cli.row("setup", "agents-md", "--dry-run")["diff"] == shown
    ghost_cli.ok("setup", "agents-md")
    removed = ghost_cli.ok("setup", "agents-md", "--dry-run", "--remove")
    assert removed.startswith("--- AGENTS.md\n+++ /dev/null\n")
    assert (project / "AGENTS.md").exists()


def test_print_touches_no_file(ghost_cli: "GhostCli", project: Path, home: Path) -> None:
    """The block to paste by hand is the one that would be written."""
    shown = ghost_cli.ok("setup", "agents-md", "--print")
    assert list(project.iterdir()) == []
    assert list(home.iterdir()) == []
    ghost_cli.ok("setup", "agents-md")
    assert (project / "AGENTS.md").read_text(encoding="utf-8") == shown
    assert shown.startswith("<!-- ghost:begin agents-md -->\n")
    assert shown.endswith("<!-- ghost:end agents-md -->\n")
    assert "once a week" in shown
    assert ghost_cli.row("setup", "agents-md", "--print")["text"] + "\n" == shown


# ---------------------------------------------------------------- clients

HOOKED = [name for name, client in CLIENTS.items() if client.hooks]
ONE_FILE = ["gemini", "qwen"]  # the hooks are in the file of the server
PERMITTED = [name for name, client in CLIENTS.items() if client.permission]


@pytest.mark.wide(keep=10)
@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_goes_in_and_out(ghost_cli: "GhostCli", home: Path, name: str) -> None:
    """One line per file; the second run changes nothing; removed, nothing of it is left but our lock."""
    hooks = ["--hooks"] if name in HOOKED else []
    first = ghost_cli.ok("setup", name, *hooks)
    assert all(
        line.startswith("wrote the ") and " to the new file " in line for line in first.splitlines()
    )
    again = ghost_cli.ok("setup", name, *hooks)
    assert all(line.endswith(": up to date") for line in again.splitlines())
    assert (
        len(first.splitlines())
        == len(again.splitlines())
        == (2 if name in HOOKED and name not in ONE_FILE else 1)
    )
    assert f"{name} (user): installed" in ghost_cli.ok("setup", "--list")
    removed = ghost_cli.ok("setup", name, "--remove")
    assert all(line.startswith("deleted ") for line in removed.splitlines())
    assert sorted(path.name for path in home.rglob("*")) == [".ghost", "setup.lock"]
    assert "Ghost is not in " in ghost_cli.ok("setup", name, "--remove")


def test_a_file_keeps_what_else_is_in_it(ghost_cli: "GhostCli", home: Path) -> None:
    """The original comes back to the byte, and the backup goes."""
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_bytes(b'model = "o3" # mine')
    assert (
        ghost_cli.ok("setup", "codex", "-n", "agent:coder")
        == f"wrote the server to {file}; start a new session in Codex\n"
    )
    made = tomllib.loads(file.read_text(encoding="utf-8"))
    assert made["mcp_servers"]["ghost"]["env"] == {"GHOST_NS": "agent:coder"}
    assert file.read_bytes().startswith(b'model = "o3" # mine\n\n[mcp_servers.ghost]\n')
    removed = ghost_cli.ok("setup", "codex", "--remove").splitlines()
    assert removed == [
        f"removed the server from {file}",
        f"Ghost is not in {home / '.codex' / 'hooks.json'}",
    ]
    assert file.read_bytes() == b'model = "o3" # mine'
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]


def test_hooks_alone_are_removed(ghost_cli: "GhostCli", home: Path) -> None:
    """The server stays."""
    ghost_cli.ok("setup", "claude-code", "--hooks")
    assert ghost_cli.ok("setup", "claude-code", "--remove", "--hooks").startswith("deleted ")
    assert not (home / ".claude").exists()
    assert (home / ".claude.json").exists()


def test_hooks_that_keep_their_namespace_are_told(ghost_cli: "GhostCli", home: Path) -> None:
    """-n without --hooks changes the server alone; with it, both."""
    settings = home / ".claude" / "settings.json"
    told = "the hooks keep their own namespace"
    assert told not in ghost_cli("setup", "claude-code", "-n", "agent:me").err
    assert told not in ghost_cli("setup", "claude-code", "--hooks").err
    assert told in ghost_cli("setup", "claude-code", "-n", "agent:you").err
    assert "agent:you" not in settings.read_text(encoding="utf-8")
    assert told not in ghost_cli("setup", "claude-code", "-n", "agent:you", "--hooks").err
    assert settings.read_text(encoding="utf-8").count("agent:you") == 5


def test_a_project_gets_files_of_its_own(ghost_cli: "GhostCli", home: Path, project: Path) -> None:
    """They are shared, so nothing of this machine is in them."""
    ghost_cli.ok("setup", "claude-code", "--scope", "project", "--hooks")
    assert (
        json.loads((project / ".mcp.json").read_bytes())["mcpServers"]["ghost"]["command"]
        == "ghost"
    )
    assert str(home) not in (project / ".claude" / "settings.json").read_text(encoding="utf-8")
    assert "claude-code (project): installed, with hooks" in ghost_cli.ok("setup", "--list")
    ghost_cli.ok("setup", "claude-code", "--scope", "project", "--remove")
    assert list(project.iterdir()) == []


def test_a_store_that_is_named_is_the_servers(
    ghost_cli: "GhostCli", home: Path, project: Path
) -> None:
    """By its full path, in the environment of the server and in the hooks' words."""
    ghost_cli.ok("setup", "gemini", "--hooks", "--db", "mine.db")
    made = json.loads((home / ".gemini" / "settings.json").read_bytes())
    assert made["mcpServers"]["ghost"]["env"] == {"GHOST_DB": str(project / "mine.db")}
    assert (
        f"--db {project / 'mine.db'} hook gemini"
        in made["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    )


def test_a_client_that_knows_no_project_gets_a_namespace(ghost_cli: "GhostCli") -> None:
    """Claude Desktop is started in no project's folder."""
    shown = json.loads(ghost_cli.ok("setup", "claude-desktop", "--print"))
    assert shown["mcpServers"]["ghost"]["env"] == {"GHOST_NS": "agent:claude-desktop"}
    shown = json.loads(ghost_cli.ok("setup", "claude-desktop", "--print", "-n", "me"))
    assert shown["mcpServers"]["ghost"]["env"] == {"GHOST_NS": "me"}


def test_dry_runs_of_clients(ghost_cli: "GhostCli", home: Path) -> None:
    """A diff for each file, and nothing is made."""
    shown = ghost_cli.ok("setup", "cursor", "--hooks", "--dry-run")
    assert [line for line in shown.splitlines() if line.startswith("+++ ")] == [
        f"+++ {home / '.cursor' / name}" for name in ("mcp.json", "hooks.json")
    ]
    assert list(home.iterdir()) == []
    ghost_cli.ok("setup", "cursor")
    assert ghost_cli.ok("setup", "cursor", "--dry-run", "--remove").startswith(
        f"--- {home / '.cursor' / 'mcp.json'}\n+++ /dev/null"
    )
    rows = ghost_cli.rows("setup", "cursor", "--dry-run")
    assert rows[0] == {
        "client": "cursor", "scope": "user", "path": str(home / ".cursor" / "mcp.json"), "action": "unchanged", "dry_run": True,
        "diff": "",
    }  # fmt: skip


@pytest.mark.wide(keep=10)
@pytest.mark.parametrize("name", CLIENTS)
def test_what_is_printed_is_what_a_new_file_would_be(
    ghost_cli: "GhostCli", home: Path, name: str
) -> None:
    """To paste by hand; no file is touched."""
    hooks = ["--hooks"] if name in ONE_FILE else []
    shown = ghost_cli("setup", name, "--print", *hooks)
    assert list(home.iterdir()) == []
    ghost_cli.ok("setup", name, *hooks)
    path = ghost_cli.rows("setup", name)[0]["path"]
    assert shown.err == f"paste into {path}:\n"
    assert Path(path).read_text(encoding="utf-8") == shown.out
    assert ghost_cli.rows("setup", name, "--print", *hooks)[0]["text"] == shown.out


def test_any_other_client_can_be_pasted(ghost_cli: "GhostCli", home: Path) -> None:
    """In the format it takes; a note says that the client is not known, and which are."""
    shown = json.loads(ghost_cli.ok("setup", "helix", "--print"))["mcpServers"]["ghost"]
    assert shown["args"] == ["mcp"]
    assert (
        tomllib.loads(ghost_cli.ok("setup", "helix", "--print", "--as", "toml"))["mcp_servers"][
            "ghost"
        ]
        == shown
    )
    assert ghost_cli.ok("setup", "helix", "--print", "--as", "yaml").startswith(
        "mcp_servers:\n  ghost:\n    command: "
    )
    assert "helix is not known; known: claude-code, " in ghost_cli("setup", "helix", "--print").err
    assert ghost_cli.row("setup", "helix", "--print", "-n", "me")["format"] == "json"
    plain = ghost_cli("setup", "--print")
    assert json.loads(plain.out)["mcpServers"]["ghost"] == shown
    assert "`ghost setup CLIENT --print` prints a client's own form; known: " in plain.err
    assert ghost_cli.row("setup", "--print", "--as", "toml")["format"] == "toml"
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("opencode", ("mcp", "ghost", "command", 0)),
        ("amp", ("amp.mcpServers", "ghost", "command")),
        ("cline", ("mcpServers", "ghost", "transport", "command")),
        ("zed", ("context_servers", "ghost", "command")),
        ("vscode", ("servers", "ghost", "command")),
        ("crush", ("mcp", "ghost", "command")),
    ],
)
def test_each_client_is_printed_in_its_own_form(
    ghost_cli: "GhostCli", name: str, keys: tuple[str | int, ...]
) -> None:
    """Not every client reads `mcpServers`."""
    value = json.loads(ghost_cli.ok("setup", name, "--print"))
    for key in keys:
        value = value[key]
    assert value.endswith("ghost")


@pytest.mark.wide(keep=5)
@pytest.mark.parametrize("name", PERMITTED)
def test_a_permission_goes_in_and_out(ghost_cli: "GhostCli", home: Path, name: str) -> None:
    """Without it a line says how to add it; with it the line is gone, and the list and the removal know of it."""
    words = f"`ghost setup {name} --allow` lets Ghost's tools run"
    assert words in ghost_cli("setup", name).err
    allowed = ghost_cli("setup", name, "--allow")
    assert "the permission" in allowed.out
    assert allowed.err == ""
    assert ghost_cli("setup", name).err == ""
    row = next(row for row in ghost_cli.rows("setup", "--list") if row["client"] == name)
    assert row["allowed"] is True
    assert f"{name} (user): installed, allowed" in ghost_cli.ok("setup")
    ghost_cli.ok("setup", name, "--remove", "--allow")
    assert words in ghost_cli("setup", name).err
    ghost_cli.ok("setup", name, "--allow")
    ghost_cli.ok("setup", name, "--remove")
    assert sorted(path.name for path in home.rglob("*")) == [".ghost", "setup.lock"]


@pytest.mark.parametrize("name", [name for name in CLIENTS if name not in PERMITTED])
def test_a_client_without_a_permission_says_so(ghost_cli: "GhostCli", name: str) -> None:
    """It is installed all the same."""
    done = ghost_cli("setup", name, "--allow", "--dry-run")
    assert done.code == 0
    client = CLIENTS[name]
    note = f"permission: {client.title} manages this itself: {client.asks}\n"
    assert done.err == note
    assert ghost_cli("setup", name, "--remove", "--allow").err == note
    assert "--allow" not in ghost_cli.ok("setup", name, "--help")


@pytest.mark.parametrize("name", [name for name in CLIENTS if name not in HOOKED])
def test_a_client_without_hooks_says_so(ghost_cli: "GhostCli", home: Path, name: str) -> None:
    """Nothing is written."""
    error, hint = ghost_cli.fails(2, "setup", name, "--hooks")
    assert error == f"Ghost has no hooks for {CLIENTS[name].title}; nothing was changed"
    assert hint.startswith("leave out --hooks; `ghost setup agents-md` ")
    assert list(home.iterdir()) == []


def test_what_clients_cannot_do(ghost_cli: "GhostCli", home: Path) -> None:
    """Each with the next step."""
    error, hint = ghost_cli.fails(2, "setup", "curser")
    assert error == "there is no client 'curser'"
    assert hint.startswith("did you mean cursor? known: claude-code, claude-desktop, cursor, ")
    assert hint.endswith("; for any other, `ghost setup --print` shows the common form")
    assert ghost_cli.fails(2, "setup", "emacs")[1].startswith("known: claude-code, ")
    assert "cannot be combined" in ghost_cli.fails(2, "setup", "cursor", "--print", "--remove")[0]
    assert "cannot be combined" in ghost_cli.fails(2, "setup", "--list", "cursor")[0]
    assert "go after the name of a client" in ghost_cli.fails(2, "setup", "--print", "cursor")[0]
    error, hint = ghost_cli.fails(2, "setup", "goose", "--scope", "project")
    assert (error, hint) == (
        "Goose has no file for a project",
        "leave out --scope, or say --scope user",
    )
    assert "is not a namespace" in ghost_cli.fails(2, "setup", "goose", "-n", "a::b")[0]
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{", encoding="utf-8")
    error, _ = ghost_cli.fails(2, "setup", "cursor", "--remove")
    assert "mcp.json: line 1, column 2: not valid JSON with comments: " in error
    assert error.endswith("; nothing was changed")


def test_the_list(ghost_cli: "GhostCli", home: Path) -> None:
    """First what is installed, a line for each scope; then a line for each other client, with its file."""
    lines = ghost_cli.ok("setup", "--list").splitlines()
    assert lines[0] == "not installed:"
    assert len(lines) == 1 + len(CLIENTS)
    assert f"  cursor          Cursor           {home / '.cursor' / 'mcp.json'}" in lines
    ghost_cli.ok("setup", "cursor", "--hooks")
    file = home / ".cursor" / "mcp.json"
    file.write_text(
        json.dumps({"mcpServers": {"ghost": {"command": "/old/ghost", "args": ["mcp"]}}}),
        encoding="utf-8",
    )
    lines = ghost_cli.ok("setup").splitlines()
    row = f"cursor (user): installed, not up to date, with hooks  {file}  /old/ghost mcp"
    assert lines[:3] == [row, "", "not installed:"]
    assert len(lines) == 2 + len(CLIENTS)
    found = ghost_cli.rows("setup", "--list")
    assert (found[0]["client"], found[0]["scope"]) == ("cursor", "user")
    assert (found[0]["server"], found[0]["hooks"], found[0]["command"]) == (
        "old",
        "current",
        "/old/ghost mcp",
    )
    assert len(found) == sum(2 if client.project else 1 for client in CLIENTS.values())


def test_the_guidance_is_about_the_server_that_is_installed(
    ghost_cli: "GhostCli", home: Path
) -> None:
    """The tools for notes are named when a client starts the server with them, or when they are asked for."""
    assert "memory_search" not in ghost_cli.ok("setup", "agents-md", "--print")
    asked = ghost_cli.ok("setup", "agents-md", "--print", "--tools", "memory,notes")
    assert "memory_search" in asked
    assert "ghost_put" in asked
    ghost_cli.ok("setup", "amp")
    file = home / ".config" / "amp" / "settings.json"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"mcp"', '"mcp", "--tools", "memory,notes"'), encoding="utf-8")
    assert ghost_cli.ok("setup", "agents-md", "--print") == asked


def test_the_doctor_looks_at_clients_and_hooks(ghost_cli: "GhostCli", home: Path) -> None:
    """A line for each that Ghost is in; what hooks last failed at is there until somebody deletes it."""
    assert "(user)" not in ghost_cli.ok("doctor")
    ghost_cli.ok("setup", "goose")
    assert "✓ goose (user): " in ghost_cli.ok("doctor")
    (home / ".config" / "goose" / "config.yaml").write_text(
        "extensions:\n  ghost:\n    cmd: /gone/ghost\n    args: [mcp]\n"
    )
    result = ghost_cli("doctor")
    assert result.code == 5
    assert "✗ goose (user): the server in " in result.out
    assert "    → ghost setup goose\n" in result.out
    ghost_cli.ok("setup", "goose")
    (home / ".ghost" / "hooks.log").write_text(
        "an older one\n2026-11-15T12:00:00Z claude Stop: took \x1b[1m too long\n"
    )
    out = ghost_cli.ok("doctor")
    assert (
        "! hooks: the last failure: 2026-11-15T12:00:00Z claude Stop: took ␛[1m too long\n" in out
    )


URL = "postgresql://app:s3cr@t/w:rd@db.example.com/shop"


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("more", [(), ("--print",), ("--dry-run",), ("--hooks",)])
def test_a_password_is_never_written(
    ghost_cli: "GhostCli", project: Path, scope: str, more: tuple[str, ...]
) -> None:
    """A store's URL with a password is refused, the password is not shown, and the error says where it can be kept."""
    before = sorted(project.rglob("*"))
    error = " ".join(
        ghost_cli.fails(2, "setup", "claude-code", "--scope", scope, *more, "--db", URL)
    )
    assert "postgresql://app:***@db.example.com/shop has a password" in error
    assert "~/.pgpass" in error
    assert "ghost config set db" in error
    assert not any(part in error for part in ("s3cr", "t/w", "rd@"))
    assert sorted(project.rglob("*")) == before
    assert not (Path.home() / ".claude.json").exists()


@pytest.mark.parametrize("scheme", ["POSTGRESQL", "postgresql+psycopg", "mysql"])
def test_a_url_that_cannot_be_opened_is_shown_without_its_password(
    ghost_cli: "GhostCli", scheme: str
) -> None:
    """Whatever its scheme."""
    error = " ".join(ghost_cli.fails(5, "--db", f"{scheme}://u:SECRETPW@h/x", "stats"))
    assert "SECRETPW" not in error
    assert f"{scheme}://u:***@h/x is not a store" in error


def test_a_url_without_a_password_is_written(ghost_cli: "GhostCli", project: Path) -> None:
    """The client library finds the password in ~/.pgpass; taking an entry out asks for no store."""
    ghost_cli.ok(
        "setup", "claude-code", "--scope", "project", "--db", "postgresql://app@db.example.com/shop"
    )
    entry = json.loads((project / ".mcp.json").read_bytes())["mcpServers"]["ghost"]
    assert entry["env"]["GHOST_DB"] == "postgresql://app@db.example.com/shop"
    ghost_cli.ok("setup", "claude-code", "--scope", "project", "--remove", "--db", URL)
    assert not (project / ".mcp.json").exists()


@pytest.mark.parametrize("remove", [(), ("--remove",), ("--dry-run",)])
def test_a_link_out_of_the_project_is_not_followed(
    ghost_cli: "GhostCli",
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    remove: tuple[str, ...],
) -> None:
    """A link in a cloned repository cannot make setup write to a file of the user, nor to a folder elsewhere."""
    outside = tmp_path_factory.mktemp("outside")
    target = outside / "bashrc"
    target.write_bytes(MINE)
    (project / ".git").mkdir()
    (project / "AGENTS.md").symlink_to(target)
    (project / ".cursor").symlink_to(outside)
    (project / ".mcp.json").symlink_to(outside / "new.json")
    for words in (
        ("agents-md",),
        ("cursor", "--scope", "project"),
        ("claude-code", "--scope", "project"),
    ):
        error = " ".join(ghost_cli.fails(2, "setup", *words, *remove))
        assert "outside the project" in error
        assert "nothing was changed" in error
    assert [file.name for file in outside.iterdir()] == ["bashrc"]
    assert target.read_bytes() == MINE


def test_a_link_inside_the_project_is_followed(ghost_cli: "GhostCli", project: Path) -> None:
    """AGENTS.md may be a link to another file of the same repository, also from a folder below its root."""
    (project / ".git").mkdir()
    (project / "docs").mkdir()
    (project / "docs" / "agents.md").write_bytes(MINE)
    (project / "AGENTS.md").symlink_to("docs/agents.md")
    ghost_cli.ok("setup", "agents-md")
    assert (project / "AGENTS.md").is_symlink()
    assert (project / "docs" / "agents.md").read_bytes() != MINE
    (project / "docs" / "AGENTS.md").symlink_to("../AGENTS.md")
    ghost_cli.ok("setup", "agents-md", "docs", "--remove")
    assert (project / "docs" / "agents.md").read_bytes() == MINE


def test_a_removal_names_the_hooks_it_leaves(ghost_cli: "GhostCli", home: Path) -> None:
    """A hook that runs other commands too stays in the file, and the user is told."""
    folder = home / ".claude"
    folder.mkdir()
    line = "notify-send done; ghost hook claude Stop"
    document = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}}
    (folder / "settings.json").write_text(json.dumps(document), encoding="utf-8")
    result = ghost_cli("setup", "claude-code", "--hooks", "--remove")
    assert result.out == f"{folder / 'settings.json'}: unchanged\n"
    assert f"`{line}` runs other commands too" in result.err
    assert json.loads((folder / "settings.json").read_text(encoding="utf-8")) == document
    assert ghost_cli.row("setup", "claude-code", "--hooks", "--remove")["left"] == [line]
