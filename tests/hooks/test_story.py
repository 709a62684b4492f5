"""Two sessions of one project: what the first one states, the second one knows; through the installed program, as a host calls it"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hooks.conftest import spoken

if TYPE_CHECKING:
    from hooks.conftest import Program

PREFERENCE = "I prefer httpx over requests for every network call."
DECISION = "We decided to keep sessions in SQLite because one file is easier to back up."


class Claude:
    """A stand-in for Claude Code: sessions that write transcripts and call hooks."""

    def __init__(self, program: "Program", home: Path) -> None:
        self._program, self._home = program, home

    def call(self, session: str, folder: Path, event: str, **fields: Any) -> str:
        """Call the hooks of an event and return what they add."""
        common = {
            "session_id": session,
            "transcript_path": str(self._transcript(session)),
            "cwd": str(folder),
        }
        payload = {**common, "permission_mode": "default", "hook_event_name": event, **fields}
        result = self._program("hook", "claude", input=json.dumps(payload))
        assert (result.code, result.err) == (0, ""), result
        assert not (self._home / ".ghost" / "hooks.log").exists()
        answer = json.loads(result.out) if result.out else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def turn(self, session: str, folder: Path, prompt: str, answer: str) -> str:
        """Let the user say something and the agent answer; return what the hooks added to the prompt."""
        added = self.call(session, folder, "UserPromptSubmit", prompt=prompt)
        said = [spoken(prompt, session, cwd=str(folder))]
        if added:
            said.append(
                spoken(
                    f"<system-reminder>\nUserPromptSubmit hook additional context: {added}</system-reminder>",
                    session,
                )
            )
        said.append(
            spoken(
                [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t",
                        "content": "I prefer what the tool prefers.",
                    }
                ],
                session,
            )
        )
        agent = {
            "id": f"m-{len(prompt)}",
            "role": "assistant",
            "content": [{"type": "text", "text": answer}],
        }
        said.append({"type": "assistant", "sessionId": session, "message": agent})
        with self._transcript(session).open("a", encoding="utf-8") as stream:
            stream.writelines(f"{json.dumps(line)}\n" for line in said)
        assert (
            self.call(
                session, folder, "Stop", stop_hook_active=False, last_assistant_message=answer
            )
            == ""
        )
        return added

    def _transcript(self, session: str) -> Path:
        folder = self._home / ".claude" / "projects" / "shop"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{session}.jsonl"


@pytest.fixture
def claude(program: "Program", home: Path) -> Claude:
    """Return the stand-in."""
    return Claude(program, home)


@pytest.fixture
def git() -> Callable[..., None]:
    """Return a function that runs git without anybody's configuration."""

    def run(folder: Path, *args: str) -> None:
        named = "-c user.name=t -c user.email=t@example.com -c init.defaultBranch=main".split()
        subprocess.run(["git", *named, *args], cwd=folder, check=True, capture_output=True)

    return run


@pytest.mark.requirement("002-159")
@pytest.mark.smoke
def test_the_second_session_knows_what_the_first_one_said(
    claude: Claude, tmp_path: Path, git: Callable[..., None]
) -> None:
    """A preference and a decision are captured, reach the next session and the project's worktrees, and no other project."""
    shop, garden = tmp_path / "shop", tmp_path / "garden"
    for folder in (shop, garden):
        folder.mkdir()
        git(folder, "init")
        git(folder, "commit", "--allow-empty", "-m", "first")
    git(shop, "worktree", "add", str(tmp_path / "elsewhere"), "-b", "feature")

    # the first session states a preference and a decision, among chatter
    assert claude.call("one", shop, "SessionStart", source="startup") == ""
    claude.turn("one", shop, "Can you look at the login page?", "I prefer to look at the logs.")
    claude.turn("one", shop, f"{PREFERENCE} Please change the client.", "Done. Never use curl.")
    claude.turn("one", shop, DECISION, "Understood.")
    assert claude.call("one", shop, "SessionEnd", reason="prompt_input_exit") == ""

    # another project learns something too
    claude.turn("two", garden, "Never water the roses at noon.", "All right.")

    # the second session of the project begins with both, and with nothing else
    start = claude.call("three", shop, "SessionStart", source="startup")
    assert start.count("<memory ") == 2
    assert PREFERENCE in start
    assert DECISION in start
    assert "roses" not in start
    assert claude.turn("three", shop, "Which library do we use for a network call?", "httpx.") == ""

    # a worktree is the same project; a session there that was told nothing yet is told what its prompt is about
    assert PREFERENCE in claude.call(
        "four", tmp_path / "elsewhere", "SessionStart", source="startup"
    )
    prompt = claude.turn("five", tmp_path / "elsewhere", "Where do we keep sessions?", "In SQLite.")
    assert DECISION in prompt
    assert "roses" not in prompt

    # after a compaction all of it comes again
    assert claude.call("three", shop, "PreCompact", trigger="auto", custom_instructions="") == ""
    assert claude.call("three", shop, "SessionStart", source="compact") == start

    # what was added was never taken for something the user said
    assert claude.call("six", garden, "SessionStart", source="startup").count("<memory ") == 1
    assert claude.call("seven", shop, "SessionStart", source="startup").count("<memory ") == 2
