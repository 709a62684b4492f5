"""Every error Ghost raises on purpose.

GhostError                     1  something unexpected
├── InvalidInputError          2  a value that cannot be accepted
│   ├── PatchFormatError       2  a diff that is not a unified diff
│   ├── MemorySearchArgsError  2  arguments of the tool memory_search that cannot be read
│   ├── MemorySaveArgsError    2  arguments of the tool memory_save that cannot be read
│   └── InvalidTargetError     2  a target of memory_save that is neither daily nor long_term
├── NotFoundError              3  no such memory, namespace, rule or file
├── ConflictError              4  somebody else was faster, or the text is not what was assumed
│   ├── VersionConflictError   4  compare-and-swap found another version
│   ├── PatchConflictError     4  a diff's context is not in the text
│   ├── LockedError            4  the memory carries the tag `locked`
│   └── NoteConflictError      4  a note was changed by another program
├── ForbiddenError             4  a token that has no such grant
├── EngineError                5  the store cannot do it
│   ├── NotADatabaseError      5  the file is something else
│   ├── NewerStoreError        5  written by a newer Ghost: readable, not writable
│   ├── ReadOnlyStoreError     5  no permission to write
│   ├── StoreFullError         5  no space left
│   ├── StoreBusyError         5  another process holds the write lock
│   ├── LostConnectionError    5  the database does not answer, or the connection to it broke
│   └── CorruptStoreError      5  the file is damaged
├── EmbeddingError             6  an embedding provider failed
├── ModelError                 6  the configured language model failed
├── MemorySearchFailError      1  the tool memory_search could not search
└── MemorySaveFailError        1  the tool memory_save could not save

Each says what happened, with the value, and carries a hint: the next thing to try.
"""

import os
import re


class GhostError(Exception):
    """Base of all errors; `exit_code` is the command line's, `hint` the next thing to try."""

    exit_code = 1
    default_hint = "run again with --debug and report what it prints"

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint

    def to_dict(self) -> dict[str, object]:
        """Return the error as plain data for JSON output."""
        return {
            "error": type(self).__name__,
            "message": self.message,
            "hint": self.hint,
            "exit_code": self.exit_code,
        }


class InvalidInputError(GhostError):
    """A value that cannot be accepted."""

    exit_code = 2
    default_hint = "see --help for accepted values"


class PatchFormatError(InvalidInputError):
    """A diff that is not a well-formed unified diff."""

    default_hint = "give a unified diff, as `diff -u OLD NEW` prints it"


class MemorySearchArgsError(InvalidInputError):
    """Arguments of the tool memory_search that cannot be read."""

    default_hint = 'send a JSON object such as {"query": "what to look for", "max_results": 5}'


class MemorySaveArgsError(InvalidInputError):
    """Arguments of the tool memory_save that cannot be read."""

    default_hint = 'send a JSON object such as {"content": "what to keep", "target": "daily"}'


class InvalidTargetError(InvalidInputError):
    """A target of memory_save that is neither daily nor long_term."""

    default_hint = "the target is daily or long_term"


class NotFoundError(GhostError):
    """No such memory, namespace, rule or file."""

    exit_code = 3
    default_hint = "`ghost list` shows the stored memories"

    def __init__(
        self, message: str, hint: str | None = None, similar: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, hint)
        self.similar = similar  # keys that the caller may have meant


class ConflictError(GhostError):
    """The store is not in the state the caller assumed."""

    exit_code = 4
    default_hint = "read the current version and try again"


class VersionConflictError(ConflictError):
    """The current version is not the one that the caller expects."""


class PatchConflictError(ConflictError):
    """A diff's context lines are not in the text."""

    default_hint = "read the memory again and make the diff against its current text"


class LockedError(ConflictError):
    """The memory has the tag `locked`."""

    default_hint = (
        "pass unlock=True (--unlock) to change it anyway, or unlock it first with "
        "`ghost curate KEY unlock`"
    )


class NoteConflictError(ConflictError):
    """A note was changed by another program.

    Carries its current text, and the digest for the next attempt.
    """

    default_hint = "read its current text, apply your change to that, and try again"

    def __init__(
        self, message: str, hint: str | None = None, *, current: str = "", digest: str = ""
    ) -> None:
        super().__init__(message, hint)
        self.current = current
        self.digest = digest

    def to_dict(self) -> dict[str, object]:
        """Return the error with the present text."""
        return {**super().to_dict(), "current": self.current, "digest": self.digest}


class ForbiddenError(GhostError):
    """A caller whose token has no such grant."""

    exit_code = 4
    default_hint = "use a token with that grant; `ghost token list` shows them"


class EngineError(GhostError):
    """The store cannot perform the operation."""

    exit_code = 5
    default_hint = "run `ghost doctor`"


class NotADatabaseError(EngineError):
    """The file is not a Ghost store."""

    default_hint = "choose another file with --db or GHOST_DB"


class NewerStoreError(EngineError):
    """The store was written by a newer Ghost and is read-only here."""

    default_hint = (
        "upgrade with `pip install --upgrade ghostmem` and start this program again; reading "
        "works meanwhile"
    )


class ReadOnlyStoreError(EngineError):
    """The store or its folder cannot be written."""

    default_hint = "check the permissions of the file and its folder, or choose another with --db"


class StoreFullError(EngineError):
    """No space is left for the store; the write was rolled back."""

    default_hint = "free some space and try again; stored memories are unchanged"


class StoreBusyError(EngineError):
    """Another process held the write lock for longer than the busy timeout."""

    default_hint = "try again, or raise GHOST_BUSY_TIMEOUT (seconds)"


class LostConnectionError(EngineError):
    """The database does not answer.

    `stored` is False when nothing was written, None when that is unknown.
    """

    default_hint = "check that the database runs, and try again"

    def __init__(self, message: str, hint: str | None = None, stored: bool | None = False) -> None:
        super().__init__(message, hint)
        self.stored = stored


class CorruptStoreError(EngineError):
    """The database file is damaged."""

    default_hint = "restore the newest backup; `ghost export` may still save the readable part"


class EmbeddingError(GhostError):
    """An embedding provider failed."""

    exit_code = 6
    default_hint = "run `ghost doctor`"


class ModelError(GhostError):
    """The language model that the user configured failed."""

    exit_code = 6
    default_hint = (
        "check GHOST_LLM_MODEL, GHOST_LLM_URL and the key, or set a command with GHOST_LLM_COMMAND"
    )


class MemorySearchFailError(GhostError):
    """The tool memory_search could not search; the cause is kept."""

    default_hint = "run `ghost doctor`"


class MemorySaveFailError(GhostError):
    """The tool memory_save could not save; the cause is kept."""

    default_hint = "run `ghost doctor`"


def place_of(error: BaseException) -> str:
    """Return the file and line where an error was raised, such as ` at put.py:12`, or ""."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return (
        f" at {os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}"
        if place is not None
        else ""
    )


def with_fields(hint: str) -> str:
    """Return a hint that names fields instead of options: `base_version` for `--base-version`.

    Options of a command that the hint names stay."""
    if "`ghost " in hint:
        return hint
    return re.sub(
        r"(?<![\w-])--(?!help\b|debug\b)([a-z][a-z-]+)",
        lambda match: match[1].replace("-", "_"),
        hint,
    )
