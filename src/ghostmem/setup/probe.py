"""Start a server as its client would, ask for its tools, and stop it."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ghostmem._version import __version__
from ghostmem.settings import child_env

TIMEOUT_SECONDS = 30.0
_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "ghost doctor", "version": __version__},
}
# A server answers what it was asked before it ends with its input, so nobody waits in between.
_MESSAGES = (
    {"id": 1, "method": "initialize", "params": _HELLO},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)


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
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in _MESSAGES)
    try:
        ended = subprocess.run(  # noqa: S603 - it is the user's own configuration
            words,
            input=lines,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=child_env(**env),
            cwd=folder,
            timeout=timeout,
            check=False,
        )
        greeting, offered = _result(ended.stdout, 1), _result(ended.stdout, 2)
    except subprocess.TimeoutExpired:
        return ProbeAnswer(problem="the server did not answer in time")
    except OSError as error:
        return ProbeAnswer(problem=f"cannot start {words[0]}: {error.strerror}")
    except ValueError as error:
        output = ended.stderr.strip().splitlines() or [""]
        line = next((line for line in output if line.startswith("error:")), output[-1])
        return ProbeAnswer(problem=line.removeprefix("error: ") or str(error))
    return ProbeAnswer(
        str(greeting.get("serverInfo", {}).get("name", "")), len(offered.get("tools", []))
    )


def _result(output: str, number: int) -> dict[str, Any]:
    """Return the result of a request and skip the server's other messages."""
    for line in output.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            raise ValueError(f"the server prints lines that are not JSON: {line[:80]!r}") from None
        if isinstance(message, dict) and message.get("id") == number:
            if isinstance(message.get("result"), dict):
                return dict(message["result"])
            raise ValueError(f"the server answers with an error: {message.get('error')}")
    raise ValueError("the server ended without an answer")
