"""The toolsets: which tools a server offers, and how a call of one is checked."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from ghostmem.caller import CALLER
from ghostmem.clock import now as system_now
from ghostmem.errors import InvalidInputError
from ghostmem.ghost import Ghost
from ghostmem.mcp.coerce import coerce
from ghostmem.mcp.tool import Arguments, McpTool
from ghostmem.memory.get import one_namespace, split_name
from ghostmem.schema import check, with_whole_numbers, without_nulls

# tools that may read all namespaces with a prefix
SEVERAL = (
    "ghost_search",
    "ghost_context",
    "ghost_list",
    "ghost_reflect",
    "ghost_conflicts",
    "ghost_show",
)
# by toolset: the module whose function make_tools returns its tools, imported when served
TOOLSETS: Mapping[str, str] = {
    "memory": "memory_tools",
    "edit": "memory_tools",
    "truth": "memory_tools",
    "notes": "note_tools",
    "knowledge": "knowledge_tools",
    "outline": "outline_tools",
    "viewer": "app",
}

# texts that an error shows; all others are keys
EXAMPLES = {
    "query": "when do we deploy?",
    "content": "We deploy on Tuesdays.",
    "what": "deploy-days",
    "patch": "@@ -1 +1 @@ ...",
}
# by the last word of a tool's name that models make up: the call that does it
OTHER_TOOLS = {
    word: call
    for call, words in {
        "ghost_curate with op delete": "delete remove rm forget erase",
        "ghost_curate with op archive": "archive hide",
        "ghost_curate with op pin": "pin",
        "ghost_put": "add create store save remember write insert set",
        "ghost_put with the same key": "update edit replace",
        "ghost_search": "find query recall lookup",
        "ghost_get": "read fetch show open",
        "ghost_edge": "link relate connect",
        "ghost_consolidate": "summarize summarise merge",
    }.items()
    for word in words.split()
}
# arguments that name memories: a plain key, or `ns/key` as every result prints it
_NAMING = (
    *("key", "from_key", "to_key", "summary_key", "supersedes", "keep", "other", "what"),
    *("source_keys", "seed"),
)
ALL = "all"  # these toolsets, with every argument that their tools accept
IN_ALL = ("memory", "edit", "truth", "notes", "knowledge")


def expanded(toolsets: Iterable[str]) -> tuple[str, ...]:
    """Return the names of toolsets, with those that `all` stands for.

    Raises:
        InvalidInputError: No toolset is named, or one that does not exist.
    """
    named = list(toolsets)
    unknown = [name for name in named if name not in (*TOOLSETS, ALL)]
    if unknown or not named:
        raise InvalidInputError(
            f"there is no toolset {unknown[0]!r}" if unknown else "no toolset was named",
            f"there are: {', '.join((*TOOLSETS, ALL))}",
        )
    return tuple(
        dict.fromkeys(part for name in named for part in (IN_ALL if name == ALL else (name,)))
    )


def chosen_tools(toolsets: Iterable[str], root: Path | None = None) -> dict[str, McpTool]:
    """Return the tools of some toolsets by name; those on files work below `root`."""
    tools: dict[str, McpTool] = {}
    toolsets = list(toolsets)
    for name in expanded(toolsets):
        tools |= {
            tool.name: tool
            for tool in import_module(f"ghostmem.mcp.{TOOLSETS[name]}").make_tools(
                name, root or Path.cwd()
            )
        }
    if ALL in toolsets:
        tools = {name: tool.with_all_listed() for name, tool in tools.items()}
    return tools


def find_tool(tools: Mapping[str, McpTool], name: str) -> McpTool:
    """Return a tool by its name.

    Raises:
        InvalidInputError: No tool has that name.
    """
    if name not in tools:
        call = OTHER_TOOLS.get(name.lower().rpartition("_")[2], "")
        is_served = call.partition(" ")[0] in tools
        raise InvalidInputError(
            f"there is no tool {name[:60]!r}",
            f"call {call}" if is_served else f"there are: {', '.join(tools)}",
        )
    return tools[name]


def checked_arguments(
    tool: McpTool, given: Mapping[str, Any] | None, at: datetime | None = None
) -> Arguments:
    """Return the arguments of a call that are not null, after a check against the tool's schema.

    Values whose meaning is clear are turned into the form of the schema first; times such as
    `yesterday` count from `at`.
    """
    schema = tool.accepted
    arguments = coerce(without_nulls(given or {}, schema), schema, at or system_now())
    check(arguments, schema)
    if tool.uses_namespace:
        _refuse_blanks(tool, arguments)
    return dict(with_whole_numbers(arguments, schema))


def _refuse_blanks(tool: McpTool, arguments: Mapping[str, Any]) -> None:
    for name in tool.required:
        value = arguments.get(name)
        if isinstance(value, str) and not value.strip():
            example = EXAMPLES.get(name, "user-timezone")
            raise InvalidInputError(f"{name} is empty", f'send {name} as a text, e.g. "{example}"')


def check_namespace(tool: str, ns: str) -> None:
    """Refuse a prefix of namespaces for a tool that works in one namespace."""
    if tool not in SEVERAL and ns.endswith("*"):
        raise InvalidInputError(
            f"{tool} needs one namespace, not {ns!r}", "name one; ghost_search finds in several"
        )


def resolve_names(ghost: Ghost, given: Arguments, is_read: bool) -> Arguments:
    """Return arguments with plain keys, and with the namespace that their names have.

    An exact key of the namespace of the call wins. A read follows a name into another namespace
    that the caller may read.

    Raises:
        InvalidInputError: A write names a memory of another namespace, or names are of several.
    """
    changed: Arguments = {}
    named: dict[str, str] = {}  # by namespace: an argument that names it, and how to send it
    for argument in _NAMING:
        if value := given.get(argument):
            split = [
                _split(ghost, given["ns"], name)
                for name in (value if isinstance(value, list) else [value])
            ]
            keys = [key for _, key in split]
            changed[argument] = keys if isinstance(value, list) else keys[0]
            for ns, key in split:
                named.setdefault(ns, f'{argument} "{key}"')
    ns = one_namespace(named) or given["ns"]
    if ns != given["ns"] and not is_read:
        raise InvalidInputError(
            f"{named[ns].partition(' ')[0]} names a memory of {ns}, and ns is {given['ns']}",
            f'send ns "{ns}" and {named[ns]}',
        )
    return {**given, **changed, "ns": ns}


def _split(ghost: Ghost, ns: str, name: str) -> tuple[str, str]:
    """Return namespace and key of a name; the namespace is empty for a plain key."""
    space, key = split_name(ghost.store, ns, name)
    is_name = space == ns or (
        space and CALLER.get().may(space, "read") and bool(ghost.admin.namespaces(space))
    )
    return (space, key) if is_name else ("", name)
