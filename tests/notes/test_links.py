"""Links between notes: what is one, where it leads, and the edge it makes for as long as both ends are there"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.model import EDGE_WEIGHTS
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


# ---------------------------------------------------------------- basic-memory


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
