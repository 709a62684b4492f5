"""Measure what MCP tools return: `python -m bench.mcp_results [--path FOLDER] [--json]`.

Loads the sections of markdown files (default: this repository's docs/) into a store, calls every
tool of the toolsets memory, edit and truth through a server process with arguments as an agent
sends them, and compares the two forms of each result: the text, and the structured content as JSON.
Some clients show their model the one, some the other. Tokens are estimated as four bytes each.

A tool passes if for each call the structured content has at most 1.4 times the tokens of the text
plus 40, and the larger form at most 8 kB (`ghost_context` its budget of 4,000 tokens, `ghost_get`
16 kB). The command fails if a tool does not.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from bench.child import plain_env
from bench.peer_kinds.mcp import Server
from bench.report import show, table
from ghostmem import Ghost, Settings
from ghostmem.text.sections import sections

DOCS = Path(__file__).parents[1] / "docs"
NS = "project:docs"
MAX_SECTIONS = 400
ASKED = 12  # questions to search and context, and memories that are read
RATIO, SLACK = 1.4, 40
MAX_BYTES = 8_192
LARGER = {"ghost_context": 16_000, "ghost_get": 16_384}
PATCH = "@@ -1 +1 @@\n-{first}\n+{first} (checked)\n"
Call = tuple[str, dict[str, Any]]


class Size(NamedTuple):
    """The bytes of the two forms of one result."""

    text: int
    structured: int

    @property
    def fits(self) -> bool:
        """Tell whether the structured form is about as short as the text."""
        return tokens(self.structured) <= RATIO * tokens(self.text) + SLACK


def tokens(size: int) -> int:
    """Return the tokens of a number of bytes."""
    return -(-size // 4)


def read_sections(folder: Path, limit: int = MAX_SECTIONS) -> dict[str, str]:
    """Return the sections of the markdown files of a folder by key."""
    found: dict[str, str] = {}
    for file in sorted(folder.rglob("*.md")):
        name = file.relative_to(folder).with_suffix("").as_posix().replace("/", "-")
        for section in sections(file.read_text(encoding="utf-8"), file.name):
            if section.body.strip():
                found[f"{name}-{section.key}"] = f"{section.heading}\n\n{section.body}".strip()
    if not found:
        raise SystemExit(f"{folder} holds no markdown sections")
    step = max(1, len(found) // limit)
    return dict(list(found.items())[::step][:limit])


def calls(texts: dict[str, str]) -> Iterator[Call]:
    """Yield calls of every tool, as an agent would send them."""
    keys = list(texts)
    asked = keys[:: max(1, len(keys) // ASKED)][:ASKED]
    longest = sorted(keys, key=lambda key: -len(texts[key]))
    for key in asked:
        question = texts[key].splitlines()[0]
        yield "ghost_search", {"query": question}
        yield "ghost_context", {"query": f"write about {question}"}
        yield "ghost_get", {"key": key}
        yield "ghost_put", {"key": f"{key}-copy", "content": texts[key] + "\n\nSeen again."}
        yield "ghost_edge", {"from_key": key, "op": "list"}
        yield "ghost_timeline", {"what": key}
    yield "ghost_get", {"key": longest[0]}
    yield "ghost_search", {"query": "settings of the store", "limit": 200}
    yield "ghost_search", {"query": "zeppelin souffle"}
    yield "ghost_context", {"query": "command line", "budget": 500}
    yield "ghost_list", {}
    yield "ghost_list", {"limit": 200}
    yield "ghost_edge", {"from_key": asked[0], "to_key": asked[1], "rel": "depends_on"}
    yield "ghost_edge_candidates", {}
    yield "ghost_conflicts", {}
    yield "ghost_expand", {}
    yield (
        "ghost_consolidate",
        {"summary_key": "overview", "content": "What the docs say.", "source_keys": longest[:20]},
    )
    yield "ghost_expand", {}
    yield "ghost_expand", {"key": "overview"}
    for op in ("boost", "promote", "pin", "unpin", "used", "lock", "unlock", "delete"):
        yield "ghost_curate", {"key": asked[2], "op": op}
    yield "ghost_restore", {"key": asked[2]}
    yield "ghost_patch", {"key": asked[3], "patch": PATCH.format(first=_first(texts[asked[3]]))}
    yield "ghost_history", {"key": asked[3]}
    yield "ghost_reflect", {"dry_run": True}
    yield "ghost_reflect", {}


def _first(text: str) -> str:
    return text.splitlines()[0]


def measure(texts: dict[str, str], folder: Path, provider: str) -> dict[str, list[Size]]:
    """Return the sizes of the results of each tool."""
    store = folder / "memory.db"
    with Ghost.open(store, settings=Settings(embed_provider=provider)) as ghost:
        for key, text in texts.items():
            ghost.put(NS, key, text)
    env = {**plain_env(), "GHOST_DB": str(store), "GHOST_NS": NS, "HOME": str(folder)}
    command = [sys.executable, "-m", "ghostmem", "mcp", "--tools", "memory,edit,truth"]
    server = Server(command, {**env, "GHOST_EMBED_PROVIDER": provider}, folder)
    sizes: dict[str, list[Size]] = {}
    try:
        for tool, arguments in calls(texts):
            result = server.ask("tools/call", {"name": tool, "arguments": arguments})
            text = result["content"][0]["text"]
            if result.get("isError"):
                raise SystemExit(f"{tool} {arguments}: {text}")
            structured = json.dumps(
                result["structuredContent"], ensure_ascii=False, separators=(",", ":")
            )
            size = Size(len(text.encode()), len(structured.encode()))
            sizes.setdefault(tool, []).append(size)
    finally:
        server.close()
    return sizes


def summary(sizes: dict[str, list[Size]]) -> dict[str, dict[str, Any]]:
    """Return the mean sizes and the largest result of each tool, and whether it passes."""
    found = {}
    for tool, of_tool in sizes.items():
        largest = max(max(size) for size in of_tool)
        text = mean(tokens(size.text) for size in of_tool)
        structured = mean(tokens(size.structured) for size in of_tool)
        found[tool] = {
            "calls": len(of_tool),
            "text_tokens": round(text),
            "structured_tokens": round(structured),
            "ratio": round(structured / text, 2),
            "largest_bytes": largest,
            "passes": all(size.fits for size in of_tool) and largest <= LARGER.get(tool, MAX_BYTES),
        }
    return found


def main(args: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench.mcp_results", description=__doc__)
    parser.add_argument("--path", type=Path, default=DOCS, help="a folder of markdown files")
    parser.add_argument("--sections", type=int, default=MAX_SECTIONS)
    parser.add_argument("--embed", default="static", help="the provider of vectors")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(args)
    texts = read_sections(given.path, given.sections)
    with tempfile.TemporaryDirectory() as folder:
        found = summary(measure(texts, Path(folder), given.embed))
    head = ("tool", "calls", "text tokens", "structured", "ratio", "largest bytes", "")
    rows = [
        (
            tool,
            *(str(value) for name, value in row.items() if name != "passes"),
            "" if row["passes"] else "fails",
        )
        for tool, row in found.items()
    ]
    text = f"{len(texts)} sections of {given.path.name}/\n\n{table(head, rows)}"
    show({"sections": len(texts), "tools": found}, text, given.json)
    return 0 if all(row["passes"] for row in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
