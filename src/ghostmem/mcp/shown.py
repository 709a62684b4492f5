"""Choose the fields of a result that are sent to a client, within a token budget.

Each function takes the whole result of a tool and the arguments of the call. The texts in
`result_texts.py` are made of what these functions return, so that both forms say the same.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ghostmem.mcp.budget import (
    MAX_MEMORY,
    MAX_RESULT,
    MIN_EXCERPT,
    Row,
    content_tokens,
    fit_rows,
    sent_tokens,
    start_of,
)
from ghostmem.mcp.result_texts import counted, result_text
from ghostmem.mcp.tool import Arguments, Result, nonempty
from ghostmem.model import HEARSAY, THREAD
from ghostmem.text.excerpt import first_line

LINE = 200  # characters of a memory in a list
DATE = 10  # characters of a date
MAX_NOTES = 10  # notes on a reflection, and its errors
WORDS_ONLY = (
    "some memories were searched by words only, because they have no vectors yet; "
    "ask again in a moment"
)
WHOLE = "contents are cut at ...: ghost_get reads one whole"
MIN_LARGER_BUDGET = 200  # tokens; in a smaller context, few memories fit
_FOR_PEOPLE = "`ghost "  # a note with a command is meant for people
# fields that a put can set, with the defaults that are not worth showing
_DEFAULTS: Mapping[str, Any] = {
    "priority": "normal",
    "importance": 0.5,
    "pinned": False,
    "tags": [],
    "meta": {},
    "source_user": None,
    "source_kind": None,
    "source_scope": None,
}
_LONG = frozenset(("meta", "files", "tags"))  # fields that may be longer than a result
_TIMES = ("expires_at", "valid_from", "valid_to", "deleted_at")
_COUNTS = (
    "promoted",
    "demoted",
    "decayed",
    "archived",
    "deleted",
    "merged",
    "deduplicated",
    "linked",
    "pinned",
    "expiring",
    "edges_decayed",
    "edges_pruned",
    "relinked",
)


def _fields(source: Mapping[str, Any], *names: str) -> Row:
    return {name: source[name] for name in names if name in source}


def show_put(found: Result, _: Arguments) -> Result:
    """Return where a memory went, how it relates to others, and what was redacted."""
    shown = _fields(found, "ns", "key", "version", "outcome")
    if verdict := found.get("verdict"):
        shown["verdict"] = {
            **_fields(verdict, "kind", "key", "content"),
            **nonempty(tentative=bool(verdict.get("evidence", {}).get("tentative"))),
        }
    if "requested_key" in found:
        shown |= {"requested_key": found["requested_key"], "deduplicated": True}
    is_held = found.get("outcome") == "quarantined"
    return {
        **shown,
        **nonempty(
            notes=[note for note in found.get("notes", ()) if is_held or _FOR_PEOPLE not in note]
        ),
    }


def show_patch(found: Result, given: Arguments) -> Result:
    """Return the version that a patch made, or the text that it would make."""
    shown = show_put(found, given)
    if given.get("dry_run"):
        shown |= {"dry_run": True, "content": start_of(found["content"], MAX_RESULT - 100)}
    return shown


def show_get(found: Result, given: Arguments) -> Result:
    """Return a memory with the fields that differ from the defaults; a long one in parts."""
    shown = _fields(found, "ns", "key", "version", "created_at", "kind", "tier")
    shown["created_at"] = found["created_at"][:DATE]
    is_hidden = found.get("source_kind") in HEARSAY or THREAD in found.get("meta", ())
    for name, default in _DEFAULTS.items():
        # meta is meant for programs; what others wrote there could address the agent
        if found.get(name, default) != default and not (is_hidden and name == "meta"):
            shown[name] = found[name]
    shown |= {name: found[name][:DATE] for name in _TIMES if name in found}
    start = min(given.get("offset", 0), len(found["content"]))
    shown |= nonempty(files=[file["path"] for file in found.get("files", ())], offset=start)
    return _within_limit(shown, found["content"][start:], start)


def _within_limit(shown: Result, rest: str, start: int) -> Result:
    """Return a memory with its content, or with the first part and how to get the next one."""
    whole = {**shown, "content": rest}
    if _size("ghost_get", whole) <= MAX_MEMORY:
        return whole
    end = start + len(rest)
    note = f"characters {end} to {end}: call ghost_get with this key and offset {end}"
    room = MAX_MEMORY - _size("ghost_get", {**shown, "content": "", "left_out": note})
    if room < MIN_EXCERPT and shown.keys() & _LONG:
        note = f"too long to show: {', '.join(sorted(shown.keys() & _LONG))}"
        short = {name: value for name, value in shown.items() if name not in _LONG}
        return _within_limit({**short, "notes": [note]}, rest, start)
    size = min(len(rest), 4 * room)
    while size > 1 and content_tokens(rest[:size]) > room:
        size = max(1, size * room // content_tokens(rest[:size]) - 1)
    line = rest.rfind("\n", size * 9 // 10, size)
    size = line + 1 if line > 0 else size
    note = f"characters {start + size} to {end}: call ghost_get with this key and offset "
    return {**shown, "content": rest[:size], "left_out": f"{note}{start + size}"}


def show_search(found: Result, given: Arguments) -> Result:
    """Return the hits with excerpts around the match, and what narrowly missed if asked."""
    from ghostmem.search.query import match_terms
    from ghostmem.text.focus import excerpt

    terms = match_terms(given["query"])
    chunks = {(hit["ns"], hit["key"]): _chunk(hit) for hit in found["results"]}

    def cut(row: Row, room: int) -> str:
        content, ns = row["content"], str(row.get("ns", given["ns"]))
        return excerpt(
            content, terms, chunks.get((ns, row["key"]), (0, 0)), room, content_tokens
        ) or start_of(content, room)

    explained = bool(given.get("explain"))
    result: Result = {"ns": given["ns"], "results": []}
    if explained:
        result |= {
            "legs": found["legs"],
            **nonempty(misses=[_fields(miss, "key", "score") for miss in found.get("misses", ())]),
        }
    result |= {**_fields(found, "complete", "weaker", "superseded"), **_notes(found)}
    rows = [_hit(hit, given["ns"], explained) for hit in found["results"]]
    call = f"ghost_search with budget {2 * given.get('budget', MAX_RESULT)} or a narrower query"
    weaker = found.get("weaker", 0)
    weak = f"{counted(weaker, 'weaker hits')}: call ghost_search with weak true" if weaker else ""

    def left_out(count: int, is_cut: bool) -> str:
        return "; ".join(filter(None, (_left_out("more hits", call, count, is_cut), weak)))

    return _fitted("ghost_search", "results", rows, result, left_out, given, cut)


def _chunk(hit: Mapping[str, Any]) -> tuple[int, int]:
    start = hit["content"].find(hit["match_chunk"])
    return (start, start + len(hit["match_chunk"])) if start >= 0 else (0, 0)


def _hit(hit: Mapping[str, Any], ns: str, explained: bool) -> Row:
    names = ("id", "kind", "tier", "tags", "path", "note", "weak")
    row = {**_row(hit, ns), "score": round(hit["score"], 2), **nonempty(**_fields(hit, *names))}
    if "path" in hit:
        row["path"] = f"{hit['path']}:{hit['line']}"
    return {**row, **_fields(hit, *(("why",) if explained else ())), "content": hit["content"]}


def _row(memory: Mapping[str, Any], ns: str) -> Row:
    """Return the fields that name a memory; the namespace where it is not the one asked for."""
    kind = memory.get("source_kind")  # shown where it is not the user or the agent
    return {
        **nonempty(ns=memory["ns"] != ns and memory["ns"]),
        **_fields(memory, "key", "version"),
        "created_at": memory["created_at"][:DATE],
        **nonempty(source_user=memory.get("source_user"), source_kind=kind in HEARSAY and kind),
    }


def _left_out(what: str, call: str, count: int, is_cut: bool) -> str:
    more = f"{counted(count, what)}: call {call}" if count else ""
    return "; ".join(filter(None, (more, WHOLE if is_cut else "")))


def _fitted(
    tool: str,
    name: str,
    rows: Sequence[Any],
    result: Result,
    left_out: Callable[[int, bool], str],
    given: Arguments,
    cut: Callable[[Row, int], str] = lambda row, room: start_of(row["content"], room),
) -> Result:
    """Return a result with as many rows as fit the budget of the call, and what was left out.

    Without rows, the result has a list only if it had one before.
    """
    budget = given.get("budget", MAX_RESULT)

    def frame(kept: Sequence[Any]) -> int:
        return _size(tool, {**result, name: kept, "left_out": left_out(len(rows), True)})

    shown = {**result, **nonempty(**{name: list(rows)}, left_out=left_out(0, False))}
    if _size(tool, shown) <= budget:
        return shown
    fitted, is_cut = fit_rows(rows, budget, frame, cut)
    return {
        **result,
        **nonempty(**{name: fitted}, left_out=left_out(len(rows) - len(fitted), is_cut)),
    }


def _leading(tool: str, name: str, lines: Sequence[Any], result: Result) -> list[Any]:
    """Return the first lines, which fit into half of a result."""
    result = _fitted(
        tool, name, lines, {**result, name: []}, lambda *_: "x" * LINE, {"budget": MAX_RESULT // 2}
    )
    return list(result[name])


def _size(tool: str, shown: Result) -> int:
    return sent_tokens(result_text(tool, shown), shown)


def _notes(found: Result) -> Result:
    """Return notes on a read, without the commands for people in them."""
    notes = [
        WORDS_ONLY
        if _FOR_PEOPLE in note and ("vectors" in note or "embeddings" in note)
        else _before_command(note)
        for note in found.get("notes", ())
    ]
    return nonempty(notes=list(dict.fromkeys(notes)))


def _before_command(note: str) -> str:
    before, command, _ = note.partition(_FOR_PEOPLE)
    return before.removesuffix("run ").rstrip(" ;:,(") if command else note


def show_context(found: Result, given: Arguments) -> Result:
    """Return a pack whose two forms both stay within the budget."""
    from ghostmem.context.packer import BUDGET, PINNED

    budget, ns = found["budget"], given["ns"]
    rows = [
        {
            **_row(memory, ns),
            **nonempty(note=memory["why"].get("note"), excerpt=memory["excerpt"]),
            "content": memory["content"],
        }
        for memory in found["memories"]
    ]
    result: Result = {
        "ns": ns,
        "budget": budget,
        "used": budget,
        **_fields(found, "compaction_suggested", "compaction_reason", "complete"),
        **_notes(found),
    }
    unfit = [
        left["key"] for left in found.get("left_out", ()) if left["reason"] in (BUDGET, PINNED)
    ]
    shown = _packed(rows, unfit, result, budget)
    weak = [
        {**_row(hit, ns), "content": first_line(hit["content"], LINE)}
        for hit in (found.get("perhaps", ()) if not unfit else ())
    ]
    with_weak = {**shown, "perhaps": weak}
    if weak and _size("ghost_context", with_weak) <= budget:
        shown = with_weak
    shown["used"] = _size("ghost_context", shown)
    return shown


def _packed(rows: list[Row], unfit: Sequence[str], result: Result, budget: int) -> Result:
    """Return the result with its last memories cut or left out until it fits.

    The first memory stays, also in a budget that is smaller than its name and date.
    """
    rows = list(rows)
    dropped: list[str] = []
    while True:
        left = [*reversed(dropped), *unfit]
        note = nonempty(left_out=left and _unpacked(left, budget))
        shown = {**result, "memories": rows, **note}
        over = _size("ghost_context", shown) - budget
        if over <= 0 or not rows:
            return shown
        last = rows.pop()
        size = content_tokens(last["content"])
        room = size - over - 4  # the mark of an excerpt
        if not rows and room < MIN_EXCERPT:
            rows = [{**last, "content": start_of(last["content"], min(size, MIN_EXCERPT))}]
            return {**result, "memories": rows, **note}
        if room >= MIN_EXCERPT:
            rows.append({**last, "excerpt": True, "content": start_of(last["content"], room)})
        else:
            dropped.append(last["key"])


def _unpacked(keys: Sequence[str], budget: int) -> str:
    more = " and more" if len(keys) > 3 else ""
    call = f"ghost_context with budget {max(2 * budget, MIN_LARGER_BUDGET)}"
    return f"{', '.join(keys[:3])}{more} did not fit: call {call}, or ghost_get"


def show_list(found: Result, given: Arguments) -> Result:
    """Return the first line of each memory, and its tags."""
    ns = given["ns"]
    rows = [
        {
            **_row(memory, ns),
            **nonempty(tags=memory.get("tags"), deleted_at=memory.get("deleted_at", "")[:DATE]),
            "content": first_line(memory["content"], LINE),
        }
        for memory in found["memories"]
    ]
    shown = _fitted(
        "ghost_list", "memories", rows, {"ns": ns, "memories": []}, lambda *_: "x" * LINE, given
    )
    end = given.get("offset", 0) + len(shown["memories"])
    shown.pop("left_out", None)
    if found.get("more") or len(shown["memories"]) < len(rows):
        shown["left_out"] = f"older ones: call ghost_list with offset {end}"
    return shown


def show_history(found: Result, given: Arguments) -> Result:
    """Return the versions of a memory, newest first."""
    rows = [
        {
            "version": version["version"],
            "created_at": version["created_at"][:DATE],
            **({"replaced" if number else "deleted": True} if "deleted_at" in version else {}),
            "content": version["content"],
        }
        for number, version in enumerate(found["versions"])
    ]
    result = {"ns": found["ns"], "key": found["key"], "versions": []}

    def left_out(count: int, is_cut: bool) -> str:
        parts = (f"{count} older versions", "ghost_get with a version reads one whole")
        return "; ".join(parts[0 if count else 1 :]) if count or is_cut else ""

    return _fitted("ghost_history", "versions", rows, result, left_out, given)


def show_consolidation(found: Result, given: Arguments) -> Result:
    """Return where a summary went, and the number of its sources."""
    return {"summary": show_put(found["summary"], given), "sources": len(found["edges"])}


def show_curated(found: Result, _: Arguments) -> Result:
    """Return the change that was made."""
    return {name: value for name, value in found.items() if name != "utility_count"}


def show_edges(found: Result, given: Arguments) -> Result:
    """Return edges by the keys of their ends."""
    rows = [
        {
            "from": edge["from_key"],
            "to": edge["to_key"],
            "rel": edge["rel"],
            "weight": round(edge["weight"], 2),
        }
        for edge in found.get("edges", [found])
    ]
    return _fitted(
        "ghost_edge",
        "edges",
        rows,
        {"ns": given["ns"], "edges": [], **_fields(found, "status")},
        partial(_left_out, "weaker edges", "ghost_edge with op list and a rel"),
        given,
    )


def show_expanded(found: Result, given: Arguments) -> Result:
    """Return summaries, or the memories of one, and groups that have no summary."""
    if "parent" in found and not found.get("children"):
        key = found["parent"]["key"]
        return {
            "ns": found["ns"],
            "key": key,
            "reason": f"{key} is not a summary of other memories: ghost_get reads it",
        }
    offset = given.get("offset", 0)
    name = "nodes" if "key" not in given else "children"
    rows = _flat(found.get(name, ()))[offset:]
    result: Result = {"ns": found["ns"], **nonempty(key=found.get("parent", {}).get("key"))}
    if groups := [group["keys"] for group in found.get("clusters", ())]:
        result["clusters"] = _leading("ghost_expand", "clusters", groups, result)
        if more := len(groups) - len(result["clusters"]):
            result["notes"] = [f"{more} more groups are shown once these are summed up"]

    def left_out(count: int, is_cut: bool) -> str:
        return _left_out(
            "more memories", f"ghost_expand with offset {offset + len(rows) - count}", count, is_cut
        )

    return _fitted("ghost_expand", name, rows, result, left_out, given)


def _flat(nodes: Iterable[Mapping[str, Any]], parent: str = "") -> list[Row]:
    """Return nested nodes as one list, in which nested ones name their parent."""
    rows = []
    for node in nodes:
        row = {"key": node["key"], **nonempty(parent=parent, children=node["children"])}
        rows.append({**row, "content": node.get("content") or node.get("summary", "")})
        rows += _flat(node.get("nodes", ()), node["key"])
    return rows


def show_candidates(found: Result, given: Arguments) -> Result:
    """Return pairs by their keys, and the content of each memory once."""
    offset = given.get("offset", 0)
    pairs = [
        {
            "from": pair["from_key"],
            "to": pair["to_key"],
            "relates_weight": round(pair["relates_weight"], 2),
        }
        for pair in found["candidates"]
    ]
    contents = {
        pair[f"{end}_key"]: pair[f"{end}_content"]
        for pair in found["candidates"]
        for end in ("from", "to")
    }
    result: Result = {"ns": given["ns"], "skipped_existing": found["skipped_existing"]}
    count = len(pairs)
    while True:
        result["candidates"] = pairs[:count]
        rows = [
            {"key": key, "content": contents[key]}
            for key in dict.fromkeys(pair[end] for pair in pairs[:count] for end in ("from", "to"))
        ]
        is_all = count == len(pairs) and not found.get("more")
        call = f"more pairs: call ghost_edge_candidates with offset {offset + count}"
        shown = _fitted(
            "ghost_edge_candidates",
            "memories",
            rows,
            {**result, "memories": []},
            partial(_next_pairs, "" if is_all else call),
            given,
        )
        if len(shown["memories"]) == len(rows) or count <= 1:
            return shown
        count = max(1, count * 9 // 10)


def _next_pairs(call: str, count: int, is_cut: bool) -> str:
    return "; ".join(filter(None, (call, WHOLE if count or is_cut else "")))


def show_report(found: Result, given: Arguments) -> Result:
    """Return what a reflection changed, or would change."""
    result: Result = {"ns": given["ns"], **_fields(found, "dry_run", "memories_evaluated")}
    result |= nonempty(**_fields(found, *_COUNTS))
    if clusters := found.get("linked_clusters"):
        result["linked_clusters"] = _leading("ghost_reflect", "linked_clusters", clusters, result)
        result |= nonempty(clusters_left_out=len(clusters) - len(result["linked_clusters"]))
    result |= nonempty(
        errors=found.get("errors", [])[:MAX_NOTES],
        notes=[_before_command(note) for note in found.get("notes", ())][:MAX_NOTES],
    )
    offset = given.get("offset", 0)
    changes = [_change(change) for change in found.get("changes", ())][offset:]
    call = "call ghost_reflect with dry_run and offset"

    def left_out(count: int, _: bool) -> str:
        then = f": {call} {offset + len(changes) - count}" if found["dry_run"] else ""
        return f"{count} more changes, which the numbers include{then}" if count else ""

    return _fitted("ghost_reflect", "changes", changes, result, left_out, given)


def _change(change: Mapping[str, Any]) -> str:
    """Return a change as a line: the operation, the memory, and the fields before and after."""
    line = f"{change['op'].lower()} {change['key']}"
    if "to_key" in change:
        return f"{line} {change.get('rel', '')} {change['to_key']}"
    fields = ", ".join(
        f"{name} {_value(change.get('before', {}).get(name))} -> {_value(value)}"
        for name, value in change.get("after", {}).items()
        if not name.endswith("_count")
    )
    return f"{line}: {fields}" if fields else line


def _value(value: Any) -> str:
    return "none" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)


def show_conflicts(found: Result, given: Arguments) -> Result:
    """Return pairs that contradict each other, the prevailing memory first."""
    rows = [
        {
            **nonempty(ns=pair["ns"] != given["ns"] and pair["ns"]),
            "key": pair["key"],
            "created_at": pair["created_at"][:DATE],
            "other": pair["other"],
            "other_created_at": pair["other_created_at"][:DATE],
            **_same_day(pair["created_at"], pair["other_created_at"]),
            "other_content": first_line(pair["other_content"], LINE),
            "content": pair["content"],
        }
        for pair in found["conflicts"]
    ]
    stale = [_fields(doubt, "key", "why") for doubt in found.get("maybe_stale", ())]
    return _fitted(
        "ghost_conflicts",
        "conflicts",
        rows,
        {"ns": given["ns"], "conflicts": [], **nonempty(maybe_stale=stale[:10])},
        partial(_left_out, "more pairs", "ghost_conflicts again when these are decided"),
        given,
    )


def _same_day(created_at: str, other: str) -> Row:
    """Return which of two memories of one day is the older one, where their dates cannot tell."""
    is_same = created_at[:DATE] == other[:DATE] and created_at != other
    return {"other_is": "older" if other < created_at else "newer"} if is_same else {}


def show_timeline(found: Result, given: Arguments) -> Result:
    """Return the events of a fact, oldest first."""
    rows = [{"event": _event(event), **_fields(event, "content")} for event in found["events"]]
    return _fitted(
        "ghost_timeline",
        "events",
        rows,
        {"ns": given["ns"], "events": []},
        partial(_left_out, "more events", "ghost_timeline with one key"),
        given,
    )


def _event(event: Mapping[str, Any]) -> str:
    by = f" by {event['by']}" if "by" in event else ""
    now = ", current" if event.get("current") else ""
    return f"{event['at'][:DATE]} {event['key']} v{event['version']} {event['event']}{by}{now}"
