"""An import tells how far it is, and one that was stopped goes on where it was"""

from collections.abc import Callable
from pathlib import Path

import pytest

from ghostmem import Ghost
from ghostmem.cli.output import Progress
from ghostmem.settings import Settings

NUMBER = 700


class Counted:
    """A progress that wants to know of the parts of the work."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.parts: list[tuple[str, int, list[int]]] = []

    def __call__(self, done: int) -> None:
        """Take a count."""
        self.counts.append(done)

    def phase(self, label: str, total: int) -> Callable[[int], None]:
        """Begin a part."""
        counts: list[int] = []
        self.parts.append((label, total, counts))
        return counts.append


def lines() -> list[str]:
    """Return the export of a store with many memories."""
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        for number in range(NUMBER):
            ghost.put("a", f"k{number}", f"Memory number {number}.")
        return list(ghost.export())


@pytest.fixture(scope="module")
def exported() -> list[str]:
    """Return the lines to import."""
    return lines()


@pytest.mark.wide
def test_rows_and_vectors_are_counted_apart(exported: list[str], tmp_path: Path) -> None:
    """First the versions that were written, then the vectors, with their total."""
    progress = Counted()
    with Ghost.open(tmp_path / "memory.db", settings=Settings(embed_provider="static")) as ghost:
        ghost.import_(exported, progress=progress)
    assert progress.counts == [500, NUMBER]
    ((label, total, counts),) = progress.parts
    assert (label, total, counts[-1]) == ("vectors", NUMBER, NUMBER)
    assert counts == sorted(counts)


def test_a_plain_function_still_gets_every_count(exported: list[str], tmp_path: Path) -> None:
    """What knows nothing of parts is called for both, as before."""
    counts: list[int] = []
    with Ghost.open(tmp_path / "memory.db", settings=Settings(embed_provider="static")) as ghost:
        ghost.import_(exported, progress=counts.append)
    assert counts[:2] == [500, NUMBER]
    assert counts[-1] == NUMBER


def test_the_rest_of_the_time_is_estimated() -> None:
    """Where the total is known, and some of it is done."""
    progress = Progress("imported")
    assert progress.text(1500, 10) == "imported: 1,500"
    vectors = progress.phase("vectors", 2000)
    assert vectors.text(0, 10) == "vectors: 0 of 2,000"
    assert vectors.text(500, 10) == "vectors: 500 of 2,000, about 30 s left"
    assert vectors.text(10, 10) == "vectors: 10 of 2,000, about 33 min left"
    assert vectors.text(2000, 10) == "vectors: 2,000 of 2,000"


@pytest.mark.parametrize("again", ["import", "backfill", "repair"])
def test_a_stopped_import_goes_on(exported: list[str], tmp_path: Path, again: str) -> None:
    """Stopped among its vectors it has all rows; the next run makes the missing vectors and changes nothing else."""
    made: list[int] = []

    def embed(texts: list[str]) -> list[list[float]]:
        if sum(made) > NUMBER // 2 and len(made) < 1000:
            made.extend([0] * 1000)
            raise KeyboardInterrupt
        made.append(len(texts))
        return [[1.0, float(len(text))] for text in texts]

    with Ghost.open(tmp_path / "memory.db", embedder=embed) as ghost:
        with pytest.raises(KeyboardInterrupt):
            ghost.import_(exported, trust=True)
        assert list(ghost.export()) == exported
        waiting = ghost.admin.embed_status().pending
        assert 0 < waiting < NUMBER
        made[:] = [0] * 1000
        if again == "import":
            assert ghost.import_(exported, trust=True).unchanged == NUMBER
        elif again == "backfill":
            ghost.admin.embed_backfill()
        else:
            ghost.admin.repair()
        assert ghost.admin.embed_status().pending == 0
        assert again == "repair" or sum(made) == waiting
        assert list(ghost.export()) == exported
        assert ghost.admin.check().problems == ()
