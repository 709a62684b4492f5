"""Find statements worth remembering in a text, a transcript or a list, and put each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ghostmem.capture.candidates import MAX_CANDIDATES, MIN_IMPORTANCE, Captured, best
from ghostmem.capture.candidates import candidates as find_candidates
from ghostmem.capture.keys import key_of, kind_of, other_key
from ghostmem.capture.transcripts.base import USER
from ghostmem.capture.transcripts.choose import AUTO, TranscriptReport, read_turns
from ghostmem.errors import GhostError, InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.judge import find_judge
from ghostmem.memory.draft import Draft, read_current
from ghostmem.memory.put import put
from ghostmem.memory.quarantine import quarantine_reasons, would_hold_note
from ghostmem.memory.redact import RedactedContent, redact_content
from ghostmem.memory.verdict import compare_draft
from ghostmem.model import CAPTURED, Kind, Outcome, Record, Sort, SourceKind, optional
from ghostmem.schema import check
from ghostmem.store import Store, put_fields, validate
from ghostmem.text.capture import lines_of_speaker

FIELDS = (
    "tier",
    "priority",
    "meta",
    "files",
    "source_user",
    "source_kind",
    "source_scope",
    "source_client",
    "valid_from",
    "valid_to",
)
_TEXT = {"type": "string", "minLength": 1}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["content"],
    "additionalProperties": False,
    "properties": {
        "key": {
            **_TEXT,
            "maxLength": validate.MAX_KEY,
            "description": "short and descriptive, such as user-timezone",
        },
        "content": {
            **_TEXT,
            "description": "what to remember, in a sentence that can be understood alone",
        },
        "kind": {"type": "string", "enum": [*Kind, *(sort.value for sort in Sort)]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 50},
        "importance": {"type": "number", "minimum": 0, "maximum": 1},
        "tier": {"type": "string", "enum": ["sensory", "stm", "ltm"]},
        "priority": {"type": "string", "enum": ["low", "normal", "high", "critical"]},
        "meta": {"type": "object"},
        "files": {"type": "array", "items": {"type": "string"}, "maxItems": 200},
        "source_user": _TEXT,
        # A model cannot claim that the user stated it; the caller can, with source_kind.
        "source_kind": {"type": "string", "enum": ["observed", "self", "peer", "import"]},
        "source_scope": _TEXT,
        "source_client": _TEXT,
        "valid_from": _TEXT,
        "valid_to": _TEXT,
        "reason": {"type": "string"},
        "score": {"type": "number"},
        # of candidates that the original Ghost found; they are not stored
        "cues": {"type": "array", "items": {"type": "string"}},
        "entities": {"type": "array", "items": {"type": "string"}},
    },
}
MAX_GIVEN = 1_000  # candidates of a model
NO_LIMIT = -1  # for `most`


WITHOUT_JUDGE = (
    "only statements with explicit phrases were found, because the judge was not used; "
    "the setting judge = on uses it with every provider"
)


@frozen
class CaptureReport(Record):
    """The candidates of a capture, those refused with the reason, and notes about the source."""

    dry_run: bool
    candidates: tuple[Captured, ...] = ()
    refused: tuple[str, ...] = optional(())
    notes: tuple[str, ...] = optional(())

    @property
    def stored(self) -> int:
        """Return the number of candidates that became memories."""
        return sum(
            candidate.outcome in (Outcome.CREATED, Outcome.UPDATED) for candidate in self.candidates
        )


@dataclass(frozen=True)
class _CaptureRun:
    store: Store
    source: Mapping[str, str]
    least: float
    most: int
    speaker: str | None
    kind: Kind | None
    dedup: bool
    allow_secrets: bool
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def screen(self, text: str) -> RedactedContent:
        """Return a text without secrets."""
        return redact_content(self.store.settings, text, self.allow_secrets)

    def candidates(self, text: str, origin: Mapping[str, Any]) -> list[Captured]:
        """Return the statements of a text of the user that are worth remembering."""
        judge = find_judge(self.store.settings)
        if judge is None and self.store.settings.judge != "off" and WITHOUT_JUDGE not in self.notes:
            self.notes.append(WITHOUT_JUDGE)
        fields = {"source_kind": SourceKind.STATED, **origin, **self.source}
        return [
            replace(candidate, fields=fields)
            for candidate in find_candidates(text, judge, least=self.least, most=self.most)
        ]


def capture(
    store: Store,
    text: str | None,
    ns: str,
    *,
    candidates: Iterable[Mapping[str, Any]] | None = None,
    transcript: str | Path | None = None,
    format: str = AUTO,  # noqa: A002 (the option's name)
    least: float = MIN_IMPORTANCE,
    most: int = MAX_CANDIDATES,
    kind: str | None = None,
    tags: Iterable[str] | None = None,
    speaker: str | None = None,
    source_user: str | None = None,
    source_kind: str | None = None,
    source_scope: str | None = None,
    source_client: str | None = None,
    dedup: bool = True,
    allow_secrets: bool = False,
    dry_run: bool = False,
) -> CaptureReport:
    """Find facts worth remembering in a text or transcript and store them, without an LLM.

    Args:
        text: Text to read; None with `transcript` or `candidates`.
        ns: Namespace of the memories.
        candidates: Candidates that a model made, instead of a text.
        transcript: Recorded conversation, or a folder of them, whose user turns are read.
        format: Program that recorded the transcript; "auto" detects it.
        least: Minimum score of a candidate.
        most: Maximum number of candidates, of which the strongest are kept; -1: no limit.
        kind: Kind of every memory, instead of the one that its words suggest.
        tags: Tags of the memories.
        speaker: In a text with labels such as `User:`, read only what this speaker says.
        source_user: Name of the person who said it.
        source_kind: "stated", "observed", "self", "peer" or "import".
        source_scope: Conversation, session or place it comes from.
        source_client: Program that stores it.
        dedup: Reinforce a memory that says the same instead of storing a candidate.
        allow_secrets: Store keys, tokens and passwords instead of redacting them.
        dry_run: Change nothing; report what would happen.
    """
    validate.flags(dedup=dedup, allow_secrets=allow_secrets, dry_run=dry_run)
    validate.namespace(ns)
    if sum(source is not None for source in (text, candidates, transcript)) != 1:
        raise InvalidInputError(
            "capture takes one source", "give a text, a transcript, or candidates"
        )
    if speaker is not None and text is None:
        raise InvalidInputError(
            "a speaker was given without a text",
            "leave it out: of a transcript only the user's turns are read",
        )
    validate.share(least, "least (--min)")
    most = MAX_GIVEN if most == NO_LIMIT else validate.positive(most, "most (--max)")
    sources = {
        "source_user": source_user,
        "source_kind": source_kind,
        "source_scope": source_scope,
        "source_client": source_client,
    }
    source = {name: value for name, value in sources.items() if value is not None}
    put_fields(**source)  # type: ignore[arg-type]
    run = _CaptureRun(
        store,
        source,
        least,
        most,
        validate.label(speaker, "speaker"),
        validate.choice(kind, Kind, "kind"),
        dedup,
        allow_secrets,
    )
    captured = (
        list(_from_candidates(run, candidates))
        if candidates is not None
        else _from_transcript(run, Path(transcript), format)
        if transcript is not None
        else _from_text(run, validate.text(text, "text"))
    )
    extra = validate.tags(tags) or ()
    results = [_put(run, ns, candidate, extra, dry_run) for candidate in captured]
    return CaptureReport(
        dry_run,
        tuple(result for result in results if result is not None),
        tuple(run.refused),
        tuple(run.notes),
    )


def _from_text(run: _CaptureRun, text: str) -> list[Captured]:
    # before a key is made from it
    screened = run.screen(text if run.speaker is None else lines_of_speaker(text, run.speaker))
    run.notes.extend(screened.notes)
    return run.candidates(screened.content, {})


def _from_transcript(run: _CaptureRun, path: Path, format_name: str) -> list[Captured]:
    report = TranscriptReport()
    candidates: list[Captured] = []
    for turn in read_turns(path, format_name, report):
        if turn.role != USER:
            continue
        try:
            text = run.screen(turn.text).content
        except InvalidInputError as error:
            report.note(f"left out a turn of {turn.session}: {error.message}")
            continue
        origin = {
            "source_scope": turn.session,
            "source_client": turn.client,
            "source_user": turn.name,
            "created_at": turn.at,
        }
        candidates += run.candidates(text, {name: value for name, value in origin.items() if value})
    run.notes.extend(report.notes)
    return best(candidates, run.least, run.most)


def _from_candidates(
    run: _CaptureRun, candidates: Iterable[Mapping[str, Any]]
) -> Iterator[Captured]:
    """Check the candidates of a model one by one, and add the invalid ones to `refused`."""
    if isinstance(candidates, str | bytes | Mapping) or not isinstance(candidates, Iterable):
        raise InvalidInputError(
            "candidates must be a list of objects", 'write them as [{"key": "…", "content": "…"}]'
        )
    listed: Sequence[Any] = list(candidates)
    if len(listed) > MAX_GIVEN:
        raise InvalidInputError(
            f"{len(listed):,} candidates are more than {MAX_GIVEN:,}",
            "give them in several calls",
        )
    for number, candidate in enumerate(listed, 1):
        if isinstance(candidate, Mapping):  # models send null for a field that they leave out
            candidate = {name: value for name, value in candidate.items() if value is not None}
        try:
            check(candidate, SCHEMA)
            yield _checked(candidate, run.source)
        except InvalidInputError as error:
            run.refused.append(f"candidate {number}: {error.message} ({error.hint})")


def _checked(candidate: Mapping[str, Any], source: Mapping[str, str]) -> Captured:
    name = candidate.get("kind")
    sort = Sort(name) if name is not None and name not in set(Kind) else None
    content = validate.text(candidate["content"], "content").strip()
    if not content:
        raise InvalidInputError("content is required", "say what to remember")
    kind = kind_of(sort, content) if sort else Kind(name or Kind.SEMANTIC)
    sort = Sort.BOUNDARY if sort is Sort.HEALTH else sort
    key = validate.new_key(candidate.get("key") or key_of(content, sort or Sort.FACT))
    tags = [
        CAPTURED,
        *([sort.value] if sort else []),
        *(validate.tags(candidate.get("tags")) or ()),
    ]
    fields = {
        "source_kind": SourceKind.OBSERVED,
        **{name: candidate[name] for name in FIELDS if name in candidate},
        **source,
    }
    validate.period(put_fields(**fields))
    return Captured(
        key,
        content,
        kind,
        candidate.get("importance"),
        sort,
        tuple(dict.fromkeys(tags)),
        (candidate["reason"],) if candidate.get("reason") else (),
        fields=fields,
    )


def _put(
    run: _CaptureRun, ns: str, candidate: Captured, extra: tuple[str, ...], dry_run: bool
) -> Captured | None:
    """Put a candidate, or only judge it with `dry_run`; None if it was refused."""
    candidate = replace(
        candidate,
        kind=run.kind or candidate.kind,
        tags=tuple(dict.fromkeys([*candidate.tags, *extra])),
    )
    try:
        candidate = replace(candidate, key=_free_key(run, ns, candidate))
        fields = {
            **candidate.fields,
            "kind": candidate.kind,
            "tags": candidate.tags,
            "importance": candidate.importance,
        }
        if dry_run:
            return _judge(run, ns, candidate, fields)
        memory = put(
            run.store,
            ns,
            candidate.key,
            candidate.content,
            dedup=run.dedup,
            allow_secrets=run.allow_secrets,
            **fields,
        )
    except GhostError as error:
        if error.exit_code not in (2, 4):  # the store is broken, not the candidate
            raise
        run.refused.append(f"{candidate.key}: {error.message}")
        return None
    return replace(
        candidate,
        verdict=memory.verdict,
        outcome=memory.outcome,
        stored_as=memory.key if memory.key != candidate.key else None,
        notes=memory.notes,
    )


def _free_key(run: _CaptureRun, ns: str, candidate: Captured) -> str:
    """Return the key of a candidate, with a suffix if a memory with another text has it."""
    content = run.screen(candidate.content).content
    with run.store.engine.read() as tx:
        current = tx.memories.current(ns, candidate.key, run.store.clock())
    is_taken = current is not None and current.content != content
    return other_key(candidate.key, candidate.content) if is_taken else candidate.key


def _judge(run: _CaptureRun, ns: str, candidate: Captured, fields: Mapping[str, Any]) -> Captured:
    """Return a candidate with the verdict it would get, or as quarantined."""
    store = run.store
    draft = Draft(ns, candidate.key, candidate.content, put_fields(**fields), dedup=run.dedup)
    with store.engine.read() as tx:
        reasons = quarantine_reasons(store, tx, draft)
    if reasons:
        return replace(candidate, outcome=Outcome.QUARANTINED, notes=(would_hold_note(reasons),))
    _, judgement = compare_draft(store, draft, read_current(store, draft))
    return replace(candidate, verdict=judgement.verdict)
