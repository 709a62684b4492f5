"""Media that cannot be written: reading works, writing says why not, and not a byte changes."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.child import Child, hear, say
from bench.mounts import make_read_only, read_only_view, tmpfs
from bench.proof import NS, SETTINGS, content, is_intact, key, open_store
from bench.scenario import Findings, Plan
from ghostmem import Ghost, GhostError

NOBODY = 65534
COUNT = 10  # few enough that the log is not brought into the file meanwhile
FILE = "memory.db"


def visit(path: str, user: int | None) -> None:
    """Read and try to write as an ordinary user, in a child process."""
    with Ghost.open(":memory:", settings=SETTINGS) as ghost:
        _try_everything(
            ghost, lambda _: None
        )  # what it imports may lie where that user cannot read
    if user is not None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    with open_store(path) as ghost:
        _try_everything(ghost, say)


def _try_everything(ghost: Ghost, tell: Callable[[str], None]) -> None:
    """Read everything, then try every kind of write, and return the results."""
    found = ghost.list(NS, limit=1_000)
    tell(f"read {sum(is_intact(memory.content) for memory in found)}")
    for memory in found[:1]:
        tell(f"got {len(ghost.get(NS, memory.key).content) and len(ghost.history(NS, memory.key))}")
    tell(f"problems {len(ghost.admin.check().problems)}")
    attempts: dict[str, Callable[[], object]] = {
        "put": lambda: ghost.put(NS, "more", "This cannot be stored."),
        "rm": lambda: ghost.rm(NS, key(0, 0)),
        "gc": lambda: ghost.lifecycle.gc(purge_deleted="all"),
    }
    for name, attempt in attempts.items():
        try:
            attempt()
            tell(f"{name} done")
        except GhostError as error:
            tell(f"{name} {type(error).__name__} {error.exit_code}")


def closed(folder: Path) -> None:
    """Leave a store that was closed in order: one file."""
    with open_store(folder / FILE) as ghost:
        for number in range(COUNT):
            ghost.put(NS, key(0, number), content(0, number))


def write_and_wait(path: str) -> None:
    """Put some memories and stay open, in a child process."""
    with open_store(path) as ghost:
        for number in range(COUNT):
            ghost.put(NS, key(1, number), content(1, number))
        say("done")
        hear()


def killed(folder: Path) -> None:
    """Leave a store whose last writer was killed: a file, its log and the log's index."""
    closed(folder)
    with Child(write_and_wait, path=str(folder / FILE)) as child:
        child.await_lines(1)


def killed_and_copied(folder: Path) -> None:
    """Leave a copy of such a store without the log's index, which copying tools leave out."""
    killed(folder)
    Path(f"{folder / FILE}-shm").unlink()


# how a store was left, and how many acknowledged memories it must show
LEFT: tuple[tuple[Callable[[Path], None], int], ...] = (
    (closed, COUNT),
    (killed, 2 * COUNT),
    (killed_and_copied, 2 * COUNT),
)


def modes(_: Plan) -> Findings:
    """Take away the right to write from file and folder, and come as an ordinary user."""
    findings = Findings({"stores": 0})
    for leave, least in LEFT:
        with _folder() as folder:
            leave(folder)
            _give_away(folder)
            _visit(findings, leave.__name__.replace("_", " "), folder, least)
            folder.chmod(0o700)
    return findings


def mounted(plan: Plan) -> Findings:
    """Mount the store's file system read-only."""
    findings = Findings({"stores": 0})
    for leave, least in LEFT:
        workdir = plan.new_folder(f"readonly-{leave.__name__}")
        with tmpfs(workdir, 8 << 20) as refused:
            if refused:
                return Findings(skipped=refused)
            leave(workdir)
            if refused := make_read_only(workdir):
                return Findings(skipped=refused)
            _visit(findings, leave.__name__.replace("_", " "), workdir, least, switch=False)
    return findings


def read_beside(path: str) -> None:
    """Read a store again and again, once for each line from the parent, in a child process."""
    with open_store(path) as ghost:
        say(_seen(ghost, 0))
        while (line := hear()) != "":
            say(_seen(ghost, int(line)))


def _seen(ghost: Ghost, newest: int) -> str:
    """Read in every way and return the number of memories, or the error message."""
    try:
        listed = ghost.list(NS, limit=10_000)
        torn = sum(not is_intact(memory.content) for memory in listed)
        got = ghost.get(NS, key(0, newest)).content == content(0, newest)
        hits = ghost.search(f"writer 0 number {newest}", NS)
        problems = len(ghost.admin.check().problems)
    except GhostError as error:
        return f"error {type(error).__name__}: {error}"
    return f"seen {len(listed)} {torn} {int(got)} {int(bool(hits))} {problems}"


def beside_a_writer(plan: Plan) -> Findings:
    """Read through a read-only mount while another process writes.

    The reader comes before the writer, or after.
    """
    findings = Findings({"looks": 0, "written": 0, "said_instead": 0})
    for reader_first in (True, False):
        folder, view = (
            plan.new_folder(f"beside-store-{reader_first}"),
            plan.new_folder(f"beside-view-{reader_first}"),
        )
        with tmpfs(folder, 64 << 20) as refused:
            if refused:
                return Findings(skipped=refused)
            with read_only_view(folder, view) as refused:
                if refused:
                    return Findings(skipped=refused)
                closed(folder)
                _read_on(findings, folder, view, reader_first)
    return findings


def _read_on(findings: Findings, folder: Path, view: Path, reader_first: bool) -> None:
    """Write in steps and have a child read after each."""
    with ExitStack() as stack:
        if reader_first:
            reader = stack.enter_context(Child(read_beside, path=str(view / FILE)))
            reader.await_lines(1)
            writer = stack.enter_context(open_store(folder / FILE))
        else:
            writer = stack.enter_context(open_store(folder / FILE))
            writer.put(NS, key(0, 0), content(0, 0))  # now the log is there
            reader = stack.enter_context(Child(read_beside, path=str(view / FILE)))
            reader.await_lines(1)
        written = COUNT
        for number in range(6):
            # the larger steps bring the log into the file, which changes pages below the reader
            written = _put_range(writer, written, 5 if number % 2 else 120)
            reader.tell(str(written - 1))
            findings.expect(
                reader.await_lines(number + 2), f"the reader hung or left: {reader.error}"
            )
            _judge_look(findings, reader.lines()[-1], written)
        findings.count("written", written)


def _put_range(ghost: Ghost, first: int, count: int) -> int:
    for number in range(first, first + count):
        ghost.put(NS, key(0, number), content(0, number))
    return first + count


def _judge_look(findings: Findings, line: str, written: int) -> None:
    """Expect the current store, or a clear message.

    A store is never reported as damaged and never stays at an old state.
    """
    findings.count("looks")
    if line.startswith("error"):
        findings.count("said_instead")
        is_wrong = any(word in line for word in ("CorruptStoreError", "damaged", "NotFoundError"))
        findings.expect(not is_wrong, f"after {written} puts: {line}")
        return
    seen, torn, got, hits, problems = map(int, line.split()[1:])
    findings.expect(seen == written, f"after {written} puts the reader lists {seen}")
    findings.expect((torn, got, hits, problems) == (0, 1, 1, 0), f"after {written} puts: {line}")


def _visit(findings: Findings, what: str, folder: Path, least: int, switch: bool = True) -> None:
    """Have a child read and try to write, and compare every byte."""
    before = _fingerprints(folder)
    user = NOBODY if switch and os.geteuid() == 0 else None
    with Child(visit, path=str(folder / FILE), user=user) as child:
        child.finish()
    said = dict(line.split(" ", 1) for line in child.lines())
    findings.count("stores")
    findings.expect(child.code == 0, f"{what}: reading ended with {child.code}: {child.error}")
    read = int(said.get("read", "0"))
    findings.expect(read >= least, f"{what}: {read} of {least} acknowledged memories can be read")
    findings.expect(
        said.get("problems") == "0", f"{what}: check finds {said.get('problems')} problems"
    )
    for name in ("put", "rm", "gc"):
        findings.expect(
            said.get(name) == "ReadOnlyStoreError 5", f"{what}: {name} gave {said.get(name)}"
        )
    findings.expect(
        _fingerprints(folder) == before,
        f"{what}: the files changed: {sorted(before)} {sorted(_fingerprints(folder))}",
    )


def _fingerprints(folder: Path) -> dict[str, str]:
    """Return each file's name and hash."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


def _give_away(folder: Path) -> None:
    """Make files and folder read-only, owned by an ordinary user if this runs as root."""
    for path in (*folder.iterdir(), folder):
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        path.chmod(0o500 if path is folder else 0o400)


@contextmanager
def _folder() -> Iterator[Path]:
    """Make a folder that another user can reach, which those of tests are not."""
    path = Path(tempfile.mkdtemp(prefix="ghost-readonly-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)
