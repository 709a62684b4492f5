"""What setup remembers of the files it has written, so that it can give the original bytes back."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from ghostmem.atomic import Temporary
from ghostmem.errors import InvalidInputError
from ghostmem.notes.lock import PATIENCE, lock_file
from ghostmem.settings import config_path

UNKNOWN = "?"  # the original is not known any more: the file changed between two runs
_NAME = "setup.json"


@dataclass(frozen=True, slots=True)
class Kept:
    """One file: its digest before the first write and after the last, and what came into being with
    it.
    """

    client: str
    scope: str
    original: str  # empty: there was no file
    written: str
    made: list[list[str]] = field(default_factory=list)  # containers inside the file
    folders: list[str] = field(default_factory=list)


def folder() -> Path:
    """Return the folder of Ghost's own files."""
    return Path(config_path()).parent


def state_file() -> Path:
    """Return the file in which setup remembers."""
    return folder() / _NAME


@contextmanager
def held() -> Iterator[None]:
    """Hold the lock that lets one setup run at a time."""
    home = folder()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(
            f"cannot make the folder {home}: {error.strerror}", "check its permissions"
        ) from None
    with lock_file(home / "setup.lock", PATIENCE):
        yield


def kept() -> dict[str, Kept]:
    """Return what is remembered, by the file's real path.

    A file of ours that cannot be read is nothing.
    """
    try:
        found = json.loads(state_file().read_bytes())
        names = {one.name for one in fields(Kept)}
        return {
            path: Kept(**{key: value for key, value in row.items() if key in names})
            for path, row in found.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def keep(path: Path, row: Kept | None) -> None:
    """Remember a file, or forget it; the caller holds the lock."""
    rows = kept()
    if row is None:
        rows.pop(str(path), None)
    else:
        rows[str(path)] = row
    home = state_file()
    if rows:
        shown = json.dumps({name: asdict(one) for name, one in rows.items()}, indent=1)
        write_private(home, shown.encode("utf-8", "surrogateescape"))
    else:
        home.unlink(missing_ok=True)


def write_private(path: Path, raw: bytes) -> None:
    """Put bytes into a file that only its owner may read, whole or not at all.

    A link in its place is replaced, not followed.
    """
    with Temporary(path) as fresh:
        fresh.write(raw)
        fresh.publish()
