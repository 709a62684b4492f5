"""ghost infer-edges"""

import http.server
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli, Program

# Answers by the key of A: outage is caused by the deploy, tests prevent the outage, all else is none.
MODEL = """\
import json, os, sys
prompt = sys.stdin.read()
keys = [json.loads(line)["key"] for line in prompt.splitlines() if line.startswith('{"key"')]
with open(os.path.join(os.path.dirname(__file__), "asked"), "a") as log:
    print(*keys, file=log)
answers = {
    "deploy": {"rel": "caused_by", "reverse": True, "reason": "the deploy broke it"},
    "tests": {"rel": "prevents", "reason": "they would have caught it"},
}
print("Let me see.\\n```json\\n" + json.dumps(answers.get(keys[0], {"rel": "none", "reason": "merely alike"})) + "\\n```")
"""
PAIRS = (("deploy", "outage", 0.9), ("tests", "outage", 0.8), ("lunch", "outage", 0.7))


@pytest.fixture(autouse=True)
def related(
    ghost_cli: "GhostCli",
    store: Path,
    sql: Callable[..., list[Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Store four memories, three of which relate to the fourth, and forget every key of the person who runs this."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    ids = {
        key: ghost_cli.row("put", "-n", "a", "-k", key, f"About {key}.")["id"]
        for key in ("deploy", "outage", "tests", "lunch")
    }
    for start, to, weight in PAIRS:
        row = (ids[start], ids[to], "relates_to", weight, "2026-01-01T00:00:00.000000Z")
        sql(
            store,
            "INSERT INTO memory_edges (from_id, to_id, rel, weight, created_at) VALUES (?, ?, ?, ?, ?)",
            *row,
        )


@pytest.fixture
def model(tmp_path: Path) -> str:
    """Return a command line that answers."""
    path = tmp_path / "model.py"
    path.write_text(MODEL, encoding="utf-8")
    return f"'{sys.executable}' '{path}'"


@pytest.fixture
def asked(tmp_path: Path) -> Callable[[], list[str]]:
    """Return a function that lists the pairs the command was asked about."""
    path = tmp_path / "asked"
    return lambda: path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.fixture
def edges(store: Path, sql: Callable[..., list[Any]]) -> Callable[[], list[Any]]:
    """Return a function that lists the edges of reasoning."""
    statement = (
        "SELECT a.key, e.rel, b.key FROM memory_edges e JOIN memories a ON a.id = e.from_id JOIN memories b ON b.id = e.to_id"
        " WHERE e.rel <> 'relates_to' ORDER BY 1"
    )
    return lambda: sql(store, statement)


Edges = Callable[[], list[Any]]
FOUND = [("outage", "caused_by", "deploy"), ("tests", "prevents", "outage")]


@pytest.mark.requirement("002-046", "002-157")
def test_a_command_is_asked_and_its_answers_are_told(
    ghost_cli: "GhostCli", model: str, edges: Edges
) -> None:
    """One line a pair in the direction it holds, then the counts; the edges are there."""
    out = ghost_cli.ok("infer-edges", "-n", "a", "--command", model)
    assert out.splitlines() == [
        "outage —caused_by→ deploy  (the deploy broke it)",
        "tests —prevents→ outage  (they would have caught it)",
        "lunch —none→ outage  (merely alike)",
        f"asked command:{Path(sys.executable).name} about 3 pairs: 2 edges created, 1 without a relation; 0 pairs remain",
    ]
    assert edges() == FOUND
    assert ghost_cli.ok("check") == "clean\n"


def test_json_is_one_object(ghost_cli: "GhostCli", model: str) -> None:
    """--json prints the whole report."""
    done = ghost_cli.row("infer-edges", "-n", "a", "--command", model, "--max-pairs", 2)
    assert (
        done["pairs_examined"],
        done["edges_created"],
        done["edges_skipped"],
        done["remaining"],
    ) == (2, 2, 0, 1)
    assert (done["dry_run"], done["stopped"], done["errors"]) == (False, False, [])
    assert done["inferences"][0] == {
        "from_key": "outage",
        "to_key": "deploy",
        "rel": "caused_by",
        "reason": "the deploy broke it",
        "applied": True,
    }


@pytest.mark.requirement("002-157")
def test_a_rerun_asks_nothing_twice(
    ghost_cli: "GhostCli", model: str, asked: Callable[[], list[str]]
) -> None:
    """A cap splits the work over runs; --again asks about what had no relation."""
    for _ in range(3):
        ghost_cli.ok("infer-edges", "-n", "a", "--command", model, "--max-pairs", 2)
    assert asked() == ["deploy outage", "tests outage", "lunch outage"]
    ghost_cli.ok("infer-edges", "-n", "a", "--command", model, "--again")
    assert asked()[3:] == ["lunch outage"]


@pytest.mark.requirement("002-157")
def test_dry_run_asks_and_stores_nothing(ghost_cli: "GhostCli", model: str, edges: Edges) -> None:
    """--dry-run says what would be created."""
    before = ghost_cli.ok("export")
    out = ghost_cli.ok("infer-edges", "-n", "a", "--command", model, "--dry-run")
    assert "tests —prevents→ outage  (they would have caught it)\n" in out
    assert "2 edges would be created, 1 without a relation; 0 pairs remain" in out
    assert edges() == []
    assert ghost_cli.ok("export") == before


def test_seeds_choose_the_pairs(
    ghost_cli: "GhostCli", model: str, asked: Callable[[], list[str]]
) -> None:
    """--seed takes keys separated by commas, or several times, and counts before the cap."""
    ghost_cli.ok("infer-edges", "-n", "a", "--command", model, "--seed", "lunch", "--max-pairs", 1)
    assert asked() == ["lunch outage"]
    ghost_cli.ok(
        "infer-edges", "-n", "a", "--command", model, "--seed", "tests, lunch", "--seed", "deploy"
    )
    assert asked()[1:] == ["deploy outage", "tests outage"]
    error, _ = ghost_cli.fails(
        3, "infer-edges", "-n", "a", "--command", model, "--seed", "tests,nope"
    )
    assert "a/nope" in error
    assert len(asked()) == 3


@pytest.mark.parametrize(
    ("code", "args", "named"),
    [
        (2, ["-n", "", "--command", "cat"], "a namespace is required"),
        (2, ["-n", "a:*", "--command", "cat"], "invalid namespace"),
        (2, ["-n", "a", "--command", "cat", "--max-pairs", "0"], "max pairs must be at least 1"),
        (2, ["-n", "a", "--command", "cat", "--seed", ""], "no seed key"),
        (2, ["-n", "a", "--command", "cat 'x"], "No closing quotation"),
        (2, ["-n", "a", "--command", "cat", "--model", "m"], "both"),
        (2, ["-n", "a"], "there is no model to ask"),
        (2, ["-n", "a", "--model", "claude-x"], "there is no model to ask"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    ghost_cli: "GhostCli", code: int, args: list[str], named: str
) -> None:
    """Each mistake is one sentence and a hint."""
    error, hint = ghost_cli.fails(code, "infer-edges", *args)
    assert named in error
    assert hint


def test_a_failing_command_stops_with_its_own_words(ghost_cli: "GhostCli", edges: Edges) -> None:
    """Three failures end the run with exit code 6, errors on standard error and the counts on standard output."""
    line = f"'{sys.executable}' -c \"import sys; sys.exit('out of credit')\" --key sk-secret"
    result = ghost_cli("infer-edges", "-n", "a", "--command", line)
    assert result.code == 6
    assert result.out.endswith(
        "about 0 pairs: 0 edges created, 0 without a relation; 3 pairs remain\n"
    )
    lines = result.err.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("error: deploy → outage: the command ")
    assert lines[0].endswith(" ended with 1: out of credit")
    assert lines[3].startswith("error: stopped after 3 failures in a row; check GHOST_LLM_COMMAND")
    assert "sk-secret" not in result.out + result.err
    assert edges() == []
    found = ghost_cli("--json", "infer-edges", "-n", "a", "--command", "no-such-program-here")
    assert (found.code, found.err) == (6, "")
    assert (found.rows[0]["stopped"], len(found.rows[0]["errors"])) == (True, 4)


def test_answers_that_cannot_be_read_do_not_fail_the_command(
    ghost_cli: "GhostCli", edges: Edges
) -> None:
    """Garbage is told beside the data, the run ends well, and the pairs remain."""
    result = ghost_cli("infer-edges", "-n", "a", "--command", "echo I\x1b[31m refuse")
    assert result.code == 0
    assert (
        "asked command:echo about 0 pairs: 0 edges created, 0 without a relation; 3 pairs remain\n"
        in result.out
    )
    assert "error: tests → outage: the answer names no relation: 'I[31m refuse'" in result.err
    assert "\x1b" not in result.err + result.out
    assert edges() == []


def test_what_a_model_writes_does_nothing_to_a_terminal(
    ghost_cli: "GhostCli", tmp_path: Path
) -> None:
    """Control characters in a reason are gone before they are stored or shown."""
    path = tmp_path / "evil.py"
    path.write_text(
        r"""print('{"rel": "implies", "reason": "\\u001b[2J\\u0007gone \\u202eback"}')""",
        encoding="utf-8",
    )
    out = ghost_cli.ok("infer-edges", "-n", "a", "--command", f"'{sys.executable}' '{path}'")
    assert "deploy —implies→ outage  ([2Jgone \ufffdback)\n" in out


def test_none_is_dimmed(ghost_cli: "GhostCli", model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With colour, what came to nothing steps back and keys stand out."""
    monkeypatch.setenv("GHOST_COLOR", "always")
    out = ghost_cli.ok("infer-edges", "-n", "a", "--command", model)
    assert "\x1b[2mlunch —none→ outage  (merely alike)\x1b[0m\n" in out
    assert "\x1b[1mtests\x1b[0m —prevents→ \x1b[1moutage\x1b[0m" in out


def test_nothing_to_ask_about(ghost_cli: "GhostCli", store: Path) -> None:
    """A namespace without pairs is no error, and an unknown one is not made."""
    assert ghost_cli.ok("infer-edges", "-n", "b", "--command", "cat").endswith(
        "about 0 pairs: 0 edges created, 0 without a relation; 0 pairs remain\n"
    )
    assert ghost_cli.names() == ["a/lunch", "a/tests", "a/outage", "a/deploy"]
    assert ghost_cli.fails(
        3, "infer-edges", "-n", "a", "--command", "cat", "--db", store.with_name("no.db")
    )


# --- over the network


@pytest.fixture
def server() -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Serve both dialects on this machine; every pair implies."""
    seen: list[tuple[str, Any]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.path, body["model"]))
            text = '{"rel": "implies"}'
            data = json.dumps(
                {
                    "content": [{"type": "text", "text": text}],
                    "choices": [{"message": {"content": text}}],
                }
            ).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}", seen
    httpd.shutdown()
    httpd.server_close()
    thread.join()


@pytest.mark.requirement("002-157")
@pytest.mark.parametrize(
    ("args", "name", "path"),
    [
        ([], "openai:gpt-4o-mini", "/chat/completions"),
        (["--model", "qwen3"], "openai:qwen3", "/chat/completions"),
        (["--model", "claude-x"], "anthropic:claude-x", "/v1/messages"),
    ],
)
def test_a_server_is_asked_as_the_settings_say(
    ghost_cli: "GhostCli",
    server: tuple[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    args: list[str],
    name: str,
    path: str,
) -> None:
    """GHOST_LLM_URL names the server, --model the model and with it the dialect."""
    url, seen = server
    monkeypatch.setenv("GHOST_LLM_URL", url)
    done = ghost_cli.row("infer-edges", "-n", "a", *args)
    assert (done["model"], done["edges_created"]) == (name, 3)
    assert seen == [(path, name.split(":")[1])] * 3


def test_a_model_named_here_beats_a_command_that_is_set(
    ghost_cli: "GhostCli",
    server: tuple[str, Any],
    model: str,
    asked: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """GHOST_LLM_COMMAND is asked unless --model says otherwise; --command beats both settings."""
    monkeypatch.setenv("GHOST_LLM_URL", server[0])
    monkeypatch.setenv("GHOST_LLM_COMMAND", model)
    assert ghost_cli.row("infer-edges", "-n", "a", "--max-pairs", 1)["model"].startswith("command:")
    assert len(asked()) == 1
    assert (
        ghost_cli.row("infer-edges", "-n", "a", "--max-pairs", 1, "--model", "qwen3")["model"]
        == "openai:qwen3"
    )
    assert (
        ghost_cli.row("infer-edges", "-n", "a", "--max-pairs", 1, "--command", "echo none")["model"]
        == "command:echo"
    )


def test_a_killed_program_keeps_what_was_answered(
    ghost_cli: "GhostCli",
    program: "Program",
    tmp_path: Path,
    edges: Edges,
    asked: Callable[[], list[str]],
    model: str,
) -> None:
    """A program killed while it waits for the second answer has stored the first, and the next run asks for the rest."""
    killer = tmp_path / "killer.py"
    kill = "    import signal; os.kill(os.getppid(), getattr(signal, 'SIGKILL', signal.SIGTERM))\n"
    killer.write_text(
        MODEL.replace("answers = {", f"if keys[0] == 'tests':\n{kill}answers = {{", 1),
        encoding="utf-8",
    )
    killed = program("infer-edges", "-n", "a", "--command", f"'{sys.executable}' '{killer}'")
    assert (killed.code in (-9, 15), killed.out) == (True, ""), killed
    assert edges() == FOUND[:1]
    ghost_cli.ok("infer-edges", "-n", "a", "--command", model)
    assert edges() == FOUND
    assert asked() == ["deploy outage", "tests outage", "tests outage", "lunch outage"]
    assert ghost_cli.ok("check") == "clean\n"
