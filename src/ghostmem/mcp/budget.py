"""Token budgets of results: the size of what a client is sent, and rows that fit.

A result is sent twice, as text and as JSON, and a client shows its model one of them; the larger
one counts. Tokens are estimated as four bytes each.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from ghostmem.text.fit import fit

BYTES_PER_TOKEN = 4
MAX_RESULT = 2000  # tokens of a result by default: 8 kB
MAX_MEMORY = 4000  # tokens of one memory that is read whole: 16 kB
MIN_EXCERPT = 30  # rows are left out rather than cut to fewer tokens than this
BEST_ROWS, BEST_SHARE = 3, 3  # the first rows get this many times the room of the others

Row = dict[str, Any]


def encoded(value: Any) -> bytes:
    """Return a value as JSON, as it is sent."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "backslashreplace"
    )


def content_tokens(content: str) -> int:
    """Return the tokens of a content as JSON, which is never shorter than the text."""
    return -(-(len(encoded(content)) - 2) // BYTES_PER_TOKEN)


def sent_tokens(text: str, result: Any) -> int:
    """Return the tokens of the larger of the two forms of a result."""
    size = max(len(text.encode("utf-8", "backslashreplace")), len(encoded(result)))
    return -(-size // BYTES_PER_TOKEN)


def start_of(content: str, room: int) -> str:
    """Return the start of a content that fits into some tokens, cut between words."""
    return fit(content, 0, 0, room, content_tokens) or ""


def fit_rows(
    rows: Sequence[Any],
    budget: int,
    frame: Callable[[Sequence[Any]], int],
    cut: Callable[[Row, int], str],
) -> tuple[list[Any], bool]:
    """Return the first rows with as much of their contents as fits, and whether one is cut.

    Args:
        rows: Rows, best first. If they are records with a `content`, the first one is shown in
            any case.
        budget: Maximum number of tokens.
        frame: Returns the tokens of a result with these rows.
        cut: Returns the part of a row's content that fits into some tokens.
    """
    contents = [row.get("content", "") if isinstance(row, dict) else "" for row in rows]
    needed = [content_tokens(content) for content in contents]
    blank = [
        {**row, "content": ""} if content else row
        for row, content in zip(rows, contents, strict=True)
    ]

    def granted(number: int) -> list[int] | None:
        """Return the room of each of the first rows, or None if they do not fit."""
        room = budget - frame(blank[:number])
        shares = _shares(needed[:number], room)
        is_cramped = any(
            share < min(MIN_EXCERPT, need) for share, need in zip(shares, needed, strict=False)
        )
        return None if room < 0 or is_cramped else shares

    fewest, most = int(any(contents)), len(rows)
    while fewest < most:
        middle = (fewest + most + 1) // 2
        fewest, most = (middle, most) if granted(middle) else (fewest, middle - 1)
    shares = granted(fewest) or _shares(needed[:fewest], budget - frame(blank[:fewest]))
    kept = list(zip(rows, needed, shares, strict=False))
    fitted = [
        row if need <= share else {**row, "content": cut(row, max(share, 1))}
        for row, need, share in kept
    ]
    return fitted, any(need > share for _, need, share in kept)


def _shares(needed: Sequence[int], room: int) -> list[int]:
    """Divide a room: short rows get what they need, the others equal parts, the best ones more."""
    shares: dict[int, int] = {}
    waiting = {row: BEST_SHARE if row < BEST_ROWS else 1 for row in range(len(needed))}
    while waiting:
        part = max(room, 0) / sum(waiting.values())
        satisfied = [row for row, weight in waiting.items() if needed[row] <= part * weight]
        if not satisfied:
            shares |= {row: int(part * weight) for row, weight in waiting.items()}
            break
        shares |= {row: needed[row] for row in satisfied}
        room -= sum(needed[row] for row in satisfied)
        waiting = {row: waiting[row] for row in waiting if row not in satisfied}
    return [shares[row] for row in range(len(needed))]
