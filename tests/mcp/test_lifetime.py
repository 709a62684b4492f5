"""How a server ends, and that nothing acknowledged is lost however it does"""

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Pipes, Place

LINUX = pytest.mark.skipif(
    sys.platform == "win32", reason="has no signals and no parents to be orphaned of"
)
FAST = "import ghostmem.mcp.stdio as s; s.WATCH = 0.1; from ghostmem.cli.main import main; main(['mcp'])"
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(child.pid, file=sys.stderr, flush=True)
child.wait()
"""
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


def put(server: "Pipes", key: str, content: str = "The user drinks green tea.") -> dict[str, Any]:
    """Store a memory and wait for the word that it is stored."""
    return server.ok("ghost_put", ns="a", key=key, content=content)


@pytest.mark.parametrize("modern", [False, True])
def test_it_leaves_when_its_input_closes(place: "Place", modern: bool) -> None:
    """A server whose client has gone away exits 0 and says nothing more."""
    with place.pipes() as server:
        server.modern() if modern else server.initialize()
        put(server, "k")
        assert server.leave() == 0
        assert server.said == b""


def test_it_leaves_when_nobody_ever_spoke(place: "Place") -> None:
    """A server that was started and closed at once exits 0."""
    with place.pipes() as server:
        assert server.leave() == 0
        assert (server.lines, server.said) == ([], b"")


@pytest.mark.parametrize("modern", [False, True])
def test_it_answers_without_the_database_server(place: "Place", modern: bool) -> None:
    """A client is told which server cannot be reached, by the tools that need it and on stderr."""
    url = "postgresql://127.0.0.1:1/none"
    with place.pipes(GHOST_DB=url, GHOST_BUSY_TIMEOUT="0.5") as server:
        server.modern() if modern else server.initialize()
        assert server.request("tools/list")["result"]["tools"]
        failed = server.call("ghost_search", {"query": "tea"})
        assert failed["isError"]
        assert f"{url} cannot be reached" in failed["content"][0]["text"]
        assert server.leave() == 0
        assert b"cannot be reached" in server.said


@pytest.mark.parametrize("modern", [False, True])
def test_it_leaves_when_its_output_is_closed_too(place: "Place", modern: bool) -> None:
    """A client that vanished with both pipes leaves no process behind."""
    with place.pipes() as server:
        server.modern() if modern else server.initialize()
        put(server, "k")
        server.start("tools/list")
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.close_input()
        assert server.process.wait(60) in {0, 1}


@pytest.mark.parametrize("modern", [False, True])
def test_requests_before_the_end_are_answered(place: "Place", modern: bool) -> None:
    """A client may send its requests and close the server's input at once."""
    with place.pipes() as server:
        server.modern() if modern else server.initialize()
        put(server, "first")
        made = server.start_puts(30)
        assert server.leave() == 0
        assert set(made) <= server.answers.keys()


def test_what_was_asked_before_the_end_is_done_or_not_but_never_half(place: "Place") -> None:
    """Puts in flight when the input closes are each stored whole or not at all, and every one that was answered is there."""
    with place.pipes() as server:
        server.initialize()
        made = server.start_puts(30)
        assert server.leave() == 0
        told = {
            server.answers[id_]["result"]["structuredContent"]["key"]
            for id_ in made
            if "result" in server.answers.get(id_, {})
        }
    with place.ghost() as ghost:
        assert told <= {memory.key for memory in ghost.list("a", limit=100)}
        assert ghost.admin.check().problems == ()


@contextmanager
def orphan(place: "Place") -> Iterator[tuple[subprocess.Popen[bytes], int, int, int]]:
    """Start a server below a parent, with both its pipes held here; yield the parent, the server's id and the pipes."""
    theirs_in, ours_in = os.pipe()
    ours_out, theirs_out = os.pipe()
    words = [sys.executable, "-c", PARENT, FAST]
    parent = subprocess.Popen(
        words,
        stdin=theirs_in,
        stdout=theirs_out,
        stderr=subprocess.PIPE,
        env=place.env(),
        cwd=place.work,
    )
    os.close(theirs_in)
    os.close(theirs_out)
    assert parent.stderr is not None
    pid = int(parent.stderr.readline())
    try:
        os.write(ours_in, PING)
        assert os.read(ours_out, 1000) == PONG
        yield parent, pid, ours_in, ours_out
    finally:
        if parent.poll() is None:
            parent.kill()
        parent.wait()
        if not select.select([ours_out], [], [], 0)[0]:
            os.kill(
                pid, signal.SIGKILL
            )  # it holds the other end of our pipe, so the id is still its own
        parent.stderr.close()
        os.close(ours_in)
        os.close(ours_out)


@LINUX
def test_it_leaves_when_its_parent_is_killed_though_the_pipe_stays_open(place: "Place") -> None:
    """A server whose parent died ends by itself, even while somebody else still holds its standard input open."""
    with orphan(place) as (parent, _, _, output):
        parent.kill()
        parent.wait()
        ready = select.select([output], [], [], 30)[0]
        assert ready, "the server lives on without its parent"
        assert os.read(output, 1000) == b""


@LINUX
def test_it_stays_while_its_parent_lives(place: "Place") -> None:
    """Looking for the parent many times over does not end a server that has one."""
    with orphan(place) as (_, _, input_, output):
        assert select.select([output], [], [], 1.0)[0] == []
        os.write(input_, PING)
        assert os.read(output, 1000) == PONG


@LINUX
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name
)
def test_it_leaves_at_a_signal(place: "Place", number: signal.Signals) -> None:
    """A server that is told to end does, without waiting for its client and without a traceback; what it stored is there."""
    with place.pipes() as server:
        server.initialize()
        put(server, "k")
        server.signal(number)
        code = server.end()
        assert code in {0, -number, 128 + number}
        assert b"Traceback" not in server.said
    with place.ghost() as ghost:
        assert ghost.get("a", "k").version == 1
        assert ghost.admin.check().problems == ()


@pytest.mark.wide(keep=1)
@pytest.mark.smoke
@LINUX
@pytest.mark.parametrize("after", [1, 5, 20])
def test_a_killed_server_loses_nothing_it_acknowledged(place: "Place", after: int) -> None:
    """Every put that was answered before a SIGKILL is there for the next server, and the store is whole."""
    with place.pipes() as server:
        server.initialize()
        made = server.start_puts(40)
        for id_ in made[:after]:
            server.answers[id_] = server.answer(id_)
        server.signal(signal.SIGKILL)
        assert server.end() == -signal.SIGKILL
        told = [
            server.answers[id_]["result"]["structuredContent"]
            for id_ in made
            if id_ in server.answers
        ]
    assert len(told) >= after
    with place.pipes() as server:
        server.initialize()
        for memory in told:
            found = server.ok("ghost_get", ns="a", key=memory["key"])
            assert found["version"] == memory["version"]
            assert found["content"]
    with place.ghost() as ghost:
        assert ghost.admin.check().problems == ()


def test_it_is_the_same_after_a_restart(place: "Place") -> None:
    """A second server on the same store gives the same tools, hits, context, edges, resources and errors as the first."""

    def seen(server: "Pipes") -> list[Any]:
        pack = server.ok("ghost_context", ns="a", query="the build of the shop")
        return [
            server.request("tools/list")["result"],
            [
                (hit["key"], hit["score"])
                for hit in server.ok("ghost_search", ns="a", query="the build of the shop")[
                    "results"
                ]
            ],
            [memory["key"] for memory in pack["memories"]],
            server.ok("ghost_expand", ns="a"),
            [
                (edge["from"], edge["rel"], edge["to"])  # a context strengthens edges
                for edge in server.ok("ghost_edge", ns="a", from_key="a", op="list")["edges"]
            ],
            server.request("resources/list")["result"],
            server.request("prompts/list")["result"],
            server.call("ghost_get", {"ns": "a", "key": "nope"}),
            server.ok("ghost_get", ns="a", key="a")["content"],
        ]

    with place.pipes() as server:
        server.initialize()
        for key, content in (
            ("a", "The build of the shop broke."),
            ("b", "The build of the shop was mended."),
            ("c", "Tea."),
        ):
            put(server, key, content)
        server.ok("ghost_edge", ns="a", from_key="a", to_key="b", rel="relates_to")
        server.ok(
            "ghost_consolidate",
            ns="a",
            summary_key="s",
            content="The build.",
            source_keys=["a", "b"],
        )
        first = seen(server)
        assert server.leave() == 0
    with place.pipes() as server:
        server.initialize()
        assert seen(server) == first
        assert put(server, "a", "The build of the shop broke again.")["version"] == 2


def test_four_clients_write_at_once(place: "Place") -> None:
    """Four servers with a client each write at the same time: nothing is refused, nothing is lost, every version is there."""
    each, refused, told = 25, [], []

    def work(number: int) -> None:
        with place.agent() as agent:
            barrier.wait(60)
            for turn in range(each):
                own = agent.raw(
                    "ghost_put",
                    {
                        "ns": "a",
                        "key": f"own-{number}-{turn}",
                        "content": f"client {number} turn {turn}",
                    },
                )
                shared = agent.raw(
                    "ghost_put",
                    {"ns": "a", "key": "shared", "content": f"client {number} turn {turn}"},
                )
                for result in (own, shared):
                    (refused if result.is_error else told).append(result)

    barrier = threading.Barrier(4)
    with place.ghost():
        pass  # the store is there before they come
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not any(thread.is_alive() for thread in threads)
    assert [result.content[0].text for result in refused] == []
    assert len(told) == 4 * each * 2
    with place.ghost() as ghost:
        keys = {memory.key for memory in ghost.list("a", limit=1000)}
        assert keys == {
            "shared",
            *(f"own-{number}-{turn}" for number in range(4) for turn in range(each)),
        }
        history = ghost.history("a", "shared")
        assert [memory.version for memory in history] == list(range(1, 4 * each + 1))
        assert len({memory.content for memory in history}) == 4 * each
        assert ghost.admin.check().problems == ()
    with place.agent() as agent:
        assert agent.ok("ghost_get", ns="a", key="shared")["version"] == 4 * each


def test_four_first_clients_make_one_store(place: "Place") -> None:
    """Four servers that start at once on a store that is not there yet all answer, and it is whole."""
    servers = [place.pipes() for _ in range(4)]
    try:
        for number, server in enumerate(servers):
            server.modern().start(
                "tools/call",
                {
                    "name": "ghost_put",
                    "arguments": {"ns": "a", "key": f"k{number}", "content": "c"},
                },
                id_=1,
            )
        for server in servers:
            assert not server.answer(1)["result"].get("isError")
        assert [server.leave() for server in servers] == [0] * 4
    finally:
        for server in servers:
            server.kill()
    with place.ghost() as ghost:
        assert len(ghost.list("a")) == 4
        assert ghost.admin.check().problems == ()
