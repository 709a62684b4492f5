"""The nodes of a C or C++ project: files and symbols by canonical names, and declarations."""

import posixpath
from collections.abc import Mapping

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.graph import file_id
from ghostmem.outline.languages.cfamily_.includes import CppFiles
from ghostmem.outline.languages.cfamily_.lookup import Key
from ghostmem.outline.languages.cfamily_.names import CppNames
from ghostmem.outline.languages.cfamily_.types import CppTypes
from ghostmem.outline.languages.shared.graph_builder import FirstLineBuilder


class CppNodes(FirstLineBuilder):
    """Make the nodes of one project."""

    def __init__(self, files: Mapping[str, Facts], *, cpp: bool) -> None:
        super().__init__(files)
        self.counts.clear()  # a declaration whose definition is known is not counted
        self.cpp = cpp
        self.includes = CppFiles(files)
        self.names = CppNames(files, self.includes, cpp=cpp)
        self.types = CppTypes(files, self.names)

    def declare(self) -> None:
        """Make a node of every file and symbol.

        A declaration whose definition is known is no second symbol.
        """
        kept: list[Key] = []
        for path in sorted(self.files):
            self.add_file(path)
            for at, one in enumerate(self.files[path].symbols):
                if self.names.settled((path, at)) != [(path, at)]:
                    continue
                kept.append((path, at))
                self.counts[one.name] += 1
                method = one.kind == "function" and (path, at) in self.names.classes
                full = f"{path}:{one.name}" if self.is_private((path, at)) else ""
                kind = "method" if method else one.kind
                self.add_symbol(path, at, self.canonical((path, at)), full=full, kind=kind)
        for key in kept:
            home = self.names.home(key)
            start = self.owner(*home) if home is not None else file_id(key[0])
            self.add(start, "declares", self.ids[key], self.names.symbol(key).line, "local")

    def is_private(self, key: Key) -> bool:
        """Tell whether a function or variable of C is visible in its own file only."""
        one = self.names.symbol(key)
        return not self.cpp and bool(one.detail.get("static")) and one.parent == FILE

    def canonical(self, key: Key) -> str:
        """Return the name of a symbol with its namespaces and classes."""
        one = self.names.symbol(key)
        if self.is_private(key):
            return f"{posixpath.basename(key[0])}:{one.name}"
        home = self.names.home(key)
        if home is not None and not (not self.cpp and self.names.symbol(home).detail.get("enum")):
            return f"{self.canonical(home)}::{one.name}"
        parts = [one.detail["ns"], *one.detail.get("qual", ()), one.name]
        return "::".join(part for part in parts if part)

    def owner(self, path: str, at: int) -> str:
        """Return the node that a reference belongs to: what a declaration says is said by its
        definition.
        """
        return file_id(path) if at == FILE else self.ids[self.names.settled((path, at))[0]]
