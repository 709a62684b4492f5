"""The embedding provider of a store: loaded on first use; a failure never fails a caller."""

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from ghostmem.errors import EmbeddingError, GhostError
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from ghostmem.embed.base import Embedder, Function
    from ghostmem.store.opening import Engine
    from ghostmem.store.transaction import Transaction

PATIENCE = 5.0  # seconds that a program which ends waits for vectors


class Vectoriser:
    """A provider that loads on first use; one that cannot run is reported once and left out.

    The provider `local` has several models: a store keeps the one that made its vectors until
    `ghost embed switch`, or a backfill with another one in GHOST_EMBED_MODEL, has finished. If
    that is the model of a folder which the settings do not name, there are no vectors meanwhile."""

    def __init__(
        self,
        settings: Settings,
        own: "Function | None" = None,
        engine: "Engine | None" = None,
    ) -> None:
        self._settings = settings
        self._own = own
        self._engine = engine
        self._embedders: dict[str, Embedder | None] = {}  # by `model`; None: it cannot run
        self._errors: dict[str, Exception] = {}  # why, by `model`
        self._lock, self._process = threading.Lock(), os.getpid()  # a model is loaded once
        self.problem = ""
        self._hint = ""  # what to do about it
        self._loading: threading.Thread | None = None
        self._deferred = False
        self._waited = False
        self._owed = False  # something was stored without vectors while the provider was loaded
        self._loaded: Callable[[], object] | None = None

    @property
    def wanted(self) -> bool:
        """Say whether vectors are wanted at all."""
        return self._own is not None or self._settings.embed_provider != "none"

    @property
    def is_near(self) -> bool:
        """Say whether vectors are made in this process, so that a transaction can wait for them."""
        return self._own is None and self._settings.embed_provider in ("none", "static", "local")

    def has_time(self) -> bool:
        """Say whether the caller has time for another model."""
        return True

    def defer(self, loaded: Callable[[], object] | None = None) -> None:
        """Do without the provider until `warm` has loaded it in the background.

        Then call `loaded`.
        """
        self._deferred, self._loaded = True, loaded

    @property
    def is_loading(self) -> bool:
        """Say whether a deferred provider is not loaded yet."""
        pending = self._deferred or (
            self._loading is not None and not self._embedders and not self.problem
        )
        return self.wanted and pending

    @property
    def may_wait(self) -> bool:
        """Say whether a provider is being loaded and was not waited for in vain."""
        return self.is_loading and not self._waited

    @property
    def arrived(self) -> bool:
        """Say whether a deferred provider is loaded now."""
        return self._loaded is not None and any(self._embedders.values())

    def warm(self) -> None:
        """Begin to load a provider that was deferred; returns at once."""
        if self._deferred and self._loading is None and self.wanted:
            self._loading = threading.Thread(target=self._load, name="ghost-model", daemon=True)
            self._loading.start()

    def _load(self) -> None:
        self._deferred = False
        try:
            if self.get() is not None and self._loaded is not None:
                self._loaded()
        except (GhostError, OSError, ValueError, RuntimeError) as error:
            self.problem = str(error)  # reported with the next result

    def wait(self, seconds: float = PATIENCE) -> None:
        """Wait, once, for a provider that is being loaded in the background."""
        self.warm()
        if self._loading not in (None, threading.current_thread()):
            self._loading.join(seconds)
        self._waited = True

    def finish(self, patience: float = PATIENCE) -> None:
        """Wait a short time until memories stored before the provider was loaded have vectors.

        Later starts do the rest."""
        if self._owed and self._loading is not None:
            self._loading.join(patience)

    @property
    def is_working(self) -> bool:
        """Say whether the background thread still loads the provider or makes vectors."""
        return self._loading is not None and self._loading.is_alive()

    def get(self, tx: "Transaction | None" = None) -> "Embedder | None":
        """Return the provider, or None when it is off, cannot run, or is still being loaded.

        `tx` is the transaction in which the vectors are used; without it, one is opened."""
        return None if self._is_absent else self._load_model(self.model(tx))

    def find_model(self, tx: "Transaction") -> int | None:
        """Return the number of the provider's model in a store, if it has vectors there."""
        from ghostmem.text.chunk import CHUNKER

        embedder = self.get(tx)
        return (
            None
            if embedder is None
            else tx.vectors.find(embedder.model, embedder.dimension, CHUNKER)
        )

    def chosen(self) -> "Embedder | None":
        """Return the provider with the model that a switch changes the store to, as `get`."""
        return None if self._is_absent else self._load_model(self.chosen_model)

    @property
    def _is_absent(self) -> bool:
        is_loading = self._loading not in (None, threading.current_thread())
        return not self.wanted or self._deferred or (is_loading and not self._embedders)

    @property
    def chosen_model(self) -> str:
        """Return the id of the local model of the settings, or "" with other providers."""
        if self._own is not None or self._settings.embed_provider != "local":
            return ""
        from ghostmem.embed.models import wanted_model

        try:
            return wanted_model(self._settings).id
        except GhostError:
            return ""  # loading it says what is wrong

    def model(self, tx: "Transaction | None" = None) -> str:
        """Return the id of the local model of the store, or "" with other providers."""
        chosen = self.chosen_model
        if not chosen or (tx is None and self._engine is None):
            return chosen
        if tx is None:
            assert self._engine is not None
            with self._engine.read() as own_tx:
                return self.model(own_tx)
        from ghostmem.embed.models import BY_ID, FOLDER_PREFIX
        from ghostmem.text.chunk import CHUNKER

        return tx.vectors.first(tuple(BY_ID), CHUNKER, FOLDER_PREFIX) or chosen

    def _load_model(self, model: str) -> "Embedder | None":
        # a thread of the parent may have held the lock at the fork
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        from ghostmem.embed.choose import choose

        with self._lock:
            if model not in self._embedders:
                try:
                    self._embedders[model] = choose(self._settings, self._own, model)
                    self.problem = ""  # that of a model which the store had before
                except (GhostError, ImportError, OSError) as error:
                    self._embedders[model], self._errors[model] = None, error
            if (failure := self._errors.get(model)) is not None:
                self.problem, self._hint = str(failure), getattr(failure, "hint", "")
            return self._embedders[model]

    def must(self, chosen: bool = False) -> "Embedder":
        """Return the provider as `get` or `chosen` does, or raise why there is none."""
        embedder = self.chosen() if chosen else self.get()
        if embedder is None:
            raise EmbeddingError(
                f"there are no vectors: {self.problem or 'the provider is none'}",
                self._hint or "choose GHOST_EMBED_PROVIDER=local or static",
            )
        return embedder

    def try_bytes(self, texts: list[str], embedder: "Embedder | None") -> list[bytes]:
        """Return the vectors of texts as stored, or nothing when the provider fails.

        `embedder` is what `get` returned."""
        if embedder is None or not texts:
            self._owed = self._owed or (bool(texts) and self.is_loading)
            return []
        from ghostmem.store.indexing import vector_bytes

        try:
            vectors = vector_bytes(embedder, texts)
            self.problem = ""
            return vectors
        except EmbeddingError as error:
            self.problem = str(error)
            return []
