"""A move that is killed again and again beside a live writer: the next one goes on, and nothing acknowledged is lost."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.child import Child
from bench.moving import both, fill, move

from ghostmem import EngineError, Ghost
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
    found = both(source, end(last), kills=3, seed=len(way))
    assert found["problems"] == []
    assert found["puts"] > 0
    assert found["caught_up"] > 0


@pytest.mark.parametrize("lines", [1, 3])
def test_what_is_left_of_a_killed_move_refuses_ordinary_use(
    end: Callable[[str], str], tmp_path: Path, lines: int
) -> None:
    """After a kill the target is either not begun, or says that it is being filled; the source is as it was."""
    source, target = str(tmp_path / "source.db"), end("postgres")
    fill(source, 600, "none")
    with Child(move, source=source, target=target) as mover:
        assert mover.await_lines(lines)
        mover.kill()
    with pytest.raises(EngineError, match="has not finished"):
        Ghost.open(target, settings=NONE)
    with Ghost.open(source, settings=NONE) as ghost:
        assert ghost.check().problems == ()
