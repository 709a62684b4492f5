"""capture: what a text, a conversation or a model offers as worth remembering, stored through the
gate of verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.capture.ingest_transcript import TranscriptReport, spoken
from ghostmem.capture.rules.capture import (
    LEAST,
    MOST,
    TAG,
    Candidate,
    best,
    key_of,
    kind_of,
    other_key,
)
from ghostmem.capture.rules.capture import candidates as worth_remembering
from ghostmem.capture.transcripts.base import USER
from ghostmem.capture.transcripts.choose import AUTO
from ghostmem.errors import GhostError, InvalidInputError
from ghostmem.memory.draft import Draft, prepare
from ghostmem.memory.put import put
from ghostmem.memory.quarantine import would_hold
from ghostmem.memory.screen import screen
from ghostmem.memory.settle import judged
from ghostmem.model import Kind, Outcome, Record, Sort, SourceKind, Verdict, optional
from ghostmem.schema import check
from ghostmem.store import validate
from ghostmem.store.fields import put_fields
from ghostmem.store.store import Store
from ghostmem.truth.suspect import suspected

if TYPE_CHECKING:
    from typing import TypedDict

    class CaptureFields(TypedDict, total=False):
        """What a capture may name beside what it reads."""

        candidates: Iterable[Mapping[str, Any]] | None
        transcript: str | Path | None
        format: str
        least: float
        most: int
        tags: Iterable[str] | None
        source_user: str | None
        source_kind: str | None
        source_scope: str | None
        source_client: str | None
        allow_secrets: bool
        dry_run: bool


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
        # a model cannot say that the user said it: whoever calls may, with source_kind
        "source_kind": {"type": "string", "enum": ["observed", "self", "peer", "import"]},
        "source_scope": _TEXT,
        "source_client": _TEXT,
        "valid_from": _TEXT,
        "valid_to": _TEXT,
        "reason": {"type": "string"},
        "score": {"type": "number"},
    },
}
MOST_GIVEN = 1_000  # candidates of one call


@dataclass(frozen=True, eq=False, repr=False)
class Captured(Record):
    """A candidate and what became of it: its verdict, what the put did, and the key it is known by
    if that is another.
    """

    key: str
    content: str
    kind: Kind
    importance: float | None = optional()
    sort: Sort | None = optional()
    tags: tuple[str, ...] = optional(())
    reasons: tuple[str, ...] = optional(())
    verdict: Verdict | None = optional()
    outcome: Outcome | None = optional()
    stored_as: str | None = optional()
    notes: tuple[str, ...] = optional(())
    fields: Mapping[str, Any] = optional({})


@dataclass(frozen=True, eq=False, repr=False)
class CaptureReport(Record):
    """What was found, what of it was stored, what was refused and why, and what there is to say
    about the source.
    """

    dry_run: bool
    candidates: tuple[Captured, ...] = ()
    refused: tuple[str, ...] = optional(())
    notes: tuple[str, ...] = optional(())

    @property
    def stored(self) -> int:
        """Return how many became memories of their own."""
        return sum(one.outcome in (Outcome.CREATED, Outcome.UPDATED) for one in self.candidates)


@dataclass(eq=False, repr=False)
class _Gathered:
    """What was found so far."""

    found: list[Captured] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def capture(
    store: Store,
    text: str | None,
    ns: str,
    *,
    candidates: Iterable[Mapping[str, Any]] | None = None,
    transcript: str | Path | None = None,
    format: str = AUTO,  # noqa: A002 (the option's name)
    least: float = LEAST,
    most: int = MOST,
    tags: Iterable[str] | None = None,
    source_user: str | None = None,
    source_kind: str | None = None,
    source_scope: str | None = None,
    source_client: str | None = None,
    allow_secrets: bool = False,
    dry_run: bool = False,
) -> CaptureReport:
    """Find what is worth remembering and put it, each through the verdict gate: what restates a
    memory reinforces that one.

    What is read is a text, a `transcript` (the user's own turns of it), or `candidates` that a
    model made: objects with a content and, if wanted, key, kind, tags, importance and source. No
    model is asked. A text's sentences count as stated by the user, a model's candidates as
    observed, unless `source_kind` says otherwise. With `dry_run` nothing is stored."""
    validate.namespace(ns)
    if sum(given is not None for given in (text, candidates, transcript)) != 1:
        raise InvalidInputError(
            "capture takes one source", "give a text, a transcript, or candidates"
        )
    validate.share(least, "least")
    validate.positive(most, "most")
    named = {
        "source_user": source_user,
        "source_kind": source_kind,
        "source_scope": source_scope,
        "source_client": source_client,
    }
    source = {name: value for name, value in named.items() if value is not None}
    put_fields(**source)  # type: ignore[arg-type]
    into = _Gathered()
    if candidates is not None:
        into.found = list(_given(candidates, source, into))
    elif transcript is not None:
        into.found = _from_transcript(
            store, Path(transcript), format, source, least, most, allow_secrets, into
        )
    else:
        into.found = _from_text(
            store, validate.text(text, "text"), source, least, most, allow_secrets, into
        )
    extra = validate.tags(tags) or ()
    done = tuple(_gate(store, ns, one, extra, allow_secrets, dry_run, into) for one in into.found)
    return CaptureReport(
        dry_run,
        tuple(one for one in done if one is not None),
        tuple(into.refused),
        tuple(into.notes),
    )


def _from_text(
    store: Store,
    text: str,
    source: Mapping[str, str],
    least: float,
    most: int,
    allow_secrets: bool,
    into: _Gathered,
) -> list[Captured]:
    screened = screen(store.settings, text, allow_secrets)  # before anything is named after it
    into.notes += screened.notes
    return [
        _captured(one, {"source_kind": SourceKind.STATED, **source})
        for one in worth_remembering(screened.content, least=least, most=most)
    ]


def _from_transcript(
    store: Store,
    path: Path,
    kind: str,
    source: Mapping[str, str],
    least: float,
    most: int,
    allow_secrets: bool,
    into: _Gathered,
) -> list[Captured]:
    """Find what the user said that is worth remembering; the strongest of all sessions."""
    report = TranscriptReport()
    origins: dict[str, dict[str, Any]] = {}
    found: list[Candidate] = []
    for turn, client in spoken(path, kind, report):
        if turn.role != USER:
            continue
        try:
            text = screen(store.settings, turn.text, allow_secrets).content
        except InvalidInputError as error:
            report.note(f"left out a turn of {turn.session}: {error.message}")
            continue
        origin = {
            "source_scope": turn.session,
            "source_client": client,
            "source_user": turn.name,
            "created_at": turn.at,
        }
        for one in worth_remembering(text, least=least, most=most):
            origins.setdefault(
                one.content, {name: value for name, value in origin.items() if value}
            )
            found.append(one)
    into.notes += report.notes
    return [
        _captured(one, {"source_kind": SourceKind.STATED, **origins[one.content], **source})
        for one in best(found, least, most)
    ]


def _captured(one: Candidate, fields: Mapping[str, Any]) -> Captured:
    return Captured(
        one.key,
        one.content,
        one.kind,
        one.importance,
        one.sort,
        one.tags,
        one.reasons,
        fields=fields,
    )


def _given(
    given: Iterable[Mapping[str, Any]], source: Mapping[str, str], into: _Gathered
) -> Iterator[Captured]:
    """Check what a model made, one by one, and note what cannot be taken."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InvalidInputError(
            "candidates must be a list of objects", 'write them as [{"key": "…", "content": "…"}]'
        )
    listed: Sequence[Any] = list(given)
    if len(listed) > MOST_GIVEN:
        raise InvalidInputError(
            f"{len(listed):,} candidates are more than {MOST_GIVEN:,}", "give them in several calls"
        )
    for number, one in enumerate(listed, 1):
        try:
            check(one, SCHEMA)
            yield _checked(one, source)
        except InvalidInputError as error:
            into.refused.append(f"candidate {number}: {error.message} ({error.hint})")


def _checked(one: Mapping[str, Any], source: Mapping[str, str]) -> Captured:
    said = one.get("kind")
    sort = Sort(said) if said is not None and said not in set(Kind) else None
    content = validate.text(one["content"], "content").strip()
    if not content:
        raise InvalidInputError("content is required", "say what to remember")
    kind = kind_of(sort, content) if sort else Kind(said or Kind.SEMANTIC)
    sort = Sort.BOUNDARY if sort is Sort.HEALTH else sort
    key = validate.key(one.get("key") or key_of(content, sort or Sort.FACT))
    tags = tuple(
        dict.fromkeys(
            [TAG, *([sort.value] if sort else []), *(validate.tags(one.get("tags")) or ())]
        )
    )
    fields = {
        "source_kind": SourceKind.OBSERVED,
        **{name: one[name] for name in FIELDS if name in one},
        **source,
    }
    put_fields(**fields)
    reason = (one["reason"],) if one.get("reason") else ()
    return Captured(key, content, kind, one.get("importance"), sort, tags, reason, fields=fields)


def _gate(
    store: Store,
    ns: str,
    one: Captured,
    extra: tuple[str, ...],
    allow_secrets: bool,
    dry_run: bool,
    into: _Gathered,
) -> Captured | None:
    """Put a candidate, or only say what it would be to what is known."""
    one = replace(one, tags=tuple(dict.fromkeys([*one.tags, *extra])))
    try:
        one = replace(one, key=_own_key(store, ns, one, allow_secrets))
        named = {**one.fields, "kind": one.kind, "tags": one.tags, "importance": one.importance}
        if dry_run:
            return _foreseen(store, ns, one, named)
        memory = put(
            store, ns, one.key, one.content, dedup=True, allow_secrets=allow_secrets, **named
        )
    except GhostError as error:
        if error.exit_code not in (2, 4):  # the store is broken, not the candidate
            raise
        into.refused.append(f"{one.key}: {error.message}")
        return None
    return replace(
        one,
        verdict=memory.verdict,
        outcome=memory.outcome,
        stored_as=memory.key if memory.key != one.key else None,
        notes=memory.notes,
    )


def _own_key(store: Store, ns: str, one: Captured, allow_secrets: bool) -> str:
    """Return the candidate's key, or one with a mark of its text when another text has it: no key
    is overwritten by chance.
    """
    content = screen(store.settings, one.content, allow_secrets).content
    with store.engine.read() as tx:
        current = tx.memories.current(ns, one.key, store.clock())
    taken = current is not None and current.content != content
    return other_key(one.key, one.content) if taken else one.key


def _foreseen(store: Store, ns: str, one: Captured, named: Mapping[str, Any]) -> Captured:
    """Say what a candidate would be to what is known, or that it would be held in quarantine."""
    draft = Draft(ns, one.key, one.content, put_fields(**named), dedup=True)
    with store.engine.read() as tx:
        reasons = suspected(store, tx, draft)
    if reasons:
        return replace(one, outcome=Outcome.QUARANTINED, notes=(would_hold(reasons),))
    found = judged(store, draft, prepare(store, draft))
    return replace(
        one, verdict=Verdict(found.kind, found.memory.key if found.memory else None, found.evidence)
    )
