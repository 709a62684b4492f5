"""Crates of Rust and their modules: which file is which module, by Cargo.toml and `mod x;`."""

import posixpath
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ghostmem.outline.engine.facts import Unit
from ghostmem.outline.languages.base import Read

Manifest = dict[str, Any]


class ModuleFile(NamedTuple):
    """A declaration `mod name;`."""

    scope: int  # of the file or the module in it
    name: str
    path: str  # as an attribute says
    opens_macros: bool
    line: int


class Crate(NamedTuple):
    """A crate: its root file, its name, and the folder of its package."""

    root: str
    name: str
    package: str


class Crates:
    """The modules of a project; the key of a module is the root of its crate and its path."""

    def __init__(self, units: Mapping[str, Unit], read: Read) -> None:
        self.units = units
        self.manifests = _manifests(units, read)
        self.keys: dict[str, str] = {}  # by file: its module
        self.crates: dict[str, Crate] = {}  # by file
        self.files: dict[str, dict[str, str]] = {}  # by module: the files declared in it, by name
        self.libraries: dict[str, str] = {}  # by crate: the module of a library of this project
        self.needs = {folder: _needs(manifest) for folder, manifest in self.manifests.items()}
        roots = sorted(root for path in units if (root := self._root(path)) is not None)
        for rank, name, package, path in roots:
            if path not in self.keys:
                self._grow(path, path, Crate(path, name, package))
            if rank == 0:
                self.libraries.setdefault(name, self.keys[path])
        for path in sorted(units):
            if path not in self.keys:
                self._add_orphan(path)

    def package(self, path: str) -> str | None:
        """Return the folder of the package that a file is in."""
        return next((folder for folder in _folders(path) if folder in self.manifests), None)

    def _root(self, path: str) -> tuple[int, str, str, str] | None:
        """Return rank, crate and package of a file that is the root of a crate."""
        package = self.package(path)
        if package is None:
            rank = {"lib.rs": 0, "main.rs": 1}.get(posixpath.basename(path))
            return None if rank is None else (rank, "crate", posixpath.dirname(path), path)
        inner = posixpath.relpath(path, package or ".")
        target = _main_targets(self.manifests[package]).get(inner)
        rank, name = target or (3, _conventional_target(inner))
        return (rank, name.replace("-", "_"), package, path) if name else None

    def _add_orphan(self, path: str) -> None:
        """Add a file that no root reaches: it is named by its path, in the library's crate."""
        package = self.package(path)
        words = (
            (posixpath.relpath(path, package) if package else path).removesuffix(".rs").split("/")
        )
        names = [word for number, word in enumerate(words) if word != ("mod" if number else "src")]
        name = _crate_name(self.manifests[package], "lib") if package is not None else "crate"
        root = self.libraries.get(name, path)
        self._grow(path, "::".join([root, *names]), Crate(root, name, package or ""))

    def _grow(self, path: str, key: str, crate: Crate) -> None:
        """Add a file as a module, and everything declared below it."""
        pending = [(path, key)]
        while pending:
            path, key = pending.pop()
            self.keys[path], self.crates[path] = key, crate
            for declaration in self.units[path].detail["files"]:
                declared = ModuleFile(*declaration)
                symbol = self.units[path].scopes[declared.scope].symbol
                inside = self.units[path].symbols[symbol].path() if symbol >= 0 else []
                home = "::".join([key, *inside])
                below = self._file(path, declared, inside, is_root=path == crate.root)
                if below is not None:
                    self.files.setdefault(home, {}).setdefault(declared.name, below)
                    if below not in self.keys:
                        self.keys[below] = f"{home}::{declared.name}"
                        pending.append((below, self.keys[below]))

    def _file(
        self, path: str, declared: ModuleFile, inside: list[str], is_root: bool
    ) -> str | None:
        """Return the file of `mod x;` as the compiler would look for it."""
        folder, base = posixpath.split(path)
        if declared.path:
            written = posixpath.normpath(posixpath.join(folder, declared.path))
            return written if written in self.units else None
        if not is_root and base not in ("mod.rs", "lib.rs", "main.rs"):
            folder = posixpath.join(folder, base.removesuffix(".rs"))
        home = posixpath.join(folder, *inside)
        wanted = (
            posixpath.join(home, f"{declared.name}.rs"),
            posixpath.join(home, declared.name, "mod.rs"),
        )
        return next((path for path in wanted if path in self.units), None)

    def shown(self, unit: Unit, module: str) -> str:
        """Return the path of a module as it is written."""
        crate = self.crates[unit.path]
        return crate.name + module.removeprefix(crate.root)


def _manifests(paths: Iterable[str], read: Read) -> dict[str, Manifest]:
    manifests: dict[str, Manifest] = {}
    for folder in sorted({folder for path in paths for folder in _folders(path)}):
        try:
            manifest = tomllib.loads(read(posixpath.join(folder, "Cargo.toml")) or "")
        except tomllib.TOMLDecodeError:
            continue
        if isinstance(manifest.get("package"), dict):
            manifests[folder] = manifest
    return manifests


def _folders(path: str) -> list[str]:
    """Return the folders that a file is in, innermost first."""
    return [*map(str, list(PurePosixPath(path).parents)[:-1]), ""]


def _table(manifest: Manifest, part: str) -> dict[str, Any]:
    table = manifest.get(part)
    return table if isinstance(table, dict) else {}


def _crate_name(manifest: Manifest, part: str) -> str:
    name = _table(manifest, part).get("name") or manifest["package"].get("name")
    return str(name or "crate").replace("-", "_")


def _main_targets(manifest: Manifest) -> dict[str, tuple[int, str]]:
    """Return the rank and name of the library and of the main program."""
    library = str(_table(manifest, "lib").get("path") or "src/lib.rs")
    return {
        "src/main.rs": (1, _crate_name(manifest, "package")),
        library: (0, _crate_name(manifest, "lib")),
    }


def _conventional_target(inner: str) -> str:
    """Return the name of the binary, test, example or bench that a file is by its place."""
    words = (inner.removeprefix("src/") if inner.startswith("src/bin/") else inner).split("/")
    in_folder = words[0] in ("bin", "tests", "examples", "benches")
    if inner == "build.rs" or (in_folder and len(words) == 2):
        return words[-1].removesuffix(".rs")
    return words[1] if in_folder and len(words) == 3 and words[2] == "main.rs" else ""


def _needs(manifest: Manifest) -> dict[str, str]:
    """Return the crates that a package depends on, by the names that it gives them."""
    targets = _table(manifest, "target").values()
    dependencies = (
        (name, _table(_table(table, part), name).get("package") or name)
        for table in (manifest, *(table for table in targets if isinstance(table, dict)))
        for part in ("dependencies", "dev-dependencies", "build-dependencies")
        for name in _table(table, part)
    )
    return {name.replace("-", "_"): str(real).replace("-", "_") for name, real in dependencies}
