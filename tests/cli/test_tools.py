"""ghost tools"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem.adapters.schemas import schemas

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.mark.parametrize("style", ["openai", "openai-responses", "anthropic", "gemini"])
def test_the_schemas_are_one_json_array(ghost_cli: "GhostCli", home: Path, style: str) -> None:
    """What is printed can be given to the API as it is; no store is made."""
    assert json.loads(ghost_cli.ok("tools", "--format", style)) == schemas(style)
    assert list(home.iterdir()) == []


def test_openai_is_the_default(ghost_cli: "GhostCli") -> None:
    """Most programs speak its form."""
    assert (
        json.loads(ghost_cli.ok("tools"))
        == schemas("openai")
        == json.loads(ghost_cli.ok("tools", "-f", "text"))
    )


def test_json_is_one_tool_per_line(ghost_cli: "GhostCli") -> None:
    """As every command does, in whichever format."""
    assert ghost_cli.rows("tools", "--format", "anthropic") == schemas("anthropic")
    assert [
        json.loads(line) for line in ghost_cli.ok("tools", "-f", "json").splitlines()
    ] == schemas("openai")


def test_toolsets_are_named_as_for_mcp(ghost_cli: "GhostCli") -> None:
    """With the same words, and the same error."""
    names = {
        one["name"]
        for one in json.loads(
            ghost_cli.ok("tools", "-f", "anthropic", "--tools", "truth", "--experimental")
        )
    }
    assert "ghost_timeline" in names
    assert "ghost_put" not in names
    assert any("outline" in name for name in names)
    assert ghost_cli.fails(2, "tools", "--tools", "mind")[0] == "there is no toolset 'mind'"
