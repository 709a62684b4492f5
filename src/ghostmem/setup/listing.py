"""List the clients and scopes in which Ghost is installed, and whether they start this Ghost."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from ghostmem.errors import GhostError
from ghostmem.frozen import frozen
from ghostmem.model import Record, optional
from ghostmem.setup.clients import CLIENTS, SCOPES, SetupClient
from ghostmem.setup.entry import command_in, launch
from ghostmem.setup.install import read_text
from ghostmem.setup.parts import SetupFile, hooks_in, is_allowed, server_in, targets


class InstalledCommand(NamedTuple):
    """A command in a client's file, and whether setup leaves it as it is."""

    words: list[str]
    env: dict[str, str]
    is_customised: bool = False


@frozen
class Installed(Record):
    """The state of Ghost in one client and scope."""

    client: str
    scope: str
    path: str
    server: str  # none, current, old (it starts a different program) or broken (unreadable file)
    hooks: str  # the same; empty for a client without hooks
    command: str = optional("")
    problem: str = optional("")
    allowed: bool = optional(False)  # the tools run without asking

    @property
    def is_present(self) -> bool:
        """Say whether the files hold something of Ghost, or cannot be read."""
        return bool({self.server, self.hooks} - {"none", ""})


def listing() -> list[Installed]:
    """List every client and scope, those with Ghost first."""
    return sorted(
        (
            look(client, scope)
            for client in CLIENTS.values()
            for scope in SCOPES
            if client.file(scope)
        ),
        key=lambda row: not row.is_present,
    )


def look(client: SetupClient, scope: str) -> Installed:
    """Return the state of Ghost in one client and scope."""
    states = {"server": "none", "hooks": "none" if client.hooks else ""}
    first, problem = "", ""
    user_files = {os.path.realpath(file.path) for file in targets(client, "user", True, True)}
    for file in targets(client, scope, True, True):
        if scope != "user" and os.path.realpath(file.path) in user_files:
            continue  # the working folder is the home folder
        for part, commands in commands_in(file):
            if isinstance(commands, GhostError):
                states[part], problem = "broken", f"{file.path}: {commands.message}"
            elif commands:
                is_current = all(
                    command.is_customised or current(command.words, scope) for command in commands
                )
                states[part] = "current" if is_current else "old"
                first = first or " ".join(commands[0].words)
    if states["hooks"] == "current" and client.hooks:
        file = targets(client, scope, False, True)[0]
        handled = hooks_in(read_text(file.path) or "", file)
        if any(event.name not in handled for event in client.hooks.events):
            states["hooks"] = "old"
    return Installed(
        client.name,
        scope,
        str(targets(client, scope, True, False)[0].path),
        states["server"],
        states["hooks"],
        first,
        problem,
        states["server"] in ("current", "old") and allowed(client, scope),
    )


def allowed(client: SetupClient, scope: str) -> bool:
    """Say whether a client lets our tools run without asking."""
    try:
        return any(
            is_allowed(read_text(file.path) or "", file)
            for file in targets(client, scope, False, False, allow=True)
        )
    except GhostError:  # the file is broken; the listing has the error from its other parts
        return False


def installed_toolsets() -> set[str]:
    """Return the toolsets of the servers that are installed; the default one without any."""
    commands = [row.command for row in listing() if row.server in ("current", "old")]
    # after `--tools a,b` or `--tools=a,b`
    chosen = [re.search(r" --tools(?:[ =](\S*)|$)", command) for command in commands]
    names = ((match[1] or "") if match else "memory" for match in chosen)
    return set(",".join(names).split(",")) - {""} or {"memory"}


def commands_in(file: SetupFile) -> Iterator[tuple[str, list[InstalledCommand] | GhostError]]:
    """Yield each part of a file with its commands, or with the error of reading it."""
    try:
        text = read_text(file.path)
        entry = server_in(text, file) if text and file.server else None
        hooks = hooks_in(text, file) if text and file.hooks else {}
    except GhostError as error:
        yield from ((part, error) for part in ("server", "hooks") if getattr(file, part))
        return
    if file.server:
        server = command_in(entry)
        yield "server", [InstalledCommand(server.words, server.env)] if entry else []
    if file.hooks:
        yield (
            "hooks",
            [
                InstalledCommand(command.hook_words, command.env, command.is_customised)
                for handlers in hooks.values()
                for command in map(command_in, handlers)
            ],
        )


def current(words: list[str], scope: str) -> bool:
    """Say whether a command starts the program that setup would write now."""
    program = launch(scope).program
    return tuple(words[: len(program)]) == program
