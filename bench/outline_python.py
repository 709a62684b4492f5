"""Score the Python outline against jedi: `python -m bench.outline_python PATH...`.

The truth is what jedi's goto answers at every call and bare decorator, when that is a function or
class of the package. jedi is not the truth itself: it shares some blind spots, so recall is
relative to it, and extras are listed to be read."""

import ast
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from ghostmem.outline.graph import PROJECT, Linked
from ghostmem.outline.languages.base import Facts
from ghostmem.outline.languages.python import LANGUAGE

LABELS = Path(__file__).with_name("outline_labels.json")  # of requests 2.31.0
OUTSIDE = "unresolved/external"
Edge = tuple[str, str]  # path:qualified name of the caller, of the callee
Site = tuple[str, int, int]  # the caller, and where the called name stands


def score_python(path: Path) -> dict[str, Any]:
    """Return precision, recall relative to jedi, sizes, a control, extras and misses."""
    truth = {(one[0], one[1]): one[2] for one in jedi_edges(path)}
    if not truth:
        raise ValueError(
            f"jedi found no call inside {path}: there is nothing to score against; is the "
            "package below that folder?"
        )
    linked = outline(path)
    found = predicted(linked)
    wanted = set(truth)
    extras = set(found) - wanted
    right = len(found) - len(extras)
    by_value = jedi_values(path, {start for start, _ in extras}) & extras
    shuffled = list(found)
    ends = [end for _, end in shuffled]
    random.Random(7).shuffle(ends)
    control = {(start, end) for (start, _), end in zip(shuffled, ends, strict=True)}
    calls = [one for one in linked.loose if one.kind == "calls"]
    return {
        "package": path.name,
        "truth": len(wanted),
        "found": len(found),
        "precision": round((right + len(by_value)) / max(len(found), 1), 4),
        "precision_goto": round(right / max(len(found), 1), 4),
        "recall": round(right / len(wanted), 4),
        "control": round(len(wanted & control) / max(len(control), 1), 4),
        "unresolved": len(calls),
        "unresolved_with_namesake": sum(1 for one in calls if one.candidates),
        "calls": len(sites(path)),
        "extras": sorted(
            f"{start} -> {end} line {found[(start, end)]}" for start, end in extras - by_value
        ),
        "by_value": sorted(
            f"{start} -> {end} line {found[(start, end)]}" for start, end in by_value
        ),
        "misses": sorted(
            f"{start} -> {end} line {truth[(start, end)]}" for start, end in wanted - set(found)
        ),
    }


def score_labels(path: Path) -> dict[str, Any]:
    """Return how many calls labelled by hand the outline has right, and the wrong ones."""
    linked = outline(path)
    calls = [
        (linked.nodes[one.start], linked.nodes[one.end], one.line)
        for one in linked.links
        if one.kind == "calls"
    ]
    wrong: list[str] = []
    labels = json.loads(LABELS.read_text(encoding="utf-8"))["calls"]
    for one in labels:
        inside = [
            node
            for node in linked.nodes.values()
            if node.file == one["file"] and node.line <= one["line"] <= node.end_line
        ]
        owners = sorted(
            (node for node in inside if node.body and node.kind != "field"),
            key=lambda node: node.line,
        )
        owner = owners[-1].id if owners else f"{one['file']}#"
        if one["callee"] == OUTSIDE:
            word = one["text"].rsplit(".", 1)[-1]
            ends = [
                end.name
                for start, end, line in calls
                if start.id == owner and line == one["line"] and end.origin == PROJECT
            ]
            right = not any(end.rsplit(".", 1)[-1] == word for end in ends)
        else:
            right = any(
                start.id == owner and end.name.removesuffix(".__init__") == one["callee"]
                for start, end, _ in calls
            )
        if not right:
            wrong.append(f"{one['file']}:{one['line']} {one['text']} is {one['callee']}")
    inside_package = sum(1 for one in labels if one["callee"] != OUTSIDE)
    return {
        "labels": len(labels),
        "inside": inside_package,
        "right": len(labels) - len(wrong),
        "wrong": wrong,
    }


def sources(path: Path) -> list[Path]:
    """Return the Python files below a folder, without tests."""
    return sorted(one for one in path.rglob("*.py") if "tests" not in one.relative_to(path).parts)


def outline(path: Path) -> Linked:
    """Extract and link every file below a folder."""
    from tree_sitter import Language, Parser

    parser = Parser(Language(LANGUAGE.grammar("")))
    files: dict[str, Facts] = {}
    for one in sources(path):
        source, name = one.read_bytes(), one.relative_to(path).as_posix()
        files[name] = LANGUAGE.extract(parser.parse(source).root_node, source, name)
    return LANGUAGE.link(files, lambda _path: None)


def predicted(linked: Linked) -> dict[Edge, int]:
    """Return the calls between symbols of the project, and the line of each.

    A constructor is its class.
    """
    modules = {node.file: node.name for node in linked.nodes.values() if node.kind == "file"}
    found: dict[Edge, int] = {}
    for one in linked.links:
        start, end = linked.nodes[one.start], linked.nodes[one.end]
        if one.kind == "calls" and end.origin == PROJECT:
            names = [
                f"{node.file}:{node.name[len(modules[node.file]) + 1 :]}" for node in (start, end)
            ]
            found[(names[0], names[1].removesuffix(".__init__"))] = one.line
    return found


class _Sites(ast.NodeVisitor):
    """Collects calls with the innermost function or class that they run in.

    Defaults and decorators run outside of theirs.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.names: list[str] = []
        self.found: list[Site] = []
        self.defined: dict[int, str] = {}

    def _note(self, node: ast.expr) -> None:
        owner = f"{self.path}:{'.'.join(self.names)}"
        if isinstance(node, ast.Name):
            self.found.append((owner, node.lineno, node.col_offset))
        elif (
            isinstance(node, ast.Attribute)
            and node.end_lineno is not None
            and node.end_col_offset is not None
        ):
            self.found.append((owner, node.end_lineno, node.end_col_offset - len(node.attr)))

    def visit_Call(self, node: ast.Call) -> None:
        self._note(node.func)
        self.generic_visit(node)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for one in node.decorator_list:
            if not isinstance(one, ast.Call):
                self._note(one)
            self.visit(one)
        self.names.append(node.name)
        self.defined[node.lineno] = ".".join(self.names)
        for field, part in ast.iter_fields(node):
            if field in ("decorator_list", "name"):
                continue
            outside = field == "args"
            kept, self.names = self.names, self.names[:-1] if outside else self.names
            for one in part if isinstance(part, list) else [part]:
                if isinstance(one, ast.AST):
                    self.visit(one)
            self.names = kept
        self.names.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _define  # noqa: N815


def walked(path: Path) -> dict[str, _Sites]:
    """Return the calls and definitions of every file below a folder."""
    found = {}
    for one in sources(path):
        name = one.relative_to(path).as_posix()
        found[name] = _Sites(name)
        found[name].visit(ast.parse(one.read_bytes()))
    return found


def sites(path: Path) -> list[Site]:
    """Return every call below a folder."""
    return [site for one in walked(path).values() for site in one.found]


def jedi_edges(path: Path) -> list[tuple[str, str, int]]:
    """Return jedi's calls between symbols of the package.

    They are kept in the folder for temporary files.
    """
    named = [(str(one.relative_to(path)), one.read_bytes()) for one in sources(path)]
    mark = sha256(repr(named).encode()).hexdigest()[:16]
    kept = Path(tempfile.gettempdir()) / f"outline-truth-{path.name}-{mark}.json"
    if not kept.exists():
        kept.write_text(json.dumps(sorted(set(_ask(path)))), encoding="utf-8")
    return [(one[0], one[1], one[2]) for one in json.loads(kept.read_text(encoding="utf-8"))]


def _ask(path: Path) -> Iterator[tuple[str, str, int]]:
    path, files = path.resolve(), walked(path.resolve())
    for name, one in files.items():
        script = _script(path, name)
        for owner, line, column in one.found:
            for answer in _goto(script, line, column):
                callee = _place(path, files, answer) if answer.type in ("function", "class") else ""
                if callee:
                    yield owner, callee, line


def jedi_values(path: Path, owners: set[str]) -> set[Edge]:
    """Return the calls of variables by some callers, with the values that jedi infers."""
    path, files = path.resolve(), walked(path.resolve())
    found: set[Edge] = set()
    for name in sorted({one.split(":")[0] for one in owners}):
        script = _script(path, name)
        for owner, line, column in files[name].found:
            if owner not in owners or any(
                one.type in ("function", "class") for one in _goto(script, line, column)
            ):
                continue
            for answer in script.infer(line, column):
                callee = _place(path, files, answer)
                found.add((owner, f"{callee}.__call__" if answer.type == "instance" else callee))
    return found


def _script(path: Path, name: str) -> Any:
    jedi = import_module("jedi")

    own = [
        str(path),
        *(
            one
            for one in sys.path
            if one and "site-packages" not in one and Path(one) != Path.cwd()
        ),
    ]
    project = jedi.Project(str(path), sys_path=own, smart_sys_path=False)
    return jedi.Script(
        path=str(path / name), project=project, environment=jedi.InterpreterEnvironment()
    )


def _place(path: Path, files: dict[str, _Sites], answer: Any) -> str:
    """Return the place of jedi's answer, or None outside the package."""
    place = Path(answer.module_path) if answer.module_path is not None else Path()
    inside = place.relative_to(path).as_posix() if place.is_relative_to(path) else ""
    name = files[inside].defined.get(answer.line or 0, "") if inside in files else ""
    return f"{inside}:{name}".removesuffix(".__init__") if name else ""


def _goto(script: Any, line: int, column: int) -> list[Any]:
    try:
        return list(script.goto(line, column, follow_imports=True))
    except (
        RecursionError,
        AttributeError,
        ValueError,
        KeyError,
        TypeError,
    ) as error:  # jedi's own failures are not answers
        print(f"jedi failed at line {line}: {error!r}", file=sys.stderr)
        return []


def main() -> None:
    """Print a table, then extras and misses."""
    scores = [score_python(Path(one)) for one in sys.argv[1:]]
    print(
        "| package | truth | precision (goto only) | recall | control | unresolved / calls "
        "|\n|---|---|---|---|---|---|"
    )
    for one in scores:
        shown = (
            f"{one['truth']} | {one['precision']:.3f} ({one['precision_goto']:.3f}) | "
            f"{one['recall']:.3f} | {one['control']:.3f}"
        )
        shown += f" | {one['unresolved']}/{one['calls']}"
        print(f"| {one['package']} | {shown} |")
    for one in scores:
        for kind in ("extras", "by_value", "misses"):
            print(f"\n{one['package']} {kind}:", *one[kind], sep="\n  ")


if __name__ == "__main__":
    main()
