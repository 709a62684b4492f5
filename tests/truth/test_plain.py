"""What a text is to an older one by plain rules, when the judge is off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.model import VerdictKind
from ghostmem.truth.plain import AnalysedText, judge_plainly

texts = st.text(st.characters(blacklist_categories=("Cs",)), max_size=300)


@pytest.mark.parametrize(
    ("old", "new", "kind", "phrase"),
    [
        (
            "We use Jenkins.",
            "We moved from Jenkins to Buildkite, we like it.",
            "update",
            "moved from jenkins to",
        ),
        (
            "We deploy with Jenkins.",
            "We switched from Jenkins to Buildkite for deploys.",
            "update",
            "switched from jenkins to",
        ),
        (
            "The code is formatted with yapf.",
            "The code is formatted with ruff instead of yapf.",
            "update",
            "instead of yapf",
        ),
        ("Anna lives in Hamburg.", "Anna no longer lives in Hamburg.", "update", "no longer"),
        ("Anna wohnt in Hamburg.", "Anna wohnt nicht mehr in Hamburg.", "update", "nicht mehr"),
        ("The job starts at 02:00.", "Update: the job starts at 04:00.", "update", "update:"),
        ("Marco likes tea.", "Marco does not like tea.", "conflict", "not"),
        ("The API listens on port 8080.", "The API listens on port 9090.", "new", ""),
        ("We deploy with Jenkins.", "Should we move from Jenkins to Buildkite?", "new", ""),
        ("The moon is full.", "Roses grow along the wall.", "new", ""),
    ],
)
def test_only_what_is_said_outright_counts(old: str, new: str, kind: str, phrase: str) -> None:
    """A phrase that names what is over, a label, or a negation; not a different value alone."""
    found = judge_plainly(AnalysedText(new), AnalysedText(old))
    assert found.kind == kind
    assert found.phrase == phrase


@given(texts, texts)
def test_any_two_texts_can_be_judged(new: str, old: str) -> None:
    """Nothing that can be written makes it fail."""
    found = judge_plainly(AnalysedText(new), AnalysedText(old))
    assert found.kind in VerdictKind
    assert 0 <= found.confidence <= 1


@given(texts)
def test_the_same_text_is_a_restatement(text: str) -> None:
    """Whatever it says, it says it again."""
    assert judge_plainly(AnalysedText(text), AnalysedText(text)).kind == VerdictKind.RESTATEMENT


@pytest.mark.parametrize(
    "part", ["a", "not ", "from to ", "instead of ", "no longer ", "不再", "从", "Update: ", "\n"]
)
def test_a_hostile_megabyte_is_judged_by_its_first_part(part: str) -> None:
    """The work is bounded: only the first characters of a text are looked at."""
    text = part * (1_000_000 // len(part))
    new = AnalysedText(text)
    assert judge_plainly(new, AnalysedText(f"{text}x")).kind in VerdictKind
    assert new.announces_change in (True, False)
