"""Keep requirements.toml honest: well formed, and every test it names exists."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "tests" / "requirements.toml"
SOURCES = frozenset({"000", "001", "002", "003", "004"})
STEPS = range(1, 13)
ID = re.compile(r"(\d{3})-\d{3}")


@dataclass(frozen=True)
class Requirement:
    """One entry of requirements.toml."""

    id: str
    source: str
    step: int
    text: str
    tests: list[str]


@cache
def _document() -> dict[str, Any]:
    """Parse requirements.toml."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def requirements() -> list[Requirement]:
    """Return all requirements in the order of the file."""
    return [Requirement(**entry) for entry in _document()["requirement"]]


def finished_steps() -> frozenset[int]:
    """Return the numbers of the finished steps."""
    return frozenset(_document()["finished"])


def required_tests() -> dict[str, list[str]]:
    """Map each listed test, without its parametrisation, to the ids of the requirements it proves."""
    found: dict[str, list[str]] = {}
    for requirement in requirements():
        for node in dict.fromkeys(map(_plain, requirement.tests)):
            found.setdefault(node, []).append(requirement.id)
    return found


def _plain(node: str) -> str:
    """Return a node id without its parametrisation."""
    return node.partition("[")[0]


def _exists(node: str, root: Path = ROOT) -> bool:
    """Tell whether pytest would find the test in the named file."""
    path, _, name = _plain(node).partition("::")
    return name in _tests_in(root / path)


@cache
def _tests_in(path: Path) -> frozenset[str]:
    """Return the names of a file's tests as they stand in node ids, after the path."""
    if path.suffix != ".py" or not path.is_file():
        return frozenset()
    return frozenset(_names(ast.parse(path.read_text(encoding="utf-8")).body))


def _names(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the names of the tests that the statements define."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name.startswith("test"):
                    yield name
            case ast.ClassDef(name=name, body=inner):
                yield from (f"{name}::{test}" for test in _names(inner))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(attr="TestCase")):
                yield f"{name}::runTest"


def test_every_requirement_is_well_formed() -> None:
    """Each entry has exactly the five fields, with values that make sense."""
    wrong = [
        requirement.id
        for requirement in requirements()
        if (match := ID.fullmatch(requirement.id)) is None
        or match[1] != requirement.source
        or requirement.source not in SOURCES
        or requirement.step not in STEPS
        or not requirement.text.strip()
        or len(set(requirement.tests)) < len(requirement.tests)
    ]
    assert wrong == []


def test_ids_are_unique_and_in_order() -> None:
    """Ids rise through the file, so none is there twice, and every source has some."""
    ids = [requirement.id for requirement in requirements()]
    assert ids == sorted(set(ids))
    assert {requirement.source for requirement in requirements()} == SOURCES


def test_every_listed_test_exists() -> None:
    """No requirement leans on a test that is not there."""
    missing = {node: ids for node, ids in required_tests().items() if not _exists(node)}
    assert missing == {}


def test_finished_steps_have_no_untested_requirement() -> None:
    """A finished step has at least one test for each of its requirements."""
    finished = finished_steps()
    assert finished <= set(STEPS)
    assert [r.id for r in requirements() if r.step in finished and not r.tests] == []


def test_existence_is_judged_by_what_pytest_would_collect(tmp_path: Path) -> None:
    """Functions, methods, parametrised ids and state machines are found; anything else is not."""
    (tmp_path / "test_x.py").write_text(
        "def test_a(): ...\n"
        "async def test_b(): ...\n"
        "def helper(): ...\n"
        "class TestC:\n    def test_d(self): ...\n"
        "TestE = Machine.TestCase\n",
        encoding="utf-8",
    )
    there = ["test_a", "test_a[x::y-1]", "test_b", "TestC::test_d", "TestE::runTest"]
    absent = ["", "test_z", "helper", "test_d", "TestC", "TestC::test_a", "TestZ::runTest"]
    assert [name for name in there if not _exists(f"test_x.py::{name}", tmp_path)] == []
    assert [name for name in absent if _exists(f"test_x.py::{name}", tmp_path)] == []
    assert not _exists("test_x.py", tmp_path)
    assert not _exists("test_y.py::test_a", tmp_path)
