"""What an agent does with a memory, as three plain functions that take and return text: remember,
recall, context.
"""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from ghostmem.errors import GhostError

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost


class Action(NamedTuple):
    """A function with its name and what to tell a model about it."""

    name: str
    about: str
    run: Callable[..., str]


def actions(ghost: "Ghost", ns: str) -> tuple[Action, ...]:
    """Return the functions for one namespace of an open store.

    Each says what is wrong instead of raising.
    """

    def remember(
        content: Annotated[str, "what to keep, understandable by itself"],
        key: Annotated[
            str, "short and descriptive, such as user-timezone; the same key again updates it"
        ] = "",
    ) -> str:
        memory = ghost.put(ns, key or _own_key(ghost, ns, content), content)
        said = [f"{memory.outcome} {memory.key} (version {memory.version})", *memory.notes]
        if memory.verdict is not None and memory.verdict.key not in (None, memory.key):
            said.append(f"{memory.verdict.kind} of {memory.verdict.key}")
        return "; ".join(said)

    def recall(
        query: Annotated[str, "what to look for, in words"],
        limit: Annotated[int, "at most so many"] = 5,
    ) -> str:
        from ghostmem.notes.memory_tools import formatted

        return formatted(ghost.search(query, ns, limit=limit))

    def context(
        task: Annotated[str, "what you are about to do"],
        budget: Annotated[int, "tokens"] = 2000,
    ) -> str:
        return packed(ghost, ns, task, budget) or "No memory is relevant."

    return (
        Action(
            "remember",
            "Store a fact, a preference or a decision in memory, or update it under the same key.",
            _told(remember),
        ),
        Action(
            "recall",
            "Search memory by words and meaning. Says so when nothing relevant is known.",
            _told(recall),
        ),
        Action(
            "context",
            "Assemble what memory holds for a task, within a budget of tokens; call it first.",
            _told(context),
        ),
    )


def packed(ghost: "Ghost", ns: str, task: str, budget: int) -> str:
    """Return what to read for a task as a marked block of data, or an empty text."""
    from ghostmem.text.render import render

    return render(ghost.context(task, ns, budget=budget), "block")


def _own_key(ghost: "Ghost", ns: str, content: str) -> str:
    """Name a text by its words; when another text has that name, by a mark of its own, too."""
    from ghostmem.capture.rules.capture import key_of, other_key
    from ghostmem.errors import NotFoundError
    from ghostmem.model import Sort

    key = key_of(content, Sort.FACT)
    try:
        return key if ghost.history(ns, key)[-1].content == content else other_key(key, content)
    except NotFoundError:
        return key


def _told(function: Callable[..., str]) -> Callable[..., str]:
    """Return the function with its errors as text for the model."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> str:
        try:
            return function(*args, **kwargs)
        except GhostError as error:
            return f"Error: {error.message}; {error.hint}"

    return run
