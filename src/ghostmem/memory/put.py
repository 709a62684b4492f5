"""put: store a memory, or the next version of one; `put_unnamed` makes its key of its words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from os import PathLike
from typing import Any, NamedTuple, Unpack

from ghostmem.clock import parse_ttl
from ghostmem.errors import GhostError, InvalidInputError, VersionConflictError
from ghostmem.memory.draft import NEVER, Draft, Prepared, prepare, read_current
from ghostmem.memory.quarantine import draft_reasons, hold_draft
from ghostmem.memory.redact import redact_content, redact_draft
from ghostmem.memory.verdict import Judgement, compare_draft, judge_prepared, read_ahead
from ghostmem.memory.write import check_expiry, dormant_note, write_put
from ghostmem.model import FileRef, Memory, SymbolRef
from ghostmem.store import (
    QUARANTINE,
    ChangedMeanwhileError,
    PutFields,
    Store,
    Transaction,
    again,
    put_fields,
    validate,
)
from ghostmem.text.redact import redact

REQUESTED = "its writer asked for quarantine"
MAX_WORDS = 8
MAX_LENGTH = 48  # characters of the words in a key
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class PutRequest(NamedTuple):
    """A checked put: the draft without secrets, notes on it, and whether it asks for quarantine."""

    draft: Draft
    notes: tuple[str, ...] = ()
    is_quarantined: bool = False

    @property
    def place(self) -> tuple[str, str]:
        """Return the namespace and key."""
        return self.draft.ns, self.draft.key


def check_put(
    store: Store,
    ns: str,
    key: str,
    content: str,
    *,
    ttl: str | None = None,
    base_version: int | None = None,
    unlock: bool = False,
    dedup: bool | None = None,
    supersedes: str | None = None,
    allow_secrets: bool = False,
    symbols: Iterable[SymbolRef | str | tuple[str, str]] | None = None,
    language: str | None = None,
    root: str | PathLike[str] | None = None,
    **named: Unpack[PutFields],
) -> PutRequest:
    """Check the parameters of a put, redact secrets and resolve symbols; nothing is written.

    Args:
        base_version: Succeed only if this is the current version (0: the key must be new).
        unlock: Replace a memory tagged `locked`.
        dedup: Let a restatement reinforce the memory it restates, and keep its wording there.
        supersedes: The key of a memory that this one replaces and closes.
        allow_secrets: Store keys, tokens and passwords instead of redacting them.
        symbols: Full or partial names of code symbols in `root` (default: the working folder).
        language: The language of the symbols, where the files do not show it.
    """
    validate.flags(unlock=unlock, dedup=dedup, allow_secrets=allow_secrets)
    is_quarantined = named.get("tier") == QUARANTINE
    if is_quarantined:
        named["tier"] = None
    fields = put_fields(**named)
    validate.period(fields)
    draft = Draft(
        validate.namespace(ns),
        validate.new_key(key),
        validate.content(content, store.settings.max_content_bytes),
        fields,
        ttl,
        None if base_version is None else validate.positive(base_version, "base version", least=0),
        unlock,
        store.settings.dedup if dedup is None else dedup,
        None if supersedes is None else validate.key(supersedes),
    )
    if ttl not in (None, NEVER):
        parse_ttl(ttl or "")
        check_expiry(draft, fields.get("pinned", False), fields.get("tags", ()))
    draft, notes = redact_draft(store.settings, draft, allow_secrets)
    if symbols is not None:
        draft, symbol_notes = _with_symbols(store, draft, symbols, language, root)
        notes = (*notes, *symbol_notes)
    return PutRequest(draft, notes, is_quarantined)


@again
def put(
    store: Store,
    ns: str,
    key: str,
    content: str,
    *,
    kind: str | None = None,
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    importance: float | None = None,
    tier: str | None = None,
    pinned: bool | None = None,
    ttl: str | None = None,
    meta: Mapping[str, Any] | None = None,
    files: Iterable[FileRef | str | tuple[str, str]] | None = None,
    symbols: Iterable[SymbolRef | str | tuple[str, str]] | None = None,
    language: str | None = None,
    root: str | PathLike[str] | None = None,
    source_user: str | None = None,
    source_kind: str | None = None,
    source_scope: str | None = None,
    source_client: str | None = None,
    created_at: datetime | str | None = None,
    valid_from: datetime | str | None = None,
    valid_to: datetime | str | None = None,
    base_version: int | None = None,
    dedup: bool | None = None,
    supersedes: str | None = None,
    unlock: bool = False,
    allow_secrets: bool = False,
) -> Memory:
    """Store a memory under (ns, key), or the next version of it, and return it.

    A new version inherits every field that is not given. Storing the same content and fields
    again adds no version: the memory is reinforced. Text that does not come from the user and
    looks like instructions is held in quarantine.

    Args:
        ns: Namespace, such as "agent:me".
        key: Key, short and descriptive, such as "user-timezone".
        content: Text of the memory.
        kind: "semantic", "episodic" or "procedural".
        tags: Tags of the memory.
        priority: "low", "normal", "high" or "critical".
        importance: From 0 to 1.
        tier: "sensory", "stm", "ltm" or "dormant"; "identity" is a pinned "ltm", and
            "quarantine" holds the memory back from every retrieval.
        pinned: Include it in every context; it never loses importance.
        ttl: Time until it expires, such as "7d"; "never" removes an expiry.
        meta: Your own data, stored with the memory.
        files: Files it is about: paths, or pairs of a path and what was done to the file.
        symbols: Symbols of code it is about, by their full or partial names.
        language: Language of the symbols, if the files do not show it.
        root: Project folder of the symbols; default: the working directory.
        source_user: Name of the person who said it.
        source_kind: "stated", "observed", "self", "peer" or "import".
        source_scope: Conversation, session or place it comes from.
        source_client: Program that stores it.
        created_at: When it was said; default: now.
        valid_from: Start of the time in which it is true.
        valid_to: End of the time in which it is true.
        base_version: Store only if this is the current version; 0: only if the key is new.
        dedup: When another memory says the same, reinforce it instead of storing this
            one; default: the setting `dedup`.
        supersedes: Key of the memory that this one replaces; that memory is retired.
        unlock: Also change a memory tagged `locked`.
        allow_secrets: Store keys, tokens and passwords instead of redacting them.

    Returns:
        The stored memory. Its `outcome` is "created", "updated", "reinforced" or
        "quarantined"; its `verdict` says whether it is new, or restates, updates or
        contradicts another memory of the namespace.

    Raises:
        VersionConflictError: `base_version` is not the current version.
        LockedError: The memory is tagged `locked`.
        ConflictError: The memory is the user's own statement, and `source_kind` is "observed",
            "peer" or "import".
        NotFoundError: There is no memory with the key `supersedes`.
    """
    request = check_put(**locals())
    draft, was_loading = request.draft, store.vectoriser.is_loading
    compared = None
    with store.engine.read(draft.ns) as tx:
        read_ahead(store, tx, draft)
        last = tx.memories.last(draft.ns, draft.key)
        current = last if last is not None and last.is_current(store.clock()) else None
        reasons = reasons_to_hold(store, request, current)
        if not reasons and store.vectoriser.is_near:
            compared = _compare(store, tx, draft, last, current)
    if reasons:
        return hold_draft(store, draft, reasons, request.notes)
    # a provider that may take long is asked outside of the transaction
    prepared, judgement = compared or compare_draft(store, draft, current)
    memory = _write(store, draft, prepared, judgement)
    if was_loading and not prepared.vectors and store.vectoriser.arrived:
        from ghostmem.memory.embedding import catch_up

        try:  # embed the memories written while the model was loading
            catch_up(store)
        except GhostError as error:
            store.vectoriser.problem = str(error)
    return with_notes(memory, request, prepared)


def _compare(
    store: Store, tx: Transaction, draft: Draft, last: Memory | None, current: Memory | None
) -> tuple[Prepared, Judgement]:
    """Chunk, embed and judge a draft in an open transaction.

    `last` is the last version of its key, `current` the same unless it was removed."""
    prepared = prepare(store, [(draft, current)], tx)[0]
    prepared, judgement = judge_prepared(store, tx, draft, prepared, current)
    if (
        store.engine.shared
        and last is None
        and not draft.dedup
        and draft.supersedes is None
        and judgement.memory is None
    ):
        prepared = prepared._replace(new_in=tx.search.space(draft.ns))
    return prepared, judgement


def _write(store: Store, draft: Draft, prepared: Prepared, judgement: Judgement) -> Memory:
    """Write a draft, again with another look at the store if that has changed meanwhile."""
    try:
        with store.engine.write(within=(draft.ns,)) as tx:
            return write_put(store, tx, draft, prepared, judgement)
    except ChangedMeanwhileError:
        if prepared.new_in is None:
            raise
    return _write(store, draft, prepared._replace(new_in=None), judgement)


def with_notes(memory: Memory, request: PutRequest, prepared: Prepared) -> Memory:
    """Return a memory that was put with the notes on its put."""
    notes, chunks = [*request.notes], len(prepared.rows)
    if prepared.vectors and (missing := chunks - len(prepared.vectors)):
        notes.append(
            f"{missing:,} of {chunks:,} chunks have no vectors yet: "
            "`ghost embed backfill` adds them"
        )
    notes += dormant_note(memory, request.draft)
    if request.draft.fields.get("pinned") and not memory.pinned:
        notes.append(f"not pinned, because it comes from others ({memory.source_kind})")
    return replace(memory, notes=tuple(notes)) if notes else memory


def reasons_to_hold(store: Store, request: PutRequest, current: Memory | None) -> tuple[str, ...]:
    """Return the reasons to hold a put in quarantine."""
    return (
        (REQUESTED,)
        if request.is_quarantined
        else draft_reasons(store.settings, request.draft, current)
    )


def _with_symbols(
    store: Store,
    draft: Draft,
    symbols: Iterable[SymbolRef | str | tuple[str, str]],
    language: str | None,
    root: str | PathLike[str] | None,
) -> tuple[Draft, Sequence[str]]:
    """Resolve the symbols that a draft names; an ambiguous one is linked by its files instead."""
    if not (names := validate.items(symbols, "symbols", "'a.b', 'c'")):
        return replace(draft, fields={**draft.fields, "symbols": ()}), ()
    from ghostmem.outline.symbols import resolve

    files: Iterable[FileRef] | None = draft.fields.get("files")
    resolved = resolve(store, names, language, root, [file.path for file in files or ()])
    fields: dict[str, Any] = {**draft.fields, "symbols": validate.symbols(resolved.symbols)}
    if resolved.files:
        if files is None and (current := read_current(store, draft)) is not None:
            files = current.files
        fields["files"] = validate.files([*resolved.files, *(files or ())])
    return replace(draft, fields=fields), resolved.notes


def put_unnamed(store: Store, ns: str, content: str, **fields: Any) -> Memory:
    """Store a text under a new key; the same text again keeps the key it has.

    A key that ever belonged to another text is not used, even if another process takes it in the
    same moment. Secrets in the text do not become part of the key.
    """
    if fields.get("base_version") is not None:
        raise InvalidInputError(
            f"base version {fields['base_version']} needs a key", "give the key of the memory"
        )
    stored = redact_content(store.settings, content, bool(fields.get("allow_secrets"))).content
    name = key = key_from_text(content)
    number = 1
    while True:
        with store.engine.read() as tx:
            last = tx.memories.last(ns, key)
        if last is not None and last.content != stored:  # another text has the key
            number += 1
            key = f"{name}-{number}"
            continue
        base = last.version if last is not None and last.is_current(store.clock()) else 0
        try:
            return put(store, ns, key, content, **{**fields, "base_version": base})
        except VersionConflictError:
            continue  # somebody else was faster: look again at whose key this is


def key_from_text(content: str) -> str:
    """Return the first words of a text as a key, without secrets."""
    from ghostmem.text.sections import slug

    words = _WORD.findall(redact(content[: MAX_LENGTH * 100])[0][: MAX_LENGTH * 10])[:MAX_WORDS]
    name = slug(" ".join(words)) if words else "note"
    return (
        name
        if len(name) <= MAX_LENGTH
        else name[: MAX_LENGTH + 1].rpartition("-")[0] or name[:MAX_LENGTH]
    )
