"""Real sentences to store, from the documentation of Python and packages, equal in every run."""

import ast
import os
import re
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_QUOTED = re.compile(r'"""(.+?)"""', re.DOTALL)


def sentences(count: int) -> list[str]:
    """Return `count` different texts of one to a few sentences, 40 to 600 characters each."""
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


def many_sentences(count: int) -> list[str]:
    """Return `count` different sentences, 30 to 400 characters each, from installed packages."""
    found: dict[str, None] = {}
    for text in _documents():
        for paragraph in text.split("\n\n"):
            for sentence in _SENTENCE.split(" ".join(paragraph.split())):
                if (
                    30 <= len(sentence) <= 400
                    and sentence[0].isupper()
                    and sentence[-1] in ".!?"
                    and ">>>" not in sentence
                ):
                    found[sentence] = None
        if len(found) >= count:
            return list(found)[:count]
    raise ValueError(
        f"the installed documentation has only {len(found)} sentences, not {count}: "
        "install more packages"
    )


def _documents() -> Iterator[str]:
    """Yield docstrings of the standard library and of packages, then the packages' documents."""
    library, packages = Path(os.__file__).parent, Path(sysconfig.get_path("purelib"))
    roots = (packages,) if packages.is_relative_to(library) else (library, packages)
    for root in (library, *roots[1:]):
        for path in sorted(root.rglob("*.py")):
            yield from _QUOTED.findall(path.read_text(encoding="utf-8", errors="ignore"))
    for root in roots:
        for path in sorted(
            path for name in ("METADATA", "*.rst", "*.md", "*.txt") for path in root.rglob(name)
        ):
            yield path.read_text(encoding="utf-8", errors="ignore")
