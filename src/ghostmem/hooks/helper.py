"""Answer the hooks of a store from one process that has the embedding model in memory.

A hook that adds memories sends its call to the helper, which answers as the hook itself would. The
helper is a process of the same user: it listens on a socket in the folder of the queue, which only
this user can read, serves one store with one version and one set of settings, and ends after ten
idle minutes. Without it a hook does the work itself, and starts one for the next hook. On Windows
hooks work without it."""

import hashlib
import json
import os
import socket
from dataclasses import replace

from ghostmem._version import __version__
from ghostmem.hooks.later import start_later
from ghostmem.hooks.queue import queue_folder, store_exists
from ghostmem.settings import Settings

MAX_ADDRESS = 100  # bytes that systems accept as the address of a socket
ANSWERED = b"+"  # the first byte of an answer: without it, the hook does the work itself


def socket_path(settings: Settings) -> str | None:
    """Return the address of the helper for some settings, or None if there cannot be one."""
    folder = queue_folder(settings)
    if folder is None or not hasattr(socket, "AF_UNIX"):
        return None
    # the namespace comes with a call; a process that a hook has started is marked as such
    shared = replace(settings, db=settings.path, ns="", hook_child=False)
    name = hashlib.sha256(f"{__version__} {sorted(vars(shared).items())}".encode()).hexdigest()[:16]
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
            answer = read_all(connection)
    except OSError:
        return None
    return answer[1:].decode() if answer.startswith(ANSWERED) else None


def start_helper(settings: Settings) -> None:
    """Start a helper in the background, unless it has no model to keep or no store to serve."""
    # opening a store would create it
    if settings.embed_provider != "none" and store_exists(settings):
        start_later("ghostmem.hooks.helper_process", settings)


def read_all(connection: socket.socket) -> bytes:
    """Return everything that the other end sends."""
    with connection.makefile("rb") as stream:
        return stream.read()
