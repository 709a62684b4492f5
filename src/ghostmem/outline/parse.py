"""From bytes to facts: one file, one parser, and no file that can stop the rest."""

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.base import Language

if TYPE_CHECKING:
    from tree_sitter import Parser

_PROBED = 8000  # bytes of a file that tell whether it is text


def facts_of(language: Language, path: str, source: bytes) -> Facts:
    """Return what a file says; a binary one says nothing."""
    if b"\0" in source[:_PROBED]:
        return Facts(errors=[1])
    tree = _parser(language.name, language, path.rpartition(".")[2]).parse(source)
    return language.extract(tree.root_node, source, path)


@cache
def grammar_version(package: str) -> str:
    """Return which grammar and which parser facts were made with."""
    return f"{package} {version(package)}, tree-sitter {version('tree-sitter')}"


_PARSERS: "dict[tuple[str, str], Parser]" = {}


def _parser(name: str, language: Language, suffix: str) -> "Parser":
    """Return the parser for a kind of file; some languages have several grammars."""
    if (name, suffix) not in _PARSERS:
        from tree_sitter import Language as Grammar
        from tree_sitter import Parser

        _PARSERS[name, suffix] = Parser(Grammar(language.grammar(f"x.{suffix}")))
    return _PARSERS[name, suffix]
