"""A store as MCP sees it: its tools and who may call them, in plain data for any transport."""

import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.caller import AGENT, CALLER, grant_hint, require
from ghostmem.errors import ForbiddenError, GhostError
from ghostmem.ghost import Ghost
from ghostmem.mcp.app import SHOW
from ghostmem.mcp.result_texts import original_text, result_text
from ghostmem.mcp.texts import error_text, readable
from ghostmem.mcp.tool import McpTool
from ghostmem.mcp.tools import (
    check_namespace,
    checked_arguments,
    chosen_tools,
    expanded,
    find_tool,
    resolve_names,
)
from ghostmem.memory.embedding import catch_up
from ghostmem.notes.project import PREFIX, project_namespace
from ghostmem.parameters import PROJECT_NS
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from concurrent.futures import Future

# tools that find memories, and the field of their rows
_ROWS = {"ghost_search": "results", "ghost_context": "memories", "ghost_list": "memories"}


class PendingStore:
    """A store on a database server, which may take long to answer, or not be there yet.

    It is opened in the background. If that fails, the error is printed, and the next call that
    needs the store tries again."""

    def __init__(self, settings: Settings, open_store: Callable[[], Ghost]) -> None:
        self.settings = settings
        self._open = open_store
        self._lock = threading.Lock()
        self._attempt = self._start()

    @property
    def opened(self) -> Ghost | None:
        """Return the store if it is open."""
        return (
            self._attempt.result()
            if self._attempt.done() and self._attempt.exception() is None
            else None
        )

    def get(self) -> Ghost:
        """Return the open store, or raise the error for which it could not be opened."""
        with self._lock:
            if self._attempt.done() and self._attempt.exception() is not None:
                self._attempt = self._start()
            attempt = self._attempt
        return attempt.result()

    def _start(self) -> "Future[Ghost]":
        """Open the store in a thread that does not keep the process running."""
        from concurrent.futures import Future

        attempt: Future[Ghost] = Future()
        threading.Thread(target=self._run, args=(attempt,), daemon=True).start()
        return attempt

    def _run(self, attempt: "Future[Ghost]") -> None:
        try:
            attempt.set_result(self._open())
        except GhostError as error:
            print(error_text(error), file=sys.stderr, flush=True)
            attempt.set_exception(error)
        except Exception as error:
            traceback.print_exc()
            attempt.set_exception(GhostError(f"{type(error).__name__} while the store was opened"))


class ToolServer:
    """The tools over a store, and the namespace for calls that name none."""

    def __init__(
        self,
        store: Ghost | PendingStore,
        toolsets: Iterable[str] = ("memory",),
        folder: str | None = None,
        root: Path | None = None,
        is_shared: bool = False,
    ) -> None:
        self._store = store
        self.is_shared = is_shared  # by clients that work in other folders
        named = tuple(toolsets)
        self.toolsets = expanded(named)
        self.tools = chosen_tools(named, root)
        settings = store.settings if isinstance(store, PendingStore) else store.store.settings
        self.ns = settings.ns or project_namespace(folder)

    @property
    def ghost(self) -> Ghost:
        """Return the store, and wait for one that is being opened."""
        return self._store.get() if isinstance(self._store, PendingStore) else self._store

    def warm(self) -> None:
        """Load the model of an open store in the background."""
        opened = self._store.opened if isinstance(self._store, PendingStore) else self._store
        if opened is not None:
            opened.store.vectoriser.warm()

    def listed(self, shows_apps: bool = False) -> list[dict[str, Any]]:
        """Return the tools as the protocol lists them, with the viewer for hosts that show apps."""
        return [
            _listed(tool, self.is_shared)
            for tool in (self.tools | ({SHOW.name: SHOW} if shows_apps else {})).values()
        ]

    def default_ns(self) -> str:
        """Say which namespace calls use that name none; a shared server does not tell its name."""
        if not self.is_shared:
            return self.ns
        return "the namespace of the folder that the server runs in, or the only one of your token"

    def call(self, name: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Call a tool; an error becomes part of the result."""
        on_files = name in self.tools and not self.tools[name].uses_namespace
        before = AGENT.set(True)
        try:
            tool, arguments = self._prepared(name, given)
            result = tool.call(self.ghost, arguments)
            if name == "ghost_put":
                result |= self._new_namespace(arguments["ns"], result)
            shown = tool.show(result, arguments) if tool.show is not None else result
            if name in _ROWS and not result[_ROWS[name]]:
                shown |= self._why_empty(given or {}, arguments)
        except GhostError as error:
            return _answer(error_text(error, on_files, self.tools), isError=True)
        except Exception as error:
            traceback.print_exc()
            return _answer(
                error_text(GhostError(f"{type(error).__name__} in {name[:60]}")), isError=True
            )
        finally:
            AGENT.reset(before)
        settings = self.ghost.store.settings
        is_original = settings.compat and tool.uses_namespace
        text = original_text(name, result) if is_original else result_text(name, shown)
        return _answer(
            text,
            structuredContent=result if is_original or settings.mcp_results == "full" else shown,
            isError=False,
        )

    def _why_empty(self, given: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, str]:
        """Say which namespace or tag of a call does not exist, so that nothing can be found."""
        ns = arguments["ns"]
        where = "" if ns == "*" else f" in {ns}"
        if given.get("ns") and where and not self.ghost.admin.namespaces(ns):
            everything = '; "*" means all' if CALLER.get().may("", "read") else ""
            return {"reason": f'there is no namespace "{ns}"{everything}'}
        tags = arguments.get("tags", ())
        stored = {info.tag for info in self.ghost.admin.tags(ns)} if tags else set()
        missing = [tag for tag in tags if tag not in stored]
        return {"reason": f"no memory has the tag {missing[0]}{where}"} if missing else {}

    def _new_namespace(self, ns: str, result: Mapping[str, Any]) -> dict[str, list[str]]:
        """Say that a put created a namespace, where hooks and other calls do not look."""
        if ns == self.own() or [memory.version for memory in self.ghost.list(ns, limit=2)] != [1]:
            return {}
        return {
            "notes": [
                *result.get("notes", ()),
                f"new namespace {ns}; calls without ns use {self.default_ns()}",
            ]
        }

    def run(self, name: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Check a call, make it, and return its whole result."""
        tool, arguments = self._prepared(name, given)
        return tool.call(self.ghost, arguments)

    def _prepared(
        self, name: str, given: Mapping[str, Any] | None
    ) -> tuple[McpTool, dict[str, Any]]:
        """Return the tool and the arguments of a call that the caller may make."""
        tool = SHOW if name == SHOW.name else find_tool(self.tools, name)
        arguments = checked_arguments(tool, given, self.ghost.store.clock())
        if not tool.uses_namespace:
            if not CALLER.get().may("", tool.scope):
                raise ForbiddenError(
                    f"this token may not {tool.scope} files with {tool.name}",
                    "it takes a token whose grant is for all namespaces; ask the user for one",
                )
            return tool, arguments
        need = (
            "read"
            if (tool.name == "ghost_edge" and arguments.get("op") == "list")
            or arguments.get("dry_run") is True
            else tool.scope
        )
        is_default = not arguments.get("ns")
        arguments["ns"] = self.namespace(name, arguments.get("ns"))
        if is_default and not CALLER.get().may(arguments["ns"], need):
            raise ForbiddenError(
                f"this token may not {need} in the default namespace",
                grant_hint(need, "; send the namespace as ns"),
            )
        require("" if arguments["ns"] == "*" else arguments["ns"], need)
        return tool, resolve_names(self.ghost, arguments, is_read=need == "read")

    def own(self) -> str:
        """Return the namespace for calls that name none: ours, or the only one of the caller."""
        caller = CALLER.get()
        granted = [ns for ns, *_ in caller.grants]
        is_single = len(granted) == 1 and not granted[0].endswith("*")
        return granted[0] if is_single and not caller.may(self.ns, "read") else self.ns

    def namespace(self, name: str, given: str | None) -> str:
        """Return the namespace of a call, for reads and writes alike.

        The name of the project alone means its namespace, unless another one has this name.
        """
        own = self.own()
        is_project = own == f"{PREFIX}:{given}" and CALLER.get().may(own, "read")
        if not given or (is_project and not self.ghost.admin.namespaces(given)):
            given = own
        check_namespace(name, given)
        return given


def _listed(tool: McpTool, is_shared: bool) -> dict[str, Any]:
    """Return a tool as the protocol lists it; a shared server names its own default namespace."""
    schema = tool.schema
    if tool.unlisted:  # a client that checks calls must let these pass; our own check is complete
        del schema["additionalProperties"]
    ns = schema["properties"].get("ns", {})
    if is_shared and "description" in ns:
        schema["properties"]["ns"] = {
            **ns,
            "description": ns["description"].replace(PROJECT_NS, "the server's"),
        }
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema,
        "outputSchema": {"type": "object", "properties": dict(tool.returns)},
        "annotations": {"openWorldHint": False, **tool.hints},
        **({"_meta": dict(tool.meta)} if tool.meta else {}),
    }


def _answer(text: str, **fields: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": readable(text)}], **fields}


def defer_model(ghost: Ghost) -> None:
    """Load the model in the background, then embed what was stored meanwhile."""
    ghost.store.vectoriser.defer(lambda: catch_up(ghost.store, switching=True))
