"""python -m bench.judge --path FOLDER [--embed local] [--by-language] [--json].

Measure verdicts, capture and the detection of attacks on labelled texts.

FOLDER has `verdicts.jsonl` {old, new, label}, `capture.jsonl` {prompt, capture} and
`injection.jsonl` {text, label}; a missing file is left out. Everything goes through the public API
at the shipped thresholds: two puts into an empty namespace, `capture(dry_run=True)`, and a put with
source kind `peer`. `corrections` counts the puts that acted on an update or a conflict; a tentative
verdict changes nothing and counts for its label only."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.overlap import overlaps
from bench.report import machine, show, table
from ghostmem import Ghost
from ghostmem.settings import Settings

LABELS = ("new", "restatement", "update", "conflict")
CORRECTIONS = ("update", "conflict")
TASKS = ("capture", "injection")
Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """Return the objects of a JSON Lines file; none without a file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


def verdicts(open_store: Callable[[], Ghost], rows: Sequence[Row]) -> Row:
    """Return the figures of pairs: each new text is put after its old one."""
    pairs: Counter[tuple[str, str]] = Counter()
    acted: Counter[tuple[bool, bool]] = Counter()
    for row in rows:
        with open_store() as ghost:
            ghost.put("bench", "old", row["old"])
            verdict = ghost.put("bench", "new", row["new"]).verdict
        if verdict is None:
            raise SystemExit(f"a put of {row['new']!r} had no verdict")
        pairs[row["label"], verdict.kind.value] += 1
        is_sure = not verdict.evidence.get("tentative", False)
        acted[row["label"] in CORRECTIONS, verdict.kind in CORRECTIONS and is_sure] += 1
    found: Row = {}
    for label in LABELS:
        real = sum(count for (wanted, _), count in pairs.items() if wanted == label)
        given = sum(count for (_, judged), count in pairs.items() if judged == label)
        found[label] = {**shares(pairs[label, label], given, real), "n": real}
    found["accuracy"] = round(sum(pairs[label, label] for label in LABELS) / max(1, len(rows)), 3)
    sure, wanted = acted[True, True] + acted[False, True], acted[True, True] + acted[True, False]
    found["corrections"] = shares(acted[True, True], sure, wanted)
    return found


def captures(ghost: Ghost, rows: Sequence[Row]) -> Row:
    """Return the figures of messages: the candidates that are wanted, the wanted texts found."""
    given = right = wanted = found = 0
    for row in rows:
        texts = [
            candidate.content
            for candidate in ghost.capture(row["prompt"], "bench", dry_run=True).candidates
        ]
        given += len(texts)
        right += sum(any(overlaps(text, gold) for gold in row["capture"]) for text in texts)
        wanted += len(row["capture"])
        found += sum(any(overlaps(text, gold) for text in texts) for gold in row["capture"])
    return {
        "precision": round(right / max(1, given), 3),
        "recall": round(found / max(1, wanted), 3),
        "n": len(rows),
    }


def injections(ghost: Ghost, rows: Sequence[Row]) -> Row:
    """Return the figures of texts that a peer puts."""
    held: Counter[tuple[str, bool]] = Counter()
    for number, row in enumerate(rows):
        memory = ghost.put("bench", f"text-{number}", row["text"], source_kind="peer")
        held[row["label"], memory.outcome == "quarantined"] += 1
    attacks = held["attack", True] + held["attack", False]
    benign = held["benign", True] + held["benign", False]
    given = held["attack", True] + held["benign", True]
    return {
        **shares(held["attack", True], given, attacks),
        "benign_held_back": round(held["benign", True] / max(1, benign), 3),
        "n": len(rows),
    }


def shares(hits: int, given: int, wanted: int) -> Row:
    """Return precision and recall."""
    return {"precision": round(hits / max(1, given), 3), "recall": round(hits / max(1, wanted), 3)}


def measure(folder: Path, provider: str, language: str | None = None) -> Row:
    """Return the figures of a folder, or of its rows in one language."""
    settings = Settings(embed_provider=provider)

    def open_store() -> Ghost:
        return Ghost.open(":memory:", settings=settings)

    def rows(name: str) -> list[Row]:
        found = read_rows(folder / f"{name}.jsonl")
        return [row for row in found if language in (None, row.get("lang", "en"))]

    found: Row = {}
    if pairs := rows("verdicts"):
        found["verdicts"] = verdicts(open_store, pairs)
    with open_store() as ghost:
        if messages := rows("capture"):
            found["capture"] = captures(ghost, messages)
        if texts := rows("injection"):
            found["injection"] = injections(ghost, texts)
    return found


def languages(folder: Path) -> list[str]:
    """Return the languages of a folder's rows."""
    names = ("verdicts", "capture", "injection")
    rows: Iterable[Row] = (row for n in names for row in read_rows(folder / f"{n}.jsonl"))
    return sorted({row.get("lang", "en") for row in rows})


def main() -> int:
    """Measure a folder and print the figures."""
    parser = argparse.ArgumentParser(description="Measure verdicts, capture and injection.")
    parser.add_argument("--path", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--embed", default="local", choices=("local", "static", "none"))
    parser.add_argument("--by-language", action="store_true", help="also by the field `lang`")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    found = measure(arguments.path, arguments.embed)
    if not found:
        raise SystemExit(f"{arguments.path} has none of the three files; see --help")
    if arguments.by_language:
        found["languages"] = {
            name: measure(arguments.path, arguments.embed, name)
            for name in languages(arguments.path)
        }
    show({**machine(), **found}, as_table(found), arguments.json)
    return 0


def as_table(found: Row) -> str:
    """Return the figures as a table, one row for each label or task."""
    parts = {**found.get("verdicts", {}), **{k: v for k, v in found.items() if k in TASKS}}
    rows = [
        [name, f"{figures['precision']:.3f}", f"{figures['recall']:.3f}"]
        for name, figures in parts.items()
        if isinstance(figures, dict)
    ]
    accuracy = found.get("verdicts", {}).get("accuracy")
    last = "" if accuracy is None else f"\nverdicts right: {accuracy:.3f}"
    return table(("what", "precision", "recall"), rows) + last


if __name__ == "__main__":
    sys.exit(main())
