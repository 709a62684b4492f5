"""What a person does on many screens: agree to a question, take the last change back. And what a server does: be slow."""

import time
from collections.abc import Callable
from typing import Any

import pytest

expect = pytest.importorskip("playwright.sync_api").expect
expect.set_options(timeout=30_000)  # the machine may be busy


def confirmed(page: Any, label: str) -> None:
    """Say yes to the question that stands open."""
    page.locator("dialog[open]").get_by_role("button", name=label, exact=True).click()
    page.wait_for_selector("dialog", state="detached")


def undone(page: Any, key: str = "") -> None:
    """Take back the last change, with a button or a key, and wait until that is done; an earlier notice is not taken for it."""
    page.evaluate(
        "() => document.querySelectorAll('.toast').forEach((toast) => toast.setAttribute('data-before', ''))"
    )
    if key:
        page.keyboard.press(key)
    else:
        page.locator(".toast").last.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast:not([data-before]) .toast-text")).to_have_text("Undone")


def hold(page: Any, pattern: Any) -> Callable[[], None]:
    """Hold the requests of a pattern, and return a function that waits for the first and lets it go on."""
    requests: list[Any] = []

    def keep(route: Any) -> None:
        requests.append(route)

    def go_on() -> None:
        deadline = time.monotonic() + 30
        while not requests:  # a page may show that it waits before its request reaches the test
            assert time.monotonic() < deadline
            page.wait_for_timeout(10)
        requests[0].continue_()

    page.route(pattern, keep)
    return go_on
