"""Apply a unified diff to a text, completely or not at all."""

import re
from dataclasses import dataclass

from ghostmem.errors import PatchConflictError, PatchFormatError

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_PREAMBLE = ("---", "+++", "diff ", "index ")
_SIDES = {" ": "-+", "\r": "-+", "-": "-", "+": "+"}  # old (-) and new (+) by first character
_MAX_SHOWN = 80  # characters of a line in a message


@dataclass(frozen=True, slots=True)
class _Hunk:
    """One hunk: its number in the diff, its line in the old text, the old and the new lines."""

    number: int
    line: int
    old: str
    new: str


def apply_patch(text: str, diff: str) -> str:
    """Return the text changed by a unified diff, whose context must be in it verbatim."""
    hunks = _parse(diff)
    try:
        return _apply(text, hunks)
    except PatchConflictError:
        lines = "".join(hunk.old + hunk.new for hunk in hunks)
        marked = any(
            side and not side.endswith("\n") for hunk in hunks for side in (hunk.old, hunk.new)
        )
        crlf = "\r" not in lines and "\r\n" in text and text.count("\r\n") == text.count("\n")
        unended = not marked and text != "" and not text.endswith("\n")
        if not (crlf or unended):
            raise
    # A diff that an agent typed has neither \r nor "\ No newline": apply it to such a text.
    plain = text.replace("\r\n", "\n") if crlf else text
    changed = _apply(plain + "\n", hunks).removesuffix("\n") if unended else _apply(plain, hunks)
    return changed.replace("\n", "\r\n") if crlf else changed


def _parse(diff: str) -> list[_Hunk]:
    lines = diff.removesuffix("\n").split("\n")
    if any(line.endswith("\r") and _HUNK.match(line) for line in lines):
        lines = [line.removesuffix("\r") for line in lines]
    hunks: list[_Hunk] = []
    at = 0
    while at < len(lines):
        if head := _HUNK.match(lines[at]):
            at, hunk = _parse_hunk(lines, at, head, len(hunks) + 1)
            hunks.append(hunk)
        elif not lines[at].strip() or (not hunks and lines[at].startswith(_PREAMBLE)):
            at += 1
        elif hunks:
            raise PatchFormatError(
                f"diff line {at + 1}: {_show(lines[at])} is past the counts of hunk {len(hunks)}"
            )
        else:
            raise PatchFormatError(
                f"diff line {at + 1}: expected the head of a hunk, found {_show(lines[at])}"
            )
    if not hunks:
        raise PatchFormatError(f"diff line {at}: no hunk (@@ -1,3 +1,4 @@) in the diff")
    return hunks


def _parse_hunk(lines: list[str], at: int, head: re.Match[str], number: int) -> tuple[int, _Hunk]:
    missing = {"-": int(head[2] or 1), "+": int(head[3] or 1)}
    first = int(head[1]) + (missing["-"] == 0)  # without old lines, the head names the line before
    sides: dict[str, list[str]] = {"-": [], "+": []}
    at, touched = at + 1, ""
    while at < len(lines) and (any(missing.values()) or lines[at].startswith("\\")):
        mark, rest = lines[at][:1] or " ", lines[at][1:]
        if mark == "\\" and touched:
            for side in touched:
                sides[side][-1] = sides[side][-1].removesuffix("\n")
            at, touched = at + 1, ""
            continue
        touched = _SIDES.get(mark, "")
        if not touched or not all(missing[side] for side in touched):
            break
        for side in touched:
            if sides[side] and not sides[side][-1].endswith("\n"):
                raise PatchFormatError(
                    f"diff line {at + 1}: hunk {number} continues after the end of its text"
                )
            sides[side].append(("\r" if mark == "\r" else rest) + "\n")
            missing[side] -= 1
        at += 1
    if any(missing.values()):
        wanted = f"{missing['-']} more old and {missing['+']} more new line(s)"
        actual = _show(lines[at]) if at < len(lines) else "the end of the diff"
        raise PatchFormatError(
            f"diff line {at + 1}: hunk {number} promises {wanted}, found {actual}"
        )
    return at, _Hunk(number, first, "".join(sides["-"]), "".join(sides["+"]))


def _apply(text: str, hunks: list[_Hunk]) -> str:
    lines = [0, *(feed.end() for feed in re.finditer("\n", text))]
    parts: list[str] = []
    at = drift = 0
    for hunk in hunks:
        place = _find(text, lines, hunk, at, hunk.line + drift)
        drift = text.count("\n", 0, place) + 1 - hunk.line
        parts += [text[at:place], hunk.new]
        at = place + len(hunk.old)
        if hunk.new and not hunk.new.endswith("\n") and (at < len(text) or hunk is not hunks[-1]):
            follows = _show(_line_at(text, at)) if at < len(text) else f"hunk {hunk.number + 1}"
            raise PatchConflictError(
                f"hunk {hunk.number} ends the text without a line feed, but {follows} follows"
            )
    return "".join([*parts, text[at:]])


def _find(text: str, lines: list[int], hunk: _Hunk, at: int, line: int) -> int:
    """Return the offset of a hunk's old lines: at its line, or at the only place after `at`."""
    named = lines[line - 1] if 0 < line <= len(lines) else -1
    if (
        named >= at
        and text.startswith(hunk.old, named)
        and (hunk.old[-1:] in ("", "\n") or named + len(hunk.old) == len(text))
    ):
        return named
    places = _places(text, hunk.old, at) if hunk.old else []
    if len(places) == 1:
        return places[0]
    if places:
        several = " and ".join(str(text.count("\n", 0, place) + 1) for place in places)
        raise PatchConflictError(
            f"hunk {hunk.number} does not fit at line {line}, but at others: {several}"
        )
    raise _mismatch(text, lines, hunk, at, line)


def _places(text: str, old: str, at: int) -> list[int]:
    if not old.endswith("\n"):
        place = len(text) - len(old)
        fits = place >= at and text.endswith(old) and (place == 0 or text[place - 1] == "\n")
        return [place] if fits else []
    places: list[int] = [at] if text.startswith(old, at) else []
    while len(places) < 2 and (feed := text.find("\n" + old, places[-1] if places else at)) >= 0:
        places.append(feed + 1)
    return places


def _mismatch(text: str, lines: list[int], hunk: _Hunk, at: int, line: int) -> PatchConflictError:
    """Return an error that names the first old line of a hunk that the text does not have."""
    if not hunk.old:
        return PatchConflictError(
            f"hunk {hunk.number} adds at line {line}, found {len(_LINE.findall(text))} line(s)"
        )
    for number, expected in enumerate(_LINE.findall(hunk.old), start=line):
        place = lines[number - 1] if 0 < number <= len(lines) else len(text)
        actual = _line_at(text, place)
        if actual != expected or place < at:
            break
    shown = _show(actual) if actual else "the end of the text"
    if place < at:
        shown += ", which an earlier hunk has used"
    elif actual.rstrip("\r\n") == expected.rstrip("\r\n"):
        shown += " with another line ending"
    return PatchConflictError(
        f"hunk {hunk.number}: expected {_show(expected)} at line {number}, found {shown}"
    )


def _line_at(text: str, place: int) -> str:
    end = text.find("\n", place)
    return text[place:] if end < 0 else text[place : end + 1]


def _show(line: str) -> str:
    line = line.rstrip("\r\n")
    return repr(line if len(line) <= _MAX_SHOWN else line[: _MAX_SHOWN - 1] + "…")
