"""Fixtures of the tests with real clients, and the record of their results."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clients.sandbox import INSTALLED, ROOT, Sandbox, Step, versions
from clients.scripted_model import ScriptedModel

RESULTS = ROOT / ".clients" / "results"


@pytest.fixture
def sandbox(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Return a home, a project and a model for one client."""
    assert INSTALLED.is_dir(), "the clients are not installed; run `make test-clients`"
    with ScriptedModel(tmp_path / "requests") as model:
        made = Sandbox(tmp_path, model)
        request.node.stash[_SANDBOX] = made
        yield made
        made.close()
        assert model.errors == []


_SANDBOX = pytest.StashKey[Sandbox]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Show the output of the client and its last requests with a failure."""
    report: Any = yield
    if report.failed and (sandbox := item.stash.get(_SANDBOX, None)):
        report.sections.append(("client", sandbox.report()))
    return report


@pytest.fixture
def step(request: pytest.FixtureRequest) -> Iterator[Step]:
    """Return a context manager that records whether a step of the test passed."""
    steps: dict[str, str] = {}
    start = time.monotonic()

    @contextmanager
    def record(name: str) -> Iterator[None]:
        steps[name] = "failed"
        yield
        steps[name] = "yes"

    yield record
    agent = request.node.callspec.params["agent"]
    mode = request.node.originalname.removeprefix("test_")
    result = {
        "client": agent.name,
        "title": agent.title,
        "version": versions()[agent.package],
        "mode": mode,
        "steps": steps,
        "seconds": round(time.monotonic() - start),
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    name = f"{agent.name}-{mode}.json"
    (RESULTS / name).write_text(json.dumps(result, indent=1), encoding="utf-8")
