"""Lines of an import that are held in quarantine: each key as a whole, with everything that a
lossless import needs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError
from ghostmem.memory.quarantine import looks_like_orders, told_of, would_hold
from ghostmem.model import Access, Edge, Held, Link, Memory, Record
from ghostmem.store.export_lines import TYPES, Wording, line_of, record_of
from ghostmem.transfer.formats.base import capped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ghostmem.store.protocol import Transaction
    from ghostmem.store.store import Store

RECORDS = "records"  # the field of what is held that has the lines of the import
POLICY = "on_conflict"
_SOURCE = ("source_user", "source_kind", "source_scope", "source_client")
_NAMES = {made: name for name, made in TYPES.items()}


class ImportGate:
    """Decides which lines of an import are held, and holds them with the lines that belong to them.

    A key is held with all its versions, because they are one history, and with the edges, links,
    days of use and wordings of any of them: releasing it writes what the import would have written.
    """

    def __init__(
        self,
        store: Store,
        others: Iterable[Record],
        on_conflict: str,
        *,
        trust: bool,
        dry_run: bool,
    ) -> None:
        self._store, self._policy, self._dry_run = store, on_conflict, dry_run
        self._open = trust or not store.settings.quarantine
        self._attached: dict[str, list[Record]] = defaultdict(list)
        for record in () if self._open else others:
            for end in ends_of(record):
                self._attached[end].append(record)
        self._ids: set[str] = set()  # of memories that are held
        self._told: list[str] = []
        self.held = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what there is to say about what is held."""
        return capped(self._told)

    def holds(self, tx: Transaction, chain: Sequence[Memory], written: Iterable[Memory]) -> bool:
        """Hold a key's versions when one of those that would be written looks like instructions."""
        if self._open:
            return False
        for memory in written:
            if reasons := looks_like_orders(
                self._store.settings, memory.key, memory.content, memory.tags
            ):
                self._ids.update(one.id for one in chain)
                attached = {
                    id(record): record for one in chain for record in self._attached.get(one.id, ())
                }
                self._hold(tx, memory.ns, memory.key, memory, reasons, [*chain, *attached.values()])
                return True
        return False

    def holds_other(self, tx: Transaction, record: Record) -> bool:
        """Say whether a line belongs to a memory that is held, or hold it when it is a wording that
        looks like instructions.
        """
        if self._open:
            return False
        if any(end in self._ids for end in ends_of(record)):
            return True
        if (
            not isinstance(record, Wording)
            or (memory := tx.memories.by_id(record.memory_id)) is None
        ):
            return False
        known = tx.aliases.of([memory.id]).get(memory.id, ())
        if any(alias.content == record.content for alias in known):
            return False
        reasons = looks_like_orders(self._store.settings, "", record.content)
        if reasons:
            self._hold(tx, memory.ns, memory.key, record, reasons, [record])
        return bool(reasons)

    def _hold(
        self,
        tx: Transaction,
        ns: str,
        key: str,
        shown: Memory | Wording,
        reasons: tuple[str, ...],
        records: Sequence[Record],
    ) -> None:
        source = {
            name: str(value) for name in _SOURCE if (value := getattr(shown, name)) is not None
        }
        lines = [json.loads(line_of(_NAMES[type(record)], record)) for record in records]
        fields: dict[str, Any] = {**source, POLICY: self._policy, RECORDS: lines}
        held = next((held for held in tx.quarantine.at_key(ns, key) if held.fields == fields), None)
        if held is None:
            now = self._store.clock()
            held = Held(self._store.new_id(now), ns, key, shown.content, fields, reasons, now)
            tx.quarantine.add(held)
            self.held += 1
        self._told.append(f"{ns}/{key}: {would_hold(reasons) if self._dry_run else told_of(held)}")


def ends_of(record: Record) -> tuple[str, ...]:
    """Return the ids of the memories that a line needs."""
    if isinstance(record, Edge | Link):
        return (record.from_id, record.to_id)
    return (record.memory_id,) if isinstance(record, Access | Wording) else ()


def is_import(held: Held) -> bool:
    """Say whether what is held are lines of an import."""
    return RECORDS in held.fields


def records_of(held: Held) -> list[Record]:
    """Read the lines of an import that are held, and check that they belong to the key that they
    are held for.
    """
    lines = held.fields[RECORDS]
    try:
        records = [record_of(str(line["type"]), line) for line in lines]
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise InvalidInputError(
            f"what is held as {held.id} has lines that no import has: {error}"
        ) from None
    ids = {record.id for record in records if isinstance(record, Memory)}
    for record in records:
        if isinstance(record, Memory):
            belongs = (record.ns, record.key) == (held.ns, held.key)
        elif isinstance(record, Wording) and not ids:
            belongs = True
        else:
            belongs = bool(ids.intersection(ends_of(record)))
        if not belongs:
            raise InvalidInputError(
                f"what is held as {held.id} has a line that belongs to another memory"
            )
    return records
