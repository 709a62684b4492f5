"""The types that are written, and the fields and methods that values have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ghostmem.outline.facts import Expression, Import, Term
from ghostmem.outline.resolve.names import Names
from ghostmem.outline.resolve.types import (
    ARRAY,
    CLASS,
    EMPTY,
    INSTANCE,
    MAX_DEPTH,
    OUTSIDE,
    OUTSIDE_CLASS,
    PARAMETER,
    PRIMITIVE,
    VALUE,
    Env,
    Key,
    Type,
    is_shallow,
    parts_of,
)

FIELDS = frozenset({"field", "constant"})
METHODS = frozenset({"method"})
OWN = frozenset({INSTANCE, CLASS})


class Variable(NamedTuple):
    """What a plain name is: its type, the field that it is if it is one, and the step."""

    type: Type | None
    field: Key | None
    via: str


class Callee(NamedTuple):
    """The methods that a call may mean, by which step, or the name of one outside."""

    methods: list[tuple[Key, Env]]
    via: str
    outside: str = ""


@dataclass(slots=True)
class MemberLookup(Names):
    """Follow written types, fields and methods."""

    supertypes: dict[tuple[Key, tuple[Type | None, ...]], list[Type | None]] = field(
        default_factory=dict
    )
    depth: int = 0

    # written types

    def written(self, path: str, number: int, scope: int = -1, env: Env = ()) -> Type | None:
        """Return the type of a term; `scope` is where it is looked up instead of its own."""
        if number < 0 or self.depth > MAX_DEPTH:
            return None
        term = self.files[path].terms[number]
        if term.sort == "primitive":
            return EMPTY if term.name == "void" else Type(PRIMITIVE, name=term.name)
        if term.sort == "array":
            return Type(ARRAY, args=(self.written(path, term.parts[0], scope, env),))
        if term.sort == "own":
            return Type(INSTANCE, (path, int(term.name)))
        self.depth += 1
        found = self._instance(path, term, term.scope if scope < 0 else scope, env)
        self.depth -= 1
        return found

    def _instance(self, path: str, term: Term, scope: int, env: Env) -> Type | None:
        found = self.class_named(path, term.name, scope).type
        if found is None:
            return None
        if found.sort == PARAMETER:
            bound = dict(env).get(found.name)
            if bound is not None:
                return bound
            binding = self.files[found.symbol[0]].bindings[found.symbol[1]]
            return self.written(found.symbol[0], binding.term)
        given = [self.written(path, one, scope, env) for one in term.parts]
        args = tuple(kind if is_shallow(kind) else None for kind in given)
        if found.sort == CLASS:
            return Type(INSTANCE, found.symbol, args=args)
        return Type(OUTSIDE, name=found.name, args=args)

    def supers(self, key: Key, given: tuple[Type | None, ...]) -> list[Type | None]:
        """Return what a type extends and implements, None for what is not known."""
        if (key, given) not in self.supertypes:
            names = self.type_parameters(key)
            env = tuple(zip(names, given, strict=False))
            found = []
            for ref in self.base_refs.get(key, []):
                # a type's own head is read from outside it, but for its type parameters
                inside = self._mentions(key[0], ref.term, names)
                scope = ref.scope if inside else self.outer_scope(key, ref)
                found.append(self.written(key[0], ref.term, scope, env))
            self.supertypes[key, given] = found
        return self.supertypes[key, given]

    def _mentions(self, path: str, number: int, names: list[str]) -> bool:
        if number < 0:
            return False
        term = self.files[path].terms[number]
        return term.name in names or any(self._mentions(path, one, names) for one in term.parts)

    def env(self, kind: Type) -> Env:
        """Return the type parameters of a value's type with its arguments."""
        return tuple(zip(self.type_parameters(kind.symbol), kind.args, strict=False))

    # fields

    def variable(self, path: str, name: str, scope: int) -> Variable:
        """Return what a plain name is."""
        for at, one in self.chain(path, scope):
            binding = self.bindings.get((path, at, name))
            if binding is not None:
                kind = (
                    self.array_of(self.written(path, binding.term), binding.flags)
                    if binding.term >= 0
                    else self.type_of(path, binding.value)
                )
                return Variable(kind, None, "variable")
            if one.kind == "type":
                key, env = self.field_of(Type(INSTANCE, (path, one.definition)), name)
                if key is not None:
                    return Variable(self.field_type(key, env), key, "receiver")
        key = self._imported_field(path, name)
        if key is not None:
            return Variable(self.field_type(key, ()), key, "import")
        found, via = self.class_named(path, name, scope)
        is_class = found is not None and found.sort in (CLASS, OUTSIDE_CLASS)
        return Variable(found if is_class else None, None, via)

    def array_of(self, kind: Type | None, flags: tuple[str, ...]) -> Type | None:
        """Return the array of a type where the flags say so."""
        return Type(ARRAY, args=(kind,)) if "array" in flags else kind

    def holder(self, one: Import) -> Type | None:
        """Return the type whose members a static import means."""
        return self.class_at(one.path if one.star else one.path.rpartition(".")[0])

    def static_imports(self, path: str, name: str) -> list[Import]:
        """Return the imports of members that may bring a name."""
        return [
            one
            for one in self.files[path].imports
            if "static" in one.options and (one.star or one.path.rpartition(".")[2] == name)
        ]

    def _imported_field(self, path: str, name: str) -> Key | None:
        found = set()
        for one in self.static_imports(path, name):
            held = self.holder(one)
            key, _ = self.field_of(held, name) if held and held.sort == CLASS else (None, ())
            found |= {key} if key else set()
        return found.pop() if len(found) == 1 else None

    def field_of(
        self, kind: Type | None, name: str, seen: frozenset[Key] = frozenset()
    ) -> tuple[Key | None, Env]:
        """Return the field that a value of a type has under a name."""
        if kind is None or kind.sort not in OWN or kind.symbol in seen or len(seen) > MAX_DEPTH:
            return None, ()
        rows = self.members(kind.symbol, name, FIELDS)
        if rows:
            return rows[0], self.env(kind)
        for above in self.supers(kind.symbol, kind.args):
            key, env = self.field_of(above, name, seen | {kind.symbol})
            if key is not None:
                return key, env
        return None, ()

    def field_type(self, key: Key, env: Env) -> Type | None:
        """Return the type of a field, or what a method returns."""
        one = self.symbol(key)
        if one.kind == "constant" and "enum" in one.flags:
            return Type(INSTANCE, (key[0], one.parent))
        # the return type of a method may name its own type parameters
        scope = one.inner if one.kind == "method" else -1
        return self.array_of(self.written(key[0], one.term, scope, env), one.flags)

    def type_of_member(self, path: str, one: Expression) -> Type | None:
        """Return the type of `target.name`: a field, a nested class, or a class by its name."""
        kind = self.type_of(path, one.target)
        key, env = self.field_of(kind, one.name)
        if key is not None:
            return self.field_type(key, env)
        if kind is not None and kind.sort in (CLASS, OUTSIDE_CLASS):
            inner = self.nested(kind, one.name)
            if inner is not None and inner.sort == OUTSIDE_CLASS:
                is_class = one.name[:1].isupper() and not one.name.isupper()
                return inner if is_class else Type(VALUE, name=inner.name)
            return inner
        dotted = self._dotted(path, one.target) if kind is None else ""
        return self.class_named(path, f"{dotted}.{one.name}", 0).type if dotted else None

    def _dotted(self, path: str, number: int) -> str:
        """Return an expression as a dotted name when it is but names, as a package is."""
        if number < 0:
            return ""
        one = self.expression(path, number)
        if one.op == "name":
            return one.name if self.variable(path, one.name, one.scope).via == "" else ""
        before = self._dotted(path, one.target) if one.op == "member" else ""
        return f"{before}.{one.name}" if before else ""

    # methods

    def parameter_terms(self, key: Key) -> list[tuple[int, bool]]:
        """Return the written types of a method's parameters, and whether each takes many."""
        held = self.parameters.get((key[0], self.symbol(key).inner), [])
        return [(one.term, "array" in one.flags) for one in held if one.kind == "parameter"]

    def takes(self, key: Key, count: int) -> bool:
        """Tell whether a method can be called with a number of arguments."""
        flags = self.symbol(key).flags
        if "compact" in flags:
            within = self.all_members((key[0], self.symbol(key).parent))
            return count == sum("component" in self.symbol(one).flags for one in within)
        wanted = self.parameter_terms(key)
        return count >= len(wanted) - 1 if "variadic" in flags else count == len(wanted)

    def methods(
        self, kind: Type | None, name: str, count: int | None, seen: frozenset[Key] = frozenset()
    ) -> list[tuple[Key, Env]]:
        """Return the methods of a type that have a name and take a number of arguments (None: any
        number), nearest type first.
        """
        if kind is None or kind.sort not in OWN or kind.symbol in seen or len(seen) > MAX_DEPTH:
            return []
        rows = [
            one
            for one in self.members(kind.symbol, name, METHODS)
            if "constructor" not in self.symbol(one).flags
            and (count is None or self.takes(one, count))
        ]
        if not rows and count == 0:
            held = self.members(kind.symbol, name, FIELDS)
            rows = [one for one in held if "component" in self.symbol(one).flags]
        if rows:
            return [(one, self.env(kind)) for one in rows]
        for above in self.supers(kind.symbol, kind.args):
            found = self.methods(above, name, count, seen | {kind.symbol})
            if found:
                return found
        return []

    def constructors(self, key: Key, count: int) -> list[Key]:
        """Return the constructors of a type that take a number of arguments."""
        made = [one for one in self.all_members(key) if "constructor" in self.symbol(one).flags]
        return [one for one in made if self.takes(one, count)]

    def callee(self, path: str, one: Expression) -> Callee:
        """Return the methods that a call may mean."""
        count = len(one.parts)
        if one.op == "plain_call":
            return self._plain(path, one.name, one.scope, count)
        kind = self.receiver(path, one)
        row = self.expression(path, one.target) if one.target >= 0 else None
        via = "receiver" if row is not None and row.op in ("this", "super") else "type"
        found = [self.methods(part, one.name, count) for part in parts_of(kind)]
        if all(found):
            return Callee([pair for rows in found for pair in rows], via)
        return Callee([], via, self.outside_method(kind, one.name))

    def receiver(self, path: str, one: Expression) -> Type | None:
        """Return the type of what a method is called on."""
        return self.written(path, one.term) if one.term >= 0 else self.type_of(path, one.target)

    def _outside_base(self, kind: Type, seen: frozenset[Key] = frozenset()) -> str:
        """Return the class from elsewhere that a class extends: nothing when there is none, "?"
        when it is not known.
        """
        if kind.sort not in OWN or kind.symbol in seen or len(seen) > MAX_DEPTH:
            return ""
        refs = self.base_refs.get(kind.symbol, [])
        for ref, above in zip(refs, self.supers(kind.symbol, ()), strict=True):
            if ref.kind != "extends":
                continue
            if above is None:
                return "?"
            found = (
                above.name
                if above.sort == OUTSIDE
                else self._outside_base(above, seen | {kind.symbol})
            )
            if found:
                return found
        return ""

    def outside_method(self, kind: Type | None, name: str) -> str:
        """Return the whole name of a method from elsewhere, nothing when that is not sure."""
        library = self.library
        top = f"{library.top}.{name}" if name in library.top_members else ""
        if kind is None:
            return ""
        if kind.sort == ARRAY or (kind.sort == OUTSIDE and kind.name == library.top):
            return top
        if kind.sort in (OUTSIDE, OUTSIDE_CLASS, VALUE):
            return f"{kind.name}.{name}"
        if kind.sort not in OWN:
            return ""
        base = self._outside_base(kind)
        if top and base in ("", "?"):
            return top
        if base and base != "?":
            return f"{base}.{name}"
        is_enum = "enum" in self.symbol(kind.symbol).flags
        return f"{library.enum}.{name}" if is_enum and name in library.enum_members else ""

    def _plain(self, path: str, name: str, scope: int, count: int) -> Callee:
        """Return the methods that a call without a receiver may mean."""
        types = [
            Type(INSTANCE, (path, one.definition))
            for _, one in self.chain(path, scope)
            if one.kind == "type"
        ]
        for kind in types:
            found = self.methods(kind, name, count)
            if found:
                return Callee(found, "receiver")
        return self._imported(path, name, count) or Callee(
            [],
            "receiver",
            next(filter(None, (self.outside_method(one, name) for one in types)), ""),
        )

    def _imported(self, path: str, name: str, count: int) -> Callee | None:
        """Return what static imports say about a call; None when they say nothing."""
        holders = [(self.holder(one), one.star) for one in self.static_imports(path, name)]
        hits = [rows for held, _ in holders if (rows := self.methods(held, name, count))]
        if len(hits) == 1:
            return Callee(hits[0], "import")
        elsewhere = [(held, star) for held, star in holders if held and held.sort == OUTSIDE_CLASS]
        named = [held.name for held, star in elsewhere if not star]
        if not hits and len(named) == 1:
            return Callee([], "import", f"{named[0]}.{name}")
        starred = any(star for _, star in elsewhere)
        if hits or (starred and name not in self.library.top_members):
            return Callee([], "receiver")
        return None
