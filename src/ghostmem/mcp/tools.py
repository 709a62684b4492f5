"""The tools, as a table: what each is called and takes, and which verb it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError
from ghostmem.memory.curate import OPS
from ghostmem.model import EDGE_WEIGHTS, Kind, Priority, SourceKind, Tier, plain

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

Arguments = dict[str, Any]
Result = dict[str, Any]

TEXT, _N, _B = {"type": "string"}, {"type": "number"}, {"type": "boolean"}
TEXTS = {"type": "array", "items": TEXT}
_LIST = {"type": "array"}
_KIND = {"type": "string", "enum": [str(kind) for kind in Kind]}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}


def _count(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high}


def described(schema: Mapping[str, Any], about: str) -> dict[str, Any]:
    """Return a schema with a sentence about it."""
    return {**schema, "description": about}


@dataclass(frozen=True, eq=False, repr=False)
class Tool:
    """One tool: its texts, its arguments, what it returns, what it may do, and how it is done."""

    name: str
    title: str
    about: str
    takes: Mapping[str, Any]
    needs: tuple[str, ...]
    gives: Mapping[str, Any]
    run: Callable[[Ghost, Arguments], Result]
    scope: str = "read"
    hints: Mapping[str, bool] = field(default_factory=dict)
    walled: bool = (
        True  # works in a namespace; otherwise on files, for callers that may do so everywhere
    )
    meta: Mapping[str, Any] = field(
        default_factory=dict
    )  # what extensions of the protocol say about it

    @property
    def schema(self) -> dict[str, Any]:
        """Return the schema of its arguments."""
        found = {"type": "object", "properties": dict(self.takes), "additionalProperties": False}
        return {**found, "required": list(self.needs)} if self.needs else found


def _record(value: Any) -> Result:
    found: Result = plain(value)
    return found


def _put(ghost: Ghost, given: Arguments) -> Result:
    memory = ghost.put(given.pop("ns"), given.pop("key"), given.pop("content"), **given)
    found = _record(memory)
    return {**found, "deduplicated": True} if memory.requested_key else found


def found_by_search(ghost: Ghost, given: Arguments) -> Result:
    """Return what a search finds, with what goes with it."""
    hits = ghost.search(given.pop("query"), given.pop("ns"), **given)
    found = {"results": [_record(hit) for hit in hits], "legs": list(hits.legs)}
    if given.get("explain"):
        found["misses"] = [_record(hit) for hit in hits.misses]
    if not hits.complete:
        found["complete"] = False
    if hits.weaker:
        found["weaker"] = len(hits.weaker)
    if hits.superseded:
        found["superseded"] = [{"key": hit.key, "note": hit.note} for hit in hits.superseded]
    return {**found, "notes": list(hits.notes)} if hits.notes else found


def _curate(ghost: Ghost, given: Arguments) -> Result:
    if given["op"] == "used":
        return {**_record(ghost.used(given["ns"], [given["key"]])[0]), "op": "used"}
    return _record(ghost.curate(given["ns"], given["key"], given["op"]))


def _edge(ghost: Ghost, given: Arguments) -> Result:
    op, ns, start = given.get("op", "create"), given["ns"], given["from_key"]
    if op == "list":
        return {"edges": [_record(edge) for edge in ghost.edges(ns, start, rel=given.get("rel"))]}
    from ghostmem.errors import InvalidInputError

    if "to_key" not in given or "rel" not in given:
        raise InvalidInputError(
            f"to_key and rel are required for {op}", "give both, or op list to see what is there"
        )
    if op == "remove":
        gone = ghost.rm_edge(ns, start, given["to_key"], given["rel"])
        return {"status": "deleted", **_record(gone)}
    return _record(ghost.edge(ns, start, given["to_key"], given["rel"], given.get("weight")))


_NS = described(TEXT, "namespace; default: this project's")
READ = {"readOnlyHint": True}
WRITE = {"readOnlyHint": False, "destructiveHint": False}

MEMORY: tuple[Tool, ...] = (
    Tool(
        "ghost_put",
        "Remember",
        "Store a fact, or update it under the same key. The verdict says whether it "
        "restates or contradicts another.",
        {
            "ns": _NS,
            "key": described(TEXT, "short and descriptive, e.g. user-timezone"),
            "content": TEXT,
            "kind": _KIND,
            "tags": TEXTS,
            "priority": {"type": "string", "enum": [str(priority) for priority in Priority]},
            "importance": _SHARE,
            "tier": {"type": "string", "enum": [*(str(tier) for tier in Tier), "identity"]},
            "pinned": described(_B, "always in context"),
            "ttl": described(TEXT, "e.g. 7d"),
            "dedup": described(_B, "reinforce what says the same"),
            "supersedes": described(TEXT, "key this replaces"),
            "source_user": described(TEXT, "who said it"),
            "source_kind": {"type": "string", "enum": [str(kind) for kind in SourceKind]},
        },
        ("key", "content"),
        {
            "key": TEXT,
            "version": {"type": "integer"},
            "outcome": TEXT,
            "verdict": {"type": "object"},
        },
        _put,
        "write",
        {**WRITE, "idempotentHint": True},
    ),
    Tool(
        "ghost_get",
        "Read one memory",
        "Read a memory by its key.",
        {"ns": _NS, "key": TEXT},
        ("key",),
        {"key": TEXT, "content": TEXT, "version": {"type": "integer"}},
        lambda ghost, given: _record(ghost.get(given["ns"], given["key"])),
        hints=READ,
    ),
    Tool(
        "ghost_search",
        "Search memories",
        "Find memories by words and meaning. Empty means nothing relevant is known.",
        {
            "query": TEXT,
            "ns": described(TEXT, "namespace, prefix like agent:*, or * for all"),
            "kind": _KIND,
            "tags": TEXTS,
            "limit": described(_count(1, 200), "default 20"),
            "after": described(TEXT, "date"),
            "before": TEXT,
            "valid_at": described(TEXT, "what was true then"),
            "as_of": described(TEXT, "what was believed then"),
            "include_all": described(_B, "dormant and sensory too"),
            "weak": described(_B, "weaker hits too"),
            "explain": _B,
        },
        ("query",),
        {"results": _LIST, "legs": _LIST},
        found_by_search,
        hints=READ,
    ),
    Tool(
        "ghost_context",
        "Assemble context",
        "What to read before a task, packed into a token budget: pinned, relevant and "
        "linked memories, corrections first.",
        {
            "query": described(TEXT, "the task"),
            "ns": _NS,
            "kind": _KIND,
            "tags": TEXTS,
            "budget": described(_count(1, 1_000_000), "tokens, default 4000"),
            "files": described(TEXTS, "paths at hand"),
            "for_user": described(TEXT, "whose words count more"),
            "for_scope": TEXT,
            "exclude_pinned": _B,
            "include_all": _B,
            "min_score": _N,
            "min_spread": _N,
        },
        ("query",),
        {
            "budget": {"type": "integer"},
            "used": {"type": "integer"},
            "memories": _LIST,
            "compaction_suggested": _B,
        },
        lambda ghost, given: _record(ghost.context(given.pop("query"), given.pop("ns"), **given)),
        hints=READ,
    ),
    Tool(
        "ghost_expand",
        "Open summaries",
        "List summaries, or with a key show what one stands for.",
        {"ns": _NS, "key": TEXT, "depth": _count(1, 20)},
        (),
        {"children": _LIST, "nodes": _LIST, "clusters": _LIST},
        lambda ghost, given: _record(
            ghost.expand(given["ns"], given.get("key"), depth=given.get("depth", 1))
        ),
        hints=READ,
    ),
    Tool(
        "ghost_consolidate",
        "Summarise",
        "Store a summary of several memories, which all stay.",
        {
            "ns": _NS,
            "summary_key": TEXT,
            "content": TEXT,
            "source_keys": {**TEXTS, "minItems": 2},
            "kind": _KIND,
            "importance": _SHARE,
            "tags": TEXTS,
        },
        ("summary_key", "content", "source_keys"),
        {"summary": {"type": "object"}, "edges": _LIST},
        lambda ghost, given: _record(
            ghost.consolidate(
                given.pop("ns"),
                given.pop("summary_key"),
                given.pop("content"),
                given.pop("source_keys"),
                **given,
            )
        ),
        "write",
        WRITE,
    ),
    Tool(
        "ghost_curate",
        "Curate one memory",
        "One step for one memory; `used` says that it helped.",
        {"ns": _NS, "key": TEXT, "op": {"type": "string", "enum": [*OPS, "used"]}},
        ("key", "op"),
        {"key": TEXT, "op": TEXT},
        _curate,
        "write",
        {"readOnlyHint": False, "destructiveHint": True},
    ),
    Tool(
        "ghost_edge",
        "Link memories",
        "Link two memories, remove a link, or list a memory's links.",
        {
            "ns": _NS,
            "from_key": TEXT,
            "to_key": TEXT,
            "rel": {"type": "string", "enum": [str(rel) for rel in EDGE_WEIGHTS]},
            "weight": _SHARE,
            "op": described(
                {"type": "string", "enum": ["create", "remove", "list"]}, "default create"
            ),
        },
        ("from_key",),
        {"edges": _LIST, "rel": TEXT, "weight": _N, "status": TEXT},
        _edge,
        "write",
        {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
    ),
    Tool(
        "ghost_reflect",
        "Tidy up",
        "Run the lifecycle rules: promote, fade, archive, link. dry_run shows what would change.",
        {"ns": _NS, "dry_run": _B, "relink": _B},
        (),
        {
            "memories_evaluated": {"type": "integer"},
            "rules_applied": {"type": "integer"},
            "linked_clusters": _LIST,
        },
        lambda ghost, given: _record(
            ghost.reflect(
                given["ns"], dry_run=given.get("dry_run", False), relink=given.get("relink", False)
            )
        ),
        "write",
        {"readOnlyHint": False, "destructiveHint": True},
    ),
    Tool(
        "ghost_edge_candidates",
        "Pairs to classify",
        "Similar pairs without a reason yet: judge each, then commit caused_by, prevents "
        "or implies with ghost_edge.",
        {
            "ns": _NS,
            "max_pairs": described(_count(1, 1000), "default 50"),
            "seed": described(TEXTS, "keys"),
        },
        (),
        {"candidates": _LIST, "skipped_existing": {"type": "integer"}},
        lambda ghost, given: _record(
            ghost.edge_candidates(
                given["ns"], max_pairs=given.get("max_pairs", 50), seed=given.get("seed")
            )
        ),
        hints=READ,
    ),
)


def _knowledge(root: Path) -> tuple[Tool, ...]:
    from ghostmem.mcp.knowledge import knowledge_tools

    return knowledge_tools(root)


def _notes(root: Path) -> tuple[Tool, ...]:
    from ghostmem.mcp.notes import note_tools

    return note_tools(root)


def _outline(root: Path) -> tuple[Tool, ...]:
    from ghostmem.mcp.outline import outline_tools

    return outline_tools(root)


def _truth(_: Path) -> tuple[Tool, ...]:
    from ghostmem.mcp.truth import TRUTH

    return TRUTH


def _viewer(_: Path) -> tuple[Tool, ...]:
    from ghostmem.mcp.app import SHOW

    return (SHOW,)


# tools that may look into all namespaces of a prefix
SEVERAL = ("ghost_search", "ghost_context", "ghost_reflect", "ghost_conflicts", "ghost_show")
# a toolset is its tools, or makes them for the folder whose files they work on
TOOLSETS: Mapping[str, tuple[Tool, ...] | Callable[[Path], tuple[Tool, ...]]] = {
    "memory": MEMORY,
    "truth": _truth,
    "notes": _notes,
    "knowledge": _knowledge,
    "outline": _outline,
    "viewer": _viewer,
}


def chosen_tools(toolsets: Iterable[str], root: Path | None = None) -> dict[str, Tool]:
    """Return the tools of some toolsets by name, in their order.

    Those that work on files do so below a folder, or below this.
    """
    found: dict[str, Tool] = {}
    toolsets = list(toolsets)
    if not toolsets:
        raise InvalidInputError("no toolset was named", f"there are: {', '.join(TOOLSETS)}")
    for name in toolsets:
        if name not in TOOLSETS:
            raise InvalidInputError(
                f"there is no toolset {name!r}", f"there are: {', '.join(TOOLSETS)}"
            )
        toolset = TOOLSETS[name]
        found |= {
            tool.name: tool
            for tool in (toolset if isinstance(toolset, tuple) else toolset(root or Path.cwd()))
        }
    return found
