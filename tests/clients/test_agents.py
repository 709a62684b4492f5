"""Real clients remember with Ghost, against a scripted model.

The proof is in the requests that the model gets: what a session was told of earlier ones.
"""

import re

import pytest

from clients.agents import AGENTS, LISTED, Agent, ListedClient, write_files
from clients.sandbox import ROOT, Sandbox, Step, Terminal, terminal, wait_for
from clients.scripted_model import Exchange

RELEASE = "Releases go out on Tuesday."
RELEASE_CHANGED = "Releases go out on Thursday."
PORT = "From now on the invoices service listens on port 8123."
PORT_CHANGED = "The invoices service listens on port 9000 now, not 8123."
ELSEWHERE = "Releases of the warehouse go out on Monday."
UNRELATED = "The office plants are watered by the caretaker."
QUESTION = "When do releases go out, and on which port does the invoices service listen?"
SEARCH = f'CALL ghost_search {{"query":"{QUESTION}"}} END'


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

    def state(self, fact: str, sign: str) -> None:
        """Let the user say a fact; where no hook listens, the model stores it."""
        self.ask(fact if self.agent.captures else put(f"port-{sign}", fact))
        self.sandbox.wait_stored(sign)


def with_prompt(requests: list[Exchange], prompt: str) -> list[Exchange]:
    """Return the requests of the conversation, without side requests such as for a title."""
    start = prompt.split('"')[0].strip()  # some clients escape quotes
    return [
        request
        for request in requests
        if request.body.get("tools") and start in request.conversation_text
    ]


def prepare(sandbox: Sandbox, agent: Agent) -> dict[str, bytes]:
    """Write the files that the user has, and memories that must not be shown."""
    write_files(sandbox, agent.files, agent.env)
    before = sandbox.files()
    # as long as the clients wait: the test is not about the speed of this machine
    sandbox.ghost("config", "set", "hook_timeout", "9")
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


def result(request: Exchange) -> str:
    """Return the text of the last message, which is the result of a tool."""
    return Exchange(0, "", {"messages": request.conversation[-1:]}).text


def check_newest_first(text: str) -> None:
    """Compare the places of a fact and its correction, and look for the word that tells them apart."""
    assert -1 < text.find(PORT_CHANGED) < (text.find(PORT) % len(text))
    assert "newer" in text
    assert RELEASE_CHANGED in text


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_headless(agent: Agent, sandbox: Sandbox, step: Step) -> None:
    """Sessions without a terminal: each knows what the earlier ones stored."""
    before = prepare(sandbox, agent)
    sessions = Sessions(sandbox, agent)
    with step("setup"):
        sandbox.ghost("setup", *agent.setup())
        assert re.search(agent.listed, sandbox.run(agent.list_servers))
        advice = sandbox.ghost("doctor")
        assert f"✓ {agent.name} (user)" in advice
        assert "! hooks" not in advice
    with step("put"):
        *_, last = sessions.ask(put("release-day", RELEASE))
        assert "release-day" in sandbox.stored()
        assert re.search(r"created|\"new\"", last.conversation_text)
        sessions.state(PORT, "8123")
    with step("recall"):
        first, *_, last = sessions.ask(f"{QUESTION} {SEARCH}")
        if agent.hooks:
            assert sorted(texts(first)) == sorted([RELEASE, PORT])
        assert RELEASE in result(last)
        assert PORT in result(last)
    with step("correction"):
        sessions.ask(put("release-day", RELEASE_CHANGED))
        sessions.state(PORT_CHANGED, "9000")
        first, *_, last = sessions.ask(f"{QUESTION} {SEARCH}")
        if agent.hooks:
            assert sorted(texts(first)) == sorted([RELEASE_CHANGED, PORT_CHANGED, PORT])
            check_newest_first(first.conversation_text)
        check_newest_first(result(last))
        assert RELEASE not in last.conversation_text
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


class Conversation:
    """A session of a client in a terminal."""

    def __init__(self, sandbox: Sandbox, agent: Agent, shown: Terminal) -> None:
        assert agent.terminal
        self.sandbox = sandbox
        self.screen = agent.terminal
        self.shown = shown

    def start(self, *, first: bool = False) -> None:
        """Wait for the client; what it asks at its first start is answered."""
        for question, keys in self.screen.questions if first else ():
            self.shown.wait(question)
            for key in keys:
                self.shown.press(key)
        self.shown.wait(self.screen.ready)
        self.shown.idle(self.screen.busy)

    def ask(self, prompt: str, command: str = "") -> list[Exchange]:
        """Type a prompt, wait for the end of the turn, and return its requests."""
        before = len(self.sandbox.model.requests)
        self.shown.type(f"{command} {prompt}".strip())
        wait_for(lambda: with_prompt(self.sandbox.requests(before), prompt), "request")
        self.shown.idle(self.screen.busy)
        return with_prompt(self.sandbox.requests(before), prompt)

    def compact(self) -> None:
        """Compact the conversation."""
        self.shown.type(self.screen.compact)
        self.shown.wait(self.screen.compacted)
        self.shown.idle(self.screen.busy)

    def leave(self) -> None:
        """End the client."""
        self.shown.type(self.screen.leave)
        self.shown.wait_ended()


@pytest.mark.parametrize(
    "agent", [agent for agent in AGENTS if agent.terminal], ids=lambda agent: agent.name
)
def test_terminal(agent: Agent, sandbox: Sandbox, step: Step) -> None:
    """A conversation in a terminal: prompts bring what is relevant, once, and again after compaction."""
    assert agent.terminal
    before = prepare(sandbox, agent)
    with step("setup"):
        sandbox.ghost("setup", *agent.setup())
    with terminal(sandbox, agent.terminal.command) as shown:
        talk = Conversation(sandbox, agent, shown)
        talk.start(first=True)
        with step("put"):
            talk.ask(put("release-day", RELEASE))
            sandbox.wait_stored(RELEASE)
            earlier = texts(talk.ask(PORT)[-1])
            sandbox.wait_stored("8123")
        with step("recall"):
            sandbox.ghost("put", "-n", "project:shop", "-k", "plants", UNRELATED)
            for number in (1, 2):
                last = talk.ask(
                    f"Question {number}: on which port does the invoices service listen"
                )[-1]
                assert texts(last) == [*earlier, PORT]
        with step("correction"):
            talk.ask(PORT_CHANGED)
            sandbox.wait_stored("9000")
            last = talk.ask("Tell me on which port the invoices service listens now")[-1]
            assert texts(last).count(PORT_CHANGED) == 1
            assert UNRELATED not in texts(last)
        if agent.terminal.recall:
            with step("prompt"):
                last = talk.ask("when is the next release", agent.terminal.recall)[-1]
                assert "what the user typed after the command" in last.text
        with step("compaction"):
            talk.compact()
            last = talk.ask("Tell me when releases go out")[-1]
            assert texts(last).count(RELEASE) == 1
        talk.leave()
    with step("next session"), terminal(sandbox, agent.terminal.command) as shown:
        talk = Conversation(sandbox, agent, shown)
        talk.start()
        first = talk.ask("Tell me on which port the invoices service listens")[0]
        assert texts(first).index(PORT_CHANGED) < texts(first).index(PORT)
        talk.leave()
    with step("isolation"):
        for request in sandbox.requests():
            assert ELSEWHERE not in request.text
    with step("remove"):
        check_removed(sandbox, agent, before)


@pytest.mark.parametrize("agent", LISTED, ids=lambda agent: agent.name)
def test_listed(agent: ListedClient, sandbox: Sandbox, step: Step) -> None:
    """The client's own command shows Ghost after setup, and not after its removal."""
    write_files(sandbox, agent.files, agent.env)
    before = sandbox.files()
    with step("setup"):
        sandbox.ghost("setup", agent.name)
        assert re.search(agent.listed, sandbox.run(agent.list_servers, fails=agent.fails))
    with step("remove"):
        sandbox.ghost("setup", agent.name, "--remove")
        after = sandbox.files()
        assert {name: after[name] for name in before} == before
        assert not [name for name in after if name.endswith(".ghost-backup")]
        assert not re.search(agent.listed, sandbox.run(agent.list_servers, fails=agent.fails))


@pytest.mark.parametrize("agent", AGENTS[:1], ids=lambda agent: agent.name)
def test_plugin(agent: Agent, sandbox: Sandbox, step: Step) -> None:
    """The plugin of Claude Code brings the server and the hooks, and goes without a trace."""
    write_files(sandbox, agent.files, agent.env)
    sandbox.ghost("config", "set", "hook_timeout", "9")
    sessions = Sessions(sandbox, agent)
    allowed = (*agent.ask, "--allowedTools", "mcp__plugin_ghost-memory_ghost")
    with step("setup"):
        sandbox.run(["claude", "plugin", "validate", str(ROOT / "plugins" / "claude-code")])
        sandbox.run(["claude", "plugin", "marketplace", "add", str(ROOT)])
        sandbox.run(["claude", "plugin", "install", "ghost-memory@ghost"])
        assert re.search(agent.listed, sandbox.run(agent.list_servers))
    with step("put"):
        sessions.ask(put("release-day", RELEASE), allowed)
        sandbox.wait_stored(RELEASE)
        sessions.state(PORT, "8123")
    with step("recall"):
        first, *_ = sessions.ask(QUESTION)
        assert sorted(texts(first)) == sorted([RELEASE, PORT])
    with step("remove"):
        sandbox.run(["claude", "plugin", "uninstall", "ghost-memory@ghost"])
        assert not re.search(agent.listed, sandbox.run(agent.list_servers))
        first, *_ = sessions.ask(QUESTION)
        assert texts(first) == []
