"""The tools of the toolset knowledge, on topic files of a project, and the prompt to fill them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ghostmem.ghost import Ghost
from ghostmem.mcp.tool import (
    CHANGE,
    READ,
    TEXT,
    TEXTS,
    WRITE,
    Arguments,
    McpTool,
    Result,
    described,
)

MEMORIZE_PROJECT = (
    "Get to know this project and memorize what somebody who works on it next has to know.\n\n"
    "1. Call recall_general_memory and list_memories to see what is memorized already; "
    "recall_memory shows a topic in full.\n"
    "2. Look through the project: its documentation, its build and test files, its source "
    "folders, its entry points.\n"
    "3. Call memorize_general_info with what holds for the whole of it: what it is for, "
    "how it is laid out, how to build, run and"
    " test it, and its conventions. This replaces the general knowledge, so carry over "
    "whatever of it is still true.\n"
    "4. For each subsystem that is not a topic yet, call memorize_new_topic: a short name, "
    "a few tags, a summary of one or two"
    " sentences that tells when to read on, and the full content as markdown: what it "
    "does, the files that matter, how it works,"
    " and what is easily done wrong.\n"
    "5. Where a topic exists but is out of date, call refine_memory with what changed. "
    "Call forget_memory only for a topic whose"
    " subject is gone.\n"
    "6. Call list_memories and tell me which topics there are now, and which of them are "
    "new or changed.\n\n"
    "Memorize only what you have seen in the project. Leave out passwords, keys and personal data."
)

_TOPIC = described(TEXT, "the topic's name")
_TAGS = described(TEXTS, "tags, a few words each")


def make_tools(_: str, root: Path) -> tuple[McpTool, ...]:
    """Return the eight tools over the folder .ai-knowledge of a project."""
    from ghostmem.notes import knowledge

    return (
        _tool(
            root,
            knowledge.recall_general_memory,
            "Recall the project",
            "What is known about the project as a whole, and a summary of every topic. "
            "Read this first.",
        ),
        _tool(
            root,
            knowledge.recall_memory,
            "Recall a topic",
            "One topic in full: its tags, when it was last updated, its content.",
            {"topic": _TOPIC},
            ("topic",),
        ),
        _tool(
            root,
            knowledge.search_memories,
            "Find topics",
            "The names of the topics that have any of these tags.",
            {"tags": described(TEXTS, "tags to match, in any case")},
            ("tags",),
        ),
        _tool(root, knowledge.list_memories, "List topics", "The names of all topics."),
        _tool(
            root,
            knowledge.memorize_new_topic,
            "Memorize a topic",
            "Write a new topic, and add its summary to the index. "
            "refine_memory changes an existing one.",
            {
                "topic": described(TEXT, "a short name, such as auth-tokens"),
                "tags": _TAGS,
                "summary": described(TEXT, "one or two sentences for the index"),
                "content": described(TEXT, "the full content, as markdown"),
            },
            ("topic", "tags", "summary", "content"),
            WRITE,
        ),
        _tool(
            root,
            knowledge.refine_memory,
            "Refine a topic",
            "Change a topic that exists; what is left out stays as it is.",
            {
                "topic": _TOPIC,
                "tagsToAdd": _TAGS,
                "tagsToRemove": _TAGS,
                "newSummary": described(TEXT, "replaces the summary in the index"),
                "newContent": described(TEXT, "replaces the content"),
            },
            ("topic",),
            CHANGE,
        ),
        _tool(
            root,
            knowledge.memorize_general_info,
            "Memorize the project",
            "Replace what is known about the project as a whole. The topics stay.",
            {"content": described(TEXT, "all of it, as markdown")},
            ("content",),
            {**CHANGE, "idempotentHint": True},
        ),
        _tool(
            root,
            knowledge.forget_memory,
            "Forget a topic",
            "Delete a topic, and remove it from the index.",
            {"topic": _TOPIC},
            ("topic",),
            CHANGE,
        ),
    )


def _tool(
    root: Path,
    work: Callable[..., str],
    title: str,
    description: str,
    parameters: Mapping[str, Any] | None = None,
    required: tuple[str, ...] = (),
    hints: Mapping[str, bool] = READ,
) -> McpTool:
    def run(ghost: Ghost, given: Arguments) -> Result:
        now = {"now": ghost.store.clock()} if "now" in work.__annotations__ else {}
        return {
            "text": work(
                root,
                **{re.sub("([A-Z])", r"_\1", name).lower(): given[name] for name in given},
                **now,
            )
        }

    return McpTool(
        work.__name__,
        title,
        description,
        parameters or {},
        required,
        {"text": TEXT},
        run,
        hints=hints,
        uses_namespace=False,
    )
