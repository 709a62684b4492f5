"""Cases of files: calls, with every result and every file that they change.

A line of `tests/data/notes/cases/*.jsonl` is a case: its name, what it shows, and steps. A step lays
files (`files`, null removes), dates them (`dated`), or calls a function (`call`, `args`) with what
it `returns` or `raises` and the files that differ afterwards. To write the results anew, run
`python tests/notes/test_cases.py` and read the difference.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ghostmem.errors import GhostError
from ghostmem.notes import knowledge, roles

DATA = Path(__file__).parent.parent / "data" / "notes" / "cases"
MODULES: dict[str, Any] = {"knowledge": knowledge, "roles": roles}
Case = dict[str, Any]


def load(name: str) -> list[Case]:
    """Return the cases of a file."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


def files(root: Path) -> dict[str, str]:
    """Return every file below a folder, and every empty folder with a slash."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file():
            found[name] = path.read_bytes().decode(errors="surrogateescape")
        elif not any(path.iterdir()):
            found[f"{name}/"] = ""
    return found


def lay(root: Path, texts: dict[str, str | None]) -> None:
    """Write and remove files."""
    for name, text in texts.items():
        path = root / name
        if text is None:
            path.unlink()
        elif name.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode(errors="surrogateescape"))


def plain(value: Any, root: Path) -> Any:
    """Return a result as JSON, with the folder as `{root}`."""
    shown = json.dumps(value, default=lambda record: record.to_dict())
    return json.loads(shown.replace(json.dumps(str(root))[1:-1], "{root}"))


def read_arguments(args: dict[str, Any], root: Path) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of a call."""
    for name, value in args.items():
        if isinstance(value, dict) and value.keys() == {"time"}:
            value = datetime.fromisoformat(value["time"])
        yield name, root if value == "{root}" else value


def replay(case: Case, module: Any, root: Path) -> Case:
    """Take the steps of a case, and return it with the results that they have now."""
    done = []
    for step in case["steps"]:
        lay(root, {} if "call" in step else step.get("files", {}))
        for name, time in step.get("dated", {}).items():
            at = datetime.fromisoformat(time).timestamp()
            os.utime(root / name, (at, at))
        if "call" not in step:
            done.append(step)
            continue
        before, result = files(root), {"call": step["call"], "args": step["args"]}
        try:
            returned = getattr(module, step["call"])(**dict(read_arguments(step["args"], root)))
            result["returns"] = plain(returned, root)
        except GhostError as error:
            result["raises"] = plain([type(error).__name__, error.message, error.hint], root)
        after = files(root)
        changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
        done.append(
            result | ({"files": {name: after.get(name) for name in changed}} if changed else {})
        )
    return {**case, "steps": done}


@pytest.mark.parametrize("case", load("knowledge"), ids=lambda case: case["name"])
def test_knowledge(case: Case, tmp_path: Path) -> None:
    """The tools of a knowledge folder return, refuse and write exactly this."""
    (tmp_path / "project").mkdir()
    assert replay(case, knowledge, tmp_path / "project") == case


@pytest.mark.parametrize("case", load("roles"), ids=lambda case: case["name"])
def test_roles(case: Case, tmp_path: Path) -> None:
    """The functions of role files return, refuse and write exactly this."""
    assert replay(case, roles, tmp_path / "memory") == case


def write() -> None:
    """Write the results of all cases anew."""
    for name, module in MODULES.items():
        cases = []
        for case in load(name):
            with tempfile.TemporaryDirectory() as folder:
                root = Path(folder) / "root"
                if name == "knowledge":
                    root.mkdir()
                cases.append(replay(case, module, root))
        lines = [json.dumps(case) + "\n" for case in cases]
        (DATA / f"{name}.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    write()
