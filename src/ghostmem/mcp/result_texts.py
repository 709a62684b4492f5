"""Results as a few lines of text, made of what a client is sent.

A line that starts at the first column is ours: further lines of a content are indented, so that
a memory cannot contain something that looks like another memory or a note.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ghostmem.text.excerpt import MAX_PATH, first_line, quoted_label, snippet

_ARRAYS = {"ghost_edge": "edges", "ghost_list": "memories", "ghost_history": "versions"}
SNIPPET = 200  # characters of a memory in a list for the user
VIEWED = 8000  # characters of a memory that the user is shown


def result_text(name: str, result: Mapping[str, Any]) -> str:
    """Return a result, as it is shown, as a few lines of text."""
    if list(result) == ["text"]:
        return str(result["text"])
    if "reason" in result:  # why there is nothing to show
        return _lines([result["reason"]], result)
    return _TEXTS.get(name, _plain)(result)


def original_text(name: str, result: Mapping[str, Any]) -> str:
    """Return a whole result as the JSON of the original Ghost, which has lists without a frame."""
    original: Any = result.get(_ARRAYS.get(name, ""), result)
    if name == "ghost_search":
        original = [{**hit, "similarity": hit["score"]} for hit in result["results"]]
    elif name == "ghost_consolidate":
        original = {"memory": result["summary"], "auto_linked": result["edges"], **result}
    return json.dumps(original, indent=2, ensure_ascii=False)


def _indented(content: str) -> str:
    """Return a content with every line but the first one indented.

    One blank, so that this form is never longer than the content as JSON, which budgets count.
    """
    return "\n ".join(content.splitlines())


def _plain(result: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key}: {value}" for key, value in result.items() if isinstance(value, str | int | float)
    )


def _lines(lines: Iterable[str], result: Mapping[str, Any]) -> str:
    """Return lines, followed by the notes and what was left out."""
    end = [f"note: {note}" for note in result.get("notes", ())]
    end += [f"left out: {result['left_out']}"] if "left_out" in result else []
    return "\n".join([*lines, *end])


def counted(count: int, noun: str) -> str:
    """Return a number with a noun that is given in the plural."""
    singular = f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")
    return f"1 {singular}" if count == 1 else f"{count} {noun}"


def _head(row: Mapping[str, Any], result: Mapping[str, Any], *more: str) -> str:
    """Return the name of a memory, its date, source and more, in brackets."""
    said_by = quoted_label(row.get("source_user") or ""), row.get("source_kind")
    parts = (f"{row.get('ns', result.get('ns'))}/{row['key']} v{row['version']}", row["created_at"])
    text = " ".join(str(part) for part in (*parts, *said_by, *more) if part)
    return " ".join(f"[{text}]".splitlines())


def _line(row: Mapping[str, Any], result: Mapping[str, Any], *more: str) -> str:
    note = f" ({row['note']})" if "note" in row else ""
    return f"{_head(row, result, *more)}{note} {_indented(row['content'])}"


def _tags(row: Mapping[str, Any]) -> list[str]:
    return [f"#{quoted_label(tag)}" for tag in row.get("tags", ())]


# times of a memory that are shown, and how they are labelled
_LIFETIME = {
    "expires_at": "expires_at",
    "valid_from": "valid_from",
    "valid_to": "valid_to",
    "deleted_at": "until",
}


def _memory(result: Mapping[str, Any]) -> str:
    details = [result["kind"], result["tier"]]
    details += [f"{name} {result[name]}" for name in ("priority", "importance") if name in result]
    details += ["pinned"] if result.get("pinned") else []
    details += _tags(result)
    details += [f"{label} {result[name]}" for name, label in _LIFETIME.items() if name in result]
    details += [f"about {quoted_label(path, MAX_PATH)}" for path in result.get("files", ())]
    details += [f"from character {result['offset']}"] if "offset" in result else []
    content = _indented(result["content"])
    # lines below each other, so that their own indentation can be seen
    gap = "\n " if "\n" in content else " "
    return _lines([f"{_head(result, result, *details)}{gap}{content}"], result)


# by kind of a verdict: how a memory relates to another one, and how it may relate
_RELATIONS = {"conflict": ("conflicts with", "may conflict with")}


def _stored(result: Mapping[str, Any]) -> str:
    name = f"{result['ns']}/{result['key']}"
    if result.get("outcome") == "quarantined":
        *others, why = result.get("notes") or ["held in quarantine"]
        text = f"not stored: {name} is {why}. Only the user can decide that; tell them."
        return _lines([text], {"notes": others})
    if result.get("deduplicated"):
        text = f"{name} v{result['version']} says the same as {result['requested_key']}: reinforced"
    else:
        text = f"{result.get('outcome', 'stored')} {name} v{result['version']}"
    verdict = result.get("verdict", {})
    if "key" in verdict:
        sure, tentative = _RELATIONS.get(verdict["kind"], ("{} of", "possible {} of"))
        relation = tentative if verdict.get("tentative") else sure
        text += f": {relation.format(verdict['kind'])} {verdict['key']}"
    text += f": {verdict['content']}" if "content" in verdict else ""
    if result.get("dry_run"):
        text = f"dry run: nothing was stored; {name} would be\n {_indented(result['content'])}"
    return _lines([text], result)


def _hits(result: Mapping[str, Any]) -> str:
    lines = [
        _line(hit, result, f"{hit['score']:.2f}", hit.get("path", "")) for hit in result["results"]
    ] or [_nothing(result)]
    ended = [f"{old['key']} ({old['note']})" for old in result.get("superseded", ())]
    lines += [f"no longer true: {', '.join(ended)}"] if ended else []
    return _lines(lines, result)


def _nothing(result: Mapping[str, Any]) -> str:
    return (
        "nothing relevant is known" if result.get("complete", True) else "nothing was found so far"
    )


def _pack(result: Mapping[str, Any]) -> str:
    lines = [_line(memory, result) for memory in result["memories"]]
    lines += [f"({result['used']} of {result['budget']} tokens)"] if lines else []
    lines += [f"perhaps: {_line(hit, result)}" for hit in result.get("perhaps", ())]
    if not lines:
        lines = ["nothing fits into the budget" if "left_out" in result else _nothing(result)]
    if result.get("compaction_suggested"):
        lines.append(f"compaction suggested: {result['compaction_reason']}")
    return _lines(lines, result)


def _listed(result: Mapping[str, Any]) -> str:
    return _lines(
        [
            _line(
                memory,
                result,
                *_tags(memory),
                f"deleted {memory['deleted_at']}" if "deleted_at" in memory else "",
            )
            for memory in result["memories"]
        ]
        or ["nothing is stored here"],
        result,
    )


def _versions(result: Mapping[str, Any]) -> str:
    lines = [
        f"[v{version['version']} {version['created_at']}"
        f"{' deleted' if 'deleted' in version else ' replaced' if 'replaced' in version else ''}] "
        f"{_indented(version['content'])}"
        for version in result["versions"]
    ]
    return _lines([f"{result['ns']}/{result['key']}", *lines], result)


def _nodes(result: Mapping[str, Any]) -> str:
    lines = [
        (f"{node['parent']} > " if "parent" in node else "")
        + node["key"]
        + (f" ({node['children']} memories)" if "children" in node else "")
        + f": {_indented(node['content'])}"
        for node in result.get("children", result.get("nodes", ()))
    ]
    lines += [f"without a summary: {', '.join(keys)}" for keys in result.get("clusters", ())]
    return _lines(lines or ["no summaries"], result)


def _edges(result: Mapping[str, Any]) -> str:
    done = ["deleted"] if result.get("status") else []
    edges = [
        f"{edge['from']} {edge['rel']} {edge['to']} ({edge['weight']:.2f})"
        for edge in result["edges"]
    ]
    return _lines([*done, *edges] or ["no edges"], result)


def _pairs(result: Mapping[str, Any]) -> str:
    if not result["candidates"]:
        return "no pairs to classify"
    pairs = [f"{pair['from']} | {pair['to']}" for pair in result["candidates"]]
    memories = [f"{row['key']}: {_indented(row['content'])}" for row in result["memories"]]
    return _lines(["pairs:", *pairs, "memories:", *memories], result)


def _summary(result: Mapping[str, Any]) -> str:
    count = (
        ""
        if result["summary"].get("outcome") == "quarantined"
        else f" summarises {result['sources']} memories"
    )
    return _stored(result["summary"]) + count


_CURATED = {  # by operation: what was done
    "pin": "pinned {name}: it is part of every context",
    "unpin": "unpinned {name}",
    "lock": "locked {name}: it changes only after op unlock",
    "unlock": "unlocked {name}",
    "used": "noted that {name} helped",
    "delete": "deleted {name}: it can be restored",
}


def _curated(result: Mapping[str, Any]) -> str:
    name = f"{result['ns']}/{result['key']}"
    if result["op"] in _CURATED:
        return _CURATED[result["op"]].format(name=name)
    field = "tier" if "new_tier" in result else "importance"
    return f"{result['op']} {name}: {field} {result[f'old_{field}']} -> {result[f'new_{field}']}"


_NOT_COUNTS = ("ns", "dry_run", "memories_evaluated", "clusters_left_out")


def _report(result: Mapping[str, Any]) -> str:
    counts = [
        f"{name.replace('_', ' ')} {value}"
        for name, value in result.items()
        if isinstance(value, int) and name not in _NOT_COUNTS
    ]
    done = "dry run, nothing was changed: would be" if result["dry_run"] else "done:"
    changed = f"{done} {', '.join(counts)}" if counts else "nothing to change"
    checked = counted(result["memories_evaluated"], "memories")
    lines = [f"checked {checked} in {result['ns']}; {changed}", *result.get("changes", ())]
    lines += [f"alike: {', '.join(keys)}" for keys in result.get("linked_clusters", ())]
    if "clusters_left_out" in result:
        lines.append(f"and {result['clusters_left_out']} more such groups: ghost_expand lists them")
    return _lines([*lines, *(f"error: {error}" for error in result.get("errors", ()))], result)


def _conflicts(result: Mapping[str, Any]) -> str:
    lines = []
    for pair in result["conflicts"]:
        lines.append(f"{pair['key']} ({pair['created_at']}): {_indented(pair['content'])}")
        when = pair["other_created_at"] + (f", {pair['other_is']}" if "other_is" in pair else "")
        lines.append(f"contradicts {pair['other']} ({when}): {_indented(pair['other_content'])}")
    lines += [f"{doubt['key']} is {doubt['why']}" for doubt in result.get("maybe_stale", ())]
    return _lines(lines or ["no open contradictions"], result)


def _resolved(result: Mapping[str, Any]) -> str:
    if result.get("both"):
        return f"{result['ns']}/{result['keeps']} and the other are both kept"
    ended = f"; retired: {', '.join(result['closed'])}" if result.get("closed") else ""
    stale = result.get("maybe_stale")
    doubts = f"; maybe stale now: {', '.join(stale)}" if stale else ""
    return f"{result['ns']}/{result['keeps']} is kept{ended}{doubts}"


def _events(result: Mapping[str, Any]) -> str:
    return _lines(
        [
            row["event"] + (f": {_indented(row['content'])}" if "content" in row else "")
            for row in result["events"]
        ]
        or ["nothing is known about that"],
        result,
    )


def _shown(result: Mapping[str, Any]) -> str:
    """Return the text for the viewer: one memory, or the hits."""
    if "memory" in result:
        memory = result["memory"]
        content = _indented(memory["content"][:VIEWED])
        return f"[{memory['ns']}/{memory['key']} v{memory['version']}] {content}"
    lines = [
        f"[{hit['ns']}/{hit['key']} {hit['created_at'][:10]}] "
        + (
            snippet(hit["match_chunk"], hit["match_start"], hit["match_end"], SNIPPET)
            if "match_start" in hit
            else first_line(hit.get("match_chunk", hit["content"]), SNIPPET)
        )
        for hit in result["results"]
    ]
    return "\n".join(lines) or "nothing relevant is known"


_TEXTS = {
    "ghost_show": _shown,
    "ghost_put": _stored,
    "ghost_patch": _stored,
    "ghost_restore": _stored,
    "ghost_get": _memory,
    "ghost_search": _hits,
    "ghost_context": _pack,
    "ghost_list": _listed,
    "ghost_history": _versions,
    "ghost_expand": _nodes,
    "ghost_edge": _edges,
    "ghost_edge_candidates": _pairs,
    "ghost_consolidate": _summary,
    "ghost_curate": _curated,
    "ghost_reflect": _report,
    "ghost_conflicts": _conflicts,
    "ghost_resolve": _resolved,
    "ghost_timeline": _events,
}
