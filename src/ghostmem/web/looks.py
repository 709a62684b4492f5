"""What the viewer asks for beside the verbs of agents: everything about one memory, graphs, flows,
spans, and what to settle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ghostmem._version import __version__
from ghostmem.caller import CALLER
from ghostmem.errors import NotFoundError
from ghostmem.memory.details import details
from ghostmem.web import fields as f
from ghostmem.web.flow import flow, run_changes
from ghostmem.web.graph_view import graph
from ghostmem.web.route import ONE, OWN, SEVERAL, Given, Route, without_places
from ghostmem.web.session import visit
from ghostmem.web.shape import shape
from ghostmem.web.spans import spans

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

MOST_NODES = 5000
_HELD = {"id": f.text("Its id, or the start or end of it.", 64, 4)}


def _session(ghost: Ghost, _: Given) -> Any:
    """Tell a page who it is for: what it sends with writes, and what it may write."""
    now, caller = visit(), CALLER.get()
    spaces = [info.ns for info in ghost.namespaces() if caller.may(info.ns, "read")]
    return {
        "csrf": now.csrf,
        "read_only": now.read_only or ghost.store.engine.read_only,
        "version": __version__,
        "store": ghost.store.engine.location.replace("\\", "/").rpartition("/")[2]
        if caller.may("", "read")
        else "",
        "name": caller.name,
        "everything": caller.may("", "read"),
        "namespaces": spaces,
        "namespaces_writable": [ns for ns in spaces if caller.may(ns, "write")],
        "namespaces_admin": [ns for ns in spaces if caller.may(ns, "admin")],
    }


def _audit(ghost: Ghost, given: Given) -> Any:
    from ghostmem.lifecycle.audit import audit

    found = audit(ghost.store, given.get("ns")).to_dict()
    del found["source"]  # where the server keeps its file is nobody's business
    return found


def _run(ghost: Ghost, given: Given) -> Any:
    """Show what a run changed, of that which the caller may read; of other runs nothing is said."""
    caller = CALLER.get()
    known = next((run for run in ghost.runs(limit=10_000) if run.id == given["run"].upper()), None)
    if known is None or not caller.may(known.scope, "read"):
        raise NotFoundError("there is no such run", "GET /api/v1/runs lists them")
    return run_changes(ghost.store, known.id)


def _released(ghost: Ghost, given: Given) -> Any:
    return ghost.release(given["id"], ns=given["ns"])


def _held(ghost: Ghost, given: Given) -> Any:
    return {"held": ghost.quarantined(given.get("ns"))[: given.get("limit", 200)]}


LOOKS: tuple[Route, ...] = (
    Route(
        "GET",
        "/session",
        "read",
        OWN,
        "Say who is calling, and what a page needs to write.",
        _session,
        {},
    ),
    Route(
        "GET",
        "/memories/{ns}/{key}/details",
        "read",
        ONE,
        "Show everything about a memory, without counting it as read.",
        lambda g, a: details(g.store, **a),
        {**f.KEYED, "version": f.whole("A version.")},
    ),
    Route(
        "GET",
        "/graph",
        "read",
        ONE,
        "Return memories and their links as nodes and edges.",
        lambda g, a: graph(g.store, **a),
        {
            **f.KEYED,
            "depth": f.whole("With `key`: how many steps around it.", 1, 4),
            "limit": f.whole("At most so many nodes.", 1, MOST_NODES),
        },
        ("ns",),
    ),
    Route(
        "GET",
        "/spans",
        "read",
        SEVERAL,
        "List when versions were believed and when they were true.",
        lambda g, a: spans(g.store, **a),
        {
            **f.NS_FILTER,
            "key_prefix": f.LISTED["key_prefix"],
            "after": f.TIME,
            "before": f.TIME,
            "limit": f.whole("At most so many.", 1, 5000),
        },
    ),
    Route(
        "GET",
        "/flow",
        "read",
        SEVERAL,
        "Show how memories moved between tiers, and by which runs.",
        lambda g, a: flow(g.store, **a),
        {**f.NS_FILTER, "days": f.whole("So many days.", 1, 366)},
    ),
    Route(
        "GET",
        "/runs/{run}",
        "read",
        OWN,
        "Show what a run changed.",
        _run,
        {"run": f.text("The run's id.", 64)},
    ),
    Route("GET", "/audit", "read", SEVERAL, "Score how tidy memories are.", _audit, f.NS_FILTER),
    Route(
        "GET",
        "/shape",
        "read",
        SEVERAL,
        "Count memories by what they are.",
        lambda g, a: shape(g.store, **a),
        f.NS_FILTER,
    ),
    Route(
        "GET",
        "/quarantine",
        "read",
        SEVERAL,
        "List what was put and is not trusted.",
        _held,
        {**f.NS_FILTER, "limit": f.LIMIT},
    ),
    Route(
        "POST",
        "/quarantine/release",
        "write",
        ONE,
        "Store what is held as if it had been trusted.",
        _released,
        {**f.NS, **_HELD},
        ("ns", "id"),
    ),
    Route(
        "POST",
        "/quarantine/drop",
        "admin",
        ONE,
        "Delete what is held for good.",
        lambda g, a: without_places(g.drop_held(a.pop("ids"), **a), a["ns"]),
        {**f.NS, "ids": f.texts("Ids, or their start or end.", 200, 64), "dry_run": f.DRY_RUN},
        ("ns", "ids"),
    ),
)
