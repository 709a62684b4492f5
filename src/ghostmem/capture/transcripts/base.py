"""What every reader of transcripts hands back, and the lines they read."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError
from ghostmem.text.machine import without_machine_text

USER, ASSISTANT = "user", "assistant"
LONGEST_LINE = (
    64_000_000  # bytes; a longer line is passed over without being read into memory whole
)
MOST_TROUBLES = 20  # that are named; the rest are counted
_USERS = frozenset("user human client customer usr".split())
_ASSISTANTS = frozenset("assistant ai model gemini bot agent gpt claude chatgpt codex".split())
SILENT = frozenset(
    "system developer tool function tool_result info error warning about help quit "
    "compression".split()
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Turn(NamedTuple):
    """What one speaker said: in which session, in which role and under which name, when, and by
    which mark it is known.
    """

    session: str
    role: str
    text: str
    mark: str
    at: datetime | None = None
    name: str = ""
    about: Mapping[str, str] = {}


class Action(NamedTuple):
    """What an agent did: the tool, and what it was told."""

    session: str
    tool: str
    told: Any


Event = Turn | Action


@dataclass(slots=True)
class Troubles:
    """Lines that could not be read: how many, and the first of them by name."""

    count: int = 0
    named: list[str] = field(default_factory=list)

    def add(self, where: str, what: str) -> None:
        """Count one."""
        self.count += 1
        if len(self.named) < MOST_TROUBLES:
            self.named.append(f"{where}: {what}")


class Source(NamedTuple):
    """A file to read, and where to say what is wrong with it."""

    path: Path
    troubles: Troubles

    @property
    def session(self) -> str:
        """Return the name of a session that does not name itself."""
        return session_name(self.path.stem)

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects of JSON lines one by one, each with its line.

        What is broken is noted and passed over.
        """
        for number, raw in self._lines():
            where = f"{self.path.name}, line {number}"
            try:
                found = json.loads(raw)
            except (ValueError, RecursionError) as error:
                self.troubles.add(where, _why(error))
                continue
            if isinstance(found, dict):
                yield number, found
            elif isinstance(found, list):
                yield from ((number, item) for item in found if isinstance(item, dict))
            else:
                self.troubles.add(where, "not an object")

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        try:
            with self.path.open("rb") as stream:
                number = 0
                while raw := stream.readline(LONGEST_LINE):
                    number += 1
                    if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
                        self.troubles.add(
                            f"{self.path.name}, line {number}",
                            f"longer than {LONGEST_LINE:,} bytes",
                        )
                        while raw and not raw.endswith(b"\n"):
                            raw = stream.readline(LONGEST_LINE)
                    elif raw.strip():
                        yield number, raw
        except OSError as error:
            raise InvalidInputError(
                f"cannot read {self.path}: {error.strerror}", "check its permissions"
            ) from None

    def whole(self) -> Any:
        """Return a file that is one JSON value, or None with a note when it is not."""
        try:
            return json.loads(self.path.read_bytes())
        except (ValueError, RecursionError) as error:
            self.troubles.add(self.path.name, _why(error))
            return None
        except OSError as error:
            raise InvalidInputError(
                f"cannot read {self.path}: {error.strerror}", "check its permissions"
            ) from None


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 (byte {error.start})"
    return f"not JSON ({str(error)[:80]})"


def turn(
    session: str,
    role: str,
    text: str,
    at: datetime | None,
    mark: str = "",
    name: str = "",
    about: Mapping[str, str] | None = None,
) -> Turn | None:
    """Make a turn of what somebody said.

    None when nobody did, or when a program spoke in a person's place.
    """
    text = storable(text)
    if role == USER:
        text = without_machine_text(text)
    if not text.strip():
        return None
    when = at.isoformat() if at else ""
    mark = mark or hashlib.sha256(f"{role}\n{when}\n{text}".encode()).hexdigest()[:16]
    return Turn(session, role, text.strip(), label(mark), at, label(name), about or {})


def storable(text: str) -> str:
    """Replace what no store can hold: NUL and halves of characters."""
    return _UNSTORABLE.sub("\ufffd", text)


def label(value: object) -> str:
    """Return a short text on one line."""
    return _CONTROL.sub(" ", storable(str(value or "")))[:200].strip()


def session_name(value: object) -> str:
    """Return the name of a session as it can stand in a key."""
    return label(value)[:120] or "session"


def role_of(value: object) -> str:
    """Return whose words they are: the user's, the assistant's, another's by name, or nobody's."""
    role = label(value).lower()
    if role in _USERS:
        return USER
    if role in _ASSISTANTS:
        return ASSISTANT
    return "" if role in SILENT else role


def time_of(value: object) -> datetime | None:
    """Read a time: a text, or seconds or milliseconds since 1970; None when it is none."""
    if isinstance(value, bool) or value in (None, ""):
        return None
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        return as_time(str(value)[:64])
    except (InvalidInputError, ValueError, OverflowError, OSError):
        return None


def text_of(content: object) -> str:
    """Return the text of a message's content: a text, or its blocks of text.

    Thoughts, tools and pictures are none.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = content.get("parts", [content])
    if not isinstance(content, list):
        return ""
    return "\n\n".join(part for block in content if (part := _block(block)))


def _block(block: object) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping) or block.get("thought") is True:
        return ""
    if block.get("type", "text") not in ("text", "input_text", "output_text"):
        return ""
    found = block.get("text")
    return found if isinstance(found, str) else ""
