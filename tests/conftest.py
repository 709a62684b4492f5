"""Fixtures, markers and suites of the tests.

Every test runs with its own home folder, its own clock and no settings from outside. The suites:

- `pytest --quick` (make test): every feature, on stores in memory, with few examples.
- `pytest` (make test-full): everything that is not marked slow or perf.
- `pytest --rest`: the tests of `pytest` that `pytest --quick` did not run in full.
- `pytest -m ""` (make test-all): everything.
- `pytest --clients tests/clients` (make test-clients): real agent clients; in no other suite.
"""

import ctypes
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import hypothesis
import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from servers import Databases

CLIENTS = Path(__file__).parent / "clients"
STRICT = os.environ.get("GHOST_TEST_STRICT") == "1"
START = datetime(2026, 3, 14, 9, 26, 53, 589793, tzinfo=UTC)


QUICK_EXAMPLES = 10
QUICK_MACHINES = 5
"""Examples of a state machine, each of many steps, in the quick suite."""
HEAVY = ("browser", "postgres", "process", "repo")
"""Markers of tests that the quick suite leaves out, except those that are also marked smoke."""
NEVER_QUICK = ("slow", "perf", "wide")
REPOSITORY = {
    f"test_{name}.py"
    for name in ("deploy", "docs", "docs_blocks", "docs_site", "packaging", "peers", "reliability")
}
"""Files that test the repository (documents, packages, examples), not the product."""
PROCESS_FIXTURES = {"place", "program", "start"}
POSTGRES_FIXTURES = {"pg_databases", "pg_url"}
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # of <malloc.h>
GLIBC = ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
SHARED = pytest.StashKey[Path]()
"""The folder that all workers of a run share."""

# the machine may be busy: the time that an example takes says nothing about it
hypothesis.settings.register_profile(
    "full", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile(
    "quick",
    hypothesis.settings.get_profile("full"),
    max_examples=QUICK_EXAMPLES,
    derandomize=True,
    database=None,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose tests and engines, and the one that reports memory."""
    parser.addoption(
        "--engines",
        default="",
        help="the engines that stores of tests are on: memory,file,postgres",
    )
    parser.addoption("--quick", action="store_true", help="run the quick suite (make test)")
    parser.addoption(
        "--rest", action="store_true", help="run the tests that --quick leaves out or shortens"
    )
    parser.addoption(
        "--clients", action="store_true", help="collect the tests with real agent clients"
    )
    parser.addoption(
        "--memory", action="store_true", help="print the peak memory of each worker at the end"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load the hypothesis profile and restore the default handling of SIGINT."""
    hypothesis.settings.load_profile("quick" if config.getoption("--quick") else "full")
    # A background job of a shell script ignores SIGINT, and so would every process that tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    given = getattr(config, "workerinput", {}).get("shared_folder")
    config.stash[SHARED] = Path(given or tempfile.mkdtemp(prefix="ghost-tests-"))
    if GLIBC:  # large blocks go back to the system at once, and threads share one heap
        GLIBC.mallopt(M_MMAP_THRESHOLD, 1 << 20)
        GLIBC.mallopt(M_ARENA_MAX, 1)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Collect the tests with real clients only when asked: they need programs from npm."""
    if CLIENTS in (collection_path, *collection_path.parents) and not config.getoption("--clients"):
        return True
    return None


@pytest.fixture(scope="module", autouse=True)
def _trimmed() -> Iterator[None]:
    """Give memory that a module no longer needs back to the system."""
    yield
    if GLIBC:
        GLIBC.malloc_trim(0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Let hypothesis make its tables of characters once, in a process of its own: it needs 200 MB."""
    program = "from hypothesis import strategies; strategies.text().validate()"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker which folder all workers share."""
    node.workerinput["shared_folder"] = str(node.config.stash[SHARED])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers that the workers shared."""
    if not hasattr(config, "workerinput") and SHARED in config.stash:
        from servers import stop_shared

        stop_shared(config.stash[SHARED])
        shutil.rmtree(config.stash[SHARED], ignore_errors=True)


def _marks_by_place(item: pytest.Item) -> Iterator[str]:
    """Yield the markers that follow from the folder, the fixtures and the engine of a test."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    fixtures = set(getattr(item, "fixturenames", ())) - set(parameters)
    if "browser" in item.path.parts:
        yield "browser"
    if item.path.name in REPOSITORY:
        yield "repo"
    if fixtures & POSTGRES_FIXTURES or parameters.get("ghost") == "postgres":
        yield "postgres"
    if fixtures & PROCESS_FIXTURES or "faults" in item.path.parts:
        yield "process"


def _is_quick(item: pytest.Item) -> bool:
    """Say whether a test belongs to the quick suite, as far as its own markers tell."""
    marks = {mark.name for mark in item.iter_markers() if "keep" not in mark.kwargs}
    if not marks.isdisjoint(NEVER_QUICK):
        return False
    return "smoke" in marks or marks.isdisjoint(HEAVY)


def _quick_items(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the tests of the quick suite; of a test marked `wide(keep=n)`, n of its cases."""
    quick = {item: None for item in items if _is_quick(item)}
    cases: dict[tuple[Path, str, int], list[pytest.Item]] = {}
    for item in quick:
        for mark in item.iter_markers("wide"):
            name = getattr(item, "originalname", item.name)
            cases.setdefault((item.path, name, mark.kwargs["keep"]), []).append(item)
    for (_, _, keep), members in cases.items():
        kept = {members[number * len(members) // keep] for number in range(keep)}
        for item in set(members) - kept:
            del quick[item]
    return set(quick)


def _has_examples(item: pytest.Item) -> bool:
    """Say whether hypothesis makes the examples of a test, of which the quick suite runs fewer."""
    return hypothesis.is_hypothesis_test(getattr(item, "obj", None)) or hasattr(
        getattr(item, "cls", None), "settings"
    )


def _limit_examples(item: pytest.Item) -> None:
    """Let a test that asks for many examples itself run as few as the quick profile has."""
    holder, name = (item.obj, "_hypothesis_internal_use_settings")  # type: ignore[attr-defined]
    most = QUICK_EXAMPLES
    if item.cls is not None and hasattr(item.cls, "settings"):  # type: ignore[attr-defined]
        holder, name, most = (item.cls, "settings", QUICK_MACHINES)  # type: ignore[attr-defined]
    own = getattr(holder, name, None)
    if isinstance(own, hypothesis.settings):
        few = min(own.max_examples, most)
        changed = hypothesis.settings(own, max_examples=few, derandomize=True, database=None)
        setattr(holder, name, changed)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their place and leave out those that are not of the chosen suite."""
    for item in items:
        for name in _marks_by_place(item):
            item.add_marker(name)
    quick, rest = config.getoption("--quick"), config.getoption("--rest")
    if not quick and not rest:
        return
    chosen: list[pytest.Item] = []
    others: list[pytest.Item] = []
    quick_items = _quick_items(items)
    for item in items:
        belongs = (item in quick_items) == quick or (rest and _has_examples(item))
        (chosen if belongs else others).append(item)
        if quick and belongs and _has_examples(item):
            _limit_examples(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen


class Clock:
    """A clock that moves only when told, plus a microsecond a look so that times differ."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def __call__(self) -> datetime:
        self.at += timedelta(microseconds=1)
        return self.at

    def forward(self, **by: float) -> None:
        """Let time pass."""
        self.at += timedelta(**by)


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give the test a home of its own and no GHOST_* variables."""
    for name in list(os.environ):
        if name.startswith(
            (
                "GHOST_",
                "AGENT_MEMORY_",
                "NO_COLOR",
                "FORCE_COLOR",
                "ANTHROPIC_",
                "OPENAI_",
                "OLLAMA_",
                "BUS_",
            )
        ):
            monkeypatch.delenv(name)
    for name in (
        "XDG_CONFIG_HOME",
        "APPDATA",
        "CODEX_HOME",
        "CLAUDE_CONFIG_DIR",
    ):  # where other programs keep their files
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "none")
    monkeypatch.setenv("GHOST_HOOK_HELPER", "false")  # no process may outlive a test


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands still until told."""
    return Clock()


@pytest.fixture(scope="session")
def pg_databases(request: pytest.FixtureRequest) -> "Iterator[Databases]":
    """Return fresh databases on the PostgreSQL that all workers share, or that GHOST_TEST_PG names."""
    from servers import databases

    with databases(request.config.stash[SHARED]) as made:
        yield made


@pytest.fixture
def pg_url(pg_databases: "Databases") -> str:
    """Return the address of a fresh database with Ghost's tables."""
    return pg_databases.fresh()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of `ghost` on each engine: contract tests on all, others on SQLite.

    The quick suite uses files only in the contract and in the tests of the store.
    """
    if "ghost" not in metafunc.fixturenames:
        return
    folders = metafunc.definition.path.parts
    engines: list[Any] = ["memory"]
    if not metafunc.config.getoption("--quick"):
        engines.append(pytest.param("file", marks=pytest.mark.wide))
    if "contract" in folders or "store" in folders:
        engines = ["memory", "file"]
    if "contract" in folders:
        engines.append(pytest.param("postgres", marks=pytest.mark.smoke))
    if named := metafunc.config.getoption("--engines"):
        engines = named.split(",")
    metafunc.parametrize("ghost", engines, indirect=True)


@pytest.fixture
def ghost(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Ghost]:
    """Open an empty store, once on every engine; what it held is checked afterwards."""
    if request.param == "postgres":
        target = request.getfixturevalue("pg_url")
    else:
        target = ":memory:" if request.param == "memory" else str(tmp_path / "memory.db")
    with Ghost.open(target, settings=Settings(embed_provider="none"), clock=clock) as found:
        yield found
        assert found.admin.check().problems == ()


@pytest.fixture(scope="session")
def anywhere(request: pytest.FixtureRequest) -> Callable[[], str]:
    """Return a function that gives the place of an empty store: in memory, or a database when somebody asked for that."""
    if request.config.getoption("--engines") != "postgres":
        return lambda: ":memory:"
    databases: Databases = request.getfixturevalue("pg_databases")
    return databases.fresh


@pytest.fixture
def store_at(
    request: pytest.FixtureRequest, tmp_path: Path, anywhere: Callable[[], str]
) -> Callable[[str | Path], str]:
    """Return a function that says where the store of a name is: a file of one folder, or a database when somebody asked."""
    made: dict[str, str] = {}

    def at(name: str | Path) -> str:
        if name == ":memory:":
            return anywhere()
        if (
            isinstance(name, Path) or request.config.getoption("--engines") != "postgres"
        ):  # what is about files says which
            return str(tmp_path / name)
        if name not in made:
            made[name] = anywhere()
        return made[name]

    return at


@pytest.fixture
def open_ghost(
    store_at: Callable[[str | Path], str], clock: Clock
) -> Iterator[Callable[..., Ghost]]:
    """Return a function that opens stores by name in one place and closes them at the end."""
    opened: list[Ghost] = []

    def open_(name: str | Path = "memory.db", **settings: Any) -> Ghost:
        target = store_at(name)
        opened.append(
            Ghost.open(
                target, settings=Settings(**{"embed_provider": "none", **settings}), clock=clock
            )
        )
        return opened[-1]

    yield open_
    for ghost in opened:
        ghost.close()


@pytest.fixture
def rows(store_at: Callable[[str | Path], str]) -> Callable[..., list[Any]]:
    """Return a function that reads a store's tables behind Ghost's back, over a second connection."""

    def read(statement: str, *values: Any, name: str = "m.db") -> list[Any]:
        if (target := store_at(name)).startswith("postgresql:"):
            import psycopg

            with psycopg.connect(target) as connection:
                return connection.execute(statement.replace("?", "%s"), values).fetchall()
        db = apsw.Connection(target)
        try:
            return db.execute(statement, values).fetchall()
        finally:
            db.close()

    return read


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a project's folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Tell the collecting process which tests may be skipped, and which may not."""
    if item.get_closest_marker("requirement"):
        item.user_properties.append(("proves", True))
    if item.get_closest_marker("may_skip") or item.get_closest_marker("browser"):
        item.user_properties.append(("may_skip", True))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember every skip that no marker allows."""
    if report.skipped and not hasattr(report, "wasxfail"):
        proves = ("proves", True) in report.user_properties
        if proves or (STRICT and ("may_skip", True) not in report.user_properties):
            _SKIPPED.append(report.nodeid)


_SKIPPED: list[str] = []


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail the session when a test that proves a requirement was skipped, or, in CI, any that may not be."""
    if hasattr(session.config, "workerinput"):
        session.config.workeroutput["memory"] = _peak_memory()  # type: ignore[attr-defined]
        return
    if _SKIPPED and exitstatus == 0:
        print("\nskipped, but must run:", *_SKIPPED, sep="\n  ")
        session.exitstatus = 1


_MEMORY: dict[str, int] = {}


def _peak_memory() -> int:
    """Return the most memory that this process has had, in megabytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Note the memory of a worker that ends."""
    if error is None:
        _MEMORY[node.gateway.id] = node.workeroutput["memory"]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the peak memory of each worker, when asked for."""
    if config.getoption("--memory"):
        for worker, peak in sorted((_MEMORY or {"main": _peak_memory()}).items()):
            terminalreporter.write_line(f"peak memory of {worker}: {peak} MB")
