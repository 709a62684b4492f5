"""Rows as values and values as rows, derived from the columns that `tables` declares."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from ghostmem.clock import format_time, read_time
from ghostmem.errors import CorruptStoreError
from ghostmem.model import (
    FileRel,
    Kind,
    Memory,
    Priority,
    Record,
    Rel,
    SourceKind,
    Tier,
)
from ghostmem.store.database import Database
from ghostmem.store.tables import BY_NAME, ColumnName, Table, tables

T = TypeVar("T")


class Codec(NamedTuple):
    """How a type of column is read and written, and the default of an empty column.

    `lost` is stored by a repair in place of a value that cannot be read; optional columns become
    NULL."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]
    empty: Callable[[], Any] | None = None
    lost: str = ""


_dump = json.JSONEncoder(ensure_ascii=False).encode


def _dump_sorted(value: Any) -> str:
    return json.dumps(dict(value), ensure_ascii=False, sort_keys=True)


def _list(text: str) -> tuple[Any, ...]:
    return tuple(_parse(text, list))


def _parse(text: str, kind: type = dict) -> Any:
    value = json.loads(text)
    if not isinstance(value, kind):
        raise TypeError(f"{text[:40]!r} is not JSON of a {kind.__name__}")
    return value


def _by_value(kind: Any) -> Callable[[str], Any]:
    """Return a lookup of an enum's members, which is faster than calling the enum."""
    return {str(member): member for member in kind}.__getitem__


CODECS = {
    "time": Codec(read_time, format_time, lost="1970-01-01T00:00:00.000000Z"),
    "flag": Codec(bool, int),
    "list": Codec(_list, _dump, tuple, "[]"),
    "tags": Codec(lru_cache(4096)(_list), _dump, tuple),  # many memories have the same tags
    "set": Codec(
        lambda text: frozenset(_list(text)), lambda value: _dump(sorted(value)), lost="[]"
    ),
    "json": Codec(_parse, lambda value: _dump(dict(value)), lost="{}"),
    "params": Codec(_parse, _dump_sorted, dict),
    "change": Codec(_parse, _dump_sorted),
    "kind": Codec(_by_value(Kind), str, lost=Kind.SEMANTIC),
    "tier": Codec(_by_value(Tier), str, lost=Tier.STM),
    "priority": Codec(_by_value(Priority), str, lost=Priority.NORMAL),
    "rel": Codec(Rel, str, lost=Rel.RELATES_TO),
    "file_rel": Codec(FileRel, str, lost=FileRel.MODIFIED),
    "source_kind": Codec(SourceKind, str, lost=SourceKind.OBSERVED),
}


def time_of(text: str | None) -> Any:
    """Read a time that may be missing."""
    return read_time(text) if text else None


class RowType(Generic[T]):
    """The rows of a table as values of a class.

    There is a column for each field of the class that the table has, in the order of the fields;
    `renamed` gives the column of a field that has another name."""

    def __init__(self, table: str, kind: Callable[..., T], **renamed: str) -> None:
        self.table: Table = BY_NAME[table]
        fields = getattr(kind, "_fields", ()) or tuple(getattr(kind, "__dataclass_fields__", ()))
        types = {str(column): column.type for column in self.table.columns}
        if self.table.names_ns:
            types["ns"] = ""
        self.fields = tuple(name for name in fields if renamed.get(name, name) in types)
        self.names = tuple(renamed.get(name, name) for name in self.fields)
        self.columns = ", ".join(self.names)
        self._kind = kind
        self._codecs = {
            name: (CODECS[types[column].removesuffix("?")], types[column].endswith("?"))
            for name, column in zip(self.fields, self.names, strict=True)
            if types[column].removesuffix("?") in CODECS
        }
        self._places = {name: self.fields.index(name) for name in self._codecs}
        entries = [(self._places[name], *entry) for name, entry in self._codecs.items()]
        self._encodings = [
            (place, codec.write, may_lack and codec.empty is not None)
            for place, codec, may_lack in entries
        ]
        self._required = [(place, codec.read) for place, codec, may_lack in entries if not may_lack]
        self._optional = [
            (place, codec.read, codec.empty) for place, codec, may_lack in entries if may_lack
        ]
        others = [name for name in fields if name not in self.fields]
        self._all_fields = (*self.fields, *others)
        # the defaults of fields, if values may be made without the `__init__` of their class: that
        # is so for records whose fields without a column all have defaults
        is_plain = isinstance(kind, type) and issubclass(kind, Record)
        has_defaults = is_plain and all(hasattr(kind, name) for name in others)
        self._defaults = [getattr(kind, name) for name in others] if has_defaults else None

    def read(self, row: Sequence[Any]) -> T:
        """Turn a row in the order of `names` into a value."""
        values = list(row)
        for place, read in self._required:
            values[place] = read(values[place])
        for place, read, empty in self._optional:
            if text := values[place]:
                values[place] = read(text)
            elif empty is not None:
                values[place] = empty()
        if self._defaults is None:
            return self._kind(*values)
        # several times faster than setting the fields of a frozen dataclass one by one
        value: Any = object.__new__(self._kind)  # type: ignore[arg-type]
        values += self._defaults
        value.__dict__.update(zip(self._all_fields, values, strict=True))
        made: T = value
        return made

    def select(self, db: Database, tail: str = "", values: Sequence[Any] = ()) -> list[T]:
        """Return the values of rows; `tail` is the rest of a SELECT."""
        return [
            self.read(row)
            for row in db.rows(f"SELECT {self.columns} FROM {self.table.name} {tail}", values)
        ]

    def put(self, db: Database, value: T) -> None:
        """Insert a value, or replace the row with its key."""
        db.run(db.dialect.insert(self.table.name, self.names, replace=True), self.write(value))

    def write(self, value: T) -> list[Any]:
        """Turn a value into a row in the order of `names`."""
        values = [getattr(value, name) for name in self.fields]
        for place, write, may_be_empty in self._encodings:
            part = values[place]
            if part is not None:
                values[place] = None if may_be_empty and not part else write(part)
        return values

    def encode(self, name: str, value: Any) -> Any:
        """Turn the value of one field into the value of its column."""
        if value is None or name not in self._codecs:
            return value
        codec, may_lack = self._codecs[name]
        is_empty = may_lack and codec.empty is not None and not value
        return None if is_empty else codec.write(value)


MEMORY = RowType("memories", Memory)


def memory_of(row: Sequence[Any]) -> Memory:
    """Read a row in the order of `MEMORY.names` as a memory, without its files and symbols."""
    try:
        return MEMORY.read(row)
    except (LookupError, ValueError, TypeError) as error:
        raise unreadable(row[0], error) from error


def unreadable(memory_id: object, error: Exception) -> CorruptStoreError:
    """Return the error for a row that holds a value which Ghost never writes."""
    return CorruptStoreError(
        f"the store is damaged: memory {memory_id} cannot be read ({type(error).__name__}: {error})"
    )


def unreadable_fields(columns: Sequence[ColumnName], row: Sequence[Any]) -> dict[str, Any]:
    """Return the columns of a row that Ghost cannot read, with the values to store instead.

    Texts may be given as bytes, because a damaged one may not be UTF-8."""
    replacements: dict[str, Any] = {}
    for column, value in zip(columns, row, strict=True):
        codec, is_optional = CODECS.get(column.type.removesuffix("?")), column.type.endswith("?")
        try:
            text = value.decode() if isinstance(value, bytes) else value
            if codec is None or (is_optional and not text):
                continue
            # a time without its zone can be read, but not compared with others
            if getattr(codec.read(text), "tzinfo", UTC) is not None:
                continue
        except (LookupError, ValueError, TypeError, RecursionError):
            pass
        lost = codec.lost if codec else value.decode(errors="replace")
        # NULL as a source means the user, who must not be said to have stated the rest
        replacements[column] = None if is_optional and column != "source_kind" else lost
    return replacements


def count_unreadable(read: Callable[[str], Iterable[Sequence[Any]]], engine: str) -> list[str]:
    """Return a message for each column of an engine with values that Ghost cannot read.

    `read` runs a query; columns without a type hold any text or number, and are not read."""
    counts: Counter[str] = Counter()
    for table in tables(engine):
        columns = [name for name in table.columns if name.type.removesuffix("?") in CODECS]
        if columns:
            for row in read(f"SELECT {', '.join(columns)} FROM {table.name}"):
                names = unreadable_fields(columns, row)
                counts.update(f"{name} of {table.name} cannot be read" for name in names)
    return [f"{what} (rows: {count})" for what, count in counts.items()]


def differing(memories: Iterable[tuple[str, str, int]]) -> list[str]:
    """Return a message for each (namespace, key, version) whose content fails its checksum."""
    hint = "put it again from a backup or an export"
    return [
        f"the content of {ns}/{key} v{version} differs from its checksum: {hint}"
        for ns, key, version in memories
    ]
