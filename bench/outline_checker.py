"""Score the calls of the outline against a compiler that names the declaration of each call.

The compiler's answer has one JSON array per line: calling file, line, called file, line of the
declaration, name, and whether the call surely leads there. A pair is a calling file and a called
declaration, by its file and first line. A pair that is not sure (a further overload, a variable
whose type is only a function type) is neither wanted nor wrong."""

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from tree_sitter import Language, Parser

from ghostmem.outline.graph import PROJECT, Linked
from ghostmem.outline.languages.base import Facts
from ghostmem.outline.languages.table import language_named, suffixes_of
from ghostmem.outline.sources import sources

MISSING_TOOL = 3  # the exit status of a script that cannot load its compiler


class Pair(NamedTuple):
    """A calling file and the declaration that it calls."""

    caller: str
    callee: str
    line: int

    def __str__(self) -> str:
        return f"{self.caller} -> {self.callee}:{self.line}"


class Compared(NamedTuple):
    """The pairs of a project: the compiler's, those that may be right as well, and the outline's.

    `names` has the compiler's name of a declaration, `unresolved` and `calls` are counts.
    """

    project: str
    sure: set[Pair]
    possible: set[Pair]
    ours: set[Pair]
    names: dict[Pair, str]
    unresolved: int
    calls: int


def asked(command: Sequence[str], root: Path, missing: str) -> list[list[Any]]:
    """Return the compiler's answer about a folder, kept in the folder for temporary files."""
    texts = [(str(one.relative_to(root)), one.read_bytes()) for one in _files(root)]
    mark = sha256(repr((command, texts)).encode()).hexdigest()[:16]
    answer = Path(tempfile.gettempdir()) / f"outline-truth-{root.name}-{mark}.jsonl"
    if not answer.exists():
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise RuntimeError(missing) from None
        if done.returncode:
            failure = f"{' '.join(command)}: {done.stderr.strip()[:2000]}"
            raise RuntimeError(missing if done.returncode == MISSING_TOOL else failure)
        answer.write_text(done.stdout, encoding="utf-8")
    return [json.loads(line) for line in answer.read_text(encoding="utf-8").splitlines()]


def _files(root: Path) -> list[Path]:
    return sorted(one for one in root.rglob("*") if one.is_file())


def compare(root: Path, language: str, answer: list[list[Any]]) -> Compared:
    """Outline a folder, and set its calls against the compiler's; no call at all is an error."""
    names = {Pair(one[0], one[2], one[3]): one[4] for one in answer}
    sure = {Pair(one[0], one[2], one[3]) for one in answer if one[5]}
    if not sure:
        raise RuntimeError(f"the compiler found no call inside {root}: there is nothing to score")
    linked = outline(root, language)
    calls = [one for one in linked.links if one.kind == "calls"]
    ours = {
        Pair(linked.nodes[one.start].file, end.file, end.line)
        for one in calls
        if (end := linked.nodes[one.end]).origin == PROJECT
    }
    unresolved = sum(1 for one in linked.loose if one.kind == "calls")
    project = root.parent.name if root.name in ("src", "lib") else root.name
    return Compared(
        project, sure, set(names) - sure, ours, names, unresolved, len(calls) + unresolved
    )


def outline(root: Path, language: str) -> Linked:
    """Extract and link the files of a language below a folder."""
    spoken = language_named(language)
    files: dict[str, Facts] = {}
    for name in sorted(sources(root, suffixes_of(spoken.name))[0]):
        source = (root / name).read_bytes()
        parser = Parser(Language(spoken.grammar(name)))
        files[name] = spoken.extract(parser.parse(source).root_node, source, name)

    def read(name: str) -> str | None:
        return (root / name).read_text(encoding="utf-8") if (root / name).is_file() else None

    return spoken.link(files, read)


def score(compared: Sequence[Compared]) -> dict[str, Any]:
    """Return precision and recall over projects, with a shuffled control, extras and misses.

    The strict precision takes possible pairs as wrong.
    """
    right = sum(len(one.ours & one.sure) for one in compared)
    ours = sum(len(one.ours) for one in compared)
    judged = sum(len(one.ours - one.possible) for one in compared)
    wanted = sum(len(one.sure) for one in compared)
    return {
        "truth": wanted,
        "found": ours,
        "precision": round(right / max(judged, 1), 4),
        "precision_strict": round(right / max(ours, 1), 4),
        "recall": round(right / wanted, 4),
        "shuffled": round(_shuffled(compared), 4),
        "unresolved": sum(one.unresolved for one in compared),
        "calls": sum(one.calls for one in compared),
        "extras": [
            str(pair) for one in compared for pair in sorted(one.ours - one.sure - one.possible)
        ],
        "misses": [
            f"{pair} {one.names[pair]}" for one in compared for pair in sorted(one.sure - one.ours)
        ],
    }


def _shuffled(compared: Sequence[Compared]) -> float:
    ours = sorted((one.project, pair) for one in compared for pair in one.ours)
    callees = [(pair.callee, pair.line) for _, pair in ours]
    random.Random(7).shuffle(callees)
    mixed = {
        (project, Pair(pair.caller, *callee))
        for (project, pair), callee in zip(ours, callees, strict=True)
    }
    wanted = {(one.project, pair) for one in compared for pair in one.sure}
    return len(mixed & wanted) / max(len(mixed), 1)


def scores(compare_one: Callable[[Path], Compared], folders: Sequence[str]) -> dict[str, Any]:
    """Return the score of each project, and that of all together."""
    compared = [compare_one(Path(one)) for one in folders]
    return {**{one.project: score([one]) for one in compared}, "together": score(compared)}


def show(compare_one: Callable[[Path], Compared], folders: Sequence[str]) -> None:
    """Print precision and recall per project and together, then extras and misses."""
    try:
        rows = scores(compare_one, folders)
    except RuntimeError as error:
        sys.exit(f"error: {error}")
    print(
        "| project | truth | precision (strict) | recall | shuffled | unresolved / calls |\n"
        "|---|---|---|---|---|---|"
    )
    for name, made in rows.items():
        print(
            f"| {name} | {made['truth']:,} | {made['precision']:.3f} "
            f"({made['precision_strict']:.3f}) | {made['recall']:.3f} | {made['shuffled']:.3f} | "
            f"{made['unresolved']:,} / {made['calls']:,} |"
        )
    del rows["together"]
    for name, made in rows.items():
        for kind in ("extras", "misses"):
            print(f"\n{name} {kind}:", *made[kind], sep="\n  ")
