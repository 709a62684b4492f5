"""Vectors of PostgreSQL in memory: a search finds the same as the server does, whoever wrote meanwhile."""

import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.store.nearest import MAX_EXACT, VectorView
from ghostmem.store.postgres import vectors
from ghostmem.store.postgres.vectors import RecentViews
from ghostmem.store.rows import Space

NS = "agent:me"
BY_SERVER = "<#>"  # the operator with which the server compares vectors


def texts(count: int) -> list[str]:
    """Return different lines of prose from the standard library's sources."""
    lines = Path(sysconfig.get_path("stdlib"), "argparse.py").read_text("utf-8").splitlines()
    lines += Path(sysconfig.get_path("stdlib"), "subprocess.py").read_text("utf-8").splitlines()
    lines += Path(sysconfig.get_path("stdlib"), "typing.py").read_text("utf-8").splitlines()
    found = dict.fromkeys(line.strip(" #") for line in lines if len(line.split()) >= 6)
    assert len(found) >= count
    return list(found)[:count]


def opened(url: str, provider: str = "static") -> Ghost:
    """Open a store as a process of its own does."""
    return Ghost.open(url, settings=Settings(embed_provider=provider))


def asked(ghost: Ghost, question: str) -> list[tuple[Any, ...]]:
    """Return the hits of a question with everything that was measured."""
    return [
        (hit.key, hit.score, hit.similarity, hit.weak, dict(hit.why.parts))
        for hit in ghost.search(question, NS, explain=True, weak=True)
    ]


def watched(ghost: Ghost) -> list[Any]:
    """Return the list to which the statements of a store are added."""
    statements: list[Any] = []
    ghost.store.engine.watch = statements.append  # type: ignore[union-attr]
    return statements


def compare(ghost: Ghost, url: str, questions: list[Any]) -> None:
    """Compare hits with those of a store that has no vectors in memory."""
    statements = watched(ghost)
    mine = [asked(ghost, question) for question in questions]
    assert not [one for one in statements if BY_SERVER in one.sql]
    with opened(url) as other:
        views = other.store.engine._views  # type: ignore[union-attr]
        statements = watched(other)
        for question, hits in zip(questions, mine, strict=True):
            views.clear()
            views._last.clear()  # every question is the first
            assert asked(other, question) == hits, question
        assert sum(BY_SERVER in one.sql for one in statements) >= len(questions)


def test_hits_stay_those_of_the_server(pg_url: str) -> None:
    """A store with vectors in memory finds what the server finds after writes of another store."""
    lines = texts(330)
    questions = [" ".join(line.split()[1:6]) for line in lines[:200]]
    with opened(pg_url) as ghost, opened(pg_url) as writer:
        writer.put_many(
            [{"ns": NS, "key": f"k{at}", "content": t} for at, t in enumerate(lines[:250])]
        )
        asked(ghost, questions[0])
        compare(ghost, pg_url, questions)
        for at, text in enumerate(lines[250:270]):  # new memories
            writer.put(NS, f"new{at}", text)
        compare(ghost, pg_url, questions[:12])
        for at, text in enumerate(lines[270:300]):  # new versions, whose chunks replace others
            writer.put(NS, f"k{at}", text)
        compare(ghost, pg_url, questions[:12])
        for at in range(30, 60):
            writer.rm(NS, f"k{at}")
        compare(ghost, pg_url, questions[24:36])
        with opened(pg_url, "none") as wordy:
            for at, text in enumerate(lines[300:310]):
                wordy.put(NS, f"late{at}", text)
        writer.put(NS, "last", lines[310])
        compare(ghost, pg_url, questions[:6])
        assert writer.admin.embed_backfill() == 10  # vectors of older chunks
        compare(ghost, pg_url, [*questions[:6], *lines[300:306]])
        assert ghost.admin.check().problems == ()


def test_the_first_question_loads_nothing(pg_url: str) -> None:
    """A process that asks once lets the server compare; the next question loads the vectors."""
    with opened(pg_url) as writer:
        for at, text in enumerate(texts(5)):
            writer.put(NS, f"k{at}", text)
    with opened(pg_url) as ghost:
        views = ghost.store.engine._views  # type: ignore[union-attr]
        assert asked(ghost, "arguments") is not None
        assert not views
        asked(ghost, "arguments")
        assert [view.count for view in views.values()] == [5]


def view(count: int) -> VectorView:
    """Return a view of some vectors."""
    return VectorView(1, np.arange(1, count + 1), np.zeros((count, 2), np.float16))


def space(number: int, chunks: int) -> Space:
    """Return a namespace with some chunks."""
    return Space(number, f"ns:{number}", 1, chunks, chunks)


def test_namespaces_that_are_not_asked_for_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A namespace stays in memory while it is asked for, and no more than fit are loaded."""
    monkeypatch.setattr(vectors, "MAX_VECTORS", 100)
    monkeypatch.setattr(vectors, "IDLE_REQUESTS", 3)
    views = RecentViews()
    assert not views.wants(1, space(1, 60))
    assert views.wants(1, space(1, 60))
    views[1, 1] = view(60)
    assert not views.wants(1, space(2, 60))
    assert not views.wants(1, space(2, 60))  # the other one was asked for just now
    assert views.wants(1, space(1, 60))
    for _ in range(3):
        assert not views.wants(1, space(2, 60))
    assert views.wants(1, space(2, 60))
    assert not views


def test_large_namespaces_are_left_to_the_server() -> None:
    """More vectors than are compared exactly in memory are not loaded."""
    views = RecentViews()
    assert not any(views.wants(1, space(1, MAX_EXACT + 1)) for _ in range(3))
