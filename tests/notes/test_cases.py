"""Cases of files: calls, with every result and every file and memory that they change.

A line of `tests/data/notes/cases/*.jsonl` is a case: its name, the `requirements` that it proves, what it shows, and steps. A step lays
files (`files`, null removes), renames or dates them, lets time pass (`forward`), or calls a function
with what it `returns` or `raises`, and the files, memories and edges that differ afterwards. To
write the results anew, run `python tests/notes/test_cases.py` and read the difference.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from conftest import Clock
from ghostmem import Ghost
from ghostmem.errors import GhostError
from ghostmem.notes import grep, knowledge, roles
from ghostmem.settings import Settings

DATA = Path(__file__).parent.parent / "data" / "notes" / "cases"
FIELDS = ("id", "content", "version", "tags", "kind", "tier", "importance", "pinned", "meta")
FIELDS += ("access_count", "aliases", "created_at")
TIME = re.compile(r"(\d{4}-\d\d-\d\d)T[\d:]+\.\d+(?:Z|\+00:00)")  # of the clock
START = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
Case = dict[str, Any]


def load(name: str) -> list[Case]:
    """Return the cases of a file."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


class Scene:
    """A folder in which the steps of a case are taken, and the functions that it calls."""

    def __init__(self, root: Path, module: Any, clock: Clock) -> None:
        self.root, self.module, self.clock = root, module, clock
        self.ids: dict[str, str] = {}
        self.writes = 0

    def replay(self, case: Case) -> Case:
        """Take the steps of a case, and return it with the results that they have now."""
        return {**case, "steps": [self.take(step) for step in case["steps"]]}

    def take(self, step: Case) -> Case:
        """Take one step."""
        if "call" in step:
            return self.call(step["call"], step["args"])
        for old, new in step.get("renamed", {}).items():
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            os.rename(self.root / old, self.root / new)
        files = step.get("files", {})

        def is_late(name: str) -> bool:
            """Remove last: the system may give the inode of a removed file to a new one."""
            is_folder_now = any(new.startswith(f"{name}/") for new in files)
            return files[name] is None and not is_folder_now

        for name, text in sorted(files.items(), key=lambda item: is_late(item[0])):
            self.lay(self.root / name, text, is_folder=name.endswith("/"))
        for name, time in step.get("dated", {}).items():
            at = datetime.fromisoformat(time).timestamp()
            os.utime(self.root / name, (at, at))
        self.clock.forward(seconds=step.get("forward", 0))
        return step

    def lay(self, path: Path, text: str | None, is_folder: bool) -> None:
        """Write or remove a file; with a store its time is known, and later than that of the last."""
        if text is None:
            path.unlink(missing_ok=True)
        elif is_folder:
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode(errors="surrogateescape"))
            self.writes += 10
            if isinstance(self.module, Ghost):
                os.utime(path, (START + self.writes, START + self.writes))

    def call(self, name: str, args: dict[str, Any]) -> Case:
        """Call a function and return the step with its result and what it changed."""
        before, result = self.state(), {"call": name, "args": args}
        try:
            returned = attrgetter(name)(self.module)(**dict(self.arguments(args)))
        except GhostError as error:
            outcome = {"raises": self.plain([type(error).__name__, error.message, error.hint])}
        else:
            outcome = {"returns": self.plain(self.shown(name, returned))}
        after = self.state()
        for part, old in before.items():
            new = after[part]
            changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
            outcome |= {part: {key: new.get(key) for key in changed}} if changed else {}
        return result | outcome

    def arguments(self, args: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the arguments of a call."""
        for name, value in args.items():
            if isinstance(value, dict) and value.keys() == {"time"}:
                yield name, datetime.fromisoformat(value["time"])
            elif isinstance(value, str) and value.startswith("{root}"):
                yield name, Path(value.replace("{root}", str(self.root)))
            else:
                yield name, value

    def shown(self, name: str, returned: Any) -> Any:
        """Return the part of a result that a case compares."""
        if name == "search":
            hits = [[hit.key, hit.path, hit.line] for hit in returned]
            return {"hits": hits, "notes": returned.notes}
        if name == "grep":
            blocks = [[block.path, block.line, block.start, block.lines] for block in returned]
            return {"blocks": blocks, "unread": returned.unread}
        if name == "memory_files":
            return [str(path) for path in returned]
        return None if name in ("put", "get", "rm", "restore", "edge") else returned

    def plain(self, value: Any) -> Any:
        """Return a value as JSON: the folder is `{root}`, ids are numbers, times of the clock are days."""
        shown = json.dumps(value, default=lambda record: record.to_dict())
        shown = shown.replace(json.dumps(str(self.root))[1:-1], "{root}")
        if isinstance(self.module, Ghost):
            shown = TIME.sub(r"\1", shown)
            for memory_id, number in self.ids.items():
                shown = shown.replace(memory_id, number)
        return json.loads(shown)

    def state(self) -> dict[str, dict[str, Any]]:
        """Return the files (empty folders with a slash), the memories and the edges."""
        files, memories, edges = {}, {}, {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if path.is_file():
                files[name] = path.read_bytes().decode(errors="surrogateescape")
            elif not any(path.iterdir()):
                files[f"{name}/"] = ""
        if isinstance(self.module, Ghost):
            found = self.module.list(limit=100_000)
            for memory in sorted(found, key=lambda memory: (memory.ns, memory.key)):
                self.ids.setdefault(memory.id, f"#{len(self.ids) + 1}")
                fields = memory.to_dict()
                shown = {name: fields[name] for name in FIELDS if name in fields}
                memories[f"{memory.ns}/{memory.key}"] = self.plain(shown)
            for ns in {memory.ns for memory in found}:
                for edge in self.module.edges(ns):
                    ends = self.plain([edge.from_id, edge.rel, edge.to_id])
                    edges[" ".join(ends)] = True
        return {"files": files, "memories": memories, "edges": edges}


def replay_ghost(case: Case, root: Path, target: str) -> Case:
    """Take the steps of a case with a store that does not wait for a second look."""
    root.mkdir()
    clock = Clock()
    with (
        mock.patch("ghostmem.notes.sync.time.sleep"),
        mock.patch("ghostmem.notes.mirror.MISSING_SECONDS", 0.0),
        Ghost.open(target, settings=Settings(embed_provider="none"), clock=clock) as opened,
    ):
        done = Scene(root, opened, clock).replay(case)
        assert opened.admin.check().problems == ()
        return done


def replay_knowledge(case: Case, root: Path, _: str) -> Case:
    """Take the steps of a case in the folder of a project."""
    root.mkdir()
    return Scene(root, knowledge, Clock()).replay(case)


def replay_grep(case: Case, root: Path, _: str) -> Case:
    """Take the steps of a case in a workspace."""
    root.mkdir()
    return Scene(root, grep, Clock()).replay(case)


def replay_roles(case: Case, root: Path, _: str) -> Case:
    """Take the steps of a case in a folder of role files that does not exist yet."""
    return Scene(root, roles, Clock()).replay(case)


Runner = Callable[[Case, Path, str], Case]
RUNNERS: dict[str, Runner] = {
    "knowledge": replay_knowledge,
    "roles": replay_roles,
    "grep": replay_grep,
    **dict.fromkeys(("mirror", "sync", "links", "write", "layouts"), replay_ghost),
}


@pytest.mark.parametrize(
    ("runner", "case"),
    [
        pytest.param(
            runner,
            case,
            id=f"{name}: {case['name']}",
            marks=[pytest.mark.requirement(number) for number in case.get("requirements", ())],
        )
        for name, runner in RUNNERS.items()
        for case in load(name)
    ],
)
def test_case(
    runner: Runner, case: Case, tmp_path: Path, store_at: Callable[[str | Path], str]
) -> None:
    """The calls return, refuse and write exactly this."""
    assert runner(case, tmp_path / "root", store_at("memory.db")) == case


def write() -> None:
    """Write the results of all cases anew."""
    for name, runner in RUNNERS.items():
        lines = []
        for case in load(name):
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder).resolve()
                done = runner(case, place / "root", str(place / "memory.db"))
                lines.append(json.dumps(done) + "\n")
        (DATA / f"{name}.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    write()
