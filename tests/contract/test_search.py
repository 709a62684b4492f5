"""Words, parts of words, other scripts and odd signs are found alike on every engine, within a namespace."""

from typing import Any

import pytest

from ghostmem import Ghost

NS = "agent:me"
TEXTS = {
    "ferry": "The harbour ferry departs from pier nine at dawn.",
    "config": "Set retry_count and parse_config() in src/web/app.py before deploying.",
    "percent": "The disk was 100% full; max%load was reached.",
    "under": "The column is called user_id_old, not userXidXold.",
    "slash": "The path is C:\\temp\\logs on that machine.",
    "quote": "O'Brien said \"wait\" and didn't leave.",
    "cplus": "The parser is written in C++ and foo-bar is its flag.",
    "chinese": "我们决定把数据库迁移到新的集群。",
    "japanese": "東京の事務所は三月に引っ越しました。",
    "korean": "서울 팀이 배포를 담당합니다.",
    "thai": "เราย้ายเซิร์ฟเวอร์ไปที่กรุงเทพ",
    "umlaut": "Der Fährplan gilt für alle Häfen in Zürich.",
    "emoji": "The release party was great 🎉 and 👩‍💻 danced.",
    "ticket": "See GH-1207 and build 4f3a9c1 for the crash.",
}


@pytest.fixture
def filled(ghost: Ghost, clock: Any) -> Ghost:
    """Return a store with one memory of each sort, and the same ferry in another namespace."""
    for key, text in TEXTS.items():
        clock.forward(minutes=1)
        ghost.put(NS, key, text)
    ghost.put("agent:other", "ferry", "The harbour ferry of somebody else departs from pier two.")
    return ghost


@pytest.mark.wide(keep=24)
@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("harbour ferry", "ferry"),
        ("When do ferries depart?", "ferry"),
        ("arbour fer", "ferry"),
        ("parse_config", "config"),
        ("retry_count", "config"),
        ("src/web/app.py", "config"),
        ("max%load", "percent"),
        ("100%", "percent"),
        ("user_id_old", "under"),
        ("id_ol", "under"),
        ("C:\\temp", "slash"),
        ("O'Brien", "quote"),
        ('said "wait"', "quote"),
        ("didn't", "quote"),
        ("c++", "cplus"),
        ("foo-bar", "cplus"),
        ("数据库", "chinese"),
        ("集群", "chinese"),
        ("事務所", "japanese"),
        ("배포", "korean"),
        ("เซิร์ฟเวอร์", "thai"),
        ("fährplan", "umlaut"),
        ("Fahrplan Zurich", "umlaut"),
        ("GH-1207", "ticket"),
        ("4f3a9c1", "ticket"),
        ("postgres? ferry!", "ferry"),
    ],
)
def test_it_is_found(filled: Ghost, question: str, best: str) -> None:
    """The memory that holds it comes first."""
    assert [hit.key for hit in filled.search(question, NS)][:1] == [best]


@pytest.mark.wide(keep=9)
@pytest.mark.parametrize(
    "question",
    ["%", "_", "\\", "'", '"', "''", "%%%", "___", "( & | ! :*", "':*", "\\'", "a:b & c", "<->"],
)
def test_signs_alone_break_nothing(filled: Ghost, question: str) -> None:
    """A sign that means something to a database means nothing here, and finds nothing that does not hold it."""
    found = {hit.key for hit in filled.search(question, NS)}
    assert found <= {key for key, text in TEXTS.items() if question.strip()[:1] in text}


def test_namespaces_are_separate(filled: Ghost) -> None:
    """A question in one finds nothing of another; a prefix and no namespace find both, each with its own."""
    assert {hit.ns for hit in filled.search("harbour ferry", NS)} == {NS}
    assert {(hit.ns, hit.key) for hit in filled.search("harbour ferry pier", "agent:*")} == {
        (NS, "ferry"),
        ("agent:other", "ferry"),
    }
    assert {hit.ns for hit in filled.search("harbour ferry pier")} == {NS, "agent:other"}
    assert filled.search("harbour ferry", "agent:none") == []
    assert filled.search("harbour ferry", "agent") == []


def test_what_is_gone_or_replaced_is_not_found(filled: Ghost) -> None:
    """Full text and substrings follow the live version."""
    filled.put(NS, "ferry", "The bus departs from the square.")
    assert [hit.key for hit in filled.search("harbour", NS)] == []
    assert [hit.key for hit in filled.search("arbou", NS)] == []
    filled.rm(NS, "ferry")
    assert filled.search("square bus", NS) == []
    filled.restore(NS, "ferry")
    assert [hit.key for hit in filled.search("square bus", NS)] == ["ferry"]


def test_a_thread_is_read_in_order(ghost: Ghost, clock: Any) -> None:
    """What was said before and after an answer is known, in the order it was said."""
    for number, text in enumerate(
        ["Where shall we meet?", "At the lighthouse.", "When?", "At noon.", "Good."]
    ):
        clock.forward(minutes=1)
        ghost.put(
            NS,
            f"turn-{number}",
            text,
            kind="episodic",
            source_user="Ann" if number % 2 else "Bo",
            source_scope="talk",
        )
    assert [hit.key for hit in ghost.search("lighthouse", NS)][0] == "turn-1"
    with ghost.store.engine.read() as tx:
        space = tx.search.spaces([NS])[0]
        from ghostmem.model import NsFilter
        from ghostmem.store.rows import Filter

        which = Filter(ns=NsFilter(NS))
        one = tx.search.candidates(tx.search.containing(space, "lighthouse", 5), which)[0]
        assert one.thread is not None
        assert one.place is not None
        assert [each.key for each in tx.search.thread(one.thread, which)] == [
            f"turn-{number}" for number in range(5)
        ]
        assert [each.key for each in tx.search.around(one.thread, one.place, 1, 2, which)] == [
            "turn-0",
            "turn-2",
            "turn-3",
        ]
        assert tx.search.threads(space, [one.thread])[one.thread][0] == 5
        assert tx.search.sources(tx.search.spaces([NS])[0]) == ["Ann", "Bo"]


def test_a_context_is_packed(filled: Ghost) -> None:
    """Pinned first, then what answers, within the budget."""
    filled.curate(NS, "quote", "pin")
    pack = filled.context("where does the harbour ferry depart?", NS, budget=300)
    assert pack.keys[:2] == ["quote", "ferry"]
    assert pack.used <= pack.budget == 300
    assert (
        filled.context(
            "where does the harbour ferry depart?", NS, budget=300, exclude_pinned=True
        ).keys[0]
        == "ferry"
    )
