"""python -m bench.outline: accuracy and speed of the code outline, on sources given by path.

Go is compared with `callgraph -algo=static` of golang.org/x/tools (named with --callgraph), Python
with jedi, TypeScript and JavaScript with the TypeScript checker, Java with javac; a shuffled
control must score near zero, and an empty reference is an error. Nothing is downloaded."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.child import ROOT, plain_env
from bench.report import machine, show, table

_SPEED = """
import json, resource, sys, time
from ghostmem import Ghost, Settings
from ghostmem.outline.languages.table import suffixes_of
from ghostmem.outline.sources import sources
from pathlib import Path
store, root, language = sys.argv[1:]
files = sources(Path(root), suffixes_of(language))[0]
with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
    costs = []
    for _ in range(2):
        began = time.process_time()
        made = ghost.outline.project(language, root=root, depth=0, max_nodes=1)
        costs.append(time.process_time() - began)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == \
"darwin" else 1024)
size = sum(stat.size for stat in files.values()) / 1e6
print(json.dumps({"files": len(files), "mb": round(size, 2), "first_s": round(costs[0], 2),
    "again_s": round(costs[1], 3), "peak_mb": round(peak), "parsed": made.data["stats"]["files"]}))
"""
CHECKED = ("typescript", "javascript", "java")  # languages with a compiler that names declarations
Row = tuple[str, str, str, str]


def speed(root: Path, language: str) -> tuple[dict[str, Any], list[Row]]:
    """Outline a project twice in a new process, and again in another with a filled cache."""
    with tempfile.TemporaryDirectory(prefix="ghost-outline-") as folder:
        command = [sys.executable, "-c", _SPEED, str(Path(folder, "store.db")), str(root), language]
        runs = [
            json.loads(
                subprocess.run(
                    command, env=plain_env(), cwd=ROOT, capture_output=True, check=True, text=True
                ).stdout
            )
            for _ in range(2)
        ]
    cold, warm = runs
    data = {
        **cold,
        "mb_per_s": round(cold["mb"] / cold["first_s"], 2),
        "cached_s": warm["first_s"],
        "cached_peak_mb": warm["peak_mb"],
    }
    name = f"{root.name}, {language}, {cold['files']:,} files, {cold['mb']} MB"
    rows = [
        (f"{name}: first time", f"{cold['first_s']} s", f"{data['mb_per_s']} MB/s", ">= 1 MB/s"),
        (
            f"{name}: from the cache, new process",
            f"{warm['first_s']} s",
            f"{warm['peak_mb']:,} MB",
            "< 1 s",
        ),
        (f"{name}: again in the same process", f"{cold['again_s']} s", "", "< 1 s"),
        (f"{name}: peak memory", f"{cold['peak_mb']:,} MB", "", "< 500 MB"),
    ]
    return data, rows


def main() -> int:
    """Run the requested measurements and print the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.outline", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument(
        "--go",
        action="append",
        default=[],
        metavar="DIR[:PKG,…]",
        help="a Go module, and packages of it",
    )
    parser.add_argument(
        "--callgraph",
        type=Path,
        metavar="TOOL",
        help="the program callgraph; else the newest is installed",
    )
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="DIR",
        help="the folder that holds a Python package",
    )
    for language in CHECKED:
        parser.add_argument(
            f"--{language}", action="append", default=[], metavar="DIR", help="a project's sources"
        )
    parser.add_argument(
        "--speed",
        action="append",
        default=[],
        metavar="LANGUAGE:DIR",
        help="a project to outline cold and warm",
    )
    arguments = parser.parse_args()
    found: dict[str, Any] = {}
    rows: list[Row] = []
    for one in arguments.go:
        from bench.outline_go import score_go

        folder, _, packages = one.partition(":")
        named = packages.split(",") if packages else []
        _add(
            found,
            rows,
            f"go {' '.join([Path(folder).name, *named[:2]])}",
            partial(score_go, Path(folder), named, arguments.callgraph),
        )
    for one in arguments.python:
        from bench.outline_python import score_python

        _add(found, rows, f"python {Path(one).name}", partial(score_python, Path(one)))
    for language in CHECKED:
        if folders := getattr(arguments, language):
            for name, made in _checked(language, folders).items():
                _add(found, rows, f"{language} {name}", partial(dict, made))
    for one in arguments.speed:
        language, _, folder = one.partition(":")
        found[f"speed {one}"], more = speed(Path(folder), language)
        rows += more
    if not found:
        parser.error("give something to measure: a language such as --go, or --speed")
    show(
        {**found, "machine": machine()}, table(("what", "figure", "", "aim"), rows), arguments.json
    )
    return 0


def _checked(language: str, folders: list[str]) -> dict[str, Any]:
    from bench import outline_ecma, outline_java
    from bench.outline_checker import scores

    ecma = partial(outline_ecma.compared, language=language)
    return scores(outline_java.compared if language == "java" else ecma, folders)


def _add(
    found: dict[str, Any], rows: list[Row], name: str, score: Callable[[], dict[str, Any]]
) -> None:
    made = found[name] = score()
    for key, value in made.items():
        if isinstance(value, float | int) and not isinstance(value, bool):
            rows.append(
                (
                    f"{name}: {key.replace('_', ' ')}",
                    f"{value:.3f}" if isinstance(value, float) else f"{value:,}",
                    "",
                    "",
                )
            )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:  # a tool is missing, or has nothing to say
        sys.exit(f"error: {error}")
