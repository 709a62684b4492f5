"""Start a module of Ghost as a process that outlives the hook and its host; its settings."""

import os
import subprocess
import sys
from typing import Any

from ghostmem.errors import GhostError
from ghostmem.settings import Settings, child_env, load

# a process that outlives its parent, in a group of its own
DETACHED: dict[str, Any] = (
    {"creationflags": 0x00000208} if os.name == "nt" else {"start_new_session": True}
)


def start_detached(module: str, data: bytes) -> None:
    """Start a module in the background, with data on standard input.

    The folder of the session is not searched for modules (-P), because it may contain any file.
    """
    child = subprocess.Popen(  # noqa: S603 (a module of our own)
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=child_env(GHOST_HOOK_CHILD="1"),
        **DETACHED,
    )
    assert child.stdin is not None
    with child.stdin as stream:
        stream.write(data)
    child.returncode = 0  # no one waits for it


def settings_for(db: str) -> Settings:
    """Return the settings for a store; without the configuration file if that is broken.

    The hook that has started the process did without the file too."""
    try:
        return load(db=db)
    except GhostError:
        return load(use_file=False, db=db)
