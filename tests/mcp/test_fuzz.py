"""Thousands of malformed frames and arguments: each is answered, the server never dies, and it never loses a write"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.mcp.memory_tools import MEMORY
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from conftest import Pipes, Place

FRAMES = 5000
WORDS = [
    "a",
    "",
    *"k tea * a:*".split(),
    "\x00",
    "é",
    "🍵",
    "x" * 3000,
    "'; --",
    "{ns}",
    "../..",
    "\u202e",
    "NaN",
    "7d",
    "2026-01-01",
]
NUMBERS = [
    0,
    1,
    -1,
    2,
    0.5,
    1.5,
    -0.0,
    1e308,
    1e-308,
    2**31,
    2**53,
    2**63,
    2**64,
    -(2**70),
    10**30,
    10**400,
]
METHODS = [
    "tools/call",
    "tools/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "ping",
    "initialize",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "logging/setLevel",
    "server/discover",
    "sampling/createMessage",
    "roots/list",
    "nonsense",
    "",
]
RUBBISH = [
    b"",
    b" ",
    b"{",
    b"}",
    b"null",
    b"true",
    b"7",
    b"[]",
    b"{}",
    b'"text"',
    b"\x00",
    b"\xff\xfe\xfd",
    b"\xef\xbb\xbf{}",
    b"NaN",
    b'{"jsonrpc":"2.0"}',
    b'{"jsonrpc":"2.0","id":1}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":[],"method":"ping"}',
    b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    b'{"id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":7}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":7}',
    b'{"jsonrpc":"2.0","id":1,"result":{}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
    b'{"jsonrpc":"2.0","id":1,"error":7}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
    b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
    b"Content-Length: 10",
    b"[" * 3000,
    b'{"a":' * 1000,
    b"9" * 6000,
]


def a_value(chance: random.Random, depth: int = 0) -> Any:
    """Return some JSON value."""
    roll = chance.random()
    if roll < 0.3:
        return chance.choice(WORDS)
    if roll < 0.5:
        return chance.choice(NUMBERS)
    if roll < 0.65 or depth > 2:
        return chance.choice([None, True, False])
    if roll < 0.85:
        return [a_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(WORDS): a_value(chance, depth + 1) for _ in range(chance.randrange(4))}


def some_arguments(chance: random.Random) -> tuple[str, Any]:
    """Return a tool's name and arguments that are nearly right, or not at all."""
    tool = chance.choice(MEMORY)
    given: dict[str, Any] = {}
    for name, schema in tool.parameters.items():
        if name not in tool.required and chance.random() < 0.6:
            continue
        if chance.random() < 0.35:
            given[name] = a_value(chance)
        elif "enum" in schema:
            given[name] = chance.choice(schema["enum"])
        elif schema["type"] == "string":
            given[name] = "fuzz" if name == "ns" else chance.choice(WORDS[:10])
        elif schema["type"] == "array":
            given[name] = [chance.choice(WORDS[:10]) for _ in range(chance.randrange(4))]
        elif schema["type"] == "boolean":
            given[name] = chance.random() < 0.5
        else:
            given[name] = chance.choice([1, 2, 7, 0.5, *NUMBERS])
    if chance.random() < 0.1:
        given[chance.choice(WORDS)] = a_value(chance)
    if chance.random() < 0.05:
        return chance.choice([*WORDS, "ghost_"]), given
    return tool.name, a_value(chance) if chance.random() < 0.03 else given


def a_frame(chance: random.Random, number: int, envelope: dict[str, Any]) -> tuple[bytes, str]:
    """Return one line to send, which is a call, another request, rubbish, or one of them with bytes changed; a call that is a
    well-formed request has an id of its own, which is returned as well."""
    roll = chance.random()
    if roll < 0.1:
        return chance.choice(RUBBISH), ""
    id_, frame = "", a_value(chance)
    if roll < 0.3:
        params = (
            a_value(chance)
            if chance.random() < 0.5
            else {"name": chance.choice(WORDS), "uri": f"memory://{chance.choice(WORDS)}"}
        )
        frame = {
            "jsonrpc": "2.0",
            "id": number,
            "method": chance.choice(METHODS),
            "params": enveloped(params, envelope),
        }
    elif roll < 0.9:
        name, arguments = some_arguments(chance)
        params = enveloped({"name": name, "arguments": arguments}, envelope)
        if chance.random() < 0.8:
            id_ = f"call-{number}" if arguments is None or isinstance(arguments, dict) else ""
            frame = {
                "jsonrpc": "2.0",
                "id": id_ or number,
                "method": "tools/call",
                "params": params,
            }
            return json.dumps(frame, ensure_ascii=chance.random() < 0.5).encode(), id_
        frame = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    data = bytearray(json.dumps(frame).encode())
    for _ in range(chance.randrange(6)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    if chance.random() < 0.2:
        data = data[: chance.randrange(len(data) + 1)]
    return bytes(data).replace(b"\n", b" ").replace(b"\r", b" "), ""


def enveloped(params: Any, envelope: dict[str, Any]) -> Any:
    """Put the envelope of the new protocol around parameters that can take it."""
    return {**params, "_meta": envelope} if envelope and isinstance(params, dict) else params


def owed(frame: bytes) -> int:
    """Return how many responses a frame must get: none for an empty line, a notification or a response, else one."""
    if not frame.strip():
        return 0
    try:
        found = json.loads(frame.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return 1
    if not isinstance(found, dict) or found.get("jsonrpc") != "2.0":
        return 1
    is_response = "method" not in found and ("result" in found or "error" in found)
    is_notification = isinstance(found.get("method"), str) and "id" not in found
    return 0 if is_response or is_notification else 1


def survive(place: "Place", server: "Pipes", frames: int, seed: int) -> None:
    """Send frames, with puts between them whose answers are waited for; afterwards all of those are there.

    Every frame that can have a response gets exactly one.
    """
    chance = random.Random(seed)
    responses = 0
    told: dict[str, str] = {}
    calls: list[str] = []
    for number in range(frames):
        frame, id_ = a_frame(chance, number, server.envelope)
        server.send(frame)
        responses += owed(frame)
        calls += [id_] if id_ else []
        if number % 50 == 0:
            key = f"kept-{seed}-{number}"
            told[key] = f"memory {number}"
            server.ok("ghost_put", ns="kept", key=key, content=told[key])
            assert server.process.poll() is None
    broken = [answer for answer in map(server.answer, calls) if "result" not in answer]
    for key, content in told.items():
        assert server.ok("ghost_get", ns="kept", key=key)["content"] == content
    assert server.ok("ghost_search", ns="kept", query="memory")["results"]
    server.wait_for_replies(server.asked + responses)
    for line in server.lines:
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert server.leave() == 0
    assert len(server.replies) == server.asked + responses
    with place.ghost() as ghost:
        assert {memory.key for memory in ghost.list("kept", limit=10_000)} == set(told)
        assert ghost.admin.check().problems == ()
    assert len(calls) > frames / 3
    assert broken == []


@pytest.mark.parametrize("modern", [False, True])
def test_malformed_frames(place: "Place", modern: bool) -> None:
    """Five thousand frames, most of them wrong in some way, leave the process alive and every acknowledged put in place."""
    with place.pipes() as server:
        server.modern() if modern else server.initialize()
        server.ok("ghost_put", ns="fuzz", key="a", content="something to find")
        survive(place, server, FRAMES // 2, 1 + modern)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 18))
def test_many_more_malformed_frames(place: "Place", seed: int) -> None:
    """The same, many times as long, with other frames each time."""
    with place.pipes() as server:
        server.modern() if seed % 2 else server.initialize()
        survive(place, server, FRAMES * 5, seed)


@pytest.mark.parametrize("frame", RUBBISH, ids=range(len(RUBBISH)))
def test_rubbish_first(shared_rubbish: "Pipes", frame: bytes) -> None:
    """Each sort of rubbish by itself, before anything else was said or in between, is answered, and so is the next request."""
    before = len(shared_rubbish.replies)
    shared_rubbish.send(frame)
    shared_rubbish.wait_for_replies(before + owed(frame))
    assert shared_rubbish.request("ping").get("result") == {}
    assert len(shared_rubbish.replies) == before + owed(frame) + 1


@pytest.fixture(scope="module")
def shared_rubbish(
    tmp_path_factory: pytest.TempPathFactory, shared_place: "Place"
) -> Iterator["Pipes"]:
    """Return a server that has been told nothing but rubbish."""
    with type(shared_place)(tmp_path_factory.mktemp("rubbish")).pipes() as server:
        yield server
        assert server.leave() == 0


def test_a_frame_of_many_megabytes(place: "Place") -> None:
    """A frame of eight megabytes is read and answered, and so is the next."""
    with place.pipes() as server:
        server.initialize()
        assert server.call("ghost_search", {"query": "tea " * 2_000_000}).get("isError") in {
            None,
            False,
            True,
        }
        assert server.ok("ghost_put", ns="a", key="k", content="c")["version"] == 1


@pytest.fixture(scope="module")
def face(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolServer]:
    """Return a face on a store that many wrong calls are made to."""
    path = Path(tmp_path_factory.mktemp("fuzz")) / "memory.db"
    with Ghost.open(path, settings=Settings(embed_provider="none", synchronous="normal")) as ghost:
        yield ToolServer(ghost, folder="/")
        assert ghost.admin.check().problems == ()


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from([*WORDS, *NUMBERS]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("tool", MEMORY, ids=lambda tool: tool.name)
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_arguments_are_answered(face: ToolServer, tool: Any, data: st.DataObject) -> None:
    """Whatever a tool is called with, the answer is a result, and one with an error says what to do."""
    arguments: dict[str, Any] = {}
    for name in data.draw(
        st.lists(st.sampled_from([*tool.parameters, "other"]), max_size=5, unique=True)
    ):
        choices = tool.parameters.get(name, {}).get("enum")
        arguments[name] = data.draw(st.sampled_from(choices) | ANY if choices else ANY)
    for name in tool.required:
        if name not in arguments and data.draw(st.integers(0, 4)):
            arguments[name] = data.draw(
                st.text(min_size=1, max_size=10)
                | st.sampled_from(tool.parameters[name].get("enum", ["tea"]))
            )
    result = face.call(tool.name, arguments)
    text = result["content"][0]["text"]
    assert text.strip()
    if result["isError"]:
        error, _, hint = text.partition("\nhint: ")
        assert error.startswith("error: ")
        assert hint.strip()
    types.CallToolResult.model_validate(result).model_dump_json()


@settings(max_examples=150, deadline=None)
@given(name=ANY, given=st.none() | st.dictionaries(st.text(max_size=10), ANY, max_size=4))
def test_any_name_is_answered(face: ToolServer, name: Any, given: Any) -> None:
    """A tool of any name, with any arguments, is told not to be there."""
    if isinstance(name, str) and name not in face.tools:
        assert face.call(name, given)["isError"]
