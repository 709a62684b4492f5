"""Remove keys, tokens and passwords from content before it is stored.

The setting `secrets` decides: redact them, block the put, warn, or allow them."""

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple

from ghostmem.errors import InvalidInputError
from ghostmem.memory.draft import Draft
from ghostmem.model import FileRef
from ghostmem.settings import Settings
from ghostmem.store.validate import MAX_KEY
from ghostmem.text.redact import find_secrets, placeholder, redact
from ghostmem.text.secrets import is_placeholder

ALLOW, BLOCK, REDACT = "allow", "block", "redact"
MAX_REFUSED = 10  # secrets that an error names


class RedactedContent(NamedTuple):
    """Content that can be stored, and notes on its secrets: their kinds and lines."""

    content: str
    notes: tuple[str, ...] = ()


def redact_content(
    settings: Settings, content: str, allow_secrets: bool = False
) -> RedactedContent:
    """Return content without its secrets, or with them and a warning, or refuse it.

    Text that only looks random is stored with a note.
    """
    if allow_secrets or settings.secrets == ALLOW:
        return RedactedContent(content)
    clean, secrets = redact(content)
    certain: list[tuple[str, str]] = []
    doubtful: list[str] = []
    line, position = 1, 0
    for secret in secrets:  # they come in order
        line += content.count("\n", position, secret.start)
        position = secret.start
        if secret.sure:
            certain.append((f"line {line}", secret.kind))
        else:
            what = (
                "looks like a placeholder"
                if is_placeholder(content[secret.start : secret.stop])
                else "may be a secret"
            )
            doubtful.append(f"line {line}: this {what} ({secret.kind}); it is stored unchanged")
    if not certain:
        return RedactedContent(content, tuple(doubtful))
    if settings.secrets == BLOCK:
        raise _refusal([f"{kind} ({location})" for location, kind in certain])
    clean = clean if settings.secrets == REDACT else content
    return RedactedContent(clean, (*_notes(settings, certain), *doubtful))


def redact_draft(
    settings: Settings, draft: Draft, allow_secrets: bool = False
) -> tuple[Draft, tuple[str, ...]]:
    """Return a draft without the secrets in its content, key and fields, and notes on them.

    A text in `meta` is also judged by its name: {"password": "…"} is a password."""
    if allow_secrets or settings.secrets == ALLOW:
        return draft, ()
    content, notes = redact_content(settings, draft.content)
    secrets: list[tuple[str, str]] = []
    clean = {
        name: _clean(value, name, "", secrets)
        for name, value in {"key": draft.key, **draft.fields}.items()
    }
    if secrets and settings.secrets == BLOCK:
        raise _refusal([f"{kind} (in {location})" for location, kind in secrets])
    draft = replace(draft, content=content) if content != draft.content else draft
    if secrets and settings.secrets == REDACT:
        draft = replace(draft, key=clean.pop("key")[:MAX_KEY], fields=clean)
    return draft, (*notes, *_notes(settings, secrets))


def redact_file(settings: Settings, text: str) -> str:
    """Return the text of a file without its secrets, on as many lines.

    A file cannot be refused: `block` redacts here too. The file itself stays as it is."""
    return redact(text, keep_lines=True)[0] if settings.secrets in (REDACT, BLOCK) else text


def _clean(value: Any, location: str, name: str, secrets: list[tuple[str, str]]) -> Any:
    """Return a value without its secrets, at any depth, and add their kinds to `secrets`."""
    if isinstance(value, str) and not isinstance(value, Enum):
        return _clean_text(value, location, name, secrets)
    if isinstance(value, FileRef):
        return replace(value, path=_clean_text(value.path, location, "", secrets))
    if isinstance(value, Mapping):
        return {
            _clean_text(str(k), location, "", secrets): _clean(v, location, str(k), secrets)
            for k, v in value.items()
        }
    return (
        type(value)(_clean(item, location, name, secrets) for item in value)
        if isinstance(value, tuple | list)
        else value
    )


def _clean_text(text: str, location: str, name: str, secrets: list[tuple[str, str]]) -> str:
    clean, matches = redact(text)
    kinds = [match.kind for match in matches if match.sure]
    quote = next((mark for mark in "\"'`" if mark not in text), "")
    if not kinds and name and quote and "\n" not in text:
        # As an assignment, a value shows what its name says about it.
        assignment = f"{name}={quote}{text}{quote}"
        for match in find_secrets(assignment):
            if match.sure and (match.start, match.stop) == (len(name) + 2, len(assignment) - 1):
                clean, kinds = placeholder(match.kind), [match.kind]
                break
    secrets += [(location, kind) for kind in kinds]
    return clean


def _notes(settings: Settings, secrets: list[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(
        f"{location}: {kind} redacted"
        if settings.secrets == REDACT
        else f"{location}: contains a {kind}; it is stored unchanged"
        for location, kind in secrets
    )


def _refusal(secrets: list[str]) -> InvalidInputError:
    more = f" and {len(secrets) - MAX_REFUSED} more" if len(secrets) > MAX_REFUSED else ""
    return InvalidInputError(
        f"the text contains secrets: {', '.join(secrets[:MAX_REFUSED])}{more}",
        "remove them, or pass --allow-secrets (allow_secrets=True); GHOST_SECRETS=redact "
        "stores placeholders instead",
    )
