"""Measure redaction of secrets and look-alikes: `python -m bench.secrets [--path FILE] [--json]`.

Each line of the file is {"text", "shape", "secret"}; a line without "secret" is a look-alike. A
secret counts as redacted when the stored text holds no five consecutive characters of it that do
not also stand elsewhere in the text. A look-alike counts as changed when the stored text differs
from the text that was put."""

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.report import show, table
from ghostmem import Ghost
from ghostmem.settings import Settings

DATA = Path(__file__).parent / "data" / "secrets_dev.jsonl"
_PLACEHOLDER = re.compile(r"\[redacted: [a-z0-9 .-]+\]")
MAX_LEFT = 4  # characters of a secret that may be left in a row
Line = dict[str, str]


def read_lines(path: Path) -> list[Line]:
    """Read the texts of a file; none at all is a mistake."""
    lines: list[Line] = [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    if not lines:
        raise SystemExit(f"{path} holds no texts")
    return lines


def leftover(text: str, secret: str, stored: str) -> str:
    """Return the first part of a secret that a stored text still contains, or an empty text."""
    around, stored = text.replace(secret, "\n"), _PLACEHOLDER.sub("\n", stored)
    size = min(MAX_LEFT + 1, len(secret))
    pieces = (secret[at : at + size] for at in range(len(secret) - size + 1))
    return next((piece for piece in pieces if piece in stored and piece not in around), "")


def measure(lines: Sequence[Line]) -> dict[str, Any]:
    """Put every text into a store in memory and compare the stored texts."""
    secrets = {"total": 0, "redacted": 0}
    look_alikes = {"total": 0, "changed": 0}
    shapes: dict[str, dict[str, int]] = {}
    failures: list[Line] = []
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        for number, line in enumerate(lines):
            ghost.put("agent:bench", f"t{number}", line["text"])
            stored = ghost.get("agent:bench", f"t{number}").content
            secret = line.get("secret")
            if secret is None:
                failed = stored != line["text"]
                look_alikes["total"] += 1
                look_alikes["changed"] += failed
            else:
                failed = bool(leftover(line["text"], secret, stored))
                secrets["total"] += 1
                secrets["redacted"] += not failed
            row = shapes.setdefault(
                line.get("shape", "secret" if secret else "look-alike"), {"total": 0, "failed": 0}
            )
            row["total"] += 1
            row["failed"] += failed
            if failed:
                failures.append(
                    {"kind": "changed" if secret is None else "missed", **line, "stored": stored}
                )
    return {"secrets": secrets, "look_alikes": look_alikes, "shapes": shapes, "failures": failures}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--path", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = measure(read_lines(asked.path))
    secrets, look_alikes = found["secrets"], found["look_alikes"]
    share = 100 * secrets["redacted"] / max(secrets["total"], 1)
    rows = [
        [shape, str(row["total"]), str(row["failed"])]
        for shape, row in sorted(found["shapes"].items())
        if row["failed"]
    ]
    text = (
        f"{secrets['redacted']} of {secrets['total']} secrets redacted ({share:.0f} %); "
        f"{look_alikes['changed']} of {look_alikes['total']} look-alikes changed"
    )
    if rows:
        text += "\n\n" + table(["shape", "texts", "missed or changed"], rows)
    show(found, text, asked.json)


if __name__ == "__main__":
    main()
