"""Class Ghost: an open store, with one method per operation.

A method is made from its operation, which has the signature and the docstring and is imported when
it is called. Methods for everyday use are on `Ghost`, the others in groups such as `Ghost.notes`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from ghostmem.clock import Clock, as_time, now
from ghostmem.errors import InvalidInputError
from ghostmem.operation import Modules, moved, operation
from ghostmem.settings import Settings, load
from ghostmem.store import Store, Vectoriser, open_engine, validate

if TYPE_CHECKING:
    from pathlib import Path

    import ghostmem.admin.check
    import ghostmem.admin.namespaces
    import ghostmem.admin.tokens
    import ghostmem.admin.verify
    import ghostmem.capture.capture
    import ghostmem.capture.ingest
    import ghostmem.capture.mine_procedures
    import ghostmem.context.context
    import ghostmem.graph.clusters
    import ghostmem.graph.edges
    import ghostmem.graph.expand
    import ghostmem.graph.infer
    import ghostmem.graph.relink
    import ghostmem.lifecycle.gc
    import ghostmem.lifecycle.reflect
    import ghostmem.lifecycle.rules
    import ghostmem.lifecycle.run_log
    import ghostmem.memory.consolidate
    import ghostmem.memory.curate
    import ghostmem.memory.embedding
    import ghostmem.memory.forget
    import ghostmem.memory.get
    import ghostmem.memory.list
    import ghostmem.memory.patch
    import ghostmem.memory.put
    import ghostmem.memory.put_many
    import ghostmem.memory.quarantine
    import ghostmem.memory.remove
    import ghostmem.memory.tags
    import ghostmem.notes.folders
    import ghostmem.notes.mirror
    import ghostmem.notes.write_section
    import ghostmem.outline.operations
    import ghostmem.outline.stale
    import ghostmem.search.search
    import ghostmem.search.timeline
    import ghostmem.transfer.backup
    import ghostmem.transfer.export
    import ghostmem.transfer.import_
    import ghostmem.transfer.import_foreign
    import ghostmem.transfer.release
    import ghostmem.truth.conflicts
    import ghostmem.truth.sources
    from ghostmem.embed.base import Function
    from ghostmem.search.rerank import Reranker
else:
    ghostmem = Modules()


class Group:
    """Operations on one store that belong together."""

    def __init__(self, store: Store) -> None:
        self.store = store


class Notes(Group):
    """Markdown folders that are searched in place, or mirrored in both directions."""

    add = operation(lambda: ghostmem.notes.folders.add_notes)
    folders = operation(lambda: ghostmem.notes.folders.note_folders)
    sync = operation(lambda: ghostmem.notes.folders.sync_notes)
    status = operation(lambda: ghostmem.notes.folders.notes_status)
    rm = operation(lambda: ghostmem.notes.folders.rm_notes)
    write = operation(lambda: ghostmem.notes.write_section.write_note)
    mirror = operation(lambda: ghostmem.notes.mirror.mirror)


class Graph(Group):
    """Edges between memories; `Ghost.edge` and `Ghost.edges` are the everyday part."""

    rm_edge = operation(lambda: ghostmem.graph.edges.rm_edge)
    link = operation(lambda: ghostmem.graph.edges.link)
    edge_candidates = operation(lambda: ghostmem.graph.edges.edge_candidates)
    infer_edges = operation(lambda: ghostmem.graph.infer.infer_edges)
    relink = operation(lambda: ghostmem.graph.relink.relink)


class Lifecycle(Group):
    """Rules of `Ghost.reflect`, its runs, and the deletion of expired memories."""

    rules = operation(lambda: ghostmem.lifecycle.rules.rules)
    rule = operation(lambda: ghostmem.lifecycle.rules.get_rule)
    set_rule = operation(lambda: ghostmem.lifecycle.rules.set_rule)
    rm_rule = operation(lambda: ghostmem.lifecycle.rules.rm_rule)
    reset_rule = operation(lambda: ghostmem.lifecycle.rules.reset_rule)
    runs = operation(lambda: ghostmem.lifecycle.run_log.runs)
    undo = operation(lambda: ghostmem.lifecycle.run_log.undo)
    gc = operation(lambda: ghostmem.lifecycle.gc.gc)


class Quarantine(Group):
    """Texts that look like instructions and are held back from every retrieval."""

    list = operation(lambda: ghostmem.memory.quarantine.quarantined)
    get = operation(lambda: ghostmem.memory.quarantine.find_held)
    release = operation(lambda: ghostmem.transfer.release.release)
    drop = operation(lambda: ghostmem.memory.quarantine.drop)


class CodeOutline(Group):
    """Relations between the symbols of a project, and memories about them."""

    symbol = operation(lambda: ghostmem.outline.operations.outline_symbol, positional=1)
    file = operation(lambda: ghostmem.outline.operations.outline_file, positional=1)
    project = operation(lambda: ghostmem.outline.operations.outline_project, positional=1)
    stale = operation(lambda: ghostmem.outline.stale.stale, positional=1)


class Transfer(Group):
    """Stores of other programs, recorded conversations, and copies of the store."""

    import_ghost = operation(lambda: ghostmem.transfer.import_.import_ghost)
    import_foreign = operation(lambda: ghostmem.transfer.import_foreign.import_foreign)
    export_original = operation(lambda: ghostmem.transfer.export.export_original)
    ingest_transcript = operation(lambda: ghostmem.capture.ingest.ingest_transcript)
    mine_procedures = operation(lambda: ghostmem.capture.mine_procedures.mine_procedures)
    backup = operation(lambda: ghostmem.transfer.backup.backup)


class Admin(Group):
    """Namespaces, tags, names of people, tokens, vectors, and the health of the store."""

    namespaces = operation(lambda: ghostmem.admin.namespaces.list_namespaces)
    rm_namespace = operation(lambda: ghostmem.admin.namespaces.rm_namespace)
    peek = operation(lambda: ghostmem.memory.list.peek)
    stats = operation(lambda: ghostmem.admin.namespaces.stats)
    tags = operation(lambda: ghostmem.memory.tags.list_tags)
    rename_tag = operation(lambda: ghostmem.memory.tags.rename_tag)
    rm_tag = operation(lambda: ghostmem.memory.tags.rm_tag)
    source_aliases = operation(lambda: ghostmem.truth.sources.source_aliases)
    set_source_alias = operation(lambda: ghostmem.truth.sources.set_source_alias)
    rm_source_alias = operation(lambda: ghostmem.truth.sources.rm_source_alias)
    tokens = operation(lambda: ghostmem.admin.tokens.list_tokens)
    create_token = operation(lambda: ghostmem.admin.tokens.create_token)
    revoke_token = operation(lambda: ghostmem.admin.tokens.revoke_token)
    embed_status = operation(lambda: ghostmem.memory.embedding.embed_status)
    embed_backfill = operation(lambda: ghostmem.memory.embedding.embed_all, positional=1)
    embed_switch = operation(lambda: ghostmem.memory.embedding.switch, positional=1)
    audit_log = operation(lambda: ghostmem.admin.verify.audit_log)
    verify_log = operation(lambda: ghostmem.admin.verify.verify, positional=1)
    check = operation(lambda: ghostmem.admin.check.check)
    repair = operation(lambda: ghostmem.admin.check.repair, positional=1)


# methods of Ghost 0.15 that are in groups now
MOVED = {
    "add_notes": "notes.add",
    "note_folders": "notes.folders",
    "sync_notes": "notes.sync",
    "notes_status": "notes.status",
    "rm_notes": "notes.rm",
    "write_note": "notes.write",
    "mirror": "notes.mirror",
    "rm_edge": "graph.rm_edge",
    "link": "graph.link",
    "edge_candidates": "graph.edge_candidates",
    "infer_edges": "graph.infer_edges",
    "relink": "graph.relink",
    "rules": "lifecycle.rules",
    "rule": "lifecycle.rule",
    "set_rule": "lifecycle.set_rule",
    "rm_rule": "lifecycle.rm_rule",
    "reset_rule": "lifecycle.reset_rule",
    "runs": "lifecycle.runs",
    "undo": "lifecycle.undo",
    "gc": "lifecycle.gc",
    "quarantined": "quarantine.list",
    "held": "quarantine.get",
    "release": "quarantine.release",
    "drop_held": "quarantine.drop",
    "outline_symbol": "outline.symbol",
    "outline_file": "outline.file",
    "outline_project": "outline.project",
    "stale": "outline.stale",
    "import_ghost": "transfer.import_ghost",
    "import_foreign": "transfer.import_foreign",
    "export_original": "transfer.export_original",
    "ingest_transcript": "transfer.ingest_transcript",
    "mine_procedures": "transfer.mine_procedures",
    "backup": "transfer.backup",
    "namespaces": "admin.namespaces",
    "rm_namespace": "admin.rm_namespace",
    "peek": "admin.peek",
    "stats": "admin.stats",
    "tags": "admin.tags",
    "rename_tag": "admin.rename_tag",
    "rm_tag": "admin.rm_tag",
    "source_aliases": "admin.source_aliases",
    "set_source_alias": "admin.set_source_alias",
    "rm_source_alias": "admin.rm_source_alias",
    "tokens": "admin.tokens",
    "create_token": "admin.create_token",
    "revoke_token": "admin.revoke_token",
    "embed_status": "admin.embed_status",
    "embed_backfill": "admin.embed_backfill",
    "embed_switch": "admin.embed_switch",
    "audit_log": "admin.audit_log",
    "verify_log": "admin.verify_log",
    "check": "admin.check",
    "repair": "admin.repair",
}


class Ghost:
    """A persistent memory store. Open it with `Ghost.open()` and use it in a `with` block.

    >>> with Ghost.open(":memory:") as ghost:
    ...     ghost.put("agent:demo", "editor", "The user edits in Helix.").version
    1

    Methods for everyday use are here; the others are in groups: `notes`, `graph`, `lifecycle`,
    `quarantine`, `outline`, `transfer` and `admin`.

    Common parameters: `ns` is a namespace such as "agent:me"; where it is optional it is a filter
    and may also be a prefix ("agent:*") or None for all. Times are datetimes or texts such as
    "2026-03-14 09:30". With `dry_run` nothing is changed, and the result says what would happen.
    `unlock` also changes memories tagged `locked`. `progress` is called with the number of items
    done.

    Every failure raises a GhostError with a hint: InvalidInputError for a value that cannot be
    accepted, NotFoundError for a missing item, ConflictError for an item that is not in the
    expected state (LockedError, VersionConflictError and others derive from it), EngineError for a
    store that cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.notes = Notes(store)
        self.graph = Graph(store)
        self.lifecycle = Lifecycle(store)
        self.quarantine = Quarantine(store)
        self.outline = CodeOutline(store)
        self.transfer = Transfer(store)
        self.admin = Admin(store)

    @classmethod
    def open(
        cls,
        target: str | Path | None = None,
        *,
        embedder: str | Function | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        reranker: Reranker | None = None,
    ) -> Self:
        """Open a store, and create it if it does not exist.

        Args:
            target: Path, ":memory:" or postgresql:// URL; default: the setting `db`.
            embedder: Name of an embedding provider, or a function from texts to vectors.
            settings: Settings to use; default: configuration file and environment.
            clock: Function that returns the current time (without a time zone: UTC), for tests
                and replays.
            reranker: Function that scores the best hits again, within GHOST_RERANK_DEADLINE.
        """
        name = embedder if isinstance(embedder, str) else None
        function = embedder if callable(embedder) else None
        if embedder is not None and name is None and function is None:
            raise InvalidInputError(
                f"embedder must be a name or a function, not {validate.shown(embedder)}",
                "pass a name such as 'static', or a function from texts to vectors",
            )
        location = os.fspath(target) if isinstance(target, PathLike) else target
        location = None if location is None else validate.text(location, "target")
        if settings is None:
            resolved = load(db=location, embed_provider=name)
        else:
            resolved = settings if location is None else replace(settings, db=location)
            resolved = resolved if name is None else replace(resolved, embed_provider=name)
        in_utc = now if clock is None else (lambda: as_time(clock(), "clock"))
        engine = open_engine(resolved, in_utc)
        return cls(
            Store(engine, resolved, in_utc, Vectoriser(resolved, function, engine), reranker)
        )

    def close(self) -> None:
        """Close the store; all acknowledged writes are already on disk."""
        self.store.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    put = operation(lambda: ghostmem.memory.put.put)
    put_many = operation(lambda: ghostmem.memory.put_many.put_many)
    get = operation(lambda: ghostmem.memory.get.get, positional=1)
    list = operation(lambda: ghostmem.memory.list.list_memories)
    files = operation(lambda: ghostmem.memory.list.files)
    history = operation(lambda: ghostmem.memory.get.history)
    chunks = operation(lambda: ghostmem.memory.get.chunks)
    rm = operation(lambda: ghostmem.memory.remove.rm)
    restore = operation(lambda: ghostmem.memory.remove.restore, positional=1)
    patch = operation(lambda: ghostmem.memory.patch.patch)
    curate = operation(lambda: ghostmem.memory.curate.curate)
    forget = operation(lambda: ghostmem.memory.forget.forget)
    search = operation(lambda: ghostmem.search.search.search)
    context = operation(lambda: ghostmem.context.context.context)
    timeline = operation(lambda: ghostmem.search.timeline.timeline)
    used = operation(lambda: ghostmem.memory.get.used)
    conflicts = operation(lambda: ghostmem.truth.conflicts.conflicts)
    resolve = operation(lambda: ghostmem.truth.conflicts.resolve)
    reopen = operation(lambda: ghostmem.truth.conflicts.reopen_memory)
    edge = operation(lambda: ghostmem.graph.edges.edge, positional=1)
    edges = operation(lambda: ghostmem.graph.edges.edges)
    consolidate = operation(lambda: ghostmem.memory.consolidate.consolidate)
    expand = operation(lambda: ghostmem.graph.expand.expand)
    clusters = operation(lambda: ghostmem.graph.clusters.clusters)
    reflect = operation(lambda: ghostmem.lifecycle.reflect.reflect)
    capture = operation(lambda: ghostmem.capture.capture.capture)
    ingest = operation(lambda: ghostmem.capture.ingest.ingest)
    export = operation(lambda: ghostmem.transfer.export.export)
    import_ = operation(lambda: ghostmem.transfer.import_.import_)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a method by its name in Ghost 0.15."""
            if name not in MOVED:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            group, _, method = MOVED[name].partition(".")
            moved(f"Ghost.{name} is Ghost.{MOVED[name]} now")
            return getattr(getattr(self, group), method)
