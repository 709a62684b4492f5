"""Live updates: listeners hear of every change in the namespaces that they may read."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable

import anyio.to_thread
from starlette.responses import Response, StreamingResponse

from ghostmem.caller import CALLER, Caller
from ghostmem.errors import GhostError
from ghostmem.ghost import Ghost
from ghostmem.store.lookup import Written, written
from ghostmem.web.refusals import Refused

POLL_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
MAX_LISTENERS = 64


class Events:
    """One task that polls the store while there are listeners, and wakes them after a change."""

    def __init__(
        self,
        ghost: Ghost,
        pause: float = POLL_SECONDS,
        beat: float = HEARTBEAT_SECONDS,
        most: int = MAX_LISTENERS,
    ) -> None:
        self._ghost, self._pause, self._beat, self._most = ghost, pause, beat, most
        self._seen: dict[str, Written] = {}
        self._listeners = 0
        self._news: asyncio.Event | None = None
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reading = asyncio.Lock()
        self._closed = False

    async def answer(self, known: Callable[[], Caller | None]) -> Response:
        """Return a stream of server-sent events, the first with the present state of the store.

        The state is read before the stream opens, so that a listener hears of every later change.
        The stream ends when `known` returns None, for instance after a token was revoked.
        """
        if self._listeners >= self._most:
            raise Refused(
                503,
                "TooManyListeners",
                f"{self._most} pages are already listening",
                "close one",
                Retry_After="5",
            )
        await self._look()
        caller = CALLER.get()
        return StreamingResponse(
            self._stream(caller, known, self._of(caller)),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _stream(
        self, caller: Caller, known: Callable[[], Caller | None], sent: dict[str, Written]
    ) -> AsyncIterator[str]:
        self._listeners += 1
        try:
            if self._task is None or self._task.done():
                self._loop, self._news = asyncio.get_running_loop(), asyncio.Event()
                self._task = asyncio.create_task(self._watch())
            yield _event(sent, {})
            while not self._closed:
                assert self._news is not None
                news = self._news
                if (now := self._of(caller)) != sent:
                    if not await _is_still(known):
                        return
                    yield _event(now, sent)
                    sent = now
                    continue
                try:
                    await asyncio.wait_for(news.wait(), self._beat)
                except TimeoutError:
                    if not await _is_still(known):
                        return
                    yield ": nothing new\n\n"
        finally:
            self._listeners -= 1
            if not self._listeners and self._task is not None:
                self._task.cancel()
                self._task = None

    def _of(self, caller: Caller) -> dict[str, Written]:
        return {ns: state for ns, state in self._seen.items() if caller.may(ns, "read")}

    async def _watch(self) -> None:
        while not self._closed:
            await asyncio.sleep(self._pause)
            await self._look()

    async def _look(self) -> None:
        """Read the states, and wake the listeners if they changed.

        A failure is ignored: the next call reads them again. Only one call reads at a time, so
        that an older answer cannot replace a newer one.
        """
        async with self._reading:
            try:
                found = await anyio.to_thread.run_sync(written, self._ghost.store)
            except GhostError:
                return
            changed, self._seen = found != self._seen, found
        if changed:
            self._wake()

    def _wake(self) -> None:
        if self._news is not None:
            self._news.set()
            self._news = asyncio.Event()

    def close(self) -> None:
        """End all streams, so that the server can stop; may be called from any thread."""
        self._closed = True
        if self._loop is not None and self._loop.is_running():
            self._loop.call_soon_threadsafe(self._wake)


async def _is_still(known: Callable[[], Caller | None]) -> bool:
    """Tell whether a caller may still listen; a store that cannot be read changes nothing."""
    try:
        found = await anyio.to_thread.run_sync(known)
    except GhostError:
        return True
    return found is not None


def position(states: Iterable[Written]) -> dict[str, int]:
    """Return the numbers by which a page knows whether something was written since."""
    states = list(states)
    return {
        "sequence": sum(state.sequence for state in states),
        "quarantine": sum(state.quarantine for state in states),
    }


def _event(now: dict[str, Written], before: dict[str, Written]) -> str:
    """Return one event: the position of the store, and the namespaces that changed."""
    changed = [ns for ns in {**before, **now} if now.get(ns) != before.get(ns)]
    body = {
        **position(now.values()),
        "namespaces": {ns: now[ns].sequence if ns in now else 0 for ns in changed},
    }
    return f"event: change\ndata: {json.dumps(body, ensure_ascii=False)}\n\n"
