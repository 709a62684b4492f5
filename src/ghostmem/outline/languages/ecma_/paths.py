"""Where a module's name leads in a JavaScript or TypeScript project: to one of its files, to Node
itself, or to a package.
"""

import json
import posixpath
import re
from collections.abc import Collection
from typing import Any

from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.ecma_.natives import BUILTIN_MODULES

SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs")
WRITTEN = {
    ".js": (".ts", ".tsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts",),
    ".cjs": (".cts",),
}  # what is meant in TypeScript
CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
NOT_JSON = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
MAX_EXTENDS = 8

Place = tuple[str, str]  # file, native, external or missing; and its path or name


class Paths:
    """The modules of one project."""

    def __init__(self, files: Collection[str], read: Read) -> None:
        self.files = frozenset(files)
        self.folders = {path: posixpath.dirname(path) for path in files}
        self.read = read
        self.found: dict[tuple[str, str], Place] = {}
        self.configs: dict[str, dict[str, Any]] = {}
        self.packages = self._packages()

    def find(self, importer: str, name: str) -> Place:
        """Return where a module's name leads from a file."""
        key = (self.folders[importer], name)
        if key not in self.found:
            self.found[key] = self._find(*key)
        return self.found[key]

    def _find(self, folder: str, name: str) -> Place:
        if name.startswith("."):
            path = self._file(posixpath.normpath(posixpath.join(folder, name)))
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
        return "external", "/".join(name.split("/")[: 2 if name.startswith("@") else 1])

    def _file(self, path: str) -> str:
        """Return the file that a path without its suffix means, or nothing."""
        path = "" if path == "." else path
        stem, suffix = posixpath.splitext(path)
        tried = [
            path,
            *(stem + one for one in WRITTEN.get(suffix, ())),
            *(path + one for one in SUFFIXES),
        ]
        tried += [posixpath.join(path, "index" + one) for one in SUFFIXES]
        return next((one for one in tried if one in self.files), "")

    def _mapped(self, folder: str, name: str) -> str:
        """Follow `paths` and `baseUrl` of the nearest tsconfig."""
        config = self._config(folder)
        rules = sorted(
            config.get("paths", {}).items(),
            key=lambda rule: (-len(rule[0].partition("*")[0]), rule[0]),
        )
        for pattern, targets in rules:
            before, star, after = pattern.partition("*")
            if name == pattern or (
                star
                and name.startswith(before)
                and name.endswith(after)
                and len(name) >= len(before + after)
            ):
                middle = name[len(before) : len(name) - len(after)] if star else ""
                rows = targets if isinstance(targets, list) else []
                tried = (
                    self._file(
                        posixpath.normpath(
                            posixpath.join(config["at"], str(one).replace("*", middle))
                        )
                    )
                    for one in rows
                )
                found = next((one for one in tried if one), "")
                if found:
                    return found
        return (
            self._file(posixpath.normpath(posixpath.join(config["base"], name)))
            if config.get("base") is not None
            else ""
        )

    def _config(self, folder: str) -> dict[str, Any]:
        if folder not in self.configs:
            found = next(
                (
                    one
                    for one in (self._read_config(posixpath.join(folder, name)) for name in CONFIGS)
                    if one is not None
                ),
                None,
            )
            self.configs[folder] = (
                found
                if found is not None
                else self._config(posixpath.dirname(folder))
                if folder
                else {}
            )
        return self.configs[folder]

    def _read_config(self, path: str, depth: int = 0) -> dict[str, Any] | None:
        data = _json(self.read(path))
        if data is None:
            return None
        folder, found = posixpath.dirname(path), {}
        above = data.get("extends")
        for one in above if isinstance(above, list) else [above]:
            if isinstance(one, str) and one.startswith(".") and depth < MAX_EXTENDS:
                name = one if one.endswith(".json") else one + ".json"
                found.update(
                    self._read_config(posixpath.normpath(posixpath.join(folder, name)), depth + 1)
                    or {}
                )
        options = data.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        if isinstance(options.get("baseUrl"), str):
            found["base"] = found["at"] = posixpath.normpath(
                posixpath.join(folder, options["baseUrl"])
            )
        if isinstance(options.get("paths"), dict):
            found["paths"] = options["paths"]
            found["at"] = (
                found.get("base", folder) if "baseUrl" in options or "base" in found else folder
            )
        return found

    def _packages(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return the packages that the project itself consists of, by name."""
        folders = set()
        for path in self.files:
            folder = posixpath.dirname(path)
            while folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        found: dict[str, tuple[str, dict[str, Any]]] = {}
        for folder in sorted(folders):
            data = _json(self.read(posixpath.join(folder, "package.json")))
            if data and isinstance(data.get("name"), str):
                found.setdefault(data["name"], (folder, data))
        return found

    def _own_package(self, name: str) -> str:
        parts = name.split("/")
        cut = 2 if name.startswith("@") else 1
        own = self.packages.get("/".join(parts[:cut]))
        if own is None:
            return ""
        folder, data = own
        rest = "/".join(parts[cut:])
        entries = (
            [data.get(key) for key in ("source", "types", "typings", "module", "main")]
            if not rest
            else [rest]
        )
        tried = [one for one in entries if isinstance(one, str)] + (
            ["src/index", "index"] if not rest else ["src/" + rest]
        )
        return next(
            (
                found
                for found in (
                    self._file(posixpath.normpath(posixpath.join(folder, one))) for one in tried
                )
                if found
            ),
            "",
        )


def _json(text: str | None) -> dict[str, Any] | None:
    """Read JSON with the comments and trailing commas that configuration files have."""
    if text is None:
        return None
    try:
        data = json.loads(NOT_JSON.sub(lambda found: found.group(1) or "", text))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
