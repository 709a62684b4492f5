"""The store of knowledge in .ai-knowledge: its formats to the byte, what people wrote by hand, hostile texts, and sudden ends"""

import inspect
import os
import re
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ghostmem.errors import ConflictError, GhostError, InvalidInputError, NotFoundError
from ghostmem.notes import knowledge, topic_file, topic_index
from ghostmem.notes.knowledge import (
    FOLDER,
    forget_memory,
    list_memories,
    memorize_general_info,
    memorize_new_topic,
    recall_general_memory,
    recall_memory,
    refine_memory,
    search_memories,
)

DATA = Path(__file__).parent.parent / "data" / "notes" / "knowledge"
NOW = datetime(2026, 2, 25, 21, 28, 33, 589793, tzinfo=UTC)
LATER = datetime(2026, 3, 1, 8, tzinfo=UTC)
AUTH = "# Authentication\n\nTokens are checked in `app/auth.py`.\n\n---\n\nThey expire after an hour.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the folder of a project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def new(
    root: Path,
    topic: str = "auth",
    content: str = "Text.",
    summary: str = "A summary.",
    tags: Any = ("t",),
) -> str:
    """Memorize a topic."""
    return memorize_new_topic(root, topic, tags, summary, content, NOW)


def file(root: Path, name: str) -> Path:
    """Return a file of the store."""
    return root / FOLDER / name


def index(root: Path) -> str:
    """Return the text of the index."""
    return file(root, "index.mdk").read_bytes().decode()


def names(root: Path) -> list[str]:
    """Return the topics that the index lists."""
    return [entry.topic for entry in topic_index.entries(index(root))]


def put(root: Path, **texts: str | bytes) -> None:
    """Write files of the store by hand."""
    (root / FOLDER).mkdir(exist_ok=True)
    for name, text in texts.items():
        file(root, f"{name}.mdk").write_bytes(text if isinstance(text, bytes) else text.encode())


def everything(root: Path) -> dict[str, bytes]:
    """Return every file of a project with its bytes, but for locks."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def golden(name: str) -> dict[str, bytes]:
    """Return the files that should be there."""
    return {f"{FOLDER}/{path.name}": path.read_bytes() for path in (DATA / name).glob("*.mdk")}


# --- formats, to the byte


def made(root: Path) -> None:
    """Do what the golden files show the result of."""
    memorize_general_info(
        root, "A shop for tea, in Python.\n\n- build: `make`\n- test: `make test`\n"
    )
    new(
        root,
        "auth",
        AUTH,
        "How users sign in,\n  and where tokens are checked.\n",
        ["security", " identity ", "Security", ""],
    )
    new(root, "data-model", "\n\nThere are four tables.\n\n", "Tables, keys and migrations.", [])


def test_the_files_to_the_byte(root: Path) -> None:
    """General knowledge and two topics make exactly these three files, and no other but the lock."""
    made(root)
    assert everything(root) == golden("made")
    assert sorted(path.name for path in (root / FOLDER).iterdir()) == [
        ".lock",
        "auth.mdk",
        "data-model.mdk",
        "index.mdk",
    ]


def test_refined_files_to_the_byte(root: Path) -> None:
    """Refining, forgetting and other general knowledge lead to exactly these files."""
    made(root)
    refine_memory(
        root,
        "auth",
        ["Identity", "api: v2"],
        ["SECURITY"],
        "How users sign in.",
        "Tokens are checked in `app/tokens.py`.",
        now=LATER,
    )
    forget_memory(root, "data-model")
    memorize_general_info(root, "A shop for tea.\n\n## Layout\n\nAll code is in `app`.\n")
    assert everything(root) == golden("refined")


def test_everything_is_in_the_folder_below_the_root(root: Path, tmp_path: Path) -> None:
    """All eight functions work on .ai-knowledge below the root they are given, and on nothing else."""
    other = tmp_path / "other"
    other.mkdir()
    made(root)
    assert set(root.iterdir()) == {root / ".ai-knowledge"}
    assert list(other.iterdir()) == []
    assert list_memories(other) == "No topics found"
    assert recall_general_memory(other) == "Nothing is memorized yet."
    assert list(other.iterdir()) == []


def test_the_eight_functions() -> None:
    """Each takes the root first, and then what the source says."""
    takes = {
        "recall_general_memory": [],
        "recall_memory": ["topic"],
        "search_memories": ["tags"],
        "list_memories": [],
        "memorize_new_topic": ["topic", "tags", "summary", "content", "now"],
        "refine_memory": [
            "topic",
            "tags_to_add",
            "tags_to_remove",
            "new_summary",
            "new_content",
            "now",
        ],
        "memorize_general_info": ["content"],
        "forget_memory": ["topic"],
    }
    for name, wanted in takes.items():
        assert list(inspect.signature(getattr(knowledge, name)).parameters) == ["root", *wanted]


# --- recalling, searching and listing


def test_general_memory_is_the_whole_index(root: Path) -> None:
    """Recalling general memory returns the text of index.mdk, topics and all."""
    made(root)
    assert recall_general_memory(root) == (DATA / "made" / "index.mdk").read_text(encoding="utf-8")


def test_general_memory_of_an_empty_store(root: Path) -> None:
    """Where nothing is memorized, a sentence says so; with topics but no index it names them."""
    assert recall_general_memory(root) == "Nothing is memorized yet."
    put(root, index=" \n", auth="Text.", b="Text.")
    assert recall_general_memory(root) == "The index is empty. There are topics: auth, b"


def test_recall_has_title_tags_date_and_content(root: Path) -> None:
    """A topic is recalled as markdown with its title, its tags, the date of its last update, and its content."""
    made(root)
    assert recall_memory(root, "auth") == (DATA / "made" / "auth.txt").read_text(encoding="utf-8")
    assert recall_memory(root, "data-model").startswith(
        "# data-model\n\n**Tags:**\n**Last updated:** 2026-02-25T21:28:33Z\n\n"
    )


def test_recall_of_an_unknown_topic_names_close_ones(root: Path) -> None:
    """An unknown topic is not found, with what it may have been."""
    made(root)
    with pytest.raises(NotFoundError, match="'datamodel'") as caught:
        recall_memory(root, "datamodel")
    assert caught.value.hint == "did you mean data-model?"
    with pytest.raises(NotFoundError) as caught:
        recall_memory(root, "zzz")
    assert caught.value.hint == "list_memories shows the topics"


def test_the_file_name_is_the_topic(root: Path) -> None:
    """A front matter that names another topic changes nothing."""
    put(root, auth="---\ntopic: other\ntags: [x]\n---\n\nText.\n")
    assert list_memories(root) == "auth"
    assert recall_memory(root, "auth").startswith("# auth\n")
    assert search_memories(root, ["x"]) == "auth"
    with pytest.raises(NotFoundError):
        recall_memory(root, "other")


@pytest.mark.parametrize(
    "wanted", [["Security"], [" SECURITY "], ["nope", "identity"], ["api  V2"]]
)
def test_search_matches_any_tag_in_any_case(root: Path, wanted: list[str]) -> None:
    """One tag of several suffices, whatever its case and the space around it."""
    new(root, "auth", tags=["security", "Identity", "API v2"])
    new(root, "b", tags=["Security", "identity", "api v2"])
    new(root, "c", tags=["else"])
    assert search_memories(root, wanted) == "auth, b"


def test_search_returns_the_names(root: Path) -> None:
    """Matching topics are named in order."""
    for topic, tags in (("b", ["x", "y"]), ("a", ["y"]), ("c", ["z"])):
        new(root, topic, tags=tags)
    assert search_memories(root, ["y"]) == "a, b"
    assert search_memories(root, ["z"]) == "c"


@pytest.mark.parametrize("wanted", [["nope"], ["secur"], [], [""], ["security identity"]])
def test_search_without_a_match(root: Path, wanted: list[str]) -> None:
    """No match is said in so many words; a part of a tag is no match."""
    assert search_memories(root, wanted) == "No topics found"
    new(root, tags=["security", "identity"])
    assert search_memories(root, wanted) == "No topics found"


def test_list_is_sorted_and_comma_separated(root: Path) -> None:
    """All topics are listed by name, and nothing else that lies there."""
    assert list_memories(root) == "No topics found"
    for topic in ("b", "a", "C"):
        new(root, topic)
    (root / FOLDER / "folder.mdk").mkdir()
    for name in ("notes.md", ".hidden.mdk", "bad:name.mdk", " spaced.mdk", ".auth.mdk.1.abcd.tmp"):
        file(root, name).write_text("x", encoding="utf-8")
    assert list_memories(root) == "C, a, b"


@pytest.mark.parametrize(
    ("front", "tags"),
    [
        ("tags:\n  - a\n  - 'b c'\n", "a, b c"),
        ("tags:\n- a\n\n# why\n- b # because\n", "a, b"),
        ('tags: [a, \'b, c\', "d\\"e", ]\n', 'a, b, c, d"e'),
        ("tags: [a,\n  b]\nother: 1\n", "a, b"),
        ("tags: a, b\n", "a, b"),
        ("Tags: one\n", "one"),
        ("tags: null\n", ""),
        ("tags:\n", ""),
        ("tags: [] # none yet\n", ""),
        ("tags: ['it''s # 1'] # two\n", "it's # 1"),
        ("title: x\n", ""),
    ],
)
def test_tags_are_read_as_people_write_them(root: Path, front: str, tags: str) -> None:
    """Lists of lines, lists on one line, quotes and comments are understood."""
    put(root, auth=f"---\n{front}---\nText.\n")
    assert f"**Tags:**{' ' if tags else ''}{tags}\n" in recall_memory(root, "auth")


@pytest.mark.parametrize(
    "text", ["", "Text.", "---\nnot closed", "---\n---\n", "\n\n", "---\ntags: [\n---\n"]
)
def test_a_file_without_front_matter_is_a_topic(root: Path, text: str) -> None:
    """Whatever a topic file holds, it is listed and recalled, without tags and without a date."""
    put(root, auth=text)
    assert list_memories(root) == "auth"
    assert recall_memory(root, "auth").startswith("# auth\n\n**Tags:**")
    assert "**Last updated:** unknown\n" in recall_memory(root, "auth")


# --- names of topics

BAD = [
    *(
        "",
        " ",
        "a/b",
        "a\\b",
        "/",
        "\\",
        ".",
        "..",
        "...",
        ".hidden",
        "a.",
        "a ",
        " a",
        "index",
        "INDEX",
        "Index",
    ),
    *("a\nb", "a\x00b", "a\tb", "a\x7f", "a\u2028b", "a\x85b", "\ud800", "a\u00a0"),
    *("a<b", "a>b", "a:b", 'a"b', "a|b", "a?b", "a*b"),
    *("CON", "con", "nul.txt", "Com1", "LPT9.a.b", "aux", "PRN", "COM¹", "CONIN$"),
    *("x" * 129, "ä" * 65, "../../etc/passwd", "..\\x"),
]
GOOD = [
    "a",
    "data-model",
    "c#",
    "#",
    "x #",
    "# x",
    "über uns",
    "喜欢🍵",
    "console",
    "com10",
    "index.html",
    "a.b",
    "'q'",
    "-x",
    "x" * 128,
    "a, b",
    "[x]",
    "@",
    "null",
]


@pytest.mark.parametrize("topic", BAD)
def test_a_topic_that_cannot_be_a_file_is_refused_by_every_tool(root: Path, topic: str) -> None:
    """Every function that takes a topic refuses it with a sentence that names it, and touches nothing."""
    calls: list[Any] = [
        lambda: recall_memory(root, topic),
        lambda: new(root, topic),
        lambda: refine_memory(root, topic, new_content="x", now=NOW),
        lambda: forget_memory(root, topic),
    ]
    for call in calls:
        with pytest.raises(InvalidInputError) as caught:
            call()
        shown = topic if len(topic) <= 128 else topic[:128]
        assert caught.value.message.startswith(f"the topic {shown!r}"[:-1])
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("topic", GOOD)
def test_a_topic_that_can_be_a_file_goes_all_the_way(root: Path, topic: str) -> None:
    """Every other name is memorized, listed, found, refined and forgotten, beside another topic that stays as it is."""
    new(root, "zz")
    before = everything(root)
    new(root, topic, "Content.", "Its summary.", ["tag"])
    assert list_memories(root) == ", ".join(sorted([topic, "zz"]))
    assert recall_memory(root, topic).endswith("\n\nContent.\n")
    refine_memory(root, topic, new_summary="Another.", now=LATER)
    assert names(root) == ["zz", topic]
    assert index(root).endswith("\n\nAnother.\n")
    with pytest.raises(ConflictError):
        new(root, topic)
    forget_memory(root, topic)
    assert everything(root) == before


@pytest.mark.parametrize(
    ("one", "other"), [("auth", "Auth"), ("straße", "STRASSE"), ("é", "e\u0301")]
)
def test_topics_that_are_one_file_on_some_systems_are_refused(
    root: Path, one: str, other: str
) -> None:
    """A topic that differs from another by case or by the way letters are composed is not made."""
    new(root, one)
    before = everything(root)
    with pytest.raises(ConflictError, match="same file on some systems"):
        new(root, other)
    assert everything(root) == before
    file(root, f"{one}.mdk").unlink()
    with pytest.raises(ConflictError, match="same file on some systems"):
        new(root, other)


# --- memorizing a topic


def test_summary_into_the_index_content_into_the_file(root: Path) -> None:
    """The summary goes into the index only, the content, full markdown, into the topic's file only."""
    assert new(root, "auth", AUTH, "How users sign in.") == "Memorized the topic auth."
    assert index(root) == "## Specialized Knowledge\n\n### auth\n\nHow users sign in.\n"
    text = file(root, "auth.mdk").read_text(encoding="utf-8")
    assert text.endswith(f"---\n\n{AUTH}")
    assert "How users sign in." not in text


@pytest.mark.parametrize("gone", ["", "auth.mdk", "index.mdk"])
def test_a_topic_that_exists_is_not_memorized_again(root: Path, gone: str) -> None:
    """With its file, its entry in the index, or both, a topic exists: memorizing it fails and changes nothing."""
    new(root, "auth", "Old.")
    if gone:
        file(root, gone).unlink()
    before = everything(root)
    with pytest.raises(ConflictError, match="'auth'") as caught:
        new(root, "auth", "New.")
    assert everything(root) == before
    told = {
        "": ("exists already", "refine_memory"),
        "auth.mdk": ("its file is gone", "forget_memory"),
    }
    message, hint = told.get(gone, ("though the index does not list it", "adds it to the index"))
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("summary", "content"),
    [("", "x"), (" \n", "x"), ("x", ""), ("x", "\n \t\n"), ("\ud800", "x"), ("x", "\udfff")],
)
def test_a_topic_needs_a_summary_and_a_content(root: Path, summary: str, content: str) -> None:
    """Empty texts and half characters are refused, and nothing is made."""
    with pytest.raises(InvalidInputError):
        new(root, "auth", content, summary)
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("tags", [["a\x00b"], ["\ud800"], ["ok", "\x1b[31m"]])
def test_a_tag_that_cannot_be_written_is_refused(root: Path, tags: list[str]) -> None:
    """Control characters and half characters are no part of a tag."""
    with pytest.raises(InvalidInputError):
        new(root, tags=tags)
    assert list(root.iterdir()) == []


TAGS = [
    "a\nb",
    "x: y",
    "# x",
    "- x",
    "'q'",
    '"q"',
    "true",
    "No",
    "null",
    "~",
    "123",
    "2026-01-01",
    "[a]",
    "{a}",
    "&a",
    "*a",
    "a, b",
]
TAGS += [
    "%",
    "@x",
    "`x`",
    "a #b",
    "---",
    "|",
    ">",
    "!x",
    "?",
    "喜欢",
    "c++",
    ".net",
    "it's",
    "a\\b",
    "...",
]


@pytest.mark.may_skip
def test_a_tag_is_one_line_of_yaml(root: Path) -> None:
    """Whatever a tag is, it is one line of the list, comes back as it was, and any reader of YAML takes it for a text."""
    yaml = pytest.importorskip("yaml")
    new(root, tags=TAGS)
    text = file(root, "auth.mdk").read_text(encoding="utf-8")
    wanted = [" ".join(tag.split()) for tag in TAGS]
    assert topic_file.read_topic(text).tags == wanted
    assert yaml.safe_load(text.split("---\n")[1].rpartition("last_updated")[0]) == {
        "topic": "auth",
        "tags": wanted,
    }


@pytest.mark.parametrize(
    ("summary", "line"),
    [
        ("## Specialized Knowledge", "\\## Specialized Knowledge"),
        ("# x\n### other\ny", "\\# x ### other y"),
        ("```\ncode", "\\``` code"),
        ("~~~", "\\~~~"),
        ("- ```sh", "- \\```sh"),
        ("1. # x", "1. \\# x"),
        ("---", "\\---"),
        ("* * *", "* * \\*"),
        ("===", "\\==="),
        ("  a\t\n\r\n b\u2028c ", "a b c"),
        ("`a` and `b`", "`a` and `b`"),
        ("- one - two", "- one - two"),
    ],
)
def test_a_summary_is_one_paragraph(root: Path, summary: str, line: str) -> None:
    """White space becomes one space, and no summary is a heading, a fence or a rule."""
    new(root, "a", summary=summary)
    new(root, "b")
    assert f"### a\n\n{line}\n\n### b\n" in index(root)
    assert names(root) == ["a", "b"]
    forget_memory(root, "a")
    assert index(root) == "## Specialized Knowledge\n\n### b\n\nA summary.\n"


# --- refining


def test_refine_adds_tags_without_duplicates(root: Path) -> None:
    """A tag that is there in another case is not added again."""
    new(root, tags=["Security"])
    assert (
        refine_memory(root, "auth", ["security", "new", " NEW ", ""], now=LATER)
        == "Refined the topic auth."
    )
    assert topic_file.read_topic(file(root, "auth.mdk").read_text(encoding="utf-8")).tags == [
        "Security",
        "new",
    ]


def test_refine_removes_tags_in_any_case(root: Path) -> None:
    """A tag is removed however it is written; one that is not there is none to remove; all may go, and come back."""
    new(root, tags=["Security", "identity", "api"])
    refine_memory(root, "auth", (), [" SECURITY", "nope"], now=LATER)
    assert search_memories(root, ["security"]) == "No topics found"
    assert "tags:\n  - identity\n  - api\n" in file(root, "auth.mdk").read_text(encoding="utf-8")
    refine_memory(root, "auth", (), ["Identity", "API"], now=LATER)
    assert "tags: []\n" in file(root, "auth.mdk").read_text(encoding="utf-8")
    refine_memory(root, "auth", ["back"], now=LATER)
    assert "tags:\n  - back\n" in file(root, "auth.mdk").read_text(encoding="utf-8")


def test_a_tag_to_add_and_to_remove_is_refused(root: Path) -> None:
    """What contradicts itself is said, not guessed."""
    new(root)
    before = everything(root)
    with pytest.raises(InvalidInputError, match="'x' is both"):
        refine_memory(root, "auth", ["x"], ["X"], now=LATER)
    assert everything(root) == before


def test_refine_replaces_the_summary_in_the_index(root: Path) -> None:
    """A new summary goes into the topic's place in the index; other entries and the content stay."""
    for topic in ("a", "b", "c"):
        new(root, topic, summary=f"About {topic}.")
    refine_memory(root, "b", new_summary="### c\nis not\nhere", now=LATER)
    assert (
        index(root)
        == "## Specialized Knowledge\n\n### a\n\nAbout a.\n\n### b\n\n\\### c is not here\n\n### c\n\nAbout c.\n"
    )
    assert recall_memory(root, "b").endswith("\n\nText.\n")


def test_refine_replaces_the_content(root: Path) -> None:
    """New content takes the place of the old, and only that changes beside the time."""
    new(root, "auth", AUTH, tags=["a"])
    before = index(root)
    refine_memory(
        root, "auth", new_content="---\nnot: front matter\n---\n# New\r\n\r\nText.\r\n\n", now=LATER
    )
    assert index(root) == before
    assert file(root, "auth.mdk").read_bytes().decode() == (
        "---\ntopic: auth\ntags:\n  - a\nlast_updated: 2026-03-01T08:00:00Z\n---\n\n---\nnot: front matter\n---\n# New\n\nText.\n"
    )


def test_refine_of_an_unknown_topic_is_an_error(root: Path) -> None:
    """Only topics that exist are refined; nothing is made for others, not even the folder."""
    with pytest.raises(NotFoundError, match="'auth'"):
        refine_memory(root, "auth", new_content="x", now=NOW)
    assert list(root.iterdir()) == []
    new(root)
    before = everything(root)
    with pytest.raises(NotFoundError) as caught:
        refine_memory(root, "author", new_content="x", now=NOW)
    assert caught.value.hint == "did you mean auth?"
    assert everything(root) == before
    file(root, "auth.mdk").unlink()
    with pytest.raises(NotFoundError, match="its file is gone"):
        refine_memory(root, "auth", new_content="x", now=NOW)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"tags_to_add": ["t"]},
        {"tags_to_remove": ["x"]},
        {"new_summary": "x"},
        {"new_content": "x"},
    ],
)
def test_refine_always_says_when(root: Path, changed: dict[str, Any]) -> None:
    """Whatever is changed, also nothing, the time of the last update is set."""
    new(root)
    refine_memory(root, "auth", **changed, now=LATER + timedelta(microseconds=999_999))
    assert "**Last updated:** 2026-03-01T08:00:00Z\n" in recall_memory(root, "auth")


def test_without_a_new_summary_the_index_stays(root: Path) -> None:
    """Tags and content may change, the index does not, not even its time; nor does what was not named."""
    new(root, "auth", AUTH, tags=["a", "b"])
    before = file(root, "index.mdk").stat().st_mtime_ns, index(root)
    refine_memory(root, "auth", ["c"], ["a"], now=LATER)
    assert recall_memory(root, "auth").endswith(f"\n\n{AUTH}")
    refine_memory(root, "auth", new_content="New.", now=LATER)
    assert "**Tags:** b, c\n" in recall_memory(root, "auth")
    assert (file(root, "index.mdk").stat().st_mtime_ns, index(root)) == before


@pytest.mark.parametrize(
    "changed",
    [{"new_summary": ""}, {"new_summary": " \n"}, {"new_content": ""}, {"new_content": "\ud800"}],
)
def test_refine_refuses_empty_texts(root: Path, changed: dict[str, Any]) -> None:
    """An empty text is an error, not a wish to leave things as they are."""
    new(root)
    before = everything(root)
    with pytest.raises(InvalidInputError):
        refine_memory(root, "auth", **changed, now=LATER)
    assert everything(root) == before


@pytest.mark.parametrize(
    ("content", "summary"),
    [
        ("# Title\n\nIt checks tokens. Then it sleeps.", "It checks tokens."),
        ("No end here", "No end here"),
        ("# Only a title", "auth"),
        ("```\ncode\n```\n\nWhat is v1.2? Old!", "What is v1.2?"),
        ("喜欢茶。不喜欢咖啡。", "喜欢茶。"),
        ("x" * 500, "x" * 200),
        ("- # one\n- two", "- \\# one - two"),
    ],
)
def test_refine_adds_a_topic_that_the_index_lacks(root: Path, content: str, summary: str) -> None:
    """A topic without an entry gets one: the first sentence of its content."""
    put(root, auth=f"---\ntopic: auth\n---\n\n{content}\n")
    refine_memory(root, "auth", now=LATER)
    assert index(root) == f"## Specialized Knowledge\n\n### auth\n\n{summary}\n"


def test_refine_adds_a_topic_with_the_summary_given(root: Path) -> None:
    """Where a summary is named it goes into the new entry; a new content is where the sentence comes from otherwise."""
    put(root, a="Old.", b="Old.")
    refine_memory(root, "a", new_summary="Mine.", now=LATER)
    refine_memory(root, "b", new_content="New. Content.", now=LATER)
    assert index(root) == "## Specialized Knowledge\n\n### a\n\nMine.\n\n### b\n\nNew.\n"


# --- what people wrote by hand

HAND = (
    "---\r\n# ours\r\ntitle: 'Auth'\r\ntags: # sorted\r\n    - beta   # old\r\n    - 'alpha'\r\n# when\r\n"
    "last_updated: 2026-01-01 10:00:00 # by hand\r\nowner:\r\n  name: Ada\r\n---\r\nNo empty line.  \r\n\r\n\r\nEnd"
)


def test_refine_keeps_every_other_byte(root: Path) -> None:
    """Mark, line ends, unknown keys, their order, comments, quotes and the text's last bytes stay."""
    put(
        root,
        auth=b"\xef\xbb\xbf" + HAND.encode(),
        index="## Specialized Knowledge\r\n### auth\r\nMine.",
    )
    refine_memory(root, "auth", ["gamma"], ["BETA"], now=LATER)
    wanted = (
        HAND.replace("    - beta   # old\r\n", "")
        .replace("    - 'alpha'\r\n", "    - 'alpha'\r\n    - gamma\r\n")
        .replace("2026-01-01 10:00:00", "2026-03-01T08:00:00Z")
    )
    assert file(root, "auth.mdk").read_bytes() == b"\xef\xbb\xbf" + wanted.encode()
    assert index(root) == "## Specialized Knowledge\r\n### auth\r\nMine."
    refine_memory(root, "auth", new_content="New\ntext.", new_summary="Yours.", now=LATER)
    assert (
        file(root, "auth.mdk")
        .read_bytes()
        .decode()
        .endswith("  name: Ada\r\n---\r\n\r\nNew\r\ntext.\r\n")
    )
    assert index(root) == "## Specialized Knowledge\r\n### auth\r\n\r\nYours.\r\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tags: [a, 'b c'] # why\n", "tags: [a, 'b c', new] # why\n"),
        ("tags: a, x\n", "tags: [a, new]\n"),
        ("tags: [x]\n", "tags: [new]\n"),
        ("tags: [] # none\n", "tags: # none\n  - new\n"),
        ("tags:\n", "tags:\n  - new\n"),
        ("tags: null\n", "tags:\n  - new\n"),
        ("tags:\n- a\n# c\n- X\nk: v\n", "tags:\n- a\n# c\n- new\nk: v\n"),
        ("k: v\n", "tags:\n  - new\nk: v\n"),
        ("topic: auth\nk: v\n", "topic: auth\ntags:\n  - new\nk: v\n"),
        ("tags:\n  - x\n", "tags:\n  - new\n"),
        ("", "tags:\n  - new\n"),
    ],
)
def test_a_list_of_tags_stays_as_it_is_written(root: Path, before: str, after: str) -> None:
    """A list on one line stays on one line, a list of lines loses and gets lines."""
    put(root, auth=f"---\n{before}last_updated: x\n---\nText.")
    refine_memory(root, "auth", ["new"], ["x"], now=LATER)
    assert (
        file(root, "auth.mdk").read_bytes().decode()
        == f"---\n{after}last_updated: 2026-03-01T08:00:00Z\n---\nText."
    )


def test_a_file_without_front_matter_gets_one(root: Path) -> None:
    """The time of the update has to stand somewhere: front matter goes before a text that has none, which stays."""
    put(root, auth="\n  Text.\n\n\n")
    refine_memory(root, "auth", ["a"], now=LATER)
    assert file(root, "auth.mdk").read_bytes().decode() == (
        "---\ntopic: auth\ntags:\n  - a\nlast_updated: 2026-03-01T08:00:00Z\n---\n\n\n  Text.\n\n\n"
    )


def test_a_front_matter_gets_the_time(root: Path) -> None:
    """A front matter without a time gets one at its end."""
    put(root, auth="---\nk: v\n---")
    refine_memory(root, "auth", now=LATER)
    assert (
        file(root, "auth.mdk").read_bytes().decode()
        == "---\nk: v\nlast_updated: 2026-03-01T08:00:00Z\n---"
    )


BY_HAND = """\
# Our index

Written by hand.  \n
## general project knowledge ##
Old.

## Team notes

Do not lose this.

## Specialized Knowledge

What the topics are:

### auth
Signs in.

- and out

#### more

Details.

### db ###

Tables.

* * *

A footer.

## Appendix

Nor this.


"""


def test_a_hand_written_index_keeps_what_is_not_named(root: Path) -> None:
    """Text before, between and after the sections stays to the byte, whatever is written."""
    put(root, index=BY_HAND, auth="x", db="y")
    memorize_general_info(root, "New.\n\n# Title\n\ntext")
    text = BY_HAND.replace("##\nOld.\n", f"##\n\nNew.\n\n# Title\n\ntext\n\n{topic_index.MARK}\n")
    assert index(root) == text
    memorize_general_info(root, "Newer.")
    text = BY_HAND.replace("##\nOld.\n", "##\n\nNewer.\n")
    assert index(root) == text
    new(root, "web", summary="Pages.")
    text = text.replace("A footer.\n", "A footer.\n\n### web\n\nPages.\n")
    assert index(root) == text
    refine_memory(root, "db", new_summary="Rows.", now=LATER)
    text = text.replace("\nTables.\n", "\nRows.\n")
    assert index(root) == text
    forget_memory(root, "auth")
    text = text[: text.index("### auth")] + text[text.index("### db") :]
    assert index(root) == text
    forget_memory(root, "db")
    text = text[: text.index("### db")] + text[text.index("* * *") :]
    assert index(root) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("## Specialized Knowledge\n### a\nx\n###  b  ###\ny", ["a", "b"]),
        ("Specialized Knowledge\n---\n### a\nx\n", ["a"]),
        ("  ## **specialized  knowledge**:\n\n ### a\n", ["a"]),
        (
            "# Specialized Knowledge\n### a\n## Other\n### b\n## SPECIALIZED KNOWLEDGE\n### c\n",
            ["a", "c"],
        ),
        (
            "## General Project Knowledge\n```\n## Specialized Knowledge\n### x\n```\n## Specialized Knowledge\n### a",
            ["a"],
        ),
        ("## General Project Knowledge\n- ```\n  x\n  ```\n## Specialized Knowledge\n### a", ["a"]),
        (
            "## General Project Knowledge\n```\nnot closed\n## Specialized Knowledge\n### a\n```\n### b\n```\n",
            [],
        ),
        (
            "## General Project Knowledge\n~~~\nnot closed\n## Specialized Knowledge\n### a\n```\n### b\n```\n",
            ["a", "b"],
        ),
        ("### a\n## Specialized Knowledge", []),
        ("## Specialized Knowledge\n### my\\_topic\n### \\#\n", ["my_topic", "#"]),
        ("", []),
    ],
)
def test_an_index_is_read_as_people_write_it(text: str, found: list[str]) -> None:
    """Levels, marks, fences and repeated sections are understood as far as they can be."""
    assert [entry.topic for entry in topic_index.entries(text)] == found


def test_a_topic_listed_twice_is_forgotten_twice(root: Path) -> None:
    """No entry of a forgotten topic is left."""
    put(root, index="## Specialized Knowledge\n\n### a\n\n1\n\n### b\n\n2\n\n### a\n\n3\n", a="x")
    forget_memory(root, "a")
    assert index(root) == "## Specialized Knowledge\n\n### b\n\n2\n"


def test_an_index_that_is_not_utf8_is_not_touched(root: Path) -> None:
    """Bytes that are no text are shown as far as they can be, and never rewritten; the topic's file stays as well."""
    put(root, index=b"## Specialized Knowledge\n\n### a\n\n\xff\xfe\n", a=b"\xff", b="x")
    before = everything(root)
    assert "### a" in recall_general_memory(root)
    assert recall_memory(root, "a").endswith("\ufffd\n")
    calls: list[Any] = [
        lambda: new(root, "c"),
        lambda: forget_memory(root, "a"),
        lambda: refine_memory(root, "b", now=LATER),
        lambda: memorize_general_info(root, "x"),
    ]
    for call in calls:
        with pytest.raises(InvalidInputError, match="index.mdk is not UTF-8"):
            call()
    put(root, index="")
    with pytest.raises(InvalidInputError, match="a.mdk is not UTF-8"):
        refine_memory(root, "a", now=LATER)
    put(root, index=before[f"{FOLDER}/index.mdk"])
    assert everything(root) == before


# --- general knowledge


def test_general_info_replaces_its_section_only(root: Path) -> None:
    """The section is replaced whole, and everything else in the index stays to the byte."""
    made(root)
    rest = index(root).partition("## Specialized")[2]
    assert memorize_general_info(root, "Other.") == "Memorized the general project information."
    assert index(root) == f"## General Project Knowledge\n\nOther.\n\n## Specialized{rest}"
    assert recall_memory(root, "auth") == (DATA / "made" / "auth.txt").read_text(encoding="utf-8")


def test_general_info_goes_to_the_top_when_it_is_missing(root: Path) -> None:
    """An index without the section gets it before everything, but behind a front matter."""
    memorize_general_info(root, "First.")
    assert index(root) == "## General Project Knowledge\n\nFirst.\n"
    put(root, index="Mine.\n\n## Specialized Knowledge\n\n### a\n")
    memorize_general_info(root, "First.")
    rest = "\n\nMine.\n\n## Specialized Knowledge\n\n### a\n"
    assert index(root) == f"## General Project Knowledge\n\nFirst.\n\n{topic_index.MARK}{rest}"
    memorize_general_info(root, "Second.")
    assert index(root) == f"## General Project Knowledge\n\nSecond.\n\n{topic_index.MARK}{rest}"
    put(root, index="---\nk: v\n---\n## Specialized Knowledge\n")
    memorize_general_info(root, "First.")
    assert (
        index(root)
        == "---\nk: v\n---\n\n## General Project Knowledge\n\nFirst.\n\n## Specialized Knowledge\n"
    )


def test_the_same_general_info_again_writes_nothing(root: Path) -> None:
    """Saying the same twice does not touch the file, with own headings or without."""
    new(root)
    for content in ("One.", "One.\n\n## Two\n\nThree.", f"One.\n\n{topic_index.MARK}\n\nTwo."):
        memorize_general_info(root, content)
        before = file(root, "index.mdk").stat().st_mtime_ns
        memorize_general_info(root, f"\n{content}\n\n")
        assert file(root, "index.mdk").stat().st_mtime_ns == before


OWN = [
    "## Own\n\ntext",
    "# Own\n\n## Two\n\n### auth\n\ntext",
    f"a\n\n{topic_index.MARK}\n\nb",
    "General Project Knowledge\n---\nx\n## y",
]
OWN += [
    "x\n\n## General Project Knowledge\n\ny",
    "```md\n## Specialized Knowledge\n\n### auth\n```",
    "a\n\n## x\n~~~\n## Specialized Knowledge\n~~~\nb",
]


@pytest.mark.parametrize("content", OWN)
def test_headings_of_the_content_do_not_end_the_section(root: Path, content: str) -> None:
    """Content with headings of its own is replaced whole the next time, and lists no topics."""
    new(root, "auth")
    before = index(root)
    memorize_general_info(root, content)
    assert content.removeprefix("General Project Knowledge\n---\n") in index(root)
    assert names(root) == ["auth"]
    new(root, "b")
    forget_memory(root, "b")
    memorize_general_info(root, "Plain.")
    assert index(root) == f"## General Project Knowledge\n\nPlain.\n\n{before}"


def test_a_heading_that_the_section_has_already_is_left_out(root: Path) -> None:
    """Content may bring its section's own heading along."""
    memorize_general_info(root, "\n## General Project Knowledge\n\nText.\n")
    assert index(root) == "## General Project Knowledge\n\nText.\n"
    with pytest.raises(InvalidInputError, match="only a heading"):
        memorize_general_info(root, "## General Project Knowledge\n")


SPECIAL = [
    *(
        "## Specialized Knowledge",
        "# Specialized Knowledge",
        "###### specialized knowledge ######",
        "  ## SPECIALIZED  KNOWLEDGE",
    ),
    *(
        "\t## Specialized Knowledge",
        "        ### Specialized Knowledge",
        "##Specialized Knowledge",
        "####### Specialized Knowledge",
    ),
    *(
        "Specialized Knowledge\n---",
        "Specialized Knowledge\n=",
        "  **Specialized Knowledge**\n  =====  ",
        "> ## Specialized Knowledge",
    ),
    *(
        "- # Specialized Knowledge:",
        "1. ## Specialized Knowledge",
        "## Specialized\u00a0Knowledge",
        "## *Specialized Knowledge*",
    ),
    "```\nx\n```\n## Specialized Knowledge",
]


@pytest.mark.parametrize("heading", SPECIAL)
@pytest.mark.parametrize("around", ["{}", "Text.\n\n{}\n\n### auth\n\nx", "a\r\n{}\r\nb"])
def test_general_info_refuses_the_header_of_the_topics(
    root: Path, heading: str, around: str
) -> None:
    """However it is written, the header Specialized Knowledge is refused, and nothing is changed."""
    made(root)
    with pytest.raises(InvalidInputError, match="'Specialized Knowledge'"):
        memorize_general_info(root, around.format(heading))
    assert everything(root) == golden("made")


@pytest.mark.parametrize(
    "content",
    [
        "Specialized Knowledge",
        "We have Specialized Knowledge\n\n---",
        "## Specialized Knowledge of tea",
        "    ~~~\n# Specialized Knowledge\n~~~",
    ],
)
def test_general_info_may_speak_of_specialized_knowledge(root: Path, content: str) -> None:
    """The words alone, longer headings, and code are no such header."""
    memorize_general_info(root, content)
    assert content.strip() in index(root)


@pytest.mark.parametrize(
    "content",
    ["```", "x\n~~~~\ny\n~~~", "```sh\nmake\n``` no\n", "- ```\n  x", "````\n```\nx\n```"],
)
def test_general_info_refuses_a_fence_that_stays_open(root: Path, content: str) -> None:
    """A fence that is never closed would swallow the topics."""
    made(root)
    with pytest.raises(InvalidInputError, match="never closed"):
        memorize_general_info(root, content)
    assert everything(root) == golden("made")


@pytest.mark.parametrize("content", ["", " ", "\n\n", "\ud800"])
def test_general_info_refuses_an_empty_text(root: Path, content: str) -> None:
    """Nothing cannot be memorized."""
    with pytest.raises(InvalidInputError):
        memorize_general_info(root, content)
    assert list(root.iterdir()) == []


def test_a_fence_that_somebody_left_open_loses_no_topics(root: Path) -> None:
    """Where an open fence hides the topics from us, the general section is not replaced; the error says what to mend."""
    text = "## General Project Knowledge\n```\nold\n\n## Specialized Knowledge\n\n### a\n\n```\nx\n```\n"
    put(root, index=text)
    with pytest.raises(ConflictError, match="code fence"):
        memorize_general_info(root, "New.")
    assert index(root) == text


# --- forgetting


def test_forget_deletes_the_file_and_the_entry(root: Path) -> None:
    """The file is deleted and the summary removed; what was there before the topic is there again."""
    made(root)
    new(root, "web", summary="Pages.")
    assert forget_memory(root, "web") == "Forgot the topic web."
    assert everything(root) == golden("made")


def test_forget_removes_the_entry_when_the_file_is_gone(root: Path) -> None:
    """A file that is gone already keeps nothing in the index."""
    made(root)
    new(root, "web")
    file(root, "web.mdk").unlink()
    assert forget_memory(root, "web") == "Forgot the topic web; its file was gone already."
    assert everything(root) == golden("made")


def test_forget_removes_the_entry_when_the_file_cannot_be_deleted(root: Path) -> None:
    """What cannot be deleted is said; the entry is removed all the same."""
    made(root)
    new(root, "web")
    file(root, "web.mdk").unlink()
    file(root, "web.mdk").mkdir()
    told = forget_memory(root, "web")
    assert told.startswith(
        "Forgot the topic web: it is no longer in the index, but its file could not be deleted: "
    )
    assert everything(root) == golden("made")


def test_forget_deletes_a_file_that_the_index_does_not_list(root: Path) -> None:
    """A topic that is only a file is forgotten as well, and the index is not touched."""
    put(root, a="x", index="Mine.")
    assert forget_memory(root, "a") == "Forgot the topic a."
    assert everything(root) == {f"{FOLDER}/index.mdk": b"Mine."}


def test_forget_of_an_unknown_topic_is_an_error(root: Path) -> None:
    """What is neither a file nor an entry cannot be forgotten; nothing is made or changed."""
    with pytest.raises(NotFoundError):
        forget_memory(root, "auth")
    assert list(root.iterdir()) == []
    made(root)
    with pytest.raises(NotFoundError) as caught:
        forget_memory(root, "AUTH")
    assert caught.value.hint == "did you mean auth?"
    assert everything(root) == golden("made")


# --- where files may be

unix = pytest.mark.skipif(sys.platform == "win32", reason="links are those of Unix")


def every_call(root: Path, topic: str) -> list[Any]:
    """Return a call of each function."""
    return [
        lambda: recall_memory(root, topic),
        lambda: new(root, topic),
        lambda: refine_memory(root, topic, new_content="x", now=NOW),
        lambda: forget_memory(root, topic),
    ]


@unix
@pytest.mark.may_skip
def test_a_folder_that_leads_out_of_the_root_is_refused(root: Path, tmp_path: Path) -> None:
    """A link in place of .ai-knowledge may lead to another folder of the project, and nowhere else."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "auth.mdk").write_text("secret", encoding="utf-8")
    (root / FOLDER).symlink_to(outside)
    others: list[Any] = [
        lambda: list_memories(root),
        lambda: search_memories(root, ["x"]),
        lambda: recall_general_memory(root),
        lambda: memorize_general_info(root, "x"),
    ]
    for call in [*every_call(root, "auth"), *others]:
        with pytest.raises(InvalidInputError, match="leads out"):
            call()
    assert [path.name for path in outside.iterdir()] == ["auth.mdk"]
    (root / FOLDER).unlink()
    (root / "docs").mkdir()
    (root / FOLDER).symlink_to("docs")
    new(root, "web")
    assert list_memories(root) == "web"
    assert (root / "docs" / "web.mdk").exists()


@unix
@pytest.mark.may_skip
@pytest.mark.parametrize("name", ["auth", "index"])
def test_a_file_that_leads_out_of_the_root_is_refused(
    root: Path, tmp_path: Path, name: str
) -> None:
    """A link to a file elsewhere is neither read, listed, written nor deleted."""
    outside = tmp_path / "secret.txt"
    outside.write_text("tags: secret", encoding="utf-8")
    put(root, other="x")
    file(root, f"{name}.mdk").symlink_to(outside)
    calls = (
        every_call(root, "auth")
        if name == "auth"
        else [lambda: recall_general_memory(root), lambda: new(root, "b")]
    )
    for call in calls:
        with pytest.raises(InvalidInputError, match="leads out"):
            call()
    assert list_memories(root) == "other"
    assert search_memories(root, ["secret"]) == "No topics found"
    assert outside.read_text(encoding="utf-8") == "tags: secret"
    assert file(root, f"{name}.mdk").is_symlink()


@unix
@pytest.mark.may_skip
def test_a_link_within_the_root_is_a_topic(root: Path) -> None:
    """A topic may be a link to a file of the project; refining writes that file, forgetting takes the link only."""
    (root / "auth.md").write_text("Text.\n", encoding="utf-8")
    put(root)
    file(root, "auth.mdk").symlink_to("../auth.md")
    assert list_memories(root) == "auth"
    refine_memory(root, "auth", ["t"], now=LATER)
    assert (root / "auth.md").read_text(encoding="utf-8").endswith("---\n\nText.\n")
    forget_memory(root, "auth")
    assert (root / "auth.md").exists()
    assert not os.path.lexists(file(root, "auth.mdk"))


def test_a_root_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """No folder is made for a mistyped root."""
    root = tmp_path / "nope"
    for call in [
        *every_call(root, "a"),
        lambda: list_memories(root),
        lambda: memorize_general_info(root, "x"),
    ]:
        with pytest.raises(InvalidInputError, match="there is no folder"):
            call()
    assert not root.exists()


# --- any order, any text

PIECES = [
    "# x\n",
    "## General Project Knowledge\n",
    "## Specialized Knowledge\n",
    "### a\n",
    "### b\n",
    "```\n",
    "~~~\n",
    "---\n",
    "***\n",
]
PIECES += [
    "\r\n",
    "\n",
    " ",
    "\t",
    "🍵",
    "text",
    "\\",
    "#",
    "- ",
    "> ",
    "tags: [x]\n",
    f"{topic_index.MARK}\n",
    "\u2028",
    "`",
    "===\n",
    "\ufeff",
    "'",
    ":",
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=30))
TOPICS = st.sampled_from(
    [
        "a",
        "b",
        "A",
        "c #",
        "#",
        "Specialized Knowledge",
        "General Project Knowledge",
        "```",
        "---",
        "🍵",
    ]
)


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=4))
@example("```", "---\n---\n", ["---"])
@example("text", "\ufeff---", ["'"])
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_memorized_is_recalled(
    tmp_path_factory: pytest.TempPathFactory, summary: str, content: str, tags: list[str]
) -> None:
    """Any content comes back as it was, line ends and outer blanks aside; so do the tags."""
    root = tmp_path_factory.mktemp("root")
    try:
        new(root, "a", content, summary, tags)
    except InvalidInputError:
        assert list(root.iterdir()) == []
        return
    known = topic_file.read_topic(file(root, "a.mdk").read_bytes().decode())
    assert known.body == topic_file.trimmed(content.replace("\r\n", "\n").replace("\r", "\n"))
    assert search_memories(root, known.tags) == ("a" if known.tags else "No topics found")
    assert {topic_file.folded(tag) for tag in known.tags} == {
        topic_file.folded(tag) for tag in tags
    } - {""}
    assert names(root) == ["a"]


@given(TEXTS, TEXTS)
@settings(deadline=None, max_examples=300)
def test_any_index_keeps_its_topics(text: str, content: str) -> None:
    """Adding, changing and removing an entry of any text at all leaves the other entries and every line outside."""
    text = text.replace("\r", "")
    before = [entry.topic for entry in topic_index.entries(text)]
    added = topic_index.with_entries(text, {"new": topic_index.summary_line(content) or "x"})
    after = topic_index.entries(added)
    assert [entry.topic for entry in after] == [*before, "new"]
    changed = topic_index.with_summary(added, after[-1], "Other.")
    assert [entry.topic for entry in topic_index.entries(changed)] == [*before, "new"]
    removed = topic_index.without_entry(changed, "new")
    assert [entry.topic for entry in topic_index.entries(removed)] == before
    assert inked(removed) in (inked(text), [*inked(text), f"## {topic_index.SPECIAL}"])


def inked(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    return [line for line in text.split("\n") if line.strip()]


class Writers(RuleBasedStateMachine):
    """Any order of the writers, with any texts, beside a model of what should be there."""

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.topics: dict[str, tuple[str, str]] = {}
        self.general: str | None = None
        self.at = NOW

    def teardown(self) -> None:
        """Remove the folder."""
        self.folder.cleanup()

    @rule(topic=TOPICS, summary=TEXTS, content=TEXTS)
    def memorize(self, topic: str, summary: str, content: str) -> None:
        """Memorize a topic, which works exactly when it is new."""
        try:
            new(self.root, topic, content, summary)
        except ConflictError:
            assert topic.casefold() in {name.casefold() for name in self.topics}
        except InvalidInputError:
            assert not (summary.strip() and content.strip())
        else:
            assert topic not in self.topics
            self.topics[topic] = (
                topic_index.summary_line(summary),
                topic_file.trimmed(content.replace("\r\n", "\n").replace("\r", "\n")),
            )

    @precondition(lambda self: self.topics)
    @rule(
        topic=TOPICS,
        summary=st.none() | TEXTS.filter(str.strip),
        tags=st.lists(st.sampled_from(["t", "---", "x: y"])),
    )
    def refine(self, topic: str, summary: str | None, tags: list[str]) -> None:
        """Refine a topic, which works exactly when it exists."""
        try:
            refine_memory(self.root, topic, tags, new_summary=summary, now=LATER)
        except NotFoundError:
            assert topic not in self.topics
        else:
            old, content = self.topics[topic]
            self.topics[topic] = (
                old if summary is None else topic_index.summary_line(summary),
                content,
            )

    @rule(content=TEXTS)
    def generalise(self, content: str) -> None:
        """Replace the general knowledge."""
        try:
            memorize_general_info(self.root, content)
        except InvalidInputError:
            return
        clean = content.replace("\r\n", "\n").replace("\r", "\n")
        self.general = topic_file.trimmed(
            topic_index.without_own_heading(topic_file.trimmed(clean))
        )

    @rule(topic=TOPICS)
    def forget(self, topic: str) -> None:
        """Forget a topic, which works exactly when it exists."""
        try:
            forget_memory(self.root, topic)
        except NotFoundError:
            assert topic not in self.topics
        else:
            del self.topics[topic]

    @invariant()
    def index_and_files_are_in_step(self) -> None:
        """The index lists exactly the topics that have files, with their summaries, and the general knowledge that was given."""
        assert list_memories(self.root) == (", ".join(sorted(self.topics)) or "No topics found")
        path = file(self.root, "index.mdk")
        text = path.read_bytes().decode() if path.exists() else ""
        found = {
            entry.topic: text[entry.after : entry.end].strip("\n")
            for entry in topic_index.entries(text)
        }
        assert found == {topic: summary for topic, (summary, _) in self.topics.items()}
        assert topic_index.general_text(text) == (self.general or "")
        for topic, (_, content) in self.topics.items():
            assert (
                topic_file.read_topic(file(self.root, f"{topic}.mdk").read_bytes().decode()).body
                == content
            )


TestWriters = Writers.TestCase
TestWriters.settings = settings(deadline=None, max_examples=40, stateful_step_count=15)


BIG = 50_000
HOSTILE = [
    " " * BIG,
    "## x" + " " * BIG + "y",
    "- " * BIG,
    "```a\n" * (BIG // 5),
    "~~~\n```\n" * (BIG // 8),
    "# x\n" * (BIG // 4),
]
HOSTILE += [
    "'" * BIG,
    '"' * BIG,
    "#" * BIG,
    "# " * BIG,
    ">" * BIG + "#",
    "\n" * BIG + "x",
    "- ```\n" * (BIG // 6),
    "1. " * BIG,
]


@pytest.mark.wide
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:8]))
def test_no_text_takes_long(root: Path, text: str) -> None:
    """Texts made to keep a reader busy, in every place, are done with in the time that a test has."""
    put(
        root,
        index=text,
        a=f"---\ntags: [{text}\n---\n",
        b=f"---\n{text}",
        c=f"---\ntags: {text}\n---\n{text}",
    )
    for content in (text, f"x\n{text}"):
        with suppress(GhostError):
            memorize_general_info(root, content)
        with suppress(GhostError):
            new(root, "d", content, content, [content])
    recall_general_memory(root)
    search_memories(root, ["x"])
    for topic in ("a", "b", "c"):
        refine_memory(root, topic, ["new"], ["x"], now=LATER)


# --- several at once, and sudden ends

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from ghostmem.notes.knowledge import *
root, who, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
now = datetime(2026, 1, 1, tzinfo=UTC)
"""
MEMORIZE = """
for number in range(count):
    memorize_new_topic(root, f"{who}-{number}", [who], f"Topic {number} of {who}.", "Text. " * 100, now)
"""
REWRITE = """
for number in range(count):
    text = f"version {number} " * 5000
    refine_memory(root, "auth", new_summary=text, new_content=text, now=now)
    memorize_general_info(root, text)
    print(number, flush=True)
"""
COME_AND_GO = """
for number in range(count):
    memorize_new_topic(root, "auth", ["t"], "Summary. " * 2000, "Text. " * 5000, now)
    print(number, flush=True)
    forget_memory(root, "auth")
"""


def start(script: str, *args: object) -> "subprocess.Popen[bytes]":
    """Start a process that writes."""
    words = [sys.executable, "-c", WRITER + script, *map(str, args)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.process
def test_four_processes_memorize_at_once(root: Path) -> None:
    """Every topic of every process is a file and an entry of the index, exactly once."""
    processes = [start(MEMORIZE, root, who, 15) for who in "abcd"]
    for process in processes:
        assert process.communicate(timeout=120)[1] == b""
        assert process.returncode == 0
    wanted = {f"{who}-{number}" for who in "abcd" for number in range(15)}
    assert sorted(names(root)) == sorted(wanted)
    assert set(list_memories(root).split(", ")) == wanted


def killed(process: "subprocess.Popen[bytes]", after: int) -> None:
    """Let a process report some writes, then kill it in the midst of the next."""
    assert process.stdout is not None
    for _ in range(after):
        assert process.stdout.readline()
    process.kill()
    process.communicate(timeout=60)


@pytest.mark.process
@pytest.mark.parametrize("after", range(1, 9))
def test_a_kill_leaves_files_old_or_new(root: Path, after: int) -> None:
    """Whenever a writer is killed, each text is one version whole, and the next writer goes on and cleans up."""
    new(root, "auth")
    new(root, "other")
    killed(start(REWRITE, root, "x", 10_000), after)
    text = index(root)
    assert names(root) == ["auth", "other"]
    for found in (
        recall_memory(root, "auth").partition("Z\n\n")[2],
        topic_index.general_text(text),
        text.split("### auth\n\n")[1].split("\n")[0],
    ):
        version = re.match(r"version (\d+) ", found)
        assert version
        assert found.strip() == (f"version {version[1]} " * 5000).strip()
    refine_memory(root, "auth", new_content="x", new_summary="y", now=LATER)
    assert sorted(path.name for path in (root / FOLDER).iterdir()) == [
        ".lock",
        "auth.mdk",
        "index.mdk",
        "other.mdk",
    ]


@pytest.mark.process
@pytest.mark.parametrize("after", range(1, 9))
def test_a_kill_between_file_and_index_is_told_and_mended(root: Path, after: int) -> None:
    """A topic whose writer was killed is there or not; if only in part, the next call says what to do, and that works."""
    killed(start(COME_AND_GO, root, "x", 10_000), after)
    for step in ("memorize", "forget"):
        in_file, in_index = list_memories(root) == "auth", names(root) == ["auth"]
        if in_file:
            assert recall_memory(root, "auth").endswith("Text.\n")
        if in_file or in_index:
            with pytest.raises(ConflictError):
                new(root, "auth")
            forget_memory(root, "auth")
        if step == "memorize":
            new(root, "auth", "Text.")
    assert (list_memories(root), names(root)) == ("No topics found", [])


def test_a_topic_without_its_entry_is_mended_by_refining(root: Path) -> None:
    """What a kill between the two writes leaves: the file is listed and recalled, the error tells, refining mends."""
    new(root, "a")
    before = index(root)
    new(root, "auth", "It signs in. More.")
    file(root, "index.mdk").write_text(before, encoding="utf-8")
    assert list_memories(root) == "a, auth"
    assert recall_memory(root, "auth").endswith("\n\nIt signs in. More.\n")
    with pytest.raises(ConflictError, match="though the index does not list it"):
        new(root, "auth")
    refine_memory(root, "auth", now=LATER)
    assert index(root) == f"{before}\n### auth\n\nIt signs in.\n"


def test_errors_have_hints_for_tools(root: Path) -> None:
    """No error speaks of a command line: whoever calls may be a model."""
    made(root)
    calls: list[Any] = [
        *every_call(root, "a/b"),
        *every_call(root, "nope")[:1],
        lambda: new(root, "auth"),
        lambda: new(root, "x", ""),
        lambda: new(root, "AUTH"),
        lambda: memorize_general_info(root, "```"),
        lambda: memorize_general_info(root, "## Specialized Knowledge"),
        lambda: refine_memory(root, "auth", ["x"], ["x"], now=NOW),
    ]
    for call in calls:
        with pytest.raises(GhostError) as caught:
            call()
        assert caught.value.hint
        assert caught.value.hint != caught.value.default_hint
        assert not re.search(r"ghost |--|GHOST_|standard input", caught.value.hint)
