"""Markdown files as memories: one section, one key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.text.sections import MarkdownSection, sections, slug

LINES = ["## A\n", "## B\n", "```\n", "~~~\n", "text\n", "\n", "---\n", "## A 2\n", "\r\n"]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Morning Tasks", "morning-tasks"),
        ("EV (My Human)", "ev-my-human"),
        ("  Trim -- me!  ", "trim-me"),
        ("snake_case & more", "snake-case-more"),
        ("🎉 Party 🎉", "party"),
        ("Foo🎉Bar", "foobar"),
        ("🎉👨‍👩‍👧🇩🇪", "untitled"),
        ("", "untitled"),
        ("---", "untitled"),
        ("Café Ångström", "cafe-angstrom"),
        ("Привет, мир", "привет-мир"),
        ("项目 计划", "项目-计划"),
        ("हिन्दी नोट्स", "हिन्दी-नोट्स"),
        ("John’s notes", "john-s-notes"),
        ("2026-02-15", "2026-02-15"),
    ],
)
def test_slugs(heading: str, expected: str) -> None:
    """A slug keeps letters and digits of every script and nothing else."""
    assert slug(heading) == expected


def test_a_file_is_split_at_its_second_level_headings() -> None:
    """Each H2 is a section with the text below it; deeper headings belong to it."""
    text = "# Title\n\nIntro.\n\n## One\n\nFirst.\n\n### Deep\n\nDeeper.\n\n## Two ##\nSecond.\n"
    assert sections(text, "MEMORY.md") == [
        MarkdownSection("_preamble", "", "# Title\n\nIntro.", 1),
        MarkdownSection("one", "One", "First.\n\n### Deep\n\nDeeper.", 5),
        MarkdownSection("two", "Two", "Second.", 13),
    ]


def test_a_file_without_second_level_headings_is_all_preamble() -> None:
    """Nothing is lost where there is nothing to split at."""
    assert sections("\nJust text.\n", "notes.md") == [
        MarkdownSection("_preamble", "", "Just text.", 2)
    ]


@pytest.mark.parametrize("name", ["2026-02-15.md", "daily/2026-02-15.md", "2026-02-15.MD"])
def test_the_keys_of_a_daily_file_begin_with_its_date(name: str) -> None:
    """Two days' sections of the same name are two memories."""
    keys = [section.key for section in sections("Hello.\n## Morning Tasks\nx\n", name)]
    assert keys == ["2026-02-15:_preamble", "2026-02-15:morning-tasks"]


@pytest.mark.parametrize("name", ["x2026-02-15.md", "2026-02-15.txt", "2026-2-15.md", "notes.md"])
def test_other_files_have_plain_keys(name: str) -> None:
    """Only YYYY-MM-DD.md is a daily file."""
    assert [section.key for section in sections("## A\nx\n", name)] == ["a"]


def test_an_empty_file_has_no_section() -> None:
    """White space and front matter alone are nothing to remember."""
    assert (
        sections("", "a.md")
        == sections(" \n\n", "a.md")
        == sections("---\na: 1\n---\n", "a.md")
        == []
    )


def test_an_empty_section_is_kept() -> None:
    """Whether to skip a heading without text is the caller's choice."""
    assert sections("## A\n\n## B\nx", "a.md") == [
        MarkdownSection("a", "A", "", 1),
        MarkdownSection("b", "B", "x", 3),
    ]


def test_headings_in_fenced_code_do_not_split() -> None:
    """A comment in a shell script is not a section."""
    text = "## A\n```sh\n## not a section\n```\n~~~\n```\n## neither\n~~~\n## B\nx\n"
    assert [(section.key, section.line) for section in sections(text, "a.md")] == [
        ("a", 1),
        ("b", 9),
    ]


def test_indented_headings_split() -> None:
    """A line is looked at without the space around it."""
    assert [section.key for section in sections("  ## A \nx\n\t## B\ny", "a.md")] == ["a", "b"]


@pytest.mark.parametrize("line", ["##", "##A", "### A", "# A", "text ## A"])
def test_other_lines_do_not_split(line: str) -> None:
    """Only two hashes and a space make a section."""
    assert [section.key for section in sections(f"{line}\nx\n", "a.md")] == ["_preamble"]


def test_front_matter_is_not_part_of_the_preamble() -> None:
    """Properties at the very start are left out; lines are still the file's."""
    text = "---\ntitle: x\n\ntags: [a]\n---\n\nIntro.\n## A\nx\n"
    assert sections(text, "a.md") == [
        MarkdownSection("_preamble", "", "Intro.", 7),
        MarkdownSection("a", "A", "x", 8),
    ]


@pytest.mark.parametrize("text", ["---\nnever closed\n## A\nx\n", "---\n\n## A\nx\n---\n"])
def test_a_rule_at_the_start_is_not_front_matter(text: str) -> None:
    """No section is lost to a horizontal rule."""
    assert [section.key for section in sections(text, "a.md")] == ["_preamble", "a"]


def test_equal_headings_are_numbered() -> None:
    """Keys are unique in a file, also beside a heading that looks numbered."""
    text = "## A\n1\n## A!\n2\n## a\n3\n## A 2\n4\n"
    assert [section.key for section in sections(text, "a.md")] == ["a", "a-2", "a-3", "a-2-2"]


def test_bodies_keep_their_inner_layout() -> None:
    """Only blank lines around the body go; indentation and Windows line ends stay."""
    assert (
        sections("## A\r\n \r\n    code\r\n\r\n  more\r\n\r\n", "a.md")[0].body
        == "    code\r\n\r\n  more"
    )


def test_a_byte_order_mark_is_not_text() -> None:
    """A mark that editors on Windows write hides neither front matter nor a heading."""
    assert sections("\ufeff---\na: 1\n---\n## A\nx", "a.md") == [MarkdownSection("a", "A", "x", 4)]
    assert sections("\ufeff## A\nx", "a.md") == [MarkdownSection("a", "A", "x", 1)]


@given(st.lists(st.sampled_from(LINES)).map("".join))
def test_keys_are_unique_and_lines_point_at_headings(text: str) -> None:
    """Each section can be stored under its key and found in the file at its line."""
    found = sections(text, "a.md")
    assert len({section.key for section in found}) == len(found)
    lines = text.split("\n")
    for section in found:
        assert section.heading in lines[section.line - 1]
        assert section.body in text
