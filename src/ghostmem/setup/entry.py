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


def launch(scope: str, ns: str = "", db: str = "", tools: tuple[str, ...] = ()) -> Launch:
    """Return how a client starts the installed program.

    The files of a project are shared, so they name plain `ghost` instead of a path.
    """
    env = {name: value for name, value in (("GHOST_NS", ns), ("GHOST_DB", db)) if value}
    return Launch(("ghost",) if scope == "project" else program(), env, db, tools, ns)


def program() -> tuple[str, ...]:
    """Return the words that start the running program, by its full path."""
    sibling = Path(sys.executable).with_name("ghost.exe" if sys.platform == "win32" else "ghost")
    on_path = shutil.which("ghost")
    if on_path and (not sibling.exists() or Path(on_path).resolve() == sibling.resolve()):
        return (str(Path(on_path).absolute()),)  # this path survives an upgrade
    if sibling.exists():
        return (str(sibling.absolute()),)
    return (sys.executable, "-m", "ghostmem")


def server(
    client: SetupClient, how: Launch, present: Any = None, allow: bool = False
) -> dict[str, Any]:
    """Return the server entry of a client; an entry that starts Ghost keeps its arguments.

    An entry that starts it through another program, such as docker, keeps its command too. With
    `allow` the entry has the keys that let its tools run without asking, if the client has such.
    """
    command, *words = how.program
    args = [*words, "mcp"]
    if starts_ghost(present):
        present_words = [command_of(present), *args_of(present)]
        own = _own_position(present_words, _SERVES)
        command, *args = present_words if own is None else [*how.program, *present_words[own + 1 :]]
    env = how.env
    if client.ns and "GHOST_NS" not in env and "GHOST_NS" not in env_of(present):
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
                made[key] = _with_tools(before, how.tools)
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


def _with_tools(listed: Any, tools: tuple[str, ...]) -> list[Any]:
    """Return the names in a list of an existing entry, then those of our tools it lacks."""
    names = listed if isinstance(listed, list) else []
    return [*names, *(tool for tool in tools if tool not in names)]


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
    if isinstance(present, dict) and is_customised(present):
        if how.db or how.ns:
            raise ConflictError(
                f"hooks.{event.name} has the command {command_of(present)!r}, which is not changed",
                "write --db or -n into it by hand, or leave out --hooks",
            )
        return present
    before, after = _present_options(present)
    before = ["--db", how.db] if how.db else before
    after = [*_without_ns(after), "-n", how.ns] if how.ns else after
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


def _present_options(present: Any) -> tuple[list[str], list[str]]:
    """Return the options of an existing hook, before and after its name."""
    words = words_of(present)
    own = _own_position(words, _HOOKS)
    if own is None:
        return [], []
    at = words.index("hook")
    after = words[at + 2 :]
    return words[own + 1 : at], after[1:] if after and not after[0].startswith("-") else after


def _without_ns(options: list[str]) -> list[str]:
    """Return the options of a hook without its namespace."""
    at = next((n for n, word in enumerate(options) if word in ("-n", "--ns")), len(options))
    return options[:at] + options[at + 2 :]


def is_customised(handled: dict[str, Any]) -> bool:
    """Say whether a handler has a wrapper, variables or operators of a shell around Ghost."""
    if _own_position(words_of(handled), _HOOKS) is None:
        return True
    options = _QUOTED.sub("", command_of(handled)).partition(" ")[2]
    return "args" not in handled and _SHELL_SYNTAX.search(options) is not None


def has_other_commands(handled: Any, host: str) -> bool:
    """Say whether a handler also runs other commands than our hook, which must not be removed."""
    words = words_of(handled)
    is_script = bool(words) and _SHELL.fullmatch(words[0]) is not None and "-c" in words[:-1]
    if is_script:
        script = words[words.index("-c") + 1]
    elif "args" in _started(handled):
        return False  # no shell reads its words
    else:
        script = command_of(handled)
    script = _QUOTED.sub(lambda quoted: _SHELL_SYNTAX.sub("_", quoted[0]), script)
    parts = [part.strip() for part in _SEPARATOR.split(_REDIRECTION.sub("", script))]
    ours = re.compile(_HOOK.format(host=host))
    return any(part not in _NO_COMMANDS and not ours.search(part) for part in parts)


def _own_position(words: Sequence[str], calls: Set[str]) -> int | None:
    """Return the position of our program before a subcommand, or None if a wrapper starts it."""
    end = next((number for number, word in enumerate(words) if word in calls), 0)
    if end and _OWN.fullmatch(words[0]):
        return 0
    if end and _LAUNCHER.fullmatch(words[0]):
        return max((n for n in range(end) if _OWN.fullmatch(words[n])), default=None)
    return None


def group(hooks: Hooks, event: HookEvent, how: Launch) -> dict[str, Any]:
    """Return the item for the list of one event."""
    made = handler(hooks, event, how)
    if hooks.flat:
        return made
    return {**({"matcher": event.matcher} if event.matcher else {}), "hooks": [made]}


def joined(words: list[str]) -> str:
    """Return words as one line for the shell of this system."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def starts_ghost(entry: Any) -> bool:
    """Say whether an entry starts our server, through any path or launcher."""
    args = args_of(entry)
    return bool(_SERVES & {*args}) and any(
        _OWN.fullmatch(str(word)) for word in (command_of(entry), *args)
    )


def runs_ghost(handled: Any, host: str) -> bool:
    """Say whether a handler runs our hook."""
    if not isinstance(handled, dict):
        return False
    line = _URL.sub("URL", command_line(handled))
    return re.search(_HOOK.format(host=host), line) is not None


def command_line(entry: Any) -> str:
    """Return the command of an entry or a handler as one line."""
    return " ".join([command_of(entry), *args_of(entry)])


def command_of(entry: Any) -> str:
    """Return the program that an entry starts."""
    return (_command_words(entry) or [""])[0]


def args_of(entry: Any) -> list[str]:
    """Return the arguments of an entry."""
    started = _started(entry)
    args = started.get("args")
    return _command_words(entry)[1:] + (list(map(str, args)) if isinstance(args, list) else [])


def _started(entry: Any) -> dict[str, Any]:
    """Return the object of an entry that has the command; some clients nest it."""
    inner = entry.get("transport") if isinstance(entry, dict) else None
    found = inner if isinstance(inner, dict) else entry
    return found if isinstance(found, dict) else {}


def _command_words(entry: Any) -> list[str]:
    """Return the command of an entry, which is a text or a list of words."""
    started = _started(entry)
    command = started.get("command") or started.get("cmd") or []
    return list(map(str, command)) if isinstance(command, list) else [str(command)]


def words_of(entry: Any) -> list[str]:
    """Return the command of an entry or a handler as words."""
    command = command_of(entry)
    started = _started(entry)
    if "args" in started or isinstance(started.get("command"), list):
        return [command, *args_of(entry)]
    if sys.platform == "win32":
        return [word.strip('"') for word in shlex.split(command, posix=False)]
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def hook_words(handled: Any) -> list[str]:
    """Return the words of a handler from our program on, without variables and wrappers."""
    words = words_of(handled)
    own = next((number for number, word in enumerate(words) if _OWN.fullmatch(word)), 0)
    return words if _own_position(words, _HOOKS) is not None else words[own:]


def env_of(entry: Any) -> dict[str, str]:
    """Return the environment variables of an entry."""
    started = _started(entry)
    env = started.get("env") or started.get("envs") or started.get("environment")
    return {str(key): str(value) for key, value in env.items()} if isinstance(env, dict) else {}
