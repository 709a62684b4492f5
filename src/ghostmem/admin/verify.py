"""Verify the hash chain of the audit log, and list the log."""

import re
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby

from ghostmem.clock import as_time, read_time
from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.model import Record, optional
from ghostmem.store import ChainLine, Head, Store, Transaction, chained, rolled, validate


@frozen
class Chain(Record):
    """The log of a namespace: its lines, those without a hash, its head, and the first error."""

    ns: str
    lines: int
    unchained: int
    head: str = optional("")
    broken: str = optional("")


@frozen
class Verification(Record):
    """Whether the log is unchanged; `head` is its hash, to be kept elsewhere and compared later.

    `known` says where a given head was found; `broken` has a sentence for each error."""

    ok: bool
    lines: int
    unchained: int
    head: str
    chains: tuple[Chain, ...]
    known: str = optional("")
    broken: tuple[str, ...] = optional(())


@frozen
class LogLine(Record):
    """A line of the log; its key is looked up, so it is missing if the memory was deleted."""

    ns: str
    seq: int
    op: str
    memory_id: str
    at: datetime | None = optional()
    actor: str | None = optional()
    key: str | None = optional()


def verify(store: Store, *, head: str | None = None) -> Verification:
    """Verify the hash chain of the audit log; with `head`, say where that hash was reached.

    Args:
        head: Hash that an earlier verification returned.
    """
    wanted = None if head is None else validate.text(head, "head").strip().lower()
    if wanted is not None and not re.fullmatch("[0-9a-f]{64}", wanted):
        raise InvalidInputError(
            f"the head {validate.shown(head)} is not a digest",
            "give the 64 digits that `ghost audit verify` printed",
        )
    with store.engine.snapshot() as tx:
        heads = {stored.number: stored for stored in tx.journal.heads()}
        by_number = {
            number: _chain(heads.get(number), lines)
            for number, lines in groupby(tx.journal.lines(), key=lambda line: line.number)
        }
        by_number |= {
            number: _chain(heads[number], ()) for number in heads.keys() - by_number.keys()
        }
        digest, order, known = _digest_of_all(tx, wanted)
    chains = tuple(by_number[number] for number in sorted(by_number))
    broken = [f"{chain.ns}: {chain.broken}" for chain in chains if chain.broken] or (
        [order] if order else []
    )
    if wanted is not None and not known:
        broken.append(
            f"the head {wanted} was never in this log: lines before it were rewritten, "
            "or it is another store's"
        )
    return Verification(
        not broken,
        sum(chain.lines for chain in chains),
        sum(chain.unchained for chain in chains),
        digest,
        chains,
        known,
        tuple(broken),
    )


def _chain(head: Head | None, lines: Iterable[ChainLine]) -> Chain:
    """Recompute the chain of a namespace, and name the first line with an error."""
    count = unchained = last = 0
    before = broken = ""
    for line in lines:
        count += 1
        broken = broken or _error(before, last, line)
        last = line.seq
        unchained += line.hash is None
        before = line.hash or before
    if head is None:
        broken = broken or "the namespace of these lines is missing"
        return Chain("(unknown)", count, unchained, before, broken)
    if not broken and last < head.sequence:
        broken = f"cut off after line {last}: there were {head.sequence}"
    if not broken and (last > head.sequence or before != (head.head or "")):
        broken = (
            f"line {last} is not the one the namespace ends with: lines were added, "
            "or its end was changed"
        )
    return Chain(head.name, count, unchained, before, broken)


def _error(before: str, last: int, line: ChainLine) -> str:
    if line.seq != last + 1:
        return (
            f"line {last + 1} is missing"
            if line.seq == last + 2
            else f"lines {last + 1} to {line.seq - 1} are missing"
        )
    if line.hash is None:
        return f"line {line.seq} has lost its hash" if before else ""
    return (
        ""
        if chained(before, line) == line.hash
        else f"line {line.seq} was changed, inserted or moved"
    )


def _digest_of_all(tx: Transaction, wanted: str | None) -> tuple[str, str, str]:
    """Return the digest of all lines in order, an error in that order, and where a head was."""
    digest = broken = ""
    last = count = unordered = 0
    match, place = None, 0
    for line in tx.journal.lines(in_order=True):
        count += 1
        # An engine that writes namespaces concurrently has no common order.
        unordered += line.line is None and line.hash is not None
        number = last + 1 if line.line is None else line.line
        if number != last + 1 and not broken:
            broken = f"line {last + 1} of the whole log is missing"
        last = number
        if line.hash is not None:
            digest = rolled(digest, line.hash)
            if wanted in (digest, line.hash):
                match, place = line, count
    broken = "" if unordered else broken
    if match is None:
        return digest, broken, ""
    when = f", written {match.at}" if match.at else ""
    known = (
        f"line {match.seq} of its namespace{when}; nothing of that"
        if match.hash == wanted
        else f"line {place} of {count}{when}; nothing"
    )
    return digest, broken, f"it stood at {known} up to there was changed"


def audit_log(
    store: Store,
    ns: str | None = None,
    *,
    since: datetime | str | None = None,
    limit: int | None = None,
) -> list[LogLine]:
    """Return the audit log, oldest first; with `limit`, only the latest entries.

    Args:
        ns: Namespace, a prefix such as "agent:*", or None for all.
        since: Only entries from this time on.
        limit: Maximum number of entries, the latest ones; default: all.
    """
    chosen = validate.ns_filter(ns)
    if limit is not None:
        limit = validate.positive(limit, "limit")
    after = None if since is None else as_time(since, "since")
    with store.engine.read() as tx:
        names = {head.number: head.name for head in tx.journal.heads() if chosen.matches(head.name)}
        lines = [
            line
            for line in tx.journal.lines(in_order=True)
            if line.number in names and (after is None or (line.at and read_time(line.at) >= after))
        ]
        lines = lines[-limit:] if limit else lines
        memories = tx.memories.by_ids(sorted({line.memory_id for line in lines}))
    keys = {memory.id: memory.key for memory in memories.values()}
    return [
        LogLine(
            names[line.number],
            line.seq,
            line.op,
            line.memory_id,
            read_time(line.at) if line.at else None,
            line.actor,
            keys.get(line.memory_id),
        )
        for line in lines
    ]
