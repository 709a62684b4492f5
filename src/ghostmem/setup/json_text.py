"""JSON with or without comments: read it, render it, and carry a change into its text.

The text is cut into tokens, each with the space and the comments before it. The standard library
reads the values after comments and trailing commas are blanked out, so that its errors have the
right positions.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.setup.pieces import Piece, joined

_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = r"//[^\n]*|/\*.*?\*/"
_COMMENTS = re.compile(rf"({_STRING})|{_COMMENT}", re.DOTALL)
_TRAILING_COMMAS = re.compile(rf"({_STRING})|,(?=\s*[}}\]])")
_TOKEN = re.compile(
    rf'((?:\s|{_COMMENT})*)({_STRING}|[{{}}\[\],:]|[^\s"{{}}\[\],:/]+|$)', re.DOTALL
)
_LINE_COMMENTS = re.compile(r"(?:[ \t]*(?:/\*[^\n]*?\*/|//[^\n\r]*))*")


def load(text: str, comments: bool = False) -> Any:
    """Return the value of a document, or None if it has only spaces and comments."""
    blank = _TRAILING_COMMAS.sub(_blank, _COMMENTS.sub(_blank, text)) if comments else text
    if not blank.strip(" \t\r\n"):
        return None
    try:
        return json.loads(blank, parse_constant=_refuse_constant)
    except RecursionError:
        place, reason = "line 1, column 1", "it is nested too deeply"
    except json.JSONDecodeError as error:
        place, reason = f"line {error.lineno}, column {error.colno}", error.msg
        with suppress(InvalidInputError):
            if not comments and load(text, comments=True) is not None:
                reason = "this file takes no comments and no comma before a closing bracket"
    kind = "JSON with comments" if comments else "JSON"
    raise InvalidInputError(
        f"{place}: not valid {kind}: {reason}", "fix the file, then run it again"
    )


def _refuse_constant(name: str) -> None:
    raise json.JSONDecodeError(f"{name} is not a value", name, 0)


def _blank(part: re.Match[str]) -> str:
    return part[1] or re.sub(r"[^\n]", " ", part[0])


def render(value: Any, text: str, _: None = None) -> str:
    """Return a value as JSON in the style of a text."""
    text = _COMMENTS.sub(_blank, text)
    if value is None:
        return text.strip()
    if "\n" not in text.strip() and text.strip() not in ("", "{}", "null"):
        return _text(
            value, separators=(", ", ": ") if ('": ' in text or '":' not in text) else (",", ":")
        )
    indent = re.search(r"\n([ \t]+)[\"\]}\[{]", text)
    unit = "  " if indent is None else "\t" if indent[1].startswith("\t") else indent[1][:8]
    return _lines(value, unit, "\n") + ("" if text.strip() else "\n")


def _lines(value: Any, unit: str, start: str) -> str:
    """Return an object on several lines and a list of plain values on one."""
    inner = start + unit
    if isinstance(value, dict) and value:
        rows = [f"{_text(key)}: {_lines(part, unit, inner)}" for key, part in value.items()]
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        rows = [_lines(part, unit, inner) for part in value]
    else:
        return _text(value)
    first, last = "{}" if isinstance(value, dict) else "[]"
    return first + ",".join(inner + row for row in rows) + start + last


def _text(value: Any, **style: Any) -> str:
    return json.dumps(value, ensure_ascii=False, **style)


def tokens(text: str) -> list[Piece]:
    """Return the tokens of a valid document, and an empty one at its end."""
    pieces: list[Piece] = []
    for space, token in _TOKEN.findall(text):
        pieces.append(
            Piece(
                space,
                token,
                repr(json.loads(token)) if (bool(token) and token[0] not in "{}[],:") else token,
            )
        )
        if not token:
            break
    return pieces


def splice(own: Sequence[Piece], start: int, stop: int, new: list[Piece], after: Piece) -> str:
    """Return the text of tokens with those from start to stop replaced by new ones.

    Args:
        own: the tokens of the file.
        start: the first token to replace.
        stop: the token after the last one to replace.
        new: the tokens to insert.
        after: the token after the new ones as it was rendered, with the space that fits.
    """
    old, inserted, following = own[start:stop], joined(new), own[stop].lead
    if old and new:
        inserted = old[0].lead + inserted[len(new[0].lead) :]
    elif new and new[0].text == ",":
        trailing = own[stop].text  # a comma, or the end of the container
        stop += trailing == ","
        # The comma goes before the comments on the line of the value that it follows.
        comments = _LINE_COMMENTS.match(own[stop].lead)[0]  # type: ignore[index]
        inserted = (following if trailing == "," else "") + "," + comments + joined(new[1:])
        following = ("," if trailing == "," else "") + own[stop].lead[len(comments) :]
    elif new:
        gap = "" if inserted.startswith("\n") else "\n"
        inserted = following.rstrip() + gap + inserted if following.strip() else inserted
        following = after.lead
    elif old:
        start, stop, inserted, following = _without(own, start, stop)
    return joined(own[:start]) + inserted + following + own[stop].text + joined(own[stop + 1 :])


def _without(own: Sequence[Piece], start: int, stop: int) -> tuple[int, int, str, str]:
    """Return the tokens to leave out, their comments that stay, and the space after them."""
    is_only = start > 0 and own[start - 1].text in "{[" and own[stop - 1].text != ","
    if own[stop].text == "," and own[stop - 1].text != ",":  # a trailing comma goes too, or instead
        start, stop = start + (not is_only), stop + 1
    lead = own[start + 1 if own[start].text == "," else start].lead
    comments = lead.rstrip() if lead.strip() else ""
    following = own[stop].lead
    if is_only and not (comments + following).strip():
        following = ""
    elif own[stop - 1].text == "," and own[stop].text not in "}]" and not following.strip():
        following = lead[len(comments) :]
    if comments and not following.lstrip(" \t").startswith(("\n", "\r")):
        following = "\n" + following
    return start, stop, comments, following
