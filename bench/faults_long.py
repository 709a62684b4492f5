"""The long form of the fault scenarios: many kills of every operation, resumable.

A state file keeps the findings of every round. An interrupted run is continued by the same command;
operations that passed are not repeated; one that failed starts again from
the beginning."""

import json
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.scenario import Findings, Plan

ROUNDS = 200
STATE = Path(tempfile.gettempdir()) / "ghost-faults-long.json"
SAVE_EVERY = 10  # rounds
CLEAR, NEW_LINE = "\r\033[K", "\n"
SHOW_EVERY = 50  # rounds, where the output is no terminal


class State:
    """Findings of a long run, in a file."""

    def __init__(self, path: Path, rounds: int, seed: int) -> None:
        self._path = path
        self._head = {"rounds": rounds, "seed": seed}
        self._results: dict[str, dict[str, Any]] = {}
        if path.exists():
            found = json.loads(path.read_text(encoding="utf-8"))
            if {name: found.get(name) for name in self._head} != self._head:
                given = f"rounds {found.get('rounds')}, seed {found.get('seed')}"
                sys.exit(
                    f"{path} is the state of another run ({given}): remove it, or name "
                    "another file with --state"
                )
            self._results = found["scenarios"]

    def result(self, name: str) -> dict[str, Any] | None:
        """Return the result of a scenario that passed and need not be repeated."""
        found = self._results.get(name)
        return found if found is not None and found["result"] in ("pass", "skip") else None

    def earlier(self, name: str) -> tuple[Findings | None, float]:
        """Return the findings of an interrupted scenario and the seconds it took."""
        found = self._results.get(name)
        if found is None or found["result"] != "running":
            return None, 0.0
        return Findings(**found["findings"]), found["seconds"]

    def keep(self, name: str, result: dict[str, Any]) -> None:
        """Write down a result, or how far a scenario is."""
        self._results[name] = result
        text = json.dumps({**self._head, "scenarios": self._results}, ensure_ascii=False)
        fresh = self._path.with_name(f".{self._path.name}.{os.getpid()}.tmp")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self._path)


def with_progress(plan: Plan, name: str, state: State) -> Plan:
    """Return a plan that resumes from the state, saves progress and shows counts."""
    earlier, spent = state.earlier(name)
    began = time.monotonic() - spent

    def report(findings: Findings) -> None:
        if findings.done % SAVE_EVERY == 0:
            seconds = round(time.monotonic() - began, 1)
            state.keep(
                name, {"result": "running", "seconds": seconds, "findings": findings.to_dict()}
            )
        if sys.stderr.isatty() or findings.done % SHOW_EVERY == 0:
            counts = (
                f"{findings.done}/{plan.rounds} rounds, {findings.facts['killed']} kills, "
                f"{len(findings.problems)} problems"
            )
            show(f"{name}: {counts}, {time.monotonic() - began:.0f} s")

    return replace(plan, earlier=earlier, report=report)


def show(line: str, is_last: bool = False) -> None:
    """Write a line to standard error.

    On a terminal the next one replaces it, unless it is the last of a scenario.
    """
    on_terminal = sys.stderr.isatty()
    sys.stderr.write(
        f"{'' if not on_terminal else CLEAR}{line}{'' if on_terminal and not is_last else NEW_LINE}"
    )
    sys.stderr.flush()
