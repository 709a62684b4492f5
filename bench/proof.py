"""Contents that prove themselves: each names its writer and number and carries a checksum."""

import random
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from zlib import crc32

from ghostmem import Ghost, Settings

NS = "bench:faults"
SETTINGS = Settings(embed_provider="none")
_WORDS = re.findall(
    r"\w+",
    "lantern kettle thicket pebble ferry quarry willow hamlet beacon barley cobweb drizzle "
    "harbour gable furrow trellis",
)
_FORM = re.compile(r"writer (\d+) number (\d+)\n.*\nchecksum ([0-9a-f]{8})", re.DOTALL)


@cache
def content(writer: int, number: int) -> str:
    """Return a writer's nth text: mostly a sentence or two, sometimes several chunks."""
    choose = random.Random(writer * 1_000_003 + number)
    words = choose.choices(_WORDS, k=choose.choice((8, 12, 20, 40, 300)))
    text = f"writer {writer} number {number}\n{' '.join(words)}."
    return f"{text}\nchecksum {crc32(text.encode()):08x}"


def is_intact(text: str) -> bool:
    """Say whether a content is whole."""
    found = _FORM.fullmatch(text)
    return found is not None and content(int(found[1]), int(found[2])) == text


def key(writer: int, number: int) -> str:
    """Return the key of a writer's nth memory."""
    return f"w{writer:02d}-{number:06d}"


def open_store(path: str | Path, synchronous: str = "full") -> Ghost:
    """Open a store with the defaults, whatever the environment says."""
    return Ghost.open(path, settings=replace(SETTINGS, synchronous=synchronous))


def missing(ghost: Ghost, wanted: Iterable[tuple[int, int]]) -> list[str]:
    """Return one sentence for each acknowledged memory that is not there as it was written."""
    found = {memory.key: memory.content for memory in ghost.list(NS, limit=1_000_000)}
    wrong = []
    for writer, number in wanted:
        name = key(writer, number)
        if name not in found:
            wrong.append(f"{name} was acknowledged and is gone")
        elif found[name] != content(writer, number):
            wrong.append(f"{name} has another content than was acknowledged")
    return wrong


def unclean(ghost: Ghost) -> list[str]:
    """Return the findings of a check, and contents that are damaged."""
    torn = [
        memory.key for memory in ghost.list(NS, limit=1_000_000) if not is_intact(memory.content)
    ]
    return [
        *(f"check: {problem}" for problem in ghost.admin.check().problems),
        *(f"{name} is torn" for name in torn),
    ]


def unwritable(ghost: Ghost, number: int = 0) -> list[str]:
    """Put one more memory and read it back; return the problem, if any."""
    text = content(99, number)
    ghost.put(NS, key(99, number), text)
    return (
        []
        if ghost.get(NS, key(99, number)).content == text
        else ["a put after the fault cannot be read back"]
    )
