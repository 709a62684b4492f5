"""A hit in a note names the line of the match, over every interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ghostmem.mcp.memory_tools import search as found_by_search
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.notes.memory_tools import MemorySearch

if TYPE_CHECKING:
    from pathlib import Path

NS = "notes:lab"
SHAPES = {
    "paragraphs": ("Some words about the weather of day {n}.\n\n", "The heron nests below the weir.\n\n"),
    "lines": ("Some words about the weather of day {n}.\n", "The heron nests below the weir.\n"),
    "list": ("- weather of day {n}\n", "- the heron nests below the weir\n"),
    "table": ("| day {n} | weather |\n", "| heron | nests below the weir |\n"),
    "sections": ("## Day {n}\n\nSome words about the weather.\n\n", "## Birds\n\nThe heron nests below the weir.\n\n"),
    "German": ("Am Tag {n} war das Wetter schön.\n\n", "Der heron brütet unter dem Wehr.\n\n"),
    "Chinese": ("第{n}天的天气很好。\n\n", "苍鹭heron在水坝下筑巢。\n\n"),
}  # fmt: skip


def line_of(path: Path, word: str) -> int:
    """Return the number of the line of a file that has a word."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return 1 + next(number for number, line in enumerate(lines) if word in line)


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("before", [0, 1, 37, 300])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_line_of_a_match_deep_in_a_note(lab: Any, shape: str, before: int) -> None:
    """In a note of hundreds of lines, the hit names the line of the sentence."""
    filler, sentence = SHAPES[shape]
    days = [filler.format(n=n) for n in range(350)]
    path = lab.write(
        "long.md", "# Diary\n\n" + "".join(days[:before]) + sentence + "".join(days[before:])
    )
    lab.add()
    hit = lab.ghost.search("heron", NS)[0]
    assert (hit.path, hit.line) == ("long.md", line_of(path, "heron"))
    assert hit.match_chunk[hit.match_start : hit.match_end].startswith("heron")


def test_the_line_in_a_long_paragraph(lab: Any) -> None:
    """In text that is wrapped, the line with the matching words is named."""
    wrapped = "".join(
        f"and on day {n} nothing of note\nhappened in the harbour at all\n" for n in range(8)
    )
    path = lab.write(
        "a.md", f"---\ntitle: x\n---\n\n# A\n\n{wrapped}until the heron\nbuilt a nest\n{wrapped}"
    )
    lab.add()
    assert lab.ghost.search("heron", NS)[0].line == line_of(path, "heron")


def test_every_matching_piece_names_its_own_line(lab: Any) -> None:
    """With `pieces`, each chunk's hit names a line of that chunk."""
    text = "".join(
        f"## Part {n}\n\n" + "Plain words here.\n" * 30 + f"The heron of part {n}.\n\n"
        for n in range(4)
    )
    path = lab.write("a.md", text)
    lab.add()
    lines = path.read_text().split("\n")
    hits = lab.ghost.search("heron", NS, pieces=True)
    named = {lines[hit.line - 1] for hit in hits if "heron" in hit.match_chunk}
    assert named == {f"The heron of part {n}." for n in range(4)}


def test_a_chunk_found_by_its_key_names_its_first_line(lab: Any) -> None:
    """When no word of the query is in the chunk, the line is where the chunk begins."""
    lab.add(qx17="# Airship\n\nIt landed at dusk.\n")
    hit = lab.ghost.search("qx17", NS)[0]
    assert (hit.line, hit.match_start) == (1, None)
    assert "match_start" not in hit.to_dict()


def test_mcp_names_the_line_too(lab: Any) -> None:
    """The structured answer and the text for the model have the line; memory_search keeps its format."""
    lab.add(
        birds="# Birds\n\n" + "Plain words here.\n\n" * 20 + "The heron nests below the weir.\n"
    )
    found = found_by_search(lab.ghost, {"query": "heron", "ns": NS})
    line = 3 + 2 * 20
    assert (found["results"][0]["path"], found["results"][0]["line"]) == ("birds.md", line)
    shown = ToolServer(lab.ghost).call("ghost_search", {"query": "heron", "ns": NS})
    assert f" birds.md:{line}] " in shown["content"][0]["text"]
    assert shown["structuredContent"]["results"][0]["path"] == f"birds.md:{line}"
    text = MemorySearch(lab.ghost).execute('{"query": "heron"}')
    assert text.startswith("Memory Result 1: [source: birds.md]\n")
