"""The types that are written, and the fields and methods that values have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ghostmem.outline.facts import Expression, Import, Term
from ghostmem.outline.resolve.names import Names
from ghostmem.outline.resolve.overloads import CallArguments, OverloadedMethod, applicable
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
)

FIELDS = frozenset({"field", "constant"})
METHODS = frozenset({"method"})
OWN = frozenset({INSTANCE, CLASS})


class Variable(NamedTuple):
    """The meaning of a plain name: its type, the field that it is if it is one, and the step."""

    type: Type | None
    field: Key | None
    via: str


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
        kind = self._instance(path, term, term.scope if scope < 0 else scope, env)
        self.depth -= 1
        return kind

    def _instance(self, path: str, term: Term, scope: int, env: Env) -> Type | None:
        named = self.class_named(path, term.name, scope).type
        if named is None:
            return None
        if named.sort == PARAMETER:
            file, number = named.symbol
            bound = self.files[file].bindings[number].term
            return dict(env).get(named.name) or self.written(file, bound)
        arguments = [self.written(path, part, scope, env) for part in term.parts]
        args = tuple(kind if is_shallow(kind) else None for kind in arguments)
        if named.sort == CLASS:
            return Type(INSTANCE, named.symbol, args=args)
        return Type(OUTSIDE, name=named.name, args=args)

    def supers(self, key: Key, arguments: tuple[Type | None, ...]) -> list[Type | None]:
        """Return the types that a type extends and implements, None for those not known."""
        if (key, arguments) not in self.supertypes:
            names = self.type_parameters(key)
            env = tuple(zip(names, arguments, strict=False))
            bases = []
            for ref in self.base_refs.get(key, []):
                # a type's own head is read from outside it, but for its type parameters
                inside = self._mentions(key[0], ref.term, names)
                scope = ref.scope if inside else self.outer_scope(key, ref)
                bases.append(self.written(key[0], ref.term, scope, env))
            self.supertypes[key, arguments] = bases
        return self.supertypes[key, arguments]

    def _mentions(self, path: str, number: int, names: list[str]) -> bool:
        if number < 0:
            return False
        term = self.files[path].terms[number]
        return term.name in names or any(self._mentions(path, part, names) for part in term.parts)

    def env(self, kind: Type) -> Env:
        """Return the type parameters of a value's type with its arguments."""
        return tuple(zip(self.type_parameters(kind.symbol), kind.args, strict=False))

    # fields

    def variable(self, path: str, name: str, scope: int) -> Variable:
        """Return the meaning of a plain name."""
        for number, around in self.chain(path, scope):
            binding = self.bindings.get((path, number, name))
            if binding is not None:
                kind = (
                    self.array_of(self.written(path, binding.term), binding.flags)
                    if binding.term >= 0
                    else self.type_of(path, binding.value)
                )
                return Variable(kind, None, "variable")
            if around.kind == "type":
                key, env = self.field_of(Type(INSTANCE, (path, around.definition)), name)
                if key is not None:
                    return Variable(self.field_type(key, env), key, "receiver")
        key = self._imported_field(path, name)
        if key is not None:
            return Variable(self.field_type(key, ()), key, "import")
        kind, via = self.class_named(path, name, scope)
        is_class = kind is not None and kind.sort in (CLASS, OUTSIDE_CLASS)
        return Variable(kind if is_class else None, None, via)

    def array_of(self, kind: Type | None, flags: tuple[str, ...]) -> Type | None:
        """Return the array of a type where the flags say so."""
        return Type(ARRAY, args=(kind,)) if "array" in flags else kind

    def static_owner(self, statement: Import) -> Type | None:
        """Return the type whose members a static import means."""
        path = statement.path
        return self.class_at(path if statement.star else path.rpartition(".")[0])

    def static_imports(self, path: str, name: str) -> list[Import]:
        """Return the imports of members that may bring a name."""
        return [
            one
            for one in self.files[path].imports
            if "static" in one.options and (one.star or one.path.rpartition(".")[2] == name)
        ]

    def _imported_field(self, path: str, name: str) -> Key | None:
        owners = [self.static_owner(one) for one in self.static_imports(path, name)]
        classes = [owner for owner in owners if owner is not None and owner.sort == CLASS]
        keys = {self.field_of(owner, name)[0] for owner in classes} - {None}
        return keys.pop() if len(keys) == 1 else None

    def field_of(
        self, kind: Type | None, name: str, seen: frozenset[Key] = frozenset()
    ) -> tuple[Key | None, Env]:
        """Return the field that a value of a type has under a name."""
        if kind is None or kind.sort not in OWN or kind.symbol in seen or len(seen) > MAX_DEPTH:
            return None, ()
        keys = self.members(kind.symbol, name, FIELDS)
        if keys:
            return keys[0], self.env(kind)
        bases = self.supers(kind.symbol, kind.args)
        inherited = (self.field_of(base, name, seen | {kind.symbol}) for base in bases)
        return next((field for field in inherited if field[0] is not None), (None, ()))

    def field_type(self, key: Key, env: Env) -> Type | None:
        """Return the type of a field, or of the result of a method."""
        symbol = self.symbol(key)
        if symbol.kind == "constant" and "enum" in symbol.flags:
            return Type(INSTANCE, (key[0], symbol.parent))
        # the return type of a method may name its own type parameters
        scope = symbol.inner if symbol.kind == "method" else -1
        return self.array_of(self.written(key[0], symbol.term, scope, env), symbol.flags)

    def type_of_member(self, path: str, member: Expression) -> Type | None:
        """Return the type of `target.name`: a field, a nested class, or a class by its name."""
        kind = self.type_of(path, member.target)
        key, env = self.field_of(kind, member.name)
        if key is not None:
            return self.field_type(key, env)
        if kind is not None and kind.sort in (CLASS, OUTSIDE_CLASS):
            inner = self.nested(kind, member.name)
            is_class = member.name[:1].isupper() and not member.name.isupper()
            if inner is not None and inner.sort == OUTSIDE_CLASS and not is_class:
                return Type(VALUE, name=inner.name)
            return inner
        dotted = self._dotted(path, member.target) if kind is None else ""
        return self.class_named(path, f"{dotted}.{member.name}", 0).type if dotted else None

    def _dotted(self, path: str, number: int) -> str:
        """Return an expression as a dotted name when it is but names, as a package is."""
        if number < 0:
            return ""
        part = self.expression(path, number)
        if part.op == "name":
            return part.name if self.variable(path, part.name, part.scope).via == "" else ""
        before = self._dotted(path, part.target) if part.op == "member" else ""
        return f"{before}.{part.name}" if before else ""

    # methods

    def parameter_terms(self, key: Key) -> list[tuple[int, bool]]:
        """Return the written types of a method's parameters, and whether each takes many."""
        bindings = self.parameters.get((key[0], self.symbol(key).inner), [])
        return [(one.term, "array" in one.flags) for one in bindings if one.kind == "parameter"]

    def takes(self, key: Key, arguments: CallArguments | None) -> bool:
        """Tell whether a method can be called with a number of arguments."""
        if arguments is None:
            return True
        count = len(arguments.parts)
        flags = self.symbol(key).flags
        if "compact" in flags:
            within = self.all_members((key[0], self.symbol(key).parent))
            return count == sum("component" in self.symbol(one).flags for one in within)
        wanted = self.parameter_terms(key)
        return count >= len(wanted) - 1 if "variadic" in flags else count == len(wanted)

    def methods(
        self, kind: Type | None, name: str, arguments: CallArguments | None
    ) -> list[tuple[Key, Env]]:
        """Return the methods of a type that a call with some arguments may mean, or those of its
        nearest type without arguments.
        """
        found = applicable(self, list(self._methods(kind, name, arguments, ())), arguments)
        return [(one.key, one.env) for one in found]

    def _methods(
        self, kind: Type | None, name: str, arguments: CallArguments | None, seen: tuple[Key, ...]
    ) -> Iterator[OverloadedMethod]:
        """Yield the methods of a type with a name and a number of arguments, then inherited
        ones.
        """
        if kind is None or kind.sort not in OWN or kind.symbol in seen or len(seen) > MAX_DEPTH:
            return
        keys = [
            key
            for key in self.members(kind.symbol, name, METHODS)
            if "constructor" not in self.symbol(key).flags and self.takes(key, arguments)
        ]
        if not keys and arguments is not None and not arguments.parts:
            fields = self.members(kind.symbol, name, FIELDS)
            keys = [key for key in fields if "component" in self.symbol(key).flags]
        yield from (OverloadedMethod(key, self.env(kind), len(seen)) for key in keys)
        if keys and (arguments is None or not arguments.parts):
            return  # they hide inherited ones
        for base in self.supers(kind.symbol, kind.args):
            yield from self._methods(base, name, arguments, (*seen, kind.symbol))

    def constructors(self, key: Key, arguments: CallArguments) -> list[Key]:
        """Return the constructors of a type that a call with some arguments may mean."""
        methods = [
            OverloadedMethod(one, (), 0)
            for one in self.all_members(key)
            if "constructor" in self.symbol(one).flags and self.takes(one, arguments)
        ]
        return [one.key for one in applicable(self, methods, arguments)]
