"""Link declarations, imports and base types, by rules that each language has."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ghostmem.outline.extract import extract, type_arguments
from ghostmem.outline.facts import FILE, Facts, Ref, Symbol
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
from ghostmem.outline.languages.base import Language
from ghostmem.outline.rules import IMPORT, PACKAGE, SCOPE, STAR, FindFile, Rules, joined

TYPES = {"type", "interface", "module"}
_GENERIC = re.compile(r"<[^<>]*>|\([^()]*\)|[\s?]")


def plain_language(rules: Rules, suffixes: tuple[str, ...], package: str) -> Language:
    """Return a language of which only declarations, imports and base types are known."""
    return Language(
        name=rules.name,
        suffixes=suffixes,
        grammar=lambda _path: rules.grammar(),
        package=package,
        version=2,
        extract=lambda root, source, _path: extract(rules, root, source),
        link=lambda files, _read: link_plain(rules, files),
    )


def link_plain(rules: Rules, files: Mapping[str, Facts]) -> Linked:
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
    rules: Rules
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
    find_file: FindFile | None = None

    def __post_init__(self) -> None:
        if self.rules.find_files is not None:
            self.find_file = self.rules.find_files(self.files)

    def declare(self, path: str) -> None:
        facts = self.files[path]
        last = max((symbol.end_line for symbol in facts.symbols), default=1)
        self.ids[path, FILE] = file_id(path)
        self.everywhere.update(
            one.path for one in facts.imports if one.star and "global" in one.options
        )
        self.linked.nodes[file_id(path)] = OutlineNode(
            file_id(path), path, "file", file=path, line=1, end_line=last
        )
        for package in sorted({one.name for one in facts.scopes if one.kind == "package"} - {""}):
            self.packages[package].append(path)
            parts = package.split(self.rules.separator)
            self.scopes.update(
                self.rules.separator.join(parts[:size]) for size in range(1, len(parts) + 1)
            )
        for at, symbol in enumerate(facts.symbols):
            name = symbol.full
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
            self.linked.nodes[key] = node._replace(body=symbol.body)
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
            names_file = "file" in one.options
            if names_file and self.find_file is not None:
                found = self.find_file(one, path)
                if found is None and "relative" in one.options:
                    last = one.path.rpartition("/")[2]
                    loose = Loose(file_id(path), "imports", one.path, one.line, last, 0)
                    self.linked.loose.append(loose)
                    continue
                ends = [file_id(found)] if found is not None else []
            else:
                package = [file_id(file) for file in self.packages.get(one.path, [])]
                symbols = [node.id for node, _ in self.named.get(one.path, [])]
                ends = (package or symbols) if one.star else (symbols or package)
            via = IMPORT if ends else NATIVE if self.rules.is_native(one.path) else EXTERNAL
            kind = one.kind or ("module" if one.star or names_file else "type")
            ends = ends or [self.outside(one.path, kind)]
            self.linked.links.extend(
                OutlineLink(file_id(path), "imports", end, one.line, via) for end in ends
            )

    def extend(self, path: str) -> None:
        for ref in self.files[path].refs:
            owner = self.linked.nodes[self.ids[path, ref.owner]]
            name = without_arguments(ref.text)
            ends, via = self.resolve(path, ref, name, owner)
            for end in ends:
                node, kind = self.linked.nodes[end], ref.kind
                if node.file:
                    implements = node.kind == "interface" and owner.kind != "interface"
                    kind = "implements" if implements else "extends"
                self.linked.links.append(OutlineLink(owner.id, kind, end, ref.line, via))
            if not ends:
                last = name.rpartition(self.rules.separator)[2]
                self.linked.loose.append(
                    Loose(owner.id, ref.kind, ref.text, ref.line, last, self.bare.get(last, 0))
                )

    def resolve(self, path: str, ref: Ref, name: str, owner: OutlineNode) -> tuple[list[str], str]:
        """Return what a name means by the first step that knows its first part.

        Nothing when that has no such member.
        """
        rules = self.rules
        if rules.absolute and name.startswith(rules.absolute):
            whole = name.removeprefix(rules.absolute)
            found = self.types(whole, ref, owner)
            return (found or [self.outside(whole, "type")]), "absolute"
        steps = list(self.steps(path, ref.scope))
        if rules.relative and name.startswith(rules.relative):
            name = name.removeprefix(rules.relative)
            steps = [(step, place) for step, place in steps if step == PACKAGE]
        head, _, rest = name.partition(rules.separator)
        for step, place in steps:
            wholes = [
                self.join(one, rest) for one in self.heads(path, step, place, head, owner, rest)
            ]
            if len(wholes) > 1:  # two stars have it: which one is meant cannot be told
                return [], ""
            if wholes:
                return self.target(wholes[0], step, ref, owner)
        # written with its package: java.util.ArrayList, System.Exception
        if rest and rules.is_native(name):
            return [self.outside(name, "type")], NATIVE
        return [], ""

    def steps(self, path: str, number: int) -> Iterator[tuple[str, str]]:
        """Yield where a name is looked up from a scope: the step, and the type or package."""
        scopes = self.files[path].scopes
        chain = [scopes[number]]
        while chain[-1].parent >= 0:
            chain.append(scopes[chain[-1].parent])
        packages = [one.name for one in chain if one.kind == "package"]
        places = {
            SCOPE: [one.name for one in chain if one.kind == "type"],
            PACKAGE: self.around(packages[0]) if self.rules.nested_packages else packages[:1],
        }
        for step in self.rules.order:
            yield from ((step, place) for place in places.get(step, [""]))

    def around(self, package: str) -> list[str]:
        """Return a package and those that it is inside of, innermost first."""
        parts = package.split(self.rules.separator)
        return [
            *(self.rules.separator.join(parts[:size]) for size in range(len(parts), 0, -1)),
            *([""] if package else []),
        ]

    def target(self, whole: str, step: str, ref: Ref, owner: OutlineNode) -> tuple[list[str], str]:
        """Return the types of a whole name that a step found."""
        found = self.types(whole, ref, owner)
        if found:
            return found, "conditional" if len(found) > 1 else IMPORT if step == STAR else step
        if whole in self.rules.natives:
            return [self.outside(whole, "type")], NATIVE
        if step == IMPORT and whole not in self.named:
            return [self.outside(whole, "type")], IMPORT
        return [], ""

    def heads(
        self, path: str, step: str, place: str, head: str, owner: OutlineNode, rest: str
    ) -> list[str]:
        imports = self.files[path].imports
        if step == IMPORT:
            separator = self.rules.separator
            return sorted(
                {
                    one.path
                    for one in imports
                    if not one.star
                    and not one.kind
                    and "file" not in one.options
                    and head == (one.alias or one.path.rpartition(separator)[2])
                }
            )
        if step == STAR:
            stars = {one.path for one in imports if one.star} | self.everywhere
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
        arities = {node.id: symbol.arity for node, symbol in self.named[whole]}
        return whole != owner.name or any(
            arity != arities.get(owner.id, 0) for arity in arities.values()
        )

    def types(self, whole: str, ref: Ref, owner: OutlineNode) -> list[str]:
        found = [
            (node, symbol)
            for node, symbol in self.named.get(whole, [])
            if symbol.kind in TYPES and node.id != owner.id
        ]
        if self.rules.counts_type_arguments:
            arity = type_arguments(ref.text)
            found = [(node, symbol) for node, symbol in found if symbol.arity == arity]
        return [node.id for node, _ in found]

    def join(self, place: str, name: str) -> str:
        return joined(place, self.rules.separator, name)

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
