"""Rust."""

import tree_sitter_rust

from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.rust_.extract import extract
from ghostmem.outline.languages.rust_.link import link

LANGUAGE = Language(
    name="rust",
    suffixes=(".rs",),
    grammar=lambda _path: tree_sitter_rust.language(),
    package="tree-sitter-rust",
    version=5,
    extract=extract,
    link=link,
)
