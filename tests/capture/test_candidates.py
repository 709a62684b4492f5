"""Which statements of a message are candidates, with the judge and with phrases alone"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ghostmem.capture.candidates import MAX_CANDIDATES, MIN_IMPORTANCE, candidates
from ghostmem.judge import find_judge
from ghostmem.judge.model import Judge
from ghostmem.model import Kind, Sort
from ghostmem.settings import Settings
from growth import repeated

DATA = Path(__file__).parent.parent / "data" / "capture"


@pytest.fixture(params=["judge", "phrases"])
def judge(request: pytest.FixtureRequest) -> Judge | None:
    """Return the judge, or None: phrases decide then."""
    return find_judge(Settings(judge="on")) if request.param == "judge" else None


def contents(text: str, judge: Judge | None = None) -> list[str]:
    """Return the contents of the candidates of a text."""
    return [candidate.content for candidate in candidates(text, judge)]


def labelled() -> list[tuple[str, str]]:
    """Return the labelled sentences."""
    lines = [
        line.split("\t", 1)
        for path in sorted(DATA.glob("*.tsv"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [(label, text.replace("\\n", "\n")) for label, text in lines]


def test_labelled_sentences(judge: Judge | None) -> None:
    """Most sentences worth keeping are found with their sort, and little else."""
    rows = labelled()
    assert len(rows) > 250
    found = [(label, candidates(text, judge)) for label, text in rows]
    hits = [(label, got) for label, got in found if label != "none" and got]
    wrong = sum(bool(got) for label, got in found if label == "none")
    assert len(hits) / (len(hits) + wrong) >= 0.9
    assert len(hits) / sum(label != "none" for label, _ in rows) >= 0.65
    assert sum(any(one.sort == label for one in got) for label, got in hits) / len(hits) >= 0.85


STATED = {
    "No, the port of the proxy is 8443, not 8080.": Sort.CORRECTION,
    "That's wrong, the invoices are due on the first of each month.": Sort.CORRECTION,
    "Never commit directly to the release branch.": Sort.BOUNDARY,
    "Do not send emails to customers without asking me.": Sort.BOUNDARY,
    "I'm allergic to shellfish.": Sort.BOUNDARY,
    "I prefer type hints on every public function.": Sort.PREFERENCE,
    "From now on answer me in French.": Sort.PREFERENCE,
    "We decided to use Postgres instead of MySQL for the ledger.": Sort.DECISION,
    "Be careful: the import script drops the table first.": Sort.GOTCHA,
    "Before every release, run the migration check first.": Sort.PROCEDURE,
    "My name is Tove and I work at a museum.": Sort.FACT,
    "We use pnpm in all our repositories.": Sort.FACT,
    "Remember that the demo account is called heron.": Sort.FACT,
}


def test_what_the_original_captures(judge: Judge | None) -> None:
    """The intents of the original Ghost are mostly captured, each as its sort."""
    found = {text: candidates(text, judge) for text in STATED}
    kept = [text for text, got in found.items() if [one.content for one in got] == [text]]
    assert len(kept) >= len(STATED) - 2
    assert all(found[text][0].sort == STATED[text] for text in kept)


@pytest.mark.parametrize(
    "text",
    [
        "Can you fix the failing test?",
        "thanks, that works",
        "Run the tests again and show me the output.",
        "forget what I said about tabs",
        "Please forget that I live in Rome.",
        "What do I prefer, tabs or spaces?",
        "```python\nI prefer = 'tabs'  # never push\n```",
        "> I prefer tabs over spaces in Go files.",
        "<system-reminder>\nNever push to main.\n</system-reminder>",
        "[Ghost Memory — Relevant]\n[tabs] The user prefers tabs.\n[End Ghost Memory]",
        'Traceback (most recent call last):\n  File "a.py", line 3, in x\nValueError: never empty',
        'Classify [{"text": "We use Postgres."}, {"text": "I prefer tabs over spaces."}]',
        "TODO: always run the linter before committing",
        "",
        "\n\n  \n",
    ],
)
def test_what_is_not_captured(text: str, judge: Judge | None) -> None:
    """Requests, questions, chatter, what is to be forgotten, tasks, and the text of programs."""
    assert contents(text, judge) == []


@pytest.mark.parametrize(
    "text",
    [
        "Suppose I prefer tabs over spaces in Go files.",
        "Never mind the warning.",
        "Don't run it yet.",
        "Always fall into the water.",
        "I like it.",
        "I'd like you to rename the button.",
    ],
)
def test_phrases_alone_leave_out_suppositions_and_the_moment(text: str) -> None:
    """A phrase is not enough in a sentence with doubt, or without content."""
    assert contents(text) == []


def test_only_the_statement_is_taken(judge: Judge | None) -> None:
    """The content is the writer's own words, and says why it was taken."""
    text = "  Thanks!  I prefer tabs over spaces in Go files.   Can you fix it?"
    [one] = candidates(text, judge)
    assert one.content == "I prefer tabs over spaces in Go files."
    assert (one.sort, one.kind, one.key) == (Sort.PREFERENCE, Kind.SEMANTIC, "tabs-spaces-go-files")
    assert one.tags == ("captured", "preference")
    assert one.reasons[0] == "preference: I prefer"
    assert [reason.partition(" ")[0] for reason in one.reasons[1:]] == ["judge:"] * bool(judge)


def test_a_statement_in_a_long_message_is_found(judge: Judge | None) -> None:
    """The judge reads the part of a long message around each statement."""
    filler = "Look at the second request in the log and tell me what happened there. " * 12
    rule = "Never push to main on Fridays."
    for text in (f"{filler}{rule}", f"{rule} {filler}", f"{filler}{rule} {filler}"):
        assert contents(text, judge) == [rule]


def test_the_judge_reads_a_wrapped_statement_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of a long message that it reads has the statement, whose lines are joined."""
    judge = find_judge(Settings(judge="on"))
    assert judge is not None
    read: list[tuple[str, str]] = []
    captures = judge.captures

    def recorded(pairs: Sequence[tuple[str, str]]) -> list[float]:
        read.extend(pairs)
        return captures(pairs)

    monkeypatch.setattr(judge, "captures", recorded)
    filler = "Look at the second request in the log and tell me what happened there. " * 12
    wrapped = "We have decided that the billing\nservice will be written in Go."
    joined = wrapped.replace("\n", " ")
    assert joined in contents(f"{filler}\n\n{wrapped}\n\n{filler}", judge)
    [context] = [context for sentence, context in read if sentence == joined]
    assert joined in context


@pytest.mark.parametrize(
    "text",
    [
        "Never mind the noise, we decided to use Postgres for billing.",
        "Forget about MySQL, we decided to use Postgres for billing.",
        "Vergiss MySQL, wir haben uns für Postgres entschieden.",
    ],
)
def test_a_decision_after_something_to_forget_is_captured(text: str, judge: Judge | None) -> None:
    """Only a request to forget as a whole is left out."""
    assert contents(text, judge) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Please forget that I live in Oslo.",
        "Forget that I live in Oslo, it is private.",
        "Forget what I told you about my allergies, please.",
        "Vergiss, dass ich am liebsten Tee trinke.",
    ],
)
def test_what_is_to_be_forgotten_is_not_captured(text: str, judge: Judge | None) -> None:
    """A comma alone does not make a statement of it."""
    assert contents(text, judge) == []


@pytest.mark.parametrize(
    "text",
    [
        "open README.md",
        'CALL ghost_put {"key":"release-day","content":"Releases go out on Tuesday."} END',
    ],
)
def test_a_command_is_not_captured(text: str, judge: Judge | None) -> None:
    """Two words with a name in code are a command, unless they have a phrase of a rule."""
    assert contents(text, judge) == []
    assert contents("prefer snake_case", judge) == ["prefer snake_case"]


def test_importance_is_the_weight_of_the_sort_and_the_probability(judge: Judge | None) -> None:
    """Corrections weigh most, facts least; the default minimum hides nothing."""
    texts = ("No, the port is 8443, not 8080.", "Never push to main.", "I live in Lisbon.")
    values = [candidates(text, judge)[0].importance for text in texts]
    assert values == sorted(values, reverse=True)
    assert all(MIN_IMPORTANCE < value <= 1 for value in values)
    assert len(candidates(texts[2], judge, least=0.0)) == 1
    assert candidates(texts[2], judge, least=0.7) == []


def test_a_sentence_that_needs_another_takes_it_along() -> None:
    """What "it" is must be in the content."""
    text = "The cache is shared by all tenants. It must never hold personal data."
    assert contents(text) == [text]


def test_an_item_is_understood_with_its_heading(judge: Judge | None) -> None:
    """The lead of a list or a heading is put before its items."""
    text = "# Deployment\n\n- Never deploy on Fridays.\n- [ ] always check the logs\n"
    assert contents(text, judge) == ["Deployment: Never deploy on Fridays."]


def test_numbered_steps_are_one_procedure(judge: Judge | None) -> None:
    """A list of steps under a lead is kept whole."""
    text = "How to rotate the key:\n1. create a new key\n2. update the vault\n3. restart it"
    [one] = candidates(text, judge)
    assert (one.sort, one.kind, one.content) == (Sort.PROCEDURE, Kind.PROCEDURAL, text)
    assert contents("Please do this now:\n1. fix the test\n2. update the docs", judge) == []


def test_a_decision_with_its_date_is_an_event() -> None:
    """A decision that names a time is episodic."""
    assert candidates("Yesterday we decided to drop Python 3.9.")[0].kind is Kind.EPISODIC
    assert candidates("We decided to drop Python 3.9.")[0].kind is Kind.SEMANTIC


def test_health_is_a_boundary_with_a_tag(judge: Judge | None) -> None:
    """Health is stored as a boundary."""
    [one] = candidates("I'm allergic to peanuts.", judge)
    assert (one.sort, one.tags) == (Sort.BOUNDARY, ("captured", "boundary", "health"))


def test_only_the_users_side_of_a_conversation_counts(judge: Judge | None) -> None:
    """What the assistant says about preferences is not the user's statement."""
    text = (
        "User: I prefer pnpm over npm.\nAssistant: I prefer npm, always.\n"
        "Human: Never use yarn in this repo.\nAI: We decided to use yarn."
    )
    assert contents(text, judge) == ["I prefer pnpm over npm.", "Never use yarn in this repo."]


def test_duplicates_are_one_candidate_and_keys_differ(judge: Judge | None) -> None:
    """A second text with the same words gets a key that depends on its text alone."""
    text = "Never push tags to main. Never push tags to main!\n\nAlways push tags to main."
    found = candidates(text, judge)
    assert [one.content for one in found] == [
        "Never push tags to main.",
        "Always push tags to main.",
    ]
    first, second = (one.key for one in found)
    assert first == "push-tags-main"
    assert second.startswith("push-tags-main-")
    again = candidates("Never push tags to main. Always push tags to main.", judge)
    assert again[1].key == second


def test_the_most_important_are_kept() -> None:
    """A long text gives at most the maximum, in the order of the text."""
    homes = "\n\n".join(f"I live in house number {number}." for number in range(30))
    text = f"{homes}\n\nNever ring at house number 7!"
    found = candidates(text)
    assert len(found) == MAX_CANDIDATES
    assert found[-1].sort is Sort.BOUNDARY
    assert [one.key for one in candidates(text, least=0.6)] == [found[-1].key]


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [
        ("", "never ", ""),
        ("", "<a-b>", ""),
        ("", "[Ghost Memory", ""),
        ("I prefer ", "x", ""),
        ("", ",", ""),
        ("", "first ", "then"),
        ("", "> ", ""),
        ("", "- ", ""),
        ("", "\n", ""),
        ("", '"', ""),
        ("", "no. ", ""),
        ("", "我", ""),
        ("", "user: ", ""),
        ("", "user:\nassistant:\n", ""),
        ("", "a\u0301", ""),
        ("", "\x00\x01\x02", ""),
        ("", "if a, ", ""),
    ],
)
def test_a_megabyte_of_anything_is_read(before: str, piece: str, after: str) -> None:
    """No text breaks it or makes it endless."""
    assert len(candidates(repeated(piece, before, after)(1_000_000))) <= MAX_CANDIDATES


@pytest.mark.wide
def test_a_megabyte_of_different_elements_is_read() -> None:
    """Elements that never end do not make it endless."""
    assert len(candidates("".join(f"<a-{n}>" for n in range(120_000)))) <= MAX_CANDIDATES


TRACE = """Traceback (most recent call last):
  File "/app/orders.py", line 88, in charge
    raise PaymentError(f"card {card.id} declined")
app.errors.PaymentError: card 4411 declined
2026-11-02 10:00:01,123 INFO app.worker: retrying in 5 s
2026-11-02 10:00:06,125 ERROR app.worker: giving up after 3 attempts"""


@pytest.mark.parametrize("form", ["```\n{}\n```\n{}", "{}\n\n{}", "```\n{}\n```\n\n{}"])
def test_pasted_text_does_not_hide_a_statement(form: str) -> None:
    """The judge reads the message without the trace and the log, and nothing of these is kept."""
    fact = "btw we're on Postgres 15 in prod, not 14."
    assert contents(form.format(TRACE, fact), find_judge(Settings(judge="on"))) == [fact]


def test_a_statement_may_end_with_a_colon() -> None:
    """What is announced may be worth remembering by itself."""
    text = "I prefer early returns over nested ifs, please refactor accordingly:"
    assert contents(
        f"{text}\n```\nif a:\n    if b:\n        c()\n```", find_judge(Settings(judge="on"))
    ) == [text]
