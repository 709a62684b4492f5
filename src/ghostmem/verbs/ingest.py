"""ingest: markdown files into memories, one per H2 section."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import FileRef, FileRel, Memory, Outcome, Record
from ghostmem.text.sections import Section, sections, slug
from ghostmem.verbs import accept
from ghostmem.verbs.put import put
from ghostmem.verbs.store import Store

if TYPE_CHECKING:
    from typing import TypedDict

    class IngestFields(TypedDict, total=False):
        """What an ingest may name beside path and namespace."""

        kind: str | None
        tags: Iterable[str] | None
        priority: str | None
        meta: Mapping[str, Any] | None
        date_ns: bool
        dry_run: bool


SUFFIXES = {".md", ".markdown", ".mdk"}
SOURCE = "source_file"


@dataclass(eq=False, repr=False)
class IngestReport(Record):
    """What came out of the files."""

    dry_run: bool = False
    files: int = 0
    ingested: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    memories: list[Memory] = field(default_factory=list)


def ingest(
    store: Store,
    path: str | Path,
    ns: str,
    *,
    kind: str | None = "semantic",
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    meta: Mapping[str, Any] | None = None,
    date_ns: bool = False,
    dry_run: bool = False,
) -> IngestReport:
    """Store each section of a markdown file, or of all below a folder, as a memory whose key is its heading's slug.

    Ingesting again updates what changed and leaves the rest alone. Files named YYYY-MM-DD.md put the date before their keys;
    `date_ns` puts it behind the namespace instead. When two files have a section of one name, the second's key starts with
    its file's name.
    """
    root = Path(path)
    accept.namespace(ns)
    found = list(_files(root))
    report = IngestReport(dry_run=dry_run, files=len(found))
    for file in found:
        text = _read(file)
        where = file.relative_to(root).as_posix() if root.is_dir() else file.name
        dated = _date(file.name) if date_ns else None
        space = accept.namespace(f"{ns}:{dated}" if dated else ns)
        for section in sections(text, "undated.md" if dated else file.name):
            if not section.body.strip():
                continue
            note = {**(accept.meta(meta) or {}), SOURCE: where, "heading": section.heading}
            key = _key(store, space, section, where)
            fields = {"kind": kind, "tags": tags, "priority": priority, "meta": note}
            refs = [FileRef(str(file), FileRel.READ)]
            _store(store, report, space, key, section.body, refs, fields)
    return report


def _store(store: Store, report: IngestReport, ns: str, key: str, body: str, refs: list[FileRef], fields: dict[str, Any]) -> None:
    report.ingested += 1
    if report.dry_run:
        report.memories.append(put_dry(store, ns, key, body, refs, fields))
        return
    memory = put(store, ns, key, body, files=refs, **fields)
    report.created += memory.outcome is Outcome.CREATED
    report.updated += memory.outcome is Outcome.UPDATED
    report.unchanged += memory.outcome is Outcome.REINFORCED


def put_dry(store: Store, ns: str, key: str, body: str, refs: list[FileRef], fields: dict[str, Any]) -> Memory:
    """Return what a put would store, from a store in memory that is thrown away."""
    from ghostmem.engine.sqlite import SqliteEngine

    engine = SqliteEngine(":memory:", store.clock)
    try:
        return replace(put(replace(store, engine=engine), ns, key, body, files=refs, **fields), outcome=None)
    finally:
        engine.close()


def _files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
        return
    if not root.is_dir():
        raise NotFoundError(f"there is no file or folder {root}", "name a markdown file, or a folder of them")
    found = sorted(p for p in root.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file() and not _hidden(p, root))
    if not found:
        raise NotFoundError(f"there is no markdown file below {root}", "files must end in .md, .markdown or .mdk")
    yield from found


def _hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{file} is not UTF-8 (byte {error.start})", "convert it, for instance with iconv") from None
    except OSError as error:
        raise InvalidInputError(f"cannot read {file}: {error.strerror}", "check its permissions") from None


def _date(name: str) -> str | None:
    stem = name.rsplit(".", 1)[0]
    parts = stem.split("-")
    return stem if [len(p) for p in parts] == [4, 2, 2] and all(p.isdigit() for p in parts) else None


def _key(store: Store, ns: str, section: Section, where: str) -> str:
    """Keep the slug unless another file already owns it."""
    with store.engine.read() as tx:
        owner = tx.memories.last(ns, section.key)
    if owner is None or owner.deleted_at is not None or owner.meta.get(SOURCE, where) == where:
        return section.key
    return f"{slug(where.rsplit('.', 1)[0])}:{section.key}"
