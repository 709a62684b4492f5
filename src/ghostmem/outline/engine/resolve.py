"""Evaluate terms over the facts of all files: scopes, imports, members through types.

Nothing is ever looked up by its bare name: what no scope, import or type leads to is unknown.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from ghostmem.outline.engine.facts import (
    B_END,
    B_POSITION,
    B_SCOPE,
    B_SYMBOL,
    B_TYPE,
    B_VALUE,
    BLOCK,
    CLASS,
    END,
    EXTENSION,
    FUNCTION_SCOPE,
    MODULE_SCOPE,
    NO_MEMBERS,
    NO_SYMBOL,
    Binding,
    CodeSymbol,
    FoundBinding,
    Scope,
    Unit,
    is_import,
)
from ghostmem.outline.engine.table import Flags
from ghostmem.outline.engine.terms import (
    ALIAS,
    BASES,
    CALL,
    CALLABLE,
    CALLBACK,
    CONSTRUCT,
    EITHER,
    ELEMENT,
    FUNCTION,
    FUNCTION_TYPE,
    GENERIC,
    IMPORT,
    INSTANCE,
    KEY,
    LAMBDA,
    LIST,
    LIST_OF,
    LIST_TYPE,
    LITERAL,
    MAP,
    MAP_OF,
    MAP_TYPE,
    MEMBER,
    MODULE,
    NAME,
    OUTSIDE,
    OUTSIDE_INSTANCE,
    OWN_TYPE,
    PART,
    SEVERAL,
    SUPER,
    SYMBOL,
    THIS,
    TUPLE,
    TYPE,
    TYPE_PARAMETER,
    UNION,
    VALUE_OF,
    Term,
    Value,
    parts,
    union,
)
from ghostmem.outline.languages.base import Read

MAX_DEPTH = 150  # steps from one term to the next
MAX_BINDINGS = 4  # alternatives of a name that are evaluated
MAX_RETURNS = 6  # return statements that are evaluated
_SHARED = (MEMBER, CALL)
_MAX_DEFINITIONS = 5  # types that are defined by another
TYPES = ("type", "interface")
CALLABLES = ("function", "method")

Env = dict[str, Value | None]  # type parameters by name
BaseOrder = list[tuple[CodeSymbol, tuple[Value, ...]]]
# the bindings of a name, and the step that found them: local, receiver, module or import
Found = tuple[list[FoundBinding], str]
Exported = Callable[["Resolver", str, str], list[FoundBinding]]  # of a module and a name


class Place(NamedTuple):
    """Where a term is evaluated."""

    unit: Unit
    scope: int
    position: int
    env: Env | None = None


class Resolver:
    """The facts of all files of a project in one language, and what their terms evaluate to."""

    def __init__(self, units: Mapping[str, Unit], rules: "ResolveRules", read: Read) -> None:
        self.units, self.rules, self.read = units, rules, read
        self.modules: dict[str, dict[str, list[FoundBinding]]] = {}  # names by module
        self.units_of: dict[str, list[Unit]] = {}  # by module
        self.memo: dict[object, Value | None] = {}
        self.term_memo: dict[int, Value | None] = {}  # of the references of one file
        self.busy: set[object] = set()
        self._bases: dict[CodeSymbol, list[Value | None]] = {}
        self.depth = 0
        self.asking: Unit | None = None  # the file that the last member was looked up for
        self._evaluators: dict[str, Callable[[Term, Place], Value | None]] = {
            NAME: self._name, MEMBER: self._member, CALL: self._call, PART: self._part,
            CALLBACK: self._callback, THIS: self._own, OWN_TYPE: self._own, SUPER: self._own,
            GENERIC: self._generic, TYPE_PARAMETER: self._type_parameter,
            ELEMENT: lambda term, at: self._each(self.element, term[1], at),
            KEY: lambda term, at: self._each(self.key, term[1], at),
            LIST_TYPE: lambda term, at: (ALIAS, (LIST, self.value_of_type(term[1], at))),
            MAP_TYPE: lambda term, at: (ALIAS, (MAP, *self._types(term[1:], at))),
            FUNCTION_TYPE: lambda term, at: (
                ALIAS, (CALLABLE, self.value_of_type(term[1], at), self._types(term[2], at)),
            ),
            LITERAL: lambda term, _: (OUTSIDE_INSTANCE, term[1], ()),
            SYMBOL: lambda term, at: self.symbol_value(at.unit.symbols[term[1]]),
            CONSTRUCT: lambda term, at: self.evaluate(term[1], at),
            VALUE_OF: lambda term, at: self.value_of_type(term[1], at),
            IMPORT: lambda term, at: rules.imported(self, at.unit, term[1], term[2]),
            LAMBDA: lambda term, at: (CALLABLE, self.evaluate(term[1], at), (), ""),
            LIST_OF: lambda term, at: (LIST, self.evaluate(term[1], at)),
            MAP_OF: lambda term, at: (MAP, self.evaluate(term[1], at), self.evaluate(term[2], at)),
            SEVERAL: lambda term, at: (TUPLE, tuple(self.evaluate(part, at) for part in term[1])),
            EITHER: lambda term, at: union([self.evaluate(part, at) for part in term[1]]),
        }  # fmt: skip
        rules.begin_linking(self)
        for unit in units.values():
            unit.module = rules.module(self, unit)
            self._add_module(unit, 0, unit.module)
            for symbol in unit.symbols:
                if symbol.inner >= 0 and unit.scopes[symbol.inner].kind == MODULE_SCOPE:
                    self._add_module(unit, symbol.inner, rules.inner_module(self, symbol))
        for unit in units.values():
            for symbol in unit.symbols:
                if symbol.receiver is not None:
                    self._attach(symbol)
        self.memo.clear()
        self._bases.clear()

    def _add_module(self, unit: Unit, scope: int, module: str) -> None:
        """Add the names of a file, or of a module in it, to those of its module."""
        unit.scopes[scope].module = module
        units = self.units_of.setdefault(module, [])
        bound = unit.scopes[scope].names
        numbers = (bindings[0][B_SYMBOL] for bindings in bound.values())
        # a namespace that only has another one inside is not in this file
        has_more = any(number < 0 or unit.symbols[number].kind != "module" for number in numbers)
        if unit not in units[-1:] and (has_more or not scope):
            units.append(unit)
        names = self.modules.setdefault(module, {})
        for name, bindings in bound.items():
            names.setdefault(name, []).extend((unit, binding) for binding in bindings)

    def _attach(self, symbol: CodeSymbol) -> None:
        """Make a member that is declared outside of its type a member of it."""
        unit = symbol.unit
        values = self.owners(symbol.receiver, Place(unit, symbol.scope, END))
        owners = [part[1] for part in values if part[0] in (TYPE, INSTANCE, FUNCTION)]
        owners.sort(key=lambda owner: owner.unit is not unit)  # its own file first
        first = self.rules.owner_of(self, symbol, owners[0] if owners else None)
        binding: Binding = (
            symbol.start, 0, symbol.scope, None, (SYMBOL, symbol.number), symbol.number,
        )  # fmt: skip
        for owner in dict.fromkeys(filter(None, [first, *owners[1:]])):
            if owner.outer_members is NO_MEMBERS:
                owner.outer_members = {}
            key = self.rules.member_name(symbol, owner)
            owner.outer_members.setdefault(key, []).append((unit, binding))
        symbol.attached_to = first

    # --- names

    def lookup(self, unit: Unit, scope: int, name: str, position: int = END) -> Found:
        """Return what a name is bound to where it stands."""
        late: list[Binding] = []
        rules, start = self.rules, scope
        while scope >= 0:
            here = unit.scopes[scope]
            bindings = here.names.get(name)
            if here.kind == CLASS:
                if found := self._in_class(unit, here, name, scope == start):
                    return found
                position = END
            elif bindings and not (rules.merges_modules and here.module is not None):
                if visible := [
                    (unit, binding) for binding in self._visible(bindings, scope, position)
                ]:
                    return visible, "local" if here.module is None else "module"
                late = late or bindings  # declared after this
            if here.kind == FUNCTION_SCOPE:
                position = END
            if rules.members_visible and here.symbol >= 0 and here.kind != BLOCK:
                owner = unit.symbols[here.symbol].attached_to
                found = self.lookup(owner.unit, owner.inner, name) if owner is not None else None
                if found is not None and found[0]:
                    return found
            if here.module is not None and (
                of_module := rules.module_names(self, unit, here.module, name)
            ):
                return of_module, rules.module_step(unit, here.module, of_module)
            scope = here.parent
        return [(unit, binding) for binding in late], "local"

    def _visible(self, bindings: list[Binding], scope: int, position: int) -> list[Binding]:
        """Return the bindings of a name in one scope that it may have at a position."""
        if scope and position != END and not self.rules.hoists:
            bindings = [
                binding
                for binding in bindings
                if binding[B_POSITION] <= position or binding[B_SYMBOL] != NO_SYMBOL
            ]
        if self.rules.merges_declarations and bindings and bindings[0][B_SYMBOL] != NO_SYMBOL:
            return bindings
        return reaching(bindings, position)

    def _in_class(self, unit: Unit, here: Scope, name: str, is_inside: bool) -> Found | None:
        """Return what a name is bound to in the body of a type around it."""
        owner: Value = (TYPE, unit.symbols[here.symbol], ())
        if self.rules.members_visible and (found := self.find(owner, name)):
            return found, "receiver"
        bindings = here.names.get(name, [])
        if not (self.rules.class_scope and is_inside) and not any(
            value and value[0] == TYPE_PARAMETER for *_, value, _ in bindings
        ):
            return None
        return ([(unit, binding) for binding in bindings], "local") if bindings else None

    def bindings(self, name: str, place: Place) -> Found:
        """Return what a name is bound to by the scopes around it, else by star imports."""
        found = self.lookup(place.unit, place.scope, name, place.position)
        return found if found[0] else (self.starred(place.unit, name), "import")

    def beyond(self, unit: Unit, name: str) -> Value | None:
        """Evaluate a name that nothing binds: of the language itself."""
        builtin = (OUTSIDE, name) if name in self.rules.builtins else None
        return self.rules.implicit(self, unit, name) or builtin

    def starred(self, unit: Unit, name: str) -> list[FoundBinding]:
        """Return what star imports bind a name to, if exactly one of them does."""
        origins = {
            id(found[0][1]): found
            for path in unit.stars
            for value in parts(self.rules.imported(self, unit, path, None))
            if (found := self.exports(value, name, self.rules.starred))
        }
        return next(iter(origins.values())) if len(origins) == 1 else []

    def exports(
        self, value: Value, name: str, of_module: "Exported | None" = None
    ) -> list[FoundBinding]:
        """Return what a name is bound to in a module, or as a member of something with members."""
        if value[0] == MODULE:
            return (of_module or self.rules.exported)(self, value[1], name)
        has_members = value[0] in (TYPE, INSTANCE, BASES)
        is_open = value[0] == FUNCTION and value[1].outer_members
        return self.find(value, name) if has_members or is_open else []

    def evaluate_bindings(
        self, found: list[FoundBinding], position: int, env: Env | None = None
    ) -> Value | None:
        """Return what a name with these bindings may be; a declared type decides."""
        if len(found) > 1 and position == END:
            found = [binding for binding in found if binding[1][B_TYPE] is not None][-1:] or found
        if len(found) == 1:
            return self.evaluate_binding(*found[0], env)
        return union([self.evaluate_binding(*binding, env) for binding in found[-MAX_BINDINGS:]])

    def evaluate_binding(
        self, unit: Unit, binding: Binding, env: Env | None = None
    ) -> Value | None:
        """Return what a name is by one of its bindings."""
        key = id(binding)
        if not env and key in self.memo:
            return self.memo[key]
        if key in self.busy or self.depth > MAX_DEPTH:
            return None
        self.busy.add(key)
        position, _, scope, type_term, value_term, symbol = binding
        place = Place(unit, scope, max(position - 1, 0) if position else END, env)
        declared = self.value_of_type(type_term, place) if type_term is not None else None
        value = declared or self.evaluate(value_term, place)
        self.busy.discard(key)
        is_open = symbol >= 0 and bool(unit.symbols[symbol].outer_members)
        if is_open and (value is None or value[0] == OUTSIDE):
            value = (INSTANCE, unit.symbols[symbol], ())
        if not env:
            self.memo[key] = value
        return value

    # --- terms

    def evaluate(self, term: Term | None, place: Place) -> Value | None:
        """Return the value of a term."""
        if term is None or self.depth > MAX_DEPTH:
            return None
        tag = term[0]
        # references of a file share their terms; inside of a binding a value may be incomplete
        is_shared = tag in _SHARED and not self.busy and place.env is None
        if is_shared and id(term) in self.term_memo:
            return self.term_memo[id(term)]
        self.depth += 1
        evaluator = self._evaluators.get(tag)
        value = evaluator(term, place) if evaluator else self.rules.evaluate(self, term, place)
        self.depth -= 1
        if is_shared:
            self.term_memo[id(term)] = value
        return value

    def _name(self, term: Term, place: Place) -> Value | None:
        found, step = self.bindings(term[1], place)
        if not found:
            return self.beyond(place.unit, term[1])
        position = place.position if step == "local" else END
        return self.evaluate_bindings(found, position, place.env)

    def _member(self, term: Term, place: Place) -> Value | None:
        return union([self.member(value, term[2]) for value in self.owners(term[1], place)])

    def owners(self, term: Term | None, place: Place) -> list[Value]:
        """Return what a term is whose member is asked for; a type behind its other names."""
        found = self.evaluate(term, place)
        self.asking = place.unit
        if found is not None and found[0] not in (UNION, ALIAS):
            return [found]
        return [
            part
            for value in parts(found)
            for part in parts(value[1] if value[0] == ALIAS else value)
        ]

    def _call(self, term: Term, place: Place) -> Value | None:
        callee = self.evaluate(term[1], place)
        return union([self.result(value, term[2], place) for value in parts(callee)])

    def _part(self, term: Term, place: Place) -> Value | None:
        """One of several values; the first of one alone, such as `value, ok := map[key]`."""
        number = term[2]
        alone = self.element if self.rules.unpacks else lambda value: None if number else value
        return union(
            [
                (value[1][number:] or (None,))[0] if value[0] == TUPLE else alone(value)
                for value in parts(self.evaluate(term[1], place))
            ]
        )

    def _callback(self, term: Term, place: Place) -> Value | None:
        """A parameter of a function literal: as the callee declares what it passes."""
        _, callee, argument, number = term
        functions = [
            self.underlying(parameter) or parameter
            for value in parts(self.evaluate(callee, place))
            for parameter in parts(self._parameter_value(value, argument))
        ]
        taken_by = [function[2] for function in functions if function[0] == CALLABLE]
        return union([values[number] for values in taken_by if number < len(values)])

    def _parameter_value(self, value: Value, number: int) -> Value | None:
        """Return what a function takes as one of its arguments."""
        if value[0] == TYPE:
            made = self.member((INSTANCE, *value[1:]), self.rules.constructor)
            value = next((value for value in parts(made) if value[0] == FUNCTION), value)
        if value[0] == CALLABLE:
            return value[2][number] if number < len(value[2]) else None
        if value[0] == OUTSIDE:
            return self.rules.outside_parameter(self, value, number)
        if value[0] != FUNCTION or number >= len(value[1].parameters):
            return None
        symbol = value[1]
        bindings = symbol.unit.scopes[symbol.inner].names.get(symbol.parameters[number])
        env = self.function_env(value)
        return self.evaluate_binding(symbol.unit, bindings[0], env) if bindings else None

    def _own(self, term: Term, place: Place) -> Value | None:
        """Evaluate `this`, its type or `super`."""
        symbol = place.unit.enclosing(place.scope)
        if symbol is None:
            return self.rules.evaluate(self, term, place)
        if term[0] == SUPER:
            return (BASES, symbol, ())
        return (INSTANCE if term[0] == THIS else TYPE, symbol, (), True)

    def _generic(self, term: Term, place: Place) -> Value | None:
        """A type or function with type arguments; a type outside may be a container."""
        base = self.evaluate(term[1], place)
        arguments = self._types(term[2], place)
        if base is not None and base[0] in (TYPE, FUNCTION):
            return (TYPE, base[1], arguments) if base[0] == TYPE else (*base[:3], arguments)
        if base is not None and base[0] == ALIAS and len(base) > 2:
            return self._alias_of(base[2], arguments) or base
        is_outside = base is not None and base[0] == OUTSIDE
        name = "" if base is not None and not is_outside else str(base[1] if base else term[1][-1])
        kind = self.rules.containers.get(name.rpartition(self.rules.separator)[2])
        if kind is None or not arguments:
            return self._alias(self.instance(base, arguments))
        return self._alias(self._container(kind, arguments))

    def _container(self, kind: str, arguments: tuple[Value | None, ...]) -> Value | None:
        """Return a value of a container, or of another type with a meaning of its own."""
        match kind:
            case "list":
                return (LIST, arguments[0])
            case "map":
                return (MAP, arguments[0], arguments[-1])
            case "tuple":
                return (TUPLE, arguments)
            case "union":
                return union(arguments)
            case "callable":
                taken = arguments[0]
                is_listed = taken is not None and taken[0] == TUPLE
                return (CALLABLE, arguments[-1], taken[1] if taken and is_listed else ())
            case "type":
                return union([self.type_of(value) for value in parts(arguments[0])])
        return arguments[-1 if kind == "last" else 0]  # "same": a wrapper such as Optional

    @staticmethod
    def _alias(value: Value | None) -> Value | None:
        return (ALIAS, value) if value is not None else None

    def _type_parameter(self, term: Term, place: Place) -> Value | None:
        _, name, bound = term
        if place.env is not None and name in place.env:
            return self._alias(place.env[name])
        return self._alias(self.value_of_type(bound, place._replace(env=None)))

    # --- types

    def value_of_type(self, term: Term | None, place: Place) -> Value | None:
        """Return a value of a type as written."""
        return self.instance(self.evaluate(term, place))

    @staticmethod
    def type_of(value: Value) -> Value | None:
        """Return the type of a value, as a value."""
        if value[0] == INSTANCE:
            return (TYPE, *value[1:])
        return (OUTSIDE, value[1]) if value[0] == OUTSIDE_INSTANCE else None

    def instance(
        self, value: Value | None, arguments: tuple[Value | None, ...] = ()
    ) -> Value | None:
        """Return a value of a type."""
        if value is None:
            return None
        match value[0]:
            case "type":
                return (INSTANCE, value[1], arguments or value[2], *value[3:])
            case "alias":
                meant: Value | None = value[1]
                return meant
            case "outside instance" | "instance":
                return value
            case "function":
                return (INSTANCE, value[1], ()) if value[1].outer_members else None
            case "outside":
                return (OUTSIDE_INSTANCE, value[1], arguments)
            case "tuple":
                return (TUPLE, tuple(self.instance(part) for part in value[1]))
            case "union":
                return union([self.instance(part, arguments) for part in value[1]])
        return None

    def underlying(self, value: Value | None) -> Value | None:
        """Return the container that a value of a named type is."""
        for _ in range(_MAX_DEFINITIONS):
            if value is None or value[0] != INSTANCE or value[1].underlying is None:
                break
            symbol = value[1]
            env = dict(zip(symbol.type_parameters, value[2], strict=False))
            value = self.value_of_type(
                symbol.underlying, Place(symbol.unit, symbol.inner, END, env or None)
            )
        return value

    def _types(self, terms: Iterable[Term | None], place: Place) -> tuple[Value | None, ...]:
        return tuple(self.value_of_type(term, place) for term in terms)

    def _each(
        self, function: Callable[[Value], Value | None], term: Term, place: Place
    ) -> Value | None:
        return union([function(value) for value in parts(self.evaluate(term, place))])

    def key(self, value: Value | None) -> Value | None:
        """Return a key of a map, or the first of what an object gives when it is iterated."""
        value = self.underlying(value)
        value = self.rules.iterable(self, value) if value is not None else None
        return value[1] if value is not None and value[0] == MAP else None

    def element(self, value: Value | None) -> Value | None:
        """Return an element of a container, or what an object gives when it is iterated."""
        value = self.underlying(value)
        if value is None:
            return None
        value = self.rules.iterable(self, value)
        match value[0]:
            case "list" | "map":
                element: Value | None = value[-1]
                return element
            case "tuple":
                return union(value[1])
            case "outside instance":
                return self.rules.outside_element(value)
            case "instance":
                for name in self.rules.item_methods:
                    if methods := parts(self.member(value, name)):
                        return union(map(self.result, methods))
        return None

    def symbol_value(self, symbol: CodeSymbol, receiver: Value | None = None) -> Value | None:
        """Return the value that the name of a symbol has."""
        if symbol.kind in CALLABLES:
            function: Value = (FUNCTION, symbol, receiver)
            return self.result(function) if "property" in symbol.flags else function
        if symbol.kind == "module":
            return (MODULE, symbol.unit.scopes[symbol.inner].module)
        if symbol.kind not in TYPES:
            bindings = symbol.unit.scopes[symbol.scope].names.get(symbol.name, ())
            own = (symbol.number, NO_SYMBOL)
            found = [(symbol.unit, one) for one in bindings if one[B_SYMBOL] in own]
            return self.evaluate_bindings(found, END)
        alias = self._alias_of(symbol, ()) if "alias" in symbol.flags else None
        return alias or (TYPE, symbol, ())

    def _alias_of(self, symbol: CodeSymbol, arguments: tuple[Value | None, ...]) -> Value | None:
        """Return what a type that is another name means, with type arguments."""
        env = dict(zip(symbol.type_parameters, arguments, strict=False))
        place = Place(symbol.unit, symbol.inner, END, env or None)
        meant = self.value_of_type(symbol.underlying, place)
        return (ALIAS, meant, symbol) if meant is not None else None

    # --- calls

    def result(
        self,
        value: Value | None,
        arguments: tuple[Term | None, ...] = (),
        place: Place | None = None,
    ) -> Value | None:
        """Return what calling a value gives."""
        if value is None:
            return None
        match value[0]:
            case "function":
                return self._function_result(value, arguments, place)
            case "type":
                return (INSTANCE, *value[1:])
            case "callable" | "alias":
                given: Value | None = value[1]
                return given
            case "instance":
                defined = self.underlying(value)
                if defined is not None and defined[0] == CALLABLE:
                    return self.result(defined)
                method = self.member(value, self.rules.call_method)
                if method is not None and method[0] == FUNCTION:
                    return self.result(method, arguments, place)
            case "outside":
                return self.rules.outside_result(self, value, arguments, place)
        return None

    def _function_result(
        self, value: Value, arguments: tuple[Term | None, ...], place: Place | None
    ) -> Value | None:
        symbol, receiver = value[1], value[2]
        env = self.function_env(value)
        if symbol.result is not None:
            if len(value) < 4 and arguments and place is not None and self.rules.is_generic(symbol):
                env = {**(env or {}), **self.infer(symbol, arguments, place)}
            inner = Place(symbol.unit, symbol.inner, END, env)
            return self._for_receiver(self.value_of_type(symbol.result, inner), receiver)
        key = ("returns", id(symbol))
        if key not in self.memo:
            if key in self.busy:
                return None
            self.busy.add(key)
            self.memo[key] = self.returned(symbol)
            self.busy.discard(key)
        return self._for_receiver(self.memo[key], receiver)

    def returned(self, symbol: CodeSymbol) -> Value | None:
        """Return the union of what a function returns."""
        return union(
            [
                self.evaluate(term, Place(symbol.unit, scope, position))
                for scope, position, term in symbol.returns[:MAX_RETURNS]
            ]
        )

    def _for_receiver(self, value: Value | None, receiver: Value | None) -> Value | None:
        """Replace the type of a method by that of its receiver in what the method returns."""
        if value is None or receiver is None or receiver[0] not in (INSTANCE, TYPE):
            return value
        return union(
            [
                (part[0], *receiver[1:]) if part[0] in (INSTANCE, TYPE) and len(part) == 4 else part
                for part in parts(value)
            ]
        )

    def function_env(self, function: Value) -> Env | None:
        """Return the type arguments of a function, and those that its receiver has for it."""
        symbol, receiver = function[1], function[2]
        explicit = function[3] if len(function) > 3 else ()
        env: Env = dict(zip(symbol.type_parameters, explicit, strict=False))
        owner = symbol.attached_to or symbol.unit.enclosing(symbol.scope)
        if receiver is not None and receiver[0] in (INSTANCE, TYPE, BASES) and owner is not None:
            env.update(self.type_env(owner, receiver) or {})
        return env or None

    def type_env(self, owner: CodeSymbol, receiver: Value) -> Env | None:
        """Return the type arguments of one of the bases of a receiver."""
        inherited = (args for base, args in self.order(receiver[1]) if base is owner)
        arguments = receiver[2] if owner is receiver[1] else next(inherited, ())
        return dict(zip(owner.type_parameters, arguments, strict=False)) or None

    def infer(self, symbol: CodeSymbol, arguments: tuple[Term | None, ...], place: Place) -> Env:
        """Return type arguments of a call, from arguments whose parameters are of these types."""
        env: Env = {}
        names = symbol.unit.scopes[symbol.inner].names
        for name, argument in zip(symbol.parameters, arguments, strict=False):
            if argument is not None and (bindings := names.get(name)):
                self._unify(bindings[0][B_TYPE], self.evaluate(argument, place), env)
        for name in symbol.type_parameters:
            if name in env:  # a bound such as ~[]E tells more
                bound = names[name][0][B_VALUE]
                self._unify(bound[2] if bound else None, self.underlying(env[name]), env)
        return env

    def _unify(self, term: Term | None, value: Value | None, env: Env) -> None:
        """Note the names of a type whose place a part of a value takes."""
        if term is None or value is None:
            return
        match term[0]:
            case "name":
                env.setdefault(term[1], value)
            case "listtype":
                self._unify(term[1], self.element(value), env)
            case "generic" if len(term[2]) == 1:
                kind = self.rules.containers.get(str(term[1][-1]))
                if kind == "list":
                    self._unify(term[2][0], self.element(value), env)
                elif kind == "type":
                    self._unify(term[2][0], self.instance(value), env)
                elif value[0] == INSTANCE and value[2]:
                    self._unify(term[2][0], value[2][0], env)
            case "function type" if value[0] in (CALLABLE, FUNCTION):
                self._unify(term[1], self.result(value), env)

    # --- members

    def order(self, symbol: CodeSymbol) -> BaseOrder:
        """Return a type and its bases, in the order in which members are looked up."""
        if symbol.order is None:
            symbol.order = [(symbol, ())]  # for a type that is its own base
            symbol.order = self.rules.base_order(self, symbol)
        return symbol.order

    def direct_bases(self, symbol: CodeSymbol) -> BaseOrder:
        """Return the bases of a type that are in the project, with their type arguments."""
        found = symbol.outer_members.get(EXTENSION, ())
        extensions = [unit.symbols[binding[B_SYMBOL]] for unit, binding in found]
        return [
            base[1:3]
            for part in (symbol, *extensions)
            for base in self.base_values(part)
            if base is not None and base[0] == INSTANCE
        ]

    def base_values(self, symbol: CodeSymbol) -> list[Value | None]:
        """Return the bases of a type as values of it; None for an unknown one."""
        if symbol not in self._bases:
            self._bases[symbol] = []  # for a type whose base depends on itself
            scope = symbol.inner if self.rules.bases_inside else symbol.scope
            self._bases[symbol] = [
                base
                for _, term, _, position in symbol.bases
                for base in parts(self.value_of_type(term, Place(symbol.unit, scope, position)))
                or (None,)
            ]
        return self._bases[symbol]

    def find(self, value: Value, name: str) -> list[FoundBinding]:
        """Return the bindings of a member of a type."""
        if (special := self.rules.find_member(self, value, name)) is not None:
            return special
        found: list[FoundBinding] = []
        suffix = self.rules.call_suffix
        is_method = suffix and name.endswith(suffix) and name != self.rules.constructor + suffix
        for symbol, _ in self.order(value[1])[value[0] == BASES :]:
            found += self.own_member(symbol, name)
            if found and not is_method:
                break
        return found

    def own_member(self, symbol: CodeSymbol, name: str) -> list[FoundBinding]:
        """Return the bindings of a member that a symbol itself has."""
        has_members = symbol.inner >= 0 and symbol.kind in TYPES
        bindings = symbol.unit.scopes[symbol.inner].names.get(name) if has_members else None
        value = bindings[0][B_VALUE] if bindings else None
        if not bindings or (value is not None and value[0] == TYPE_PARAMETER):
            return symbol.outer_members.get(name, [])
        shown = bindings if self.rules.has_overloads else reaching(bindings, END)
        return [(symbol.unit, binding) for binding in shown]

    def member(self, value: Value, name: str) -> Value | None:
        """Return a member of a value."""
        match value[0]:
            case "type" | "instance" | "bases" | "function":
                return self._own_or_inherited(value, name)
            case "module":
                return self.module_member(value[1], name)
            case "outside" | "outside instance":
                return self.rules.outside_member(self, value, name)
            case "list" | "map" | "tuple":
                return self.rules.container_member(self, value, name)
            case "union":
                return union([self.member(part, name) for part in value[1]])
        return None

    def _own_or_inherited(self, value: Value, name: str) -> Value | None:
        if value[0] == FUNCTION and not value[1].outer_members:
            return self.rules.function_member(self, value, name)
        if (special := self.rules.special_member(self, value, name)) is not None:
            return special
        if found := self.find(value, name):
            return self.bound(found, value)
        bases = self.outside_bases(value[1]) if self.rules.inherits_outside else iter(())
        base = next(bases, None)
        bare = name.removesuffix(self.rules.call_suffix)
        return (OUTSIDE, f"{base[1]}.{bare}") if base is not None else None

    def bound(self, found: list[FoundBinding], receiver: Value) -> Value | None:
        """Return the value of a member, as a member of its receiver."""
        unit, binding = found[0]
        number = binding[B_SYMBOL]
        if number >= 0 and unit.symbols[number].kind in CALLABLES:
            return union(
                [
                    self.symbol_value(one.symbols[each[B_SYMBOL]], receiver)
                    if each[B_SYMBOL] >= 0
                    else self.evaluate_binding(one, each)
                    for one, each in found[-MAX_BINDINGS:]
                ]
            )
        owner = unit.enclosing(binding[B_SCOPE])
        env = (
            self.type_env(owner, receiver)
            if owner is not None and owner.type_parameters and receiver[0] in (INSTANCE, BASES)
            else None
        )
        return self.evaluate_bindings(found, END, env)

    def outside_bases(self, symbol: CodeSymbol) -> Iterator[Value | None]:
        """Yield the bases of a type that are outside of the project; None for an unknown one."""
        values = (value for base, _ in self.order(symbol) for value in self.base_values(base))
        return (value for value in values if value is None or value[0] == OUTSIDE_INSTANCE)

    def module_member(self, module: str, name: str) -> Value | None:
        """Return what a name is in a module."""
        if found := self.rules.exported(self, module, name):
            return self.evaluate_bindings(found, END)
        return self.rules.missing_member(self, module, name)


def reaching(bindings: list[Binding], position: int) -> list[Binding]:
    """Return the bindings of a name that it may have at a position of their scope."""
    if len(bindings) == 1:
        return bindings
    reached: list[Binding] = []
    for binding in bindings:
        if binding[B_POSITION] > position:
            continue
        end = binding[B_END]
        if end == 0 or position < abs(end):
            reached = [binding]
        elif end > 0:
            reached.append(binding)
    return reached or [binding for binding in bindings if binding[B_END] >= 0] or bindings


def library_result(
    resolver: Resolver, receiver: Value, meaning: str, argument: Value | None
) -> Value | None:
    """Return the result of a library's method that is called on a value, with its first argument.

    A meaning is `same` (as the receiver), `key` or `element` (its first or last type argument),
    `called` (what the function that is passed gives), `argument` (what is passed), `item` (an
    element of it), or the name of a type: with the type arguments of the receiver or, as in
    `Array<called>`, with a meaning as its own."""
    outer, _, inner = meaning.removesuffix(">").partition("<")
    types: tuple[Value | None, ...] = receiver[2] if len(receiver) > 2 else ()
    if inner:
        types = (library_result(resolver, receiver, inner, argument),)
        return (OUTSIDE_INSTANCE, receiver[1] if outer == "same" else outer, types)
    match outer:
        case "same":
            return receiver
        case "key" | "element":
            return types[0 if outer == "key" else -1] if types else None
        case "called":
            return union([resolver.result(one) for one in parts(argument)])
        case "argument" | "item":
            return argument if outer == "argument" else resolver.element(argument)
    return (OUTSIDE_INSTANCE, outer, types)


class ResolveRules(Flags):
    """How names, members and calls of a language are evaluated."""

    def begin_linking(self, resolver: Resolver) -> None:
        """Prepare tables of all files: folders, modules."""

    def module(self, resolver: Resolver, unit: Unit) -> str:
        """Return the module of a file; its files share their names."""
        return unit.path

    def inner_module(self, resolver: Resolver, symbol: CodeSymbol) -> str:
        """Return the module that a namespace or module in a file is."""
        outer = symbol.unit.scopes[symbol.scope].module
        return f"{outer}{self.separator}{symbol.name}" if outer else symbol.name

    def module_names(
        self, resolver: Resolver, unit: Unit, module: str, name: str
    ) -> list[FoundBinding]:
        """Return what a file imports under a name, else what all files of its module bind it to."""
        bindings = resolver.modules[module].get(name, ())
        own = [binding for binding in bindings if binding[0] is unit and is_import(binding[1])]
        return own or [binding for binding in bindings if not is_import(binding[1])]

    def module_step(self, unit: Unit, module: str, found: list[FoundBinding]) -> str:
        """Return the name of the step that found a name in a module."""
        return "module"

    def member_name(self, symbol: CodeSymbol, owner: CodeSymbol) -> str:
        """Return the name that a member declared outside of its type is bound to."""
        return symbol.name + self.call_suffix

    def owner_of(
        self, resolver: Resolver, symbol: CodeSymbol, owner: CodeSymbol | None
    ) -> CodeSymbol | None:
        """Return the type that a member declared outside belongs to, as its receiver says."""
        return owner

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        """Return what a path, or a member of it, is in a file: a module, a type, or outside."""
        return (OUTSIDE, f"{path}.{member}" if member else path)

    def exported(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return what a name of a module is bound to, as others see it."""
        return resolver.modules.get(module, {}).get(name, [])

    def starred(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return what a name is bound to that everything is imported of a module with."""
        return self.exported(resolver, module, name)

    def missing_member(self, resolver: Resolver, module: str, name: str) -> Value | None:
        """Return a member of a module that it does not bind."""
        return None

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return a name that needs no import."""
        return None

    def evaluate(self, resolver: Resolver, term: Term, place: Place) -> Value | None:
        """Evaluate a term of the language's own."""
        return None

    def base_order(self, resolver: Resolver, symbol: CodeSymbol) -> BaseOrder:
        """Return a type and its bases in the order of lookup: what several share comes last."""
        order: BaseOrder = []
        for base, arguments in resolver.direct_bases(symbol):
            order += [(base, arguments), *resolver.order(base)[1:]]
        later = [base for base in reversed(order) if base[0] is not symbol]
        return [(symbol, ()), *reversed(dict(later).items())]

    def outside_result(
        self,
        resolver: Resolver,
        value: Value,
        arguments: tuple[Term | None, ...],
        place: Place | None,
    ) -> Value | None:
        """Return what calling something outside gives."""
        return None

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of something outside."""
        return (OUTSIDE, f"{value[1]}{self.separator}{name.removesuffix(self.call_suffix)}")

    def outside_parameter(self, resolver: Resolver, value: Value, number: int) -> Value | None:
        """Return what something outside takes as one of its arguments."""
        return None

    def find_member(self, resolver: Resolver, value: Value, name: str) -> list[FoundBinding] | None:
        """Return the bindings of a member by the language's own rule; None: by the bases' order."""
        return None

    def iterable(self, resolver: Resolver, value: Value) -> Value:
        """Return what is iterated over as a list or map, such as a function that yields."""
        return value

    def outside_element(self, value: Value) -> Value | None:
        """Return an element of something outside."""
        return None

    def container_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of a list, map or tuple."""
        return None

    def special_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member that every type or instance has."""
        return None

    def function_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of a function that has no members declared."""
        return None

    def is_generic(self, symbol: CodeSymbol) -> bool:
        """Tell whether the result of a function depends on the types of its arguments."""
        return bool(symbol.type_parameters)
