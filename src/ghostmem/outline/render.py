"""Render a tree as text and as JSON; both have the same nodes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ghostmem.outline.find import bare
from ghostmem.outline.graph import EXTERNAL, FORWARD, NATIVE, Loose, OutlineNode
from ghostmem.outline.tree import BACK, Branch, Tree

VERSION = 1
MAX_MEMORIES = 5
MAX_EXAMPLES = 5  # of unresolved references in text; JSON has them all
MAX_WIDTH = 80
SHORT = {"function": "func"}


class LinkedMemory(NamedTuple):
    """A memory that is linked to a node.

    `note` says when the code is no longer what it was about.
    """

    tier: str
    name: str
    rel: str
    date: str
    pinned: bool = False
    note: str = ""


@dataclass(frozen=True)
class OutlineStats:
    """Figures about the files of an outline."""

    files: int = 0
    parsed: int = 0
    cached: int = 0
    parse_errors: tuple[tuple[str, int], ...] = ()  # file and line
    skipped: tuple[tuple[str, str], ...] = ()  # file and reason
    sha: str = ""


Memories = Mapping[str, Sequence[LinkedMemory]]  # by the id of a node


def to_text(
    tree: Tree,
    *,
    symbol: str = "",
    memories: Memories | None = None,
    stats: OutlineStats | None = None,
) -> str:
    """Return a tree as text; `symbol` is the name that was looked up, if any."""
    stats = stats or OutlineStats()
    lines = [f'# {tree.found} symbols match "{_flat(symbol)}"'] if symbol and tree.found > 1 else []
    for branch in tree.matches:
        lines.extend(_branch_lines(branch, tree, bool(symbol), memories or {}, 0))
    if tree.truncated:
        lines.append(f"... truncated at {tree.options.max_nodes} nodes{_continuation(tree)}")
    lines.extend(f"note: {_flat(note)}" for note in (*_broken(tree, stats), *tree.notes))
    lines.append(_summary(tree, stats))
    return "\n".join(lines)


def to_json(
    tree: Tree,
    *,
    languages: Sequence[str] = (),
    root: str = "",
    query: Mapping[str, Any] | None = None,
    memories: Memories | None = None,
    stats: OutlineStats | None = None,
) -> dict[str, Any]:
    """Return a tree as plain data."""
    made = stats or OutlineStats()
    found = {
        "version": VERSION,
        "language": languages[0] if len(languages) == 1 else None,
        **({"languages": list(languages)} if len(languages) > 1 else {}),
        "root": root,
        "query": dict(query or {}),
        "matches": [_branch_json(branch, memories or {}) for branch in tree.matches],
        "stats": {
            "files": made.files,
            "parsed": made.parsed,
            "cached": made.cached,
            "symbols": symbol_count(tree),
            "relations": tree.relations,
            "unresolved": tree.unresolved,
            "parse_errors": [
                {"file": file, "line": line} for file, line in sorted(made.parse_errors)
            ],
            "skipped": [{"file": file, "reason": reason} for file, reason in sorted(made.skipped)],
        },
        "truncated": tree.truncated,
    }
    if tree.next_offset is not None:
        found["next_offset"] = tree.next_offset
    return found | {"notes": list(tree.notes)} if tree.notes else found


def _broken(tree: Tree, stats: OutlineStats) -> Iterator[str]:
    """Yield a note for each outlined file that could not be parsed fully."""
    asked = {branch.node.file for branch in tree.matches if branch.node.kind == "file"}
    first = dict(sorted(stats.parse_errors, reverse=True))
    for file in sorted(asked & first.keys()):
        yield f"{file} could not be parsed fully (line {first[file]}): symbols may be missing"


def _continuation(tree: Tree) -> str:
    """Return which roots are shown, and the offset of the others."""
    first, shown = tree.options.offset + 1, len(tree.matches)
    if tree.next_offset is None:
        return ""
    page = f"symbols {first} to {first + shown - 1} of {tree.found}"
    return f"; {page}, continue with offset {tree.next_offset}"


def symbol_count(tree: Tree) -> int:
    """Return the number of symbols that were found; for files, of those that they declare."""
    if all(branch.node.kind != "file" for branch in tree.matches):
        return tree.found
    declared = set()
    below = list(tree.matches)
    while below:
        branch = below.pop()
        if branch.node.kind != "file":
            declared.add(branch.node.id)
        below.extend(branch.relations.get("declares", []))
    return len(declared)


def _branch_lines(
    branch: Branch, tree: Tree, asked: bool, memories: Memories, level: int
) -> Iterator[str]:
    pad = "  " * level
    yield pad + "  ".join(part for part in (*_fields(branch.node, tree), branch.mark) if part)
    if branch.mark:
        return
    if linked := memories.get(branch.node.id):
        yield f"{pad}  memories"
        yield from (f"{pad}    {line}" for line in _memory_lines(linked))
    kinds = [
        kind
        for kind in tree.options.kinds
        if kind in branch.relations or (asked and kind in branch.missing)
    ]
    for kind in kinds:
        if kind not in branch.relations:
            yield f"{pad}  {kind}: none found{_might_be(kind, branch)}"
            continue
        yield f"{pad}  {kind}"
        for child in branch.relations[kind]:
            yield from _branch_lines(child, tree, asked, memories, level + 2)
    for kind in FORWARD:
        if loose := [one for one in branch.loose if one.kind == kind]:
            yield f"{pad}  unresolved {kind}: {len(loose)} ({_examples(loose)})"


def _fields(node: OutlineNode, tree: Tree) -> tuple[str, str, str]:
    return (
        _flat(tree.labels.get(node.id, node.name)),
        SHORT.get(node.kind, node.kind),
        _location(node),
    )


def _location(node: OutlineNode) -> str:
    if node.origin == NATIVE:
        return "(native)"
    if node.origin == EXTERNAL:
        return f"(external: {_flat(node.where)})" if node.where else "(external)"
    if node.kind == "file":
        return "" if node.name == node.file else _flat(node.file)
    return f"{_flat(node.file)}:{node.line}" if node.line else _flat(node.file)


def _might_be(kind: str, branch: Branch) -> str:
    count = branch.missing[kind]
    return (
        f' ({count} unresolved {BACK[kind]} named "{_flat(bare(branch.node.name))}")'
        if count
        else ""
    )


def _examples(loose: Sequence[Loose]) -> str:
    shown = [f"{_cut(_flat(one.text))} line {one.line}" for one in loose[:MAX_EXAMPLES]]
    return ", ".join([*shown, "…"] if len(loose) > MAX_EXAMPLES else shown)


def _ordered(memories: Sequence[LinkedMemory]) -> list[LinkedMemory]:
    newest = sorted(sorted(memories), key=lambda one: one.date, reverse=True)
    return sorted(newest, key=lambda one: not one.pinned)


def _memory_lines(memories: Sequence[LinkedMemory]) -> Iterator[str]:
    for one in _ordered(memories)[:MAX_MEMORIES]:
        yield f"[{one.tier}] {_flat(one.name)} ({one.rel}, {one.date})" + (
            f" ({_flat(one.note)})" if one.note else ""
        )
    if len(memories) > MAX_MEMORIES:
        yield f"... {len(memories) - MAX_MEMORIES} more"


def _summary(tree: Tree, stats: OutlineStats) -> str:
    broken = len({file for file, _ in stats.parse_errors})
    parts = [
        f"-- {counted(symbol_count(tree), 'symbol')}, {counted(tree.relations, 'relation')}, "
        f"{tree.unresolved} unresolved",
        f"{counted(broken, 'file')} with parse errors",
    ]
    if stats.skipped:
        first = min(stats.skipped)[0]
        parts.append(
            f"{counted(len(stats.skipped), 'file')} left out "
            f"({_cut(_flat(first))}{', …' if len(stats.skipped) > 1 else ''})"
        )
    if stats.sha:
        parts.append(f"index sha {stats.sha[:4]}…")
    return "; ".join(parts)


def _branch_json(branch: Branch, memories: Memories) -> dict[str, Any]:
    node = branch.node
    if branch.mark:
        return {"ref": node.id}
    linked = memories.get(node.id, ())
    found = {
        "id": node.id,
        "name": node.name,
        "kind": node.kind,
        "file": node.file,
        "line": node.line,
        "end_line": node.end_line,
        "signature": node.signature,
        "origin": node.origin,
        "relations": {
            kind: [
                {"node": _branch_json(child, memories), "line": child.line, "via": child.via}
                for child in children
            ]
            for kind, children in branch.relations.items()
        },
        "unresolved": [
            {"kind": one.kind, "text": one.text, "line": one.line, "candidates": one.candidates}
            for one in branch.loose
        ],
        "memories": [one._asdict() for one in _ordered(linked)[:MAX_MEMORIES]],
    }
    found |= {key: value for key, value in (("full", node.full), ("where", node.where)) if value}
    if len(linked) > MAX_MEMORIES:
        found["memories_more"] = len(linked) - MAX_MEMORIES
    if named := {kind: count for kind, count in branch.missing.items() if count}:
        found["unresolved_named"] = named
    return found


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _flat(text: str) -> str:
    """Return a text on one line, without characters that cannot be printed."""
    return "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for char in " ".join(text.split())
    )


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WIDTH else f"{text[: MAX_WIDTH - 1]}…"
