"""Run a module of Ghost later, as a process that outlives the hook and its host.

`start_later` writes a job as JSON to the standard input of the process: the location of the store
may contain a password, and the arguments of a process are visible to every user of the machine.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from ghostmem.errors import GhostError
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.settings import Settings, child_env, load

# a process that outlives its parent, in a group of its own
DETACHED: dict[str, Any] = (
    {"creationflags": 0x00000208} if os.name == "nt" else {"start_new_session": True}
)


def start_later(module: str, settings: Settings, **job: Any) -> None:
    """Start a module in the background with the store of some settings and further fields.

    The folder of the session is not searched for modules (-P), because it may contain any file.
    """
    import subprocess  # 15 ms, which a hook without a job saves

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
        stream.write(json.dumps({"db": settings.path, **job}).encode())
    child.returncode = 0  # no one waits for it


def run_job(work: Callable[[Settings, dict[str, Any]], None], name: str) -> None:
    """Do the work of the job on standard input; an error goes to the log under a name.

    The configuration file is left out if it is broken, as in the hook that started the process."""
    job = json.loads(sys.stdin.buffer.read())
    try:
        settings = load(db=job["db"])
    except GhostError:
        settings = load(use_file=False, db=job["db"])
    try:
        work(settings, job)
    except Exception as error:  # noqa: BLE001 (the outermost handler of this process)
        host, event = job.get("host", "-"), job.get("event", name)
        write_log_line(log_path(settings), host, event, describe_error(error))
