"""Match the words of a question to the index terms of a namespace.

A word is matched by itself, by a synonym, by another way to write it (`set up`, `set-up`, `setup`)
and, when the namespace does not know it, by a word of nearly the same spelling or by one that
contains it. All but the word itself are substitutes and worth less than 1."""

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

from ghostmem.embed.vocabulary import is_common_word
from ghostmem.frozen import frozen
from ghostmem.grouping import grouped
from ghostmem.search import lexical
from ghostmem.search.query import MAX_SYNONYMS, Query, synonyms
from ghostmem.store import ChunkCandidate, Filter, Space, Transaction
from ghostmem.text.matches import substring_worth
from ghostmem.text.scripts import fold
from ghostmem.text.spelling import (
    MIN_LENGTH,
    edit_distance,
    is_word,
    one_edit,
    similarity,
    word_parts,
)
from ghostmem.text.stem import stem, stems
from ghostmem.text.terms import STOP_WORDS, encode, joined_terms, rarity

MAX_POSTINGS = 4_000  # newest chunks of a term that are read
MAX_SUBSTITUTE_POSTINGS = 1_000  # newest chunks of a synonym or a near spelling
MAX_CONTAINING = 30  # chunks that a word found inside other words may add
MAX_INSIDE = 4  # unknown words that are searched for inside other words
MAX_TERMS = 32  # rarest terms of a question that are used
MAX_JOINED = 32  # pairs of neighbouring words that are looked up as one word
MAX_MISSPELLED = 4  # unknown words of a question that are compared with the namespace's words
MAX_SPELLINGS = 5  # words of the namespace that may replace one misspelled word
SMALL_NUMBER = 0.5  # worth of a number of one or two digits, as a share of its rarity
MIN_STOP_WORD = 3  # letters; shorter stop words resemble too many words
_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)*"


class TermMatch(NamedTuple):
    """An index term that matches a query term: that term's number, the worth, and the chunks."""

    term: str
    number: int
    worth: float
    chunks: "array[int]"


@frozen
class InnerWords:
    """Unknown words, by their number, that occur inside other words or are written as two words."""

    words: Mapping[int, str]
    phrases: Mapping[int, str]
    chunks: list[int]

    def worths(self, chunk: ChunkCandidate) -> dict[int, float]:
        """Return the worth of a chunk's text for each of these words that it contains."""
        text = plain(f"{chunk.key}\n{chunk.text}")
        worths = {number: substring_worth(word, text) for number, word in self.words.items()}
        worths |= {
            number: lexical.phrase_worth(phrase, text) for number, phrase in self.phrases.items()
        }
        return {number: worth for number, worth in worths.items() if worth}


@frozen
class QueryWords:
    """The words of a question in one namespace: index terms that match them, and their chunks."""

    weights: lexical.TermWeights
    postings: "Mapping[str, array[int]]"
    inner: InnerWords
    spellings: lexical.TermWeights  # the part of the weights that near spellings match
    corrections: Mapping[str, str]  # misspelled terms of the question -> the nearest spelling


def expect_words(tx: Transaction, ns: str, query: Query) -> None:
    """Read the postings that `match_words` is going to ask for, with other reads of a search."""
    terms = list(dict.fromkeys(query.terms))
    joined = _joined_words(query.text, terms)
    near = {term for word in query.words for term in synonyms(word, ())}
    tx.ahead(
        lambda: tx.search.expect_sources(ns),
        lambda: tx.search.expect(ns, _codes(*terms, *joined), MAX_POSTINGS),
        lambda: tx.search.expect(ns, _codes(*sorted(near)), MAX_SUBSTITUTE_POSTINGS),
    )


def _codes(*terms: str) -> list[str]:
    return [encode(term) for term in terms]


def match_words(tx: Transaction, space: Space, query: Query, sources: list[str]) -> QueryWords:
    """Return the index terms of a namespace that match a question's words, with their worth."""
    all_terms = list(dict.fromkeys(query.terms))
    joined = _joined_words(query.text, all_terms)
    postings = tx.search.term_postings(space, [*all_terms, *joined], MAX_POSTINGS)
    terms = sorted(all_terms, key=lambda term: (not postings[term], len(postings[term]), term))
    terms = terms[:MAX_TERMS]
    exact = [
        TermMatch(term, number, 1.0, postings[term])
        for number, term in enumerate(terms)
        if postings[term]
    ]
    substitutes = [
        *_synonym_matches(tx, space, query, terms, sources),
        # compounds of the question that the namespace writes as one word
        *(
            TermMatch(word, terms.index(part), lexical.JOINED, postings[word])
            for word, parts in joined.items()
            for part in parts
            if postings[word] and part in terms
        ),
    ]
    matched = {match.number for match in (*exact, *substitutes)}
    unmatched = [number for number in range(len(terms)) if number not in matched]
    misspelled = _misspelled(query, terms, unmatched)
    inside = [number for number in unmatched if len(terms[number]) > 2][:MAX_INSIDE]
    tx.ahead(
        *(
            partial(_near_spellings, tx, space, terms[number], word)
            for number, word in misspelled.items()
        ),
        *(partial(tx.search.containing, space, terms[at], MAX_CONTAINING) for at in inside),
    )
    spellings = _spelling_matches(tx, space, terms, misspelled)
    respelled = {match.number for match in spellings}
    inner = _inner_words(tx, space, query, terms, inside, respelled)
    matched |= respelled | inner.words.keys() | inner.phrases.keys()
    idf = _rarities(space, terms, exact, spellings, matched)
    matches = [*exact, *substitutes, *spellings]
    return QueryWords(
        lexical.TermWeights(idf, _by_term(matches)),
        # of a term in several roles the first has most chunks
        {match.term: match.chunks for match in reversed(matches)},
        inner,
        lexical.TermWeights(idf, _by_term(spellings)),
        {terms[match.number]: match.term for match in reversed(spellings)},
    )


def _rarities(
    space: Space,
    terms: Sequence[str],
    exact: Sequence[TermMatch],
    spellings: Sequence[TermMatch],
    matched: set[int],
) -> tuple[float, ...]:
    """Return the rarity of each term; an unknown one counts as much as the rarest known one.

    A misspelled term is as rare as the correct one. A misspelled stop word counts for nothing, as
    the correct one would."""
    rarities = {match.number: rarity(space.chunks, len(match.chunks)) for match in exact}
    rarest = max(rarities.values(), default=1.0)
    for number in rarities:
        if terms[number].isdigit() and len(terms[number]) <= 2:
            rarities[number] *= SMALL_NUMBER
    rarities |= {
        match.number: rarity(space.chunks, len(match.chunks)) for match in reversed(spellings)
    }
    rarities |= {
        number: 0.0
        for number, term in enumerate(terms)
        if number not in rarities and number not in matched and _is_like_stop_word(term)
    }
    # a question of stop words alone has one more entry: its whole text
    return tuple(
        rarities.get(number, rarest) for number in range(len(terms) + (len(terms) in matched))
    )


def _by_term(matches: Iterable[TermMatch]) -> dict[str, tuple[tuple[int, float], ...]]:
    by_term = grouped((match.term, (match.number, match.worth)) for match in matches)
    return {term: tuple(worths) for term, worths in by_term.items()}


def _joined_words(text: str, terms: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the question's compounds as one word each (`wi-fi`, `set up`), with their terms."""
    known_terms = set(terms)
    compounds: dict[str, tuple[str, ...]] = {
        joined: (term, *(part for part in map(stem, term.split("-")) if part in known_terms))
        for term in terms
        for joined in joined_terms([term])
    }
    plain_text = plain(text)
    for left, right in pairwise(re.finditer(r"[^\W\d_]+", plain_text)):
        parts = tuple(part for part in (stem(left[0]), stem(right[0])) if part in known_terms)
        if parts and plain_text[left.end() : right.start()].isspace():
            compounds.setdefault(stem(left[0] + right[0]), parts)
        if len(compounds) >= MAX_JOINED:
            break
    return {joined: parts for joined, parts in compounds.items() if joined not in known_terms}


def _synonym_matches(
    tx: Transaction, space: Space, query: Query, terms: list[str], sources: list[str]
) -> list[TermMatch]:
    """Return the nearest synonyms that the namespace knows; names of sources have none."""
    names = {part.lower() for source in sources for part in source.split()}
    matches: dict[str, TermMatch] = {}
    for word in dict.fromkeys(query.words):
        if (term := stem(word)) in terms and word not in names:
            worths = synonyms(word, {*terms, *matches})
            postings = tx.search.term_postings(space, list(worths), MAX_SUBSTITUTE_POSTINGS)
            matches |= {
                near: TermMatch(near, terms.index(term), worths[near], postings[near])
                for near in [near for near in worths if postings[near]][:MAX_SYNONYMS]
            }
    return list(matches.values())


def _misspelled(query: Query, terms: Sequence[str], unmatched: Iterable[int]) -> dict[int, str]:
    """Return a few unknown words that may be misspelled, as they were written, by number."""
    as_written = {stem(plain(word)): word for word in query.words}
    misspelled = {
        number: word
        for number in unmatched
        if is_word(terms[number])
        and len(word := as_written.get(terms[number], terms[number])) >= MIN_LENGTH
        and not is_common_word(word)
    }
    return dict(list(misspelled.items())[:MAX_MISSPELLED])


def _spelling_matches(
    tx: Transaction, space: Space, terms: Sequence[str], misspelled: Mapping[int, str]
) -> list[TermMatch]:
    """Return words of nearly the same spelling for a few unknown words, for each nearest first."""
    near_words = {
        number: _near_spellings(tx, space, terms[number], word)
        for number, word in misspelled.items()
    }
    best_words = {
        number: sorted(near, key=lambda spelling: (-near[spelling], spelling))[:MAX_SPELLINGS]
        for number, near in near_words.items()
    }
    known_terms = [spelling for best in best_words.values() for spelling in best]
    tx.ahead(lambda: tx.search.expect(space.name, _codes(*known_terms), MAX_SUBSTITUTE_POSTINGS))
    matches: list[TermMatch] = []
    for number, near in near_words.items():
        postings = tx.search.term_postings(space, best_words[number], MAX_SUBSTITUTE_POSTINGS)
        matches += [
            TermMatch(spelling, number, lexical.SPELLING * near[spelling], chunks)
            for spelling, chunks in postings.items()
            if chunks
        ]
    return matches


def _near_spellings(tx: Transaction, space: Space, term: str, word: str) -> dict[str, float]:
    """Return words of the namespace with their similarity to a misspelled one."""
    return tx.search.fact(
        space, f"spellings {term} {word}", partial(_read_near_spellings, tx, space, term, word)
    )


def _read_near_spellings(tx: Transaction, space: Space, term: str, word: str) -> dict[str, float]:
    """Compare the words of the namespace with a misspelled one.

    Terms are compared with terms. A typo in an English word can give it another stem, so
    everything that is one edit away from the word as it was written is looked up too."""
    parts = word_parts(term) if len(term) >= MIN_LENGTH else None
    edited = _edited_stems(word) if word.isascii() and word.isalpha() else ()
    tx.ahead(
        lambda: None if parts is None else tx.search.words(space, parts),
        lambda: tx.search.known_words(space, edited) if edited else None,
    )
    near = () if parts is None else tx.search.words(space, parts)
    similarities = {spelling: similarity(term, spelling) for spelling in near}
    for spelling in tx.search.known_words(space, edited) if edited else ():
        similarities[spelling] = max(similarities.get(spelling, 0.0), 1 - 1 / len(word))
    return {spelling: alike for spelling, alike in similarities.items() if alike}


@lru_cache(64)  # a search of several namespaces needs them in each
def _edited_stems(word: str) -> tuple[str, ...]:
    return tuple(sorted(stems(one_edit(word))))


@lru_cache(4096)
def _is_like_stop_word(term: str) -> bool:
    """Return whether an unknown word is most likely a misspelled stop word (`wich`)."""
    return not is_common_word(term) and any(
        edit_distance(term, word, 1) == 1 for word in STOP_WORDS if len(word) >= MIN_STOP_WORD
    )


def plain(text: str) -> str:
    """Return a text in lower case without accents and width variants."""
    return fold(text).lower()


def corrected(tx: Transaction, text: str, words: QueryWords, filter_: Filter) -> str:
    """Return a question with its typos corrected as memories spell the words, for embedding."""
    tx.ahead(
        *(
            partial(tx.search.candidates, words.postings[word][:MAX_SPELLINGS], filter_)
            for word in words.corrections.values()
        )
    )
    spellings = {
        term: _as_written(tx, word, words.postings[word], filter_)
        for term, word in words.corrections.items()
    }
    return re.sub(_WORD, lambda word: spellings.get(stem(plain(word[0]))) or word[0], text)


def _as_written(tx: Transaction, term: str, chunks: Sequence[int], filter_: Filter) -> str:
    """Return a term, which has no endings, as one of the newest memories that have it writes it."""
    words = (
        str(word)
        for chunk in tx.search.candidates(chunks[:MAX_SPELLINGS], filter_)
        for word in re.findall(_WORD, chunk.text)
    )
    return next((word for word in words if stem(plain(word)) == term), "")


def _inner_words(
    tx: Transaction,
    space: Space,
    query: Query,
    terms: Sequence[str],
    inside: Sequence[int],
    respelled: set[int],
) -> InnerWords:
    """Find unknown words inside other words, or as two words if no near spelling matches them."""
    words: dict[int, str] = {}
    phrases: dict[int, str] = {}
    chunks: list[int] = []
    for number in inside:
        if containing := tx.search.containing(space, terms[number], MAX_CONTAINING):
            words[number] = terms[number]
        elif number not in respelled:
            phrase, containing = _as_two_words(tx, space, terms[number])
            phrases |= {number: phrase} if containing else {}
        chunks += containing
    phrase = "" if query.terms else plain(query.text.strip())
    if len(phrase) > 2:  # a question of stop words alone is searched for as it is written
        chunks += tx.search.containing(space, phrase, MAX_CONTAINING)
        words[len(terms)] = phrase
    return InnerWords(words, phrases, list(dict.fromkeys(chunks)))


def _as_two_words(tx: Transaction, space: Space, term: str) -> tuple[str, list[int]]:
    """Return an unknown word as two neighbouring words (`set up` for `setup`) and their chunks."""
    if not is_word(term):
        return "", []
    pairs = [(term[:at], term[at:]) for at in range(1, len(term))]
    parts = [part for pair in pairs for part in pair]
    postings = tx.search.postings(space, [encode(stem(part)) for part in parts], 1)
    known_terms = {
        part for part, chunks in zip(parts, postings, strict=True) if chunks
    } | STOP_WORDS
    for phrase in [f"{left} {right}" for left, right in pairs if {left, right} <= known_terms]:
        if chunks := tx.search.containing(space, phrase, MAX_CONTAINING):
            return phrase, chunks
    return "", []
