"""Records as lines of JSON and back, without loss."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from functools import cache, partial
from typing import Any

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.model import (
    Access,
    Alias,
    Edge,
    FileRel,
    Held,
    Kind,
    Link,
    Memory,
    Priority,
    Record,
    Rel,
    Rule,
    SourceAlias,
    SourceKind,
    SymbolRef,
    Tier,
    estimate_tokens,
    optional,
)
from ghostmem.store import validate
from ghostmem.store.tables import BY_NAME

FORMAT = 1
MAX_COUNT = 10**12  # so that neither adding 1 nor a sum exceeds 64 bits


@frozen
class AliasLine(Record):
    """An alias with the memory it belongs to, as a line has it."""

    memory_id: str
    content: str
    at: datetime
    source_user: str | None = optional()
    source_kind: SourceKind | None = optional()
    source_scope: str | None = optional()
    source_client: str | None = optional()

    @classmethod
    def of(cls, memory_id: str, alias: Alias) -> "AliasLine":
        """Join an alias with its memory."""
        return cls(memory_id, **{part.name: getattr(alias, part.name) for part in fields(Alias)})

    @property
    def alias(self) -> Alias:
        """Return the alias alone."""
        return Alias(**{part.name: getattr(self, part.name) for part in fields(Alias)})


TYPES: dict[str, type[Record]] = {
    "memory": Memory,
    "edge": Edge,
    "link": Link,
    "access": Access,
    "alias": AliasLine,
    "held": Held,
    "rule": Rule,
    "source_alias": SourceAlias,
}
TRANSIENT: dict[type[Record], set[str]] = {  # fields that are not stored
    Memory: {"chunks", "outcome", "requested_key", "verdict", "aliases", "notes"},
    Edge: {"ns", "from_key", "to_key", "outcome"},
}
_TABLES = (
    "memories memory_edges memory_links accesses aliases quarantine reflect_rules source_aliases"
)
_TYPES = {
    str(column): column.type.removesuffix("?")
    for table in _TABLES.split()
    for column in BY_NAME[table].columns
    if column.type
}
_ENUMS: dict[str | None, type[Any]] = {
    "kind": Kind,
    "tier": Tier,
    "priority": Priority,
    "source_kind": SourceKind,
    "rel": Rel,
}


def line_of(kind: str, record: Record) -> str:
    """Write one record as a line of JSON."""
    return json.dumps({"type": kind, **record.to_dict()}, ensure_ascii=False)


def record_of(kind: str, data: Mapping[str, Any], strict: bool = True) -> Record:
    """Read a record from plain data; unknown fields are an error when strict, else left out."""
    record_type = TYPES[kind]
    names = _stored_names(kind)
    if strict and (extra := sorted(data.keys() - names - {"type"})):
        raise InvalidInputError(
            f"unknown field {extra[0]!r}", "this file may come from a newer Ghost: upgrade with pip"
        )
    values = {
        name: _reader(name, record_type is Rule)(data[name])
        for name in names & data.keys()
        if data[name] is not None
    }
    if record_type is Memory:
        _complete(values)
    try:
        return record_type(**values)
    except TypeError as error:
        missing = str(error).split("argument")[-1].strip(" s:")
        raise InvalidInputError(
            f"missing field {missing}", "every line needs its required fields"
        ) from None


@cache
def _stored_names(kind: str) -> frozenset[str]:
    record_type = TYPES[kind]
    names = frozenset(part.name for part in fields(record_type))  # type: ignore[arg-type]
    return names - TRANSIENT.get(record_type, set())


def values_of(record_type: type[Record], data: Mapping[str, Any]) -> dict[str, Any]:
    """Read some fields of a record from plain data."""
    return {
        name: None if value is None else _reader(name, record_type is Rule)(value)
        for name, value in data.items()
    }


def _complete(values: dict[str, Any]) -> None:
    """Fill in fields that older or foreign exports lack."""
    values.setdefault("kind", Kind.SEMANTIC)
    values.setdefault("version", 1)
    for name in ("ns", "key", "content"):
        if not isinstance(values.get(name), str) or not values[name]:
            raise InvalidInputError(f"missing field {name!r}", "a memory needs ns, key and content")
    values.setdefault("est_tokens", estimate_tokens(values["content"]))
    if "created_at" in values:
        values.setdefault("recorded_at", values["created_at"])


@cache
def _reader(name: str, of_rule: bool) -> Callable[[Any], Any]:
    """Return the function that checks and reads the values of a field."""
    column_type = _TYPES.get(name)
    if of_rule and name == "priority":
        return partial(_exactly, int, name, "is not a whole number")
    if name in _READERS:
        return _READERS[name]
    if column_type == "time":
        return lambda value: as_time(validate.text(value, name), name)
    if column_type == "int":
        return lambda value: validate.positive(value, name, int(name == "version"), MAX_COUNT)
    if column_type == "share":
        return lambda value: validate.share(value, name)
    if column_type in _ENUMS:
        return lambda value: validate.choice(value, _ENUMS[column_type], name)
    if column_type == "flag":
        return partial(_exactly, bool, name, "is neither true nor false")
    if name.startswith("cond_"):
        return lambda value: value
    return lambda value: validate.text(value, name)


def _exactly(kind: type[Any], name: str, wrong: str, value: Any) -> Any:
    if type(value) is not kind:
        raise InvalidInputError(f"{name} {validate.shown(value)} {wrong}")
    return value


def _objects(value: Any, what: str) -> Any:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidInputError(f"{what} must be a list of objects, not {validate.shown(value)}")
    return value


def _symbol(data: Mapping[str, Any]) -> SymbolRef:
    names = [part.name for part in fields(SymbolRef)]
    if odd := sorted(data.keys() - {"rel"} ^ set(names) - {"rel"}):
        raise InvalidInputError(f"a symbol needs {', '.join(names)}, and nothing else: {odd[0]!r}")
    return SymbolRef(
        **{**data, "rel": validate.choice(data.get("rel", "modified"), FileRel, "rel")}
    )


def _reasons(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidInputError(f"reasons must be a list, not {validate.shown(value)}")
    return tuple(validate.texts(value, "reasons", "reason"))


_READERS: dict[str, Callable[[Any], Any]] = {
    "fields": partial(validate.meta, what="fields"),
    "reasons": _reasons,
    "files": lambda value: (
        validate.files((item.get("path", ""), item.get("rel")) for item in _objects(value, "files"))
        or ()
    ),
    "symbols": lambda value: validate.symbols(map(_symbol, _objects(value, "symbols"))),
    "tags": validate.tags,
    "meta": validate.meta,
    "action_params": partial(validate.meta, what="action_params"),
}
