"""The list of applied migrations: the missing ones, and those of a newer Ghost."""

from collections.abc import Collection, Set

from ghostmem.errors import ReadOnlyStoreError

# Marks a store that `ghost migrate` is still filling; a version of Ghost without this mark treats
# the store as one of a newer version.
MOVING = "unfinished-move"


def pending(names: Set[str] | None, migrations: Collection[str]) -> list[str]:
    """Return the migrations that a store still needs, in order."""
    return [name for name in migrations if name not in (names or ())]


def unknown(names: Set[str] | None, migrations: Collection[str]) -> list[str]:
    """Return the migrations that only a newer Ghost knows."""
    return sorted((names or set()) - {*migrations, MOVING})


def newer(where: str, names: Set[str] | None, migrations: Collection[str]) -> str:
    """Return the message that a newer Ghost wrote a store, or an empty text.

    Raises an error for a store that lacks a migration here: it cannot be written, or it would
    have been migrated."""
    if names is None:
        raise ReadOnlyStoreError(f"{where} cannot be written, and is not a Ghost store yet")
    if strange := unknown(names, migrations):
        return f"{where} was written by a newer Ghost (it has {strange[-1]})"
    if missing := pending(names, migrations):
        raise ReadOnlyStoreError(
            f"{where} is of an older Ghost (it lacks {missing[0]}) and cannot be written"
        )
    return ""
