"""Providers over HTTP: an Ollama server, or a server with OpenAI's embeddings API."""

import json
import time
from collections.abc import Sequence
from typing import Any

from ghostmem.embed.base import Embedder, Thresholds, unit_rows
from ghostmem.errors import EmbeddingError
from ghostmem.lazy import Vectors
from ghostmem.net import first_words, opener

TIMEOUT = 30.0  # seconds
TRIES = 3
BATCH = 64  # texts per request
_RETRY = {408, 425, 429, 500, 502, 503, 504}


def post(
    url: str, body: dict[str, Any], key: str = "", timeout: float = TIMEOUT, pause: float = 0.5
) -> dict[str, Any]:
    """Post JSON and return the JSON answer; retry while the server is busy or does not answer."""
    import http.client
    import urllib.error
    import urllib.request

    if not url.startswith(("http://", "https://")):
        raise EmbeddingError(
            f"{url} is not a web address",
            "set GHOST_EMBED_URL to one that starts with http:// or https://",
        )
    headers = {
        "Content-Type": "application/json",
        **({"Authorization": f"Bearer {key}"} if key else {}),
    }
    try:
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    except ValueError as error:
        raise EmbeddingError(
            f"{url} is not a web address: {error}", "check GHOST_EMBED_URL"
        ) from None
    for attempt in range(TRIES):
        if attempt:
            time.sleep(pause * 2 ** (attempt - 1))
        try:
            with opener().open(request, timeout=timeout) as answer:
                raw = answer.read()
            result = json.loads(raw)
            if isinstance(result, dict):
                return result
            raise EmbeddingError(
                f"{url} answered with JSON that is not an object", "check GHOST_EMBED_URL"
            )
        except urllib.error.HTTPError as error:
            if attempt < TRIES - 1 and error.code in _RETRY:
                continue
            detail = first_words(error.read(100_000), key)
            is_refused = error.code in (401, 403)
            wrong = "OPENAI_API_KEY" if is_refused else "GHOST_EMBED_MODEL and GHOST_EMBED_URL"
            raise EmbeddingError(
                f"{url} answered {error.code}: {detail}", f"check {wrong}"
            ) from None
        except http.client.InvalidURL as error:
            raise EmbeddingError(
                f"{url} is not a web address: {error}", "check GHOST_EMBED_URL"
            ) from None
        except (json.JSONDecodeError, UnicodeDecodeError):
            problem = EmbeddingError(
                f"{url} answered with something that is not JSON: {first_words(raw, key)}",
                "check GHOST_EMBED_URL",
            )
        except (OSError, ValueError, http.client.HTTPException) as error:
            problem = EmbeddingError(
                f"{url} did not answer: {error}", "is the server running? see `ghost embed status`"
            )
    raise problem


class HttpEmbedder(Embedder):
    """Get vectors from a server; the dimension is known after its first answer."""

    thresholds = Thresholds()

    def __init__(self, url: str, model: str, key: str = "", style: str = "openai") -> None:
        self._url, self._name, self._key, self._style = url.rstrip("/"), model, key, style
        self.model = f"{style}:{model}"
        self.dimension = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        batches = (list(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH))
        rows = [row for batch in batches for row in self._ask(batch)]
        vectors = unit_rows(rows, len(texts), self._url)
        self.dimension = vectors.shape[1]
        return vectors

    def _ask(self, texts: list[str]) -> list[list[float]]:
        try:
            body = {"model": self._name, "input": texts}
            if self._style == "ollama":
                return list(post(f"{self._url}/api/embed", body)["embeddings"])
            data = post(f"{self._url}/embeddings", body, self._key)["data"]
            return [row["embedding"] for row in sorted(data, key=lambda row: row.get("index", 0))]
        except (KeyError, TypeError, AttributeError) as error:
            raise EmbeddingError(
                f"{self._url} answered without vectors ({error})", "check GHOST_EMBED_URL"
            ) from None
