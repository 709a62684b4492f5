"""The command `ghost`, also as `python -m ghostmem`."""

import sys


def main() -> None:
    """Run a command; a hook that only queues a capture does without the command line."""
    if sys.argv[1:2] == ["hook"] and len(sys.argv) == 4:  # a host and an event
        from ghostmem.hooks.quick import run_quickly

        run_quickly(*sys.argv[2:])
    from ghostmem.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
