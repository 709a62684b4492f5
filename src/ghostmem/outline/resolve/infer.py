"""Which type an expression has, as far as the files say; None whenever they do not."""

from __future__ import annotations

from dataclasses import dataclass, field

from ghostmem.outline.facts import Expression
from ghostmem.outline.resolve.members import MemberLookup
from ghostmem.outline.resolve.types import (
    ARRAY,
    EMPTY,
    FUNCTION,
    INSTANCE,
    MAX_DEPTH,
    OUTSIDE,
    Env,
    Key,
    Type,
    outside,
    union,
)

CALLS = frozenset({"call", "plain_call", "super_call"})


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
            self.known[path, number] = None  # what depends on itself has no type
            self.depth += 1
            self.known[path, number] = self._infer(path, number, self.expression(path, number))
            self.depth -= 1
        return self.known[path, number]

    def _infer(self, path: str, number: int, one: Expression) -> Type | None:
        match one.op:
            case "name":
                return self.variable(path, one.name, one.scope).type
            case "member":
                return self.type_of_member(path, one)
            case "call" | "plain_call" | "super_call":
                return self._result(path, one)
            case "this" | "super":
                return self._own(path, one)
            case "element":
                return self.element(self.type_of(path, one.target))
            case "union":
                return union([self.type_of(path, part) for part in one.parts])
            case "function":
                return Type(FUNCTION, (path, number))
            case "parameter":
                return self._parameter(path, one)
        return self._constant(path, one)

    def _constant(self, path: str, one: Expression) -> Type | None:
        """Return the type of an expression that says it: a literal, or one with a written type."""
        match one.op:
            case "literal":
                return EMPTY if one.name == "null" else outside(self.library.text)
            case "new" | "cast":
                return self.written(path, one.term)
            case "array":
                return Type(ARRAY, args=(self.written(path, one.term),))
            case "class":
                return outside(f"{self.library.implicit}.Class", self.written(path, one.term))
            case "sum":
                texts = [self.expression(path, part) for part in one.parts if part >= 0]
                is_text = any(part.op == "literal" and part.name == "String" for part in texts)
                return outside(self.library.text) if is_text else None
        return None

    def _own(self, path: str, one: Expression) -> Type | None:
        key = self.type_at(path, one.scope)
        if key is None or one.op == "this":
            return None if key is None else Type(INSTANCE, key)
        return self.superclass(key)

    def superclass(self, key: Key) -> Type | None:
        """Return the type that a type extends."""
        pairs = zip(self.base_refs.get(key, []), self.supers(key, ()), strict=True)
        extended = [kind for ref, kind in pairs if ref.kind == "extends"]
        return extended[0] if extended else outside(self.library.top)

    def element(self, kind: Type | None) -> Type | None:
        """Return what a value consists of."""
        if kind is None:
            return None
        if kind.sort == ARRAY or (kind.sort == OUTSIDE and len(kind.args) == 1):
            return kind.args[0]
        if kind.sort == INSTANCE and self.depth < MAX_DEPTH:
            self.depth += 1
            found = [self.element(one) for one in self.supers(kind.symbol, kind.args)]
            self.depth -= 1
            return next((one for one in found if one is not None), None)
        return None

    def _result(self, path: str, one: Expression) -> Type | None:
        found = self.callee(path, one)
        if found.methods:
            kinds = []
            for key, env in found.methods:
                if self.symbol(key).kind == "method":
                    env += self._inferred(key, path, one)
                kinds.append(self.field_type(key, env))
            return union(kinds)
        if not found.outside:
            return None
        kind = self.receiver(path, one)
        if kind is not None and kind.sort == OUTSIDE:
            return self.library.result(kind, one.name, lambda: self._returned(path, one))
        is_text = one.name == "toString" and not one.parts
        return outside(self.library.text) if is_text else None

    def _inferred(self, key: Key, path: str, one: Expression) -> Env:
        """Return the type parameters of a generic method, from arguments that are of just that
        type, or its class.
        """
        names = self.type_parameters(key)
        found: dict[str, Type | None] = {}
        terms = self.files[key[0]].terms
        for (number, _), part in zip(self.parameter_terms(key), one.parts, strict=False):
            term = terms[number] if number >= 0 else None
            if term is None or term.sort != "named" or not names:
                continue
            if term.name in names:
                found.setdefault(term.name, self.type_of(path, part))
            elif term.name == "Class" and term.parts and term.parts[0] >= 0:
                kind = self.type_of(path, part)
                given = kind.args[0] if kind and kind.sort == OUTSIDE and kind.args else None
                if terms[term.parts[0]].name in names:
                    found.setdefault(terms[term.parts[0]].name, given)
        return tuple(sorted((name, kind) for name, kind in found.items() if kind is not None))

    def _returned(self, path: str, one: Expression) -> Type | None:
        """Return what the function literal gives that a call takes first."""
        part = one.parts[0] if one.parts else -1
        if part < 0 or self.expression(path, part).op != "function":
            return None
        return self.type_of(path, self.expression(path, part).target)

    def _parameter(self, path: str, one: Expression) -> Type | None:
        """Return what a function literal is given, from where it is given to."""
        literal, place = one.target, int(one.name)
        if (path, literal) in self.declared:
            return self._passed(self.written(path, self.declared[path, literal]), place)
        if (path, literal) not in self.taken:
            return None
        number, position = self.taken[path, literal]
        call = self.expression(path, number)
        held = self.receiver(path, call)
        if held is not None and held.sort == OUTSIDE:
            return self.library.passes(held, call.name, place)
        found = self.callee(path, call).methods
        if len(found) != 1 or self.symbol(found[0][0]).kind != "method":
            return None
        key, env = found[0]
        terms = self.parameter_terms(key)
        if position >= len(terms):
            return None
        scope = self.symbol(key).inner
        return self._passed(self.written(key[0], terms[position][0], scope, env), place)

    def _passed(self, kind: Type | None, place: int) -> Type | None:
        """Return a parameter of the one method that a function type has."""
        if kind is None:
            return None
        if kind.sort == OUTSIDE and kind.name.startswith(self.library.functions):
            return kind.args[place] if place < len(kind.args) else None
        if kind.sort != INSTANCE or self.symbol(kind.symbol).kind != "interface":
            return None
        methods = [
            one
            for one in self.all_members(kind.symbol)
            if self.symbol(one).kind == "method"
            and not {"static", "default"} & {*self.symbol(one).flags}
        ]
        if len(methods) != 1:
            return None
        terms, scope = self.parameter_terms(methods[0]), self.symbol(methods[0]).inner
        if place >= len(terms):
            return None
        return self.written(kind.symbol[0], terms[place][0], scope, self.env(kind))
