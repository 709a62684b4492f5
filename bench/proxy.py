"""A proxy between a client and PostgreSQL that breaks before or after a chosen message."""

import contextlib
import os
import select
import socket
import threading
from pathlib import Path
from typing import Self

PORT = ".s.PGSQL.5432"


class Proxy:
    """A socket that forwards to another one, counts sent messages, and breaks on request.

    What is counted are the client's sends after its greeting: a statement is one or two of them.
    `cut(at, after)` breaks the connection at the send with that number, counted from now, with the
    send handed on (`after`) or swallowed."""

    def __init__(self, folder: Path, target: Path) -> None:
        self._target = str(target / PORT)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / PORT))
        os.chmod(folder / PORT, 0o777)
        self._listener.listen(64)
        self.sent = 0
        self._at, self._after = -1, False
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        for one in list(self._open):
            self._end(one)

    def cut(self, at: int, after: bool) -> None:
        """Break at the send with a number, counted from now; once."""
        with self._lock:
            self.sent, self._at, self._after = 0, at, after

    @property
    def is_armed(self) -> bool:
        """Say whether the cut is still to come."""
        return self._at >= 0

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        self._open |= {client, server}
        try:
            server.connect(self._target)
            while self._pump(client, server):
                pass
        except (OSError, ValueError):  # one side is gone, or was closed meanwhile
            pass
        finally:
            for one in (client, server):
                self._end(one)

    def _pump(self, client: socket.socket, server: socket.socket) -> bool:
        ready, _, _ = select.select([client, server], [], [])
        for one in ready:
            heard = one.recv(1 << 16)
            if not heard:
                return False
            if one is server:
                client.sendall(heard)
                continue
            breaks = self._counted()
            if breaks is None or breaks:
                server.sendall(heard)
            if breaks is not None:
                if breaks:
                    select.select(
                        [server], [], [], 10
                    )  # the answer is there, and nobody will read it
                return False
        return True

    def _counted(self) -> bool | None:
        """Count a send; None unless it is the one to break at, else whether to forward it first."""
        with self._lock:
            self.sent += 1
            if self.sent != self._at:
                return None
            self._at = -1
            return self._after

    def _end(self, one: socket.socket) -> None:
        with contextlib.suppress(OSError):
            one.close()
        self._open.discard(one)
