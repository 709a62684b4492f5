"""Modules, names of a package and properties of an object, loaded when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package from the names, separated by spaces, of each module."""
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


class lazy_property(Generic[T]):  # noqa: N801 (a decorator)
    """A property that is computed when it is first read.

    `functools.cached_property` of Python 3.11 holds a lock meanwhile, and a process that is
    forked at that moment would wait for it forever."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...

    @overload
    def __get__(self, owner: object, kind: type) -> T: ...

    def __get__(self, owner: object | None, kind: type) -> Self | T:
        """Compute the value and store it in the object, where it replaces this property."""
        if owner is None:
            return self
        value = self._compute(owner)
        vars(owner)[self._name] = value
        return value


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
else:

    class _Numpy:
        """The module numpy, which takes 60 ms to load: few commands compare vectors."""

        def __getattr__(self, name: str) -> Any:
            value = getattr(import_module("numpy"), name)
            setattr(self, name, value)
            return value

    np, NDArray, Vectors = _Numpy(), Any, Any

__all__ = ["NDArray", "Vectors", "lazy_names", "lazy_property", "np"]
