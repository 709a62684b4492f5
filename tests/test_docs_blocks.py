"""Every command block of the README and the docs is typed in, in a home of its own, or the tables here say why it cannot be.

`console` and `python` blocks are run, with what they print, by `test_docs.py`; here are all the others.
"""

import ast
import configparser
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
import yaml

from docs_home import furnish
from ghostmem.cli.main import cli

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))

from docs_sessions import HOME, PROVIDERS, Session, steady  # noqa: E402

PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
]
LANGUAGES = {
    "console",
    "python",
    "py",
    "sh",
    "text",
    "json",
    "toml",
    "yaml",
    "ini",
    "sql",
    "markdown",
}
ADDRESS = "http://127.0.0.1:8642"  # where the pages say that a server listens

# what is typed in: these programs and no others, because a test must not change the machine it runs on
TYPES = {
    "ghost",
    "echo",
    "printf",
    "cat",
    "diff",
    "find",
    "mkdir",
    "curl",
    "jq",
    "pbpaste",
    "my-model",
    "python",
}
# commands that are not, and why; the flags of those that are ours are checked all the same by test_docs.py
WHY_NOT = {
    r"(pip|pipx|uv|uvx|npx|brew|apt|apt-get|sudo)\b": "installs from elsewhere; tests run without a network",
    r"make\b|\.venv/bin/": "is how the tests themselves are run; `make demo` has its own test",
    r"claude mcp\b": "changes another program's settings by that program; `ghost setup` writes the same and is tested",
    r"python -m bench\.": "takes minutes, or data that is not part of Ghost; tests run each harness in a short form",
    r"python - apsw click numpy onnxruntime pytest": "starts two hundred processes to measure their imports",
    r"git (clone|pull|push)\b": "needs another repository",
    r"ghost undo 01JAYZ4\b": "names a run that stands for one of the reader's",
    r"ghost infer-edges .*--model": "asks a server for its model",
    r"ghost infer-edges -n agent:(me|ada) --max-pairs 20 --dry-run": "needs a model chosen in the settings; tests/cli/test_infer_edges.py does",
    r"GHOST_EMBED_PROVIDER=(ollama|openai)\b": "asks a server for its vectors; tests/embed has stand-ins for both",
}
# blocks that are not typed at all, by what stands in them
WHY_NOT_AT_ALL = {
    r"^(docker|podman|kubectl|helm|systemctl|journalctl|launchctl)\b": "needs a container engine, a cluster or a service manager; tests/test_deploy.py reads the files",
    r"^(psql|createdb|createuser|pg_dump|pg_restore|pg_ctl)\b": "needs a PostgreSQL of the reader's",
    r"^ghost admin ": "is for PostgreSQL and Citus; tests/engine has real ones",
    r"postgres(ql)?://": "needs a PostgreSQL; tests/transfer/test_migrate.py and tests/web/test_postgres_serve.py have a real one",
}
# commands that stay until they are stopped: they are started, must say something, and are stopped
STAYS = r"ghost (serve|web|peek .*--watch|reflect .*--every|notes watch|notes mirror .*--watch)\b"
# what is typed instead, so that pages can name what readers have
INSTEAD = [
    (r"^(?:[\d*/,-]+ +){5}(?=\S)", ""),  # the five fields of cron
    (r"--from-ghost ~/\.ghost/memory\.db", "--from-ghost ~/original.db"),
    (r"^(ghost (?:serve|web)\b)(.*?)(?: --port \d+)?(?= *(?:#|--|$))", r"\1 --port 0\2"),
]
# what must have happened before
BEFORE = {
    "ghost restore -n agent:me tea": "ghost rm -n agent:me tea",
    "diff -u old.md new.md | ghost patch -n agent:me notes --dry-run": "ghost restore -n agent:me notes --version 1",
}
TOGETHER = {"docs/start/team.md"}  # pages whose blocks build on each other, console blocks included
NEEDS = ("jq", "curl", "git")  # programs that a machine may lack
PY_BLOCKS = {
    "docs/library/": "are signatures, made from the code",
    "docs/adapters.md": "need a library each; the tests of the adapters run them (docs_example.py)",
}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, with the text block that follows it at once."""

    page: str
    line: int
    language: str
    body: str
    printed: str | None = None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    pattern = re.compile(
        r"^```(\w*)\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
    )
    return [
        Block(page, text.count("\n", 0, m.start()) + 1, m[1], m[2], m[3])
        for m in pattern.finditer(text)
    ]


def lines(block: Block) -> Iterator[str]:
    """Yield the commands of a block: its lines, joined where a backslash or a here-document goes on."""
    if "<<" in block.body:
        yield block.body
        return
    if block.language == "console":
        yield from (line[2:] for line in block.body.splitlines() if line.startswith("$ "))
        return
    yield from (
        line
        for line in block.body.replace("\\\n", " ").splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    )


def why_not(block: Block, line: str) -> str:
    """Say why a command is not typed, or nothing."""
    for pattern, reason in WHY_NOT_AT_ALL.items():
        if re.search(pattern, block.body, re.MULTILINE):
            return reason
    return next((reason for pattern, reason in WHY_NOT.items() if re.match(pattern, line)), "")


def programs(line: str) -> set[str]:
    """Return the programs that a command starts."""
    first = line.splitlines()[0] if "<<" in line else line
    reader = shlex.shlex(
        re.sub(r"^(?:[\d*/,-]+ +){5}", "", first), posix=True, punctuation_chars="|&;<>"
    )
    reader.whitespace_split = True
    found: set[str] = set()
    begins = True
    for word in reader:
        if re.fullmatch(r"[|&;]+", word):
            begins = True
        elif begins and not re.match(r"\w+=", word):
            found.add(word)
            begins = False
    return found


def said_by(session: Session, block: Block) -> str:
    """Type a block and return what it prints."""
    return "".join(type_in(session, line) for line in lines(block) if not why_not(block, line))


EVERY = [block for page in PAGES for block in blocks(page)]
TYPED = [block for block in EVERY if block.language == "sh" and block.page not in TOGETHER]


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home that is made once and copied."""
    home = tmp_path_factory.mktemp("furnished") / "home"
    home.mkdir()
    furnish(home)
    return home


@pytest.fixture
def session(furnished: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Session:
    """Return a copy of that home in which the examples of one page run."""
    home = tmp_path / "you"
    shutil.copytree(furnished, home)
    param = request.node.callspec.params
    session = Session(home, param["block"].page if "block" in param else param["page"])
    session.env["PATH"] = os.pathsep.join([str(home / "bin"), session.env["PATH"]])
    session.env["BROWSER"] = "true"  # `ghost web` opens one
    return session


def type_in(session: Session, line: str) -> str:
    """Type one command, and return what it prints."""
    if line in BEFORE:
        session.run(["sh", "-c", BEFORE[line]], line)
    for pattern, new in INSTEAD:
        line = re.sub(pattern, new, line)
    if re.match(STAYS, line):
        with staying(session, line) as said:
            return said
    if ADDRESS in line:
        with staying(session, "ghost serve --port 0") as said:
            line = line.replace(ADDRESS, re.findall(r"http://\S+", said)[0])
            return session.run(["sh", "-c", line], line)
    return session.run(["sh", "-c", line], line)


@contextmanager
def staying(session: Session, line: str) -> Iterator[str]:
    """Start a command that stays, yield the first line it prints, and stop it."""
    if "--host" in line:  # beyond this machine a server wants a token
        session.run(["ghost", "token", "create", "stay", "--grant", "*:read"], line)
    process = subprocess.Popen(
        ["sh", "-c", f"exec {line}"],
        cwd=session.folder,
        env=session.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said, f"{session.page}: {line} ended with {process.wait(60)} and said nothing"
        yield said.replace(str(session.folder), HOME)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode in (0, 130), line


def lacking(block: Block) -> list[str]:
    """Name the programs a block needs and this machine lacks."""
    return [
        name
        for name in NEEDS
        if re.search(rf"(?<![\w-]){name} ", block.body) and shutil.which(name) is None
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a Unix shell")
@pytest.mark.parametrize("block", TYPED, ids=str)
def test_a_block_can_be_typed(block: Block, session: Session) -> None:
    """Each command of a `sh` block ends well, or the table says why it is not tried; what is said to be printed, is."""
    if missing := lacking(block):
        pytest.skip(f"this machine has no {', '.join(missing)}")
    if "$TOKEN" in block.body:
        made = session.run(
            ["ghost", "token", "create", "docs", "--grant", "*:admin", "--json"], "token"
        )
        session.env["TOKEN"] = json.loads(
            made.splitlines()[-1] if made.lstrip().startswith("note") else made.splitlines()[0]
        )["secret"]
    said = said_by(session, block)
    if block.printed is not None and not any(why_not(block, line) for line in lines(block)):
        assert steady(said) == steady(block.printed), block


@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a Unix shell")
@pytest.mark.parametrize("page", sorted(TOGETHER))
def test_a_page_can_be_typed_from_top_to_bottom(page: str, session: Session) -> None:
    """Where blocks build on each other, all of them run in one home."""
    for block in blocks(page):
        if missing := lacking(block):
            pytest.skip(f"this machine has no {', '.join(missing)}")
        if block.language in ("sh", "console"):
            said = said_by(session, block)
            if block.language == "sh" and block.printed is not None:
                assert steady(said) == steady(block.printed), block


@pytest.mark.parametrize("block", [block for block in EVERY if block.language == "sh"], ids=str)
def test_a_block_is_typed_or_explained(block: Block) -> None:
    """No command is passed over in silence: it starts only programs that are typed in, or a table says why not."""
    for line in lines(block):
        if not why_not(block, line):
            assert programs(line) <= TYPES, f"{block}: {line}"
            assert not re.search(r">\s*/(?!dev/)", line), f"{block}: {line} writes outside the home"


def test_every_reason_is_needed() -> None:
    """A row of the table that no page needs goes; those of deployments may wait for their page."""
    typed = [line for block in EVERY if block.language == "sh" for line in lines(block)]
    needed = [pattern for pattern in WHY_NOT if any(re.match(pattern, line) for line in typed)]
    assert [
        pattern for pattern in WHY_NOT if pattern not in needed and not pattern.startswith("git ")
    ] == []


def test_a_stranger_is_not_run() -> None:
    """What a command starts is told also behind pipes, variables and the fields of cron."""
    assert programs("17 3 * * *  A=b ghost backup x/ && rm -rf / | tee 'x y' > z") == {
        "ghost",
        "rm",
        "tee",
    }
    assert not programs("install -m 0600 x /etc") <= TYPES


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page: str) -> None:
    """A fence names its language, and commands stand only where they are run."""
    for block in blocks(page):
        assert block.language in LANGUAGES or (
            not block.language and not re.search(r"^(\$ )?ghost ", block.body, re.MULTILINE)
        ), block
        if block.language == "py":
            assert page.startswith(tuple(PY_BLOCKS)), block
        if block.language == "text":
            assert not re.search(r"^\$ ghost ", block.body, re.MULTILINE), block


DATA = [block for block in EVERY if block.language in ("json", "toml", "yaml", "ini")]


@pytest.mark.parametrize("block", DATA, ids=str)
def test_data_can_be_read_and_starts_what_exists(block: Block) -> None:
    """JSON, TOML, YAML and units can be parsed, and what they start is a command of ours with arguments it takes."""
    if block.language == "ini":
        unit = configparser.ConfigParser(interpolation=None, strict=False)
        unit.optionxform = str  # type: ignore[assignment,method-assign]
        unit.read_string(block.body)
        found = [
            shlex.split(value)
            for section in unit.values()
            for name, value in section.items()
            if name == "ExecStart"
        ]
    else:
        value = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}[block.language](
            block.body
        )
        found = list(started(value))
    for program, *arguments in found:
        assert Path(program).name in ("ghost", "uvx", "docker"), block
        if Path(program).name == "ghost":
            name, *rest = arguments
            command = cli.get_command(click.Context(cli), name)
            assert command is not None, block
            command.make_context(name, rest, resilient_parsing=True)
            words = {word.partition("=")[0] for word in rest if word.startswith("-")}
            assert words <= {option for p in command.params for option in p.opts}, block


def started(value: object) -> Iterator[list[str]]:
    """Yield every command with its arguments in an MCP client's configuration."""
    if isinstance(value, dict):
        if "args" in value:
            yield [str(value.get("command") or value.get("cmd")), *map(str, value["args"])]
        for inner in value.values():
            yield from started(inner)


@pytest.mark.parametrize(
    "block",
    [
        block
        for block in EVERY
        if block.language in ("python", "py") and not block.page.startswith("docs/library/")
    ],
    ids=str,
)
def test_python_can_be_read(block: Block) -> None:
    """A program of the docs is one."""
    ast.parse(block.body)


def test_the_pages_have_vectors_where_they_show_them() -> None:
    """A page that is named with a provider exists."""
    assert [page for page in PROVIDERS if page not in PAGES] == []
