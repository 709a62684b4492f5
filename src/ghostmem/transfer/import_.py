"""Import the lines of an export, without losing or duplicating anything."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from os import PathLike
from typing import IO, Any

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
from ghostmem.store import FORMAT, TYPES, AliasLine, Store, Transaction, record_of, validate
from ghostmem.transfer import POLICIES
from ghostmem.transfer.ahead import ImportedText, PreparedTexts, TextsAhead, judging_note
from ghostmem.transfer.export import ExportReader, memory_ids
from ghostmem.transfer.import_quarantine import POLICY, ImportGate, check_held
from ghostmem.truth.sources import checked_alias, write_alias

BATCH = 500  # keys per transaction
MAX_EXAMPLES = 5  # memories in a note on an import
Progress = Callable[[int], None]


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


def leave_alone(report: ImportReport, kept: Memory | Draft, reason: str) -> None:
    """Count a key whose stored memory was kept, with a note on the reason."""
    report.skipped += 1
    report.notes.append(f"left {kept.ns}/{kept.key} alone: {reason}")


def import_(
    store: Store,
    source: IO[str] | Iterable[str],
    *,
    on_conflict: str = "update",
    dry_run: bool = False,
    trust: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import lines that `export` wrote, or the original Ghost's JSON array.

    Ids, versions, times and counters are kept. Versions that exist already stay unchanged, so
    importing twice changes nothing. A key that exists with another history follows `on_conflict`:
    "update" writes the imported content as its next version, "skip" keeps the stored one, "fail"
    stops before anything is written. The whole input is read and checked first. Keys with a text
    that looks like instructions go into quarantine, unless the input has this store's own mark or
    the caller sets `trust`."""
    check_options(on_conflict, dry_run, trust)
    if isinstance(source, bytes) or not isinstance(source, Iterable):
        raise InvalidInputError(
            f"source must be lines of text, not {validate.shown(source)}",
            "pass an open file, or lines",
        )
    reader = ExportReader(store)
    try:
        records = list(read_records(reader.lines(source), store.clock()))
    except InvalidInputError as error:
        raise nothing_imported(error) from None
    trusted = trust or reader.is_ours
    lowered = [] if trusted else _lower(records)
    report = merge(store, records, on_conflict, dry_run, progress, trust=trusted)
    report.notes += [*_missing_lines(reader, records), *lowered]
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
        claims = (record.from_user, record.pinned, record.locked)
        for names, claimed in zip(notes.values(), claims, strict=True):
            names += [f"{record.ns}/{record.key}"] if claimed and record.deleted_at is None else []
        records[number] = record.with_values(
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


def _missing_lines(reader: ExportReader, records: Iterable[Record]) -> Iterator[str]:
    """Yield a note if there are fewer memories than the header names."""
    found = sum(isinstance(record, Memory) for record in records)
    if reader.memories is not None and found < reader.memories:
        yield (
            f"the export had {reader.memories:,} memory lines, the input has {found:,}:"
            " check that the file is complete"
        )


def import_ghost(
    store: Store,
    path: str | PathLike[str],
    *,
    on_conflict: str = "update",
    dry_run: bool = False,
    trust: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import a database of the original Ghost: versions, edges, links, files, rules and counters.

    The database is never written. Keys with a text that looks like instructions go into quarantine,
    unless the caller sets `trust`."""
    from ghostmem.store import read_original

    check_options(on_conflict, dry_run, trust)
    original = read_original(str(validate.path(path, "path")))
    report = merge(store, original.records, on_conflict, dry_run, progress, trust=trust)
    report.notes[:0] = original.notes
    live = (r.ns for r in original.records if isinstance(r, Memory) and r.deleted_at is None)
    report.namespaces = dict(sorted(Counter(live).items()))
    return report


def nothing_imported(error: InvalidInputError) -> InvalidInputError:
    """Return the error about an input, which was checked before anything was written."""
    if "nothing" in f"{error.message} {error.hint}":
        return error
    return InvalidInputError(f"{error.message}; nothing was imported", error.hint)


def read_records(source: IO[str] | Iterable[str], now: datetime) -> Iterator[Record]:
    """Read and check every record of an export; an error names its line.

    Memories of an array that have no time are created `now`."""
    lines = iter(source)
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise InvalidInputError(
            "there is nothing to import: the input is empty", "pass the output of `ghost export`"
        )
    if first.lstrip("\ufeff").lstrip().startswith("["):
        yield from _array(first + "".join(lines), now)
        return
    header = _object(first.lstrip("\ufeff"), 1)
    if header.get("type") != "ghost" or not isinstance(header.get("format"), int):
        raise InvalidInputError(
            "line 1: this is not an export of Ghost",
            "pass the output of `ghost export`, or a JSON array",
        )
    if header["format"] > FORMAT:
        raise InvalidInputError(
            f"line 1: format {header['format']} is newer than {FORMAT}", "upgrade with pip"
        )
    for number, line in enumerate(lines, 2):
        if line.strip():
            yield _record(_object(line, number), number)


def _object(line: str, number: int) -> dict[str, Any]:
    data = _json(line, f"line {number}")
    if not isinstance(data, dict):
        raise InvalidInputError(
            f"line {number} is not an object: {validate.shown(data)}", "nothing was imported"
        )
    return data


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise InvalidInputError(f"{too_deep(where)}", "nothing was imported") from None
    except ValueError as error:
        raise InvalidInputError(f"{where} is not JSON: {error}", "nothing was imported") from None


def _record(data: Mapping[str, Any], number: int) -> Record:
    kind = data.get("type")
    if kind == "ghost":
        raise InvalidInputError(
            f"line {number}: another export begins here", "import the exports one after the other"
        )
    if not isinstance(kind, str) or kind not in TYPES:
        raise InvalidInputError(
            f"line {number}: unknown type {validate.shown(kind)}", f"known are: {', '.join(TYPES)}"
        )
    try:
        record = record_of(kind, data)
        if isinstance(record, Held):
            check_held(record)
        return checked_alias(record) if isinstance(record, SourceAlias) else record
    except (InvalidInputError, AttributeError, ValueError) as error:
        hint = error.hint if isinstance(error, InvalidInputError) else None
        raise InvalidInputError(f"line {number}: {error}", hint) from None


def _array(text: str, now: datetime) -> Iterator[Record]:
    """Read the export of the original Ghost: one JSON array of current memories."""
    rows = _json(text.lstrip("\ufeff"), "the input")
    if not rows:
        raise InvalidInputError("there is nothing to import: the array is empty")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InvalidInputError(
                f"item {number} is not an object: {validate.shown(row)}", "nothing was imported"
            )
        try:
            record = record_of("memory", _tidy(row, now), strict=False)
            validate.namespace(row["ns"])
        except InvalidInputError as error:
            raise InvalidInputError(f"item {number}: {error.message}", error.hint) from None
        yield record


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
    others = [record for record in records if not isinstance(record, Memory)]
    gate = ImportGate(store, others, on_conflict, trust=trust, dry_run=dry_run)
    _check_chains(chains)
    if on_conflict == "fail":
        _refuse_conflicts(store, chains)
    size = max(1, len(chains)) if dry_run else BATCH
    batches = [chains[start : start + size] for start in range(0, max(1, len(chains)), size)]
    if gate.is_closed:
        report.notes += judging_note(store, _texts(chains))
    done = 0
    with TextsAhead(store, batches, _texts, check=gate.is_closed) as ahead:
        for number, batch in enumerate(batches, 1):
            last = number == len(batches)
            texts = ahead.next()
            # The last transaction waits for the disk, and with it all before.
            with store.engine.write(durable=last, dry_run=dry_run) as tx:
                all_new = _merge_chains(store, tx, batch, on_conflict, report, gate, texts)
                for record in others if last else ():
                    if not gate.holds_other(tx, record):
                        _merge_other(tx, record, report)
            done += sum(map(len, batch))
            if progress is not None:
                progress(done)
            ahead.written(all_new=all_new)
    report.held += gate.held
    report.notes += gate.notes
    if not dry_run:
        catch_up(store, progress, known=ahead.vectors)
    return report


def _texts(chains: Sequence[list[Memory]]) -> Iterator[ImportedText]:
    """Yield the text of every version of some keys."""
    return (ImportedText.of(memory) for chain in chains for memory in chain)


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


def _with_new_ids(record: Record, new_ids: dict[str, str]) -> Record:
    match record:
        case Memory():
            before = record.supersedes and new_ids.get(record.supersedes, record.supersedes)
            return replace(record, id=new_ids.get(record.id, record.id), supersedes=before)
        case Edge() | Link():
            return replace(
                record,
                from_id=new_ids.get(record.from_id, record.from_id),
                to_id=new_ids.get(record.to_id, record.to_id),
            )
        case Access() | AliasLine():
            return replace(record, memory_id=new_ids.get(record.memory_id, record.memory_id))
    return record


def _check_chains(chains: list[list[Memory]]) -> None:
    for chain in chains:
        where = f"{chain[0].ns}/{chain[0].key}"
        if len({m.version for m in chain}) < len(chain):
            raise InvalidInputError(
                f"{where} has the same version twice in the input", "nothing was imported"
            )
        if any(m.deleted_at is None for m in chain[:-1]):
            raise InvalidInputError(
                f"{where} has more than one live version in the input", "nothing was imported"
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
    texts: PreparedTexts,
) -> bool:
    """Merge the versions of some keys; new keys that follow each other are written together.

    Returns whether none of the keys was stored before."""
    histories = tx.memories.histories((chain[0].ns, chain[0].key) for chain in chains)
    new: list[Memory] = []
    for chain in chains:
        ours = {m.id: m for m in histories.get((chain[0].ns, chain[0].key), ())}
        if not ours:
            if not gate.holds(tx, chain, chain, texts):
                new += [_with_id(store, memory) for memory in chain]
            continue
        write_new(store, tx, new, texts.rows)
        report.imported += len(new)
        new = []
        _merge_chain(store, tx, ours, chain, policy, report, gate, texts)
    write_new(store, tx, new, texts.rows)
    report.imported += len(new)
    return not histories


def _merge_chain(
    store: Store,
    tx: Transaction,
    ours: dict[str, Memory],
    chain: list[Memory],
    policy: str,
    report: ImportReport,
    gate: ImportGate,
    texts: PreparedTexts,
) -> None:
    """Merge the versions of a key with those that are stored."""
    fresh = [m for m in chain if m.id not in ours]
    report.unchanged += len(chain) - len(fresh)
    if not fresh:
        return
    continues = _continues(ours, chain, fresh)
    if not continues and (policy == "skip" or fresh[-1].deleted_at is not None):
        report.skipped += len(fresh)
        return
    if not continues and _has_text(ours.values(), fresh[-1]):
        report.unchanged += len(fresh)
        return
    accepted = {m.content for m in ours.values()}
    written = fresh if continues else fresh[-1:]
    if gate.holds(tx, chain, (m for m in written if m.content not in accepted), texts):
        return
    last = list(ours.values())[-1]
    if continues and not gate.is_trusted and last.deleted_at is None and is_users_own(last):
        leave_alone(report, last, "it is the user's own statement")
    elif continues:
        _continue(store, tx, last, fresh)
        report.imported += len(fresh)
    else:
        _as_next_version(store, tx, fresh[-1], report)


def _continues(ours: dict[str, Memory], chain: list[Memory], fresh: list[Memory]) -> bool:
    """Say whether the new versions directly follow the stored history."""
    known = {memory.id for memory in chain} - {memory.id for memory in fresh}
    newest = max((memory.version for memory in ours.values()), default=0)
    return set(ours) == known and fresh[0].version > newest


def _has_text(stored: Iterable[Memory], memory: Memory) -> bool:
    """Say whether an earlier import wrote the text of a memory as a version of the stored key."""
    text = (memory.content, memory.created_at)
    return any((version.content, version.created_at) == text for version in stored)


def _with_id(store: Store, memory: Memory) -> Memory:
    return memory if memory.id else memory.with_values(id=store.new_id(memory.created_at))


def _continue(store: Store, tx: Transaction, last: Memory, fresh: list[Memory]) -> None:
    """Append new versions to a stored history."""
    if last.deleted_at is None:
        tx.index.remove(last)
        tx.memories.change(last, "supersede", store.clock(), deleted_at=fresh[0].written_at)
    fresh = [_with_id(store, memory) for memory in fresh]
    write_new(store, tx, fresh)
    tx.carry(last.id, fresh[-1].id)


def _as_next_version(store: Store, tx: Transaction, memory: Memory, report: ImportReport) -> None:
    names = (*INHERITED, "created_at", "valid_from", "valid_to")
    fields = {name: getattr(memory, name) for name in names if name != "expires_at"}
    last = tx.memories.last(memory.ns, memory.key)
    if last is not None and last.content == memory.content and last.deleted_at is None:
        report.unchanged += 1
        return
    if last is not None and last.locked and last.deleted_at is None:
        leave_alone(report, last, "it is locked")
        return
    ttl = NEVER if memory.protected else None  # it would inherit the expiry of the stored one
    draft = Draft(memory.ns, memory.key, memory.content, fields, ttl, unlock=True)
    try:
        write_draft(store, tx, draft)
    except ConflictError as error:  # the user's own statement, which other sources do not replace
        leave_alone(report, draft, error.message)
    else:
        report.updated += 1


def _merge_other(tx: Transaction, record: Record, report: ImportReport) -> None:
    ids = memory_ids(record)
    memories = [tx.memories.by_id(memory_id) for memory_id in ids]
    name = f"{type(record).__name__.lower()} {' -> '.join(ids)}"
    if None in memories:
        report.notes.append(f"left out {name}: a memory it needs is not here")
        return
    if len({memory.ns for memory in memories if memory}) > 1:
        report.notes.append(f"left out {name}: it crosses namespaces")
        return
    match record:
        case Rule():
            _merge_rule(tx, record, report)
        case Held() if tx.quarantine.get(record.id) is None:
            tx.quarantine.add(record)
            report.held += 1
        case Edge():
            report.edges += tx.graph.add_edge(record)
        case Link():
            report.links += tx.graph.add_link(record)
        case Access():
            report.accesses += tx.journal.add_access(record)
        case AliasLine():
            report.aliases += tx.aliases.add(record.memory_id, record.alias)
        case SourceAlias():
            _merge_source_alias(tx, record, report)


def _merge_rule(tx: Transaction, rule: Rule, report: ImportReport) -> None:
    """Add a rule, unless its action could not be carried out."""
    try:
        check(rule.action_op, rule.action_params, rule.cond_similarity_gt)
    except InvalidInputError as error:
        report.notes.append(f"left out the rule {rule.name!r}: {error.message}")
    else:
        report.rules += tx.rules.put(rule)


def _merge_source_alias(tx: Transaction, alias: SourceAlias, report: ImportReport) -> None:
    """Add an alias, unless its spelling has one here or the result would contradict others."""
    known = {other.alias.casefold() for other in tx.source_aliases.all(NsFilter(alias.ns))}
    if alias.alias.casefold() in known:
        return
    try:
        write_alias(tx, alias)
    except (ConflictError, InvalidInputError) as error:
        report.notes.append(f"left out the source alias {alias.alias!r}: {error.message}")
    else:
        report.source_aliases += 1


def release_import(store: Store, held: Held, records: list[Record]) -> Memory:
    """Write the quarantined lines of an import, and drop them from the quarantine.

    An edge to a missing memory is left out; if that one is in quarantine too, releasing it adds the
    edge."""
    records = _without_clashes(store, records)
    chain = sorted(
        (record for record in records if isinstance(record, Memory)), key=lambda m: m.version
    )
    report, gate = ImportReport(), ImportGate(store, (), "update", trust=True, dry_run=False)
    with store.engine.write(within=(held.ns,)) as tx:
        if not tx.quarantine.drop(held.id):
            raise missing(held.id)  # another process has released it
        _check_chains([chain] if chain else [])
        if chain:
            policy = str(held.fields.get(POLICY, "update"))
            _merge_chains(store, tx, [chain], policy, report, gate, PreparedTexts(store))
            if report.notes:
                raise ConflictError(
                    f"{report.notes[0]}; the item stays in quarantine",
                    f"drop it: ghost quarantine drop {held.id}",
                )
        for record in records:
            if not isinstance(record, Memory) and all(
                m and m.ns == held.ns for m in map(tx.memories.by_id, memory_ids(record))
            ):
                _merge_other(tx, record, report)
        last = tx.memories.last(held.ns, held.key)
        if last is None:
            raise NotFoundError(
                f"{held.ns}/{held.key} is not here any more",
                f"drop it: ghost quarantine drop {held.id}",
            )
        outcome = Outcome.CREATED if report.imported == len(chain) else Outcome.UPDATED
        memory = replace(tx.memories.with_refs([last])[0], outcome=outcome)
    catch_up(store)
    return memory
