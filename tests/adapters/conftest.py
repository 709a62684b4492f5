"""Marks for tests that run inside a framework"""

from importlib.util import find_spec

import pytest


def needs(module: str, package: str) -> list[pytest.MarkDecorator]:
    """Return the marks of a file whose tests are skipped where a package is not installed."""
    reason = f"{package} is not installed; make test-adapters runs this"
    return [pytest.mark.may_skip, pytest.mark.skipif(find_spec(module) is None, reason=reason)]
