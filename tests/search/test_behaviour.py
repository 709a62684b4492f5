"""What a person expects of search: identifiers, paraphrases, negation, times, scripts, distractors and silence."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.text.terms import query_terms

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)  # a Saturday

DISTRACTORS = Path(__file__).with_name("distractors.txt").read_text(encoding="utf-8").splitlines()

PARAPHRASES = {
    "p-cat": ("My feline companion refuses dry kibble.", "pet will not eat its food"),
    "p-salary": ("Wages are transferred on the last working day.", "when do employees get paid"),
    "p-allergy": ("Anna gets hives after eating peanuts.", "allergic reaction to nuts"),
    "p-car": ("The automobile would not start this morning.", "vehicle broke down"),
    "p-doctor": (
        "The physician prescribed antibiotics for the infection.",
        "medicine from a doctor",
    ),
    "p-flight": ("Our plane to Madrid was postponed by five hours.", "delayed air travel to Spain"),
    "p-house": ("They bought an apartment near the harbour.", "purchasing a home"),
    "p-job": (
        "Tom resigned from his position at the bank.",
        "quit work at a financial institution",
    ),
    "p-child": ("Their daughter was born in the maternity ward.", "couple had a baby girl"),
    "p-storm": (
        "The hurricane destroyed several roofs on the island.",
        "damage caused by a tropical cyclone",
    ),
    "p-secret": (
        "Passphrases are rotated each ninety days.",
        "how often must credentials be changed",
    ),
    "p-outage": (
        "The website was unreachable for an hour on Sunday.",
        "service downtime of our online shop",
    ),
}

IDENTIFIERS = {
    "OPS-10482": "Ticket {} tracks the memory leak in the importer.",
    "src/billing/tax/vat_rates.py": "The rounding fault sits in {} near the top.",
    "ORA-00942": "The nightly load stops with {} on the staging host.",
    "2.14.3": "Version {} broke the login page.",
    "maria.keller@example.org": "Write to {} about the contract.",
    "c++": "The parser is written in {} for speed.",
    "c#": "The desktop client is written in {} for Windows.",
    "E0308": "The compiler says {} when types differ.",
    "x-request-id": "The header {} is copied to every log line.",
    "getUserById": "The function {} must not be called in a loop.",
}
LOOKALIKES = {
    "OPS-10482": ["OPS-10483", "OPS-10428", "OPS-1048", "DEV-10482"],
    "src/billing/tax/vat_rates.py": [
        "src/billing/tax/vat_rules.py",
        "src/billing/vat_rates.js",
        "src/shop/tax/vat.py",
    ],
    "ORA-00942": ["ORA-00492", "ORA-00943", "ORA-01942"],
    "2.14.3": ["2.14.2", "2.13.3", "3.14.2", "2.14.30"],
    "maria.keller@example.org": [
        "maria.kellner@example.org",
        "mario.keller@example.org",
        "maria.keller@example.com",
    ],
    "c++": ["C", "Cobol", "Clojure"],
    "c#": ["C", "F#", "Crystal"],
    "E0308": ["E0309", "E0380", "E0038"],
    "x-request-id": ["x-session-id", "x-request-time", "x-trace-id"],
    "getUserById": ["getUserByName", "getGroupById", "setUserById"],
}


@pytest.fixture(scope="module")
def store(anywhere: Callable[[], str]) -> Iterator[Ghost]:
    """Open one store with the default provider that holds every text of this module, each group in its namespace."""
    with Ghost.open(
        anywhere(), settings=Settings(embed_provider="local", freshness="off"), clock=lambda: NOW
    ) as ghost:
        counter = count()
        for number, text in enumerate(DISTRACTORS):
            ghost.put("para", f"d{number}", text)
        for key, (text, _) in PARAPHRASES.items():
            ghost.put("para", key, text)
        for wanted, text in IDENTIFIERS.items():
            for name in [*LOOKALIKES[wanted], wanted, *reversed(LOOKALIKES[wanted])]:
                ghost.put("ids", f"note-{next(counter)}", text.format(name))
        for number, text in enumerate(DISTRACTORS[:20]):
            ghost.put("team", f"d{number}", text)
        for key, text in TEAM.items():
            ghost.put("team", key, text)
        for key, (text, days) in DATED.items():
            ghost.put("dated", key, text, created_at=NOW - timedelta(days=days))
        yield ghost


def keys(ghost: Ghost, query: str, ns: str, **fields: object) -> list[str]:
    """Return the keys that a search finds."""
    return [hit.key for hit in ghost.search(query, ns, **fields)]  # type: ignore[arg-type]


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize("wanted", IDENTIFIERS)
@pytest.mark.parametrize("asked", ["{}", "what do we know about {}?"])
def test_an_exact_identifier_is_found_first(store: Ghost, wanted: str, asked: str) -> None:
    """Among near-identical names, the very one asked for stands first."""
    hits = store.search(asked.format(wanted), "ids")
    assert hits
    assert hits[0].content == IDENTIFIERS[wanted].format(wanted), [hit.content for hit in hits[:3]]


@pytest.mark.parametrize("key", PARAPHRASES)
def test_the_paraphrases_share_no_word(key: str) -> None:
    """No term of a paraphrase is a term of its target, so that only meaning can find it."""
    text, query = PARAPHRASES[key]
    assert not set(query_terms(query)) & set(query_terms(text))


@pytest.mark.requirement("002-074")
def test_meaning_finds_paraphrases(store: Ghost) -> None:
    """At least eight of ten questions that share no word with their answer have it among the first three."""
    missed = {key: keys(store, query, "para")[:3] for key, (_, query) in PARAPHRASES.items()}
    found = [key for key, three in missed.items() if key in three]
    assert len(found) >= 0.8 * len(PARAPHRASES), {
        key: three for key, three in missed.items() if key not in found
    }


TEAM = {
    "no-redis": "We do not use Redis; caching is done in process memory.",
    "queue": "Background jobs go through RabbitMQ.",
    "database": "All customer data is stored in PostgreSQL 16 in Frankfurt.",
    "no-meat": "Priya does not eat meat or fish.",
    "coffee": "Priya drinks a flat white every morning.",
    "deploys": "Deployments happen on Tuesdays and never on Fridays.",
    "hosting": "The service runs on Hetzner machines behind HAProxy.",
    "stuffed": "deploy deploy deploy deploy deploy deploy deploy deploy deploy deploy",
    "bank-money": "The bank raised the interest rate of the company account.",
    "bank-river": "We had a picnic on the grassy bank of the stream.",
    "python-snake": "The python at the zoo swallowed a rabbit.",
    "python-code": "Our Python services are packaged as wheels.",
    "mouse-pet": "The mouse nibbled the cheese behind the fridge.",
    "mouse-device": "The wireless mouse needs new batteries.",
}


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("do we use Redis for caching", "no-redis"),
        ("is Redis part of our stack?", "no-redis"),
        ("can I serve Priya a steak", "no-meat"),
        ("does Priya eat fish?", "no-meat"),
        ("may we deploy on a Friday?", "deploys"),
    ],
)
def test_a_negation_is_the_answer(store: Ghost, query: str, key: str) -> None:
    """A question about what is not the case finds the memory that says so."""
    assert keys(store, query, "team")[0] == key


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("the thing with the database", "database"),
        ("something about what Priya drinks", "coffee"),
        ("where does our stuff run?", "hosting"),
        ("the thing that handles background work", "queue"),
    ],
)
def test_a_vague_question_finds_its_memory(store: Ghost, query: str, key: str) -> None:
    """Loose wording still brings the memory among the first three."""
    assert key in keys(store, query, "team")[:3]


def test_keyword_stuffing_does_not_win(store: Ghost) -> None:
    """A text that only repeats the word loses to the one that answers."""
    assert keys(store, "on which days do we deploy?", "team")[0] == "deploys"


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("what did the bank do to our interest rate?", "bank-money", "bank-river"),
        ("where did we have a picnic by the river bank?", "bank-river", "bank-money"),
        ("how are Python packages built?", "python-code", "python-snake"),
        ("what did the python at the zoo eat?", "python-snake", "python-code"),
        ("the computer mouse has no power", "mouse-device", "mouse-pet"),
    ],
)
def test_the_same_word_in_another_meaning_stands_lower(
    store: Ghost, query: str, right: str, wrong: str
) -> None:
    """Of two memories that hold the word, the one that means it comes first."""
    found = keys(store, query, "team")
    assert found[0] == right
    assert wrong not in found or found.index(right) < found.index(wrong)


# text and how many days ago it was written; now is Saturday 14 March 2026
DATED = {
    "dated-a": ("We deployed the search service to staging.", 0.1),
    "dated-b": ("We deployed the billing service.", 1.0),
    "dated-c": ("We deployed the mail service.", 2.2),
    "dated-d": ("We deployed the login service.", 8.0),
    "dated-e": ("We deployed the export service.", 21.0),
    "dated-f": ("We deployed the report service.", 60.0),
    "dated-g": ("We deployed the archive service.", 310.0),  # 8 May 2025
    "dated-h": ("We deployed the invoice service.", 359.0),  # 20 March 2025
}


@pytest.mark.requirement("002-078")
@pytest.mark.wide(keep=6)
@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("what did we deploy yesterday?", "dated-b"),
        ("What did we deploy, yesterday!", "dated-b"),
        ("what did we deploy two days ago?", "dated-c"),
        ("what did we deploy 2 days ago", "dated-c"),
        ("what did we deploy last week?", "dated-d"),
        ("what did we deploy three weeks ago", "dated-e"),
        ("what did we deploy in January?", "dated-f"),
        ("what did we deploy on 8 May?", "dated-g"),
        ("what did we deploy on May 8, 2025?", "dated-g"),
        ("what did we deploy on 2025-05-08?", "dated-g"),
        ("what did we deploy in March 2025?", "dated-h"),
        ("was haben wir gestern deployed?", "dated-b"),
    ],
)
def test_words_for_times_choose_the_memory(store: Ghost, query: str, key: str) -> None:
    """Of memories that say the same, the one of the asked time stands first, counted from the clock."""
    assert keys(store, query, "dated")[0] == key


@pytest.mark.requirement("002-078")
@pytest.mark.parametrize("query", ["what is the latest deploy?", "our most recent deployment"])
def test_the_latest_is_the_newest(store: Ghost, query: str) -> None:
    """Of memories that say much the same, `latest` finds the one written last."""
    assert keys(store, query, "dated")[0] == "dated-a"


def test_a_time_word_means_the_window_not_the_word(open_ghost: Callable[..., Ghost]) -> None:
    """A memory of yesterday beats one of six weeks ago that merely says `yesterday`."""
    ghost = open_ghost(":memory:", embed_provider="local")
    ghost.put(
        "a", "old", "Yesterday we deployed the export service.", created_at=NOW - timedelta(days=40)
    )
    ghost.put("a", "right", "We deployed the billing service.", created_at=NOW - timedelta(days=1))
    assert keys(ghost, "what did we deploy yesterday?", "a", now=NOW)[0] == "right"


def test_a_month_without_a_year_is_any_year(store: Ghost) -> None:
    """`in March` prefers what was written in some March."""
    assert set(keys(store, "what did we deploy in March?", "dated")[:5]) >= {
        "dated-a",
        "dated-b",
        "dated-h",
    }


def test_now_can_be_given(store: Ghost) -> None:
    """The time that `yesterday` counts from is the clock's unless `now` names another."""
    at = NOW - timedelta(days=20)
    assert keys(store, "what did we deploy yesterday?", "dated", now=at)[0] == "dated-e"


@pytest.mark.parametrize(
    "query",
    [
        "who won the football world championship in Qatar?",
        "boiling point of helium",
        "grandmother's recipe for tiramisu",
        "symptoms of a vitamin deficiency",
    ],
)
def test_what_is_not_there_is_answered_with_nothing(store: Ghost, query: str) -> None:
    """An off-topic question returns nothing, while `min_score` lifts the floor and explain names the nearest misses."""
    assert store.search(query, "dated") == []
    assert store.search(query, "dated", min_score=-10.0)
    explained = store.search(query, "dated", explain=True)
    assert explained == []
    assert len(explained.misses) == 3


@pytest.mark.parametrize("provider", ["none", "static", "local"])
def test_a_small_number_is_no_answer(open_ghost: Callable[..., Ghost], provider: str) -> None:
    """Sharing the digit of an off-topic question does not make a memory an answer."""
    ghost = open_ghost(":memory:", embed_provider=provider)
    ghost.put("c", "k", "The fountain has 2 basins.")
    for at, text in enumerate(DISTRACTORS[:15]):
        ghost.put("c", f"x{at}", text)
    assert ghost.search("who won the world cup final 2 to 1 in Rome?", "c") == []


def test_a_compound_is_no_proof(open_ghost: Callable[..., Ghost]) -> None:
    """Where only a hyphenated word is shared, the judge decides; a code is an answer by itself."""
    ghost = open_ghost(":memory:", embed_provider="local")
    ghost.put("c", "k", "The well-known fountain has two basins.")
    for at, text in enumerate(DISTRACTORS[:15]):
        ghost.put("c", f"x{at}", text)
    ghost.put("c", "code", "Ticket OPS-10482 is about the gate.")
    question = "which {} soprano sang Aida at the opera house of Verona?"
    assert ghost.search(question.format("well-known"), "c") == []
    assert keys(ghost, question.format("OPS-10482"), "c") == ["code"]


def test_abstention_can_be_switched_off(
    open_ghost: Callable[..., Ghost], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With GHOST_ABSTAIN=0 or `abstain=False` the nearest is returned however far it is."""
    for text in DISTRACTORS[:5]:
        open_ghost("a.db", embed_provider="static").put("a", text[:12], text)
    assert open_ghost("a.db", embed_provider="static").search("boiling point of helium", "a") == []
    assert open_ghost("a.db", embed_provider="static", abstain=False).search(
        "boiling point of helium", "a"
    )
    monkeypatch.setenv("GHOST_ABSTAIN", "0")
    from ghostmem.settings import load

    assert load().abstain is False


def test_min_score_leaves_out_what_scores_less(store: Ghost) -> None:
    """Every hit reaches the score asked for, and a score that nothing reaches gives nothing."""
    best = store.search("do we use Redis for caching", "team")[0].score
    found = store.search("do we use Redis for caching", "team", min_score=best - 0.01)
    assert [hit.key for hit in found] == ["no-redis"]
    assert store.search("do we use Redis for caching", "team", min_score=best + 0.01) == []


SCRIPTS = {
    "fr": "Le café préféré de Zoë est l'Étoile à Besançon.",
    "de": "Die Straßenbahn nach Köln fährt über Düsseldorf.",
    "pl": "Łukasz mieszka w Łodzi i lubi żurek.",
    "zh": "我们的数据库部署在上海的服务器上，每天凌晨备份。",
    "zh-2": "小王喜欢在周末去西湖划船。",
    "ja": "田中さんは東京駅の近くの会社で働いています。",
    "ja-2": "毎朝コーヒーとトーストを食べます。",
    "ko": "민수는 서울에서 소프트웨어 개발자로 일합니다.",
    "ko-2": "우리 고양이는 생선을 좋아합니다.",
    "th": "สมชายทำงานที่โรงพยาบาลในกรุงเทพฯ",
    "th-2": "ร้านอาหารนี้ปิดวันจันทร์",
    "en": "The lighthouse was automated decades ago.",
}


@pytest.mark.parametrize("provider", ["none", "static", "local"])
def test_words_of_other_scripts_are_found(open_ghost: Callable[..., Ghost], provider: str) -> None:
    """Accents may be left out, and words inside running text of unspaced scripts are found first, with and without vectors."""
    ghost = open_ghost(":memory:", embed_provider=provider)
    for key, text in SCRIPTS.items():
        ghost.put("s", key, text)
    asked = {
        "cafe prefere Zoe": "fr",
        "besancon": "fr",
        "strassenbahn": "de",
        "Koln": "de",
        "Dusseldorf": "de",
        "Lukasz": "pl",
        "zurek": "pl",
        "数据库": "zh",
        "备份": "zh",
        "数据库部署在哪里？": "zh",
        "西湖": "zh-2",
        "東京駅": "ja",
        "田中さんの会社はどこですか": "ja",
        "コーヒー": "ja-2",
        "서울": "ko",
        "개발자": "ko",
        "고양이": "ko-2",
        "โรงพยาบาล": "th",
        "กรุงเทพ": "th",
        "ร้านอาหาร": "th-2",
        "วันจันทร์": "th-2",
    }
    wrong = {
        query: keys(ghost, query, "s")[:2]
        for query, key in asked.items()
        if keys(ghost, query, "s")[:1] != [key]
    }
    assert wrong == {}


@pytest.mark.parametrize("provider", ["none", "static"])
def test_a_word_after_an_elided_article_is_found(
    open_ghost: Callable[..., Ghost], provider: str
) -> None:
    """French and Italian words are found without the article that is elided before them."""
    ghost = open_ghost(":memory:", embed_provider=provider)
    for key, text in SCRIPTS.items():
        ghost.put("s", key, text)
    assert keys(ghost, "Étoile", "s")[:1] == ["fr"]


@pytest.mark.parametrize("provider", ["none", "static", "local"])
def test_an_off_topic_question_in_thai_is_answered_with_nothing(
    open_ghost: Callable[..., Ghost], provider: str
) -> None:
    """Vowel signs do not make a word an identifier: sharing two characters is no answer."""
    ghost = open_ghost(":memory:", embed_provider=provider)
    for key, text in SCRIPTS.items():
        ghost.put("s", key, text)
    ghost.put("s", "hi", "मेरी बिल्ली को मछली पसंद है और वह हर दिन सोती है")
    assert ghost.search("หิมะตกหนักที่ประเทศนอร์เวย์ในฤดูหนาวทุกปีหรือไม่", "s") == []


@pytest.mark.requirement("002-068", "002-073")
@pytest.mark.parametrize("provider", ["none", "static"])
def test_a_part_of_a_word_is_found(open_ghost: Callable[..., Ghost], provider: str) -> None:
    """A piece of a longer word, in any case and with its accents, is found by the substring leg."""
    ghost = open_ghost(":memory:", embed_provider=provider)
    for key, text in {
        "a": "Use the reconfigurator for that.",
        "b": "Die Donaudampfschifffahrt ruht.",
        "c": "Größenänderung ja.",
    }.items():
        ghost.put("s", key, text)
    assert keys(ghost, "CONFIGURAT", "s")[:1] == ["a"]
    assert keys(ghost, "dampfschiff", "s")[:1] == ["b"]
    assert keys(ghost, "änderung", "s")[:1] == ["c"]
