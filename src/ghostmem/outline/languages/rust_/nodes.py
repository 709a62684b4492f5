"""The nodes of a Rust project: files and symbols by canonical names, and their declarations."""

from collections.abc import Mapping

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.graph import file_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.rust_.crates import crates_of
from ghostmem.outline.languages.rust_.infer import RustInference
from ghostmem.outline.languages.rust_.names import RustNames
from ghostmem.outline.languages.shared.graph_builder import FirstLineBuilder
from ghostmem.outline.languages.shared.inference import Target
from ghostmem.outline.resolve.types import INSTANCE, Key, Type


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
            for number, symbol in enumerate(self.files[path].symbols):
                if symbol.kind == "impl":
                    self.ids[path, number] = self.owner(path, symbol.parent)
                    continue
                name, full = self.canonical((path, number))
                self.add_symbol(path, number, name, full=full)
        for key, end in self.ids.items():
            symbol = self.names.symbol(key)
            if symbol.kind != "impl":
                self.add(self.home(key), "declares", end, symbol.line, "local")
        for module in self.crates.modules.values():
            start, imports = self.owner(module.file, module.symbol), self.files[module.file].imports
            for inner in module.modules.values():
                if inner.symbol == FILE and inner.parent is module:
                    lines = (use.line for use in imports if use.name == inner.names[-1])
                    self.add(start, "declares", file_id(inner.file), next(lines, 1), "module")

    def home(self, key: Key) -> str:
        """Return the node that declares a symbol: its type, its trait, its module or its file."""
        parent = (key[0], self.names.symbol(key).parent)
        kind = self.types.impl_types.get(parent)
        return self.ids[kind.symbol] if kind and kind.sort == INSTANCE else self.owner(*parent)

    def canonical(self, key: Key) -> tuple[str, str]:
        """Return the name of a symbol and, where that is short, the one that tells it apart."""
        symbol = self.names.symbol(key)
        parent = (key[0], symbol.parent)
        if parent in self.types.impl_types:
            return self._in_impl(parent, symbol.name)
        if symbol.parent == FILE:
            name = full = self.crates.modules[parent].path()
        else:
            name, full = self.canonical(parent)
        return f"{name}::{symbol.name}", f"{full}::{symbol.name}"

    def _in_impl(self, impl: Key, name: str) -> tuple[str, str]:
        written, trait = self.names.symbol(impl).detail["written"]
        kind = self.types.impl_types[impl]
        short = home = written
        if kind is not None and kind.sort == INSTANCE:
            short, home = self.names.symbol(kind.symbol).name, self.canonical(kind.symbol)[1]
        if not trait:
            return f"{home}::{name}", f"{home}::{name}"
        found, whole = self.types.impl_traits[impl].targets, trait
        if len(found) == 1 and found[0].kind == "sym":
            whole = self.canonical(found[0].value)[1]
        bare, bracket, args = trait.partition("<")
        shown = bare.rsplit("::", 1)[-1] + bracket + args
        return f"<{short} as {shown}>::{name}", f"<{home} as {whole}>::{name}"

    def node(self, target: Target, kind: str) -> str | None:
        """Return the node of a target; None when it has none."""
        if target.kind == "sym":
            return self.ids[target.value]
        if target.kind == "mod":
            return self.owner(target.value.file, target.value.symbol)
        return self.target(target, kind) if target.kind in ("native", "external") else None


def target_of(kind: Type) -> Target:
    """Return a type without its arguments as the target of a name."""
    return Target("sym", kind.symbol) if kind.sort == INSTANCE else Target(kind.sort, kind.name)
