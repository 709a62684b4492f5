"""Prompts are searched by meaning, and by words when the embedding provider is not ready in time"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from waiting import until

if TYPE_CHECKING:
    from hooks.conftest import Hook, Program, Result

NS = "project:shop"
MONEY = "The user wants integer cents for money, never floats."
SAME_WORDS = "How do we store money in the cart table?"
OTHER_WORDS = "How should prices be represented in the database?"  # shares no word with MONEY
WAIT = 60  # seconds that a server waits at most for the end of a test
IMPORTS = (
    "import os, sys; os._exit = sys.exit\nfrom ghostmem.cli.main import main\n"
    "try:\n    main(sys.argv[1:])\nfinally:\n    print(*sorted(sys.modules), file=sys.stderr)"
)


class EmbeddingServer:
    """A loopback server with the API of Ollama: texts about money are alike, and all others are.

    While `slow` is set, it does not answer before `release` is set; while `refuses` is, it sends an
    error that repeats the text.
    """

    def __init__(self) -> None:
        self.texts: list[list[str]] = []
        self.slow, self.release = threading.Event(), threading.Event()
        self.refuses = False
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.answer(self, body["input"])

            def log_message(self, *_: object) -> None:
                pass

        self._httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._httpd.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._httpd.server_port}"
        threading.Thread(target=self._httpd.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
        """Send one vector per text."""
        self.texts.append(texts)
        if self.slow.is_set():
            self.release.wait(WAIT)
        if self.refuses:
            handler.send_error(400, "wrong", f"cannot embed: {texts[0]}")
            return
        is_money = [any(word in text for word in ("cents", "prices")) for text in texts]
        vectors = [[1.0, 0.0] if found else [0.0, 1.0] for found in is_money]
        data = json.dumps({"embeddings": vectors}).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def close(self) -> None:
        """Stop serving."""
        self.release.set()
        self._httpd.shutdown()
        self._httpd.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """Run an embedding server, and make it the provider of this test."""
    running = EmbeddingServer()
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "ollama")
    monkeypatch.setenv("OLLAMA_HOST", running.url)
    yield running
    running.close()


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the local model the provider of this test."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "local")


def fill(store: Path) -> None:
    """Fill the store with the provider of the environment."""
    with Ghost.open(store) as ghost:
        ghost.put(NS, "money", MONEY, kind="semantic")
        ghost.put(NS, "deploy", "Deploys to production happen on Tuesdays.", kind="semantic")


def send(program: "Program", hook: "Hook", prompt: str, **env: str) -> "Result":
    """Send a prompt to the installed program."""
    said = hook.payload("UserPromptSubmit", prompt=prompt)
    return program("hook", "claude", input=json.dumps(said), **env)


@pytest.mark.usefixtures("local")
def test_the_local_model_finds_what_words_do_not(
    hook: "Hook",
    program: "Program",
    store: Path,
) -> None:
    """By default a prompt is searched by meaning; GHOST_HOOK_MODEL=0 searches by words."""
    fill(store)
    words = send(program, hook, OTHER_WORDS, GHOST_HOOK_MODEL="0")
    meaning = send(program, hook, OTHER_WORDS)
    assert (words.code, words.out, words.err) == (0, "", "")
    assert (meaning.code, meaning.err) == (0, "")
    assert MONEY in meaning.out
    assert "Tuesdays" not in meaning.out
    assert hook.lines() == []


def test_a_server_is_asked_once_for_a_prompt(
    hook: "Hook",
    store: Path,
    server: EmbeddingServer,
) -> None:
    """The question is embedded once, also when expired and ended memories are looked for."""
    fill(store)
    with Ghost.open(store) as ghost:
        ghost.put(NS, "ended", "Prices were in cents of a franc.", valid_to="2020-01-01")
    server.texts.clear()
    assert MONEY in hook("UserPromptSubmit", prompt=OTHER_WORDS)
    assert server.texts == [[OTHER_WORDS]]
    assert hook.lines() == []


def test_a_slow_server_is_not_waited_for(
    hook: "Hook",
    program: "Program",
    store: Path,
    server: EmbeddingServer,
) -> None:
    """What words find is added within the time box, while the server still does not answer."""
    fill(store)
    server.slow.set()
    result = send(program, hook, SAME_WORDS, GHOST_HOOK_TIMEOUT="6")
    assert not server.release.is_set()
    assert (result.code, result.err) == (0, "")
    assert MONEY in json.loads(result.out)["hookSpecificOutput"]["additionalContext"]
    reasons = [line.split(": ", 1)[1] for line in hook.lines()]
    assert reasons == ["searched by words; provider ollama: not ready in time"]
    assert reasons[0] in hook.cli("doctor").out
    assert SAME_WORDS not in hook.log.read_text(encoding="utf-8")


def test_a_server_that_does_not_run_is_done_without(
    hook: "Hook",
    store: Path,
    server: EmbeddingServer,
) -> None:
    """A provider that fails leaves one line in the log and the answer to words."""
    fill(store)
    server.close()
    assert MONEY in hook("UserPromptSubmit", prompt=SAME_WORDS)
    assert len(hook.lines()) == 1
    assert "searched by words; provider ollama: http://127.0.0.1" in hook.lines()[0]


def test_what_a_server_repeats_is_not_in_the_log(
    hook: "Hook",
    store: Path,
    server: EmbeddingServer,
) -> None:
    """A server that refuses a prompt may quote it; the log has its address and the status."""
    fill(store)
    server.refuses = True
    assert MONEY in hook("UserPromptSubmit", prompt=SAME_WORDS)
    assert len(hook.lines()) == 1
    assert hook.lines()[0].endswith("/api/embed answered 400")


def test_a_slow_server_does_not_hold_up_a_captured_prompt(
    hook: "Hook",
    program: "Program",
    store: Path,
    server: EmbeddingServer,
) -> None:
    """Cursor's prompts are captured from the call, in the background, when the server answers."""
    fill(store)
    server.slow.set()
    captured = "I prefer tabs over spaces in this project."
    said = {**hook.payload("beforeSubmitPrompt", prompt=captured), "transcript_path": None}
    result = program("hook", "cursor", input=json.dumps(said), GHOST_HOOK_TIMEOUT="6")
    assert (result.code, result.err) == (0, "")
    server.slow.clear()
    hook.raw(json.dumps({**said, "hook_event_name": "stop"}), "cursor")
    with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
        until(lambda: captured in [memory.content for memory in ghost.list(NS)])


@pytest.mark.usefixtures("local")
def test_a_captured_prompt_has_vectors(hook: "Hook", store: Path) -> None:
    """The model that the search has loaded embeds what is captured too."""
    fill(store)
    captured = "I prefer tabs over spaces in this project."
    said = {**hook.payload("beforeSubmitPrompt", prompt=captured), "transcript_path": None}
    hook.raw(json.dumps(said), "cursor")
    with Ghost.open(store) as ghost:
        assert captured in [memory.content for memory in ghost.list(NS)]
        assert ghost.admin.embed_status().pending == 0


@pytest.mark.parametrize(
    ("event", "fields", "env", "answers"),
    [
        ("SessionStart", {"source": "startup"}, {}, True),
        ("UserPromptSubmit", {"prompt": SAME_WORDS}, {"GHOST_HOOK_MODEL": "0"}, True),
        ("UserPromptSubmit", {"prompt": SAME_WORDS, "cwd": "/"}, {}, False),
        ("UserPromptSubmit", {"prompt": "go on"}, {}, False),
    ],
    ids=["start", "by words", "empty project", "short prompt"],
)
def test_no_model_is_loaded_where_none_is_needed(
    hook: "Hook",
    filled: Path,
    event: str,
    fields: dict[str, Any],
    env: dict[str, str],
    answers: bool,
) -> None:
    """With the provider `local` these hooks import neither numpy nor the model's runtime."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, "hook", "claude"],
        input=json.dumps(hook.payload(event, **fields)).encode(),
        capture_output=True,
        env={**os.environ, "GHOST_EMBED_PROVIDER": "local", **env},
        check=True,
    )
    assert bool(done.stdout) == answers
    assert not {"numpy", "onnxruntime", "mcp", "asyncio"} & set(done.stderr.decode().split())
