"""Virtual file systems for SQLite: dying at a chosen write, losing power, running out of space."""

import os
import random
import signal
from contextlib import suppress
from pathlib import Path

import apsw


class Meter:
    """Count writes, syncs, truncations and deletions.

    At the chosen operation the process is killed.
    """

    def __init__(self, last: int = 0) -> None:
        self.count = 0
        self._last = last

    def write(self, file: "_File", data: bytes, offset: int) -> None:
        """Write, or die halfway through."""
        if self.is_last():
            file.plain_write(data[: len(data) // 2], offset)
            self.die()
        file.plain_write(data, offset)

    def tick(self) -> None:
        """Count an operation that is done whole or not at all."""
        if self.is_last():
            self.die()

    def synced(self, name: str) -> None:
        """Record that a file was synced."""

    def is_last(self) -> bool:
        """Count one operation and say whether it is the chosen one."""
        self.count += 1
        return self.count == self._last

    def die(self) -> None:
        """End the process as SIGKILL does."""
        os.kill(os.getpid(), signal.SIGKILL)


class PowerMeter(Meter):
    """A meter that loses power at the chosen operation; a random half of unsynced data is lost."""

    def __init__(self, last: int = 0) -> None:
        super().__init__(last)
        self._unsynced: list[tuple[str, int, bytes]] = []

    def write(self, file: "_File", data: bytes, offset: int) -> None:
        """Write, keeping the previous bytes."""
        if file.name:
            self._unsynced.append((file.name, offset, file.before(len(data), offset)))
        file.plain_write(data, offset)
        if self.is_last():
            self.die()

    def synced(self, name: str) -> None:
        """Forget the previous bytes, because synced data cannot be lost."""
        self._unsynced = [entry for entry in self._unsynced if entry[0] != name]

    def die(self) -> None:
        """Take unsynced writes back, then end the process."""
        choose = random.Random(self.count)
        for name, offset, before in reversed(self._unsynced):
            with suppress(FileNotFoundError):
                if choose.random() < 0.5:
                    with Path(name).open("r+b") as stream:
                        stream.seek(offset)
                        stream.write(before)
        super().die()


class Space:
    """Let files grow by a limited number of bytes, then report a full disk."""

    def __init__(self, left: int) -> None:
        self.left = left

    def write(self, file: "_File", data: bytes, offset: int) -> None:
        """Write if the remaining space allows the file to grow."""
        growth = max(0, offset + len(data) - file.xFileSize())
        if growth > self.left:
            raise apsw.FullError("the disk of this test is full")
        self.left -= growth
        file.plain_write(data, offset)

    def tick(self) -> None:
        """Allow everything that needs no space."""

    def synced(self, name: str) -> None:
        """Record that a file was synced."""


Rule = Meter | Space


class _File(apsw.VFSFile):
    """A file whose changes pass through a rule."""

    def __init__(
        self, base: str, rule: Rule, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        super().__init__(base, name, flags)
        self._rule = rule
        self.name = name.filename() if isinstance(name, apsw.URIFilename) else name or ""

    def plain_write(self, data: bytes, offset: int) -> None:
        """Write as SQLite does."""
        super().xWrite(data, offset)

    def before(self, amount: int, offset: int) -> bytes:
        """Return the bytes at a place that is about to be written, zeros beyond the end."""
        there = max(0, min(amount, self.xFileSize() - offset))
        return (self.xRead(there, offset) if there else b"").ljust(amount, b"\0")

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        """Write as the rule allows."""
        self._rule.write(self, data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        """Wait for the disk as the rule allows."""
        self._rule.tick()
        super().xSync(flags)
        self._rule.synced(self.name)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        """Cut the file as the rule allows."""
        self._rule.tick()
        super().xTruncate(newsize)


class _System(apsw.VFS):
    """The default file system with replaced file objects."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._base = apsw.vfs_names()[0]
        super().__init__("shim", self._base, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> _File:  # noqa: N802
        """Open a file that follows the rule."""
        return _File(self._base, self._rule, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """Delete a file as the rule allows."""
        self._rule.tick()
        super().xDelete(filename, syncdir)


def install(rule: Rule) -> _System:
    """Apply a rule to every database this process opens; the caller keeps the returned object."""
    return _System(rule)
