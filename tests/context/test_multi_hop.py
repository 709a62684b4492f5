"""Multi-hop: facts that share no word with the question, and no meaning a model would see, arrive over one or two edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Book

NS = "agent:me"
QUESTION = "How does a request travel through the gateway?"
START = "Every request enters through the gateway, which is called Atlas."
FACTS = {
    "atlas": "Atlas hands everything to Borealis.",
    "borealis": "Borealis persists in Cassandra, keyspace seven.",
    "cassandra": "The Monday snapshot of keyspace seven goes to tape.",
}
NOISE = [
    "Bread dough rests overnight in a cold kitchen.",
    "The violin was restrung in Cremona.",
    "Passport renewals take about six weeks.",
    "The aquarium filter is cleaned twice a month.",
    "Sailing lessons start again at the lake in June.",
    "The choir rehearses Brahms until Easter.",
    "Our logo uses two shades of blue.",
    "The museum closes early on public holidays.",
    "The garden fence was painted green.",
    "Interns rotate between departments every month.",
]
RELATIONS = "relates_to depends_on refines caused_by prevents implies contradicts".split()
PROVIDERS = ["none", "static"]


def told(book: Book, *ways: tuple[str, str, str]) -> None:
    """Store the start, the facts and the noise, and link as told."""
    for n, text in enumerate(NOISE):
        book.put(f"noise{n}", text)
    for key, text in FACTS.items():
        book.put(key, text)
    book.put("start", START)
    for one, rel, other in ways:
        book.edge(one, other, rel)


@pytest.mark.wide(keep=12)
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("rel", RELATIONS)
@pytest.mark.parametrize("back", [False, True], ids=["out", "back"])
def test_one_edge(open_book: Callable[..., Book], provider: str, rel: str, back: bool) -> None:
    """A fact one edge away arrives, over every relation, in both directions, at the default budget."""
    book = open_book(embed_provider=provider, edge_threshold=1.0)
    told(book, ("cassandra", rel, "start") if back else ("start", rel, "cassandra"))
    assert "cassandra" in book.read(QUESTION)


@pytest.mark.wide(keep=16)
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("first", RELATIONS)
@pytest.mark.parametrize("second", ["relates_to", "depends_on", "caused_by", "contradicts"])
def test_two_edges(open_book: Callable[..., Book], provider: str, first: str, second: str) -> None:
    """A fact two edges away arrives, and tells its way."""
    book = open_book(embed_provider=provider, edge_threshold=1.0)
    told(book, ("start", first, "borealis"), ("borealis", second, "cassandra"))
    pack = book.pack(QUESTION)
    assert {"start", "borealis", "cassandra"} <= set(pack.keys)
    if provider == "none":
        found = next(one for one in pack.memories if one.key == "cassandra")
        assert [str(hop.rel) for hop in found.why.path] == [first, second]


@pytest.mark.parametrize("back", [(False, True), (True, False), (True, True)], ids=str)
def test_two_edges_in_mixed_directions(book: Book, back: tuple[bool, bool]) -> None:
    """Edges are walked either way on a path of two."""
    ways = [("start", "refines", "borealis"), ("borealis", "depends_on", "cassandra")]
    told(
        book,
        *[
            (way[2], way[1], way[0]) if turned else way
            for way, turned in zip(ways, back, strict=True)
        ],
    )
    assert "cassandra" in book.read(QUESTION)


def test_a_dependency_of_a_dependency_survives_a_small_budget(book: Book) -> None:
    """With much that merely matches, what the answer needs over two edges is still there."""
    told(book, ("start", "depends_on", "borealis"), ("borealis", "depends_on", "cassandra"))
    for n in range(30):
        book.put(
            f"filler{n}", f"A request may wait at the gateway for {n} seconds.", importance=0.3
        )
    assert {"start", "borealis", "cassandra"} <= set(book.read(QUESTION, budget=300))


def test_what_no_edge_leads_to_stays_out(book: Book) -> None:
    """The same facts without edges do not arrive: it is the edges that bring them."""
    told(book)
    assert book.read(QUESTION) == ["start"]


def test_a_parent_of_a_neighbour_arrives(book: Book) -> None:
    """A summary over a fact one edge away is reached too, or its children are."""
    told(book, ("start", "depends_on", "borealis"))
    book.ghost.consolidate(
        NS, "storage", "Tape, snapshots and keyspaces.", ["borealis", "cassandra"]
    )
    keys = set(book.read(QUESTION))
    assert "borealis" in keys or "storage" in keys


def test_the_local_model(open_book: Callable[..., Book]) -> None:
    """With the default provider two edges are walked as well."""
    book = open_book(embed_provider="local", edge_threshold=1.0)
    book.put("start", START)
    book.put("borealis", FACTS["borealis"])
    book.put("cassandra", FACTS["cassandra"])
    book.edge("start", "borealis", "depends_on")
    book.edge("borealis", "cassandra", "depends_on")
    assert {"start", "borealis", "cassandra"} <= set(book.read(QUESTION))
