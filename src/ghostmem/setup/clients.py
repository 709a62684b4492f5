"""The table of programs that Ghost can be installed in: their files and the shape of an entry.

`{command}`, `{args}` and `{env}` in a shape are replaced by the server's command; the names of
folders in braces are those of `folders`.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.settings import child_env

SCOPES = ("user", "project")
PLAIN = {"command": "{command}", "args": "{args}", "env": "{env}"}
TYPED = {"type": "stdio", **PLAIN}
EXTENSION = {
    "name": "Ghost",
    "description": "Memory that lasts",
    "type": "stdio",
    "cmd": "{command}",
    "args": "{args}",
    "envs": "{env}",
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
class SetupClient:
    """A program that starts MCP servers."""

    name: str
    title: str
    format: str  # json, jsonc, toml or yaml
    user: str
    project: str  # empty: no file for a project
    path: tuple[str, str]
    shape: Mapping[str, Any]
    hooks: Hooks | None = None
    gui: bool = False  # started from a desktop, without the PATH of a shell
    ns: str = ""  # for programs without projects
    then: str = ""  # the next step after a change

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

_SERVERS = ("mcpServers", "ghost")
_NEW = "start a new session"
_TRUST = "start a new session in Codex, and trust the hooks when it asks"

CLIENTS = {
    client.name: client
    for client in (
        SetupClient(
            "claude-code",
            "Claude Code",
            "json",
            "{claude_json}/.claude.json",
            ".mcp.json",
            _SERVERS,
            TYPED,
            Hooks(
                "claude",
                "{claude}/settings.json",
                ".claude/settings.json",
                "json",
                _CLAUDE_EVENTS,
                exec_form=True,
            ),
            then="start a new session in Claude Code",
        ),
        SetupClient(
            "claude-desktop",
            "Claude Desktop",
            "json",
            "{config}/Claude/claude_desktop_config.json",
            "",
            _SERVERS,
            PLAIN,
            gui=True,
            ns="agent:claude-desktop",
            then="quit Claude Desktop and open it again",
        ),
        SetupClient(
            "cursor",
            "Cursor",
            "jsonc",
            "{home}/.cursor/mcp.json",
            ".cursor/mcp.json",
            _SERVERS,
            PLAIN,
            Hooks(
                "cursor",
                "{home}/.cursor/hooks.json",
                ".cursor/hooks.json",
                "jsonc",
                _CURSOR_EVENTS,
                flat=True,
                then=_NEW,
            ),
            gui=True,
            then="turn `ghost` on in Cursor's settings under Tools & MCP",
        ),
        SetupClient(
            "vscode",
            "VS Code",
            "jsonc",
            "{config}/Code/User/mcp.json",
            ".vscode/mcp.json",
            ("servers", "ghost"),
            TYPED,
            gui=True,
            then="run `MCP: List Servers` in VS Code and start `ghost`",
        ),
        SetupClient(
            "windsurf",
            "Windsurf",
            "json",
            "{home}/.codeium/windsurf/mcp_config.json",
            "",
            _SERVERS,
            PLAIN,
            gui=True,
            then="press Refresh in Windsurf's list of MCP servers",
        ),
        SetupClient(
            "codex",
            "Codex",
            "toml",
            "{codex}/config.toml",
            ".codex/config.toml",
            ("mcp_servers", "ghost"),
            PLAIN,
            Hooks(
                "codex",
                "{codex}/hooks.json",
                ".codex/hooks.json",
                "json",
                _CODEX_EVENTS,
                then=_TRUST,
            ),
            then="start a new session in Codex",
        ),
        SetupClient(
            "gemini",
            "Gemini CLI",
            "jsonc",
            "{home}/.gemini/settings.json",
            ".gemini/settings.json",
            _SERVERS,
            PLAIN,
            Hooks(
                "gemini",
                "{home}/.gemini/settings.json",
                ".gemini/settings.json",
                "jsonc",
                _GEMINI_EVENTS,
                per_second=1000,
            ),
            then="start a new session in Gemini CLI",
        ),
        SetupClient(
            "goose",
            "Goose",
            "yaml",
            "{goose}/config.yaml",
            "",
            ("extensions", "ghost"),
            EXTENSION,
            then="start a new session in Goose",
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
        "config": config,
        "claude": claude or f"{home}/.claude",
        "claude_json": claude or home,
        "codex": env.get("CODEX_HOME") or f"{home}/.codex",
        "goose": f"{roaming}/Block/goose/config" if platform == "win32" else f"{xdg}/goose",
    }


def located(file: str, places: Mapping[str, str] | None = None) -> Path:
    """Return the path of a file in the table; a project's file is in the working folder."""
    return Path(file.format_map(folders() if places is None else places)).absolute()


def client_named(name: str) -> SetupClient:
    """Return a client by name, or raise an error that lists the known names."""
    if name not in CLIENTS:
        from difflib import get_close_matches

        close = get_close_matches(name, CLIENTS, n=2)
        known = (
            f"did you mean {' or '.join(close)}? " if close else f"known: {', '.join(CLIENTS)}; "
        )
        raise InvalidInputError(
            f"there is no client {name!r}", f"{known}`ghost setup --print` shows what to paste"
        )
    return CLIENTS[name]
