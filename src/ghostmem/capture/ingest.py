"""Store markdown files as memories, one per section of the second level."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.memory.draft import Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import hold, memory_of_held, quarantine_reasons
from ghostmem.memory.redact import redact_draft
from ghostmem.memory.write import write_draft
from ghostmem.model import FileRef, FileRel, Memory, NsFilter, Outcome, Record
from ghostmem.store import validate
from ghostmem.store.fields import put_fields
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.text.sections import MarkdownSection, sections, slug

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction


SUFFIXES = {".md", ".markdown", ".mdk"}


@dataclass(eq=False, repr=False)
class IngestReport(Record):
    """The counts of an ingest."""

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
    progress: Callable[[int], None] | None = None,
) -> IngestReport:
    """Store each section of a markdown file or folder as a memory; its key is the heading's slug.

    Ingesting again updates only changed sections. Files named YYYY-MM-DD.md put the date before
    their keys; `date_ns` puts it behind the namespace instead. If two files have a section of one
    name, the key of the second starts with its file's name. Secrets are redacted unless
    `allow_secrets`; the files stay unchanged. A section that looks like instructions goes into
    quarantine, unless the caller sets `trust`."""
    root = Path(path)
    validate.namespace(ns)
    texts = {file: _read(file) for file in _files(root)}
    fields = put_fields(kind=kind, tags=tags, priority=priority)
    extra = validate.meta(meta) or {}
    report = IngestReport(dry_run=dry_run, files=len(texts))
    with store.engine.write(dry_run=dry_run) as tx:
        for number, (file, text) in enumerate(texts.items(), 1):
            dated = _date(file.name) if date_ns else None
            space = validate.namespace(f"{ns}:{dated}" if dated else ns)
            prefix = slug(
                file.relative_to(root).with_suffix("").as_posix() if root.is_dir() else file.stem
            )
            filled = [
                s for s in sections(text, "undated.md" if dated else file.name) if s.body.strip()
            ]
            keys = _keys(tx, space, str(file.resolve()), prefix, filled)
            for section, key in zip(filled, keys, strict=True):
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
                draft, notes = redact_draft(store.settings, draft, allow_secrets)
                report.notes += [f"{file.name}, {draft.key}: {text}" for text in notes]
                _store(store, tx, draft, report, trust)
            if progress is not None:
                progress(number)
    if not dry_run:
        catch_up(store, progress)
    return report


def _store(
    store: Store, tx: "Transaction", draft: Draft, report: IngestReport, trust: bool
) -> None:
    reasons = () if trust else quarantine_reasons(store, tx, draft, from_file=True)
    if reasons:
        memory = memory_of_held(draft, hold(store, tx, draft, reasons), dry_run=report.dry_run)
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
    files = sorted(
        path
        for path in root.rglob("*")
        if path.suffix.lower() in SUFFIXES
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(root).parts)
    )
    if not files:
        raise NotFoundError(
            f"there is no markdown file below {root}", "files must end in .md, .markdown or .mdk"
        )
    yield from files


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
    is_date = [len(part) for part in parts] == [4, 2, 2] and all(map(str.isdigit, parts))
    return stem if is_date else None


def _keys(
    tx: "Transaction", ns: str, path: str, prefix: str, filled: list[MarkdownSection]
) -> list[str]:
    """Return the key that each section of a file has, or its slug, prefixed if that is taken."""
    stored = tx.listing.select(Filter(ns=NsFilter(ns), file=path))
    known = {memory.meta.get("section"): memory.key for memory in stored}
    keys = []
    for section in filled:
        owner = tx.memories.last(ns, section.key)
        free = owner is None or owner.deleted_at is not None or "section" not in owner.meta
        keys.append(known.get(section.key) or (section.key if free else f"{prefix}:{section.key}"))
    return keys
