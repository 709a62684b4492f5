"""Reading and writing one note: a write is whole or did not happen, and what was not asked for
keeps every byte.

Writers hold the folder's lock (`locked`), read, and hand `replace_file` the digest of what they
read; if the file is another by then, they get a NoteConflictError with its present text."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from ghostmem.atomic import Temporary, existing, is_plain, sweep_folder, sync_folder
from ghostmem.errors import InvalidInputError, NoteConflictError
from ghostmem.notes.lock import SWEPT

BOM = b"\xef\xbb\xbf"
MISSING = ""  # the digest of a file that is not there
_TRIES = 5  # how often an append is done again because somebody else wrote


@dataclass(frozen=True, slots=True)
class Text:
    """A note's text with line feeds only, and how to write it as the file does: its mark, its line
    ends, its digest.
    """

    text: str
    digest: str = MISSING
    bom: bool = False
    crlf: bool = False
    lossy: bool = False  # some bytes were not UTF-8

    def encode(self, text: str) -> bytes:
        """Return another text as this file writes its own."""
        raw = (text.replace("\r\n", "\n").replace("\n", "\r\n") if self.crlf else text).encode()
        return BOM + raw if self.bom else raw


def digest(raw: bytes) -> str:
    """Return the name that bytes are known by."""
    return hashlib.sha256(raw).hexdigest()


def decode(raw: bytes) -> Text:
    """Read bytes as text; what is no UTF-8 becomes a replacement character, and the text
    says so.
    """
    bom = raw.startswith(BOM)
    body = raw[len(BOM) :] if bom else raw
    try:
        text, lossy = body.decode(), False
    except UnicodeDecodeError:
        text, lossy = body.decode(errors="replace"), True
    crlf = "\r" in text and text.count("\n") == text.count("\r\n") == text.count("\r")
    return Text(text.replace("\r\n", "\n") if crlf else text, digest(raw), bom, crlf, lossy)


def read_file(path: Path) -> Text:
    """Read a note; one that is not there is empty, with the digest MISSING."""
    raw = read_bytes(path)
    return Text("") if raw is None else decode(raw)


def replace_file(path: Path, raw: bytes, base: str | None = None) -> bool:
    """Put bytes in a file's place, whole and on disk, if it still has the digest `base`.

    Say whether there was a change.

    The caller holds the folder's lock, which also is why temporary files that lie beside it belong
    to nobody any more."""
    before = read_bytes(path)
    _check_base(path, before, base)
    if before == raw:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        with Temporary(path, 0o666) as fresh:
            fresh.write(raw)
            _check_base(
                path, read_bytes(path), base
            )  # once more: somebody who knows no lock may have saved meanwhile
            fresh.publish(existing(path))
    except OSError as error:
        raise _refused("write", path, error) from None
    return True


def remove_file(path: Path, base: str | None = None) -> bool:
    """Delete a file if it still has the digest `base`; say whether there was one."""
    before = read_bytes(path)
    _check_base(path, before, base)
    if before is None:
        return False
    try:
        path.unlink()
        sync_folder(path.parent)
    except OSError as error:
        raise _refused("delete", path, error) from None
    return True


def append(path: Path, text: str, opening: str = "") -> None:
    """Add a text behind a note, in the file's own line ends; a new file begins with `opening`.

    The caller holds the lock.

    Bytes that are there already are never touched, so this works on files that are not UTF-8 too. A
    program that knows nothing of locks may write in between: then it is done again, behind what
    that wrote."""
    for tries in range(_TRIES, 0, -1):
        raw = read_bytes(path)
        added = text if raw else opening + text
        known = decode(raw or b"")
        base = MISSING if raw is None else known.digest
        try:
            replace_file(path, (raw or b"") + Text("", crlf=known.crlf).encode(added), base)
            return
        except NoteConflictError:
            if tries == 1:
                raise


def inside(root: Path, name: str) -> Path:
    """Return the file that a relative path names below a folder, or refuse one that leads out of
    it.
    """
    path = root / name
    real, home = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    if os.path.isabs(name) or not real.is_relative_to(home) or real == home:
        raise InvalidInputError(f"{name!r} leads out of {root}", "name a file below the folder")
    return real if path.is_symlink() else path


def read_bytes(path: Path) -> bytes | None:
    """Return a file's bytes, or None when there is no file."""
    try:
        if (
            not is_plain(path) and not path.is_dir()
        ):  # reading a pipe waits for ever, and a device must never be replaced
            raise InvalidInputError(f"{path} is not a plain file", "name another file")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        raise InvalidInputError(f"{path} is a folder, not a file", "name a file") from None
    except OSError as error:
        raise _refused("read", path, error) from None


def _check_base(path: Path, before: bytes | None, base: str | None) -> None:
    found = MISSING if before is None else digest(before)
    if base is None or found == base:
        return
    current = "" if before is None else decode(before).text
    what = (
        "was changed by somebody else"
        if base and before is not None
        else "exists already"
        if before is not None
        else "is gone"
    )
    raise NoteConflictError(f"{path} {what}; nothing was written", current=current, digest=found)


def _sweep(folder: Path) -> None:
    """Remove what killed writers left in a folder, once for each time its lock is held."""
    swept = SWEPT.get()
    if swept is None or str(folder) in swept:
        return
    swept.add(str(folder))
    sweep_folder(folder)


def _refused(verb: str, path: Path, error: OSError) -> InvalidInputError:
    return InvalidInputError(
        f"cannot {verb} {path}: {error.strerror or error}",
        "check the permissions and the space left",
    )
