"""What is installed where: every client, in every scope, and whether it starts the Ghost that is
running.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from ghostmem.errors import GhostError
from ghostmem.model import Record, optional
from ghostmem.setup.clients import CLIENTS, SCOPES, Client
from ghostmem.setup.entry import launch, words_of
from ghostmem.setup.install import read_text
from ghostmem.setup.parts import Target, hooks_in, server_in, targets


@dataclass(frozen=True, eq=False, repr=False)
class Installed(Record):
    """One client in one scope: where its file is, and whether our server and hooks are in it."""

    client: str
    scope: str
    path: str
    # none, current, old (it starts another program than this one) or broken (the file cannot be
    # read)
    server: str
    hooks: str  # the same; empty for a client that Ghost has no hooks for
    command: str = optional("")
    problem: str = optional("")


def listing() -> list[Installed]:
    """List every client and scope, installed or not."""
    return [
        look(client, scope) for client in CLIENTS.values() for scope in SCOPES if client.file(scope)
    ]


def look(client: Client, scope: str) -> Installed:
    """Say how Ghost is installed in one client and scope."""
    states = {"server": "none", "hooks": "none" if client.hooks else ""}
    command, problem = "", ""
    mine = {os.path.realpath(file.path) for file in targets(client, "user", True, True)}
    for file in targets(client, scope, True, True):
        if scope != "user" and os.path.realpath(file.path) in mine:
            continue  # the working folder is the home folder
        for part, words in found_in(file):
            if isinstance(words, GhostError):
                states[part], problem = "broken", f"{file.path}: {words.message}"
            elif words:
                states[part] = "current" if all(current(one, scope) for one in words) else "old"
                command = command or " ".join(words[0])
    if (
        states["hooks"] == "current"
        and client.hooks
        and not {one.name for one in client.hooks.events} <= _events(client, scope)
    ):
        states["hooks"] = "old"
    path = str(targets(client, scope, True, False)[0].path)
    return Installed(client.name, scope, path, states["server"], states["hooks"], command, problem)


def found_in(file: Target) -> Iterator[tuple[str, list[list[str]] | GhostError]]:
    """Yield the commands of each part that belongs into a file, as words, or why that cannot be
    said.
    """
    try:
        text = read_text(file.path)
        entry = server_in(text, file) if text and file.server else None
        hooks = hooks_in(text, file) if text and file.hooks else {}
    except GhostError as error:
        yield from ((part, error) for part in ("server", "hooks") if getattr(file, part))
        return
    if file.server:
        yield "server", [words_of(entry)] if entry else []
    if file.hooks:
        yield "hooks", [words_of(one) for handlers in hooks.values() for one in handlers]


def current(words: list[str], scope: str) -> bool:
    """Say whether words start what setup would write today."""
    program = launch(scope).program
    return tuple(words[: len(program)]) == program


def _events(client: Client, scope: str) -> set[str]:
    file = targets(client, scope, False, True)[0]
    return set(hooks_in(read_text(file.path) or "", file))
