"""Link the references of all files: each becomes a link, or stays loose and is counted."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from ghostmem.outline.facts import FILE, Expression, Facts, Ref
from ghostmem.outline.graph import (
    EXTERNAL,
    NATIVE,
    PROJECT,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    file_id,
    outside_id,
    project_id,
)
from ghostmem.outline.resolve.infer import TypeInference
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

# kinds of something outside, when it is met as several, and as what a reference meets it
SORTS = ("module", "type", "function", "variable")
MET = {"calls": "function", "accesses": "variable", "assigns": "variable"}
_LAST_NAME = re.compile(r"([\w$]+)\W*$")


@dataclass(slots=True)
class GraphLinker:
    """A graph under way: nodes once, links once, the same whatever the order they came in."""

    world: TypeInference
    ids: dict[Key, str] = field(default_factory=dict)
    nodes: dict[str, OutlineNode] = field(default_factory=dict)
    links: set[OutlineLink] = field(default_factory=set)
    unresolved: set[Loose] = field(default_factory=set)
    names: Counter[str] = field(default_factory=Counter)
    roots: set[str] = field(default_factory=set)  # what begins the name of a package

    def run(self) -> Linked:
        """Return the graph in a fixed order."""
        files = self.world.files
        self.names.update(one.name for facts in files.values() for one in facts.symbols)
        self.roots |= {one.split(".")[0] for one in self.world.packages}
        for path, facts in files.items():
            self._declare(path, facts)
        for path, facts in files.items():
            self._import(path, facts)
            for ref in facts.refs:
                self._resolve(path, ref)
        return Linked(dict(sorted(self.nodes.items())), sorted(self.links), sorted(self.unresolved))

    def _declare(self, path: str, facts: Facts) -> None:
        self.nodes[file_id(path)] = OutlineNode(file_id(path), path, "file", file=path, line=1)
        for number, one in enumerate(facts.symbols):
            key = self.ids[path, number] = project_id(path, one.full, one.start)
            place = (path, one.line, one.end_line, one.signature)
            self.nodes[key] = OutlineNode(
                key, one.full, one.kind, PROJECT, *place, full=one.full, body=one.body
            )
            self._link(self._owner(path, one.parent), "declares", key, one.line, "local")

    def _owner(self, path: str, number: int) -> str:
        return self.ids[path, number] if number != FILE else file_id(path)

    def _link(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        self.links.add(OutlineLink(start, kind, end, line, via))

    def _outside(self, name: str, kind: str, where: str) -> tuple[str, str]:
        """Add something native or external, and return its id and origin."""
        origin = NATIVE if self.world.library.is_native(name) else EXTERNAL
        key = outside_id(origin, name)
        before = self.nodes.get(key)
        if before is None or SORTS.index(kind) < SORTS.index(before.kind):
            self.nodes[key] = OutlineNode(key, name, kind, origin, where=where, full=name)
        return key, origin

    def _leave(self, owner: str, kind: str, text: str, line: int, name: str) -> None:
        self.unresolved.add(Loose(owner, kind, text, line, name, self.names.get(name, 0)))

    def _loose(self, path: str, ref: Ref) -> None:
        found = _LAST_NAME.search(ref.text)
        name = found.group(1) if found else ref.text
        self._leave(self._owner(path, ref.owner), ref.kind, ref.text, ref.line, name)

    def _to(self, path: str, ref: Ref, kind: str, keys: list[Key], via: str) -> None:
        """Link a reference to all that it may mean."""
        keys = list(dict.fromkeys(keys))
        for key in keys:
            step = "conditional" if len(keys) > 1 else via
            self._link(self._owner(path, ref.owner), kind, self.ids[key], ref.line, step)

    def _away(self, path: str, ref: Ref, kind: str, name: str) -> None:
        """Link a reference to something from elsewhere."""
        native = self.world.library.is_native(name)
        where = "" if native else name.rpartition(".")[0]
        key, origin = self._outside(name, MET.get(kind, "type"), where)
        self._link(self._owner(path, ref.owner), kind, key, ref.line, origin)

    def _import(self, path: str, facts: Facts) -> None:
        world = self.world
        for one in facts.imports:
            static = "static" in one.options
            whole = one.star and not static
            name = one.path.rpartition(".")[0] if static and not one.star else one.path
            if whole and name in world.packages:
                ends = [other for other in world.packages[name] if other != path]
            else:
                found = world.class_at(name)
                if found is None:
                    last = one.path.rpartition(".")[2]
                    self._leave(file_id(path), "imports", one.path, one.line, last)
                    continue
                if found.sort != CLASS:
                    kind = "module" if whole else "type"
                    key, origin = self._outside(name, kind, name.rpartition(".")[0])
                    self._link(file_id(path), "imports", key, one.line, origin)
                    continue
                ends = [found.symbol[0]]
            for end in ends:
                self._link(file_id(path), "imports", file_id(end), one.line, "import")

    def _resolve(self, path: str, ref: Ref) -> None:
        if ref.expression < 0:
            self._type(path, ref)
            return
        one = self.world.expression(path, ref.expression)
        if ref.kind != "calls":
            self._data(path, ref, one)
        elif one.op == "new":
            self._new(path, ref, one)
        elif one.op == "constructor":
            self._own_constructor(path, ref, one)
        elif one.op == "enum_constant":
            key = (path, ref.owner)
            made = self.world.constructors(key, len(one.parts))
            self._to(path, ref, "calls", made or [key], "receiver")
        else:
            self._call(path, ref, one)

    def _call(self, path: str, ref: Ref, one: Expression) -> None:
        world = self.world
        found = world.callee(path, one)
        keys = [key for key, _ in found.methods]
        if keys:
            within = {world.symbol((key[0], world.symbol(key).parent)).kind for key in keys}
            static = all("static" in world.symbol(key).flags for key in keys)
            virtual = within == {"interface"} and not static
            self._to(path, ref, "calls", keys, "interface" if virtual else found.via)
        elif found.outside:
            self._away(path, ref, "calls", found.outside)
        else:
            self._loose(path, ref)

    def _named(self, path: str, term: int, scope: int) -> tuple[Type | None, str]:
        one = self.world.files[path].terms[term] if term >= 0 else None
        if one is None or one.sort != "named":
            return None, ""
        return self.world.class_named(path, one.name, scope)

    def _new(self, path: str, ref: Ref, one: Expression) -> None:
        found, via = self._named(path, one.term, one.scope)
        if found is not None and found.sort == CLASS:
            self._to(path, ref, "uses", [found.symbol], via)
            if self.world.symbol(found.symbol).kind != "interface":
                made = self.world.constructors(found.symbol, len(one.parts))
                self._to(path, ref, "calls", made or [found.symbol], via)
        elif found is not None and found.sort == OUTSIDE_CLASS:
            self._away(path, ref, "uses", found.name)
            if one.name != "body":  # with one, it may be an interface, which has nothing to call
                self._away(path, ref, "calls", found.name)
        else:
            self._loose(path, ref)

    def _own_constructor(self, path: str, ref: Ref, one: Expression) -> None:
        key = self.world.type_at(path, one.scope)
        if key is None:
            return
        kind = self.world.superclass(key) if one.name == "super" else Type(INSTANCE, key)
        if kind is not None and kind.sort == INSTANCE:
            made = self.world.constructors(kind.symbol, len(one.parts))
            self._to(path, ref, "calls", made or [kind.symbol], "receiver")
        elif kind is not None and kind.sort == OUTSIDE:
            self._away(path, ref, "calls", kind.name)
        else:
            self._loose(path, ref)

    def _data(self, path: str, ref: Ref, one: Expression) -> None:
        """Link a read or write of a static field; a class that is named on the way is used."""
        world = self.world
        if one.op == "method":
            kind = world.type_of(path, one.target)
            found = [world.methods(part, one.name, None) for part in parts_of(kind)]
            self._to(path, ref, "uses", [key for rows in found for key, _ in rows], "type")
            return
        if one.op == "name":
            kind, key, via = world.variable(path, one.name, one.scope)
            if key is None and via == "variable":
                return
            if key is None and via == "" and one.name not in self.roots:
                self._loose(path, ref)
                return
        else:
            held = world.type_of(path, one.target)
            key, _ = world.field_of(held, one.name)
            kind, via = (None if key else world.type_of(path, ref.expression)), "type"
            if held is None and kind is not None and kind.sort == CLASS:
                via = "package"
        self._link_data(path, ref, kind, key, via)

    def _link_data(self, path: str, ref: Ref, kind: Type | None, key: Key | None, via: str) -> None:
        if key is not None:
            if "static" in self.world.symbol(key).flags:
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
        term = self.world.files[path].terms[ref.term] if ref.term >= 0 else None
        if term is not None and term.sort != "named":
            return
        scope = ref.scope
        if ref.kind in ("extends", "implements"):
            scope = self.world.outer_scope((path, ref.owner), ref)
        found, via = self._named(path, ref.term, scope)
        if found is None:
            self._loose(path, ref)
        elif found.sort == CLASS:
            kind = ref.kind
            if ref.detail == "either" and self.world.symbol(found.symbol).kind == "interface":
                kind = "implements"  # an anonymous class of an interface
            self._to(path, ref, kind, [found.symbol], via)
        elif found.sort == OUTSIDE_CLASS:
            self._away(path, ref, ref.kind, found.name)
        elif found.sort != PARAMETER:
            self._loose(path, ref)
