"""Pairs made from templates: one subject or another, one value or another.

Authors who are asked for varied sentences seldom write the plainest change, the same sentence with
another value. The templates (`data/judge/templates.json`) supply these, with the pairs that differ
from them in one respect: another subject, another attribute, the same value in other words."""

import json
import random
from typing import Any

from tools.train.data import CORRECTION, JUDGE, LABELS, Pair

_STARTS = ("", "", "", "", "", "Note: ", "FYI, ", "update - ", "For the record: ")
_ENDS = (".", ".", ".", "", "", "!", ", as far as I know.", "; see the board.", " (Eva told me).")


def templates() -> list[dict[str, Any]]:
    """Return the templates: subjects, values, and frames of sentences for each attribute."""
    found: list[dict[str, Any]] = json.loads((JUDGE / "templates.json").read_text())
    return found


def sample(found: list[dict[str, Any]], chance: random.Random) -> Pair:
    """Return a random pair of sentences."""
    topic = chance.choice(found)
    subject, another = chance.sample(topic["subjects"], 2)
    value, changed = chance.sample(topic["values"], 2)
    frames, changes = topic["frames"], topic["changes"]
    old = _sentence(chance, chance.choice([*frames, *frames, *changes]), subject, value)
    kind = chance.choices(
        ("update", "correction", "subject", "attribute", "restatement"), (4, 3, 4, 2, 2)
    )[0]
    if kind == "update":
        new = _sentence(chance, chance.choice(changes), subject, changed)
        return Pair(new, old, LABELS.index("update"))
    if kind == "correction":
        return Pair(_sentence(chance, chance.choice(frames), subject, changed), old, CORRECTION)
    if kind == "restatement":
        new = _sentence(chance, chance.choice(frames), subject, value)
        return Pair(new, old, LABELS.index("restatement"))
    if kind == "attribute":
        frame, values = chance.choice(topic["other"])
        new = _sentence(chance, frame, subject, chance.choice(values))
    else:
        frame = chance.choice([*frames, *changes])
        new = _sentence(chance, frame, another, chance.choice((value, changed)))
    return Pair(new, old, LABELS.index("new"))


def _sentence(chance: random.Random, frame: str, subject: str, value: str) -> str:
    start = chance.choice(_STARTS)
    text = frame.format(s=subject, v=value)
    if not start and chance.random() < 0.8:
        text = text[0].upper() + text[1:]
    return start + text + chance.choice(_ENDS)
