"""The quarantine of an import: each suspicious key with all lines that belong to it."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.memory.quarantine import (
    draft_of_held,
    held_note,
    instruction_reasons,
    labels_of,
    would_hold_note,
)
from ghostmem.model import Held, Memory, Record
from ghostmem.store import TYPES, AliasLine, Store, Transaction, line_of, record_of, validate
from ghostmem.transfer.ahead import ImportedText, PreparedTexts
from ghostmem.transfer.export import memory_ids
from ghostmem.transfer.formats.base import capped

RECORDS = "records"  # the field of a quarantined entry with the lines of the import
POLICY = "on_conflict"
_SOURCE = ("source_user", "source_kind", "source_scope", "source_client")
_TYPE_NAMES = {record_type: name for name, record_type in TYPES.items()}


class ImportGate:
    """Decides which lines of an import go into quarantine, and puts them there.

    A key is quarantined with all its versions, because they are one history, and with the edges,
    links, accesses and aliases of any of them: releasing it writes what the import would have
    written."""

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
        self.is_trusted = trust
        self._is_open = trust or not store.settings.quarantine
        self._attached: dict[str, list[Record]] = defaultdict(list)
        for record in () if self._is_open else others:
            for memory_id in memory_ids(record):
                self._attached[memory_id].append(record)
        self._held_ids: set[str] = set()
        self._messages: list[str] = []
        self.held = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Return messages about the quarantined keys."""
        return capped(self._messages)

    @property
    def is_closed(self) -> bool:
        """Say whether texts are checked."""
        return not self._is_open

    def holds(
        self,
        tx: Transaction,
        chain: Sequence[Memory],
        written: Iterable[Memory],
        texts: PreparedTexts,
    ) -> bool:
        """Quarantine all versions of a key if one to be written looks like instructions."""
        if self._is_open:
            return False
        for memory in written:
            if reasons := texts.reasons(ImportedText.of(memory)):
                self._held_ids.update(version.id for version in chain)
                attached = {
                    id(record): record
                    for version in chain
                    for record in self._attached.get(version.id, ())
                }
                self._hold(tx, memory.ns, memory.key, memory, reasons, [*chain, *attached.values()])
                return True
        return False

    def holds_other(self, tx: Transaction, record: Record) -> bool:
        """Say whether a record is quarantined: with its memory, or as a suspicious alias."""
        if self._is_open:
            return False
        if not self._held_ids.isdisjoint(memory_ids(record)):
            return True
        if (
            not isinstance(record, AliasLine)
            or (memory := tx.memories.by_id(record.memory_id)) is None
        ):
            return False
        if record.content in tx.aliases.texts(memory.id):
            return False
        labels = labels_of("", {name: getattr(record, name) for name in _SOURCE})
        reasons = instruction_reasons(self._store.settings, record.content, labels)
        if reasons:
            self._hold(tx, memory.ns, memory.key, record, reasons, [record])
        return bool(reasons)

    def _hold(
        self,
        tx: Transaction,
        ns: str,
        key: str,
        shown: Memory | AliasLine,
        reasons: tuple[str, ...],
        records: Sequence[Record],
    ) -> None:
        source = {
            name: str(value) for name in _SOURCE if (value := getattr(shown, name)) is not None
        }
        lines = [json.loads(line_of(_TYPE_NAMES[type(record)], record)) for record in records]
        fields: dict[str, Any] = {**source, POLICY: self._policy, RECORDS: lines}
        held = next((held for held in tx.quarantine.at_key(ns, key) if held.fields == fields), None)
        if held is None:
            now = self._store.clock()
            held = Held(self._store.new_id(now), ns, key, shown.content, fields, reasons, now)
            tx.quarantine.add(held)
            self.held += 1
        self._messages.append(
            f"{ns}/{key}: {would_hold_note(reasons) if self._dry_run else held_note(held)}"
        )


def is_import(held: Held) -> bool:
    """Say whether a quarantined entry has lines of an import."""
    return RECORDS in held.fields


def records_of(held: Held) -> list[Record]:
    """Return the records of a quarantined import, after checking that they belong to its key."""
    lines = held.fields[RECORDS]
    try:
        records = [record_of(str(line["type"]), line) for line in lines]
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise InvalidInputError(
            f"the quarantined item {held.id} has lines that no import has: {error}"
        ) from None
    ids = {record.id for record in records if isinstance(record, Memory)}
    for record in records:
        if isinstance(record, Memory):
            belongs = (record.ns, record.key) == (held.ns, held.key)
        elif isinstance(record, AliasLine) and not ids:
            belongs = True
        else:
            belongs = bool(ids.intersection(memory_ids(record)))
        if not belongs:
            raise InvalidInputError(
                f"the quarantined item {held.id} has a line that belongs to another memory"
            )
    return records


def check_held(held: Held) -> None:
    """Refuse a quarantined entry of an export that could never be released."""
    if not is_import(held):
        draft_of_held(held)
        return
    validate.namespace(held.ns)
    validate.key(held.key)
    records_of(held)
