"""The types of expressions and the methods that calls mean; None where the files do not say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from ghostmem.outline.facts import Expression
from ghostmem.outline.resolve.members import OWN, MemberLookup
from ghostmem.outline.resolve.overloads import CallArguments
from ghostmem.outline.resolve.types import (
    ARRAY,
    EMPTY,
    FUNCTION,
    INSTANCE,
    MAX_DEPTH,
    OUTSIDE,
    OUTSIDE_CLASS,
    PRIMITIVE,
    VALUE,
    Env,
    Key,
    Type,
    outside,
    parts_of,
    union,
)

CALLS = frozenset({"call", "plain_call", "super_call"})


class Callee(NamedTuple):
    """The methods that a call may mean, by which step, or the name of one outside."""

    methods: list[tuple[Key, Env]]
    via: str
    outside: str = ""


@dataclass(slots=True)
class TypeInference(MemberLookup):
    """Find the types of expressions."""

    known: dict[tuple[str, int], Type | None] = field(default_factory=dict)
    # function literals: the call that takes one, and the place, or the type that it is declared as
    taken: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    declared: dict[tuple[str, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        MemberLookup.__post_init__(self)
        for path, facts in self.files.items():
            for number, one in enumerate(facts.expressions):
                for place, part in enumerate(one.parts if one.op in CALLS else ()):
                    self.taken[path, part] = (number, place)
            for binding in facts.bindings:
                if binding.term >= 0 and binding.value >= 0:
                    self.declared[path, binding.value] = binding.term

    def type_of(self, path: str, number: int) -> Type | None:
        """Return the type of an expression."""
        if number < 0 or self.depth > MAX_DEPTH:
            return None
        if (path, number) not in self.known:
            self.known[path, number] = None  # an expression that depends on itself has no type
            self.depth += 1
            expression = self.expression(path, number)
            handler = _EXPRESSIONS.get(expression.op)
            if handler is not None:
                self.known[path, number] = handler(self, path, number, expression)
            self.depth -= 1
        return self.known[path, number]

    def own(self, path: str, _number: int, expression: Expression) -> Type | None:
        """Return the type of this or super."""
        key = self.type_at(path, expression.scope)
        if key is None:
            return None
        return Type(INSTANCE, key) if expression.op == "this" else self.superclass(key)

    def superclass(self, key: Key) -> Type | None:
        """Return the type that a type extends."""
        pairs = zip(self.base_refs.get(key, []), self.supers(key, ()), strict=True)
        extended = [kind for ref, kind in pairs if ref.kind == "extends"]
        return extended[0] if extended else outside(self.library.top)

    def element(self, kind: Type | None) -> Type | None:
        """Return the type of the elements of a value."""
        if kind is None:
            return None
        if kind.sort == ARRAY or (kind.sort == OUTSIDE and len(kind.args) == 1):
            return kind.args[0]
        if kind.sort != INSTANCE or self.depth >= MAX_DEPTH:
            return None
        self.depth += 1
        elements = [self.element(base) for base in self.supers(kind.symbol, kind.args)]
        self.depth -= 1
        return next((element for element in elements if element is not None), None)

    # calls

    def callee(self, path: str, call: Expression) -> Callee:
        """Return the methods that a call may mean."""
        arguments = CallArguments(path, call.parts)
        if call.op == "plain_call":
            return self._plain(arguments, call.name, call.scope)
        kind = self.receiver(path, call)
        op = self.expression(path, call.target).op if call.target >= 0 else ""
        via = "receiver" if op in ("this", "super") else "type"
        found = [self.methods(part, call.name, arguments) for part in parts_of(kind)]
        if all(found):
            return Callee([method for methods in found for method in methods], via)
        return Callee([], via, self._outside_method(kind, call.name))

    def receiver(self, path: str, call: Expression) -> Type | None:
        """Return the type of the value that a method is called on."""
        return self.written(path, call.term) if call.term >= 0 else self.type_of(path, call.target)

    def _outside_base(self, kind: Type, seen: frozenset[Key] = frozenset()) -> str:
        """Return the class from elsewhere that a class extends: nothing when there is none, "?"
        when it is not known.
        """
        if kind.sort not in OWN or kind.symbol in seen or len(seen) > MAX_DEPTH:
            return kind.name if kind.sort == OUTSIDE else ""
        refs = self.base_refs.get(kind.symbol, [])
        bases = zip(refs, self.supers(kind.symbol, ()), strict=True)
        found = (
            "?" if base is None else self._outside_base(base, seen | {kind.symbol})
            for ref, base in bases
            if ref.kind == "extends"
        )
        return next(filter(None, found), "")

    def _outside_method(self, kind: Type | None, name: str) -> str:
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
        if base not in ("", "?"):
            return f"{base}.{name}"
        is_enum = "enum" in self.symbol(kind.symbol).flags and name in library.enum_members
        return top or (f"{library.enum}.{name}" if is_enum else "")

    def _plain(self, arguments: CallArguments, name: str, scope: int) -> Callee:
        """Return the methods that a call without a receiver may mean."""
        types = [
            Type(INSTANCE, (arguments.path, around.definition))
            for _, around in self.chain(arguments.path, scope)
            if around.kind == "type"
        ]
        for kind in types:
            methods = self.methods(kind, name, arguments)
            if methods:
                return Callee(methods, "receiver")
        outside = (self._outside_method(kind, name) for kind in types)
        return self._imported(arguments, name) or Callee(
            [], "receiver", next(filter(None, outside), "")
        )

    def _imported(self, arguments: CallArguments, name: str) -> Callee | None:
        """Return the callee that static imports tell; None when they tell nothing."""
        imports = self.static_imports(arguments.path, name)
        owners = [(self.static_owner(one), one.star) for one in imports]
        hits = [found for owner, _ in owners if (found := self.methods(owner, name, arguments))]
        if len(hits) == 1:
            return Callee(hits[0], "import")
        outside = [(one.name, star) for one, star in owners if one and one.sort == OUTSIDE_CLASS]
        named = [owner for owner, star in outside if not star]
        if not hits and len(named) == 1:
            return Callee([], "import", f"{named[0]}.{name}")
        is_starred = len(named) < len(outside) and name not in self.library.top_members
        return Callee([], "receiver") if hits or is_starred else None

    def result(self, path: str, _number: int, call: Expression) -> Type | None:
        """Return the type that a call gives."""
        callee = self.callee(path, call)
        if callee.methods:
            return union([self._returned_by(key, env, path, call) for key, env in callee.methods])
        if not callee.outside:
            return None
        kind = self.receiver(path, call)
        if kind is not None and kind.sort == OUTSIDE:
            return self.library.result(kind, call.name, lambda: self._returned(path, call))
        result = self.library.results.get(callee.outside)
        return outside(result) if result is not None else None

    def _returned_by(self, key: Key, env: Env, path: str, call: Expression) -> Type | None:
        if self.symbol(key).kind == "method":
            env += self._inferred(key, path, call)
        return self.field_type(key, env)

    def _inferred(self, key: Key, path: str, call: Expression) -> Env:
        """Return the type parameters of a generic method, from arguments that are of just that
        type, or its class.
        """
        names, terms = self.type_parameters(key), self.files[key[0]].terms
        found: dict[str, Type | None] = {}
        parameters = self.parameter_terms(key) if names else []
        for (number, _), argument in zip(parameters, call.parts, strict=False):
            term = terms[number] if number >= 0 and terms[number].sort == "named" else None
            if term is None:
                continue
            if term.name in names:
                found.setdefault(term.name, self.type_of(path, argument))
            elif term.name == "Class" and term.parts and term.parts[0] >= 0:
                kind = self.type_of(path, argument)
                given = kind.args[0] if kind and kind.sort == OUTSIDE and kind.args else None
                if terms[term.parts[0]].name in names:
                    found.setdefault(terms[term.parts[0]].name, given)
        return tuple(sorted((name, kind) for name, kind in found.items() if kind is not None))

    def _returned(self, path: str, call: Expression) -> Type | None:
        """Return the type that the function literal gives which a call takes first."""
        first = self.expression(path, call.parts[0]) if call.parts and call.parts[0] >= 0 else None
        is_function = first is not None and first.op == "function"
        return self.type_of(path, first.target) if first is not None and is_function else None

    def parameter(self, path: str, _number: int, expression: Expression) -> Type | None:
        """Return the type of a parameter of a function literal, from where that is passed to."""
        literal, place = expression.target, int(expression.name)
        if (path, literal) in self.declared:
            return self._passed(self.written(path, self.declared[path, literal]), place)
        if (path, literal) not in self.taken:
            return None
        number, position = self.taken[path, literal]
        call = self.expression(path, number)
        receiver = self.receiver(path, call)
        if receiver is not None and receiver.sort == OUTSIDE:
            return self.library.passes(receiver, call.name, place)
        methods = self.callee(path, call).methods
        if len(methods) != 1 or self.symbol(methods[0][0]).kind != "method":
            return None
        return self._passed(self._parameter_type(*methods[0], position), place)

    def _parameter_type(self, key: Key, env: Env, position: int) -> Type | None:
        terms = self.parameter_terms(key)
        if position >= len(terms):
            return None
        return self.written(key[0], terms[position][0], self.symbol(key).inner, env)

    def _passed(self, kind: Type | None, place: int) -> Type | None:
        """Return the type of a parameter of the one method that a function type has."""
        if kind is None:
            return None
        if kind.sort == OUTSIDE and kind.name.startswith(self.library.functions):
            return kind.args[place] if place < len(kind.args) else None
        if kind.sort != INSTANCE or self.symbol(kind.symbol).kind != "interface":
            return None
        members = [(key, self.symbol(key)) for key in self.all_members(kind.symbol)]
        methods = [
            key
            for key, symbol in members
            if symbol.kind == "method" and {"static", "default"}.isdisjoint(symbol.flags)
        ]
        return (
            self._parameter_type(methods[0], self.env(kind), place) if len(methods) == 1 else None
        )

    def sum(self, path: str, _number: int, expression: Expression) -> Type | None:
        """Return the type of a sum that has a text in it."""
        text = outside(self.library.text)
        # a text is most often on the right side
        parts = (self.type_of(path, part) for part in reversed(expression.parts))
        return text if text in parts else None

    def literal(self, _path: str, _number: int, expression: Expression) -> Type | None:
        """Return the type of a literal; the query names the primitive ones."""
        if expression.name == "null":
            return EMPTY
        is_text = expression.name == "String"
        return outside(self.library.text) if is_text else Type(PRIMITIVE, name=expression.name)


# by the operation of an expression
_EXPRESSIONS: dict[str, Callable[[TypeInference, str, int, Expression], Type | None]] = {
    **dict.fromkeys(CALLS, TypeInference.result),
    "name": lambda types, path, _number, one: types.variable(path, one.name, one.scope).type,
    "member": lambda types, path, _number, one: types.type_of_member(path, one),
    "this": TypeInference.own,
    "super": TypeInference.own,
    "element": lambda types, path, _number, one: types.element(types.type_of(path, one.target)),
    "union": lambda types, path, _number, one: union(
        [types.type_of(path, part) for part in one.parts]
    ),
    "function": lambda _types, path, number, _one: Type(FUNCTION, (path, number)),
    "parameter": TypeInference.parameter,
    "literal": TypeInference.literal,
    "new": lambda types, path, _number, one: types.written(path, one.term),
    "cast": lambda types, path, _number, one: types.written(path, one.term),
    "array": lambda types, path, _number, one: Type(ARRAY, args=(types.written(path, one.term),)),
    "class": lambda types, path, _number, one: outside(
        f"{types.library.implicit}.Class", types.written(path, one.term)
    ),
    "sum": TypeInference.sum,
}
