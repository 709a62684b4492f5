"""Use the embedding provider of the store in a hook, with a deadline."""

import threading
import time
from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Generic, TypeVar

from ghostmem.errors import EmbeddingError
from ghostmem.lazy import Vectors
from ghostmem.settings import Settings
from ghostmem.store.vectoriser import Vectoriser

if TYPE_CHECKING:
    from ghostmem.embed.base import Embedder
    from ghostmem.store import Transaction
    from ghostmem.store.opening import Engine

T = TypeVar("T")
_POLL_SECONDS = 0.05


class Background(Generic[T]):
    """Work in a daemon thread with a deadline for its result.

    The thread may outlive the wait: it loads a model or asks a server, does not use the store, and
    `ghost` ends its process without joining threads.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._results: list[T] = []
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=[work], daemon=True)
        self._thread.start()

    def result(self, deadline: float, cpu_limit: float = inf) -> T:
        """Return the result; raise the error of the work, or EmbeddingError at a limit."""
        while (
            self._thread.is_alive()
            and time.process_time() < cpu_limit
            and (left := deadline - time.monotonic()) > 0
        ):
            self._thread.join(min(left, _POLL_SECONDS))
        if self._error is not None:
            raise self._error
        if not self._results:
            raise EmbeddingError("not ready in time")
        return self._results[0]

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._results.append(work())
        except Exception as error:  # noqa: BLE001 (raised again where the result is waited for)
            self._error = error


class DeadlineEmbedder:
    """An embedder whose calls fail at a deadline. The vector of the prompt is computed once."""

    def __init__(
        self, embedder: "Embedder", deadline: float, prompt: str, failed: Callable[[str], object]
    ) -> None:
        self._embedder, self._deadline, self._prompt = embedder, deadline, prompt
        self._failed = failed  # called when a single text, a query, has no vector
        self._prompt_vector = embedder.embed([prompt]) if prompt else None
        self.model, self.thresholds = embedder.model, embedder.thresholds
        self.dimension = embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text."""
        if self._prompt_vector is not None and list(texts) == [self._prompt]:
            return self._prompt_vector
        try:
            vectors = Background(lambda: self._embedder.embed(texts)).result(self._deadline)
        except EmbeddingError as error:
            if len(texts) == 1:
                self._failed(error.message)
            raise
        self.dimension = self._embedder.dimension
        return vectors

    def known(self, text: str) -> float:
        """Return the share of the words of a text that the model knows."""
        return self._embedder.known(text)


class DeadlineVectoriser(Vectoriser):
    """The store's provider, used if it is ready by a deadline (a time of `time.monotonic`).

    With `cpu_limit`, it must also be ready within this many seconds of CPU time from now on.

    `start` loads the provider and embeds the prompt in the background. Without a provider, or with
    one that fails or is late, `get` returns None, and searches use words only.
    """

    def __init__(
        self,
        settings: Settings,
        deadline: float,
        engine: "Engine",
        cpu_limit: float = inf,
        loaded: Vectoriser | None = None,
    ) -> None:
        super().__init__(settings, engine=engine)
        self._deadline, self._cpu_limit = deadline, time.process_time() + cpu_limit
        self._provider = loaded  # that of a process which has loaded it
        self._background: Background[DeadlineEmbedder] | None = None
        self.fallback = ""  # why a search used words only although there is a provider

    def has_time(self) -> bool:
        """Say whether the deadline has not passed."""
        return time.monotonic() < self._deadline

    def start(self, prompt: str = "", tx: "Transaction | None" = None) -> None:
        """Load the provider and embed a prompt in the background; return at once."""
        if self.wanted and self._background is None:
            model = self.model(tx)
            self._background = Background(lambda: self._prepared(model, prompt))

    def get(self, tx: "Transaction | None" = None) -> "Embedder | None":
        """Return the provider if it is ready by the deadline."""
        self.start(tx=tx)
        if self._background is None or self.fallback:
            return None
        cpu_limit = inf if self._provider else self._cpu_limit
        try:
            return self._background.result(self._deadline, cpu_limit)
        except Exception as error:  # noqa: BLE001 (any failure: search by words)
            known = isinstance(error, EmbeddingError)
            self.problem = str(error) if known else f"failed with {type(error).__name__}"
            self._fail(self.problem)
            return None

    def _prepared(self, model: str, prompt: str) -> DeadlineEmbedder:
        embedder = (self._provider or self)._load_model(model)
        if embedder is None:
            raise EmbeddingError(self.problem)
        return DeadlineEmbedder(embedder, self._deadline, prompt, self._fail)

    def _fail(self, reason: str) -> None:
        self.fallback = reason
