"""Let the judge read the best candidates: its opinion is one more part of their scores.

This part is never negative, so a candidate that was not read stays behind those that were."""

from collections.abc import Callable
from time import thread_time

from ghostmem.errors import EmbeddingError
from ghostmem.judge import find_judge, uses_judge
from ghostmem.search.candidates import ChunkMatch
from ghostmem.search.query import Query, match_terms
from ghostmem.search.score import add_relevance, prefer_newer, varied_threads
from ghostmem.settings import Settings
from ghostmem.text.excerpt import snippet
from ghostmem.text.focus import find_place
from ghostmem.text.matches import QueryTerms
from ghostmem.text.question import parts

MAX_JUDGED = 20
MAX_TOKENS = 500  # tokens of a question and texts that `auto` reads: 40 ms of one core
MAX_FACT, MAX_TURN = 200, 100  # characters of a fact and of a turn that `auto` reads
MIN_KNOWN_WORDS = 0.5  # the share of a question's words that the judge must know
SURE = 0.7  # the probability of an answer to one of several questions from which it counts


def judge_relevance(
    settings: Settings, query: Query, matches: list[ChunkMatch], has_time: Callable[[], bool]
) -> tuple[list[ChunkMatch], tuple[str, ...]]:
    """Add the judge's opinion to the scores of the best candidates.

    Returns them in the order of their new scores, and notes for the caller. Without the judge,
    after its deadline, and when the caller has no time left, they stay as they are."""
    if settings.rerank == "off" or not (
        matches and any(char.isalnum() for char in query.text) and uses_judge(settings)
    ):
        return matches, ()
    terms, is_short = match_terms(query.text), settings.rerank == "auto"
    # equal candidates in the order of their keys: when they were stored must not decide
    best = sorted(matches, key=lambda m: (-round(m.score, 4), m.chunk.key, m.chunk.seq))
    texts = [_text(match, terms, is_short) for match in best[:MAX_JUDGED]]
    try:
        chances = _read(settings, query.text, texts, has_time)
    except EmbeddingError as error:
        return matches, (str(error),)
    if not chances:
        return matches, ()
    head = best[: len(chances)]
    unread = [match for match in matches if match not in head]
    for match, chance in zip(head, chances, strict=True):
        add_relevance(match, chance, has_read_all=not unread)
    prefer_newer(head)
    head.sort(key=lambda match: -match.score)  # stable: equal scores keep their order
    if query.question.several:
        head = varied_threads(head)
    return [*head, *unread], ()


def _read(
    settings: Settings, query: str, texts: list[str], has_time: Callable[[], bool]
) -> list[float]:
    """Return how likely each of the first texts answers a query; nothing without time for it.

    Of several questions in one query, a text that surely answers one is an answer.

    Raises:
        EmbeddingError: The judge cannot run, or takes too long.
    """
    began = thread_time()  # not the time of day: other programs must not change the order
    judge = find_judge(settings) if has_time() else None
    if judge is None or judge.known(query) < MIN_KNOWN_WORDS:
        return []
    max_tokens = MAX_TOKENS if settings.rerank == "auto" else None
    several = parts(query)
    questions = [query, *several] if len(several) > 1 else [query]
    read = [judge.relevance(question, texts, max_tokens) for question in questions]
    chances = []
    for whole, *each in zip(*read, strict=False):
        if thread_time() - began > settings.rerank_deadline:
            raise EmbeddingError(f"the judge took longer than {settings.rerank_deadline:g} s")
        if not has_time():
            return []
        chances.append(max(whole, *(chance for chance in each if chance >= SURE), 0.0))
    return chances


def _text(match: ChunkMatch, terms: QueryTerms, is_short: bool) -> str:
    """Return a text as the judge knows it from training: a turn with its speaker."""
    chunk, text = match.chunk, match.chunk.text
    limit = MAX_FACT if chunk.thread is None else MAX_TURN
    if is_short and len(text) > limit:
        place = find_place(text, terms)
        text = snippet(text, place.start, place.stop, limit) if place else text[:limit]
    return (
        f"{chunk.source_user}: {text}" if chunk.thread is not None and chunk.source_user else text
    )
