"""Read and write a note: a write is atomic, and other bytes of the file stay unchanged.

Writers hold the folder's lock (`locked`), read, and pass `replace_file` the digest of the text they
read; if the file has changed by then, they get a NoteConflictError with its current text."""

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ghostmem.atomic import Temporary, existing, is_plain, sweep_folder, sync_folder
from ghostmem.errors import InvalidInputError, NoteConflictError
from ghostmem.notes.lock import SWEPT

BOM = b"\xef\xbb\xbf"
MISSING = ""  # the digest of a file that does not exist
# Windows has these names in every folder.
DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\..*)?",
    re.IGNORECASE | re.DOTALL,
)
_NOT_TEXT = ("Cc", "Cs", "Zl", "Zp")  # control characters, surrogates, line separators
_DATED = re.compile(r"(?:.*/)?(\d{4}-\d{2}-\d{2})\.md", re.IGNORECASE | re.ASCII | re.DOTALL)
_MAX_APPENDS = 5  # attempts to append while another program writes


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a note with line feeds only, and the encoding of its file."""

    text: str
    digest: str = MISSING
    bom: bool = False
    crlf: bool = False
    lossy: bool = False  # some bytes were not UTF-8

    def encode(self, text: str) -> bytes:
        """Return a text in the encoding of this file."""
        raw = (text.replace("\r\n", "\n").replace("\n", "\r\n") if self.crlf else text).encode()
        return BOM + raw if self.bom else raw


def note_day(path: str) -> date | None:
    """Return the day in the name of a daily note, or None for other files."""
    match = _DATED.fullmatch(path)
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:  # such as February 30
        return None


def file_names(folder: Path) -> list[str]:
    """Return the names in a folder in order; a missing folder has none."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InvalidInputError(
            f"cannot read the folder {folder}: {error.strerror}", "check its permissions"
        ) from None


def is_text(name: str) -> bool:
    """Say whether a name has no control characters, surrogates and line separators."""
    return name.isprintable() or not any(unicodedata.category(char) in _NOT_TEXT for char in name)


def checked_text(text: str, what: str, hint: str) -> str:
    """Return a text that is not empty, with line feeds only."""
    if not text.strip():
        raise InvalidInputError(f"the {what} is empty", hint)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"the {what} is not valid Unicode (position {error.start})", "send UTF-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def digest(raw: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(raw).hexdigest()


def decode(raw: bytes) -> Text:
    """Return bytes as text; invalid UTF-8 is replaced and sets `lossy`."""
    bom = raw.startswith(BOM)
    body = raw[len(BOM) :] if bom else raw
    try:
        text, lossy = body.decode(), False
    except UnicodeDecodeError:
        text, lossy = body.decode(errors="replace"), True
    crlf = "\r" in text and text.count("\n") == text.count("\r\n") == text.count("\r")
    return Text(text.replace("\r\n", "\n") if crlf else text, digest(raw), bom, crlf, lossy)


def read_file(path: Path) -> Text:
    """Return the text of a note; a missing file is empty with the digest MISSING."""
    raw = read_bytes(path)
    return Text("") if raw is None else decode(raw)


def replace_file(
    path: Path, raw: bytes, base: str | None = None, mode: int = 0o666, folder_mode: int = 0o777
) -> bool:
    """Replace a file atomically if it still has the digest `base`; say whether it changed.

    A new file and a new folder get these modes, as far as the umask allows.
    The caller holds the folder's lock, so that temporary files in it belong to killed writers and
    are removed."""
    before = read_bytes(path)
    _check_base(path, before, base)
    if before == raw:
        return False
    try:
        path.parent.mkdir(folder_mode, parents=True, exist_ok=True)
        swept = SWEPT.get()
        if swept is not None and str(path.parent) not in swept:  # once per lock
            swept.add(str(path.parent))
            sweep_folder(path.parent)
        with Temporary(path, mode) as fresh:
            fresh.write(raw)
            # Again, because a program that ignores the lock may have saved meanwhile.
            _check_base(path, read_bytes(path), base)
            fresh.publish(existing(path))
    except OSError as error:
        raise _refused("write", path, error) from None
    return True


def remove_file(path: Path, base: str | None = None) -> bool:
    """Delete a file if it still has the digest `base`; say whether it existed."""
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
    """Append a text to a note with the file's line endings; a new file begins with `opening`.

    The caller holds the lock. Existing bytes are never changed, so this also works on files that
    are not UTF-8. If a program that ignores the lock writes meanwhile, the append is repeated."""
    for tries in range(_MAX_APPENDS, 0, -1):
        raw = read_bytes(path)
        added = text if raw else opening + text
        before = decode(raw or b"")
        base = MISSING if raw is None else before.digest
        try:
            replace_file(path, (raw or b"") + Text("", crlf=before.crlf).encode(added), base)
            return
        except NoteConflictError:
            if tries == 1:
                raise


def inside(root: Path, name: str) -> Path:
    """Return the path of a file below a folder; a path that leads out of it is refused."""
    path = root / name
    real, home = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    if os.path.isabs(name) or not real.is_relative_to(home) or real == home:
        raise InvalidInputError(f"{name!r} leads out of {root}", "give a file below the folder")
    return real if path.is_symlink() else path


def read_bytes(path: Path) -> bytes | None:
    """Return the bytes of a file, or None if it does not exist."""
    try:
        # Reading a pipe waits forever, and a device must never be replaced.
        if not is_plain(path) and not path.is_dir():
            raise InvalidInputError(f"{path} is not a plain file", "choose another file")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        raise InvalidInputError(f"{path} is a folder, not a file", "give a file") from None
    except OSError as error:
        raise _refused("read", path, error) from None


def _check_base(path: Path, before: bytes | None, base: str | None) -> None:
    actual = MISSING if before is None else digest(before)
    if base is None or actual == base:
        return
    current, problem = "", "no longer exists"
    if before is not None:
        current = decode(before).text
        problem = "was changed by another program" if base else "exists already"
    raise NoteConflictError(
        f"{path} {problem}; nothing was written", current=current, digest=actual
    )


def _refused(verb: str, path: Path, error: OSError) -> InvalidInputError:
    return InvalidInputError(
        f"cannot {verb} {path}: {error.strerror or error}",
        "check the permissions and the space left",
    )
