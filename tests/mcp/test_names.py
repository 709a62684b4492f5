"""Arguments that name a memory: plain keys, and `ns/key` as results print it."""

from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.adapters import schemas
from ghostmem.caller import CALLER, Caller
from ghostmem.mcp.tool_server import ToolServer

OWN, OTHER = "project:shop", "agent:x"


@pytest.fixture
def server(ghost: Ghost) -> ToolServer:
    """Return the tools over a store with two namespaces."""
    ghost.put(OWN, "day", "We deploy on Tuesdays.")
    ghost.put(OWN, "freeze", "Nothing is deployed in December.")
    ghost.put(OTHER, "tea", "The user drinks green tea.")
    return ToolServer(ghost, ("memory", "edit", "truth"), folder="/")


def call(server: ToolServer, name: str, **given: Any) -> dict[str, Any]:
    """Call a tool in our namespace and return its result."""
    return server.call(name, {"ns": OWN, **given})


def names(ghost: Ghost) -> set[str]:
    """Return the names of all memories."""
    return {f"{memory.ns}/{memory.key}" for memory in ghost.list(limit=100)}


def test_put_takes_the_name_that_a_result_prints(server: ToolServer, ghost: Ghost) -> None:
    """The own namespace before a key is removed: the memory is updated, not stored twice."""
    found = call(server, "ghost_put", key=f"{OWN}/day", content="We deploy on Mondays.")
    assert found["structuredContent"]["version"] == 2
    call(server, "ghost_put", key=f"{OWN}/new", content="The cup is blue.")
    assert names(ghost) == {f"{OWN}/day", f"{OWN}/freeze", f"{OWN}/new", f"{OTHER}/tea"}


def test_an_exact_key_wins(server: ToolServer, ghost: Ghost) -> None:
    """A key that looks like a name stays that key where it exists; other slashes mean nothing."""
    ghost.put(OWN, f"{OWN}/day", "A key with a colon and a slash.")
    found = call(server, "ghost_get", key=f"{OWN}/day")
    assert found["structuredContent"]["content"] == "A key with a colon and a slash."
    call(server, "ghost_put", key="docs/guide", content="The guide is short.")
    call(server, "ghost_put", key="feature:login/notes", content="The login is slow.")
    assert names(ghost) >= {f"{OWN}/docs/guide", f"{OWN}/feature:login/notes"}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("ghost_get", {"key": "{}/day"}),
        ("ghost_history", {"key": "{}/day"}),
        ("ghost_curate", {"key": "{}/day", "op": "pin"}),
        ("ghost_edge", {"from_key": "{}/day", "to_key": "{}/freeze", "rel": "contradicts"}),
        ("ghost_put", {"key": "d2", "content": "On Mondays.", "supersedes": "{}/day"}),
        ("ghost_edge_candidates", {"seed": ["{}/day"]}),
        (
            "ghost_consolidate",
            {"summary_key": "{}/s", "content": "Both.", "source_keys": ["{}/day", "freeze"]},
        ),
        ("ghost_timeline", {"what": "{}/day"}),
        ("ghost_resolve", {"keep": "{}/day", "other": "{}/freeze"}),
    ],
)
def test_every_argument_takes_the_own_namespace(
    server: ToolServer, ghost: Ghost, name: str, given: dict[str, Any]
) -> None:
    """All arguments that name a memory work alike."""
    if name == "ghost_resolve":
        ghost.edge(OWN, "day", "freeze", "contradicts")

    def filled(value: Any) -> Any:
        return [filled(item) for item in value] if isinstance(value, list) else value.format(OWN)

    found = call(server, name, **{key: filled(value) for key, value in given.items()})
    assert not found["isError"], found
    assert not [known for known in names(ghost) if known.count(OWN) > 1]


def test_a_read_follows_a_name_into_another_namespace(server: ToolServer) -> None:
    """A full name is enough to read, where the caller may."""
    found = call(server, "ghost_get", key=f"{OTHER}/tea")
    assert found["structuredContent"]["ns"] == OTHER
    assert not call(server, "ghost_history", key=f"{OTHER}/tea")["isError"]
    before = CALLER.set(Caller("bob", ((OWN, "write"),)))
    try:
        text = call(server, "ghost_get", key=f"{OTHER}/tea")["content"][0]["text"]
    finally:
        CALLER.reset(before)
    assert text.startswith(f"error: memory not found: {OWN}/{OTHER}/tea")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("ghost_put", {"key": f"{OTHER}/tea", "content": "The user drinks black tea."}),
        ("ghost_put", {"key": f"{OTHER}/new", "content": "The cup is blue."}),
        ("ghost_curate", {"key": f"{OTHER}/tea", "op": "delete"}),
    ],
)
def test_a_write_does_not_follow_a_name(
    server: ToolServer, ghost: Ghost, name: str, given: dict[str, Any]
) -> None:
    """A write into another namespace has to name it, and the error says how."""
    before = names(ghost)
    found = call(server, name, **given)
    key = given["key"].partition("/")[2]
    assert found["content"][0]["text"] == (
        f"error: key names a memory of {OTHER}, and ns is {OWN}\n"
        f'hint: send ns "{OTHER}" and key "{key}"'
    )
    assert names(ghost) == before


def test_names_of_two_namespaces_are_refused(server: ToolServer) -> None:
    """One call works in one namespace."""
    given = {"from_key": f"{OWN}/day", "to_key": f"{OTHER}/tea", "rel": "contradicts"}
    text = call(server, "ghost_edge", **given)["content"][0]["text"]
    assert text.startswith(f"error: {OWN} and {OTHER} are different namespaces")


def test_calls_without_mcp_take_names_too(server: ToolServer, ghost: Ghost) -> None:
    """Function calling resolves names in the same way."""
    assert schemas.call(ghost, "ghost_get", {"key": f"{OTHER}/tea"}, ns=OWN)["ns"] == OTHER
