"""The tools of the toolset memory: store, find, link and tidy memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ghostmem.errors import InvalidInputError
from ghostmem.mcp.tool import (
    CHANGE,
    INTEGER,
    LIST,
    TEXT,
    WRITE,
    Arguments,
    McpTool,
    Result,
    arguments,
    described,
)
from ghostmem.memory.curate import OPS
from ghostmem.model import Tier, plain
from ghostmem.parameters import NS

if TYPE_CHECKING:
    from pathlib import Path

    from ghostmem.ghost import Ghost

MAX_HITS = 200
MAX_DEPTH = 20
_OWN_NS = {"description": NS.brief}


def search(ghost: Ghost, given: Arguments) -> Result:
    """Return the results of a search with its methods, misses and notes."""
    hits = ghost.search(given.pop("query"), given.pop("ns"), **given)
    result: Result = {"results": plain(list(hits)), "legs": list(hits.legs)}
    if given.get("explain"):
        result["misses"] = plain(list(hits.misses))
    if not hits.complete:
        result["complete"] = False
    if hits.weaker:
        result["weaker"] = len(hits.weaker)
    if hits.superseded:
        result["superseded"] = [{"key": hit.key, "note": hit.note} for hit in hits.superseded]
    return {**result, "notes": list(hits.notes)} if hits.notes else result


def _put(ghost: Ghost, given: Arguments) -> Result:
    memory = ghost.put(given.pop("ns"), given.pop("key"), given.pop("content"), **given)
    result: Result = plain(memory)
    return {**result, "deduplicated": True} if memory.requested_key else result


def _curate(ghost: Ghost, given: Arguments) -> Result:
    if given["op"] == "used":
        return {**plain(ghost.used(given["ns"], [given["key"]])[0]), "op": "used"}
    result: Result = plain(ghost.curate(given["ns"], given["key"], given["op"]))
    return result


def _edge(ghost: Ghost, given: Arguments) -> Result:
    op, ns, start = given.get("op", "create"), given["ns"], given["from_key"]
    if op == "list":
        return {"edges": plain(ghost.edges(ns, start, rel=given.get("rel")))}
    if "to_key" not in given or "rel" not in given:
        raise InvalidInputError(
            f"to_key and rel are required for {op}", "give both, or op list to see what is there"
        )
    if op == "remove":
        removed = ghost.rm_edge(ns, start, given["to_key"], given["rel"])
        return {"status": "deleted", **plain(removed)}
    result: Result = plain(
        ghost.edge(ns, start, given["to_key"], given["rel"], given.get("weight"))
    )
    return result


MEMORY: tuple[McpTool, ...] = (
    McpTool(
        "ghost_put",
        "Remember",
        "Store a fact, or update it under the same key. The verdict says whether it "
        "restates or contradicts another.",
        arguments(
            "put",
            "ns key content kind tags priority importance tier pinned ttl dedup supersedes "
            "source_user source_kind",
            key={"description": "short and descriptive, e.g. user-timezone"},
            tier={"enum": [*map(str, Tier), "identity"]},
        ),
        ("key", "content"),
        {"key": TEXT, "version": INTEGER, "outcome": TEXT, "verdict": {"type": "object"}},
        _put,
        {**WRITE, "idempotentHint": True},
    ),
    McpTool(
        "ghost_get",
        "Read one memory",
        "Read a memory by its key.",
        arguments("get", "ns key"),
        ("key",),
        {"key": TEXT, "content": TEXT, "version": INTEGER},
        lambda ghost, given: plain(ghost.get(**given)),
    ),
    McpTool(
        "ghost_search",
        "Search memories",
        "Find memories by words and meaning. Empty means nothing relevant is known.",
        arguments(
            "search",
            "query ns kind tags limit after before valid_at as_of include_all weak explain",
            limit={"maximum": MAX_HITS},
        ),
        ("query",),
        {"results": LIST, "legs": LIST},
        search,
    ),
    McpTool(
        "ghost_context",
        "Assemble context",
        "What to read before a task, packed into a token budget: pinned, relevant and "
        "linked memories, corrections first.",
        arguments(
            "context",
            "query ns kind tags budget files for_user for_scope exclude_pinned include_all "
            "min_score min_spread",
            ns=_OWN_NS,
        ),
        ("query",),
        {
            "budget": INTEGER,
            "used": INTEGER,
            "memories": LIST,
            "compaction_suggested": {"type": "boolean"},
        },
        lambda ghost, given: plain(ghost.context(**given)),
    ),
    McpTool(
        "ghost_expand",
        "Open summaries",
        "List summaries, or with a key show the memories of one.",
        arguments("expand", "ns key depth", depth={"maximum": MAX_DEPTH}),
        (),
        {"children": LIST, "nodes": LIST, "clusters": LIST},
        lambda ghost, given: plain(ghost.expand(**given)),
    ),
    McpTool(
        "ghost_consolidate",
        "Summarise",
        "Store a summary of several memories, which all stay.",
        arguments(
            "consolidate",
            "ns summary_key content source_keys kind importance tags",
            source_keys={"minItems": 2},
        ),
        ("summary_key", "content", "source_keys"),
        {"summary": {"type": "object"}, "edges": LIST},
        lambda ghost, given: plain(ghost.consolidate(**given)),
        WRITE,
    ),
    McpTool(
        "ghost_curate",
        "Curate one memory",
        "One step for one memory; `used` says that it helped.",
        arguments("curate", "ns key op", op={"enum": [*OPS, "used"]}),
        ("key", "op"),
        {"key": TEXT, "op": TEXT},
        _curate,
        CHANGE,
    ),
    McpTool(
        "ghost_edge",
        "Link memories",
        "Link two memories, remove a link, or list a memory's links.",
        {
            **arguments("edge", "ns from_key to_key rel weight"),
            "op": described(
                {"type": "string", "enum": ["create", "remove", "list"]}, "default create"
            ),
        },
        ("from_key",),
        {"edges": LIST, "rel": TEXT, "weight": {"type": "number"}, "status": TEXT},
        _edge,
        {**CHANGE, "idempotentHint": True},
    ),
    McpTool(
        "ghost_reflect",
        "Tidy up",
        "Run the lifecycle rules: promote, fade, archive, link. dry_run shows what would change.",
        arguments("reflect", "ns dry_run relink", ns=_OWN_NS),
        (),
        {"memories_evaluated": INTEGER, "rules_applied": INTEGER, "linked_clusters": LIST},
        lambda ghost, given: plain(ghost.reflect(**given)),
        CHANGE,
    ),
    McpTool(
        "ghost_edge_candidates",
        "Pairs to classify",
        "Similar pairs without a reason yet: judge each, then commit caused_by, prevents "
        "or implies with ghost_edge.",
        arguments("edge_candidates", "ns max_pairs seed"),
        (),
        {"candidates": LIST, "skipped_existing": INTEGER},
        lambda ghost, given: plain(ghost.edge_candidates(**given)),
    ),
)


def make_tools(_: Path) -> tuple[McpTool, ...]:
    """Return the tools of the toolset."""
    return MEMORY
