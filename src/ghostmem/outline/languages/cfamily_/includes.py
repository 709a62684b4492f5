"""Includes of C and C++: the files that lines name, and the names that files see."""

import posixpath
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from ghostmem.outline.facts import Facts, Import
from ghostmem.outline.rules import packages_in

# headers of ISO C, POSIX and ISO C++ with the names that they declare; `@` marks names by meaning
NAMES = packages_in("c.txt")


class CppFiles:
    """The files of a project and their includes."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        self.endings: dict[str, list[str]] = defaultdict(list)
        for path in sorted(files):
            self.endings[posixpath.basename(path)].append(path)
        self.next: dict[str, list[str]] = {}
        self.system: dict[str, set[str]] = {}
        for path in sorted(files):
            found = [(one, self.find(path, one)) for one in files[path].imports if is_include(one)]
            self.next[path] = [target for _, target in found if target is not None]
            self.system[path] = {one.path for one, target in found if target is None}
        self.before: dict[str, list[str]] = defaultdict(list)
        for path in sorted(files):
            for target in self.next[path]:
                self.before[target].append(path)
        self.closure = cache(self._closure)
        self.around = cache(self._around)
        self.headers = cache(self._headers)
        self.natives = cache(self._natives)

    def find(self, path: str, one: Import) -> str | None:
        """Return the file that an include names: beside it, from the root, or the only one that
        ends so.
        """
        system = (one.detail or {}).get("system")
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), one.path))
        if not system and beside in self.files:
            return beside
        if system and one.path in NAMES["@headers"]:
            return None
        wanted = posixpath.normpath(one.path)
        if wanted in self.files:
            return wanted
        ending = wanted.lstrip("./")
        hits = [
            held
            for held in self.endings.get(posixpath.basename(ending), [])
            if held.endswith(f"/{ending}")
        ]
        return hits[0] if len(hits) == 1 else None

    def _closure(self, path: str) -> frozenset[str]:
        """Return a file with everything it includes, directly or not."""
        return _reached(path, self.next)

    def _around(self, path: str) -> frozenset[str]:
        """Return the files that are visible to those that include this one."""
        includers = _reached(path, self.before)
        return (
            frozenset(held for one in includers for held in self.closure(one))
            if len(includers) > 1
            else frozenset()
        )

    def _headers(self, path: str) -> frozenset[str]:
        """Return the headers from outside that are visible in a file."""
        return frozenset(header for one in self.closure(path) for header in self.system[one])

    def _natives(self, path: str) -> frozenset[str]:
        """Return the names that the visible headers of the standard library declare."""
        return frozenset(
            name for header in self.headers(path) for name in NAMES.get(_header_of(header), ())
        )


def is_include(one: Import) -> bool:
    """Tell an include from a using declaration."""
    return "system" in (one.detail or {})


def _reached(start: str, following: Mapping[str, list[str]]) -> frozenset[str]:
    found, pending = {start}, [start]
    while pending:
        for one in following.get(pending.pop(), ()):
            if one not in found:
                found.add(one)
                pending.append(one)
    return frozenset(found)


def _header_of(name: str) -> str:
    """Return the C header that a header stands for: `cstdio` is `stdio.h`."""
    return f"{name[1:]}.h" if name.startswith("c") and f"{name[1:]}.h" in NAMES else name
