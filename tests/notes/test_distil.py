"""Weekly consolidation: which parts of daily notes are proposed and why, and how they come into MEMORY.md"""

import threading
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.capture.distil_notes import Distilled, consolidate_notes
from ghostmem.capture.rules.distil import Dated, Proposal, propose
from ghostmem.errors import InvalidInputError, NotFoundError

NOW = datetime(
    2026, 2, 18, 12, tzinfo=UTC
)  # a Wednesday: the last complete week is 2026-W07, the 9th to the 15th
SOURCE_001 = (
    "Set up ErsatzTV skill for Pierce. The API endpoint is at\nhttp://100.114.249.118:8409. Created a schedule for the\n"
    "retro cartoons channel running Saturday mornings."
)


def section(text: str, day: int = 10, heading: str = "", line: int = 1) -> Dated:
    """Return a section of the note of a day in February."""
    return Dated(f"memory/2026-02-{day:02}.md", date(2026, 2, day), line, heading, text)


def reasons(text: str, heading: str = "") -> tuple[str, ...] | None:
    """Return why the only part of a text is proposed; None when it is not."""
    found = propose([section(text, heading=heading)], "")
    assert len(found) <= 1
    return found[0].reasons if found else None


# ---------------------------------------------------------------- what is proposed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("We decided to keep the media server on the old NAS.", "says what was decided"),
        ("Agreed with Anna to split the hosting bill.", "says what was decided"),
        ("Pierce prefers short answers without greetings.", "says what somebody prefers"),
        ("Anna loves the quiet table near the window.", "says what somebody prefers"),
        ("Remember: the boiler's code is on the cellar door.", "asks to be remembered"),
        ("From now on invoices go to the new accountant.", "says what holds from now on"),
        ("Turns out the scheduler leaks memory after midnight.", "corrects what was believed"),
        ("Lesson: check the battery before every flight.", "tells what was learned"),
        ("Always restart the scheduler before a backup.", "states a rule"),
        ("We never deploy the shop on Fridays.", "states a rule"),
        ("Anna is allergic to peanuts and shellfish.", "tells a fact about somebody"),
        ("The build server runs on 10.0.0.7 behind the proxy.", "gives an address"),
        ("The version of the router firmware is v4.2.", "gives a version, a date or a number"),
        (SOURCE_001, "gives an address"),
        ("我们决定把备份放在家里的服务器上。", "says what was decided"),
        ("以后都用中文回复客户的邮件。", "says what holds from now on"),
        ("小王对花生过敏，点菜要注意。", "tells a fact about somebody"),
        ("Ana prefiere el té verde sin azúcar.", "says what somebody prefers"),
        ("Decidimos guardar las copias en casa.", "says what was decided"),
        ("Nunca publicar la tienda los viernes.", "states a rule"),
    ],
)
def test_what_is_worth_keeping_is_proposed_and_told_why(text: str, reason: str) -> None:
    """Decisions, preferences, rules, corrections, lessons and facts, each with its reason in plain words."""
    assert reason in (reasons(text) or ())


@pytest.mark.parametrize(
    "text",
    [
        "Coffee with Anna, nice weather.",
        "Thanks, talk to you tomorrow!",
        "ok, decided",
        "- [x] decided which plants to water in the garden",
        "- [ ] remember the milk, always from the farm shop",
        "TODO: always back up the photo archive first",
        "Should we always back up the archive first?",
        "Not decided yet which router to buy.",
        "We haven't agreed on a name for the boat.",
        "We never saw so much rain in one week.",
        "Remember to buy milk and bread on the way.",
        "Read https://example.com/article about gardens.",
        "14:30 walked the dog around the lake.",
        "<!-- always decided: a comment that nobody reads -->",
        "```\nwe decided to always prefer code\n```",
        "| decided | prefers |\n|---|---|\n| always | never |",
        "---",
        "",
    ],
)
def test_chatter_tasks_and_questions_are_not(text: str) -> None:
    """What passes, what is yet to be done, what is undecided and what is code alone."""
    assert reasons(text) is None


@pytest.mark.wide(keep=4)
@pytest.mark.parametrize(
    "unit", ["a", "1", "1.", "a@", "we never ", "- ", "(from ", "`", "+1 ", "|", "#", "决定", "\\"]
)
def test_a_pasted_dump_is_not_proposed(unit: str) -> None:
    """Half a megabyte of anything is read, and is no fact."""
    assert propose([section("We decided: " + unit * (500_000 // len(unit)))], unit * 10_000) == []


def test_tasks_under_a_heading_are_tasks() -> None:
    """A list of things to do needs no boxes."""
    assert reasons("- always restart the scheduler before a backup", heading="Next steps") is None
    assert reasons("- restart the scheduler before a backup", heading="Decisions") == (
        "says what was decided",
    )


def test_a_part_is_a_paragraph_or_an_item() -> None:
    """Each has its own line, the nearest heading and, where it announces it, its code; nested items stay with their parent."""
    text = (
        "Coffee with Anna.\n\nWe decided to sell\nthe old boat.\n\n### Server\n\n- [x] done\n- Always restart it with:\n\n"
        "  ```sh\n  make restart\n  ```\n\n1. Anna prefers tea:\n   - green in the morning\n   - black later\n"
    )
    found = {part.line: part for part in propose([section(text, heading="14:30", line=5)], "")}
    assert {line: (part.heading, part.text) for line, part in found.items()} == {
        7: ("", "We decided to sell\nthe old boat."),
        13: ("Server", "Always restart it with:\n```sh\nmake restart\n```"),
        19: ("Server", "Anna prefers tea:\n- green in the morning\n- black later"),
    }


def test_a_topic_that_recurs_is_proposed() -> None:
    """What comes up on three days matters without any cue, and is proposed once, in its newest words."""
    texts = {
        9: "Scheduler container of ErsatzTV broke",
        11: "ErsatzTV scheduler container broke",
        13: "ErsatzTV scheduler broke, restarted",
    }
    found = propose([section(text, day) for day, text in texts.items()], "")
    assert [(part.path, part.reasons) for part in found] == [
        ("memory/2026-02-13.md", ("comes up on 3 days",))
    ]
    assert propose([section(text, 9) for text in texts.values()], "") == []


def test_the_strongest_come_first_then_the_newest() -> None:
    """The order depends on nothing but the texts: by score, by date, by place."""
    sections = [
        section("Always feed the cat before noon.", 10),
        section("We decided on blue paint, because Anna prefers blue.", 9),
        section(
            "Never open the attic window in winter.\n\nAlways lock the garden shed at night.", 12
        ),
    ]
    found = [(part.day, part.line) for part in propose(sections, "")]
    assert found == [("2026-02-09", 1), ("2026-02-12", 1), ("2026-02-12", 3), ("2026-02-10", 1)]
    assert propose(sections[::-1], "") == propose(sections, "")


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
    assert bool(propose([section(text)], memory)) == proposed


def test_a_changed_number_is_news() -> None:
    """A sentence with another number in it is not said yet; the time of day at which it was written does not count."""
    memory = "- The router listens on port 8080 of the office address.\n"
    assert (
        propose([section("09:15 The router listens on port 8080 of the office address")], memory)
        == []
    )
    assert propose([section("The router listens on port 9090 of the office address")], memory)


def test_an_item_that_names_its_source_stands_for_it() -> None:
    """An agent may reword what it has distilled, as long as it is still about the same."""
    text = "We decided to keep the media server on the old NAS, because the new one is too loud."
    source = "(from memory/2026-02-10.md, line 1)"
    assert (
        propose([section(text)], f"- NAS: the media server lives there, and stays {source}\n") == []
    )
    assert propose([section(text)], f"- Feed the cat {source}\n")
    assert propose([section(text)], f"- (from memory/2026-02-10.md, line {'9' * 5_000})\n")


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


def test_the_last_complete_week_is_proposed_and_nothing_written(workspace: Path) -> None:
    """Neither the week before nor the current one; a dry run unless told to apply."""
    before = contents(workspace)
    found = consolidated(workspace)
    assert contents(workspace) == before
    assert not (workspace / ".lock").exists()
    assert [(part.path, part.line, part.heading) for part in found.proposals] == [
        ("memory/2026-02-12.md", 3, ""),
        ("memory/2026-02-10.md", 5, "Home"),
        ("memory/2026-02-15.md", 1, ""),
    ]
    assert found.to_dict() == {
        "memory": "memory/MEMORY.md",
        "until": "2026-02-15",
        "notes": 3,
        "applied": False,
        "proposals": [part.to_dict() for part in found.proposals],
        "since": "2026-02-09",
    }
    assert found.proposals[1].to_dict() == {
        "path": "memory/2026-02-10.md",
        "line": 5,
        "day": "2026-02-10",
        "text": "We decided to sell the old boat.",
        "reasons": ["says what was decided"],
        "score": 3.0,
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
    """No text is an error, and each proposal has reasons and stands on a line of its own section."""
    for part in propose([section(text, line=3)], memory):
        assert isinstance(part, Proposal)
        assert part.reasons
        assert 3 <= part.line <= 3 + text.count("\n")
