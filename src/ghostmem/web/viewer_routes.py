"""Routes that only the viewer uses: details, graphs, flows, spans, audit and quarantine."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ghostmem._version import __version__
from ghostmem.caller import CALLER
from ghostmem.errors import NotFoundError
from ghostmem.ghost import Ghost
from ghostmem.lifecycle.audit import NEAR_DUPLICATES, audit
from ghostmem.lifecycle.run_log import find_run
from ghostmem.memory.details import details
from ghostmem.store import Store, Written, written
from ghostmem.web.decisions import LISTS, decisions
from ghostmem.web.events import position
from ghostmem.web.flow import flow, run_changes
from ghostmem.web.graph_view import graph
from ghostmem.web.home import home, waiting
from ghostmem.web.route import (
    FILTER_TAGS,
    FILTERS,
    KEYED,
    LIMIT,
    NS,
    NS_FILTER,
    ONE,
    OWN,
    SEVERAL,
    ApiRoute,
    Given,
    fields,
    number,
    text,
    texts,
    without_places,
)
from ghostmem.web.session import VISIT
from ghostmem.web.shape import facets, shape, spans

MAX_NODES = 5000
MAX_SPANS = 5000
MAX_DAYS = 366
MAX_OFFSET = 1_000_000
MAX_AGE = timedelta(minutes=1)
MAX_REPORTS = 64


class KeptReport(NamedTuple):
    """A report, when it was made, and the state of the store then."""

    written: dict[str, Written]
    at: datetime
    report: dict[str, Any]


# the last answers by store, as long as this process serves it
_REPORTS: "WeakKeyDictionary[Store, dict[tuple[str, str | None], KeptReport]]" = WeakKeyDictionary()


def _session(ghost: Ghost, _: Given) -> Any:
    """Return who is calling, the token that writes must carry, and the writable namespaces."""
    visit, caller = VISIT.get(), CALLER.get()
    states = written(ghost.store)  # first, so that the page hears of every later change
    counts = {
        info.ns: info.count for info in ghost.admin.namespaces() if caller.may(info.ns, "read")
    }
    # a namespace may be granted before it has memories
    counts |= {ns: 0 for ns, _ in caller.grants if not ns.endswith("*") and ns not in counts}
    return {
        "csrf": visit.csrf,
        "read_only": visit.read_only or ghost.store.engine.read_only,
        "version": __version__,
        "store": ghost.store.engine.location.replace("\\", "/").rpartition("/")[2]
        if caller.may("", "read")
        else "",
        "name": caller.name,
        "everything": caller.may("", "read"),
        **position(state for ns, state in states.items() if caller.may(ns, "read")),
        "namespaces": list(counts),
        "counts": counts,
        "namespaces_writable": [ns for ns in counts if caller.may(ns, "write")],
        "namespaces_admin": [ns for ns in counts if caller.may(ns, "admin")],
    }


def _audit(ghost: Ghost, given: Given) -> Any:
    """Return the report; `quick` leaves out the checks that read every text."""
    store, ns, quick = ghost.store, given.get("ns"), given.get("quick", False)

    def make() -> dict[str, Any]:
        skip = dict.fromkeys(("secrets", NEAR_DUPLICATES), "not checked yet") if quick else {}
        found = audit(store, ns, skip=skip).to_dict()
        del found["source"]  # callers need not know where the server keeps its file
        return found

    return _kept(store, f"audit {quick}", ns, make)


def _kept(
    store: Store, name: str, ns: str | None, make: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return an answer that is at most a minute old, if nothing was written since."""
    kept = _REPORTS.setdefault(store, {})
    states, now = written(store), store.clock()
    known = kept.get((name, ns))
    if known is not None and known.written == states and now - known.at < MAX_AGE:
        return known.report
    report = make()
    if len(kept) >= MAX_REPORTS:
        kept.clear()
    kept[name, ns] = KeptReport(states, now, report)
    return report


def _run(ghost: Ghost, given: Given) -> Any:
    """Return the changes of a run that the caller may read; other runs are treated as missing."""
    known = find_run(ghost.store, given["run"])
    if known is None or not CALLER.get().may(known.scope, "read"):
        raise NotFoundError("there is no such run", "GET /api/v1/runs lists them")
    return run_changes(ghost.store, known.id)


VIEWER_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        "GET",
        "/session",
        "read",
        OWN,
        "Return the caller, and what a page needs to write.",
        _session,
        {},
    ),
    ApiRoute(
        "GET",
        "/memories/{ns}/{key}/details",
        "read",
        ONE,
        "Show everything about a memory, without counting it as read.",
        lambda g, a: details(g.store, **a),
        {**KEYED, **fields("get", "version")},
    ),
    ApiRoute(
        "GET",
        "/graph",
        "read",
        ONE,
        "Return memories and their links as nodes and edges.",
        lambda g, a: graph(g.store, **a),
        {
            **KEYED,
            "depth": number("Number of steps around `key`.", 4),
            "limit": number("Maximum number of nodes.", MAX_NODES),
        },
        ("ns",),
    ),
    ApiRoute(
        "GET",
        "/spans",
        "read",
        SEVERAL,
        "List when versions were believed and when they were valid.",
        lambda g, a: spans(g.store, **a),
        {
            **NS_FILTER,
            **fields("list", "key_prefix after before"),
            "changed": {
                "type": "boolean",
                "description": "Leave out memories with one version that is still valid.",
            },
            "limit": number("Maximum number of spans.", MAX_SPANS),
        },
    ),
    ApiRoute(
        "GET",
        "/flow",
        "read",
        SEVERAL,
        "Show how memories moved between tiers, and by which runs.",
        lambda g, a: flow(g.store, **a),
        {**NS_FILTER, "days": number("Number of days.", MAX_DAYS)},
    ),
    ApiRoute(
        "GET",
        "/runs/{run}",
        "read",
        OWN,
        "Show what a run changed.",
        _run,
        {"run": text("Id of the run.", 64)},
    ),
    ApiRoute(
        "GET",
        "/home",
        "read",
        SEVERAL,
        "Return counts, pending decisions, recent changes and recent memories.",
        lambda g, a: _kept(g.store, "home", a.get("ns"), lambda: home(g.store, **a)),
        NS_FILTER,
    ),
    ApiRoute(
        "GET",
        "/waiting",
        "read",
        SEVERAL,
        "Count the contradictions and quarantined memories that wait for a decision.",
        lambda g, a: waiting(g.store, **a),
        NS_FILTER,
    ),
    ApiRoute(
        "GET",
        "/audit",
        "read",
        SEVERAL,
        "Score the health of the memories.",
        _audit,
        {
            **NS_FILTER,
            "quick": {
                "type": "boolean",
                "description": "Leave out the checks that read every text.",
            },
        },
    ),
    ApiRoute(
        "GET",
        "/decisions/{list}",
        "read",
        SEVERAL,
        "List contradictions, memories that may be stale, or the quarantine, in pages.",
        lambda g, a: decisions(g.store, a.pop("list"), **a),
        {
            "list": {"type": "string", "description": "Which list.", "enum": list(LISTS)},
            **NS_FILTER,
            **LIMIT,
            "offset": {
                "type": "integer",
                "description": "Number of rows to skip.",
                "minimum": 0,
                "maximum": MAX_OFFSET,
            },
        },
    ),
    ApiRoute(
        "GET",
        "/shape",
        "read",
        SEVERAL,
        "Count memories by tier, kind, source, age and size.",
        lambda g, a: shape(g.store, **a),
        NS_FILTER,
    ),
    ApiRoute(
        "GET",
        "/facets",
        "read",
        SEVERAL,
        "Count memories that pass filters by namespace, kind and tag.",
        lambda g, a: facets(g.store, **a),
        {**NS_FILTER, **fields("list", f"{FILTERS} tier", tags=FILTER_TAGS)},
    ),
    ApiRoute(
        "GET",
        "/quarantine",
        "read",
        SEVERAL,
        "List the quarantined memories.",
        lambda g, a: {"held": g.quarantine.list(a.get("ns"))[: a.get("limit", 200)]},
        {**NS_FILTER, **LIMIT},
    ),
    ApiRoute(
        "POST",
        "/quarantine/release",
        "admin",
        ONE,
        "Store a quarantined memory as if it had been trusted.",
        lambda g, a: g.quarantine.release(a["id"], ns=a["ns"]),
        {**NS, "id": text("Id, or the start or end of it.", 64, 4)},
        ("ns", "id"),
    ),
    ApiRoute(
        "POST",
        "/quarantine/drop",
        "admin",
        ONE,
        "Delete quarantined memories permanently.",
        lambda g, a: without_places(g.quarantine.drop(a.pop("ids"), **a), a["ns"]),
        {
            **NS,
            "ids": texts("Ids, or their start or end.", 200, 64),
            **fields("rm", "dry_run"),
        },
        ("ns", "ids"),
    ),
)
