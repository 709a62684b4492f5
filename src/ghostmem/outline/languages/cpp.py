"""C++."""

import tree_sitter_cpp

from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.cfamily_.extract import extract
from ghostmem.outline.languages.cfamily_.link import link_cpp

LANGUAGE = Language(
    name="cpp",
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
    extract=lambda root, source, _path: extract(root, source, tree_sitter_cpp.language()),
    link=link_cpp,
)
