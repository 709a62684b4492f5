"""The server: requests of the protocol to verbs, each in a worker thread, and every error as a sentence for the model."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server

from ghostmem._version import __version__
from ghostmem.caller import CALLER, CLIENT, require
from ghostmem.errors import ForbiddenError, GhostError, InvalidInputError
from ghostmem.mcp.app import EXTENSION, SHOW, URI, app_contents, app_resource, is_shown_by
from ghostmem.mcp.prompts import offered, prompt_result
from ghostmem.mcp.resources import complete, read, resources, templates
from ghostmem.mcp.texts import brief, instructions, readable, told
from ghostmem.mcp.tools import TOOLSETS, Tool
from ghostmem.schema import check
from ghostmem.verbs.accept import MAX_KEY
from ghostmem.verbs.project import project_namespace

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from starlette.applications import Starlette

    from ghostmem.ghost import Ghost

    Context = ServerRequestContext[Any]

SEVERAL = (
    "ghost_search",
    "ghost_context",
    "ghost_reflect",
    "ghost_conflicts",
    "ghost_show",
)  # may look into all namespaces of a prefix
WATCH = 5.0  # seconds between looks whether the parent is still there
_BODY = 4_000_000  # bytes of one request over HTTP


def chosen_tools(toolsets: Iterable[str], root: Path) -> dict[str, Tool]:
    """Return the tools of some toolsets by name, in the order they are named; those that work on files do so below a folder."""
    found: dict[str, Tool] = {}
    toolsets = list(toolsets)
    if not toolsets:
        raise InvalidInputError("no toolset was named", f"there are: {', '.join(TOOLSETS)}")
    for name in toolsets:
        if name not in TOOLSETS:
            raise InvalidInputError(f"there is no toolset {name!r}", f"there are: {', '.join(TOOLSETS)}")
        toolset = TOOLSETS[name]
        found |= {tool.name: tool for tool in (toolset if isinstance(toolset, tuple) else toolset(root))}
    return found


class Face:
    """An open store as the protocol sees it: its tools, and the namespace that is meant when none is named."""

    def __init__(
        self, ghost: Ghost, toolsets: Iterable[str] = ("memory",), folder: str | None = None, root: Path | None = None
    ) -> None:
        self.ghost = ghost
        self.toolsets = tuple(toolsets)
        self.tools = chosen_tools(self.toolsets, root or Path.cwd())
        self.ns = ghost.store.settings.ns or project_namespace(folder)

    def listed(self, shows_apps: bool = False) -> list[types.Tool]:
        """Return the tools as the protocol lists them; the one that opens the viewer for hosts that can show it."""
        offered = self.tools | ({SHOW.name: SHOW} if shows_apps else {})
        return [
            types.Tool(
                name=tool.name,
                title=tool.title,
                description=tool.about,
                input_schema=tool.schema,
                output_schema={"type": "object", "properties": dict(tool.gives)},
                annotations=types.ToolAnnotations.model_validate({"openWorldHint": False, **tool.hints}),
                _meta=dict(tool.meta) or None,
            )
            for tool in offered.values()
        ]

    def call(self, name: str, given: Mapping[str, Any] | None) -> types.CallToolResult:
        """Do what a tool does; whatever is wrong with the call is said in the result."""
        walled = name not in self.tools or self.tools[name].walled
        try:
            found = self.run(name, given)
        except GhostError as error:
            return types.CallToolResult(content=[_text(told(error, walled))], is_error=True)
        except Exception as error:
            traceback.print_exc()
            return types.CallToolResult(
                content=[_text(told(GhostError(f"{type(error).__name__} in {name[:60]}")))], is_error=True
            )
        return types.CallToolResult(content=[_text(brief(name, found))], structured_content=found)

    def run(self, name: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Check a call and make it."""
        tool = SHOW if name == SHOW.name else self.tools.get(name)
        if tool is None:
            raise InvalidInputError(f"there is no tool {name[:60]!r}", f"there are: {', '.join(self.tools)}")
        arguments = {key: value for key, value in (given or {}).items() if value is not None}
        check(arguments, tool.schema)
        arguments = {key: _whole(value, tool.takes[key]) for key, value in arguments.items()}
        if not tool.walled:
            _require_everywhere(tool)
            return tool.run(self.ghost, arguments)
        need, own = self._needed(tool, arguments), not arguments.get("ns")
        arguments["ns"] = self.namespace(name, arguments.get("ns"))
        if own and not CALLER.get().may(arguments["ns"], need):
            raise ForbiddenError(f"this token may not {need} in the namespace that is meant when none is named", "name one in ns")
        require("" if arguments["ns"] == "*" else arguments["ns"], need)
        return tool.run(self.ghost, arguments)

    def own(self) -> str:
        """Return the namespace that is meant when none is named: ours, or the only one that a caller may look into."""
        caller = CALLER.get()
        if caller.may(self.ns, "read") or len(caller.grants) != 1 or caller.grants[0][0].endswith("*"):
            return self.ns
        return caller.grants[0][0]

    def _needed(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        harmless = (tool.name == "ghost_edge" and arguments.get("op") == "list") or arguments.get("dry_run") is True
        return "read" if harmless else tool.scope

    def namespace(self, name: str, given: str | None) -> str:
        """Return the namespace a call is about: the one it names, or the project's; one resolver for reads and writes."""
        found = given or self.own()
        if name not in SEVERAL and found.endswith("*"):
            raise InvalidInputError(f"{name} needs one namespace, not {found!r}", "name one; ghost_search finds in several")
        return found


def _require_everywhere(tool: Tool) -> None:
    """Refuse a tool that works on files to callers who are kept to some namespaces."""
    if not CALLER.get().may("", tool.scope):
        hint = "it takes a token whose grant is for all namespaces; ask the user for one"
        raise ForbiddenError(f"this token may not {tool.scope} files with {tool.name}", hint)


def _whole(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return 5 for 5.0 where a whole number is asked for."""
    return int(value) if schema.get("type") == "integer" else value


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=readable(text))


def make_server(face: Face) -> Server[Any]:
    """Return a server whose handlers call into a store."""

    async def threaded(work: Any, *args: Any) -> Any:
        return await anyio.to_thread.run_sync(work, *args)

    async def list_tools(context: Context, _: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=face.listed(is_shown_by(context.session.client_capabilities)))

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        known = context.session.client_params
        CLIENT.set(known.client_info.name[:MAX_KEY] if known else "mcp")
        found: types.CallToolResult = await threaded(face.call, params.name, params.arguments)
        face.ghost.store.vectoriser.warm()  # after the first answer, so that it does not wait for a model
        return found

    async def list_resources(context: Context, _: Any) -> types.ListResourcesResult:
        apps = [app_resource()] if is_shown_by(context.session.client_capabilities) else []
        return types.ListResourcesResult(resources=[*apps, *await threaded(resources, face)])

    async def list_templates(_: Context, __: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=templates())

    async def read_resource(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if str(params.uri) == URI:
            return types.ReadResourceResult(contents=[await threaded(app_contents)])
        return types.ReadResourceResult(contents=[await threaded(read, face, str(params.uri))])

    async def list_prompts(_: Context, __: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(offered(face.toolsets).values()))

    async def get_prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        own = face.own()
        named = own if CALLER.get().may(own, "read") else "(one you may read)"
        return prompt_result(params.name, params.arguments or {}, named, face.toolsets)

    async def completion(_: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        found = await threaded(complete, face, params.argument.name, params.argument.value, _known(params))
        return types.CompleteResult(completion=types.Completion(values=found[:100], total=len(found), has_more=len(found) > 100))

    server: Server[Any] = Server(
        "ghost",
        version=__version__,
        title="Ghost memory",
        instructions=instructions(face.toolsets),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=completion,
    )
    server.extensions[EXTENSION] = {}
    return server


def _known(params: types.CompleteRequestParams) -> Mapping[str, str]:
    return (params.context.arguments or {}) if params.context else {}


def run_stdio(ghost: Ghost, toolsets: Iterable[str] = ("memory",), root: Path | None = None) -> None:
    """Serve one client over standard input and output until it goes away."""
    from mcp.server.stdio import stdio_server

    server = make_server(Face(ghost, toolsets, root=root))
    _defer_model(ghost)

    async def serve() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(_leave_with_parent)
            if sys.platform != "win32":
                group.start_soon(_leave_at_a_signal)
            async with stdio_server() as (read_stream, write_stream):
                await server.run(read_stream, write_stream, server.create_initialization_options())
            group.cancel_scope.cancel()

    anyio.run(serve)
    sys.stderr.flush()


async def _leave_with_parent() -> None:
    """End when whoever started this process is gone, even if somebody else keeps the pipe open."""
    parent = os.getppid()
    while os.getppid() == parent:
        await anyio.sleep(WATCH)
    os._exit(0)  # a thread waits for input that may never come; all that was acknowledged is on disk


async def _leave_at_a_signal() -> None:
    """End when told to, whatever the client does."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async for _ in signals:
            os._exit(0)


def _defer_model(ghost: Ghost) -> None:
    """Answer without a model until it is there, then give vectors to what was stored meanwhile."""
    from ghostmem.verbs.embed import catch_up

    ghost.store.vectoriser.defer(lambda: catch_up(ghost.store))


def http_app(ghost: Ghost, toolsets: Iterable[str] = ("memory",), root: Path | None = None) -> Starlette:
    """Return an application that serves the protocol over HTTP at /mcp, with its lifespan."""
    from mcp.server.transport_security import TransportSecuritySettings

    _defer_model(ghost)
    guard = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # the application around it checks Host and Origin
    server = make_server(Face(ghost, toolsets, root=root))
    return server.streamable_http_app(
        json_response=True, stateless_http=True, transport_security=guard, max_request_body_size=_BODY
    )
