"""A move that is killed again and again beside a live writer: nothing acknowledged is lost."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.child import Child
from bench.moving import PAUSED, both, fill, move

from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from servers import Databases

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="kills are those of Unix"),
]
NONE = Settings(embed_provider="none")


@pytest.fixture
def end(tmp_path: Path, pg_databases: "Databases") -> Callable[[str], str]:
    """Return a function that names a new end of a move."""
    return lambda kind: pg_databases.fresh() if kind == "postgres" else str(tmp_path / f"{kind}.db")


@pytest.mark.parametrize("way", ["file postgres", "postgres back"])
def test_killed_beside_a_live_writer(end: Callable[[str], str], tmp_path: Path, way: str) -> None:
    """However often a move is killed, it ends with the same export, the log whole and every acknowledged put there once."""
    first, last = way.split()
    source = str(tmp_path / "source.db")
    fill(source, 600, "none")
    if first == "postgres":
        from ghostmem import migrate

        file, source = source, end("postgres")
        migrate(file, source, settings=NONE)
    result = both(source, end(last), kills=3, seed=len(way))
    assert result["problems"] == []
    assert result["puts"] > 0


@pytest.mark.parametrize("kind", ["file", "postgres"])
def test_a_killed_move_leaves_the_target_empty(
    end: Callable[[str], str], tmp_path: Path, kind: str
) -> None:
    """After a kill the target is empty and whole, and the source is as it was."""
    source, target = str(tmp_path / "source.db"), end(kind)
    fill(source, 600, "none")
    with Child(move, source=source, target=target, pause_after=3) as mover:
        mover.listen(until=lambda lines: lines[-1:] == [PAUSED])
        mover.kill()
    for store, memories in ((source, 600), (target, 0)):
        with Ghost.open(store, settings=NONE) as ghost:
            assert ghost.admin.check().problems == ()
            assert json.loads(next(iter(ghost.export())))["memories"] == memories
