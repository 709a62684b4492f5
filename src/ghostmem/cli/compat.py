"""The original Ghost's spellings and JSON, for scripts and habits from there.

`ghost edge` and `ghost link` take both ends of an edge as options. With the setting `compat`, JSON
has the names of the original: lists are arrays instead of lines, and a row of `SHAPES` adds the
fields that the original has under another name; fields that only this Ghost has stay.
"""

from collections.abc import Callable, Mapping
from typing import Any

import click

from ghostmem.cli.options import options
from ghostmem.errors import InvalidInputError

EDGE_ENDS = options(
    "edge",
    "ns",
    click.option(
        "--from-ns", metavar="NS", help="Namespace of the first memory; both must be the same."
    ),
    "from_key",
    click.option(
        "--to-ns", metavar="NS", help="Namespace of the second memory; both must be the same."
    ),
    "to_key rel",
    click.option("--rm", is_flag=True, help="Remove the link."),
)


def one_ns(ns: str | None, from_ns: str | None, to_ns: str | None) -> str | None:
    """Return the namespace that was given for both ends, if any."""
    given = list(dict.fromkeys(name for name in (ns, from_ns, to_ns) if name))
    if len(given) > 1:
        raise InvalidInputError(
            f"{given[0]} and {given[1]} are different namespaces",
            "links stay inside one namespace",
        )
    return given[0] if given else None


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


def _collected(value: Values, params: Mapping[str, Any]) -> Values:
    mode = next((name for name in ("purge_deleted", "stale") if params[name]), "expired")
    count = value["purged" if mode == "purge_deleted" else mode]
    if value["dry_run"]:
        return {"mode": f"{mode}_dry_run", "would_delete": count, **value}
    return {"mode": mode, "deleted": count, **value}


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
    "consolidate": lambda value, _: {
        "memory": value["summary"],
        "auto_linked": value["edges"],
        **value,
    },
    "gc": _collected,
    "import": lambda value, _: {
        "ok": True,
        **value,
        "imported": value["imported"] + value["updated"],
    },
    "ingest": _confirmed,
    "mine-procedures": _mined,
    "ns rm": _confirmed,
    "rm": _confirmed,
    "rule get": _rule,
    "rule list": _rule,
    "rule set": _rule,
    "search": lambda value, _: {**value, "similarity": value["score"]},
    "tags rename": lambda value, _: {"ok": True, "old_tag": value["tag"], **value},
    "tags rm": _confirmed,
}
