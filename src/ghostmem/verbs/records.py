"""Model values as lines of JSON and back, exactly."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from ghostmem.access import Access
from ghostmem.edges import Edge, Link
from ghostmem.errors import InvalidInputError
from ghostmem.model import (
    FileRef,
    FileRel,
    Kind,
    Memory,
    Priority,
    Record,
    Rel,
    SourceKind,
    SymbolRef,
    Tier,
    estimate_tokens,
)
from ghostmem.rule import Rule
from ghostmem.times import parse_time
from ghostmem.verbs import accept

FORMAT = 1
TYPES: dict[str, type[Record]] = {"memory": Memory, "edge": Edge, "link": Link, "access": Access, "rule": Rule}
TRANSIENT: dict[type[Record], set[str]] = {  # fields that are for the moment only
    Memory: {"chunks", "outcome", "requested_key", "notes"},
    Edge: {"ns", "from_key", "to_key", "outcome"},
}
_TIMES = {
    "created_at",
    "deleted_at",
    "last_accessed_at",
    "expires_at",
    "valid_from",
    "valid_to",
    "recorded_at",
    "rule_expires_at",
}
_ENUMS: dict[str, type[Any]] = {"kind": Kind, "tier": Tier, "priority": Priority, "source_kind": SourceKind, "rel": Rel}
_WHOLE = {"version", "access_count", "utility_count", "est_tokens", "used", "shown", "cond_access_lt", "cond_access_gt"}
_SHARES = {"importance", "weight"}


def line_of(kind: str, record: Record) -> str:
    """Write one record as a line of JSON."""
    return json.dumps({"type": kind, **record.to_dict()}, ensure_ascii=False)


def record_of(kind: str, data: Mapping[str, Any], strict: bool = True) -> Record:
    """Read a record from plain data; unknown fields are an error when strict, else left out."""
    made = TYPES[kind]
    names = {part.name for part in fields(made)} - TRANSIENT.get(made, set())  # type: ignore[arg-type]
    if strict and (extra := sorted(data.keys() - names - {"type"})):
        raise InvalidInputError(f"unknown field {extra[0]!r}", "this file may come from a newer Ghost: upgrade with pip")
    values = {name: _value(made, name, data[name]) for name in names & data.keys() if data[name] is not None}
    if made is Memory:
        _complete(values)
    try:
        return made(**values)
    except TypeError as error:
        missing = str(error).split("argument")[-1].strip(" s:")
        raise InvalidInputError(f"missing field {missing}", "every line needs its required fields") from None


def values_of(made: type[Record], data: Mapping[str, Any]) -> dict[str, Any]:
    """Read some fields of a record from plain data."""
    return {name: None if value is None else _value(made, name, value) for name, value in data.items()}


def _complete(values: dict[str, Any]) -> None:
    """Fill in what an older or foreign export leaves out."""
    values.setdefault("kind", Kind.SEMANTIC)
    values.setdefault("version", 1)
    for name in ("ns", "key", "content"):
        if not isinstance(values.get(name), str) or not values[name]:
            raise InvalidInputError(f"missing field {name!r}", "a memory needs ns, key and content")
    values.setdefault("est_tokens", estimate_tokens(values["content"]))
    if "created_at" in values:
        values.setdefault("recorded_at", values["created_at"])


def _value(made: type[Record], name: str, value: Any) -> Any:
    reader = _rank if made is Rule and name == "priority" else _READERS.get(name)
    if reader is not None:
        return reader(value)
    if name in _TIMES:
        return parse_time(accept.text(value, name), name)
    if name in _WHOLE:
        return accept.positive(value, name, least=1 if name == "version" else 0)
    if name in _SHARES:
        return accept.share(value, name)
    if name in _ENUMS:
        return accept.choice(value, _ENUMS[name], name)
    if name == "pinned" and not isinstance(value, bool):
        raise InvalidInputError(f"pinned {accept.shown(value)} is neither true nor false")
    if name.startswith("cond_") or name == "pinned":
        return value
    return accept.text(value, name)


def _rank(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInputError(f"priority {accept.shown(value)} is not a whole number")
    return value


def _files(value: Any) -> tuple[FileRef, ...]:
    if not isinstance(value, list):
        raise InvalidInputError(f"files must be a list, not {accept.shown(value)}")
    return accept.files([FileRef(str(f.get("path", "")), FileRel(f.get("rel", "modified"))) for f in value]) or ()


def _symbols(value: Any) -> tuple[SymbolRef, ...]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InvalidInputError(f"symbols must be a list of objects, not {accept.shown(value)}")
    return accept.symbols([_symbol(one) for one in value])


def _symbol(one: Mapping[str, Any]) -> SymbolRef:
    names = [part.name for part in fields(SymbolRef)]
    if odd := sorted(one.keys() - {"rel"} ^ set(names) - {"rel"}):
        raise InvalidInputError(f"a symbol needs {', '.join(names)}, and nothing else: {odd[0]!r}")
    return SymbolRef(**{**one, "rel": FileRel(one.get("rel", "modified"))})


_READERS: dict[str, Callable[[Any], Any]] = {
    "files": _files,
    "symbols": _symbols,
    "tags": accept.tags,
    "meta": accept.meta,
    "action_params": accept.meta,
}
