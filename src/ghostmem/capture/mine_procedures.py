"""Find sequences of actions that several sessions share, and put them as procedures."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ghostmem.capture.procedures import (
    FEWEST,
    LONGEST,
    SHORTEST,
    Mined,
    mine,
    runs,
    steps_of_action,
    steps_of_text,
)
from ghostmem.capture.transcripts.base import ToolCall
from ghostmem.capture.transcripts.choose import AUTO, TranscriptCounts, check_format, read_all
from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.memory.put import put
from ghostmem.memory.redact import redact_content
from ghostmem.model import MINED, Kind, NsFilter, Record, SourceKind, optional
from ghostmem.store import Filter, Store, validate

MAX_PROCEDURES = 20
TAGS = ("procedure", MINED)


@frozen
class MineReport(Record):
    """The procedures of a run, the number of sessions, and notes about unreadable parts."""

    dry_run: bool
    sessions: int
    procedures: tuple[Mined, ...] = ()
    notes: tuple[str, ...] = optional(())


def mine_procedures(
    store: Store,
    paths: Iterable[str | Path] = (),
    ns: str | None = None,
    *,
    sessions: Iterable[Sequence[str]] | None = None,
    format: str = AUTO,  # noqa: A002 (the option's name)
    fewest: int = FEWEST,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
    most: int = MAX_PROCEDURES,
    tags: Iterable[str] | None = None,
    dry_run: bool = True,
) -> MineReport:
    """Find sequences of actions that several sessions share; store them unless `dry_run`.

    Args:
        paths: Recorded conversations; without any, the procedural memories of `ns` are read.
        ns: Namespace of the memories.
        sessions: Actions of each session in their order, instead of recordings.
        format: Program that recorded the conversations; "auto" detects it.
        fewest: Minimum number of sessions that share a sequence.
        shortest: Minimum number of actions in a sequence.
        longest: Maximum number of actions in a sequence.
        most: Maximum number of procedures.
        tags: Further tags of the memories.
        dry_run: Change nothing; report what would happen. This is the default.
    """
    validate.flags(dry_run=dry_run)
    validate.positive(fewest, "fewest (--min-sessions)", least=FEWEST)
    _check_lengths(shortest, longest)
    validate.positive(most, "most (--max)")
    check_format(format)
    all_tags = (*TAGS, *(validate.tags(tags) or ()))
    given = [paths] if isinstance(paths, str | Path) else validate.items(paths, "paths")
    listed = [validate.path(path, "path") for path in given]
    if listed and sessions is not None:
        raise InvalidInputError("two sources were given", "give transcripts, or sessions")
    if not dry_run or not (listed or sessions is not None):
        if ns is None:
            raise InvalidInputError("nothing to mine", "name transcripts, or a namespace with -n")
        validate.namespace(ns)
    notes: list[str] = []
    if sessions is not None:
        found = _given(sessions)
    else:
        found = _recorded(listed, format, notes) if listed else _remembered(store, ns or "")
    if store.settings.secrets == "redact":
        found = {
            name: [redact_content(store.settings, step).content for step in steps]
            for name, steps in found.items()
        }
    mined = mine(found, fewest=fewest, shortest=shortest, longest=longest)[:most]
    if not dry_run:
        mined = [_stored(store, ns or "", procedure, all_tags) for procedure in mined]
    return MineReport(dry_run, len(found), tuple(mined), tuple(notes))


def _check_lengths(shortest: int, longest: int) -> None:
    validate.positive(shortest, "shortest (--min-len)", least=SHORTEST)
    validate.positive(longest, "longest (--max-len)", least=SHORTEST)
    if shortest > longest:
        raise InvalidInputError(
            f"no sequence has at least {shortest} and at most {longest} actions",
            f"let the longest have at least {shortest}",
        )


def _given(sessions: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Return the steps of sessions that the caller lists, by the number of each."""
    return {
        str(number): runs(validate.texts(steps, f"session {number}", "step"))
        for number, steps in enumerate(validate.items(sessions, "sessions", "['a', 'b']"), 1)
    }


def _recorded(paths: Iterable[Path], kind: str, notes: list[str]) -> dict[str, list[str]]:
    """Return the steps of each session of transcripts."""
    sessions: dict[str, list[str]] = {}
    for path in paths:
        for event in read_all(path, kind, notes.append, TranscriptCounts()):
            steps = sessions.setdefault(event.session, [])
            if isinstance(event, ToolCall):
                steps.extend(steps_of_action(event.tool, event.arguments))
    return {name: runs(steps) for name, steps in sessions.items()}


def _remembered(store: Store, ns: str) -> dict[str, list[str]]:
    """Return the steps of each procedural memory, without those that were mined before."""
    procedural = Filter(ns=NsFilter(ns), now=store.clock(), kinds=(Kind.PROCEDURAL,))
    with store.engine.read() as tx:
        return {
            memory.key: steps_of_text(memory.content)
            for memory in tx.listing.scan(procedural)
            if MINED not in memory.tags
        }


def _stored(store: Store, ns: str, procedure: Mined, tags: Iterable[str]) -> Mined:
    """Put a procedure as a numbered list and return it with its verdict."""
    steps = (f"{number}. {step}" for number, step in enumerate(procedure.steps, 1))
    memory = put(
        store,
        ns,
        procedure.key,
        "\n".join(["Steps that were repeated:", *steps]),
        kind=Kind.PROCEDURAL,
        importance=procedure.importance,
        tags=tags,
        meta={"mined": {"sessions": procedure.support}},
        source_kind=SourceKind.OBSERVED,
        dedup=True,
    )
    stored_as = memory.key if memory.key != procedure.key else None
    return replace(procedure, verdict=memory.verdict, outcome=memory.outcome, stored_as=stored_as)
