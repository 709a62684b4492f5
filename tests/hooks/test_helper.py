"""The helper: a process that answers the hooks of a store with the model in memory."""

import json
import os
import shutil
import signal
import socket
import struct
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.conftest import Program
from ghostmem import Ghost
from ghostmem.hooks.helper import ask_helper, socket_path, start_helper
from ghostmem.hooks.helper_process import serve
from ghostmem.settings import Settings, load
from waiting import until

NS = "project:shop"
PROMPT = "which day do we deploy to production?"

pytestmark = [
    pytest.mark.process,
    pytest.mark.may_skip(reason="no sockets of this kind"),
    pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no sockets of this kind"),
]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder with a short path: the address of a socket has about a hundred bytes."""
    folder = Path(tempfile.mkdtemp(prefix="gh"))
    monkeypatch.setenv("GHOST_DB", str(folder / "m.db"))
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    monkeypatch.setenv("GHOST_HOOK_HELPER", "true")
    with Ghost.open(settings=load()) as ghost:
        ghost.put(NS, "deploys", "Deploys to production happen on Tuesdays.", kind="semantic")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def payload(session: str) -> bytes:
    """Return a prompt as Claude Code sends it."""
    fields = {"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": PROMPT}
    return json.dumps({**fields, "cwd": "/nowhere/shop"}).encode()


def ask(settings: Settings, session: str) -> str | None:
    """Ask the helper directly."""
    return ask_helper(settings, "claude", "UserPromptSubmit", payload(session), 60.0)


def helper_process(settings: Settings) -> int | None:
    """Return the process that listens for some settings."""
    path = socket_path(settings)
    assert path is not None
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return int(struct.unpack("3i", found)[0])
    except OSError:
        return None


def test_the_second_prompt_is_answered_by_a_helper(short: Path, program: Program) -> None:
    """It gives the answer of the hook, survives unreadable calls, and serves only these settings."""
    settings = load()
    first = program("hook", "claude", "UserPromptSubmit", "-n", NS, input=payload("s-1"))
    assert "Tuesdays" in first.out
    process = until(lambda: helper_process(settings))
    try:
        named = load(ns=NS)
        assert ask_helper(named, "claude", "UserPromptSubmit", b"no JSON", 60.0) is None
        answer = ask(named, "s-2")
        assert answer is not None
        assert answer.strip() == first.out.strip()
        assert ask(named, "s-2") == ""  # the memory was shown to this session
        assert ask(load(ns=NS, embed_provider="none"), "s-3") is None
        mode = os.stat(os.path.dirname(str(socket_path(settings)))).st_mode & 0o777
        assert mode == 0o700
        assert helper_process(settings) == process
    finally:
        os.kill(process, signal.SIGKILL)
    assert ask(named, "s-4") is None  # a killed one leaves its socket behind


def test_a_helper_ends_when_nothing_comes(short: Path) -> None:
    """The time limit of the socket ends it."""
    settings = load()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(short / "s.sock"))
        listener.listen()
        listener.settimeout(0.05)
        ended: list[type[BaseException]] = []

        def run() -> None:
            try:
                serve(settings, listener)
            except TimeoutError as error:
                ended.append(type(error))

        thread = threading.Thread(target=run)
        thread.start()
        thread.join(60)
        assert ended == [TimeoutError]


def test_a_store_with_a_long_path_has_no_helper(tmp_path: Path) -> None:
    """Its hooks work without one."""
    assert socket_path(load(db=str(tmp_path / ("x" * 100) / "m.db"))) is None
    assert socket_path(load(db=":memory:")) is None


def test_a_helper_is_started_only_for_a_store_that_exists(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening a store creates it, which a hook that only reads must not do."""
    started: list[str] = []
    monkeypatch.setattr(
        "ghostmem.hooks.helper.start_later", lambda module, settings: started.append(module)
    )
    start_helper(load(db=str(short / "none" / "m.db")))
    assert started == []
    start_helper(load())
    assert started == ["ghostmem.hooks.helper_process"]
