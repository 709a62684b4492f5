"""Find modules by their names: files of the project, modules of Node, and packages."""

import json
import posixpath
import re
from collections.abc import Collection, Iterable
from typing import Any

from ghostmem.outline.engine.table import words_of
from ghostmem.outline.languages.base import Read

BUILTIN_MODULES = words_of("ecma.txt")["modules"]
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
        """Return the module of a name that a file imports."""
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
        return "external", package_name(name)

    def _file(self, folder: str, names: Iterable[str]) -> str:
        """Return the first file with one of some names, which need no suffix, or nothing."""
        for path in (_joined(folder, name) for name in names):
            stem, suffix = posixpath.splitext(path)
            candidates = (
                path,
                *(stem + other for other in SOURCES.get(suffix, ())),
                *(path + other for other in SUFFIXES),
                *(posixpath.join(path, "index" + other) for other in SUFFIXES),
            )
            found = next((one for one in candidates if one in self.files), "")
            if found:
                return found
        return ""

    def _mapped(self, folder: str, name: str) -> str:
        """Return the file that `paths` and `baseUrl` of the nearest tsconfig lead to."""
        config = self._config(folder)
        rules = sorted(
            config.get("paths", {}).items(),
            key=lambda rule: (-len(rule[0].partition("*")[0]), rule[0]),
        )
        for pattern, targets in rules:
            match = re.fullmatch(re.escape(pattern).replace(r"\*", "(.*)", 1), name, re.DOTALL)
            if match and isinstance(targets, list):
                star = "".join(match.groups())
                found = self._file(config["at"], [str(one).replace("*", star) for one in targets])
                if found:
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
        package = package_name(name)
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
    path = posixpath.normpath(posixpath.join(folder, name))
    return "" if path == "." else path


def package_name(name: str) -> str:
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
