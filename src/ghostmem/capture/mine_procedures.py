"""Find procedures, the same steps in the same order in several sessions, and put them.

In a step, the parts that differ from time to time (paths, numbers, ids, quoted texts) are
placeholders."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ghostmem.capture.transcripts.base import ToolCall
from ghostmem.capture.transcripts.choose import AUTO, TranscriptReport, check_format, read_all
from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.grouping import grouped
from ghostmem.memory.put import put
from ghostmem.memory.redact import redact_content
from ghostmem.model import MINED, Kind, NsFilter, Outcome, Record, SourceKind, Verdict, optional
from ghostmem.store import Filter, Store, validate
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
    shared: dict[tuple[str, ...], set[str]] | None = None
    longest_runs: dict[tuple[str, ...], set[str]] = {}
    for size in range(SHORTEST, longest + 1):
        shared = _grams(sessions, size, shared, fewest)
        for steps in shared:
            longest_runs.pop(steps[1:], None)
            longest_runs.pop(steps[:-1], None)
        longest_runs |= shared
    worth = {
        steps: names
        for steps, names in longest_runs.items()
        if len(steps) >= shortest
        and len(set(steps)) > 1
        and not all((step.split() or [""])[0].lower() in _READING for step in steps)
    }
    chosen: list[tuple[str, ...]] = []
    for steps in sorted(worth, key=lambda steps: (-len(worth[steps]), -len(steps), steps)):
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
    grams = (
        (tuple(steps[start : start + size]), name)
        for name, steps in sessions.items()
        for start in range(len(steps) - size + 1)
    )
    by_run = grouped(
        (gram, name)
        for gram, name in grams
        if shorter is None or (gram[1:] in shorter and gram[:-1] in shorter)
    )
    return {gram: set(names) for gram, names in by_run.items() if len(set(names)) >= fewest}


def _overlap(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Say whether one begins with the end of the other, at least half of it.

    Then they are two windows on one longer run."""
    shorter = min(len(first), len(second))
    return any(
        first[-n:] == second[:n] or second[-n:] == first[:n]
        for n in range(max(2, (shorter + 1) // 2), shorter + 1)
    )


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
        yield f"{tool} <path>" if any("path" in name or "file" in name for name in names) else tool


def _command(arguments: Any) -> str:
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
    normalised = (normal(item.strip(" .,;:!。，；：！")).lower() for item in items)
    return runs(
        [step.removeprefix("first ").removeprefix("first, ") for step in normalised if step]
    )


def runs(steps: Sequence[str]) -> list[str]:
    """Return steps without repetitions in a row."""
    return [
        step
        for number, step in enumerate(steps[:_MOST_STEPS])
        if not number or steps[number - 1] != step
    ]


MAX_PROCEDURES = 20
TAGS = ("procedure", MINED)


@frozen
class MineReport(Record):
    """The procedures of a run, the number of sessions, and notes about unreadable parts."""

    dry_run: bool
    sessions: int
    procedures: tuple[Mined, ...] = ()
    notes: tuple[str, ...] = optional(())


def mine_procedures(
    store: Store,
    paths: Iterable[str | Path] = (),
    ns: str | None = None,
    *,
    sessions: Iterable[Sequence[str]] | None = None,
    format: str = AUTO,  # noqa: A002 (the option's name)
    fewest: int = FEWEST,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
    most: int = MAX_PROCEDURES,
    tags: Iterable[str] | None = None,
    dry_run: bool = True,
) -> MineReport:
    """Find sequences of actions that several sessions share; store them unless `dry_run`.

    Args:
        paths: Recorded conversations; without any, the procedural memories of `ns` are read.
        ns: Namespace of the memories.
        sessions: Actions of each session in their order, instead of recordings.
        format: Program that recorded the conversations; "auto" detects it.
        fewest: Minimum number of sessions that share a sequence.
        shortest: Minimum number of actions in a sequence.
        longest: Maximum number of actions in a sequence.
        most: Maximum number of procedures.
        tags: Further tags of the memories.
        dry_run: Change nothing; report what would happen. This is the default.
    """
    validate.flags(dry_run=dry_run)
    validate.positive(fewest, "fewest (--min-sessions)", least=FEWEST)
    validate.positive(shortest, "shortest (--min-len)", least=SHORTEST)
    validate.positive(longest, "longest (--max-len)", least=SHORTEST)
    if shortest > longest:
        raise InvalidInputError(
            f"no sequence has at least {shortest} and at most {longest} actions",
            f"let the longest have at least {shortest}",
        )
    validate.positive(most, "most (--max)")
    check_format(format)
    all_tags = (*TAGS, *(validate.tags(tags) or ()))
    raw_paths = [paths] if isinstance(paths, str | Path) else validate.items(paths, "paths")
    listed = [validate.path(path, "path") for path in raw_paths]
    if listed and sessions is not None:
        raise InvalidInputError("two sources were given", "give transcripts, or sessions")
    if not dry_run or not (listed or sessions is not None):
        if ns is None:
            raise InvalidInputError("nothing to mine", "name transcripts, or a namespace with -n")
        validate.namespace(ns)
    report = TranscriptReport()
    steps_by_session = (
        {
            str(number): runs(validate.texts(steps, f"session {number}", "step"))
            for number, steps in enumerate(validate.items(sessions, "sessions", "['a', 'b']"), 1)
        }
        if sessions is not None
        else _recorded(listed, format, report)
        if listed
        else _remembered(store, ns or "")
    )
    if store.settings.secrets == "redact":
        steps_by_session = {
            name: [redact_content(store.settings, step).content for step in steps]
            for name, steps in steps_by_session.items()
        }
    mined = mine(steps_by_session, fewest=fewest, shortest=shortest, longest=longest)[:most]
    if not dry_run:
        mined = [_stored(store, ns or "", procedure, all_tags) for procedure in mined]
    return MineReport(dry_run, len(steps_by_session), tuple(mined), tuple(report.notes))


def _recorded(paths: Iterable[Path], kind: str, report: TranscriptReport) -> dict[str, list[str]]:
    sessions: dict[str, list[str]] = {}
    for path in paths:
        for event in read_all(path, kind, report):
            steps = sessions.setdefault(event.session, [])
            if isinstance(event, ToolCall):
                steps.extend(steps_of_action(event.tool, event.arguments))
    return {name: runs(steps) for name, steps in sessions.items()}


def _remembered(store: Store, ns: str) -> dict[str, list[str]]:
    """Return the steps of each procedural memory, without those that were mined before."""
    procedural = Filter(ns=NsFilter(ns), now=store.clock(), kinds=(Kind.PROCEDURAL,))
    with store.engine.read() as tx:
        return {
            memory.key: steps_of_text(memory.content)
            for memory in tx.listing.scan(procedural)
            if MINED not in memory.tags
        }


def _stored(store: Store, ns: str, procedure: Mined, tags: Iterable[str]) -> Mined:
    """Put a procedure as a numbered list and return it with its verdict."""
    steps = (f"{number}. {step}" for number, step in enumerate(procedure.steps, 1))
    memory = put(
        store,
        ns,
        procedure.key,
        "\n".join(["Steps that were repeated:", *steps]),
        kind=Kind.PROCEDURAL,
        importance=procedure.importance,
        tags=tags,
        meta={"mined": {"sessions": procedure.support}},
        source_kind=SourceKind.OBSERVED,
        dedup=True,
    )
    return replace(
        procedure,
        verdict=memory.verdict,
        outcome=memory.outcome,
        stored_as=memory.key if memory.key != procedure.key else None,
    )
