"""Packing: costs, the cap, excerpts, summaries for their children, and reserves for what must not be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Book

NS = "agent:me"
ASKED = "where does the harbour ferry depart?"
FILLER = (
    "Sun and wind and rain and snow fall on the town in turn, as they did in all the years before. "
)


# tokens


@pytest.mark.parametrize(
    "content", ["harbour ferry depart", "harbour ferry depart é", "harbour ferry depart 渡轮 😀"]
)
def test_a_memory_costs_its_bytes_by_four_and_twenty(book: Book, content: str) -> None:
    """Tokens are UTF-8 bytes / 4 + 20."""
    book.put("one", content)
    pack = book.pack()
    assert pack.memories[0].tokens == pack.used == len(content.encode()) // 4 + 20


def test_a_callers_tokenizer_counts(book: Book) -> None:
    """A tokenizer that counts words replaces the estimate, and the budget holds in its tokens."""
    for n in range(30):
        book.answer(f"answer{n}", f"The harbour ferry departs from pier number {n}.")
    pack = book.pack(budget=100, tokens=lambda text: len(text.split()))
    assert {one.tokens for one in pack.memories if not one.excerpt} == {28}
    assert pack.used <= 100
    assert len(pack.memories) >= 3


def test_a_tokenizer_that_finds_everything_free(book: Book) -> None:
    """With a tokenizer that counts nothing, each memory still costs its twenty."""
    for n in range(10):
        book.answer(f"answer{n}", f"The harbour ferry departs from pier number {n}.")
    assert len(book.pack(budget=100, tokens=lambda text: 0).memories) == 5


# the cap and excerpts


@pytest.mark.requirement("002-104")
def test_a_long_memory_is_cut_to_the_cap(book: Book) -> None:
    """One memory takes at most 400 tokens, as an excerpt that says so, and others still come."""
    book.answer(content="The harbour ferry departs from pier nine. " + FILLER * 60)
    book.answer("second", "The harbour ferry departs at noon.")
    pack = book.pack()
    found = {one.key: one for one in pack.memories}
    assert found["answer"].excerpt is True
    assert 340 <= found["answer"].tokens <= 400
    assert found["answer"].content.endswith("...")
    assert found["second"].excerpt is False


@pytest.mark.parametrize("cap", [25, 40, 100, 1000])
def test_the_cap_is_the_callers(book: Book, cap: int) -> None:
    """`max_memory_tokens` replaces 400."""
    book.answer(content="The harbour ferry departs from pier nine. " + FILLER * 60)
    assert 0 < book.pack().memories[0].tokens <= 400
    assert 0 < book.pack(max_memory_tokens=cap).memories[0].tokens <= cap


@pytest.mark.requirement("002-105")
@pytest.mark.parametrize("where", ["argument", "setting"])
def test_no_cap(open_book: Callable[..., Book], where: str) -> None:
    """-1 shows a long memory whole, if the budget holds it."""
    book = open_book(**({"max_memory_tokens": -1} if where == "setting" else {}))
    content = "The harbour ferry departs from pier nine. " + FILLER * 60
    book.answer(content=content)
    pack = book.pack(**({"max_memory_tokens": -1} if where == "argument" else {}))
    assert (pack.memories[0].content, pack.memories[0].excerpt) == (content, False)
    assert book.pack(budget=300, max_memory_tokens=-1).memories[0].excerpt is True


@pytest.mark.requirement("002-104")
def test_a_memory_of_exactly_the_cap_is_whole(book: Book) -> None:
    """At 400 tokens a memory is whole; at 401 it is cut."""
    base = "The harbour ferry departs from pier nine. "
    book.answer("at", base + "x" * (1520 - len(base)))
    book.answer("over", base + "y" * (1524 - len(base)))
    found = {one.key: (one.excerpt, one.tokens) for one in book.pack().memories}
    assert found["at"] == (False, 400)
    assert found["over"][0] is True


@pytest.mark.parametrize("place", [0, 1, 30, 58, 59])
def test_an_excerpt_is_centred_on_what_matched(book: Book, place: int) -> None:
    """The chunk of a long memory that matches the question is in its excerpt, wherever it stands."""
    parts = [FILLER] * 60
    parts[place] = "The harbour ferry departs from pier nine. "
    book.answer(content="".join(parts))
    assert "pier nine" in book.pack(budget=200).memories[0].content


@pytest.mark.parametrize("place", [0, 1, 30, 58, 59])
def test_an_excerpt_smaller_than_its_chunk_holds_what_matched(book: Book, place: int) -> None:
    """When the room is smaller than the matching chunk, the excerpt still shows the sentence that matched."""
    parts = [FILLER] * 60
    parts[place] = "The harbour ferry departs from pier nine. "
    book.answer(content="".join(parts))
    assert "pier nine" in book.pack(budget=80).memories[0].content


def test_an_excerpt_about_a_file_is_centred_on_what_matched_too(book: Book) -> None:
    """A memory that answers and is about a file at hand is cut around the answer, not at its beginning."""
    book.answer(content=FILLER * 40 + "A ferry is named. " + FILLER * 20, files=["a.py"])
    plain = book.one("answer", budget=200)
    assert "ferry" in plain.content
    found = book.one("answer", files=["a.py"], budget=200)
    assert found.why.stage == "file"
    assert "ferry" in found.content


def test_an_excerpt_ends_between_words(book: Book) -> None:
    """An excerpt consists of whole words of the memory and its dots."""
    content = "The harbour ferry departs from pier nine. " + FILLER * 60
    book.answer(content=content)
    for budget in range(40, 120, 7):
        text = book.pack(budget=budget).memories[0].content.removesuffix("...").removeprefix("...")
        assert text in content
        assert set(text.split()) <= set(content.split())


def test_an_excerpt_splits_no_character(book: Book) -> None:
    """In a script without spaces an excerpt is whole characters, within the budget."""
    content = "港口渡轮从九号码头出发。" * 200
    book.put("zh", content)
    for budget in range(30, 60):
        pack = book.pack("渡轮从哪里出发", budget=budget)
        text = pack.memories[0].content.removesuffix("...").removeprefix("...")
        assert text in content


@pytest.mark.requirement("002-106")
@pytest.mark.parametrize(("left", "expected"), [(24, False), (25, True), (60, True)])
def test_an_excerpt_needs_twenty_five_tokens(book: Book, left: int, expected: bool) -> None:
    """What does not fit whole is excerpted if 25 tokens are left, and left out otherwise."""
    book.answer("first", importance=1.0)
    cost = book.pack().used
    book.answer("second", "The harbour ferry departs. " + FILLER * 5, importance=0.1)
    pack = book.pack(budget=cost + left)
    assert ("second" in pack.keys) is expected
    if not expected:
        assert [(one.key, one.reason) for one in pack.left_out] == [("second", "budget")]


@pytest.mark.requirement("002-106")
def test_what_is_cut_for_the_rest_of_the_budget_says_so(book: Book) -> None:
    """With 25 tokens left and more, what does not fit is shown up to them with dots at its end; with 24, nothing of it is."""
    book.answer("first", importance=1.0)
    cost = book.pack().used
    content = "The harbour ferry departs. " + FILLER * 5
    book.answer("second", content, importance=0.1)
    for left in (25, 30, 60, 100):
        second = book.one("second", budget=cost + left)
        assert (second.excerpt, second.tokens <= left) == (True, True)
        assert second.content.endswith("...")
        assert content.startswith(second.content.removesuffix("..."))
    assert book.read(budget=cost + 24) == ["first"]


@pytest.mark.requirement("002-092")
def test_candidates_are_sorted_again_after_edges_were_followed(specified: Book) -> None:
    """A hit that edges raise above a better one takes what the pinned leave of the budget; without edges the better one does."""
    specified.put("rule", pinned=True)
    specified.answer("better", importance=0.6)
    specified.answer("raised", "The harbour ferry departs from pier ten.", importance=0.5)
    for n in range(3):
        specified.put(f"near{n}", f"A ferry zq{n} wx{n}.", importance=0.1)
        specified.edge("raised", f"near{n}", "relates_to", 1.0)
    assert specified.read(expand=False)[:3] == ["rule", "better", "raised"]
    assert specified.read()[:3] == ["rule", "raised", "better"]
    sizes = {one.key: one.tokens for one in specified.pack().memories}
    budget = max(3 * sizes["rule"], sizes["rule"] + sizes["raised"])
    assert specified.read(budget=budget, expand=False)[:2] == ["rule", "better"]
    assert specified.read(budget=budget)[:2] == ["rule", "raised"]


@pytest.mark.requirement("002-081", "002-092")
def test_a_smaller_memory_follows_one_that_did_not_fit(book: Book) -> None:
    """After a memory that does not fit even as an excerpt, one that fits is still packed."""
    book.answer("first", "The harbour ferry departs from pier nine.", importance=1.0)
    book.answer(
        "second", "The harbour ferry departs. Harbourmasterscertificate" + "x" * 400, importance=0.5
    )
    book.answer("third", "Harbour ferry: 9.", importance=0.1)
    assert book.read(budget=30 + 24) == ["first", "third"]


def test_a_huge_memory_is_cut_quickly(book: Book) -> None:
    """A memory of megabytes is excerpted like any other."""
    book.answer(content="The harbour ferry departs from pier nine. " + FILLER * 20_000)
    pack = book.pack(budget=100)
    assert pack.memories[0].excerpt is True
    assert "pier nine" in pack.memories[0].content


# summaries


def family(book: Book, *, matched: int = 1, children: int = 3) -> None:
    """Store a summary that the question does not find, over children of which it finds some."""
    for n in range(children):
        book.put(f"child{n}", f"The harbour ferry departs from pier {n}." if n < matched else "")
    book.put("summary")
    for n in range(children):
        book.edge("summary", f"child{n}", "contains")


@pytest.mark.requirement("002-091")
def test_a_packed_summary_suppresses_its_children(open_book: Callable[..., Book]) -> None:
    """With containment="always" a summary stands for all its children, and they name it as the reason."""
    book = open_book(containment="always")
    family(book, matched=2)
    pack = book.pack()
    assert pack.keys == ["summary"]
    assert {(one.key, one.by) for one in pack.left_out} == {
        ("child0", "summary"),
        ("child1", "summary"),
    }
    assert all("summary" in one.reason for one in pack.left_out)
    assert pack.memories[0].summary_of == ("child0", "child1", "child2")


@pytest.mark.requirement("002-128")
@pytest.mark.parametrize(("containment", "budget"), [("always", 4000), ("roomy", 75)])
def test_after_a_consolidation_the_summary_comes_in_place_of_its_sources(
    open_book: Callable[..., Book], containment: str, budget: int
) -> None:
    """What was answered by three memories is answered by their summary once there is one, and by them again without it."""
    book = open_book(containment=containment)
    keys = [f"answer{n}" for n in range(3)]
    for n, key in enumerate(keys):
        book.answer(key, f"The harbour ferry departs from pier {n}.")
    before = book.read(budget=budget)
    assert set(before) <= set(keys)
    assert len(before) >= 2
    book.ghost.consolidate(NS, "summary", "Ferries leave from three piers.", keys)
    pack = book.pack(budget=budget)
    assert pack.keys == ["summary"]
    assert {one.key: one.by for one in pack.left_out} == dict.fromkeys(keys, "summary")
    book.ghost.rm(NS, "summary")
    assert sorted(book.read(budget=budget)) == sorted(before)


def test_children_that_boost_each_other_are_suppressed_all_the_same(
    open_book: Callable[..., Book],
) -> None:
    """Children that are also linked to each other, as alike memories are, do not outscore their summary."""
    book = open_book(containment="always")
    family(book, matched=3)
    book.edge("child0", "child1", "relates_to", 1.0)
    book.edge("child1", "child2", "relates_to", 1.0)
    assert book.read() == ["summary"]


def test_a_summary_older_than_its_child_suppresses_it(open_book: Callable[..., Book]) -> None:
    """A child added to a summary later is suppressed like the others."""
    book = open_book(containment="always")
    family(book)
    book.answer("late")
    book.edge("summary", "late", "contains")
    assert book.read() == ["summary"]


def test_a_summary_that_is_itself_a_hit_suppresses_better_children(
    open_book: Callable[..., Book],
) -> None:
    """A summary that the question finds, but worse than its children, still stands for them."""
    book = open_book(containment="always")
    book.answer("child0", importance=1.0)
    book.answer("child1", importance=1.0)
    book.put("summary", "About the ferry, zq wx.", importance=0.1)
    for key in ("child0", "child1"):
        book.edge("summary", key, "contains")
    assert book.read() == ["summary"]


def test_a_pinned_summary_suppresses_its_children(open_book: Callable[..., Book]) -> None:
    """A summary that is packed because it is pinned stands for its children too."""
    book = open_book(containment="always")
    family(book)
    book.ghost.put(NS, "summary", "Zq wx.", pinned=True)
    assert book.read() == ["summary"]


@pytest.mark.requirement("002-091")
def test_children_follow_their_summary_when_everything_fits(book: Book) -> None:
    """When every candidate fits whole, the summary comes first and all its children follow it."""
    family(book)
    pack = book.pack(budget=4000)
    assert pack.keys[0] == "summary"
    assert sorted(pack.keys[1:]) == ["child0", "child1", "child2"]
    assert pack.left_out == ()


def test_a_summary_written_for_a_context_appears_in_it(book: Book) -> None:
    """After a consolidation the default budget shows the summary before its sources."""
    keys = [f"answer{n}" for n in range(6)]
    for n, key in enumerate(keys):
        book.answer(key, f"The harbour ferry departs from pier {n}.")
    book.ghost.consolidate(NS, "summary", "Ferries leave from six piers.", keys)
    assert book.read()[0] == "summary"
    assert sorted(book.read()[1:]) == keys


def test_a_summary_that_corrects_a_memory_comes_before_it(book: Book) -> None:
    """A summary comes before the memory that it corrects, and before its own children."""
    book.answer("old")
    family(book)
    book.edge("summary", "old", "contradicts")
    found = book.read()
    assert found[0] == "summary"
    assert set(found[1:]) == {"old", "child0", "child1", "child2"}


def test_a_tight_budget_shows_the_summary(book: Book) -> None:
    """When the candidates do not all fit, the summary stands for its children."""
    family(book, children=6)
    assert book.read(budget=100) == ["summary"]


@pytest.mark.requirement("002-091")
def test_one_candidate_that_does_not_fit_makes_the_budget_tight(book: Book) -> None:
    """Children are shown only when every candidate fits whole, not only the family."""
    family(book)
    book.answer("large", "The harbour ferry departs. " + FILLER * 20)
    assert {"summary", "large"} <= set(book.read(budget=300))
    assert not {"child0", "child1", "child2"} & set(book.read(budget=300))


def test_a_summary_with_a_removed_child_is_shown(book: Book) -> None:
    """A summary of which a child was removed is followed by the other children."""
    family(book)
    book.ghost.rm(NS, "child2")
    assert book.read() == ["summary", "child0", "child1"]


def test_a_summary_with_an_expired_child_is_shown(book: Book) -> None:
    """A summary of which a child has expired is followed by the other."""
    book.answer("child0")
    book.put("child1", ttl="1h")
    book.put("summary")
    book.edge("summary", "child0", "contains")
    book.edge("summary", "child1", "contains")
    book.clock.forward(hours=2)
    assert book.read() == ["summary", "child0"]


def test_a_summary_with_a_child_that_is_filtered_out_is_shown(book: Book) -> None:
    """A summary is followed only by the children that pass the filter."""
    book.answer("child0", tags=["trip"])
    book.put("child1")
    book.put("summary", tags=["trip"])
    book.edge("summary", "child0", "contains")
    book.edge("summary", "child1", "contains")
    assert book.read(tags=["trip"]) == ["summary", "child0"]


def test_a_dormant_summary_stays_asleep(book: Book) -> None:
    """A dormant summary is not pulled in, and its children are shown."""
    book.answer("child0")
    book.put("child1")
    book.put("summary", tier="dormant")
    for key in ("child0", "child1"):
        book.edge("summary", key, "contains")
    assert book.read() == ["child0"]


def nested(book: Book) -> None:
    """Store a summary of two summaries of two facts each; the question finds one fact."""
    book.answer("a")
    for key in ("b", "c", "d", "upper-ab", "upper-cd", "top"):
        book.put(key)
    for parent, child in (
        ("upper-ab", "a"),
        ("upper-ab", "b"),
        ("upper-cd", "c"),
        ("upper-cd", "d"),
    ):
        book.edge(parent, child, "contains")
    book.edge("top", "upper-ab", "contains")
    book.edge("top", "upper-cd", "contains")


@pytest.mark.parametrize(
    ("containment", "budget"), [("roomy", 30), ("roomy", 60), ("always", 60), ("always", 4000)]
)
def test_a_fact_is_told_once_by_nested_summaries(
    open_book: Callable[..., Book], budget: int, containment: str
) -> None:
    """Of a fact, its summary and the summary of that, the highest summary is packed."""
    book = open_book(containment=containment)
    nested(book)
    assert set(book.read(budget=budget)) & {"a", "upper-ab", "top"} == {"top"}


def test_nested_summaries_come_from_the_highest_to_the_fact(book: Book) -> None:
    """When everything fits, each summary comes before the memories that it contains."""
    nested(book)
    found = book.read(budget=4000)
    assert [key for key in found if key in ("a", "upper-ab", "top")] == ["top", "upper-ab", "a"]


def test_a_child_of_two_summaries_is_told_once(open_book: Callable[..., Book]) -> None:
    """A fact with two summaries is suppressed by either."""
    book = open_book(containment="always")
    book.answer("child")
    for key in ("one", "two"):
        book.put(key)
        book.edge(key, "child", "contains")
    assert sorted(book.read()) == ["one", "two"]


@pytest.mark.parametrize("containment", ["roomy", "always"])
def test_summaries_in_a_ring_hide_nothing(open_book: Callable[..., Book], containment: str) -> None:
    """Two memories that contain each other do not make both vanish."""
    book = open_book(containment=containment)
    book.answer("one")
    book.answer("two")
    book.edge("one", "two", "contains")
    book.edge("two", "one", "contains")
    assert book.read() != []


# reserves


def test_a_dependency_comes_before_filler(book: Book) -> None:
    """What the best answer depends on has its room before memories that merely match."""
    book.answer("best", importance=1.0)
    book.put("needed")
    book.edge("best", "needed", "depends_on")
    for n in range(20):
        book.answer(f"filler{n}", f"The harbour ferry departs from pier {n}.", importance=0.5)
    assert {"best", "needed"} <= set(book.read(budget=120))


def test_a_refutation_comes_before_filler(book: Book) -> None:
    """What contradicts the best answer has its room before memories that merely match."""
    book.answer("best", importance=1.0)
    for n in range(20):
        book.answer(f"filler{n}", f"The harbour ferry departs from pier {n}.", importance=0.99)
    book.put("newer")
    book.edge("newer", "best", "contradicts")
    assert book.read(budget=120)[:2] == ["newer", "best"]


def test_what_must_be_prevented_comes_before_filler(book: Book) -> None:
    """What the best answer prevents has its room too."""
    book.answer("best", importance=1.0)
    book.put("danger")
    book.edge("best", "danger", "prevents")
    for n in range(20):
        book.answer(f"filler{n}", f"The harbour ferry departs from pier {n}.")
    assert {"best", "danger"} <= set(book.read(budget=120))


def test_reserves_take_at_most_a_third(book: Book) -> None:
    """A dependency too large for the reserve does not push out what was found."""
    book.answer("best", importance=1.0)
    book.put("needed", "zq wx " * 60)
    book.edge("best", "needed", "depends_on")
    book.answer("second", "The harbour ferry departs from a quay too.")
    assert {"best", "second"} <= set(book.read(budget=100))


def test_a_reserve_that_is_not_needed_is_filled(book: Book) -> None:
    """Room kept for a dependency whose dependant does not fit is given to others."""
    book.answer("first", importance=1.0)
    for n in range(10):
        book.answer(f"filler{n}", f"The harbour ferry departs from pier {n}.")
    book.put("needed")
    book.edge("filler9", "needed", "depends_on", 0.1)
    pack = book.pack(budget=200)
    assert 200 - pack.used < 25


# compaction


def alike(book: Book, count: int = 4) -> None:
    """Store answers that are linked as alike."""
    for n in range(count):
        book.answer(f"alike{n}", f"The harbour ferry departs from pier {n}.")
    for n in range(1, count):
        book.edge("alike0", f"alike{n}", "relates_to", 0.9)


@pytest.mark.requirement("002-141")
def test_compaction_is_suggested_for_alike_memories_without_a_summary(book: Book) -> None:
    """A group of alike memories that no summary stands for is worth one, and the reason names some."""
    alike(book)
    pack = book.pack()
    assert pack.compaction_suggested is True
    assert "alike0" in pack.compaction_reason


@pytest.mark.requirement("002-141")
def test_compaction_is_not_suggested_again(book: Book) -> None:
    """After the consolidation that was suggested, nothing is suggested."""
    alike(book)
    book.ghost.consolidate(
        NS, "summary", "Ferries depart from several piers.", [f"alike{n}" for n in range(4)]
    )
    for budget in (60, 4000):
        pack = book.pack(budget=budget)
        assert (pack.compaction_suggested, pack.compaction_reason) == (False, "")


@pytest.mark.parametrize(
    "fields", [{"expand": False}, {"tags": ["trip"]}, {"exclude_pinned": True}], ids=str
)
def test_compaction_knows_a_summary_that_is_not_shown(
    book: Book, fields: dict[str, object]
) -> None:
    """A summary that a filter or a switch keeps out of the pack still stands for its children."""
    for n in range(4):
        book.answer(f"alike{n}", f"The harbour ferry departs from pier {n}.", tags=["trip"])
    for n in range(1, 4):
        book.edge("alike0", f"alike{n}", "relates_to", 0.9)
    book.ghost.consolidate(NS, "summary", "Zq wx.", [f"alike{n}" for n in range(4)])
    assert book.pack(**fields).compaction_suggested is False


def test_compaction_knows_a_pinned_summary(book: Book) -> None:
    """Children of a pinned summary need no other."""
    alike(book)
    book.ghost.consolidate(NS, "summary", "Zq wx.", [f"alike{n}" for n in range(4)])
    book.ghost.put(NS, "summary", "Zq wx.", pinned=True)
    assert book.pack().compaction_suggested is False


@pytest.mark.requirement("002-141")
def test_compaction_is_not_suggested_for_many_that_are_not_alike(book: Book) -> None:
    """Neither many left out nor a full namespace is a reason by itself."""
    for n in range(60):
        words = " ".join(f"zq{n}{letter}" for letter in "abcdefg")
        book.answer(f"answer{n}", f"The harbour ferry departs: {words}.")
    pack = book.pack(budget=100)
    assert pack.skipped > 2
    assert (pack.compaction_suggested, pack.compaction_reason) == (False, "")


def test_compaction_is_suggested_for_notes_of_one_pattern_without_vectors(book: Book) -> None:
    """Notes that share their words need no links to be worth a summary, and with one they are not."""
    keys = [f"note{n}" for n in range(40)]
    for n, key in enumerate(keys):
        book.answer(key, f"The harbour ferry departs from pier {n}.")
    assert "40 similar memories" in book.pack(budget=200).compaction_reason
    book.ghost.consolidate(NS, "summary", "Zq wx.", keys)
    assert book.pack(budget=200).compaction_suggested is False


@pytest.mark.parametrize("count", [1, 2])
def test_few_alike_memories_need_no_summary(book: Book, count: int) -> None:
    """One or two memories are no group."""
    alike(book, count)
    assert book.pack().compaction_suggested is False


def test_a_summary_of_very_many_is_not_opened(book: Book) -> None:
    """A summary of more memories than edges may add stands for them; they are not read one by one."""
    with book.ghost.store.engine.write() as tx:
        kind = type(tx.memories)
        looked = kind.by_ids
    for n in range(60):
        book.put(f"child{n:02}")
    book.answer("summary")
    for n in range(60):
        book.edge("summary", f"child{n:02}", "contains")
    asked: list[int] = []

    def counted(self: Any, ids: Any) -> Any:
        asked.append(len(list(ids)))
        return looked(self, ids)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "by_ids", counted)
        assert book.pack(budget=4000).keys == ["summary"]
    assert max(asked) < 60
