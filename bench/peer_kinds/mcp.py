"""A plain MCP client over stdio: handshake and sequential requests; other messages are ignored."""

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

PROTOCOL = "2025-06-18"


class ServerError(RuntimeError):
    """A server that ended, did not answer in time, or answered with an error."""


class Server:
    """A server process and the conversation with it."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float = 120
    ) -> None:
        self.began = time.perf_counter()
        self._seconds, self._heard, self._number = seconds, b"", 0
        self.log = folder / "server.log"
        with self.log.open("ab") as log:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(
                command, env=env, cwd=folder, stdin=pipe, stdout=pipe, stderr=log, bufsize=0
            )
        client = {"name": "bench", "version": "1"}
        try:
            self.about = self.ask(
                "initialize",
                {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client},
            )
            self._tell({"method": "notifications/initialized"})
        except ServerError:
            self.close()
            raise

    def _tell(self, frame: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        data = memoryview(
            json.dumps({"jsonrpc": "2.0", **frame}, ensure_ascii=False).encode() + b"\n"
        )
        try:
            while data:
                data = data[self.process.stdin.write(data) or 0 :]
        except BrokenPipeError:
            raise ServerError(self._last_words()) from None

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its result; requests of the server's own are declined."""
        self._number += 1
        self._tell({"id": self._number, "method": method, "params": params})
        deadline = time.monotonic() + self._seconds
        while True:
            frame = self._frame(deadline)
            if "method" in frame:
                if "id" in frame:
                    self._tell(
                        {"id": frame["id"], "error": {"code": -32601, "message": "not offered"}}
                    )
            elif frame.get("id") == self._number:
                if "error" in frame:
                    raise ServerError(one_line(frame["error"].get("message", frame["error"])))
                result: dict[str, Any] = frame["result"]
                return result

    def _frame(self, deadline: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        stream = self.process.stdout.fileno()
        while True:
            while b"\n" in self._heard:
                line, _, self._heard = self._heard.partition(b"\n")
                if line.lstrip().startswith(b"{"):
                    found: dict[str, Any] = json.loads(line)
                    return found
            ready, _, _ = select.select([stream], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise ServerError(f"no answer within {self._seconds:.0f} s")
            if not (data := os.read(stream, 1 << 20)):
                raise ServerError(self._last_words())
            self._heard += data

    def _last_words(self) -> str:
        said = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return one_line(f"the server ended: {said[-1] if said else 'without a word'}")

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Call a tool that must succeed and return its text."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise ServerError(one_line(text))
        return text

    def tools(self) -> list[dict[str, Any]]:
        """Return every tool the server lists, page by page."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            page = self.ask("tools/list", cursor)
            found += page["tools"]
            if not page.get("nextCursor"):
                return found
            cursor = {"cursor": page["nextCursor"]}

    def close(self) -> None:
        """End the server as clients do: close its input, wait a moment, then insist."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def kill(self) -> float:
        """End the server at once and return the seconds of processor it took."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.kill()
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.process.stdin.close()
        self.process.stdout.close()
        return used.ru_utime + used.ru_stime


def one_line(text: object) -> str:
    """Return the first 200 characters of a text as one line."""
    return " ".join(str(text).split())[:200]
