"""Remember the files that setup has written, so that it can restore their original bytes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from ghostmem.atomic import Temporary
from ghostmem.errors import InvalidInputError
from ghostmem.notes.lock import MAX_WAIT_SECONDS, lock_file
from ghostmem.settings import config_path

UNKNOWN = "?"  # the original is unknown: the file changed between two runs
_NAME = "setup.json"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file that setup has written: its digests before and after, and created containers."""

    client: str
    scope: str
    original: str  # empty: there was no file
    written: str
    made: list[list[str]] = field(default_factory=list)  # paths of containers inside the file
    folders: list[str] = field(default_factory=list)


def folder() -> Path:
    """Return the folder of Ghost's own files."""
    return Path(config_path()).parent


def state_file() -> Path:
    """Return the file that holds the records."""
    return folder() / _NAME


@contextmanager
def setup_lock() -> Iterator[None]:
    """Hold the lock that allows one setup at a time."""
    home = folder()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(
            f"cannot create the folder {home}: {error.strerror}", "check its permissions"
        ) from None
    with lock_file(home / "setup.lock", MAX_WAIT_SECONDS):
        yield


def records() -> dict[str, FileRecord]:
    """Return the records by real path; an unreadable record file counts as empty."""
    try:
        loaded = json.loads(state_file().read_bytes())
        names = {column.name for column in fields(FileRecord)}
        return {
            path: FileRecord(**{key: value for key, value in row.items() if key in names})
            for path, row in loaded.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def save_record(path: Path, row: FileRecord | None) -> None:
    """Save the record of a file, or delete it with None; the caller holds the lock."""
    dumped = {
        name: asdict(record)
        for name, record in {**records(), str(path): row}.items()
        if record is not None
    }
    if dumped:
        write_private(state_file(), json.dumps(dumped, indent=1).encode("utf-8", "surrogateescape"))
    else:
        state_file().unlink(missing_ok=True)


def write_private(path: Path, raw: bytes) -> None:
    """Write a file atomically that only its owner may read; a link is replaced, not followed."""
    with Temporary(path) as fresh:
        fresh.write(raw)
        fresh.publish()
