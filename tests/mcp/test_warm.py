"""A model loads in the background: words answer at once, vectors join when they are there, and the result says which"""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.errors import StoreBusyError
from ghostmem.mcp.server import make_server
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.memory.embedding import catch_up
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from conftest import Pipes, Place

WORDS, ALL = ["substring", "text"], ["substring", "text", "vector"]
ALIKE = (
    "The nightly backup of the orders database runs at two in the morning.",
    "Every night at two in the morning the orders database is backed up.",
)
BROKEN = "import sys; sys.modules['onnxruntime'] = None; from ghostmem.cli.main import main; main(['mcp'])"
Until = Callable[..., Any]


def search(server: "Pipes", query: str = "When is the database saved?") -> dict[str, Any]:
    """Search and return the structured result."""
    return server.ok("ghost_search", ns="a", query=query, explain=True)


# --- the real model, in the real program


@pytest.mark.smoke
def test_the_first_question_is_answered_by_meaning(place: "Place") -> None:
    """A paraphrase right after the handshake finds its memory: the server waits for its model."""
    with place.ghost(embed_provider="local") as ghost:
        ghost.put("a", "deploys", "We deploy on Tuesdays, never on Fridays.")
    for tool, field in (("ghost_search", "results"), ("ghost_context", "memories")):
        with place.pipes(GHOST_EMBED_PROVIDER="local", GHOST_CONTEXT_WHOLE="false") as server:
            server.initialize()
            found = server.ok(tool, ns="a", query="what weekday may we ship a release?")
            assert [hit["key"] for hit in found[field]] == ["deploys"]
            assert "notes" not in found
            assert server.leave() == 0
            assert server.said == b""


def test_the_first_reflection_applies_rules_about_similar_memories(place: "Place") -> None:
    """A reflection right after the handshake finds what one of the library finds."""
    with place.ghost(embed_provider="local") as ghost:
        for number in range(3):
            ghost.put("a", f"k{number}", f"The nightly build failed, the disk was full: {number}.")
        for edge in ghost.edges("a"):
            ghost.graph.rm_edge("a", edge.from_key or "", edge.to_key or "", edge.rel)
        expected = ghost.reflect("a", dry_run=True)
    assert expected.linked
    with place.pipes(GHOST_EMBED_PROVIDER="local") as server:
        server.initialize()
        found = server.ok("ghost_reflect", ns="a", dry_run=True)
        assert found["linked"] == expected.linked
        assert [tuple(group) for group in found["linked_clusters"]] == list(
            expected.linked_clusters
        )
        assert "notes" not in found


def test_a_reflection_without_a_model_says_what_it_skipped(place: "Place") -> None:
    """Where no vectors can be had, the result says that rules about similar memories did not run."""
    for env in ({"GHOST_EMBED_PROVIDER": "none"}, {"GHOST_EMBED_PROVIDER": "openai"}):
        with place.pipes(**env) as server:
            server.initialize()
            for key, content in zip(("one", "two"), ALIKE, strict=True):
                server.ok("ghost_put", ns="a", key=key, content=content)
            result = server.call("ghost_reflect", {"ns": "a", "dry_run": True})
            note = "a: the rules about similar memories were not applied: "
            assert note in result["content"][0]["text"]
            assert result["structuredContent"]["notes"][0].startswith(note)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_heavy_is_loaded_before_the_first_call(place: "Place") -> None:
    """Listing tools, resources and prompts loads neither numpy nor a model."""
    with place.pipes(GHOST_EMBED_PROVIDER="local") as server:
        server.initialize()
        for method in ("tools/list", "resources/list", "prompts/list"):
            assert "result" in server.request(method)
        maps = Path(f"/proc/{server.pid}/maps").read_text(encoding="utf-8")
        assert "numpy" not in maps
        assert "onnxruntime" not in maps


@pytest.mark.requirement("002-137")
def test_puts_made_meanwhile_get_their_vectors_and_links(place: "Place", eventually: Until) -> None:
    """What is put before the model is there has its vectors and its links once it is, as if it had been there."""
    with place.pipes(GHOST_EMBED_PROVIDER="local") as server:
        server.initialize()
        for key, content in zip(("one", "two"), ALIKE, strict=True):
            server.start(
                "tools/call",
                {"name": "ghost_put", "arguments": {"ns": "a", "key": key, "content": content}},
            )
        eventually(lambda: search(server)["legs"] == ALL, "vectors joined")
        edges = eventually(
            lambda: server.ok("ghost_edge", ns="a", from_key="one", op="list")["edges"],
            "both were linked",
        )
        [edge] = edges
        assert edge["rel"] == "relates_to"
        assert {edge["from"], edge["to"]} == {"one", "two"}
        eventually(lambda: "notes" not in search(server), "every chunk has its vector")
        assert server.leave() == 0
    with place.ghost(embed_provider="local") as ghost:
        status = ghost.admin.embed_status()
        assert (status.embedded, status.pending) == (2, 0)


def test_what_an_earlier_session_left_without_vectors_is_caught_up(
    place: "Place", eventually: Until
) -> None:
    """Memories stored without a model get their vectors in the background of the next session that has one."""
    with place.ghost() as ghost:
        for number in range(5):
            ghost.put("a", f"k{number}", f"Note {number} about the orders database.")
    with place.pipes(GHOST_EMBED_PROVIDER="local") as server:
        server.initialize()
        eventually(
            lambda: search(server)["legs"] == ALL and "notes" not in search(server),
            "all have vectors",
        )
        assert server.leave() == 0


@pytest.mark.parametrize("modern", [False, True])
def test_a_memory_whose_client_leaves_at_once_has_its_vector(place: "Place", modern: bool) -> None:
    """A session of one put, shorter than the model takes to load, leaves nothing for the next one to make up for."""
    with place.pipes(GHOST_EMBED_PROVIDER="local") as server:
        server.modern() if modern else server.initialize()
        server.ok("ghost_put", ns="a", key="one", content=ALIKE[0])
        assert server.leave() == 0
        assert server.said == b""
    with place.ghost(embed_provider="local") as ghost:
        assert (ghost.admin.embed_status().embedded, ghost.admin.embed_status().pending) == (1, 0)


def test_a_memory_whose_server_was_killed_gets_its_vector_from_the_next(
    place: "Place", eventually: Until
) -> None:
    """A server that is killed before it has caught up leaves a memory without vectors; the first call of the next makes them."""
    with place.pipes(GHOST_EMBED_PROVIDER="local") as server:
        server.initialize()
        server.ok("ghost_put", ns="a", key="one", content=ALIKE[0])
        server.kill()
    with place.pipes(GHOST_EMBED_PROVIDER="local") as server:
        server.initialize()
        search(server)
        with place.ghost(embed_provider="local") as ghost:
            eventually(lambda: ghost.admin.embed_status().pending == 0, "it has its vector")


def test_leaving_while_the_model_loads_is_quiet(place: "Place") -> None:
    """A client that goes away in the middle of loading or catching up leaves no process, no traceback and a whole store."""
    with place.ghost() as ghost:
        for number in range(300):
            ghost.put(
                "a",
                f"k{number}",
                f"Note {number} about the orders database and its nightly backup.",
            )
    for wait in (0, 5):
        with place.pipes(GHOST_EMBED_PROVIDER="local") as server:
            server.initialize()
            search(server)
            for _ in range(wait):
                search(server)
            assert server.leave() == 0, server.said
            assert b"Traceback" not in server.said
    with place.ghost() as ghost:
        assert ghost.admin.check().problems == ()


@pytest.mark.parametrize(
    ("command", "env", "told"),
    [
        ([sys.executable, "-c", BROKEN], {"GHOST_EMBED_PROVIDER": "local"}, "onnxruntime"),
        (None, {"GHOST_EMBED_PROVIDER": "openai"}, "OPENAI_API_KEY"),
    ],
    ids=["no-onnxruntime", "no-key"],
)
def test_a_provider_that_cannot_load_is_done_without(
    place: "Place", eventually: Until, command: list[str] | None, env: dict[str, str], told: str
) -> None:
    """Words go on answering, puts are stored, and the result says what is wrong."""
    with place.pipes(command=command, **env) as server:
        server.initialize()
        assert search(server)["legs"] == WORDS
        server.ok("ghost_put", ns="a", key="k", content=ALIKE[0])

        def with_trouble() -> dict[str, Any] | None:
            found = search(server, "database backup")
            return found if any(told in note for note in found.get("notes", ())) else None

        found = eventually(with_trouble, "the trouble is told")
        assert found["legs"] == WORDS
        assert [hit["key"] for hit in found["results"]] == ["k"]
        assert any(told in note for note in found["notes"])
        assert server.ok("ghost_put", ns="a", key="j", content=ALIKE[1])["version"] == 1
        assert server.leave() == 0
        assert b"Traceback" not in server.said


def test_a_provider_that_does_not_answer_is_done_without(place: "Place") -> None:
    """A server for vectors that nobody runs costs a note, not the answer."""
    with place.pipes(GHOST_EMBED_PROVIDER="ollama", OLLAMA_HOST="http://127.0.0.1:9") as server:
        server.initialize()
        server.ok("ghost_put", ns="a", key="k", content=ALIKE[0])
        for _ in range(3):
            found = search(server, "database backup")
            assert found["legs"] == WORDS
            assert [hit["key"] for hit in found["results"]] == ["k"]
        assert server.leave() == 0
        assert b"Traceback" not in server.said


# --- step by step, in this process


class Model:
    """A model whose loading and work wait for a word, so that a test decides what happens in between."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()
        self.error: Exception | None = None
        self.calls = 0

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls += 1
        self.asked.set()
        assert self.go.wait(60)
        if self.error is not None:
            raise self.error
        return [[1.0 + text.count("tea"), 1.0 + text.count("cat"), 1.0] for text in texts]


@pytest.fixture
def model() -> Iterator[Model]:
    """Return a model that waits; it is let go in the end."""
    found = Model()
    yield found
    found.go.set()


@pytest.fixture
def slow(tmp_path: Path, model: Model) -> Iterator[Ghost]:
    """Open a store whose model waits, deferred as a server defers it."""
    with Ghost.open(tmp_path / "memory.db", embedder=model, settings=Settings()) as ghost:
        ghost.store.vectoriser.defer(lambda: catch_up(ghost.store))
        yield ghost
        model.go.set()
        if ghost.store.vectoriser._loading is not None:
            ghost.store.vectoriser._loading.join(60)
        assert ghost.admin.check().problems == ()


def test_nothing_is_loaded_until_it_is_warmed(slow: Ghost, model: Model) -> None:
    """A deferred model is not asked by puts or searches, however many there are."""
    slow.put("a", "k", "green tea")
    assert slow.search("tea", "a").legs == tuple(WORDS)
    assert slow.admin.embed_status().model == ""
    assert not model.asked.is_set()


def test_a_model_that_does_not_load_in_time_is_told(
    slow: Ghost, model: Model, talk: Any, eventually: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A put does not wait for the model. The first search waits a limited time; then words answer, and say so."""
    import ghostmem.embed.choose as door

    loading, loaded, choose = threading.Event(), threading.Event(), door.choose

    def load(*args: Any) -> Any:
        loading.set()
        assert loaded.wait(60)
        return choose(*args)

    monkeypatch.setattr(door, "choose", load)
    monkeypatch.setattr("ghostmem.mcp.memory_tools.MODEL_WAIT", 0.01)
    model.go.set()
    slow.put("a", "k", "green tea")
    with talk(make_server(ToolServer(slow, folder="/"))) as agent:
        try:
            agent.ask("list_tools")
            assert agent.ok("ghost_put", ns="a", key="j", content="black tea")["version"] == 1
            assert loading.wait(60)
            for query in ("tea", "a hot drink"):
                text = agent.text("ghost_search", ns="a", query=query)
                assert "still loading: searched by words only" in text
                assert "nothing relevant is known" not in text
            assert "not loaded yet" in agent.text("ghost_reflect", ns="a", dry_run=True)
            assert not model.asked.is_set()
        finally:
            loaded.set()
        eventually(
            lambda: agent.ok("ghost_search", ns="a", query="tea", explain=True)["legs"] == ALL,
            "the model has loaded",
        )
        eventually(
            lambda: slow.admin.embed_status().pending == 0, "what was put meanwhile has its vectors"
        )


def test_notes_for_people_are_not_for_models(tmp_path: Path, talk: Any) -> None:
    """A memory without vectors is searched by words, and no model is told to run a command."""
    with Ghost.open(tmp_path / "memory.db", settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a", "k", "green tea")
    with (
        Ghost.open(tmp_path / "memory.db", settings=Settings(embed_provider="static")) as ghost,
        talk(make_server(ToolServer(ghost, folder="/"))) as agent,
    ):
        for name in ("ghost_search", "ghost_context"):
            found = agent.call(name, ns="a", query="tea")
            assert "searched by words only" in found.content[0].text
            assert "`ghost" not in found.content[0].text
            assert "`ghost" not in str(found.structured_content)


def test_warming_twice_loads_once(slow: Ghost, model: Model) -> None:
    """However often it is warmed, and by however many at once, one thread loads it."""
    slow.put("a", "k", "green tea")
    slow.store.vectoriser.warm()
    first = slow.store.vectoriser._loading
    threads = [threading.Thread(target=slow.store.vectoriser.warm) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert slow.store.vectoriser._loading is first


def test_ending_does_not_wait_when_nothing_was_stored(slow: Ghost, model: Model) -> None:
    """A session that only asked ends at once, whatever the model still does."""
    slow.search("tea", "a")
    slow.store.vectoriser.warm()
    slow.store.vectoriser.finish(60)
    assert slow.store.vectoriser._loading is not None
    assert slow.store.vectoriser._loading.is_alive()


def test_ending_waits_for_what_was_stored_but_not_for_ever(slow: Ghost, model: Model) -> None:
    """What was put before the model was there has its vectors in the end; a model that hangs holds nothing up."""
    slow.put("a", "k", "green tea")
    slow.store.vectoriser.warm()
    slow.store.vectoriser.finish(0.01)
    assert slow.store.vectoriser._loading is not None
    assert slow.store.vectoriser._loading.is_alive()
    model.go.set()
    slow.store.vectoriser.finish(60)
    assert slow.admin.embed_status().pending == 0


def test_a_put_that_began_before_the_model_was_there_and_ends_after(
    slow: Ghost, model: Model, monkeypatch: pytest.MonkeyPatch, eventually: Until
) -> None:
    """Even a put that looked for the model just too early, and was written just too late to be caught up, gets its vectors."""
    import ghostmem.memory.verdict as verb

    looked, write = threading.Event(), threading.Event()
    prepare = verb.prepare

    def late(*args: Any, **kwargs: Any) -> Any:
        found = prepare(*args, **kwargs)
        if threading.current_thread().name == "late":
            looked.set()
            assert write.wait(60)
        return found

    monkeypatch.setattr(verb, "prepare", late)
    slow.put("a", "first", "green tea")
    thread = threading.Thread(target=slow.put, args=("a", "late", "black tea"), name="late")
    thread.start()
    assert looked.wait(60)
    model.go.set()
    slow.store.vectoriser.warm()
    assert slow.store.vectoriser._loading is not None
    slow.store.vectoriser._loading.join(60)
    write.set()
    thread.join(60)
    eventually(lambda: slow.admin.embed_status().pending == 0, "every chunk has its vector")


def test_a_model_that_fails_while_catching_up_is_told(
    slow: Ghost, model: Model, eventually: Until
) -> None:
    """An error of the model's own is a note in the results, not the end of the thread with a traceback."""
    slow.put("a", "k", "green tea")
    model.error = RuntimeError("out of memory")
    model.go.set()
    slow.store.vectoriser.warm()
    assert slow.store.vectoriser._loading is not None
    slow.store.vectoriser._loading.join(60)
    found = slow.search("tea", "a")
    assert found.legs == tuple(WORDS)
    assert any("out of memory" in note for note in found.notes)
    model.error = None
    slow.put("a", "j", "black tea")
    assert slow.search("tea", "a").legs == tuple(ALL)


def loaded(ghost: Ghost, model: Model) -> None:
    """Load the model and wait until it has caught up."""
    model.go.set()
    ghost.store.vectoriser.warm()
    assert ghost.store.vectoriser._loading is not None
    ghost.store.vectoriser._loading.join(60)


def test_a_put_asks_a_failing_model_once(slow: Ghost, model: Model) -> None:
    """While a provider is down a put waits for it once, not again for everything that has no vectors yet."""
    slow.put("a", "k", "green tea")
    model.error = RuntimeError("down")
    loaded(slow, model)
    before = model.calls
    assert slow.put("a", "j", "black tea").version == 1
    assert model.calls - before == 1


def test_a_put_after_an_outage_does_not_make_up_for_all_of_it(slow: Ghost, model: Model) -> None:
    """When a provider comes back, the next put waits for its own vectors, not for those of hundreds of others."""
    loaded(slow, model)
    model.error = RuntimeError("down")
    for number in range(200):
        slow.put("a", f"k{number}", f"tea {number}")
    model.error = None
    before = model.calls
    slow.put("a", "new", "black tea")
    assert model.calls - before <= 1


def test_a_stored_memory_is_never_reported_as_refused(
    slow: Ghost, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trouble with catching up after the put was written is no trouble of the put's."""

    def busy(*_: object, **__: object) -> int:
        raise StoreBusyError("the store is locked by another process")

    loaded(slow, model)
    model.error = RuntimeError("down")
    monkeypatch.setattr("ghostmem.memory.embedding.backfill", busy)
    assert slow.put("a", "k", "green tea").version == 1
    assert slow.get("a", "k").version == 1


def test_a_locked_store_does_not_end_the_background_with_a_traceback(
    slow: Ghost, model: Model, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """When the store stays locked while catching up, the rest waits for the next session, and nothing is printed."""

    def busy(*_: object, **__: object) -> int:
        raise StoreBusyError("the store is locked by another process")

    slow.put("a", "k", "green tea")
    monkeypatch.setattr("ghostmem.memory.embedding.backfill", busy)
    failed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    loaded(slow, model)
    assert failed == []
    assert [hit.key for hit in slow.search("tea", "a")] == ["k"]


def test_without_a_wish_for_vectors_nothing_is_loaded(tmp_path: Path) -> None:
    """With provider none warming does nothing."""
    with Ghost.open(tmp_path / "memory.db", settings=Settings(embed_provider="none")) as ghost:
        ghost.store.vectoriser.defer()
        ghost.store.vectoriser.warm()
        assert ghost.store.vectoriser._loading is None
        assert ghost.search("tea", "a").notes == ()
