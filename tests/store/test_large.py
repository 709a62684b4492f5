"""Memories of megabytes: the CPU time of a put and of a search grows with the text, and what the model leaves is said."""

import random

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from growth import cpu_seconds

SIZE = 200_000  # characters; the second measurement has four times as many
MAX_GROWTH = 9.0  # four times the text: 4 is linear, 16 is quadratic
WORDS = "heron weir river stone water boat bridge night lantern harbour signal engine token key basic path login".split()


def prose(size: int) -> str:
    """Return sentences without a secret in them, the same each time."""
    pick = random.Random(7)
    made, length = [], 0
    while length < size:
        made.append(
            " ".join(pick.choices(WORDS, k=12)).capitalize()
            + f" {pick.randrange(10_000)}."
            + pick.choice([" ", "\n\n"])
        )
        length += len(made[-1])
    return "".join(made)[:size]


@pytest.fixture
def store() -> Ghost:
    """Open a store without vectors that is in memory."""
    return Ghost.open(":memory:", settings=Settings(embed_provider="none"))


@pytest.mark.perf
def test_a_put_grows_with_its_text(store: Ghost) -> None:
    """Four times the text is four times the work, and all of it is found."""
    text = prose(4 * SIZE)
    versions = iter(range(10))
    store.put("a", "warm", "up")
    small = cpu_seconds(lambda: store.put("a", "small", f"{text[:SIZE]} {next(versions)}"))
    large = cpu_seconds(lambda: store.put("a", "large", f"{text} {next(versions)} Quokkas end it."))
    assert large / small < MAX_GROWTH
    assert [hit.key for hit in store.search("quokkas", ns="a")] == ["large"]
    assert store.admin.check().problems == ()


@pytest.mark.perf
def test_a_search_does_not_read_a_long_memory_for_each_chunk(store: Ghost) -> None:
    """A search looks at about as many chunks in a long memory as in one sixteen times as long: words, and parts of words."""
    text = prose(16 * SIZE)
    store.put("a", "k", text[:SIZE], allow_secrets=True)
    store.put("b", "k", text, allow_secrets=True)
    for query in ("heron lantern", "arbou", "harbour signal engine"):
        store.search(query, ns="a")
        small = cpu_seconds(lambda query=query: store.search(query, ns="a"))
        large = cpu_seconds(lambda query=query: store.search(query, ns="b"))
        assert large / max(small, 0.004) < MAX_GROWTH, query


def test_secrets_are_found_in_a_long_text(store: Ghost) -> None:
    """Wherever they stand, and whether others are near; the lines that are told are those of the text."""
    text = prose(300_000)
    secret = "ghp_" + "aB3" * 12
    places = [0, 70_000, 70_100, 150_000, 299_000]
    parts = [text[start:stop] for start, stop in zip(places, [*places[1:], len(text)], strict=True)]
    memory = store.put(
        "a",
        "k",
        f"\nexport TOKEN={secret} ".join(["", *parts]) + f"\n--password hunter2Zebra {secret}",
    )
    stored = store.get("a", "k").content
    assert secret not in stored
    assert "hunter2Zebra" not in stored
    assert stored.count("[redacted: github token]") == 6
    assert sum("redacted" in note for note in memory.notes) == 7


class Counting:
    """A model that counts the texts it is given."""

    def __init__(self) -> None:
        self.texts = 0

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        self.texts += len(texts)
        return [[1.0, len(text) / 1000, hash(text) % 97 / 97] for text in texts]


def test_a_put_gives_the_model_a_bounded_number_of_chunks() -> None:
    """The rest is in full text at once, the put says so, and `embed backfill` gives it vectors."""
    model = Counting()
    with Ghost.open(":memory:", embedder=model, settings=Settings(embed_put_chunks=20)) as ghost:
        memory = ghost.put("a", "k", prose(40_000) + " Quokkas end it.")
        assert memory.chunks > 40
        assert 0 < model.texts <= 25
        assert any("embed backfill" in note for note in memory.notes)
        assert "k" in [hit.key for hit in ghost.search("quokkas", ns="a")]
        assert ghost.admin.embed_status().pending == memory.chunks - 20
        ghost.admin.embed_backfill()
        assert ghost.admin.embed_status().pending == 0
        assert ghost.admin.check().problems == ()


def test_equal_chunks_are_given_to_the_model_once() -> None:
    """A megabyte of dots is a thousand chunks that are alike."""
    model = Counting()
    with Ghost.open(":memory:", embedder=model) as ghost:
        assert ghost.put("a", "k", "." * 100_000).chunks > 100
        assert model.texts < 10
