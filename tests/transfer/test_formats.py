"""Other tools' formats, one by one, as their files and their documentation have them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ghostmem import InvalidInputError, NotFoundError
from ghostmem.model import Kind, Rel
from ghostmem.text.frontmatter import parse_note, words
from ghostmem.transfer import TOOLS
from ghostmem.transfer.formats.base import Foreign, key_of, numbered
from ghostmem.transfer.formats.choose import DATABASE, READERS, read, recognise

DATA = Path(__file__).parent.parent / "data" / "foreign"


def lines(path: Path, *rows: Any) -> Path:
    """Write values as lines of JSON."""
    path.write_text(
        "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8"
    )
    return path


def notes(folder: Path, **texts: str) -> Path:
    """Write notes by name."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def edges(found: Foreign) -> set[tuple[str, str, str]]:
    """Return the edges without their weights."""
    return {(edge.from_key, edge.rel.value, edge.to_key) for edge in found.edges}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mem0/export.json", "mem0"),
        ("server-memory/memory.jsonl", "server-memory"),
        ("basic-memory", "basic-memory"),
        ("README.md", "markdown"),
        ("../original/head.db", DATABASE),
    ],
)
def test_real_files_are_recognised(name: str, kind: str) -> None:
    """What each tool wrote is told by its form, not by its name."""
    assert recognise(DATA / name) == kind


def test_what_is_recognised_by_its_beginning(tmp_path: Path) -> None:
    """JSON of either shape, a folder without permalinks, and what is none of them."""
    assert recognise(lines(tmp_path / "a", {"memory": "x"}, {"memory": "y"})) == "mem0"
    assert (
        recognise(
            lines(tmp_path / "b", {"type": "relation", "from": "a", "to": "b", "relationType": "c"})
        )
        == "server-memory"
    )
    assert recognise(notes(tmp_path / "c", one="---\ntitle: x\n---\n## One\ntext")) == "markdown"
    (tmp_path / "d").write_text("[tool]\nname = 'memory'\n")
    with pytest.raises(InvalidInputError, match="cannot tell what .*d is"):
        recognise(tmp_path / "d")
    with pytest.raises(InvalidInputError, match="is an export of Ghost"):
        recognise(lines(tmp_path / "e", {"type": "ghost", "format": 1}))
    with pytest.raises(NotFoundError, match="no file or folder"):
        recognise(tmp_path / "f")
    with pytest.raises(InvalidInputError, match="unknown source 'x'"):
        read("x", tmp_path)


def test_mem0s_own_export() -> None:
    """Texts, owners and times are kept; the id and all else stays in meta; one text of two owners makes two keys."""
    found = read("mem0", DATA / "mem0" / "export.json")
    rows = json.loads((DATA / "mem0" / "export.json").read_text("utf-8"))["results"]
    assert [memory.content for memory in found.memories] == [row["memory"] for row in rows]
    assert [memory.id for memory in found.memories] == [row["id"] for row in rows]
    assert [memory.created_at for memory in found.memories] == [
        datetime.fromisoformat(row["created_at"]) for row in rows
    ]
    first, last = found.memories[0], found.memories[-1]
    assert (first.key, last.key) == (
        "prefers-dark-roast-coffee-no-sugar",
        "prefers-dark-roast-coffee-no-sugar-2",
    )
    assert (first.source_user, last.source_user) == ("alice", "bob")
    assert first.meta["mem0"]["metadata"] == {"category": "food", "confidence": 0.9}
    assert [memory.source_user for memory in found.memories if "deploy" in memory.content] == [
        "ops-bot"
    ]
    assert found.notes == ("the memories of 3 owners share one namespace: alice, bob, ops-bot",)


@pytest.mark.parametrize(
    "wrap", [lambda rows: rows, lambda rows: {"results": rows}, lambda rows: {"memories": rows}]
)
def test_mem0_wraps_its_list_in_several_ways(tmp_path: Path, wrap: Any) -> None:
    """A list, and a list under the names that mem0's calls give it; the platform's fields by its documentation."""
    row = {
        "id": "1",
        "memory": "Runs the nightly backup.",
        "categories": ["ops", " on  call "],
        "metadata": {"memory_type": "procedural_memory"},
        "created_at": "2024-07-20T01:30:36.275141-07:00",
        "expiration_date": "2099-01-01",
        "score": 0.3,
        "unheard_of": {"x": 1},
    }
    (tmp_path / "e.json").write_text(json.dumps(wrap([row, {"memory": "  "}])))
    found = read("mem0", tmp_path / "e.json")
    (memory,) = found.memories
    assert (memory.kind, memory.tags) == (Kind.PROCEDURAL, ("ops", "on call"))
    assert memory.created_at == datetime(2024, 7, 20, 8, 30, 36, 275141, tzinfo=UTC)
    assert memory.expires_at == datetime(2099, 1, 1, tzinfo=UTC)
    assert memory.meta["mem0"]["unheard_of"] == {"x": 1}
    assert "score" not in memory.meta["mem0"]
    assert found.notes == ("e.json, item 2: left out a memory without text",)


def test_mem0_as_lines_and_a_single_object(tmp_path: Path) -> None:
    """Lines of JSON, other names for the text, no ids at all, and graph relations, which link no memories."""
    found = read(
        "mem0",
        lines(tmp_path / "a", {"data": "one \u2028 two"}, {"content": "three"}, {"text": "four"}),
    )
    assert [memory.content for memory in found.memories] == ["one \u2028 two", "three", "four"]
    assert [memory.meta["mem0"] for memory in found.memories][1] == {"id": "three"}
    (tmp_path / "b").write_text(
        json.dumps({"results": [{"memory": "x"}], "relations": [{"source": "a"}]})
    )
    assert read("mem0", tmp_path / "b").notes == (
        "left out 1 graph relations: they link names, not memories",
    )
    (tmp_path / "c").write_text(json.dumps({"memory": "alone"}, indent=2))
    assert [memory.content for memory in read("mem0", tmp_path / "c").memories] == ["alone"]


def test_server_memorys_own_graph() -> None:
    """An entity is a memory with a line for each observation; a relation an edge, in our word where we have one."""
    found = read("server-memory", DATA / "server-memory" / "memory.jsonl")
    by_key = {memory.key: memory for memory in found.memories}
    assert list(by_key) == [
        "ada-lindqvist",
        "billing-service",
        "postgresql",
        "billing-service-2",
        "小明",
        "nimbus-corp",
    ]
    ada = by_key["ada-lindqvist"]
    assert ada.content.split("\n")[-1] == "Moved to Gothenburg in 2025"
    assert (ada.tags, ada.id) == (("person",), "Ada Lindqvist")
    assert by_key["nimbus-corp"].content == "Nimbus Corp"
    assert edges(found) == {
        ("ada-lindqvist", "relates_to", "billing-service"),
        ("ada-lindqvist", "relates_to", "nimbus-corp"),
        ("billing-service", "depends_on", "postgresql"),
        ("billing-service", "relates_to", "billing-service-2"),
        ("nimbus-corp", "relates_to", "billing-service"),
        ("小明", "relates_to", "ada-lindqvist"),
    }
    assert ada.meta["relations"] == {"maintains": ["billing-service"], "works at": ["Nimbus Corp"]}
    assert found.notes == (
        "left out the relation PostgreSQL runs on Kubernetes: there is no such entity",
        "left out the relation billing-service calls billing-service: it leads to itself",
    )


@pytest.mark.parametrize(
    ("word", "edge"),
    [
        ("depends on", ("a", Rel.DEPENDS_ON, "b")),
        ("Depends-On", ("a", Rel.DEPENDS_ON, "b")),
        ("required_by", ("b", Rel.DEPENDS_ON, "a")),
        ("causes", ("b", Rel.CAUSED_BY, "a")),
        ("contradicts", ("a", Rel.CONTRADICTS, "b")),
        ("extends", ("a", Rel.REFINES, "b")),
        ("prevents", ("a", Rel.PREVENTS, "b")),
        ("implies", ("a", Rel.IMPLIES, "b")),
        ("contains", ("a", Rel.RELATES_TO, "b")),
        ("merged_into", ("a", Rel.RELATES_TO, "b")),
        ("喜欢", ("a", Rel.RELATES_TO, "b")),
    ],
)
def test_words_for_relations(tmp_path: Path, word: str, edge: tuple[str, Rel, str]) -> None:
    """Known words become ours, turned round where they are said from the other end; a whole stands for no part here."""
    rows = [
        {"type": "entity", "name": name, "entityType": "t", "observations": [name]} for name in "ab"
    ]
    path = lines(
        tmp_path / "g", *rows, {"type": "relation", "from": "a", "to": "b", "relationType": word}
    )
    found = read("server-memory", path)
    assert edges(found) == {(edge[0], edge[1].value, edge[2])}
    assert found.memories[0].meta["relations"] == {word: ["b"]}


def test_basic_memorys_own_notes() -> None:
    """A note is a memory under its permalink; relations and links are edges; what is missing or fenced is not."""
    found = read("basic-memory", DATA / "basic-memory")
    by_key = {memory.key.removeprefix("notes/"): memory for memory in found.memories}
    coffee = by_key["guides/coffee-brewing-methods"]
    assert coffee.content.startswith("# Coffee Brewing Methods\n")
    assert coffee.tags == ("coffee", "brewing", "pourover", "temperature")
    assert coffee.meta["basic-memory"]["type"] == "guide"
    assert by_key["moten/moten-beslut-2025"].meta["basic-memory"]["title"] == "Möten & Beslut: 2025"
    assert {
        (a.removeprefix("notes/"), rel, b.removeprefix("notes/")) for a, rel, b in edges(found)
    } == {
        ("guides/coffee-brewing-methods", "contradicts", "opinions/espresso-is-best"),
        ("guides/coffee-brewing-methods", "depends_on", "guides/water-chemistry"),
        ("guides/coffee-brewing-methods", "relates_to", "guides/water-chemistry"),
        ("guides/water-chemistry", "relates_to", "guides/coffee-brewing-methods"),
        ("moten/moten-beslut-2025", "caused_by", "guides/water-chemistry"),
    }
    assert coffee.meta["relations"]["learned from"] == ["Ada Lindqvist"]
    assert found.notes == (
        "guides/Coffee Brewing Methods.md: the note [[Office Kitchen]] does not exist (yet)",
        "guides/Coffee Brewing Methods.md: the note [[Ada Lindqvist]] does not exist (yet)",
    )


def test_links_by_every_name_a_note_has(tmp_path: Path) -> None:
    """Title, permalink, path and file name lead to a note, in any case, with or without shown words and a heading."""
    folder = notes(
        tmp_path / "n",
        target="---\ntitle: The Target\npermalink: p/target-note\ncreated: 2024-05-06\n---\ntext",
        source="- needs [[the target]]\n* requires [[p/target-note|shown]]\n- [[target#part]] and [[target-note]]\n",
    )
    found = read("basic-memory", folder)
    assert edges(found) == {
        ("source", "depends_on", "p/target-note"),
        ("source", "relates_to", "p/target-note"),
    }
    assert {memory.key: memory.created_at for memory in found.memories} == {
        "source": None,
        "p/target-note": datetime(2024, 5, 6, tzinfo=UTC),
    }
    assert found.notes == ()


def test_front_matter_in_the_ways_people_write_it() -> None:
    """Words, quotes, both sorts of lists, comments, and lines that are none of these, which are named."""
    note = parse_note(
        "---\ntitle: 'It''s: a title'\ntags: [a, \"b c\"]\nmore:\n  - x\n  - y\n# comment\n!!odd\nempty:\n---\nbody\n---\n"
    )
    assert note.fields == {
        "title": "It's: a title",
        "tags": ["a", "b c"],
        "more": ["x", "y"],
        "empty": "",
    }
    assert (note.body, note.odd) == ("body\n---\n", (8,))
    assert words("a, b ,,c") == ["a", "b", "c"]
    assert parse_note("---\nnever: closed\n").body == "---\nnever: closed\n"


def test_markdown_is_cut_as_ingest_cuts_it(tmp_path: Path) -> None:
    """Sections of the second level, dates before the keys of daily files, and the file's name where two share a heading."""
    folder = notes(
        tmp_path / "n",
        a="intro\n\n## One\nfirst",
        b="## One\nsecond\n## Empty\n",
        **{"2026-01-02": "## One\nthird"},
    )
    found = read("markdown", folder)
    assert {memory.key: memory.content for memory in found.memories} == {
        "2026-01-02:one": "third",
        "_preamble": "intro",
        "one": "first",
        "b:one": "second",
    }
    assert [memory.id for memory in found.memories][0] == "2026-01-02.md#2026-01-02:one"


def test_keys_are_short_and_unique() -> None:
    """A long text is cut between words; a name met before is numbered past names that already end so."""
    assert key_of("The  Answer: 42!") == "the-answer-42"
    assert len(key_of("word " * 100)) <= 120
    assert not key_of("word " * 100).endswith("-")
    assert len(key_of("x" * 10_000)) == 120
    assert numbered(["a", "a", "a-2", "a", "b"]) == ["a", "a-3", "a-2", "a-4", "b"]


def test_the_declared_tools_have_readers() -> None:
    """The command line offers the tools by name and loads no reader."""
    assert tuple(READERS) == TOOLS
