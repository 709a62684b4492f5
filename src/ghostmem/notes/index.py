"""One note in the store: each of its sections is a memory, changed in place, because the file is
its history.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.memory.draft import Draft
from ghostmem.memory.prepare import Prepared
from ghostmem.memory.quarantine import hold, looks_like_orders, told_of
from ghostmem.memory.remove import remove
from ghostmem.memory.screen import stored_copy
from ghostmem.memory.write import write_draft
from ghostmem.model import (
    LOCKED,
    FileRef,
    FileRel,
    Folder,
    Memory,
    Note,
    SourceKind,
    estimate_tokens,
)
from ghostmem.notes.scan import Read, modified
from ghostmem.store import validate
from ghostmem.store.indexing import index_rows, retag, tagged
from ghostmem.store.rows import IndexRow
from ghostmem.store.store import Store
from ghostmem.text.relations import relation_of

if TYPE_CHECKING:
    from ghostmem.model import Held
    from ghostmem.notes.layouts.base import Layout, Section
    from ghostmem.settings import Settings
    from ghostmem.store.protocol import Transaction

EMBEDDED = 2_000_000  # bytes of a file that gets vectors; a larger one is found by its words
_LONGEST, _PREFIX = 400, 80  # characters of a key, and of a folder's name before it
META = "note"
PARKED = "~"


class Indexed(NamedTuple):
    """What indexing a note came to: whether anything changed, or its names did, how many chunks
    have no vector, what is wrong.
    """

    changed: bool
    renamed: bool
    bare: int
    problem: str


class _Wanted(NamedTuple):
    """A section as it should be in the store."""

    section: Section
    text: str
    line: int
    hash: str


def index_note(
    store: Store,
    tx: Transaction,
    folder: Folder,
    layout: Layout,
    path: str,
    read: Read,
    note: Note | None,
    released: str | None = None,
) -> Indexed:
    """Bring the memories of a note's sections in step with its file.

    In a folder that is not the user's own, sections that look like instructions are held in
    quarantine instead, except for those that are searched already, and for the text that is
    `released` now."""
    known = tx.notes.at(folder.id, path)  # another process may have been here
    note = note or known
    if known is not None and note is not None and known.id != note.id:
        forget_note(store, tx, folder, known)
    problem = "is not UTF-8; what could not be read is shown as �" if read.text.lossy else ""
    if read.stat.size > store.settings.max_content_bytes:
        problem = (
            f"has {read.stat.size:,} bytes, more than GHOST_MAX_CONTENT_BYTES "
            f"({store.settings.max_content_bytes:,})"
        )
        reading = None
    else:
        reading = layout.read(path, read.text.text.replace("\x00", "\ufffd"), modified(read.stat))
    names = reading.names if reading else ()
    fresh = Note(
        note.id if note else store.new_id(store.clock()),
        path,
        read.stat,
        read.text.digest,
        names,
        problem,
    )
    wanted = [
        one
        for section in (reading.sections if reading else ())
        if (one := _wanted(store.settings, section)) is not None
    ]
    writer = _Writer(store, tx, folder, fresh, plain=read.stat.size > EMBEDDED)
    if folder.source_kind is not SourceKind.STATED:
        held = held_sections(tx, folder, note.path if note else path)
        wanted, told = writer.without_suspects(wanted, held, released)
        problem = "; ".join(filter(None, (problem, told)))
    tx.notes.put(folder.id, fresh._replace(problem=problem))
    changed = writer.bring(wanted)
    return Indexed(
        changed, writer.renamed or note is None or note.names != names, writer.bare, problem
    )


def forget_note(store: Store, tx: Transaction, folder: Folder, note: Note) -> None:
    """Remove a note's memories softly, keep their vectors for when the text comes back, and forget
    the file.
    """
    if folder.source_kind is not SourceKind.STATED:
        for held in held_sections(tx, folder, note.path):
            tx.quarantine.drop(held.id)
    found = tx.memories.by_ids(list(tx.notes.sections(note.id)))
    for memory in found.values():
        _let_go(store, tx, memory)
    tx.notes.drop(note.id)


def held_sections(tx: Transaction, folder: Folder, path: str) -> list[Held]:
    """Return the sections of a note that are held in quarantine."""
    file = str(PurePath(folder.root) / path)
    return [
        held
        for held in tx.quarantine.under_key(folder.ns, path[:_LONGEST])
        if file_of(held) == file
    ]


def file_of(held: Held) -> str | None:
    """Return the file whose section is held, or None when it is no section of a note."""
    meta, files = held.fields.get("meta"), held.fields.get("files")
    is_note = (
        isinstance(meta, Mapping) and META in meta and isinstance(files, list) and len(files) == 1
    )
    return (
        str(files[0]["path"])
        if is_note and files and isinstance(files[0], Mapping) and "path" in files[0]
        else None
    )


def park(tx: Transaction, memories: Iterable[Memory], now: datetime) -> None:
    """Give memories keys that nobody wants, so that they can exchange their own."""
    for memory in memories:
        tx.memories.change(memory, "note", now, key=f"{PARKED}{memory.id}")


def sections_of(tx: Transaction, note: Note) -> list[Memory]:
    """Return the live memories of a note."""
    found = tx.memories.by_ids(list(tx.notes.sections(note.id)))
    return [memory for memory in found.values() if memory.deleted_at is None]


def shares_a_section(store: Store, tx: Transaction, note: Note, read: Read) -> bool:
    """Say whether a file's text contains one of a note's sections."""
    said = [memory.content for memory in sections_of(tx, note)]
    if any(content in read.text.text for content in said):
        return True
    clean = stored_copy(store.settings, read.text.text)
    return clean != read.text.text and any(content in clean for content in said)


def without_secrets(settings: Settings, section: Section) -> Section:
    """Return a section as it is stored: no secret of the file comes into its text, its name, its
    tags or its links.
    """

    def clean(text: str) -> str:
        return stored_copy(settings, text)

    links = tuple((clean(word), clean(target)) for word, target in section.links)
    return section._replace(
        name=clean(section.name),
        text=clean(section.text),
        tags=tuple(map(clean, section.tags)),
        links=links,
    )


def _wanted(settings: Settings, section: Section) -> _Wanted | None:
    """Return a section as it is stored, without the blank lines around it, or nothing when there is
    no more.
    """
    section = without_secrets(settings, section)
    body = section.text.lstrip()
    skipped = section.text[: len(section.text) - len(body)]
    start = skipped.rfind("\n") + 1  # the first line keeps its indent
    text = section.text[start:].rstrip()
    if not text.strip():
        return None
    return _Wanted(
        section, text, section.line + skipped.count("\n"), hashlib.sha256(text.encode()).hexdigest()
    )


def _let_go(store: Store, tx: Transaction, memory: Memory) -> None:
    if memory.deleted_at is None:
        spare_vectors(store, tx, [memory])
        remove(tx, [memory], store.clock(), hard=False)
    links = tx.notes.links_of(memory.id)
    tx.notes.drop_section(memory.id)
    for word, _, to_id in links:
        if to_id is not None:
            drop_link_edge(tx, memory.id, word, to_id)


def spare_vectors(store: Store, tx: Transaction, memories: Iterable[Memory]) -> None:
    """Keep the vectors of memories that are about to change or go, for whoever has the same text
    next.
    """
    for memory in memories:
        tx.notes.spare(
            memory.id, _chunk_hashes(chunk.text for chunk in tx.index.chunks(memory)), store.clock()
        )


def _chunk_hashes(texts: Iterable[str]) -> list[str]:
    return [hashlib.sha256(text.encode()).hexdigest() for text in texts]


class _Writer:
    """Writes the sections of one note."""

    def __init__(
        self, store: Store, tx: Transaction, folder: Folder, note: Note, plain: bool
    ) -> None:
        self._store, self._tx, self._folder, self._note, self._plain = (
            store,
            tx,
            folder,
            note,
            plain,
        )
        self._now = store.clock()
        self._file = str(PurePath(folder.root) / note.path)
        self.bare = 0
        self.renamed = False

    def bring(self, wanted: Sequence[_Wanted]) -> bool:
        """Make the sections what they should be; say whether anything changed but their lines."""
        known = self._tx.notes.sections(self._note.id)
        memories = {
            m.id: m for m in self._tx.memories.by_ids(list(known)).values() if m.deleted_at is None
        }
        pairs = _paired(wanted, [(m.id, known[m.id][0], m.content) for m in memories.values()])
        kept = set(pairs)
        changed = False
        for gone in known.keys() - kept:
            changed = self.renamed = True
            if gone in memories:
                _let_go(self._store, self._tx, memories[gone])
            else:
                self._tx.notes.drop_section(gone)
        chosen = [
            (one, memories[memory_id])
            for one, memory_id in zip(wanted, pairs, strict=True)
            if memory_id is not None
        ]
        park(
            self._tx,
            (memory for one, memory in chosen if not self._is_mine(memory, one)),
            self._now,
        )
        for one, memory_id in zip(wanted, pairs, strict=True):
            memory = None if memory_id is None else memories[memory_id]
            written = self._create(one) if memory is None else self._rewrite(memory, one)
            changed = changed or written is not memory
            place = (one.section.name, one.line, one.hash)
            self.renamed = self.renamed or memory is None or known[memory.id][0] != one.section.name
            if memory is None or known[memory.id] != place:
                self._tx.notes.put_section(written.id, self._note.id, *place)
            changed = self._set_links(written.id, one.section.links) or changed
        return changed

    def without_suspects(
        self, wanted: Sequence[_Wanted], known: Sequence[Held], released: str | None
    ) -> tuple[list[_Wanted], str]:
        """Hold the sections that look like instructions.

        Return the others, and what there is to say about those held.

        A section that is among the `known` ones stays held under its id; what the file no longer
        says is dropped."""
        accepted = {memory.content for memory in sections_of(self._tx, self._note)} | {released}
        kept: list[_Wanted] = []
        held: list[Held] = []
        for one in wanted:
            reasons = () if one.text in accepted else self._suspected(one)
            if reasons:
                held.append(self._hold(one, known, reasons))
            else:
                kept.append(one)
        for gone in {one.id for one in known} - {one.id for one in held}:
            self._tx.quarantine.drop(gone)
        more = f" (and {len(held) - 1} more: ghost quarantine list)" if len(held) > 1 else ""
        return kept, f"{told_of(held[0])}{more}" if held else ""

    def _suspected(self, one: _Wanted) -> tuple[str, ...]:
        return looks_like_orders(self._store.settings, self._name(one), one.text, one.section.tags)

    def _hold(self, one: _Wanted, known: Sequence[Held], reasons: Sequence[str]) -> Held:
        key = validate.key(self._name(one))
        for held in known:
            if (held.key, held.content) == (key, one.text):
                return held
        fields = {
            **self._fields(one),
            "files": (FileRef(self._file, FileRel.READ),),
            "source_kind": self._folder.source_kind,
        }
        draft = Draft(self._folder.ns, key, one.text, fields, unlock=True)
        return hold(self._store, self._tx, draft, reasons)

    def _fields(self, one: _Wanted) -> dict[str, Any]:
        section = one.section
        tags = [
            tag
            for raw in section.tags
            if (tag := " ".join(raw.split())) and len(tag) <= validate.MAX_TAG and tag.isprintable()
        ]
        meta = {META: self._note.path, **({"section": section.name} if section.name else {})}
        # nobody but the file changes a note: maintenance and other writers leave what is locked
        # alone
        return {
            "kind": section.kind,
            "tier": section.tier,
            "tags": tuple(dict.fromkeys([*tags, LOCKED])),
            "meta": meta,
            "created_at": section.when,
        }

    def _name(self, one: _Wanted) -> str:
        """Return a section's path and name, shortened to what a key may have."""
        name = f"{self._note.path}#{one.section.name}" if one.section.name else self._note.path
        if len(name) > _LONGEST:
            name = f"{name[:_LONGEST]}~{hashlib.sha256(name.encode()).hexdigest()[:12]}"
        return name

    def _key(self, one: _Wanted, own: str | None) -> str:
        """Return the key of a section: its path and its name, or with the folder's name before
        where somebody else has that.
        """
        number, key = 1, (name := self._name(one))
        while not self._is_free(key, own):
            number += 1
            key = (
                f"{PurePath(self._folder.root).name[:_PREFIX]}/{name}"
                if number == 2
                else f"{name}~{number}"
            )
        return key

    def _is_free(self, key: str, own: str | None) -> bool:
        last = self._tx.memories.last(self._folder.ns, key)
        if last is None or last.deleted_at is not None or last.id == own:
            return True
        left = (
            last.locked and last.meta.get(META) == self._note.path
        )  # by an import or an earlier index
        return left and not self._tx.notes.places([last.id])

    def _create(self, one: _Wanted) -> Memory:
        key = validate.key(self._key(one, None))
        rows = self._rows(key, one.text)
        fields = {
            **self._fields(one),
            "files": (FileRef(self._file, FileRel.READ),),
            **self._counts(key),
        }
        draft = Draft(self._folder.ns, key, one.text, fields, unlock=True, quiet=True, revive=True)
        memory = write_draft(self._store, self._tx, draft, Prepared(rows))
        self._vectors(memory.id, rows, one.hash)
        return memory

    def _counts(self, key: str) -> dict[str, Any]:
        """Return how often a section that comes back was asked for before it was deleted."""
        last = self._tx.memories.last(self._folder.ns, key)
        if last is None or last.deleted_at is None or META not in last.meta:
            return {}
        return {
            name: getattr(last, name)
            for name in ("access_count", "utility_count", "last_accessed_at")
        }

    def _rewrite(self, memory: Memory, one: _Wanted) -> Memory:
        """Change a memory in place where it differs.

        The same memory comes back when it does not.
        """
        key = memory.key if self._is_mine(memory, one) else validate.key(self._key(one, memory.id))
        wanted = {**self._fields(one), "key": key, "content": one.text}
        new = {name: value for name, value in wanted.items() if getattr(memory, name) != value}
        if not new:
            return memory
        written = replace(memory, **new)
        if "key" in new or "content" in new:
            spare_vectors(self._store, self._tx, [memory])
            self._tx.index.remove(memory)
            new |= {"est_tokens": estimate_tokens(one.text), "recorded_at": self._now}
            if "key" in new:
                last = self._tx.memories.last(self._folder.ns, key)
                if last is not None and last.deleted_at is None and last.id != memory.id:
                    remove(
                        self._tx, [last], self._now, hard=False
                    )  # left by an import, or by an earlier index
                new["version"] = (
                    memory.version if last is None else max(memory.version, last.version + 1)
                )
                self._tx.notes.move_file(memory.id, self._file, self._now)
        self._tx.memories.change(memory, "note", self._now, **new)
        if "key" in new or "content" in new:
            rows = self._rows(key, one.text)
            self._tx.index.add(written, tagged(rows, written.tags))
            self._tx.index.wait(memory.id)
            self._vectors(memory.id, rows, one.hash)
        elif "tags" in new:
            retag(self._tx, memory, written.tags)
        return written

    def _is_mine(self, memory: Memory, one: _Wanted) -> bool:
        """Say whether a memory's key is already that of the section, or the best that could be had
        for it.
        """
        same = (
            memory.meta.get(META) == self._note.path
            and memory.meta.get("section", "") == one.section.name
        )
        return same and not memory.key.startswith(PARKED)

    def _rows(self, key: str, text: str) -> list[IndexRow]:
        rows = index_rows(key, text, self._store.settings.chunk_target)
        return [replace(row, chunker="") for row in rows] if self._plain else rows

    def _vectors(self, memory_id: str, rows: Sequence[IndexRow], section: str) -> None:
        """Take the vectors that were kept for these texts.

        Count those that are still to be made.
        """
        if self._plain:
            self._tx.graph.linked([memory_id])
            return
        self.bare += len(rows) - self._tx.notes.reuse(
            memory_id, _chunk_hashes(row.spoken for row in rows), section
        )

    def _set_links(self, memory_id: str, links: Sequence[tuple[str, str]]) -> bool:
        """Write down what a section links to; what no longer is takes its edge with it."""
        known = {
            (word, target): to_id for word, target, to_id in self._tx.notes.links_of(memory_id)
        }
        wanted = set(links)
        for (word, target), to_id in known.items():
            if (word, target) in wanted:
                continue
            self._tx.notes.drop_link(memory_id, word, target)
            if to_id is not None:
                drop_link_edge(self._tx, memory_id, word, to_id)
        for word, target in sorted(wanted - known.keys()):
            self._tx.notes.put_link(memory_id, word, target, None)
        return wanted != known.keys()


def drop_link_edge(tx: Transaction, memory_id: str, word: str, to_id: str) -> None:
    """Remove the edge that a link made, unless another link says the same."""
    rel, turned = relation_of(word)
    start, end = (to_id, memory_id) if turned else (memory_id, to_id)
    said = any(
        to == end and relation_of(other) == (rel, False)
        for other, _, to in tx.notes.links_of(start)
    )
    said = said or any(
        to == start and relation_of(other) == (rel, True) for other, _, to in tx.notes.links_of(end)
    )
    if not said:
        tx.graph.drop_edge(start, end, rel)


def _paired(wanted: Sequence[_Wanted], known: Iterable[tuple[str, str, str]]) -> list[str | None]:
    """Say which memory each section is, of those given as (id, name, text).

    It is the one of the same name and text, else of the same text, else of the same text under
    another heading, else of the same name; if one is left on either side, these are one."""
    pairs: list[str | None] = [None] * len(wanted)
    left = {memory_id: (name, text) for memory_id, name, text in known}
    for sign in _SIGNS:
        ids: dict[object, list[str]] = {}
        for memory_id, (name, text) in left.items():
            ids.setdefault(sign(name, text), []).append(memory_id)
        for at, one in enumerate(wanted):
            found = ids.get(sign(one.section.name, one.text))
            if pairs[at] is None and found:
                chosen = pairs[at] = found.pop(0)
                del left[chosen]
    if len(left) == 1 and pairs.count(None) == 1:
        pairs[pairs.index(None)] = next(iter(left))
    return pairs


def _body(text: str) -> object:
    """Return what stands under a heading.

    A text without one, or with nothing more, is like no other.
    """
    heading, _, body = text.partition("\n")
    return body.strip() if heading.startswith("#") and body.strip() else object()


_SIGNS: tuple[Callable[[str, str], object], ...] = (
    lambda name, text: (name, text),
    lambda _, text: text,
    lambda _, text: _body(text),
    lambda name, _: name,
)
