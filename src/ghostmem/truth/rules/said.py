"""What a text says, in a form in which two texts can be compared: words brought to one form,
values, names, denials.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from ghostmem.text.scripts import UNSPACED, fold
from ghostmem.text.stem import stem
from ghostmem.truth.rules.signs import FIRST
from ghostmem.truth.rules.wordings import (
    CONDITIONS,
    DATES,
    DENYING,
    EMPTY,
    NEGATORS,
    NUMBERS,
    PERIODS,
    SAME,
)

MOST = 240
"""How many of its words."""

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_KANA = "\u30a1-\u30fa\u30fc-\u30fe"
_TOKEN = (
    rf"(?P<kana>[{_KANA}]+)|(?P<sign>[{UNSPACED}])"
    rf"|(?P<word>[#@~/]?[^\W{UNSPACED}]+(?:(?:://|[-./:@+&'])[^\W{UNSPACED}]+)*(?:%|\+\+|#)?)"
    rf"|(?P<mark>[:=?](?=\s|$)|[;.!,](?=\s|$))"
)
_WEEK = zip("一二三四五六日", "月火水木金土日", _DAYS, strict=True)
# phrases brought to one form before a text is taken apart: a sign of them, what, the form
_ALIKE = (
    ("n't", r"\bcan't\b", "can not"),
    ("n't", r"\bwon't\b", "will not"),
    ("n't", r"n't\b", " not"),
    ("cannot", r"\bcannot\b", "can not"),
    ("no longer", r"\bno longer\b", "not"),
    ("any", r"\bany ?(?:more|longer)\b", " "),
    (" out", r"\btime[sd]? out\b", "timeout"),
    ("pull req", r"\bpull requests?\b", "pr"),
    (" to ", r"\b(?:has|have|needs?) to\b", "must"),
)
_ALIKE_ELSEWHERE = (  # the same for signs
    ("偏好|更喜欢|喜爱|爱吃|好む|好き", "喜欢"),
    ("一定要|务必|必须|必須", "必"),
    ("禁止|不要|不可以?|请勿|不能|不得|不再|ません|ない|否则|不然", "不"),
    ("使用|采用", "用"),
    ("保存", "保留"),
    ("家住|居住在?|住在", "住"),
    *((f"(?:周|星期|礼拜){sign}|{day}曜日?", f" {name} ") for sign, day, name in _WEEK),
)
_HAN_NUMBERS = frozenset("一二三四五六七八九十百千万两〇零")
_TIMES = frozenset(DATES.values()) | PERIODS
_TITLES = (
    r"(?<!\b(?:Dr|Mr|Ms|St)\.)(?<!\bMrs\.)(?<!\bProf\.)"  # a point after these ends no sentence
)
_SENTENCE = rf"(?<=[.;!?])(?<!\b[A-Z]\.){_TITLES}\s|\n|(?<=[。；！？])"
_ABBREVIATED = frozenset("dr mr ms st mrs prof".split())
LABEL = 16  # characters that such a word has at most
LABELS = frozenset(
    "summary note notes fact memo reminder remember fyi decision info tldr tl;dr "
    "zusammenfassung resumen nota".split()
)
_CLAUSE = r"[.;:,!?](?=\s|$)|[。；：，！？、\n]"


class Word(NamedTuple):
    """One word of a text: as it stands, and in the form in which it is compared.

    Empty if it says nothing by itself.
    """

    plain: str
    term: str
    is_value: bool = False
    is_name: bool = False

    @property
    def is_amount(self) -> bool:
        """Say whether the word is a number, a day, a month or a period, and not a mere
        identifier.
        """
        return self.is_value and (
            self.term in _TIMES or self.term in _HAN_NUMBERS or any(map(str.isdigit, self.term))
        )

    @property
    def is_time(self) -> bool:
        """Say whether the word is a day, a month, a period or an hour."""
        return self.is_value and (
            self.term in _TIMES or (":" in self.term and self.term[0].isdigit())
        )


class Said(NamedTuple):
    """A text taken apart: its words, what it is about in order, its numbers and identifiers, its
    names, how often it denies.

    `is_conditional` says whether it holds only sometimes.
    """

    text: str
    words: tuple[Word, ...]
    terms: tuple[str, ...]
    values: frozenset[str]
    names: frozenset[str]
    denials: int
    is_conditional: bool


@lru_cache(64)
def said(text: str) -> Said:
    """Take the first part of a text apart."""
    text = text[:FIRST]
    words = tuple(_words(text))
    return Said(
        text,
        words,
        tuple(word.term for word in words if word.term),
        frozenset(word.term for word in words if word.is_value),
        frozenset(word.term for word in words if word.is_name),
        sum(word.plain in NEGATORS for word in words),
        any(word.plain in CONDITIONS for word in words),
    )


def sentences(text: str) -> list[str]:
    """Split a text where it says something new: a point in a word or after a title, as in a file's
    or a doctor's name, is none.

    A word before a colon that says what sort of text follows is left out.
    """
    parts = (part.strip() for part in _pattern(_SENTENCE).split(unlabelled(text[:FIRST])))
    return [part for part in parts if part]


def unlabelled(text: str) -> str:
    """Return a text without a first word that only says what sort of text it is: `Summary:`,
    `Note:`.
    """
    label, colon, rest = text[:LABEL].partition(":")
    if colon and label.strip().lower() in LABELS and rest[:1].isspace():
        return text[len(label) + 1 :].lstrip()
    return text


@cache
def _pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: a cold put seldom needs any."""
    return re.compile(source, flags)


def clauses(text: str) -> list[str]:
    """Return the parts of a text between its commas and stops."""
    return [
        part for part in (part.strip() for part in _pattern(_CLAUSE).split(text[:FIRST])) if part
    ]


def _words(text: str) -> Iterator[Word]:
    plain = fold(text.translate(_STOPS))
    lower = plain.lower()
    for sign, pattern, form in _ALIKE:
        if sign in lower:
            plain = _pattern(pattern, re.IGNORECASE).sub(form, plain)
    if not plain.isascii():
        for pattern, form in _ALIKE_ELSEWHERE:
            plain = _pattern(pattern).sub(form, plain)
    opens, count, last = True, 0, ""
    for found in _pattern(_TOKEN).finditer(plain):
        if count >= MOST:
            return
        part, kind = found[0], found.lastgroup
        if kind == "mark":
            opens = opens or not (part == "," or (part == "." and last in _ABBREVIATED))
            if part in ":=?":
                yield Word(part, "")
            continue
        for word in _read(part, kind or "", opens):
            count, last = count + 1, word.plain
            yield word
        opens = False


_STOPS = str.maketrans(
    {
        "。": ". ",
        "，": ", ",
        "；": "; ",
        "：": ": ",
        "！": "! ",
        "？": "? ",
        "、": ", ",
        "’": "'",
        "—": " ; ",
    }
)


def _read(token: str, kind: str, opens: bool) -> Iterator[Word]:
    if kind == "sign":
        hidden = token in EMPTY or "\u3041" <= token <= "\u309f"
        yield Word(token, "" if hidden or token in NEGATORS else token, token in _HAN_NUMBERS)
        return
    lower = token.lower()
    if token.isalpha() and kind == "word" and lower not in DENYING:
        yield _word(token, opens)
        return
    if lower.endswith("'s"):
        lower, token = lower[:-2], token[:-2]
    if kind == "kana" or _is_identifier(lower):
        yield Word(
            lower,
            _number(lower),
            any(char.isdigit() for char in lower) or kind != "kana",
            kind == "kana",
        )
        return
    for part in re.split(r"[-/&'.:]+", token):
        if part.lower() in DENYING:
            yield Word("not", "")
            part = DENYING[part.lower()]
        if part:
            yield _word(part, opens)
            opens = False


def _is_identifier(token: str) -> bool:
    """Say whether a token is a number, a path, an address or a name with digits or signs in it."""
    if token[0] in "#@~/" or "_" in token or "@" in token or "://" in token or token[-1] in "%+#":
        return True
    return (
        any(char.isdigit() for char in token)
        or ("." in token and len(token) > 3)
        or token.count("/") > 1
    )


def _number(token: str) -> str:
    """Return an identifier without what may be left out: 3rd as 3, v1.2 as 1.2."""
    found = re.fullmatch(r"v?(\d+(?:[.:]\d+)*)(?:st|nd|rd|th)?", token)
    return found[1] if found else token.strip("#@~")


def _is_sign(part: str, opens: bool) -> bool:
    """Say whether letters stand for something though a small word is spelled so: IT, the US, blood
    type A.
    """
    return part.isupper() and (len(part) > 2 or not (opens or part == "I"))


def _word(part: str, opens: bool) -> Word:
    lower = part.lower()
    if lower in NUMBERS:
        return Word(lower, NUMBERS[lower], is_value=True)
    if lower in DATES or (lower == "may" and part[0] == "M" and not opens):
        return Word(lower, DATES.get(lower, "month5"), is_value=True)
    if (lower in EMPTY and not _is_sign(part, opens)) or lower in NEGATORS:
        return Word(lower, "")
    root = stem(lower)
    root = SAME.get(root, root)
    if root in PERIODS:
        return Word(lower, root, is_value=True)
    return Word(lower, root, is_name=part[0].isupper() and not opens)
