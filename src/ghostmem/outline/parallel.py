"""Link the halves of a large project at the same time, in this process and in a copy of it.

The copy has all facts without reading them again. Where no copy can be made, and if it fails, this
process links both halves in turn, with the same result. A helper does other work in the same
way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from posixpath import dirname
from typing import TYPE_CHECKING, Any

from ghostmem.forked import can_fork, copied
from ghostmem.outline.facts import Facts

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MIN_FILES = 200  # files of a project that is linked in halves
SYMBOL_BYTES = 30  # that a symbol counts for, compared with the packed rest of a file

# Takes what all halves returned in the step before, and returns what they must know of it.
Step = Callable[[list[Any]], Any]


def halves(files: Mapping[str, Facts], *, whole_folders: bool = False) -> list[list[str]]:
    """Return the paths of a project in two parts of similar size, or in one if they are few.

    Both are in order; with `whole_folders` the files of a folder stay together."""
    paths = sorted(files)
    if len(paths) < MIN_FILES:
        return [paths]
    groups = [dirname(path) if whole_folders else path for path in paths]
    sizes: Counter[str] = Counter()
    for group, path in zip(groups, paths, strict=True):
        sizes[group] += len(files[path].symbols) * SYMBOL_BYTES + len(files[path].fold)
    left, first = sizes.total() // 2, set()
    for group, size in sizes.items():
        if left > 0:
            left -= size
            first.add(group)
    pairs = list(zip(groups, paths, strict=True))
    return [
        [path for group, path in pairs if group in first],
        [path for group, path in pairs if group not in first],
    ]


def run_halves(parts: Sequence[Callable[[], Sequence[Step]]]) -> list[Any]:
    """Run the steps of one or two halves, and return what their last steps returned.

    A half is given as a function that returns its steps; it is called again if the copy failed."""
    if len(parts) == 2 and can_fork():
        with suppress(EOFError, OSError):
            return _run_in_two_processes(parts[0](), parts[1]())
    known: list[Any] = []
    for steps in zip(*(part() for part in parts), strict=True):
        known = [step(known) for step in steps]
    return known


class Helper:
    """Runs a function in a copy of this process, or in this one where no copy can be made."""

    def __init__(self, run: Callable[..., Any], peer: Connection[Any, Any] | None = None) -> None:
        self._run = run
        self._peer = peer
        self._arguments: tuple[Any, ...] = ()

    def start(self, *arguments: Any) -> None:
        """Let the copy begin."""
        self._arguments = arguments
        if self._peer is not None:
            with suppress(OSError):
                self._peer.send(arguments)

    def result(self) -> Any:
        """Wait for the copy, and return what the function returned."""
        if self._peer is not None:
            with suppress(EOFError, OSError):
                return self._peer.recv()
        return self._run(*self._arguments)


@contextmanager
def helper(run: Callable[..., Any], *, needed: bool = True) -> Iterator[Helper]:
    """Yield a helper that runs a function once.

    A copy of the process takes little memory if it is made before much is read."""
    if not needed or not can_fork():
        yield Helper(run)
        return
    with copied(lambda peer: peer.send(run(*peer.recv()))) as peer:
        yield Helper(run, peer)


def _run_in_two_processes(first: Sequence[Step], second: Sequence[Step]) -> list[Any]:
    with copied(partial(_run_in_copy, second)) as peer:
        known: list[Any] = []
        for step in first[:-1]:
            made = step(known)
            known = [made, peer.recv()]
            peer.send(made)
        made = first[-1](known)
        return [made, peer.recv()]


def _run_in_copy(steps: Sequence[Step], peer: Connection[Any, Any]) -> None:
    known: list[Any] = []
    for step in steps[:-1]:
        made = step(known)
        peer.send(made)
        known = [peer.recv(), made]
    peer.send(steps[-1](known))
