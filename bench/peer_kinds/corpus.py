"""The corpus of every peer: generated from a seed, with questions that have one right answer each.

The answers are among the first 1,000 memories, so that every size asks the same questions. Half of
the questions are topical (in other words than the answer's), half name an identifier. Near each
answer are memories that almost answer: the same person's other facts, other people's same fact,
and identifiers that differ in a digit. Keys are numbers without meaning."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bench.peer_kinds.facts import ABOUT, CODED, FIRST, LAST, PARTS, PLAIN, WORDS

SEED = 20
HEAD = 1_000  # the memories among which the answers stand
PEOPLE = 50  # people who are asked about; each has several facts
CODES = 100  # identifiers that are asked for
_SLOT = re.compile(r"\{([nh])(\d)\}")


@dataclass(frozen=True)
class Question:
    """A question, the key of the memory that answers it, and its kind."""

    text: str
    key: str
    sort: str  # "topical" or "identifier"


@dataclass(frozen=True)
class Corpus:
    """Memories as (key, text), and the questions about them."""

    memories: list[tuple[str, str]]
    questions: list[Question]


def key(number: int) -> str:
    """Return the key of a memory."""
    return f"m{number:06d}"


def corpus(size: int, seed: int = SEED) -> Corpus:
    """Make `count` different memories, at least 1,000, and the questions."""
    choose = random.Random(seed)
    codes = {_code(choose, CODED[number % len(CODED)][0]): number for number in range(CODES)}
    asked = frozenset(code for code, _ in codes)
    answers = [*_plain(), *_people(choose), *_coded(codes)]
    near = list(dict.fromkeys([*_fellows(choose, answers), *_misses(choose, codes, asked)]))
    head = [*answers, *((text, "", "") for text in near)][:HEAD]
    seen = {text for text, _, _ in head}
    fill = (text for text in _filler(choose, asked) if not (text in seen or seen.add(text)))  # type: ignore[func-returns-value]
    head += [(text, "", "") for text in islice(fill, HEAD - len(head))]
    choose.shuffle(head)
    memories = [(key(number), text) for number, (text, _, _) in enumerate(head)]
    questions = [
        Question(asked, key(number), sort) for number, (_, asked, sort) in enumerate(head) if asked
    ]
    memories += [
        (key(number), text) for number, text in enumerate(islice(fill, max(0, size - HEAD)), HEAD)
    ]
    return Corpus(memories, questions)


def extra(count: int, seed: int = SEED + 1) -> list[tuple[str, str]]:
    """Return memories for single puts, with keys and texts that the corpus does not have."""
    choose = random.Random(seed)
    made = dict.fromkeys(
        f"{text} Noted as item {number}."
        for number, text in enumerate(islice(_filler(choose), count))
    )
    return [(f"x{number:06d}", text) for number, text in enumerate(made)]


Fact = tuple[str, str, str]  # what is stored, what is asked, the sort of question


def _plain() -> Iterator[Fact]:
    for text, asked in PLAIN:
        yield text, asked, "topical"


def _people(choose: random.Random) -> Iterator[Fact]:
    names = choose.sample([f"{first} {last}" for first in FIRST[:20] for last in LAST], PEOPLE)
    for number, who in enumerate(names):
        told, asked, values = ABOUT[number % len(ABOUT)]
        yield (
            told.format(who=who, what=choose.choice(values.split(", "))),
            asked.format(who=who),
            "topical",
        )


def _coded(codes: dict[tuple[str, str], int]) -> Iterator[Fact]:
    for (code, part), number in codes.items():
        _, told, asked = CODED[number % len(CODED)]
        yield told.format(code=code, part=part), asked.format(code=code), "identifier"


def _fellows(choose: random.Random, answers: list[Fact]) -> Iterator[str]:
    """Yield further facts about the people in the questions."""
    people = answers[len(PLAIN) : len(PLAIN) + PEOPLE]
    for number, (text, _, _) in enumerate(people):
        who = " ".join(text.split()[:2])
        for step in choose.sample(range(1, len(ABOUT)), 7):
            told, _, values = ABOUT[(number + step) % len(ABOUT)]
            yield told.format(who=who, what=choose.choice(values.split(", ")))


def _misses(
    choose: random.Random, codes: dict[tuple[str, str], int], asked: frozenset[str]
) -> Iterator[str]:
    """Yield facts about identifiers that differ in one digit from those in questions."""
    for (code, part), number in codes.items():
        places = [
            place for place, sign in enumerate(code) if sign.isdigit() and place >= len(code) // 3
        ]
        for place in choose.sample(places, min(2, len(places))):
            other = (
                code[:place]
                + str((int(code[place]) + choose.randint(1, 9)) % 10)
                + code[place + 1 :]
            )
            if other not in asked:
                yield CODED[number % len(CODED)][1].format(code=other, part=part)


def _filler(choose: random.Random, asked: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield endless facts about people and identifiers without questions; some may repeat."""
    while True:
        if choose.random() < 0.6:
            told, _, values = ABOUT[choose.randrange(len(ABOUT))]
            who = f"{choose.choice(FIRST[20:])} {choose.choice(LAST)}-{choose.choice(LAST)}"
            yield told.format(who=who, what=choose.choice(values.split(", ")))
        else:
            shape, told, _ = CODED[choose.randrange(len(CODED))]
            code, part = _code(choose, shape)
            if code not in asked:
                yield told.format(code=code, part=part)


def _code(choose: random.Random, shape: str) -> tuple[str, str]:
    """Fill an identifier's shape: n for digits, h for hexadecimal signs."""
    part, word = choose.choice(PARTS), choose.choice(WORDS)
    made = (
        shape.replace("{part}", part)
        .replace("{word}", word)
        .replace("{PART}", part.upper())
        .replace("{WORD}", word.upper())
    )

    def signs(found: re.Match[str]) -> str:
        kind, count = found[1], int(found[2])
        first = choose.choice("123456789")
        rest = "".join(
            choose.choice("0123456789abcdef" if kind == "h" else "0123456789")
            for _ in range(count - 1)
        )
        return first + rest

    return _SLOT.sub(signs, made), part
