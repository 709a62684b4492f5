"""audit: every check on its own, the score, the separation of namespaces, and that nothing is written."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost, NotADatabaseError
from ghostmem.lifecycle.audit import (
    CHECKS,
    NEAR_DUPLICATES,
    AuditFinding,
    AuditReport,
    audit,
)
from ghostmem.settings import Settings
from ghostmem.transfer.audit_foreign import audit_foreign

if TYPE_CHECKING:
    from conftest import Clock

NS = "agent:a"
ORIGINAL = Path(__file__).parent.parent / "data" / "original"
Open = Callable[..., Ghost]


def look(ghost: Ghost, ns: str | None = None) -> AuditReport:
    """Audit a store."""
    return audit(ghost.store, ns)


def found(report: AuditReport, name: str) -> AuditFinding:
    """Return one finding."""
    return next(one for one in report.findings if one.name == name)


def keys(report: AuditReport, name: str) -> set[str]:
    """Return the examples of one finding."""
    return set(found(report, name).examples)


def test_an_empty_store_is_tidy(ghost: Ghost) -> None:
    """Nothing to judge costs nothing; every check that could be made is listed."""
    report = look(ghost)
    assert (report.score, report.memories, report.namespaces, report.edges) == (100, 0, 0, 0)
    assert [one.name for one in report.findings] == [
        *(name for name in CHECKS if name != "unembedded"),
        "quarantine",
    ]
    assert all(one.count == 0 and one.advice == "" for one in report.findings)


def test_the_same_text_again_is_a_duplicate(ghost: Ghost) -> None:
    """Case and white space aside, the later ones count; neither across namespaces nor from another's mouth."""
    ghost.put(NS, "one", "The user drinks  green tea.")
    ghost.put(NS, "two", "the user drinks green TEA.\n")
    ghost.put(NS, "three", "The user drinks green tea.")
    ghost.put(NS, "bobs", "The user drinks green tea.", source_user="bob")
    ghost.put("agent:b", "one", "The user drinks green tea.")
    report = look(ghost)
    assert keys(report, "duplicates") == {f"{NS}/two", f"{NS}/three"}
    finding = found(report, "duplicates")
    assert (finding.count, finding.share, finding.cost) == (2, 0.4, 25.0)
    assert finding.advice == f"ghost rm -n {NS} -k three"
    assert report.unjudged == (
        "near duplicates: there are no vectors",
        "unembedded: the provider is none",
    )


def test_nearly_the_same_is_a_duplicate_too(open_ghost: Open) -> None:
    """By meaning, with vectors: other words for one thing count, the same words with other names or numbers do not."""
    ghost = open_ghost("v.db", embed_provider="static")
    ghost.put(NS, "one", "The user drinks green tea every morning.")
    ghost.put(NS, "two", "The user drinks green tea every morning!!")
    ghost.put(NS, "port-a", "The server listens on port 8080 of the machine in the cellar.")
    ghost.put(NS, "port-b", "The server listens on port 9090 of the machine in the cellar.")
    ghost.put(NS, "ann", "Yesterday Annika Berg deployed the billing service to production.")
    ghost.put(NS, "tom", "Yesterday Thomas Lund deployed the billing service to production.")
    ghost.put("agent:b", "one", "The user drinks green tea every morning.")
    report = look(ghost)
    assert keys(report, "duplicates") == {f"{NS}/two"}
    assert found(report, "unembedded").count == 0
    assert report.unjudged == ()


def test_a_crowd_of_near_duplicates_counts_all_but_the_oldest(open_ghost: Open) -> None:
    """More copies than are looked at for one of them are still one group."""
    ghost = open_ghost("v.db", embed_provider="static")
    for number in range(30):
        ghost.put(NS, f"k{number:02}", "The user drinks green tea every morning" + "!" * number)
    assert found(look(ghost), "duplicates").count == 29


def test_long_memories_must_agree_in_every_part(open_ghost: Open) -> None:
    """One common part makes no duplicate of two long texts."""
    ghost = open_ghost("v.db", embed_provider="static")
    parts = [
        " ".join(f"{word} {other}" for other in ("runs", "waits", "stops", "sleeps")) + "."
        for word in ("tea", "rail", "moss")
    ]
    texts = [
        "\n\n".join(part * 6 for part in parts[:2]),
        "\n\n".join(part * 6 for part in (parts[0], parts[2])),
    ]
    ghost.put(NS, "a", texts[0])
    ghost.put(NS, "b", texts[1])
    assert found(look(ghost), "duplicates").count == 0
    ghost.put(NS, "c", texts[0] + "!")
    assert keys(look(ghost), "duplicates") == {f"{NS}/c"}


def test_contradictions_count_pairs(ghost: Ghost) -> None:
    """Each live pair once, also when both say so; what was removed contradicts nothing."""
    for key in "abcd":
        ghost.put(NS, key, f"text {key}")
    ghost.edge(NS, "a", "b", "contradicts")
    ghost.edge(NS, "b", "a", "contradicts")
    ghost.edge(NS, "c", "d", "contradicts")
    ghost.rm(NS, "d")
    report = look(ghost)
    assert (found(report, "contradictions").count, keys(report, "contradictions")) == (
        1,
        {f"{NS}/b"},
    )
    assert found(report, "contradictions").advice == f"ghost conflicts -n {NS}"


def test_a_decided_contradiction_is_none(ghost: Ghost) -> None:
    """What was ended by `supersedes` or by `resolve` is no longer in dispute; taking the decision back brings it up again."""
    ghost.put(NS, "old", "The office is in Berlin.")
    ghost.put(NS, "new", "The office is in Hamburg.", supersedes="old")
    ghost.put(NS, "a", "The printer stands on the second floor.")
    ghost.put(NS, "b", "The printer stands in the cellar.")
    ghost.edge(NS, "b", "a", "contradicts")
    assert (found(look(ghost), "contradictions").count, keys(look(ghost), "contradictions")) == (
        1,
        {f"{NS}/b"},
    )
    ghost.resolve(NS, "b")
    report = look(ghost)
    assert (found(report, "contradictions").count, found(report, "contradictions").cost) == (0, 0.0)
    assert ghost.conflicts(NS).conflicts == ()
    ghost.reopen(NS, "old")
    assert found(look(ghost), "contradictions").count == 1


def test_stale_and_never_used(ghost: Ghost, clock: "Clock") -> None:
    """Time makes memories stale; being asked for keeps them, a pin or a lock protects them, and dormant ones are at rest."""
    ghost.put(NS, "forgotten", "a")
    ghost.put(NS, "read", "b")
    ghost.put(NS, "helped", "c")
    ghost.put(NS, "pinned", "d", pinned=True)
    ghost.put(NS, "locked", "e", tags=["locked"])
    ghost.put(NS, "dormant", "f", tier="dormant")
    ghost.used(NS, ["helped"])
    clock.forward(days=13)
    assert found(look(ghost), "never_used").count == 0
    clock.forward(days=2)
    assert keys(look(ghost), "never_used") == {f"{NS}/forgotten", f"{NS}/read", f"{NS}/dormant"}
    assert found(look(ghost), "stale").count == 0
    clock.forward(days=74)
    ghost.get(NS, "read")
    clock.forward(days=2)
    report = look(ghost)
    assert keys(report, "never_used") == {f"{NS}/forgotten", f"{NS}/dormant"}
    assert keys(report, "stale") == {f"{NS}/forgotten", f"{NS}/helped"}


def test_age_alone_costs_nothing(ghost: Ghost, clock: "Clock") -> None:
    """What was used once and not for months is named, without a point lost, and nothing is to be deleted."""
    ghost.put(NS, "old", "The user drinks green tea.")
    ghost.used(NS, ["old"])
    clock.forward(days=200)
    report = look(ghost)
    finding = found(report, "stale")
    assert (finding.count, finding.cost, report.score) == (1, 0.0, 100)
    assert finding.advice == f"ghost reflect -n {NS} --dry-run"


def test_advice_never_deletes_what_is_locked(ghost: Ghost) -> None:
    """A duplicate that may be deleted is named, even if a locked one comes first; of locked ones, none."""
    for key in ("a", "b"):
        ghost.put(NS, key, "The same text.", tags=["locked"])
    assert found(look(ghost), "duplicates").advice == "edit the notes that repeat each other"
    ghost.put(NS, "c", "The same text.")
    assert found(look(ghost), "duplicates").advice == f"ghost rm -n {NS} -k c"


def test_a_quick_audit_leaves_out_what_reads_every_text(open_ghost: Open) -> None:
    """Near duplicates are not looked for; those with the same words are."""
    ghost = open_ghost("v.db", embed_provider="static")
    ghost.put(NS, "one", "The user drinks green tea every morning.")
    ghost.put(NS, "two", "Every morning the user drinks green tea, hot green tea.")
    ghost.put(NS, "three", "The user drinks the green tea every morning!!")
    report = audit(ghost.store, skip={NEAR_DUPLICATES: "not checked yet"})
    assert keys(report, "duplicates") == {f"{NS}/three"}
    assert report.unjudged == ("near duplicates: not checked yet",)


def test_what_was_just_imported_is_not_stale(ghost: Ghost, clock: "Clock") -> None:
    """An old fact that came in today has had no chance to be used."""
    ghost.put(NS, "old", "from long ago", created_at="2001-01-01")
    report = look(ghost)
    assert (found(report, "stale").count, found(report, "never_used").count) == (0, 0)
    clock.forward(days=91)
    assert found(look(ghost), "stale").count == 1


def test_orphans_only_where_there_are_edges(ghost: Ghost) -> None:
    """A namespace without edges has no orphans."""
    for ns in (NS, "agent:b"):
        for key in "abc":
            ghost.put(ns, key, f"text {key}")
    assert found(look(ghost), "orphans").count == 0
    ghost.edge(NS, "a", "b", "relates_to")
    assert keys(look(ghost), "orphans") == {f"{NS}/c"}


def test_oversized_and_expired(ghost: Ghost, clock: "Clock") -> None:
    """Four times what a context shows is too long; what has expired is named until it is collected."""
    ghost.put(NS, "long", "x" * 6_400)
    ghost.put(NS, "fits", "x" * 6_300)
    ghost.put(NS, "brief", "x", ttl="1h")
    clock.forward(hours=2)
    report = look(ghost)
    assert (keys(report, "oversized"), keys(report, "expired")) == ({f"{NS}/long"}, {f"{NS}/brief"})
    assert (found(report, "expired").share, report.memories) == (0.3333, 2)
    ghost.lifecycle.gc()
    assert found(look(ghost), "expired").count == 0


def test_chunks_without_vectors(open_ghost: Open) -> None:
    """What was stored without the chosen model waits for it, and near duplicates cannot be told meanwhile."""
    open_ghost("v.db").put(NS, "a", "text")
    report = look(open_ghost("v.db", embed_provider="static"))
    assert keys(report, "unembedded") == {f"{NS}/a"}
    assert found(report, "unembedded").advice == "ghost embed backfill"
    assert report.unjudged == (
        f"near duplicates: {NS} have no vectors of the chosen model, or too many to compare",
    )


def test_one_namespace_and_a_prefix(ghost: Ghost) -> None:
    """Only what was asked about is counted."""
    for ns in (NS, "agent:b", "other"):
        ghost.put(ns, "a", "text")
        ghost.put(ns, "b", "text")
    assert [look(ghost, ns).memories for ns in (None, NS, "agent:*", "nobody")] == [6, 2, 4, 0]
    assert found(look(ghost, "agent:*"), "duplicates").count == 2


def test_the_score_is_100_less_what_the_findings_cost(ghost: Ghost) -> None:
    """Costs add up, and the worst store has 0, never less."""
    for number in range(10):
        ghost.put(NS, f"k{number}", "x" * 7_000)
    report = look(ghost)
    assert report.score == round(100 - sum(one.cost for one in report.findings)) == 65
    assert sum(check.points for check in CHECKS.values()) <= 100


def test_names_that_a_shell_would_misread_are_quoted(ghost: Ghost) -> None:
    """The advice can be pasted."""
    ghost.put(NS, "a", "text")
    ghost.put(NS, "it's; rm", "text")
    assert found(look(ghost), "duplicates").advice == f"""ghost rm -n {NS} -k 'it'"'"'s; rm'"""


def test_an_audit_writes_nothing(open_ghost: Open, clock: "Clock") -> None:
    """No count, no day of use, no byte of the export changes."""
    ghost = open_ghost("v.db", embed_provider="static")
    ghost.put(NS, "a", "text one")
    ghost.put(NS, "b", "text one")
    ghost.edge(NS, "a", "b", "contradicts")
    clock.forward(days=100)
    before = list(ghost.export())
    size = (Path(ghost.store.engine.location).stat().st_mtime_ns, ghost.store.engine.size())
    assert look(ghost) == look(ghost)
    assert list(ghost.export()) == before
    assert (Path(ghost.store.engine.location).stat().st_mtime_ns, ghost.store.engine.size()) == size


def test_thousands_of_memories_are_audited(ghost: Ghost) -> None:
    """No limit of a statement is met, and every duplicate is counted."""
    lines: list[Any] = ['{"type": "ghost", "format": 1}']
    at = "2026-03-14T09:26:53Z"
    lines += [
        f'{{"type": "memory", "id": "{n:026}", "ns": "{NS}", "key": "k{n}", "content": "text {n % 2_500}", "created_at": "{at}"}}'
        for n in range(5_000)
    ]
    ghost.import_(lines)
    assert found(look(ghost), "duplicates").count == 2_500


@pytest.mark.parametrize("name", ["head.db", "seed.db", "mid.db", "old.db", "head-wal.db"])
def test_the_originals_databases_are_judged(name: str, clock: "Clock") -> None:
    """Each age of it is read through the same door as an import, and only read."""
    state = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in ORIGINAL.iterdir()}
    report = audit_foreign(ORIGINAL / name, Settings(embed_provider="none"), clock=clock)
    assert report.source == f"{ORIGINAL / name} (original Ghost)"
    assert report.memories > 0
    assert any(reason.startswith("unembedded") for reason in report.unjudged)
    assert {one.advice for one in report.findings if one.count} <= {
        f"ghost import --from-ghost {ORIGINAL / name}"
    }
    assert {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in ORIGINAL.iterdir()
    } == state


def test_what_is_known_of_the_originals_newest(clock: "Clock") -> None:
    """Its expired memory and what is in dispute are found, not what it ended itself; use is judged only where it kept a log."""
    clock.forward(days=300)
    report = audit_foreign(ORIGINAL / "head.db", Settings(embed_provider="static"), clock=clock)
    assert keys(report, "contradictions") == {"project:alpha/old-db"}
    assert keys(report, "expired") == {"agent:demo/expired"}
    older = audit_foreign(ORIGINAL / "mid.db", Settings(embed_provider="none"), clock=clock)
    assert "never_used: this version kept no log of use" in older.unjudged


def test_a_store_of_ours_is_audited_by_name(open_ghost: Open, tmp_path: Path) -> None:
    """PATH is for other people's stores; the hint says how to name one's own."""
    open_ghost("mine.db").put(NS, "a", "text")
    with pytest.raises(NotADatabaseError) as caught:
        audit_foreign(tmp_path / "mine.db", Settings(embed_provider="none"))
    assert (
        caught.value.hint
        == f"if it is a store of yours, audit it with `ghost --db {tmp_path / 'mine.db'} audit`"
    )


def test_advice_covers_all_namespaces_with_a_finding(ghost: Ghost) -> None:
    """Memories of several namespaces are found, so the command takes all that were audited."""
    for ns in ("p:a", "p:b"):
        ghost.put(ns, "one", "The office is in Paris.")
        ghost.put(ns, "two", "The head office is in Rome.")
        ghost.put(ns, "three", "Lunch is at noon.")
        ghost.edge(ns, "one", "two", "contradicts")
    for asked, scope in ((None, "'*'"), ("p:*", "'p:*'"), ("p:a", "p:a")):
        advice = {finding.name: finding.advice for finding in look(ghost, asked).findings}
        assert advice["contradictions"] == f"ghost conflicts -n {scope}"
        assert advice["orphans"] == f"ghost edge relink -n {scope} --dry-run"
