"""Score the calls that the outline finds in Go code against x/tools `callgraph -algo=static`.

An edge is a distinct pair of caller and callee, both in the packages asked for and in files of this build; calls made inside
closures count for the function around them. Calls through interfaces are no static calls, so they are not scored.

Since x/tools rewrote `static`, it does not look into closures that are only passed on, so true calls in them count as extras. The
same tool's `cha` looks into them, and marks which of its edges are static: "complete" scores against both together.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from tree_sitter import Language, Parser

from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import Linked
from ghostmem.outline.languages.go import LANGUAGE

Edge = tuple[str, str]
TOOL = "golang.org/x/tools/cmd/callgraph@latest"


@cache
def callgraph_tool() -> Path:
    """Return the tool that knows the truth; it is installed outside the repository."""
    folder = Path(tempfile.gettempdir()) / "ghost-outline-go"
    tool = folder / "callgraph"
    if not tool.exists():
        _go(["install", TOOL], folder.parent, {"GOBIN": str(folder), "GOFLAGS": "-mod=mod"})
    return tool


def _go(words: list[str], where: Path, more: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        ["go", *words], cwd=where, env={**os.environ, **(more or {})}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"go {' '.join(words)} in {where}: {done.stderr.strip()[:2000]}")
    return done.stdout


def listed(path: Path, packages: list[str]) -> list[dict[str, Any]]:
    """Return what the go command says of packages: their import paths, folders and files of this build."""
    text = _go(["list", "-json=ImportPath,Dir,GoFiles,CgoFiles", *packages], path)
    found, at, decoder = [], 0, json.JSONDecoder()
    while at < len(text.rstrip()):
        one, at = decoder.raw_decode(text, at)
        found.append(one)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


def truth(path: Path, packages: list[str], algorithm: str = "static") -> set[Edge]:
    """Return the static edges that the type checker finds; none at all is an error."""
    names = [one["ImportPath"] for one in listed(path, packages)]
    command = [str(callgraph_tool()), f"-algo={algorithm}", "-format={{.Caller}}\t{{.Callee}}\t{{.Dynamic}}", *packages]
    done = subprocess.run(command, cwd=path, capture_output=True, text=True, check=False)
    found = set()
    for line in done.stdout.splitlines():
        caller, callee, dynamic = line.split("\t")
        if "$" in callee or dynamic != "static":
            continue
        edge = known_as(caller, names), known_as(callee, names)
        if edge[0] and edge[1] and not (_init(edge[0]) and _init(edge[1])):
            found.add((edge[0], edge[1]))
    if not found:
        raise RuntimeError(f"empty truth for {packages} in {path}: {done.stderr.strip()[:2000]}")
    return found


def _init(name: str) -> bool:
    return name.endswith(".init")


def known_as(name: str, packages: list[str]) -> str:
    """Return the outline's full name for a function of the tool's, or nothing when it is of none of the packages."""
    name = re.sub(r"#\d+", "", name.split("$", maxsplit=1)[0])
    while "[" in name:
        shorter = re.sub(r"\[[^\[\]]*\]", "", name)
        if shorter == name:
            break
        name = shorter
    star = name.startswith("(*")
    method = name.startswith("(")
    bare = name.removeprefix("(*" if star else "(")
    package = max((one for one in packages if bare.startswith(f"{one}.")), key=len, default="")
    rest = bare[len(package) + 1 :]
    if not package or "/" in rest:
        return ""
    owner, _, last = rest.partition(").")
    if not method:
        return f"{package}.{rest}"
    return f"{package}.(*{owner}).{last}" if star else f"{package}.{owner}.{last}"


def outlined(path: Path, packages: list[dict[str, Any]]) -> Linked:
    """Return the outline of all Go files of packages, tests and files of other builds too."""
    parser = Parser(Language(LANGUAGE.grammar("x.go")))
    files: dict[str, Facts] = {}
    for one in packages:
        for file in sorted(Path(one["Dir"]).glob("*.go")):
            source = file.read_bytes()
            name = file.relative_to(path).as_posix()
            files[name] = LANGUAGE.extract(parser.parse(source).root_node, source, name)

    def read(name: str) -> str | None:
        return (path / name).read_text(encoding="utf-8") if (path / name).is_file() else None

    return LANGUAGE.link(files, read)


def predicted(linked: Linked, built: dict[str, str]) -> set[Edge]:
    """Return the static calls that the outline has, between files of this build; `built` gives a file's package."""
    found = set()
    for one in linked.links:
        start, end = linked.nodes[one.start], linked.nodes[one.end]
        if one.kind != "calls" or one.via == "interface" or start.file not in built or end.file not in built:
            continue
        caller = f"{built[start.file]}.init" if start.kind == "file" else start.full
        found.add((caller, end.full))
    return found


def ratio(part: Iterable[Edge], whole: set[Edge]) -> float:
    """Return which share of a set is in another; 1 when there is nothing."""
    return len(whole & set(part)) / len(whole) if whole else 1.0


def score_go(path: Path, packages: list[str]) -> dict[str, Any]:
    """Return precision and recall within and across packages, with the extras and misses to be read by hand."""
    path = path.resolve()
    packages = packages or ["./..."]
    known = listed(path, packages)
    built = {
        (Path(one["Dir"]) / file).relative_to(path).as_posix(): one["ImportPath"]
        for one in known
        for file in one.get("GoFiles", []) + one.get("CgoFiles", [])
    }
    right = truth(path, packages)
    complete = right | truth(path, packages, "cha")
    linked = outlined(path, known)
    ours = predicted(linked, built)
    names = [one["ImportPath"] for one in known]
    loose = [one for one in linked.loose if one.kind == "calls" and linked.nodes[one.owner].file in built]
    calls = [one for one in linked.links if one.kind == "calls" and linked.nodes[one.start].file in built]
    return {
        "packages": names,
        "within": _scores(right, ours, names, True),
        "across": _scores(right, ours, names, False),
        "complete": {"within": _scores(complete, ours, names, True), "across": _scores(complete, ours, names, False)},
        "unresolved": len(loose),
        "unresolved_with_candidates": sum(1 for one in loose if one.candidates),
        "calls": len(calls) + len(loose),
        "shuffled": shuffled(right, ours),
        "extras": sorted(ours - right),
        "extras_complete": sorted(ours - complete),
        "misses": sorted(complete - ours),
    }


def _scores(right: set[Edge], ours: set[Edge], names: list[str], same: bool) -> dict[str, Any]:
    wanted = {one for one in right if _same(one, names) is same}
    given = {one for one in ours if _same(one, names) is same}
    return {"truth": len(wanted), "found": len(given), "precision": ratio(wanted, given), "recall": ratio(given, wanted)}


def _same(edge: Edge, names: list[str]) -> bool:
    caller, callee = (max((one for one in names if part.startswith(f"{one}.")), key=len, default="") for part in edge)
    return caller == callee


def shuffled(right: set[Edge], ours: set[Edge]) -> float:
    """Return the precision of our own callers with their callees shuffled: what a scorer that cannot tell would not show."""
    callees = [callee for _, callee in sorted(ours)]
    random.Random(7).shuffle(callees)
    mixed = {(caller, callee) for (caller, _), callee in zip(sorted(ours), callees, strict=True)}
    return ratio(right, mixed)


def row(label: str, scored: dict[str, Any]) -> str:
    """Return one line of the table."""
    shown = (scored["within"], scored["across"], scored["complete"]["within"], scored["complete"]["across"])
    parts = [f"{one['truth']:>6} {one['precision']:.4f} {one['recall']:.4f}" for one in shown]
    return f"{label:<24} {' | '.join(parts)} | {scored['unresolved']:>5}/{scored['calls']:<6} {scored['shuffled']:.3f}"


def main() -> None:
    """Score the packages named after a folder, and list what differs."""
    folder, *packages = sys.argv[1:]
    scored = score_go(Path(folder), packages)
    print("package; truth, precision, recall within | across | complete within | across | unresolved of calls; shuffled")
    print(row(packages[0], scored))
    for what in ("extras_complete", "misses"):
        for caller, callee in scored[what]:
            print(f"{what}: {caller} -> {callee}")


if __name__ == "__main__":
    main()
