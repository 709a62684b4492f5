"""Migrate a store during writes and kills; shared by `bench.migrate` and a test of faults."""

import json
import random
import select
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from bench.child import Child, say
from bench.corpus import many_sentences
from ghostmem import Ghost, Migration, Settings, migrate

SETTINGS = Settings(embed_provider="none")
SPREAD = (
    "agent:bench",
    "agent:other",
    "agent:third",
)  # where the memories are, half of them in the first
WRITTEN = "agent:bench"
PAUSED = "paused"


def fill(path: str, memories: int, provider: str) -> None:
    """Make a store with `count` memories, some with a second version, some linked, some used.

    With vectors if asked.
    """
    with Ghost.open(
        path, settings=replace(SETTINGS, embed_provider=provider, synchronous="normal")
    ) as ghost:
        ghost.import_(_lines(memories))
        if provider != "none":
            ghost.admin.embed_backfill()
        for query in many_sentences(memories)[:20]:
            ghost.search(query, ns=WRITTEN)


def _lines(memories: int) -> Iterator[str]:
    yield json.dumps({"type": "ghost", "format": 1})
    for number, text in enumerate(many_sentences(memories)):
        ns = SPREAD[0] if number % 2 else SPREAD[1 + number % 4 // 2]
        at = f"2026-01-{1 + number % 28:02d}T10:00:00.{number % 1_000_000:06d}Z"
        whole = {
            "type": "memory",
            "id": f"{number:026d}",
            "ns": ns,
            "key": f"k{number:06d}",
            "content": text,
            "kind": "semantic",
        }
        yield json.dumps(
            {
                **whole,
                "version": 1,
                "created_at": at,
                "tags": [f"t{number % 7}"],
                "source_scope": f"s{number % 50}",
            }
        )
    for number in range(0, memories - 8, 8):
        ends = {"from_id": f"{number + 1:026d}", "to_id": f"{number + 3:026d}"}
        yield json.dumps(
            {
                "type": "edge",
                **ends,
                "rel": "relates_to",
                "weight": 0.5,
                "created_at": "2026-02-01T00:00:00.000000Z",
            }
        )


def write(store: str) -> None:
    """Put, change, use and remove memories until stopped, acknowledging each put."""
    with Ghost.open(store, settings=SETTINGS) as ghost:
        number = 0
        while not select.select([sys.stdin], [], [], 0.02)[0]:
            number += 1
            ghost.put(WRITTEN, f"live-{number:06d}", f"written live as number {number}")
            say(f"live-{number:06d} {number}")
            ghost.put(WRITTEN, "latest", f"the latest is {number}")
            say(f"latest {number}")
            ghost.search(f"number {number}", ns=WRITTEN)
            if number % 5 == 0:
                ghost.rm(WRITTEN, f"live-{number - 4:06d}", hard=number % 2 == 0)
                say(f"gone live-{number - 4:06d}")


def move(source: str, target: str, pause_after: int = 0) -> None:
    """Migrate and report progress; pause after some lines, to be killed."""
    lines = 0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal lines
        lines += 1
        say(f"{what} {done} {total}")
        if pause_after and lines >= pause_after:
            say(PAUSED)
            sys.stdin.read()

    migrate(source, target, settings=SETTINGS, progress=progress)
    say("finished")


def both(source: str, target: str, kills: int, seed: int = 1) -> dict[str, Any]:
    """Kill migrations at random points beside a writer, then migrate the store and compare."""
    choose = random.Random(seed)
    began = time.monotonic()
    with Child(write, store=source) as writer:
        writer.await_lines(1)
        places = [_killed(source, target, choose) for _ in range(kills)]
        writer.finish()
        said = writer.lines()
    done = migrate(source, target, settings=SETTINGS)
    return {
        "seconds": round(time.monotonic() - began, 1),
        "rows": done.rows,
        "rows_per_second": round(done.rows / max(done.seconds, 0.001)),
        "held_seconds": done.held_seconds,
        "puts": sum(not line.startswith("gone") for line in said),
        "killed_at": places,
        "problems": [*_compared(source, target), *_missing(target, said)],
    }


def _killed(source: str, target: str, choose: random.Random) -> str:
    """Start a move, kill it where it pauses after some lines, and return its last line."""
    with Child(move, source=source, target=target, pause_after=choose.randint(1, 14)) as mover:
        mover.listen(until=lambda lines: lines[-1:] == [PAUSED])
        mover.kill()
        return mover.error or (mover.lines() or ["the start"])[-2:][0]


def _compared(source: str, target: str) -> list[str]:
    digests, wrong = [], []
    for name in (source, target):
        with Ghost.open(name, settings=SETTINGS) as ghost:
            made = sha256()
            for line in ghost.export():
                made.update(f"{line}\n".encode())
            digests.append(made.hexdigest())
            verified = ghost.admin.verify_log()
            wrong += [] if verified.ok else [f"{name}: {problem}" for problem in verified.broken]
            wrong += [f"{name}: {problem}" for problem in ghost.admin.check().problems]
    return wrong + ([] if digests[0] == digests[1] else ["the exports differ"])


def _missing(target: str, said: list[str]) -> list[str]:
    """Name acknowledged puts that the target does not have."""
    gone = {line.split()[1] for line in said if line.startswith("gone")}
    kept = {line.split()[0]: line.split()[1] for line in said if not line.startswith("gone")}
    wrong = []
    with Ghost.open(target, settings=SETTINGS) as ghost, ghost.store.engine.read() as tx:
        for key, number in kept.items():
            memory = tx.memories.last(WRITTEN, key)
            if key not in gone and (memory is None or not memory.content.endswith(f" {number}")):
                wrong.append(f"{key} was acknowledged and is not there")
    return wrong


def plain(source: str, target: str) -> dict[str, Any]:
    """Migrate a store that is not in use, for the figures."""
    done: Migration = migrate(source, target, settings=SETTINGS)
    per_second = round(done.rows / max(done.seconds, 0.001))
    return {
        "seconds": round(done.seconds, 1),
        "rows": done.rows,
        "rows_per_second": per_second,
        "held_seconds": done.held_seconds,
    }
