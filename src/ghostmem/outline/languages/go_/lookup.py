"""Facts about types: underlying types, fields and methods, also those of embedded types."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.outline.languages.go_.memo import Known, Memo
from ghostmem.outline.languages.go_.project import Decl, GoFile, GoProject
from ghostmem.outline.languages.go_.types import (
    Binding,
    Type,
    basic,
    exported,
    pointed,
    substitute,
)

if TYPE_CHECKING:
    from ghostmem.outline.languages.go_.check import Checker
    from ghostmem.outline.languages.go_.lowering import Tree

Scope = dict[str, Any]
MAX_MEMBERS = 5000  # answers about members that are kept; files of one package ask for the same
MAX_EMBEDDING = 20  # structs inside each other in which a member is looked for


class Member(NamedTuple):
    """A field, a method of the project with its nodes, or a method of something outside."""

    kind: str  # field, method, interface, outside
    type: Type = None
    ids: tuple[str, ...] = ()
    pointer: bool = False
    name: str = ""


@dataclass
class Named:
    """A named type: where its declaration stands, and the names of its type parameters."""

    key: str
    decls: list[Decl]
    file: GoFile
    tree: "Tree"
    scopes: list[Scope]
    local: bool = False
    params: tuple[tuple[str, str, str], ...] = ()

    def __post_init__(self) -> None:
        self.params = tuple(("v", self.key, name) for name, _ in self.tree[2])


class GoLookup:
    """Answers about types from declarations; the checker gives it the types of trees."""

    def __init__(self, project: GoProject, checker: "type[Checker]") -> None:
        self.project = project
        self._checker = checker
        self.named: dict[str, Named] = {}
        self.constraints: dict[tuple[Any, ...], tuple[GoFile, list[Scope], Tree]] = {}
        self._memo = Memo()
        self._under: Known = {}
        self._signatures: Known = {}
        self._values: Known = {}
        self._members: dict[tuple[Any, ...], Member | None] = {}  # by type, name and file

    def declare(self, decls: list[Decl]) -> Named:
        """Return the named type of a declaration at package level."""
        first = decls[0]
        key = f"{first.file.package.path}.{first.symbol.name}"
        if key not in self.named:
            self.add(Named(key, decls, first.file, first.tree(), []))
        return self.named[key]

    def choices(self) -> dict[str, str]:
        """Return the declaration that was taken for each type that is declared several times."""
        return {
            key: self.named[key].decls[0].id
            for key, decls in self.project.types.items()
            if len(decls) > 1 and key in self.named
        }

    def choose(self, choices: Mapping[str, str]) -> None:
        """Take the declarations that another lookup took."""
        for key, decl_id in choices.items():
            if key not in self.named:
                self.declare([one for one in self.project.types[key] if one.id == decl_id])

    def add(self, named: Named) -> Named:
        """Remember a named type."""
        self.named[named.key] = named
        scope: Scope = {name: ("v", named.key, name) for name, _ in named.tree[2]}
        named.scopes = [*named.scopes, scope]
        for name, constraint in named.tree[2]:
            self.constraints[("v", named.key, name)] = (named.file, named.scopes, constraint)
        return named

    def type_at(self, file: GoFile, scopes: list[Scope], tree: "Tree") -> Type:
        """Return the type that a tree stands for."""
        return self._checker(self, file, scopes).type(tree)

    def declared(self, named: Named) -> Type:
        """Return the declared type of a named one, in its own type parameters."""
        key = named.key
        if key in self._under and key not in self._memo.busy:
            return self._under[key]
        found = self._memo.once(
            self._under, key, lambda: self.type_at(named.file, named.scopes, named.tree[3])
        )
        if key in self._under and not named.local:
            named.tree[3] = None  # it is not needed again, and large
        return found

    def underlying(self, kind: Type) -> Type:
        """Return the underlying type."""
        for _ in range(50):
            if kind is None or kind[0] not in {"n", "v"}:
                return kind
            kind = self._core(kind) if kind[0] == "v" else self._one_under(kind)
        return None

    def shape(self, kind: Type) -> Type:
        """Return the underlying type, of a pointer that of the type it points to."""
        under = self.underlying(kind)
        return self.underlying(under[1]) if under is not None and under[0] == "p" else under

    def _one_under(self, kind: tuple[Any, ...]) -> Type:
        named = self.named.get(kind[1])
        if named is None:
            return None
        under: Type = substitute(self.declared(named), binding(named, kind[2]))
        return under

    def constraint(self, kind: tuple[Any, ...]) -> Type:
        """Return the constraint of a type parameter."""
        found = self.constraints.get(kind)
        return self.type_at(*found) if found else None

    def _core(self, kind: tuple[Any, ...]) -> Type:
        rule = self.constraint(kind)
        under = self.underlying(rule) if rule != kind else None
        if under is None or under[0] != "if" or len(under[2]) != 1 or len(under[2][0]) != 1:
            return None
        core: Type = under[2][0][0]
        return core[1] if core is not None and core[0] == "~" else core

    def signature(self, decl: Decl) -> Type:
        """Return the type of a function or method, in its own type parameters."""
        if decl.id in self._signatures:
            return self._signatures[decl.id]
        return self._memo.once(self._signatures, decl.id, lambda: self._signature(decl))

    def _signature(self, decl: Decl) -> Type:
        tree = decl.tree()
        checker = self._checker(self, decl.file, [])
        own = checker.enter_params(decl, tree)
        kind = checker.type(tree["sig"])
        return (*kind[:4], own) if kind is not None else None

    def value(self, decl: Decl) -> Type:
        """Return the type of a variable or constant at package level."""
        return self._memo.once(
            self._values, decl.id, lambda: self._checker(self, decl.file, []).declared_value(decl)
        )

    def member(self, kind: Type, name: str, file: GoFile) -> Member | None:
        """Return a field or method of a type or of a pointer to it by Go's rule: the shallowest
        one, when there is one only.

        Each file has its own answers if build constraints choose among methods of this name."""
        kind = pointed(kind)
        key = (kind, name, file if name in self.project.conditional else None)
        if key not in self._members:
            if len(self._members) >= MAX_MEMBERS:
                self._members.clear()
            self._members[key] = self._search(kind, name, file)
        return self._members[key]

    def _search(self, kind: Type, name: str, file: GoFile) -> Member | None:
        level, seen = [kind], set[Any]()
        outside: list[tuple[Any, ...]] = []
        for _ in range(MAX_EMBEDDING):
            fresh = [one for one in dict.fromkeys(level) if one is not None and one not in seen]
            seen.update(fresh)
            hits = [member for one in fresh for member in self._direct(one, name, file)]
            if hits:
                return hits[0] if _same(hits) and (not outside or not exported(name)) else None
            outside += [one for one in level if one is not None and _foreign(one)]
            level = [embedded for one in fresh for embedded in self._embedded(one)]
            if not level:
                break
        if len({one[1:3] for one in outside}) == 1 and (exported(name) or outside[0][0] == "b"):
            return Member("outside", outside[0], name=name)
        return None

    def _direct(self, kind: tuple[Any, ...], name: str, file: GoFile) -> list[Member]:
        if kind[0] == "v":
            rule = self.constraint(kind)
            return self._direct(rule, name, file) if rule is not None and rule != kind else []
        if kind[0] == "n":
            found = self._method(kind, name, file)
            if found is not None:
                return [found]
        return self._in_shape(kind, name, file)

    def _in_shape(self, kind: tuple[Any, ...], name: str, file: GoFile) -> list[Member]:
        under = self.underlying(kind)
        if under is None:
            return []
        if under[0] == "st":
            return [
                Member("field", type_, name=name) for field, type_, _ in under[1] if field == name
            ]
        if under[0] != "if":
            return []
        ids = tuple(self.project.members.get(kind[1], {}).get(name, ())) if kind[0] == "n" else ()
        return [
            Member("interface", sig, ids, name=name) for method, sig in under[1] if method == name
        ]

    def _method(self, kind: tuple[Any, ...], name: str, file: GoFile) -> Member | None:
        found = self.project.methods.get(kind[1], {}).get(name)
        named = self.named.get(kind[1])
        if not found or named is None:
            return None
        decls = self.project.candidates(found, file)
        signature = substitute(self.signature(decls[0]), binding(named, kind[2]))
        pointer = all(one.symbol.full.startswith("(*") for one in decls)
        return Member("method", signature, tuple(one.id for one in decls), pointer, name)

    def _embedded(self, kind: tuple[Any, ...]) -> list[Type]:
        if kind[0] == "v":
            rule = self.constraint(kind)
            return self._embedded(rule) if rule is not None and rule != kind else []
        under = self.underlying(kind)
        if under is None:
            return []
        if under[0] == "st":
            return [pointed(type_) for _, type_, embedded in under[1] if embedded]
        if under[0] == "if":
            return [types[0] for types in under[2] if len(types) == 1]
        return []

    def elements(self, kind: Type) -> tuple[Type, Type]:
        """Return the types of keys and values that ranging over a type gives."""
        under = self.shape(kind)
        match under:
            case ("s" | "a", one):
                return basic("int"), one
            case ("m", key, one):
                return key, one
            case ("c", one):
                return one, None
            case ("b", "string"):
                return basic("int"), basic("rune")
            case ("b", _):
                return under, None
            case ("f", (("f", given, _, _, _), *_), _, _, _):
                return (*given, None, None)[:2]
        return None, None


def binding(named: Named, args: tuple[Type, ...]) -> Binding:
    """Return which type stands for which type parameter of a named type."""
    return dict(zip(named.params, args, strict=False)) if args else {}


def _foreign(kind: tuple[Any, ...]) -> bool:
    return kind[0] == "x" or kind == ("b", "error")


def _same(hits: list[Member]) -> bool:
    return all(one.ids == hits[0].ids and one.kind == hits[0].kind for one in hits)
