"""The headers of ISO C, POSIX and ISO C++, and the names that the most used ones declare."""

from ghostmem.outline.rules import packages_in

NAMES = packages_in("c.txt")  # by header; `@` marks names by their meaning


def header_of(name: str) -> str:
    """Return the C header that a header stands for: `cstdio` is `stdio.h`."""
    return f"{name[1:]}.h" if name.startswith("c") and f"{name[1:]}.h" in NAMES else name
