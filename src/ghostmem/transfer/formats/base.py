"""Read files of other tools, and the records that every reader returns."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.capture import files
from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.grouping import grouped
from ghostmem.model import EDGE_WEIGHTS, FileRef, Kind, Rel
from ghostmem.schema import too_deep
from ghostmem.store.validate import shown
from ghostmem.text.links import relation_of
from ghostmem.text.sections import slug

MAX_KEY = 120
MAX_NOTES = 20  # so that thousands of dangling links do not hide other notes

SUFFIXES = (".md", ".markdown", ".mdk")
MAX_FILE_BYTES = 500_000_000


@dataclass(frozen=True, slots=True)
class ForeignMemory:
    """One memory of another tool; `id` is its name there, `location` its place for errors."""

    id: str
    key: str
    content: str
    location: str
    kind: Kind = Kind.SEMANTIC
    tags: tuple[str, ...] = ()
    created_at: datetime | None = None
    expires_at: datetime | None = None
    source_user: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[FileRef, ...] = ()


class ForeignEdge(NamedTuple):
    """An edge between two memories of one source, by their keys."""

    from_key: str
    rel: Rel
    to_key: str
    weight: float


class ForeignRelation(NamedTuple):
    """A relation in the words of its tool: from the key of a memory, a word, to a name."""

    from_key: str
    word: str
    to: str

    def edge(self, to_key: str) -> ForeignEdge:
        """Return the relation as an edge to the memory with a key."""
        rel, reverse = relation_of(self.word)
        start, end = (to_key, self.from_key) if reverse else (self.from_key, to_key)
        return ForeignEdge(start, rel, end, EDGE_WEIGHTS[rel])


@dataclass(frozen=True, slots=True)
class Foreign:
    """All memories and edges of a source, and notes about what was left out."""

    memories: tuple[ForeignMemory, ...]
    edges: tuple[ForeignEdge, ...] = ()
    notes: tuple[str, ...] = ()


def broken(
    location: str, what: str, hint: str = "correct it there, or remove it from the file"
) -> InvalidInputError:
    """Return the error for an invalid record."""
    return InvalidInputError(f"{location}: {what}", hint)


def nothing(path: object, what: str) -> InvalidInputError:
    """Return the error for a source without a memory."""
    return InvalidInputError(
        f"there is nothing to import: {path} {what}",
        "give the file or folder that the other tool wrote",
    )


def key_of(text: str) -> str:
    """Return a key from a name or the beginning of a text, cut between words."""
    key = slug(text[: MAX_KEY * 4])
    return key if len(key) <= MAX_KEY else key[: MAX_KEY + 1].rpartition("-")[0] or key[:MAX_KEY]


def numbered(wanted: Iterable[str]) -> list[str]:
    """Make names unique: the second of a name gets -2, unless that name is taken."""
    names = list(wanted)
    names_in_use, seen = set(names), Counter[str]()
    result = []
    for name in names:
        seen[name] += 1
        candidate = name
        if seen[name] > 1:
            while candidate in names_in_use:
                candidate = f"{name}-{seen[name]}"
                seen[name] += candidate in names_in_use
            names_in_use.add(candidate)
        result.append(candidate)
    return result


def unique(memories: Sequence[ForeignMemory], tool: str) -> tuple[ForeignMemory, ...]:
    """Give every memory a unique key and id, and keep the id in its meta under the tool's name."""
    keys = numbered(memory.key for memory in memories)
    ids = numbered(memory.id for memory in memories)
    return tuple(
        replace(
            memory,
            key=key,
            id=id_,
            meta={**memory.meta, tool: {**memory.meta.get(tool, {}), "id": id_}},
        )
        for memory, key, id_ in zip(memories, keys, ids, strict=True)
    )


def with_relations(
    memories: Iterable[ForeignMemory], relations: Iterable[ForeignRelation]
) -> tuple[ForeignMemory, ...]:
    """Return memories with their relations in the words of the tool, kept in their meta."""
    words = grouped(
        (relation.from_key, (relation.word, relation.to)) for relation in dict.fromkeys(relations)
    )
    return tuple(
        replace(memory, meta={**memory.meta, "relations": grouped(words[memory.key])})
        if memory.key in words
        else memory
        for memory in memories
    )


def capped(notes: Sequence[str]) -> tuple[str, ...]:
    """Keep the first notes and count the rest."""
    more = len(notes) - MAX_NOTES
    return (*notes[:MAX_NOTES], f"and {more:,} more like these") if more > 0 else tuple(notes)


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file; other paths and huge files are refused."""
    if path.is_dir():
        raise InvalidInputError(
            f"{path} is a folder, not a file", "give the file that the other tool wrote"
        )
    if not path.is_file():
        raise NotFoundError(f"there is no file {path}", "give the file that the other tool wrote")
    if (size := path.stat().st_size) > MAX_FILE_BYTES:
        raise InvalidInputError(
            f"{path} has {size:,} bytes, more than the {MAX_FILE_BYTES:,} that are read",
            "split it into several files",
        )
    return files.read_text(path)


def json_of(text: str, location: str) -> Any:
    """Parse JSON; an error names the place."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise broken(location, str(too_deep("this"))) from None
    except ValueError as error:
        raise broken(location, f"this is not JSON: {error}") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def objects_of(text: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of JSON lines with their place; only line feeds end a line."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            location = f"{name}, line {number}"
            yield location, object_of(json_of(line, location), location)


def object_of(value: Any, location: str) -> dict[str, Any]:
    """Return a value that is an object; an error names the place."""
    if not isinstance(value, dict):
        raise broken(location, f"this is not an object: {shown(value)}")
    return value


def text_of(row: Mapping[str, Any], name: str, location: str, *, required: bool = False) -> str:
    """Return a text of a row, or an empty one."""
    value = row.get(name)
    if not isinstance(value or "", str) or (required and not (value or "").strip()):
        raise broken(location, f"{name} must be a text, not {shown(value)}")
    return value or ""


def texts_of(row: Mapping[str, Any], name: str, location: str) -> list[str]:
    """Return a list of texts of a row, or an empty one."""
    value = row.get(name) or []
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise broken(location, f"{name} must be a list of texts, not {shown(value)}")
    return value


def time_of(row: Mapping[str, Any], name: str, location: str) -> datetime | None:
    """Return a time of a row, if it has one."""
    text = text_of(row, name, location)
    try:
        return as_time(text, name) if text else None
    except InvalidInputError as error:
        raise broken(location, error.message, error.hint) from None


def markdown_files(root: Path) -> tuple[list[Path], list[str]]:
    """Return the markdown files below a folder, and notes about skipped links and folders."""
    notes: list[str] = []

    def is_skipped(path: Path) -> bool:
        is_plain = not path.is_symlink() and (path.is_file() or path.is_dir())
        if not is_plain and not path.name.startswith("."):
            notes.append(
                f"skipped {path.relative_to(root).as_posix()}: it is a link or no plain file"
            )
        return not is_plain or path.name.startswith(".")

    paths = files.files_below(
        root,
        "markdown file",
        SUFFIXES,
        is_skipped,
        lambda problem: notes.append(f"skipped {problem}"),
    )
    return sorted(paths), notes
