"""Crates and their modules: which file is which module, by Cargo.toml and the declarations `mod
x;`.
"""

import posixpath
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from ghostmem.outline.facts import FILE, Facts, Import
from ghostmem.outline.languages.base import Read
from ghostmem.outline.resolve.types import Key


@dataclass(eq=False)
class Module:
    """A module: its crate's root, its names below that, and the file and symbol it stands in."""

    crate: str
    names: tuple[str, ...]
    file: str
    symbol: int
    package: str
    root: "Module | None" = None
    parent: "Module | None" = None
    modules: dict[str, "Module"] = field(default_factory=dict)

    def path(self) -> str:
        """Return the module's full path."""
        return "::".join((self.crate, *self.names))


@dataclass
class Crates:
    """All modules of a project."""

    # by file, and the symbol of a module in it or FILE
    modules: dict[Key, Module] = field(default_factory=dict)
    # by crate: the root of a library of this project
    libraries: dict[str, Module] = field(default_factory=dict)
    # by the folder of a package: the crates that it depends on, by their names in it
    needs: dict[str, dict[str, str]] = field(default_factory=dict)


def crates_of(files: Mapping[str, Facts], read: Read) -> Crates:
    """Return the modules of every crate in the project."""
    found = Crates()
    manifests = _manifests(files, read)
    roots = sorted((*root, path) for path in files if (root := _root(path, manifests)) is not None)
    for rank, crate, package, path in roots:
        if (path, FILE) not in found.modules:
            _grow(files, found, Module(crate, (), path, FILE, package))
        if rank == 0:
            found.libraries.setdefault(crate, found.modules[path, FILE])
    for path in sorted(files):
        if (path, FILE) not in found.modules:
            _grow(files, found, _orphan(path, manifests, found))
    for package, manifest in manifests.items():
        found.needs[package] = _needs(manifest)
    return found


def _manifests(files: Mapping[str, Facts], read: Read) -> dict[str, dict[str, Any]]:
    folders = {folder for path in files for folder in _folders(path)}
    found: dict[str, dict[str, Any]] = {}
    for folder in sorted(folders):
        text = read(posixpath.join(folder, "Cargo.toml"))
        if text is None:
            continue
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        if isinstance(data.get("package"), dict):
            found[folder] = data
    return found


def _folders(path: str) -> list[str]:
    """Return the folders that a file is in, innermost first."""
    folders = [str(folder) for folder in PurePosixPath(path).parents]
    return [*folders[:-1], ""]


def _package(path: str, manifests: dict[str, dict[str, Any]]) -> str | None:
    return next((folder for folder in _folders(path) if folder in manifests), None)


def _crate_name(manifest: dict[str, Any], part: str) -> str:
    name = _table(manifest, part).get("name") or manifest["package"].get("name")
    return str(name or "crate").replace("-", "_")


def _table(manifest: dict[str, Any], part: str) -> dict[str, Any]:
    """Return a table of a manifest, empty if there is none."""
    table = manifest.get(part)
    return table if isinstance(table, dict) else {}


def _root(path: str, manifests: dict[str, dict[str, Any]]) -> tuple[int, str, str] | None:
    """Return the rank, crate and package of a file that is the root of a crate."""
    package = _package(path, manifests)
    if package is None:
        rank = {"lib.rs": 0, "main.rs": 1}.get(posixpath.basename(path))
        return None if rank is None else (rank, "crate", posixpath.dirname(path))
    inner = posixpath.relpath(path, package or ".")
    target = _declared_targets(manifests[package]).get(inner)
    rank, name = target or (3, _conventional_target(inner))
    return (rank, name.replace("-", "_"), package) if name else None


def _declared_targets(manifest: dict[str, Any]) -> dict[str, tuple[int, str]]:
    """Return the rank and name of the library, and of the programs that a manifest declares."""
    sections = [manifest.get(section) for section in ("bin", "test", "example", "bench")]
    targets = [target for given in sections if isinstance(given, list) for target in given]
    paths = {
        str(target.get("path")): str(target.get("name") or "")
        for target in targets
        if isinstance(target, dict)
    }
    programs = {path: (2, name or posixpath.basename(path)[:-3]) for path, name in paths.items()}
    library = str(_table(manifest, "lib").get("path") or "src/lib.rs")
    return programs | {
        "src/main.rs": (1, _crate_name(manifest, "package")),
        library: (0, _crate_name(manifest, "lib")),
    }


def _conventional_target(inner: str) -> str:
    """Return the name of the binary, test, example or bench that a file is by its place."""
    parts = (inner.removeprefix("src/") if inner.startswith("src/bin/") else inner).split("/")
    in_folder = parts[0] in ("bin", "tests", "examples", "benches")
    if inner == "build.rs" or (in_folder and len(parts) == 2):
        return parts[-1].removesuffix(".rs")
    return parts[1] if in_folder and len(parts) == 3 and parts[2] == "main.rs" else ""


def _orphan(path: str, manifests: dict[str, dict[str, Any]], found: Crates) -> Module:
    """Return a module for a file that no root reaches: named by its path, with its package's
    library as crate.
    """
    package = _package(path, manifests)
    inner = posixpath.relpath(path, package) if package else path
    parts = inner.removesuffix(".rs").split("/")
    names = tuple(part for place, part in enumerate(parts) if part != ("mod" if place else "src"))
    crate = _crate_name(manifests[package], "lib") if package is not None else "crate"
    module = Module(crate, names, path, FILE, package or "")
    module.root = found.libraries.get(crate)
    return module


def _grow(files: Mapping[str, Facts], found: Crates, root: Module) -> None:
    """Add a module and everything declared below it."""
    pending = [root]
    while pending:
        module = pending.pop()
        facts = files[module.file]
        found.modules[module.file, module.symbol] = module
        for number, symbol in enumerate(facts.symbols):
            if symbol.kind == "module" and symbol.parent == module.symbol:
                pending.append(_below(module, symbol.name, module.file, number))
        for declaration in facts.imports:
            is_module = declaration.owner == module.symbol and declaration.detail.get("mod")
            path = _file_of(files, module, declaration) if is_module else None
            if path is not None and (path, FILE) in found.modules:
                module.modules.setdefault(declaration.name, found.modules[path, FILE])
            elif path is not None:
                found.modules[path, FILE] = below = _below(module, declaration.name, path, FILE)
                pending.append(below)


def _below(module: Module, name: str, file: str, symbol: int) -> Module:
    below = Module(
        module.crate,
        (*module.names, name),
        file,
        symbol,
        module.package,
        module.root or module,
        module,
    )
    module.modules[name] = below
    return below


def _file_of(files: Mapping[str, Facts], module: Module, declaration: Import) -> str | None:
    """Return the file of `mod x;` as the compiler would look for it."""
    folder, base = posixpath.split(module.file)
    name, given = declaration.name, declaration.detail["path"]
    if given:
        path = posixpath.normpath(posixpath.join(folder, given))
        return path if path in files else None
    top = module
    inline: list[str] = []
    while top.symbol != FILE and top.parent is not None:
        inline.insert(0, top.names[-1])
        top = top.parent
    whole = base in ("mod.rs", "lib.rs", "main.rs") or top.parent is None
    home = posixpath.join(
        folder if whole else posixpath.join(folder, base.removesuffix(".rs")), *inline
    )
    wanted = (posixpath.join(home, f"{name}.rs"), posixpath.join(home, name, "mod.rs"))
    return next((path for path in wanted if path in files), None)


def _needs(manifest: dict[str, Any]) -> dict[str, str]:
    """Return the crates that a package depends on, by the names that it gives them."""
    targets = _table(manifest, "target").values()
    dependencies = (
        (name, _table(_table(table, part), name).get("package") or name)
        for table in (manifest, *(table for table in targets if isinstance(table, dict)))
        for part in ("dependencies", "dev-dependencies", "build-dependencies")
        for name in _table(table, part)
    )
    return {name.replace("-", "_"): str(real).replace("-", "_") for name, real in dependencies}
