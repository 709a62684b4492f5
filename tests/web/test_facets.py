"""Counts beside the results of the viewer"""

from pathlib import Path

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.web.shape import facets


def test_facets_count_what_a_list_returns(tmp_path: Path) -> None:
    """Namespaces, kinds and tags are counted under the same filters; deleted memories are not."""
    with Ghost.open(str(tmp_path / "f.db"), settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a", "one", "First.", kind="semantic", tags=["x", "y"])
        ghost.put("a", "two", "Second.", kind="procedural", tags=["x", "locked"])
        ghost.put("b", "three", "Third.", kind="semantic", tags=["y"])
        ghost.put("b", "four", "Fourth.", kind="semantic", tags=["x"])
        ghost.rm("b", "four")
        everything = facets(ghost.store)
        narrowed = facets(ghost.store, "a", tags=["x"], kind="semantic")
    assert everything == {
        "total": 3,
        "namespaces": [{"name": "a", "count": 2}, {"name": "b", "count": 1}],
        "kinds": [{"name": "semantic", "count": 2}, {"name": "procedural", "count": 1}],
        "tags": [{"name": "x", "count": 2}, {"name": "y", "count": 2}],
    }
    assert narrowed["total"] == 1
    assert narrowed["tags"] == [{"name": "x", "count": 1}, {"name": "y", "count": 1}]
