"""Which dotted name a Python file goes by, and which file an import names."""

import re
from collections.abc import Mapping
from posixpath import dirname

from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import EXTERNAL, NATIVE
from ghostmem.outline.languages.python_.types import KNOWN

_SUFFIXES = (".py", ".pyi", ".pyw")
_SRC = re.compile(r"(?:^|(?<=/))src/")
_INIT = ("__init__.py", "__init__.pyi")


class Modules:
    """The modules of a project."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = frozenset(files)
        self.folders = {folder for path in files for folder in _above(path)}
        # folders by their path from the top or from a folder `src`
        self.spaces: dict[str, list[str]] = {}
        for folder in sorted(self.folders):
            for one in _paths(folder):
                self.spaces.setdefault(one, []).append(folder)
        self._found: dict[tuple[str, str], list[str]] = {}
        self.asked = {
            ".".join(parts[:end])
            for facts in files.values()
            for one in facts.imports
            if not one.path.startswith(".")
            for parts in [one.path.split(".")]
            for end in range(1, len(parts) + 1)
        }
        self.names: dict[str, str] = {}
        self.index: dict[str, list[str]] = {}
        for path in sorted(files):
            self._add(path)

    def _add(self, path: str) -> None:
        folders, stem = path.split("/")[:-1], path.rsplit("/", maxsplit=1)[-1].rsplit(".", 1)[0]
        top = len(folders)
        while top > 0 and self._is_package("/".join(folders[:top])):
            top -= 1
        start = max((at + 1 for at, one in enumerate(folders[:top]) if one == "src"), default=0)
        tail = [] if stem == "__init__" else [stem]
        chain, whole = [*folders[top:], *tail], [*folders[start:], *tail]
        spaced = ".".join(folders[start : top + 1])  # the package below its namespaces
        name = ".".join(chain if top < len(folders) and spaced not in self.asked else whole)
        self.names[path] = name or stem
        for one in sorted({name, ".".join(chain) if top < len(folders) else name, ".".join(whole)}):
            self.index.setdefault(one, []).append(path)

    def _is_package(self, folder: str) -> bool:
        return any(f"{folder}/{one}" in self.files for one in _INIT)

    def in_folder(self, folder: str, dotted: str) -> str | None:
        """Return the file, or the folder that is a namespace, of a module below a folder."""
        base = "/".join(part for part in (folder, *dotted.split(".")) if part)
        for one in (
            *(f"{base}/{init}" if base else init for init in _INIT),
            *(base + suffix for suffix in _SUFFIXES),
        ):
            if one in self.files:
                return one
        return base if dotted and base in self.folders else None

    def find(self, dotted: str, importer: str) -> list[str]:
        """Return the files or folder that an import from a file names.

        Nothing when it is not of the project.
        """
        key = (dotted, importer)
        if key not in self._found:
            self._found[key] = self._find(dotted, importer)
        return self._found[key]

    def _find(self, dotted: str, importer: str) -> list[str]:
        if dotted.startswith("."):
            name = dotted.lstrip(".")
            folder = dirname(importer)
            for _ in range(len(dotted) - len(name) - 1):
                folder = dirname(folder)
            found = self.in_folder(folder, name)
            return [found] if found is not None else []
        paths = self.index.get(dotted, [])
        if paths:
            return self._nearest(paths, importer)
        folder = dirname(importer)
        beside = (
            self.in_folder(folder, dotted)
            if not self._is_package(folder)
            and dotted.split(".", maxsplit=1)[0] not in KNOWN["modules"]
            else None
        )
        if beside is not None and beside in self.files:
            return [beside]
        return (
            self.spaces.get(dotted.replace(".", "/"), [])
            if dotted.split(".", maxsplit=1)[0] not in KNOWN["modules"]
            else []
        )

    def _nearest(self, paths: list[str], importer: str) -> list[str]:
        def shared(path: str) -> int:
            return next(
                (
                    at
                    for at, (one, other) in enumerate(zip(path, importer, strict=False))
                    if one != other
                ),
                0,
            )

        if len(paths) == 1:
            return paths
        best = max(map(shared, paths))
        near = [path for path in paths if shared(path) == best]
        sources = [path for path in near if not path.endswith(".pyi")]
        return sources or near

    def below(self, path: str, name: str) -> str | None:
        """Return the submodule of a package, given its __init__ file or its folder."""
        if path in self.files:
            return self.in_folder(dirname(path), name) if path.rsplit("/", 1)[-1] in _INIT else None
        return self.in_folder(path, name)

    def absolute(self, dotted: str, importer: str) -> str:
        """Return the absolute name of an import, for modules outside the project."""
        if not dotted.startswith("."):
            return dotted
        name = dotted.lstrip(".")
        parts = self.names[importer].split(".")
        ups = len(dotted) - len(name) - (1 if importer.rsplit("/", 1)[-1] in _INIT else 0)
        return ".".join(part for part in (*parts[: max(len(parts) - ups, 0)], name) if part)


def origin(dotted: str) -> str:
    """Tell whether a module is of the standard library or of someone else."""
    return NATIVE if dotted.split(".", maxsplit=1)[0] in KNOWN["modules"] else EXTERNAL


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _paths(folder: str) -> set[str]:
    return {folder, *(folder[found.end() :] for found in _SRC.finditer(folder))}
