"""Link declarations, imports and base types, by the rules of each language."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from ghostmem.outline.extract import extract, type_arguments
from ghostmem.outline.facts import FILE, Facts, Import, Ref, Symbol
from ghostmem.outline.graph import (
    EXTERNAL,
    FORWARD,
    NATIVE,
    PROJECT,
    LinkColumns,
    Linked,
    Loose,
    OutlineNode,
    file_id,
    outside_id,
    project_id,
)
from ghostmem.outline.languages.base import Language
from ghostmem.outline.rules import IMPORT, PACKAGE, SCOPE, STAR, Rules, joined

TYPES = {"type", "interface", "module"}
_GENERIC = re.compile(r"<[^<>]*>|\([^()]*\)|[\s?]")


def plain_language(rules: Rules, suffixes: tuple[str, ...], package: str) -> Language:
    """Return a language of which only declarations, imports and base types are known."""
    return Language(
        name=rules.name,
        suffixes=suffixes,
        grammar=lambda _path: rules.grammar(),
        package=package,
        version=3,
        extract=lambda root, source, _path: extract(rules, root, source),
        link=lambda files, _read: link_plain(rules, files),
    )


def link_plain(rules: Rules, files: Mapping[str, Facts]) -> Linked:
    """Return the graph of all files."""
    linker = _PlainLinker(rules, {path: files[path] for path in sorted(files)})
    for path, facts in linker.files.items():
        linker.declare(path, facts)
    for path, facts in linker.files.items():
        linker.add_imports(path, facts)
        linker.add_bases(path, facts)
    without = ", ".join(kind for kind in FORWARD if kind not in rules.kinds)
    note = f"{rules.name}: {without} are not looked for"
    return Linked(linker.nodes, linker.links, linker.unresolved, [note])


class _PlainLinker:
    def __init__(self, rules: Rules, files: Mapping[str, Facts]) -> None:
        self.rules = rules
        self.files = files
        self.nodes: dict[str, OutlineNode] = {}
        self.links = LinkColumns()
        self.unresolved: list[Loose] = []
        self.ids: dict[tuple[str, int], str] = {}
        self.named: dict[str, list[tuple[str, Symbol]]] = defaultdict(list)  # ids and symbols
        self.packages: dict[str, list[str]] = defaultdict(list)  # the ids of their files
        self.scopes: set[str] = set()  # names of types and packages
        self.counts: Counter[str] = Counter()  # types by their bare name
        self.global_stars: set[str] = set()  # packages that one file imports for all
        self.find_file = rules.find_files(files) if rules.find_files is not None else None

    def declare(self, path: str, facts: Facts) -> None:
        last = max((symbol.end_line for symbol in facts.symbols), default=1)
        file = self.ids[path, FILE] = file_id(path)
        self.nodes[file] = OutlineNode(file, path, "file", file=path, line=1, end_line=last)
        self.global_stars.update(
            one.path for one in facts.imports if one.star and "global" in one.options
        )
        for package in sorted({scope.name for scope in facts.scopes if scope.kind == "package"}):
            if package:
                self.packages[package].append(file)
                self.scopes.update(self.around(package))
        for number, symbol in enumerate(facts.symbols):
            key, name = project_id(path, symbol.full, symbol.start), symbol.full
            while key in self.nodes:  # x, x = 1, 2
                key += "+"
            place = (path, symbol.line, symbol.end_line, symbol.signature)
            self.nodes[key] = OutlineNode(key, name, symbol.kind, PROJECT, *place, body=symbol.body)
            self.ids[path, number] = key
            self.named[name].append((key, symbol))
            if symbol.kind in TYPES:
                self.scopes.add(name)
                self.counts[symbol.name.rpartition(self.rules.separator)[2]] += 1
            via = "file" if symbol.parent == FILE else "type"
            self.links.add(self.ids[path, symbol.parent], "declares", key, symbol.line, via)

    def add_imports(self, path: str, facts: Facts) -> None:
        for one in facts.imports:
            ends = self.imported(path, one)
            if not ends and self.find_file is not None and "relative" in one.options:
                last = one.path.rpartition("/")[2]
                loose = Loose(file_id(path), "imports", one.path, one.line, last, 0)
                self.unresolved.append(loose)
                continue
            via = IMPORT if ends else NATIVE if self.rules.is_native(one.path) else EXTERNAL
            kind = one.kind or ("module" if one.star or "file" in one.options else "type")
            for end in ends or [self.add_outside(one.path, kind)]:
                self.links.add(file_id(path), "imports", end, one.line, via)

    def imported(self, path: str, one: Import) -> list[str]:
        """Return the ids of the files and symbols of the project that are imported."""
        if "file" in one.options and self.find_file is not None:
            found = self.find_file(one, path)
            return [file_id(found)] if found is not None else []
        package = self.packages.get(one.path, [])
        symbols = [key for key, _ in self.named.get(one.path, [])]
        return (package or symbols) if one.star else (symbols or package)

    def add_bases(self, path: str, facts: Facts) -> None:
        for ref in facts.refs:
            owner = self.nodes[self.ids[path, ref.owner]]
            name = without_arguments(ref.text)
            ends, via = self.resolve(path, ref, name, owner)
            for end in ends:
                node, kind = self.nodes[end], ref.kind
                if node.file:
                    implements = node.kind == "interface" and owner.kind != "interface"
                    kind = "implements" if implements else "extends"
                self.links.add(owner.id, kind, end, ref.line, via)
            if not ends:
                last = name.rpartition(self.rules.separator)[2]
                self.unresolved.append(
                    Loose(owner.id, ref.kind, ref.text, ref.line, last, self.counts[last])
                )

    def resolve(self, path: str, ref: Ref, name: str, owner: OutlineNode) -> tuple[list[str], str]:
        """Return the ids of the types of a name, and the step that found its first part."""
        rules = self.rules
        if rules.absolute and name.startswith(rules.absolute):
            whole = name.removeprefix(rules.absolute)
            found = self.types(whole, ref, owner)
            return (found or [self.add_outside(whole, "type")]), "absolute"
        steps = list(self.steps(path, ref.scope))
        if rules.relative and name.startswith(rules.relative):
            name = name.removeprefix(rules.relative)
            steps = [(step, place) for step, place in steps if step == PACKAGE]
        head, _, rest = name.partition(rules.separator)
        for step, place in steps:
            heads = self.heads(path, step, place, head, None if rest else owner)
            if len(heads) > 1:  # several wildcards have it: which one is meant cannot be told
                return [], ""
            if heads:
                return self.target(joined(heads[0], rules.separator, rest), step, ref, owner)
        # written with its package: java.util.ArrayList, System.Exception
        if rest and rules.is_native(name):
            return [self.add_outside(name, "type")], NATIVE
        return [], ""

    def steps(self, path: str, number: int) -> Iterator[tuple[str, str]]:
        """Yield the steps that look up a name from a scope, with the type or package of each."""
        scopes = self.files[path].scopes
        chain = [scopes[number]]
        while chain[-1].parent >= 0:
            chain.append(scopes[chain[-1].parent])
        packages = [scope.name for scope in chain if scope.kind == "package"]
        nested = [*self.around(packages[0]), *([""] if packages[0] else [])]
        places = {
            SCOPE: [scope.name for scope in chain if scope.kind == "type"],
            PACKAGE: nested if self.rules.nested_packages else packages[:1],
        }
        for step in self.rules.order:
            yield from ((step, place) for place in places.get(step, [""]))

    def around(self, package: str) -> list[str]:
        """Return a package and those that it is inside of, innermost first."""
        parts = package.split(self.rules.separator)
        return [self.rules.separator.join(parts[:size]) for size in range(len(parts), 0, -1)]

    def target(self, whole: str, step: str, ref: Ref, owner: OutlineNode) -> tuple[list[str], str]:
        """Return the types of a whole name that a step found."""
        found = self.types(whole, ref, owner)
        if found:
            return found, "conditional" if len(found) > 1 else IMPORT if step == STAR else step
        if whole in self.rules.natives:
            return [self.add_outside(whole, "type")], NATIVE
        if step == IMPORT and whole not in self.named:
            return [self.add_outside(whole, "type")], IMPORT
        return [], ""

    def heads(
        self, path: str, step: str, place: str, head: str, owner: OutlineNode | None
    ) -> list[str]:
        """Return the whole names of the first part of a name, other than its owner's."""
        imports = self.files[path].imports
        if step == IMPORT:
            named = (one for one in imports if not one.star and not one.kind)
            return sorted(
                {
                    one.path
                    for one in named
                    if "file" not in one.options
                    and head == (one.alias or one.path.rpartition(self.rules.separator)[2])
                }
            )
        if step == STAR:
            stars = {one.path for one in imports if one.star} | self.global_stars
            return self.starred(stars, head) or self.starred({*self.rules.stars} - stars, head)
        # a type is not its own base: class Error < Error means another
        known = self.starred({place}, head)
        return [whole for whole in known if owner is None or self.is_other(whole, owner)]

    def starred(self, places: set[str], head: str) -> list[str]:
        """Return the whole names of a known type or package in some packages."""
        wholes = (joined(place, self.rules.separator, head) for place in places)
        return sorted(
            whole for whole in wholes if whole in self.scopes or whole in self.rules.natives
        )

    def is_other(self, whole: str, owner: OutlineNode) -> bool:
        # C# has types of one name that take a different number of arguments
        arities = {key: symbol.arity for key, symbol in self.named[whole]}
        return whole != owner.name or any(
            arity != arities.get(owner.id, 0) for arity in arities.values()
        )

    def types(self, whole: str, ref: Ref, owner: OutlineNode) -> list[str]:
        arity = type_arguments(ref.text) if self.rules.counts_type_arguments else None
        return [
            key
            for key, symbol in self.named.get(whole, [])
            if symbol.kind in TYPES and key != owner.id and arity in (None, symbol.arity)
        ]

    def add_outside(self, name: str, kind: str) -> str:
        """Add something native or external and return its id."""
        if name in self.rules.natives or self.rules.is_native(name):
            origin, where = NATIVE, ""
        else:
            package = name.rpartition(self.rules.separator)[0] if kind != "module" else ""
            origin, where = EXTERNAL, package or name
        key = outside_id(origin, name)
        self.nodes.setdefault(key, OutlineNode(key, name, kind, origin, where=where))
        return key


def without_arguments(text: str) -> str:
    """Return the name of a type without its type arguments and blanks."""
    before = ""
    while before != text:
        before, text = text, _GENERIC.sub("", text)
    return text
