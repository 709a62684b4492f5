"""The model files inside the package."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from ghostmem.embed.wordpiece import WordPiece

FOLDER = Path(__file__).parent / "data"


@cache
def manifest() -> dict[str, Any]:
    """Return the description of each shipped model."""
    models: dict[str, Any] = json.loads((FOLDER / "MODELS.json").read_bytes())
    return models


@cache
def words() -> WordPiece:
    """Return the tokenizer that both shipped models share."""
    return WordPiece.load(FOLDER / "vocab.txt")


def known_share(text: str) -> float:
    """Return the share of the tokens of a text that are in the shipped vocabulary."""
    ids = words().encode(text)
    # the vocabulary has single characters of other scripts, but the models learned nothing of them
    foreign = sum(not char.isascii() and char.isalpha() and ord(char) > 0x24F for char in text)
    letters = sum(char.isalpha() for char in text)
    unknown = ids.count(words().unknown) / max(len(ids), 1)
    return (1 - unknown) * (1 - foreign / max(letters, 1))
