"""Names that every Rust program sees, and names of the standard library by their meaning."""

from ghostmem.outline.languages.shared.known import meanings
from ghostmem.outline.rules import packages_in

KNOWN = packages_in("rust.txt")
PRELUDE = {name: f"{path}::{name}" for name, path in meanings("rust.txt", "prelude").items()}
VARIANTS = meanings("rust.txt", "variants")  # the type of each
DERIVED = meanings("rust.txt", "derived")  # methods: the trait that deriving implements
DERIVABLE = {
    path.rsplit("::", 1)[-1]: path
    for path in (*DERIVED.values(), "std::cmp::Eq", "std::marker::Copy")
}
