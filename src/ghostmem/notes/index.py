"""Store a note: each of its sections is a memory, changed in place; the file is its history.

Links between notes become edges between their memories. A section that looks like instructions is
quarantined; one that is released is searched as long as the file has it."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain, count
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from ghostmem.errors import NotFoundError
from ghostmem.grouping import grouped
from ghostmem.memory.draft import Draft, Prepared
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import (
    Labels,
    held_note,
    hold,
    instruction_reasons,
    is_foreign,
    missing,
)
from ghostmem.memory.redact import redact_file
from ghostmem.memory.remove import remove
from ghostmem.memory.write import write_draft
from ghostmem.model import (
    EDGE_WEIGHTS,
    LOCKED,
    Edge,
    FileRef,
    FileRel,
    Folder,
    Held,
    Memory,
    Note,
    NsFilter,
    Outcome,
    estimate_tokens,
)
from ghostmem.notes.layouts import Layout, NoteSection, Reading, layout_named
from ghostmem.notes.scan import ChangingError, Read, modified, read_note
from ghostmem.settings import Settings
from ghostmem.store import IndexRow, Store, Transaction, index_rows, retag, tagged, validate
from ghostmem.text.links import link_name, relation_of
from ghostmem.text.sections import slug

MAX_EMBEDDED_BYTES = 2_000_000  # a larger file gets no vectors and is found by its words
MAX_KEY_CHARS = 400
MAX_FOLDER_CHARS = 80  # of the folder's name before a key that is taken
META = "note"
TEMPORARY = "~"  # the start of a temporary key


class IndexResult(NamedTuple):
    """The result of indexing a note."""

    changed: bool
    renamed: bool  # names that links can lead to were added or removed
    unembedded: int  # chunks without a vector
    problem: str


def index_note(
    store: Store,
    tx: Transaction,
    folder: Folder,
    layout: Layout,
    path: str,
    read: Read,
    note: Note | None,
    released: str | None = None,
) -> IndexResult:
    """Update the memories of a note's sections from its file.

    In a folder that is not the user's own, sections that look like instructions are put into
    quarantine, except those that are searched already and the text that is `released` now."""
    indexed = tx.notes.at(folder.id, path)  # another process may have indexed it
    note = note or indexed
    if indexed is not None and note is not None and indexed.id != note.id:
        forget_note(store, tx, folder, indexed)
    problem = "is not UTF-8; what could not be read is shown as �" if read.text.lossy else ""
    if read.stat.size > store.settings.max_content_bytes:
        problem = (
            f"has {read.stat.size:,} bytes, more than GHOST_MAX_CONTENT_BYTES "
            f"({store.settings.max_content_bytes:,})"
        )
        reading = Reading(())
    else:
        reading = layout.read(path, read.text.text.replace("\x00", "\ufffd"), modified(read.stat))
    fresh = Note(
        note.id if note else store.new_id(store.clock()),
        path,
        read.stat,
        read.text.digest,
        reading.names,
        problem,
    )
    stored = [_stored(store.settings, section) for section in reading.sections]
    wanted = [section for section in stored if section.text]
    writer = _SectionWriter(
        store, tx, folder, fresh, with_vectors=read.stat.size <= MAX_EMBEDDED_BYTES
    )
    if is_foreign(folder.source_kind):
        wanted, suspects = writer.quarantine_suspects(
            wanted, quarantined_sections(tx, folder, note.path if note else path), released
        )
        problem = "; ".join(filter(None, (problem, suspects)))
    tx.notes.put(folder.id, fresh._replace(problem=problem))
    changed = writer.write(wanted)
    renamed = writer.renamed or note is None or note.names != reading.names
    return IndexResult(changed, renamed, writer.unembedded, problem)


def forget_note(store: Store, tx: Transaction, folder: Folder, note: Note) -> None:
    """Remove a note and its memories; their vectors are kept in case the text comes back."""
    for entry in quarantined_sections(tx, folder, note.path):
        tx.quarantine.drop(entry.id)
    for memory in tx.memories.by_ids(list(tx.notes.sections(note.id))).values():
        _remove_section(store, tx, memory)
    tx.notes.drop(note.id)


def quarantined_sections(tx: Transaction, folder: Folder, path: str) -> list[Held]:
    """Return the sections of a note that are in quarantine."""
    file = str(PurePath(folder.root) / path)
    return [
        entry
        for entry in tx.quarantine.under_key(folder.ns, path[:MAX_KEY_CHARS])
        if file_of(entry) == file
    ]


def file_of(entry: Held) -> str | None:
    """Return the file of a quarantined section, or None if it is not a section of a note."""
    match entry.fields:
        case {"meta": Mapping() as meta, "files": [{"path": path}]} if META in meta:
            return str(path)
    return None


def use_temporary_keys(tx: Transaction, memories: Iterable[Memory], now: datetime) -> None:
    """Rename memories to temporary keys so that two of them can swap keys."""
    for memory in memories:
        tx.memories.change(memory, "note", now, key=f"{TEMPORARY}{memory.id}")


def sections_of(tx: Transaction, note: Note) -> list[Memory]:
    """Return the memories of a note that are not deleted."""
    memories = tx.memories.by_ids(list(tx.notes.sections(note.id)))
    return [memory for memory in memories.values() if memory.deleted_at is None]


def shares_a_section(store: Store, tx: Transaction, note: Note, read: Read) -> bool:
    """Say whether a file's text contains one of a note's sections."""
    texts = {read.text.text, redact_file(store.settings, read.text.text)}
    return any(memory.content in text for memory in sections_of(tx, note) for text in texts)


def without_secrets(settings: Settings, section: NoteSection) -> NoteSection:
    """Return a section with secrets redacted from its text, name, tags and links."""
    clean = partial(redact_file, settings)
    return section._replace(
        name=clean(section.name),
        text=clean(section.text),
        tags=tuple(map(clean, section.tags)),
        links=tuple((clean(word), clean(target)) for word, target in section.links),
    )


def _stored(settings: Settings, section: NoteSection) -> NoteSection:
    """Return a section in its stored form: without secrets and blank lines around it."""
    section = without_secrets(settings, section)
    skipped = section.text[: len(section.text) - len(section.text.lstrip())]
    start = skipped.rfind("\n") + 1  # the first line keeps its indent
    text, line = section.text[start:].rstrip(), section.line + skipped.count("\n")
    return section._replace(text=text, line=line)


def _remove_section(store: Store, tx: Transaction, memory: Memory) -> None:
    if memory.deleted_at is None:
        keep_vectors(store, tx, [memory])
        remove(tx, [memory], store.clock(), hard=False)
    links = tx.notes.links_of(memory.id)
    tx.notes.drop_section(memory.id)
    for word, _, to_id in links:
        drop_link_edge(tx, memory.id, word, to_id)


def keep_vectors(store: Store, tx: Transaction, memories: Iterable[Memory]) -> None:
    """Keep the vectors of memories that change or go, for a later section with the same text."""
    for memory in memories:
        tx.notes.spare(
            memory.id, [_sha256(chunk.text) for chunk in tx.index.chunks(memory)], store.clock()
        )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class _SectionWriter:
    def __init__(
        self, store: Store, tx: Transaction, folder: Folder, note: Note, with_vectors: bool
    ) -> None:
        self._store, self._tx, self._folder, self._note = store, tx, folder, note
        self._with_vectors = with_vectors
        self._now = store.clock()
        self._refs = (FileRef(str(PurePath(folder.root) / note.path), FileRel.READ),)
        self.unembedded = 0
        self.renamed = False

    def write(self, wanted: Sequence[NoteSection]) -> bool:
        """Make the stored sections equal; say whether more than line numbers changed."""
        stored = self._tx.notes.sections(self._note.id)
        memories = {memory.id: memory for memory in sections_of(self._tx, self._note)}
        pairs = _paired(wanted, [(m.id, stored[m.id][0], m.content) for m in memories.values()])
        matched = [None if memory_id is None else memories[memory_id] for memory_id in pairs]
        changed = False
        for gone in stored.keys() - set(pairs):
            changed = self.renamed = True
            if gone in memories:
                _remove_section(self._store, self._tx, memories[gone])
            else:
                self._tx.notes.drop_section(gone)
        rekeyed = [
            memory
            for new, memory in zip(wanted, matched, strict=True)
            if memory is not None and not self._has_own_key(memory, new)
        ]
        use_temporary_keys(self._tx, rekeyed, self._now)
        for new, memory in zip(wanted, matched, strict=True):
            written = self._create(new) if memory is None else self._rewrite(memory, new)
            changed = changed or written is not memory
            place = (new.name, new.line, _sha256(new.text))
            self.renamed = self.renamed or memory is None or stored[memory.id][0] != new.name
            if memory is None or stored[memory.id] != place:
                self._tx.notes.put_section(written.id, self._note.id, *place)
            changed = self._set_links(written.id, new.links) or changed
        return changed

    def quarantine_suspects(
        self, wanted: Sequence[NoteSection], quarantined: Sequence[Held], released: str | None
    ) -> tuple[list[NoteSection], str]:
        """Put sections that look like instructions into quarantine.

        Those `quarantined` already keep their id, or are dropped if the file no longer has them.
        Returns the other sections, and a message about the quarantined ones."""
        accepted = {memory.content for memory in sections_of(self._tx, self._note)} | {released}
        settings = self._store.settings
        clean: list[NoteSection] = []
        suspects: list[Held] = []
        for new in wanted:
            labels = Labels((), (self._name(new), *new.tags))
            if new.text not in accepted and (
                reasons := instruction_reasons(settings, new.text, labels)
            ):
                suspects.append(self._hold(new, quarantined, reasons))
            else:
                clean.append(new)
        for gone in {entry.id for entry in quarantined} - {entry.id for entry in suspects}:
            self._tx.quarantine.drop(gone)
        more = (
            f" (and {len(suspects) - 1} more: ghost quarantine list)" if len(suspects) > 1 else ""
        )
        return clean, f"{held_note(suspects[0])}{more}" if suspects else ""

    def _hold(self, new: NoteSection, quarantined: Sequence[Held], reasons: Sequence[str]) -> Held:
        key = validate.key(self._name(new))
        fields = {**self._fields(new), "files": self._refs, "source_kind": self._folder.source_kind}
        draft = Draft(self._folder.ns, key, new.text, fields, unlock=True)
        same = (entry for entry in quarantined if (entry.key, entry.content) == (key, new.text))
        return next(same, None) or hold(self._store, self._tx, draft, reasons)

    def _fields(self, new: NoteSection) -> dict[str, Any]:
        tags = [
            tag
            for raw in new.tags
            if (tag := " ".join(raw.split())) and len(tag) <= validate.MAX_TAG and tag.isprintable()
        ]
        meta = {META: self._note.path, **({"section": new.name} if new.name else {})}
        # Only the file changes a note: maintenance and other writers skip locked memories.
        return {
            "kind": new.kind,
            "tier": new.tier,
            "tags": tuple(dict.fromkeys([*tags, LOCKED])),
            "meta": meta,
            "created_at": new.when,
        }

    def _name(self, new: NoteSection) -> str:
        """Return a section's path and name, shortened to the length of a key."""
        name = f"{self._note.path}#{new.name}" if new.name else self._note.path
        is_long = len(name) > MAX_KEY_CHARS
        return f"{name[:MAX_KEY_CHARS]}~{_sha256(name)[:12]}" if is_long else name

    def _key(self, new: NoteSection, own_id: str | None) -> str:
        """Return a free key: path and name, then with the folder's name, then numbered."""
        name = self._name(new)
        in_folder = f"{PurePath(self._folder.root).name[:MAX_FOLDER_CHARS]}/{name}"
        keys = chain((name, in_folder), (f"{name}~{number}" for number in count(3)))
        return validate.key(next(key for key in keys if self._is_free(key, own_id)))

    def _is_free(self, key: str, own_id: str | None) -> bool:
        last = self._tx.memories.last(self._folder.ns, key)
        if last is None or last.deleted_at is not None or last.id == own_id:
            return True
        # An import or an earlier index may have left a memory without a section.
        is_leftover = last.locked and last.meta.get(META) == self._note.path
        return is_leftover and not self._tx.notes.places([last.id])

    def _create(self, new: NoteSection) -> Memory:
        key = self._key(new, None)
        rows = self._rows(key, new.text)
        fields = {**self._fields(new), "files": self._refs}
        last = self._tx.memories.last(self._folder.ns, key)
        if last is not None and last.deleted_at is not None and META in last.meta:
            # A section that comes back keeps how often it was read before it was deleted.
            names = ("access_count", "utility_count", "last_accessed_at")
            fields |= {name: getattr(last, name) for name in names}
        draft = Draft(self._folder.ns, key, new.text, fields, unlock=True, quiet=True, revive=True)
        memory = write_draft(self._store, self._tx, draft, Prepared(rows))
        self._reuse_vectors(memory.id, rows, new.text)
        return memory

    def _rewrite(self, memory: Memory, new: NoteSection) -> Memory:
        """Change a memory in place; return the same object if nothing differs."""
        key = memory.key if self._has_own_key(memory, new) else self._key(new, memory.id)
        wanted = {**self._fields(new), "key": key, "content": new.text}
        changes = {name: value for name, value in wanted.items() if getattr(memory, name) != value}
        if not changes:
            return memory
        written = replace(memory, **changes)
        reindexed = "key" in changes or "content" in changes
        if reindexed:
            keep_vectors(self._store, self._tx, [memory])
            self._tx.index.remove(memory)
            changes |= {"est_tokens": estimate_tokens(new.text), "recorded_at": self._now}
        if "key" in changes:
            last = self._tx.memories.last(self._folder.ns, key)
            # An import or an earlier index may have left a memory with this key.
            if last is not None and last.deleted_at is None and last.id != memory.id:
                remove(self._tx, [last], self._now, hard=False)
            changes["version"] = max(memory.version, last.version + 1 if last else 0)
            self._tx.notes.move_file(memory.id, self._refs[0].path, self._now)
        self._tx.memories.change(memory, "note", self._now, **changes)
        if reindexed:
            rows = self._rows(key, new.text)
            self._tx.index.add(written, tagged(rows, written.tags))
            self._tx.index.wait(memory.id)
            self._reuse_vectors(memory.id, rows, new.text)
        elif "tags" in changes:
            retag(self._tx, memory, written.tags)
        return written

    def _has_own_key(self, memory: Memory, new: NoteSection) -> bool:
        """Say whether a memory has the key of its section, or the best free one."""
        return (
            memory.meta.get(META) == self._note.path
            and memory.meta.get("section", "") == new.name
            and not memory.key.startswith(TEMPORARY)
        )

    def _rows(self, key: str, text: str) -> list[IndexRow]:
        rows = index_rows(key, text, self._store.settings.chunk_target)
        return rows if self._with_vectors else [row._replace(chunker="") for row in rows]

    def _reuse_vectors(self, memory_id: str, rows: Sequence[IndexRow], text: str) -> None:
        """Use the vectors that were kept for these texts, and count the missing ones."""
        if not self._with_vectors:
            self._tx.graph.linked([memory_id])
            return
        self.unembedded += len(rows) - self._tx.notes.reuse(
            memory_id, [_sha256(row.spoken) for row in rows], _sha256(text)
        )

    def _set_links(self, memory_id: str, links: Sequence[tuple[str, str]]) -> bool:
        stored = {
            (word, target): to_id for word, target, to_id in self._tx.notes.links_of(memory_id)
        }
        wanted = set(links)
        for (word, target), to_id in stored.items():
            if (word, target) not in wanted:
                self._tx.notes.drop_link(memory_id, word, target)
                drop_link_edge(self._tx, memory_id, word, to_id)
        for word, target in sorted(wanted - stored.keys()):
            self._tx.notes.put_link(memory_id, word, target, None)
        return wanted != stored.keys()


def drop_link_edge(tx: Transaction, memory_id: str, word: str, to_id: str | None) -> None:
    """Remove the edge of a resolved link, unless another link makes the same edge."""
    if to_id is None:
        return
    rel, reverse = relation_of(word)
    start, end = (to_id, memory_id) if reverse else (memory_id, to_id)
    if not any(
        target == to and relation_of(linked) == (rel, is_reverse)
        for source, to, is_reverse in ((start, end, False), (end, start, True))
        for linked, _, target in tx.notes.links_of(source)
    ):
        tx.graph.drop_edge(start, end, rel)


def _paired(
    wanted: Sequence[NoteSection], memories: Iterable[tuple[str, str, str]]
) -> list[str | None]:
    """Return the memory of each section, of those given as (id, name, text).

    It has the same name and text, or else the same text, the same text under another heading, or
    the same name. If one section and one memory are left over, they belong together."""
    pairs: list[str | None] = [None] * len(wanted)
    unpaired = {memory_id: (name, text) for memory_id, name, text in memories}
    for feature in _FEATURES:
        ids = grouped((feature(*section), memory_id) for memory_id, section in unpaired.items())
        for place, new in enumerate(wanted):
            same = ids.get(feature(new.name, new.text))
            if pairs[place] is None and same:
                chosen = pairs[place] = same.pop(0)
                del unpaired[chosen]
    if len(unpaired) == 1 and pairs.count(None) == 1:
        pairs[pairs.index(None)] = next(iter(unpaired))
    return pairs


def _body(text: str) -> object:
    """Return the text under a heading; a text without heading or body equals no other."""
    heading, _, body = text.partition("\n")
    return body.strip() if heading.startswith("#") and body.strip() else object()


_FEATURES: tuple[Callable[[str, str], object], ...] = (
    lambda name, text: (name, text),
    lambda _, text: text,
    lambda _, text: _body(text),
    lambda name, _: name,
)


def link_notes(store: Store, tx: Transaction, folder: Folder, again: bool) -> None:
    """Resolve the unresolved links of a folder, or all with `again`, after names changed."""
    links = [link for link in tx.notes.links(folder.id) if again or link[3] is None]
    if not links:
        return
    targets = _targets(tx, folder)
    now = store.clock()
    for memory_id, word, target, to_id in links:
        note, _, heading = target.partition("#")
        name = link_name(note)
        linked = targets.get(f"{name}#{slug(heading)}") if heading else None
        linked = linked or (targets.get(name) if name else None)
        linked = None if linked == memory_id else linked
        if linked == to_id:
            continue
        tx.notes.put_link(memory_id, word, target, linked)
        drop_link_edge(tx, memory_id, word, to_id)
        if linked is not None:
            rel, reverse = relation_of(word)
            start, end = (linked, memory_id) if reverse else (memory_id, linked)
            tx.graph.add_edge(Edge(start, end, rel, EDGE_WEIGHTS[rel], now))


def _targets(tx: Transaction, folder: Folder) -> dict[str, str]:
    """Return the memory of each name; of two equal names the first kind wins.

    The kinds are the path of a note, the name of its file, and its own names; in basic-memory its
    own names come first."""
    targets = tx.notes.targets(folder.id)
    names: dict[str, str] = {}
    for kind in (2, 0, 1) if folder.layout == "basic-memory" else (0, 1, 2):
        for memory_id, section, path, own_names in targets:
            stem = path.rpartition(".")[0]
            for name in map(link_name, ((stem,), (stem.rpartition("/")[2],), own_names)[kind]):
                names.setdefault(f"{name}#{section}" if section else name, memory_id)
                names.setdefault(name, memory_id)
    return names


def folder_of(store: Store, entry: Held) -> Folder | None:
    """Return the folder of a quarantined section, or None if it is not a section of a folder."""
    if (file := file_of(entry)) is None:
        return None
    with store.engine.read() as tx:
        folders = tx.notes.folders(NsFilter(entry.ns))
    path = str(entry.fields["meta"][META])
    return next((folder for folder in folders if str(PurePath(folder.root) / path) == file), None)


def release_section(store: Store, folder: Folder, entry: Held) -> Memory:
    """Index a note again with a quarantined section; an error if the file no longer has it."""
    path = str(entry.fields["meta"][META])
    gone = NotFoundError(
        f"{path} no longer has the section that is held",
        f"drop it: ghost quarantine drop {entry.id}",
    )
    try:
        read = read_note(Path(folder.root) / path)
    except (OSError, ChangingError) as error:
        raise gone from error
    with store.engine.write(within=(folder.ns,)) as tx:
        if not tx.quarantine.drop(entry.id):
            raise missing(entry.id)  # another process has released it
        note = tx.notes.at(folder.id, path)
        index_note(store, tx, folder, layout_named(folder.layout), path, read, note, entry.content)
        note = tx.notes.at(folder.id, path)
        sections = sections_of(tx, note) if note is not None else []
        released = [memory for memory in sections if memory.content == entry.content]
        if not released:
            raise gone
        link_notes(store, tx, folder, again=True)
        memory = replace(tx.memories.with_refs(released[:1])[0], outcome=Outcome.CREATED)
    catch_up(store)
    return memory
