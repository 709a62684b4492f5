"""Anthropic's memory tool for the SDK's tool runner, served from a store."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ghostmem.adapters.extra import missing
from ghostmem.adapters.memory_files import COMMANDS, MemoryFiles
from ghostmem.adapters.memory_paths import MemoryFileError

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
except ImportError as error:
    raise missing("anthropic", "anthropic", error) from error

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost


class GhostMemoryTool(BetaAbstractMemoryTool):  # type: ignore[misc]
    """The tool `memory` over one namespace of an open store.

    Give it to `client.beta.messages.tool_runner(tools=[…])`.
    """

    def __init__(
        self, ghost: Ghost, ns: str, *, allow_secrets: bool = False, cache_control: Any = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.files = MemoryFiles(ghost, ns, allow_secrets=allow_secrets)

    def call(self, input: object) -> str:  # noqa: A002 (their name)
        """Carry out a command as the model sent it."""
        return _run(self.files, input)

    def execute(self, command: Any) -> str:
        """Carry out a command that was read already."""
        return _run(self.files, command.model_dump(exclude_unset=True))

    def clear_all_memory(self) -> str:
        """Remove every file; softly."""
        return self.files.clear()

    view = create = str_replace = insert = delete = rename = execute


class AsyncGhostMemoryTool(BetaAsyncAbstractMemoryTool):  # type: ignore[misc]
    """The same for the asynchronous client; the store works in a thread."""

    def __init__(
        self, ghost: Ghost, ns: str, *, allow_secrets: bool = False, cache_control: Any = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.files = MemoryFiles(ghost, ns, allow_secrets=allow_secrets)

    async def call(self, input: object) -> str:  # noqa: A002 (their name)
        """Carry out a command as the model sent it."""
        return await asyncio.to_thread(_run, self.files, input)

    async def execute(self, command: Any) -> str:
        """Carry out a command that was read already."""
        return await asyncio.to_thread(_run, self.files, command.model_dump(exclude_unset=True))

    async def clear_all_memory(self) -> str:
        """Remove every file; softly."""
        return await asyncio.to_thread(self.files.clear)

    view = create = str_replace = insert = delete = rename = execute


def _run(files: MemoryFiles, given: Any) -> str:
    if not isinstance(given, dict):
        raise ToolError(f"a command is an object with one of: {', '.join(COMMANDS)}")
    try:
        return files.run(given)
    except MemoryFileError as error:
        raise ToolError(error.message) from error
