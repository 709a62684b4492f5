"""Procedures by example: the same steps in the same order, again in another session, are worth
knowing.

A step is what was done, with what differs from time to time (paths, numbers, ids, quoted texts)
written as a placeholder."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model import Record
from ghostmem.text.capture import sentences
from ghostmem.text.sections import slug

SHORTEST, LONGEST, FEWEST = 2, 5, 2
BASE, PER_SESSION, CEILING = 0.4, 0.05, 0.85
LONGEST_STEP = 160
_READ = 1_000  # characters of a step that are looked at
_MOST_STEPS = 200_000  # of one session
_SHELLS = frozenset(
    "bash shell sh zsh exec exec_command run_shell_command local_shell terminal "
    "execute_command run_command".split()
)
_READING = frozenset(  # looking is no procedure
    "read grep glob ls list_directory read_file read_many_files search_file_content "
    "find_files view cat head tail sed rg find"
    " pwd wc todowrite todoread update_plan webfetch websearch google_web_search task "
    "agent toolsearch askuserquestion bashoutput"
    " echo which".split()
)
_SPLIT = re.compile(r"\s*(?:&&|;|\n)\s*")
_QUOTED = re.compile(r"\"[^\"\n]{0,2000}\"|'[^'\n]{0,2000}'")
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://\S+", re.IGNORECASE)
_ID = re.compile(
    r"\b(?:[0-9a-f]{8}-[0-9a-f-]{27}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}"
    r"|[A-Z]{2,10}-\d+)\b"
)
_PATH = re.compile(
    r"(?<![\w<])(?:~|\.{1,2})?/[\w.@%+/-]+|(?<![\w</-])[\w.@-]+(?:/[\w.@*-]+)+"
    r"|(?<![\w<./-])[\w-]+\.[a-z]\w{0,4}\b(?!\()"
)
_NUMBER = re.compile(r"(?<![\w<.-])\d+(?:\.\d+)*(?![\w.])")
_LIST_ITEM = re.compile(r"^[ \t]*(?:\d{1,9}[.)]|[-*+])[ \t]+(.+)$", re.MULTILINE)
_TICKED = re.compile(r"`([^`\n]{2,200})`")
_LINKS = re.compile(
    r"(?:,|;)?\s{0,20}\b(?:and then|then|after that|next|finally|luego|después|dann"
    r"|danach)\b[,:]?\s*|[，,]?(?:然后|再|最后)",
    re.IGNORECASE,
)


@frozen
class Procedure(Record):
    """Steps that came up in the same order in several sessions."""

    key: str
    steps: tuple[str, ...]
    sessions: tuple[str, ...]
    importance: float

    @property
    def support(self) -> int:
        """Return in how many sessions it came up."""
        return len(self.sessions)

    @property
    def content(self) -> str:
        """Return it as a numbered list."""
        return "\n".join(
            [
                "Steps that were repeated:",
                *(f"{number}. {step}" for number, step in enumerate(self.steps, 1)),
            ]
        )


def mine(
    sessions: Mapping[str, Sequence[str]],
    *,
    fewest: int = FEWEST,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
) -> list[Procedure]:
    """Return the longest runs of steps that at least `fewest` sessions share.

    Those of the most sessions are first."""
    found: dict[tuple[str, ...], set[str]] = {}
    kept: dict[tuple[str, ...], set[str]] = {}
    frequent: dict[tuple[str, ...], set[str]] = {}
    for size in range(SHORTEST, longest + 1):
        found = _grams(sessions, size, frequent if size > SHORTEST else None, fewest)
        for steps in found:
            kept.pop(steps[1:], None)
            kept.pop(steps[:-1], None)
        kept |= found
        frequent = found
    worth = {
        steps: where
        for steps, where in kept.items()
        if len(steps) >= shortest and len(set(steps)) > 1 and not all(map(_only_looks, steps))
    }
    order = sorted(worth, key=lambda steps: (-len(worth[steps]), -len(steps), steps))
    chosen: list[tuple[str, ...]] = []
    for steps in order:
        if not any(worth[other] == worth[steps] and _overlap(other, steps) for other in chosen):
            chosen.append(steps)
    return [_procedure(steps, worth[steps]) for steps in chosen]


def _grams(
    sessions: Mapping[str, Sequence[str]],
    size: int,
    shorter: Mapping[tuple[str, ...], set[str]] | None,
    fewest: int,
) -> dict[tuple[str, ...], set[str]]:
    """Return the runs of a size that enough sessions share.

    A run can only be one if both its shorter ones are.
    """
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, steps in sessions.items():
        for at in range(len(steps) - size + 1):
            gram = tuple(steps[at : at + size])
            if shorter is None or (gram[1:] in shorter and gram[:-1] in shorter):
                found[gram].add(name)
    return {gram: where for gram, where in found.items() if len(where) >= fewest}


def _overlap(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Say whether one begins with what the other ends with, for half of it or more: two windows on
    one longer run.
    """
    least = max(2, (min(len(first), len(second)) + 1) // 2)
    for size in range(least, min(len(first), len(second)) + 1):
        if first[-size:] == second[:size] or second[-size:] == first[:size]:
            return True
    return False


def _only_looks(step: str) -> bool:
    return (step.split() or [""])[0].lower() in _READING


def _procedure(steps: tuple[str, ...], where: set[str]) -> Procedure:
    words = [
        word
        for step in steps
        for word in re.sub(r"<\w+>", " ", step).split()[:2]
        if any(map(str.isalpha, word))
    ]
    name = slug(" ".join(dict.fromkeys(words)))[:60].strip("-")
    return Procedure(
        f"procedure-{name}",
        steps,
        tuple(sorted(where)),
        round(min(CEILING, BASE + PER_SESSION * len(where)), 2),
    )


def steps_of_action(tool: str, told: Any) -> Iterator[str]:
    """Yield the steps of one tool call: the commands of a shell, or the tool and what sort of thing
    it was used on.
    """
    command = _command(told)
    if command and (tool.lower().rpartition(".")[2] in _SHELLS or not tool):
        yield from steps_of_command(command)
    elif tool:
        on_file = isinstance(told, Mapping) and any(
            "path" in str(name).lower() or "file" in str(name).lower() for name in told
        )
        yield f"{tool} <path>" if on_file else tool


def _command(told: Any) -> str:
    """Return the command line that a shell was given."""
    if isinstance(told, Mapping):
        told = told.get("command", told.get("cmd", told.get("script", "")))
    if isinstance(told, list) and all(isinstance(part, str) for part in told):
        told = told[2] if len(told) == 3 and told[1] in ("-c", "-lc") else " ".join(told)
    return told if isinstance(told, str) else ""


def steps_of_command(command: str) -> Iterator[str]:
    """Yield the single commands of a command line, without what only moves about."""
    command = command[:4_000].partition("<<")[0]
    for part in _SPLIT.split(_QUOTED.sub("<text>", command)):
        if (
            part
            and not part.startswith(("cd ", "#", "export ", "set -", "echo ", "sleep "))
            and part != "cd"
        ):
            yield normal(part)


def normal(step: str) -> str:
    """Write a step without what differs from time to time."""
    step = _QUOTED.sub("<text>", step[:_READ])
    step = _URL.sub("<url>", step)
    step = _ID.sub("<id>", step)
    step = _PATH.sub("<path>", step)
    step = _NUMBER.sub("<n>", step)
    step = re.sub(r"(<\w+>)(?: \1)+", r"\1", " ".join(step.split()))
    return step[:LONGEST_STEP].strip()


def steps_of_text(text: str) -> list[str]:
    """Return the steps that a text lists: its items, else its commands between ticks, else what
    follows upon each other.
    """
    items = _LIST_ITEM.findall(text)
    if len(items) < SHORTEST:
        items = _TICKED.findall(text)
    if len(items) < SHORTEST:
        items = [part for sentence in sentences(text) for part in _LINKS.split(sentence)]
    found = (normal(item.strip(" .,;:!。，；：！")).lower() for item in items)
    return runs([step.removeprefix("first ").removeprefix("first, ") for step in found if step])


def runs(steps: Sequence[str]) -> list[str]:
    """Return steps with each that was done several times in a row written once."""
    return [step for at, step in enumerate(steps[:_MOST_STEPS]) if not at or steps[at - 1] != step]
