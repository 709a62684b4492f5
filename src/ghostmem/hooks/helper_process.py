"""The process of the helper: keep a store and its embedding model open, and answer calls."""

import json
import os
import socket
import struct
import time
from contextlib import suppress
from dataclasses import replace

from ghostmem.ghost import Ghost
from ghostmem.hooks.call import read_call
from ghostmem.hooks.helper import ANSWERED, read_all, socket_path
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.later import run_job
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.hooks.run import patient, respond
from ghostmem.settings import Settings

IDLE_SECONDS = 600.0
_CREDENTIALS = "3i"  # of the other end of a socket on Linux: process, user and group


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
    with Ghost.open(settings=patient(settings, Moment.PROMPT)) as ghost:
        ghost.store.vectoriser.get()
        while True:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.settimeout(settings.hook_timeout)
                if _is_same_user(connection):
                    connection.sendall(_answer(settings, ghost, read_all(connection)))


def _is_same_user(connection: socket.socket) -> bool:
    """Say whether the other end belongs to this user; the folder lets no one else in."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    _, user, _ = struct.unpack(
        _CREDENTIALS,
        connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize(_CREDENTIALS)),
    )
    return bool(user == os.getuid())


def _answer(settings: Settings, ghost: Ghost, request: bytes) -> bytes:
    """Return the answer to a call; without the mark if it failed and the hook must try itself."""
    answers: list[str] = []
    try:
        head, _, data = request.partition(b"\n")
        about = json.loads(head)
        respond(
            read_call(about["host"], about["event"], data),
            replace(settings, ns=about["ns"]),
            None,
            answers.append,
            time.monotonic(),
            opened=ghost,
        )
    except Exception as error:  # noqa: BLE001 (the next call must still be answered)
        write_log_line(log_path(settings), "-", "helper", describe_error(error))
        return b""
    return ANSWERED + "\n".join(answers).encode()


if __name__ == "__main__":
    run_job(work, "helper")
