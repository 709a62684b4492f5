"""C++."""

import tree_sitter_cpp

from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.cfamily_.extract import extract
from ghostmem.outline.languages.cfamily_.link import CppLinker

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
    version=5,
    extract=lambda root, source, _path: extract(root, source, tree_sitter_cpp.language()),
    link=lambda files, _read: CppLinker(files, cpp=True).run(),
)
