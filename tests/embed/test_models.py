"""The local models: which one a store has, and that a change of the model never leaves a search without vectors."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.embed.models import SPECIFIED, TUNED
from ghostmem.memory.embedding import catch_up
from ghostmem.settings import Settings

Open = Callable[..., Ghost]
TEXTS = [
    "The cat sleeps on the sofa.",
    "Interest rates rose in March.",
    "The train to Lyon was late.",
    "A physician prescribed medicine.",
    "The bakery sells rye bread.",
]
QUESTION = "where is the kitten napping?"


def settings(model: str = "") -> Settings:
    """Return the settings of a local model by its name."""
    return Settings(embed_provider="local", embed_model=model)


def fill(ghost: Ghost) -> Ghost:
    """Store a few memories."""
    for number, text in enumerate(TEXTS):
        ghost.put("a", f"k{number}", text)
    return ghost


def finds_by_meaning(ghost: Ghost) -> bool:
    """Say whether a search compares all vectors and finds the cat."""
    found = ghost.search(QUESTION, "a")
    return found.notes == () and "vector" in found.legs and found[0].key == "k0"


def models(ghost: Ghost) -> dict[str, int]:
    """Return how many chunks have vectors, by the names of the models."""
    with ghost.store.engine.read() as tx:
        counts = tx.vectors.counts()
    return {name.partition("/")[0]: count for name, count in counts.items() if name}


class StoppedError(Exception):
    """Stops a switch."""


def stop(_: int) -> None:
    """Stop a switch after its first batch."""
    raise StoppedError


def test_a_new_store_takes_the_tuned_model(open_ghost: Open) -> None:
    """Without a name, a store without vectors gets those of the model for new stores, and keeps it."""
    ghost = fill(open_ghost("m.db", embed_provider="local"))
    assert models(ghost) == {TUNED.id: 5}
    assert finds_by_meaning(ghost)
    status = open_ghost("m.db", embed_provider="local").admin.embed_status()
    assert (status.model, status.pending, status.next_model) == (TUNED.id, 0, "")


def test_a_store_that_lost_its_vectors_is_as_new(open_ghost: Open) -> None:
    """When the last vector of the old model is gone, the next put takes the model of new stores."""
    old = open_ghost("m.db", embed_provider="local", embed_model=SPECIFIED.name)
    old.put("a", "k", TEXTS[0])
    old.rm("a", "k", hard=True, all_versions=True)
    ghost = fill(open_ghost("m.db", embed_provider="local"))
    assert models(ghost) == {SPECIFIED.id: 0, TUNED.id: 5}
    assert finds_by_meaning(ghost)


@pytest.mark.requirement("002-200")
def test_a_filled_store_keeps_its_model(open_ghost: Open) -> None:
    """A store of the specified model is searched and filled with it, and no other model is loaded."""
    fill(open_ghost("m.db", embed_provider="local", embed_model=SPECIFIED.name))
    ghost = open_ghost("m.db", embed_provider="local")
    assert finds_by_meaning(ghost)
    ghost.put("a", "dog", "A dog barks.")
    assert ghost.admin.embed_backfill() == 0
    assert models(ghost) == {SPECIFIED.id: 6}
    assert ghost.admin.embed_status().next_model == TUNED.id
    assert list(ghost.store.vectoriser._embedders) == [SPECIFIED.id]


def switched(open_: Callable[[str], Ghost], old: str, new: str) -> Ghost:
    """Change the model of a store, stopped half way once, with another process that is open all the time."""
    before, witness, ghost = fill(open_(old)), open_(old), open_(new)
    first, last = before.admin.embed_status().model, ghost.store.vectoriser.chosen_model
    assert first != last
    assert finds_by_meaning(witness)
    with pytest.raises(StoppedError):
        ghost.admin.embed_switch(progress=stop)
    for other in (ghost, witness, open_(old), open_(new)):
        assert models(other) == {first: 5, last: 2}
        assert other.admin.embed_status().model == first
        assert finds_by_meaning(other)
    witness.put("a", "dog", "A dog barks in the yard.")
    assert models(witness) == {first: 6, last: 2}
    assert ghost.admin.embed_switch() == 4
    for other in (ghost, witness, open_(old), open_(new)):
        assert models(other) == {last: 6}
        assert other.admin.embed_status().model == last
        assert finds_by_meaning(other)
    witness.put("a", "cow", "A cow grazes.")
    assert models(ghost) == {last: 7}
    assert ghost.admin.embed_switch() == 0
    assert ghost.admin.check().problems == ()
    return ghost


@pytest.fixture
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a switch work on two chunks at a time."""
    monkeypatch.setattr("ghostmem.memory.embedding.BATCH", 2)


@pytest.mark.requirement("002-200")
@pytest.mark.parametrize(
    ("old", "new"), [(SPECIFIED.name, TUNED.name), (TUNED.name, SPECIFIED.name)]
)
@pytest.mark.usefixtures("_small_batches")
def test_a_switch_leaves_no_search_without_vectors(open_ghost: Open, old: str, new: str) -> None:
    """Before, half way, and after it, every process finds by meaning; what is put meanwhile is not lost."""
    switched(lambda name: open_ghost("m.db", embed_provider="local", embed_model=name), old, new)


@pytest.mark.usefixtures("_small_batches")
def test_a_switch_on_postgresql(pg_url: str) -> None:
    """The same holds where workers share the work."""
    opened: list[Ghost] = []

    def open_(model: str) -> Ghost:
        opened.append(Ghost.open(pg_url, settings=settings(model)))
        return opened[-1]

    try:
        switched(open_, SPECIFIED.name, TUNED.name)
    finally:
        for ghost in opened:
            ghost.close()


def test_without_a_name_a_switch_goes_to_the_model_of_new_stores(open_ghost: Open) -> None:
    """A plain `ghost embed switch` is the way from the specified model to the tuned one."""
    fill(open_ghost("m.db", embed_provider="local", embed_model=SPECIFIED.name))
    ghost = open_ghost("m.db", embed_provider="local")
    assert ghost.admin.embed_switch() == 5
    assert models(ghost) == {TUNED.id: 5}


@pytest.mark.parametrize(
    "change",
    [
        lambda ghost: ghost.admin.embed_backfill(),
        lambda ghost: catch_up(ghost.store, switching=True),
    ],
)
def test_a_name_in_the_settings_changes_the_model(
    open_ghost: Open, change: Callable[[Ghost], int]
) -> None:
    """With the other name set, a backfill and a server that starts replace the vectors."""
    fill(open_ghost("m.db", embed_provider="local"))
    named = open_ghost("m.db", embed_provider="local", embed_model=SPECIFIED.name)
    assert named.admin.embed_status().next_model == SPECIFIED.id
    assert change(named) == 5
    assert models(named) == {SPECIFIED.id: 5}
    plain = open_ghost("m.db", embed_provider="local")
    assert catch_up(plain.store, switching=True) == 0
    assert models(plain) == {SPECIFIED.id: 5}


def test_a_put_during_the_change_gets_vectors_of_the_new_model(
    open_ghost: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text that was embedded with the old model just before the change is embedded again."""
    import ghostmem.graph.autolink as module

    one = fill(open_ghost("m.db", embed_provider="local", embed_model=SPECIFIED.name))
    two = open_ghost("m.db", embed_provider="local", embed_model=TUNED.name)
    look = module.find_near

    def interrupted(*args: Any) -> Any:
        found = look(*args)
        monkeypatch.undo()
        thread = threading.Thread(target=two.admin.embed_switch)
        thread.start()
        thread.join()
        return found

    monkeypatch.setattr(module, "find_near", interrupted)
    one.put("a", "cat", "The cat sleeps on the sofa all day.")
    assert models(one) == {TUNED.id: 6}
    assert one.admin.embed_status().pending == 0
    assert [edge.to_key for edge in one.edges("a", "cat")] == ["k0"]


def overtaken(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the model while a backfill with the old one has vectors that it has not written yet."""
    import ghostmem.memory.embedding as module

    with Ghost.open(target, settings=settings(SPECIFIED.name)) as old:
        fill(old)
        with Ghost.open(target, settings=Settings(embed_provider="none")) as plain:
            plain.put("a", "late", "The tram was late.")
        embed = module._embed

        def interrupted(*args: Any) -> Any:
            rows = embed(*args)
            monkeypatch.undo()
            with Ghost.open(target, settings=settings(TUNED.name)) as new:
                new.admin.embed_switch()
            return rows

        monkeypatch.setattr(module, "_embed", interrupted)
        assert old.admin.embed_backfill() == 0
        assert models(old) == {TUNED.id: 6}
        assert old.admin.check().problems == ()


def test_a_backfill_that_the_change_overtakes_writes_nothing_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors of the old model that are ready after the change are left out."""
    overtaken(str(tmp_path / "m.db"), monkeypatch)


def test_a_backfill_on_postgresql_that_the_change_overtakes(
    pg_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same holds where workers share the work."""
    overtaken(pg_url, monkeypatch)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_forked_while_a_model_loads_loads_its_own(tmp_path: Path) -> None:
    """A child does not wait for a thread that only its parent has."""
    with Ghost.open(tmp_path / "m.db", settings=settings()) as ghost:
        with ghost.store.vectoriser._lock:
            child = os.fork()
            if not child:
                os._exit(0 if ghost.store.vectoriser.chosen() is not None else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_unknown_name_is_told_with_the_names_there_are(open_ghost: Open) -> None:
    """The memory is stored, and the note of a search lists the models."""
    ghost = open_ghost("m.db", embed_provider="local", embed_model="bge-m3")
    ghost.put("a", "k", "The deployment runs.")
    found = ghost.search("deployment", "a")
    assert [hit.key for hit in found] == ["k"]
    assert len(found.notes) == 1
    for name in ("bge-m3", SPECIFIED.name, TUNED.name):
        assert name in found.notes[0]
    assert models(ghost) == {}


def test_the_state_in_a_past_is_searched_with_the_model_of_the_store(
    open_ghost: Open, clock: Any
) -> None:
    """A search as of a time copies the vectors of the store's model, and compares with it."""
    fill(open_ghost("m.db", embed_provider="local", embed_model=SPECIFIED.name))
    ghost = open_ghost("m.db", embed_provider="local")
    at = clock()
    found = ghost.search(QUESTION, "a", as_of=at)
    assert found[0].key == "k0"
    assert "vector" in found.legs
    assert list(ghost.store.vectoriser._embedders) == [SPECIFIED.id]
