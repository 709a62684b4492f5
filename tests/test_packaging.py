"""The wheel and the sdist: the same bytes each time, complete, small, and enough for every face outside the checkout."""

import ast
import http.client
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from bench.peer_kinds.mcp import Server

import ghostmem
from clean_env import ROOT, build, built, environment, needed, outside

WHEEL_MB = 54.0  # what a download may weigh; the models are 52 of it
DIRECT = {
    "anyio", "apsw", "click", "mcp", "numpy", "onnxruntime", "pydantic", "ruamel.yaml", "starlette", "tomlkit", "uvicorn", "watchfiles",
}  # fmt: skip
# everything that comes with Ghost; a new name here needs a row in docs/dependencies.md and a reason
WITH_GHOST = {
    *(name.replace(".", "-") for name in DIRECT), "annotated-types", "attrs", "cffi", "cryptography", "flatbuffers", "ghostmem", "h11", "httpcore2", "httpx2",
    "idna", "jsonschema", "jsonschema-specifications", "mcp-types", "opentelemetry-api", "packaging", "protobuf", "pycparser",
    "pydantic-core", "pyjwt", "python-multipart", "referencing", "rpds-py", "sse-starlette", "truststore",
    "typing-extensions", "typing-inspection",
}  # fmt: skip
NEVER = {
    "torch",
    "transformers",
    "tokenizers",
    "huggingface-hub",
    "scipy",
    "pandas",
    "langchain",
    "openai",
    "litellm",
    "fastmcp",
}
ASKS = "which beverage does Sam like?"
EXTRAS = ("outline", "postgres")


@dataclass(frozen=True)
class Installed:
    """The programs of an environment, and a place outside the checkout to run them in."""

    programs: Path
    folder: Path

    def env(self, **variables: str) -> dict[str, str]:
        """Return what its programs see."""
        return outside(
            self.folder, GHOST_DB=str(self.folder / "memory.db"), GHOST_NS="agent:ada", **variables
        )

    def run(
        self, *args: str, code: int = 0, data: str = "", program: str = "ghost", **variables: str
    ) -> str:
        """Run a command and return what it printed; its exit code must be the one that is expected."""
        done = subprocess.run(
            [str(self.programs / program), *args],
            input=data, capture_output=True, encoding="utf-8", cwd=self.folder, env=self.env(**variables), timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == code, (args, done.stdout, done.stderr)
        return done.stdout if code == 0 else done.stderr

    @contextmanager
    def listening(self, *args: str, **variables: str) -> Iterator[dict[str, Any]]:
        """Start a command that listens, and give what it said about itself."""
        command = [str(self.programs / "ghost"), "--json", *args]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=self.env(**variables),
        )
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()
            process.communicate(timeout=60)
        assert process.returncode == 0


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of this run share."""
    base = factory.getbasetemp()
    return base.parent if base.name.startswith("popen-") else base


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the sdist and the wheel."""
    return built(shared_folder(tmp_path_factory))


@pytest.fixture
def installed(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Installed:
    """Return an environment that has the wheel and what it declares, and no extra."""
    return Installed(environment(shared_folder(tmp_path_factory)), tmp_path)


@pytest.fixture
def installed_with_extras(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Installed:
    """Return an environment that has the extras too."""
    return Installed(environment(shared_folder(tmp_path_factory), EXTRAS), tmp_path)


def get(
    url: str, cookie: str = "", method: str = "GET", body: Any = None
) -> "tuple[int, dict[str, str], str]":
    """Make a request and return its status, headers and body; a redirect is not followed."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    headers = {"Content-Type": "application/json", **({"Cookie": cookie} if cookie else {})}
    path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    found = (
        answer.status,
        {name.lower(): value for name, value in answer.getheaders()},
        answer.read().decode(),
    )
    connection.close()
    return found


# ---------------------------------------------------------------- the files


@pytest.mark.slow
def test_the_same_commit_gives_the_same_bytes(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Built again from the unpacked sdist, elsewhere and with other times on the files, both are what they were."""
    sdist, wheel = files
    with tarfile.open(sdist) as archive:
        times = {int(member.mtime) for member in archive.getmembers()}
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = (
        path for path in tmp_path.iterdir() if path.is_dir() and path.name.startswith("ghostmem-")
    )
    for number, path in enumerate(sorted(unpacked.rglob("*.py"))):
        if number % 50 == 0:
            path.touch()
            path.chmod(0o600)
    assert len(times) == 1
    again = build(unpacked, tmp_path / "again", at=times.pop())
    assert [path.name for path in again] == [sdist.name, wheel.name]
    assert [
        path.read_bytes() == first.read_bytes() for path, first in zip(again, files, strict=True)
    ] == [True, True]


def test_the_wheel_holds_the_package_and_nothing_else(files: tuple[Path, Path]) -> None:
    """Every file of the package is there, models and pages included, and no test, cache or leftover."""
    with zipfile.ZipFile(files[1]) as archive:
        names = archive.namelist()
        times = {info.date_time for info in archive.infolist()}
    assert len(times) == 1
    source = ROOT / "src"
    ours = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    package = {name for name in names if name.startswith("ghostmem/")}
    assert package == ours
    about = {name.partition("/")[2] for name in names if name not in package}
    licences = {f"licenses/{name}" for name in project()["license-files"]}
    assert about == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", *licences}
    assert len(names) == len(set(names))
    needed = {"py.typed", "embed/data/minilm-l6-v2-int8.onnx", "embed/data/minilm-l6-v2-int8.data", "embed/data/static-256-int8.npz",
              "embed/data/vocab.txt", "web/static/index.html", "web/static/js/main.js", "web/static/sign-in/sign-in.html",
              "mcp/viewer/viewer.js", "outline/languages/data/python.txt"}  # fmt: skip
    assert {f"ghostmem/{name}" for name in needed} <= package


def test_the_sdist_has_what_the_tests_need(files: tuple[Path, Path]) -> None:
    """Whoever packages Ghost for a system can run its tests from there."""
    with tarfile.open(files[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("src", "tests", "bench", "docs", "tools", "deploy", "plugins"):
        ours = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*.py")
            if "__pycache__" not in path.parts
            and not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
        }
        assert ours <= names, folder
        assert any(name.startswith(f"{folder}/") for name in names)
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "Makefile",
        "server.json",
        "tests/requirements.toml",
    } <= names
    assert not any(
        "__pycache__" in name or (name.endswith((".pyc", ".db-wal")) and "tests/data" not in name)
        for name in names
    )


def project() -> dict[str, Any]:
    """Return the table of the project."""
    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"])


def test_what_comes_with_it_is_known(files: tuple[Path, Path]) -> None:
    """The wheel stays small, few packages are asked for, and nothing that they bring is new or heavy."""
    assert files[1].stat().st_size / 1e6 < WHEEL_MB
    assert {one.partition(">")[0] for one in project()["dependencies"]} == DIRECT
    assert set(needed(files[1])) - WITH_GHOST == set()
    with_all = set(needed(files[1], ("all",)))
    assert with_all & NEVER == set()
    assert {name for name in with_all - WITH_GHOST if not name.startswith("tree-sitter")} == {
        "psycopg",
        "psycopg-binary",
        "psycopg-pool",
    }


MODULES = {  # modules that are not named like their package; `mcp` releases its types with itself
    "agents": "openai-agents",
    "llama_index": "llama-index-core",
    "mcp_types": "mcp",
    "psycopg_pool": "psycopg",
    "ruamel": "ruamel.yaml",
}
BY_THE_USER = {"tokenizers"}  # for a model in a folder of the user's own


def test_every_imported_package_is_declared() -> None:
    """A package that only another one needs may be gone with its next release."""
    extras = project()["optional-dependencies"].values()
    names = [*project()["dependencies"], *(name for extra in extras for name in extra)]
    declared = {re.split(r"[\[<>=]", name)[0] for name in names}
    imported = {
        name.partition(".")[0]
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    } - {*sys.stdlib_module_names, *BY_THE_USER, "ghostmem"}
    public = {name for name in imported if not name.startswith("_")}
    assert {MODULES.get(name, name.replace("_", "-")) for name in public} - declared == set()


# ---------------------------------------------------------------- every face, outside the checkout


@pytest.mark.requirement("002-002")
def test_one_installation_gives_library_command_line_and_server(installed: Installed) -> None:
    """From the wheel and what it declares alone: import, put, find, assemble, serve; nothing comes from the checkout."""
    code = "import ghostmem; print(ghostmem.__file__); print(len(ghostmem.Ghost.open(':memory:').list()))"
    where, count = installed.run("-c", code, program="python").split()
    assert Path(where).is_relative_to(installed.programs.parent)
    assert count == "0"
    version = ghostmem.__version__
    assert installed.run("--version") == f"ghost {version}\n"
    assert installed.run("--version", program="ghostmem").endswith(f" {version}\n")
    assert "created agent:ada/tea v1" in installed.run("put", "-k", "tea", "Sam drinks green tea.")
    assert "agent:ada/tea" in installed.run("search", "--all", ASKS)
    assert "green tea" in installed.run("context", "--all", "serve Sam something to drink")
    with installed.listening("serve", "--port", "0") as said:
        status, _, body = get(
            f"{said['api']}/search", method="POST", body={"query": ASKS, "ns": "agent:ada"}
        )
        assert (status, json.loads(body)["results"][0]["key"]) == (200, "tea")
    assert "✓ integrity" in installed.run("doctor")


@pytest.mark.requirement("002-002")
@pytest.mark.parametrize("provider", ["local", "static", "none"])
def test_every_provider_inside_works(installed: Installed, provider: str) -> None:
    """The models are in the wheel; without any, words find."""
    installed.run("put", "-k", "tea", "Sam drinks green tea.", GHOST_EMBED_PROVIDER=provider)
    question = "green tea" if provider == "none" else ASKS
    assert installed.run("search", "--all", question, GHOST_EMBED_PROVIDER=provider).startswith(
        "agent:ada/tea  "
    )
    assert provider in installed.run("embed", "status", GHOST_EMBED_PROVIDER=provider)


@pytest.mark.requirement("002-002")
def test_an_agent_is_served_as_its_client_starts_it(installed: Installed) -> None:
    """What setup writes is started word for word, and a memory goes in and comes out over MCP."""
    assert not (installed.folder / ".cursor").exists()
    assert '"mcpServers"' in installed.run("setup", "cursor", "--dry-run")
    assert not (installed.folder / ".cursor").exists()
    installed.run("setup", "cursor")
    entry = json.loads((installed.folder / ".cursor" / "mcp.json").read_text(encoding="utf-8"))[
        "mcpServers"
    ]["ghost"]
    assert Path(entry["command"]).is_relative_to(installed.programs.parent)
    server = Server(
        [entry["command"], *entry["args"]],
        {**installed.env(), **entry.get("env", {})},
        installed.folder,
    )
    try:
        assert {"ghost_put", "ghost_search", "ghost_context"} <= {
            tool["name"] for tool in server.tools()
        }
        server.call("ghost_put", {"key": "tea", "content": "Sam drinks green tea."})
        assert "green tea" in server.call("ghost_search", {"query": ASKS})
    finally:
        server.close()
    assert server.process.returncode == 0
    assert installed.run("get", "tea") == "Sam drinks green tea.\n"


def test_a_hook_answers(installed: Installed) -> None:
    """What a host sends at the beginning of a session gets what is known."""
    installed.run(
        "put",
        "-k",
        "money",
        "--pinned",
        "Keep money as integer cents.",
        GHOST_EMBED_PROVIDER="none",
    )
    event = {
        "hook_event_name": "SessionStart",
        "session_id": "s1",
        "source": "startup",
        "cwd": str(installed.folder),
    }
    said = json.loads(
        installed.run("hook", "claude", data=json.dumps(event), GHOST_HOOK_TIMEOUT="60")
    )
    assert "integer cents" in said["hookSpecificOutput"]["additionalContext"]


@pytest.mark.requirement("002-002")
def test_the_viewer_opens_once(installed: Installed) -> None:
    """Its address lets one browser in, which then gets the page and every file that the page names."""
    installed.run("put", "-k", "tea", "Sam drinks green tea.", GHOST_EMBED_PROVIDER="none")
    with installed.listening("web", "--no-open", GHOST_EMBED_PROVIDER="none") as said:
        status, headers, _ = get(said["url"])
        assert status in (302, 303, 307)
        cookie = headers["set-cookie"].partition(";")[0]
        base = said["url"].partition("/?")[0]
        status, _, page = get(f"{base}/", cookie)
        assert (status, "<title>Ghost" in page) == (200, True)
        assert "ghost_session" not in get(said["url"])[1].get("set-cookie", "")
        assert get(f"{base}/static/js/main.js", cookie)[0] == 200


def test_notes_are_searched_where_they_lie(installed: Installed) -> None:
    """A folder of markdown outside the checkout."""
    (installed.folder / "diary").mkdir()
    (installed.folder / "diary" / "day.md").write_text(
        "# Saturday\n\nPlanted rhubarb along the fence.\n", encoding="utf-8"
    )
    installed.run("notes", "add", "diary", "-n", "notes:diary", GHOST_EMBED_PROVIDER="static")
    assert "day.md" in installed.run(
        "search", "--in", "notes", "-n", "notes:diary", "rhubarb", GHOST_EMBED_PROVIDER="static"
    )


def test_without_an_extra_the_error_names_it(installed: Installed) -> None:
    """What is not installed says what to install, and nothing else."""
    assert installed.run("outline", "project", "--language", "python", code=2).splitlines() == [
        "error: the code outline is not installed",
        "hint: pip install 'ghostmem[outline]'",
    ]
    assert installed.run(
        "--db", "postgresql://nobody@127.0.0.1:1/x", "list", code=5
    ).splitlines() == [
        "error: a store in PostgreSQL needs a package that is not installed (psycopg)",
        "hint: pip install 'ghostmem[postgres]'",
    ]


def test_the_outline_works_with_its_extra(installed_with_extras: Installed) -> None:
    """A small project, outside the checkout."""
    (installed_with_extras.folder / "shop.py").write_text(
        "def order():\n    return check()\n\n\ndef check():\n    return 1\n", encoding="utf-8"
    )
    said = installed_with_extras.run(
        "outline", "symbol", "order", "--language", "python", "--root", "."
    )
    assert "shop.check  func  shop.py:5" in said


def test_postgresql_works_with_its_extra(installed_with_extras: Installed, pg_url: str) -> None:
    """The same commands, on a database."""
    here = ("--db", pg_url)
    installed_with_extras.run(
        *here, "put", "-k", "tea", "Sam drinks green tea.", GHOST_EMBED_PROVIDER="static"
    )
    assert "agent:ada/tea" in installed_with_extras.run(
        *here, "search", ASKS, GHOST_EMBED_PROVIDER="static"
    )
