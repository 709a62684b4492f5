"""A folder of notes, a store that searches it, and a count of every text that is embedded; processes of the installed program."""

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

NS = "notes:lab"
LOOK = "zzlook"
PROBE = "how long are your vectors?"
PATIENCE = 60.0  # seconds until a process that does not answer has failed
BIN = Path(sys.executable).parent


class Vectors:
    """An embedding function by words that remembers what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts."""
        self.given += texts
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        found = [0.01] * 64
        for word in text.lower().split():
            found[hashlib.sha256(word.encode()).digest()[0] % 64] += 1
        return found

    def taken(self) -> list[str]:
        """Return what was embedded since the last time, in order of the alphabet, without questions."""
        found = sorted(text for text in self.given if text not in (LOOK, PROBE))
        self.given.clear()
        return found


class Lab:
    """A folder with notes and a store that searches it."""

    def __init__(self, ghost: Ghost, root: Path, clock: Any, vectors: Vectors) -> None:
        self.ghost, self.root, self.clock, self.vectors = ghost, root, clock, vectors

    @property
    def target(self) -> str:
        """Return where the store is, for another process."""
        return str(self.ghost.store.engine.location)

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file as it is given."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def add(self, **files: str) -> Any:
        """Write files (`a__b` is a/b.md), add the folder, and return what came of it."""
        for name, text in files.items():
            self.write(f"{name.replace('__', '/')}.md", text)
        return self.ghost.notes.add(self.root, NS, layout="markdown").report

    def look(self) -> tuple[str, ...]:
        """Let a search look at the folder; return what it says beside the answer."""
        return self.ghost.search(LOOK, NS).notes

    def sync(self, **how: bool) -> Any:
        """Bring the folder in step."""
        return self.ghost.notes.sync(self.root, **how)[0]

    def status(self) -> Any:
        """Compare the folder with what is indexed."""
        return self.ghost.notes.status(self.root)[0]

    def found(self, query: str, **how: Any) -> list[str]:
        """Return the keys that a search finds, best first."""
        return [hit.key for hit in self.ghost.search(query, NS, **how)]

    def memories(self) -> dict[str, Any]:
        """Return what is in the store, by key, without looking at the folder."""
        return {memory.key: memory for memory in self.ghost.list(NS, limit=100_000)}

    def ids(self) -> dict[str, str]:
        """Return the ids of the memories, by key."""
        return {key: memory.id for key, memory in self.memories().items()}

    def id_of(self, word: str) -> str:
        """Return the id of the one memory that has a word in it."""
        found = [memory.id for memory in self.memories().values() if word in memory.content]
        assert len(found) == 1, (word, found)
        return found[0]

    def chunks(self) -> list[str]:
        """Return the texts of all chunks."""
        return sorted(chunk.text for key in self.memories() for chunk in self.ghost.chunks(NS, key))

    def at(self, hit: Any) -> str:
        """Return the text of a file from the line on that a hit names."""
        raw = (Path(hit.root) / hit.path).read_bytes().removeprefix(b"\xef\xbb\xbf")
        return "\n".join(
            line.removesuffix("\r")
            for line in raw.decode(errors="replace").split("\n")[hit.line - 1 :]
        )


@pytest.fixture
def open_lab(
    store_at: Callable[[str | Path], str], tmp_path: Path, clock: Any
) -> Iterator[Callable[..., Lab]]:
    """Return a function that makes a lab; with `vectors` its texts are embedded, with `real` its clock is the system's."""
    opened: list[Lab] = []

    def make(
        name: str = "vault",
        db: str | Path = "memory.db",
        *,
        vectors: bool = False,
        real: bool = False,
        **settings: Any,
    ) -> Lab:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        function = Vectors()
        chosen = Settings(**{"embed_provider": "local" if vectors else "none", **settings})
        ghost = Ghost.open(
            store_at(db),
            settings=chosen,
            clock=None if real else clock,
            embedder=function if vectors else None,
        )
        opened.append(Lab(ghost, root, clock, function))
        return opened[-1]

    yield make
    for lab in opened:
        lab.ghost.close()
    for target in {lab.target for lab in opened}:
        with Ghost.open(target, settings=Settings(embed_provider="none"), clock=clock) as ghost:
            assert ghost.admin.check().problems == ()


@pytest.fixture
def lab(open_lab: Callable[..., Lab]) -> Lab:
    """Return a lab without vectors."""
    return open_lab()


@pytest.fixture
def embedding(open_lab: Callable[..., Lab]) -> Lab:
    """Return a lab that counts what is embedded."""
    return open_lab(vectors=True)


class Process:
    """A process that was started, and what it printed; it ends with the test."""

    def __init__(self, words: Sequence[str], folder: Path, **how: Any) -> None:
        self.log, self.errors = (
            folder / f"out-{time.monotonic_ns()}",
            folder / f"err-{time.monotonic_ns()}",
        )
        with self.log.open("wb") as out, self.errors.open("wb") as err:
            self.process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=out, stderr=err, cwd=folder, **how
            )

    def until(self, ready: Callable[[], Any], what: str = "") -> Any:
        """Wait until something holds, as long as the process lives."""
        end = time.monotonic() + PATIENCE
        while not (found := ready()):
            code = self.process.poll()
            assert code is None, f"{what}: left with {code}: {self.err}"
            assert time.monotonic() < end, f"{what} never came: {self.out} {self.err}"
            time.sleep(0.02)
        return found

    @property
    def out(self) -> str:
        """Return what it printed."""
        return self.log.read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        """Return what it printed beside the data."""
        return self.errors.read_text(encoding="utf-8")

    def end(self, signal: int) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(signal)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """End it at once."""
        if self.process.stdin:
            self.process.stdin.close()
        self.process.kill()
        self.process.wait()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Return a function that starts a process: words of `ghost`, or Python code with `code=`, `under=` another program."""
    started: list[Process] = []

    def run(*words: object, code: str = "", under: Sequence[str] = (), **how: Any) -> Process:
        own = [sys.executable, "-c", code] if code else [str(BIN / "ghost")]
        started.append(Process([*under, *own, *map(str, words)], tmp_path, **how))
        return started[-1]

    yield run
    for one in started:
        one.kill()


@pytest.fixture
def store(store_at: Callable[[str | Path], str]) -> Iterator[Ghost]:
    """Open a store in memory."""
    with Ghost.open(store_at(":memory:"), settings=Settings(embed_provider="none")) as opened:
        yield opened
        assert opened.admin.check().problems == ()
