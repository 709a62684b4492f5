"""The command `ghost`, also as `python -m ghostmem`."""

import os
import sys

INTERRUPTED = 130  # the exit code of a command that Ctrl-C ends


def main() -> None:
    """Run a command; Ctrl-C ends it without a traceback, also while modules are loaded."""
    try:
        _run()
    except KeyboardInterrupt:
        os.write(2, b"interrupted\n")
        os._exit(INTERRUPTED)


def _run() -> None:
    """Run a command; a hook that only queues a capture does without the command line."""
    match sys.argv[1:]:
        case ["hook", host, event] | ["--db", _, "hook", host, event]:
            from ghostmem.hooks.quick import run_quickly

            run_quickly(host, event, sys.argv[2] if sys.argv[1] == "--db" else None)
    from ghostmem.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
