"""Calls of tools with the text that a model reads: the golden files of the results

Each file of the folder `sessions` has cases, which begin with a line `== title`; the calls before the
first one are made before each case. `> tool {"a": 1}` calls a tool of a store of its own, in the
namespace `a`; `| b c.d` behind it prints fields of the structured result instead of the text. An
error ends with `[error]`. `UPDATE_SESSIONS=1 pytest -n 0` writes the files anew; read the difference.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.test_sessions import IS_UPDATE, VARYING, field
from ghostmem import Ghost
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.settings import Settings

FOLDER = Path(__file__).parent / "sessions"


def cases() -> Iterator[Any]:
    """Yield each case of each file: its name, the calls before it, and its lines."""
    for path in sorted(FOLDER.glob("*.txt")):
        start, *parts = re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for part in parts:
            title, _, body = part.partition("\n")
            yield pytest.param(path, start, title, body, id=f"{path.stem}: {title}")


def run(server: ToolServer, clock: Any, line: str) -> str:
    """Make the call of a line and return what a model reads, in the form of the files."""
    name, _, rest = line.removeprefix("> ").partition(" ")
    if name == "wait":
        clock.forward(seconds=float(rest))
        return ""
    given, _, names = rest.partition(" | ")
    arguments = json.loads(given or "{}")
    ns = {"ns": "a"} if name.startswith("ghost_") else {}
    result = server.call(name, {**ns, **arguments})
    text = result["content"][0]["text"]
    if result["isError"]:
        return f"{text}\n[error]\n"
    found = result["structuredContent"]
    dumped = [json.dumps(field(found, each), ensure_ascii=False) for each in names.split()]
    return f"{'  '.join(dumped) if names else text}\n"


@pytest.mark.requirement(
    "002-137",
    "002-138",
    "002-139",
    "002-140",
    "002-143",
    "002-145",
    "002-146",
    "002-151",
    "002-152",
    "002-153",
    "002-155",
    "004-004",
    "004-006",
    "004-020",
)
@pytest.mark.parametrize(("path", "start", "title", "body"), list(cases()))
def test_session(tmp_path: Path, clock: Any, path: Path, start: str, title: str, body: str) -> None:
    """Every call returns what stands below it."""
    printed = []
    with Ghost.open(":memory:", settings=Settings(embed_provider="none"), clock=clock) as ghost:
        sets = ("memory", "edit", "truth", "knowledge")
        server = ToolServer(ghost, sets, folder="/work/shop", root=tmp_path)
        for line in [*start.splitlines(), *body.splitlines()]:
            if line.startswith("> "):
                made = run(server, clock, line)
                for pattern, word in VARYING:
                    made = pattern.sub(word, made)
                printed.append(f"{line}\n{made}")
    made = "".join(printed[start.count("\n> ") + start.startswith("> ") :]).rstrip("\n")
    if IS_UPDATE:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(f"== {title}\n{body}", f"== {title}\n{made}\n\n"), "utf-8")
    else:
        assert made == body.rstrip("\n")
