"""memory_search and memory_save as tools of a model: tables of cases against a real store and a stand-in embedding function"""

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import ghostmem.mcp.tools
from conftest import Clock
from ghostmem import Ghost
from ghostmem.errors import (
    GhostError,
    InvalidInputError,
    InvalidTargetError,
    MemorySaveArgsError,
    MemorySaveFailError,
    MemorySearchArgsError,
    MemorySearchFailError,
)
from ghostmem.mcp.tools import chosen_tools
from ghostmem.notes.memory_tools import MemorySave, MemorySearch
from ghostmem.settings import Settings

# the specification's own words
DESCRIPTION = "search your persistent memory for relevant information from past conversations and saved knowledge"
NOTHING = "No memory results found."
TODAY = "2026-03-14"

CONCEPTS = [
    {"car", "automobile", "vehicle"},
    {"tea", "darjeeling", "brew"},
    {"router", "wifi", "network"},
    {"dentist", "teeth"},
    {"backup", "osprey"},
]


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Stand in for a model: an axis for each concept, and one for all else."""
    rows = []
    for text in texts:
        words = set(re.findall(r"\w+", text.lower()))
        row = [float(len(words & concept)) for concept in CONCEPTS]
        rows.append([*row, 0.01 if any(row) else 1.0])
    return rows


def failing(texts: Sequence[str]) -> list[list[float]]:
    """Stand in for a model that is down."""
    raise ConnectionError("no model today")


FILES = {
    "MEMORY.md": "# Memory\n\nThe car is a green Volvo.\n\n## Servers\n\nThe backup server is called osprey.\n",
    "daily/2026-02-07.md": "# 2026-02-07\n\nMoved the router to the attic.\n",
    "daily/2026-02-08.md": "Drank darjeeling and went to the dentist.\n",
}


@pytest.fixture(autouse=True)
def in_london(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let today be the day that the clock of the tests says."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder of daily notes."""
    folder = tmp_path / "memory"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Ghost]]:
    """Return a function that opens a store in a file beside the notes."""
    stores: list[Ghost] = []

    def open_(target: str | None = None, embedder: Any = embed, **given: Any) -> Ghost:
        where = target or str(tmp_path / "store" / "memory.db")
        stores.append(
            Ghost.open(
                where,
                settings=Settings(**{"embed_provider": "none", **given}),
                clock=clock,
                embedder=embedder,
            )
        )
        return stores[-1]

    yield open_
    for store in stores:
        store.close()


@pytest.fixture
def ghost(opened: Callable[..., Ghost], root: Path) -> Ghost:
    """Open a store that searches the folder of daily notes."""
    found = opened()
    found.notes.add(root)
    return found


def said(**given: Any) -> str:
    """Return arguments as a model sends them."""
    return json.dumps(given)


# ---------------------------------------------------------------- definition


@pytest.mark.requirement("000-001", "000-003", "000-004", "000-005", "000-006")
def test_the_definition_is_the_specifications(ghost: Ghost) -> None:
    """Name, description and parameters, in the shape of a function of a chat API."""
    shown = MemorySearch(ghost).definition()
    assert set(shown) == {"type", "function"}
    assert shown["type"] == "function"
    function = shown["function"]
    assert set(function) == {"name", "description", "parameters"}
    assert (function["name"], function["description"]) == ("memory_search", DESCRIPTION)
    parameters = function["parameters"]
    assert (parameters["type"], parameters["required"]) == ("object", ["query"])
    assert set(parameters["properties"]) == {"query", "max_results"}
    assert parameters["properties"]["query"] == {
        "type": "string",
        "description": "the search query",
    }
    count = parameters["properties"]["max_results"]
    assert (count["type"], count["default"], count["description"]) == (
        "integer",
        5,
        "maximum results to return (default 5)",
    )
    assert json.loads(json.dumps(shown)) == shown


def test_the_definition_of_memory_save(ghost: Ghost) -> None:
    """Content is required; the target is one of two and daily unless told."""
    function = MemorySave(ghost).definition()["function"]
    assert function["name"] == "memory_save"
    assert function["parameters"]["required"] == ["content"]
    target = function["parameters"]["properties"]["target"]
    assert (target["enum"], target["default"]) == (["daily", "long_term"], "daily")


def test_a_definition_is_the_callers_own(ghost: Ghost) -> None:
    """Changing it changes nothing for the next one."""
    for tool in (MemorySearch(ghost), MemorySave(ghost)):
        shown = tool.definition()
        shown["function"]["parameters"]["properties"].clear()
        shown["function"]["parameters"]["required"].append("x")
        assert tool.definition() != shown
        assert type(tool)(ghost).definition() == tool.definition()


@pytest.mark.requirement("000-002", "000-015")
def test_building_a_tool_registers_and_opens_nothing(
    opened: Callable[..., Ghost], tmp_path: Path
) -> None:
    """It holds the store it was given; over MCP both tools are there only with the toolset notes."""
    before = dict(ghostmem.mcp.tools.TOOLSETS)
    store = opened()
    tool, save = MemorySearch(store), MemorySave(store)
    assert tool.store is store
    assert save.store is store
    assert dict(ghostmem.mcp.tools.TOOLSETS) == before
    assert store.notes.folders() == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "store"]
    names = {name: set(chosen_tools([name], tmp_path)) for name in before}
    assert [name for name, tools in names.items() if "memory_search" in tools] == ["notes"]
    assert [name for name, tools in names.items() if "memory_save" in tools] == ["notes"]
    assert (
        "default 5"
        in chosen_tools(["notes"], tmp_path)["memory_search"].parameters["max_results"][
            "description"
        ]
    )


# ---------------------------------------------------------------- memory_search

FOUND: dict[str, tuple[str, str]] = {
    "a word": (said(query="osprey"), "Memory Result 1: [source: MEMORY.md]\n## Servers\n\nThe backup server is called osprey."),
    "part of a word": (said(query="darjee"), f"Memory Result 1: [source: daily/2026-02-08.md]\n{FILES['daily/2026-02-08.md'].strip()}"),
    "what it means": (said(query="automobile"), "Memory Result 1: [source: MEMORY.md]\n# Memory\n\nThe car is a green Volvo."),
    "a day's note": (said(query="router"), "Memory Result 1: [source: daily/2026-02-07.md]\n# 2026-02-07\n\nMoved the router to the attic."),
    "nothing": (said(query="quantum chromodynamics"), NOTHING),
    "a query that is syntax elsewhere": (said(query='" OR 1=1; -- *'), NOTHING),
    "more than there is": (said(query="osprey", max_results=500), "Memory Result 1: [source: MEMORY.md]\n## Servers\n\nThe backup server is called osprey."),
    "null for the default": (said(query="osprey", max_results=None), "Memory Result 1: [source: MEMORY.md]\n## Servers\n\nThe backup server is called osprey."),
    "more arguments than are known": (said(query="osprey", why="?"), "Memory Result 1: [source: MEMORY.md]\n## Servers\n\nThe backup server is called osprey."),
}  # fmt: skip


@pytest.mark.requirement("000-001", "000-003", "000-007", "000-010", "000-014")
@pytest.mark.parametrize("case", FOUND)
def test_search_answers(case: str, ghost: Ghost) -> None:
    """By words, by parts of words and by meaning; the text is to the byte what is expected."""
    args, text = FOUND[case]
    assert MemorySearch(ghost).execute(args) == text


@pytest.mark.requirement("000-009", "000-011")
def test_several_results_to_the_byte(opened: Callable[..., Ghost], root: Path) -> None:
    """Numbered from 1, best first, one blank line between, no score, nothing before and nothing after."""
    store = opened()
    store.notes.add(root)
    (root / "daily" / "2026-02-07.md").write_text(
        "The wifi router, the router of the network.\n", encoding="utf-8"
    )
    (root / "MEMORY.md").write_text("# Memory\n\nOne router is in the attic.\n", encoding="utf-8")
    assert MemorySearch(store).execute(said(query="wifi router network")) == (
        "Memory Result 1: [source: daily/2026-02-07.md]\n"
        "The wifi router, the router of the network.\n"
        "\n"
        "Memory Result 2: [source: MEMORY.md]\n"
        "# Memory\n\nOne router is in the attic."
    )


@pytest.mark.requirement("000-007", "000-008")
def test_five_results_unless_told_otherwise(opened: Callable[..., Ghost], root: Path) -> None:
    """max_results is handed to the search as it is."""
    for number in range(1, 9):
        (root / "daily" / f"2026-01-0{number}.md").write_text(
            f"Vehicle number {number}.\n", encoding="utf-8"
        )
    store = opened()
    store.notes.add(root)
    tool = MemorySearch(store)
    for given, count in ((None, 5), (1, 1), (2, 2), (8, 8), (100, 9)):
        args = {"query": "vehicle"} | ({} if given is None else {"max_results": given})
        answer = tool.execute(said(**args))
        assert [
            int(n)
            for n in re.findall(
                r"^Memory Result (\d+): \[source: [^\]\n]+\]$", answer, re.MULTILINE
            )
        ] == list(range(1, count + 1))
        hits = store.search("vehicle", limit=given or 5, pieces=True)
        assert answer == "\n\n".join(
            f"Memory Result {n}: [source: {hit.path}]\n{hit.match_chunk}"
            for n, hit in enumerate(hits, 1)
        )
        assert "score" not in answer.lower()


@pytest.mark.requirement("001-003")
def test_a_long_note_answers_with_its_pieces(opened: Callable[..., Ghost], root: Path) -> None:
    """What matters in a large MEMORY.md comes back, not the whole of it."""
    filler = "\n\n".join(
        f"Paragraph {number} tells of nothing in particular, at some length, as paragraphs do. " * 4
        for number in range(200)
    )
    (root / "MEMORY.md").write_text(
        f"# Memory\n\n{filler}\n\nThe spare key lies under the juniper.\n\n{filler}\n",
        encoding="utf-8",
    )
    store = opened()
    store.notes.add(root)
    answer = MemorySearch(store).execute(said(query="juniper", max_results=1))
    assert answer.startswith("Memory Result 1: [source: MEMORY.md]\n")
    assert "The spare key lies under the juniper." in answer
    assert len(answer) < 1500


@pytest.mark.requirement("000-009")
def test_two_pieces_of_one_section_are_two_results(
    opened: Callable[..., Ghost], root: Path
) -> None:
    """A result is a chunk, so one note may answer more than once."""
    filler = "The car stood still for a good while, and then it stood still again. " * 8
    text = f"The juniper was planted in March.\n\n{filler}\n\nThe juniper was cut down in May.\n"
    (root / "daily" / "2026-02-07.md").write_text(text, encoding="utf-8")
    store = opened()
    store.notes.add(root)
    answer = MemorySearch(store).execute(said(query="juniper"))
    assert answer.count("[source: daily/2026-02-07.md]") == 2
    assert "planted in March" in answer
    assert "cut down in May" in answer


@pytest.mark.requirement("001-002")
def test_a_note_of_any_age_is_found(opened: Callable[..., Ghost], root: Path) -> None:
    """There is no window of recent days."""
    (root / "daily" / "2019-11-30.md").write_text("Planted the walnut tree.\n", encoding="utf-8")
    store = opened()
    store.notes.add(root)
    assert (
        MemorySearch(store).execute(said(query="walnut"))
        == "Memory Result 1: [source: daily/2019-11-30.md]\nPlanted the walnut tree."
    )


def test_memories_are_found_beside_notes_and_a_namespace_narrows(ghost: Ghost) -> None:
    """A memory has no file: its source is its namespace and key."""
    ghost.put("agent:me", "car", "The automobile is parked in street nine.")
    answer = MemorySearch(ghost).execute(said(query="automobile"))
    assert "[source: agent:me/car]\nThe automobile is parked in street nine." in answer
    assert "[source: MEMORY.md]" in answer
    assert MemorySearch(ghost, "agent:me").execute(said(query="car volvo")).count("[source: ") == 1
    assert "[source: MEMORY.md]" not in MemorySearch(ghost, "agent:me").execute(
        said(query="car volvo")
    )


@pytest.mark.requirement("000-010")
def test_the_source_is_relative_to_the_folder(opened: Callable[..., Ghost], tmp_path: Path) -> None:
    """With forward slashes, and nothing of where the folder lies."""
    root = tmp_path / "work"
    (root / "memory" / "deep").mkdir(parents=True)
    (root / "USER.md").write_text("Called Sigrid.\n", encoding="utf-8")
    (root / "memory" / "deep" / "tea.md").write_text("Likes darjeeling.\n", encoding="utf-8")
    store = opened()
    store.notes.add(root)
    assert (
        MemorySearch(store).execute(said(query="darjeeling"))
        == "Memory Result 1: [source: memory/deep/tea.md]\nLikes darjeeling."
    )


BAD_SEARCHES = [
    "", "{", "not json", "[]", '"query"', "null", "7", "{}", said(max_results=5), said(query=None), said(query=7), said(query=["a"]),
    said(query=""), said(query=" \n"), said(query={"q": 1}), said(query=True), said(query="a", max_results="5"), said(query="a", max_results=0),
    said(query="a", max_results=-1), said(query="a", max_results=2.5), said(query="a", max_results=True), said(query="a", max_results=[5]),
    '{"query": "a"', "{'query': 'a'}", '{"query": "a",}', "[" * 100_000,
]  # fmt: skip


@pytest.mark.requirement("000-012", "000-014")
@pytest.mark.wide(keep=10)
@pytest.mark.parametrize("args", BAD_SEARCHES, ids=lambda args: args[:30] or "empty")
def test_arguments_that_cannot_be_read(args: str, ghost: Ghost) -> None:
    """Bad JSON, no query, wrong types: the error says that parsing failed, and what to send."""
    with pytest.raises(MemorySearchArgsError, match=r"^failed to parse arguments") as told:
        MemorySearch(ghost).execute(args)
    assert isinstance(told.value, GhostError)
    assert '"query"' in (told.value.hint or "")
    assert len(str(told.value)) < 500


@pytest.mark.requirement("000-012")
@pytest.mark.parametrize("args", [None, 5, {"query": "a"}])
def test_arguments_that_are_no_text(args: Any, ghost: Ghost) -> None:
    """Whoever passes an object instead of its JSON is told so too."""
    with pytest.raises(MemorySearchArgsError, match=r"^failed to parse arguments"):
        MemorySearch(ghost).execute(args)


@pytest.mark.requirement("000-013")
def test_a_failing_search_keeps_its_cause(ghost: Ghost) -> None:
    """The store's own error is the cause, and its words and its hint are kept."""
    tool = MemorySearch(ghost)
    ghost.close()
    with pytest.raises(MemorySearchFailError, match=r"^search operation failed: .*closed") as told:
        tool.execute(said(query="osprey"))
    assert isinstance(told.value.__cause__, GhostError)
    assert told.value.hint == told.value.__cause__.hint


@pytest.mark.parametrize(
    "args", [said(query="a\x00b"), '{"query": "\\ud800"}', said(query="a", max_results=10**30)]
)
def test_what_a_search_cannot_take_is_an_error_of_ours(args: str, ghost: Ghost) -> None:
    """Never one of Python's."""
    with pytest.raises((MemorySearchFailError, MemorySearchArgsError)):
        MemorySearch(ghost).execute(args)


def test_a_model_that_is_down_does_not_stop_the_search(
    opened: Callable[..., Ghost], root: Path
) -> None:
    """Words are found without it."""
    store = opened(embedder=failing)
    store.notes.add(root)
    assert "[source: MEMORY.md]" in MemorySearch(store).execute(said(query="osprey"))


@pytest.mark.requirement("001-019")
def test_what_was_written_a_moment_ago_is_found(ghost: Ghost, root: Path) -> None:
    """By its words and by its meaning, without a sync."""
    (root / "daily" / "2026-02-09.md").write_text("Bought a vehicle.\n", encoding="utf-8")
    for query in ("bought", "automobile"):
        assert "[source: daily/2026-02-09.md]\nBought a vehicle." in MemorySearch(ghost).execute(
            said(query=query)
        )
    (root / "daily" / "2026-02-09.md").write_text("Bought a kettle.\n", encoding="utf-8")
    assert "2026-02-09" not in MemorySearch(ghost).execute(said(query="vehicle"))


# ---------------------------------------------------------------- memory_save


def test_save_to_the_daily_log_and_to_long_term_memory(ghost: Ghost, root: Path) -> None:
    """Today's file is begun with its date, MEMORY.md is appended to; the answers say which."""
    tool = MemorySave(ghost)
    before = (root / "MEMORY.md").read_bytes()
    assert tool.execute(said(content="The kettle leaks.")) == f"Saved to daily log ({TODAY}.md)"
    assert (
        root / "daily" / f"{TODAY}.md"
    ).read_bytes() == f"# {TODAY}\n\nThe kettle leaks.\n".encode()
    assert (
        tool.execute(said(content="\nIt was mended.\n\n", target="daily"))
        == f"Saved to daily log ({TODAY}.md)"
    )
    assert (
        root / "daily" / f"{TODAY}.md"
    ).read_bytes() == f"# {TODAY}\n\nThe kettle leaks.\n\nIt was mended.\n".encode()
    assert (
        tool.execute(said(content="Uses gas.", target="long_term"))
        == "Saved to long-term memory (MEMORY.md)"
    )
    assert (root / "MEMORY.md").read_bytes() == before + b"\nUses gas.\n"
    assert tool.execute(said(content="x", target=None)) == f"Saved to daily log ({TODAY}.md)"


@pytest.mark.parametrize("target", ["daily", "long_term"])
@pytest.mark.parametrize("query", ["zeppelin", "automobile"])
def test_what_was_saved_is_found_by_the_next_search(target: str, query: str, ghost: Ghost) -> None:
    """By its words and by its meaning."""
    MemorySave(ghost).execute(said(content="Flew in a zeppelin over the car park.", target=target))
    answer = MemorySearch(ghost).execute(said(query=query))
    source = f"daily/{TODAY}.md" if target == "daily" else "MEMORY.md"
    assert f"[source: {source}]" in answer
    assert "zeppelin" in answer


def test_the_day_is_the_one_on_the_wall(
    ghost: Ghost, root: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After midnight there it is a new file."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    clock.forward(hours=6)
    assert MemorySave(ghost).execute(said(content="Late.")) == "Saved to daily log (2026-03-15.md)"
    clock.forward(days=1)
    assert MemorySave(ghost).execute(said(content="Later.")) == "Saved to daily log (2026-03-16.md)"
    assert sorted(path.name for path in (root / "daily").glob("2026-03-*.md")) == [
        "2026-03-15.md",
        "2026-03-16.md",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"# M\r\n\r\nOld.\r\n", b"# M\r\n\r\nOld.\r\n\r\nNew\r\nlines.\r\n"),
        (b"\xef\xbb\xbf# M\n", b"\xef\xbb\xbf# M\n\nNew\nlines.\n"),
        (b"no end", b"no end\n\nNew\nlines.\n"),
        (b"two\n\n", b"two\n\nNew\nlines.\n"),
        (b"caf\xe9\n", b"caf\xe9\n\nNew\nlines.\n"),
        (b"---\nx: y\n---\n", b"---\nx: y\n---\n\nNew\nlines.\n"),
        (b"", b"# Memory\n\nNew\nlines.\n"),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_what_stood_there_keeps_its_bytes(
    before: bytes, after: bytes, ends: str, ghost: Ghost, root: Path
) -> None:
    """Line ends, marks and what is no UTF-8 included; the new lines end as the file's do."""
    (root / "MEMORY.md").write_bytes(before)
    MemorySave(ghost).execute(said(content=f"New{ends}lines.", target="long_term"))
    assert (root / "MEMORY.md").read_bytes() == after


BAD_SAVES = ["", "{", "[]", "{}", said(target="daily"), said(content=None), said(content=7), said(content=""), said(content=" \n"), said(content="a", target=7), said(content="a", target=["daily"])]  # fmt: skip


@pytest.mark.parametrize("args", BAD_SAVES, ids=lambda args: args[:30] or "empty")
def test_arguments_of_a_save_that_cannot_be_read(args: str, ghost: Ghost, root: Path) -> None:
    """The error says so, and nothing is written."""
    with pytest.raises(MemorySaveArgsError, match=r"^failed to parse arguments") as told:
        MemorySave(ghost).execute(args)
    assert '"content"' in (told.value.hint or "")
    assert not (root / "daily" / f"{TODAY}.md").exists()


@pytest.mark.parametrize("target", ["weekly", "", "Daily", "MEMORY.md", "../x"])
def test_a_target_that_is_none(target: str, ghost: Ghost, root: Path) -> None:
    """It is daily or long_term; nothing is written."""
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    with pytest.raises(InvalidTargetError, match="invalid target") as told:
        MemorySave(ghost).execute(said(content="a", target=target))
    assert "daily or long_term" in (told.value.hint or "")
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


def test_a_failing_save_keeps_its_cause(ghost: Ghost, root: Path, tmp_path: Path) -> None:
    """A closed store, a folder that is a file, a link that leads out, a text that cannot be stored."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    out = tmp_path / "out"
    out.mkdir()
    os.symlink(tmp_path / "file", out / "MEMORY.md")
    cases = [
        (MemorySave(ghost, tmp_path / "file"), said(content="a")),
        (MemorySave(ghost, out), said(content="a", target="long_term")),
        (MemorySave(ghost), '{"content": "\\ud800"}'),
        (MemorySave(ghost), said(content="a\x00b")),
    ]
    for tool, args in cases:
        with pytest.raises(MemorySaveFailError, match=r"^save operation failed: ") as told:
            tool.execute(args)
        assert told.value.__cause__ is not None
    assert (tmp_path / "file").read_text(encoding="utf-8") == "x"
    ghost.close()
    with pytest.raises(MemorySaveFailError, match=r"^save operation failed: .*closed") as told:
        MemorySave(ghost).execute(said(content="a"))
    assert isinstance(told.value.__cause__, InvalidInputError)


# ---------------------------------------------------------------- where it saves


def saved_at(tmp_path: Path) -> list[str]:
    """Return the notes of today below a folder."""
    return sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob(f"{TODAY}.md"))


def test_a_folder_that_is_named_comes_first(
    opened: Callable[..., Ghost], root: Path, tmp_path: Path
) -> None:
    """By the tool, then by the setting, whatever was added; it is made when it is not there, and searched."""
    store = opened(notes_dir=str(tmp_path / "set"))
    store.notes.add(root)
    MemorySave(store).execute(said(content="Set zebra."))
    assert saved_at(tmp_path) == [f"set/daily/{TODAY}.md"]
    MemorySave(store, tmp_path / "given").execute(said(content="Given giraffe."))
    assert saved_at(tmp_path) == [f"given/daily/{TODAY}.md", f"set/daily/{TODAY}.md"]
    assert {folder.root for folder in store.notes.folders()} == {
        str(root),
        str(tmp_path / "set"),
        str(tmp_path / "given"),
    }
    assert all(
        "[source: daily/" in MemorySearch(store).execute(said(query=word))
        for word in ("zebra", "giraffe")
    )


def test_the_environment_names_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GHOST_NOTES_DIR, with ~ for the home."""
    monkeypatch.setenv("GHOST_NOTES_DIR", "~/brain")
    with Ghost.open(tmp_path / "x.db") as store:
        MemorySave(store).execute(said(content="Text.", target="long_term"))
    assert (tmp_path / "home" / "brain" / "MEMORY.md").read_text(
        encoding="utf-8"
    ) == "# Memory\n\nText.\n"


def test_the_only_folder_of_daily_notes_is_taken(ghost: Ghost, root: Path, tmp_path: Path) -> None:
    """Folders of other kinds do not count."""
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    ghost.notes.add(tmp_path / "vault")
    MemorySave(ghost).execute(said(content="Text."))
    assert saved_at(tmp_path) == [f"memory/daily/{TODAY}.md"]


def test_beside_the_store_when_there_is_none(opened: Callable[..., Ghost], tmp_path: Path) -> None:
    """The folder is called notes, and is added."""
    store = opened()
    assert MemorySave(store).execute(said(content="Quokka.")) == f"Saved to daily log ({TODAY}.md)"
    assert MemorySave(store).execute(said(content="Wombat.")) == f"Saved to daily log ({TODAY}.md)"
    assert saved_at(tmp_path) == [f"store/notes/daily/{TODAY}.md"]
    assert [(folder.root, folder.layout) for folder in store.notes.folders()] == [
        (str(tmp_path / "store" / "notes"), "daily")
    ]
    assert "Quokka.\n\nWombat." in MemorySearch(store).execute(said(query="quokka"))


def test_several_folders_are_an_error_that_names_them(ghost: Ghost, tmp_path: Path) -> None:
    """Nobody guesses; nothing is written."""
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "MEMORY.md").write_text("x", encoding="utf-8")
    ghost.notes.add(tmp_path / "second")
    with pytest.raises(MemorySaveFailError, match="2 folders of daily notes") as told:
        MemorySave(ghost).execute(said(content="Text."))
    assert str(tmp_path / "second") in str(told.value)
    assert "GHOST_NOTES_DIR" in (told.value.hint or "")
    assert saved_at(tmp_path) == []


def test_a_store_in_memory_has_no_folder_beside_it(
    opened: Callable[..., Ghost], tmp_path: Path
) -> None:
    """Unless one is named or added."""
    store = opened(":memory:")
    with pytest.raises(MemorySaveFailError, match="in memory") as told:
        MemorySave(store).execute(said(content="Text."))
    assert "GHOST_NOTES_DIR" in (told.value.hint or "")
    assert saved_at(tmp_path) == []
    MemorySave(store, tmp_path / "given").execute(said(content="Text."))
    MemorySave(store).execute(said(content="More."))
    assert saved_at(tmp_path) == [f"given/daily/{TODAY}.md"]


@pytest.mark.parametrize(
    ("files", "daily", "long_term"),
    [
        (["MEMORY.md"], "daily", "MEMORY.md"),
        (["memory/MEMORY.md", "memory/2026-02-07.md"], "memory", "memory/MEMORY.md"),
        (["MEMORY.md", "memory/2026-02-07.md"], "memory", "MEMORY.md"),
        (["daily/2026-02-07.md", "memory/2026-02-07.md"], "daily", "MEMORY.md"),
        (["MEMORY.md", "USER.md"], "memory", "MEMORY.md"),
        (["USER.md", "memory/MEMORY.md"], "memory", "memory/MEMORY.md"),
        (["MEMORY.md", "USER.md", "daily/x.md"], "memory", "MEMORY.md"),
        ([".obsidian/app.json", "a.md"], "daily", "MEMORY.md"),
    ],
)
def test_the_folder_keeps_its_habits_and_is_searched_once(
    files: list[str], daily: str, long_term: str, opened: Callable[..., Ghost], tmp_path: Path
) -> None:
    """Days go where its days are, and what is saved is found, once, however the folder was added."""
    root = tmp_path / "work"
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("Text.\n", encoding="utf-8")
    store = opened()
    store.notes.add(root)
    tool = MemorySave(store, root)
    tool.execute(said(content="A yak was seen."))
    tool.execute(said(content="An ibex was seen.", target="long_term"))
    assert saved_at(tmp_path) == [f"work/{daily}/{TODAY}.md"]
    for word, source in (("yak", f"{daily}/{TODAY}.md"), ("ibex", long_term)):
        answer = MemorySearch(store).execute(said(query=word))
        assert answer.startswith(f"Memory Result 1: [source: {source}]\n")
        assert answer.count(word) == 1
    assert len(store.notes.folders()) == 1
