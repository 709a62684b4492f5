"""Start a server as its client would, ask for its tools, and stop it."""

import contextlib
import json
import queue
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any

from ghostmem._version import __version__
from ghostmem.settings import child_env

TIMEOUT_SECONDS = 30.0  # for both requests together
_PROTOCOL = "2025-06-18"


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """The name of a server and its number of tools, or the problem."""

    name: str = ""
    tools: int = 0
    problem: str = ""


def probe(
    words: list[str],
    env: dict[str, str],
    folder: Path | None = None,
    timeout: float = TIMEOUT_SECONDS,
) -> ProbeAnswer:
    """Start a server and return its answer."""
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(  # noqa: S603 - it is the user's own configuration
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=child_env(**env),
                cwd=folder,
            )
        except OSError as error:
            return ProbeAnswer(problem=f"cannot start {words[0]}: {error.strerror}")
        lines: queue.Queue[bytes] = queue.Queue()
        reader = threading.Thread(target=_read, args=(process.stdout, lines), daemon=True)
        reader.start()
        try:
            return _talk(process, lines, monotonic() + timeout, errors)
        finally:
            _end(process)
            reader.join(3)


def _talk(
    process: "subprocess.Popen[bytes]", lines: "queue.Queue[bytes]", until: float, errors: IO[bytes]
) -> ProbeAnswer:
    assert process.stdin is not None
    hello = {
        "protocolVersion": _PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "ghost doctor", "version": __version__},
    }
    try:
        _send(process.stdin, {"id": 1, "method": "initialize", "params": hello})
        greeting = _answer(lines, 1, until)
        _send(process.stdin, {"method": "notifications/initialized"})
        _send(process.stdin, {"id": 2, "method": "tools/list"})
        offered = _answer(lines, 2, until)
    except TimeoutError:
        return ProbeAnswer(problem="the server did not answer in time")
    except (OSError, ValueError) as error:
        errors.seek(0)
        output = errors.read().decode(errors="replace").strip().splitlines() or [""]
        line = next((line for line in output if line.startswith("error:")), output[-1])
        return ProbeAnswer(problem=line.removeprefix("error: ") or str(error))
    return ProbeAnswer(
        str(greeting.get("serverInfo", {}).get("name", "")), len(offered.get("tools", []))
    )


def _send(stream: IO[bytes], message: dict[str, Any]) -> None:
    stream.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    stream.flush()


def _answer(lines: "queue.Queue[bytes]", number: int, until: float) -> dict[str, Any]:
    """Return the result of a request and skip the server's other messages."""
    while True:
        try:
            line = lines.get(timeout=max(0.0, until - monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if not line:
            raise ValueError("the server ended without an answer")
        try:
            message = json.loads(line)
        except ValueError:
            raise ValueError(f"the server prints lines that are not JSON: {line[:80]!r}") from None
        if isinstance(message, dict) and message.get("id") == number:
            result = message.get("result")
            if not isinstance(result, dict):
                raise ValueError(f"the server answers with an error: {message.get('error')}")
            return result


def _read(stream: IO[bytes], lines: "queue.Queue[bytes]") -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(b"")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Close its input, which stops a server, and kill one that is still running."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
