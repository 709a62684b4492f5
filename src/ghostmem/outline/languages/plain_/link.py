"""Link declarations, imports and base types, by rules that each language has."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ghostmem.outline.facts import FILE, Facts, Import, Ref, Symbol
from ghostmem.outline.graph import (
    EXTERNAL,
    FORWARD,
    NATIVE,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    file_id,
    outside_id,
    project_id,
)
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.plain_.gather import ALIAS, STAR

TYPES = {"type", "interface", "module"}
_GENERIC = re.compile(r"<[^<>]*>|\([^()]*\)|[\s?]")


@dataclass(frozen=True)
class PlainRules:
    """What the linker must know about a language."""

    name: str
    separator: str
    kinds: tuple[str, ...]
    natives: frozenset[str]  # types that the language brings, by their whole name
    is_native: Callable[
        [str], bool
    ]  # whether a whole name that is not in the project comes with the language
    stars: tuple[str, ...] = ()  # packages that every file imports
    find_file: Callable[[Import, str, Mapping[str, Facts]], str | None] | None = (
        None  # where imports name files
    )


def link_plain(rules: PlainRules, files: Mapping[str, Facts], _read: Read) -> Linked:
    """Return the graph of all files."""
    linker = _PlainLinker(rules, {path: files[path] for path in sorted(files)})
    for path in linker.files:
        linker.declare(path)
    for path in linker.files:
        linker.bring(path)
        linker.extend(path)
    without = ", ".join(kind for kind in FORWARD if kind not in rules.kinds)
    linker.linked.notes.append(f"{rules.name}: {without} are not looked for")
    return linker.linked


@dataclass(slots=True)
class _PlainLinker:
    rules: PlainRules
    files: dict[str, Facts]
    linked: Linked = field(default_factory=Linked)
    ids: dict[tuple[str, int], str] = field(default_factory=dict)
    named: dict[str, list[tuple[OutlineNode, Symbol]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    packages: dict[str, list[str]] = field(
        default_factory=lambda: defaultdict(list)
    )  # the files of each
    scopes: set[str] = field(default_factory=set)  # names that something can be inside of
    bare: dict[str, int] = field(
        default_factory=lambda: defaultdict(int)
    )  # how many types have a name
    everywhere: set[str] = field(default_factory=set)  # packages that one file imports for all

    def declare(self, path: str) -> None:
        facts = self.files[path]
        last = max((symbol.end_line for symbol in facts.symbols), default=1)
        self.ids[path, FILE] = file_id(path)
        self.everywhere.update(
            one.path for one in facts.imports if one.star and one.detail.get("global")
        )
        self.linked.nodes[file_id(path)] = OutlineNode(
            file_id(path), path, "file", file=path, line=1, end_line=last
        )
        for package in sorted({*(facts.detail or {}).get("packages", ())} - {""}):
            self.packages[package].append(path)
            parts = package.split(self.rules.separator)
            self.scopes.update(
                self.rules.separator.join(parts[:size]) for size in range(1, len(parts) + 1)
            )
        for at, symbol in enumerate(facts.symbols):
            name = symbol.detail["name"]
            key = project_id(path, name, symbol.start)
            while key in self.linked.nodes:  # x, x = 1, 2
                key += "+"
            node = OutlineNode(
                key,
                name,
                symbol.kind,
                file=path,
                line=symbol.line,
                end_line=symbol.end_line,
                signature=symbol.signature,
            )
            self.linked.nodes[key] = node._replace(body=symbol.detail["body"])
            self.ids[path, at] = key
            self.named[name].append((node, symbol))
            if symbol.kind in TYPES:
                self.scopes.add(name)
                self.bare[symbol.name.rpartition(self.rules.separator)[2]] += 1
            via = "file" if symbol.parent == FILE else "type"
            self.linked.links.append(
                OutlineLink(self.ids[path, symbol.parent], "declares", key, symbol.line, via)
            )

    def bring(self, path: str) -> None:
        for one in self.files[path].imports:
            names_file = one.detail.get("file", False)
            if names_file and self.rules.find_file is not None:
                found = self.rules.find_file(one, path, self.files)
                ends = [found] if found is not None else []
                if not ends and one.detail.get("relative"):
                    self.linked.loose.append(
                        Loose(
                            file_id(path),
                            "imports",
                            one.path,
                            one.line,
                            one.path.rpartition("/")[2],
                            0,
                        )
                    )
                    continue
                ends = [file_id(end) for end in ends]
            else:
                package = [file_id(file) for file in self.packages.get(one.path, [])]
                symbols = [node.id for node, _ in self.named.get(one.path, [])]
                ends = (package or symbols) if one.star else (symbols or package)
            via = ALIAS if ends else NATIVE if self.rules.is_native(one.path) else EXTERNAL
            ends = ends or [
                self.outside(
                    one.path,
                    one.detail.get("kind") or ("module" if one.star or names_file else "type"),
                )
            ]
            self.linked.links.extend(
                OutlineLink(file_id(path), "imports", end, one.line, via) for end in ends
            )

    def extend(self, path: str) -> None:
        for ref in self.files[path].refs:
            owner = self.linked.nodes[self.ids[path, ref.owner]]
            name = without_arguments(ref.detail.get("name") or ref.text)
            ends, via = self.resolve(path, ref, name, owner)
            for end in ends:
                node = self.linked.nodes[end]
                kind = ref.kind
                if ref.detail.get("by_target") and node.file:
                    kind = (
                        "implements"
                        if node.kind == "interface" and owner.kind != "interface"
                        else "extends"
                    )
                self.linked.links.append(OutlineLink(owner.id, kind, end, ref.line, via))
            if not ends:
                last = name.rpartition(self.rules.separator)[2]
                self.linked.loose.append(
                    Loose(owner.id, ref.kind, ref.text, ref.line, last, self.bare.get(last, 0))
                )

    def resolve(self, path: str, ref: Ref, name: str, owner: OutlineNode) -> tuple[list[str], str]:
        """Return what a name means by the first rung that knows its first part.

        Nothing when that has no such member.
        """
        if not name or not ref.detail["rungs"]:
            return [], ""
        separator = self.rules.separator
        if name.startswith(separator) or ref.detail.get("absolute"):
            whole = name.removeprefix(separator)
            found = self.types(whole, ref, owner)
            return (found or [self.outside(whole, "type")]), "absolute"
        head, _, rest = name.partition(separator)
        for rung, place in ref.detail["rungs"]:
            wholes = [
                self.join(one, rest) for one in self.heads(path, rung, place, head, owner, rest)
            ]
            if not wholes:
                continue
            if len(wholes) > 1:  # two stars have it: which one is meant cannot be told
                return [], ""
            found = self.types(wholes[0], ref, owner)
            if found:
                return found, "conditional" if len(found) > 1 else ALIAS if rung == STAR else rung
            if wholes[0] in self.rules.natives:
                return [self.outside(wholes[0], "type")], NATIVE
            return (
                ([self.outside(wholes[0], "type")], ALIAS)
                if rung == ALIAS and wholes[0] not in self.named
                else ([], "")
            )
        # written with its package: java.util.ArrayList, System.Exception
        return (
            ([self.outside(name, "type")], NATIVE)
            if rest and self.rules.is_native(name)
            else ([], "")
        )

    def heads(
        self, path: str, rung: str, place: str, head: str, owner: OutlineNode, rest: str
    ) -> list[str]:
        if rung == ALIAS:
            brought = [
                one
                for one in self.files[path].imports
                if not one.star and not one.detail.keys() & {"file", "kind"}
            ]
            return sorted(
                {
                    one.path
                    for one in brought
                    if head == (one.alias or one.path.rpartition(self.rules.separator)[2])
                }
            )
        if rung == STAR:
            stars = {one.path for one in self.files[path].imports if one.star} | self.everywhere
            return self.starred(stars, head) or self.starred({*self.rules.stars} - stars, head)
        whole = self.join(place, head)
        known = whole in self.scopes or whole in self.rules.natives
        # a type is not its own base: class Error < Error means another
        return [whole] if known and (rest or self.is_other(whole, owner)) else []

    def starred(self, stars: set[str], head: str) -> list[str]:
        wholes = (self.join(star, head) for star in stars)
        return sorted(
            whole for whole in wholes if whole in self.scopes or whole in self.rules.natives
        )

    def is_other(self, whole: str, owner: OutlineNode) -> bool:
        # C# has types of one name that take a different number of arguments
        arities = {node.id: symbol.detail.get("arity", 0) for node, symbol in self.named[whole]}
        return whole != owner.name or any(
            arity != arities.get(owner.id, 0) for arity in arities.values()
        )

    def types(self, whole: str, ref: Ref, owner: OutlineNode) -> list[str]:
        found = [
            (node, symbol)
            for node, symbol in self.named.get(whole, [])
            if symbol.kind in TYPES and node.id != owner.id
        ]
        if "arity" in ref.detail:
            found = [
                (node, symbol)
                for node, symbol in found
                if symbol.detail.get("arity", 0) == ref.detail["arity"]
            ]
        return [node.id for node, _ in found]

    def join(self, place: str, name: str) -> str:
        return f"{place}{self.rules.separator}{name}" if place and name else place or name

    def outside(self, name: str, kind: str) -> str:
        origin = NATIVE if name in self.rules.natives or self.rules.is_native(name) else EXTERNAL
        key = outside_id(origin, name)
        where = (
            name
            if kind == "module" or origin == NATIVE
            else name.rpartition(self.rules.separator)[0] or name
        )
        self.linked.nodes.setdefault(
            key, OutlineNode(key, name, kind, origin, where=where if origin == EXTERNAL else "")
        )
        return key


def without_arguments(text: str) -> str:
    """Return the name of a type without its type arguments and blanks."""
    before = ""
    while before != text:
        before, text = text, _GENERIC.sub("", text)
    return text
