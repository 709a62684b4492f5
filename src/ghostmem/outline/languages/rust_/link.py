"""Rust: how files hang together.

Every reference becomes a link with the rung that resolved it, or stays loose.
"""

from collections.abc import Mapping
from typing import Any

from ghostmem.outline.facts import Facts, Ref
from ghostmem.outline.graph import Linked, file_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.rust_.nodes import RustNodes
from ghostmem.outline.languages.rust_.std import DERIVABLE
from ghostmem.outline.languages.shared.inference import Target

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
        """Link a file to what it imports."""
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
        segs = ref.detail["macro"]
        found = self.names.resolve(segs, path, ref.owner, "macro")
        earlier = [one for one in found.targets if one.kind != "left"]
        for target in earlier:
            via = (
                "conditional"
                if len(earlier) > 1
                else _outer(self.node(target, "function") or "") or found.via
            )
            self.add(
                self.owner(path, ref.owner),
                "calls",
                self.node(target, "function") or "",
                ref.line,
                via,
            )
        if not earlier:
            self.leave(
                self.owner(path, ref.owner), "calls", f"{ref.text}!", ref.line, f"{segs[-1]}!"
            )

    def _call(self, path: str, ref: Ref) -> None:
        start, facts = self.owner(path, ref.owner), self.files[path]
        at = ref.detail["callee"]
        function: list[Any] = facts.detail["exprs"][at] if at >= 0 else ["?"]
        if function[0] == "local" and self.types.is_closure(path, function[1]):
            return
        targets: list[Target] = []
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

    def _method(self, path: str, function: list[Any], owner: int) -> tuple[list[Target], str]:
        """Resolve `receiver.name` by the type of the receiver."""
        detail = self.files[path].detail
        kind = self.types.infer(path, function[1])
        keys, via, _ = self.types.find(kind, function[2], (path, owner))
        if keys:
            own = function[1] >= 0 and detail["exprs"][function[1]][0] == "self"
            return [
                Target("sym", key) for key in keys
            ], "receiver" if own and via == "type" else via
        if (made := self.types.derived(kind, function[2])) is not None:
            return [made], "native"
        if kind is not None and kind[0] in ("native", "external"):
            inner = self.types.inner(kind)
            if inner is None or inner[0] != "sym":
                held = (
                    inner
                    if inner is not None
                    and inner[0] in ("native", "external")
                    and function[2] != "clone"
                    else kind
                )
                return [Target(held[0], f"{held[1]}::{function[2]}")], held[0]
        return [], ""

    def _call_to(self, start: str, target: Target, line: int, via: str) -> bool:
        """Link a call to a function; what makes a struct or variant only uses it."""
        if target.kind in ("native", "external"):
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
        done = False
        for target in targets:
            if target.kind == "sym":
                one = self.names.symbol(target.value)
                if one.kind in VALUES or one.kind in CALLABLE:
                    kind = ref.kind if one.kind in VALUES else "uses"
                    self.add(start, kind, self.ids[target.value], ref.line, via)
                done = (
                    one.kind in VALUES
                    or one.kind in CALLABLE
                    or self._use(start, target, ref.line, via)
                    or done
                )
            elif target.kind in ("native", "external"):
                done = True
                self._outer_value(start, target, ref, segs[-1])
        if not done and not ref.detail.get("maybe"):
            self.leave(start, ref.kind, ref.text, ref.line, segs[-1])

    def _outer_value(self, start: str, target: Target, ref: Ref, name: str) -> None:
        if name.isupper() and len(name) > 1:
            self.add(start, ref.kind, self.target(target, "constant"), ref.line, target.kind)
        elif target.value in ("std::option::Option", "std::result::Result"):
            self.add(start, "uses", self.target(target, "type"), ref.line, target.kind)

    def _type(self, path: str, ref: Ref) -> None:
        """Link a type, a base or what a pattern takes apart."""
        start, segs, detail = self.owner(path, ref.owner), ref.detail["path"], ref.detail
        if segs[0] == "Self":
            return
        if (impl := detail.get("impl")) is not None and segs[0] in self.files[path].detail["impls"][
            impl
        ]["generics"]:
            return
        found = self.names.resolve(
            segs, path, ref.owner, "value" if detail.get("variant") else "type"
        )
        via, done = found.via, False
        for target in found.targets:
            if target.kind in ("gen", "mod") or (target.kind == "left" and detail.get("maybe")):
                done = True
            elif target.kind in ("native", "external"):
                plain = target.kind == "native" and "::" not in target.value
                if not plain and not (detail.get("maybe") and not segs[-1][:1].isupper()):
                    self.add(start, ref.kind, self.target(target, "type"), ref.line, target.kind)
                done = True
            elif target.kind == "sym":
                if ref.kind == "uses":
                    done = self._use(start, target, ref.line, via) or done
                else:
                    self.add(start, ref.kind, self.ids[target.value], ref.line, via)
                    done = True
            elif target.kind == "left" and target.value[0][0].kind == "gen":
                done = True
        if not done and not detail.get("maybe"):
            self.leave(start, ref.kind, ref.text, ref.line, segs[-1])

    def done(self) -> Linked:
        """Return the graph, and say what was not parsed."""
        linked = self.linked()
        macros = sum(facts.detail["macros"] for facts in self.files.values())
        linked.notes += [f"the arguments of {macros} macro calls were not parsed"] if macros else []
        return linked


def _outer(end: str) -> str:
    """Return native or external for a node from outside the project."""
    return next((origin for origin in ("native", "external") if end.startswith(f"{origin}:")), "")
