"""Arguments that name memories: a plain key, or `ns/key` as every result prints it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ghostmem.caller import CALLER
from ghostmem.errors import InvalidInputError
from ghostmem.ghost import Ghost
from ghostmem.mcp.tool import Arguments
from ghostmem.memory.get import one_namespace, split_name

_ONE = ("key", "from_key", "to_key", "summary_key", "supersedes", "keep", "other", "what")
_SEVERAL = ("source_keys", "seed")


class _MemoryName(NamedTuple):
    """A name in an argument: its namespace, empty for a plain key, and its key."""

    argument: str
    ns: str
    key: str


def resolve_names(ghost: Ghost, given: Arguments, is_read: bool) -> Arguments:
    """Return arguments with plain keys, and with the namespace that their names have.

    An exact key of the namespace of the call wins. A read follows a name into another namespace
    that the caller may read.

    Raises:
        InvalidInputError: A write names a memory of another namespace, or names are of several.
    """
    changed: Arguments = {}
    names: list[_MemoryName] = []
    for argument in (*_ONE, *_SEVERAL):
        value: Any = given.get(argument)
        if not value:
            continue
        listed = value if isinstance(value, list) else [value]
        split = [_split(ghost, given["ns"], argument, name) for name in listed]
        keys = [name.key for name in split]
        changed[argument] = keys if argument in _SEVERAL else keys[0]
        names += [name for name in split if name.ns]
    ns = one_namespace(name.ns for name in names) or given["ns"]
    if ns != given["ns"] and not is_read:
        name = names[0]
        raise InvalidInputError(
            f"{name.argument} names a memory of {ns}, and ns is {given['ns']}",
            f'send ns "{ns}" and {name.argument} "{name.key}"',
        )
    return {**given, **changed, "ns": ns}


def _split(ghost: Ghost, ns: str, argument: str, name: str) -> _MemoryName:
    space, key = split_name(ghost.store, ns, name)
    is_name = space == ns or (
        space and CALLER.get().may(space, "read") and bool(ghost.admin.namespaces(space))
    )
    return _MemoryName(argument, space, key) if is_name else _MemoryName(argument, "", name)
