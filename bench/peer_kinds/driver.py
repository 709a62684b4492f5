"""The harness's side of a driver process: start it, ask it, and end it, politely or not."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from bench.child import ROOT
from bench.peer_kinds.install import bin_folder, lay_model
from bench.peer_kinds.kinds import Kind
from bench.peer_kinds.serve import LAUNCH

NOWHERE = "http://127.0.0.1:9"  # nobody listens: what would download fails at once
QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "MEM0_TELEMETRY": "False",
    "PYTHONUTF8": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class DriverError(RuntimeError):
    """An operation that a peer could not do, in one line."""


def environment(work: Path, kind: Kind, folder: Path) -> dict[str, str]:
    """Return the environment of a peer: an empty home, no settings, no network."""
    kept = {name: value for name, value in os.environ.items() if not _is_ours(name)}
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    if kind.model and not (link := home / kind.model).exists():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(lay_model(work))
    proxies = dict.fromkeys(
        ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"),
        NOWHERE,
    )
    return {
        **kept,
        **QUIET,
        **proxies,
        "HOME": str(home),
        "GHOST_CONFIG": str(Path(os.devnull) / "config.toml"),
    }


def _is_ours(name: str) -> bool:
    return name.startswith(
        (
            "GHOST_",
            "AGENT_MEMORY_",
            "PYTHON",
            "VIRTUAL_ENV",
            "OPENAI_",
            "MCP_",
            "MEMPALACE_",
            "BASIC_MEMORY_",
        )
    )


class Driver:
    """One driver process in the peer's own environment.

    A server's driver runs in ours and starts the server.
    """

    def __init__(self, work: Path, kind: Kind, folder: Path, before: tuple[str, ...] = ()) -> None:
        own = kind.client == "pip" and not kind.is_server
        python = str(bin_folder(work, kind) / "python") if own else sys.executable
        self.log = folder / "driver.log"
        self.began = time.perf_counter()
        folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*before, python, "-c", LAUNCH, str(ROOT), kind.driver],
                env=environment(work, kind, folder),
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                start_new_session=True,
            )
        self._heard, self._is_over = b"", False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def tell(self, do: str, /, **given: Any) -> None:
        """Send a request without waiting."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **given}).encode() + b"\n")

    def hear(self, seconds: float) -> dict[str, Any]:
        """Return the next line; an error where the peer had one, ended, or took too long."""
        assert self.process.stdout is not None
        stream, deadline = self.process.stdout.fileno(), time.monotonic() + seconds
        while b"\n" not in self._heard:
            ready, _, _ = select.select([stream], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise DriverError(f"no answer within {seconds:.0f} s")
            if not (data := os.read(stream, 1 << 20)):
                raise DriverError(self._last_words())
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise DriverError(found["error"])
        return found

    def ask(self, do: str, patience: float, /, **given: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        try:
            self.tell(do, **given)
        except BrokenPipeError:
            raise DriverError(self._last_words()) from None
        return self.hear(patience)

    def open(
        self, kind: Kind, work: Path, folder: Path, dimension: int, seconds: float = 120
    ) -> dict[str, Any]:
        """Open the peer's store in a folder."""
        options = {
            "bin": str(bin_folder(work, kind)),
            "dimension": dimension,
            "seconds": seconds,
            **kind.options,
        }
        return self.ask("open", seconds, folder=str(folder), options=options)

    def _last_words(self) -> str:
        said = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return f"it ended: {' '.join((said[-1] if said else 'without a word').split())[:200]}"

    def leave(self, seconds: float = 120) -> None:
        """Close the store, then the process."""
        self.ask("close", seconds)
        self.kill()

    def kill(self) -> None:
        """Kill the process and its children."""
        self._end()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()

    def kill_and_read(self) -> list[dict[str, Any]]:
        """Kill the process and return the complete lines it had printed."""
        self._end()
        assert self.process.stdout is not None
        while data := os.read(self.process.stdout.fileno(), 1 << 20):
            self._heard += data
        lines = [json.loads(line) for line in self._heard.split(b"\n")[:-1]]
        self.kill()
        return lines

    def _end(self) -> None:
        """Kill the process group once; later its number may belong to another process."""
        if not self._is_over:
            self._is_over = True
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
