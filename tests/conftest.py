"""Every test runs with its own home, its own clock and no settings from outside; a skip must be allowed by its marker."""

import os
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

STRICT = os.environ.get("GHOST_TEST_STRICT") == "1"
START = datetime(2026, 3, 14, 9, 26, 53, 589793, tzinfo=UTC)


# the machine is shared: how long an example takes says nothing about it
hypothesis.settings.register_profile(
    "shared", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("shared")


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


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands still until told."""
    return Clock()


@pytest.fixture(scope="session")
def pg_databases() -> "Iterator[Databases]":
    """Run a PostgreSQL for this process of tests, or use the one that GHOST_TEST_PG names."""
    from servers import databases

    with databases() as made:
        yield made


@pytest.fixture
def pg_url(pg_databases: "Databases") -> str:
    """Return the address of a fresh database with Ghost's tables."""
    return pg_databases.fresh()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let every test of a store also run on PostgreSQL, when somebody asks for that."""
    parser.addoption(
        "--engines",
        default="",
        help="the engines that stores of tests are on: memory,file,postgres",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what asks for a store once on each engine: the contract on all three, everything else on SQLite unless told."""
    if "ghost" in metafunc.fixturenames:
        contract = "contract" in metafunc.definition.path.parts
        named = metafunc.config.getoption("--engines")
        engines = (
            named.split(",")
            if named
            else ["memory", "file", "postgres"]
            if contract
            else ["memory", "file"]
        )
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
        assert found.check().problems == ()


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

    def open_(name: str | Path = "memory.db", **settings: object) -> Ghost:
        target = store_at(name)
        opened.append(
            Ghost.open(
                target, settings=Settings(**{"embed_provider": "none", **settings}), clock=clock
            )
        )  # type: ignore[arg-type]
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
    """Tell the collecting process which tests may be skipped."""
    if item.get_closest_marker("may_skip") or item.get_closest_marker("browser"):
        item.user_properties.append(("may_skip", True))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember every skip that no marker allows."""
    if (
        report.skipped
        and not hasattr(report, "wasxfail")
        and ("may_skip", True) not in report.user_properties
    ):
        _NOTED[report.nodeid] = str(report.longrepr)


_NOTED: dict[str, str] = {}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail the session when a test that proves a requirement was skipped, or, in CI, any that may not be."""
    if hasattr(session.config, "workerinput"):
        return
    from test_requirements import required_tests

    required = required_tests()
    bad = [node for node in _NOTED if STRICT or node.split("[")[0] in required]
    if bad and exitstatus == 0:
        print("\nskipped, but must run:", *bad, sep="\n  ")
        session.exitstatus = 1
