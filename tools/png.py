"""Make a PNG smaller: at most 256 colours, and the strongest compression of zlib."""

import struct
import zlib
from typing import Any

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST = 256


def smaller(data: bytes) -> bytes:
    """Return a picture of a browser, 8 bits a channel without interlacing, as one with a palette.

    The shorter of both.
    """
    width, height, pixels = _read(data)
    colours, places, counts = np.unique(
        pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    palette, chosen = _palette(colours.astype(np.int32), counts)
    rows = chosen[places.reshape(-1)].astype(np.uint8).reshape(height, width)
    body = zlib.compress(np.hstack([np.zeros((height, 1), np.uint8), rows]).tobytes(), 9)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    made = (
        SIGNATURE
        + _chunk(b"IHDR", head)
        + _chunk(b"PLTE", palette.tobytes())
        + _chunk(b"IDAT", body)
        + _chunk(b"IEND", b"")
    )
    return made if len(made) < len(data) else data


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _read(data: bytes) -> tuple[int, int, Any]:
    """Return width, height and the pixels as an array of height x width x 3."""
    at, body, size, channels = len(SIGNATURE), b"", (0, 0), 3
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, part = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if name == b"IHDR":
            width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", part)
            if depth != 8 or kind not in (2, 6) or interlaced:
                raise ValueError(
                    f"this PNG has depth {depth} and colour type {kind}; a browser's has 8 "
                    "and 2 or 6"
                )
            size, channels = (width, height), 3 if kind == 2 else 4
        elif name == b"IDAT":
            body += part
        at += 12 + length
    return *size, _unfilter(zlib.decompress(body), *size, channels)[:, :, :3]


def _unfilter(raw: bytes, width: int, height: int, channels: int) -> Any:
    """Undo the filter of each row."""
    stride = width * channels
    lines = np.frombuffer(raw, np.uint8).reshape(height, stride + 1)
    found = np.zeros((height, width, channels), np.uint8)
    above = np.zeros((width, channels), np.uint8)
    for number, line in enumerate(lines):
        row = line[1:].reshape(width, channels)
        match int(line[0]):
            case 0:
                row = row.copy()
            case 1:
                row = np.cumsum(row, axis=0, dtype=np.uint64).astype(np.uint8)
            case 2:
                row = row + above
            case kind:
                row = _by_left(row.tolist(), above.tolist(), kind)
        found[number] = above = row
    return found


def _by_left(row: list[list[int]], above: list[list[int]], kind: int) -> Any:
    """Undo the two filters that need the pixel to the left, one by one."""
    left = corner = [0] * len(row[0])
    for x, pixel in enumerate(row):
        up = above[x]
        if kind == 3:
            row[x] = [
                (value + (a + b) // 2) & 255 for value, a, b in zip(pixel, left, up, strict=True)
            ]
        else:
            row[x] = [
                (value + _paeth(a, b, c)) & 255
                for value, a, b, c in zip(pixel, left, up, corner, strict=True)
            ]
        left, corner = row[x], up
    return np.array(row, np.uint8)


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
    return left if a <= b and a <= c else up if b <= c else corner


def _palette(colours: Any, counts: Any) -> tuple[Any, Any]:
    """Return at most 256 colours and the palette index of each colour (median cut)."""
    boxes = [np.arange(len(colours))]
    while len(boxes) < min(MOST, len(colours)):
        spans = [
            np.ptp(colours[box], axis=0).max() * min(1000, counts[box].sum()) ** 0.5
            if len(box) > 1
            else -1
            for box in boxes
        ]
        box = boxes.pop(int(np.argmax(spans)))
        axis = int(np.argmax(np.ptp(colours[box], axis=0)))
        box = box[np.argsort(colours[box, axis], kind="stable")]
        weight = np.cumsum(np.minimum(counts[box], 1000))
        cut = int(np.clip(np.searchsorted(weight, weight[-1] / 2) + 1, 1, len(box) - 1))
        boxes += [box[:cut], box[cut:]]
    palette, chosen = np.zeros((len(boxes), 3), np.uint8), np.zeros(len(colours), np.intp)
    for place, box in enumerate(boxes):
        most = box[
            int(np.argmax(counts[box]))
        ]  # the commonest stands for all: flat areas keep their exact colour
        palette[place], chosen[box] = colours[most], place
    return palette, chosen
