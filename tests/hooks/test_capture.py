"""What hooks capture: the user's own statements, once, from where they left off"""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.hooks.tail import MAX_BYTES, last_lines, texts_since
from ghostmem.judge import find_judge
from ghostmem.settings import Settings
from hooks.conftest import spoken

if TYPE_CHECKING:
    from hooks.conftest import Hook

NS = "project:shop"
TABS = "I prefer tabs over spaces in this project."
CENTS = "We decided to keep money as integer cents because floats lose pennies."


def contents(store: Path, ns: str = NS) -> list[str]:
    """Return what a namespace holds."""
    if not store.exists():
        return []
    with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
        return sorted(memory.content for memory in ghost.list(ns))


@pytest.mark.requirement("002-159")
def test_only_the_users_own_words_are_taken(
    hook: "Hook", store: Path, transcript: Callable[..., Path]
) -> None:
    """Tool output, reminders, our own block, the agent and its agents say nothing that is kept."""
    ours = f'<ghost-memory ns="a" count="1">\n<memory key="k">I prefer vim over emacs.</memory>\n</ghost-memory>\n{TABS}'
    result = [
        {"type": "tool_result", "tool_use_id": "t", "content": "I prefer loud music in the office."}
    ]
    path = transcript(
        spoken(ours),
        spoken(result),
        spoken("<system-reminder>Never use the network in this project.</system-reminder>"),
        spoken("I prefer that nobody reads this meta line.", isMeta=True),
        spoken("I prefer the words of a subagent.", isSidechain=True),
        {
            "type": "assistant",
            "sessionId": "s-1",
            "message": {"id": "m", "content": [{"type": "text", "text": "I prefer Rust."}]},
        },
    )
    hook("Stop", transcript_path=str(path))
    assert contents(store) == [TABS]
    with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
        memory = ghost.list(NS)[0]
    assert (str(memory.source_kind), memory.source_client, memory.source_scope) == (
        "stated",
        "claude-code",
        "s-1",
    )
    assert hook.lines() == []


def test_the_judge_decides_if_the_settings_ask_for_it(
    hook: "Hook",
    store: Path,
    transcript: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A statement without any phrase is captured, a request is not."""
    monkeypatch.setenv("GHOST_JUDGE", "on")
    fact = "The staging database of the shop is named heron."
    path = transcript(spoken(fact), spoken("Run the tests again and show me the output."))
    hook("Stop", transcript_path=str(path))
    assert contents(store) == [fact]


def test_each_text_is_judged_once(
    hook: "Hook",
    store: Path,
    transcript: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the judge has found is stored without another look at the text."""
    monkeypatch.setenv("GHOST_JUDGE", "on")
    judge = find_judge(Settings(judge="on"))
    assert judge is not None
    read: list[str] = []
    captures = judge.captures

    def recorded(pairs: Sequence[tuple[str, str]]) -> list[float]:
        read.extend(sentence for sentence, _ in pairs)
        return captures(pairs)

    monkeypatch.setattr(judge, "captures", recorded)
    hook("Stop", transcript_path=str(transcript(spoken(TABS))))
    assert read == [TABS]
    with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
        [memory] = ghost.list(NS)
    assert (memory.content, memory.tags) == (TABS, ("captured", "preference"))
    assert memory.importance is not None
    assert memory.importance > 0.6


def test_capturing_goes_on_where_it_left_off(
    hook: "Hook", store: Path, transcript: Callable[..., Path]
) -> None:
    """What was captured is not read again: a memory that the user has removed since stays away."""
    path = transcript(spoken(TABS))
    hook("Stop", transcript_path=str(path))
    with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
        ghost.rm(NS, ghost.list(NS)[0].key)
    transcript(spoken(CENTS))
    hook("Stop", transcript_path=str(path))
    assert contents(store) == [CENTS]
    hook("SessionEnd", transcript_path=str(path), reason="exit")
    assert contents(store) == [CENTS]


def test_a_resumed_session_is_not_captured_twice(
    hook: "Hook", store: Path, transcript: Callable[..., Path], tmp_path: Path
) -> None:
    """A host may copy a transcript into a new session: what was removed since does not come back, and what is new is taken."""
    path = transcript(spoken(TABS))
    hook("Stop", transcript_path=str(path))
    with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
        ghost.rm(NS, ghost.list(NS)[0].key)
    copy = transcript(spoken(TABS), name="copy.jsonl")
    hook("SessionStart", session_id="s-2", source="resume", transcript_path=str(copy))
    transcript(spoken(CENTS), name="copy.jsonl")
    hook("Stop", session_id="s-2", transcript_path=str(copy))
    assert contents(store) == [CENTS]


def test_a_line_that_is_being_written_waits(
    hook: "Hook", store: Path, transcript: Callable[..., Path]
) -> None:
    """Half a line is left for the next time, and then read whole."""
    line = json.dumps(spoken(CENTS))
    path = transcript(spoken(TABS), tail=line[:60])
    hook("Stop", transcript_path=str(path))
    assert contents(store) == [TABS]
    transcript(tail=f"{line[60:]}\n")
    hook("Stop", transcript_path=str(path))
    assert contents(store) == sorted([TABS, CENTS])


def test_what_is_said_twice_is_kept_once(
    hook: "Hook", store: Path, transcript: Callable[..., Path]
) -> None:
    """The gate knows a restatement, in this session and in the next."""
    hook("Stop", transcript_path=str(transcript(spoken(TABS), spoken(TABS))))
    hook(
        "Stop",
        session_id="s-2",
        transcript_path=str(transcript(spoken(TABS, "s-2"), name="second.jsonl")),
    )
    assert contents(store) == [TABS]


def test_chatter_makes_no_store(hook: "Hook", store: Path, transcript: Callable[..., Path]) -> None:
    """Where nothing is worth keeping nothing is made."""
    hook(
        "Stop",
        transcript_path=str(transcript(spoken("Can you run the tests again?"), spoken("thanks"))),
    )
    assert not store.exists()
    assert hook.lines() == []


def test_secrets_do_not_get_in(hook: "Hook", store: Path, transcript: Callable[..., Path]) -> None:
    """A key in a statement is redacted, as in every put."""
    secret = "sk-ant-api03-" + "Ab3" * 30
    hook(
        "Stop",
        transcript_path=str(
            transcript(spoken(f"Always use the key {secret} for staging deploys of the shop."))
        ),
    )
    assert not any(secret in content for content in contents(store))
    assert secret not in store.read_bytes().decode("latin-1")


def test_a_refused_text_does_not_stop_the_others(
    hook: "Hook",
    store: Path,
    transcript: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where secrets are refused, only the text with one is left out, and it is tried once."""
    monkeypatch.setenv("GHOST_SECRETS", "block")
    secret = "sk-ant-api03-" + "Ab3" * 30
    path = transcript(
        spoken(TABS),
        spoken(f"Always use the key {secret} for staging deploys of the shop."),
        spoken(CENTS),
    )
    hook("Stop", transcript_path=str(path))
    hook("Stop", transcript_path=str(path))
    assert contents(store) == sorted([TABS, CENTS])
    assert [line.split(": ")[1] for line in hook.lines()] == ["a text was refused"]
    assert secret not in hook.lines()[0]


def test_a_transcript_written_anew_is_read_from_its_beginning(
    hook: "Hook", store: Path, transcript: Callable[..., Path]
) -> None:
    """A file that has become shorter is another one."""
    path = transcript(spoken("Can you look at this?" * 20), spoken(TABS))
    hook("Stop", transcript_path=str(path))
    path.unlink()
    transcript(spoken(CENTS))
    hook("Stop", transcript_path=str(path))
    assert contents(store) == sorted([TABS, CENTS])


def test_of_a_huge_transcript_the_end_is_read(hook: "Hook", store: Path, tmp_path: Path) -> None:
    """However long a session was, what was said last is captured, and what is far back is passed over."""
    path = tmp_path / "huge.jsonl"
    noise = json.dumps({"type": "progress", "data": "x" * 100_000})
    with path.open("w", encoding="utf-8") as stream:
        stream.write(json.dumps(spoken(CENTS)) + "\n")
        stream.writelines(f"{noise}\n" for _ in range(3 * MAX_BYTES // 100_000))
        stream.write(json.dumps(spoken(TABS)) + "\n")
    hook("Stop", transcript_path=str(path))
    assert contents(store) == [TABS]


@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_broken_lines_are_passed_over(hook: "Hook", store: Path, tmp_path: Path, host: str) -> None:
    """What cannot be read in a transcript stops nothing."""
    path = tmp_path / "broken.jsonl"
    deep = "[" * 100_000
    path.write_bytes(
        f'{{"type": "user"\n{deep}\nnull\n7\n{{}}\n{json.dumps(spoken([TABS, 7, None]))}\n'.encode()
        + b"\xff\xfe\n"
    )
    hook("Stop" if host != "gemini" else "AfterAgent", host=host, transcript_path=str(path))
    assert hook.lines() == []


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_transcript_is_not_read(
    hook: "Hook", store: Path, tmp_path: Path, kind: str
) -> None:
    """A folder, a pipe that never ends: a line in the log, and nothing else."""
    path = tmp_path / "odd"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    hook("Stop", transcript_path=str(path))
    assert len(hook.lines()) == 1
    assert not store.exists()


@pytest.mark.parametrize("name", ["gone", "nul\0", ""])
def test_a_transcript_that_is_not_there_is_no_failure(
    hook: "Hook", store: Path, tmp_path: Path, name: str
) -> None:
    """Some hosts end a session that never had a transcript: `ghost doctor` has nothing to report."""
    hook("SessionEnd", transcript_path=name and str(tmp_path / name), reason="other")
    assert hook.lines() == []
    assert not store.exists()


@pytest.mark.parametrize("kind", ["gone", "folder", "unknown"])
def test_without_a_readable_transcript_the_prompt_is_captured(
    hook: "Hook", store: Path, tmp_path: Path, kind: str
) -> None:
    """What the user said is kept, once, whatever the host writes or does not write."""
    path = tmp_path / "odd.jsonl"
    if kind == "folder":
        path.mkdir()
    for text in (TABS, CENTS):
        if kind == "unknown":
            with path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"speaker": "me", "words": text}) + "\n")
        hook("UserPromptSubmit", prompt=text, transcript_path=str(path))
        assert text not in contents(store)  # the turn may still reach the transcript
        hook("Stop", transcript_path=str(path))
        assert text in contents(store)
    assert contents(store) == sorted([TABS, CENTS])
    assert hook.lines() == []


def test_a_prompt_in_the_transcript_is_captured_once(
    hook: "Hook", store: Path, transcript: Callable[..., Path]
) -> None:
    """The transcript and the queued prompt are one statement."""
    path = transcript(spoken(TABS))
    hook("UserPromptSubmit", prompt=TABS, transcript_path=str(path))
    hook("Stop", transcript_path=str(path))
    with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
        assert [(memory.content, memory.version) for memory in ghost.list(NS)] == [(TABS, 1)]


def test_the_machines_part_of_a_prompt_is_not_captured(hook: "Hook", store: Path) -> None:
    """A prompt may carry text of programs, which nobody said."""
    hook("UserPromptSubmit", prompt=f"<system-reminder>{CENTS}</system-reminder>\n{TABS}")
    hook("Stop")
    assert contents(store) == [TABS]


def test_nothing_of_what_was_said_is_in_the_log(
    hook: "Hook", store: Path, transcript: Callable[..., Path], sql: Any
) -> None:
    """The log tells what went wrong and where, never what was said."""
    path = transcript(spoken(TABS))
    hook("Stop", transcript_path=str(path))
    sql(store, "DROP TABLE hook_sessions")
    hook("Stop", transcript_path=str(path), prompt=CENTS)
    hook("UserPromptSubmit", prompt=CENTS)
    hook.raw(f'{{"prompt": "{CENTS}', "claude")
    text = hook.log.read_text(encoding="utf-8")
    assert len(hook.lines()) == 4
    assert "tabs" not in text
    assert "cents" not in text


def test_the_place_in_a_whole_value_counts_turns(tmp_path: Path) -> None:
    """A transcript of Gemini is one JSON value: what the user said since the last turn is returned."""
    path = tmp_path / "session.json"
    said = [{"type": "user", "content": text} for text in ("one thing", "another thing")]
    path.write_text(json.dumps({"sessionId": "s", "messages": said}), encoding="utf-8")
    assert texts_since(str(path), "gemini", 0)[:2] == (["one thing", "another thing"], 2)
    assert texts_since(str(path), "gemini", 1)[:2] == (["another thing"], 2)
    assert texts_since(str(path), "gemini", 9)[:2] == (["one thing", "another thing"], 2)
    assert [json.loads(line)["content"] for line in last_lines(str(path), 1)] == ["another thing"]


def test_a_codex_session_keeps_its_name_past_its_first_line(tmp_path: Path) -> None:
    """The first line says whether a person speaks; it is read again, wherever the reading goes on."""
    path = tmp_path / "rollout.jsonl"

    def message(text: str) -> str:
        return (
            json.dumps(
                {
                    "type": "response_item",
                    "payload": {"type": "message", "role": "user", "content": text},
                }
            )
            + "\n"
        )

    head = (
        json.dumps({"type": "session_meta", "payload": {"id": "x", "thread_source": "subagent"}})
        + "\n"
    )
    path.write_text(head + message("one thing"), encoding="utf-8")
    first = texts_since(str(path), "codex", 0)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(message("another thing"))
    assert first[:2] == ([], len(head + message("one thing")))
    assert texts_since(str(path), "codex", first.to).texts == []
    path.write_text(
        head.replace("subagent", "user") + message("one thing") + message("another"),
        encoding="utf-8",
    )
