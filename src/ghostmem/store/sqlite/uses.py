"""Forks of a process that uses a store.

SQLite keeps the state of its locks in the memory of the process. A child inherits that state
without the locks: with an inherited connection it would believe that it protects the write-ahead
log, and its writes would be lost. A lock that another thread held would stay locked in the child
forever. So a fork waits until no other thread is inside SQLite, and the child closes the inherited
connections and opens its own."""

import gc
import os
import threading
import weakref
from collections import Counter
from contextlib import suppress

import apsw

from ghostmem.errors import EngineError

MAX_WAIT = 5.0  # seconds that a fork waits for other threads


class Uses:
    """The threads that are inside SQLite now, and all connections to files; `with` is one use."""

    def __init__(self) -> None:
        self.is_broken = False  # this process was forked at an unsafe moment
        self.connections: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._inherited: list[apsw.Connection] = []
        self._changed = threading.Condition()
        self._depths: Counter[int] = Counter()  # uses by thread, one inside another
        self._is_forking = False

    def __enter__(self) -> None:
        """Begin to use SQLite; a running fork is waited for, unless it waits for this thread."""
        if self.is_broken:
            raise EngineError(
                "this process was forked while another thread was using a store, so it cannot "
                "use one",
                "start it with spawn (multiprocessing.set_start_method('spawn')), or fork "
                "while no thread uses Ghost",
            )
        thread = threading.get_ident()
        with self._changed:
            while self._is_forking and thread not in self._depths:
                self._changed.wait()
            self._depths[thread] += 1

    def __exit__(self, *_: object) -> None:
        """End a use; a child does not know its parent's uses."""
        thread = threading.get_ident()
        with self._changed:
            self._depths[thread] -= 1
            if self._depths[thread] <= 0:
                del self._depths[thread]
            self._changed.notify_all()

    def _is_idle(self) -> bool:
        """Say whether no other thread is inside SQLite."""
        return not self._depths.keys() - {threading.get_ident()}

    def before_fork(self) -> None:
        """Wait until no other thread is inside SQLite, and keep them out until the fork is done."""
        self._changed.acquire()
        self._is_forking = True
        self._changed.wait_for(self._is_idle, MAX_WAIT)
        # Python drops the connections of other threads in the child before `after_fork_in_child`
        self._inherited = list(self.connections)

    def after_fork_in_parent(self) -> None:
        """Let other threads go on."""
        self._is_forking, self._inherited = False, []
        self._changed.notify_all()
        self._changed.release()

    def after_fork_in_child(self) -> None:
        """Close the inherited connections, if that is safe.

        It is not when another thread was inside SQLite, whose locks stay taken, and not inside a
        write, whose end would change the log of the parent."""
        inherited: list[object] = [*self._inherited]
        is_broken = not self._is_idle() or any(map(_is_writing, self._inherited))
        self._inherited.clear()
        if not is_broken:
            for db in self.connections:
                _close(db)
        self.__init__()  # type: ignore[misc]
        if is_broken:
            self.is_broken = True
            inherited.append(inherited)
            gc.freeze()  # nothing ever closes them, not even the end of the process


def _is_writing(db: apsw.Connection) -> bool:
    with suppress(apsw.ConnectionClosedError):
        return db.txn_state() == apsw.SQLITE_TXN_WRITE
    return False


def _close(db: apsw.Connection) -> None:
    with suppress(apsw.ConnectionClosedError):
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # the log belongs to the parent
        db.close(True)


USES = Uses()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=USES.before_fork,
        after_in_parent=USES.after_fork_in_parent,
        after_in_child=USES.after_fork_in_child,
    )
