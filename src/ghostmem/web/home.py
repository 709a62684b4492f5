"""The home page: namespaces with counts, decisions that wait, recent changes and memories.

It is read each time the viewer opens, so nothing here reads all memories.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from ghostmem.clock import earlier, read_time
from ghostmem.model import Memory, NsFilter
from ghostmem.store import Filter, Group, LatestChange, Store, Transaction, validate
from ghostmem.text.excerpt import summary_line
from ghostmem.truth.conflicts import count_conflicts
from ghostmem.web.rows import Row, nonempty, picked

MAX_SHOWN = 10  # changes, and new memories
MAX_LINES = 200  # lines that are read of the audit log of a namespace
MIN_LINES = 40  # of them, those that are used even if they are older than a day
MAX_LOGS = 12  # namespaces, those with the newest memories, whose audit logs are read
MAX_SUMMARY = 160
DAY = timedelta(days=1)
# operations of the audit log that are shown, and their names; the put of a later version is an
# update
_SHOWN = {"put": "added", "remove": "deleted", "restore": "restored"}


def waiting(store: Store, ns: str | None = None) -> Row:
    """Count the decisions that wait, without reading the memories."""
    which, now = validate.ns_filter(ns), store.clock()
    with store.engine.read() as tx:
        return _waiting(tx, which, now)


def _waiting(tx: Transaction, which: NsFilter, now: datetime) -> Row:
    return {
        "contradictions": count_conflicts(tx, which, now),
        "quarantine": len(tx.quarantine.all(which)),
    }


def home(store: Store, ns: str | None = None) -> Row:
    """Return the overview of one or several namespaces; nothing is counted as read.

    `today` counts the changes of the last 24 hours by their names, `changed` those of a namespace;
    `more` says that there were too many to count them all. `changes` are all but new memories,
    which are in `added`; both have the newest first.
    """
    which, now = validate.ns_filter(ns), store.clock()
    since = earlier(now, DAY)
    with store.engine.read() as tx:
        groups = tx.listing.groups(Filter(ns=which, now=now), "ns")
        changes, more = _changes(tx, groups, since)
        added = [change for change in changes if change["change"] == "added"]
        others = [change for change in changes if change["change"] != "added"][:MAX_SHOWN]
        others = [_with_before(tx, change) for change in others]
        undecided = _waiting(tx, which, now)
    today = [change for change in changes if change["at"] >= since]
    changed = Counter(change["ns"] for change in today)
    return {
        "ns": which,
        "total": sum(group.memories for group in groups),
        "est_tokens": sum(group.est_tokens for group in groups),
        "pinned": sum(group.pinned for group in groups),
        "namespaces": [
            {
                "ns": group.ns,
                "memories": group.memories,
                "newest": group.newest,
                "changed": changed[group.ns],
                "more": group.ns in more,
            }
            for group in sorted(groups, key=lambda group: (-group.memories, group.ns))
        ],
        **undecided,
        "today": Counter(change["change"] for change in today),
        "more": bool(more),
        "changes": others,
        "added": added[:MAX_SHOWN],
    }


def _changes(
    tx: Transaction, groups: Iterable[Group], since: datetime
) -> tuple[list[Row], set[str]]:
    """Return the last change of each memory, newest first, and the namespaces with others."""
    changes: list[Row] = []
    ordered = sorted(groups, key=lambda group: (group.newest, group.ns), reverse=True)
    more = {group.ns for group in ordered[MAX_LOGS:] if group.newest >= since}
    for group in ordered[:MAX_LOGS]:
        lines = tx.journal.latest(group.ns, MAX_LINES)
        if len(lines) == MAX_LINES and read_time(lines[-1].at) >= since:
            more.add(group.ns)
        changes += _of_log(tx, lines, since)
    changes.sort(key=lambda change: (change["at"], change["ns"], change["key"]), reverse=True)
    return changes, more


def _of_log(tx: Transaction, lines: list[LatestChange], since: datetime) -> Iterator[Row]:
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


def _change(memory: Memory, line: LatestChange) -> Row:
    done = _SHOWN[line.op]
    return {
        **picked(memory, "ns key version kind"),
        "change": "updated" if done == "added" and memory.version > 1 else done,
        "at": read_time(line.at),
        "summary": summary_line(memory.content, MAX_SUMMARY),
        **nonempty(memory, "pinned tags source_user"),
    }


def _with_before(tx: Transaction, change: Row) -> Row:
    if change["change"] != "updated":
        return change
    old = tx.memories.version(change["ns"], change["key"], change["version"] - 1)
    return change if old is None else change | {"before": summary_line(old.content, MAX_SUMMARY)}
