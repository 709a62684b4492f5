"""The two ends of a move: opening them, and refusing what cannot be one."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ghostmem.clock import Clock
from ghostmem.errors import (
    ConflictError,
    EngineError,
    InvalidInputError,
    NewerStoreError,
    NotFoundError,
)
from ghostmem.model import SYSTEM
from ghostmem.settings import Settings, masked
from ghostmem.store.opening import POSTGRES, has_tables, open_engine, refuse_special
from ghostmem.store.tables import BY_NAME, Table

if TYPE_CHECKING:
    from ghostmem.store.protocol import Engine, Transaction


def is_postgres(where: str) -> bool:
    """Say whether a store is in PostgreSQL."""
    return where.startswith(POSTGRES)


def location(where: str) -> str:
    """Return a store's name in full, so that the same store has the same name.

    A URL without its password.
    """
    if is_postgres(where):
        return masked(where)
    return os.path.realpath(os.path.expanduser(where))


def refuse(source: str, target: str) -> None:
    """Stop before anything is opened when two names cannot be the ends of a move."""
    for what, where in (("source", source), ("target", target)):
        if not where.strip():
            raise InvalidInputError(f"the {what} is empty", "name a file or a postgresql:// URL")
        if where == ":memory:":
            hint = (
                "a store in memory ends with its program: `ghost export` and `ghost "
                "import` move what is in it"
            )
            raise InvalidInputError(f"the {what} of a migration cannot be :memory:", hint)
        if "://" in where and not is_postgres(where):
            scheme = where.split("://")[0]
            raise InvalidInputError(
                f"the {what} {scheme}://… is no store this Ghost can open",
                "name a file or a postgresql:// URL",
            )
    if location(source) == location(target):
        raise InvalidInputError(
            f"{location(source)} is both the source and the target", "name another target"
        )
    if not is_postgres(target):
        refuse_special(location(target))
    if not is_postgres(source) and not os.path.exists(location(source)):
        raise NotFoundError(
            f"there is no store {location(source)}", "check the name given with --from"
        )


def opened(where: str, settings: Settings, clock: Clock, moving: bool = False) -> "Engine":
    """Open one end; an older store is brought to the present tables, a newer one refused."""
    path = where if is_postgres(where) else location(where)
    engine = open_engine(replace(settings, db=path), clock, moving)
    if getattr(engine, "_newer", False):
        engine.close()
        raise NewerStoreError(
            f"{engine.location} was written by a newer Ghost",
            "move it with that one: pip install --upgrade ghostmem",
        )
    return engine


def begun(target: str) -> bool:
    """Say whether a target has Ghost's tables, without making anything."""
    if not is_postgres(target):
        path = location(target)
        return os.path.exists(path) and os.path.getsize(path) > 0
    return has_tables(target, location(target))


def refuse_filled(
    tx: "Transaction", tables: Sequence[Table], target: str, source: str
) -> Mapping[str, str] | None:
    """Return what an unfinished move of the same source noted, or None for an empty target.

    Anything else is refused.
    """
    state = tx.move.get()
    if state is not None:
        if state.get("source") != source:
            raise ConflictError(
                f"{target} is being filled from {state.get('source')}, not from {source}",
                "finish that migration with its own --from, or name another target",
            )
        return state
    if filled := holding(tx, tables):
        raise ConflictError(
            f"{target} is not empty: it has rows in {', '.join(filled[:3])}",
            "name a target that is not there yet; `ghost export` and `ghost import` join "
            "two stores",
        )
    return None


def holding(tx: "Transaction", tables: Sequence[Table]) -> list[str]:
    """Return the tables of a store that have rows, other than the rules that every store is made
    with.
    """
    rules = BY_NAME["reflect_rules"]
    filled = [table.name for table in tables if table.name != rules.name and tx.copy.counts(table)]
    own = any(row[rules.at("created_by")] != SYSTEM for row in tx.copy.rows(rules, ""))
    return filled + ([rules.name] if own else [])


def refuse_crossing(tx: "Transaction", source: str) -> None:
    """Stop when rows join memories of two namespaces: the target's walls would drop them."""
    if found := tx.copy.crossing():
        told = ", ".join(f"{count} in {name}" for name, count in found.items())
        raise EngineError(
            f"{source} has links between memories of two namespaces ({told})",
            f"run `ghost --db {source} repair` first",
        )
