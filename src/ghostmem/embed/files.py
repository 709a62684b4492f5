"""The models inside the package."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from ghostmem.embed.wordpiece import WordPiece

FOLDER = Path(__file__).parent / "data"


@cache
def manifest() -> dict[str, Any]:
    """Return what is known of each shipped model."""
    found: dict[str, Any] = json.loads((FOLDER / "MODELS.json").read_bytes())
    return found


@cache
def words() -> WordPiece:
    """Return the vocabulary that both shipped models share."""
    return WordPiece.load(FOLDER / "vocab.txt")


def known_share(text: str) -> float:
    """Return the share of a text's tokens that the shipped vocabulary has."""
    ids = words().encode(text)
    # single characters of scripts it was hardly trained on are in the vocabulary, but carry no
    # meaning
    strange = sum(not char.isascii() and char.isalpha() and ord(char) > 0x24F for char in text)
    letters = sum(char.isalpha() for char in text)
    unknown = ids.count(words().unknown) / max(len(ids), 1)
    return (1 - unknown) * (1 - strange / max(letters, 1))
