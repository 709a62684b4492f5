"""ghost notes watch as a process: it indexes without a search, there is one a store, and what it says of itself is true."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and watches are those of Unix"),
]
GHOST = str(Path(sys.executable).with_name("ghost"))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a folder with a note, added to the default store."""
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("# A\n\nalpha\n")
    (root / "b.md").write_text("# B\n\nbravo\n")
    ghost("notes", "add", root, "-n", "n")
    return root


def ghost(*words: object) -> "subprocess.CompletedProcess[str]":
    """Run a command that must succeed."""
    return subprocess.run(
        [GHOST, *map(str, words)], capture_output=True, text=True, timeout=60, check=True
    )


def watcher() -> str:
    """Return what the status says of the watcher."""
    return str(json.loads(ghost("--json", "notes", "status").stdout)["watcher"])


def indexed(root: Path) -> dict[str, str]:
    """Return the contents of live memories, read behind Ghost's back, so that no search helps."""
    db = sqlite3.connect(f"file:{root.parent}/home/.ghost/memory.db?mode=ro", uri=True, timeout=30)
    try:
        return dict(db.execute("SELECT key, content FROM memories WHERE deleted_at IS NULL"))
    finally:
        db.close()


def begun(start: Callable[..., Any], *words: object, **how: Any) -> Any:
    """Start a watcher and wait until it watches."""
    process = start("--json", "notes", "watch", *words, **how)
    process.until(lambda: watcher() != "none", "a watcher")
    return process


@pytest.mark.wide(keep=1)
@pytest.mark.smoke
@pytest.mark.parametrize("words", [(), ("--poll",)])
def test_changes_are_indexed_without_a_search(
    vault: Path, start: Callable[..., Any], words: tuple[str, ...]
) -> None:
    """Edits, new files, renames and deletions come into the store by themselves; each is told as it was done."""
    process = begun(start, *words)
    process.until(lambda: watcher() == ("polling" if words else "watching"), "its mode")
    (vault / "a.md").write_text("# A\n\nalpha golf\n")
    (vault / "sub").mkdir()
    (vault / "sub" / "new.md").write_text("new hotel\n")
    process.until(
        lambda: "golf" in indexed(vault).get("a.md", "") and "sub/new.md" in indexed(vault),
        "the edit",
    )
    os.rename(vault / "sub", vault / "other")
    (vault / "b.md").unlink()
    process.until(lambda: set(indexed(vault)) == {"a.md", "other/new.md"}, "the rename")
    assert process.end(signal.SIGTERM) == 0
    told = [json.loads(line) for line in process.out.splitlines()]
    assert sum(one["changed"] for one in told) >= 1
    assert sum(one["removed"] for one in told) == 1
    assert sum(one["moved"] for one in told) == 1
    assert watcher() == "none"


def test_there_is_one_watcher_a_store(
    vault: Path, start: Callable[..., Any], tmp_path: Path
) -> None:
    """A second one is refused with a conflict; for another store there may be another."""
    begun(start)
    second = subprocess.run(
        [GHOST, "notes", "watch"], capture_output=True, text=True, timeout=60, check=False
    )
    assert second.returncode == 4
    assert "already watches" in second.stderr
    assert "hint:" in second.stderr
    other = str(tmp_path / "other.db")
    ghost("--db", other, "notes", "add", vault, "-n", "n")
    third = start("--db", other, "notes", "watch")
    third.until(
        lambda: (
            json.loads(ghost("--db", other, "--json", "notes", "status").stdout)["watcher"]
            == "watching"
        ),
        "another",
    )


def test_a_killed_watcher_is_no_watcher(vault: Path, start: Callable[..., Any]) -> None:
    """After kill -9 the status says none, and another may begin."""
    process = begun(start)
    assert process.end(signal.SIGKILL) == -9
    assert watcher() == "none"
    (vault / "a.md").write_text("# A\n\nalpha india\n")
    again = begun(start)
    again.until(lambda: "india" in indexed(vault)["a.md"], "what was missed")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_signals_end_it_well(vault: Path, start: Callable[..., Any], name: str) -> None:
    """Being told to end is no error."""
    process = begun(start)
    assert process.end(getattr(signal, name)) == 0
    assert "Traceback" not in process.err


@pytest.mark.parametrize("limit", ["max_inotify_watches", "max_inotify_instances"])
def test_a_system_without_watches_is_polled(
    vault: Path, start: Callable[..., Any], limit: str
) -> None:
    """Where the system gives no more watches, one warning is printed, and every change is still indexed."""
    script = f'echo 0 > /proc/sys/user/{limit} && exec "$@"'
    under = ["unshare", "-Ur", "sh", "-c", script, "sh"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*under, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("limits of one's own need user namespaces")
    process = start("notes", "watch", under=under)
    process.until(lambda: watcher() == "polling", "polling")
    for word in ("juliet", "kilo"):
        (vault / "a.md").write_text(f"# A\n\nalpha {word}\n")
        process.until(lambda word=word: word in indexed(vault)["a.md"], word)
    assert process.end(signal.SIGTERM) == 0
    assert process.err.count("note: ") == 1
    assert "instead" in process.err


def test_a_folder_that_goes_and_comes_back(vault: Path, start: Callable[..., Any]) -> None:
    """While the folder is away nothing is forgotten; what is in it when it is back is indexed."""
    process = begun(start, "--poll")
    aside = vault.with_name("aside")
    os.rename(vault, aside)
    process.until(lambda: "cannot be read" in process.out, "that it is away")
    assert set(indexed(vault)) == {"a.md", "b.md"}
    assert watcher() == "polling"
    shutil.rmtree(aside)
    vault.mkdir()
    (vault / "a.md").write_text("# A\n\nalpha lima\n")
    (vault / "b.md").write_text("# B\n\nbravo\n")
    process.until(lambda: "lima" in indexed(vault)["a.md"], "that it is back")
    assert json.loads(ghost("--json", "notes", "status").stdout).get("unavailable", "") == ""


@pytest.mark.slow
def test_a_folder_that_comes_back_is_seen_within_a_minute(
    vault: Path, start: Callable[..., Any]
) -> None:
    """A watch dies with its folder; the look that is due every minute finds the new one."""
    process = begun(start)
    shutil.rmtree(vault)
    process.until(lambda: "cannot be read" in process.out, "that it is away")
    vault.mkdir()
    (vault / "a.md").write_text("# A\n\nalpha mike\n")
    process.until(lambda: "mike" in indexed(vault)["a.md"], "that it is back")


def test_nothing_to_watch(start: Callable[..., Any]) -> None:
    """Without a folder there is nothing to do, and that is said."""
    done = subprocess.run(
        [GHOST, "notes", "watch"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "ghost notes add" in done.stderr
