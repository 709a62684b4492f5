"""Validation of plain data against the subset of JSON Schema that the interfaces use."""

import json
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

from ghostmem.errors import InvalidInputError

Schema = Mapping[str, Any]
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_SHOWN = 60
# names that models often give to an argument; of several, an operation has the first it knows
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    alias: tuple(names.split())
    for names, aliases in {
        "ns": "namespace",
        "content": "text memory fact value body summary",
        "query": "q task question prompt search",
        "key summary_key": "id name memory_id memory_key",
        "summary_key": "key",
        "tags": "tag labels label",
        "limit": "max_results count top_k k n",
        "budget": "max_tokens tokens",
        "rel": "relation relationship",
        "after": "since start_date",
        "before": "until end_date",
        "kind": "type category",
        "op": "action operation",
        "from_key after": "from",
        "to_key before": "to",
        "from_key": "source",
        "to_key": "target",
        "source_keys seed key": "keys",
    }.items()
    for alias in aliases.split()
}
MAX_DEPTH = 100  # levels of lists and objects in a value that is stored
MAX_MESSAGE_DEPTH = MAX_DEPTH + 20  # a request holds such a value a few levels down


def is_deeper(value: Any, limit: int) -> bool:
    """Tell whether lists and objects are nested deeper than a number of levels."""
    level = [value] if isinstance(value, Mapping | list | tuple) else []
    for _ in range(limit):
        inner = {  # each once, so that a value which holds itself ends too
            id(item): item
            for part in level
            for item in (part.values() if isinstance(part, Mapping) else part)
            if isinstance(item, Mapping | list | tuple)
        }
        if not inner:
            return False
        level = list(inner.values())
    return bool(level)


def too_deep(what: str, limit: int = MAX_DEPTH) -> InvalidInputError:
    """Return the error for a value that is nested too deep."""
    return InvalidInputError(
        f"{what} is nested deeper than {limit} levels",
        "flatten it, or keep the deep part as one text",
    )


def check(value: Any, schema: Schema, label: str = "") -> None:
    """Raise an error that names the first invalid value and what would be valid."""
    kind = schema.get("type")
    if kind is not None and not _is(value, kind):
        raise InvalidInputError(
            f"{label or 'the input'} must be {_named(kind)}, not {_shown_value(value)}",
            _hint(schema, label, value),
        )
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidInputError(
            f"invalid {label} {_shown_value(value)}",
            f"must be one of: {', '.join(map(str, schema['enum']))}",
        )
    if kind in ("integer", "number"):
        _bounds(value, value, schema, label, "minimum", "maximum", "")
    elif kind == "string":
        _bounds(value, len(value), schema, label, "minLength", "maxLength", " characters")
    elif kind == "array":
        _bounds(value, len(value), schema, label, "minItems", "maxItems", " items")
        for number, item in enumerate(value):
            check(item, schema.get("items", {}), f"{label}[{number}]")
    elif kind == "object":
        _fields(value, schema, label)


def without_nulls(value: Any, schema: Schema) -> Any:
    """Return a value without the fields that are null: they count as not given."""
    kind = schema.get("type")
    if kind == "array" and isinstance(value, list):
        return [without_nulls(item, schema.get("items", {})) for item in value]
    properties = schema.get("properties")
    if kind == "object" and properties is not None and isinstance(value, Mapping):
        return {
            name: without_nulls(item, properties.get(name, {}))
            for name, item in value.items()
            if item is not None
        }
    return value


def with_whole_numbers(value: Any, schema: Schema) -> Any:
    """Return a checked value with its integers as int; JSON writes 5 also as 5.0."""
    kind = schema.get("type")
    if kind == "integer":
        return int(value)
    if kind == "array":
        return [with_whole_numbers(item, schema.get("items", {})) for item in value]
    if kind == "object":
        properties = schema.get("properties", {})
        return {
            name: with_whole_numbers(item, properties.get(name, {})) for name, item in value.items()
        }
    return value


def _fields(value: Mapping[str, Any], schema: Schema, label: str) -> None:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    for name in value:
        if name not in properties and schema.get("additionalProperties") is False:
            raise InvalidInputError(
                f"there is no argument {_shown_value(name)}{f' in {label}' if label else ''}",
                _meant(name, properties, [part for part in required if part not in value]),
            )
    path = f"{label}." if label else ""
    for name in required:
        if name not in value:
            wanted = properties.get(name, {})
            kind = _named(str(wanted.get("type", "value")))
            about = wanted.get("description")
            raise InvalidInputError(
                f"{path}{name} is required",
                f"{name}: {about}" if about else f"call again with {name}, {kind}",
            )
    for name, item in value.items():
        if name in properties:
            check(item, properties[name], f"{path}{name}")


def usual_name(name: str, properties: Mapping[str, Any]) -> str:
    """Return the argument that another name stands for, or the name itself."""
    return next(
        (usual for usual in (name, *OTHER_NAMES.get(name, ())) if usual in properties), name
    )


def _meant(name: Any, properties: Mapping[str, Any], missing: list[str]) -> str:
    """Return a hint on an unknown argument: the one that is probably meant, or all of them."""
    written = str(name)[:_SHOWN].lower()
    usual = usual_name(written, properties)
    close = (
        [usual] if usual in properties else get_close_matches(written, properties, n=1) or missing
    )
    if close:
        return f"did you mean {close[0]}?"
    return f"known are: {', '.join(properties)}" if properties else "leave it out; there are none"


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, float) and kind == "number":
        # not a number is not equal to itself
        return value == value and abs(value) != float("inf")  # noqa: PLR0124
    return isinstance(value, _TYPES[kind]) or (
        kind == "integer" and isinstance(value, float) and value.is_integer()
    )


def _bounds(
    value: Any, size: float, schema: Schema, label: str, low: str, high: str, unit: str
) -> None:
    least, most = schema.get(low, size), schema.get(high, size)
    if not least <= size <= most:
        is_small = size < least
        raise InvalidInputError(
            f"{label} {_shown_value(value)} is too {'small' if is_small else 'large'}",
            f"give at {f'least {least}' if is_small else f'most {most}'}{unit}",
        )


def _named(kind: str) -> str:
    return {"integer": "a whole number", "array": "a list", "object": "an object"}.get(
        kind, f"a {kind}"
    )


def _shown_value(value: Any) -> str:
    try:
        text = repr(value if not isinstance(value, str) else value[: 2 * _SHOWN])
    except (
        ValueError,
        RecursionError,
    ):  # a number of thousands of digits, a list in a list in a list
        return f"such a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


# a value of each type that an error shows; numbers are moved into their bounds
_EXAMPLES: Mapping[str, Any] = {
    "array": ["a", "b"],
    "boolean": True,
    "integer": 5,
    "number": 0.5,
    "object": {"name": "value"},
}


def _hint(schema: Schema, label: str, value: Any) -> str:
    if "enum" in schema:
        return f"one of: {', '.join(map(str, schema['enum']))}"
    about = schema.get("description")
    example = _example(schema, value)
    if example is None:
        return f"{label}: {about}" if about else f"give {label or 'it'} another value"
    sent = json.dumps(example, ensure_ascii=False, separators=(",", ":"))
    instruction = f"send {label or 'it'} as {sent}"
    return f"{instruction}; {about}" if about else instruction


def _example(schema: Schema, value: Any) -> Any:
    """Return a valid value, the given one in its right type where that is clear, or None."""
    kind = str(schema.get("type"))
    if kind in ("integer", "number"):
        number = _EXAMPLES[kind]
        if isinstance(value, str) and len(value) <= _SHOWN:
            with suppress(ValueError):
                written = int(value) if kind == "integer" else float(value)
                number = written if _is(written, kind) else number
        return min(max(number, schema.get("minimum", number)), schema.get("maximum", number))
    if kind == "array":
        items = schema.get("items", {})
        if items.get("type") == "object":
            return [dict.fromkeys(items.get("required", ("name",)), "…")]
        if isinstance(value, str) and 0 < len(value) <= _SHOWN:
            return [value]
    return _EXAMPLES.get(kind)
