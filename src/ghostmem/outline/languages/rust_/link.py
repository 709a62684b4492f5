"""Rust: how files hang together.

Every reference becomes a link with the rung that resolved it, or stays loose.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ghostmem.outline.facts import FILE, Facts, Ref
from ghostmem.outline.graph import Linked, file_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.rust_.crates import crates_of
from ghostmem.outline.languages.rust_.imports import DERIVABLE
from ghostmem.outline.languages.rust_.infer import RustInference
from ghostmem.outline.languages.rust_.names import RustNames
from ghostmem.outline.languages.shared.graph_builder import FirstLineBuilder
from ghostmem.outline.languages.shared.inference import OUTSIDE, Target
from ghostmem.outline.resolve.types import INSTANCE, Key, Type

CALLABLE = frozenset({"function", "method"})
VALUES = frozenset({"constant", "variable"})
TYPES = frozenset({"type", "interface"})
NAMED = frozenset({"type", "variant"})  # spaces of names of types, and of variants in patterns
MADE = frozenset({"std::option::Option", "std::result::Result"})  # types of variants without a path


class Meaning(NamedTuple):
    """The targets of a reference, the rung that found them, and the name to count it by."""

    targets: Sequence[Target]
    via: str
    name: str


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Link the Rust files of a project."""
    linker = _RustLinker(files, read)
    linker.declare()
    linker.impls()
    linker.derives()
    for path in sorted(files):
        linker.imports(path)
        for ref in files[path].refs:
            linker.reference(path, ref)
    return linker.done()


class _RustLinker(FirstLineBuilder):
    """Collect the graph of one project."""

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
        return self.target(target, kind) if target.kind in OUTSIDE else None

    # links

    def _link(
        self, start: str, ref: Ref, targets: Iterable[Target], kind: str, via: str, name: str
    ) -> None:
        """Link an import or a trait to all of its targets, or leave it unresolved."""
        ends = [(target, end) for target in targets if (end := self.node(target, kind)) is not None]
        for target, end in ends:
            step = target.kind if target.kind in OUTSIDE else via
            self.add(start, ref.kind, end, ref.line, step)
        if not ends:
            self.leave(start, ref.kind, ref.text, ref.line, name)

    def imports(self, path: str) -> None:
        """Link a file to its imports."""
        for use in self.files[path].imports:
            if use.detail.get("mod"):
                continue
            module = self.names.module_of(path, use.owner)
            targets = [
                target
                for space in (("type",) if use.star else ("type", "value", "macro"))
                for target in self.names.used(use, module, space).targets
            ]
            ref = Ref("imports", FILE, use.path, use.line)
            self._link(file_id(path), ref, targets, "module", "import", use.name)

    def impls(self) -> None:
        """Link types to the traits they implement."""
        for impl, traits in self.types.impl_traits.items():
            symbol, kind = self.names.symbol(impl), self.types.impl_types[impl]
            written, trait = symbol.detail["written"]
            if not trait:
                continue
            start = self.node(target_of(kind), "type") if kind is not None else None
            for target in traits.targets:  # they are interfaces also if the type is not known
                self.node(target, "interface")
            targets, name = traits.targets if start else (), trait.partition("<")[0]
            ref = Ref("implements", symbol.parent, f"impl {trait} for {written}", symbol.line)
            start, name = start or self.ids[impl], name.rsplit("::", 1)[-1]
            self._link(start, ref, targets, "interface", traits.via, name)

    def derives(self) -> None:
        """Link types to the traits they derive.

        Those of the standard library are known, others stay loose.
        """
        for key, start in sorted(self.ids.items()):
            symbol = self.names.symbol(key)
            for name in symbol.detail.get("derives") or ():
                bare = name.rsplit("::", 1)[-1]
                targets = [Target("native", DERIVABLE[bare])] if bare in DERIVABLE else []
                ref = Ref("implements", symbol.parent, f"derive({name})", symbol.line)
                self._link(start, ref, targets, "interface", "native", bare)

    def reference(self, path: str, ref: Ref) -> None:
        """Link a reference to all that it may mean, or leave it unresolved."""
        if ref.detail.get("space") == "macro":
            ref = ref._replace(text=f"{ref.text}!")
        meaning = self._meaning(path, ref)
        if meaning is None:
            return
        start = self.owner(path, ref.owner)
        done = [self._to(start, ref, target, meaning.via) for target in meaning.targets]
        if not any(done) and not ref.detail.get("maybe"):
            self.leave(start, ref.kind, ref.text, ref.line, meaning.name)

    def _meaning(self, path: str, ref: Ref) -> Meaning | None:
        """Return the targets of a reference; None if it is no relation."""
        if "callee" in ref.detail:
            return self._callee(path, ref)
        segments, space = ref.detail["path"], ref.detail["space"]
        if space == "value":
            callee = self.types.callee(path, ["path", segments, [], ref.owner])
            return Meaning(callee.targets, callee.via, segments[-1])
        if segments[0] == "Self":
            return None
        if space == "macro":
            targets, via = self.names.resolve(segments, path, ref.owner, space)
            via = "conditional" if len(targets) > 1 else via
            return Meaning(targets, via, f"{segments[-1]}!")
        space = "value" if space == "variant" else space
        return Meaning(*self.names.resolve(segments, path, ref.owner, space), segments[-1])

    def _callee(self, path: str, ref: Ref) -> Meaning | None:
        """Return the functions that a call may mean; None if it calls a closure."""
        number = ref.detail["callee"]
        function: list[Any] = self.files[path].detail["exprs"][number] if number >= 0 else ["?"]
        is_field = function[0] == "member" and ref.text.startswith("(")
        match function:
            case ["local", binding] if self.types.is_closure(path, binding):
                return None
            case ["path", [*_, name], _, _] | ["qpath", _, _, name, _] | ["member", _, name] if (
                not is_field
            ):
                callee = self.types.callee(path, function, (path, ref.owner))
                return Meaning(callee.targets, callee.via, name)
        return Meaning((), "", ref.text.rsplit("::", 1)[-1].rsplit(".", 1)[-1])

    def _to(self, start: str, ref: Ref, target: Target, via: str) -> bool:
        """Link a reference to one target; return whether it is resolved."""
        if target.kind in OUTSIDE:
            if (found := _outside_relation(ref, target)) is not None:
                relation, kind = found
                self.add(start, relation, self.target(target, kind), ref.line, target.kind)
            return True
        if target.kind != "sym":
            is_open = target.kind == "left" and target.value[0][0].kind != "gen"
            return ref.detail.get("space") in NAMED and not is_open
        symbol, key = self.names.symbol(target.value), target.value
        if symbol.kind in CALLABLE:
            relation = "calls" if ref.kind == "calls" else "uses"
        elif ref.kind == "extends" or (symbol.kind in VALUES and ref.kind != "calls"):
            relation = ref.kind
        else:  # making a struct or variant only uses it
            relation, key = "uses", (key[0], symbol.parent) if symbol.detail.get("variant") else key
            if self.names.symbol(key).kind not in TYPES or self.ids[key] == start:
                return self.names.symbol(key).kind in TYPES
        self.add(start, relation, self.ids[key], ref.line, via)
        return True

    def done(self) -> Linked:
        """Return the graph, with a note on the parts that were not parsed."""
        linked = self.linked()
        macros = sum(facts.detail["macros"] for facts in self.files.values())
        linked.notes += [f"the arguments of {macros} macro calls were not parsed"] if macros else []
        return linked


def _outside_relation(ref: Ref, target: Target) -> tuple[str, str] | None:
    """Return the relation to something outside, and its kind; None if there is no relation."""
    name = target.value.rsplit("::", 1)[-1]
    if ref.detail.get("space") in NAMED:
        is_primitive = target.kind == "native" and "::" not in target.value
        is_type = not ref.detail.get("maybe") or ref.detail["path"][-1][:1].isupper()
        return (ref.kind, "type") if is_type and not is_primitive else None
    if target.value in MADE:
        return "uses", "type"
    if ref.kind == "calls":
        return "calls", "function"
    is_constant = name.isupper() and len(name) > 1
    return (ref.kind, "constant") if is_constant else None


def target_of(kind: Type) -> Target:
    """Return a type without its arguments as the target of a name."""
    return Target("sym", kind.symbol) if kind.sort == INSTANCE else Target(kind.sort, kind.name)
