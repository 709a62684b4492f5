"""What a question's words are worth in a namespace, and where they stand.

A word is met by itself, by a word that means much the same, by another way to write it (`set up`,
`set-up`, `setup`) and, when the namespace does not know it, by a word with nearly the same spelling
or by one that contains it. All but the word itself are worth less than 1: they are substitutes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.embed.synonyms import near_words
from ghostmem.embed.vocabulary import is_common_word
from ghostmem.search import lexical
from ghostmem.search.query import Asked
from ghostmem.store.rows import Candidate, Filter, Space
from ghostmem.text.rarity import rarity
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
from ghostmem.text.substring import substring_worth
from ghostmem.text.terms import STOP_WORDS, encode, joined_terms

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

POSTINGS = 4_000  # how many of a term's newest chunks are looked at
INSIDE, MOST_INSIDE = (
    30,
    4,
)  # how many chunks a word found inside other words may bring, and how many words are so looked for
SYNONYMS, NEAR = 12, 0.5
MOST_TERMS = 32
MAX_JOINED = 32  # pairs of neighbouring words that are looked up as one word
MAX_MISSPELLED = 4  # unknown words of a question that are compared with the namespace's words
MAX_SPELLINGS = 5  # words of the namespace that may stand for one misspelled word
SMALL_NUMBER = 0.5  # what a number of one or two digits is worth, as a share of its rarity
MIN_STOP_WORD = 3  # letters; shorter stop words are near to too much
_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)*"


class Substitute(NamedTuple):
    """A term of the store that can stand for a query term, by that one's place, with its worth and
    its chunks.
    """

    term: str
    place: int
    worth: float
    chunks: list[int]


@dataclass(frozen=True)
class Inside:
    """Unknown words, each by its place in the wording, that stand inside other words or are written
    as two words.
    """

    words: Mapping[int, str]
    phrases: Mapping[int, str]
    chunks: list[int]

    def held(self, item: Candidate) -> dict[int, float]:
        """Return what an item's text is worth for these words."""
        text = fold(f"{item.key}\n{item.text}").lower()
        found = {place: substring_worth(word, text) for place, word in self.words.items()}
        found |= {place: lexical.apart(phrase, text) for place, phrase in self.phrases.items()}
        return {place: worth for place, worth in found.items() if worth}


@dataclass(frozen=True)
class QueryWords:
    """A question's words in one namespace: what meets them, and the chunks of each term
    that does.
    """

    wording: lexical.Wording
    postings: Mapping[str, list[int]]
    inside: Inside
    spelled: lexical.Wording  # the part of the wording that near spellings meet
    corrections: Mapping[
        str, str
    ]  # misspelled terms of the question, each with its nearest spelling


def read_wording(tx: Transaction, space: Space, asked: Asked, sources: list[str]) -> QueryWords:
    """Return what a question's words are worth in a namespace, and where each is."""
    given = list(dict.fromkeys(asked.terms))
    joined = _joined(asked.text, given)
    looked_up = [*given, *joined]
    places = tx.search.postings(space.number, [encode(term) for term in looked_up], POSTINGS)
    postings = dict(zip(looked_up, places, strict=True))
    terms = sorted(given, key=lambda term: (not postings[term], len(postings[term]), term))[
        :MOST_TERMS
    ]
    others = [*_synonyms(tx, space, asked, terms, sources), *_compounds(terms, joined, postings)]
    met = {other.place for other in others}
    unmet = [place for place, term in enumerate(terms) if not postings[term] and place not in met]
    spellings = _spellings(tx, space, asked, terms, unmet)
    inside = _inside(tx, space, asked, terms, unmet, {other.place for other in spellings})
    met |= {other.place for other in spellings} | inside.words.keys() | inside.phrases.keys()
    idf = _rarities(space, terms, postings, spellings, met)
    itself = [
        Substitute(term, place, 1.0, postings[term])
        for place, term in enumerate(terms)
        if postings[term]
    ]
    every = [*itself, *others, *spellings]
    return QueryWords(
        lexical.Wording(idf, _stands_for(every)),
        {
            other.term: other.chunks for other in reversed(every)
        },  # of a term in several roles the first has most chunks
        inside,
        lexical.Wording(idf, _stands_for(spellings)),
        {terms[other.place]: other.term for other in reversed(spellings)},
    )


def _rarities(
    space: Space,
    terms: Sequence[str],
    postings: Mapping[str, list[int]],
    spellings: Sequence[Substitute],
    met: set[int],
) -> tuple[float, ...]:
    """Return how rare each term is.

    One that the namespace does not know counts as much as its rarest one.

    A misspelled term is as rare as the right one. A misspelled stop word counts for nothing, as the
    right one."""
    known = {
        place: _worth(space, term, postings[term])
        for place, term in enumerate(terms)
        if postings[term]
    }
    rarest = max(
        (rarity(space.chunks, len(postings[term])) for term in terms if postings[term]), default=1.0
    )
    known |= {other.place: rarity(space.chunks, len(other.chunks)) for other in reversed(spellings)}
    silent = {
        place
        for place, term in enumerate(terms)
        if place not in known and place not in met and _is_like_stop_word(term)
    }
    found = [0.0 if place in silent else known.get(place, rarest) for place in range(len(terms))]
    return (*found, rarest) if len(terms) in met else tuple(found)


def _worth(space: Space, term: str, chunks: Sequence[int]) -> float:
    """Return how rare a term is; a number of one or two digits says little, however rare it is."""
    return rarity(space.chunks, len(chunks)) * (
        SMALL_NUMBER if term.isdigit() and len(term) <= 2 else 1.0
    )


def _stands_for(substitutes: Iterable[Substitute]) -> dict[str, tuple[tuple[int, float], ...]]:
    found: dict[str, tuple[tuple[int, float], ...]] = {}
    for other in substitutes:
        found[other.term] = (*found.get(other.term, ()), (other.place, other.worth))
    return found


def _joined(text: str, terms: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the question's compounds as one word each (`wi-fi`, `set up`), with the terms that
    each stands for.
    """
    known, found = set(terms), dict[str, tuple[str, ...]]()
    for term in terms:
        for whole in joined_terms([term]):
            found[whole] = (term, *(part for part in map(stem, term.split("-")) if part in known))
    plain = _plain(text)
    for left, right in pairwise(re.finditer(r"[^\W\d_]+", plain)):
        parts = tuple(part for part in (stem(left[0]), stem(right[0])) if part in known)
        if parts and plain[left.end() : right.start()].isspace():
            found.setdefault(stem(left[0] + right[0]), parts)
        if len(found) >= MAX_JOINED:
            break
    return {whole: parts for whole, parts in found.items() if whole not in known}


def _compounds(
    terms: Sequence[str], joined: Mapping[str, tuple[str, ...]], postings: Mapping[str, list[int]]
) -> list[Substitute]:
    """Return compounds of the question that the namespace writes as one word."""
    place = {term: at for at, term in enumerate(terms)}
    return [
        Substitute(whole, place[part], lexical.JOINED, postings[whole])
        for whole, parts in joined.items()
        for part in parts
        if postings[whole] and part in place
    ]


def _spellings(
    tx: Transaction, space: Space, asked: Asked, terms: Sequence[str], unmet: Iterable[int]
) -> list[Substitute]:
    """Return words of the namespace with nearly the spelling of a few unknown words, for each the
    nearest first.
    """
    written = {stem(_plain(word)): word for word in asked.words}
    misspelled = {
        place: written.get(terms[place], terms[place]) for place in unmet if is_word(terms[place])
    }
    found: list[Substitute] = []
    for place in [place for place, word in misspelled.items() if _may_be_typo(word)][
        :MAX_MISSPELLED
    ]:
        near = _near_spellings(tx, space, terms[place], misspelled[place])
        best = sorted(near, key=lambda word: (-near[word], word))[:MAX_SPELLINGS]
        chunks = tx.search.postings(space.number, [encode(word) for word in best], POSTINGS // 4)
        found += [
            Substitute(word, place, lexical.SPELLING * near[word], held)
            for word, held in zip(best, chunks, strict=True)
            if held
        ]
    return found


def _may_be_typo(word: str) -> bool:
    return len(word) >= MIN_LENGTH and not is_common_word(word)


def _near_spellings(tx: Transaction, space: Space, term: str, written: str) -> dict[str, float]:
    """Return words of the namespace, each with how alike it is to a misspelled one.

    Terms are compared with terms. A typo in an English word can give it another stem, so
    everything that is one edit away from the word as it was written is looked up too.
    """
    found: dict[str, float] = {}
    if len(term) >= MIN_LENGTH:
        found = {
            word: similarity(term, word) for word in tx.search.words(space.number, word_parts(term))
        }
    if written.isascii() and written.isalpha():
        share = 1 - 1 / len(written)
        for word in tx.search.known_words(space.number, _edited_stems(written)):
            found[word] = max(found.get(word, 0.0), share)
    return {word: share for word, share in found.items() if share}


@lru_cache(64)
def _edited_stems(word: str) -> tuple[str, ...]:
    """Return the stems of everything one edit away.

    A search of several namespaces asks for them in each.
    """
    return tuple(sorted(stems(one_edit(word))))


def _plain(word: str) -> str:
    return fold(word).lower()


def corrected(tx: Transaction, text: str, words: QueryWords, which: Filter) -> str:
    """Return a question with the right spelling of its misspelled words, as far as memories show
    it, to be embedded.
    """
    right = {
        term: _as_written(tx, word, words.postings[word], which)
        for term, word in words.corrections.items()
    }
    if not right:
        return text
    return re.sub(_WORD, lambda found: right.get(stem(_plain(found[0]))) or found[0], text)


def _as_written(tx: Transaction, term: str, chunks: Sequence[int], which: Filter) -> str:
    """Return a term as one of the newest memories that have it writes it: terms are without
    endings.
    """
    for item in tx.search.candidates(chunks[:MAX_SPELLINGS], which):
        for found in re.finditer(_WORD, item.text):
            if stem(_plain(found[0])) == term:
                return found[0]
    return ""


@lru_cache(4096)
def _is_like_stop_word(term: str) -> bool:
    """Say whether an unknown word is most likely a misspelled stop word (`wich`), which says
    nothing.
    """
    return not is_common_word(term) and any(
        edit_distance(term, word, 1) == 1 for word in STOP_WORDS if len(word) >= MIN_STOP_WORD
    )


def _inside(
    tx: Transaction,
    space: Space,
    asked: Asked,
    terms: Sequence[str],
    unmet: Sequence[int],
    spelled: set[int],
) -> Inside:
    """Look for unknown words inside other words, and for those that no near spelling meets as two
    words.
    """
    words: dict[int, str] = {}
    phrases: dict[int, str] = {}
    chunks: list[int] = []
    for place in [place for place in unmet if len(terms[place]) > 2][:MOST_INSIDE]:
        if held := tx.search.containing(space.number, terms[place], INSIDE):
            words[place] = terms[place]
        elif place not in spelled:
            phrase, held = _written_apart(tx, space, terms[place])
            phrases |= {place: phrase} if held else {}
        chunks += held
    phrase = "" if asked.terms else _plain(asked.text.strip())
    if len(phrase) > 2:  # only words that say nothing: look for them as they stand
        chunks += tx.search.containing(space.number, phrase, INSIDE)
        words[len(terms)] = phrase
    return Inside(words, phrases, list(dict.fromkeys(chunks)))


def _written_apart(tx: Transaction, space: Space, term: str) -> tuple[str, list[int]]:
    """Return an unknown word as two words that stand side by side somewhere (`set up` for `setup`),
    and where.
    """
    if not is_word(term):
        return "", []
    pairs = [(term[:at], term[at:]) for at in range(1, len(term))]
    parts = [part for pair in pairs for part in pair]
    held = tx.search.postings(space.number, [encode(stem(part)) for part in parts], 1)
    known = {part for part, chunks in zip(parts, held, strict=True) if chunks} | STOP_WORDS
    for left, right in pairs:
        if (
            left in known
            and right in known
            and (chunks := tx.search.containing(space.number, f"{left} {right}", INSIDE))
        ):
            return f"{left} {right}", chunks
    return "", []


def most_worded(wording: lexical.Wording, found: Mapping[str, list[int]], count: int) -> list[int]:
    """Return the chunks that hold most of a wording by rarity, most first, the newest of equals."""
    uses = sorted(
        (worth, at, term) for term, stands in wording.stands_for.items() for at, worth in stands
    )
    parts: dict[int, dict[int, float]] = defaultdict(dict)
    for worth, at, term in uses:  # by rising worth: what is worth more overwrites
        parts[at] |= dict.fromkeys(found[term], wording.idf[at] * worth)
    totals: dict[int, float] = {}
    for at in sorted(parts):
        for chunk, worth in parts[at].items():
            totals[chunk] = totals.get(chunk, 0.0) + worth
    least = sorted(totals.values(), reverse=True)[:count][-1:]
    best = [(-worth, -chunk) for chunk, worth in totals.items() if worth >= least[0]]
    return [-chunk for _, chunk in sorted(best)[:count]]


def _synonyms(
    tx: Transaction, space: Space, asked: Asked, terms: list[str], sources: list[str]
) -> list[Substitute]:
    """Return near words that the namespace knows, each for the query term that it stands for."""
    names = {part.lower() for source in sources for part in source.split()}
    found: dict[str, Substitute] = {}
    for word in dict.fromkeys(asked.words):
        mine = stem(word)
        if mine not in terms or word in names:
            continue
        others: dict[str, float] = {}
        for other, cosine in near_words(word):
            if (term := stem(other)) not in terms and term not in found:
                others.setdefault(term, cosine)
        taken = 0
        places = tx.search.postings(space.number, [encode(term) for term in others], POSTINGS // 4)
        for (term, cosine), chunks in zip(others.items(), places, strict=False):
            if chunks:
                worth = lexical.SYNONYM * (cosine - NEAR) / (1 - NEAR)
                found[term] = Substitute(term, terms.index(mine), worth, chunks)
                taken += 1
            if taken == SYNONYMS:
                break
    return list(found.values())
