"""Weekly consolidation: which parts of daily notes are proposed and why, and how they come into MEMORY.md"""

import threading
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.capture.distil_notes import DailyNote, Distilled, Proposal, consolidate_notes, propose
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.judge import find_judge
from ghostmem.judge.model import Judge
from ghostmem.settings import Settings

NOW = datetime(
    2026, 2, 18, 12, tzinfo=UTC
)  # a Wednesday: the last complete week is 2026-W07, the 9th to the 15th
SOURCE_001 = (
    "Set up ErsatzTV skill for Pierce. The API endpoint is at\nhttp://100.114.249.118:8409. Created a schedule for the\n"
    "retro cartoons channel running Saturday mornings."
)


def note(text: str, day: int = 10) -> DailyNote:
    """Return the note of a day in February."""
    return DailyNote(f"memory/2026-02-{day:02}.md", date(2026, 2, day), text)


@pytest.fixture(params=["judge", "phrases"])
def judge(request: pytest.FixtureRequest) -> Judge | None:
    """Return the judge, or None: phrases decide then."""
    return find_judge(Settings(judge="on")) if request.param == "judge" else None


# ---------------------------------------------------------------- what is proposed


@pytest.mark.requirement("001-023")
@pytest.mark.parametrize(
    "text",
    [
        "We decided to keep the media server on the old NAS.",
        "Pierce prefers short answers without greetings.",
        "From now on invoices go to the new accountant.",
        "Never deploy the shop on Fridays.",
        "Our build server is called heron and runs in the cellar.",
        "Anna is allergic to peanuts and shellfish.",
        SOURCE_001,
    ],
)
def test_what_is_worth_keeping_is_proposed(text: str, judge: Judge | None) -> None:
    """Decisions, preferences, rules and facts are proposed, with the reason."""
    [proposal] = propose([note(f"Walked the dog.\n\n{text}\n")], "", judge)
    assert (proposal.text, proposal.line) == (text, 3)
    assert proposal.reasons
    assert ("judge: " in proposal.reasons[-1]) is (judge is not None)


def test_the_phrase_is_the_reason() -> None:
    """A reason names the sort and the phrase."""
    [proposal] = propose([note("Rain.\n\n- We decided to sell the old boat.")], "")
    assert (proposal.reasons, proposal.score) == (("decision: decided",), 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "Walked the dog.",
        "Thanks, talk to you tomorrow!",
        "ok, decided",
        "- [x] decided which plants to water in the garden",
        "- [ ] remember the milk, always from the farm shop",
        "TODO: always back up the photo archive first",
        "Should we always back up the archive first?",
        "# Next steps\n\n- always restart the scheduler before a backup",
        "14:30 walked the dog around the lake.",
        "<!-- always decided: a comment that nobody reads -->",
        "```\nwe decided to always prefer code\n```",
        "| decided | prefers |\n|---|---|\n| always | never |",
        "---\ntitle: we decided to use tags\n---\n",
        "---",
        "",
    ],
)
def test_chatter_tasks_and_questions_are_not(text: str, judge: Judge | None) -> None:
    """Chatter, tasks, questions, comments, tables and code alone are not proposed."""
    assert propose([note(text)], "", judge) == []


@pytest.mark.wide(keep=4)
@pytest.mark.parametrize(
    "unit", ["a", "1", "1.", "a@", "we never ", "- ", "(from ", "`", "+1 ", "|", "#", "决定", "\\"]
)
def test_a_pasted_dump_is_not_proposed(unit: str) -> None:
    """Half a megabyte of anything is read, and is not proposed."""
    assert propose([note("We decided: " + unit * (500_000 // len(unit)))], unit * 10_000) == []


def test_a_part_is_a_paragraph_or_an_item() -> None:
    """Each has its line, its heading and the code it announces; nested items stay with it."""
    text = (
        "## 14:30\n\nCoffee with Anna.\n\nWe decided to sell\nthe old boat.\n\n### Server\n\n- [x] done\n"
        "- Always restart it with:\n\n  ```sh\n  make restart\n  ```\n\n"
        "1. Anna prefers tea:\n   - green in the morning\n   - black later\n"
    )
    found = {part.line: (part.heading, part.text) for part in propose([note(text)], "")}
    assert found == {
        5: ("", "We decided to sell\nthe old boat."),
        11: ("Server", "Always restart it with:\n```sh\nmake restart\n```"),
        17: ("Server", "Anna prefers tea:\n- green in the morning\n- black later"),
    }


def test_a_topic_that_recurs_is_proposed(judge: Judge | None) -> None:
    """What comes up on three days is proposed once, in its newest words."""
    texts = {
        9: "Scheduler container of ErsatzTV broke",
        11: "ErsatzTV scheduler container broke",
        13: "ErsatzTV scheduler broke, restarted",
    }
    found = propose([note(text, day) for day, text in texts.items()], "", judge)
    assert len(found) == 1
    assert found[0].reasons[-1] == "comes up on 3 days"
    assert judge or found[0].path == "memory/2026-02-13.md"
    assert propose([note("\n\n".join(texts.values()), 9)], "") == []


def test_a_template_is_no_topic() -> None:
    """Words that most days share do not make a part recur."""
    notes = [note("Weather, mood and sleep: good", day) for day in range(1, 15)]
    assert propose(notes, "") == []


def test_the_best_come_first_then_the_newest() -> None:
    """The order depends only on the texts: by score, by date, by place."""
    notes = [
        note("Always feed the cat before noon.", 10),
        note("The heating pump in the cellar: we decided to replace it.", 9),
        note("Never open the attic window in winter.\n\nAlways lock the garden shed at night.", 12),
        note("The heating pump in the cellar is loud.", 11),
    ]
    found = [(part.day, part.line) for part in propose(notes, "")]
    assert found == [("2026-02-09", 1), ("2026-02-12", 1), ("2026-02-12", 3), ("2026-02-10", 1)]
    assert propose(notes[::-1], "") == propose(notes, "")


# ---------------------------------------------------------------- what MEMORY.md says already


@pytest.mark.parametrize(
    ("memory", "proposed"),
    [
        ("", True),
        ("- Media server: stays on the old NAS (decided, since the new one is loud).\n", False),
        (
            "# Home\n\n## Media server\n\nDecided: keep on the old NAS.\nThe new one is too loud.\n",
            False,
        ),
        ("- The media server is fast.\n\n" + "- filler\n" * 10 + "- The old NAS is loud.\n", True),
        ("- Decided to not keep the media server on the old NAS; the new one is not loud.\n", True),
    ],
)
def test_what_is_said_already_is_not_proposed(memory: str, proposed: bool) -> None:
    """Most of its words must stand together there, and a negation makes another sentence of them."""
    text = "We decided to keep the media server on the old NAS, because the new one is too loud."
    assert bool(propose([note(text)], memory)) == proposed


def test_a_changed_number_is_news() -> None:
    """A sentence with another number in it is not said yet; the time of day at which it was written does not count."""
    memory = "- The router listens on port 8080 of the office address.\n"
    assert (
        propose([note("09:15 The router listens on port 8080 of the office address")], memory) == []
    )
    assert propose([note("The router listens on port 9090 of the office address")], memory)


def test_an_item_that_names_its_source_stands_for_it() -> None:
    """An agent may reword what it has distilled, as long as it is still about the same."""
    text = "We decided to keep the media server on the old NAS, because the new one is too loud."
    source = "(from memory/2026-02-10.md, line 1)"
    assert propose([note(text)], f"- NAS: the media server lives there, and stays {source}\n") == []
    assert propose([note(text)], f"- Feed the cat {source}\n")
    assert propose([note(text)], f"- (from memory/2026-02-10.md, line {'9' * 5_000})\n")


# ---------------------------------------------------------------- folders


def lay(root: Path, files: dict[str, str]) -> Path:
    """Write files below a root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a workspace with notes of the week before last, of last week and of this one."""
    return lay(
        tmp_path / "workspace",
        {
            "memory/MEMORY.md": "# Memory\n\n- Pierce prefers short answers without greetings.\n",
            "memory/2026-02-08.md": "Always feed the cat before noon.\n",
            "memory/2026-02-10.md": "# 2026-02-10\n\n## Home\n\nWe decided to sell the old boat.\n\nNice weather.\n",
            "memory/2026-02-12.md": "- [x] paid\n- Pierce prefers short answers without greetings.\n- 以后都用中文回复客户的邮件。\n",
            "memory/2026-02-15.md": f"{SOURCE_001}\n",
            "memory/2026-02-16.md": "From now on invoices go to the new accountant.\n",
            "memory/people.md": "We decided that this is no daily note.\n",
        },
    )


def consolidated(root: Path, **more: object) -> Distilled:
    """Consolidate as of NOW."""
    return consolidate_notes(root, **{"now": NOW, **more})  # type: ignore[arg-type]


def contents(root: Path) -> dict[str, bytes]:
    """Return every file below a root but the lock."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


@pytest.mark.requirement("001-023")
def test_the_last_complete_week_is_proposed_and_nothing_written(workspace: Path) -> None:
    """Neither the week before nor the current one; a dry run unless told to apply."""
    before = contents(workspace)
    found = consolidated(workspace)
    assert contents(workspace) == before
    assert not (workspace / ".lock").exists()
    assert [(part.path, part.line, part.heading) for part in found.proposals] == [
        ("memory/2026-02-15.md", 1, ""),
        ("memory/2026-02-12.md", 3, ""),
        ("memory/2026-02-10.md", 5, "Home"),
    ]
    assert found.to_dict() == {
        "memory": "memory/MEMORY.md",
        "until": "2026-02-15",
        "notes": 3,
        "applied": False,
        "proposals": [part.to_dict() for part in found.proposals],
        "since": "2026-02-09",
    }
    assert found.proposals[2].to_dict() == {
        "path": "memory/2026-02-10.md",
        "line": 5,
        "day": "2026-02-10",
        "text": "We decided to sell the old boat.",
        "reasons": ["decision: decided"],
        "score": 1.0,
        "heading": "Home",
    }


def test_applying_adds_a_section_and_touches_no_daily_note(workspace: Path) -> None:
    """Each part is an item that names its source; what was there stays to the byte, and again there is nothing to do."""
    before = contents(workspace)
    found = consolidated(workspace, apply=True)
    assert found.applied
    after = contents(workspace)
    added = after.pop("memory/MEMORY.md").removeprefix(before.pop("memory/MEMORY.md"))
    assert after == before
    assert added.decode() == (
        "\n## Week 2026-W07\n\n"
        "- Home: We decided to sell the old boat. (from memory/2026-02-10.md, line 5)\n"
        "- 以后都用中文回复客户的邮件。 (from memory/2026-02-12.md, line 3)\n"
        "- Set up ErsatzTV skill for Pierce. The API endpoint is at\n"
        "  http://100.114.249.118:8409. Created a schedule for the\n"
        "  retro cartoons channel running Saturday mornings. (from memory/2026-02-15.md, line 1)\n"
    )
    again = consolidated(workspace, apply=True)
    assert (again.proposals, again.applied) == ((), False)
    assert contents(workspace)["memory/MEMORY.md"].endswith(added)


def test_several_weeks_and_all(workspace: Path) -> None:
    """Two weeks, or everything before this week that is not in MEMORY.md, one section a week in order."""
    assert [part.day for part in consolidated(workspace, weeks=2).proposals].count(
        "2026-02-08"
    ) == 1
    lay(workspace, {"memory/2024-12-30.md": "Anna is allergic to peanuts and shellfish.\n"})
    consolidated(workspace, apply=True)
    found = consolidated(workspace, weeks=None, apply=True)
    assert (found.weeks, found.since, found.notes) == (("2025-W01", "2026-W06"), "", 5)
    text = (workspace / "memory" / "MEMORY.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Week 2026-W07",
        "## Week 2025-W01",
        "## Week 2026-W06",
    ]
    assert consolidated(workspace, weeks=None).proposals == ()
    assert consolidated(workspace, weeks=10**9).proposals == ()


def test_a_week_that_is_there_already_gets_more_items(workspace: Path) -> None:
    """A note that was finished later adds to its week's section, as long as that is the last one."""
    consolidated(workspace, apply=True)
    lay(workspace, {"memory/2026-02-14.md": "Anna is allergic to peanuts and shellfish.\n"})
    consolidated(workspace, apply=True)
    text = (workspace / "memory" / "MEMORY.md").read_text(encoding="utf-8")
    assert text.count("## Week 2026-W07") == 1
    assert text.endswith(
        "line 1)\n- Anna is allergic to peanuts and shellfish. (from memory/2026-02-14.md, line 1)\n"
    )


@pytest.mark.parametrize(
    ("files", "memory"),
    [
        ({"daily/2026-02-10.md": "", "MEMORY.md": ""}, "MEMORY.md"),
        ({"daily/2026-02-10.md": ""}, "MEMORY.md"),
        ({"memory/2026-02-10.md": ""}, "memory/MEMORY.md"),
        ({"memory/2026-02-10.md": "", "MEMORY.md": ""}, "MEMORY.md"),
        ({"memory/2026-02-10.md": "", "MEMORY.md": "", "memory/MEMORY.md": ""}, "memory/MEMORY.md"),
        ({"2026-02-10.md": ""}, "MEMORY.md"),
    ],
)
def test_memory_is_where_it_is_or_beside_the_notes(
    tmp_path: Path, files: dict[str, str], memory: str
) -> None:
    """At the root or in memory/, made when it is not there, with a title."""
    root = lay(
        tmp_path / "ws",
        {
            name: text or "We decided to sell the old boat.\n" * ("MEMORY" not in name)
            for name, text in files.items()
        },
    )
    found = consolidated(root, apply=True)
    assert (found.memory, len(found.proposals)) == (memory, 1)
    name = next(iter(files))
    written = f"\n## Week 2026-W07\n\n- We decided to sell the old boat. (from {name}, line 1)\n"
    assert (root / memory).read_text(encoding="utf-8") == f"# Memory\n{written}"
    assert consolidated(root).proposals == ()


@pytest.mark.parametrize(
    ("raw", "line_end"),
    [
        (b"\xef\xbb\xbf# Memory\r\n\r\nmine", b"\r\n"),
        (b"# Memory\n\nmine", b"\n"),
        (b"caf\xe9 \xff\n", b"\n"),
        (b"a\r\nb\n", b"\n"),
    ],
)
def test_memory_keeps_its_bytes_and_line_ends(workspace: Path, raw: bytes, line_end: bytes) -> None:
    """A mark, CRLF, a missing last line end and bytes that are no UTF-8 stay; what is added ends its lines alike."""
    (workspace / "memory" / "MEMORY.md").write_bytes(raw)
    consolidated(workspace, apply=True)
    after = (workspace / "memory" / "MEMORY.md").read_bytes()
    gap = line_end if raw.endswith(b"\n") else 2 * line_end
    assert after.startswith(raw + gap + b"## Week 2026-W07" + 2 * line_end + b"- ")
    assert after.removeprefix(raw).count(b"\n") == after.removeprefix(raw).count(line_end)


def test_the_week_is_the_readers_own(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Days are local: late on a Sunday in New York the week is not over, although it is Monday in Greenwich."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        found = consolidated(workspace, now=datetime(2026, 2, 16, 3, tzinfo=UTC))
        assert (found.since, found.until) == ("2026-02-02", "2026-02-08")
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_link_out_of_the_folder_is_not_written_through(workspace: Path, tmp_path: Path) -> None:
    """Within the folder a link to MEMORY.md is followed; out of it, nothing is written."""
    memory = workspace / "memory" / "MEMORY.md"
    memory.rename(workspace / "MEMORY.md")
    memory.symlink_to("../MEMORY.md")
    assert consolidated(workspace, apply=True).memory == "MEMORY.md"
    assert memory.is_symlink()
    (tmp_path / "elsewhere.md").write_text("mine\n", encoding="utf-8")
    (workspace / "MEMORY.md").unlink()
    memory.unlink()
    memory.symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(InvalidInputError, match="leads out"):
        consolidated(workspace, apply=True)
    assert (tmp_path / "elsewhere.md").read_text(encoding="utf-8") == "mine\n"


def test_what_cannot_be_done_is_told(tmp_path: Path) -> None:
    """No week at all, and no folder."""
    with pytest.raises(InvalidInputError, match="weeks 0"):
        consolidated(tmp_path, weeks=0)
    with pytest.raises(NotFoundError, match="no folder"):
        consolidated(tmp_path / "nowhere")
    assert consolidated(tmp_path).proposals == ()


def test_two_at_once_add_it_once(workspace: Path) -> None:
    """Whoever comes second reads under the lock what the first has written."""
    threads = [
        threading.Thread(target=consolidated, args=(workspace,), kwargs={"apply": True})
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (workspace / "memory" / "MEMORY.md").read_text(encoding="utf-8").count("## Week") == 1


# ---------------------------------------------------------------- whatever the notes hold

LINES = st.lists(
    st.sampled_from(
        [
            "",
            "We decided to sell the old boat.",
            "- Anna prefers green tea: always",
            "  - nested, because of port 8080",
            "1) never open the attic window",
            "## Notes on 12:30",
            "# 2026-02-10",
            "```",
            "> remember: the boiler's code is 4711",
            "| a | decided |",
            "|---|---|",
            "- [ ] todo",
            "从现在起总是用中文回复 (from memory/x.md, line 3)",
            "    indented, turns out wrong",
            "---",
            "\x00\u2028always decided\r",
        ]
    ),
    max_size=14,
)


@given(notes=st.dictionaries(st.integers(9, 15), LINES, max_size=4), memory=LINES)
@settings(max_examples=150, deadline=None)
def test_applying_twice_is_applying_once(
    tmp_path_factory: pytest.TempPathFactory, notes: dict[int, list[str]], memory: list[str]
) -> None:
    """Whatever the notes hold, what was distilled is not proposed again, and MEMORY.md only grows at its end."""
    root = tmp_path_factory.mktemp("ws")
    lay(root, {f"memory/2026-02-{day:02}.md": "\n".join(lines) for day, lines in notes.items()})
    lay(root, {"memory/MEMORY.md": "\n".join(memory)})
    before = contents(root)
    consolidated(root, apply=True)
    after = contents(root)
    assert after["memory/MEMORY.md"].startswith(before["memory/MEMORY.md"])
    assert {name: raw for name, raw in after.items() if "MEMORY" not in name} == {
        name: raw for name, raw in before.items() if "MEMORY" not in name
    }
    assert consolidated(root).proposals == ()


@given(text=st.text(max_size=200), memory=st.text(max_size=100))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_judged(text: str, memory: str) -> None:
    """No text is an error, and each proposal has reasons and stands on a line of its note."""
    for part in propose([note(text)], memory):
        assert isinstance(part, Proposal)
        assert part.reasons
        assert 1 <= part.line <= 1 + text.count("\n")
