"""The home page: namespaces with counts, decisions that wait, recent changes and memories.

It is read each time the viewer opens, so nothing here reads all memories.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ghostmem.clock import earlier, read_time
from ghostmem.model import Memory, Record, optional
from ghostmem.store import Filter, Group, Store, Transaction, validate
from ghostmem.store.journal import LatestChange
from ghostmem.text.excerpt import summary_line
from ghostmem.truth.conflicts import count_conflicts

MAX_SHOWN = 10  # changes, and new memories
MIN_LINES, MAX_LINES = 40, 200  # read of the audit log of a namespace: the last, and of a day
MAX_LOGS = 12  # namespaces, the ones that were written last, whose audit logs are read
MAX_SUMMARY = 160
DAY = timedelta(days=1)
# operations of the audit log that are shown, and what they did; a later put is an update
_SHOWN = {"put": "added", "remove": "deleted", "restore": "restored"}


@dataclass(frozen=True, eq=False, repr=False)
class HomeNamespace(Record):
    """A namespace with its live memories, and how many changed within a day."""

    ns: str
    memories: int
    newest: datetime
    changed: int


@dataclass(frozen=True, eq=False, repr=False)
class RecentChange(Record):
    """A change of a memory; `before` is the text that an update replaced."""

    ns: str
    key: str
    version: int
    change: str
    at: datetime
    summary: str
    kind: str
    tier: str
    before: str | None = optional()
    pinned: bool = optional(False)
    tags: tuple[str, ...] = optional(())
    source_user: str | None = optional()
    source_client: str | None = optional()


@dataclass(frozen=True, eq=False, repr=False)
class Home(Record):
    """An overview; `today` counts the changes of the last 24 hours by what was done.

    `more` says that there were too many changes to count them all. `changes` are updates and
    deletions, `added` are new memories, both newest first."""

    ns: str
    total: int
    est_tokens: int
    pinned: int
    tiers: Mapping[str, int]
    namespaces: tuple[HomeNamespace, ...]
    contradictions: int
    quarantine: int
    today: Mapping[str, int]
    more: bool
    changes: tuple[RecentChange, ...]
    added: tuple[RecentChange, ...]


@dataclass(frozen=True, eq=False, repr=False)
class WaitingDecisions(Record):
    """The number of decisions that wait for a person."""

    contradictions: int
    quarantine: int


def waiting(store: Store, ns: str | None = None) -> WaitingDecisions:
    """Count the decisions that wait, without reading the memories."""
    which, now = validate.ns_filter(ns), store.clock()
    with store.engine.read() as tx:
        return WaitingDecisions(count_conflicts(tx, which, now), len(tx.quarantine.all(which)))


def home(store: Store, ns: str | None = None) -> Home:
    """Return the overview of one or several namespaces; nothing is counted as read."""
    which, now = validate.ns_filter(ns), store.clock()
    live, since = Filter(ns=which, now=now), earlier(now, DAY)
    with store.engine.read() as tx:
        groups = tx.listing.groups(live, "ns", "tier")
        last = _last_written(groups)
        latest = sorted(last, key=lambda name: (last[name], name), reverse=True)[:MAX_LOGS]
        changes, more = _changes(tx, latest, since)
        added = [change for change in changes if change.change == "added"]
        other = [change for change in changes if change.change != "added"][:MAX_SHOWN]
        shown = tuple(_with_before(tx, change) for change in other)
        contradictions = count_conflicts(tx, which, now)
        held = len(tx.quarantine.all(which))
    today = [change for change in changes if change.at >= since]
    by_ns = Counter(change.ns for change in today)
    memories, tiers = Counter[str](), Counter[str]()
    for group in groups:
        memories[group.ns] += group.memories
        tiers[group.tier] += group.memories
    return Home(
        which,
        sum(memories.values()),
        sum(group.est_tokens for group in groups),
        sum(group.pinned for group in groups),
        tiers,
        tuple(
            HomeNamespace(name, count, last[name], by_ns[name])
            for name, count in sorted(memories.items(), key=lambda item: (-item[1], item[0]))
        ),
        contradictions,
        held,
        Counter(change.change for change in today),
        more,
        shown,
        tuple(added[:MAX_SHOWN]),
    )


def _last_written(groups: Iterable[Group]) -> dict[str, datetime]:
    """Return when each namespace got its newest memory."""
    last: dict[str, datetime] = {}
    for group in groups:
        last[group.ns] = max(last.get(group.ns, group.newest), group.newest)
    return last


def _changes(
    tx: Transaction, namespaces: Iterable[str], since: datetime
) -> tuple[list[RecentChange], bool]:
    """Return the last change of each memory, newest first, and whether some were not read."""
    changes: list[RecentChange] = []
    more = False
    for ns in namespaces:
        lines = tx.journal.latest(ns, MAX_LINES)
        more = more or (len(lines) == MAX_LINES and read_time(lines[-1].at) >= since)
        changes += _of_log(tx, lines, since)
    changes.sort(key=lambda change: (change.at, change.ns, change.key), reverse=True)
    return changes, more


def _of_log(tx: Transaction, lines: list[LatestChange], since: datetime) -> Iterator[RecentChange]:
    """Yield the last change of each memory in a log: all since a time, or else the last few."""
    shown = [line for line in lines if line.op in _SHOWN]
    recent = [line for line in shown if read_time(line.at) >= since]
    lines = recent if len(recent) > MIN_LINES else shown[:MIN_LINES]
    memories = tx.memories.by_ids([line.memory_id for line in lines])
    seen: set[str] = set()
    for line in lines:
        memory = memories.get(line.memory_id)
        if memory is not None and memory.key not in seen:
            seen.add(memory.key)
            yield _change(memory, line)


def _change(memory: Memory, line: LatestChange) -> RecentChange:
    done = _SHOWN[line.op]
    return RecentChange(
        memory.ns,
        memory.key,
        memory.version,
        "updated" if done == "added" and memory.version > 1 else done,
        read_time(line.at),
        summary_line(memory.content, MAX_SUMMARY),
        memory.kind,
        memory.tier,
        None,
        memory.pinned,
        memory.tags,
        memory.source_user,
        memory.source_client,
    )


def _with_before(tx: Transaction, change: RecentChange) -> RecentChange:
    """Add the text that an update replaced."""
    if change.change != "updated":
        return change
    old = tx.memories.version(change.ns, change.key, change.version - 1)
    return change if old is None else replace(change, before=summary_line(old.content, MAX_SUMMARY))
