"""Declared columns are migrations of both engines."""

import pytest

from ghostmem.store import tables
from ghostmem.store.postgres import schema as postgres_schema
from ghostmem.store.sqlite import schema as sqlite_schema


def test_an_added_column_is_a_migration_of_both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its declaration is enough: the type of its values gives that of the column."""
    added = ("memories.version", "memories.pinned", "memories.meta", "memory_edges.weight")
    monkeypatch.setattr(tables, "ADDED", {"0099_new": added})
    number, text = "INTEGER NOT NULL DEFAULT 0", "TEXT"
    expected = [number, number, text, "REAL NOT NULL DEFAULT 0"]
    sql = tables.additions(sqlite_schema._TYPES)["0099_new"]
    assert [line.split(" ", 6)[6] for line in sql.splitlines()] == [f"{kind};" for kind in expected]
    sql = tables.additions(postgres_schema._TYPES)["0099_new"]
    assert "ALTER TABLE memory_edges ADD COLUMN weight DOUBLE PRECISION NOT NULL DEFAULT 0;" in sql
