"""The ledger of migrations, where every Ghost looks when it opens a store: what that lacks, and
what a newer Ghost added.
"""

from collections.abc import Collection, Set

from ghostmem.errors import ReadOnlyStoreError

# The mark of a store that `ghost migrate` is still filling; a Ghost that does not know it takes the
# store for a newer one's.
MOVING = "unfinished-move"


def pending(names: Set[str] | None, migrations: Collection[str]) -> list[str]:
    """Return the migrations that a store still needs, in order."""
    return [name for name in migrations if name not in (names or ())]


def unknown(names: Set[str] | None, migrations: Collection[str]) -> list[str]:
    """Return the migrations that only a newer Ghost knows."""
    return sorted((names or set()) - {*migrations, MOVING})


def newer(where: str, names: Set[str] | None, migrations: Collection[str]) -> str:
    """Say that a newer Ghost wrote a store, so that it is only read; empty when none did.

    Stops at a store that lacks something by now: it cannot be written, or it would have been added.
    """
    if names is None:
        raise ReadOnlyStoreError(f"{where} cannot be written, and is not a Ghost store yet")
    if strange := unknown(names, migrations):
        return f"{where} was written by a newer Ghost (it has {strange[-1]})"
    if missing := pending(names, migrations):
        raise ReadOnlyStoreError(
            f"{where} is of an older Ghost (it lacks {missing[0]}) and cannot be written"
        )
    return ""
