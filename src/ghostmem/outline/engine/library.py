"""Read the results of methods of a standard library from a data file.

A meaning is `same` (as the receiver), `key` or `element` (its first or last type argument),
`called` (what the function that is passed gives), `argument` (what is passed), `item` (an element
of it), or the name of a type: with the type arguments of the receiver or, as in `Array<called>`,
with a meaning as its own.
"""

from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.terms import OUTSIDE_INSTANCE, Value, parts, union


def library_result(
    resolver: Resolver, receiver: Value, meaning: str, argument: Value | None
) -> Value | None:
    """Return the result of a method that is called on a value, with its first argument."""
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
