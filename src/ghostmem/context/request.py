"""The request of a context: its arguments, checked once."""

from collections.abc import Callable, Sequence
from os import PathLike

from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.search.query import Query
from ghostmem.store import Filter, validate


def estimated_tokens(text: str) -> int:
    """Estimate the number of tokens of a text: four bytes each."""
    return len(text.encode()) // 4


@frozen
class ContextRequest:
    """The checked arguments of a context."""

    query: Query
    filter_: Filter
    budget: int
    cap: int  # tokens that one memory may take; -1: no cap
    follow_edges: bool
    count_tokens: Callable[[str], int] = estimated_tokens
    min_score: float | None = None
    min_spread: float | None = None
    for_user: str | None = None
    for_scope: str | None = None
    files: Sequence[str] = ()
    symbols: Sequence[str] = ()
    root: str | PathLike[str] | None = None
    language: str | None = None
    with_pinned: bool = False
    whole: bool = False  # give all of a small namespace
    for_task: bool = False  # only search results that matter for a task, and none of the pinned


def token_cap(value: int) -> int:
    """Accept a number of tokens, or -1 for no cap."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or (value < 1 and value != -1):
        raise InvalidInputError(
            f"max_memory_tokens {value!r} is not a limit", "give a number of tokens, or -1 for none"
        )
    return value.__index__()


def token_counter(tokens: Callable[[str], int] | None) -> Callable[[str], int]:
    """Return the caller's token counter with its results checked, or the estimate."""
    if tokens is None:
        return estimated_tokens
    if not callable(tokens):
        raise InvalidInputError(
            f"tokens {validate.shown(tokens)} is not a function",
            "give one that counts the tokens of a text",
        )

    def counted(text: str) -> int:
        count = tokens(text)
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InvalidInputError(
                f"tokens returned {count!r}", "it must return the number of tokens of a text"
            )
        return count

    return counted
