"""The tools on memories, in three toolsets.

`memory` stores, finds, links and tidies them; `edit` shows versions, restores, and changes by a
diff; `truth` shows contradictions, decides them, and tells how a fact evolved."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.ghost import Ghost
from ghostmem.mcp.budget import BYTES_PER_TOKEN, encoded
from ghostmem.mcp.shown import (
    show_candidates,
    show_conflicts,
    show_consolidation,
    show_context,
    show_curated,
    show_edges,
    show_expanded,
    show_get,
    show_history,
    show_list,
    show_patch,
    show_put,
    show_report,
    show_search,
    show_timeline,
)
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
    nonempty,
)
from ghostmem.memory.curate import OPS
from ghostmem.model import EDGE_WEIGHTS, Tier, VerdictKind, plain
from ghostmem.parameters import MAX_BUDGET, NS, OPERATIONS
from ghostmem.text.excerpt import first_line

# seconds that the first question waits for the model: it loads in less than one, on a busy machine
# in a few, and clients give a call half a minute or more
MODEL_WAIT = 5.0
MAX_HITS = 200
MAX_DEPTH = 20
MAX_OTHER = 120  # characters of the memory that a new one contradicts
_COMPACTION_TOOLS = "summarise them with ghost_consolidate"
_OWN_NS = {"description": NS.brief}
_OBJECT = {"type": "object"}
_STORED = {"key": TEXT, "version": INTEGER, "outcome": TEXT}
_BUDGET = described(
    {"type": "integer", "minimum": 100, "maximum": MAX_BUDGET},
    "maximum tokens of the result, default 2000",
)
_OFFSET = described({"type": "integer", "minimum": 0}, "how many to skip")


def wait_for_model(ghost: Ghost) -> None:
    """Wait, a limited time, for an embedding model that is being loaded.

    Words alone miss memories that say the same in other words, and a model that reads "nothing is
    known" believes it.
    """
    if ghost.store.vectoriser.may_wait:
        ghost.store.vectoriser.wait(MODEL_WAIT)


def search(ghost: Ghost, given: Arguments) -> Result:
    """Return the results of a search with its methods, misses and notes."""
    wait_for_model(ghost)
    hits = ghost.search(given.pop("query"), given.pop("ns"), **given)
    superseded = [{"key": hit.key, "note": hit.note} for hit in hits.superseded]
    return {
        "results": plain(list(hits)),
        "legs": list(hits.legs),
        **({"misses": plain(list(hits.misses))} if given.get("explain") else {}),
        **({} if hits.complete else {"complete": False}),
        **nonempty(weaker=len(hits.weaker), superseded=superseded, notes=list(hits.notes)),
    }


def _context(ghost: Ghost, given: Arguments) -> Result:
    from ghostmem.context.expansion import COMPACTION_COMMANDS

    wait_for_model(ghost)
    query, ns = given.pop("query"), given.pop("ns")
    pack = ghost.context(query, ns, tokens=_sent_tokens, **given)
    result: Result = plain(pack)
    if not pack.memories and "min_score" not in given:
        filters = {name: value for name, value in given.items() if name in OPERATIONS["search"]}
        result["perhaps"] = plain(ghost.search(query, ns, limit=1, explain=True, **filters).perhaps)
    if "compaction_reason" in result:
        result["compaction_reason"] = result["compaction_reason"].replace(
            COMPACTION_COMMANDS, _COMPACTION_TOOLS
        )
    return result if _is_complete(ghost, pack.notes) else {**result, "complete": False}


def _sent_tokens(content: str) -> int:
    """Return the tokens of a content as it is sent, which has escaped line ends and quotes."""
    return (len(encoded(content)) - 2) // BYTES_PER_TOKEN


def _is_complete(ghost: Ghost, notes: tuple[str, ...]) -> bool:
    """Tell whether everything was searched by meaning, as far as that is wanted."""
    vectoriser = ghost.store.vectoriser
    return not vectoriser.wanted or (
        vectoriser.get() is not None
        and not vectoriser.problem
        and not any("vectors" in note for note in notes)
    )


def _reflect(ghost: Ghost, given: Arguments) -> Result:
    wait_for_model(ghost)
    return dict(plain(ghost.reflect(**given)))


def _put(ghost: Ghost, given: Arguments) -> Result:
    if "key" in given:
        memory = ghost.put(**given)
    else:
        from ghostmem.memory.put import put_unnamed

        memory = put_unnamed(ghost.store, **given)
    result: Result = plain(memory)
    verdict = result.get("verdict", {})
    if verdict.get("kind") == VerdictKind.CONFLICT and "key" in verdict:
        with suppress(NotFoundError):  # removed since then
            verdict["content"] = first_line(
                ghost.history(memory.ns, verdict["key"])[-1].content, MAX_OTHER
            )
    return {**result, "deduplicated": True} if memory.requested_key else result


def _list(ghost: Ghost, given: Arguments) -> Result:
    limit = given.pop("limit", 20)
    memories = ghost.list(limit=limit + 1, **given)
    return {"memories": plain(memories[:limit]), "more": len(memories) > limit}


def _curate(ghost: Ghost, given: Arguments) -> Result:
    if given["op"] == "used":
        return {**plain(ghost.used(given["ns"], [given["key"]])[0]), "op": "used"}
    return dict(plain(ghost.curate(given["ns"], given["key"], given["op"])))


def _edge(ghost: Ghost, given: Arguments) -> Result:
    op, ns, start = given.get("op", "create"), given["ns"], given["from_key"]
    if op == "list":
        return {"edges": plain(ghost.edges(ns, start, rel=given.get("rel")))}
    missing = [name for name in ("to_key", "rel") if name not in given]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        rels = f"; rel is one of: {', '.join(EDGE_WEIGHTS)}" if "rel" in missing else ""
        raise InvalidInputError(
            f"{' and '.join(missing)} {verb} required for {op}",
            f"send {' and '.join(missing)}, or op list to see the links{rels}",
        )
    if op == "remove":
        return {
            "status": "deleted",
            **plain(ghost.graph.rm_edge(ns, start, given["to_key"], given["rel"])),
        }
    return dict(
        plain(ghost.edge(ns, start, given["to_key"], given["rel"], weight=given.get("weight")))
    )


def _candidates(ghost: Ghost, given: Arguments) -> Result:
    offset, max_pairs = given.pop("offset", 0), given.pop("max_pairs", 50)
    end = offset + max_pairs
    result: Result = plain(ghost.graph.edge_candidates(max_pairs=end + 1, **given))
    pairs = result["candidates"]
    result["candidates"] = pairs[offset:end]
    return {**result, "more": True} if len(pairs) > end else result


def _history(ghost: Ghost, given: Arguments) -> Result:
    newest_first = sorted(
        plain(ghost.history(given["ns"], given["key"])), key=lambda version: -version["version"]
    )
    return {"ns": given["ns"], "key": given["key"], "versions": newest_first}


def _about(**texts: str) -> dict[str, Any]:
    return {name: {"description": text} for name, text in texts.items()}


_FILTERS = _about(kind="only this kind", tags="only with all of these tags")

MEMORY: tuple[McpTool, ...] = (
    McpTool(
        "ghost_put",
        "Remember",
        "Store a fact, or update it under the same key. The verdict says if it restates or "
        "contradicts another.",
        arguments(
            "put",
            "ns key content kind tags priority importance tier pinned ttl dedup",
            **_about(
                content="one fact, in a full sentence",
                kind="semantic: fact (default), episodic: event, procedural: how-to",
            ),
            tier={
                "enum": [*map(str, Tier), "identity"],
                "description": "default stm; ltm lasts, dormant is hidden, identity: ltm, pinned",
            },
        ),
        ("key", "content"),
        {"outcome": TEXT, "verdict": _OBJECT},
        _put,
        show_put,
        {**WRITE, "idempotentHint": True},
        unlisted=arguments(
            "put",
            "supersedes base_version source_user source_kind source_scope created_at valid_from "
            "valid_to files meta",
        ),
        dispensable=("key",),
    ),
    McpTool(
        "ghost_get",
        "Read one memory",
        "Read a memory by its key, up to 16 kB; offset reads on.",
        arguments("get", "ns key"),
        ("key",),
        {"content": TEXT},
        lambda ghost, given: plain(ghost.get(**given)),
        show_get,
        of_show=("offset",),
        unlisted={
            **arguments("get", "version as_of"),
            "offset": described({"type": "integer", "minimum": 0}, "first character to read"),
        },
    ),
    McpTool(
        "ghost_search",
        "Search memories",
        "Find memories by words and meaning. Empty means nothing relevant is known.",
        arguments(
            "search",
            "query ns kind tags limit after before",
            **{**_FILTERS, "limit": {"maximum": MAX_HITS, "description": "default 20"}},
        ),
        ("query",),
        {"results": LIST},
        search,
        show_search,
        of_show=("budget",),
        unlisted={
            **arguments(
                "search",
                "valid_at as_of include_all weak explain min_score source_user source_kind "
                "source_scope source_client file",
            ),
            "budget": _BUDGET,
        },
    ),
    McpTool(
        "ghost_context",
        "Assemble context",
        "What to read before a task, within a token budget: pinned, relevant and linked "
        "memories, corrections first.",
        arguments(
            "context",
            "query ns kind tags budget exclude_pinned min_score min_spread",
            ns=_OWN_NS,
            **_FILTERS,
        ),
        ("query",),
        {"memories": LIST, "compaction_suggested": {"type": "boolean"}},
        _context,
        show_context,
        unlisted=arguments(
            "context",
            "files for_user for_scope include_all max_memory_tokens valid_at as_of "
            "source_user source_kind source_scope source_client",
        ),
    ),
    McpTool(
        "ghost_list",
        "List memories",
        "List memories, newest first.",
        arguments(
            "list", "ns tags limit", ns=_OWN_NS, tags={"description": "only with all of these tags"}
        ),
        (),
        {"memories": LIST},
        _list,
        show_list,
        of_show=("budget",),
        unlisted={
            **arguments(
                "list",
                "kind tier key_prefix priority pinned after before valid_at source_user "
                "source_kind source_scope source_client file deleted offset",
                priority={"description": "only with this priority"},
            ),
            "budget": _BUDGET,
        },
    ),
    McpTool(
        "ghost_expand",
        "Open summaries",
        "List summaries and groups without one, or open one by its key.",
        arguments("expand", "ns key", **_about(key="a summary to open")),
        (),
        {"children": LIST},
        lambda ghost, given: plain(ghost.expand(**given)),
        show_expanded,
        of_show=("offset", "budget"),
        unlisted={
            **arguments("expand", "depth", depth={"maximum": MAX_DEPTH}),
            "offset": _OFFSET,
            "budget": _BUDGET,
        },
    ),
    McpTool(
        "ghost_consolidate",
        "Summarise",
        "Store a summary of several memories, which are kept.",
        arguments(
            "consolidate",
            "ns summary_key content source_keys kind importance tags",
            source_keys={"minItems": 2, "description": "keys it sums up"},
            **_about(
                content="the summary",
                kind="default semantic",
                importance="0 to 1, default 0.7",
            ),
        ),
        ("summary_key", "content", "source_keys"),
        {"summary": _OBJECT},
        lambda ghost, given: plain(ghost.consolidate(**given)),
        show_consolidation,
        WRITE,
    ),
    McpTool(
        "ghost_curate",
        "Curate one memory",
        "Change one memory or delete it; `used` says that it helped.",
        arguments(
            "curate",
            "ns key op",
            op={
                "enum": [*OPS, "used"],
                "description": "archive hides it; boost, diminish: importance",
            },
        ),
        ("key", "op"),
        {"op": TEXT},
        _curate,
        show_curated,
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
        {"edges": LIST},
        _edge,
        show_edges,
        {**CHANGE, "idempotentHint": True},
    ),
    McpTool(
        "ghost_reflect",
        "Tidy up",
        "Run the lifecycle rules: promote, fade, archive, link.",
        arguments("reflect", "ns dry_run", ns=_OWN_NS),
        (),
        {"linked_clusters": LIST},
        _reflect,
        show_report,
        CHANGE,
        of_show=("offset",),
        unlisted={**arguments("reflect", "relink"), "offset": _OFFSET},
    ),
    McpTool(
        "ghost_edge_candidates",
        "Pairs to classify",
        "Similar pairs to judge: commit caused_by, prevents or implies with ghost_edge.",
        arguments("edge_candidates", "ns max_pairs seed"),
        (),
        {"candidates": LIST},
        _candidates,
        show_candidates,
        of_show=("budget",),
        unlisted={"offset": _OFFSET, "budget": _BUDGET},
    ),
)


EDIT: tuple[McpTool, ...] = (
    McpTool(
        "ghost_history",
        "Versions of a memory",
        "List all versions of a memory, newest first, even of a deleted one.",
        arguments("get", "ns key"),
        ("key",),
        {"versions": LIST},
        _history,
        show_history,
    ),
    McpTool(
        "ghost_restore",
        "Restore a memory",
        "Bring back a deleted memory, or make an earlier version the newest.",
        arguments(
            "restore",
            "ns key version",
            version={"description": "the version to go back to; default: the deleted one"},
        ),
        ("key",),
        _STORED,
        lambda ghost, given: {**plain(ghost.restore(**given)), "outcome": "restored"},
        show_put,
        WRITE,
    ),
    McpTool(
        "ghost_patch",
        "Edit a memory",
        "Change some lines of a memory by a unified diff; all other lines stay as they are. "
        "Read it with ghost_get first: the context must match.",
        {
            **arguments("patch", "ns key"),
            "patch": described(TEXT, "unified diff with @@ hunks against the current content"),
            **arguments("patch", "base_version dry_run"),
        },
        ("key", "patch"),
        _STORED,
        lambda ghost, given: plain(ghost.patch(diff=given.pop("patch"), **given)),
        show_patch,
        WRITE,
    ),
)


TRUTH: tuple[McpTool, ...] = (
    McpTool(
        "ghost_conflicts",
        "Open contradictions",
        "Unresolved contradictions between memories, and memories that may be stale.",
        arguments("timeline", "ns"),
        (),
        {"conflicts": LIST, "maybe_stale": LIST},
        lambda ghost, given: plain(ghost.conflicts(**given)),
        show_conflicts,
    ),
    McpTool(
        "ghost_resolve",
        "Decide a contradiction",
        "Keep one memory and retire those it contradicts; ask the user first if it is about "
        "their statements. Nothing is deleted.",
        arguments("resolve", "ns keep other both"),
        ("keep",),
        {"keeps": TEXT, "closed": LIST},
        lambda ghost, given: plain(ghost.resolve(**given)),
        None,
        WRITE,
    ),
    McpTool(
        "ghost_timeline",
        "How a fact evolved",
        "Every version, correction and ending of a key, or of what a question finds, oldest first.",
        arguments("timeline", "ns what"),
        ("what",),
        {"events": LIST},
        lambda ghost, given: {"events": plain(ghost.timeline(**given))},
        show_timeline,
    ),
)


def make_tools(toolset: str, _: Path) -> tuple[McpTool, ...]:
    """Return the tools of a toolset."""
    return {"memory": MEMORY, "edit": EDIT, "truth": TRUTH}[toolset]
