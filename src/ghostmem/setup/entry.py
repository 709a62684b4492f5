"""Build the entries for a client's files: the server, and the handlers of hooks."""

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ghostmem.setup.clients import HookEvent, Hooks, SetupClient

_OWN = re.compile(r"(?:.*[\\/])?ghost(?:mem)?(?:\.exe)?", re.IGNORECASE)
_HOOK = r"""(?:^|[\\/\s"'])ghost(?:mem)?(?:\.exe)?["']?\s(?:[^|;&]*\s)?hook\s+{host}\b"""
_SERVES = {"mcp", "mcp-serve"}


@dataclass(frozen=True, slots=True)
class Launch:
    """How a client starts Ghost: the words of the program and the server's environment."""

    program: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    db: str = ""


def launch(scope: str, ns: str = "", db: str = "") -> Launch:
    """Return how a client starts the installed program.

    The files of a project are shared, so they name plain `ghost` instead of a path.
    """
    env = {name: value for name, value in (("GHOST_NS", ns), ("GHOST_DB", db)) if value}
    return Launch(("ghost",) if scope == "project" else program(), env, db)


def program() -> tuple[str, ...]:
    """Return the words that start the running program, by its full path."""
    sibling = Path(sys.executable).with_name("ghost.exe" if sys.platform == "win32" else "ghost")
    on_path = shutil.which("ghost")
    if on_path and (not sibling.exists() or Path(on_path).resolve() == sibling.resolve()):
        return (str(Path(on_path).absolute()),)  # this path survives an upgrade
    if sibling.exists():
        return (str(sibling.absolute()),)
    return (sys.executable, "-m", "ghostmem")


def server(client: SetupClient, how: Launch, present: Any = None) -> dict[str, Any]:
    """Return the server entry of a client; an entry that starts Ghost keeps its arguments."""
    command, *words = how.program
    args = [*words, "mcp"]
    if (
        isinstance(present, dict)
        and not words
        and _OWN.fullmatch(str(command_of(present)))
        and _SERVES & {*args_of(present)}
    ):
        args = args_of(present)
    if client.ns and "GHOST_NS" not in how.env and "GHOST_NS" not in env_of(present):
        how = Launch(how.program, {"GHOST_NS": client.ns, **how.env}, how.db)
    parts = {"{command}": command, "{args}": args, "{env}": how.env}
    made = {
        key: parts.get(value, value) if isinstance(value, str) else value
        for key, value in client.shape.items()
    }
    return {key: value for key, value in made.items() if value != {} or key == "envs"}


def handler(hooks: Hooks, event: HookEvent, how: Launch, present: Any = None) -> dict[str, Any]:
    """Return the handler of one event; in an existing handler only the program changes."""
    before, after = _present_options(present)
    before = ["--db", how.db] if how.db else before
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
    if "hook" not in words:
        return [], []
    at = words.index("hook")
    own = next((number for number, word in enumerate(words[:at]) if _OWN.fullmatch(word)), at - 1)
    after = words[at + 2 :]
    return words[own + 1 : at], after[1:] if after and not after[0].startswith("-") else after


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
    line = " ".join([str(handled.get("command", "")), *args_of(handled)])
    return re.search(_HOOK.format(host=host), line) is not None


def command_of(entry: Any) -> str:
    """Return the program that an entry starts."""
    return str((entry.get("command") or entry.get("cmd") or "") if isinstance(entry, dict) else "")


def args_of(entry: Any) -> list[str]:
    """Return the arguments of an entry."""
    args = entry.get("args") if isinstance(entry, dict) else None
    return list(map(str, args)) if isinstance(args, list) else []


def words_of(entry: Any) -> list[str]:
    """Return the command of an entry or a handler as words."""
    command = command_of(entry)
    if isinstance(entry, dict) and "args" in entry:
        return [command, *args_of(entry)]
    if sys.platform == "win32":
        return [word.strip('"') for word in shlex.split(command, posix=False)]
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def env_of(entry: Any) -> dict[str, str]:
    """Return the environment variables of an entry."""
    env = (entry.get("env") or entry.get("envs")) if isinstance(entry, dict) else None
    return {str(key): str(value) for key, value in env.items()} if isinstance(env, dict) else {}
