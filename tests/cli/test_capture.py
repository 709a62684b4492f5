"""ghost capture: from text and from JSON, shown or stored"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

TEXT = "I prefer tabs over spaces in Go files. Never push to main! What now?"


def test_text_is_captured(ghost_cli: "GhostCli") -> None:
    """Not on a terminal, what is found is stored, and each says why."""
    out = ghost_cli.ok("capture", "-n", "a", TEXT, "--source-user", "ana")
    assert "captured 2 candidates, 2 stored" in out
    assert "because: preference: I prefer" in out
    assert ghost_cli.names("-n", "a") == ["a/push-main", "a/tabs-spaces-go-files"]
    assert ghost_cli.row("get", "-n", "a", "push-main")["source_user"] == "ana"


def test_standard_input_and_a_file(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A text may come from anywhere."""
    assert "2 stored" in ghost_cli.ok("capture", "-n", "a", input=TEXT)
    (tmp_path / "t.txt").write_text("\ufeffI live in Lisbon.", encoding="utf-8")
    assert "1 stored" in ghost_cli.ok("capture", "-n", "a", "--file", tmp_path / "t.txt")


def test_json_is_output(ghost_cli: "GhostCli") -> None:
    """--json prints one object with every candidate, its verdict and its outcome."""
    found = ghost_cli.row("capture", "-n", "a", TEXT)
    assert [one["sort"] for one in found["candidates"]] == ["preference", "boundary"]
    assert all(
        one["outcome"] == "created" and one["verdict"]["kind"] == "new"
        for one in found["candidates"]
    )
    assert ghost_cli.row("capture", "-n", "a", "Nice weather today.")["candidates"] == []


def test_candidates_from_json(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A list of objects is recognised on standard input, in a file, and with --candidates."""
    given = [
        {"key": "tz", "content": "Ana works in Berlin time.", "kind": "fact", "importance": 0.7}
    ]
    text = json.dumps(given)
    assert "1 stored" in ghost_cli.ok("capture", "-n", "a", input=text)
    memory = ghost_cli.row("get", "-n", "a", "tz")
    assert (memory["source_kind"], memory["importance"]) == ("observed", 0.7)
    (tmp_path / "c.json").write_text(json.dumps({"candidates": given}), encoding="utf-8")
    assert "reinforced" in ghost_cli.ok("capture", "-n", "a", "--candidates", tmp_path / "c.json")
    assert "reinforced" in ghost_cli.ok("capture", "-n", "a", "--candidates", "-", input=text)
    (tmp_path / "d.json").write_text(text, encoding="utf-8")
    assert "reinforced" in ghost_cli.ok("capture", "-n", "a", "--file", tmp_path / "d.json")


def test_bad_candidates_are_named(ghost_cli: "GhostCli") -> None:
    """The good ones go on; when none is good, it is an error."""
    given = [{"content": "Bo lives in Rome."}, {"content": 3}, {"text": "x"}]
    result = ghost_cli("capture", "-n", "a", "--candidates", "-", input=json.dumps(given))
    assert result.code == 0
    assert "candidate 2: content must be a string" in result.err
    assert "candidate 3: " in result.err
    message, _ = ghost_cli.fails(
        2, "capture", "-n", "a", "--candidates", "-", input='[{"content": 3}]'
    )
    assert "candidate 1" in message
    ghost_cli.fails(2, "capture", "-n", "a", "--candidates", "-", input="not json")
    ghost_cli.fails(2, "capture", "-n", "a", "--candidates", "-", input='"text"')
    ghost_cli.fails(3, "capture", "-n", "a", "--candidates", "gone.json")


def test_a_dry_run_says_how_to_store(ghost_cli: "GhostCli") -> None:
    """Nothing is stored, and the next command is printed."""
    result = ghost_cli("capture", "-n", "a", "--dry-run", "I prefer tabs, not spaces; it's better.")
    assert result.code == 0
    assert "found 1 candidate" in result.out
    assert (
        """ghost capture -n a --store -- 'I prefer tabs, not spaces; it'"'"'s better.'"""
        in result.err
    )
    assert ghost_cli.names("-n", "a") == []


def test_on_a_terminal_it_only_shows(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless --store is given."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    class Terminal:
        """A standard input that is a terminal."""

        def isatty(self) -> bool:
            """Say so."""
            return True

    from ghostmem.cli.main import run

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert run(["capture", "-n", "a", TEXT]) == 0
    assert ghost_cli.names("-n", "a") == []
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert run(["capture", "-n", "a", "--store", TEXT]) == 0
    assert len(ghost_cli.names("-n", "a")) == 2


def test_control_characters_do_nothing_to_a_terminal(ghost_cli: "GhostCli") -> None:
    """What is shown is made visible."""
    text = "I prefer tabs over \x1b[31mspaces in all of our Go files."
    out = ghost_cli.ok("capture", "-n", "a", "--dry-run", text)
    assert "\x1b[31m" not in out
    assert "␛" in out


def test_wrong_uses_are_refused(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Two sources, no namespace, a file that is no text."""
    ghost_cli.fails(2, "capture", "-n", "a", "--file", "x", "text")
    ghost_cli.fails(2, "capture", "-n", "", "text")
    (tmp_path / "b").write_bytes(b"\xff\xfe")
    ghost_cli.fails(2, "capture", "-n", "a", "--file", tmp_path / "b")
    ghost_cli.fails(3, "capture", "-n", "a", "--file", tmp_path / "gone")
    ghost_cli.fails(2, "capture", "-n", "a", "--min", "7", "text")


def test_the_originals_flags(ghost_cli: "GhostCli") -> None:
    """The command of the original's Stop hook: a buffer of labelled prompts, tags and limits."""
    buffer = "User: I prefer tabs over spaces in Go files.\nAssistant: We never use Redis here.\n"
    found = ghost_cli.row(
        *("capture", "-n", "a", "--source", "session:1", "-t", "project:shop,date:2026-11-16"),
        *("--min-salience", "0.55", "--max", "8", "--speaker", "user"),
        input=buffer,
    )
    assert [one["content"] for one in found["candidates"]] == [
        "I prefer tabs over spaces in Go files."
    ]
    memory = ghost_cli.row("get", "-n", "a", found["candidates"][0]["key"])
    assert memory["tags"][-3:] == ["project:shop", "date:2026-11-16", "session:1"]
    strict = ghost_cli.row("capture", "-n", "b", "--min-salience", "0.99", TEXT)
    assert strict["candidates"] == []


def test_no_limit_for_the_candidates(ghost_cli: "GhostCli") -> None:
    """--max -1 keeps all; other numbers below 1 are refused."""
    text = " ".join(f"I prefer the tool number-{number} for task-{number}." for number in range(14))
    assert len(ghost_cli.row("capture", "-n", "a", "--dry-run", text)["candidates"]) == 12
    found = ghost_cli.row("capture", "-n", "a", "--dry-run", "--max", "-1", text)
    assert len(found["candidates"]) == 14
    ghost_cli.fails(2, "capture", "-n", "a", "--max", "-2", text)


def test_one_kind_for_all(ghost_cli: "GhostCli") -> None:
    """--kind replaces what the words suggest; another word is refused."""
    found = ghost_cli.row("capture", "-n", "a", TEXT, "--kind", "episodic")
    assert {one["kind"] for one in found["candidates"]} == {"episodic"}
    ghost_cli.fails(2, "capture", "-n", "a", TEXT, "--kind", "fact")


def test_without_dedup_a_restatement_is_stored(ghost_cli: "GhostCli") -> None:
    """--no-dedup stores each candidate; --dedup is the default."""
    ghost_cli.ok("put", "-n", "a", "-k", "go", "I prefer tabs over spaces in Go files.")
    text = "I prefer tabs over spaces in Go files."
    assert "0 stored" in ghost_cli.ok("capture", "-n", "a", text, "--dedup")
    assert ghost_cli.names("-n", "a") == ["a/go"]
    assert "1 stored" in ghost_cli.ok("capture", "-n", "a", text, "--no-dedup")
    assert len(ghost_cli.names("-n", "a")) == 2


def test_candidates_of_the_original(ghost_cli: "GhostCli") -> None:
    """`capture --json` reads the list that the original's dry run prints."""
    listed = [
        {
            "content": "Deploys happen on Tuesdays.",
            "key": "deploys",
            "kind": "semantic",
            "importance": 0.6,
            "priority": "high",
            "cues": ["decision"],
            "entities": ["Tuesdays"],
        }
    ]
    found = ghost_cli.row("capture", "-n", "a", input=json.dumps(listed))
    assert [one["outcome"] for one in found["candidates"]] == ["created"]
    assert ghost_cli.row("get", "-n", "a", "deploys")["priority"] == "high"


def test_a_speaker_goes_with_a_text(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Of a transcript only the user's turns are read anyway."""
    (tmp_path / "t.jsonl").write_text("{}\n", encoding="utf-8")
    ghost_cli.fails(
        2, "capture", "-n", "a", "--transcript", tmp_path / "t.jsonl", "--speaker", "user"
    )


def test_a_capture_without_the_judge_says_so(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Phrases find less than the judge, and the output says that only they were used."""
    text = "We deploy only on Tuesdays."
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    assert "the judge was not used" in ghost_cli("capture", "-n", "a", text).err
    [report] = ghost_cli.rows("capture", "-n", "a", text)
    assert "the judge was not used" in report["notes"][0]
    monkeypatch.setenv("GHOST_JUDGE", "off")
    assert "the judge was not used" not in ghost_cli("capture", "-n", "a", text).err
