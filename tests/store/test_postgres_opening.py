"""Opening a database that cannot be a store: the error names the reason and the next step."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from ghostmem import Ghost
from ghostmem import migrate as migrate_store
from ghostmem.errors import (
    EngineError,
    InvalidInputError,
    LostConnectionError,
    ReadOnlyStoreError,
)
from ghostmem.settings import Settings
from ghostmem.store.postgres import migrate

if TYPE_CHECKING:
    from servers import Databases

SETTINGS = Settings(embed_provider="none", busy_timeout=600)  # nobody waits so long in vain


def in_schema(url: str, path: str) -> str:
    """Return the address of a database with a search path."""
    return f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{path}"


def refusal(url: str) -> EngineError:
    """Return the error of opening a store."""
    with pytest.raises(EngineError) as refused:
        Ghost.open(url, settings=SETTINGS).close()
    return refused.value


@pytest.fixture
def bare(pg_databases: "Databases") -> str:
    """Return the address of a database without tables."""
    return pg_databases.fresh(empty=True)


@pytest.fixture
def guest(bare: str) -> Iterator[str]:
    """Return the address of that database for a role that owns nothing."""
    name = f"guest_{os.getpid()}"  # roles belong to the server, which workers share
    with psycopg.connect(bare, autocommit=True) as owner:
        owner.execute(f"DROP ROLE IF EXISTS {name}")
        owner.execute(f"CREATE ROLE {name} LOGIN")
        yield f"postgresql://{name}@{bare.partition('@')[2]}"
        owner.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")


def test_a_schema_has_a_store_of_its_own(pg_url: str) -> None:
    """A schema named in the URL is not read from the store in `public`."""
    with psycopg.connect(pg_url, autocommit=True) as owner:
        owner.execute("CREATE SCHEMA memory")
    with Ghost.open(pg_url, settings=SETTINGS) as first:
        first.put("a", "k", "In public.")
        with Ghost.open(in_schema(pg_url, "memory,public"), settings=SETTINGS) as second:
            assert second.list("a") == []
            second.put("a", "k", "In memory.")
        assert first.get("a", "k").content == "In public."
        assert first.admin.check().ok


def test_a_schema_that_does_not_exist(bare: str, pg_url: str) -> None:
    """No table is created in another schema, and a store there is not used."""
    error = refusal(in_schema(bare, "memory,public"))
    assert "no schema memory" in error.message
    assert error.hint == "create it first: CREATE SCHEMA memory"
    assert "no schema that exists" in refusal(in_schema(bare, "")).message
    with Ghost.open(pg_url, settings=SETTINGS) as ghost:
        ghost.put("a", "k", "In public.")
    error = refusal(in_schema(pg_url, "memory,public"))
    assert "no schema memory" in error.message
    assert error.hint.endswith("; to use the store in public, remove memory from the URL")
    with Ghost.open(in_schema(pg_url, '"$user",public'), settings=SETTINGS) as ghost:
        assert ghost.get("a", "k").content == "In public."


def test_the_search_path_of_a_database_is_a_default(pg_url: str) -> None:
    """A store that is already in `public` stays in use."""
    with Ghost.open(pg_url, settings=SETTINGS) as ghost:
        ghost.put("a", "k", "In public.")
    name = pg_url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(pg_url, autocommit=True) as owner:
        owner.execute("CREATE SCHEMA memory")
        owner.execute(f"ALTER DATABASE {name} SET search_path = memory, public")
    with Ghost.open(pg_url, settings=SETTINGS) as ghost:
        assert ghost.get("a", "k").content == "In public."


def test_extensions_outside_of_the_search_path(pg_url: str) -> None:
    """The hint shows how to add their schema."""
    with psycopg.connect(pg_url, autocommit=True) as owner:
        owner.execute("CREATE SCHEMA memory")
    error = refusal(in_schema(pg_url, "memory"))
    assert "extension is not visible" in error.message
    assert "NAME,public" in error.hint


def test_an_extension_that_is_not_installed(bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error does not ask for a bug report."""
    monkeypatch.setattr(migrate, "LEDGER", "CREATE EXTENSION nosuch")
    error = refusal(bare)
    assert 'extension "nosuch" is not available' in error.message
    assert "install pgvector" in error.hint


def test_a_role_that_may_not_create(bare: str, guest: str) -> None:
    """The hint is the statement that an administrator has to run."""
    error = refusal(guest)
    assert isinstance(error, ReadOnlyStoreError)
    assert "permission denied for schema public" in error.message
    assert "GRANT" in error.hint
    with psycopg.connect(bare, autocommit=True) as owner:
        owner.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    error = refusal(guest)
    assert 'permission denied to create extension "vector"' in error.message
    assert "CREATE EXTENSION vector" in error.hint


def test_a_database_that_is_not_utf8(bare: str) -> None:
    """It is refused when it is opened, not when a text needs another character."""
    name = f"latin_{os.getpid()}"
    head, _, tail = bare.partition("?")
    with psycopg.connect(bare, autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' TEMPLATE template0")
        try:
            error = refusal(f"{head.rpartition('/')[0]}/{name}?{tail}")
        finally:
            owner.execute(f"DROP DATABASE {name} WITH (FORCE)")
    assert "encoding LATIN1" in error.message
    assert "createdb -E UTF8" in error.hint


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        (lambda url: url.replace("/ghost_", "/nosuch_"), "does not exist", "createdb"),
        (lambda url: url + "&port=abc", "invalid integer value", "the URL is right"),
        (lambda url: url + "&sslmode=bogus", "invalid sslmode", "the URL is right"),
    ],
)
def test_a_refusal_that_stays_the_same(
    bare: str, change: Callable[[str], str], message: str, hint: str
) -> None:
    """It is reported at once: waiting for the server would not help."""
    error = refusal(change(bare))
    assert isinstance(error, LostConnectionError)
    assert message in error.message
    assert hint in error.hint


def test_a_connection_string_is_not_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    """A file with a password in its name would be created otherwise."""
    monkeypatch.chdir(str(tmp_path))
    error = refusal("host=db.example.com password=secret dbname=ghost")
    assert "secret" not in error.message
    assert "postgresql://" in error.hint
    assert not [name for name in os.listdir() if "=" in name]


def test_a_plan_for_a_database_that_does_not_exist(bare: str, tmp_path: Path) -> None:
    """The error is that of opening it, and does not speak of a connection that broke."""
    source = tmp_path / "memory.db"
    Ghost.open(source, settings=SETTINGS).close()
    with pytest.raises(LostConnectionError, match="cannot be reached") as refused:
        migrate_store(str(source), bare.replace("/ghost_", "/nosuch_"), dry_run=True)
    assert "createdb" in refused.value.hint


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_move_inside_a_database_is_refused(pg_url: str, dry_run: bool) -> None:
    """The stores of two schemas share their locks; the same store in other words is no target."""
    with psycopg.connect(pg_url, autocommit=True) as owner:
        owner.execute("CREATE SCHEMA memory")
    for target in (in_schema(pg_url, "memory,public"), pg_url + "&application_name=other"):
        with pytest.raises(InvalidInputError, match="are in the same database") as refused:
            migrate_store(pg_url, target, dry_run=dry_run)
        assert "move to a file" in refused.value.hint
