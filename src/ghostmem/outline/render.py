"""Render a tree as text and as JSON; both have the same nodes."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from ghostmem.grouping import grouped
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
    parsed: int = 0  # others are cached
    parse_errors: tuple[tuple[str, int], ...] = ()  # file and line
    skipped: tuple[tuple[str, str], ...] = ()  # file and reason
    sha: str = ""


Memories = Mapping[str, Sequence[LinkedMemory]]  # by the id of a node


def to_text(
    tree: Tree,
    symbol: str = "",
    memories: Memories | None = None,
    stats: OutlineStats = OutlineStats(),
) -> str:
    """Return a tree as text; `symbol` is the name that was looked up, if any."""
    fulls = grouped((branch.node.name, branch.node.full) for branch in tree.branches())
    ambiguous = {name for name, full in fulls.items() if len(set(full)) > 1}
    lines = [f'# {tree.found} symbols match "{_flat(symbol)}"'] if symbol and tree.found > 1 else []
    for branch in tree.matches:
        lines.extend(_branch_lines(branch, tree, bool(symbol), memories or {}, ambiguous))
    if tree.truncated:
        last = tree.options.offset + len(tree.matches)
        page = (
            f"; symbols {tree.options.offset + 1} to {last} of {tree.found}, continue with offset "
        )
        more = "" if tree.next_offset is None else f"{page}{tree.next_offset}"
        lines.append(f"... truncated at {tree.options.max_nodes} nodes{more}")
    files = {branch.node.file for branch in tree.matches if branch.node.kind == "file"}
    errors = dict(sorted(stats.parse_errors, reverse=True))
    broken = [
        f"{file} could not be parsed fully (line {errors[file]}): symbols may be missing"
        for file in sorted(files & errors.keys())
    ]
    lines.extend(f"note: {_flat(note)}" for note in (*broken, *tree.notes))
    lines.append(_summary(tree, stats))
    return "\n".join(lines)


def to_json(
    tree: Tree,
    *,
    languages: Sequence[str] = (),
    root: str = "",
    query: Mapping[str, Any] | None = None,
    memories: Memories | None = None,
    stats: OutlineStats = OutlineStats(),
) -> dict[str, Any]:
    """Return a tree as plain data."""
    data = {
        "version": VERSION,
        "language": languages[0] if len(languages) == 1 else None,
        **({"languages": list(languages)} if len(languages) > 1 else {}),
        "root": root,
        "query": dict(query or {}),
        "matches": [_branch_json(branch, memories or {}) for branch in tree.matches],
        "stats": {
            "files": stats.files,
            "parsed": stats.parsed,
            "cached": stats.files - stats.parsed,
            "symbols": symbol_count(tree),
            "relations": tree.relations,
            "unresolved": tree.unresolved,
            "parse_errors": [
                {"file": file, "line": line} for file, line in sorted(stats.parse_errors)
            ],
            "skipped": [{"file": file, "reason": reason} for file, reason in sorted(stats.skipped)],
        },
        "truncated": tree.truncated,
    }
    if tree.next_offset is not None:
        data["next_offset"] = tree.next_offset
    return data | {"notes": list(tree.notes)} if tree.notes else data


def symbol_count(tree: Tree) -> int:
    """Return the number of symbols that were found; for files, of those that they declare."""
    if all(branch.node.kind != "file" for branch in tree.matches):
        return tree.found
    branches = list(tree.matches)
    for branch in branches:  # it grows meanwhile
        branches.extend(branch.relations.get("declares", []))
    return len({branch.node.id for branch in branches if branch.node.kind != "file"})


def _branch_lines(
    branch: Branch,
    tree: Tree,
    asked: bool,
    memories: Memories,
    ambiguous: Set[str],
    level: int = 0,
) -> Iterator[str]:
    pad, node = "  " * level, branch.node
    name = node.full if node.full and node.name in ambiguous else node.name
    kind = SHORT.get(node.kind, node.kind)
    yield pad + "  ".join(
        part for part in (_flat(name), kind, _location(node), branch.mark) if part
    )
    if branch.mark:
        return
    if linked := memories.get(branch.node.id):
        yield f"{pad}  memories"
        yield from (f"{pad}    {line}" for line in _memory_lines(linked))
    for kind in tree.options.kinds:
        if kind in branch.relations:
            yield f"{pad}  {kind}"
            for child in branch.relations[kind]:
                yield from _branch_lines(child, tree, asked, memories, ambiguous, level + 2)
        elif asked and kind in branch.missing:
            noun = f'unresolved {BACK.get(kind)} named "{_flat(bare(branch.node.name))}"'
            count = branch.missing[kind]
            yield f"{pad}  {kind}: none found" + (f" ({count} {noun})" if count else "")
    for kind in FORWARD:
        if loose := [reference for reference in branch.loose if reference.kind == kind]:
            yield f"{pad}  unresolved {kind}: {len(loose)} ({_examples(loose)})"


def _location(node: OutlineNode) -> str:
    if node.origin == NATIVE:
        return "(native)"
    if node.origin == EXTERNAL:
        return f"(external: {_flat(node.where)})" if node.where else "(external)"
    if node.kind == "file":
        return "" if node.name == node.file else _flat(node.file)
    return f"{_flat(node.file)}:{node.line}" if node.line else _flat(node.file)


def _examples(loose: Sequence[Loose]) -> str:
    texts = [f"{_cut(_flat(each.text))} line {each.line}" for each in loose[:MAX_EXAMPLES]]
    return ", ".join([*texts, "…"] if len(loose) > MAX_EXAMPLES else texts)


def _ordered(memories: Sequence[LinkedMemory]) -> list[LinkedMemory]:
    """Return memories: pinned first, then the newest."""
    newest = sorted(sorted(memories), key=lambda memory: memory.date, reverse=True)
    return sorted(newest, key=lambda memory: not memory.pinned)


def _memory_lines(memories: Sequence[LinkedMemory]) -> Iterator[str]:
    for memory in _ordered(memories)[:MAX_MEMORIES]:
        note = f" ({_flat(memory.note)})" if memory.note else ""
        yield f"[{memory.tier}] {_flat(memory.name)} ({memory.rel}, {memory.date}){note}"
    if len(memories) > MAX_MEMORIES:
        yield f"... {len(memories) - MAX_MEMORIES} more"


def _summary(tree: Tree, stats: OutlineStats) -> str:
    parts = [
        f"-- {counted(symbol_count(tree), 'symbol')}, {counted(tree.relations, 'relation')}, "
        f"{tree.unresolved} unresolved",
        f"{counted(len({file for file, _ in stats.parse_errors}), 'file')} with parse errors",
    ]
    if stats.skipped:
        parts.append(
            f"{counted(len(stats.skipped), 'file')} left out "
            f"({_cut(_flat(min(stats.skipped)[0]))}{', …' if len(stats.skipped) > 1 else ''})"
        )
    if stats.sha:
        parts.append(f"index sha {stats.sha[:4]}…")
    return "; ".join(parts)


def _branch_json(branch: Branch, memories: Memories) -> dict[str, Any]:
    node = branch.node
    if branch.mark:
        return {"ref": node.id}
    linked = memories.get(node.id, ())
    data = {
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
            {"kind": each.kind, "text": each.text, "line": each.line, "candidates": each.candidates}
            for each in branch.loose
        ],
        "memories": [memory._asdict() for memory in _ordered(linked)[:MAX_MEMORIES]],
    }
    data |= {key: value for key, value in (("full", node.full), ("where", node.where)) if value}
    if len(linked) > MAX_MEMORIES:
        data["memories_more"] = len(linked) - MAX_MEMORIES
    if unresolved := {kind: count for kind, count in branch.missing.items() if count}:
        data["unresolved_named"] = unresolved
    return data


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
