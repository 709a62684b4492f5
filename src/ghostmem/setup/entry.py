"""What is written into a client's files: how the server is started, and which command a
hook runs.
"""

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ghostmem.setup.clients import Client, Event, Hooks

_OWN = re.compile(r"(?:.*[\\/])?ghost(?:mem)?(?:\.exe)?", re.IGNORECASE)
_HOOK = r"""(?:^|[\\/\s"'])ghost(?:mem)?(?:\.exe)?["']?\s(?:[^|;&]*\s)?hook\s+{host}\b"""
_SERVES = {"mcp", "mcp-serve"}


@dataclass(frozen=True, slots=True)
class Launch:
    """How a client starts Ghost: the words of the program, and what the server finds in its
    environment.
    """

    program: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    db: str = ""


def launch(scope: str, ns: str = "", db: str = "") -> Launch:
    """Return how a client starts the installed program.

    A project's files are shared, so there it is plain `ghost`.
    """
    env = {name: value for name, value in (("GHOST_NS", ns), ("GHOST_DB", db)) if value}
    return Launch(("ghost",) if scope == "project" else program(), env, db)


def program() -> tuple[str, ...]:
    """Return the words that start the program that is running now, by its full path."""
    beside = Path(sys.executable).with_name("ghost.exe" if sys.platform == "win32" else "ghost")
    found = shutil.which("ghost")
    if found and (not beside.exists() or Path(found).resolve() == beside.resolve()):
        return (str(Path(found).absolute()),)  # the name on the PATH outlives an upgrade
    if beside.exists():
        return (str(beside.absolute()),)
    return (sys.executable, "-m", "ghostmem")


def server(client: Client, how: Launch, present: Any = None) -> dict[str, Any]:
    """Return a client's entry; the arguments of an entry that starts Ghost already are kept, as is
    what else it has.
    """
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


def handler(hooks: Hooks, event: Event, how: Launch, present: Any = None) -> dict[str, Any]:
    """Return the handler of one event; of one that is there, only the program changes."""
    before, after = _kept_words(present)
    before = ["--db", how.db] if how.db else before
    words = [*how.program, *before, "hook", hooks.host, event.name, *after]
    command = (
        {"command": words[0], "args": words[1:]} if hooks.exec_form else {"command": joined(words)}
    )
    if isinstance(present, dict):
        return {
            **{key: value for key, value in present.items() if key != "args" or key in command},
            **command,
        }
    made: dict[str, Any] = {} if hooks.flat else {"type": "command"}
    if hooks.per_second > 1:
        made["name"] = "ghost"
    made |= {**command, "timeout": event.seconds * hooks.per_second}
    return {**made, "async": True} if event.background else made


def _kept_words(present: Any) -> tuple[list[str], list[str]]:
    """Return the options that somebody gave a hook, before its name and behind it."""
    words = words_of(present)
    if "hook" not in words:
        return [], []
    at = words.index("hook")
    own = next((number for number, word in enumerate(words[:at]) if _OWN.fullmatch(word)), at - 1)
    after = words[at + 2 :]
    return words[own + 1 : at], after[1:] if after and not after[0].startswith("-") else after


def group(hooks: Hooks, event: Event, how: Launch) -> dict[str, Any]:
    """Return what goes into the list of one event."""
    made = handler(hooks, event, how)
    if hooks.flat:
        return made
    return {**({"matcher": event.matcher} if event.matcher else {}), "hooks": [made]}


def joined(words: list[str]) -> str:
    """Return words as one line for the shell of this system."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def starts_ghost(entry: Any) -> bool:
    """Say whether an entry starts our server, by whichever path or launcher."""
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
    found = (entry.get("command") or entry.get("cmd")) if isinstance(entry, dict) else None
    return str(found or "")


def args_of(entry: Any) -> list[str]:
    """Return the arguments that an entry starts it with."""
    found = entry.get("args") if isinstance(entry, dict) else None
    return list(map(str, found)) if isinstance(found, list) else []


def words_of(entry: Any) -> list[str]:
    """Return the words that an entry or a handler starts."""
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
    """Return what an entry puts into the environment."""
    found = (entry.get("env") or entry.get("envs")) if isinstance(entry, dict) else None
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}
