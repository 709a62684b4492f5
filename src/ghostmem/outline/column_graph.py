"""The graph of a project as columns: nodes by number in the order of files and lines, links by the
nodes that they leave and reach, and unresolved references by their owner and name.

A question makes objects of the nodes that it reaches, and reads only their blocks."""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Any

from ghostmem.outline.columns import ColumnReader, ColumnWriter
from ghostmem.outline.graph import (
    FORWARD,
    PROJECT,
    REVERSE,
    LinkColumns,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    project_id,
)
from ghostmem.outline.parallel import Helper

# kinds that are shown on their own also where another symbol declares them
_ALONE = frozenset({"function", "method", "type", "interface", "module"})
_OTHER_ID = 0  # an id that is not made of a file, a name and a start; otherwise the start plus one
_LINE_BITS, _VIA_BITS = 24, 12
_LINE_MASK, _VIA_MASK = (1 << _LINE_BITS) - 1, (1 << _VIA_BITS) - 1
NODES_PER_SORT = 8192  # nodes whose links are sorted at once

Relations = dict[str, dict[int, tuple[int, str]]]  # by kind and node: line and rung


def node_order(node: OutlineNode) -> tuple[str, int, str, str]:
    """Order nodes by file and line."""
    return node.file, node.line, node.name, node.id


class ColumnGraph:
    """A graph that is read from its columns where it is needed."""

    def __init__(self, packed: bytes) -> None:
        """Open packed columns; a ValueError says that they are damaged."""
        self.packed = packed
        columns = ColumnReader(packed)
        self._head: dict[str, Any] = columns.more
        self.more = self._head["more"]
        self.notes: list[str] = self._head["notes"]
        self.knows_calls: bool = self._head["knows_calls"]
        self.files: list[str] = self._head["files"]
        self._starts: list[int] = self._head["starts"]
        self._numbers = columns.numbers
        self._texts = columns.texts
        self._nodes: dict[int, OutlineNode] = {}
        self._number_of: dict[str, int] = {}

    @classmethod
    def of(cls, linked: Linked, more: Any = None, helper: Helper | None = None) -> "ColumnGraph":
        """Return a graph as columns; the arguments are those of `pack`."""
        return cls(pack(linked, more, helper))

    def __len__(self) -> int:
        return self._starts[-1]

    def in_file(self, path: str) -> range:
        """Return the numbers of the nodes in a file."""
        at = bisect_left(self.files, path)
        known = at < len(self.files) and self.files[at] == path
        return range(self._starts[at], self._starts[at + 1]) if known else range(0)

    def file_of(self, number: int) -> str:
        """Return the file of a node."""
        return self.files[bisect_right(self._starts, number) - 1]

    def node(self, number: int) -> OutlineNode:
        """Return a node by its number."""
        known = self._nodes.get(number)
        if known is not None:
            return known
        numbers, texts = self._numbers, self._texts("texts")
        file, name = self.file_of(number), self._texts("names")[numbers("name")[number]]
        start, id_text = numbers("start")[number], numbers("id")[number]
        node = self._nodes[number] = OutlineNode(
            texts[id_text] if start == _OTHER_ID else project_id(file, name, start - 1),
            name,
            self._head["kinds"][numbers("kind")[number]],
            self._head["origins"][numbers("origin")[number]],
            file,
            numbers("line")[number],
            numbers("end_line")[number],
            texts[numbers("signature")[number]],
            texts[numbers("where")[number]],
            self._texts("names")[numbers("full")[number]],
            self._texts("bodies")[numbers("body")[number]],
        )
        self._number_of[node.id] = number
        return node

    def origin(self, number: int) -> str:
        """Return where a node is from."""
        return str(self._head["origins"][self._numbers("origin")[number]])

    def nodes(self) -> Iterator[OutlineNode]:
        """Yield all nodes in their order."""
        return map(self.node, range(len(self)))

    def number(self, node_id: str) -> int | None:
        """Return the number of a node by its id."""
        if node_id not in self._number_of:
            path = node_id.partition("#")[0]
            for number in self.in_file(path) or range(len(self)):
                self.node(number)
        return self._number_of.get(node_id)

    def shown_alone(self, numbers: range | None = None) -> list[int]:
        """Return functions, methods and types, and of the other members those with relations."""
        alone = self._numbers("alone")
        if numbers is not None:
            return [number for number in numbers if alone[number]]
        return [number for number, flag in enumerate(alone) if flag]

    def containing(self, part: str) -> list[int]:
        """Return the nodes with a part in their name or full name, in order."""
        found = set(self._texts("names").containing(part))
        if not found:
            return []
        pairs = zip(self._numbers("name"), self._numbers("full"), strict=True)
        return [
            number for number, (name, full) in enumerate(pairs) if name in found or full in found
        ]

    def related(self, number: int) -> Relations:
        """Return what a node relates to, by kind and number.

        Of several references to one node the first counts."""
        found: Relations = {}
        ends, link_kinds = self._numbers("link_end"), self._numbers("link_kind")
        lines, rungs = self._numbers("link_line"), self._numbers("link_via")
        leaving, vias = self._numbers("leaving"), self._head["vias"]
        for link in range(leaving[number], leaving[number + 1]):
            kind = FORWARD[link_kinds[link]]
            found.setdefault(kind, {})[ends[link]] = lines[link], vias[rungs[link]]
        arriving, order = self._numbers("arriving"), self._numbers("by_end")
        for at in range(arriving[number], arriving[number + 1]):
            link = order[at]
            back = REVERSE.get(FORWARD[link_kinds[link]])
            if back is not None:
                start = bisect_right(leaving, link) - 1
                found.setdefault(back, {})[start] = lines[link], vias[rungs[link]]
        return found

    def loose(self, number: int) -> list[Loose]:
        """Return the unresolved references of a node, in order."""
        owned = self._numbers("owned")
        return [self._loose(at, number) for at in range(owned[number], owned[number + 1])]

    def loose_named(self, name: str) -> list[tuple[str, int | None]]:
        """Return the kind and the owner of the unresolved references with a name."""
        names = self._texts("loose_names")
        at = bisect_left(names, name)
        if at == len(names) or names[at] != name:
            return []
        named, order, owned = (
            self._numbers("named"),
            self._numbers("by_name"),
            self._numbers("owned"),
        )
        kinds, found = self._numbers("loose_kind"), []
        for place in range(named[at], named[at + 1]):
            owner = bisect_right(owned, order[place]) - 1
            kind = self._head["loose_kinds"][kinds[order[place]]]
            found.append((kind, owner if owner < len(self) else None))
        return found

    def _loose(self, at: int, owner: int) -> Loose:
        numbers = self._numbers
        return Loose(
            self.node(owner).id,
            self._head["loose_kinds"][numbers("loose_kind")[at]],
            self._texts("texts")[numbers("loose_text")[at]],
            numbers("loose_line")[at],
            self._texts("loose_names")[numbers("loose_name")[at]],
            numbers("loose_candidates")[at],
        )

    def label(self, node: OutlineNode) -> str:
        """Return the name to print where the canonical one is ambiguous, otherwise nothing."""
        split = _package(node)
        short = self._head["labels"].get(split[0], {}).get(split[1]) if split else None
        return f"{short}.{split[2]}" if split and short else ""


def opened(packed: bytes) -> ColumnGraph | None:
    """Return a packed graph; None when it is damaged."""
    try:
        return ColumnGraph(packed)
    except (ValueError, TypeError, KeyError, IndexError):
        return None


class _Numbering(dict[str, int]):
    """Numbers texts in the order in which they come."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


def pack(linked: Linked, more: Any = None, helper: Helper | None = None) -> bytes:
    """Return a graph as columns, together with some plain data.

    A helper that runs `pack_links` does so while the rest is packed."""
    helper = helper or Helper(pack_links)
    writer = ColumnWriter()
    texts = _Numbering()
    nodes = sorted(linked.nodes.values(), key=node_order)
    number = {node.id: place for place, node in enumerate(nodes)}
    links = linked.links if isinstance(linked.links, LinkColumns) else _columns(linked.links)
    place = array("i", [number.get(one, -1) for one in links.ids])
    helper.start(links.without_ids(), place, len(nodes))
    head = _pack_nodes(writer, nodes, texts)
    writer.numbers("alone", _alone(links, nodes))
    head |= _pack_loose(writer, linked, number, texts)
    writer.texts("texts", texts)
    link_columns, link_head = helper.result()
    writer.join(link_columns)
    head |= link_head
    calls = FORWARD.index("calls") in links.kinds or any(
        one.kind == "calls" for one in linked.loose
    )
    head |= {"labels": _labels(nodes), "notes": linked.notes, "knows_calls": calls, "more": more}
    return writer.packed(head)


def _columns(links: Iterable[OutlineLink]) -> LinkColumns:
    return LinkColumns(link for link in links if link.kind in FORWARD)


def _pack_nodes(
    writer: ColumnWriter, nodes: Sequence[OutlineNode], texts: _Numbering
) -> dict[str, Any]:
    names, bodies, kinds, origins = (_Numbering() for _ in range(4))
    files: list[str] = []
    starts: list[int] = []
    for place, node in enumerate(nodes):
        if not files or files[-1] != node.file:
            files.append(node.file)
            starts.append(place)
    writer.numbers("kind", (kinds[node.kind] for node in nodes))
    writer.numbers("origin", (origins[node.origin] for node in nodes))
    writer.numbers("name", (names[node.name] for node in nodes))
    writer.numbers("full", (names[node.full] for node in nodes))
    writer.numbers("line", map(attrgetter("line"), nodes))
    writer.numbers("end_line", map(attrgetter("end_line"), nodes))
    begins = array("I", map(_start, nodes))
    writer.numbers("start", begins)
    ids = zip(nodes, begins, strict=True)
    writer.numbers("id", (0 if start else texts[node.id] for node, start in ids))
    writer.numbers("signature", (texts[node.signature] for node in nodes))
    writer.numbers("where", (texts[node.where] for node in nodes))
    writer.numbers("body", (bodies[node.body] for node in nodes))
    writer.texts("names", names)
    writer.texts("bodies", bodies)
    return {
        "files": files,
        "starts": [*starts, len(nodes)],
        "kinds": list(kinds),
        "origins": list(origins),
    }


def _start(node: OutlineNode) -> int:
    """Return the start in an id that is made of file, name and start, plus one."""
    start = node.id.rpartition("@")[2]
    is_made = (
        start.isdecimal()
        and int(start) < 2**31
        and node.id == project_id(node.file, node.name, int(start))
    )
    return int(start) + 1 if is_made else _OTHER_ID


def pack_links(
    links: LinkColumns, place: "array[int]", size: int
) -> tuple[ColumnWriter, dict[str, Any]]:
    """Return the links by the node that they leave, and their order by the node that they reach.

    The arguments after them are the place of the node of each id, or -1, and the number of nodes.
    Of several links of a kind between two nodes the first stays."""
    writer = ColumnWriter()
    vias = sorted(links.vias)
    rung_of = [vias.index(via) for via in links.vias]
    end_at = _LINE_BITS + _VIA_BITS
    kind_at = end_at + size.bit_length()
    start_at = kind_at + len(FORWARD).bit_length()
    end_mask, kind_mask = (1 << kind_at - end_at) - 1, (1 << start_at - kind_at) - 1
    starts, ends, kinds, lines, rungs = (array("I") for _ in range(5))
    for part in _by_start(links, place, size):
        sorted_rows = sorted(
            place[start] << start_at
            | kind << kind_at
            | place[end] << end_at
            | line << _VIA_BITS
            | rung_of[via]
            for start, kind, end, line, via in links.rows(part)
            if place[end] >= 0
        )
        pairs = zip(sorted_rows, [-1, *sorted_rows], strict=False)
        rows = [row for row, before in pairs if row >> end_at != before >> end_at]
        starts.extend([row >> start_at for row in rows])
        kinds.extend([row >> kind_at & kind_mask for row in rows])
        ends.extend([row >> end_at & end_mask for row in rows])
        lines.extend([row >> _VIA_BITS & _LINE_MASK for row in rows])
        rungs.extend([row & _VIA_MASK for row in rows])
    writer.numbers("leaving", _offsets(starts, size))
    writer.numbers("link_end", ends)
    writer.numbers("link_kind", kinds)
    writer.numbers("link_line", lines)
    writer.numbers("link_via", rungs)
    writer.numbers("arriving", _offsets(ends, size))
    writer.numbers("by_end", _by_group(ends, size))
    return writer, {"vias": vias}


def _by_start(links: LinkColumns, place: Sequence[int], size: int) -> Iterator["array[int]"]:
    """Yield the positions of links in parts, by the place of the node that they leave.

    A sort of all at once takes much memory."""
    parts = [array("I") for _ in range(-NODES_PER_SORT, size, NODES_PER_SORT)]
    part_of = [parts[at // NODES_PER_SORT] for at in place]  # the last one for unknown nodes
    for position, start in enumerate(links.starts):
        part_of[start].append(position)
    return iter(parts[:-1])


def _offsets(groups: Iterable[int], size: int) -> Iterator[int]:
    """Return where each group begins in rows that are sorted by group, and where the last ends."""
    counts = [0] * (size + 1)
    for group in groups:
        counts[group + 1] += 1
    return accumulate(counts)


def _by_group(groups: "array[int]", size: int) -> "array[int]":
    """Return the places of rows sorted by group; a list of all takes much memory."""
    left = list(_offsets(groups, size))
    places = array("I", bytes(4 * len(groups)))
    for place, group in enumerate(groups):
        places[left[group]] = place
        left[group] += 1
    return places


def _pack_loose(
    writer: ColumnWriter, linked: Linked, number: Mapping[str, int], texts: _Numbering
) -> dict[str, Any]:
    """Add unresolved references by their owner, and their order by name."""
    none = len(number)
    rows = sorted(
        (number.get(one.owner, none), one.line, one.text, one.kind, one.name, one.candidates)
        for one in linked.loose
    )
    kinds = _Numbering()
    names = sorted({row[4] for row in rows})
    place = {name: at for at, name in enumerate(names)}
    named = array("I", (place[row[4]] for row in rows))
    writer.numbers("owned", _offsets((row[0] for row in rows), none + 1))
    writer.numbers("loose_line", (row[1] for row in rows))
    writer.numbers("loose_text", (texts[row[2]] for row in rows))
    writer.numbers("loose_kind", (kinds[row[3]] for row in rows))
    writer.numbers("loose_name", named)
    writer.numbers("loose_candidates", (row[5] for row in rows))
    writer.numbers("named", _offsets(named, len(names)))
    writer.numbers("by_name", _by_group(named, len(names)))
    writer.texts("loose_names", names)
    return {"loose_kinds": list(kinds)}


def _alone(links: LinkColumns, nodes: Iterable[OutlineNode]) -> Iterator[bool]:
    """Tell of each node whether it is shown on its own."""
    is_file = [one.endswith("#") for one in links.ids]
    inner, related = bytearray(len(is_file)), bytearray(len(is_file))
    declares = FORWARD.index("declares")
    for start, kind, end in zip(links.starts, links.kinds, links.ends, strict=True):
        if kind != declares:
            related[start] = related[end] = True
        elif not is_file[start]:
            inner[end] = True
    for node in nodes:
        at = links.ids.get(node.id)
        yield (
            node.origin == PROJECT
            and node.kind != "file"
            and node.line > 0
            and (node.kind in _ALONE or at is None or not inner[at] or bool(related[at]))
        )


def _package(node: OutlineNode) -> tuple[str, str, str] | None:
    """Return the package of a node, its path, and the name inside of it, as in Go."""
    package, _, local = node.name.partition(".")
    if node.kind in {"file", "module"} or not local or not node.full.endswith(f".{local}"):
        return None
    return package, node.full[: -len(local) - 1], local


def _labels(nodes: Iterable[OutlineNode]) -> dict[str, dict[str, str]]:
    """Return for packages of one name as much of each import path as tells them apart."""
    paths: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if split := _package(node):
            paths[split[0]].add(split[1])
    return {
        package: {
            path: _suffix(path.split("/"), [one.split("/") for one in known if one != path])
            for path in sorted(known)
        }
        for package, known in paths.items()
        if len(known) > 1
    }


def _suffix(parts: list[str], others: list[list[str]]) -> str:
    for size in range(1, len(parts)):
        if all(other[-size:] != parts[-size:] for other in others):
            return "/".join(parts[-size:])
    return "/".join(parts)
