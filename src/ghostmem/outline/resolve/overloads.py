"""Choose among methods of one name by the types of the arguments of a call.

A method is left out only if an argument certainly does not fit, or if another one that certainly
fits is more specific."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.outline.resolve.types import (
    ARRAY,
    FUNCTION,
    INSTANCE,
    NOTHING,
    OUTSIDE,
    PRIMITIVE,
    Env,
    Key,
    Type,
    parts_of,
)

if TYPE_CHECKING:
    from ghostmem.outline.resolve.members import MemberLookup

MAX_OVERLOADS = 30  # methods of one name that are compared; more exist only in generated code
_COMPARABLE = (
    INSTANCE,
    OUTSIDE,
    PRIMITIVE,
)  # sorts of types that are known by their symbol or name


class CallArguments(NamedTuple):
    """The arguments of a call: their file and expressions."""

    path: str
    parts: tuple[int, ...]


class OverloadedMethod(NamedTuple):
    """A method of a type or of a type that it extends, with the type arguments of that."""

    key: Key
    env: Env
    distance: int  # of the type that declares it


class _Candidate(NamedTuple):
    method: OverloadedMethod
    parameters: list[Type | None]  # None: not known, or any number of arguments
    fits: bool | None  # None: not certain
    is_variadic: bool


def applicable(
    lookup: MemberLookup, methods: list[OverloadedMethod], arguments: CallArguments | None
) -> list[OverloadedMethod]:
    """Return the methods that a call may mean, of those that take as many arguments.

    If nothing is certain, only methods of the nearest type are meant."""
    if arguments is not None and 1 < len(methods) <= MAX_OVERLOADS:
        given = [lookup.type_of(arguments.path, part) for part in arguments.parts]
        candidates = _without_overridden(_candidate(lookup, one, given) for one in methods)
        possible = [one for one in candidates if one.fits is not False]
        exact = [one.method for one in possible if _is_exact(given, one.parameters)]
        if exact:  # any other method that fits takes more types
            return exact
        certain = [one for one in possible if one.fits]
        closest = [
            one
            for one in possible
            if not any(_is_more_specific(lookup, other, one) for other in certain)
        ]
        if certain:
            return [one.method for one in closest]
        methods = [one.method for one in possible] or methods
    nearest = min((one.distance for one in methods), default=0)
    return [one for one in methods if one.distance == nearest]


def _candidate(
    lookup: MemberLookup, method: OverloadedMethod, given: list[Type | None]
) -> _Candidate:
    key, symbol = method.key, lookup.symbol(method.key)
    parameters: list[Type | None] = [
        None if is_many else lookup.written(key[0], term, symbol.inner, method.env)
        for term, is_many in lookup.parameter_terms(key)
    ]
    parameters += [None] * (len(given) - len(parameters))
    pairs = zip(given, parameters, strict=False)
    fits = _all(assignable(lookup, argument, wanted) for argument, wanted in pairs)
    return _Candidate(method, parameters, fits, "variadic" in symbol.flags)


def _without_overridden(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Return the candidates whose parameters no nearer type has."""
    found: list[_Candidate] = []
    for one in candidates:
        nearer = (other for other in found if other.method.distance < one.method.distance)
        if not any(other.parameters == one.parameters for other in nearer):
            found.append(one)
    return found


def _is_exact(given: list[Type | None], parameters: list[Type | None]) -> bool:
    """Tell whether the types of arguments are just those of the parameters."""
    return len(given) == len(parameters) and all(
        argument is not None
        and wanted is not None
        and argument.sort in _COMPARABLE
        and argument[:3] == wanted[:3]
        for argument, wanted in zip(given, parameters, strict=True)
    )


def _all(answers: Iterable[bool | None]) -> bool | None:
    """Return whether all answers are true; None if that is not certain."""
    found = set(answers)
    if False in found:
        return False
    return None if None in found else True


def _is_more_specific(lookup: MemberLookup, one: _Candidate, other: _Candidate) -> bool:
    if one.is_variadic != other.is_variadic:
        return other.is_variadic
    if one.parameters == other.parameters:
        return False
    pairs = zip(one.parameters, other.parameters, strict=False)
    return bool(_all(assignable(lookup, mine, theirs) for mine, theirs in pairs))


def assignable(lookup: MemberLookup, given: Type | None, wanted: Type | None) -> bool | None:
    """Tell whether a value of a type can be passed for a parameter; None if that is not certain."""
    if wanted is None or given is None:
        return None
    answers = {_part_assignable(lookup, part, wanted) for part in parts_of(given)}
    return answers.pop() if len(answers) == 1 else None


def _part_assignable(lookup: MemberLookup, given: Type | None, wanted: Type) -> bool | None:
    if given is None:
        return None
    if given.sort == NOTHING:  # null
        return False if wanted.sort == PRIMITIVE else None
    is_top = wanted.sort == OUTSIDE and wanted.name == lookup.library.top
    is_same = given.sort in _COMPARABLE and given[:3] == wanted[:3]
    if is_top or is_same:
        return given.sort != FUNCTION
    handler = _HANDLERS.get(given.sort)
    return handler(lookup, given, wanted) if handler is not None else None


def _primitive(lookup: MemberLookup, given: Type, wanted: Type) -> bool | None:
    if wanted.sort == PRIMITIVE:
        return given.name in lookup.library.widened.get(wanted.name, ())
    box = lookup.library.boxes.get(given.name, "")
    return _part_assignable(lookup, Type(OUTSIDE, name=box), wanted)


def _outside(lookup: MemberLookup, given: Type, wanted: Type) -> bool | None:
    library = lookup.library
    if wanted.sort == PRIMITIVE:
        unboxed = next((name for name, box in library.boxes.items() if box == given.name), "")
        if unboxed:
            return _part_assignable(lookup, Type(PRIMITIVE, name=unboxed), wanted)
        return False if library.is_native(given.name) else None
    if wanted.sort != OUTSIDE:  # no class of the library extends one of the project
        return False if library.is_native(given.name) else None
    if given.name in library.final:
        return wanted.name in library.final[given.name]
    return False if given.name == library.top or wanted.name in library.final else None


def _instance(lookup: MemberLookup, given: Type, wanted: Type) -> bool | None:
    """Compare a type of the project with a parameter, by all types that it extends."""
    if wanted.sort not in (INSTANCE, OUTSIDE) or wanted.name in lookup.library.final:
        return False
    pending, seen, is_certain = [given.symbol], {given.symbol}, True
    while pending:
        for base in lookup.supers(pending.pop(), ()):
            if base is not None and base[:3] == wanted[:3]:
                return True
            if base is None or base.sort != INSTANCE:
                is_certain = is_certain and base is not None and wanted.sort == INSTANCE
            elif base.symbol not in seen:
                pending.append(base.symbol)
                seen.add(base.symbol)
    return False if is_certain else None


def _array(lookup: MemberLookup, given: Type, wanted: Type) -> bool | None:
    if wanted.sort != ARRAY:
        return wanted.sort == OUTSIDE and wanted.name in lookup.library.array_bases
    mine, theirs = given.args[0], wanted.args[0]
    if mine is None or theirs is None:
        return None
    is_primitive = PRIMITIVE in (mine.sort, theirs.sort)
    return mine == theirs if is_primitive else assignable(lookup, mine, theirs)


def _function(lookup: MemberLookup, _given: Type, wanted: Type) -> bool | None:
    if wanted.sort == INSTANCE:
        return None if lookup.symbol(wanted.symbol).kind == "interface" else False
    return None if wanted.sort == OUTSIDE and wanted.name not in lookup.library.final else False


# by the sort of the type of an argument
_HANDLERS = {
    PRIMITIVE: _primitive,
    OUTSIDE: _outside,
    INSTANCE: _instance,
    ARRAY: _array,
    FUNCTION: _function,
}
