"""The opt-in HNSW index: made and dropped on request, and nearly as good as comparing everything, in each namespace."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest

from cli.conftest import GhostCli, ghost_cli  # noqa: F401
from ghostmem import Ghost
from ghostmem.admin import cluster as admin
from ghostmem.settings import Settings
from ghostmem.store.postgres.hnsw import MAX_DIMENSION

COUNT, WIDTH, NEAREST, FLOOR = 5000, 64, 10, 0.95


@pytest.fixture(scope="module")
def filled(pg_databases: Any) -> Iterator[str]:
    """Return a database with 5,000 vectors in a large and a small namespace, around shared centres."""
    url: str = pg_databases.fresh()
    rng = np.random.default_rng(7)
    centres = rng.normal(size=(40, WIDTH))
    rows = centres[rng.integers(40, size=COUNT)] + 0.7 * rng.normal(size=(COUNT, WIDTH))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows.astype(np.float16).astype(np.float32)
    Ghost.open(url, embedder="none").close()
    with psycopg.connect(url) as db:
        db.execute(
            "INSERT INTO models (id, name, dimension, chunker) VALUES (1, 'test', %s, 'c')",
            (WIDTH,),
        )
        for ns in ("large", "small"):
            db.execute("INSERT INTO namespaces (ns, sequence) VALUES (%s, 1)", (ns,))
            db.execute(
                "INSERT INTO memories (ns, id, key, content, created_at, recorded_at) VALUES (%s, %s, 'k', 'x', '2026', '2026')",
                (ns, ns),
            )
        chunk = (
            "INSERT INTO chunks (ns, id, memory_id, seq, start, stop, start_line, end_line, terms, length, chunker, codes, plain)"
            " VALUES (%(ns)s, %(id)s, %(ns)s, %(id)s, 0, 1, 1, 1, 'x', 1, 'c', 'x', 'x')"
        )
        names = ["small" if number % 20 == 0 else "large" for number in range(COUNT)]
        with db.cursor() as cursor:
            cursor.executemany(
                chunk, [{"ns": ns, "id": number + 1} for number, ns in enumerate(names)]
            )
            cursor.executemany(
                "INSERT INTO vectors (ns, model_id, chunk_id, vector) VALUES (%s, 1, %s, %s::text::vector)",
                [(ns, number + 1, str(rows[number].tolist())) for number, ns in enumerate(names)],
            )
    return url


def test_an_index_is_made_used_and_dropped(filled: str, ghost_cli: GhostCli) -> None:  # noqa: F811
    """Nothing is lost against the exact answer, beyond a few in a hundred; a small namespace among a large one least of all."""
    made = ghost_cli.row("--db", filled, "admin", "index")
    assert (made["model"], made["dimension"], made["vectors"], made["state"]) == (
        "test",
        WIDTH,
        COUNT,
        "ready",
    )
    assert made["bytes"] > 0
    rng = np.random.default_rng(8)
    questions = rng.normal(size=(30, WIDTH)).astype(np.float32)
    questions /= np.linalg.norm(questions, axis=1, keepdims=True)
    with psycopg.connect(filled, autocommit=True) as db:
        db.execute("ANALYZE vectors")
    exact = _nearest(filled, questions, hnsw=False)
    with psycopg.connect(
        filled, autocommit=True
    ) as db:  # so few vectors the server would rather compare, and rightly
        db.execute(f'ALTER DATABASE "{db.info.dbname}" SET enable_sort TO off')  # type: ignore[call-overload]
    near = _nearest(filled, questions, hnsw=True)
    assert _scans(filled, len(questions)) >= len(questions)
    for ns in ("large", "small"):
        shared = [
            len(set(one) & set(other)) / NEAREST
            for one, other in zip(exact[ns], near[ns], strict=True)
        ]
        assert all(len(one) == NEAREST for one in near[ns])
        assert sum(shared) / len(shared) >= FLOOR, ns
    assert "ready" in ghost_cli.ok("--db", filled, "admin", "index")  # again is no work
    assert ghost_cli.row("--db", filled, "admin", "index", "--drop")["model"] == "test"
    assert ghost_cli.rows("--db", filled, "admin", "index", "--drop") == []


def _scans(url: str, enough: int) -> int:
    """Return how often the index was used; a session tells the server's statistics of it only a while after it ended."""
    deadline, used = time.monotonic() + 20, 0
    with psycopg.connect(url, autocommit=True) as db:
        while used < enough and time.monotonic() < deadline:
            time.sleep(0.05)
            row = db.execute(
                "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'vectors_hnsw_1'"
            ).fetchone()
            used = row[0] if row else 0
    return used


def _nearest(url: str, questions: Any, hnsw: bool) -> dict[str, list[list[int]]]:
    """Ask for the nearest chunks of each question in each namespace, as a search does."""
    settings = Settings(embed_provider="none", pg_hnsw=hnsw)
    found: dict[str, list[list[int]]] = {}
    with Ghost.open(url, settings=settings) as ghost, ghost.store.engine.read() as tx:
        for space in tx.search.spaces(["large", "small"]):
            view = tx.vectors.view(1, space)
            found[space.name] = [view.nearest(question, NEAREST) for question in questions]
    return found


def test_an_index_left_half_made_is_made_anew(filled: str) -> None:
    """A build that was cut off leaves an index that answers nothing; the next run replaces it."""
    with Ghost.open(filled, embedder="none") as ghost:
        admin.administration(ghost.store).index()
        with psycopg.connect(filled, autocommit=True) as db:
            db.execute(
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'vectors_hnsw_1'::regclass"
            )
        assert [one.state for one in admin.administration(ghost.store).index()] == ["ready"]
        admin.administration(ghost.store).index(drop=True)


def test_vectors_too_long_for_an_index_are_told(pg_url: str) -> None:
    """pgvector indexes up to 2,000 numbers; longer ones are compared exactly, and the command says so."""
    with Ghost.open(pg_url, embedder="none") as ghost:
        with psycopg.connect(pg_url) as db:
            db.execute(
                "INSERT INTO models (name, dimension, chunker) VALUES ('wide', %s, 'c')",
                (MAX_DIMENSION + 1,),
            )
        assert [one.state for one in admin.administration(ghost.store).index()] == [
            f"vectors of more than {MAX_DIMENSION} numbers have none"
        ]
