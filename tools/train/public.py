"""Public data beside our own sentences: inference pairs, dialogue questions and attack texts.

Every set permits shipping weights that were trained on it; NOTICE names them. The files are not
part of the repository: README.md says how they are made."""

import gzip
import json
import random
from typing import Any

from tools.train.data import ROOT, Pair, Question, read_lines

FOLDER = ROOT / "build" / "train"
INFERENCE = ("neutral", "entailment", "contradiction")
_LEFT_OUT = (
    # licences that are not plainly Apache, MIT, CC0, CC BY or CC BY-SA
    *("mnli-train", "mnli-dev", "negnli-mnli", "fever-dev"),
    # made by programs, or with one label for nearly everything
    *("conjnli-auto", "help", "scone", "med", "breaking-nli"),
    # texts that are harmless alone
    *("asb-mild", "bipia"),
)


def inference() -> list[Pair]:
    """Return pairs of sentences with whether the first implies or contradicts the second."""
    return [
        Pair(row["b"], row["a"], INFERENCE.index(row["label"]))
        for row in read_lines(FOLDER / "nli.jsonl.gz")
        if row["set"] not in _LEFT_OUT
    ]


def attacks() -> list[Pair]:
    """Return texts with whether they instruct an agent."""
    return [
        Pair(row["text"], None, int(row["label"] == "attack"))
        for row in read_lines(FOLDER / "attacks.jsonl.gz")
        if row["set"] not in _LEFT_OUT
    ]


def dialogues() -> list[dict[str, Any]]:
    """Return dialogues with questions about them."""
    with gzip.open(FOLDER / "train_permissive.json.gz", "rt") as file:
        found = json.load(file)
    return [dialogue for dialogue in found if dialogue["q"] and len(dialogue["t"]) > 3]


def sample(found: list[dict[str, Any]], chance: random.Random) -> Question:
    """Return a random question with its evidence and other turns of the same dialogue."""
    dialogue = chance.choice(found)
    query, evidence = chance.choice(dialogue["q"])[:2]
    evidence = evidence[:2]
    near = {n + d for n in evidence for d in (-2, -1, 1, 2)} & set(range(len(dialogue["t"])))
    others = sorted(set(range(len(dialogue["t"]))) - set(evidence))
    chosen = chance.sample(others, min(len(others), 7))
    chosen += [n for n in sorted(near - set(evidence)) if n not in chosen][:2]
    turns = [*evidence, *chosen]
    texts = [turn_text(*dialogue["t"][n]) for n in turns]
    return Question(query, texts, list(range(len(evidence))), "dialogue")


def turn_text(speaker: str, text: str) -> str:
    """Return a turn as it is embedded."""
    return f"{speaker}: {text}" if speaker and not speaker.startswith("#") else text
