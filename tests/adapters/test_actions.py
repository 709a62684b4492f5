"""remember, recall and context as plain functions"""

from collections.abc import Callable

import pytest

from ghostmem import Ghost
from ghostmem.adapters.actions import actions

NS = "agent:me"
Act = Callable[..., str]


@pytest.fixture
def act(ghost: Ghost) -> dict[str, Act]:
    """Return the functions by name."""
    return {action.name: action.run for action in actions(ghost, NS)}


def test_remember_names_what_has_no_name(act: dict[str, Act], ghost: Ghost) -> None:
    """By its words; the same text again is the same memory, another text with the same words is not overwritten."""
    assert (
        act["remember"]("The user drinks green tea.") == "created user-drinks-green-tea (version 1)"
    )
    assert (
        act["remember"]("The user drinks green tea.")
        == "reinforced user-drinks-green-tea (version 1)"
    )
    act["remember"]("The user drinks green tea!!")
    assert len(ghost.list(NS)) == 2


def test_remember_updates_under_a_key(act: dict[str, Act], ghost: Ghost) -> None:
    """With a key, the new text is a version of the old."""
    act["remember"]("Green tea.", key="drink")
    assert act["remember"]("White tea.", "drink").startswith("updated drink (version 2)")
    assert ghost.get(NS, "drink").content == "White tea."


def test_recall_finds_or_says_so(act: dict[str, Act]) -> None:
    """Results with where they are from; nothing is no noise."""
    act["remember"]("The user drinks green tea.", key="drink")
    assert (
        act["recall"]("green tea")
        == "Memory Result 1: [source: agent:me/drink]\nThe user drinks green tea."
    )
    assert act["recall"]("submarine") == "No memory results found."


def test_context_is_marked_as_data(act: dict[str, Act]) -> None:
    """A model must not take it for instructions."""
    assert act["context"]("make tea") == "No memory is relevant."
    act["remember"]("The user drinks green tea.", key="drink")
    text = act["context"]("green tea", budget=200)
    assert text.startswith(f'<ghost-memory ns="{NS}" count="1">')
    assert "The user drinks green tea." in text


def test_errors_are_told_not_raised(act: dict[str, Act]) -> None:
    """Agent loops end at an exception."""
    assert act["remember"](" ").startswith("Error: content is required; ")
    assert act["recall"]("tea", limit=0).startswith("Error: limit must be at least 1")
    assert act["context"]("tea", budget=-1).startswith("Error: ")


def test_a_redaction_is_told(act: dict[str, Act]) -> None:
    """The agent should know that it does not hold the password."""
    assert "redacted" in act["remember"]("db password: hunter2-XyZ9-long", key="db")


def test_null_means_the_default(act: dict[str, Act]) -> None:
    """Models send it for arguments that they leave out."""
    assert act["remember"]("Green tea.", key=None).startswith("created green-tea")
    assert "Green tea." in act["recall"]("green tea", limit=None)
    assert "Green tea." in act["context"]("make green tea", budget=None)
