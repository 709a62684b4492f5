"""What is remembered about the code at hand, and about what calls it: where a context may begin."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ghostmem.errors import GhostError
from ghostmem.model import Memory, SymbolRef
from ghostmem.outline.graph import Node
from ghostmem.outline.project_graph import code_graph
from ghostmem.outline.stale import Code
from ghostmem.outline.symbols import below, in_project, languages_of, unknown
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store

CALLER_SHARE = 0.3  # what a memory about a caller counts beside one about the code itself


class Seed(NamedTuple):
    """A memory about code at hand, how much it counts, and why it is there."""

    memory: Memory
    share: float
    note: str


def code_seeds(
    store: Store,
    which: Filter,
    files: Sequence[str],
    symbols: Sequence[str],
    root: str | Path,
    language: str | None,
) -> tuple[list[Seed], list[str]]:
    """Return what is remembered about files and symbols of a project and their direct callers, and
    what is to be said.

    A project that cannot be read is no error: what memories say of their symbols themselves has to
    do then."""
    home = os.path.realpath(os.path.expanduser(root))
    paths = {below(home, file): file for file in files}
    with store.engine.read() as tx:
        linked = tx.listing.select(replace(which, code=home))
        named = tx.listing.select(replace(which, paths=_spellings(home, paths))) if paths else []
    seeds = [Seed(memory, 1.0, f"about {_file(memory, home, paths)}") for memory in named]
    refs = [(memory, ref) for memory in linked for ref in memory.symbols if ref.root == home]
    if not refs:
        return seeds, [f"no memory is about symbols of {home}"] if symbols else []
    hands, notes = _read(store, home, _languages(refs, files, language), symbols, paths)
    for memory, ref in refs:
        if (reason := _reason(ref, hands.get(ref.language), symbols, paths)) is not None:
            seeds.append(Seed(memory, *reason))
    return seeds, notes


def _spellings(home: str, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(spelled for path in paths for spelled in (path, f"./{path}", f"{home}/{path}"))


def _file(memory: Memory, home: str, paths: dict[str, str]) -> str:
    """Return the file at hand that a memory is about, as the caller named it."""
    return next(
        (paths[path] for file in memory.files if (path := below(home, file.path)) in paths),
        memory.files[0].path,
    )


def _languages(
    refs: Iterable[tuple[Memory, SymbolRef]], files: Sequence[str], language: str | None
) -> list[str]:
    """Return the languages to read: the one named, those of the files, or those that memories are
    linked to.
    """
    return (
        [language] if language else languages_of(files) or sorted({ref.language for _, ref in refs})
    )


@dataclass(slots=True)
class _Hand:
    """The code at hand in one language: what was named, and what calls it."""

    code: Code
    targets: dict[str, Node]
    callers: dict[str, Node]  # by the caller's id: what it calls


def _read(
    store: Store, home: str, languages: Sequence[str], symbols: Sequence[str], paths: Iterable[str]
) -> tuple[dict[str, _Hand], list[str]]:
    """Read a project, and say what could not be read or found."""
    hands: dict[str, _Hand] = {}
    notes: list[str] = []
    for language in languages:
        try:
            code = Code(code_graph(store, home, language))
        except (GhostError, ImportError, OSError, ValueError) as error:
            hint = f"; {error.hint}" if isinstance(error, GhostError) else ""
            notes.append(f"the {language} code of {home} was not read: {error}{hint}")
            continue
        nodes = [node for path in paths for node in code.in_file(path)]
        nodes += [node for name in symbols for node in in_project(code.graph, name)]
        targets = {node.id: node for node in nodes}
        hands[code.graph.language] = _Hand(code, targets, _callers(code, targets))
    for name in symbols:
        if hands and not any(in_project(hand.code.graph, name) for hand in hands.values()):
            lost = unknown(next(iter(hands.values())).code.graph, name)
            notes.append(f"{lost.message}; {lost.hint}")
    return hands, notes


def _callers(code: Code, targets: dict[str, Node]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for link in code.graph.linked.links:
        if link.kind == "calls" and link.end in targets and link.start not in targets:
            found.setdefault(link.start, targets[link.end])
    return found


def _reason(
    ref: SymbolRef, hand: _Hand | None, symbols: Sequence[str], paths: Iterable[str]
) -> tuple[float, str] | None:
    """Return how much a link counts, and in words why.

    Nothing when it is not about what is at hand.
    """
    judged = hand.code.judge(ref) if hand else None
    node = judged.node if judged else None
    mark = f" ({judged.mark})" if judged and judged.mark else ""
    if ref.name in symbols or ref.path in paths or (hand and node and node.id in hand.targets):
        return 1.0, f"about {ref.name}{mark}"
    if hand and node and node.id in hand.callers:
        return CALLER_SHARE, f"about {ref.name}{mark}, which calls {hand.callers[node.id].name}"
    return None
