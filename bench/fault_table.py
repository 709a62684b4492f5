"""python -m bench.fault_table: write the results of `bench.faults --json` into docs/reliability.md.

    python -m bench.faults --json > sqlite.json
    python -m bench.faults --engine postgres --json > postgres.json
    python -m bench.faults --long --json > long.json
    python -m bench.fault_table --sqlite sqlite.json --postgres postgres.json --long long.json

Without `--write` the tables are printed. Several results of one engine, of runs with `--only`, are
joined. Failures are included."""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reliability.md"
LONG = "long"  # the part of the page for `bench.faults --long`
ENGINES = ("sqlite", "postgres", LONG)


def rows(found: dict[str, Any]) -> list[str]:
    """Return a line of the table for each scenario."""
    return [
        f"| {_cell(one['scenario'])} | {one['result']} | {one['seconds']:.1f} | "
        f"{_cell(_seen(one))} |"
        for one in found["scenarios"]
    ]


def _seen(one: dict[str, Any]) -> str:
    """Return a scenario's problems, or the reason why it was skipped, or its counts."""
    if one["problems"]:
        return "; ".join(one["problems"])
    if one.get("reason"):
        return str(one["reason"])
    return ", ".join(
        f"{name.replace('_', ' ')} {_figure(value)}" for name, value in one["facts"].items()
    )


def _figure(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def joined(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return several results as one: a scenario that was run again counts as it was seen last."""
    scenarios = {one["scenario"]: one for results in found for one in results["scenarios"]}
    return {"scenarios": list(scenarios.values()), "machine": found[-1]["machine"]}


def as_markdown(found: dict[str, Any]) -> str:
    """Return the table, with the machine below it."""
    machine = found["machine"]
    facts = ", ".join(f"{name} {value}" for name, value in machine.items() if name != "system")
    return "\n".join(
        [
            "| scenario | result | seconds | measured |",
            "|---|---|---|---|",
            *rows(found),
            "",
            f"Measured on {machine['system']}: {facts}.",
        ]
    )


def long_as_markdown(found: dict[str, Any]) -> str:
    """Return the table of the long form: kills, acknowledged work and time of each operation."""
    scenarios, machine = found["scenarios"], found["machine"]
    kills, acknowledged = (
        sum(int(one["facts"].get(name, 0)) for one in scenarios)
        for name in ("killed", "acknowledged")
    )
    seconds = sum(one["seconds"] for one in scenarios)
    problems = [f"{one['scenario']}: {problem}" for one in scenarios for problem in one["problems"]]
    facts = ", ".join(f"{name} {value}" for name, value in machine.items() if name != "system")
    return "\n".join(
        [
            "| scenario | result | kills | acknowledged | seconds |",
            "|---|---|---|---|---|",
            *(
                f"| {_cell(one['scenario'])} | {one['result']} | "
                f"{_figure(one['facts'].get('killed', 0))}"
                f" | {_figure(one['facts'].get('acknowledged', 0))} | {one['seconds']:.1f} |"
                for one in scenarios
            ),
            "",
            f"In all {kills:,} kills in {seconds / 60:,.0f} minutes; {acknowledged:,} "
            "acknowledged steps looked for,"
            f" {len(problems)} problems. Measured on {machine['system']}: {facts}.",
            *(f"\n- {_cell(problem)}" for problem in problems),
        ]
    )


def filled(page: str, engine: str, found: dict[str, Any]) -> str:
    """Return a page with the figures of an engine made new."""
    return placed(page, engine, long_as_markdown(found) if engine == LONG else as_markdown(found))


def placed(page: str, name: str, text: str) -> str:
    """Return a page with a text between the marks of a name."""
    pattern = _place(name)
    if not pattern.search(page):
        sys.exit(f"there is no place for {name} on the page")
    return pattern.sub(
        lambda _: f"<!-- measured: {name} -->\n\n{text}\n\n<!-- end: {name} -->", page
    )


def marked(page: str, engine: str) -> str:
    """Return the part of a page that holds the figures of an engine."""
    found = _place(engine).search(page)
    return found[0] if found else ""


def _place(engine: str) -> re.Pattern[str]:
    return re.compile(rf"<!-- measured: {engine} -->\n.*?<!-- end: {engine} -->", re.DOTALL)


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fault_table",
        description=__doc__.partition("\n")[0] if __doc__ else "",
    )
    for engine in ENGINES:
        parser.add_argument(
            f"--{engine}",
            type=Path,
            nargs="+",
            metavar="RESULTS.json",
            help=f"results of bench.faults on {engine}",
        )
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    return parser.parse_args()


def main() -> int:
    """Print or write the tables; exit with 1 when a scenario failed."""
    arguments = options()
    page = PAGE.read_text(encoding="utf-8")
    good = True
    for engine in ENGINES:
        if paths := getattr(arguments, engine):
            found = joined([json.loads(path.read_text(encoding="utf-8")) for path in paths])
            good &= all(one["result"] != "fail" for one in found["scenarios"])
            page = filled(page, engine, found)
            if not arguments.write:
                print(f"{engine}\n\n{marked(page, engine)}\n")
    if arguments.write:
        PAGE.write_text(page, encoding="utf-8", newline="\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
