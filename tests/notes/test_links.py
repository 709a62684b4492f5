"""Links between notes: what is one, where it leads, and the edge it makes for as long as both ends are there"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.model import EDGE_WEIGHTS, Rel
from ghostmem.notes.sync import sync_folder
from ghostmem.settings import Settings
from ghostmem.text.links import (
    inline_tags,
    link_name,
    link_target,
    observed_tags,
    prose_lines,
    relations,
    wikilinks,
)

NS = "notes:vault"


class Vault:
    """A folder of notes in a store, and what can be done to it."""

    def __init__(self, ghost: Ghost, root: Path, layout: str) -> None:
        self.ghost, self.root, self.layout = ghost, root, layout

    def write(self, **notes: str | None) -> None:
        """Write, or with None delete, notes by their names, and bring the store in step."""
        for name, text in notes.items():
            self.put(f"{name}.md", text)
        self.sync()

    def put(self, path: str, text: str | None) -> None:
        """Write or delete one file."""
        file = self.root / path
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def sync(self) -> None:
        """Bring the store in step; what is missing is gone."""
        if not self.ghost.notes.folders(NS):
            self.ghost.notes.add(self.root, NS, layout=self.layout)
        else:
            self.ghost.notes.sync(self.root, accept_deletes=True)

    def edges(self, ns: str = NS) -> set[tuple[str | None, str, str | None]]:
        """Return the edges of a namespace as (from, relation, to)."""
        found = self.ghost.edges(ns)
        assert all(edge.weight == EDGE_WEIGHTS[edge.rel] for edge in found)
        return {(edge.from_key, str(edge.rel), edge.to_key) for edge in found}

    def tags(self, key: str) -> tuple[str, ...]:
        """Return a section's tags."""
        return tuple(tag for tag in self.ghost.get(NS, key).tags if tag != "locked")


def link(start: str, end: str, rel: str = "relates_to") -> tuple[str, str, str]:
    """Return an edge as `Vault.edges` does."""
    return start, rel, end


@pytest.fixture
def vault(store: Ghost, tmp_path: Path) -> Vault:
    """Return an empty vault."""
    root = tmp_path / "vault"
    (root / ".obsidian").mkdir(parents=True)
    return Vault(store, root, "obsidian")


@pytest.fixture
def basic(store: Ghost, tmp_path: Path) -> Vault:
    """Return an empty folder of basic-memory."""
    root = tmp_path / "basic"
    root.mkdir()
    return Vault(store, root, "basic-memory")


def basic_note(title: str, body: str, permalink: str = "") -> str:
    """Return a note as basic-memory writes it."""
    return f"---\ntitle: {title}\ntype: note\npermalink: {permalink or title.lower()}\n---\n\n# {title}\n\n{body}\n"


# ---------------------------------------------------------------- what is a link


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[[Note]]", ["Note"]),
        ("see [[folder/Note]] and [[Other note]].", ["folder/Note", "Other note"]),
        ("[[Note|shown]] [[ Note | shown ]]", ["Note", "Note"]),
        ("[[Note#Heading]] [[Note#Heading|shown]]", ["Note#Heading", "Note#Heading"]),
        ("![[embed]] ![[image.png]]", ["embed", "image.png"]),
        ("| [[Note\\|shown]] | x |", ["Note"]),
        ("`[[code]]` [[Note]] ``[[x]]``", ["Note"]),
        ("```\n[[code]]\n```\n[[Note]]", ["Note"]),
        ("~~~\n[[code]]\n~~~", []),
        ("```\n[[unclosed]]", []),
        ("[Note](Note.md) [x] [[]] [[a\nb]] [ [x] ]", []),
        ("[[[Note]]]", ["Note"]),
        ("- [ ] task [[Note]]", ["Note"]),
        ("> [[Note]]\n# [[Heading]]", ["Note", "Heading"]),
    ],
)
def test_what_is_a_wikilink(text: str, targets: list[str]) -> None:
    """Two brackets outside code; what is shown for it does not matter."""
    assert [target for _, target in wikilinks(prose_lines(text))] == targets


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#a and #b-c #d_e", ["a", "b-c", "d_e"]),
        ("#a/b #a/b/c", ["a/b", "a/b/c"]),
        ("(#a) #a, #b. #c!", ["a", "a", "b", "c"]),
        ("#123 #1a #2026/02", ["1a", "2026/02"]),
        ("# heading\n## two\n#tag\n", ["tag"]),
        ("a#b http://x.y/#z c#", []),
        ("[Intro](#intro) [x](#y)", []),
        ("`#code` #real", ["real"]),
        ("```\n#code\n```\n#real", ["real"]),
        ("#日本 #größe", ["日本", "größe"]),
        ("##x ###y # z", []),
    ],
)
def test_what_is_a_tag(text: str, tags: list[str]) -> None:
    """A hash and a word with a letter, with nothing but space or a bracket before; an anchor of a link is none."""
    assert inline_tags(prose_lines(text)) == tags


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- depends_on [[B]]", [("depends_on", "B")]),
        ("* depends_on [[B]] (because)", [("depends_on", "B")]),
        ('- "caused by" [[B]]', [("caused by", "B")]),
        ("- 'caused by' [[B|shown]]", [("caused by", "B")]),
        ("- depends on [[B]]", [("links to", "B")]),
        ("- [[B]]", [("links to", "B")]),
        ("text with [[B]] and [[C#h]]", [("links to", "B"), ("links to", "C")]),
        ("- refines [[B]] and [[C]]", [("refines", "B"), ("links to", "C")]),
        ("  - refines [[B]]", [("refines", "B")]),
        ("```\n- refines [[B]]\n```", []),
        ("- uses `[[B]]` in code", []),
    ],
)
def test_what_is_a_relation(text: str, said: list[tuple[str, str]]) -> None:
    """A word, or quoted words, before a link in a list; any other link is a plain one."""
    assert list(relations(prose_lines(text))) == said


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("- [fact] text #a #b (context)", ["a", "b"]),
        ("- [fact] text\n- [x] done #no\n- [ ] open #no\n", []),
        ("- [fact] c# and http://x/#y", []),
        ("```\n- [fact] text #no\n```", []),
        ("- [fact] text #a#b", ["a", "b"]),
        ("- text without a category #a", ["a"]),
    ],
)
def test_the_tags_of_observations(text: str, tags: list[str]) -> None:
    """As basic-memory reads them."""
    assert observed_tags(prose_lines(text)) == tags


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Note", "note"),
        (" A  B ", "a b"),
        ("x.md", "x"),
        ("Straße", "strasse"),
        ("Cafe\u0301", "caf\u00e9"),
        ("a.b", "a.b"),
    ],
)
def test_names_are_compared_as_people_write_them(text: str, name: str) -> None:
    """Capitals, spaces, a suffix and how an accent is written do not count."""
    assert link_name(text) == name


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("A", "A"),
        ("A|b", "A"),
        ("A#b", "A"),
        ("A#b|c", "A"),
        ("#b", "#b"),
        ("A\\|b", "A"),
        (" A ", "A"),
    ],
)
def test_the_note_that_a_link_names(text: str, target: str) -> None:
    """Without heading and shown words."""
    assert link_target(text) == target


# ---------------------------------------------------------------- Obsidian


@pytest.mark.parametrize(
    "text",
    [
        "[[B]]",
        "[[b]]",
        "[[B.md]]",
        "[[B|the other]]",
        "![[B]]",
        "[[B#Nowhere]]",
        "[[B#^block]]",
        "[[Bee]]",
        "[[the bee]]",
        "[[B]] and [[B]]",
        "| [[B\\|b]] | c |",
        "text\n\n### Deep\n\n[[B]]",
    ],
)
def test_a_link_is_an_edge(text: str, vault: Vault) -> None:
    """However the note is named: by its file, in any case, by an alias, with a heading that it does not have."""
    vault.write(A=f"{text}\n", B="---\naliases: [Bee, The bee]\n---\nText.\n")
    assert vault.edges() == {link("A.md", "B.md")}


@pytest.mark.parametrize(
    "text", ["`[[B]]`", "```\n[[B]]\n```", "[[C]]", "[B](B.md)", "[[A]]", "[[#Here]]", "[[]]", "B"]
)
def test_what_is_no_link_is_no_edge(text: str, vault: Vault) -> None:
    """Code, notes that are not there, the note itself."""
    vault.write(A=f"{text}\n", B="Text.\n")
    assert vault.edges() == set()


def test_links_are_of_their_section_and_lead_to_the_one_they_name(vault: Vault) -> None:
    """A heading that a link names is where it leads; without one it is the note's first section."""
    vault.write(
        A="See [[B#Setup]].\n\n# Later\n\n[[B]] and [[b#setup|again]]\n\n# Still\n\n[[B#Set up!]]\n",
        B="Text.\n\n# Setup\n\nDo it.\n",
    )
    assert vault.edges() == {link("A.md", "B.md#setup"), *(link("A.md#later", end) for end in ("B.md", "B.md#setup")), link("A.md#still", "B.md")}  # fmt: skip


def test_a_path_names_one_of_two_notes_of_a_name(vault: Vault) -> None:
    """Folders tell them apart."""
    vault.put("x/Note.md", "First.\n")
    vault.put("y/Note.md", "Second.\n")
    vault.write(A="[[y/Note]]\n", B="[[x/note]]\n")
    assert vault.edges() == {link("A.md", "y/Note.md"), link("B.md", "x/Note.md")}


def test_the_file_of_a_name_comes_before_what_others_call_themselves(vault: Vault) -> None:
    """An alias or a title never takes a link from the note that has the name."""
    vault.put("Rome.md", "A city.\n")
    vault.put("Paris.md", "Another.\n")
    vault.put("city.md", "---\naliases: [Paris]\n---\nx\n")
    vault.put("about.md", "---\ntitle: Rome, Italy\n---\ny\n")
    vault.write(A="[[Paris]]\n", B="[[Rome]]\n", C="[[Rome, Italy]]\n", D="[[Italy]]\n")
    assert vault.edges() == {
        link("A.md", "Paris.md"),
        link("B.md", "Rome.md"),
        link("C.md", "about.md"),
    }


def test_an_accent_may_be_written_either_way(vault: Vault) -> None:
    """A file from a Mac is found by a link from elsewhere."""
    vault.put("Cafe\u0301.md", "Open late.\n")
    vault.write(A="[[Caf\u00e9]]\n")
    assert {start for start, _, _ in vault.edges()} == {"A.md"}


def test_a_link_to_nowhere_becomes_an_edge_when_the_note_appears(vault: Vault) -> None:
    """And stops being one when it goes, and is one again when it comes back."""
    vault.write(A="[[B]]\n")
    assert vault.edges() == set()
    for _ in range(2):
        vault.write(B="Here.\n")
        assert vault.edges() == {link("A.md", "B.md")}
        vault.write(B=None)
        assert vault.edges() == set()


def test_a_search_alone_brings_links_in_step(vault: Vault) -> None:
    """Nobody has to sync."""
    vault.write(A="[[B]]\n")
    vault.put("B.md", "Badgers dig.\n")
    assert [hit.key for hit in vault.ghost.search("badgers", NS)] == ["B.md"]
    assert vault.edges() == {link("A.md", "B.md")}


def test_an_edge_goes_with_its_link(vault: Vault) -> None:
    """Not with another edit."""
    vault.write(A="[[B]] [[C]]\n", B="b\n", C="c\n")
    vault.write(A="Edited: [[B]] [[C]]\n")
    assert vault.edges() == {link("A.md", "B.md"), link("A.md", "C.md")}
    vault.write(A="Edited: [[C]]\n")
    assert vault.edges() == {link("A.md", "C.md")}
    vault.write(A=None)
    assert vault.edges() == set()


@pytest.mark.parametrize(
    "both",
    ["[[B]] and [[Bee]]", "[[B]] and [[B.md]]", "[[B]] and [[B#Nowhere]]", "[[b]] and [[B]]"],
)
def test_an_edge_stays_while_one_of_its_links_does(both: str, vault: Vault) -> None:
    """Two ways of naming a note make one edge, which goes with the last of them."""
    vault.write(A=both + "\n", B="---\naliases: [Bee]\n---\nText.\n")
    assert vault.edges() == {link("A.md", "B.md")}
    for left in both.split(" and ")[::-1]:
        vault.write(A=f"Only {left} now.\n")
        assert vault.edges() == {link("A.md", "B.md")}
    vault.write(A="None.\n")
    assert vault.edges() == set()


def test_an_edge_survives_the_rename_of_its_target(vault: Vault) -> None:
    """Obsidian moves the file and rewrites the links; in whichever order that is seen, the memories stay the same."""
    vault.write(A="See [[B]].\n", B="Badgers dig.\n")
    before = {key: vault.ghost.get(NS, key).id for key in ("A.md", "B.md")}
    (vault.root / "sub").mkdir()
    (vault.root / "B.md").rename(vault.root / "sub" / "Badger.md")
    vault.sync()
    assert vault.edges() == set()
    vault.write(A="See [[Badger]].\n")
    assert vault.edges() == {link("A.md", "sub/Badger.md")}
    assert vault.ghost.get(NS, "sub/Badger.md").id == before["B.md"]
    (vault.root / "sub" / "Badger.md").rename(vault.root / "Brock.md")
    vault.write(A="See [[Brock]].\n")
    assert vault.edges() == {link("A.md", "Brock.md")}
    assert {key: vault.ghost.get(NS, key).id for key in ("A.md", "Brock.md")} == {
        "A.md": before["A.md"],
        "Brock.md": before["B.md"],
    }
    (vault.root / "Brock.md").rename(vault.root / "sub" / "Brock.md")
    vault.sync()
    assert vault.edges() == {link("A.md", "sub/Brock.md")}, (
        "the name is the same, so the link still leads there"
    )


def test_a_link_follows_the_sections_of_its_target(vault: Vault) -> None:
    """A heading that appears is led to, one that goes leads back to the note, a first section that is replaced is followed."""
    vault.write(A="[[B#Setup]]\n", C="[[B]]\n", B="# B\n\n## Intro\n\nOld words.\n")
    assert vault.edges() == {link("A.md", "B.md#intro"), link("C.md", "B.md#intro")}
    vault.write(B="# B\n\n## Intro\n\nOld words.\n\n## Setup\n\nRun it.\n")
    assert vault.edges() == {link("A.md", "B.md#setup"), link("C.md", "B.md#intro")}
    vault.write(B="# B\n\n## Overview\n\nEntirely other text.\n")
    assert vault.edges() == {link("A.md", "B.md#overview"), link("C.md", "B.md#overview")}


def test_an_alias_that_comes_or_goes_is_noticed(vault: Vault) -> None:
    """Names in the front matter are names at once."""
    vault.write(A="[[Bee]]\n", B="Text.\n")
    assert vault.edges() == set()
    vault.write(B="---\naliases:\n  - Bee\n---\nText.\n")
    assert vault.edges() == {link("A.md", "B.md")}
    vault.write(B="---\naliases: []\n---\nText.\n")
    assert vault.edges() == set()


def test_links_never_leave_their_folder(store: Ghost, tmp_path: Path) -> None:
    """Not into another namespace, and not into another folder of the same one."""
    vaults = {}
    for name, ns in (("one", NS), ("two", NS), ("three", "notes:other")):
        root = tmp_path / name
        root.mkdir()
        (root / f"{name}.md").write_text("[[one]] [[two]] [[three]] [[shared]]\n", encoding="utf-8")
        vaults[name] = store.notes.add(root, ns, layout="obsidian")
    (tmp_path / "three" / "shared.md").write_text("Text.\n", encoding="utf-8")
    store.put(NS, "shared", "Not a note.")
    store.put(NS, "shared.md", "Not a note either.")
    store.notes.sync()
    assert [(edge.from_key, edge.to_key) for edge in store.edges(NS)] == []
    assert [(edge.from_key, edge.to_key) for edge in store.edges("notes:other")] == [
        ("three.md", "shared.md")
    ]


def test_an_edge_that_somebody_made_is_not_a_links(vault: Vault) -> None:
    """Syncing leaves edges of other kinds between notes alone."""
    vault.write(A="[[B]]\n", B="b\n")
    vault.ghost.edge(NS, "A.md", "B.md", "depends_on")
    vault.write(A="No link.\n")
    assert vault.edges() == {link("A.md", "B.md", "depends_on")}


def test_tags_come_from_the_front_matter_and_the_text(vault: Vault) -> None:
    """Nested ones, those with a hash before, single words; those in the text only for their section."""
    vault.write(
        A='---\ntags: ["#x/y", z]\n---\nFirst #a/b.\n\n# Two\n\nSecond #c `#d`.\n',
        B="---\ntags: one, two\n---\nText #one.\n",
        C="---\ntag: single\n---\nText.\n",
        D="---\ntags:\n- p\n- q\n---\nText.\n",
    )
    assert vault.tags("A.md") == ("x/y", "z", "a/b")
    assert vault.tags("A.md#two") == ("x/y", "z", "c")
    assert vault.tags("B.md") == ("one", "two")
    assert vault.tags("C.md") == ("single",)
    assert vault.tags("D.md") == ("p", "q")
    vault.write(A="---\ntags: [z]\n---\nFirst #a/b.\n\n# Two\n\nSecond #c `#d`.\n")
    assert vault.tags("A.md") == ("z", "a/b")


# ---------------------------------------------------------------- basic-memory

SAYINGS = [
    ("contradicts", Rel.CONTRADICTS, False), ("conflicts_with", Rel.CONTRADICTS, False), ("contradicted_by", Rel.CONTRADICTS, True),
    ("depends_on", Rel.DEPENDS_ON, False), ("requires", Rel.DEPENDS_ON, False), ("required_by", Rel.DEPENDS_ON, True),
    ("refines", Rel.REFINES, False), ("extends", Rel.REFINES, False), ("refined_by", Rel.REFINES, True),
    ("caused_by", Rel.CAUSED_BY, False), ("results_from", Rel.CAUSED_BY, False), ("leads_to", Rel.CAUSED_BY, True),
    ("prevents", Rel.PREVENTS, False), ("blocks", Rel.PREVENTS, False), ("blocked-by", Rel.PREVENTS, True),
    ("implies", Rel.IMPLIES, False), ("Implied_By", Rel.IMPLIES, True),
    ("relates_to", Rel.RELATES_TO, False), ("pairs_well_with", Rel.RELATES_TO, False),
    ("contains", Rel.RELATES_TO, False), ("part_of", Rel.RELATES_TO, False), ("merged_into", Rel.RELATES_TO, False),
]  # fmt: skip


@pytest.mark.parametrize(("word", "rel", "turned"), SAYINGS)
def test_a_relation_is_an_edge_of_its_kind_in_its_direction(
    word: str, rel: Rel, turned: bool, basic: Vault
) -> None:
    """What is said from the other end is turned round; words we have no relation for are plain ones."""
    basic.write(
        a=basic_note("Alpha", f"- {word} [[Beta]] (why)"), b=basic_note("Beta", "- [fact] text")
    )
    assert basic.edges() == {link("b.md", "a.md", rel) if turned else link("a.md", "b.md", rel)}


@pytest.mark.parametrize("name", ["Beta", "BETA", "notes/b-note", "b", "sub/b"])
def test_a_note_of_basic_memory_is_named_in_any_of_its_ways(name: str, basic: Vault) -> None:
    """By title, permalink, path or file name."""
    basic.put("sub/b.md", basic_note("Beta", "x", "notes/b-note"))
    basic.write(a=basic_note("Alpha", f"- refines [[{name}]]"))
    assert basic.edges() == {link("a.md", "sub/b.md", "refines")}


def test_what_basic_memory_calls_a_note_comes_before_a_file(basic: Vault) -> None:
    """A permalink is surer than the name of a file."""
    basic.put("c.md", basic_note("Gamma", "x"))
    basic.put("gamma.md", basic_note("Delta", "y"))
    basic.write(a=basic_note("Alpha", "- refines [[gamma]]"))
    assert basic.edges() == {link("a.md", "c.md", "refines")}


def test_a_relation_and_a_link_are_an_edge_each(basic: Vault) -> None:
    """And two plain words are one, until the last is gone."""
    basic.write(
        a=basic_note("Alpha", "- refines [[Beta]]\n- relates_to [[Beta]]\n\nSee [[Beta]]."),
        b=basic_note("Beta", "x"),
    )
    assert basic.edges() == {link("a.md", "b.md", "refines"), link("a.md", "b.md")}
    basic.write(a=basic_note("Alpha", "- refines [[Beta]]\n- relates_to [[Beta]]"))
    assert basic.edges() == {link("a.md", "b.md", "refines"), link("a.md", "b.md")}
    basic.write(a=basic_note("Alpha", "- refines [[Beta]]"))
    assert basic.edges() == {link("a.md", "b.md", "refines")}


def test_an_edge_that_both_notes_tell_stays_until_neither_does(basic: Vault) -> None:
    """A refines B, and B is refined by A."""
    both = {
        "a": basic_note("Alpha", "- refines [[Beta]]"),
        "b": basic_note("Beta", "- refined_by [[Alpha]]"),
    }
    plain = {"a": basic_note("Alpha", "x"), "b": basic_note("Beta", "y")}
    for first, second in (("a", "b"), ("b", "a")):
        basic.write(**both)
        assert basic.edges() == {link("a.md", "b.md", "refines")}
        basic.write(**{first: plain[first]})
        assert basic.edges() == {link("a.md", "b.md", "refines")}
        basic.write(**{second: plain[second]})
        assert basic.edges() == set()


def test_the_fields_and_observations_of_basic_memory(basic: Vault) -> None:
    """Tags of both; a time from the front matter; unknown fields stay in the file and out of the memory."""
    text = (
        "---\ntitle: Alpha\ntype: note\npermalink: alpha\ntags: [one, '#two']\ncreated: 2026-01-10T08:30:00Z\nodd: {x: 1}\n---\n\n"
        "# Alpha\n\n- [fact] text #three (context)\n- [x] done #four\n"
    )
    basic.write(a=text)
    memory = basic.ghost.get(NS, "a.md")
    assert basic.tags("a.md") == ("one", "two", "three")
    assert memory.created_at.isoformat() == "2026-01-10T08:30:00+00:00"
    assert memory.content == text.partition("---\n\n")[2].rstrip()
    basic.ghost.notes.write(NS, "a.md", "# Alpha\n\n- [fact] other")
    assert (basic.root / "a.md").read_text(encoding="utf-8") == text.partition("# Alpha")[
        0
    ] + "# Alpha\n\n- [fact] other\n"


@pytest.mark.parametrize("way", ["vault", "basic"])
def test_a_context_follows_the_links(way: str, request: pytest.FixtureRequest) -> None:
    """What is asked for is in one note; the note it links to comes with it, and the one it does not link to does not."""
    place: Vault = request.getfixturevalue(way)
    wrap: Callable[[str, str], str] = basic_note if way == "basic" else lambda _, body: body + "\n"
    place.write(
        A=wrap("Espresso", "The espresso machine is descaled monthly.\n\n- depends_on [[B]]"),
        B=wrap("B", "Hardness stays under four degrees."),
        C=wrap("C", "The bicycle has a flat tyre."),
    )
    pack = place.ghost.context("espresso machine", NS, whole=False)
    keys = [memory.key for memory in pack.memories]
    assert keys[0] == "A.md"
    assert "B.md" in keys
    assert "C.md" not in keys


# ---------------------------------------------------------------- any history

BODIES = st.lists(
    st.sampled_from(
        [
            *(
                "[[A]]",
                "[[B]]",
                "[[C#H]]",
                "[[sub/D]]",
                "[[d|x]]",
                "[[Bee]]",
                "`[[A]]`",
                "- refines [[B]]",
                "- refined_by [[A]]",
            ),
            *(
                "- depends_on [[Bee]]",
                "- required_by [[c]]",
                "# H",
                "## K",
                "# H\n\nBelow.",
                "words",
                "other words",
                "#tag",
                "",
            ),
        ]
    ),
    max_size=5,
)
HEADS = st.sampled_from(
    [
        "",
        "",
        "---\naliases: [Bee]\n---\n",
        "---\ntitle: Bee\npermalink: b\n---\n\n",
        "---\ntags: [t]\n---\n",
    ]
)
NOTES = st.tuples(HEADS, BODIES).map(lambda made: made[0] + "\n\n".join(made[1]) + "\n")
PATHS = st.sampled_from(["A.md", "B.md", "C.md", "sub/D.md"])
STEPS = st.one_of(
    st.tuples(st.just("write"), PATHS, NOTES),
    st.tuples(st.just("write"), PATHS, NOTES),
    st.tuples(st.just("delete"), PATHS, st.just("")),
    st.tuples(st.just("move"), PATHS, PATHS),
)


def state(ghost: Ghost) -> tuple[list[object], list[object]]:
    """Return all that notes came to: sections with texts and tags, and edges."""
    memories = sorted(
        (m.key, m.content, m.tags, sorted(m.meta.items())) for m in ghost.list(NS, limit=1000)
    )
    edges = sorted(
        (edge.from_key, str(edge.rel), edge.to_key, edge.weight) for edge in ghost.edges(NS)
    )
    return list(memories), list(edges)


@pytest.mark.parametrize("layout", ["obsidian", "basic-memory"])
@given(steps=st.lists(st.lists(STEPS, min_size=1, max_size=3), min_size=1, max_size=6))
@settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_after_any_history_the_store_is_that_of_a_first_look(
    layout: str, steps: list[list[tuple[str, str, str]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever was written, moved and deleted, sections and edges are those that the files have now."""
    root = tmp_path_factory.mktemp("any")
    (root / "sub").mkdir()
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        folder = ghost.notes.add(root, NS, layout=layout).folder
        for batch in steps:
            for what, path, other in batch:
                file = root / path
                if what == "write":
                    file.write_text(other, encoding="utf-8")
                elif what == "delete":
                    file.unlink(missing_ok=True)
                elif file.exists():
                    file.replace(root / other)
            sync_folder(ghost.store, folder, settle=0.001, accept_deletes=True)
            with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as fresh:
                fresh.notes.add(root, NS, layout=layout)
                assert state(ghost) == state(fresh)
    shutil.rmtree(root)
