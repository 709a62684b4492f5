"""Real sentences to store: the documentation of Python's standard library, the same in every run."""

import ast
import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def sentences(count: int) -> list[str]:
    """Return so many different texts of one to a few sentences, 40 to 600 characters each."""
    found: dict[str, None] = {}
    for text in _paragraphs():
        parts = _SENTENCE.split(text)
        for start in range(0, len(parts), 2):
            piece = " ".join(parts[start : start + 2])
            if 40 <= len(piece) <= 600:
                found[piece] = None
            if len(found) == count:
                return list(found)
    raise ValueError(f"the standard library has only {len(found)} texts, not {count}")


def _paragraphs() -> Iterator[str]:
    """Yield the paragraphs of every docstring, with their lines joined."""
    for path in sorted(Path(os.__file__).parent.rglob("*.py")):
        if "site-packages" in path.parts or "test" in path.parts:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                    yield " ".join(paragraph.split())
