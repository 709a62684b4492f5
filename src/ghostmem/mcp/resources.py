"""Resources: a memory by its address, an index of a namespace, and completion of both."""

from collections.abc import Mapping
from urllib.parse import quote, unquote

from ghostmem.caller import CALLER, require
from ghostmem.errors import GhostError, NotFoundError
from ghostmem.mcp.protocol import INVALID_PARAMS, ProtocolError
from ghostmem.mcp.texts import error_text, readable
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.text.excerpt import first_line

SCHEME = "memory://"
INDEX = "index"
_MARKDOWN = "text/markdown"
MAX_COMPLETED = 10_000  # keys that a completion reads
MAX_INDEXED = 500  # memories in an index


def uri(ns: str, key: str) -> str:
    """Return the address of a memory."""
    return f"{SCHEME}{quote(ns, safe=':')}/{quote(key, safe='')}"


def templates() -> list[dict[str, str]]:
    """Return the patterns of addresses."""
    about = (
        ("{ns}/{key}", "memory", "One memory"),
        ("{ns}/index", "index", "What a namespace knows, one line each"),
    )
    return [
        {"uriTemplate": SCHEME + path, "name": name, "description": text, "mimeType": _MARKDOWN}
        for path, name, text in about
    ]


def resources(tools: ToolServer) -> list[dict[str, str]]:
    """Return the index of each namespace that the caller may read."""
    names = [
        info.ns for info in tools.ghost.admin.namespaces() if CALLER.get().may(info.ns, "read")
    ]
    similar = tools.ghost.list(key_prefix=INDEX, limit=MAX_COMPLETED) if names else []
    taken = {memory.ns for memory in similar if memory.key == INDEX}
    return [
        {
            "uri": f"{SCHEME}{quote(ns, safe=':')}/{'' if ns in taken else INDEX}",
            "name": ns,
            "description": f"What {ns} knows",
            "mimeType": _MARKDOWN,
        }
        for ns in names
    ]


def read(tools: ToolServer, address: str) -> dict[str, str]:
    """Return the content of an address.

    Without a key it is an index, and so is the key `index` if no memory has it."""
    ns, slash, key = address.removeprefix(SCHEME).partition("/")
    ns, key = unquote(ns), unquote(key)
    try:
        if not address.startswith(SCHEME) or not ns or not slash:
            raise ProtocolError(
                INVALID_PARAMS,
                readable(
                    f"{address[:200]} is not an address; addresses look like {SCHEME}agent:me/tea"
                ),
            )
        require(ns, "read")
        text = _content(tools, ns, key)
    except GhostError as error:
        raise ProtocolError(
            INVALID_PARAMS, readable(error_text(error, tools=tools.tools))
        ) from None
    return {"uri": address, "mimeType": _MARKDOWN, "text": text}


def _content(tools: ToolServer, ns: str, key: str) -> str:
    try:
        return tools.ghost.get(ns, key).content if key else _index(tools, ns)
    except NotFoundError:
        if key != INDEX:
            raise
        return _index(tools, ns)


def _index(tools: ToolServer, ns: str) -> str:
    found = tools.ghost.list(ns, limit=MAX_INDEXED + 1)
    lines = [
        f"- `{memory.key}` ({memory.created_at:%Y-%m-%d}): {first_line(memory.content, 100)}"
        for memory in found[:MAX_INDEXED]
    ]
    if len(found) > MAX_INDEXED:
        lines += ["", f"These are the newest {MAX_INDEXED}; ghost_list shows older ones."]
    return "\n".join([f"# {ns}", "", *lines]) + "\n"


def complete(tools: ToolServer, name: str, value: str, known: Mapping[str, str]) -> list[str]:
    """Return how an argument may go on: namespaces, or keys of the namespace that is named."""
    if name == "ns":
        return [
            i.ns
            for i in tools.ghost.admin.namespaces()
            if i.ns.startswith(value) and CALLER.get().may(i.ns, "read")
        ]
    ns = known.get("ns") or tools.own()
    if name != "key" or ns.endswith("*") or not CALLER.get().may(ns, "read"):
        return []
    try:
        found = tools.ghost.list(ns, key_prefix=value, limit=MAX_COMPLETED)
    except GhostError:  # nothing starts with what cannot be a key
        return []
    keys = sorted(memory.key for memory in found)
    return [*keys, *([INDEX] if INDEX.startswith(value) and INDEX not in keys else [])]
