"""What a put would say again, update or contradict, found among what a namespace holds."""

import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest
from bench.evolving import FACTS, Fact

from conftest import Clock
from ghostmem import Ghost
from ghostmem.memory.verdict import Judgement, find_verdict
from ghostmem.model import VerdictKind
from ghostmem.store.indexing import index_rows

NOISE = [
    "The quarterly report is due on Friday.",
    "GitHub Actions had an outage this morning.",
    "Grandma's garden has roses and tulips.",
    "Branch protection needs two approvals.",
    "The bakery around the corner sells rye bread.",
]


def find(ghost: Ghost, content: str, key: str = "new", ns: str = "a") -> Judgement:
    """Ask for a verdict as a put would."""
    store = ghost.store
    rows = index_rows(key, content, store.settings.chunk_target)
    vectors: Sequence[bytes] = store.vectoriser.try_bytes([row.spoken for row in rows])
    with store.engine.read() as tx:
        return find_verdict(store, tx, ns, key, content, vectors, store.clock())


@pytest.fixture(params=["none", "static"])
def known(request: pytest.FixtureRequest, open_ghost: Callable[..., Ghost]) -> Ghost:
    """Return a store, without and with vectors, that knows a few things."""
    ghost = open_ghost(embed_provider=request.param, freshness="off")
    for number, text in enumerate(NOISE):
        ghost.put("a", f"noise-{number}", text)
    ghost.put("a", "ci", "We use Jenkins for continuous integration.")
    ghost.put("a", "port", "The API listens on port 8080.")
    ghost.put("a", "owner", "Tom owns the payments module.")
    return ghost


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("The payments module is owned by Tom.", VerdictKind.RESTATEMENT, "owner"),
        (
            "We switched from Jenkins to Buildkite for continuous integration.",
            VerdictKind.UPDATE,
            "ci",
        ),
        ("The API listens on port 9090.", VerdictKind.CONFLICT, "port"),
        ("Lena owns the identity module.", VerdictKind.NEW, None),
        ("The moon is full tonight.", VerdictKind.NEW, None),
    ],
)
def test_the_memory_that_a_text_concerns_is_found(
    known: Ghost, text: str, kind: VerdictKind, key: str | None
) -> None:
    """With and without vectors, by the nearest and by the rarest words."""
    found = find(known, text)
    assert (found.verdict.kind, found.verdict.key) == (kind, key)
    assert (found.memory.key if found.memory else None) == key
    if key is not None:
        evidence = found.verdict.to_dict()["evidence"]
        assert evidence["shared"]
        assert evidence["confidence"] == found.confidence


def test_a_key_is_not_compared_with_itself(known: Ghost) -> None:
    """A new version of a memory says nothing about its own last one here."""
    assert find(known, "The API listens on port 9090.", key="port").verdict.kind == VerdictKind.NEW


def test_an_empty_or_unknown_namespace_has_nothing_to_compare(known: Ghost) -> None:
    """Namespaces are walls."""
    assert find(known, "Tom owns the payments module.", ns="b").verdict.kind == VerdictKind.NEW


def test_what_is_closed_removed_expired_or_sensory_is_left_out(
    open_ghost: Callable[..., Ghost], clock: Clock
) -> None:
    """Only what is held true can be said again or contradicted."""
    ghost = open_ghost(freshness="off")
    ghost.put("a", "closed", "Tom owns the payments module.", valid_to=clock.at)
    ghost.put("a", "gone", "Tom owns the payments module.")
    ghost.rm("a", "gone")
    ghost.put("a", "brief", "Tom owns the payments module.", ttl="60s")
    ghost.put("a", "sensed", "Tom owns the payments module.", tier="sensory")
    clock.forward(minutes=5)
    assert find(ghost, "The payments module is owned by Tom.").verdict.kind == VerdictKind.NEW
    ghost.put("a", "open", "Tom owns the payments module.")
    assert find(ghost, "The payments module is owned by Tom.").verdict.key == "open"


def test_a_restatement_is_told_before_an_update_and_that_before_a_conflict(
    open_ghost: Callable[..., Ghost],
) -> None:
    """The strongest of several verdicts is the one that counts."""
    ghost = open_ghost(freshness="off")
    ghost.put("a", "old", "The API listens on port 8080.")
    assert find(ghost, "The API listens on port 9090.").verdict.kind == VerdictKind.CONFLICT
    ghost.put("a", "same", "Port 9090 is the one the API listens on.")
    assert find(ghost, "The API listens on port 9090.").verdict.key == "same"


def test_thousands_of_one_template_are_no_restatements(open_ghost: Callable[..., Ghost]) -> None:
    """Invoices by the hundred: a new one is new."""
    ghost = open_ghost(freshness="off")
    for number in range(300):
        ghost.put(
            "a",
            f"invoice-{number}",
            f"Invoice {1000 + number} for Nordwind: {number} EUR, due in two weeks.",
        )
    assert (
        find(ghost, "Invoice 1999 for Nordwind: 12 EUR, due in two weeks.").verdict.kind
        == VerdictKind.NEW
    )


def test_long_texts_are_judged_by_their_first_part(open_ghost: Callable[..., Ghost]) -> None:
    """A megabyte is no more work than a page."""
    ghost = open_ghost(freshness="off")
    ghost.put(
        "a", "long", "The API listens on port 8080. " + "More of the manual follows here. " * 5_000
    )
    assert find(ghost, "moved to not 8080 API " * 40_000).verdict.kind in VerdictKind


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_a_further_change_finds_what_was_said_before_and_at_first(known: Ghost, fact: Fact) -> None:
    """Among summaries and asides of one topic the last statement finds the one before it, and nearly always the first too."""
    _, then, last = fact.said
    for other in FACTS:
        known.put("a", f"{other.name}-a", other.said[0])
        known.put(
            "a", f"{other.name}-aside", f"There is a page about {other.name} in the handbook."
        )
        known.consolidate(
            "a",
            f"{other.name}-summary",
            f"Summary: {other.said[0]}",
            [f"{other.name}-a", f"{other.name}-aside"],
        )
    known.put("a", f"{fact.name}-b", then)
    found = find(known, last)
    assert found.memory is not None
    corrected = {found.memory.key, *(memory.key for memory in found.also)}
    assert f"{fact.name}-b" in corrected
    assert (
        f"{fact.name}-a" in corrected or fact.name == "diet"
    )  # not vegan any more says nothing of vegetarians
    assert all(key.startswith(fact.name) for key in corrected)


def test_a_correction_is_linked_to_what_the_corrected_one_corrected(
    open_ghost: Callable[..., Ghost],
) -> None:
    """A chain of corrections is whole even where the last one says nothing of the first."""
    ghost = open_ghost(freshness="suggest")
    for key, text in (
        ("a", "The user is vegetarian."),
        ("b", "The user is vegan now, no longer vegetarian."),
    ):
        ghost.put("a", key, text)
    ghost.put("a", "c", "The user is not vegan any more and eats fish.")
    assert [hit.key for hit in ghost.search("is the user vegetarian?", "a", limit=3)][0] == "c"


def test_where_nothing_is_alike_no_rule_is_loaded() -> None:
    """The rules and their patterns take longer to load than all else that a cold put does."""
    program = (
        "import sys; from ghostmem import Ghost; from ghostmem.settings import Settings\n"
        "with Ghost.open(':memory:', settings=Settings(embed_provider='none', freshness='suggest')) as g:\n"
        "    g.put('a', 'k', 'Tom owns the payments module.')\n"
        "    g.put('a', 'n', 'Roses grow along the garden wall.')\n"
        "assert not {'ghostmem.truth.rules.verdict', 'ghostmem.truth.rules.change', 'ghostmem.truth.rules.said'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_without_vectors_numpy_is_not_imported() -> None:
    """A cold put without a provider stays cheap."""
    program = (
        "import sys; from ghostmem import Ghost; from ghostmem.settings import Settings;"
        "from ghostmem.memory.verdict import find_verdict\n"
        "with Ghost.open(':memory:', settings=Settings(embed_provider='none')) as g:\n"
        "    g.put('a', 'k', 'Tom owns the payments module.')\n"
        "    with g.store.engine.read() as tx:\n"
        "        found = find_verdict(g.store, tx, 'a', 'n', 'The payments module is owned by Tom.', (), g.store.clock())\n"
        "    assert found.memory and found.memory.key == 'k', found\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_tags_do_not_hide_a_memory(known: Ghost) -> None:
    """Tags are words to search by, and no part of the text that a new one is compared with."""
    known.put(
        "a",
        "food",
        "Monthly budget for groceries: 400 euros.",
        tags=["billing", "user:sam", "project:shop"],
    )
    found = find(known, "The groceries budget is 400 euros per month.")
    assert (found.verdict.kind, found.verdict.key) == (VerdictKind.RESTATEMENT, "food")
