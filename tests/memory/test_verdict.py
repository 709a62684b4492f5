"""What a put would say again, update or contradict, found among what a namespace holds."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from conftest import Clock
from ghostmem import Ghost
from ghostmem.memory.draft import Draft, read_current
from ghostmem.memory.verdict import Judgement, compare_draft
from ghostmem.model import VerdictKind

NOISE = [
    "The quarterly report is due on Friday.",
    "GitHub Actions had an outage this morning.",
    "Grandma's garden has roses and tulips.",
    "Branch protection needs two approvals.",
    "The bakery around the corner sells rye bread.",
]


def find(ghost: Ghost, content: str, key: str = "new", ns: str = "a") -> Judgement:
    """Ask for a verdict as a put would."""
    store = ghost.store
    draft = Draft(ns, key, content, {})
    return compare_draft(store, draft, read_current(store, draft))[1]


@pytest.fixture(params=["none", "local"])
def known(request: pytest.FixtureRequest, open_ghost: Callable[..., Ghost]) -> Ghost:
    """Return a store that knows a few things, with plain rules and with the judge."""
    ghost = open_ghost(embed_provider=request.param)
    for number, text in enumerate(NOISE):
        ghost.put("a", f"noise-{number}", text)
    ghost.put("a", "ci", "We use Jenkins for continuous integration.")
    ghost.put("a", "port", "The API listens on port 8080.")
    ghost.put("a", "owner", "Tom owns the payments module.")
    return ghost


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("Tom owns the payments module!", VerdictKind.RESTATEMENT, "owner"),
        (
            "We switched from Jenkins to Buildkite for continuous integration.",
            VerdictKind.UPDATE,
            "ci",
        ),
        ("The API does not listen on port 8080.", VerdictKind.CONFLICT, "port"),
        ("Lena likes the beaches of Crete.", VerdictKind.NEW, None),
        ("The moon is full tonight.", VerdictKind.NEW, None),
    ],
)
def test_the_memory_that_a_text_concerns_is_found(
    known: Ghost, text: str, kind: VerdictKind, key: str | None
) -> None:
    """With the judge and with plain rules, by the nearest vectors and by the rarest words."""
    found = find(known, text)
    assert (found.verdict.kind, found.verdict.key) == (kind, key)
    assert (found.memory.key if found.memory else None) == key
    if key is not None:
        evidence = found.verdict.to_dict()["evidence"]
        assert evidence["shared"]
        assert 0 < evidence["confidence"] <= 1


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("The staging database is Postgres 14.", "Staging was upgraded to Postgres 15.", "update"),
        ("Search runs on Solr.", "Since the audit, search runs on Elasticsearch.", "update"),
        ("Anna is a vegetarian.", "Anna eats meat every day.", "conflict"),
        ("The office in Porto is closed on Mondays.", "Peter bought a red bicycle.", "new"),
    ],
)
def test_the_judge_reads_meaning(
    open_ghost: Callable[..., Ghost], old: str, new: str, kind: str
) -> None:
    """No phrase of change is needed, and the words need not be the same."""
    ghost = open_ghost(embed_provider="local")
    ghost.put("a", "old", old)
    found = find(ghost, new)
    assert found.verdict.kind == kind


def test_a_text_with_a_redacted_secret_is_not_dropped(open_ghost: Callable[..., Ghost]) -> None:
    """Two texts are not the same because a secret was redacted in both."""
    ghost = open_ghost(embed_provider="local", dedup=True)
    ghost.put("a", "keys", "The anthropic key is sk-ant-REDACTED and the db password is hunter2!")
    stored = ghost.put("a", "change", "Send the password to Bob1234x when it changes.")
    assert (stored.outcome, stored.key) == ("created", "change")
    again = ghost.put("a", "again", "Send the password to Carl5678y when it changes.")
    assert (again.outcome, again.key) == ("reinforced", "change")


def test_a_tentative_verdict_changes_nothing(open_ghost: Callable[..., Ghost]) -> None:
    """It is reported with its probability; no memory is linked, reinforced or closed."""
    ghost = open_ghost(embed_provider="local", freshness="close", dedup=True)
    pairs = [
        ("The API listens on port 8080.", "The API listens on port 9090."),
        ("Tom owns the payments module.", "The payments module is owned by Tom."),
        ("The queue guarantees exactly-once delivery.", "Messages can arrive more than once."),
        ("Answers should be short.", "The user likes long answers with background."),
        ("Deploys happen on Tuesday.", "Deploys happen on Thursday."),
        ("Anna leads the web team.", "The web team has a new lead."),
    ]
    seen = 0
    for number, (old, new) in enumerate(pairs):
        ghost.put(f"n{number}", "old", old)
        memory = ghost.put(f"n{number}", "new", new)
        assert memory.verdict is not None
        if memory.verdict.is_tentative:
            seen += 1
            assert memory.outcome == "created"
            assert ghost.get(f"n{number}", "old").valid_to is None
            assert not ghost.conflicts(f"n{number}").conflicts
            assert 0 < memory.verdict.evidence["confidence"] < 1
    assert seen, "no pair was uncertain: choose others"


@pytest.mark.parametrize("provider", ["none", "local"])
@pytest.mark.parametrize(
    ("right", "other", "new"),
    [
        (
            "Anna takes the train to the office in Bergen.",
            "Ingrid takes the train to the office in Bergen every Monday morning.",
            "Anna no longer takes the train to Bergen, she drives.",
        ),
        (
            "The invoice template for French customers uses the blue logo.",
            "The invoice template for Swiss customers uses the blue logo.",
            "The template for French customers now uses the green logo instead of the blue logo.",
        ),
        (
            "The staging API server runs Postgres 14.",
            "The production API server runs Postgres 14.",
            "The staging API server was upgraded from Postgres 14 to Postgres 16.",
        ),
        (
            "Anna's laptop password manager is Bitwarden.",
            "Ben's laptop password manager is Bitwarden.",
            "Anna's laptop password manager is 1Password now instead of Bitwarden.",
        ),
    ],
)
def test_a_correction_concerns_one_subject(
    open_ghost: Callable[..., Ghost], provider: str, right: str, other: str, new: str
) -> None:
    """The same sentence about another person or environment is not touched, also with `close`."""
    ghost = open_ghost(embed_provider=provider, freshness="close")
    ghost.put("a", "other", other)
    ghost.put("a", "right", right)
    verdict = ghost.put("a", "new", new).verdict
    assert verdict is not None
    assert (verdict.key, verdict.is_tentative) == ("right", False)
    assert ghost.get("a", "right").valid_to is not None
    assert ghost.get("a", "other").valid_to is None


def test_a_new_version_is_an_update_of_its_last_one(open_ghost: Callable[..., Ghost]) -> None:
    """Of its own key, whatever it says; it is not compared with itself."""
    ghost = open_ghost()
    ghost.put("a", "port", "The API listens on port 8080.")
    found = find(ghost, "The API no longer listens on port 8080.", key="port")
    assert (found.verdict.kind, found.verdict.key) == (VerdictKind.UPDATE, "port")
    assert "version" in found.verdict.evidence


def test_an_empty_or_unknown_namespace_has_nothing_to_compare(known: Ghost) -> None:
    """A verdict looks at its own namespace only."""
    assert find(known, "Tom owns the payments module.", ns="b").verdict.kind == VerdictKind.NEW


def test_what_is_closed_removed_expired_or_sensory_is_left_out(
    open_ghost: Callable[..., Ghost], clock: Clock
) -> None:
    """Only what is held true can be said again or contradicted."""
    ghost = open_ghost()
    ghost.put("a", "closed", "Tom owns the payments module.", valid_to=clock.at)
    ghost.put("a", "gone", "Tom owns the payments module.")
    ghost.rm("a", "gone")
    ghost.put("a", "brief", "Tom owns the payments module.", ttl="60s")
    ghost.put("a", "sensed", "Tom owns the payments module.", tier="sensory")
    clock.forward(minutes=5)
    assert find(ghost, "Tom owns the payments module!").verdict.kind == VerdictKind.NEW
    ghost.put("a", "open", "Tom owns the payments module.")
    assert find(ghost, "Tom owns the payments module!").verdict.key == "open"


def test_a_restatement_counts_before_an_update(open_ghost: Callable[..., Ghost]) -> None:
    """The strongest of several verdicts is the one that counts."""
    ghost = open_ghost()
    ghost.put("a", "old", "The code is formatted with yapf.")
    text = "The code is formatted with ruff instead of yapf."
    assert find(ghost, text).verdict.kind == VerdictKind.UPDATE
    ghost.put("a", "same", f"{text}!")
    assert find(ghost, text).verdict.key == "same"


def test_thousands_of_one_template_are_no_restatements(open_ghost: Callable[..., Ghost]) -> None:
    """Invoices by the hundred: a new one is new."""
    ghost = open_ghost()
    for number in range(300):
        ghost.put(
            "a",
            f"invoice-{number}",
            f"Invoice {1000 + number} for Nordwind: {number} EUR, due in two weeks.",
        )
    assert (
        find(ghost, "Invoice 1999 for Nordwind: 12 EUR, due in two weeks.").verdict.kind
        == VerdictKind.NEW
    )


def test_long_texts_are_judged_by_their_first_part(open_ghost: Callable[..., Ghost]) -> None:
    """A megabyte is no more work than a page."""
    ghost = open_ghost()
    ghost.put(
        "a", "long", "The API listens on port 8080. " + "More of the manual follows here. " * 5_000
    )
    assert find(ghost, "moved to not 8080 API " * 40_000).verdict.kind in VerdictKind


def test_a_correction_is_linked_to_what_the_corrected_one_corrected(
    open_ghost: Callable[..., Ghost],
) -> None:
    """A chain of corrections is whole even where the last one says nothing of the first."""
    ghost = open_ghost(freshness="suggest")
    for key, text in (
        ("a", "The user is vegetarian."),
        ("b", "The user is vegan now, no longer vegetarian."),
    ):
        ghost.put("a", key, text)
    ghost.put("a", "c", "The user is not vegan any more and eats fish.")
    assert [hit.key for hit in ghost.search("is the user vegetarian?", "a", limit=3)][0] == "c"


def test_where_nothing_is_alike_the_judge_is_not_loaded() -> None:
    """Loading it takes longer than all else that a cold put does."""
    program = (
        "import sys; from ghostmem import Ghost; from ghostmem.settings import Settings\n"
        "with Ghost.open(':memory:', settings=Settings(embed_provider='none', judge='on')) as g:\n"
        "    g.put('a', 'k', 'Tom owns the payments module.')\n"
        "    g.put('a', 'n', 'Roses grow along the garden wall.')\n"
        "assert 'ghostmem.judge.model' not in sys.modules and 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_tags_do_not_hide_a_memory(known: Ghost) -> None:
    """Tags are words to search by, and no part of the text that a new one is compared with."""
    known.put(
        "a",
        "food",
        "Monthly budget for groceries: 400 euros.",
        tags=["billing", "user:sam", "project:shop"],
    )
    found = find(known, "The monthly budget for groceries: 400 euros!")
    assert (found.verdict.kind, found.verdict.key) == (VerdictKind.RESTATEMENT, "food")


def test_a_text_that_shares_one_word_ends_nothing(open_ghost: Callable[..., Ghost]) -> None:
    """A mention of the same word is at most a tentative conflict, also with `close`."""
    ghost = open_ghost(embed_provider="local", freshness="close")
    ghost.put("a", "vet", "The vet of the user's dog is Dr. Kessler in Barmbek.")
    ghost.put("a", "page", "There is a page about vet in the handbook.")
    assert [memory.key for memory in ghost.list("a")] == ["page", "vet"]


def test_a_turn_of_a_conversation_is_compared_by_plain_rules(
    open_ghost: Callable[..., Ghost],
) -> None:
    """An episode with a speaker and a scope is a turn; a fact may have both."""
    ghost = open_ghost(embed_provider="local")
    ghost.put("a", "old", "Anna is a vegetarian.")
    text = "Anna eats meat every day."
    verdicts = {}
    for kind in ("semantic", "episodic", None):
        fields = {"kind": kind} if kind else {}
        source = {"source_user": "Anna", "source_scope": "s"}
        verdicts[kind] = ghost.put("a", "new", text, **source, **fields).verdict.kind
        ghost.rm("a", "new")
    assert verdicts == {"semantic": "conflict", "episodic": "new", None: "conflict"}


def test_a_turn_corrects_no_other_turn(open_ghost: Callable[..., Ghost]) -> None:
    """A turn inherits its scope from the version before it; a fact with a scope corrects a turn."""
    ghost = open_ghost()
    text = "The API does not listen on port 8080."
    source = {"source_user": "Anna", "source_scope": "s"}
    ghost.put("a", "turn", "The API listens on port 8080.", kind="episodic", **source)
    ghost.put("a", "two", "Grandma grows roses.", kind="episodic", **source)
    turn = ghost.put("a", "two", text, kind="episodic")
    assert (turn.source_scope, turn.verdict.key) == ("s", "turn")
    assert not ghost.conflicts("a").conflicts
    ghost.put("b", "turn", "The API listens on port 8080.", kind="episodic", **source)
    ghost.put("b", "fact", text, **source)
    assert [(pair.key, pair.other) for pair in ghost.conflicts("b").conflicts] == [("fact", "turn")]
