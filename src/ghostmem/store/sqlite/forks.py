"""Forking while a store is open.

SQLite keeps the state of its locks in the memory of the process, and a child inherits that
state without the locks themselves. A lock that another thread held at that moment would stay
locked in the child forever. With an inherited open connection the child would believe that it
protects the write-ahead log, which the parent removes when it closes the store: writes of the
child would be lost. So threads register while they use a store, a fork waits for them, and the
child closes the inherited connections.

The same is true of the lock of a module that another thread imports: the child would wait for
it forever as soon as it needs that module. Ghost and the standard library load many modules on
first use, so a fork also waits for imports of other threads."""

import _imp
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import apsw

from ghostmem.errors import EngineError

MAX_WAIT = 5.0  # seconds that a fork waits for other threads
_POLL = 0.005  # seconds between two looks at running imports


class Users:
    """The threads that use a store now, and the connections that a child must not use."""

    def __init__(self) -> None:
        self.is_broken = False  # this process was forked at an unsafe moment
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._depths: dict[int, int] = {}  # by thread: how many uses are open, one inside another
        self._writes: dict[int, int] = {}  # how many of these may write
        self._is_forking = False
        self.dropped: list[apsw.Connection | None] = []  # closed with the next use that ends
        self._connections: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._inherited: list[apsw.Connection] = []

    def track(self, db: apsw.Connection) -> None:
        """Remember a connection to a file."""
        with self._changed:
            self._connections.add(db)

    def enter(self, thread: int, writes: bool) -> None:
        """Count a use; wait for a running fork, unless that waits for this thread."""
        with self._changed:
            while self._is_forking and thread not in self._depths:
                self._changed.wait()
            self._count(thread, writes)

    def close_dropped(self) -> None:
        """Close dropped connections, unless that would wait: then the next use does.

        A finaliser calls this, maybe in a thread that holds the import lock, for which a fork
        waits."""
        thread = threading.get_ident()
        if not self._changed.acquire(blocking=False):
            return
        try:
            if self._is_forking and thread not in self._depths:
                return
            self._count(thread, writes=False)
        finally:
            self._changed.release()
        self.leave(thread, writes=False)

    def _count(self, thread: int, writes: bool) -> None:
        self._depths[thread] = self._depths.get(thread, 0) + 1
        self._writes[thread] = self._writes.get(thread, 0) + writes

    def leave(self, thread: int, writes: bool) -> None:
        """Count a use as ended; a child does not know its parent's uses."""
        self.dropped.clear()
        with self._changed:
            if thread in self._depths:
                self._depths[thread] -= 1
                self._writes[thread] -= writes
                if not self._depths[thread]:
                    del self._depths[thread], self._writes[thread]
            self._changed.notify_all()

    def _are_others(self) -> bool:
        return bool(self._depths.keys() - {threading.get_ident()})

    def before_fork(self) -> None:
        """Wait until no other thread uses a store, and block new uses until the fork is done.

        Two locks are held then: no other thread begins a use or an import. Neither is waited for
        while the other is held, because another thread may take them in the other order."""
        deadline = time.monotonic() + MAX_WAIT
        while not self._try_to_stop(deadline):
            with self._changed:
                self._is_forking = True
                self._changed.wait(_POLL)
        # Python drops those of other threads in the child before `start_child`
        self._inherited = list(self._connections)

    def _try_to_stop(self, deadline: float) -> bool:
        """Take both locks if no other thread uses a store or imports, or after the deadline."""
        _imp.acquire_lock()
        if self._changed.acquire(blocking=False):
            is_late = time.monotonic() >= deadline
            if is_late or not (self._are_others() or _imports()):
                self._is_forking = True
                return True
            self._changed.release()
        _imp.release_lock()
        return False

    def after_fork_in_parent(self) -> None:
        """Allow uses and imports again."""
        _imp.release_lock()
        self._inherited = []
        self._is_forking = False
        self._changed.notify_all()
        self._changed.release()

    def start_child(self) -> None:
        """Close the inherited connections of a child, once.

        A child of a fork that Python did not see comes here with its first use. Closing is safe
        when no other thread was inside SQLite or importing a part of Ghost, which the child
        would wait for forever, and when this thread was not in a write, whose end would change
        the log. Another module whose import took longer than `MAX_WAIT` is no reason to refuse
        the store: most likely Ghost does not need it."""
        if self._process == os.getpid():
            return
        if self._is_forking:
            with suppress(RuntimeError):  # another thread of the parent waited to fork
                _imp.release_lock()
        inherited = {id(db): db for db in [*self._inherited, *self._connections]}
        is_importing_ghost = any(name.startswith("ghostmem") for name in _imports())
        if self._are_others() or is_importing_ghost or self._writes.get(threading.get_ident()):
            self.is_broken = True
        self._reset()
        for db in inherited.values():
            if self.is_broken:
                _keep_for_ever(db)
            else:
                _close(db)


def _imports() -> list[str]:
    """Return the modules that other threads are importing.

    The lock of a module exists only while a thread imports the module. One without an owner
    counts too: a thread is about to take it, or is just releasing it."""
    references = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    locks = [(name, reference()) for name, reference in list(references.items())]
    own = threading.get_ident()
    return [name for name, lock in locks if lock is not None and lock.owner != own]


def _close(db: apsw.Connection) -> None:
    with suppress(apsw.ConnectionClosedError):
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # the log belongs to the parent
        db.close(True)


def _keep_for_ever(db: apsw.Connection) -> None:
    """Never close a connection, not even at exit: a lock inside it may never be released."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(db))


USERS = Users()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=USERS.before_fork,
        after_in_parent=USERS.after_fork_in_parent,
        after_in_child=USERS.start_child,
    )


def enter(writes: bool = False) -> None:
    """Begin to use SQLite; a fork waits until `leave`.

    Raises an error in a child that was forked at an unsafe moment."""
    if is_broken():
        raise EngineError(
            "this process was forked while another thread was using a store, so it cannot use one",
            "start it with spawn (multiprocessing.set_start_method('spawn')), or fork "
            "while no thread uses Ghost",
        )
    USERS.enter(threading.get_ident(), writes)


def leave(writes: bool = False) -> None:
    """End a use of SQLite."""
    USERS.leave(threading.get_ident(), writes)


@contextmanager
def using(writes: bool = False) -> Iterator[None]:
    """Use SQLite; a fork waits until this ends."""
    enter(writes)
    try:
        yield
    finally:
        leave(writes)


def is_broken() -> bool:
    """Say whether this process was forked at an unsafe moment and cannot use SQLite."""
    USERS.start_child()
    return USERS.is_broken


class ThreadConnection:
    """The connection of a thread.

    When the thread ends, it is closed while no fork is running."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db: apsw.Connection | None = db

    def __del__(self) -> None:
        """Drop the connection, which closes it unless a reader of the thread still uses it."""
        if not is_broken():
            USERS.dropped.append(self.db)
            self.db = None
            USERS.close_dropped()
