"""Find modules by their names: files of the project, modules of Node, and packages."""

import json
import posixpath
import re
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath
from typing import Any

from ghostmem.outline.engine.table import words_of
from ghostmem.outline.languages.base import Read

BUILTIN_MODULES = words_of("ecma.txt")["modules"]
SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs")
# the suffix of compiled files, which TypeScript imports: the suffixes of their sources
SOURCES = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
CONFIGS = ("tsconfig.base.json", "jsconfig.json", "tsconfig.json")  # the last one counts most
ENTRIES = ("source", "types", "typings", "module", "main")  # fields of package.json
NOT_JSON = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)

Place = tuple[str, str]  # file, native, external or missing; and its path or name
Json = dict[str, Any]


class Paths:
    """The modules of a project."""

    def __init__(self, files: Collection[str], read: Read) -> None:
        self.files = frozenset(files)
        self.read = read
        self.configs: dict[str, Json] = {}
        self.packages = self._packages()

    def find(self, importer: str, name: str) -> Place:
        """Return the module of a name that a file imports."""
        folder = posixpath.dirname(importer)
        if name.startswith("."):
            path = self._file(folder, [name])
            return ("file", path) if path else ("missing", name)
        if name.startswith("node:"):
            return "native", name[5:]
        path = self._mapped(folder, name) or self._own_package(name)
        if path:
            return "file", path
        if name.partition("/")[0] in BUILTIN_MODULES:
            return "native", name
        if name.startswith(("#", "/", "~", "@/")):
            return "missing", name
        return "external", package_name(name)

    def _file(self, folder: str, names: Iterable[str]) -> str:
        """Return the first file with one of some names, which need no suffix, or nothing."""
        for path in (_joined(folder, name) for name in names):
            stem, suffix = posixpath.splitext(path)
            for candidate in (
                path,
                *(stem + ending for ending in SOURCES.get(suffix, ())),
                *(path + ending for ending in SUFFIXES),
                *(posixpath.join(path, "index" + ending) for ending in SUFFIXES),
            ):
                if candidate in self.files:
                    return candidate
        return ""

    def _mapped(self, folder: str, name: str) -> str:
        """Return the file that `paths` and `baseUrl` of the nearest tsconfig lead to."""
        config = self._config(folder)
        for pattern, targets in sorted(
            config.get("paths", {}).items(),
            key=lambda rule: (-len(rule[0].partition("*")[0]), rule[0]),
        ):
            match = re.fullmatch(re.escape(pattern).replace(r"\*", "(.*)", 1), name, re.DOTALL)
            if match and isinstance(targets, list):
                star = "".join(match.groups())
                names = [str(target).replace("*", star) for target in targets]
                if path := self._file(config["at"], names):
                    return path
        return self._file(config["base"], [name]) if "base" in config else ""

    def _config(self, folder: str) -> Json:
        """Return what the configurations of a folder and of those around it say of paths."""
        if folder not in self.configs:
            config = {**self._config(posixpath.dirname(folder))} if folder else {}
            for name in CONFIGS:
                match _json(self.read(_joined(folder, name))).get("compilerOptions"):
                    case dict(options):
                        _take_paths(config, folder, options)
            self.configs[folder] = config
        return self.configs[folder]

    def _packages(self) -> dict[str, tuple[str, Json]]:
        """Return the folders and the package.json of the packages of the project, by name."""
        folders = {posixpath.dirname(path) for path in self.files}
        around = {str(outer) for folder in folders for outer in PurePosixPath(folder, "x").parents}
        packages: dict[str, tuple[str, Json]] = {}
        for folder in sorted(around):
            data = _json(self.read(_joined(folder, "package.json")))
            if isinstance(data.get("name"), str):
                packages.setdefault(data["name"], (folder, data))
        return packages

    def _own_package(self, name: str) -> str:
        package = package_name(name)
        if package not in self.packages:
            return ""
        folder, data = self.packages[package]
        inner = name[len(package) + 1 :]
        if inner:
            return self._file(folder, [inner, "src/" + inner])
        names = [
            entry for entry in (data.get(field) for field in ENTRIES) if isinstance(entry, str)
        ]
        return self._file(folder, [*names, "src/index", "index"])


def _joined(folder: str, name: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, name))
    return "" if path == "." else path


def package_name(name: str) -> str:
    """Return the package of a module: its first part, with a scope its first two parts."""
    return "/".join(name.split("/")[: 2 if name.startswith("@") else 1])


def _take_paths(config: Json, folder: str, options: Json) -> None:
    """Take `baseUrl` and `paths` over from the options of a configuration in a folder."""
    if isinstance(options.get("baseUrl"), str):
        config["base"] = config["at"] = _joined(folder, options["baseUrl"])
    if isinstance(options.get("paths"), dict):
        config |= {"paths": options["paths"], "at": config.get("base", folder)}


def _json(text: str | None) -> Json:
    """Return an object in JSON with comments and trailing commas, empty if there is none."""
    try:
        data = json.loads(NOT_JSON.sub(lambda match: match.group(1) or "", text or "{}"))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
