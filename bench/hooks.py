"""python -m bench.hooks: how long a host waits for a hook, compared with a cold search.

Every run starts a new process: a hook as the host would call it, in a session that was shown
nothing yet, and `ghost search` with the same words, store and embedding provider. UserPromptSubmit
searches by meaning with every provider but `none`, and loads the model as the search does;
SessionStart loads no model. Figures are medians over interleaved runs, CPU and wall time; ratios
are of CPU time. A warm hook asks the helper that an earlier one has started, on a store of 100
memories; its cost includes the CPU time of the helper, whose memory is printed too.
"""

import argparse
import compileall
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import ghostmem
from bench.child import plain_env
from bench.corpus import sentences
from bench.latency_search import GHOST, QUESTION
from bench.report import machine, show, table
from bench.timing import Cost, Plan, Section, child_cost, cpu_ms, interleaved, wall_ms
from ghostmem import Ghost, Settings

NS = "project:shop"
SIZE = 1_000
AIM = 1.3
WARM_SIZE, WARM_MS = 100, 150
ANSWER = "The arguments of a command are parsed by click, never by hand."
PROVIDERS = ("none", "static", "local")


def hooks(plan: Plan) -> Section:
    """Call hooks and search, for each provider of vectors."""
    data: dict[str, Any] = {}
    rows = []
    for provider in PROVIDERS:
        found = _measured(plan, provider)
        base, wall = cpu_ms(found["search"]), wall_ms(found["search"])
        data[provider] = {"search_ms": round(base, 1), "search_wall_ms": round(wall, 1)}
        rows.append((f"cold ghost search, {provider}", _figure(base, wall), "1.00", ""))
        for name in ("SessionStart", "UserPromptSubmit", "Stop"):
            ms, wall = cpu_ms(found[name]), wall_ms(found[name])
            ratio = ms / base
            figures = {"ms": round(ms, 1), "wall_ms": round(wall, 1), "ratio": round(ratio, 2)}
            data[provider][name] = figures
            aim = f"≤ {AIM}" if name != "Stop" else ""
            title = f"cold ghost hook {name}, {provider}"
            rows.append((title, _figure(ms, wall), f"{ratio:.2f}", aim))
        if provider != "none":
            costs, megabytes = _warm(plan, provider)
            ms, wall = cpu_ms(costs), wall_ms(costs)
            data[provider]["warm"] = {"ms": round(ms, 1), "helper_mb": round(megabytes)}
            title = f"warm ghost hook UserPromptSubmit, {provider} (helper {megabytes:.0f} MB)"
            rows.append((title, _figure(ms, wall), f"{ms / base:.2f}", f"≤ {WARM_MS} ms"))
    return Section(data, rows)


def _warm(plan: Plan, provider: str) -> tuple[list[Cost], float]:
    """Return the costs of prompts that a helper answers, and its memory in megabytes."""
    store, project = plan.folder / f"warm-{provider}.db", plan.folder / "shop"
    _fill(store, provider, WARM_SIZE)
    env = {**plain_env(), "GHOST_EMBED_PROVIDER": provider, "GHOST_HOOK_TIMEOUT": "60"}
    command = [str(GHOST), "--db", str(store), "hook", "claude", "UserPromptSubmit"]

    def prompt(number: int) -> Cost:
        payload = {"session_id": f"warm-{number}", "cwd": str(project), "prompt": QUESTION}
        return _fed(command, env, json.dumps(payload).encode(), answers=True)

    prompt(0)  # starts the helper
    helper = _helper_of(Path(f"{store}.hooks"))
    try:
        prompt(1)
        costs = []
        for number in range(plan.runs):
            before = _cpu_of(helper)
            cost = prompt(2 + number)
            costs.append(Cost(cost.wall, cost.cpu + _cpu_of(helper) - before))
        status = Path(f"/proc/{helper}/status").read_text()
        kilobytes = int(status.partition("VmRSS:")[2].split()[0])
    finally:
        os.kill(helper, signal.SIGTERM)
    return costs, kilobytes / 1024


def _helper_of(folder: Path) -> int:
    """Wait for the helper of a store, and return its process."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for path in folder.glob("*.sock"):
            with socket.socket(socket.AF_UNIX) as connection, suppress(OSError):
                connection.connect(str(path))
                found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
                return int.from_bytes(found[:4], sys.byteorder)
        time.sleep(0.1)
    raise SystemExit(f"no helper was started; {folder} has no socket")


def _cpu_of(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _fill(store: Path, provider: str, size: int) -> None:
    with Ghost.open(store, settings=Settings(embed_provider=provider)) as ghost:
        lines = [
            {"ns": NS, "key": f"key-{n}", "content": text, "version": 1}
            for n, text in enumerate([*sentences(size - 1), ANSWER])
        ]
        ghost.import_([json.dumps(lines)])


def _figure(cpu: float, wall: float) -> str:
    return f"{cpu:.1f} ms, wall {wall:.1f}"


def _measured(plan: Plan, provider: str) -> dict[str, list[Cost]]:
    store, project = plan.folder / f"hooks-{provider}.db", plan.folder / "shop"
    project.mkdir(exist_ok=True)
    _fill(store, provider, SIZE)
    transcript = plan.folder / "transcript.jsonl"
    said = {
        "type": "user",
        "sessionId": "s",
        "uuid": "u",
        "message": {"role": "user", "content": QUESTION},
    }
    transcript.write_text(f"{json.dumps(said)}\n" * 200, encoding="utf-8")
    # a hook that falls back to words would look cheap: give it all the time it needs
    settings = {
        "GHOST_EMBED_PROVIDER": provider,
        "GHOST_HOOK_TIMEOUT": "60",
        "GHOST_HOOK_HELPER": "false",
    }
    env, fresh = {**plain_env(), **settings}, count()

    def hook(event: str, **fields: str) -> Callable[[], Cost]:
        command = [str(GHOST), "--db", str(store), "hook", "claude", event]

        def call() -> Cost:
            payload = {
                "session_id": f"session-{next(fresh)}",
                "cwd": str(project),
                "hook_event_name": event,
                **fields,
            }
            return _fed(
                command,
                env,
                json.dumps({**payload, "transcript_path": str(transcript)}).encode(),
                event != "Stop",
            )

        return call

    works = {
        "search": lambda: child_cost(
            [str(GHOST), "--db", str(store), "search", "-n", NS, QUESTION], env
        ),
        "SessionStart": hook("SessionStart", source="startup"),
        "UserPromptSubmit": hook("UserPromptSubmit", prompt=QUESTION),
        # in another project, so that no start waits for its captures
        "Stop": hook("Stop", cwd=str(plan.folder)),
    }
    interleaved(works, 1)  # once for the file cache
    return interleaved(works, plan.runs)


def _fed(command: list[str], env: dict[str, str], data: bytes, answers: bool) -> Cost:
    """Run a command with a standard input, check that it answered, and return its cost."""
    import resource

    def used() -> float:
        found = resource.getrusage(resource.RUSAGE_CHILDREN)
        return found.ru_utime + found.ru_stime

    wall, cpu = time.perf_counter(), used()
    done = subprocess.run(command, env=env, input=data, stdout=subprocess.PIPE, check=True)
    took = Cost(time.perf_counter() - wall, used() - cpu)
    assert bool(done.stdout) == answers, "a hook gave up; see hooks.log beside the store"
    return took


def main() -> int:
    """Run the hooks and print the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.hooks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument(
        "--runs", type=int, default=15, help="times each command is started (default %(default)s)"
    )
    arguments = parser.parse_args()
    # as pip does on installing: a checkout may have no bytecode, or be told to write none
    compileall.compile_dir(Path(ghostmem.__file__).parent, quiet=2)
    with tempfile.TemporaryDirectory(prefix="ghost-hooks-") as folder:
        found = hooks(Plan(arguments.runs, Path(folder)))
    show(
        {"hooks": found.data, "machine": machine()},
        table(("what", "cpu", "ratio", "aim"), found.rows),
        arguments.json,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
