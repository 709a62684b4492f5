"""Score the calls that the outline finds in Go code against x/tools `callgraph -algo=static`.

`python -m bench.outline_go [--callgraph TOOL] DIR[:PKG,…] …`; the `go` that the tool needs must
come first on the PATH.

An edge is a distinct pair of caller and callee, both in the packages asked for and in files of this
build; calls made inside closures count for the function around them. Calls through interfaces are
no static calls, so they are not scored.

Since x/tools rewrote `static`, it does not look into closures that are only passed on, so true
calls in them count as extras. Up to 0.5 (Debian's golang-golang-x-tools, with Go 1.19) it looked
everywhere, so that one is the better truth. Of a newer tool `cha` looks into them too, and marks
which of its edges are static: "complete" scores against both together."""

import argparse
import json
import os
import random
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tree_sitter import Language, Parser

from ghostmem.outline.graph import Linked
from ghostmem.outline.languages.base import Facts
from ghostmem.outline.languages.go import LANGUAGE

Edge = tuple[str, str]
TOOL = "golang.org/x/tools/cmd/callgraph@latest"


@dataclass(frozen=True)
class Compared:
    """The edges of the type checker and of the outline for some packages.

    `built` gives the package of each file of this build.
    """

    names: list[str]
    built: dict[str, str]
    right: set[Edge]
    complete: set[Edge]
    ours: set[Edge]
    linked: Linked


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
        ["go", *words],
        cwd=where,
        env={**os.environ, **(more or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"go {' '.join(words)} in {where}: {done.stderr.strip()[:2000]}")
    return done.stdout


def listed(path: Path, packages: list[str]) -> list[dict[str, Any]]:
    """Return the import paths, folders and files of packages, as the go command lists them."""
    text = _go(["list", "-json=ImportPath,Dir,GoFiles,CgoFiles", *packages], path)
    found, at, decoder = [], 0, json.JSONDecoder()
    while at < len(text.rstrip()):
        one, at = decoder.raw_decode(text, at)
        found.append(one)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


def truth(path: Path, packages: list[str], algorithm: str, tool: Path) -> set[Edge]:
    """Return the static edges that the type checker finds; none at all is an error."""
    names = [one["ImportPath"] for one in listed(path, packages)]
    command = [
        str(tool),
        f"-algo={algorithm}",
        "-format={{.Caller}}\t{{.Callee}}\t{{.Dynamic}}",
        *packages,
    ]
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
    """Return the outline's full name for a function of the tool; empty outside the packages."""
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
    """Return the outline of all Go files of packages, including tests and other builds."""
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
    """Return the static calls that the outline has, between files of this build.

    `built` gives a file's package.
    """
    found = set()
    for one in linked.links:
        start, end = linked.nodes[one.start], linked.nodes[one.end]
        if (
            one.kind != "calls"
            or one.via == "interface"
            or start.file not in built
            or end.file not in built
        ):
            continue
        caller = f"{built[start.file]}.init" if start.kind == "file" else start.full
        found.add((caller, end.full))
    return found


def ratio(part: Iterable[Edge], whole: set[Edge]) -> float:
    """Return which share of a set is in another; 1 when there is nothing."""
    return len(whole & set(part)) / len(whole) if whole else 1.0


def compare(path: Path, packages: list[str], tool: Path | None = None) -> Compared:
    """Ask the type checker and the outline for the calls of packages.

    The newest tool is installed when none is named.
    """
    path = path.resolve()
    packages = packages or ["./..."]
    tool = tool or callgraph_tool()
    known = listed(path, packages)
    built = {
        (Path(one["Dir"]) / file).relative_to(path).as_posix(): one["ImportPath"]
        for one in known
        for file in one.get("GoFiles", []) + one.get("CgoFiles", [])
    }
    right = truth(path, packages, "static", tool)
    linked = outlined(path, known)
    complete = right | truth(path, packages, "cha", tool)
    return Compared(
        [one["ImportPath"] for one in known],
        built,
        right,
        complete,
        predicted(linked, built),
        linked,
    )


def score_go(path: Path, packages: list[str], tool: Path | None = None) -> dict[str, Any]:
    """Return precision and recall within and across packages, with extras and misses."""
    return score(compare(path, packages, tool))


def score(one: Compared) -> dict[str, Any]:
    """Return the scores of one comparison."""
    loose = [
        ref
        for ref in one.linked.loose
        if ref.kind == "calls" and one.linked.nodes[ref.owner].file in one.built
    ]
    calls = [
        link
        for link in one.linked.links
        if link.kind == "calls" and one.linked.nodes[link.start].file in one.built
    ]
    return {
        "packages": one.names,
        "edges": len(one.right),
        "precision": ratio(one.right, one.ours),
        "recall": ratio(one.ours, one.right),
        **_both(one.right, one),
        "complete": _both(one.complete, one),
        "unresolved": len(loose),
        "unresolved_with_candidates": sum(1 for ref in loose if ref.candidates),
        "calls": len(calls) + len(loose),
        "shuffled": shuffled([one]),
        "extras": sorted(one.ours - one.right),
        "extras_complete": sorted(one.ours - one.complete),
        "misses": sorted(one.complete - one.ours),
    }


def _both(right: set[Edge], one: Compared) -> dict[str, Any]:
    return {
        name: _scores(right, one.ours, one.names, same)
        for name, same in (("within", True), ("across", False))
    }


def _scores(right: set[Edge], ours: set[Edge], names: list[str], same: bool) -> dict[str, Any]:
    wanted = {one for one in right if _same(one, names) is same}
    given = {one for one in ours if _same(one, names) is same}
    return {
        "truth": len(wanted),
        "found": len(given),
        "precision": ratio(wanted, given),
        "recall": ratio(given, wanted),
    }


def _same(edge: Edge, names: list[str]) -> bool:
    caller, callee = (
        max((one for one in names if part.startswith(f"{one}.")), key=len, default="")
        for part in edge
    )
    return caller == callee


def shuffled(all_of_them: Sequence[Compared]) -> float:
    """Return the precision with shuffled callees, as a control.

    In a small package a few functions are called by most, so that chance hits; over all packages
    together it cannot."""
    ours = sorted({edge for one in all_of_them for edge in one.ours})
    callees = [callee for _, callee in ours]
    random.Random(7).shuffle(callees)
    mixed = {(caller, callee) for (caller, _), callee in zip(ours, callees, strict=True)}
    return ratio({edge for one in all_of_them for edge in one.right}, mixed)


def row(label: str, scored: dict[str, Any]) -> str:
    """Return one line of the table."""
    shown = (
        scored["within"],
        scored["across"],
        scored["complete"]["within"],
        scored["complete"]["across"],
    )
    parts = [f"{one['truth']:>6} {one['precision']:.4f} {one['recall']:.4f}" for one in shown]
    return (
        f"{label:<24} {' | '.join(parts)} | "
        f"{scored['unresolved']:>5}/{scored['calls']:<6} {scored['shuffled']:.3f}"
    )


def main() -> None:
    """Score the packages of some folders, with a control over all, and list the differences."""
    parser = argparse.ArgumentParser(prog="python -m bench.outline_go", description=__doc__)
    parser.add_argument(
        "--callgraph",
        type=Path,
        metavar="TOOL",
        help="the program callgraph; else the newest is installed",
    )
    parser.add_argument(
        "folders", nargs="+", metavar="DIR[:PKG,…]", help="a Go module, and packages of it"
    )
    arguments = parser.parse_args()
    found: list[Compared] = []
    print(
        "package; truth, precision, recall within | across | complete within | across | "
        "unresolved of calls; shuffled"
    )
    for one in arguments.folders:
        folder, _, packages = one.partition(":")
        found.append(
            compare(Path(folder), packages.split(",") if packages else [], arguments.callgraph)
        )
        scored = score(found[-1])
        print(
            row(
                ", ".join(scored["packages"][:2]) + ("…" if len(scored["packages"]) > 2 else ""),
                scored,
            )
        )
        for what in ("extras", "misses"):
            for caller, callee in scored[what]:
                print(f"  {what}: {caller} -> {callee}")
    edges = sum(len(one.right) for one in found)
    print(f"shuffled control over all {edges:,} edges: {shuffled(found):.3f}")


if __name__ == "__main__":
    main()
