"""Find the cosines of the tuned model that separate texts as well as MiniLM's thresholds do.

python tools/measure_thresholds.py      # about three minutes on one core

For `link`, `repeat`, `merge` and `dedup` on the labelled pairs in data/judge: the tuned model's
value is the one that as many pairs with the label `new` reach as reach MiniLM's, and the table says
which share of these and of the restatements is above both. For `answer` the same with questions
and memories that are irrelevant and relevant. The last column is the value that as many pairs of
arbitrary texts reach."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ghostmem.embed.base import Thresholds
from ghostmem.embed.local import LocalEmbedder
from ghostmem.embed.models import SPECIFIED, TUNED

FOLDER = Path(__file__).parents[1] / "data" / "judge"
UNRELATED = 4_000  # texts of which all pairs are compared


def main() -> None:
    """Print a table of thresholds."""
    verdicts = list(_rows("verdicts"))
    questions = [row for row in _rows("questions") if row["relevant"]]
    asked = [
        (row["query"], text, at in row["relevant"])
        for row in questions
        for at, text in enumerate(row["memories"])
    ]
    pairs = [
        (row["old"], row["new"], row["label"] == "restatement")
        for row in verdicts
        if row["label"] in ("new", "restatement")
    ]
    texts = sorted({text for first, second, _ in [*pairs, *asked] for text in (first, second)})
    vectors = {model.name: LocalEmbedder(model).embed(texts) for model in (SPECIFIED, TUNED)}
    places = {text: place for place, text in enumerate(texts)}
    print(f"{len(pairs)} pairs, {len(asked)} questions with a memory")
    print("| threshold | MiniLM | false | true | tuned | false | true | as many pairs |")
    print("|---|---|---|---|---|---|---|---|")
    for name in ("link", "repeat", "merge", "dedup", "answer"):
        rows = asked if name == "answer" else pairs
        left, right = ([places[row[side]] for row in rows] for side in (0, 1))
        labels = np.array([row[2] for row in rows])
        old, new = (np.vecdot(matrix[left], matrix[right]) for matrix in vectors.values())
        value = getattr(Thresholds(), name)
        false = np.sort(new[~labels])
        equal = float(false[-max(1, int((old[~labels] >= value).sum()))])
        shares = [
            (found[~labels].mean(), found[labels].mean()) for found in (old >= value, new >= equal)
        ]
        print(
            f"| `{name}` | {value:.2f} | {shares[0][0]:.1%} | {shares[0][1]:.1%} | {equal:.3f} |"
            f" {shares[1][0]:.1%} | {shares[1][1]:.1%} | {_as_many(vectors, value):.3f} |",
            flush=True,
        )


def _rows(kind: str) -> Iterator[dict[str, Any]]:
    for file in sorted(FOLDER.glob(f"*-{kind}.jsonl")):
        yield from (json.loads(line) for line in file.read_text("utf-8").splitlines())


def _as_many(vectors: dict[str, Any], old: float) -> float:
    """Return the cosine of the tuned model that as many pairs of texts reach as MiniLM's."""
    step = max(1, len(vectors[TUNED.name]) // UNRELATED)
    shares = {}
    for name, matrix in vectors.items():
        some = matrix[::step]
        shares[name] = np.sort((some @ some.T)[np.triu_indices(len(some), 1)])
    count = int((shares[SPECIFIED.name] >= old).sum())
    return float(shares[TUNED.name][-max(1, count)])


if __name__ == "__main__":
    main()
