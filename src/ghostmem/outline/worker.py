"""Extract facts in a second process, so that a first outline of a large project uses two cores.

The process gets the language, the folder and the paths on standard input, and writes one record
per file: its place in the list, the hash of its content, whether there are facts, and these, or
the reason why the file is left out."""

from __future__ import annotations

import gc
import json
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

_HEADER = struct.Struct(">I64s?I")
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from ghostmem.outline.worker import main; main()"
)


class Extracted(NamedTuple):
    """The packed facts of a file, or the reason why there are none."""

    path: str
    digest: str
    facts: bytes | None
    reason: str


class Worker:
    """A process that extracts the facts of some files."""

    def __init__(
        self, process: subprocess.Popen[bytes], output: IO[bytes], paths: Sequence[str]
    ) -> None:
        self._process = process
        self._output = output
        self._paths = paths

    def results(self) -> Iterator[Extracted]:
        """Wait for the process, and yield what it extracted; files may be missing."""
        self._process.wait()
        self._output.seek(0)
        while len(header := self._output.read(_HEADER.size)) == _HEADER.size:
            place, digest, has_facts, size = _HEADER.unpack(header)
            content = self._output.read(size)
            if len(content) < size:
                return
            path = self._paths[place]
            if has_facts:
                yield Extracted(path, digest.decode(), content, "")
            else:
                yield Extracted(path, digest.decode(), None, content.decode())

    def close(self) -> None:
        """Stop the process, and remove what it wrote."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._output.close()


def start_worker(language: str, home: Path, paths: Sequence[str]) -> Worker | None:
    """Start a worker; None where no process can be started."""
    if not sys.executable:
        return None
    # The process has the same search path, so that it runs the same program.
    command = [sys.executable, "-c", _START, json.dumps([str(one) for one in sys.path])]
    output: IO[bytes] | None = None
    try:
        output = tempfile.TemporaryFile(prefix="ghost-outline-")  # noqa: SIM115
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.DEVNULL
        )
    except OSError:
        if output is not None:
            output.close()
        return None
    if process.stdin is not None:
        with suppress(BrokenPipeError), process.stdin as stdin:  # it may have ended at once
            stdin.write(json.dumps([language, str(home), list(paths)]).encode())
    return Worker(process, output, paths)


def main() -> None:
    """Extract the files named on standard input."""
    from ghostmem.outline.languages.table import language_named
    from ghostmem.outline.parse import UnparsableError, content_digest, facts_of

    gc.disable()  # facts have no cycles
    name, home, paths = json.loads(sys.stdin.buffer.read())
    language = language_named(name)
    for place, path in enumerate(paths):
        try:
            source = Path(home, path).read_bytes()
            facts = facts_of(language, path, source).packed()
        except UnparsableError as error:
            facts, reason = None, str(error).encode()
        except (OSError, RecursionError):
            continue  # the process that asked tries it again, and knows what to say
        content = facts if facts is not None else reason
        digest = content_digest(path, source).encode()
        sys.stdout.buffer.write(_HEADER.pack(place, digest, facts is not None, len(content)))
        sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
