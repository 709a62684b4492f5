"""Deciding contradictions, and the story of a fact."""

import pytest

from ghostmem import ConflictError, Ghost, InvalidInputError, LockedError, NotFoundError

NS = "agent:me"


@pytest.fixture
def disputed(ghost: Ghost) -> Ghost:
    """A store in which two memories contradict each other."""
    ghost.put(NS, "north", "Parking is at the north gate.", importance=0.8)
    ghost.put(NS, "south", "Parking is at the south gate.")
    ghost.edge(NS, "south", "north", "contradicts")
    return ghost


def test_conflicts_are_listed_until_decided(disputed: Ghost) -> None:
    """Once one side is closed, no contradictions."""
    [one] = disputed.conflicts(NS).conflicts
    assert (one.key, one.other, one.automatic) == ("south", "north", False)
    done = disputed.resolve(NS, "south")
    assert (done.keeps, done.closed) == ("south", ("north",))
    assert disputed.conflicts(NS).conflicts == ()
    assert disputed.get(NS, "south").importance == 0.8


def test_the_older_may_hold(disputed: Ghost) -> None:
    """A person may decide against what came last."""
    disputed.resolve(NS, "north", "south")
    assert [hit.key for hit in disputed.search("parking gate", NS)] == ["north"]


def test_a_decision_can_be_reversed(disputed: Ghost) -> None:
    """The memory that was retired first is valid again when it is kept."""
    disputed.resolve(NS, "south", "north")
    disputed.resolve(NS, "north", "south")
    assert [hit.key for hit in disputed.search("parking gate", NS)] == ["north"]
    north = disputed.get(NS, "north")
    assert (north.valid_to, north.tier, north.importance, dict(north.meta)) == (
        None,
        "stm",
        0.8,
        {},
    )
    assert disputed.get(NS, "south").valid_to is not None


def test_a_decision_made_twice_keeps_the_fields_from_before(disputed: Ghost) -> None:
    """Reopening restores tier and importance, however often the memory was retired."""
    disputed.resolve(NS, "south", "north")
    once = disputed.get(NS, "north").importance
    disputed.resolve(NS, "south", "north")
    assert disputed.get(NS, "north").importance == once
    disputed.reopen(NS, "north")
    north = disputed.get(NS, "north")
    assert (north.valid_to, north.tier, north.importance) == (None, "stm", 0.8)


def test_a_fact_that_ended_by_itself_is_not_reopened(ghost: Ghost) -> None:
    """Only a memory that was retired in favour of another becomes valid again."""
    ghost.put(NS, "north", "Parking was at the north gate.", valid_to="2020-01-01")
    ghost.put(NS, "south", "Parking was at the south gate.")
    ghost.resolve(NS, "north", "south")
    assert str(ghost.get(NS, "north").valid_to).startswith("2020-01-01")


def test_both_may_hold(disputed: Ghost) -> None:
    """Then they do not contradict each other any more."""
    assert disputed.resolve(NS, "south", both=True).both
    assert disputed.conflicts(NS).conflicts == ()
    assert all(not hit.note for hit in disputed.search("parking gate", NS))
    assert disputed.admin.audit_log(NS)[-1].op == "unlink"


def test_what_is_not_in_dispute_can_be_decided_by_naming_both(ghost: Ghost) -> None:
    """Without an edge both keys must be named."""
    ghost.put(NS, "north", "Parking is at the north gate.")
    ghost.put(NS, "south", "Cars go south.")
    with pytest.raises(NotFoundError, match="nothing contradicts"):
        ghost.resolve(NS, "south")
    assert ghost.resolve(NS, "south", "north").closed == ("north",)
    with pytest.raises(InvalidInputError, match="cannot contradict itself"):
        ghost.resolve(NS, "south", "south")
    with pytest.raises(NotFoundError):
        ghost.resolve(NS, "south", "east")


def test_what_is_locked_needs_unlock(ghost: Ghost) -> None:
    """A locked memory is ended only by explicit word, and nothing is half done."""
    ghost.put(NS, "north", "Parking is at the north gate.", tags=["locked"])
    ghost.put(NS, "south", "Parking is at the south gate.", importance=0.2)
    with pytest.raises(LockedError):
        ghost.resolve(NS, "south", "north")
    assert ghost.get(NS, "south").importance == 0.2
    assert ghost.resolve(NS, "south", "north", unlock=True).closed == ("north",)


def test_resolving_names_what_may_be_stale(disputed: Ghost) -> None:
    """What depends on the loser is flagged."""
    disputed.put(NS, "sign", "The sign for visitors points to the gate.")
    disputed.edge(NS, "sign", "north", "depends_on")
    assert (
        disputed.resolve(NS, "south")
        .maybe_stale[0]
        .startswith("sign depends on north, which held until")
    )


def test_a_timeline_tells_the_whole_story(ghost: Ghost, clock: object) -> None:
    """Said, changed, contradicted, ended, reopened, removed, in order; by key and by question."""
    ghost.put(NS, "north", "Parking is at the north gate.")
    clock.forward(days=1)  # type: ignore[attr-defined]
    ghost.put(NS, "north", "Parking is at the far north gate.")
    clock.forward(days=1)  # type: ignore[attr-defined]
    ghost.put(NS, "south", "Parking is at the south gate.", supersedes="north", source_user="ada")
    clock.forward(days=1)  # type: ignore[attr-defined]
    ghost.reopen(NS, "north")
    clock.forward(days=1)  # type: ignore[attr-defined]
    ghost.rm(NS, "north")
    story = [(event.key, event.event, event.by) for event in ghost.timeline(NS, "south")]
    assert story == [
        ("north", "said", None),
        ("north", "changed", None),
        ("south", "said", None),
        ("north", "contradicted", "south"),
        ("north", "ended", "south"),
        ("north", "reopened", None),
        ("north", "removed", None),
    ]
    assert [event.key for event in ghost.timeline(NS, "where is parking?")] == [
        key for key, *_ in story
    ]
    assert [event.key for event in ghost.timeline(NS, "north") if event.current] == ["south"]


def test_a_timeline_of_nothing_says_so(ghost: Ghost) -> None:
    """Neither a key nor a question that finds something."""
    ghost.put(NS, "tea", "Green.")
    with pytest.raises(NotFoundError, match="nothing in agent:me is about"):
        ghost.timeline(NS, "quantum chromodynamics lecture")
    with pytest.raises(InvalidInputError):
        ghost.timeline(NS, " ")


def test_a_section_of_a_note_is_not_ended(ghost: Ghost, tmp_path: object) -> None:
    """Files belong to their owner: the file is to be edited."""
    folder = tmp_path / "notes"  # type: ignore[operator]
    folder.mkdir()
    (folder / "parking.md").write_text("## Parking\n\nParking is at the north gate.\n")
    ghost.notes.add(str(folder), NS)
    [hit] = ghost.search("parking north gate", NS)
    ghost.put(NS, "south", "Parking is at the south gate.")
    with pytest.raises(ConflictError, match="is a section of"):
        ghost.resolve(NS, "south", hit.key, unlock=True)
