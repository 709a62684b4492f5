"""The store of knowledge in .ai-knowledge: its formats to the byte, what people wrote by hand, hostile texts, and sudden ends"""

import inspect
import os
import re
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ghostmem.errors import ConflictError, GhostError, InvalidInputError, NotFoundError
from ghostmem.notes import knowledge, topic_files
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
    return [entry.topic for entry in topic_files.entries(index(root))]


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


@pytest.mark.requirement("004-014")
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


@pytest.mark.requirement("004-001")
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


@pytest.mark.requirement("004-003")
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


TAGS = [
    "a\nb", "x: y", "# x", "- x", "'q'", '"q"', "true", "No", "null", "~", "123", "2026-01-01", "[a]", "{a}", "&a", "*a", "a, b",
    "%", "@x", "`x`", "a #b", "---", "|", ">", "!x", "?", "喜欢", "c++", ".net", "it's", "a\\b", "...",
]  # fmt: skip


@pytest.mark.may_skip
def test_a_tag_is_one_line_of_yaml(root: Path) -> None:
    """Whatever a tag is, it is one line of the list, comes back as it was, and any reader of YAML takes it for a text."""
    yaml = pytest.importorskip("yaml")
    new(root, tags=TAGS)
    text = file(root, "auth.mdk").read_text(encoding="utf-8")
    wanted = [" ".join(tag.split()) for tag in TAGS]
    assert topic_files.read_topic(text).tags == wanted
    assert yaml.safe_load(text.split("---\n")[1].rpartition("last_updated")[0]) == {
        "topic": "auth",
        "tags": wanted,
    }


@pytest.mark.requirement("004-022")
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
    assert [entry.topic for entry in topic_files.entries(text)] == found


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


def test_the_same_general_info_again_writes_nothing(root: Path) -> None:
    """Saying the same twice does not touch the file, with own headings or without."""
    new(root)
    for content in ("One.", "One.\n\n## Two\n\nThree.", f"One.\n\n{topic_files.MARK}\n\nTwo."):
        memorize_general_info(root, content)
        before = file(root, "index.mdk").stat().st_mtime_ns
        memorize_general_info(root, f"\n{content}\n\n")
        assert file(root, "index.mdk").stat().st_mtime_ns == before


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
    "# x\n", "## General Project Knowledge\n", "## Specialized Knowledge\n", "### a\n", "### b\n", "```\n", "~~~\n", "---\n", "***\n",
    "\r\n", "\n", " ", "\t", "🍵", "text", "\\", "#", "- ", "> ", "tags: [x]\n", f"{topic_files.MARK}\n", "\u2028", "`", "===\n", "\ufeff",
    "'", ":",
]  # fmt: skip
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=30))
TOPICS = st.sampled_from(
    "a|b|A|c #|#|Specialized Knowledge|General Project Knowledge|```|---|🍵".split("|")
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
    known = topic_files.read_topic(file(root, "a.mdk").read_bytes().decode())
    assert known.body == topic_files.trimmed(content.replace("\r\n", "\n").replace("\r", "\n"))
    assert search_memories(root, known.tags) == ("a" if known.tags else "No topics found")
    assert {topic_files.folded(tag) for tag in known.tags} == {
        topic_files.folded(tag) for tag in tags
    } - {""}
    assert names(root) == ["a"]


@given(TEXTS, TEXTS)
@settings(deadline=None, max_examples=300)
def test_any_index_keeps_its_topics(text: str, content: str) -> None:
    """Adding, changing and removing an entry of any text at all leaves the other entries and every line outside."""
    text = text.replace("\r", "")
    before = [entry.topic for entry in topic_files.entries(text)]
    added = topic_files.with_entries(text, {"new": topic_files.summary_line(content) or "x"})
    after = topic_files.entries(added)
    assert [entry.topic for entry in after] == [*before, "new"]
    changed = topic_files.with_summary(added, after[-1], "Other.")
    assert [entry.topic for entry in topic_files.entries(changed)] == [*before, "new"]
    removed = topic_files.without_entry(changed, "new")
    assert [entry.topic for entry in topic_files.entries(removed)] == before
    assert inked(removed) in (inked(text), [*inked(text), f"## {topic_files.SPECIAL}"])


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
                topic_files.summary_line(summary),
                topic_files.trimmed(content.replace("\r\n", "\n").replace("\r", "\n")),
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
                old if summary is None else topic_files.summary_line(summary),
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
        self.general = topic_files.trimmed(
            topic_files.without_own_heading(topic_files.trimmed(clean))
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
            for entry in topic_files.entries(text)
        }
        assert found == {topic: summary for topic, (summary, _) in self.topics.items()}
        assert topic_files.general_text(text) == (self.general or "")
        for topic, (_, content) in self.topics.items():
            assert (
                topic_files.read_topic(file(self.root, f"{topic}.mdk").read_bytes().decode()).body
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


@pytest.mark.requirement("004-014")
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
        topic_files.general_text(text),
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
