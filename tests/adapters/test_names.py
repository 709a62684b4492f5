"""Names of other programs become namespaces and keys, and come back as they were"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.adapters.names import (
    from_key,
    from_namespace,
    from_part,
    to_key,
    to_namespace,
    to_part,
)
from ghostmem.errors import InvalidInputError
from ghostmem.model import is_namespace
from ghostmem.store import validate


@pytest.mark.parametrize("name", ["a", "user-1", "user_1", "A", "0", "a-", "-"])
def test_a_plain_name_stays_as_it_is(name: str) -> None:
    """What can be a part of a namespace is one, so that people recognise it."""
    assert to_part(name) == name


@pytest.mark.parametrize(
    "name", ["", "--", "a--b", "_x", "a.b@c.org", "a:b", "é b", "日本", "--2e", "*", "a/../b"]
)
def test_any_other_name_is_escaped_and_read_back(name: str) -> None:
    """Escapes are plain parts, too, and nothing is lost."""
    assert is_namespace(to_part(name))
    assert from_part(to_part(name)) == name


@given(st.lists(st.text(max_size=8), max_size=4), st.lists(st.text(max_size=8), max_size=4))
def test_different_names_never_meet(one: list[str], other: list[str]) -> None:
    """A tuple of names comes back from its namespace, and two tuples share one only when they are the same."""
    try:
        first, second = to_namespace("root", tuple(one)), to_namespace("root", tuple(other))
    except InvalidInputError:
        return
    assert from_namespace("root", first) == tuple(one)
    assert (first == second) == (one == other)


@given(st.text(alphabet="ab0-_", max_size=12))
def test_parts_nobody_escaped_are_names(part: str) -> None:
    """A part that was not made here is still a name, and that name leads back to one part."""
    assert from_part(to_part(part)) == part


@given(st.text(max_size=30))
def test_any_text_is_a_key_and_comes_back(name: str) -> None:
    """Keys are one line that is not blank, whatever the text."""
    for also in ("", "/"):
        key = to_key(name, also)
        assert validate.key(key) == key
        assert from_key(key) == name
        assert not also or "/" not in key


def test_what_is_outside_the_root_is_nobodys() -> None:
    """A namespace beside the root is not below it, even when it begins alike."""
    assert from_namespace("root", "rooted:a") is None
    assert from_namespace("root", "root") == ()


def test_too_long_a_namespace_is_refused_with_its_length() -> None:
    """Ghost's namespaces have 128 characters at most."""
    with pytest.raises(InvalidInputError, match="too long: 134 characters"):
        to_namespace("root", ("x" * 129,))


def test_a_root_must_be_a_namespace() -> None:
    """The root is written by a person, and not escaped."""
    with pytest.raises(InvalidInputError, match="invalid namespace: 'my root'"):
        to_namespace("my root", ("a",))
