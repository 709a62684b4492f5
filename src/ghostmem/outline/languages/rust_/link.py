"""Rust: how files hang together.

Every reference becomes a link with the rung that resolved it, or stays loose.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ghostmem.outline.facts import Facts, Ref
from ghostmem.outline.graph import Linked, file_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.rust_.imports import DERIVABLE
from ghostmem.outline.languages.rust_.nodes import RustNodes
from ghostmem.outline.languages.shared.inference import OUTSIDE, Target, symbols

CALLABLE = frozenset({"function", "method"})
VALUES = frozenset({"constant", "variable"})


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


class _RustLinker(RustNodes):
    """Collect the graph of one project."""

    # links

    def imports(self, path: str) -> None:
        """Link a file to its imports."""
        for one in self.files[path].imports:
            if (one.detail or {}).get("mod"):
                continue
            module = self.names.module_of(path, one.owner)
            found = [
                target
                for space in (("type",) if one.star else ("type", "value", "macro"))
                for target in self.names.used(one, module, space, frozenset()).targets
            ]
            ends = dict.fromkeys(
                end for target in found if (end := self.node(target, "module")) is not None
            )
            for end in ends:
                self.add(file_id(path), "imports", end, one.line, _outer(end) or "import")
            if not ends:
                self.leave(file_id(path), "imports", one.path, one.line, one.name)

    def impls(self) -> None:
        """Link types to the traits they implement."""
        for path in sorted(self.files):
            for at, impl in enumerate(self.files[path].detail["impls"]):
                if not impl["written"][1]:
                    continue
                kind, traits = self.types.impl_types[path, at], self.types.impl_traits[path, at]
                ends = [
                    end
                    for one in traits.targets
                    if (end := self.node(one, "interface")) is not None
                ]
                start = self.node(Target(*kind[:2]), "type") if kind is not None else None
                for end in ends if start else ():
                    self.add(
                        start or "", "implements", end, impl["line"], _outer(end) or traits.via
                    )
                if not ends or not start:
                    name = impl["written"][1].partition("<")[0].rsplit("::", 1)[-1]
                    text = f"impl {impl['written'][1]} for {impl['written'][0]}"
                    self.leave(
                        start or self.owner(path, impl["owner"]),
                        "implements",
                        text,
                        impl["line"],
                        name,
                    )

    def derives(self) -> None:
        """Link types to the traits they derive.

        Those of the standard library are known, others stay loose.
        """
        for key in sorted(self.ids):
            one = self.names.symbol(key)
            for name in one.detail.get("derives") or ():
                bare = name.rsplit("::", 1)[-1]
                if bare in DERIVABLE:
                    end = self.target(Target("native", DERIVABLE[bare]), "interface")
                    self.add(self.ids[key], "implements", end, one.line, "native")
                else:
                    self.leave(self.ids[key], "implements", f"derive({name})", one.line, bare)

    def reference(self, path: str, ref: Ref) -> None:
        """Resolve one reference."""
        detail = ref.detail
        if "macro" in detail:
            self._macro(path, ref)
        elif ref.kind == "calls":
            self._call(path, ref)
        elif "value" in detail:
            self._value(path, ref)
        else:
            self._type(path, ref)

    def _macro(self, path: str, ref: Ref) -> None:
        start, segs = self.owner(path, ref.owner), ref.detail["macro"]
        found = self.names.resolve(segs, path, ref.owner, "macro")
        ends = [self.node(one, "function") or "" for one in found.targets if one.kind != "left"]
        for end in ends:
            via = "conditional" if len(ends) > 1 else _outer(end) or found.via
            self.add(start, "calls", end, ref.line, via)
        if not ends:
            self.leave(start, "calls", f"{ref.text}!", ref.line, f"{segs[-1]}!")

    def _call(self, path: str, ref: Ref) -> None:
        start, facts = self.owner(path, ref.owner), self.files[path]
        at = ref.detail["callee"]
        function: list[Any] = facts.detail["exprs"][at] if at >= 0 else ["?"]
        if function[0] == "local" and self.types.is_closure(path, function[1]):
            return
        targets: Sequence[Target] = ()
        via, name = "", ref.text.rsplit("::", 1)[-1].rsplit(".", 1)[-1]
        if function[0] in ("path", "qpath"):
            name = function[1][-1] if function[0] == "path" else function[3]
            targets, via, _ = self.types.callee(path, function)
        elif function[0] == "member" and not ref.text.startswith("("):
            name = function[2]
            targets, via = self._method(path, function, ref.owner)
        done = [self._call_to(start, target, ref.line, via) for target in targets]
        if not any(done):
            self.leave(start, "calls", ref.text, ref.line, name)

    def _method(self, path: str, function: list[Any], owner: int) -> tuple[Sequence[Target], str]:
        """Resolve `receiver.name` by the type of the receiver."""
        _, receiver, name = function
        kind = self.types.infer(path, receiver)
        keys, via, _ = self.types.find(kind, name, (path, owner))
        if keys:
            exprs = self.files[path].detail["exprs"]
            is_self = via == "type" and receiver >= 0 and exprs[receiver][0] == "self"
            return symbols(keys), "receiver" if is_self else via
        if (derived := self.types.derived(kind, name)) is not None:
            return [derived], "native"
        if kind is None or kind[0] not in OUTSIDE:
            return [], ""
        inner = self.types.inner(kind)
        if inner is not None and inner[0] == "sym":
            return [], ""
        holder = inner if inner and inner[0] in OUTSIDE and name != "clone" else kind
        return [Target(holder[0], f"{holder[1]}::{name}")], holder[0]

    def _call_to(self, start: str, target: Target, line: int, via: str) -> bool:
        """Link a call to a function; making a struct or variant only uses it."""
        if target.kind in OUTSIDE:
            made = target.value in ("std::option::Option", "std::result::Result")
            kind, what = ("uses", "type") if made else ("calls", "function")
            self.add(start, kind, self.target(target, what), line, target.kind)
            return True
        if target.kind != "sym":
            return False
        one = self.names.symbol(target.value)
        if one.kind in CALLABLE:
            self.add(start, "calls", self.ids[target.value], line, via)
            return True
        return self._use(start, target, line, via)

    def _use(self, start: str, target: Target, line: int, via: str) -> bool:
        one = self.names.symbol(target.value)
        end = (target.value[0], one.parent) if one.detail.get("variant") else target.value
        if self.names.symbol(end).kind not in ("type", "interface"):
            return False
        if self.ids[end] != start:
            self.add(start, "uses", self.ids[end], line, via)
        return True

    def _value(self, path: str, ref: Ref) -> None:
        """Link a read or write of a constant or static.

        A unit struct, a variant, or a function that is not called here is used.
        """
        start, segs = self.owner(path, ref.owner), ref.detail["value"]
        targets, via, _ = self.types.callee(path, ["path", segs, [], ref.owner])
        done = [self._value_to(start, target, ref, via) for target in targets]
        if not any(done) and not ref.detail.get("maybe"):
            self.leave(start, ref.kind, ref.text, ref.line, segs[-1])

    def _value_to(self, start: str, target: Target, ref: Ref, via: str) -> bool:
        """Link a reference to a value; return whether it is resolved."""
        if target.kind in OUTSIDE:
            self._outer_value(start, target, ref, ref.detail["value"][-1])
            return True
        if target.kind != "sym":
            return False
        kind = self.names.symbol(target.value).kind
        if kind not in VALUES and kind not in CALLABLE:
            return self._use(start, target, ref.line, via)
        used_as = ref.kind if kind in VALUES else "uses"
        self.add(start, used_as, self.ids[target.value], ref.line, via)
        return True

    def _outer_value(self, start: str, target: Target, ref: Ref, name: str) -> None:
        if name.isupper() and len(name) > 1:
            self.add(start, ref.kind, self.target(target, "constant"), ref.line, target.kind)
        elif target.value in ("std::option::Option", "std::result::Result"):
            self.add(start, "uses", self.target(target, "type"), ref.line, target.kind)

    def _type(self, path: str, ref: Ref) -> None:
        """Link a type, a base or the type in a pattern."""
        segs, detail = ref.detail["path"], ref.detail
        impl = detail.get("impl")
        if segs[0] == "Self" or (
            impl is not None and segs[0] in self.files[path].detail["impls"][impl]["generics"]
        ):
            return
        space = "value" if detail.get("variant") else "type"
        found = self.names.resolve(segs, path, ref.owner, space)
        start = self.owner(path, ref.owner)
        done = [self._type_to(start, target, ref, found.via) for target in found.targets]
        if not any(done) and not detail.get("maybe"):
            self.leave(start, ref.kind, ref.text, ref.line, segs[-1])

    def _type_to(self, start: str, target: Target, ref: Ref, via: str) -> bool:
        """Link a reference to a type; return whether it is resolved."""
        is_maybe = bool(ref.detail.get("maybe"))
        if target.kind == "left":
            return is_maybe or target.value[0][0].kind == "gen"
        if target.kind in OUTSIDE:
            is_primitive = target.kind == "native" and "::" not in target.value
            is_type = not is_maybe or ref.detail["path"][-1][:1].isupper()
            if is_type and not is_primitive:
                self.add(start, ref.kind, self.target(target, "type"), ref.line, target.kind)
        elif target.kind == "sym":
            if ref.kind == "uses":
                return self._use(start, target, ref.line, via)
            self.add(start, ref.kind, self.ids[target.value], ref.line, via)
        return True

    def done(self) -> Linked:
        """Return the graph, with a note on the parts that were not parsed."""
        linked = self.linked()
        macros = sum(facts.detail["macros"] for facts in self.files.values())
        linked.notes += [f"the arguments of {macros} macro calls were not parsed"] if macros else []
        return linked


def _outer(end: str) -> str:
    """Return native or external for a node from outside the project."""
    return next((origin for origin in OUTSIDE if end.startswith(f"{origin}:")), "")
