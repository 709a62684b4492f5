"""python -m bench.day2 --path FILE… [--embed local] [--background] [--json].

Is what was said in one session there in the next? Each FILE is a project of one author: `messages`
of coding sessions {text, facts [{id, quote}]}, `prompts` of another day {text, needs [fact ids]},
and `background`, further memories of the project.

Everything goes through the hook commands and payloads of Claude Code: the messages in sessions of
eight, each ended by a Stop hook that captures; then every prompt in a session of its own. A
captured memory is right if it overlaps the quote of a fact. With `--background`, the further
memories are in the store on the second day. `cpu_ms` is the median CPU time of a prompt's hook on
the second day, its children included."""

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.child import plain_env
from bench.overlap import overlaps
from bench.report import machine, show, table
from ghostmem import Ghost, Memory
from ghostmem.settings import Settings

SESSION = 8  # messages of a session
NS = "project:day2"
HOOK_SECONDS = "20"  # a busy machine must not change the figures
Row = dict[str, Any]


@dataclass(frozen=True)
class Day:
    """A project's folder and store, and the hook commands that run there."""

    folder: Path
    provider: str

    @property
    def store(self) -> Path:
        """Return the file of the store."""
        return self.folder / "memory.db"

    def open(self) -> Ghost:
        """Open the store."""
        return Ghost.open(self.store, settings=Settings(embed_provider=self.provider))

    def hook(self, event: str, session: str, **payload: Any) -> str:
        """Call a hook as Claude Code does, and return the text that it adds."""
        message = {
            "session_id": session,
            "transcript_path": str(self.transcript(session)),
            "cwd": str(self.folder),
            "hook_event_name": event,
            **payload,
        }
        settings = {
            "GHOST_DB": str(self.store),
            "GHOST_NS": NS,
            "GHOST_EMBED_PROVIDER": self.provider,
            "GHOST_HOOK_TIMEOUT": HOOK_SECONDS,
            "GHOST_HOOK_HELPER": "false",
            "HOME": str(self.folder),
        }
        done = subprocess.run(
            [sys.executable, "-m", "ghostmem", "hook", "claude", event, "--wait"],
            input=json.dumps(message),
            env=plain_env() | settings,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
            encoding="utf-8",
        )
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def transcript(self, session: str) -> Path:
        """Return the file in which the client records a session."""
        return self.folder / f"{session}.jsonl"

    def record(self, session: str, number: int, text: str) -> None:
        """Add a message to the transcript, as the client does after the prompt's hook."""
        line = {
            "type": "user",
            "sessionId": session,
            "uuid": f"{session}-{number}",
            "timestamp": "2026-11-02T10:00:00.000Z",
            "message": {"role": "user", "content": text},
        }
        with self.transcript(session).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def first_day(day: Day, messages: list[Row]) -> None:
    """Send the messages of the first day through the hooks, and capture from them."""
    for start in range(0, len(messages), SESSION):
        session = f"first-{start}"
        for number, message in enumerate(messages[start : start + SESSION]):
            day.hook("UserPromptSubmit", session, prompt=message["text"])
            day.record(session, number, message["text"])
        day.hook("Stop", session)


def remembered(day: Day, facts: dict[str, str]) -> tuple[list[Memory], dict[str, set[str]]]:
    """Return the captured memories, and the keys of those that hold each fact."""
    with day.open() as ghost:
        memories = ghost.list(NS, limit=1_000)
    holding = {
        id_: {memory.key for memory in memories if overlaps(_line(memory.content), _line(quote))}
        for id_, quote in facts.items()
    }
    return list(memories), holding


def _line(text: str) -> str:
    return " ".join(text.split())


def add_background(day: Day, texts: list[str]) -> None:
    """Import the further memories of a project."""
    lines = [
        {"ns": NS, "key": f"background-{number}", "content": text, "version": 1, "kind": "semantic"}
        for number, text in enumerate(texts)
    ]
    with day.open() as ghost:
        ghost.import_([json.dumps(lines)], trust=True)


def second_day(day: Day, prompts: list[Row], holding: dict[str, set[str]]) -> list[Row]:
    """Send each prompt in a session of its own; return what was added for it."""
    rows = []
    for number, prompt in enumerate(prompts):
        before = _children_cpu()
        text = day.hook("UserPromptSubmit", f"second-{number}", prompt=prompt["text"])
        cost = _children_cpu() - before
        added = re.findall(r'^<memory key="([^"]+)"', text, re.MULTILINE)
        needed = set().union(*(holding[id_] for id_ in prompt["needs"]))
        rows.append(
            {
                "needs": bool(prompt["needs"]),
                "has": bool(needed.intersection(added)),
                "others": len([key for key in added if key not in needed]),
                "added": len(added),
                "characters": len(text),
                "cpu_ms": cost * 1000,
                "prompt": prompt["text"][:80],
                "keys": added,
            }
        )
    return rows


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(path: Path, provider: str, background: bool, verbose: bool = False) -> Row:
    """Return the figures of a project."""
    project = json.loads(path.read_text(encoding="utf-8"))
    facts = {fact["id"]: fact["quote"] for row in project["messages"] for fact in row["facts"]}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        day = Day(Path(folder), provider)
        first_day(day, project["messages"])
        memories, holding = remembered(day, facts)
        if background:
            add_background(day, project["background"])
        rows = second_day(day, project["prompts"], holding)
    right = set().union(*holding.values())
    wrong = [memory.content for memory in memories if memory.key not in right]
    missed = [facts[id_] for id_, keys in holding.items() if not keys]
    needing = [row for row in rows if row["needs"]]
    idle = [row for row in rows if not row["needs"]]
    figures: Row = {
        "project": project["project"],
        "facts": len(facts),
        "captured": len(memories),
        "precision": _share(len(memories) - len(wrong), len(memories)),
        "recall": _share(len(facts) - len(missed), len(facts)),
        "needed": _share(sum(row["has"] for row in needing), len(needing)),
        "others": round(statistics.mean(row["others"] for row in rows), 2),
        "nothing": _share(sum(not row["added"] for row in idle), len(idle)),
        "cpu_ms": round(statistics.median(row["cpu_ms"] for row in rows)),
        "characters": round(statistics.mean(row["characters"] for row in rows)),
    }
    if verbose:
        figures |= {"wrong": wrong, "missed": missed, "prompts": rows}
    return figures


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 3)


COLUMNS = "precision recall needed others nothing cpu_ms".split()


def main() -> int:
    """Measure the projects and print the figures."""
    parser = argparse.ArgumentParser(description="Measure what hooks remember on a second day.")
    parser.add_argument("--path", type=Path, required=True, nargs="+", metavar="FILE")
    parser.add_argument("--embed", default="local", choices=("local", "static", "none"))
    parser.add_argument("--background", action="store_true", help="with the further memories")
    parser.add_argument("--verbose", action="store_true", help="with every prompt, in the JSON")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    projects = [
        measure(path, arguments.embed, arguments.background, arguments.verbose)
        for path in arguments.path
    ]
    mean: Row = {name: round(statistics.mean(row[name] for row in projects), 3) for name in COLUMNS}
    rows = [
        [row["project"], *(f"{row[name]:g}" for name in COLUMNS)]
        for row in [*projects, {"project": "mean", **mean}]
    ]
    text = table(("project", *COLUMNS), rows)
    show({**machine(), "mean": mean, "projects": projects}, text, arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
