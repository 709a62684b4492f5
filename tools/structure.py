"""Print the size and structure of the source. Needs only the standard library.

Size is counted in AST statements, because the number of lines depends on their width. String
literals that are executed count like other code: arguments of `exec`, `eval` and `compile`, direct
or as a constant of the module. Source that is put together at run time cannot be seen (the one-line
`__init__` of `frozen.py`). Data files do not count.

    python tools/structure.py            the figures as text
    python tools/structure.py --json     the same as one JSON object
    python tools/structure.py --limits tools/statements.txt    fail if a package has grown

The limits are the sizes of today. A change that needs more raises a number there, in its own diff;
one that needs less lowers it.
"""

import argparse
import ast
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MAX_COMPLEXITY = 12
VAGUE = set(
    "one other others found told held given made which said kept known there where many both left"
    " rest whole named met shown taken theirs mine own at".split()
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler)


def statements(tree: ast.AST) -> int:
    """Return the number of statements, those in executed strings included."""
    return sum(
        isinstance(node, ast.stmt)
        for part in (tree, *_executed_strings(tree))
        for node in ast.walk(part)
    )


def _executed_strings(tree: ast.AST) -> Iterator[ast.AST]:
    constants = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in ast.walk(tree):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id in ("exec", "eval", "compile")
            and call.args
        ):
            source: ast.AST | None = call.args[0]
            if isinstance(source, ast.Name):
                source = constants.get(source.id)
            if isinstance(source, ast.Constant) and isinstance(source.value, str):
                yield ast.parse(source.value)


def complexity(function: ast.AST) -> int:
    """Return the cyclomatic complexity, counted as ruff's C901 does; nested functions count."""
    return sum(
        isinstance(node, (*BRANCHES, *FUNCTIONS))
        or (isinstance(node, ast.Try) and bool(node.orelse))
        or (isinstance(node, ast.match_case) and not _is_wildcard(node))
        for node in ast.walk(function)
    )


def _is_wildcard(case: ast.match_case) -> bool:
    pattern = case.pattern
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None and case.guard is None


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names of parameters, assignments and loop variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def cycles(trees: dict[str, ast.AST]) -> list[list[str]]:
    """Return groups of modules that import each other, in functions or for type checking too."""
    imports = {module: set(_imported(module, trees)) - {module} for module in trees}
    reachable = {module: _reachable(module, imports) for module in trees}
    groups = {
        tuple(sorted(target for target in reachable[module] if module in reachable[target]))
        for module in trees
        if module in reachable[module]
    }
    return [list(group) for group in sorted(groups)]


def _imported(module: str, trees: dict[str, ast.AST]) -> Iterator[str]:
    for node in ast.walk(trees[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in trees)
        elif isinstance(node, ast.ImportFrom) and node.module in trees:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                yield submodule if submodule in trees else node.module


def _reachable(start: str, imports: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = imports[waiting.pop()] - reached
        reached |= fresh
        waiting += fresh
    return reached


def measure(root: Path, tests: Path) -> dict[str, Any]:
    """Return all figures of the package in one folder and its tests in another."""
    trees = {
        path.relative_to(root.parent).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*.py"))
    }
    packages: Counter[str] = Counter()
    for path, tree in trees.items():
        packages[path.split("/")[1]] += statements(tree)
    names = Counter(name for tree in trees.values() for name in bound_names(tree))
    return {
        "statements": packages.total(),
        "packages": dict(sorted(packages.items())),
        "test_lines": sum(path.read_bytes().count(b"\n") for path in tests.rglob("*.py")),
        "cycles": cycles(
            {
                path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): tree
                for path, tree in trees.items()
            }
        ),
        "complex": [
            f"{path}:{node.lineno} {node.name} {complexity(node)}"
            for path, tree in trees.items()
            for node in ast.walk(tree)
            if isinstance(node, FUNCTIONS) and complexity(node) > MAX_COMPLEXITY
        ],
        "vague_names": round(sum(names[name] for name in VAGUE) / names.total(), 4),
    }


def grown(packages: dict[str, int], limits: str) -> list[str]:
    """Return the packages with more statements than their recorded number, or without one."""
    recorded = dict(line.split() for line in limits.splitlines())
    return [
        f"{name}: {count} statements, {recorded.get(name, 'none')} recorded"
        for name, count in packages.items()
        if count > int(recorded.get(name, 0))
    ]


def main() -> None:
    """Print the figures, or compare the sizes with the recorded ones."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path("src/ghostmem"))
    parser.add_argument("--tests", type=Path, default=Path("tests"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--limits", type=Path)
    options = parser.parse_args()
    figures = measure(options.root, options.tests)
    if options.limits:
        if larger := grown(figures["packages"], options.limits.read_text(encoding="utf-8")):
            sys.exit(
                "\n".join((*larger, f"make it smaller, or raise the number in {options.limits}"))
            )
        return
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    for name, value in figures.items():
        print(f"{name:20} {len(value) if isinstance(value, (list, dict)) else value}")
        if isinstance(value, dict):
            value = [f"{part:18} {count}" for part, count in value.items()]
        for line in value if isinstance(value, list) else ():
            print(f"  {line if isinstance(line, str) else ' '.join(line)}")


if __name__ == "__main__":
    main()
