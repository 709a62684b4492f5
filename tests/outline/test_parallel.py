"""The halves of a large project are linked in two processes where that is safe, with one result"""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from tests.outline.conftest import facts_of, outline

from ghostmem.outline import parallel
from ghostmem.outline.parallel import Step, run_halves

FILES = {
    "a.py": "from b import make\n\n\ndef use(thing):\n    thing.run()\n    make().stop()\n",
    "b.py": "class B:\n    def run(self): ...\n    def stop(self): ...\n\n\n"
    "def make():\n    return B()\n",
    "c.py": "from a import use\nfrom b import B, unknown\n\n\ndef main():\n    use(B())\n"
    "    unknown()\n",
    "d.py": "import c\n\n\ndef start(value):\n    c.main()\n    value.go()\n",
}
_IN_TWO_PROCESSES = """
import os
from ghostmem.outline import parallel
from ghostmem.outline.parallel import run_halves

def steps(name):
    own = []
    def first(known):
        own.append(os.getpid())
        return name
    return [first, lambda known: (name, known, own[0])]

(a, known, here), (b, same, there) = run_halves([lambda: steps("a"), lambda: steps("b")])
assert (a, b) == ("a", "b") and known == same == ["a", "b"], (known, same)
print(here == os.getpid(), there == os.getpid())

def failing():
    def fail(known):
        if os.getpid() != here:
            raise RecursionError
        return "alone"
    return [fail]

print(*run_halves([failing, failing]))
"""


def steps_of(name: str, log: list[str]) -> Sequence[Step]:
    """Return two steps that note who runs, and what the second is given."""

    def first(known: list[Any]) -> str:
        log.append(f"{name}1 {known}")
        return name.upper()

    def second(known: list[Any]) -> str:
        log.append(f"{name}2 {known}")
        return name * 2

    return [first, second]


def test_steps_get_what_both_halves_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one process the halves take turns; a single half gets its own results."""
    monkeypatch.setattr(parallel, "can_fork", lambda: False)
    log: list[str] = []
    assert run_halves([lambda: steps_of("a", log), lambda: steps_of("b", log)]) == ["aa", "bb"]
    assert log == ["a1 []", "b1 []", "a2 ['A', 'B']", "b2 ['A', 'B']"]
    assert run_halves([lambda: steps_of("c", log)]) == ["cc"]
    assert log[-1] == "c2 ['C']"


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")
def test_two_processes() -> None:
    """The second half runs in a copy of the process; if that fails, this one does everything."""
    done = subprocess.run(
        [sys.executable, "-c", _IN_TWO_PROCESSES], capture_output=True, check=False, text=True
    )
    several = (os.cpu_count() or 1) > 1
    assert done.stdout.split("\n")[:2] == [f"True {not several}", "alone alone"], done.stderr


_WITH_A_HELPER = """
import os
from ghostmem.outline.parallel import helper

def run(number):
    return number + 1, os.getpid()

with helper(run) as one:
    one.start(1)
    number, process = one.result()
print(number, process == os.getpid())

here = os.getpid()

def fail(number):
    if os.getpid() != here:
        raise RecursionError
    return number

with helper(fail) as one:
    one.start(3)
    print(one.result())
with helper(run):
    print("not started")
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")
def test_a_helper_runs_in_a_copy() -> None:
    """If the copy fails, this process does the work; a helper that is not started just ends."""
    done = subprocess.run(
        [sys.executable, "-c", _WITH_A_HELPER], capture_output=True, check=False, text=True
    )
    several = (os.cpu_count() or 1) > 1
    expected = [f"2 {not several}", "3", "not started"]
    assert done.stdout.splitlines() == expected, done.stderr


def test_a_helper_without_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no copy is needed or can be made, the same result comes from this process."""
    monkeypatch.setattr(parallel, "can_fork", lambda: False)
    for needed in (False, True):
        with parallel.helper(lambda *given: (given, os.getpid()), needed=needed) as one:
            one.start(1, 2)
            assert one.result() == ((1, 2), os.getpid())


def test_no_copy_of_a_process_with_threads() -> None:
    """A process with a second thread is never copied."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not parallel.can_fork()
    finally:
        done.set()
        thread.join()


def test_halves_are_of_similar_size() -> None:
    """Files are divided by their size, in order; a small project stays whole."""
    facts = facts_of("python", {f"m{number}.py": "x = 1\n" for number in range(parallel.MIN_FILES)})
    first, second = parallel.halves(facts)
    assert first + second == sorted(facts)
    assert len(first) == len(second)
    facts.popitem()
    assert parallel.halves(facts) == [sorted(facts)]


def test_the_files_of_a_folder_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Go package is linked by one process, also where a folder inside of it comes between."""
    monkeypatch.setattr(parallel, "MIN_FILES", 2)
    paths = ["a/a.go", "a/b/c.go", "a/z.go", "d/e.go"]
    facts = facts_of("go", dict.fromkeys(paths, "package p\n\nvar V = 1\n"))
    assert parallel.halves(facts, whole_folders=True) == [
        ["a/a.go", "a/z.go"],
        ["a/b/c.go", "d/e.go"],
    ]


def test_the_graph_of_go_packages_is_that_of_one_half(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both halves know the types of all packages, and what is outside is one node."""
    files = {
        "a/a.go": 'package a\n\nimport "fmt"\n\ntype T struct{}\n\n'
        "func (t *T) Run() { fmt.Println(t) }\n",
        "b/b.go": 'package b\n\nimport (\n\t"fmt"\n\t"m/a"\n)\n\n'
        "func Use(t *a.T) { t.Run(); fmt.Println(t); t.gone() }\n",
    }
    others = {"go.mod": "module m\n"}
    whole = outline("go", files, others)
    monkeypatch.setattr(parallel, "MIN_FILES", 2)
    monkeypatch.setattr(parallel, "can_fork", lambda: False)
    parts = outline("go", files, others)
    assert set(parts.links) == set(whole.links)
    assert (parts.nodes, parts.loose) == (whole.nodes, whole.loose)
    assert any(link.start.startswith("b/b.go#b.Use") and "Run" in link.end for link in parts.links)
