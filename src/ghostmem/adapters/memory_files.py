"""Anthropic's memory tool over a store: a file is a memory, a directory the start of its key."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any

from ghostmem.errors import GhostError, LockedError, NotFoundError, VersionConflictError
from ghostmem.ghost import Ghost
from ghostmem.model import Kind, Memory, Tier

ROOT = "/memories"
_ENCODED = re.compile("%(?:2e|2f|5c|25|00|0a|0d|c0|c1)", re.IGNORECASE)
_MAX_KEY = 512  # characters

MAX_LINES = 999_999
_WIDTH = 6  # of a line number
_MAX_DEPTH = 2

META = "memory_file"
TOOL: Mapping[str, str] = {"type": "memory_20250818", "name": "memory"}  # for a request
# command: required parameters, optional parameters
COMMANDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "view": (("path",), ("view_range",)),
    "create": (("path", "file_text"), ()),
    "str_replace": (("path", "old_str"), ("new_str",)),
    "insert": (("path", "insert_line", "insert_text"), ()),
    "delete": (("path",), ()),
    "rename": (("old_path", "new_path"), ()),
}
_AROUND = 2  # lines shown before and after a change
_NO_LIMIT = 2**31
_KEPT = (
    "kind",
    "tier",
    "priority",
    "importance",
    "pinned",
    "tags",
    "meta",
)  # fields of a changed file
_EMPTY = "(an empty file)"  # a memory needs content; the real text is in its meta


class MemoryFileError(Exception):
    """A command that failed; `text` is the result for a plain tool, as Anthropic documents it."""

    def __init__(self, message: str, text: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.text = f"Error: {message}" if text is None else text


def key_of(path: object) -> str:
    """Return the key of a path below /memories, empty for /memories itself; refuse others."""
    if not isinstance(path, str):
        raise MemoryFileError(f"Path must be text, got: {type(path).__name__}")
    excerpt = ascii(path[:80])[1:-1]
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise MemoryFileError(f"Path must start with {ROOT}, got: {excerpt}")
    key = path.removeprefix(ROOT).strip("/")
    if not _is_safe(key) or not _is_safe(unicodedata.normalize("NFKC", key)):
        raise MemoryFileError(f"Path {excerpt} would escape {ROOT} directory")
    if len(key) > _MAX_KEY:
        raise MemoryFileError(f"Path {excerpt}… is too long: at most {_MAX_KEY} characters")
    return key


def _is_safe(key: str) -> bool:
    """Say whether a path has only names: no `..`, no other separators, no control characters."""
    has_names = not key or all(part.strip() and part.strip(" .") for part in key.split("/"))
    return (
        has_names
        and "\\" not in key
        and not _ENCODED.search(key)
        and not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in key)
    )


def path_of(key: str) -> str:
    """Return the path of a key."""
    return f"{ROOT}/{key}" if key else ROOT


def numbered(path: str, text: str, view_range: Sequence[int] | None = None) -> str:
    """Return the lines of a file, or of a range (-1: the end), with their numbers."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise bare(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
    first, last = (1, -1) if view_range is None else (max(1, view_range[0]), view_range[1])
    excerpt = lines[first - 1 : len(lines) if last == -1 else max(0, last)]
    return "\n".join([f"Here's the content of {path} with line numbers:", *rows(excerpt, first)])


def rows(lines: Sequence[str], first: int) -> list[str]:
    """Return lines with their numbers."""
    return [f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first)]


def listing(path: str, files: Mapping[str, str]) -> str:
    """List the files of a directory, two levels deep, with sizes; a directory has their sum."""
    sizes: dict[str, int] = {"": 0}
    for name, text in files.items():
        size, parts = len(text.encode()), name.split("/")
        sizes[""] += size
        if any(part.startswith(".") or part == "node_modules" for part in parts):
            continue
        for depth in range(1, min(len(parts), _MAX_DEPTH) + 1):
            entry = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
            sizes[entry] = sizes.get(entry, 0) + size
    entries = (
        f"{_size(sizes[name])}\t{path}{'/' if name else ''}{name}"
        # the contents of a directory come right after it
        for name in sorted(sizes, key=lambda name: name.rstrip("/").split("/") if name else [])
    )
    return "\n".join(
        [
            f"Here're the files and directories up to {_MAX_DEPTH} levels deep in {path}, "
            "excluding hidden items and node_modules:",
            *entries,
        ]
    )


def bare(message: str) -> MemoryFileError:
    """Return an error that is documented without `Error:` before it."""
    return MemoryFileError(message, message)


def _size(count: int) -> str:
    """Return a size as `du -h` writes it: 0B, 512B, 1.5K, 2K."""
    power = min(max(0, count.bit_length() - 1) // 10, 3)
    value, unit = count / 1024**power, "BKMG"[power]
    return f"{value:.0f}{unit}" if value == int(value) else f"{value:.1f}{unit}"


class MemoryFiles:
    """The memory tool over one namespace of an open store.

    Each method is a command and returns the text for the model. A changed file is a new version,
    and a deleted one can be restored. Keys, tokens and passwords are replaced by placeholders, and
    the result says so, unless `allow_secrets`. A failed command raises MemoryFileError; `call`
    returns its text instead.
    """

    def __init__(self, ghost: Ghost, ns: str, *, allow_secrets: bool = False) -> None:
        self.ghost, self.ns, self.allow_secrets = ghost, ns, allow_secrets

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Run a command as a model sends it, and return the answer, also for an error."""
        try:
            return self.run(arguments)
        except MemoryFileError as error:
            return error.text

    def run(self, arguments: Mapping[str, Any]) -> str:
        """Run a command as a model sends it."""
        command = arguments.get("command")
        if not isinstance(command, str) or command not in COMMANDS:
            raise MemoryFileError(
                f"Unknown command: {str(command)[:60]!r}; known: {', '.join(COMMANDS)}"
            )
        required, optional = COMMANDS[command]
        parameters = {
            name: value
            for name, value in arguments.items()
            if value is not None and name in (*required, *optional)
        }
        if absent := [name for name in required if name not in parameters]:
            raise MemoryFileError(f"Missing parameter `{absent[0]}` for command `{command}`")
        for name, value in parameters.items():
            if not _is_valid(name, value):
                raise MemoryFileError(f"Invalid `{name}` parameter: {str(value)[:60]!r}")
        return str(getattr(self, command)(**parameters))

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Show a file with numbered lines, or the contents of a directory, two levels deep."""
        key = key_of(path)
        if (memory := self._file(key)) is not None:
            return numbered(path, _text(memory), view_range)
        if not self._is_directory(key):
            raise bare(_gone(path).message)
        below = {
            memory.key.removeprefix(f"{key}/" if key else ""): _text(memory)
            for memory in self._under(key)
        }
        return listing(path.rstrip("/"), below)

    def create(self, path: str, file_text: str) -> str:
        """Create a new file."""
        key = key_of(path)
        conflict = f"File {path} already exists"
        self._must_be_free(key, conflict)
        return "\n".join(
            [f"File created successfully at: {path}", *self._put(key, file_text, 0, conflict)]
        )

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Replace a text that occurs once."""
        memory = self._existing(path)
        text = _text(memory)
        # also overlapping ones
        overlapping = re.finditer(f"(?={re.escape(old_str)})", text) if old_str else ()
        lines = [text.count("\n", 0, match.start()) for match in overlapping]
        if not lines:
            raise bare(
                f"No replacement was performed, old_str `{old_str}` did not appear "
                f"verbatim in {path}."
            )
        if len(lines) > 1:
            raise bare(
                "No replacement was performed. Multiple occurrences of old_str "
                f"`{old_str}` in lines: {', '.join(str(line + 1) for line in lines)}. "
                "Please ensure it is unique"
            )
        notes = self._change(path, memory, text.replace(old_str, new_str))
        lines_now, first = _text(self._existing(path)).split("\n"), max(0, lines[0] - _AROUND)
        excerpt = rows(lines_now[first : lines[0] + _AROUND + 1], first + 1)
        return "\n".join(
            [
                "The memory file has been edited. Here is the snippet showing the change "
                "(with line numbers):",
                *excerpt,
                *notes,
            ]
        )

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert lines after a line; 0 is before the first."""
        memory = self._existing(path)
        lines = _text(memory).split("\n")
        lines = lines[:-1] if lines[-1] == "" else lines
        if not 0 <= insert_line <= len(lines):
            raise MemoryFileError(
                f"Invalid `insert_line` parameter: {insert_line}. "
                f"It should be within the range of lines of the file: [0, {len(lines)}]"
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        return "\n".join(
            [
                f"The file {path} has been edited.",
                *self._change(path, memory, "\n".join(lines).removesuffix("\n") + "\n"),
            ]
        )

    def delete(self, path: str) -> str:
        """Remove a file, or a directory with its files; they can be restored."""
        if not (key := key_of(path)):
            raise MemoryFileError(f"Cannot delete the {ROOT} directory itself")
        if not (memories := self._under(key)):
            raise MemoryFileError(f"The path {path} does not exist")
        self._remove_all(memories)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Rename a file or a directory; earlier versions stay under the old path."""
        old, new = key_of(old_path), key_of(new_path)
        if not old:
            raise MemoryFileError(f"Cannot rename the {ROOT} directory itself")
        if not (moved := self._under(old)):
            raise MemoryFileError(f"The path {old_path} does not exist")
        if new == old or new.startswith(f"{old}/"):
            raise MemoryFileError(
                f"Cannot rename {old_path} to {new_path}: the target is inside it"
            )
        conflict = f"The destination {new_path} already exists"
        self._must_be_free(new, conflict)
        _refuse_locked(moved)
        for memory in moved:
            self._put(f"{new}{memory.key.removeprefix(old)}", _text(memory), 0, conflict, memory)
        self._remove_all(moved)
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Remove every file; they can be restored."""
        self._remove_all(self._under(""))
        return "All memory cleared"

    def _under(self, key: str) -> list[Memory]:
        """Return the file of a key, or the files of a directory, in order."""
        if (memory := self._file(key)) is not None:
            return [memory]
        below = self.ghost.list(self.ns, key_prefix=f"{key}/" if key else None, limit=_NO_LIMIT)
        return sorted(
            (memory for memory in below if _is_path(memory.key)), key=lambda memory: memory.key
        )

    def _file(self, key: str) -> Memory | None:
        try:
            return self.ghost.get(self.ns, key) if key else None
        except NotFoundError:
            return None

    def _is_directory(self, key: str) -> bool:
        return not key or bool(self.ghost.list(self.ns, key_prefix=f"{key}/", limit=1))

    def _existing(self, path: str) -> Memory:
        key = key_of(path)
        if (memory := self._file(key)) is not None:
            return memory
        if self._is_directory(key):
            raise MemoryFileError(f"The path {path} is not a file.")
        raise _gone(path)

    def _must_be_free(self, key: str, message: str) -> None:
        if not key or self._is_directory(key) or self._file(key) is not None:
            raise MemoryFileError(message)
        for folder in accumulate(key.split("/")[:-1], "{}/{}".format):
            if self._file(folder) is not None:
                raise MemoryFileError(f"The path {path_of(folder)} is a file, not a directory")

    def _change(self, path: str, memory: Memory, text: str) -> tuple[str, ...]:
        conflict = (
            f"The file {path} was changed by another program meanwhile; view it and try again"
        )
        return self._put(memory.key, text, memory.version, conflict, memory)

    def _put(
        self, key: str, text: str, base: int, conflict: str, like: Memory | None = None
    ) -> tuple[str, ...]:
        """Store the text of a file as the version after `base`, with the fields of `like`.

        Returns the notes about it; `conflict` is the error if there is another version."""
        blank = not text.strip()
        fields: dict[str, Any] = {"kind": Kind.SEMANTIC, "tier": Tier.LTM, "meta": {}}
        if like is not None:
            fields = {name: getattr(like, name) for name in _KEPT}
        fields["meta"] = {**fields["meta"], META: {"text": text} if blank else {}}
        try:
            memory = self.ghost.put(
                self.ns,
                key,
                _EMPTY if blank else text,
                base_version=base,
                dedup=False,
                allow_secrets=self.allow_secrets,
                **fields,
            )
        except VersionConflictError:
            raise MemoryFileError(conflict) from None
        except GhostError as error:
            raise MemoryFileError(f"{error.message}; {error.hint}") from error
        return memory.notes

    def _remove_all(self, memories: Sequence[Memory]) -> None:
        _refuse_locked(memories)
        for memory in memories:
            try:
                with suppress(NotFoundError):  # removed by another program
                    self.ghost.rm(self.ns, memory.key)
            except GhostError as error:
                raise MemoryFileError(f"{error.message}; {error.hint}") from error


def _refuse_locked(memories: Sequence[Memory]) -> None:
    """Refuse to remove locked memories before any other of them is removed."""
    for memory in memories:
        if memory.locked:
            raise MemoryFileError(f"{memory.ns}/{memory.key} is locked; {LockedError.default_hint}")


def _is_valid(name: str, value: Any) -> bool:
    if name == "insert_line":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "view_range":
        return (
            isinstance(value, list | tuple)
            and len(value) == 2
            and all(_is_valid("insert_line", number) for number in value)
        )
    return isinstance(value, str)


def _is_path(key: str) -> bool:
    """Say whether a key can be a path: the namespace may have other keys."""
    try:
        return bool(key) and key_of(path_of(key)) == key
    except MemoryFileError:
        return False


def _text(memory: Memory) -> str:
    meta = memory.meta.get(META)
    return str(meta["text"]) if isinstance(meta, Mapping) and "text" in meta else memory.content


def _gone(path: str) -> MemoryFileError:
    return MemoryFileError(f"The path {path} does not exist. Please provide a valid path.")
