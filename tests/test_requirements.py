"""Every requirement of the specification has a test that is marked with its number."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent
REQUIREMENTS = tomllib.loads((TESTS / "requirements.toml").read_text(encoding="utf-8"))


def marked() -> Iterator[str]:
    """Yield the numbers in marks of tests, in cases of files and in sessions."""
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            match node:
                case ast.Call(func=ast.Attribute(attr="requirement"), args=numbers):
                    yield from (
                        number.value for number in numbers if isinstance(number, ast.Constant)
                    )
    for path in TESTS.glob("data/notes/cases/*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from json.loads(line).get("requirements", ())
    for path in TESTS.glob("cli/sessions/*.txt"):
        for numbers in re.findall(r"^requirements: (.+)", path.read_text("utf-8"), re.MULTILINE):
            yield from numbers.split()


def test_every_requirement_has_a_test() -> None:
    """No requirement is without a mark, and no mark is about none."""
    assert set(marked()) == set(REQUIREMENTS)


def test_requirements_are_in_order() -> None:
    """Numbers rise through the file, and each has a text."""
    assert list(REQUIREMENTS) == sorted(REQUIREMENTS)
    assert all(text.strip() for text in REQUIREMENTS.values())
