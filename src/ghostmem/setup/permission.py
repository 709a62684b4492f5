"""Write the permission for our tools into a JSON file of a client, find it, and remove it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ghostmem.setup.clients import Permission
from ghostmem.setup.entry import check_same
from ghostmem.setup.formats import FileFormat, Made, value_at

_TOOL = "{tool}"
_TOOL_NAME = r"(?:ghost|memory)_\w+"  # also tools that this version does not have


def with_permission(
    text: str, permission: Permission, tools: Sequence[str], form: FileFormat
) -> str:
    """Return the text of a file with a permission in it; keys of the entry are not written here.

    Raises:
        ConflictError: The file has another value for the same tools, for example a refusal.
    """
    is_each = _TOOL in "".join((*permission.path, str(permission.value)))
    for tool in (tools if is_each else ("",)) if permission.path else ():
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
    for place in reversed(list(permission_places(form.load(text), permission))):
        text = form.remove(text, place)
    return form.pruned(text, [path for path in made if path[:1] == [*permission.path[:1]]])


def permission_places(document: Any, permission: Permission) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of our items or keys in a parsed file."""
    if not permission.path:
        return
    if permission.is_item:
        items = value_at(document, permission.path)
        for number, item in enumerate(items if isinstance(items, list) else ()):
            if _is_ours(item, permission.value):
                yield (*permission.path, number)
        return
    *above, key = permission.path
    holder = value_at(document, above)
    for name, value in holder.items() if isinstance(holder, dict) else ():
        if _is_ours(name, key) and value == permission.value:
            yield (*above, name)


def is_tool_name(name: Any) -> bool:
    """Say whether a name is that of a tool of ours."""
    return isinstance(name, str) and re.fullmatch(_TOOL_NAME, name) is not None


def containers(permission: Permission) -> list[list[str]]:
    """Return the paths of the containers around our items or keys, outermost first."""
    depth = len(permission.path) - (0 if permission.is_item else 1)
    return [list(permission.path[: number + 1]) for number in range(depth)]


def _is_ours(present: Any, template: Any) -> bool:
    """Say whether a key or an item is one that the template makes."""
    if not isinstance(present, str) or not isinstance(template, str):
        return bool(present == template)
    pattern = re.escape(template).replace(re.escape(_TOOL), _TOOL_NAME)
    return re.fullmatch(pattern, present) is not None
