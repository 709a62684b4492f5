"""Frames that are no request: each gets the error that JSON-RPC demands, and batches and equal ids get all their answers"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Pipes, Place

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
DEEP = 900
UNREADABLE: list[tuple[bytes, int, Any]] = [
    (b"{", PARSE_ERROR, None),
    (b"}", PARSE_ERROR, None),
    (b"Content-Length: 10", PARSE_ERROR, None),
    (b"\xff\xfe\xfd", PARSE_ERROR, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', PARSE_ERROR, None),
    (b"9" * 6000, PARSE_ERROR, None),
    (b"[" * 100_000, PARSE_ERROR, None),
    (b'{"a":' * 100_000, PARSE_ERROR, None),
    (b"\xef\xbb\xbf{}", INVALID_REQUEST, None),
    (b"null", INVALID_REQUEST, None),
    (b"7", INVALID_REQUEST, None),
    (b'"text"', INVALID_REQUEST, None),
    (b"[]", INVALID_REQUEST, None),
    (b"{}", INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":1}', INVALID_REQUEST, 1),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', INVALID_REQUEST, None),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', INVALID_REQUEST, 1),
    (b'{"id":"a","method":"ping"}', INVALID_REQUEST, "a"),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', INVALID_REQUEST, 1),
    (
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * DEEP + b"]" * DEEP + b"}",
        INVALID_REQUEST,
        1,
    ),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', INVALID_PARAMS, 1),
]
SILENT = [
    b"",
    b"  ",
    b'{"jsonrpc":"2.0","method":"notifications/nothing"}',
    b'{"jsonrpc":"2.0","method":"notifications/nothing","params":7}',
    b'{"jsonrpc":"2.0","id":1,"result":{}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
    b'{"jsonrpc":"2.0","id":null,"error":7}',
]


def request(id_: Any, method: str = "ping", **params: Any) -> dict[str, Any]:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": id_, "method": method, **({"params": params} if params else {})}


@pytest.fixture(params=["older", "newer"])
def server(request: pytest.FixtureRequest, place: "Place") -> Iterator["Pipes"]:
    """Return a server after the first exchange with a client of each protocol."""
    with place.pipes() as found:
        if request.param == "newer":
            found.modern().request("server/discover")
        else:
            found.initialize()
        yield found
        assert found.leave() == 0


def test_unreadable_frames_are_answered(server: "Pipes") -> None:
    """Each gets one error, with the id where there is one to read, and nothing else is sent."""
    server.replies.clear()
    for frame, code, id_ in UNREADABLE:
        server.replies.clear()
        server.send(frame)
        (reply,) = server.wait_for_replies(1)
        assert (reply["jsonrpc"], reply["id"], reply["error"]["code"]) == ("2.0", id_, code), frame[
            :60
        ]
        assert reply["error"]["message"].strip()
    server.replies.clear()
    for frame in SILENT:
        server.send(frame)
    assert server.request("tools/list")["result"]["tools"]
    assert len(server.replies) == 1


def test_equal_ids_in_flight_are_all_answered(server: "Pipes") -> None:
    """Five requests with one id, sent without waiting, get five answers."""
    server.replies.clear()
    for number in range(5):
        server.start(
            "tools/call",
            {"name": "ghost_put", "arguments": {"ns": "a", "key": f"k{number}", "content": "tea"}},
            7,
        )
    replies = server.wait_for_replies(5)
    assert [reply["id"] for reply in replies] == [7] * 5
    assert {reply["result"]["structuredContent"]["key"] for reply in replies} == {
        f"k{number}" for number in range(5)
    }


def test_a_message_with_a_byte_order_mark_is_read(server: "Pipes") -> None:
    """A byte order mark before a request does no harm."""
    envelope = {"_meta": server.envelope} if server.envelope else {}
    server.send(b"\xef\xbb\xbf" + json.dumps(request(5, "tools/list", **envelope)).encode())
    assert server.answer(5)["result"]["tools"]


def test_a_batch_is_answered_by_the_version_that_has_them(place: "Place") -> None:
    """One list comes back with a response for each request and each item that cannot be read, and none for a notification."""
    with place.pipes() as server:
        assert server.initialize("2025-03-26")["protocolVersion"] == "2025-03-26"
        put = request(
            "put",
            "tools/call",
            name="ghost_put",
            arguments={"ns": "a", "key": "k", "content": "tea"},
        )
        notification = {"jsonrpc": "2.0", "method": "notifications/nothing"}
        server.lines.clear()
        server.send(
            [
                request(1),
                notification,
                put,
                7,
                request(None),
                request(2, "nonsense"),
                request(3, "initialize"),
            ]
        )
        assert server.answer("put")["result"]["structuredContent"]["version"] == 1
        (line,) = server.lines
        found = [(reply["id"], reply.get("error", {}).get("code")) for reply in json.loads(line)]
        assert sorted(found, key=str) == sorted(
            [(1, None), ("put", None), (None, -32600), (None, -32600), (2, -32601), (3, -32600)],
            key=str,
        )


@pytest.mark.parametrize("batch", [[], [request(1)] * 101], ids=["empty", "too long"])
def test_a_batch_of_no_good_length_is_refused(place: "Place", batch: list[Any]) -> None:
    """One error answers the whole of it."""
    with place.pipes() as server:
        server.initialize("2025-03-26")
        server.replies.clear()
        server.send(batch)
        (reply,) = server.wait_for_replies(1)
        assert (reply["id"], reply["error"]["code"]) == (None, INVALID_REQUEST)
        assert server.request("ping")["result"] == {}


def test_a_batch_of_notifications_is_not_answered(place: "Place") -> None:
    """There is nothing to say, not even an empty list."""
    with place.pipes() as server:
        server.initialize("2025-03-26")
        server.lines.clear()
        server.send([{"jsonrpc": "2.0", "method": "notifications/nothing"}] * 3)
        assert server.request("ping")["result"] == {}
        assert len(server.lines) == 1


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", None])
def test_a_batch_is_refused_by_other_versions(place: "Place", version: str | None) -> None:
    """One error that says so, also before a version was negotiated."""
    with place.pipes() as server:
        if version == "2026-07-28":
            server.modern().request("server/discover")
        elif version is not None:
            server.initialize(version)
        server.replies.clear()
        server.send([request(1), request(2)])
        (reply,) = server.wait_for_replies(1)
        assert (reply["id"], reply["error"]["code"]) == (None, INVALID_REQUEST)
        assert "2025-03-26" in reply["error"]["message"]


def test_a_cancelled_request_of_a_batch_leaves_the_others(place: "Place") -> None:
    """What was taken back is left out, and the list comes all the same."""
    with place.pipes() as server:
        server.initialize("2025-03-26")
        server.lines.clear()
        calls = [
            request(number, "tools/call", name="ghost_search", arguments={"query": "tea"})
            for number in range(20)
        ]
        cancel = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": 19},
        }
        server.send([*calls, cancel])
        server.answer(0)
        (line,) = server.lines
        assert {reply["id"] for reply in json.loads(line)} >= set(range(19))


@pytest.mark.parametrize("levels", [101, 118, DEEP])
def test_deep_arguments_are_refused(server: "Pipes", levels: int) -> None:
    """A call whose arguments are nested too deep is answered with one sentence, and nothing is written."""
    nested: Any = 1
    for _ in range(levels):
        nested = [nested]
    for name in ("tags", "other"):
        arguments = {"ns": "a", "key": "deep", "content": "tea", name: nested}
        reply = server.request("tools/call", {"name": "ghost_put", "arguments": arguments})
        told = (
            reply["error"]["message"] if "error" in reply else reply["result"]["content"][0]["text"]
        )
        assert "Recursion" not in told
        assert "error" in reply or reply["result"]["isError"]
    assert server.call("ghost_get", {"ns": "a", "key": "deep"})["isError"]
