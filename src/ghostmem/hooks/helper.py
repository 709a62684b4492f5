"""Answer the hooks of a store from one process that has the embedding model in memory.

A hook that adds memories sends its call to the helper, which answers as the hook itself would. The
helper is a process of the same user: it listens on a socket in the folder of the queue, which only
this user can read, serves one store with one version and one set of settings, and ends after ten
idle minutes. Without it a hook does the work itself, and starts one for the next hook. On Windows
hooks work without it."""

import json
import os
import socket
import struct
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ghostmem._version import __version__
from ghostmem.hooks.call import read_call
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.later import run_job, start_later
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.hooks.queue import queue_folder, store_exists
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost

IDLE_SECONDS = 600.0
MAX_ADDRESS = 100  # bytes that systems accept as the address of a socket
_ANSWERED = b"+"  # the first byte of an answer: without it, the hook does the work itself
_CREDENTIALS = "3i"  # of the other end of a socket on Linux: process, user and group


def socket_path(settings: Settings) -> str | None:
    """Return the address of the helper for some settings, or None if there cannot be one."""
    folder = queue_folder(settings)
    if folder is None or not hasattr(socket, "AF_UNIX"):
        return None
    import hashlib

    # the namespace comes with a call; a process that a hook has started is marked as such
    shared = replace(settings, db=settings.path, ns="", hook_child=False)
    served = f"{__version__} {sorted(vars(shared).items())}"
    name = hashlib.sha256(served.encode()).hexdigest()[:16]
    path = os.path.join(folder, f"{name}.sock")
    return path if len(os.fsencode(path)) <= MAX_ADDRESS else None


def ask_helper(
    settings: Settings, host: str, event: str | None, data: bytes, seconds: float
) -> str | None:
    """Return the helper's answer to a call, "" for none; None if there is no helper."""
    path = socket_path(settings)
    if path is None or not os.path.exists(path):
        return None
    head = json.dumps({"host": host, "event": event, "ns": settings.ns})
    answer = b""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(path)
            connection.sendall(head.encode() + b"\n" + data)
            connection.shutdown(socket.SHUT_WR)
            answer = _read(connection)
    except OSError:
        return None
    return answer[1:].decode() if answer.startswith(_ANSWERED) else None


def start_helper(settings: Settings) -> None:
    """Start a helper in the background, unless it has no model to keep or no store to serve."""
    # opening a store would create it
    if settings.embed_provider == "none" or not store_exists(settings):
        return
    start_later("ghostmem.hooks.helper", settings)


def _read(connection: socket.socket) -> bytes:
    with connection.makefile("rb") as stream:
        return stream.read()


def work(settings: Settings, _: object) -> None:
    """Serve a store until nothing has come for ten minutes."""
    path = socket_path(settings)
    if path is None:
        return
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    own = f"{path}.{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(own)
        os.chmod(own, 0o600)
        listener.listen()
        listener.settimeout(IDLE_SECONDS)
        os.replace(own, path)  # a helper that was there gets no more calls, and ends
        inode = os.stat(path).st_ino
        with suppress(TimeoutError):
            serve(settings, listener)
        with suppress(OSError):
            if os.stat(path).st_ino == inode:
                os.unlink(path)


def serve(settings: Settings, listener: socket.socket) -> None:
    """Answer calls, one at a time: each takes less time than a process would to start."""
    from ghostmem.ghost import Ghost
    from ghostmem.hooks.run import patient

    with Ghost.open(settings=patient(settings, Moment.PROMPT)) as ghost:
        ghost.store.vectoriser.get()
        while True:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.settimeout(settings.hook_timeout)
                if _is_same_user(connection):
                    connection.sendall(_answer(settings, ghost, _read(connection)))


def _is_same_user(connection: socket.socket) -> bool:
    """Say whether the other end belongs to this user; the folder lets no one else in."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    size = struct.calcsize(_CREDENTIALS)
    _, user, _ = struct.unpack(_CREDENTIALS, connection.getsockopt(socket.SOL_SOCKET, option, size))
    return bool(user == os.getuid())


def _answer(settings: Settings, ghost: "Ghost", request: bytes) -> bytes:
    """Return the answer to a call; without the mark if it failed and the hook must try itself."""
    from ghostmem.hooks.run import respond

    answers: list[str] = []
    try:
        head, _, data = request.partition(b"\n")
        about = json.loads(head)
        call = read_call(about["host"], about["event"], data)
        call_settings = replace(settings, ns=about["ns"])
        respond(call, call_settings, None, answers.append, time.monotonic(), opened=ghost)
    except Exception as error:  # noqa: BLE001 (the next call must still be answered)
        write_log_line(log_path(settings), "-", "helper", describe_error(error))
        return b""
    return _ANSWERED + "\n".join(answers).encode()


if __name__ == "__main__":
    run_job(work, "helper")
