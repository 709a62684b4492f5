"""What a person does on many screens: agree to a question, take the last change back."""

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
