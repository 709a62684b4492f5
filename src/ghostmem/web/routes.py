"""The REST surface as a table: what is called how, what it needs, and which method of
Ghost it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ghostmem.caller import CALLER, require
from ghostmem.errors import NotFoundError
from ghostmem.model import plain
from ghostmem.web import fields as f
from ghostmem.web.fields import Fields
from ghostmem.web.looks import LOOKS
from ghostmem.web.route import ALL, ONE, OWN, SEVERAL, Given, Route, listed, without_places

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost
    from ghostmem.model import Rule, Run


def _put(ghost: Ghost, given: Given) -> Any:
    if "files" in given:
        given["files"] = [(file["path"], file.get("rel", "modified")) for file in given["files"]]
    return ghost.put(given.pop("ns"), given.pop("key"), given.pop("content"), **given)


def _rm(ghost: Ghost, given: Given) -> Any:
    if given.get("hard") and not given.get("dry_run"):
        require(given["ns"], "admin")
    return without_places(ghost.rm(**given), given["ns"])


def _search(ghost: Ghost, given: Given) -> Any:
    hits = ghost.search(given.pop("query"), given.pop("ns", None), **given)
    found = {
        "results": list(hits),
        "weaker": len(hits.weaker),
        "legs": hits.legs,
        "notes": hits.notes,
    }
    found |= {"superseded": hits.superseded} if hits.superseded else {}
    return {**found, "misses": hits.misses} if given.get("explain") else found


def _context(ghost: Ghost, given: Given) -> Any:
    """Assemble a context; where a style is named, also as the text that may stand in a prompt."""
    style = given.pop("render", None)
    pack = ghost.context(**given)
    if style is None:
        return pack
    from ghostmem.text.render import render

    return pack.to_dict() | {"text": render(pack, style)}


def _namespaces(ghost: Ghost, given: Given) -> Any:
    caller = CALLER.get()
    return {
        "namespaces": [
            info for info in ghost.namespaces(given.get("ns")) if caller.may(info.ns, "read")
        ]
    }


def _stats(ghost: Ghost, _: Given) -> Any:
    found = ghost.stats().to_dict()
    del found["db_path"]  # where the server keeps its file is nobody's business
    return found


def _runs(ghost: Ghost, given: Given) -> Any:
    return {"runs": _visible(ghost, "read")[: given.get("limit", 20)]}


def _visible(ghost: Ghost, need: str) -> list[Run]:
    return [run for run in ghost.runs(limit=10_000) if CALLER.get().may(run.scope, need)]


def _undo(ghost: Ghost, given: Given) -> Any:
    """Take back a run of those that the caller may change, or say what that would do.

    Of other runs nothing is said.
    """
    name = given["run"]
    mine = _visible(ghost, "read" if given.get("dry_run") else "write")
    if name == "last":
        found = [run for run in mine if run.undone_at is None][:1]
    else:
        found = [run for run in mine if run.id == name.upper()]
    if not found:
        raise NotFoundError("there is no such run", "GET /api/v1/runs lists them")
    return ghost.undo(found[0].id, dry_run=given.get("dry_run", False))


def _rule(ghost: Ghost, rule_id: str, need: str) -> Rule:
    """Return a rule that the caller may see or change; of others nothing is said.

    Rules for all may be seen by everybody.
    """
    found = next((rule for rule in ghost.rules() if rule.id == rule_id), None)
    if found is None or not (CALLER.get().may(found.ns, need) or (need == "read" and not found.ns)):
        raise NotFoundError("there is no such rule", "GET /api/v1/rules lists them")
    return found


def _rules(ghost: Ghost, given: Given) -> Any:
    caller = CALLER.get()
    return {
        "rules": [
            rule
            for rule in ghost.rules(given.get("ns"))
            if not rule.ns or caller.may(rule.ns, "read")
        ]
    }


def _set_rule(ghost: Ghost, given: Given) -> Any:
    require(given.get("ns", ""), "admin")
    if "rule_id" in given and not CALLER.get().may("", "admin"):
        _rule(ghost, given["rule_id"], "admin")
    return ghost.set_rule(given.pop("name"), given.pop("action"), **given)


def _rm_rule(ghost: Ghost, given: Given) -> Any:
    return {"deleted": ghost.rm_rule(_rule(ghost, given["rule_id"], "admin").id).id}


def _export(ghost: Ghost, given: Given) -> Iterator[str]:
    return ghost.export(given.get("ns"))


_MEMORY = "/memories/{ns}/{key}"
_RULE = "/rules/{rule_id}"
_RULE_ID: Fields = {"rule_id": f.text("The rule's id.")}
_GET: Fields = {**f.KEYED, "version": f.whole("A version."), "as_of": f.TIME}
_LIST: Fields = {**f.NS_FILTER, **f.NARROW, **f.LISTED}

ROUTES: tuple[Route, ...] = (
    Route(
        "PUT",
        _MEMORY,
        "write",
        ONE,
        "Store a memory, or its next version.",
        _put,
        {**f.KEYED, **f.PUT},
        ("content",),
    ),
    Route("GET", _MEMORY, "read", ONE, "Read a memory.", lambda g, a: g.get(**a), _GET),
    Route(
        "PATCH",
        _MEMORY,
        "write",
        ONE,
        "Change a memory by a unified diff.",
        lambda g, a: g.patch(**a),
        {
            **f.KEYED,
            "diff": {"type": "string", "description": "A unified diff whose context must match."},
            "base_version": f.whole("Only if this is the current version.", 1),
            "dry_run": f.DRY_RUN,
            "unlock": f.UNLOCK,
        },
        ("diff",),
    ),
    Route(
        "DELETE",
        _MEMORY,
        "write",
        ONE,
        "Remove a memory, softly; `hard` needs the scope admin.",
        _rm,
        {
            **f.KEYED,
            "hard": f.flag("For good."),
            "all_versions": f.flag("With `hard`: every version."),
            "unlock": f.UNLOCK,
            "dry_run": f.DRY_RUN,
        },
    ),
    Route(
        "GET",
        f"{_MEMORY}/history",
        "read",
        ONE,
        "List every version of a memory.",
        listed("versions", lambda g, a: g.history(**a)),
        f.KEYED,
    ),
    Route(
        "POST",
        f"{_MEMORY}/restore",
        "write",
        ONE,
        "Bring back a removed memory or an earlier version.",
        lambda g, a: g.restore(**a),
        {**f.KEYED, "version": f.whole("A version."), "unlock": f.UNLOCK},
    ),
    Route(
        "POST",
        f"{_MEMORY}/curate",
        "write",
        ONE,
        "Promote, demote, pin, lock or archive a memory.",
        lambda g, a: g.curate(**a),
        {**f.KEYED, **f.OP, "unlock": f.UNLOCK},
        ("op",),
    ),
    Route(
        "GET",
        "/memories",
        "read",
        SEVERAL,
        "List memories, newest first.",
        listed("memories", lambda g, a: g.list(**a)),
        _LIST,
    ),
    Route(
        "POST",
        "/search",
        "read",
        SEVERAL,
        "Find memories by words and by meaning.",
        _search,
        {"query": f.QUERY, **f.NS_FILTER, **f.NARROW, **f.SEARCH},
        ("query",),
    ),
    Route(
        "POST",
        "/context",
        "read",
        SEVERAL,
        "Assemble what to read now, within a budget of tokens.",
        _context,
        {
            "query": f.QUERY,
            **f.NS_FILTER,
            **f.NARROW,
            **f.CONTEXT,
            "render": f.one_of("Also as text that is safe in a prompt.", ("block", "md")),
        },
        ("query",),
    ),
    Route(
        "GET",
        "/conflicts",
        "read",
        SEVERAL,
        "List what contradicts each other and is not decided.",
        lambda g, a: g.conflicts(**a),
        f.NS_FILTER,
    ),
    Route(
        "POST",
        "/resolve",
        "write",
        ONE,
        "Let one memory hold and end what it contradicts.",
        lambda g, a: g.resolve(**a),
        {
            **f.NS,
            "keep": f.text("The key that holds."),
            "other": f.text("The key that ends; nothing: all it contradicts."),
            "both": f.flag("Both hold."),
            "unlock": f.UNLOCK,
        },
        ("ns", "keep"),
    ),
    Route(
        "POST",
        f"{_MEMORY}/reopen",
        "write",
        ONE,
        "Let a memory that was closed hold again.",
        lambda g, a: g.reopen(**a),
        f.KEYED,
    ),
    Route(
        "GET",
        "/timeline",
        "read",
        ONE,
        "Show how a key, or what a question finds, evolved.",
        listed("events", lambda g, a: g.timeline(**a)),
        {**f.NS, "what": f.text("A key or a question.", 100_000, 1)},
        ("ns", "what"),
    ),
    Route(
        "POST",
        "/used",
        "write",
        ONE,
        "Say which memories really helped.",
        listed("used", lambda g, a: g.used(**a)),
        {**f.NS, "keys": f.texts("Their keys.")},
        ("ns", "keys"),
    ),
    Route(
        "GET",
        "/edges",
        "read",
        ONE,
        "List the links of a memory, or of a namespace.",
        listed("edges", lambda g, a: g.edges(**a)),
        {**f.KEYED, **f.REL},
        ("ns",),
    ),
    Route(
        "POST",
        "/edges",
        "write",
        ONE,
        "Link two memories.",
        lambda g, a: g.edge(**a),
        {**f.ENDS, "weight": f.number("From 0 to 1.")},
        tuple(f.ENDS),
    ),
    Route(
        "DELETE",
        "/edges",
        "write",
        ONE,
        "Remove a link.",
        lambda g, a: g.rm_edge(**a),
        f.ENDS,
        tuple(f.ENDS),
    ),
    Route(
        "GET",
        "/edges/candidates",
        "read",
        ONE,
        "List alike pairs, for somebody to say how they relate.",
        lambda g, a: g.edge_candidates(**a),
        {
            **f.NS,
            "max_pairs": f.whole("At most so many.", 1, 1000),
            "seed": f.texts("Only pairs with one of these keys.", 50),
        },
        ("ns",),
    ),
    Route(
        "GET",
        "/clusters",
        "read",
        ONE,
        "Show groups of memories that are alike.",
        listed("clusters", lambda g, a: g.clusters(**a)),
        f.NS,
        ("ns",),
    ),
    Route(
        "POST",
        "/consolidate",
        "write",
        ONE,
        "Store a summary that stands for several memories.",
        lambda g, a: g.consolidate(**a),
        {
            **f.NS,
            "summary_key": f.text("The key of the summary."),
            "content": f.CONTENT,
            "source_keys": f.texts("The keys of what it stands for."),
            "kind": f.STORED["kind"],
            "importance": f.STORED["importance"],
            "tags": f.STORED["tags"],
        },
        ("ns", "summary_key", "content", "source_keys"),
    ),
    Route(
        "GET",
        "/expand",
        "read",
        ONE,
        "List summaries, or show what one stands for.",
        lambda g, a: g.expand(**a),
        {**f.KEYED, "depth": f.whole("How many levels.", 1, 200)},
        ("ns",),
    ),
    Route(
        "POST",
        "/reflect",
        "write",
        SEVERAL,
        "Run the rules of the lifecycle.",
        lambda g, a: g.reflect(**a),
        {
            **f.NS_FILTER,
            "dry_run": f.DRY_RUN,
            "relink": f.flag("Also link what shares names, topics or meaning."),
        },
    ),
    Route(
        "GET",
        "/runs",
        "read",
        OWN,
        "List the runs of the lifecycle, newest first.",
        _runs,
        {"limit": f.LIMIT},
    ),
    Route(
        "POST",
        "/undo",
        "write",
        OWN,
        "Take back a run of the lifecycle.",
        _undo,
        {"run": f.text("The run's id, or `last`.", 64), "dry_run": f.DRY_RUN},
        ("run",),
    ),
    Route("GET", "/rules", "read", OWN, "List the rules, most urgent first.", _rules, f.NS),
    Route(
        "POST",
        "/rules",
        "admin",
        OWN,
        "Add a rule, or put it in the place of one.",
        _set_rule,
        f.RULE,
        ("name", "action"),
    ),
    Route(
        "GET",
        _RULE,
        "read",
        OWN,
        "Show one rule.",
        lambda g, a: _rule(g, a["rule_id"], "read"),
        _RULE_ID,
    ),
    Route(
        "DELETE",
        _RULE,
        "admin",
        OWN,
        "Delete a rule; a built-in one is switched off.",
        _rm_rule,
        _RULE_ID,
    ),
    Route(
        "GET",
        "/tags",
        "read",
        SEVERAL,
        "List tags, most used first.",
        listed("tags", lambda g, a: g.tags(**a)),
        f.NS_FILTER,
    ),
    Route(
        "GET",
        "/namespaces",
        "read",
        OWN,
        "List namespaces with their counts.",
        _namespaces,
        f.NS_FILTER,
    ),
    Route(
        "GET",
        "/files",
        "read",
        SEVERAL,
        "List memories about a file.",
        listed("memories", lambda g, a: g.files(**a)),
        {
            **f.NS_FILTER,
            "path": f.text("The file's path.", 4096),
            "rel": f.NARROW["file_rel"],
            "limit": f.LIMIT,
        },
        ("path",),
    ),
    Route(
        "GET",
        "/peek",
        "read",
        SEVERAL,
        "Show what a namespace knows, at a glance.",
        lambda g, a: g.peek(**a),
        f.NS_FILTER,
    ),
    Route("GET", "/stats", "read", ALL, "Count what the store holds.", _stats, {}),
    Route("GET", "/check", "admin", ALL, "Check the store for damage.", lambda g, _: g.check(), {}),
    Route(
        "GET",
        "/export",
        "admin",
        SEVERAL,
        "Write everything as lines of JSON.",
        _export,
        f.NS_FILTER,
        streams=True,
    ),
    *LOOKS,
)


def answer(route: Route, ghost: Ghost, given: Given) -> Any:
    """Make a call and return what JSON can hold."""
    return plain(route.call(ghost, given))
