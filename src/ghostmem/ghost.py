"""Class Ghost: an open store, with one method per operation.

Each method imports its operation when it is called, so that opening a store stays fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, Self

from ghostmem.clock import Clock, as_time, now
from ghostmem.errors import InvalidInputError
from ghostmem.model import Memory
from ghostmem.settings import Settings, load
from ghostmem.store import Store, Vectoriser, open_engine, validate

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from ghostmem.admin.check import CheckReport, RepairReport
    from ghostmem.admin.namespaces import NamespaceInfo, NamespaceRemoval, Stats
    from ghostmem.admin.verify import LogLine, Verification
    from ghostmem.capture.capture import CaptureReport
    from ghostmem.capture.ingest import IngestReport, TranscriptReport
    from ghostmem.capture.mine_procedures import MineReport
    from ghostmem.embed.base import Function
    from ghostmem.graph.clusters import Cluster
    from ghostmem.graph.edges import EdgeCandidates
    from ghostmem.graph.expand import Expanded
    from ghostmem.graph.infer import InferReport
    from ghostmem.graph.relink import Relinked
    from ghostmem.lifecycle.gc import Collection
    from ghostmem.lifecycle.undo import Undone
    from ghostmem.memory.consolidate import Consolidation
    from ghostmem.memory.curate import Curated
    from ghostmem.memory.embedding import EmbedStatus
    from ghostmem.memory.forget import Forgetting
    from ghostmem.memory.peek import Peek
    from ghostmem.memory.put_many import BatchReport, NewMemory
    from ghostmem.memory.quarantine import Dropped
    from ghostmem.memory.remove import Removal
    from ghostmem.memory.tags import TagChange, TagInfo
    from ghostmem.memory.used import UsedMemory
    from ghostmem.model import (
        Chunk,
        Edge,
        FileRef,
        Folder,
        Held,
        Hits,
        Pack,
        Report,
        Rule,
        Run,
        SourceAlias,
        SymbolRef,
        Token,
    )
    from ghostmem.notes.folders import Added, FolderRemoval, FolderStatus
    from ghostmem.notes.mirror import MirrorReport
    from ghostmem.notes.sync import SyncReport
    from ghostmem.notes.write_section import NoteWritten
    from ghostmem.outline.operations import Outline
    from ghostmem.outline.stale import Stale
    from ghostmem.search.rerank import Reranker
    from ghostmem.search.timeline import Event
    from ghostmem.transfer.backup import Backup
    from ghostmem.transfer.import_ import ImportReport
    from ghostmem.truth.conflicts import Conflicts, Resolution


List = list  # the method of that name hides the builtin inside the class


class Ghost:
    """A persistent memory store. Open it with `Ghost.open()` and use it in a `with` block.

    >>> with Ghost.open(":memory:") as ghost:
    ...     ghost.put("agent:demo", "editor", "The user edits in Helix.").version
    1

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
        own = embedder if callable(embedder) else None
        if embedder is not None and name is None and own is None:
            raise InvalidInputError(
                f"embedder must be a name or a function, not {validate.shown(embedder)}",
                "pass a name such as 'static', or a function from texts to vectors",
            )
        location = None if target is None else _location(target)
        if settings is None:
            given = load(db=location, embed_provider=name)
        else:
            from dataclasses import replace

            given = settings if location is None else replace(settings, db=location)
            given = given if name is None else replace(given, embed_provider=name)
        in_utc = now if clock is None else _in_utc(clock)
        engine = open_engine(given, in_utc)
        return cls(Store(engine, given, in_utc, Vectoriser(given, own, engine), reranker))

    def close(self) -> None:
        """Close the store; all acknowledged writes are already on disk."""
        self.store.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def put(
        self,
        ns: str,
        key: str,
        content: str,
        *,
        kind: str | None = None,
        tags: Iterable[str] | None = None,
        priority: str | None = None,
        importance: float | None = None,
        tier: str | None = None,
        pinned: bool | None = None,
        ttl: str | None = None,
        meta: Mapping[str, Any] | None = None,
        files: Iterable[FileRef | str | tuple[str, str]] | None = None,
        symbols: Iterable[SymbolRef | str | tuple[str, str]] | None = None,
        language: str | None = None,
        root: str | Path | None = None,
        source_user: str | None = None,
        source_kind: str | None = None,
        source_scope: str | None = None,
        source_client: str | None = None,
        created_at: datetime | str | None = None,
        valid_from: datetime | str | None = None,
        valid_to: datetime | str | None = None,
        base_version: int | None = None,
        dedup: bool | None = None,
        supersedes: str | None = None,
        unlock: bool = False,
        allow_secrets: bool = False,
    ) -> Memory:
        """Store a memory under (ns, key), or the next version of it, and return it.

        A new version inherits every field that is not given. Storing the same content and fields
        again adds no version: the memory is reinforced. Text that does not come from the user and
        looks like instructions is held in quarantine.

        Args:
            ns: Namespace, such as "agent:me".
            key: Key, short and descriptive, such as "user-timezone".
            content: Text of the memory.
            kind: "semantic", "episodic" or "procedural".
            tags: Tags of the memory.
            priority: "low", "normal", "high" or "critical".
            importance: From 0 to 1.
            tier: "sensory", "stm", "ltm" or "dormant"; "identity" is a pinned "ltm", and
                "quarantine" holds the memory back from every retrieval.
            pinned: Include it in every context; it never loses importance.
            ttl: Time until it expires, such as "7d"; "never" removes an expiry.
            meta: Your own data, stored with the memory.
            files: Files it is about: paths, or pairs of a path and what was done to the file.
            symbols: Symbols of code it is about, by their full or partial names.
            language: Language of the symbols, if the files do not show it.
            root: Project folder of the symbols; default: the working directory.
            source_user: Name of the person who said it.
            source_kind: "stated", "observed", "self", "peer" or "import".
            source_scope: Conversation, session or place it comes from.
            source_client: Program that stores it.
            created_at: When it was said; default: now.
            valid_from: Start of the time in which it is true.
            valid_to: End of the time in which it is true.
            base_version: Store only if this is the current version; 0: only if the key is new.
            dedup: When another memory says the same, reinforce it instead of storing this
                one; default: the setting `dedup`.
            supersedes: Key of the memory that this one replaces; that memory is retired.
            unlock: Also change a memory tagged `locked`.
            allow_secrets: Store keys, tokens and passwords instead of redacting them.

        Returns:
            The stored memory. Its `outcome` is "created", "updated", "reinforced" or
            "quarantined"; its `verdict` says whether it is new, or restates, updates or
            contradicts another memory of the namespace.

        Raises:
            VersionConflictError: `base_version` is not the current version.
            LockedError: The memory is tagged `locked`.
            ConflictError: The memory is the user's own statement, and `source_kind` is "observed",
                "peer" or "import".
            NotFoundError: There is no memory with the key `supersedes`.
        """
        from ghostmem.memory.put import put

        return put(
            self.store,
            ns,
            key,
            content,
            kind=kind,
            tags=tags,
            priority=priority,
            importance=importance,
            tier=tier,
            pinned=pinned,
            ttl=ttl,
            meta=meta,
            files=files,
            symbols=symbols,
            language=language,
            root=root,
            source_user=source_user,
            source_kind=source_kind,
            source_scope=source_scope,
            source_client=source_client,
            created_at=created_at,
            valid_from=valid_from,
            valid_to=valid_to,
            base_version=base_version,
            dedup=dedup,
            supersedes=supersedes,
            unlock=unlock,
            allow_secrets=allow_secrets,
        )

    def put_many(
        self,
        memories: Iterable[NewMemory | Mapping[str, Any]],
        *,
        judge: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> BatchReport:
        """Store many memories, in far fewer transactions than separate calls of `put`.

        Each item has the parameters of `put` as a mapping. Items are read as they are needed,
        checked in batches of 500, and written in order in transactions of consecutive items. A
        transaction is stored completely or not at all, and is on disk when `progress` is called.

        Args:
            memories: Mappings such as {"ns": "agent:me", "key": "tea", "content": "Green."}.
            judge: Compare each memory with the stored ones, as `put` does; False: store them
                without verdicts and automatic links, several times faster. `relink` adds links
                later.
            progress: Called with the number of items done.

        Returns:
            Every item in order, as stored or as refused. An item is refused, and the others are
            stored, when a put of it would raise an error because of the stored memories:
            ConflictError (including VersionConflictError and LockedError), NotFoundError, or
            InvalidInputError for an expiry of a pinned memory.

        Raises:
            InvalidInputError: An item is not valid. The error says which one, and up to which item
                the input is stored.
        """
        from ghostmem.memory.put_many import put_many

        return put_many(self.store, memories, judge=judge, progress=progress)

    def get(
        self, ns: str, key: str, version: int | None = None, *, as_of: datetime | str | None = None
    ) -> Memory:
        """Return a memory by its key, and count the retrieval.

        The counters of the returned memory do not include this retrieval.

        Args:
            ns: Namespace.
            key: Key.
            version: Number of an earlier version.
            as_of: Return the version that was current at this time.

        Raises:
            NotFoundError: There is no such memory or version.
        """
        from ghostmem.memory.get import get

        return get(self.store, ns, key, version, as_of=as_of)

    def chunks(self, ns: str, key: str) -> List[Chunk]:
        """Return the chunks of a memory, in order.

        Args:
            ns: Namespace of the memory.
            key: Key of the memory.

        Raises:
            NotFoundError: There is no such memory.
        """
        from ghostmem.memory.get import chunks

        return chunks(self.store, ns, key)

    def history(self, ns: str, key: str) -> list[Memory]:
        """Return every version of a key, oldest first, including deleted ones.

        Args:
            ns: Namespace of the memory.
            key: Key of the memory.

        Raises:
            NotFoundError: The key never existed.
        """
        from ghostmem.memory.get import history

        return history(self.store, ns, key)

    def list(
        self,
        ns: str | None = None,
        *,
        tier: str | None = None,
        key_prefix: str | None = None,
        kind: str | None = None,
        tags: Iterable[str] | None = None,
        priority: str | None = None,
        pinned: bool | None = None,
        source_user: str | None = None,
        source_kind: str | None = None,
        source_scope: str | None = None,
        source_client: str | None = None,
        after: datetime | str | None = None,
        before: datetime | str | None = None,
        valid_at: datetime | str | None = None,
        file: str | None = None,
        file_rel: str | None = None,
        deleted: bool = False,
        limit: int = 20,
        offset: int = 0,
    ) -> List[Memory]:
        """Return live memories that pass every filter, newest first.

        Args:
            ns: Namespace, prefix such as "agent:*", or None for all.
            tier: "sensory", "stm", "ltm" or "dormant".
            key_prefix: Start of the key.
            kind: "semantic", "episodic" or "procedural".
            tags: Tags that a memory must all have.
            priority: "low", "normal", "high" or "critical".
            pinned: True for pinned memories only, False for all others.
            source_user: Name of the person who said it.
            source_kind: "stated", "observed", "self", "peer" or "import".
            source_scope: Conversation, session or place it comes from.
            source_client: Program that stored it.
            after: Created at or after this time.
            before: Created at or before this time.
            valid_at: True at this time.
            file: Path of a file that a memory is about.
            file_rel: What was done to the file: "modified", "created", "deleted" or "read".
            deleted: Return deleted and old versions instead of live memories.
            limit: Maximum number of memories.
            offset: Number of memories to skip.
        """
        from ghostmem.memory.list import list_memories

        return list_memories(
            self.store,
            ns,
            tier=tier,
            key_prefix=key_prefix,
            kind=kind,
            tags=tags,
            priority=priority,
            pinned=pinned,
            source_user=source_user,
            source_kind=source_kind,
            source_scope=source_scope,
            source_client=source_client,
            after=after,
            before=before,
            valid_at=valid_at,
            file=file,
            file_rel=file_rel,
            deleted=deleted,
            limit=limit,
            offset=offset,
        )

    def search(
        self,
        query: str,
        ns: str | None = None,
        *,
        limit: int = 20,
        tiers: Iterable[str] | None = None,
        include_all: bool = False,
        min_score: float | None = None,
        weak: bool = False,
        explain: bool = False,
        within: str | None = None,
        pieces: bool = False,
        now: datetime | str | None = None,
        as_of: datetime | str | None = None,
        kind: str | None = None,
        tags: Iterable[str] | None = None,
        priority: str | None = None,
        pinned: bool | None = None,
        source_user: str | None = None,
        source_kind: str | None = None,
        source_scope: str | None = None,
        source_client: str | None = None,
        after: datetime | str | None = None,
        before: datetime | str | None = None,
        valid_at: datetime | str | None = None,
        file: str | None = None,
        file_rel: str | None = None,
    ) -> Hits:
        """Return the memories that answer a question, best first.

        The question is plain text, never query syntax. Notes are synced first. Memories whose
        validity has ended are left out and listed in `superseded`; a correction comes before the
        memory it corrects.

        Args:
            query: Question or words to look for.
            ns: Namespace, prefix such as "agent:*", or None for all.
            limit: Maximum number of hits.
            tiers: Tiers to search; default: all but "dormant" and "sensory".
            include_all: Search every tier.
            min_score: Minimum score, from 0 to 1; replaces the calibrated cut-off.
            weak: Return weaker hits in the list too.
            explain: Add a receipt to every hit, and the nearest misses.
            within: "notes" or "memories", to search only these.
            pieces: Return every matching chunk of a memory, not only its best.
            now: Time that words such as "yesterday" count from; default: the clock.
            as_of: Search the store as it was at this time.
            kind: "semantic", "episodic" or "procedural".
            tags: Tags that a memory must all have.
            priority: "low", "normal", "high" or "critical".
            pinned: True for pinned memories only, False for all others.
            source_user: Name of the person who said it.
            source_kind: "stated", "observed", "self", "peer" or "import".
            source_scope: Conversation, session or place it comes from.
            source_client: Program that stored it.
            after: Created at or after this time.
            before: Created at or before this time.
            valid_at: True at this time.
            file: Path of a file that a memory is about.
            file_rel: What was done to the file: "modified", "created", "deleted" or "read".

        Returns:
            A list of hits, empty when nothing is about the question, with `weaker` (hits below
            the cut-off), `misses`, `superseded`, `legs` (search methods used), `notes` and
            `complete` (False while some texts have no vectors and were searched by words only).
        """
        from ghostmem.search.search import search

        return search(
            self._store_at(ns, as_of),
            query,
            ns,
            limit=limit,
            tiers=tiers,
            include_all=include_all,
            min_score=min_score,
            weak=weak,
            explain=explain,
            within=within,
            pieces=pieces,
            now=now,
            kind=kind,
            tags=tags,
            priority=priority,
            pinned=pinned,
            source_user=source_user,
            source_kind=source_kind,
            source_scope=source_scope,
            source_client=source_client,
            after=after,
            before=before,
            valid_at=valid_at,
            file=file,
            file_rel=file_rel,
        )

    def context(
        self,
        query: str,
        ns: str | None = None,
        *,
        budget: int = 4000,
        tiers: Iterable[str] | None = None,
        include_all: bool = False,
        files: Iterable[str] | None = None,
        symbols: Iterable[str] | None = None,
        root: str | Path | None = None,
        language: str | None = None,
        exclude_pinned: bool = False,
        min_score: float | None = None,
        min_spread: float | None = None,
        max_memory_tokens: int | None = None,
        expand: bool | None = None,
        whole: bool | None = None,
        tokens: Callable[[str], int] | None = None,
        now: datetime | str | None = None,
        as_of: datetime | str | None = None,
        for_user: str | None = None,
        for_scope: str | None = None,
        kind: str | None = None,
        tags: Iterable[str] | None = None,
        priority: str | None = None,
        pinned: bool | None = None,
        source_user: str | None = None,
        source_kind: str | None = None,
        source_scope: str | None = None,
        source_client: str | None = None,
        after: datetime | str | None = None,
        before: datetime | str | None = None,
        valid_at: datetime | str | None = None,
        file: str | None = None,
        file_rel: str | None = None,
    ) -> Pack:
        """Return the memories to read for a task, packed into a token budget, each with its reason.

        Pinned memories come first, up to a third of the budget; then search results, most relevant
        first; then memories that edges lead to. Duplicates are packed once, with their count.
        Memories whose validity has ended are listed in `left_out`.

        Args:
            query: Description of the task.
            ns: Namespace, prefix such as "agent:*", or None for all.
            budget: Maximum number of tokens.
            tiers: Tiers to search; default: all but "dormant" and "sensory".
            include_all: Search every tier.
            files: Paths of open files; memories about them are added.
            symbols: Symbols of code in use; memories about them and their callers are added.
            root: Project folder of the symbols; default: the working directory.
            language: Language of the symbols, if the files do not show it.
            exclude_pinned: Leave pinned memories out.
            min_score: Minimum score of a memory.
            min_spread: Keep only the best when the scores are closer together than this.
            max_memory_tokens: Maximum number of tokens of one memory; -1: no limit.
            expand: Follow edges; default: the setting `edge_expansion`.
            whole: Return the whole namespace if it is small; default: the setting `context_whole`.
            tokens: Function that counts the tokens of a text, instead of the estimate.
            now: Time that words such as "yesterday" count from; default: the clock.
            as_of: Use the store as it was at this time.
            for_user: Person whose statements count more.
            for_scope: Conversation or place whose statements count more.
            kind: "semantic", "episodic" or "procedural".
            tags: Tags that a memory must all have.
            priority: "low", "normal", "high" or "critical".
            pinned: True for pinned memories only, False for all others.
            source_user: Name of the person who said it.
            source_kind: "stated", "observed", "self", "peer" or "import".
            source_scope: Conversation, session or place it comes from.
            source_client: Program that stored it.
            after: Created at or after this time.
            before: Created at or before this time.
            valid_at: True at this time.
            file: Path of a file that a memory is about.
            file_rel: What was done to the file: "modified", "created", "deleted" or "read".

        Returns:
            The packed memories with `used` tokens, `stages` and `left_out`. `relevant` is False
            when nothing matched the query. `render` writes the pack as text.
        """
        from ghostmem.context.context import context

        return context(
            self._store_at(ns, as_of),
            query,
            ns,
            budget=budget,
            tiers=tiers,
            include_all=include_all,
            files=files,
            symbols=symbols,
            root=root,
            language=language,
            exclude_pinned=exclude_pinned,
            min_score=min_score,
            min_spread=min_spread,
            max_memory_tokens=max_memory_tokens,
            expand=expand,
            whole=whole,
            tokens=tokens,
            now=now,
            for_user=for_user,
            for_scope=for_scope,
            kind=kind,
            tags=tags,
            priority=priority,
            pinned=pinned,
            source_user=source_user,
            source_kind=source_kind,
            source_scope=source_scope,
            source_client=source_client,
            after=after,
            before=before,
            valid_at=valid_at,
            file=file,
            file_rel=file_rel,
        )

    def _store_at(self, ns: str | None, as_of: datetime | str | None) -> Store:
        """Return the store, or its state at a time."""
        if as_of is None:
            return self.store
        from ghostmem.store.validate import ns_filter
        from ghostmem.truth.as_of import store_as_of

        return store_as_of(self.store, ns_filter(ns), as_of)

    def conflicts(self, ns: str | None = None) -> Conflicts:
        """Return unresolved contradictions, and memories that may be outdated.

        Args:
            ns: Namespace, a prefix such as "agent:*", or None for all.
        """
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
    ) -> Resolution:
        """Decide a contradiction: retire the other memories, or keep both.

        Args:
            ns: Namespace.
            keep: Key of the memory to keep.
            other: Key of the memory to retire; default: all that contradict `keep`.
            both: Both are true; they do not contradict each other.
            unlock: Also retire or reopen a memory tagged `locked`.

        Raises:
            NotFoundError: Nothing contradicts `keep`.
        """
        from ghostmem.truth.conflicts import resolve

        return resolve(self.store, ns, keep, other, both=both, unlock=unlock)

    def reopen(self, ns: str, key: str, *, unlock: bool = False) -> Resolution:
        """Make a retired memory valid again.

        Args:
            ns: Namespace.
            key: Key of the memory.
            unlock: Also reopen a memory tagged `locked`.

        Raises:
            ConflictError: Its validity has not ended.
            LockedError: It is tagged `locked`.
        """
        from ghostmem.truth.conflicts import reopen_memory

        return reopen_memory(self.store, ns, key, unlock=unlock)

    def timeline(self, ns: str, what: str) -> List[Event]:
        """Return how a key, or the memories that answer a question, changed, oldest first.

        Args:
            ns: Namespace.
            what: Key, or a question when no memory has that key.
        """
        from ghostmem.search.timeline import timeline

        return timeline(self.store, ns, what)

    def used(self, ns: str, keys: Iterable[str]) -> List[UsedMemory]:
        """Record that memories helped; either all of `keys` are recorded or none.

        Args:
            ns: Namespace of the memories.
            keys: Keys of the memories that helped.

        Raises:
            NotFoundError: One of the keys does not exist.
        """
        from ghostmem.memory.used import used

        return used(self.store, ns, keys)

    def edge(
        self, ns: str, from_key: str, to_key: str, rel: str, weight: float | None = None
    ) -> Edge:
        """Link two memories of a namespace, or change the weight of a link.

        Args:
            ns: Namespace.
            from_key: Key of the first memory.
            to_key: Key of the second memory.
            rel: Relation: relates_to, contradicts, depends_on, refines, contains, merged_into,
                caused_by, prevents or implies.
            weight: From 0 to 1; default: the relation's default weight.
        """
        from ghostmem.graph.edges import edge

        return edge(self.store, ns, from_key, to_key, rel, weight)

    def rm_edge(self, ns: str, from_key: str, to_key: str, rel: str) -> Edge:
        """Remove a link between two memories and return it.

        Args:
            ns: Namespace of the memories.
            from_key: Key of the memory at which the link starts.
            to_key: Key of the memory at which it ends.
            rel: Relation, such as "depends_on".

        Raises:
            NotFoundError: There is no such link.
        """
        from ghostmem.graph.edges import rm_edge

        return rm_edge(self.store, ns, from_key, to_key, rel)

    def edges(self, ns: str, key: str | None = None, *, rel: str | None = None) -> List[Edge]:
        """Return the links of a memory in both directions, or of a namespace, heaviest first.

        Args:
            ns: Namespace of the memories.
            key: Key of the memory; default: all of the namespace.
            rel: Only links of this relation, such as "depends_on".
        """
        from ghostmem.graph.edges import edges

        return edges(self.store, ns, key, rel)

    def link(self, ns: str, from_key: str, to_key: str, rel: str) -> Edge:
        """Link two memories with the original Ghost's `link`, which counts as an edge.

        Args:
            ns: Namespace of the memories.
            from_key: Key of the memory at which the link starts.
            to_key: Key of the memory at which it ends.
            rel: Relation, such as "depends_on".
        """
        from ghostmem.graph.edges import link

        return link(self.store, ns, from_key, to_key, rel)

    def edge_candidates(
        self, ns: str, *, max_pairs: int = 50, seed: Iterable[str] | None = None
    ) -> EdgeCandidates:
        """Return pairs of similar memories whose relation is unknown, most similar first.

        Args:
            ns: Namespace.
            max_pairs: Maximum number of pairs.
            seed: Keys; each pair contains one of them.
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
        """Ask a language model how similar memories relate, and store each answer at once.

        Args:
            ns: Namespace.
            max_pairs: Maximum number of pairs to ask about.
            seed: Keys; each pair contains one of them.
            again: Also ask about pairs that were answered with "none" before.
            dry_run: Change nothing; report what would happen.
            ask: Function from a prompt to an answer; default: the model of the settings.
            progress: Called with the number of pairs done.

        Raises:
            InvalidInputError: No model is configured.
            ModelError: The model fails.
        """
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
        """Link memories that share names, topics or meaning; the setting `relink_max` limits it.

        Args:
            ns: Namespace of the memories.
            dry_run: Change nothing; report what would happen.
            progress: Called with the number done.
        """
        from ghostmem.graph.relink import relink

        return relink(self.store, ns, dry_run=dry_run, progress=progress)

    def clusters(self, ns: str) -> List[Cluster]:
        """Return groups of similar memories, largest first.

        Args:
            ns: Namespace of the memories.
        """
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
        """Store a summary of several memories, which are kept.

        Args:
            ns: Namespace.
            summary_key: Key of the summary; an existing one gets a new version.
            content: Text of the summary.
            source_keys: Keys of the summarised memories.
            kind: Default: "semantic".
            importance: Default: 0.7.
            tags: Tags of the summary.
            allow_secrets: Store keys, tokens and passwords instead of redacting them.
        """
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
        """List the summaries of a namespace, or return the memories that one summarises.

        Args:
            ns: Namespace.
            key: Key of a summary.
            depth: Levels of nested summaries to open.
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
        """Run the lifecycle rules over all memories; `undo` reverts the run.

        Pinned and locked memories are exempt. An interrupted run is finished by the next one.

        Args:
            ns: Namespace, prefix such as "agent:*", or None for all.
            dry_run: Change nothing; report what would happen.
            relink: Also link memories that share names, topics or meaning.
            progress: Called with the number of memories evaluated.
        """
        from ghostmem.lifecycle.reflect import reflect

        return reflect(self.store, ns, dry_run=dry_run, relink=relink, progress=progress)

    def undo(self, run: str, *, dry_run: bool = False) -> Undone:
        """Revert all changes of a lifecycle run.

        Memories that changed since are left alone and listed in the result.

        Args:
            run: Id of the run, the start of it, or "last".
            dry_run: Change nothing; report what would happen.

        Raises:
            ConflictError: The run was already undone.
        """
        from ghostmem.lifecycle.undo import undo

        return undo(self.store, run, dry_run=dry_run)

    def runs(self, *, limit: int = 20) -> List[Run]:
        """Return the lifecycle runs, newest first.

        Args:
            limit: Maximum number of runs.
        """
        from ghostmem.lifecycle.undo import runs

        return runs(self.store, limit=limit)

    def rules(self, ns: str | None = None) -> List[Rule]:
        """Return the lifecycle rules, highest priority first; with `ns`, those that apply there.

        Args:
            ns: Only rules that apply to this namespace; default: all.
        """
        from ghostmem.lifecycle.rules import rules

        return rules(self.store, ns)

    def rule(self, rule_id: str) -> Rule:
        """Return a lifecycle rule.

        Args:
            rule_id: Id of the rule.

        Raises:
            NotFoundError: There is no rule with that id.
        """
        from ghostmem.lifecycle.rules import get_rule

        return get_rule(self.store, rule_id)

    def set_rule(
        self,
        name: str,
        action: str,
        *,
        rule_id: str | None = None,
        ns: str = "",
        priority: int = 50,
        action_params: Mapping[str, Any] | None = None,
        expires_at: datetime | str | None = None,
        tier: str | None = None,
        kind: str | None = None,
        tag: str | None = None,
        age_gt_hours: float | None = None,
        unaccessed_gt_hours: float | None = None,
        importance_lt: float | None = None,
        access_lt: int | None = None,
        access_gt: int | None = None,
        utility_lt: float | None = None,
        similarity_gt: float | None = None,
    ) -> Rule:
        """Add a lifecycle rule, or replace one: if all conditions are met, the action is taken.

        Args:
            name: Description of the rule in a few words.
            action: PROMOTE or DEMOTE (`to_tier`, else by one tier), DECAY (`factor`, `min`),
                DELETE, ARCHIVE, TTL_SET (`ttl`), PIN; for similar memories LINK, DEDUP or MERGE
                (`strategy`: "link_only", "dedup" or "keep_highest_importance").
            rule_id: Id of the rule to replace, or of the new rule.
            ns: Namespace that the rule is limited to.
            priority: Of the rules that match a memory, the highest wins.
            action_params: Parameters of the action, such as {"to_tier": "ltm"}.
            expires_at: When the rule ends.
            tier: Condition: in this tier.
            kind: Condition: of this kind.
            tag: Condition: with this tag.
            age_gt_hours: Condition: older than this.
            unaccessed_gt_hours: Condition: not retrieved for longer than this.
            importance_lt: Condition: less important than this.
            access_lt: Condition: retrieved fewer times than this.
            access_gt: Condition: retrieved more often than this.
            utility_lt: Condition: share of retrievals that helped is below this.
            similarity_gt: Condition: more similar to another memory than this cosine.

        Raises:
            InvalidInputError: There is no condition.
        """
        from ghostmem.lifecycle.rules import set_rule

        return set_rule(
            self.store,
            name,
            action,
            rule_id=rule_id,
            ns=ns,
            priority=priority,
            action_params=action_params,
            expires_at=expires_at,
            tier=tier,
            kind=kind,
            tag=tag,
            age_gt_hours=age_gt_hours,
            unaccessed_gt_hours=unaccessed_gt_hours,
            importance_lt=importance_lt,
            access_lt=access_lt,
            access_gt=access_gt,
            utility_lt=utility_lt,
            similarity_gt=similarity_gt,
        )

    def rm_rule(self, rule_id: str) -> Rule:
        """Delete a lifecycle rule, or disable a built-in one.

        Args:
            rule_id: Id of the rule.
        """
        from ghostmem.lifecycle.rules import rm_rule

        return rm_rule(self.store, rule_id)

    def reset_rule(self, rule_id: str) -> Rule:
        """Restore a built-in lifecycle rule to its original state.

        Args:
            rule_id: Id of the rule.
        """
        from ghostmem.lifecycle.rules import reset_rule

        return reset_rule(self.store, rule_id)

    def source_aliases(self, ns: str | None = None) -> List[SourceAlias]:
        """Return the declared spellings of people's names, with the canonical name of each.

        Args:
            ns: Namespace, a prefix such as "agent:*", or None for all.
        """
        from ghostmem.truth.sources import source_aliases

        return source_aliases(self.store, ns)

    def set_source_alias(self, ns: str, alias: str, canonical: str) -> SourceAlias:
        """Declare that two names are the same person; `for_user` then finds both.

        Memories keep the name they were stored with.

        Args:
            ns: Namespace of the memories.
            alias: Another spelling of the name; spellings are compared without case.
            canonical: The canonical name.

        Raises:
            ConflictError: The canonical name is itself an alias, or the alias has aliases.
        """
        from ghostmem.truth.sources import set_source_alias

        return set_source_alias(self.store, ns, alias, canonical)

    def rm_source_alias(self, ns: str, alias: str) -> SourceAlias:
        """Remove a declared spelling.

        Args:
            ns: Namespace of the alias.
            alias: Spelling to remove.

        Raises:
            NotFoundError: There is no such alias.
        """
        from ghostmem.truth.sources import rm_source_alias

        return rm_source_alias(self.store, ns, alias)

    def create_token(
        self, name: str, grants: Iterable[str], *, expires: str | None = None
    ) -> tuple[str, Token]:
        """Create an access token for network callers; its secret is returned only once.

        Args:
            name: Name of the token.
            grants: Texts such as "agent:me:read": a namespace or prefix, then read, write or admin.
            expires: Lifetime, such as "90d"; default: unlimited.

        Raises:
            ConflictError: Another token has that name.
        """
        from ghostmem.admin.tokens import create_token

        return create_token(self.store, name, grants, expires=expires)

    def tokens(self) -> List[Token]:
        """Return all access tokens, oldest first, including expired and revoked ones."""
        from ghostmem.admin.tokens import list_tokens

        return list_tokens(self.store)

    def revoke_token(self, token: str) -> Token:
        """Revoke an access token by its id or name.

        Args:
            token: Id or name of the token.

        Raises:
            ConflictError: It was already revoked.
        """
        from ghostmem.admin.tokens import revoke_token

        return revoke_token(self.store, token)

    def curate(self, ns: str, key: str, op: str, *, unlock: bool = False) -> Curated:
        """Apply one operation to one memory.

        Args:
            ns: Namespace.
            key: Key.
            op: promote, demote, boost, diminish, archive, delete, pin, unpin, lock or unlock. Tiers
                go dormant, stm, ltm; importance changes by 0.2.
            unlock: Also change a memory tagged `locked`.

        Raises:
            ConflictError: There is no further step.
        """
        from ghostmem.memory.curate import curate

        return curate(self.store, ns, key, op, unlock=unlock)

    def embed_status(self) -> EmbedStatus:
        """Count chunks with and without vectors of the configured model."""
        from ghostmem.memory.embedding import embed_status

        return embed_status(self.store)

    def embed_backfill(self, progress: Callable[[int], None] | None = None) -> int:
        """Embed every chunk that has no vector, and return the number embedded.

        It can be interrupted and run again. If GHOST_EMBED_MODEL is another local model than
        the store's, it does the same as `embed_switch`.

        Args:
            progress: Called with the number done.

        Raises:
            EmbeddingError: The provider fails; vectors stored before stay.
        """
        from ghostmem.memory.embedding import embed_all

        return embed_all(self.store, progress)

    def embed_switch(self, progress: Callable[[int], None] | None = None) -> int:
        """Embed everything with the configured model, then delete the vectors of other models.

        Without GHOST_EMBED_MODEL, the provider `local` changes to the model of new stores.
        Searches use the vectors of the previous model until all new ones are stored.

        Args:
            progress: Called with the number done.

        Returns:
            The number of chunks embedded.

        Raises:
            EmbeddingError: The provider fails; the old vectors stay until all new ones are stored.
        """
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
        """Delete a memory; unless `hard`, it can be restored.

        Args:
            ns: Namespace.
            key: Key.
            hard: Delete the latest version permanently; the result lists backups that contain it.
            all_versions: With `hard`, delete every version.
            unlock: Also remove a memory tagged `locked`.
            dry_run: Change nothing; report what would happen.
        """
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
        """Return the quarantined memories, oldest first; no other operation reads them.

        Args:
            ns: Namespace, a prefix such as "agent:*", or None for all.
        """
        from ghostmem.memory.quarantine import quarantined

        return quarantined(self.store, ns)

    def held(self, held_id: str, *, ns: str | None = None) -> Held:
        """Return a quarantined memory by its id, or by the start or end of its id.

        Args:
            held_id: Id of the quarantined memory, or its start or end.
            ns: Namespace, a prefix such as "agent:*", or None for all.

        Raises:
            NotFoundError: No id matches.
            InvalidInputError: Several ids match.
        """
        from ghostmem.memory.quarantine import find_held

        return find_held(self.store, held_id, ns=ns)

    def release(self, held_id: str, *, ns: str | None = None) -> Memory:
        """Store a quarantined memory as if it had been trusted.

        Args:
            held_id: Id of the quarantined memory, or its start or end.
            ns: Namespace, a prefix such as "agent:*", or None for all.
        """
        from ghostmem.transfer.release import release

        return release(self.store, held_id, ns=ns)

    def drop_held(
        self, held_ids: Iterable[str], *, ns: str | None = None, dry_run: bool = False
    ) -> Dropped:
        """Delete quarantined memories permanently; the result lists backups that contain them.

        Args:
            held_ids: Ids of the quarantined memories.
            ns: Namespace, a prefix such as "agent:*", or None for all.
            dry_run: Change nothing; report what would happen.
        """
        from ghostmem.memory.quarantine import drop

        return drop(self.store, held_ids, ns=ns, dry_run=dry_run)

    def restore(
        self, ns: str, key: str, version: int | None = None, *, unlock: bool = False
    ) -> Memory:
        """Restore a deleted memory, or make an earlier version the newest.

        Args:
            ns: Namespace.
            key: Key.
            version: Number of the version whose content and fields become the newest version.
            unlock: Also change a memory tagged `locked`.

        Raises:
            ConflictError: The memory is not removed.
        """
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
        """Apply a unified diff to a memory and return the new version.

        Args:
            ns: Namespace.
            key: Key.
            diff: Unified diff whose context must match.
            base_version: Patch only if this is the current version.
            dry_run: Change nothing; return the result of the patch.
            unlock: Also change a memory tagged `locked`.
            allow_secrets: Store keys, tokens and passwords instead of redacting them.

        Raises:
            PatchFormatError: `diff` is not a unified diff.
            PatchConflictError: The context does not match.
            VersionConflictError: `base_version` is not the current version.
        """
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
        """Return namespaces with the number of memories and keys in each.

        Args:
            ns: Namespace, a prefix such as "agent:*", or None for all.
        """
        from ghostmem.admin.namespaces import list_namespaces

        return list_namespaces(self.store, ns)

    def rm_namespace(
        self, ns: str, *, hard: bool = False, unlock: bool = False, dry_run: bool = False
    ) -> NamespaceRemoval:
        """Delete a namespace, or all namespaces with a prefix such as "agent:*".

        `hard` permanently deletes every version, quarantined memories and the name itself.

        Args:
            ns: Namespace, or a prefix such as "agent:*".
            hard: Delete every version permanently, quarantined memories and the name too.
            unlock: Also delete memories tagged `locked`.
            dry_run: Change nothing; report what would happen.
        """
        from ghostmem.admin.namespaces import rm_namespace

        return rm_namespace(self.store, ns, hard=hard, unlock=unlock, dry_run=dry_run)

    def tags(self, ns: str | None = None) -> List[TagInfo]:
        """Return tags with the number of memories that have each.

        Args:
            ns: Namespace, a prefix such as "agent:*", or None for all.
        """
        from ghostmem.memory.tags import list_tags

        return list_tags(self.store, ns)

    def rename_tag(
        self, old: str, new: str, ns: str | None = None, *, unlock: bool = False
    ) -> TagChange:
        """Rename a tag on every live memory.

        Args:
            old: Tag to rename.
            new: Its new name.
            ns: Namespace, a prefix such as "agent:*", or None for all.
            unlock: Also change memories tagged `locked`.
        """
        from ghostmem.memory.tags import rename_tag

        return rename_tag(self.store, old, new, ns, unlock=unlock)

    def rm_tag(self, tag: str, ns: str | None = None, *, unlock: bool = False) -> TagChange:
        """Remove a tag from every live memory.

        Args:
            tag: Tag to remove.
            ns: Namespace, a prefix such as "agent:*", or None for all.
            unlock: Also change memories tagged `locked`.
        """
        from ghostmem.memory.tags import rm_tag

        return rm_tag(self.store, tag, ns, unlock=unlock)

    def files(
        self, path: str, *, rel: str | None = None, ns: str | None = None, limit: int = 20
    ) -> List[Memory]:
        """Return live memories about a file, newest first.

        Args:
            path: Path as written in the memories.
            rel: What was done to the file: "modified", "created", "deleted" or "read".
            ns: Namespace, prefix such as "agent:*", or None for all.
            limit: Maximum number of memories.
        """
        from ghostmem.memory.list import files

        return files(self.store, path, rel=rel, ns=ns, limit=limit)

    def stale(
        self, ns: str | None = None, root: str | Path | None = None, *, everything: bool = False
    ) -> List[Stale]:
        """Return the symbols of memories whose code has changed since.

        Args:
            ns: Namespace, prefix such as "agent:*", or None for all.
            root: Project folder; default: every project that memories are linked to.
            everything: Also return symbols whose code is unchanged.
        """
        from ghostmem.outline.stale import stale

        return stale(self.store, ns, root, everything=everything)

    def peek(self, ns: str | None = None) -> Peek:
        """Return an overview of a namespace.

        Args:
            ns: Namespace, a prefix such as "agent:*", or None for all.
        """
        from ghostmem.memory.peek import peek

        return peek(self.store, ns)

    def stats(self) -> Stats:
        """Return counts and sizes of the store."""
        from ghostmem.admin.namespaces import stats

        return stats(self.store)

    def gc(
        self,
        *,
        stale: str | None = None,
        purge_deleted: str | None = None,
        vacuum: bool = False,
        dry_run: bool = False,
    ) -> Collection:
        """Delete expired memories and, on request, stale and long-deleted ones.

        Args:
            stale: Remove live memories that were not retrieved for this long, such as "30d", except
                pinned, locked, high and critical ones; they can be restored.
            purge_deleted: Permanently delete memories that were deleted this long ago, or "all".
            vacuum: Rewrite the file to reclaim space.
            dry_run: Change nothing; report what would happen.
        """
        from ghostmem.lifecycle.gc import gc

        return gc(
            self.store, stale=stale, purge_deleted=purge_deleted, vacuum=vacuum, dry_run=dry_run
        )

    def export(self, ns: str | None = None, *, mark: bool = False) -> Iterator[str]:
        """Yield all memories, edges and rules as JSON lines.

        Importing the lines into an empty store and exporting again gives the same bytes.

        Args:
            ns: Namespace, prefix such as "agent:*", or None for all.
            mark: Sign the export, so that this store imports it without the quarantine.
        """
        from ghostmem.transfer.export import export

        return export(self.store, ns, mark=mark)

    def export_original(self, ns: str | None = None) -> Iterator[str]:
        """Yield the lines of a JSON array of current memories that the original Ghost imports.

        Each memory follows its earlier versions. Edges, rules and daily usage are left out.

        Args:
            ns: Namespace, prefix such as "agent:*", or None for all.
        """
        from ghostmem.transfer.export import export_original

        return export_original(self.store, ns)

    def import_(
        self,
        source: IO[str] | Iterable[str],
        *,
        on_conflict: str = "update",
        dry_run: bool = False,
        trust: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> ImportReport:
        """Import the lines of `export`, or the JSON array of the original Ghost.

        Ids, versions, times and counters are kept, so importing twice changes nothing. Keys with
        text that looks like instructions are quarantined, unless the lines carry this store's own
        mark; `release` stores them later exactly as the import would have.

        Args:
            source: Open file or lines.
            on_conflict: For keys with a different history: "update" writes the next version, "skip"
                keeps the stored one, "fail" raises ConflictError before anything is written.
            dry_run: Change nothing; report what would happen.
            trust: Skip the quarantine.
            progress: Called with the number of lines done.
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
        """Import a database of the original Ghost, which is only read.

        Args:
            path: Database file of the original Ghost.
            on_conflict: As in `import_`.
            dry_run: Change nothing; report what would happen.
            trust: Skip the quarantine.
            progress: Called with the number of memories done.
        """
        from ghostmem.transfer.import_ import import_ghost

        return import_ghost(
            self.store,
            path,
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
        """Import the memories of another tool, which are only read.

        Args:
            path: File or folder that the tool wrote.
            ns: Namespace of the memories.
            kind: "mem0", "server-memory", "basic-memory" or "markdown".
            on_conflict: As in `import_`.
            dry_run: Change nothing; report what would happen.
            trust: Skip the quarantine.
            progress: Called with the number of memories done.
        """
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

    def ingest(
        self,
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
        """Store each H2 section of markdown files as a memory; ingesting again updates them.

        Args:
            path: File or folder.
            ns: Namespace of the memories.
            kind: Kind of the memories.
            tags: Tags of the memories.
            priority: Priority of the memories.
            meta: Your own data, stored with each memory.
            date_ns: For files named YYYY-MM-DD.md, append the date to the namespace.
            dry_run: Change nothing; report what would happen.
            allow_secrets: Store keys, tokens and passwords instead of redacting them.
            trust: Skip the quarantine for sections that look like instructions.
            progress: Called with the number of files done.
        """
        from ghostmem.capture.ingest import ingest

        return ingest(
            self.store,
            path,
            ns,
            kind=kind,
            tags=tags,
            priority=priority,
            meta=meta,
            date_ns=date_ns,
            dry_run=dry_run,
            allow_secrets=allow_secrets,
            trust=trust,
            progress=progress,
        )

    def ingest_transcript(
        self,
        path: str | Path,
        ns: str,
        *,
        format: str = "auto",  # noqa: A002 (the public name)
        tags: Iterable[str] | None = None,
        source_user: str | None = None,
        allow_secrets: bool = False,
        dry_run: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> TranscriptReport:
        """Store recorded conversations as threads, one memory per turn; only new turns are added.

        Args:
            path: File or folder.
            ns: Namespace of the memories.
            format: Program that recorded it; "auto" detects it.
            tags: Tags of the memories.
            source_user: Name of the user, in recordings that do not name them.
            allow_secrets: Store keys, tokens and passwords instead of redacting them.
            dry_run: Change nothing; report what would happen.
            progress: Called with the number of turns done.
        """
        from ghostmem.capture.ingest import ingest_transcript

        return ingest_transcript(
            self.store,
            path,
            ns,
            format=format,
            tags=tags,
            source_user=source_user,
            allow_secrets=allow_secrets,
            dry_run=dry_run,
            progress=progress,
        )

    def capture(
        self,
        text: str | None,
        ns: str,
        *,
        candidates: Iterable[Mapping[str, Any]] | None = None,
        transcript: str | Path | None = None,
        format: str = "auto",  # noqa: A002 (the public name)
        least: float = 0.35,
        most: int = 12,
        kind: str | None = None,
        tags: Iterable[str] | None = None,
        speaker: str | None = None,
        source_user: str | None = None,
        source_kind: str | None = None,
        source_scope: str | None = None,
        source_client: str | None = None,
        dedup: bool = True,
        allow_secrets: bool = False,
        dry_run: bool = False,
    ) -> CaptureReport:
        """Find facts worth remembering in a text or transcript and store them, without an LLM.

        Args:
            text: Text to read; None with `transcript` or `candidates`.
            ns: Namespace of the memories.
            candidates: Candidates that a model made, instead of a text.
            transcript: Recorded conversation, or a folder of them, whose user turns are read.
            format: Program that recorded the transcript; "auto" detects it.
            least: Minimum score of a candidate.
            most: Maximum number of candidates, of which the strongest are kept; -1: no limit.
            kind: Kind of every memory, instead of the one that its words suggest.
            tags: Tags of the memories.
            speaker: In a text with labels such as `User:`, read only what this speaker says.
            source_user: Name of the person who said it.
            source_kind: "stated", "observed", "self", "peer" or "import".
            source_scope: Conversation, session or place it comes from.
            source_client: Program that stores it.
            dedup: Reinforce a memory that says the same instead of storing a candidate.
            allow_secrets: Store keys, tokens and passwords instead of redacting them.
            dry_run: Change nothing; report what would happen.
        """
        from ghostmem.capture.capture import capture

        return capture(
            self.store,
            text,
            ns,
            candidates=candidates,
            transcript=transcript,
            format=format,
            least=least,
            most=most,
            kind=kind,
            tags=tags,
            speaker=speaker,
            source_user=source_user,
            source_kind=source_kind,
            source_scope=source_scope,
            source_client=source_client,
            dedup=dedup,
            allow_secrets=allow_secrets,
            dry_run=dry_run,
        )

    def mine_procedures(
        self,
        paths: Iterable[str | Path] = (),
        ns: str | None = None,
        *,
        sessions: Iterable[Sequence[str]] | None = None,
        format: str = "auto",  # noqa: A002 (the public name)
        fewest: int = 2,
        shortest: int = 2,
        longest: int = 5,
        most: int = 20,
        tags: Iterable[str] | None = None,
        dry_run: bool = True,
    ) -> MineReport:
        """Find sequences of actions that several sessions share; store them unless `dry_run`.

        Args:
            paths: Recorded conversations; without any, the procedural memories of `ns` are read.
            ns: Namespace of the memories.
            sessions: Actions of each session in their order, instead of recordings.
            format: Program that recorded the conversations; "auto" detects it.
            fewest: Minimum number of sessions that share a sequence.
            shortest: Minimum number of actions in a sequence.
            longest: Maximum number of actions in a sequence.
            most: Maximum number of procedures.
            tags: Further tags of the memories.
            dry_run: Change nothing; report what would happen. This is the default.
        """
        from ghostmem.capture.mine_procedures import mine_procedures

        return mine_procedures(
            self.store,
            paths,
            ns,
            sessions=sessions,
            format=format,
            fewest=fewest,
            shortest=shortest,
            longest=longest,
            most=most,
            tags=tags,
            dry_run=dry_run,
        )

    def add_notes(
        self,
        path: str | Path,
        ns: str | None = None,
        *,
        layout: str | None = None,
        source_kind: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Added:
        """Register a markdown folder, so that its notes are searched in place.

        Args:
            path: Folder.
            ns: Namespace; default: the setting `ns`, that of the project that contains the
                folder, or a name derived from the folder.
            layout: How the folder is laid out; default: detected.
            source_kind: Kind of source, default "stated"; sections of other kinds that look like
                instructions are quarantined.
            progress: Called with the number of notes done.
        """
        from ghostmem.notes.folders import add_notes

        return add_notes(
            self.store, path, ns, layout=layout, source_kind=source_kind, progress=progress
        )

    def note_folders(self, ns: str | None = None) -> List[Folder]:
        """Return the registered markdown folders.

        Args:
            ns: Only folders of this namespace or prefix; default: all.
        """
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
        """Index the changes of markdown folders, including vectors.

        Args:
            folder: One registered folder; default: all.
            full: Read every file again.
            accept_deletes: Remove missing notes even when most of the folder is missing.
            progress: Called with the number of notes done.
        """
        from ghostmem.notes.folders import sync_notes

        return sync_notes(
            self.store, folder, full=full, accept_deletes=accept_deletes, progress=progress
        )

    def notes_status(self, folder: str | Path | None = None) -> List[FolderStatus]:
        """Compare markdown folders with the index, without changing anything.

        Args:
            folder: Folder to compare; default: all registered ones.
        """
        from ghostmem.notes.folders import notes_status

        return notes_status(self.store, folder)

    def rm_notes(self, folder: str | Path, *, dry_run: bool = False) -> FolderRemoval:
        """Stop searching or mirroring a markdown folder; its files stay.

        Args:
            folder: Folder as it was registered.
            dry_run: Change nothing; report what would happen.
        """
        from ghostmem.notes.folders import rm_notes

        return rm_notes(self.store, folder, dry_run=dry_run)

    def write_note(self, ns: str, key: str, text: str, *, base: str | None = None) -> NoteWritten:
        """Replace the text of a section in a note.

        Args:
            ns: Namespace.
            key: Key of the section's memory.
            text: New text.
            base: SHA-256 of the file as the caller read it.

        Raises:
            NoteConflictError: The file changed since; the error contains the current text.
        """
        from ghostmem.notes.write_section import write_note

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
        """Synchronise a namespace and a markdown folder in both directions.

        When both sides changed, both texts are kept.

        Args:
            folder: Folder.
            ns: Namespace.
            layout: "topics" or "daily"; required the first time unless the files show it.
            accept_deletes: Remove missing items even when most of the folder is missing.
            dry_run: Change nothing; report what would happen.
            progress: Called with the number of items done.
        """
        from ghostmem.notes.mirror import mirror

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
        language: str | None = None,
        *,
        root: str | Path = ".",
        file: str | None = None,
        depth: int | None = None,
        relations: Iterable[str] | None = None,
        omit_native: bool | None = None,
        max_nodes: int | None = None,
        offset: int | None = None,
        include_tests: bool | None = None,
        include_memories: bool | None = None,
    ) -> Outline:
        """Return the relation tree of a symbol in the code of a project.

        Args:
            symbol: Full or partial name.
            language: Language of the code; default: detected from the files.
            root: Folder of the project.
            file: Path of the file that declares it.
            depth: Levels of relations, 0 to 10; default: 2.
            relations: Kinds of relations; default: all.
            omit_native: Leave out the standard library and built-ins.
            max_nodes: Maximum number of nodes in one answer; default: 2000.
            offset: Symbols to skip; `next_offset` of the previous answer.
            include_tests: Include test files; default: True.
            include_memories: Show memories about each file and symbol.

        Returns:
            The tree as `text` and as `data`.

        Raises:
            NotFoundError: No symbol has that name.
        """
        from ghostmem.outline.operations import outline_symbol

        return outline_symbol(
            self.store,
            symbol,
            language,
            root=root,
            file=file,
            **_named(
                depth=depth,
                relations=relations,
                omit_native=omit_native,
                max_nodes=max_nodes,
                offset=offset,
                include_tests=include_tests,
                include_memories=include_memories,
            ),
        )

    def outline_file(
        self,
        file: str,
        language: str | None = None,
        *,
        root: str | Path = ".",
        depth: int | None = None,
        relations: Iterable[str] | None = None,
        omit_native: bool | None = None,
        max_nodes: int | None = None,
        offset: int | None = None,
        include_tests: bool | None = None,
        include_memories: bool | None = None,
    ) -> Outline:
        """Return the relation tree of every symbol that a source file declares.

        Args:
            file: Path of the file.
            language: Language of the code; default: detected from the files.
            root: Folder of the project.
            depth: Levels of relations, 0 to 10; default: 2.
            relations: Kinds of relations; default: all.
            omit_native: Leave out the standard library and built-ins.
            max_nodes: Maximum number of nodes in one answer; default: 2000.
            offset: Symbols to skip; `next_offset` of the previous answer.
            include_tests: Include test files; default: True.
            include_memories: Show memories about each file and symbol.

        Returns:
            The tree as `text` and as `data`.
        """
        from ghostmem.outline.operations import outline_file

        return outline_file(
            self.store,
            file,
            language,
            root=root,
            **_named(
                depth=depth,
                relations=relations,
                omit_native=omit_native,
                max_nodes=max_nodes,
                offset=offset,
                include_tests=include_tests,
                include_memories=include_memories,
            ),
        )

    def outline_project(
        self,
        language: str | None = None,
        *,
        root: str | Path = ".",
        depth: int | None = None,
        relations: Iterable[str] | None = None,
        omit_native: bool | None = None,
        max_nodes: int | None = None,
        offset: int | None = None,
        include_tests: bool | None = None,
        include_memories: bool | None = None,
    ) -> Outline:
        """Return the relation tree of every symbol of a project.

        Args:
            language: Language of the code; default: detected from the files.
            root: Folder of the project.
            depth: Levels of relations, 0 to 10; default: 2.
            relations: Kinds of relations; default: all.
            omit_native: Leave out the standard library and built-ins.
            max_nodes: Maximum number of nodes in one answer; default: 2000.
            offset: Symbols to skip; `next_offset` of the previous answer.
            include_tests: Include test files; default: True.
            include_memories: Show memories about each file and symbol.

        Returns:
            The tree as `text` and as `data`.
        """
        from ghostmem.outline.operations import outline_project

        return outline_project(
            self.store,
            language,
            root=root,
            **_named(
                depth=depth,
                relations=relations,
                omit_native=omit_native,
                max_nodes=max_nodes,
                offset=offset,
                include_tests=include_tests,
                include_memories=include_memories,
            ),
        )

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
        """Delete the statements of a source, and everything derived from them.

        A source, kind, client, scope or `since` is required. Memories that these statements had
        replaced become current again.

        Args:
            source: Name of the person who said it.
            source_kind: "stated", "observed", "self", "peer" or "import".
            source_client: Program that stored it.
            source_scope: Conversation, session or place it comes from.
            since: Written at or after this time.
            until: Written before this time.
            ns: Namespace, prefix such as "agent:*", or None for all.
            hard: Delete permanently; otherwise the memories can be restored.
            unlock: Also delete locked and pinned memories.
            dry_run: Change nothing; report what would happen.
        """
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
        """Verify the hash chain of the audit log; with `head`, say where that hash was reached.

        Args:
            head: Hash that an earlier verification returned.
        """
        from ghostmem.admin.verify import verify

        return verify(self.store, head)

    def audit_log(
        self,
        ns: str | None = None,
        *,
        since: datetime | str | None = None,
        limit: int | None = None,
    ) -> List[LogLine]:
        """Return the audit log, oldest first; with `limit`, only the latest entries.

        Args:
            ns: Namespace, a prefix such as "agent:*", or None for all.
            since: Only entries from this time on.
            limit: Maximum number of entries, the latest ones; default: all.
        """
        from ghostmem.admin.verify import audit_log

        return audit_log(self.store, ns, since=since, limit=limit)

    def backup(self, target: str | Path, *, force: bool = False) -> Backup:
        """Copy the store to a file while it is in use, and check the copy.

        Symbolic links are followed, and a replaced file keeps its mode.

        Args:
            target: File or folder to write to.
            force: Replace an existing file.

        Raises:
            ConflictError: The file exists, or another program has it open.
            InvalidInputError: The target is a device or a pipe.
            EngineError: The file cannot be written.
        """
        from ghostmem.transfer.backup import backup

        return backup(self.store, target, force=force)

    def check(self) -> CheckReport:
        """Check the store for corruption."""
        from ghostmem.admin.check import check

        return check(self.store)

    def repair(self, progress: Callable[[int], None] | None = None) -> RepairReport:
        """Rebuild every index from the stored rows; the texts of memories are not changed.

        When it is interrupted while embedding, `embed_backfill` continues.

        Args:
            progress: Called with the number done.
        """
        from ghostmem.admin.check import repair

        return repair(self.store, progress)


def _named(**fields: Any) -> dict[str, Any]:
    """Return the fields that the caller named; an outline lists exactly these in its data."""
    return {name: value for name, value in fields.items() if value is not None}


def _location(target: str | PathLike[str]) -> str:
    """Return a path or URL as text."""
    return validate.text(target.__fspath__() if isinstance(target, PathLike) else target, "target")


def _in_utc(clock: Clock) -> Clock:
    """Return a clock whose times are in UTC."""
    return lambda: as_time(clock(), "clock")
