"""The terms of a query, with synonyms, for finding where a text matches it."""

import re

from ghostmem.embed.synonyms import near_words
from ghostmem.search.lexical import SYNONYM
from ghostmem.text.matches import QueryTerms, StandIn
from ghostmem.text.stem import stem
from ghostmem.text.terms import STOP_WORDS, query_terms, words

MAX_QUERY = 20_000  # characters of a query that are read
MAX_TERMS = 512
MAX_EXPANDED = 32  # a query with more terms is matched without synonyms and parts of words
MAX_SYNONYMS = 12  # of each word
MIN_COSINE = 0.5  # a synonym of this cosine is worth nothing


def match_terms(query: str) -> QueryTerms:
    """Return the terms of a query and what may stand for them in a text."""
    text = query[:MAX_QUERY]
    found = query_terms(text)
    terms = tuple(dict.fromkeys(found or words(text)))[:MAX_TERMS]
    stand_ins = {term: (StandIn(number, 1.0),) for number, term in enumerate(terms)}
    is_short = len(terms) <= MAX_EXPANDED
    if found and is_short:
        for name, stand_in in _synonyms(text, {term: n for n, term in enumerate(terms)}):
            stand_ins[name] = (*stand_ins.get(name, ()), stand_in)
    return QueryTerms(terms, stand_ins, has_parts=bool(found) and is_short, is_stop_words=not found)


def _synonyms(text: str, numbers: dict[str, int]) -> list[tuple[str, StandIn]]:
    """Return the nearest synonyms of each word of the query, as index terms."""
    found = []
    for word in dict.fromkeys(re.findall(r"[^\W\d_]+", text.lower())):
        number = numbers.get(stem(word))
        if number is None or word in STOP_WORDS:
            continue
        worths: dict[str, float] = {}
        for other, cosine in near_words(word):
            if (term := stem(other)) not in numbers and cosine > MIN_COSINE:
                worths.setdefault(term, SYNONYM * (cosine - MIN_COSINE) / (1 - MIN_COSINE))
        nearest = list(worths.items())[:MAX_SYNONYMS]
        found += [(term, StandIn(number, worth)) for term, worth in nearest]
    return found
