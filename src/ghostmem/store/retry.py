"""Retry an operation when the connection broke and nothing was stored."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from ghostmem.errors import LostConnectionError
from ghostmem.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")
FIRST_WAIT, MAX_WAIT = 0.1, 2.0  # seconds between two attempts


def again(verb: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Retry an operation while the connection breaks before anything was stored.

    It is retried as long as a lock would be waited for. When the connection breaks during a
    commit it is unknown whether the change was stored: then the error is raised."""

    @wraps(verb)
    def tried(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        wait, deadline = FIRST_WAIT, time.monotonic() + store.settings.busy_timeout
        while True:
            try:
                return verb(store, *args, **kwargs)
            except LostConnectionError as error:
                if error.stored is not False or time.monotonic() + wait > deadline:
                    raise
                time.sleep(wait)
                wait = min(wait * 2, MAX_WAIT)

    return tried
