"""Write the server entry and the hooks into a client's file, find them there, and remove them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ghostmem.errors import ConflictError, InvalidInputError
from ghostmem.setup import jsonc
from ghostmem.setup.clients import Hooks, SetupClient, located
from ghostmem.setup.entry import (
    Launch,
    command_of,
    group,
    handler,
    runs_ghost,
    server,
    starts_ghost,
)
from ghostmem.setup.formats import FORMATS, Made, pruned
from ghostmem.setup.values import value_at


@dataclass(frozen=True, slots=True)
class SetupFile:
    """One file of a client and the parts that belong into it."""

    client: SetupClient
    scope: str
    path: Path
    format: str
    server: bool = False
    hooks: bool = False


def targets(client: SetupClient, scope: str, server: bool, hooks: bool) -> list[SetupFile]:
    """Return the files of a client that hold the requested parts; one file may hold both."""
    if not client.file(scope):
        raise InvalidInputError(
            f"{client.title} has no file for a project", "leave out --scope, or say --scope user"
        )
    files: list[SetupFile] = []
    if server:
        files.append(
            SetupFile(client, scope, located(client.file(scope)), client.format, server=True)
        )
    if hooks and client.hooks is not None:
        path = located(client.hooks.user if scope == "user" else client.hooks.project)
        if files and files[0].path == path:
            return [SetupFile(client, scope, path, client.format, server=True, hooks=True)]
        files.append(SetupFile(client, scope, path, client.hooks.format, hooks=True))
    return files


def with_parts(text: str, target: SetupFile, how: Launch) -> str:
    """Return the text of a file with our parts in it."""
    form = FORMATS[target.format]
    document = form.load(text)
    if document is not None and not isinstance(document, dict):
        raise InvalidInputError(
            "line 1, column 1: the document is not an object",
            "fix it by hand, or paste what --print shows",
        )
    if target.server:
        client = target.client
        present = value_at(document, client.path)
        if present is not None and not starts_ghost(present):
            command = command_of(present) or "something else"
            raise ConflictError(
                f"{'.'.join(client.path)} exists already and starts {command}",
                "rename or remove that entry, then run it again",
            )
        text = form.merge(text, client.path, server(client, how, present))
        assert starts_ghost(value_at(form.load(text), client.path))
    if target.hooks and target.client.hooks is not None:
        text = _with_hooks(text, target.client.hooks, how)
    return text


def without_parts(text: str, target: SetupFile, made: Made) -> str:
    """Return the text of a file without our parts and the empty containers made for them."""
    form = FORMATS[target.format]
    document = form.load(text)
    if target.server and starts_ghost(value_at(document, target.client.path)):
        text = form.remove(text, target.client.path, made)
    if target.hooks and target.client.hooks is not None:
        text = _without_hooks(text, target.client.hooks, made)
    return text


def made_by(before: str, target: SetupFile) -> list[list[str]]:
    """Return the paths of the containers that our parts will create in a file."""
    document = FORMATS[target.format].load(before)
    paths = [[target.client.path[0]]] if target.server else []
    if target.hooks and target.client.hooks is not None:
        paths += [["hooks"], *(["hooks", event.name] for event in target.client.hooks.events)]
        paths += [["version"]] if target.client.hooks.flat else []
    return [path for path in paths if value_at(document, path) is None]


def server_in(text: str, target: SetupFile) -> Any:
    """Return the entry that starts our server, or None."""
    entry = value_at(FORMATS[target.format].load(text), target.client.path)
    return entry if starts_ghost(entry) else None


def hooks_in(text: str, target: SetupFile) -> dict[str, list[dict[str, Any]]]:
    """Return our hook handlers in a file, by event."""
    hooks = target.client.hooks
    if hooks is None:
        return {}
    document = FORMATS[target.format].load(text)
    handlers: dict[str, list[dict[str, Any]]] = {}
    for place in _places(document, hooks):
        handlers.setdefault(str(place[1]), []).append(_value(document, place))
    return handlers


def shown(target: SetupFile, how: Launch) -> str:
    """Return the text to paste into a file that is edited by hand."""
    text = ""
    if target.server:
        entry = server(target.client, how)
        text = FORMATS[target.format].shown(target.client.path, entry)
    if target.hooks and target.client.hooks is not None:
        text = _with_hooks(text, target.client.hooks, how)
    return text


# ---------------------------------------------------------------- hooks


def _with_hooks(text: str, hooks: Hooks, how: Launch) -> str:
    comments = FORMATS[hooks.format].comments
    if hooks.flat and value_at(jsonc.load(text, comments), ["version"]) is None:
        text = jsonc.merge(text, ["version"], 1, comments)
    for event in hooks.events:
        places = [
            place for place in _places(jsonc.load(text, comments), hooks) if place[1] == event.name
        ]
        for place in reversed(places[1:]):
            text = _without(text, place, comments)
        if places:
            present = _value(jsonc.load(text, comments), places[0])
            wanted = handler(hooks, event, how, present)
            edit = jsonc.merge if present.keys() <= wanted.keys() else jsonc.replace
            text = edit(text, places[0], wanted, comments)
        else:
            text = jsonc.append(text, ["hooks", event.name], group(hooks, event, how), comments)
    return text


def _without_hooks(text: str, hooks: Hooks, made: Made) -> str:
    comments = FORMATS[hooks.format].comments
    for place in reversed(list(_places(jsonc.load(text, comments), hooks))):
        text = _without(text, place, comments)
    text = pruned(text, [path for path in made if path[0] == "hooks"], comments)
    document = jsonc.load(text, comments)
    if (
        ["version"] in [list(path) for path in made]
        and isinstance(document, dict)
        and "hooks" not in document
    ):
        text = jsonc.remove(text, ["version"], comments)
    return text


def _without(text: str, place: tuple[str | int, ...], comments: bool) -> str:
    """Remove one handler, and its group when it holds nothing else."""
    if len(place) > 3 and len(_value(jsonc.load(text, comments), place[:-1])) == 1:
        place = place[:-2]
    return jsonc.remove(text, place, comments)


def _places(document: Any, hooks: Hooks) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of our handlers in all events."""
    events = value_at(document, ["hooks"])
    for event, listed in events.items() if isinstance(events, dict) else ():
        for number, group_or_handler in enumerate(listed if isinstance(listed, list) else ()):
            if runs_ghost(group_or_handler, hooks.host):
                yield ("hooks", event, number)
            inner = value_at(group_or_handler, ["hooks"])
            for below, handled in enumerate(inner if isinstance(inner, list) else ()):
                if runs_ghost(handled, hooks.host):
                    yield ("hooks", event, number, "hooks", below)


def _value(document: Any, place: tuple[str | int, ...]) -> Any:
    for key in place:
        document = document[key]
    return document
