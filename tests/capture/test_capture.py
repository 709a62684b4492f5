"""Capture through the verdict gate: from texts, from transcripts, from a model's candidates"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError
from ghostmem.model import Kind, Outcome, SourceKind

DATA = Path(__file__).parent.parent / "data" / "transcripts"
TEXT = "I prefer tabs over spaces in Go files. Never push to main. Can you fix the test?"


def test_what_is_found_is_stored(ghost: Ghost) -> None:
    """Each candidate becomes a memory with its sort as a tag, as the user's word."""
    done = ghost.capture(TEXT, "a", source_user="ana")
    assert [(one.key, one.outcome) for one in done.candidates] == [
        ("tabs-spaces-go-files", Outcome.CREATED),
        ("push-main", Outcome.CREATED),
    ]
    memory = ghost.get("a", "push-main")
    assert (memory.content, memory.kind) == ("Never push to main.", Kind.SEMANTIC)
    assert (memory.tags, memory.source_kind, memory.source_user) == (
        ("captured", "boundary"),
        SourceKind.STATED,
        "ana",
    )
    assert memory.importance == done.candidates[1].importance
    assert done.stored == 2


def test_the_judge_decides_if_the_settings_ask_for_it(open_ghost: Callable[..., Ghost]) -> None:
    """A statement without any phrase is found, and the reason is its probability."""
    text = "Can you fix the test? The staging database of the shop is named heron."
    [one] = open_ghost("judge.db", judge="on").capture(text, "a").candidates
    assert (one.content, one.sort) == ("The staging database of the shop is named heron.", "fact")
    assert one.reasons[0].startswith("judge: ")
    assert open_ghost("phrases.db", judge="off").capture(text, "a").candidates == ()


def test_a_dry_run_stores_nothing_and_foresees_the_verdict(ghost: Ghost) -> None:
    """The report is the same but for what was done."""
    dry = ghost.capture(TEXT, "a", dry_run=True)
    assert ghost.list() == []
    assert [(one.outcome, one.verdict.kind) for one in dry.candidates if one.verdict] == [
        (None, "new"),
        (None, "new"),
    ]
    assert [one.key for one in ghost.capture(TEXT, "a").candidates] == [
        one.key for one in dry.candidates
    ]


def test_the_same_again_reinforces(ghost: Ghost) -> None:
    """No row is added by capturing a text twice."""
    ghost.capture(TEXT, "a")
    again = ghost.capture(TEXT, "a")
    assert {one.outcome for one in again.candidates} == {Outcome.REINFORCED}
    assert len(ghost.list(ns="a")) == 2
    assert ghost.get("a", "push-main").version == 1


def test_a_restatement_under_another_key_reinforces_the_first(ghost: Ghost) -> None:
    """The gate of verdicts finds what is known under another key."""
    ghost.put("a", "branches", "Never push to main.")
    [one] = ghost.capture("Never push to main.", "a").candidates
    assert (one.outcome, one.stored_as) == (Outcome.REINFORCED, "branches")
    assert [memory.key for memory in ghost.list(ns="a")] == ["branches"]


def test_another_text_never_overwrites_a_key(ghost: Ghost) -> None:
    """A key that another text has is left alone; the new key is the same the next time."""
    ghost.put("a", "push-main", "Quite another thing.", tags=["mine"])
    first = ghost.capture("Never push to main.", "a").candidates[0]
    second = ghost.capture("Never push to main.", "a").candidates[0]
    assert ghost.get("a", "push-main").content == "Quite another thing."
    assert first.key == second.key != "push-main"
    assert second.outcome is Outcome.REINFORCED


def test_limits_and_tags(ghost: Ghost) -> None:
    """least and most narrow what is taken; tags are added."""
    assert ghost.capture(TEXT, "a", most=1, dry_run=True).candidates[0].key == "push-main"
    assert ghost.capture(TEXT, "a", least=0.99).candidates == ()
    assert ghost.capture(TEXT, "a", tags=["x"]).candidates[0].tags == (
        "captured",
        "preference",
        "x",
    )
    for wrong, error in (
        ({"least": 2.0}, r"least \(--min\) 2.0 is out of range"),
        ({"most": 0}, r"most \(--max\) must be at least 1 \(got 0\)"),
        ({"source_kind": "guessed"}, "invalid source_kind 'guessed'"),
    ):
        with pytest.raises(InvalidInputError, match=error):
            ghost.capture(TEXT, "a", **wrong)  # type: ignore[arg-type]


def test_one_source_at_a_time(ghost: Ghost) -> None:
    """A text, a transcript or candidates; nothing and two of them are refused."""
    with pytest.raises(InvalidInputError, match="one source"):
        ghost.capture(None, "a")
    with pytest.raises(InvalidInputError, match="one source"):
        ghost.capture("x", "a", candidates=[])


def test_only_the_users_turns_of_a_transcript_are_captured(ghost: Ghost) -> None:
    """What the agent and its programs say is not the user's word; each keeps its session and its time."""
    done = ghost.capture(None, "a", transcript=DATA / "claude")
    contents = [one.content for one in done.candidates]
    assert "I prefer integer cents everywhere, never floats." in contents
    assert "No, the tax is rounded per line, not per cart." in contents
    assert "We decided to ship on Tuesday." in contents
    assert not any(
        word in text
        for text in contents
        for word in ("Understood", "todo", "trust", "Caveat", "reminder")
    )
    [memory] = [memory for memory in ghost.list(ns="a") if "per cart" in memory.content]
    assert memory.source_scope == "3f1c9a52-7d1e-4b0a-9c55-0d2f6f1a7e01"
    assert (memory.source_client, memory.source_kind) == ("claude-code", SourceKind.STATED)
    assert f"{memory.created_at:%Y-%m-%d %H:%M}" == "2026-03-02 09:10"
    assert any("line 17" in note for note in done.notes)
    assert {
        one.outcome for one in ghost.capture(None, "a", transcript=DATA / "claude").candidates
    } == {Outcome.REINFORCED}


def test_null_in_a_candidate_means_that_the_field_is_missing(ghost: Ghost) -> None:
    """Except for the content, which is required."""
    given = [{"content": "Ana lives in Oslo.", "key": None, "tags": None}, {"content": None}]
    done = ghost.capture(None, "agent:me", candidates=given)
    assert [one.outcome for one in done.candidates] == ["created"]
    assert "content is required" in done.refused[0]


def test_candidates_of_a_model_go_through_the_same_gate(ghost: Ghost) -> None:
    """They are observed, not stated; both sorts and kinds are understood."""
    given = [
        {
            "key": "tz",
            "content": "Ana works in Berlin time.",
            "kind": "fact",
            "importance": 0.7,
            "tags": ["people"],
        },
        {"content": "To release, tag and push.", "kind": "procedure"},
        {"content": "Ana works in Berlin time."},
    ]
    done = ghost.capture(None, "a", candidates=given)
    assert [one.outcome for one in done.candidates] == [
        Outcome.CREATED,
        Outcome.CREATED,
        Outcome.REINFORCED,
    ]
    memory = ghost.get("a", "tz")
    assert (memory.source_kind, memory.importance, memory.tags) == (
        SourceKind.OBSERVED,
        0.7,
        ("captured", "fact", "people"),
    )
    assert ghost.get("a", done.candidates[1].key).kind is Kind.PROCEDURAL
    stated = ghost.capture(
        None, "a", candidates=[{"content": "Bo lives in Rome."}], source_kind="stated"
    )
    assert ghost.get("a", stated.candidates[0].key).source_kind is SourceKind.STATED


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({}, "content is required"),
        ({"content": ""}, "too small"),
        ({"content": "  \n"}, "content is required"),
        ({"content": 3}, "must be a string"),
        ({"content": "x", "importance": 7}, "too large"),
        ({"content": "x", "kind": "opinion"}, "invalid kind"),
        ({"content": "x", "tags": "a,b"}, "must be a list"),
        ({"content": "x", "source_kind": "stated"}, "invalid source_kind"),
        ({"content": "x", "pinned": True}, "no argument"),
        ({"content": "x", "key": "k\nl"}, "invalid key"),
        ({"content": "x", "valid_to": "some day"}, "not a date"),
        ({"content": "nul \x00"}, "NUL"),
        ("text", "must be an object"),
        (None, "must be an object"),
    ],
)
def test_each_bad_candidate_is_named_and_the_others_go_on(
    ghost: Ghost, wrong: Any, why: str
) -> None:
    """One bad object costs no other."""
    done = ghost.capture(None, "a", candidates=[{"content": "Bo lives in Rome."}, wrong])
    assert [one.outcome for one in done.candidates] == [Outcome.CREATED]
    [said] = done.refused
    assert said.startswith("candidate 2: ")
    assert why in said


def test_secrets_reach_neither_content_nor_key(
    open_ghost: Callable[..., Ghost], tmp_path: Path
) -> None:
    """What names a memory is made after secrets are gone, and no byte of them is in the file."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ghost = open_ghost("s.db")
    done = ghost.capture(f"Remember that the token of the bot is {secret}.", "a")
    assert len(done.candidates) == 1
    assert secret not in str(done.to_dict())
    ghost.close()
    assert all(secret.encode() not in file.read_bytes() for file in tmp_path.glob("s.db*"))


def test_the_report_is_plain_data(ghost: Ghost) -> None:
    """What JSON output shows."""
    found = ghost.capture(TEXT, "a").to_dict()
    assert found["dry_run"] is False
    first = found["candidates"][0]
    assert (first["key"], first["sort"], first["kind"], first["outcome"]) == (
        "tabs-spaces-go-files",
        "preference",
        "semantic",
        "created",
    )
