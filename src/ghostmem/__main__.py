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
        case ["hook", host, event, *rest] | ["--db", _, "hook", host, event, *rest] if not rest or (
            len(rest) == 2 and rest[0] == "-n"
        ):
            from ghostmem.hooks.run import run_quickly

            db = sys.argv[2] if sys.argv[1] == "--db" else None
            run_quickly(host, event, db, rest[1] if rest else None)
    from ghostmem.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
