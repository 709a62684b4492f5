"""The tools of the toolset outline, which work on the source files of a project."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ghostmem.ghost import Ghost
from ghostmem.mcp.tool import TEXT, Arguments, McpTool, Result, arguments, described
from ghostmem.outline.languages.table import LANGUAGES

FORMATS = ("text", "json")
MAX_NODES = 2000
MAX_CHARACTERS = 24_000  # of a page, about 6,000 tokens: clients refuse results of 25,000


def _parameters(names: str, **changes: Mapping[str, Any]) -> dict[str, Any]:
    language = {"description": f"one of {', '.join(LANGUAGES)}; default: detected"}
    return {
        **arguments("outline_symbol", names, language=language, **changes),
        **arguments("outline_symbol", "depth relations omit_native"),
        "format": described({"type": "string", "enum": list(FORMATS)}, "default text"),
        **arguments("outline_symbol", "max_nodes offset include_memories"),
    }


def make_tools(_: str, root: Path) -> tuple[McpTool, ...]:
    """Return the three tools over a project."""

    def tool(
        name: str,
        title: str,
        description: str,
        parameters: Mapping[str, Any],
        required: tuple[str, ...],
    ) -> McpTool:
        def run(ghost: Ghost, given: Arguments) -> Result:
            form = given.pop("format", "text")
            given.setdefault("max_nodes", MAX_NODES)
            while True:
                made = getattr(ghost.outline, name)(root=root, **given)
                text = made.text
                if form == "json":
                    text = json.dumps(made.data, ensure_ascii=False)
                # fewer nodes: the outline itself says what is left and how to continue
                nodes = len(made.data["matches"]) + made.data["stats"]["relations"]
                if len(text) <= MAX_CHARACTERS or nodes <= 1:
                    return {"text": text}
                given["max_nodes"] = max(1, int(nodes * 0.9 * MAX_CHARACTERS / len(text)))

        return McpTool(
            f"outline_{name}",
            title,
            description,
            parameters,
            required,
            {"text": TEXT},
            run,
            uses_namespace=False,
        )

    return (
        tool(
            "symbol",
            "Outline a symbol",
            "The relation tree of a symbol: what it calls, uses and extends, and what "
            "does so with it.",
            _parameters("symbol language file"),
            ("symbol",),
        ),
        tool(
            "file",
            "Outline a file",
            "The relation tree of every symbol that a source file declares.",
            _parameters("file language", file={"description": "its path from the project's root"}),
            ("file",),
        ),
        tool(
            "project",
            "Outline the project",
            "The relation tree of every symbol of the project; large, so begin with depth 1.",
            _parameters("language"),
            (),
        ),
    )
