"""The REST interface as a table: path, scope, fields and function of each route."""

from collections.abc import Iterator
from typing import Any

from ghostmem.caller import CALLER, require
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.ghost import Ghost
from ghostmem.lifecycle.run_log import find_run
from ghostmem.model import FileRel, Pack, Rule, Run, Tier
from ghostmem.parameters import MAX_PATH
from ghostmem.text.excerpt import summary_line
from ghostmem.text.render import render
from ghostmem.web.route import (
    ALL,
    FILTER_TAGS,
    FILTERS,
    KEYED,
    LIMIT,
    NS,
    NS_FILTER,
    ONE,
    OWN,
    RELS,
    SEVERAL,
    ApiRoute,
    Fields,
    Given,
    fields,
    listed,
    text,
    without_places,
)
from ghostmem.web.viewer_routes import VIEWER_ROUTES

MAX_SUMMARY = 200  # characters of a memory that a context left out


def _put(ghost: Ghost, given: Given) -> Any:
    given = _with_files(given)
    return ghost.put(given.pop("ns"), given.pop("key"), given.pop("content"), **given)


def _put_many(ghost: Ghost, given: Given) -> Any:
    return ghost.put_many(
        [{**_with_files(item), "ns": given["ns"]} for item in given["memories"]],
        judge=given.get("judge", True),
    )


def _with_files(given: Given) -> Given:
    """Return the fields of a put with its files as pairs."""
    pairs = [(file["path"], file.get("rel", "modified")) for file in given.get("files", ())]
    return given | ({"files": pairs} if "files" in given else {})


def _rm(ghost: Ghost, given: Given) -> Any:
    if given.get("hard") and not given.get("dry_run"):
        require(given["ns"], "admin")
    return without_places(ghost.rm(**given), given["ns"])


def _search(ghost: Ghost, given: Given) -> Any:
    query = given.pop("query")
    if not query.strip():
        raise InvalidInputError("query is empty", 'send a question, such as "when do we deploy?"')
    hits = ghost.search(query, given.pop("ns", None), **given)
    return {
        "results": list(hits),
        "weaker": len(hits.weaker),
        "legs": hits.legs,
        "notes": hits.notes,
        **({} if hits.complete else {"complete": False}),
        **({"superseded": hits.superseded} if hits.superseded else {}),
        **({"misses": hits.misses} if given.get("explain") else {}),
    }


def _context(ghost: Ghost, given: Given) -> Any:
    """Return a pack; with `render`, also as text for a prompt."""
    style, with_texts = given.pop("render", None), given.pop("texts", False)
    pack = ghost.context(**given)
    if style is None and not with_texts:
        return pack
    body = pack.to_dict()
    if style is not None:
        body["text"] = render(pack, style)
    if with_texts and pack.left_out:
        body["left_out"] = list(_left_out(ghost, pack))
    return body


def _left_out(ghost: Ghost, pack: Pack) -> Iterator[dict[str, Any]]:
    """Yield what was left out, with the first line of each memory, which is not counted as read."""
    with ghost.store.engine.read() as tx:
        for entry in pack.left_out:
            memory = tx.memories.last(entry.ns, entry.key)
            yield {
                **entry.to_dict(),
                "summary": summary_line(memory.content, MAX_SUMMARY) if memory else "",
            }


def _namespaces(ghost: Ghost, given: Given) -> Any:
    return {
        "namespaces": [
            info
            for info in ghost.admin.namespaces(given.get("ns"))
            if CALLER.get().may(info.ns, "read")
        ]
    }


def _stats(ghost: Ghost, _: Given) -> Any:
    found = ghost.admin.stats().to_dict()
    del found["db_path"]  # callers need not know where the server keeps its file
    return found


def _visible(ghost: Ghost, need: str) -> list[Run]:
    return [run for run in ghost.lifecycle.runs(limit=10_000) if CALLER.get().may(run.scope, need)]


def _undo(ghost: Ghost, given: Given) -> Any:
    """Revert a run that the caller may change; other runs are treated as missing."""
    name, need = given["run"], "read" if given.get("dry_run") else "write"
    run = (
        next((run for run in _visible(ghost, need) if run.undone_at is None), None)
        if name == "last"
        else find_run(ghost.store, name)
    )
    if run is None or not CALLER.get().may(run.scope, need):
        raise NotFoundError("there is no such run", "GET /api/v1/runs lists them")
    return ghost.lifecycle.undo(run.id, dry_run=given.get("dry_run", False))


def _rule(ghost: Ghost, rule_id: str, need: str) -> Rule:
    """Return a rule that the caller may use; other rules are treated as missing.

    Everybody may read rules for all namespaces.
    """
    found = next((rule for rule in ghost.lifecycle.rules() if rule.id == rule_id), None)
    if found is None or not (CALLER.get().may(found.ns, need) or (need == "read" and not found.ns)):
        raise NotFoundError("there is no such rule", "GET /api/v1/rules lists them")
    return found


def _rules(ghost: Ghost, given: Given) -> Any:
    return {
        "rules": [
            rule
            for rule in ghost.lifecycle.rules(given.get("ns"))
            if not rule.ns or CALLER.get().may(rule.ns, "read")
        ]
    }


def _set_rule(ghost: Ghost, given: Given) -> Any:
    require(given.get("ns", ""), "admin")
    if "rule_id" in given and not CALLER.get().may("", "admin"):
        _rule(ghost, given["rule_id"], "admin")
    return ghost.lifecycle.set_rule(given.pop("name"), given.pop("action"), **given)


_MEMORY = "/memories/{ns}/{key}"
_RULE = "/rules/{rule_id}"
_RULE_ID: Fields = {"rule_id": text("Id of the rule.")}
_TIERS = {"maxItems": len(Tier), "items": {"type": "string", "enum": [str(tier) for tier in Tier]}}
_FILES = {
    "items": {
        "type": "object",
        "properties": {
            "path": text("Path.", MAX_PATH, 1),
            "rel": {
                "type": "string",
                "description": "What was done to it.",
                "enum": [str(rel) for rel in FileRel],
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    }
}
_PUT: Fields = fields(
    "put",
    "content kind tier tags priority importance pinned meta files source_user "
    "source_kind source_scope source_client created_at valid_from valid_to ttl "
    "base_version unlock dedup supersedes allow_secrets",
    files=_FILES,
)
MAX_BATCH = 500  # memories of one request, which are checked before any is stored
_MEMORIES = {
    "type": "array",
    "description": "The memories, with the fields of a put of one.",
    "minItems": 1,
    "maxItems": MAX_BATCH,
    "items": {
        "type": "object",
        "properties": {**fields("get", "key"), **_PUT},
        "required": ["key", "content"],
        "additionalProperties": False,
    },
}
_ENDS: Fields = fields("edge", "ns from_key to_key rel", rel=RELS)

ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        "PUT",
        _MEMORY,
        "write",
        ONE,
        "Store a memory, or its next version.",
        _put,
        {**KEYED, **_PUT},
        ("content",),
    ),
    ApiRoute(
        "POST",
        "/memories",
        "write",
        ONE,
        f"Store up to {MAX_BATCH} memories of one namespace.",
        _put_many,
        {**NS, "memories": _MEMORIES, **fields("put_many", "judge")},
        ("ns", "memories"),
    ),
    ApiRoute(
        "GET",
        _MEMORY,
        "read",
        ONE,
        "Read a memory.",
        lambda g, a: g.get(**a),
        {**KEYED, **fields("get", "version as_of")},
    ),
    ApiRoute(
        "PATCH",
        _MEMORY,
        "write",
        ONE,
        "Change a memory with a unified diff.",
        lambda g, a: g.patch(**a),
        {**KEYED, **fields("patch", "diff base_version dry_run unlock allow_secrets")},
        ("diff",),
    ),
    ApiRoute(
        "DELETE",
        _MEMORY,
        "write",
        ONE,
        "Delete a memory; `hard` needs the scope admin.",
        _rm,
        {**KEYED, **fields("rm", "hard all_versions unlock dry_run")},
    ),
    ApiRoute(
        "GET",
        f"{_MEMORY}/history",
        "read",
        ONE,
        "List every version of a memory.",
        listed("versions", lambda g, a: g.history(**a)),
        KEYED,
    ),
    ApiRoute(
        "POST",
        f"{_MEMORY}/restore",
        "write",
        ONE,
        "Restore a deleted memory or an earlier version.",
        lambda g, a: g.restore(**a),
        {**KEYED, **fields("restore", "version unlock")},
    ),
    ApiRoute(
        "POST",
        f"{_MEMORY}/curate",
        "write",
        ONE,
        "Promote, demote, pin, lock or archive a memory.",
        lambda g, a: g.curate(**a),
        {**KEYED, **fields("curate", "op unlock")},
        ("op",),
    ),
    ApiRoute(
        "GET",
        "/memories",
        "read",
        SEVERAL,
        "List memories, newest first.",
        listed("memories", lambda g, a: g.list(**a)),
        {
            **NS_FILTER,
            **fields(
                "list",
                f"{FILTERS} tier key_prefix deleted limit offset",
                tags=FILTER_TAGS,
            ),
        },
    ),
    ApiRoute(
        "POST",
        "/search",
        "read",
        SEVERAL,
        "Find memories by words and by meaning.",
        _search,
        {
            **NS_FILTER,
            **fields(
                "search",
                f"query {FILTERS} tiers include_all limit min_score weak explain now as_of",
                tags=FILTER_TAGS,
                tiers=_TIERS,
            ),
        },
        ("query",),
    ),
    ApiRoute(
        "POST",
        "/context",
        "read",
        SEVERAL,
        "Return the memories to read for a task, within a token budget.",
        _context,
        {
            **NS_FILTER,
            **fields(
                "context",
                f"query {FILTERS} tiers include_all budget files exclude_pinned min_score "
                "min_spread max_memory_tokens expand whole for_user for_scope now as_of",
                tags=FILTER_TAGS,
                tiers=_TIERS,
                files={"items": {"type": "string", "maxLength": MAX_PATH}},
            ),
            "render": {
                "type": "string",
                "description": "Add the pack as text that is safe in a prompt.",
                "enum": ["block", "md", "plain"],
            },
            "texts": {
                "type": "boolean",
                "description": "Add the first line of each memory that was left out.",
            },
        },
        ("query",),
    ),
    ApiRoute(
        "GET",
        "/conflicts",
        "read",
        SEVERAL,
        "List unresolved contradictions.",
        lambda g, a: g.conflicts(**a),
        NS_FILTER,
    ),
    ApiRoute(
        "POST",
        "/resolve",
        "write",
        ONE,
        "Decide a contradiction.",
        lambda g, a: g.resolve(**a),
        fields("resolve"),
        ("ns", "keep"),
    ),
    ApiRoute(
        "POST",
        f"{_MEMORY}/reopen",
        "write",
        ONE,
        "Make a retired memory valid again.",
        lambda g, a: g.reopen(**a),
        {**KEYED, **fields("reopen", "unlock")},
    ),
    ApiRoute(
        "GET",
        "/timeline",
        "read",
        ONE,
        "Show how a key, or the memories that answer a question, changed.",
        listed("events", lambda g, a: g.timeline(**a)),
        fields("timeline", what={"minLength": 1}),
        ("ns", "what"),
    ),
    ApiRoute(
        "POST",
        "/used",
        "write",
        ONE,
        "Record which memories helped.",
        listed("used", lambda g, a: g.used(**a)),
        fields("used"),
        ("ns", "keys"),
    ),
    ApiRoute(
        "GET",
        "/edges",
        "read",
        ONE,
        "List the links of a memory, or of a namespace.",
        listed("edges", lambda g, a: g.edges(**a)),
        {**KEYED, **fields("edges", "rel", rel=RELS)},
        ("ns",),
    ),
    ApiRoute(
        "POST",
        "/edges",
        "write",
        ONE,
        "Link two memories.",
        lambda g, a: g.edge(**a),
        {**_ENDS, **fields("edge", "weight")},
        tuple(_ENDS),
    ),
    ApiRoute(
        "DELETE",
        "/edges",
        "write",
        ONE,
        "Remove a link.",
        lambda g, a: g.graph.rm_edge(**a),
        _ENDS,
        tuple(_ENDS),
    ),
    ApiRoute(
        "GET",
        "/edges/candidates",
        "read",
        ONE,
        "List pairs of similar memories whose relation is unknown.",
        lambda g, a: g.graph.edge_candidates(**a),
        fields("edge_candidates", seed={"maxItems": 50}),
        ("ns",),
    ),
    ApiRoute(
        "GET",
        "/clusters",
        "read",
        ONE,
        "Show groups of similar memories.",
        listed("clusters", lambda g, a: g.clusters(**a)),
        NS,
        ("ns",),
    ),
    ApiRoute(
        "POST",
        "/consolidate",
        "write",
        ONE,
        "Store a summary of several memories.",
        lambda g, a: g.consolidate(**a),
        fields("consolidate"),
        ("ns", "summary_key", "content", "source_keys"),
    ),
    ApiRoute(
        "GET",
        "/expand",
        "read",
        ONE,
        "List summaries, or the memories that one summarises.",
        lambda g, a: g.expand(**a),
        {**KEYED, **fields("expand", "depth")},
        ("ns",),
    ),
    ApiRoute(
        "POST",
        "/reflect",
        "write",
        SEVERAL,
        "Run the lifecycle rules.",
        lambda g, a: g.reflect(**a),
        {**NS_FILTER, **fields("reflect", "dry_run relink")},
    ),
    ApiRoute(
        "GET",
        "/runs",
        "read",
        OWN,
        "List the lifecycle runs, newest first.",
        lambda g, a: {"runs": _visible(g, "read")[: a.get("limit", 20)]},
        LIMIT,
    ),
    ApiRoute(
        "POST", "/undo", "write", OWN, "Revert a lifecycle run.", _undo, fields("undo"), ("run",)
    ),
    ApiRoute("GET", "/rules", "read", OWN, "List the rules, highest priority first.", _rules, NS),
    ApiRoute(
        "POST",
        "/rules",
        "admin",
        OWN,
        "Add a rule, or replace one.",
        _set_rule,
        fields("set_rule", name={"minLength": 1}, rule_id={"minLength": 1}),
        ("name", "action"),
    ),
    ApiRoute(
        "GET",
        _RULE,
        "read",
        OWN,
        "Show a rule.",
        lambda g, a: _rule(g, a["rule_id"], "read"),
        _RULE_ID,
    ),
    ApiRoute(
        "DELETE",
        _RULE,
        "admin",
        OWN,
        "Delete a rule, or disable a built-in one.",
        lambda g, a: {"deleted": g.lifecycle.rm_rule(_rule(g, a["rule_id"], "admin").id).id},
        _RULE_ID,
    ),
    ApiRoute(
        "GET",
        "/tags",
        "read",
        SEVERAL,
        "List tags, most used first.",
        listed("tags", lambda g, a: g.admin.tags(**a)),
        NS_FILTER,
    ),
    ApiRoute(
        "GET",
        "/namespaces",
        "read",
        OWN,
        "List namespaces with their counts.",
        _namespaces,
        NS_FILTER,
    ),
    ApiRoute(
        "GET",
        "/files",
        "read",
        SEVERAL,
        "List memories about a file.",
        listed("memories", lambda g, a: g.files(**a)),
        {**NS_FILTER, **fields("files", "path rel limit")},
        ("path",),
    ),
    ApiRoute(
        "GET",
        "/peek",
        "read",
        SEVERAL,
        "Show an overview of a namespace.",
        lambda g, a: g.admin.peek(**a),
        NS_FILTER,
    ),
    ApiRoute("GET", "/stats", "read", ALL, "Return counts and sizes of the store.", _stats, {}),
    ApiRoute(
        "GET",
        "/check",
        "admin",
        ALL,
        "Check the store for corruption.",
        lambda g, _: g.admin.check(),
        {},
    ),
    ApiRoute(
        "GET",
        "/export",
        "admin",
        SEVERAL,
        "Write all memories as JSON lines.",
        lambda g, a: g.export(**a),
        NS_FILTER,
        streams=True,
    ),
    *VIEWER_ROUTES,
)
