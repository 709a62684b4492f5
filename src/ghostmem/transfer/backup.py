"""Copy a store while it is in use."""

import os
from pathlib import Path

from ghostmem.atomic import SIDE_FILES, SQLITE_HEADER, is_plain
from ghostmem.errors import ConflictError, EngineError, InvalidInputError, StoreFullError
from ghostmem.frozen import frozen
from ghostmem.model import Record, optional
from ghostmem.store import Store, validate

NOT_REMEMBERED = "the store has no space left to remember this copy: a hard delete will not name it"


@frozen
class Backup(Record):
    """The path and size of a backup; `pending` says what could not be done."""

    path: str
    size_bytes: int
    pending: str = optional("")


def backup(store: Store, target: str | Path, *, force: bool = False) -> Backup:
    """Copy the store to a file while it is in use, and check the copy.

    Symbolic links are followed, and a replaced file keeps its mode.

    Args:
        target: File or folder to write to.
        force: Replace an existing file.

    Raises:
        ConflictError: The file exists, or another program has it open.
        InvalidInputError: The target is a device or a pipe.
        EngineError: The file cannot be written.
    """
    validate.flags(force=force)
    path = validate.path(target, "target").expanduser()
    if path.is_dir() or str(target).endswith(("/", os.sep)):
        path = path / f"ghost-{store.clock():%Y%m%dT%H%M%SZ}.db"
    refuse_store(path, store.engine.file)
    if not is_plain(path):
        raise InvalidInputError(
            f"{path} is not a plain file, and a backup is a database", "give a file or a folder"
        )
    if os.path.exists(path) and not force:
        raise ConflictError(
            f"{path} exists already", "choose another file, or pass --force to replace it"
        )
    real = Path(os.path.realpath(path))
    forgotten: list[StoreFullError] = []
    try:
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        size = store.engine.backup(str(real), lambda: _remember(store, real, forgotten))
    except OSError as error:
        raise EngineError(
            f"cannot write the backup {path}: {error.strerror}",
            "check the folder and the free space",
        ) from None
    return Backup(str(path), size, NOT_REMEMBERED if forgotten else "")


def refuse_store(path: str | Path, file: str | None) -> None:
    """Refuse to overwrite a store or the side files that SQLite keeps for it."""
    if file is None:
        return
    store_path, target = os.path.realpath(file), os.path.realpath(path)
    if (
        os.path.exists(store_path)
        and os.path.exists(target)
        and os.path.samefile(store_path, target)
    ) or target in {store_path, *(store_path + suffix for suffix in SIDE_FILES)}:
        raise ConflictError(f"{path} belongs to the store itself", "choose another file")


def is_database(path: str | Path) -> bool:
    """Say whether a plain file begins like an SQLite database."""
    try:
        with open(path if is_plain(path) else os.devnull, "rb") as stream:
            return stream.read(len(SQLITE_HEADER)) == SQLITE_HEADER
    except OSError:
        return False


def _remember(store: Store, path: Path, forgotten: list[StoreFullError]) -> None:
    """Store the path of a copy before it is written.

    A full disk must not prevent a copy to another place."""
    if store.engine.read_only:
        return
    try:
        with store.engine.write() as tx:
            tx.backups.add(str(path), store.clock())
    except StoreFullError as error:
        forgotten.append(error)
