"""Ghost for LlamaIndex: a memory block that recalls, a memory that keeps whole conversations, and
tools.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ghostmem.adapters.actions import actions, packed
from ghostmem.adapters.extra import missing
from ghostmem.adapters.thread import Thread, Turn

try:
    from llama_index.core.bridge.pydantic import ConfigDict, Field
    from llama_index.core.llms import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemory, BaseMemoryBlock
    from llama_index.core.tools import FunctionTool
except ImportError as error:
    raise missing("llamaindex", "llamaindex", error) from error

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

CLIENT = "llamaindex"


class GhostMemoryBlock(BaseMemoryBlock[str]):  # type: ignore[misc]
    """A block for LlamaIndex's `Memory`: it says what the store knows about the latest message, and
    keeps what leaves the queue.

    Recalled is a Pack of at most `budget` tokens of the namespace; messages that are flushed become
    a thread of it."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = "ghost"
    ghost: Any = Field(exclude=True)
    ns: str
    session_id: str = "memory"
    budget: int = 1000
    allow_secrets: bool = False

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        asked = _asked(messages or [])
        return (
            await asyncio.to_thread(packed, self.ghost, self.ns, asked, self.budget)
            if asked.strip()
            else ""
        )

    async def _aput(self, messages: list[ChatMessage]) -> None:
        thread = Thread(
            self.ghost, self.ns, self.session_id, CLIENT, allow_secrets=self.allow_secrets
        )
        await asyncio.to_thread(thread.add, _turns(messages))


class GhostMemory(BaseMemory):  # type: ignore[misc]
    """A whole memory: the conversation is a thread in the store, and what else the store knows is
    told before it.

    Messages lie in `thread_ns` (the namespace with `:thread` behind it), so that recalling from
    `ns` does not repeat them. `limit` keeps to the latest messages; `budget` is for what is
    recalled, and 0 recalls nothing."""

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
        """Return the name LlamaIndex knows it by."""
        return "GhostMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> GhostMemory:
        """Make one; `ghost` and `ns` must be named."""
        return cls(**kwargs)

    @property
    def thread(self) -> Thread:
        """Return the conversation."""
        ns = self.thread_ns or f"{self.ns}:thread"
        return Thread(self.ghost, ns, self.session_id, CLIENT, allow_secrets=self.allow_secrets)

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: A002 (their name)
        """Return the latest messages, with what the store knows about the input, or about the last
        message, before them.
        """
        history = _from_the_user(_messages(self.thread.items(self.limit)))
        asked = _asked(history) if input is None else input
        known = (
            packed(self.ghost, self.ns, asked, self.budget) if self.budget and asked.strip() else ""
        )
        return [ChatMessage(role=MessageRole.SYSTEM, content=known), *history] if known else history

    def get_all(self) -> list[ChatMessage]:
        """Return every message."""
        return _messages(self.thread.items())

    def put(self, message: ChatMessage) -> None:
        """Append a message."""
        self.thread.add(_turns([message]))

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Append messages."""
        self.thread.add(_turns(messages))

    def set(self, messages: list[ChatMessage]) -> None:
        """Put messages in the place of all."""
        self.thread.clear()
        self.thread.add(_turns(messages))

    def reset(self) -> None:
        """Remove every message."""
        self.thread.clear()


def ghost_tools(ghost: Ghost, ns: str) -> list[FunctionTool]:
    """Return the tools remember, recall and context for one namespace of an open store."""
    return [
        FunctionTool.from_defaults(action.run, name=action.name, description=action.about)
        for action in actions(ghost, ns)
    ]


def _turns(messages: Iterable[ChatMessage]) -> list[Turn]:
    return [
        Turn(message.model_dump(mode="json"), message.role.value, message.content or "")
        for message in messages
    ]


def _messages(items: Iterable[dict[str, Any]]) -> list[ChatMessage]:
    return [ChatMessage.model_validate(item) for item in items]


def _asked(messages: list[ChatMessage]) -> str:
    """Return the words of the user's last message."""
    said = (
        message.content or "" for message in reversed(messages) if message.role == MessageRole.USER
    )
    return next(said, "")


def _from_the_user(messages: list[ChatMessage]) -> list[ChatMessage]:
    """Leave out the first messages if they answer what was cut off: models want a conversation to
    begin with the user.
    """
    starts = (
        number
        for number, one in enumerate(messages)
        if one.role in (MessageRole.USER, MessageRole.SYSTEM)
    )
    return messages[next(starts, len(messages)) :]
