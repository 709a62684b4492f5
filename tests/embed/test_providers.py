"""Every provider of vectors: what it makes, how it fails, and that nothing is lost when it does."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ghostmem import EmbeddingError, Ghost
from ghostmem.embed import http
from ghostmem.embed.choose import choose
from ghostmem.embed.http import HttpEmbedder, post
from ghostmem.settings import Settings
from waiting import until

TEXTS = ["The cat sleeps.", "A feline is napping.", "Interest rates rose in March.", ""]
Open = Callable[..., Ghost]


# --- the shipped ones


@pytest.mark.requirement("002-009", "002-200")
@pytest.mark.parametrize(
    ("provider", "model", "dimension"),
    [("local", "", 384), ("local", "all-MiniLM-L6-v2", 384), ("static", "", 256)],
)
def test_a_shipped_model_makes_unit_vectors_that_mean_something(
    provider: str, model: str, dimension: int
) -> None:
    """Vectors have length one, are the same each time and for each batching, and near texts are nearer than far ones."""
    embedder = choose(Settings(embed_provider=provider, embed_model=model))
    assert embedder is not None
    assert embedder.dimension == dimension
    made = embedder.embed(TEXTS)
    assert made.shape == (4, dimension)
    assert np.linalg.norm(made[:3], axis=1) == pytest.approx(1.0, abs=1e-3)
    assert np.isfinite(made).all()
    assert made[0] @ made[1] > made[0] @ made[2] + 0.2
    assert np.array_equal(made, np.vstack([embedder.embed([text]) for text in TEXTS]))
    assert len(embedder.embed([])) == 0


@pytest.mark.parametrize("provider", ["local", "static"])
def test_a_shipped_model_says_how_much_it_knows(provider: str) -> None:
    """Plain English is known, scripts it was not trained on are not."""
    embedder = choose(Settings(embed_provider=provider))
    assert embedder is not None
    assert embedder.known("The cat sleeps on the sofa.") > 0.9
    for text in ("สมชายทำงานที่โรงพยาบาล", "我们的数据库", "민수는 서울에서"):
        assert embedder.known(text) < 0.5


@pytest.mark.requirement("002-042")
def test_thresholds_belong_to_the_model() -> None:
    """Each shipped model carries its own, and MiniLM's are the specification's."""
    chosen = [
        choose(Settings(embed_provider="local", embed_model="all-MiniLM-L6-v2")),
        choose(Settings(embed_provider="local")),
        choose(Settings(embed_provider="static")),
    ]
    thresholds = [embedder.thresholds for embedder in chosen if embedder is not None]
    assert (thresholds[0].link, thresholds[0].merge, thresholds[0].dedup) == (0.80, 0.90, 0.92)
    assert len(set(thresholds)) == 3
    assert len({embedder.model for embedder in chosen if embedder is not None}) == 3


@pytest.mark.requirement("002-009", "002-203")
def test_none_makes_no_vectors(open_ghost: Open) -> None:
    """Without vectors search goes by words, and filling them in says that there is no provider."""
    ghost = open_ghost(":memory:", embed_provider="none")
    ghost.put("a", "k", "The deployment runs.")
    found = ghost.search("deployment")
    assert [hit.key for hit in found] == ["k"]
    assert (found.legs, found.notes) == (("substring", "text"), ())
    status = ghost.admin.embed_status()
    assert (status.provider, status.model, status.embedded, status.pending) == ("none", "", 0, 0)
    with pytest.raises(EmbeddingError, match="the provider is none"):
        ghost.admin.embed_backfill()


def test_the_shipped_model_leaves_nothing_behind_and_tells_nobody(tmp_path: Path) -> None:
    """Its runtime would keep events for its makers in the user's cache, and send them."""
    code = "from ghostmem.embed.local import LocalEmbedder; print(LocalEmbedder().embed(['tea']).shape)"
    env = {
        name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == "(1, 384)\n"
    assert list((tmp_path / "home").rglob("*")) == []


def test_local_without_onnxruntime_says_so_and_search_goes_on(
    open_ghost: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installation that cannot import onnxruntime stores and finds by words, and each search notes it once."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    ghost = open_ghost(":memory:", embed_provider="local")
    for key in "abc":
        ghost.put(f"ns-{key}", key, "The deployment runs.")
    found = ghost.search("deployment")
    assert len(found) == 3
    assert len(found.notes) == 1
    assert "the local model cannot run" in found.notes[0]
    assert found.legs == ("substring", "text")
    assert "cannot run" in ghost.admin.embed_status().problem
    with pytest.raises(EmbeddingError, match="the local model cannot run"):
        ghost.admin.embed_backfill()


# --- a caller's own


def letters(texts: Sequence[str]) -> list[list[float]]:
    """Count letters: a small embedding that is easy to foresee."""
    return [[float(text.lower().count(chr(97 + at))) + 0.1 for at in range(26)] for text in texts]


def open_own(tmp_path: Any, function: Any, name: str = "own.db") -> Ghost:
    """Open a store with a function as its provider."""
    return Ghost.open(str(tmp_path / name), embedder=function, settings=Settings())


def test_a_function_can_be_the_provider(tmp_path: Any) -> None:
    """A plain function embeds what is put and what is asked; the model has its name."""
    with open_own(tmp_path, letters) as ghost:
        ghost.put("a", "k", "zzz qqq")
        ghost.put("a", "other", "aaa eee")
        found = ghost.search("qz", min_score=-9.0)
        assert found[0].key == "k"
        assert "vector" in found.legs
        assert found[0].similarity is not None
        assert ghost.admin.embed_status().model == "own:letters"


def _raises(texts: Sequence[str]) -> Any:
    raise RuntimeError("the model is on fire")


FAILURES = {
    "raises": (_raises, "RuntimeError: the model is on fire"),
    "too few": (lambda texts: letters(texts)[1:], "shape"),
    "flat": (lambda texts: [1.0, 2.0], "shape"),
    "nan": (lambda texts: [[float("nan")] * 4 for _ in texts], "shape|finite|NaN"),
    "infinite": (lambda texts: [[float("inf")] * 4 for _ in texts], "shape|finite|inf"),
    "ragged": (lambda texts: [[1.0] * (at + 1) for at in range(len(texts) + 1)], "failed|shape"),
    "none": (lambda texts: None, "shape|failed"),
    "text": (lambda texts: ["x" for _ in texts], "failed|shape"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failing_function_never_fails_a_put(tmp_path: Any, name: str) -> None:
    """What is put is stored and found by words, the search says why there are no vectors, and backfill raises it."""
    function, says = FAILURES[name]
    with open_own(tmp_path, function) as ghost:
        ghost.put("a", "k", "The deployment runs.")
        assert [hit.key for hit in ghost.search("deployment")] == ["k"]
        with pytest.raises(EmbeddingError, match=says):
            ghost.admin.embed_backfill()
        assert any("function" in note for note in ghost.search("deployment").notes)
    with open_own(tmp_path, letters) as ghost:
        assert ghost.admin.embed_backfill() == 1
        assert "vector" in ghost.search("deployment").legs


class Sometimes:
    """A function of vectors that fails while it is broken."""

    def __init__(self, broken: bool) -> None:
        self.broken = broken

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts, or fail."""
        if self.broken:
            raise OSError("no route")
        return letters(texts)


def test_a_function_that_fails_for_the_question_leaves_words(tmp_path: Any) -> None:
    """When only the question cannot be embedded, the search goes by words and says so."""
    sometimes = Sometimes(broken=False)
    with open_own(tmp_path, sometimes) as ghost:
        ghost.put("a", "k", "The deployment runs.")
        assert ghost.search("deployment").notes == ()
        sometimes.broken = True
        found = ghost.search("deployment")
        assert [hit.key for hit in found] == ["k"]
        assert "no route" in found.notes[0]
        assert found.legs == ("substring", "text")
        sometimes.broken = False
        again = ghost.search("deployment")
        assert again.notes == ()
        assert "vector" in again.legs


def test_a_provider_that_recovers_is_no_longer_a_problem(tmp_path: Any) -> None:
    """A put that failed to embed is noted until a later one works and backfill has mended it."""
    sometimes = Sometimes(broken=True)
    with open_own(tmp_path, sometimes) as ghost:
        ghost.put("a", "k", "The deployment runs.")
        assert "no route" in " ".join(ghost.search("deployment").notes)
        sometimes.broken = False
        assert ghost.admin.embed_backfill() == 1
        assert ghost.search("deployment").notes == ()
        assert ghost.admin.embed_status().problem == ""


def test_a_function_that_changes_its_length_is_another_model(tmp_path: Any) -> None:
    """Vectors of another length under the same name are never compared; search says so, and switch completes."""

    def wide(texts: Sequence[str]) -> list[list[float]]:
        return [[*row, 1.0, 2.0] for row in letters(texts)]

    wide.model = "m"  # type: ignore[attr-defined]

    def narrow(texts: Sequence[str]) -> list[list[float]]:
        return letters(texts)

    narrow.model = "m"  # type: ignore[attr-defined]
    with open_own(tmp_path, narrow) as ghost:
        ghost.put("a", "k", "The deployment runs.")
        ghost.put("a", "j", "The deployment stops.")
    with open_own(tmp_path, wide) as ghost:
        found = ghost.search("deployment")
        assert len(found) == 2
        assert found.notes
        assert ghost.admin.embed_switch() == 2
        assert "vector" in ghost.search("deployment").legs
        assert ghost.admin.embed_status().pending == 0


def test_status_knows_the_vectors_of_an_earlier_run(tmp_path: Any) -> None:
    """Opened anew, before anything was embedded, the function's own vectors are not another model's."""
    with open_own(tmp_path, letters) as ghost:
        ghost.put("a", "k", "The deployment runs.")
    with open_own(tmp_path, letters) as ghost:
        status = ghost.admin.embed_status()
        assert (status.embedded, status.pending, status.other_models) == (1, 0, {})


def test_a_question_is_embedded_once(tmp_path: Any) -> None:
    """Searching many namespaces asks the provider for the question's vector a single time."""
    asked: list[str] = []

    def counting(texts: Sequence[str]) -> list[list[float]]:
        asked.extend(texts)
        return letters(texts)

    with open_own(tmp_path, counting) as ghost:
        for at in range(12):
            ghost.put(f"agent:{at}", "k", "The deployment runs.")
        asked.clear()
        assert len(ghost.search("deployment")) == 12
        assert asked == ["deployment"]


# --- over HTTP


class Server:
    """A server on this machine that answers as a test tells it; the last answer stays."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, body, dict(self.headers)))
                answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                outer.send(self, answer, body)

            def log_message(self, *_: object) -> None:
                pass

        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.httpd.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.httpd.server_port}"
        self.release = threading.Event()
        self.thread = threading.Thread(target=self.httpd.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def send(self, handler: BaseHTTPRequestHandler, answer: Any, body: dict[str, Any]) -> None:
        """Answer one request."""
        if answer == "hang":
            self.release.wait(5)
            handler.close_connection = True
            return
        if answer == "drop":
            handler.close_connection = True
            return
        if answer == "half":
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b'{"data"')
            handler.close_connection = True
            return
        if answer == "garbage":
            handler.wfile.write(b"this is not HTTP at all\r\n\r\n")
            handler.close_connection = True
            return
        status, made = answer if isinstance(answer, tuple) else (200, answer)
        made = made(body) if callable(made) else made
        data = made if isinstance(made, bytes) else json.dumps(made).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def close(self) -> None:
        """Stop serving."""
        self.release.set()
        self.httpd.shutdown()
        self.httpd.server_close()
        self.thread.join()


def good(style: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answer as a working server of one style does, openai's rows in the wrong order."""

    def ollama(body: dict[str, Any]) -> dict[str, Any]:
        return {"embeddings": letters(body["input"])}

    def openai(body: dict[str, Any]) -> dict[str, Any]:
        rows = [{"index": at, "embedding": row} for at, row in enumerate(letters(body["input"]))]
        return {"data": rows[::-1]}

    return ollama if style == "ollama" else openai


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Serve on this machine, with pauses and time-outs too short to wait for."""
    quick = tuple({30.0: 0.3, 0.5: 0.001}.get(value, value) for value in post.__defaults__ or ())  # type: ignore[call-overload]
    monkeypatch.setattr(post, "__defaults__", quick)
    monkeypatch.setattr(http, "TIMEOUT", 0.3)
    found = Server()
    yield found
    found.close()


STYLES = ["ollama", "openai"]


def settings_for(server: Server, style: str, **more: Any) -> Settings:
    """Return settings that point a provider at the server."""
    return Settings(embed_provider=style, embed_url=server.url, embed_model="tiny", **more)


@pytest.mark.requirement("002-009", "002-201", "002-202")
@pytest.mark.parametrize("style", STYLES)
def test_a_server_makes_the_vectors(server: Server, style: str) -> None:
    """Put and search ask the server in its own dialect, in batches, and keep the order of the texts."""
    server.answers = [good(style)]
    embedder = choose(settings_for(server, style, openai_api_key="sk-secret"))
    assert embedder is not None
    made = embedder.embed([f"{chr(97 + at % 26) * 3}" for at in range(100)])
    assert made.shape == (100, 26)
    assert [int(row.argmax()) for row in made] == [at % 26 for at in range(100)]
    assert np.linalg.norm(made, axis=1) == pytest.approx(1.0)
    path, body, headers = server.requests[0]
    assert path == ("/api/embed" if style == "ollama" else "/embeddings")
    assert body["model"] == "tiny"
    assert (headers.get("Authorization") == "Bearer sk-secret") is (style == "openai")
    assert [len(body["input"]) for _, body, _ in server.requests] == [64, 36]


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("answers", "requests"),
    [
        ([(500, b"oops")], 2),
        ([(429, b"slow down")], 2),
        ([(503, b""), (502, b"")], 3),
        (["drop"], 2),
        (["hang"], 2),
        ([b"<html>busy</html>"], 2),
        (["half"], 2),
        (["garbage"], 2),
    ],
    ids=str,
)
def test_a_server_that_recovers_is_asked_again(
    server: Server, style: str, answers: list[Any], requests: int
) -> None:
    """A busy, silent or broken answer is tried again until it works, at most three times."""
    server.answers = [*answers, good(style)]
    embedder = choose(settings_for(server, style))
    assert embedder is not None
    assert embedder.embed(["abc"]).shape == (1, 26)
    assert len(server.requests) == requests


BROKEN: dict[str, tuple[Any, int, str]] = {
    "always 500": ((500, b"oops"), 3, "answered 500: oops"),
    "always 429": ((429, b"slow down"), 3, "answered 429: slow down"),
    "no such model": ((404, b"model not found"), 1, "answered 404: model not found"),
    "wrong key": ((401, b"bad key"), 1, "answered 401: bad key"),
    "hangs": ("hang", 3, "did not answer"),
    "drops": ("drop", 3, "did not answer"),
    "no JSON": (b"<html>", 3, "answered with something that is not JSON: <html>"),
    "no text": (b"\xff{}", 3, "answered with something that is not JSON"),
    "a list": ([1, 2], 1, "JSON that is not an object"),
    "no vectors": ({"hello": 1}, 1, "without vectors"),
    "an error": ({"error": {"message": "no"}}, 1, "without vectors"),
    "null": ({"embeddings": None, "data": None}, 1, "without vectors"),
    "too few": ({"embeddings": [], "data": []}, 1, "0 vectors for 1"),
    "too many": (
        {"embeddings": [[1.0], [2.0]], "data": [{"embedding": [1.0]}] * 2},
        1,
        "2 vectors for 1",
    ),
    "ragged": (
        {
            "embeddings": [[1.0], [2.0, 3.0]],
            "data": [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}],
        },
        1,
        "vectors",
    ),
    "words": ({"embeddings": [["a", "b"]], "data": [{"embedding": ["a", "b"]}]}, 1, "vectors"),
    "nothing inside": ({"embeddings": [None], "data": [{"embedding": None}]}, 1, "vectors"),
    "NaN": (b'{"embeddings": [[NaN, 1]], "data": [{"embedding": [NaN, 1]}]}', 1, "vectors"),
    "an object of objects": ({"embeddings": {"a": 1}, "data": {"a": 1}}, 1, "vectors"),
    "half an answer": ("half", 3, "did not answer"),
    "no HTTP": ("garbage", 3, "did not answer"),
}


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_server_never_fails_a_put(
    server: Server, style: str, name: str, tmp_path: Any
) -> None:
    """Whatever a server answers, the put succeeds and is found by words; backfill says what is wrong, and completes later."""
    answer, tries, says = BROKEN[name]
    server.answers = [answer]
    embedder = choose(settings_for(server, style))
    assert embedder is not None
    with pytest.raises(EmbeddingError, match=says):
        embedder.embed(["abc"])
    # the client does not wait for a server that hangs, which may read the last request later
    until(lambda: len(server.requests) >= tries, "the last request")
    assert len(server.requests) == tries
    with Ghost.open(str(tmp_path / "h.db"), settings=settings_for(server, style)) as ghost:
        ghost.put("a", "k", "The deployment runs.")
        assert [hit.key for hit in ghost.search("deployment")] == ["k"]
        with pytest.raises(EmbeddingError, match=says):
            ghost.admin.embed_backfill()
        server.answers = [good(style)]
        assert ghost.admin.embed_backfill() == 1
        assert "vector" in ghost.search("deployment").legs
        assert ghost.admin.embed_status().pending == 0


def test_a_wrong_key_is_advised_on(server: Server) -> None:
    """The hint of a 401 is the key, of anything else the model and the address; the key itself is never shown."""
    server.answers = [(401, b"bad key")]
    with pytest.raises(EmbeddingError) as caught:
        HttpEmbedder(server.url, "m", "sk-secret").embed(["x"])
    assert "OPENAI_API_KEY" in caught.value.hint
    assert "sk-secret" not in str(caught.value) + caught.value.hint


@pytest.mark.requirement("002-202")
def test_openai_without_a_key_says_so(open_ghost: Open) -> None:
    """No key and no other server: the put works, the search notes the missing key, and nothing is sent anywhere."""
    ghost = open_ghost(":memory:", embed_provider="openai")
    ghost.put("a", "k", "The deployment runs.")
    found = ghost.search("deployment")
    assert [hit.key for hit in found] == ["k"]
    assert "needs a key" in " ".join(found.notes)
    assert "OPENAI_API_KEY" in " ".join(found.notes) + ghost.admin.embed_status().problem


@pytest.mark.parametrize(
    "url",
    [
        "localhost:11434",
        "file:///etc/passwd",
        "ftp://x",
        "http://",
        "http://127.0.0.1:1",
        "http://a b/",
        "http://[::1",
    ],
)
def test_an_address_that_is_none_is_an_embedding_error(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only web addresses are asked, and one that nobody listens on is a clear error."""
    monkeypatch.setattr(post, "__defaults__", ("", 0.2, 0.001))
    with pytest.raises(EmbeddingError, match="web address|did not answer"):
        HttpEmbedder(url, "m").embed(["x"])


def test_a_server_that_is_down_does_not_hold_up_every_put(server: Server) -> None:
    """Bulk puts against a dead server end soon: the provider is not tried anew, three times, for each of them."""
    server.answers = [(503, b"")]
    with Ghost.open(":memory:", settings=settings_for(server, "ollama")) as ghost:
        for at in range(5):
            ghost.put("a", f"k{at}", f"The deployment runs {at}.")
        assert len(server.requests) <= 5 * 3
        assert len(ghost.search("deployment")) == 5
    assert len(server.requests) <= 6 * 3


def test_a_changed_model_is_never_mixed(open_ghost: Open) -> None:
    """Vectors of the old model are not compared with questions of the new one; switch makes the new and drops the old."""
    old = open_ghost("m.db", embed_provider="static")
    for at, text in enumerate(TEXTS[:3]):
        old.put("a", f"k{at}", text)
    new = open_ghost("m.db", embed_provider="local")
    found = new.search("cat", "a")
    assert [hit.key for hit in found] == ["k0"]
    assert found.legs == ("substring", "text")
    assert len(found.notes) == 1
    assert re.fullmatch(r"a has no vectors (of \S+ )?yet; `ghost embed backfill`", found.notes[0])
    assert found[0].similarity is None
    status = new.admin.embed_status()
    assert (status.embedded, status.pending, list(status.other_models.values())) == (0, 3, [3])
    assert "minilm-static-256-int8" in next(iter(status.other_models))
    new.put("a", "k3", "A dog barks.")
    part = new.search("cat", "a")
    assert "3 chunks of a have no vectors yet; `ghost embed backfill`" in part.notes
    assert new.admin.embed_switch() == 3
    whole = new.search("cat", "a")
    assert whole.notes == ()
    assert "vector" in whole.legs
    assert whole[0].similarity is not None
    status = new.admin.embed_status()
    assert (status.embedded, status.pending, status.other_models) == (4, 0, {})
    assert "no vectors" in old.search("cat", "a").notes[0]
    assert new.admin.check().problems == ()


def test_switching_to_none_or_a_broken_provider_drops_nothing(
    open_ghost: Open, server: Server
) -> None:
    """The vectors there are stay until others have taken their place."""
    open_ghost("m.db", embed_provider="static").put("a", "k", TEXTS[0])
    for broken in (
        {"embed_provider": "none"},
        {"embed_provider": "ollama", "embed_url": server.url},
    ):
        server.answers = [(404, b"no model")]
        with pytest.raises(EmbeddingError):
            open_ghost("m.db", **broken).admin.embed_switch()
    status = open_ghost("m.db", embed_provider="static").admin.embed_status()
    assert (status.embedded, status.pending) == (1, 0)


def test_a_hanging_server_costs_no_more_than_its_time_outs(server: Server) -> None:
    """Three time-outs are the most a put waits."""
    server.answers = ["hang"]
    with pytest.raises(EmbeddingError, match="did not answer"):
        HttpEmbedder(server.url, "m").embed(["x"])
    assert len(server.requests) <= 3


@pytest.mark.requirement("002-199")
@pytest.mark.parametrize(
    ("name", "model"),
    [(None, "ghost-minilm-1-int8"), ("static", "minilm-static-256-int8"), ("none", "")],
)
def test_the_provider_is_chosen_by_its_name(
    monkeypatch: pytest.MonkeyPatch, name: str | None, model: str
) -> None:
    """GHOST_EMBED_PROVIDER names the provider, and unset means the local model."""
    monkeypatch.delenv("GHOST_EMBED_PROVIDER", raising=False)
    if name is not None:
        monkeypatch.setenv("GHOST_EMBED_PROVIDER", name)
    with Ghost.open(":memory:") as ghost:
        assert ghost.admin.embed_status().model == model
