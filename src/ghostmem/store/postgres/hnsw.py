"""HNSW indexes of vectors for large namespaces: one for each model, created on request."""

import threading
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg import sql

from ghostmem.store.administration import VectorIndex

MAX_DIMENSION = 2000  # pgvector indexes no longer vectors of this type


def build(
    connection: "psycopg.Connection[Any]", progress: Callable[[int], None] | None = None
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


def drop(connection: "psycopg.Connection[Any]") -> list[VectorIndex]:
    """Drop the indexes and return them."""
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


class _watched:  # noqa: N801 - used as a statement
    """Report the progress of creating an index, from a second connection."""

    def __init__(
        self, connection: "psycopg.Connection[Any]", progress: Callable[[int], None] | None
    ) -> None:
        self._info, self._progress = connection.info, progress
        self._pid, self._ended = connection.info.backend_pid, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        assert self._progress is not None
        with psycopg.connect(
            self._info.dsn, password=self._info.password, autocommit=True
        ) as connection:
            while not self._ended.wait(0.5):
                sql_ = "SELECT tuples_done FROM pg_stat_progress_create_index WHERE pid = %s"
                row = connection.execute(sql_, (self._pid,)).fetchone()
                if row and row[0]:
                    self._progress(int(row[0]))

    def __enter__(self) -> None:
        if self._progress is not None:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._progress is not None:
            self._thread.join(timeout=5)
