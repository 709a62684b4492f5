"""Python: what a file says, by walking its statements with their scopes."""

from typing import TYPE_CHECKING

from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import FORWARD
from ghostmem.outline.languages import python_definitions  # noqa: F401  # adds functions and classes to the statements
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.python_link import link
from ghostmem.outline.languages.python_statements import suite
from ghostmem.outline.languages.python_tables import Tables

if TYPE_CHECKING:
    from tree_sitter import Node


def extract(root: "Node", source: bytes, path: str) -> Facts:
    """Return what a file says."""
    del path  # names of modules depend on the other files, so that linking finds them
    t = Tables(source)
    suite(t, root)
    if root.has_error:
        _errors(t, root)
    return t.finish()


def _errors(t: Tables, root: "Node") -> None:
    stack, lines = [root], set(t.facts.errors)
    while stack and len(lines) < 100:
        node = stack.pop()
        if node.is_error or node.is_missing:
            lines.add(node.start_point[0] + 1)
        elif node.has_error:
            stack.extend(node.children)
    t.facts.errors = sorted(lines)


def _grammar(_path: str) -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


LANGUAGE = Language(
    name="python",
    aliases=("py",),
    suffixes=(".py", ".pyi", ".pyw"),
    grammar=_grammar,
    package="tree-sitter-python",
    version=1,
    extract=extract,
    link=link,
    kinds=FORWARD,
)
