"""Score the TypeScript or JavaScript outline against the TypeScript checker.

`python -m bench.outline_ecma typescript|javascript DIR...`; it needs node and the npm package
typescript, in the folder that TYPESCRIPT names or where node finds it. Packages that a project
imports need not be installed: calls of them are not scored."""

import os
import sys
from pathlib import Path

from bench.outline_checker import Compared, asked, compare, show

TRUTH = Path(__file__).with_name("outline_truth.js")
MISSING = (
    "the TypeScript checker is needed: install node, then `npm install typescript@5.5`, and name "
    "the package's folder with TYPESCRIPT=.../node_modules/typescript"
)


def compared(root: Path, language: str) -> Compared:
    """Ask the checker and the outline for the calls of a project."""
    root = root.resolve()
    checker = os.environ.get("TYPESCRIPT") or "typescript"
    command = ["node", str(TRUTH), checker, str(root), language]
    return compare(root, language, asked(command, root, MISSING))


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("typescript", "javascript"):
        sys.exit("usage: python -m bench.outline_ecma typescript|javascript DIR...")
    show(lambda root: compared(root, sys.argv[1]), sys.argv[2:])
