"""ULIDs: 26 characters that sort by the time they were made."""

import os
from threading import Lock

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_MAX = 1 << 128


_PAIRS = [first + second for first in ALPHABET for second in ALPHABET]


def encode(value: int) -> str:
    """Write a 128-bit number in Crockford's base 32."""
    return "".join([_PAIRS[(value >> shift) & 1023] for shift in range(120, -1, -10)])


def milliseconds(ulid: str) -> int:
    """Read the time out of a ULID, in milliseconds since 1970."""
    value = 0
    for letter in ulid[:10]:
        value = value * 32 + ALPHABET.index(letter)
    return value


def is_ulid(text: str) -> bool:
    """Tell whether a text has the form of a ULID."""
    return len(text) == 26 and text[0] in "01234567" and all(letter in ALPHABET for letter in text)


class UlidMaker:
    """Make strictly increasing ULIDs, even within a millisecond or when the clock steps back."""

    def __init__(self) -> None:
        self._lock, self._process = Lock(), os.getpid()
        self._last = -1  # below every time, so that the first id is random

    def __call__(self, at_ms: int) -> str:
        """Return the next ULID for a time in milliseconds."""
        fresh = (at_ms << _RANDOM_BITS) | int.from_bytes(os.urandom(10), "big")
        if self._process != os.getpid():  # another thread may have held the lock during a fork
            self._lock, self._process = Lock(), os.getpid()
        with self._lock:
            self._last = (
                fresh if fresh >> _RANDOM_BITS > self._last >> _RANDOM_BITS else self._last + 1
            )
            return encode(self._last % _MAX)
