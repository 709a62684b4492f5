"""Logs and metrics tell how requests went, and nothing of what was in them"""

import json
import logging
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem.web.logs import JsonLines, Metrics, to_stderr

if TYPE_CHECKING:
    from conftest import Served

SECRETS = ("bergamot", "private-key", "who-asked", "hushhush", "XMETHOD", "nosuchplace")


@pytest.fixture
def told(served: "Served") -> "tuple[Served, str]":
    """Make requests that carry secrets in every place they can, and return a token that sees the metrics."""
    secret, _ = served.ghost.admin.create_token("laptop", ["*:admin"])
    served.api(
        "PUT",
        "/memories/hushhush/private-key",
        {"content": "bergamot", "tags": ["who-asked"]},
        secret,
    )
    served.api("GET", "/memories/hushhush/private-key", None, secret)
    served.api("GET", "/memories/hushhush/private-kee", None, secret)
    served.api("POST", "/search", {"query": "who-asked bergamot"}, secret)
    served.api("GET", "/files?path=private-key", None, secret)
    served.api("GET", "/memories/bergamot", None, secret)
    served.api("XMETHOD", "/memories", None, secret)
    served.call("GET", "/nosuchplace/bergamot?q=who-asked", token=secret)
    served.api("GET", "/memories/hushhush/private-key", None, "ghost_bergamot")
    served.logged(served.api("GET", "/stats", Host="bergamot.example"))
    return served, secret


def test_a_line_for_each_request(told: "tuple[Served, str]") -> None:
    """Each line has when, what kind, how it went, how long, how much, who and an id that the client has seen too."""
    served, secret = told
    answer = served.api("GET", "/stats", None, secret)
    line = served.logged(answer)
    assert list(line) == ["time", "method", "route", "status", "ms", "bytes", "token", "request_id"]
    assert (line["method"], line["route"], line["status"], line["token"]) == (
        "GET",
        "/api/v1/stats",
        200,
        "laptop",
    )
    assert (line["bytes"], line["request_id"]) == (len(answer.body), answer.headers["x-request-id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", line["time"])
    statuses = [
        (line["method"], line["route"], line["status"], line["token"])
        for line in served.logs[-6:-1]
    ]
    assert statuses == [
        ("GET", "unmatched", 404, "laptop"),
        ("other", "unmatched", 405, "laptop"),
        ("GET", "unmatched", 404, "laptop"),
        ("GET", "unmatched", 401, ""),
        ("GET", "unmatched", 421, ""),
    ]


def test_no_secret_is_in_logs_or_metrics(told: "tuple[Served, str]") -> None:
    """Contents, keys, namespaces, queries, paths and tokens are in neither."""
    served, secret = told
    answer = served.call("GET", "/metrics", token=secret)
    served.logged(answer)
    metrics = answer.body.decode()
    for text in (json.dumps(served.logs), metrics):
        assert secret not in text
        assert [word for word in SECRETS if word in text] == []


def test_a_surprise_is_logged_without_its_words(
    served: "Served", monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error nobody thought of is a 500 with an id; the log has its class and place, and nobody its words."""

    def fail(*_: object, **__: object) -> None:
        raise ValueError("bergamot")

    monkeypatch.setattr(served.ghost, "get", fail)
    answer = served.api("GET", "/memories/a/k")
    assert (answer.status, answer.json["error"]) == (500, "InternalError")
    assert answer.headers["x-request-id"] in answer.json["hint"]
    assert b"bergamot" not in answer.body
    assert re.fullmatch(r"ValueError at test_logs\.py:\d+", served.logged(answer)["error"])
    assert "bergamot" not in json.dumps(served.logs)


def test_libraries_log_in_the_same_form() -> None:
    """The server's own words are kept, those of others are not, because nobody knows what is in them."""
    lines: list[dict[str, Any]] = []
    from datetime import UTC, datetime

    handler = JsonLines(lines.append, lambda: datetime(2026, 1, 1, tzinfo=UTC))
    for name in ("uvicorn.error", "other"):
        handler.emit(
            logging.LogRecord(name, logging.WARNING, "f.py", 1, "bergamot %s", ("x",), None)
        )
    assert [line.get("message") for line in lines] == ["bergamot x", None]
    assert [line["logger"] for line in lines] == ["uvicorn.error", "other"]


def test_lines_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """One object a line."""
    to_stderr({"a": "ü"})
    to_stderr({"a": 2})
    assert capsys.readouterr() == ("", '{"a": "ü"}\n{"a": 2}\n')


def test_metrics_in_the_form_that_prometheus_reads() -> None:
    """Counters by route, method and status; a histogram whose buckets add up; gauges as they are."""
    metrics = Metrics()
    metrics.observe("/x", "GET", 200, 0.004)
    metrics.observe("/x", "GET", 200, 0.3)
    metrics.observe("/x", "XMETHOD", 405, 99)
    text = metrics.render({"ghost_memories": ("Live memories.", 7)})
    assert 'ghost_http_requests_total{route="/x",method="GET",status="200"} 2\n' in text
    assert 'ghost_http_requests_total{route="/x",method="other",status="405"} 1\n' in text
    buckets = re.findall(r'_bucket\{route="/x",le="([^"]+)"\} (\d+)', text)
    assert [count for _, count in buckets] == ["1"] * 5 + ["1"] + ["2"] * 5 + ["3"]
    assert buckets[-1] == ("+Inf", "3")
    assert 'ghost_http_request_duration_seconds_count{route="/x"} 3\n' in text
    assert text.endswith("# TYPE ghost_memories gauge\nghost_memories 7\n")
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+(\{(\w+=\"[^\"]*\",?)+\})? [\d.]+", line), (
            line
        )


def test_metrics_count_the_store(serve: Callable[..., "Served"]) -> None:
    """The gauges are those of the store at that moment."""
    served = serve()
    served.ok("PUT", "/memories/a/k", {"content": "x"})
    served.ok("PUT", "/memories/a/k", {"content": "y"})
    text = served.call("GET", "/metrics").body.decode()
    assert "ghost_memories 1\n" in text
    assert "ghost_memory_versions 2\n" in text
    assert 'route="/api/v1/memories/{ns}/{key}",method="PUT",status="201"} 1\n' in text
