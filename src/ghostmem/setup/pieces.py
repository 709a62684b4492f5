"""Carry a change of a rendered document into a text that is written differently.

Libraries that write TOML and YAML change the indentation, the quotes or the order of lines that
nobody touched. So a document is rendered twice, before and after a change, and only the pieces
that differ are written into the file: lines, or the tokens of JSON.
"""

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple


class Piece(NamedTuple):
    """A part of a text: the space before it, its characters, and a key that equal parts share."""

    lead: str
    text: str
    key: str


Splice = Callable[[Sequence[Piece], int, int, list[Piece], Piece], str]


def joined(pieces: Iterable[Piece]) -> str:
    """Return the text of pieces."""
    return "".join(piece.lead + piece.text for piece in pieces)


def lines(text: str) -> list[Piece]:
    """Return the lines of a text, and an empty one at its end."""
    return [Piece("", line, line.strip()) for line in text.splitlines(keepends=True)] + [
        Piece("", "", "")
    ]


def splice_lines(
    own: Sequence[Piece], start: int, stop: int, new: list[Piece], _after: Piece
) -> str:
    """Return the text of lines with those from start to stop replaced by new ones.

    Comments and blank lines at the end of the replaced lines belong to the text after them; so do
    those before lines that are added.
    """
    while stop > start and _is_comment(own[stop - 1]):
        stop -= 1
    if start == stop < len(own) - 1:
        while start and _is_comment(own[start - 1]):
            start = stop = start - 1
    if not new and not own[stop].key:  # of the blank lines around the removed lines one is ours
        start -= start > 0 and not own[start - 1].key
        stop += start == 0 and stop < len(own) - 1
    return joined(own[:start]) + joined(new) + joined(own[stop:])


def _is_comment(line: Piece) -> bool:
    return not line.key or line.key.startswith("#")


def transplanted(
    text: str,
    before: str,
    after: str,
    cut: Callable[[str], list[Piece]],
    splice: Splice,
) -> str | None:
    """Return the text with the change from one rendered document to the other.

    None means that the text and the rendered document differ at the place of the change.
    """
    own, old, new = cut(text), cut(before), cut(after)
    first, last = _ends(old, new)
    old_stop, new_stop = len(old) - last, len(new) - last
    places = _places(own, old)
    if first < old_stop:
        start, stop = places.get(first), places.get(old_stop - 1, -1) + 1
    else:
        start = places.get(first, -1) if first - 1 not in places else places[first - 1] + 1
        stop = start
    if start is None or stop is None or not 0 <= start <= stop:
        return None
    edited = splice(own, start, stop, new[first:new_stop], new[new_stop])
    return edited if "\r\n" not in text else edited.replace("\r\n", "\n").replace("\n", "\r\n")


def _ends(left: Sequence[Piece], right: Sequence[Piece]) -> tuple[int, int]:
    """Return the number of equal pieces at the start and, of the others, at the end."""
    most = min(len(left), len(right)) - 1  # the last piece is the end of both texts
    first = next((n for n in range(most) if left[n].key != right[n].key), most)
    return first, next(
        (n for n in range(1, most - first + 1) if left[-n - 1].key != right[-n - 1].key),
        most - first + 1,
    )


def _places(own: Sequence[Piece], rendered: Sequence[Piece]) -> dict[int, int]:
    first, last = _ends(rendered, own)
    middle = SequenceMatcher(
        None,
        [piece.key for piece in rendered[first : len(rendered) - last]],
        [piece.key for piece in own[first : len(own) - last]],
        autojunk=False,
    )
    places = {number: number for number in range(first)}
    for block in middle.get_matching_blocks():
        places |= {first + block.a + n: first + block.b + n for n in range(block.size)}
    shift = len(own) - len(rendered)
    return places | {
        number: number + shift for number in range(len(rendered) - last, len(rendered))
    }
