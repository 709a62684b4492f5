"""screen: keys, tokens and passwords out of what is about to be stored, as the setting `secrets`
says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.errors import InvalidInputError
from ghostmem.model import FileRef
from ghostmem.store.validate import MAX_KEY
from ghostmem.text.redact import Secret, find_secrets, placeholder, redact

if TYPE_CHECKING:
    from ghostmem.memory.draft import Draft
    from ghostmem.settings import Settings

ALLOW, BLOCK, REDACT = "allow", "block", "redact"


class Screened(NamedTuple):
    """A text as it may be stored, and what is to be said about it: kinds and lines, never
    a secret.
    """

    content: str
    notes: tuple[str, ...] = ()


class ScreenedFields(NamedTuple):
    """Fields as they may be stored, and what is to be said about them."""

    fields: dict[str, Any]
    notes: tuple[str, ...] = ()


def screen(
    settings: Settings, content: str, allow_secrets: bool = False, keep_lines: bool = False
) -> Screened:
    """Return a content without its secrets, or with them and a warning, or refuse it.

    What only looks random is stored and noted. With `keep_lines` the content keeps its number of
    lines."""
    if allow_secrets or settings.secrets == ALLOW:
        return Screened(content)
    clean, found = (
        redact(content, keep_lines)
        if settings.secrets == REDACT
        else (content, find_secrets(content))
    )
    if not found:
        return Screened(content)
    lines = _lines(content, found)
    sure = [(one.kind, line) for one, line in zip(found, lines, strict=True) if one.sure]
    perhaps = [
        _doubt(one.kind, line) for one, line in zip(found, lines, strict=True) if not one.sure
    ]
    if not sure:
        return Screened(content, tuple(perhaps))
    if settings.secrets == BLOCK:
        raise _refusal([f"{kind} (line {line})" for kind, line in sure])
    if settings.secrets == REDACT:
        notes = [f"line {line}: {kind} redacted" for kind, line in sure]
        return Screened(clean, (*notes, *perhaps))
    return Screened(
        content,
        (
            *(f"line {line}: this holds a {kind}; it is stored as it is" for kind, line in sure),
            *perhaps,
        ),
    )


def screen_fields(
    settings: Settings, fields: Mapping[str, Any], allow_secrets: bool = False
) -> ScreenedFields:
    """Return named fields (key, tags, meta, files, source labels) without the secrets in their
    texts, at any depth.

    A text of `meta` is also judged by its name: {"password": "…"} is a password.
    """
    if allow_secrets or settings.secrets == ALLOW:
        return ScreenedFields(dict(fields))
    kinds: list[tuple[str, str]] = []
    clean = {name: _clean(value, name, "", kinds) for name, value in fields.items()}
    if not kinds:
        return ScreenedFields(dict(fields))
    if settings.secrets == BLOCK:
        raise _refusal([f"{kind} (in {where})" for where, kind in kinds])
    if settings.secrets == REDACT:
        return ScreenedFields(clean, tuple(f"{where}: {kind} redacted" for where, kind in kinds))
    return ScreenedFields(
        dict(fields),
        tuple(f"{where}: this holds a {kind}; it is stored as it is" for where, kind in kinds),
    )


def screen_draft(
    settings: Settings, draft: Draft, allow_secrets: bool = False
) -> tuple[Draft, tuple[str, ...]]:
    """Return a draft without the secrets in its content, its key and its fields, and what is to be
    said about them.
    """
    content, notes = screen(settings, draft.content, allow_secrets)
    fields, more = screen_fields(settings, {"key": draft.key, **draft.fields}, allow_secrets)
    if not notes and not more:
        return draft, ()
    return replace(draft, key=fields.pop("key")[:MAX_KEY], content=content, fields=fields), (
        *notes,
        *more,
    )


def stored_copy(settings: Settings, text: str) -> str:
    """Return what is kept of a text that stands in somebody's file: without its secrets, on as many
    lines; the file stays.

    A file cannot be refused, so that `block` redacts here too.
    """
    return redact(text, keep_lines=True)[0] if settings.secrets in (REDACT, BLOCK) else text


def _clean(value: Any, where: str, name: str, kinds: list[tuple[str, str]]) -> Any:
    """Return a value without the secrets in it, and note their kinds.

    What has none comes back as it was.
    """
    if isinstance(value, str) and not isinstance(value, Enum):
        return _clean_text(value, where, name, kinds)
    if isinstance(value, FileRef):
        return replace(value, path=_clean_text(value.path, where, "", kinds))
    if isinstance(value, Mapping):
        return {
            _clean_text(str(k), where, "", kinds): _clean(v, where, str(k), kinds)
            for k, v in value.items()
        }
    if isinstance(value, tuple | list):
        return type(value)(_clean(one, where, name, kinds) for one in value)
    return value


def _clean_text(text: str, where: str, name: str, kinds: list[tuple[str, str]]) -> str:
    clean, found = redact(text)
    sure = [one.kind for one in found if one.sure]
    quote = next((mark for mark in "\"'`" if mark not in text), "")
    if not sure and name and quote and "\n" not in text:
        named = f"{name}={quote}{text}{quote}"
        spans = [
            one
            for one in find_secrets(named)
            if one.sure and one.start == len(name) + 2 and one.stop == len(named) - 1
        ]
        if spans:
            clean, sure = placeholder(spans[0].kind), [spans[0].kind]
    kinds += [(where, kind) for kind in sure]
    return clean


def _lines(content: str, found: Iterable[Secret]) -> list[int]:
    """Return the line that each secret starts on; they come in order."""
    lines, at, line = [], 0, 1
    for one in found:
        line += content.count("\n", at, one.start)
        at = one.start
        lines.append(line)
    return lines


def _doubt(kind: str, line: int) -> str:
    return f"line {line}: this may be a secret ({kind}); it is stored as it is"


def _refusal(where: list[str]) -> InvalidInputError:
    more = f" and {len(where) - 10} more" if len(where) > 10 else ""
    return InvalidInputError(
        f"this holds secrets: {', '.join(where[:10])}{more}",
        "take them out, or pass --allow-secrets (allow_secrets=True); GHOST_SECRETS=redact "
        "stores placeholders instead",
    )
