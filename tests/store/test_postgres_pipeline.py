"""Statements of a round trip: their values, their preparation and their errors."""

from typing import Any

import psycopg
import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.store.postgres import pipeline


@pytest.fixture
def store(pg_url: str) -> Any:
    """Return the engine of an open store."""
    with Ghost.open(pg_url, settings=Settings(embed_provider="none")) as ghost:
        yield ghost.store.engine


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (
            "text[]",
            ["plain", "", "NULL", "two words", 'a "quote"', "back\\slash", "{a,b}", "é\n\t"],
        ),
        ("text[]", []),
        ("text[]", ["a", None]),
        ("bigint[]", [1, -2, 2**40]),
        ("bytea[]", [b"\0\1", b""]),
    ],
)
def test_arrays_arrive_as_they_are(store: Any, kind: str, values: list[Any]) -> None:
    """Every element of an array is the value that was bound."""
    with store.read() as tx:
        assert tx.db.get(f"SELECT ?::{kind}", (values,)) == values


def test_few_statements_stay_prepared(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement that was used longest ago is forgotten, and can be used again."""
    monkeypatch.setattr(pipeline, "MAX_PREPARED", 8)
    with store.read() as tx:
        for _ in range(2):
            for number in range(20):
                assert tx.db.get(f"SELECT {number} + ?", (1,)) == number + 1
        assert tx.db.get("SELECT count(*) FROM pg_prepared_statements") <= 8


def test_statements_are_prepared_once(store: Any) -> None:
    """The same statement with other values is not prepared again."""
    with store.read() as tx:
        for number in range(5):
            assert tx.db.get("SELECT 40 + ?", (number,)) == 40 + number
        sql = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT 40 +%'"
        assert tx.db.get(sql) == 1


def test_the_first_error_of_a_round_trip_is_raised(store: Any) -> None:
    """Statements after one that failed are skipped, and the next transaction works."""
    token = "INSERT INTO tokens (id, name, hash, grants, created_at) VALUES ('a', '', '', '', '')"

    def write() -> None:
        with store.write() as tx:
            tx.db.run("INSERT INTO nowhere VALUES (?)", (1,))
            tx.db.run("SELECT 1 / 0")
            tx.db.run(token)

    with pytest.raises(psycopg.errors.UndefinedTable):
        write()
    with store.read() as tx:
        assert tx.db.rows("SELECT id FROM tokens") == []


def test_more_than_fits_into_buffers(store: Any) -> None:
    """Large values go out while large answers come in."""
    text = "x" * 3_000_000
    with store.read() as tx:
        sizes: list[int] = []
        tx.db.ahead(
            [
                lambda at=at: sizes.append(len(tx.db.get("SELECT ?::text || ?", (text, str(at)))))
                for at in range(6)
            ]
        )  # type: ignore[misc]
        assert set(sizes) == {len(text) + 1}
