"""Understand a question: its terms, the times it names, and the memories it may find."""

import re
from collections.abc import Container, Iterable
from dataclasses import replace
from datetime import datetime

from ghostmem.embed.synonyms import near_words
from ghostmem.frozen import frozen
from ghostmem.model import Tier
from ghostmem.search.lexical import SYNONYM
from ghostmem.store import Filter, Narrow, narrowed, validate
from ghostmem.text.calendar import RECENCY_WORDS, TIME_WORDS
from ghostmem.text.matches import QueryTerms, StandIn
from ghostmem.text.question import Question, read_question
from ghostmem.text.stem import stem
from ghostmem.text.temporal import Times, times_in
from ghostmem.text.terms import STOP_WORDS, query_terms, words

ACTIVE_TIERS = (str(Tier.STM), str(Tier.LTM))  # dormant and sensory memories only on request
MAX_QUERY = 20_000  # characters of a question that are read
MAX_MATCH_TERMS = 512
MAX_EXPANDED = 32  # a query with more terms is matched without synonyms and parts of words
MAX_SYNONYMS = 12  # of each word
MIN_COSINE = 0.5  # a synonym of this cosine is worth nothing


@frozen
class Query:
    """A question as the ranking sees it."""

    text: str
    terms: list[str]
    words: list[str]
    times: Times
    question: Question
    now: datetime  # the time that words like "yesterday" count from
    limit: int


def read_query(text: str, now: datetime, limit: int) -> Query:
    """Return a question with its terms, its plain words and the times it names."""
    text = text[:MAX_QUERY]
    terms, times = query_terms(text), times_in(text, now)
    # what was read as a time counted back from now, or as the number of a day, is no word to search
    time_words = (*TIME_WORDS, *RECENCY_WORDS) if times.relative else ()
    read = {*map(stem, time_words), *(str(day) for _, _, day in times.days)}
    terms = [term for term in terms if term not in read] or terms
    return Query(text, terms, plain_words(text), times, read_question(text), now, limit)


def plain_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without numbers and stop words."""
    return [word for word in re.findall(r"[^\W\d_]+", text.lower()) if word not in STOP_WORDS]


def search_filter(
    ns: str | None,
    now: datetime,
    tiers: Iterable[str] | None,
    include_all: bool,
    conditions: Narrow,
) -> Filter:
    """Return the filter of a search: the caller's conditions, and by default active memories.

    Memories that have ended are dormant, so a question about a past time includes that tier.
    """
    filter_ = replace(narrowed(**conditions), now=now, ns=validate.ns_filter(ns))
    is_past = filter_.valid_at is not None
    active = (*ACTIVE_TIERS, str(Tier.DORMANT)) if is_past else ACTIVE_TIERS
    chosen = tuple(
        str(validate.choice(tier, Tier, "tier"))
        for tier in (() if tiers is None else validate.items(tiers, "tiers", "'stm', 'ltm'"))
    )
    chosen = chosen or (() if include_all else active)
    return replace(filter_, tiers=chosen, closed=None if is_past else False)


def synonyms(word: str, excluded: Container[str]) -> dict[str, float]:
    """Return the stems of words of nearly the same meaning with their worth, nearest first."""
    worths: dict[str, float] = {}
    for near_word, cosine in near_words(word):
        if (term := stem(near_word)) not in excluded:
            worths.setdefault(term, SYNONYM * (cosine - MIN_COSINE) / (1 - MIN_COSINE))
    return worths


def match_terms(query: str) -> QueryTerms:
    """Return the terms of a query and their synonyms, for finding where a text matches it."""
    text = query[:MAX_QUERY]
    content_terms = query_terms(text)
    terms = tuple(dict.fromkeys(content_terms or words(text)))[:MAX_MATCH_TERMS]
    numbers = {term: number for number, term in enumerate(terms)}
    stand_ins = {term: (StandIn(number, 1.0),) for term, number in numbers.items()}
    is_short = len(terms) <= MAX_EXPANDED
    for word in dict.fromkeys(plain_words(text)) if content_terms and is_short else ():
        if (number := numbers.get(stem(word))) is None:
            continue
        for term, worth in list(synonyms(word, numbers).items())[:MAX_SYNONYMS]:
            if worth:
                stand_ins[term] = (*stand_ins.get(term, ()), StandIn(number, worth))
    return QueryTerms(
        terms,
        stand_ins,
        has_parts=bool(content_terms) and is_short,
        is_stop_words=not content_terms,
        known={},
    )
