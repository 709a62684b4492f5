"""How soon an MCP server answers after its start, and what a tool costs over the library call it makes."""

import json
import os
import random
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Self

from bench.child import PATIENCE, plain_env
from bench.corpus import many_sentences
from bench.searching import questions
from bench.timing import Cost, Plan, Section, cost, cpu_ms, interleaved, wall_ms
from ghostmem import Ghost, Settings

NS = "bench:mcp"
GHOST = str(Path(sys.executable).with_name("ghost"))
MEMORIES, COLD, ASKED = 1_000, 50, 60
WARMING = 10  # turns that do not count
NONE = Settings(embed_provider="none")
LEAST = """
import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def list_tools(_, __):
    return types.ListToolsResult(tools=[types.Tool(name="empty", input_schema={"type": "object"})])

async def call_tool(_, params):
    return types.CallToolResult(content=[])

server = Server("least", on_list_tools=list_tools, on_call_tool=call_tool)

async def serve():
    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())

anyio.run(serve)
"""


class Server:
    """A server process, spoken to in the protocol that most clients speak: the handshake, then one frame a line."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0)
        self._heard, self._number = b"", 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _tell(self, frame: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result."""
        self._number += 1
        self._tell({"id": self._number, "method": method, "params": params})
        found: dict[str, Any] = json.loads(self._line())
        if found.get("id") != self._number or "result" not in found:
            raise RuntimeError(f"the server answered {found}")
        result: dict[str, Any] = found["result"]
        return result

    def _line(self) -> bytes:
        assert self._process.stdout is not None
        stream = self._process.stdout.fileno()
        while b"\n" not in self._heard:
            if not select.select([stream], [], [], PATIENCE)[0] or not (data := os.read(stream, 1 << 20)):
                raise RuntimeError("the server does not answer")
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    def greet(self) -> None:
        """Shake hands."""
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self._tell({"method": "notifications/initialized"})

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool that must succeed."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        return result

    def stop(self) -> float:
        """End the process at once and return the seconds of processor it took."""
        self._process.kill()
        _, status, used = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        return used.ru_utime + used.ru_stime


def _first_answer(command: Sequence[str], env: Mapping[str, str], tool: str, arguments: dict[str, Any]) -> Cost:
    """Start a server, call a tool, and end the server: what passed until the answer was here."""
    start = time.perf_counter()
    server = Server(command, env)
    try:
        server.greet()
        server.call(tool, arguments)
        wall = time.perf_counter() - start
    finally:
        cpu = server.stop()
    return Cost(wall, cpu)


def serving(plan: Plan) -> Section:
    """Start servers with the model that ships, against one that can do nothing; then call warm tools, against the library."""
    data: dict[str, Any] = {}
    rows: list[tuple[str, str, str, str]] = []
    for part in (_cold, _warm):
        found = part(plan)
        data |= found.data
        rows += found.rows
    return Section(data, rows)


def _cold(plan: Plan) -> Section:
    store = str(plan.folder / "mcp-cold.db")
    texts = many_sentences(COLD)
    with Ghost.open(store, settings=Settings(embed_provider="local")) as ghost:
        for number, text in enumerate(texts):
            ghost.put(NS, f"key-{number}", text)
    env = {**plain_env(), "GHOST_EMBED_PROVIDER": "local"}
    asked = {"ns": NS, "query": texts[7]}
    works: dict[str, Callable[[], Cost]] = {
        "least": lambda: _first_answer([sys.executable, "-c", LEAST], env, "empty", {}),
        "ghost": lambda: _first_answer([GHOST, "--db", store, "mcp"], env, "ghost_search", asked),
    }
    interleaved(works, 1)  # once for the file cache and compiled files
    found = interleaved(works, plan.runs)
    data: dict[str, Any] = {}
    rows = []
    for name, take in (("wall", wall_ms), ("cpu", cpu_ms)):
        least, ours = take(found["least"]), take(found["ghost"])
        data[name] = {"ms": round(ours, 1), "base_ms": round(least, 1), "ratio": round(ours / least, 2)}
        rows.append((f"cold mcp server with one empty tool, {name}", f"{least:.0f} ms", "1.00", ""))
        rows.append((f"cold ghost mcp to the first ghost_search, {name}", f"{ours:.0f} ms", f"{ours / least:.2f}", "≤ 1.6"))
    return Section({"cold": data}, rows)


def _warm(plan: Plan) -> Section:
    """Call tools of a warm server and the same verbs of the library, turn by turn, each on a store of its own."""
    texts = many_sentences(MEMORIES + 3 * ASKED)
    random.Random(11).shuffle(texts)
    stored, other = texts[:MEMORIES], texts[MEMORIES:]
    asked = questions(other, stored, ASKED)
    path = plan.folder / "mcp-warm.db"
    with Ghost.open(path, settings=NONE) as ghost:
        ghost.import_([json.dumps([_plain(number, text) for number, text in enumerate(stored)])])
    theirs = plan.folder / "mcp-theirs.db"
    shutil.copyfile(path, theirs)
    data: dict[str, Any] = {}
    rows = []
    with Ghost.open(path, settings=NONE) as ghost, Server([GHOST, "--db", str(theirs), "mcp"], plain_env()) as server:
        server.greet()
        pairs = _pairs(ghost, server, asked, other)
        for name, (library, tool) in pairs.items():
            costs = [(cost(lambda: library(turn)), cost(lambda: tool(turn))) for turn in range(ASKED)][WARMING:]  # noqa: B023
            plain_ms, tool_ms = (wall_ms([pair[at] for pair in costs]) for at in (0, 1))
            over = median(two.wall - one.wall for one, two in costs) * 1000
            data[name] = {"library_ms": round(plain_ms, 2), "tool_ms": round(tool_ms, 2), "overhead_ms": round(over, 2)}
            rows.append((f"{name} over the library's {plain_ms:.1f} ms, wall", f"+{over:.1f} ms", "", "≤ 5 ms"))
    return Section({"warm": data, "memories": MEMORIES}, rows)


Turn = Callable[[int], object]


def _pairs(ghost: Ghost, server: Server, asked: Sequence[str], other: Sequence[str]) -> dict[str, tuple[Turn, Turn]]:
    """Return each tool beside the verb it is, as works of a numbered turn."""
    return {
        "ghost_get": (
            lambda turn: ghost.get(NS, f"key-{turn}"),
            lambda turn: server.call("ghost_get", {"ns": NS, "key": f"key-{turn}"}),
        ),
        "ghost_search": (
            lambda turn: ghost.search(asked[turn], NS),
            lambda turn: server.call("ghost_search", {"ns": NS, "query": asked[turn]}),
        ),
        "ghost_context": (
            lambda turn: ghost.context(asked[turn], NS),
            lambda turn: server.call("ghost_context", {"ns": NS, "query": asked[turn]}),
        ),
        "ghost_put": (
            lambda turn: ghost.put(NS, f"new-{turn}", other[turn]),
            lambda turn: server.call("ghost_put", {"ns": NS, "key": f"new-{turn}", "content": other[turn]}),
        ),
    }


def _plain(number: int, text: str) -> dict[str, Any]:
    return {"ns": NS, "key": f"key-{number}", "content": text, "kind": "semantic", "version": 1}
