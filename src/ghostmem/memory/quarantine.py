"""quarantine: hold suspicious content where no retrieval reads it, until it is released or dropped.

Content is suspicious when it does not come from the user and reads like instructions to the agent.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ghostmem.caller import AGENT
from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.memory.draft import NEVER, Draft
from ghostmem.model import (
    LOCKED,
    THREAD,
    FileRef,
    FileRel,
    Held,
    Kind,
    Memory,
    Outcome,
    Record,
    SourceKind,
    SymbolRef,
    optional,
    plain,
)
from ghostmem.settings import Settings
from ghostmem.store import Store, Transaction, put_fields, validate

MIN_ID = 4  # characters of an abbreviated id
# Arguments of a put that are kept with its fields; the base version is out of date at release.
_PUT_OPTIONS = ("ttl", "unlock", "dedup", "supersedes")
_NAMES = ("source_user", "source_scope", "source_client")
MAX_NAME, MAX_NAME_WORDS = 128, 6  # characters and words of a name in foreign text
NO_NAME = "has a sentence where a name belongs"
SOURCES = "source_keys"  # the keys of the memories that a summary contains


@frozen
class Dropped(Record):
    """The ids dropped from the quarantine, and the backups that still contain them.

    `unchecked_backups` cannot be read, and `pending` says why the file could not be scrubbed yet.
    """

    dropped: tuple[str, ...]
    dry_run: bool = False
    backups: tuple[str, ...] = optional(())
    pending: str = optional("")
    unchecked_backups: tuple[str, ...] = optional(())


class Labels(NamedTuple):
    """The short texts of a memory: names of its source, and its key, tags, files and meta."""

    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


NO_LABELS = Labels()


def is_foreign(
    source: SourceKind | None, current: Memory | None = None, *, from_file: bool = False
) -> bool:
    """Say whether a text is not the user's own: the one rule for every way in which text arrives.

    A text without a source has the one of the `current` version of its key. What an agent or the
    holder of a token puts without a source is not the user's, and neither is the text of a file,
    whatever source it names."""
    if from_file or source is not None:
        return from_file or source is not SourceKind.STATED
    return AGENT.get() or (current is not None and not current.from_user)


def quarantine_reasons(
    store: Store, tx: Transaction, draft: Draft, *, from_file: bool = False
) -> tuple[str, ...]:
    """Return the reasons to hold a draft in quarantine; none when it can be stored."""
    return draft_reasons(
        store.settings,
        draft,
        tx.memories.current(draft.ns, draft.key, store.clock()),
        from_file=from_file,
    )


def draft_reasons(
    settings: Settings, draft: Draft, current: Memory | None, *, from_file: bool = False
) -> tuple[str, ...]:
    """Return the reasons to hold a draft, if it is foreign.

    Content and labels of the current version were accepted before and pass."""
    if not is_foreign(draft.fields.get("source_kind"), current, from_file=from_file):
        return ()
    content, labels = draft.content, labels_of(draft.key, draft.fields)
    if current is not None:
        accepted = labels_of(current.key, vars(current))
        content = "" if current.content == content else content
        labels = Labels(
            tuple(name for name in labels.names if name not in accepted.names),
            tuple(text for text in labels.texts if text not in accepted.texts),
        )
    return instruction_reasons(settings, content, labels)


def labels_of(key: str, fields: Mapping[str, Any]) -> Labels:
    """Return the labels of a key and the fields of its memory."""
    names = tuple(name for field in _NAMES if (name := fields.get(field)))
    paths = (file.path for file in fields.get("files") or ())
    # the items of a recorded thread are for programs, and shown to no agent
    meta = _strings(
        {name: value for name, value in (fields.get("meta") or {}).items() if name != THREAD}
    )
    return Labels(names, (key, *(fields.get("tags") or ()), *paths, *meta))


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts in metadata, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from chain(value, *map(_strings, value.values()))
    elif isinstance(value, list | tuple):
        yield from chain.from_iterable(map(_strings, value))


def instruction_reasons(
    settings: Settings, content: str, labels: Labels = NO_LABELS
) -> tuple[str, ...]:
    """Return the reasons why a foreign text or its labels look like instructions to an agent."""
    if not settings.quarantine:
        return ()
    from ghostmem.truth.injection import suspicions

    reasons_found = dict.fromkeys(suspicions(settings, content)) if content else {}
    # The judge reads no labels: words in capitals or joined by hyphens mislead it. A plain key that
    # was made of the content's words says nothing that the content does not.
    words, plain_label = _words(content), re.compile(r"[\w ./-]+", re.ASCII)
    texts = [
        text
        for text in (*labels.names, *labels.texts)
        if not (plain_label.fullmatch(text) and _words(text) in words)
    ]
    joined = ".\n".join(dict.fromkeys((*texts, *(re.sub(r"[-_./]+", " ", text) for text in texts))))
    reasons_found |= dict.fromkeys(suspicions(settings, joined, judged=False) if joined else ())
    if any(len(name) > MAX_NAME or len(name.split()) > MAX_NAME_WORDS for name in labels.names):
        reasons_found[NO_NAME] = None
    return tuple(reasons_found)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def hold_draft(
    store: Store,
    draft: Draft,
    reasons: Sequence[str],
    notes: Sequence[str],
    sources: Sequence[str] = (),
) -> Memory:
    """Hold a draft in a transaction of its own; the current version of its key stays."""
    with store.engine.write(within=(draft.ns,)) as tx:
        entry = hold(store, tx, draft, reasons, sources)
    return memory_of_held(draft, entry, notes)


def hold(
    store: Store, tx: Transaction, draft: Draft, reasons: Sequence[str], sources: Sequence[str] = ()
) -> Held:
    """Hold a draft in quarantine; the same text for the same key is held once.

    `sources` are the keys of the memories that a summary contains.
    """
    options = {name: getattr(draft, name) for name in _PUT_OPTIONS} | {SOURCES: list(sources)}
    return hold_once(
        store,
        tx,
        (draft.ns, draft.key),
        draft.content,
        plain({**draft.fields, **{name: value for name, value in options.items() if value}}),
        reasons,
    )


def hold_once(
    store: Store,
    tx: Transaction,
    place: tuple[str, str],
    content: str,
    fields: dict[str, Any],
    reasons: Sequence[str],
) -> Held:
    """Hold a content with its fields in quarantine, unless its key has the same item already."""
    for entry in tx.quarantine.at_key(*place):
        if (entry.content, entry.fields) == (content, fields):
            return entry
    now = store.clock()
    entry = Held(store.new_id(now), *place, content, fields, tuple(reasons), now)
    tx.quarantine.add(entry)
    return entry


def memory_of_held(
    draft: Draft, entry: Held, notes: Iterable[str] = (), *, dry_run: bool = False
) -> Memory:
    """Return a held draft as a memory of version 0, with a note that says how to release it."""
    visible = {
        name: value
        for name, value in draft.fields.items()
        if name.startswith("source_") or name == "tags"
    }
    return Memory(
        entry.id,
        draft.ns,
        draft.key,
        draft.content,
        draft.fields.get("kind", Kind.SEMANTIC),
        0,
        entry.at,
        outcome=Outcome.QUARANTINED,
        notes=(*notes, would_hold_note(entry.reasons) if dry_run else held_note(entry)),
        **visible,
    )


def held_note(entry: Held) -> str:
    """Return a note that an item is held, with the reasons and the command that releases it."""
    return (
        f"held in quarantine, where nothing reads it: {'; '.join(entry.reasons)}; "
        f"to store it: ghost quarantine release {entry.id}"
    )


def would_hold_note(reasons: Iterable[str]) -> str:
    """Return a note that an item would be held, with the reasons."""
    return f"would be held in quarantine: {'; '.join(reasons)}"


def quarantined(store: Store, ns: str | None = None) -> list[Held]:
    """Return the quarantined memories, oldest first; no other operation reads them.

    Args:
        ns: Namespace, a prefix such as "agent:*", or None for all.
    """
    with store.engine.read() as tx:
        return tx.quarantine.all(validate.ns_filter(ns))


def find_held(store: Store, held_id: str, ns: str | None = None) -> Held:
    """Return a quarantined memory by its id, or by the start or end of its id.

    Args:
        held_id: Id of the quarantined memory, or its start or end.
        ns: Namespace, a prefix such as "agent:*", or None for all.

    Raises:
        NotFoundError: No id matches.
        InvalidInputError: Several ids match.
    """
    with store.engine.read() as tx:
        return _find(tx, held_id, ns)


def drop(
    store: Store, held_ids: Iterable[str], ns: str | None = None, *, dry_run: bool = False
) -> Dropped:
    """Delete quarantined memories permanently; the result lists backups that contain them.

    Args:
        held_ids: Ids of the quarantined memories.
        ns: Namespace, a prefix such as "agent:*", or None for all.
        dry_run: Change nothing; report what would happen.
    """
    validate.flags(dry_run=dry_run)
    ids = validate.texts(held_ids, "ids", "id")
    with store.engine.write(dry_run=dry_run) as tx:
        items = {item.id: item for item in (_find(tx, id_, ns) for id_ in ids)}
        backups = tx.backups.all()
        for id_ in items:
            tx.quarantine.drop(id_)
        if items:
            tx.owe_scrub()
    if not items:
        return Dropped((), dry_run)
    copies = store.engine.copies_holding(
        backups, list(items), [item.content for item in items.values()]
    )
    return Dropped(
        tuple(items),
        dry_run,
        copies.holding,
        "" if dry_run else store.engine.scrub(),
        copies.unchecked,
    )


def draft_of_held(item: Held) -> Draft:
    """Return the draft that was held, validated like any put."""
    fields = dict(item.fields)
    options = {name: fields.pop(name) for name in _PUT_OPTIONS if name in fields}
    validate.texts(fields.pop(SOURCES, ()), SOURCES, "key")
    symbols, expires_at = fields.pop("symbols", None), fields.pop("expires_at", None)
    try:
        if fields.get("files") is not None:
            fields["files"] = [
                FileRef(str(file["path"]), FileRel(file["rel"])) for file in fields["files"]
            ]
        checked: dict[str, Any] = put_fields(**fields)
        if symbols is not None:
            checked["symbols"] = validate.symbols(
                [SymbolRef(**{**ref, "rel": FileRel(ref["rel"])}) for ref in symbols]
            )
        if expires_at is not None:
            checked["expires_at"] = as_time(expires_at, "expires_at")
    except (TypeError, KeyError, ValueError) as error:
        raise InvalidInputError(
            f"the quarantined item {item.id} has fields that no memory has: {error}"
        ) from None
    ttl, supersedes = options.get("ttl"), options.get("supersedes")
    if checked.get("pinned") or LOCKED in checked.get("tags", ()):
        ttl = NEVER  # the current version may expire by now
    return Draft(
        validate.namespace(item.ns),
        validate.key(item.key),
        validate.text(item.content, "content"),
        checked,
        ttl=None if ttl is None else validate.text(ttl, "ttl"),
        unlock=options.get("unlock") is True,
        dedup=options.get("dedup") is True,
        supersedes=None if supersedes is None else validate.key(supersedes),
    )


def _find(tx: Transaction, held_id: str, ns: str | None) -> Held:
    """Return the item with an id, or with an id that starts or ends with it."""
    short = validate.text(held_id, "id").strip().upper()
    items = tx.quarantine.all(validate.ns_filter(ns))
    matches = [item for item in items if item.id == short]
    for has_part in (str.startswith, str.endswith) if len(short) >= MIN_ID else ():
        matches = matches or [item for item in items if has_part(item.id, short)]
    if len(matches) > 1:
        raise InvalidInputError(
            f"{validate.shown(held_id)} matches {len(matches)} quarantined memories",
            f"give more of it, such as {matches[0].id}",
        )
    if not matches:
        raise missing(held_id)
    return matches[0]


def missing(held_id: str) -> NotFoundError:
    """Return the error for an id that is not in quarantine."""
    return NotFoundError(
        f"not in quarantine: {validate.shown(held_id)}",
        "`ghost quarantine list` shows the items in quarantine",
    )
