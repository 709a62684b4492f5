"""Row-level security: a second role of the database sees and writes what it was granted, and nothing else."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg import errors as pg

from cli.conftest import GhostCli, ghost_cli  # noqa: F401
from ghostmem import Ghost, InvalidInputError, NotFoundError
from ghostmem.admin import cluster as admin
from ghostmem.errors import ReadOnlyStoreError
from ghostmem.settings import Settings
from ghostmem.store.postgres.schema import OF_NAMESPACE, OF_STORE

PUT = "INSERT INTO memories (ns, id, key, content, created_at, recorded_at) VALUES (%s, %s, %s, 'x', '2026', '2026')"


@pytest.fixture
def ghost_pg(pg_url: str, clock: Any) -> Iterator[Ghost]:
    """Open a store with memories in three namespaces."""
    with Ghost.open(pg_url, settings=Settings(embed_provider="none"), clock=clock) as ghost:
        for ns in ("agent:ann", "agent:bo", "team"):
            ghost.put(ns, "secret", f"The secret of {ns}.", tags=["t"], files=["src/a.py"])
            ghost.put(ns, "other", "Something else.")
            ghost.edge(ns, "secret", "other", "relates_to")
            ghost.get(ns, "secret")
        yield ghost


@pytest.fixture
def eve(ghost_pg: Ghost, pg_url: str) -> Iterator[str]:
    """Make a role that owns nothing, and return its name."""
    with psycopg.connect(pg_url, autocommit=True) as owner:
        name = f"eve o'hara {os.getpid()}"  # roles belong to the server, which workers share
        owner.execute(f'DROP ROLE IF EXISTS "{name}"')
        owner.execute(f'CREATE ROLE "{name}" LOGIN')
        yield name
        owner.execute(f'DROP OWNED BY "{name}"; DROP ROLE "{name}"')


@pytest.fixture
def as_eve(eve: str, pg_url: str) -> "Iterator[psycopg.Connection[Any]]":
    """Connect as that role."""
    with psycopg.connect(pg_url, user=eve, autocommit=True) as connection:
        yield connection


def seen(connection: "psycopg.Connection[Any]", table: str = "memories") -> set[str]:
    """Return the namespaces of which a role sees rows."""
    return {ns for (ns,) in connection.execute(f"SELECT ns FROM {table}")}  # type: ignore[call-overload]


def test_a_role_without_grants_sees_nothing(as_eve: "psycopg.Connection[Any]") -> None:
    """It has no right on any table."""
    for table in (*OF_NAMESPACE, *OF_STORE):
        with pytest.raises(pg.InsufficientPrivilege):
            as_eve.execute(f"SELECT 1 FROM {table}")  # type: ignore[call-overload]


def test_a_reader_sees_its_namespace_in_every_table(
    ghost_pg: Ghost, eve: str, as_eve: "psycopg.Connection[Any]"
) -> None:
    """Neither rows, nor counts, nor a join or a subquery tell of another; nothing can be written."""
    admin.grant(ghost_pg.store, eve, "agent:ann")
    for table in OF_NAMESPACE:
        assert seen(as_eve, table) <= {"agent:ann"}, table
    assert (
        seen(as_eve)
        == seen(as_eve, "chunks")
        == seen(as_eve, "memory_edges")
        == seen(as_eve, "changes")
        == {"agent:ann"}
    )
    assert as_eve.execute("SELECT 1 FROM memories WHERE ns = 'agent:bo'").fetchall() == []
    joined = "SELECT m.ns FROM models o RIGHT JOIN memories m ON true WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.ns <> m.ns)"
    assert as_eve.execute(joined).fetchall() == []
    for statement in (
        "DELETE FROM memories",
        "UPDATE memories SET content = ''",
        "TRUNCATE chunks",
    ):
        with pytest.raises(pg.InsufficientPrivilege):
            as_eve.execute(statement)  # type: ignore[call-overload]
    with pytest.raises(pg.InsufficientPrivilege):
        as_eve.execute(PUT, ("agent:ann", "i", "k"))


def test_a_writer_writes_its_namespace_and_no_other(
    ghost_pg: Ghost, eve: str, as_eve: "psycopg.Connection[Any]"
) -> None:
    """An insert or a move into another is refused; an update or a delete does not reach it."""
    admin.grant(ghost_pg.store, eve, "agent:ann", write=True)
    admin.grant(ghost_pg.store, eve, "team")
    as_eve.execute(PUT, ("agent:ann", "i1", "k1"))
    for ns in ("agent:bo", "team", "agent", "agent:anna", ""):
        with pytest.raises(pg.InsufficientPrivilege):
            as_eve.execute(PUT, (ns, "i2", "k2"))
    with pytest.raises(pg.InsufficientPrivilege):
        as_eve.execute("UPDATE memories SET ns = 'agent:bo' WHERE id = 'i1'")
    assert as_eve.execute("UPDATE memories SET priority = 'low' WHERE key = 'secret'").rowcount == 1
    assert as_eve.execute("DELETE FROM memories WHERE ns <> 'agent:ann'").rowcount == 0
    assert as_eve.execute("DELETE FROM memories WHERE id = 'i1'").rowcount == 1
    assert seen(as_eve) == {"agent:ann", "team"}
    assert ghost_pg.get("team", "secret").priority == "normal"


def test_prefixes_and_everything(
    ghost_pg: Ghost, eve: str, as_eve: "psycopg.Connection[Any]"
) -> None:
    """A grant may be for all that start alike, or for all."""
    admin.grant(ghost_pg.store, eve, "agent:*")
    assert seen(as_eve) == {"agent:ann", "agent:bo"}
    admin.grant(ghost_pg.store, eve, "*")
    assert seen(as_eve) == {"agent:ann", "agent:bo", "team"}
    admin.revoke(ghost_pg.store, eve, "*")
    assert seen(as_eve) == {"agent:ann", "agent:bo"}
    admin.revoke(ghost_pg.store, eve)
    with pytest.raises(pg.InsufficientPrivilege):
        seen(as_eve)


def test_what_a_grant_does_not_open(
    ghost_pg: Ghost, eve: str, as_eve: "psycopg.Connection[Any]"
) -> None:
    """Hashes of tokens, other roles' grants and runs stay shut; a table of one's own does not stand in for the grants."""
    with psycopg.connect(ghost_pg.store.engine.url) as owner:  # type: ignore[union-attr]
        owner.execute("INSERT INTO namespace_grants VALUES ('somebody', '*', 'write')")
    admin.grant(ghost_pg.store, eve, "agent:ann", write=True)
    for table in ("tokens", "mirrors", "runs", "hook_sessions", "backups"):
        with pytest.raises(pg.InsufficientPrivilege):
            as_eve.execute(f"SELECT 1 FROM {table}")  # type: ignore[call-overload]
    assert as_eve.execute("SELECT role FROM namespace_grants").fetchall() == [(eve,)]
    with pytest.raises(pg.InsufficientPrivilege):
        as_eve.execute("INSERT INTO namespace_grants VALUES (current_user, '*', 'write')")
    with pytest.raises(pg.InsufficientPrivilege):
        as_eve.execute("ALTER TABLE memories DISABLE ROW LEVEL SECURITY")
    as_eve.execute("CREATE TEMP TABLE namespace_grants (role TEXT, ns TEXT, scope TEXT)")
    as_eve.execute("INSERT INTO pg_temp.namespace_grants VALUES (current_user, '*', 'write')")
    assert seen(as_eve) == {"agent:ann"}


def test_grants_of_whom_and_to_what(ghost_pg: Ghost, eve: str) -> None:
    """The role must exist and be subject to row-level security, and the namespace must be valid."""
    with pytest.raises(NotFoundError, match="no role nobody"):
        admin.grant(ghost_pg.store, "nobody", "team")
    with pytest.raises(InvalidInputError, match="superuser"):
        admin.grant(ghost_pg.store, "ghost", "team")
    with pytest.raises(InvalidInputError):
        admin.grant(ghost_pg.store, eve, "no such ns!")
    with pytest.raises(NotFoundError, match="was not granted team"):
        admin.revoke(ghost_pg.store, eve, "team")
    with (
        Ghost.open(":memory:", embedder="none") as other,
        pytest.raises(InvalidInputError, match="not in PostgreSQL"),
    ):
        admin.grant(other.store, eve, "team")


def test_the_commands(ghost_pg: Ghost, eve: str, pg_url: str, ghost_cli: GhostCli) -> None:  # noqa: F811
    """grant, grants and revoke, as text and as JSON."""
    at = ("--db", pg_url)
    assert ghost_cli.ok(*at, "admin", "grants") == ""
    assert "reads and writes agent:*" in ghost_cli.ok(
        *at, "admin", "grant", eve, "agent:*:write", "team"
    )
    found = ghost_cli.rows(*at, "admin", "grants")
    assert [(one["ns"], one["scope"]) for one in found] == [("agent:*", "write"), ("team", "read")]
    assert ghost_cli.row(*at, "admin", "revoke", eve, "team")["ns"] == "team"
    assert "revoked" in ghost_cli.ok(*at, "admin", "revoke", eve)
    assert "no Citus" in ghost_cli.fails(5, *at, "admin", "nodes")[0]
    assert "install Citus" in ghost_cli.fails(5, *at, "admin", "distribute")[1]


def test_ghost_as_another_role(ghost_pg: Ghost, eve: str, pg_url: str) -> None:
    """The error says which role Ghost needs, not to look at the permissions of a file."""
    owner, place = pg_url.removeprefix("postgresql://").split("@", 1)
    assert owner
    url = f"postgresql://{quote(eve)}@{place}"
    with pytest.raises(ReadOnlyStoreError, match="refuses this role") as refused:
        Ghost.open(url, settings=Settings(embed_provider="none")).get("agent:ann", "secret")
    assert "owns the tables" in str(refused.value.hint)


@pytest.mark.parametrize("scope", ["read", "write"])
def test_a_granted_role_can_search_with_ghost(
    ghost_pg: Ghost, eve: str, pg_url: str, tmp_path: Path, scope: str
) -> None:
    """Search, context, list and get answer from its namespaces; folders of others stay hidden."""
    for name, ns in (("ann", "agent:ann"), ("bo", "agent:bo")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("# Herons\n\nThe heron is grey.\n")
        ghost_pg.notes.add(tmp_path / name, ns)
    admin.grant(ghost_pg.store, eve, "agent:ann", write=scope == "write")
    url = f"postgresql://{quote(eve)}@{pg_url.split('@', 1)[1]}"
    with Ghost.open(url, settings=Settings(embed_provider="none")) as own:
        assert own.search("secret", "agent:ann")[0].key == "secret"
        assert own.search("heron grey", "*")[0].memory.ns == "agent:ann"
        assert own.context("secret", "agent:ann").memories
        assert {memory.ns for memory in own.list(limit=100)} == {"agent:ann"}
        assert own.get("agent:ann", "secret").content == "The secret of agent:ann."
        assert [folder.ns for folder in own.notes.folders()] == ["agent:ann"]
