"""A store that is opened while its server already answers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from ghostmem.errors import GhostError
from ghostmem.ghost import Ghost
from ghostmem.mcp.texts import error_text
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from concurrent.futures import Future


class PendingStore:
    """A store on a database server, which may take long to answer, or not be there yet.

    It is opened in the background. If that fails, the error is printed, and the next call that
    needs the store tries again."""

    def __init__(self, settings: Settings, open_store: Callable[[], Ghost]) -> None:
        self.settings = settings
        self._open = open_store
        self._lock = threading.Lock()
        self._attempt = self._start()

    @property
    def opened(self) -> Ghost | None:
        """Return the store if it is open."""
        is_open = self._attempt.done() and self._attempt.exception() is None
        return self._attempt.result() if is_open else None

    def get(self) -> Ghost:
        """Return the open store, or raise the error for which it could not be opened."""
        with self._lock:
            if self._attempt.done() and self._attempt.exception() is not None:
                self._attempt = self._start()
            attempt = self._attempt
        return attempt.result()

    def _start(self) -> Future[Ghost]:
        """Open the store in a thread that does not keep the process running."""
        from concurrent.futures import Future

        attempt: Future[Ghost] = Future()
        threading.Thread(target=self._run, args=(attempt,), daemon=True).start()
        return attempt

    def _run(self, attempt: Future[Ghost]) -> None:
        try:
            attempt.set_result(self._open())
        except GhostError as error:
            print(error_text(error), file=sys.stderr, flush=True)
            attempt.set_exception(error)
        except Exception as error:  # noqa: BLE001 (raised again where the store is used)
            import traceback

            traceback.print_exc()
            attempt.set_exception(GhostError(f"{type(error).__name__} while the store was opened"))
