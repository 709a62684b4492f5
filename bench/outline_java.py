"""Score the Java outline against javac: `python -m bench.outline_java DIR...`.

It needs a JDK of version 17 or later. Libraries that a project needs are missing, so calls whose
receiver or arguments have types of theirs may be missing in the truth."""

import sys
from pathlib import Path

from bench.outline_checker import Compared, asked, compare, show

TRUTH = Path(__file__).with_name("OutlineTruth.java")
MISSING = "a JDK of version 17 or later is needed: `apt-get install openjdk-17-jdk-headless`"


def compared(root: Path) -> Compared:
    """Ask javac and the outline for the calls of a project."""
    root = root.resolve()
    return compare(root, "java", asked(["java", str(TRUTH), str(root)], root, MISSING))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m bench.outline_java DIR...")
    show(compared, sys.argv[1:])
