"""JSON with the names of the original Ghost, for scripts written for it.

The setting `compat` asks for it. Lists are arrays instead of lines. A row of `SHAPES` adds the
fields that the original has under another name; fields that only this Ghost has stay."""

from collections.abc import Callable, Mapping
from typing import Any

Values = dict[str, Any]
STORED = ("created", "updated")


def original_json(command: str, params: Mapping[str, Any], value: Any) -> Any:
    """Return the output of a command, as plain data, in the shape that the original gives it."""
    if isinstance(value, list):
        return [original_json(command, params, item) for item in value]
    shape = SHAPES.get(command)
    return value if shape is None or not isinstance(value, dict) else shape(value, params)


def _confirmed(value: Values, _: Mapping[str, Any]) -> Values:
    return {"ok": True, **value}


def _renamed_tag(value: Values, _: Mapping[str, Any]) -> Values:
    return {"ok": True, "old_tag": value["tag"], **value}


def _imported(value: Values, _: Mapping[str, Any]) -> Values:
    return {"ok": True, **value, "imported": value["imported"] + value["updated"]}


def _hit(value: Values, _: Mapping[str, Any]) -> Values:
    return {**value, "similarity": value["score"]}


def _consolidated(value: Values, _: Mapping[str, Any]) -> Values:
    return {"memory": value["summary"], "auto_linked": value["edges"], **value}


def _collected(value: Values, params: Mapping[str, Any]) -> Values:
    mode, count = "expired", "expired"
    if params["purge_deleted"]:
        mode, count = "purge_deleted", "purged"
    elif params["stale"]:
        mode, count = "stale", "stale"
    if value["dry_run"]:
        return {"mode": f"{mode}_dry_run", "would_delete": value[count], **value}
    return {"mode": mode, "deleted": value[count], **value}


def _rule(value: Values, _: Mapping[str, Any]) -> Values:
    conditions = {
        name.removeprefix("cond_"): field
        for name, field in value.items()
        if name.startswith("cond_")
    }
    params = {"params": value["action_params"]} if value.get("action_params") else {}
    return {**value, "cond": conditions, "action": {"op": value["action_op"], **params}}


def _captured(value: Values, params: Mapping[str, Any]) -> Values:
    memories = [
        {
            "key": candidate.get("stored_as") or candidate["key"],
            "kind": candidate["kind"],
            "importance": candidate.get("importance", 0.5),
            "priority": candidate.get("fields", {}).get("priority", "normal"),
            "tags": candidate.get("tags", []),
            "cues": [candidate["sort"]] if "sort" in candidate else [],
        }
        for candidate in value["candidates"]
    ]
    return {
        "ns": params["ns"],
        "candidates": len(memories),
        "stored": _stored(value["candidates"]),
        "dry_run": value["dry_run"],
        "memories": memories,
    }


def _mined(value: Values, params: Mapping[str, Any]) -> Values:
    procedures = value["procedures"]
    return {
        "ns": params["ns"],
        "sessions": value["sessions"],
        "found": len(procedures),
        "stored": _stored(procedures),
        "dry_run": value["dry_run"],
        "workflows": procedures,
    }


def _stored(items: list[Values]) -> int:
    return sum(item.get("outcome") in STORED for item in items)


SHAPES: dict[str, Callable[[Values, Mapping[str, Any]], Values]] = {
    "capture": _captured,
    "consolidate": _consolidated,
    "gc": _collected,
    "import": _imported,
    "ingest": _confirmed,
    "mine-procedures": _mined,
    "ns rm": _confirmed,
    "rm": _confirmed,
    "rule get": _rule,
    "rule list": _rule,
    "rule set": _rule,
    "search": _hit,
    "tags rename": _renamed_tag,
    "tags rm": _confirmed,
}
