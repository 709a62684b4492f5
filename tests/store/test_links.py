"""A store with two names: SQLite keeps a log for each, so neither is written."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ghostmem import EngineError, Ghost

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the modes are those of Unix")

NS = "agent:a"
Open = Callable[..., Ghost]


def test_a_store_with_two_hard_links_is_refused(open_ghost: Open, tmp_path: Path) -> None:
    """Opened under either name it is left alone; with one name again it opens, whole."""
    ghost = open_ghost("m.db")
    ghost.put(NS, "k", "text")
    os.link(tmp_path / "m.db", tmp_path / "other.db")
    ghost.put(NS, "more", "it goes on where it is open")
    ghost.close()
    before = (tmp_path / "m.db").read_bytes()
    for name in ("m.db", "other.db"):
        with pytest.raises(EngineError, match=f"{name} has 2 hard links") as caught:
            open_ghost(name)
        assert "ghost backup" in caught.value.hint
    assert (tmp_path / "m.db").read_bytes() == before
    assert sorted(path.name for path in tmp_path.glob("*.db*")) == ["m.db", "other.db"]
    os.remove(tmp_path / "other.db")
    again = open_ghost("m.db")
    assert {memory.key for memory in again.list(NS)} == {"k", "more"}
    assert again.admin.check().ok


def test_a_symbolic_link_is_no_second_name(open_ghost: Open, tmp_path: Path) -> None:
    """SQLite follows it, and both names share one log."""
    one = open_ghost("m.db")
    os.symlink(tmp_path / "m.db", tmp_path / "other.db")
    two = open_ghost("other.db")
    one.put(NS, "one", "text")
    two.put(NS, "two", "text")
    assert len(one.list(NS)) == len(two.list(NS)) == 2
