"""Real clients remember with Ghost, against a scripted model.

The proof is in the requests that the model gets: what a session was told of earlier ones.
"""

import re

import pytest
from clients.agents import AGENTS, Agent, write_files
from clients.conftest import Step
from clients.sandbox import Sandbox
from clients.scripted_model import Exchange

RELEASE = "Releases go out on Tuesday."
RELEASE_CHANGED = "Releases go out on Thursday now, not on Tuesday."
PORT = "From now on the invoices service listens on port 8123."
PORT_CHANGED = "The invoices service listens on port 9000 now, not 8123."
ELSEWHERE = "Releases of the warehouse go out on Monday."
UNRELATED = "The office plants are watered by the caretaker."
QUESTION = "When do releases go out, and on which port does the invoices service listen?"
SEARCH = 'CALL ghost_search {"query":"when do releases go out"} END'


def put(key: str, content: str) -> str:
    """Return a prompt that makes the model store a memory."""
    return f'CALL ghost_put {{"key":"{key}","content":"{content}"}} END'


class Sessions:
    """Headless sessions of a client, one for each prompt."""

    def __init__(self, sandbox: Sandbox, agent: Agent) -> None:
        self.sandbox = sandbox
        self.agent = agent

    def ask(self, prompt: str, command: tuple[str, ...] = ()) -> list[Exchange]:
        """Run a session and return its requests in which the model has tools."""
        before = len(self.sandbox.model.requests)
        words = command or self.agent.ask
        self.sandbox.run([word.replace("{prompt}", prompt) for word in words])
        return with_prompt(self.sandbox.requests(before), prompt)


def with_prompt(requests: list[Exchange], prompt: str) -> list[Exchange]:
    """Return the requests of the conversation, without side requests such as for a title."""
    start = prompt.split('"')[0].strip()
    return [
        request
        for request in requests
        if request.body.get("tools") and start in request.conversation_text
    ]


def prepare(sandbox: Sandbox, agent: Agent) -> dict[str, bytes]:
    """Write the files that the user has, and memories that must not be shown."""
    write_files(sandbox, agent.files, agent.env)
    before = sandbox.files()
    sandbox.ghost("put", "-n", "project:warehouse", "-k", "rota", ELSEWHERE)
    if not agent.starts:  # at the start of a session a small project is shown whole
        sandbox.ghost("put", "-n", "project:shop", "-k", "plants", UNRELATED)
    return before


def check_removed(sandbox: Sandbox, agent: Agent, before: dict[str, bytes]) -> None:
    """Remove Ghost, and compare the files with those before it was installed."""
    sandbox.ghost("setup", agent.name, "--remove")
    after = sandbox.files()
    for name, data in before.items():
        if name in agent.rewrites and after[name] != data:
            assert not re.search(rb'"ghost": \{|mcp_servers\.ghost', after[name]), name
        else:
            assert after[name] == data, name
    assert not [name for name in after if name.endswith(".ghost-backup")]
    folders = {name.split("/")[0] for name in agent.files if "/" in name}
    new = {name: data for name, data in after.items() if name.split("/")[0] in folders}
    configured = [name for name, data in new.items() if b"ghost hook" in data and "/hooks" in name]
    assert configured == []


def texts(request: Exchange) -> list[str]:
    """Return the texts of the memories that hooks added."""
    return [memory.text for memory in request.memories]


def place(text: str, request: Exchange) -> int:
    """Return where a text stands in the conversation, after all else if it does not."""
    found = request.conversation_text.find(text)
    return found if found >= 0 else len(request.conversation_text)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_headless(agent: Agent, sandbox: Sandbox, step: Step) -> None:
    """Sessions without a terminal: each knows what the earlier ones stored."""
    before = prepare(sandbox, agent)
    sessions = Sessions(sandbox, agent)
    with step("setup"):
        sandbox.ghost("setup", *agent.setup())
        assert re.search(agent.listed, sandbox.run(agent.list_servers))
    with step("put"):
        *_, last = sessions.ask(put("release-day", RELEASE))
        assert "release-day" in sandbox.stored()
        assert re.search(r"created|\"new\"", last.conversation_text)
    if agent.captures:
        with step("capture"):
            sessions.ask(PORT)
            sandbox.wait_stored("8123")
    with step("recall"):
        first, *_, last = sessions.ask(f"{QUESTION} {SEARCH}")
        if agent.hooks:
            expected = [RELEASE, PORT] if agent.captures else [RELEASE]
            assert sorted(texts(first)) == sorted(expected)
        assert RELEASE in last.conversation_text
    with step("correction"):
        sessions.ask(put("release-thursday", RELEASE_CHANGED))
        if agent.captures:
            sessions.ask(PORT_CHANGED)
            sandbox.wait_stored("9000")
        first, *_, last = sessions.ask(f"{QUESTION} {SEARCH}")
        result = last.conversation[-1:] if not agent.hooks else last.conversation
        shown = Exchange(0, "", {"messages": result})
        assert place(RELEASE_CHANGED, shown) < place(RELEASE, shown)
        if agent.captures:
            assert place(PORT_CHANGED, first) < place(PORT, first)
            assert "newer" in first.conversation_text
    if agent.compact:
        with step("compaction"):
            sandbox.run(agent.compact)
            first, *_ = sessions.ask(QUESTION, agent.resume)
            assert texts(first).count(RELEASE_CHANGED) == 1
    with step("isolation"):
        for request in sandbox.requests():
            assert ELSEWHERE not in request.text
            assert UNRELATED not in request.text
    with step("remove"):
        check_removed(sandbox, agent, before)
