"""ingest --transcript: recorded conversations into threads of memories, one per turn."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.capture.transcripts.base import ASSISTANT, USER, Action, Troubles, Turn
from ghostmem.capture.transcripts.choose import AUTO, check_format, events, transcripts
from ghostmem.errors import InvalidInputError, LockedError
from ghostmem.memory.draft import Draft, write_draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.screen import screen
from ghostmem.model import TRANSCRIPT, Kind, NsFilter, Outcome, Record, SourceKind
from ghostmem.store import validate
from ghostmem.store.fields import put_fields
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.truth.suspect import suspected

if TYPE_CHECKING:
    from typing import TypedDict

    from ghostmem.store.protocol import Transaction

    class TranscriptFields(TypedDict, total=False):
        """What an ingest of a transcript may name beside path and namespace."""

        format: str
        tags: Iterable[str] | None
        source_user: str | None
        allow_secrets: bool
        dry_run: bool
        progress: Callable[[int], None] | None


TAG = TRANSCRIPT
BATCH = 500  # turns in one transaction
MOST_NOTES = 50


@dataclass(eq=False, repr=False)
class TranscriptReport(Record):
    """What came out of recorded conversations.

    `notes` say what was left out and why, `broken` counts unreadable lines.
    """

    dry_run: bool = False
    files: int = 0
    sessions: int = 0
    turns: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    quarantined: int = 0
    broken: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add a note, unless there are plenty."""
        if len(self.notes) < MOST_NOTES:
            self.notes.append(text)


class _Known(NamedTuple):
    """What is known of a session: by each turn's mark its key and the digest of what it said, and
    how many keys there are.
    """

    turns: dict[str, tuple[str, str]]
    keys: set[str]
    times: list[datetime]


class Said(NamedTuple):
    """A turn, and the program that recorded it."""

    turn: Turn
    client: str


def ingest_transcript(
    store: Store,
    path: str | Path,
    ns: str,
    *,
    format: str = AUTO,  # noqa: A002 (the option's name)
    tags: Iterable[str] | None = None,
    source_user: str | None = None,
    allow_secrets: bool = False,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> TranscriptReport:
    """Store the turns of a recorded conversation, or of all below a folder, as threads: one per
    session, one memory per turn.

    Ingesting again adds what is new and rewrites nothing; what was removed stays away. What
    programs wrote in the user's name is left out. `source_user` names the user."""
    validate.namespace(ns)
    extra = tuple(validate.tags(tags) or ())
    user = validate.label(source_user, "source_user")
    report = TranscriptReport(dry_run=dry_run)
    known: dict[str, _Known] = {}
    said = spoken(Path(path), format, report)
    while batch := list(islice(said, BATCH)):
        with store.engine.write(durable=len(batch) < BATCH, dry_run=dry_run, within=(ns,)) as tx:
            for one in batch:
                report.turns += 1
                if one.turn.session not in known:
                    known[one.turn.session] = _known(tx, ns, one.turn.session)
                _store(
                    store, tx, ns, one, known[one.turn.session], extra, user, allow_secrets, report
                )
        if progress is not None:
            progress(report.turns)
    report.sessions = len(known)
    if not dry_run:
        catch_up(store, progress)
    return report


def spoken(path: Path, kind: str, report: TranscriptReport) -> Iterator[Said]:
    """Yield the turns of a transcript, or of all below a folder, and note what could not
    be read.
    """
    check_format(kind)
    for file in (files := transcripts(path)):
        troubles = Troubles()
        try:
            client, found = events(file, kind, troubles)
        except InvalidInputError as error:
            if len(files) == 1:
                raise
            report.note(f"passed over {file.name}: {error.message}")
            continue
        report.files += 1
        for event in found:
            if not isinstance(event, Action):
                yield Said(event, client)
        report.broken += troubles.count
        for trouble in troubles.named:
            report.note(f"left out {trouble}")


def _known(tx: Transaction, ns: str, session: str) -> _Known:
    """Return what is known of a session; what was removed counts, so that it does not come back."""
    known = _Known({}, set(), [])
    prefix = f"{session}/"
    for held in tx.quarantine.all(NsFilter(ns)):
        if held.key.startswith(prefix):
            _note(known, held.key, held.fields.get("meta"))
    for deleted in (True, False):
        for memory in tx.listing.scan(Filter(ns=NsFilter(ns), key_prefix=prefix, deleted=deleted)):
            _note(known, memory.key, memory.meta)
    return known


def _note(known: _Known, key: str, meta: Any) -> None:
    known.keys.add(key)
    about = meta.get(TAG) if isinstance(meta, Mapping) else None
    if isinstance(about, Mapping) and isinstance(about.get("mark"), str):
        known.turns[about["mark"]] = (key, str(about.get("digest", "")))


def _store(
    store: Store,
    tx: Transaction,
    ns: str,
    one: Said,
    session: _Known,
    extra: tuple[str, ...],
    user: str | None,
    allow_secrets: bool,
    report: TranscriptReport,
) -> None:
    """Store one turn, unless it is known or cannot be stored."""
    turn = one.turn
    digest = hashlib.sha256(turn.text.encode()).hexdigest()[:16]
    before = session.turns.get(turn.mark)
    if before is not None and before[1] == digest:
        report.unchanged += 1
        return
    key = before[0] if before is not None else _free_key(turn.session, session)
    try:
        screened = screen(store.settings, turn.text, allow_secrets)
        content = validate.content(screened.content, store.settings.max_content_bytes)
        draft = Draft(
            ns,
            validate.key(key),
            content,
            _fields(one, digest, extra, user, _time(store, turn, session)),
            quiet=True,
        )
        if before is not None:
            if tx.memories.current(ns, key, store.clock()) is None:
                report.unchanged += 1
                return
            draft = Draft(ns, key, content, {"meta": draft.fields["meta"]}, quiet=True)
        outcome = _written(store, tx, draft, report)
    except (InvalidInputError, LockedError) as error:
        report.note(f"left out {key}: {error.message}")
        return
    for note in screened.notes:
        report.note(f"{key}: {note}")
    session.turns[turn.mark] = (key, digest)
    session.keys.add(key)
    report.created += outcome is Outcome.CREATED
    report.updated += outcome is Outcome.UPDATED
    report.quarantined += outcome is Outcome.QUARANTINED


def _written(
    store: Store, tx: Transaction, draft: Draft, report: TranscriptReport
) -> Outcome | None:
    """Write a turn, or hold it when it is not the user's and looks like instructions."""
    if reasons := suspected(store, tx, draft):
        from ghostmem.memory.quarantine import hold, told_of

        report.note(f"{draft.key}: {told_of(hold(store, tx, draft, reasons))}")
        return Outcome.QUARANTINED
    return write_draft(store, tx, draft).outcome


def _free_key(session: str, known: _Known) -> str:
    number = len(known.keys) + 1
    while (key := f"{session}/{number:04d}") in known.keys:
        number += 1
    return key


def _time(store: Store, turn: Turn, session: _Known) -> datetime:
    """Return when a turn was said: if it does not say, with the one before it."""
    at = turn.at or (session.times[-1] if session.times else store.clock())
    session.times[:] = [at]
    return at


def _fields(
    one: Said, digest: str, extra: tuple[str, ...], user: str | None, at: datetime
) -> dict[str, Any]:
    turn = one.turn
    return put_fields(
        kind=Kind.EPISODIC,
        tags=(TAG, *extra),
        meta={TAG: {**turn.about, "mark": turn.mark, "digest": digest}},
        source_user=turn.name or (user if turn.role == USER and user else turn.role),
        source_kind=source_kind(turn),
        source_scope=turn.session,
        source_client=one.client or None,
        created_at=at,
    )


def source_kind(turn: Turn) -> SourceKind:
    """Say how a turn's words came to be known: the user stated them, the agent said them itself,
    others were observed.
    """
    if turn.role == USER:
        return SourceKind.STATED
    return SourceKind.SELF if turn.role == ASSISTANT else SourceKind.OBSERVED
