"""The memory tool of Anthropic's SDK: ours answers what the SDK's own, which works on files, answers"""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.conftest import needs
from docs_example import run_example
from ghostmem import Ghost

pytestmark = needs("anthropic", "anthropic")
NS = "agent:me"

STORY: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories/a.md"},
    {"command": "create", "path": "/memories/a.md", "file_text": "one\ntwo\nthree\ntwo\n"},
    {"command": "create", "path": "/memories/a.md", "file_text": "again"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "view", "path": "/memories/a.md", "view_range": [2, 3]},
    {"command": "view", "path": "/memories/a.md", "view_range": [3, -1]},
    {"command": "view", "path": "/memories/a.md", "view_range": [4, 99]},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "2"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "four", "new_str": "4"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "three", "new_str": "3\n3.5"},
    {"command": "str_replace", "path": "/memories/none.md", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "zero\n"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 6, "insert_text": "last"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 99, "insert_text": "x"},
    {"command": "insert", "path": "/memories/none.md", "insert_line": 0, "insert_text": "x"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "create", "path": "/memories/empty.md", "file_text": ""},
    {"command": "view", "path": "/memories/empty.md"},
    {
        "command": "insert",
        "path": "/memories/empty.md",
        "insert_line": 0,
        "insert_text": "first\nsecond",
    },
    {"command": "view", "path": "/memories/empty.md"},
    {"command": "create", "path": "/memories/sub/deep/er/x.md", "file_text": "x" * 2048},
    {"command": "create", "path": "/memories/sub/y.md", "file_text": "é\r\nü"},
    {"command": "create", "path": "/memories/.hidden", "file_text": "h"},
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/sub"},
    {"command": "view", "path": "/memories/sub/y.md"},
    {"command": "str_replace", "path": "/memories/sub", "old_str": "a", "new_str": "b"},
    {"command": "rename", "old_path": "/memories/sub/y.md", "new_path": "/memories/z/y.md"},
    {"command": "rename", "old_path": "/memories/none", "new_path": "/memories/other"},
    {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/empty.md"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/b"},
    {"command": "rename", "old_path": "/memories/sub", "new_path": "/memories/sub2"},
    {"command": "view", "path": "/memories"},
    {"command": "delete", "path": "/memories/none"},
    {"command": "delete", "path": "/memories/sub2"},
    {"command": "delete", "path": "/memories/z/y.md"},
    {"command": "delete", "path": "/memories"},
    {"command": "view", "path": "/memories/sub2"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "view", "path": "/memories/../x"},
]
# where the SDK's words are not those of its documentation, which we follow; and sizes of directories, which a disk has of its own
SAME = (
    (r"excluding hidden items and node_modules:", "excluding hidden items:"),
    (
        r"It should be within the range of lines of the file: (\[0, \d+\])$",
        r"It should be within the range \1.",
    ),
    (r"(?m)^[\d.]+[BKMG]\t(/memories(?:/\S+/|/sub)?)$", r"\1"),
)


def answer(tool: Any, command: dict[str, Any]) -> tuple[bool, str]:
    """Return whether a command was refused, and the answer."""
    from anthropic.lib.tools import ToolError

    try:
        found = tool.call(command)
        text = asyncio.run(found) if asyncio.iscoroutine(found) else found
        return False, text
    except ToolError as error:
        return True, str(error.content)


def alike(text: str) -> str:
    """Return an answer in the words of both."""
    for mine, theirs in SAME:
        text = re.sub(mine, theirs, text)
    return text


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_long_story_is_answered_alike(
    open_ghost: Callable[..., Ghost], tmp_path: Path, kind: str
) -> None:
    """Forty commands, word for word, to the SDK's tool over files and to ours."""
    from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

    from ghostmem.adapters.anthropic import AsyncGhostMemoryTool, GhostMemoryTool

    mine: Any = (GhostMemoryTool if kind == "sync" else AsyncGhostMemoryTool)(open_ghost(), NS)
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path / "files"))
    for command in STORY:
        ours, reference = answer(mine, command), answer(theirs, command)
        assert (ours[0], alike(ours[1])) == (reference[0], alike(reference[1])), command


def test_it_is_the_sdks_tool(open_ghost: Callable[..., Ghost]) -> None:
    """It describes itself to the API as the built-in one."""
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool

    from ghostmem.adapters.anthropic import AsyncGhostMemoryTool, GhostMemoryTool
    from ghostmem.adapters.memory_files import TOOL

    ghost = open_ghost()
    assert isinstance(GhostMemoryTool(ghost, NS), BetaAbstractMemoryTool)
    assert isinstance(AsyncGhostMemoryTool(ghost, NS), BetaAsyncAbstractMemoryTool)
    assert GhostMemoryTool(ghost, NS).to_dict() == TOOL
    marked = GhostMemoryTool(ghost, NS, cache_control={"type": "ephemeral"}).to_dict()
    assert marked == {**TOOL, "cache_control": {"type": "ephemeral"}}


def test_typed_commands_work_too(open_ghost: Callable[..., Ghost]) -> None:
    """Those of the SDK, by `execute` and by each method."""
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from ghostmem.adapters.anthropic import GhostMemoryTool

    tool = GhostMemoryTool(open_ghost(), NS)
    create = BetaMemoryTool20250818CreateCommand(
        command="create", path="/memories/a", file_text="tea"
    )
    assert tool.execute(create) == "File created successfully at: /memories/a"
    view = BetaMemoryTool20250818ViewCommand(command="view", path="/memories/a")
    assert tool.view(view) == "Here's the content of /memories/a with line numbers:\n     1\ttea"
    assert tool.clear_all_memory() == "All memory cleared"
    assert answer(tool, view.model_dump())[0]
    assert answer(tool, [1])[0]  # type: ignore[arg-type]


def test_the_tool_runner_uses_it(open_ghost: Callable[..., Ghost]) -> None:
    """The SDK's own loop, with an API that is played: the model creates a file, asks for another, and is told both results."""
    import httpx2
    from anthropic import Anthropic

    from ghostmem.adapters.anthropic import GhostMemoryTool

    asked: list[Any] = []
    turns = [
        [
            {
                "type": "tool_use",
                "id": "t1",
                "name": "memory",
                "input": {"command": "create", "path": "/memories/tea.md", "file_text": "green"},
            }
        ],
        [
            {
                "type": "tool_use",
                "id": "t2",
                "name": "memory",
                "input": {"command": "view", "path": "/memories/none.md"},
            }
        ],
        [{"type": "text", "text": "Done."}],
    ]

    def play(request: Any) -> Any:
        import json

        asked.append(json.loads(request.content))
        content = turns.pop(0)
        stop = "tool_use" if content[0]["type"] == "tool_use" else "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        body = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": content,
            "stop_reason": stop,
            "usage": usage,
        }
        return httpx2.Response(200, json=body)

    ghost = open_ghost()
    client = Anthropic(api_key="x", http_client=httpx2.Client(transport=httpx2.MockTransport(play)))
    runner = client.beta.messages.tool_runner(
        model="claude",
        max_tokens=100,
        tools=[GhostMemoryTool(ghost, NS)],
        messages=[{"role": "user", "content": "I drink green tea"}],
    )
    assert runner.until_done().content[0].text == "Done."
    assert asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    sent = (
        one["content"]
        for request in asked[1:]
        for one in request["messages"]
        if one["role"] == "user"
    )
    blocks = [
        block
        for content in sent
        if isinstance(content, list)
        for block in content
        if block["type"] == "tool_result"
    ]
    assert {
        block["tool_use_id"]: (block["content"], block.get("is_error", False)) for block in blocks
    } == {
        "t1": ("File created successfully at: /memories/tea.md", False),
        "t2": ("The path /memories/none.md does not exist. Please provide a valid path.", True),
    }
    assert ghost.get(NS, "tea.md").content == "green"


def test_the_example_in_the_docs_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints what is written under it."""
    run_example("Anthropic's memory tool", tmp_path, monkeypatch, capsys)
