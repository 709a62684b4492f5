"""The quarantine of an import: each suspicious key with all lines that belong to it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.grouping import grouped
from ghostmem.judge import uses_judge
from ghostmem.memory.draft import Draft
from ghostmem.memory.quarantine import (
    draft_of_held,
    held_note,
    hold_once,
    instruction_reasons,
    labels_of,
    would_hold_note,
)
from ghostmem.model import Held, Memory, Record
from ghostmem.store import TYPES, AliasLine, Store, Transaction, line_of, record_of, validate
from ghostmem.transfer.export import memory_ids

RECORDS = "records"  # the field of a quarantined entry with the lines of the import
POLICY = "on_conflict"
_SOURCE = ("source_user", "source_kind", "source_scope", "source_client")
_TYPE_NAMES = {record_type: name for name, record_type in TYPES.items()}
# What judging a text costs: measured on one slow core, as an estimate for people.
_SECONDS, _SECONDS_PER_CHARACTER, _MAX_SECONDS = 0.005, 0.000_015, 0.6
_MIN_NOTED = 10  # seconds
JudgedText = tuple[Memory | Draft, Mapping[str, Any]]  # a text with the fields of its memory


def judging_note(store: Store, texts: Iterable[JudgedText]) -> list[str]:
    """Return what judging new texts costs, as a note, if that takes long."""
    if not (store.settings.quarantine and uses_judge(store.settings)):
        return []
    costs = [
        _SECONDS + min(_MAX_SECONDS, _SECONDS_PER_CHARACTER * len(text.content))
        for text, _ in texts
    ]
    if sum(costs) < _MIN_NOTED:
        return []
    return [
        f"the judge reads up to {len(costs):,} texts, which takes about {sum(costs):.0f} s of CPU;"
        " a stopped import goes on where it ended, and --trust skips the judge"
    ]


def judge_new(store: Store, texts: Sequence[JudgedText]) -> None:
    """Judge new texts before the transaction that asks again, so that others can write."""
    with store.engine.read() as tx:
        histories = tx.memories.histories((text.ns, text.key) for text, _ in texts)
    stored = {(m.ns, m.key, m.content) for history in histories.values() for m in history}
    for text, fields in texts:
        if (text.ns, text.key, text.content) not in stored:
            instruction_reasons(store.settings, text.content, labels_of(text.key, fields))


class ImportGate:
    """Decides which lines of an import go into quarantine, and puts them there.

    A key is quarantined with all its versions, because they are one history, and with the edges,
    links, accesses and aliases of any of them: releasing it writes what the import would have
    written."""

    def __init__(
        self,
        store: Store,
        attached: Iterable[Record],
        on_conflict: str,
        *,
        trust: bool,
        dry_run: bool,
    ) -> None:
        self._store, self._policy, self._dry_run = store, on_conflict, dry_run
        self.is_trusted = trust
        self.is_closed = store.settings.quarantine and not trust  # texts are checked
        self._attached = grouped(
            (memory_id, record)
            for record in (attached if self.is_closed else ())
            for memory_id in memory_ids(record)
        )
        self._held_ids: set[str] = set()
        self.messages: list[str] = []  # about the quarantined keys
        self.held = 0

    def holds(self, tx: Transaction, chain: Sequence[Memory], written: Iterable[Memory]) -> bool:
        """Quarantine all versions of a key if one to be written looks like instructions."""
        for memory in written if self.is_closed else ():
            if reasons := instruction_reasons(
                self._store.settings, memory.content, labels_of(memory.key, vars(memory))
            ):
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
        if not self.is_closed:
            return False
        if not self._held_ids.isdisjoint(memory_ids(record)):
            return True
        if (
            not isinstance(record, AliasLine)
            or (memory := tx.memories.by_id(record.memory_id)) is None
            or record.content in tx.aliases.texts(memory.id)
        ):
            return False
        labels = labels_of("", {name: getattr(record, name) for name in _SOURCE})
        if reasons := instruction_reasons(self._store.settings, record.content, labels):
            self._hold(tx, memory.ns, memory.key, record, reasons, [record])
        return bool(reasons)

    def _hold(
        self,
        tx: Transaction,
        ns: str,
        key: str,
        subject: Memory | AliasLine,
        reasons: tuple[str, ...],
        records: Sequence[Record],
    ) -> None:
        source = {
            name: str(value) for name in _SOURCE if (value := getattr(subject, name)) is not None
        }
        lines = [json.loads(line_of(_TYPE_NAMES[type(record)], record)) for record in records]
        fields: dict[str, Any] = {**source, POLICY: self._policy, RECORDS: lines}
        before = len(tx.quarantine.at_key(ns, key))
        entry = hold_once(self._store, tx, (ns, key), subject.content, fields, reasons)
        self.held += len(tx.quarantine.at_key(ns, key)) - before
        self.messages.append(
            f"{ns}/{key}: {would_hold_note(reasons) if self._dry_run else held_note(entry)}"
        )


def is_import(entry: Held) -> bool:
    """Say whether a quarantined entry has lines of an import."""
    return RECORDS in entry.fields


def records_of(entry: Held) -> list[Record]:
    """Return the records of a quarantined import, after checking that they belong to its key."""
    lines = entry.fields[RECORDS]
    try:
        records = [record_of(str(line["type"]), line) for line in lines]
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise InvalidInputError(
            f"the quarantined item {entry.id} has lines that no import has: {error}"
        ) from None
    ids = {record.id for record in records if isinstance(record, Memory)}
    for record in records:
        if (
            (record.ns, record.key) != (entry.ns, entry.key)
            if isinstance(record, Memory)
            else ids.isdisjoint(memory_ids(record)) and (ids or not isinstance(record, AliasLine))
        ):
            raise InvalidInputError(
                f"the quarantined item {entry.id} has a line that belongs to another memory"
            )
    return records


def check_held(entry: Held) -> None:
    """Refuse a quarantined entry of an export that could never be released."""
    if not is_import(entry):
        draft_of_held(entry)
        return
    validate.namespace(entry.ns)
    validate.key(entry.key)
    records_of(entry)
