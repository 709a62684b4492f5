"""The tools of the toolset outline, which work on the source files of a project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.mcp.tools import READ, TEXT, TEXTS, Arguments, Result, Tool, described
from ghostmem.outline.languages.table import LANGUAGES

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost
    from ghostmem.outline.operations import Outline

FORMATS = ("text", "json")
_SHAPE: dict[str, Any] = {
    "depth": {
        "type": "integer",
        "minimum": 0,
        "maximum": 10,
        "description": "levels of relations to traverse, default 2",
    },
    "relations": described(TEXTS, "only these kinds, such as calls, calledBy, implementedBy"),
    "omit_native": {
        "type": "boolean",
        "description": "leave out the standard library and built-ins",
    },
    "format": {"type": "string", "enum": list(FORMATS), "description": "default text"},
    "max_nodes": {
        "type": "integer",
        "minimum": 1,
        "maximum": 20_000,
        "description": "default 2000",
    },
    "include_memories": {
        "type": "boolean",
        "description": "show memories about each file and symbol",
    },
}
_LANGUAGE = described(TEXT, f"one of {', '.join(LANGUAGES)}")


def outline_tools(root: Path) -> tuple[Tool, ...]:
    """Return the three tools over a project."""

    def symbol(ghost: Ghost, given: Arguments) -> Result:
        form = given.pop("format", "text")
        return _said(
            form,
            ghost.outline_symbol(given.pop("symbol"), given.pop("language"), root=root, **given),
        )

    def file(ghost: Ghost, given: Arguments) -> Result:
        form = given.pop("format", "text")
        return _said(
            form, ghost.outline_file(given.pop("file"), given.pop("language"), root=root, **given)
        )

    def project(ghost: Ghost, given: Arguments) -> Result:
        form = given.pop("format", "text")
        return _said(form, ghost.outline_project(given.pop("language"), root=root, **given))

    return (
        Tool(
            "outline_symbol",
            "Outline a symbol",
            "The relation tree of a symbol: what it calls, uses and extends, and who does "
            "so with it.",
            {
                "symbol": described(TEXT, "its name, whole or in part"),
                "language": _LANGUAGE,
                "file": described(TEXT, "only in this file"),
                **_SHAPE,
            },
            ("symbol", "language"),
            {"text": TEXT},
            symbol,
            "read",
            READ,
            walled=False,
        ),
        Tool(
            "outline_file",
            "Outline a file",
            "The relation tree of every symbol that a source file declares.",
            {
                "file": described(TEXT, "its path from the project's root"),
                "language": _LANGUAGE,
                **_SHAPE,
            },
            ("file", "language"),
            {"text": TEXT},
            file,
            "read",
            READ,
            walled=False,
        ),
        Tool(
            "outline_project",
            "Outline the project",
            "The relation tree of every symbol of the project; large, so begin with depth 1.",
            {"language": _LANGUAGE, **_SHAPE},
            ("language",),
            {"text": TEXT},
            project,
            "read",
            READ,
            walled=False,
        ),
    )


def _said(form: str, made: Outline) -> Result:
    return {"text": made.text if form == "text" else json.dumps(made.data, ensure_ascii=False)}
