"""Units of a mirror: decided on and written under the folder's lock, first the store, then the
folder, then what was agreed on.

Whoever is killed in between leaves a state from which the next run comes to the same end: nothing
is written over before the store has it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError
from ghostmem.memory.draft import INHERITED, Draft
from ghostmem.memory.quarantine import hold, suspected, told_of, would_hold
from ghostmem.memory.remove import remove
from ghostmem.memory.write import write_draft
from ghostmem.model import LOCKED, FileRef, Kind, Memory, NsFilter, Tier
from ghostmem.notes.lock import locked
from ghostmem.notes.mirror_index import list_topics
from ghostmem.notes.mirror_job import Job, MirrorConflict, base_of, side_of, unit_side
from ghostmem.notes.mirrors import topics
from ghostmem.notes.mirrors.base import Change, Unit, Wish, fingerprint, inked
from ghostmem.notes.mirrors.folder import free_key, look, taken, write
from ghostmem.notes.mirrors.merge import Base, Side, is_as_agreed, is_same, names, settle
from ghostmem.notes.mirrors.names import alike
from ghostmem.store import validate
from ghostmem.store.mirror import Item
from ghostmem.store.rows import Filter

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

_TAKEN_OVER = [name for name in INHERITED if name not in ("expires_at", "files")]


def bring(job: Job, keys: Sequence[str]) -> None:
    """Bring some keys in step."""
    with nullcontext() if job.dry_run else locked(job.home):
        if not job.dry_run:
            job.sight = look(job.home, job.shape, job.known, job.sight)
        batch = _Batch(job)
        with job.store.engine.write(dry_run=job.dry_run) as tx:
            for key in keys:
                batch.decide(tx, key)
        batch.write()


class _Batch:
    """Some keys that are brought in step together."""

    def __init__(self, job: Job) -> None:
        self._job, self._store, self._shape, self._report = job, job.store, job.shape, job.report
        self._edits: dict[str, list[Change]] = {}
        self._rows: dict[str, Item | None] = {}  # to be written when the folder has it
        self._taken = taken(job.sight) | {topics.INDEX_FILE.rpartition(".")[0]}

    def decide(self, tx: Transaction, key: str) -> None:
        """Say what becomes of a key, and do the store's part of it."""
        job, now = self._job, self._store.clock()
        item, unit = tx.mirrors.item(job.mirror.id, key), job.sight.units.get(key)
        last = tx.memories.last(job.mirror.ns, key)
        memory = last if last is not None and last.is_current(now) else None
        base = None if item is None else base_of(item)
        told = None if memory is None else side_of(self._shape, memory)
        if memory is not None and tx.notes.places([memory.id]):
            if unit is not None:
                self._report.wait(key, unit.path, "a note that is searched has this key")
            return
        if item is not None and item.path in job.sight.closed:
            return  # the report names the file
        if unit is None and told and base and key not in job.believed and is_as_agreed(base, told):
            self._report.wait(key, item.path if item else "", "is missing since just now")
            return
        if (
            unit is not None and not unit.text.strip()
        ):  # nothing that could be a memory: as if nobody had touched it
            if told and base and is_as_agreed(base, told):
                self._report.wait(
                    key,
                    unit.path,
                    "has no text in the folder; delete the heading or the file to remove it",
                )
                return
            base = Base(fingerprint(""), names(unit.tags))
        verdict = settle(
            base,
            told,
            None if unit is None else unit_side(self._shape, unit),
            locked=memory is not None and memory.locked,
        )
        try:
            if verdict.spare is not None and memory is not None:
                self._keep_aside(
                    tx,
                    memory,
                    validate.content(verdict.spare, self._store.settings.max_content_bytes),
                    unit,
                )
            kept = self._store_side(tx, key, verdict.keep, memory, last, unit)
        except InvalidInputError as error:
            self._report.wait(key, unit.path if unit else "", error.message)
            return
        self._folder_side(tx, key, verdict.keep, kept, unit, item)

    def _store_side(
        self,
        tx: Transaction,
        key: str,
        keep: Side | None,
        memory: Memory | None,
        last: Memory | None,
        unit: Unit | None,
    ) -> Memory | None:
        """Make the memory what it should be, and return it."""
        if keep is None:
            if memory is not None:
                remove(tx, [memory], self._store.clock(), hard=False)
                self._report.removed_from_store += 1
            return None
        if memory is not None and is_same(side_of(self._shape, memory), keep):
            return memory
        if unit is None:
            return memory
        before = last or self._named_before(tx, key)
        before = tx.memories.with_refs([before])[0] if before else None
        fields = {} if memory is not None else self._fresh_fields(before, unit)
        if self._shape.has_tags:
            own = memory.tags if memory else ()
            fields["tags"] = validate.tags(
                [*keep.tags, *(tag for tag in own if tag not in topics.carried(own))]
            )
        fields["files"] = validate.files(
            [*(before.files if before else ()), FileRef(str(self._job.home / unit.path))]
        )
        same = memory is not None and fingerprint(memory.content) == fingerprint(keep.text)
        content = validate.content(
            memory.content if memory and same else keep.text, self._store.settings.max_content_bytes
        )
        draft = Draft(
            self._job.mirror.ns, validate.key(key), content, fields, quiet=True, revive=True
        )
        if reasons := suspected(self._store, tx, draft):
            told = (
                would_hold(reasons)
                if self._job.dry_run
                else told_of(hold(self._store, tx, draft, reasons))
            )
            raise InvalidInputError(told)  # the report says it, and the memory stays as it is
        made = write_draft(self._store, tx, draft)
        if before is not None and before.key != key:
            tx.graph.relink(before.id, made.id)
            tx.journal.carry(before.id, made.id)
        self._report.to_store += 1
        return made

    def _named_before(self, tx: Transaction, key: str) -> Memory | None:
        """Return the memory that a new unit was under another key."""
        old = self._job.renamed.get(key)
        return tx.memories.last(self._job.mirror.ns, old) if old is not None else None

    def _fresh_fields(self, before: Memory | None, unit: Unit) -> dict[str, Any]:
        """Return what a memory is beside its text: what it was when it was last there, else what
        the folder tells.
        """
        if before is not None:
            return {name: getattr(before, name) for name in _TAKEN_OVER}
        fields: dict[str, Any] = {"tier": Tier.LTM} if unit.lasting else {}
        now = self._store.clock()
        if unit.when is not None and unit.when.date() != now.date() and unit.when < now:
            fields["created_at"] = unit.when
        return fields

    def _keep_aside(self, tx: Transaction, memory: Memory, text: str, unit: Unit | None) -> None:
        """Keep a text that lost its key under one of its own, on both sides."""
        job, now = self._job, self._store.clock()
        start = f"{memory.key} (conflict "
        others = tx.listing.select(Filter(ns=NsFilter(job.mirror.ns), now=now, key_prefix=start))
        if any(fingerprint(one.content) == fingerprint(text) for one in others):
            return  # a run that was killed has done so

        def is_free(key: str) -> bool:
            return (
                tx.memories.last(job.mirror.ns, key) is None
                and key not in job.sight.units
                and key not in job.items
            )

        key = free_key(
            memory.key,
            [f" (conflict {now:%Y-%m-%d %H.%M})", f" (conflict {now:%Y-%m-%d %H.%M.%S})"],
            is_free,
        )
        fields = {name: getattr(tx.memories.with_refs([memory])[0], name) for name in _TAKEN_OVER}
        fields |= {
            "pinned": False,
            "tags": tuple(tag for tag in memory.tags if tag != LOCKED),
            "created_at": memory.created_at,
        }
        made = write_draft(self._store, tx, Draft(job.mirror.ns, key, text, fields))
        self._report.conflicts.append(MirrorConflict(memory.key, key, unit.path if unit else ""))
        self._folder_side(tx, key, side_of(self._shape, made), made, None, None)

    def _folder_side(
        self,
        tx: Transaction,
        key: str,
        keep: Side | None,
        memory: Memory | None,
        unit: Unit | None,
        item: Item | None,
    ) -> None:
        """Say what is to be changed in the folder, and what will be agreed on then."""
        if keep is None:
            self._rows[key] = None
            for path in self._job.sight.places.get(key, ()) if unit else ():
                self._edits.setdefault(path, []).append(Change(key, None, (), self._store.clock()))
            return
        about = item.about if item else ""
        if unit is not None and is_same(keep, unit_side(self._shape, unit)):
            row = Item(key, unit.path, fingerprint(keep.text), names(keep.tags), about)
            self._rows[key] = row
            if not self._job.dry_run:
                tx.mirrors.put_item(self._job.mirror.id, row)
            return
        if memory is None:
            return
        paths = self._job.sight.places[key] if unit else [self._new_path(key, memory, item)]
        for path in paths:
            self._edits.setdefault(path, []).append(
                Change(key, inked(keep.text), keep.tags, memory.created_at)
            )
        self._rows[key] = Item(
            key, unit.path if unit else paths[0], fingerprint(keep.text), names(keep.tags), about
        )

    def _new_path(self, key: str, memory: Memory, item: Item | None) -> str:
        """Return where a unit is written that the folder does not have."""
        if item is not None and not (
            self._shape.is_single and alike(topics.stem_of(item.path)) in self._taken
        ):
            path = item.path
        else:
            lasting = memory.tier is Tier.LTM or memory.pinned or memory.kind is Kind.SEMANTIC
            path = self._shape.place(Wish(key, memory.created_at, lasting), self._taken)
        self._taken.add(alike(path.rpartition(".")[0]))
        return path

    def write(self) -> None:
        """Do the folder's part, and write down what both sides agree on now."""
        job = self._job
        failed: dict[str, str] = {}
        removed, told = set[str](), set[str]()
        for path, changes in sorted(self._edits.items()):
            if path in job.sight.closed:
                failed |= {change.key: job.sight.closed[path] for change in changes}
            elif not job.dry_run:
                failed |= write(job.home, self._shape, job.sight, path, changes)
            removed |= {change.key for change in changes if change.text is None}
            told |= {change.key for change in changes if change.text is not None}
        for key, reason in sorted(failed.items()):
            row = self._rows.pop(key)
            self._report.wait(
                key, row.path if row else job.items[key].path if key in job.items else "", reason
            )
        self._report.removed_from_folder += len(removed - failed.keys())
        self._report.to_folder += len(told - failed.keys())
        if self._rows and not job.dry_run:
            self._agree()

    def _agree(self) -> None:
        job, rows = self._job, self._rows
        job.sight = look(job.home, job.shape, job.known, job.sight)
        before = {key: job.items[key].path for key in rows if key in job.items}
        gone = {
            path for key, path in before.items() if (row := rows[key]) is None or row.path != path
        }
        there = {key: row for key, row in rows.items() if row is not None}
        abouts = list_topics(job, there, gone) if job.shape.is_single else {}
        with job.store.engine.write() as tx:
            for key, row in rows.items():
                if row is None:
                    tx.mirrors.drop_item(job.mirror.id, key)
                    job.items.pop(key, None)
                else:
                    job.items[key] = row._replace(about=abouts.get(key, ""))
                    tx.mirrors.put_item(job.mirror.id, job.items[key])
