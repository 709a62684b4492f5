"""The namespaces that roles of the database may read or write in their own SQL.

Row-level security enforces the grants."""

from typing import Any

import psycopg
from psycopg import sql

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.store.administration import Grant
from ghostmem.store.postgres.schema import WITH_POLICIES

SCOPES = ("read", "write")
_SHARED = (
    "migrations",
    "models",
    "reflect_rules",
    "namespace_grants",
)  # what everyone who may read anything may read
_SEQUENCES = ("namespace_numbers", "thread_numbers", "chunk_numbers")


def grants(connection: "psycopg.Connection[Any]") -> list[Grant]:
    """List all grants."""
    return [
        Grant(*row)
        for row in connection.execute(
            "SELECT role, ns, scope FROM namespace_grants ORDER BY role, ns"
        )
    ]


def grant(connection: "psycopg.Connection[Any]", role: str, ns: str, scope: str) -> Grant:
    """Let a role read a namespace, or write to it too; a grant of the other scope is replaced."""
    role_row = connection.execute(
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = %s", (role,)
    ).fetchone()
    if role_row is None:
        raise NotFoundError(
            f"there is no role {role} in this database",
            f'make it first: CREATE ROLE "{role}" LOGIN PASSWORD …',
        )
    if role_row[0]:
        raise InvalidInputError(
            f"{role} is a superuser or bypasses row-level security",
            "choose a role with neither right",
        )
    with connection.transaction():
        connection.execute(
            "INSERT INTO namespace_grants (role, ns, scope) VALUES (%s, %s, %s)"
            " ON CONFLICT (role, ns) DO UPDATE SET scope = excluded.scope",
            (role, ns, scope),
        )
        _fit(connection, role)
    return Grant(role, ns, scope)


def revoke(connection: "psycopg.Connection[Any]", role: str, ns: str | None) -> list[Grant]:
    """Revoke the grant of a role in a namespace, or all of them."""
    with connection.transaction():
        rows = connection.execute(
            "DELETE FROM namespace_grants WHERE role = %s AND (%s::text IS NULL OR ns = "
            "%s) RETURNING role, ns, scope",
            (role, ns, ns),
        ).fetchall()
        if not rows:
            location = "anything" if ns is None else ns
            raise NotFoundError(
                f"{role} was not granted {location}", "`ghost admin grants` shows what was"
            )
        _fit(connection, role)
    return sorted((Grant(*row) for row in rows), key=lambda grant: grant.ns)


def _fit(connection: "psycopg.Connection[Any]", role: str) -> None:
    """Set the rights of a role on tables to those that its grants need.

    The policies decide which rows it sees."""
    scopes = {
        scope
        for (scope,) in connection.execute(
            "SELECT scope FROM namespace_grants WHERE role = %s", (role,)
        )
    }
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
        return
    row = connection.execute("SELECT current_schema()").fetchone()
    names = {
        "role": sql.Identifier(role),
        "schema": sql.Identifier(row[0] if row else "public"),
        "tables": sql.SQL(", ").join(map(sql.Identifier, WITH_POLICIES)),
        "shared": sql.SQL(", ").join(map(sql.Identifier, _SHARED)),
        "sequences": sql.SQL(", ").join(map(sql.Identifier, _SEQUENCES)),
    }
    steps = [
        "REVOKE ALL ON {tables}, {shared} FROM {role}",
        "REVOKE ALL ON SEQUENCE {sequences} FROM {role}",
    ]
    if scopes:
        steps += [
            "GRANT USAGE ON SCHEMA {schema} TO {role}",
            "GRANT SELECT ON {tables}, {shared} TO {role}",
        ]
    if "write" in scopes:
        steps += [
            "GRANT INSERT, UPDATE, DELETE ON {tables} TO {role}",
            "GRANT USAGE, SELECT ON SEQUENCE {sequences} TO {role}",
        ]
    if (
        scopes
        and connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'citus'").fetchone()
    ):
        # the policies read namespace_grants, of which every node has a copy, while a node reads its
        # rows
        steps.append("ALTER ROLE {role} SET citus.allow_nested_distributed_execution TO on")
    for step in steps:
        connection.execute(sql.SQL(step).format(**names))
