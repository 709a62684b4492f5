"""The order of what contradicts each other, wherever both appear."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.store.rows import ChunkCandidate, Filter, Space
from ghostmem.store.search import Search

NS = "agent:me"


def told(ghost: Ghost, *texts: str) -> None:
    """Put one text after the other, each contradicting the one before."""
    for number, text in enumerate(texts):
        ghost.put(NS, f"k{number}", text)
        if number:
            ghost.edge(NS, f"k{number}", f"k{number - 1}", "contradicts")


def keys(found: object) -> list[str]:
    return [hit.key for hit in found]  # type: ignore[attr-defined]


def test_a_correction_stands_before_what_it_corrects(ghost: Ghost) -> None:
    """Also when the question is worded like the old text."""
    told(
        ghost,
        "Backups of the orders database run at two in the morning.",
        "The orders backups moved to noon.",
    )
    assert keys(ghost.search("when do backups of the orders database run in the morning", NS)) == [
        "k1",
        "k0",
    ]


def test_a_correction_that_no_word_finds_comes_along(ghost: Ghost) -> None:
    """What contradicts a hit is shown before it, though nothing in its text was asked for."""
    told(ghost, "Parking is at the north gate.", "Cars go to the south side from now on.")
    found = ghost.search("parking north gate", NS, explain=True)
    assert keys(found) == ["k1", "k0"]
    assert "correction" in found[0].why.parts
    assert (found[0].note, found[1].note) == ("newer than k0", "contradicted by k1, which is newer")


def test_with_room_for_one_only_the_last_word_is_shown(ghost: Ghost) -> None:
    """A limit never cuts the correction and leaves the corrected."""
    told(
        ghost,
        "Parking is at the north gate.",
        "Cars go to the south side.",
        "Vehicles now belong into the garage.",
    )
    for limit, wanted in ((1, ["k2"]), (2, ["k2", "k1"]), (3, ["k2", "k1", "k0"])):
        assert keys(ghost.search("parking north gate", NS, limit=limit)) == wanted


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_what_holds_a_code_that_is_asked_for_comes_first(ghost: Ghost, limit: int) -> None:
    """A question that names an address is about that address, though something newer has another; its note says so."""
    told(
        ghost,
        "Mail runs on 10.1.2.3:25.",
        "Mail runs on 10.1.2.4:25.",
        "Mail runs on 10.9.9.9:2525.",
    )
    found = ghost.search("What runs at 10.1.2.3:25?", NS, limit=limit)
    assert keys(found)[0] == "k0"
    assert "contradicted by k1" in found[0].note
    assert keys(ghost.search("Where does mail run?", NS, limit=limit))[0] == "k2"


def test_a_chain_holds_when_its_middle_goes(ghost: Ghost) -> None:
    """Automatic corrections are linked to everything that was corrected before."""
    told(
        ghost,
        "Parking is at the north gate.",
        "Parking is at the south gate.",
        "Parking is at the east gate.",
    )
    ghost.edge(NS, "k2", "k0", "contradicts")
    ghost.rm(NS, "k1")
    assert keys(ghost.search("parking north gate", NS)) == ["k2", "k0"]


def test_a_ring_of_contradictions_ends(ghost: Ghost) -> None:
    """Everything is shown once."""
    told(ghost, "Parking is north.", "Parking is south.", "Parking is east.")
    ghost.edge(NS, "k0", "k2", "contradicts")
    assert sorted(keys(ghost.search("parking", NS))) == ["k0", "k1", "k2"]
    assert keys(ghost.search("parking", NS))[0] == "k2"


def test_the_users_word_stands_before_later_hearsay(ghost: Ghost) -> None:
    """In search and in context, whatever the direction of the edge."""
    ghost.put(NS, "mine", "The API key rotates on Mondays.", source_kind="stated")
    ghost.put(NS, "theirs", "The API key rotates never, says the forum.", source_kind="peer")
    ghost.edge(NS, "theirs", "mine", "contradicts")
    found = ghost.search("when does the API key rotate, says the forum", NS)
    assert keys(found) == ["mine", "theirs"]
    assert found[1].note == "contradicted by mine, the user's own statement"
    assert ghost.context("when does the API key rotate, says the forum", NS).keys == [
        "mine",
        "theirs",
    ]


def test_filters_hold_for_corrections_too(ghost: Ghost) -> None:
    """What the caller did not ask for does not come along, except that it may sleep."""
    ghost.put(NS, "k0", "Parking is at the north gate.", tags=["site"])
    ghost.put(NS, "k1", "Cars go to the south side.", tags=["other"])
    ghost.edge(NS, "k1", "k0", "contradicts")
    assert keys(ghost.search("parking gate", NS, tags=["site"])) == ["k0"]
    ghost.curate(NS, "k1", "archive")
    assert keys(ghost.search("parking gate", NS)) == ["k1", "k0"]


def test_filters_hold_for_the_users_words_too(ghost: Ghost) -> None:
    """Whoever asks for what others said, or for a tag, gets nothing else, though the user said something about the same."""
    ghost.put(NS, "mine", "The API key rotates on Mondays.", source_kind="stated")
    ghost.put(NS, "theirs", "The API key rotates on Fridays.", source_kind="peer", tags=["forum"])
    question = "when does the API key rotate"
    for given in ({"source_kind": "peer"}, {"tags": ["forum"]}):
        assert keys(ghost.search(question, NS, **given)) == ["theirs"], given
    assert ghost.context(question, NS, source_kind="stated").keys == ["mine"]
    assert keys(ghost.search(question, NS)) == ["mine", "theirs"]


def test_removed_and_expired_corrections_do_not_count(ghost: Ghost, clock: object) -> None:
    """What is gone corrects nothing."""
    ghost.put(NS, "k0", "Parking is at the north gate.")
    ghost.put(NS, "k1", "Cars go to the south side.", ttl="1h")
    ghost.edge(NS, "k1", "k0", "contradicts")
    clock.forward(hours=2)  # type: ignore[attr-defined]
    assert keys(ghost.search("parking gate", NS)) == ["k0"]


def test_a_reranker_does_not_turn_the_order(tmp_path: object, clock: object) -> None:
    """The order of a correction and what it corrects is enforced last."""

    def backwards(query: str, texts: list[str]) -> list[float]:
        return [float("north" in text) for text in texts]

    with Ghost.open(
        ":memory:", settings=Settings(embed_provider="none"), clock=clock, reranker=backwards
    ) as ghost:  # type: ignore[arg-type]
        told(ghost, "Parking is at the north gate.", "Parking is at the south gate.")
        assert keys(ghost.search("parking gate", NS)) == ["k1", "k0"]


@pytest.mark.parametrize("pieces", [True, False])
def test_pieces_keep_their_order(ghost: Ghost, pieces: bool) -> None:
    """Every piece of a correction stands before every piece of what it corrects."""
    long = "Parking is at the north gate. " * 30
    told(ghost, long, long.replace("north", "south"))
    found = keys(ghost.search("parking gate", NS, pieces=pieces))
    assert found == sorted(found, reverse=True)


def test_chunks_are_read_once_for_all_claims(ghost: Ghost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims that share words are compared with the same statements of the user."""
    ghost.put(NS, "own", "The staging database server runs in Frankfurt.")
    for city in ("Oslo", "Paris", "Rome"):
        text = f"The staging database server runs in {city}."
        ghost.put(NS, city, text, source_kind="observed")
    read: list[int] = []
    original = Search.candidates

    def candidates(
        self: Search, chunks: Sequence[int], selection: Filter, space: Space | None = None
    ) -> list[ChunkCandidate]:
        read.extend(chunks if selection.trusted else ())
        return original(self, chunks, selection, space)

    monkeypatch.setattr(Search, "candidates", candidates)
    hits = ghost.search("where does the staging database server run", NS)
    assert [hit.note for hit in hits[1:]] == ["the user's own statement: own"] * 3
    assert read
    assert len(read) == len(set(read))


@pytest.mark.parametrize("most", [0, 5_000], ids=["too many to keep", "kept"])
def test_statements_of_the_user_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Statements that another process puts or removes count in the next search."""
    monkeypatch.setattr("ghostmem.store.search.MAX_STATED_CHUNKS", most)
    path, settings = tmp_path / "memory.db", Settings(embed_provider="none")
    question = "where does the staging database server run"
    with (
        Ghost.open(path, settings=settings) as reader,
        Ghost.open(path, settings=settings) as writer,
    ):
        for city in ("Oslo", "Paris", "Rome"):
            text = f"The staging database server runs in {city}."
            writer.put(NS, city, text, source_kind="observed")
        assert {hit.note for hit in reader.search(question, NS)} == {""}
        writer.put(NS, "own", "The staging database server runs in Frankfurt.")
        hits = reader.search(question, NS)
        assert hits[0].key == "own"
        assert [hit.note for hit in hits[1:]] == ["the user's own statement: own"] * 3
        writer.rm(NS, "own")
        assert {hit.note for hit in reader.search(question, NS)} == {""}
