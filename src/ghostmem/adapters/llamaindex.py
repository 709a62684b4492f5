"""Ghost for LlamaIndex: a memory block, a memory that stores conversations, and tools."""

import asyncio
from collections.abc import Iterable
from typing import Any, Self

from ghostmem.adapters.actions import actions, packed
from ghostmem.adapters.extra import missing
from ghostmem.adapters.thread import StoredThread, ThreadItem
from ghostmem.ghost import Ghost

try:
    from llama_index.core.bridge.pydantic import ConfigDict, Field
    from llama_index.core.llms import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemory, BaseMemoryBlock
    from llama_index.core.tools import FunctionTool
except ImportError as error:
    raise missing("llamaindex", "llamaindex", error) from error


CLIENT = "llamaindex"


class GhostMemoryBlock(BaseMemoryBlock[str]):  # type: ignore[misc]
    """A block for LlamaIndex's `Memory`: recalls memories for the latest message.

    It recalls at most `budget` tokens from the namespace. Messages that leave the queue are stored
    there as a thread.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = "ghost"
    ghost: Any = Field(exclude=True)
    ns: str
    session_id: str = "memory"
    budget: int = 1000
    allow_secrets: bool = False

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        question = _last_question(messages or [])
        if not question.strip():
            return ""
        return await asyncio.to_thread(packed, self.ghost, self.ns, question, self.budget)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        thread = StoredThread(
            self.ghost, self.ns, self.session_id, CLIENT, allow_secrets=self.allow_secrets
        )
        await asyncio.to_thread(thread.add, _turns(messages))


class GhostMemory(BaseMemory):  # type: ignore[misc]
    """A complete memory: a thread in the store, with recalled memories before it.

    Messages are in `thread_ns` (by default the namespace plus `:thread`), so that recalling from
    `ns` does not repeat them. `limit` is the maximum number of messages, `budget` the maximum of
    recalled tokens; 0 recalls nothing.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    ghost: Any = Field(exclude=True)
    ns: str
    session_id: str = "memory"
    thread_ns: str = ""
    limit: int | None = None
    budget: int = 1000
    allow_secrets: bool = False

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in LlamaIndex."""
        return "GhostMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> Self:
        """Create a memory; `ghost` and `ns` are required."""
        return cls(**kwargs)

    @property
    def thread(self) -> StoredThread:
        """Return the conversation."""
        return StoredThread(
            self.ghost,
            self.thread_ns or f"{self.ns}:thread",
            self.session_id,
            CLIENT,
            allow_secrets=self.allow_secrets,
        )

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: A002
        """Return the latest messages after memories for the input, or for the last message."""
        history = _from_the_user(_messages(self.thread.items(self.limit)))
        question = _last_question(history) if input is None else input
        if not self.budget or not question.strip():
            return history
        recalled = packed(self.ghost, self.ns, question, self.budget)
        system = [ChatMessage(role=MessageRole.SYSTEM, content=recalled)] if recalled else []
        return [*system, *history]

    def get_all(self) -> list[ChatMessage]:
        """Return every message."""
        return _messages(self.thread.items())

    def put(self, message: ChatMessage) -> None:
        """Append a message."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Append messages."""
        self.thread.add(_turns(messages))

    def set(self, messages: list[ChatMessage]) -> None:
        """Replace all messages."""
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        """Remove every message."""
        self.thread.clear()


def ghost_tools(ghost: Ghost, ns: str) -> list[FunctionTool]:
    """Return the tools remember, recall and context for one namespace of an open store."""
    return [
        FunctionTool.from_defaults(action.run, name=action.name, description=action.about)
        for action in actions(ghost, ns)
    ]


def _turns(messages: Iterable[ChatMessage]) -> list[ThreadItem]:
    return [
        ThreadItem(message.model_dump(mode="json"), message.role.value, message.content or "")
        for message in messages
    ]


def _messages(items: Iterable[dict[str, Any]]) -> list[ChatMessage]:
    return [ChatMessage.model_validate(item) for item in items]


def _last_question(messages: list[ChatMessage]) -> str:
    return next(
        (
            message.content or ""
            for message in reversed(messages)
            if message.role == MessageRole.USER
        ),
        "",
    )


def _from_the_user(messages: list[ChatMessage]) -> list[ChatMessage]:
    """Return the messages from the first one of the user or the system on, as models require."""
    starts = (
        number
        for number, message in enumerate(messages)
        if message.role in (MessageRole.USER, MessageRole.SYSTEM)
    )
    return messages[next(starts, len(messages)) :]
