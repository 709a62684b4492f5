"""The memory, the memory block and the tools of LlamaIndex, in LlamaIndex"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.conftest import needs
from docs_example import run_example
from ghostmem import Ghost

pytestmark = needs("llama_index", "llama-index-core")
NS = "agent:me"


def said(text: str, role: str = "user", **more: Any) -> Any:
    """Return a message."""
    from llama_index.core.llms import ChatMessage

    return ChatMessage(role=role, content=text, additional_kwargs=more)


def contents(messages: list[Any]) -> list[str]:
    """Return the words of messages."""
    return [message.content for message in messages]


@pytest.fixture
def memory(open_ghost: Callable[..., Ghost]) -> Any:
    """Return a memory over an empty store."""
    from ghostmem.adapters.llamaindex import GhostMemory

    return GhostMemory.from_defaults(ghost=open_ghost(), ns=NS, session_id="s1")


def test_messages_come_back(memory: Any) -> None:
    """As they were, in order, with all their parts."""
    from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
    from llama_index.core.memory import BaseMemory

    assert isinstance(memory, BaseMemory)
    given = [
        said("hello"),
        said(
            "",
            "assistant",
            tool_calls=[{"id": "call_1", "function": {"name": "f", "arguments": "{}"}}],
        ),
        said("42", "tool", tool_call_id="call_1"),
        ChatMessage(
            role="user",
            blocks=[TextBlock(text="look"), ImageBlock(url="https://example.org/a.png")],
        ),
        said("fine", "assistant"),
    ]
    memory.put(given[0])
    memory.put_messages(given[1:])
    assert memory.get_all() == given
    assert memory.get() == given


def test_they_last_and_sessions_are_apart(memory: Any, open_ghost: Callable[..., Ghost]) -> None:
    """Another process has them; another session has not."""
    from ghostmem.adapters.llamaindex import GhostMemory

    memory.put(said("hello"))
    assert contents(GhostMemory(ghost=open_ghost(), ns=NS, session_id="s1").get_all()) == ["hello"]
    assert GhostMemory(ghost=open_ghost(), ns=NS, session_id="s2").get_all() == []


def test_set_and_reset(memory: Any) -> None:
    """All messages replaced, or gone."""
    memory.put_messages([said("one"), said("two")])
    memory.set([said("three")])
    assert contents(memory.get_all()) == ["three"]
    memory.reset()
    assert memory.get_all() == memory.get() == []


def test_what_is_known_is_told_first(memory: Any) -> None:
    """As a marked system message, about the input or the user's last words; nothing relevant, nothing told."""
    memory.ghost.put(NS, "tea", "The user drinks green tea.")
    memory.put_messages([said("Make me some green tea."), said("At once.", "assistant")])
    first, *rest = memory.get()
    assert first.role == "system"
    assert first.content.startswith(f'<ghost-memory ns="{NS}" count="1">')
    assert "The user drinks green tea." in first.content
    assert contents(rest) == ["Make me some green tea.", "At once."]
    assert contents(memory.get(input="submarines")) == ["Make me some green tea.", "At once."]
    memory.budget = 0
    assert len(memory.get()) == 2


def test_a_cut_conversation_begins_with_the_user(memory: Any) -> None:
    """An answer without its question confuses models."""
    memory.put_messages(
        [said("one"), said("two", "assistant"), said("three"), said("four", "assistant")]
    )
    memory.limit = 3
    assert contents(memory.get()) == ["three", "four"]


def test_the_asynchronous_methods(memory: Any) -> None:
    """LlamaIndex's agents use these."""

    async def story() -> None:
        await memory.aput(said("one"))
        await memory.aput_messages([said("two", "assistant")])
        assert contents(await memory.aget()) == contents(await memory.aget_all()) == ["one", "two"]
        await memory.aset([said("three")])
        assert contents(await memory.aget_all()) == ["three"]
        await memory.areset()
        assert await memory.aget_all() == []

    asyncio.run(story())


def test_a_chat_engine_keeps_its_conversation(memory: Any) -> None:
    """A real engine with LlamaIndex's mock model."""
    from llama_index.core.chat_engine import SimpleChatEngine
    from llama_index.core.llms import MockLLM

    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=memory)
    engine.chat("I drink green tea.")
    assert [message.role.value for message in memory.get_all()] == ["user", "assistant"]
    assert memory.get_all()[0].content == "I drink green tea."


def test_the_block_recalls_in_a_memory(open_ghost: Callable[..., Ghost]) -> None:
    """LlamaIndex's own Memory asks it and puts what it says before the conversation."""
    from llama_index.core.memory import Memory

    from ghostmem.adapters.llamaindex import GhostMemoryBlock

    ghost = open_ghost()
    ghost.put(NS, "tea", "The user drinks green tea.")
    memory = Memory.from_defaults(
        session_id="s1",
        token_limit=500,
        tokenizer_fn=str.split,
        memory_blocks=[GhostMemoryBlock(ghost=ghost, ns=NS)],
    )

    async def story() -> list[Any]:
        await memory.aput(said("Make some green tea."))
        found: list[Any] = await memory.aget()
        await memory.sql_store._async_engine.dispose()
        return found

    first, last = asyncio.run(story())
    assert first.role == "system"
    assert "<ghost>" in first.content
    assert "The user drinks green tea." in first.content
    assert last.content == "Make some green tea."


def test_the_block_keeps_what_leaves_the_queue(open_ghost: Callable[..., Ghost]) -> None:
    """What no longer fits into the conversation is in the store, and is recalled when it matters."""
    from llama_index.core.memory import Memory

    from ghostmem.adapters.llamaindex import GhostMemoryBlock

    ghost = open_ghost()
    block = GhostMemoryBlock(ghost=ghost, ns=NS, session_id="s1", budget=100)
    memory = Memory.from_defaults(
        session_id="s1",
        token_limit=60,
        token_flush_size=20,
        chat_history_token_ratio=0.5,
        tokenizer_fn=str.split,
        memory_blocks=[block],
    )

    async def story() -> None:
        await memory.aput(said("My boat is called Ada and lies in Oslo."))
        await memory.aput(said("Nice name for a boat.", "assistant"))
        for number in range(8):
            await memory.aput(
                said(f"Let us talk about cooking pasta number {number} with tomatoes and cheese.")
            )
            await memory.aput(said(f"Pasta number {number} it is.", "assistant"))
        await memory.sql_store._async_engine.dispose()

    asyncio.run(story())
    assert (
        ghost.search("boat called Ada", NS)[0].content == "My boat is called Ada and lies in Oslo."
    )
    assert "called Ada" in asyncio.run(block.aget([said("What is my boat called?")]))
    assert asyncio.run(block.aget([])) == asyncio.run(block.aget(None)) == ""


def test_the_tools_work_as_tools(open_ghost: Callable[..., Ghost]) -> None:
    """Called with what a model sends."""
    from ghostmem.adapters.llamaindex import ghost_tools

    tools = {tool.metadata.name: tool for tool in ghost_tools(open_ghost(), NS)}
    assert list(tools) == ["remember", "recall", "context"]
    schema = tools["recall"].metadata.get_parameters_dict()
    assert schema["required"] == ["query"]
    assert schema["properties"]["query"]["description"] == "what to look for, in words"
    assert (
        tools["remember"](content="The user drinks green tea.", key="drink").raw_output
        == "created drink (version 1)"
    )
    found = asyncio.run(tools["recall"].acall(query="green tea"))
    assert "The user drinks green tea." in found.content


def test_the_example_in_the_docs_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints what is written under it."""
    run_example("LlamaIndex", tmp_path, monkeypatch, capsys)
