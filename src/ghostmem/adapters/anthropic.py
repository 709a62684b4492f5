"""Anthropic's memory tool for the tool runner of its SDK, with files in a store."""

import asyncio
from typing import Any

from ghostmem.adapters.extra import missing
from ghostmem.adapters.memory_files import COMMANDS, MemoryFileError, MemoryFiles
from ghostmem.ghost import Ghost

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
except ImportError as error:
    raise missing("anthropic", "anthropic", error) from error


class _FilesTool:
    """The files that a tool of the SDK works on."""

    def __init__(
        self, ghost: Ghost, ns: str, *, allow_secrets: bool = False, cache_control: Any = None
    ) -> None:
        super().__init__(cache_control=cache_control)  # type: ignore[call-arg]
        self.files = MemoryFiles(ghost, ns, allow_secrets=allow_secrets)


class GhostMemoryTool(_FilesTool, BetaAbstractMemoryTool):  # type: ignore[misc]
    """The tool `memory` over one namespace, for `client.beta.messages.tool_runner(tools=[…])`."""

    def call(self, input: object) -> str:  # noqa: A002 (the SDK's name)
        """Run a command as the model sent it."""
        return _run(self.files, input)

    def execute(self, command: Any) -> str:
        """Run a parsed command."""
        return _run(self.files, command.model_dump(exclude_unset=True))

    def clear_all_memory(self) -> str:
        """Remove every file; they can be restored."""
        return self.files.clear()

    view = create = str_replace = insert = delete = rename = execute


class AsyncGhostMemoryTool(_FilesTool, BetaAsyncAbstractMemoryTool):  # type: ignore[misc]
    """The same tool for the asynchronous client; the store runs in a thread."""

    async def call(self, input: object) -> str:  # noqa: A002 (the SDK's name)
        """Run a command as the model sent it."""
        return await asyncio.to_thread(_run, self.files, input)

    async def execute(self, command: Any) -> str:
        """Run a parsed command."""
        return await asyncio.to_thread(_run, self.files, command.model_dump(exclude_unset=True))

    async def clear_all_memory(self) -> str:
        """Remove every file; they can be restored."""
        return await asyncio.to_thread(self.files.clear)

    view = create = str_replace = insert = delete = rename = execute


def _run(files: MemoryFiles, arguments: Any) -> str:
    if not isinstance(arguments, dict):
        raise ToolError(f"a command is an object with one of: {', '.join(COMMANDS)}")
    try:
        return files.run(arguments)
    except MemoryFileError as error:
        raise ToolError(error.message) from error
