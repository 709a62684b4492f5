"""Write Ghost into the files of a client, and remove it again.

Every file is read and its change planned before the first file is written. A write saves the
record of the file, then the backup of the original, then replaces the file. A process that is
killed in between leaves a complete file, and the next run compares digests to know its state.
"""

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ghostmem.atomic import sweep
from ghostmem.errors import ConflictError, GhostError, InvalidInputError, NoteConflictError
from ghostmem.notes.files import BOM, MISSING, decode, digest, read_bytes
from ghostmem.setup.entry import Launch
from ghostmem.setup.formats import FORMATS
from ghostmem.setup.marked import (
    FileChange,
    check_inside,
    check_utf_8,
    check_writable,
    write_change,
)
from ghostmem.setup.parts import (
    SetupFile,
    hooks_in,
    made_by,
    parts_in,
    server_in,
    with_parts,
    without_parts,
)
from ghostmem.setup.state import (
    UNKNOWN,
    FileRecord,
    records,
    save_record,
    setup_lock,
    state_file,
    write_private,
)

BACKUP = ".ghost-backup"


@dataclass(frozen=True, slots=True)
class FilePlan:
    """The planned change of one file and its new record."""

    target: SetupFile
    change: FileChange
    row: FileRecord | None  # None: delete the record


def install(files: list[SetupFile], how: Launch | None, dry_run: bool = False) -> list[FileChange]:
    """Write our parts into the files of a client, or remove them if `how` is None.

    A file that is up to date is not written. One from which our parts are removed and that was not
    changed since gets its original bytes back.
    """
    planned = [_planned(file, how) for file in files]
    if not dry_run:
        sweep(
            file
            for plan in planned
            for file in (state_file(), _real(plan.target.path), backup_of(plan.target.path))
        )
        recorded = records()
        if any(
            plan.change.action != "unchanged"
            or (plan.row is None and str(_real(plan.target.path)) in recorded)
            for plan in planned
        ):
            with setup_lock():
                planned = [_planned(file, how) for file in files]
                _apply_all(planned)
    return [plan.change for plan in planned]


def backup_of(path: Path) -> Path:
    """Return the path of the backup of a file."""
    return path.with_name(path.name + BACKUP)


def read_text(path: Path) -> str | None:
    """Return the text of a file without its BOM and with its own line ends, or None."""
    raw = read_bytes(path)
    return None if raw is None else _text(raw)


# ---------------------------------------------------------------- planning


def _planned(target: SetupFile, how: Launch | None) -> FilePlan:
    if target.scope == "project":
        check_inside(target.path, Path.cwd())
    real = _real(target.path)
    raw = read_bytes(real)
    row = records().get(str(real))
    try:
        plan = _removal(target, raw, row) if how is None else _installation(target, raw, row, how)
        check_writable(plan.change)
    except (InvalidInputError, ConflictError) as error:
        raise type(error)(
            f"{target.path}: {error.message}; nothing was changed", error.hint
        ) from None
    return plan


def _installation(
    target: SetupFile, raw: bytes | None, row: FileRecord | None, how: Launch
) -> FilePlan:
    text = "" if raw is None else _text(raw)
    after = _encoded(with_parts(text, target, how), raw)
    change = FileChange(target.path, raw, after)
    if change.action == "unchanged":
        return FilePlan(target, change, row)
    before = MISSING if raw is None else digest(raw)
    ours = bool(text) and (server_in(text, target) is not None or bool(hooks_in(text, target)))
    containers = made_by(text, target)
    # a folder that setup created belongs to every file in it, and goes with the last of them
    created = {name for record in records().values() for name in record.folders}
    folders = [
        str(path)
        for path in _real(target.path).parents
        if not path.exists() or str(path) in created
    ]
    if row is not None and before == row.written:
        original, containers, folders = (
            row.original,
            [*row.made, *containers],
            sorted({*row.folders, *folders}),
        )
    elif row is not None and raw is not None and before != row.original:
        original, containers, folders = UNKNOWN, [*row.made, *containers], row.folders
    else:
        original = UNKNOWN if ours else before
    return FilePlan(
        target,
        change,
        FileRecord(target.client.name, target.scope, original, digest(after), containers, folders),
    )


def _removal(target: SetupFile, raw: bytes | None, row: FileRecord | None) -> FilePlan:
    if raw is None:
        return FilePlan(target, FileChange(target.path, None, None), None)
    present = digest(raw)
    if row is not None and present == row.original:
        return FilePlan(target, FileChange(target.path, raw, raw), None)
    text = _text(raw)
    is_complete = all(getattr(target, part) for part in parts_in(text, target))
    if row is not None and is_complete and present == row.written and row.original != UNKNOWN:
        original = None if row.original == MISSING else read_bytes(backup_of(target.path))
        if row.original == (MISSING if original is None else digest(original)):
            return FilePlan(target, FileChange(target.path, raw, original), None)
    made = without_parts(text, target, [] if row is None else row.made)
    after: bytes | None = _encoded(made, raw)
    if (
        row is not None
        and row.original == MISSING
        and FORMATS[target.format].load(made) in (None, {}, target.client.new_file)
    ):
        after = None
    remaining = (
        None if is_complete or row is None or after is None else replace(row, written=digest(after))
    )
    return FilePlan(target, FileChange(target.path, raw, after), remaining)


def _encoded(text: str, before: bytes | None) -> bytes:
    return (BOM if before and before.startswith(BOM) else b"") + text.encode()


def _text(raw: bytes) -> str:
    check_utf_8(raw)
    if decode(raw).lossy:
        raise InvalidInputError("the file is not UTF-8", "save it as UTF-8 first")
    return raw.removeprefix(BOM).decode()


# ---------------------------------------------------------------- writing


def _apply_all(planned: list[FilePlan]) -> None:
    """Apply the plans; an error names the files that were changed before it."""
    changed: list[str] = []
    for plan in planned:
        try:
            _apply(plan)
        except GhostError as error:
            if not changed:
                raise
            raise type(error)(
                f"{error.message}; changed before: {', '.join(changed)}", error.hint
            ) from None
        if plan.change.action != "unchanged":
            changed.append(str(plan.target.path))


def _apply(plan: FilePlan) -> None:
    path, change = plan.target.path, plan.change
    real = _real(path)
    try:
        if plan.row is None:
            write_change(real, change)
            _forget(path, real)
        elif change.action != "unchanged":
            before = records().get(str(real))
            save_record(real, plan.row)
            try:
                # before the first write, or before this one if the original is unknown
                if change.before is not None and plan.row.original in (
                    UNKNOWN,
                    digest(change.before),
                ):
                    write_private(backup_of(path), change.before)
                write_change(real, change)
            except (OSError, GhostError):
                _forget(path, real) if before is None else save_record(real, before)
                raise
    except NoteConflictError:
        raise ConflictError(
            f"{path} was changed while this ran; nothing was written to it", "run it again"
        ) from None
    except OSError as error:
        raise InvalidInputError(
            f"cannot write {path}: {error.strerror}", "check its permissions and the space left"
        ) from None


def _forget(path: Path, real: Path) -> None:
    """Remove the backup, the record and the created folders of a file without our parts."""
    row = records().get(str(real))
    with suppress(FileNotFoundError, NotADirectoryError):
        backup_of(path).unlink()
    save_record(real, None)
    for name in () if row is None else sorted(row.folders, key=len, reverse=True):
        with suppress(OSError):  # the folder is not empty
            os.rmdir(name)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
