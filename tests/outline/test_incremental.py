"""The cache: whatever happens to the files, what comes out is what a fresh store says, byte for byte"""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

PIECES = {
    "py": [
        "import {other}\n\n\ndef {name}(x):\n    return {other}.run(x)\n",
        "class {name}:\n    def run(self):\n        return self.stop()\n\n    def stop(self):\n        return 1\n",
        "from {other} import *\n\nLIMIT = 3\n\n\ndef run(x):\n    return LIMIT + x\n",
        "def run(x):\n    def inner():\n        return run(x)\n\n    return inner()\n",
        "def broken(:\n    return\n",
        "",
    ],
    "go": [
        "package main\n\nfunc {name}() int {{ return run() }}\n",
        "package main\n\ntype {name} struct{{}}\n\nfunc (t *{name}) Run() int {{ return helper() }}\n",
        "package main\n\nvar limit = 3\n\nfunc run() int {{ return limit }}\n",
        "package main\n\nfunc helper() int {{ limit += 1; return run() }}\n",
        "package main\n\nfunc broken( {{\n",
    ],
}
LANGUAGES = {"py": "python", "go": "go"}


class Project:
    """A project that changes at random, and what two stores say about it."""

    def __init__(self, root: Path, suffix: str, seed: int) -> None:
        self.root, self.suffix, self.random = root, suffix, random.Random(seed)
        self.past: list[tuple[Path, str]] = []
        root.mkdir()
        for _ in range(3):
            self.write()

    def files(self) -> list[Path]:
        """Return the files there are."""
        return sorted(self.root.rglob(f"*.{self.suffix}"))

    def text(self) -> str:
        """Return a text that somebody might write."""
        return self.random.choice(PIECES[self.suffix]).format(
            name=self.random.choice(["Alpha", "Beta", "alpha"]), other=self.name()
        )

    def name(self) -> str:
        """Return the name of a module."""
        return self.random.choice(["one", "two", "three", "four"])

    def write(self) -> None:
        """Write a file anew, or another one over it."""
        path = self.root / self.random.choice(["", "pkg/"]) / f"{self.name()}.{self.suffix}"
        path.parent.mkdir(exist_ok=True)
        if path.exists():
            self.past.append((path, path.read_text(encoding="utf-8")))
        path.write_text(self.text(), encoding="utf-8")

    def step(self) -> None:
        """Edit, rename, delete, copy or take back."""
        files = self.files()
        match self.random.choice(["write", "write", "rename", "delete", "copy", "revert", "touch"]):
            case "rename" if files:
                os.replace(self.random.choice(files), self.root / f"{self.name()}.{self.suffix}")
            case "delete" if len(files) > 1:
                self.random.choice(files).unlink()
            case "copy" if files:
                copy = self.root / f"{self.name()}{self.random.randrange(3)}.{self.suffix}"
                copy.write_bytes(self.random.choice(files).read_bytes())
            case "revert" if self.past:
                path, text = self.past.pop()
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            case "touch" if files:
                os.utime(self.random.choice(files), (1, self.random.randrange(10**9)))
            case _:
                self.write()


def said(ghost: Ghost, root: Path, language: str) -> str:
    """Return everything that is said about a project, but how much of it was cached."""
    made = ghost.outline_project(language, root=root, depth=3, max_nodes=5000)
    data = dict(made.data)
    data["stats"] = {name: value for name, value in data["stats"].items() if name not in ("parsed", "cached")}
    return made.text + json.dumps(data, ensure_ascii=False)


def fresh(root: Path, language: str) -> str:
    """Return what a store says that has never seen the project."""
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        return said(ghost, root, language)


@pytest.mark.parametrize("suffix", sorted(PIECES))
@pytest.mark.parametrize("start", range(0, 100, 20))
def test_incremental_is_fresh(tmp_path: Path, suffix: str, start: int) -> None:
    """After each of some random steps the old store and a new one say the same: 200 sequences, 100 a language."""
    language = LANGUAGES[suffix]
    for seed in range(start, start + 20):
        project = Project(tmp_path / f"project-{seed}", suffix, seed)
        with Ghost.open(tmp_path / f"{seed}.db", settings=Settings(embed_provider="none", synchronous="normal")) as ghost:
            for _ in range(4):
                for _ in range(project.random.randrange(1, 4)):
                    project.step()
                assert said(ghost, project.root, language) == fresh(project.root, language), (seed, project.files())


@pytest.mark.parametrize("suffix", sorted(PIECES))
def test_the_hash_seed_changes_nothing(tmp_path: Path, suffix: str) -> None:
    """Sets and dictionaries must not decide the order of anything."""
    project = Project(tmp_path / "project", suffix, 7)
    for _ in range(6):
        project.write()
    code = (
        "import sys; from ghostmem import Ghost, Settings\n"
        "with Ghost.open(':memory:', settings=Settings(embed_provider='none')) as ghost:\n"
        "    print(ghost.outline_project(sys.argv[1], root=sys.argv[2], depth=3).text)"
    )
    command = [sys.executable, "-c", code, LANGUAGES[suffix], str(project.root)]
    outputs = {
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(outputs) == 1


def test_nothing_changed_means_nothing_parsed(tmp_path: Path) -> None:
    """A second look takes everything from the cache; one edit is one file parsed; a copy is none."""
    root = tmp_path / "project"
    root.mkdir()
    for name in ("one", "two", "three"):
        (root / f"{name}.py").write_text(f"def {name}():\n    return 1\n", encoding="utf-8")
    with Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost:
        counts = lambda: [ghost.outline_project("python", root=root).data["stats"][name] for name in ("parsed", "cached")]  # noqa: E731
        assert ghost.outline_project("python", root=root).data["stats"]["parsed"] == 3
        assert counts() == [0, 3]
        (root / "two.py").write_text("def two():\n    return 2\n", encoding="utf-8")
        assert ghost.outline_project("python", root=root).data["stats"]["parsed"] == 1
        shutil.copy(root / "two.py", root / "four.py")
        assert ghost.outline_project("python", root=root).data["stats"]["parsed"] == 0


def test_a_damaged_cache_is_made_anew(tmp_path: Path) -> None:
    """What cannot be read in the cache is parsed again, and nobody notices."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "one.py").write_text("def one():\n    return one()\n", encoding="utf-8")
    with Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost:
        before = said(ghost, root, "python")
        with ghost.store.engine.write() as tx:
            tx.db.execute("UPDATE outline_facts SET facts = x'00'")
        assert said(ghost, root, "python") == before


def test_a_store_that_cannot_be_written_answers_all_the_same(tmp_path: Path) -> None:
    """The cache is a convenience."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "one.py").write_text("def one():\n    return one()\n", encoding="utf-8")
    expected = fresh(root, "python")
    with Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost:
        ghost.store.engine.read_only = True
        assert said(ghost, root, "python") == expected


def test_what_no_file_says_any_more_goes_with_the_next_gc(tmp_path: Path) -> None:
    """The cache does not grow for ever."""
    root = tmp_path / "project"
    root.mkdir()
    with Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost:
        for number in range(5):
            (root / "one.py").write_text(f"def one():\n    return {number}\n", encoding="utf-8")
            ghost.outline_project("python", root=root)

        def kept() -> int:
            with ghost.store.engine.read() as tx:
                return int(tx.db.execute("SELECT count(*) FROM outline_facts").get)

        assert kept() == 5
        ghost.gc()
        assert kept() == 1
