"""Build the entries for a client's files: the server, and the handlers of hooks."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ghostmem.errors import ConflictError
from ghostmem.setup.clients import HookEvent, Hooks, SetupClient

_OWN = re.compile(r"(?:.*[\\/])?ghost(?:mem)?(?:\.exe)?", re.IGNORECASE)
_HOOK = r"""(?:^|[\\/\s"'])ghost(?:mem)?(?:\.exe)?["']?\s(?:[^|;&]*\s)?hook\s+{host}(?![\w-])"""
# programs that only start a Python program; setup names Ghost itself instead
_LAUNCHER = re.compile(r"(?:.*[\\/])?(?:python[\d.]*|py|uvx?|pipx)(?:\.exe)?", re.IGNORECASE)
_SERVES = {"mcp", "mcp-serve"}
_HOOKS = {"hook"}
_QUOTED = re.compile(r"""'[^']*'|"[^"$`]*\"""")
_URL = re.compile(r"""\w+://[^\s"']*""")  # may have an & that is no operator
_SHELL_SYNTAX = re.compile(r"[;&|<>$`#()\n]")
_SHELL = re.compile(r"(?:.*[\\/])?(?:ba|da|z|k|fi)?sh(?:\.exe)?", re.IGNORECASE)
_REDIRECTION = re.compile(r"&?\d*(?:<|>>?)&?\s*[^\s;&|]+")
_SEPARATOR = re.compile(r"&&|\|\||[;&|\n]")
_NO_COMMANDS = {"", ":", "true", "exit 0"}  # parts of a line that only avoid an error
TOOLS = "{tools}"  # in a permission: a list of the names of our tools


@dataclass(frozen=True, slots=True)
class Launch:
    """How a client starts Ghost: the words of the program and the server's environment.

    Hooks get `db` and `ns` as options. `tools` are the names of the server's tools, for permissions
    that list them.
    """

    program: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    db: str = ""
    tools: tuple[str, ...] = ()
    ns: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """The command of an entry or a handler, as it is written and as words."""

    program: str  # the whole line, if a shell reads it
    args: list[str]
    words: list[str]
    env: dict[str, str]
    is_line: bool  # a shell reads it

    @property
    def line(self) -> str:
        """Return the command as one line."""
        return " ".join([self.program, *self.args])

    @property
    def starts_ghost(self) -> bool:
        """Say whether it starts our server, through any path or launcher."""
        return (not _SERVES.isdisjoint(self.args)) and any(
            map(_OWN.fullmatch, (self.program, *self.args))
        )

    def own_position(self, calls: Set[str]) -> int | None:
        """Return the position of our program before a subcommand, or None with a wrapper."""
        words = self.words
        end = next((number for number, word in enumerate(words) if word in calls), 0)
        if end and _OWN.fullmatch(words[0]):
            return 0
        if end and _LAUNCHER.fullmatch(words[0]):
            return max((n for n in range(end) if _OWN.fullmatch(words[n])), default=None)
        return None

    @property
    def is_customised(self) -> bool:
        """Say whether a hook has a wrapper, variables or operators of a shell around Ghost."""
        has_syntax = (
            self.is_line
            and _SHELL_SYNTAX.search(_QUOTED.sub("", self.program).partition(" ")[2]) is not None
        )
        return has_syntax or self.own_position(_HOOKS) is None

    @property
    def hook_words(self) -> list[str]:
        """Return the words of a hook from our program on, without variables and wrappers."""
        own = next((n for n, word in enumerate(self.words) if _OWN.fullmatch(word)), 0)
        return self.words[own:] if self.own_position(_HOOKS) is None else self.words


def command_in(entry: Any) -> Command:
    """Return the command of an entry or a handler; some clients nest it, or write it as a list."""
    outer = entry if isinstance(entry, dict) else {}
    inner = outer.get("transport")
    started = inner if isinstance(inner, dict) else outer
    command = started.get("command") or started.get("cmd") or ""
    program, *args = map(str, command if isinstance(command, list) else [command])
    more, is_line = started.get("args"), "args" not in started and not isinstance(command, list)
    args += map(str, more) if isinstance(more, list) else ()
    env = started.get("env") or started.get("envs") or started.get("environment")
    return Command(
        program,
        args,
        _split(program) if is_line else [program, *args],
        {str(key): str(value) for key, value in env.items()} if isinstance(env, dict) else {},
        is_line,
    )


def _split(line: str) -> list[str]:
    if sys.platform == "win32":
        return [word.strip('"') for word in shlex.split(line, posix=False)]
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def launch(scope: str, ns: str = "", db: str = "", tools: tuple[str, ...] = ()) -> Launch:
    """Return how a client starts the installed program.

    The files of a project are shared, so they name plain `ghost` instead of a path.
    """
    return Launch(
        ("ghost",) if scope == "project" else program(),
        {name: value for name, value in (("GHOST_NS", ns), ("GHOST_DB", db)) if value},
        db,
        tools,
        ns,
    )


def program() -> tuple[str, ...]:
    """Return the words that start the running program, by its full path."""
    sibling = Path(sys.executable).with_name("ghost.exe" if sys.platform == "win32" else "ghost")
    on_path = shutil.which("ghost")
    if on_path and (not sibling.exists() or Path(on_path).resolve() == sibling.resolve()):
        return (str(Path(on_path).absolute()),)  # this path survives an upgrade
    return (str(sibling.absolute()),) if sibling.exists() else (sys.executable, "-m", "ghostmem")


def server(
    client: SetupClient, how: Launch, present: Any = None, allow: bool = False
) -> dict[str, Any]:
    """Return the server entry of a client; an entry that starts Ghost keeps its arguments.

    An entry that starts it through another program, such as docker, keeps its command too. With
    `allow` the entry has the keys that let its tools run without asking, if the client has such.
    """
    command, *words = how.program
    args = [*words, "mcp"]
    current = command_in(present)
    if current.starts_ghost:
        own = current.own_position(_SERVES)
        command, *args = (
            [current.program, *current.args]
            if own is None
            else [*how.program, *current.words[own + 1 :]]
        )
    env = how.env
    if client.ns and "GHOST_NS" not in env and "GHOST_NS" not in current.env:
        env = {"GHOST_NS": client.ns, **env}
    parts = {
        "{command}": command,
        "{args}": args,
        "{words}": [command, *args],
        "{env}": env or None,
        "{env or empty}": env,
    }
    made = _filled(client.shape, parts, present)
    if allow and client.permission is not None:
        for key, value in client.permission.entry.items():
            before = present.get(key) if isinstance(present, dict) else None
            if value == TOOLS:
                listed = before if isinstance(before, list) else []
                made[key] = [*listed, *(tool for tool in how.tools if tool not in listed)]
            else:
                check_same((*client.path, key), before, value)
                made[key] = value
    return made


def _filled(shape: Mapping[str, Any], parts: Mapping[str, Any], present: Any) -> dict[str, Any]:
    """Return a shape with its placeholders replaced; keys whose part is None are left out.

    Other values of an existing entry stay, such as a timeout, but a disabled entry is enabled.
    """
    made: dict[str, Any] = {}
    for key, value in shape.items():
        before = present.get(key) if isinstance(present, dict) else None
        if isinstance(value, Mapping):
            made[key] = _filled(value, parts, before)
        elif isinstance(value, str) and value in parts:
            made[key] = parts[value]
        else:
            made[key] = value if before is None or key == "enabled" else before
    return {key: value for key, value in made.items() if value is not None}


def check_same(path: Sequence[str], present: Any, value: Any) -> None:
    """Refuse to replace another value for the same tools, for example a refusal."""
    if present is not None and present != value:
        raise ConflictError(
            f"{'.'.join(path)} is {json.dumps(present)} already",
            "change or remove that by hand, or leave out --allow",
        )


def handler(hooks: Hooks, event: HookEvent, how: Launch, present: Any = None) -> dict[str, Any]:
    """Return the handler of one event; in an existing handler only the program changes.

    A handler that does more than start Ghost stays as it is.

    Raises:
        ConflictError: Such a handler would have to name another store or namespace.
    """
    current = command_in(present)
    if isinstance(present, dict) and current.is_customised:
        if how.db or how.ns:
            raise ConflictError(
                f"hooks.{event.name} has the command {current.program!r}, which is not changed",
                "write --db or -n into it by hand, or leave out --hooks",
            )
        return present
    before, after = _hook_options(current)
    before = ["--db", how.db] if how.db else before
    if how.ns:
        end = next((n for n, word in enumerate(after) if word in ("-n", "--ns")), len(after))
        after = [*after[:end], *after[end + 2 :], "-n", how.ns]
    words = [*how.program, *before, "hook", hooks.host, event.name, *after]
    command = (
        {"command": words[0], "args": words[1:]} if hooks.exec_form else {"command": joined(words)}
    )
    if isinstance(present, dict):
        dropped = set() if event.background else {"async"}  # a host may end such a hook at once
        dropped |= {"args"} - command.keys()
        kept = {key: value for key, value in present.items() if key not in dropped}
        return {**kept, **command}
    made: dict[str, Any] = {} if hooks.flat else {"type": "command"}
    if hooks.per_second > 1:
        made["name"] = "ghost"
    made |= {**command, "timeout": event.seconds * hooks.per_second}
    return {**made, "async": True} if event.background else made


def _hook_options(command: Command) -> tuple[list[str], list[str]]:
    words, own = command.words, command.own_position(_HOOKS)
    if own is None:
        return [], []
    at = words.index("hook")
    after = words[at + 2 :]
    return words[own + 1 : at], after[1:] if after and not after[0].startswith("-") else after


def has_other_commands(handled: Any, host: str) -> bool:
    """Say whether a handler also runs other commands than our hook, which must not be removed."""
    command = command_in(handled)
    script, words = command.program, command.words
    if words and _SHELL.fullmatch(words[0]) and "-c" in words[:-1]:
        script = words[words.index("-c") + 1]
    elif not command.is_line:
        return False  # no shell reads its words
    script = _QUOTED.sub(lambda quoted: _SHELL_SYNTAX.sub("_", quoted[0]), script)
    parts = [part.strip() for part in _SEPARATOR.split(_REDIRECTION.sub("", script))]
    ours = re.compile(_HOOK.format(host=host))
    return any(part not in _NO_COMMANDS and not ours.search(part) for part in parts)


def group(hooks: Hooks, event: HookEvent, how: Launch) -> dict[str, Any]:
    """Return the item for the list of one event."""
    made = handler(hooks, event, how)
    matcher = {"matcher": event.matcher} if event.matcher else {}
    return made if hooks.flat else {**matcher, "hooks": [made]}


def joined(words: list[str]) -> str:
    """Return words as one line for the shell of this system."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def runs_ghost(handled: Any, host: str) -> bool:
    """Say whether a handler runs our hook."""
    return re.search(_HOOK.format(host=host), _URL.sub("URL", command_in(handled).line)) is not None
