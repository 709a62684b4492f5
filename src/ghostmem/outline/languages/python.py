"""Python: the facts of a file, by walking its statements with their scopes."""

import re
from itertools import islice
from typing import TYPE_CHECKING

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.base import Language

# they add to the kinds of statements and expressions
from ghostmem.outline.languages.python_ import definitions, literals  # noqa: F401
from ghostmem.outline.languages.python_.link import link
from ghostmem.outline.languages.python_.statements import suite
from ghostmem.outline.languages.python_.tables import PythonTables
from ghostmem.outline.languages.shared.syntax import error_places

if TYPE_CHECKING:
    from tree_sitter import Node


def extract(root: "Node", source: bytes, path: str) -> Facts:
    """Return the facts of a file."""
    del path  # names of modules depend on the other files, so that linking finds them
    t = PythonTables(source)
    suite(t, root)
    broken = error_places(root, lambda node: t.line(node.start_byte))
    t.facts.errors = sorted({*t.facts.errors, *broken})
    return t.finish()


# `/ *` and the like as a line of its own: at the end of the file the parser's recovery takes memory
# by the square of their number
_STRAY = re.compile(rb"[/%&|^](?:[\s\\]|#[^\n]*\n)*\*(?!\*)[ \t\r\f]*(?=[\n#/%&|^]|\Z)")
_MAX_STRAY = 400  # some 100 MB


def _refuse(source: bytes) -> str:
    found = sum(1 for _ in islice(_STRAY.finditer(source), _MAX_STRAY + 1))
    return (
        f"has more than {_MAX_STRAY} lines with nothing but operators, which the parser "
        "cannot cope with" * (found > _MAX_STRAY)
    )


def _grammar(_path: str) -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


LANGUAGE = Language(
    name="python",
    suffixes=(".py", ".pyi", ".pyw"),
    grammar=_grammar,
    package="tree-sitter-python",
    version=5,
    extract=extract,
    link=link,
    refuse=_refuse,
)
