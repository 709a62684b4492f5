"""The LangChain retriever and tools, in LangChain"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.conftest import needs
from docs_example import run_example
from ghostmem import Ghost

pytestmark = needs("langchain_core", "langchain-core")
NS = "agent:me"


@pytest.fixture
def filled(open_ghost: Callable[..., Ghost]) -> Ghost:
    """Return a store with three memories."""
    ghost = open_ghost()
    ghost.put(NS, "tea", "The user drinks green tea.", tags=["drinks"])
    ghost.put(
        NS, "coffee", "In 2019 the office machine brewed coffee drinks.", tags=["drinks", "old"]
    )
    ghost.put("agent:other", "boat", "The other user has a boat.")
    return ghost


def test_the_retriever_finds_documents(filled: Ghost) -> None:
    """Content, id, and where it is from; nothing when nothing is about it."""
    from langchain_core.retrievers import BaseRetriever

    from ghostmem.adapters.langchain import GhostRetriever

    retriever = GhostRetriever(ghost=filled, ns=NS)
    assert isinstance(retriever, BaseRetriever)
    first = retriever.invoke("green tea")[0]
    assert first.page_content == "The user drinks green tea."
    assert first.id == filled.get(NS, "tea").id
    about = first.metadata
    assert (about["ns"], about["key"], about["version"], about["tags"]) == (
        NS,
        "tea",
        1,
        ["drinks"],
    )
    assert about["score"] > 0
    assert retriever.invoke("submarine") == []


def test_the_retriever_is_narrowed(filled: Ghost) -> None:
    """By how many, by namespace, and by whatever a search can be."""
    from ghostmem.adapters.langchain import GhostRetriever

    assert len(GhostRetriever(ghost=filled, ns=NS, k=1).invoke("drinks")) == 1
    narrow = GhostRetriever(ghost=filled, options={"tags": ["old"]})
    assert [one.metadata["key"] for one in narrow.invoke("drinks")] == ["coffee"]
    assert [
        one.metadata["ns"] for one in GhostRetriever(ghost=filled, ns="agent:*").invoke("boat")
    ] == ["agent:other"]
    assert GhostRetriever(ghost=filled, ns=NS).invoke("boat") == []


def test_the_retriever_is_a_runnable(filled: Ghost) -> None:
    """In a chain, in a batch, asynchronously."""
    from langchain_core.runnables import RunnableLambda

    from ghostmem.adapters.langchain import GhostRetriever

    retriever = GhostRetriever(ghost=filled, ns=NS)
    chain = retriever | RunnableLambda(
        lambda found: "; ".join(one.page_content for one in found[:1])
    )
    assert chain.invoke("green tea") == "The user drinks green tea."
    assert [len(found) > 0 for found in retriever.batch(["green tea", "submarine"])] == [
        True,
        False,
    ]
    assert asyncio.run(retriever.ainvoke("green tea"))[0].metadata["key"] == "tea"


def test_the_tools_work_as_tools(filled: Ghost) -> None:
    """Names, descriptions and arguments for a model; called with what a model sends."""
    from ghostmem.adapters.langchain import ghost_tools

    tools = {tool.name: tool for tool in ghost_tools(filled, NS)}
    assert list(tools) == ["remember", "recall", "context"]
    assert tools["recall"].args["query"] == {
        "title": "Query",
        "type": "string",
        "description": "what to look for, in words",
    }
    assert tools["recall"].args["limit"]["default"] == 5
    assert (
        tools["remember"]
        .invoke({"content": "The user's boat is called Ada."})
        .startswith("created user-s-boat-called-ada")
    )
    call: Any = {"type": "tool_call", "id": "1", "name": "recall", "args": {"query": "boat"}}
    answer = tools["recall"].invoke(call)
    assert "The user's boat is called Ada." in answer.content
    assert "The user drinks green tea." in asyncio.run(
        tools["context"].ainvoke({"task": "make green tea"})
    )
    assert tools["remember"].invoke({"content": " "}).startswith("Error: content is required")


def test_invalid_arguments_are_told_not_raised(filled: Ghost) -> None:
    """The model gets a text that names the argument."""
    from ghostmem.adapters.langchain import ghost_tools

    remember, recall, _ = ghost_tools(filled, NS)
    assert "content: Field required" in remember.invoke({})
    assert remember.invoke({"content": 5}).startswith("Error: invalid arguments (content: ")
    assert "green tea" in recall.invoke({"query": "green tea", "limit": None})


def test_the_tools_bind_to_a_model() -> None:
    """Their schemas are what chat models are given."""
    from langchain_core.utils.function_calling import convert_to_openai_tool

    from ghostmem.adapters.langchain import ghost_tools

    with Ghost.open(":memory:", embedder="none") as ghost:
        given = [convert_to_openai_tool(tool)["function"] for tool in ghost_tools(ghost, NS)]
    assert [one["parameters"]["required"] for one in given] == [["content"], ["query"], ["task"]]
    assert all(one["description"] for one in given)


def test_the_example_in_the_docs_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints what is written under it."""
    run_example("LangChain", tmp_path, monkeypatch, capsys)
