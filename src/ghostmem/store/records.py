"""The rows of everything beside memories, the same in every engine: how a row becomes a value, and
a value a row.

What a value is made of is imported where it is made: a command that reads one noun does not pay for
the others."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from ghostmem.clock import format_time, read_time
from ghostmem.store.columns import when

if TYPE_CHECKING:
    from ghostmem.model import Alias, Edge, Folder, Held, Note, Rule, Run, Token
    from ghostmem.store.mirror import Item
    from ghostmem.store.rows import Entry
    from ghostmem.store.session import Session

ALIAS = "memory_id, content, at, source_user, source_kind, source_scope, source_client"
EDGE = "from_id, to_id, rel, weight, access_count, last_accessed_at, created_at, automatic"
ENTRY = "seq, ns, subject, rule, op, hash, before, after, done"
FOLDER = "id, root, layout, ns, added_at, reconciled_at, unavailable, source_kind"
HELD = "id, ns, key, content, fields, reasons, at"
ITEM = "key, path, hash, tags, about"
NOTE = "id, path, size, mtime_ns, inode, hash, names, problem, missing_at"
SESSION = "session_id, ns, at, shown, captured_to, asked_to"
TOKEN = "id, name, grants, created_at, expires_at, revoked_at, last_used_at"  # noqa: S105 (columns)

# What moves a memory to another tier, or removes it, as SQL.
MOVES = "'PROMOTE', 'DEMOTE', 'ARCHIVE', 'DELETE', 'DEDUP', 'MERGE'"
_RULE_TIMES = {"created_at", "rule_expires_at"}

Tally = tuple[
    int, int, list[list[str]]
]  # memories evaluated, rules applied, groups of keys that were linked


def stamp(at: datetime | None) -> str | None:
    """Write a time that may be missing."""
    return None if at is None else format_time(at)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def alias_of(row: Sequence[Any]) -> "tuple[str, Alias]":
    """Read another wording and the memory it belongs to, from the columns ALIAS."""
    from ghostmem.model import Alias, SourceKind

    memory_id, content, at, user, kind, scope, client = row
    return memory_id, Alias(content, read_time(at), user, kind and SourceKind(kind), scope, client)


def alias_row(memory_id: str, alias: "Alias") -> tuple[Any, ...]:
    """Return the columns ALIAS."""
    source = (
        alias.source_user,
        alias.source_kind and str(alias.source_kind),
        alias.source_scope,
        alias.source_client,
    )
    return (memory_id, alias.content, format_time(alias.at), *source)


def edge_of(row: Sequence[Any]) -> "Edge":
    """Read an edge from the columns EDGE."""
    from ghostmem.model import Edge, Rel

    start, to, rel, weight, count, last, created, automatic = row
    return Edge(start, to, Rel(rel), weight, read_time(created), count, when(last), bool(automatic))


def edge_row(edge: "Edge") -> tuple[Any, ...]:
    """Return the columns EDGE."""
    times = (stamp(edge.last_accessed_at), format_time(edge.created_at))
    return (
        edge.from_id,
        edge.to_id,
        edge.rel.value,
        edge.weight,
        edge.access_count,
        *times,
        int(edge.automatic),
    )


def entry_of(row: Sequence[Any]) -> "Entry":
    """Read a change of a run from the columns ENTRY."""
    from ghostmem.store.rows import Entry

    seq, ns, subject, rule, op, known, before, after, done = row
    old, new = (json.loads(text) if text else None for text in (before, after))
    return Entry(seq, ns, subject, rule, op, known, old, new, done)


def entry_row(seq: int, entry: "Entry") -> tuple[Any, ...]:
    """Return the columns ENTRY of a change that is only planned."""
    before, after = (
        None if one is None else json.dumps(one, ensure_ascii=False, sort_keys=True)
        for one in entry[6:8]
    )
    return (seq, *entry[1:6], before, after, 0)


def folder_of(row: Sequence[Any]) -> "Folder":
    """Read a folder of notes from the columns FOLDER."""
    from ghostmem.model import Folder, SourceKind

    return Folder(
        row[0], row[1], row[2], row[3], read_time(row[4]), when(row[5]), row[6], SourceKind(row[7])
    )


def held_of(row: Sequence[Any]) -> "Held":
    """Read what is in quarantine from the columns HELD."""
    from ghostmem.model import Held

    id_, ns, key, content, fields, reasons, at = row
    return Held(
        id_, ns, key, content, json.loads(fields), tuple(json.loads(reasons)), read_time(at)
    )


def held_row(held: "Held") -> tuple[Any, ...]:
    """Return the columns HELD."""
    return (
        held.id,
        held.ns,
        held.key,
        held.content,
        _dump(dict(held.fields)),
        _dump(held.reasons),
        format_time(held.at),
    )


def item_of(row: Sequence[Any]) -> "Item":
    """Read what a mirror agreed on from the columns ITEM."""
    from ghostmem.store.mirror import Item

    return Item(row[0], row[1], row[2], frozenset(json.loads(row[3])), row[4])


def item_row(item: "Item") -> tuple[Any, ...]:
    """Return the columns ITEM."""
    return (item.key, item.path, item.hash, _dump(sorted(item.tags)), item.about)


def names_of(text: str) -> tuple[str, ...]:
    """Read the names that links know a note by."""
    return tuple(json.loads(text)) if text else ()


def note_of(row: Sequence[Any]) -> "Note":
    """Read a note from the columns NOTE."""
    from ghostmem.model import Note, Stat

    return Note(
        row[0],
        row[1],
        Stat(row[2], row[3], int(row[4])),
        row[5],
        names_of(row[6]),
        row[7],
        when(row[8]),
    )


def note_row(note: "Note") -> tuple[Any, ...]:
    """Return the columns NOTE."""
    names = _dump(note.names) if note.names else ""
    return (note.id, note.path, *note.stat, note.hash, names, note.problem, stamp(note.missing_at))


def run_of(row: Sequence[Any]) -> "Run":
    """Read a run from its id, verb, scope, time, number of changes, and when it was finished and
    undone.
    """
    from ghostmem.model import Run

    id_, verb, scope, at, changes, finished, undone = row
    return Run(id_, verb, scope, read_time(at), changes, when(finished), when(undone))


def tally_of(text: str) -> Tally:
    """Read what a run counted, the groups by namespace, in whatever order their namespaces were
    planned.
    """
    evaluated, applied, groups = _counted(text)
    return evaluated, applied, [keys for _, keys in sorted(groups, key=lambda group: group[0])]


def tally_text(
    before: str, ns: str, evaluated: int, applied: int, clusters: Iterable[Sequence[str]]
) -> str:
    """Write what a run counted before with what it counted in a namespace."""
    done, used, groups = _counted(before)
    return _tally(
        done + evaluated, used + applied, [*groups, *((ns, list(keys)) for keys in clusters)]
    )


def tally_keys(*texts: str) -> dict[str, set[str]]:
    """Return the keys in the groups that runs counted, by namespace."""
    found: dict[str, set[str]] = {}
    for text in texts:
        for ns, keys in _counted(text)[2]:
            found.setdefault(ns, set()).update(keys)
    return found


def tally_without(text: str, gone: Mapping[str, set[str]]) -> str:
    """Write what a run counted without these keys of these namespaces in its groups.

    The same text when none is in them.
    """
    evaluated, applied, groups = _counted(text)
    kept = [(ns, [key for key in keys if key not in gone.get(ns, ())]) for ns, keys in groups]
    return (
        text
        if kept == groups
        else _tally(evaluated, applied, [group for group in kept if group[1]])
    )


def _counted(text: str) -> tuple[int, int, list[tuple[str, list[str]]]]:
    """Read how many memories a run evaluated, how many rules it applied, and its groups of keys,
    each with its namespace.

    The namespaces stand behind the groups; a run that was written down without them has groups of
    an empty namespace."""
    evaluated, applied, groups, *rest = json.loads(text) or (0, 0, [])
    names = rest[0] if rest and len(rest[0]) == len(groups) else [""] * len(groups)
    return evaluated, applied, list(zip(names, groups, strict=True))


def _tally(evaluated: int, applied: int, groups: Sequence[tuple[str, list[str]]]) -> str:
    return _dump([evaluated, applied, [keys for _, keys in groups], [ns for ns, _ in groups]])


@cache
def rule_names() -> tuple[str, ...]:
    """Return the columns of a rule: its fields."""
    from dataclasses import fields

    from ghostmem.model import Rule

    return tuple(part.name for part in fields(Rule))


def rule_of(row: Sequence[Any]) -> "Rule":
    """Read a rule from the columns that `rule_names` tells."""
    from ghostmem.model import Rule

    found = dict(zip(rule_names(), row, strict=True))
    for name in _RULE_TIMES:
        found[name] = when(found[name])
    found["action_params"] = json.loads(found["action_params"]) if found["action_params"] else {}
    return Rule(**found)


def rule_row(rule: "Rule") -> list[Any]:
    """Return the columns that `rule_names` tells."""
    found = {name: getattr(rule, name) for name in rule_names()}
    for name in _RULE_TIMES:
        found[name] = stamp(found[name])
    params = found["action_params"]
    found["action_params"] = (
        json.dumps(dict(params), ensure_ascii=False, sort_keys=True) if params else None
    )
    return list(found.values())


def gives_way(known: "Rule | None", rule: "Rule") -> bool:
    """Say whether a rule may be put where this one is: a built-in one gives way to the user's, no
    other does.
    """
    from ghostmem.model import SYSTEM

    return known is None or (known.created_by == SYSTEM and rule.created_by != SYSTEM)


def session_of(row: Sequence[Any]) -> "Session":
    """Read what is known of a session from the columns SESSION."""
    from ghostmem.store.session import Session

    return Session(row[0], row[1], read_time(row[2]), tuple(json.loads(row[3])), row[4], row[5])


def session_row(session: "Session") -> tuple[Any, ...]:
    """Return the columns SESSION."""
    return (
        session.id,
        session.ns,
        format_time(session.at),
        json.dumps(session.shown),
        session.captured_to,
        session.asked_to,
    )


def token_of(row: Sequence[Any]) -> "Token":
    """Read a token from the columns TOKEN."""
    from ghostmem.model import Token

    return Token(row[0], row[1], tuple(json.loads(row[2])), read_time(row[3]), *map(when, row[4:7]))


def token_row(token: "Token") -> tuple[Any, ...]:
    """Return the columns TOKEN of a token that nobody used yet."""
    return (
        token.id,
        token.name,
        json.dumps(token.grants),
        format_time(token.created_at),
        stamp(token.expires_at),
        None,
        None,
    )
