"""List the packages of an installation of Ghost, with their size and the reason for each.

    python tools/installed.py [EXTRA ...]

Run it with the Python of an environment that has Ghost installed. Sizes include compiled files."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement  # which onnxruntime brings


@dataclass(frozen=True)
class Package:
    """One package of an installation."""

    name: str
    version: str
    megabytes: float
    brought_by: str


def plain(name: str) -> str:
    """Return a package's name as every spelling of it is compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(
    name: str, extras: Iterable[str] = (), requires: Sequence[str] | None = None
) -> dict[str, str]:
    """Return every package that one needs, itself included, each with the one that brings it first.

    `requires` replaces the requirements of the first package, if another version is installed."""
    found = {plain(name): ""}
    seen: set[tuple[str, str]] = set()
    waiting = [(plain(name), extra) for extra in ("", *extras)]
    given = {} if requires is None else {plain(name): requires}
    while waiting:
        package, extra = waiting.pop(0)
        if (package, extra) in seen:
            continue
        seen.add((package, extra))
        for needed, its_extras in _needs(
            given.get(package) or distribution(package).requires or (), extra
        ):
            found.setdefault(needed, package)
            waiting += [(needed, one) for one in ("", *its_extras)]
    return found


def _needs(requires: Sequence[str], extra: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the requirements of a package on this system, or those of one of its extras."""
    for requirement in map(Requirement, requires):
        marker = requirement.marker
        always = marker is None or marker.evaluate({"extra": ""})
        if (always and not extra) or (
            marker is not None and not always and extra and marker.evaluate({"extra": extra})
        ):
            yield plain(requirement.name), requirement.extras


def files(name: str) -> list[Path]:
    """Return the files of an installed package that lie below its environment."""
    return [
        path
        for one in distribution(name).files or []
        if (path := Path(str(one.locate()))).is_file()
    ]


def megabytes(name: str) -> float:
    """Return the size of an installed package."""
    return sum(path.stat().st_size for path in files(name)) / 1e6


def packages(extras: Iterable[str] = ()) -> list[Package]:
    """Return every package of an installation of Ghost, the largest first."""
    found = [
        Package(name, distribution(name).version, megabytes(name), by)
        for name, by in closure("ghostmem", extras).items()
    ]
    return sorted(found, key=lambda one: (-one.megabytes, one.name))


def main() -> int:
    """Print the packages, and how many there are and how large."""
    found = packages(sys.argv[1:])
    for one in found:
        print(
            f"{one.megabytes:7.1f} MB  {one.name} "
            f"{one.version}{f'  (for {one.brought_by})' if one.brought_by else ''}"
        )
    print(f"{sum(one.megabytes for one in found):7.1f} MB  in {len(found)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
