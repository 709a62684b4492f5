"""Read the labelled sentences of `data/judge` and prepare them as examples of each task."""

import gzip
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.overlap import overlaps

from ghostmem.text.capture import statements

ROOT = Path(__file__).resolve().parents[2]
JUDGE = ROOT / "data" / "judge"
LABELS = ("new", "restatement", "update", "conflict")
CORRECTION = len(LABELS)  # an update or a conflict; which of them is not said
UPDATE_OR_CONFLICT = [LABELS.index("update"), LABELS.index("conflict")]


class Pair(NamedTuple):
    """Two texts, the second of which may be missing, and the index of their label."""

    first: str
    second: str | None
    label: int


class Question(NamedTuple):
    """A query, the memories of a small namespace, and which of them answer it."""

    query: str
    memories: list[str]
    relevant: list[int]
    kind: str
    weight: float = 1.0  # how often it is drawn, so that every author is drawn equally often


class Examples(NamedTuple):
    """The examples of the four tasks."""

    verdicts: list[Pair]
    captures: list[Pair]
    injections: list[Pair]
    questions: list[Question]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSON Lines file, which may be compressed; none without a file."""
    if not path.exists():
        return []
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def authors() -> list[str]:
    """Return the names of the authors in `data/judge`."""
    names = {path.name.partition("-")[0] for path in JUDGE.glob("author*-*.jsonl")}
    return sorted(names, key=lambda name: int(name.removeprefix("author")))


def load(names: Iterable[str], without_verdicts: Collection[str] = ()) -> Examples:
    """Return the examples of some authors, of a few of them without the verdicts."""
    found = {name: _read(JUDGE, f"{name}-") for name in names}
    return _joined(
        examples._replace(verdicts=[]) if name in without_verdicts else examples
        for name, examples in found.items()
    )


def load_folder(folder: Path) -> Examples:
    """Return the examples of a folder with one file a task, such as an evaluation set."""
    return _read(folder, "")


def _joined(parts: Iterable[Examples]) -> Examples:
    joined = Examples([], [], [], [])
    for part in parts:
        for all_, some in zip(joined, part, strict=True):
            all_.extend(some)  # type: ignore[arg-type]
    return joined


def _read(folder: Path, prefix: str) -> Examples:
    def lines(task: str) -> list[dict[str, Any]]:
        return read_lines(folder / f"{prefix}{task}.jsonl")

    chains = lines("chains")
    questions = [
        Question(asked["query"], row["memories"], asked["relevant"], asked["kind"])
        for row in lines("questions")
        for asked in row.get("questions", [row])  # one question, or several of one namespace
    ]
    questions += [chain_question(row) for row in chains]
    pairs = [Pair(row["new"], row["old"], LABELS.index(row["label"])) for row in lines("verdicts")]
    return Examples(
        [*pairs, *(pair for row in chains for pair in chain_pairs(row))],
        [pair for row in lines("capture") for pair in capture_pairs(row["prompt"], row["capture"])],
        [Pair(row["text"], None, int(row["label"] == "attack")) for row in lines("injection")],
        [question._replace(weight=1 / len(questions)) for question in questions],
    )


def chain_pairs(row: Mapping[str, Any]) -> Iterator[Pair]:
    """Return the pairs of a fact that changed twice, and of facts that only look like it."""
    first, second, third = row["said"]
    for new, old in ((second, first), (third, second), (third, first)):
        yield Pair(new, old, CORRECTION)
    yield Pair(row["same"], third, LABELS.index("restatement"))
    for other in (*row["others"], *row.get("mentions", ())):
        for said in (second, third):
            yield Pair(other, said, LABELS.index("new"))
    if row["conflict"]:
        yield Pair(row["conflict"], third, LABELS.index("conflict"))


def chain_question(row: Mapping[str, Any]) -> Question:
    """Return the question for a fact that changed, among facts that only look like it."""
    said, others = row["said"], [*row["others"], *row.get("mentions", ())]
    return Question(row["question"], [*said, *others], list(range(len(said))), "chain")


def capture_pairs(prompt: str, captured: Iterable[str]) -> Iterator[Pair]:
    """Return the statements of a message, each with whether it is worth remembering.

    The statements are those that `capture` splits a message into."""
    wanted = list(captured)
    for statement in statements(prompt):
        sentence = statement.sentence
        yield Pair(sentence, prompt, int(any(overlaps(sentence, text) for text in wanted)))
