"""Store recorded conversations as threads of memories, one per turn."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.capture.transcripts.base import ASSISTANT, USER, ToolCall, TranscriptTurn, Troubles
from ghostmem.capture.transcripts.choose import AUTO, check_format, events, transcripts
from ghostmem.errors import InvalidInputError, LockedError
from ghostmem.memory.draft import Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import held_note, hold, quarantine_reasons
from ghostmem.memory.redact import redact_content
from ghostmem.memory.write import write_draft
from ghostmem.model import TRANSCRIPT, Kind, NsFilter, Outcome, Record, SourceKind
from ghostmem.store import Filter, Store, Transaction, put_fields, validate

TAG = TRANSCRIPT
TURNS_PER_TRANSACTION = 500
MAX_NOTES = 50


@dataclass(eq=False, repr=False)
class TranscriptReport(Record):
    """The counts of an ingest; `notes` say what was left out, `broken` counts unreadable lines."""

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
        """Add a note, up to a maximum."""
        if len(self.notes) < MAX_NOTES:
            self.notes.append(text)


@dataclass(slots=True)
class _StoredSession:
    """The turns of a session that the store has: their keys, and key and digest by mark."""

    turns: dict[str, tuple[str, str]] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    last_time: datetime | None = None

    def add(self, key: str, meta: Any) -> None:
        """Add a stored turn."""
        self.keys.add(key)
        about = meta.get(TAG) if isinstance(meta, Mapping) else None
        if isinstance(about, Mapping) and isinstance(about.get("mark"), str):
            self.turns[about["mark"]] = (key, str(about.get("digest", "")))


class RecordedTurn(NamedTuple):
    """A turn, and the program that recorded it."""

    turn: TranscriptTurn
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
    """Store the turns of recorded conversations as threads: one per session, one memory per turn.

    The path is a file or a folder of files. Ingesting again adds new turns only; removed ones stay
    removed. Text that programs wrote in the user's name is left out. `source_user` names the
    user."""
    validate.namespace(ns)
    extra = tuple(validate.tags(tags) or ())
    user = validate.label(source_user, "source_user")
    report = TranscriptReport(dry_run=dry_run)
    sessions: dict[str, _StoredSession] = {}
    recorded = read_turns(Path(path), format, report)
    while batch := list(islice(recorded, TURNS_PER_TRANSACTION)):
        is_last = len(batch) < TURNS_PER_TRANSACTION
        with store.engine.write(durable=is_last, dry_run=dry_run, within=(ns,)) as tx:
            for entry in batch:
                report.turns += 1
                name = entry.turn.session
                if name not in sessions:
                    sessions[name] = _stored_session(tx, ns, name)
                _store(store, tx, ns, entry, sessions[name], extra, user, allow_secrets, report)
        if progress is not None:
            progress(report.turns)
    report.sessions = len(sessions)
    if not dry_run:
        catch_up(store, progress)
    return report


def read_turns(path: Path, kind: str, report: TranscriptReport) -> Iterator[RecordedTurn]:
    """Yield the turns of a transcript or of all below a folder; unreadable parts are noted."""
    check_format(kind)
    for file in (files := transcripts(path)):
        troubles = Troubles()
        try:
            client, recorded = events(file, kind, troubles)
        except InvalidInputError as error:
            if len(files) == 1:
                raise
            report.note(f"passed over {file.name}: {error.message}")
            continue
        report.files += 1
        for event in recorded:
            if not isinstance(event, ToolCall):
                yield RecordedTurn(event, client)
        report.broken += troubles.count
        for trouble in troubles.named:
            report.note(f"left out {trouble}")


def _stored_session(tx: Transaction, ns: str, name: str) -> _StoredSession:
    """Return the stored turns of a session, with removed ones, so that they do not come back."""
    session = _StoredSession()
    prefix = f"{name}/"
    for held in tx.quarantine.all(NsFilter(ns)):
        if held.key.startswith(prefix):
            session.add(held.key, held.fields.get("meta"))
    for deleted in (True, False):
        for memory in tx.listing.scan(Filter(ns=NsFilter(ns), key_prefix=prefix, deleted=deleted)):
            session.add(memory.key, memory.meta)
    return session


def _store(
    store: Store,
    tx: Transaction,
    ns: str,
    entry: RecordedTurn,
    session: _StoredSession,
    extra: tuple[str, ...],
    user: str | None,
    allow_secrets: bool,
    report: TranscriptReport,
) -> None:
    """Store a turn, unless it is stored already or cannot be stored."""
    turn = entry.turn
    digest = hashlib.sha256(turn.text.encode()).hexdigest()[:16]
    before = session.turns.get(turn.mark)
    if before is not None and before[1] == digest:
        report.unchanged += 1
        return
    key = before[0] if before is not None else _free_key(turn.session, session)
    try:
        screened = redact_content(store.settings, turn.text, allow_secrets)
        content = validate.content(screened.content, store.settings.max_content_bytes)
        # A turn without a time gets that of the turn before it.
        session.last_time = turn.at or session.last_time or store.clock()
        fields = _fields(entry, digest, extra, user, session.last_time)
        draft = Draft(ns, validate.key(key), content, fields, quiet=True)
        if before is not None:
            if tx.memories.current(ns, key, store.clock()) is None:
                report.unchanged += 1
                return
            draft = Draft(ns, key, content, {"meta": draft.fields["meta"]}, quiet=True)
        outcome = _write(store, tx, draft, report)
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


def _write(store: Store, tx: Transaction, draft: Draft, report: TranscriptReport) -> Outcome | None:
    """Write a turn, or quarantine it if it is not the user's and looks like instructions."""
    if reasons := quarantine_reasons(store, tx, draft):
        report.note(f"{draft.key}: {held_note(hold(store, tx, draft, reasons))}")
        return Outcome.QUARANTINED
    return write_draft(store, tx, draft).outcome


def _free_key(name: str, session: _StoredSession) -> str:
    number = len(session.keys) + 1
    while (key := f"{name}/{number:04d}") in session.keys:
        number += 1
    return key


def _fields(
    entry: RecordedTurn, digest: str, extra: tuple[str, ...], user: str | None, at: datetime
) -> dict[str, Any]:
    turn = entry.turn
    return put_fields(
        kind=Kind.EPISODIC,
        tags=(TAG, *extra),
        meta={TAG: {**turn.about, "mark": turn.mark, "digest": digest}},
        source_user=turn.name or (user if turn.role == USER and user else turn.role),
        source_kind=source_kind(turn),
        source_scope=turn.session,
        source_client=entry.client or None,
        created_at=at,
    )


def source_kind(turn: TranscriptTurn) -> SourceKind:
    """Return the source kind of a turn: stated by the user, the agent's own, or observed."""
    if turn.role == USER:
        return SourceKind.STATED
    return SourceKind.SELF if turn.role == ASSISTANT else SourceKind.OBSERVED
