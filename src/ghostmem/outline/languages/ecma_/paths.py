"""Find the module that a name stands for: a file of the project, a module of Node, or a package."""

import json
import posixpath
import re
from collections.abc import Collection, Iterable
from typing import Any

from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.ecma_.natives import BUILTIN_MODULES

SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs")
# the suffix of compiled files, which TypeScript imports: the suffixes of their sources
SOURCES = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
ENTRIES = ("source", "types", "typings", "module", "main")  # fields of package.json
NOT_JSON = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
MAX_EXTENDS = 8  # configurations that one extends, one after the other

Place = tuple[str, str]  # file, native, external or missing; and its path or name
Json = dict[str, Any]


class Paths:
    """The modules of a project."""

    def __init__(self, files: Collection[str], read: Read) -> None:
        self.files = frozenset(files)
        self.folders = {path: posixpath.dirname(path) for path in files}
        self.read = read
        self.found: dict[tuple[str, str], Place] = {}
        self.configs: dict[str, Json] = {}
        self.packages = self._packages()

    def find(self, importer: str, name: str) -> Place:
        """Return the module that a name stands for in a file."""
        key = (self.folders[importer], name)
        if key not in self.found:
            self.found[key] = self._find(*key)
        return self.found[key]

    def _find(self, folder: str, name: str) -> Place:
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
        return "external", _package_name(name)

    def _file(self, folder: str, names: Iterable[str]) -> str:
        """Return the first file that one of some names without suffix stands for, or nothing."""
        paths = (_joined(folder, name) for name in names)
        candidates = (candidate for path in paths for candidate in _candidates(path))
        return next((path for path in candidates if path in self.files), "")

    def _mapped(self, folder: str, name: str) -> str:
        """Return the file that `paths` and `baseUrl` of the nearest tsconfig lead to."""
        config = self._config(folder)
        rules = sorted(
            config.get("paths", {}).items(),
            key=lambda rule: (-len(rule[0].partition("*")[0]), rule[0]),
        )
        for pattern, targets in rules:
            middle = _matched(pattern, name)
            if middle is not None and isinstance(targets, list):
                names = (str(target).replace("*", middle) for target in targets)
                if found := self._file(config["at"], names):
                    return found
        return self._file(config["base"], [name]) if "base" in config else ""

    def _config(self, folder: str) -> Json:
        if folder not in self.configs:
            read = (self._read_config(posixpath.join(folder, name)) for name in CONFIGS)
            found = next((config for config in read if config is not None), None)
            if found is None:
                found = self._config(posixpath.dirname(folder)) if folder else {}
            self.configs[folder] = found
        return self.configs[folder]

    def _read_config(self, path: str, depth: int = 0) -> Json | None:
        data = _json(self.read(path))
        if data is None:
            return None
        folder, found = posixpath.dirname(path), {}
        extended = data.get("extends")
        for name in extended if isinstance(extended, list) else [extended]:
            if isinstance(name, str) and name.startswith(".") and depth < MAX_EXTENDS:
                name = name if name.endswith(".json") else name + ".json"
                found.update(self._read_config(_joined(folder, name), depth + 1) or {})
        options = data.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        if isinstance(options.get("baseUrl"), str):
            found["base"] = found["at"] = _joined(folder, options["baseUrl"])
        if isinstance(options.get("paths"), dict):
            found["paths"] = options["paths"]
            found["at"] = found.get("base", folder)
        return found

    def _packages(self) -> dict[str, tuple[str, Json]]:
        """Return the folders and the package.json of the packages of the project, by name."""
        folders = set()
        for path in self.files:
            folder = posixpath.dirname(path)
            while folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        found: dict[str, tuple[str, Json]] = {}
        for folder in sorted(folders):
            data = _json(self.read(posixpath.join(folder, "package.json")))
            if data and isinstance(data.get("name"), str):
                found.setdefault(data["name"], (folder, data))
        return found

    def _own_package(self, name: str) -> str:
        package = _package_name(name)
        if package not in self.packages:
            return ""
        folder, data = self.packages[package]
        rest = name[len(package) + 1 :]
        if rest:
            return self._file(folder, [rest, "src/" + rest])
        entries = (data.get(field) for field in ENTRIES)
        names = [entry for entry in entries if isinstance(entry, str)]
        return self._file(folder, [*names, "src/index", "index"])


def _joined(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name))


def _candidates(path: str) -> list[str]:
    """Return the files that a path without suffix may stand for, the most likely first."""
    path = "" if path == "." else path
    stem, suffix = posixpath.splitext(path)
    return [
        path,
        *(stem + other for other in SOURCES.get(suffix, ())),
        *(path + other for other in SUFFIXES),
        *(posixpath.join(path, "index" + other) for other in SUFFIXES),
    ]


def _matched(pattern: str, name: str) -> str | None:
    """Return the part of a name that the star in a pattern stands for, None without a match."""
    before, star, after = pattern.partition("*")
    if name == pattern and not star:
        return ""
    is_match = star and name.startswith(before) and name.endswith(after)
    fits = len(name) >= len(before + after)
    return name[len(before) : len(name) - len(after)] if is_match and fits else None


def _package_name(name: str) -> str:
    """Return the package of a module: its first part, with a scope its first two parts."""
    return "/".join(name.split("/")[: 2 if name.startswith("@") else 1])


def _json(text: str | None) -> Json | None:
    """Return an object in JSON with comments and trailing commas, empty if it is damaged."""
    if text is None:
        return None
    try:
        data = json.loads(NOT_JSON.sub(lambda found: found.group(1) or "", text))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
