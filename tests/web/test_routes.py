"""Every route of the REST surface, called once and more"""

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from ghostmem import errors
from ghostmem.web.refusals import refusal
from ghostmem.web.routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Served

# method, path as it is called, the route's path, body, status, a part of the answer that must be there
CALLS: list[tuple[str, str, str, Any, int, dict[str, Any]]] = [
    tuple(json.loads(line))
    for line in Path(__file__).with_name("calls.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture
def filled(served: "Served") -> "Served":
    """Serve a store with three memories, one that ended, a removed one, an edge of each kind that matters, and a run."""
    ghost = served.ghost
    ghost.put("a", "tea", "green tea", tags=["t"], files=["f.py"])
    ghost.put("a", "pot", "a pot")
    ghost.edge("a", "pot", "tea", "depends_on")
    ghost.edge("a", "pot", "tea", "relates_to")
    ghost.consolidate("a", "both", "tea in a pot", ["tea", "pot"])
    ghost.put("a", "gone", "x")
    ghost.put("a", "ended", "coffee", tier="sensory")
    ghost.put("a", "gone", "y", supersedes="ended")
    ghost.reflect()
    ghost.rm("a", "gone")
    ghost.put("a", "held", "x", tier="quarantine")
    return served


def test_every_route_is_called_here() -> None:
    """The table above has every route."""
    assert {(call[0], call[2]) for call in CALLS} == {
        (route.method, route.path) for route in ROUTES
    }


@pytest.mark.wide(keep=40)
@pytest.mark.parametrize(
    ("method", "path", "route", "body", "status", "part"), CALLS, ids=lambda value: str(value)[:40]
)
def test_a_call(
    filled: "Served",
    method: str,
    path: str,
    route: str,
    body: Any,
    status: int,
    part: dict[str, Any],
) -> None:
    """A call answers with its status, an object, and what the verb returns."""
    names = {
        "RUN": filled.ghost.lifecycle.runs()[0].id,
        "HELD": filled.ghost.quarantine.list()[0].id,
    }
    for name, id_ in names.items():
        path, body = path.replace(name, id_), json.loads(json.dumps(body).replace(name, id_))
    answer = filled.api(method, path, body)
    assert answer.status == status, answer
    if route == "/export":
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert answer.lines == [json.loads(line) for line in filled.ghost.export("a")]
    else:
        assert answer.json.items() >= part.items()
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


KEYS = [
    "a/b",
    "a b",
    "ü",
    "..",
    ".",
    "%",
    "%2F",
    "a?b=c#d",
    "history",
    "a+b",
    "日本",
    "'\"<>\\",
    "~",
    "a;b,c",
    "*",
    "+",
    "&",
]


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_one_segment_whatever_it_holds(served: "Served", key: str) -> None:
    """What is percent-encoded comes back as it was, in every place a key stands in a path."""
    path = "/memories/a/" + quote(key, safe="")
    assert served.ok("PUT", path, {"content": "text"})["key"] == key
    assert served.ok("GET", path)["key"] == key
    assert [row["key"] for row in served.ok("GET", f"{path}/history")["versions"]] == [key]
    assert served.ok("POST", f"{path}/curate", {"op": "boost"})["key"] == key
    assert served.ghost.get("a", key).content == "text"


STREET = {
    "dentist": "The dentist has moved to Mill Street 14.",
    "garage": "The garage on Mill Street repairs bicycles too.",
    "vet": "The vet on Lake Road vaccinates cats, and the street is steep.",
    "parade": "A street parade takes place once a year.",
    "tea": "Grandmother drinks green tea without sugar.",
}


def test_a_search_says_that_it_is_not_complete(serve: "Callable[..., Served]") -> None:
    """Without vectors, an empty list does not mean that nothing relevant is known."""
    before, query = serve(), {"query": "zebra crossing", "ns": "town"}
    before.ok("PUT", "/memories/town/tea", {"content": STREET["tea"]})
    assert "complete" not in before.ok("POST", "/search", query)
    after = serve(settings={"embed_provider": "static"})
    assert after.ok("POST", "/search", query)["complete"] is False
    after.ghost.admin.embed_backfill()
    assert "complete" not in after.ok("POST", "/search", query)


def test_a_bare_slash_ends_a_segment(served: "Served") -> None:
    """A key with a slash that is not encoded is another path, not another key."""
    served.ok("PUT", "/memories/a/x%2Fhistory", {"content": "text"})
    assert (
        served.api("GET", "/memories/a/x/history")
        .json["message"]
        .startswith("memory not found: a/x")
    )
    assert served.api("GET", "/memories/a/x/y/z").status == 404


def test_put_takes_every_field(served: "Served") -> None:
    """What a put may name arrives, and is read back."""
    fields = {
        "kind": "procedural",
        "tier": "ltm",
        "tags": ["one", "two"],
        "priority": "high",
        "importance": 1,
        "pinned": True,
        "meta": {"deep": [{"x": None}]},
        "files": [{"path": "a.py", "rel": "read"}, {"path": "b.py"}],
        "source_user": "ann",
        "source_kind": "stated",
        "source_scope": "chat",
        "source_client": "test",
        "created_at": "2026-01-01T00:00:00.000000Z",
        "valid_from": "2026-01-01T00:00:00.000000Z",
        "valid_to": "2027-01-01T00:00:00.000000Z",
    }
    found = served.ok("PUT", "/memories/a/k", {"content": "text", "base_version": 0, **fields})
    fields["files"] = [{"path": "a.py", "rel": "read"}, {"path": "b.py", "rel": "modified"}]
    assert served.ok("GET", "/memories/a/k").items() >= fields.items()
    assert found["version"] == 1
    assert served.api("PUT", "/memories/a/k", {"content": "other", "base_version": 7}).status == 409


@pytest.mark.wide(keep=12)
@pytest.mark.parametrize(
    ("method", "path", "body", "status", "error"),
    [
        ("GET", "/memories/a/none", None, 404, "NotFoundError"),
        ("PUT", "/memories/a/k", {}, 400, "InvalidInputError"),
        ("PUT", "/memories/a%20b/k", {"content": "x"}, 400, "InvalidInputError"),
        ("PUT", "/memories/a/k", {"content": "x", "colour": "red"}, 400, "InvalidInputError"),
        ("PUT", "/memories/a/k", {"content": "x", "key": "other"}, 400, "InvalidInputError"),
        ("PUT", "/memories/a/k", {"content": 7}, 400, "InvalidInputError"),
        ("PUT", "/memories/a/k", [], 400, "InvalidInputError"),
        ("PUT", "/memories/a/locked", {"content": "new"}, 409, "LockedError"),
        ("PATCH", "/memories/a/locked", {"diff": "nonsense"}, 400, "PatchFormatError"),
        ("POST", "/memories/a/locked/restore", None, 409, "ConflictError"),
        ("POST", "/search?query=x", {"query": "x"}, 400, "InvalidInputError"),
        ("GET", "/memories?limit=0", None, 400, "InvalidInputError"),
        ("GET", "/memories?limit=ten", None, 400, "InvalidInputError"),
        ("GET", "/memories?limit=1&limit=2", None, 400, "InvalidInputError"),
        ("GET", "/memories?pinned=maybe", None, 400, "InvalidInputError"),
        ("GET", "/memories?colour=red", None, 400, "InvalidInputError"),
        ("GET", "/memories?ns=a*b", None, 400, "InvalidInputError"),
        ("POST", "/search", {"query": " "}, 400, "InvalidInputError"),
        ("POST", "/undo", {"run": "nope"}, 404, "NotFoundError"),
        ("GET", "/rules/nope", None, 404, "NotFoundError"),
        ("GET", "/nowhere", None, 404, "NotFoundError"),
        ("GET", "/", None, 404, "NotFoundError"),
        ("GET", "/memories/", None, 404, "NotFoundError"),
        ("GET", "/memories//k", None, 404, "NotFoundError"),
        ("POST", "/memories/a/k", {"content": "x"}, 405, "MethodNotAllowed"),
        ("BREW", "/memories", None, 405, "MethodNotAllowed"),
    ],
)
def test_what_cannot_be_done(
    served: "Served", method: str, path: str, body: Any, status: int, error: str
) -> None:
    """Each error has the status of its class, and a body of three sentences without an exit code."""
    served.ghost.put("a", "locked", "old", tags=["locked"])
    answer = served.api(method, path, body)
    assert answer.status == status, answer
    assert set(answer.json) == {"error", "message", "hint"}
    assert answer.json["error"] == error
    assert ("allow" in answer.headers) == (status == 405)


@pytest.mark.parametrize(
    ("method", "path", "body", "hint"),
    [
        ("GET", "/memories/a/nope", None, "`GET /api/v1/memories` shows the stored memories"),
        ("GET", "/memories/b/k", None, "the namespace b is empty; `GET /api/v1/namespaces` shows"),
        (
            "GET",
            "/memories/a/gone",
            None,
            "it was deleted; `POST /api/v1/memories/{ns}/{key}/restore` brings it back",
        ),
        ("POST", "/memories/a/k/restore", {}, "give an earlier version to restore"),
        ("GET", "/memories/a/k?version=9", None, "run `GET /api/v1/memories/{ns}/{key}/history`"),
        ("PUT", "/memories/a/locked", {"content": "x"}, "pass unlock=True (unlock) to change"),
    ],
)
def test_a_hint_names_calls_not_commands(
    served: "Served", method: str, path: str, body: Any, hint: str
) -> None:
    """A program that calls the server cannot run commands."""
    served.ghost.put("a", "locked", "old", tags=["locked"])
    served.ghost.put("a", "k", "A text.")
    served.ghost.put("a", "gone", "Another text.")
    served.ghost.rm("a", "gone")
    answer = served.api(method, path, body)
    assert answer.json["hint"].startswith(hint)
    assert "`ghost" not in answer.json["hint"]


@pytest.mark.parametrize("header", ["If-Match", "If-None-Match", "If-Unmodified-Since"])
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_condition_in_a_header_is_refused(served: "Served", method: str, header: str) -> None:
    """Ignoring it would overwrite what the caller wants to keep; a read ignores it."""
    served.ghost.put("a", "k", "A text.")
    body = None if method == "DELETE" else {"content": "x"}
    answer = served.api(method, "/memories/a/k", body, **{header.replace("-", "_"): "*"})
    assert answer.status == 400
    assert "base_version" in answer.json["hint"]
    assert served.ghost.get("a", "k").content == "A text."
    assert served.api("GET", "/memories/a/k", If_None_Match="*").status == 200


def test_a_compressed_body_is_refused(served: "Served") -> None:
    """It is named as such, not called invalid JSON."""
    body = gzip.compress(b'{"content": "x"}')
    kind = {"Content_Type": "application/json"}
    answer = served.api("PUT", "/memories/a/k", body, Content_Encoding="gzip", **kind)
    assert (answer.status, answer.json["message"]) == (415, "the body is compressed")


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=latin-1"],
)
def test_only_json_is_taken(served: "Served", kind: str) -> None:
    """Another type of body is refused with 415, which also keeps the forms of other sites out."""
    assert served.api("PUT", "/memories/a/k", b'{"content": "x"}', Content_Type=kind).status == 415
    assert (
        served.api(
            "PUT",
            "/memories/a/k",
            b'{"content": "x"}',
            Content_Type="application/json; charset=UTF-8",
        ).status
        == 201
    )


def test_whole_numbers_may_be_written_as_fractions(served: "Served") -> None:
    """Some languages write every number as a fraction: 1.0 is 1, also inside a list."""
    fields = {"key": "tea", "content": "Sam drinks green tea.", "base_version": 0.0}
    answer = served.api("POST", "/memories", {"ns": "a", "memories": [fields]})
    assert answer.json["created"] == 1
    found = served.api("POST", "/search", {"query": "tea", "ns": "a", "limit": 1.0})
    assert [hit["key"] for hit in found.json["results"]] == ["tea"]
    update = {"content": "Sam drinks black tea.", "base_version": 1.0, "meta": {"cups": 2.0}}
    assert served.api("PUT", "/memories/a/tea", update).json["version"] == 2
    assert served.ghost.get("a", "tea").meta == {"cups": 2.0}
    refused = served.api("POST", "/search", {"query": "tea", "limit": 1.5})
    assert refused.json["message"] == "limit must be a whole number, not 1.5"


def test_null_counts_as_not_given(served: "Served") -> None:
    """Many clients write every field; meta keeps its nulls, and a required field stays required."""
    fields = {"content": "Sam drinks green tea.", "tags": None, "ttl": None, "meta": {"cup": None}}
    batch = {"ns": "a", "memories": [{"key": "tea", **fields}], "judge": None}
    assert served.api("POST", "/memories", batch).json["created"] == 1
    assert served.ghost.get("a", "tea").meta == {"cup": None}
    update = {"content": "Sam drinks black tea.", "base_version": None, "meta": None}
    assert served.api("PUT", "/memories/a/tea", update).json["version"] == 2
    assert served.ghost.get("a", "tea").meta == {"cup": None}
    answer = served.api("PUT", "/memories/a/cup", {"content": None})
    assert (answer.status, answer.json["message"]) == (400, "content is required")


def test_an_unknown_field_is_named_with_its_place(served: "Served") -> None:
    """In a batch the error says which memory has it; a path without fields says so."""
    batch = [{"key": "a", "content": "b"}, {"key": "c", "content": "d", "colour": "red"}]
    answer = served.api("POST", "/memories", {"ns": "a", "memories": batch})
    assert (answer.status, answer.json["message"]) == (
        400,
        "there is no argument 'colour' in memories[1]",
    )
    assert served.api("GET", "/stats?a=1").json["hint"] == "leave it out; there are none"


def test_head_is_get_without_a_body(served: "Served") -> None:
    """HEAD has the status and headers of GET; an export is not made for it."""
    served.ghost.put("a", "tea", "Sam drinks green tea.")
    for path in ("/memories/a/tea", "/memories/a/cup", "/memories?ns=a", "/stats"):
        whole, head = served.api("GET", path), served.api("HEAD", path)
        assert (head.status, head.body) == (whole.status, b"")
        assert head.headers["content-type"] == whole.headers["content-type"]
    export = served.api("HEAD", "/export")
    assert (export.status, export.headers["content-type"]) == (200, "application/x-ndjson")
    assert served.api("HEAD", "/search").headers["allow"] == "POST"
    assert served.api("POST", "/stats").headers["allow"] == "GET, HEAD"


def test_the_document_and_the_lone_paths(served: "Served") -> None:
    """Health, readiness, metrics and the OpenAPI document are where tools look for them."""
    assert served.call("GET", "/healthz").json == {"status": "ok"}
    assert served.call("HEAD", "/healthz").status == 200
    assert served.call("GET", "/readyz").json == {"status": "ready"}
    assert (
        served.call("GET", "/metrics").headers["content-type"]
        == "text/plain; version=0.0.4; charset=utf-8"
    )
    assert served.call("GET", "/api/v1/openapi.json").json["openapi"] == "3.1.0"
    assert served.call("POST", "/healthz").status == 405
    assert [
        served.call("GET", path).status
        for path in ("/", "/mcp", "/api", "/api/v1", "/api/v2/stats")
    ] == [404] * 5


def test_not_ready_without_a_store(served: "Served", monkeypatch: pytest.MonkeyPatch) -> None:
    """When the store cannot be read, readiness says so without a reason, and health does not change."""

    def broken(**_: object) -> None:
        raise errors.CorruptStoreError("/secret/memory.db is damaged")

    monkeypatch.setattr(served.ghost, "list", broken)
    assert served.call("GET", "/readyz").json == {"status": "not ready"}
    assert served.call("GET", "/readyz").status == 503
    assert served.call("GET", "/healthz").status == 200
    answer = served.api("GET", "/memories")
    assert (answer.status, answer.json["message"]) == (500, "the database file is damaged")
    assert b"secret" not in answer.body


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.InvalidInputError, 400),
        (errors.PatchFormatError, 400),
        (errors.ForbiddenError, 403),
        (errors.ReadOnlyStoreError, 403),
        (errors.NewerStoreError, 403),
        (errors.NotFoundError, 404),
        (errors.ConflictError, 409),
        (errors.VersionConflictError, 409),
        (errors.PatchConflictError, 409),
        (errors.LockedError, 409),
        (errors.EngineError, 500),
        (errors.NotADatabaseError, 500),
        (errors.CorruptStoreError, 500),
        (errors.GhostError, 500),
        (errors.EmbeddingError, 502),
        (errors.ModelError, 502),
        (errors.StoreBusyError, 503),
        (errors.StoreFullError, 507),
    ],
)
def test_each_error_has_its_status(error: type[errors.GhostError], status: int) -> None:
    """Errors map by their class; what is the server's own business is told in general words only."""
    response = refusal(error("the words of /srv/memory.db", "a hint about /srv"))
    body = json.loads(bytes(response.body))
    assert response.status_code == status
    assert set(body) == {"error", "message", "hint"}
    assert ("/srv" in str(body)) == issubclass(
        error,
        errors.InvalidInputError
        | errors.ForbiddenError
        | errors.NotFoundError
        | errors.ConflictError,
    )


def test_another_writer_makes_the_store_busy(serve: Any) -> None:
    """A store that stays locked is 503 with a time to come back, and names no file."""
    served = serve(settings={"busy_timeout": 0.01})
    with served.ghost.store.engine.write():
        answer = served.api("PUT", "/memories/a/k", {"content": "x"})
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert "memory.db" not in answer.body.decode()
    assert served.api("PUT", "/memories/a/k", {"content": "x"}).status == 201
