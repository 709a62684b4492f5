"""The types that functions and containers of Python's own library give."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ghostmem.outline.languages.python_.classes import outside_class
from ghostmem.outline.languages.python_.types import (
    FAMILIES,
    FUNCTIONS,
    KNOWN,
    LISTS,
    RETURNS,
    Site,
    Type,
    Types,
    box,
    classes,
    native,
    union,
)

if TYPE_CHECKING:
    from ghostmem.outline.languages.python_.calls import Calls

# from the name of a function, its first argument and all of them to its result; None: unknown
Function = Callable[["Calls", str, Types, list[Types]], Types | None]


def function_result(inference: Calls, kind: Type, site: Site) -> Types:
    """Return the types that a call of something outside gives."""
    path, rows, keywords = site or ("", (), ())
    name, arguments = kind[2], [inference.infer(path, row) for row in rows]
    words = dict(keywords)
    factory = words.get("default_factory", words.get("factory"))
    if factory is not None:
        return _called(inference, inference.infer(path, factory))
    if name in KNOWN["casts"] and rows:
        return inference.annotated(path, rows[0])
    known = _FUNCTIONS.get(name)
    if known is not None:
        found = known(inference, name, arguments[0] if arguments else (), arguments)
        if found is not None:
            return found
    if name in KNOWN["classes"] or (outside_class(name) and name not in KNOWN["builtins"]):
        return (("object", kind[1], name, ()),)
    return _method_result(name)


def _called(inference: Calls, types: Types) -> Types:
    return union(inference.result(kind, ()) for kind in types)


def _collected(inference: Calls, name: str, first: Types, arguments: list[Types]) -> Types:
    base = name if FAMILIES.get(name) in ("set", "tuple") else "list"
    iterated = arguments[-1] if name == "filter" and arguments else first
    return (box(base, inference.element(iterated)),)


def _picked(inference: Calls, name: str, first: Types, arguments: list[Types]) -> Types:
    single = len(arguments) == 1 or name == "next"
    return inference.element(first) if single else union(arguments)


def _dictionary(
    _inference: Calls, _name: str, first: Types, _arguments: list[Types]
) -> Types | None:
    if not first:
        return None
    return first if first[0][0] == "object" and first[0][2] == "dict" else (box("dict"),)


def _iterator_of_tuples(*parts: Types) -> Types:
    return (box("iterator", (("tuple", parts),)),)


def _zipped(inference: Calls, _name: str, _first: Types, arguments: list[Types]) -> Types:
    return _iterator_of_tuples(*(inference.element(one) for one in arguments))


def _default_dictionary(
    inference: Calls, _name: str, first: Types, _arguments: list[Types]
) -> Types | None:
    return (box("dict", (), _called(inference, first)),)


_FUNCTIONS: dict[str, Function] = {
    **dict.fromkeys(KNOWN["collects"], _collected),
    **dict.fromkeys(KNOWN["picks"], _picked),
    **dict.fromkeys(KNOWN["copies"], lambda _inference, _name, first, _arguments: first),
    **dict.fromkeys(
        KNOWN["partials"],
        lambda _inference, _name, first, _arguments: (("partial", first),) if first else (),
    ),
    **dict.fromkeys(
        FUNCTIONS, lambda _inference, name, _first, _arguments: native(FUNCTIONS[name])
    ),
    "type": lambda _inference, _name, first, given: classes(first) if len(given) == 1 else None,
    "weakref.ref": lambda _inference, _name, first, _arguments: (("callable", first),),
    "weakref.proxy": lambda _inference, _name, first, _arguments: first,
    "enumerate": lambda inference, _name, first, _arguments: _iterator_of_tuples(
        native("int"), inference.element(first)
    ),
    "zip": _zipped,
    "itertools.zip_longest": _zipped,
    "map": lambda inference, _name, first, _arguments: (
        box("iterator", _called(inference, first)),
    ),
    "collections.defaultdict": _default_dictionary,
    "defaultdict": _default_dictionary,
    "dict": _dictionary,
}


def _method_result(name: str) -> Types:
    method = ".".join(name.rsplit(".", 2)[-2:])
    if method in RETURNS:
        return native(RETURNS[method])
    return (box("list", native(LISTS[method])),) if method in LISTS else ()


def container_result(owner: Type, name: str) -> Types:
    """Return the types that a method of a container gives."""
    family = FAMILIES.get(owner[2].rsplit(".", 1)[-1], "")
    given: tuple[Types, ...] = owner[3]
    if name in ("copy", "union", "difference", "intersection"):
        return (owner,)
    if family == "dict" and len(given) > 1:
        keys, values = given[:2]
        pair: Types = (("tuple", (keys, values)),)
        single = {"get": values, "pop": values, "setdefault": values, "popitem": pair}
        if name in single:
            return single[name]
        views = {"values": values, "items": pair, "keys": keys}
        return (box("iterator", views[name]),) if name in views else ()
    if given and name in ("pop", "popleft", "__next__", "send", "get", "get_nowait", "result"):
        return given[0]
    return _method_result(f"{owner[2]}.{name}")
