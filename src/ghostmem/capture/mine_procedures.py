"""mine-procedures: what was done again and again, in the same order, as procedural memories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ghostmem.capture.rules.procedures import (
    FEWEST,
    LONGEST,
    SHORTEST,
    Procedure,
    mine,
    runs,
    steps_of_action,
    steps_of_text,
)
from ghostmem.capture.transcripts.base import Action, Troubles
from ghostmem.capture.transcripts.choose import AUTO, check_format, events, transcripts
from ghostmem.errors import InvalidInputError
from ghostmem.memory.put import put
from ghostmem.memory.screen import screen
from ghostmem.model import MINED, Kind, NsFilter, Outcome, Record, SourceKind, Verdict, optional
from ghostmem.store import validate
from ghostmem.store.rows import Filter

if TYPE_CHECKING:
    from typing import TypedDict

    from ghostmem.store.store import Store

    class MineFields(TypedDict, total=False):
        """What mining may name beside where it looks."""

        format: str
        fewest: int
        longest: int
        most: int
        dry_run: bool


MOST = 20
TAGS = ("procedure", MINED)


@dataclass(frozen=True, eq=False, repr=False)
class Mined(Record):
    """A procedure that was found: its steps, in which sessions, and what became of it."""

    key: str
    steps: tuple[str, ...]
    support: int
    importance: float
    sessions: tuple[str, ...]
    verdict: Verdict | None = optional()
    outcome: Outcome | None = optional()
    stored_as: str | None = optional()


@dataclass(frozen=True, eq=False, repr=False)
class MineReport(Record):
    """What was found in how many sessions, and what could not be read."""

    dry_run: bool
    sessions: int
    procedures: tuple[Mined, ...] = ()
    notes: tuple[str, ...] = optional(())


def mine_procedures(
    store: Store,
    paths: Iterable[str | Path] = (),
    ns: str | None = None,
    *,
    format: str = AUTO,  # noqa: A002 (the option's name)
    fewest: int = FEWEST,
    longest: int = LONGEST,
    most: int = MOST,
    dry_run: bool = True,
) -> MineReport:
    """Find sequences of 2 to `longest` actions that at least `fewest` sessions share.

    Without paths, the sessions are the procedural memories of the namespace, and their actions the
    steps they list. Unless `dry_run`, what is found is put into the namespace as procedural
    memories, through the verdict gate."""
    validate.positive(fewest, "fewest", least=FEWEST)
    validate.positive(longest, "longest", least=SHORTEST)
    validate.positive(most, "most")
    check_format(format)
    listed = [paths] if isinstance(paths, str | Path) else list(paths)
    if not dry_run or not listed:
        if ns is None:
            raise InvalidInputError("nothing to mine", "name transcripts, or a namespace with -n")
        validate.namespace(ns)
    notes: list[str] = []
    sessions = _recorded(listed, format, notes) if listed else _remembered(store, ns or "")
    if store.settings.secrets == "redact":
        sessions = {
            name: [screen(store.settings, step).content for step in steps]
            for name, steps in sessions.items()
        }
    found = mine(sessions, fewest=fewest, longest=longest)[:most]
    done = tuple(_mined(one) if dry_run else _put(store, ns or "", one) for one in found)
    return MineReport(dry_run, len(sessions), done, tuple(notes))


def _recorded(paths: Iterable[str | Path], kind: str, notes: list[str]) -> dict[str, list[str]]:
    """Return what was done in each session of transcripts."""
    sessions: dict[str, list[str]] = {}
    for path in paths:
        files = transcripts(Path(path))
        for file in files:
            troubles = Troubles()
            try:
                _, found = events(file, kind, troubles)
            except InvalidInputError as error:
                if len(files) == 1:
                    raise
                notes.append(f"passed over {file.name}: {error.message}")
                continue
            for event in found:
                steps = sessions.setdefault(event.session, [])
                if isinstance(event, Action):
                    steps.extend(steps_of_action(event.tool, event.told))
            notes += [f"left out {trouble}" for trouble in troubles.named]
    return {name: runs(steps) for name, steps in sessions.items()}


def _remembered(store: Store, ns: str) -> dict[str, list[str]]:
    """Return the steps that each procedural memory lists.

    What was mined before is no new evidence.
    """
    which = Filter(ns=NsFilter(ns), now=store.clock(), kinds=(Kind.PROCEDURAL,))
    with store.engine.read() as tx:
        found = {
            memory.key: memory.content
            for memory in tx.listing.scan(which)
            if TAGS[1] not in memory.tags
        }
    return {key: steps_of_text(content) for key, content in found.items()}


def _mined(one: Procedure) -> Mined:
    return Mined(one.key, one.steps, one.support, one.importance, one.sessions)


def _put(store: Store, ns: str, one: Procedure) -> Mined:
    memory = put(
        store,
        ns,
        one.key,
        one.content,
        kind=Kind.PROCEDURAL,
        importance=one.importance,
        tags=TAGS,
        meta={"mined": {"sessions": one.support}},
        source_kind=SourceKind.OBSERVED,
        dedup=True,
    )
    other = memory.key if memory.key != one.key else None
    return Mined(
        one.key,
        one.steps,
        one.support,
        one.importance,
        one.sessions,
        memory.verdict,
        memory.outcome,
        other,
    )
