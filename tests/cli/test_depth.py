"""JSON that is nested deep: refused with one sentence at 101 levels and at 100,000, and nothing is written"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost, InvalidInputError
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from conftest import GhostCli

HEADER = '{"type": "ghost", "format": 1}\n'
DEEP = [101, 900, 50_000]


def nested(levels: int) -> str:
    """Return an object of so many levels as JSON."""
    return '{"a":' * (levels - 1) + "{}" + "}" * (levels - 1)


def line(levels: int, **more: str) -> str:
    """Return a line of an export whose metadata has so many levels."""
    about = '"ns": "a", "key": "k", "content": "text", "created_at": "2026-01-02T03:04:05Z"'
    return f'{{"type": "memory", "id": "01M7EFJHAZQVZVQQWY4FE7JVKE", {about}, "meta": {nested(levels)}}}\n'


@pytest.mark.parametrize("levels", DEEP)
def test_deep_metadata_is_refused(ghost_cli: "GhostCli", levels: int) -> None:
    """By put and ingest."""
    error, _ = ghost_cli.fails(2, "put", "-n", "a", "-k", "k", "--meta", nested(levels), "text")
    assert error == "meta is nested deeper than 100 levels"
    assert ghost_cli.rows("list", "--all") == []


@pytest.mark.parametrize("levels", DEEP)
def test_a_deep_line_is_refused(ghost_cli: "GhostCli", levels: int) -> None:
    """The line is named, and what stands before it is not imported either."""
    first = line(1).replace("7JVKE", "7JVKF").replace('"k"', '"first"')
    error, _ = ghost_cli.fails(2, "import", input=HEADER + first + line(levels))
    assert error.startswith("line 3")
    assert "nested deeper than 100 levels" in error
    assert ghost_cli.rows("list", "--all") == []


@pytest.mark.parametrize("levels", DEEP)
def test_a_deep_array_is_refused(ghost_cli: "GhostCli", levels: int) -> None:
    """Also where the original kept metadata as a text."""
    row = {"ns": "a", "key": "k", "content": "text", "meta": nested(levels)}
    for text in (
        json.dumps([row]),
        json.dumps([row | {"meta": 0}]).replace(": 0}", f": {nested(levels)}}}"),
    ):
        error, _ = ghost_cli.fails(2, "import", input=text)
        assert "nested deeper than 100 levels" in error
    assert ghost_cli.rows("list", "--all") == []


def test_a_hundred_levels_are_stored(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """They come back as they were, through an export and an import too."""
    ghost_cli.ok("put", "-n", "a", "-k", "k", "--meta", nested(100), "text")
    exported = ghost_cli.ok("export")
    other = ("--db", tmp_path / "other.db")
    ghost_cli.ok(*other, "import", input=exported)
    meta = ghost_cli.row(*other, "get", "-n", "a", "k")["meta"]
    assert json.dumps(meta).replace(" ", "") == nested(100)


def test_metadata_that_holds_itself_is_refused() -> None:
    """The library says so, in no time, however often it does."""
    meta: dict[str, Any] = {}
    meta["again"] = [meta, meta, meta]
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        with pytest.raises(InvalidInputError, match="nested deeper than 100 levels"):
            ghost.put("a", "k", "text", meta=meta)
        assert ghost.list() == []
