"""Type the trees of Go within one file: what each name denotes, and on the way each reference that
is made.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ghostmem.outline.languages.go_ import natives
from ghostmem.outline.languages.go_.expression_types import EXPRESSIONS
from ghostmem.outline.languages.go_.lookup import GoLookup, Scope
from ghostmem.outline.languages.go_.lowering import Tree
from ghostmem.outline.languages.go_.operand import UNKNOWN, Op, Sink, operand
from ghostmem.outline.languages.go_.project import Decl, GoFile, Package, native
from ghostmem.outline.languages.go_.shapes import SHAPES
from ghostmem.outline.languages.go_.types import (
    BOOL,
    PREDECLARED_FUNCTIONS,
    PREDECLARED_TYPES,
    PREDECLARED_VALUES,
    Type,
    basic,
)

WalkFunction = Callable[["Checker", Tree, tuple[Any, ...], list[Tree]], None]


class Checker:
    """Types trees within one file.

    Without a sink it is silent and does not walk into function literals.
    """

    def __init__(
        self,
        lookup: GoLookup,
        file: GoFile,
        scopes: list[Scope],
        sink: Sink | None = None,
        home: str = "",
        walk_function: "WalkFunction | None" = None,
    ) -> None:
        self.walk_function = walk_function
        self.lookup = lookup
        self.project = lookup.project
        self.file = file
        self.scopes = scopes
        self.sink = sink
        self.home = home
        self.locals = 0

    # references

    def settle(self, op: Op, how: str, tree: Tree) -> None:
        """Record the reference that an operand makes when it is read, written, called or named as a
        type.
        """
        sink = self.sink
        if sink is None:
            return
        _, _, ids, what, via, line = op
        if not ids:
            if what == "missing" and (
                how == "call" or via != "member"
            ):  # fields that are read are no reference
                sink.loose(_LOOSE_KINDS.get(how, "accesses"), tree, line)
        elif how == "call":
            sink.link("calls", ids, line, via)
        elif via == "local" or what == "member":
            return
        elif how == "extends":
            sink.link("extends", ids, line, via)
        elif what in {"variable", "constant"} or (what == "outside" and how != "type"):
            sink.link("assigns" if how == "write" else "accesses", ids, line, via)
        else:
            sink.link("uses", ids, line, via)

    def value(self, tree: Tree) -> Any:
        """Return the type of an expression that is read."""
        op = _HANDLERS[tree[0]](self, tree)
        if self.sink is not None and (op.ids or op.what == "missing"):
            self.settle(op, "read", tree)
        return op.type if op.mode == "value" else None

    def type(self, tree: Tree | None, how: str = "type") -> Type:
        """Return the type that a tree names."""
        if tree is None:
            return None
        op = _HANDLERS[tree[0]](self, tree)
        if self.sink is not None:
            self.settle(op, how, tree)
        kind: Type = op.type if op.mode in {"type", "outside"} else None
        return kind

    def raw(self, tree: Tree) -> Op:
        """Return the meaning of a tree, without recording the reference that its head makes."""
        found: Op = _HANDLERS[tree[0]](self, tree)
        return found

    # names

    def ident(self, tree: Tree) -> Op:
        """Resolve a name: scopes inside out, the package, dot imports, imports,
        predeclared names.
        """
        _, name, line = tree
        for scope in reversed(self.scopes):
            if name in scope:
                found = scope[name]
                if not isinstance(found, Op):
                    return operand("type", found, line=line)
                return found._replace(line=line) if found.ids else found
        decls = self.file.package.scope.get(name)
        if decls:
            return self.declaration(decls, "package", line)
        if name in self.file.imports:
            return operand("package", self.file.imports[name], line=line)
        for star in self.file.stars:
            if isinstance(star, Package) and name in star.scope:
                return self.declaration(star.scope[name], "import", line)
        return self.predeclared(name, line)

    def predeclared(self, name: str, line: int) -> Op:
        """Resolve a predeclared name.

        With one dot import from outside a capital name is from there, as nothing else has it.
        """
        if name in PREDECLARED_TYPES:
            return operand(
                "type",
                basic(name),
                (self.project.outsider("", name, "type"),),
                "type",
                "native",
                line,
            )
        if name in PREDECLARED_FUNCTIONS:
            return operand(
                "builtin",
                name,
                (self.project.outsider("", name, "function"),),
                "function",
                "native",
                line,
            )
        if name in PREDECLARED_VALUES:
            return operand("value", None, line=line)
        outside = [star for star in self.file.stars if isinstance(star, str)]
        if len(outside) == 1 and name[:1].isupper():
            return self.outsider(outside[0], name, line)
        return operand("unknown", what="missing" if name != "_" else "", line=line)

    def declaration(self, found: list[Decl], via: str, line: int) -> Op:
        """Return the meaning of a declaration at package level."""
        decls = found if len(found) == 1 else self.project.candidates(found, self.file)
        if len(decls) == 1:
            ids: tuple[str, ...] = (decls[0].id,)
        else:
            ids, via = tuple(one.id for one in decls), "conditional"
        kind = decls[0].symbol.kind
        if kind in {"type", "interface"}:
            named = self.lookup.declare(decls)
            if named.tree[4] and not named.tree[2]:
                return operand("type", self.lookup.declared(named), ids, "type", via, line)
            return operand("type", ("n", named.key, named.params), ids, "type", via, line)
        if kind == "function":
            return operand("value", self.lookup.signature(decls[0]), ids, "function", via, line)
        return operand("value", self.lookup.value(decls[0]), ids, kind, via, line)

    def outsider(self, path: str, name: str, line: int) -> Op:
        """Return what a name of a package outside denotes: whether type or value, the place it
        stands in must tell.
        """
        via = "native" if native(path) else "external"
        ids = (self.project.outsider(path, name, "symbol"),)
        return operand("outside", ("x", path, name, ()), ids, "outside", via, line)

    def selector(self, tree: Tree) -> Op:
        """Resolve x.name: a name of a package, or a field or method of a type or value."""
        base = self.raw(tree[1])
        name, line = tree[2], tree[3]
        if base.mode == "package":
            if not isinstance(base.type, Package):
                return self.outsider(base.type, name, line)
            decls = base.type.scope.get(name)
            return (
                self.declaration(decls, "import", line)
                if decls
                else operand("unknown", what="missing", line=line)
            )
        self.settle(base, "type" if base.mode == "type" else "read", tree[1])
        if base.mode == "outside":
            return self._outside_member(base.type, name, line)
        if base.mode not in {"value", "type"}:
            return operand("unknown", what="missing" if self.sink else "", line=line, via="member")
        return self.member(base, name, line)

    def member(self, base: Op, name: str, line: int) -> Op:
        """Return a field or method of a value or type."""
        found = self.lookup.member(base.type, name, self.file) if base.type is not None else None
        if found is None:
            return operand("unknown", what="missing", line=line, via="member")
        if found.kind == "field":
            return operand("value", found.type, line=line, what="field")
        if found.kind == "outside":
            return self._outside_member(found.type, name, line)
        signature = found.type
        if base.mode == "type" and signature is not None:
            signature = ("f", (base.type, *signature[1]), *signature[2:])
        via = "receiver" if base.what == "receiver" else "type"
        via = (
            "interface"
            if found.kind == "interface"
            else "conditional"
            if len(found.ids) > 1
            else via
        )
        if not found.ids:
            return operand("value", signature, line=line, what="anonymous")
        return operand("value", signature, found.ids, "method", via, line)

    def _outside_member(self, kind: Any, name: str, line: int) -> Op:
        path, owner = (kind[1], kind[2]) if kind[0] == "x" else ("", kind[1])
        via = "native" if native(path) else "external"
        ids = (self.project.outsider(path, f"{owner}.{name}", "method"),)
        return operand("value", natives.member(kind, name), ids, "member", via, line)

    # declarations

    def enter_params(self, decl: Decl, tree: Any) -> tuple[Any, ...]:
        """Open the scope of a function's or method's type parameters, and return those that are its
        own.
        """
        scope: Scope = {}
        self.scopes = [*self.scopes, scope]
        if "recv" in tree:
            self._enter_receiver(scope, tree["recv"][1])
        own = []
        for name, constraint in tree["params"]:
            variable = ("v", decl.id, name)
            own.append(variable)
            scope[name] = variable
            self.lookup.constraints[variable] = (self.file, self.scopes, constraint)
        return tuple(own)

    def _enter_receiver(self, scope: Scope, tree: Tree) -> None:
        tree = tree[1] if tree[0] == "*" else tree
        if tree[0] != "[" or tree[1][0] != "i":
            return
        decls = self.file.package.scope.get(tree[1][1])
        if decls and decls[0].symbol.kind in {"type", "interface"}:
            named = self.lookup.declare(self.project.candidates(decls, self.file))
            for one, variable in zip(tree[2], named.params, strict=False):
                if one[0] == "i":
                    scope[one[1]] = variable

    def declared_value(self, decl: Decl) -> Type:
        """Return the type of a variable or constant at package level."""
        where, place = decl.tree()
        spec = decl.file.specs[where]
        if spec[2] is not None:
            return self.type(spec[2])
        if len(spec[3]) == len(spec[1]):
            kind: Type = self.value(spec[3][place])
            return kind
        return self.spread(self.value(spec[3][0]), len(spec[1]))[place] if spec[3] else None

    def spread(self, kind: Any, count: int) -> list[Any]:
        """Return the types that one expression gives to several names."""
        if kind is not None and kind[0] == "T":
            return [*kind[1], *[None] * count][:count]
        return [kind, BOOL, *[None] * count][:count]


# by the tag of a tree
_HANDLERS: dict[str, Any] = defaultdict(
    lambda: lambda _checker, _tree: UNKNOWN,
    {**EXPRESSIONS, **SHAPES, "i": Checker.ident, ".": Checker.selector},
)
_LOOSE_KINDS = {"call": "calls", "write": "assigns", "type": "uses"}  # otherwise accesses
