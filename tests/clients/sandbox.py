"""A home folder and a project in which a real client runs, and the ways to run it."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from clients.scripted_model import Exchange, ScriptedModel

ROOT = Path(__file__).resolve().parents[2]
T = TypeVar("T")
Step = Callable[[str], contextlib.AbstractContextManager[None]]
"""Record whether a named step of a test passed."""
INSTALLED = ROOT / ".clients" / "node_modules" / ".bin"
RUN_SECONDS = 120
WAIT_SECONDS = 60
MAX_SHOWN = 1500
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Sandbox:
    """A scratch home, a git project called `shop`, and the scripted model."""

    def __init__(self, root: Path, model: ScriptedModel) -> None:
        self.home = root / "agent-home"
        self.project = root / "shop"
        self.model = model
        self.output: list[str] = []
        self.home.mkdir()
        self.project.mkdir()
        self.env = self._environment()
        self.run(["git", "init", "-q", "."])

    def _environment(self) -> dict[str, str]:
        """Return an environment without anything of the user's, and without a way out."""
        path = [str(Path(sys.executable).parent), str(INSTALLED), os.environ["PATH"]]
        return {
            "HOME": str(self.home),
            "PATH": os.pathsep.join(path),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "CI": "",
            "HTTP_PROXY": self.model.url,
            "HTTPS_PROXY": self.model.url,
            "http_proxy": self.model.url,
            "https_proxy": self.model.url,
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }

    def fill(self, text: str) -> str:
        """Return a text with the address of the model and the folders in it."""
        values = {"{url}": self.model.url, "{project}": str(self.project), "{home}": str(self.home)}
        for name, value in values.items():
            text = text.replace(name, value)
        return text

    def run(
        self, command: Sequence[str], *, seconds: float = RUN_SECONDS, fails: bool = False
    ) -> str:
        """Run a command in the project to its end and return its output."""
        process = subprocess.Popen(
            list(command),
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            out, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            stop_group(process.pid)
            out, _ = process.communicate()
            out += f"\n[stopped after {seconds} seconds]"
        self.output.append(f"$ {' '.join(command)}\n{out}\n[exit code {process.returncode}]")
        assert fails or process.returncode == 0, self.output[-1]
        return _ESCAPES.sub("", out)

    def ghost(self, *arguments: str) -> str:
        """Run Ghost's own command line."""
        return self.run(["ghost", *arguments])

    def stored(self) -> dict[str, str]:
        """Return the text of every live memory of the project, by key."""
        lines = self.ghost("list", "-n", "project:shop", "--json").splitlines()
        items = [json.loads(line) for line in lines if line.startswith("{")]
        return {item["key"]: item["content"] for item in items}

    def wait_stored(self, text: str) -> str:
        """Return the key of the memory that has a text, as soon as there is one."""

        def key() -> str | None:
            return next((key for key, stored in self.stored().items() if text in stored), None)

        return wait_for(key, f"memory with {text!r}", pause=1)

    def files(self) -> dict[str, bytes]:
        """Return every file of the home folder by its relative path."""
        return {
            path.relative_to(self.home).as_posix(): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    def requests(self, since: int = 0) -> list[Exchange]:
        """Return the requests for a model from a number on."""
        return [found for found in self.model.requests[since:] if found.conversation]

    def processes(self) -> dict[int, str]:
        """Return the command of every process that was started here and still runs, by its id."""
        sign = f"HOME={self.home}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if sign in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(folder.name)] = command.decode(errors="replace")
        return found

    def close(self) -> None:
        """End the processes that a client left in the background."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def report(self) -> str:
        """Return what helps to understand a failure: output, memories, requests."""
        parts = [*self.output[-6:], "--- requests"]
        for request in self.requests()[-4:]:
            messages = _shortened(request.conversation[-4:])
            shown = json.dumps(messages, ensure_ascii=False, indent=1)
            parts.append(f"{request.number} {request.path}\n{shown}")
        log = self.home / ".ghost" / "hooks.log"
        parts += ["--- hooks.log", log.read_text() if log.exists() else "(none)"]
        parts += [f"--- refused hosts: {sorted(set(self.model.refused))}", *self.model.errors]
        return "\n".join(parts)


def _shortened(value: Any) -> Any:
    """Return a JSON value whose long strings have lost their middle."""
    if isinstance(value, dict):
        return {name: _shortened(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_shortened(member) for member in value]
    if isinstance(value, str) and len(value) > MAX_SHOWN:
        return f"{value[: MAX_SHOWN // 2]} […] {value[-MAX_SHOWN // 2 :]}"
    return value


def stop_group(pid: int) -> None:
    """End the process group that a process leads."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def wait_for(
    look: Callable[[], T | None], what: str, seconds: float = WAIT_SECONDS, pause: float = 0.2
) -> T:
    """Return the first value that is not empty."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, f"no {what} after {seconds} seconds"
        time.sleep(pause)
    return found


class Terminal:
    """A terminal of 200 by 60 characters, in a tmux server of its own."""

    def __init__(self, sandbox: Sandbox, command: Sequence[str]) -> None:
        self.sandbox = sandbox
        self.folder = tempfile.mkdtemp(prefix="ghost-tmux-")
        self.env = {**sandbox.env, "TMUX_TMPDIR": self.folder}
        size = ("-x", "200", "-y", "60")
        self._tmux("new-session", "-d", *size, "-c", str(sandbox.project), *command)
        self._tmux("set-option", "-g", "remain-on-exit", "on")

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-f", os.devnull, *arguments]
        done = subprocess.run(
            command, env=self.env, capture_output=True, text=True, timeout=30, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def screen(self) -> str:
        """Return the text on the screen."""
        return self._tmux("capture-pane", "-p")

    def wait(self, text: str, seconds: float = WAIT_SECONDS) -> str:
        """Return the screen as soon as it shows a text that matches the pattern."""

        def seen() -> str | None:
            shown = self.screen()
            return shown if re.search(text, shown) else None

        try:
            return wait_for(seen, f"{text!r} on the screen", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.screen()}") from None

    def wait_ended(self) -> None:
        """Wait until the client has ended; tmux may not find room to say so on the screen."""
        wait_for(
            lambda: self._tmux("list-panes", "-F", "#{pane_dead}").strip() == "1",
            "end of the client",
        )

    def idle(self, busy: str) -> None:
        """Wait until the screen has not been busy, and not changed, for a second."""

        def still() -> bool:
            shown = self.screen()
            time.sleep(1)
            return shown == self.screen() and not re.search(busy, shown)

        wait_for(still, "end of the turn")

    def press(self, *keys: str) -> None:
        """Press keys by their tmux names."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type a line and send it."""
        before = self.screen()
        self._tmux("send-keys", "-l", text)
        wait_for(lambda: self.screen() != before, "typed text on the screen")
        time.sleep(0.5)  # a client takes keys that come at once for a paste
        self.press("Enter")

    def close(self) -> None:
        """End the client and the terminal."""
        running = "\n".join(self.sandbox.processes().values())
        screen = self.screen().rstrip()
        self.sandbox.output.append(f"the screen at the end:\n{screen}\nprocesses:\n{running}")
        pids = self._tmux("list-panes", "-a", "-F", "#{pane_pid}").split()
        self._tmux("kill-server")
        for pid in pids:
            stop_group(int(pid))
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def terminal(sandbox: Sandbox, command: Sequence[str]) -> Iterator[Terminal]:
    """Open a terminal in which a command runs."""
    opened = Terminal(sandbox, command)
    try:
        yield opened
    finally:
        opened.close()


def versions() -> dict[str, Any]:
    """Return the version of every client by its package."""
    made = json.loads((Path(__file__).parent / "package.json").read_text(encoding="utf-8"))
    return dict(made["dependencies"])
