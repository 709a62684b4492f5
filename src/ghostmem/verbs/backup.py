"""backup: a copy of the store while others go on using it."""

import os
from dataclasses import dataclass
from pathlib import Path

from ghostmem.errors import ConflictError, EngineError
from ghostmem.model import Record
from ghostmem.verbs.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class Backup(Record):
    """Where a backup went and how large it is."""

    path: str
    size_bytes: int


def backup(store: Store, target: str | Path, *, force: bool = False) -> Backup:
    """Write one consistent state to a new file, compact and private; an existing file is replaced only with `force`.

    The store remembers where, so that a hard delete can name the copies that still hold what it deleted.
    """
    path = Path(target).expanduser()
    if path.is_dir() or str(target).endswith(("/", os.sep)):
        path = path / f"ghost-{store.clock():%Y%m%dT%H%M%SZ}.db"
    if path.exists() and store.engine.file is not None and path.samefile(store.engine.file):
        raise ConflictError(f"{path} is the store itself", "name another file")
    if path.exists() and not force:
        raise ConflictError(f"{path} exists already", "name another file, or pass --force to replace it")
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        size = store.engine.backup(str(fresh))
        with fresh.open("rb") as stream:
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError as error:
        raise EngineError(f"cannot write the backup {path}: {error.strerror}", "check the folder and the free space") from None
    finally:
        if fresh.exists():
            fresh.unlink()
    if not store.engine.read_only:
        with store.engine.write() as tx:
            tx.backups.add(str(path.resolve()), store.clock())
    return Backup(str(path), size)
