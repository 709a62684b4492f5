"""Ghost for the OpenAI Agents SDK: function tools, and a session that is stored as a thread."""

import asyncio
from collections.abc import Mapping
from functools import wraps
from typing import Any

from ghostmem.adapters.actions import AgentAction, actions
from ghostmem.adapters.extra import missing
from ghostmem.adapters.thread import StoredThread, ThreadItem
from ghostmem.ghost import Ghost

try:
    from agents import FunctionTool, SessionSettings, function_tool
    from agents.memory import SessionABC
except ImportError as error:
    raise missing("openai_agents", "openai-agents", error) from error

Item = dict[str, Any]


class GhostSession(SessionABC):  # type: ignore[misc]
    """A session of the SDK whose items are memories of a namespace and can be searched.

    Items are returned unchanged, except that keys, tokens and passwords are replaced by
    placeholders unless `allow_secrets`. Cleared and popped items can be restored.
    """

    def __init__(
        self,
        session_id: str,
        ghost: Ghost,
        ns: str,
        *,
        session_settings: SessionSettings | None = None,
        allow_secrets: bool = False,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self.thread = StoredThread(
            ghost, ns, session_id, "openai-agents", allow_secrets=allow_secrets
        )

    async def get_items(self, limit: int | None = None) -> list[Item]:
        """Return the items in order, or the latest of them."""
        return await asyncio.to_thread(
            self.thread.items, self.session_settings.limit if limit is None else limit
        )

    async def add_items(self, items: list[Item]) -> None:
        """Append items."""
        await asyncio.to_thread(self.thread.add, [_turn(item) for item in items])

    async def pop_item(self) -> Item | None:
        """Remove and return the latest item."""
        return await asyncio.to_thread(self.thread.pop)

    async def clear_session(self) -> None:
        """Remove all items."""
        await asyncio.to_thread(self.thread.clear)


def _turn(item: Mapping[str, Any]) -> ThreadItem:
    """Return an item with its text; only messages have one, so tool calls are not searched."""
    return ThreadItem(
        item,
        str(item.get("role") or item.get("type") or "item"),
        _words(item.get("content")) if "role" in item else "",
    )


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") or part.get("refusal") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def ghost_tools(ghost: Ghost, ns: str) -> list[FunctionTool]:
    """Return the function tools remember, recall and context for one namespace of an open store."""
    return [_tool(action) for action in actions(ghost, ns)]


def _tool(action: AgentAction) -> FunctionTool:
    @wraps(action.run)
    async def run(*args: Any, **kwargs: Any) -> str:
        return await asyncio.to_thread(action.run, *args, **kwargs)

    return function_tool(
        run, name_override=action.name, description_override=action.about, strict_mode=False
    )
