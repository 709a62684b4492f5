"""Decide which candidates are answers, which of these are strong, and when there is no answer.

There is none when neither the wording nor the meaning of any candidate is about the question. The
thresholds were chosen on development data, see docs/decisions.md."""

from math import inf, log10

from ghostmem.search.candidates import Candidates, ChunkMatch, FeatureTable, NamespaceQuery
from ghostmem.search.features import is_code
from ghostmem.search.query import Query
from ghostmem.search.score import knows_all_of, log_odds
from ghostmem.settings import Settings
from ghostmem.text.calendar import MONTHS, RECENCY_WORDS, TIME_WORDS

WORDING = 0.7  # the share of a candidate's wording that counts in addition to its cosine
WORDS_ONLY = 0.12  # the evidence a candidate among ten chunks needs without vectors
WORDS_GROWTH = 0.04  # and how much more among ten times as many, where chance matches are better
VECTORS_GROWTH = 0.11  # the same with vectors; the model's own threshold applies to ten chunks
# the score a turn of a conversation needs: its neighbours and speaker count, so answers score high
CONVERSATION = 0.45
# subtracted from the wording where words are not separated by spaces: bigrams match by chance
UNSPACED = 0.12
# the part of the judge's log-odds that counts as evidence, and the log-odds that change nothing
JUDGED_FACT, JUDGED_TURN = (0.05, 1.5), (0.02, 0.0)
# the judge's probability or the share of the question's wording that one of the facts needs; if the
# judge has read all of them, nothing else counts, otherwise the evidence above counts too
MIN_ANSWER, WHOLE_WORDING = 0.18, 0.7
CERTAIN = 0.8  # from this probability on, the judge's opinion of a fact is enough
MIN_COSINE = 0.15  # a cosine below this is no evidence
MIN_RELEVANCE = 0.5  # nor is a lower probability of the judge's
EVIDENCE_PARTS = frozenset(
    ("lexical", "month", "day", "window", "recency", "text", "substring", "vector")
)
ALL_TIME_WORDS = TIME_WORDS.union(RECENCY_WORDS, MONTHS)
STRONG = 0.6  # a strong hit scores at least this share of the best one
MAX_STRONG = 10  # more hits than these are strong only if they score nearly as much as the best one
NEARLY = 0.95  # the share of the best score that counts as nearly as much


def measure_evidence(candidates: Candidates, ns_query: NamespaceQuery, is_linear: bool) -> None:
    """Set by how much the wording and meaning of each candidate pass the test of an answer."""
    (matches, table, *_), query, vectors = candidates, ns_query.query, ns_query.vectors
    # the vector of mere punctuation means nothing
    by_meaning = vectors is not None and any(char.isalnum() for char in query.text)
    minimum = needed(ns_query.space.chunks, vectors.threshold if vectors else None)
    unspaced = sum(len(term) <= 2 and not term.isascii() for term in query.terms)
    by_chance = UNSPACED if unspaced > len(query.terms) / 2 else 0.0
    is_about_time = bool(matches) and _is_about_time(table, query)
    # a compound such as `full-time` is no proof: texts about other things contain it too
    for match, lexical, identifier in zip(
        matches,
        table.features["lexical"],
        table.features["identifier"] if any(map(is_code, query.terms)) else [0.0] * len(matches),
        strict=True,
    ):
        if is_about_time or identifier >= 1:
            match.margin = inf
        elif match.chunk.thread is not None and is_linear:
            match.margin = match.score - CONVERSATION
        else:
            match.margin = (
                evidence(lexical - by_chance, match.cosine if by_meaning else None) - minimum
            )


def has_answer(matches: list[ChunkMatch]) -> bool:
    """Return whether the wording, meaning, codes or time of any candidate fit the question.

    Where the judge has read all facts, it decides. Where it has read the best of them, one of them
    must be an answer by its opinion, and its opinion helps. Of turns of conversations it reads the
    best, and the others do not count."""
    if any(match.margin == inf for match in matches):
        return True
    judged = [match for match in matches if match.relevance is not None]
    if any(match.chunk.thread is None for match in judged):
        if all(map(knows_all_of, matches)):
            if not any(
                match.feature("lexical") >= WHOLE_WORDING or (match.relevance or 0.0) >= MIN_ANSWER
                for match in matches
            ):
                return False
            if len(judged) == len(matches):
                return True
        return any(
            match.margin + max(0.0, _opinion(match)) >= 0
            or (knows_all_of(match) and (match.relevance or 0.0) >= CERTAIN)
            for match in matches
        )
    return any(match.margin + _opinion(match) >= 0 for match in judged or matches)


def _opinion(match: ChunkMatch) -> float:
    """Return how much the judge's opinion adds to the evidence for a candidate."""
    if match.relevance is None:
        return 0.0
    share, neutral = JUDGED_FACT if match.chunk.thread is None else JUDGED_TURN
    return share * (log_odds(match.relevance) - neutral)


def needed(chunks: int, model_threshold: float | None) -> float:
    """Return the evidence that a candidate needs in a namespace of this size.

    `model_threshold` is None without vectors."""
    tens = log10(max(chunks, 10) / 10)
    return (
        WORDS_ONLY + WORDS_GROWTH * tens
        if model_threshold is None
        else model_threshold + VECTORS_GROWTH * tens
    )


def evidence(lexical: float, cosine: float | None) -> float:
    """Return the evidence for a candidate: its wording, or its meaning and part of its wording."""
    return lexical if cosine is None else cosine + WORDING * lexical


def _is_about_time(table: FeatureTable, query: Query) -> bool:
    """Return whether a question asks for little more than a time that some candidate is of."""
    content = [word for word in query.words if word not in ALL_TIME_WORDS]
    has_time = any(
        value >= 1 for name in ("month", "day", "window") for value in table.features.get(name, ())
    )
    return len(content) <= 1 and (has_time or query.times.recent)


def answers(
    matches: list[ChunkMatch], is_answered: bool, min_score: float | None, abstain: bool
) -> list[ChunkMatch]:
    """Return the candidates with any evidence, or nothing when no candidate is about the question.

    A caller's `min_score` replaces both tests."""
    if min_score is not None:
        return [match for match in matches if round(match.score, 4) >= min_score]  # as shown
    if not abstain:
        return matches
    return [match for match in matches if _has_evidence(match)] if is_answered else []


def _has_evidence(match: ChunkMatch) -> bool:
    return (
        (match.cosine or 0.0) >= MIN_COSINE
        or (match.relevance or 0.0) >= MIN_RELEVANCE
        or (match.parts is None and match.feature("lexical") > 0)
        or not EVIDENCE_PARTS.isdisjoint(match.summands if match.parts is None else match.parts)
    )


def strong_count(matches: list[ChunkMatch], min_score: float | None, settings: Settings) -> int:
    """Return the number of strong hits, which come first.

    All are strong when the cut-off is off or the caller has set `min_score`."""
    if (
        settings.cutoff == "off"
        or settings.fusion != "linear"
        or min_score is not None
        or not matches
    ):
        return len(matches)
    best = max(match.score for match in matches)
    strong = sum(match.score >= STRONG * best for match in matches)
    return max(sum(match.score >= NEARLY * best for match in matches), min(strong, MAX_STRONG))
