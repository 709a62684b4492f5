"""The plugin for Claude Code and the registry's file, against what their published schemas say

The facts in schemas.json were read from schemastore's claude-code-plugin-manifest.json, claude-code-marketplace.json and
claude-code-settings.json, from the MCP registry's server.schema.json (2025-12-11), and from the specification of agent skills.
"""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ghostmem._version import __version__
from ghostmem.hooks.hosts import HOSTS, Moment
from ghostmem.mcp.memory_tools import MEMORY
from ghostmem.memory.curate import OPS
from ghostmem.settings import PROVIDERS, SETTINGS

ROOT = Path(__file__).parent.parent.parent
PLUGIN = ROOT / "plugins" / "claude-code"
SCHEMAS = json.loads(Path(__file__).with_name("schemas.json").read_text(encoding="utf-8"))


def read(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        (PLUGIN / ".claude-plugin" / "plugin.json", "plugin"),
        (ROOT / ".claude-plugin" / "marketplace.json", "marketplace"),
        (ROOT / "server.json", "server"),
    ],
    ids=lambda found: found.name if isinstance(found, Path) else "",
)
def test_each_file_is_of_its_schema(path: Path, schema: str) -> None:
    """Nothing is missing, nothing is there that the schema does not know, and every text is short enough."""
    jsonschema.validate(read(path), SCHEMAS[schema])


def test_the_schemas_refuse_what_they_should() -> None:
    """A check that accepts everything proves nothing."""
    server = read(ROOT / "server.json")
    for wrong in (
        {**server, "name": "ghostmem"},
        {**server, "description": "x" * 101},
        {**server, "extra": 1},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMAS["server"])


def test_versions_and_names_agree() -> None:
    """One version and one name everywhere."""
    plugin, market, server = (
        read(PLUGIN / ".claude-plugin" / "plugin.json"),
        read(ROOT / ".claude-plugin" / "marketplace.json"),
        read(ROOT / "server.json"),
    )
    assert {
        plugin["version"],
        market["plugins"][0]["version"],
        server["version"],
        server["packages"][0]["version"],
    } == {__version__}
    assert plugin["name"] == market["plugins"][0]["name"]
    assert plugin["description"] == market["plugins"][0]["description"]
    assert (ROOT / market["plugins"][0]["source"] / ".claude-plugin" / "plugin.json").is_file()
    assert not {"registryBaseUrl"} & server["packages"][0].keys()


def test_the_hooks_are_those_that_are_answered() -> None:
    """Every event that Ghost answers is hooked, with a command that takes it; what captures does not hold up the host."""
    found = read(PLUGIN / "hooks" / "hooks.json")
    assert set(found) == {"description", "hooks"}
    assert set(found["hooks"]) == set(HOSTS["claude"].events)
    for event, matched in found["hooks"].items():
        for one in matched:
            jsonschema.validate(one, SCHEMAS["hook"])
            assert [command["command"] for command in one["hooks"]] == [
                f"ghost hook claude {event}"
            ]
            # a host may end a background hook at once, so Stop, which only queues, is none
            in_background = HOSTS["claude"].events[event] is Moment.COMPACT
            assert [command.get("async", False) for command in one["hooks"]] == [in_background]
    assert set(found["hooks"]["SessionStart"][0]["matcher"].split("|")) == {
        "startup",
        "resume",
        "clear",
        "compact",
    }


def test_the_server_is_started_as_ghost_mcp() -> None:
    """The plugin's server and the registry's are the same command."""
    server = read(PLUGIN / ".mcp.json")["mcpServers"]["ghost"]
    package = read(ROOT / "server.json")["packages"][0]
    assert server == {"type": "stdio", "command": "ghost", "args": ["mcp"], "env": {}}
    assert [argument["value"] for argument in package["packageArguments"]] == server["args"]
    known = {variable for part in SETTINGS.values() for variable in part.metadata["env"]}
    assert {variable["name"] for variable in package["environmentVariables"]} <= known
    choices = [
        variable["choices"] for variable in package["environmentVariables"] if "choices" in variable
    ]
    assert choices == [list(PROVIDERS)]


def test_the_skill_is_well_formed_and_names_what_exists() -> None:
    """Its name is its folder's, it is short, and every tool and step it teaches is there."""
    path = PLUGIN / "skills" / "ghost-memory" / "SKILL.md"
    text = path.read_text(encoding="utf-8")
    head, body = text.removeprefix("---\n").split("\n---\n", 1)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert set(fields) <= {
        "name",
        "description",
        "license",
        "compatibility",
        "metadata",
        "allowed-tools",
    }
    assert fields["name"] == path.parent.name
    assert re.fullmatch(r"[a-z0-9-]{1,64}", fields["name"])
    assert 1 <= len(fields["description"]) <= 1024
    assert len(body.splitlines()) < 500
    assert set(re.findall(r"ghost_\w+", text)) <= {tool.name for tool in MEMORY}
    assert set(re.findall(r"`op` (\w+)", text)) <= {*OPS, "used"}


@pytest.mark.requirement("002-164")
def test_the_guide_says_how_to_install_and_how_to_undo() -> None:
    """Both ways in, and both ways out."""
    text = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
    installing, undoing = (
        text.split("## Install")[1].split("\n## ")[0],
        text.split("## Remove")[1],
    )
    assert "ghost setup claude-code --hooks" in installing
    assert "/plugin install ghost-memory@ghost" in installing
    assert "ghost setup claude-code --remove" in undoing
    assert "/plugin uninstall ghost-memory@ghost" in undoing


def test_the_readme_proves_that_the_package_is_ours() -> None:
    """The registry looks for the server's name in the package's description, which is the README."""
    name = read(ROOT / "server.json")["name"]
    assert f"<!-- mcp-name: {name} -->" in (ROOT / "README.md").read_text(encoding="utf-8")
