"""Crates of Rust and their modules: which module a file is, by its place and Cargo.toml."""

import posixpath
import tomllib
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import Any

from ghostmem.outline.languages.base import Read

Manifest = dict[str, Any]


class Crates:
    """The crates of a project.

    The key of a module is the folder of its package, its crate and its path in it, such as
    `libs/my_shop::cart::item`."""

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self.manifests = _manifests(paths, read)
        # by package: the crates that it depends on, by the names that it gives them
        self.needs = {folder: _needs(manifest) for folder, manifest in self.manifests.items()}
        self.libraries: dict[str, str] = {}  # the modules of the libraries of this project
        for folder, manifest in self.manifests.items():
            name = _crate_name(manifest)
            self.libraries.setdefault(name, f"{folder}/{name}")

    def module(self, path: str) -> str:
        """Return the module that a file is.

        Files in the folders of tests, examples and programs are crates of their own."""
        folder = next((each for each in _folders(path) if each in self.manifests), "")
        manifest = self.manifests.get(folder, {})
        inner, name = posixpath.relpath(path, folder or "."), _crate_name(manifest)
        words = inner.removesuffix(".rs").split("/")
        own = words[1:] if words[:2] == ["src", "bin"] else words
        if own[0] in ("bin", "tests", "examples", "benches") and len(own) > 1:
            name, words = own[1].replace("-", "_"), own[2:]
        elif inner == "build.rs":
            name, words = "build", []
        elif words[0] == "src":
            words = words[1:]
        if words[-1:] in (["mod"], ["lib"], ["main"]) or inner == _table(manifest, "lib").get(
            "path"
        ):
            words = words[:-1]
        return "::".join([f"{folder}/{name}", *words])


def _manifests(paths: Collection[str], read: Read) -> dict[str, Manifest]:
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


def _crate_name(manifest: Manifest) -> str:
    """Return the name of the library of a package, which its program shares."""
    name = _table(manifest, "lib").get("name") or _table(manifest, "package").get("name")
    return str(name or "crate").replace("-", "_")


def _needs(manifest: Manifest) -> dict[str, str]:
    targets = _table(manifest, "target").values()
    dependencies = (
        (name, _table(_table(table, part), name).get("package") or name)
        for table in (manifest, *(table for table in targets if isinstance(table, dict)))
        for part in ("dependencies", "dev-dependencies", "build-dependencies")
        for name in _table(table, part)
    )
    return {name.replace("-", "_"): str(real).replace("-", "_") for name, real in dependencies}
