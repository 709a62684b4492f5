"""The cache: whatever happens to the files, what comes out is what a fresh store says of a fresh copy, byte for byte"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.errors import NotFoundError
from ghostmem.outline.languages.table import LANGUAGES
from ghostmem.settings import Settings

# what a file may say: of {name} and {other}, each a bare name; the last one of each language is broken
PIECES = {
    "python": [
        "import {other}\n\n\ndef {name}(x):\n    return {other}.run(x)\n",
        "class {name}:\n    def run(self):\n        return self.stop()\n\n    def stop(self):\n        return 1\n",
        "from {other} import *\n\nLIMIT = 3\n\n\ndef run(x):\n    return LIMIT + x\n",
        "def run(x):\n    def inner():\n        return run(x)\n\n    return inner()\n",
        "from pkg.{other} import {name}\n\n{name}().run()\n",
        "",
        "def broken(:\n    return\n",
    ],
    "go": [
        "package main\n\nfunc {name}() int {{ return run() }}\n",
        "package main\n\ntype {name} struct{{}}\n\nfunc (t *{name}) Run() int {{ return helper() }}\n",
        "package main\n\nvar limit = 3\n\nfunc run() int {{ return limit }}\n",
        "package main\n\nfunc helper() int {{ limit += 1; return run() }}\n",
        'package main\n\nimport "shop/pkg"\n\nfunc main() {{ pkg.{name}(); new({name}).Run() }}\n',
        "package pkg\n\nfunc {name}() int {{ return {other}() }}\n\nfunc {other}() int {{ return 1 }}\n",
        "package main\n\nfunc broken( {{\n",
    ],
    "typescript": [
        "import {{ {name} }} from './{other}';\n\nexport function run() {{ return new {name}().run(); }}\n",
        "export class {name} {{ run() {{ return this.stop(); }} stop() {{ return 1; }} }}\n",
        "export * from './{other}';\nexport const limit = 3;\n",
        "function broken( {{\n",
    ],
    "javascript": [
        "const {other} = require('./{other}');\n\nexports.run = function () {{ return {other}.{name}(); }};\n",
        "class {name} {{ run() {{ return this.stop(); }} stop() {{ return 1; }} }}\nmodule.exports = {{ {name} }};\n",
        "function broken( {{\n",
    ],
    "rust": [
        "use crate::{other}::{name};\n\npub fn run() -> i32 {{ {name}::new().stop() }}\n",
        "pub struct {name};\nimpl {name} {{ pub fn new() -> Self {{ {name} }} pub fn stop(&self) -> i32 {{ run() }} }}\nfn run() -> i32 {{ 1 }}\n",
        "mod one;\nmod two;\npub use two::*;\nfn main() {{ one::run(); }}\n",
        "fn broken( {{\n",
    ],
    "java": [
        "package pkg;\n\nclass {name} {{ int run() {{ return new {other}().run(); }} }}\n",
        "package pkg;\n\nclass {other} extends {name} {{ int run(int x) {{ return run(); }} }}\n",
        "class broken( {{\n",
    ],
    "c": [
        '#include "{other}.h"\n\nint {name}(void) {{ return run(); }}\n',
        "static int limit = 3;\nint run(void) {{ limit += 1; return limit; }}\n",
        "int broken( {{\n",
    ],
    "cpp": [
        '#include "{other}.hpp"\n\nint {name}::run() {{ return stop(); }}\n',
        "struct {name} {{ int run(); int stop() {{ return 1; }} }};\n",
        "int broken( {{\n",
    ],
    "ruby": [
        "require '{other}'\nclass {name} < {other}\nend\n",
        "module {name}\n  class {other}\n  end\nend\n",
        "class\n",
    ],
    "csharp": [
        "namespace P {{ class {name} : {other} {{ }} }}\n",
        "using P;\nclass {other} {{ class {name} {{ }} }}\n",
        "class {{\n",
    ],
    "php": [
        "<?php\nuse P\\{name};\nclass {other} extends {name} {{ }}\n",
        "<?php\nnamespace P;\nclass {name} {{ }}\n",
        "<?php class {{\n",
    ],
    "kotlin": [
        "import p.{name}\nclass {other} : {name}() {{ }}\n",
        "package p\n\nopen class {name} {{ }}\n",
        "class {{\n",
    ],
}
SUFFIX = {
    "python": "py",
    "go": "go",
    "typescript": "ts",
    "javascript": "js",
    "rust": "rs",
    "java": "java",
    "c": "c",
    "cpp": "cpp",
    "ruby": "rb",
    "csharp": "cs",
    "php": "php",
    "kotlin": "kt",
}
ALSO = {
    "go.mod": ("module shop\n", "module other\n"),
    "Cargo.toml": ('[package]\nname = "shop"\n', '[package]\nname = "other"\n'),
}
NAMES = ("one", "two", "three", "Alpha", "Beta", "alpha")
STEPS = (
    "write",
    "write",
    "write",
    "rename",
    "delete",
    "copy",
    "revert",
    "touch",
    "stealth",
    "also",
    "restart",
)
Step = tuple[str, int, int, int]


class Project:
    """A project that changes, and what it was before."""

    def __init__(self, root: Path, language: str) -> None:
        self.root, self.language = root, language
        self.past: list[tuple[Path, bytes]] = []
        root.mkdir(parents=True)
        (root / "go.mod").write_text(ALSO["go.mod"][0], encoding="utf-8")
        for number in range(3):
            self.write(number, number, number)

    def files(self) -> list[Path]:
        """Return the source files there are."""
        return sorted(self.root.rglob(f"*.{SUFFIX[self.language]}"))

    def place(self, number: int) -> Path:
        """Return a path, at the top or in a folder."""
        path = (
            self.root
            / ("", "pkg", "src")[number // 3 % 3]
            / f"{NAMES[number % 3]}.{SUFFIX[self.language]}"
        )
        path.parent.mkdir(exist_ok=True)
        return path

    def text(self, which: int, names: int) -> str:
        """Return a text that somebody might write."""
        pieces = PIECES[self.language]
        return pieces[which % len(pieces)].format(
            name=NAMES[names % len(NAMES)], other=NAMES[names // 2 % len(NAMES)]
        )

    def write(self, where: int, which: int, names: int) -> None:
        """Write a file anew, or another one over it."""
        path = self.place(where)
        if path.exists():
            self.past.append((path, path.read_bytes()))
        path.write_text(self.text(which, names), encoding="utf-8")

    def step(self, what: str, one: int, two: int, three: int) -> None:
        """Edit, rename, delete, copy, take back, or change so that neither size nor time tells."""
        files = self.files()
        file = files[one % len(files)] if files else self.place(one)
        match what:
            case "rename" if files:
                os.replace(file, self.place(two))
            case "delete" if files:
                self.past.append((file, file.read_bytes()))
                file.unlink()
            case "copy" if files:
                shutil.copy2(file, self.place(two)) if file != self.place(two) else None
            case "revert" if self.past:
                path, content = self.past.pop()
                path.write_bytes(content)
            case "touch" if files:
                os.utime(file, ns=(0, two * 10**9))
            case "stealth" if files:
                self.past.append((file, file.read_bytes()))
                times = file.stat().st_mtime_ns
                file.write_bytes(file.read_bytes().replace(b"run", b"nur"))
                os.utime(file, ns=(times, times))
            case "also":
                name = sorted(ALSO)[one % len(ALSO)]
                (self.root / name).write_text(ALSO[name][two % 2], encoding="utf-8")
            case _:
                self.write(one, two, three)


def told(data: dict[str, Any]) -> str:
    """Return an outline's data as JSON, without how much of it was cached and where it lies."""
    stats = {
        name: value for name, value in data["stats"].items() if name not in ("parsed", "cached")
    }
    return json.dumps({**data, "root": "", "stats": stats}, ensure_ascii=False)


def said(ghost: Ghost, root: Path, language: str) -> str:
    """Return everything that is said about a project and some of its symbols."""
    made = [ghost.outline.project(language=language, root=root, depth=3, max_nodes=5000)]
    for symbol in ("run", "Alpha"):
        try:
            made.append(ghost.outline.symbol(symbol, language=language, root=root))
        except NotFoundError as error:
            made[0].data["symbol"] = str(error).replace(str(root), "")
    return "\n".join(one.text.replace(str(root), "") + told(one.data) for one in made)


def opened(path: str | Path = ":memory:") -> Ghost:
    """Open a store."""
    return Ghost.open(path, settings=Settings(embed_provider="none", synchronous="normal"))


def fresh(root: Path, language: str, order: random.Random | None = None) -> str:
    """Return what a store that is new says of a copy that was written in another order."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(os.path.realpath(folder)) / root.name
        files = sorted(path for path in root.rglob("*") if path.is_file())
        (order or random.Random(7)).shuffle(files)
        for path in files:
            place = copy / path.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
        with opened() as ghost:
            return said(ghost, copy, language)


@contextmanager
def somewhere() -> Iterator[Path]:
    """Give a folder for one example."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(os.path.realpath(folder))


def follow(language: str, steps: list[Step]) -> None:
    """Take steps one by one; after each one the old store and a new one must say the same."""
    with somewhere() as folder:
        project = Project(folder / "project", language)
        ghost = opened(folder / "store.db")
        try:
            said(ghost, project.root, language)
            for what, *numbers in steps:
                if what == "restart":  # as a new process finds it: only what the store holds
                    ghost.close()
                    ghost = opened(folder / "store.db")
                else:
                    project.step(what, *numbers)
                assert said(ghost, project.root, language) == fresh(project.root, language)
        finally:
            ghost.close()


def steps(most: int) -> st.SearchStrategy[list[Step]]:
    """Return sequences of steps."""
    numbers = [st.integers(0, 17) for _ in range(3)]
    return st.lists(st.tuples(st.sampled_from(STEPS), *numbers), min_size=1, max_size=most)


@pytest.mark.wide
@settings(max_examples=100)
@given(steps(5))
def test_incremental_is_fresh_python(taken: list[Step]) -> None:
    """100 sequences of edits, renames, deletions and reverts."""
    follow("python", taken)


@pytest.mark.wide
@settings(max_examples=100)
@given(steps(5))
def test_incremental_is_fresh_go(taken: list[Step]) -> None:
    """100 sequences of edits, renames, deletions and reverts."""
    follow("go", taken)


@pytest.mark.wide
@settings(max_examples=50)
@given(st.sampled_from(sorted(set(LANGUAGES) - {"python", "go"})), steps(5))
def test_incremental_is_fresh_elsewhere(language: str, taken: list[Step]) -> None:
    """50 sequences over the other languages."""
    follow(language, taken)


def test_every_language_takes_part() -> None:
    """A new language needs pieces here."""
    assert set(PIECES) == set(SUFFIX) == set(LANGUAGES)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with files of every language."""
    root = tmp_path_factory.mktemp("everything") / "project"
    for number, language in enumerate(sorted(PIECES)):
        project = Project(root / language, language)
        for one in range(8):
            project.write(one, one + number, 3 * one)
    return root


@pytest.fixture(scope="module")
def by_seed(everything: Path) -> list[dict[str, str]]:
    """Return what processes with different hash seeds say, by language."""
    code = (
        "import json, sys; from ghostmem import Ghost, Settings\n"
        "with Ghost.open(':memory:', settings=Settings(embed_provider='none')) as ghost:\n"
        "    made = {one: ghost.outline.project(one, root=f'{sys.argv[1]}/{one}', depth=3) for one in sys.argv[2:]}\n"
        "print(json.dumps({one: made[one].text + json.dumps(made[one].data) for one in made}))\n"
    )
    command = [sys.executable, "-c", code, str(everything), *sorted(PIECES)]
    env = {**os.environ, "GHOST_EMBED_PROVIDER": "none"}
    return [
        json.loads(
            subprocess.run(
                command, env={**env, "PYTHONHASHSEED": seed}, capture_output=True, check=True
            ).stdout
        )
        for seed in ("0", "1", "4711")
    ]


@pytest.mark.process
@pytest.mark.parametrize("language", sorted(PIECES))
def test_the_hash_seed_changes_nothing(by_seed: list[dict[str, str]], language: str) -> None:
    """Sets and dictionaries must not decide the order of anything."""
    assert by_seed[0][language] == by_seed[1][language] == by_seed[2][language]


@pytest.mark.wide(keep=5)
@pytest.mark.parametrize("language", sorted(PIECES))
def test_the_order_of_files_changes_nothing(everything: Path, language: str) -> None:
    """Neither the order in which files were written, nor the one in which a folder lists them."""
    one, two, three = (
        fresh(everything / language, language, random.Random(seed)) for seed in range(3)
    )
    assert one == two == three


def test_nothing_changed_means_nothing_parsed(tmp_path: Path) -> None:
    """A second look takes everything from the cache; one edit is one file parsed; a copy is none."""
    root = tmp_path / "project"
    root.mkdir()
    for name in ("one", "two", "three"):
        (root / f"{name}.py").write_text(f"def {name}():\n    return 1\n", encoding="utf-8")
    with Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost:

        def counts() -> list[int]:
            stats = ghost.outline.project(language="python", root=root).data["stats"]
            return [stats["parsed"], stats["cached"]]

        assert ghost.outline.project(language="python", root=root).data["stats"]["parsed"] == 3
        assert counts() == [0, 3]
        (root / "two.py").write_text("def two():\n    return 2\n", encoding="utf-8")
        assert ghost.outline.project(language="python", root=root).data["stats"]["parsed"] == 1
        shutil.copy(root / "two.py", root / "four.py")
        assert ghost.outline.project(language="python", root=root).data["stats"]["parsed"] == 0


def test_a_damaged_cache_is_made_anew(tmp_path: Path) -> None:
    """What cannot be read in the cache is parsed again, and nobody notices."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "one.py").write_text("def one():\n    return one()\n", encoding="utf-8")
    with Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost:
        before = said(ghost, root, "python")
        with ghost.store.engine.write() as tx:
            tx.db.execute("UPDATE outline_facts SET facts = x'00'")
            tx.db.execute("UPDATE outline_graphs SET version = 'of another program'")
        assert said(ghost, root, "python") == before


def test_what_no_file_says_any_more_goes_with_the_next_gc(tmp_path: Path) -> None:
    """The cache does not grow for ever."""
    root = tmp_path / "project"
    root.mkdir()
    with Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost:
        for number in range(5):
            (root / "one.py").write_text(f"def one():\n    return {number}\n", encoding="utf-8")
            ghost.outline.project(language="python", root=root)

        def kept() -> int:
            with ghost.store.engine.read() as tx:
                return int(tx.db.execute("SELECT count(*) FROM outline_facts").get)

        assert kept() == 5
        ghost.lifecycle.gc()
        assert kept() == 1


def test_an_edit_that_neither_size_nor_time_tells_is_seen(tmp_path: Path) -> None:
    """A tool may put a file's time back; the system still knows that it was changed."""
    root = tmp_path / "project"
    root.mkdir()
    path = root / "one.py"
    path.write_text("def one():\n    return 1\n", encoding="utf-8")
    os.utime(path, (1, 1))
    with opened(tmp_path / "store.db") as ghost:
        said(ghost, root, "python")
        path.write_text("def two():\n    return 1\n", encoding="utf-8")
        os.utime(path, (1, 1))
        assert said(ghost, root, "python") == fresh(root, "python")
