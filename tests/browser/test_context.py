"""The context bench in a real browser: a question, a budget, and what an agent would be handed"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.text.render import render

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Viewer

ASKED = "#/context?q=how+do+payments+work"


def pack(page: Any) -> Any:
    """Wait for the first pack and return it."""
    page.wait_for_selector(".pack .packed-card")
    return page.locator(".pack").first


def adds_up(page: Any, card: Any) -> bool:
    """Join the parts of a receipt as they are written, and compare the result with the score."""
    total = 0.0
    for text in card.locator(".bars tbody .num").all_inner_texts():
        value = float(text.replace("−", "-").replace("× ", "").replace("+", ""))
        total = total * value if text.startswith("×") else total + value
    score = float(card.locator(".bars-sum .num").inner_text().removeprefix("= "))
    return abs(total - score) < 0.006  # the parts are rounded


@pytest.mark.slow
def test_before_a_question_the_page_says_what_to_do(viewer: "Viewer") -> None:
    """The screen opens with the cursor in the question and a word on what it is for."""
    page = viewer.show("#/context")
    page.wait_for_selector(".state h2")
    assert page.evaluate("document.activeElement.id") == "question"
    assert "ghost context" in page.inner_text(".state")


@pytest.mark.smoke
def test_a_question_and_a_budget_give_the_pack(viewer: "Viewer") -> None:
    """What is shown is what the library packs: the same memories in the same order, for the same tokens."""
    page = viewer.show("#/context")
    page.fill("#question", "how do payments work")
    page.fill("[name=budget]", "400")
    page.keyboard.press("Enter")
    found = pack(page)
    with viewer.store() as ghost:
        expected = ghost.context("how do payments work", budget=400)
    assert found.locator(".packed-card").evaluate_all(
        "cards => cards.map((one) => one.dataset.key)"
    ) == [one.key for one in expected.memories]
    assert found.locator(".budget-head h2").inner_text() == f"{expected.used} of 400 tokens"
    assert "q=how+do+payments+work" in page.url
    assert "budget=400" in page.url
    assert f"{len(expected.memories)} memories" in page.inner_text("#live")


@pytest.mark.slow
def test_the_token_bar_has_a_segment_for_each_memory(viewer: "Viewer") -> None:
    """Segments are as wide as their tokens; pointing at one or focusing it tells of it, a click leads to its card."""
    page = viewer.show(f"{ASKED}&budget=500")
    found = pack(page)
    segments = found.locator(".segment")
    assert segments.count() == found.locator(".packed-card").count()
    shares = segments.evaluate_all(
        "all => all.map((one) => parseFloat(one.style.getPropertyValue('--share')))"
    )
    used = int(found.locator(".budget-head h2").inner_text().split()[0])
    assert abs(sum(shares) - used / 5) < 0.5
    segments.first.hover()
    assert found.locator(".bar-tip").inner_text().startswith("1. ")
    segments.nth(1).focus()
    tip = found.locator(".bar-tip").inner_text()
    assert tip.startswith("2. ")
    assert "tokens" in tip
    assert segments.nth(1).get_attribute("aria-label") == tip
    segments.nth(1).click()
    assert (
        page.evaluate(
            "document.activeElement.closest('.packed-card').querySelector('.place').textContent"
        )
        == "2"
    )


def test_each_memory_says_why_it_is_there(viewer: "Viewer") -> None:
    """The receipt has the stage, the parts of the score, and the links that led to it."""
    page = viewer.show("#/context?q=why+is+the+checkout+flaky&budget=500")
    found = pack(page)
    stages = found.locator(".stages").inner_text()
    assert "found" in stages
    assert "linked" in stages
    card = found.locator('.packed-card[data-key="flaky-checkout"]')
    card.locator("summary").click()
    page.wait_for_selector('.packed-card[data-key="flaky-checkout"] .receipt')
    assert "how well it answers" in card.locator(".receipt").inner_text()
    tier = card.locator("[data-part=tier] .num")
    assert tier.count() == 0 or tier.inner_text().startswith("× ")
    assert adds_up(page, card)
    linked = found.locator('.packed-card[data-key="decimal-rule"]')
    linked.locator("summary").click()
    page.wait_for_selector('.packed-card[data-key="decimal-rule"] .hops')
    assert "caused by" in linked.locator(".hops").inner_text()


def test_what_was_left_out_has_a_reason(viewer: "Viewer") -> None:
    """What did not make it stands below, with the reason."""
    page = viewer.show(f"{ASKED}&budget=120")
    found = pack(page)
    left = found.locator(".left-out").inner_text()
    assert "Left out" in left
    with viewer.store() as ghost:
        expected = ghost.context("how do payments work", budget=120)
        contents = {
            one.key: ghost.history(one.ns, one.key)[-1].content for one in expected.left_out
        }
    for row, one in zip(found.locator(".left-out li").all(), expected.left_out, strict=False):
        assert row.locator(".left-head").inner_text().split()[:2] == [one.key, one.ns]
        assert row.locator(".memory-link").first.get_attribute("href").startswith("#/memory/")
        assert row.locator(".left-text").inner_text()[:20] == contents[one.key][:20]
        assert row.locator(".left-why").inner_text()
    assert len(expected.left_out) > 0


def test_the_pack_as_text_is_what_an_agent_gets(viewer: "Viewer") -> None:
    """The text is the library's own rendering, and can be copied."""
    page = viewer.show(f"{ASKED}&budget=400")
    found = pack(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    found.get_by_role("button", name="As text", exact=True).click()
    assert found.locator(".packed").is_hidden()
    with viewer.store() as ghost:
        expected = render(ghost.context("how do payments work", budget=400), "block")
    assert found.locator(".pack-text").text_content() == expected
    found.get_by_role("button", name="Copy as text").click()
    page.wait_for_selector(".toast")
    assert page.evaluate("() => navigator.clipboard.readText()") == expected


@pytest.mark.slow
def test_two_budgets_side_by_side(viewer: "Viewer") -> None:
    """Two budgets are compared, and what only one of them has is marked."""
    page = viewer.show(f"{ASKED}&budget=400")
    pack(page)
    page.get_by_label("Compare two budgets").check()
    page.wait_for_function("() => document.querySelectorAll('.pack').length === 2")
    page.fill("[name=other]", "100")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => document.querySelectorAll('.budget-head h2')[1]?.textContent.endsWith('of 100 tokens')"
    )
    first, second = (page.locator(".pack").nth(place) for place in (0, 1))
    assert first.locator(".packed-card").count() > second.locator(".packed-card").count()
    assert first.locator(".chip.only").count() >= 1
    assert first.bounding_box()["x"] < second.bounding_box()["x"]
    assert "other=100" in page.url


@pytest.mark.slow
def test_options_change_the_pack(viewer: "Viewer") -> None:
    """Pinned memories and links can be left out; the command for a terminal leaves them out too."""
    page = viewer.show("#/context?q=why+is+the+checkout+flaky&budget=400")
    pack(page)
    gone = "(key) => document.querySelector('.packs[aria-busy=false]') && !document.querySelector(`.packed-card[data-key='${key}']`)"
    assert page.locator('.packed-card[data-key="allergy"]').count() == 1
    page.get_by_label("With pinned memories").uncheck()
    page.wait_for_function(gone, arg="allergy")
    assert page.locator('.packed-card[data-key="vat"]').count() == 1
    page.get_by_label("Follow links").uncheck()
    page.wait_for_function(gone, arg="vat")
    command = "ghost context 'why is the checkout flaky' -n '*' --budget 400"
    assert page.locator(".same .command code").text_content() == (
        f"{command} --exclude-pinned --no-edges --render block"
    )


@pytest.mark.slow
def test_nothing_relevant_is_said(viewer: "Viewer") -> None:
    """A question that nothing answers gets nothing, rather than noise."""
    page = viewer.show("#/context?q=zzyzx+quux&pinned=0")
    page.wait_for_selector(".pack .state")
    assert "Nothing relevant" in page.inner_text(".pack .state")


@pytest.mark.slow
def test_what_another_process_writes_changes_the_pack(viewer: "Viewer") -> None:
    """The pack is assembled anew when somebody else stores something."""
    page = viewer.show(f"{ASKED}&budget=800")
    pack(page)
    page.wait_for_selector(".live-state[data-state=live]")
    viewer.ghost(
        "put",
        "-n",
        "project:shop",
        "-k",
        "payments-refunds",
        "Payments: refunds work through the Klarna dashboard.",
    )
    page.wait_for_selector('.packed-card[data-key="payments-refunds"]')


@pytest.mark.slow
def test_a_wrong_budget_is_not_sent(viewer: "Viewer") -> None:
    """A budget below one token is refused by the form, and the server's own refusals are told."""
    page = viewer.show(f"{ASKED}&budget=400")
    pack(page)
    page.fill("[name=budget]", "0")
    page.keyboard.press("Enter")
    assert page.locator(".budget-head h2").inner_text().endswith("of 400 tokens")
    answer = json.dumps(
        {"error": "EngineError", "message": "the store is busy", "hint": "try again"}
    )
    page.route(
        "**/api/v1/context",
        lambda route: route.fulfill(status=500, content_type="application/json", body=answer),
    )
    page.fill("[name=budget]", "300")
    page.keyboard.press("Enter")
    page.wait_for_selector(".state.bad")
    assert "the store is busy" in page.inner_text(".state.bad")
    page.unroute("**/api/v1/context")
    page.get_by_role("button", name="Try again").click()
    pack(page)
    viewer.problems[:] = [text for text in viewer.problems if "500" not in text]


def test_hostile_text_stays_text(tmp_path: "Path", open_viewer: "Callable[..., Viewer]") -> None:
    """Markup in a memory and in a question is shown, never run, also on a phone in the dark."""
    path = tmp_path / "hostile.db"
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        ghost.put(
            "a:b",
            "<b onmouseover=alert(1)>",
            "payments <img src=x onerror=alert(2)> </memory></ghost-memory>",
            pinned=True,
        )
    viewer = open_viewer(store=path, viewport={"width": 375, "height": 740}, color_scheme="dark")
    page = viewer.show("#/context?q=payments+%3Cscript%3Ealert(3)%3C/script%3E")
    found = pack(page)
    assert "<img src=x onerror=alert(2)>" in found.inner_text()
    assert page.locator("#main img, #main script").count() == 0
    assert page.input_value("#question") == "payments <script>alert(3)</script>"
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
