"""Store recorded conversations as threads of memories, and markdown files by section."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.capture.files import files_below, read_text
from ghostmem.capture.transcripts.base import ASSISTANT, USER, TranscriptTurn
from ghostmem.capture.transcripts.choose import AUTO, TranscriptReport, read_turns
from ghostmem.errors import InvalidInputError, LockedError
from ghostmem.memory.draft import Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import (
    held_note,
    hold,
    instruction_reasons,
    is_foreign,
    memory_of_held,
    quarantine_reasons,
)
from ghostmem.memory.redact import redact_content, redact_draft
from ghostmem.memory.write import write_draft
from ghostmem.model import (
    TRANSCRIPT,
    FileRef,
    FileRel,
    Kind,
    Memory,
    NsFilter,
    Outcome,
    Record,
    SourceKind,
)
from ghostmem.store import Filter, Store, Transaction, put_fields, validate
from ghostmem.text.sections import MarkdownSection, sections, slug

TAG = TRANSCRIPT
TURNS_PER_TRANSACTION = 500
SUFFIXES = (".md", ".markdown", ".mdk")


@dataclass(slots=True)
class _StoredSession:
    """The turns of a session that the store has: their keys, and key and digest by mark."""

    turns: dict[str, tuple[str, str]] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)  # "": of turns that do not name their file
    last_time: datetime | None = None

    def add(self, key: str, meta: Any) -> None:
        """Add a stored turn."""
        self.keys.add(key)
        about = meta.get(TAG) if isinstance(meta, Mapping) else None
        if isinstance(about, Mapping) and isinstance(about.get("mark"), str):
            self.turns[about["mark"]] = (key, str(about.get("digest", "")))
            self.files.add(str(about.get("file", "")))

    def has(self, turn: TranscriptTurn) -> bool:
        """Say whether a turn is stored with the same text."""
        return self.turns.get(turn.mark, ("", ""))[1] == _digest(turn)

    def is_of(self, turn: TranscriptTurn) -> bool:
        """Say whether this is the session of a file whose first turn is given.

        A file may have been moved: then its first turn is stored here. Without a time, that could
        also be another conversation that begins alike, unless the stored turns name no file."""
        return (
            not turn.file
            or not self.keys
            or turn.file in self.files
            or (turn.mark in self.turns and (turn.at is not None or "" in self.files))
        )


def _digest(turn: TranscriptTurn) -> str:
    return hashlib.sha256(turn.text.encode()).hexdigest()[:16]


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
    """Store recorded conversations as threads, one memory per turn; only new turns are added.

    Args:
        path: File or folder.
        ns: Namespace of the memories.
        format: Program that recorded it; "auto" detects it.
        tags: Tags of the memories.
        source_user: Name of the user, in recordings that do not name them.
        allow_secrets: Store keys, tokens and passwords instead of redacting them.
        dry_run: Change nothing; report what would happen.
        progress: Called with the number of turns done.
    """
    validate.flags(allow_secrets=allow_secrets, dry_run=dry_run)
    validate.namespace(ns)
    extra = tuple(validate.tags(tags) or ())
    user = validate.label(source_user, "source_user")
    report = TranscriptReport(dry_run=dry_run)
    sessions: dict[str, _StoredSession] = {}
    names: dict[tuple[str, str], str] = {}  # of sessions, by the file and the name in it
    recorded = read_turns(validate.path(path, "path"), format, report)
    while batch := list(islice(recorded, TURNS_PER_TRANSACTION)):
        is_last = len(batch) < TURNS_PER_TRANSACTION
        _judge_turns(store, ns, batch, sessions)
        with store.engine.write(durable=is_last, dry_run=dry_run, within=(ns,)) as tx:
            for turn in batch:
                report.turns += 1
                name = names.get((turn.file, turn.session)) or _find_name(tx, ns, turn, sessions)
                names[turn.file, turn.session] = name
                renamed = turn._replace(session=name)
                _store_turn(
                    store, tx, ns, renamed, sessions[name], extra, user, allow_secrets, report
                )
        if progress is not None:
            progress(report.turns)
    report.sessions = len(set(names.values()))
    if not dry_run:
        catch_up(store, progress)
    return report


def _judge_turns(
    store: Store, ns: str, batch: Iterable[TranscriptTurn], stored: Mapping[str, _StoredSession]
) -> None:
    """Judge new turns that are not the user's before the transaction, so that others can write."""
    sessions = dict(stored)
    with store.engine.read() as tx:
        new = [
            turn.text
            for turn in batch
            if is_foreign(source_kind(turn))
            and not sessions[_find_name(tx, ns, turn, sessions)].has(turn)
        ]
    for text in new:
        instruction_reasons(store.settings, text)


def _find_name(
    tx: Transaction, ns: str, first: TranscriptTurn, sessions: dict[str, _StoredSession]
) -> str:
    """Return the name of a session for its first turn; files with one name get different ones."""
    names = chain([first.session], (f"{first.session}-{number}" for number in count(2)))
    return next(name for name in names if _stored_session(tx, ns, name, sessions).is_of(first))


def _stored_session(
    tx: Transaction, ns: str, name: str, sessions: dict[str, _StoredSession]
) -> _StoredSession:
    """Return the stored turns of a session, with removed ones, so that they do not come back."""
    if name in sessions:
        return sessions[name]
    session = sessions[name] = _StoredSession()
    prefix = f"{name}/"
    for entry in tx.quarantine.all(NsFilter(ns)):
        if entry.key.startswith(prefix):
            session.add(entry.key, entry.fields.get("meta"))
    for deleted in (True, False):
        for memory in tx.listing.scan(Filter(ns=NsFilter(ns), key_prefix=prefix, deleted=deleted)):
            session.add(memory.key, memory.meta)
    return session


def _store_turn(
    store: Store,
    tx: Transaction,
    ns: str,
    turn: TranscriptTurn,
    session: _StoredSession,
    extra: tuple[str, ...],
    user: str | None,
    allow_secrets: bool,
    report: TranscriptReport,
) -> None:
    digest = _digest(turn)
    before = session.turns.get(turn.mark)
    if session.has(turn):
        report.unchanged += 1
        return
    free = (f"{turn.session}/{number:04d}" for number in count(len(session.keys) + 1))
    key = before[0] if before else next(key for key in free if key not in session.keys)
    try:
        screened = redact_content(store.settings, turn.text, allow_secrets)
        content = validate.content(screened.content, store.settings.max_content_bytes)
        # A turn without a time gets that of the turn before it.
        session.last_time = turn.at or session.last_time or store.clock()
        fields = _fields(turn, digest, extra, user, session.last_time)
        draft = Draft(ns, validate.key(key), content, fields, quiet=True)
        if before:
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
    session.files.add(turn.file)
    report.created += outcome is Outcome.CREATED
    report.updated += outcome is Outcome.UPDATED
    report.quarantined += outcome is Outcome.QUARANTINED


def _write(store: Store, tx: Transaction, draft: Draft, report: TranscriptReport) -> Outcome | None:
    """Write a turn, or quarantine it if it is not the user's and looks like instructions."""
    if reasons := quarantine_reasons(store, tx, draft):
        report.note(f"{draft.key}: {held_note(hold(store, tx, draft, reasons))}")
        return Outcome.QUARANTINED
    return write_draft(store, tx, draft).outcome


def _fields(
    turn: TranscriptTurn,
    digest: str,
    extra: tuple[str, ...],
    user: str | None,
    created_at: datetime,
) -> dict[str, Any]:
    file = {"file": turn.file} if turn.file else {}
    return put_fields(
        kind=Kind.EPISODIC,
        tags=(TAG, *extra),
        meta={TAG: {**turn.about, **file, "mark": turn.mark, "digest": digest}},
        source_user=turn.name or (user if turn.role == USER and user else turn.role),
        source_kind=source_kind(turn),
        source_scope=turn.session,
        source_client=turn.client or None,
        created_at=created_at,
    )


def source_kind(turn: TranscriptTurn) -> SourceKind:
    """Return the source kind of a turn: stated by the user, the agent's own, or observed."""
    return {USER: SourceKind.STATED, ASSISTANT: SourceKind.SELF}.get(turn.role, SourceKind.OBSERVED)


@dataclass(eq=False, repr=False)
class IngestReport(Record):
    """The counts of an ingest."""

    dry_run: bool = False
    files: int = 0
    ingested: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    quarantined: int = field(default=0, metadata={"optional": True})
    memories: list[Memory] = field(default_factory=list)
    notes: list[str] = field(default_factory=list, metadata={"optional": True})


def ingest(
    store: Store,
    path: str | Path,
    ns: str,
    *,
    kind: str | None = "semantic",
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    meta: Mapping[str, Any] | None = None,
    date_ns: bool = False,
    dry_run: bool = False,
    allow_secrets: bool = False,
    trust: bool = False,
    progress: Callable[[int], None] | None = None,
) -> IngestReport:
    """Store each H2 section of markdown files as a memory; ingesting again updates them.

    Args:
        path: File or folder.
        ns: Namespace of the memories.
        kind: Kind of the memories.
        tags: Tags of the memories.
        priority: Priority of the memories.
        meta: Your own data, stored with each memory.
        date_ns: For files named YYYY-MM-DD.md, append the date to the namespace.
        dry_run: Change nothing; report what would happen.
        allow_secrets: Store keys, tokens and passwords instead of redacting them.
        trust: Skip the quarantine for sections that look like instructions.
        progress: Called with the number of files done.
    """
    validate.flags(date_ns=date_ns, dry_run=dry_run, allow_secrets=allow_secrets, trust=trust)
    root = validate.path(path, "path")
    validate.namespace(ns)
    fields = put_fields(kind=kind, tags=tags, priority=priority)
    extra = validate.meta(meta) or {}
    report = IngestReport(dry_run=dry_run)
    readable = list(_readable(store, root, ns, date_ns, report))
    report.files = len(readable)
    if not trust:
        _judge_sections(store, readable)
    with store.engine.write(dry_run=dry_run) as tx:
        for number, (file, refs, space, filled) in enumerate(readable, 1):
            prefix = slug(
                file.relative_to(root).with_suffix("").as_posix() if root.is_dir() else file.stem
            )
            for section, key in zip(
                filled, _keys(tx, space, refs[0].path, prefix, filled), strict=True
            ):
                note = {**extra, "heading": section.heading, "section": section.key}
                draft = Draft(
                    space,
                    validate.key(key),
                    section.body,
                    {**fields, "meta": note, "files": refs},
                    quiet=True,
                )
                draft, notes = redact_draft(store.settings, draft, allow_secrets)
                report.notes += [f"{file.name}, {draft.key}: {text}" for text in notes]
                _store_section(store, tx, draft, report, trust)
            if progress is not None:
                progress(number)
    if not dry_run:
        catch_up(store, progress)
    return report


def _judge_sections(store: Store, files: Iterable["_MarkdownFile"]) -> None:
    """Judge new sections before the transaction, so that others can write meanwhile."""
    for file in files:
        with store.engine.read() as tx:
            stored = tx.listing.select(Filter(ns=NsFilter(file.ns), file=file.refs[0].path))
        accepted = {memory.content for memory in stored}
        for section in file.sections:
            if section.body not in accepted:
                instruction_reasons(store.settings, section.body)


class _MarkdownFile(NamedTuple):
    """A file, the reference to it, the namespace of its memories, and its sections with text."""

    path: Path
    refs: tuple[FileRef, ...]
    ns: str
    sections: list[MarkdownSection]


def _readable(
    store: Store, root: Path, ns: str, date_ns: bool, report: IngestReport
) -> Iterator[_MarkdownFile]:
    """Yield the files that can be stored; the others of a folder are noted."""
    files = files_below(
        root,
        "markdown file",
        SUFFIXES,
        lambda file: file.name.startswith("."),
        lambda problem: report.notes.append(f"left out {problem}"),
    )
    for file in sorted(files):
        try:
            yield _checked(store, file, ns, date_ns)
        except InvalidInputError as error:
            if root.is_file():
                raise
            report.notes.append(f"left out {error.message}")


def _checked(store: Store, file: Path, ns: str, date_ns: bool) -> _MarkdownFile:
    """Return the sections of a file; the error for one that cannot be stored names the file."""
    text = read_text(file).replace("\r\n", "\n").replace("\r", "\n")
    dated = file.stem if date_ns and re.fullmatch(r"\d{4}-\d\d-\d\d", file.stem) else None
    name = "undated.md" if dated else file.name
    try:
        refs = validate.files([str(file.resolve())], FileRel.READ) or ()
        space = validate.namespace(f"{ns}:{dated}" if dated else ns)
        filled = [section for section in sections(text, name) if section.body.strip()]
        for section in filled:
            validate.key(section.key)
            validate.content(section.body, store.settings.max_content_bytes)
    except InvalidInputError as error:
        raise InvalidInputError(f"{file}: {error.message}", error.hint) from None
    return _MarkdownFile(file, refs, space, filled)


def _store_section(
    store: Store, tx: Transaction, draft: Draft, report: IngestReport, trust: bool
) -> None:
    reasons = () if trust else quarantine_reasons(store, tx, draft, from_file=True)
    if reasons:
        memory = memory_of_held(draft, hold(store, tx, draft, reasons), dry_run=report.dry_run)
        report.notes += [f"{draft.ns}/{draft.key}: {note}" for note in memory.notes]
    else:
        memory = write_draft(store, tx, draft)
    report.ingested += 1
    report.quarantined += memory.outcome is Outcome.QUARANTINED
    report.created += memory.outcome is Outcome.CREATED
    report.updated += memory.outcome is Outcome.UPDATED
    report.unchanged += memory.outcome is Outcome.REINFORCED
    if report.dry_run:
        report.memories.append(memory)


def _keys(
    tx: Transaction, ns: str, path: str, prefix: str, filled: list[MarkdownSection]
) -> list[str]:
    """Return the key that each section of a file has, or one that no other file has."""
    stored = tx.listing.select(Filter(ns=NsFilter(ns), file=path))
    # callers can put any value into `meta`, also one that is no key of a dictionary
    sections = ((memory.meta.get("section"), memory.key) for memory in stored)
    stored_keys = {name: key for name, key in sections if isinstance(name, str)}
    return [
        stored_keys.get(section.key) or _unused_key(tx, ns, prefix, section.key)
        for section in filled
    ]


def _unused_key(tx: Transaction, ns: str, prefix: str, name: str) -> str:
    prefixes = chain(("", f"{prefix}:"), (f"{prefix}-{number}:" for number in count(2)))
    return next(
        key
        for key in (f"{before}{name}" for before in prefixes)
        if (last := tx.memories.last(ns, key)) is None
        or last.deleted_at is not None
        or "section" not in last.meta
    )
