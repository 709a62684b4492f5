"""What `ghost doctor` says about clients: one line each, with what is wrong and the next step."""

import os
import shutil
import sys
from collections.abc import Iterator

from ghostmem.admin.doctor import Finding
from ghostmem.errors import GhostError
from ghostmem.settings import Settings
from ghostmem.setup import state
from ghostmem.setup.clients import CLIENTS, SCOPES, Client
from ghostmem.setup.entry import env_of, words_of
from ghostmem.setup.install import read_text
from ghostmem.setup.listing import Installed, found_in, look
from ghostmem.setup.parts import server_in, targets
from ghostmem.setup.probe import Answer, probe

_DESKTOP_PATH = (
    "/usr/bin:/bin:/usr/sbin:/sbin"  # what programs started from the desktop of a Mac search
)


def check_clients(settings: Settings) -> Iterator[Finding]:
    """Look at every client that Ghost is installed in; one it is not in is not mentioned."""
    known = state.kept()
    answers: dict[tuple[object, ...], Answer] = {}
    for client in CLIENTS.values():
        for scope in SCOPES:
            if not client.file(scope):
                continue
            found = look(client, scope)
            listed = any(
                os.path.realpath(file.path) in known for file in targets(client, scope, True, True)
            )
            if "broken" in (found.server, found.hooks) and not listed:
                continue  # somebody's broken file is not our business
            if {found.server, found.hooks} - {"none", ""}:
                yield _client(client, scope, found, settings, answers)


def _client(
    client: Client,
    scope: str,
    found: Installed,
    settings: Settings,
    answers: dict[tuple[object, ...], Answer],
) -> Finding:
    name = f"{client.name} ({scope})"
    again = _again(client, scope, found)
    if found.problem:
        return Finding(
            name, "problem", found.problem, "fix the file by hand; its backup lies beside it"
        )
    wrong = _commands(client, scope)
    if wrong:
        return Finding(name, "problem", wrong, again)
    if found.server == "none":
        return Finding(name, "warning", f"has hooks, but no server in {found.path}", again)
    answer = _asked(client, scope, settings, answers)
    if answer.problem:
        return Finding(name, "problem", f"{found.command}: {answer.problem}", again)
    with_hooks = {"current": ", with hooks", "old": ", with hooks"}.get(found.hooks, "")
    about = f"{found.path}: {answer.tools} tools{with_hooks}"
    if "old" in (found.server, found.hooks):
        return Finding(
            name,
            "warning",
            f"{about}; it starts another Ghost than this one, or lacks hooks of this one",
            again,
        )
    unseen = _unseen(client, found)
    return (
        Finding(name, "warning", unseen, again.replace(" --scope project", ""))
        if unseen
        else Finding(name, "ok", about)
    )


def _again(client: Client, scope: str, found: Installed) -> str:
    """Return the command that writes it anew."""
    hooks = " --hooks" if found.hooks not in ("none", "") else ""
    return f"ghost setup {client.name}{hooks}{' --scope project' if scope == 'project' else ''}"


def _commands(client: Client, scope: str) -> str:
    """Return what is wrong with a command of the client's files, or nothing."""
    for file in targets(client, scope, True, True):
        for part, words in found_in(file):
            for one in words if isinstance(words, list) else ():
                if shutil.which(one[0]) is None:
                    what = (
                        "is not on the PATH"
                        if os.path.basename(one[0]) == one[0]
                        else _missing(one[0])
                    )
                    return (
                        f"the {'server' if part == 'server' else 'hook'} in {file.path} "
                        f"starts {one[0]}, which {what}"
                    )
    return ""


def _missing(command: str) -> str:
    return "cannot be executed" if os.path.exists(command) else "is not there"


def _asked(
    client: Client, scope: str, settings: Settings, answers: dict[tuple[object, ...], Answer]
) -> Answer:
    """Start the server of a client, once for all clients that start it alike."""
    file = targets(client, scope, True, False)[0]
    try:
        entry = server_in(read_text(file.path) or "", file)
    except GhostError as error:
        return Answer(problem=error.message)
    words, env = words_of(entry), env_of(entry)
    store = os.path.expanduser(env.get("GHOST_DB", settings.path))
    if "://" not in store and not os.path.exists(store):
        env["GHOST_DB"] = ":memory:"  # looking makes no store
    key = (*words, *sorted(env.items()))
    if key not in answers:
        answers[key] = probe(words, env)
    return answers[key]


def _unseen(client: Client, found: Installed) -> str:
    """Say that a program on a Mac's desktop does not find a command that a shell finds."""
    word = found.command.split(" ")[0]
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
