"""Markdown folders are searched and mirrored alike on every engine."""

from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost

NS = "notes:me"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a small folder of notes."""
    root = tmp_path / "vault"
    (root / "trips").mkdir(parents=True)
    (root / "home.md").write_text(
        "# Home\n\nThe kettle is blue. See [[Lisbon]].\n\n## Garden\n\nTomatoes need water.\n",
        encoding="utf-8",
    )
    (root / "trips" / "Lisbon.md").write_text(
        "# Lisbon\n\nThe ferry departs from Cais do Sodré.\n", encoding="utf-8"
    )
    (root / "日本.md").write_text(
        "# 日本\n\n東京の事務所は三月に引っ越しました。\n", encoding="utf-8"
    )
    return root


def test_a_folder_is_searched_and_kept_in_step(ghost: Ghost, folder: Path) -> None:
    """Added, changed, moved and deleted files change what is found, and nothing else does."""
    ghost.notes.add(folder, NS)
    assert ghost.search("ferry Sodré", NS)[0].content.strip().endswith("Cais do Sodré.")
    assert ghost.search("事務所", NS)
    assert ghost.notes.sync()[0].changed == 0
    (folder / "home.md").write_text(
        "# Home\n\nThe kettle is red.\n\n## Garden\n\nTomatoes need water.\n", encoding="utf-8"
    )
    (folder / "trips" / "Lisbon.md").rename(folder / "Lisbon.md")
    report = ghost.notes.sync()[0]
    assert (report.notes, report.changed, report.moved) == (3, 1, 1)
    assert ghost.search("kettle red", NS)
    assert not ghost.search("ferry Sodré", "other")
    (folder / "日本.md").unlink()
    ghost.notes.sync(accept_deletes=True)
    assert not ghost.search("事務所", NS)
    assert [one.root for one in ghost.notes.folders()] == [str(folder)]
    assert ghost.notes.status()
    ghost.notes.rm(folder)
    assert ghost.notes.folders() == []
    assert ghost.list(NS) == []


def test_a_section_is_written_back(ghost: Ghost, folder: Path) -> None:
    """A note's text is replaced where it stands."""
    ghost.notes.add(folder, NS)
    key = next(memory.key for memory in ghost.list(NS, limit=50) if "Tomatoes" in memory.content)
    ghost.notes.write(NS, key, "Beans need sun.")
    assert "Beans need sun." in (folder / "home.md").read_text(encoding="utf-8")
    assert ghost.search("beans sun", NS)


def test_a_namespace_is_mirrored(ghost: Ghost, tmp_path: Path, clock: Any) -> None:
    """Both sides follow each other, and a second look changes nothing."""
    root = tmp_path / "mirror"
    ghost.put(NS, "tea", "Sam drinks green tea.")
    ghost.put(NS, "pot", "The pot is blue.")
    ghost.notes.mirror(root, NS, layout="daily")
    files = sorted(root.rglob("*.md"))
    assert not ghost.notes.mirror(root, NS).is_changed
    clock.forward(minutes=5)
    one = next(file for file in files if "green tea" in file.read_text(encoding="utf-8"))
    one.write_text(one.read_text(encoding="utf-8").replace("green", "white"), encoding="utf-8")
    ghost.notes.mirror(root, NS)
    assert ghost.get(NS, "tea").content.strip() == "Sam drinks white tea."
    ghost.put(NS, "tea", "Sam drinks oolong.")
    ghost.notes.mirror(root, NS)
    assert "oolong" in one.read_text(encoding="utf-8")
    assert ghost.notes.rm(root).mirrored
    assert ghost.notes.mirror(root, f"{NS}:other", layout="daily").to_store


def test_files_become_memories(ghost: Ghost, folder: Path, tmp_path: Path) -> None:
    """ingest makes one of each section, capture finds what is worth keeping."""
    ghost.ingest(folder / "home.md", NS)
    assert ghost.search("tomatoes water", NS)
    ghost.capture(
        "I always deploy on Tuesdays. Remember that the staging key is rotated weekly.", "agent:me"
    )
    assert ghost.admin.stats().total_memories >= 2
