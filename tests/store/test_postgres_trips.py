"""Round trips to PostgreSQL, counted in what libpq sends: an operation has few, and stays right when others write."""

import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform != "linux", reason="libpq traces only on Linux"),
]
NS = "agent:me"
# an end of a reading transaction is sent, but nobody waits for it
ASKS = re.compile(r"^[^\t]*\tF\t\d+\t(Sync|Query(?!.*COMMIT))", re.MULTILINE)
TEXTS = (
    "The heron waits at the weir every morning.",
    "Build times fell after the cache was moved to another disk.",
    "Marta paints the shutters of the old mill green.",
    "The ferry to the island leaves at nine from the north pier.",
    "Invoices are archived in the blue cabinet of the office.",
    "A recipe for lentil soup asks for cumin and a lemon.",
    "The telescope needs a new mirror before the winter.",
    "Choir practice was moved from Tuesday to the chapel's hall.",
)
NEW = {  # by a question that an older memory answers
    "when does the ferry leave": "Seeds of the red poppy are kept in a tin.",
    "lentil soup recipe": "The barn door was oiled in April.",
    "who paints the shutters": "Tickets for the museum are sold online.",
}


@contextmanager
def opened(url: str, **settings: Any) -> Iterator[Ghost]:
    """Open a store with some memories that do not contradict each other."""
    with Ghost.open(url, settings=Settings(**{"embed_provider": "none", **settings})) as ghost:
        for number, text in enumerate(TEXTS):
            ghost.put(NS, f"key-{number}", text)
        yield ghost


def trips(ghost: Ghost, work: Callable[[], object]) -> int:
    """Return how often an operation waits for the server."""
    connection = ghost.store.engine._kept  # type: ignore[attr-defined]
    with tempfile.TemporaryFile("w+") as trace:
        connection.pgconn.trace(trace.fileno())
        try:
            work()
        finally:
            connection.pgconn.untrace()
        assert ghost.store.engine._kept is connection  # type: ignore[attr-defined]
        trace.seek(0)
        return len(ASKS.findall(trace.read()))


@pytest.mark.parametrize(
    ("provider", "new", "again", "search"), [("none", 3, 8, 5), ("static", 8, 13, 5)]
)
def test_few_round_trips(pg_url: str, provider: str, new: int, again: int, search: int) -> None:
    """A put, a search and a get wait for the server a bounded number of times."""
    with opened(pg_url, embed_provider=provider) as ghost:
        for text, content in NEW.items():
            assert 0 < trips(ghost, lambda: ghost.search(text, NS)) <= search, text  # noqa: B023
            key = content.split()[0]
            assert 0 < trips(ghost, lambda: ghost.put(NS, key, content)) <= new, key  # noqa: B023
            assert trips(ghost, lambda: ghost.search(text, NS)) <= search, text  # noqa: B023
            assert trips(ghost, lambda: ghost.put(NS, key, f"{content} Twice.")) <= again  # noqa: B023
            assert trips(ghost, lambda: ghost.get(NS, key)) <= 4  # noqa: B023


def test_rows_travel_together(pg_url: str) -> None:
    """The number of rows that a put writes does not change its round trips."""
    with opened(pg_url) as ghost:
        one = trips(ghost, lambda: ghost.put(NS, "one", "A violin hangs here.", files=["a.py"]))
        files = [f"{letter}.py" for letter in "abcdefghij"]
        many = trips(ghost, lambda: ghost.put(NS, "many", "The cellar is cold.", files=files))
        assert one == many
        assert len(ghost.get(NS, "many").files) == len(files)


def test_a_put_updates_its_namespace_once(pg_url: str) -> None:
    """The counts of a namespace change together with its log, and are right."""
    with opened(pg_url) as ghost:
        statements: list[Any] = []
        ghost.store.engine.watch = statements.append  # type: ignore[union-attr]
        ghost.put(NS, "tide", "Low tide is at noon.")
        assert sum(one.sql.startswith("UPDATE namespaces") for one in statements) == 1
        ghost.put(NS, "tide", "Low tide is at six, and high tide at noon.")
        ghost.rm(NS, "key-1")
        assert ghost.admin.check().problems == ()


@contextmanager
def meanwhile(ghost: Ghost, work: Callable[[], object]) -> Iterator[None]:
    """Let another writer work between the reads of a put and its writes."""
    done: list[Any] = []

    def watch(statement: Any) -> None:
        if statement.sql.startswith("SELECT 1 / count(*)") and not done:
            done.append(statement)
            work()

    ghost.store.engine.watch = watch  # type: ignore[union-attr]
    yield
    ghost.store.engine.watch = None  # type: ignore[union-attr]
    assert done


def test_another_writer_puts_the_same_key(pg_url: str) -> None:
    """A put of a key that was new when it was read becomes the next version."""
    with opened(pg_url) as ghost, Ghost.open(pg_url, settings=ghost.store.settings) as other:
        with meanwhile(ghost, lambda: other.put(NS, "tide", "High tide is at six.")):
            memory = ghost.put(NS, "tide", "Low tide is at noon.")
        assert memory.version == 2
        assert [each.content for each in ghost.history(NS, "tide")] == [
            "High tide is at six.",
            "Low tide is at noon.",
        ]
        assert ghost.admin.check().problems == ()


def test_the_namespace_is_removed_meanwhile(pg_url: str) -> None:
    """A put into a namespace that another process has just removed makes it again."""
    with opened(pg_url) as ghost, Ghost.open(pg_url, settings=ghost.store.settings) as other:
        with meanwhile(ghost, lambda: other.admin.rm_namespace(NS, hard=True)):
            ghost.put(NS, "tide", "Low tide is at noon.")
        assert [memory.key for memory in ghost.list(NS)] == ["tide"]
        assert ghost.admin.check().problems == ()


def test_searches_see_what_others_write(pg_url: str) -> None:
    """Postings and rows that a store keeps are read again after another process has written."""
    with opened(pg_url) as ghost, Ghost.open(pg_url, settings=ghost.store.settings) as other:
        assert [hit.key for hit in ghost.search("lentil soup", NS)] == ["key-5"]
        other.put(NS, "menu", "Lentil soup is on the menu today.")
        assert {hit.key for hit in ghost.search("lentil soup", NS)} == {"key-5", "menu"}
        other.put(NS, "menu", "Tomato bread is on the menu today.")
        other.rm(NS, "key-5")
        assert [hit.key for hit in ghost.search("lentil soup", NS)] == []


def test_a_connection_that_was_cut_while_idle(pg_url: str) -> None:
    """The next operation, which may be a single round trip, uses another connection."""
    import psycopg

    with opened(pg_url) as ghost:
        for _ in range(3):
            pid = ghost.store.engine._kept.info.backend_pid  # type: ignore[attr-defined]
            with psycopg.connect(pg_url, autocommit=True) as connection:
                connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
            assert ghost.used(NS, ["key-1"])
        assert ghost.get(NS, "key-1").utility_count == 3
