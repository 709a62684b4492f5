"""Ask a command of the user: it reads the prompt and prints the answer."""

import os
import shlex
import subprocess
from collections.abc import Sequence

from ghostmem.errors import InvalidInputError, ModelError
from ghostmem.graph.ask.base import TIMEOUT
from ghostmem.net import first_words

_HINT = (
    "check GHOST_LLM_COMMAND or --command: it reads a prompt on standard input and prints an answer"
)


class CommandAsker:
    """Run a command without a shell.

    Errors and records contain only the name of the program: its arguments may contain a key.
    """

    def __init__(self, command: str, timeout: float = TIMEOUT, secrets: Sequence[str] = ()) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            program = command.split(maxsplit=1)[0]
            raise InvalidInputError(
                f"the command {program!r} cannot be read: {error}", "close its quotes"
            ) from None
        if not words:
            raise InvalidInputError("the command is empty", _HINT)
        # Windows splits a command line itself, and shlex would read its paths as escapes
        self._command = command if os.name == "nt" else words
        self._program, self._timeout, self._secrets = os.path.basename(words[0]), timeout, secrets
        self.name = f"command:{self._program}"

    def __call__(self, prompt: str, /) -> str:
        """Return the output of the command for a prompt."""
        try:
            done = subprocess.run(  # noqa: S603 (the user's own command, and no shell)
                self._command,
                input=prompt.encode(),
                capture_output=True,
                timeout=self._timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ModelError(
                f"the command {self._program} did not answer within {self._timeout:g} seconds",
                _HINT,
            ) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ModelError(
                f"the command {self._program} cannot be run: {reason}", _HINT
            ) from None
        if done.returncode != 0:
            detail = first_words(done.stderr, *self._secrets)
            raise ModelError(
                f"the command {self._program} ended with {done.returncode}: {detail}", _HINT
            )
        return done.stdout.decode("utf-8", "replace")
