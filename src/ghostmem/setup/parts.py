"""Write the server entry, the hooks and the permission into a client's file, and remove them."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ghostmem.errors import ConflictError, InvalidInputError
from ghostmem.grouping import grouped
from ghostmem.setup.clients import Hooks, Permission, SetupClient, located
from ghostmem.setup.entry import (
    TOOLS,
    Launch,
    check_same,
    command_in,
    group,
    handler,
    has_other_commands,
    runs_ghost,
    server,
)
from ghostmem.setup.formats import FORMATS, FileFormat, Made, value_at
from ghostmem.setup.state import records

Place = tuple[str | int, ...]
_TOOL = "{tool}"
_TOOL_NAME = r"(?:ghost|memory)_\w+"  # also tools that this version does not have


@dataclass(frozen=True, slots=True)
class SetupFile:
    """One file of a client and the parts that belong into it."""

    client: SetupClient
    scope: str
    path: Path
    format: str
    server: bool = False
    hooks: bool = False
    allow: bool = False


def targets(
    client: SetupClient, scope: str, server: bool, hooks: bool, allow: bool = False
) -> list[SetupFile]:
    """Return the files of a client that hold the requested parts; one file may hold several."""
    if not client.file(scope):
        raise InvalidInputError(
            f"{client.title} has no file for a project", "leave out --scope, or say --scope user"
        )
    files: dict[Path, SetupFile] = {}

    def file_at(path: Path, form: str) -> SetupFile:
        return files.get(path, SetupFile(client, scope, path, form))

    main, permission = _main_file(client, scope), client.permission
    if server:
        files[main] = replace(file_at(main, client.format), server=True)
    if hooks and client.hooks is not None:
        path = located(client.hooks.user if scope == "user" else client.hooks.project)
        files[path] = replace(file_at(path, client.hooks.format), hooks=True)
    if allow and permission is not None:
        name = permission.user if scope == "user" else permission.project
        path = located(name) if name else main
        files[path] = replace(file_at(path, permission.format or client.format), allow=True)
    return list(files.values())


def _main_file(client: SetupClient, scope: str) -> Path:
    """Return the file of the server: one that setup wrote, one that exists, or the usual one."""
    paths = [located(name) for name in (client.file(scope), *client.also.get(scope, ()))]
    recorded = records()
    written = [path for path in paths if os.path.realpath(path) in recorded]
    return [*written, *(path for path in paths if path.exists()), paths[0]][0]


def with_parts(text: str, target: SetupFile, how: Launch) -> str:
    """Return the text of a file with our parts in it."""
    form = FORMATS[target.format]
    document = form.load(text)
    if document is not None and not isinstance(document, dict):
        raise InvalidInputError(
            "line 1, column 1: the document is not an object",
            "fix it by hand, or paste what --print shows",
        )
    client = target.client
    if target.server:
        for key, value in client.new_file.items() if not document else ():
            text = form.merge(text, [key], value)
        present = value_at(document, client.path)
        if present is not None and not command_in(present).starts_ghost:
            command = command_in(present).program or "something else"
            raise ConflictError(
                f"{'.'.join(client.path)} exists already and starts {command}",
                "rename or remove that entry, then run it again",
            )
        text = form.merge(text, client.path, server(client, how, present, target.allow))
        assert server_in(text, target) is not None
    if target.hooks and client.hooks is not None:
        text = _with_hooks(text, client.hooks, how)
    if target.allow and client.permission is not None:
        text = with_permission(text, client.permission, how.tools, form)
    return text


def without_parts(text: str, target: SetupFile, made: Made) -> str:
    """Return the text of a file without our parts and the empty containers made for them."""
    form, client = FORMATS[target.format], target.client
    has_entry = _holds_server(target) and server_in(text, target) is not None
    if target.hooks and client.hooks is not None:
        text = _without_hooks(text, client.hooks, made)
    if target.allow and client.permission is not None:
        if has_entry and not target.server:
            text = _without_allowed(text, client, form)
        text = without_permission(text, client.permission, made, form)
    if target.server and has_entry:
        text = form.remove(text, client.path, made)
        if (
            client.new_file
            and all([key] in made for key in client.new_file)
            and form.load(text) == client.new_file
        ):
            for key in client.new_file:
                text = form.remove(text, [key])
    return text


def _without_allowed(text: str, client: SetupClient, form: FileFormat) -> str:
    """Return the text of a file without the permission in our entry; other names in a list stay."""
    assert client.permission is not None
    for key, value in client.permission.entry.items():
        listed = value_at(form.load(text), (*client.path, key))
        names = listed if value == TOOLS and isinstance(listed, list) else []
        foreign = [name for name in names if not _is_ours(name, _TOOL)]
        if foreign:
            text = form.merge(text, client.path, {key: foreign})
        else:
            text = form.remove(text, (*client.path, key))
    return text


def made_by(before: str, target: SetupFile) -> list[list[str]]:
    """Return the paths of the containers that our parts will create in a file."""
    document = FORMATS[target.format].load(before)
    client = target.client
    paths = [[client.path[0]], *([key] for key in client.new_file)] if target.server else []
    if target.hooks and client.hooks is not None:
        paths += [["hooks"], *(["hooks", event.name] for event in client.hooks.events)]
        paths += [["version"]] if client.hooks.flat else []
    if target.allow and client.permission is not None:
        paths += containers(client.permission)
    return [path for path in paths if value_at(document, path) is None]


def server_in(text: str, target: SetupFile) -> Any:
    """Return the entry that starts our server, or None."""
    entry = value_at(FORMATS[target.format].load(text), target.client.path)
    return entry if command_in(entry).starts_ghost else None


def hooks_in(text: str, target: SetupFile) -> dict[str, list[dict[str, Any]]]:
    """Return our hook handlers in a file, by event."""
    hooks = target.client.hooks
    if hooks is None:
        return {}
    document = FORMATS[target.format].load(text)
    return grouped((str(place[1]), value_at(document, place)) for place in _places(document, hooks))


def is_allowed(text: str, target: SetupFile) -> bool:
    """Say whether a file lets our tools run without asking."""
    permission = target.client.permission
    if permission is None:
        return False
    document = FORMATS[target.format].load(text)
    if permission.entry:
        entry = value_at(document, target.client.path) if _holds_server(target) else None
        return isinstance(entry, dict) and all(entry.get(key) for key in permission.entry)
    return bool(permission_places(document, permission))


def parts_in(text: str, target: SetupFile) -> set[str]:
    """Return the parts of ours in a file: server, hooks, allow."""
    parts = {
        "server": _holds_server(target) and server_in(text, target) is not None,
        "hooks": hooks_in(text, target),
        "allow": is_allowed(text, target),
    }
    return {part for part, value in parts.items() if value}


def _holds_server(target: SetupFile) -> bool:
    return target.server or target.client.format == target.format


# ---------------------------------------------------------------- hooks


def _with_hooks(text: str, hooks: Hooks, how: Launch) -> str:
    form = FORMATS[hooks.format]
    if hooks.flat and value_at(form.load(text), ["version"]) is None:
        text = form.merge(text, ["version"], 1)
    for event in hooks.events:
        places = [place for place in _places(form.load(text), hooks) if place[1] == event.name]
        for place in reversed(places[1:]):
            text = _without(text, place, form, hooks.host)
        if not places:
            text = form.append(text, ["hooks", event.name], group(hooks, event, how))
            continue
        present = value_at(form.load(text), places[0])
        wanted = handler(hooks, event, how, present)
        edit = form.merge if present.keys() <= wanted.keys() else form.replace
        text = edit(text, places[0], wanted)
    return text


def _without_hooks(text: str, hooks: Hooks, made: Made) -> str:
    form = FORMATS[hooks.format]
    for place in reversed(list(_places(form.load(text), hooks))):
        text = _without(text, place, form, hooks.host)
    text = form.pruned(text, [path for path in made if path[0] == "hooks"])
    if ["version"] in made and value_at(form.load(text), ["hooks"]) is None:
        text = form.remove(text, ["version"])
    return text


def _without(text: str, place: Place, form: FileFormat, host: str) -> str:
    """Remove one handler without other commands, and its group when it holds nothing else."""
    document = form.load(text)
    if has_other_commands(value_at(document, place), host):
        return text
    if len(place) > 3 and len(value_at(document, place[:-1])) == 1:
        place = place[:-2]
    return form.remove(text, place)


def _places(document: Any, hooks: Hooks) -> Iterator[Place]:
    events = value_at(document, ["hooks"])
    for event, listed in events.items() if isinstance(events, dict) else ():
        for number, group_or_handler in enumerate(listed if isinstance(listed, list) else ()):
            if runs_ghost(group_or_handler, hooks.host):
                yield ("hooks", event, number)
            inner = value_at(group_or_handler, ["hooks"])
            for below, handled in enumerate(inner if isinstance(inner, list) else ()):
                if runs_ghost(handled, hooks.host):
                    yield ("hooks", event, number, "hooks", below)


# ---------------------------------------------------------------- permission


def with_permission(
    text: str, permission: Permission, tools: Sequence[str], form: FileFormat
) -> str:
    """Return the text of a file with a permission in it; keys of the entry are not written here.

    Raises:
        ConflictError: The file has another value for the same tools, for example a refusal.
    """
    for tool in (
        (tools if (_TOOL in "".join((*permission.path, str(permission.value)))) else ("",))
        if permission.path
        else ()
    ):
        path = [key.replace(_TOOL, tool) for key in permission.path]
        value = permission.value
        if isinstance(value, str):
            value = value.replace(_TOOL, tool)
        present = value_at(form.load(text), path)
        if not permission.is_item:
            check_same(path, present, value)
            text = form.merge(text, path, value)
        elif not isinstance(present, list) or value not in present:
            text = form.append(text, path, value)
    return text


def without_permission(text: str, permission: Permission, made: Made, form: FileFormat) -> str:
    """Return the text of a file without our permission and the empty containers made for it."""
    if not permission.path:
        return text
    for place in reversed(permission_places(form.load(text), permission)):
        text = form.remove(text, place)
    return form.pruned(text, [path for path in made if path[:1] == [*permission.path[:1]]])


def permission_places(document: Any, permission: Permission) -> list[Place]:
    """Return the paths of our items or keys in a parsed file."""
    if permission.is_item:
        items = value_at(document, permission.path)
        return [
            (*permission.path, number)
            for number, item in enumerate(items if isinstance(items, list) else ())
            if _is_ours(item, permission.value)
        ]
    if not permission.path:
        return []
    *above, key = permission.path
    holder = value_at(document, above)
    return [
        (*above, name)
        for name, value in (holder.items() if isinstance(holder, dict) else ())
        if _is_ours(name, key) and value == permission.value
    ]


def containers(permission: Permission) -> list[list[str]]:
    """Return the paths of the containers around our items or keys, outermost first."""
    return [
        list(permission.path[: number + 1])
        for number in range(len(permission.path) - (0 if permission.is_item else 1))
    ]


def _is_ours(present: Any, template: Any) -> bool:
    if not isinstance(present, str) or not isinstance(template, str):
        return bool(present == template)
    return (
        re.fullmatch(re.escape(template).replace(re.escape(_TOOL), _TOOL_NAME), present) is not None
    )
