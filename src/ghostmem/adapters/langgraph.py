"""A LangGraph store over Ghost: an item is a memory with its value in the meta."""

import asyncio
import itertools
import json
import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import chain, islice, takewhile
from typing import Any

from ghostmem.adapters.extra import missing
from ghostmem.adapters.filters import matches
from ghostmem.adapters.names import from_key, from_namespace, to_key, to_namespace
from ghostmem.clock import format_time, read_time
from ghostmem.errors import InvalidInputError, NotFoundError, VersionConflictError
from ghostmem.ghost import Ghost
from ghostmem.model import Kind, Memory, Tier

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        PutOp,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
        tokenize_path,
    )
except ImportError as error:
    raise missing("langgraph", "langgraph", error) from error


Names = tuple[str, ...]

META = "langgraph"
WHOLE = "$"
_PAGE = 200  # memories
_MAX_HITS = 10_000  # of a search that are filtered


class GhostStore(BaseStore):  # type: ignore[misc]
    """A `BaseStore` whose items are memories below one namespace.

    `root` is that namespace, `fields` are the paths whose texts are searched (`$`: all), and `ttl`
    is LangGraph's configuration of default lifetimes, in minutes. An item that is put again is a
    new version of its memory, and a deleted one can be restored. Keys, tokens and passwords in
    values are replaced by placeholders, with a warning, unless `allow_secrets`.
    """

    supports_ttl = True

    def __init__(
        self,
        ghost: Ghost,
        root: str = "langgraph",
        *,
        fields: Iterable[str] = (WHOLE,),
        ttl: TTLConfig | None = None,
        allow_secrets: bool = False,
    ) -> None:
        self.ghost, self.ttl_config, self.allow_secrets = ghost, ttl, allow_secrets
        self.root, self.fields = to_namespace(root, ()), tuple(fields)

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Run several operations: first all reads, then the last put of each key."""
        operations = list(ops)
        answers = [self._answer(op) for op in operations]
        puts = {(op.namespace, op.key): op for op in operations if isinstance(op, PutOp)}
        for op in puts.values():
            self._put(op)
        return answers

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """Run `batch` in a worker thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _answer(self, op: Any) -> Any:
        answers: Mapping[type, Callable[[Any], Any]] = {
            GetOp: self._get,
            SearchOp: self._search,
            ListNamespacesOp: self._namespaces,
            PutOp: lambda _: None,
        }
        if type(op) not in answers:
            raise InvalidInputError(
                f"{type(op).__name__} is not an operation of a store",
                "use GetOp, PutOp, SearchOp, ListNamespacesOp",
            )
        return answers[type(op)](op)

    def _get(self, op: GetOp) -> Item | None:
        try:
            memory = self.ghost.get(to_namespace(self.root, op.namespace), to_key(op.key))
        except NotFoundError:
            return None
        self._refresh(memory, op.refresh_ttl)
        return Item(**self._described(memory))

    def _put(self, op: PutOp) -> None:
        ns, key = to_namespace(self.root, op.namespace), to_key(op.key)
        if op.value is None:
            with suppress(NotFoundError):
                self.ghost.rm(ns, key)
            return
        before = self._current(ns, key)
        memory = self.ghost.put(
            ns,
            key,
            self._text(op) or _json(op.value),
            kind=Kind.SEMANTIC,
            tier=Tier.DORMANT if op.index is False else Tier.LTM,
            meta={
                META: {
                    "value": op.value,
                    "searched": op.index is not False,
                    "minutes": op.ttl,
                    "created": format_time(self.ghost.store.clock())
                    if before is None
                    else _created(before),
                }
            },
            ttl=_ttl(op.ttl),
            dedup=False,
            allow_secrets=self.allow_secrets,
        )
        if redacted := [note for note in memory.notes if note.endswith("redacted")]:
            warnings.warn(
                f"{ns}/{key}: {'; '.join(redacted)}; allow_secrets=True keeps secrets", stacklevel=3
            )

    def _current(self, ns: str, key: str) -> Memory | None:
        """Return the current memory of a key, without counting a read."""
        try:
            last = self.ghost.history(ns, key)[-1]
        except NotFoundError:
            return None
        return last if last.is_current(self.ghost.store.clock()) else None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        """Return items below a namespace: best first for a query, else newest first."""
        count = op.offset + op.limit
        items = (self._hits(op, count) if op.query else self._listed(op, count))[op.offset : count]
        for memory, _ in items:
            self._refresh(memory, op.refresh_ttl)
        return [SearchItem(**self._described(memory), score=score) for memory, score in items]

    def _listed(self, op: SearchOp, count: int) -> list[tuple[Memory, float | None]]:
        pages = (
            self.ghost.list(self._below(op.namespace_prefix), limit=_PAGE, offset=start)
            for start in itertools.count(0, _PAGE)
        )
        memories = chain.from_iterable(takewhile(bool, pages))
        passing = ((memory, None) for memory in memories if self._passes(memory, op))
        return list(islice(passing, count))

    def _hits(self, op: SearchOp, count: int) -> list[tuple[Memory, float | None]]:
        """Search with growing limits until enough hits pass the filter, or there are no more."""
        limit = max(1, count)
        while True:
            hits = self.ghost.search(
                op.query,
                self._below(op.namespace_prefix),
                limit=limit,
                include_all=True,
                within="memories",
                weak=True,
            )
            passing: list[tuple[Memory, float | None]] = [
                (hit.memory, hit.score) for hit in hits if self._passes(hit.memory, op, query=True)
            ]
            if len(passing) >= count or len(hits) < limit or limit >= _MAX_HITS:
                return passing
            limit *= 4

    def _below(self, names: Names) -> str:
        return f"{to_namespace(self.root, names)}*"

    def _passes(self, memory: Memory, op: SearchOp, query: bool = False) -> bool:
        names = from_namespace(self.root, memory.ns)
        return (
            names is not None
            and names[: len(op.namespace_prefix)] == tuple(op.namespace_prefix)
            and (not query or bool(_about(memory).get("searched", True)))
            and all(
                matches(_value(memory).get(name), wanted)
                for name, wanted in (op.filter or {}).items()
            )
        )

    def _namespaces(self, op: ListNamespacesOp) -> list[Names]:
        namespaces = (
            from_namespace(self.root, info.ns)
            for info in self.ghost.admin.namespaces(f"{self.root}*")
            if info.count
        )
        matching = {
            names[: op.max_depth]
            for names in namespaces
            if names and all(_fits(names, condition) for condition in op.match_conditions or ())
        }
        return sorted(matching)[op.offset : op.offset + op.limit]

    def _described(self, memory: Memory) -> dict[str, Any]:
        return {
            "namespace": from_namespace(self.root, memory.ns),
            "key": from_key(memory.key),
            "value": _value(memory),
            "created_at": read_time(_created(memory)),
            "updated_at": memory.written_at,
        }

    def _text(self, op: PutOp) -> str:
        """Return the searchable texts of a value, one per line."""
        paths = self.fields if op.index in (None, False) else op.index
        return "\n".join(text for path in paths for text in _texts(op.value, path) if text.strip())

    def _refresh(self, memory: Memory, wanted: bool) -> None:
        """Restart the lifetime of an item that was read, unless it was changed meanwhile."""
        minutes = _about(memory).get("minutes")
        if wanted and minutes is not None:
            with suppress(VersionConflictError):
                self.ghost.put(
                    memory.ns,
                    memory.key,
                    memory.content,
                    ttl=_ttl(minutes),
                    base_version=memory.version,
                    dedup=False,
                    allow_secrets=True,  # it was redacted when it was first stored
                )


def _texts(value: Mapping[str, Any], path: str) -> list[str]:
    if path != WHOLE:
        return list(get_text_at_path(value, tokenize_path(path)))
    texts = (part if isinstance(part, str) else _json(part) for part in value.values())
    return [
        f"{name}: {text}" if len(value) > 1 else text
        for name, text in zip(value, texts, strict=True)
    ]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _about(memory: Memory) -> Mapping[str, Any]:
    meta = memory.meta.get(META)
    return meta if isinstance(meta, Mapping) else {}


def _value(memory: Memory) -> dict[str, Any]:
    """Return the value of an item; for a memory from elsewhere, its content."""
    value = _about(memory).get("value")
    return dict(value) if isinstance(value, Mapping) else {"content": memory.content}


def _created(memory: Memory) -> str:
    """Return the time of the first put of a key; a version has the time of its change."""
    return _about(memory).get("created") or format_time(memory.created_at)


def _ttl(minutes: float | None) -> str:
    if minutes is None:
        return "never"
    if not minutes > 0:
        raise InvalidInputError(
            f"ttl {minutes!r} is not a time to live", "give minutes above 0, or None"
        )
    return f"{math.ceil(minutes * 60)}s"


_ENDS: Mapping[str, Callable[[Any, int], Any]] = {
    "prefix": lambda names, count: names[:count],
    "suffix": lambda names, count: names[len(names) - count :],
}


def _fits(names: Names, condition: Any) -> bool:
    """Say whether names match the prefix or suffix of a condition; `*` matches any name."""
    if condition.match_type not in _ENDS:
        raise InvalidInputError(
            f"match type {condition.match_type!r} is unknown", f"use {' or '.join(_ENDS)}"
        )
    part = _ENDS[condition.match_type](names, len(condition.path))
    return len(names) >= len(condition.path) and all(
        wanted in ("*", name) for name, wanted in zip(part, condition.path, strict=True)
    )
