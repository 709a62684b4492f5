"""A key stays with the server it is for, and out of every error."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ghostmem import EmbeddingError, InvalidInputError, Settings
from ghostmem.embed.choose import choose

KEY = "sk-secret-123"


@contextmanager
def serving(
    answer: Callable[[BaseHTTPRequestHandler], None],
) -> Iterator[tuple[str, list[str | None]]]:
    """Run a server on loopback that answers in one way, and yield its address and the keys it was sent."""
    seen: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.headers.get("Authorization"))
            self.rfile.read(int(self.headers["Content-Length"]))
            answer(self)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def ask(url: str, key: str = KEY) -> None:
    """Ask a server for a vector."""
    embedder = choose(Settings(embed_provider="openai", embed_url=url, openai_api_key=key))
    assert embedder is not None
    embedder.embed(["tea"])


def test_a_redirect_is_not_followed() -> None:
    """The key is not carried to another server."""

    def refuse(handler: BaseHTTPRequestHandler) -> None:
        handler.send_error(500)

    with serving(refuse) as (other, seen):

        def redirect(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(302)
            handler.send_header("Location", f"{other}/embeddings")
            handler.end_headers()

        with serving(redirect) as (url, _), pytest.raises(EmbeddingError, match="302"):
            ask(url)
        assert seen == []


def test_a_server_that_repeats_the_key_is_quoted_without_it() -> None:
    """An error may be pasted into a report."""

    def repeat(handler: BaseHTTPRequestHandler) -> None:
        body = f"bad key {KEY}".encode()
        handler.send_response(401)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    with serving(repeat) as (url, _), pytest.raises(EmbeddingError) as caught:
        ask(url)
    assert KEY not in str(caught.value)
    assert "bad key ***" in str(caught.value)


def test_a_key_with_a_line_break_inside_is_refused_without_showing_it() -> None:
    """What a header cannot hold is said without the value."""
    with pytest.raises(InvalidInputError) as caught:
        ask("http://127.0.0.1:1", "sk-sec\nret")
    assert "ret" not in str(caught.value).replace("secret", "")
    assert "OPENAI_API_KEY" in str(caught.value)
