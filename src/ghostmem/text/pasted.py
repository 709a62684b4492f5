"""Tell the lines of a message that its writer typed from code, logs and output that was pasted.

A linear model reads the shape of a line: its letters, digits, spaces and signs, whatever the
language. Its weights (`data/lines.json`) are made by `tools/train/lines.py`. A line alone often
does not show where it comes from ("Starting attempt 1 of 3"), so the lines of a message are told
apart together: changing from one to the other costs something, and little at an empty line."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ghostmem.text.patterns import compiled

MODEL_FILE = Path(__file__).parent / "data" / "lines.json"
MAX_LINE = 300  # characters of a line that are read
MAX_GRAM = 4  # characters of the longest parts of a shape that have a weight
_MAX_COUNT = 3  # more repetitions of a part do not count
_LONG = 100  # characters from which on a line counts as long
_MAX_EVIDENCE = 4.0  # of one line, so that a single one never outweighs its neighbours
_PER_EVIDENCE = 7.5  # characters: a short line shows little
_AT_START = 2.5  # the cost of a message that begins with pasted text
_CHANGE, _CHANGE_AT_GAP = 3.5, 0.5  # the cost of a change between two lines, and at an empty line
_RUN = r"([Aaw0 ])\1{2,}"  # of characters of one class
_FENCES = ("```", "~~~")
_FENCED = 99.0  # the evidence of a line between fences


class _Model(NamedTuple):
    """The weights of parts of a shape; positive ones speak for pasted text."""

    bias: float
    length: float
    weights: dict[str, float]


def without_pasted(text: str) -> str:
    """Return a message with an empty line in place of each line that was pasted."""
    lines = text.split("\n")
    return "\n".join(
        "" if is_pasted else line for line, is_pasted in zip(lines, _are_pasted(lines), strict=True)
    )


def _are_pasted(lines: list[str]) -> list[bool]:
    """Return the cheapest way to tell lines apart (Viterbi's algorithm with two states)."""
    typed, pasted = 0.0, _AT_START  # the costs so far if the last line was typed, or pasted
    origins: list[tuple[bool, bool]] = []  # of each state: whether the line before was pasted
    in_fence = was_fence = False
    for line in map(str.strip, lines):
        is_fence = line.startswith(_FENCES)
        change = 0.0 if is_fence else _CHANGE if line else _CHANGE_AT_GAP
        leave, stay = pasted + change, pasted
        if was_fence and not in_fence:  # after fenced code the writer is expected to go on
            leave, stay = pasted, pasted + _CHANGE
        origins.append((leave < typed, typed + change >= stay))
        typed, pasted = min(typed, leave), min(stay, typed + change)
        evidence = _FENCED if is_fence or in_fence else _evidence(line)
        typed, pasted = typed + max(0.0, evidence), pasted + max(0.0, -evidence)
        was_fence, in_fence = is_fence, in_fence ^ is_fence
    state, states = pasted < typed, []
    for origin in reversed(origins):
        states.append(state)
        state = origin[state]
    return states[::-1]


def _evidence(line: str) -> float:
    """Return the log-odds that a line was pasted, as far as its shape tells."""
    if not line:
        return 0.0
    model = _model()
    values = features(line)
    score = model.bias + model.length * values.pop("")
    score += sum(model.weights.get(part, 0.0) * value for part, value in values.items())
    limit = min(_MAX_EVIDENCE, len(line) / _PER_EVIDENCE)
    return max(-limit, min(limit, score))


def features(line: str) -> dict[str, float]:
    """Return how often each part of a line's shape occurs; the empty part stands for its length."""
    classes = compiled(_RUN).sub(r"\1\1", "".join(map(_class, line[:MAX_LINE])))
    shape = f"^{classes}$"  # runs of a class are cut to two
    parts = Counter(
        shape[start : start + size]
        for size in range(1, MAX_GRAM + 1)
        for start in range(len(shape) - size + 1)
    )
    scale = (len(shape) - 2) ** -0.5
    counts = {part: min(count, _MAX_COUNT) * scale for part, count in parts.items()}
    return {**counts, "": min(len(shape) - 2, _LONG) / _LONG}


def _class(char: str) -> str:
    if char.isalpha():
        return "w" if not char.isascii() else "A" if char.isupper() else "a"
    return "0" if char.isdigit() else " " if char.isspace() else char


@cache
def _model() -> _Model:
    return _Model(**json.loads(MODEL_FILE.read_text(encoding="utf-8")))
