"""What nobody should send: each is answered with a refusal, and the server goes on"""

import json
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Served

PUT = "/memories/a/k"


@pytest.fixture(autouse=True)
def still_alive(served: "Served") -> object:
    """After each test the server answers, has stored nothing, and has logged no surprise."""
    yield
    served.logged(served.call("GET", "/healthz"))
    assert served.ghost.list("a") == []
    assert [line for line in served.logs if line["status"] >= 500 or "error" in line] == []


BODIES = {
    "deep lists": b'{"content": "x", "meta": {"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}}",
    "deep objects": b'{"content": "x", "meta": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001,
    "rather deep": b'{"content": "x", "meta": {"a": ' + b"[" * 900 + b"]" * 900 + b"}}",
    "never closed": b"[" * 100_000,
    "a number of 5000 digits": b'{"content": "x", "importance": ' + b"9" * 5000 + b"}",
    "a number of 400 digits": b'{"content": "x", "importance": ' + b"9" * 400 + b"}",
    "a huge exponent": b'{"content": "x", "importance": 1e999}',
    "a huge exponent in meta": b'{"content": "x", "meta": {"a": 1e999}}',
    "not a number": b'{"content": "x", "importance": NaN}',
    "infinity": b'{"content": "x", "meta": {"a": -Infinity}}',
    "a huge version": b'{"content": "x", "base_version": 99999999999999999999}',
    "a broken text": b'{"content": "\xff\xfe"}',
    "utf-16": '{"content": "x"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"content": "x"}',
    "a lone surrogate": b'{"content": "\\ud800"}',
    "a lone surrogate as a name": b'{"content": "x", "\\ud800": 1}',
    "a lone surrogate in meta": b'{"content": "x", "meta": {"a": "\\udfff"}}',
    "a lone surrogate in a tag": b'{"content": "x", "tags": ["\\udfff"]}',
    "a NUL": b'{"content": "a\\u0000b"}',
    "two objects": b'{"content": "x"}{"content": "y"}',
    "a text": b'"content"',
    "nothing": b"null",
    "blanks": b"   ",
    "a wrong type": b'{"content": ["x"]}',
    "true for a number": b'{"content": "x", "importance": true}',
    "a long list": b'{"content": "x", "tags": [' + b'"t",' * 100_000 + b'"t"]}',
    "markup": b"<content>x</content>",
}


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("name", BODIES)
def test_bodies(served: "Served", name: str) -> None:
    """A body that is not a plain object of what is expected is a 400."""
    answer = served.api("PUT", PUT, BODIES[name])
    assert (answer.status, answer.json["error"]) == (400, "InvalidInputError"), answer


SEARCHES = [
    '{"query": "x", "min_score": %s}',
    '{"query": "x", "limit": %s}',
    '{"query": "x", "ns": %s}',
    '{"query": "x", "now": %s}',
]


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("body", SEARCHES)
@pytest.mark.parametrize(
    "value",
    [
        "9" * 400,
        "-" + "9" * 400,
        "1e308",
        "[]",
        "{}",
        '"\\u0000"',
        '"\\ud800"',
        '"' + "9" * 5000 + '"',
        "0.5e-400",
    ],
)
def test_values_of_a_search(served: "Served", body: str, value: str) -> None:
    """No value of any field is a surprise."""
    assert served.api("POST", "/search", (body % value).encode()).status in (200, 400)


PATHS = [
    ("/memories/a/%ff%fe", 400),
    ("/memories/a/%", 400),
    ("/memories/a/%zz", 400),
    ("/memories/a/%c0%af", 400),
    ("/memories/a/%ed%a0%80", 400),
    ("/memories/a/%00", 400),
    ("/memories/a/%0d%0aX-Evil:%201", 404),
    ("/memories/a/" + "x" * 5000, 400),
    ("/memories/" + "x" * 5000 + "/k", 400),
    ("/memories/a/../../../etc/passwd", 404),
    ("/memories/a/%2e%2e%2f%2e%2e%2fetc%2fpasswd", 404),
    ("/../../etc/passwd", 404),
    ("//memories", 404),
    ("/memories/a/k;x=y", 404),
    ("/memories?%ff=1", 400),
    ("/memories?ns=%ff", 400),
    ("/memories?ns=%", 400),
    ("/memories?ns=%00", 400),
    ("/memories?" + "a=1&" * 5000, 400),
    ("/memories?limit=%EF%BC%91", 400),
    ("/memories?limit=1_0", 400),
    ("/memories?limit=" + "9" * 5000, 400),
    ("/memories?offset=-1", 400),
    ("/edges/candidates?ns=a" + "&seed=x" * 1000, 400),
]


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize(("path", "status"), PATHS, ids=lambda value: str(value)[:40])
def test_paths(served: "Served", path: str, status: int) -> None:
    """Paths are taken apart before they are decoded, and decoded strictly."""
    answer = served.api("GET", path)
    assert answer.status == status, answer
    assert "x-evil" not in answer.headers
    assert set(answer.json) == {"error", "message", "hint"}


def raw(served: "Served", data: bytes) -> bytes:
    """Send bytes as they are, and read until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as link:
        found = b""
        with suppress(
            OSError
        ):  # the server may have refused it and closed before all of it was sent
            link.sendall(data)
            link.shutdown(socket.SHUT_WR)
        with suppress(ConnectionError):
            while part := link.recv(65536):
                found += part
    return found


HEAD = b"Host: localhost\r\nConnection: close\r\n"
BODY = b'{"content": "x"}'
PATH = b"/api/v1/memories/a/k"
JUNK = {
    "two lengths": b"PUT "
    + PATH
    + b" HTTP/1.1\r\n"
    + HEAD
    + b"Content-Length: 16\r\nContent-Length: 5\r\n\r\n"
    + BODY,
    "length and chunks": b"PUT "
    + PATH
    + b" HTTP/1.1\r\n"
    + HEAD
    + b"Transfer-Encoding: xchunked\r\nContent-Length: 16\r\n\r\n"
    + BODY,
    "a length with a sign": b"PUT "
    + PATH
    + b" HTTP/1.1\r\n"
    + HEAD
    + b"Content-Length: +16\r\n\r\n"
    + BODY,
    "a negative length": b"PUT "
    + PATH
    + b" HTTP/1.1\r\n"
    + HEAD
    + b"Content-Length: -1\r\n\r\n"
    + BODY,
    "a folded header": b"GET /api/v1/stats HTTP/1.1\r\nHost: evil.example\r\n Host: localhost\r\nConnection: close\r\n\r\n",
    "a blank before the colon": b"GET /api/v1/stats HTTP/1.1\r\nHost : localhost\r\nConnection: close\r\n\r\n",
    "two hosts": b"GET /api/v1/stats HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "no host": b"GET /api/v1/stats HTTP/1.1\r\nConnection: close\r\n\r\n",
    "no host, old protocol": b"GET /api/v1/stats HTTP/1.0\r\n\r\n",
    "two authorizations": b"GET /api/v1/stats HTTP/1.1\r\n"
    + HEAD
    + b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
    "a NUL in a header": b"GET /api/v1/stats HTTP/1.1\r\n" + HEAD + b"X: a\x00b\r\n\r\n",
    "a path of raw bytes": b"GET /api/v1/memories/a/\xff HTTP/1.1\r\n" + HEAD + b"\r\n",
    "an absolute address": b"GET http://evil.example/api/v1/stats HTTP/1.1\r\n" + HEAD + b"\r\n",
    "a long header": b"GET /api/v1/stats HTTP/1.1\r\n"
    + HEAD
    + b"X: "
    + b"x" * 200_000
    + b"\r\n\r\n",
    "a long path": b"GET /api/v1/" + b"x" * 200_000 + b" HTTP/1.1\r\n" + HEAD + b"\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100,
    "a connect": b"CONNECT evil.example:443 HTTP/1.1\r\n" + HEAD + b"\r\n",
    "an upgrade": b"GET /api/v1/nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n",
}


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize("name", JUNK)
def test_what_is_no_proper_request(served: "Served", name: str) -> None:
    """Requests that two readers could read in two ways, or nobody at all, never reach the store."""
    try:
        answer = raw(served, JUNK[name])
    except ConnectionError:
        return  # cut off before it could be read to its end
    assert answer == b"" or answer.split(b" ")[1][:1] == b"4", answer[:200]
    assert answer.count(b"HTTP/1.1 ") <= 1


def test_a_second_request_cannot_hide_in_the_first(served: "Served") -> None:
    """With both a length and chunks the chunks count, and what follows them is a request of its own that needs its own name."""
    hidden = (
        b"PUT "
        + PATH
        + b" HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n"
        + BODY
    )
    first = b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    answer = raw(served, first % (5 + len(hidden)) + hidden)
    assert b" 200 " not in answer
    assert b" 201 " not in answer


def test_an_error_never_repeats_a_header(served: "Served") -> None:
    """What a client sends does not come back as a header."""
    answer = served.api("GET", "/memories/a/x%0d%0aSet-Cookie:%20a=b", X_Request_Id="evil\tid")
    assert "set-cookie" not in answer.headers
    assert len(answer.headers["x-request-id"]) == 16


def test_queries_that_look_like_syntax(served: "Served") -> None:
    """A question is data, never syntax."""
    for query in [
        '"',
        "a AND",
        "NEAR(",
        "*",
        "'; DROP TABLE memories; --",
        "\\",
        "a" * 50_000,
        "%00",
        "(" * 1000,
    ]:
        assert served.api("POST", "/search", json.dumps({"query": query}).encode()).status == 200


def test_a_body_is_refused_where_fields_belong_into_the_query(served: "Served") -> None:
    """A dry run that is asked for in the body of a DELETE does not become a deletion."""
    served.ghost.put("b", "tea", "Green.")
    for method, path in (("DELETE", "/memories/b/tea"), ("GET", "/memories")):
        answer = served.api(method, path, {"dry_run": True})
        assert answer.status == 400
        assert answer.json["message"] == "this path takes no body"
    assert served.ghost.get("b", "tea").content == "Green."
    assert served.api("DELETE", "/memories/b/tea", {}).status == 200  # as some clients send it


def test_a_number_with_many_digits_is_too_large(served: "Served") -> None:
    """A whole number beyond 64 bits in a query is called too large, not something else."""
    answer = served.api("GET", f"/memories?limit={10**25}")
    assert answer.status == 400
    assert "too large" in answer.json["message"]
