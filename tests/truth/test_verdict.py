"""What a text is to an older one: the written set's bars, and properties that hold for any text."""

import json
from pathlib import Path

import pytest
from bench.verdict import cosines, figures, read_pairs, tally
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.model import VerdictKind
from ghostmem.truth.rules.change import changes, has_cue
from ghostmem.truth.rules.said import sentences
from ghostmem.truth.rules.signs import may_change
from ghostmem.truth.rules.verdict import judge

PAIRS = read_pairs()
texts = st.text(st.characters(blacklist_categories=("Cs",)), max_size=300)
names = st.sampled_from(
    "Anna Ben Marco Priya Tom Lena Kim Sam Carla Jonas Nadia Oliver 小李 王芳".split()
)
hosts = st.integers(1, 999).map("web-{}".format)
numbers = st.integers(2, 99_999).map(str)
days = st.integers(1, 28).map("2026-03-{:02}".format)
things = st.sampled_from("milk bread apples rice tea pears salt flour eggs soap".split())
TEMPLATES = [
    ("Invoice {} for Nordwind is due in two weeks.", numbers),
    ("{}'s birthday is on the ninth of June.", names),
    ("Standup {}: nothing is blocked, everybody works on the importer.", days),
    ("Host {} listens on port 8080 and runs Debian.", hosts),
    ("Deployed build {} to production without errors.", numbers),
    ("Met {} about the budget of the search team.", names),
    ("Remember to buy {} at the market on the way home.", things),
    ("订单 {} 已经发货到杭州。", numbers),
    ("客户 {} 要求每月开票。", names),
    ("Factura {} pagada por transferencia.", numbers),
    ("Rechnung {} an die Buchhaltung geschickt.", numbers),
    ("The backup of {} took eleven minutes.", days),
    ("We no longer need ticket {}.", numbers),
    ("Moved ticket {} from review to done.", numbers),
]


@pytest.mark.parametrize("provider", ["local", "static", "none"])
def test_the_half_that_nothing_was_chosen_by_meets_the_bars(provider: str) -> None:
    """Restatements and updates are told with a precision of 0.9 or more, and no template twin is a restatement."""
    half = [pair for pair in PAIRS if pair["half"] == "b"]
    found = figures(tally(half, cosines(half, provider)))
    assert found["restatement"]["precision"] >= 0.9
    assert found["update"]["precision"] >= 0.9
    assert found["twin"]["restatement"] == 0
    assert found["restatement"]["recall"] >= 0.6
    assert found["update"]["recall"] >= 0.6


def test_the_written_set_is_balanced() -> None:
    """Both halves hold every kind, the halves follow from the texts, and a fifth is Chinese."""
    from hashlib import blake2b

    chosen = [pair for pair in PAIRS if pair["half"] in "ab"]
    assert len(chosen) >= 240
    assert sum(pair["lang"] == "zh" for pair in chosen) >= len(chosen) // 6
    for pair in chosen:
        digest = blake2b(f"{pair['old']}\n{pair['new']}".encode(), digest_size=8).digest()
        assert pair["half"] == "ab"[digest[0] & 1]
    for half in "ab":
        assert {pair["kind"] for pair in chosen if pair["half"] == half} == {
            "restatement",
            "update",
            "conflict",
            "twin",
            "unrelated",
        }


def test_the_later_halves_are_balanced() -> None:
    """So are those of natural corrections, which hold no restatements; a fifth is Chinese."""
    from hashlib import blake2b

    chosen = [pair for pair in PAIRS if pair["half"] in "de"]
    assert len(chosen) == 120
    assert sum(pair["lang"] == "zh" for pair in chosen) == 24
    for pair in chosen:
        digest = blake2b(f"{pair['old']}\n{pair['new']}".encode(), digest_size=8).digest()
        assert pair["half"] == "de"[digest[0] & 1]
    for half in "de":
        kinds = {pair["kind"] for pair in chosen if pair["half"] == half}
        assert kinds == {"update", "conflict", "twin", "unrelated"}


@given(texts)
def test_what_has_no_sign_of_change_tells_of_none(text: str) -> None:
    """The cheap look for signs never hides a word of change."""
    if not may_change(text):
        assert changes(text) == ()


def test_a_text_with_a_word_of_change_has_a_sign() -> None:
    """Nor does it for any text of the set, in which the patterns themselves are asked."""
    for text in (pair[side] for pair in PAIRS for side in ("old", "new")):
        assert may_change(text) or not any(map(has_cue, sentences(text))), text


def test_an_empty_set_is_refused(tmp_path: Path) -> None:
    """A benchmark over nothing would pass everything."""
    (tmp_path / "none.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="holds no pairs"):
        read_pairs(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Marco likes tea.", "Marco does not like tea.", "conflict"),
        ("Ravi can swim.", "Ravi can't swim.", "conflict"),
        ("Tom manages Lena.", "Lena manages Tom.", "conflict"),
        ("We use Jenkins.", "Should we move from Jenkins to Buildkite?", "new"),
        (
            "We deploy with Jenkins.",
            "We might switch from Jenkins to Buildkite for deploys.",
            "new",
        ),
        (
            "We deploy with Jenkins.",
            "We did not switch from Jenkins to Buildkite for deploys.",
            "new",
        ),
        ("Tom is the release manager.", "Tom switched from coffee to tea.", "new"),
        ("Anna lives in Hamburg.", "Ben moved from Hamburg to Berlin.", "new"),
        ("Anna is allergic to peanuts.", "Anna is allergic to peanuts and shellfish.", "new"),
        (
            "The API moved from Postgres 14 to 15.",
            "The API moved from Postgres 15 to 16.",
            "update",
        ),
        ("Moved ticket 5 from review to done.", "Moved ticket 6 from done to closed.", "new"),
        ("会议纪要用英文写。", "会议纪要用中文写。", "new"),
        ("张伟住在北京。", "张伟上个月搬到了上海。", "update"),
        (
            "The port of the API is 8080.",
            "The port of the API is 9090 now, no longer 8080.",
            "update",
        ),
        (
            "The Porto office is on Rua das Flores 12.",
            "The Porto office moved to Avenida da Boavista 80.",
            "update",
        ),
        (
            "The lead of the billing team is Hana Sato.",
            "The new lead of the billing team is Luis Ortega.",
            "update",
        ),
        ("The user's dentist is Dr. Weber.", "The user has a new dentist: Dr. Moreau.", "update"),
        ("Bea is the product owner of Atlas.", "Ivo is the product owner of Atlas now.", "update"),
        (
            "Tomasz maintains the parser crate.",
            "The parser crate is maintained by Wei now.",
            "update",
        ),
        ("The backup job starts at 02:00.", "Update: the backup job starts at 04:00.", "update"),
        (
            "Summary: the user is vegetarian.",
            "The user is vegan now, no longer vegetarian.",
            "update",
        ),
        ("用户的车是丰田卡罗拉。", "用户的车现在是特斯拉。", "update"),
        ("服务部署在阿里云。", "服务已迁移到腾讯云。", "update"),
        (
            "The meeting room is on the second floor.",
            "We moved the meeting room chairs into storage.",
            "new",
        ),
        ("Anna manages the Vienna store.", "Anna moved to Berlin.", "new"),
        ("The API is written in Go.", "The API was moved to Frankfurt.", "new"),
        (
            "The staging database is Postgres 15.",
            "The staging database is now backed up every night.",
            "new",
        ),
        ("The user speaks Italian.", "The user now speaks Greek.", "new"),
        (
            "Releases are announced on Mastodon.",
            "Releases are now also announced on Bluesky.",
            "new",
        ),
        (
            "The lead of the billing team is Hana Sato.",
            "The new intern of the billing team is Luis.",
            "new",
        ),
        ("The user went to Lisbon with Ida.", "The user went to Porto with Max.", "new"),
        ("The user owns a bike.", "The user owns a kayak.", "new"),
        ("The backup server is in the UK.", "The backup server is in the US.", "conflict"),
        ("用户的血型是A型。", "用户的血型是O型。", "conflict"),
    ],
)
def test_what_is_easily_mistaken(old: str, new: str, kind: str) -> None:
    """Denials, exchanged roles, plans, questions and changes of something else are told apart."""
    assert judge(new, old, None).kind == kind
    assert judge(new, old, 0.97).kind != VerdictKind.RESTATEMENT


def test_the_evidence_says_what_it_rests_on() -> None:
    """An update names the words of change, what is shared and what differs, as plain data."""
    found = judge(
        "Staging now runs PostgreSQL 16 instead of PostgreSQL 15.",
        "Staging runs PostgreSQL 15.",
        0.91234,
    )
    assert found.kind == VerdictKind.UPDATE
    assert found.evidence["similarity"] == 0.912
    assert "instead of" in found.evidence["cues"]
    assert "postgresql" in found.evidence["shared"]
    assert found.evidence["differs"]
    assert json.loads(json.dumps(found.evidence)) == found.evidence
    assert 0 < found.confidence <= 1


@given(texts, texts, st.none() | st.floats(-1, 1))
def test_any_two_texts_can_be_judged(new: str, old: str, similarity: float | None) -> None:
    """Nothing that can be written makes it fail."""
    found = judge(new, old, similarity)
    assert found.kind in VerdictKind
    assert 0 <= found.confidence <= 1


@given(texts, st.none() | st.floats(-1, 1))
def test_the_same_text_is_a_restatement(text: str, similarity: float | None) -> None:
    """Whatever it says, it says it again."""
    assert judge(text, text, similarity).kind == VerdictKind.RESTATEMENT


@settings(max_examples=300)
@given(st.data(), st.sampled_from(TEMPLATES), st.sampled_from([None, 0.8, 0.95, 0.999]))
def test_two_messages_of_one_template_are_never_restatements(
    data: st.DataObject, template: tuple[str, st.SearchStrategy[str]], similarity: float | None
) -> None:
    """Another number, name, day or thing is something else, however alike the vectors are."""
    form, payloads = template
    one, other = data.draw(payloads), data.draw(payloads)
    if one != other:
        assert (
            judge(form.format(one), form.format(other), similarity).kind != VerdictKind.RESTATEMENT
        )


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "not ",
        "moved x ",
        "from to ",
        "instead of ",
        "我",
        "不再",
        "a.b/",
        "' ",
        "://",
        "e\u0301",
        "\u0301",
        "switched a b c d ",
        ", ",
        "\n",
        "是从",
        "was moved to ",
        "the new a ",
        "has a new x: ",
        "现在是",
        "Dr. ",
        "it is now it is ",
        "and we ",
    ],
)
def test_a_hostile_megabyte_is_judged_by_its_first_part(part: str) -> None:
    """The work is bounded: only the first characters of a text are looked at."""
    text = part * (1_000_000 // len(part))
    assert judge(text, text + "x", None).kind in VerdictKind
    assert judge(text, "Marco moved to Berlin.", 0.5).kind == VerdictKind.NEW
    assert (
        judge(f"Marco no longer lives in Berlin. {text}", "Marco lives in Berlin.", None).kind
        in VerdictKind
    )
