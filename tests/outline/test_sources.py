"""Which files of a project are read: git's, or all that are no machine's; and none outside of it"""

import os
import subprocess
from pathlib import Path

import pytest

from ghostmem import Ghost, NotFoundError
from ghostmem.outline.sources import MAX_FILE_BYTES, inside, sources
from ghostmem.settings import Settings


def write(root: Path, *names: str) -> None:
    """Write files of one line each."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", encoding="utf-8")


def git(root: Path, *words: str) -> None:
    """Run git, with no settings but ours."""
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, env=env)


def test_a_plain_folder_without_what_machines_write(tmp_path: Path) -> None:
    """Everything of the language, but for what is installed, built or hidden."""
    write(
        tmp_path,
        "a.py",
        "b/c.py",
        "b/c.js",
        "node_modules/x.py",
        "venv/y.py",
        ".hidden/z.py",
        "b/__pycache__/c.py",
        "vendor/v.py",
    )
    assert list(sources(tmp_path, (".py",))[0]) == ["a.py", "b/c.py"]


def test_a_repository_is_what_git_says(tmp_path: Path) -> None:
    """Tracked files and new ones, but not what is ignored."""
    write(tmp_path, "a.py", "new.py", "ignored.py", "deep/kept.py", "vendor/v.py")
    (tmp_path / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "a.py", "deep", "vendor")
    assert list(sources(tmp_path, (".py",))[0]) == ["a.py", "deep/kept.py", "new.py"]
    assert list(sources(tmp_path / "deep", (".py",))[0]) == ["kept.py"]


def test_links_and_large_files_are_left_out_with_a_reason(tmp_path: Path) -> None:
    """Nobody follows a link out of a project, or in circles."""
    root, away = tmp_path / "root", tmp_path / "away"
    write(root, "a.py")
    write(away, "secret.py")
    (root / "link.py").symlink_to(away / "secret.py")
    (root / "folder").symlink_to(away)
    (root / "loop").symlink_to(root)
    (root / "large.py").write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    files, skipped = sources(root, (".py",))
    assert list(files) == ["a.py"]
    assert set(skipped) == {"link.py", "large.py"}
    assert "link" in skipped["link.py"]


def test_a_file_inside_is_known_by_its_path(tmp_path: Path) -> None:
    """Also when it is written in a roundabout way."""
    write(tmp_path, "b/c.py")
    (tmp_path / "link.py").symlink_to("b/c.py")
    assert (
        inside(tmp_path, "b/c.py")
        == inside(tmp_path, "./b//c.py")
        == inside(tmp_path, "b\\c.py")
        == inside(tmp_path, "b/../b/c.py")
        == inside(tmp_path, "link.py")
        == inside(tmp_path, str(tmp_path / "b" / "c.py"))
        == "b/c.py"
    )
    with pytest.raises(NotFoundError, match="no file"):
        inside(tmp_path, "b/d.py")


def test_suffixes_in_upper_case(tmp_path: Path) -> None:
    """Files of other systems have names in upper case; they are outlined like all others."""
    (tmp_path / "MAIN.PY").write_text("def f():\n    pass\n", encoding="utf-8")
    (tmp_path / "VIEW.TSX").write_text("const View = () => <a />;\n", encoding="utf-8")
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        names = [one["name"] for one in ghost.outline.project(root=tmp_path).data["matches"]]
        file = ghost.outline.file("MAIN.PY", root=tmp_path).data["matches"][0]
    assert names == ["MAIN.f", "VIEW#View"]
    assert file["file"] == "MAIN.PY"
