"""Wiring Ghost into a client's files and out of them again.

Every file is read and its change is known before the first is written. The order of a write is:
what we will have done is remembered, the original is copied beside the file, the file is replaced.
Whoever is killed in between leaves a whole file, and the next run knows where it stands by
comparing digests."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ghostmem.atomic import sweep
from ghostmem.errors import ConflictError, GhostError, InvalidInputError, NoteConflictError
from ghostmem.notes.write import BOM, MISSING, decode, digest, read_bytes, remove_file, replace_file
from ghostmem.setup.entry import Launch
from ghostmem.setup.formats import FORMATS
from ghostmem.setup.inside import check_inside
from ghostmem.setup.marked import Change
from ghostmem.setup.parts import Target, hooks_in, made_by, server_in, with_parts, without_parts
from ghostmem.setup.state import UNKNOWN, Kept, held, keep, kept, state_file, write_private

BACKUP = ".ghost-backup"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to happen to one file, and what to remember of it."""

    target: Target
    change: Change
    row: Kept | None  # None: forget it


def install(files: list[Target], how: Launch, dry_run: bool = False) -> list[Change]:
    """Put our parts into a client's files; what is as it should be is not touched."""
    return _done(lambda: [_planned(file, how) for file in files], dry_run)


def uninstall(files: list[Target], dry_run: bool = False) -> list[Change]:
    """Take our parts out of a client's files.

    A file that nobody changed since gets its original bytes back.
    """
    return _done(lambda: [_planned(file, None) for file in files], dry_run)


def backup_of(path: Path) -> Path:
    """Return where the original of a file is kept."""
    return path.with_name(path.name + BACKUP)


def read_text(path: Path) -> str | None:
    """Return a file's text without its mark and with its own line ends, or None when there is no
    file.
    """
    raw = read_bytes(path)
    return None if raw is None else _text(raw)


def _done(plans: Callable[[], list[Plan]], dry_run: bool) -> list[Change]:
    planned = plans()
    if dry_run:
        return [plan.change for plan in planned]
    sweep(
        file
        for plan in planned
        for file in (state_file(), _real(plan.target.path), backup_of(plan.target.path))
    )
    if not any(_matters(plan) for plan in planned):
        return [plan.change for plan in planned]
    with held():
        planned = plans()
        for plan in planned:
            _apply(plan)
    return [plan.change for plan in planned]


def _matters(plan: Plan) -> bool:
    return plan.change.action != "unchanged" or (
        plan.row is None and str(_real(plan.target.path)) in kept()
    )


# ---------------------------------------------------------------- planning


def _planned(target: Target, how: Launch | None) -> Plan:
    if target.scope == "project":
        check_inside(target.path, Path.cwd())
    real = _real(target.path)
    raw = read_bytes(real)
    row = kept().get(str(real))
    try:
        if how is None:
            return _removal(target, raw, row)
        return _installation(target, raw, row, how)
    except (InvalidInputError, ConflictError) as error:
        raise type(error)(
            f"{target.path}: {error.message}; nothing was changed", error.hint
        ) from None


def _installation(target: Target, raw: bytes | None, row: Kept | None, how: Launch) -> Plan:
    text = "" if raw is None else _text(raw)
    made = with_parts(text, target, how)
    after = (
        raw
        if raw is not None and made == text
        else (BOM if raw and raw.startswith(BOM) else b"") + made.encode()
    )
    change = Change(target.path, raw, after)
    if change.action == "unchanged" or after is None:
        return Plan(target, change, row)
    before = MISSING if raw is None else digest(raw)
    ours = bool(text) and (server_in(text, target) is not None or bool(hooks_in(text, target)))
    containers = made_by(text, target)
    folders = _missing_folders(_real(target.path).parent)
    if row is not None and before == row.written:
        original, containers, folders = (
            row.original,
            [*row.made, *containers],
            [*row.folders, *folders],
        )
    elif row is not None and raw is not None and before != row.original:
        original, containers, folders = UNKNOWN, [*row.made, *containers], row.folders
    else:
        original = UNKNOWN if ours else before
    fresh = Kept(target.client.name, target.scope, original, digest(after), containers, folders)
    return Plan(target, change, fresh)


def _removal(target: Target, raw: bytes | None, row: Kept | None) -> Plan:
    if raw is None:
        return Plan(target, Change(target.path, None, None), None)
    found = digest(raw)
    if row is not None and found == row.original:
        return Plan(target, Change(target.path, raw, raw), None)
    text = _text(raw)
    whole = not _others(target, text)
    if row is not None and whole and found == row.written and row.original != UNKNOWN:
        original = None if row.original == MISSING else read_bytes(backup_of(target.path))
        if row.original == (MISSING if original is None else digest(original)):
            return Plan(target, Change(target.path, raw, original), None)
    made = without_parts(text, target, [] if row is None else row.made)
    after: bytes | None = (
        (BOM if raw.startswith(BOM) else b"") + made.encode() if made != text else raw
    )
    if (
        row is not None
        and row.original == MISSING
        and FORMATS[target.format].load(made) in (None, {})
    ):
        after = None
    if whole or row is None or after is None:
        return Plan(target, Change(target.path, raw, after), None)
    return Plan(target, Change(target.path, raw, after), replace(row, written=digest(after)))


def _others(target: Target, text: str) -> bool:
    """Say whether a file holds parts of ours that are to stay."""
    return (not target.hooks and bool(hooks_in(text, target))) or (
        not target.server
        and target.client.format == target.format
        and server_in(text, target) is not None
    )


def _text(raw: bytes) -> str:
    if raw.startswith(_UTF_16):
        raise InvalidInputError("the file is UTF-16, not UTF-8", "save it as UTF-8 first")
    if decode(raw).lossy:
        raise InvalidInputError("the file is not UTF-8", "save it as UTF-8 first")
    return raw.removeprefix(BOM).decode()


# ---------------------------------------------------------------- writing


def _apply(plan: Plan) -> None:
    path, change = plan.target.path, plan.change
    real = _real(path)
    try:
        if change.action == "unchanged":
            _forget(path, real) if plan.row is None else None
            return
        if change.before is not None and not os.stat(real).st_mode & 0o222:
            raise InvalidInputError(
                f"{path} is read-only", "make it writable, or paste what --print shows"
            )
        base = MISSING if change.before is None else digest(change.before)
        if plan.row is not None:
            before = kept().get(str(real))
            keep(real, plan.row)
            try:
                _back_up(path, change.before, plan.row)
                assert change.after is not None
                replace_file(real, change.after, base)
            except (OSError, GhostError):
                _forget(path, real) if before is None else keep(real, before)
                raise
            return
        if change.after is None:
            remove_file(real, base)
        else:
            replace_file(real, change.after, base)
        _forget(path, real)
    except NoteConflictError:
        raise ConflictError(
            f"{path} was changed while this ran; nothing was written to it", "run it again"
        ) from None
    except OSError as error:
        raise InvalidInputError(
            f"cannot write {path}: {error.strerror}", "check its permissions and the space left"
        ) from None


def _back_up(path: Path, raw: bytes | None, row: Kept) -> None:
    """Copy the file as it was before the first write.

    If that is not known any more, as it is before this one.
    """
    if raw is not None and row.original in (UNKNOWN, digest(raw)):
        write_private(backup_of(path), raw)


def _forget(path: Path, real: Path) -> None:
    """Remove what was kept for a file that Ghost is out of."""
    row = kept().get(str(real))
    backup_of(path).unlink(missing_ok=True)
    keep(real, None)
    for name in () if row is None else sorted(row.folders, key=len, reverse=True):
        with suppress(OSError):  # somebody else uses it
            os.rmdir(name)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _missing_folders(folder: Path) -> list[str]:
    made: list[str] = []
    while not folder.exists():
        made.append(str(folder))
        folder = folder.parent
    return made
