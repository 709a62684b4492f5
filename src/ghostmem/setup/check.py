"""Check the installation in every client for `ghost doctor`."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from ghostmem.admin.doctor import DoctorFinding
from ghostmem.settings import Settings
from ghostmem.setup import state
from ghostmem.setup.clients import CLIENTS, SCOPES, SetupClient
from ghostmem.setup.listing import Installed, InstalledCommand, commands_in, look
from ghostmem.setup.parts import targets
from ghostmem.setup.probe import ProbeAnswer, probe

# the PATH of programs that are started from the desktop of a Mac
_DESKTOP_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
_BY_HAND = "correct it by hand; `ghost setup` does not change a command with additions"


def check_clients(settings: Settings) -> Iterator[DoctorFinding]:
    """Yield one finding for every client and scope that Ghost is installed in."""
    known = state.records()
    answers: dict[tuple[object, ...], ProbeAnswer] = {}
    for client in CLIENTS.values():
        for scope in SCOPES:
            if not client.file(scope):
                continue
            installed = look(client, scope)
            listed = any(
                os.path.realpath(file.path) in known for file in targets(client, scope, True, True)
            )
            if "broken" in (installed.server, installed.hooks) and not listed:
                continue  # a broken file that Ghost never wrote
            if installed.is_present:
                yield _client(client, scope, installed, settings, answers)


def _client(
    client: SetupClient,
    scope: str,
    installed: Installed,
    settings: Settings,
    answers: dict[tuple[object, ...], ProbeAnswer],
) -> DoctorFinding:
    name = f"{client.name} ({scope})"
    hooks = " --hooks" if installed.hooks not in ("none", "") else ""
    again = f"ghost setup {client.name}{hooks}{' --scope project' if scope == 'project' else ''}"
    if installed.problem:
        return DoctorFinding(
            name, "problem", installed.problem, "fix the file by hand; its backup is next to it"
        )
    commands = [
        (file.path, part, command)
        for file in targets(client, scope, True, True)
        for part, present in commands_in(file)
        for command in (present if isinstance(present, list) else ())
    ]
    problem, fix = _wrong_command(commands, again)
    if problem:
        return DoctorFinding(name, "problem", problem, fix)
    if installed.server == "none":
        return DoctorFinding(
            name, "warning", f"has hooks, but no server in {installed.path}", again
        )
    server = next(command for _, part, command in commands if part == "server")
    answer = _asked(server, settings, answers)
    if answer.problem:
        return DoctorFinding(name, "problem", f"{installed.command}: {answer.problem}", again)
    with_hooks = {"current": ", with hooks", "old": ", with hooks"}.get(installed.hooks, "")
    allowed = ", allowed without asking" if installed.allowed else ""
    about = f"{installed.path}: {answer.tools} tools{allowed}{with_hooks}"
    if "old" in (installed.server, installed.hooks):
        return DoctorFinding(
            name,
            "warning",
            f"{about}; it starts a different Ghost than this one, or lacks some of its hooks",
            again,
        )
    if unseen := _unseen(client, installed):
        return DoctorFinding(name, "warning", unseen, again.replace(" --scope project", ""))
    return DoctorFinding(name, "ok", about)


def _wrong_command(
    commands: Iterable[tuple[Path, str, InstalledCommand]], again: str
) -> tuple[str, str]:
    """Return the problem with the first command that cannot be started, and its fix."""
    for path, part, command in commands:
        program = command.words[0]
        if shutil.which(program) is None:
            reason = "cannot be executed" if os.path.exists(program) else "does not exist"
            if os.path.basename(program) == program:
                reason = "is not on the PATH"
            return (
                f"the {part.removesuffix('s')} in {path} starts {program}, which {reason}",
                _BY_HAND if command.is_customised else again,
            )
    return "", ""


def _asked(
    command: InstalledCommand,
    settings: Settings,
    answers: dict[tuple[object, ...], ProbeAnswer],
) -> ProbeAnswer:
    """Start the server of a client, once for all clients with the same command."""
    words, env = command.words, command.env
    store = os.path.expanduser(env.get("GHOST_DB", settings.path))
    if "://" not in store and not os.path.exists(store):
        env["GHOST_DB"] = ":memory:"  # the check must not create a store
    key = (*words, *sorted(env.items()))
    if key not in answers:
        answers[key] = probe(words, env)
    return answers[key]


def _unseen(client: SetupClient, installed: Installed) -> str:
    """Return a warning if a desktop program on a Mac cannot find the command, or an empty text."""
    word = installed.command.split(" ")[0]
    if (
        sys.platform != "darwin"
        or not client.gui
        or os.path.isabs(word)
        or shutil.which(word, path=_DESKTOP_PATH)
    ):
        return ""
    return (
        f"{client.title} does not search {os.path.dirname(shutil.which(word) or '')}, "
        f"where {word} is, when started from the Dock"
    )
