"""Vectors that are written in the texts, so that every cosine is known"""

import json
import re
from collections.abc import Sequence

DIMENSION = 8


def placed(texts: Sequence[str]) -> list[list[float]]:
    """Read each vector from the brackets in its text, as in `[0.8, 0.6]`; a text without any lies apart."""
    rows = []
    for text in texts:
        found = re.search(r"\[[-\d., ]+\]", text)
        given = json.loads(found.group()) if found else [0] * (DIMENSION - 1) + [1]
        rows.append([float(value) for value in given] + [0.0] * (DIMENSION - len(given)))
    return rows


placed.model = "placed"  # type: ignore[attr-defined]
