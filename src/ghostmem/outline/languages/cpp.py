"""C++."""

import tree_sitter_cpp
from tree_sitter import Node

from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import FORWARD
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.cfamily_.extract import extract
from ghostmem.outline.languages.cfamily_.link import link_cpp


def _extract(root: Node, source: bytes, _path: str) -> Facts:
    return extract(root, source, tree_sitter_cpp.language())


LANGUAGE = Language(
    name="cpp",
    aliases=("c++", "cxx"),
    suffixes=(
        ".cpp",
        ".cc",
        ".cxx",
        ".c++",
        ".hpp",
        ".hh",
        ".hxx",
        ".h++",
        ".ipp",
        ".inl",
        ".tpp",
        ".h",
    ),
    grammar=lambda _path: tree_sitter_cpp.language(),
    package="tree-sitter-cpp",
    version=3,
    extract=_extract,
    link=link_cpp,
    kinds=tuple(kind for kind in FORWARD if kind != "implements"),
)
