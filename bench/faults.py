"""python -m bench.faults: break things on purpose and see that nothing acknowledged is lost.

Many writers, kills, full disks, read-only media, races and locks, on throw-away stores. Leaves with 1 when a scenario fails.
`--engine postgres` breaks a PostgreSQL instead: its server, its connections, its clients.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from bench import full, race, readonly, writers
from bench.kill import kill
from bench.operations import OPERATIONS
from bench.report import machine, show, table
from bench.scenario import Findings, Plan
from ghostmem import GhostError

Scenario = Callable[[Plan], Findings]

SCENARIOS: dict[str, Scenario] = {
    "writers, own keys": writers.own_keys,
    "writers, shared keys": writers.shared_keys,
    **{f"kill in {operation.name}": partial(kill, operation=operation) for operation in OPERATIONS},
    "kill beside a neighbour": race.neighbour,
    "disk full, shim": full.shim,
    "disk full, tmpfs": full.small_disk,
    "read-only modes": readonly.modes,
    "read-only mount": readonly.mounted,
    "two create one file": race.creation,
    "two migrate one file": race.migration,
    "lock held too long": race.busy,
}
ENGINES = ("sqlite", "postgres")


def scenarios(engine: str) -> dict[str, Scenario]:
    """Return the scenarios of an engine by name."""
    if engine == "sqlite":
        return SCENARIOS
    from bench import faults_postgres

    return faults_postgres.SCENARIOS


def run(name: str, plan: Plan, engine: str = ENGINES[0]) -> dict[str, Any]:
    """Run one scenario in a folder of its own and return what it saw."""
    began = time.monotonic()
    found = _findings(scenarios(engine)[name], plan)
    verdict = "skip" if found.skipped else "fail" if found.problems else "pass"
    return {
        "scenario": name,
        "result": verdict,
        "seconds": round(time.monotonic() - began, 1),
        "facts": found.facts,
        "problems": found.problems,
        **({"reason": found.skipped} if found.skipped else {}),
    }


def _findings(scenario: Scenario, plan: Plan) -> Findings:
    if plan.is_late():
        return Findings(problems=["the time was up before it began"])
    with tempfile.TemporaryDirectory(prefix="ghost-faults-") as folder:
        try:
            return scenario(replace(plan, folder=Path(folder)))
        except (GhostError, OSError, RuntimeError, apsw.Error) as error:
            return Findings(problems=[f"the scenario broke: {type(error).__name__}: {error}"])


def as_text(results: list[dict[str, Any]]) -> str:
    """Return the results as a table, with the problems below it."""
    rows = [[result["scenario"], result["result"], f"{result['seconds']:.1f}", _facts(result)] for result in results]
    problems = [f"{result['scenario']}: {problem}" for result in results for problem in result["problems"]]
    return "\n".join([table(("scenario", "result", "seconds", "facts"), rows), *(["", *problems] if problems else [])])


def _facts(result: dict[str, Any]) -> str:
    return str(result.get("reason") or ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in result["facts"].items()))


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="what to break (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=50, help="kills per operation (default %(default)s)")
    parser.add_argument("--processes", type=int, default=8, help="writers at once (default %(default)s)")
    parser.add_argument("--puts", type=int, default=250, help="puts per writer (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the moments of the kills (default %(default)s)")
    parser.add_argument("--seconds-limit", type=float, default=900, help="stop early, and fail, after this (default %(default)s)")
    parser.add_argument("--only", default="", help="scenarios whose name contains one of these words, separated by commas")
    return parser.parse_args()


def main() -> int:
    """Run the scenarios and print what came of them."""
    given = options()
    deadline = time.monotonic() + given.seconds_limit
    plan = Plan(Path(), given.rounds, given.processes, given.puts, given.seed, deadline)
    words = [word.strip() for word in given.only.split(",") if word.strip()]
    results = []
    for name in scenarios(given.engine):
        if not words or any(word in name for word in words):
            results.append(run(name, plan, given.engine))
            if not given.json:
                print(f"{results[-1]['result']}  {name}  ({results[-1]['seconds']} s)", file=sys.stderr, flush=True)
    passed = all(result["result"] != "fail" for result in results)
    show({"ok": passed, "scenarios": results, "machine": machine()}, as_text(results), given.json)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
