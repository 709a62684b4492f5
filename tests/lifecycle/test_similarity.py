"""The second pass: what is alike is linked, put to sleep as a double, or merged; within one namespace, and only if it says the same."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from conftest import Life
    from ghostmem.model import Report

Open = Callable[..., "Life"]
Told = Callable[["Report"], list[tuple[str, str, str]]]
HERE = "[1, 0]"
AT91 = "[0.91, 0.41460825]"  # its cosine to HERE is 0.91: linked, and no double
AT93 = "[0.93, 0.36755952]"  # 0.93: a double, if it says the same
AT89 = "[0.89, 0.45596052]"  # 0.89: neither
FACT = "The billing service runs on three nodes."


def at(place: str, text: str = FACT) -> str:
    """Return a text that lies at a place; its numbers are no words of it."""
    return f"{text} {place}"


def edges(life: "Life", rel: str, ns: str = "agent:me") -> list[tuple[str, str]]:
    """Return the edges of a relation as pairs of keys, sorted."""
    return sorted((str(edge.from_key), str(edge.to_key)) for edge in life.ghost.edges(ns, rel=rel))


def trails(life: "Life") -> list[tuple[str, str]]:
    """Return every merged_into edge as (from, to), also of what is gone."""
    with life.ghost.store.engine.read() as tx:
        found = [
            (edge.from_id, edge.to_id) for edge in tx.graph.edges() if edge.rel == "merged_into"
        ]
        keys = {
            id_: memory.key
            for id_, memory in tx.memories.by_ids([end for pair in found for end in pair]).items()
        }
    return sorted((keys[one], keys[other]) for one, other in found)


def mergers(life: "Life", **fields: Any) -> None:
    """Let the destructive strategy loose on everything alike beyond 0.92."""
    given = {
        "similarity_gt": 0.92,
        "priority": 99,
        "action_params": {"strategy": "keep_highest_importance"},
    }
    life.ghost.lifecycle.set_rule("merge", "MERGE", rule_id="merge", **{**given, **fields})


# --- LINK


@pytest.mark.requirement("002-117")
def test_similar_short_term_memories_are_linked_and_otherwise_left_alone(
    exact: "Life", told: Told
) -> None:
    """Beyond 0.9 they get an edge from the newer to the older, of their likeness; no memory changes."""
    for key, place in {"one": HERE, "two": AT91, "far": "[0, 1]"}.items():
        exact.put(key, at(place, f"Note about {key}."))
    before = [line for line in exact.export() if '"type": "memory"' in line]
    report = exact.reflect()
    assert told(report) == [("two relates_to one", "LINK", "sys-merge-similar")]
    assert (report.linked, report.rules_applied, report.linked_clusters) == (
        1,
        1,
        (("one", "two"),),
    )
    assert exact.weight("two", "one") == pytest.approx(0.91, abs=2e-3)
    assert [line for line in exact.export() if '"type": "memory"' in line] == before


@pytest.mark.requirement("002-117")
@pytest.mark.parametrize(("place", "linked"), [(AT89, 0), (AT91, 1)])
def test_likeness_must_exceed_nine_tenths(exact: "Life", place: str, linked: int) -> None:
    """Below it nothing happens."""
    exact.put("one", at(HERE, "First."))
    exact.put("two", at(place, "Second."))
    assert exact.reflect().linked == linked


@pytest.mark.requirement("002-117")
@pytest.mark.parametrize("tier", ["ltm", "dormant", "sensory"])
def test_only_short_term_memories_are_linked(exact: "Life", tier: str) -> None:
    """One of the two in another tier is enough for no link."""
    exact.put("one", at(HERE, "First."))
    exact.put("two", at(AT91, "Second."), tier=tier)
    assert exact.reflect().linked == 0


def test_what_is_linked_already_is_not_linked_again_nor_counted(exact: "Life") -> None:
    """Whichever way the edge leads; a second run finds nothing to do."""
    exact.put("one", at(HERE, "First."))
    exact.put("two", at(AT91, "Second."))
    exact.edge("one", "two", weight=0.3)
    report = exact.reflect()
    assert (report.linked, report.rules_applied, report.linked_clusters, report.changes) == (
        0,
        0,
        (("one", "two"),),
        (),
    )
    assert exact.weight("one", "two") == 0.3


def test_a_second_run_links_nothing_more(exact: "Life") -> None:
    """And reports the same cluster, until a summary contains it."""
    for key in ("one", "two", "three"):
        exact.put(key, at(HERE, f"Note {key}."))
    assert exact.reflect().linked == 3
    again = exact.reflect()
    assert (again.linked, again.linked_clusters) == (0, (("one", "three", "two"),))
    exact.ghost.consolidate("agent:me", "all", "Three notes.", ["one", "two", "three"])
    assert exact.reflect().linked_clusters == ()


def test_what_could_not_be_compared_is_said(tmp_path: Path) -> None:
    """Without a provider, with one that cannot run, without vectors, and with some vectors."""
    path = tmp_path / "m.db"
    texts = ("The ferry leaves the pier at nine.", "The ferry leaves the pier at ten.")
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        for number, text in enumerate(texts):
            ghost.put("a", f"k{number}", text)
        assert (
            ghost.reflect(dry_run=True).notes
            == ghost.reflect().notes
            == (
                "a: the rules about similar memories were not applied: there is no embedding provider",
            )
        )
    with Ghost.open(path, settings=Settings(embed_provider="openai", openai_api_key="")) as ghost:
        (note,) = ghost.reflect(dry_run=True).notes
        assert note.startswith("a: the rules about similar memories were not applied: ")
    with Ghost.open(path, embedder="static") as ghost:
        (note,) = ghost.reflect(dry_run=True).notes
        assert note.endswith("`ghost embed backfill` adds them")
        ghost.put("a", "k3", "The ferry leaves the pier at noon.")
        (note,) = ghost.reflect(dry_run=True).notes
        assert note.startswith("a: 2 of 3 memories have no vectors")
        ghost.admin.embed_backfill()
        assert ghost.reflect().notes == ()


def test_a_small_group_is_linked_all_to_all_and_a_large_one_to_its_middle(exact: "Life") -> None:
    """Eight memories have 28 edges, nine have eight."""
    for number in range(8):
        exact.put(f"k{number}", at(HERE, f"Note about topic{number}."))
    for number in range(9):
        exact.put(f"k{number}", at(HERE, f"Note about topic{number}."), ns="agent:you")
    assert (exact.reflect().linked, exact.reflect("agent:you").linked) == (28, 8)


@pytest.mark.requirement("002-123")
def test_linked_clusters_are_the_groups_of_keys(exact: "Life") -> None:
    """Each group once, its keys sorted."""
    for key, place in {"b": HERE, "a": HERE, "d": "[0, 1]", "c": "[0, 1]"}.items():
        exact.put(key, at(place, f"Note about {key}x."))
    assert sorted(exact.reflect().linked_clusters) == [("a", "b"), ("c", "d")]


@pytest.mark.requirement("002-130")
def test_the_whole_flow_from_reflect_to_context(exact: "Life") -> None:
    """reflect links, clusters shows, consolidate summarises, context returns the summary."""
    ghost = exact.ghost
    for number in range(4):
        exact.put(f"n{number}", at(HERE, f"Ferry note {number}: harbour pier topic{number}."))
    report = exact.reflect()
    assert report.linked_clusters == (("n0", "n1", "n2", "n3"),)
    (cluster,) = ghost.clusters("agent:me")
    keys = sorted(cluster.keys)
    assert keys == ["n0", "n1", "n2", "n3"]
    ghost.consolidate("agent:me", "ferry", "Harbour ferry notes in short.", keys)
    pack = ghost.context("harbour ferry", "agent:me", budget=60)
    assert "ferry" in pack.keys
    assert not set(keys) & set(pack.keys)
    assert [exact.tier(key) for key in keys] == ["stm"] * 4


# --- DEDUP


@pytest.mark.requirement("002-118")
def test_doubles_go_to_sleep_and_one_stays(exact: "Life", told: Told) -> None:
    """Beyond 0.92 and saying the same: dormant, with a trail to the one that stays; nothing is deleted."""
    exact.put("kept", at(HERE), importance=0.8)
    exact.put("double", at(HERE))
    report = exact.reflect()
    assert ("double", "DEDUP", "sys-dedup-all") in told(report)
    assert (report.deduplicated, report.deleted, report.merged) == (1, 0, 0)
    assert (exact.tier("kept"), exact.tier("double")) == ("stm", "dormant")
    assert trails(exact) == [("double", "kept")]
    assert exact.weight("double", "kept", "merged_into") == 0.0


@pytest.mark.requirement("002-118")
@pytest.mark.parametrize(("place", "found"), [(AT91, 0), (AT93, 1)])
def test_a_double_must_be_nearer_than_that(exact: "Life", place: str, found: int) -> None:
    """The same words at 0.91 are no double. The place is no part of the text that is compared here."""
    exact.put("one", FACT, source_user=HERE)
    exact.put("two", FACT + " ", source_user=place)
    assert exact.reflect().deduplicated == found


@pytest.mark.parametrize(
    ("one", "other", "kept"),
    [
        ({"importance": 0.5}, {"importance": 0.6}, "b"),
        ({"access": 5}, {"access": 4}, "a"),
        ({"age": 1}, {"age": 2}, "a"),
        ({"age": 2}, {"age": 1}, "b"),
        ({"importance": 0.9, "access": 0}, {"importance": 0.1, "access": 50}, "a"),
    ],
)
def test_the_canonical_one_is_the_more_important_then_the_more_used_then_the_newer(
    exact: "Life", one: dict[str, Any], other: dict[str, Any], kept: str
) -> None:
    """The first difference in that order decides."""
    exact.put("a", at(HERE), **one)
    exact.put("b", at(HERE), **other)
    exact.reflect()
    assert [key for key in "ab" if exact.tier(key) != "dormant"] == [kept]


def test_of_equals_exactly_one_stays_awake(open_exact: Open, clock: Any) -> None:
    """Memories that are equal in everything but their key: one stays, the same one in every copy."""
    found = []
    for _ in range(3):
        life = open_exact(at=lambda: clock.at)
        for key in ("c", "a", "b"):
            life.put(key, at(HERE))
        life.reflect()
        found.append([key for key in "abc" if life.tier(key) == "stm"])
    assert found[0] in (["a"], ["b"], ["c"])
    assert found == [found[0]] * 3


@pytest.mark.requirement("002-118")
@pytest.mark.parametrize(
    ("tiers", "kept"),
    [
        (("dormant", "stm"), "b"),
        (("sensory", "stm"), "b"),
        (("ltm", "sensory"), "a"),
        (("dormant", "ltm"), "b"),
    ],
)
def test_across_tiers_the_one_that_is_awake_stays(
    exact: "Life", tiers: tuple[str, str], kept: str
) -> None:
    """However important the sleeping one is, what can be found stays findable."""
    exact.put("a", at(HERE), tier=tiers[0], importance=0.9)
    exact.put("b", at(HERE), tier=tiers[1], importance=0.9 if kept == "a" else 0.2)
    exact.reflect()
    assert [key for key in "ab" if exact.tier(key) != "dormant"] == [kept]


def test_the_one_that_stays_gathers_tags_and_the_highest_counts(exact: "Life") -> None:
    """Tags are united, counts are the greatest and not the sum, importance stays its own."""
    exact.put("kept", at(HERE), importance=0.8, access=3, utility=0, tags=["a"])
    exact.put("double", at(HERE), importance=0.4, access=7, utility=2, tags=["b", "a"])
    exact.reflect()
    row = exact.row("kept")
    assert (row.tags, row.access_count, row.utility_count, row.importance) == (
        ("a", "b"),
        7,
        2,
        0.8,
    )


def test_the_one_that_stays_is_found_by_the_tags_it_gathered(exact: "Life") -> None:
    """Full text follows a run, and what takes the run back."""
    exact.put("kept", at(HERE), importance=0.8, tags=["orchard"])
    exact.put("double", at(HERE), importance=0.4, tags=["meadow"])
    report = exact.reflect()
    found = [hit.key for hit in exact.ghost.search("meadow", min_score=0.5)]
    exact.ghost.lifecycle.undo(report.run)
    after = [hit.key for hit in exact.ghost.search("meadow", min_score=0.5)]
    assert (found, after) == (["kept"], ["double"])
    assert exact.ghost.admin.check().ok


def test_a_second_run_does_not_flip_the_roles(exact: "Life", clock: Any) -> None:
    """Also after the one that stayed has faded below the one that sleeps."""
    exact.put("kept", at(HERE), importance=0.52, age=100)
    exact.put("double", at(HERE), importance=0.5, age=100)
    for _ in range(30):
        exact.reflect()
        clock.forward(days=1)
    assert exact.row("kept").importance < exact.row("double").importance
    assert (exact.tier("kept"), exact.tier("double")) == ("stm", "dormant")
    assert trails(exact) == [("double", "kept")]


def test_doubles_that_all_sleep_are_left_alone(exact: "Life") -> None:
    """There is nothing to put to sleep, so there is no change and no trail either."""
    exact.put("a", at(HERE), tier="dormant", importance=0.8)
    exact.put("b", at(HERE), tier="dormant")
    assert exact.reflect().changes == ()
    assert trails(exact) == []


def test_no_trail_leads_back(exact: "Life") -> None:
    """When the one that stayed goes to sleep itself, its double is not said to have taken it over."""
    exact.put("kept", at(HERE), tier="ltm", importance=0.5, idle=1, age=500)
    exact.put("double", at(HERE), tier="dormant", importance=0.9)
    exact.reflect()
    exact.ghost.curate("agent:me", "kept", "archive")
    exact.reflect()
    assert trails(exact) in ([("double", "kept")], [])


def test_doubles_are_found_beside_a_message_of_the_same_template(exact: "Life") -> None:
    """A more important memory that is near both, but says something else, does not hide that they are the same."""
    exact.put("other", at(HERE, "Backup of server alpha finished."), importance=0.9)
    exact.put("one", at(HERE, "Backup of server beta finished."), importance=0.6)
    exact.put("two", at(HERE, "Backup of server beta finished."), importance=0.5)
    assert exact.reflect().deduplicated == 1
    assert [exact.tier(key) for key in ("other", "one", "two")] == ["stm", "stm", "dormant"]


@pytest.mark.requirement("002-118")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Build 41 passed on main.", "Build 42 passed on main."),
        ("Ana approved the release.", "Bob approved the release."),
        ("The review is on Monday.", "The review is on Tuesday."),
        ("The user is vegetarian.", "The user is not vegetarian."),
        ("Run it before the deploy.", "Run it after the deploy."),
        ("Ana reports to Bob.", "Bob reports to Ana."),
        ("会议在星期一。", "会议在星期二。"),
    ],
)
def test_messages_of_one_template_are_linked_at_most(exact: "Life", one: str, other: str) -> None:
    """However near their vectors are, the built-in rules leave them both active."""
    exact.put("one", at(HERE, one))
    exact.put("two", at(HERE, other))
    report = exact.reflect()
    assert (report.deduplicated, report.merged) == (0, 0)
    assert (exact.tier("one"), exact.tier("two")) == ("stm", "stm")


def test_long_texts_with_one_beginning_are_not_doubles(exact: "Life") -> None:
    """Only the first chunk is compared by its vector, but all of the text by its words."""
    start = " ".join(f"Step {n} checks module{n} with care." for n in range(60))
    exact.put("ana", f"{HERE} {start} It was signed by Ana.")
    exact.put("bob", f"{HERE} {start} It was signed by Bob.")
    exact.put("ana-again", f"{HERE} {start} It was signed by Ana.")
    report = exact.reflect()
    assert report.deduplicated == 1
    assert exact.tier("bob") == "stm"
    assert sorted([exact.tier("ana"), exact.tier("ana-again")]) == ["dormant", "stm"]


@pytest.mark.parametrize(
    ("action", "params", "tiers"),
    [
        ("DEDUP", {}, ["stm", "dormant"]),
        ("MERGE", {"strategy": "keep_highest_importance"}, ["stm", "deleted"]),
    ],
)
def test_a_rule_of_the_user_joins_by_similarity_alone(
    exact: "Life", action: str, params: dict[str, str], tiers: list[str]
) -> None:
    """A user's DEDUP or MERGE joins similar texts of different wording, and the run can be undone."""
    exact.ghost.lifecycle.set_rule(
        "join", action, similarity_gt=0.9, priority=99, action_params=params
    )
    exact.put("one", at(HERE, "We chose SQLite because it needs no server."), importance=0.9)
    exact.put("two", at(AT91, "We chose SQLite since it needs no server."))
    exact.put("far", at(AT89, "We chose SQLite, for it needs no server."))
    report = exact.reflect()
    assert report.deduplicated + report.merged == 1
    keys = {memory.key: str(memory.tier) for memory in exact.ghost.list("agent:me")}
    assert [keys["one"], keys.get("two", "deleted")] == tiers
    exact.ghost.lifecycle.undo(report.run)
    assert exact.tier("two") == "stm"


def test_a_rule_of_the_user_joins_long_texts_only_if_they_say_the_same(exact: "Life") -> None:
    """The similarity of long memories is that of their first chunks, which is not enough to join."""
    exact.ghost.lifecycle.set_rule("join", "DEDUP", similarity_gt=0.9, priority=99)
    start = " ".join(f"Step {n} checks module{n} with care." for n in range(60))
    exact.put("ana", f"{HERE} {start} It was signed by Ana.")
    exact.put("bob", f"{HERE} {start} It was signed by Bob.")
    assert exact.reflect().deduplicated == 0


def test_a_changed_built_in_rule_still_compares_words(exact: "Life") -> None:
    """A built-in rule with another similarity joins only memories that say the same."""
    exact.ghost.lifecycle.set_rule("dedup", "DEDUP", rule_id="sys-dedup-all", similarity_gt=0.5)
    exact.put("one", at(HERE, "Build 41 passed on main."))
    exact.put("two", at(HERE, "Build 42 passed on main."))
    assert exact.reflect().deduplicated == 0


# --- MERGE


@pytest.mark.requirement("002-122")
def test_merge_links_unless_told_otherwise(exact: "Life") -> None:
    """Without a strategy a MERGE of a user's loses nothing."""
    exact.ghost.lifecycle.rm_rule("sys-dedup-all")
    exact.ghost.lifecycle.rm_rule("sys-merge-similar")
    exact.ghost.lifecycle.set_rule("m", "MERGE", rule_id="m", similarity_gt=0.9)
    exact.put("one", at(HERE))
    exact.put("two", at(HERE))
    report = exact.reflect()
    assert (report.linked, report.merged, [change.op for change in report.changes]) == (
        1,
        0,
        ["LINK"],
    )


@pytest.mark.requirement("002-124")
def test_keep_highest_importance_merges_destructively_with_a_trail(exact: "Life") -> None:
    """The most important stays with all tags, the greatest counts and the highest tier; the others are removed softly."""
    mergers(exact)
    exact.put("kept", at(HERE), importance=0.8, access=3, tags=["a"])
    exact.put("first", at(HERE), importance=0.4, access=9, utility=2, tags=["b"])
    exact.put("second", at(HERE), importance=0.5, tier="ltm", idle=1)
    report = exact.reflect()
    assert report.merged == 2
    row = exact.row("kept")
    assert (row.importance, row.tags, row.access_count, row.utility_count, row.tier) == (
        0.8,
        ("a", "b"),
        9,
        2,
        "ltm",
    )
    assert trails(exact) == [("first", "kept"), ("second", "kept")]
    assert [memory.key for memory in exact.ghost.list("agent:me")] == ["kept"]
    assert exact.ghost.restore("agent:me", "first").content == at(HERE)


def test_a_merge_of_a_merge_is_none(exact: "Life") -> None:
    """A second run has nothing left to merge."""
    mergers(exact)
    exact.put("one", at(HERE))
    exact.put("two", at(HERE))
    exact.reflect()
    assert exact.reflect().changes == ()


def test_the_other_conditions_choose_who_takes_part(exact: "Life") -> None:
    """A memory outside a rule's conditions neither stays nor goes by it."""
    exact.ghost.lifecycle.rm_rule("sys-dedup-all")
    mergers(exact, tag="chat")
    exact.put("one", at(HERE), tags=["chat"])
    exact.put("two", at(HERE))
    assert exact.reflect().merged == 0
    exact.put("three", at(HERE), tags=["chat"])
    assert exact.reflect().merged == 1
    assert exact.tier("two") == "stm"


@pytest.mark.requirement("002-121")
def test_what_the_first_pass_removed_takes_no_part(exact: "Life") -> None:
    """A sensory memory whose time is up is removed and not a double of anything."""
    exact.put("gone", at(HERE), tier="sensory", age=5, importance=0.9)
    exact.put("here", at(HERE))
    report = exact.reflect()
    assert (report.deleted, report.deduplicated) == (1, 0)
    assert exact.tier("here") == "stm"


def test_an_expired_rule_about_likeness_does_nothing(exact: "Life", clock: Any) -> None:
    """Nor one of another namespace."""
    exact.ghost.lifecycle.rm_rule("sys-dedup-all")
    mergers(exact, expires_at=clock())
    exact.ghost.lifecycle.set_rule("there", "DEDUP", ns="agent:you", similarity_gt=0.5, priority=98)
    exact.put("one", at(HERE))
    exact.put("two", at(HERE))
    report = exact.reflect()
    assert (report.merged, report.deduplicated) == (0, 0)


def test_an_own_rule_takes_its_number_as_it_is(exact: "Life") -> None:
    """0.5 joins what no built-in rule would."""
    exact.ghost.lifecycle.set_rule("loose", "DEDUP", rule_id="loose", similarity_gt=0.5)
    exact.put("one", FACT, source_user=HERE)
    exact.put("two", FACT + " ", source_user="[0.6, 0.8]")
    report = exact.reflect()
    assert [(change.op, change.rule) for change in report.changes if change.op == "DEDUP"] == [
        ("DEDUP", "loose")
    ]


# --- namespaces


@pytest.mark.requirement("002-109")
@pytest.mark.parametrize("guard", [{"pinned": True}, {"tags": ["locked"]}])
def test_the_pinned_and_the_locked_neither_stay_for_others_nor_go(
    exact: "Life", guard: dict[str, Any]
) -> None:
    """They take no part: their row keeps its bytes, and what is like them is not joined to them."""
    mergers(exact)
    exact.put("guarded", at(HERE), importance=0.9, **guard)
    exact.put("plain", at(HERE), access=9, tags=["x"])
    before = exact.export()
    report = exact.reflect()
    assert report.changes == ()
    assert exact.export() == before


@pytest.mark.requirement("002-121")
def test_nothing_is_joined_across_namespaces(exact: "Life") -> None:
    """The same text in three namespaces stays three memories, with or without --ns."""
    mergers(exact)
    for ns in ("agent:me", "agent:you", "agent"):
        exact.put("k", at(HERE), ns=ns)
    assert exact.reflect(None).changes == ()
    assert exact.reflect("agent*").changes == ()


def test_without_vectors_likeness_rules_do_nothing_and_the_rest_does(
    life: "Life", told: Told
) -> None:
    """Provider none: no error, no link, no double; the other rules work."""
    life.put("one", FACT)
    life.put("two", FACT)
    life.put("glance", tier="sensory", age=5)
    report = life.reflect()
    assert told(report) == [("glance", "DELETE", "sys-decay-sensory")]
    assert report.errors == ()


def test_memories_without_a_vector_are_passed_over(open_exact: Open, open_life: Open) -> None:
    """What was stored before there was a model is not joined until it has its vectors."""
    plain = open_life("m.db")
    plain.put("one", at(HERE))
    plain.put("two", at(HERE))
    life = open_exact("m.db")
    life.put("far", at("[0, 1]", "Elsewhere."))
    assert life.reflect().changes == ()
    life.ghost.admin.embed_backfill()
    assert life.reflect().deduplicated == 1


def test_a_process_that_has_embedded_nothing_yet_sees_what_is_alike(open_exact: Open) -> None:
    """The vectors are in the store: a fresh start, as `ghost reflect` from cron is one, finds links and doubles."""
    life = open_exact("m.db")
    life.put("one", at(HERE))
    life.put("two", at(HERE))
    report = open_exact("m.db").reflect()
    assert (report.linked, report.deduplicated) == (1, 1)


def test_a_provider_that_fails_does_not_stop_the_other_rules(
    open_exact: Open, open_life: Open
) -> None:
    """Reflect needs no new vectors, so a broken provider is no obstacle."""
    life = open_exact("m.db")
    life.put("glance", at(HERE, "Glance."), tier="sensory", age=5)

    def broken(texts: Any) -> Any:
        raise OSError("no network")

    assert open_life("m.db", embedder=broken).reflect().deleted == 1


def test_the_static_model_counts_in_its_own_numbers(clock: Any) -> None:
    """The built-in rules' 0.9 and 0.92 are MiniLM's; another model's own thresholds stand for them."""
    with Ghost.open(":memory:", settings=Settings(embed_provider="static"), clock=clock) as ghost:
        ghost.put("a", "one", "The user prefers strong black tea in the morning.")
        ghost.put("a", "two", "The user prefers strong black tea in the morning!")
        ghost.put("a", "three", "The user prefers strong black tea in the evening.")
        ghost.put("a", "far", "Kubernetes upgrades happen on Thursdays.")
        report = ghost.reflect("a")
        tiers = {memory.key: memory.tier.value for memory in ghost.list("a")}
    assert report.deduplicated == 1
    assert tiers["three"] == tiers["far"] == "stm"
    assert not any("far" in group for group in report.linked_clusters)
