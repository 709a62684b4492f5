"""Build the wheel and the sdist reproducibly: `python tools/build.py`, or `make dist`.

The time is that of the commit, or SOURCE_DATE_EPOCH if it is set. hatchling sorts names and
normalises modes."""

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EARLIEST = 315_532_800  # 1980-01-01: a zip file knows no time before it


def commit_time(root: Path) -> int:
    """Return when the commit of a checkout was made.

    Outside a checkout, the earliest time there is.
    """
    command = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    except OSError:
        return EARLIEST
    is_own = (root / ".git").exists() and done.returncode == 0
    return max(EARLIEST, int(done.stdout)) if is_own else EARLIEST


def build(
    root: Path, out: Path, kinds: tuple[str, ...] = ("sdist", "wheel"), at: int | None = None
) -> list[Path]:
    """Build in a separate process, because hatchling reads the working folder.

    Return the files.
    """
    out = out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    when = at if at is not None else int(os.environ.get("SOURCE_DATE_EPOCH") or commit_time(root))
    code = (
        "import sys, hatchling.build as b; print(*(getattr(b, "
        "f'build_{kind}')(sys.argv[1]) for kind in sys.argv[2:]))"
    )
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(when)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(out), *kinds],
        cwd=root,
        env=env,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise RuntimeError(
            f"the build ended with {done.returncode}: {said[-1] if said else 'it said nothing'}"
        )
    return [out / name for name in done.stdout.decode().split()[-len(kinds) :]]


def digest(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def main() -> int:
    """Build, and print the files with size and digest."""
    parser = argparse.ArgumentParser(
        description="Build the wheel and the sdist, the same bytes each time."
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder for the files")
    for path in build(ROOT, parser.parse_args().out):
        print(f"{digest(path)}  {path.name}  {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
