"""Small file systems, where the machine lets us mount them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def tmpfs(folder: Path, size: int) -> Iterator[str]:
    """Mount a file system of this size on a folder; yield an empty text or why it failed."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        yield "only root may mount a file system"
        return
    done = _run("mount", "-t", "tmpfs", "-o", f"size={size},mode=0711", "tmpfs", str(folder))
    if done:
        yield f"mounting is not allowed here: {done}"
        return
    try:
        yield ""
    finally:
        if _run("umount", str(folder)):
            _run("umount", "-l", str(folder))


def make_read_only(folder: Path) -> str:
    """Turn a mounted file system read-only; return why not, or an empty text."""
    return _run("mount", "-o", "remount,ro", str(folder))


@contextmanager
def read_only_view(folder: Path, view: Path) -> Iterator[str]:
    """Mount a folder read-only at a second path; yield an empty text or why it failed."""
    if refused := _run("mount", "--bind", str(folder), str(view)):
        yield f"mounting is not allowed here: {refused}"
        return
    try:
        yield _run("mount", "-o", "remount,bind,ro", str(view))
    finally:
        if _run("umount", str(view)):
            _run("umount", "-l", str(view))


def _run(*command: str) -> str:
    """Run a command and return its error output, or an empty text."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"
