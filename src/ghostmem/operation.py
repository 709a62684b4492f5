"""Methods made from operations, whose modules are imported when they are first called.

An operation is a function `(store, ...)` with the signature and the docstring of the method."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

if TYPE_CHECKING:
    from ghostmem.store import Store

P = ParamSpec("P")
R = TypeVar("R")


class Modules:
    """The package as `import ghostmem.x.y` names it; a module is imported when it is used."""

    def __init__(self, package: str = "ghostmem") -> None:
        self._package = package

    def __getattr__(self, name: str) -> Any:
        path = f"{self._package}.{name}"
        return Modules(path) if self._package == "ghostmem" else import_module(path)


class HasStore(Protocol):
    """An object whose methods are operations on its store."""

    store: Store


class operation(Generic[P, R]):  # noqa: N801 (used like a decorator)
    """A method that calls an operation with the store of its object.

    Args:
        load: Return the operation; its module is imported by this.
        positional: Number of keyword parameters that callers may still pass by position, until 1.0.
    """

    def __init__(
        self, load: Callable[[], Callable[Concatenate[Store, P], R]], *, positional: int = 0
    ) -> None:
        self._load, self._positional = load, positional

    @overload
    def __get__(self, owner: None, kind: type) -> Callable[Concatenate[Store, P], R]: ...

    @overload
    def __get__(self, owner: HasStore, kind: type) -> Callable[P, R]: ...

    def __get__(self, owner: HasStore | None, kind: type) -> Callable[..., R]:
        """Return the operation, bound to the store of an object."""
        function: Callable[..., R] = self._load()
        if owner is None:
            return function
        if self._positional:
            function = _with_positional(function, self._positional)
        return MethodType(function, owner.store)


def _with_positional(function: Callable[..., R], count: int) -> Callable[..., R]:
    """Accept the first keyword parameters of a function by position too, with a warning."""
    inner = getattr(function, "__wrapped__", function)
    assert isinstance(inner, FunctionType)
    code = inner.__code__
    names = code.co_varnames[code.co_argcount : code.co_argcount + count]

    @wraps(function)
    def call(*args: Any, **options: Any) -> R:
        usual, extra = args[: code.co_argcount], args[code.co_argcount :]
        if extra:
            moved(f"pass {', '.join(names)} of {inner.__name__} by keyword")
        return function(*usual, *extra[count:], **dict(zip(names, extra, strict=False)), **options)

    return call


def moved(instruction: str) -> None:
    """Warn the caller of a method that its form ends with Ghost 1.0."""
    warnings.warn(f"{instruction}; the old form ends with Ghost 1.0", DeprecationWarning, 3)
