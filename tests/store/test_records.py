"""What runs counted, as it is written down: by namespace, and readable when it was written without."""

from ghostmem.store.tally import Tally, tally_keys, tally_of, tally_text, tally_without


def test_counts_add_up_and_groups_are_read_by_namespace() -> None:
    """Groups of one namespace stay in their order."""
    told = tally_text(
        tally_text("{}", Tally(3, 1, [("b", ("y", "z")), ("b", ("x",))])),
        Tally(2, 1, [("a", ("z",))]),
    )
    assert tally_of(told) == Tally(5, 2, [("a", ["z"]), ("b", ["y", "z"]), ("b", ["x"])], [])
    assert tally_keys(told, told) == {"b": {"x", "y", "z"}, "a": {"z"}}
    assert tally_of("{}") == Tally(0, 0, [], [])


def test_keys_leave_the_groups_of_their_namespace() -> None:
    """The same key elsewhere stays, an empty group goes, and what nothing leaves is the same text."""
    told = tally_text(
        tally_text("{}", Tally(3, 1, [("b", ("y", "z")), ("b", ("x",))])),
        Tally(2, 1, [("a", ("y", "z"))]),
    )
    assert tally_of(tally_without(told, {"b": {"x", "y"}})) == Tally(
        5, 2, [("a", ["y", "z"]), ("b", ["z"])], []
    )
    assert tally_without(told, {"a": {"x"}, "c": {"z"}}) is told


def test_groups_that_were_written_without_namespaces_are_read() -> None:
    """They belong to no known one, come first, and can be cleaned; those that follow have theirs."""
    old = '[3, 1, [["b", "c"], ["a"]]]'
    assert tally_of(old) == Tally(3, 1, [("", ["b", "c"]), ("", ["a"])], [])
    assert tally_keys(old) == {"": {"a", "b", "c"}}
    more = tally_text(tally_without(old, {"": {"c"}}), Tally(1, 1, [("ns", ("a", "d"))]))
    assert tally_of(more) == Tally(4, 2, [("", ["b"]), ("", ["a"]), ("ns", ["a", "d"])], [])
    assert tally_keys(more) == {"": {"a", "b"}, "ns": {"a", "d"}}
