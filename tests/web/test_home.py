"""The routes behind the home page and the decisions: counts, changes, pages, and namespaces"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Served


@pytest.fixture
def filled(served: "Served", clock: Any) -> "Served":
    """Serve a store with old and new changes, contradictions and something in quarantine."""
    ghost = served.ghost
    ghost.put("a", "old", "Said long ago.")
    ghost.put("a", "gone", "This will be deleted.")
    clock.forward(days=5)
    ghost.put("a", "old", "Said again.")
    clock.forward(days=5)
    ghost.put("a", "tea", "Green tea.", source_user="ann")
    ghost.put("a", "tea", "White tea.", source_user="ann")
    ghost.rm("a", "gone")
    for number in range(3):
        ghost.put("a", f"claim-{number}", f"It is {number}.", source_user="bob")
        ghost.edge("a", "tea", f"claim-{number}", "contradicts")
    ghost.put("b", "other", "Another namespace.")
    ghost.put("b", "held", "Obey me.", tier="quarantine", source_kind="peer")
    return served


def test_home_counts_and_tells_what_changed(filled: "Served") -> None:
    """Updates have the text before, deletions the text that is gone; only the last day counts as today."""
    found = filled.ok("GET", "/home")
    assert (found["total"], found["contradictions"], found["quarantine"]) == (6, 3, 1)
    assert [(one["ns"], one["memories"]) for one in found["namespaces"]] == [("a", 5), ("b", 1)]
    assert found["today"] == {"updated": 1, "deleted": 1, "added": 4}
    changes = {one["key"]: one for one in found["changes"]}
    assert list(changes) == ["gone", "tea", "old"]
    assert (changes["tea"]["before"], changes["tea"]["summary"]) == ("Green tea.", "White tea.")
    assert changes["gone"]["change"] == "deleted"
    assert [one["key"] for one in found["added"]][:2] == ["other", "claim-2"]
    assert found["more"] is False
    assert [one["more"] for one in found["namespaces"]] == [False, False]


def test_home_says_that_it_did_not_count_all_changes(
    filled: "Served", monkeypatch: pytest.MonkeyPatch
) -> None:
    """A namespace that was written today but is not among those whose logs are read counts too."""
    monkeypatch.setattr("ghostmem.web.home.MAX_LOGS", 1)
    assert filled.ok("GET", "/home")["more"] is True
    monkeypatch.undo()
    monkeypatch.setattr("ghostmem.web.home.MAX_LINES", 3)
    found = filled.ok("GET", "/home")
    assert found["more"] is True
    assert {one["ns"]: one["more"] for one in found["namespaces"]} == {"a": True, "b": False}


def test_home_is_that_of_the_namespace(filled: "Served") -> None:
    """A namespace or a token of one sees nothing of another."""
    found = filled.ok("GET", "/home?ns=b")
    assert (found["total"], found["contradictions"], found["quarantine"]) == (1, 0, 1)
    assert {one["ns"] for one in found["added"]} == {"b"}
    token, _ = filled.ghost.admin.create_token("mine", ["b:read"])
    assert filled.call("GET", "/api/v1/home", token=token).json["total"] == 1
    assert filled.call("GET", "/api/v1/home?ns=a", token=token).status == 403
    assert filled.call("GET", "/api/v1/decisions/quarantine?ns=a", token=token).status == 403
    assert filled.call("GET", "/api/v1/waiting", token=token).json == {
        "contradictions": 0,
        "quarantine": 1,
    }


def test_looking_at_home_counts_nothing(filled: "Served") -> None:
    """The export is the same before and after."""
    before = list(filled.ghost.export())
    filled.ok("GET", "/home")
    filled.ok("GET", "/decisions/contradictions")
    assert list(filled.ghost.export()) == before


def test_contradictions_name_their_sources_and_come_in_pages(filled: "Served") -> None:
    """Those of one memory follow each other under its name; a page is a part of the list."""
    found = filled.ok("GET", "/decisions/contradictions?limit=2")
    assert (found["total"], found["namespaces"]) == (3, {"a": 3})
    assert [(one["about"], one["of_about"]) for one in found["rows"]] == [("tea", 3)] * 2
    sides = {side["key"]: side for one in found["rows"] for side in (one["first"], one["second"])}
    assert sides["tea"]["source_user"] == "ann"
    assert sides["claim-0"]["source_user"] == "bob"
    rest = filled.ok("GET", "/decisions/contradictions?limit=2&offset=2")
    assert len(rest["rows"]) == 1
    assert filled.ok("GET", "/waiting") == {"contradictions": 3, "quarantine": 1}


def test_memories_left_out_of_a_context_have_their_text(filled: "Served") -> None:
    """`texts` adds the first line of each, and nothing else changes."""
    asked = {"query": "what tea is it", "ns": "a", "budget": 40}
    plain = filled.ok("POST", "/context", asked)
    found = filled.ok("POST", "/context", {**asked, "texts": True})
    assert found["left_out"]
    assert [one.pop("summary") for one in found["left_out"]] == [
        filled.ghost.history(one["ns"], one["key"])[-1].content for one in plain["left_out"]
    ]
    assert found["left_out"] == plain["left_out"]


def test_a_report_is_kept_until_something_is_written(filled: "Served", clock: Any) -> None:
    """The same report within a minute; a write of anybody, or time, makes a new one."""
    first = filled.ok("GET", "/audit?quick=true")
    assert filled.ok("GET", "/audit?quick=true") == first
    assert "secrets" not in {one["name"] for one in first["findings"]}
    assert "secrets" in {one["name"] for one in filled.ok("GET", "/audit")["findings"]}
    filled.ghost.put("a", "copy", "White tea.", source_user="ann")
    after = {one["name"]: one["count"] for one in filled.ok("GET", "/audit?quick=true")["findings"]}
    assert after["duplicates"] == 1
    filled.ok("GET", "/home")
    filled.ghost.put("b", "held-too", "Obey.", tier="quarantine", source_kind="peer")
    home = filled.ok("GET", "/home")
    assert home["quarantine"] == 2
    filled.ghost.resolve("a", "tea", "claim-0", both=True)
    assert filled.ok("GET", "/home")["contradictions"] == home["contradictions"] - 1
    clock.forward(days=20)
    later = {one["name"]: one["count"] for one in filled.ok("GET", "/audit?quick=true")["findings"]}
    assert later["never_used"] > after["never_used"]
