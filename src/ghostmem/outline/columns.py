"""Columns of numbers and of texts as bytes, compressed in blocks.

Reading one value unfolds only the block that it is in."""

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import islice
from typing import Any, overload
from zlib import compress, crc32, decompress, error

NUMBERS_PER_BLOCK = 4096
TEXTS_PER_BLOCK = 256
_LENGTH = 4  # bytes of the length of the head, and as many of the checksum
_ENCODE = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


def _encoded(data: Any) -> bytes:
    return _ENCODE(data).encode(errors="surrogatepass")


def escaped(text: str) -> bytes:
    """Return a text as it stands in a block of texts."""
    return _encoded(text)[1:-1]


class Numbers(Sequence[int]):
    """A column of numbers from 0 to 2³² - 1."""

    def __init__(self, blocks: Sequence[bytes | memoryview], size: int) -> None:
        self._blocks = blocks
        self._size = size
        self._unfolded: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[int]: ...
    def __getitem__(self, at: int | slice) -> int | Sequence[int]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(self._size))]
        block, place = divmod(at, NUMBERS_PER_BLOCK)
        unfolded = self._unfolded.get(block)
        return (unfolded if unfolded is not None else self._block(block))[place]

    def __iter__(self) -> Iterator[int]:
        for block in range(len(self._blocks)):
            yield from self._block(block)

    def _block(self, number: int) -> "array[int]":
        if number not in self._unfolded:
            numbers = array("I")
            numbers.frombytes(decompress(self._blocks[number]))
            self._unfolded[number] = numbers
        return self._unfolded[number]


class Texts(Sequence[str]):
    """A column of texts."""

    def __init__(self, blocks: Sequence[bytes | memoryview], size: int) -> None:
        self._blocks = blocks
        self._size = size
        self._unfolded: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(self._size))]
        block, place = divmod(at, TEXTS_PER_BLOCK)
        if block not in self._unfolded:
            self._unfolded[block] = json.loads(decompress(self._blocks[block]))
        return self._unfolded[block][place]

    def containing(self, part: str) -> Iterator[int]:
        """Yield the places of the texts that contain a part."""
        wanted = escaped(part)
        for block, packed in enumerate(self._blocks):
            raw = decompress(packed)
            if wanted in raw:
                for place, text in enumerate(json.loads(raw)):
                    if part in text:
                        yield block * TEXTS_PER_BLOCK + place


class ColumnWriter:
    """Collects columns and some plain data, and returns them as bytes."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {}  # kind, number of values, lengths of blocks
        self._parts: list[bytes] = []

    def numbers(self, name: str, values: Iterable[int]) -> None:
        """Add a column of numbers."""
        column = values if isinstance(values, array) else array("I", values)
        blocks = [
            compress(column[at : at + NUMBERS_PER_BLOCK].tobytes(), 1)
            for at in range(0, len(column), NUMBERS_PER_BLOCK)
        ]
        self._add(name, "numbers", len(column), blocks)

    def texts(self, name: str, values: Sequence[str] | dict[str, int]) -> None:
        """Add a column of texts, also the keys of a mapping in their order."""
        left = iter(values)
        blocks = []
        while block := list(islice(left, TEXTS_PER_BLOCK)):
            blocks.append(compress(_encoded(block), 1))
        self._add(name, "texts", len(values), blocks)

    def _add(self, name: str, kind: str, size: int, blocks: list[bytes]) -> None:
        self._columns[name] = [kind, size, [len(block) for block in blocks]]
        self._parts += blocks

    def join(self, other: "ColumnWriter") -> None:
        """Add the columns of another writer."""
        self._columns |= other._columns
        self._parts += other._parts

    def packed(self, more: Any) -> bytes:
        """Return all columns and more plain data as bytes."""
        head = compress(_encoded([self._columns, more]), 1)
        parts = [head, *self._parts]
        check = reduce(lambda value, part: crc32(part, value), parts, 0)
        front = (len(head).to_bytes(_LENGTH, "big"), check.to_bytes(_LENGTH, "big"))
        return b"".join((*front, *parts))


class ColumnReader:
    """The columns of packed bytes by name, and the plain data beside them."""

    def __init__(self, packed: bytes) -> None:
        """Read the head; a ValueError says that the bytes are damaged."""
        view = memoryview(packed)
        body = view[2 * _LENGTH :]
        if crc32(body) != int.from_bytes(view[_LENGTH : 2 * _LENGTH], "big") or not body:
            raise ValueError("the columns are damaged")
        at = int.from_bytes(view[:_LENGTH], "big")
        try:
            columns, self.more = json.loads(decompress(body[:at]))
        except error:
            raise ValueError("the columns are damaged") from None
        self._numbers: dict[str, Numbers] = {}
        self._texts: dict[str, Texts] = {}
        for name, (kind, size, lengths) in columns.items():
            blocks = []
            for length in lengths:
                blocks.append(body[at : at + length])
                at += length
            if kind == "numbers":
                self._numbers[name] = Numbers(blocks, size)
            else:
                self._texts[name] = Texts(blocks, size)

    def numbers(self, name: str) -> Numbers:
        """Return a column of numbers."""
        return self._numbers[name]

    def texts(self, name: str) -> Texts:
        """Return a column of texts."""
        return self._texts[name]
