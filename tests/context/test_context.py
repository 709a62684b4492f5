"""Context assembly as a caller sees it: pinned first, floors, filters, files, namespaces, counting, odd values and odd stores."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.errors import InvalidInputError
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Book

NS = "agent:me"
WORDS = 40  # words of one syllable: 160 bytes, 40 tokens, 60 with the overhead


def long(word: str, words: int = WORDS) -> str:
    """Return a content of so many tokens of four bytes."""
    return f"{word} " * (words - 1) + word


# pinned


@pytest.mark.requirement("002-082")
def test_pinned_come_first_by_importance(book: Book) -> None:
    """Pinned memories lead, the most important first, whatever is asked."""
    book.answer(importance=1.0)
    for key, importance in (("low", 0.2), ("high", 0.9), ("middle", 0.5)):
        book.put(key, pinned=True, importance=importance)
    pack = book.pack()
    assert pack.keys == ["high", "middle", "low", "answer"]
    assert [one.score for one in pack.memories[:3]] == [0.9, 0.5, 0.2]


def test_equally_important_pinned_come_newest_first(book: Book) -> None:
    """Of equal importance, the newer is first."""
    book.put("older", pinned=True)
    book.put("newer", pinned=True)
    assert book.read() == ["newer", "older"]


@pytest.mark.requirement("002-083")
def test_pinned_take_at_most_a_third(book: Book) -> None:
    """Pinned memories take no more than a third of the budget; the rest is searched for."""
    for n in range(5):
        book.put(f"rule{n}", long("abc"), pinned=True, importance=0.9 - n / 10)
    book.answer()
    pack = book.pack(budget=400)
    assert [one.key for one in pack.memories if one.why.stage == "pinned"] == ["rule0", "rule1"]
    assert "answer" in pack.keys


@pytest.mark.requirement("002-083")
def test_a_third_exactly_is_a_third(book: Book) -> None:
    """A pinned memory of exactly a third of the budget fits; of one token more, not."""
    book.put("rule", long("abc"), pinned=True)
    assert book.pack().memories[0].tokens == 59
    assert book.read(budget=177) == ["rule"]
    assert book.read(budget=176) == []


def test_a_smaller_pinned_follows_one_that_did_not_fit(book: Book) -> None:
    """A pinned memory too large for its share is passed over, and smaller ones still come."""
    book.put("huge", long("abc", 2000), pinned=True, importance=0.9)
    book.put("small", pinned=True, importance=0.1)
    assert book.read(budget=400) == ["small"]


@pytest.mark.requirement("002-083")
def test_pinned_overflow_is_reported(book: Book) -> None:
    """What is pinned and not shown is named in the notes and among what was left out."""
    for n in range(4):
        book.put(f"rule{n}", long("abc"), pinned=True, importance=0.9 - n / 10)
    pack = book.pack(budget=200)
    assert pack.keys == ["rule0"]
    assert any("rule1" in note and "rule3" in note for note in pack.notes)
    assert {one.key for one in pack.left_out} == {"rule1", "rule2", "rule3"}


@pytest.mark.requirement("002-083")
def test_every_pinned_that_overflows_can_be_learnt(book: Book) -> None:
    """However many overflow, the number in the notes and in `skipped` tells all of them."""
    for n in range(30):
        book.put(f"rule{n:02}", long("abc"), pinned=True, importance=0.9 - n / 100)
    pack = book.pack(budget=200)
    assert any("29 pinned" in note for note in pack.notes)
    assert pack.skipped == 29


def test_a_pinned_memory_that_overflows_and_answers_is_searched_for(book: Book) -> None:
    """A pinned memory beyond the third still comes when the question finds it, and is not reported as missing."""
    book.put("first", long("abc"), pinned=True, importance=1.0)
    book.answer(pinned=True, importance=0.1)
    pack = book.pack(budget=180)
    assert pack.keys == ["first", "answer"]
    assert pack.notes == ()
    assert pack.left_out == ()


def test_a_pinned_memory_that_answers_stands_once(book: Book) -> None:
    """What is pinned and found is there once, as pinned."""
    book.answer(pinned=True)
    pack = book.pack()
    assert [(one.key, one.why.stage, one.pinned) for one in pack.memories] == [
        ("answer", "pinned", True)
    ]


@pytest.mark.requirement("002-142")
def test_pinned_are_never_floored(book: Book) -> None:
    """No floor of the caller keeps a pinned memory out."""
    book.put("rule", pinned=True, importance=0.1)
    book.answer()
    assert book.read(min_score=99.0) == ["rule"]
    assert book.read(min_score=99.0, min_spread=99.0) == ["rule"]


@pytest.mark.requirement("002-082")
def test_pinned_ignore_filters(book: Book) -> None:
    """Tags, kind and tier narrow the search, not what is always known."""
    book.put("rule", pinned=True, kind="procedural", tier="dormant")
    book.answer(tags=["trip"])
    assert book.read(tags=["trip"], kind="semantic") == ["rule", "answer"]


def test_pinned_can_be_excluded(book: Book) -> None:
    """`exclude_pinned` leaves out what the agent already has."""
    book.put("rule", pinned=True)
    book.answer()
    assert book.read(exclude_pinned=True) == ["answer"]


def test_excluded_pinned_do_not_return_through_search(book: Book) -> None:
    """A pinned memory that the question finds stays out too when pinned ones are excluded."""
    book.answer("rule", pinned=True)
    book.answer("fact")
    assert book.read(exclude_pinned=True) == ["fact"]


def test_excluded_pinned_do_not_return_over_edges(book: Book) -> None:
    """A pinned memory next to a hit stays out too when pinned ones are excluded."""
    book.put("rule", pinned=True)
    book.answer()
    book.edge("answer", "rule", "relates_to")
    assert book.read(exclude_pinned=True) == ["answer"]


def test_asking_for_others_than_pinned_leaves_pinned_out(book: Book) -> None:
    """`pinned=False` asks for memories that are not pinned, and gets no other."""
    book.put("rule", pinned=True)
    book.answer()
    assert book.read(pinned=False) == ["answer"]


def test_pinned_of_other_namespaces_stay_there(book: Book) -> None:
    """What is pinned elsewhere is not shown here."""
    book.put("theirs", ns="agent:you", pinned=True)
    book.answer()
    assert book.read() == ["answer"]


# nothing to say


def test_an_empty_store_has_an_empty_pack(book: Book) -> None:
    """Without memories there is a pack of nothing, not an error."""
    pack = book.pack(budget=100)
    assert (pack.budget, pack.used, pack.memories, pack.skipped, pack.compaction_suggested) == (
        100,
        0,
        (),
        0,
        False,
    )
    assert book.pack(ns="no:such").memories == ()
    assert book.pack(ns=None).memories == ()


def test_nothing_relevant_is_nothing(book: Book) -> None:
    """A question about what is not there brings only what is pinned."""
    book.answer()
    book.put("rule", pinned=True)
    assert book.read("quantum chromodynamics of neutron stars") == ["rule"]


@pytest.mark.requirement("002-082")
@pytest.mark.parametrize("query", ["", "   ", "?!", "the of and", "🙂"])
def test_a_question_of_nothing(book: Book, query: str) -> None:
    """A question without a word finds nothing, and pinned memories still come."""
    book.answer()
    book.put("rule", pinned=True)
    assert book.read(query) == ["rule"]


# floors


@pytest.mark.requirement("002-142")
def test_min_score_leaves_out_the_rest(book: Book) -> None:
    """What scores less than the floor is left out, and said to be."""
    book.answer(importance=1.0)
    book.put("weak", "A ferry zq wx.", importance=0.0, priority="low", tier="stm")
    pack = book.pack(min_score=0.6)
    assert pack.keys == ["answer"]
    assert [(one.key, one.reason) for one in pack.left_out] == [("weak", "floor")]


def test_a_floor_spares_what_typed_edges_lead_to(book: Book) -> None:
    """What came over an edge with a meaning stands with the memory it came from, below the floor or not."""
    book.answer()
    for rel in ("contradicts", "depends_on", "refines", "caused_by", "prevents", "implies"):
        book.put(rel)
        book.edge("answer", rel, rel)
    found = book.read(min_score=0.5)
    assert {"contradicts", "depends_on", "refines", "caused_by", "prevents"} <= set(found)


def test_a_floor_takes_what_came_from_below_it(book: Book) -> None:
    """When the seed falls to the floor, so does what it led to."""
    book.answer()
    book.put("far")
    book.edge("answer", "far", "refines")
    assert book.read(min_score=0.99) == []


def test_a_floor_never_separates_a_fact_from_its_correction(book: Book) -> None:
    """A correction that scores below the floor comes when what it corrects does."""
    book.answer(importance=1.0)
    book.put("newer", importance=0.0)
    book.edge("newer", "answer", "contradicts")
    score = book.one("answer").score
    assert book.read(min_score=score - 0.01) == ["newer", "answer"]


@pytest.mark.requirement("002-142")
def test_min_spread_keeps_only_the_best(book: Book) -> None:
    """When the best and the fifth lie closer together than the spread, only the best is kept."""
    for n in range(6):
        book.answer(
            f"answer{n}",
            f"The harbour ferry departs from pier {n}.",
            importance=0.9 if n == 3 else 0.5,
        )
    assert book.read(min_spread=10.0) == ["answer3"]
    assert len(book.read(min_spread=0.0)) == 6


def test_min_spread_counts_linked_memories(book: Book) -> None:
    """One hit whose other candidates are only similar to it stays alone."""
    book.answer()
    for n in range(5):
        book.put(f"near{n}")
        book.edge("answer", f"near{n}", "relates_to", 0.9)
    assert book.read(min_spread=10.0) == ["answer"]
    assert len(book.read(min_spread=0.0)) == 6


def test_min_spread_keeps_the_bests_correction(book: Book) -> None:
    """The best that is left has its correction beside it."""
    book.answer("best", importance=1.0)
    book.answer("second")
    book.put("newer")
    book.edge("newer", "best", "contradicts")
    assert book.read(min_spread=10.0) == ["newer", "best"]


@pytest.mark.parametrize("name", ["min_score", "min_spread"])
@pytest.mark.parametrize("value", ["high", float("nan"), True, [1]])
def test_a_floor_that_is_no_number_is_refused(book: Book, name: str, value: Any) -> None:
    """A floor must be a number, and the error says which value is none."""
    book.answer()
    with pytest.raises(InvalidInputError, match=name):
        book.pack(**{name: value})


# filters


@pytest.mark.requirement("002-085")
def test_tags_and_kind_narrow_the_search(book: Book) -> None:
    """Only what carries every tag and is of the kind is searched."""
    book.answer("both", tags=["trip", "sea"])
    book.answer("one", "The harbour ferry departs daily.", tags=["trip"])
    book.answer("none")
    book.answer(
        "how",
        "Where the harbour ferry departs, turn left.",
        kind="procedural",
        tags=["trip", "sea"],
    )
    assert sorted(book.read(tags=["trip"])) == ["both", "how", "one"]
    assert sorted(book.read(tags=["trip", "sea"])) == ["both", "how"]
    assert book.read(kind="procedural") == ["how"]


def test_a_correction_without_the_tag_still_comes(book: Book) -> None:
    """A filter narrows what is asked for; it never hides that an answer is wrong."""
    book.answer(tags=["trip"])
    book.put("newer", kind="episodic", tags=["other"])
    book.edge("newer", "answer", "contradicts")
    assert book.read(tags=["trip"], kind="semantic") == ["newer", "answer"]


def test_a_dependency_without_the_tag_still_comes(book: Book) -> None:
    """What an answer depends on comes whatever its tags."""
    book.answer(tags=["trip"])
    book.put("needed")
    book.edge("answer", "needed", "depends_on")
    assert book.read(tags=["trip"]) == ["answer", "needed"]


# files


def test_memories_about_the_files_at_hand_join(book: Book) -> None:
    """A memory linked to a file at hand is a seed, without a word of the question."""
    book.answer()
    book.put("cart", files=["src/cart.py"])
    book.put("other", files=["src/other.py"])
    pack = book.pack(files=["src/cart.py"])
    assert sorted(pack.keys) == ["answer", "cart"]
    assert book.one("cart", files=["src/cart.py"]).why.stage == "file"


def test_files_alone_are_enough(book: Book) -> None:
    """Without a question, the files at hand decide."""
    book.put("cart", files=["src/cart.py"])
    assert book.read("", files=["src/cart.py"]) == ["cart"]


def test_edges_are_followed_from_files(book: Book) -> None:
    """What a memory about a file depends on, and what corrects it, come along."""
    book.put("cart", files=["src/cart.py"])
    book.put("needed")
    book.put("newer")
    book.edge("cart", "needed", "depends_on")
    book.edge("newer", "cart", "contradicts")
    assert book.read("", files=["src/cart.py"]) == ["newer", "cart", "needed"]


def test_files_pass_the_filters(book: Book) -> None:
    """Namespace, tags and tier hold for memories about files too."""
    book.put("theirs", ns="agent:you", files=["a.py"])
    book.put("asleep", tier="dormant", files=["a.py"])
    book.put("untagged", files=["a.py"])
    book.put("tagged", tags=["x"], files=["a.py"])
    assert book.read("", files=["a.py"], tags=["x"]) == ["tagged"]


def test_two_files_of_one_memory_bring_it_once(book: Book) -> None:
    """A memory about both files at hand is packed once."""
    book.put("both", files=["a.py", "b.py"])
    assert book.read("", files=["a.py", "b.py", "a.py"]) == ["both"]


def test_a_file_at_hand_never_lowers_a_hit(book: Book) -> None:
    """A memory that answers and is about the file keeps the better of its scores."""
    book.answer(files=["a.py"])
    plain = book.one("answer").score
    assert book.one("answer", files=["a.py"]).score >= plain


@pytest.mark.parametrize("files", ["a.py", [3], ["a\0b"]], ids=["text", "number", "nul"])
def test_files_must_be_paths(book: Book, files: Any) -> None:
    """Anything but a list of paths is refused."""
    with pytest.raises(InvalidInputError):
        book.pack(files=files)


# namespaces


def test_a_prefix_reads_several_namespaces(book: Book) -> None:
    """With a prefix the same key of two namespaces is two memories, each named by its namespace."""
    book.answer(ns="agent:me")
    book.answer(ns="agent:you")
    book.answer(ns="team:all")
    pack = book.pack(ns="agent:*")
    assert sorted((one.ns, one.key) for one in pack.memories) == [
        ("agent:me", "answer"),
        ("agent:you", "answer"),
    ]
    assert len(book.pack(ns=None).memories) == 3


def test_edges_stay_inside_their_namespace(book: Book) -> None:
    """With a prefix, a correction corrects the memory of its own namespace only."""
    for ns in ("agent:me", "agent:you"):
        book.answer(ns=ns)
        book.put("newer", ns=ns)
    book.edge("newer", "answer", "contradicts", ns="agent:you")
    pack = book.pack(ns="agent:*")
    assert sorted((one.ns, one.key) for one in pack.memories) == [
        ("agent:me", "answer"),
        ("agent:you", "answer"),
        ("agent:you", "newer"),
    ]


def test_an_edge_that_crosses_namespaces_is_not_walked(
    open_book: Callable[..., Book], tmp_path: Path
) -> None:
    """Whatever way an edge between namespaces came into a file, no context follows it, and none is held back by it."""
    book = open_book(tmp_path / "crossed.db")
    book.answer()
    book.put("theirs", ns="agent:you")
    book.put("near")
    book.edge("answer", "near", "contradicts")
    theirs = book.ghost.get("agent:you", "theirs").id
    near = book.ghost.get(NS, "near").id
    with book.ghost.store.engine.write() as tx:
        tx.graph.relink(near, theirs)
    assert book.read() == ["answer"]


# time


def test_what_expires_is_out_at_once(book: Book) -> None:
    """A memory is packed until its time is up, and then reported as expired."""
    book.answer(ttl="1h")
    assert book.read() == ["answer"]
    book.clock.forward(hours=2)
    pack = book.pack()
    assert pack.keys == []
    assert [(one.key, one.reason) for one in pack.left_out] == [("answer", "expired")]


def test_an_expired_memory_makes_no_noise_relevant(book: Book) -> None:
    """What only an expired memory answers is answered with nothing, as search does."""
    book.answer(content="The ferry schedule of Gothenburg harbour changes in October.", ttl="1h")
    book.put(
        "noise",
        "The bicycle chain needs oil, as the schedule of the mechanic says, and so do both brakes and the old bell.",
    )
    book.clock.forward(hours=2)
    query = "When does the ferry schedule of Gothenburg harbour change?"
    assert [hit.memory.key for hit in book.ghost.search(query, NS)] == []
    assert book.read(query) == []


@pytest.mark.wide
def test_expired_memories_crowd_nobody_out(book: Book) -> None:
    """However many better matches have expired, a live one is found."""
    book.answer(
        content="The harbour ferry departs from pier nine, and the kiosk beside it sells coffee and newspapers."
    )
    for n in range(300):
        book.put(f"gone{n}", f"The harbour ferry departs: {n}.", ttl="1h")
    book.clock.forward(days=1)
    assert [
        hit.memory.key for hit in book.ghost.search("where does the harbour ferry depart?", NS)
    ] == ["answer"]
    assert book.read() == ["answer"]


def test_now_is_the_callers(book: Book) -> None:
    """`now` decides what has expired and how recent a memory is."""
    book.answer(ttl="30d")
    later = book.clock.at.replace(year=2027)
    assert book.read(now=later) == []
    assert book.read() == ["answer"]


# counting


def days(ghost: Ghost) -> dict[str, tuple[int, int]]:
    """Return how often each memory was used and shown, as the access log has it."""
    keys = {one.id: one.key for one in ghost.list(NS)}
    with ghost.store.engine.read() as tx:
        return {keys[row.memory_id]: (row.used, row.shown) for row in tx.journal.accesses()}


@pytest.mark.requirement("002-026")
def test_a_context_is_shown_not_used(book: Book) -> None:
    """Every packed memory counts one retrieval, and the log calls it exposure; what was left out counts nothing."""
    book.answer()
    book.put("rule", pinned=True)
    book.put("far")
    book.edge("answer", "far", "relates_to")
    book.put("elsewhere")
    assert len(book.read()) == 3
    counts = {one.key: (one.access_count, one.utility_count) for one in book.ghost.list(NS)}
    assert counts == {"answer": (1, 0), "rule": (1, 0), "far": (1, 0), "elsewhere": (0, 0)}
    assert days(book.ghost) == {"answer": (0, 1), "rule": (0, 1), "far": (0, 1)}


@pytest.mark.requirement("002-026")
def test_use_is_told_from_exposure(book: Book) -> None:
    """Search and context show; get, expand and used use; all of them count."""
    book.answer()
    book.answer("other")
    book.ghost.consolidate(NS, "summary", "Zq wx.", ["answer", "other"])
    book.ghost.search("where does the harbour ferry depart?", NS)
    assert days(book.ghost)["answer"] == (0, 1)
    book.ghost.get(NS, "answer")
    book.ghost.expand(NS, "summary")
    book.ghost.used(NS, ["answer"])
    assert days(book.ghost)["answer"] == (3, 1)
    assert {one.key: one.access_count for one in book.ghost.list(NS)}["answer"] >= 3


def test_a_pack_shows_counts_from_before(book: Book) -> None:
    """The same question at the same time over an untouched store scores the same; counting comes after."""
    book.answer()
    assert book.one("answer").why.parts["access"] == 0


def test_a_read_only_store_answers(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that cannot be written is read, and nothing is counted."""
    book.answer()
    book.put("far")
    book.edge("answer", "far", "relates_to")
    monkeypatch.setattr(book.ghost.store.engine, "read_only", True)
    assert book.read() == ["answer", "far"]
    assert book.ghost.edges(NS)[0].weight == 0.5


def test_a_file_that_cannot_be_written_answers(
    open_ghost: Callable[..., Ghost],
    store_at: Callable[[str], str],
    clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A context of a store that another process is writing comes without waiting, uncounted."""
    ghost = open_ghost("memory.db")
    ghost.put(NS, "answer", "The harbour ferry departs from pier nine.")
    with Ghost.open(
        store_at("memory.db"), settings=Settings(embed_provider="none"), clock=clock
    ) as other:
        monkeypatch.setattr("ghostmem.store.lookup.PATIENCE", 0.0)
        with other.store.engine.write():
            assert ghost.context("where does the harbour ferry depart?", NS).keys == ["answer"]
    assert ghost.list(NS)[0].access_count == 0


# values


@pytest.mark.parametrize("budget", [0, -1, 1.5, "100", True, None, 2**63])
def test_a_budget_is_a_positive_whole_number(book: Book, budget: Any) -> None:
    """Any other budget is refused by name."""
    with pytest.raises(InvalidInputError, match="budget"):
        book.ghost.context("x", NS, budget=budget)


@pytest.mark.parametrize("budget", [1, 5, 19, 20, 24, 25, 28])
def test_a_budget_too_small_for_anything(book: Book, budget: int) -> None:
    """A budget below the smallest memory gives nothing, and says that the budget was the reason."""
    book.answer(
        content="The harbour ferry departs from pier nine, next to the lighthouse and the old customs house."
    )
    pack = book.pack(budget=budget)
    assert pack.used <= budget
    if not pack.memories:
        assert [(one.key, one.reason) for one in pack.left_out] == [("answer", "budget")]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "nonsense"),
        ("tiers", ["nonsense"]),
        ("tags", "text"),
        ("max_memory_tokens", 0),
        ("max_memory_tokens", -2),
    ],
)
def test_wrong_values_are_refused(book: Book, name: str, value: Any) -> None:
    """A value that means nothing is an error, not an empty pack."""
    with pytest.raises(InvalidInputError):
        book.pack(**{name: value})


@pytest.mark.parametrize("value", [True, "400", 2.5])
def test_a_cap_is_a_whole_number(book: Book, value: Any) -> None:
    """A cap of another type is refused."""
    with pytest.raises(InvalidInputError, match="max_memory_tokens"):
        book.pack(max_memory_tokens=value)


@pytest.mark.parametrize("returned", [-1, 1.5, None, "3", True])
def test_a_tokenizer_must_return_a_count(book: Book, returned: Any) -> None:
    """A tokenizer that returns anything but a count is refused with what it returned."""
    book.answer()
    with pytest.raises(InvalidInputError, match="tokens"):
        book.pack(tokens=lambda text: returned)


def test_a_tokenizer_must_be_a_function(book: Book) -> None:
    """A tokenizer that cannot be called is refused by name."""
    book.answer()
    with pytest.raises(InvalidInputError, match="tokens"):
        book.pack(tokens="cl100k_base")


def test_a_tokenizer_that_raises_leaves_the_store_usable(book: Book) -> None:
    """A failing tokenizer's own error reaches the caller, nothing is counted, and the next context works."""

    def broken(text: str) -> int:
        raise RuntimeError("no vocabulary")

    book.answer()
    with pytest.raises(RuntimeError, match="no vocabulary"):
        book.pack(tokens=broken)
    assert book.ghost.list(NS)[0].access_count == 0
    assert book.read() == ["answer"]


def test_a_tokenizer_may_use_the_store(book: Book) -> None:
    """A tokenizer runs outside any transaction."""
    book.answer()
    assert book.pack(tokens=lambda text: len(book.ghost.list(NS))).memories[0].tokens == 21


def test_scripts_and_signs(book: Book) -> None:
    """Chinese, Arabic, emoji and combining marks are found, packed and counted by their bytes."""
    for key, content in {
        "zh": "港口渡轮从九号码头出发。",
        "ar": "تغادر العبارة من الرصيف التاسع",
        "😀": "😀 harbour 👨‍👩‍👧",
    }.items():
        book.put(key, content)
    for query, key in (("渡轮从哪里出发", "zh"), ("العبارة الرصيف", "ar"), ("harbour", "😀")):
        one = next(one for one in book.pack(query).memories if one.key == key)
        assert one.tokens == len(one.content.encode()) // 4 + 20


def test_the_same_store_gives_the_same_pack(
    open_ghost: Callable[..., Ghost], clock: Any, tmp_path: Path
) -> None:
    """Same store, same time, same question: byte for byte the same pack."""
    paths = (tmp_path / "memory.db", tmp_path / "copy.db")
    ghost = open_ghost(paths[0])
    for n in range(20):
        ghost.put(
            NS,
            f"k{n}",
            f"The harbour ferry departs from pier {n}.",
            created_at="2026-01-01T00:00:00Z",
        )
    for n in range(1, 20):
        ghost.edge(NS, "k0", f"k{n}", "contradicts" if n % 3 == 0 else "relates_to")
    ghost.transfer.backup(paths[1])
    at = clock.at
    packs = [
        json.dumps(
            open_ghost(path)
            .context("where does the harbour ferry depart?", NS, budget=300, now=at)
            .to_dict()
        )
        for path in paths
    ]
    assert packs[0] == packs[1]


def test_tidying_is_suggested_only_for_what_was_asked_about(
    open_ghost: Callable[..., Ghost],
) -> None:
    """Similar memories that only links lead to are no part of the answer."""
    ghost = open_ghost(":memory:", context_whole=False)
    ghost.put("a", "refund", "A refund takes five days.")
    cakes = ["lemon", "carrot", "plum", "apple", "cherry"]
    for name in cakes:
        ghost.put("a", name, f"The birthday cake had {name} in it.")
    for first, second in (("refund", "lemon"), *pairwise(cakes)):
        ghost.edge("a", first, second, "relates_to")
    assert not ghost.context("refund", "a").compaction_suggested
    assert ghost.context("birthday cake", "a").compaction_suggested


def test_a_weaker_hit_is_not_packed(open_ghost: Callable[..., Ghost]) -> None:
    """What a search calls a weaker hit is no part of a context, however much room there is."""
    ghost = open_ghost(":memory:", embed_provider="static", context_whole=False)
    for key, text in (
        ("fridays", "Priya does not work on Fridays."),
        ("desk", "Jonas works at the desk by the window."),
        ("lunch", "Lunch is at noon in the canteen."),
        ("refund", "A refund goes back over the same payment provider within five days."),
        ("stack", "The shop runs on Django with PostgreSQL."),
    ):
        ghost.put("a", key, text)
    pack = ghost.context("who works on Fridays", "a", budget=1000)
    assert [memory.key for memory in pack.memories] == ["fridays"]
    assert (pack.left_out[0].key, pack.left_out[0].reason) == ("desk", "floor")
