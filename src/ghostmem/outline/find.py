"""Find symbols by a full or partial name.

Qualifiers of a name only exclude symbols: `A.f` never finds an `f` outside of `A`."""

import re
from collections.abc import Iterator, Mapping
from heapq import nsmallest
from itertools import chain, pairwise
from typing import NamedTuple

from ghostmem.outline.graph import PROJECT, OutlineNode
from ghostmem.outline.sources import is_text
from ghostmem.outline.stored_graph import StoredGraph

MAX_SUGGESTIONS = 5
SEPARATORS = ".#:/\\"
_RECEIVER = re.compile(r"(^|\.)\(\*?([^()]*)\)(?=\.|$)")  # (*T).M
_POINTER = re.compile(r"(^|\.)\*")
_ARGUMENTS = re.compile(r"(?<=\w)(?:<[^<>=]*>|\[[^\[\]]*\])")  # List[int], List<int>
_AS_TRAIT = re.compile(r"<(.+?) as .+>(?=::)")
_CALL = re.compile(r"(.*\w)\s*\(([^()]*)\)", re.DOTALL)  # m(int, String)
_MIN_LIKENESS = 0.3  # share of common pairs of letters from which on a name is suggested


class _Key(NamedTuple):
    head: str
    parameters: str | None


def find(graph: StoredGraph, symbol: str, file: str = "") -> list[int]:
    """Return the symbols with a name in the order of files and lines.

    The name is the whole one, or else its end. With `file` only symbols of that file count."""
    wanted = _key(symbol)
    tail = _tail(wanted.head)
    if not is_text(tail):
        return []
    numbers = graph.in_file(file) if file else graph.tables.containing(graph.project, tail)
    nodes = {
        number: node
        for number, node in graph.nodes(numbers).items()
        if node.kind != "file" and (tail in node.name or tail in node.full)
    }
    # symbols outside of the project are found by their whole name only
    exact = [number for number, node in nodes.items() if symbol.strip() in _names(node)]
    own = {number: node for number, node in nodes.items() if node.origin == PROJECT}
    exact_own = [number for number in exact if number in own]
    return next(filter(None, chain([exact_own], _matches(own, wanted))), exact)


def nearest(graph: StoredGraph, symbol: str) -> list[str]:
    """Return the names of symbols that are most similar to a name, most similar first."""
    wanted = _key(symbol).head.lower()
    short, whole = _pairs(_tail(wanted)), _pairs(wanted)
    best = nsmallest(
        MAX_SUGGESTIONS,
        (
            (-score, -_likeness(whole, name), name)
            for name in graph.tables.names(graph.project)
            if (score := _likeness(short, bare(name))) >= _MIN_LIKENESS
        ),
    )
    return [name for *_, name in best]


def bare(name: str) -> str:
    """Return the last part of a canonical name, without its parameters."""
    return _tail(_key(name).head)


def _matches(nodes: Mapping[int, OutlineNode], wanted: _Key) -> Iterator[list[int]]:
    """Yield the symbols with a whole name, then those whose name ends so."""
    whole = wanted.head.removeprefix("::").removeprefix("\\")
    keys = [
        (number, key.head)
        for number, node in nodes.items()
        for key in map(_key, _names(node))
        if wanted.parameters in (None, key.parameters)
    ]
    yield [number for number, head in keys if head == whole]
    if whole and whole == wanted.head:  # a leading :: or \ says that the name is whole
        yield list(dict.fromkeys(number for number, head in keys if _ends(head, whole)))
    if wanted.parameters == "":  # `m()` is often written to say that m is a function
        yield from _matches(nodes, _Key(wanted.head, None))


def _names(node: OutlineNode) -> tuple[str, ...]:
    return (node.name, node.full) if node.full else (node.name,)


def _key(name: str) -> _Key:
    text = _POINTER.sub(r"\1", _RECEIVER.sub(r"\1\2", name.strip()))
    call = _CALL.fullmatch(text)
    head, parameters = (call[1], re.sub(r"\s+", "", call[2])) if call else (text, None)
    before = ""
    while before != head:
        before, head = head, _ARGUMENTS.sub("", head)
    return _Key(_AS_TRAIT.sub(r"\1", head), parameters)


def _ends(name: str, end: str) -> bool:
    return name.endswith(end) and (
        name == end or end[0] in SEPARATORS or name[-len(end) - 1] in SEPARATORS
    )


def _tail(head: str) -> str:
    return re.split(r"[.#:/\\]", head)[-1] or head


def _pairs(name: str) -> frozenset[str]:
    return frozenset(map("".join, pairwise(f" {name} ")))


def _likeness(pairs: frozenset[str], name: str) -> float:
    """Return the share of pairs of letters that a name has in common with another one."""
    named = _pairs(name.lower())
    return 2 * len(pairs & named) / (len(pairs) + len(named))
