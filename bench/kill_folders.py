"""Killed work on files of others: a sync of notes, a mirror, and hooks of an agent's program."""

import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from bench.child import say
from bench.kill import FILE, Operation
from bench.operations import counted, numbers, put_numbered
from bench.proof import missing, open_store, unwritable
from ghostmem import Ghost, GhostError
from ghostmem.cli.main import run

NOTES, NOTED = "notes", "notes:lab"
FILES = 30
EDITED = 5  # notes that are edited before the killed sync; as many are renamed, deleted and new
MIRROR, MIRRORED = "mirror", "agent:mirrored"
UNITS = 16  # memories that are mirrored; a quarter changed in the store, a quarter in the folder
SESSIONS = 8
EXPECTED = "expected.json"


def _note(number: int, extra: str = "") -> str:
    return (
        f"# Note {number}\n\nThe word is heron{number}.\n\n## Part\n\nMore of "
        f"heron{number}.\n{extra}"
    )


def _digests(folder: Path) -> dict[str, str]:
    """Return the hash of every file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in _files(folder)
    }


def _files(folder: Path) -> list[Path]:
    """Return the files below a folder, except locks."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")


def _topics(folder: Path) -> list[Path]:
    """Return the files that hold mirrored memories.

    The index, made from them, only repeats their beginnings.
    """
    return [
        path
        for path in _files(folder)
        if not path.name.lower().startswith(("index", "_index", "readme"))
    ]


def write_notes(folder: Path) -> None:
    """Make a folder of notes that a store knows, then edit, rename, delete and add some of them."""
    root = folder / NOTES
    root.mkdir()
    for number in range(FILES):
        (root / f"n{number:03d}.md").write_text(_note(number), encoding="utf-8")
    with open_store(folder / FILE) as ghost:
        ghost.notes.add(root, NOTED)
        kept = {memory.content: memory.id for memory in ghost.list(NOTED, limit=1_000)}
    for number in range(EDITED):
        (root / f"n{number:03d}.md").write_text(
            _note(number, f"\n## New\n\nAdded {number}.\n"), encoding="utf-8"
        )
        (root / f"n{EDITED + number:03d}.md").rename(root / f"renamed{number}.md")
        (root / f"n{2 * EDITED + number:03d}.md").unlink()
        (root / f"new{number}.md").write_text(_note(FILES + number), encoding="utf-8")
    gone = {f"heron{2 * EDITED + number}." for number in range(EDITED)}
    ids = {text: id_ for text, id_ in kept.items() if not any(word in text for word in gone)}
    (folder / EXPECTED).write_text(
        json.dumps({"ids": ids, "files": _digests(root)}), encoding="utf-8"
    )


def sync(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Put, bring the notes up to date, put in a child process."""
    with counted(die_at, power), open_store(f"{folder}/{FILE}") as ghost:
        put_numbered(ghost, 0)
        ghost.notes.sync(full=True)
        say("synced 1")
        put_numbered(ghost, 1)


def verify_sync(folder: Path, lines: list[str]) -> list[str]:
    """Check that notes are unchanged, sections keep their ids, and a second sync does nothing."""
    expected = json.loads((folder / EXPECTED).read_text(encoding="utf-8"))
    with open_store(folder / FILE) as ghost:
        wrong = [f"check: {problem}" for problem in ghost.admin.check().problems]
        wrong += missing(ghost, [(4, number) for number in numbers(lines, "put")])
        if numbers(lines, "synced") and not all(status.is_clean for status in ghost.notes.status()):
            wrong.append("an acknowledged sync left something to do")
        ghost.notes.sync(full=True)
        found = {memory.content: memory.id for memory in ghost.list(NOTED, limit=1_000)}
        wrong += [
            f"a section lost its id: {text[:40]!r}"
            for text, id_ in expected["ids"].items()
            if found.get(text) != id_
        ]
        if not all(status.is_clean for status in ghost.notes.status()):
            wrong.append("the second sync left something to do")
        for word in ("heron0", f"heron{FILES}", f"heron{EDITED}"):
            if not ghost.search(word, NOTED):
                wrong.append(f"{word} is not found")
        wrong += [f"check: {problem}" for problem in ghost.admin.check().problems] + unwritable(
            ghost
        )
    return wrong + ([] if _digests(folder / NOTES) == expected["files"] else ["a note was changed"])


def _unit(number: int, side: str = "first") -> str:
    return f"The {side} text of unit {number} about heron{number}."


def fill_mirror(folder: Path) -> None:
    """Mirror a namespace, then change some memories in the store and some in the folder."""
    root = folder / MIRROR
    root.mkdir()
    with open_store(folder / FILE) as ghost:
        for number in range(UNITS):
            ghost.put(MIRRORED, f"unit-{number:02d}", _unit(number))
        ghost.notes.mirror(root, MIRRORED, layout="topics")
        for number in range(UNITS // 4):
            ghost.put(MIRRORED, f"unit-{number:02d}", _unit(number, "store's"))
        ghost.put(MIRRORED, f"unit-{UNITS:02d}", _unit(UNITS))
    for path in _topics(root):
        text = path.read_text(encoding="utf-8")
        for number in range(UNITS // 4, UNITS // 2):
            text = text.replace(_unit(number), _unit(number, "folder's"))
        path.write_text(text, encoding="utf-8")


def mirror(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Put, mirror, put in a child process."""
    with counted(die_at, power), open_store(f"{folder}/{FILE}") as ghost:
        put_numbered(ghost, 0)
        ghost.notes.mirror(Path(folder, MIRROR), MIRRORED)
        say("mirrored 1")
        put_numbered(ghost, 1)


def verify_mirror(folder: Path, lines: list[str]) -> list[str]:
    """Check that both sides are intact, and equal after a second run with both changes."""
    wrong = []
    with open_store(folder / FILE) as ghost:
        wrong += [f"check: {problem}" for problem in ghost.admin.check().problems]
        wrong += missing(ghost, [(4, number) for number in numbers(lines, "put")])
        if numbers(lines, "mirrored"):
            wrong += _unequal(ghost, folder)
        ghost.notes.mirror(folder / MIRROR, MIRRORED)
        wrong += _unequal(ghost, folder)
        report = ghost.notes.mirror(folder / MIRROR, MIRRORED)
        if report.to_store or report.to_folder:
            wrong.append(f"a third run still finds work: {report.to_dict()}")
        wrong += [f"check: {problem}" for problem in ghost.admin.check().problems] + unwritable(
            ghost
        )
    return wrong


def _unequal(ghost: Ghost, folder: Path) -> list[str]:
    """Compare both sides with the expected content."""
    stored = {memory.key: memory.content for memory in ghost.list(MIRRORED, limit=1_000)}
    said = "\n".join(path.read_text(encoding="utf-8") for path in _topics(folder / MIRROR))
    wrong = []
    for number in range(UNITS + 1):
        side = "store's" if number < UNITS // 4 else "folder's" if number < UNITS // 2 else "first"
        if stored.pop(f"unit-{number:02d}", None) != _unit(number, side):
            wrong.append(f"unit {number} has another text in the store")
        if said.count(_unit(number, side)) != 1:
            wrong.append(
                f"the folder has the text of unit {number} {said.count(_unit(number, side))} times"
            )
    return wrong + [f"the store has {name} too much" for name in stored]


def start_sessions(folder: Path) -> None:
    """Write transcripts and the settings of an agent's program."""
    client = folder / "client"
    client.mkdir()
    (client / "settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"command": "ghost hook claude"}]}}), encoding="utf-8"
    )
    for number in range(SESSIONS):
        message = {"role": "user", "content": _stated(number)}
        line = {
            "type": "user",
            "sessionId": f"s-{number}",
            "uuid": f"u-{number}",
            "message": message,
        }
        (client / f"session{number}.jsonl").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    (folder / EXPECTED).write_text(json.dumps(_digests(client)), encoding="utf-8")


def _stated(number: int) -> str:
    things = (
        "tabs",
        "green tea",
        "short names",
        "dark themes",
        "British spelling",
        "unit tests",
        "small commits",
        "plain SQL",
    )
    return f"I prefer {things[number]} over anything else in this project."


def call_hook(folder: Path, number: int) -> None:
    """Call `ghost hook claude` as an agent's program does at the end of a turn."""
    client = folder / "client"
    event: dict[str, Any] = {
        "session_id": f"s-{number}",
        "hook_event_name": "Stop",
        "cwd": str(client),
    }
    event["transcript_path"] = str(client / f"session{number}.jsonl")
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(json.dumps(event).encode()))
    try:
        code = run(["hook", "claude", "--wait", "--db", str(folder / FILE), "--timeout", "60"])
    finally:
        sys.stdin = before
    if code:
        raise GhostError(f"the hook left with {code}")


def run_hooks(folder: str, die_at: int | None = None, power: bool = False) -> None:
    """Call a hook for several sessions in a child process, acknowledging each."""
    with counted(die_at, power):
        for number in range(SESSIONS):
            call_hook(Path(folder), number)
            say(f"hook {number}")


def verify_hooks(folder: Path, lines: list[str]) -> list[str]:
    """Check that files are unchanged and every capture is stored once after calling again."""
    wrong = []
    with open_store(folder / FILE) as ghost:
        wrong += [f"check: {problem}" for problem in ghost.admin.check().problems]
        stored = [memory.content for memory in ghost.list(limit=1_000)]
    wrong += [
        f"capture {number} is lost"
        for number in numbers(lines, "hook")
        if _stated(number) not in stored
    ]
    for number in range(SESSIONS):
        call_hook(folder, number)
    with open_store(folder / FILE) as ghost:
        stored = [memory.content for memory in ghost.list(limit=1_000)]
        for number in range(SESSIONS):
            if stored.count(_stated(number)) != 1:
                wrong.append(f"capture {number} is there {stored.count(_stated(number))} times")
        wrong += [f"check: {problem}" for problem in ghost.admin.check().problems] + unwritable(
            ghost
        )
    expected = json.loads((folder / EXPECTED).read_text(encoding="utf-8"))
    return wrong + (
        [] if _digests(folder / "client") == expected else ["a file of the program was changed"]
    )


OPERATIONS = (
    # the index of notes is made again from the files, so a sync does not wait for the disk
    Operation("notes sync", write_notes, sync, verify_sync, volatile="synced"),
    Operation("mirror", fill_mirror, mirror, verify_mirror),
    Operation("hooks", start_sessions, run_hooks, verify_hooks),
)
