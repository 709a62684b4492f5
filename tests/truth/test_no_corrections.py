"""Statements that are both true do not correct each other, and wrong links do no harm."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from ghostmem import Ghost

PROVIDERS = pytest.mark.parametrize("provider", ["none", "local"])
NS = "a"


def called_correction(ghost: Ghost, old: str, new: str) -> bool:
    """Put two texts and say whether the second is surely an update or a conflict."""
    ghost.put(NS, "old", old)
    verdict = ghost.put(NS, "new", new).verdict
    assert verdict is not None
    return verdict.kind in ("update", "conflict") and not verdict.is_tentative


@PROVIDERS
@pytest.mark.parametrize("kind", ["episodic", "semantic"])
def test_measurements_of_one_pattern_do_not_contradict_each_other(
    open_ghost: Callable[..., Ghost], provider: str, kind: str
) -> None:
    """Each day's note stays as true as it was, and a question for a day finds that day first."""
    ghost = open_ghost(embed_provider=provider)
    for day in range(1, 31):
        text = f"Weighed {82 - day / 10:.1f} kg this morning"
        ghost.put(NS, f"d{day:02}", text, kind=kind, created_at=f"2026-10-{day:02} 07:00")
    assert not ghost.conflicts(NS).conflicts
    for question in ("on 3 October", "on October 3", "2026-10-03", "on 3.10.2026", "28 days ago"):
        hits = ghost.search(f"what did I weigh {question}", NS, now="2026-10-31 20:00")
        assert hits[0].memory.key == "d03", question


@PROVIDERS
def test_repeated_events_do_not_contradict_each_other(
    open_ghost: Callable[..., Ghost], provider: str
) -> None:
    """The same happens again."""
    ghost = open_ghost(embed_provider=provider)
    for case in range(6):
        ghost.put(NS, f"nb{case}", f"The nightly build failed, the disk was full, case {case}")
    assert not ghost.conflicts(NS).conflicts


@PROVIDERS
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I like tea.", "I do not only like tea."),
        ("We deploy on Friday.", "We deploy on Friday but not on Monday."),
        (
            "Image uploads are limited to 8 MB and converted to webp.",
            "I'm on an M2 mac so no x86 images please.",
        ),
        ("We write tests first.", "We always write tests first, never after."),
        ("Lost to Felix at chess in 31 moves.", "Beat Felix at chess, he blundered his queen."),
    ],
)
def test_an_addition_is_no_correction(
    open_ghost: Callable[..., Ghost], provider: str, old: str, new: str
) -> None:
    """A negation in a further clause, `not only`, or one shared word contradict nothing."""
    assert not called_correction(open_ghost(embed_provider=provider), old, new)


@PROVIDERS
def test_two_negations_do_not_cancel_each_other(
    open_ghost: Callable[..., Ghost], provider: str
) -> None:
    """Who says it twice means it."""
    ghost = open_ghost(embed_provider=provider)
    old, new = "Deploy on Friday is allowed.", "Deploy on Friday is not allowed, never."
    assert called_correction(ghost, old, new)


@pytest.mark.parametrize("freshness", ["suggest", "close"])
def test_an_earlier_note_does_not_correct_a_later_one(
    open_ghost: Callable[..., Ghost], freshness: str
) -> None:
    """Notes of an old day, put today, are shown as corrected by what was known later."""
    ghost = open_ghost(freshness=freshness)
    ghost.put(NS, "later", "We deploy with Jenkins.", created_at="2026-03-01")
    text = "We no longer deploy with Jenkins."
    ghost.put(NS, "earlier", text, created_at="2026-01-01")
    ghost.put(NS, "since", f"{text} Since long.", valid_from="2025-01-01")
    assert ghost.get(NS, "later").valid_to is None
    hits = ghost.search("what do we deploy with, Jenkins?", NS)
    assert hits[0].memory.key == "later"
    assert {hit.memory.key for hit in hits} == {"later", "earlier", "since"}


def test_facts_of_different_scopes_do_not_conflict(open_ghost: Callable[..., Ghost]) -> None:
    """A tag with a label names a scope; the session in which a fact was stated is none."""
    ghost = open_ghost()
    ghost.put(NS, "shop", "We deploy on Friday.", tags=["project:shop"], source_scope="s1")
    text = "We no longer deploy on Friday."
    blog = ghost.put(NS, "blog", text, tags=["project:blog", "ops"], source_scope="s2")
    assert blog.verdict is not None
    assert blog.verdict.kind == "new"
    ghost.put(NS, "shop2", text, tags=["project:shop"], source_scope="s3")
    assert [(pair.key, pair.other) for pair in ghost.conflicts(NS).conflicts] == [("shop2", "shop")]


def test_a_summary_does_not_correct_its_children(open_ghost: Callable[..., Ghost]) -> None:
    """Nor does its next version, whatever it says."""
    ghost = open_ghost()
    ghost.put(NS, "friday", "We deploy on Friday.")
    ghost.put(NS, "tuesday", "We deploy on Tuesday.")
    ghost.consolidate(NS, "sum", "We deploy on Friday and on Tuesday.", ["friday", "tuesday"])
    ghost.put(NS, "sum", "Correction: we deploy on Friday.")
    assert not ghost.conflicts(NS).conflicts


def test_a_correction_links_to_the_newest_statement_of_a_chain(
    open_ghost: Callable[..., Ghost],
) -> None:
    """Each correction adds one link, not one to every statement before."""
    ghost = open_ghost()
    days = ("Monday", "Tuesday", "Wednesday", "Thursday")
    ghost.put(NS, "v0", "The release meeting is on Monday.")
    for number, (before, after) in enumerate(pairwise(days), 1):
        ghost.put(NS, f"v{number}", f"The release meeting moved from {before} to {after}.")
    pairs = [(pair.key, pair.other) for pair in ghost.conflicts(NS).conflicts]
    assert sorted(pairs) == [("v1", "v0"), ("v2", "v1"), ("v3", "v2")]


class TestWrongLinks:
    """A contradiction that was inferred wrongly, between texts about different things."""

    @pytest.fixture
    def ghost(self, open_ghost: Callable[..., Ghost]) -> Ghost:
        """Return a store with an inferred contradiction that does not answer the question."""
        ghost = open_ghost(context_whole=False)
        ghost.put(NS, "limit", "Image uploads are limited to 8 megabytes.")
        ghost.put(NS, "mac", "No longer image uploads are limited to 8 megabytes.")
        assert len(ghost.conflicts(NS).conflicts) == 1
        # the next version keeps the link, and is about something else
        ghost.put(NS, "mac", "Docker runs on the new laptop.")
        return ghost

    def test_it_takes_no_place_in_a_search(self, ghost: Ghost) -> None:
        """The hit stays first, and the other memory is not found."""
        hits = ghost.search("limit of image uploads", NS, weak=True)
        assert [hit.memory.key for hit in hits] == ["limit"]

    def test_it_takes_no_place_in_a_context(self, ghost: Ghost) -> None:
        """The budget is for what answers the question."""
        pack = ghost.context("limit of image uploads", NS)
        assert [memory.key for memory in pack.memories] == ["limit"]

    def test_an_explicit_one_does(self, ghost: Ghost) -> None:
        """Whoever says that a memory contradicts another wants to see both."""
        ghost.edge(NS, "mac", "limit", "contradicts")
        hits = ghost.search("limit of image uploads", NS, weak=True)
        assert [hit.memory.key for hit in hits] == ["mac", "limit"]


def test_hits_are_in_the_order_of_their_scores(open_ghost: Callable[..., Ghost]) -> None:
    """A correction that comes before the memory that it corrects scores no less."""
    ghost = open_ghost()
    ghost.put(NS, "old", "The release meeting of the platform team is on Monday.")
    ghost.put(NS, "new", "The platform release meeting is no longer on Monday, see calendar.")
    hits = ghost.search("when is the release meeting of the platform team on Monday", NS)
    assert [hit.memory.key for hit in hits] == ["new", "old"]
    assert hits[0].score >= hits[1].score
