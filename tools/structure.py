"""Print the size and structure of the source: statements, packages, cycles, complexity, lengths.

Size is counted in AST statements, because the number of lines depends on their width.

    python tools/structure.py            the figures as text
    python tools/structure.py --json     the same as one JSON object
"""

import argparse
import ast
import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_COMPLEXITY = 12
MAX_LINE = 100
# Parts whose insides later steps replace; their statements are counted apart. The operations on
# outlines are not among them.
APART = ("outline/", "truth/plain.py", "truth/injection.py", "capture/rules/")
NOT_APART = (
    "outline/operations.py",
    "outline/project_graph.py",
    "outline/memories.py",
    "outline/symbols.py",
    "outline/stale.py",
)

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Function:
    """A function of the source with its size."""

    place: str
    lines: int
    complexity: int


def complexity(function: ast.AST) -> int:
    """Return the cyclomatic complexity of a function, counted as ruff's C901 does.

    Nested functions count.
    """
    total = 1
    for node in ast.walk(function):
        if isinstance(
            node, (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.comprehension)
        ):
            total += 1
        elif isinstance(node, ast.Match):
            total += sum(not _is_wildcard(case) for case in node.cases)
        elif isinstance(node, _FUNCTIONS) and node is not function:
            total += 1
    return total


def _is_wildcard(case: ast.match_case) -> bool:
    return (
        isinstance(case.pattern, ast.MatchAs)
        and case.pattern.pattern is None
        and case.guard is None
    )


def functions(tree: ast.AST, path: str) -> Iterator[Function]:
    """Yield every function of a module."""
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Function(f"{path}:{node.lineno} {node.name}", lines, complexity(node))


def cycles(root: Path) -> list[list[str]]:
    """Return groups of modules that import each other, without imports for type checking."""
    import grimp

    graph = grimp.build_graph(root.name, exclude_type_checking_imports=True, cache_dir=None)
    links = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    return [sorted(group) for group in _components(links) if len(group) > 1]


def _components(links: dict[str, set[str]]) -> list[set[str]]:
    """Return the strongly connected components, by Kosaraju's two passes."""
    order: list[str] = []
    _visit_all(links, sorted(links), order.append)
    back: dict[str, set[str]] = defaultdict(set)
    for module, imported in links.items():
        for other in imported:
            back[other].add(module)
    seen: set[str] = set()
    groups = []
    for module in reversed(order):
        if module not in seen:
            group: list[str] = []
            _visit_all(back, [module], group.append, seen)
            groups.append(set(group))
    return groups


def _visit_all(
    links: dict[str, set[str]], starts: list[str], leave: Any, seen: set[str] | None = None
) -> None:
    seen = set() if seen is None else seen
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(sorted(links.get(start, ()))))]
        while stack:
            module, others = stack[-1]
            step = next((other for other in others if other not in seen), None)
            if step is None:
                leave(module)
                stack.pop()
            else:
                seen.add(step)
                stack.append((step, iter(sorted(links.get(step, ())))))


def measure(root: Path) -> dict[str, Any]:
    """Return all figures of the package in a folder."""
    statements: Counter[str] = Counter()
    found: list[Function] = []
    classes: dict[str, list[str]] = defaultdict(list)
    lines = long_lines = 0
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        lines += text.count("\n")
        long_lines += sum(len(line) > MAX_LINE for line in text.splitlines())
        part = "apart" if (name.startswith(APART) and name not in NOT_APART) else name.split("/")[0]
        statements[part] += sum(isinstance(node, ast.stmt) for node in ast.walk(tree))
        found += functions(tree, name)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(name)
    lengths = sorted(function.lines for function in found)
    return {
        "statements": sum(statements.values()) - statements["apart"],
        "statements_apart": statements["apart"],
        "lines": lines,
        "files": len(list(root.rglob("*.py"))),
        "packages": sum((folder / "__init__.py").exists() for folder in root.iterdir()),
        "cycles": cycles(root),
        "duplicate_classes": {
            name: places for name, places in sorted(classes.items()) if len(places) > 1
        },
        "functions": len(found),
        "function_lines": {
            "median": statistics.median(lengths),
            "p95": lengths[int(len(lengths) * 0.95)],
            "max": lengths[-1],
        },
        "complex": [
            f"{one.complexity} {one.place}" for one in found if one.complexity > MAX_COMPLEXITY
        ],
        "lines_over_100": long_lines,
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("root", nargs="?", type=Path, default=Path("src/ghostmem"))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = measure(given.root)
    if given.json:
        print(json.dumps(figures, indent=1))
        return
    for name, value in figures.items():
        shown = (
            len(value) if isinstance(value, (list, dict)) and name != "function_lines" else value
        )
        print(f"{name:20} {shown}")


if __name__ == "__main__":
    main()
