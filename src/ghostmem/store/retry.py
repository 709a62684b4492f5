"""Doing something once more when the database went away under it and nothing of it was stored."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from ghostmem.errors import LostConnectionError
from ghostmem.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")
FIRST, LONGEST = 0.1, 2.0  # seconds between two attempts


def again(verb: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Let a verb be tried again while the connection breaks before anything was stored, as long as
    a lock would be waited for.

    A connection that breaks while the database is told to keep something leaves open whether it
    did: then the caller must look."""

    @wraps(verb)
    def tried(store: Store, /, *given: P.args, **named: P.kwargs) -> T:
        wait, deadline = FIRST, time.monotonic() + store.settings.busy_timeout
        while True:
            try:
                return verb(store, *given, **named)
            except LostConnectionError as error:
                if error.stored is not False or time.monotonic() + wait > deadline:
                    raise
                time.sleep(wait)
                wait = min(wait * 2, LONGEST)

    return tried
