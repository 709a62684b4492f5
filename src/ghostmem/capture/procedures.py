"""Find procedures: the same steps in the same order in several sessions.

In a step, the parts that differ from time to time (paths, numbers, ids, quoted texts) are
placeholders."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model import Outcome, Record, Verdict, optional
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
_PLACEHOLDERS = {
    "<text>": _QUOTED,
    "<url>": re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://\S+", re.IGNORECASE),
    "<id>": re.compile(
        r"\b(?:[0-9a-f]{8}-[0-9a-f-]{27}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}"
        r"|[A-Z]{2,10}-\d+)\b"
    ),
    "<path>": re.compile(
        r"(?<![\w<])(?:~|\.{1,2})?/[\w.@%+/-]+|(?<![\w</-])[\w.@-]+(?:/[\w.@*-]+)+"
        r"|(?<![\w<./-])[\w-]+\.[a-z]\w{0,4}\b(?!\()"
    ),
    "<n>": re.compile(r"(?<![\w<.-])\d+(?:\.\d+)*(?![\w.])"),
}
_LIST_ITEM = re.compile(r"^[ \t]*(?:\d{1,9}[.)]|[-*+])[ \t]+(.+)$", re.MULTILINE)
_TICKED = re.compile(r"`([^`\n]{2,200})`")
_LINKS = re.compile(
    r"(?:,|;)?\s{0,20}\b(?:and then|then|after that|next|finally|luego|después|dann"
    r"|danach)\b[,:]?\s*|[，,]?(?:然后|再|最后)",
    re.IGNORECASE,
)


@frozen
class Mined(Record):
    """A procedure with its steps and sessions, and its verdict and outcome."""

    key: str
    steps: tuple[str, ...]
    support: int
    importance: float
    sessions: tuple[str, ...]
    verdict: Verdict | None = optional()
    outcome: Outcome | None = optional()
    stored_as: str | None = optional()


def mine(
    sessions: Mapping[str, Sequence[str]],
    *,
    fewest: int = FEWEST,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
) -> list[Mined]:
    """Return the longest runs of steps that at least `fewest` sessions share.

    Those of the most sessions are first."""
    found: dict[tuple[str, ...], set[str]] | None = None
    longest_runs: dict[tuple[str, ...], set[str]] = {}
    for size in range(SHORTEST, longest + 1):
        found = _grams(sessions, size, found, fewest)
        for steps in found:
            longest_runs.pop(steps[1:], None)
            longest_runs.pop(steps[:-1], None)
        longest_runs |= found
    worth = {
        steps: names
        for steps, names in longest_runs.items()
        if len(steps) >= shortest and len(set(steps)) > 1 and not all(map(_only_looks, steps))
    }
    order = sorted(worth, key=lambda steps: (-len(worth[steps]), -len(steps), steps))
    chosen: list[tuple[str, ...]] = []
    for steps in order:
        if not any(worth[run] == worth[steps] and _overlap(run, steps) for run in chosen):
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
    return {gram: names for gram, names in found.items() if len(names) >= fewest}


def _overlap(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Say whether one begins with the end of the other, at least half of it.

    Then they are two windows on one longer run."""
    shorter = min(len(first), len(second))
    sizes = range(max(2, (shorter + 1) // 2), shorter + 1)
    return any(first[-n:] == second[:n] or second[-n:] == first[:n] for n in sizes)


def _only_looks(step: str) -> bool:
    return (step.split() or [""])[0].lower() in _READING


def _procedure(steps: tuple[str, ...], sessions: set[str]) -> Mined:
    words = [
        word
        for step in steps
        for word in re.sub(r"<\w+>", " ", step).split()[:2]
        if any(map(str.isalpha, word))
    ]
    name = slug(" ".join(dict.fromkeys(words)))[:60].strip("-")
    importance = round(min(CEILING, BASE + PER_SESSION * len(sessions)), 2)
    return Mined(f"procedure-{name}", steps, len(sessions), importance, tuple(sorted(sessions)))


def steps_of_action(tool: str, arguments: Any) -> Iterator[str]:
    """Yield the steps of one tool call: the commands of a shell, or the tool and its object."""
    command = _command(arguments)
    if command and (tool.lower().rpartition(".")[2] in _SHELLS or not tool):
        yield from steps_of_command(command)
    elif tool:
        names = map(str.lower, map(str, arguments)) if isinstance(arguments, Mapping) else ()
        on_file = any("path" in name or "file" in name for name in names)
        yield f"{tool} <path>" if on_file else tool


def _command(arguments: Any) -> str:
    """Return the command line that a shell was given."""
    line = arguments
    if isinstance(line, Mapping):
        line = line.get("command", line.get("cmd", line.get("script", "")))
    if isinstance(line, list) and all(isinstance(part, str) for part in line):
        line = line[2] if len(line) == 3 and line[1] in ("-c", "-lc") else " ".join(line)
    return line if isinstance(line, str) else ""


def steps_of_command(command: str) -> Iterator[str]:
    """Yield the single commands of a command line, without those that only change the folder."""
    command = command[:4_000].partition("<<")[0]
    for part in _SPLIT.split(_QUOTED.sub("<text>", command)):
        if (
            part
            and not part.startswith(("cd ", "#", "export ", "set -", "echo ", "sleep "))
            and part != "cd"
        ):
            yield normal(part)


def normal(step: str) -> str:
    """Return a step with placeholders for the parts that differ from time to time."""
    step = step[:_READ]
    for placeholder, pattern in _PLACEHOLDERS.items():
        step = pattern.sub(placeholder, step)
    step = re.sub(r"(<\w+>)(?: \1)+", r"\1", " ".join(step.split()))
    return step[:LONGEST_STEP].strip()


def steps_of_text(text: str) -> list[str]:
    """Return the steps of a text: items of a list, commands between ticks, or linked clauses."""
    items = _LIST_ITEM.findall(text)
    if len(items) < SHORTEST:
        items = _TICKED.findall(text)
    if len(items) < SHORTEST:
        items = [part for sentence in sentences(text) for part in _LINKS.split(sentence)]
    found = (normal(item.strip(" .,;:!。，；：！")).lower() for item in items)
    return runs([step.removeprefix("first ").removeprefix("first, ") for step in found if step])


def runs(steps: Sequence[str]) -> list[str]:
    """Return steps without repetitions in a row."""
    return [step for at, step in enumerate(steps[:_MOST_STEPS]) if not at or steps[at - 1] != step]
