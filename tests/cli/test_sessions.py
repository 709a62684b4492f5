"""Sessions on the command line, with everything that is printed: the golden files of the commands

Each file of the folder `sessions` has cases, which begin with a line `== title`, and the numbers of
the requirements that they prove; the commands before the first one run before each case. A case has an empty home, a working folder `work` and a clock of
its own. Below a command stands its output, lines of standard error behind `! `, and an exit code
that is not 0 in brackets. A command that fails must not change the store.

`ghost ... | a b.c` prints these fields of each JSON object, `<<<` is standard input, `$'\\x1b'` has
escapes, and `NAME=value` before a command is a variable for it alone. `UPDATE_SESSIONS=1 pytest -n 0
tests/cli/test_sessions.py` writes the files anew; read the difference.
"""

import codecs
import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

FOLDER = Path(__file__).parent / "sessions"
IS_UPDATE = bool(os.environ.get("UPDATE_SESSIONS"))
VARYING = [
    (re.compile(rf"\b{datetime.now(UTC):%Y-%m-%d}(?:[T ][\d:.]+Z?)?"), "NOW"),  # times of files
    (re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b"), "ID"),
    (re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{16})\b"), "HASH"),
    (re.compile(r"index sha [0-9a-f]+…"), "index sha HASH"),
    (re.compile(r"(:\d\d)\.\d{6}Z"), r"\1Z"),
    (re.compile(r"\bghost_[0-9A-Za-z_-]{20,}"), "TOKEN"),
    (re.compile(r"\b[\d.,]+ (?:bytes|KB|MB)\b|(?<=size_bytes\": )\d+"), "SIZE"),
]


def cases() -> Iterator[Any]:
    """Yield each case of each file: its name, the commands before it, and its lines."""
    for path in sorted(FOLDER.glob("*.txt")):
        start, *parts = re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for part in parts:
            title, _, body = part.partition("\n")
            numbers = re.findall(r"\d{3}-\d{3}", body.partition("$ ")[0])
            marks = [pytest.mark.requirement(number) for number in numbers]
            yield pytest.param(path, start, part, body, id=f"{path.stem}: {title}", marks=marks)


def field(row: Any, path: str) -> Any:
    """Return a field of an object; `a.b` is a field of a field, and of each object of a list."""
    for name in path.split("."):
        if isinstance(row, list):
            row = [field(each, name) for each in row]
        else:
            row = row.get(name, "-") if isinstance(row, dict) else "-"
    return row


class Shell:
    """A few commands of a shell, and `ghost` in this process."""

    def __init__(self, ghost_cli: "GhostCli", folder: Path, clock: Any) -> None:
        self.cli, self.folder, self.clock = ghost_cli, folder, clock
        self.commands = {
            "printf": lambda text, _, path: Path(path).write_bytes(escaped(text)),
            "export": lambda word: ghost_cli.monkeypatch.setenv(*word.split("=", 1)),
            "unset": ghost_cli.monkeypatch.delenv,
            "cd": ghost_cli.monkeypatch.chdir,
            "mkdir": lambda path: Path(path).mkdir(parents=True),
            "rm": lambda path: Path(path).unlink(),
            "mv": lambda path, target: Path(path).rename(target),
            "ln": lambda path, target: Path(target).symlink_to(path),
            "cp": shutil.copytree,
            "cat": lambda path: Path(path).read_bytes().decode(),
            "ls": lambda path: "".join(sorted(f"{file.name}\n" for file in Path(path).iterdir())),
            "wait": lambda number, unit: clock.forward(**{unit: float(number)}),
        }

    def run(self, line: str) -> str:
        """Run a line and return what it prints, in the form of the files."""
        words = [self.word(word) for word in shlex.split(line)]
        env = dict(word.split("=", 1) for word in words[: first_word(words)])
        name, *args = words[len(env) :]
        if name != "ghost":
            made = self.commands[name](*args)
            return made if isinstance(made, str) else ""
        with self.cli.monkeypatch.context() as patch:
            for variable, value in env.items():
                patch.setenv(variable, value)
            return self.ghost(args)

    def word(self, word: str) -> str:
        """Return a word of a command, with its escapes and below the folder of the test."""
        if word.startswith("$DATA"):
            return word.replace("$DATA", str(FOLDER.parents[1] / "data"))
        word = os.fsdecode(escaped(word[1:])) if word.startswith("$") else word
        return re.sub(r"^([A-Z_]+=)?(?=/(?:home|work)\b)", rf"\g<0>{self.folder}", word)

    def ghost(self, args: list[str]) -> str:
        """Run Ghost and return its output, or some fields of it, its errors and its exit code."""
        fields = args[args.index("|") + 1 :] if "|" in args else []
        args = args[: args.index("|")] if fields else args
        target = args[args.index(">") + 1] if ">" in args else ""
        args = args[: args.index(">")] if target else args
        text = escaped(args[args.index("<<<") + 1]) if "<<<" in args else None
        args = args[: args.index("<<<")] if text is not None else args
        done = self.cli(*args, input=text)
        if target:
            Path(target).write_text(done.out, encoding="utf-8")
        out = "".join(self.picked(done.out, fields)) if fields else "" if target else done.out
        err = "".join(f"! {each}\n" for each in done.err.splitlines())
        end = "" if not out or out.endswith("\n") else "\n"
        return f"{out}{end}{err}{f'[{done.code}]{chr(10)}' if done.code else ''}"

    @staticmethod
    def picked(out: str, fields: list[str]) -> Iterator[str]:
        """Yield a line with some fields of each JSON object."""
        rows = (
            json.loads(out)
            if out.startswith("[")
            else map(json.loads, filter(None, out.split("\n")))
        )
        for row in rows:
            values = [json.dumps(field(row, name), ensure_ascii=False) for name in fields]
            yield "  ".join(values) + "\n"

    def contents(self) -> list[Any]:
        """Return the lines of an export, without the counts of what was shown."""
        rows = map(json.loads, filter(None, self.cli("export").out.split("\n")))
        return [
            {**row, "access_count": 0, "last_accessed_at": ""}
            for row in rows
            if row["type"] != "access"
        ]

    def steady(self, text: str) -> str:
        """Return a text without values that differ from run to run."""
        text = text.replace(str(self.folder), "").replace(str(FOLDER.parents[1]), "")
        for pattern, word in VARYING:
            text = pattern.sub(word, text)
        return text.replace("\x1b", r"\e").replace("\r", r"\r")


def first_word(words: list[str]) -> int:
    """Return the index of the command, behind its variables."""
    return next(index for index, word in enumerate(words) if not re.match(r"[A-Z_]+=", word))


def escaped(text: str) -> bytes:
    """Return the bytes of a text with backslashes."""
    return codecs.escape_decode(text.encode())[0]  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize(("path", "start", "part", "body"), list(cases()))
def test_session(
    ghost_cli: "GhostCli", tmp_path: Path, wind: Any, path: Path, start: str, part: str, body: str
) -> None:
    """Every command prints what stands below it."""
    shell = Shell(ghost_cli, tmp_path, wind)
    ghost_cli.monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "work").mkdir()
    ghost_cli.monkeypatch.chdir(tmp_path / "work")
    for line in start.splitlines():
        if line.startswith("$ "):
            shell.run(line[2:])
    printed = []
    for each in re.split(r"^(?=\$ )", body, flags=re.MULTILINE):
        line, _, expected = each.partition("\n")
        if not line.startswith("$ "):
            printed.append(each)
            continue
        is_failure = not IS_UPDATE and expected.rstrip().endswith(("[2]", "[3]", "[4]"))
        before = shell.contents() if is_failure else []
        printed.append(f"{line}\n{shell.steady(shell.run(line[2:]))}")
        assert not is_failure or shell.contents() == before
    made = "".join(printed)
    if IS_UPDATE:
        text = path.read_text(encoding="utf-8")
        title = part.partition("\n")[0]
        path.write_text(text.replace(f"== {part}", f"== {title}\n{made.rstrip()}\n\n"), "utf-8")
    else:
        assert made.rstrip("\n") == body.rstrip("\n")
