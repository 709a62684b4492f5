"""Three plain functions from text to text for agents: remember, recall, context."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, NamedTuple

from ghostmem.capture.keys import key_of, other_key
from ghostmem.errors import GhostError, NotFoundError
from ghostmem.ghost import Ghost
from ghostmem.model import Sort
from ghostmem.notes.memory_tools import formatted
from ghostmem.text.render import render

_LIMIT = 5  # results
_BUDGET = 2000  # tokens


class AgentAction(NamedTuple):
    """A function with its name and its description for a model."""

    name: str
    about: str
    run: Callable[..., str]


def actions(ghost: Ghost, ns: str) -> tuple[AgentAction, ...]:
    """Return the functions for one namespace of an open store; errors become their text.

    Models send null for an argument that they leave out, so None means the default."""

    def remember(
        content: Annotated[str, "what to keep, understandable by itself"],
        key: Annotated[
            str | None,
            "short and descriptive, such as user-timezone; the same key again updates it",
        ] = "",
    ) -> str:
        memory = ghost.put(ns, key or _own_key(ghost, ns, content), content)
        parts = [f"{memory.outcome} {memory.key} (version {memory.version})", *memory.notes]
        if memory.verdict is not None and memory.verdict.key not in (None, memory.key):
            possible = "possible " if memory.verdict.is_tentative else ""
            parts.append(f"{possible}{memory.verdict.kind} of {memory.verdict.key}")
        return "; ".join(parts)

    def recall(
        query: Annotated[str, "what to look for, in words"],
        limit: Annotated[int | None, "maximum number of results"] = _LIMIT,
    ) -> str:
        return formatted(ghost.search(query, ns, limit=_LIMIT if limit is None else limit))

    def context(
        task: Annotated[str, "what you are about to do"],
        budget: Annotated[int | None, "tokens"] = _BUDGET,
    ) -> str:
        return (
            packed(ghost, ns, task, _BUDGET if budget is None else budget)
            or "No memory is relevant."
        )

    return (
        AgentAction(
            "remember",
            "Store a fact, a preference or a decision in memory, or update it under the same key.",
            _with_error_text(remember),
        ),
        AgentAction(
            "recall",
            "Search memory by words and meaning. Says so when nothing relevant is known.",
            _with_error_text(recall),
        ),
        AgentAction(
            "context",
            "Return the memories for a task, within a token budget; call it first.",
            _with_error_text(context),
        ),
    )


def packed(ghost: Ghost, ns: str, task: str, budget: int) -> str:
    """Return the context for a task as a marked block of data, or an empty text."""
    return render(ghost.context(task, ns, budget=budget, whole=False), "block")


def _own_key(ghost: Ghost, ns: str, content: str) -> str:
    """Return a key of the words of a text; if a different text has it, with a suffix."""
    key = key_of(content, Sort.FACT)
    try:
        return key if ghost.history(ns, key)[-1].content == content else other_key(key, content)
    except NotFoundError:
        return key


def _with_error_text(function: Callable[..., str]) -> Callable[..., str]:
    """Return the function with its errors as text for the model."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> str:
        try:
            return function(*args, **kwargs)
        except GhostError as error:
            return f"Error: {error.message}; {error.hint}"

    return run
