"""A store that is opened while its server already answers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from ghostmem.errors import GhostError
from ghostmem.ghost import Ghost
from ghostmem.mcp.texts import error_text
from ghostmem.settings import Settings


class PendingStore:
    """A store on a database server, which may take long to answer, or not be there yet.

    It is opened in the background. If that fails, the error is printed, and the next call that
    needs the store tries again."""

    def __init__(self, settings: Settings, open_store: Callable[[], Ghost]) -> None:
        self.settings = settings
        self._open = open_store
        self._lock = threading.Lock()
        self._attempt = _Attempt(open_store)

    @property
    def opened(self) -> Ghost | None:
        """Return the store if it is open."""
        return self._attempt.ghost

    def get(self) -> Ghost:
        """Return the open store, or raise the error for which it could not be opened."""
        with self._lock:
            if self._attempt.has_failed:
                self._attempt = _Attempt(self._open)
            attempt = self._attempt
        return attempt.result()


class _Attempt:
    """One attempt to open a store, in a thread of its own."""

    def __init__(self, open_store: Callable[[], Ghost]) -> None:
        self.ghost: Ghost | None = None
        self._error: GhostError | None = None
        self._thread = threading.Thread(target=self._run, args=(open_store,), daemon=True)
        self._thread.start()

    @property
    def has_failed(self) -> bool:
        return self._error is not None

    def result(self) -> Ghost:
        """Wait for the store, and return it or raise the error."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self.ghost is not None
        return self.ghost

    def _run(self, open_store: Callable[[], Ghost]) -> None:
        try:
            self.ghost = open_store()
        except GhostError as error:
            print(error_text(error), file=sys.stderr, flush=True)
            self._error = error
        except Exception as error:  # noqa: BLE001 (raised again where the store is used)
            import traceback

            traceback.print_exc()
            self._error = GhostError(f"{type(error).__name__} while the store was opened")
