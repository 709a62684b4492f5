"""HNSW indexes of vectors for large namespaces: one for each model, created on request."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from ghostmem.store.administration import VectorIndex

MAX_DIMENSION = 2000  # pgvector indexes no longer vectors of this type


def index(
    connection: "psycopg.Connection[Any]",
    drop: bool = False,
    progress: Callable[[int], None] | None = None,
) -> list[VectorIndex]:
    """Create an index for the vectors of each model and return all, or drop the indexes."""
    return _drop(connection) if drop else _build(connection, progress)


def _build(
    connection: "psycopg.Connection[Any]", progress: Callable[[int], None] | None
) -> list[VectorIndex]:
    """Create the missing indexes while others read and write, and return all.

    An index that was left incomplete is created again."""
    for model, _, dimension in _models(connection):
        name = _name(model)
        valid = _valid(connection, name)
        if valid or dimension > MAX_DIMENSION:
            continue
        if valid is False:
            connection.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(name)))
        statement = sql.SQL(
            "CREATE INDEX CONCURRENTLY {name} ON vectors USING hnsw "
            "((vector::vector({dimension})) vector_ip_ops)"
            " WHERE model_id = {model}"
        ).format(
            name=sql.Identifier(name), dimension=sql.Literal(dimension), model=sql.Literal(model)
        )
        with _watched(connection, progress):
            connection.execute(statement)
    return indexes(connection)


def _drop(connection: "psycopg.Connection[Any]") -> list[VectorIndex]:
    existing = [index for index in indexes(connection) if index.state in {"ready", "half made"}]
    for index in existing:
        connection.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(index.name)))
    return existing


def indexes(connection: "psycopg.Connection[Any]") -> list[VectorIndex]:
    """Return the index of each model, also where none exists."""
    indexes = []
    for model, label, dimension in _models(connection):
        name, valid = _name(model), _valid(connection, _name(model))
        state = {True: "ready", False: "half made", None: "none"}[valid]
        if valid is None and dimension > MAX_DIMENSION:
            state = f"vectors of more than {MAX_DIMENSION} numbers have none"
        row = connection.execute(
            "SELECT count(*) FROM vectors WHERE model_id = %s", (model,)
        ).fetchone()
        size = (
            connection.execute("SELECT pg_relation_size(%s)", (name,)).fetchone()
            if valid is not None
            else (0,)
        )
        indexes.append(
            VectorIndex(
                label,
                dimension,
                name,
                int(row[0]) if row else 0,
                int(size[0]) if size else 0,
                state,
            )
        )
    return indexes


def _models(connection: "psycopg.Connection[Any]") -> list[tuple[int, str, int]]:
    return connection.execute("SELECT id, name, dimension FROM models ORDER BY id").fetchall()


def _name(model: int) -> str:
    return f"vectors_hnsw_{model}"


def _valid(connection: "psycopg.Connection[Any]", name: str) -> bool | None:
    row = connection.execute(
        "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        " WHERE i.indrelid = 'vectors'::regclass AND c.relname = %s",
        (name,),
    ).fetchone()
    return None if row is None else bool(row[0])


@contextmanager
def _watched(
    connection: "psycopg.Connection[Any]", progress: Callable[[int], None] | None
) -> Iterator[None]:
    """Report the progress of creating an index, from a second connection."""
    info, ended = connection.info, threading.Event()

    def look() -> None:
        assert progress is not None
        with psycopg.connect(info.dsn, password=info.password, autocommit=True) as second:
            while not ended.wait(0.5):
                statement = "SELECT tuples_done FROM pg_stat_progress_create_index WHERE pid = %s"
                row = second.execute(statement, (info.backend_pid,)).fetchone()
                if row and row[0]:
                    progress(int(row[0]))

    thread = threading.Thread(target=look, daemon=True)
    if progress is not None:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if progress is not None:
            thread.join(timeout=5)
