"""Rust: the walk over a file, crates and modules, paths, types, and the links between them."""
