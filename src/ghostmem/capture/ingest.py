"""ingest: markdown files into memories, one per H2 section."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.memory.draft import Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import hold, memory_of, suspected
from ghostmem.memory.screen import screen_draft
from ghostmem.memory.write import write_draft
from ghostmem.model import FileRef, FileRel, Memory, NsFilter, Outcome, Record
from ghostmem.store import validate
from ghostmem.store.fields import put_fields
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.text.sections import Section, sections, slug

if TYPE_CHECKING:
    from typing import TypedDict

    from ghostmem.store.protocol import Transaction

    class IngestFields(TypedDict, total=False):
        """What an ingest may name beside path and namespace."""

        kind: str | None
        tags: Iterable[str] | None
        priority: str | None
        meta: Mapping[str, Any] | None
        date_ns: bool
        dry_run: bool
        allow_secrets: bool
        trust: bool


SUFFIXES = {".md", ".markdown", ".mdk"}


@dataclass(eq=False, repr=False)
class IngestReport(Record):
    """What came out of the files."""

    dry_run: bool = False
    files: int = 0
    ingested: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    quarantined: int = field(default=0, metadata={"optional": True})
    memories: list[Memory] = field(default_factory=list)
    notes: list[str] = field(default_factory=list, metadata={"optional": True})


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
    allow_secrets: bool = False,
    trust: bool = False,
) -> IngestReport:
    """Store each section of a markdown file, or of all below a folder, as a memory whose key is its
    heading's slug.

    Ingesting again updates what changed and leaves the rest alone. Files named YYYY-MM-DD.md put
    the date before their keys; `date_ns` puts it behind the namespace instead. When two files have
    a section of one name, the second's key starts with its file's name. Secrets are redacted unless
    `allow_secrets`; the files stay as they are. A section that looks like instructions is held in
    quarantine unless the caller says `trust`."""
    root = Path(path)
    validate.namespace(ns)
    texts = {file: _read(file) for file in _files(root)}
    fields = put_fields(kind=kind, tags=tags, priority=priority)
    extra = validate.meta(meta) or {}
    report = IngestReport(dry_run=dry_run, files=len(texts))
    with store.engine.write(dry_run=dry_run) as tx:
        for file, text in texts.items():
            dated = _date(file.name) if date_ns else None
            space = validate.namespace(f"{ns}:{dated}" if dated else ns)
            prefix = slug(
                file.relative_to(root).with_suffix("").as_posix() if root.is_dir() else file.stem
            )
            whole = [
                s for s in sections(text, "undated.md" if dated else file.name) if s.body.strip()
            ]
            keys = _keys(tx, space, str(file.resolve()), prefix, whole)
            for section, key in zip(whole, keys, strict=True):
                note = {**extra, "heading": section.heading, "section": section.key}
                refs = (FileRef(str(file.resolve()), FileRel.READ),)
                body = validate.content(section.body, store.settings.max_content_bytes)
                draft = Draft(
                    space,
                    validate.key(key),
                    body,
                    {**fields, "meta": note, "files": refs},
                    quiet=True,
                )
                draft, notes = screen_draft(store.settings, draft, allow_secrets)
                report.notes += [f"{file.name}, {draft.key}: {one}" for one in notes]
                _store(store, tx, draft, report, trust)
    if not dry_run:
        catch_up(store)
    return report


def _store(
    store: Store, tx: "Transaction", draft: Draft, report: IngestReport, trust: bool
) -> None:
    reasons = () if trust else suspected(store, tx, draft, from_file=True)
    if reasons:
        memory = memory_of(draft, hold(store, tx, draft, reasons), dry_run=report.dry_run)
        report.notes += [f"{draft.ns}/{draft.key}: {note}" for note in memory.notes]
    else:
        memory = write_draft(store, tx, draft)
    report.ingested += 1
    report.quarantined += memory.outcome is Outcome.QUARANTINED
    report.created += memory.outcome is Outcome.CREATED
    report.updated += memory.outcome is Outcome.UPDATED
    report.unchanged += memory.outcome is Outcome.REINFORCED
    if report.dry_run:
        report.memories.append(memory)


def _files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
        return
    if not root.is_dir():
        raise NotFoundError(
            f"there is no file or folder {root}", "name a markdown file, or a folder of them"
        )
    found = sorted(
        p
        for p in root.rglob("*")
        if p.suffix.lower() in SUFFIXES and p.is_file() and not _hidden(p, root)
    )
    if not found:
        raise NotFoundError(
            f"there is no markdown file below {root}", "files must end in .md, .markdown or .mdk"
        )
    yield from found


def _hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{file} is not UTF-8 (byte {error.start})", "convert it, for instance with iconv"
        ) from None
    except OSError as error:
        raise InvalidInputError(
            f"cannot read {file}: {error.strerror}", "check its permissions"
        ) from None


def _date(name: str) -> str | None:
    stem = name.rsplit(".", 1)[0]
    parts = stem.split("-")
    return (
        stem if [len(p) for p in parts] == [4, 2, 2] and all(p.isdigit() for p in parts) else None
    )


def _keys(tx: "Transaction", ns: str, path: str, prefix: str, whole: list[Section]) -> list[str]:
    """Keep the key a section of this file already has.

    Else its slug, or a longer one if another file owns that.
    """
    mine = {
        m.meta.get("section"): m.key for m in tx.listing.select(Filter(ns=NsFilter(ns), file=path))
    }
    keys = []
    for section in whole:
        owner = tx.memories.last(ns, section.key)
        free = owner is None or owner.deleted_at is not None or "section" not in owner.meta
        keys.append(mine.get(section.key) or (section.key if free else f"{prefix}:{section.key}"))
    return keys
