"""python -m bench.faults: break things on purpose and see that nothing acknowledged is lost.

Many writers, kills, full disks, read-only media, races and locks, on temporary stores. Exits with
1 when a scenario fails. `--engine postgres` breaks a PostgreSQL instead: its server, its
connections, its clients. `--long` kills every operation 200 times, without a time limit;
the same command resumes an interrupted run."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from bench import (
    backups,
    disk_full,
    faults_long,
    kill_files,
    kill_folders,
    kill_store,
    operations,
    processes,
    race,
    readonly,
    writers,
)
from bench.kill import Operation, kill
from bench.report import machine, show, table
from bench.scenario import Findings, Plan
from ghostmem import GhostError

Scenario = Callable[[Plan], Findings]

OPERATIONS: tuple[Operation, ...] = (
    *operations.OPERATIONS,
    *kill_store.OPERATIONS,
    *kill_files.OPERATIONS,
    *kill_folders.OPERATIONS,
)
KILLS: dict[str, Scenario] = {
    f"kill in {operation.name}": partial(kill, operation=operation) for operation in OPERATIONS
}
SCENARIOS: dict[str, Scenario] = {
    "writers, own keys": writers.own_keys,
    "writers, shared keys": writers.shared_keys,
    **KILLS,
    "kill beside a neighbour": race.neighbour,
    "backup over an open file": backups.open_elsewhere,
    "backup over a killed holder's file": backups.holder_killed,
    "backup where a log stayed": backups.log_stayed,
    "killed backups are swept": backups.swept,
    "disk full, shim": disk_full.shim,
    "disk full, tmpfs": disk_full.small_disk,
    "read-only modes": readonly.modes,
    "read-only mount": readonly.mounted,
    "read-only mount beside a writer": readonly.beside_a_writer,
    "two create one file": race.creation,
    "two migrate one file": race.migration,
    "lock held too long": race.busy,
    "fork beside a writing thread": processes.fork,
    "store with two hard links": processes.hard_link,
}
ENGINES = ("sqlite", "postgres")
LONG = "long"


def scenarios(engine: str) -> dict[str, Scenario]:
    """Return the scenarios of an engine by name; those of the long form are the kills."""
    if engine == LONG:
        return KILLS
    if engine == "sqlite":
        return SCENARIOS
    from bench import faults_postgres

    return faults_postgres.SCENARIOS


def run(name: str, plan: Plan, engine: str = ENGINES[0]) -> dict[str, Any]:
    """Run one scenario in its own folder and return its result."""
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
    rows = [
        [result["scenario"], result["result"], f"{result['seconds']:.1f}", _facts(result)]
        for result in results
    ]
    problems = [
        f"{result['scenario']}: {problem}" for result in results for problem in result["problems"]
    ]
    return "\n".join(
        [
            table(("scenario", "result", "seconds", "facts"), rows),
            *(["", *problems] if problems else []),
        ]
    )


def _facts(result: dict[str, Any]) -> str:
    return str(
        result.get("reason")
        or ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in result["facts"].items())
    )


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument(
        "--engine", choices=ENGINES, default=ENGINES[0], help="engine to test (default %(default)s)"
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help=f"kill every operation {faults_long.ROUNDS} times; can be interrupted",
    )
    parser.add_argument(
        "--state",
        type=Path,
        default=faults_long.STATE,
        help="state file of --long (default %(default)s)",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        help=f"kills per operation (default 50, with --long {faults_long.ROUNDS})",
    )
    parser.add_argument(
        "--processes", type=int, default=8, help="writers at once (default %(default)s)"
    )
    parser.add_argument(
        "--puts", type=int, default=250, help="puts per writer (default %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="chooses the moments of the kills (default %(default)s)"
    )
    parser.add_argument(
        "--seconds-limit",
        type=float,
        default=900,
        help="stop early, and fail, after this; not with --long (default %(default)s)",
    )
    parser.add_argument(
        "--only",
        default="",
        help="scenarios whose name contains one of these words, separated by commas",
    )
    arguments = parser.parse_args()
    if arguments.long and arguments.engine != ENGINES[0]:
        parser.error("--long is of stores in a file")
    arguments.rounds = arguments.rounds or (faults_long.ROUNDS if arguments.long else 50)
    return arguments


def chosen(names: Iterable[str], only: str) -> list[str]:
    """Return the scenarios that were asked for."""
    words = [word.strip() for word in only.split(",") if word.strip()]
    return [name for name in names if not words or any(word in name for word in words)]


def run_long(plan: Plan, state: faults_long.State, only: str) -> list[dict[str, Any]]:
    """Run the kills that are not done yet and return all results, those of earlier runs too."""
    results = []
    for name in chosen(KILLS, only):
        result = state.result(name)
        if result is None:
            _, spent = state.earlier(name)
            result = run(name, faults_long.with_progress(plan, name, state), LONG)
            result["seconds"] = round(result["seconds"] + spent, 1)
            state.keep(name, result)
        faults_long.show(
            f"{result['result']}  {name}  {_facts(result)}  ({result['seconds']} s)", is_last=True
        )
        results.append(result)
    return results


def main() -> int:
    """Run the scenarios and print the results."""
    arguments = options()
    deadline = float("inf") if arguments.long else time.monotonic() + arguments.seconds_limit
    plan = Plan(
        Path(),
        arguments.rounds,
        arguments.processes,
        arguments.puts,
        arguments.seed,
        deadline,
        fork=arguments.long,
    )
    if arguments.long:
        try:
            results = run_long(
                plan,
                faults_long.State(arguments.state, arguments.rounds, arguments.seed),
                arguments.only,
            )
        except KeyboardInterrupt:
            sys.exit(
                f"\ninterrupted: {arguments.state} keeps what is done, and the same command goes on"
            )
    else:
        results = []
        for name in chosen(scenarios(arguments.engine), arguments.only):
            results.append(run(name, plan, arguments.engine))
            print(
                f"{results[-1]['result']}  {name}  ({results[-1]['seconds']} s)",
                file=sys.stderr,
                flush=True,
            )
    passed = all(result["result"] != "fail" for result in results)
    found = {"ok": passed, "scenarios": results, "machine": machine()}
    text = as_text(results)
    if arguments.long:
        found |= {
            "kills": total(results, "killed"),
            "seconds": round(sum(result["seconds"] for result in results), 1),
        }
        text += (
            f"\n\n{found['kills']:,} kills, {total(results, 'acknowledged'):,} "
            f"acknowledged, {found['seconds']:,.0f} s"
        )
    show(found, text, arguments.json)
    return 0 if passed else 1


def total(results: list[dict[str, Any]], fact: str) -> int:
    """Add up a fact of all scenarios."""
    return sum(int(result["facts"].get(fact, 0)) for result in results)


if __name__ == "__main__":
    sys.exit(main())
