"""Train the weights of `text/data/lines.json`, which tell typed lines from pasted ones.

    python -m tools.train.lines --pasted FOLDER… [--write]

Typed lines are the sentences of `data/judge`; pasted ones are taken from the files of FOLDER:
source code in many languages, configuration, logs, tracebacks, diffs and the output of commands,
one file a kind of output. A quarter of the typed lines gets names from pasted ones, because people
write about code; sentences from comments get the heads of log lines, because programs write
sentences. Prints the errors on kinds and authors that were left out. Needs scikit-learn.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from ghostmem.text.pasted import MODEL_FILE, features

TYPED, PASTED = 20_000, 14_000  # lines
MIN_LINES = 25  # with a part of a shape, for which a weight is learned
MAX_BLOCK, BLOCKS = 25, 3  # lines taken together from a file, and how often
MAX_FILE = 2_000  # characters of the longest line of a file that is read
CODED = 0.08  # share of typed lines that get names from code
LOGGED = 1_800  # sentences that get the head of a log line
STRENGTH = 1.0  # inverse of the penalty; the penalty makes most weights zero
_COMMENT = re.compile(r"\s*(#|//|\*|/\*|\"\"\"|--|;|<!--|%|\")")
_NAME = re.compile(r"[a-z][._/(:-]\w|\w\(|_")
_LEVELS = "INFO WARN ERROR DEBUG WARNING info error notice E I W".split()


class Line(NamedTuple):
    """A line, whether it was pasted, and its author or the kind of output."""

    text: str
    is_pasted: bool
    group: str


def typed_lines(folder: Path) -> list[Line]:
    """Return the sentences of our own training data, with the carelessness of a chat."""
    texts: dict[str, str] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            for text in _sentences(row):
                for line in map(str.strip, text.split("\n")):
                    if len(line) > 3:
                        texts.setdefault(line, path.stem.split("-")[0])
    lines = [Line(_careless(text), False, author) for text, author in texts.items()]
    random.shuffle(lines)
    return lines[:TYPED]


def _sentences(row: dict[str, Any]) -> Iterable[str]:
    yield from (row[name] for name in ("old", "new", "query") if name in row)
    yield from row.get("memories", ())[:3]
    yield from row.get("capture", ()) if isinstance(row.get("capture"), list) else ()


def _careless(line: str) -> str:
    chance = random.random()
    line = line.lower() if chance < 0.2 else line
    line = line[0].lower() + line[1:] if chance < 0.35 else line
    line = line.rstrip(".!") or line if random.random() < 0.3 else line
    if random.random() < 0.15:  # as if wrapped
        words = line.split(" ")
        line = " ".join(words[: random.randint(max(1, len(words) // 2), len(words))])
    return line


def pasted_lines(folders: Iterable[Path]) -> tuple[list[Line], list[str]]:
    """Return lines of files, and sentences from the comments of source code."""
    lines, comments = [], []
    for path in sorted(file for folder in folders for file in folder.rglob("*") if file.is_file()):
        try:
            rows = path.read_text(encoding="utf-8").split("\n")
        except (UnicodeDecodeError, OSError):
            continue
        if max(map(len, rows)) > MAX_FILE:
            continue
        group = path.suffix if path.suffix not in ("", ".txt") else path.stem.split("__")[0]
        for _ in range(BLOCKS):
            start = random.randrange(max(1, len(rows) - MAX_BLOCK))
            for row in rows[start : start + random.randint(3, MAX_BLOCK)]:
                plain = row.strip().lstrip("#/*- ")
                if _is_wordy(plain):
                    comments.append(plain)
                elif row.strip() and not _COMMENT.match(row):
                    lines.append(Line(row, True, group))
    random.shuffle(lines)
    return lines[:PASTED], comments


def _is_wordy(line: str) -> bool:
    words = line.split()
    plain = sum(word.strip(".,;:()'\"").isalpha() for word in words)
    return len(words) >= 5 and plain >= 0.8 * len(words)


def with_names(lines: list[Line], names: list[str]) -> list[Line]:
    """Return typed lines, some of them with names from code."""
    coded = []
    for line in lines:
        words = line.text.split(" ")
        if len(words) > 4 and random.random() < CODED:
            for _ in range(random.randint(1, 2)):
                name = random.choice(names).strip(",;{}")
                name = random.choice([name, f"`{name}`", f"`{random.choice(names)} {name}`"])
                words.insert(random.randint(1, len(words)), name)
        coded.append(line._replace(text=" ".join(words)))
    return coded


def logged(comments: list[str], names: list[str]) -> list[Line]:
    """Return sentences behind the heads of log lines."""
    random.shuffle(comments)
    heads = (_head(random.choice(names).strip("(){};,")[:18]) for _ in comments[:LOGGED])
    return [
        Line(head + text[:80], True, f"logged {number % 6}")
        for number, (head, text) in enumerate(zip(heads, comments, strict=False))
    ]


def _head(module: str) -> str:
    at = datetime(2020, 1, 1) + timedelta(seconds=random.randrange(2 * 10**8))  # noqa: DTZ001
    level, number, ms = random.choice(_LEVELS), random.randrange(99_999), random.randrange(1000)
    return random.choice(
        [
            f"{at:%Y-%m-%d %H:%M:%S},{ms:03d} {level} {module}: ",
            f"{at:%b %d %H:%M:%S} host {module}[{number}]: ",
            f"[{at:%H:%M:%S}] {level} ",
            f"{at:%Y-%m-%dT%H:%M:%S}.{ms:03d}Z {level} [{module}] ",
            f"{level}: ",
            f"[{level}] ",
            f"{at:%m-%d %H:%M:%S}.{ms:03d} {number} {number + 3} {level[0]} {module}: ",
            f"{module}:{number % 300}: {level}: ",
            f'time="{at:%Y-%m-%dT%H:%M:%SZ}" level={level.lower()} msg=',
            f"[{number}.{ms:03d}000] {module}: ",
            f"{level} - ",
            f"  [{number % 100}/{number % 100 + 9}] ",
        ]
    )


def main() -> None:
    """Train, print the errors on groups that were left out, and write the weights."""
    parser = argparse.ArgumentParser(description="Train the weights that recognise pasted lines.")
    parser.add_argument("--pasted", type=Path, nargs="+", required=True, metavar="FOLDER")
    parser.add_argument("--typed", type=Path, default=Path("data/judge"), metavar="FOLDER")
    parser.add_argument("--write", action="store_true", help="replace the weights of the package")
    arguments = parser.parse_args()
    random.seed(2)
    pasted, comments = pasted_lines(arguments.pasted)
    names = [
        word
        for line in pasted
        for word in line.text.split()
        if 3 < len(word) < 30 and _NAME.search(word)
    ]
    typed = with_names(typed_lines(arguments.typed), names)
    lines = [*typed, *pasted, *logged(comments, names)]
    rows = [features(line.text.strip()) for line in lines]
    counts = Counter(name for row in rows for name in row)
    columns = {name: at for at, name in enumerate(n for n, c in counts.items() if c >= MIN_LINES)}
    cells = [
        (at, columns[n], v) for at, row in enumerate(rows) for n, v in row.items() if n in columns
    ]
    places, values = [(r, c) for r, c, _ in cells], [v for *_, v in cells]
    matrix = sparse.csr_matrix(
        (values, tuple(zip(*places, strict=True))), (len(rows), len(columns))
    )
    wanted = np.array([line.is_pasted for line in lines])
    model = LogisticRegression(l1_ratio=1, solver="liblinear", C=STRENGTH)
    groups = [line.group for line in lines]
    scores = cross_val_predict(
        model, matrix, wanted, groups=groups, cv=GroupKFold(6), method="decision_function"
    )
    lost, missed = np.mean(scores[~wanted] > 0), np.mean(scores[wanted] <= 0)
    print(f"{len(lines)} lines; typed taken for pasted {lost:.3f}, the other way {missed:.3f}")
    model.fit(matrix, wanted)
    weights = {n: round(float(model.coef_[0][at]), 2) for n, at in columns.items()}
    length = weights.pop("")
    chosen = {name: weight for name, weight in sorted(weights.items()) if weight}
    print(f"{len(chosen)} weights")
    if arguments.write:
        found = {"bias": round(float(model.intercept_[0]), 2), "length": length, "weights": chosen}
        MODEL_FILE.write_text(
            json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
