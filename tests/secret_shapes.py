"""Secrets for tests, made when they are needed from the recipes in data/secrets.json, so that none stands in the repository."""

import base64
import json
import random
import re
import string
from pathlib import Path
from typing import NamedTuple

DATA = json.loads((Path(__file__).parent / "data" / "secrets.json").read_text(encoding="utf-8"))
LOOK_ALIKES: list[str] = DATA["look_alikes"]
ALPHABETS = {
    "an": string.ascii_letters + string.digits,
    "an+": string.ascii_letters + string.digits + "+/",
    "id": string.ascii_letters + string.digits + "_-",
    "hex": "0123456789abcdef",
    "b32": string.ascii_uppercase + "234567",
    "d": string.digits,
    "low": string.ascii_lowercase,
    "B": string.ascii_uppercase + string.digits,
}
PUBLIC = 9  # what is shorter is no secret by itself: a number of an account, a part of a name


class Example(NamedTuple):
    """A text with a secret, its kind, and the bytes that must not be left of it."""

    kind: str
    text: str
    secrets: tuple[str, ...]


def examples(seed: int = 7) -> list[Example]:
    """Make one example of every shape."""
    return [
        _example(number, shape["kind"], "".join(shape["parts"]), seed)
        for number, shape in enumerate(DATA["shapes"])
    ]


def _example(number: int, kind: str, recipe: str, seed: int) -> Example:
    pick = random.Random(f"{seed} {number}")
    made: list[str] = []

    def fill(match: re.Match[str]) -> str:
        made.append(_filled(match[1], pick))
        return made[-1]

    text = re.sub(r"\{([a-z0-9+]+(?::\d+)?|B:\d+)\}", fill, recipe)
    lines = [line for part in made for line in re.split(r"\n|\\n", part)]
    # an account's id and the id of a webhook are public; of a pair the secret comes last
    kept = (
        lines[-1:]
        if kind in ("slack webhook", "discord webhook", "twilio token", "aws secret key")
        else lines
    )
    return Example(kind, text, tuple(part for part in kept if len(part) > PUBLIC))


def _filled(name: str, pick: random.Random) -> str:
    match name:
        case "bot":
            return base64.b64encode("".join(pick.choices(string.digits, k=18)).encode()).decode()
        case "ulid":
            return "01" + "".join(pick.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=24))
        case "pem" | "pemn":
            lines = ["".join(pick.choices(ALPHABETS["an+"], k=64)) for _ in range(12)]
            return ("\n" if name == "pem" else "\\n").join(
                [*lines, "".join(pick.choices(ALPHABETS["an+"], k=30)) + "=="]
            )
        case "basic":
            return base64.b64encode(
                b"bob:" + "".join(pick.choices(ALPHABETS["an"], k=9)).encode()
            ).decode()
    alphabet, _, length = name.partition(":")
    while True:
        found = "".join(pick.choices(ALPHABETS[alphabet], k=int(length)))
        kinds = {(c.isdigit(), c.isupper()) for c in found if c.isalnum()}
        if int(length) < 8 or len(kinds) == len(
            {(c.isdigit(), c.isupper()) for c in ALPHABETS[alphabet] if c.isalnum()}
        ):
            return found
