"""The clients, as a table: how each is configured, started and asked.

`{url}` is the address of the scripted model, `{project}` the folder of the project, `{prompt}` the
prompt. Files are relative to the home folder. They stand for what a user had before Ghost came, so
they hold settings that must survive.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clients.sandbox import Sandbox

KEY = "scripted-model-key-0001"


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


@dataclass(frozen=True)
class Screen:
    """How a client is used in a terminal; `ready` and so on are patterns of what it shows."""

    command: tuple[str, ...]
    ready: str
    busy: str
    compact: str  # the command that compacts the conversation
    compacted: str
    leave: str
    questions: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (question, keys that answer it)
    recall: str = ""  # the command for the prompt `recall` of Ghost's server


@dataclass(frozen=True)
class Agent:
    """A client that runs end to end."""

    name: str  # for `ghost setup`
    title: str
    package: str
    ask: tuple[str, ...]
    list_servers: tuple[str, ...]
    listed: str  # a pattern of what the list shows
    files: Mapping[str, str]
    env: Mapping[str, str]
    hooks: bool = True  # `ghost setup` installs hooks
    captures: bool = True  # the hooks read what the user said
    starts: bool = True  # headless sessions have a hook at their start
    rewrites: frozenset[str] = frozenset()  # files that the client itself changes while it runs
    terminal: Screen | None = None
    compact: tuple[str, ...] = ()  # the command that compacts the last headless session
    resume: tuple[str, ...] = ()  # the command that goes on with it

    def setup(self) -> tuple[str, ...]:
        """Return the arguments of `ghost setup`."""
        return (self.name, "--allow", *(("--hooks",) if self.hooks else ()))


def write_files(sandbox: Sandbox, files: Mapping[str, str], env: Mapping[str, str]) -> None:
    """Write a client's files and set its environment."""
    for name, text in files.items():
        path = sandbox.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(sandbox.fill(text), encoding="utf-8")
    for name, value in env.items():
        sandbox.env[name] = sandbox.fill(value)


AGENTS = (
    Agent(
        "claude-code",
        "Claude Code",
        "@anthropic-ai/claude-code",
        ask=("claude", "-p", "{prompt}"),
        list_servers=("claude", "mcp", "list"),
        listed="ghost: .* Connected",
        files={
            ".claude.json": _json(
                {
                    "hasCompletedOnboarding": True,
                    "theme": "dark",
                    "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
                    "projects": {"{project}": {"hasTrustDialogAccepted": True}},
                }
            ),
            ".claude/settings.json": '{\n\t"includeCoAuthoredBy": false,\n\t"hooks": {}\n}',
        },
        env={
            "ANTHROPIC_BASE_URL": "{url}",
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        rewrites=frozenset({".claude.json"}),
        compact=("claude", "--continue", "-p", "/compact"),
        resume=("claude", "--continue", "-p", "{prompt}"),
        terminal=Screen(
            ("claude",),
            ready=r"\? for shortcuts",
            busy="esc to interrupt",
            compact="/compact",
            compacted="Compacted",
            leave="/exit",
            recall="/mcp__ghost__recall",
        ),
    ),
    Agent(
        "codex",
        "Codex",
        "@openai/codex",
        ask=("codex", "exec", "--dangerously-bypass-hook-trust", "{prompt}"),
        list_servers=("codex", "mcp", "list"),
        listed="ghost .* enabled",
        files={
            ".codex/config.toml": """# the model of our team
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "Scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[projects."{project}"]
trust_level = "trusted"
"""
        },
        env={"SCRIPTED_KEY": KEY},
        rewrites=frozenset({".codex/config.toml"}),
        terminal=Screen(
            ("codex",),
            ready="Ask Codex to do anything",
            busy="esc to interrupt",
            compact="/compact",
            compacted="Context compacted",
            leave="/quit",
            questions=(("Hooks need review", ("2", "Enter")),),
        ),
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        "@google/gemini-cli",
        ask=("gemini", "-m", "gemini-2.5-flash", "-p", "{prompt}"),
        list_servers=("gemini", "mcp", "list"),
        listed="ghost: .* Connected",
        files={
            ".gemini/settings.json": """{
  // our choices
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
  "ui": {"theme": "Default"}
}
""",
            ".gemini/trustedFolders.json": _json({"{project}": "TRUST_FOLDER"}),
        },
        env={"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": "{url}"},
        terminal=Screen(
            ("gemini", "-m", "gemini-2.5-flash"),
            ready=r"Type your message",
            busy="esc to cancel|Executing Hook",
            compact="/compress",
            compacted="compressed from",
            leave="/quit",
        ),
    ),
    Agent(
        "opencode",
        "opencode",
        "opencode-ai",
        ask=("opencode", "run", "{prompt}"),
        list_servers=("opencode", "mcp", "list"),
        listed="ghost connected",
        files={
            ".config/opencode/opencode.json": _json(
                {
                    "$schema": "https://opencode.ai/config.json",
                    "model": "scripted/scripted",
                    "small_model": "scripted/scripted",
                    "autoupdate": False,
                    "share": "disabled",
                    "provider": {
                        "scripted": {
                            "npm": "@ai-sdk/openai-compatible",
                            "name": "Scripted",
                            "options": {"baseURL": "{url}/v1", "apiKey": KEY},
                            "models": {"scripted": {"name": "Scripted"}},
                        }
                    },
                }
            )
        },
        env={
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        },
        hooks=False,
        captures=False,
        starts=False,
    ),
    Agent(
        "qwen",
        "Qwen Code",
        "@qwen-code/qwen-code",
        ask=("qwen", "-p", "{prompt}"),
        list_servers=("qwen", "mcp", "list"),
        listed="ghost: .* Connected",
        files={
            ".qwen/settings.json": _json(
                {
                    "security": {"auth": {"selectedType": "openai"}},
                    "privacy": {"usageStatisticsEnabled": False},
                    "general": {"disableAutoUpdate": True},
                    "$version": 4,  # without it the client writes the file anew
                }
            )
        },
        env={
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": "{url}/v1",
            "OPENAI_MODEL": "scripted",
        },
        terminal=Screen(
            ("qwen",),
            ready="Type your message",
            busy="esc to cancel",
            compact="/compress",
            compacted="compressed from",
            leave="/quit",
        ),
    ),
)


@dataclass(frozen=True)
class ListedClient:
    """A client whose configuration commands run, but which needs an account for more."""

    name: str
    title: str
    package: str
    list_servers: tuple[str, ...]
    listed: str
    files: Mapping[str, str]
    env: Mapping[str, str] = field(default_factory=dict)
    fails: bool = False  # the command ends with an error code without an account


_OTHER = {"command": "other-server", "args": ["--stdio"]}

LISTED = (
    ListedClient(
        "copilot",
        "Copilot CLI",
        "@github/copilot",
        ("copilot", "mcp", "list"),
        r"\bghost\b",
        files={
            ".copilot/mcp-config.json": _json(
                {"mcpServers": {"other": {"type": "local", **_OTHER, "tools": ["*"]}}}
            )
        },
    ),
    ListedClient(
        "amp",
        "Amp",
        "@sourcegraph/amp",
        ("amp", "mcp", "list"),
        r"\bghost\b",
        files={".config/amp/settings.json": _json({"amp.mcpServers": {"other": _OTHER}})},
    ),
    ListedClient(
        "cline",
        "Cline",
        "cline",
        ("cline", "config", "mcp"),
        r"\bghost\b",
        files={
            ".cline/data/settings/cline_mcp_settings.json": _json(
                {"mcpServers": {"other": {"transport": {"type": "stdio", **_OTHER}}}}
            )
        },
    ),
    ListedClient(
        "droid",
        "Factory droid",
        "droid",
        ("droid", "mcp", "list"),
        r"\bghost\b",
        files={".factory/mcp.json": _json({"mcpServers": {"other": {"type": "stdio", **_OTHER}}})},
    ),
)
