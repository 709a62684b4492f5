"""The nodes of a Rust project: files and symbols by canonical names, and their declarations."""

from collections.abc import Mapping

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.graph import file_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.rust_.crates import Key, crates_of
from ghostmem.outline.languages.rust_.infer import RustInference
from ghostmem.outline.languages.rust_.names import RustNames
from ghostmem.outline.languages.shared.graph_builder import FirstLineBuilder
from ghostmem.outline.languages.shared.inference import Target


class RustNodes(FirstLineBuilder):
    """Make the nodes of one project."""

    def __init__(self, files: Mapping[str, Facts], read: Read) -> None:
        super().__init__(files)
        self.crates = crates_of(files, read)
        self.names = RustNames(files, self.crates)
        self.types = RustInference(files, self.names)

    def declare(self) -> None:
        """Make a node of every file and symbol, and link declarations."""
        for path in sorted(self.files):
            self.add_file(path)
            for at in range(len(self.files[path].symbols)):
                name, full = self.canonical((path, at))
                self.add_symbol(path, at, name, full=full)
        for path in sorted(self.files):
            for at, one in enumerate(self.files[path].symbols):
                self.add(self.home((path, at)), "declares", self.ids[path, at], one.line, "local")
        for module in self.crates.modules.values():
            for inner in module.modules.values():
                if inner.symbol == FILE and inner.parent is module:
                    line = next(
                        (
                            one.line
                            for one in self.files[module.file].imports
                            if one.name == inner.names[-1]
                        ),
                        1,
                    )
                    self.add(
                        self.owner(module.file, module.symbol),
                        "declares",
                        file_id(inner.file),
                        line,
                        "module",
                    )

    def home(self, key: Key) -> str:
        """Return the node that declares a symbol: its type, its trait, its module or its file."""
        one = self.names.symbol(key)
        if (impl := one.detail.get("impl")) is not None:
            kind = self.types.impl_types[key[0], impl]
            if kind is not None and kind[0] == "sym":
                return self.ids[kind[1]]
        return self.owner(key[0], one.parent)

    def canonical(self, key: Key) -> tuple[str, str]:
        """Return the name of a symbol and, where that is short, the one that tells it apart."""
        one = self.names.symbol(key)
        if (impl := one.detail.get("impl")) is not None:
            return self._in_impl(key[0], impl, one.name)
        if one.parent == FILE:
            name = f"{self.crates.modules[key[0], FILE].path()}::{one.name}"
            return name, name
        name, full = self.canonical((key[0], one.parent))
        return f"{name}::{one.name}", f"{full}::{one.name}"

    def _in_impl(self, path: str, number: int, name: str) -> tuple[str, str]:
        impl, kind = self.files[path].detail["impls"][number], self.types.impl_types[path, number]
        known = kind is not None and kind[0] == "sym"
        home = self.canonical(kind[1])[1] if known and kind is not None else impl["written"][0]
        if not impl["written"][1]:
            return f"{home}::{name}", f"{home}::{name}"
        trait, found = impl["written"][1], self.types.impl_traits[path, number].targets
        whole = (
            self.canonical(found[0].value)[1]
            if len(found) == 1 and found[0].kind == "sym"
            else trait
        )
        short = self.names.symbol(kind[1]).name if known and kind is not None else home
        bare, _, args = trait.partition("<")
        shown = bare.rsplit("::", 1)[-1] + (f"<{args}" if args else "")
        return f"<{short} as {shown}>::{name}", f"<{home} as {whole}>::{name}"

    def node(self, target: Target, kind: str) -> str | None:
        """Return the node of a target; None when it has none."""
        if target.kind == "sym":
            return self.ids[target.value]
        if target.kind == "mod":
            return self.owner(target.value.file, target.value.symbol)
        return self.target(target, kind) if target.kind in ("native", "external") else None
