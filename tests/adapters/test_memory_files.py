"""Anthropic's memory tool over a store: what each command answers, what is refused, and that versions are kept"""

from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.adapters.memory_files import MemoryFileError, MemoryFiles, key_of
from ghostmem.settings import Settings

NS = "agent:files"
HEAD = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items and node_modules:"


@pytest.fixture
def files(ghost: Ghost) -> MemoryFiles:
    """Return the tool over an empty store."""
    return MemoryFiles(ghost, NS)


def call(files: MemoryFiles, command: str, **given: Any) -> str:
    """Send a command as a model does."""
    return files.call({"command": command, **given})


def create(files: MemoryFiles, **texts: str) -> None:
    """Make files; two underscores are a slash, one a dot."""
    for name, text in texts.items():
        path = f"/memories/{name.replace('__', '/').replace('_', '.')}"
        assert (
            call(files, "create", path=path, file_text=text)
            == f"File created successfully at: {path}"
        )


def test_an_empty_memory_is_an_empty_directory(files: MemoryFiles) -> None:
    """The first thing a model does is to look."""
    assert call(files, "view", path="/memories") == f"{HEAD.format('/memories')}\n0B\t/memories"


def test_a_directory_is_listed_two_levels_deep(files: MemoryFiles) -> None:
    """Sizes, directories with a slash, no hidden items, nothing deeper."""
    create(
        files,
        b_md="x" * 1536,
        a__one_md="12345",
        a__c__deep_md="1",
        _hidden="x",
        node_modules__x="x",
        a_md="ab",
    )
    assert call(files, "view", path="/memories/").splitlines() == [
        HEAD.format("/memories"),
        "1.5K\t/memories",
        "6B\t/memories/a/",
        "1B\t/memories/a/c/",
        "5B\t/memories/a/one.md",
        "2B\t/memories/a.md",
        "1.5K\t/memories/b.md",
        "1B\t/memories/node.modules/",
        "1B\t/memories/node.modules/x",
    ]
    assert call(files, "view", path="/memories/a").splitlines()[1:] == [
        "6B\t/memories/a",
        "1B\t/memories/a/c/",
        "1B\t/memories/a/c/deep.md",
        "5B\t/memories/a/one.md",
    ]


def test_node_modules_and_hidden_files_are_there_when_named(files: MemoryFiles) -> None:
    """They are left out of a listing only."""
    for path in ("/memories/node_modules/x", "/memories/.secret"):
        assert call(files, "create", path=path, file_text="x").startswith("File created")
        assert path not in call(files, "view", path="/memories")
        assert call(files, "view", path=path).endswith("     1\tx")


def test_a_file_is_shown_with_numbered_lines(files: MemoryFiles) -> None:
    """Six columns, a tab, the line; the empty line after the last newline counts."""
    create(files, a_txt="one\ntwo\nthree\n")
    head = "Here's the content of /memories/a.txt with line numbers:\n"
    assert (
        call(files, "view", path="/memories/a.txt")
        == f"{head}     1\tone\n     2\ttwo\n     3\tthree\n     4\t"
    )
    assert (
        call(files, "view", path="/memories/a.txt", view_range=[2, 3])
        == f"{head}     2\ttwo\n     3\tthree"
    )
    assert (
        call(files, "view", path="/memories/a.txt", view_range=[3, -1])
        == f"{head}     3\tthree\n     4\t"
    )
    assert call(files, "view", path="/memories/a.txt", view_range=[0, 1]) == f"{head}     1\tone"


def test_what_is_not_there_is_said_as_documented(files: MemoryFiles) -> None:
    """Each command has its own words for it."""
    gone = "The path /memories/x does not exist"
    assert call(files, "view", path="/memories/x") == f"{gone}. Please provide a valid path."
    assert (
        call(files, "str_replace", path="/memories/x", old_str="a")
        == f"Error: {gone}. Please provide a valid path."
    )
    assert call(files, "insert", path="/memories/x", insert_line=0, insert_text="a").startswith(
        f"Error: {gone}"
    )
    assert call(files, "delete", path="/memories/x") == f"Error: {gone}"
    assert call(files, "rename", old_path="/memories/x", new_path="/memories/y") == f"Error: {gone}"


def test_create_never_overwrites(files: MemoryFiles) -> None:
    """Neither a file nor a directory."""
    create(files, a__b_md="text")
    for path in ("/memories/a/b.md", "/memories/a", "/memories"):
        assert (
            call(files, "create", path=path, file_text="other")
            == f"Error: File {path} already exists"
        )
    assert "text" in call(files, "view", path="/memories/a/b.md")


def test_a_file_cannot_be_a_directory(files: MemoryFiles) -> None:
    """A store has no directories, but models believe in them."""
    create(files, a="text")
    said = call(files, "create", path="/memories/a/b/c", file_text="x")
    assert said == "Error: The path /memories/a is a file, not a directory"


def test_str_replace_shows_what_changed(files: MemoryFiles) -> None:
    """Two lines before and after."""
    create(files, a="1\n2\n3\n4\n5\n6\n7")
    assert call(
        files, "str_replace", path="/memories/a", old_str="4", new_str="four"
    ).splitlines() == [
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):",
        *(
            f"     {number}\t{line}"
            for number, line in ((2, "2"), (3, "3"), (4, "four"), (5, "5"), (6, "6"))
        ),
    ]


def test_str_replace_needs_one_place(files: MemoryFiles) -> None:
    """None and several are said, and change nothing."""
    create(files, a="tea\npot\ntea")
    assert call(files, "str_replace", path="/memories/a", old_str="cup", new_str="x") == (
        "No replacement was performed, old_str `cup` did not appear verbatim in /memories/a."
    )
    assert call(files, "str_replace", path="/memories/a", old_str="tea", new_str="x") == (
        "No replacement was performed. Multiple occurrences of old_str `tea` in lines: 1, 3. Please ensure it is unique"
    )
    assert call(files, "str_replace", path="/memories/a", old_str="", new_str="x").startswith(
        "No replacement"
    )
    assert call(files, "str_replace", path="/memories", old_str="a").endswith(
        "The path /memories is not a file."
    )


def test_str_replace_without_a_new_text_takes_away(files: MemoryFiles) -> None:
    """The parameter may be left out."""
    create(files, a="green tea")
    call(files, "str_replace", path="/memories/a", old_str="green ")
    assert call(files, "view", path="/memories/a").endswith("     1\ttea")


def test_insert_puts_lines_behind_a_line(files: MemoryFiles) -> None:
    """0 is before the first, the number of lines behind the last."""
    create(files, a="one\ntwo\n")
    for line, text in ((0, "zero\n"), (3, "three"), (1, "half")):
        said = call(files, "insert", path="/memories/a", insert_line=line, insert_text=text)
        assert said == "The file /memories/a has been edited."
    assert [row[7:] for row in call(files, "view", path="/memories/a").splitlines()[1:]] == [
        "zero",
        "half",
        "one",
        "two",
        "three",
        "",
    ]


@pytest.mark.parametrize("line", [-1, 3])
def test_insert_outside_the_file_is_refused(files: MemoryFiles, line: int) -> None:
    """The error has the range."""
    create(files, a="one\ntwo\n")
    assert call(files, "insert", path="/memories/a", insert_line=line, insert_text="x") == (
        f"Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, 2]"
    )


def test_delete_takes_a_file_or_a_whole_directory(files: MemoryFiles, ghost: Ghost) -> None:
    """Softly: what was deleted can be restored; a directory that only begins alike stays."""
    create(files, a__b="1", a__c__d="2", ab="3")
    assert call(files, "delete", path="/memories/a") == "Successfully deleted /memories/a"
    assert [memory.key for memory in ghost.list(NS)] == ["ab"]
    ghost.restore(NS, "a/b")
    assert call(files, "view", path="/memories/a/b").endswith("     1\t1")
    assert (
        call(files, "delete", path="/memories")
        == "Error: Cannot delete the /memories directory itself"
    )


def test_rename_moves_a_file_or_a_directory(files: MemoryFiles) -> None:
    """Everything below it, and never over something else."""
    create(files, a__b="1", a__c__d="2", x="3")
    assert call(files, "rename", old_path="/memories/a", new_path="/memories/new/a") == (
        "Successfully renamed /memories/a to /memories/new/a"
    )
    assert call(files, "view", path="/memories/new/a/c/d").endswith("     1\t2")
    assert call(files, "view", path="/memories/a").startswith("The path /memories/a does not exist")
    assert call(files, "rename", old_path="/memories/x", new_path="/memories/new") == (
        "Error: The destination /memories/new already exists"
    )
    assert "the target is inside it" in call(
        files, "rename", old_path="/memories/new", new_path="/memories/new/b"
    )
    assert call(files, "rename", old_path="/memories", new_path="/memories/b") == (
        "Error: Cannot rename the /memories directory itself"
    )


def test_versions_are_kept(files: MemoryFiles, ghost: Ghost) -> None:
    """Every change can be looked at, also across a delete."""
    create(files, a="one")
    call(files, "str_replace", path="/memories/a", old_str="one", new_str="two")
    call(files, "delete", path="/memories/a")
    create(files, a="three")
    assert [memory.content for memory in ghost.history(NS, "a")] == ["one", "two", "three"]


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n"])
def test_an_empty_file_is_kept_as_it_is(files: MemoryFiles, text: str) -> None:
    """A memory must say something, a file need not."""
    create(files, a=text)
    rows = [row[7:] for row in call(files, "view", path="/memories/a").split("\n")[1:]]
    assert "\n".join(rows) == text
    call(files, "insert", path="/memories/a", insert_line=0, insert_text="first")
    assert call(files, "view", path="/memories/a").split("\n")[1] == "     1\tfirst"
    call(files, "str_replace", path="/memories/a", old_str="first")
    assert "empty file" not in call(files, "view", path="/memories/a")


def test_text_comes_back_to_the_byte(files: MemoryFiles) -> None:
    """Line ends and spaces are the model's."""
    text = "  a\r\nb\t\n\n日本語 \u2028 c  "
    create(files, a=text)
    assert (
        "\n".join(row[7:] for row in call(files, "view", path="/memories/a").split("\n")[1:])
        == text
    )


def test_secrets_are_replaced_and_the_model_is_told(files: MemoryFiles, ghost: Ghost) -> None:
    """What is stored is searched and shown to others."""
    said = call(files, "create", path="/memories/a", file_text="db password: hunter2-XyZ9-long")
    assert said.startswith("File created successfully at: /memories/a\nline 1: ")
    assert "hunter2" not in call(files, "view", path="/memories/a")
    kept = MemoryFiles(ghost, NS, allow_secrets=True)
    call(kept, "create", path="/memories/b", file_text="db password: hunter2-XyZ9-long")
    assert "hunter2" in call(kept, "view", path="/memories/b")


def test_files_are_memories_like_others(files: MemoryFiles, ghost: Ghost) -> None:
    """What is in a file is found by a search, and a memory stored otherwise is a file."""
    create(files, prefs__tea_md="The user drinks green tea in the morning.")
    assert [hit.key for hit in ghost.search("green tea", NS)] == ["prefs/tea.md"]
    ghost.put(NS, "user-timezone", "Europe/Oslo")
    assert "/memories/user-timezone" in call(files, "view", path="/memories")
    assert call(files, "view", path="/memories/user-timezone").endswith("     1\tEurope/Oslo")


def test_other_namespaces_cannot_be_seen(files: MemoryFiles, ghost: Ghost) -> None:
    """Another namespace is not visible."""
    ghost.put("agent:other", "a", "secret")
    assert call(files, "view", path="/memories").splitlines()[1:] == ["0B\t/memories"]
    assert "does not exist" in call(files, "view", path="/memories/a")


ESCAPES = [
    "/etc/passwd", "memories/a", "", "/", "/memories_evil", "/memoriesx/a", "/Memories/a", "/memories/../etc/passwd", "/memories/..",
    "/memories/a/../../b", "/memories/./a", "/memories/a/.", "/memories/a//b", "/memories/%2e%2e/a", "/memories/%2E%2E%2Fa",
    "/memories/%252e%252e/a", "/memories/a%2fb", "/memories/a%5c..", "/memories/%c0%ae%c0%ae/a", "/memories/..\\a", "/memories/a\\b",
    "\\memories\\a", "C:\\memories\\a", "/memories/a\x00b", "/memories/a%00", "/memories/a\nb", "/memories/\x1b[2J", "/memories/a\u2028b",
    "/memories/．．/a", "/memories/‥/a", "/memories/a／../b", "/memories/ /a", "/memories/.../a", "/memories/\ud800", "file:///memories/a",
    "//memories/a", "~/memories/a", "/memories/" + "a" * 513,
]  # fmt: skip


@pytest.mark.parametrize("path", ESCAPES, ids=ascii)
def test_a_path_never_leads_outside(files: MemoryFiles, ghost: Ghost, path: str) -> None:
    """Every command refuses it, with words that a terminal survives, and stores nothing."""
    create(files, a="text")
    for given in (
        {"command": "view", "path": path},
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "str_replace", "path": path, "old_str": "text", "new_str": "x"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/b"},
        {"command": "rename", "old_path": "/memories/a", "new_path": path},
    ):
        said = files.call(given)
        assert said.startswith("Error: Path "), given
        assert said.isprintable()
    assert [(memory.key, memory.version) for memory in ghost.list()] == [("a", 1)]


@pytest.mark.parametrize(
    "key", ["a", "a/b.md", ".hidden", "a b", "日本/語.md", "a..b", "100%", "a%20b"]
)
def test_an_ordinary_path_is_taken(key: str) -> None:
    """Names are free otherwise."""
    assert key_of(f"/memories/{key}") == key


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Unknown command: 'None'"),
        ({"command": "exec", "path": "/memories"}, "Unknown command: 'exec'"),
        ({"command": "_put", "path": "/memories"}, "Unknown command: '_put'"),
        ({"command": "view"}, "Missing parameter `path` for command `view`"),
        ({"command": "create", "path": "/memories/a"}, "Missing parameter `file_text`"),
        (
            {"command": "create", "path": "/memories/a", "file_text": 3},
            "Invalid `file_text` parameter: '3'",
        ),
        ({"command": "view", "path": ["/memories"]}, "Invalid `path` parameter"),
        (
            {"command": "view", "path": "/memories/a", "view_range": [1]},
            "Invalid `view_range` parameter",
        ),
        (
            {"command": "insert", "path": "/memories/a", "insert_line": "1", "insert_text": "x"},
            "Invalid `insert_line` parameter",
        ),
        (
            {"command": "create", "path": "/memories/a", "file_text": "a\x00b"},
            "content contains a NUL byte",
        ),
    ],
)
def test_a_broken_command_is_told_what_is_wrong(
    files: MemoryFiles, given: dict[str, Any], said: str
) -> None:
    """A model can send anything."""
    assert files.call(given).startswith(f"Error: {said}")


def test_run_raises_what_call_says(files: MemoryFiles) -> None:
    """Programs that mark errors themselves want them without the prefix."""
    with pytest.raises(MemoryFileError, match=r"^The path /memories/x does not exist$"):
        files.run({"command": "delete", "path": "/memories/x"})


def test_a_change_in_between_is_not_overwritten(ghost: Ghost) -> None:
    """Two agents edit one file: the second is told to look again."""

    class Meddled(MemoryFiles):
        def _existing(self, path: str) -> Any:
            memory = super()._existing(path)
            self.ghost.put(NS, "a", "somebody else's")
            return memory

    create(MemoryFiles(ghost, NS), a="mine")
    said = call(
        Meddled(ghost, NS), "str_replace", path="/memories/a", old_str="mine", new_str="new"
    )
    assert (
        said
        == "Error: The file /memories/a was changed by another program meanwhile; view it and try again"
    )
    assert ghost.get(NS, "a").content == "somebody else's"


def test_a_locked_file_is_left_alone(files: MemoryFiles, ghost: Ghost) -> None:
    """A lock is the user's word."""
    ghost.put(NS, "a", "text", tags=["locked"])
    assert call(files, "str_replace", path="/memories/a", old_str="text", new_str="x").startswith(
        "Error: agent:files/a is locked"
    )
    assert call(files, "delete", path="/memories/a").startswith("Error: agent:files/a is locked")


def test_a_folder_with_a_locked_file_is_left_alone(files: MemoryFiles, ghost: Ghost) -> None:
    """Neither a rename nor a delete changes a part of it."""
    create(files, d__a="1", d__c="3")
    ghost.put(NS, "d/b", "2", tags=["locked"])
    for command in (
        {"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"},
        {"command": "rename", "old_path": "/memories/d/b", "new_path": "/memories/e"},
        {"command": "delete", "path": "/memories/d"},
    ):
        assert files.call(command).startswith("Error: agent:files/d/b is locked")
    with pytest.raises(MemoryFileError, match="locked"):
        files.clear()
    assert sorted(memory.key for memory in ghost.list(NS)) == ["d/a", "d/b", "d/c"]


def test_a_change_keeps_the_fields_of_a_memory(files: MemoryFiles, ghost: Ghost) -> None:
    """A memory that was stored in another way keeps its meta when it is edited or renamed."""
    ghost.put(NS, "a", "one", meta={"mine": 1}, pinned=True, priority="high")
    call(files, "str_replace", path="/memories/a", old_str="one", new_str="two")
    assert ghost.get(NS, "a").meta["mine"] == 1
    call(files, "rename", old_path="/memories/a", new_path="/memories/b")
    moved = ghost.get(NS, "b")
    assert (moved.meta["mine"], moved.pinned, moved.priority) == (1, True, "high")


def test_clear_removes_all_files(files: MemoryFiles, ghost: Ghost) -> None:
    """Softly, and only in its namespace."""
    create(files, a="1", b__c="2")
    ghost.put("other", "a", "stays")
    assert files.clear() == "All memory cleared"
    assert [memory.ns for memory in ghost.list()] == ["other"]


def test_too_large_a_file_is_refused(tmp_path: Any) -> None:
    """The store's limit holds."""
    with Ghost.open(
        ":memory:", settings=Settings(embed_provider="none", max_content_bytes=100)
    ) as small:
        said = call(MemoryFiles(small, NS), "create", path="/memories/a", file_text="x" * 101)
    assert said.startswith("Error: content has 101 bytes, more than the limit of 100")
