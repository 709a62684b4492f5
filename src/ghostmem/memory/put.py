"""put: store a memory, or the next version of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ghostmem.clock import parse_ttl
from ghostmem.errors import GhostError, InvalidInputError
from ghostmem.memory.draft import NEVER, Draft, prepare
from ghostmem.memory.settle import judged, settle
from ghostmem.model import Memory
from ghostmem.store import validate
from ghostmem.store.fields import put_fields
from ghostmem.store.retry import again
from ghostmem.store.store import Store
from ghostmem.truth.suspect import suspected

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    from ghostmem.model import FileRef, SymbolRef
    from ghostmem.store.fields import Named

    class PutFields(Named, total=False):
        """What a put may name beside namespace, key and content."""

        ttl: str | None
        base_version: int | None
        unlock: bool
        dedup: bool | None
        supersedes: str | None
        allow_secrets: bool
        symbols: Iterable[SymbolRef | str | tuple[str, str]] | None
        language: str | None
        root: str | Path | None


QUARANTINE = "quarantine"  # the tier of what no retrieval reads
ASKED = "put there by whoever wrote it"


@again
def put(
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
    root: str | Path | None = None,
    **named: Unpack[Named],
) -> Memory:
    """Store a memory under (ns, key).

    An existing key gets a new version that inherits what is not named.

    The same content and fields again is no new version: the memory is reinforced. With
    `base_version` the put succeeds only if that is the current version (0: the key must be new). A
    memory tagged `locked` needs `unlock`. The returned memory has a
    verdict: whether it is new, or restates, updates or contradicts another of the namespace, and
        why. With `dedup` a restatement
    reinforces the other memory instead of being stored, and its wording is kept there. `supersedes`
    names a key that this one
    replaces: that one's truth ends. Keys, tokens and passwords are redacted unless `allow_secrets`.
        What does not come from the
    user and looks like instructions is held in quarantine. `symbols` are names, whole or in part,
    of what the memory is about in the code of `root` (the working folder), in a `language` that the
    files may tell."""
    held = named.get("tier") == QUARANTINE
    if held:
        named["tier"] = None
    fields = put_fields(**named)
    if ttl not in (None, NEVER):
        parse_ttl(ttl or "")
    draft = Draft(
        validate.namespace(ns),
        validate.key(key),
        validate.content(content, store.settings.max_content_bytes),
        fields,
        ttl,
        None if base_version is None else validate.positive(base_version, "base version", least=0),
        unlock,
        store.settings.dedup if dedup is None else dedup,
        None if supersedes is None else validate.key(supersedes),
    )
    notes: Sequence[str] = ()
    if not allow_secrets and store.settings.secrets != "allow":
        from ghostmem.memory.screen import screen_draft

        draft, notes = screen_draft(store.settings, draft)
    if symbols is not None:
        draft, more = _with_symbols(store, draft, symbols, language, root)
        notes = (*notes, *more)
    if reasons := (ASKED,) if held else _suspected(store, draft):
        return _held(store, draft, reasons, notes)
    early = store.vectoriser.is_loading
    prepared = prepare(store, draft)
    found = judged(store, draft, prepared)
    if prepared.vectors and len(prepared.vectors) < len(prepared.rows):
        left = len(prepared.rows) - len(prepared.vectors)
        notes = (
            *notes,
            f"{left:,} of {len(prepared.rows):,} chunks have no vectors yet: `ghost embed "
            "backfill` makes them",
        )
    with store.engine.write(within=(draft.ns,)) as tx:
        memory = settle(store, tx, draft, prepared, found)
    if early and not prepared.vectors and store.vectoriser.arrived:
        _catch_up(store)
    return replace(memory, notes=tuple(notes)) if notes else memory


def _with_symbols(
    store: Store,
    draft: Draft,
    symbols: Iterable[SymbolRef | str | tuple[str, str]],
    language: str | None,
    root: str | Path | None,
) -> tuple[Draft, Sequence[str]]:
    """Find the symbols that a draft names, before anything is locked.

    One that is not clear is linked by its files instead.
    """
    if isinstance(symbols, str):
        raise InvalidInputError(
            f"symbols must be a list, not the text {validate.shown(symbols)}",
            "pass symbols=['a.b', 'c']",
        )
    names = list(symbols)
    if not names:
        return replace(draft, fields={**draft.fields, "symbols": ()}), ()
    from ghostmem.outline.symbols import resolve

    files: Iterable[FileRef] | None = draft.fields.get("files")
    found = resolve(store, names, language, root, [file.path for file in files or ()])
    fields: dict[str, Any] = {**draft.fields, "symbols": validate.symbols(found.symbols)}
    if found.files:
        fields["files"] = validate.files(
            [*found.files, *(_files_of(store, draft) if files is None else files)]
        )
    return replace(draft, fields=fields), found.notes


def _suspected(store: Store, draft: Draft) -> tuple[str, ...]:
    with store.engine.read() as tx:
        return suspected(store, tx, draft)


def _held(store: Store, draft: Draft, reasons: tuple[str, ...], notes: Sequence[str]) -> Memory:
    """Put a draft where no retrieval reads it; whatever is current under its key stays so."""
    from ghostmem.memory.quarantine import hold, memory_of

    with store.engine.write(within=(draft.ns,)) as tx:
        held = hold(store, tx, draft, reasons)
    return memory_of(draft, held, notes)


def _files_of(store: Store, draft: Draft) -> Sequence[FileRef]:
    """Return the files that a new version would take over."""
    with store.engine.read() as tx:
        current = tx.memories.current(draft.ns, draft.key, store.clock())
        return () if current is None else tx.memories.with_refs([current])[0].files


def _catch_up(store: Store) -> None:
    """Give vectors to what was written while the model came.

    The put is done, so nothing of this may fail it.
    """
    from ghostmem.memory.embedding import catch_up

    try:
        catch_up(store)
    except GhostError as error:
        store.vectoriser.problem = str(error)
