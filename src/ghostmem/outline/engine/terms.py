"""Terms stand for expressions and types as written; values are what they evaluate to.

Both are tuples that begin with a tag. A missing term or an unknown value is None.

| term | of |
|---|---|
| NAME, text | a name, looked up in scopes |
| MEMBER, term, text | `term.text`; the term may be None; a fourth item is another separator |
| CALL, term, terms of arguments | a call |
| ELEMENT, term; KEY, term | an element of a container; a key of it |
| PART, term, number | one of several values: `a, b = term` |
| VALUE_OF, type | some value of a type: a cast, a literal of a type; then perhaps the value |
| CONSTRUCT, type | the callee of `new type()`, in references only; then HEIR for `new type() {}` |
| SYMBOL, number | a symbol of this file |
| EITHER, terms; SEVERAL, terms | one of the terms; all of them, a tuple (also as a type) |
| LIST_OF, term; MAP_OF, key, term | a list with such elements, a map |
| LAMBDA, term | a function literal that gives a value |
| CALLBACK, callee, number, parameter | a parameter of a function literal that is an argument |
| IMPORT, path, member or None | something imported |
| THIS; OWN_TYPE; SUPER | the instance, its type, its bases; then perhaps the name it has |
| LITERAL, text | a value of a type outside of the project, such as `str` |
| GENERIC, type, types | a type with type arguments |
| LIST_TYPE, type; MAP_TYPE, key, type | types of containers |
| FUNCTION_TYPE, result, types | the type of a function |
| TYPE_PARAMETER, text, bound or None | a type parameter, as the value of its binding |

A language may add its own terms and evaluate them in `Rules.evaluate`.

| value | is |
|---|---|
| TYPE, symbol, arguments | a type of the project |
| INSTANCE, symbol, arguments | a value of it; with a fourth item: the receiver of the method |
| FUNCTION, symbol, receiver or None | a function or method; then perhaps type arguments |
| BASES, symbol, arguments | the instance, seen as one of its bases: `super` |
| MODULE, name | a module or package of the project |
| OUTSIDE, name | something native or external |
| OUTSIDE_INSTANCE, name, arguments | a value of a type outside |
| LIST, value; MAP, key, value; TUPLE, values | containers |
| CALLABLE, result, parameters | a function by its type; then its name outside, or "" of a literal |
| ALIAS, value | a type, given by what its values are; then perhaps the symbol that names it |
| UNION, values | one of several |
"""

from collections.abc import Iterable, Mapping
from typing import Any

Term = tuple[Any, ...]
Value = tuple[Any, ...]

NAME, MEMBER, CALL, ELEMENT, KEY, PART = "name", "member", "call", "element", "key", "part"
VALUE_OF, CONSTRUCT, SYMBOL, EITHER, SEVERAL = "value", "construct", "symbol", "either", "several"
LIST_OF, MAP_OF, LAMBDA, CALLBACK, IMPORT = "list", "map", "lambda", "callback", "import"
THIS, OWN_TYPE, SUPER, LITERAL, GENERIC = "this", "own", "super", "literal", "generic"
LIST_TYPE, MAP_TYPE, FUNCTION_TYPE = "listtype", "maptype", "function type"  # also roles
HEIR = "heir"
TYPE_PARAMETER = "type parameter"

TYPE, INSTANCE, FUNCTION, BASES, MODULE = "type", "instance", "function", "bases", "module"
OUTSIDE, OUTSIDE_INSTANCE, LIST, MAP, TUPLE = "outside", "outside instance", "list", "map", "tuple"
CALLABLE, ALIAS, UNION = "callable", "alias", "union"

MAX_UNION = 6


def union(values: Iterable[Value | None]) -> Value | None:
    """Return one of several values; unknown ones are left out."""
    flat: list[Value] = []
    for value in values:
        flat.extend(part for part in parts(value) if part not in flat)
    return (UNION, tuple(flat[:MAX_UNION])) if len(flat) > 1 else flat[0] if flat else None


def parts(value: Value | None) -> tuple[Value, ...]:
    """Return the alternatives of a value: none if it is unknown."""
    if value is None:
        return ()
    return value[1] if value[0] == UNION else (value,)


def either(terms: Iterable[Term | None]) -> Term | None:
    """Return the term for one of several; unknown ones are left out."""
    known = [term for term in terms if term is not None]
    return known[0] if len(known) == 1 else (EITHER, tuple(known)) if known else None


MAX_NESTED_ARGUMENTS = 32  # levels of type arguments that are taken out of the name of a type


def dotted(path: str, separator: str = ".") -> Term:
    """Return the term of a name with dots, or with another separator that is shown."""
    first, *more = path.split(separator)
    term: Term = (NAME, first)
    for word in more:
        term = (MEMBER, term, word) if separator == "." else (MEMBER, term, word, separator)
    return term


_ENDINGS = {CALL: "()", ELEMENT: "[]", KEY: "[]", CONSTRUCT: "", GENERIC: ""}  # as shown


def text_of(term: Term | None, words: Mapping[str, str]) -> str:
    """Return an expression in the way a reader recognises it; `words` are those for `this`."""
    if term is None:
        return "(…)"
    if term[0] == MEMBER:
        separator = term[3] if len(term) > 3 else "."
        return f"{text_of(term[1], words)}{separator}{term[2]}"
    if term[0] in _ENDINGS:
        return text_of(term[1], words) + _ENDINGS[term[0]]
    if term[0] == VALUE_OF and len(term) == 3:
        return text_of(term[2], words)
    if term[0] == NAME:
        return str(term[1])
    return str(term[1]) if len(term) == 2 and term[0] in words else words.get(term[0], "(…)")
