"""Unified diffs: applied whole and verbatim, or refused with the reason."""

import difflib
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ghostmem.errors import PatchConflictError, PatchFormatError
from ghostmem.text.patch import apply_patch

TEXT = "one\ntwo\nthree\nfour\nfive\n"


def unified(old: str, new: str, context: int = 3) -> str:
    """Write the diff from old to new as `diff -u` does."""
    before, after = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (old, new))
    lines = difflib.unified_diff(before, after, "old", "new", n=context)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


line_texts = st.lists(
    st.tuples(st.sampled_from(["a", "b", "", "--- a", "+++ b", "@@ -1 +1 @@", "\\ x", "a\x0cb\u2028", " "]),
              st.sampled_from(["\n", "\n", "\r\n", "\r", ""])),
    max_size=14,
).map(lambda parts: "".join(line + end for line, end in parts))  # fmt: skip


@given(st.one_of(line_texts, st.text()), st.one_of(line_texts, st.text()), st.integers(0, 3))
@example("a\nb", "a\nb\n", 3)
@example("", "a", 0)
@example("a\r\nb", "a\r\nc\n", 0)
def test_the_diff_of_two_texts_turns_one_into_the_other(old: str, new: str, context: int) -> None:
    """Whatever the texts, their diff is applied exactly."""
    diff = unified(old, new, context)
    if diff:
        assert apply_patch(old, diff) == new


@given(line_texts, line_texts)
def test_a_diff_sent_with_windows_line_ends_is_read_alike(old: str, new: str) -> None:
    """Line ends that the transport added to every line are not part of the diff."""
    old, new = old.replace("\r", ""), new.replace("\r", "")
    diff = unified(old, new)
    if diff:
        assert apply_patch(old, diff.replace("\n", "\r\n")) == new


def test_headers_and_counts_are_optional() -> None:
    """A bare hunk with single-line counts left out is a diff."""
    assert apply_patch(TEXT, "@@ -2 +2 @@\n-two\n+TWO\n") == TEXT.replace("two", "TWO")


def test_git_headers_are_accepted() -> None:
    """What git prints before the hunks is passed over."""
    diff = (
        "diff --git a/m b/m\nindex 1..2 100644\n--- a/m\n+++ b/m\n@@ -2 +2 @@ section\n-two\n+TWO\n"
    )
    assert apply_patch(TEXT, diff) == TEXT.replace("two", "TWO")


def test_several_hunks_are_applied_in_order() -> None:
    """Hunks name lines of the old text."""
    diff = "@@ -1,2 +1,3 @@\n one\n+one and a half\n two\n@@ -4,2 +5 @@\n-four\n five\n"
    assert apply_patch(TEXT, diff) == "one\none and a half\ntwo\nthree\nfive\n"


def test_a_hunk_is_found_at_another_line_if_only_one_fits() -> None:
    """Lines added above do not matter where the context is unique."""
    diff = "@@ -2,2 +2,2 @@\n two\n-three\n+THREE\n"
    assert apply_patch("zero\n" * 3 + TEXT, diff) == "zero\n" * 3 + TEXT.replace("three", "THREE")


def test_later_hunks_move_with_the_ones_before() -> None:
    """A repeated line is told apart by how far the hunk before it moved."""
    old = "a\nx\nb\nx\nc\nx\n"
    diff = unified(old, "A\nx\nb\nx\nc\nX\n", context=0)
    assert apply_patch("new\n" + old, diff) == "new\nA\nx\nb\nx\nc\nX\n"


def test_an_ambiguous_place_is_a_conflict() -> None:
    """A hunk that fits at two places, and not where it says, is refused."""
    with pytest.raises(
        PatchConflictError, match="hunk 1 does not fit at line 5, but at others: 1 and 3"
    ):
        apply_patch("x\ny\nx\ny\n", "@@ -5 +5 @@\n-x\n+z\n")


def test_a_conflict_names_the_hunk_the_line_expected_and_the_line_found() -> None:
    """The message says all one needs to mend the diff."""
    diff = "@@ -1 +1 @@\n-one\n+ONE\n@@ -3,2 +3,2 @@\n three\n-vier\n+FOUR\n"
    with pytest.raises(PatchConflictError, match="hunk 2: expected 'vier' at line 4, found 'four'"):
        apply_patch(TEXT, diff)


def test_context_past_the_end_is_a_conflict() -> None:
    """A hunk that expects more lines than there are is refused."""
    with pytest.raises(
        PatchConflictError, match="expected 'six' at line 6, found the end of the text"
    ):
        apply_patch(TEXT, "@@ -5,2 +5,2 @@\n five\n-six\n+SIX\n")


def test_adding_past_the_end_is_a_conflict() -> None:
    """Lines cannot be added after line nine of five."""
    with pytest.raises(PatchConflictError, match="hunk 1 adds at line 10"):
        apply_patch(TEXT, "@@ -9,0 +10 @@\n+ten\n")


def test_white_space_of_the_context_counts() -> None:
    """Context is compared verbatim."""
    with pytest.raises(PatchConflictError):
        apply_patch("a\tb\n", "@@ -1 +1 @@\n-a b\n+c\n")


def test_an_end_without_line_feed_is_honoured() -> None:
    """A line said to have no line feed is the last one, before and after."""
    marker = "\\ No newline at end of file\n"
    assert apply_patch("a", f"@@ -1 +1 @@\n-a\n{marker}+b\n") == "b\n"
    assert apply_patch("a\n", f"@@ -1 +1 @@\n-a\n+b\n{marker}") == "b"
    with pytest.raises(PatchConflictError, match="with another line ending"):
        apply_patch("a\n", f"@@ -1 +1 @@\n-a\n{marker}+b\n")
    with pytest.raises(
        PatchConflictError, match="ends the text without a line feed, but 'b' follows"
    ):
        apply_patch("a\nb\n", f"@@ -1 +1 @@\n-a\n+c\n{marker}")


def test_a_diff_that_forgets_the_missing_line_feed_is_applied() -> None:
    """A memory's text seldom ends with a line feed and an agent's diff seldom says so."""
    assert (
        apply_patch("one\ntwo", "@@ -1,2 +1,3 @@\n one\n-two\n+TWO\n+three\n") == "one\nTWO\nthree"
    )
    assert apply_patch("one", "@@ -1,0 +2 @@\n+two\n") == "one\ntwo"


def test_a_diff_with_plain_line_ends_is_applied_to_crlf_text() -> None:
    """The text keeps its line ends and new lines get the same."""
    assert (
        apply_patch("one\r\ntwo\r\n", "@@ -1,2 +1,3 @@\n one\n+and\n two\n")
        == "one\r\nand\r\ntwo\r\n"
    )


def test_a_blank_context_line_may_have_lost_its_space() -> None:
    """Editors strip the single space of an empty context line."""
    assert apply_patch("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n") == "a\n\nc\n"


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        ("", "no hunk"),
        ("\n", "no hunk"),
        ("--- a\n+++ b\n", "no hunk"),
        ("just text\n", "diff line 1: expected the head of a hunk, found 'just text'"),
        ("@@ bad @@\n-a\n+b\n", "diff line 1: expected the head"),
        (
            "@@ -1,2 +1 @@\n-one\n+ONE\n",
            "diff line 4: hunk 1 promises 1 more old and 0 more new .*the end of the diff",
        ),
        ("@@ -1 +1 @@\n-one\n+ONE\n+more\n", "diff line 4: '\\+more' is past the counts of hunk 1"),
        ("@@ -1 +1 @@\n-one\n*ONE\n", "diff line 3: hunk 1 promises .* found '\\*ONE'"),
        ("@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n", "diff line 2"),
        (
            "@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n",
            "diff line 4: hunk 1 continues",
        ),
        ("@@ -1 +1 @@\n-one\n+ONE\n--- other\n+++ other\n@@ -1 +1 @@\n-a\n+b\n", "diff line 4"),
    ],
)
def test_a_malformed_diff_names_its_line(diff: str, message: str) -> None:
    """What is not a unified diff is refused before the text is looked at."""
    with pytest.raises(PatchFormatError, match=message):
        apply_patch(TEXT, diff)


def test_long_lines_are_shortened_in_messages() -> None:
    """A conflict in a line of a megabyte can still be read."""
    with pytest.raises(PatchConflictError) as caught:
        apply_patch("x" * 1_000_000, "@@ -1 +1 @@\n-" + "y" * 1_000_000 + "\n+z\n")
    assert len(caught.value.message) < 300
