"""Class Ghost: an open store.

Each method is one call into the verb of its name, which says what it does in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Self, Unpack

from ghostmem.clock import Clock, now
from ghostmem.model import Memory
from ghostmem.settings import Settings, load
from ghostmem.store.opening import open_engine
from ghostmem.store.store import Store
from ghostmem.store.vectoriser import Vectoriser

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from ghostmem.admin.check import CheckReport, RepairReport
    from ghostmem.admin.namespaces import NamespaceInfo, NamespaceRemoval
    from ghostmem.admin.stats import Stats
    from ghostmem.admin.verify import LogLine, Verification
    from ghostmem.capture.capture import CaptureFields, CaptureReport
    from ghostmem.capture.ingest import IngestFields, IngestReport
    from ghostmem.capture.ingest_transcript import TranscriptFields, TranscriptReport
    from ghostmem.capture.mine_procedures import MineFields, MineReport
    from ghostmem.context.context import ContextFields
    from ghostmem.embed.base import Function
    from ghostmem.graph.clusters import Cluster
    from ghostmem.graph.edges import EdgeCandidates
    from ghostmem.graph.expand import Expanded
    from ghostmem.graph.infer import InferReport
    from ghostmem.graph.relink import Relinked
    from ghostmem.lifecycle.gc import Collection
    from ghostmem.lifecycle.rules import RuleFields
    from ghostmem.lifecycle.undo import Undone
    from ghostmem.memory.consolidate import Consolidation
    from ghostmem.memory.curate import Curated
    from ghostmem.memory.embedding import EmbedStatus
    from ghostmem.memory.forget import Forgetting
    from ghostmem.memory.list import ListFields
    from ghostmem.memory.peek import Peek
    from ghostmem.memory.put import PutFields
    from ghostmem.memory.quarantine import Dropped
    from ghostmem.memory.remove import Removal
    from ghostmem.memory.tags import TagChange, TagInfo
    from ghostmem.memory.used import Use
    from ghostmem.model import Chunk, Edge, Folder, Held, Hits, Pack, Report, Rule, Run, Token
    from ghostmem.notes.edit import NoteWritten
    from ghostmem.notes.folders import Added, FolderRemoval, FolderStatus
    from ghostmem.notes.mirroring import MirrorReport
    from ghostmem.notes.sync import SyncReport
    from ghostmem.outline.operations import Outline, OutlineFields
    from ghostmem.outline.stale import Stale
    from ghostmem.search.rerank import Reranker
    from ghostmem.search.search import SearchFields
    from ghostmem.search.timeline import Event
    from ghostmem.transfer.backup import Backup
    from ghostmem.transfer.import_ import ImportReport
    from ghostmem.truth.conflicts import Conflicts
    from ghostmem.truth.resolve import Resolved


List = list  # the method of that name hides the builtin inside the class


class Ghost:
    """A memory that lasts: `Ghost.open()` the default store, a path, or ":memory:".

    Use it in a `with` block.

    >>> with Ghost.open(":memory:") as ghost:
    ...     ghost.put("agent:demo", "editor", "The user edits in Helix.").version
    1

    What many methods take: `ns` is a namespace such as "agent:me"; where it may be left out, it
    filters, and may also be a prefix ("agent:*") or nothing for all of them. Times are datetimes or
    texts such as "2026-03-14 09:30". With `dry_run` nothing is changed, and what is returned says
    what would be. `unlock` lets a memory tagged `locked` be changed. `progress` is called with how
    many are done.

    What goes wrong raises a GhostError with a hint: InvalidInputError for a value that cannot be
    accepted, NotFoundError for what is not there, ConflictError for what is not as the caller
    thought (LockedError, VersionConflictError and others are kinds of it), EngineError for a store
    that cannot be read or written."""

    def __init__(self, store: Store) -> None:
        self.store = store

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
        """Open a store, creating it when it is not there.

        `target` is a path, ":memory:" or a postgresql:// URL and defaults to the settings' choice;
        `embedder` is a provider's name or a function from texts to vectors; `settings` default to
        the configuration file and the environment; `clock` returns the current time and exists for
        tests and replays; `reranker` scores the best hits anew, within GHOST_RERANK_DEADLINE."""
        name = embedder if isinstance(embedder, str) else None
        if settings is None:
            given = load(db=None if target is None else str(target), embed_provider=name)
        else:
            from dataclasses import replace

            given = settings if target is None else replace(settings, db=str(target))
            given = given if name is None else replace(given, embed_provider=name)
        clock = clock or now
        engine = open_engine(given, clock)
        own = embedder if callable(embedder) else None
        return cls(Store(engine, given, clock, Vectoriser(given, own), reranker))

    def close(self) -> None:
        """Close the store; everything acknowledged is already on disk."""
        self.store.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def put(self, ns: str, key: str, content: str, **fields: Unpack[PutFields]) -> Memory:
        """Store a memory under (ns, key), or its next version, and return it with its outcome and
        its verdict.

        `fields` are what it is (kind, tags, priority, importance, tier, pinned, meta, files,
        symbols), who said it and when (source_user, source_kind, source_scope, source_client,
        created_at), how long it holds (ttl, valid_from, valid_to), and how it is put (base_version,
        dedup, supersedes, unlock, allow_secrets); a new version inherits what is not named.
        VersionConflictError when `base_version` is not the current one, LockedError without
        `unlock` for a locked memory."""
        from ghostmem.memory.put import put

        return put(self.store, ns, key, content, **fields)

    def get(
        self, ns: str, key: str, version: int | None = None, *, as_of: datetime | str | None = None
    ) -> Memory:
        """Return a memory by its key, now or as it was believed at a time, or raise NotFoundError.

        `version` names an earlier one. The retrieval is counted; the memory shows the counts before
        it."""
        from ghostmem.memory.get import get

        return get(self.store, ns, key, version, as_of=as_of)

    def chunks(self, ns: str, key: str) -> List[Chunk]:
        """Return the pieces a memory is searched by.

        NotFoundError when there is no such memory.
        """
        from ghostmem.memory.chunks import chunks

        return chunks(self.store, ns, key)

    def history(self, ns: str, key: str) -> list[Memory]:
        """Return every version of a key, oldest first.

        Removed versions are among them. NotFoundError for a key that never was.
        """
        from ghostmem.memory.history import history

        return history(self.store, ns, key)

    def list(self, ns: str | None = None, **filters: Unpack[ListFields]) -> List[Memory]:
        """Return live memories that pass the filters, newest first.

        `filters` are tier, key_prefix, kind, tags, priority, pinned, source_user, source_kind,
        source_scope, source_client, after, before, valid_at, file and file_rel; `deleted` lists
        what was removed or replaced instead. At most `limit` (20) after the first `offset`."""
        from ghostmem.memory.list import list_memories

        return list_memories(self.store, ns, **filters)

    def search(
        self,
        query: str,
        ns: str | None = None,
        *,
        as_of: datetime | str | None = None,
        **fields: Unpack[SearchFields],
    ) -> Hits:
        """Return the memories that answer a question best, best first.

        `as_of` asks what was believed at a time.

        `fields` are `limit` (20), tiers, include_all, min_score, weak, explain, within, pieces and
        now, and the filters of `list`. The hits are a list, empty when nothing is about the
        question, with `weaker`, `legs`, `notes` and `superseded`. Scores are from 0 to 1. The list
        holds the strong hits and `weaker` the others; `weak=True` returns all in the list."""
        from ghostmem.search.search import search

        return search(self._then(ns, as_of), query, ns, **fields)

    def context(
        self,
        query: str,
        ns: str | None = None,
        *,
        as_of: datetime | str | None = None,
        **fields: Unpack[ContextFields],
    ) -> Pack:
        """Return the memories to read for a task, packed into a budget of tokens, each with the
        reason it is there.

        `fields` are `budget` (4000 tokens), what is at hand (files, symbols, root, language,
        for_user, for_scope), what is left out (tiers, include_all, exclude_pinned, min_score,
        min_spread, max_memory_tokens, expand), `whole` (give all of a small namespace) and the
        filters of `list`; `as_of` asks what was believed at a time. `render` writes the pack as
        text."""
        from ghostmem.context.context import context

        return context(self._then(ns, as_of), query, ns, **fields)

    def _then(self, ns: str | None, as_of: datetime | str | None) -> Store:
        """Return the store, or what it held at a time."""
        if as_of is None:
            return self.store
        from ghostmem.store.validate import ns_filter
        from ghostmem.truth.past import past

        return past(self.store, ns_filter(ns), as_of)

    def conflicts(self, ns: str | None = None) -> Conflicts:
        """Return what contradicts each other and nobody has decided about."""
        from ghostmem.truth.conflicts import conflicts

        return conflicts(self.store, ns)

    def resolve(
        self,
        ns: str,
        keep: str,
        other: str | None = None,
        *,
        both: bool = False,
        unlock: bool = False,
    ) -> Resolved:
        """Let one memory hold and end what it contradicts, or let both hold.

        `keep` is the key that holds. Without `other` it ends everything that contradicts it, with
        it only that one; with `both` neither ends. NotFoundError when nothing contradicts it."""
        from ghostmem.truth.resolve import resolve

        return resolve(self.store, ns, keep, other, both=both, unlock=unlock)

    def reopen(self, ns: str, key: str) -> Resolved:
        """Let a memory that was closed hold again.

        ConflictError when it is not closed.
        """
        from ghostmem.truth.resolve import reopened

        return reopened(self.store, ns, key)

    def timeline(self, ns: str, what: str) -> List[Event]:
        """Return how a key, or what a question finds, came to be what it is, oldest first.

        `what` is a key, or a question when no memory has that key.
        """
        from ghostmem.search.timeline import timeline

        return timeline(self.store, ns, what)

    def used(self, ns: str, keys: Iterable[str]) -> List[Use]:
        """Mark memories as having really helped.

        All of `keys` are marked, or none: NotFoundError when one is not there.
        """
        from ghostmem.memory.used import used

        return used(self.store, ns, keys)

    def edge(
        self, ns: str, from_key: str, to_key: str, rel: str, weight: float | None = None
    ) -> Edge:
        """Link two memories of a namespace, or give a link another weight.

        `rel` is a relation such as relates_to, contradicts, depends_on, refines, contains,
        merged_into, caused_by, prevents or implies; without a `weight` the edge has its relation's.
        """
        from ghostmem.graph.edges import edge

        return edge(self.store, ns, from_key, to_key, rel, weight)

    def rm_edge(self, ns: str, from_key: str, to_key: str, rel: str) -> Edge:
        """Remove a link between two memories.

        Returns it as it was; NotFoundError when there is none.
        """
        from ghostmem.graph.edges import rm_edge

        return rm_edge(self.store, ns, from_key, to_key, rel)

    def edges(self, ns: str, key: str | None = None, *, rel: str | None = None) -> List[Edge]:
        """Return the links of a memory in both directions, or of a namespace, heaviest first.

        `rel` keeps to one relation.
        """
        from ghostmem.graph.edges import edges

        return edges(self.store, ns, key, rel)

    def link(self, ns: str, from_key: str, to_key: str, rel: str) -> Edge:
        """Link two memories in the original Ghost's way.

        It counts as an edge of the same relation.
        """
        from ghostmem.graph.edges import link

        return link(self.store, ns, from_key, to_key, rel)

    def edge_candidates(
        self, ns: str, *, max_pairs: int = 50, seed: Iterable[str] | None = None
    ) -> EdgeCandidates:
        """Return pairs that are alike and of which nobody has said yet how they relate.

        Heaviest first, at most `max_pairs`; `seed` are keys of which a pair must have one.
        """
        from ghostmem.graph.edges import edge_candidates

        return edge_candidates(self.store, ns, max_pairs=max_pairs, seed=seed)

    def infer_edges(
        self,
        ns: str,
        *,
        max_pairs: int = 100,
        seed: Iterable[str] | None = None,
        again: bool = False,
        dry_run: bool = False,
        ask: Callable[[str], str] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> InferReport:
        """Ask a model how alike memories relate; the only method that may.

        `ask` takes a prompt and returns an answer, and defaults to the settings' model; each answer
        is stored at once. `seed` are keys of which a pair must have one; `again` also asks about
        pairs that were answered with none. InvalidInputError when there is no model to ask,
        ModelError when it fails."""
        from ghostmem.graph.infer import infer_edges

        return infer_edges(
            self.store,
            ns,
            max_pairs=max_pairs,
            seed=seed,
            again=again,
            dry_run=dry_run,
            ask=ask,
            progress=progress,
        )

    def relink(
        self, ns: str, *, dry_run: bool = False, progress: Callable[[int], None] | None = None
    ) -> Relinked:
        """Link what shares names, topics or meaning and is not linked yet.

        At most 8 links for each memory; pairs that have any link are left as they are.
        """
        from ghostmem.graph.relink import relink

        return relink(self.store, ns, dry_run=dry_run, progress=progress)

    def clusters(self, ns: str) -> List[Cluster]:
        """Return groups of memories that likeness connects, largest first."""
        from ghostmem.graph.clusters import clusters

        return clusters(self.store, ns)

    def consolidate(
        self,
        ns: str,
        summary_key: str,
        content: str,
        source_keys: Iterable[str],
        *,
        kind: str | None = None,
        importance: float | None = None,
        tags: Iterable[str] | None = None,
        allow_secrets: bool = False,
    ) -> Consolidation:
        """Store a summary that stands for several memories, which all stay.

        `source_keys` are what it stands for. It is semantic and has importance 0.7 unless `kind`
        and `importance` say otherwise; one that exists gets a new version and keeps its sources.
        Secrets are redacted unless `allow_secrets`."""
        from ghostmem.memory.consolidate import consolidate

        return consolidate(
            self.store,
            ns,
            summary_key,
            content,
            source_keys,
            kind=kind,
            importance=importance,
            tags=tags,
            allow_secrets=allow_secrets,
        )

    def expand(self, ns: str, key: str | None = None, *, depth: int = 1) -> Expanded:
        """List the summaries of a namespace, or return what one of them stands for.

        `depth` is how many levels of summaries within summaries are opened.
        """
        from ghostmem.graph.expand import expand

        return expand(self.store, ns, key, depth=depth)

    def reflect(
        self,
        ns: str | None = None,
        *,
        dry_run: bool = False,
        relink: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> Report:
        """Run the rules of the lifecycle over all memories; `undo` takes it back.

        Pinned and locked memories are exempt. `relink` also links what shares names, topics or
        meaning. A run that was killed is finished by the next one."""
        from ghostmem.lifecycle.reflect import reflect

        return reflect(self.store, ns, dry_run=dry_run, relink=relink, progress=progress)

    def undo(self, run: str, *, dry_run: bool = False) -> Undone:
        """Take back everything a run of the lifecycle did.

        `run` is its id, the beginning of it, or "last". What has changed since is left as it is and
        listed. ConflictError for a run that was undone already."""
        from ghostmem.lifecycle.undo import undo

        return undo(self.store, run, dry_run=dry_run)

    def runs(self, *, limit: int = 20) -> List[Run]:
        """Return the runs of the lifecycle, newest first."""
        from ghostmem.lifecycle.undo import runs

        return runs(self.store, limit=limit)

    def rules(self, ns: str | None = None) -> List[Rule]:
        """Return the rules of the lifecycle, most urgent first.

        With a namespace, those that count there.
        """
        from ghostmem.lifecycle.rules import rules

        return rules(self.store, ns)

    def rule(self, rule_id: str) -> Rule:
        """Return one rule.

        NotFoundError when there is none of that id.
        """
        from ghostmem.lifecycle.rules import get_rule

        return get_rule(self.store, rule_id)

    def set_rule(self, name: str, action: str, **fields: Unpack[RuleFields]) -> Rule:
        """Add a rule, or put it in the place of one.

        `action` is PROMOTE, DEMOTE, DECAY, DELETE, ARCHIVE, TTL_SET, PIN, LINK, DEDUP or MERGE,
        with its `action_params`; `fields` are its conditions, of which there must be one (tier,
        kind, tag, age_gt_hours, unaccessed_gt_hours, importance_lt, access_lt, access_gt,
        utility_lt, similarity_gt), and ns, priority, expires_at and `rule_id`, the rule it
        replaces."""
        from ghostmem.lifecycle.rules import set_rule

        return set_rule(self.store, name, action, **fields)

    def rm_rule(self, rule_id: str) -> Rule:
        """Delete a rule, or switch a built-in one off."""
        from ghostmem.lifecycle.rules import rm_rule

        return rm_rule(self.store, rule_id)

    def reset_rule(self, rule_id: str) -> Rule:
        """Make a built-in rule again what it was."""
        from ghostmem.lifecycle.rules import reset_rule

        return reset_rule(self.store, rule_id)

    def create_token(
        self, name: str, grants: Iterable[str], *, expires: str | None = None
    ) -> tuple[str, Token]:
        """Make a token for callers over the network; the secret is returned once and never again.

        `grants` are texts such as "agent:me:read": a namespace or a prefix, then read, write or
        admin. `expires` is a duration such as "90d". ConflictError when a token has that name."""
        from ghostmem.admin.tokens import create_token

        return create_token(self.store, name, grants, expires=expires)

    def tokens(self) -> List[Token]:
        """Return all tokens, oldest first.

        With those that expired or were revoked; secrets are not among what is kept.
        """
        from ghostmem.admin.tokens import list_tokens

        return list_tokens(self.store)

    def revoke_token(self, token: str) -> Token:
        """Make a token open nothing any more, by its id or its name.

        ConflictError when it was revoked already.
        """
        from ghostmem.admin.tokens import revoke_token

        return revoke_token(self.store, token)

    def curate(self, ns: str, key: str, op: str, *, unlock: bool = False) -> Curated:
        """Promote, demote, boost, diminish, archive, delete, pin, unpin, lock or unlock one memory.

        `op` is one of these words. Tiers go dormant, stm, ltm; importance changes by 0.2.
        ConflictError where there is no further step."""
        from ghostmem.memory.curate import curate

        return curate(self.store, ns, key, op, unlock=unlock)

    def embed_status(self) -> EmbedStatus:
        """Count chunks with and without vectors of the chosen model."""
        from ghostmem.memory.embedding import embed_status

        return embed_status(self.store)

    def embed_backfill(self, progress: Callable[[int], None] | None = None) -> int:
        """Give every chunk without one a vector; can be stopped and run again.

        Returns how many were made. EmbeddingError when the provider fails; what was made until then
        stays."""
        from ghostmem.memory.embedding import backfill

        return backfill(self.store, progress)

    def embed_switch(self, progress: Callable[[int], None] | None = None) -> int:
        """Embed everything with the chosen model, then drop the vectors of others.

        Returns how many vectors were made. EmbeddingError when the provider fails; the old ones
        stay until all new ones are there."""
        from ghostmem.memory.embedding import switch

        return switch(self.store, progress)

    def rm(
        self,
        ns: str,
        key: str,
        *,
        hard: bool = False,
        all_versions: bool = False,
        unlock: bool = False,
        dry_run: bool = False,
    ) -> Removal:
        """Remove a memory, softly unless `hard`.

        A soft removal can be restored. `hard` deletes the latest version for good, with
        `all_versions` every one; the result names the backups that still hold it."""
        from ghostmem.memory.remove import rm

        return rm(
            self.store,
            ns,
            key,
            hard=hard,
            all_versions=all_versions,
            unlock=unlock,
            dry_run=dry_run,
        )

    def quarantined(self, ns: str | None = None) -> List[Held]:
        """Return what was put and is not trusted, oldest first; nothing else reads it."""
        from ghostmem.memory.quarantine import quarantined

        return quarantined(self.store, ns)

    def held(self, held_id: str, *, ns: str | None = None) -> Held:
        """Return one thing of the quarantine, by its id or the start or end of it.

        NotFoundError when there is none, InvalidInputError when several begin or end so.
        """
        from ghostmem.memory.quarantine import held

        return held(self.store, held_id, ns=ns)

    def release(self, held_id: str, *, ns: str | None = None) -> Memory:
        """Store what is held in quarantine as if it had been trusted."""
        from ghostmem.transfer.release import release

        return release(self.store, held_id, ns=ns)

    def drop_held(
        self, held_ids: Iterable[str], *, ns: str | None = None, dry_run: bool = False
    ) -> Dropped:
        """Delete what is held in quarantine for good.

        No byte of it stays in the store; the result names the backups that still hold it.
        """
        from ghostmem.memory.quarantine import drop

        return drop(self.store, held_ids, ns=ns, dry_run=dry_run)

    def restore(
        self, ns: str, key: str, version: int | None = None, *, unlock: bool = False
    ) -> Memory:
        """Bring back a removed memory, or an earlier version of one.

        With `version`, that one's content and fields become the newest version. ConflictError when
        it is not removed."""
        from ghostmem.memory.restore import restore

        return restore(self.store, ns, key, version, unlock=unlock)

    def patch(
        self,
        ns: str,
        key: str,
        diff: str,
        *,
        base_version: int | None = None,
        dry_run: bool = False,
        unlock: bool = False,
        allow_secrets: bool = False,
    ) -> Memory:
        """Change a memory by a unified diff whose context must match.

        The result is the next version; with `dry_run` it is only shown. PatchFormatError for what
        is no diff, PatchConflictError where its context does not match, VersionConflictError when
        `base_version` is not the current one."""
        from ghostmem.memory.patch import patch

        return patch(
            self.store,
            ns,
            key,
            diff,
            base_version=base_version,
            dry_run=dry_run,
            unlock=unlock,
            allow_secrets=allow_secrets,
        )

    def namespaces(self, ns: str | None = None) -> List[NamespaceInfo]:
        """Return namespaces with their counts."""
        from ghostmem.admin.namespaces import list_namespaces

        return list_namespaces(self.store, ns)

    def rm_namespace(
        self, ns: str, *, hard: bool = False, unlock: bool = False, dry_run: bool = False
    ) -> NamespaceRemoval:
        """Remove a whole namespace, or all that start alike.

        Softly, unless `hard` deletes every version for good, what is held in quarantine, and the
        name itself."""
        from ghostmem.admin.namespaces import rm_namespace

        return rm_namespace(self.store, ns, hard=hard, unlock=unlock, dry_run=dry_run)

    def tags(self, ns: str | None = None) -> List[TagInfo]:
        """Return tags with how many memories carry them."""
        from ghostmem.memory.tags import list_tags

        return list_tags(self.store, ns)

    def rename_tag(
        self, old: str, new: str, ns: str | None = None, *, unlock: bool = False
    ) -> TagChange:
        """Rename a tag everywhere.

        Where a memory has both, one remains.
        """
        from ghostmem.memory.tags import rename_tag

        return rename_tag(self.store, old, new, ns, unlock=unlock)

    def rm_tag(self, tag: str, ns: str | None = None, *, unlock: bool = False) -> TagChange:
        """Remove a tag everywhere."""
        from ghostmem.memory.tags import rm_tag

        return rm_tag(self.store, tag, ns, unlock=unlock)

    def files(
        self, path: str, *, rel: str | None = None, ns: str | None = None, limit: int = 20
    ) -> List[Memory]:
        """Return live memories about a file.

        `path` is the file as memories name it; `rel` keeps to what was done to it: modified,
        created, deleted or read. Newest first."""
        from ghostmem.memory.files import files

        return files(self.store, path, rel=rel, ns=ns, limit=limit)

    def stale(
        self, ns: str | None = None, root: str | Path | None = None, *, everything: bool = False
    ) -> List[Stale]:
        """Return the symbols that memories are about whose code has moved on since.

        Every project that memories are linked to is read, or only the one in `root`; `everything`
        also returns what is as it was."""
        from ghostmem.outline.stale import stale

        return stale(self.store, ns, root, everything=everything)

    def peek(self, ns: str | None = None) -> Peek:
        """Return the state of a namespace at a glance."""
        from ghostmem.memory.peek import peek

        return peek(self.store, ns)

    def stats(self) -> Stats:
        """Count what the store holds."""
        from ghostmem.admin.stats import stats

        return stats(self.store)

    def gc(
        self,
        *,
        stale: str | None = None,
        purge_deleted: str | None = None,
        vacuum: bool = False,
        dry_run: bool = False,
    ) -> Collection:
        """Delete what has expired and, on request, what is stale or was removed long ago.

        `stale` ("30d") removes live memories that nobody asked for that long, `purge_deleted`
        ("30d" or "all") deletes for good what was removed that long ago, `vacuum` shrinks the file.
        """
        from ghostmem.lifecycle.gc import gc

        return gc(
            self.store, stale=stale, purge_deleted=purge_deleted, vacuum=vacuum, dry_run=dry_run
        )

    def export(self, ns: str | None = None, *, mark: bool = False) -> Iterator[str]:
        """Yield everything as lines of JSON.

        Importing them into an empty store and exporting again gives the same bytes. With `mark` the
        header has a mark that only this store can make, so that it imports its own export without
        the quarantine."""
        from ghostmem.transfer.export import export

        return export(self.store, ns, mark=mark)

    def import_(
        self,
        source: IO[str] | Iterable[str],
        *,
        on_conflict: str = "update",
        dry_run: bool = False,
        trust: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> ImportReport:
        """Bring in what `export` wrote, or the original Ghost's JSON array.

        Ids, versions, times and counters are kept, so that importing twice changes nothing.
        `on_conflict` is for keys that have another history here: "update" writes the next version,
        "skip" keeps ours, "fail" raises ConflictError before anything is written. Keys with a text
        that looks like instructions are held in quarantine, unless the lines carry this store's own
        mark or `trust` is given; `release` then writes exactly what the import would have written.
        """
        from ghostmem.transfer.import_ import import_

        return import_(
            self.store,
            source,
            on_conflict=on_conflict,
            dry_run=dry_run,
            trust=trust,
            progress=progress,
        )

    def import_ghost(
        self,
        path: str | Path,
        *,
        on_conflict: str = "update",
        dry_run: bool = False,
        trust: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> ImportReport:
        """Bring in a database of the original Ghost.

        The file is only read. `on_conflict` and `trust` are as in `import_`.
        """
        from ghostmem.transfer.import_ import import_ghost

        return import_ghost(
            self.store,
            str(path),
            on_conflict=on_conflict,
            dry_run=dry_run,
            trust=trust,
            progress=progress,
        )

    def import_foreign(
        self,
        path: str | Path,
        ns: str,
        kind: str,
        *,
        on_conflict: str = "update",
        dry_run: bool = False,
        trust: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> ImportReport:
        """Bring in what another tool wrote: "mem0", "server-memory", "basic-memory" or "markdown".

        `path` is its file or folder, which is only read. `on_conflict` and `trust` are as in
        `import_`."""
        from ghostmem.transfer.import_foreign import import_foreign

        return import_foreign(
            self.store,
            path,
            ns,
            kind,
            on_conflict=on_conflict,
            dry_run=dry_run,
            trust=trust,
            progress=progress,
        )

    def ingest(self, path: str | Path, ns: str, **fields: Unpack[IngestFields]) -> IngestReport:
        """Turn markdown files into memories, one per H2 section.

        `path` is a file or a folder. `fields` are kind, tags, priority and meta of the memories,
        date_ns, dry_run, allow_secrets, and trust: without it, sections that look like instructions
        are held in quarantine. Ingesting again updates what changed."""
        from ghostmem.capture.ingest import ingest

        return ingest(self.store, path, ns, **fields)

    def ingest_transcript(
        self, path: str | Path, ns: str, **fields: Unpack[TranscriptFields]
    ) -> TranscriptReport:
        """Turn recorded conversations into threads of memories, one per turn.

        `path` is a file or a folder; `fields` are its `format`, tags, `source_user` (who the user
        is), allow_secrets and dry_run. Ingesting again adds what is new."""
        from ghostmem.capture.ingest_transcript import ingest_transcript

        return ingest_transcript(self.store, path, ns, **fields)

    def capture(self, text: str | None, ns: str, **fields: Unpack[CaptureFields]) -> CaptureReport:
        """Find what is worth remembering in a text, a transcript or a model's candidates, and put
        it.

        `text` is None when `fields` have a `transcript`, or `candidates` that a model made; they
        may also have the `least` score, how many at the `most`, tags, sources, dry_run and
        allow_secrets. No model is asked."""
        from ghostmem.capture.capture import capture

        return capture(self.store, text, ns, **fields)

    def mine_procedures(
        self, paths: Iterable[str | Path] = (), ns: str | None = None, **fields: Unpack[MineFields]
    ) -> MineReport:
        """Find what was done again and again in the same order.

        Unless `dry_run`, which is the default, put it.

        `paths` are recorded conversations; without any, the procedural memories of the namespace
        are read. `fields` are `fewest` sessions, the `longest` sequence, how many at the `most`,
        the `format` of the recordings, and `dry_run`."""
        from ghostmem.capture.mine_procedures import mine_procedures

        return mine_procedures(self.store, paths, ns, **fields)

    def add_notes(
        self,
        path: str | Path,
        ns: str | None = None,
        *,
        layout: str | None = None,
        source_kind: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Added:
        """Search a markdown folder from now on, where it lies.

        Its notes are found in `ns`, else in the settings' namespace, else in one named after the
        folder. `layout` is how it is written, and is told from its files when it is not named. Its
        notes count as the user's own unless `source_kind` says
        otherwise: then sections that look like instructions are held in quarantine.
        """
        from ghostmem.notes.folders import add_notes

        return add_notes(
            self.store, path, ns, layout=layout, source_kind=source_kind, progress=progress
        )

    def note_folders(self, ns: str | None = None) -> List[Folder]:
        """Return the markdown folders that are searched."""
        from ghostmem.notes.folders import note_folders

        return note_folders(self.store, ns)

    def sync_notes(
        self,
        folder: str | Path | None = None,
        *,
        full: bool = False,
        accept_deletes: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> List[SyncReport]:
        """Bring markdown folders in step with their files, vectors included.

        `folder` is one of them, or all; `full` reads every file anew; `accept_deletes` believes
        that what is missing is gone, also when that is most of it."""
        from ghostmem.notes.folders import sync_notes

        return sync_notes(
            self.store, folder, full=full, accept_deletes=accept_deletes, progress=progress
        )

    def notes_status(self, folder: str | Path | None = None) -> List[FolderStatus]:
        """Compare markdown folders with what is indexed of them.

        Nothing is changed.
        """
        from ghostmem.notes.folders import notes_status

        return notes_status(self.store, folder)

    def rm_notes(self, folder: str | Path, *, dry_run: bool = False) -> FolderRemoval:
        """Stop searching a markdown folder; its files stay."""
        from ghostmem.notes.folders import rm_notes

        return rm_notes(self.store, folder, dry_run=dry_run)

    def write_note(self, ns: str, key: str, text: str, *, base: str | None = None) -> NoteWritten:
        """Put a new text in the place of a note's section.

        `key` is the section's memory, `base` the digest of the file that the caller read.
        NoteConflictError, which carries the present text, when somebody else changed it."""
        from ghostmem.notes.edit import write_note

        return write_note(self.store, ns, key, text, base=base)

    def mirror(
        self,
        folder: str | Path,
        ns: str,
        *,
        layout: str | None = None,
        accept_deletes: bool = False,
        dry_run: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> MirrorReport:
        """Bring a namespace and a markdown folder in step, in both directions.

        `layout` is how the folder is laid out, and is needed the first time unless its files show
        it. Where both sides changed, both texts are kept. `accept_deletes` believes that what is
        missing is gone, also when that is most of it."""
        from ghostmem.notes.mirroring import mirror

        return mirror(
            self.store,
            folder,
            ns,
            layout=layout,
            accept_deletes=accept_deletes,
            dry_run=dry_run,
            progress=progress,
        )

    def outline_symbol(
        self,
        symbol: str,
        language: str,
        *,
        root: str | Path = ".",
        file: str | None = None,
        **fields: Unpack[OutlineFields],
    ) -> Outline:
        """Return the relation tree of a symbol of a project's code.

        `symbol` is its name, whole or in part, `file` where it stands; `fields` are depth,
        relations, omit_native, max_nodes, include_tests and include_memories. The result has `text`
        and `data`. NotFoundError when nothing has that name."""
        from ghostmem.outline.operations import outline_symbol

        return outline_symbol(self.store, symbol, language, root=root, file=file, **fields)

    def outline_file(
        self, file: str, language: str, *, root: str | Path = ".", **fields: Unpack[OutlineFields]
    ) -> Outline:
        """Return the relation tree of every symbol of a source file.

        `fields` are as in `outline_symbol`.
        """
        from ghostmem.outline.operations import outline_file

        return outline_file(self.store, file, language, root=root, **fields)

    def outline_project(
        self, language: str, *, root: str | Path = ".", **fields: Unpack[OutlineFields]
    ) -> Outline:
        """Return the relation tree of every symbol of a project.

        `fields` are as in `outline_symbol`.
        """
        from ghostmem.outline.operations import outline_project

        return outline_project(self.store, language, root=root, **fields)

    def forget(
        self,
        *,
        source: str | None = None,
        source_kind: str | None = None,
        source_client: str | None = None,
        source_scope: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        ns: str | None = None,
        hard: bool = False,
        unlock: bool = False,
        dry_run: bool = False,
    ) -> Forgetting:
        """Remove what a source said, with everything derived from it.

        A source, its kind, client or scope must be named, or `since`; with `until` it bounds when
        it was said. What had replaced another's words gives them back. Softly it can be restored;
        `hard` leaves no byte. Locked and pinned memories need `unlock`."""
        from ghostmem.memory.forget import forget

        return forget(
            self.store,
            source=source,
            source_kind=source_kind,
            source_client=source_client,
            source_scope=source_scope,
            since=since,
            until=until,
            ns=ns,
            hard=hard,
            unlock=unlock,
            dry_run=dry_run,
        )

    def verify_log(self, head: str | None = None) -> Verification:
        """Prove that the change log was not rewritten; with `head`, say where that one stood."""
        from ghostmem.admin.verify import verify

        return verify(self.store, head)

    def audit_log(
        self,
        ns: str | None = None,
        *,
        since: datetime | str | None = None,
        limit: int | None = None,
    ) -> List[LogLine]:
        """List the change log, oldest first.

        With `limit`, only the latest so many.
        """
        from ghostmem.admin.verify import audit_log

        return audit_log(self.store, ns, since=since, limit=limit)

    def backup(self, target: str | Path, *, force: bool = False) -> Backup:
        """Copy the store to a new file while others go on using it, and check the copy.

        A link is followed, and a file that is replaced keeps its mode. ConflictError when the file
        exists, unless `force`, and when another program has it open; InvalidInputError for a device
        or a pipe; EngineError when it cannot be written."""
        from ghostmem.transfer.backup import backup

        return backup(self.store, target, force=force)

    def check(self) -> CheckReport:
        """Check the store for damage."""
        from ghostmem.admin.check import check

        return check(self.store)

    def repair(self, progress: Callable[[int], None] | None = None) -> RepairReport:
        """Rebuild every index from the rows.

        Memories themselves are never touched. Stopped while it makes vectors, `embed_backfill` goes
        on where it was."""
        from ghostmem.admin.check import repair

        return repair(self.store, progress)
