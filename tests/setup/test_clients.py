"""Every client of the table: its files come back to the byte, and what others wrote in them stays"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.errors import ConflictError
from ghostmem.mcp.tools import chosen_tools
from ghostmem.setup.clients import CHECKED, CLIENTS, DOCUMENTED, RUN, SCOPES, SetupClient
from ghostmem.setup.entry import Launch, command_in, server
from ghostmem.setup.formats import FORMATS, value_at
from ghostmem.setup.install import install
from ghostmem.setup.parts import (
    SetupFile,
    containers,
    hooks_in,
    is_allowed,
    made_by,
    server_in,
    targets,
    with_parts,
    without_parts,
)

HOW = Launch(("/opt/ghost/bin/ghost",), tools=("ghost_put", "ghost_search"))
FILES = [
    (name, number)
    for name, client in CLIENTS.items()
    for number in range(len(targets(client, "user", True, True, True)))
]


def target(name: str, number: int, folder: Path) -> SetupFile:
    """Return one of the files of a client with all its parts, in a folder of its own."""
    file = targets(CLIENTS[name], "user", True, True, True)[number]
    return replace(file, path=folder / "file")


# ---------------------------------------------------------------- files that people have


def foreign(client: SetupClient, draw: Callable[[Any], Any]) -> dict[str, Any]:
    """Return what somebody has in a file: other settings, servers, hooks and permissions, or none of them."""
    document: dict[str, Any] = {"theme": "dark", "nested": {"list": [1, {"a": "b"}], "no": None}}
    if draw(st.booleans()):
        is_list = client.format == "yaml-list"
        servers = {"other": {"name": "other", "command": "x", "args": ["ghost"]}}
        document[client.path[0]] = list(servers.values()) if is_list else servers
    if client.hooks and draw(st.booleans()):
        handler = {"type": "command", "command": "echo ghost"}
        listed = [handler] if client.hooks.flat else [{"matcher": "x", "hooks": [handler]}]
        document["hooks"] = {client.hooks.events[0].name: listed, "Another": listed}
        document["version"] = 1  # Cursor's file needs it as long as there are hooks
    if client.permission and client.permission.path and draw(st.booleans()):
        *above, last = containers(client.permission)[-1]
        inner = document
        for key in above:
            inner = inner.setdefault(key, {})
        inner[last] = ["mcp__github"] if client.permission.is_item else {"mcp:x:y": "ask"}
    return document


def json_text(document: Any, style: dict[str, Any], depth: int = 0) -> str:
    """Return a document as JSON in somebody's style: indentation, comments, trailing commas."""
    unit, comments = style["unit"], style["comments"]
    if not document or not isinstance(document, dict | list) or not unit:
        return json.dumps(document, separators=(",", ":") if style["tight"] else None)
    inner, outer = unit * (depth + 1), unit * depth
    rows = (
        [f"{json.dumps(key)}: {json_text(value, style, depth + 1)}" for key, value in document.items()]
        if isinstance(document, dict)
        else [json_text(value, style, depth + 1) for value in document]
    )  # fmt: skip
    last = "," if comments and style["tight"] else ""
    note = " // mine" if comments else ""
    body = f",{note}\n".join(inner + row for row in rows)
    first, end = "{}" if isinstance(document, dict) else "[]"
    return f"{first}\n{body}{last}{note}\n{outer}{end}"


def toml_text(document: dict[str, Any], style: dict[str, Any]) -> str:
    """Return a document as TOML, with comments and any distance between tables."""
    note = " # mine" if style["comments"] else ""
    lines = [f'theme = "dark"{note}', "", "[nested]", "list = [1, 2]"]
    for name in document.get("mcp_servers", ()):
        lines += ["", f"[mcp_servers.{name}]{note}", 'command = "x"', f'args = ["ghost"]{note}']
    return "\n".join(lines)


def yaml_text(document: dict[str, Any], style: dict[str, Any]) -> str:
    """Return a document as YAML, with comments and wide or narrow lists."""
    text = yaml.safe_dump(document, sort_keys=False, indent=4 if style["tight"] else 2).rstrip("\n")
    return text.replace("theme: dark", "theme: dark # mine") if style["comments"] else text


styles = st.fixed_dictionaries(
    {
        "unit": st.sampled_from(["", "  ", "    ", "\t"]),
        "tight": st.booleans(),
        "comments": st.booleans(),
        "end": st.sampled_from(["\n", "\r\n"]),
        "last": st.booleans(),
        "bom": st.booleans(),
        "empty": st.sampled_from([False, False, False, True]),
    }
)


def text_of(file: SetupFile, document: dict[str, Any], style: dict[str, Any]) -> bytes:
    """Return a file as somebody has it."""
    if style["empty"]:
        return b""
    if file.format == "json":
        style = {**style, "comments": False}
    write = {"toml": toml_text, "yaml": yaml_text, "yaml-list": yaml_text}.get(
        file.format, json_text
    )
    text = write(document, style) + ("\n" if style["last"] else "")
    return (b"\xef\xbb\xbf" if style["bom"] else b"") + text.replace("\n", style["end"]).encode()


def loaded(file: SetupFile, text: str) -> Any:
    """Return the values of a file."""
    return FORMATS[file.format].load(text) or {}


# ---------------------------------------------------------------- properties


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize(("name", "number"), FILES)
@settings(max_examples=6)
@given(data=st.data(), style=styles)
def test_a_file_comes_back_to_the_byte(
    name: str, number: int, data: st.DataObject, style: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    """Server, hooks and permission go in once, everything else means what it meant, and it all comes out again."""
    file = target(name, number, tmp_path_factory.mktemp("file"))
    raw = text_of(file, foreign(CLIENTS[name], data.draw), style)
    file.path.write_bytes(raw)
    assert install([file], HOW)[0].action == "updated"
    inside = file.path.read_bytes().decode("utf-8-sig")
    assert install([file], HOW)[0].action == "unchanged"
    assert (server_in(inside, file) is not None) == file.server
    assert bool(hooks_in(inside, file)) == file.hooks
    assert is_allowed(inside, file) == file.allow
    if b"\r\n" in raw:
        assert inside.count("\n") == inside.count("\r\n")
    before, after = loaded(file, raw.decode("utf-8-sig")), loaded(file, inside)
    assert all(after[key] == before[key] for key in ("theme", "nested") if key in before)
    install([file], None)
    assert file.path.read_bytes() == raw
    assert [path.name for path in file.path.parent.iterdir()] == ["file"]


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize(("name", "number"), FILES)
@settings(max_examples=12)
@given(data=st.data(), style=styles)
def test_only_our_parts_leave_a_file_that_the_client_has_rewritten(
    name: str, number: int, data: st.DataObject, style: dict[str, Any]
) -> None:
    """It writes the file in a style of its own and adds something: everybody else's parts are as they were."""
    file = target(name, number, Path())
    before = text_of(file, foreign(CLIENTS[name], data.draw), style).decode("utf-8-sig")
    made = made_by(before, file)
    inside = rewritten(file, with_parts(before, file, HOW))
    after = without_parts(inside, file, made)
    left, expected = loaded(file, after), {**loaded(file, before), "added": 1}
    if not loaded(file, before):  # other keys that a new file needs stay with the client's own
        left = {key: value for key, value in left.items() if key not in CLIENTS[name].new_file}
    assert left == expected


def rewritten(file: SetupFile, text: str) -> str:
    """Return a file as its client writes it anew, with a key of its own."""
    if file.format == "toml":
        return f"added = 1\n{text}"
    if file.format.startswith("yaml"):
        return yaml.safe_dump({**yaml.safe_load(text), "added": 1}, sort_keys=False)
    return json.dumps({"added": 1, **loaded(file, text)}, indent=4)


@pytest.mark.parametrize("name", CLIENTS)
def test_an_entry_is_read_as_it_was_written(name: str) -> None:
    """The words of its command and its environment, wherever a client keeps them; arguments that somebody added stay."""
    client = CLIENTS[name]
    made = server(client, Launch(("/opt/ghost",), {"GHOST_NS": "a"}))
    assert (command_in(made).program, command_in(made).args) == ("/opt/ghost", ["mcp"])
    assert command_in(made).words == ["/opt/ghost", "mcp"]
    assert command_in(made).env == {"GHOST_NS": "a"}
    changed = json.loads(json.dumps(made).replace('"mcp"', '"mcp", "--tools", "memory,notes"'))
    again = server(client, Launch(("/new/ghost",)), changed)
    assert command_in(again).words == ["/new/ghost", "mcp", "--tools", "memory,notes"]


# ---------------------------------------------------------------- permissions


PERMITTED = [name for name, client in CLIENTS.items() if client.permission]


@pytest.fixture
def files(project: Path) -> Callable[..., list[SetupFile]]:
    """Return a function that returns the files of a client in a home of its own."""
    assert project
    return lambda name, *parts: targets(CLIENTS[name], "user", *(part in parts for part in "sha"))


@pytest.mark.parametrize("name", PERMITTED)
def test_a_permission_goes_alone(name: str, files: Callable[..., list[SetupFile]]) -> None:
    """The server and the hooks stay; without the permission, everything is as an install without it left it."""
    install(files(name, "s", "h"), HOW)
    before = {file.path: file.path.read_bytes() for file in files(name, "s", "h")}
    install(files(name, "s", "h", "a"), HOW)
    assert all(is_allowed(file.path.read_text(encoding="utf-8"), file) for file in files(name, "a"))
    install(files(name, "s", "h"), HOW)  # a later run without it leaves it
    assert all(is_allowed(file.path.read_text(encoding="utf-8"), file) for file in files(name, "a"))
    install(files(name, "a"), None)
    for path, raw in before.items():
        assert path.read_bytes() == raw
    install(files(name, "s", "h", "a"), None)
    assert not any(path.exists() for path in before)


@pytest.mark.parametrize("name", PERMITTED)
def test_the_tools_of_the_default_server_are_allowed(
    name: str, files: Callable[..., list[SetupFile]]
) -> None:
    """Every tool by its name, or all of the server."""
    tools = tuple(chosen_tools(["memory"]))
    install(files(name, "s", "a"), replace(HOW, tools=tools))
    client = CLIENTS[name]
    assert client.permission is not None
    written = files(name, "a")[0].path.read_text(encoding="utf-8")
    if "{tool" in f"{client.permission.path}{client.permission.value}{client.permission.entry}":
        assert all(tool in written for tool in tools)
    install(files(name, "a"), None)
    install(files(name, "s", "h", "a"), None)


def test_a_refusal_is_not_overwritten(files: Callable[..., list[SetupFile]]) -> None:
    """Somebody who denied the tools is asked to change it; nothing is written."""
    path = files("opencode", "s")[0].path
    path.parent.mkdir(parents=True)
    raw = b'{"permission": {"ghost_ghost_*": "deny"}}'
    path.write_bytes(raw)
    with pytest.raises(ConflictError, match=r'permission.ghost_ghost_\* is "deny" already'):
        install(files("opencode", "s", "a"), HOW)
    assert path.read_bytes() == raw


def test_names_that_somebody_allowed_stay(files: Callable[..., list[SetupFile]]) -> None:
    """The list in an entry grows, and nothing in it is lost."""
    path = files("kiro", "s")[0].path
    install(files("kiro", "s"), HOW)
    text = path.read_text(encoding="utf-8").replace('["mcp"]', '["mcp"], "autoApprove": ["mine"]')
    path.write_text(text, encoding="utf-8")
    install(files("kiro", "s", "a"), HOW)
    entry = value_at(json.loads(path.read_bytes()), ("mcpServers", "ghost"))
    assert entry["autoApprove"] == ["mine", *HOW.tools]
    install(files("kiro", "a"), None)
    entry = value_at(json.loads(path.read_bytes()), ("mcpServers", "ghost"))
    assert entry["autoApprove"] == ["mine"]


def test_a_refusal_in_the_entry_is_not_overwritten(files: Callable[..., list[SetupFile]]) -> None:
    """A key of the entry that says otherwise is a conflict too."""
    path = files("gemini", "s")[0].path
    install(files("gemini", "s"), HOW)
    text = path.read_text(encoding="utf-8").replace('["mcp"]', '["mcp"], "trust": false')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConflictError, match=r"mcpServers.ghost.trust is false already"):
        install(files("gemini", "s", "a"), HOW)
    assert path.read_text(encoding="utf-8") == text


# ---------------------------------------------------------------- the table


def test_a_row_says_all_there_is_to_say() -> None:
    """Each client has a permission or says how it asks, says what to do next, and how it was checked."""
    for client in CLIENTS.values():
        assert bool(client.permission) != bool(client.asks), client.name
        assert client.then
        assert client.checked in (RUN, CHECKED, DOCUMENTED)
        assert client.format in FORMATS
        assert set(client.also) <= set(SCOPES)
        if client.permission and client.permission.path:
            form = client.permission.format or client.format
            assert form in ("json", "jsonc"), client.name


@pytest.mark.parametrize(
    ("present", "used"),
    [
        ((), "opencode.json"),
        (("opencode.jsonc",), "opencode.jsonc"),
        (("opencode.json", "opencode.jsonc"), "opencode.json"),
    ],
)
def test_the_file_that_is_there_is_written(
    files: Callable[..., list[SetupFile]], present: tuple[str, ...], used: str
) -> None:
    """A client that reads several names gets no second file, and the one that was written is found again."""
    folder = files("opencode", "s")[0].path.parent
    folder.mkdir(parents=True)
    for name in present:
        (folder / name).write_bytes(b"{}\n")
    install(files("opencode", "s"), HOW)
    assert b"ghost" in (folder / used).read_bytes()
    (folder / "opencode.json").touch()
    assert files("opencode", "s")[0].path.name == used
    install(files("opencode", "s"), None)
    assert not any(b"ghost" in path.read_bytes() for path in folder.iterdir())


@pytest.mark.parametrize("is_there", [True, False])
def test_no_configuration_is_made_that_would_replace_another(
    files: Callable[..., list[SetupFile]], is_there: bool
) -> None:
    """Continue's config.yaml is used if somebody has one; a new one would hide an older config.json."""
    config = Path.home() / ".continue" / "config.yaml"
    if is_there:
        config.parent.mkdir()
        config.write_bytes(b"name: mine\nversion: 1.0.0\n")
    install(files("continue", "s"), HOW)
    assert config.exists() == is_there
    assert files("continue", "s")[0].path.name == ("config.yaml" if is_there else "ghost.yaml")
    install(files("continue", "s"), None)
    assert config.exists() == is_there


@pytest.mark.parametrize("order", [("vscode", "roo"), ("roo", "vscode")])
def test_folders_that_two_clients_share_go_with_the_last(
    files: Callable[..., list[SetupFile]], order: tuple[str, str]
) -> None:
    """Whichever of them made the folder."""
    home = Path.home()
    for name in ("vscode", "roo"):
        install(files(name, "s"), HOW)
    for name in order:
        install(files(name, "s"), None)
    assert sorted(path.name for path in home.rglob("*")) == [".ghost", "setup.lock"]
