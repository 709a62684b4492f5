"""`tools/structure.py`: the size and structure of the source, with the standard library only."""

import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "structure.py"


def test_structure_measures_a_package_without_installed_packages(tmp_path: Path) -> None:
    """Executed strings count, and an import for type checking closes a cycle."""
    package, tests = tmp_path / "sample", tmp_path / "tests"
    package.mkdir()
    tests.mkdir()
    (package / "__init__.py").write_text("exec('a = 1; b = 2')\n")
    (package / "user.py").write_text("from sample.owner import User\n")
    (package / "owner.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from sample import user\n"
        "def name(found, path): ...\n"
    )
    (tests / "test_user.py").write_text("def test_user():\n    pass\n")
    command = [sys.executable, "-I", "-S", str(TOOL), str(package), "--tests", str(tests), "--json"]
    figures = json.loads(subprocess.check_output(command))
    assert figures == {
        "statements": 9,
        "packages": {"__init__.py": 3, "owner.py": 5, "user.py": 1},
        "test_lines": 2,
        "cycles": [["sample.owner", "sample.user"]],
        "complex": [],
        "vague_names": 0.5,
    }


def test_a_package_that_grew_fails_the_check(tmp_path: Path) -> None:
    """The message names it with both numbers; a package without a number fails too."""
    package, limits = tmp_path / "sample", tmp_path / "limits.txt"
    package.mkdir()
    (package / "small.py").write_text("a = 1\n")
    (package / "large.py").write_text("a = 1\nb = 2\n")
    command = [sys.executable, "-I", "-S", str(TOOL), str(package), "--limits", str(limits)]
    limits.write_text("small.py 1\nlarge.py 2\n")
    assert subprocess.run(command, check=False).returncode == 0
    limits.write_text("large.py 1\n")
    failed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[:2] == [
        "large.py: 2 statements, 1 recorded",
        "small.py: 1 statements, none recorded",
    ]
