"""verify: prove that the change log was not rewritten, and list it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

from ghostmem.clock import as_time, read_time
from ghostmem.errors import InvalidInputError
from ghostmem.model import Memory, Record, optional
from ghostmem.store import validate
from ghostmem.store.chain import Head, Line, chained, rolled
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, eq=False, repr=False)
class Chain(Record):
    """The log of one namespace: its lines, those from before there was a chain, its end, and what
    is wrong first.
    """

    ns: str
    lines: int
    unchained: int
    head: str = optional("")
    broken: str = optional("")


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Record):
    """Whether the log is whole; `head` stands for all of it, and can be noted elsewhere to be
    compared with later.

    `known` says where a head that was given stood; `broken` has one sentence for everything that is
    wrong."""

    ok: bool
    lines: int
    unchained: int
    head: str
    chains: tuple[Chain, ...]
    known: str = optional("")
    broken: tuple[str, ...] = optional(())


@dataclass(frozen=True, eq=False, repr=False)
class LogLine(Record):
    """One line of the log; the key is not in it, and is told only while the memory is there."""

    ns: str
    seq: int
    op: str
    memory_id: str
    at: datetime | None = optional()
    actor: str | None = optional()
    key: str | None = optional()


def verify(store: Store, head: str | None = None) -> Verification:
    """Compute every hash of the change log again and say what does not fit.

    With `head`, also where that one stood.

    Whoever can write the file can write a whole new chain; only a head that is kept elsewhere shows
    that."""
    wanted = None if head is None else _digest(head)
    with store.engine.snapshot() as tx:
        heads = {one.number: one for one in tx.journal.heads()}
        found = {number: _chain(heads.get(number), lines) for number, lines in _by_namespace(tx)}
        for number, one in heads.items():
            found.setdefault(number, _chain(one, iter(())))
        digest, order, known = _roll(tx, wanted)
    chains = tuple(found[number] for number in sorted(found))
    broken = [f"{chain.ns}: {chain.broken}" for chain in chains if chain.broken] or [order] * bool(
        order
    )
    if wanted is not None and not known:
        broken.append(
            f"the head {wanted} never stood in this log: lines before it were rewritten, "
            "or it is another store's"
        )
    lines, unchained = (
        sum(chain.lines for chain in chains),
        sum(chain.unchained for chain in chains),
    )
    return Verification(not broken, lines, unchained, digest, chains, known, tuple(broken))


def _digest(text: str) -> str:
    found = validate.text(text, "head").strip().lower()
    if len(found) != 64 or not HEX.issuperset(found):
        hint = "give the 64 digits that `ghost audit verify` printed"
        raise InvalidInputError(f"the head {validate.shown(text)} is not a digest", hint)
    return found


def _by_namespace(tx: Transaction) -> Iterator[tuple[int, Iterable[Line]]]:
    yield from groupby(tx.journal.lines(), key=lambda line: line.number)


def _chain(head: Head | None, lines: Iterable[Line]) -> Chain:
    """Follow one namespace's chain to its end, and name the first line that does not fit."""
    count = unchained = last = 0
    before = broken = ""
    for line in lines:
        count += 1
        if not broken:
            broken = _wrong(before, last, line)
        last = line.seq
        unchained += line.hash is None
        before = line.hash or before
    if head is None:
        return Chain(
            "(unknown)",
            count,
            unchained,
            before,
            broken or "the namespace of these lines is missing",
        )
    if not broken and last < head.sequence:
        broken = f"cut off after line {last}: there were {head.sequence}"
    if not broken and (last > head.sequence or before != (head.head or "")):
        broken = (
            f"line {last} is not the one the namespace ends with: lines were added, "
            "or its end was changed"
        )
    return Chain(head.name, count, unchained, before, broken)


def _wrong(before: str, last: int, line: Line) -> str:
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


def _roll(tx: Transaction, wanted: str | None) -> tuple[str, str, str]:
    """Return the digest of all lines in the order they were written, what is wrong with that order,
    and where one stood.
    """
    digest = broken = ""
    last = count = loose = 0
    stood, place = None, 0
    for line in tx.journal.lines(in_order=True):
        count += 1
        loose += (
            line.line is None and line.hash is not None
        )  # an engine that writes namespaces side by side has no one order
        number = last + 1 if line.line is None else line.line
        if number != last + 1 and not broken:
            broken = f"line {last + 1} of the whole log is missing"
        last = number
        if line.hash is not None:
            digest = rolled(digest, line.hash)
            if wanted in (digest, line.hash):
                stood, place = line, count
    broken = "" if loose else broken
    if stood is None:
        return digest, broken, ""
    when = f", written {stood.at}" if stood.at else ""
    if stood.hash == wanted:
        return (
            digest,
            broken,
            f"it stood at line {stood.seq} of its namespace{when}; nothing of that up to "
            "there was changed",
        )
    return (
        digest,
        broken,
        f"it stood at line {place} of {count}{when}; nothing up to there was changed",
    )


def audit_log(
    store: Store,
    ns: str | None = None,
    *,
    since: datetime | str | None = None,
    limit: int | None = None,
) -> list[LogLine]:
    """List the change log, oldest first: who changed which memory, how and when.

    With `limit`, only the latest so many.
    """
    which = validate.ns_filter(ns)
    after = None if since is None else as_time(since, "since")
    with store.engine.read() as tx:
        names = {one.number: one.name for one in tx.journal.heads() if which.matches(one.name)}
        picked = [
            line
            for line in tx.journal.lines(in_order=True)
            if line.number in names and (after is None or (line.at and read_time(line.at) >= after))
        ]
        picked = picked[-limit:] if limit else picked
        there = tx.memories.by_ids(sorted({line.memory_id for line in picked}))
    return [_told(line, names[line.number], there.get(line.memory_id)) for line in picked]


def _told(line: Line, ns: str, memory: Memory | None) -> LogLine:
    at = read_time(line.at) if line.at else None
    return LogLine(
        ns, line.seq, line.op, line.memory_id, at, line.actor, memory.key if memory else None
    )
