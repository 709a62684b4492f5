"""Run one function of this package in a child process that acknowledges each step with a line.

`Child(function, name=value)` starts `python -m bench.child MODULE:FUNCTION ARGUMENTS`. The function
calls `say` after each acknowledged step; whatever the parent has read survives the child's death,
because a pipe outlives its writer. `ForkedChild` does the same in a fork of this process, which has
imported everything already: milliseconds instead of a second."""

import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
READY = "ready"
PATIENCE = 120.0  # seconds without an end after which a child counts as hung


def plain_env() -> dict[str, str]:
    """Return the environment without Ghost's settings, with embeddings and telemetry off."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GHOST_", "AGENT_MEMORY_"))
    }
    nowhere = str(Path(os.devnull) / "config.toml")
    return {
        **kept,
        "GHOST_CONFIG": nowhere,
        "GHOST_EMBED_PROVIDER": "none",
        "ORT_DISABLE_TELEMETRY": "1",
    }


def json_of_python(*arguments: str) -> Any:
    """Run Python in a process of its own, and return the JSON that it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=plain_env(),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        encoding="utf-8",
    )
    return json.loads(done.stdout)


class Child:
    """One child process and the lines it has printed."""

    def __init__(self, function: Callable[..., None], **arguments: Any) -> None:
        self._process = self._start(function, arguments)
        self._heard = b""
        self._errors = b""

    def _start(
        self, function: Callable[..., None], arguments: dict[str, Any]
    ) -> "subprocess.Popen[bytes] | Fork":
        name = f"{function.__module__}:{function.__name__}"
        command = [sys.executable, "-m", "bench.child", name, json.dumps(arguments)]
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=plain_env(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def tell(self, line: str) -> None:
        """Send the child a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()

    def lines(self) -> list[str]:
        """Return the complete lines read so far; an incomplete line acknowledges nothing."""
        return [line.decode() for line in self._heard.split(b"\n")[:-1]]

    def listen(
        self, seconds: float = PATIENCE, until: Callable[[list[str]], bool] | None = None
    ) -> bool:
        """Read lines until the child ends or `until` is true; False on a timeout."""
        deadline = time.monotonic() + seconds
        streams = {
            self._process.stdout.fileno(): "_heard",  # type: ignore[union-attr]
            self._process.stderr.fileno(): "_errors",  # type: ignore[union-attr]
        }
        while streams:
            if until is not None and until(self.lines()):
                return True
            ready, _, _ = select.select(
                list(streams), [], [], max(0.0, deadline - time.monotonic())
            )
            if not ready:
                return False
            for stream in ready:
                heard = os.read(stream, 65536)
                setattr(self, streams[stream], getattr(self, streams[stream]) + heard)
                if not heard:
                    del streams[stream]
        self._process.wait()
        return until is None or until(self.lines())

    def await_lines(self, count: int) -> bool:
        """Wait until the child has printed this number of lines."""
        return self.listen(until=lambda lines: len(lines) >= count)

    def kill(self) -> None:
        """Kill the child and read the lines it had printed before."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self.close()

    def finish(self) -> bool:
        """Close the child's input and wait for its end; False when it hung and was killed."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        ended = self.listen()
        self.kill()
        return ended

    def close(self) -> None:
        """Read the rest of the pipes and close them."""
        for stream, name in ((self._process.stdout, "_heard"), (self._process.stderr, "_errors")):
            if stream is not None and not stream.closed:
                setattr(self, name, getattr(self, name) + stream.read())
                stream.close()
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()

    @property
    def code(self) -> int | None:
        """Return the exit code; negative for a signal, None while it runs."""
        return self._process.poll()

    @property
    def error(self) -> str:
        """Return the last line the child wrote to standard error."""
        said = self._errors.decode(errors="replace").strip().splitlines()
        return said[-1] if said else ""


class ForkedChild(Child):
    """A child that is a fork of this process, which must have one thread and no open store."""

    def _start(self, function: Callable[..., None], arguments: dict[str, Any]) -> "Fork":
        return Fork(function, arguments)


class Fork:
    """A forked process with the part of the interface of `subprocess.Popen` that `Child` uses."""

    def __init__(self, function: Callable[..., None], arguments: dict[str, Any]) -> None:
        pipes = [
            os.pipe() for _ in range(3)
        ]  # standard input, output and error, each to read from and to write to
        self.pid = os.fork()
        if not self.pid:
            for number, (source, target) in enumerate(pipes):
                os.dup2(target if number else source, number)
            _run_and_leave(function, arguments, [end for pipe in pipes for end in pipe])
        ours = (pipes[0][1], pipes[1][0], pipes[2][0])
        for end in (end for pipe in pipes for end in pipe if end not in ours):
            os.close(end)
        self.stdin = os.fdopen(ours[0], "wb")
        self.stdout, self.stderr = os.fdopen(ours[1], "rb"), os.fdopen(ours[2], "rb")
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal, or None while the process runs."""
        return self._wait(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait for the end and return the exit code."""
        return self._wait(0)

    def _wait(self, options: int) -> int | None:
        if self.returncode is None:
            found, status = os.waitpid(self.pid, options)
            self.returncode = os.waitstatus_to_exitcode(status) if found else None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)


def _run_and_leave(
    function: Callable[..., None], arguments: dict[str, Any], ends: list[int]
) -> None:
    """Run a function in a fork and end the process without the parent's exit handlers."""
    code = 1
    try:
        for end in ends:
            if end > 2:
                os.close(end)
        os.environ.clear()
        os.environ.update(plain_env())
        function(**arguments)
        code = 0
    except BaseException:  # noqa: BLE001 (whatever it is, it must not reach the parent's code)
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def say(line: str) -> None:
    """Tell the parent that something is done."""
    os.write(1, f"{line}\n".encode())


def hear() -> str:
    """Wait for a line from the parent; empty when it has no more."""
    return sys.stdin.readline().rstrip("\n")


def main() -> None:
    """Run the function named on the command line."""
    module, _, name = sys.argv[1].partition(":")
    getattr(import_module(module), name)(**json.loads(sys.argv[2]))


if __name__ == "__main__":
    main()
