"""python -m bench.peers: Ghost and its peers at the same work, side by side in one run.

Each peer is installed in an environment of its own under the work folder and driven by a process
there; nothing is downloaded while it is measured. Results are added to a file, so that a run can be
resumed; `--table` and `--plot` show them."""

import argparse
import json
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

from bench.peer_kinds import install
from bench.peer_kinds.bench import FIRST, Bench
from bench.peer_kinds.driver import DriverError
from bench.peer_kinds.kinds import KINDS, Kind
from bench.peer_kinds.measures import MEASURES
from bench.peer_kinds.plot import plot
from bench.peer_kinds.sets import Sets, make
from bench.peer_kinds.tables import markdown, text
from bench.report import machine, show

Found = dict[str, Any]


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument(
        "--work",
        type=Path,
        default=Path.home() / ".cache" / "ghost-peers",
        help="where peers are installed",
    )
    parser.add_argument(
        "--results", type=Path, help="the file of results (default WORK/results.json)"
    )
    parser.add_argument(
        "--only",
        default="",
        help="peers by name, separated by semicolons, measured again; `ghost` means all of Ghost",
    )
    parser.add_argument(
        "--limit", type=int, default=100_000, help="memories stored at most (default %(default)s)"
    )
    parser.add_argument(
        "--seconds", type=float, default=600, help="time limit of one measure (default %(default)s)"
    )
    parser.add_argument("--runs", type=int, default=5, help="cold starts (default %(default)s)")
    parser.add_argument(
        "--measures",
        default=",".join(MEASURES),
        help="which, separated by commas (default %(default)s)",
    )
    parser.add_argument("--original", type=Path, help="the original Ghost's binary")
    parser.add_argument(
        "--table",
        type=Path,
        metavar="RESULTS",
        help="print the tables of a file of results in markdown, and stop",
    )
    parser.add_argument(
        "--plot",
        type=Path,
        nargs=2,
        metavar=("RESULTS", "SVG"),
        help="draw a file of results, and stop",
    )
    arguments = parser.parse_args()
    arguments.results = arguments.results or arguments.work / "results.json"
    arguments.only = [name.strip() for name in arguments.only.split(";") if name.strip()]
    arguments.measures = [name.strip() for name in arguments.measures.split(",") if name.strip()]
    if wrong := [name for name in arguments.measures if name not in MEASURES]:
        parser.error(f"there is no measure {wrong[0]!r}; there are {', '.join(MEASURES)}")
    if wrong := [
        name for name in arguments.only if not any(matches(kind, [name]) for kind in KINDS)
    ]:
        parser.error(
            f"there is no peer {wrong[0]!r}; there are {'; '.join(kind.name for kind in KINDS)}"
        )
    return arguments


def matches(kind: Kind, names: list[str]) -> bool:
    """Say whether a peer is meant by one of these names: its own, or its environment's."""
    return kind.name in names or kind.home in names


def measure(kind: Kind, arguments: argparse.Namespace, sets: Sets) -> Found:
    """Install one peer and take all measures; a failure is recorded in place of its figure."""
    found: Found = {
        "way": kind.way,
        "embedder": kind.embedder,
        "better": kind.better,
        "notes": list(kind.notes),
        "limit": arguments.limit,
        "at": time.strftime("%Y-%m-%d"),
    }
    try:
        placed = _installed(kind, arguments)
    except install.InstallError as error:
        return found | {"error": f"not installed: {error}"}
    found |= {
        "version": placed["version"],
        "install": {"mb": placed["mb"], "packages": placed["packages"]},
    }
    found["notes"] += [placed["note"]] if placed.get("note") else []
    room = arguments.work / "rooms" / kind.name.replace(" ", "-").replace(",", "")
    shutil.rmtree(room, ignore_errors=True)
    bench = Bench(
        _optioned(kind, arguments),
        arguments.work,
        room,
        sets,
        arguments.limit,
        arguments.seconds,
        arguments.runs,
        found=found,
    )
    for name in arguments.measures:
        if (name == "tools" and not kind.is_server) or (name == "offline" and not kind.model):
            continue
        began = time.monotonic()
        try:
            found[name] = MEASURES[name](bench)
        except (DriverError, OSError) as error:
            found[name] = {"error": str(error)}
        said = found[name].get("error", "")
        print(
            f"{kind.name}: {name}, {time.monotonic() - began:.1f} s {said}",
            file=sys.stderr,
            flush=True,
        )
        if name == "ingest" and said:
            found["error"] = said
            break
    shutil.rmtree(room, ignore_errors=True)
    return found


_PLACED: dict[str, Found] = {}


def _installed(kind: Kind, arguments: argparse.Namespace) -> Found:
    if kind.client != "given":
        if kind.home not in _PLACED:  # once a run: this checkout may change under it
            _PLACED[kind.home] = install.install(arguments.work, kind)
        return _PLACED[kind.home]
    if not arguments.original.exists():
        raise install.InstallError(f"there is no {arguments.original}")
    return {
        "version": "as given",
        "mb": round(arguments.original.stat().st_size / 1e6, 1),
        "packages": 1,
    }


def _optioned(kind: Kind, arguments: argparse.Namespace) -> Kind:
    if kind.client != "given":
        return kind
    from dataclasses import replace

    return replace(kind, options={"binary": str(arguments.original.resolve())})


def main() -> int:
    """Measure the peers asked for and show everything known so far."""
    arguments = options()
    if arguments.table:
        sys.stdout.write(markdown(json.loads(arguments.table.read_text(encoding="utf-8"))))
        return 0
    if arguments.plot:
        arguments.plot[1].write_text(
            plot(json.loads(arguments.plot[0].read_text(encoding="utf-8"))), encoding="utf-8"
        )
        return 0
    arguments.work = arguments.work.resolve()
    arguments.work.mkdir(parents=True, exist_ok=True)
    results: Found = (
        json.loads(arguments.results.read_text(encoding="utf-8"))
        if arguments.results.exists()
        else {"peers": {}}
    )
    sets = make(arguments.work, max(FIRST, arguments.limit))
    for kind in KINDS:
        is_known = (
            kind.name in results["peers"]
            and results["peers"][kind.name]["limit"] == arguments.limit
        )
        if (arguments.only and not matches(kind, arguments.only)) or (
            not arguments.only and is_known
        ):
            continue
        if kind.client == "given" and not arguments.original:
            continue
        found = json.dumps(measure(kind, arguments, sets)).replace(
            str(arguments.work), "WORK"
        )  # where it ran is nobody's business
        results["peers"][kind.name] = json.loads(found)
        results["peers"] = {
            each.name: results["peers"][each.name]
            for each in KINDS
            if each.name in results["peers"]
        }
        results["machine"] = machine()
        arguments.results.write_text(
            json.dumps(results, ensure_ascii=False, indent=1), encoding="utf-8"
        )
    show(results, text(results), arguments.json)
    return 0


if __name__ == "__main__":
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(143)
    )  # so that nothing it started is left behind
    sys.exit(main())
