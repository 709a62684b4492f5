"""Measure the start of an MCP server, and the cost of a tool over its library call."""

import json
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from bench.child import plain_env
from bench.corpus import many_sentences
from bench.latency_search import drawn
from bench.peer_kinds.mcp import Server
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


def _first_answer(
    command: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    tool: str,
    arguments: dict[str, Any],
) -> Cost:
    """Start a server, call a tool, end the server, and return the time to the answer."""
    start = time.perf_counter()
    server = Server(command, env, folder)
    try:
        server.call(tool, arguments)
        wall = time.perf_counter() - start
    finally:
        cpu = server.kill()
    return Cost(wall, cpu)


def serving(plan: Plan) -> Section:
    """Start servers with the model that ships, against one that can do nothing.

    Then call warm tools, against the library.
    """
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
        "least": lambda: _first_answer(
            [sys.executable, "-c", LEAST], env, plan.folder, "empty", {}
        ),
        "ghost": lambda: _first_answer(
            [GHOST, "--db", store, "mcp"], env, plan.folder, "ghost_search", asked
        ),
    }
    interleaved(works, 1)  # once for the file cache and compiled files
    found = interleaved(works, plan.runs)
    data: dict[str, Any] = {}
    rows = []
    for name, take in (("wall", wall_ms), ("cpu", cpu_ms)):
        least, ours = take(found["least"]), take(found["ghost"])
        data[name] = {
            "ms": round(ours, 1),
            "base_ms": round(least, 1),
            "ratio": round(ours / least, 2),
        }
        rows.append((f"cold mcp server with one empty tool, {name}", f"{least:.0f} ms", "1.00", ""))
        rows.append(
            (
                f"cold ghost mcp to the first ghost_search, {name}",
                f"{ours:.0f} ms",
                f"{ours / least:.2f}",
                "≤ 1.6",
            )
        )
    return Section({"cold": data}, rows)


def _warm(plan: Plan) -> Section:
    """Call tools of a warm server and the same library methods in turn, on separate stores."""
    stored, other, asked = drawn(MEMORIES, ASKED)
    path = plan.folder / "mcp-warm.db"
    with Ghost.open(path, settings=NONE) as ghost:
        ghost.import_([json.dumps([_plain(number, text) for number, text in enumerate(stored)])])
    theirs = plan.folder / "mcp-theirs.db"
    shutil.copyfile(path, theirs)
    data: dict[str, Any] = {}
    rows = []
    command = [GHOST, "--db", str(theirs), "mcp"]
    with (
        Ghost.open(path, settings=NONE) as ghost,
        closing(Server(command, plain_env(), plan.folder)) as server,
    ):
        pairs = _pairs(ghost, server, asked, other)
        for name, (library, tool) in pairs.items():
            costs = [
                (cost(lambda: library(turn)), cost(lambda: tool(turn)))  # noqa: B023
                for turn in range(ASKED)
            ][WARMING:]
            plain_ms, tool_ms = (wall_ms([pair[at] for pair in costs]) for at in (0, 1))
            over = median(two.wall - one.wall for one, two in costs) * 1000
            data[name] = {
                "library_ms": round(plain_ms, 2),
                "tool_ms": round(tool_ms, 2),
                "overhead_ms": round(over, 2),
            }
            rows.append(
                (
                    f"{name} over the library's {plain_ms:.1f} ms, wall",
                    f"+{over:.1f} ms",
                    "",
                    "≤ 5 ms",
                )
            )
    return Section({"warm": data, "memories": MEMORIES}, rows)


Turn = Callable[[int], object]


def _pairs(
    ghost: Ghost, server: Server, asked: Sequence[str], other: Sequence[str]
) -> dict[str, tuple[Turn, Turn]]:
    """Return each tool with its library method, as work of a numbered turn."""
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
            lambda turn: server.call(
                "ghost_put", {"ns": NS, "key": f"new-{turn}", "content": other[turn]}
            ),
        ),
    }


def _plain(number: int, text: str) -> dict[str, Any]:
    return {"ns": NS, "key": f"key-{number}", "content": text, "kind": "semantic", "version": 1}
