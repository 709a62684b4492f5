"""Import the lines of an export, without losing or duplicating anything."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from os import PathLike
from typing import IO, Any, TypeVar

from ghostmem.clock import format_time
from ghostmem.errors import ConflictError, InvalidInputError, NotFoundError
from ghostmem.lifecycle.actions import check
from ghostmem.memory.draft import INHERITED, NEVER, Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import missing
from ghostmem.memory.write import is_users_own, write_draft, write_new
from ghostmem.model import (
    LOCKED,
    Access,
    Edge,
    Held,
    Link,
    Memory,
    NsFilter,
    Outcome,
    Record,
    Rule,
    SourceAlias,
    SourceKind,
)
from ghostmem.schema import too_deep
from ghostmem.store import (
    FORMAT,
    TYPES,
    AliasLine,
    Store,
    Transaction,
    read_original,
    record_of,
    validate,
)
from ghostmem.transfer import POLICIES
from ghostmem.transfer.export import COUNT, is_our_export, memory_ids
from ghostmem.transfer.formats.base import capped, json_of, object_of
from ghostmem.transfer.import_quarantine import (
    POLICY,
    ImportGate,
    JudgedText,
    check_held,
    judge_new,
    judging_note,
)
from ghostmem.truth.sources import checked_alias, write_alias

BATCH = 500  # keys per transaction
_ID_FIELDS = ("id", "supersedes", "from_id", "to_id", "memory_id")
MAX_EXAMPLES = 5  # memories in a note on an import
Progress = Callable[[int], None]
Item = TypeVar("Item")


@dataclass(eq=False, repr=False)
class ImportReport(Record):
    """The counts of an import.

    `namespaces` has the number of current memories by namespace in a database of the original."""

    dry_run: bool = False
    imported: int = 0
    unchanged: int = 0
    updated: int = 0
    skipped: int = 0
    edges: int = 0
    links: int = 0
    accesses: int = 0
    aliases: int = field(default=0, metadata={"optional": True})
    held: int = field(default=0, metadata={"optional": True})
    rules: int = 0
    source_aliases: int = field(default=0, metadata={"optional": True})
    namespaces: dict[str, int] | None = field(default=None, metadata={"optional": True})
    notes: list[str] = field(default_factory=list)


def leave_alone(report: ImportReport, memory: Memory | Draft, reason: str) -> None:
    """Count a key whose stored memory was kept, with a note on the reason."""
    report.skipped += 1
    report.notes.append(f"left {memory.ns}/{memory.key} alone: {reason}")


def import_(
    store: Store,
    source: IO[str] | Iterable[str],
    *,
    on_conflict: str = "update",
    dry_run: bool = False,
    trust: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import the lines of `export`, or the JSON array of the original Ghost.

    Ids, versions, times and counters are kept, so importing twice changes nothing. Keys with
    text that looks like instructions are quarantined, unless the lines carry this store's own
    mark; `release` stores them later exactly as the import would have.

    Args:
        source: Open file or lines.
        on_conflict: For keys with a different history: "update" writes the next version, "skip"
            keeps the stored one, "fail" raises ConflictError before anything is written.
        dry_run: Change nothing; report what would happen.
        trust: Skip the quarantine.
        progress: Called with the number of lines done.
    """
    check_options(on_conflict, dry_run, trust)
    if isinstance(source, bytes) or not isinstance(source, Iterable):
        raise InvalidInputError(
            f"source must be lines of text, not {validate.shown(source)}",
            "pass an open file, or lines",
        )
    try:
        header, lines = _split(source)
        records = (
            [_record(line, number) for number, line in enumerate(lines, 2) if line.strip()]
            if header
            else list(_array("".join(lines), store.clock()))
        )
    except InvalidInputError as error:
        raise nothing_imported(error) from None
    trusted = trust or is_our_export(store, header, (line for line in lines if line.strip()))
    lowered = [] if trusted else _lower(records)
    report = merge(store, records, on_conflict, dry_run, progress, trust=trusted)
    memories, expected = sum(isinstance(record, Memory) for record in records), header.get(COUNT)
    if isinstance(expected, int) and memories < expected:
        report.notes.append(
            f"the export had {expected:,} memory lines, the input has {memories:,}:"
            " check that the file is complete"
        )
    report.notes += lowered
    return report


def _lower(records: list[Record]) -> list[str]:
    """Take from the records of somebody else's export what only the user can say.

    Returns notes on the memories that are not the user's words, pinned or locked any more."""
    notes: dict[str, list[str]] = {"the user's words": [], "pinned": [], "locked": []}
    for number, record in enumerate(records):
        if isinstance(record, AliasLine) and record.source_kind in (None, SourceKind.STATED):
            records[number] = replace(record, source_kind=SourceKind.IMPORT)
        if not isinstance(record, Memory):
            continue
        for names, claimed in zip(
            notes.values(), (record.from_user, record.pinned, record.locked), strict=True
        ):
            names += [f"{record.ns}/{record.key}"] if claimed and record.deleted_at is None else []
        records[number] = replace(
            record,
            source_kind=SourceKind.IMPORT if record.from_user else record.source_kind,
            pinned=False,
            tags=tuple(tag for tag in record.tags if tag != LOCKED),
        )
    return [
        f"not {claim}, because the export does not have this store's mark (--trust keeps it): "
        f"{len(names):,} memories, such as {', '.join(names[:MAX_EXAMPLES])}"
        for claim, names in notes.items()
        if names
    ]


def check_options(on_conflict: str, dry_run: bool, trust: bool) -> None:
    """Refuse options of an import that are not valid."""
    if on_conflict not in POLICIES:
        raise InvalidInputError(
            f"invalid on_conflict {validate.shown(on_conflict)}",
            f"must be one of: {', '.join(POLICIES)}",
        )
    validate.flags(dry_run=dry_run, trust=trust)


def import_ghost(
    store: Store,
    path: str | PathLike[str],
    *,
    on_conflict: str = "update",
    dry_run: bool = False,
    trust: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import a database of the original Ghost, which is only read.

    Args:
        path: Database file of the original Ghost.
        on_conflict: As in `import_`.
        dry_run: Change nothing; report what would happen.
        trust: Skip the quarantine.
        progress: Called with the number of memories done.
    """
    check_options(on_conflict, dry_run, trust)
    original = read_original(str(validate.path(path, "path")))
    report = merge(store, original.records, on_conflict, dry_run, progress, trust=trust)
    report.notes[:0] = original.notes
    live = (r.ns for r in original.records if isinstance(r, Memory) and r.deleted_at is None)
    report.namespaces = dict(sorted(Counter(live).items()))
    return report


def nothing_imported(error: InvalidInputError) -> InvalidInputError:
    """Return the error about an input, which was checked before anything was written."""
    return (
        error
        if "nothing" in f"{error.message} {error.hint}"
        else InvalidInputError(f"{error.message}; nothing was imported", error.hint)
    )


def _split(source: Iterable[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the header of an export and the lines after it; an array has an empty header."""
    lines = list(source)
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines:
        raise InvalidInputError(
            "there is nothing to import: the input is empty", "pass the output of `ghost export`"
        )
    if not isinstance(lines[0], str):
        raise InvalidInputError(
            f"line 1 must be text, not {type(lines[0]).__name__}", "open the file in text mode"
        )
    lines[0] = lines[0].lstrip("\ufeff")
    if lines[0].lstrip().startswith("["):
        return {}, lines
    header = object_of(json_of(lines.pop(0), "line 1"), "line 1")
    if header.get("type") != "ghost" or not isinstance(header.get("format"), int):
        raise InvalidInputError(
            "line 1: this is not an export of Ghost",
            "pass the output of `ghost export`, or a JSON array",
        )
    if header["format"] > FORMAT:
        raise InvalidInputError(
            f"line 1: format {header['format']} is newer than {FORMAT}", "upgrade with pip"
        )
    return header, lines


def _record(line: str, number: int) -> Record:
    place = f"line {number}"
    data = object_of(json_of(line, place), place)
    kind = data.get("type")
    if kind == "ghost":
        raise InvalidInputError(
            f"{place}: another export begins here", "import the exports one after the other"
        )
    if not isinstance(kind, str) or kind not in TYPES:
        raise InvalidInputError(
            f"{place}: unknown type {validate.shown(kind)}", f"known are: {', '.join(TYPES)}"
        )
    return _checked(place, kind, data)


def _array(text: str, now: datetime) -> Iterator[Record]:
    """Read the export of the original Ghost: one JSON array of current memories."""
    if not (rows := json_of(text, "the input")):
        raise InvalidInputError("there is nothing to import: the array is empty")
    for number, row in enumerate(rows, 1):
        place = f"item {number}"
        yield _checked(place, "memory", object_of(row, place), now)


def _checked(
    place: str, kind: str, data: dict[str, Any], created: datetime | None = None
) -> Record:
    """Return a record of a line, or of an array, whose memories may lack a time of creation."""
    try:
        if created is not None:
            data = _tidy(data, created)
        record = record_of(kind, data, strict=created is None)
        if isinstance(record, Memory) and created is not None:
            validate.namespace(record.ns)
        if isinstance(record, Held):
            check_held(record)
        return checked_alias(record) if isinstance(record, SourceAlias) else record
    except (InvalidInputError, AttributeError, ValueError) as error:
        raise InvalidInputError(
            f"{place}: {error}", error.hint if isinstance(error, InvalidInputError) else None
        ) from None


def _tidy(row: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Convert meta as text and the tier `archived` of the original Ghost; add id and time."""
    row = dict(row)
    if isinstance(row.get("meta"), str):
        try:
            row["meta"] = json.loads(row["meta"])
        except RecursionError:
            raise too_deep("meta") from None
        except ValueError:
            row["meta"] = {"original": row["meta"]}
    if row.get("tier") == "archived":
        row["tier"] = "dormant"
    defaults = {"id": "", "created_at": format_time(now)}
    return row | {name: value for name, value in defaults.items() if row.get(name) is None}


def merge(
    store: Store,
    records: list[Record],
    on_conflict: str,
    dry_run: bool,
    progress: Progress | None = None,
    *,
    trust: bool = False,
) -> ImportReport:
    """Write checked records key by key, in batches that let other processes in between."""
    report = ImportReport(dry_run=dry_run)
    records = _without_clashes(store, records)
    memories = sorted(
        (r for r in records if isinstance(r, Memory)), key=lambda m: (m.ns, m.key, m.version)
    )
    chains = [list(group) for _, group in groupby(memories, key=lambda m: (m.ns, m.key))]
    attached = [record for record in records if not isinstance(record, Memory)]
    gate = ImportGate(store, attached, on_conflict, trust=trust, dry_run=dry_run)
    _check_chains(chains)
    if on_conflict == "fail":
        _refuse_conflicts(store, chains)
    if gate.is_closed:
        report.notes += judging_note(store, _texts(chains))

    def write(tx: Transaction, batch: Sequence[list[Memory]], is_last: bool) -> int:
        _merge_chains(store, tx, batch, on_conflict, report, gate)
        for record in attached if is_last else ():
            if not gate.holds_other(tx, record):
                _merge_other(tx, record, report)
        return sum(map(len, batch))

    write_batches(
        store, chains, write, _texts if gate.is_closed else None, dry_run=dry_run, progress=progress
    )
    report.held += gate.held
    report.notes += capped(gate.messages)
    if not dry_run:
        catch_up(store, progress)
    return report


def write_batches(
    store: Store,
    items: Sequence[Item],
    write: Callable[[Transaction, Sequence[Item], bool], int],
    texts: Callable[[Sequence[Item]], list[JudgedText]] | None,
    *,
    dry_run: bool,
    progress: Progress | None,
) -> None:
    """Write items in transactions that let other processes in between.

    Args:
        write: writes a batch, which may be the last one, and returns the number of memories.
        texts: returns the texts of a batch that are to be judged before it is written."""
    size = max(1, len(items)) if dry_run else BATCH
    done = 0
    for start in range(0, max(1, len(items)), size):
        batch, is_last = items[start : start + size], start + size >= len(items)
        if texts is not None:
            judge_new(store, texts(batch))
        # The last transaction waits for the disk, and with it all before.
        with store.engine.write(durable=is_last, dry_run=dry_run) as tx:
            done += write(tx, batch, is_last)
        if progress is not None:
            progress(done)


def _texts(chains: Sequence[list[Memory]]) -> list[JudgedText]:
    return [(memory, vars(memory)) for chain in chains for memory in chain]


def _without_clashes(store: Store, records: list[Record]) -> list[Record]:
    """Give new ids to versions whose id another key of this store has."""
    seen: set[str] = set()
    new_ids: dict[str, str] = {}
    with store.engine.read() as tx:
        for memory in (record for record in records if isinstance(record, Memory) and record.id):
            if memory.id in seen:
                raise InvalidInputError(
                    f"the id {memory.id} occurs twice in the input", "nothing was imported"
                )
            seen.add(memory.id)
            stored = tx.memories.by_id(memory.id)
            if stored is not None and (stored.ns, stored.key) != (memory.ns, memory.key):
                new_ids[memory.id] = store.new_id(memory.written_at)
    return [_with_new_ids(record, new_ids) for record in records] if new_ids else records


def _with_new_ids(record: Any, new_ids: Mapping[str, str]) -> Record:
    ids = {name: str(getattr(record, name, "")) for name in _ID_FIELDS}
    result: Record = replace(
        record, **{name: new_ids[id_] for name, id_ in ids.items() if id_ in new_ids}
    )
    return result


def _check_chains(chains: list[list[Memory]]) -> None:
    for chain in chains:
        place = f"{chain[0].ns}/{chain[0].key}"
        if len({m.version for m in chain}) < len(chain):
            raise InvalidInputError(
                f"{place} has the same version twice in the input", "nothing was imported"
            )
        if any(m.deleted_at is None for m in chain[:-1]):
            raise InvalidInputError(
                f"{place} has more than one live version in the input", "nothing was imported"
            )


def _refuse_conflicts(store: Store, chains: list[list[Memory]]) -> None:
    with store.engine.read() as tx:
        for chain in chains:
            last = tx.memories.last(chain[0].ns, chain[0].key)
            if last is not None and last.id not in {m.id for m in chain}:
                raise ConflictError(
                    f"{last.ns}/{last.key} exists with other content; nothing was imported",
                    "choose --on-conflict update or skip",
                )


def _merge_chains(
    store: Store,
    tx: Transaction,
    chains: Sequence[list[Memory]],
    policy: str,
    report: ImportReport,
    gate: ImportGate,
) -> None:
    """Merge the versions of some keys; new keys that follow each other are written together."""
    histories = tx.memories.histories((chain[0].ns, chain[0].key) for chain in chains)
    for is_stored, group in groupby(chains, lambda chain: (chain[0].ns, chain[0].key) in histories):
        if is_stored:
            for chain in group:
                ours = {m.id: m for m in histories[chain[0].ns, chain[0].key]}
                _merge_chain(store, tx, ours, chain, policy, report, gate)
        else:
            new = [
                _with_id(store, memory)
                for chain in group
                if not gate.holds(tx, chain, chain)
                for memory in chain
            ]
            write_new(store, tx, new)
            report.imported += len(new)


def _merge_chain(
    store: Store,
    tx: Transaction,
    ours: dict[str, Memory],
    chain: list[Memory],
    policy: str,
    report: ImportReport,
    gate: ImportGate,
) -> None:
    fresh = [m for m in chain if m.id not in ours]
    report.unchanged += len(chain) - len(fresh)
    if not fresh:
        return
    # whether the new versions directly follow the stored history
    continues = set(ours) == {m.id for m in chain} - {m.id for m in fresh} and (
        fresh[0].version > max(m.version for m in ours.values())
    )
    if not continues and (policy == "skip" or fresh[-1].deleted_at is not None):
        report.skipped += len(fresh)
        return
    text = (fresh[-1].content, fresh[-1].created_at)
    if not continues and text in {(m.content, m.created_at) for m in ours.values()}:
        report.unchanged += len(fresh)  # an earlier import wrote it as a version of this key
        return
    accepted = {m.content for m in ours.values()}
    written = fresh if continues else fresh[-1:]
    if gate.holds(tx, chain, (m for m in written if m.content not in accepted)):
        return
    last = list(ours.values())[-1]
    if continues and not gate.is_trusted and last.deleted_at is None and is_users_own(last):
        leave_alone(report, last, "it is the user's own statement")
    elif continues:
        _continue(store, tx, last, fresh)
        report.imported += len(fresh)
    else:
        _as_next_version(store, tx, fresh[-1], report)


def _with_id(store: Store, memory: Memory) -> Memory:
    return memory if memory.id else replace(memory, id=store.new_id(memory.created_at))


def _continue(store: Store, tx: Transaction, last: Memory, fresh: list[Memory]) -> None:
    if last.deleted_at is None:
        tx.index.remove(last)
        tx.memories.change(last, "supersede", store.clock(), deleted_at=fresh[0].written_at)
    fresh = [_with_id(store, memory) for memory in fresh]
    write_new(store, tx, fresh)
    tx.carry(last.id, fresh[-1].id)


def _as_next_version(store: Store, tx: Transaction, memory: Memory, report: ImportReport) -> None:
    fields = {
        name: getattr(memory, name)
        for name in (*INHERITED, "created_at", "valid_from", "valid_to")
        if name != "expires_at"
    }
    last = tx.memories.last(memory.ns, memory.key)
    if last is not None and last.content == memory.content and last.deleted_at is None:
        report.unchanged += 1
        return
    ttl = NEVER if memory.protected else None  # it would inherit the expiry of the stored one
    draft = Draft(memory.ns, memory.key, memory.content, fields, ttl, unlock=True)
    report.updated += write_next(store, tx, draft, last, report) is not None


def write_next(
    store: Store, tx: Transaction, draft: Draft, last: Memory | None, report: ImportReport
) -> Memory | None:
    """Write the next version of a key; None if its `last` version was kept instead."""
    if last is not None and last.locked and last.deleted_at is None:
        leave_alone(report, last, "it is locked")
        return None
    try:
        return write_draft(store, tx, draft)
    except ConflictError as error:  # the user's own statement, which other sources do not replace
        leave_alone(report, draft, error.message)
        return None


def _merge_other(tx: Transaction, record: Record, report: ImportReport) -> None:
    memories = [tx.memories.by_id(memory_id) for memory_id in memory_ids(record)]
    counter, add = _ADDERS[type(record)]
    try:
        if None in memories:
            raise ConflictError("a memory it needs is not here")
        if len(names := {memory.ns for memory in memories if memory}) > 1:
            raise ConflictError("it crosses namespaces")
        setattr(report, counter, getattr(report, counter) + add(tx.of("".join(names)), record))
    except (ConflictError, InvalidInputError) as error:
        report.notes.append(f"left out {_name(record)}: {error.message}")


def _name(record: Record) -> str:
    match record:
        case Rule():
            return f"the rule {record.name!r}"
        case SourceAlias():
            return f"the source alias {record.alias!r}"
    return f"{type(record).__name__.lower()} {' -> '.join(memory_ids(record))}"


def _add_rule(tx: Transaction, rule: Rule) -> bool:
    """Add a rule, unless its action could not be carried out."""
    check(rule.action_op, rule.action_params, rule.cond_similarity_gt)
    return tx.rules.put(rule)


def _add_held(tx: Transaction, entry: Held) -> bool:
    if tx.quarantine.get(entry.id) is not None:
        return False
    tx.quarantine.add(entry)
    return True


def _add_source_alias(tx: Transaction, alias: SourceAlias) -> bool:
    """Add an alias, unless its spelling has one here or the result would contradict others."""
    if alias.alias.casefold() in {
        existing.alias.casefold() for existing in tx.source_aliases.all(NsFilter(alias.ns))
    }:
        return False
    write_alias(tx, alias)
    return True


# The field of the report that counts a type of record, and the function that adds one if it is new.
_ADDERS: Mapping[type[Record], tuple[str, Callable[[Transaction, Any], int]]] = {
    Edge: ("edges", lambda tx, edge: tx.graph.add_edge(edge)),
    Link: ("links", lambda tx, link: tx.graph.add_link(link)),
    Access: ("accesses", lambda tx, access: tx.journal.add_access(access)),
    AliasLine: ("aliases", lambda tx, line: tx.aliases.add(line.memory_id, line.alias)),
    Held: ("held", _add_held),
    Rule: ("rules", _add_rule),
    SourceAlias: ("source_aliases", _add_source_alias),
}


def release_import(store: Store, entry: Held, records: list[Record]) -> Memory:
    """Write the quarantined lines of an import, and drop them from the quarantine.

    An edge to a missing memory is left out; if that one is in quarantine too, releasing it adds the
    edge."""
    records = _without_clashes(store, records)
    chain = sorted((r for r in records if isinstance(r, Memory)), key=lambda m: m.version)
    chains, policy = [chain] if chain else [], str(entry.fields.get(POLICY, "update"))
    _check_chains(chains)
    report, gate = ImportReport(), ImportGate(store, (), "update", trust=True, dry_run=False)
    with store.engine.write(within=(entry.ns,)) as tx:
        if not tx.quarantine.drop(entry.id):
            raise missing(entry.id)  # another process has released it
        _merge_chains(store, tx, chains, policy, report, gate)
        if report.notes:
            raise ConflictError(
                f"{report.notes[0]}; the item stays in quarantine",
                f"drop it: ghost quarantine drop {entry.id}",
            )
        for record in records:
            if not isinstance(record, Memory) and all(
                m and m.ns == entry.ns for m in map(tx.memories.by_id, memory_ids(record))
            ):
                _merge_other(tx, record, report)
        if (last := tx.memories.last(entry.ns, entry.key)) is None:
            raise NotFoundError(
                f"{entry.ns}/{entry.key} is not here any more",
                f"drop it: ghost quarantine drop {entry.id}",
            )
        memory = replace(
            tx.memories.with_refs([last])[0],
            outcome=Outcome.CREATED if report.imported == len(chain) else Outcome.UPDATED,
        )
    catch_up(store)
    return memory
