"""A token of one namespace learns nothing about another."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Answer, Served

# everything a token of namespace `a` may try
CALLS = Path(__file__).with_name("foreign_calls.txt").read_text(encoding="utf-8").splitlines()
TRIES = [
    (*words[:2], json.loads(words[2]) if words[2:] else None)
    for words in (call.split(" ", 2) for call in CALLS)
]
NOBODY = f"01{'Z' * 24}"  # an id that nothing has
VARYING = re.compile(r"01[0-9A-Z]{24}|\d{4}-\d\d-\d\dT[\d:.]+Z")


def fill(served: "Served", with_b: bool) -> tuple[str, str]:
    """Fill a store, with or without the other namespace; return the token of `a`, and the run in `b`."""
    ghost = served.ghost
    ghost.put("a", "note", "A note about tea.", tags=["mine"])
    ghost.put("a", "gone", "x")
    run = "RUN"
    if with_b:
        ghost.put(
            "b", "plan", "The zebra plan is to sail at dawn.", tags=["hidden"], files=["zebra.py"]
        )
        ghost.put("b", "ship", "The ship is called Zebra.", pinned=True)
        ghost.put("b", "gone", "x")
        ghost.rm("b", "gone")
        ghost.edge("b", "plan", "ship", "refines")
        ghost.edge("b", "plan", "ship", "relates_to")
        ghost.lifecycle.set_rule("of b", "ARCHIVE", tag="hidden", ns="b", rule_id="of-b")
        run = ghost.reflect("b").run
        ghost.put("b", "held", "x", tier="quarantine")
    return ghost.admin.create_token("mine", ["a:admin"])[0], run


def seen(answer: "Answer") -> tuple[int, str]:
    """Return what a caller learns from an answer, apart from ids and times."""
    return answer.status, VARYING.sub("…", answer.body.decode())


def test_nothing_is_learnt_of_another_namespace(serve: Callable[..., "Served"]) -> None:
    """Whatever a token tries, the answer is the same whether the other namespace holds something or does not exist."""
    full, empty = serve("full.db"), serve("empty.db")
    (token, run), (other, _) = fill(full, True), fill(empty, False)
    before, held = list(full.ghost.export("b")), full.ghost.quarantine.list("b")[0].id
    for method, path, body in TRIES:
        with_b = json.loads(json.dumps(body).replace("RUN-OF-B", run).replace("HELD-OF-B", held))
        without = json.loads(json.dumps(body).replace("HELD-OF-B", NOBODY))
        one, two = (
            full.api(method, path.replace("RUN-OF-B", run), with_b, token),
            empty.api(method, path, without, other),
        )
        assert seen(one) == seen(two), (method, path, body)
        assert one.status < 500
    assert list(full.ghost.export("b")) == before


def test_what_a_token_may_see_is_there(served: "Served") -> None:
    """A token sees everything of its own namespace."""
    token, _ = fill(served, True)
    assert [row["key"] for row in served.ok("GET", "/memories", None, token)["memories"]] == [
        "gone",
        "note",
    ]
    assert [row["ns"] for row in served.ok("GET", "/namespaces", None, token)["namespaces"]] == [
        "a"
    ]
    assert [
        hit["key"] for hit in served.ok("POST", "/search", {"query": "tea"}, token)["results"]
    ] == ["note"]
    assert served.ok("GET", "/tags", None, token) == {"tags": [{"tag": "mine", "count": 1}]}
    run = served.ok("POST", "/reflect", {}, token)["run"]
    assert [row["id"] for row in served.ok("GET", "/runs", None, token)["runs"]] == [run]
    assert served.ok("POST", "/undo", {"run": "last"}, token)["run"] == run


def test_metrics_are_for_who_may_read_everything(served: "Served") -> None:
    """Counts of the whole store would tell of other namespaces."""
    token, _ = fill(served, True)
    auditor, _ = served.ghost.admin.create_token("auditor", ["*:read"])
    assert served.call("GET", "/metrics", token=token).status == 403
    assert "ghost_memories 4" in served.call("GET", "/metrics", token=auditor).body.decode()


@pytest.mark.parametrize(
    ("ns", "status"),
    [("ab", 403), ("a:x", 403), ("A", 403), ("a*", 403), ("*", 403), ("a%00", 403), ("a", 200)],
)
def test_names_that_look_alike_are_others(served: "Served", ns: str, status: int) -> None:
    """A grant for a name is for that name, not for what starts with it or reads like it."""
    token, _ = fill(served, True)
    assert served.api("GET", f"/memories?ns={ns}", token=token).status == status


def test_a_prefix_covers_what_starts_with_it_and_no_more(served: "Served") -> None:
    """A grant for agent:* is for agent:x and agent:x:y, not for agent or agents:x."""
    for name in ("agent", "agent:x", "agent:x:y", "agents:x"):
        served.ghost.put(name, "k", name)
    token, _ = served.ghost.admin.create_token("p", ["agent:*:read"])
    found = {
        name: served.api("GET", f"/memories/{name}/k", token=token).status
        for name in ("agent", "agent:x", "agent:x:y", "agents:x")
    }
    assert found == {"agent": 403, "agent:x": 200, "agent:x:y": 200, "agents:x": 403}
    assert {row["ns"] for row in served.ok("GET", "/memories", None, token)["memories"]} == {
        "agent:x",
        "agent:x:y",
    }
