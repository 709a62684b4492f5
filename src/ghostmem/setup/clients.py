"""The table of programs that Ghost can be installed in.

A row says where the files of a program are, in which format, at which path the entry goes, the
shape of the entry, and the hooks and the permission that the program has. `{command}`, `{args}`,
`{words}` and `{env}` in a shape are replaced by the server's command, `{tool}` and `{tools}` in a
permission by the names of its tools; the folders in braces are those of `folders`.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.settings import child_env

SCOPES = ("user", "project")

# how the row of a client was checked
RUN = "tested with sessions of the real program"
CHECKED = "configuration checked"
DOCUMENTED = "written from public documentation"

PLAIN = {"command": "{command}", "args": "{args}", "env": "{env}"}
TYPED = {"type": "stdio", **PLAIN}
WORDS = {"type": "local", "command": "{words}", "environment": "{env}", "enabled": True}
EXTENSION = {
    "name": "Ghost",
    "description": "Memory that lasts",
    "type": "stdio",
    "cmd": "{command}",
    "args": "{args}",
    "envs": "{env or empty}",
    "enabled": True,
    "timeout": 300,
}


@dataclass(frozen=True, slots=True)
class HookEvent:
    """A moment at which a host calls a hook, and how long the host waits."""

    name: str
    seconds: int
    background: bool = False
    matcher: str = ""


@dataclass(frozen=True, slots=True)
class Hooks:
    """The files of a host's hooks and their format."""

    host: str  # its name in `ghost hook`
    user: str
    project: str
    format: str
    events: tuple[HookEvent, ...]
    per_second: int = 1  # 1000 where time-outs are milliseconds
    flat: bool = False  # handlers are in the list of the event, not in groups
    exec_form: bool = False  # the words of a command are separate, without a shell
    then: str = ""  # the next step after a change


@dataclass(frozen=True, slots=True)
class Permission:
    """How a client lets tools run without asking: keys of the entry, or a value in a JSON file.

    The value is an item of the list at `path`, or the value of the key at `path`. With `{tool}` in
    it there is one for each tool.
    """

    entry: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    value: Any = None
    is_item: bool = False
    user: str = ""  # empty: in the file of the server
    project: str = ""
    format: str = ""


@dataclass(frozen=True, slots=True)
class SetupClient:
    """A program that starts MCP servers."""

    name: str
    title: str
    format: str  # json, jsonc, toml, yaml or yaml-list
    user: str
    project: str  # empty: no file for a project
    path: tuple[str, str]
    shape: Mapping[str, Any]
    hooks: Hooks | None = None
    gui: bool = False  # started from a desktop, without the PATH of a shell
    ns: str = ""  # for programs without projects
    then: str = ""  # the next step after a change
    permission: Permission | None = None
    asks: str = ""  # without a permission: how the program asks, and where that is changed
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # other files, by scope
    new_file: Mapping[str, str] = field(default_factory=dict)  # other keys that a new file needs
    checked: str = DOCUMENTED

    def file(self, scope: str) -> str:
        """Return the file of a scope, with folders in braces."""
        return self.user if scope == "user" else self.project


_STARTS = "startup|resume|clear|compact"
_CLAUDE_EVENTS = (
    HookEvent("SessionStart", 15, matcher=_STARTS),
    HookEvent("UserPromptSubmit", 10),
    HookEvent("PreCompact", 30, background=True),
    HookEvent("Stop", 30),
    HookEvent("SessionEnd", 10),
)
_CODEX_EVENTS = (
    HookEvent("SessionStart", 15, matcher=_STARTS),
    HookEvent("UserPromptSubmit", 10),
    HookEvent("PreCompact", 30),
    HookEvent("Stop", 30),
)
_GEMINI_EVENTS = (
    HookEvent("SessionStart", 15),
    HookEvent("BeforeAgent", 10),
    HookEvent("PreCompress", 30, matcher="manual"),  # "auto" comes before every request
    HookEvent("AfterAgent", 30),
    HookEvent("SessionEnd", 10),
)
_CURSOR_EVENTS = (
    HookEvent("sessionStart", 15),
    HookEvent("beforeSubmitPrompt", 10),
    HookEvent("preCompact", 30),
    HookEvent("stop", 30),
    HookEvent("sessionEnd", 10),
)

_QWEN_EVENTS = (
    HookEvent("SessionStart", 15),
    HookEvent("UserPromptSubmit", 10),
    HookEvent("PreCompact", 30),
    HookEvent("Stop", 30),
    HookEvent("SessionEnd", 10),
)

_SERVERS = ("mcpServers", "ghost")
_NEW = "start a new session"
_TRUST = "start a new session in Codex, and trust the hooks when it asks"
_ROO = "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"

CLIENTS = {
    client.name: client
    for client in (
        SetupClient(
            name="claude-code",
            title="Claude Code",
            format="json",
            user="{claude_json}/.claude.json",
            project=".mcp.json",
            path=_SERVERS,
            shape=TYPED,
            hooks=Hooks(
                host="claude",
                user="{claude}/settings.json",
                project=".claude/settings.json",
                format="json",
                events=_CLAUDE_EVENTS,
                exec_form=True,
            ),
            permission=Permission(
                path=("permissions", "allow"),
                value="mcp__ghost",
                is_item=True,
                user="{claude}/settings.json",
                project=".claude/settings.json",
                format="json",
            ),
            then="start a new session in Claude Code",
            checked=RUN,
        ),
        SetupClient(
            name="claude-desktop",
            title="Claude Desktop",
            format="json",
            user="{config}/Claude/claude_desktop_config.json",
            project="",
            path=_SERVERS,
            shape=PLAIN,
            gui=True,
            ns="agent:claude-desktop",
            then="quit Claude Desktop and open it again",
            asks="it asks before a tool runs for the first time; choose to allow it always",
        ),
        SetupClient(
            name="cursor",
            title="Cursor",
            format="jsonc",
            user="{home}/.cursor/mcp.json",
            project=".cursor/mcp.json",
            path=_SERVERS,
            shape=PLAIN,
            hooks=Hooks(
                host="cursor",
                user="{home}/.cursor/hooks.json",
                project=".cursor/hooks.json",
                format="jsonc",
                events=_CURSOR_EVENTS,
                flat=True,
                then=_NEW,
            ),
            gui=True,
            then="turn `ghost` on in Cursor's settings under Tools & MCP",
            asks="it asks before a tool runs; `ghost:*` in its MCP allowlist stops that",
        ),
        SetupClient(
            name="vscode",
            title="VS Code",
            format="jsonc",
            user="{config}/Code/User/mcp.json",
            project=".vscode/mcp.json",
            path=("servers", "ghost"),
            shape=TYPED,
            gui=True,
            then="run `MCP: List Servers` in VS Code and start `ghost`",
            asks="it asks before a tool runs; the button of that question can allow it always",
        ),
        SetupClient(
            name="windsurf",
            title="Windsurf",
            format="json",
            user="{home}/.codeium/windsurf/mcp_config.json",
            project="",
            path=_SERVERS,
            shape=PLAIN,
            gui=True,
            then="press Refresh in Windsurf's list of MCP servers",
            asks="its own settings say which tools run without a question",
        ),
        SetupClient(
            name="codex",
            title="Codex",
            format="toml",
            user="{codex}/config.toml",
            project=".codex/config.toml",
            path=("mcp_servers", "ghost"),
            shape=PLAIN,
            hooks=Hooks(
                host="codex",
                user="{codex}/hooks.json",
                project=".codex/hooks.json",
                format="json",
                events=_CODEX_EVENTS,
                then=_TRUST,
            ),
            permission=Permission(entry={"default_tools_approval_mode": "approve"}),
            then="start a new session in Codex",
            checked=RUN,
        ),
        SetupClient(
            name="gemini",
            title="Gemini CLI",
            format="jsonc",
            user="{home}/.gemini/settings.json",
            project=".gemini/settings.json",
            path=_SERVERS,
            shape=PLAIN,
            hooks=Hooks(
                host="gemini",
                user="{home}/.gemini/settings.json",
                project=".gemini/settings.json",
                format="jsonc",
                events=_GEMINI_EVENTS,
                per_second=1000,
            ),
            permission=Permission(entry={"trust": True}),
            then="start a new session in Gemini CLI",
            checked=RUN,
        ),
        SetupClient(
            name="goose",
            title="Goose",
            format="yaml",
            user="{goose}/config.yaml",
            project="",
            path=("extensions", "ghost"),
            shape=EXTENSION,
            then="start a new session in Goose",
            asks="its mode (GOOSE_MODE) says whether it asks before a tool runs",
        ),
        SetupClient(
            name="opencode",
            title="opencode",
            format="jsonc",
            user="{xdg}/opencode/opencode.json",
            project="opencode.json",
            path=("mcp", "ghost"),
            shape=WORDS,
            permission=Permission(path=("permission", "ghost_ghost_*"), value="allow"),
            then="start a new session in opencode",
            also={
                "user": ("{xdg}/opencode/opencode.jsonc",),
                "project": ("opencode.jsonc",),
            },
            checked=RUN,
        ),
        SetupClient(
            name="qwen",
            title="Qwen Code",
            format="jsonc",
            user="{home}/.qwen/settings.json",
            project=".qwen/settings.json",
            path=_SERVERS,
            shape=PLAIN,
            hooks=Hooks(
                host="qwen",
                user="{home}/.qwen/settings.json",
                project=".qwen/settings.json",
                format="jsonc",
                events=_QWEN_EVENTS,
                per_second=1000,
            ),
            permission=Permission(entry={"trust": True}),
            then="start a new session in Qwen Code",
            checked=RUN,
        ),
        SetupClient(
            name="copilot",
            title="Copilot CLI",
            format="json",
            user="{copilot}/mcp-config.json",
            project=".github/mcp.json",
            path=_SERVERS,
            shape={"type": "local", **PLAIN, "tools": ["*"]},
            then="start a new session in Copilot CLI",
            asks="it asks before a tool runs; `copilot --allow-tool ghost` lets Ghost's run",
            checked=CHECKED,
        ),
        SetupClient(
            name="amp",
            title="Amp",
            format="jsonc",
            user="{xdg}/amp/settings.json",
            project=".amp/settings.json",
            path=("amp.mcpServers", "ghost"),
            shape=PLAIN,
            permission=Permission(
                path=("amp.permissions",),
                value={"tool": "mcp__ghost__*", "action": "allow"},
                is_item=True,
            ),
            then="start a new session in Amp",
            also={"user": ("{xdg}/amp/settings.jsonc",), "project": (".amp/settings.jsonc",)},
            checked=CHECKED,
        ),
        SetupClient(
            name="cline",
            title="Cline",
            format="json",
            user="{home}/.cline/data/settings/cline_mcp_settings.json",
            project="",
            path=_SERVERS,
            shape={"transport": TYPED},
            then="start a new session in Cline",
            asks="it asks before a tool runs; `cline --auto-approve true` lets all tools run",
            checked=CHECKED,
        ),
        SetupClient(
            name="droid",
            title="Factory droid",
            format="json",
            user="{home}/.factory/mcp.json",
            project=".factory/mcp.json",
            path=_SERVERS,
            shape={**TYPED, "disabled": False},
            then="start a new session in droid",
            asks="it asks before a tool runs; answer once that `ghost` is always allowed",
            checked=CHECKED,
        ),
        SetupClient(
            name="zed",
            title="Zed",
            format="jsonc",
            user="{zed}/settings.json",
            project=".zed/settings.json",
            path=("context_servers", "ghost"),
            shape=PLAIN,
            gui=True,
            permission=Permission(
                path=("agent", "tool_permissions", "tools", "mcp:ghost:{tool}"),
                value={"default": "allow"},
            ),
            then="open the agent panel's settings in Zed: `ghost` has a green dot",
        ),
        SetupClient(
            name="kiro",
            title="Kiro",
            format="json",
            user="{home}/.kiro/settings/mcp.json",
            project=".kiro/settings/mcp.json",
            path=_SERVERS,
            shape=PLAIN,
            gui=True,
            permission=Permission(entry={"autoApprove": "{tools}"}),
            then="look for `ghost` in Kiro's list of MCP servers",
        ),
        SetupClient(
            name="crush",
            title="Crush",
            format="json",
            user="{xdg}/crush/crush.json",
            project="crush.json",
            path=("mcp", "ghost"),
            shape=TYPED,
            permission=Permission(
                path=("permissions", "allowed_tools"), value="mcp_ghost_{tool}", is_item=True
            ),
            then="start a new session in Crush",
            also={"project": (".crush.json",)},
            checked=CHECKED,
        ),
        SetupClient(
            name="kilo",
            title="Kilo Code",
            format="jsonc",
            user="{xdg}/kilo/kilo.jsonc",
            project=".kilo/kilo.jsonc",
            path=("mcp", "ghost"),
            shape=WORDS,
            gui=True,
            permission=Permission(path=("permission", "ghost_ghost_*"), value="allow"),
            then="start a new session in Kilo Code",
            also={
                "user": ("{xdg}/kilo/kilo.json",),
                "project": (".kilo/kilo.json", "kilo.jsonc", "kilo.json"),
            },
        ),
        SetupClient(
            name="roo",
            title="Roo Code",
            format="json",
            user="{config}/" + _ROO,
            project=".roo/mcp.json",
            path=_SERVERS,
            shape=PLAIN,
            gui=True,
            permission=Permission(entry={"alwaysAllow": "{tools}"}),
            then="look for `ghost` in Roo Code's list of MCP servers",
        ),
        SetupClient(
            name="continue",
            title="Continue",
            format="yaml-list",
            user="{home}/.continue/mcpServers/ghost.yaml",
            project=".continue/mcpServers/ghost.yaml",
            path=_SERVERS,
            shape={"name": "ghost", **TYPED},
            gui=True,
            then="reload Continue's configuration; the tools are in its agent mode",
            asks="it asks before a tool runs; its tool settings can make `ghost` automatic",
            also={"user": ("{home}/.continue/config.yaml",)},
            new_file={"name": "Ghost", "version": "1.0.0", "schema": "v1"},
        ),
        SetupClient(
            name="warp",
            title="Warp",
            format="json",
            user="{home}/.warp/.mcp.json",
            project=".warp/.mcp.json",
            path=_SERVERS,
            shape=PLAIN,
            gui=True,
            then="look for `ghost` in Warp's settings under MCP servers",
            asks="the agent profile in Warp's settings says which servers run without a question",
        ),
        SetupClient(
            name="junie",
            title="JetBrains Junie",
            format="json",
            user="{home}/.junie/mcp/mcp.json",
            project=".junie/mcp/mcp.json",
            path=_SERVERS,
            shape=PLAIN,
            gui=True,
            then="look for `ghost` in Junie's settings under MCP",
            asks="it asks before a tool runs; its action allowlist takes MCP tools",
        ),
    )
}
OTHER = SetupClient("other", "any other client", "json", "", "", _SERVERS, PLAIN)


def folders(env: Mapping[str, str] | None = None, platform: str = sys.platform) -> dict[str, str]:
    """Return the folders of configuration files, on this system or a named one."""
    env = child_env() if env is None else env
    home = str(Path("~").expanduser())
    xdg = env.get("XDG_CONFIG_HOME") or f"{home}/.config"
    roaming = env.get("APPDATA") or f"{home}/AppData/Roaming"
    config = {"darwin": f"{home}/Library/Application Support", "win32": roaming}.get(platform, xdg)
    claude = env.get("CLAUDE_CONFIG_DIR", "")
    return {
        "home": home,
        "xdg": xdg,
        "config": config,
        "claude": claude or f"{home}/.claude",
        "claude_json": claude or home,
        "codex": env.get("CODEX_HOME") or f"{home}/.codex",
        "copilot": env.get("COPILOT_HOME") or f"{home}/.copilot",
        "goose": f"{roaming}/Block/goose/config" if platform == "win32" else f"{xdg}/goose",
        "zed": f"{roaming}/Zed" if platform == "win32" else f"{xdg}/zed",
    }


def located(file: str, places: Mapping[str, str] | None = None) -> Path:
    """Return the path of a file in the table; a project's file is in the working folder."""
    return Path(file.format_map(folders() if places is None else places)).absolute()


def client_named(name: str) -> SetupClient:
    """Return a client by name, or raise an error that lists the known names."""
    if name not in CLIENTS:
        raise InvalidInputError(
            f"there is no client {name!r}",
            f"{known_clients(name)}; for any other, `ghost setup --print` shows the common form",
        )
    return CLIENTS[name]


def known_clients(name: str = "") -> str:
    """Return the names of all clients as a sentence; first those that resemble a name."""
    near = get_close_matches(name.lower(), CLIENTS, n=3)
    question = f"did you mean {' or '.join(near)}? " if near else ""
    return f"{question}known: {', '.join(CLIENTS)}"
