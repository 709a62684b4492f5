"""Names of standard libraries, from the text files in `languages/data`."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def packages_in(file: str) -> Mapping[str, frozenset[str]]:
    """Return the names in a data file by package: each line has a package, or `-`, and names."""
    path = Path(__file__).parent / "languages" / "data" / file
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {row[0]: frozenset(row[1:]) for row in rows if row and row[0] != "#"}


def names_in(file: str) -> frozenset[str]:
    """Return the whole names in a data file."""
    return frozenset(
        name if package == "-" else f"{package}.{name}"
        for package, names in packages_in(file).items()
        for name in names
    )
