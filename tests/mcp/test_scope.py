"""A caller with grants: every tool, resource and completion gives only what is granted, and refusals tell nothing"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.caller import CALLER, OWNER, Caller, require
from ghostmem.errors import ForbiddenError
from ghostmem.mcp.protocol import ProtocolError
from ghostmem.mcp.resources import complete, read, resources
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.settings import Settings

MINE, THEIRS = "agent:me", "agent:other"
READS: dict[str, dict[str, Any]] = {
    "ghost_get": {"key": "tea"},
    "ghost_search": {"query": "secret tea"},
    "ghost_context": {"query": "secret tea"},
    "ghost_expand": {"key": "all"},
    "ghost_edge": {"from_key": "tea", "op": "list"},
    "ghost_reflect": {"dry_run": True},
    "ghost_edge_candidates": {},
}
WRITES: dict[str, dict[str, Any]] = {
    "ghost_put": {"key": "new", "content": "something"},
    "ghost_consolidate": {"summary_key": "sum", "content": "both", "source_keys": ["tea", "cup"]},
    "ghost_curate": {"key": "tea", "op": "boost"},
    "ghost_edge": {"from_key": "tea", "to_key": "cup", "rel": "refines"},
    "ghost_reflect": {},
}
CURATE = [
    ("ghost_curate", {"key": "tea", "op": op})
    for op in ("delete", "used", "pin", "lock", "archive")
]
EDGES = [
    ("ghost_edge", {"from_key": "tea", "to_key": "cup", "rel": "relates_to", "op": op})
    for op in ("create", "remove")
]


@pytest.fixture
def face() -> Iterator[ToolServer]:
    """Return a face on a store with two namespaces that hold the same keys."""
    with Ghost.open(":memory:", settings=Settings(embed_provider="none", ns=MINE)) as ghost:
        for ns, whose in (
            (MINE, "mine"),
            (THEIRS, "theirs"),
            ("agentx", "strange"),
            ("zoo", "far"),
        ):
            ghost.put(ns, "tea", f"The secret tea is {whose}.")
            ghost.put(ns, "cup", f"The secret cup is {whose}.")
            ghost.edge(ns, "tea", "cup", "relates_to")
            ghost.consolidate(ns, "all", f"All is {whose}.", ["tea", "cup"])
        yield ToolServer(ghost)
        assert ghost.admin.check().problems == ()


@contextmanager
def calling(*grants: tuple[str, str]) -> Iterator[None]:
    """Be somebody with these grants."""
    token = CALLER.set(Caller("somebody", grants))
    try:
        yield
    finally:
        CALLER.reset(token)


def refused(face: ToolServer, name: str, given: dict[str, Any]) -> str:
    """Make a call that must be refused and return all that is told."""
    result = face.call(name, given)
    assert set(result) == {"isError", "content"}
    told: str = result["content"][0]["text"]
    assert "may not" in told, told
    return told


def allowed(face: ToolServer, name: str, given: dict[str, Any]) -> Any:
    """Make a call that must succeed and return what it gives."""
    result = face.call(name, given)
    assert not result["isError"], result
    return result["structuredContent"]


@pytest.mark.parametrize("name", READS)
def test_a_reader_reads_its_own_and_nothing_else(face: ToolServer, name: str) -> None:
    """With a grant to read one namespace, that one is read and any other is refused."""
    with calling((MINE, "read")):
        found = str(allowed(face, name, READS[name] | {"ns": MINE}))
        assert not any(word in found for word in ("theirs", "strange", "far"))
        for other in (THEIRS, "agentx", "zoo", "nowhere:at-all"):
            refused(face, name, READS[name] | {"ns": other})


@pytest.mark.parametrize(("name", "given"), [*WRITES.items(), *CURATE, *EDGES])
def test_a_reader_writes_nothing(face: ToolServer, name: str, given: dict[str, Any]) -> None:
    """With a grant to read, every writing tool is refused, in its own namespace too, and changes nothing."""
    before = list(face.ghost.export())
    with calling((MINE, "read")):
        for ns in (MINE, THEIRS):
            refused(face, name, given | {"ns": ns})
    assert list(face.ghost.export()) == before


@pytest.mark.parametrize(("name", "given"), [*WRITES.items(), *CURATE, *EDGES])
def test_a_writer_writes_its_own_and_nothing_else(
    face: ToolServer, name: str, given: dict[str, Any]
) -> None:
    """With a grant to write one namespace, that one is written and any other is refused and stays as it was."""
    before = [face.ghost.get(THEIRS, key).to_dict()["id"] for key in ("tea", "cup", "all")]
    with calling((MINE, "write")):
        allowed(face, name, given | {"ns": MINE})
        refused(face, name, given | {"ns": THEIRS})
    assert [face.ghost.get(THEIRS, key).to_dict()["id"] for key in ("tea", "cup", "all")] == before
    assert {memory.key for memory in face.ghost.list(THEIRS)} == {"tea", "cup", "all"}


@pytest.mark.parametrize(("name", "given"), [*READS.items(), *WRITES.items()])
def test_without_grants_nothing_is_given(
    face: ToolServer, name: str, given: dict[str, Any]
) -> None:
    """Somebody with no grants is refused by every tool, with and without a namespace."""
    with calling():
        for ns in ({"ns": MINE}, {"ns": "nowhere"}, {}):
            refused(face, name, given | ns)


@pytest.mark.parametrize("name", ["ghost_search", "ghost_context", "ghost_reflect"])
@pytest.mark.parametrize("wide", ["*", "agent:*", "agent*", "a*", "agent:m*", "agent:me*"])
def test_a_prefix_needs_a_grant_for_all_of_it(face: ToolServer, name: str, wide: str) -> None:
    """Asking for several namespaces at once is refused unless every one that could match is granted."""
    given = (READS | {"ghost_reflect": {"dry_run": True}})[name]
    with calling((MINE, "admin"), (THEIRS, "admin")):
        refused(face, name, given | {"ns": wide})


def test_a_grant_for_a_prefix_covers_what_is_below_it(face: ToolServer) -> None:
    """A grant for agent:* reads each of them and all of them, but not what merely starts like it."""
    with calling(("agent:*", "read")):
        found = allowed(face, "ghost_search", {"query": "secret tea", "ns": "agent:*"})["results"]
        assert {hit["ns"] for hit in found} == {MINE, THEIRS}
        assert allowed(face, "ghost_get", {"ns": THEIRS, "key": "tea"})["ns"] == THEIRS
        refused(face, "ghost_get", {"ns": "agentx", "key": "tea"})
        refused(face, "ghost_search", {"query": "secret tea", "ns": "*"})
        refused(face, "ghost_put", {"ns": "agent:new", "key": "k", "content": "c"})


def test_wildcards_of_the_database_are_no_wildcards(face: ToolServer) -> None:
    """A namespace with an underscore or a percent sign in it grants only what is really called so."""
    for ns in ("team_a:1", "team-a:1", "teamxa:1"):
        face.ghost.put(ns, "k", "The secret tea of the team.")
    with calling(("team_a*", "read")):
        found = allowed(face, "ghost_search", {"query": "secret tea", "ns": "team_a*"})["results"]
        assert [hit["ns"] for hit in found] == ["team_a:1"]
        for odd in ("team%*", "team?a*", "team[_]a*", "%*"):
            refused(face, "ghost_search", {"query": "secret tea", "ns": odd})


def test_grants_are_per_namespace(face: ToolServer) -> None:
    """A grant to read one and to write another is exactly that."""
    with calling((MINE, "write"), (THEIRS, "read")):
        allowed(face, "ghost_put", {"ns": MINE, "key": "k", "content": "c"})
        allowed(face, "ghost_get", {"ns": THEIRS, "key": "tea"})
        refused(face, "ghost_put", {"ns": THEIRS, "key": "k", "content": "c"})


def test_listing_edges_and_a_dry_run_are_reading(face: ToolServer) -> None:
    """What changes nothing needs no grant to write; saying dry_run=false does not help."""
    with calling((MINE, "read")):
        assert len(allowed(face, "ghost_edge", {"from_key": "tea", "op": "list"})["edges"]) == 2
        assert allowed(face, "ghost_reflect", {"dry_run": True})["dry_run"] is True
        refused(face, "ghost_reflect", {"dry_run": False})
        refused(
            face,
            "ghost_edge",
            {"from_key": "tea", "to_key": "cup", "rel": "refines", "op": "create"},
        )


@pytest.mark.parametrize(("name", "given"), [*READS.items(), *WRITES.items()])
def test_a_refusal_tells_nothing_of_what_is_there(
    face: ToolServer, name: str, given: dict[str, Any]
) -> None:
    """The words for a namespace that holds the key, one that does not, and one that is not there are the same."""
    with calling((MINE, "read")):
        told = {
            refused(face, name, {**given, "ns": ns}).replace(ns, "NS")
            for ns in (THEIRS, "zoo", "nowhere")
        }
        other = (
            {"key": "nope"}
            if "key" in given
            else {"from_key": "nope"}
            if "from_key" in given
            else {}
        )
        told.add(refused(face, name, {**given, **other, "ns": THEIRS}).replace(THEIRS, "NS"))
    assert len(told) == 1
    words = told.pop().replace(MINE, "OWN")  # the caller's own grant is no secret
    assert not any(word in words for word in ("tea", "cup", "secret", "zoo", "agent"))


@pytest.mark.parametrize("grants", [(), ((THEIRS, "read"), ("zoo", "read")), (("zoo*", "read"),)])
def test_a_caller_without_a_namespace_learns_no_name(
    face: ToolServer, grants: tuple[tuple[str, str], ...]
) -> None:
    """Somebody who names no namespace and may not read the default one is not told what that is called."""
    with calling(*grants):
        for none in ({}, {"ns": None}, {"ns": ""}):
            assert MINE not in refused(face, "ghost_get", {"key": "tea", **none})


def test_a_refusal_names_the_grants_of_the_caller(face: ToolServer) -> None:
    """The hint says where the caller may do it, or that another token is needed."""
    with calling(("zoo:*", "write"), (THEIRS, "read")):
        put = {"key": "k", "content": "c"}
        assert "it may write in zoo:*; send the namespace" in refused(face, "ghost_put", put)
        assert "it may write in zoo:*" in refused(face, "ghost_put", {**put, "ns": THEIRS})
        read = refused(face, "ghost_search", {"query": "q", "ns": "*"})
        assert f"it may read in zoo:*, {THEIRS}" in read
    with calling((THEIRS, "read")):
        no_grant = refused(face, "ghost_put", put)
        assert "it may write in no namespace: use a token with that grant" in no_grant
        assert "as ns" not in no_grant


def test_a_caller_with_one_namespace_means_that_one(face: ToolServer) -> None:
    """Somebody who may look into a single namespace need not name it, for reading and for writing alike."""
    with calling((THEIRS, "write")):
        assert allowed(face, "ghost_get", {"key": "tea"})["ns"] == THEIRS
        assert allowed(face, "ghost_put", {"key": "new", "content": "something"})["ns"] == THEIRS
        found = allowed(face, "ghost_search", {"query": "secret tea"})
        assert found["ns"] == THEIRS
        assert found["results"]
        assert not any("ns" in hit for hit in found["results"])
        assert complete(face, "key", "te", {}) == ["tea"]
    with calling((THEIRS, "read")):
        refused(face, "ghost_put", {"key": "new", "content": "something"})


def test_wrong_arguments_are_told_before_grants_and_tell_nothing(face: ToolServer) -> None:
    """A malformed call by somebody without grants is explained from the schema alone."""
    with calling():
        told = face.call("ghost_get", {"ns": THEIRS, "kee": "tea"})["content"][0]["text"]
        assert "secret" not in told
        told = face.call("nope", {"ns": THEIRS})["content"][0]["text"]
        assert THEIRS not in told


def test_search_explains_nothing_of_others(face: ToolServer) -> None:
    """Neither hits nor near misses nor notes of a search name another namespace."""
    with calling((MINE, "read")):
        found = face.call(
            "ghost_search",
            {"query": "secret tea", "ns": MINE, "explain": True, "limit": 1, "include_all": True},
        )
    assert not any(word in str(found) for word in ("theirs", "strange", "far", THEIRS, "zoo"))


def test_resources_are_limited(face: ToolServer) -> None:
    """Only granted namespaces are listed and read, and a refusal is the same whether there is something or not."""
    with calling((MINE, "read")):
        assert [resource["name"] for resource in resources(face)] == [MINE]
        assert "mine" in read(face, f"memory://{MINE}/tea")["text"]
        assert "mine" in read(face, f"memory://{MINE}/index")["text"]
        told = set()
        for address in (f"{THEIRS}/tea", f"{THEIRS}/nope", f"{THEIRS}/index", "nowhere/index"):
            with pytest.raises(ProtocolError) as caught:
                read(face, f"memory://{address}")
            told.add(caught.value.message.replace(THEIRS, "NS").replace("nowhere", "NS"))
        assert len(told) == 1
    with calling():
        assert resources(face) == []


@pytest.mark.parametrize(
    "address",
    ["memory://*/index", "memory://agent:*/index", "memory://%2A/index", "memory://agent:%2A/tea"],
)
def test_an_address_names_one_namespace(face: ToolServer, address: str) -> None:
    """An address with a star in it is refused for everybody who may not read all of it, and is no namespace anyway."""
    with calling((MINE, "read")), pytest.raises(ProtocolError):
        read(face, address)


def test_completion_is_limited(face: ToolServer) -> None:
    """Names of namespaces and keys are completed only where they are granted."""
    with calling((MINE, "read")):
        assert complete(face, "ns", "", {}) == [MINE]
        assert complete(face, "ns", "z", {}) == []
        assert "tea" in complete(face, "key", "t", {"ns": MINE})
        for other in (THEIRS, "nowhere", "*", "agent:*"):
            assert complete(face, "key", "t", {"ns": other}) == []
    with calling():
        assert complete(face, "ns", "", {}) == complete(face, "key", "t", {}) == []


def test_the_owner_may_everything(face: ToolServer) -> None:
    """Without a caller, as over stdio, nothing is refused."""
    assert CALLER.get() is OWNER
    for name, given in [*READS.items(), *WRITES.items()]:
        allowed(face, name, given | {"ns": THEIRS})
    assert len(allowed(face, "ghost_search", {"query": "secret tea", "ns": "*"})["results"]) >= 4


@pytest.mark.parametrize(
    ("grant", "ns", "need", "may"),
    [
        (("*", "admin"), "", "admin", True),
        (("*", "read"), "", "read", True),
        (("*", "read"), "", "write", False),
        (("*", "write"), "a:b", "read", True),
        (("a:*", "read"), "", "read", False),
        (("a:*", "read"), "a:b", "read", True),
        (("a:*", "read"), "a:b*", "read", True),
        (("a:*", "read"), "a*", "read", False),
        (("a:*", "read"), "a:", "read", True),
        (("a:*", "read"), "a", "read", False),
        (("a", "read"), "a", "read", True),
        (("a", "read"), "a*", "read", False),
        (("a", "read"), "ab", "read", False),
        (("a", "read"), "A", "read", False),
        (("", "read"), "a", "read", False),
        (("", "read"), "", "read", False),
    ],
)
def test_grants(grant: tuple[str, str], ns: str, need: str, may: bool) -> None:
    """A grant covers its namespace or its prefix, and each scope includes the ones below it."""
    assert Caller("x", (grant,)).may(ns, need) is may


def test_require_speaks_of_all_namespaces() -> None:
    """A refusal for everything says so in words, with the scope."""
    with (
        calling(("a", "read")),
        pytest.raises(ForbiddenError, match="may not write in all namespaces"),
    ):
        require("", "write")
