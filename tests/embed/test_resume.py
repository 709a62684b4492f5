"""Filling in vectors may be killed at any moment: nothing is lost, and the next run goes on where it was."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import apsw
import pytest

from ghostmem import Ghost
from ghostmem.memory.embedding import BATCH
from ghostmem.settings import Settings

COUNT = 300
ENV = {"GHOST_EMBED_PROVIDER": "none"}

FUNCTION = """
import sys
import time

def slow(texts):
    if len(texts) > 1:  # a single one only asks how long the vectors are
        print("batch", flush=True)
        sys.stdin.readline()  # until the test says go on
    return fast(texts)

def fast(texts):
    return [[float(text.count(chr(97 + at))) + 0.1 for at in range(26)] for text in texts]

slow.model = fast.model = "counted"
"""


def fast(texts: list[str]) -> list[list[float]]:
    """Embed as the other process does, without waiting."""
    return [[float(text.count(chr(97 + at))) + 0.1 for at in range(26)] for text in texts]


fast.model = "counted"  # type: ignore[attr-defined]


def fill(path: Path, provider: str = "none") -> None:
    """Store memories, with the vectors of a provider or without any."""
    with Ghost.open(
        str(path), settings=Settings(embed_provider=provider, synchronous="normal")
    ) as ghost:
        texts = (
            f"Note {at} tells of the {at % 7}th deployment and of {'xyzuvw'[at % 6]}."
            for at in range(COUNT)
        )
        ghost.put_many(
            (
                {"ns": "a" if at % 3 else "b", "key": f"k{at}", "content": text}
                for at, text in enumerate(texts)
            ),
            judge=False,
        )


def vectors(path: Path) -> dict[tuple[str, str], bytes]:
    """Read every vector by model and key, behind Ghost's back."""
    sql = (
        "SELECT o.name, m.ns || '/' || m.key, v.vector FROM vectors v JOIN models o ON o.id = v.model_id"
        " JOIN chunks c ON c.id = v.chunk_id JOIN memories m ON m.id = c.memory_id"
    )
    db = apsw.Connection(str(path))
    try:
        return {(model, key): vector for model, key, vector in db.execute(sql)}
    finally:
        db.close()


def start(path: Path, verb: str) -> "subprocess.Popen[str]":
    """Start a process that embeds batch by batch, each only when told."""
    script = textwrap.dedent(FUNCTION) + textwrap.dedent(f"""
        from ghostmem import Ghost
        from ghostmem.settings import Settings
        with Ghost.open({str(path)!r}, embedder=slow, settings=Settings()) as ghost:
            print("done", ghost.embed_{verb}(), flush=True)
    """)
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", script], stdin=pipe, stdout=pipe, text=True, env=os.environ | ENV
    )


def go_on(process: "subprocess.Popen[str]", batches: int) -> None:
    """Let a process embed so many batches and wait until it stands before the next."""
    assert process.stdin is not None
    assert process.stdout is not None
    for at in range(batches + 1):
        assert process.stdout.readline() == "batch\n"
        if at < batches:
            process.stdin.write("\n")
            process.stdin.flush()


def kill(process: "subprocess.Popen[str]") -> None:
    """Kill a process of ours at once."""
    process.send_signal(signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        stream.close()


@pytest.mark.process
@pytest.mark.parametrize("verb", ["backfill", "switch"])
def test_a_killed_run_loses_nothing_and_is_resumed(tmp_path: Path, verb: str) -> None:
    """Killed in the middle, the old vectors and the finished new ones are there; the next run makes the rest, the same."""
    path, whole = tmp_path / "killed.db", tmp_path / "whole.db"
    for file in (path, whole):
        fill(file, "static" if verb == "switch" else "none")
    old = vectors(path)
    assert len(old) == (COUNT if verb == "switch" else 0)
    process = start(path, verb)
    go_on(process, 4)
    # a second process searches and writes meanwhile
    with Ghost.open(
        str(path), settings=Settings(embed_provider="static" if verb == "switch" else "none")
    ) as other:
        assert other.search("deployment note 17", "a")[0].key == "k17"
        assert other.put("c", "new", "Written meanwhile about a zebra.").version == 1
        assert [hit.key for hit in other.search("zebra", "c")] == ["new"]
    kill(process)
    left = vectors(path)
    assert old.items() <= left.items()
    assert sum(model == "own:counted" for model, _ in left) == 4 * BATCH
    with Ghost.open(str(path), embedder=fast, settings=Settings()) as ghost:
        assert ghost.admin.check().problems == ()
        part = ghost.search("deployment", "a")
        assert part
        assert "have no vectors yet" in part.notes[0]
        status = ghost.admin.embed_status()
        assert (status.embedded, status.pending) == (4 * BATCH, COUNT + 1 - 4 * BATCH)
        seen: list[int] = []
        done = (
            ghost.admin.embed_backfill(progress=seen.append)
            if verb == "backfill"
            else ghost.admin.embed_switch(progress=seen.append)
        )
        assert done == seen[-1] == COUNT + 1 - 4 * BATCH
        assert ghost.admin.embed_status().pending == 0
        assert ghost.admin.check().problems == ()
    with Ghost.open(str(whole), embedder=fast, settings=Settings()) as ghost:
        assert (
            ghost.admin.embed_backfill() if verb == "backfill" else ghost.admin.embed_switch()
        ) == COUNT
    resumed = vectors(path)
    del resumed["own:counted", "c/new"]
    assert resumed == vectors(whole)


def test_a_run_that_is_let_finish_says_how_many(tmp_path: Path) -> None:
    """Undisturbed, the other process fills in everything, and this one sees it at its next question."""
    path = tmp_path / "m.db"
    fill(path)
    with Ghost.open(str(path), embedder=fast, settings=Settings()) as ghost:
        assert ghost.search("deployment", "a").legs == ("substring", "text")
        process = start(path, "backfill")
        out, _ = process.communicate("\n" * 20)
        assert out.splitlines()[-1] == f"done {COUNT}"
        found = ghost.search("deployment", "a")
        assert found.notes == ()
        assert found.legs == ("substring", "text", "vector")


def test_two_runs_at_once_do_the_work_once(tmp_path: Path) -> None:
    """A second backfill beside the first leaves one vector a chunk."""
    path = tmp_path / "m.db"
    fill(path)
    process = start(path, "backfill")
    go_on(process, 2)
    with Ghost.open(str(path), embedder=fast, settings=Settings()) as ghost:
        ghost.admin.embed_backfill()
        assert ghost.admin.embed_status().pending == 0
    out, _ = process.communicate("\n" * 20)
    assert process.returncode == 0, out
    assert len(vectors(path)) == COUNT


def test_what_is_removed_while_it_is_embedded_gets_no_vector(tmp_path: Path) -> None:
    """A chunk that went away between reading and writing is left out."""
    path = tmp_path / "m.db"
    fill(path)
    process = start(path, "backfill")
    go_on(process, 1)
    with Ghost.open(
        str(path), settings=Settings(embed_provider="none", synchronous="normal")
    ) as ghost:
        for at in range(COUNT):
            ghost.rm("a" if at % 3 else "b", f"k{at}")
    process.communicate("\n" * 20)
    assert process.returncode == 0
    assert vectors(path) == {}
    with Ghost.open(str(path), embedder=fast, settings=Settings()) as ghost:
        assert ghost.admin.check().problems == ()


def test_processes_see_each_others_writes_at_the_next_query(tmp_path: Path) -> None:
    """New, changed, removed and newly embedded memories of another connection are searched at once, by meaning too."""
    path = str(tmp_path / "m.db")
    with (
        Ghost.open(path, settings=Settings(embed_provider="static")) as one,
        Ghost.open(path, settings=Settings(embed_provider="static")) as two,
        Ghost.open(path, settings=Settings(embed_provider="none")) as plain,
    ):
        one.put("a", "first", "The cat sleeps on the sofa.")
        assert [hit.key for hit in two.search("a kitten is napping", "a")] == ["first"]
        two.put("a", "second", "A physician prescribed medicine.")
        assert one.search("doctor", "a")[0].key == "second"
        one.put("a", "first", "Interest rates rose in March.")
        assert two.search("financial news", "a", min_score=-9.0)[0].key == "first"
        assert "first" not in [hit.key for hit in two.search("a kitten is napping", "a")][:1]
        plain.put("a", "third", "The train to Lyon was late.")
        assert "third" in [
            hit.key for hit in two.search("railway delays in France", "a", min_score=-9.0)
        ] or two.search("train")
        assert one.admin.embed_backfill() == 1
        assert two.search("railway delays", "a", min_score=-9.0)[0].key == "third"
        one.rm("a", "third")
        assert "third" not in [hit.key for hit in two.search("railway delays", "a", min_score=-9.0)]


def test_a_repaired_store_is_searched_by_meaning_in_an_open_process(tmp_path: Path) -> None:
    """After repair, a process that had the vectors in memory goes on finding by them."""
    path = str(tmp_path / "m.db")
    with (
        Ghost.open(path, settings=Settings(embed_provider="static")) as one,
        Ghost.open(path, settings=Settings(embed_provider="static")) as two,
    ):
        one.put("a", "k", "The cat sleeps on the sofa.")
        two.put("a", "j", "Interest rates rose in March.")
        assert one.search("a kitten is napping", "a")[0].similarity is not None
        two.admin.repair()
        two.admin.embed_backfill()
        assert one.search("a kitten is napping", "a")[0].similarity is not None
        assert one.admin.embed_status().pending == 0
