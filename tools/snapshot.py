"""Write Ghost's answers into a folder, so that two versions of the code can be compared.

    python tools/snapshot.py before                      write answers as JSON files to `before`
    python tools/snapshot.py after --engine postgres --embed local
    diff -r before after

Only public interfaces are used. Ids are replaced by their order of appearance and times of the
machine's clock by a word; scores are rounded to nine digits; descriptions, help texts and messages
are left out."""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from ghostmem import Ghost
from ghostmem.errors import GhostError
from ghostmem.settings import Settings

NAMESPACES = ("agent:ada", "agent:ben", "project:shop")
OPERATIONS = 2000
QUESTIONS = 200
BUDGETS = (80, 300, 1200)
WORDS = Path(__file__).parent.parent / "bench" / "data" / "small_dev.jsonl"
_ULID = re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b")
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_SECRET = re.compile(r"\bghost_[0-9A-Z]{26}_[\w-]+")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?")
_TEXTS = ("description", "help", "summary", "hint", "message", "title", "about")


class SteppingClock:
    """A clock that stands still between two operations, however often it is read."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def step(self) -> None:
        """Advance by a minute."""
        self.at += timedelta(minutes=1)


def corpus() -> tuple[list[str], list[str]]:
    """Return texts to store and questions to ask."""
    rows = [json.loads(line) for line in WORDS.read_text(encoding="utf-8").splitlines()]
    texts = [
        text if isinstance(text, str) else text["content"]
        for row in rows
        for text in row["memories"]
    ]
    return texts, [row["query"] for row in rows]


def operate(ghost: Ghost, clock: SteppingClock) -> None:
    """Run a fixed, mixed series of operations."""
    chance = random.Random(7)
    texts, _ = corpus()
    for number in range(OPERATIONS):
        clock.step()
        ns, key = chance.choice(NAMESPACES), f"k{chance.randrange(400)}"
        try:
            _operation(ghost, chance, ns, key, texts[number % len(texts)])
        except (
            GhostError
        ):  # e.g. a key that is not there: every version of the code answers the same
            continue


def _operation(ghost: Ghost, chance: random.Random, ns: str, key: str, text: str) -> None:
    kind = chance.choices(
        ("put", "fields", "get", "rm", "restore", "edge", "tags", "curate", "reflect"),
        (50, 15, 10, 6, 4, 9, 2, 3, 0.3),
    )[0]
    if kind == "put":
        ghost.put(ns, key, text)
    elif kind == "fields":
        ghost.put(
            ns,
            key,
            text,
            tags=[f"t{chance.randrange(9)}"],
            kind="semantic",
            importance=chance.random(),
            source_user="sam",
            pinned=chance.random() < 0.02,
        )
    elif kind == "get":
        ghost.get(ns, key)
    elif kind == "rm":
        ghost.rm(ns, key)
    elif kind == "restore":
        ghost.restore(ns, key)
    elif kind == "edge":
        ghost.edge(
            ns,
            key,
            f"k{chance.randrange(400)}",
            chance.choice(("depends_on", "refines", "contradicts", "relates_to")),
        )
    elif kind == "tags":
        ghost.admin.rename_tag(f"t{chance.randrange(9)}", f"t{chance.randrange(9)}")
    elif kind == "curate":
        ghost.curate(ns, key, chance.choice(("promote", "demote", "boost", "diminish")))
    else:
        ghost.reflect()


def normal(value: Any, ids: dict[str, str], *, texts: bool = True, times: bool = False) -> Any:
    """Return plain data without values that differ between two runs."""
    if isinstance(value, dict):
        kept = (
            value.items()
            if texts
            else [
                pair
                for pair in value.items()
                if not (pair[0] in _TEXTS and isinstance(pair[1], str))
            ]
        )
        return {name: normal(item, ids, texts=texts, times=times) for name, item in kept}
    if isinstance(value, (list, tuple)):
        return [normal(item, ids, texts=texts, times=times) for item in value]
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, str):
        value = _ULID.sub(lambda found: ids.setdefault(found[0], f"ID{len(ids)}"), value)
        if times:
            value = _SECRET.sub("SECRET", _HASH.sub("HASH", _TIME.sub("TIME", value)))
        return value
    return value


def answers(ghost: Ghost, clock: SteppingClock) -> Iterator[dict[str, Any]]:
    """Yield hits with receipts and packs for the questions."""
    _, questions = corpus()
    texts, _ = corpus()
    asked = (questions + texts)[:QUESTIONS]
    for number, question in enumerate(asked):
        clock.step()
        ns = (*NAMESPACES, None)[number % 4]
        yield {
            "search": question,
            "ns": ns,
            "hits": [hit.to_dict() for hit in ghost.search(question, ns, limit=20, explain=True)],
        }
        budget = BUDGETS[number % len(BUDGETS)]
        yield {
            "context": question,
            "ns": ns,
            "budget": budget,
            "pack": ghost.context(question, ns, budget=budget).to_dict(),
        }


def help_structure() -> dict[str, Any]:
    """Return the parameters of every command."""
    import click

    from ghostmem.cli.main import cli as root

    found: dict[str, Any] = {}

    def walk(command: click.Command, path: str) -> None:
        context = click.Context(command, info_name=path)
        found[path] = sorted(
            (
                param.name or "",
                sorted(param.opts),
                param.type.name,
                param.required,
                param.multiple if isinstance(param, click.Option) else param.nargs,
            )
            for param in command.get_params(context)
        )
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                child = command.get_command(context, name)
                if child is not None:
                    walk(child, f"{path} {name}")

    walk(root, "ghost")
    return found


def command_outputs(folder: Path) -> dict[str, Any]:
    """Return the JSON output of every command of the tests' table, on a copy of the same store."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from importlib import import_module

    runs: dict[str, list[str]] = import_module("tests.cli.test_help").RUNS

    found: dict[str, Any] = {}
    for name, arguments in runs.items():
        if name.split()[0] in ("doctor", "config", "setup", "version", "infer-edges", "completion"):
            continue
        here = folder / name.replace(" ", "-")
        here.mkdir()
        env = {key: value for key, value in os.environ.items() if not key.startswith("GHOST_")} | {
            "HOME": str(here),
            "GHOST_EMBED_PROVIDER": "none",
        }
        base = [sys.executable, "-m", "ghostmem", "-d", str(here / "store.db")]
        for line in (
            "put -n a -k tea -t t green tea",
            "put -n a -k pot a pot",
            "put -n a -k gone x",
            "rm -n a gone",
            "edge add -n a pot tea -r depends_on",
        ):
            subprocess.run([*base, *line.split()], env=env, capture_output=True, check=False)
        run = subprocess.run(
            [*base, *name.split(), *[part.format(here=here) for part in arguments], "--json"],
            env=env,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        found[name] = [run.returncode, _lines(run.stdout.replace(str(here), "HERE"))]
    return found


def _lines(text: str) -> list[Any]:
    rows: list[Any] = []
    for line in text.splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            rows.append(line)
    return rows


def mcp_tools(folder: Path) -> Any:
    """Return the schemas of all tools as `tools/list` gives them."""
    frames = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "snapshot", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "ghostmem",
            "-d",
            str(folder / "mcp.db"),
            "mcp",
            "--experimental",
            "--tools",
            "memory,truth,notes,knowledge,outline,viewer",
        ],
        input="".join(json.dumps(frame) + "\n" for frame in frames),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return next(
        frame["result"]
        for frame in map(json.loads, run.stdout.splitlines())
        if frame.get("id") == 2
    )


@contextmanager
def target(engine: str, folder: Path) -> Iterator[str]:
    """Give a new store: a file, or a database of a PostgreSQL that is started for it."""
    if engine == "sqlite":
        yield str(folder / "store.db")
        return
    from bench.postgres import NAME, own_server

    with own_server() as server:
        yield server.url(NAME)


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--embed", choices=("static", "none", "local"), default="static")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    ids: dict[str, str] = {}

    def write(name: str, value: Any, **how: bool) -> None:
        path = options.folder / f"{options.engine}-{options.embed}-{name}.json"
        path.write_text(
            json.dumps(normal(value, ids, **how), indent=1, ensure_ascii=False, sort_keys=True)
            + "\n",
            encoding="utf-8",
        )
        print(f"wrote {path}", file=sys.stderr)

    clock = SteppingClock()
    with tempfile.TemporaryDirectory() as scratch, target(options.engine, Path(scratch)) as store:
        with Ghost.open(
            store, settings=Settings(embed_provider=options.embed), clock=clock
        ) as ghost:
            operate(ghost, clock)
            write("export", [json.loads(line) for line in ghost.export()])
            write("answers", list(answers(ghost, clock)))
        if (options.engine, options.embed) == ("sqlite", "static"):
            from ghostmem.web.openapi import document

            write("help", help_structure())
            write("commands", command_outputs(Path(scratch)), texts=False, times=True)
            write("tools", mcp_tools(Path(scratch)), texts=False)
            write("openapi", document("/api/v1"), texts=False)


if __name__ == "__main__":
    with redirect_stdout(StringIO()):
        main()
