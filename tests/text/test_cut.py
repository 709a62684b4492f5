"""Cutting notes at their headings: nothing lost, names that differ, lines that are right, and time that grows with the text"""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.notes.layouts import read_vault
from ghostmem.text.frontmatter import front_matter
from ghostmem.text.links import prose_lines
from ghostmem.text.sections import MAX_NAME, cut
from growth import check_growth

AT = datetime(2026, 1, 5, tzinfo=UTC)
LINES = st.sampled_from(
    [
        *(
            "# A",
            "## A",
            "##\tB",
            "## B ##",
            "### C",
            " ## D",
            "   # E",
            "    ## F",
            "\t## G",
            "#tag",
            "##none",
            "##",
            "#",
            "# ",
        ),
        *(
            "####### seven",
            "## ##",
            "# A #b",
            "## C#",
            "> ## quoted",
            "- ## item",
            "\\# escaped",
            "Title\n=====",
            "Title\n-----",
        ),
        *(
            "```",
            "~~~",
            "````",
            "~~~~",
            "```py",
            "~~~ `x`",
            "``` a`b",
            "   ```",
            "    ```",
            "\t```",
            "`` ` ``",
            "```x```",
        ),
        *(
            "---",
            "--- ",
            "----",
            "a: b",
            "- c",
            "",
            " ",
            "text",
            "a\rb",
            "\r",
            "x\x0cy",
            "\x0c# form",
            "p\u2028# q",
            "\x85# next",
        ),
    ]
)
TEXTS = st.one_of(
    st.text(),
    st.text(alphabet="#`~- \t\n\rab"),
    st.tuples(st.lists(LINES, max_size=25), st.sampled_from(["", "\n", "\r\n"])).map(
        lambda made: "\n".join(made[0]) + made[1]
    ),
    st.lists(LINES, max_size=25).map("\r\n".join),
)
LEVELS = st.sampled_from([(1, 2), (2,), (2, 3), (1,), (), (1, 2, 3, 4, 5, 6)])


@given(text=TEXTS, levels=LEVELS)
@settings(max_examples=500, derandomize=True, deadline=None)
def test_nothing_is_lost_and_every_piece_is_where_it_says(
    text: str, levels: tuple[int, ...]
) -> None:
    """Front matter and pieces joined are the text; names differ; lines count line feeds; each but the first begins a heading."""
    pieces = cut(text, levels)
    front = front_matter(text)
    assert front + "".join(piece.body for piece in pieces) == text
    assert len({piece.key for piece in pieces}) == len(pieces)
    assert pieces[0].key == ""
    at = len(front)
    for number, piece in enumerate(pieces):
        assert piece.line == 1 + text.count("\n", 0, at)
        assert at == 0 or text[at - 1] == "\n" or number == 0
        if number:
            assert piece.body.lstrip(" ").startswith("#")
            assert piece.key
            assert len(piece.key) <= MAX_NAME + 12
        at += len(piece.body)


@given(text=TEXTS)
@settings(max_examples=200, derandomize=True, deadline=None)
def test_front_matter_opens_the_text_and_closes(text: str) -> None:
    """It is whole lines, the first and the last of which are three hyphens."""
    front = front_matter(text)
    assert text.startswith(front)
    if front:
        lines = front.removesuffix("\n").split("\n")
        assert (lines[0].rstrip(), lines[-1].rstrip()) == ("---", "---")
        assert len(lines) > 1
        assert "---" not in [line.rstrip() for line in lines[1:-1]]


def names(text: str, levels: tuple[int, ...] = (1, 2)) -> list[str]:
    """Return the headings that a text is cut at."""
    return [piece.heading for piece in cut(text, levels) if piece.heading]


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# A\n## B\n### C\n", ["A", "B"]),
        ("#A\n##B\n#tag text\n", []),
        ("#\tA\n##\tB\n", ["A", "B"]),
        (" # A\n  ## B\n   # C\n    # D\n\t# E\n", ["A", "B", "C"]),
        ("# A #\n## B ##   \n## C ## #\n", ["A", "B", "C ##"]),
        ("# A#\n## C# in depth\n## F#\n", ["A#", "C# in depth", "F#"]),
        ("####### seven\n###### six\n", []),
        ("text # A\n> # B\n- # C\n\\# D\n", []),
        ("Title\n=====\n\nOther\n-----\n", []),
        ("# Ünïcode ✓ 日本\n", ["Ünïcode ✓ 日本"]),
        ("x\r# A\r\n# B\r\n", ["B"]),
        ("\x0c# A\n\u2028# B\n\x85# C\n", []),
        ("a\u2028# B\nc\x0c# D\n", []),
        ("## A\n# A\n", ["A", "A"]),
        ("", []),
        ("# A", ["A"]),
        ("\n\n\n# A", ["A"]),
    ],
)
def test_what_is_a_heading(text: str, headings: list[str]) -> None:
    """Up to three spaces, one to six hashes, a space: nothing else."""
    assert names(text) == headings


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("```\n# no\n```\n# A\n", ["A"]),
        ("~~~\n# no\n~~~\n# A\n", ["A"]),
        ("```sh\n# no\n## no\n```\n# A\n", ["A"]),
        ("```\n~~~\n# no\n```\n# A\n", ["A"]),
        ("~~~\n```\n# no\n~~~\n# A\n", ["A"]),
        ("````\n```\n# no\n```\n# no\n````\n# A\n", ["A"]),
        ("```\n# no\n````\n# A\n", ["A"]),
        ("````\n# no\n```\n# no\n", []),
        ("```\n# no\n``` x\n# no\n```\n# A\n", ["A"]),
        ("```\n# no\n   ```  \n# A\n", ["A"]),
        ("``` a`b\n# A\n", ["A"]),
        ("```x``` text\n# A\n", ["A"]),
        ("~~~ a`b~c\n# no\n~~~\n# A\n", ["A"]),
        ("# A\n```\n# no, never closed\n## no\n", ["A"]),
        ("- item\n\n  ```\n# no\n  ```\n# A\n", ["A"]),
        ("1. step\n\n    ```sh\n    x\n   ```\n\n# A\n", ["A"]),
        ("- deep\n\n      ```\n      # no\n      ```\n\n# A\n", ["A"]),
        ("```\r\n# no\r\n```\r\n# A\r\n", ["A"]),
        ("``\n# A\n``\n", ["A"]),
        ("text ```\n# A\n```\n# no\n", ["A"]),
    ],
)
def test_code_is_never_cut(text: str, headings: list[str]) -> None:
    """Fences of both kinds, one in the other, longer ones, unclosed ones, and what only looks like one."""
    assert names(text) == headings


@pytest.mark.parametrize(
    ("text", "front"),
    [
        ("---\na: b\n---\n# A\n", "---\na: b\n---\n"),
        ("---\na: b\n---", "---\na: b\n---"),
        ("---\n---\n", "---\n---\n"),
        ("--- \na: b\n---\t\nx", "--- \na: b\n---\t\n"),
        ("---\n# a comment\na:\n\n  - b\n---\nx", "---\n# a comment\na:\n\n  - b\n---\n"),
        ("---\na: b\n", ""),
        ("----\na: b\n----\n", ""),
        ("\n---\na: b\n---\n", ""),
        ("text\n---\na: b\n---\n", ""),
        ("---\n\n## One\n\nx\n\n---\n\n## Two\n", ""),
        ("---\n\nOne paragraph.\n\n---\n\nAnother.\n", ""),
        ("--- x\na: b\n---\n", ""),
    ],
)
def test_what_is_front_matter(text: str, front: str) -> None:
    """Fields between two lines of hyphens at the very beginning; a rule across the page opens none."""
    assert front_matter(text) == front


def test_names_are_slugs_numbered_where_they_repeat() -> None:
    """The first piece has none; a number that is taken is passed over."""
    text = "x\n# A b\n# A b\n# A-b-2\n# a B\n#\n# ✓\n## Untitled\n# C++\n# C#\n# " + "long " * 50
    assert [piece.key for piece in cut(text)] == [
        *(
            "",
            "a-b",
            "a-b-2",
            "a-b-2-2",
            "a-b-3",
            "untitled",
            "untitled-2",
            "untitled-3",
            "c",
            "c-2",
        ),
        ("long-" * 50)[:MAX_NAME],
    ]


def test_the_first_piece_has_no_name_with_a_heading_or_without() -> None:
    """So that a note of one heading is known by its path alone."""
    assert [(p.key, p.heading, p.line) for p in cut("# A\nx\n## B\n")] == [
        ("", "A", 1),
        ("b", "B", 3),
    ]
    assert [(p.key, p.heading, p.line) for p in cut("---\na: b\n---\n# A\n")] == [("", "A", 4)]
    assert [(p.key, p.heading, p.line) for p in cut("---\na: b\n---\n\n# A\n")] == [
        ("", "", 4),
        ("a", "A", 5),
    ]
    assert [(p.key, p.heading, p.line) for p in cut("")] == [("", "", 1)]


def test_the_lines_of_code_are_no_prose() -> None:
    """What is between fences is left out, with them; the rest comes as it is."""
    text = "a\n```\n[[x]]\n```\nb\n  ~~~\n# c\n  ~~~\n\nd `[[y]]`\n````\n```\n````\ne"
    assert list(prose_lines(text)) == ["a", "b", "", "d `[[y]]`", "e"]


HOSTILE: dict[str, Callable[[int], str]] = {
    "one line": lambda size: "a" * size,
    "one line of words": lambda size: "word " * (size // 5),
    "a heading of one line": lambda size: "x\n# " + "word " * (size // 5),
    "hashes": lambda size: "# " + "#" * size,
    "hashes and spaces": lambda size: "x\n# " + "# " * (size // 2) + "x",
    "spaces": lambda size: " " * size,
    "lines of spaces": lambda size: (" " * 99 + "\n") * (size // 100),
    "line feeds": lambda size: "\n" * size,
    "returns": lambda size: "\r" * size,
    "headings": lambda size: "# A\n" * (size // 4),
    "empty headings": lambda size: "#\n" * (size // 2),
    "backticks": lambda size: "`" * size,
    "tildes": lambda size: "~" * size,
    "fences": lambda size: "```\n" * (size // 4),
    "fences with a word": lambda size: "```x\n" * (size // 5),
    "fences that are none": lambda size: "``` `\n" * (size // 6),
    "two kinds of fences": lambda size: "~~~\n```\n" * (size // 8),
    "longer and longer fences": lambda size: "".join(
        "`" * length + "x\n" for length in range(3, int((2 * size) ** 0.5))
    ),
    "an open front matter": lambda size: "---\n" + "a: b\n" * (size // 5),
    "rules": lambda size: "----\n" * (size // 5),
    "brackets": lambda size: "[" * size,
    "links": lambda size: "[[a]]" * (size // 5),
    "open links": lambda size: "[[a " * (size // 4),
    "tags": lambda size: "#a " * (size // 3),
    "ticks": lambda size: "` " * (size // 2),
}


@pytest.mark.perf
@pytest.mark.parametrize("kind", HOSTILE)
def test_the_time_grows_with_the_text_and_not_faster(kind: str) -> None:
    """Four times the text takes about four times as long."""
    for work in (cut, prose_lines, lambda text: read_vault("a.md", text, AT)):
        check_growth(work, HOSTILE[kind], 20_000)


@pytest.mark.wide
@pytest.mark.parametrize("kind", ["one line", "a heading of one line"])
def test_five_megabytes_on_one_line_are_cut(kind: str) -> None:
    """However long the line is, the pieces are the text, and a name is short."""
    text = HOSTILE[kind](5_000_000)
    pieces = cut(text)
    assert "".join(piece.body for piece in pieces) == text
    assert max(len(piece.key) for piece in pieces) <= MAX_NAME
