"""A store as the protocol sees it: its tools and who may call them, in plain data that any
transport can send.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.caller import AGENT, CALLER, require
from ghostmem.errors import ForbiddenError, GhostError, InvalidInputError
from ghostmem.mcp.app import SHOW
from ghostmem.mcp.texts import brief, readable, told
from ghostmem.mcp.tools import SEVERAL, Tool, chosen_tools
from ghostmem.notes.project import project_namespace
from ghostmem.schema import check

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost


class Face:
    """An open store as the protocol sees it: its tools, and the namespace that is meant when none
    is named.
    """

    def __init__(
        self,
        ghost: Ghost,
        toolsets: Iterable[str] = ("memory",),
        folder: str | None = None,
        root: Path | None = None,
    ) -> None:
        self.ghost = ghost
        self.toolsets = tuple(toolsets)
        self.tools = chosen_tools(self.toolsets, root)
        self.ns = ghost.store.settings.ns or project_namespace(folder)

    def listed(self, shows_apps: bool = False) -> list[dict[str, Any]]:
        """Return the tools as the protocol lists them.

        The one that opens the viewer for hosts that can show it.
        """
        offered = self.tools | ({SHOW.name: SHOW} if shows_apps else {})
        return [_listed(tool) for tool in offered.values()]

    def call(self, name: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Do what a tool does; whatever is wrong with the call is said in the result."""
        walled = name not in self.tools or self.tools[name].walled
        before = AGENT.set(True)
        try:
            found = self.run(name, given)
        except GhostError as error:
            return _failed(told(error, walled))
        except Exception as error:
            traceback.print_exc()
            return _failed(told(GhostError(f"{type(error).__name__} in {name[:60]}")))
        finally:
            AGENT.reset(before)
        return {
            "content": [text_content(brief(name, found))],
            "structuredContent": found,
            "isError": False,
        }

    def run(self, name: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Check a call and make it."""
        tool = SHOW if name == SHOW.name else self.tools.get(name)
        if tool is None:
            raise InvalidInputError(
                f"there is no tool {name[:60]!r}", f"there are: {', '.join(self.tools)}"
            )
        arguments = {key: value for key, value in (given or {}).items() if value is not None}
        check(arguments, tool.schema)
        arguments = {key: _whole(value, tool.takes[key]) for key, value in arguments.items()}
        if not tool.walled:
            _require_everywhere(tool)
            return tool.run(self.ghost, arguments)
        need, own = self._needed(tool, arguments), not arguments.get("ns")
        arguments["ns"] = self.namespace(name, arguments.get("ns"))
        if own and not CALLER.get().may(arguments["ns"], need):
            raise ForbiddenError(
                f"this token may not {need} in the namespace that is meant when none is named",
                "name one in ns",
            )
        require("" if arguments["ns"] == "*" else arguments["ns"], need)
        return tool.run(self.ghost, arguments)

    def own(self) -> str:
        """Return the namespace that is meant when none is named: ours, or the only one that a
        caller may look into.
        """
        caller = CALLER.get()
        if (
            caller.may(self.ns, "read")
            or len(caller.grants) != 1
            or caller.grants[0][0].endswith("*")
        ):
            return self.ns
        return caller.grants[0][0]

    def _needed(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        harmless = (tool.name == "ghost_edge" and arguments.get("op") == "list") or arguments.get(
            "dry_run"
        ) is True
        return "read" if harmless else tool.scope

    def namespace(self, name: str, given: str | None) -> str:
        """Return the namespace a call is about: the one it names, or the project's.

        One resolver for reads and writes.
        """
        found = given or self.own()
        if name not in SEVERAL and found.endswith("*"):
            raise InvalidInputError(
                f"{name} needs one namespace, not {found!r}",
                "name one; ghost_search finds in several",
            )
        return found


def _require_everywhere(tool: Tool) -> None:
    """Refuse a tool that works on files to callers who are kept to some namespaces."""
    if not CALLER.get().may("", tool.scope):
        hint = "it takes a token whose grant is for all namespaces; ask the user for one"
        raise ForbiddenError(f"this token may not {tool.scope} files with {tool.name}", hint)


def _whole(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return 5 for 5.0 where a whole number is asked for."""
    return int(value) if schema.get("type") == "integer" else value


def _listed(tool: Tool) -> dict[str, Any]:
    """Return a tool as the protocol lists it."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.about,
        "inputSchema": tool.schema,
        "outputSchema": {"type": "object", "properties": dict(tool.gives)},
        "annotations": {"openWorldHint": False, **tool.hints},
        **({"_meta": dict(tool.meta)} if tool.meta else {}),
    }


def text_content(text: str) -> dict[str, str]:
    """Return a text as the protocol carries it."""
    return {"type": "text", "text": readable(text)}


def _failed(text: str) -> dict[str, Any]:
    return {"content": [text_content(text)], "isError": True}


def defer_model(ghost: Ghost) -> None:
    """Answer without a model until it is there, then give vectors to what was stored meanwhile."""
    from ghostmem.memory.embedding import catch_up

    ghost.store.vectoriser.defer(lambda: catch_up(ghost.store))
