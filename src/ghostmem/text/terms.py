"""Turn text into the terms that the full-text index and the query share."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain as chained
from itertools import pairwise
from math import log
from typing import TypeVar

from ghostmem.text.patterns import compiled
from ghostmem.text.scripts import UNSPACED, fold
from ghostmem.text.stem import stem

_FUNCTION_WORDS = """
    a an the this that these those
    i me my mine myself you your yours yourself he him his himself she her hers herself it its
    itself
    we our ours ourselves they them their theirs themselves
    am is are was were be been being do does did doing have has had having
    can could shall should will would might must
    and or but nor if so as than because while until though although whether
    of at by for with about against between into through during before after above below to from up
    down in out on off
    over under onto upon within without
    what which who whom whose when where why how
    not no all any both each some such only own same too very just also then there here again once
    s t ll re ve im ive youre youve hes shes weve theyre theyve thats whats theres
    dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant cannot couldnt wont wouldnt
    shouldnt
"""

STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words without a topic; `may` and `us` are missing: a month and a country."""

ASKING_WORDS = frozenset(
    "kind kinds type types sort sorts many much name names thing things describe mention "
    "mentioned tell".split()
)
"""Words of questions that tell nothing about the answer: indexed, but not searched for."""
_ASKING_TERMS = frozenset(map(stem, ASKING_WORDS))

MAX_TERM = 80
"""Terms are cut to this many characters; longer compounds are left out."""

_MAX_CACHED = 100_000  # words
_Value = TypeVar("_Value")

_JOINERS = r"-_./:@#+\\"
# folded text has only ASCII, letters, marks and digits
_LETTER = rf"[^\x00-/:-@\[-`{{-\x7f{UNSPACED}]"


def _chain(letter: str) -> str:
    """Return the pattern of words joined without spaces, as in foo-bar, a/b.py, c++ or c#."""
    return rf"{letter}+(?:[{_JOINERS}]+{letter}+)*(?:\+\+?|#)?"


_ASCII = re.compile(_chain("[A-Za-z0-9]"))
_ANY_SCRIPT = rf"([{UNSPACED}]+)|({_chain(_LETTER)})"
_PART = rf"[^{_JOINERS}]+"
_APOSTROPHE = r"'(?<=[^\W_]')(?:(?:(?i:s|ll|re|ve|d|m))(?![^\W_])|([^\W_]))"
# l'école, d'accord, qu'elle
_ELIDED = r"(?<![\w'])(?:[cdjlmnstCDJLMNST]|[Qq]u|[Ll]orsqu|[Pp]uisqu)'(?=[^\W\d_]{2})"
# a first check, because a pattern that begins with a plain sign is many times faster
_BEFORE_WORD = r"'(?=[^\W\d_]{2})"
_CAMEL = r"[a-z][0-9]*[A-Z]|[A-Z]{2}[a-z]{2}"
_CAMEL_PART = r"[A-Z]+(?=[A-Z][a-z]{2})|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+"
_EXPONENT = r"\A([0-9]+)e(?=[0-9])"


class WordMemo(dict[str, _Value]):
    """A cache of a function of a word; a lookup is faster than a call of a cached function."""

    def __init__(self, compute: Callable[[str], _Value]) -> None:
        self._compute = compute

    def __missing__(self, word: str) -> _Value:
        value = self._compute(word)
        if len(word) <= MAX_TERM:  # longer words are rare
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[word] = value
        return value


def words(text: str) -> list[str]:
    """Return the words of a text in order.

    They are folded and lower-case, compounds come with their parts, and scripts without spaces are
    split into bigrams.
    """
    return _split(text, _spelled)


def terms(text: str) -> list[str]:
    """Return the index terms of a text, or its words if all are stop words."""
    return index_terms(text) or words(text)


def index_terms(text: str) -> list[str]:
    """Return the terms of the index: the words without stop words, English words stemmed."""
    return _split(text, _TERMS.__getitem__)


def piece_terms(piece: str) -> Sequence[str]:
    """Return the index terms of a piece of text, which is most often one plain word."""
    return _TERMS[piece] if piece.isascii() and piece.isalnum() else index_terms(piece)


def _split(text: str, split: Callable[[str], Sequence[str]]) -> list[str]:
    """Split a text into bigrams of scripts without spaces, and joined words with a function."""
    folded = _folded(text)
    if folded.isascii():
        return list(chained.from_iterable(map(split, _ASCII.findall(folded))))
    runs = compiled(_ANY_SCRIPT).findall(folded)
    return list(
        chained.from_iterable(_bigrams(run) if run else split(chain) for run, chain in runs)
    )


def joined_terms(terms: Iterable[str]) -> list[str]:
    """Return hyphenated words among terms as one word, so that `Wi-Fi` is also found by `wifi`."""
    return [
        stem(term.replace("-", ""))
        for term in terms
        if "-" in term and all(map(str.isalpha, term.split("-")))
    ]


def query_terms(text: str) -> list[str]:
    """Return the search terms of a question: its index terms without the words that only ask."""
    indexed = index_terms(text)
    return [term for term in indexed if term not in _ASKING_TERMS] or indexed


def encode(term: str) -> str:
    """Return a unique code of a term in a-z and 0-9, which no database parser splits."""
    return _CODES[term]


def _encode(term: str) -> str:
    plain = term.isascii() and term.isalpha() and term.islower() and "z" not in term
    code = term if plain else "".join(map(_encode_character, term))
    # PostgreSQL reads 3e10abc as the number 3e10 and the word abc.
    return compiled(_EXPONENT).sub(r"\1z65z", code) if code[:1].isdigit() else code


def encode_all(terms: Iterable[str]) -> str:
    """Return the codes of terms, joined by spaces."""
    return " ".join(map(_CODES.__getitem__, terms))


def _encode_character(char: str) -> str:
    """Double z and write all but a-z and 0-9 as z, the code point in hexadecimal, z."""
    if char == "z":
        return "zz"
    return char if char in "abcdefghijklmnopqrstuvwxy0123456789" else f"z{ord(char):x}z"


def _folded(text: str) -> str:
    """Fold a text and remove the apostrophes from its words."""
    folded = fold(text)
    if "'" in folded:
        if compiled(_BEFORE_WORD).search(folded):
            folded = compiled(_ELIDED).sub(" ", folded)
        # the letter after an apostrophe in lower case: O'Brien is not a compound
        folded = compiled(_APOSTROPHE).sub(lambda match: (match[1] or "").lower(), folded)
    return folded


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [left + right for left, right in pairwise(run)]


def _spelled(chain: str) -> list[str]:
    """Return the words of joined words: the parts of each name, the name, then the whole."""
    if chain.isalnum() and (
        chain.islower() or chain.isdigit() or not compiled(_CAMEL).search(chain)
    ):
        return [chain[:MAX_TERM].casefold()]
    names = compiled(_PART).findall(chain)
    made: list[str] = []
    for name in names:
        if not name.islower() and compiled(_CAMEL).search(name):
            made += [part[:MAX_TERM].casefold() for part in compiled(_CAMEL_PART).findall(name)]
        made.append(name[:MAX_TERM].casefold())
    if len(chain) <= MAX_TERM and chain != names[0]:
        made.append(chain.casefold())
    return made


_TERMS = WordMemo(
    lambda joined: tuple([stem(word) for word in _spelled(joined) if word not in STOP_WORDS])
)
_CODES = WordMemo(_encode)


def rarity(count: int, containing: int) -> float:
    """Return the idf of a term that `containing` of `count` texts contain."""
    return log(1 + (count - containing + 0.5) / (containing + 0.5))


def saturated(count: float, k1: float, b: float, length_ratio: float) -> float:
    """Return the weight of a term that occurs `count` times: further occurrences add ever less.

    `length_ratio` is the length of the text divided by the average length."""
    return count * (k1 + 1) / (count + k1 * (1 - b + b * length_ratio))
