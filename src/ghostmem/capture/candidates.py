"""Find the statements of a message that are worth remembering.

The judge reads each statement together with its message; without it, explicit phrases decide
(`data/sorts.json`). The content of a candidate is the writer's own words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ghostmem.capture.keys import key_of, kind_of, other_key
from ghostmem.capture.sorts import (
    SortMatch,
    find_sort,
    is_asked,
    is_explicit,
    is_withdrawn,
    leads_steps,
    steps_match,
)
from ghostmem.frozen import frozen
from ghostmem.judge.model import Judge
from ghostmem.model import CAPTURED, Kind, Outcome, Record, Sort, Verdict, optional
from ghostmem.text.capture import Statement, is_entry, own_text, statements
from ghostmem.truth.alike import distinctive, essence

MIN_IMPORTANCE = 0.35  # the default; every candidate has more
MAX_CANDIDATES = 12
_BASE_IMPORTANCE = 0.4  # the weight of the sort is added, and the probability with its weight
_PROBABILITY_WEIGHT = 0.1
_PHRASE_SHARE = 0.4  # share of the threshold that is enough for a statement with a phrase
_MIN_TERMS = 2  # distinctive terms that a statement needs where phrases decide
_MAX_JUDGED = 400  # statements of a message that the judge reads; phrases decide about the others
_MAX_WHOLE = 400  # characters; of a longer message the judge reads what is around a statement
_AROUND = 100  # characters before and after it
# two words of which one is a name in code or of a file, such as `open README.md`
_COMMAND = re.compile(r"\w+\s+\w+[._]\w+")


@frozen
class Captured(Record):
    """A candidate: its key, the writer's words and the reasons; later its verdict and outcome.

    `stored_as` is its key if that is another."""

    key: str
    content: str
    kind: Kind
    importance: float | None = optional()
    sort: Sort | None = optional()
    tags: tuple[str, ...] = optional(())
    reasons: tuple[str, ...] = optional(())
    verdict: Verdict | None = optional()
    outcome: Outcome | None = optional()
    stored_as: str | None = optional()
    notes: tuple[str, ...] = optional(())
    fields: Mapping[str, Any] = optional({})


def candidates(
    text: str,
    judge: Judge | None = None,
    *,
    least: float = MIN_IMPORTANCE,
    most: int = MAX_CANDIDATES,
    certainty: float = 0.0,
) -> list[Captured]:
    """Return the statements of a message that are worth remembering, in their order.

    Args:
        text: The message.
        judge: Decides which statements count; without it, explicit phrases do.
        least: Minimum importance.
        most: Maximum number; the most important are kept.
        certainty: The probability that the judge must give, if that is above its threshold.
    """
    read = [
        statement
        for statement in statements(text)
        if statement.is_list
        or not (
            (_COMMAND.fullmatch(statement.sentence) and not is_explicit(statement.sentence))
            or is_withdrawn(statement.sentence)
        )
    ]
    # An entry of a list says little without its lead.
    judged = [
        statement.content
        if statement.is_list or is_entry(statement.sentence)
        else statement.sentence
        for statement in read
    ]
    chances = capture_chances(judge, own_text(text), judged)
    threshold = max(judge.thresholds.capture, certainty) if judge else 0.0
    worthy = (_candidate(*pair, threshold) for pair in zip(read, chances, strict=True))
    return best((candidate for candidate in worthy if candidate), least, most)


def best(
    unranked: Iterable[Captured], least: float = MIN_IMPORTANCE, most: int = MAX_CANDIDATES
) -> list[Captured]:
    """Return the most important candidates in their order, without duplicates or equal keys."""
    unique: dict[tuple[str, ...], Captured] = {}
    for candidate in unranked:
        if (candidate.importance or 0.0) >= least:
            unique.setdefault(essence(candidate.content), candidate)
    ranked = sorted(enumerate(unique.values()), key=lambda row: (-(row[1].importance or 0), row[0]))
    by_key: dict[str, Captured] = {}
    for _, candidate in sorted(ranked[:most], key=lambda row: row[0]):
        if candidate.key in by_key:
            candidate = replace(candidate, key=other_key(candidate.key, candidate.content))
        by_key[candidate.key] = candidate
    return list(by_key.values())


def capture_chances(
    judge: Judge | None, message: str, sentences: Sequence[str]
) -> list[float | None]:
    """Return how likely each sentence is worth remembering; None where the judge is not asked."""
    if judge is None or not sentences:
        return [None] * len(sentences)
    message = " ".join(message.split())  # as in sentences, whose wrapped lines are joined
    asked = [" ".join(sentence.split()) for sentence in sentences[:_MAX_JUDGED]]
    pairs, start = [], 0
    for sentence in asked:
        place = message.find(sentence[:_AROUND], start)
        start = max(start, place)
        is_located = place >= 0 or len(message) <= _MAX_WHOLE
        pairs.append(
            (sentence, _around(message, start, start + len(sentence)) if is_located else sentence)
        )
    return [*judge.captures(pairs), *[None] * (len(sentences) - len(asked))]


def is_worth(sentence: str, chance: float | None, threshold: float) -> bool:
    """Say whether a sentence is worth remembering, by the judge or by its phrases.

    A request to remember always counts; other phrases count unless the judge is quite sure."""
    if is_asked(sentence) or (chance is not None and chance >= threshold):
        return True
    return (
        (chance is None or chance >= _PHRASE_SHARE * threshold)
        and is_explicit(sentence)
        and len(set(distinctive(sentence))) >= _MIN_TERMS
    )


def reasons_of(match: SortMatch, chance: float | None) -> tuple[str, ...]:
    """Return the phrase that tells the sort and the probability, as far as there are any."""
    phrase = [f"{match.sort}: {match.phrase}"] if match.phrase else []
    return (*phrase, *([] if chance is None else [f"judge: {chance:.2f}"]))


def _around(message: str, start: int, stop: int) -> str:
    return (
        message if len(message) <= _MAX_WHOLE else message[max(0, start - _AROUND) : stop + _AROUND]
    )


def _candidate(statement: Statement, chance: float | None, threshold: float) -> Captured | None:
    sentence = statement.sentence
    if statement.is_list and leads_steps(sentence):
        match = steps_match()
    elif is_worth(sentence, chance, threshold):
        match = find_sort(sentence)
    else:
        return None
    is_health = match.sort is Sort.HEALTH
    sort = Sort.BOUNDARY if is_health else match.sort
    return Captured(
        key_of(statement.content, sort),
        statement.content,
        kind_of(sort, sentence),
        round(_BASE_IMPORTANCE + match.weight + _PROBABILITY_WEIGHT * (chance or 0), 2),
        sort,
        (CAPTURED, sort.value, *["health"] * is_health),
        reasons_of(match, chance),
    )
