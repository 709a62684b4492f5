"""Link the references of all files: each becomes a link, or stays loose and is counted."""

from __future__ import annotations

import re

from ghostmem.outline.facts import Expression, Facts, Ref
from ghostmem.outline.graph import EXTERNAL, NATIVE, Linked, file_id
from ghostmem.outline.languages.shared.graph_builder import MET, GraphBuilder
from ghostmem.outline.resolve.infer import TypeInference
from ghostmem.outline.resolve.overloads import CallArguments
from ghostmem.outline.resolve.types import (
    CLASS,
    INSTANCE,
    OUTSIDE,
    OUTSIDE_CLASS,
    PARAMETER,
    VALUE,
    Key,
    Type,
    parts_of,
)


class GraphLinker(GraphBuilder):
    """A graph under way; `roots` are the first parts of package names."""

    last_name = re.compile(r"([\w$]+)\W*$")

    def __init__(self, inference: TypeInference, roots: set[str]) -> None:
        super().__init__(inference.files)
        self.inference = inference
        self.roots = roots | {one.split(".")[0] for one in inference.packages}

    def run(self) -> Linked:
        """Return the graph in a fixed order."""
        for path, facts in self.files.items():
            self.add_file(path)
            for number, one in enumerate(facts.symbols):
                key = self.add_symbol(path, number, one.full)
                self.add(self.owner(path, one.parent), "declares", key, one.line, "local")
        for path, facts in self.files.items():
            self._import(path, facts)
            for ref in facts.refs:
                self._resolve(path, ref)
        return self.linked()

    def _from_elsewhere(self, name: str, kind: str, where: str) -> tuple[str, str]:
        """Add something native or external, and return its id and origin."""
        origin = NATIVE if self.inference.library.is_native(name) else EXTERNAL
        return self.outside(origin, name, kind, where), origin

    def _to(self, path: str, ref: Ref, kind: str, keys: list[Key], via: str) -> None:
        """Link a reference to all that it may mean."""
        keys = list(dict.fromkeys(keys))
        for key in keys:
            step = "conditional" if len(keys) > 1 else via
            self.add(self.owner(path, ref.owner), kind, self.ids[key], ref.line, step)

    def _away(self, path: str, ref: Ref, kind: str, name: str) -> None:
        """Link a reference to something from elsewhere."""
        is_native = self.inference.library.is_native(name)
        where = "" if is_native else name.rpartition(".")[0]
        key, origin = self._from_elsewhere(name, MET.get(kind, "type"), where)
        self.add(self.owner(path, ref.owner), kind, key, ref.line, origin)

    def _import(self, path: str, facts: Facts) -> None:
        for statement in facts.imports:
            is_static = "static" in statement.options
            is_package = statement.star and not is_static
            name = statement.path
            if is_static and not statement.star:
                name = name.rpartition(".")[0]
            is_known = is_package and name in self.inference.packages
            files = (
                [one for one in self.inference.packages[name] if one != path] if is_known else []
            )
            kind = None if is_known else self.inference.class_at(name)
            if kind is not None and kind.sort == CLASS:
                files = [kind.symbol[0]]
            elif kind is not None:
                package = name.rpartition(".")[0]
                what = "module" if is_package else "type"
                key, origin = self._from_elsewhere(name, what, package)
                self.add(file_id(path), "imports", key, statement.line, origin)
            elif not is_known:
                last = statement.path.rpartition(".")[2]
                self.leave(file_id(path), "imports", statement.path, statement.line, last)
            for file in files:
                self.add(file_id(path), "imports", file_id(file), statement.line, "import")

    def _resolve(self, path: str, ref: Ref) -> None:
        if ref.expression < 0:
            self._type(path, ref)
            return
        one = self.inference.expression(path, ref.expression)
        if ref.kind != "calls":
            self._data(path, ref, one)
        elif one.op == "new":
            self._new(path, ref, one)
        elif one.op == "constructor":
            self._own_constructor(path, ref, one)
        elif one.op == "enum_constant":
            key = (path, ref.owner)
            made = self.inference.constructors(key, CallArguments(path, one.parts))
            self._to(path, ref, "calls", made or [key], "receiver")
        else:
            self._call(path, ref, one)

    def _call(self, path: str, ref: Ref, one: Expression) -> None:
        inference = self.inference
        found = inference.callee(path, one)
        keys = [key for key, _ in found.methods]
        if keys:
            within = {inference.symbol((key[0], inference.symbol(key).parent)).kind for key in keys}
            static = all("static" in inference.symbol(key).flags for key in keys)
            virtual = within == {"interface"} and not static
            self._to(path, ref, "calls", keys, "interface" if virtual else found.via)
        elif found.outside:
            self._away(path, ref, "calls", found.outside)
        else:
            self.loose(path, ref)

    def _named(self, path: str, term: int, scope: int) -> tuple[Type | None, str]:
        one = self.inference.files[path].terms[term] if term >= 0 else None
        if one is None or one.sort != "named":
            return None, ""
        return self.inference.class_named(path, one.name, scope)

    def _new(self, path: str, ref: Ref, one: Expression) -> None:
        found, via = self._named(path, one.term, one.scope)
        if found is not None and found.sort == CLASS:
            self._to(path, ref, "uses", [found.symbol], via)
            if self.inference.symbol(found.symbol).kind != "interface":
                made = self.inference.constructors(found.symbol, CallArguments(path, one.parts))
                self._to(path, ref, "calls", made or [found.symbol], via)
        elif found is not None and found.sort == OUTSIDE_CLASS:
            self._away(path, ref, "uses", found.name)
            if one.name != "body":  # with one, it may be an interface, which has nothing to call
                self._away(path, ref, "calls", found.name)
        else:
            self.loose(path, ref)

    def _own_constructor(self, path: str, ref: Ref, one: Expression) -> None:
        key = self.inference.type_at(path, one.scope)
        if key is None:
            return
        kind = self.inference.superclass(key) if one.name == "super" else Type(INSTANCE, key)
        if kind is not None and kind.sort == INSTANCE:
            made = self.inference.constructors(kind.symbol, CallArguments(path, one.parts))
            self._to(path, ref, "calls", made or [kind.symbol], "receiver")
        elif kind is not None and kind.sort == OUTSIDE:
            self._away(path, ref, "calls", kind.name)
        else:
            self.loose(path, ref)

    def _data(self, path: str, ref: Ref, one: Expression) -> None:
        """Link a read or write of a static field; a class that is named on the way is used."""
        inference = self.inference
        if one.op == "method":
            kind = inference.type_of(path, one.target)
            found = [inference.methods(part, one.name, None) for part in parts_of(kind)]
            self._to(path, ref, "uses", [key for rows in found for key, _ in rows], "type")
            return
        if one.op == "name":
            kind, key, via = inference.variable(path, one.name, one.scope)
            if key is None and via == "variable":
                return
            if key is None and via == "" and one.name not in self.roots:
                self.loose(path, ref)
                return
        else:
            held = inference.type_of(path, one.target)
            key, _ = inference.field_of(held, one.name)
            kind, via = (None if key else inference.type_of(path, ref.expression)), "type"
            if held is None and kind is not None and kind.sort == CLASS:
                via = "package"
        self._link_data(path, ref, kind, key, via)

    def _link_data(self, path: str, ref: Ref, kind: Type | None, key: Key | None, via: str) -> None:
        if key is not None:
            if "static" in self.inference.symbol(key).flags:
                self._to(path, ref, ref.kind, [key], via)
        elif kind is None:
            return
        elif kind.sort == CLASS:
            self._to(path, ref, "uses", [kind.symbol], via)
        elif kind.sort == OUTSIDE_CLASS:
            self._away(path, ref, "uses", kind.name)
        elif kind.sort == VALUE:
            self._away(path, ref, ref.kind, kind.name)

    def _type(self, path: str, ref: Ref) -> None:
        term = self.inference.files[path].terms[ref.term] if ref.term >= 0 else None
        if term is not None and term.sort != "named":
            return
        scope = ref.scope
        if ref.kind in ("extends", "implements"):
            scope = self.inference.outer_scope((path, ref.owner), ref)
        found, via = self._named(path, ref.term, scope)
        if found is None:
            self.loose(path, ref)
        elif found.sort == CLASS:
            kind = ref.kind
            if ref.detail == "either" and self.inference.symbol(found.symbol).kind == "interface":
                kind = "implements"  # an anonymous class of an interface
            self._to(path, ref, kind, [found.symbol], via)
        elif found.sort == OUTSIDE_CLASS:
            self._away(path, ref, ref.kind, found.name)
        elif found.sort != PARAMETER:
            self.loose(path, ref)
