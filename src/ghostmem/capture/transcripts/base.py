"""The events that every reader of transcripts yields, and the file they read."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError
from ghostmem.text.machine import without_machine_text

USER, ASSISTANT = "user", "assistant"
MAX_LINE_BYTES = 64_000_000  # bytes; a longer line is skipped without reading it as a whole
_WORDS_OF_ROLES = {
    USER: "user human client customer usr",
    ASSISTANT: "assistant ai model gemini bot agent gpt claude chatgpt codex",
    "": "system developer tool function tool_result info error warning about help quit compression",
}
_ROLES = {word: role for role, words in _WORDS_OF_ROLES.items() for word in words.split()}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class TranscriptTurn(NamedTuple):
    """One message of a session; `mark` identifies it when the file is read again.

    `file` identifies the file after which the session is named, if it has no name of its own."""

    session: str
    role: str
    text: str
    mark: str
    at: datetime | None = None
    name: str = ""
    about: Mapping[str, str] = {}
    file: str = ""
    client: str = ""  # the program that recorded it, if known


class ToolCall(NamedTuple):
    """A call of a tool by an agent."""

    session: str
    tool: str
    arguments: Any


Event = TranscriptTurn | ToolCall


class TranscriptFile(NamedTuple):
    """A transcript file, and the list of its unreadable lines."""

    path: Path
    troubles: list[str]

    @property
    def session(self) -> str:
        """Return the name for a session that has none in the file."""
        return session_name(self.path.stem)

    @property
    def digest(self) -> str:
        """Return an identifier of the file that does not tell its path."""
        return hashlib.sha256(os.fsencode(self.path.resolve())).hexdigest()[:16]

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects of JSON lines with their line number; invalid lines are skipped."""
        for number, raw in self.lines():
            try:
                value = json.loads(raw)
            except (ValueError, RecursionError) as error:
                self._add_trouble(number, _reason(error))
                continue
            if not isinstance(value, dict | list):
                self._add_trouble(number, "not an object")
                continue
            items = value if isinstance(value, list) else [value]
            yield from ((number, item) for item in items if isinstance(item, dict))

    def _add_trouble(self, number: int, reason: str) -> None:
        self.troubles.append(f"{self.path.name}, line {number}: {reason}")

    @property
    def is_lines(self) -> bool:
        """Say whether every line is a JSON value; a file `.json` may have them too."""
        if self.path.suffix.lower() != ".json":
            return True
        first = [raw for _, raw in islice(TranscriptFile(self.path, []).lines(), 2)]
        return len(first) == 2 and isinstance(json_value(first[0]), dict)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not blank, with their numbers; too long ones are skipped."""
        try:
            with self.path.open("rb") as stream:
                number = 0
                while raw := stream.readline(MAX_LINE_BYTES):
                    number += 1
                    if len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n"):
                        self._add_trouble(number, f"longer than {MAX_LINE_BYTES:,} bytes")
                        while raw and not raw.endswith(b"\n"):
                            raw = stream.readline(MAX_LINE_BYTES)
                    elif raw.strip():
                        yield number, raw
        except OSError as error:
            raise InvalidInputError(
                f"cannot read {self.path}: {error.strerror}", "check its permissions"
            ) from None

    def whole(self) -> Any:
        """Return the JSON value of the whole file, or None if it is invalid."""
        try:
            return json.loads(self.path.read_bytes())
        except (ValueError, RecursionError) as error:
            self.troubles.append(f"{self.path.name}: {_reason(error)}")
            return None
        except OSError as error:
            raise InvalidInputError(
                f"cannot read {self.path}: {error.strerror}", "check its permissions"
            ) from None


def json_value(raw: str | bytes, invalid: Any = None) -> Any:
    """Return the value of a JSON text, or `invalid` if it is not JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return invalid


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return (
        f"not UTF-8 (byte {error.start})"
        if isinstance(error, UnicodeDecodeError)
        else f"not JSON ({str(error)[:80]})"
    )


def turn(
    session: str,
    role: str,
    text: str,
    time: datetime | None,
    mark: str = "",
    name: str = "",
    about: Mapping[str, str] | None = None,
) -> TranscriptTurn | None:
    """Return a turn, or None if it has no text or only text of a program."""
    text = without_machine_text(storable(text)) if role == USER else storable(text)
    if not text.strip():
        return None
    when = time.isoformat() if time else ""
    mark = mark or hashlib.sha256(f"{role}\n{when}\n{text}".encode()).hexdigest()[:16]
    return TranscriptTurn(session, role, text.strip(), label(mark), time, label(name), about or {})


def storable(text: str) -> str:
    """Replace characters that no store can hold: NUL and surrogates."""
    return _UNSTORABLE.sub("\ufffd", text)


def label(value: object) -> str:
    """Return a short text on one line."""
    return _CONTROL.sub(" ", storable(str(value or "")))[:200].strip()


def session_name(value: object) -> str:
    """Return the name of a session in a form that fits in a key."""
    return label(value)[:120] or "session"


def role_of(value: object) -> str:
    """Return "user", "assistant", the name of another speaker, or "" for none."""
    role = label(value).lower()
    return _ROLES.get(role, role)


def time_of(value: object) -> datetime | None:
    """Return a time given as text or as seconds or milliseconds since 1970; None if invalid."""
    if isinstance(value, bool) or value in (None, ""):
        return None
    try:
        return (
            datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
            if isinstance(value, int | float)
            else as_time(str(value)[:64])
        )
    except (InvalidInputError, ValueError, OverflowError, OSError):
        return None


def text_of(content: object) -> str:
    """Return the text of a message's content, without thoughts, tools and pictures."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = content.get("parts", [content])
    blocks = content if isinstance(content, list) else ()
    return "\n\n".join(part for block in blocks if (part := _block(block)))


def _block(block: object) -> str:
    """Return the text of a block, or an empty text if it is a thought, a tool or a picture."""
    if isinstance(block, Mapping):
        is_text = block.get("type", "text") in ("text", "input_text", "output_text")
        block = block.get("text") if is_text and block.get("thought") is not True else ""
    return block if isinstance(block, str) else ""
