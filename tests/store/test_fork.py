"""Processes that fork with a store open: the child can write, nothing is lost, and what cannot work is refused at once."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ghostmem import Ghost

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")

NS = "agent:a"
START = """
import os, sys, threading
from ghostmem import Ghost, EngineError, StoreBusyError
path = sys.argv[1]
ghost = Ghost.open(path)

def child(work):
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    try:
        work()
    except BaseException as error:
        print(type(error).__name__, error, flush=True)
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)
"""


def run(path: Path, code: str) -> str:
    """Run a program that forks; the time-out guards against a child that hangs."""
    program = START + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def keys(path: Path) -> set[str]:
    """Return what the store holds, after a check."""
    with Ghost.open(str(path)) as ghost:
        assert ghost.admin.check().problems == ()
        return {memory.key for memory in ghost.list(NS, limit=10_000)}


def test_a_child_forked_beside_writing_threads_can_write(tmp_path: Path) -> None:
    """Forks wait for a moment between writes; the child writes with the inherited store and with one that it opens."""
    path = tmp_path / "m.db"
    said = run(
        path,
        """
        ghost.put("agent:a", "first", "loads what a put needs, before threads do so")
        stop = threading.Event()

        def write(name):
            n = 0
            while not stop.is_set():
                ghost.put("agent:a", f"thread{name}-{n}", "text of a thread")
                n += 1

        threads = [threading.Thread(target=write, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()

        def work(n):
            ghost.put("agent:a", f"child-{n}", "text of a child")
            with Ghost.open(path) as fresh:
                fresh.put("agent:a", f"fresh-{n}", "text of a store opened in the child")

        print([child(lambda: work(n)) for n in range(8)])
        stop.set()
        for thread in threads:
            thread.join()
        ghost.close()
        """,
    )
    assert said == f"{[0] * 8}\n"
    assert {f"{kind}-{n}" for kind in ("child", "fresh") for n in range(8)} <= keys(path)


def test_a_child_keeps_writing_after_its_parent_closed_the_store(tmp_path: Path) -> None:
    """The child holds locks of its own, so the parent does not remove the log under it."""
    path = tmp_path / "m.db"
    run(
        path,
        """
        ghost.put("agent:a", "parent", "text of the parent")
        wrote, closed = os.pipe(), os.pipe()
        pid = os.fork()
        if not pid:
            ghost.put("agent:a", "first", "before the parent closed")
            os.write(wrote[1], b"x")
            os.read(closed[0], 1)
            ghost.put("agent:a", "second", "after the parent closed")
            os._exit(0)
        os.read(wrote[0], 1)
        ghost.close()
        os.write(closed[1], b"x")
        assert os.waitpid(pid, 0)[1] == 0
        """,
    )
    assert keys(path) == {"parent", "first", "second"}


def test_a_child_forked_inside_a_write_is_refused_at_once(tmp_path: Path) -> None:
    """A write that does not end is not waited for: the child says what happened, and the parent goes on."""
    path = tmp_path / "m.db"
    said = run(
        path,
        """
        from ghostmem.store.sqlite import uses
        uses.MAX_WAIT = 0.1
        began, done = threading.Event(), threading.Event()

        def write():
            with ghost.store.engine.write() as tx:
                tx.memories.last("agent:a", "k")
                began.set()
                done.wait()

        thread = threading.Thread(target=write)
        thread.start()
        began.wait()
        child(lambda: ghost.put("agent:a", "child", "x"))
        child(lambda: Ghost.open(path))
        child(sys.exit)
        done.set()
        thread.join()
        print(child(lambda: ghost.put("agent:a", "later", "x")))
        ghost.close()
        """,
    )
    first, second, third, last = said.splitlines()
    assert first == second
    assert first.startswith(
        "EngineError this process was forked while another thread was using a store"
    )
    assert third.startswith("SystemExit")
    assert last == "0"
    assert keys(path) == {"later"}


def test_a_child_that_ends_like_any_program(tmp_path: Path) -> None:
    """The end of a child that was forked inside a write does not hang in the connections of its parent."""
    run(
        tmp_path / "m.db",
        """
        from ghostmem.store.sqlite import uses
        uses.MAX_WAIT = 0.1
        with ghost.store.engine.write():
            pid = os.fork()
            if not pid:
                sys.exit(0)
            assert os.waitpid(pid, 0)[1] == 0
        ghost.put("agent:a", "k", "the parent goes on")
        ghost.close()
        """,
    )
    assert keys(tmp_path / "m.db") == {"k"}


def test_a_child_forked_while_reading_can_write(tmp_path: Path) -> None:
    """An export that is half read when the process forks stops neither side."""
    path = tmp_path / "m.db"
    run(
        path,
        """
        for n in range(5):
            ghost.put("agent:a", f"k{n}", "text")
        lines = ghost.export()
        next(lines), next(lines)
        assert child(lambda: ghost.put("agent:a", "child", "x")) == 0
        list(lines)
        ghost.close()
        """,
    )
    assert keys(path) == {*(f"k{n}" for n in range(5)), "child"}


def test_a_child_forked_while_a_thread_computes_a_property_or_an_id(tmp_path: Path) -> None:
    """Neither holds a lock that the child would wait for."""
    said = run(
        tmp_path / "m.db",
        """
        import signal
        from ghostmem.lazy import lazy_property
        began, done = threading.Event(), threading.Event()

        class Value:
            @lazy_property
            def value(self):
                if threading.current_thread() is not threading.main_thread():
                    began.set()
                    done.wait()
                return 7

        def compute():
            with ghost.store.ids._lock:
                Value().value

        def work():
            signal.alarm(20)  # ends a child that hangs
            assert Value().value == 7
            ghost.put("agent:a", "child", "x")

        thread = threading.Thread(target=compute)
        thread.start()
        began.wait()
        print(child(work))
        done.set()
        thread.join()
        ghost.close()
        """,
    )
    assert said == "0\n"
    assert keys(tmp_path / "m.db") == {"child"}


@pytest.mark.wide
def test_a_child_forked_while_threads_make_vectors_can_make_its_own(tmp_path: Path) -> None:
    """The child does not wait for a lock of the model that a thread held."""
    said = run(
        tmp_path / "m.db",
        """
        import signal, time
        from ghostmem.embed.local import LocalEmbedder
        embedder, stop = LocalEmbedder(), threading.Event()
        vector = embedder.embed(["text"])

        def work():
            while not stop.is_set():
                embedder.embed(["a short text", "a long text of a thread " * 20])

        def compare():
            signal.alarm(20)  # ends a child that hangs
            assert abs(embedder.embed(["text"]) - vector).max() < 1e-5

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        codes = []
        for n in range(20):
            time.sleep(0.001 * (n % 7))
            codes.append(child(compare))
            if codes[-1]:
                break
        stop.set()
        for thread in threads:
            thread.join()
        print(set(codes))
        ghost.close()
        """,
    )
    assert said == "{0}\n"
