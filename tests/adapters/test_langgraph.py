"""The LangGraph store against LangGraph itself: the same operations on its own in-memory store give the same answers"""

import asyncio
import random
from collections.abc import Callable
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.conftest import needs
from docs_example import run_example
from ghostmem import Ghost

pytestmark = needs("langgraph", "langgraph")
Clock = Any


@pytest.fixture
def store(ghost: Ghost) -> Any:
    """Return a LangGraph store over an empty Ghost."""
    from ghostmem.adapters.langgraph import GhostStore

    return GhostStore(ghost)


@pytest.fixture
def theirs() -> Any:
    """Return LangGraph's own store."""
    from langgraph.store.memory import InMemoryStore

    return InMemoryStore()


ITEMS: list[tuple[tuple[str, ...], str, dict[str, Any]]] = [
    (
        ("users", "ada"),
        "prefs",
        {"text": "drinks green tea", "n": 1, "deep": {"a": [1, {"b": None}]}, "on": True},
    ),
    (
        ("users", "ada"),
        "profile",
        {"text": "lives in Oslo", "n": 2, "deep": {"a": []}, "on": False},
    ),
    (("users", "ada", "notes"), "prefs", {"text": "keeps a boat", "n": 3.5}),
    (("users", "b@c.org"), "prefs", {"text": "drinks coffee", "n": 10, "list": ["a", "b"]}),
    (("users_old",), "x y/z%", {"text": "gone", "n": -1}),
    (("docs", "日本", "_1"), "日本\n語", {"text": "文書", "n": 0, "empty": "", "blank": " "}),
    (("docs", "a--b", ""), "", {"n": 7}),
]


def fill(*stores: Any) -> None:
    """Put the same items into several stores."""
    from langgraph.store.base import PutOp

    for store in stores:
        for namespace, key, value in ITEMS:
            store.batch([PutOp(namespace, key, value)])  # put() itself refuses some of these names


def shown(items: list[Any]) -> list[Any]:
    """Return what items are, in an order that does not depend on the store."""
    return sorted(((item.namespace, item.key, item.value) for item in items), key=repr)


def test_it_is_a_store(store: Any) -> None:
    """As LangGraph checks it."""
    from langgraph.store.base import BaseStore

    assert isinstance(store, BaseStore)
    assert store.supports_ttl


def test_every_item_comes_back(store: Any, theirs: Any) -> None:
    """Namespace, key and value, whatever they are."""
    from langgraph.store.base import GetOp

    fill(store, theirs)
    for namespace, key, value in ITEMS:
        (mine,), (other,) = (
            store.batch([GetOp(namespace, key)]),
            theirs.batch([GetOp(namespace, key)]),
        )
        assert (
            (mine.namespace, mine.key, mine.value)
            == (other.namespace, other.key, other.value)
            == (namespace, key, value)
        )
        assert mine.created_at.tzinfo is not None
    assert store.get(("users", "ada"), "nothing") is theirs.get(("users", "ada"), "nothing") is None
    assert store.get(("nobody",), "prefs") is None


SEARCHES: list[tuple[tuple[str, ...], dict[str, Any] | None]] = [
    ((), None),
    (("users",), None),
    (("users", "ada"), None),
    (("users", "ada", "notes"), None),
    (("docs", "a--b"), None),
    (("nobody",), None),
    (("users",), {"text": "drinks coffee"}),
    (("users",), {"n": {"$gt": 1}}),
    (("users",), {"n": {"$gte": 2, "$lt": 10}}),
    ((), {"n": {"$lte": 0}}),
    ((), {"n": {"$ne": 1}}),
    ((), {"n": {"$eq": 3.5}}),
    ((), {"deep": {"a": []}}),
    ((), {"deep": {"a": [1, {"b": None}]}}),
    ((), {"list": ["a", "b"]}),
    ((), {"on": True, "n": {"$lt": 2}}),
    ((), {"missing": "x"}),
]


@pytest.mark.parametrize("prefix", dict.fromkeys(prefix for prefix, _ in SEARCHES), ids=str)
def test_searches_without_a_question_find_the_same(
    store: Any, theirs: Any, prefix: tuple[str, ...]
) -> None:
    """Below a prefix of whole names, with every operator of filters."""
    fill(store, theirs)
    for given, wanted in SEARCHES:
        if given == prefix:
            mine = shown(store.search(prefix, filter=wanted, limit=50))
            assert mine == shown(theirs.search(prefix, filter=wanted, limit=50)), wanted


def test_pages_of_a_search_are_all_of_it(store: Any) -> None:
    """Limit and offset cut one order: newest first."""
    for number in range(7):
        store.put(("a",), f"k{number}", {"n": number, "even": number % 2 == 0})
    pages = [
        item.key for offset in (0, 3, 6) for item in store.search(("a",), limit=3, offset=offset)
    ]
    assert pages == [f"k{number}" for number in reversed(range(7))]
    assert [
        item.key for item in store.search(("a",), filter={"even": True}, limit=2, offset=1)
    ] == ["k4", "k2"]
    assert store.search(("a",), limit=3, offset=9) == []


NAMESPACES: list[dict[str, Any]] = [
    {},
    {"prefix": ("users",)},
    {"prefix": ("users", "*")},
    {"suffix": ("notes",)},
    {"suffix": ("*", "notes")},
    {"prefix": ("users",), "suffix": ("notes",)},
    {"prefix": ("*", "日本")},
    {"max_depth": 1},
    {"max_depth": 2, "prefix": ("users",)},
    {"limit": 2},
    {"limit": 2, "offset": 1},
    {"prefix": ("nobody",)},
]


@pytest.mark.parametrize("given", NAMESPACES, ids=str)
def test_namespaces_are_listed_alike(store: Any, theirs: Any, given: dict[str, Any]) -> None:
    """Prefixes, suffixes, wildcards, depth and pages."""
    fill(store, theirs)
    assert store.list_namespaces(**given) == theirs.list_namespaces(**given)


def test_an_empty_namespace_is_not_listed(store: Any) -> None:
    """Once its last item is deleted."""
    store.put(("a",), "k", {"n": 1})
    store.delete(("a",), "k")
    assert store.list_namespaces() == []


def test_a_put_again_is_an_update(store: Any, ghost: Ghost, clock: Clock) -> None:
    """The value is replaced, not merged; the time of creation stays, and the versions do too."""
    store.put(("a",), "k", {"old": 1})
    first = store.get(("a",), "k")
    clock.forward(hours=1)
    store.put(("a",), "k", {"new": 2})
    second = store.get(("a",), "k")
    assert second.value == {"new": 2}
    assert second.created_at == first.created_at
    assert second.updated_at - first.updated_at >= timedelta(hours=1)
    assert [memory.meta["langgraph"]["value"] for memory in ghost.history("langgraph:a", "k")] == [
        {"old": 1},
        {"new": 2},
    ]


def test_the_same_put_again_is_no_new_version(store: Any, ghost: Ghost) -> None:
    """Loops put what is there already."""
    for _ in range(3):
        store.put(("a",), "k", {"n": 1})
    assert len(ghost.history("langgraph:a", "k")) == 1


def test_a_deleted_item_is_gone_and_can_come_back(store: Any, ghost: Ghost) -> None:
    """Deleting what is not there is no error, as with theirs."""
    store.put(("a",), "k", {"n": 1})
    store.delete(("a",), "k")
    store.delete(("a",), "k")
    assert store.get(("a",), "k") is None
    assert store.search(("a",)) == []
    ghost.restore("langgraph:a", "k")
    assert store.get(("a",), "k").value == {"n": 1}


def test_a_batch_answers_before_it_puts(store: Any, theirs: Any) -> None:
    """The results stand in the order of the operations, and the last put of a key wins, as with theirs."""
    from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchOp

    ops = [
        PutOp(("a",), "k", {"n": 1}),
        ListNamespacesOp(),
        GetOp(("a",), "k"),
        PutOp(("a",), "k", {"n": 2}),
        SearchOp(("a",)),
        PutOp(("a",), "gone", {"n": 3}),
        PutOp(("a",), "gone", None),
    ]
    assert store.batch(ops) == theirs.batch(ops) == [None, [], None, None, [], None, None]
    assert store.get(("a",), "k").value == {"n": 2}
    assert store.get(("a",), "gone") is None


def test_a_question_finds_by_words_with_scores(store: Any) -> None:
    """Best first; nothing when nothing is about it; the filter and the prefix hold."""
    fill(store)
    found = store.search(("users",), query="who drinks green tea?")
    assert found[0].key == "prefs"
    assert found[0].value["text"] == "drinks green tea"
    assert all(item.score is not None and item.score <= found[0].score for item in found)
    assert store.search((), query="submarine volcano") == []
    assert [
        item.value["n"]
        for item in store.search(("users",), query="drinks", filter={"n": {"$gt": 5}})
    ] == [10]
    assert store.search(("docs",), query="green tea") == []


def test_a_filter_reaches_far_down_the_ranking(store: Any) -> None:
    """The only match is below dozens of better hits."""
    for number in range(60):
        store.put(
            ("a",), f"k{number}", {"text": f"green tea number {number}", "rare": number == 13}
        )
    assert [
        item.key for item in store.search(("a",), query="green tea", filter={"rare": True}, limit=3)
    ] == ["k13"]
    assert len(store.search(("a",), query="green tea", limit=25, offset=5)) == 25


def test_only_what_is_indexed_is_searched(ghost: Ghost, store: Any) -> None:
    """index=False is found by its key and in listings, fields limit what is looked at."""
    store.put(("a",), "hidden", {"text": "zebra in the attic"}, index=False)
    store.put(
        ("a",),
        "part",
        {"title": "zebra", "body": "giraffe", "list": [{"x": "okapi"}, {"x": "gnu"}]},
        index=["title", "list[*].x"],
    )
    assert [item.key for item in store.search(("a",), query="zebra")] == ["part"]
    assert [item.key for item in store.search(("a",), query="okapi")] == ["part"]
    assert store.search(("a",), query="giraffe") == []
    assert store.search(("a",), query="attic") == []
    assert len(store.search(("a",))) == 2
    assert store.get(("a",), "hidden").value == {"text": "zebra in the attic"}
    assert ghost.search("attic") == []


def test_the_store_has_default_fields(ghost: Ghost) -> None:
    """As LangGraph's index configuration has."""
    from ghostmem.adapters.langgraph import GhostStore

    store = GhostStore(ghost, "agent:graph", fields=["text"])
    store.put(("a",), "k", {"text": "zebra", "other": "giraffe"})
    assert store.search((), query="giraffe") == []
    assert ghost.search("zebra", "agent:graph:a")[0].content == "zebra"


def test_items_expire(store: Any, clock: Clock) -> None:
    """A time to live in minutes; reading refreshes it unless told not to."""
    store.put(("a",), "short", {"n": 1}, ttl=0.5)
    store.put(("a",), "long", {"n": 2}, ttl=10)
    store.put(("a",), "ever", {"n": 3})
    clock.forward(minutes=6)
    assert store.get(("a",), "short") is None
    assert store.get(("a",), "long", refresh_ttl=True).value == {"n": 2}
    clock.forward(minutes=6)
    assert store.get(("a",), "long", refresh_ttl=False).value == {"n": 2}
    clock.forward(minutes=6)
    assert [item.key for item in store.search(("a",))] == ["ever"]


def test_a_search_refreshes_what_it_returns(ghost: Ghost, clock: Clock) -> None:
    """And the configuration has defaults for both."""
    from ghostmem.adapters.langgraph import GhostStore

    store = GhostStore(ghost, ttl={"default_ttl": 10, "refresh_on_read": True})
    store.put(("a",), "k", {"text": "green tea"})
    for _ in range(3):
        clock.forward(minutes=6)
        assert len(store.search(("a",), query="tea")) == 1
    assert len(ghost.history("langgraph:a", "k")) == 1
    clock.forward(minutes=6)
    assert len(store.search(("a",), refresh_ttl=False)) == 1
    clock.forward(minutes=6)
    assert store.search(("a",)) == []


def test_a_put_without_ttl_ends_the_expiry(store: Any, clock: Clock) -> None:
    """The last word counts."""
    store.put(("a",), "k", {"n": 1}, ttl=1)
    store.put(("a",), "k", {"n": 1}, ttl=None)
    clock.forward(days=1)
    assert store.get(("a",), "k").value == {"n": 1}


def test_a_ttl_that_is_none_is_refused(store: Any) -> None:
    """Zero minutes would be gone at once."""
    from ghostmem.errors import InvalidInputError

    with pytest.raises(InvalidInputError, match="ttl 0 is not a time to live"):
        store.put(("a",), "k", {"n": 1}, ttl=0)


def test_a_value_must_be_json(store: Any) -> None:
    """As for every store that lasts."""
    from ghostmem.errors import InvalidInputError

    with pytest.raises(InvalidInputError, match="meta cannot be written as JSON"):
        store.put(("a",), "k", {"n": object()})


def test_secrets_are_replaced_with_a_warning(ghost: Ghost, store: Any) -> None:
    """Nobody is left to wonder where the password went."""
    from ghostmem.adapters.langgraph import GhostStore

    with pytest.warns(UserWarning, match="password redacted.*allow_secrets=True keeps secrets"):
        store.put(("a",), "k", {"password": "hunter2-XyZ9-long"})
    assert store.get(("a",), "k").value == {"password": "[redacted: password]"}
    kept = GhostStore(ghost, allow_secrets=True)
    kept.put(("a",), "k", {"password": "hunter2-XyZ9-long"})
    assert kept.get(("a",), "k").value == {"password": "hunter2-XyZ9-long"}


def test_other_memories_are_items_with_a_content(ghost: Ghost) -> None:
    """What a person stored below the root is there for the graph."""
    from ghostmem.adapters.langgraph import GhostStore

    ghost.put("agent:me", "tea", "The user drinks green tea.")
    store = GhostStore(ghost, "agent")
    assert store.get(("me",), "tea").value == {"content": "The user drinks green tea."}
    assert store.search(("me",), query="green tea")[0].key == "tea"
    assert store.get(("me",), "tea").created_at.tzinfo == UTC


def test_outside_the_root_nothing_is_seen(ghost: Ghost, store: Any) -> None:
    """Another namespace is not visible."""
    ghost.put("langgraphs:a", "k", "text")
    ghost.put("other", "k", "text")
    assert store.search(()) == []
    assert store.search((), query="text") == []
    assert store.list_namespaces() == []


def test_a_dormant_memory_is_still_an_item(store: Any, ghost: Ghost) -> None:
    """A rule may demote a memory; the store has its item all the same."""
    store.put(("a",), "k", {"text": "green tea"})
    ghost.curate("langgraph:a", "k", "archive")
    assert ghost.get("langgraph:a", "k").tier == "dormant"
    assert [item.key for item in store.search(("a",), query="tea")] == ["k"]


def test_the_asynchronous_methods(open_ghost: Callable[..., Ghost]) -> None:
    """Many at once, from one event loop."""
    from ghostmem.adapters.langgraph import GhostStore

    store = GhostStore(open_ghost())

    async def story() -> None:
        await asyncio.gather(
            *(store.aput(("a",), f"k{number}", {"n": number}) for number in range(10))
        )
        found = await asyncio.gather(*(store.aget(("a",), f"k{number}") for number in range(10)))
        assert [item.value["n"] for item in found] == list(range(10))
        assert len(await store.asearch(("a",), filter={"n": {"$gte": 5}})) == 5
        assert await store.alist_namespaces() == [("a",)]
        await store.adelete(("a",), "k0")
        assert await store.aget(("a",), "k0") is None

    asyncio.run(story())


def test_random_stories_end_alike(ghost: Ghost, theirs: Any) -> None:
    """Two hundred operations in random order on both stores: every answer is the same."""
    from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchOp

    from ghostmem.adapters.langgraph import GhostStore

    store, dice = GhostStore(ghost), random.Random(20261115)
    spaces = [("a",), ("a", "b"), ("ab",), ("a", "b.c"), ("x", "_")]
    for _ in range(200):
        space, key = dice.choice(spaces), dice.choice("kl m%")
        value = dice.choice([None, {"n": dice.randrange(5)}, {"n": dice.randrange(5), "s": "t"}])
        wanted = {"n": {dice.choice(["$gt", "$lte", "$ne", "$eq"]): dice.randrange(5)}}
        op = dice.choice(
            [
                PutOp(space, key, value),
                PutOp(space, key, value),
                GetOp(space, key),
                SearchOp(space[: dice.randrange(3)], filter=dice.choice([None, wanted]), limit=100),
                ListNamespacesOp(max_depth=dice.choice([None, 1])),
            ]
        )
        (mine,), (other,) = store.batch([op]), theirs.batch([op])
        if isinstance(op, SearchOp):
            assert shown(mine) == shown(other), op
        elif isinstance(op, GetOp):
            assert (mine and mine.value) == (other and other.value), op
        elif isinstance(op, ListNamespacesOp):
            held = {space[: op.max_depth] for space, items in theirs._data.items() if items}
            assert mine == sorted(held)  # theirs also lists what is empty


def test_a_graph_remembers_across_threads(open_ghost: Callable[..., Ghost]) -> None:
    """A compiled graph with the store: a node of one run writes, a node of another finds."""
    from typing import TypedDict

    from langgraph.graph import START, StateGraph
    from langgraph.runtime import Runtime

    from ghostmem.adapters.langgraph import GhostStore

    class State(TypedDict):
        said: str
        known: list[str]

    def remember(state: State, runtime: Runtime[None]) -> State:
        assert runtime.store is not None
        known = [
            item.value["text"] for item in runtime.store.search(("facts",), query=state["said"])
        ]
        runtime.store.put(("facts",), state["said"][:20], {"text": state["said"]})
        return {"said": state["said"], "known": known}

    def run(said: str) -> list[str]:
        graph = StateGraph(State)
        graph.add_node("remember", remember)
        graph.add_edge(START, "remember")
        compiled = graph.compile(store=GhostStore(open_ghost()))
        found: list[str] = compiled.invoke({"said": said, "known": []})["known"]
        return found

    assert run("The user drinks green tea.") == []
    assert run("Which tea does the user drink?") == ["The user drinks green tea."]


def test_the_example_in_the_docs_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints what is written under it."""
    run_example("LangGraph", tmp_path, monkeypatch, capsys)
